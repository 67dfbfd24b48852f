"""Figures of direct assessment: rankings with significance lines, degradation, HITs, documents.

Axes in, axes out.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes

from wmtlib.plots.tournament_plots import VIOLATED

CHANGE_COLOURS = {"rank": "#0072B2", "cluster": "#E69F00", "both": "#009E73"}


def ladder(
    ranking: pd.DataFrame, below: Sequence[bool], ax: Axes, *, humans: Sequence[str] = ()
) -> Axes:
    """Mean z-scores, best first, a horizontal line below the end of each cluster.

    Parameters
    ----------
    ranking : DataFrame, best first; columns system, z
    below : one bool a system
        Whether a significance line stands below it.
    humans : systems drawn in colour
    """
    place = np.arange(len(ranking))
    colours = [VIOLATED if system in humans else "k" for system in ranking["system"]]
    ax.axvline(0, color="0.85", zorder=0)
    ax.scatter(ranking["z"], place, color=colours, zorder=2)
    for row in np.flatnonzero(below):
        ax.axhline(row + 0.5, color="0.3", lw=0.8)
    ax.set_yticks(place, ranking["system"])
    ax.set(ylim=(len(ranking) - 0.4, -0.6), xlabel="mean z-score (workers' standard deviations)")
    ax.tick_params(axis="y", length=0, labelsize=7)
    ax.grid(axis="x", color="0.94")
    return ax


def degradation(curves: pd.DataFrame, ax: Axes, *, printed: pd.DataFrame | None = None) -> Axes:
    """Share of rankings that change as human scores are divided (Knowles 2021, Figure 1).

    Parameters
    ----------
    curves, printed : DataFrame, index divisor, columns rank, cluster, both
        Shares of language pairs, 0 to 1; `printed` is drawn hollow beside ours.
    """
    for change, colour in CHANGE_COLOURS.items():
        ax.plot(curves.index, curves[change], "o-", color=colour, label=change)
        if printed is not None:
            ax.plot(printed.index, printed[change], "s:", color=colour, mfc="w", alpha=0.7)
    ax.set_xscale("log")
    ax.set_xticks(curves.index, [f"{divisor:g}" for divisor in curves.index])
    ax.minorticks_off()
    ax.set(
        ylim=(-0.03, 1.03), xlabel="divisor of human scores", ylabel="share of pairs that change"
    )
    ax.grid(axis="y", color="0.92")
    return ax


def rank_lines(
    places: pd.DataFrame, below: pd.DataFrame, ax: Axes, *, shown: Sequence[str] = ()
) -> Axes:
    """Rankings side by side with their significance lines (Knowles 2021, Figures 2 and 3).

    Parameters
    ----------
    places : DataFrame, systems x rankings
        Place of each system, 1 = best.
    below : DataFrame of bool, systems x rankings
        Whether a significance line stands below the system: drawn as an x between the places.
    shown : systems drawn in colour; by default those that change places
    """
    moved = shown or places.index[places.nunique(axis=1) > 1]
    palette = dict(zip(moved, sns.color_palette("colorblind", len(moved)), strict=True))
    columns = np.arange(places.shape[1])
    for system, row in places.iterrows():
        strong = system in palette
        ax.plot(
            columns,
            row,
            color=palette.get(system, "0.75"),
            lw=2 if strong else 1,
            zorder=2 if strong else 1,
        )
    for column, name in enumerate(places):
        rows = places.loc[below[name], name] + 0.5
        ax.plot(np.full(len(rows), column), rows, "x", color="k", ms=5, zorder=3)
    first, last = places.columns[0], places.columns[-1]
    ax.set_xticks(columns, places.columns)
    ax.set_yticks(places[first], places.index)
    right = ax.secondary_yaxis("right")
    right.set_yticks(places[last], places.index)
    for side in (ax, right):
        side.tick_params(axis="y", length=0, labelsize=7)
    ax.set(ylim=(len(places) + 0.7, 0.3), xlim=(-0.2, len(columns) - 0.8))
    ax.spines["left"].set_visible(False)
    return ax


def shares(table: pd.DataFrame, ax: Axes, *, label: str, most: float = 1.0) -> Axes:
    """A square of shares, such as how often two systems meet in a HIT (Knowles 2021, Figure 4)."""
    sns.heatmap(
        table,
        ax=ax,
        vmin=0,
        vmax=most,
        cmap="viridis",
        square=True,
        annot=table.shape[0] <= 18,
        fmt=".2f",
        annot_kws={"size": 6},
        linewidths=0.4,
        xticklabels=True,
        yticklabels=True,
        cbar_kws={"label": label, "shrink": 0.7},
    )
    ax.set_anchor("W")
    ax.tick_params(length=0, labelsize=7)
    ax.set(xlabel="", ylabel="")
    return ax


def documents(table: pd.DataFrame, ax: Axes) -> Axes:
    """Mean raw score of each document and system, easiest document first (Knowles 2021, Figure 5).

    Cells of pairs that nobody judged stay white.
    """
    sns.heatmap(
        table,
        ax=ax,
        cmap="viridis",
        vmin=0,
        vmax=100,
        xticklabels=True,
        yticklabels=True,
        cbar_kws={"label": "mean raw score (0-100)", "shrink": 0.5},
    )
    ax.tick_params(axis="y", length=0, labelsize=6 if len(table) < 90 else 5)
    ax.tick_params(axis="x", length=0, labelsize=7, rotation=90)
    ax.set(xlabel="", ylabel="")
    return ax
