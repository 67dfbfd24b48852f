"""Section 2 of Lopez (2012): assessments, screens and samples."""

import pandas as pd

from study.lopez2012 import section_2, section_6
from wmtlib.core.counts import comparisons


def assessed(*rows, label="2010 Czech-English"):
    """Assessments of rows (judge, segment, {system: rank}), numbered from 0."""
    long = [
        (k, judge, segment, system, rank)
        for k, (judge, segment, ranks) in enumerate(rows)
        for system, rank in ranks.items()
    ]
    columns = ["ranking", "judge", "segment", "system", "rank"]
    return pd.DataFrame(long, columns=columns).assign(task="cs-en", label=label)


def test_an_assessment_is_found_by_its_ranks_alone(monkeypatch):
    monkeypatch.setattr(section_2, "FIGURE_1", {"b": 2, "a": 1})
    rows = assessed(
        ("j", 1, {"b": 2, "a": 1}), ("j", 2, {"a": 2, "b": 1}), ("k", 3, {"a": 1})
    )
    where, figure_1 = section_2.figure_1(rows)
    assert where == "found once: 2010 Czech-English, sentence 1"
    found = figure_1[["ranking", "system", "rank"]].to_numpy().tolist()
    assert found == [[0, "a", 1], [0, "b", 2]]
    assert section_2.implied_comparisons(figure_1) == ["A ≺ B"]


def test_screens_know_what_was_ranked_and_what_was_shown_before():
    rows = assessed(
        ("j", 1, {"b": 2, "a": 1}),
        ("k", 1, {"a": 1, "b": 1}),
        ("k", 2, {"a": 1, "b": 1, "c": -1}),
    )
    table = section_2.screens(rows)
    assert table["shown"].tolist() == ["a b", "a b", "a b c"]
    assert table["repeat"].tolist() == [False, True, False]
    assert table[["outputs", "ranked"]].to_numpy().tolist() == [[2, 2], [2, 2], [3, 2]]


def test_three_consecutive_sentences_of_a_run_are_a_sample():
    segments = [1, 2, 3, 4, 5, 6, 9, 10, 11]
    rows = assessed(*[("j", segment, {"a": 1}) for segment in segments])
    screens = section_2.screens(rows)
    assert screens["sample"].tolist() == [*[1] * 3, *[4] * 3, *[9] * 3]
    assert section_2.run_lengths(screens).to_dict() == {3: 1, 6: 1}


def test_sentences_decide_between_two_systems():
    rows = [
        ("j", 1, {"b": 2, "a": 1}),
        ("k", 1, {"a": 1, "b": 2}),
        ("j", 2, {"b": 1, "a": 2}),
    ]
    rows = assessed(*rows, ("j", 3, {"a": 1, "b": 1}))
    sentences = section_2.pair_sentences(section_2.sides(comparisons(rows)))
    # a is ahead on sentence 1 (twice), b on 2; nobody on 3. Over all, a is.
    assert sentences["met"].tolist() == [2, 1, 1] * 2
    assert sentences["lead"].tolist() == [2, -1, 0, -2, 1, 0]
    assert section_6.sentences_of_improvement(sentences).iloc[0].tolist() == [4, 1]


def test_samples_are_described_or_said_to_be_missing():
    rows = assessed(*[("j", segment, {"a": 1, "b": 2}) for segment in (1, 2, 3, 3)])
    described = section_2.describe_samples(rows.query("ranking < 3"))
    assert described.splitlines() == [
        "runs of consecutive sentences by one judge: 1 of 3 sentences",
        "assessments that repeat an earlier one: 0.0%",
    ]
    assert "needs single rankings" in section_2.describe_samples(None)
