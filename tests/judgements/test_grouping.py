"""Positions within groups."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wmtlib import counts as grouping


@given(st.lists(st.integers(0, 5)))
def test_members_are_numbered_from_0_in_every_group(sizes):
    expected = [position for size in sizes for position in range(size)]
    assert grouping.positions(np.array(sizes, dtype=int)).tolist() == expected
