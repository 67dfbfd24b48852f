"""Judgements removed at random."""

import numpy as np
import pandas as pd
import pytest
from assessed import PAPER, drawn
from hypothesis import given, settings
from hypothesis import strategies as st

from wmtlib.assessment.encoding import encode
from wmtlib.assessment.random_removal import remove_at_random
from wmtlib.assessment.stability import DIFFERENCES
from wmtlib.judgements.errors import DataError


def removal(campaign, share, n_resamples, seed=0, **more):
    rng = np.random.default_rng(seed)
    more = {"n_resamples": n_resamples, "rng": rng, **PAPER, **more}
    return remove_at_random(campaign, share=share, **more)


@given(st.integers(0, 5), st.sampled_from([0.0, 0.1, 0.3]), st.booleans())
@settings(max_examples=10)
def test_removal_is_repeatable_and_nothing_happens_at_share_zero(seed, share, only_scales):
    campaign = encode(drawn(seed, size=400))
    found, again = (removal(campaign, share, 5, only_scales=only_scales) for _ in range(2))
    assert list(found.columns) == DIFFERENCES and len(found) == 5
    pd.testing.assert_frame_equal(found, again)
    if share == 0:
        assert not found[["rank", "cluster"]].to_numpy().any()


def test_removal_from_the_scale_of_a_single_worker_changes_no_order():
    # One worker: whatever their mean and spread, all z-scores are one affine map of the scores.
    campaign = encode(drawn(0).assign(worker="w"))
    found = removal(campaign, 0.5, 20, only_scales=True)
    assert not found[["rank", "cluster"]].to_numpy().any()


def test_removing_more_changes_more():
    campaign = encode(drawn(0, size=1500))
    kendall = [removal(campaign, share, 60, seed=5)["kendall"].mean() for share in (0.02, 0.6)]
    assert kendall[0] < kendall[1]


def test_removing_everything_is_refused():
    with pytest.raises(DataError, match=r"share is 1\.0"):
        removal(encode(drawn(0)), 1.0, 1)
