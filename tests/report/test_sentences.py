"""Sentences say who comes first, and nothing that the table beside them does not."""

from types import SimpleNamespace

import pandas as pd
import pytest

from examples import example
from wmtlib.report import sentences
from wmtlib.report.answers import answer_ranking


def by_ranges(*ranges, ranks=None, clusters=None):
    """The sentence of systems a, b, ... with these ranges, by judges."""
    size = len(ranges)
    names = [*"abcdefgh"][:size]
    table = pd.DataFrame(ranges, columns=["rank_low", "rank_high"]).astype("Int64")
    table = table.assign(
        system=names,
        rank=ranks or [*range(1, size + 1)],
        cluster=clusters or [*range(1, size + 1)],
    )
    result = SimpleNamespace(
        is_enough=True, pairs=None, samples=SimpleNamespace(unit="judge")
    )
    return sentences.of_ranking(result, table)


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
            "a comes first of 4 systems. With other judges a would be 1st or 2nd.",
            [(1, 2), (2, 3), (2, 4), (3, 4)],
        ),
        (
            "a comes first of 3 systems. b may be as good: the difference may be"
            " chance.",
            [(1, 1), (1, 2), (3, 3)],
        ),
        (
            "The 3 systems are not told apart: a comes first, but that may be chance.",
            [(1, 3), (1, 3), (2, 3)],
        ),
        # An open range: of a system that thin data say nothing of.
        (
            "a comes first of 3 systems. c may be as good: with other judges a would be"
            " 1st or 2nd.",
            [(1, 2), (3, 3), (None, None)],
        ),
    ],
)
def test_of_ranking_names_who_may_be_as_good_by_ranges(sentence, ranges):
    assert by_ranges(*ranges) == sentence


def test_of_ranking_names_all_that_share_the_first_place():
    said = by_ranges((1, 2), (1, 2), (3, 3), ranks=[1, 1, 3])
    assert said == "a and b share the first place of 3 systems. With other judges a" \
        " and b would be 1st or 2nd."  # fmt: skip


def test_of_ranking_claims_nothing_where_no_line_can_be_drawn():
    said = by_ranges((1, 1), (2, 2), clusters=[1, 1])
    assert said.startswith("The 2 systems are not told apart")


@pytest.mark.parametrize("corrected, ending", [(0.01, "systems."), (0.2, "chance.")])
def test_of_ranking_goes_by_tests_where_they_draw_the_lines(corrected, ending):
    pairs = [("a", "b", "a", corrected), ("a", "c", "a", 0.01), ("b", "c", "b", 0.01)]
    columns = ["above", "below", "ahead", "corrected"]
    tested = pd.DataFrame(pairs, columns=columns)
    places = [1, 2, 3]
    table = pd.DataFrame({"system": [*"abc"], "rank": places, "cluster": places})
    first = SimpleNamespace(order=[*"abc"])
    result = SimpleNamespace(is_enough=True, pairs=tested, first=first, samples=None)
    said = sentences.of_ranking(result, table)
    assert said.endswith(ending) and ("b may be as good" in said) == (corrected > 0.05)


def test_sentence_of_an_answer_agrees_with_its_lines():
    for kind in ("rankings", "pairwise", "assessments"):
        answer = answer_ranking(example(kind))
        first, second, *_ = answer.tables["ranking"]["cluster"]
        is_sure = "may" not in answer.sentence and "would be" not in answer.sentence
        assert is_sure == (first < second)
        assert answer.title == answer.sentence
