"""Pictures of one paper or one notebook of the study: axes in, axes out."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from study.hopkins2013.registry import title
from wmtlib import plots
from wmtlib.core.assessments import Campaign
from wmtlib.core.corrections import wilson
from wmtlib.core.counts import REFERENCE, Counts
from wmtlib.core.drawing import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    RED,
    SIZE,
    SKY,
    draw_lines,
    rows,
    squares,
)
from wmtlib.core.ranking import rank_by_score
from wmtlib.methods import score
from wmtlib.mfas import MFAS

# Of systems that move.
MOVERS = (BLUE, RED, GREEN, PURPLE, ORANGE, SKY, "k", "saddlebrown")
METHODS = {"wmt-official": BLUE, "heuristic2": ORANGE, "bojar": GREEN, "mfas": "k"}
# Beside the MFAS order.
HEURISTICS = ("wmt-official", "heuristic2", "bojar", "expected-wins")
CAMPAIGNS = {"wmt10": BLUE, "wmt10-crowd": ORANGE, "wmt11": GREEN, "wmt12": PURPLE}
LEVELS = {"single judgements": BLUE, "segment means": SKY, "nothing": "0.85"}
ITEM_COLOURS = {"SYSTEM, REPEAT": "0.7", "REF": RED, "BAD_REF": "k"}
FAMILIES = [(GREY, "x"), (ORANGE, "s"), (BLUE, "o"), (PURPLE, "^"), (GREEN, "D")]
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
    "bradley-terry": (SKY, "v", "-"),
    "bojar": (ORANGE, "^", "-"),
    "mfas": ("k", "P", "-"),
}
LONG_NAME = "(.{12}).{12,}(.{13})"  # 37 characters or more


# --- the data -------------------------------------------------------------------------


def campaigns(pairs: pd.DataFrame, notes: Mapping[str, str], ax: Axes) -> Axes:
    """Draw how many tasks of each campaign are public, the oldest on top.

    Parameters
    ----------
    pairs : DataFrame, campaigns x levels
        Number of tasks of each level of `LEVELS`.
    notes : mapping of campaign to what is written beside its bar
    """
    pairs[[*LEVELS]].plot.barh(stacked=True, color=LEVELS, width=0.7, ax=ax)
    for row, (campaign, length) in enumerate(pairs.sum(axis=1).items()):
        ax.text(length + 0.2, row, notes.get(campaign, ""), va="center")
    rows(ax, pairs.index).grid(visible=False)
    ax.set_xlim(0, 26)
    ax.set_xlabel("tasks (language pairs; in WMT11 also groups of systems)")
    ax.legend(frameon=False, loc="lower right", title="what is public")
    return ax


def comparisons_per_pair(tasks: pd.DataFrame, ax: Axes) -> Axes:
    """Draw how often a pair of systems was compared, a dot a task.

    Parameters
    ----------
    tasks : DataFrame
        Columns label, campaign and comparisons_per_pair.
    """
    table = tasks.sort_values("comparisons_per_pair", ascending=False)
    sns.stripplot(
        table,
        x="comparisons_per_pair",
        y="label",
        hue="campaign",
        hue_order=CAMPAIGNS,
        palette=CAMPAIGNS,
        jitter=False,
        log_scale=(True, False),
        ax=ax,
    )
    rows(ax, table["label"]).grid(color="0.92")
    words = "comparisons for each compared pair of systems, reference included"
    ax.set(xlabel=f"{words} (log scale)", ylabel="")
    ax.legend(frameon=False, loc="lower right")
    return ax


# --- Lopez (2012) ---------------------------------------------------------------------


def tournament(
    wins: pd.DataFrame, ax: Axes, *, reversed_edges: Sequence[tuple[str, str]] = ()
) -> Axes:
    """Draw a tournament, arrows from the better to the worse (Lopez 2012, Figure 2).

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


def violated_by_task(weights: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the violated weight of each task (rows) under each method.

    Within a task the methods are a little below one another, so that none hides
    another.
    """
    table = weights[[*METHODS]].rename(columns=title).rename_axis("task")
    sns.pointplot(
        table.reset_index().melt("task", var_name="method"),
        x="value",
        y="task",
        hue="method",
        palette=[*METHODS.values()],
        markers=[*"s^Do"],
        dodge=0.5,
        linestyle="none",
        ms=4.5,
        ax=ax,
    )
    between = np.arange(len(weights)) + 0.5
    ax.hlines(between, 0, weights.max(axis=None), color="0.94", lw=0.8)
    rows(ax, weights.index).set(xlabel="violated weight (net judgements)", ylabel="")
    ax.legend(loc="lower right", frameon=False)
    return ax


def draw_task(counts: Counts, solution: MFAS, label: str) -> tuple[Figure, str]:
    """Draw heatmap, five rankings and rank ranges of a task; return figure and caption.

    `solution` is the minimum feedback arc set of the counts without the reference.
    """
    ranks = pd.DataFrame(index=[*solution.order])
    for name in HEURISTICS:
        scores = score(name, counts, reference=REFERENCE)
        ranks[name] = rank_by_score(name, scores).ranks
    ranks["mfas"] = range(len(ranks))
    side = 0.26 * max(len(ranks), 8)  # inches
    fig, axes = plt.subplots(
        3, figsize=(7.6, 2.6 * side + 3.5), height_ratios=(side, 0.7 * side, side)
    )
    plots.heatmap(counts, solution.order, axes[0])
    axes[0].set_title(f"{label}, MFAS order")
    if (ranges := solution.rank_ranges) is not None:
        rank_ranges(ranges.loc[ranks.index], axes[1])
    axes[1].set_title(f"Optimal orders: {solution.optimal_orders}")
    bump(ranks, axes[2])
    axes[2].set_title("Rankings")
    proven = "proven least" if solution.optimal else "not proven least"
    caption = (
        f"{label}. Top: margins in judgements between all pairs; framed pairs"
        f" contradict the MFAS order (violated weight {solution.cost}, {proven})."
        " Middle: where each system can be in an optimal order; a dot marks the order"
        " shown. Below: five rankings; the systems that move most are coloured."
    )
    return fig, caption


# --- Hopkins & May (2013) -------------------------------------------------------------


def perplexity_curves(
    curves: pd.DataFrame, ax: Axes, *, dashed: bool = False, note: str = ""
) -> Axes:
    """Draw perplexity by training size, a line a model (Hopkins & May, Figures 2-5).

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


def legend_in_order(ax: Axes, at: Axes, **options: Any) -> Axes:
    """Draw a legend of `perplexity_curves`, the line that ends highest first.

    Parameters
    ----------
    ax, at : Axes
        With the curves, and where the legend is drawn.
    **options
        Of matplotlib's `legend`.
    """
    curves: list[Any] = ax.get_legend_handles_labels()[0]
    curves.sort(key=lambda curve: -curve.lines[0].get_ydata()[-1])
    at.legend(handles=curves, frameon=False, **options)
    return at


def method_differences(
    compared: pd.DataFrame,
    families: Mapping[str, Sequence[str]],
    ax: Axes,
    *,
    beyond: float = 0,
) -> Axes:
    """Draw differences of perplexity from one method, with intervals; best on top.

    Parameters
    ----------
    compared : DataFrame
        Index method; columns difference, low, high.
    families : mapping of str to sequence of methods
        The methods of each colour and marker.
    beyond : float
        If above zero, the axis ends there, and what lies outside is marked by an arrow.
    """
    table = compared.sort_values("difference")
    ax.axvline(0, color="0.4", lw=0.8, zorder=1)
    for family, (colour, marker) in zip(families, FAMILIES, strict=False):
        chosen = table.index.isin(families[family])
        row = np.flatnonzero(chosen)
        of_family = table[chosen]
        ax.hlines(row, of_family["low"], of_family["high"], color=colour, lw=1.5)
        values = of_family["difference"]
        ax.plot(values, row, marker, color=colour, mfc="w", label=family)
        if beyond:
            outside = row[of_family["low"] > beyond]
            ax.scatter(0 * outside + 0.97 * beyond, outside, marker=">", color=colour)
    if beyond:
        ax.set_xlim(-beyond / 2, beyond)
    return rows(ax, [*map(title, table.index)])


def intervals_by_group(table: pd.DataFrame, ax: Axes, *, xlabel: str) -> Axes:
    """Draw values with their intervals, each group in a colour and with a marker.

    Parameters
    ----------
    table : DataFrame
        Index row (from the top), group; columns value, low and high.
    xlabel : str
    """
    labels = table.index.unique(0)
    groups = table.index.unique(1)
    ax.axvline(0, color="0.4", lw=0.8, zorder=1)
    styles = [*reversed(FAMILIES)]
    for k, group in enumerate(groups):
        of_group = table.xs(group, level=1)
        row = labels.get_indexer(of_group.index) + 0.22 * (k - (len(groups) - 1) / 2)
        colour, marker = styles[k]
        ax.hlines(row, of_group["low"], of_group["high"], color=colour, lw=1.5)
        ax.plot(of_group["value"], row, marker, color=colour, mfc="w", label=group)
    rows(ax, labels).set_xlabel(xlabel)
    return ax


def two_items(story: pd.DataFrame, preference: str, ax: Axes) -> Axes:
    """Draw how a judge compares two items (Hopkins & May, Figure 1, right).

    Parameters
    ----------
    story : DataFrame
        As `section_7.figure_1` returns it.
    preference : str
        What the judge says.
    """
    where = [0.1, 0.35, 0.6]
    for y, row in zip((0.78, 0.22), story.itertuples(), strict=True):
        texts = [
            f"student {row.student}\nability {row.ability:+.2f}",
            f"item {row.item}\nquality {row.quality:+.2f}",
            f"observed as\n{row.observed:+.2f}",
        ]
        for x, text in zip(where, texts, strict=True):
            box = {"boxstyle": "round,pad=0.5", "fc": "w", "ec": BLUE}
            ax.text(x, y, text, ha="center", va="center", bbox=box, fontsize=9)
        noise = f"noise {row.noise:+.2f}"
        ax.text(0.475, y + 0.12, noise, ha="center", color="0.3", fontsize=8.5)
        ends = [(0.17, y), (0.27, y)], [(0.42, y), (0.52, y)], [(0.68, y), (0.79, 0.5)]
        for start, end in ends:
            ax.annotate("", end, start, arrowprops={"arrowstyle": "->", "color": "0.3"})
    shaded = {"boxstyle": "round,pad=0.5", "fc": "0.9", "ec": "0.3"}
    ax.text(0.9, 0.5, preference, ha="center", va="center", bbox=shaded, fontsize=9)
    ax.set(xlim=(0, 1), ylim=(0, 1))
    ax.axis("off")
    return ax


def strata(shares: pd.Series, ax: Axes, *, printed: Collection[int]) -> Axes:
    """Draw how often the gap after each student is among the widest.

    Parameters
    ----------
    shares : Series
        Index: the student before the gap; a share of draws.
    printed : collection of int
        Students after which the paper ends a stratum: drawn in colour.
    """
    students = [*map(int, shares.index)]
    colours = [BLUE if student in printed else "0.75" for student in students]
    bars = ax.bar(students, 100 * shares, color=colours, width=0.7)
    ax.bar_label(bars, fmt="%.0f", fontsize=8.5)
    ax.set_xticks(students)
    ax.set(xlabel="gap after student", ylabel="draws with this gap (%)", ylim=(0, 110))
    return ax


def traces(chains: Mapping[str, np.ndarray], ax: Axes, *, burn_in: int) -> Axes:
    """Draw one quantity by iteration and sampler; dotted: the end of the burn-in."""
    table = pd.DataFrame(chains)
    table.plot(ax=ax, lw=0.9, color=[BLUE, ORANGE], legend=False, fontsize=SIZE)
    ax.axvline(burn_in, color="0.4", lw=0.8, ls=":")
    ax.set(xlabel="iteration", ylabel="ability (sd of the prior)")
    return ax


def preferences(expected: pd.DataFrame, ax: Axes) -> Axes:
    """Draw P(row wins) - P(column wins) of a model."""
    limit = float(expected.abs().max(axis=None))
    return squares(
        expected.rename(index=display_name, columns=display_name),
        ax,
        cmap="RdBu_r",
        limits=(-limit, limit),
        label="P(row wins) - P(column wins)",
        square=True,
        linewidths=0.5,
        xticklabels=True,
        yticklabels=True,
    )


def display_name(name: str) -> str:
    """Return the name of a system in a picture."""
    return "reference" if name == REFERENCE else name


def abilities(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw mean abilities with one standard deviation (Hopkins & May, Figure 6).

    Parameters
    ----------
    table : DataFrame, one row a system, best first; columns mean and sd
    """
    row = np.arange(len(table))
    ax.errorbar(table["mean"], row, xerr=table["sd"], fmt="ok", capsize=3, ms=4)
    names = enumerate(map(display_name, table.index), start=1)
    rows(ax, [f"{name}  {place}" for place, name in names])
    ax.set_xlabel("ability less the mean (sd of the prior)")
    return ax


# --- Knowles (2021) -------------------------------------------------------------------


def workers(scales: pd.DataFrame, ax: Axes) -> Axes:
    """Draw mean and standard deviation of each worker's scores.

    Parameters
    ----------
    scales : DataFrame
        Columns judgements, mean, sd, as `zscores.worker_table` gives.
    """
    sns.scatterplot(
        scales,
        x="mean",
        y="sd",
        size="judgements",
        sizes=(4, 120),
        alpha=0.5,
        color=BLUE,
        ax=ax,
    )
    ax.legend(title="judgements", frameon=False)
    ax.set(title="workers", xlabel="mean score (0-100)")
    ax.set_ylabel("standard deviation (points)")
    return ax


def score_histogram(campaign: Campaign, ax: Axes) -> Axes:
    """Draw the use of the scale, for outputs, references and spoiled references."""
    bins = np.arange(-0.5, 105, 4)
    for label, colour in ITEM_COLOURS.items():
        score = campaign.score[campaign.is_item(*label.split(", "))]
        if len(score):
            sns.histplot(
                score,
                bins=bins,
                element="step",
                fill=label.startswith("SYSTEM"),
                color=colour,
                label=label,
                ax=ax,
            )
    ax.set(title="scores", xlabel="score (0-100)", ylabel="judgements")
    ax.legend(frameon=False)
    return ax


def rank_lines(places: pd.DataFrame, below: pd.DataFrame, ax: Axes) -> Axes:
    """Draw rankings with significance lines (Knowles 2021, Figures 2 and 3).

    Systems that change places are drawn in colour.

    Parameters
    ----------
    places : DataFrame, systems x rankings
        Place of each system, 1 = best.
    below : DataFrame of bool, systems x rankings
        Whether a significance line is below the system: a bar between the places.
    """
    moved = places.index[places.nunique(axis=1) > 1]
    colours = {name: MOVERS[k % len(MOVERS)] for k, name in enumerate(moved)}
    system_lines(places, colours, ax, dashed=moved[len(MOVERS) :])
    for column, name in enumerate(places):
        between = places.loc[below[name], name] + 0.5
        ax.hlines(between, column - 0.13, column + 0.13, color="k", lw=2.2, zorder=3)
    ax.set_xticks(range(places.shape[1]), places.columns)
    ax.set(ylim=(len(places) + 0.7, 0.3), xlim=(-0.2, places.shape[1] - 0.8))
    return ax


def ladder(
    ranking: pd.DataFrame,
    below: Sequence[bool],
    ax: Axes,
    *,
    humans: Sequence[str] = (),
    intervals: pd.DataFrame | None = None,
) -> Axes:
    """Draw mean z-scores, best first, a horizontal line below the end of each cluster.

    Parameters
    ----------
    ranking : DataFrame, best first; columns system, z
    below : one bool a system
        Whether a significance line is below it.
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


def degradation(
    curves: pd.DataFrame,
    ax: Axes,
    *,
    pairs: int | None = None,
    printed: pd.DataFrame | None = None,
) -> Axes:
    """Draw shares of rankings that change by divisor (Knowles 2021, Figure 1).

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


def degradation_panels(
    table: pd.DataFrame, axes: np.ndarray, *, printed: Mapping[str, pd.DataFrame]
) -> np.ndarray:
    """Draw `degradation` for every panel (rows of axes) and style (columns).

    Parameters
    ----------
    table : DataFrame
        Columns panel, style, pair, divisor, rank, cluster, both.
    axes : ndarray of Axes, (panels, 2)
    printed : mapping of style to DataFrame
        As in `degradation`; drawn beside the paper's pairs.
    """
    for row, panel in zip(axes, table["panel"].unique(), strict=True):
        for ax, style in zip(row, ("SR-DC", "SR+DC"), strict=True):
            chosen = table[(table["panel"] == panel) & (table["style"] == style)]
            curves = chosen.groupby("divisor")[[*CHANGES]].mean()
            number = chosen["pair"].nunique()
            beside = printed[style] if panel == "the paper's" else None
            degradation(curves, ax, pairs=number, printed=beside)
            ax.set_title(f"{style}, {panel} pairs: {number}")
            ax.get_legend().remove()
    axes[0, 0].legend(frameon=False, ncols=2)
    return axes


def protocols(
    table: pd.DataFrame, labels: Sequence[str], ax: Axes, *, xlabel: str
) -> Axes:
    """Draw means of protocols with two standard errors, one colour a world.

    Parameters
    ----------
    table : DataFrame
        Columns world, protocol, value and error; one row for each world and protocol.
    labels : sequence of str
        Protocols, from the top.
    xlabel : str
    """
    for k, (world, of_world) in enumerate(table.groupby("world", sort=False)):
        of_labels = of_world.set_index("protocol").loc[[*labels]]
        ax.errorbar(
            of_labels["value"],
            np.arange(len(labels)) + 0.3 * k,
            xerr=2 * of_labels["error"],
            fmt="o",
            color=(BLUE, RED)[k],
            capsize=2,
            ms=4,
            label=world,
        )
    ax.axvline(0, color="0.2", lw=0.8, zorder=1)
    rows(ax, labels).set_xlabel(xlabel)
    return ax


# --- past the papers ------------------------------------------------------------------


def ranges_beside(printed: pd.DataFrame, ours: pd.DataFrame, ax: Axes) -> Axes:
    """Draw printed rank ranges as grey bars, ours as lines in them.

    Parameters
    ----------
    printed : DataFrame
        Index system, best first; columns first_rank, last_rank, cluster.
    ours : DataFrame
        Index system; the same columns. Systems in another order are where they are
        printed.
    """
    row = np.arange(len(printed))
    first = printed["first_rank"]
    last = printed["last_rank"]
    ours = ours.loc[printed.index]
    alike = (ours["first_rank"] == first) & (ours["last_rank"] == last)
    ax.hlines(row, first - 0.3, last + 0.3, color="0.75", lw=5)
    ax.hlines(
        row,
        ours["first_rank"] - 0.15,
        ours["last_rank"] + 0.15,
        color=[BLUE if same else RED for same in alike],
        lw=1.6,
    )
    draw_lines(ax, np.diff(printed["cluster"]))
    names = printed.index.str.replace(LONG_NAME, r"\1…\2", regex=True)
    rows(ax, names).set(xlim=(0.4, len(row) + 0.6), xlabel="rank")
    ax.grid(visible=False)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return ax


def fewest(table: pd.DataFrame, ax: Axes, *, few: float, unit: str) -> Axes:
    """Draw the units whose removal changes the winner, beside all units.

    Parameters
    ----------
    table : DataFrame
        Columns label, units and units_high; the first row on top.
    few : float
        Share of the units up to which the number is drawn in another colour.
    unit : str
        What is removed, in the plural.
    """
    row = range(len(table))
    units = table["units"].astype(float)
    high = table["units_high"].astype(float)
    colours = [RED if share <= few else BLUE for share in high / units]
    ax.hlines(row, high, units, color="0.85", lw=1)
    ax.scatter(high, row, s=16, color=colours, zorder=3)
    ax.plot(units, row, "|", color="0.5", ms=5)
    for y, least, every, colour in zip(row, high, units, colours, strict=True):
        ax.text(
            least / 1.2,
            y,
            f"{least:.0f}",
            color=colour,
            fontsize=8,
            fontweight="bold",
            ha="right",
            va="center",
        )
        ax.text(every * 1.2, y, f"{every:,.0f}", color="0.4", fontsize=8, va="center")
    rows(ax, table["label"]).set(xscale="log", xlim=(0.15, units.max() * 5))
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.set_xticks(10 ** np.arange(np.log10(units.max())))
    ax.minorticks_off()
    ax.set_xlabel(f"fewest {unit}, and all")
    return ax


def against_resampling(
    table: pd.DataFrame,
    ax: Axes,
    *,
    few: float,
    unsure: float,
    named: Sequence[str] = (),
) -> Axes:
    """Draw the share of units that decide by that of bootstrap samples that differ.

    Parameters
    ----------
    table : DataFrame
        Columns label, units, units_high, unsure.
    few, unsure : float
        Shares at which lines are drawn.
    named : labels
        Points that are called by their names.
    """
    points = table.set_index("label")
    x = 100 * points["unsure"]
    y = (100 * points["units_high"] / points["units"]).astype(float)
    ax.axhline(100 * few, color="0.7", lw=0.8)
    ax.axvline(100 * unsure, color="0.7", lw=0.8)
    colours = [RED if share <= 100 * few else BLUE for share in y]
    ax.scatter(x, y, s=18, alpha=0.8, color=colours)
    for label in named:
        at = (x[label], y[label])
        ax.annotate(label, at, (5, 3), textcoords="offset points", fontsize=8)
    ax.set_yscale("log")
    ax.set_xlabel("bootstrap samples with another winner, or none alone (%)")
    ax.set_ylabel("fewest rankings that change the winner (% of all)")
    ax.set_yticks([0.03, 0.1, 0.3, 1, 3, 10, 30])
    ax.yaxis.set_major_formatter("{x:g}")
    ax.minorticks_off()
    return ax


# --- cycles ---------------------------------------------------------------------------


def beside_chance(tasks: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the violated weight of each task (rows) beside what chance gives.

    Parameters
    ----------
    tasks : DataFrame
        As `beyond.cycles.beside_chance` gives it.
    """
    place = np.arange(len(tasks))
    ax.hlines(place, tasks["low"], tasks["high"], color="0.8", lw=5)
    ax.plot(tasks["expected"], place, "k|", ms=7)
    colours = [ORANGE if p < 0.05 else BLUE for p in tasks["p"]]
    ax.scatter(tasks["observed"], place, c=colours, s=22, zorder=3)
    rows(ax, tasks.index).set(xlabel="violated weight (net judgements)", ylabel="")
    return ax


# --- rankings side by side ------------------------------------------------------------


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
