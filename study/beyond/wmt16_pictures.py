"""Pictures of notebook 60: a row for each task of WMT16."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from study import pictures
from study.beyond.wmt16 import Task
from wmtlib.core.drawing import BLUE, ORANGE, RED, SKY, rows

SIZE = 9  # of letters, in points
MARKS = [(BLUE, "o"), (ORANGE, "s"), (RED, "D")]
COLOURS = (BLUE, SKY, "0.8")


def rank_ranges(tasks: Sequence[Task], outcomes: Sequence[pd.DataFrame]) -> Figure:
    """Draw printed rank ranges of tasks and ours, in two columns.

    Parameters
    ----------
    tasks : sequence of Task
        With outcomes, an even number.
    outcomes : sequence of DataFrame
        Of `wmt16.outcome`, one a task.
    """
    places = [len(task.outcome) for task in tasks]
    heights = np.maximum(places[::2], places[1::2]) + 2
    size = 7.8, 0.17 * heights.sum() + 0.24 * len(tasks)
    fig, axes = plt.subplots(len(heights), 2, figsize=size, height_ratios=[*heights])
    for ax, task, ours in zip(axes.flat, tasks, outcomes, strict=True):
        pictures.ranges_beside(task.outcome, ours, ax).set_title(task.label)
        ax.set_xlabel("")
    for ax in axes[-1]:
        ax.set_xlabel("rank", fontsize=SIZE)
    return fig


def stacked(parts: pd.DataFrame, ax: Axes) -> Axes:
    """Draw each row's numbers as a bar, one part (column) after the other."""
    left = np.zeros(len(parts))
    for (name, part), colour in zip(parts.items(), COLOURS, strict=False):
        ax.barh(range(len(parts)), part, left=left, color=colour, label=name)
        left += part.to_numpy()
    rows(ax, parts.index).tick_params(labelsize=SIZE)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    return ax


def marked(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw a mark for each column of a table, one row below the other."""
    place = np.arange(len(table))
    ax.hlines(place, table.min(axis=1), table.max(axis=1), color="0.8", zorder=1)
    for (name, values), (colour, mark) in zip(table.items(), MARKS, strict=False):
        ax.scatter(values, place, s=30, color=colour, marker=mark, label=name, zorder=2)
    rows(ax, table.index).tick_params(labelsize=SIZE)
    return ax
