"""Direct assessments of a user's file: one row for each score, or the layout of WMT's releases."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from wmtlib import counts as direct_assessments
from wmtlib.counts import JOINT
from wmtlib.errors import Origin, shown
from wmtlib.files import appraise_files, released_judgements, remarks
from wmtlib.files.cell_checks import TRUTH, column, require_cells
from wmtlib.files.column_names import UNITS
from wmtlib.files.column_roles import choose
from wmtlib.files.tables import Table
from wmtlib.files.text_formats import CsvTable
from wmtlib.files.user_judgements import Judgements


def read_assessments(
    table: Table,
    used: Mapping[str, str],
    scale: tuple[float, float] | None,
    task: str | None,
) -> Judgements:
    """The assessments of one task.

    `scale` is the lowest and the highest score that may be; 0 and 100 if not given.
    """
    reading = ""
    if table.headerless:
        frame, rows = table.frame({**used, appraise_files.WHOLE: appraise_files.WHOLE})
        frame, rows, reading = appraise_files.select_assessments(frame, rows)
    else:
        frame, rows = table.frame(used)
    require_cells(frame, rows, used)
    task_of_row = column(frame, "task")
    chosen = choose(sorted(set(task_of_row)), task, rows)
    taken = np.flatnonzero(task_of_row == chosen)
    frame, rows = frame.iloc[taken].reset_index(drop=True), rows.take(taken)
    _require_parts(frame["system"], rows)
    complete = pd.DataFrame(
        {
            "hit": column(frame, "hit"),
            "worker": frame["worker"],
            "language_pair": chosen or "-",  # the table needs a name; it is taken out again below
            "system": frame["system"],
            "item": column(frame, "item", "SYSTEM"),
            "document": column(frame, "document"),
            "segment": frame["segment"],
            "score": frame["score"],
            "accepted": column(frame, "accepted", "1").str.casefold().map(TRUTH).astype(bool),
        }
    )
    if scale is None:
        _require_usual_scale(frame["score"], rows)
    scale = scale or direct_assessments.USUAL_SCALE
    tidy = direct_assessments.tidy_assessments(complete, rows, scale=scale)
    tidy["language_pair"] = tidy["language_pair"].cat.rename_categories([chosen])
    left = ("task", "target", "accepted")
    same = ", ".join(role for role in used if role not in left)
    repeats = remarks.of_repeats(int(frame.duplicated().sum()), len(frame), "assessments", same)
    found = from_frame(tidy, table.files.path, chosen, table.files.sha256())
    low, high = tidy["score"].min(), tidy["score"].max()
    reading += f"; scores run from {low:g} to {high:g} on a scale of {scale[0]:g} to {scale[1]:g}"
    found = replace(found, scale=scale, reading=reading, warnings=tuple(repeats))
    if table.headerless:  # the judgements are public
        return found
    return replace(found, people=dict(zip(tidy["worker"], frame["worker"], strict=True)))


def _require_usual_scale(scores: pd.Series, rows: Origin) -> None:
    """Refuse the first score that is not on the usual scale, if all scores are numbers."""
    numbers = pd.to_numeric(scores, errors="coerce").to_numpy(np.float64)
    low, high = direct_assessments.USUAL_SCALE
    odd = (numbers < low) | (numbers > high)
    if odd.any() and np.isfinite(numbers).all():
        found = shown(scores[odd].iloc[0])
        message = f"score is {found}; expected a number from {low} to {high}, or --scale LOW,HIGH"
        message += f" (scores run from {numbers.min():g} to {numbers.max():g})"
        raise rows.refuse(int(np.argmax(odd)), message)


def is_released(table: Table) -> bool:
    """Whether a file is in the layout of WMT's own releases: 12 columns between blanks."""
    words = {word.strip('"') for name in table.header for word in name.split()}
    return isinstance(table, CsvTable) and words.issuperset(released_judgements.RELEASED)


def read_released_file(table: Table, task: str | None) -> Judgements:
    """The assessments of one task in WMT's own layout; all of them count as accepted."""
    with open(table.files.unpacked[0], "rb") as file:
        released = released_judgements.read_released(file.read(), table.origin)
    if (pd.to_numeric(released["score"].cat.categories, errors="coerce") < 0).any():
        message = (
            "holds z-scores; expected scores from 0 to 100, or the name of the campaign instead"
        )
        raise table.origin.refuse(None, f"{message} of the file, as in wmt22:de-en")
    pairs = released[["Input.src", "Input.trg"]].astype(str).agg("-".join, axis=1)
    chosen = choose(sorted(set(pairs)), task, table.origin)
    rows = released_judgements.of_pair(released, chosen, table.origin)
    origin = Origin(table.origin.name, (rows.index.to_numpy() + 2).tolist())
    tidy = released_judgements.tidy(rows, chosen, origin, document=[""] * len(rows))
    found = from_frame(tidy, table.files.path, chosen, table.files.sha256())
    return replace(found, reading="the layout of WMT's releases of direct assessment")


def from_frame(frame: pd.DataFrame, path: str, task: str, sha256: str) -> Judgements:
    """Assessments that are tidy, as judgements."""
    return Judgements(
        path=path,
        kind="assessments",
        rows=len(frame),
        systems=tuple(direct_assessments.system_names(frame["system"].cat.categories)),
        units=tuple(unit for unit in UNITS["assessments"] if (frame[unit] != "").all()),
        task=task,
        sha256=sha256,
        assessments=frame,
    )


def _require_parts(system: pd.Series, rows: Origin) -> None:
    """Refuse a joint name of which a part is not a system of the file.

    `A+B` stands for identical outputs of A and B; a system called `base+tuned` would be taken for
    two.
    """
    names = set(system)
    for name in sorted(names):
        if odd := [part for part in direct_assessments.single_systems(name) if part not in names]:
            row = int(np.argmax((system == name).to_numpy()))
            message = (
                f"system {shown(name)} joins {shown(odd[0])}, which is not a system of the file"
            )
            raise rows.refuse(row, f"{message}; expected no {JOINT!r} in the name of one system")
