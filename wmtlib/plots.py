"""Tables as squares of colour."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, Rectangle
from scipy import special

from wmtlib.corrections import wilson
from wmtlib.counts import REFERENCE, Counts
from wmtlib.ranking import title
from wmtlib.zscores import Campaign


def coloured_cells(
    table: pd.DataFrame,
    ax: Axes,
    *,
    cmap: str,
    limits: tuple[float, float],
    label: str,
    shrink: float = 1.0,
    line: float = 0.0,
    decimals: int | None = None,
) -> Axes:
    """A cell of colour for each number of a table; missing ones stay white.

    Parameters
    ----------
    limits : two numbers
        Where the colours begin and end.
    label : str
        Of the colour bar; `shrink` is its share of the height of the axes.
    line : float
        Width of the white lines between cells.
    decimals : int, optional
        Write every number into its cell, with so many decimals.
    """
    values = np.ma.masked_invalid(table.to_numpy(dtype=float))
    mesh = ax.pcolormesh(
        values, cmap=cmap, vmin=limits[0], vmax=limits[1], edgecolors="w", linewidth=line
    )
    ax.set(xlim=(0, table.shape[1]), ylim=(table.shape[0], 0))  # the first row on top
    ax.spines[:].set_visible(False)
    ax.set_xticks(np.arange(table.shape[1]) + 0.5, table.columns, rotation=90)
    ax.set_yticks(np.arange(table.shape[0]) + 0.5, table.index)
    ax.tick_params(length=0, labelsize=7)
    bar = ax.figure.colorbar(mesh, ax=ax, label=label, shrink=shrink, pad=0.02)
    bar.outline.set_visible(False)
    if decimals is not None:
        for (row, column), value in np.ndenumerate(values.filled(np.nan)):
            if np.isfinite(value):
                red, green, blue, _ = mesh.to_rgba(value)
                dark = 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.5
                text = {"color": "w" if dark else "0.15", "size": 6, "ha": "center", "va": "center"}
                ax.text(column + 0.5, row + 0.5, f"{value:.{decimals}f}", **text)
    return ax


# Tournaments, rankings and what they violate. Every plot function takes and returns axes.


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
MOST_CELLS = 14  # systems up to which every cell of a heatmap shows its number


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
        if framed or n <= MOST_CELLS:
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


# Figures of direct assessment: rankings with significance lines, degradation, HITs, documents.
#
# Axes in, axes out.


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


# Figures of preference models: axes in, axes out.


# Colour, marker and line of each model: no two differ by colour alone.
MODEL_STYLES = {
    "uniform": ("0.6", "", "--"),
    "adjusted-uniform": ("0.5", "x", "-"),
    "independent-pairs": ("#CC79A7", "^", "-"),
    "independent-students-asymmetric": ("#882255", "v", "-"),
    "independent-students-arithmetic": ("#E69F00", "s", "-"),
    "independent-students-geometric": ("#D55E00", "D", "-"),
    "independent-students-geometric-as-printed": ("#D55E00", "+", ":"),
    "irt-categorical": ("#009E73", "P", "-"),
    "irt-gaussian": ("#0072B2", "o", "-"),
}
FAMILY_STYLES = [  # of families of methods, in the order of the legend
    ("0.5", "x"),
    ("#E69F00", "s"),
    ("#0072B2", "o"),
    ("#CC79A7", "^"),
    ("#009E73", "D"),
]


def perplexity_curves(
    curves: pd.DataFrame, ax: Axes, *, dashed: bool = False, note: str = ""
) -> Axes:
    """Perplexity against training size, one line a model (Hopkins & May 2013, Figures 2-5).

    Markers are hollow, so that lines that coincide can both be seen.

    Parameters
    ----------
    curves : DataFrame
        Index model, size; columns perplexity and error, the half-length of the error bars.
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
            yerr=line["error"],
            color=colour,
            linestyle="--" if dashed else style,
            linewidth=1.2,
            marker=marker,
            markersize=6,
            markerfacecolor="none",
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


def legend_in_order(ax: Axes, at: Axes, **options: Any) -> Axes:
    """A legend of the lines of one axes, the highest at its right end first, drawn at another.

    Parameters
    ----------
    ax : Axes
        With `perplexity_curves`.
    at : Axes
        Where the legend stands.
    **options
        Of matplotlib's `legend`.
    """
    handles, labels = ax.get_legend_handles_labels()
    ends = [handle.lines[0].get_ydata()[-1] for handle in handles]
    order = np.argsort(ends, kind="stable")[::-1]
    at.legend([handles[k] for k in order], [labels[k] for k in order], frameon=False, **options)
    return at


def differences(
    compared: pd.DataFrame, families: Mapping[str, Sequence[str]], ax: Axes, *, beyond: float = 0
) -> Axes:
    """Differences of perplexity from one method, with intervals; best on top.

    Parameters
    ----------
    compared : DataFrame
        Index method; columns difference, low, high.
    families : mapping of str to sequence of methods
        What the colours and markers stand for.
    beyond : float
        If above zero, the axis ends there, and what lies outside is marked by an arrow.
    """
    table = compared.sort_values("difference", ascending=False)
    style = {
        method: (*FAMILY_STYLES[k], family)
        for k, (family, methods) in enumerate(families.items())
        for method in methods
    }
    named = set()
    for row, (method, line) in enumerate(table.iterrows()):
        colour, marker, family = style[method]
        if beyond and line["low"] > beyond:
            ax.plot(beyond * 0.97, row, marker=">", color=colour, clip_on=False)
            continue
        label = None if family in named else family
        named.add(family)
        ax.plot([line["low"], line["high"]], [row, row], color=colour, lw=1.5, zorder=2)
        ax.plot(
            line["difference"],
            row,
            marker=marker,
            color=colour,
            ls="",
            mfc="w",
            zorder=3,
            label=label,
        )
    ax.axvline(0, color="0.4", lw=0.8, zorder=1)
    ax.set_yticks(range(len(table)), map(title, table.index))
    if beyond:
        ax.set_xlim(-beyond / 2, beyond)
    ax.grid(axis="x", color="0.92")
    ax.tick_params(axis="y", length=0)
    return ax


def calibration(ranks: np.ndarray, ax: Axes, *, bins: int = 20, of: int = 100) -> Axes:
    """Ranks of the truth among posterior draws; flat, within the band, if the sampler is right.

    Parameters
    ----------
    ranks : ndarray of int, (competitions,)
        From 0 to `of` - 1.
    bins : int
        Bars; the band holds 99 % of them if all ranks are equally likely.
    """
    counts = np.bincount(ranks * bins // of, minlength=bins)
    at_most = special.bdtr(np.arange(len(ranks) + 1.0), len(ranks), 1 / bins)  # binomial
    low, high = np.searchsorted(at_most, [0.005, 0.995])
    place = np.arange(1, bins + 1)
    ax.bar(place, counts, color="#56B4E9", width=0.9)
    for level in (low, high):
        ax.axhline(level, color="k", lw=0.8, ls="--")
    ax.set_xticks([1, bins // 4, bins // 2, 3 * bins // 4, bins])
    ax.set(xlim=(0.3, bins + 0.7), xlabel=f"rank of the truth, in {bins} classes")
    return ax


def traces(chains: Mapping[str, np.ndarray], ax: Axes, *, burn_in: int) -> Axes:
    """One quantity, iteration by iteration, under several samplers; dotted: the burn-in's end."""
    for (name, chain), (colour, width) in zip(
        chains.items(), [("#0072B2", 1.2), ("#E69F00", 0.7)], strict=False
    ):
        ax.plot(chain, color=colour, lw=width, label=name)
    ax.axvline(burn_in, color="0.4", lw=0.8, ls=":")
    ax.set(xlabel="iteration")
    return ax


def abilities(table: pd.DataFrame, ax: Axes) -> Axes:
    """Mean ability of each system with one standard deviation (Hopkins & May 2013, Figure 6).

    Parameters
    ----------
    table : DataFrame, one row a system, best first; columns mean and sd
    """
    below = np.arange(1, len(table) + 1)
    ax.errorbar(table["mean"], below, xerr=table["sd"], fmt="o", color="k", capsize=3, markersize=4)
    names = table.index.map(_shown)
    ax.set_yticks(below, [f"{name}  {k}" for k, name in enumerate(names, start=1)])
    ax.set(
        ylim=(len(table) + 0.6, 0.4),
        xlabel="ability less the mean (standard deviations of the prior)",
    )
    ax.grid(axis="x", color="0.92")
    ax.tick_params(axis="y", length=0)
    return ax


def preferences(expected: pd.DataFrame, ax: Axes) -> Axes:
    """Which of two systems a model favours: P(row wins) - P(column wins), rows best first."""
    limit = float(expected.abs().max(axis=None))
    coloured_cells(
        expected.rename(index=_shown, columns=_shown),
        ax,
        cmap="RdBu_r",
        limits=(-limit, limit),
        label="P(row wins) - P(column wins)",
        shrink=0.8,
        line=0.5,
    )
    ax.set_aspect("equal")
    return ax


def _shown(name: str) -> str:
    return "reference" if name == REFERENCE else name


# Figures of answers about anybody's judgements: axes in, axes out.


ODD = "#D55E00"  # orange: what a reader should look at


def intervals(frame: pd.DataFrame, ax: Axes) -> Axes:
    """Each system's score, or its rank where the method has no scores, with its interval.

    Parameters
    ----------
    frame : DataFrame, best first
        Columns system and line (whether a line stands below it); score, and low and high if there
        are intervals; without scores place, best and worst, which may be NaN.
    """
    row, middle, ends = np.arange(len(frame)), "place", ["best", "worst"]
    if "score" in frame:
        middle, ends = "score", ["low", "high"]
    if set(ends) <= set(frame):
        ax.hlines(row, *frame[ends].to_numpy(float).T, color="#56B4E9", lw=4)
    ax.plot(frame[middle], row, "o", color="k", ms=4)
    for place in np.flatnonzero(frame["line"]):
        ax.axhline(place + 0.5, color="0.4", lw=0.8)
    ax.set_yticks(row, frame["system"])
    ax.set(ylim=(len(frame) - 0.4, -0.6), xlabel=middle)
    ax.grid(axis="x", color="0.92")
    ax.set_axisbelow(True)
    ax.tick_params(axis="y", length=0, labelsize=8)
    return ax


def perplexities(frame: pd.DataFrame, ax: Axes) -> Axes:
    """Held-out perplexity of each model, best on top, bars of two standard errors.

    Parameters
    ----------
    frame : DataFrame
        Columns model, perplexity, error; models of infinite perplexity are only named.
    """
    row = np.arange(len(frame))
    finite = np.isfinite(frame["perplexity"].to_numpy(float))
    shown = frame[finite]
    ax.errorbar(shown["perplexity"], row[finite], xerr=2 * shown["error"], fmt="ok", capsize=2)
    ax.set_yticks(row, frame["model"].map(title))
    ax.set(ylim=(len(frame) - 0.4, -0.6), xlabel="perplexity on held-out judgements")
    ax.grid(axis="x", color="0.92")
    ax.tick_params(axis="y", length=0, labelsize=7)
    return ax


def reliabilities(frame: pd.DataFrame, ax: Axes) -> Axes:
    """Each judge's reliability with its interval, and what is expected, in blue; doubtful: orange.

    Parameters
    ----------
    frame : DataFrame
        Columns judge, reliability, low, high, expected, doubtful, as `analysis.judges` gives them.
    """
    row = np.arange(len(frame))
    colour = np.where(frame["doubtful"].fillna(False).to_numpy(bool), ODD, "k")
    ax.hlines(row, frame["low"], frame["high"], color=colour)
    ax.scatter(frame["reliability"], row, color=colour, s=16, zorder=3)
    ax.plot(frame["expected"], row, "|", color="#56B4E9", ms=9, mew=2)
    ax.set_yticks(row, frame["judge"])
    ax.set(ylim=(len(frame) - 0.4, -0.6), xlabel="reliability")
    ax.grid(axis="x", color="0.92")
    ax.set_axisbelow(True)
    ax.tick_params(axis="y", length=0, labelsize=7)
    return ax
