"""Tests of pairs by segments: by hand, and against SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from examples import rng
from study.beyond.segment_tests import signed_rank_p, t_test_p


def test_the_signed_rank_test_by_hand():
    # One segment in common, where the second is better: rank 1 of 1, mean 1/2, variance
    # 1/4.
    found = signed_rank_p(np.array([[3.0, 5, np.nan], [4.0, np.nan, 2]]))
    assert found[1, 0] == pytest.approx(stats.norm.sf(1))
    assert found[0, 1] == pytest.approx(stats.norm.cdf(1))
    assert np.isnan(found.diagonal()).all()
    # Nothing in common.
    assert signed_rank_p(np.array([[1.0, np.nan], [np.nan, 2]]))[0, 1] == 0.5
    assert np.isnan(signed_rank_p(np.array([[1.0, 2]]))).all()  # one system, no pair


scores = st.lists(st.tuples(*[st.integers(0, 12)] * 2), min_size=2, max_size=80)


@pytest.mark.filterwarnings("ignore:Sample size too small")  # scipy 1.14
@given(scores)
def test_the_signed_rank_test_is_that_of_scipy(rows):
    means = np.array(rows, dtype=float).T
    if (means[0] == means[1]).all():
        return
    found = signed_rank_p(means)
    for a, b in ((0, 1), (1, 0)):
        theirs = stats.wilcoxon(
            means[a], means[b], alternative="greater", method="approx"
        )
        assert found[a, b] == pytest.approx(theirs.pvalue)


def test_the_t_test_is_that_of_scipy():
    means = rng(5).normal(size=(3, 12)) + np.array([[0.0], [0.3], [1]])
    means[0, :3] = np.nan
    p = t_test_p(means)
    for a, b in [(0, 1), (1, 2), (2, 0)]:
        both = ~np.isnan(means[[a, b]]).any(axis=0)
        exact = stats.ttest_rel(means[a, both], means[b, both], alternative="greater")
        assert p[a, b] == pytest.approx(exact.pvalue, abs=1e-12)
    assert np.isnan(p.diagonal()).all()
