"""Figures: the data behind what is drawn, and the file that is written."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import FancyArrowPatch, Rectangle
from PIL import Image

from wmtlib import plots
from wmtlib.counts import Counts
from wmtlib.study import figures, pictures
from wmtlib.study.releases import sources

SOURCE = sources.Source("embedded", "00000000")


@pytest.fixture
def counts():
    names = ["a", "b", "c"]
    wins = pd.DataFrame([[0, 3, 1], [1, 0, 5], [2, 1, 0]], index=names, columns=names)
    return Counts(wins, wins * 0)


def cells(ax):
    """Texts of a heatmap by (row, column)."""
    places = [(round(x.get_position()[1]), round(x.get_position()[0])) for x in ax.texts]
    return dict(zip(places, [x.get_text() for x in ax.texts], strict=True))


def test_heatmap_frames_exactly_the_violated_pairs(ax, counts):
    plots.heatmap(counts, ["a", "b", "c"], ax)
    frames = [p for p in ax.patches if isinstance(p, Rectangle)]
    assert [p.get_xy() for p in frames] == [(1.5, -0.5)]  # c beat a, but a stands above c
    margins = {(0, 1): "2", (0, 2): "-1", (1, 0): "-2", (1, 2): "4", (2, 0): "1", (2, 1): "-4"}
    assert cells(ax) == margins


def test_colour_and_number_of_a_cell_are_one_scale(ax, counts):
    plots.heatmap(counts, ["a", "b", "c"], ax)
    [image] = ax.images
    assert image.get_clim() == (-4, 4)
    for (row, column), text in cells(ax).items():
        assert image.get_array()[row, column] == int(text)


def test_heatmap_leaves_pairs_never_compared_blank(ax, counts):
    counts.wins.loc["a", "b"] = counts.wins.loc["b", "a"] = 0
    plots.heatmap(counts, ["a", "b", "c"], ax)
    assert len(ax.texts) == 4


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


def test_bump_draws_the_rank_of_a_right_to_left_name_beside_its_line(ax):
    hebrew = "\u05d0" * 8
    plots.bump(pd.DataFrame({"one": [1], "two": [1]}, index=[hebrew]), ax)
    ax.figure.canvas.draw()
    picture = np.flipud(ax.figure.canvas.buffer_rgba())[:, :, 0]

    def place_of_the_gap(axes):  # between rank and name; 0 = left end of the label, 1 = right end
        label = axes.get_yticklabels()[0].get_window_extent()
        (left, bottom), (right, top) = label.get_points().round().astype(int)
        blank = (picture[bottom:top, left:right] == 255).all(axis=0)
        return np.median(np.flatnonzero(blank)) / len(blank)

    assert place_of_the_gap(ax) > 0.7
    assert place_of_the_gap(*ax.child_axes) < 0.3


def test_bump_colours_the_systems_that_move_most(ax):
    end = [8, 2, 3, 4, 5, 7, 6, 1]
    ranks = pd.DataFrame({"one": range(1, 9), "two": end}, index=[*"abcdefgh"])
    plots.bump(ranks, ax)
    coloured = [line.get_color() != "0.75" for line in ax.lines]
    assert coloured == [True, False, False, False, False, True, True, True]
    labels = [label.get_color() for label in ax.get_yticklabels()]
    assert labels[0] == ax.lines[0].get_color() and labels[1] == "0.3"


def test_bump_draws_no_crossing_of_ties_and_takes_their_colour_from_the_disagreement(ax):
    ranks = pd.DataFrame({"one": [1, 2, 3], "tied": 2.0}, index=[*"abc"])
    plots.bump(ranks, ax, apart=pd.Series([0, 1, 0], index=[*"abc"]))
    assert [list(line.get_ydata()) for line in ax.lines] == [[1, 1], [2, 2], [3, 3]]
    assert [line.get_color() != "0.75" for line in ax.lines] == [False, True, False]


def test_violated_by_task_draws_every_weight_and_hides_none(ax):
    weights = pd.DataFrame({"mfas": [0, 6], "bojar": [0, 12]}, index=["one", "two"])
    pictures.violated_by_task(weights, ax)
    drawn = {line.get_label(): list(line.get_xdata()) for line in ax.lines}
    assert drawn == {"MFAS": [0, 6], "Lopez Eq. 3": [0, 12]}
    heights = [line.get_ydata()[0] for line in ax.lines]
    assert heights[0] > 1 > heights[1] > 0.5
    assert len({line.get_marker() for line in ax.lines}) == 2


def test_rank_ranges_span_best_to_worst(ax):
    plots.rank_ranges(pd.DataFrame({"best": [1, 1], "worst": [2, 2]}, index=["a", "b"]), ax)
    [spans] = ax.collections
    assert [segment[:, 0].tolist() for segment in spans.get_segments()] == [[1, 2], [1, 2]]


def test_tournament_draws_an_arrow_a_decided_pair(ax, counts):
    plots.tournament(counts.wins, ax, reversed_edges=[("c", "a")])
    arrows = [p for p in ax.patches if isinstance(p, FancyArrowPatch)]
    assert len(arrows) == 3 and [p.get_linestyle() for p in arrows].count(":") == 1


def test_saved_figures_carry_caption_and_signature_and_are_reproducible(tmp_path, monkeypatch):
    matplotlib.use("agg")
    monkeypatch.setenv("WMTLIB_OUTPUT", str(tmp_path))
    path = tmp_path / "figures" / "folder" / "name.png"
    bytes_written = []
    for _ in range(2):
        fig, _ = plt.subplots(layout="constrained")
        figures.save(fig, "folder/name", caption="What it shows.", source=SOURCE)
        plt.close(fig)
        bytes_written.append(path.read_bytes())
    assert bytes_written[0] == bytes_written[1]
    with Image.open(path) as image:
        assert image.text["Description"] == "What it shows."
        assert image.text["Source"].startswith("folder/name|data=embedded:00000000")
    assert [p.name for p in path.parent.iterdir()] == ["name.png"]
