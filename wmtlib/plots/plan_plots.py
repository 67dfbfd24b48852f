"""Figures of plans: chances that were promised, and what became of them. Axes in, axes out."""

import pandas as pd
from matplotlib.axes import Axes


def calibration(bins: pd.DataFrame, ax: Axes, *, label: str, colour: str, marker: str) -> Axes:
    """Share of pairs that came apart by the chance that they were given, with 95 % intervals.

    Parameters
    ----------
    bins : DataFrame
        Columns pairs (their number stands at each point), chance, apart, low and high.
    """
    ax.plot([0, 1], [0, 1], color="0.7", lw=1, zorder=0)
    ends = [bins["apart"] - bins["low"], bins["high"] - bins["apart"]]
    ax.errorbar(bins["chance"], bins["apart"], ends, fmt=marker, color=colour, ms=5, capsize=2)
    for row in bins.itertuples():
        place = (row.chance, row.apart)
        ax.annotate(f"{row.pairs:.0f}", place, (5, -9), textcoords="offset points", fontsize=7)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.05), title=label, aspect="equal")
    ax.set(xlabel="chance given, from half of the judges", ylabel="share apart in the whole")
    return ax
