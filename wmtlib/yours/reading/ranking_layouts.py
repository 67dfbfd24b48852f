"""Rankings, a row for each ranked output or for each ranking, as comparisons."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from wmtlib import counts
from wmtlib.counts import RANKINGS, UNRANKED
from wmtlib.errors import Origin, first_row, shown
from wmtlib.remarks import of_repeats
from wmtlib.yours.reading import exports, wmt_format
from wmtlib.yours.reading.cells import (
    check_cells,
    of_task,
    select_rows,
    split_joint_names,
    whole_numbers,
)
from wmtlib.yours.reading.columns import UNITS, Options
from wmtlib.yours.reading.grouping import count_comparisons
from wmtlib.yours.reading.judgements import Judgements, of_comparisons
from wmtlib.yours.reading.tables import Table


def read_rankings(
    table: Table,
    layout: str,
    used: Mapping[str, str],
    options: Options,
    task: str | None,
) -> Judgements:
    """The comparisons that the rankings of one task imply."""
    frame, warnings = select_rows(table, used, options)
    frame, joint_names = split_joint_names(frame)
    origin = table.origin.take(frame["place"])
    is_wmt = "srclang" in used  # a row is a ranking
    if is_wmt:
        rankings = wmt_format.tidy_rankings(frame, origin)
        source = frame["srclang"].astype(object)
        frame["task"] = source + "," + frame["trglang"].astype(object)
        people: dict[str, str] = {}
    else:
        rankings, people = _tidy_rankings(frame, used, origin)
    task, frame = of_task(frame, task, origin)
    if is_wmt:
        same = "judge, segment, systems and ranks"
        repeats = int(frame[[*used]].duplicated().sum())
        warnings += of_repeats(repeats, len(frame), "rankings", same)
    rankings = rankings[(rankings["task"] == task).to_numpy()]
    is_ranked = rankings["rank"] != UNRANKED
    if not rankings.loc[is_ranked, "ranking"].duplicated().any():
        raise origin.refuse(None, "holds no ranking of two systems; expected some")
    units = [unit for unit in UNITS["rankings"] if is_wmt or unit in used]
    systems = sorted(rankings["system"].unique())
    comparisons = count_comparisons(counts.comparisons(rankings), units, systems)
    judgements = of_comparisons(
        comparisons,
        path=table.path,
        sha256=table.sha256,
        kind="rankings",
        rows=int(frame["n"].sum()),
        task=task,
        # The XML is WMT's own.
        people={} if table.form == exports.XML else people,
    )
    return replace(judgements, warnings=(*warnings, *joint_names))


def _tidy_rankings(
    frame: pd.DataFrame, used: Mapping[str, str], origin: Origin
) -> tuple[pd.DataFrame, dict[str, str]]:
    """From a row for each ranked output, in any order, to `RANKINGS`; the judges."""
    roles = [role for role in used if role in frame]
    check_cells(frame.assign(place=range(len(frame))), roles, used, origin)
    ranking = frame["ranking"].cat.codes.to_numpy()  # in order of appearance
    first_rows = np.unique(ranking, return_index=True)[1]
    for role in ("judge", "segment", "task"):
        if role not in roles:
            continue
        value = frame[role].cat.codes.to_numpy()
        if (row := first_row(value != value[first_rows][ranking])) is not None:
            fault = f"ranking {shown(frame['ranking'].iloc[row])} has a second {role}"
            expected = "expected one, or other names for the rankings"
            raise origin.refuse(row, f"{fault}; {expected}")
    if (row := first_row(frame[["ranking", "system"]].duplicated())) is not None:
        system = shown(frame["system"].iloc[row])
        fault = f"system {system} stands twice in one ranking"
        raise origin.refuse(row, f"{fault}; expected different systems")
    frame = frame.assign(ranking=ranking, rank=whole_numbers(frame["rank"]))
    frame = frame.reindex(columns=RANKINGS, fill_value="")
    frame = frame.sort_values("ranking", kind="stable")
    judge = wmt_format.pseudonyms(frame["judge"])
    people = dict(zip(judge, frame["judge"], strict=True)) if "judge" in used else {}
    return frame.assign(judge=judge), people
