"""What the figures of direct assessment show."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from wmtlib.plots import assessment_plots


@pytest.fixture
def ax():
    fig, ax = plt.subplots()
    yield ax
    plt.close(fig)


def test_a_ladder_has_a_line_below_each_cluster(ax):
    ranking = pd.DataFrame({"system": ["A", "B", "C"], "z": [1.0, 0.5, -1.0]})
    assessment_plots.ladder(ranking, [True, False, False], ax, humans=["B"])
    assert [t.get_text() for t in ax.get_yticklabels()] == ["A", "B", "C"]
    assert [line.get_ydata()[0] for line in ax.lines if line.get_color() == "0.3"] == [0.5]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # best on top


def test_rank_lines_cross_and_carry_their_marks(ax):
    places = pd.DataFrame({"original": [1, 2, 3], "d-2": [2, 1, 3]}, index=["A", "B", "C"])
    below = pd.DataFrame({"original": [True, False, False], "d-2": [False] * 3}, index=places.index)
    assessment_plots.rank_lines(places, below, ax)
    coloured = [line for line in ax.lines if line.get_linewidth() == 2]
    assert [tuple(line.get_ydata()) for line in coloured] == [(1, 2), (2, 1)]
    marks = [line for line in ax.lines if line.get_marker() == "x"]
    assert [list(line.get_ydata()) for line in marks] == [[1.5], []]


def test_degradation_shows_the_printed_values_hollow(ax):
    curves = pd.DataFrame(
        {"rank": [0.1, 0.5], "cluster": [0.0, 0.2], "both": [0.0, 0.1]}, index=[1.25, 10]
    )
    assessment_plots.degradation(curves, ax, printed=curves / 2)
    assert len(ax.lines) == 6
    assert [line.get_markerfacecolor() for line in ax.lines[1::2]] == ["w"] * 3
    assert ax.get_xlabel() and ax.get_ylabel()


def test_maps_keep_their_order_and_leave_blanks_white(ax):
    table = pd.DataFrame([[90.0, np.nan], [10.0, 20.0]], index=["d2", "d1"], columns=["B", "A"])
    assessment_plots.documents(table, ax)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["d2", "d1"]
    assert np.ma.getmaskarray(ax.collections[0].get_array()).sum() == 1


def test_shares_are_annotated_if_there_is_room(ax):
    assessment_plots.shares(pd.DataFrame([[1.0, 0.25], [0.5, 1.0]]), ax, label="share")
    assert [t.get_text() for t in ax.texts] == ["1.00", "0.25", "0.50", "1.00"]
