"""What results draw themselves by: a row for each system, a cell for each pair."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

BLUE, ORANGE, GREEN, RED, PURPLE, _, _, GREY, _, SKY = sns.color_palette("colorblind")
MOST_CELLS = 14  # systems up to which every cell of a heatmap shows its number
SIZE = 8  # of names, in points
NAMES = {  # of columns of results, and of `intervals`
    "rank": "place",
    "best_rank": "best",
    "worst_rank": "worst",
    "rank_low": "best",
    "rank_high": "worst",
    "score_low": "low",
    "score_high": "high",
}


def new_axes(size: int) -> Axes:
    """Make axes of a new figure for a number of rows."""
    height = min(1.2 + 0.3 * size, 30)
    return plt.subplots(figsize=(6, height), layout="constrained")[1]


def rows(ax: Axes, labels: Sequence[str]) -> Axes:
    """Draw a row for each label, the first on top, with a grid of the values."""
    ax.set_yticks(range(len(labels)), labels, fontsize=SIZE)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color="0.92")
    ax.set_axisbelow(True)
    return ax


def draw_lines(ax: Axes, below: Sequence[bool] | np.ndarray) -> None:
    """Draw lines below the last system of each cluster."""
    for row in np.flatnonzero(below):
        ax.axhline(row + 0.5, color="0.3", lw=0.8)


def systems(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the table of a ranking, with what it has: intervals, ranges, lines."""
    frame = table.rename(columns=NAMES).dropna(axis="columns", how="all")
    if "line" not in frame:
        cluster = frame["cluster"] if "cluster" in frame else frame["place"] * 0
        frame["line"] = cluster.diff(-1).fillna(0) != 0
    return intervals(frame, ax)


def intervals(frame: pd.DataFrame, ax: Axes) -> Axes:
    """Draw each system's score, or its rank if there are no scores, with an interval.

    Parameters
    ----------
    frame : DataFrame, best first
        Columns system and line (whether a line is below it); score, and low and
        high if there are intervals; without scores place, best and worst, which may be
        NaN.
    """
    row = np.arange(len(frame))
    middle, low, high = "place", "best", "worst"
    if "score" in frame:
        middle, low, high = "score", "low", "high"
    if {low, high} <= set(frame):
        ends = frame[[low, high]].astype(float)
        ax.hlines(row, ends[low], ends[high], color=SKY, lw=4)
    ax.plot(frame[middle], row, "o", color="k", ms=4)
    draw_lines(ax, frame["line"])
    rows(ax, frame["system"]).set_xlabel(middle)
    return ax


def squares(
    table: pd.DataFrame,
    ax: Axes,
    *,
    cmap: str,
    limits: tuple[float, float],
    label: str,
    **options: Any,
) -> Axes:
    """Draw a cell of colour for each number of a table; missing ones stay white.

    Parameters
    ----------
    limits : two numbers
        Where the colours begin and end.
    label : str
        Of the colour bar.
    **options
        Of `seaborn.heatmap`.
    """
    sns.heatmap(
        table,
        ax=ax,
        cmap=cmap,
        vmin=limits[0],
        vmax=limits[1],
        cbar_kws={"label": label, "shrink": 0.8, "pad": 0.02},
        **options,
    )
    ax.set(xlabel="", ylabel="")
    ax.tick_params(length=0, labelsize=SIZE)
    return ax


def margins(table: pd.DataFrame, met: pd.DataFrame, ax: Axes) -> Axes:
    """Draw margins, negative ones above the diagonal framed.

    Parameters
    ----------
    table : DataFrame, systems x systems
        Wins of the row's system less wins of the column's, in the order that is drawn.
    met : DataFrame of bool
        Pairs that are not blank.
    """
    size = len(table)
    framed = np.triu(table < 0, 1) & met
    limit = max(1, np.abs(table.to_numpy()).max())
    numbered = np.triu(framed | (size <= MOST_CELLS), 1)
    squares(
        table,
        ax,
        cmap="RdBu_r",
        limits=(-limit, limit),
        label="wins less losses of the row",
        mask=~met,
        annot=table.astype(str).where(numbered, ""),
        fmt="",
        annot_kws={"fontsize": SIZE, "in_layout": False},
        square=True,
        cbar_ax=ax.inset_axes((1.03, 0, 0.035, 1)),
    )
    for row, column in np.argwhere(framed.to_numpy()):
        ax.add_patch(Rectangle((column, row), 1, 1, fill=False, ec="k", lw=1.6))
    ax.set(anchor="NW")
    middles = np.arange(size) + 0.5
    ax.set_xticks(middles, table.columns, rotation=90)
    ax.set_yticks(middles, table.index, rotation=0)
    return ax
