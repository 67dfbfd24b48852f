"""A user's own judgements: rankings, comparisons or assessments, in any usual file.

`read` recognises the kind of judgement by the header (`columns` holds what columns may
be called) and the format by the content. One road: a table of text (`tables`), its
layout (`columns`), judgements (`comparison_layouts`, `ranking_layouts` and
`assessment_layouts`).

Nothing is guessed: the first thing that is not understood is refused with one line that
says where it stands, and what to do next. What is sound but looks odd is a warning.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from wmtlib.counts import count
from wmtlib.errors import Message, listed, shown
from wmtlib.remarks import remarks
from wmtlib.yours.options import LOWER, SCALE
from wmtlib.yours.reading import exports, tools
from wmtlib.yours.reading.assessment_layouts import read_assessments
from wmtlib.yours.reading.columns import (
    SCREENS,
    TASK,
    UNITS,
    Options,
    SeveralTasks,
    columns_of_copies,
    recognise,
    unused_columns,
)
from wmtlib.yours.reading.comparison_layouts import MATRIX, is_matrix, read_comparisons
from wmtlib.yours.reading.judgements import Judgements
from wmtlib.yours.reading.outcomes import MEANINGS
from wmtlib.yours.reading.ranking_layouts import read_rankings
from wmtlib.yours.reading.tables import Table, open_table

READERS = {  # by layout; the others are comparisons
    "rankings": read_rankings,
    SCREENS: read_rankings,
    "assessments": read_assessments,
    "scores": read_assessments,
}


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
) -> Judgements:
    """Read and check the judgements of one task; comparisons are counted.

    Parameters
    ----------
    source : str, Path or DataFrame
        A table in memory, or a file in CSV, TSV, JSON lines or Parquet, plain or
        gzipped; a folder of Parquet files, or a pattern (`part-*.parquet`) of their
        names; or its address (https://, s3://, gs://).
    kind : "rankings", "pairwise" or "assessments", optional
        Recognised by the header if not given.
    columns : mapping from role to column, optional
        What the columns are called, where the names are not those of `yours.columns`;
        None for a role that is to be ignored.
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
    task_columns : up to three names of columns
        Which together make a task, such as ("lp", "domain"): en-cs-news.
    skip_bad : bool
        Whether rows are left out, and counted in a warning, that compare a system with
        itself, have no outcome, score (blank, NA, NaN, None; -1 if scores start at 0)
        or judge (unknown, anonymous, too), or blanks around a name; without it they are
        refused.

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
    chosen = chosen._replace(columns={**chosen.columns, **task_columns})
    with open_table(source) as table:
        if len(chosen.task_columns) > len(TASK):
            raise table.origin.refuse(f"expected at most {len(TASK)} columns of tasks")
        table, chosen = tools.usual(table, chosen)
        table = _recognised(table, chosen)
        try:
            return [_read(table, chosen, task) for task in tasks or [None]]
        except SeveralTasks as several:
            if tasks:
                raise
            return [_read(table, chosen, task) for task in several.tasks]


def _recognised(table: Table, options: Options) -> Table:
    """The table with its layout, and the column of every role; refuses odd options."""
    is_twice = pd.Series(table.header).str.casefold().duplicated()
    if is_twice.any():
        name = shown(table.header[int(is_twice.argmax())])
        raise table.refuse_header(f"column {name} stands twice; expected it once")
    if options.kind not in (None, *UNITS):
        raise table.origin.refuse(
            f"kind is {shown(options.kind)}; expected one of {', '.join(UNITS)}"
        )
    for word, meaning in options.outcomes.items():
        if meaning not in MEANINGS:
            raise table.origin.refuse(
                f"outcome {shown(word)} is to mean {shown(meaning)};"
                f" expected {', '.join(MEANINGS)}"
            )
    is_plain = not options.columns
    is_release = table.form == exports.RELEASE
    if is_plain and is_release and options.kind in (None, "assessments"):
        layout = "assessments"
        used = exports.RELEASED
    elif is_plain and options.kind in (None, "pairwise") and is_matrix(table):
        layout = MATRIX
        used = {}
    else:
        layout, used = recognise(table, options)
    if options.outcomes and layout != "outcomes":
        option = Message("outcomes", "--outcome")
        raise table.origin.refuse(
            "has no column of outcomes; ", option, " is for those"
        )
    for value, option in ((options.scale, SCALE), (options.lower_is_better, LOWER)):
        if value is not None and READERS.get(layout) != read_assessments:
            raise table.origin.refuse(option, ": expected a column of scores")
    if options.scale and not options.scale[0] < options.scale[1]:
        raise table.origin.refuse(SCALE, ": expected LOW < HIGH")
    return replace(table, layout=layout, used=used)


def _read(table: Table, options: Options, task: str | None) -> Judgements:
    """The judgements of one task of a table."""
    judgements = READERS.get(table.layout, read_comparisons)(table, options, task)
    used = table.used
    reading = judgements.reading
    if table.form == exports.RELEASE and not options.columns:
        used = {}  # names of columns would tell the reader of a release nothing
        reading = exports.ABOUT_RELEASE
    unused = []
    if used:
        taken = {*used.values()}
        if table.form == exports.APPRAISE:
            taken.add(exports.WHOLE)
        unused = [name for name in table.header if name not in taken]
    line = ", ".join(
        role if role == name else f"{role} = {shown(name)}"
        for role, name in used.items()
    )
    if unused:
        line = f"{line}; not used: {listed(unused, 12)}"
    warnings = [*table.warnings, *judgements.warnings]
    counts = None
    if judgements.comparisons is not None:
        counts = count(judgements.comparisons)
    warnings += remarks(judgements.systems, judgements.people.values(), counts)
    if "segment" in judgements.units:
        names = {*judgements.frame["segment"].cat.categories}
        twice = sorted(name for name in names if f"{name}.0" in names)
        if twice:
            fault = f"segments {listed(twice)} are written with .0, too"
            warnings.append(f"{fault}, and are counted as others")
    if options.columns.get("task", "") is not None:
        warnings += unused_columns(table, used, unused, judgements.task)
    if judgements.assessments is not None:
        warnings += columns_of_copies(table, used, unused)
    return replace(
        judgements,
        columns=used,
        unused=tuple(unused),
        warnings=tuple(warnings),
        reading=line + reading,
    )
