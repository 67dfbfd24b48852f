"""Direct assessments, however they are laid out: a score for each judged output."""

import pandas as pd

from wmtlib.assessments import (
    ESCAPED,
    JOINT,
    USUAL,
    USUAL_SCALE,
    single_systems,
    tidy_assessments,
)
from wmtlib.checks import of_repeats
from wmtlib.errors import (
    SCALE,
    SKIP_BAD,
    Origin,
    column,
    first_row,
    setting,
    short_repr,
    warning,
)
from wmtlib.reading.cells import (
    FEW,
    are_set,
    ask_about_direction,
    is_missing,
    joint_names,
    of_task,
    select_rows,
)
from wmtlib.reading.columns import TASK, Options
from wmtlib.reading.judgements import Judgements, of_assessments
from wmtlib.reading.tables import DOCUMENT, RELEASE, TYPES, Table

RATING = r'^\[\{"rating": *([0-9.]+)\}\]$'  # Label Studio's way to write 4
LEFT_OUT = ("tutorials", "controls", "whole documents")  # of Appraise


def read_assessments(table: Table, options: Options, task: str | None) -> Judgements:
    """Check the assessments of one task."""
    is_release = table.form == RELEASE
    frame, warnings = select_rows(table, options)
    reading = ""
    if "item" in frame and "TGT" in frame["item"].cat.categories:
        frame, reading = _of_systems(frame, table.origin)
    task, frame = of_task(frame, task, table.origin)
    frame = frame.reset_index(drop=True)
    origin = table.origin.take(frame["place"])
    if not is_release:
        frame["system"], about_names = _escaped(frame, options, origin)
        warnings += about_names
    score, scale, remark = _scores(table, frame, origin, options)
    columns = {**USUAL, "worker": "-", **frame.assign(score=score, language_pair=task)}
    if "accepted" in frame:
        columns["accepted"] = are_set(frame, ["accepted"])
    tidy = tidy_assessments(
        pd.DataFrame(columns),
        origin,
        scale=scale,
        only_quality_control="keep" if is_release else "refuse",
    )
    if is_release:
        # A HIT that is not known.
        tidy["hit"] = tidy["hit"].cat.rename_categories({"NA": ""})
    same = ", ".join(role for role in table.used if role not in (*TASK, "accepted"))
    repeats = int(frame.drop(columns=["n", "place"]).duplicated().sum())
    warnings += of_repeats(repeats, len(frame), "assessments", same)
    low, high = scale
    scores = f"scores run from {tidy['score'].min():g} to {tidy['score'].max():g}"
    people = {}
    if "worker" not in frame:
        tidy["worker"] = tidy["worker"].cat.rename_categories([""])
        fault = "no column names the workers: raw scores are ranked, as if one worker"
        step = column("worker", "NAME")
        fault = f"{fault} gave them all; if there is one, add "
        warnings.append(warning("workers_unknown", fault, step))
    else:
        people = dict(zip(tidy["worker"], frame["worker"], strict=True))
    return of_assessments(
        tidy,
        task=task,
        scale=scale,
        people=people,
        warnings=tuple(warnings),
        reading=f"{reading}{remark}; {scores} on a scale of {low:g} to {high:g}",
    )


def _of_systems(frame: pd.DataFrame, origin: Origin) -> tuple[pd.DataFrame, str]:
    """Return the assessments of segments of systems, and a remark on the others.

    Left out are the documents of the tutorial, controls, and scores of whole documents.

    Raises
    ------
    DataError
        A row has a type that is unknown.
    """
    kinds = {**TYPES, DOCUMENT: "whole documents"}
    kind = frame["item"].astype(object).map(kinds)
    if (row := first_row(kind.isna())) is not None:
        fault = f"type is {short_repr(frame['item'].iloc[row])}"
        raise origin.refuse(f"{fault}; expected {', '.join(TYPES)}", row=row)
    if "document" in frame:
        kind[frame["document"].str.contains("tutorial")] = "tutorials"
        # After the name there may be "#bad" (if damaged), "#incomplete" or "#dup".
        document = frame["document"].str.replace(
            "#(bad|incomplete|dup).*", "", regex=True
        )
        frame = frame.assign(document=document.astype("category"))
    numbers = [f"{n} rows of {k}" for k in LEFT_OUT if (n := (kind == k).sum())]
    remark = f"; left out: {', '.join(numbers)}" if numbers else ""
    return frame[kind == "SYSTEM"].assign(item="SYSTEM"), remark


def _scores(
    table: Table, frame: pd.DataFrame, origin: Origin, options: Options
) -> tuple[pd.Series, tuple[float, float], str]:
    """Return scores of which high ones are good, their scale, and a remark on them."""
    # Without the signs that tools write around them.
    words = frame["score"].cat.categories.str.replace(RATING, r"\1", regex=True)
    remark = ""
    if words.str.endswith("%").all():
        words = words.str.removesuffix("%")
        remark = "; of scores the percent sign is left out"
    scores = pd.Series(words.array[frame["score"].cat.codes], dtype=object)
    numbers = 0 + pd.to_numeric(scores, errors="coerce")  # never -0
    low, high = options.scale or USUAL_SCALE
    if table.form != RELEASE:
        side_by_side = frame[
            frame.columns.intersection(["worker", "document", "segment"])
        ]
        groups = side_by_side.groupby([*side_by_side], observed=True).ngroup()
        names = [table.used["score"]]
        groups = groups.rename("segment")
        ask_about_direction(origin, names, numbers, groups, options)
    elif (numbers < low).any():
        raise origin.refuse(
            f"holds z-scores; expected scores from {low} to {high}, or the name of the"
            " campaign instead of the file, as in wmt22:de-en"
        )
    if options.scale is None and options.lower_is_better is not None:
        if numbers.max() <= 0:
            high = low
            low = float(numbers.min())  # the scale that penalties fill
        elif options.lower_is_better:
            high = max(high, float(numbers.max()))
    if (row := first_row(~numbers.between(low, high))) is not None:
        fault = f"score is {short_repr(scores[row])}; expected a number from {low:g} to"
        fault = f"{fault} {high:g}"
        if numbers.isna().all():
            raise origin.refuse(f"{fault}, with a point for decimals", row=row)
        steps = [", or ", SCALE]
        if numbers[row] == -1 or is_missing(scores[row]):
            steps = ["; to leave out rows without a score, add ", SKIP_BAD, *steps]
        run = f" (scores run from {numbers.min():g} to {numbers.max():g})"
        raise origin.refuse(fault, *steps, run, row=row)
    if len(scores) > FEW and scores.nunique() == 1:
        fault = f"all scores are {scores[0]}; expected scores that vary"
        step = "; if the judgements are error spans alone, add "
        raise origin.refuse(fault, step, setting("preset", "mqm"))
    if options.lower_is_better:
        remark += "; low ones are good: minus the score is ranked"
        return 0 - numbers, (0 - high, 0 - low), remark
    return numbers, (low, high), remark


def _escaped(
    frame: pd.DataFrame, options: Options, origin: Origin
) -> tuple[pd.Series, list[str]]:
    """Escape every `+` in names that are not of identical outputs.

    A joint name of which a part is no system of the file is refused.
    """
    joint, warnings = joint_names(frame, options, origin)
    names = [*frame["system"].cat.categories]
    for name in names:
        unknown = {*single_systems(name)}.difference(names)
        is_joint = "" not in unknown  # unlike C++
        if unknown and is_joint and options.joint_names != "keep":
            raise origin.refuse(
                f"system {short_repr(name)} joins {short_repr(min(unknown))}, which is"
                " not a system of the file; if it is one system, add ",
                setting("joint_names", "keep"),
                row=first_row(frame["system"] == name),
            )
    own = {name: name.replace(JOINT, ESCAPED) for name in names if name not in joint}
    return frame["system"].cat.rename_categories(own), warnings
