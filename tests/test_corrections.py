"""Corrections, the sign test, intervals and Kendall's measures: by hand and against
SciPy.
"""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from wmtlib import corrections, ranking
from wmtlib.corrections import corrected, sign_test


def test_scores_that_differ_by_rounding_are_tied():
    third = np.array([1 / 3, 1 - 2 / 3, 0.1 + 0.2, 0.3, np.nan, 1e9, 1e9 + 1e-3])
    found = ranking.levels(np.array([third, third[::-1]]))
    np.testing.assert_array_equal(found[0], [1, 1, 0, 0, np.nan, 2, 2])
    np.testing.assert_array_equal(found[1], found[0][::-1])
    assert ranking.levels(np.array([0.3, 0.3 + 3e-9])).tolist() == [0, 1]
    ranks = ranking.best_ranks(np.array([0.2, 0.5, 0.1 + 0.4, 0.7]))
    assert ranks.tolist() == [4, 2, 2, 1]


def test_corrections_by_hand():
    p = np.array([0.04, np.nan, 0.01, 0.03, 0.02])
    hand = {
        "none": [0.04, np.nan, 0.01, 0.03, 0.02],
        "benjamini-hochberg": [0.04, np.nan, 0.04, 0.04, 0.04],
        "holm": [0.06, np.nan, 0.04, 0.06, 0.06],
    }
    for name, expected in hand.items():
        np.testing.assert_allclose(corrected(p, name), expected)
    assert np.isnan(corrected(np.array([np.nan]), "holm")).all()
    assert p[2] == 0.01


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_corrections_only_raise_and_holm_is_the_stricter(p):
    p = np.array(p)
    bh, holm = (corrected(p, name) for name in ("benjamini-hochberg", "holm"))
    assert (p <= bh + 1e-15).all() and (bh <= holm + 1e-12).all() and (holm <= 1).all()
    np.testing.assert_allclose(bh, stats.false_discovery_control(p, method="bh"))


@settings(max_examples=settings().max_examples * 2 // 5)
@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=20)
)
def test_the_sign_test_is_that_of_scipy(pairs):
    wins, losses = np.array(pairs).T
    for p, w, n in zip(sign_test(wins, losses), wins, wins + losses, strict=True):
        if n:
            assert p == pytest.approx(stats.binomtest(int(w), int(n)).pvalue)
        else:
            assert np.isnan(p)


@pytest.mark.parametrize("won, number", [(5, 10), (0, 4), (3, 3), (81, 263)])
def test_wilsons_interval_is_that_of_scipy(won, number):
    exact = stats.binomtest(won, number).proportion_ci(0.95, method="wilson")
    low, high = corrections.wilson(np.array(won / number), number)
    assert [low, high] == pytest.approx([exact.low, exact.high], abs=1e-7)


@given(
    st.lists(
        st.tuples(*[st.integers(-9999, 9999).map(lambda k: k / 1000)] * 2),
        min_size=2,
        max_size=12,
        unique_by=(lambda pair: pair[0], lambda pair: pair[1]),
    )
)
def test_tau_without_ties_is_that_of_scipy(rows):
    first, second = np.array(rows).T
    assert ranking.tau(first, second) == pytest.approx(
        stats.kendalltau(first, second).statistic
    )


def test_tau_leaves_out_what_one_side_does_not_rank():
    first = np.array([[3.0, 2, 1]] * 3)
    second = np.array([[1, np.nan, 2], [5, 5, 0], [1, np.nan, np.nan]])
    # A tie counts for none.
    np.testing.assert_allclose(ranking.tau(first, second), [-1, 2 / 3, np.nan])


def test_distance_by_hand():
    one = np.array([3, 2, 1])
    other = np.array([[3, 1, 2], [1, 2, 3], [3, 2, 2]])
    assert ranking.distance(one, other) == pytest.approx([1 / 3, 1, 1 / 6])


@given(st.permutations(range(6)), st.permutations(range(6)))
def test_reversed_pairs_are_counted_one_by_one(before, after):
    pairs = combinations(range(6), 2)
    turned = [
        (before.index(a) < before.index(b)) != (after.index(a) < after.index(b))
        for a, b in pairs
    ]
    assert ranking.reversed_pairs(np.array(before), np.array(after)) == sum(turned)
