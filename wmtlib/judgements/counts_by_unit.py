"""Tallies: counted comparisons that still tell the judges, segments or rankings they came from.

A table of tallies has the columns a, b (systems; a was shown first), outcome ("a", "b" or "tie")
and count, and one for each unit that is told apart, as `reader.Judgements.tallies` gives them.
`counting.Counts` remember no unit, and not who was shown first; they are taken wherever tallies
are.
"""

import numpy as np
import pandas as pd

from wmtlib.judgements import counting
from wmtlib.judgements.counting import Counts
from wmtlib.judgements.errors import DataError

COLUMNS = ("a", "b", "outcome", "count")
OUTCOMES = (
    "tie",
    "a",
    "b",
)  # positions are the preferences 0, 1, 2 of `wmtlib.judgements.counting`
COMPARISON = "comparison"  # the unit that needs no name: each comparison by itself


def as_counts(data: Counts | pd.DataFrame) -> Counts:
    """Counts of tallies (columns a, b, outcome, count); counts are returned as they are.

    Raises
    ------
    DataError
        An outcome other than "a", "b" and "tie", a missing name, a system compared with itself, or
        a count that is negative.
    """
    if isinstance(data, Counts):
        return data
    names, a, b, preference, number = coded(data)
    n = len(names)
    cells = np.bincount((preference * n + a) * n + b, number, minlength=3 * n * n)
    tie, first, second = cells.astype(np.int64).reshape(3, n, n)
    return Counts(
        pd.DataFrame(first + second.T, index=names, columns=names),
        pd.DataFrame(tie + tie.T, index=names, columns=names),
    )


def as_comparisons(data: Counts | pd.DataFrame) -> pd.DataFrame:
    """Comparisons, one row each: system_1, system_2, preference, and other columns of the tallies.

    Tallies remember which system was shown first; counts forget it and take the order of names.
    """
    if isinstance(data, Counts):
        return counting.expand(data)
    names, a, b, preference, number = coded(data)
    rows = np.repeat(np.arange(len(data)), number)
    table = {
        "system_1": pd.Categorical.from_codes(a[rows], names),
        "system_2": pd.Categorical.from_codes(b[rows], names),
        "preference": preference[rows].astype(np.int8),
    }
    return pd.DataFrame(table | {unit: data[unit].array[rows] for unit in units(data)})


def coded(
    tallies: pd.DataFrame,
) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Names, sorted, and arrays of tallies: a, b (positions), preference (0, 1, 2), count."""
    names, (a, b) = counting.shared_codes(tallies["a"], tallies["b"])
    outcome = tallies["outcome"].astype("category").cat
    known = [OUTCOMES.index(x) if x in OUTCOMES else -1 for x in outcome.categories]
    preference = np.array([*known, -1], dtype=np.intp)[outcome.codes]
    if (preference < 0).any():
        odd = tallies["outcome"].iloc[int(np.argmax(preference < 0))]
        raise DataError(f"an outcome is {odd!r}; expected a, b or tie")
    if (a == b).any():
        raise DataError(f"system {names[a[a == b][0]]!r} is compared with itself")
    number = tallies["count"].to_numpy(np.int64)
    if (number < 0).any():
        raise DataError(f"a count is {number.min()}; expected 0 or more")
    return names, a.astype(np.intp), b.astype(np.intp), preference, number


def units(data: Counts | pd.DataFrame) -> list[str]:
    """Columns of units; counts have none."""
    return [] if isinstance(data, Counts) else [c for c in data.columns if c not in COLUMNS]


def require_unit(data: Counts | pd.DataFrame, unit: str) -> None:
    """Refuse a unit that is neither `COMPARISON` nor a column."""
    if unit not in (known := [COMPARISON, *units(data)]):
        raise DataError(f"unit is {unit!r}; expected {', '.join(known)}")


def numbered(labels: pd.Series, unit: str) -> tuple[np.ndarray, int]:
    """Position of each label among the sorted ones, and how many there are."""
    codes, names = pd.factorize(labels)
    if (codes < 0).any():
        raise DataError(f"a {unit} is missing; expected a name")
    place = np.empty(len(names), dtype=np.intp)
    place[np.argsort(np.array(names, dtype=str), kind="stable")] = np.arange(len(names))
    return place[codes], len(names)


def without(data: Counts | pd.DataFrame, system: str | None) -> Counts | pd.DataFrame:
    """The comparisons that do not involve a system; None is no error."""
    if isinstance(data, Counts):
        return data.without(system)
    return data if system is None else data[(data["a"] != system) & (data["b"] != system)]
