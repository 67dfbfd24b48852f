"""Corrections for the number of tests: by hand, against SciPy, and what must hold."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from wmtlib.corrections import corrected


def test_corrections_by_hand():
    p = np.array([0.04, np.nan, 0.01, 0.03, 0.02])
    hand = {
        "none": [0.04, np.nan, 0.01, 0.03, 0.02],
        "benjamini-hochberg": [0.04, np.nan, 0.04, 0.04, 0.04],
        "holm": [0.06, np.nan, 0.04, 0.06, 0.06],
    }
    for name, expected in hand.items():
        np.testing.assert_allclose(corrected(p, name), expected)
    assert np.isnan(corrected(np.array([np.nan]), "holm")).all()
    assert p[2] == 0.01


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_corrections_only_raise_and_holm_is_the_stricter(p):
    p = np.array(p)
    bh, holm = (corrected(p, name) for name in ("benjamini-hochberg", "holm"))
    assert (p <= bh + 1e-15).all() and (bh <= holm + 1e-12).all() and (holm <= 1).all()
    np.testing.assert_allclose(bh, stats.false_discovery_control(p, method="bh"))
