"""Comparisons of two systems, and the one place that counts them.

- A *comparisons frame*: columns system_1, system_2 and preference (`TIE`, `FIRST` or
  `SECOND`), optionally count (the number of equal comparisons of a row; 1 if
  absent), and a column for each unit that is known (judge, segment, ranking, ...).
  system_1 is first on the judge's screen.
- A *rankings frame*: a row for each output that a judge ranked; `comparisons` makes a
  comparisons frame of it.
- A *tally*: counts of every pair of systems, in the order shown, and preference.
- `Counts`: wins and ties of every pair of systems. Units and the order on the screen
  are forgotten. `to_table` writes them in one row per pair.

What else a frame of comparisons may look like is in `wmtlib.files.forms`.

Throughout, `wins.loc[a, b]` is how often a was judged better than b, and `ties` is
symmetric.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from wmtlib.core.errors import DataError, unknown
from wmtlib.core.html_tables import Tabled

TIE, FIRST, SECOND = 0, 1, 2  # preference: neither system, system_1, system_2
# pi-hat of Hopkins & May: the preference if the pair is shown the other way
SWAPPED = np.array([TIE, SECOND, FIRST], dtype=np.int32)
VALUE_COLUMNS = ("system_1", "system_2", "preference", "count")  # the others are units
COMPARISON = "comparison"  # the unit without a column: each comparison by itself
LARGEST_FIRST = (  # units, in the order in which they are preferred
    "worker",
    "judge",
    "judge_group",
    "hit",
    "document",
    "ranking",
    "segment",
    COMPARISON,
)
OUTCOMES = {"wins_1": FIRST, "wins_2": SECOND, "ties": TIE}  # columns of `to_table`
COMPARISONS = ["task", "ranking", "segment", "judge", *VALUE_COLUMNS[:3]]

RANKINGS = ["task", "ranking", "segment", "judge", "system", "rank"]
REFERENCE = "_ref"  # the human reference translation, ranked like a system
UNRANKED = -1  # the judge left this output's rank blank

MOST_SINGLE = 10_000_000  # comparisons that are written out one by one
MOST_COUNTED = 2**53  # comparisons; of more, floating-point numbers would miss one


@dataclass(frozen=True, eq=False, repr=False)
class Counts(Tabled):
    """Win and tie counts of one task.

    Attributes
    ----------
    wins : DataFrame, systems x systems
        `wins.loc[a, b]`: number of comparisons in which a was judged better than b.
    ties : DataFrame, systems x systems
        Symmetric: number of comparisons in which neither was preferred. Both tables are
        labelled by system name, in sorted order.

    Examples
    --------
    >>> wins = pd.DataFrame([[0, 3], [1, 0]], index=[*"ab"], columns=[*"ab"])
    >>> Counts(wins, ties=0 * wins).margins.loc["a", "b"].item()
    2
    """

    wins: pd.DataFrame
    ties: pd.DataFrame

    kind = "counts"  # of the methods that rank them

    def __post_init__(self) -> None:
        wins, ties = self.wins.to_numpy(), self.ties.to_numpy()
        require_countable(wins.sum(dtype=float) + ties.sum(dtype=float) / 2)

    @property
    def caption(self) -> str:
        """Return what the table shows, in a line."""
        return f"{self.comparisons} comparisons; wins of the row against the column"

    @property
    def table(self) -> pd.DataFrame:
        """Return the wins."""
        return self.wins

    def _draw(self, ax: Any) -> Any:
        from wmtlib.core import drawing

        order = self.margins.sum(axis=1).sort_values(ascending=False, kind="stable")
        both = order.index, order.index
        return drawing.margins(self.margins.loc[both], self.met.loc[both] > 0, ax)

    @property
    def counted(self) -> "Counts":
        """Return the counts as they are."""
        return self

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
        """`wins - wins.T`: the signed edge weights of Lopez (2012), section 5."""
        return self.wins - self.wins.T

    @property
    def met(self) -> pd.DataFrame:
        """Number of comparisons of two systems, ties included."""
        return self.wins + self.wins.T + self.ties

    @property
    def per_pair(self) -> float:
        """Harmonic mean of the comparisons of all pairs; 0 if two systems never met.

        A mean over opponents, each of whom weighs the same, is as uncertain as if every
        pair had been compared so often.

        >>> counts_of(_frame_of_pairs(pd.DataFrame({"system_1": [*"aab"],
        ...     "system_2": [*"bcc"], "wins_1": [10, 9, 40], "wins_2": [10, 1, 0],
        ...     "ties": 0}))).per_pair
        17.142857143
        """
        met = self.met.to_numpy()[np.triu_indices(len(self.wins), 1)]
        if not len(met) or not met.all():
            return 0.0
        return round(float(len(met) / np.sum(1 / met)), 9)

    def without(self, *systems: str | None) -> "Counts":
        """Leave out some systems; unknown names are ignored."""
        stays = ~self.wins.index.isin(systems)
        return Counts(self.wins.loc[stays, stays], self.ties.loc[stays, stays])


def comparisons(data: pd.DataFrame) -> pd.DataFrame:
    """List the comparisons that rankings imply (Lopez 2012, section 2, Figure 1).

    A ranking of k ranked outputs gives k(k-1)/2 comparisons; outputs whose rank was
    left blank give none. Every ranking counts, the repeated ones too.

    Parameters
    ----------
    data : DataFrame
        A frame with the columns ranking, system and rank (1 = best; -1 = blank); the
        others (task, segment, judge, ...) are units. The rows of a ranking are
        together, in the order of the screen, which decides what system_1 is.

    Returns
    -------
    DataFrame
        A comparisons frame: the units first, then system_1, system_2 and preference.

    Raises
    ------
    DataError
        A column is missing, or there twice; the rows of a ranking are scattered, or two
        rankings share a number; a rank that is no number.

    Examples
    --------
    >>> ranked = pd.DataFrame({"ranking": 1, "system": [*"xyz"], "rank": [1, 2, 2]})
    >>> comparisons(ranked)[["system_1", "system_2", "preference"]].to_numpy().tolist()
    [['x', 'y', 1], ['x', 'z', 1], ['y', 'z', 0]]
    """
    columns = data.columns if isinstance(data, pd.DataFrame) else pd.Index(())
    if not columns.is_unique or not {"ranking", "system", "rank"} <= {*columns}:
        raise DataError(
            "expected a frame of rankings with the columns ranking, system, rank, each"
            " once"
        )
    rank = pd.to_numeric(data["rank"], errors="coerce")
    odd = (rank != UNRANKED) & ~((rank >= 1) & (rank % 1 == 0))
    if odd.any():
        value = data["rank"][odd].iloc[0]
        raise DataError(f"a rank is {value}; expected 1, 2, ... or {UNRANKED}")
    ranked = data.assign(rank=rank)[rank != UNRANKED].reset_index(drop=True)
    number = ranked["ranking"]
    beginnings = number[number != number.shift()]
    again = beginnings[beginnings.duplicated()]
    if len(again):
        raise DataError(
            f"ranking {again.iloc[0]}: its rows are scattered, or two rankings share"
            " that number"
        )
    ranked["_row"] = ranked.index
    outputs = ranked[["ranking", "system", "rank", "_row"]]
    # Every output of a ranking beside every other; the upper one on the screen first.
    pairs = ranked.merge(outputs, on="ranking", suffixes=("_1", "_2"))
    pairs = pairs[pairs["_row_1"] < pairs["_row_2"]].reset_index(drop=True)
    better = [pairs["rank_1"] < pairs["rank_2"], pairs["rank_1"] > pairs["rank_2"]]
    preference = np.select(better, [FIRST, SECOND], TIE).astype(np.int8)
    units = data.columns.drop(["system", "rank"])
    return pairs[[*units, "system_1", "system_2"]].assign(preference=preference)


# --- what a comparisons frame holds ---------------------------------------------------


@dataclass(frozen=True, eq=False)
class ComparisonRows:
    """A comparisons frame, and the same as arrays; `rows_of` makes it once.

    Attributes
    ----------
    frame : DataFrame
        No row counts 0 times.
    systems : list of n names, sorted
        Of all systems that may occur.
    first, second : ndarray of int, (rows,)
        Positions of system_1 and system_2 in `systems`.
    preference : ndarray of int, (rows,)
        `TIE`, `FIRST` or `SECOND`.
    times : ndarray of int, (rows,)
        The column count; 1 if there is none.
    """

    frame: pd.DataFrame
    systems: list[str]
    first: np.ndarray
    second: np.ndarray
    preference: np.ndarray
    times: np.ndarray

    @cached_property
    def tallied(self) -> np.ndarray:
        """Count the comparisons: see `tally`."""
        return self.tally(self.times)

    def tally(self, times: np.ndarray) -> np.ndarray:
        """Count comparisons by pair, in the order shown, and preference, (n, n, 3).

        `[a, b, pi]`: |C_pi(a, b)| of Hopkins & May (2013), section 5.2; `[b, a]` holds
        the pairs shown the other way. Each row counts so many `times`, (rows,).
        """
        size = len(self.systems)
        cell = 3 * (size * self.first + self.second) + self.preference
        seen = np.bincount(cell, times, 3 * size**2)
        return seen.astype(np.int64).reshape(size, size, 3)

    @cached_property
    def counted(self) -> Counts:
        """Count wins and ties of every pair of systems, which most methods take."""
        seen = self.tallied
        wins = seen[..., FIRST] + seen[..., SECOND].T
        ties = seen[..., TIE] + seen[..., TIE].T
        both = (pd.DataFrame(each, self.systems, self.systems) for each in (wins, ties))
        return Counts(*both)

    def without(self, *systems: str | None) -> "ComparisonRows":
        """Leave out some systems; None and unknown names are ignored."""
        names = [name for name in self.systems if name not in systems]
        return self if names == self.systems else self.among(names)

    def among(self, systems: Sequence[str]) -> "ComparisonRows":
        """Keep the comparisons of some systems with each other, in their order."""
        place = pd.Index(systems, dtype=object).get_indexer(self.systems)
        first = place[self.first]
        second = place[self.second]
        moved = replace(self, systems=[*systems], first=first, second=second)
        return moved.select((first >= 0) & (second >= 0))

    def select(self, chosen: np.ndarray) -> "ComparisonRows":
        """Choose rows, (rows,) of bool."""
        return replace(
            self,
            frame=self.frame[chosen],
            first=self.first[chosen],
            second=self.second[chosen],
            preference=self.preference[chosen],
            times=self.times[chosen],
        )


Compared: TypeAlias = ComparisonRows | Counts | pd.DataFrame  # what `rows_of` takes
Train: TypeAlias = Compared | np.ndarray  # what `tally` takes


def rows_of(data: Compared, systems: Sequence[str] | None = None) -> ComparisonRows:
    """Check comparisons and code them; those that are coded are returned as they are.

    Parameters
    ----------
    data : ComparisonRows, Counts or comparisons frame
        Counts forget which was shown first, and take system_1 < system_2 by name.
    systems : sequence of names, sorted, optional
        All systems that may occur; those that do occur in a frame if not given.

    Raises
    ------
    DataError
        A missing name, a name that is not among `systems`, a preference other than 0, 1
        and 2, a system compared with itself, or a count that is not a whole number
        from 0.
    """
    if isinstance(data, Counts):
        systems = systems or data.systems
        data = _frame_of_pairs(to_table(data))
    if isinstance(data, ComparisonRows):
        if systems is None or data.systems == [*systems]:
            return data
        data = data.frame
    sides = data["system_1"], data["system_2"]
    names = {name for side in sides for name in side.unique()}
    if not all(isinstance(name, str) and name for name in names):
        raise DataError("a comparison lacks the name of a system, as text")
    systems = sorted(names) if systems is None else [*systems]
    for name in sorted(names.difference(systems)):
        raise unknown("system", name, systems)
    index = pd.Index(systems, dtype=object)
    first, second = (index.get_indexer(side).astype(np.int32) for side in sides)
    if (same := first == second).any():
        raise DataError(f"system {systems[first[same][0]]!r} is compared with itself")
    preference = data["preference"].to_numpy()
    if not np.isin(preference, (TIE, FIRST, SECOND)).all():
        raise DataError("a preference is neither 0 (tie), 1 nor 2")
    times = np.ones(len(data), dtype=np.int64)
    if "count" in data:
        times = data["count"].to_numpy()
        if (odd := ~((times >= 0) & (times % 1 == 0))).any():
            raise DataError(
                f"a count is {times[odd][0]}; expected a whole number from 0"
            )
        require_countable(times.sum(dtype=float))
        times = times.astype(np.int64, copy=False)
    preference = preference.astype(np.int32)
    rows = ComparisonRows(data, systems, first, second, preference, times)
    counted = times > 0  # nothing is copied if all do: there may be ten million rows
    return rows if counted.all() else rows.select(counted)


def tally(data: Train, systems: Sequence[str]) -> np.ndarray:
    """Count comparisons as `ComparisonRows.tally` does; a tally is returned as it is.

    Counts forget which was shown first, and take system_1 < system_2 by name.

    Raises
    ------
    DataError
        What `rows_of` refuses.
    """
    if isinstance(data, np.ndarray):
        return data
    if isinstance(data, Counts) and data.systems == [*systems]:
        wins = data.wins.to_numpy()
        return upper_pairs(np.stack([data.ties.to_numpy(), wins, wins.T], axis=-1))
    return rows_of(data, systems).tallied


def counts_of(frame: pd.DataFrame, systems: Sequence[str] | None = None) -> Counts:
    """Count wins and ties of every pair of systems of a comparisons frame."""
    return rows_of(frame, systems).counted


def both_ways(seen: np.ndarray) -> np.ndarray:
    """Add |C_pi(a, b)| and |C_pi-hat(b, a)|: forget the order on the screen.

    Takes and returns an array (..., n, n, 3); the result is the same for (a, b, pi) and
    (b, a, pi-hat).
    """
    return seen + seen.swapaxes(-3, -2)[..., SWAPPED]


def upper_pairs(seen: np.ndarray) -> np.ndarray:
    """Keep each pair once (a < b), of an array (n, n, 3) that counts both ways."""
    return seen * np.tri(len(seen), k=-1, dtype=int).T[..., None]


def expand(data: Compared) -> pd.DataFrame:
    """Write a row for each comparison: system_1, system_2, preference and the units.

    Raises
    ------
    DataError
        More than `MOST_SINGLE` comparisons, or what `rows_of` refuses.
    """
    rows = rows_of(data)
    require_few(rows.times.sum())
    row = np.repeat(np.arange(len(rows.times)), rows.times)
    name = pd.CategoricalDtype(rows.systems)
    types = {"system_1": name, "system_2": name, "preference": np.int8}
    single = rows.frame.iloc[row].reset_index(drop=True)
    return single[[*types, *units(rows)]].astype(types)


def one_way(wins: np.ndarray) -> np.ndarray:
    """Find systems that never lost, or never won, (systems,) of bool."""
    return np.asarray(~wins.any(axis=0) | ~wins.any(axis=1))


def require_few(comparisons: float) -> None:
    """Refuse more comparisons than can be taken one by one."""
    if comparisons > MOST_SINGLE:
        raise DataError(
            f"{int(comparisons):,} comparisons are too many to be taken one by one"
            f" (at most {MOST_SINGLE:,}); take a method that counts them, such as"
            " bradley-terry, or a sample of them"
        )


def require_countable(comparisons: float) -> None:
    """Refuse more comparisons than `MOST_COUNTED`."""
    if comparisons > MOST_COUNTED:
        fault = f"counts add up to {comparisons:.3g}; expected at most"
        raise DataError(f"{fault} {MOST_COUNTED:,}")


def without(data: Compared, *systems: str | None) -> Any:
    """Leave out comparisons with some systems; ignores None and unknown names."""
    if isinstance(data, Counts | ComparisonRows):
        return data.without(*systems)
    if not {*systems} - {None}:
        return data
    return data[~(data["system_1"].isin(systems) | data["system_2"].isin(systems))]


# --- units ----------------------------------------------------------------------------


def units(data: Compared) -> list[str]:
    """List the columns of units; `Counts` have none."""
    if isinstance(data, Counts):
        return []
    frame = data.frame if isinstance(data, ComparisonRows) else data
    return [column for column in frame if column not in VALUE_COLUMNS]


def require_unit(data: Compared, unit: str) -> None:
    """Refuse a unit that is neither `COMPARISON` nor a column."""
    possible = [COMPARISON, *units(data)]
    if unit not in possible:
        raise unknown("unit", unit, possible)


def unit_codes(labels: pd.Series, unit: str) -> tuple[np.ndarray, int]:
    """Code labels by their place among the sorted ones (as text); count these."""
    if labels.isna().any():
        raise DataError(f"a {unit} is missing; expected a name")
    column = labels.astype("category").cat.remove_unused_categories().cat
    position, names = pd.factorize(column.categories.astype(str), sort=True)
    return position.astype(np.int32)[column.codes], len(names)


# --- tables of counts -----------------------------------------------------------------


def to_table(counts: Counts) -> pd.DataFrame:
    """Write a row per compared pair: system_1 < system_2, wins_1, wins_2, ties."""
    names = np.array(sorted(counts.systems), dtype=object)
    wins = counts.wins.loc[names, names].to_numpy()
    ties = counts.ties.loc[names, names].to_numpy()
    a, b = np.nonzero(np.triu(wins + wins.T + ties, k=1))
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
    """Read counts from a table of `to_table`; its systems are those compared."""
    return counts_of(_frame_of_pairs(table))


def _frame_of_pairs(table: pd.DataFrame) -> pd.DataFrame:
    """Make a comparisons frame with counts, three rows for each of `to_table`."""
    rows = table.melt(["system_1", "system_2"], [*OUTCOMES], "preference", "count")
    return rows.assign(preference=rows["preference"].map(OUTCOMES))
