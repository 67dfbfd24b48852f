"""The signed-rank test: by hand, and against SciPy."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from wmtlib.cluster_lines import signed_rank_p


def test_by_hand():
    # Differences 2, 3, -4, 0: ranks 1 and 2 for a, 3 for b; mean 3, variance 3 * 4 * 7 / 24.
    means = pd.DataFrame({"a": [3.0, 5, 4, 9, np.nan], "b": [1.0, 2, 8, 9, 5]})
    found = signed_rank_p(means)
    assert found.loc["a", "b"] == found.loc["b", "a"] == 0.5
    # Only one segment in common, where c is better: rank 1 of 1, mean 1/2, variance 1/4.
    found = signed_rank_p(means.assign(c=[4.0] + [np.nan] * 4))
    assert found.loc["c", "a"] == pytest.approx(stats.norm.sf(1))
    assert found.loc["a", "c"] == pytest.approx(stats.norm.cdf(1))


def test_systems_without_a_difference_are_alike():
    means = pd.DataFrame({"a": [1.0, np.nan], "b": [1.0, 2.0], "c": [np.nan, np.nan]})
    assert (signed_rank_p(means).to_numpy() == 0.5).all()


scores = st.lists(st.tuples(*[st.integers(0, 12)] * 2), min_size=2, max_size=80)


@given(scores)
def test_it_is_that_of_scipy(rows):
    means = pd.DataFrame(rows, columns=["a", "b"], dtype=float)
    if (means["a"] == means["b"]).all():
        return
    found = signed_rank_p(means)
    for better, worse in ("ab", "ba"):
        theirs = stats.wilcoxon(
            means[better], means[worse], alternative="greater", method="asymptotic"
        )
        assert found.loc[better, worse] == pytest.approx(theirs.pvalue)
