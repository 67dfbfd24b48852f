"""Rankings, a row for each ranked output or for each ranking, as comparisons."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from wmtlib import counts
from wmtlib.counts import RANKINGS, UNRANKED
from wmtlib.errors import Origin, first_row, shown
from wmtlib.intake import of_repeats
from wmtlib.yours.reading import exports, wmt_format
from wmtlib.yours.reading.cells import (
    of_task,
    select_rows,
    split_joint_names,
    whole_numbers,
)
from wmtlib.yours.reading.columns import SCREENS, UNITS, Options
from wmtlib.yours.reading.grouping import count_comparisons
from wmtlib.yours.reading.judgements import Judgements, of_comparisons
from wmtlib.yours.reading.tables import Table, as_text


def read_rankings(table: Table, options: Options, task: str | None) -> Judgements:
    """The comparisons that the rankings of one task imply."""
    frame, warnings = select_rows(table, options)
    frame, joint_names = split_joint_names(frame)
    origin = table.origin.take(frame["place"])
    if table.layout == SCREENS:
        told_apart = [role for role in ("task", "segment", "judge") if role in frame]
        frame["ranking"] = as_text(frame.groupby(told_apart, observed=True).ngroup())
    is_wmt = "srclang" in table.used  # a row is a ranking
    people: Mapping[str, str] = {}
    if is_wmt:
        rankings = wmt_format.tidy_rankings(frame, origin)
        source = frame["srclang"].astype(object)
        frame["task"] = source + "," + frame["trglang"].astype(object)
    else:
        rankings = _tidy_rankings(frame, origin)
        if "judge" in table.used and table.form != exports.XML:  # which is WMT's own
            judges = frame["judge"][rankings.index]
            people = dict(zip(rankings["judge"], judges, strict=True))
    task, frame = of_task(frame, task, origin)
    if is_wmt:
        same = "judge, segment, systems and ranks"
        repeats = int(frame[[*table.used]].duplicated().sum())
        warnings += of_repeats(repeats, len(frame), "rankings", same)
    rankings = rankings[(rankings["task"] == task).to_numpy()]
    is_ranked = rankings["rank"] != UNRANKED
    if not rankings.loc[is_ranked, "ranking"].duplicated().any():
        raise origin.refuse("holds no ranking of two systems; expected some")
    units = [unit for unit in UNITS["rankings"] if is_wmt or unit in frame]
    systems = sorted(rankings["system"].unique())
    comparisons = count_comparisons(counts.comparisons(rankings), units, systems)
    return of_comparisons(
        comparisons,
        path=table.path,
        sha256=table.sha256,
        kind="rankings",
        rows=int(frame["n"].sum()),
        task=task,
        people=people,
        warnings=(*warnings, *joint_names),
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
    if (row := first_row(frame[["ranking", "system"]].duplicated())) is not None:
        fault = f"system {shown(frame['system'][row])} stands twice in one ranking"
        raise origin.refuse(f"{fault}; expected different systems", row=row)
    frame = frame.assign(ranking=ranking, rank=whole_numbers(frame["rank"]))
    frame = frame.reindex(columns=RANKINGS, fill_value="")
    frame = frame.sort_values("ranking", kind="stable")
    return frame.assign(judge=wmt_format.pseudonyms(frame["judge"]))
