"""Rankings: ties, what is left open, several side by side, and how far two differ."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmtlib.core.ranking import (
    Ranking,
    clusters_of_ranges,
    levels,
    rank_by_score,
    reversed_pairs,
    side_by_side,
)


def test_tied_systems_share_the_best_rank_of_their_group():
    found = rank_by_score("soccer", pd.Series({"d": 0.5, "b": 0.5, "c": 0.7, "a": 0.1}))
    assert found.table.to_dict("list") == {
        "system": ["c", "b", "d", "a"],
        "rank": [1, 2, 2, 4],
        "score": [0.7, 0.5, 0.5, 0.1],
    }
    assert found.order == ["c", "b", "d", "a"]
    assert found.column("rank").to_dict() == {"c": 1, "b": 2, "d": 2, "a": 4}


def test_rounding_of_the_last_bits_makes_no_winner():
    same = pd.Series({"a": 0.1 + 0.2, "b": 0.3})
    other = pd.Series({"a": 0.3 + 1e-9, "b": 0.3})
    assert rank_by_score("soccer", same).table["rank"].tolist() == [1, 1]
    assert rank_by_score("soccer", other).table["rank"].tolist() == [1, 2]


def test_what_a_method_leaves_open_is_no_disagreement():
    scored = rank_by_score("soccer", pd.Series({"a": 0.9, "b": 0.5, "c": 0.5}))
    found = {"system": [*"acb"], "rank": [1, 2, 3]}
    exact = Ranking(
        "mfas", pd.DataFrame(found | {"best_rank": [1, 2, 2], "worst_rank": [1, 3, 3]})
    )
    table = side_by_side([scored, exact])
    assert table["soccer"].tolist() == table["mfas"].tolist() == ["1", "2–3", "2–3"]
    assert table["range"].tolist() == [0, 0, 0]
    unknown = Ranking(
        "mfas", pd.DataFrame(found | {"best_rank": None, "worst_rank": None})
    )
    table = side_by_side([scored, unknown])
    assert table["mfas"].tolist() == ["~1", "~3", "~2"] and not table["range"].any()
    assert not side_by_side([unknown])["range"].any()


def test_the_others_move_up_by_as_many_as_were_above_them():
    table = pd.DataFrame({"system": [*"abcd"], "rank": [1, 2, 2, 4]})
    table = table.assign(best_rank=[1, 2, 2, 3], worst_rank=[1, 3, 3, 4])
    others = Ranking("mfas", table).without(["a"]).table
    assert others.drop(columns="system").to_numpy().tolist() == [
        [1, 1, 2],
        [1, 1, 2],
        [3, 2, 3],
    ]


def test_rankings_side_by_side():
    def by(method, *ranks):
        frame = pd.DataFrame({"system": [*"abc"], "rank": ranks, "score": 0.0})
        return Ranking(method, frame.sort_values("rank"))

    table = side_by_side([by("x", 2, 1, 3), by("y", 1, 2, 3), by("z", 3, 1, 1)])
    assert table.index.tolist() == ["b", "a", "c"]  # the order of the first
    assert table.columns.tolist() == ["x", "y", "z", "range"]
    # b is 1, 2 and 1 or 2; a is 2, 1 and 3; c is 3, 3 and 1 or 2: rank 2 suits b alone.
    rows = [["1", "2", "1–2", 1], ["2", "1", "3", 2], ["3", "3", "1–2", 1]]
    assert table.to_numpy().tolist() == rows


def test_scores_that_differ_by_rounding_are_tied():
    third = np.array([1 / 3, 1 - 2 / 3, 0.1 + 0.2, 0.3, np.nan, 1e9, 1e9 + 1e-3])
    numbers, backwards = levels(np.array([third, third[::-1]]))
    np.testing.assert_array_equal(numbers, [1, 1, 0, 0, np.nan, 2, 2])
    np.testing.assert_array_equal(backwards, numbers[::-1])
    assert levels(np.array([0.3, 0.3 + 3e-9])).tolist() == [0, 1]


@pytest.mark.parametrize(
    "low, high, expected",
    [
        ([1, 2, 3], [2, 2, 3], [1, 1, 2]),
        ([1, 1, 3, 3], [1, 2, 4, 4], [1, 1, 2, 2]),
        ([1, 1, 3, 4], [2, 2, 4, 4], [1, 1, 2, 2]),
        ([1, 1, 1], [3, 3, 3], [1, 1, 1]),
        ([1], [1], [1]),
        ([], [], []),
        ([1, 2, 3, 1], [1, 2, 3, 4], [1, 1, 1, 1]),  # the last range crosses every line
    ],
)
def test_lines_are_where_no_range_crosses(low, high, expected):
    assert clusters_of_ranges(np.array(low), np.array(high)).tolist() == expected


# --- how far two orders differ --------------------------------------------------------


@given(st.permutations(range(6)), st.permutations(range(6)))
def test_reversed_pairs_are_counted_one_by_one(before, after):
    turned = 0
    for a, b in combinations(range(6), 2):
        was_first = before.index(a) < before.index(b)
        turned += was_first != (after.index(a) < after.index(b))
    assert reversed_pairs(np.array(before), np.array(after)) == turned
