"""Rankings, a row for each ranked output or for each ranking, as comparisons.

In WMT's ranking format of 2010 to 2016 one row is one ranking of up to five outputs.
Columns system1Id ... system5Id name the outputs in the order of the screen, and
system1rank ... system5rank their ranks.
"""

import re

import numpy as np
import pandas as pd

from wmtlib import counts
from wmtlib.counts import RANKINGS, UNRANKED
from wmtlib.errors import Origin, check_values, first_row, shown
from wmtlib.remarks import of_repeats
from wmtlib.yours.reading.cells import (
    of_task,
    select_rows,
    split_joint_names,
    whole_numbers,
)
from wmtlib.yours.reading.columns import (
    ID_COLUMNS,
    RANK_COLUMNS,
    UNITS,
    WMT,
    WMT_COLUMNS,
    Options,
)
from wmtlib.yours.reading.judgements import (
    Judgements,
    count_comparisons,
    of_comparisons,
)
from wmtlib.yours.reading.tables import Table, as_text

EMPTY_SLOT = "blank"  # fills the slots of a ranking of fewer than five outputs


def read_rankings(table: Table, options: Options, task: str | None) -> Judgements:
    """The comparisons that the rankings of one task imply."""
    frame, warnings = select_rows(table, options)
    frame, about_names = split_joint_names(frame, options, table.origin)
    origin = table.origin.take(frame["place"])
    if table.layout == "screens":
        told_apart = [role for role in ("task", "segment", "judge") if role in frame]
        frame["ranking"] = as_text(frame.groupby(told_apart, observed=True).ngroup())
    is_wmt = table.layout == WMT.name  # a row is a ranking
    people = {}
    if is_wmt:
        rankings = tidy_rankings(frame, origin)
        source = frame["srclang"].astype(object)
        frame["task"] = source + "," + frame["trglang"].astype(object)
    else:
        rankings = _tidy_rankings(frame, origin)
        if "judge" in frame:
            judges = frame["judge"][rankings.index]
            people = dict(zip(rankings["judge"], judges, strict=True))
    task, frame = of_task(frame, task, origin)
    if is_wmt:
        same = "judge, segment, systems and ranks"
        repeats = int(frame[WMT_COLUMNS].duplicated().sum())
        warnings += of_repeats(repeats, len(frame), "rankings", same)
    rankings = rankings[(rankings["task"] == task).to_numpy()]
    is_ranked = rankings["rank"] != UNRANKED
    if not rankings.loc[is_ranked, "ranking"].duplicated().any():
        raise origin.refuse("holds no ranking of two systems; expected some")
    comparisons = count_comparisons(
        counts.comparisons(rankings),
        [unit for unit in UNITS["rankings"] if is_wmt or unit in frame],
        sorted(rankings["system"].unique()),
    )
    return of_comparisons(
        comparisons,
        kind="rankings",
        rows=int(frame["n"].sum()),
        task=task,
        people=people,
        warnings=(*warnings, *about_names),
    )


def _tidy_rankings(frame: pd.DataFrame, origin: Origin) -> pd.DataFrame:
    """From a row for each ranked output, in any order, to `RANKINGS`."""
    ranking = frame["ranking"].cat.codes.to_numpy()  # in order of appearance
    first_rows = np.unique(ranking, return_index=True)[1]
    for role in ("judge", "segment", "task"):
        if role not in frame:
            continue
        value = frame[role].cat.codes.to_numpy()
        if (row := first_row(value != value[first_rows][ranking])) is not None:
            raise origin.refuse(
                f"ranking {shown(frame['ranking'][row])} has a second {role};"
                " expected one, or other names for the rankings",
                row=row,
            )
    _refuse_twice(frame, origin)
    frame = frame.assign(ranking=ranking, rank=whole_numbers(frame["rank"]))
    frame = frame.reindex(columns=RANKINGS, fill_value="")
    frame = frame.sort_values("ranking", kind="stable")
    return frame.assign(judge=pseudonyms(frame["judge"]))


# --- WMT's format ---------------------------------------------------------------------


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
    _refuse_twice(rankings, origin.take(ranking.tolist()))
    return rankings


def _refuse_twice(rankings: pd.DataFrame, origin: Origin) -> None:
    """Refuse one system twice in a ranking."""
    row = first_row(rankings.duplicated(["ranking", "system"]))
    if row is not None:
        fault = f"system {shown(rankings['system'][row])} stands twice in one ranking"
        raise origin.refuse(f"{fault}; expected different systems", row=row)


def pseudonyms(identifiers: pd.Series, prefix: str = "judge") -> pd.Categorical:
    """Replace identifiers of people, sorted, by `judge_001`, `judge_002`, ..."""
    codes, unique = pd.factorize(identifiers, sort=True)
    names = [f"{prefix}_{k:03d}" for k in range(1, len(unique) + 1)]
    return pd.Categorical.from_codes(codes, categories=names)
