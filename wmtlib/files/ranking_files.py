"""Rankings of a user's file, in WMT's format or one row for each ranked output."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from wmtlib import counts as relative_rankings
from wmtlib.counts import RANKINGS, UNRANKED
from wmtlib.errors import Origin, shown
from wmtlib.files import remarks
from wmtlib.files.cell_checks import column, require_cells
from wmtlib.files.column_names import UNITS
from wmtlib.files.column_roles import choose
from wmtlib.files.tables import Table
from wmtlib.files.user_judgements import Judgements, counted_by
from wmtlib.files.xml_tables import XmlTable


def read_rankings(table: Table, used: Mapping[str, str], task: str | None) -> Judgements:
    """The comparisons that the rankings of one task imply."""
    frame, rows = table.frame(used)
    if is_wmt := "srclang" in used:
        rankings = relative_rankings.tidy_rankings(frame, rows)
        task_of_row, people = frame["srclang"] + "," + frame["trglang"], {}
    else:
        rankings, people = _from_long(frame, rows, used)
        task_of_row = column(frame, "task")
    chosen = choose(sorted(set(task_of_row)), task, rows)
    warnings: list[str] = []
    if is_wmt:  # a row is a ranking
        taken = frame[(task_of_row == chosen).to_numpy()]
        repeats = int(taken.duplicated().sum())
        same = "judge, segment, systems and ranks"
        warnings = remarks.of_repeats(repeats, len(taken), "rankings", same)
    rankings = rankings[(rankings["task"] == chosen).to_numpy()].reset_index(drop=True)
    systems = tuple(sorted(set(rankings["system"])))
    if len(systems) < 2:
        message = f"holds one system, {shown(systems[0])}" if systems else "holds no system"
        raise rows.refuse(None, f"{message}; expected two or more")
    if not rankings.loc[rankings["rank"] != UNRANKED, "ranking"].duplicated().any():
        raise rows.refuse(None, "holds no ranking of two systems; expected some")
    units = tuple(unit for unit in UNITS["rankings"] if is_wmt or unit in used)
    return Judgements(
        path=table.files.path,
        kind="rankings",
        rows=int((task_of_row == chosen).sum()),
        systems=systems,
        units=units,
        task=chosen,
        sha256=table.files.sha256(),
        comparisons=count_comparisons(relative_rankings.comparisons(rankings), systems, units),
        warnings=tuple(warnings),
        people={} if isinstance(table, XmlTable) else people,  # WMT's own files
    )


def count_comparisons(
    frame: pd.DataFrame, systems: Sequence[str], units: Sequence[str]
) -> pd.DataFrame:
    """A comparisons frame of categories, counted by pair and units in order of appearance."""
    frame = frame.copy()
    for name in ("system_1", "system_2"):
        frame[name] = frame[name].cat.set_categories(systems)
    for unit in units:
        codes, labels = pd.factorize(frame[unit].astype(object))
        frame[unit] = pd.Categorical.from_codes(codes, categories=labels)
    return counted_by(frame, units)


def _from_long(
    frame: pd.DataFrame, rows: Origin, used: Mapping[str, str]
) -> tuple[pd.DataFrame, dict[str, str]]:
    """From one row for each ranked output, in any order, to `RANKINGS`; who the judges are."""
    require_cells(frame, rows, used)
    number = pd.factorize(frame["ranking"])[0]
    first = np.unique(number, return_index=True)[1]  # the first row of each ranking
    for name in ("judge", "segment", "task"):
        code = pd.factorize(column(frame, name))[0]
        if (bad := code != code[first][number]).any():
            row = int(np.argmax(bad))
            message = f"ranking {shown(frame['ranking'].iloc[row])} has a second {name}"
            raise rows.refuse(row, f"{message}; expected one, or other names for the rankings")
    if (twice := frame[["ranking", "system"]].duplicated().to_numpy()).any():
        row = int(np.argmax(twice))
        message = f"system {shown(frame['system'].iloc[row])} stands twice in one ranking"
        raise rows.refuse(row, f"{message}; expected different systems")
    order = np.argsort(number, kind="stable")
    frame = frame.iloc[order]
    judge = relative_rankings.pseudonyms(column(frame, "judge"))
    tidy = pd.DataFrame(
        {
            "task": pd.Categorical(column(frame, "task")),
            "ranking": number[order].astype(np.int32),
            "segment": pd.Categorical(column(frame, "segment")),
            "judge": judge,
            "system": pd.Categorical(frame["system"], categories=sorted(set(frame["system"]))),
            "rank": frame["rank"].astype(np.int32).to_numpy(),
        }
    )
    people = dict(zip(judge, frame["judge"], strict=True)) if "judge" in used else {}
    return tidy[RANKINGS], people
