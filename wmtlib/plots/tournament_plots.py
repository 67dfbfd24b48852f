"""Figures. Every plot function takes the axes it draws on and returns them."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, Rectangle

from wmtlib.judgements.counting import Counts
from wmtlib.judgements.method_names import title

# Okabe and Ito's palette, for any colour vision. One colour a method, everywhere.
METHOD_COLOURS = {
    "wmt-official": "#0072B2",
    "heuristic2": "#E69F00",
    "bojar": "#009E73",
    "mfas": "#000000",
}
VIOLATED = "#D55E00"


def tournament(
    wins: pd.DataFrame, ax: Axes, *, reversed_edges: Sequence[tuple[str, str]] = ()
) -> Axes:
    """A small tournament as a graph: arrows from the better to the worse (Lopez 2012, Figure 2).

    Parameters
    ----------
    wins : DataFrame, systems x systems
    reversed_edges : pairs (winner, loser)
        Drawn dotted: the feedback arc set (Lopez 2012, Figure 3).
    """
    angle = np.pi / 2 - 2 * np.pi * np.arange(len(wins)) / len(wins)
    place = dict(zip(wins.index, np.column_stack([np.cos(angle), np.sin(angle)]), strict=True))
    for a in wins.index:
        for b in wins.columns:
            if (weight := wins.loc[a, b] - wins.loc[b, a]) <= 0:
                continue
            dotted = (a, b) in reversed_edges
            arrow = FancyArrowPatch(
                place[a],
                place[b],
                arrowstyle="-|>",
                mutation_scale=14,
                shrinkA=14,
                shrinkB=14,
                linestyle=":" if dotted else "-",
                linewidth=1.5,
                color=VIOLATED if dotted else "0.35",
            )
            ax.add_patch(arrow)
            x, y = 0.62 * place[a] + 0.38 * place[b]  # off the crossing in the middle
            ax.text(
                x,
                y,
                str(weight),
                ha="center",
                va="center",
                bbox={"fc": "w", "ec": "none", "pad": 1},
            )
        ax.text(
            *place[a],
            a,
            ha="center",
            va="center",
            fontweight="bold",
            bbox={"boxstyle": "circle", "fc": "w"},
        )
    ax.set(xlim=(-1.3, 1.3), ylim=(-1.3, 1.3), aspect="equal")
    ax.axis("off")
    return ax


def heatmap(counts: Counts, order: Sequence[str], ax: Axes) -> Axes:
    """Who beat whom, rows and columns in ranking order, violated cells framed.

    A cell is the share of decided comparisons that the row's system won against the column's,
    and its number the margin in judgements. A ranking agrees with every pair if all cells above
    the diagonal are at least one half; those that are not are framed.
    """
    wins = counts.wins.loc[[*order], [*order]]
    decided = wins + wins.T
    share = (wins / decided.where(decided > 0)).to_numpy()
    margin = (wins - wins.T).to_numpy()
    n = len(order)
    sns.heatmap(
        share,
        ax=ax,
        vmin=0,
        vmax=1,
        cmap="RdBu_r",
        square=True,
        annot=margin if n <= 26 else None,
        fmt="d",
        annot_kws={"size": 7 if n <= 16 else 5},
        mask=np.eye(n, dtype=bool),
        linewidths=0.5,
        xticklabels=[*order],
        yticklabels=[*order],
        cbar_kws={"label": "row's share of wins", "shrink": 0.6},
    )
    ax.set_anchor("W")  # constrained layout measures the labels of a centred square wrongly
    for row, column in np.argwhere(np.triu(margin < 0)):
        ax.add_patch(Rectangle((column, row), 1, 1, fill=False, ec="k", lw=1.8))
    ax.tick_params(length=0, labelsize=7 if n <= 16 else 6)
    ax.tick_params(axis="x", rotation=90)
    ax.tick_params(axis="y", rotation=0)
    return ax


def bump(ranks: pd.DataFrame, ax: Axes) -> Axes:
    """Rankings side by side: one column a method, one line a system, lines that cross.

    Parameters
    ----------
    ranks : DataFrame, systems x methods
        Place of each system, 1 = best. Systems that move between methods are drawn in colour.
    """
    moved = ranks.nunique(axis=1) > 1
    colours = dict(
        zip(ranks.index[moved], sns.color_palette("husl", int(moved.sum())), strict=True)
    )
    for system, row in ranks.iterrows():
        colour = colours.get(system, "0.7")
        ax.plot(row.to_numpy(), "o-", color=colour, lw=2 if system in colours else 1, ms=4)
    places = range(1, len(ranks) + 1)
    for axis, method in ((ax, 0), (ax.secondary_yaxis("right"), -1)):
        axis.set_yticks(places, ranks.iloc[:, method].sort_values().index)
        axis.tick_params(length=0, labelsize=7)
        axis.spines[:].set_visible(False)
    for place in places:
        for x, side in ((-0.08, "right"), (ranks.shape[1] - 0.92, "left")):
            ax.text(x, place, str(place), ha=side, va="center", fontsize=6, color="0.5")
    ax.set_xticks(range(ranks.shape[1]), map(title, ranks.columns))
    ax.set(xlim=(-0.35, ranks.shape[1] - 0.65), ylim=(len(ranks) + 0.6, 0.4))
    return ax


def violated_by_task(
    weights: pd.DataFrame, ax: Axes, *, colours: Mapping[str, str] = METHOD_COLOURS
) -> Axes:
    """Violated weight of each task (rows) under each method (columns)."""
    below = np.arange(len(weights))[::-1]
    ax.hlines(below, weights.min(axis=1), weights.max(axis=1), color="0.85", lw=3)
    for method in weights.columns:
        ax.plot(
            weights[method],
            below,
            "o",
            ms=6,
            label=title(method),
            color=colours[method],
            alpha=0.85,
        )
    ax.set_yticks(below, weights.index)
    ax.set(xlabel="violated weight (judgements against the ranking)", ylim=(-1, len(weights)))
    ax.grid(axis="x", color="0.92")
    ax.tick_params(axis="y", length=0)
    ax.legend(loc="lower right", frameon=False)
    return ax


def rank_ranges(ranges: pd.DataFrame, ax: Axes) -> Axes:
    """Best and worst rank of each system over all optimal orders; a dot marks the order shown.

    Parameters
    ----------
    ranges : DataFrame, columns best and worst, rows in the order shown
    """
    below = np.arange(1, len(ranges) + 1)
    ax.hlines(
        below, ranges["best"], ranges["worst"], color=METHOD_COLOURS["bojar"], lw=6, alpha=0.5
    )
    ax.plot(below, below, "o", color="k", ms=4)
    ax.set_yticks(below, ranges.index)
    ax.set(
        xlabel="rank over all optimal orders",
        ylim=(len(ranges) + 0.6, 0.4),
        xlim=(0.4, len(ranges) + 0.6),
    )
    ax.grid(axis="x", color="0.92")
    ax.tick_params(axis="y", length=0, labelsize=7)
    return ax
