"""Figures of simulated campaigns: beside real ones, and protocols beside each other.

Axes in, axes out.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

COLOURS = ("#0072B2", "#D55E00")


def beside_real(table: pd.DataFrame, ax: Axes) -> Axes:
    """Numbers of simulated campaigns over the median of real ones, and the real quartiles.

    Parameters
    ----------
    table : DataFrame
        Indexed by number; columns real, real_error, low, high (quartiles of real campaigns),
        simulated and simulated_error. Numbers whose real median is 0 are left out.
    """
    table = table[table["real"] > 0]
    place, real = np.arange(len(table)), table["real"]
    quartiles = (table["high"] - table["low"]) / real
    ax.barh(place, quartiles, left=table["low"] / real, color="0.88", label="real, middle half")
    ax.errorbar(
        np.ones(len(table)),
        place,
        xerr=2 * table["real_error"] / real,
        fmt="|",
        color="0.4",
        label="real median, two standard errors",
    )
    ax.errorbar(
        table["simulated"] / real,
        place,
        xerr=2 * table["simulated_error"] / real,
        fmt="o",
        color=COLOURS[0],
        ms=4,
        label="simulated mean, two standard errors",
    )
    ax.set_yticks(place, [str(name).replace("_", " ") for name in table.index])
    ax.set(xlim=(0, 2.4), ylim=(len(table) - 0.4, -0.6), xlabel="over the median of real campaigns")
    ax.tick_params(axis="y", length=0)
    return ax


def protocols(
    table: pd.DataFrame, labels: Sequence[str], ax: Axes, *, xlabel: str, zero: bool = False
) -> Axes:
    """Means of protocols with two standard errors, one colour a world.

    Parameters
    ----------
    table : DataFrame
        Columns world, protocol, value and error; one row for each world and protocol.
    labels : sequence of str
        Protocols, from the top.
    xlabel : str
    zero : bool
        Whether 0 is in the middle (differences) and not the left end.
    """
    worlds = table["world"].unique()
    shifts = np.linspace(-0.15, 0.15, len(worlds)) if len(worlds) > 1 else [0.0]
    for world, colour, shift in zip(worlds, COLOURS, shifts, strict=False):
        rows = table[table["world"] == world].set_index("protocol").loc[[*labels]]
        place = np.arange(len(rows)) + shift
        style = {"fmt": "o", "color": colour, "capsize": 2, "ms": 4}
        ax.errorbar(rows["value"], place, xerr=2 * rows["error"], label=world, **style)
    ax.set_yticks(range(len(labels)), labels)
    ax.set(ylim=(len(labels) - 0.5, -0.5), xlabel=xlabel)
    ax.grid(axis="x", color="0.92")
    if zero:
        ax.axvline(0, color="0.5", lw=0.8, zorder=0)
    else:
        ax.set_xlim(left=0)
    return ax
