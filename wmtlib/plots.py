"""Pictures of judgements, rankings and models, by seaborn: axes in, axes out."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from wmtlib.core.drawing import (
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    RED,
    SIZE,
    SKY,
    margins,
    rows,
)
from wmtlib.core.drawing import GREY as GREY
from wmtlib.core.drawing import draw_lines as draw_lines
from wmtlib.core.drawing import intervals as intervals
from wmtlib.core.drawing import squares as squares
from wmtlib.files.forms import count
from wmtlib.methods import rank, title

# Of systems that move.
MOVERS = (BLUE, RED, GREEN, PURPLE, ORANGE, SKY, "k", "saddlebrown")


def heatmap(
    data: Any, order: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw margins, rows and columns in ranking order, violated cells framed.

    Colour and number of a cell are one thing: the margin, wins of the row's system less
    wins of the column's. A ranking agrees with every pair if no margin above the
    diagonal is negative; those that are negative are framed. Numbers are above the
    diagonal, those below have the other sign; of many systems only the framed cells
    show theirs. Pairs never compared are blank.

    Parameters
    ----------
    data : path, campaign:task, DataFrame, Judgements or Counts
        Comparisons or rankings, as `wmtlib.count` takes them.
    order : names, best first, optional
        The order of `wmtlib.rank` if not given.
    ax : Axes, optional
        A new figure's if not given.

    Examples
    --------
    >>> votes = pd.DataFrame({"a": [*"xy"], "b": [*"yz"], "outcome": "a"})
    >>> from matplotlib.figure import Figure
    >>> len(heatmap(votes, ax=Figure().subplots()).get_xticklabels())
    3
    """
    counts = count(data)
    order = rank(counts).order if order is None else [*order]
    ax = plt.subplots()[1] if ax is None else ax
    return margins(
        counts.margins.loc[order, order], counts.met.loc[order, order] > 0, ax
    )


def bump(ranks: pd.DataFrame, ax: Axes) -> Axes:
    """Draw rankings side by side, a column a method, a line a system.

    Parameters
    ----------
    ranks : DataFrame, systems x methods
        Rank of each system, 1 = best; the same rank in the order of the rows. The
        systems that move most between methods are drawn in colour, their names too.
    """
    ranks = ranks.rank(method="first").astype(int)
    moves = ranks.max(axis=1) - ranks.min(axis=1)
    most = moves[moves > 0].sort_values(ascending=False, kind="stable").index[:5]
    colours = dict(zip(most, MOVERS, strict=False))
    # Left-to-right marks keep the rank of an Arabic or Hebrew name beside its line.
    texts = ("\u200e{system}\u200e  {rank}", "\u200e{rank}  {system}")
    system_lines(ranks, colours, ax, texts=texts, marker="o")
    ax.set_xticks(range(ranks.shape[1]), [title(name) for name in ranks.columns])
    ax.tick_params(axis="x", rotation=30 if ranks.shape[1] > 3 else 0)
    ax.set(xlim=(-0.1, ranks.shape[1] - 0.9), ylim=(len(ranks) + 0.6, 0.4))
    return ax


def system_lines(
    places: pd.DataFrame,
    colours: Mapping[Any, Any],
    ax: Axes,
    *,
    texts: Sequence[str] = ("{system}", "{system}"),
    dashed: Collection[str] = (),
    marker: str = "",
) -> None:
    """Draw a line for each system, with names at both ends; those that move on top."""
    for system, row in places.iterrows():
        moves = system in colours
        ax.plot(
            row.to_numpy(),
            ls="--" if system in dashed else "-",
            marker=marker,
            ms=4,
            color=colours.get(system, "0.6"),
            lw=2 if moves else 1,
            zorder=2 if moves else 1,
        )
    for axis, text, end in zip(
        (ax, ax.secondary_yaxis("right")), texts, (0, -1), strict=True
    ):
        of_systems = places.iloc[:, end]
        names = [text.format(system=name, rank=k) for name, k in of_systems.items()]
        axis.set_yticks([*of_systems], names)
        axis.tick_params(axis="y", length=0, labelsize=SIZE)
        axis.spines[:].set_visible(False)
        for label, system in zip(axis.get_yticklabels(), places.index, strict=True):
            label.set_color(colours.get(system, "0.3"))


def rank_ranges(ranges: pd.DataFrame, ax: Axes) -> Axes:
    """Draw best and worst rank of each system over all optimal orders.

    Parameters
    ----------
    ranges : DataFrame, columns best and worst, rows in the order shown
    """
    row = np.arange(len(ranges))
    ax.hlines(row, ranges["best"], ranges["worst"], color=BLUE, lw=6, alpha=0.5)
    ax.plot(row + 1, row, "o", color="k", ms=4)
    rows(ax, ranges.index).set_xlabel("rank in the optimal orders")
    ax.set_xlim(0.4, len(ranges) + 0.6)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return ax


def perplexities(frame: pd.DataFrame, ax: Axes) -> Axes:
    """Draw held-out perplexities, best on top, with bars of two standard errors.

    Parameters
    ----------
    frame : DataFrame
        Columns model, perplexity, error; models of infinite perplexity are only named.
    """
    row = np.flatnonzero(np.isfinite(frame["perplexity"].to_numpy(float)))
    drawn = frame.iloc[row]
    ax.errorbar(drawn["perplexity"], row, xerr=2 * drawn["error"], fmt="ok", capsize=2)
    rows(ax, frame["model"].map(title)).set_xlabel("perplexity on held-out judgements")
    return ax


def reliabilities(frame: pd.DataFrame, ax: Axes) -> Axes:
    """Draw each judge's reliability with its interval, orange if doubtful.

    Parameters
    ----------
    frame : DataFrame
        Columns judge, reliability, low, high, expected, doubtful, as `wmtlib.judges`
        gives them.
    """
    row = np.arange(len(frame))
    doubtful = frame["doubtful"].fillna(False)
    colours = [RED if of_judge else "k" for of_judge in doubtful]
    ax.hlines(row, frame["low"], frame["high"], color=colours)
    ax.scatter(frame["reliability"], row, color=colours, s=16, zorder=3)
    ax.plot(frame["expected"], row, "|", color=SKY, ms=9, mew=2)
    rows(ax, frame["judge"]).set_xlabel("reliability")
    return ax


def reversals(frame: pd.DataFrame, ax: Axes) -> Axes:
    """Draw how many pairs change their order without each system, and become tied.

    Parameters
    ----------
    frame : DataFrame
        Columns removed, reversed, ties, as `wmtlib.stability` gives them.
    """
    row = np.arange(len(frame))
    ax.barh(row, frame["reversed"], color=BLUE, label="reversed")
    ax.barh(row, frame["ties"], left=frame["reversed"], color="0.8", label="tied")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    rows(ax, frame["removed"]).set_xlabel("pairs of the others in another order")
    ax.legend(fontsize=SIZE)
    return ax
