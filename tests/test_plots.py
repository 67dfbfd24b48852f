"""Figures of answers: the data behind what is drawn."""

import pandas as pd
import pytest
from matplotlib.patches import Rectangle

from wmtlib import plots
from wmtlib.core.counts import Counts


@pytest.fixture
def counts():
    names = ["a", "b", "c"]
    wins = pd.DataFrame([[0, 3, 1], [1, 0, 5], [2, 1, 0]], index=names, columns=names)
    return Counts(wins, wins * 0)


def cells(ax):
    """Texts of a heatmap by (row, column)."""
    places = [tuple(int(k) for k in x.get_position()[::-1]) for x in ax.texts]
    texts = zip(places, [x.get_text() for x in ax.texts], strict=True)
    return {place: text for place, text in texts if text}


def test_heatmap_frames_violated_pairs(ax, counts):
    plots.heatmap(counts, ["a", "b", "c"], ax)
    frames = [p for p in ax.patches if isinstance(p, Rectangle)]
    assert [p.get_xy() for p in frames] == [(2, 0)]  # c beat a, but a stands above c
    assert cells(ax) == {(0, 1): "2", (0, 2): "-1", (1, 2): "4"}
