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

from wmtlib.corrections import wilson
from wmtlib.counts import REFERENCE
from wmtlib.forms import count
from wmtlib.methods import rank, title

BLUE, ORANGE, GREEN, RED, PURPLE, _, _, GREY, _, SKY = sns.color_palette("colorblind")
# Of systems that move.
MOVERS = (BLUE, RED, GREEN, PURPLE, ORANGE, SKY, "k", "saddlebrown")
MOST_CELLS = 14  # systems up to which every cell of a heatmap shows its number
CHANGES = {"rank": BLUE, "cluster": RED, "both": GREEN}
MARKS = {"rank": "o", "cluster": "s", "both": "^"}
# Colour, marker and line of each model: no two differ by colour alone.
MODEL_STYLES = {
    "uniform": (GREY, "", "--"),
    "adjusted-uniform": (GREY, "x", "-"),
    "independent-pairs": (PURPLE, "^", "-"),
    "independent-students-asymmetric": ("purple", "v", "-"),
    "independent-students-arithmetic": (ORANGE, "s", "-"),
    "independent-students-geometric": (RED, "D", "-"),
    "independent-students-geometric-as-printed": (RED, "+", ":"),
    "irt-categorical": (GREEN, "P", "-"),
    "irt-gaussian": (BLUE, "o", "-"),
}


def rows(ax: Axes, labels: Sequence[str], *, size: float = 8) -> Axes:
    """A row for each label, the first on top, with a grid of the values."""
    if len(labels) > 16:
        size -= 1
    ax.set_yticks(range(len(labels)), labels, fontsize=size)
    ax.set_ylim(len(labels) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color="0.92")
    ax.set_axisbelow(True)
    return ax


def heatmap(
    judgements: Any, order: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Who beat whom, rows and columns in ranking order, violated cells framed.

    Colour and number of a cell are one thing: the margin, wins of the row's system less
    wins of the column's. A ranking agrees with every pair if no margin above the
    diagonal is negative; those that are negative are framed. Of many systems only the
    framed cells show their number. Pairs never compared are blank.

    Parameters
    ----------
    judgements : Counts, DataFrame, or what `wmtlib.read` returned
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
    met = (counts.wins + counts.wins.T + counts.ties).loc[order, order] > 0
    framed = np.triu(margins < 0, 1) & met
    limit = max(1, np.abs(margins.to_numpy()).max())
    size = 8 if len(order) <= 10 else 7
    numbered = framed | (len(order) <= MOST_CELLS)
    squares(
        margins,
        ax,
        cmap="RdBu_r",
        limits=(-limit, limit),
        label="wins less losses of the row",
        mask=~met,
        annot=margins.astype(str).where(numbered, ""),
        fmt="",
        annot_kws={"fontsize": size, "in_layout": False},
        square=True,
        cbar_ax=ax.inset_axes((1.03, 0, 0.035, 1)),
    )
    for row, column in np.argwhere(framed.to_numpy()):
        ax.add_patch(Rectangle((column, row), 1, 1, fill=False, ec="k", lw=1.6))
    ax.set(anchor="NW")
    middles = np.arange(len(order)) + 0.5
    ax.set_xticks(middles, order, rotation=90)
    ax.set_yticks(middles, order, rotation=0)
    ax.tick_params(labelsize=size)
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
    """A cell of colour for each number of a table; missing ones stay white.

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
    ax.tick_params(length=0, labelsize=7)
    return ax


def preferences(expected: pd.DataFrame, ax: Axes) -> Axes:
    """Which of two systems a model favours: P(row wins) - P(column wins)."""
    limit = float(expected.abs().max(axis=None))
    return squares(
        expected.rename(index=shown, columns=shown),
        ax,
        cmap="RdBu_r",
        limits=(-limit, limit),
        label="P(row wins) - P(column wins)",
        square=True,
        linewidths=0.5,
        xticklabels=True,
        yticklabels=True,
    )


def shown(name: str) -> str:
    """How a system is called in a picture."""
    return "reference" if name == REFERENCE else name


def tournament(
    wins: pd.DataFrame, ax: Axes, *, reversed_edges: Sequence[tuple[str, str]] = ()
) -> Axes:
    """A small tournament: arrows from the better to the worse (Lopez 2012, Figure 2).

    Parameters
    ----------
    wins : DataFrame, systems x systems
    reversed_edges : pairs (winner, loser)
        Drawn dotted: the feedback arc set (Lopez 2012, Figure 3).
    """
    angle = np.pi / 2 - 2 * np.pi * np.arange(len(wins)) / len(wins)
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    place = dict(zip(wins.index, points, strict=True))
    margins = wins - wins.T
    for a, start in place.items():
        for b, end in place.items():
            weight = margins.loc[a, b]
            if weight <= 0:
                continue
            feedback = (a, b) in reversed_edges
            arrow = {
                "arrowstyle": "-|>",
                "ls": ":" if feedback else "-",
                "color": RED if feedback else "0.45",
                "lw": 1.5,
                "shrinkA": 7,
                "shrinkB": 7,
                "mutation_scale": 14,
            }
            ax.annotate("", end, start, arrowprops=arrow)
            # Off the crossings of four or five vertices.
            x, y = 0.74 * start + 0.26 * end
            ax.text(
                x,
                y,
                str(weight),
                ha="center",
                va="center",
                color=RED if feedback else "k",
                bbox={"fc": "w", "ec": "none", "pad": 1},
            )
        x, y = start
        ax.plot(x, y, "o", color="k", ms=7)
        side = "left" if x > 0 else "right"
        if abs(x) < 0.1:
            side = "center"
        ax.text(1.12 * x, 1.16 * y, a, ha=side, va="center", fontweight="bold")
    ax.set(xlim=(-1.7, 1.7), ylim=(-1.3, 1.3), aspect="equal")
    ax.axis("off")
    return ax


def bump(ranks: pd.DataFrame, ax: Axes) -> Axes:
    """Rankings side by side: one column a method, one line a system, lines that cross.

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
    _system_lines(ranks, colours, ax, texts=texts, marker="o")
    ax.set_xticks(range(ranks.shape[1]), [title(name) for name in ranks.columns])
    ax.tick_params(axis="x", rotation=30 if ranks.shape[1] > 3 else 0)
    ax.set(xlim=(-0.1, ranks.shape[1] - 0.9), ylim=(len(ranks) + 0.6, 0.4))
    return ax


def rank_lines(places: pd.DataFrame, below: pd.DataFrame, ax: Axes) -> Axes:
    """Rankings side by side with significance lines (Knowles 2021, Figures 2 and 3).

    Systems that change places are drawn in colour.

    Parameters
    ----------
    places : DataFrame, systems x rankings
        Place of each system, 1 = best.
    below : DataFrame of bool, systems x rankings
        Whether a significance line stands below the system: a bar between the places.
    """
    moved = places.index[places.nunique(axis=1) > 1]
    colours = {name: MOVERS[k % len(MOVERS)] for k, name in enumerate(moved)}
    _system_lines(places, colours, ax, dashed=moved[len(MOVERS) :])
    for column, name in enumerate(places):
        between = places.loc[below[name], name] + 0.5
        ax.hlines(between, column - 0.13, column + 0.13, color="k", lw=2.2, zorder=3)
    ax.set_xticks(range(places.shape[1]), places.columns)
    ax.set(ylim=(len(places) + 0.7, 0.3), xlim=(-0.2, places.shape[1] - 0.8))
    return ax


def _system_lines(
    places: pd.DataFrame,
    colours: Mapping[Any, Any],
    ax: Axes,
    *,
    texts: Sequence[str] = ("{system}", "{system}"),
    dashed: Collection[str] = (),
    marker: str = "",
) -> None:
    """A line for each system, names at both ends; in colour those that move, on top."""
    for system, row in places.iterrows():
        moves = system in colours
        ax.plot(
            row.to_numpy(),
            ls="--" if system in dashed else "-",
            marker=marker,
            ms=4,
            color=colours.get(system, "0.75"),
            lw=2 if moves else 1,
            zorder=2 if moves else 1,
        )
    for axis, text, end in zip(
        (ax, ax.secondary_yaxis("right")), texts, (0, -1), strict=True
    ):
        of_systems = places.iloc[:, end]
        names = [text.format(system=name, rank=k) for name, k in of_systems.items()]
        axis.set_yticks([*of_systems], names)
        axis.tick_params(axis="y", length=0, labelsize=8 if len(names) <= 16 else 7)
        axis.spines[:].set_visible(False)
        for label, system in zip(axis.get_yticklabels(), places.index, strict=True):
            label.set_color(colours.get(system, "0.3"))


def rank_ranges(ranges: pd.DataFrame, ax: Axes) -> Axes:
    """Best and worst rank of each system over all optimal orders; a dot: the one shown.

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
    row = np.arange(len(ranking))
    colours = [RED if system in humans else "k" for system in ranking["system"]]
    ax.axvline(0, color="0.85", zorder=0)
    if intervals is not None:
        ends = intervals.loc[ranking["system"]]
        ax.hlines(row, ends["low"], ends["high"], color=colours, lw=1, zorder=2)
    ax.scatter(ranking["z"], row, color=colours, s=22, zorder=3)
    draw_lines(ax, below)
    label = "mean z-score (workers' standard deviations)"
    rows(ax, ranking["system"]).set_xlabel(label)
    return ax


def draw_lines(ax: Axes, below: Sequence[bool] | np.ndarray) -> None:
    """Lines below the last system of each cluster."""
    for row in np.flatnonzero(below):
        ax.axhline(row + 0.5, color="0.3", lw=0.8)


def intervals(frame: pd.DataFrame, ax: Axes) -> Axes:
    """Each system's score, or its rank if the method has no scores, with an interval.

    Parameters
    ----------
    frame : DataFrame, best first
        Columns system and line (whether a line stands below it); score, and low and
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
    """Held-out perplexity of each model, best on top, bars of two standard errors.

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
    """Each judge's reliability with its interval, orange if doubtful; expected: blue.

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


def degradation(
    curves: pd.DataFrame,
    ax: Axes,
    *,
    pairs: int | None = None,
    printed: pd.DataFrame | None = None,
) -> Axes:
    """Rankings that change as human scores are divided (Knowles 2021, Figure 1).

    Parameters
    ----------
    curves, printed : DataFrame, index divisor, columns rank, cluster, both
        Shares of language pairs, 0 to 1; `printed` is drawn hollow beside ours.
    pairs : int, optional
        Language pairs behind `curves`: Wilson's intervals (95 %) are drawn.
    """
    sns.lineplot(
        curves[[*CHANGES]],
        palette=CHANGES,
        markers=MARKS,
        dashes=False,
        mec="none",
        ax=ax,
    )
    for k, (change, colour) in enumerate(CHANGES.items()):
        if pairs:
            low, high = wilson(curves[change].to_numpy(), pairs)
            x = curves.index * (1 + 0.03 * (k - 1))
            ax.vlines(x, low, high, color=colour, lw=0.8, alpha=0.6)
        if printed is not None:
            ax.plot(
                printed.index,
                printed[change],
                f"{MARKS[change]}:",
                color=colour,
                mfc="w",
                alpha=0.7,
                label=f"{change}, as printed",
            )
    ax.legend(frameon=False)
    ax.set_xscale("log")
    ax.set_xticks(curves.index, [f"{divisor:g}" for divisor in curves.index])
    ax.minorticks_off()
    ax.set(ylim=(-0.03, 1.03), xlabel="divisor of human scores (logarithmic axis)")
    ax.set_ylabel("share of pairs that change")
    ax.grid(axis="y", color="0.92")
    return ax


def perplexity_curves(
    curves: pd.DataFrame, ax: Axes, *, dashed: bool = False, note: str = ""
) -> Axes:
    """Perplexity by training size, a line a model (Hopkins & May 2013, Figures 2-5).

    Markers are hollow, so that lines that coincide can both be seen.

    Parameters
    ----------
    curves : DataFrame
        Index model, size; columns perplexity and error, the half-length of the error
        bars.
    dashed : bool
        Draw all lines dashed.
    note : str
        Added to the labels.
    """
    for model, line in curves.groupby(level="model", sort=False):
        line = line.droplevel("model").sort_index()
        colour, marker, style = MODEL_STYLES.get(model, (None, "o", "-"))
        ax.errorbar(
            line.index,
            line["perplexity"],
            line["error"],
            color=colour,
            marker=marker,
            mfc="none",
            ls="--" if dashed else style,
            lw=1.2,
            capsize=2,
            label=title(model) + note,
        )
    sizes = sorted(curves.index.unique("size"))
    ax.set_xscale("log", base=2)
    ax.set_xticks(sizes, sizes)
    ax.minorticks_off()
    ax.set(xlabel="training comparisons", ylabel="perplexity on the test set")
    ax.grid(axis="y", color="0.92")
    return ax
