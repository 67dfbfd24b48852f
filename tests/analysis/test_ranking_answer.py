"""`wmtlib rank`: the answer says what the engines find."""

import numpy as np
import pandas as pd
import pytest
from examples_read import KINDS, example

from wmtlib.analysis import (
    answer_inputs,
    bootstrap,
    clustering,
    methods,
    significance,
    unit_warnings,
)
from wmtlib.analysis.ranking_answer import MOST_DRAWN, answer_ranking
from wmtlib.assessment.encoding import encode
from wmtlib.judgements.errors import DataError
from wmtlib.tournament import violations
from wmtlib.yours import read as reader


@pytest.mark.parametrize("kind", KINDS)
def test_what_rank_says_is_what_the_engines_say(kind):
    judged = example(kind)
    answer = answer_ranking(judged, n_resamples=30, seed=5)
    ranking, doubts, side_by_side = answer.sections
    assessed = kind == "assessments"
    data = encode(judged.assessments) if assessed else judged.counts
    names = answer_inputs.USUAL_METHODS["assessments" if assessed else "counts"]
    assert side_by_side.tables["Methods"]["method"].tolist() == [*names]
    for name, found in zip(names, answer.document["methods"], strict=True):
        alone = methods.rank(data, name, reference=None)
        systems = pd.DataFrame(found["systems"])
        assert found["method"] == name
        for column in ("system", "rank"):
            assert systems[column].tolist() == alone.table[column].tolist()
        pd.testing.assert_series_equal(
            systems["score"].astype(float), alone.table["score"].astype(float)
        )
        ranges = alone.rank_ranges.loc[alone.order]
        assert systems[["best_rank", "worst_rank"]].to_numpy().tolist() == ranges.values.tolist()
    unit = "worker" if assessed else "judge"
    drawn_from = data if assessed else judged.counted_by([unit])
    direct = bootstrap.bootstrap(
        drawn_from, names[0], unit=unit, n_resamples=30, rng=np.random.default_rng(5)
    )
    pd.testing.assert_frame_equal(doubts.tables["Intervals"], direct.table)
    assert [*ranking.warnings] == [
        *direct.warnings,
        *unit_warnings.warnings_for(judged.units, unit),
    ]
    first = methods.rank(data, names[0], reference=None)
    if assessed:
        clustered = clustering.by_tests(data, first, "rank-sum", "benjamini-hochberg")
        table = significance.significance(data, first.order)
        pd.testing.assert_frame_equal(ranking.details["Pairs"], table)
        assert clustered.groups.equals(significance.groups(table, first.order))
    else:
        clustered = clustering.by_rank_ranges(direct)
    shown = ranking.tables["Ranking"]
    assert shown["cluster"].tolist() == clustered.groups["cluster"].tolist()
    assert [s["cluster"] for s in answer.document["methods"][0]["systems"]] == [*shown["cluster"]]


def test_the_clusters_of_raw_scores_are_tested_on_raw_scores():
    (section,) = answer_ranking(example("assessments"), ["raw-score"]).sections
    assert section.title == "Ranking by raw-score, clusters by rank-sum"
    assert "segments' mean raw scores" in section.text
    campaign = encode(example("assessments").assessments)
    order = methods.rank(campaign, "raw-score", reference=None).order
    table = significance.significance(campaign, order, score="raw")
    pd.testing.assert_frame_equal(section.details["Pairs"], table)


def test_violated_judgements_stand_beside_each_method():
    judged = example("rankings")
    answer = answer_ranking(judged)
    table = answer.sections[1].tables["Methods"].set_index("method")
    for found in answer.document["methods"]:
        order = methods.rank(judged.counts, name := found["method"], reference=None).order
        weight = violations.violated_weight(order, judged.counts.wins)
        assert table.loc[name, "violated"] == found["violated_weight"] == weight
    assert found["certificate"] == {"lower_bound": 0, "optimal": True, "optimal_orders": 1}


def test_one_method_stands_alone():
    answer = answer_ranking(example("pairwise"), ["mfas"])
    (section,) = answer.sections
    assert [*section.tables["Ranking"]] == ["system", "rank", "line", "cluster", "wins"]
    assert section.title == "Ranking by mfas, clusters by sign-test"
    assert [drawing.plot for drawing in section.drawings] == ["intervals", "heatmap"]
    assert "proven least; optimal orders: 1" in section.text.lower()


def test_a_method_named_twice_is_run_once():
    (_, section) = answer_ranking(example("pairwise"), ["soccer", "mfas", "soccer"]).sections
    assert [*section.tables["Ranks"]] == ["system", "soccer", "mfas", "range"]


def test_all_methods_keep_the_first_one():
    usual, every = (answer_ranking(example("pairwise"), names) for names in ([], ["all"]))
    assert len(every.document["methods"]) == 13
    assert every.document["methods"][:3] == usual.document["methods"]
    assert every.sections[0].tables["Ranking"].equals(usual.sections[0].tables["Ranking"])


def test_the_first_method_is_told_early():
    seen = []
    answer = answer_ranking(example("pairwise"), early=seen.append)
    (early,) = seen
    assert [section.title for section in early.sections] == [answer.sections[0].title]


def test_if_no_method_applies_the_last_reason_is_given(tmp_path):
    path = tmp_path / "ties.csv"
    path.write_text("a,b,outcome\nx,y,tie\nx,y,tie\n")
    with pytest.raises(DataError, match="no comparison that this score counts"):
        answer_ranking(reader.read(path), ["bojar"])
    answer = answer_ranking(reader.read(path))
    assert answer.sections[1].warnings[0].startswith("expected-wins is left out: ")
    assert answer.sections[0].title == "Ranking by bradley-terry, clusters by rank-ranges"


def test_ties_and_what_mfas_leaves_open_are_ranges(tmp_path):
    path = tmp_path / "open.csv"
    path.write_text("a,b,outcome\nx,y,a\nx,z,a\ny,z,tie\n")
    ranks = answer_ranking(reader.read(path)).sections[1].tables["Ranks"]
    assert ranks["mfas"].tolist() == ranks["bradley-terry"].tolist() == ["1", "2–3", "2–3"]
    assert not ranks["range"].any()


def test_large_files_are_not_drawn(tmp_path):
    path, size = tmp_path / "many.csv", MOST_DRAWN + 1
    rows = [f"s{k:03d},s{(k + 1) % size:03d},{o}" for k in range(size) for o in "ab"]
    path.write_text("\n".join(["a,b,outcome", *rows]) + "\n")
    answer = answer_ranking(reader.read(path), ["soccer", "net-wins"])
    assert not any(section.drawings for section in answer.sections)
