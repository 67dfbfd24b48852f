"""Pictures of section 5 (Knowles 2021): axes in, axes out. Notebooks 31, 33 and 67."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from study.knowles2021.section_5_2_tests import EQUIVALENCE
from study.pictures import CHANGES, MARKS, rank_lines
from wmtlib.core.drawing import BLUE, GREEN, GREY, RED, rows

SAW = {
    "share_REF": "references",
    "share_BAD_REF": "damaged references",
    "share_HUMAN": "human translations",
    "all_systems": "every system",
}
WORDS = {"rank": "order", "cluster": "clusters", "both": "both"}  # what changes


# --- section 5.1 ----------------------------------------------------------------------


def workers_saw(seen: pd.DataFrame, axes: Sequence[Axes]) -> Sequence[Axes]:
    """Draw the share of workers who judged a kind of item, a circle a language pair.

    Left out are campaigns of mixed style and those without any quality control
    (Facebook's). What was not recovered is not known: BAD_REF, and REF of SR+DC.

    Parameters
    ----------
    seen : DataFrame
        Rows of `section_5_1.composition`.
    axes : sequence of Axes, one for each of `SAW`
    """
    unchecked = (seen["level"] == "item") & (seen["share_BAD_REF"] == 0)
    table = seen[~unchecked & (seen["style"] != "mixed")]
    table = table.sort_values(
        ["style", "campaign", "level"], ascending=[False, True, True]
    )
    recovered = table["level"] == "recovered"
    label = table["campaign"].str.upper() + ", " + table["style"]
    label = label + recovered.map({True: ", recovered", False: ""})
    hidden = {
        "share_BAD_REF": recovered,
        "share_REF": recovered & (table["style"] == "SR+DC"),
    }
    labels = [*label.unique()]
    row = label.map(labels.index)
    for ax, (column, title) in zip(axes, SAW.items(), strict=True):
        share = 100 * table[column].mask(hidden.get(column, recovered & False))
        known = share.groupby(row).count()
        ax.plot(share, row, "o", color=BLUE, mfc="none", alpha=0.7, ms=5)
        for k in known.index[known == 0]:
            ax.text(50, k, "not known", color="0.5", ha="center", va="center")
        rows(ax, labels).set(xlim=(-6, 106), xlabel="% of workers")
        ax.set_title(title, fontsize=9)
        ax.set_xticks([0, 50, 100])
    return axes


# --- section 5.2 ----------------------------------------------------------------------


def tables_2_and_3(counts: pd.DataFrame, axes: Sequence[Axes]) -> Sequence[Axes]:
    """Draw Tables 2 and 3: printed shares hollow, ours filled, the counts beside them.

    A bar is where the printed share can lie if the pairs at hand are as we count them:
    from none of the missing pairs to all of them.

    Parameters
    ----------
    counts : DataFrame
        Of `tables.counts_beside_print`.
    axes : sequence of Axes, one for each kind of change
    """
    style_first = counts["row"].str.replace(
        r"(.+) ranked, (SR.DC) all", r"\2, \1", regex=True
    )
    counts = counts.assign(row=style_first)
    names = counts[["item", "row"]].drop_duplicates()
    # A free row divides the tables.
    gap = names["item"].ne("table-2").astype(int).to_numpy()
    place = dict(zip(names["row"], np.arange(len(names)) + gap, strict=True))
    for ax, (change, colour) in zip(axes, CHANGES.items(), strict=True):
        table = counts[counts["change"] == change]
        row = table["row"].map(place)
        least = table["ours_k"] / table["n"]
        most = least + 1 - table["ours_n"] / table["n"]
        ax.hlines(row, 100 * least, 100 * most, color="0.85", lw=7, zorder=1)
        mark = MARKS[change]
        ours = 100 * table["ours_k"] / table["ours_n"]
        ax.plot(ours, row, mark, color=colour, ms=5, label="ours", zorder=3)
        printed = 100 * table["k"] / table["n"]
        ax.plot(printed, row, mark, color=colour, mfc="none", ms=8.5, label="print")
        for y, count in zip(row, table.itertuples(), strict=True):
            ax.text(135, y, f"{count.k}/{count.n}", ha="center", va="center")
            if not np.isnan(count.ours_k):
                text = f"{count.ours_k:.0f}/{count.ours_n:.0f}"
                ax.text(180, y, text, color=colour, ha="center", va="center")
        for x, word in ((135, "print"), (180, "ours")):
            ax.text(x, -1, word, ha="center", va="center", color="0.4")
        rows(ax, [*place]).set_yticks([*place.values()], place)
        ax.set(ylim=(max(place.values()) + 0.6, -1.5), xlim=(-6, 205))
        ax.set_title(f"{WORDS[change]} changed")
        ax.set_xticks([0, 50, 100])
        ax.set_xlabel("% of language pairs", loc="left")
    return axes


def before_and_after(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw a ranking before and after a removal, with its lines.

    Parameters
    ----------
    table : DataFrame
        Of `section_5_2.rises`.
    """
    names = ["all judgements", "without humans and references"]
    places = table[["place", "place after"]].set_axis(names, axis=1)
    below = table[["line", "line after"]].set_axis(names, axis=1)
    return rank_lines(places, below, ax)


def rises_by_fall(
    systems: Sequence[tuple[str, pd.DataFrame]], axes: Sequence[Axes]
) -> None:
    """Draw how far each system rises by how far its workers' means fall.

    Parameters
    ----------
    systems : sequence of (title, DataFrame)
        The tables are of `section_5_2.rises`.
    axes : sequence of Axes, one for each of them
    """
    for ax, (title, table) in zip(axes, systems, strict=True):
        moved = table["place"] != table["place after"]
        for chosen, colour, label in (
            (~moved, GREY, "keeps its place"),
            (moved, RED, "changes places"),
        ):
            ax.scatter(
                table["fall"][chosen],
                table["rise"][chosen],
                color=colour,
                s=28,
                label=label,
            )
        ax.set_title(title)
        ax.xaxis.set_major_locator(MaxNLocator(4))
        ax.set_xlabel("fall of the workers' means (standard deviations)")
        ax.grid(color="0.92")
        ax.set_axisbelow(True)
    axes[0].set_ylabel("rise of the mean z-score")
    axes[0].legend(frameon=False)


# --- what chance does, and differences ------------------------------------------------


def reversed_at_random(
    reversals: Mapping[str, pd.DataFrame], tests: pd.DataFrame, ax: Axes
) -> Axes:
    """Draw how many pairs random removals reverse, a dot a draw; humans as a line.

    Parameters
    ----------
    reversals : mapping of str to DataFrame
        Of `section_5_2_tests.random_reversals`.
    tests : DataFrame
        Of `section_5_2_tests.against_random`, of one style, a row of the picture each.
    """
    of_style = reversals["observed"]["style"].isin(tests["style"]).to_numpy()
    for k, test in enumerate(tests.itertuples()):
        sums = reversals[test.random].to_numpy()[of_style].sum(axis=0)
        values, times = np.unique(sums, return_counts=True)
        ax.scatter(values, np.full(len(values), k), s=5 * times, color=BLUE, alpha=0.35)
        ax.plot(test.expected, k, "|", color="k", ms=13, mew=2)
    ax.axvline(tests["observed"].iloc[0], color=RED, lw=1.5)
    ax.set_xlabel("pairs of systems reversed, all language pairs")
    return rows(ax, [*tests["random"].str.replace(", ", ",\n")])


def beside_chance(
    reversals: Mapping[str, pd.DataFrame], tests: pd.DataFrame, axes: np.ndarray
) -> None:
    """Draw `reversed_at_random`, and the differences from it, SR+DC on top.

    Parameters
    ----------
    reversals : mapping of str to DataFrame
        Of `section_5_2_tests.random_reversals`.
    tests : DataFrame
        Of `section_5_2_tests.against_random`.
    axes : ndarray of Axes, (styles, 2)
    """
    by_style = tests.assign(main=tests["primary"]).groupby("style", sort=False)
    for (left, right), (style, of_style) in zip(axes, [*by_style][::-1], strict=True):
        reversed_at_random(reversals, of_style, left)
        pairs = of_style["pairs"].iloc[0]
        left.set_title(f"{style}, {pairs} language pairs")
        left.margins(x=0.08)
        labels = [""] * len(of_style)
        differences(of_style, right, labels=labels, bound=EQUIVALENCE)
        right.set_title("humans less random")
        right.set_xlabel("reversed pairs, for each language pair")


def differences(
    table: pd.DataFrame, ax: Axes, *, labels: Sequence[str], bound: float = 0
) -> Axes:
    """Draw differences with their intervals, a row each, the first on top.

    Parameters
    ----------
    table : DataFrame
        Columns difference, low and high (95 %), and main (bool): in another colour;
        least and most (90 %), if they are there, are drawn thick.
    labels : sequence of str
    bound : float
        Differences within it count as none: a band.
    """
    place = np.arange(len(table))
    if bound:
        ax.axvspan(-bound, bound, color=GREEN, alpha=0.12, lw=0)
    ax.axvline(0, color="0.4", lw=0.8, zorder=1)
    colours = [RED if main else BLUE for main in table["main"]]
    ax.hlines(place, table["low"], table["high"], color=colours, lw=1.4)
    if {"least", "most"} <= set(table):
        ax.hlines(place, table["least"], table["most"], color=colours, lw=4, alpha=0.5)
    ax.scatter(table["difference"], place, color=colours, s=28, zorder=3)
    return rows(ax, labels)


def style_differences(tests: pd.DataFrame, ax: Axes) -> Axes:
    """Draw how much more often SR+DC rankings change, with counts and Holm's p.

    Parameters
    ----------
    tests : DataFrame
        Rows of `section_5_2_tests.style_tests` that remove something, and the column
        Holm of `section_5_2_tests.as_shown`.
    """
    removed = tests["step"].str.replace("remove ", "without the ")
    labels = removed + ": " + tests["change"].map(WORDS)
    differences(tests.assign(main=tests["primary"]), ax, labels=[*labels])
    columns = {"SR+DC": 1.2, "SR-DC": 1.5, "Holm": 1.85}
    for column, x in columns.items():
        title = "p (Holm)" if column == "Holm" else column
        ax.text(x, -0.9, title, ha="center", va="center", color="0.4")
        for y, text in enumerate(tests[column]):
            ax.text(x, y, text, ha="center", va="center")
    least = min(tests["low"].min(), -0.3)
    ax.set(xlim=(least - 0.1, 2.05), ylim=(len(tests) - 0.4, -1.3))
    ax.set_xticks([-0.5, 0, 0.5, 1] if least < -0.5 else [0, 0.5, 1])
    ax.set_xlabel("share of pairs that change, SR+DC less SR-DC", loc="left")
    return ax
