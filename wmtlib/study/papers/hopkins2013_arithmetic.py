"""Hopkins & May (2013): what the paper computes without judgements, in sections 1 to 7."""

from fractions import Fraction

import pandas as pd

from wmtlib import counts as relative_rankings
from wmtlib import mfas as violations
from wmtlib.models import perplexity, uniform
from wmtlib.study.verdicts import Values

TABLE_1 = {"bbn": 1, "cmu": 4, "jhu": 2, "kit": 5, "uedin": 2}


def table_1() -> pd.DataFrame:
    """The fictional ranking of Table 1, in the form of `relative_rankings.RANKINGS`."""
    ranked = pd.DataFrame({"system": [*TABLE_1], "rank": [*TABLE_1.values()]})
    return ranked.assign(task="fr-en", ranking=1, segment=1, judge="jdoe")


def values() -> Values:
    """Values of the scoreboard that follow without data."""
    table_2 = relative_rankings.comparisons(table_1())
    rows = table_2[["system_1", "system_2", "preference"]].astype(str).agg(" ".join, axis=1)
    third = Fraction(1, 3)
    unbeaten = third + third  # wins and ties of A, and of B, against each other
    duplicated = (unbeaten + 1) / 2  # half of B's comparisons are now ties with its copy
    gold = ["terrific", "close1", "close2", "close3"]
    first, second = (
        violations.spearman(order, gold)
        for order in (
            ["terrific", "close3", "close1", "close2"],
            ["close1", "terrific", "close2", "close3"],
        )
    )
    three = round(perplexity(uniform(table_2, systems=TABLE_1), table_2), 9)
    return {
        ("section-1", "comparisons that a ranking encodes"): len(table_2),
        ("table-2", "comparisons encoded by Table 1"): ", ".join(rows),
        ("section-2", "expected ORIGWMT of A and of B"): str(unbeaten),
        ("section-2", "expected ORIGWMT of A once B is duplicated"): str((unbeaten + unbeaten) / 2),
        ("section-2", "expected ORIGWMT of B once it is duplicated"): str(duplicated),
        ("section-3", "which example ranking Spearman favours"): (
            "the second" if second > first else "the first"
        ),
        ("section-5.1", "perplexity of the uniform model"): three,
        ("figure-1", "observed quality of item 43"): round(-0.3 - 0.12, 2),
        ("figure-1", "observed quality of item 205"): round(0.2 + 0.15, 2),
        ("figure-2", "perplexity of the uniform model"): three,
    }
