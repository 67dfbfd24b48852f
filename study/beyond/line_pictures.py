"""Pictures of notebook 62: how often equal systems are called different, what stays."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from study.beyond import honest_line
from wmtlib.core.drawing import BLUE, GREEN, GREY, RED, rows

SIZE = 9  # of letters, in points
LONG = 20  # letters of a name that has one line
PROTOCOLS = {
    "DA SR+DC": "whole documents, direct assessment",
    "ESA": "whole documents, ESA",
    "MQM": "whole documents, MQM",
    "DA mixed": "documents and sentences, one campaign",
    "DA by HIT": "known by HIT alone, one campaign",
    "DA SR-DC": "single sentences, direct assessment",
    "RR WMT10-12": "relative rankings, WMT10-12",
    "RR WMT16": "relative rankings, WMT16",
    "votes llmfao": "votes, arena llmfao",
}
HOLLOW = {"mfc": "w"}
TESTS = [  # what is counted, rules, colour and mark, step below the row's middle
    (
        "segments by rank tests, or votes by the sign test",
        ("rank-sum", "signed-rank", "sign test"),
        {"color": RED, "marker": "o"},
        -0.3,
    ),
    (
        "segments by the paired t-test",
        ("wmt26",),
        {"color": RED, "marker": "o", **HOLLOW},
        -0.3,
    ),
    (
        "documents alone (or HITs), or sentences alone",
        ("first unit", "sentences"),
        {"color": GREY, "marker": "s"},
        -0.1,
    ),
    ("judges alone", ("judges",), {"color": GREEN, "marker": "^"}, 0.1),
    (
        "documents or sentences, and judges",
        ("unit", "sets"),
        {"color": BLUE, "marker": "D"},
        0.3,
    ),
]
LINES = [  # columns, words, mark
    ("lines", "by the campaign's rule", {"color": RED, "marker": "o", **HOLLOW}),
    ("lines_stay", "left by units", {"color": BLUE, "marker": "D"}),
    ("lines_at_once", "for all systems at once", {"color": "k", "marker": "|"}),
]


def false_differences(table: pd.DataFrame, ax: Axes) -> Axes:
    """Draw how many of 100 equal pairs each test calls different, with 95 %.

    Parameters
    ----------
    table : DataFrame
        As `honest_line.size_table` gives it; a mark for each row.
    """
    protocol = table["protocol"].str.replace(r" \(by .*", "", regex=True)
    row = protocol.map(_places(protocol))
    shares = 100 * table.filter(like="rejected")
    ax.axvline(5, color="0.3", ls="--", lw=1, label="promised: 5 of 100")
    for label, rules, look, step in TESTS:
        drawn = shares[table["rule"].isin(rules)]
        half = drawn["rejected_high"] - drawn["rejected"]
        y = row[drawn.index] + step
        ax.errorbar(
            drawn["rejected"], y, xerr=half, ls="", ms=5.5, lw=1, label=label, **look
        )
    _name_rows(ax, protocol)
    label = "equal pairs of systems called different, of 100, at 5 %"
    ax.set_xlabel(label, fontsize=SIZE)
    ax.set_xlim(left=-1)
    return ax


def pairs_gone(gone: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the share of pairs that go, with an interval where there is one.

    Parameters
    ----------
    gone : DataFrame
        As `honest_line.pairs_gone` gives it.
    """
    place = pd.Series(gone.index, gone.index).map(_places(gone.index.to_series()))
    share = 100 * gone
    ax.axvspan(100 * honest_line.LITTLE, 100 * honest_line.MUCH, color="0.9")
    ax.hlines(place, share["low"], share["high"], color=BLUE)
    ax.plot(share["gone"], place, "D", color=BLUE, ms=5.5)
    _name_rows(ax, gone.index.to_series())
    ax.set_xlim(-4, 104)
    ax.set_xlabel("pairs that go, of 100", fontsize=SIZE)
    return ax


def lines_left(counts: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the numbers of lines by a campaign's rule, by units, and all at once.

    Parameters
    ----------
    counts : DataFrame, index protocol
        Columns lines, lines_stay and lines_at_once.
    """
    place = pd.Series(counts.index, counts.index).map(_places(counts.index.to_series()))
    for name, words, look in LINES:
        ax.plot(counts[name], place, ls="", ms=7, mew=1.5, label=words, **look)
    _name_rows(ax, counts.index.to_series())
    ax.set_xlabel("lines between systems", fontsize=SIZE)
    return ax


def _places(protocol: pd.Series) -> dict[str, int]:
    """Give each protocol that is there its row, counted from the top."""
    present = set(protocol)
    shown = [name for name in PROTOCOLS if name in present]
    return {name: row for row, name in enumerate(shown)}


def _name_rows(ax: Axes, protocol: pd.Series) -> None:
    """Name the rows in words, with lines between them."""
    names = [PROTOCOLS[name] for name in _places(protocol)]
    names = [name.replace(", ", ",\n") if len(name) > LONG else name for name in names]
    rows(ax, names)
    ax.tick_params(labelsize=SIZE)
    for between in np.arange(len(names) - 1) + 0.5:
        ax.axhline(between, color="0.85", lw=0.6)
