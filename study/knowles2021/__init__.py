"""Knowles (2021): the tests that draw the paper's lines, and the facts of its claims.

The rest is in modules that bear the names of the paper's sections, and in `tables`;
`beside_print` joins the values of all of them for the scoreboard. The parts of section
5, z-scores in practice, are HIT Composition (5.1), Analysis (5.2) and Case Study (5.3).
"""

from collections.abc import Sequence
from typing import Any, TypedDict

import pandas as pd

from study.data.sources import Source
from study.scoreboard.published import at_hand, load_published


class Lines(TypedDict):
    """A test, and a rule by which its p-values draw lines; see `rank_campaign`."""

    test: str
    rule: str


# SciPy's default in 2021, and footnotes 4 and 8.
PAPER_LINES: Lines = {"test": "legacy", "rule": "footnote-4"}
LATE = "wmt20 en-iu"  # its judgements were still being collected (section 3)
TWO_STYLES = ("SR-DC", "SR+DC")


def columns_at_hand(
    table: pd.DataFrame, source: Source, *rows: str, known: Sequence[str] | str = ()
) -> dict[str, dict[str, Any]]:
    """Select facts of claims about language pairs, by the ids of their rows.

    The columns of a table indexed by "campaign pair", cut to the pairs that each claim
    rests on and that are at hand, and to rows in which the columns `known` are.
    """
    basis = load_published("knowles2021").set_index("id")["basis"]
    pairs = {row: at_hand(basis[row], source).pairs for row in rows}
    return {
        row: {**table.loc[[*pairs[row]]].dropna(subset=known)}
        for row in rows
        if pairs[row]
    }
