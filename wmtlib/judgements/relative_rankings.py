"""Relative rankings: the table of them, its checks, and the comparisons that rankings imply.

Every reader of rankings ends here. Bad input raises `DataError` with one line: which file, which
line, what was expected.
"""

import re

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from wmtlib.judgements import grouping
from wmtlib.judgements.counting import FIRST, SECOND, TIE
from wmtlib.judgements.errors import (
    DataError,
    Origin,
    check_values,
    first_row,
    require_columns,
    shown,
)

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


def is_rank(text: str) -> bool:
    """Whether a text is a rank: a whole number from 1, or `UNRANKED`."""
    return re.fullmatch(rf"0*[1-9][0-9]{{0,8}}|{UNRANKED}", text) is not None


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
        A missing column, a rank outside 1-5 and -1, a segment that is not a whole number, an empty
        name, an empty slot with a rank, one system twice in a ranking, or no row at all.
    """
    require_columns(list(raw.columns), WMT_COLUMNS, origin)
    if raw.empty:
        raise origin.refuse(None, "holds a header but no rankings")
    raw = raw[WMT_COLUMNS].astype("category")  # checks look at distinct values only
    check_values(raw, ["srclang", "trglang", "judgeId", *ID_COLUMNS], str.strip, "a name", origin)
    check_values(raw, ["srcIndex"], re.compile("[0-9]{1,9}").fullmatch, "a whole number", origin)
    check_values(raw, RANK_COLUMNS, VALID_RANKS.__contains__, "1-5, or -1 for blank", origin)
    language_pair = raw["srclang"].astype(object) + "," + raw["trglang"].astype(object)
    systems, ranks = _slots(raw, origin)
    filled = systems.codes >= 0
    ranking, slot = np.nonzero(filled.reshape(ranks.shape))
    ranking = ranking.astype(np.int32)
    return pd.DataFrame(
        {
            "task": pd.Categorical(language_pair)[ranking],
            "ranking": ranking,
            "segment": _integers(raw["srcIndex"], np.int32)[ranking],
            "judge": pseudonyms(raw["judgeId"])[ranking],
            "system": systems[filled],
            "rank": ranks[ranking, slot],
        }
    )


def comparisons(rankings: pd.DataFrame) -> pd.DataFrame:
    """All pairwise comparisons that rankings imply (Lopez 2012, section 2 and Figure 1).

    A ranking of k ranked outputs gives k(k-1)/2 comparisons; outputs whose rank was left blank
    give none. Every ranking counts, the repeated ones too.

    Parameters
    ----------
    rankings : DataFrame
        Columns `relative_rankings.RANKINGS`; rows of one ranking stand together.

    Returns
    -------
    DataFrame
        Columns `relative_rankings.COMPARISONS`, a comparisons frame.

    Raises
    ------
    DataError
        The rows of a ranking are scattered, or two rankings share a number.

    Examples
    --------
    >>> ranked = pd.DataFrame({"system": ["x", "y", "z"], "rank": [1, 2, 2]}, dtype="object")
    >>> ranked = ranked.assign(task="t", ranking=1, segment=1, judge="j").infer_objects()
    >>> comparisons(ranked)[["system_1", "system_2", "preference"]].to_numpy().tolist()
    [['x', 'y', 1], ['x', 'z', 1], ['y', 'z', 0]]
    """
    ranked = rankings[rankings["rank"] != UNRANKED]
    ranking = ranked["ranking"].to_numpy()
    start = np.flatnonzero(np.diff(ranking, prepend=ranking[:1] - 1))  # first row of each ranking
    if not (number := pd.Series(ranking[start])).is_unique:
        twice = number[number.duplicated()].iloc[0]
        raise DataError(
            f"ranking {twice}: its rows are scattered, or two rankings share that number"
        )
    size = np.diff(start, append=len(ranked))
    row = np.arange(len(ranked))
    later = np.repeat(start + size, size) - row - 1  # rows of the same ranking below each row
    # Row k is first in `later[k]` pairs; the seconds are the rows k + 1, k + 2, ...
    first = np.repeat(row, later)
    second = first + 1 + grouping.positions(later)
    rank, system = ranked["rank"].to_numpy(), ranked["system"].array
    sign = np.sign(rank[second] - rank[first])  # +1: the first has the lower, better rank
    return pd.DataFrame(
        {
            **{c: ranked[c].array[first] for c in ("task", "ranking", "segment", "judge")},
            "system_1": system[first],
            "system_2": system[second],
            "preference": np.array([TIE, FIRST, SECOND], dtype=np.int8)[sign],  # [-1] is SECOND
        },
        copy=False,
    )


def _integers(column: pd.Series, dtype: type) -> np.ndarray:
    """Categories of digits as numbers."""
    return column.cat.categories.to_numpy().astype(dtype)[column.cat.codes]


def _slots(raw: pd.DataFrame, origin: Origin) -> tuple[pd.Categorical, np.ndarray]:
    """Systems (flattened, row by row; missing = empty slot) and ranks (rows x 5), checked."""
    ranks = np.column_stack([_integers(raw[c], np.int8) for c in RANK_COLUMNS])
    by_slot = union_categoricals([raw[c] for c in ID_COLUMNS], sort_categories=True)
    by_slot = by_slot.set_categories([c for c in by_slot.categories if c != EMPTY_SLOT])
    codes = by_slot.codes.reshape(len(SLOTS), -1).T
    if (row := first_row(((codes < 0) & (ranks != UNRANKED)).any(axis=1))) is not None:
        raise origin.refuse(row, f"an empty slot ({EMPTY_SLOT!r}) has a rank; expected -1")
    # Empty slots get distinct negative codes, so that only real systems can repeat in a row.
    ordered = np.sort(np.where(codes < 0, -1 - np.arange(len(SLOTS)), codes), axis=1)
    if (row := first_row((np.diff(ordered, axis=1) == 0).any(axis=1))) is not None:
        names = raw[ID_COLUMNS].iloc[row].tolist()
        twice = next(n for n in names if n != EMPTY_SLOT and names.count(n) > 1)
        fault = f"system {shown(twice)} stands twice in one ranking; expected different systems"
        raise origin.refuse(row, fault)
    return pd.Categorical.from_codes(codes.ravel(), dtype=by_slot.dtype), ranks


def pseudonyms(identifiers: pd.Series, prefix: str = "judge") -> pd.Categorical:
    """Replace identifiers of people by `judge_001`, `judge_002`, ... in order of appearance."""
    codes, unique = pd.factorize(identifiers)
    names = [f"{prefix}_{k:03d}" for k in range(1, len(unique) + 1)]
    return pd.Categorical.from_codes(codes, categories=names)
