"""Rank ranges of two outcomes side by side."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from wmtlib.yours.names import cut

PRINTED, OURS, OTHER = "0.75", "#0072B2", "#D55E00"  # other: ours, where it is not as printed
LONGEST = 20  # characters of a name


def ranges_beside(printed: pd.DataFrame, ours: pd.DataFrame, ax: Axes) -> Axes:
    """Printed rank ranges as grey bars, ours as lines in them; lines between clusters.

    Parameters
    ----------
    printed : DataFrame
        Index system, best first; columns first_rank, last_rank, cluster.
    ours : DataFrame
        Index system; the same columns. Systems in another order stand where they are printed.
    """
    ours, row = ours.loc[printed.index], np.arange(len(printed))
    ends = ["first_rank", "last_rank"]
    same = (ours[ends] == printed[ends]).all(axis=1).to_numpy()
    ax.hlines(row, printed["first_rank"] - 0.3, printed["last_rank"] + 0.3, color=PRINTED, lw=5)
    for kept, colour in ((same, OURS), (~same, OTHER)):
        first, last = ours.loc[kept, ends].to_numpy().T
        ax.hlines(row[kept], first - 0.15, last + 0.15, color=colour, lw=1.6)
    for place in np.flatnonzero(np.diff(printed["cluster"])):
        ax.axhline(place + 0.5, color="0.3", lw=0.8)
    ax.set_yticks(row, [cut(name, LONGEST) for name in printed.index], fontsize=6)
    ax.set_xlabel("rank", fontsize=7)
    ax.set(ylim=(len(row) - 0.4, -0.6), xlim=(0.4, len(row) + 0.6))
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", labelsize=7)
    ax.xaxis.get_major_locator().set_params(integer=True)
    return ax
