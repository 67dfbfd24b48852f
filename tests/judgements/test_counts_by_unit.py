"""Tallies into counts and comparisons, by hand."""

import pandas as pd
import pytest
from judged import REAL, counts_of, tallied

from wmtlib.judgements import counting, counts_by_unit
from wmtlib.judgements.errors import DataError
from wmtlib.preference import preference_model


def test_tallies_to_counts_and_comparisons():
    rows = [("b", "a", "a", 2), ("a", "b", "a", 1), ("b", "c", "tie", 3), ("a", "c", "b", 0)]
    table = tallied(*rows, judge=["j", "k", "j", "j"])
    expected = counts_of(("a", "b", 1, 2, 0), ("b", "c", 0, 0, 3))
    found = counts_by_unit.as_counts(table)
    pd.testing.assert_frame_equal(found.wins, expected.wins)
    pd.testing.assert_frame_equal(found.ties, expected.ties)
    shown = counts_by_unit.as_comparisons(table)
    assert [*shown.itertuples(index=False, name=None)] == [
        ("b", "a", 1, "j"),
        ("b", "a", 1, "j"),
        ("a", "b", 1, "k"),
        *[("b", "c", 0, "j")] * 3,
    ]
    again = counting.counts(shown)
    pd.testing.assert_frame_equal(again.wins, expected.wins)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("a", "b", "draw", 1), "an outcome is 'draw'; expected a, b or tie"),
        (("a", "b", None, 1), "an outcome is "),
        (("a", "a", "a", 1), "system 'a' is compared with itself"),
        (("a", "b", "a", -1), "a count is -1; expected 0 or more"),
        (("a", None, "a", 1), "a comparison lacks the name of a system"),
    ],
)
def test_tallies_that_make_no_sense_are_refused(row, said):
    with pytest.raises(DataError, match="^" + said):
        counts_by_unit.as_counts(tallied(("a", "c", "a", 1), row))


def test_outcomes_are_the_preferences_of_comparisons():
    assert counts_by_unit.OUTCOMES == ("tie", "a", "b")
    assert preference_model.NEGATED == [0, 2, 1]


def test_the_units_of_tallies():
    table = tallied(("a", "b", "a", 3), judge="x", segment="1")
    assert counts_by_unit.units(table) == ["judge", "segment"] and counts_by_unit.units(REAL) == []
    counts_by_unit.require_unit(table, "segment")
    counts_by_unit.require_unit(REAL, "comparison")
    with pytest.raises(DataError, match=r"^unit is 'a'; expected comparison, judge, segment$"):
        counts_by_unit.require_unit(table, "a")
    with pytest.raises(DataError, match=r"^unit is 'judge'; expected comparison$"):
        counts_by_unit.require_unit(REAL, "judge")


def test_labels_are_numbered_in_order():
    codes, number = counts_by_unit.numbered(pd.Series([10, 9, 10, 2]), "judge")
    assert codes.tolist() == [0, 2, 0, 1] and number == 3  # as text
    with pytest.raises(DataError, match=r"^a judge is missing; expected a name$"):
        counts_by_unit.numbered(pd.Series(["x", None]), "judge")


@pytest.mark.parametrize("kind", [str, "category"])
def test_tallies_without_a_system(kind):
    table = tallied(("a", "b", "a", 3), ("c", "a", "b", 1), ("b", "c", "tie", 2))
    table = table.astype({"a": kind, "b": kind})
    assert counts_by_unit.without(table, None) is table
    for system in ("a", "b", "c"):
        found = counts_by_unit.as_counts(counts_by_unit.without(table, system))
        expected = counts_by_unit.as_counts(table).without(system)
        pd.testing.assert_frame_equal(found.wins, expected.wins)
        pd.testing.assert_frame_equal(found.ties, expected.ties)
        again = counts_by_unit.without(counts_by_unit.as_counts(table), system)
        pd.testing.assert_frame_equal(again.wins, expected.wins)
