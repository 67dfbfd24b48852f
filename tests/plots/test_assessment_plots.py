"""What the figures of direct assessment show."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from assessed import drawn

from wmtlib import plots
from wmtlib.study import pictures
from wmtlib.zscores import encode, worker_table


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
    assert len(ax.lines) == 6
    assert [line.get_markerfacecolor() for line in ax.lines[1::2]] == ["w"] * 3
    assert not ax.collections  # no intervals without the number of pairs
    assert ax.get_xlabel() and ax.get_ylabel()


def test_maps_keep_their_order_and_leave_blanks_white(ax):
    table = pd.DataFrame([[90.0, np.nan], [10.0, 20.0]], index=["d2", "d1"], columns=["B", "A"])
    pictures.documents(table, ax)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["d2", "d1"]
    assert np.ma.getmaskarray(ax.collections[0].get_array()).sum() == 1


def test_intervals_of_shares_are_drawn_around_them(ax):
    curves = pd.DataFrame({"rank": [0.0], "cluster": [0.2], "both": [1.0]}, index=[2])
    plots.degradation(curves, ax, pairs=10)
    ends = [c.get_segments()[0][:, 1] for c in ax.collections]
    assert [len(end) for end in ends] == [2, 2, 2]
    for (low, high), share in zip(ends, [1e-9, 0.2, 1 - 1e-9], strict=True):
        assert low <= share <= high


def test_panels_show_the_print_beside_the_paper_s_pairs_only():
    rows = [
        (panel, style, "p", 2.0, True, False, False)
        for panel in ("the paper's", "other")
        for style in ("SR-DC", "SR+DC")
    ]
    columns = ["panel", "style", "pair", "divisor", "rank", "cluster", "both"]
    table = pd.DataFrame(rows, columns=columns)
    printed = table.groupby("divisor")[["rank", "cluster", "both"]].mean()
    fig, axes = plt.subplots(2, 2)
    printed = {"SR-DC": printed, "SR+DC": printed}
    pictures.degradation_panels(table, axes, printed=printed)
    assert [len(ax.lines) for ax in axes.ravel()] == [6, 6, 3, 3]
    assert axes[1, 1].get_title() == "SR+DC, other pairs: 1"
    plt.close(fig)


def test_a_ladder_can_carry_intervals(ax):
    ranking = pd.DataFrame({"system": ["A", "B"], "z": [1.0, -1.0]})
    ends = pd.DataFrame({"low": [-1.5, 0.5], "high": [-0.5, 1.5]}, index=["B", "A"])
    plots.ladder(ranking, [True, False], ax, intervals=ends)
    assert [segment[:, 0].tolist() for segment in ax.collections[0].get_segments()] == [
        [0.5, 1.5],
        [-1.5, -0.5],
    ]


def test_many_documents_have_numbers_instead_of_names(ax):
    table = pd.DataFrame({"A": np.arange(45.0)}, index=[f"d{k}" for k in range(45)])
    pictures.documents(table, ax)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["1", "21", "41"]


def test_workers_and_scores_are_drawn(ax):
    campaign = encode(drawn(8))
    pictures.workers(worker_table(campaign).assign(judgements=150), ax)
    assert ax.get_legend().get_texts()[0].get_text() == "100"
    ax.clear()
    pictures.score_histogram(campaign, ax)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["SYSTEM, REPEAT", "REF", "BAD_REF"]


def test_shares_are_annotated_if_there_is_room(ax):
    plots.shares(pd.DataFrame([[1.0, 0.25], [0.5, 1.0]]), ax, label="share")
    assert [t.get_text() for t in ax.texts] == ["1.00", "0.25", "0.50", "1.00"]
