"""How few judgements decide. Every plot function takes and returns axes."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

FEW_COLOUR, MANY_COLOUR = "#D55E00", "#0072B2"  # of Okabe and Ito's palette


def fewest(table: pd.DataFrame, ax: Axes, *, few: float, unit: str) -> Axes:
    """Units whose removal changes the winner, beside all units, on a logarithmic axis.

    Parameters
    ----------
    table : DataFrame
        Columns label, units, units_low, units_high; the first row on top.
    few : float
        Share of the units up to which the number is drawn in another colour.
    unit : str
        What is removed, in the plural.
    """
    place = np.arange(len(table))[::-1]
    units = table["units"].to_numpy(float)
    low, high = (table[f"units_{end}"].to_numpy(float).clip(min=0.7) for end in ("low", "high"))
    colours = np.where(high <= few * units, FEW_COLOUR, MANY_COLOUR)
    ax.hlines(place, high, units, color="0.85", lw=1)
    ax.hlines(place, low, high, color=colours, lw=3, alpha=0.45)
    ax.scatter(high, place, s=16, color=colours, zorder=3)
    ax.plot(units, place, "|", color="0.5", ms=5)
    for row, (y, left, right, colour) in enumerate(zip(place, low, units, colours, strict=True)):
        first, last = (int(table[f"units_{end}"].iloc[row]) for end in ("low", "high"))
        number = str(last) if first == last else f"{first}–{last}"
        words = {"va": "center", "fontsize": 7}
        ax.text(left / 1.2, y, number, ha="right", color=colour, fontweight="bold", **words)
        ax.text(right * 1.2, y, f"{right:,.0f}", ha="left", color="0.4", **words)
    ax.set_yticks(place, table["label"], fontsize=7)
    ax.set(xscale="log", xlim=(0.15, units.max() * 5), ylim=(-0.8, len(table) - 0.2))
    ticks = [10**k for k in range(int(np.log10(units.max())) + 1)]
    ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    ax.minorticks_off()
    ax.set_xlabel(f"fewest {unit} that change the winner, and all")
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.grid(axis="x", color="0.94")
    ax.set_axisbelow(True)
    return ax


def against_resampling(
    table: pd.DataFrame, ax: Axes, *, few: float, unsure: float, named: Sequence[str] = ()
) -> Axes:
    """Share of the units that decide, against the share of bootstrap samples with another winner.

    Parameters
    ----------
    table : DataFrame
        Columns label, units, units_high, unsure.
    few, unsure : float
        Shares at which lines are drawn.
    named : labels
        Points that are called by their names.
    """
    share = 100 * table["units_high"].astype(float) / table["units"]
    ax.axhline(100 * few, color="0.7", lw=0.8)
    ax.axvline(100 * unsure, color="0.7", lw=0.8)
    colours = np.where(share <= 100 * few, FEW_COLOUR, MANY_COLOUR)
    ax.scatter(100 * table["unsure"], share, s=18, color=colours, alpha=0.8)
    for label in named:
        row = table.index[table["label"] == label][0]
        ax.annotate(label, (100 * table["unsure"][row], share[row]), (5, 3),
                    textcoords="offset points", fontsize=7)  # fmt: skip
    ax.set(yscale="log", xlabel="bootstrap samples with another winner, or none alone (%)")
    ax.set_ylabel("fewest rankings that change the winner (% of all)")
    ticks = [0.03, 0.1, 0.3, 1, 3, 10, 30]
    ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    return ax
