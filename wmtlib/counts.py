"""Comparisons of two systems: their forms, and the one place that counts them.

- A *comparisons frame*: columns system_1, system_2 and preference (`TIE`, `FIRST` or
  `SECOND`), optionally count (how many equal comparisons a row stands for; 1 if
  absent), and a column for each unit that is known (judge, segment, ranking, ...).
  system_1 stands first on the judge's screen.
- A *rankings frame*: a row for each output that a judge ranked; `comparisons` makes a
  comparisons frame of it.
- `Counts`: wins and ties of every pair of systems. Units and the order on the screen
  are forgotten. `to_table` writes them in one row per pair.

Throughout, `wins.loc[a, b]` is how often a was judged better than b, and `ties` is
symmetric.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from wmtlib.errors import DataError, shown
from wmtlib.html_tables import captioned

TIE, FIRST, SECOND = 0, 1, 2  # preference: neither system, system_1, system_2
# pi-hat of Hopkins & May: the preference if the pair is shown the other way
SWAPPED = np.array([TIE, SECOND, FIRST])
VALUE_COLUMNS = ("system_1", "system_2", "preference", "count")  # the others are units
COMPARISON = "comparison"  # the unit without a column: each comparison by itself
LARGEST_FIRST = (  # units, as they hold each other
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

TIES = (  # outcomes; letters only
    "tie",
    "draw",
    "equal",
    "bothbad",
    "bothgood",
    "tiebothbad",
    "tiebothgood",
)
PAIRS = (
    ("model_a", "model_b"),
    ("system_a", "system_b"),
    ("a", "b"),
    ("system_1", "system_2"),
)
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
        """`wins - wins.T`: the signed edge weights of Lopez (2012), section 5."""
        return self.wins - self.wins.T

    def without(self, *systems: str | None) -> "Counts":
        """The same counts with some systems left out; unknown names are ignored."""
        stays = ~self.wins.index.isin(systems)
        return Counts(self.wins.loc[stays, stays], self.ties.loc[stays, stays])


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
    >>> outcome = ["a", "tie", "a"]
    >>> votes = pd.DataFrame({"a": [*"xxy"], "b": [*"yyx"], "outcome": outcome})
    >>> count(votes).wins.to_numpy().tolist(), count(votes).ties.loc["x", "y"].item()
    ([[0, 1], [1, 0]], 1)
    """
    frame = comparisons_of(data)
    if isinstance(frame, Counts):
        return frame
    is_read = frame is getattr(data, "comparisons", None)
    if systems is None and is_read:
        systems = data.systems  # of a file that was read, those never compared too
    systems, first, second, preference, times = coded(frame, systems)
    seen = np.zeros((len(systems), len(systems), 3), dtype=np.int64)
    for start in range(0, len(frame), ROWS):
        rows = slice(start, start + ROWS)
        np.add.at(seen, (first[rows], second[rows], preference[rows]), times[rows])
    # seen[a, b]: comparisons with a shown first
    wins = seen[..., FIRST] + seen[..., SECOND].T
    ties = seen[..., TIE] + seen[..., TIE].T
    return Counts(
        pd.DataFrame(wins, systems, systems), pd.DataFrame(ties, systems, systems)
    )


# --- the forms of a comparisons frame -------------------------------------------------


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
    if hasattr(data, "to_pandas"):  # of Polars, Arrow
        data = data.to_pandas()
    if isinstance(data, Counts):
        return data
    if not isinstance(data, pd.DataFrame):
        frame = getattr(data, "comparisons", None)
        if isinstance(frame, pd.DataFrame):
            return frame
        form = f"a {type(data).__name__}"
        if hasattr(data, "assessments"):
            form = "assessments"
        raise DataError(
            f"got {form}; expected comparisons in a frame;"
            " wmtlib.read(path) reads files"
        )
    columns = set(data)
    if columns >= {"system_1", "system_2", "preference"}:
        return data
    if columns >= {"ranking", "system", "rank"}:
        # The rows of a ranking are brought together; rankings stand as they begin.
        number, _ = pd.factorize(data["ranking"])
        return comparisons(data.iloc[np.argsort(number, kind="stable")])
    for first, second in PAIRS:
        for outcome in ("winner", "outcome"):
            if columns >= {first, second, outcome}:
                return _with_preference(data, first, second, outcome)
    raise DataError(
        f"the columns of the frame are {shown(', '.join(map(str, data)))}; expected"
        " model_a, model_b, winner or system_1, system_2, preference or ranking,"
        " system, rank; wmtlib.read(frame) knows more names of columns"
    )


def _with_preference(
    data: pd.DataFrame, first: str, second: str, outcome: str
) -> pd.DataFrame:
    """A comparisons frame from words for the outcome, or names of systems that won."""
    words = {"a": FIRST, first: FIRST, "b": SECOND, second: SECOND}
    winner = data[outcome].astype(object)
    plain = winner.astype(str).str.strip().str.casefold()
    words |= {word: TIE for word in map(str, plain.unique()) if is_tie(word)}
    by_word = plain.map(words)
    won = [winner == data[side].astype(object) for side in (first, second)]
    by_name = pd.Series(np.select(won, [FIRST, SECOND], np.nan), data.index)
    preference = by_word.fillna(by_name)
    unclear = preference != by_name.fillna(by_word)  # NaN is no outcome, too
    if unclear.any():
        row = int(np.argmax(unclear))
        fault = "; expected a, b, tie or the system that won"
        step = "; wmtlib.read(frame) knows more words"
        if plain.iloc[row] in words:
            fault = ", a word for an outcome and the name of a system"
            step = "; wmtlib.read(frame) asks which is meant"
        raise DataError(
            f"column {outcome!r} of the frame, row {data.index[row]}, is"
            f" {shown(winner.iloc[row])}{fault}{step}"
        )
    named = data.rename(columns={first: "system_1", second: "system_2"})
    return named.assign(preference=preference.astype(np.int8)).drop(columns=outcome)


def is_tie(outcome: str) -> bool:
    """Whether an outcome is a word for a tie, whatever signs stand between its letters.

    >>> is_tie("Tie (bothbad)"), is_tie("both_bad"), is_tie("a")
    (True, True, False)
    """
    return re.sub(r"[\W_]", "", outcome.casefold()) in TIES


def comparisons(rankings: pd.DataFrame) -> pd.DataFrame:
    """All pairwise comparisons that rankings imply (Lopez 2012, section 2, Figure 1).

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
    >>> ranked = pd.DataFrame({"ranking": 1, "system": [*"xyz"], "rank": [1, 2, 2]})
    >>> comparisons(ranked)[["system_1", "system_2", "preference"]].to_numpy().tolist()
    [['x', 'y', 1], ['x', 'z', 1], ['y', 'z', 0]]
    """
    is_frame = isinstance(rankings, pd.DataFrame)
    if not is_frame or not set(rankings) >= {"ranking", "system", "rank"}:
        raise DataError(
            "expected a frame of rankings with the columns ranking, system, rank"
        )
    rank = pd.to_numeric(rankings["rank"], errors="coerce")
    odd = (rank != UNRANKED) & ~((rank >= 1) & (rank % 1 == 0))
    if odd.any():
        value = rankings["rank"][odd].iloc[0]
        raise DataError(f"a rank is {value}; expected 1, 2, ... or {UNRANKED}")
    ranked = rankings.assign(rank=rank)[rank != UNRANKED].reset_index(drop=True)
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
    units = rankings.columns.drop(["system", "rank"])
    return pairs[[*units, "system_1", "system_2"]].assign(preference=preference)


# --- what a comparisons frame holds ---------------------------------------------------


class Coded(NamedTuple):
    """A comparisons frame as arrays.

    Attributes
    ----------
    systems : list of n names, sorted
    first, second : ndarray of int, (rows,)
        Positions of system_1 and system_2 in `systems`.
    preference : ndarray of int, (rows,)
        `TIE`, `FIRST` or `SECOND`.
    times : ndarray of int, (rows,)
        The column count; 1 if there is none.
    """

    systems: list[str]
    first: np.ndarray
    second: np.ndarray
    preference: np.ndarray
    times: np.ndarray


def coded(comparisons: pd.DataFrame, systems: Sequence[str] | None = None) -> Coded:
    """Check a comparisons frame and give its columns as arrays.

    Parameters
    ----------
    comparisons : DataFrame
    systems : sequence of names, sorted, optional
        All systems that may occur; those that do occur if not given.

    Raises
    ------
    DataError
        A missing name, a name that is not among `systems` or joins some of them
        (`A+B`), a preference other than 0, 1 and 2, a system compared with itself, or a
        count that is not a whole number from 0.
    """
    sides = comparisons["system_1"], comparisons["system_2"]
    names = {name for side in sides for name in side.unique()}
    if not all(isinstance(name, str) and name for name in names):
        raise DataError("a comparison lacks the name of a system, as text")
    systems = sorted(names) if systems is None else [*systems]
    if unknown := sorted(names.difference(systems)):
        raise DataError(
            f"system {unknown[0]!r} is unknown; expected one of {len(systems)} systems"
        )
    for name in systems:
        if "+" in name and {*systems} >= {*name.split("+")}:
            raise DataError(
                f"system {name!r} joins others; wmtlib.read(frame) counts a judgement"
                " for each of them"
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
    preference = preference.astype(np.int32)
    return Coded(systems, first, second, preference, times.astype(np.int64, copy=False))


def expand(data: Counts | pd.DataFrame) -> pd.DataFrame:
    """One row for each comparison: system_1, system_2, preference and the units.

    `Counts` have no units, and system_1 < system_2 by name: they forget which was shown
    first.

    Raises
    ------
    DataError
        More than `MOST_SINGLE` comparisons, or what `coded` refuses.
    """
    frame = counted_rows(data)
    columns = coded(frame)
    require_few(columns.times.sum())
    row = np.repeat(np.arange(len(frame)), columns.times)
    name = pd.CategoricalDtype(columns.systems)
    types = {"system_1": name, "system_2": name, "preference": np.int8}
    single = frame.iloc[row].reset_index(drop=True)
    return single[[*types, *units(frame)]].astype(types)


def counted_rows(data: Counts | pd.DataFrame) -> pd.DataFrame:
    """A comparisons frame without rows that count 0 times; of `Counts`, a new one.

    A frame without such rows is not copied: it may have ten million.
    """
    frame = _frame_of_pairs(to_table(data)) if isinstance(data, Counts) else data
    if "count" in frame and not frame["count"].all():
        return frame[frame["count"] != 0]
    return frame


def require_few(comparisons: float) -> None:
    """Refuse more comparisons than can be taken one by one."""
    if comparisons > MOST_SINGLE:
        raise DataError(
            f"{int(comparisons):,} comparisons are too many to be taken one by one"
            f" (at most {MOST_SINGLE:,}); take a method that counts them, such as"
            " bradley-terry, or a sample of them"
        )


def without(data: Counts | pd.DataFrame, *systems: str | None) -> Counts | pd.DataFrame:
    """Comparisons that involve none of some systems; ignores None and unknown names."""
    if isinstance(data, Counts):
        return data.without(*systems)
    if not {*systems} - {None}:
        return data
    return data[~(data["system_1"].isin(systems) | data["system_2"].isin(systems))]


# --- units ----------------------------------------------------------------------------


def units(data: Counts | pd.DataFrame) -> list[str]:
    """Names of the columns of units; `Counts` have none."""
    if isinstance(data, Counts):
        return []
    return [column for column in data if column not in VALUE_COLUMNS]


def require_unit(data: Counts | pd.DataFrame, unit: str) -> None:
    """Refuse a unit that is neither `COMPARISON` nor a column."""
    possible = [COMPARISON, *units(data)]
    if unit not in possible:
        raise DataError(f"unit is {unit!r}; expected {', '.join(possible)}")


def unit_codes(labels: pd.Series, unit: str) -> tuple[np.ndarray, int]:
    """Position of every label among the sorted ones (as text), and their number."""
    if labels.isna().any():
        raise DataError(f"a {unit} is missing; expected a name")
    column = labels.astype("category").cat.remove_unused_categories().cat
    position, names = pd.factorize(column.categories.astype(str), sort=True)
    return position.astype(np.int32)[column.codes], len(names)


# --- tables of counts -----------------------------------------------------------------


def to_table(counts: Counts) -> pd.DataFrame:
    """One row per compared pair: system_1 < system_2, wins_1, wins_2, ties."""
    wins = counts.wins.to_numpy()
    ties = counts.ties.to_numpy()
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
    """The counts of a table as `to_table` gives it; its systems are those compared."""
    return count(_frame_of_pairs(table))


def _frame_of_pairs(table: pd.DataFrame) -> pd.DataFrame:
    """A comparisons frame with counts, three rows for each row of `to_table`."""
    rows = table.melt(["system_1", "system_2"], [*OUTCOMES], "preference", "count")
    return rows.assign(preference=rows["preference"].map(OUTCOMES))
