"""Answers say what the engines find; what cannot be asked is refused in one line."""

import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import wmtlib
from examples import EXAMPLES, KINDS, data_error, example
from wmtlib import cross_validation, methods, resampling, stability
from wmtlib.assessments import encode
from wmtlib.cluster_lines import better_of, cluster_table, significance
from wmtlib.files.read import read as read_plainly
from wmtlib.report import analysis, sampling_units, sentences, show
from wmtlib.report.answers import (
    answer_judges,
    answer_models,
    answer_ranking,
    answer_stability,
)


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch):
    """A tenth of the usual number: what is said of resamples is the same."""
    monkeypatch.setattr(analysis, "RESAMPLES", 100)


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
def test_answer_ranking_equals_rank_bootstrap_and_significance(kind):
    judged = example(kind)
    answer = answer_ranking(judged, bootstrap=30, seed=5)
    assessed = kind == "assessments"
    data = data_of(judged)
    names = methods.USUAL_METHODS["assessments" if assessed else "counts"]
    every = answer.tables["rankings"]
    for name in names:
        alone = methods.rank(data, name)
        found = every[every["method"] == name].reset_index(drop=True)
        for column in ("system", "rank", "score"):
            assert found[column].equals(alone.table[column])
    by = ("document", "worker") if assessed else ("judge",)
    unit = answer.facts["unit"]
    drawn_from = data if assessed else judged.counted_by(by)
    direct = resampling.bootstrap(
        drawn_from, names[0], unit=unit, n_resamples=30, seed=5
    )
    assert_frame_equal(answer.tables["intervals"], direct.table)
    expected = [*judged.warnings, *direct.warnings]
    expected += [] if assessed else sampling_units.warnings_for(judged.units, "judge")
    assert answer.warnings == expected and unit in by
    shown = answer.tables["ranking"]
    assert {"system", "rank", "rank_low", "rank_high", "cluster", "wins"} <= {*shown}
    if assessed:
        table = significance(data, [*shown["system"]], test="unit", units=by)
        assert_frame_equal(answer.tables["pairs"], table)
        better = better_of(table, [*shown["system"]])
        lines = cluster_table(better, "footnote-4")
        assert shown["cluster"].tolist() == lines["cluster"].tolist()
    else:
        low = direct.table["rank_low"]
        high = direct.table["rank_high"]
        for k in np.flatnonzero(np.diff(shown["cluster"])):
            assert high[: k + 1].max() < low[k + 1 :].min()  # no range crosses a line


def test_answer_ranking_gives_the_last_reason_if_no_method_applies(tmp_path):
    path = tmp_path / "ties.csv"
    path.write_text("a,b,outcome\nx,y,tie\nx,y,tie\n")
    with data_error("no comparison that this score counts"):
        ranked(path, ["bojar"])
    answer = ranked(path)
    assert any(w.startswith("expected-wins is left out: ") for w in answer.warnings)
    level = "No system is better than another here: x and y share the first place."
    assert answer.sentence == level


def test_answer_ranking_chooses_sign_test_of_mfas_and_signed_rank_of_esa(tmp_path):
    answer = answer_ranking(example("rankings"), ["mfas"])
    assert answer.facts["clusters"] == "sign-test"
    rows = [("w", s, str(k), 50 + k, "[]") for s in "AB" for k in range(3)]
    names = ["worker", "system", "segment", "score", "error_spans"]
    pd.DataFrame(rows, columns=names).to_csv(path := tmp_path / "esa.csv", index=False)
    assert "|clusters=signed-rank|" in ranked(path).about["Signature"]


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


def test_answer_ranking_tests_assessments_by_document():
    answer = ranked(blocks(shift=20))
    assert answer.facts["clusters"] == "unit"
    assert answer.facts["tested_by"] == ["document"]
    assert answer.tables["clusters"]["systems"].tolist() == [["B"], ["A"]]
    # Every document says so: sign flips give 2 / 2^12, t of unequal sums more.
    assert 2 / 2**12 < answer.tables["pairs"]["p"][0] < 0.01
    assert "tested by documents (p < 0.05)" in answer.lead
    assert "independent" not in str(answer.warnings)


def test_answer_ranking_warns_of_tests_by_single_segments():
    for options in ({"unit": "segment"}, {"clusters": "rank-sum"}):
        answer = ranked(blocks(), **options)
        assert answer.facts["clusters"] == "rank-sum"
        assert answer.facts["tested_by"] == []
        (told,) = [w for w in answer.warnings if "segments of one document" in w]
        assert "(design effect " in told
    answer = ranked(blocks(documents=5))
    assert answer.facts["clusters"] == "rank-sum"
    assert any(line.startswith("fewer than 7 documents") for line in answer.warnings)
    with data_error("there is no test by unit"):
        ranked(blocks(documents=5), clusters="unit")


def test_answer_ranking_warns_of_few_workers_and_untested_pairs():
    few = ranked(blocks(documents=40, workers=6))
    assert few.facts["tested_by"] == ["document"]
    assert any(
        line.startswith("only 6 workers: lines and ranges do not say")
        for line in few.warnings
    )
    both = ranked(blocks(documents=60, workers=7))
    assert both.facts["tested_by"] == ["document", "worker"]
    assert "tested by documents and workers" in both.lead
    alone = ranked(blocks(documents=60, workers=7), unit="document")
    assert alone.facts["tested_by"] == ["document"]
    assert "do not say what other" not in str(alone.warnings)
    frame = blocks(documents=30)
    third = frame[frame["system"] == "A"].head(10).assign(system="C")
    answer = ranked(pd.concat([frame, third]), unit="document", minimum=1)
    few = (
        "2 of 3 pairs of systems share fewer than 7 documents that differ, and are not"
    )
    assert few + " tested" in answer.warnings
    assert answer.tables["pairs"]["p"].isna().sum() == 2


def test_answer_ranking_tests_raw_scores_raw():
    # One worker's scale is a hundred times as wide as another's.
    frame = blocks(documents=40, workers=2, shift=4)
    narrow = frame["worker"] == "w1"
    frame["score"] = frame["score"].where(~narrow, 50 + frame["score"] / 100)
    p = [ranked(frame, [m]).tables["pairs"]["p"][0] for m in ("raw-score", "z-score")]
    assert p[0] != pytest.approx(p[1], rel=0.1)


def test_answer_ranking_names_pairs_that_the_test_reverses():
    # A is better in every document that both have; B has easy documents of its own.
    frame = blocks(documents=20)
    score = 50.0 + frame.index % 7 + 5 * (frame["system"] == "A")
    more = frame[frame["system"] == "B"].assign(score=99.0)
    more["document"] = more["segment"] = "x" + more["segment"]
    frame = pd.concat([frame.assign(score=score), more])
    answer = ranked(frame, ["raw-score"])
    shown = answer.tables["reversed_pairs"]
    assert shown[["above", "below"]].to_numpy().tolist() == [["B", "A"]]
    assert "Pairs that a test of the two alone reverses" in answer.views
    answer = ranked(frame[frame["score"] < 99], ["raw-score"])
    assert not len(answer.tables["reversed_pairs"])
    assert "Pairs that a test of the two alone reverses" not in answer.views


def test_answer_ranking_adds_the_lines_of_a_rule():
    answer = ranked(blocks(shift=20), rule="wmt17")
    assert answer.tables["rule"]["system"].tolist() == ["B", "A"]
    assert answer.facts["rule"] == "wmt17" and answer.facts["tested_by"] == ["document"]
    votes = answer_ranking(example("pairwise"), ["soccer"], rule="wmt16")
    table = votes.tables["rule"]
    assert [*table] == ["system", "rank", "rank_low", "rank_high", "cluster"]
    with data_error("no rule 'wmt17' for comparisons; there is wmt16"):
        answer_ranking(example("pairwise"), ["soccer"], rule="wmt17")


def votes_of(**numbers):
    """Votes between two systems by so many judges and, or, rankings."""
    votes = pd.DataFrame({"a": "x", "b": "y", "outcome": ["a", "a", "b"] * 8})
    return votes.assign(
        **{name: np.arange(24) % number for name, number in numbers.items()}
    )


@pytest.mark.parametrize(
    "numbers, options, tested_by, drawn, warning",
    [
        ({"judge": 8, "ranking": 24}, {}, "judge", "judge", ""),
        (
            {"judge": 3, "ranking": 12},
            {},
            "ranking",
            "ranking",
            "only 3 judges: lines",
        ),
        (
            {"judge": 3},
            {},
            None,
            "judge",
            "comparisons of one judge are alike",
        ),
        ({"judge": 1}, {}, None, "comparison", "only 1 judge: lines"),
        ({}, {}, None, "comparison", "the file does not tell who judged what"),
        (
            {"judge": 8},
            {"unit": "comparison"},
            None,
            "comparison",
            "comparisons of one judge",
        ),
        (
            {"judge": 8, "ranking": 12},
            {"unit": "ranking"},
            "ranking",
            "ranking",
            "resample judge",
        ),
    ],
)
def test_answer_ranking_tests_and_resamples_comparisons_by_one_unit(
    numbers, options, tested_by, drawn, warning
):
    judged = read(votes_of(**numbers))
    options = {"bootstrap": 9, **options}
    answer = answer_ranking(judged, ["soccer"], clusters="sign-test", **options)
    by = [tested_by] if tested_by else []
    assert (answer.facts["tested_by"], answer.facts["unit"]) == (by, drawn)
    assert f"tested by {tested_by or 'comparison'}s" in answer.lead
    assert sum(warning in line for line in answer.warnings) == 1 or not warning
    assert len({*answer.warnings}) == len(answer.warnings)


def test_answer_ranking_draws_ranges_by_the_unit_of_the_test():
    judged = read(votes_of(judge=3, ranking=12))
    facts = answer_ranking(judged, ["soccer"], bootstrap=9).facts
    assert (facts["clusters"], facts["unit"]) == ("rank-ranges", "ranking")


def test_answer_ranking_resamples_assessments_by_the_unit_of_the_test():
    for documents, workers, unit in [
        (40, 12, "document"),
        (5, 12, "worker"),
        (5, 1, "document"),
    ]:
        judged = read(blocks(documents=documents, workers=workers))
        answer = answer_ranking(judged, bootstrap=9)
        assert answer.facts["unit"] == unit
        assert (answer.facts["tested_by"] == [unit]) == (documents == 40)
    judged = read(blocks(documents=60, workers=8))
    both = answer_ranking(judged, bootstrap=9)
    assert both.facts["unit"] in both.facts["tested_by"]


def test_answer_ranking_divides_many_systems_into_tiers():
    rows = [
        (f"s{a:02d}", f"s{b:02d}", "a") for a in range(21) for b in range(a + 1, 21)
    ] * 3
    answer = ranked(pd.DataFrame(rows, columns=["a", "b", "outcome"]))
    tier = answer.tables["tiers"]
    assert tier["tier"].tolist() == [*range(1, len(tier) + 1)] and len(tier) > 1
    is_chained = len(tier) > len(answer.tables["clusters"])
    assert ("Tiers" in answer.views) == ("tier" in answer.main_view) == is_chained
    assert "s00" in tier["systems"][0]


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


def test_answer_ranking_tests_pairs_by_the_texts_of_segments(tmp_path):
    path = esa(tmp_path, lambda k, s: f"{s}-{k}")
    judged = read(path, column={"segment": "source"}, ignore="segment")
    by_text = answer_ranking(judged, ["raw-score"])
    assert "Two systems share 60 segments (median; least: 60)" in by_text.notes[0]
    assert len(by_text.tables["clusters"]) == 3
    assert "segment = 'source'" in by_text.about["Columns"]


@pytest.mark.parametrize("common, untested", [(19, 3), (20, 0)])
def test_answer_ranking_does_not_test_pairs_of_few_common_segments(
    tmp_path, common, untested
):
    path = esa(tmp_path, lambda k, s: f"{s}-{k}" if k >= common else str(k))
    by_number = read(path, ignore="source")
    answer = answer_ranking(by_number, ["raw-score"])
    assert f"share {common} segments (median; least: {common})" in answer.notes[0]
    assert answer.tables["pairs"]["p"].isna().sum() == untested
    few = any(w.startswith("3 of 3 pairs of systems share") for w in answer.warnings)
    assert few == (len(answer.tables["clusters"]) == 1) == bool(untested)


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
    robust = ranked(pd.concat([votes] * 19), robust=True)
    assert any("Fewest removals" in caption for caption in robust.views)
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


def test_answer_ranking_leaves_the_interval_open_of_who_never_lost():
    rows = [
        (a, b, "aab"[k % 3])
        for a, b in itertools.combinations("pqrs", 2)
        for k in range(60)
    ]
    rows += [("new", "s", "a")] * 12
    votes = pd.DataFrame(rows, columns=["a", "b", "outcome"])
    for method in ((), "expected-wins"):
        answer = ranked(votes, method)
        (warning,) = [line for line in answer.warnings if "nothing but" in line]
        assert warning.startswith("'new': nothing but wins")
        table = answer.tables["ranking"].set_index("system")
        new = table.loc["new"]
        assert pd.isna(new["score_high"]) and new["score_low"] < new["score"]
        assert new["rank_low"] == 1 and table.loc["p", "cluster"] == new["cluster"]
        assert table.drop("new")[["score_low", "score_high"]].notna().all(axis=None)


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


def test_answer_ranking_draws_fewer_resamples_of_many_systems(monkeypatch):
    monkeypatch.setattr(analysis, "FEWER_RESAMPLES", 11)
    for most, number in ((8, 100), (7, 11)):
        monkeypatch.setattr(analysis, "MANY_SYSTEMS", most)
        answer = answer_ranking(example("pairwise"), "soccer")
        assert answer.facts["resamples"] == number
        assert f"drawn anew {number} times" in answer.lead


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


def test_chance_reverses_whole_rankings(monkeypatch):
    seen = []

    def violated(*_, unit, **__):
        seen.append(unit)

    monkeypatch.setattr("wmtlib.cycles.violated_by_chance", violated)
    for kind in ("rankings", "pairwise"):
        answer_ranking(example(kind), "soccer", clusters="sign-test")
    assert seen == ["ranking", "comparison"]


def test_clusters_have_no_line_between_groups_of_workers():
    rng = np.random.default_rng(5)
    rows = [
        (worker, system, segment, level + rng.normal(scale=2))
        for worker, systems in (("v", "xy"), ("w", "pq"))
        for system, level in zip(systems, (80, 20), strict=True)
        for segment in range(40)
    ]
    scores = pd.DataFrame(rows, columns=["worker", "system", "segment", "score"])
    options = {"clusters": "rank-ranges", "bootstrap": 50, "unit": "segment"}
    apart = ranked(scores, "z-score", **options)
    assert apart.tables["ranking"]["cluster"].tolist() == [1] * 4
    raw = ranked(scores, "raw-score", **options)
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
    alone = ranked(votes.tail(1), bootstrap=9)
    assert alone.tables["clusters"]["systems"].tolist() == [["new", "x"]]
    shown = show.readable(alone.views["Ranking by bradley-terry"])
    assert [*shown] == ["rank", "system", "score", "n", "cluster"]


@pytest.mark.realdata
def test_answer_ranking_draws_official_lines_of_wmt16_german_english(mirror):
    """Officially 1 | 2-7 | 8 | 9 | 10; the file's few judges do not tell the eighth
    apart.
    """
    judged = read_plainly(mirror / "cfedermann/wmt16/data/wmt16.deu-eng.csv")
    answer = answer_ranking(judged, ["bradley-terry"])
    assert answer.tables["clusters"]["rank_high"].tolist() == [1, 8, 9, 10]


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
    assert allowed in answer_ranking(read(table), bootstrap=30).lead
    named = answer_ranking(read(table), ["bradley-terry"], bootstrap=30)
    assert allowed not in named.lead


@pytest.mark.parametrize("kind", KINDS)
def test_answer_stability_equals_leave_one_out(kind):
    judged = example(kind)
    name = "z-score" if kind == "assessments" else "soccer"
    direct = stability.leave_one_out(data_of(judged), name)
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


def test_answer_ranking_compares_violated_weight_with_chance():
    answer = answer_ranking(example("rankings"))
    facts = answer.facts
    assert facts["expected_low"] <= facts["expected"] <= facts["expected_high"]
    note = f"{facts['least_violated']} judgements contradict the best order"
    assert any(line.startswith(note) for line in answer.notes)
    for kind in ("assessments", "few"):
        votes = {"a": [*"xyz"] * 9, "b": [*"yzx"] * 9, "outcome": "a"}
        few = wmtlib.read(pd.DataFrame(votes)) if kind == "few" else example(kind)
        answer = answer_ranking(few)
        assert answer.facts["least_violated"] is answer.facts["expected"] is None
        assert "contradict the best order" not in str(answer.notes)


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
