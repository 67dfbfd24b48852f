"""Sentences say who comes first, and nothing that the table beside them does not."""

from types import SimpleNamespace

import pandas as pd
import pytest

from examples import example
from wmtlib.cluster_lines import better_of
from wmtlib.report import sentences
from wmtlib.report.answers import answer_ranking

JUDGES = SimpleNamespace(unit="judge")


def by_ranges(*ranges, ranks=None, tiers=None):
    """The sentence of systems with these ranges, and lines that none crosses."""
    places = [*range(1, len(ranges) + 1)]
    table = pd.DataFrame(ranges, columns=["rank_low", "rank_high"])
    above = table["rank_high"].cummax().shift(1)
    below = table["rank_low"][::-1].cummin()[::-1]
    table = table.assign(
        system=[*"abcdefgh"][: len(ranges)],
        rank=ranks or places,
        cluster=1 + (above < below).cumsum(),
    )
    result = SimpleNamespace(
        table=table,
        pairs=None,
        is_by_ranges=True,
        samples=JUDGES,
        tiers=tiers,
        is_chained=tiers is not None,
    )
    return sentences.of_ranking(result)


@pytest.mark.parametrize(
    "sentence, ranges",
    [
        ("a comes first of 2 systems.", [(1, 1), (2, 2)]),
        (
            "a comes first of 4 systems. b may be as good: with other judges a would be"
            " 1st or 2nd.",
            [(1, 2), (1, 3), (2, 3), (4, 4)],
        ),
        (
            "a comes first of 6 systems. 4 others may be as good: with other judges a"
            " would be 1st to 5th.",
            [(1, 5)] * 5 + [(6, 6)],
        ),
        (
            "a comes first of 5 systems. With other judges a would be 1st or 2nd.",
            [(1, 2), (2, 3), (2, 4), (3, 4), (5, 5)],
        ),
        (
            "a comes first of 3 systems. b may be as good: the difference may be"
            " chance.",
            [(1, 1), (1, 2), (3, 3)],
        ),
        (
            "No group of the 3 systems is clearly better than the rest: a comes first,"
            " but that may be chance.",
            [(1, 3), (1, 3), (2, 3)],
        ),
    ],
)
def test_of_ranking_names_who_may_be_as_good_by_ranges(sentence, ranges):
    assert by_ranges(*ranges) == sentence


def test_of_ranking_names_all_that_share_the_first_place():
    said = by_ranges((1, 2), (1, 2), (3, 3), ranks=[1, 1, 3])
    with_others = "With other judges a and b would be 1st or 2nd."
    assert said == f"a and b share the first place of 3 systems. {with_others}"


def test_of_ranking_names_the_first_tier_where_tiers_are_shown():
    tiers = pd.DataFrame({"tier": [1, 2], "systems": [["a", "c"], ["b"]]})
    said = by_ranges((1, 2), (1, 3), (1, 3), tiers=tiers)
    assert said.startswith("a comes first of 3 systems. c may be as good: with other")


@pytest.mark.parametrize("corrected, ending", [(0.01, "systems."), (0.2, "chance.")])
def test_of_ranking_goes_by_tests_where_they_draw_the_lines(corrected, ending):
    pairs = [("a", "b", "a", corrected), ("a", "c", "a", 0.01), ("b", "c", "b", 0.01)]
    columns = ["above", "below", "ahead", "corrected"]
    tested = pd.DataFrame(pairs, columns=columns)
    table = pd.DataFrame({"system": [*"abc"], "rank": [1, 2, 3], "rank_high": 3})
    result = SimpleNamespace(
        table=table.assign(cluster=[1, 1, 2]),
        pairs=tested,
        better=better_of(tested, [*"abc"]),
        samples=JUDGES,
        is_by_ranges=False,
        is_chained=False,
    )
    said = sentences.of_ranking(result)
    assert said.endswith(ending) and ("b may be as good" in said) == (corrected > 0.05)


def test_sentence_of_an_answer_agrees_with_its_lines():
    for kind in ("rankings", "pairwise", "assessments"):
        answer = answer_ranking(example(kind), bootstrap=100)
        first, second, *_ = answer.tables["ranking"]["cluster"]
        is_sure = "may" not in answer.sentence and "would be" not in answer.sentence
        assert is_sure == (first < second)
        assert answer.title == answer.sentence


def test_of_stability_names_few_systems_and_counts_many():
    assert sentences.of_stability([], 5).startswith("Whichever of the 5 systems")
    assert "depends on a and b being there" in sentences.of_stability([*"ab"], 5)
    assert "on 4 of the 5 systems being" in sentences.of_stability([*"abcd"], 5)


def test_of_models_counts_those_that_are_about_as_good():
    alone = sentences.of_models(["m"], 3)
    assert alone == "m predicts held-out judgements best of 3 models."
    several = sentences.of_models(["m", "n"], 3)
    assert several.startswith("2 of 3 models predict held-out judgements best")


def test_of_judges_counts_those_at_odds_and_those_unknown():
    table = pd.DataFrame(
        {
            "reliability": [0.2, 0.9, None],
            "doubtful": pd.array([True, False, None], "boolean"),
            "checked": [30, 30, 5],
        }
    )
    said = sentences.of_judges(table, "judge")
    assert "1 of 2 judges (by chance 1 in 40 is)." in said
    none = sentences.of_judges(table.iloc[1:2], "judge")
    assert "none of 1 judges (by chance 1 in 40 is)." in none
    unknown = sentences.of_judges(table.iloc[2:], "judge")
    assert unknown.startswith("Nothing can be said of the 1 judges: fewer than 20 of")
    alone = sentences.of_judges(table.iloc[2:].assign(checked=0), "judge")
    assert alone.endswith(
        "none of their judgements can be compared with those of others."
    )
    apart = sentences.of_judges(table.iloc[2:].assign(checked=0), "worker")
    assert apart.endswith("they share no segment of the same system.")
