"""Figures. Every plot function takes the axes it draws on and returns them."""

import io
import os
import textwrap
from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

from wmtlib.judgements.counting import Counts
from wmtlib.releases.assessment_releases import Source
from wmtlib.study.scoreboard import signature

# Okabe and Ito's palette: told apart with any colour vision. One colour a method, everywhere.
COLOURS = {
    "WMT-OFFICIAL": "#0072B2",
    "HEURISTIC 2": "#E69F00",
    "BOJAR": "#009E73",
    "MFAS": "#000000",
}
VIOLATED = "#D55E00"


def style() -> None:
    """Set fonts and lines for all figures of a notebook."""
    plt.rcParams.update(
        {
            "figure.dpi": 100,
            "savefig.dpi": 110,
            "font.size": 9,
            "axes.titlesize": 10,
            "axes.titlelocation": "left",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "figure.constrained_layout.use": True,
        }
    )


def save(fig: Figure, name: str, *, caption: str, source: Source) -> None:
    """Write figures/<name>.png with its caption and signature, whole or not at all.

    The caption goes below the picture; caption and signature go into the file's metadata too.
    """
    width = int(fig.get_figwidth() * 14)
    fig.supxlabel(
        "\n".join(textwrap.wrap(caption, width)), x=0.01, ha="left", fontsize=8, color="0.3"
    )
    path = source.output / "figures" / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    # Software would hold matplotlib's version and change the bytes with it.
    about = {"Description": caption, "Source": signature(name, source), "Software": None}
    try:
        fig.savefig(partial, format="png", metadata=about)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def png(fig: Figure) -> bytes:
    """A figure as PNG bytes, the same from run to run."""
    buffer = io.BytesIO()
    fig.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()


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
    ax.set_xticks(range(ranks.shape[1]), ranks.columns)
    ax.set(xlim=(-0.35, ranks.shape[1] - 0.65), ylim=(len(ranks) + 0.6, 0.4))
    return ax


def violated_by_task(
    weights: pd.DataFrame, ax: Axes, *, colours: Mapping[str, str] = COLOURS
) -> Axes:
    """Violated weight of each task (rows) under each method (columns)."""
    below = np.arange(len(weights))[::-1]
    ax.hlines(below, weights.min(axis=1), weights.max(axis=1), color="0.85", lw=3)
    for method in weights.columns:
        ax.plot(weights[method], below, "o", ms=6, label=method, color=colours[method], alpha=0.85)
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
    ax.hlines(below, ranges["best"], ranges["worst"], color=COLOURS["BOJAR"], lw=6, alpha=0.5)
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


MODEL_COLOURS = {
    "Uniform": "0.7",
    "Adjusted Uniform": "0.5",
    "Independent Pairs": "#CC79A7",
    "Asymmetric Students": "#F0E442",
    "Arithmetic Students": "#E69F00",
    "Geometric Students": "#D55E00",
    "Geometric Students (as printed)": "#D55E00",
    "IRT-Categorical": "#56B4E9",
    "IRT-Gaussian": "#0072B2",
}


def perplexity_curves(
    curves: pd.DataFrame, ax: Axes, *, linestyle: str = "-", note: str = ""
) -> Axes:
    """Perplexity against training size, one line a model (Hopkins & May 2013, Figures 2-5).

    Parameters
    ----------
    curves : DataFrame
        Index model, size; columns perplexity and error, the half-length of the error bars.
    """
    for model, line in curves.groupby(level="model", sort=False):
        line = line.droplevel("model").sort_index()
        ax.errorbar(
            line.index,
            line["perplexity"],
            yerr=line["error"],
            color=MODEL_COLOURS.get(model),
            linestyle=":" if model.endswith("(as printed)") else linestyle,
            marker="o",
            markersize=3,
            capsize=2,
            label=model + note,
        )
    ax.set_xscale("log", base=2)
    ax.set_xticks(sorted(curves.index.unique("size")), sorted(curves.index.unique("size")))
    ax.minorticks_off()
    ax.set(xlabel="training comparisons", ylabel="perplexity on the test set")
    ax.grid(axis="y", color="0.92")
    return ax


def abilities(table: pd.DataFrame, ax: Axes) -> Axes:
    """Mean ability of each system with one standard deviation (Hopkins & May 2013, Figure 6).

    Parameters
    ----------
    table : DataFrame, one row a system, best first; columns mean and sd
    """
    below = np.arange(1, len(table) + 1)
    ax.errorbar(table["mean"], below, xerr=table["sd"], fmt="o", color="k", capsize=3, markersize=4)
    ax.set_yticks(below, [f"{name}  {k}" for k, name in enumerate(table.index, start=1)])
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
    sns.heatmap(
        expected,
        ax=ax,
        cmap="RdBu_r",
        vmin=-limit,
        vmax=limit,
        square=True,
        linewidths=0.5,
        xticklabels=True,
        yticklabels=True,
        cbar_kws={"label": "P(row wins) - P(column wins)", "shrink": 0.7},
    )
    ax.set_anchor("W")
    ax.tick_params(length=0, labelsize=7)
    ax.set(xlabel="", ylabel="")
    return ax


def rank_intervals(frame: pd.DataFrame, ax: Axes) -> Axes:
    """Each system's rank with the range that resampling gives it.

    Parameters
    ----------
    frame : DataFrame, best first
        Columns system, rank, rank_low, rank_high (1 = best).
    """
    row = np.arange(len(frame))
    ax.hlines(row, frame["rank_low"], frame["rank_high"], color="0.6", lw=3)
    ax.scatter(frame["rank"], row, color="k", zorder=2)
    ax.set_yticks(row, frame["system"])
    ax.set(ylim=(len(frame) - 0.4, -0.6), xlabel="rank (1 = best)")
    ax.grid(axis="x", color="0.92")
    ax.tick_params(axis="y", length=0, labelsize=7)
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
    ax.set_yticks(row, frame["model"])
    ax.set(ylim=(len(frame) - 0.4, -0.6), xlabel="perplexity on held-out judgements")
    ax.grid(axis="x", color="0.92")
    ax.tick_params(axis="y", length=0, labelsize=7)
    return ax
