"""Judgements of a file or a frame: rankings, comparisons or assessments.

`read` opens a table (`tables`), gives a row to each judgement (`exports`), finds the
role of every column (`mapping`), checks cells (`values`), and counts.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.core.errors import Question, join_names, setting, short_repr, warning
from wmtlib.files import values
from wmtlib.files.checks import of_repeats, remarks
from wmtlib.files.contract import EXPORTS, KINDS, export_of
from wmtlib.files.exports import read_export
from wmtlib.files.fields import NO_ROWS
from wmtlib.files.judgements import Judgements
from wmtlib.files.kinds import MAKE
from wmtlib.files.mapping import Mapped, mapped
from wmtlib.files.options import options_of
from wmtlib.files.outcomes import SKIPPED, preferences
from wmtlib.files.revisions import revised
from wmtlib.files.shapes import chosen_rows, shaped
from wmtlib.files.tables import occurring, open_table


def read(
    data: str | Path | pd.DataFrame,
    *,
    kind: str | None = None,
    task: str | None = None,
    column: Mapping[str, str | Sequence[str]] | None = None,
    ignore: str | Sequence[str] | None = None,
    rows: Mapping[str, Any] | None = None,
    outcome: Mapping[str, str] | None = None,
    scale: tuple[float, float] | None = None,
    missing: str | Sequence[str] | None = None,
    revisions: str | None = None,
    joint: str | None = None,
    wide: str | Mapping[str, Sequence[str]] | None = None,
    cells: str | None = None,
    sheet: str | Sequence[str] | None = None,
    header: int | None = None,
) -> Judgements:
    """Read and check the judgements of one task; comparisons are counted.

    A table is read by what it declares: the names of its columns, a known export, and
    what is said here (docs/recipes.md).

    Parameters
    ----------
    data : str, Path or DataFrame
        A table in memory, a file, a folder of Parquet files, or an address
        (``https://``, ``s3://``).
    kind : "comparisons", "rankings" or "assessments", optional
        Where two kinds fit.
    task : str, optional
        One of the tasks of the table; needed if there are several.
    column : mapping from role to column, optional
        `task` may have two columns; the role `none` leaves a column out.
    ignore : str or sequence of str, optional
        Columns that are left out.
    rows : mapping from column to value, or to several, optional
        Only rows that have these values count, such as ``{"status": "submitted"}``.
    outcome : mapping from word to "a", "b", "tie" or "skip", optional
        What the words of outcomes mean.
    scale : pair of numbers, optional
        The worst and the best score: (0, 100); (5, 1) where 1 is best.
    missing : str or sequence of str, optional
        Rows with such a cell are left out: "" or "99".
    revisions : "all" or "last", optional
        Which of several answers of one judge to one item count.
    joint : "split" or "keep", optional
        Whether names such as A+B are identical outputs of A and B, or systems.
    wide : mapping from "system" or "judge" to columns, or "wins", optional
        Which columns are systems, or judges; a square table of wins.
    cells : "score", "rank" or "outcome", optional
        What the cells of these columns hold.
    sheet : str or sequence of str, optional
        Sheets of a spreadsheet.
    header : int, optional
        The line of the header, where titles precede it.

    Returns
    -------
    Judgements

    Raises
    ------
    Question
        What the table does not declare; its last line is the whole call.
    DataError
        What cannot be read, in one line.

    Examples
    --------
    >>> votes = pd.DataFrame({"model_a": ["x"], "model_b": ["y"], "winner": ["x"]})
    >>> judgements = read(votes)
    >>> judgements.kind, judgements.systems
    ('comparisons', ('x', 'y'))
    """
    given = {
        "kind": kind,
        "column": column,
        "ignore": ignore,
        "rows": rows,
        "outcome": outcome,
        "scale": scale,
        "missing": missing,
        "revisions": revisions,
        "joint": joint,
        "wide": wide,
        "cells": cells,
        "sheet": sheet,
        "header": header,
    }
    (judgements,) = read_tasks(data, [task], **given)
    return judgements


def read_tasks(
    data: Any, tasks: Sequence[str | None] = (), **given: Any
) -> list[Judgements]:
    """Read and check the judgements of some tasks of a table; of all if none is named.

    The options are those of `read`.
    """
    given = {name: value for name, value in given.items() if value is not None}
    try:
        found, left_out = _mapped(data, given)
        return _judgements(found, tasks, left_out)
    except Question as question:
        chosen = {"task": tasks[0]} if tasks and tasks[0] is not None else {}
        question.given = {**chosen, **given}
        raise


def rows(data: Any, **given: Any) -> pd.DataFrame:
    """Return the rows of a table by role, as categories of text, without a check.

    Options are those of `read`. Two columns of the task are one.
    """
    found, _ = _mapped(data, given)
    return pd.DataFrame({**found.texts(*found.roles), "task": found.tasks()})


def _mapped(data: Any, given: Mapping[str, Any]) -> tuple[Mapped, Counter[str]]:
    """Open a table, give a row to each judgement, and find the role of every column.

    Returns the rows that are left out, too.
    """
    options = options_of(given)
    table = open_table(data, options)
    export = EXPORTS.get(table.export) or export_of(table.header)
    rows = {**export.get("rows", {})}
    rows = {name: rows[name] for name in rows if name in table.header}
    table, left_out = chosen_rows(table, {**rows, **options.rows})
    if "read" in export:
        table, others = read_export(table, export)
        left_out += others
    table = shaped(table, export, options)
    if not len(table) or not table.header:
        raise table.refuse(NO_ROWS)
    return mapped(table, export, options), left_out


# --- from roles to judgements ---------------------------------------------------------


def _judgements(
    found: Mapped, tasks: Sequence[str | None], left_out: Counter[str]
) -> list[Judgements]:
    """Check the cells of a table, and make judgements of each task."""
    found = _without_blank_columns(found)
    found = values.without_missing(found, left_out)
    doubts = values.Doubts()
    good = values.check_cells(found, doubts)
    if not found.export:
        good &= values.ask_about_sums(found, doubts)
    joint = values.ask_about_joint_names(found, doubts)
    preference = np.zeros(len(good), dtype=np.int8)
    if found.kind == "comparisons":
        preference = preferences(found, good, doubts)
    names = found.tasks()
    wanted = _wanted_tasks(found, names[good], tasks, doubts)
    keep = good & (preference != SKIPPED)
    kept, repeated = revised(found, preference, keep, doubts)
    left_out["rows that are skipped"] = int((good & ~keep).sum())
    left_out["rows that are revised"] = int((keep & ~kept).sum())
    fault = "; ".join(doubts.faults)
    if doubts.asked:
        raise found.table.origin.ask(fault, doubts.lines, doubts.asked)
    if fault:
        raise found.table.refuse(f"{fault}: {'; '.join(doubts.lines)}")
    result = []
    for task in wanted:
        chosen = np.flatnonzero(kept & np.asarray(names == task))
        part = found.take(chosen)
        judgements = MAKE[found.kind](part, preference[chosen], joint)
        result.append(_described(judgements, part, task, left_out, repeated))
    return result


def _described(
    judgements: Judgements,
    part: Mapped,
    task: str,
    left_out: Counter[str],
    repeated: int,
) -> Judgements:
    """Add to judgements what they were read from, and what may be misread."""
    people = {} if part.export.get("hidden") else judgements.people
    is_scored = judgements.comparisons is None
    warnings = [*judgements.warnings]
    same = "in every column that is used"
    warnings += of_repeats(repeated, len(part.table), "rows", same)
    counted = None if is_scored else judgements.counts
    warnings += remarks(judgements.systems, people.values(), counted)
    if is_scored:
        warnings += _of_scores(part)
    if "segment" in judgements.units:
        names = {*judgements.frame["segment"].cat.categories}
        twice = sorted(name for name in names if f"{name}.0" in names)
        if twice:
            fault = f"segments {join_names(twice)} are written with .0, too"
            fault = f"{fault}, and are counted as others"
            warnings.append(warning("segments_alike", fault))
    return replace(
        judgements,
        task=task,
        path=part.table.path,
        sha256=part.table.sha256 or _sha256_of(judgements.frame),
        declared=part.scale,
        export=part.export.get("name", ""),
        columns={role: part.named(role) for role in part.roles},
        left_out=part.left_out,
        rows_left_out=+left_out,
        people=people,
        warnings=tuple(warnings),
    )


def _of_scores(part: Mapped) -> list[str]:
    """Warn of unknown judges, and of groups whose scores are all far below others'.

    Far below is in the lowest tenth of the others' range.
    """
    lines: list[str] = []
    if "judge" not in part.roles:
        words = "no column names the judges: raw scores are ranked, as if one judge"
        words = f"{words} gave them all; if there is one, add "
        step = setting("column", {"judge": "NAME"}, "judge=NAME")
        lines.append(warning("workers_unknown", words, step))
    scores = pd.Series(part.numbers("score"))
    half = np.arange(len(scores)) < len(scores) / 2
    halves = {"half of the file": half}
    for what, text in {**halves, **part.texts("judge", "document")}.items():
        groups = scores.groupby(text)
        high = groups.max()
        limit = scores.min() + (high.max() - scores.min()) / 10
        low = (high <= limit) & (high < high.max()) & (groups.size() > 2)
        if low.any():
            words = f"all scores of {low.sum()} {what}(s) are within a tenth of the"
            words = f"{words} others' range: two scales in one column?"
            lines.append(warning("scores_apart", words))
    return lines


def _sha256_of(frame: pd.DataFrame) -> str:
    """Return the SHA-256 of judgements that are from no file, in hex."""
    digest = sha256()
    for name in frame:
        values = frame[name]
        if isinstance(values.dtype, pd.CategoricalDtype):
            digest.update("\0".join(map(str, values.cat.categories)).encode())
            values = values.cat.codes
        digest.update(values.to_numpy().astype("<f8").tobytes())
    return digest.hexdigest()


def _without_blank_columns(found: Mapped) -> Mapped:
    """Take blank columns from roles that nobody needs."""
    roles = dict(found.roles)
    left_out = dict(found.left_out)
    for role, columns in found.roles.items():
        others = {*roles} - {role}
        is_optional = any(others >= {*needed} for needed in KINDS[found.kind]["needed"])
        if is_optional and role != "task":
            cells = found.table.cells[columns[0]]
            if cells.dtype.kind not in "iuf" and not any(found.text(role).categories):
                left_out[found.named(role)] = "blank"
                del roles[role]
    return replace(found, roles=roles, left_out=left_out)


def _wanted_tasks(
    found: Mapped,
    names: pd.Categorical,
    tasks: Sequence[str | None],
    doubts: values.Doubts,
) -> list[str]:
    """Return the tasks that are meant; ask, if there are several and none is named."""
    held = sorted(occurring(names))
    if not tasks:
        return held
    if tasks[0] is None:
        if len(held) > 1:
            lines = [f"TASK: {join_names(held, 20)}; or all, on the command line"]
            doubts.add(f"{len(held)} tasks", lines, ("task", "TASK"))
        return held[:1]
    for task in tasks:
        if task not in held:
            kept = f"holds {join_names(held, 20)}" if any(held) else "names no task"
            raise found.table.refuse(f"no task {short_repr(task)}; it {kept}")
    return [str(task) for task in tasks]
