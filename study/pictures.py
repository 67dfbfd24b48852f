"""Pictures of one paper or one notebook of the study: axes in, axes out."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from wmtlib import plots
from wmtlib.assessments import Campaign
from wmtlib.counts import REFERENCE, Counts
from wmtlib.methods import score, title
from wmtlib.mfas import MFAS
from wmtlib.plots import BLUE, CHANGES, GREEN, GREY, ORANGE, PURPLE, RED, SKY, rows
from wmtlib.ranking import rank_by_score

METHODS = {"wmt-official": BLUE, "heuristic2": ORANGE, "bojar": GREEN, "mfas": "k"}
# Beside the MFAS order.
HEURISTICS = ("wmt-official", "heuristic2", "bojar", "expected-wins")
CAMPAIGNS = {"wmt10": BLUE, "wmt10-crowd": ORANGE, "wmt11": GREEN, "wmt12": PURPLE}
LEVELS = {"single judgements": BLUE, "segment means": SKY, "nothing": "0.85"}
ITEM_COLOURS = {"SYSTEM, REPEAT": "0.7", "REF": RED, "BAD_REF": "k"}
FAMILIES = [(GREY, "x"), (ORANGE, "s"), (BLUE, "o"), (PURPLE, "^"), (GREEN, "D")]
LONG_NAME = "(.{12}).{12,}(.{13})"  # 37 characters or more


# --- the data -------------------------------------------------------------------------


def campaigns(pairs: pd.DataFrame, notes: Mapping[str, str], ax: Axes) -> Axes:
    """How many tasks of each campaign are public, and how; the oldest on top.

    Parameters
    ----------
    pairs : DataFrame, campaigns x levels
        Number of tasks of each level of `LEVELS`.
    notes : mapping of campaign to what is written beside its bar
    """
    pairs[[*LEVELS]].plot.barh(stacked=True, color=LEVELS, width=0.7, ax=ax)
    for row, (campaign, length) in enumerate(pairs.sum(axis=1).items()):
        ax.text(length + 0.2, row, notes.get(campaign, ""), va="center", fontsize=8)
    rows(ax, pairs.index).grid(visible=False)
    ax.set_xlim(0, 26)
    ax.set_xlabel("tasks (language pairs; in WMT11 also groups of systems)")
    ax.legend(frameon=False, loc="lower right", title="what is public", fontsize=8)
    return ax


def comparisons_per_pair(tasks: pd.DataFrame, ax: Axes) -> Axes:
    """How often a pair of systems was compared, a dot a task, the most often on top.

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


def violated_by_task(weights: pd.DataFrame, ax: Axes) -> Axes:
    """Violated weight of each task (rows, the first on top) under each method.

    Within a task the methods stand a little below one another, so that none hides
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
    """Heatmap, five rankings and the rank ranges of a task; the figure and its caption.

    `solution` is the minimum feedback arc set of the counts without the reference.
    """
    ranks = pd.DataFrame(index=[*solution.order])
    for name in HEURISTICS:
        scores = score(name, counts, reference=REFERENCE)
        ranks[name] = rank_by_score(name, scores).column("rank")
    ranks["mfas"] = range(len(ranks))
    panel = 0.26 * max(len(ranks), 8)  # inches
    fig, axes = plt.subplot_mosaic(
        [["left", "right"], ["lower", "lower"]],
        width_ratios=[panel, 2.5],
        figsize=(panel + 5.5, 2 * panel + 2.5),
    )
    plots.heatmap(counts, solution.order, axes["left"])
    axes["left"].set_title(f"{label}, MFAS order")
    plots.bump(ranks, axes["lower"])
    axes["lower"].set_title("Rankings")
    if (ranges := solution.rank_ranges) is not None:
        plots.rank_ranges(ranges.loc[ranks.index], axes["right"])
    axes["right"].set_title(f"optimal orders: {solution.optimal_orders}")
    proven = "proven least" if solution.optimal else "not proven least"
    caption = (
        f"{label}. Left: margins in judgements between all pairs; framed pairs"
        f" contradict the MFAS order (violated weight {solution.cost}, {proven})."
        " Right: where each system can stand in an optimal order; a dot marks the order"
        " shown. Below: five rankings; the systems that move most are coloured."
    )
    return fig, caption


# --- Hopkins & May (2013) -------------------------------------------------------------


def legend_in_order(ax: Axes, at: Axes, **options: Any) -> Axes:
    """A legend of `perplexity_curves`, the line that ends highest first.

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


def calibration(ranks: np.ndarray, ax: Axes) -> Axes:
    """Ranks of the truth among posterior draws; flat if the sampler is right.

    Parameters
    ----------
    ranks : ndarray of int, (competitions,)
        From 0 to 99. They are counted in 20 classes; the band holds 99 % of these if
        all ranks are equally likely.
    """
    from scipy.stats import binom

    sns.histplot(ranks // 5 + 1, discrete=True, shrink=0.9, color=SKY, ax=ax)
    for level in binom.ppf([0.005, 0.995], len(ranks), 1 / 20):
        ax.axhline(level, color="k", lw=0.8, ls="--")
    ax.set_xticks([1, 5, 10, 15, 20])
    ax.set(xlim=(0.3, 20.7), xlabel="rank of the truth, in 20 classes", ylabel="")
    return ax


def traces(chains: Mapping[str, np.ndarray], ax: Axes, *, burn_in: int) -> Axes:
    """One quantity, by iteration, under several samplers; dotted: the burn-in's end."""
    table = pd.DataFrame(chains)
    table.plot(ax=ax, lw=0.9, color=[BLUE, ORANGE], legend=False)
    ax.axvline(burn_in, color="0.4", lw=0.8, ls=":")
    ax.set(xlabel="iteration", ylabel="ability (sd of the prior)")
    return ax


def abilities(table: pd.DataFrame, ax: Axes) -> Axes:
    """Mean ability of systems with one standard deviation (Hopkins & May, Figure 6).

    Parameters
    ----------
    table : DataFrame, one row a system, best first; columns mean and sd
    """
    row = np.arange(len(table))
    ax.errorbar(table["mean"], row, xerr=table["sd"], fmt="ok", capsize=3, ms=4)
    names = enumerate(map(plots.shown, table.index), start=1)
    rows(ax, [f"{name}  {place}" for place, name in names])
    ax.set_xlabel("ability less the mean (standard deviations of the prior)")
    return ax


# --- Knowles (2021) -------------------------------------------------------------------


def workers(scales: pd.DataFrame, ax: Axes) -> Axes:
    """Mean and standard deviation of each worker's scores; area: number of judgements.

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
    """How the scale is used, for outputs, references and spoiled references."""
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


def degradation_panels(
    table: pd.DataFrame, axes: np.ndarray, *, printed: Mapping[str, pd.DataFrame]
) -> np.ndarray:
    """`plots.degradation` for every panel (rows of axes) and style (columns).

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
            plots.degradation(curves, ax, pairs=number, printed=beside)
            ax.set_title(f"{style}, {panel} pairs: {number}")
            ax.get_legend().remove()
    axes[0, 0].legend(frameon=False, ncols=2, fontsize=7)
    return axes


def beside_real(table: pd.DataFrame, ax: Axes) -> Axes:
    """Numbers of simulated campaigns over the median of real ones, and real quartiles.

    Parameters
    ----------
    table : DataFrame
        Indexed by number; columns real, real_error, low, high (quartiles of real
        campaigns), simulated and simulated_error. Numbers whose real median is 0 are
        left out.
    """
    table = table[table["real"] > 0]
    row = np.arange(len(table))
    share = table.select_dtypes("number").div(table["real"], axis=0)  # of the median
    width = share["high"] - share["low"]
    ax.barh(row, width, left=share["low"], color="0.88", label="real, middle half")
    shown = [("real", "C7|", "real median"), ("simulated", "C0o", "simulated mean")]
    for name, style, label in shown:
        ax.errorbar(
            share[name],
            row,
            xerr=2 * share[f"{name}_error"],
            fmt=style,
            ms=4,
            label=f"{label}, two standard errors",
        )
    rows(ax, [str(name).replace("_", " ") for name in table.index])
    ax.set(xlim=(0, 2.4), xlabel="ratio to the median of real campaigns")
    return ax


def protocols(
    table: pd.DataFrame, labels: Sequence[str], ax: Axes, *, xlabel: str
) -> Axes:
    """Means of protocols with two standard errors, one colour a world.

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
    """Printed rank ranges as grey bars, ours as lines in them; lines between clusters.

    Parameters
    ----------
    printed : DataFrame
        Index system, best first; columns first_rank, last_rank, cluster.
    ours : DataFrame
        Index system; the same columns. Systems in another order stand where they are
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
    plots.draw_lines(ax, np.diff(printed["cluster"]))
    names = printed.index.str.replace(LONG_NAME, r"\1…\2", regex=True)
    rows(ax, names, size=8.5).set(xlim=(0.4, len(row) + 0.6), xlabel="rank")
    ax.grid(visible=False)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return ax


def fewest(table: pd.DataFrame, ax: Axes, *, few: float, unit: str) -> Axes:
    """Units whose removal changes the winner, beside all units, on a logarithmic axis.

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
            fontsize=7,
            fontweight="bold",
            ha="right",
            va="center",
        )
        ax.text(every * 1.2, y, f"{every:,.0f}", color="0.4", fontsize=7, va="center")
    rows(ax, table["label"]).set(xscale="log", xlim=(0.15, units.max() * 5))
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.set_xticks(10 ** np.arange(np.log10(units.max())))
    ax.minorticks_off()
    ax.set_xlabel(f"fewest {unit} that change the winner, and all")
    return ax


def against_resampling(
    table: pd.DataFrame,
    ax: Axes,
    *,
    few: float,
    unsure: float,
    named: Sequence[str] = (),
) -> Axes:
    """Share of the units that decide, against that of bootstrap samples that differ.

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
        ax.annotate(label, at, (5, 3), textcoords="offset points", fontsize=7)
    ax.set_yscale("log")
    ax.set_xlabel("bootstrap samples with another winner, or none alone (%)")
    ax.set_ylabel("fewest rankings that change the winner (% of all)")
    ax.set_yticks([0.03, 0.1, 0.3, 1, 3, 10, 30])
    ax.yaxis.set_major_formatter("{x:g}")
    ax.minorticks_off()
    return ax


# --- cycles ---------------------------------------------------------------------------


def beside_chance(tasks: pd.DataFrame, ax: Axes) -> Axes:
    """Violated weight of each task (rows, the first on top) beside what chance gives.

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
