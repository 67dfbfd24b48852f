"""WMT's ranking format of 2010 to 2016: one row is one ranking of up to five outputs.

Columns system1Id ... system5Id name the outputs in the order of the screen, and
system1rank ... system5rank their ranks.
"""

import re

import numpy as np
import pandas as pd

from wmtlib.counts import UNRANKED
from wmtlib.errors import Origin, check_values, first_row, shown

EMPTY_SLOT = "blank"  # fills the slots of a ranking of fewer than five outputs
ID_COLUMNS = [f"system{k}Id" for k in range(1, 6)]
RANK_COLUMNS = [f"system{k}rank" for k in range(1, 6)]
WMT_COLUMNS = ["srclang", "trglang", "srcIndex", "judgeId", *ID_COLUMNS, *RANK_COLUMNS]


def tidy_rankings(raw: pd.DataFrame, origin: Origin) -> pd.DataFrame:
    """From the WMT ranking format, one row per ranking, to one row per ranked output.

    Parameters
    ----------
    raw : DataFrame
        Columns `WMT_COLUMNS`, text or categories of text, others ignored; one row = one
        ranking of up to five outputs.
    origin : Origin
        Named in every refusal.

    Returns
    -------
    DataFrame
        Columns `RANKINGS`: task ("source,target" language), ranking (row number in the
        file), segment (1-based index in the test set), judge (pseudonym), system, rank
        (1 = best ... 5; `UNRANKED` where the judge left it blank). Empty slots are
        gone; rows keep the order of the file and, within a ranking, of the screen.

    Raises
    ------
    DataError
        A rank outside 1-5 and -1, a segment that is not a whole number, an empty name,
        an empty slot with a rank, or one system twice in a ranking.
    """
    raw = raw[WMT_COLUMNS].astype("category")  # checks look at distinct values only
    named = ["srclang", "trglang", "judgeId", *ID_COLUMNS]
    is_number = re.compile("[0-9]{1,9}").fullmatch
    is_rank = re.compile(f"[1-5]|{UNRANKED}").fullmatch
    check_values(raw, named, str.strip, "a name", origin)
    check_values(raw, ["srcIndex"], is_number, "a whole number", origin)
    check_values(raw, RANK_COLUMNS, is_rank, "1-5, or -1 for blank", origin)
    ranks = raw[RANK_COLUMNS].astype(np.int8).to_numpy()
    outputs = raw[ID_COLUMNS].to_numpy(object)
    empty = outputs == EMPTY_SLOT
    row = first_row((empty & (ranks != UNRANKED)).any(axis=1))
    if row is not None:
        raise origin.refuse(
            f"an empty slot ({EMPTY_SLOT!r}) has a rank; expected -1", row=row
        )
    ranking, slot = np.nonzero(~empty)
    task = raw["srclang"].astype(object) + "," + raw["trglang"].astype(object)
    rankings = pd.DataFrame(
        {
            "task": pd.Categorical(task)[ranking],
            "ranking": ranking.astype(np.int32),
            "segment": raw["srcIndex"].astype(np.int32).array[ranking],
            "judge": pseudonyms(raw["judgeId"])[ranking],
            "system": pd.Categorical(outputs[ranking, slot]),
            "rank": ranks[ranking, slot],
        }
    )
    row = first_row(rankings.duplicated(["ranking", "system"]).to_numpy())
    if row is not None:
        fault = f"system {shown(rankings['system'][row])} stands twice in one ranking"
        raise origin.refuse(
            f"{fault}; expected different systems", row=int(ranking[row])
        )
    return rankings


def pseudonyms(identifiers: pd.Series, prefix: str = "judge") -> pd.Categorical:
    """Replace identifiers of people, sorted, by `judge_001`, `judge_002`, ..."""
    codes, unique = pd.factorize(identifiers, sort=True)
    names = [f"{prefix}_{k:03d}" for k in range(1, len(unique) + 1)]
    return pd.Categorical.from_codes(codes, categories=names)
