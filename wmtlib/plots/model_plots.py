"""Figures of preference models: axes in, axes out."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from scipy import special

from wmtlib.judgements.method_names import title
from wmtlib.judgements.relative_rankings import REFERENCE
from wmtlib.plots.cells import coloured_cells

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
