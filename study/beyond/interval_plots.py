"""Values with their 95 % intervals, a row each: the figures of notebooks 63 to 66."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

from wmtlib.core.drawing import BLUE, SIZE

ABOVE = 0, 4  # where the number of a point is, in points from its middle


def values_with_intervals(
    rows: pd.DataFrame,
    ax: Axes,
    *,
    value: str,
    ends: tuple[str, str] = ("low", "high"),
    down: float = 0.0,
    color: str = to_hex(BLUE),
    label: str | None = None,
    number: str = "",
) -> Axes:
    """Draw a point and its interval for each row, the first on top.

    Parameters
    ----------
    rows : DataFrame
        The value and both ends, indexed by what is written beside the axis. Where the
        ends are missing there is a point alone.
    down : float
        How far below the middle of its row a point is, in rows.
    label : str, optional
        Of the points, in a legend.
    number : str
        The format of the value, such as ".2f", written above its point; empty: none.
    """
    middle = -np.arange(len(rows))
    place = middle - down
    ax.hlines(place, rows[ends[0]], rows[ends[1]], color=color, lw=2)
    ax.plot(rows[value], place, "o", ms=5, color=color, label=label)
    if number:
        box = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
        for x, y in zip(rows[value], place, strict=True):
            if np.isfinite(x):
                words = f"{x:{number}}".replace("%", " %")
                shown = ax.annotate(words, (x, y), ABOVE, textcoords="offset points")
                shown.set(size=SIZE, ha="center", va="bottom", bbox=box, zorder=1)
    ax.set_yticks(middle, [str(name) for name in rows.index])
    ax.set_ylim(0.6 - len(rows) - max(down, 0), 0.6 - min(down, 0))
    ax.tick_params(axis="y", length=0)
    return ax


def promise(ax: Axes, at: float, words: str, *, side: str = "left") -> Axes:
    """Draw a promised value as a dashed line, with its words at the top.

    side : "left" or "right"
        Of the line, where the words are.
    """
    ax.axvline(at, color="0.4", lw=1, ls="--", zorder=0)
    away = -4 if side == "left" else 4
    ax.annotate(
        words,
        (at, 1),
        (away, -1),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        size=SIZE,
        color="0.3",
        ha="right" if side == "left" else "left",
        va="top",
    )
    return ax
