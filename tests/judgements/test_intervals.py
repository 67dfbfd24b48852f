"""Clusters of ranges of ranks; t intervals."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from wmtlib import corrections as intervals


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ([1, 2, 2], [1, 3, 3], [1, 2, 2]),
        ([1, 2, 3], [2, 2, 3], [1, 1, 2]),
        ([1, 1, 3, 3], [1, 2, 4, 4], [1, 1, 2, 2]),
        ([1, 2, 3, 1], [1, 2, 3, 4], [1, 1, 1, 1]),  # the last range crosses every line
    ],
)
def test_lines_are_where_no_range_crosses(first, last, expected):
    assert intervals.clusters_of_ranges(np.array(first), np.array(last)).tolist() == expected


def test_the_half_width_is_that_of_scipys_interval():
    values = pd.Series([0.2, 0.5, 0.1, 0.9])
    low, high = stats.t.interval(0.95, 3, values.mean(), stats.sem(values))
    assert intervals.t_half_width(values) == pytest.approx((high - low) / 2)
    assert intervals.t_half_width(values.to_frame("a"))["a"] == intervals.t_half_width(values)
