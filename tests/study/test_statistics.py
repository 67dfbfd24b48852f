"""Distances of orders by hand."""

import numpy as np
import pytest

from study.statistics import distance, tau


def test_tau_leaves_out_what_one_side_does_not_rank():
    first = np.array([[3.0, 2, 1], [3, 2, 1]])
    second = np.array([[1, np.nan, 2], [5, 5, 0]])
    # A tie counts for none.
    np.testing.assert_allclose(tau(first, second), [-1, 2 / 3])
    assert np.isnan(tau(first[:1], np.array([[1, np.nan, np.nan]])))


def test_distance_by_hand():
    others = np.array([[3, 1, 2], [1, 2, 3], [3, 2, 2]])
    assert distance(np.array([3, 2, 1]), others) == pytest.approx([1 / 3, 1, 1 / 6])
