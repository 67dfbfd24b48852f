"""Figures of section 3 (Knowles 2021): a ranking with its lines; other tests' lines."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from study import pictures
from wmtlib.core.drawing import BLUE, GREY, ORANGE, rows

TESTS = {
    "legacy": "legacy\n(SciPy < 1.7)",
    "two-sided": "two-sided\n(SciPy now)",
    "one-sided": "one-sided\n(WMT)",
}
RULES = {"footnote-4": (BLUE, "rule of footnote 4"), "official": (ORANGE, "WMT's rule")}


def draw_ranking(
    ranking: pd.DataFrame,
    ax: Axes,
    *,
    humans: Sequence[str] = (),
    intervals: pd.DataFrame,
) -> Axes:
    """Draw a ranking with lines, and of how many lower systems each is better.

    Parameters
    ----------
    ranking : DataFrame, best first
        Columns system, score, wins, line.
    humans : systems drawn in colour
    intervals : DataFrame, index system, columns low, high
    """
    table = ranking.rename(columns={"score": "z"})
    pictures.ladder(table, table["line"], ax, humans=humans, intervals=intervals)
    below = np.arange(len(table))[::-1]
    words = [f"{won} of {k}" for won, k in zip(table["wins"], below, strict=True)]
    side = ax.secondary_yaxis("right")
    side.set_yticks(range(len(words)), words)
    side.set_ylabel("significantly worse, of those below")
    side.tick_params(length=0)
    side.spines[:].set_visible(False)
    return ax


def draw_choices(lines: pd.DataFrame, ax: Axes) -> Axes:
    """Draw where each test and rule draws a line, as a bar below the system.

    Parameters
    ----------
    lines : DataFrame of bool, systems x (test, rule), best first
    """
    for place, test in enumerate(TESTS):
        for shift, rule in enumerate(RULES):
            below = np.flatnonzero(lines[test, rule]) + 0.5
            left = place + 0.42 * shift - 0.4
            colour, label = RULES[rule]
            label = label if place == 0 else ""
            ax.hlines(below, left, left + 0.38, color=colour, lw=3, label=label)
    rows(ax, [*lines.index]).grid(visible=False)
    ax.hlines(
        np.arange(len(lines) - 1) + 0.5, -0.5, 2.5, color="0.94", lw=0.8, zorder=0
    )
    ax.set_xticks(range(len(TESTS)), [*TESTS.values()])
    ax.set_title("lines of this ranking")
    return ax


def draw_moved(moved: pd.DataFrame, number: int, ax: Axes) -> Axes:
    """Draw in how many language pairs a test and a rule would move lines.

    Parameters
    ----------
    moved : DataFrame, tests x rules
        As `section_3.lines_that_move` gives it.
    number : int
        Language pairs in all; without any, a note is written.
    """
    if not number:
        ax.text(0.5, 0.5, "no official tables here", ha="center", va="center")
        ax.set_axis_off()
        return ax
    for shift, (rule, (colour, _)) in enumerate(RULES.items()):
        place = np.arange(len(TESTS)) + 0.42 * shift - 0.21
        height = moved.loc[[*TESTS], rule]
        ax.bar(place, height, 0.4, color=colour)
        for x, count in zip(place, height, strict=True):
            ax.text(x, count + 0.02 * number, str(count), ha="center")
    ax.axhline(number, color=GREY, lw=0.8, ls=":")
    ax.set_xticks(range(len(TESTS)), [*TESTS.values()])
    ax.set(ylim=(0, 1.08 * number), ylabel="language pairs with other lines")
    ax.set_title(f"of {number} language pairs (dotted)")
    return ax
