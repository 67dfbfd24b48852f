"""How comparisons are dealt to folds; blocks and workers are tested where they draw."""

import numpy as np
import pytest

from examples import rng
from wmtlib.core import sampling
from wmtlib.core.counts import FIRST, SECOND


def test_counts_are_dealt_as_comparisons_are(monkeypatch):
    """By means and deviations; of more than `DEALT`, the sizes of folds vary."""
    times = np.array([0, 7, 40, 5])
    for most, spread in ((10**6, 40 * 3 / 16 * 12 / 51), (1, 40 * 3 / 16)):
        monkeypatch.setattr(sampling, "DEALT", most)
        hands = np.array([sampling.dealt(times, 4, rng(k)) for k in range(2000)])
        assert (hands.sum(axis=2) == times).all() and (hands >= 0).all()
        assert hands.mean(axis=0) == pytest.approx(
            np.tile(times / 4, (4, 1)).T, abs=0.25
        )
        assert hands[:, 2].var() == pytest.approx(spread, rel=0.1)
        assert (np.ptp(hands.sum(axis=1), axis=1) <= 1).all() == (most > 1)


@pytest.mark.parametrize("side", [FIRST, SECOND])
def test_side_is_unknown_where_all_winners_are_on_one(side):
    seen = np.zeros((2, 2, 3))
    seen[0, 1, side] = seen[1, 0, side] = 5
    assert sampling.side_unknown(seen).startswith("all winners stand on one side")
    seen[0, 1, FIRST + SECOND - side] = 1
    assert sampling.side_unknown(seen) == ""
