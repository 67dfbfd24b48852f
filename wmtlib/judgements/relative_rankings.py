"""What the tables look like, and what is refused.

Every reader ends here. Bad input raises `DataError` with one line: which file, which line, what
was expected.
"""

import csv
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

REFERENCE = "_ref"  # the human reference translation, ranked like a system
EMPTY_SLOT = "blank"  # fills the slots of a ranking of fewer than five outputs
UNRANKED = -1  # the judge left this output's rank blank

SLOTS = range(1, 6)
ID_COLUMNS = [f"system{k}Id" for k in SLOTS]
RANK_COLUMNS = [f"system{k}rank" for k in SLOTS]
WMT_COLUMNS = ["srclang", "trglang", "srcIndex", "judgeId", *ID_COLUMNS, *RANK_COLUMNS]
VALID_RANKS = ("1", "2", "3", "4", "5", str(UNRANKED))

RANKINGS = ["task", "ranking", "segment", "judge", "system", "rank"]
COMPARISONS = ["task", "ranking", "segment", "judge", "system_1", "system_2", "preference"]
COUNTS = ["campaign", "task", "split", "system_1", "system_2", "wins_1", "wins_2", "ties"]

ASSESSMENTS = [
    "hit",
    "worker",
    "language_pair",
    "system",
    "item",
    "document",
    "segment",
    "score",
    "accepted",
]
ITEMS = ("SYSTEM", "REPEAT", "REF", "BAD_REF")
RATED_ITEMS = ("SYSTEM", "REPEAT")  # what counts towards a system; the rest is quality control
JOINT = "+"  # identical outputs of several systems, judged once: "A.1+B.2"
LOWEST_SCORE, HIGHEST_SCORE = 0, 100


class DataError(ValueError):
    """Input that cannot be used; the message is one line fit for a terminal."""


class DataUnavailable(DataError):
    """The file cannot be had from here; another source may still do."""


@dataclass(frozen=True)
class Origin:
    """Where rows come from.

    Attributes
    ----------
    name : str
        The file, as the user named it.
    lines : sequence of int, optional
        Line of the file (1 = header) on which each row starts; one row a line if not given.
    """

    name: str
    lines: Sequence[int] | None = field(default=None, repr=False)

    def refuse(self, row: int | None, what: str) -> DataError:
        """What to raise about a row (0 = the first below the header), or about the whole file."""
        if row is None:
            return DataError(f"{self.name}: {what}")
        return self.refuse_line(row + 2 if self.lines is None else self.lines[row], what)

    def refuse_line(self, line: int, what: str) -> DataError:
        """What to raise about a line of the file (1 = the header)."""
        return DataError(f"{self.name}, line {line}: {what}")


def require_columns(header: Sequence[str], columns: Sequence[str], origin: Origin) -> None:
    """Refuse a header that lacks one of the columns or names one of them twice."""
    for column in columns:
        if (times := list(header).count(column)) != 1:
            fault = "is missing" if times == 0 else "stands twice"
            raise origin.refuse_line(
                1, f"column {column!r} {fault}; expected each of {', '.join(columns)} once"
            )


def require_text(data: bytes, expected: str, origin: Origin) -> None:
    """Refuse bytes that are no UTF-8 text, naming the line of the first that is not."""

    def line_of(position: int) -> int:
        return len((data[:position] + b".").splitlines())

    if b"\0" in data:
        what = f"holds a NUL byte (binary, or UTF-16?); expected {expected}"
        raise origin.refuse_line(line_of(data.index(b"\0")), what)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        what = f"byte 0x{data[error.start]:02x} is no UTF-8; expected {expected}"
        raise origin.refuse_line(line_of(error.start), what) from None


def table_lines(data: bytes, columns: Sequence[str], origin: Origin) -> list[int]:
    """Check that a file is a comma-separated table, and find the line on which each row starts.

    pandas pads short rows, shifts long ones and cuts text at a NUL byte without a word, so what
    it is given to parse has passed here first.

    Parameters
    ----------
    data : bytes
        The whole file: UTF-8, with or without a byte order mark; blank lines only at the end.
    columns : sequence of names
        What the header must name, once each; others may stand there too.

    Raises
    ------
    DataError
        Not UTF-8, a NUL byte, no header, a column missing or named twice, a line that is blank, a
        quote that is not closed, or a row of more or fewer fields than the header.
    """

    require_text(data, "comma-separated UTF-8 text", origin)
    reader = csv.reader(io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", newline=""), strict=True)
    lines: list[int] = []
    start, width, blank = 1, 0, 0
    try:
        for fields in reader:
            if not any(fields):  # an empty line, or the ",,,," that spreadsheets leave behind
                blank = blank or start
            elif blank:
                raise origin.refuse_line(blank, f"is blank; expected a row, as on line {start}")
            elif not lines:
                require_columns(fields, columns, origin)
                width = len(fields)
                lines.append(start)
            elif len(fields) != width:
                raise origin.refuse_line(start, f"{len(fields)} fields; expected {width}")
            else:
                lines.append(start)
            start = reader.line_num + 1  # a quoted field may span lines
    except csv.Error as error:
        raise origin.refuse_line(start, f"is no comma-separated row ({error})") from None
    if not lines:
        raise origin.refuse(None, f"is empty; expected a header: {', '.join(columns)}")
    return lines[1:]


def _first(bad: np.ndarray) -> int | None:
    """Row of the first True, or None."""
    rows = np.flatnonzero(bad)
    return int(rows[0]) if len(rows) else None


def _shown(value: object) -> str:
    """A value found in a file, short enough for a terminal."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:36]}..."


def _check(
    raw: pd.DataFrame,
    columns: list[str],
    fine: Callable[[str], object],
    expected: str,
    origin: Origin,
) -> None:
    """Refuse the first row with a value that is missing or not fine."""
    for column in columns:
        values = raw[column].cat
        bad = np.array([*(not fine(v) for v in values.categories), True])  # code -1: missing
        if (row := _first(bad[values.codes])) is not None:
            found = _shown(raw[column].iloc[row])
            raise origin.refuse(row, f"{column} is {found}; expected {expected}")


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
        segment (1-based index in the test set), judge (pseudonym, numbered by first appearance),
        system, rank (1 = best ... 5; `UNRANKED` where the judge left it blank). Empty slots are
        gone; rows keep the order of the file and, within a ranking, of the screen.

    Raises
    ------
    DataError
        A missing column, a rank outside 1-5 and -1, a segment that is no whole number, an empty
        name, an empty slot with a rank, one system twice in a ranking, or no row at all.
    """
    require_columns(list(raw.columns), WMT_COLUMNS, origin)
    if raw.empty:
        raise origin.refuse(None, "holds a header but no rankings")
    raw = raw[WMT_COLUMNS].astype("category")  # checks look at distinct values only
    _check(raw, ["srclang", "trglang", "judgeId", *ID_COLUMNS], str.strip, "a name", origin)
    _check(raw, ["srcIndex"], re.compile("[0-9]{1,9}").fullmatch, "a whole number", origin)
    _check(raw, RANK_COLUMNS, VALID_RANKS.__contains__, "1-5, or -1 for blank", origin)
    systems, ranks = _slots(raw, origin)
    filled = systems.codes >= 0
    ranking, slot = np.nonzero(filled.reshape(ranks.shape))
    ranking = ranking.astype(np.int32)
    return pd.DataFrame(
        {
            "task": _pairs(raw["srclang"], raw["trglang"])[ranking],
            "ranking": ranking,
            "segment": _integers(raw["srcIndex"], np.int32)[ranking],
            "judge": pseudonyms(raw["judgeId"])[ranking],
            "system": systems[filled],
            "rank": ranks[ranking, slot],
        }
    )


def _integers(column: pd.Series, dtype: type) -> np.ndarray:
    """Categories of digits as numbers."""
    return column.cat.categories.to_numpy().astype(dtype)[column.cat.codes]


def _pairs(source: pd.Series, target: pd.Series) -> pd.Categorical:
    """ "source,target" of every row; text is joined once for each pair that occurs."""
    sources, targets = source.cat.categories, target.cat.categories
    number = source.cat.codes.to_numpy(np.int64) * len(targets) + target.cat.codes
    codes, pairs = pd.factorize(number)
    names = [f"{sources[p // len(targets)]},{targets[p % len(targets)]}" for p in pairs]
    return pd.Categorical(np.array(names, dtype=object)[codes])


def _slots(raw: pd.DataFrame, origin: Origin) -> tuple[pd.Categorical, np.ndarray]:
    """Systems (flattened, row by row; missing = empty slot) and ranks (rows x 5), checked."""
    ranks = np.column_stack([_integers(raw[c], np.int8) for c in RANK_COLUMNS])
    by_slot = union_categoricals([raw[c] for c in ID_COLUMNS], sort_categories=True)
    by_slot = by_slot.set_categories([c for c in by_slot.categories if c != EMPTY_SLOT])
    codes = by_slot.codes.reshape(len(SLOTS), -1).T
    if (row := _first(((codes < 0) & (ranks != UNRANKED)).any(axis=1))) is not None:
        raise origin.refuse(row, f"an empty slot ({EMPTY_SLOT!r}) has a rank; expected -1")
    # Empty slots get distinct negative codes, so that only real systems can repeat in a row.
    ordered = np.sort(np.where(codes < 0, -1 - np.arange(len(SLOTS)), codes), axis=1)
    if (row := _first((np.diff(ordered, axis=1) == 0).any(axis=1))) is not None:
        names = raw[ID_COLUMNS].iloc[row].tolist()
        twice = next(n for n in names if n != EMPTY_SLOT and names.count(n) > 1)
        what = f"system {_shown(twice)} stands twice in one ranking; expected different systems"
        raise origin.refuse(row, what)
    return pd.Categorical.from_codes(codes.ravel(), dtype=by_slot.dtype), ranks


def tidy_assessments(
    frame: pd.DataFrame, where: Origin | str, *, only_quality_control: str = "refuse"
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

    Returns
    -------
    DataFrame
        Columns `ASSESSMENTS`: text columns as categories (sorted; only what occurs), `score`
        float64 on the 0-100 scale, `accepted` bool. Rows keep their order, numbered from 0.
        Workers are `worker_0001`, ... by their sorted identifiers, whatever the order of rows.

    Raises
    ------
    DataError
        A column missing or there twice; no row; a worker, language pair, system or segment
        without a name; an unknown item type; a score that is no number from 0 to 100; `accepted`
        that is not true or false; more than one language pair; fewer than two systems; the same
        system twice in a joint name; a system with quality-control items only.
    """
    origin = Origin(where) if isinstance(where, str) else where
    require_columns(list(frame.columns), ASSESSMENTS, origin)
    if frame.empty:
        raise origin.refuse(None, "holds a header but no judgements")
    names = [c for c in ASSESSMENTS if c not in ("score", "accepted")]
    raw = frame[names].astype("category")
    _check(raw, ["worker", "language_pair", "segment"], str.strip, "a name", origin)
    _check(raw, ["system"], _joint_name, f"a name, or several joined by {JOINT!r}", origin)
    _check(raw, ["item"], ITEMS.__contains__, f"one of {', '.join(ITEMS)}", origin)
    _check(raw, ["hit", "document"], lambda _: True, "text", origin)
    score = _scores(frame["score"], origin)
    accepted = frame["accepted"].to_numpy()
    if accepted.dtype != bool:
        raise origin.refuse(None, f"accepted is {accepted.dtype}; expected true or false")
    raw = raw.apply(lambda column: _sorted_categories(column.cat))
    if len(pairs := raw["language_pair"].cat.categories) > 1:
        raise origin.refuse(None, f"language pairs {', '.join(pairs[:5])}; expected one")
    _check_systems(raw, origin, only_quality_control)
    workers = [f"worker_{k:04d}" for k in range(1, len(raw["worker"].cat.categories) + 1)]
    raw["worker"] = raw["worker"].cat.rename_categories(workers)
    return raw.assign(score=score, accepted=accepted)[ASSESSMENTS].reset_index(drop=True)


def _joint_name(system: str) -> bool:
    """Whether a name is that of one system or of several, each named once."""
    parts = system.split(JOINT)
    return all(map(str.strip, parts)) and len(set(parts)) == len(parts)


def _sorted_categories(values: pd.Series) -> pd.Series:
    """Categories in order, without those that do not occur."""
    used = values.remove_unused_categories()
    return used.cat.reorder_categories(sorted(used.cat.categories))


def _scores(column: pd.Series, origin: Origin) -> np.ndarray:
    """Scores as numbers from 0 to 100."""
    score = pd.to_numeric(column, errors="coerce").to_numpy(np.float64)
    bad = ~((score >= LOWEST_SCORE) & (score <= HIGHEST_SCORE))  # NaN is neither
    if (row := _first(bad)) is not None:
        found = _shown(column.iloc[row])
        expected = f"a number from {LOWEST_SCORE} to {HIGHEST_SCORE}"
        raise origin.refuse(row, f"score is {found}; expected {expected}")
    return score


def _check_systems(raw: pd.DataFrame, origin: Origin, only_quality_control: str) -> None:
    """Refuse what cannot be ranked: one system alone, or one that nobody rated."""

    def single(names: pd.Index) -> set[str]:
        return {part for name in names for part in name.split(JOINT)}

    rated = raw.loc[raw["item"].isin(RATED_ITEMS), "system"].cat.remove_unused_categories()
    rated, named = single(rated.cat.categories), single(raw["system"].cat.categories)
    if only_quality_control == "refuse" and (unrated := sorted(named - rated)):
        what = f"system {_shown(unrated[0])} has quality-control items only"
        raise origin.refuse(None, f"{what}; expected {' or '.join(RATED_ITEMS)} items too")
    if len(rated) < 2:
        raise origin.refuse(None, f"rates {len(rated)} system; expected two or more to rank")


def credits(system: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Row and single system of every credit: a joint row `A+B` counts for A and for B."""
    names = system.cat.categories
    parts = [name.split(JOINT) for name in names]
    width = np.array([len(p) for p in parts])
    codes = system.cat.codes.to_numpy()
    rows = np.repeat(np.arange(len(system)), width[codes])
    start = np.cumsum(width) - width
    within = np.arange(len(rows)) - np.repeat(np.cumsum(width[codes]) - width[codes], width[codes])
    single = np.array([s for p in parts for s in p], dtype=object)
    return rows, single[np.repeat(start[codes], width[codes]) + within]


def pseudonyms(identifiers: pd.Series, prefix: str = "judge") -> pd.Categorical:
    """Replace identifiers of people by `judge_001`, `judge_002`, ... in order of appearance."""
    codes, unique = pd.factorize(identifiers)
    names = [f"{prefix}_{k:03d}" for k in range(1, len(unique) + 1)]
    return pd.Categorical.from_codes(codes, categories=names)
