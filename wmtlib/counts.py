"""The forms of judgements, and the one place where comparisons are counted.

A comparison has three forms in this package.

- A *comparisons frame*: columns system_1, system_2 and preference (`TIE`, `FIRST` or `SECOND`),
  optionally count (how many equal comparisons a row stands for; 1 if absent), and a column for each
  unit that is known (judge, segment, ranking, ...). system_1 stands first on the judge's screen.
- `Counts`: wins and ties of every pair of systems. Units and the order on the screen are forgotten.
- `bradley_terry.ResampledCounts`: many samples of the same pairs at once.

Throughout, `wins.loc[a, b]` is how often a was judged better than b, and `ties` is symmetric.
"""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from wmtlib.errors import DataError, Origin, check_values, first_row, shown

TIE, FIRST, SECOND = 0, 1, 2  # preference: neither system, system_1, system_2
SWAPPED = np.array([TIE, SECOND, FIRST])  # pi-hat of Hopkins & May: the pair shown the other way
VALUE_COLUMNS = ("system_1", "system_2", "preference", "count")  # the others are units
COMPARISON = "comparison"  # the unit without a column: each comparison by itself
PAIRS = (("model_a", "model_b"), ("system_a", "system_b"), ("a", "b"), VALUE_COLUMNS[:2])
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
        systems = data.systems  # of judgements that were read, those without comparisons too
    systems, *columns = coded(frame, systems)
    seen = np.zeros((len(systems), len(systems), 3), dtype=np.int64)
    parts = (np.array_split(column, 1 + len(frame) // ROWS) for column in columns)
    for first, second, preference, times in zip(*parts, strict=True):
        np.add.at(seen, (first, second, preference), times)  # first and second as they were shown
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
        A missing name, a name that is not among `systems`, a preference other than 0, 1 and 2, a
        system compared with itself, or a count that is not a whole number from 0.
    """
    sides = comparisons["system_1"], comparisons["system_2"]
    names = {name for side in sides for name in side.unique()}
    if pd.isna([*names]).any():
        raise DataError("a comparison lacks the name of a system")
    systems = sorted(names) if systems is None else [*systems]
    if unknown := sorted(names.difference(systems)):
        raise DataError(f"system {unknown[0]!r} is unknown; expected one of {len(systems)} systems")
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
            raise DataError(f"a count is {times[odd][0]}; expected a whole number from 0")
    return systems, first, second, preference.astype(np.int32), times.astype(np.int64, copy=False)


def comparisons_of(data: Any) -> Counts | pd.DataFrame:
    """Comparisons in one of the forms that this package computes with.

    Parameters
    ----------
    data : Counts, DataFrame or Judgements
        `Counts`, comparisons frames and the comparisons of what `wmtlib.read` returned are handed
        on as they are. A frame may also have two columns of systems (`model_a, model_b`,
        `system_a, system_b` or `a, b`) and winner or outcome: a, b, the name of the winning column
        or of the winning system, or tie; or one row for each output of a ranking: see
        `comparisons`.

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
        held = "assessments" if hasattr(data, "assessments") else f"a {type(data).__name__}"
        fault = f"got {held}; expected comparisons in a frame"
        raise DataError(f"{fault}; wmtlib.read(path) reads files")
    if {"system_1", "system_2", "preference"} <= {*data}:
        return data
    if {"ranking", "system", "rank"} <= {*data}:
        return comparisons(data.iloc[np.argsort(pd.factorize(data["ranking"])[0], kind="stable")])
    for first, second in PAIRS:
        for outcome in ("winner", "outcome"):
            if {first, second, outcome} <= {*data}:
                return _with_preference(data, first, second, outcome)
    raise DataError(
        f"the columns of the frame are {shown(', '.join(map(str, data)))}; expected model_a,"
        " model_b, winner or system_1, system_2, preference or ranking, system, rank;"
        " wmtlib.read(frame) knows more names of columns"
    )


def _with_preference(data: pd.DataFrame, first: str, second: str, outcome: str) -> pd.DataFrame:
    """A comparisons frame from words for the outcome, or names of systems that won."""
    words = {"a": FIRST, first: FIRST, "b": SECOND, second: SECOND} | dict.fromkeys(TIE_WORDS, TIE)
    winner = data[outcome].astype(object)
    by_word = winner.astype(str).str.strip().str.casefold().map(words)
    is_system = [(winner == data[side].astype(object)).to_numpy() for side in (first, second)]
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

    `Counts` have no units, and system_1 < system_2 by name: they forget which was shown first.

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
        step = "take a method that counts them, such as bradley-terry, or a sample of them"
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
    return [] if isinstance(data, Counts) else [c for c in data if c not in VALUE_COLUMNS]


def require_unit(data: Counts | pd.DataFrame, unit: str) -> None:
    """Refuse a unit that is neither `COMPARISON` nor a column."""
    if unit not in (known := [COMPARISON, *units(data)]):
        raise DataError(f"unit is {unit!r}; expected {', '.join(known)}")


def unit_codes(labels: pd.Series, unit: str) -> tuple[np.ndarray, int]:
    """Position of every label among the sorted ones (as text), and the number of labels."""
    if labels.isna().any():
        raise DataError(f"a {unit} is missing; expected a name")
    known = labels.astype("category").cat
    used, place = np.unique(known.codes), np.zeros(len(known.categories), dtype=np.int32)
    place[used], names = pd.factorize(known.categories[used].astype(str), sort=True)
    return place[known.codes], len(names)


def summed(frame: pd.DataFrame, keys: Sequence[str], sums: Sequence[str]) -> pd.DataFrame:
    """One row for all that agree in some columns, with the sums of others; sorted.

    What grouping by categories, or by small whole numbers, gives in a fifth of its memory.
    """
    code: Any = np.zeros(len(frame), dtype=np.uint32)
    most = 1
    for name in keys:
        codes = frame[name].cat.codes if hasattr(frame[name], "cat") else frame[name]
        codes = codes.to_numpy() - codes.min()
        number = int(codes.max(initial=0)) + 1
        if most * number > 2**63:  # only what occurs gets a number
            code, most = np.unique(code, return_inverse=True)[1], len(frame)
        most *= number
        code = code.astype(np.uint32 if most < 2**32 else np.uint64, copy=False)
        code *= code.dtype.type(number)
        code += codes.astype(code.dtype)
    order = np.argsort(code, kind="stable")
    code = code[order]
    values = {name: frame[name].to_numpy()[order] for name in sums}
    begins = np.append(True, code[1:] != code[:-1])[: len(code)]
    del code  # as long as the file
    order = order[begins]
    begins, totals = np.flatnonzero(begins), {}
    for name in sums:
        kind = np.int32 if values[name].sum() < 2**31 else np.int64
        totals[name] = np.add.reduceat(values.pop(name), begins, dtype=kind)
    del begins
    columns = {name: frame[name].array[order] for name in keys}
    return pd.DataFrame(columns | totals, copy=False)


# --- resampling units ----------------------------------------------------------------------------

BLOCK = 50  # resamples that are drawn from one stream of random numbers
DEALT = 1_000_000  # comparisons up to which folds are dealt one by one; of more, counts are
Seed: TypeAlias = int | np.random.Generator


def generator(seed: Seed) -> np.random.Generator:
    """The random numbers of a seed; a generator is returned as it is."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise DataError(f"seed is {shown(seed)}; expected a whole number from 0") from None


def blocks(n_resamples: int, rng: np.random.Generator) -> Iterator[tuple[int, np.random.Generator]]:
    """The size of each block of resamples, and its own generator.

    So a resample is the same one, however many blocks are drawn at a time, and by whom.

    >>> [size for size, _ in blocks(120, np.random.default_rng(1))]
    [50, 50, 20]
    """
    starts = range(0, n_resamples, BLOCK)
    for start, own in zip(starts, rng.spawn(len(starts)), strict=True):
        yield min(BLOCK, n_resamples - start), own


def dealt(times: np.ndarray, folds: int, rng: np.random.Generator) -> np.ndarray:
    """How many comparisons of each row every fold is dealt at random, (rows, folds).

    `times` says how many comparisons each row stands for. More than `DEALT` are dealt by counts.

    >>> dealt(np.array([10**12, 3]), 2, np.random.default_rng(1)).sum(axis=1).tolist()
    [1000000000000, 3]
    """
    if (total := int(times.sum())) > DEALT:
        # Each comparison is dealt by itself, so that the counts of a row are multinomial, however
        # large. Given the sizes of the folds that is the draw without replacement (multivariate
        # hypergeometric, which NumPy draws up to 10^9 only). The sizes themselves are not equal,
        # but differ by chance: of a million comparisons by a few in a thousand.
        return rng.multinomial(times, np.full(folds, 1 / folds))
    cell = np.repeat(np.arange(len(times)), times) * folds + rng.permutation(total) % folds
    return np.bincount(cell, minlength=len(times) * folds).reshape(-1, folds)


Task: TypeAlias = tuple[Callable, tuple, dict]  # what `joblib.delayed` makes of a call


def by_workers(tasks: Iterable[Task]) -> Iterator[Any]:
    """What function(*arguments, **options) gives, for every task in turn.

    Workers are those of `joblib.parallel_config`; without it, this process does it all. Whoever
    asks for workers has imported joblib. For all others it stays unloaded: that takes a third as
    long as loading NumPy and pandas.

    >>> [*by_workers((max, (k, 2), {}) for k in range(4))]
    [2, 2, 2, 3]
    """
    if joblib := sys.modules.get("joblib"):
        return joblib.Parallel(return_as="generator")(tasks)
    return (function(*arguments, **options) for function, arguments, options in tasks)


# --- tables of counts ----------------------------------------------------------------------------

OUTCOMES = {"wins_1": FIRST, "wins_2": SECOND, "ties": TIE}  # columns of a table of counts


def to_table(counts: Counts) -> pd.DataFrame:
    """One row per compared pair: system_1 < system_2, wins_1, wins_2, ties."""
    wins, ties = counts.wins.to_numpy(), counts.ties.to_numpy()
    a, b = np.nonzero(np.triu(wins + wins.T + ties, k=1))
    names = np.array(counts.systems, dtype=object)
    table = {"system_1": names[a], "system_2": names[b]}
    return pd.DataFrame(table | {"wins_1": wins[a, b], "wins_2": wins[b, a], "ties": ties[a, b]})


def from_table(table: pd.DataFrame) -> Counts:
    """The inverse of `to_table`."""
    return count(_frame_of_pairs(table))


def _frame_of_pairs(table: pd.DataFrame) -> pd.DataFrame:
    """A comparisons frame with counts, three rows for each row of `to_table`."""
    rows = table.melt(["system_1", "system_2"], [*OUTCOMES], "preference", "count")
    return rows.assign(preference=rows["preference"].map(OUTCOMES))


# --- relative rankings, and the comparisons that they imply -------------------------------------

REFERENCE = "_ref"  # the human reference translation, ranked like a system
EMPTY_SLOT = "blank"  # fills the slots of a ranking of fewer than five outputs
UNRANKED = -1  # the judge left this output's rank blank

ID_COLUMNS = [f"system{k}Id" for k in range(1, 6)]
RANK_COLUMNS = [f"system{k}rank" for k in range(1, 6)]
WMT_COLUMNS = ["srclang", "trglang", "srcIndex", "judgeId", *ID_COLUMNS, *RANK_COLUMNS]
VALID_RANKS = ("1", "2", "3", "4", "5", str(UNRANKED))

RANKINGS = ["task", "ranking", "segment", "judge", "system", "rank"]
COMPARISONS = ["task", "ranking", "segment", "judge", "system_1", "system_2", "preference"]


def comparisons(rankings: pd.DataFrame) -> pd.DataFrame:
    """All pairwise comparisons that rankings imply (Lopez 2012, section 2 and Figure 1).

    A ranking of k ranked outputs gives k(k-1)/2 comparisons; outputs whose rank was left blank
    give none. Every ranking counts, the repeated ones too.

    Parameters
    ----------
    rankings : DataFrame
        Columns ranking, system and rank (1 = best; `UNRANKED` = blank); the others (task, segment,
        judge, ...) are units. The rows of a ranking stand together.

    Returns
    -------
    DataFrame
        A comparisons frame: the units first, then system_1, system_2 and preference.

    Raises
    ------
    DataError
        A column is missing; the rows of a ranking are scattered, or two rankings share a number; a
        rank that is no number.

    Examples
    --------
    >>> ranked = pd.DataFrame({"ranking": 1, "system": ["x", "y", "z"], "rank": [1, 2, 2]})
    >>> comparisons(ranked)[["system_1", "system_2", "preference"]].to_numpy().tolist()
    [['x', 'y', 1], ['x', 'z', 1], ['y', 'z', 0]]
    """
    needed = ["ranking", "system", "rank"]
    if not isinstance(rankings, pd.DataFrame) or not {*needed} <= {*rankings}:
        raise DataError(f"expected a frame of rankings with the columns {', '.join(needed)}")
    if not pd.api.types.is_numeric_dtype(rankings["rank"]) or rankings["rank"].isna().any():
        raise DataError(f"a rank is missing or no number; expected 1, 2, ... or {UNRANKED}")
    ranked = rankings[rankings["rank"] != UNRANKED].reset_index(drop=True)
    number = ranked.loc[ranked["ranking"] != ranked["ranking"].shift(), "ranking"]
    if (again := number.duplicated()).any():
        fault = "its rows are scattered, or two rankings share that number"
        raise DataError(f"ranking {number[again].iloc[0]}: {fault}")
    ranked["_row"] = ranked.index
    outputs = ranked[["ranking", "system", "rank", "_row"]]
    # Every output of a ranking beside every other one; the one that stands first comes first.
    pairs = ranked.merge(outputs, on="ranking", suffixes=("_1", "_2"))
    pairs = pairs[pairs["_row_1"] < pairs["_row_2"]].reset_index(drop=True)
    better = [pairs["rank_1"] < pairs["rank_2"], pairs["rank_1"] > pairs["rank_2"]]
    preference = np.select(better, [FIRST, SECOND], TIE).astype(np.int8)
    columns = [*rankings.columns.drop(["system", "rank"]), "system_1", "system_2"]
    return pairs[columns].assign(preference=preference)


def tidy_rankings(raw: pd.DataFrame, origin: Origin) -> pd.DataFrame:
    """From the WMT ranking format, one row per ranking, to one row per ranked output.

    Parameters
    ----------
    raw : DataFrame
        Columns `WMT_COLUMNS`, text or categories of text, others ignored; one row = one ranking
        of up to five outputs.
    origin : Origin
        Named in every refusal.

    Returns
    -------
    DataFrame
        Columns `RANKINGS`: task ("source,target" language), ranking (row number in the file),
        segment (1-based index in the test set), judge (pseudonym),
        system, rank (1 = best ... 5; `UNRANKED` where the judge left it blank). Empty slots are
        gone; rows keep the order of the file and, within a ranking, of the screen.

    Raises
    ------
    DataError
        A rank outside 1-5 and -1, a segment that is not a whole number, an empty name, an empty
        slot with a rank, or one system twice in a ranking.
    """
    raw = raw[WMT_COLUMNS].astype("category")  # checks look at distinct values only
    check_values(raw, ["srclang", "trglang", "judgeId", *ID_COLUMNS], str.strip, "a name", origin)
    check_values(raw, ["srcIndex"], re.compile("[0-9]{1,9}").fullmatch, "a whole number", origin)
    check_values(raw, RANK_COLUMNS, VALID_RANKS.__contains__, "1-5, or -1 for blank", origin)
    task = raw["srclang"].astype(object) + "," + raw["trglang"].astype(object)
    ranks = raw[RANK_COLUMNS].astype(np.int8).to_numpy()
    outputs = raw[ID_COLUMNS].to_numpy(object)
    empty = outputs == EMPTY_SLOT
    if (row := first_row((empty & (ranks != UNRANKED)).any(axis=1))) is not None:
        raise origin.refuse(row, f"an empty slot ({EMPTY_SLOT!r}) has a rank; expected -1")
    ranking, slot = np.nonzero(~empty)
    table = {"task": pd.Categorical(task)[ranking], "ranking": ranking.astype(np.int32)}
    table["segment"] = raw["srcIndex"].astype(np.int32).array[ranking]
    table["judge"] = pseudonyms(raw["judgeId"])[ranking]
    table["system"] = pd.Categorical(outputs[ranking, slot])
    rankings = pd.DataFrame(table | {"rank": ranks[ranking, slot]})
    if (row := first_row(rankings.duplicated(["ranking", "system"]).to_numpy())) is not None:
        fault = f"system {shown(rankings['system'][row])} stands twice in one ranking"
        raise origin.refuse(int(ranking[row]), f"{fault}; expected different systems")
    return rankings


def pseudonyms(identifiers: pd.Series, prefix: str = "judge") -> pd.Categorical:
    """Replace identifiers of people by `judge_001`, `judge_002`, ... in their sorted order."""
    codes, unique = pd.factorize(identifiers, sort=True)
    names = [f"{prefix}_{k:03d}" for k in range(1, len(unique) + 1)]
    return pd.Categorical.from_codes(codes, categories=names)


def is_rank(text: str) -> bool:
    """Whether a text is a rank: a whole number from 1, or `UNRANKED`."""
    return re.fullmatch(rf"0*[1-9][0-9]{{0,8}}|{UNRANKED}", text) is not None


def positions(sizes: np.ndarray) -> np.ndarray:
    """Position of each member within its group, for groups that stand one after the other.

    Parameters
    ----------
    sizes : array of int, shape (groups,)

    Returns
    -------
    array of int, shape (sum of sizes,)

    Examples
    --------
    >>> positions(np.array([2, 0, 3]))
    array([0, 1, 0, 1, 2])
    """
    starts = np.cumsum(sizes) - sizes
    return np.arange(sizes.sum()) - np.repeat(starts, sizes)


# --- direct assessments, and the names of systems in them ---------------------------------------

NAMED = ["hit", "worker", "language_pair", "system", "item", "document", "segment"]
ASSESSMENTS = [*NAMED, "score", "accepted"]
ITEMS = ("SYSTEM", "REPEAT", "REF", "BAD_REF")
RATED_ITEMS = ("SYSTEM", "REPEAT")  # they count for a system; the others are quality control
JOINT = "+"  # identical outputs of several systems, judged once: "A.1+B.2"
USUAL_SCALE = 0, 100
HIGHEST_SCORE = USUAL_SCALE[1]


def tidy_assessments(
    frame: pd.DataFrame,
    where: Origin | str,
    *,
    only_quality_control: str = "refuse",
    scale: tuple[float, float] = USUAL_SCALE,
) -> pd.DataFrame:
    """Check direct assessments of one language pair and hide who made them.

    Parameters
    ----------
    frame : DataFrame
        Columns `ASSESSMENTS`, others ignored; one row = one judgement by one worker. `worker`
        holds any identifiers, `score` numbers or text, the rest text or categories of text.
    where : Origin or str
        Named in every refusal.
    only_quality_control : "refuse" or "keep"
        What to do with a system that has no SYSTEM or REPEAT row and so no average.
    scale : pair of numbers
        The lowest and the highest score that may be.

    Returns
    -------
    DataFrame
        Columns `ASSESSMENTS`: text columns as categories (sorted; only what occurs), `score`
        float64 on the scale, `accepted` bool. Rows keep their order, numbered from 0.
        Workers are `worker_0001`, ... by their sorted identifiers, whatever the order of rows.

    Raises
    ------
    DataError
        A worker, system or segment without a name; an unknown item type; a score that is not a
        number on the scale; fewer than two systems; the same system twice in a joint name; a
        system with quality-control items only.
    """
    origin = Origin(where) if isinstance(where, str) else where
    raw = frame[NAMED].astype("category")
    check_values(raw, ["worker", "segment"], str.strip, "a name", origin)
    check_values(raw, ["system"], is_system_name, f"a name, or several joined by {JOINT!r}", origin)
    check_values(raw, ["item"], ITEMS.__contains__, f"one of {', '.join(ITEMS)}", origin)
    score = pd.to_numeric(frame["score"], errors="coerce").to_numpy(np.float64)
    lowest, highest = scale
    if (row := first_row(~((score >= lowest) & (score <= highest)))) is not None:  # NaN is neither
        fault = f"score is {shown(frame['score'].iloc[row])}"
        raise origin.refuse(row, f"{fault}; expected a number from {lowest:g} to {highest:g}")
    raw = raw.apply(lambda column: sorted_categories(column.cat))
    rated = system_names(raw.loc[raw["item"].isin(RATED_ITEMS), "system"].unique())
    unrated = [name for name in system_names(raw["system"].cat.categories) if name not in rated]
    if only_quality_control == "refuse" and unrated:
        fault = f"system {shown(unrated[0])} has quality-control items only"
        raise origin.refuse(None, f"{fault}; expected {' or '.join(RATED_ITEMS)} items too")
    if len(rated) < 2:
        raise origin.refuse(None, f"rates {len(rated)} system; expected two or more to rank")
    workers = [f"worker_{k:04d}" for k in range(1, len(raw["worker"].cat.categories) + 1)]
    raw["worker"] = raw["worker"].cat.rename_categories(workers)
    tidy = raw.assign(score=score, accepted=frame["accepted"].to_numpy())
    return tidy[ASSESSMENTS].reset_index(drop=True)


def single_systems(name: str) -> list[str]:
    """The systems that a name stands for: "A" for one, "A+B" for two with the same output."""
    return name.split(JOINT)


def system_names(names: Iterable[str]) -> list[str]:
    """All single systems of some names, sorted."""
    return sorted({system for name in names for system in single_systems(name)})


def is_system_name(name: str) -> bool:
    """Whether a name stands for one system or for several different ones."""
    systems = single_systems(name)
    return all(map(str.strip, systems)) and len(set(systems)) == len(systems)


def sorted_categories(values: pd.Series) -> pd.Series:
    """The same values; their categories sorted, and only those that occur."""
    return values.set_categories(sorted(values.remove_unused_categories().cat.categories))


def credits(system: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Row and single system of every credit: a joint row `A+B` counts for A and for B.

    Parameters
    ----------
    system : Series of categories, length rows
    """
    systems = pd.Series([name.split(JOINT) for name in system.cat.categories], dtype=object)
    credited = systems.take(system.cat.codes).reset_index(drop=True).explode()
    return credited.index.to_numpy(), credited.to_numpy()


# --- what may be misread, one line each ----------------------------------------------------------

LOOK_ALIKE = str.maketrans("авекмнорстухіјѕοανρτυχκι", "abekmhopctyxijsoavptuxki")
MOST_SHOWN = 3  # names of each group of systems in a warning


def listed(names: Sequence[str], most: int = MOST_SHOWN) -> str:
    """Names with commas between them; the first `most` if there are more."""
    return ", ".join(map(shown, names[:most])) + (", ..." if len(names) > most else "")


def remarks(
    systems: Iterable[str], judges: Iterable[str] = (), counts: Counts | None = None
) -> list[str]:
    """What may be misread: names that differ in what is hard to see, systems that never met.

    Parameters
    ----------
    systems, judges : names
        Judges are warned of without their names.
    counts : Counts, optional
        Of comparisons of the systems.

    Examples
    --------
    >>> remarks(["GPT-4", "gpt-4", "x"])
    ["'GPT-4' and 'gpt-4' are counted as 2 systems; if they are one, write the name in one way"]
    >>> remarks([], ["ann", "Ann ", "bob"])[0].partition(";")[0]
    '3 names of judges are 2, but for case and blanks'
    """
    names = pd.Series([*systems, *(judges := {*map(str, judges)})], dtype=object).astype(str)
    # Without case, blanks, quotes, kinds of hyphens and of letters, and .0 at the end.
    plain = names.str.normalize("NFKC").str.casefold().str.translate(LOOK_ALIKE)
    plain = plain.str.strip(" \"'‘’“”").str.replace(r"\s+", "", regex=True)
    plain = plain.str.replace(r"[_-]+", "-", regex=True).str.removesuffix(".0")
    is_system, lines = np.arange(len(names)) < len(names) - len(judges), []
    for _, same in names[is_system].groupby(plain[is_system], sort=False):
        if len(same) > 1:
            fault = f"{' and '.join(map(shown, same))} are counted as {len(same)} systems"
            lines.append(f"{fault}; if they are one, write the name in one way")
    if (people := plain[~is_system].nunique()) < len(judges):
        fault = f"{len(judges)} names of judges are {people}, but for case and blanks"
        lines.append(f"{fault}; if they are so many people, write each name in one way")
    if counts is None:
        return lines
    group = np.arange(len(counts.systems))
    for a, b in np.argwhere((counts.wins + counts.ties).to_numpy()):
        group[group == group[b]] = group[a]
    groups = pd.Series(counts.systems, dtype=object).groupby(group).agg(list)
    if (number := len(groups)) > 1:
        apart = "; ".join(map(listed, groups[:MOST_SHOWN])) + "; ..." * (number > MOST_SHOWN)
        fault = f"systems fall into {number} groups without a comparison between them ({apart})"
        lines.append(f"{fault}: the order of systems of different groups means nothing")
    return lines


def of_repeats(more: int, rows: int, what: str, same: str) -> list[str]:
    """Warn of rows that repeat others."""
    warning = (
        f"{more} of {rows} {what} repeat another one word for word (same {same}); each counts;"
        " if they are there by mistake, remove them"
    )
    return [warning] * (more > 0)


def captioned(caption: str, table: pd.DataFrame, *, index: bool = False) -> str:
    """A table as HTML below a line of text, for notebooks; numbers with four significant digits.

    >>> captioned("one < two", pd.DataFrame({"x": [1.23456]})).startswith("<p>one &lt; two</p>")
    True
    """
    body = table.to_html(index=index, na_rep="", border=0, float_format=lambda x: f"{x:.4g}")
    return f"<p>{escape(caption)}</p>{body}"
