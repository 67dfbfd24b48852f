"""Figures: the data behind what is drawn, and the file that is written."""

import matplotlib
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.patches import FancyArrowPatch, Rectangle
from PIL import Image

from wmtlib.judgements.counting import Counts
from wmtlib.plots import model_plots, tournament_plots
from wmtlib.releases import sources
from wmtlib.study import figures

SOURCE = sources.Source("embedded", "00000000")


@pytest.fixture
def ax():
    matplotlib.use("agg")
    fig, ax = plt.subplots()
    yield ax
    plt.close(fig)


@pytest.fixture
def counts():
    names = ["a", "b", "c"]
    wins = pd.DataFrame([[0, 3, 1], [1, 0, 5], [2, 1, 0]], index=names, columns=names)
    return Counts(wins, wins * 0)


def test_heatmap_frames_exactly_the_violated_pairs(ax, counts):
    tournament_plots.heatmap(counts, ["a", "b", "c"], ax)
    frames = [p for p in ax.patches if isinstance(p, Rectangle)]
    assert [p.get_xy() for p in frames] == [(2, 0)]  # c beat a, but a stands above c
    assert [t.get_text() for t in ax.texts] == ["2", "-1", "-2", "4", "1", "-4"]


def test_heatmap_leaves_pairs_never_compared_blank(ax, counts):
    counts.wins.loc["a", "b"] = counts.wins.loc["b", "a"] = 0
    tournament_plots.heatmap(counts, ["a", "b", "c"], ax)
    assert len(ax.texts) == 4


def test_bump_draws_a_line_a_system(ax):
    ranks = pd.DataFrame({"one": [1, 2, 3], "two": [2, 1, 3]}, index=["a", "b", "c"])
    tournament_plots.bump(ranks, ax)
    assert [list(line.get_ydata()) for line in ax.lines] == [[1, 2], [2, 1], [3, 3]]
    assert ax.lines[2].get_color() == "0.7"  # the one that does not move


def test_violated_by_task_draws_every_weight(ax):
    weights = pd.DataFrame({"mfas": [0, 6], "bojar": [3, 12]}, index=["one", "two"])
    tournament_plots.violated_by_task(weights, ax)
    drawn = {line.get_label(): list(line.get_xdata()) for line in ax.lines}
    assert drawn == {"MFAS": [0, 6], "Lopez Eq. 3": [3, 12]}


def test_rank_ranges_span_best_to_worst(ax):
    tournament_plots.rank_ranges(
        pd.DataFrame({"best": [1, 1], "worst": [2, 2]}, index=["a", "b"]), ax
    )
    [spans] = ax.collections
    assert [segment[:, 0].tolist() for segment in spans.get_segments()] == [[1, 2], [1, 2]]


def test_tournament_draws_an_arrow_a_decided_pair(ax, counts):
    tournament_plots.tournament(counts.wins, ax, reversed_edges=[("c", "a")])
    arrows = [p for p in ax.patches if isinstance(p, FancyArrowPatch)]
    assert len(arrows) == 3 and [p.get_linestyle() for p in arrows].count(":") == 1


def test_perplexity_curves_draw_every_point_of_every_model(ax):
    index = pd.MultiIndex.from_product([["uniform", "irt-gaussian"], [100, 200]])
    index.names = ["model", "size"]
    curves = pd.DataFrame({"perplexity": [3.0, 3.0, 2.7, 2.6], "error": 0.01}, index=index)
    model_plots.perplexity_curves(curves, ax)
    drawn = {c.get_label(): c.lines[0].get_ydata().tolist() for c in ax.containers}
    assert drawn == {"Uniform": [3.0, 3.0], "IRT-Gaussian": [2.7, 2.6]}
    assert [t.get_text() for t in ax.get_xticklabels()] == ["100", "200"]


def test_abilities_are_listed_best_first(ax):
    table = pd.DataFrame({"mean": [0.5, -0.5], "sd": [0.1, 0.2]}, index=["a", "b"])
    model_plots.abilities(table, ax)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a  1", "b  2"]
    assert ax.containers[0].lines[0].get_xdata().tolist() == [0.5, -0.5]


def test_preferences_are_coloured_about_zero(ax):
    expected = pd.DataFrame([[0, 0.4], [-0.4, 0]], index=["a", "b"], columns=["a", "b"])
    model_plots.preferences(expected, ax)
    assert ax.collections[0].get_clim() == (-0.4, 0.4)


def test_saved_figures_carry_caption_and_signature_and_are_reproducible(ax, tmp_path, monkeypatch):
    monkeypatch.setenv("WMTLIB_OUTPUT", str(tmp_path))
    path = tmp_path / "figures" / "folder" / "name.png"
    bytes_written = []
    for _ in range(2):
        figures.save(ax.figure, "folder/name", caption="What it shows.", source=SOURCE)
        bytes_written.append(path.read_bytes())
    assert bytes_written[0] == bytes_written[1]
    with Image.open(path) as image:
        assert image.text["Description"] == "What it shows."
        assert image.text["Source"].startswith("folder/name|data=embedded:00000000")
    assert [p.name for p in path.parent.iterdir()] == ["name.png"]
