"""Figures of direct assessment: rankings with significance lines, degradation, HITs, documents.

Axes in, axes out.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from wmtlib.assessment.campaign import Campaign
from wmtlib.judgements.intervals import wilson
from wmtlib.plots.cells import coloured_cells
from wmtlib.plots.tournament_plots import VIOLATED

CHANGE_COLOURS = {"rank": "#0072B2", "cluster": "#D55E00", "both": "#009E73"}
CHANGE_MARKS = {"rank": "o", "cluster": "s", "both": "^"}
MOVED = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#000000", "#8B6914", "#7F3C8D"]
ITEM_COLOURS = {"SYSTEM, REPEAT": "0.7", "REF": "#D55E00", "BAD_REF": "k"}
MOST_NUMBERS = 20  # systems of a square map whose cells can carry numbers
MOST_LABELS = 40  # names of documents that can be read one below the other


def workers(scales: pd.DataFrame, ax: Axes) -> Axes:
    """Mean and standard deviation of each worker's scores; the area is the number of judgements.

    Parameters
    ----------
    scales : DataFrame
        Columns judgements, mean, sd, as `zscores.worker_table` gives.
    """
    ax.scatter(
        scales["mean"], scales["sd"], s=scales["judgements"] / 10, alpha=0.5, color="#0072B2"
    )
    for number in (100, 500, 1000):
        if number <= scales["judgements"].max():
            ax.scatter([], [], s=number / 10, alpha=0.5, color="#0072B2", label=f"{number}")
    if ax.get_legend_handles_labels()[0]:
        ax.legend(title="judgements", frameon=False)
    ax.set(title="workers", xlabel="mean score (0-100)", ylabel="standard deviation (points)")
    return ax


def score_histogram(campaign: Campaign, ax: Axes) -> Axes:
    """How the scale is used, for outputs, references and spoiled references."""
    bins = np.arange(-0.5, 105, 4)
    for label, colour in ITEM_COLOURS.items():
        score = campaign.score[campaign.is_item(*label.split(", "))]
        if len(score):
            kind = "bar" if label.startswith("SYSTEM") else "step"
            ax.hist(score, bins=bins, histtype=kind, color=colour, label=label)
    ax.set(title="scores", xlabel="score (0-100)", ylabel="judgements")
    ax.legend(frameon=False)
    return ax


def ladder(
    ranking: pd.DataFrame,
    below: Sequence[bool],
    ax: Axes,
    *,
    humans: Sequence[str] = (),
    intervals: pd.DataFrame | None = None,
) -> Axes:
    """Mean z-scores, best first, a horizontal line below the end of each cluster.

    Parameters
    ----------
    ranking : DataFrame, best first; columns system, z
    below : one bool a system
        Whether a significance line stands below it.
    humans : systems drawn in colour
    intervals : DataFrame, index system, columns low, high, optional
    """
    place = np.arange(len(ranking))
    colours = [VIOLATED if system in humans else "k" for system in ranking["system"]]
    ax.axvline(0, color="0.85", zorder=0)
    if intervals is not None:
        ends = intervals.loc[ranking["system"]]
        ax.hlines(place, ends["low"], ends["high"], color=colours, lw=1, zorder=2)
    ax.scatter(ranking["z"], place, color=colours, s=22, zorder=3)
    for row in np.flatnonzero(below):
        ax.axhline(row + 0.5, color="0.3", lw=0.8)
    ax.set_yticks(place, ranking["system"])
    ax.set(ylim=(len(ranking) - 0.4, -0.6), xlabel="mean z-score (workers' standard deviations)")
    ax.tick_params(axis="y", length=0, labelsize=7)
    ax.grid(axis="x", color="0.94")
    return ax


def degradation(
    curves: pd.DataFrame,
    ax: Axes,
    *,
    pairs: int | None = None,
    printed: pd.DataFrame | None = None,
) -> Axes:
    """Share of rankings that change as human scores are divided (Knowles 2021, Figure 1).

    Parameters
    ----------
    curves, printed : DataFrame, index divisor, columns rank, cluster, both
        Shares of language pairs, 0 to 1; `printed` is drawn hollow beside ours.
    pairs : int, optional
        Language pairs behind `curves`: Wilson's intervals (95 %) are drawn.
    """
    for k, (change, colour) in enumerate(CHANGE_COLOURS.items()):
        x, mark = curves.index * (1 + 0.03 * (k - 1)), CHANGE_MARKS[change]
        ax.plot(x, curves[change], f"{mark}-", color=colour, label=change, zorder=3)
        if pairs:
            low, high = wilson(curves[change].to_numpy(), pairs)
            ax.vlines(x, low, high, color=colour, lw=0.8, alpha=0.6)
        if printed is not None:
            hollow = {"mfc": "w", "alpha": 0.7, "label": f"{change}, as printed"}
            ax.plot(printed.index, printed[change], f"{mark}:", color=colour, **hollow)
    ax.set_xscale("log")
    ax.set_xticks(curves.index, [f"{divisor:g}" for divisor in curves.index])
    ax.minorticks_off()
    ax.set(ylim=(-0.03, 1.03), xlabel="divisor of human scores (logarithmic axis)")
    ax.set_ylabel("share of pairs that change")
    ax.grid(axis="y", color="0.92")
    return ax


def degradation_panels(
    table: pd.DataFrame, axes: np.ndarray, *, printed: Mapping[str, pd.DataFrame]
) -> np.ndarray:
    """`degradation` for every panel (rows of axes) and style (columns: SR-DC, SR+DC).

    Parameters
    ----------
    table : DataFrame
        Columns panel, style, pair, divisor, rank, cluster, both.
    axes : ndarray of Axes, (panels, 2)
    printed : mapping of style to DataFrame
        As in `degradation`; drawn beside the paper's pairs.
    """
    changes = [*CHANGE_COLOURS]
    for row, panel in zip(axes, table["panel"].unique(), strict=True):
        for ax, style in zip(row, ("SR-DC", "SR+DC"), strict=True):
            chosen = table[(table["panel"] == panel) & (table["style"] == style)]
            number, curves = chosen["pair"].nunique(), chosen.groupby("divisor")[changes].mean()
            hollow = printed[style] if panel == "the paper's" else None
            degradation(curves, ax, pairs=number, printed=hollow)
            ax.set_title(f"{style}, {panel} pairs: {number}")
    axes[0, 0].legend(frameon=False, ncols=2, fontsize=7)
    return axes


def rank_lines(places: pd.DataFrame, below: pd.DataFrame, ax: Axes) -> Axes:
    """Rankings side by side with their significance lines (Knowles 2021, Figures 2 and 3).

    Systems that change places are drawn in colour.

    Parameters
    ----------
    places : DataFrame, systems x rankings
        Place of each system, 1 = best.
    below : DataFrame of bool, systems x rankings
        Whether a significance line stands below the system: a bar between the places.
    """
    moved = places.index[places.nunique(axis=1) > 1]
    palette = {name: MOVED[k % len(MOVED)] for k, name in enumerate(moved)}
    style = {name: "-" if k < len(MOVED) else "--" for k, name in enumerate(moved)}
    columns = np.arange(places.shape[1])
    for system, row in places.iterrows():
        strong = system in palette
        ax.plot(
            columns,
            row,
            style.get(system, "-"),
            color=palette.get(system, "0.75"),
            lw=2 if strong else 1,
            zorder=2 if strong else 1,
        )
    for column, name in enumerate(places):
        rows = places.loc[below[name], name] + 0.5
        ax.hlines(rows, column - 0.13, column + 0.13, color="k", lw=2.2, zorder=3)
    first, last = places.columns[0], places.columns[-1]
    ax.set_xticks(columns, places.columns)
    ax.set_yticks(places[first], places.index)
    right = ax.secondary_yaxis("right")
    right.set_yticks(places[last], places.index)
    for side in (ax, right):
        side.tick_params(axis="y", length=0, labelsize=7)
        for label in side.get_yticklabels():
            label.set_color(palette.get(label.get_text(), "0.3"))
    ax.set(ylim=(len(places) + 0.7, 0.3), xlim=(-0.2, len(columns) - 0.8))
    ax.spines["left"].set_visible(False)
    return ax


def shares(table: pd.DataFrame, ax: Axes, *, label: str, most: float = 1.0) -> Axes:
    """A square of shares, such as how often two systems meet in a HIT (Knowles 2021, Figure 4)."""
    coloured_cells(
        table,
        ax,
        cmap="viridis",
        limits=(0, most),
        label=label,
        shrink=0.7,
        line=0.4,
        decimals=2 if table.shape[0] <= MOST_NUMBERS else None,
    )
    ax.set_aspect("equal")
    ax.set_anchor("W")
    return ax


def documents(table: pd.DataFrame, ax: Axes) -> Axes:
    """Mean raw score of each document and system, easiest document first (Knowles 2021, Figure 5).

    Cells of pairs that nobody judged stay white. Of many documents only the places are shown.
    """
    named = len(table) <= MOST_LABELS
    coloured_cells(table, ax, cmap="viridis", limits=(0, 100), label="mean raw score (0-100)")
    if not named:
        marks = np.arange(0, len(table), 20)
        ax.set_yticks(marks + 0.5, marks + 1)
        ax.set_ylabel("documents, easiest first")
    return ax
