"""Figures of answers about anybody's judgements: axes in, axes out."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from wmtlib.judgements.method_names import title

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
