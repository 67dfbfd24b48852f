"""Judgements of a user's file: rankings, comparisons or assessments.

`read` recognises the kind of judgement by the header and the format by the content. It
makes a table of text (`tables`), finds its layout (`columns`), and reads judgements
(`comparison_layouts`, `ranking_layouts`, `assessment_layouts`).

Nothing is guessed: the first thing that is not understood is refused in one line with
its place in the file and the next step. What is valid but looks odd is a warning.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from wmtlib.checks import clean, remarks
from wmtlib.errors import join_names, short_repr, warning
from wmtlib.reading import tools
from wmtlib.reading.assessment_layouts import read_assessments
from wmtlib.reading.cells import MOST_SYSTEMS
from wmtlib.reading.columns import (
    TASK,
    Options,
    SeveralTasks,
    recognise,
    unused_columns,
)
from wmtlib.reading.comparison_layouts import read_comparisons
from wmtlib.reading.doubts import ask_about_columns, chosen_rows, revised
from wmtlib.reading.judgements import Judgements
from wmtlib.reading.ranking_layouts import (
    read_rankings,
    row_for_each_output,
)
from wmtlib.reading.tables import PUBLIC, RELEASE, Table, open_table

READERS = {
    "rankings": read_rankings,
    "pairwise": read_comparisons,
    "assessments": read_assessments,
}
ABOUT_RELEASE = "the layout of WMT's releases of direct assessment"


def read(
    source: str | Path | pd.DataFrame,
    *,
    kind: str | None = None,
    columns: Mapping[str, str | None] | None = None,
    outcomes: Mapping[str, str] | None = None,
    scale: tuple[float, float] | None = None,
    lower_is_better: bool | None = None,
    preset: str | None = None,
    task: str | None = None,
    task_columns: Sequence[str] = (),
    skip_bad: bool = False,
    rows: Mapping[str, Any] | None = None,
    revisions: str | None = None,
    joint_names: str | None = None,
) -> Judgements:
    """Read and check the judgements of one task; comparisons are counted.

    Parameters
    ----------
    source : str, Path or DataFrame
        A table in memory, or a file in CSV, TSV, JSON lines or Parquet, plain or
        gzipped; a folder of Parquet files, or a pattern (`part-*.parquet`) of their
        names; or its address (``https://``, ``s3://``, ``gs://``).
    kind : "rankings", "pairwise" or "assessments", optional
        Recognised by the header if not given.
    columns : mapping from role to column, optional
        What the columns are called, where the names are not those that are known
        (`known_files.toml`); None for a role that is to be ignored, and for a column
        whose values do not matter for which rows count.
    outcomes : mapping from outcome to "a", "b", "tie" or "skip", optional
        What the outcomes of comparisons mean, where the words are not known or mean
        something else.
    scale : pair of numbers, optional
        The lowest and the highest score that an assessment may have; 0 and 100 if not
        given.
    lower_is_better : bool, optional
        Whether low scores are good, as of penalties, errors and ranks; needed where
        scores look like these. Low ones are then ranked as minus the score.
    preset : "mqm" or "esa-spans", optional
        What the errors of a column error_spans weigh (`tools.PRESETS`): scores are
        minus the sums.
    task : str, optional
        One of the file's tasks; needed if there are several.
    task_columns : one name of a column, or two
        Which together make a task, such as ("lp", "domain"): en-cs-news.
    skip_bad : bool
        Whether rows are left out, and counted in a warning, that compare a system with
        itself, have no system, outcome, rank, score (blank, NA, NaN, None; -1 if scores
        start at 0) or judge (unknown, anonymous, too); without it they are refused.
    rows : mapping from column to value, or to several, optional
        Only rows that have these values count, such as ``{"status": "submitted"}``.
    revisions : "all", "last" or a column of times, optional
        Which of several answers of one judge to one item count: all, the last one in
        the file, or the last one by the column; asked for where many differ.
    joint_names : "split" or "keep", optional
        Whether `A+B` names identical outputs of A and B, or is a system. By
        default it is a system if it is judged beside A or B.

    Returns
    -------
    Judgements

    Raises
    ------
    DataError
        One line that names the file, the line or row, and what was expected.

    Examples
    --------
    >>> votes = pd.DataFrame({"model_a": ["x"], "model_b": ["y"], "winner": ["x"]})
    >>> judgements = read(votes)
    >>> judgements.kind, judgements.systems
    ('pairwise', ('x', 'y'))
    """
    (judgements,) = read_tasks(
        source,
        [task],
        kind=kind,
        columns=columns or {},
        task_columns=task_columns,
        outcomes=outcomes or {},
        scale=scale,
        lower_is_better=lower_is_better,
        preset=preset,
        skip_bad=skip_bad,
        rows=rows or {},
        revisions=revisions,
        joint_names=joint_names,
    )
    return judgements


def read_tasks(
    source: str | Path | pd.DataFrame, tasks: Sequence[str | None] = (), **options: Any
) -> list[Judgements]:
    """Read and check the judgements of some tasks of a file; of all if none is named.

    The options are those of `read`.
    """
    chosen = Options(**options)
    task_columns = dict(zip(TASK, chosen.task_columns, strict=False))
    chosen = chosen._replace(
        columns={**chosen.columns, **task_columns},
        outcomes={clean(word): side for word, side in chosen.outcomes.items()},
    )
    with open_table(source) as table:
        if len(chosen.task_columns) > len(TASK):
            raise table.origin.refuse(f"expected at most {len(TASK)} columns of tasks")
        if len(table.header) > MOST_SYSTEMS:
            fault = f"has {len(table.header)} columns; expected at most {MOST_SYSTEMS}"
            raise table.origin.refuse(fault)
        table, remark = chosen_rows(table, chosen)
        table = row_for_each_output(table, chosen)
        table, chosen = tools.from_export(table, chosen)
        table = recognise(table, chosen)
        ask_about_columns(table, chosen)
        table = revised(table, chosen)
        try:
            return [_read(table, chosen, task, remark) for task in tasks or [None]]
        except SeveralTasks as several:
            if tasks:
                raise
            return [_read(table, chosen, task, remark) for task in several.tasks]


def read_columns(source: str | Path | pd.DataFrame, **options: Any) -> pd.DataFrame:
    """Return the columns of a file by role, as text, without a check of the rows.

    The options are those of `read`; the frame is that of `tables.Table.select`.
    """
    with open_table(source) as table:
        table = recognise(table, Options(**options))
        return table.select(table.used)


def _read(table: Table, options: Options, task: str | None, remark: str) -> Judgements:
    """Read the judgements of one task of a table."""
    judgements = READERS[table.kind](table, options, task)
    if table.form in PUBLIC or table.layout == "ranked pairs":  # of WMT
        judgements = replace(judgements, people={})
    used = table.used
    reading = judgements.reading
    if table.form == RELEASE and not options.columns:
        used = {}  # names of columns would tell the reader of a release nothing
        reading = ABOUT_RELEASE
    unused = [name for name in table.header if used and name not in used.values()]
    line = ", ".join(
        role if role == name else f"{role} = {short_repr(name)}"
        for role, name in used.items()
    )
    if unused:
        line = f"{line}; not used: {join_names(unused, 12)}"
    counts = None if judgements.comparisons is None else judgements.counts
    warnings = [*table.warnings, *judgements.warnings]
    warnings += remarks(judgements.systems, judgements.people.values(), counts)
    if "segment" in judgements.units:
        names = {*judgements.frame["segment"].cat.categories}
        twice = sorted(name for name in names if f"{name}.0" in names)
        if twice:
            fault = f"segments {join_names(twice)} are written with .0, too"
            fault = f"{fault}, and are counted as others"
            warnings.append(warning("segments_alike", fault))
    warnings += unused_columns(replace(table, used=used), options, judgements.task)
    return replace(
        judgements,
        path=table.path,
        sha256=table.sha256,
        columns=used,
        unused=tuple(unused),
        warnings=tuple(warnings),
        reading=line + remark + reading,
    )
