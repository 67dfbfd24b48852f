"""Nothing that an answer says contradicts anything else that it says.

Two hundred small campaigns are drawn at random, of every kind and with what makes
trouble: few judges, columns that are missing, ties, systems that won all, groups that
nothing links, a system that one judge alone judged.
"""

import re
from collections import Counter
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from test_api import FRAMES

import wmtlib
from examples import KINDS, example
from wmtlib.core.errors import DataError
from wmtlib.core.ranking import clusters_of_ranges
from wmtlib.files.read import read
from wmtlib.methods import METHODS
from wmtlib.report import analysis, sentences

CAMPAIGNS = range(200)
ALPHA = 0.05
FEWEST = 7  # units of a kind; of fewer the sentence says that it is about these
# Written out, so that a new method does not change what is drawn.
COUNTED = [
    "wmt-official",
    "heuristic2",
    "bojar",
    "expected-wins",
    "net-wins",
    "soccer",
    "mfas",
    "bradley-terry",
    "bradley-terry-side",
    "rao-kupper",
    "bradley-terry-half",
    "trueskill",
]
SCORED = ["z-score", "raw-score"]
SIDES = ["system_1", "system_2"]
JUDGES = ("worker", "judge", "hit", "ranking")  # kinds of units, the largest first
ITEMS = ("document", "segment")
WORDS = {"worker": "annotator", "hit": "HIT"}
NAMES = "pqrstu"
TROUBLES = ["", "", "", "ties", "won all", "apart", "one judge alone", "level"]


# --- campaigns ------------------------------------------------------------------------


def qualities(draw):
    """How good two to six systems are, and what makes trouble."""
    size = int(draw.integers(2, 7))
    trouble = str(draw.choice(TROUBLES))
    spread = 0 if trouble == "level" else draw.choice([0.3, 1.0, 2.0])
    return spread * draw.normal(size=size), trouble


def units(draw, number):
    """Columns of units, some of which are missing."""
    judges, segments = draw.choice([1, 2, 5, 6, 7, 12, 20], 2)
    segment = draw.integers(segments, size=number)
    columns = {
        "judge": draw.integers(judges, size=number),
        "segment": segment,
        "document": segment // 2,
    }
    there = {"judge": 0.8, "segment": 0.7, "document": 0.4}
    kept = [name for name in columns if draw.random() < there[name]]
    return {name: [f"{name[0]}{k}" for k in columns[name]] for name in kept}


def two_systems(draw, size, trouble):
    """Two different systems; of groups apart both are of one group."""
    if trouble == "apart" and size > 3:
        return draw.permutation(2) + 2 * draw.integers(2)
    return draw.choice(size, 2, replace=False)


def votes(draw):
    """A frame of comparisons."""
    quality, trouble = qualities(draw)
    number = int(draw.integers(12, 200))
    rows = []
    for _ in range(number):
        a, b = two_systems(draw, len(quality), trouble)
        outcome = "ab"[int(quality[a] - quality[b] + draw.logistic() < 0)]
        if trouble == "won all" and 0 in (a, b):
            outcome = "ab"[int(b == 0)]
        elif draw.random() < (0.9 if trouble == "ties" else 0.1):
            outcome = "tie"
        rows.append((NAMES[a], NAMES[b], outcome))
    frame = pd.DataFrame(rows, columns=["a", "b", "outcome"])
    frame = frame.assign(**units(draw, number))
    if trouble == "one judge alone" and "judge" in frame:
        is_alone = (frame[["a", "b"]] == NAMES[0]).any(axis=1)
        frame.loc[is_alone, "judge"] = "j0"
    return frame


def rankings(draw):
    """A frame of rankings of up to five systems each."""
    quality, trouble = qualities(draw)
    number = int(draw.integers(5, 40))
    of_ranking = pd.DataFrame({"ranking": range(number), **units(draw, number)})
    parts = []
    for k in range(number):
        shown = draw.permutation(len(quality))[:5]
        place = (quality[shown] + draw.gumbel(size=len(shown))).argsort().argsort()
        rank = len(shown) - place if trouble != "ties" else 1 + place // 2
        names = [NAMES[system] for system in shown]
        parts.append(pd.DataFrame({"ranking": k, "system": names, "rank": rank}))
    return pd.concat(parts).merge(of_ranking, on="ranking")


def scores(draw):
    """A frame of direct assessments."""
    quality, trouble = qualities(draw)
    number = int(draw.integers(24, 240))
    system = draw.integers(len(quality), size=number)
    score = 50 + 10 * quality[system] + draw.normal(0, 8, number)
    if trouble == "ties":
        score = 50 + 10 * (score > 50)
    if trouble == "won all":
        score[system == 0] = 100
    frame = pd.DataFrame({"system": np.array([*NAMES])[system], **units(draw, number)})
    frame = frame.rename(columns={"judge": "worker"})
    frame["score"] = score.round().clip(0, 100)
    if "segment" not in frame:
        frame["segment"] = [f"s{k // 3}" for k in range(number)]
    if "worker" in frame:
        if trouble == "one judge alone":
            frame.loc[system == 0, "worker"] = "j0"
        if trouble == "apart":
            frame["worker"] += np.where(system < 2, "", "'")
        if draw.random() < 0.3:
            frame["hit"] = frame["worker"] + [f".{k % 2}" for k in range(number)]
    return frame


def drawn(seed):
    """A campaign, and the options by which it is ranked."""
    draw = np.random.default_rng(seed)
    make = (votes, votes, rankings, scores)[seed % 4]
    reading = {"scale": (0, 100)} if make is scores else {}
    judged = read(make(draw), revisions="all", **reading)
    names = SCORED if make is scores else COUNTED
    method = names[seed // 4 % len(names)]
    if make is scores and "worker" not in judged.units:
        method = "raw-score"
    options = {"minimum": int(draw.choice([0, 10]))}
    if len(judged.systems) > 3 and draw.random() < 0.2:
        options["reference"] = judged.systems[1]
    if method.startswith("bradley-terry") and draw.random() < 0.4:
        options["elo"] = True
        if draw.random() < 0.5:
            options["elo"] = (judged.systems[0], 1000.0)
    return judged, method, options


@cache
def result_of(seed):
    """The ranking of a campaign, its sets, and the sentence about it."""
    judged, method, options = drawn(seed)
    try:
        result = analysis.ranking_of(judged, method, **options)
    except DataError as refused:  # who won all, has nothing but ties, or met nobody
        assert re.search("without a prior|that this score counts", str(refused))
        result = analysis.ranking_of(judged, "soccer")
    return result, sentences.of_ranking(result)


# --- what is known of them, row by row ------------------------------------------------


def method_of(result):
    return METHODS[result.rankings[0].method]


def systems_of(result):
    """Those that are ranked, and the reference."""
    reference = result.settings.reference
    return [*result.table["system"], *([reference] if reference else [])]


def frame_of(result):
    """The judgements without thin systems."""
    frame = result.judgements.frame
    sides = [name for name in ("system", *SIDES) if name in frame]
    return frame[frame[sides].isin(systems_of(result)).all(axis=1)]


def rows_of(result):
    """A row for each judgement and each system that it is about."""
    frame = frame_of(result)
    if result.counts is None:
        return frame.assign(hit=frame["hit"].astype(str) + frame["worker"].astype(str))
    if not method_of(result).reference_counts:
        reference = result.settings.reference
        frame = frame[(frame[SIDES] != reference).all(axis=1)]
    return pd.concat([frame.assign(system=frame[side]) for side in SIDES])


def few_units(result):
    """Kinds with fewer units than are needed, up to the one that is left out."""
    rows = rows_of(result)
    few = []
    for kinds in (JUDGES, ITEMS):
        for kind in kinds:
            if kind in result.judgements.units:
                number = rows[kind].nunique()
                if number >= FEWEST:
                    break
                few.append((kind, number))
    return few


def systems_of_one_unit(result):
    """Systems about which one judge, one item or one judgement alone says anything."""
    rows = rows_of(result)
    if result.rankings[0].method in ("bojar", "expected-wins"):
        rows = rows[rows["preference"] > 0]  # ties do not count
    if method_of(result).needs_workers:
        spread = rows.groupby("worker", observed=True)["score"].transform("nunique")
        rows = rows[spread > 1]
    alone = set()
    for name in result.table["system"]:
        own = rows[rows["system"] == name]
        numbers = [own[kind].nunique() for kind in result.units.kinds]
        single = own["count"].sum() if "count" in own else len(own)
        if min(numbers, default=single) < 2:
            alone.add(name)
    return alone


def groups_of(result):
    """The group of each system: linked by comparisons, or by workers who vary."""
    frame = frame_of(result)
    group = {name: {name} for name in systems_of(result)}
    links = []
    if result.counts is not None:
        rows = rows_of(result)
        links = zip(rows["system_1"], rows["system_2"], strict=True)
    elif method_of(result).needs_workers:
        by_worker = frame.groupby("worker", observed=True)
        links = [
            [*own["system"].unique()]
            for _, own in by_worker
            if own["score"].nunique() > 1
        ]
    else:
        links = [[*group]]
    for link in links:
        joined = set().union(*(group[name] for name in link))
        for name in joined:
            group[name] = joined
    return {name: min(members) for name, members in group.items()}


# --- what must hold -------------------------------------------------------------------


def holm(p):
    """Correct p-values by Holm (1979), one after the other; NaN is no test."""
    tested = sorted((value, k) for k, value in enumerate(p) if not np.isnan(value))
    corrected = np.full(len(p), np.nan)
    least = 0.0
    for place, (value, k) in enumerate(tested):
        least = max(least, min(1.0, (len(tested) - place) * value))
        corrected[k] = least
    return corrected


def require_sets_that_count_pairs(result):
    table, pairs = result.table, result.sets.pairs
    score = table.set_index("system")["score"].astype(float)
    # Of a pair the upper one is better, as the scores have it.
    is_apart = holm(pairs["p"]) < ALPHA
    assert (pairs["apart"] == is_apart & (pairs["difference"] > 0)).all()
    difference = score[pairs["above"]].array - score[pairs["below"]].array
    assert difference == pytest.approx(pairs["difference"].array, abs=1e-7)
    apart = pairs[pairs["apart"]]
    for row in table.itertuples():
        assert row.rank_low == 1 + (apart["below"] == row.system).sum()
        assert row.rank_high == len(table) - (apart["above"] == row.system).sum()
        assert row.rank_low <= row.rank <= row.rank_high


def require_lines_where_no_set_crosses(result):
    table = result.table
    low, high = table["rank_low"].array, table["rank_high"].array
    assert table["cluster"][0] == 1
    for k, step in enumerate(np.diff(table["cluster"]), start=1):
        assert step == (max(high[:k]) < min(low[k:]))


def require_scores_within_their_intervals(result):
    table = result.table.dropna(subset="score_low")
    slack = 1e-9 * (1 + table["score"].abs())
    assert (table["score_low"] <= table["score"] + slack).all()
    assert (table["score"] <= table["score_high"] + slack).all()
    if method_of(result).bounds is not None:
        least, most = method_of(result).bounds
        assert (table["score_low"] >= least - 1e-9).all()
        assert (table["score_high"] <= most + 1e-9).all()


def require_small_p_where_intervals_are_apart(result):
    """Of intervals that are score +- t x error: t is that of the pair.

    The pair has the fewer degrees of freedom of the two, and so the larger t.
    """
    if method_of(result).bounds is not None or isinstance(result.elo, tuple):
        return
    table = result.table.set_index("system")
    freedom = dict(zip(table.index, result.sets.covariance.freedom, strict=True))
    for pair in result.sets.pairs.dropna(subset="p").itertuples():
        t = stats.t.ppf(0.975, min(freedom[pair.above], freedom[pair.below]))
        width = 0.0
        for name in (pair.above, pair.below):
            half = table.loc[name, "score_high"] - table.loc[name, "score"]
            width += half * t / stats.t.ppf(0.975, freedom[name])
        assert pair.p < ALPHA or pair.difference <= width + 1e-9


def require_numbers_where_there_are_data(result):
    table, pairs = result.table, result.sets.pairs
    alone, group = systems_of_one_unit(result), groups_of(result)
    for column in ("score", "rank_low", "rank_high", "cluster", "n"):
        assert np.isfinite(table[column].astype(float)).all()
    assert np.isfinite(pairs[["difference", "error"]]).all(axis=None)
    for pair in pairs.itertuples():
        is_linked = group[pair.above] == group[pair.below]
        is_known = is_linked and not alone & {pair.above, pair.below}
        assert np.isfinite(pair.p) == np.isfinite(pair.corrected) == is_known
        assert not is_known or 0 <= pair.p <= pair.corrected + 1e-9 <= 1 + 2e-9
    fixed = {result.elo[0]} if isinstance(result.elo, tuple) else set()
    for row in table.itertuples():  # to an anchor intervals are of differences
        is_known = {row.system} == fixed or not alone & {row.system, *fixed}
        ends = pd.Series([row.score_low, row.score_high], dtype=float)
        assert np.isfinite(ends).tolist() == [is_known] * 2


def named(names, noun="systems"):
    if len(names) > 3:
        return f"{len(names)} {noun}"
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last


def require_a_sentence_of_its_table(result, said):
    table = result.table
    first = [*table.loc[table["rank"] == 1, "system"]]
    if len(first) == len(table):
        assert said.startswith("No system is better than another here: ")
        return
    comes = " share the first place" if first[1:] else " comes first"
    assert named(first) + comes in said
    if not result.is_sure:
        assert said.endswith("; how sure that is is not known.")
        return
    few = few_units(result)
    assert said.startswith("For these " if few else "") or said.startswith("For this ")
    assert said.startswith("For ") == bool(few)
    for kind, number in few:
        word = WORDS.get(kind, kind)
        assert f"these {number} {word}s" in said or f"this one {word}" in said
        assert (f"this one {word}" in said) == (number == 1)
    assert ("judgement taken by itself" in said) == (not result.units.kinds)
    may_be_first = [*table.loc[table["rank_low"] == 1, "system"]]
    others = [name for name in may_be_first if name not in first]
    assert {*first} <= {*may_be_first}
    if len(may_be_first) == len(table):
        assert "are told apart: " in said or "Neither of the 2 systems" in said
        assert not result.sets.pairs["apart"].any()
    elif others:
        assert f". {named(others, 'others')} may be as good: the difference" in said
    else:
        assert ". No other may be first." in said


@pytest.mark.parametrize("seed", CAMPAIGNS)
def test_nothing_that_is_said_contradicts(seed):
    result, said = result_of(seed)
    require_a_sentence_of_its_table(result, said)
    if result.is_sure:
        require_sets_that_count_pairs(result)
        require_lines_where_no_set_crosses(result)
        require_scores_within_their_intervals(result)
        require_small_p_where_intervals_are_apart(result)
        require_numbers_where_there_are_data(result)


def test_campaigns_are_of_every_kind():
    """Otherwise the test above would say less than it seems to."""
    results = [result_of(seed)[0] for seed in CAMPAIGNS]
    by_method = Counter(result.rankings[0].method for result in results)
    assert min(by_method[name] for name in (*COUNTED, *SCORED)) >= 4
    sure = [result for result in results if result.is_sure]
    assert len(sure) > 140
    seen = Counter()
    for result in sure:
        pairs, table = result.sets.pairs, result.table
        seen["lines"] += table["cluster"].max() > 1
        seen["apart without a line"] += (
            pairs["apart"].any() and table["cluster"].max() == 1
        )
        seen["nothing apart"] += not pairs["apart"].any()
        seen["pairs without a test"] += pairs["p"].isna().any()
        seen["open intervals"] += table["score_low"].isna().any()
        seen["ties"] += table["rank"].duplicated().any()
        seen["won all"] += (result.sets.covariance.doubt > 0).any()
        seen["two kinds"] += len(result.units.kinds) == 2
        seen["no kind"] += not result.units.kinds
        seen["few units"] += bool(result.units.these)
        seen["Elo"] += bool(result.elo)
        seen["reference"] += result.settings.reference is not None
    assert min(seen.values()) >= 3, seen


# --- lines ----------------------------------------------------------------------------


def test_lines_are_where_no_set_crosses_whatever_is_significant():
    """Of doubts that differ, as one system may be apart from the third, but not from
    the fourth.
    """
    draw = np.random.default_rng(1)
    seen = Counter()
    for _ in range(2000):
        size = int(draw.integers(2, 6))
        better = np.triu(draw.random((size, size)) < 0.8, 1)
        low, high = 1 + better.sum(axis=0), size - better.sum(axis=1)
        clusters = clusters_of_ranges(low, high)
        for k in range(1, size):
            ranks = [
                {rank for i in part for rank in range(low[i], high[i] + 1)}
                for part in (range(k), range(k, size))
            ]
            is_line = clusters[k] > clusters[k - 1]
            assert is_line == (not ranks[0] & ranks[1])
            seen[bool(is_line), bool(high[k - 1] < low[k:].min())] += 1
    assert seen[False, True] > 9 and clusters[0] == 1


OTHERS = {  # where units, methods or thin systems might be taken otherwise
    "votes of one judge": pd.DataFrame(
        {"a": [*"xxy"] * 9, "b": [*"yzz"] * 9, "outcome": [*"aab"] * 9, "judge": "j"}
    ),
    "votes with a thin system": pd.DataFrame(
        {
            "a": [*"xxy"] * 30 + ["new"],
            "b": [*"yzz"] * 30 + ["x"],
            "outcome": [*"aaaab"] * 18 + ["a"],
            "judge": [f"j{k % 8}" for k in range(91)],
        }
    ),
    "scores with a thin system of another worker": pd.DataFrame(
        {
            "worker": [f"w{k % 6}" for k in range(90)] + ["w6"],
            "system": [*"xyz"] * 30 + ["new"],
            "segment": [k // 3 for k in range(91)],
            "score": [40 + k % 3 * 9 + k * k % 11 for k in range(91)],
        }
    ),
    "scores without workers": pd.DataFrame(
        {
            "system": [*"xyz"] * 12,
            "segment": [k // 3 for k in range(36)],
            "score": [40 + k % 3 * 9 + k * k % 7 for k in range(36)],
        }
    ),
    "scores with some HITs": pd.DataFrame(
        {
            "worker": [f"w{k % 8}" for k in range(90)],
            "hit": [f"h{k % 16}" if k > 5 else "" for k in range(90)],
            "system": [*"xyz"] * 30,
            "segment": [k // 3 for k in range(90)],
            "score": [40 + k % 3 * 9 + k * k % 11 for k in range(90)],
        }
    ),
}


@pytest.mark.parametrize("name", [*KINDS, *FRAMES, *OTHERS])
def test_clusters_are_those_of_the_whole_answer(name):
    if name in KINDS:
        judged = example(name)
    else:
        frame = {**FRAMES, **OTHERS}[name]
        is_declared = "score" not in frame or name in FRAMES
        judged = read(frame, **({} if is_declared else {"scale": (0, 100)}))
    for minimum in (10, 1):
        answer = wmtlib.analyse(judged, minimum=minimum).tables["ranking"]
        found = wmtlib.clusters(judged, minimum=minimum).table
        columns = ["system", "rank", "cluster"]
        assert found[columns].to_numpy().tolist() == answer[columns].to_numpy().tolist()
