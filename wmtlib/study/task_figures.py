"""Lopez's analysis of one task in a figure, and the figures of every task of WMT10-12."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from wmtlib import mfas, ranking
from wmtlib import plots as tournament_plots
from wmtlib.counts import REFERENCE, Counts
from wmtlib.mfas import Certificate
from wmtlib.ranking import rank_by_score
from wmtlib.study import figures
from wmtlib.study.releases import ranking_releases
from wmtlib.study.releases.sources import Source

HEURISTICS = ("wmt-official", "heuristic2", "bojar", "expected-wins")  # beside the MFAS order


def draw_task(counts: Counts, solution: Certificate, label: str) -> tuple[Figure, str]:
    """Heatmap, five rankings and the rank ranges of a task; the figure and its caption.

    `solution` is the minimum feedback arc set of the counts without the reference.
    """
    orders = {
        name: rank_by_score(name, ranking.score(name, counts, reference=REFERENCE)).order
        for name in HEURISTICS
    }
    orders["mfas"] = list(solution.order)
    ranks = pd.DataFrame({m: pd.Series(range(1, len(o) + 1), o) for m, o in orders.items()})
    fig, (left, right, lower) = _panels(solution.order)
    tournament_plots.heatmap(counts, solution.order, left)
    left.set_title(f"{label}, MFAS order")
    tournament_plots.bump(ranks.sort_values("mfas"), lower).set_title("Rankings")
    tournament_plots.rank_ranges(solution.rank_ranges.loc[list(solution.order)], right)
    right.set_title(f"optimal orders: {solution.optimal_orders}")
    proven = "proven least" if solution.optimal else "not proven least"
    caption = (
        f"{label}. Left: margins in judgements between all pairs; framed pairs contradict the MFAS"
        f" order (violated weight {solution.cost}, {proven}). Right: where each system can stand in"
        " an optimal order; a dot marks the order shown. Below: five rankings; the systems that"
        " move most are coloured."
    )
    return fig, caption


def _panels(names: Sequence[str]) -> tuple[Figure, list[Axes]]:
    """Axes for a heatmap, rank ranges beside it and rankings below, with room for the names.

    Placed by the number and the length of the names: matplotlib's layout engine, which draws
    everything twice to measure it, would take most of the time of a figure.
    """
    text = 0.45 + 0.06 * max(map(len, names))  # inches, as all that follows
    panel, rows = 0.24 * max(len(names), 8), 0.2 * max(len(names), 8)
    beside, below = text + panel + 0.8 + text, 1.2 + rows + 0.4 + text
    width, height = beside + 2.7, below + panel + 0.3
    fig = plt.figure(figsize=(width, height))
    fig.set_layout_engine("none")  # layout="none" would last until the figure is first saved
    boxes = [
        (text, below, panel, panel),
        (beside, below, 2.5, panel),
        (text, 1.2, width - 2 * text, rows),
    ]
    size = np.array([width, height, width, height])
    return fig, [fig.add_axes(tuple(box / size)) for box in boxes]


def save_all(source: Source) -> None:
    """Write the figure of every task that experts judged."""
    plt.switch_backend("agg")
    figures.style()
    tasks = ranking_releases.tasks("embedded").query("not campaign.str.endswith('crowd')")
    for campaign, task in tasks[["campaign", "task"]].to_numpy():
        counts = ranking_releases.load_counts(campaign, task, source=source)
        solution = mfas.solve(counts.without(REFERENCE).wins)
        fig, caption = draw_task(counts, solution, ranking_releases.label(campaign, task))
        figures.save(fig, f"lopez2012-task/{campaign}-{task}", caption=caption, source=source)
        plt.close(fig)
