"""A user's own judgements: rankings, pairwise comparisons or direct assessments, in any usual file.

`read` recognises the kind of judgement by the header (`column_roles.ALIASES` and
`column_roles.PAIRS` are what columns may be called) and the format by the content: CSV, TSV, JSON
lines or Parquet, plain or gzipped, or a folder of Parquet files. Outcomes of comparisons are
written in one of the ways of `comparison_files.VOCABULARIES` throughout a file.

Nothing is guessed: what is not understood is refused with one line that says where it stands.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.files import column_roles, comparison_files, formats, opening
from wmtlib.files.column_roles import UNITS, called, choose, fault_of_name
from wmtlib.files.formats import Rows, Table
from wmtlib.files.opening import shown
from wmtlib.judgements import counting, direct_assessments, relative_rankings
from wmtlib.judgements.counting import Counts
from wmtlib.judgements.direct_assessments import (
    HIGHEST_SCORE,
    JOINT,
    LOWEST_SCORE,
    single_systems,
    system_names,
)
from wmtlib.judgements.errors import Origin
from wmtlib.judgements.relative_rankings import RANKINGS, UNRANKED
from wmtlib.releases import released_judgements

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
TRUTH = {"true": True, "false": False, "1": True, "0": False}
FORMULA = tuple("=+-@\t\r\n＝＋－＠")


@dataclass(frozen=True)
class Judgements:
    """Judgements of one task, read and checked.

    Attributes
    ----------
    path : str
        As given.
    kind : "rankings", "pairwise" or "assessments"
    rows : int
        Rows of the file that are of this task; all of them if the file holds one task.
    systems : tuple of names, sorted
    units : tuple of str
        What can be resampled: of judge, segment and ranking those that the file tells apart; for
        assessments of worker, segment, document and hit.
    task : str
        "" if the file does not name its task.
    sha256 : str
        Of the bytes of the file; of several files, of their sorted and joined hashes.
    assessments : DataFrame or None
        `direct_assessments.ASSESSMENTS`.
    rankings : DataFrame or None
        `relative_rankings.RANKINGS`.
    """

    path: str
    kind: str
    rows: int
    systems: tuple[str, ...]
    units: tuple[str, ...]
    task: str
    sha256: str
    assessments: pd.DataFrame | None = field(default=None, repr=False, compare=False)
    rankings: pd.DataFrame | None = field(default=None, repr=False, compare=False)
    _comparisons: pd.DataFrame | None = field(default=None, repr=False, compare=False)
    _columns: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    _meaning: Mapping[str, int] = field(default_factory=dict, repr=False, compare=False)
    _stamps: tuple[Any, ...] = field(default=(), repr=False, compare=False)

    def comparisons(self, units: Sequence[str] = ()) -> pd.DataFrame:
        """How often each preference occurred for each pair of systems, as the file shows them.

        Parameters
        ----------
        units : sequence of str
            Of `self.units`; what to count apart.

        Returns
        -------
        DataFrame
            A comparisons frame (see `judgements.counting`): system_1, system_2, preference, the
            units asked for and count. Systems and units are categories; judges are pseudonyms
            numbered by first appearance. Sorted by system_1, system_2, preference (ties last) and
            units in order of their first appearance. The comparisons of a with b and of b with a
            are counted apart even without units: which one was shown first may matter.

        Raises
        ------
        DataError
            The file is of assessments, does not have a unit, or was changed since it was read.
        """
        origin = Origin(opening.shown_path(self.path))
        if self.kind == "assessments":
            raise origin.refuse(None, "holds assessments; expected comparisons or rankings")
        units = (units,) if isinstance(units, str) else tuple(dict.fromkeys(units))
        if unknown := [u for u in units if u not in self.units]:
            has = f"expected some of {', '.join(self.units)}" if self.units else "it has no units"
            raise origin.refuse(None, f"no unit {shown(unknown[0])}; {has}")
        if self.rankings is not None:
            return comparison_files.of_rankings(self.rankings, units)
        if not units:
            return self._comparisons.copy()
        with formats.opened(self.path) as table:
            if table.files.stamps == self._stamps:
                found = comparison_files.recount(
                    table, self._columns, self.task, self._meaning, units
                )
                if int(found["count"].sum()) == self.rows:
                    return found
            raise origin.refuse(None, "was changed since it was read")

    def counts(self) -> Counts:
        """Wins and ties of every pair of systems.

        Raises
        ------
        DataError
            The file is of assessments.
        """
        return counting.counts(self.comparisons(), self.systems)


def read(
    path: str | Path,
    *,
    kind: str | None = None,
    columns: Mapping[str, str | None] | None = None,
    task: str | None = None,
) -> Judgements:
    """Read, check and, if they are comparisons, count the judgements of one task.

    Parameters
    ----------
    path : str or Path
        A file in CSV, TSV, JSON lines or Parquet, plain or gzipped; a folder of Parquet files, or
        a pattern (`part-*.parquet`) of their names.
    kind : "rankings", "pairwise" or "assessments", optional
        Recognised by the header if not given.
    columns : mapping from role to column, optional
        What the columns are called, where the names are not those that the module knows;
        None for a role that is to be ignored.
    task : str, optional
        Which of the file's tasks; needed if there are several.

    Returns
    -------
    Judgements

    Raises
    ------
    DataError
        One line that names the file, the line or row, and what was expected.
    """
    with formats.opened(path) as table:
        if _is_released(table, kind, columns):
            kind, parts = "assessments", _released(table, task)
        else:
            kind, used = column_roles.layout(table.header, kind, columns or {}, table.files.origin)
            find = {"pairwise": _pairwise, "rankings": _rankings, "assessments": _assessments}
            parts = find[kind](table, used, task)
        sha256 = table.files.sha256()
        if table.files.stamps != table.files.stamps_now():
            raise table.files.origin.refuse(None, "was changed while it was read")
        return Judgements(path=os.fspath(path), kind=kind, sha256=sha256, **parts)


def safe_cell(value: Any) -> Any:
    """A value fit for a cell of a CSV file: text that a spreadsheet would compute is made text.

    >>> safe_cell("=cmd()"), safe_cell("online-A"), safe_cell(-1)
    ("'=cmd()", 'online-A', -1)
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _pairwise(table: Table, used: Mapping[str, str], task: str | None) -> dict[str, Any]:
    """Comparisons, counted."""
    chosen, meaning, comparisons = comparison_files.count(table, used, task)
    return {
        "rows": int(comparisons["count"].sum()),
        "systems": tuple(comparisons["system_1"].cat.categories),
        "units": tuple(u for u in UNITS["pairwise"] if u in used),
        "task": chosen,
        "_comparisons": comparisons,
        "_columns": used,
        "_meaning": meaning,
        "_stamps": table.files.stamps,
    }


# --- rankings ----------------------------------------------------------------------------------


def _frame(table: Table, used: Mapping[str, str]) -> tuple[pd.DataFrame, Rows]:
    """All rows of a table, of which there are some."""
    frame, where = table.frame(used)
    if len(frame) != table.total():
        what = f"{len(frame)} rows read of {table.total()}; the file is damaged"
        raise where.refuse(None, what)
    if frame.empty:
        raise where.refuse(None, "holds a header but no judgements")
    return frame, where


def _rankings(table: Table, used: Mapping[str, str], task: str | None) -> dict[str, Any]:
    """Rankings in WMT's format or one row per ranked output, as `relative_rankings.RANKINGS`."""
    frame, where = _frame(table, used)
    if wmt := "srclang" in used:
        rankings = relative_rankings.tidy_rankings(frame, where)
        of_task = frame["srclang"] + "," + frame["trglang"]
    else:
        rankings = _long_rankings(frame, where, used)
        of_task = _column(frame, "task")
    chosen = choose(sorted(set(of_task)), task, where)
    rankings = rankings[(rankings["task"] == chosen).to_numpy()].reset_index(drop=True)
    rankings["system"] = rankings["system"].cat.remove_unused_categories()
    systems = tuple(sorted(set(rankings["system"])))
    if len(systems) < 2:
        what = f"holds one system, {shown(systems[0])}" if systems else "holds no system"
        raise where.refuse(None, f"{what}; expected two or more")
    if not rankings.loc[rankings["rank"] != UNRANKED, "ranking"].duplicated().any():
        raise where.refuse(None, "holds no ranking of two systems; expected some")
    return {
        "rows": int((of_task == chosen).sum()),
        "systems": systems,
        "units": tuple(u for u in UNITS["rankings"] if wmt or u in used),
        "task": chosen,
        "rankings": rankings,
    }


def _column(frame: pd.DataFrame, role: str, default: str = "") -> pd.Series:
    """A column, or the same value in every row if the file does not have it."""
    return frame[role] if role in frame else pd.Series(default, frame.index)


def _long_rankings(frame: pd.DataFrame, where: Origin, used: Mapping[str, str]) -> pd.DataFrame:
    """From one row per ranked output, in any order, to `relative_rankings.RANKINGS`."""
    _require(frame, where, used, {"rank": _fault_of_rank})
    number = pd.factorize(frame["ranking"])[0]
    for name in ("judge", "segment", "task"):
        code = pd.factorize(_column(frame, name))[0]
        start = np.unique(number, return_index=True)[1]
        if (bad := code != code[start][number]).any():
            row = int(np.argmax(bad))
            what = f"ranking {shown(frame['ranking'].iloc[row])} has a second {name}"
            raise where.refuse(row, f"{what}; expected one, or other names for the rankings")
    if (twice := frame[["ranking", "system"]].duplicated().to_numpy()).any():
        row = int(np.argmax(twice))
        what = f"system {shown(frame['system'].iloc[row])} stands twice in one ranking"
        raise where.refuse(row, f"{what}; expected different systems")
    order = np.argsort(number, kind="stable")
    frame = frame.iloc[order]
    judge = _column(frame, "judge")
    tidy = pd.DataFrame(
        {
            "task": pd.Categorical(_column(frame, "task")),
            "ranking": number[order].astype(np.int32),
            "segment": pd.Categorical(_column(frame, "segment")),
            "judge": relative_rankings.pseudonyms(judge)
            if "judge" in frame
            else pd.Categorical(judge),
            "system": pd.Categorical(frame["system"], categories=sorted(set(frame["system"]))),
            "rank": frame["rank"].astype(np.int32).to_numpy(),
        }
    )
    return tidy[RANKINGS]


def _require(
    frame: pd.DataFrame,
    where: Origin,
    used: Mapping[str, str],
    faults: Mapping[str, Callable[[str], str]],
) -> None:
    """Refuse the first value with a fault; missing ones count as empty."""
    faults = {"system": fault_of_name, "task": fault_of_name, **faults}
    for role in used:
        fault = faults.get(role, _blank)
        codes, values = pd.factorize(frame[role], use_na_sentinel=False)
        for k, value in enumerate(values):
            found = value if isinstance(value, str) else ""
            if why := fault(found):
                row = int(np.argmax(codes == k))
                raise where.refuse(row, f"{called(role, used)} is {shown(found)}; {why}")


def _blank(value: str) -> str:
    return "" if value.strip() else "expected a name"


def _fault_of_rank(value: str) -> str:
    fine = re.fullmatch("0*[1-9][0-9]{0,8}|-1", value)
    return "" if fine else f"expected a whole number from 1, or {UNRANKED} for no rank"


def _fault_of_score(value: str) -> str:
    fine = len(value) <= 50 and NUMBER.fullmatch(value)
    if fine and LOWEST_SCORE <= float(value) <= HIGHEST_SCORE:
        return ""
    return f"expected a number from {LOWEST_SCORE} to {HIGHEST_SCORE}, with a decimal point"


def _fault_of_accepted(value: str) -> str:
    return "" if value.casefold() in TRUTH else "expected true, false, 1 or 0"


# --- assessments -------------------------------------------------------------------------------


def _assessments(table: Table, used: Mapping[str, str], task: str | None) -> dict[str, Any]:
    """From a tidy file to `direct_assessments.ASSESSMENTS`."""
    frame, where = _frame(table, used)
    _require(frame, where, used, {"score": _fault_of_score, "accepted": _fault_of_accepted})
    of_task = _column(frame, "task")
    chosen = choose(sorted(set(of_task)), task, where)
    rows = np.flatnonzero(of_task == chosen)
    frame, where = frame.iloc[rows].reset_index(drop=True), where.take(rows)
    # Where the file names no language pair the frame needs one: a name to be taken out again.
    full = pd.DataFrame(
        {
            "hit": _column(frame, "hit"),
            "worker": frame["worker"],
            "language_pair": chosen or "-",
            "system": frame["system"],
            "item": _column(frame, "item", "SYSTEM"),
            "document": _column(frame, "document"),
            "segment": frame["segment"],
            "score": frame["score"].astype(np.float64),
            "accepted": _column(frame, "accepted", "1").str.casefold().map(TRUTH).astype(bool),
        }
    )
    _require_parts(full, where)
    tidy = direct_assessments.tidy_assessments(full, where)
    tidy["language_pair"] = tidy["language_pair"].cat.rename_categories([chosen])
    return _of_assessments(tidy, chosen, [u for u in UNITS["assessments"] if u in used])


def _of_assessments(tidy: pd.DataFrame, task: str, units: Sequence[str]) -> dict[str, Any]:
    """What is told of assessments; systems in joint names count too."""
    return {
        "rows": len(tidy),
        "systems": tuple(system_names(tidy["system"].unique())),
        "units": tuple(units),
        "task": task,
        "assessments": tidy,
    }


def _require_parts(frame: pd.DataFrame, where: Origin) -> None:
    """Refuse a joint name of something that is no system of the file.

    `A+B` stands for identical outputs of A and B; a system called `base+tuned` would be taken for
    two.
    """
    names = set(frame["system"])
    for name in sorted(names):
        if odd := [part for part in single_systems(name) if JOINT in name and part not in names]:
            row = int(np.argmax((frame["system"] == name).to_numpy()))
            what = f"system {shown(name)} joins {shown(odd[0])}, which is no system of the file"
            raise where.refuse(row, f"{what}; expected no {JOINT!r} in the name of one system")


def _is_released(table: Table, kind: str | None, columns: Mapping[str, str | None] | None) -> bool:
    """Whether a file is in the layout of WMT's own releases: 12 columns between blanks."""
    if type(table) is not formats.Text or kind not in (None, "assessments") or columns:
        return False
    words = {word.strip('"') for name in table.header for word in name.split()}
    return words.issuperset(released_judgements.RELEASED)


def _released(table: Table, task: str | None) -> dict[str, Any]:
    """WMT's own layout, by the package's reader of it; all judgements count as accepted."""
    origin = table.files.origin
    with opening.stream(table.files.paths[0], origin) as stream:
        released = released_judgements.read_released(stream.read(), origin)
    pairs = released[["Input.src", "Input.trg"]].astype(str).agg("-".join, axis=1)
    chosen = choose(sorted(set(pairs)), task, origin)
    rows = released_judgements.of_pair(released, chosen, origin)
    lines = (rows.index.to_numpy() + 2).tolist()
    tidy = released_judgements.tidy(
        rows, chosen, Origin(origin.name, lines), document=[""] * len(rows)
    )
    units = [u for u in ("worker", "segment", "hit") if set(tidy[u]) != {""}]
    return _of_assessments(tidy, chosen, units)
