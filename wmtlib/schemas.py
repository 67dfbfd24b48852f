"""What the tables look like, and what is refused.

Every reader ends here. Bad input raises `DataError` with one line: which file, which row, what
was expected.
"""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import pandas as pd

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
COUNTS = ["campaign", "task", "system_1", "system_2", "wins_1", "wins_2", "ties"]


class DataError(ValueError):
    """Input that cannot be used; the message is one line fit for a terminal."""


@dataclass(frozen=True)
class Origin:
    """Where rows come from: the file's name and the line of the first row."""

    name: str
    first_line: int = 2

    def refuse(self, row: Hashable | None, what: str) -> DataError:
        place = self.name if row is None else f"{self.name}, line {int(row) + self.first_line}"
        return DataError(f"{place}: {what}")


def require_columns(frame: pd.DataFrame, columns: list[str], origin: Origin) -> None:
    """Refuse a frame whose header lacks a column or names one twice."""
    missing = [c for c in columns if c not in frame.columns]
    if missing:
        expected = "srclang,trglang,srcIndex,judgeId,system1Id..system5Id,system1rank..system5rank"
        raise origin.refuse(
            None, f"column {missing[0]!r} is missing; expected the WMT ranking header {expected}"
        )


def _first(bad: np.ndarray) -> int | None:
    """Row of the first True, or None."""
    rows = np.flatnonzero(bad)
    return int(rows[0]) if len(rows) else None


def tidy_rankings(raw: pd.DataFrame, origin: Origin) -> pd.DataFrame:
    """From the WMT ranking format, one row per ranking, to one row per ranked output.

    Parameters
    ----------
    raw : DataFrame
        Text columns `WMT_COLUMNS`, others ignored; one row = one ranking of up to five outputs.
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
    require_columns(raw, WMT_COLUMNS, origin)
    if raw.empty:
        raise origin.refuse(None, "holds a header but no rankings")
    for column in ("srclang", "trglang", "judgeId", *ID_COLUMNS):
        if (row := _first(raw[column].isna() | (raw[column].str.strip() == ""))) is not None:
            raise origin.refuse(
                row, f"{column} is empty; expected 21 filled columns as in WMT10-12"
            )
    systems, ranks = _slots(raw, origin)
    segment = pd.to_numeric(raw["srcIndex"], errors="coerce")
    if (row := _first(~(segment.mod(1) == 0).to_numpy())) is not None:
        raise origin.refuse(
            row, f"srcIndex is {raw['srcIndex'].iloc[row]!r}; expected a whole number"
        )
    filled = (systems.codes != systems.categories.get_indexer([EMPTY_SLOT])[0]).reshape(ranks.shape)
    ranking, slot = np.nonzero(filled)
    tasks = pd.Categorical(raw["srclang"].astype(str) + "," + raw["trglang"].astype(str))
    return pd.DataFrame(
        {
            "task": tasks[ranking],
            "ranking": ranking,
            "segment": segment.to_numpy(dtype=np.int64)[ranking],
            "judge": pseudonyms(raw["judgeId"])[ranking],
            "system": systems[filled.ravel()].remove_unused_categories(),
            "rank": ranks[ranking, slot],
        }
    )


def _slots(raw: pd.DataFrame, origin: Origin) -> tuple[pd.Categorical, np.ndarray]:
    """Systems (flattened, row by row) and ranks (rows x 5) of every slot, checked."""
    ids, texts = raw[ID_COLUMNS].to_numpy(object), raw[RANK_COLUMNS].to_numpy(object)
    known = pd.Categorical(texts.ravel(), categories=VALID_RANKS).codes.reshape(texts.shape)
    if (row := _first((known < 0).any(axis=1))) is not None:
        slot = int(np.argmax(known[row] < 0))
        found = texts[row, slot]
        if not isinstance(found, str) or found == "":
            raise origin.refuse(row, f"{RANK_COLUMNS[slot]} is empty or the row is too short")
        raise origin.refuse(
            row, f"{RANK_COLUMNS[slot]} is {found!r}; expected 1-5, or -1 for blank"
        )
    ranks = np.array(VALID_RANKS, dtype=np.int8)[known]
    systems = pd.Categorical(ids.ravel())
    codes = systems.codes.reshape(ids.shape)
    empty = ids == EMPTY_SLOT
    if (row := _first((empty & (ranks != UNRANKED)).any(axis=1))) is not None:
        raise origin.refuse(row, "an empty slot ('blank') has a rank; expected -1")
    # Empty slots get distinct negative codes, so that only real systems can repeat in a row.
    ordered = np.sort(np.where(empty, -1 - np.arange(len(SLOTS)), codes), axis=1)
    if (row := _first((np.diff(ordered, axis=1) == 0).any(axis=1))) is not None:
        names = ids[row].tolist()
        twice = next(n for n in names if n != EMPTY_SLOT and names.count(n) > 1)
        raise origin.refuse(row, f"system {twice!r} stands twice in one ranking")
    return systems, ranks


def pseudonyms(identifiers: pd.Series, prefix: str = "judge") -> pd.Categorical:
    """Replace identifiers of people by `judge_001`, `judge_002`, ... in order of appearance."""
    codes, unique = pd.factorize(identifiers)
    names = [f"{prefix}_{k:03d}" for k in range(1, len(unique) + 1)]
    return pd.Categorical.from_codes(codes, categories=names)
