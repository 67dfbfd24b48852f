"""The forms of judgements, and the one place where comparisons are counted.

A comparison has three forms in this package.

- A *comparisons frame*: columns system_1, system_2 and preference (`TIE`, `FIRST` or
  `SECOND`), optionally count (how many equal comparisons a row stands for; 1 if
  absent), and a column for each unit that is known (judge, segment, ranking, ...).
  system_1 stands first on the judge's screen.
- `Counts`: wins and ties of every pair of systems. Units and the order on the screen
  are forgotten.
- `bradley_terry.ResampledCounts`: many samples of the same pairs at once.

Throughout, `wins.loc[a, b]` is how often a was judged better than b, and `ties` is
symmetric.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.errors import DataError, shown
from wmtlib.html_tables import captioned

TIE, FIRST, SECOND = 0, 1, 2  # preference: neither system, system_1, system_2
SWAPPED = np.array(
    [TIE, SECOND, FIRST]
)  # pi-hat of Hopkins & May: the pair shown the other way
VALUE_COLUMNS = ("system_1", "system_2", "preference", "count")  # the others are units
COMPARISON = "comparison"  # the unit without a column: each comparison by itself
PAIRS = (
    ("model_a", "model_b"),
    ("system_a", "system_b"),
    ("a", "b"),
    VALUE_COLUMNS[:2],
)
TIE_WORDS = ("tie", "draw", "equal")
ROWS = 1_000_000  # that are worked on at a time
MOST_SINGLE = 10_000_000  # comparisons that are written out one by one


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


def count(data: Any, systems: Sequence[str] | None = None) -> Counts:
    """Wins and ties of every pair of systems.

    Parameters
    ----------
    data : Counts, DataFrame or Judgements
        `Counts` are returned as they are. For frames see `comparisons_of`.
    systems : sequence of names, sorted, optional
        All systems that may occur; those that do occur if not given.

    Raises
    ------
    DataError
        What `comparisons_of` and `coded` refuse.

    Examples
    --------
    >>> votes = pd.DataFrame({"a": [*"xxy"], "b": [*"yyx"], "outcome": ["a", "tie", "a"]})
    >>> count(votes).wins.to_numpy().tolist(), count(votes).ties.loc["x", "y"].item()
    ([[0, 1], [1, 0]], 1)
    """
    frame = comparisons_of(data)
    if isinstance(frame, Counts):
        return frame
    if systems is None and not isinstance(data, pd.DataFrame):
        systems = (
            data.systems
        )  # of judgements that were read, those without comparisons too
    systems, *columns = coded(frame, systems)
    seen = np.zeros((len(systems), len(systems), 3), dtype=np.int64)
    parts = (np.array_split(column, 1 + len(frame) // ROWS) for column in columns)
    for first, second, preference, times in zip(*parts, strict=True):
        np.add.at(
            seen, (first, second, preference), times
        )  # first and second as they were shown
    tie, won, lost = seen[..., TIE], seen[..., FIRST], seen[..., SECOND]
    return Counts(
        wins=pd.DataFrame(won + lost.T, index=systems, columns=systems),
        ties=pd.DataFrame(tie + tie.T, index=systems, columns=systems),
    )


def coded(
    comparisons: pd.DataFrame, systems: Sequence[str] | None = None
) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Check a comparisons frame and give its columns as arrays.

    Parameters
    ----------
    comparisons : DataFrame
    systems : sequence of names, sorted, optional
        All systems that may occur; those that do occur if not given.

    Returns
    -------
    systems : list of n names, sorted
    first, second : ndarray of int, (rows,)
        Positions of system_1 and system_2 in `systems`.
    preference : ndarray of int, (rows,)
        `TIE`, `FIRST` or `SECOND`.
    times : ndarray of int, (rows,)
        The column count; 1 if there is none.

    Raises
    ------
    DataError
        A missing name, a name that is not among `systems`, a preference other than 0, 1
        and 2, a system compared with itself, or a count that is not a whole number from
        0.
    """
    sides = comparisons["system_1"], comparisons["system_2"]
    names = {name for side in sides for name in side.unique()}
    if pd.isna([*names]).any():
        raise DataError("a comparison lacks the name of a system")
    systems = sorted(names) if systems is None else [*systems]
    if unknown := sorted(names.difference(systems)):
        raise DataError(
            f"system {unknown[0]!r} is unknown; expected one of {len(systems)} systems"
        )
    index = pd.Index(systems, dtype=object)
    first, second = (index.get_indexer(side).astype(np.int32) for side in sides)
    if (same := first == second).any():
        raise DataError(f"system {systems[first[same][0]]!r} is compared with itself")
    preference = comparisons["preference"].to_numpy()
    if not np.isin(preference, (TIE, FIRST, SECOND)).all():
        raise DataError("a preference is neither 0 (tie), 1 nor 2")
    times = np.ones(len(comparisons), dtype=np.int64)
    if "count" in comparisons:
        times = comparisons["count"].to_numpy()
        if (odd := ~((times >= 0) & (times % 1 == 0))).any():
            raise DataError(
                f"a count is {times[odd][0]}; expected a whole number from 0"
            )
    return (
        systems,
        first,
        second,
        preference.astype(np.int32),
        times.astype(np.int64, copy=False),
    )


def comparisons_of(data: Any) -> Counts | pd.DataFrame:
    """Comparisons in one of the forms that this package computes with.

    Parameters
    ----------
    data : Counts, DataFrame or Judgements
        `Counts`, comparisons frames and the comparisons of what `wmtlib.read` returned
        are handed on as they are. A frame may also have two columns of systems
        (`model_a, model_b`, `system_a, system_b` or `a, b`) and winner or outcome: a,
        b, the name of the winning column or of the winning system, or tie; or one row
        for each output of a ranking: see `comparisons`.

    Raises
    ------
    DataError
        Another form, or an outcome that is not understood.
    """
    if isinstance(data, Counts):
        return data
    if not isinstance(data, pd.DataFrame):
        if isinstance(frame := getattr(data, "comparisons", None), pd.DataFrame):
            return frame
        held = (
            "assessments"
            if hasattr(data, "assessments")
            else f"a {type(data).__name__}"
        )
        fault = f"got {held}; expected comparisons in a frame"
        raise DataError(f"{fault}; wmtlib.read(path) reads files")
    if {"system_1", "system_2", "preference"} <= {*data}:
        return data
    if {"ranking", "system", "rank"} <= {*data}:
        return comparisons(
            data.iloc[np.argsort(pd.factorize(data["ranking"])[0], kind="stable")]
        )
    for first, second in PAIRS:
        for outcome in ("winner", "outcome"):
            if {first, second, outcome} <= {*data}:
                return _with_preference(data, first, second, outcome)
    raise DataError(
        f"the columns of the frame are {shown(', '.join(map(str, data)))}; expected model_a,"
        " model_b, winner or system_1, system_2, preference or ranking, system, rank;"
        " wmtlib.read(frame) knows more names of columns"
    )


def _with_preference(
    data: pd.DataFrame, first: str, second: str, outcome: str
) -> pd.DataFrame:
    """A comparisons frame from words for the outcome, or names of systems that won."""
    words = {"a": FIRST, first: FIRST, "b": SECOND, second: SECOND} | dict.fromkeys(
        TIE_WORDS, TIE
    )
    winner = data[outcome].astype(object)
    by_word = winner.astype(str).str.strip().str.casefold().map(words)
    is_system = [
        (winner == data[side].astype(object)).to_numpy() for side in (first, second)
    ]
    by_name = pd.Series(np.select(is_system, [FIRST, SECOND], np.nan), data.index)
    preference = by_word.fillna(by_name)
    unclear = preference != by_name.fillna(by_word)  # NaN is no outcome, too
    if unclear.any():
        value = shown(winner[unclear].iloc[0])
        odd = f"column {outcome!r} of the frame, row {unclear.idxmax()}, is {value}"
        expected = "expected a, b, tie or the system that won"
        raise DataError(f"{odd}; {expected}; wmtlib.read(frame) knows more words")
    named = data.rename(columns={first: "system_1", second: "system_2"})
    return named.assign(preference=preference.astype(np.int8)).drop(columns=outcome)


def expand(data: Counts | pd.DataFrame) -> pd.DataFrame:
    """One row for each comparison: system_1, system_2, preference and the units, without count.

    `Counts` have no units, and system_1 < system_2 by name: they forget which was shown
    first.

    Raises
    ------
    DataError
        More than `MOST_SINGLE` comparisons, or what `coded` refuses.
    """
    frame = counted_rows(data)
    systems, *_, times = coded(frame)
    require_few(times.sum())
    rows = frame.iloc[np.repeat(np.arange(len(frame)), times)].reset_index(drop=True)
    name = pd.CategoricalDtype(systems)
    kinds = {"system_1": name, "system_2": name, "preference": np.int8}
    return rows[[*kinds, *units(frame)]].astype(kinds)


def counted_rows(data: Counts | pd.DataFrame) -> pd.DataFrame:
    """A comparisons frame as it is, but without rows that count 0 times; of `Counts`, a new one."""
    frame = _frame_of_pairs(to_table(data)) if isinstance(data, Counts) else data
    if "count" in frame and not frame["count"].all():
        return frame[frame["count"] != 0]
    return frame


def require_few(comparisons: float) -> None:
    """Refuse more comparisons than can be taken one by one."""
    if comparisons > MOST_SINGLE:
        fault = f"{int(comparisons):,} comparisons are too many to be taken one by one"
        step = (
            "take a method that counts them, such as bradley-terry, or a sample of them"
        )
        raise DataError(f"{fault} (at most {MOST_SINGLE:,}); {step}")


def without(data: Counts | pd.DataFrame, *systems: str | None) -> Counts | pd.DataFrame:
    """The comparisons that involve none of some systems; None and unknown names are ignored."""
    if isinstance(data, Counts):
        return data.without(*systems)
    if not {*systems} - {None}:
        return data
    return data[~(data["system_1"].isin(systems) | data["system_2"].isin(systems))]


def units(data: Counts | pd.DataFrame) -> list[str]:
    """Names of the columns of units; `Counts` have none."""
    return (
        [] if isinstance(data, Counts) else [c for c in data if c not in VALUE_COLUMNS]
    )


def require_unit(data: Counts | pd.DataFrame, unit: str) -> None:
    """Refuse a unit that is neither `COMPARISON` nor a column."""
    if unit not in (known := [COMPARISON, *units(data)]):
        raise DataError(f"unit is {unit!r}; expected {', '.join(known)}")


def unit_codes(labels: pd.Series, unit: str) -> tuple[np.ndarray, int]:
    """Position of every label among the sorted ones (as text), and the number of labels."""
    if labels.isna().any():
        raise DataError(f"a {unit} is missing; expected a name")
    known = labels.astype("category").cat
    used, place = (
        np.unique(known.codes),
        np.zeros(len(known.categories), dtype=np.int32),
    )
    place[used], names = pd.factorize(known.categories[used].astype(str), sort=True)
    return place[known.codes], len(names)


# --- resampling units -----------------------------------------------------------------


# --- tables of counts -----------------------------------------------------------------

OUTCOMES = {
    "wins_1": FIRST,
    "wins_2": SECOND,
    "ties": TIE,
}  # columns of a table of counts


def to_table(counts: Counts) -> pd.DataFrame:
    """One row per compared pair: system_1 < system_2, wins_1, wins_2, ties."""
    wins, ties = counts.wins.to_numpy(), counts.ties.to_numpy()
    a, b = np.nonzero(np.triu(wins + wins.T + ties, k=1))
    names = np.array(counts.systems, dtype=object)
    table = {"system_1": names[a], "system_2": names[b]}
    return pd.DataFrame(
        table | {"wins_1": wins[a, b], "wins_2": wins[b, a], "ties": ties[a, b]}
    )


def from_table(table: pd.DataFrame) -> Counts:
    """The inverse of `to_table`."""
    return count(_frame_of_pairs(table))


def _frame_of_pairs(table: pd.DataFrame) -> pd.DataFrame:
    """A comparisons frame with counts, three rows for each row of `to_table`."""
    rows = table.melt(["system_1", "system_2"], [*OUTCOMES], "preference", "count")
    return rows.assign(preference=rows["preference"].map(OUTCOMES))


# --- relative rankings, and the comparisons that they imply ---------------------------

REFERENCE = "_ref"  # the human reference translation, ranked like a system
UNRANKED = -1  # the judge left this output's rank blank


RANKINGS = ["task", "ranking", "segment", "judge", "system", "rank"]
COMPARISONS = [
    "task",
    "ranking",
    "segment",
    "judge",
    "system_1",
    "system_2",
    "preference",
]


def comparisons(rankings: pd.DataFrame) -> pd.DataFrame:
    """All pairwise comparisons that rankings imply (Lopez 2012, section 2 and Figure 1).

    A ranking of k ranked outputs gives k(k-1)/2 comparisons; outputs whose rank was
    left blank give none. Every ranking counts, the repeated ones too.

    Parameters
    ----------
    rankings : DataFrame
        Columns ranking, system and rank (1 = best; `UNRANKED` = blank); the others
        (task, segment, judge, ...) are units. The rows of a ranking stand together.

    Returns
    -------
    DataFrame
        A comparisons frame: the units first, then system_1, system_2 and preference.

    Raises
    ------
    DataError
        A column is missing; the rows of a ranking are scattered, or two rankings share
        a number; a rank that is no number.

    Examples
    --------
    >>> ranked = pd.DataFrame({"ranking": 1, "system": ["x", "y", "z"], "rank": [1, 2, 2]})
    >>> comparisons(ranked)[["system_1", "system_2", "preference"]].to_numpy().tolist()
    [['x', 'y', 1], ['x', 'z', 1], ['y', 'z', 0]]
    """
    needed = ["ranking", "system", "rank"]
    if not isinstance(rankings, pd.DataFrame) or not {*needed} <= {*rankings}:
        raise DataError(
            f"expected a frame of rankings with the columns {', '.join(needed)}"
        )
    if (
        not pd.api.types.is_numeric_dtype(rankings["rank"])
        or rankings["rank"].isna().any()
    ):
        raise DataError(
            f"a rank is missing or no number; expected 1, 2, ... or {UNRANKED}"
        )
    ranked = rankings[rankings["rank"] != UNRANKED].reset_index(drop=True)
    number = ranked.loc[ranked["ranking"] != ranked["ranking"].shift(), "ranking"]
    if (again := number.duplicated()).any():
        fault = "its rows are scattered, or two rankings share that number"
        raise DataError(f"ranking {number[again].iloc[0]}: {fault}")
    ranked["_row"] = ranked.index
    outputs = ranked[["ranking", "system", "rank", "_row"]]
    # Every output of a ranking beside every other one; the one that stands first comes
    # first.
    pairs = ranked.merge(outputs, on="ranking", suffixes=("_1", "_2"))
    pairs = pairs[pairs["_row_1"] < pairs["_row_2"]].reset_index(drop=True)
    better = [pairs["rank_1"] < pairs["rank_2"], pairs["rank_1"] > pairs["rank_2"]]
    preference = np.select(better, [FIRST, SECOND], TIE).astype(np.int8)
    columns = [*rankings.columns.drop(["system", "rank"]), "system_1", "system_2"]
    return pairs[columns].assign(preference=preference)


# --- direct assessments, and the names of systems in them -----------------------------


# --- what may be misread, one line each -----------------------------------------------
