"""Figures: the data behind what is drawn, and the file that is written."""

import matplotlib
import numpy as np
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
    margins = {(0, 1): "2", (0, 2): "-1", (1, 0): "-2", (1, 2): "4", (2, 0): "1", (2, 1): "-4"}
    assert cells(ax) == margins


def test_of_many_systems_only_violated_cells_show_their_number(ax):
    names = [f"s{k:02d}" for k in range(15)]
    wins = pd.DataFrame(np.triu(np.ones((15, 15), dtype=int), 1), index=names, columns=names)
    wins.loc["s03", "s05"], wins.loc["s05", "s03"] = 0, 7
    plots.heatmap(Counts(wins, wins * 0), names, ax)
    assert cells(ax) == {(3, 5): "-7"}


def test_bump_draws_a_line_a_system(ax):
    ranks = pd.DataFrame({"one": [1, 2, 3], "two": [2, 1, 3]}, index=["a", "b", "c"])
    plots.bump(ranks, ax)
    assert [list(line.get_ydata()) for line in ax.lines] == [[1, 2], [2, 1], [3, 3]]
    assert ax.lines[2].get_color() == "0.75"  # the one that does not move
    shown = [label.get_text().replace("\u200e", "") for label in ax.get_yticklabels()]
    assert shown == ["a  1", "b  2", "c  3"]


def test_tournament_draws_an_arrow_a_decided_pair(ax, counts):
    plots.tournament(counts.wins, ax, reversed_edges=[("c", "a")])
    arrows = [text.arrow_patch for text in ax.texts if getattr(text, "arrow_patch", None)]
    assert len(arrows) == 3 and [p.get_linestyle() for p in arrows].count(":") == 1


# --- what the figures of direct assessment show ---


matplotlib.use("agg")


def test_a_ladder_has_a_line_below_each_cluster(ax):
    ranking = pd.DataFrame({"system": ["A", "B", "C"], "z": [1.0, 0.5, -1.0]})
    plots.ladder(ranking, [True, False, False], ax, humans=["B"])
    assert [t.get_text() for t in ax.get_yticklabels()] == ["A", "B", "C"]
    assert [line.get_ydata()[0] for line in ax.lines if line.get_color() == "0.3"] == [0.5]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # best on top


def test_rank_lines_cross_and_carry_their_marks(ax):
    places = pd.DataFrame({"original": [1, 2, 3], "d-2": [2, 1, 3]}, index=["A", "B", "C"])
    below = pd.DataFrame({"original": [True, False, False], "d-2": [False] * 3}, index=places.index)
    plots.rank_lines(places, below, ax)
    coloured = [line for line in ax.lines if line.get_linewidth() == 2]
    assert [tuple(line.get_ydata()) for line in coloured] == [(1, 2), (2, 1)]
    bars = [[segment[0, 1] for segment in c.get_segments()] for c in ax.collections]
    assert bars == [[1.5], []]


def test_degradation_shows_the_printed_values_hollow(ax):
    curves = pd.DataFrame(
        {"rank": [0.1, 0.5], "cluster": [0.0, 0.2], "both": [0.0, 0.1]}, index=[1.25, 10]
    )
    plots.degradation(curves, ax, printed=curves / 2)
    drawn = [line for line in ax.lines if len(line.get_xdata())]
    assert len(drawn) == 6
    assert [line.get_markerfacecolor() for line in drawn].count("w") == 3
    assert ax.get_xlabel() and ax.get_ylabel()


def test_intervals_of_shares_are_drawn_around_them(ax):
    curves = pd.DataFrame({"rank": [0.0], "cluster": [0.2], "both": [1.0]}, index=[2])
    plots.degradation(curves, ax, pairs=10)
    lines = [c for c in ax.collections if hasattr(c, "get_segments")]
    ends = [c.get_segments()[0][:, 1] for c in lines]
    assert [len(end) for end in ends] == [2, 2, 2]
    for (low, high), share in zip(ends, [1e-9, 0.2, 1 - 1e-9], strict=True):
        assert low <= share <= high


def two_models():
    """Curves of two models at two sizes."""
    index = pd.MultiIndex.from_product([["uniform", "irt-gaussian"], [100, 200]])
    index.names = ["model", "size"]
    return pd.DataFrame({"perplexity": [2.4, 2.5, 2.7, 2.6], "error": 0.01}, index=index)


def test_perplexity_curves_draw_every_point_of_every_model(ax):
    plots.perplexity_curves(two_models(), ax)
    drawn = {c.get_label(): c.lines[0].get_ydata().tolist() for c in ax.containers}
    assert drawn == {"Uniform": [2.4, 2.5], "IRT-Gaussian": [2.7, 2.6]}
    assert [t.get_text() for t in ax.get_xticklabels()] == ["100", "200"]
