"""Answers say what the engines find; what cannot be asked is refused in one line."""

import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from scipy import stats

import wmtlib
from examples import EXAMPLES, KINDS, data_error, example
from wmtlib import cross_validation, methods, removals
from wmtlib.core.assessments import encode
from wmtlib.files.read import read as read_plainly
from wmtlib.report import sentences, show
from wmtlib.report.answers import (
    answer_judges,
    answer_models,
    answer_ranking,
    answer_stability,
)


def data_of(judged):
    return (
        encode(judged.assessments) if judged.assessments is not None else judged.counts
    )


def read(data, **options):
    """Judgements of a frame or a file, whose scores are from 0 to 100."""
    return read_plainly(data, scale=(0, 100), revisions="all", **options)


def ranked(data, *arguments, **options):
    """The answer to how a frame or a file ranks its systems."""
    return answer_ranking(read(data), *arguments, **options)


@pytest.mark.parametrize("kind", KINDS)
def test_answer_ranking_equals_rank_and_rank_sets(kind):
    judged = example(kind)
    answer = answer_ranking(judged, seed=5)
    is_scored = kind == "assessments"
    names = methods.USUAL_METHODS["assessments" if is_scored else "counts"]
    every = answer.tables["rankings"]
    for name in names:
        alone = methods.rank(data_of(judged), name)
        found = every[every["method"] == name].reset_index(drop=True)
        for column in ("system", "rank", "score"):
            assert found[column].equals(alone.table[column])
    sets = wmtlib.rank_sets(judged)
    shown = answer.tables["ranking"]
    assert_frame_equal(shown.drop(columns="n"), sets.table)
    assert_frame_equal(answer.tables["pairs"][[*sets.pairs]], sets.pairs)
    kinds = ["worker", "document"] if is_scored else ["judge", "segment"]
    assert answer.facts["units"] == kinds == [*sets.units.kinds]
    assert answer.warnings == [*judged.warnings]
    for cluster in answer.tables["clusters"].itertuples():
        own = shown[shown["system"].isin(cluster.systems)]
        assert [*own["system"]] == cluster.systems
        assert set(own["cluster"]) == {cluster.cluster}
        assert cluster.rank_low == own["rank_low"].min()
        assert cluster.rank_high == own["rank_high"].max()


def test_answer_ranking_counts_what_each_system_and_each_pair_has():
    rows = [("x", "y", "a")] * 5 + [("y", "x", "a")] * 2 + [("y", "x", "tie")]
    rows += [("z", "y", "b")] * 6 + [("x", "z", "a")] * 8
    answer = ranked(pd.DataFrame(rows, columns=["a", "b", "outcome"]), "soccer")
    table = answer.tables["ranking"]
    assert table[["system", "n"]].to_numpy().tolist() == [
        ["x", 16],
        ["y", 14],
        ["z", 14],
    ]
    pairs = answer.tables["pairs"].set_index(["above", "below"])
    assert pairs[["wins", "losses", "ties"]].to_numpy().tolist() == [
        [5, 2, 1], [8, 0, 0], [6, 0, 0]
    ]  # fmt: skip
    assert pairs["neighbours"].tolist() == [True, False, True]
    scored = answer_ranking(example("assessments"), "raw-score")
    assert not {"wins", "losses", "ties"} & {*scored.tables["pairs"]}
    number = example("assessments").frame["system"].value_counts()
    assert scored.tables["ranking"]["n"].tolist() == [
        number[name] for name in scored.tables["ranking"]["system"]
    ]


def test_answer_ranking_gives_the_last_reason_if_no_method_applies(tmp_path):
    path = tmp_path / "ties.csv"
    path.write_text("a,b,outcome\nx,y,tie\nx,y,tie\n")
    with data_error("no comparison that this score counts"):
        ranked(path, ["bojar"])
    answer = ranked(path)
    assert any(w.startswith("expected-wins is left out: ") for w in answer.warnings)
    level = "No system is better than another here: x and y share the first place."
    assert answer.sentence == level


def test_answer_ranking_of_mfas_draws_no_line():
    answer = answer_ranking(example("rankings"), ["mfas"])
    table = answer.tables["ranking"]
    ends = ["rank_low", "rank_high", "score_low", "score_high"]
    assert table[ends].isna().all(axis=None) and set(table["cluster"]) == {1}
    assert answer.facts["units"] is None and not len(answer.tables["pairs"])
    assert answer.sentence == (
        "simulated-D comes first of 8 systems; how sure that is is not known."
    )
    assert "How sure this is mfas does not say: there are no lines." in answer.lead
    assert "Pairs" not in str([*answer.views])
    assert not answer.warnings


def blocks(documents=12, workers=12, shift=0):
    """Two systems on two segments of each document, by a worker; B is better by a
    shift.
    """
    rows = []
    for d, name, k in itertools.product(range(documents), "AB", range(2)):
        better = name == "B"
        score = 50 + (13 * d + 5 * better * (d % 3)) % 17 + 3 * k + shift * better
        rows.append((f"w{d % workers}", name, f"d{d}", f"{d}.{k}", score))
    return pd.DataFrame(
        rows, columns=["worker", "system", "document", "segment", "score"]
    )


def test_answer_ranking_of_as_many_scores_by_each_worker_is_a_t_test():
    # Of equal units, leaving each out in turn gives the variance of their mean.
    scores = {"A": [50, 61, 47, 52, 70, 58, 44, 63, 59]}
    scores["B"] = [55, 60, 52, 61, 73, 57, 50, 70, 60]
    rows = [(f"w{k}", s, x) for s, own in scores.items() for k, x in enumerate(own)]
    frame = pd.DataFrame(rows, columns=["worker", "system", "score"])
    answer = ranked(frame.assign(segment="1"), "raw-score", minimum=9)
    assert answer.facts["units"] == ["worker"]
    pair = answer.tables["pairs"].iloc[0]
    gained = np.subtract(scores["B"], scores["A"])
    assert pair["difference"] == pytest.approx(gained.mean())
    assert pair["error"] == pytest.approx(stats.sem(gained))
    p = stats.ttest_rel(scores["B"], scores["A"]).pvalue
    assert 0.001 < p < 0.05 and pair["p"] == pair["corrected"] == pytest.approx(p)
    assert pair["apart"] and len(answer.tables["clusters"]) == 2
    for row in answer.tables["ranking"].itertuples():
        own = scores[row.system]
        ends = stats.t.interval(0.95, 8, np.mean(own), stats.sem(own))
        assert (row.score_low, row.score_high) == pytest.approx(ends)


def test_answer_ranking_of_as_many_votes_by_each_judge_is_a_t_test():
    won = [6, 8, 5, 7, 4, 9, 7, 6]  # of 10 votes of each judge, by x
    rows = [("xy"[k % 2], "yx"[k % 2], "ab"[(k < n) == k % 2], f"j{j}")
            for j, n in enumerate(won) for k in range(10)]  # fmt: skip
    answer = ranked(
        pd.DataFrame(rows, columns=["a", "b", "outcome", "judge"]), "soccer"
    )
    assert answer.facts["units"] == ["judge"]
    pair = answer.tables["pairs"].iloc[0]
    assert (pair["above"], pair["wins"], pair["losses"]) == ("x", 52, 28)
    share = np.array(won) / 10
    assert pair["error"] == pytest.approx(2 * stats.sem(share))
    assert pair["p"] == pytest.approx(stats.ttest_1samp(share, 0.5).pvalue)
    # Wilson's interval of a share of as many votes as have this variance.
    t, p = stats.t.ppf(0.975, 7), 0.65
    weight = t**2 * stats.sem(share) ** 2 / (p * (1 - p))
    half = np.sqrt(weight * (p * (1 - p) + weight / 4))
    ends = [(p + weight / 2 + sign * half) / (1 + weight) for sign in (-1, 1)]
    first = answer.tables["ranking"].iloc[0]
    assert [first["score_low"], first["score_high"]] == pytest.approx(ends)


def without_each(frame, kinds, score):
    """Variances of all differences, by leaving out and scoring anew: Equations 1, 2."""

    def spread(units):
        moved = np.array([score(frame[units != unit]) for unit in units.unique()])
        moved -= score(frame)
        return (len(moved) - 1) / len(moved) * moved.T @ moved

    units = [frame[kind].astype(str) for kind in kinds]
    each = [spread(unit) for unit in units]
    if len(units) == 2:
        value, vector = np.linalg.eigh(sum(each) - spread(units[0] + " " + units[1]))
        each.append(vector * value.clip(0) @ vector.T)
    own = [np.diag(v)[:, None] for v in each]
    return np.max([o + o.T - 2 * v for o, v in zip(own, each, strict=True)], axis=0)


def share_of_points(frame, systems):
    """Points of each system, a tie half a point, for a comparison."""
    gained = frame["preference"].map({1: 1, 2: 0, 0: 0.5})
    sides = [("system_1", gained), ("system_2", 1 - gained)]
    points = sum(g.groupby(frame[side].astype(str)).sum()[systems] for side, g in sides)
    number = sum(frame[side].astype(str).value_counts()[systems] for side, _ in sides)
    return (points / number).to_numpy()


def mean_of_segments(frame, systems):
    """Mean score, where all scores of a segment together weigh as one."""
    own = frame.assign(score=frame["score"] * frame["weight"]).groupby("system")
    return (own["score"].sum() / own["weight"].sum())[systems].to_numpy()


@pytest.mark.parametrize(
    ("kind", "kinds", "method", "score"),
    [
        ("pairwise", ["judge", "segment"], "soccer", share_of_points),
        ("rankings", ["judge", "segment"], "soccer", share_of_points),
        ("assessments", ["worker", "document"], "raw-score", mean_of_segments),
    ],
)
def test_answer_ranking_tests_pairs_by_leaving_out_each_judge_and_each_item(
    kind, kinds, method, score
):
    """A part of the examples, by rows that are left out one unit after the other."""
    frame = example(kind).frame
    frame = frame[frame.groupby(kinds[1], observed=True).ngroup() < 12]
    if kind != "assessments":
        frame = frame.loc[frame.index.repeat(frame["count"])].drop(columns="count")
    answer = ranked(frame.reset_index(drop=True), method, minimum=1)
    if kind == "assessments":
        frame = frame[frame["item"].isin(["SYSTEM", "REPEAT"])].astype({"system": str})
        of_segment = frame.groupby(["system", "document", "segment"], observed=True)
        frame["weight"] = 1 / of_segment["score"].transform("size")
    assert answer.facts["units"] == kinds
    systems = [*answer.tables["ranking"]["system"]]
    place = {name: k for k, name in enumerate(systems)}
    variance = without_each(frame, kinds, lambda rows: score(rows, systems))
    # As many units as there are, if they are equal: (sum of n)^2 / sum of n^2.
    sides = ["system"] if kind == "assessments" else ["system_1", "system_2"]
    weight = frame.get("weight", pd.Series(1.0, frame.index))
    units = []
    for unit in kinds:
        parts = [
            weight.groupby([frame[s].astype(str), frame[unit]], observed=True).sum()
            for s in sides
        ]
        size = pd.concat(parts).groupby(level=[0, 1], observed=True).sum()
        squares = (size**2).groupby(level=0).sum()
        units.append(size.groupby(level=0).sum() ** 2 / squares)
    freedom = np.minimum(*units) - 1
    pairs = answer.tables["pairs"]
    assert len(pairs) == len(systems) * (len(systems) - 1) / 2
    for pair in pairs.itertuples():
        error = variance[place[pair.above], place[pair.below]] ** 0.5
        assert pair.error == pytest.approx(error)
        t = stats.t(min(freedom[pair.above], freedom[pair.below]))
        assert pair.p == pytest.approx(2 * t.sf(pair.difference / error))


def test_answer_ranking_tests_raw_scores_raw():
    # One worker's scale is a hundred times as wide as another's.
    frame = blocks(documents=40, workers=2, shift=4)
    narrow = frame["worker"] == "w1"
    frame["score"] = frame["score"].where(~narrow, 50 + frame["score"] / 100)
    p = [ranked(frame, [m]).tables["pairs"]["p"][0] for m in ("raw-score", "z-score")]
    assert p[0] != pytest.approx(p[1], rel=0.1)


def votes_of(**numbers):
    """Votes between two systems by so many judges and, or, rankings."""
    votes = pd.DataFrame({"a": "x", "b": "y", "outcome": [*"aabaababbaabaaabababaabb"]})
    return votes.assign(
        **{name: np.arange(24) % number for name, number in numbers.items()}
    )


ABOUT_3 = "only 3 judges: what is said is about these, and not about others; ask 7"
BY_ITSELF = "ach judgement taken by itself: "


@pytest.mark.parametrize(
    ("numbers", "unit", "units", "said", "warnings"),
    [
        ({"judge": 8, "segment": 12}, None, ["judge", "segment"], "Neither", []),
        ({"judge": 8, "segment": 5}, None, ["judge"], "For these 5 segments: Neither",
         ["only 5 segments: what is said is about these"]),
        ({"judge": 8, "ranking": 24}, None, ["judge"], "Neither", ["what was judged"]),
        ({"judge": 3, "ranking": 12}, None, ["ranking"], "For these 3 judges: Neither",
         [ABOUT_3, "what was judged"]),
        ({"judge": 6}, None, [], f"For these 6 judges, e{BY_ITSELF}Neither",
         ["only 6 judges: ", "what was judged"]),
        ({"judge": 7}, None, ["judge"], "Neither", ["what was judged"]),
        ({"judge": 1}, None, [], f"For this one judge, e{BY_ITSELF}Neither",
         ["only 1 judge: what is said is about this one", "what was judged"]),
        ({}, None, [], f"E{BY_ITSELF}Neither", ["does not tell who judged what"]),
        ({"segment": 8}, None, ["segment"], "Neither",
         ["does not tell who judged what"]),
        ({"judge": 8, "segment": 12}, "comparison", [], f"E{BY_ITSELF}Neither",
         ["by comparisons alone: ranks and lines do not allow for other judges or"
          " segments"]),
        ({"judge": 8, "ranking": 12}, "ranking", ["ranking"], "Neither",
         ["by rankings alone: ranks and lines do not allow for other judges"]),
        ({"judge": 8, "segment": 12}, "segment", ["segment"], "Neither",
         ["by segments alone: ranks and lines do not allow for other judges"]),
        ({"judge": 8}, "judge", ["judge"], "Neither", []),
    ],
)  # fmt: skip
def test_answer_ranking_leaves_out_the_largest_units_in_turn(
    numbers, unit, units, said, warnings
):
    answer = answer_ranking(read(votes_of(**numbers)), ["soccer"], unit=unit)
    assert answer.facts["units"] == units
    assert answer.sentence.startswith(f"{said} of the 2 systems is clearly better: x")
    each = " and ".join(f"each {name}" for name in units) or "each judgement"
    assert f"How sure: {each} was left out in turn; ranks: those" in answer.lead
    assert len(answer.warnings) == len(warnings)
    for line, words in zip(answer.warnings, warnings, strict=True):
        assert words in line


def test_answer_ranking_refuses_a_unit_that_says_nothing():
    judged = read(votes_of(judge=3, ranking=12))
    with data_error("there are 3 judges; expected 7 or more, as the unit"):
        answer_ranking(judged, ["soccer"], unit="judge")
    with data_error("no unit 'segment'; expected judge, ranking, comparison"):
        answer_ranking(judged, ["soccer"], unit="segment")
    with data_error("no unit 'comparison'; expected worker, document, segment"):
        ranked(blocks(), unit="comparison")


@pytest.mark.parametrize(
    ("documents", "workers", "units", "these"),
    [
        (40, 12, ["worker", "document"], ""),
        (60, 8, ["worker", "document"], ""),
        (40, 6, ["document"], "For these 6 annotators: "),
        (5, 12, ["segment"], "For these 5 annotators and these 5 documents: "),
        (5, 1, ["segment"], "For this one annotator and these 5 documents: "),
    ],
)
def test_answer_ranking_leaves_out_workers_and_documents(
    documents, workers, units, these
):
    answer = ranked(blocks(documents=documents, workers=workers))
    assert answer.facts["units"] == units
    assert answer.sentence.startswith(f"{these}Neither of the 2 systems")
    assert len(answer.warnings) == these.count("th")
    few = {8: "8 annotators"}.get(workers, "10 segments" if documents == 5 else "")
    ask = f" {few} can hardly tell systems apart: ask 12 or more."
    assert answer.sentence.endswith(ask if few else "but that may be chance.")


def test_answer_ranking_joins_references_and_warns_of_human_names():
    names = {"simulated-A": "wmt23.refA", "simulated-B": "HUMAN-B"}
    votes = pd.read_csv(EXAMPLES / "pairwise.csv").replace(names)
    scores = pd.read_csv(EXAMPLES / "assessments.csv").head(800)
    scores = scores.replace({"simulated-A.1": "wmt23.refA", "simulated-B.2": "HUMAN-B"})
    named = ["wmt23.refA", "HUMAN-B"]
    judged = read(votes)
    (warning,) = [
        line
        for line in answer_ranking(judged, ["soccer"]).warnings
        if "looks like a human" in line
    ]
    assert warning.startswith("HUMAN-B, wmt23.refA: ranked, though")
    answer = answer_ranking(judged, ["soccer"], reference="")
    assert "looks like a human" not in str(answer.warnings)
    for frame, method in [(votes, "soccer"), (scores, "raw-score")]:
        answer = ranked(frame, [method], reference=named)
        assert "looks like a human" not in str(answer.warnings)
        alone = read(frame[~frame.isin(named).any(axis=1)].reset_index(drop=True))
        alone = wmtlib.rank(alone, method).table
        for column in ("system", "score"):
            assert [*answer.tables["rankings"][column]] == [*alone[column]]


def esa(tmp_path, number):
    """Sixty sentences by three systems, s2 best; `number` gives the segment's."""
    rng = np.random.default_rng(1)
    rows = [
        (
            f"w{k % 4}",
            f"s{s}",
            number(k, s),
            40 + 9 * s + rng.integers(20),
            "[]",
            f"Sentence {k}.",
        )
        for k in range(60)
        for s in range(3)
    ]
    names = ["worker", "system", "segment", "score", "error_spans", "source"]
    pd.DataFrame(rows, columns=names).to_csv(path := tmp_path / "esa.csv", index=False)
    return path


def test_answer_ranking_pairs_scores_by_the_texts_of_segments(tmp_path):
    path = esa(tmp_path, lambda k, s: f"{s}-{k}")
    judged = read(path, column={"segment": "source"}, ignore="segment")
    by_text = answer_ranking(judged, ["raw-score"])
    assert by_text.facts["units"] == ["segment"]
    assert len(by_text.tables["clusters"]) == 3
    assert "segment = 'source'" in by_text.about["Columns"]
    score = judged.frame.pivot(index="segment", columns="system", values="score")
    apart = answer_ranking(read(path, ignore="source"), ["raw-score"])
    pairs = zip(
        *[a.tables["pairs"].itertuples() for a in (by_text, apart)], strict=True
    )
    for pair, single in pairs:
        above, below = score[pair.above], score[pair.below]
        assert pair.p == pytest.approx(stats.ttest_rel(above, below).pvalue)
        # Of segments of their own the variances of the two add up, but for the (G - 1)
        # / G of 180 segments.
        error = np.hypot(stats.sem(above), stats.sem(below))
        assert single.error == pytest.approx(error * (179 / 180 * 60 / 59) ** 0.5)


def test_answer_ranking_ranks_scores_without_workers_by_raw_score(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(
        "system,segment,score\nx,1,60\ny,1,50\nx,2,70\ny,2,80\nx,3,9\ny,3,1\n"
    )
    judged = read(path)
    answer = answer_ranking(judged)
    assert answer.facts["methods"] == ["raw-score"] and judged.units == ("segment",)
    assert answer.tables["rankings"]["score"].tolist() == pytest.approx(
        [139 / 3, 131 / 3]
    )
    assert any("add column={'judge': 'NAME'}" in w for w in answer.warnings)
    with data_error("names no workers; z-score needs them"):
        answer_ranking(judged, ["z-score"])


def test_answer_ranking_puts_bradley_terry_first_for_few_comparisons():
    votes = pd.DataFrame({"a": [*"xxy"], "b": [*"yzz"], "outcome": "a"})
    few, many = (ranked(pd.concat([votes] * k)) for k in (19, 20))
    assert few.facts["methods"] == ["bradley-terry", "expected-wins", "mfas"]
    assert many.facts["methods"] == ["expected-wins", "bradley-terry", "mfas"]
    assert "a pair was compared 19 times on average" in str(few.notes)
    assert "expected-wins is the usual method here: a pair" in str(many.notes)
    named = ranked(votes, "expected-wins")
    assert "the usual method" not in str(named.notes)


def star(**won):
    """300 votes of each system against a baseline, by 20 judges."""
    rows = [
        ("base", name, "ab"[k < number], k % 20)
        for name, number in won.items()
        for k in range(300)
    ]
    return pd.DataFrame(rows, columns=["a", "b", "outcome", "judge"])


def test_answer_ranking_puts_bradley_terry_first_where_opponents_differ():
    votes = star(tuned=180, m1=60, m2=60, m3=54)
    answer = ranked(votes)
    assert answer.facts["methods"] == ["bradley-terry", "expected-wins", "mfas"]
    assert answer.tables["ranking"]["system"][0] == "tuned"
    assert "a pair was compared 0 times on average" in str(answer.notes)
    # A share of wins puts the baseline first: it is that against four weak systems.
    assert wmtlib.rank(votes, "expected-wins").order[0] == "base"
    assert wmtlib.rank(votes).order[0] == "tuned"
    # A vote for each pair that never met is no fair share of opponents.
    others = itertools.combinations(["tuned", "m1", "m2", "m3"], 2)
    single = pd.DataFrame(others, columns=["a", "b"]).assign(outcome="a", judge=0)
    answer = ranked(pd.concat([votes, single]))
    assert answer.facts["methods"][0] == "bradley-terry"
    assert "a pair was compared 1.66 times on average" in str(answer.notes)
    # With 20 comparisons and more of every pair shares of wins lead.
    answer = ranked(pd.concat([votes, *20 * [single]]))
    assert answer.facts["methods"][0] == "expected-wins"


def test_answer_ranking_knows_a_system_that_never_lost_from_so_many_votes():
    rows = [
        (a, b, "aab"[k % 3])
        for a, b in itertools.combinations("pqrs", 2)
        for k in range(60)
    ]
    rows += [("new", "s", "a")] * 12
    votes = pd.DataFrame(rows, columns=["a", "b", "outcome"])
    for method in ("bradley-terry", "expected-wins"):
        answer = ranked(votes, method)
        table = answer.tables["ranking"].set_index("system")
        assert table.index[0] == "new"
        new = table.loc["new"]
        assert new["score_low"] < new["score"] <= new["score_high"]
        assert table[["score_low", "score_high"]].notna().all(axis=None)
        if method == "bradley-terry":  # who were never met may be as good
            assert table["rank_low"].tolist()[:3] == [1, 1, 1]
            assert answer.tables["pairs"]["apart"].tolist()[:4] == [0, 0, 0, 1]
    # Its share is 1; Wilson's interval of as many votes as judges.
    n, t = 12, stats.t.ppf(0.975, 11)
    assert new["score_low"] == pytest.approx(n / (n + t**2))
    assert new["score_high"] == new["score"] == 1


def test_answer_ranking_names_loosely_linked_groups():
    rows = [
        (a, b, "ab"[k % 2])
        for names in ("pqr", "xyz")
        for a, b in itertools.combinations(names, 2)
        for k in range(30)
    ]
    for number, said in ((9, True), (10, False)):
        linked = [*rows, *[("p", "x", "a")] * (number - 1), ("q", "x", "b")]
        votes = pd.DataFrame(linked, columns=["a", "b", "outcome"])
        loose = [line for line in ranked(votes).warnings if "link some" in line]
        assert len(loose) == said
        assert all(f"('x', 'y', 'z': {number})" in line for line in loose)


def test_answer_ranking_prints_the_advantage_of_the_side():
    votes = example("pairwise")
    answer = answer_ranking(votes, ["bradley-terry-side"])
    side = answer.facts["side"], answer.facts["side_low"], answer.facts["side_high"]
    assert side[1] < side[0] < side[2] and 0 < answer.facts["side_p"] < 1
    assert f"{side[0]:.2f} log-odds (95 % interval {side[1]:.2f} to" in answer.lead
    assert "shown first has" not in answer_ranking(votes).lead


def test_answer_judges_rates_nobody_who_shares_nothing():
    scores = pd.DataFrame(
        {
            "worker": [*"vw"] * 60,
            "segment": [k // 4 * 2 + k % 2 for k in range(120)],
            "system": [*"xxyy"] * 30,
            "score": [k * 37 % 101 for k in range(120)],
        }
    )
    answer = answer_judges(read(scores))
    assert answer.sentence.endswith(
        "of the 2 judges: they share no segment of the same system."
    )


@pytest.mark.parametrize(("errors", "near"), [(1.9, True), (2.1, False)])
def test_answer_models_names_models_within_two_standard_errors(
    monkeypatch, errors, near
):
    table = pd.DataFrame(
        {
            "model": ["bradley-terry", "bojar"],
            "perplexity": [2.0, 2.1],
            "error": 0.01,
            "difference": [0.0, 0.05 * errors],
            "difference_error": [0.0, 0.05],
        }
    )
    found = SimpleNamespace(table=table, note="")
    monkeypatch.setattr(cross_validation, "compare", lambda *_, **__: found)
    answer = answer_models(example("pairwise"))
    names = "bradley-terry, bojar" if near else "bradley-terry"
    assert f"standard errors: {names}. To rank by one, and not by" in answer.lead
    assert answer.lead.endswith("--method bradley-terry.")
    start = "2 of 2 models" if near else "bradley-terry predicts"
    assert answer.sentence.startswith(start)


@pytest.mark.parametrize(
    ("near", "choice"),
    [
        (["adjusted-uniform"], "None of them ranks systems: keep expected-wins."),
        (["uniform", "expected-wins"], "Choose any of them that ranks;"),
    ],
)
def test_answer_models_names_what_can_rank(monkeypatch, near, choice):
    numbers = {"perplexity": 2.0, "error": 0.01, "difference": 0, "difference_error": 0}
    table = pd.DataFrame({"model": near}).assign(**numbers)
    found = SimpleNamespace(table=table, note="")
    monkeypatch.setattr(cross_validation, "compare", lambda *_, **__: found)
    answer = answer_models(example("pairwise"))
    assert choice in answer.lead
    assert answer.sentence.endswith("than knowing nothing.") == ("uniform" in near)


def test_clusters_have_no_line_between_groups_of_workers():
    rng = np.random.default_rng(5)
    rows = [
        (worker, system, segment, level + rng.normal(scale=2))
        for worker, systems in (("v", "xy"), ("w", "pq"))
        for system, level in zip(systems, (80, 20), strict=True)
        for segment in range(40)
    ]
    scores = pd.DataFrame(rows, columns=["worker", "system", "segment", "score"])
    for unit in (None, "segment"):
        apart = ranked(scores, "z-score", unit=unit)
        assert apart.tables["ranking"]["cluster"].tolist() == [1] * 4
        pairs = apart.tables["pairs"].set_index(["above", "below"])
        within = [("x", "y"), ("p", "q")]
        found = [pair if pair in pairs.index else pair[::-1] for pair in within]
        assert pairs.loc[found, "apart"].all()
        across = pairs.drop(found)
        assert across[["p", "corrected"]].isna().all(axis=None)
        assert not across["apart"].any() and across["error"].notna().all()
        raw = ranked(scores, "raw-score", unit=unit)
        assert raw.tables["ranking"]["cluster"].max() > 1


def test_answer_judges_leaves_out_a_named_reference():
    votes = example("pairwise").comparisons
    with_it = votes.assign(system_2="_ref", preference=2)
    both = read(pd.concat([votes, with_it]))
    answer = answer_judges(both, reference="_ref")
    alone = answer_judges(read(votes))
    assert_frame_equal(answer.tables["agreement"], alone.tables["agreement"])


def test_answer_ranking_names_thin_systems_and_leaves_them_out():
    pairs = [("x", "y"), ("y", "z"), ("x", "z")]
    rows = [(a, b, "aab"[k % 3]) for a, b in pairs for k in range(40)]
    votes = pd.DataFrame([*rows, ("new", "x", "a")], columns=["a", "b", "outcome"])
    scores = pd.read_csv(EXAMPLES / "assessments.csv").head(800)
    joint = scores.iloc[[500, 501, 0]]
    joint = joint.assign(system=["new", "new", "new+" + scores["system"][0]])
    scores = pd.concat([scores.drop(index=0), joint.tail(1), joint.head(2)])
    for frame, method in [(votes, "expected-wins"), (scores, "raw-score")]:
        answer = answer_ranking(read(frame, joint="split"), [method])
        kept = frame.replace("^new[+]", "", regex=True)
        alone = ranked(kept[~kept.eq("new").any(axis=1)], [method])
        assert_frame_equal(answer.tables["ranking"], alone.tables["ranking"])
        (warning,) = [line for line in answer.warnings if "too few" in line]
        assert "'new (" in warning
    everyone = ranked(votes, "expected-wins", minimum=1).tables["ranking"]
    assert "new" in set(everyone["system"])
    alone = ranked(votes.tail(1))
    assert alone.tables["clusters"]["systems"].tolist() == [["new", "x"]]
    assert alone.facts["units"] is None and "pairs" not in alone.tables
    assert "There are no lines: no two systems have enough judgements." in alone.lead
    assert alone.sentence.endswith("of 2 systems; how sure that is is not known.")
    shown = show.readable(alone.views["Ranking by bradley-terry"])
    assert [*shown] == ["rank", "system", "score", "n", "cluster"]


@pytest.mark.realdata
def test_answer_ranking_draws_official_lines_alone_of_wmt16_german_english(mirror):
    """Officially 1 | 2-7 | 8 | 9 | 10, by resamples of single comparisons; judges and
    segments tell less apart.
    """
    judged = read_plainly(mirror / "cfedermann/wmt16/data/wmt16.deu-eng.csv")
    answer = answer_ranking(judged, ["bradley-terry"])
    assert answer.facts["units"] == ["judge", "segment"]
    assert answer.tables["clusters"]["rank_high"].tolist() == [8, 10]


# --- stability, compare, judges -------------------------------------------------------


STAR = [("x", "base", "a")] * 30 + [("y", "base", "b")] * 30


@pytest.mark.parametrize(
    "votes, expected",
    [
        (STAR, "a single system links some of the others ('base'): without it"),
        ([*STAR, ("x", "y", "a")], ""),
        (
            [("x", "y", "a"), ("y", "z", "a"), ("v", "w", "a"), ("w", "u", "b")],
            "systems fall into 2 groups",
        ),
    ],
)
def test_answer_stability_names_systems_that_alone_link_others(votes, expected):
    table = pd.DataFrame(votes, columns=["a", "b", "outcome"])
    warned = answer_stability(read(table), ["bradley-terry"]).warnings
    found = [line for line in warned if getattr(line, "code", "") == "disconnected"]
    assert len(found) == bool(expected)
    assert "".join(found).startswith(expected)


def test_answer_ranking_says_why_bradley_terry_comes_first():
    table = pd.DataFrame(STAR, columns=["a", "b", "outcome"])
    allowed = "it allows for the opponents that a system met"
    assert allowed in answer_ranking(read(table)).lead
    named = answer_ranking(read(table), ["bradley-terry"])
    assert allowed not in named.lead


@pytest.mark.parametrize("kind", KINDS)
def test_answer_stability_is_that_of_removals(kind):
    judged = example(kind)
    name = "z-score" if kind == "assessments" else "soccer"
    direct = removals.stability(data_of(judged), name)
    answer = answer_stability(judged, [name])
    for caption, table in (
        ("Left out", direct.table),
        ("Fragile systems", direct.systems),
    ):
        shown = answer.views[caption]
        assert set(shown.pop("method")) == {name}
        assert_frame_equal(shown, table)
    changed = direct.table.loc[direct.table["changed"], "removed"].tolist()
    assert answer.sentence == sentences.of_stability(changed, len(direct.table))
    assert bool(answer.lead) == bool(changed)


def test_answer_models_leaves_out_a_named_reference(tmp_path):
    judged = example("pairwise")
    name = "simulated-A"
    kept = judged.counted_by(("segment", "judge")).query(
        "system_1 != @name and system_2 != @name"
    )
    direct = cross_validation.compare(kept, ["wmt-official"], unit="judge", folds=2)
    answer = answer_models(judged, ["wmt-official"], reference=name, folds=2)
    assert_frame_equal(answer.tables["models"], direct.table)
    path = tmp_path / "two.csv"
    path.write_text("a,b,outcome\nx,y,a\ny,x,a\n")
    with data_error("no comparisons without 'x'"):
        answer_models(read(path), reference="x")


@pytest.mark.parametrize(
    "columns, folds, unit, warning",
    [
        ([], 3, "comparison", "the file tells no judges, rankings or segments apart"),
        (["segment"], 3, "segment", ""),
        (["ranking", "segment"], 3, "ranking", ""),
        (["judge", "ranking", "segment"], 3, "judge", ""),
        (["judge", "segment"], 3, "judge", ""),
        # Three judges cannot be dealt to five folds.
        (
            ["judge", "ranking"],
            5,
            "ranking",
            "others of the same judge were trained on",
        ),
    ],
)
def test_answer_models_holds_out_the_largest_unit(columns, folds, unit, warning):
    numbers = {"judge": 3, "ranking": 6, "segment": 12}
    judged = read(votes_of(**{name: numbers[name] for name in columns}))
    answer = answer_models(judged, ["uniform"], folds=folds)
    assert f"|unit={unit}|" in answer.about["Signature"]
    held_out = [line for line in answer.warnings if "held out" in line]
    assert len(held_out) == bool(warning) and warning in "".join(held_out)


def test_answer_ranking_falls_back_to_raw_scores_without_z_scores():
    rows = [(f"w{k}", "xyz"[k % 3], f"s{k // 3}", 40 + k % 3 * 10) for k in range(60)]
    columns = ["worker", "system", "segment", "score"]
    frame = pd.DataFrame(rows, columns=columns)
    answer = ranked(frame)
    assert answer.facts["methods"] == ["raw-score"]
    assert answer.tables["ranking"]["score"].tolist() == [60, 50, 40]
    assert answer.tables["ranking"]["cluster"].tolist() == [1, 2, 3]
    fault = "z-score is left out: system 'x' is left without z-scores; expected"
    assert any(warning.startswith(fault) for warning in answer.warnings)
    assert not any("groups without" in warning for warning in answer.warnings)
    for wanted in ("z-score", ["z-score", "raw-score"]):
        with data_error("to rank by raw scores, add method='raw-score'"):
            ranked(frame, wanted)


def test_answer_ranking_warns_of_scores_without_z_scores_of_thin_systems():
    rows = [
        ("w", s, f"s{k}", 40 + k + 10 * (s == "x")) for s in "xy" for k in range(12)
    ]
    rows += [(f"once{k}", "z", f"s{k}", 99) for k in range(12)]
    columns = ["worker", "system", "segment", "score"]
    answer = ranked(pd.DataFrame(rows, columns=columns))
    assert [*answer.tables["ranking"]["system"]] == ["x", "y"]
    said = "12 of 36 scores have no z-score and do not count: their 12 of 13 workers"
    assert any(said in warning for warning in answer.warnings)
    assert any("'z (0)'" in warning for warning in answer.warnings)


def test_answer_ranking_speaks_of_elo_only_if_it_was_asked_for():
    ties = pd.DataFrame({"a": "x", "b": "y", "outcome": ["tie"] * 40})
    assert "Elo" not in ranked(ties).lead
    rated = ranked(example("pairwise").comparisons, elo=True)
    assert "no log strengths for Elo" in rated.lead
