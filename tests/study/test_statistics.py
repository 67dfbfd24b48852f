"""Distances of orders by hand."""

import numpy as np
import pandas as pd
import pytest

from study.statistics import distance, less_system_means, random_halves, tau


def test_tau_leaves_out_what_one_side_does_not_rank():
    first = np.array([[3.0, 2, 1], [3, 2, 1]])
    second = np.array([[1, np.nan, 2], [5, 5, 0]])
    # A tie counts for none.
    np.testing.assert_allclose(tau(first, second), [-1, 2 / 3])
    assert np.isnan(tau(first[:1], np.array([[1, np.nan, np.nan]])))


def test_distance_by_hand():
    others = np.array([[3, 1, 2], [1, 2, 3], [3, 2, 2]])
    assert distance(np.array([3, 2, 1]), others) == pytest.approx([1 / 3, 1, 1 / 6])


def test_less_system_means_by_hand():
    values = pd.DataFrame({"system": [0, 1, 0], "z": [1.0, 5.0, 4.0]})
    assert less_system_means(values, "z").tolist() == [-1.5, 0, 1.5]


def test_random_halves_divide_units_and_lose_nothing():
    values = pd.DataFrame({"judge": [*"abcdeabcde"], "place": range(10)})
    found = set()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        halves = random_halves(values, values["judge"], rng)
        units = [frozenset(half["judge"]) for half in halves]
        assert not units[0] & units[1] and sorted(map(len, units)) == [2, 3]
        assert sorted(pd.concat(halves)["place"]) == [*range(10)]
        found.add(units[0])
    assert len(found) > 5
