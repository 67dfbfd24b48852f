"""Sentences say who comes first, and nothing that the table beside them does not."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from examples import KINDS, example
from wmtlib.core.units import Units
from wmtlib.report import sentences
from wmtlib.report.answers import answer_ranking

ENOUGH = Units(("judge", "segment"), (12, 12))
HARDLY = "can hardly tell systems apart: ask 12 or more."


def by_sets(*sets, ranks=None, units=ENOUGH):
    """The sentence of systems a, b, ... with these sets of ranks."""
    table = pd.DataFrame(sets, columns=["rank_low", "rank_high"])
    names = [*"abcdefgh"][: len(sets)]
    table = table.assign(system=names, rank=ranks or range(1, len(sets) + 1))
    result = SimpleNamespace(table=table, is_sure=True, units=units)
    return sentences.of_ranking(result)


@pytest.mark.parametrize(
    "sentence, sets",
    [
        ("a comes first of 2 systems. No other may be first.", [(1, 1), (2, 2)]),
        (
            "a comes first of 4 systems. b may be as good: the difference may be"
            " chance.",
            [(1, 3), (1, 3), (2, 3), (4, 4)],
        ),
        (
            "a comes first of 6 systems. 4 others may be as good: the difference may"
            " be chance.",
            [(1, 5)] * 5 + [(6, 6)],
        ),
        (
            "a comes first of 5 systems. b, c and d may be as good: the difference may"
            " be chance.",
            [(1, 4)] * 4 + [(5, 5)],
        ),
        (
            "No two of the 3 systems are told apart: a comes first, but that may be"
            " chance.",
            [(1, 3), (1, 3), (1, 3)],
        ),
        (
            "Neither of the 2 systems is clearly better: a comes first, but that may be"
            " chance.",
            [(1, 2), (1, 2)],
        ),
        # The second place may be told apart where the first is not.
        (
            "a comes first of 3 systems. c may be as good: the difference may be"
            " chance.",
            [(1, 2), (2, 3), (1, 3)],
        ),
    ],
)
def test_of_ranking_names_whose_ranks_begin_with_the_first(sentence, sets):
    assert by_sets(*sets) == sentence


def test_of_ranking_names_all_that_share_the_first_place():
    said = by_sets((1, 2), (1, 2), (3, 3), ranks=[1, 1, 3])
    assert said == "a and b share the first place of 3 systems. No other may be first."
    said = by_sets((1, 2), (1, 2), ranks=[1, 1])
    assert said == (
        "No system is better than another here: a and b share the first place."
    )


@pytest.mark.parametrize(
    ("units", "begins", "ends"),
    [
        (ENOUGH, "a comes", "chance."),
        (Units(("judge",), (11,)), "a comes", f" 11 judges {HARDLY}"),
        (Units(("worker", "document"), (7, 8)), "a comes",
         f" 7 annotators and 8 documents {HARDLY}"),
        (Units(("worker", "document"), (7, 80)), "a comes", f" 7 annotators {HARDLY}"),
        (Units(("segment",), (20,), (("worker", 3),)),
         "For these 3 annotators: a comes", "chance."),
        (Units((), (), (("judge", 1), ("segment", 2))),
         "For this one judge and these 2 segments, each judgement taken by itself: a",
         "chance."),
        (Units(), "Each judgement taken by itself: a comes", "chance."),
    ],
)  # fmt: skip
def test_of_ranking_says_about_whom_it_is(units, begins, ends):
    said = by_sets((1, 2), (1, 2), (3, 3), units=units)
    assert said.startswith(begins) and said.endswith(ends)
    # More units would add nothing to what is sure.
    sure = by_sets((1, 1), (2, 2), (3, 3), units=units)
    assert sure.startswith(begins) and sure.endswith("No other may be first.")


def test_of_ranking_says_that_it_does_not_know():
    table = pd.DataFrame({"system": [*"ab"], "rank": [1, 2]})
    result = SimpleNamespace(table=table, is_sure=False)
    said = sentences.of_ranking(result)
    assert said == "a comes first of 2 systems; how sure that is is not known."


def test_sentence_of_an_answer_agrees_with_its_lines():
    for kind in KINDS:
        answer = answer_ranking(example(kind))
        first, second, *_ = answer.tables["ranking"]["cluster"]
        assert ("No other may be first." in answer.sentence) == (first < second)


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
    # 1 - 0.975^2 = 0.049
    by_chance = "(chance gives one or more in 5 of 100 such files)"
    assert said.endswith(f": 1 of 2 judges {by_chance}.")
    none = sentences.of_judges(table.iloc[1:2], "judge")
    assert "none of 1 judges (chance gives one or more in" in none
    many = pd.concat([table.iloc[1:2]] * 80)
    assert sentences.of_judges(many, "judge").endswith(
        "none of 80 judges (chance gives about 2)."
    )
    unknown = sentences.of_judges(table.iloc[2:], "judge")
    assert unknown.startswith("Nothing can be said of the 1 judges: fewer than 20 of")
    alone = sentences.of_judges(table.iloc[2:].assign(checked=0), "judge")
    assert alone.endswith(
        "none of their judgements can be compared with those of others."
    )
    apart = sentences.of_judges(table.iloc[2:].assign(checked=0), "worker")
    assert apart.endswith("they share no segment of the same system.")


@pytest.mark.parametrize(("p", "number"), [(0.01, "1"), (0.2, "none")])
def test_of_judges_counts_levels_that_change(p, number):
    table = pd.DataFrame({"reliability": [0.5, None], "doubtful": False})
    table = table.assign(mean=50.0, checked=30, level_p=[p, np.nan])
    table["level_changes"] = pd.array([p < 0.05, None], "boolean")
    levels = f"Levels that change from HIT to HIT: {number} of 1 judges (chance"
    for rows in (table, table.assign(reliability=np.nan)):
        assert f". {levels}" in sentences.of_judges(rows, "worker")
    assert "Levels" not in sentences.of_judges(table.assign(level_p=np.nan), "worker")
