"""Figures of preference models: axes in, axes out."""

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes

from wmtlib.judgements.method_names import title

MODEL_COLOURS = {
    "uniform": "0.7",
    "adjusted-uniform": "0.5",
    "independent-pairs": "#CC79A7",
    "independent-students-asymmetric": "#F0E442",
    "independent-students-arithmetic": "#E69F00",
    "independent-students-geometric": "#D55E00",
    "independent-students-geometric-as-printed": "#D55E00",
    "irt-categorical": "#56B4E9",
    "irt-gaussian": "#0072B2",
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
            linestyle=":" if model.endswith("as-printed") else linestyle,
            marker="o",
            markersize=3,
            capsize=2,
            label=title(model) + note,
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
    ax.set_yticks(row, frame["model"].map(title))
    ax.set(ylim=(len(frame) - 0.4, -0.6), xlabel="perplexity on held-out judgements")
    ax.grid(axis="x", color="0.92")
    ax.tick_params(axis="y", length=0, labelsize=7)
    return ax
