"""Figures of section 6 (Knowles 2021): systems that meet, and documents."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from study.campaigns import Release
from study.knowles2021.section_6 import by_hit, co_occurrence
from wmtlib.core.drawing import BLUE, GREEN, ORANGE, rows, squares

STYLES = {"SR-DC": ORANGE, "SR+DC": BLUE}
WORKERS = {"hit": "HITs", "worker": "workers"}


def draw_meetings(releases: Sequence[Release], axes: Sequence[Axes]) -> None:
    """Draw how often two systems meet, a matrix for each campaign (Figure 4)."""
    for release, ax in zip(releases, axes, strict=True):
        campaign, unit = by_hit(release)
        shares = co_occurrence(campaign, unit=unit)
        last = ax is axes[-1]
        squares(
            shares,
            ax,
            cmap="viridis",
            limits=(0, 1),
            label="share of the row's HITs that hold the column",
            cbar=last,
            xticklabels=False,
            yticklabels=True,
        )
        pair = f"{release.campaign} {release.language_pair}"
        ax.set(title=f"{release.style}: {pair}", xlabel="the systems in this order")


def draw_hits(hits: pd.DataFrame, ax: Axes) -> Axes:
    """Draw how often two systems meet, a row for each language pair.

    Parameters
    ----------
    hits : DataFrame
        As `section_6.hit_table` gives it.
    """
    row = np.arange(len(hits))
    style = hits["style"].to_numpy()
    ax.hlines(row, hits["least"], hits["median"], color="0.8", lw=1.5, zorder=1)
    for name, colour in STYLES.items():
        of_style = hits[style == name]
        place = row[style == name]
        ax.scatter(
            of_style["median"], place, color=colour, s=26, label=f"{name}, median"
        )
        ax.scatter(
            of_style["least"], place, ec=colour, fc="w", s=26, label=f"{name}, least"
        )
    ax.axvline(0.5, color="0.6", lw=0.8, ls=":")
    units = hits["unit"].map(WORKERS)
    rows(ax, hits.index + " (" + hits["hits"].astype(str) + " " + units + ")")
    ax.set(xlim=(0, 1.03), xlabel="share of one system's HITs in which the other is")
    ax.legend(frameon=False, loc="lower right")
    return ax


def draw_documents(by_document: pd.DataFrame, axes: Sequence[Axes]) -> None:
    """Draw mean raw scores of documents and systems, and of tenths of the documents.

    Parameters
    ----------
    by_document : DataFrame
        As `section_6.document_means` gives it.
    """
    tenth = np.arange(len(by_document)) * 10 // len(by_document) + 1
    by_tenth = by_document.groupby(tenth).mean()
    titles = ("every document", "tenths of the documents")
    for table, title, ax in zip((by_document, by_tenth), titles, axes, strict=True):
        last = table is by_tenth
        squares(
            table,
            ax,
            cmap="viridis",
            limits=(0, 100),
            label="mean raw score (0-100)",
            cbar=last,
            xticklabels=True,
            yticklabels=last,
        )
        ax.set(title=title, ylabel="easiest first")
        ax.tick_params(axis="y", rotation=0)


def draw_document_tests(groups: dict[str, pd.DataFrame], ax: Axes) -> Axes:
    """Draw by how much documents differ above chance, with 95 % intervals.

    Parameters
    ----------
    groups : dict of DataFrame
        Of `section_6_tests.document_tests`, by what they are; hollow where the p that
        is corrected for the group is 0.05 or more.
    """
    labels: list[str] = []
    for (group, tests), colour in zip(groups.items(), (BLUE, GREEN), strict=False):
        row = len(labels) + np.arange(len(tests))
        excess = tests["between_documents"] - tests["by_chance"]
        ax.hlines(row, tests["low"], tests["high"], color=colour, lw=1.5)
        inside = [colour if p < 0.05 else "w" for p in tests["holm"]]
        ax.scatter(excess, row, fc=inside, ec=colour, s=26, zorder=3)
        ax.scatter([], [], color=colour, s=26, label=group)
        names = tests["campaign"] + " " + tests["language_pair"]
        number = tests["documents"].astype(int).astype(str)
        labels += [*(names + " (" + number + ")")]
    ax.axvline(0, color="0.4", lw=0.8)
    rows(ax, labels)
    ax.set_xlabel("share of the variance between documents, less that by chance")
    ax.legend(frameon=False, loc="lower right")
    return ax
