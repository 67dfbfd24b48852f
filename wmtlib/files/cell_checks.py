"""Which texts are names, ranks and scores; the first cell that is not is refused."""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from wmtlib.counts import UNRANKED, is_rank
from wmtlib.errors import Origin, shown
from wmtlib.files.column_roles import called, fault_of_name

TRUTH = {"true": True, "false": False, "1": True, "0": False}


def _fault_of_rank(value: str) -> str:
    return "" if is_rank(value) else f"expected a whole number from 1, or {UNRANKED} for no rank"


def _fault_of_accepted(value: str) -> str:
    return "" if value.casefold() in TRUTH else "expected true, false, 1 or 0"


def _fault_of_label(value: str) -> str:
    return "" if value.strip() else "expected a name"


FAULTS: Mapping[str, Callable[[str], str]] = {
    "system": fault_of_name,
    "task": fault_of_name,
    "rank": _fault_of_rank,
    "score": lambda score: "",  # `tidy_assessments` looks at scores
    "accepted": _fault_of_accepted,
}


def require_cells(frame: pd.DataFrame, rows: Origin, used: Mapping[str, str]) -> None:
    """Refuse the first cell that its role does not allow; a missing one counts as empty.

    Parameters
    ----------
    frame : DataFrame
        Text, a column for each role.
    used : mapping from role to column
        What the columns are called in the file.
    """
    for role in frame.columns.intersection([*used]):
        fault_of = FAULTS.get(role, _fault_of_label)
        codes, values = pd.factorize(frame[role], use_na_sentinel=False)
        for k, value in enumerate(values):
            found = value if isinstance(value, str) else ""
            if fault := fault_of(found):
                row = int(np.argmax(codes == k))
                raise rows.refuse(row, f"{called(role, used)} is {shown(found)}; {fault}")


def column(frame: pd.DataFrame, role: str, default: str = "") -> pd.Series:
    """A column, or the same value in every row if the file does not have it."""
    return frame[role] if role in frame else pd.Series(default, frame.index)
