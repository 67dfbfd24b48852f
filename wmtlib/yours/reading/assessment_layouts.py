"""Direct assessments, however they are laid out: a score for each judged output."""

import numpy as np
import pandas as pd

from wmtlib.assessments import USUAL_SCALE, single_systems, tidy_assessments
from wmtlib.errors import Origin, first_row, joined, shown
from wmtlib.remarks import of_repeats
from wmtlib.yours.options import SCALE, column
from wmtlib.yours.reading import exports
from wmtlib.yours.reading.cells import TRUTH, check_cells, of_task, select_rows
from wmtlib.yours.reading.columns import TASK, Options
from wmtlib.yours.reading.judgements import Judgements, of_assessments
from wmtlib.yours.reading.tables import Table

USUAL = {  # what an assessment holds that does not say it
    "worker": "-",
    "hit": "",
    "document": "",
    "item": "SYSTEM",
    "accepted": "1",
    "language_pair": "-",
}


def read_assessments(table: Table, options: Options, task: str | None) -> Judgements:
    """The assessments of one task."""
    is_export = table.form == exports.APPRAISE
    is_release = table.form == exports.RELEASE
    used = {**table.used}
    if is_export:
        used[exports.WHOLE] = exports.WHOLE
    frame, warnings = select_rows(table, used, options)
    reading = ""
    if is_export:
        frame, reading = exports.of_systems(frame, table.origin)
    roles = [role for role in table.used if role in frame]
    check_cells(table, frame, roles)
    task, frame = of_task(frame, task, table.origin)
    frame = frame.reset_index(drop=True)
    origin = table.origin.take(frame["place"])
    if not is_release:
        _check_parts(frame["system"], origin)
    if options.scale is None:
        _check_usual_scale(frame["score"].astype(object), origin, is_release=is_release)
    low, high = scale = options.scale or USUAL_SCALE
    missing = {role: value for role, value in USUAL.items() if role not in frame}
    complete = frame.assign(**missing, score=frame["score"].astype(object))
    accepted = complete["accepted"].str.casefold().map(TRUTH).astype(bool)
    tidy = tidy_assessments(
        complete.assign(accepted=accepted),
        origin,
        scale=scale,
        only_quality_control="keep" if is_release else "refuse",
    )
    tidy["language_pair"] = tidy["language_pair"].cat.rename_categories([task])
    if is_release:
        tidy["hit"] = tidy["hit"].cat.rename_categories({exports.UNKNOWN: ""})
    same = ", ".join(role for role in table.used if role not in (*TASK, "accepted"))
    repeats = int(frame[roles].duplicated().sum())
    warnings += of_repeats(repeats, len(frame), "assessments", same)
    scores = f"scores run from {tidy['score'].min():g} to {tidy['score'].max():g}"
    people = {}
    if "worker" not in used:
        tidy["worker"] = tidy["worker"].cat.rename_categories([""])
        fault = "no column names the workers: raw scores are ranked, as if one worker"
        step = column("worker", "NAME")
        warnings.append(joined(f"{fault} gave them all; if there is one, add ", step))
    elif not (is_export or is_release):  # those are public
        people = dict(zip(tidy["worker"], frame["worker"], strict=True))
    return of_assessments(
        tidy,
        path=table.path,
        sha256=table.sha256,
        task=task,
        scale=scale,
        people=people,
        warnings=tuple(warnings),
        reading=f"{reading}; {scores} on a scale of {low:g} to {high:g}",
    )


def _check_usual_scale(scores: pd.Series, origin: Origin, *, is_release: bool) -> None:
    """Refuse the first score off the usual scale, if all scores are numbers."""
    numbers = pd.to_numeric(scores, errors="coerce").to_numpy(np.float64)
    low, high = USUAL_SCALE
    if is_release and (numbers < low).any():
        raise origin.refuse(
            f"holds z-scores; expected scores from {low} to {high}, or the name of the"
            " campaign instead of the file, as in wmt22:de-en",
        )
    row = first_row((numbers < low) | (numbers > high))
    if row is not None and np.isfinite(numbers).all():
        score = shown(scores.iloc[row])
        raise origin.refuse(
            f"score is {score}; expected a number from {low} to {high}, or ",
            SCALE,
            f" (scores run from {numbers.min():g} to {numbers.max():g})",
            row=row,
        )


def _check_parts(system: pd.Series, origin: Origin) -> None:
    """Refuse a joint name of which a part is not a system of the file.

    `A+B` stands for identical outputs of A and B; a system called `base+tuned` would be
    taken for two.
    """
    names = set(system)
    for row, name in enumerate(system):
        unknown = [part for part in single_systems(name) if part not in names]
        if unknown:
            raise origin.refuse(
                f"system {shown(name)} joins {shown(unknown[0])}, which is not a system"
                " of the file; expected no '+' in the name of one system",
                row=row,
            )
