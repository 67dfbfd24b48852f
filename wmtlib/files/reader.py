"""A user's own judgements: rankings, pairwise comparisons or direct assessments, in any usual file.

`read` recognises the kind of judgement by the header (`column_names` holds what columns may be
called) and the format by the content: CSV, TSV, JSON lines or Parquet, plain or gzipped, or a
folder of Parquet files. Outcomes of comparisons are written in one of the ways of
`outcomes.VOCABULARIES` throughout a file, or name the system that won.

Nothing is guessed: the first thing that is not understood is refused with one line that says where
it stands, and what to do next. What is sound but looks odd is a warning.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import pandas as pd

from wmtlib.files import (
    appraise_files,
    column_roles,
    comparison_files,
    comparison_layouts,
    direct_assessment_files,
    formats,
    frame_tables,
    ranking_files,
    remarks,
    task_columns,
)
from wmtlib.files.column_roles import SeveralTasks
from wmtlib.files.outcomes import require_meanings
from wmtlib.files.tables import Table
from wmtlib.files.user_judgements import Judgements


def read(
    source: str | Path | pd.DataFrame,
    *,
    kind: str | None = None,
    columns: Mapping[str, str | None] | None = None,
    outcomes: Mapping[str, str] | None = None,
    scale: tuple[float, float] | None = None,
    task: str | None = None,
    by_unit: bool = True,
) -> Judgements:
    """Read and check the judgements of one task; comparisons are counted.

    Parameters
    ----------
    source : str, Path or DataFrame
        A table in memory, or a file in CSV, TSV, JSON lines or Parquet, plain or gzipped; a folder
        of Parquet files, or a pattern (`part-*.parquet`) of their names.
    kind : "rankings", "pairwise" or "assessments", optional
        Recognised by the header if not given.
    columns : mapping from role to column, optional
        What the columns are called, where the names are not those of `column_names`; None for a
        role that is to be ignored.
    outcomes : mapping from outcome to "a", "b", "tie" or "skip", optional
        What the outcomes of comparisons mean, where the words are not known or mean something else.
    scale : pair of numbers, optional
        The lowest and the highest score that an assessment may have; 0 and 100 if not given.
    task : str, optional
        One of the file's tasks; needed if there are several.
    by_unit : bool
        Whether pairwise comparisons are counted by judge, segment and ranking too; without them
        ten million comparisons take little memory.

    Returns
    -------
    Judgements

    Raises
    ------
    DataError
        One line that names the file, the line or row, and what was expected.

    Examples
    --------
    >>> votes = pd.DataFrame({"model_a": ["x"], "model_b": ["y"], "winner": ["model_a"]})
    >>> judgements = read(votes)
    >>> judgements.kind, judgements.systems
    ('pairwise', ('x', 'y'))
    """
    options = {"kind": kind, "columns": columns, "outcomes": outcomes, "scale": scale}
    with _opened(source) as table:
        return _reader(table, **options, by_unit=by_unit)(task)


def read_tasks(source: str | Path | pd.DataFrame, **options: Any) -> list[Judgements]:
    """Read and check the judgements of every task of a file; the options are those of `read`."""
    with _opened(source) as table:
        of_task = _reader(table, **options)
        try:
            return [of_task(None)]
        except SeveralTasks as several:
            return [of_task(task) for task in several.tasks]


def _opened(source: str | Path | pd.DataFrame) -> AbstractContextManager[Table]:
    """The table of a frame or of a file."""
    if isinstance(source, pd.DataFrame):
        return frame_tables.opened_frame(source)
    return formats.open_table(source)


def _reader(
    table: Table,
    *,
    kind: str | None = None,
    columns: Mapping[str, str | None] | None = None,
    outcomes: Mapping[str, str] | None = None,
    scale: tuple[float, float] | None = None,
    by_unit: bool = True,
) -> Callable[[str | None], Judgements]:
    """Recognise the layout of a table: gives what reads one of its tasks."""
    column_roles.require_kind(kind, table.origin)
    meanings = require_meanings(outcomes or {}, table.origin)
    columns, layout, used = columns or {}, None, {}
    if not columns and kind in (None, "assessments") and direct_assessment_files.is_released(table):
        read = partial(direct_assessment_files.read_released_file, table)
    elif not columns and kind in (None, "pairwise") and comparison_layouts.is_matrix(table):
        layout = comparison_layouts.MATRIX
    else:
        layout, used = column_roles.recognise(
            table.header,
            kind,
            columns,
            table.origin,
            holds_languages=cache(partial(task_columns.holds_languages, table)),
        )
    if outcomes and layout != "outcomes":
        raise table.origin.refuse(None, "has no column of outcomes; --outcome is for those")
    if scale and (layout != "assessments" or not scale[0] < scale[1]):
        message = "LOW < HIGH" if layout == "assessments" else "a column of scores"
        raise table.origin.refuse(None, f"--scale LOW,HIGH: expected {message}")
    if layout == "rankings":
        read = partial(ranking_files.read_rankings, table, used)
    elif layout == "assessments":
        read = partial(direct_assessment_files.read_assessments, table, used, scale)
    elif layout:
        read = partial(
            comparison_files.read_comparisons, table, layout, used, meanings, by_unit=by_unit
        )

    def of_task(task: str | None) -> Judgements:
        found = read(task)
        taken = {*used.values(), *([appraise_files.WHOLE] if table.headerless else [])}
        unused = tuple(name for name in table.header if name not in taken) if used else ()
        warnings = [*found.warnings, *remarks.of_systems(found.systems)]
        warnings += remarks.of_judges(found.people.values())
        if found.comparisons is not None:
            warnings += remarks.of_groups(found.comparisons)
        if columns.get("task", "") is not None:
            warnings += task_columns.unused_columns(table, used, unused, found.task)
        reading = column_roles.described(used, unused) + found.reading
        about = {"columns": used, "unused": unused, "reading": reading}
        return replace(found, **about, warnings=tuple(warnings))

    return of_task
