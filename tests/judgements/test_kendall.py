"""Kendall's measures: against scipy's tau, and by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from wmtlib import corrections as kendall


@given(
    st.lists(
        st.tuples(*[st.floats(-9, 9)] * 2),
        min_size=2,
        max_size=12,
        unique_by=(lambda pair: pair[0], lambda pair: pair[1]),
    )
)
def test_tau_without_ties_is_that_of_scipy(rows):
    first, second = np.array(rows).T
    assert kendall.tau(first, second) == pytest.approx(stats.kendalltau(first, second).statistic)


def test_tau_leaves_out_what_one_side_does_not_rank():
    first, second = np.array([[3.0, 2, 1], [3, 2, 1]]), np.array([[1, np.nan, 2], [5, 5, 0]])
    np.testing.assert_allclose(kendall.tau(first, second), [-1, 2 / 3])  # a tie counts for none
    assert np.isnan(kendall.tau(first[:1], np.array([[1, np.nan, np.nan]])))


def test_distance_by_hand():
    one, other = np.array([3, 2, 1]), np.array([[3, 1, 2], [1, 2, 3], [3, 2, 2]])
    assert kendall.distance(one, other) == pytest.approx([1 / 3, 1, 1 / 6])
