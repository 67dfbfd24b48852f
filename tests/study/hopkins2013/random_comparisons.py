"""Random comparisons of four systems, for tests of Hopkins & May (2013)."""

import competitions
import numpy as np

from examples import rng
from study.hopkins2013 import Track
from study.hopkins2013.irt import GaussianSettings

SYSTEMS = tuple(competitions.competition_names(1, 4))


def comparisons(n, seed=1):
    """Random comparisons of four systems, eight in a ranking."""
    frame, _ = competitions.simulate(
        GaussianSettings(radius=0.8), rng(seed), comparisons=n
    )
    return frame.assign(ranking=np.arange(n) // 8)


def small_track():
    """A track with 400 comparisons to train on and 100 to test."""
    return Track("wmt00", "xx-yy", comparisons(400), comparisons(100, 2), SYSTEMS)
