"""Figures: the data behind what is drawn, and the file that is written."""

import matplotlib
import pandas as pd
import pytest
from matplotlib.patches import Rectangle

from wmtlib import plots
from wmtlib.counts import Counts


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


def test_heatmap_frames_exactly_the_violated_pairs(ax, counts):
    plots.heatmap(counts, ["a", "b", "c"], ax)
    frames = [p for p in ax.patches if isinstance(p, Rectangle)]
    assert [p.get_xy() for p in frames] == [(2, 0)]  # c beat a, but a stands above c
    margins = {
        (0, 1): "2",
        (0, 2): "-1",
        (1, 0): "-2",
        (1, 2): "4",
        (2, 0): "1",
        (2, 1): "-4",
    }
    assert cells(ax) == margins


def test_bump_draws_a_line_a_system(ax):
    ranks = pd.DataFrame({"one": [1, 2, 3], "two": [2, 1, 3]}, index=["a", "b", "c"])
    plots.bump(ranks, ax)
    assert [list(line.get_ydata()) for line in ax.lines] == [[1, 2], [2, 1], [3, 3]]
    assert ax.lines[2].get_color() == "0.75"  # the one that does not move
    shown = [label.get_text().replace("\u200e", "") for label in ax.get_yticklabels()]
    assert shown == ["a  1", "b  2", "c  3"]


def test_tournament_draws_an_arrow_a_decided_pair(ax, counts):
    plots.tournament(counts.wins, ax, reversed_edges=[("c", "a")])
    arrows = [
        text.arrow_patch for text in ax.texts if getattr(text, "arrow_patch", None)
    ]
    assert len(arrows) == 3 and [p.get_linestyle() for p in arrows].count(":") == 1


# --- what the figures of direct assessment show ---


matplotlib.use("agg")


def test_a_ladder_has_a_line_below_each_cluster(ax):
    ranking = pd.DataFrame({"system": ["A", "B", "C"], "z": [1.0, 0.5, -1.0]})
    plots.ladder(ranking, [True, False, False], ax, humans=["B"])
    assert [t.get_text() for t in ax.get_yticklabels()] == ["A", "B", "C"]
    assert [line.get_ydata()[0] for line in ax.lines if line.get_color() == "0.3"] == [
        0.5
    ]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # best on top
