"""`wmtlib rank`: the answer says what the engines find."""

import numpy as np
import pandas as pd
import pytest
from examples_read import KINDS, example

from wmtlib.analysis import answer_inputs, bootstrap, methods, significance
from wmtlib.analysis.ranking_answer import MOST_DRAWN, answer_ranking
from wmtlib.assessment.encoding import encode
from wmtlib.files import reader
from wmtlib.judgements.errors import DataError
from wmtlib.tournament import violations


@pytest.mark.parametrize("kind", KINDS)
def test_what_rank_says_is_what_the_engines_say(kind):
    judged = example(kind)
    answer = answer_ranking(judged, n_resamples=30, seed=5)
    ranking, groups, doubts = answer.sections
    assessed = kind == "assessments"
    data = encode(judged.assessments) if assessed else judged.counts
    names = answer_inputs.USUAL_METHODS["assessments" if assessed else "counts"]
    assert ranking.tables["Methods"]["method"].tolist() == [*names]
    for name in names:
        alone = methods.rank(data, name, reference=None)
        ranks = ranking.tables["Ranks"].set_index("system")[name]
        assert ranks[alone.order].tolist() == alone.table["rank"].tolist()
    assert ("cluster_uncorrected" in ranking.details["Scores"]) == assessed
    first = methods.rank(data, names[0], reference=None)
    table = significance.significance(data, first.order)
    pd.testing.assert_frame_equal(groups.details["Pairs"], table)
    found = groups.tables["Clusters"].drop(columns="score")
    pd.testing.assert_frame_equal(found, significance.groups(table, first.order))
    unit = "worker" if assessed else "judge"
    drawn_from = data if assessed else judged.counted_by([unit])
    direct = bootstrap.bootstrap(
        drawn_from, names[0], unit=unit, n_resamples=30, rng=np.random.default_rng(5)
    )
    pd.testing.assert_frame_equal(doubts.tables["Intervals"], direct.table)
    assert [*doubts.warnings] == [
        *direct.warnings,
        *bootstrap.warnings_for(judged.units, unit),
    ]


def test_the_clusters_of_raw_scores_are_tested_on_raw_scores():
    answer = answer_ranking(example("assessments"), ["raw-score"])
    assert answer.sections[1].title == "Clusters (raw-score)"
    assert "segments' mean raw scores" in answer.sections[1].text
    campaign = encode(example("assessments").assessments)
    order = methods.rank(campaign, "raw-score", reference=None).order
    table = significance.significance(campaign, order, score="raw")
    pd.testing.assert_frame_equal(answer.sections[1].details["Pairs"], table)


def test_violated_judgements_stand_beside_each_method():
    judged = example("rankings")
    table = answer_ranking(judged).sections[0].tables["Methods"].set_index("method")
    wins = judged.counts.wins
    for name in table.index:
        order = methods.rank(judged.counts, name, reference=None).order
        assert table.loc[name, "violated"] == violations.violated_weight(order, wins)


def test_one_method_has_no_range_and_no_bump():
    (ranking, _) = answer_ranking(example("pairwise"), ["mfas"]).sections
    assert [*ranking.tables["Ranks"]] == ["system", "mfas"]
    assert [drawing.plot for drawing in ranking.drawings] == ["heatmap"]
    assert str(ranking.details["Scores"]["best_rank"].dtype) == "Int64"


def test_a_method_named_twice_is_run_once():
    (ranking, _) = answer_ranking(example("pairwise"), ["soccer", "mfas", "soccer"]).sections
    assert [*ranking.tables["Ranks"]] == ["system", "soccer", "mfas", "range"]


def test_if_no_method_applies_the_last_reason_is_given(tmp_path):
    path = tmp_path / "ties.csv"
    path.write_text("a,b,outcome\nx,y,tie\nx,y,tie\n")
    with pytest.raises(DataError, match="no comparison that this score counts"):
        answer_ranking(reader.read(path), ["bojar"])
    answer = answer_ranking(reader.read(path))
    assert answer.sections[0].warnings[0].startswith("expected-wins is left out: ")
    assert answer.sections[1].title == "Clusters (bradley-terry)"


def test_large_files_are_not_drawn(tmp_path):
    path, size = tmp_path / "many.csv", MOST_DRAWN + 1
    rows = [f"s{k:03d},s{(k + 1) % size:03d},{o}" for k in range(size) for o in "ab"]
    path.write_text("\n".join(["a,b,outcome", *rows]) + "\n")
    answer = answer_ranking(reader.read(path), ["soccer", "net-wins"])
    assert not any(section.drawings for section in answer.sections)
