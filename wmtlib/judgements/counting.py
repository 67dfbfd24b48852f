"""Comparisons and counts: the form of a comparison, and the one place where they are counted.

A comparison has three forms in this package.

- A *comparisons frame*: columns system_1, system_2 and preference (`TIE`, `FIRST` or `SECOND`),
  optionally count (how many equal comparisons a row stands for; 1 if absent), and a column for each
  unit that is known (judge, segment, ranking, ...). system_1 stands first on the judge's screen.
- `Counts`: wins and ties of every pair of systems. Units and the order on the screen are forgotten.
- `preference.resampled_counts`: many samples of the same pairs at once.

Throughout, `wins.loc[a, b]` is how often a was judged better than b, and `ties` is symmetric.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from wmtlib.judgements.errors import DataError
from wmtlib.judgements.html import captioned

TIE, FIRST, SECOND = 0, 1, 2  # preference: neither system, system_1, system_2
SWAPPED = np.array([TIE, SECOND, FIRST])  # pi-hat of Hopkins & May: the pair shown the other way
VALUE_COLUMNS = ("system_1", "system_2", "preference", "count")  # the others are units
BLOCK = 1 << 20  # rows that are counted at a time
COMPARISON = "comparison"  # the unit without a column: each comparison by itself


@dataclass(frozen=True)
class Counts:
    """Win and tie counts of one task.

    Attributes
    ----------
    wins : DataFrame, systems x systems
        `wins.loc[a, b]`: number of comparisons in which a was judged better than b.
    ties : DataFrame, systems x systems
        Symmetric: number of comparisons in which neither was preferred.

    Both are labelled by system name, in sorted order.

    Examples
    --------
    >>> wins = pd.DataFrame([[0, 3], [1, 0]], index=[*"ab"], columns=[*"ab"])
    >>> Counts(wins, ties=0 * wins).margins.loc["a", "b"].item()
    2
    """

    wins: pd.DataFrame
    ties: pd.DataFrame

    def _repr_html_(self) -> str:
        caption = f"{self.comparisons} comparisons; wins of the row against the column"
        return captioned(caption, self.wins, index=True)

    @property
    def systems(self) -> list[str]:
        """Names, sorted."""
        return list(self.wins.index)

    @property
    def comparisons(self) -> int:
        """Number of pairwise comparisons, ties included."""
        return int(self.wins.to_numpy().sum() + self.ties.to_numpy().sum() // 2)

    @property
    def margins(self) -> pd.DataFrame:
        """`wins - wins.T`: the edge weights of Lopez (2012), section 5, with their sign."""
        return self.wins - self.wins.T

    def without(self, *systems: str | None) -> "Counts":
        """The same counts with some systems left out; unknown names are ignored."""
        kept = ~self.wins.index.isin(systems)
        return Counts(self.wins.loc[kept, kept], self.ties.loc[kept, kept])


class CodedComparisons(NamedTuple):
    """A comparisons frame that was checked, as arrays.

    Attributes
    ----------
    systems : list of n names, sorted
    first, second : ndarray of int, (rows,)
        Positions of system_1 and system_2 in `systems`.
    preference : ndarray of int, (rows,)
        `TIE`, `FIRST` or `SECOND`.
    count : ndarray of int, (rows,)
    """

    systems: list[str]
    first: np.ndarray
    second: np.ndarray
    preference: np.ndarray
    count: np.ndarray


def coded(comparisons: pd.DataFrame, systems: Sequence[str] | None = None) -> CodedComparisons:
    """Check a comparisons frame and give its columns as arrays.

    Parameters
    ----------
    comparisons : DataFrame
    systems : sequence of names, sorted, optional
        All systems that may occur; those that do occur if not given.

    Raises
    ------
    DataError
        A missing name, a name that is not among `systems`, a preference other than 0, 1 and 2, a
        system compared with itself, or a count that is not a whole number from 0.
    """
    columns = [comparisons[c].astype("category").array for c in ("system_1", "system_2")]
    if any((column.codes < 0).any() for column in columns):
        raise DataError("a comparison lacks the name of a system")
    # Text is looked at once for each category, and only if the category occurs.
    occurs = [np.bincount(c.codes, minlength=len(c.categories)) > 0 for c in columns]
    labels = [c.categories.to_numpy() for c in columns]
    names = {name for label, used in zip(labels, occurs, strict=True) for name in label[used]}
    systems = sorted(names) if systems is None else [*systems]
    if unknown := sorted(names.difference(systems)):
        raise DataError(f"system {unknown[0]!r} is unknown; expected one of {len(systems)} systems")
    place = {name: k for k, name in enumerate(systems)}
    first, second = (
        np.array([place.get(name, -1) for name in label], dtype=np.intp)[c.codes]
        for c, label in zip(columns, labels, strict=True)
    )
    preference = comparisons["preference"].to_numpy()
    if not np.isin(preference, (TIE, FIRST, SECOND)).all():
        raise DataError("a preference is neither 0 (tie), 1 nor 2")
    if (first == second).any():
        same = systems[first[first == second][0]]
        raise DataError(f"system {same!r} is compared with itself")
    count = np.ones(len(comparisons), dtype=np.int64)
    if "count" in comparisons:
        count = comparisons["count"].to_numpy()
        if (odd := ~((count >= 0) & (count % 1 == 0))).any():
            raise DataError(f"a count is {count[odd][0]}; expected a whole number from 0")
    return CodedComparisons(
        systems, first, second, preference.astype(np.intp), count.astype(np.int64)
    )


def coded_blocks(
    comparisons: pd.DataFrame, systems: Sequence[str]
) -> Iterator[tuple[slice, CodedComparisons]]:
    """Parts of a comparisons frame, coded one after the other: all at once take more memory."""
    for k in range(0, len(comparisons), BLOCK):
        yield (rows := slice(k, k + BLOCK)), coded(comparisons.iloc[rows], systems)


def counts_as_shown(
    comparisons: pd.DataFrame, systems: Sequence[str] | None = None
) -> tuple[list[str], np.ndarray]:
    """Count the comparisons of every ordered pair of systems; what is refused: see `coded`.

    Returns
    -------
    systems : list of n names, sorted
    seen : ndarray of int, (n, n, 3)
        `[a, b, preference]`: how often a was shown first, b second, with that preference.
    """
    if systems is None:
        sides = (comparisons[c].dropna().unique() for c in ("system_1", "system_2"))
        systems = sorted(set().union(*sides))
    n = len(systems := [*systems])
    seen = np.zeros(3 * n * n)
    for _, (_, first, second, preference, count) in coded_blocks(comparisons, systems):
        cell = (first * n + second) * 3 + preference
        weights = count if "count" in comparisons else None  # without weights it is faster
        seen += np.bincount(cell, weights, minlength=len(seen))
    return systems, seen.astype(np.int64).reshape(n, n, 3)


def counts(data: Counts | pd.DataFrame, systems: Sequence[str] | None = None) -> Counts:
    """Win and tie counts of a comparisons frame; `Counts` are returned as they are.

    `systems` and what is refused: see `coded`.
    """
    if isinstance(data, Counts):
        return data
    systems, seen = counts_as_shown(data, systems)
    tie, won, lost = (seen[..., k] for k in (TIE, FIRST, SECOND))
    return Counts(
        wins=pd.DataFrame(won + lost.T, index=systems, columns=systems),
        ties=pd.DataFrame(tie + tie.T, index=systems, columns=systems),
    )


def expand(data: Counts | pd.DataFrame) -> pd.DataFrame:
    """One row for each comparison: system_1, system_2, preference and the units, without count.

    `Counts` have no units, and system_1 < system_2 by name: they forget which was shown first.
    """
    frame = _frame_of_table(to_table(data)) if isinstance(data, Counts) else data
    systems, first, second, preference, count = coded(frame)
    rows = np.repeat(np.arange(len(frame)), count)
    columns = {
        "system_1": pd.Categorical.from_codes(first[rows], systems),
        "system_2": pd.Categorical.from_codes(second[rows], systems),
        "preference": preference[rows].astype(np.int8),
    }
    return pd.DataFrame(columns | {unit: frame[unit].array[rows] for unit in units(frame)})


def without(data: Counts | pd.DataFrame, system: str | None) -> Counts | pd.DataFrame:
    """The comparisons that do not involve a system; all of them if it is None."""
    if isinstance(data, Counts):
        return data.without(system)
    if system is None:
        return data
    return data[(data["system_1"] != system) & (data["system_2"] != system)]


def units(data: Counts | pd.DataFrame) -> list[str]:
    """Names of the columns of units; `Counts` have none."""
    return [] if isinstance(data, Counts) else [c for c in data if c not in VALUE_COLUMNS]


def require_unit(data: Counts | pd.DataFrame, unit: str) -> None:
    """Refuse a unit that is neither `COMPARISON` nor a column."""
    if unit not in (known := [COMPARISON, *units(data)]):
        raise DataError(f"unit is {unit!r}; expected {', '.join(known)}")


def unit_codes(labels: pd.Series, unit: str) -> tuple[np.ndarray, int]:
    """Position of every label among the sorted ones (as text), and the number of labels."""
    codes, names = pd.factorize(labels)
    if (codes < 0).any():
        raise DataError(f"a {unit} is missing; expected a name")
    place = np.empty(len(names), dtype=np.intp)
    place[np.argsort(np.array(names, dtype=str), kind="stable")] = np.arange(len(names))
    return place[codes], len(names)


def to_table(counts: Counts) -> pd.DataFrame:
    """One row per compared pair: system_1 < system_2, wins_1, wins_2, ties."""
    wins, ties = counts.wins.to_numpy(), counts.ties.to_numpy()
    a, b = np.nonzero(np.triu(wins + wins.T + ties, k=1))
    names = np.array(counts.systems, dtype=object)
    return pd.DataFrame(
        {
            "system_1": names[a],
            "system_2": names[b],
            "wins_1": wins[a, b],
            "wins_2": wins[b, a],
            "ties": ties[a, b],
        }
    )


def from_table(table: pd.DataFrame) -> Counts:
    """The inverse of `to_table`."""
    return counts(_frame_of_table(table))


def _frame_of_table(table: pd.DataFrame) -> pd.DataFrame:
    """A comparisons frame with counts, three rows for each row of `to_table`."""
    systems = {side: np.tile(table[side], 3) for side in ("system_1", "system_2")}
    preference = np.repeat([FIRST, SECOND, TIE], len(table))
    count = table[["wins_1", "wins_2", "ties"]].to_numpy().ravel("F")
    return pd.DataFrame(systems | {"preference": preference, "count": count})
