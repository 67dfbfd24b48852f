"""Tournaments, rankings and what they violate. Every plot function takes and returns axes."""

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, Rectangle

from wmtlib.judgements.counting import Counts
from wmtlib.judgements.method_names import title

# Okabe and Ito's palette, for any colour vision. One colour and one shape a method, everywhere.
METHOD_COLOURS = {
    "wmt-official": "#0072B2",
    "heuristic2": "#E69F00",
    "bojar": "#009E73",
    "mfas": "#000000",
}
METHOD_MARKERS = {"wmt-official": "s", "heuristic2": "^", "bojar": "D", "mfas": "o"}
VIOLATED = "#D55E00"
MOVERS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")  # systems that move most
MOST_NUMBERS = 14  # systems up to which every cell of a heatmap shows its number


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
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    place = dict(zip(wins.index, points, strict=True))
    for a in wins.index:
        for b in wins.columns:
            if (weight := wins.loc[a, b] - wins.loc[b, a]) > 0:
                _edge(ax, place[a], place[b], str(weight), dotted=(a, b) in reversed_edges)
        x, y = place[a]
        ax.plot(x, y, "o", color="k", ms=7)
        side = "center" if abs(x) < 0.1 else "left" if x > 0 else "right"
        ax.text(1.12 * x, 1.16 * y, a, ha=side, va="center", fontweight="bold")
    ax.set(xlim=(-1.7, 1.7), ylim=(-1.3, 1.3), aspect="equal")
    ax.axis("off")
    return ax


def _edge(ax: Axes, start: np.ndarray, end: np.ndarray, weight: str, *, dotted: bool) -> None:
    """An arrow with its weight."""
    arrow = FancyArrowPatch(
        start,
        end,
        arrowstyle="-|>",
        mutation_scale=14,
        shrinkA=7,
        shrinkB=7,
        linestyle=":" if dotted else "-",
        linewidth=1.5,
        color=VIOLATED if dotted else "0.45",
    )
    ax.add_patch(arrow)
    x, y = 0.74 * start + 0.26 * end  # off the crossings of four or five vertices
    colour = VIOLATED if dotted else "k"
    white = {"fc": "w", "ec": "none", "pad": 1}
    ax.text(x, y, weight, ha="center", va="center", color=colour, bbox=white)


def heatmap(counts: Counts, order: Sequence[str], ax: Axes) -> Axes:
    """Who beat whom, rows and columns in ranking order, violated cells framed.

    Colour and number of a cell are one thing: the margin, wins of the row's system less wins of
    the column's. A ranking agrees with every pair if no margin above the diagonal is negative;
    those that are negative are framed. Of many systems only the framed cells show their number.
    Pairs never compared are blank.
    """
    wins = counts.wins.loc[[*order], [*order]]
    met = (wins + wins.T + counts.ties.loc[[*order], [*order]]).to_numpy() > 0
    margin, n = (wins - wins.T).to_numpy(), len(order)
    limit = max(1, np.abs(margin).max())
    shown = np.where(met, margin, np.nan)
    image = ax.imshow(shown, cmap="RdBu_r", vmin=-limit, vmax=limit, aspect="equal")
    size = 8 if n <= 10 else 7
    for row, column in np.argwhere(met):
        framed = row < column and margin[row, column] < 0
        if framed:
            corner = (column - 0.5, row - 0.5)
            ax.add_patch(Rectangle(corner, 1, 1, fill=False, ec="k", lw=1.6))
        if framed or n <= MOST_NUMBERS:
            dark = abs(margin[row, column]) > 0.6 * limit
            number = {"fontsize": size, "color": "w" if dark else "k", "in_layout": False}
            ax.text(column, row, str(margin[row, column]), ha="center", va="center", **number)
    ax.set_xticks(range(n), order, rotation=90)
    ax.set_yticks(range(n), order)
    ax.tick_params(length=0, labelsize=size)
    ax.spines[:].set_visible(False)
    ax.set_anchor("NW")  # constrained layout measures the labels of a centred square wrongly
    bar = ax.figure.colorbar(image, cax=ax.inset_axes([1.03, 0, 0.035, 1]))
    bar.set_label("wins less losses of the row", fontsize=7)
    bar.ax.tick_params(labelsize=size)
    bar.outline.set_visible(False)
    return ax


def bump(ranks: pd.DataFrame, ax: Axes, *, apart: pd.Series | None = None) -> Axes:
    """Rankings side by side: one column a method, one line a system, lines that cross.

    Parameters
    ----------
    ranks : DataFrame, systems x methods
        Rank of each system, 1 = best; the same rank in the order of the rows. The systems that
        move most between methods, as many as `MOVERS` has colours, are drawn in colour, their
        names too.
    apart : Series, by system, optional
        By how much they move, if that is not the difference of their places.
    """
    ranks = ranks.rank(method="first").astype(int)
    moves = ranks.max(axis=1) - ranks.min(axis=1) if apart is None else apart
    most = moves[moves > 0].sort_values(ascending=False, kind="stable").index[: len(MOVERS)]
    colours = dict(zip(most, MOVERS, strict=False))
    for system, row in ranks.iterrows():
        colour, wide = colours.get(system, "0.75"), 2 if system in colours else 1
        above = 3 if system in colours else 2
        ax.plot(row.to_numpy(), "o-", color=colour, lw=wide, ms=4, zorder=above)
    for axis, method in ((ax, 0), (ax.secondary_yaxis("right"), -1)):
        placed = ranks.iloc[:, method].sort_values()
        # Left-to-right marks keep the rank of an Arabic or Hebrew name beside its line.
        names = [
            f"\u200e{k}  {s}" if method else f"\u200e{s}\u200e  {k}" for s, k in placed.items()
        ]
        axis.set_yticks(range(1, len(ranks) + 1), names)
        axis.tick_params(length=0, labelsize=8 if len(ranks) <= 16 else 7)
        axis.spines[:].set_visible(False)
        for label, system in zip(axis.get_yticklabels(), placed.index, strict=True):
            label.set_color(colours.get(system, "0.3"))
    ax.set_xticks(range(ranks.shape[1]), [title(name) for name in ranks.columns])
    ax.tick_params(axis="x", rotation=30 if ranks.shape[1] > 3 else 0)
    ax.set(xlim=(-0.1, ranks.shape[1] - 0.9), ylim=(len(ranks) + 0.6, 0.4))
    return ax


def violated_by_task(weights: pd.DataFrame, ax: Axes) -> Axes:
    """Violated weight of each task (rows, the first on top) under each method (columns).

    Within a task the methods stand a little below one another, so that none hides another.
    """
    below = np.arange(len(weights))[::-1]
    ax.hlines(below - 0.5, 0, weights.max(axis=None), color="0.94", lw=0.8)
    for step, method in zip(np.linspace(0.27, -0.27, weights.shape[1]), weights, strict=True):
        marker, colour = METHOD_MARKERS[method], METHOD_COLOURS[method]
        ax.plot(weights[method], below + step, marker, ms=4.5, label=title(method), color=colour)
    ax.set_yticks(below, weights.index)
    ax.set(xlabel="violated weight (judgements against the ranking)", ylim=(-0.7, len(weights)))
    ax.grid(axis="x", color="0.92")
    ax.set_axisbelow(True)
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
    ax.hlines(below, ranges["best"], ranges["worst"], color=MOVERS[0], lw=6, alpha=0.5)
    ax.plot(below, below, "o", color="k", ms=4)
    ax.set_yticks(below, ranges.index)
    ax.set(ylim=(len(ranges) + 0.6, 0.4), xlim=(0.4, len(ranges) + 0.6))
    ax.set_xlabel("rank in the optimal orders")
    ax.xaxis.set_major_locator(mpl.ticker.MaxNLocator(integer=True))
    ax.grid(axis="x", color="0.92")
    ax.tick_params(axis="y", length=0, labelsize=8 if len(ranges) <= 16 else 7)
    return ax
