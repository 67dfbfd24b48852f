"""How few judgements decide, as a part of an answer: `wmtlib rank --robust`."""

from typing import Any

import pandas as pd

from wmtlib.analysis import answer_inputs
from wmtlib.analysis.answers import AnswerSection
from wmtlib.analysis.robustness import METHODS, Robustness, fewest_removals
from wmtlib.judgements.errors import DataError
from wmtlib.yours.read import Judgements

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
    if method not in METHODS:
        raise DataError(f"--robust: not for {method}; put another first: {', '.join(METHODS)}")


def section(found: Robustness) -> AnswerSection:
    """What it takes to change the winner, and the table."""
    first, table = found.winner, found.table
    number = _range(first["units_low"], first["units_high"])
    single = _range(first["low"], first["high"])
    text = (
        f"{first['above']} is no longer ahead of every other system without {number} of"
        f" {found.n_units} {found.unit}s, if they are chosen for it; or without {single} of"
        f" {found.n_judgements} single judgements"
    )
    text += f", or with {first['reversals']} reversed." if first["reversals"] is not pd.NA else "."
    text += (
        " Of two numbers such as 5–7, fewer than 5 are proven not to be enough, and 7 are. This is"
        " the worst case, not what chance does: for that see the intervals."
    )
    warnings = []
    if undone := int((~table["rescaled"].fillna(True)).sum()):
        warnings.append(
            f"{undone} of {len(table)} changes do not come about when the workers' means and"
            " standard deviations are computed from what is left"
        )
    shown = table[["change", "above", "below", "reversals"]].copy()
    shown.insert(3, f"{found.unit}s", list(map(_range, table["units_low"], table["units_high"])))
    shown.insert(4, "judgements", list(map(_range, table["low"], table["high"])))
    shown = shown.dropna(axis="columns", how="all")
    title = f"How few decide ({found.ranking.method}, by {found.unit})"
    return AnswerSection(title, text, warnings, {"Fewest removals": shown}, {"Both ends": table})


def content(found: Robustness) -> dict[str, Any]:
    """The same as data."""
    sizes = {"units": found.n_units, "judgements": found.n_judgements}
    return {"method": found.ranking.method, "unit": found.unit, **sizes, "changes": found.table}


def _range(low: int, high: int) -> str:
    """One number, or two if only an interval is proven."""
    return str(low) if low == high else f"{low}–{high}"
