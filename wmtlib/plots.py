"""Pictures of judgements, rankings and models, by seaborn: axes in, axes out."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from wmtlib.core.drawing import BLUE, RED, SIZE, SKY, margins, rows
from wmtlib.core.drawing import intervals as intervals
from wmtlib.core.drawing import squares as squares
from wmtlib.files.forms import count
from wmtlib.methods import rank, title


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
    """Draw each judge's reliability with its interval, orange if at odds.

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
