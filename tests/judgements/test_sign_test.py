"""The sign test against SciPy's, and its level."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged import rng
from scipy import stats

from wmtlib.corrections import sign_test

few = settings(max_examples=settings().max_examples * 2 // 5)


@few
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=20))
def test_the_sign_test_is_that_of_scipy(pairs):
    wins, losses = np.array(pairs).T
    found = sign_test(wins, losses)
    for p, w, n in zip(found, wins, wins + losses, strict=True):
        if n:
            assert p == pytest.approx(stats.binomtest(int(w), int(n)).pvalue)
        else:
            assert np.isnan(p)


def test_the_sign_test_keeps_its_level():
    draw = rng(3)
    total = draw.integers(5, 400, size=20_000)
    wins = draw.binomial(total, 0.5)
    p = sign_test(wins, total - wins)
    for level in (0.01, 0.05, 0.2, 0.5):
        assert (p <= level).mean() <= level * 1.02
    assert (p <= 0.5).mean() > 0.4  # it is exact, hence conservative, but not much
