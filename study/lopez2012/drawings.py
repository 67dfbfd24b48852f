"""Figures 1 to 3 and Tables 2 to 4 (Lopez 2012) as pictures, each with its caption."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from study import pictures
from study.lopez2012 import Analysis, section_4, tables
from study.lopez2012.section_5 import method_places
from wmtlib import mfas, plots
from wmtlib.core.counts import Counts, comparisons
from wmtlib.core.drawing import BLUE, SIZE, rows

WIDTH = 7.8  # inches, of the book's column


# --- Figure 1 -------------------------------------------------------------------------


def figure_1(assessment: pd.DataFrame) -> tuple[Figure, str]:
    """Draw one assessment: the ranks that a judge gave, and the pairs they decide."""
    fig, axes = plt.subplots(1, 2, figsize=(WIDTH, 3), width_ratios=(2, 3))
    ranks_given(assessment, axes[0])
    implied_signs(assessment, axes[1])
    caption = (
        "Figure 1 of Lopez (2012). Left: the ranks that one judge gave; systems on one"
        " height are tied. Right: the ten comparisons that follow, ≺ where the row's"
        " system is better than the column's, ≡ where they are tied."
    )
    return fig, caption


def ranks_given(assessment: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the systems of an assessment, each at the height of its rank."""
    by_rank = assessment.groupby("rank")["system"].agg(lambda names: ",  ".join(names))
    for rank, names in by_rank.items():
        ax.text(0.06, rank, names.upper(), va="center", fontsize=9)
    ax.set_yticks(by_rank.index)
    ax.set(
        xlim=(0, 1), xticks=[], ylabel="rank (1 = best)", title="The judge's ranking"
    )
    ax.set_ylim(by_rank.index.max() + 0.6, by_rank.index.min() - 0.6)
    ax.spines["bottom"].set_visible(False)
    return ax


def implied_signs(assessment: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the outcome of each pair of an assessment as a sign in its cell."""
    names = [name.upper() for name in assessment["system"].astype(str)]
    place = {name.casefold(): k for k, name in enumerate(names)}
    for pair in comparisons(assessment).itertuples():
        ends = [place[str(pair.system_1)], place[str(pair.system_2)]]
        row, column = sorted(ends)
        tied = pair.preference == 0
        fill = "0.9" if tied else BLUE
        corner = column - 0.5, row - 0.5
        ax.add_patch(Rectangle(corner, 1, 1, ec="w", fc=fill))
        sign = "≡"
        if not tied:
            sign = "≺" if ends[pair.preference - 1] == row else "≻"
        colour = "k" if tied else "w"
        ax.text(column, row, sign, ha="center", va="center", color=colour, fontsize=14)
    last = len(names) - 1
    ax.set_xticks(range(1, len(names)), names[1:])
    ax.set_yticks(range(last), names[:-1])
    ax.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    ax.set(xlim=(0.5, last + 0.5), ylim=(last - 0.5, -0.5))
    ax.spines[:].set_visible(False)
    ax.set_title(f"{last * (last + 1) // 2} comparisons", pad=20)
    return ax


# --- Figures 2 and 3 ------------------------------------------------------------------


def figure_2() -> tuple[Figure, str]:
    """Draw Figure 2, with weights that fit the text."""
    fig, ax = plt.subplots(figsize=(5, 3.4))
    pictures.tournament(section_4.figure_2(), ax)
    ax.set_title("Figure 2: no cycle (weights are ours)")
    caption = (
        "Figure 2 of Lopez (2012). An arrow points from the better to the worse system;"
        " its number is how often the better one won. The weights are ours: they fit"
        " what the text says of the image."
    )
    return fig, caption


def figure_3(wins: pd.DataFrame, label: str) -> tuple[Figure, str]:
    """Draw Figure 3, with weights of ours, and a tournament of a real task beside it.

    Parameters
    ----------
    wins : DataFrame, systems x systems
    label : str
        What the second tournament is called in its title.
    """
    fig, axes = plt.subplots(1, 2, figsize=(WIDTH, 3.9), width_ratios=(2, 3))
    titles = ["Figure 3: a cycle (weights are ours)", f"Real judgements: {label}"]
    for tournament, words, ax in zip(
        (section_4.figure_3(), wins), titles, axes, strict=True
    ):
        violated = mfas.exact_order(tournament).violated
        reversed_edges = [(edge.winner, edge.loser) for edge in violated.itertuples()]
        pictures.tournament(tournament, ax, reversed_edges=reversed_edges)
        ax.set_title(words)
    caption = (
        "An arrow points from the better to the worse system; its number is the margin"
        " (wins less losses). The dotted arrows are a minimum feedback arc set: reverse"
        " them, and no cycle is left. Left: Figure 3 of Lopez (2012), whose weights the"
        " text does not give. Right: systems of a real task."
    )
    return fig, caption


# --- Table 2 --------------------------------------------------------------------------


def table_2(analysis: Analysis) -> tuple[Figure, str]:
    """Draw the rankings of Table 2's task, and what BOJAR's contradicts."""
    label = tables.ENGLISH_CZECH
    fig, axes = plt.subplots(1, 2, figsize=(WIDTH, 4.2))
    pictures.bump(method_places(analysis, label), axes[0]).set_title(label)
    order = analysis.orders[label]["bojar"]
    plots.heatmap(analysis.machines(label), order, axes[1])
    axes[1].set_title("BOJAR's order; framed: violated")
    caption = (
        "The rankings of Table 2, and HEURISTIC 2's (Eq. 2). Only MFAS puts cu-marecek"
        " first, which beat every other system. Grey: systems that move less. Right:"
        " wins less losses of the row, in judgements."
    )
    return fig, caption


# --- Table 3 --------------------------------------------------------------------------


def table_3(analysis: Analysis) -> tuple[Figure, str]:
    """Draw margins in the order that Table 3 prints, its violated edges framed.

    An edge that every optimal order reverses has a solid frame, one that only some
    reverse a dashed one.
    """
    label = tables.FRENCH_ENGLISH
    order = tables.printed_order(analysis, "table-3")
    edges = tables.printed_edges(analysis, "table-3")
    fig, ax = plt.subplots(figsize=(WIDTH, 7.6))
    plots.heatmap(analysis.machines(label), order, ax)
    reversed_in = edges.set_index(["loser", "winner"])["reversed_in"]
    for frame in ax.patches:
        if isinstance(frame, Rectangle):
            pair = order[int(frame.get_y())], order[int(frame.get_x())]
            frame.set_linestyle("-" if reversed_in[pair] == "all" else (0, (2, 1)))
    ax.set_title(f"Table 3 of Lopez (2012): {label}, MFAS order as printed")
    ax.set_ylabel("system in the printed order, best on top")
    ax.set_xlabel("its opponent")
    number = reversed_in.value_counts()
    optimal = analysis.solved[label].optimal_orders
    words = {
        "-": f"{number['all']} violated in each of the {optimal} best orders",
        (0, (2, 1)): f"{number['some']} only in some of them",
    }
    frames = [
        Rectangle((0, 0), 1, 1, fill=False, ec="k", lw=1.6, ls=style) for style in words
    ]
    fig.legend(
        frames,
        [*words.values()],
        title=f"framed: violated in print ({len(edges)} pairs)",
        loc="outside lower center",
        ncols=2,
        frameon=False,
        title_fontsize=9,
        fontsize=9,
    )
    caption = (
        "Colour: wins less losses of the row's system, in judgements; blank pairs were"
        " never compared. Above the diagonal an order contradicts what is blue. These"
        f" pairs are framed, with their weights: {edges['weight'].sum()} judgements in"
        " sum, and no order contradicts fewer."
    )
    return fig, caption


# --- Table 4 --------------------------------------------------------------------------


def table_4(analysis: Analysis) -> tuple[Figure, str]:
    """Draw the rankings of Table 4's task, and how often each system ties."""
    label = tables.TUNABLE_METRICS
    fig, axes = plt.subplots(1, 2, figsize=(WIDTH, 3.6), width_ratios=(3, 2))
    places = method_places(analysis, label)
    pictures.bump(places, axes[0]).set_title(label)
    share_of_ties(analysis.machines(label), analysis.orders[label], axes[1])
    caption = (
        "Left: the rankings of Table 4 (MFAS and Eq. 2), and the two other scores."
        " Right: the share of ties among a system's comparisons with the others, in the"
        " order of Eq. 2, which gives nothing for a tie."
    )
    return fig, caption


def share_of_ties(counts: Counts, orders: dict[str, list[str]], ax: Axes) -> Axes:
    """Draw each system's share of ties, in the order of Equation 2."""
    order = orders["heuristic2"]
    share = 100 * tables.tie_shares(counts).loc[order]
    ax.barh(range(len(order)), share, color=BLUE, height=0.6)
    for row, percent in enumerate(share):
        ax.text(percent + 1, row, f"{percent:.0f}", va="center", fontsize=SIZE)
    rows(ax, order).grid(visible=False)
    ax.set(xlabel="ties (% of comparisons)", title="In the order of Eq. 2")
    return ax


# --- of any task ----------------------------------------------------------------------


def optimal_orders(analysis: Analysis, label: str) -> tuple[Figure, str]:
    """Draw where each system stands in the best orders, and by Equations 1 to 3.

    Rows are in the MFAS order: of Table 3's task as printed, of others as solved.
    """
    exact = analysis.solved[label]
    order = [*exact.order]
    if label == tables.FRENCH_ENGLISH:
        order = tables.printed_order(analysis, "table-3")
    places = method_places(analysis, label).loc[order]
    places["mfas"] = range(1, len(order) + 1)
    height = 0.24 * max(len(order), 8) + 1
    fig, axes = plt.subplots(1, 2, figsize=(WIDTH, height), width_ratios=(4, 5))
    ranges = exact.rank_ranges
    assert ranges is not None  # every task of the paper has optimal orders
    pictures.rank_ranges(ranges.loc[order], axes[0])
    axes[0].set_title(f"Optimal orders: {exact.optimal_orders}")
    pictures.bump(places[["mfas", "wmt-official"]], axes[1])
    axes[1].set_title("The dots, and the ranking by Eq. 1")
    printed = ", as Table 3 prints both" if label == tables.FRENCH_ENGLISH else ""
    caption = (
        f"{label}. Left: first and last rank of each system in the best orders (not all"
        " between need occur); the dot is its rank in the order shown. Right: that"
        f" order beside the ranking by Eq. 1{printed}; the systems that move most are"
        " coloured."
    )
    return fig, caption
