"""Pictures of what data there are. Axes in, axes out."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes

CAMPAIGN_COLOURS = {
    "wmt10": "#0072B2",
    "wmt10-crowd": "#E69F00",
    "wmt11": "#009E73",
    "wmt12": "#CC79A7",
}
LEVEL_COLOURS = {"single judgements": "#0072B2", "segment means": "#56B4E9", "nothing": "0.85"}


def campaigns(pairs: pd.DataFrame, notes: Mapping[str, str], ax: Axes) -> Axes:
    """How many tasks of each campaign are public, and how; a bar a campaign, the oldest on top.

    Parameters
    ----------
    pairs : DataFrame, campaigns x levels
        Number of tasks of each level of `LEVEL_COLOURS`.
    notes : mapping of campaign to what is written beside its bar
    """
    left = pd.Series(0, pairs.index)
    for level, colour in LEVEL_COLOURS.items():
        ax.barh(pairs.index, pairs[level], left=left, color=colour, label=level, height=0.7)
        left = left + pairs[level]
    for campaign, length in left.items():
        ax.text(length + 0.2, campaign, notes.get(campaign, ""), va="center", fontsize=8)
    ax.set(xlabel="tasks (language pairs; in WMT11 also groups of systems)", xlim=(0, 26))
    ax.invert_yaxis()
    ax.tick_params(axis="y", length=0)
    ax.legend(frameon=False, loc="lower right", title="what is public", fontsize=8)
    return ax


def comparisons_per_pair(tasks: pd.DataFrame, ax: Axes) -> Axes:
    """How often a pair of systems was compared, a dot a task, the least often on top.

    Parameters
    ----------
    tasks : DataFrame
        Columns label, campaign and comparisons_per_pair.
    """
    shown = tasks.sort_values("comparisons_per_pair", ascending=False, ignore_index=True)
    for campaign, colour in CAMPAIGN_COLOURS.items():
        often = shown.loc[shown["campaign"] == campaign, "comparisons_per_pair"]
        ax.plot(often, often.index, "o", color=colour, label=campaign)
    ax.set_yticks(range(len(shown)), shown["label"], fontsize=7)
    ax.set(xscale="log", ylim=(-0.6, len(shown) - 0.4))
    ax.set_xlabel("comparisons for each compared pair of systems, reference included (log scale)")
    ax.tick_params(axis="y", length=0)
    ax.grid(color="0.92")
    ax.set_axisbelow(True)
    ax.legend(frameon=False, loc="lower left")
    return ax
