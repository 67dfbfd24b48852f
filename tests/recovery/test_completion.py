"""Unseen references: worked by hand, and on random scores."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmtlib.judgements.errors import DataError
from wmtlib.recovery import completion


def test_bounds_of_references_by_hand():
    # two unseen items, 10 and 90: the reference is one of them, whichever
    hidden = pd.DataFrame(
        {"judgements": [2], "total": [100.0], "squares": [8200.0]}, index=["worker_0001"]
    )
    bounds = completion.reference_bounds(hidden, references=0.5)
    assert bounds.iloc[0].tolist() == pytest.approx([1, 10, 90])


@given(st.lists(st.integers(0, 100), min_size=2, max_size=30), st.integers(0, 2**32 - 1))
def test_completions_add_up_and_are_possible(values, seed):
    values = np.array(values, dtype=float)
    hidden = pd.DataFrame(
        {"judgements": [len(values)], "total": [values.sum()], "squares": [(values**2).sum()]},
        index=["worker_0001"],
    )
    bounds = completion.reference_bounds(hidden, references=0.5).iloc[0]
    r = int(bounds["references"])
    for part in (np.sort(values)[:r].sum(), np.sort(values)[-r:].sum() if r else 0):
        assert bounds["lowest"] - 1e-6 <= part <= bounds["highest"] + 1e-6
    ref, rest = completion.completion(hidden, references=0.5, rng=np.random.default_rng(seed))
    pd.testing.assert_frame_equal(ref + rest, hidden.astype(float))
    for part in (ref, rest):
        n, total, squares = part.iloc[0]
        assert -1e-6 <= total <= 100 * n + 1e-6
        assert squares * n >= total**2 - 1e-3


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1])
def test_a_share_outside_0_to_1_is_refused(share):
    hidden = pd.DataFrame({"judgements": [2], "total": [100.0], "squares": [8200.0]})
    with pytest.raises(DataError, match="share between 0 and 1"):
        completion.reference_bounds(hidden, references=share)
