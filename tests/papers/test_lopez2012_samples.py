"""Lopez (2012), section 2: facts of single rankings, on rankings made by hand and on the real."""

import pandas as pd
import pytest
from judged import counts_of

from wmtlib.study.papers import lopez2012, lopez2012_samples
from wmtlib.study.releases import sources


def assessed(*rows, label="2010 Czech-English"):
    """Assessments of rows (judge, segment, {system: rank}), numbered from 0."""
    long = [
        {"ranking": k, "judge": judge, "segment": segment, "system": system, "rank": rank}
        for k, (judge, segment, ranks) in enumerate(rows)
        for system, rank in ranks.items()
    ]
    return pd.DataFrame(long).assign(task="cs-en", label=label)


def test_an_assessment_is_found_by_its_ranks_alone():
    wanted = {"b": 2, "a": 1}
    rows = assessed(("j", 1, {"b": 2, "a": 1}), ("j", 2, {"a": 2, "b": 1}), ("k", 3, {"a": 1}))
    found = lopez2012_samples.find_assessment(rows, wanted)
    assert found[["ranking", "system", "rank"]].to_numpy().tolist() == [[0, "a", 1], [0, "b", 2]]
    assert lopez2012_samples.implied_comparisons(found) == ["A ≺ B"]


def test_screens_know_what_was_ranked_and_what_was_shown_before():
    rows = assessed(
        ("j", 1, {"b": 2, "a": 1}),
        ("k", 1, {"a": 1, "b": 1}),
        ("k", 2, {"a": 1, "b": 1, "c": -1}),
    )
    table = lopez2012_samples.screens(rows)
    assert table["shown"].tolist() == ["a b", "a b", "a b c"]
    assert table["repeat"].tolist() == [False, True, False]
    assert table[["outputs", "ranked"]].to_numpy().tolist() == [[2, 2], [2, 2], [3, 2]]


def test_runs_end_where_judge_or_sentence_jump():
    pair = {"a": 1, "b": 2}
    judged = [("j", 4), ("j", 5), ("j", 6), ("k", 7), ("k", 8), ("k", 9), ("k", 20)]
    screens = lopez2012_samples.screens(assessed(*[(j, s, pair) for j, s in judged]))
    assert lopez2012_samples.run_lengths(screens).to_dict() == {1: 1, 3: 2}
    assert lopez2012_samples.sentences_in_a_sample(screens) == 1
    assert lopez2012_samples.sentences_in_a_sample(screens.iloc[:-1]) == 3


def test_a_task_has_a_gap_if_a_pair_lacks_a_sentence():
    whole = assessed(("j", 1, {"a": 1, "b": 2, "_ref": 1}), ("j", 2, {"b": 1, "a": 1}))
    assert lopez2012_samples.tasks_with_gaps(whole) == 0
    gap = assessed(("j", 1, {"a": 1, "b": 2, "c": 3}), ("j", 2, {"b": 1, "a": 1}))
    assert lopez2012_samples.tasks_with_gaps(gap) == 1


def test_overlap_of_two_systems():
    rows = assessed(
        ("j", 1, {"a": 1, "b": 2}), ("k", 2, {"c": 1, "b": 2}), ("k", 3, {"b": -1, "c": 1})
    )
    counts = {"2010 Czech-English": counts_of(("a", "b", 1, 0, 0), ("b", "c", 0, 1, 0))}
    table = lopez2012_samples.overlap(rows, counts)
    # ab share sentence 1 and judge j, bc sentence 2 and judge k, ac nothing.
    assert table[["sentences", "judges"]].to_numpy().tolist() == [[1, 1], [0, 0], [1, 1]]
    # b meets c in half of its comparisons, a never; a and c meet b in all of theirs.
    assert table["same_rates"].tolist() == [False, True, False]


def test_embedded_data_hold_no_assessments_and_figure_1_is_as_printed():
    assert lopez2012_samples.load_assessments(sources.resolve("embedded")) is None
    where, rows = lopez2012_samples.figure_1(None)
    assert where.startswith("as printed")
    assert len(lopez2012_samples.implied_comparisons(rows)) == 10


@pytest.mark.realdata
def test_single_rankings_of_the_25_tasks():
    source = sources.resolve("mirror")
    found = lopez2012.analyse(source)
    rows = lopez2012_samples.load_assessments(source)
    assert set(rows["label"]) == set(found.labels)
    figure_1 = lopez2012_samples.find_assessment(rows, lopez2012_samples.FIGURE_1)
    assert figure_1["system"].tolist() == ["jhu", "bbn-combo", "rwth", "rwth-combo", "cmu"]
    assert set(figure_1["segment"]) == {2004}
    assert lopez2012_samples.figure_1(rows)[0] == "found once: 2010 German-English, sentence 2004"
