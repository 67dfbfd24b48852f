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
    assert_frame_equal(shown[[*sets.table]], sets.table)
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


def votes_of(**numbers):
    """Votes between two systems by so many judges and, or, rankings."""
    votes = pd.DataFrame({"a": "x", "b": "y", "outcome": [*"aabaababbaabaaabababaabb"]})
    return votes.assign(
        **{name: np.arange(24) % number for name, number in numbers.items()}
    )


BY_ITSELF = "ach judgement taken by itself: "


@pytest.mark.parametrize(
    ("numbers", "unit", "units", "said", "warned"),
    [
        ({"judge": 8, "segment": 12}, None, ["judge", "segment"], "Neither", []),
        ({"judge": 8, "segment": 5}, None, ["judge"], "For these 5 segments: Neither",
         ["only 5 segments: what is said is about these"]),
        ({"judge": 6}, None, [], f"For these 6 judges, e{BY_ITSELF}Neither",
         ["only 6 judges: ", "what was judged"]),
        ({"judge": 7}, None, ["judge"], "Neither", ["what was judged"]),
        ({"judge": 8, "segment": 12}, "comparison", [], f"E{BY_ITSELF}Neither",
         ["by comparisons alone: ranks and lines do not allow for other judges or"
          " segments"]),
    ],
)  # fmt: skip
def test_answer_ranking_leaves_out_the_largest_units_in_turn(
    numbers, unit, units, said, warned
):
    answer = answer_ranking(read(votes_of(**numbers)), ["soccer"], unit=unit)
    assert answer.facts["units"] == units
    assert answer.sentence.startswith(f"{said} of the 2 systems is clearly better: x")
    each = " and ".join(f"each {name}" for name in units) or "each judgement"
    assert f"How sure: {each} was left out in turn; ranks: those" in answer.lead
    assert len(answer.warnings) == len(warned)
    assert all(map(str.__contains__, answer.warnings, warned))


def test_answer_ranking_refuses_a_unit_that_says_nothing():
    judged = read(votes_of(judge=3, ranking=12))
    with data_error("^DataFrame: there are 3 judges; expected 7 or more, as the unit"):
        answer_ranking(judged, ["soccer"], unit="judge")
    with data_error("no unit 'segment'; expected judge, ranking, comparison"):
        answer_ranking(judged, ["soccer"], unit="segment")


def test_answer_ranking_warns_of_human_names():
    names = {"simulated-A": "wmt23.refA", "simulated-B": "HUMAN-B"}
    judged = read(pd.read_csv(EXAMPLES / "pairwise.csv").replace(names))
    said = {}
    for reference in (None, "", "HUMAN-B", [*names.values()]):
        answer = answer_ranking(judged, ["soccer"], reference=reference)
        said[str(reference)] = [w for w in answer.warnings if w.code == "human_ranked"]
    assert said[""] == said[str([*names.values()])] == []
    assert said["None"][0].startswith("HUMAN-B, wmt23.refA: ranked, though")
    option = "--reference HUMAN-B --reference wmt23.refA"
    assert said["HUMAN-B"][0].command_line.endswith(f"to leave it out, add {option}")


@pytest.mark.parametrize("kind", KINDS)
def test_answer_ranking_takes_several_references_for_one(kind):
    frame = example(kind).frame
    frame = frame[frame["count"] == 1] if "count" in frame else frame.head(900)
    names = dict.fromkeys([*example(kind).systems[:2]], "the two")
    sides = [name for name in ("system", "system_1", "system_2") if name in frame]
    joined = frame.assign(**frame[sides].astype(str).replace(names))
    if kind != "assessments":
        joined = joined[joined["system_1"] != joined["system_2"]]
    methods = ["raw-score", "z-score"] if kind == "assessments" else ["wmt-official"]
    answer = ranked(frame, methods, reference=[*names])
    expected = ranked(joined, methods, reference="the two")
    for key in ("ranking", "rankings", "pairs"):
        assert_frame_equal(answer.tables[key], expected.tables[key])
    assert answer.facts["reference"] == " & ".join(names)


def test_answer_ranking_puts_bradley_terry_first_for_few_comparisons():
    votes = pd.DataFrame({"a": [*"xxy"], "b": [*"yzz"], "outcome": "a"})
    few, many = (ranked(pd.concat([votes] * k)) for k in (19, 20))
    assert few.facts["methods"] == ["bradley-terry", "expected-wins", "mfas"]
    assert many.facts["methods"] == ["expected-wins", "bradley-terry", "mfas"]
    assert "a pair was compared 19 times on average" in str(few.notes)
    assert "expected-wins is the usual method here: a pair" in str(many.notes)
    allowed = "it allows for the opponents that a system met"
    assert allowed in few.lead and allowed not in many.lead
    named = ranked(votes, "bradley-terry")
    assert "the usual method" not in str(named.notes) and allowed not in named.lead


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


def test_answer_judges_names_those_whose_level_changes():
    rows = [(k, judge) for judge in "vw" for k in range(96)]
    scores = pd.DataFrame(rows, columns=["segment", "judge"])
    scores["document"] = scores["segment"] // 4
    scores["hit"] = scores["judge"] + (scores["document"] % 2).astype(str)
    scores["system"] = np.where(scores["document"] // 2 % 2, "x", "y")
    change = 20 * (scores["hit"] == "v1")
    scores["score"] = 40 + 7 * scores["segment"] % 11 + change
    answer = answer_judges(read(scores))
    assert "from HIT to HIT: 1 of 2 judges (chance gives one or more in 5 of" in (
        answer.sentence
    )
    view = answer.views["Judges whose level changes from HIT to HIT"]
    assert view["judge"].tolist() == ["worker_0001"] and (view["level_p"] < 0.05).all()
    assert answer.with_identifiers().views[
        "Judges whose level changes from HIT to HIT"
    ]["judge"].tolist() == ["v"]
    assert answer.lead.startswith("What to do: look first at the HITs of a judge")
    calm = answer_judges(read(scores.assign(score=scores["score"] - change)))
    assert "HIT: none of 2 judges" in calm.sentence and len(calm.views) == 2


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
    found = SimpleNamespace(table=table, note="", unit="judge")
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
    found = SimpleNamespace(table=table, note="", unit="judge")
    monkeypatch.setattr(cross_validation, "compare", lambda *_, **__: found)
    answer = answer_models(example("pairwise"))
    assert choice in answer.lead
    assert answer.sentence.endswith("than knowing nothing.") == ("uniform" in near)


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


def test_answer_models_leaves_out_named_references():
    judged = example("pairwise")
    names = ["simulated-A", "simulated-B"]
    kept = judged.comparisons.query("system_1 not in @names and system_2 not in @names")
    direct = cross_validation.compare(kept, ["wmt-official"], unit="judge")
    answer = answer_models(judged, ["wmt-official"], reference=names)
    assert_frame_equal(answer.tables["models"], direct.table)
    votes = pd.DataFrame({"a": [*"xy"], "b": [*"yx"], "outcome": "a"})
    with data_error("no comparisons without 'x'"):
        answer_models(read(votes), reference="x")


@pytest.mark.parametrize(
    "columns, asked, unit, warned",
    [
        ([], None, "comparison", "the file tells no judges, rankings or segments"),
        (["segment"], None, "segment", ""),
        (["judge", "ranking", "segment"], None, "ranking", "others of the same judge"),
        (["ranking", "segment"], "segment", "segment", ""),
    ],
)
def test_answer_models_holds_out_the_largest_unit(columns, asked, unit, warned):
    numbers = {"judge": 3, "ranking": 6, "segment": 12}  # for five folds
    judged = read(votes_of(**{name: numbers[name] for name in columns}))
    answer = answer_models(judged, ["uniform"], unit=asked)
    assert answer.facts["unit"] == unit
    held_out = [line for line in answer.warnings if "held out" in line]
    assert len(held_out) == bool(warned) and warned in "".join(held_out)
    with data_error("^DataFrame: no unit 'hit'; expected comparison"):
        answer_models(judged, ["uniform"], unit="hit")


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


def test_answer_ranking_by_elo_is_log_strengths_on_another_scale():
    judged = example("pairwise")
    plain = answer_ranking(judged, "bradley-terry").tables
    for elo, origin in ((True, None), (("simulated-C", 1500.0), "simulated-C")):
        answer = answer_ranking(judged, elo=elo)
        assert answer.facts["methods"][0] == "bradley-terry"
        table = answer.tables["ranking"].set_index("system")
        score = plain["ranking"].set_index("system")["score"]
        zero = score.mean() if origin is None else score[origin]
        base = 1000 if origin is None else 1500
        expected = base + 400 / np.log(10) * (score - zero)
        assert table["score"].tolist() == pytest.approx(expected.tolist())
        for column in ("rank_low", "rank_high", "cluster", "n"):
            assert [*table[column]] == [*plain["ranking"][column]]
        for column in ("difference", "error"):
            points = 400 / np.log(10) * plain["pairs"][column]
            assert answer.tables["pairs"][column].tolist() == pytest.approx([*points])
    # To the anchor intervals are of differences; it has none itself.
    assert table.loc["simulated-C", ["score_low", "score_high"]].tolist() == [1500] * 2
    with data_error("no system 'C'; expected simulated-B, simulated-C, "):
        answer_ranking(judged, elo=("C", 1000.0))
    with data_error("mfas has no strengths for an Elo scale"):
        answer_ranking(judged, "mfas", elo=True)


@pytest.mark.parametrize("scale", [(0, 100), (100, 0)])
def test_answer_ranking_has_mean_points_beside_z_scores(scale):
    frame = pd.read_csv(EXAMPLES / "assessments.csv").head(800)
    judged = read_plainly(frame, scale=scale, revisions="all")
    answer = answer_ranking(judged)
    raw = wmtlib.rank(judged, "raw-score").scores
    table = answer.tables["ranking"].set_index("system")
    sign = -1 if scale == (100, 0) else 1
    for name in table.index:
        assert table.loc[name, "points"] == sign * raw[name]
    (intervals,) = answer.pictures
    first = f"{table.index[0]} ({table['points'].iloc[0]:.1f})"
    assert intervals.drawn[0]["system"][0] == first
    assert "points" in answer.main_view
    # Of raw scores they say no more, unless low ones are the best; of votes nothing.
    shown = answer_ranking(judged, "raw-score").main_view
    assert ("points" in shown) == (sign == -1)
    votes = answer_ranking(example("pairwise"))
    assert votes.tables["ranking"]["points"].isna().all()
    assert "points" not in votes.main_view


def test_analyse_takes_counts_as_they_are():
    counts = wmtlib.load_counts("wmt12", "cs-en")
    answer = wmtlib.analyse(counts)
    named = wmtlib.analyse("wmt12:cs-en")
    assert answer.tables["ranking"].equals(named.tables["ranking"])
    assert answer.sentence == named.sentence
    with data_error("scale: is for files and frames"):
        wmtlib.analyse(counts, scale=(0, 100))
