"""Figures of notebook 13: a cycle, worlds with a true order, tasks, totals, power."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, PercentFormatter

from study import pictures
from study.beyond import cycles
from wmtlib.core import drawing
from wmtlib.core.drawing import BLUE, GREEN, ORANGE, PURPLE, RED
from wmtlib.mfas import MFAS

NEAREST = 3  # systems that are drawn where no cycle is
COINS = {
    "ranking": ("0.8", True, "a ranking"),
    "segment": (BLUE, False, "a sentence"),
}
LOOKS = {
    "3-9": (BLUE, "o", "single tasks, 3-9 systems"),
    "10-14": (GREEN, "s", "single tasks, 10-14"),
    "15 or more": (PURPLE, "^", "single tasks, 15 or more"),
    "total, all tasks": ("k", "D", "all tasks together"),
    "total, Lopez's 25": (RED, "v", "Lopez's 25 together"),
}


def draw_cycle(wins: pd.DataFrame, best: MFAS, axes: Sequence[Axes]) -> None:
    """Draw a cycle of a task as arrows, beside the margins in the best order.

    Without a cycle the first systems of the order are drawn.
    """
    found = [[*cycle] for cycle, _ in best.certificate.cycles]
    chosen = found[0] if found else [*best.order][:NEAREST]
    violated = [*zip(best.violated["winner"], best.violated["loser"], strict=True)]
    among = wins.loc[chosen, chosen]
    pictures.tournament(among, axes[0], reversed_edges=violated)
    for text in axes[0].texts:
        if text.get_text() in chosen and text.get_position()[1] < 0:
            text.set(ha="center", y=1.3 * text.get_position()[1])
        text.set_in_layout(False)
    axes[0].set_title("one cycle" if found else "no cycle: the first systems")
    draw_margins(wins - wins.T, [*best.order], axes[1])
    axes[1].set_title("margins, in the best order")


def draw_margins(margin: pd.DataFrame, order: Sequence[str], ax: Axes) -> Axes:
    """Draw margins of all pairs in an order; framed are those that contradict it."""
    table = margin.loc[[*order], [*order]].round().astype(int)
    return drawing.margins(table, table.notna(), ax)


def draw_world(
    expected: pd.DataFrame, world: pd.DataFrame, axes: Sequence[Axes]
) -> None:
    """Draw the margins that a true order predicts, and those of one world."""
    order = [*expected.sum(axis=1).sort_values(ascending=False).index]
    titles = ("expected under a true order", "one world: with noise")
    for margin, title, ax in zip((expected, world), titles, axes, strict=True):
        draw_margins(margin, order, ax)
        ax.set_title(title)


def draw_weights(violated: pd.Series, observed: int, ax: Axes) -> Axes:
    """Draw how many worlds violate how much, the observed weight as a line."""
    number = violated.value_counts().sort_index()
    ax.bar(number.index, number, color="0.75", width=0.9, label="worlds")
    ax.axvline(observed, color=ORANGE, lw=2.5, label="observed")
    ax.set(xlabel="violated weight (net judgements)", ylabel="worlds")
    ax.set_title(f"{len(violated)} worlds with a true order")
    ax.legend(frameon=False)
    return ax


def draw_tasks(table: pd.DataFrame, totals: pd.DataFrame, axes: Sequence[Axes]) -> None:
    """Draw what totals and single tasks violate beside what chance gives.

    Parameters
    ----------
    table : DataFrame
        As `cycles.beside_chance` gives it.
    totals : DataFrame
        As `cycles.compare_totals` gives it; the first unit of each group is drawn.
    """
    weights = totals[totals["tasks"] != cycles.WITH_A_CYCLE]
    first = weights.drop_duplicates("tasks").set_index("tasks")
    number = cycles.task_groups(table.index)
    names = {name: f"{name}: {number[name].sum()}" for name in first.index}
    names[cycles.ALL] = f"all {len(table)} tasks: the main test"
    names[cycles.ANALYSED] = "Lopez's 25 tasks"
    pictures.beside_chance(first.rename(index=names), axes[0]).set_xlabel("")
    axes[0].set_xlim(0)
    axes[0].get_yticklabels()[0].set_fontweight("bold")
    axes[0].set_title("tasks together")
    with_cycles = table[(table["observed"] > 0) | (table["high"] > 0)]
    pictures.beside_chance(with_cycles, axes[1])
    axes[1].set_title("single tasks, those that can have cycles")


def draw_totals(violated: Mapping[str, pd.DataFrame], axes: Sequence[Axes]) -> None:
    """Draw totals over worlds, by what the coin is tossed for, the observed as a line.

    One panel for all tasks, one for Lopez's 25, one for those with a cycle.
    """
    titles = {
        cycles.ALL: "all tasks",
        cycles.ANALYSED: "Lopez's 25 tasks",
        cycles.WITH_A_CYCLE: "Lopez's 25: those with a cycle",
    }
    for (group, title), ax in zip(titles.items(), axes, strict=True):
        sums = cycles.in_worlds(violated, group)
        drawn = np.concatenate([of_unit for _, of_unit in sums.values()])
        low, high = drawn.min(), drawn.max()
        width = max((high - low) / 18, 1)
        if group == cycles.WITH_A_CYCLE:
            width = 1
        edges = np.arange(low - width / 2, high + width, width)
        for unit, (colour, fill, words) in COINS.items():
            if unit not in sums:
                continue
            observed, of_unit = sums[unit]
            number, _ = np.histogram(of_unit, edges)
            label = f"coin for {words}"
            share = number / len(of_unit)
            ax.stairs(share, edges, color=colour, fill=fill, lw=1.8, label=label)
        ax.axvline(observed, color=ORANGE, lw=2.5, label="observed")
        ax.set(title=title, xlabel="violated weight")
        ax.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 5, 10]))
        ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes[-1].set_xlabel("tasks with a cycle")
    axes[0].set_ylabel("share of worlds")
    handles = axes[0].get_legend_handles_labels()
    axes[0].figure.legend(*handles, loc="outside upper center", ncols=3, frameon=False)


def draw_power(power: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the share of worlds with cycles that are found, by the size of the cycles.

    Parameters
    ----------
    power : DataFrame
        As `cycles.power` gives it. Without cycles, 5 % are found by construction.
    """
    sizes = [0, *cycles.SIZES]
    for name, found in power.iterrows():
        colour, marker, label = LOOKS[str(name)]
        ax.plot(sizes, [0.05, *found], color=colour, marker=marker, label=label)
    ax.axhline(0.05, color="0.6", lw=0.8, ls=":")
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.set_xticks(sizes)
    ax.set_xlabel("size of the cycles (standard deviation, log-odds)")
    ax.set(ylim=(0, 1.03), ylabel="worlds with more than chance gives")
    ax.grid(axis="y", color="0.92")
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return ax
