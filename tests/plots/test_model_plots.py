"""Figures of preference models: the data behind what is drawn."""

import numpy as np
import pandas as pd

from wmtlib import plots
from wmtlib.study import pictures


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


def test_abilities_are_listed_best_first(ax):
    table = pd.DataFrame({"mean": [0.5, -0.5], "sd": [0.1, 0.2]}, index=["a", "b"])
    pictures.abilities(table, ax)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a  1", "b  2"]
    assert ax.containers[0].lines[0].get_xdata().tolist() == [0.5, -0.5]


def test_preferences_are_coloured_about_zero(ax):
    expected = pd.DataFrame([[0, 0.4], [-0.4, 0]], index=["a", "b"], columns=["a", "b"])
    plots.preferences(expected, ax)
    assert ax.collections[0].get_clim() == (-0.4, 0.4)


def test_no_two_models_differ_by_colour_alone():
    marks = [(marker, line) for _, marker, line in plots.MODEL_STYLES.values()]
    assert len(set(marks)) == len(marks)
    families = [marker for _, marker in pictures.FAMILIES]
    assert len(set(families)) == len(families)


def test_the_legend_has_the_order_of_the_lines(ax):
    plots.perplexity_curves(two_models(), ax)
    pictures.legend_in_order(ax, ax)
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["IRT-Gaussian", "Uniform"]


def test_differences_show_intervals_and_what_lies_beyond_the_edge(ax):
    table = pd.DataFrame(
        {"difference": [0.0, 0.5], "low": [-0.1, 0.4], "high": [0.1, 0.6]}, index=["mfas", "bojar"]
    )
    pictures.method_differences(table, {"orders": ["mfas"], "scores": ["bojar"]}, ax, beyond=0.3)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["Lopez Eq. 3", "MFAS"]  # best on top
    drawn = [(line.get_marker(), np.round(line.get_xdata(), 3).tolist()) for line in ax.lines]
    assert (">", [0.291]) in drawn
    assert ("None", [-0.1, 0.1]) in drawn and ("x", [0.0]) in drawn
    assert ax.get_xlim() == (-0.15, 0.3)


def test_calibration_counts_ranks_and_shows_the_band(ax):
    pictures.calibration(np.repeat(np.arange(100), 4), ax)
    assert {bar.get_height() for bar in ax.patches} == {20}
    low, high = sorted(line.get_ydata()[0] for line in ax.lines)
    assert (low, high) == (10, 32)  # binomial, 400 ranks in 20 classes
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["1", "5", "10", "15", "20"]


def test_traces_are_named(ax):
    pictures.traces({"plain": np.zeros(4), "collapsed": np.ones(4)}, ax, burn_in=2)
    assert ax.get_legend_handles_labels()[1] == ["plain", "collapsed"]
