"""Corrections and intervals: by hand and against SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from wmtlib.core.corrections import corrected, wilson


def test_corrections_by_hand():
    p = np.array([0.04, np.nan, 0.01, 0.03, 0.02])
    hand = {
        "benjamini-hochberg": [0.04, np.nan, 0.04, 0.04, 0.04],
        "holm": [0.06, np.nan, 0.04, 0.06, 0.06],
    }
    for name, expected in hand.items():
        np.testing.assert_allclose(corrected(p, name), expected)
    assert np.isnan(corrected(np.array([np.nan]), "holm")).all()
    assert p[2] == 0.01


def test_benjamini_hochberg_leaves_a_large_p_as_it_is():
    # p n / rank is .03, .03, .9, and the least of these from there on is taken.
    p = np.array([0.01, 0.02, 0.9])
    adjusted = corrected(p, "benjamini-hochberg")
    np.testing.assert_allclose(adjusted, [0.03, 0.03, 0.9])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_benjamini_hochberg_is_that_of_scipy(values):
    p = np.array(values)
    expected = stats.false_discovery_control(p)
    np.testing.assert_allclose(corrected(p, "benjamini-hochberg"), expected)


@pytest.mark.parametrize("won, number", [(5, 10), (0, 4), (3, 3), (81, 263)])
def test_wilsons_interval_is_that_of_scipy(won, number):
    exact = stats.binomtest(won, number).proportion_ci(0.95, method="wilson")
    low, high = wilson(np.array(won / number), number)
    assert [low, high] == pytest.approx([exact.low, exact.high], abs=1e-7)
