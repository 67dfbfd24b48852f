"""How few judgements decide, as a part of an answer: `wmtlib rank --robust`."""

from typing import Any

import pandas as pd

from wmtlib.errors import DataError
from wmtlib.fewest import REMOVABLE, Robustness, fewest_removals
from wmtlib.files.user_judgements import Judgements
from wmtlib.yours import answer_inputs
from wmtlib.yours.answers import AnswerSection

SMALLEST_FIRST = ("ranking", "hit", "judge", "worker")  # units of collection


def find(judgements: Judgements, method: str, *, reference: str | None, unit: str) -> Robustness:
    """The fewest removals from the judgements of a file."""
    data = answer_inputs.method_data(judgements, [unit])
    return fewest_removals(data, method, unit=unit, reference=reference)


def usual_unit(judgements: Judgements) -> str:
    """The smallest unit of collection that the file names."""
    known = answer_inputs.units_of(judgements)
    named = [unit for unit in SMALLEST_FIRST if unit in known]
    return named[0] if named else answer_inputs.default_unit(judgements)


def require_method(method: str) -> None:
    """Refuse, before anything is computed, a method without fewest removals."""
    if method not in REMOVABLE:
        raise DataError(f"--robust: not for {method}; put another first: {', '.join(REMOVABLE)}")


def section(found: Robustness) -> AnswerSection:
    """What it takes to change the winner, and the table."""
    table = found.table
    first = table.iloc[0]
    text = (
        f"{first['above']} is no longer ahead of every other system without {first['units_high']}"
        f" of {first['units']} {found.unit}s, if they are chosen for it; or without"
        f" {first['high']} of {first['judgements']} single judgements"
    )
    text += f", or with {first['reversals']} reversed." if first["reversals"] is not pd.NA else "."
    text += (
        " So many are enough. This is the worst case, not what chance does: for that see the"
        " intervals."
    )
    warnings = []
    if undone := int(table["rescaled"].eq(False).sum()):
        warnings.append(
            f"{undone} of {len(table)} changes do not come about when the workers' means and"
            " standard deviations are computed from what is left"
        )
    title = f"How few decide ({found.ranking.method}, by {found.unit})"
    return AnswerSection(
        title, text, warnings, {"Fewest removals": found.shown}, {"Both ends": table}
    )


def content(found: Robustness) -> dict[str, Any]:
    """The same as data."""
    sizes = found.table[["units", "judgements"]].iloc[0].to_dict()
    return {"method": found.ranking.method, "unit": found.unit, **sizes, "changes": found.table}
