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
    DIRECTION,
    SCALE,
    SKIP_BAD,
    DataError,
    Origin,
    column,
    first_row,
    setting,
    shown,
    warning,
)
from wmtlib.reading.cells import (
    TRUTH,
    is_missing,
    joint_names,
    may_be_penalty,
    of_task,
    select_rows,
)
from wmtlib.reading.columns import TASK, Options
from wmtlib.reading.judgements import Judgements, of_assessments
from wmtlib.reading.tables import DOCUMENT, RELEASE, TYPES, Table

RATING = r'^\[\{"rating": *([0-9.]+)\}\]$'  # Label Studio's way to write 4
LEFT_OUT = ("tutorials", "controls", "whole documents")  # of Appraise
FEW = 3  # segments, and systems of a segment; fewer may look like ranks by chance


def read_assessments(table: Table, options: Options, task: str | None) -> Judgements:
    """The assessments of one task."""
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
        words = frame["accepted"].str.casefold()
        columns["accepted"] = words.map(TRUTH).astype(bool)
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
    """The rows that are assessments of segments of systems, and a remark on the others.

    Left out are the documents of the tutorial, controls, and scores of whole documents.

    Raises
    ------
    DataError
        A row has a type that is unknown.
    """
    kinds = {**TYPES, DOCUMENT: "whole documents"}
    kind = frame["item"].astype(object).map(kinds)
    if (row := first_row(kind.isna())) is not None:
        fault = f"type is {shown(frame['item'].iloc[row])}"
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
    """Scores of which high ones are good, their scale, and a remark on them."""
    # Without what tools write around them.
    words = frame["score"].cat.categories.str.replace(RATING, r"\1", regex=True)
    remark = ""
    if words.str.endswith("%").all():
        words = words.str.removesuffix("%")
        remark = "; of scores the percent sign is left out"
    scores = pd.Series(words.array[frame["score"].cat.codes], dtype=object)
    numbers = 0 + pd.to_numeric(scores, errors="coerce")  # never -0
    is_release = table.form == RELEASE
    if not is_release and options.lower_is_better is None:
        _ask_about_direction(frame, numbers, table.used["score"], origin, options)
    low, high = options.scale or USUAL_SCALE
    if options.scale is None and options.lower_is_better is not None:
        if numbers.max() <= 0:
            high = low
            low = float(numbers.min())  # the scale that penalties fill
        elif options.lower_is_better:
            high = max(high, float(numbers.max()))
    if is_release and (numbers < low).any():
        raise origin.refuse(
            f"holds z-scores; expected scores from {low} to {high}, or the name of the"
            " campaign instead of the file, as in wmt22:de-en",
        )
    row = first_row(~numbers.between(low, high))
    if row is not None:
        raise _no_score(scores[row], numbers, row, (low, high), origin)
    if len(scores) > FEW and scores.nunique() == 1:
        fault = f"all scores are {scores[0]}; expected scores that vary"
        step = "; if the judgements are error spans alone, add "
        raise origin.refuse(fault, step, setting("preset", "mqm"))
    if options.lower_is_better:
        remark += "; low ones are good: minus the score is ranked"
        return 0 - numbers, (0 - high, 0 - low), remark
    return numbers, (low, high), remark


def _ask_about_direction(
    frame: pd.DataFrame, numbers: pd.Series, name: str, origin: Origin, options: Options
) -> None:
    """Refuse scores of which low ones may be good, until the user says it."""
    # Ranks: whole numbers fill 1 to k, or 0 to k - 1, in all segments of all workers.
    roles = [role for role in ("worker", "document", "segment") if role in frame]
    groups = numbers.groupby([frame[role] for role in roles], observed=True)
    is_large = groups.ngroups >= FEW and len(numbers) >= FEW * groups.ngroups
    low = numbers.min()
    is_from_0 = low == 0 < numbers.max()
    ranks = [groups.rank(method) for method in ("min", "dense")]
    if may_be_penalty(name):
        fault = f"column {shown(name)} may hold penalties, errors or ranks"
    elif options.scale is None and low < 0 >= numbers.max():
        fault = f"scores run from {low:g} to {numbers.max():g}"
    elif is_large and any((numbers + is_from_0 == rank).all() for rank in ranks):
        fault = f"scores are {low:g}, {low + 1:g}, ... in every segment, as ranks are"
    else:
        return
    raise origin.refuse(fault, DIRECTION)


def _no_score(
    word: str,
    numbers: pd.Series,
    row: int,
    scale: tuple[float, float],
    origin: Origin,
) -> DataError:
    """The error about what is no number of the scale."""
    low, high = scale
    fault = f"score is {shown(word)}; expected a number from {low:g} to {high:g}"
    if numbers.isna().all():
        return origin.refuse(f"{fault}, with a point for decimals", row=row)
    steps: list[str] = [", or ", SCALE]
    if numbers[row] == -1 or is_missing(word):
        steps = ["; to leave out rows without a score, add ", SKIP_BAD, *steps]
    run = f" (scores run from {numbers.min():g} to {numbers.max():g})"
    return origin.refuse(fault, *steps, run, row=row)


def _escaped(
    frame: pd.DataFrame, options: Options, origin: Origin
) -> tuple[pd.Series, list[str]]:
    """Escape every `+` in names that do not stand for identical outputs.

    A joint name of which a part is no system of the file is refused.
    """
    joint, warnings = joint_names(frame, options, origin)
    names = [*frame["system"].cat.categories]
    for name in names:
        unknown = {*single_systems(name)}.difference(names)
        if unknown and options.joint_names != "keep":
            raise origin.refuse(
                f"system {shown(name)} joins {shown(min(unknown))}, which is not a"
                " system of the file; if it is one system, add ",
                setting("joint_names", "keep"),
                row=first_row(frame["system"] == name),
            )
    own = {name: name.replace(JOINT, ESCAPED) for name in names if name not in joint}
    return frame["system"].cat.rename_categories(own), warnings
