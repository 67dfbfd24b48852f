"""Sums of equal rows."""

import pandas as pd
import pytest

from examples import rng
from wmtlib.reading.judgements import summed


@pytest.mark.parametrize("size, rows", [(3, 500), (3, 0), (10**6, 40)])
def test_sums_are_those_of_groupby(size, rows):
    draw = rng(1)
    keys = ["a", "b", "c", "d"]
    frame = pd.DataFrame({key: draw.integers(size, size=rows) for key in keys})
    if size == 3:
        frame = frame.astype(dict.fromkeys("cd", pd.CategoricalDtype([2, 0, 1])))
    frame["n"] = draw.integers(10**10, size=rows)
    expected = frame.groupby(keys, observed=True)["n"].sum().reset_index()
    found = summed(frame, keys, ["n"])
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
