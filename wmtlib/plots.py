"""Pictures of judgements, rankings and models, by seaborn: axes in, axes out."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from wmtlib.files.forms import count
from wmtlib.methods import rank, title

BLUE, ORANGE, GREEN, RED, PURPLE, _, _, GREY, _, SKY = sns.color_palette("colorblind")
# Of systems that move.
MOVERS = (BLUE, RED, GREEN, PURPLE, ORANGE, SKY, "k", "saddlebrown")
MOST_CELLS = 14  # systems up to which every cell of a heatmap shows its number
SIZE = 8  # of names, in points


def rows(ax: Axes, labels: Sequence[str]) -> Axes:
    """Draw a row for each label, the first on top, with a grid of the values."""
    ax.set_yticks(range(len(labels)), labels, fontsize=SIZE)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color="0.92")
    ax.set_axisbelow(True)
    return ax


def heatmap(
    judgements: Any, order: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw margins, rows and columns in ranking order, violated cells framed.

    Colour and number of a cell are one thing: the margin, wins of the row's system less
    wins of the column's. A ranking agrees with every pair if no margin above the
    diagonal is negative; those that are negative are framed. Numbers are above the
    diagonal, those below have the other sign; of many systems only the framed cells
    show theirs. Pairs never compared are blank.

    Parameters
    ----------
    judgements : path, campaign:task, DataFrame, Judgements or Counts
        Comparisons or rankings; see `forms.count`.
    order : names, best first, optional
        The order of `rank` if not given.
    ax : Axes, optional
        A new figure's if not given.

    Examples
    --------
    >>> votes = pd.DataFrame({"a": [*"xy"], "b": [*"yz"], "outcome": "a"})
    >>> from matplotlib.figure import Figure
    >>> len(heatmap(votes, ax=Figure().subplots()).get_xticklabels())
    3
    """
    counts = count(judgements)
    order = rank(counts).order if order is None else [*order]
    ax = plt.subplots()[1] if ax is None else ax
    margins = counts.margins.loc[order, order]
    met = counts.met.loc[order, order] > 0
    framed = np.triu(margins < 0, 1) & met
    limit = max(1, np.abs(margins.to_numpy()).max())
    numbered = np.triu(framed | (len(order) <= MOST_CELLS), 1)
    squares(
        margins,
        ax,
        cmap="RdBu_r",
        limits=(-limit, limit),
        label="wins less losses of the row",
        mask=~met,
        annot=margins.astype(str).where(numbered, ""),
        fmt="",
        annot_kws={"fontsize": SIZE, "in_layout": False},
        square=True,
        cbar_ax=ax.inset_axes((1.03, 0, 0.035, 1)),
    )
    for row, column in np.argwhere(framed.to_numpy()):
        ax.add_patch(Rectangle((column, row), 1, 1, fill=False, ec="k", lw=1.6))
    ax.set(anchor="NW")
    middles = np.arange(len(order)) + 0.5
    ax.set_xticks(middles, order, rotation=90)
    ax.set_yticks(middles, order, rotation=0)
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


def draw_lines(ax: Axes, below: Sequence[bool] | np.ndarray) -> None:
    """Draw lines below the last system of each cluster."""
    for row in np.flatnonzero(below):
        ax.axhline(row + 0.5, color="0.3", lw=0.8)


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
        Columns judge, reliability, low, high, expected, doubtful, as `agreement.judges`
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
