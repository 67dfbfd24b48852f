"""Cells of a table by role: what they may hold, bad rows, joint names, the task."""

import re
from collections.abc import Callable
from itertools import chain

import numpy as np
import pandas as pd

from wmtlib.counts import UNRANKED
from wmtlib.errors import (
    SKIP_BAD,
    Message,
    Origin,
    column,
    first_row,
    joined,
    listed,
    setting,
    shown,
    warning,
)
from wmtlib.forms import clean, is_tie
from wmtlib.reading.columns import OF_COMPARISONS, Options, SeveralTasks
from wmtlib.reading.tables import KNOWN, Table, as_text

LONGEST_NAME = 500  # characters of the name of a system or a task
MOST_SYSTEMS = 5000
MANY = 30  # systems; more, in fewer than twice as many rows, may be texts
SYSTEMS = ("a", "b", "system")  # roles that hold names of systems
JUDGES = ("judge", "worker")
FLAGS = ("tied", "is_tie", "both_bad", "both_good")
RANKED = ("rank", "rank_a", "rank_b")
SCORED = ("outcome", "score", "score_a", "score_b")  # looked at elsewhere
MISSING = {*KNOWN["missing"]}
NOBODY = MISSING.union(KNOWN["nobody"])
TRUTH = KNOWN["truth"]


def is_name(word: str) -> bool:
    """Whether a cell holds what can be the name of a system or a task."""
    seen = re.sub("[\u200c\u200d]", "", word)  # `clean` leaves those that are needed
    return 0 < len(seen) <= LONGEST_NAME and seen.isprintable()


def means_tie(word: str) -> bool | None:
    """Whether a cell beside winner and loser says that they tied; None if it is odd."""
    return True if is_tie(word) else KNOWN["tied"].get(word.casefold())


def are_tied(frame: pd.DataFrame) -> np.ndarray:
    """Tell which rows a column of ties calls one, (rows,)."""
    is_tied = np.zeros(len(frame), dtype=np.bool_)
    for role in frame.columns.intersection(FLAGS):
        is_tied |= frame[role].map(means_tie).to_numpy(np.bool_)
    return is_tied


def may_be_penalty(column: str) -> bool:
    """Tell whether scores of a column called so may be good where they are low.

    >>> may_be_penalty("avgMQM_a"), may_be_penalty("errors1"), may_be_penalty("terse")
    (True, True, False)
    """
    words = re.findall("[A-Z]+(?![a-z])|[A-Z]?[a-z]+", column)
    return not {*KNOWN["penalties"]}.isdisjoint(map(str.casefold, words))


def is_missing(word: str) -> bool:
    """Whether nothing stands in a cell, as people write that.

    >>> is_missing("N/A"), is_missing(" "), is_missing("0")
    (True, True, False)
    """
    return word.strip().casefold() in MISSING


def is_person(word: str) -> bool:
    """Whether a cell tells one person from others."""
    return word.casefold() not in NOBODY


NAME = f"a name (at most {LONGEST_NAME} visible characters)"
# What is true of a fine cell, and what such a cell is, by role; the others hold
# anything but blanks.
ALLOWED: dict[str, tuple[Callable[[str], object], str]] = {
    **dict.fromkeys((*SYSTEMS, "task"), (is_name, NAME)),
    **dict.fromkeys(
        RANKED,
        (
            re.compile(rf"(0*[1-9][0-9]{{0,8}}|{UNRANKED})(\.0*)?").fullmatch,
            f"a whole number from 1, or {UNRANKED} for no rank",
        ),
    ),
    **dict.fromkeys(
        ("count", "wins", "wins_a", "wins_b", "ties"),
        (  # 1.000 may be thousands
            re.compile(r"\s*[0-9]{1,12}(\.(?!000\s*$)0*)?\s*").fullmatch,
            "a whole number from 0",
        ),
    ),
    **dict.fromkeys(JUDGES, (is_person, "a name of one person")),
    **dict.fromkeys((*SCORED, "judge_group"), (lambda word: True, "")),
    **dict.fromkeys(
        FLAGS, (lambda word: means_tie(word) is not None, "true, false, tie")
    ),
    **dict.fromkeys(
        ("accepted", "swapped"),
        (lambda word: word.casefold() in TRUTH, "true, false, 1 or 0"),
    ),
}
# What tells apart the outputs that were judged side by side.
SCREEN = ("task", "ranking", "judge", "worker", "hit", "document", "segment")
JOINT_NAMES = Message("joint_names", "--joint-names")
IDENTICAL = joined(
    "; they are taken for identical outputs: a judgement counts for each of them; if"
    " they are systems, add ",
    setting("joint_names", "keep"),
)
OWN = joined(
    ", and are judged beside these: they are taken for systems; if they are identical"
    " outputs, add ",
    setting("joint_names", "split"),
)
LEAVE_OUT = "; to leave the column out, add "
SKIP = joined("; to leave such rows out, add ", SKIP_BAD)


def select_rows(
    table: Table, options: Options, *, grouped: bool = False
) -> tuple[pd.DataFrame, list[str]]:
    """The columns by role, checked; without bad rows, which are counted, if wanted."""
    frame, warnings = cleaned(table.select(table.used, grouped=grouped))
    used = {role: name for role, name in table.used.items() if role in frame}
    is_header = frame[[*used]].astype(object).eq(pd.Series(used)).all(axis=1)
    if not options.skip_bad and (row := first_row(is_header)) is not None:
        fault = "repeats the header; expected a judgement"
        raise table.origin.refuse(fault, SKIP, row=frame["place"][row])
    _ask_about_texts(table, frame, options)
    if options.skip_bad and (bad := is_header | _is_bad(frame, options)).any():
        n_bad = frame.loc[bad, "n"].sum()
        line = f"{n_bad} of {frame['n'].sum()} rows are bad and left out ("
        warnings.append(warning("rows_left_out", line, SKIP_BAD, ")"))
        frame = frame[~bad].reset_index(drop=True)
        for role in frame.columns.drop(["n", "place"]):
            frame[role] = frame[role].cat.remove_unused_categories()
    check_cells(table, frame)
    return frame, warnings


def cleaned(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Clean all cells, by their categories; warn of names that were not clean."""
    unclean: set[str] = set()
    for role in frame.columns.drop(["n", "place"]):
        words = frame[role].cat.categories
        if changed := {word for word in words if word != clean(word)}:
            frame[role] = as_text(frame[role].map(clean))
            if role not in (*SCORED, *KNOWN["numbers"]):
                unclean |= changed
    if not unclean:
        return frame, []
    line = f"{len(unclean)} names are cleaned of blanks and of letters that are not"
    return frame, [f"{line} seen; names that are then the same are one"]


def _ask_about_texts(table: Table, frame: pd.DataFrame, options: Options) -> None:
    """Refuse systems that are as many as texts would be, until the user says it."""
    sides = [role for role in SYSTEMS if role in frame]
    own = [table.used[role] for role in sides]
    names = {*chain(*(frame[role].cat.categories for role in sides))}
    rows = frame["n"].sum()
    is_said = {*own} & {*options.columns.values()}
    if len(names) <= max(MANY, rows / 2) or is_said or {"count", "wins_a"} & {*frame}:
        return
    roles = ("winner", "loser") if table.layout == "winners" else sides
    fault = f"holds {len(names)} systems in {rows} rows, as if they were texts; if not,"
    header = f"; else with other names of the header: {listed(table.header, 12)}"
    steps = joined(*map(column, roles, own), between=" ")
    raise table.refuse_header(f"{fault} add ", steps, header)


def _is_bad(frame: pd.DataFrame, options: Options) -> np.ndarray:
    """Whether a row may be left out if the user says so, (rows,)."""
    sides = [role for role in SYSTEMS if role in frame]
    bad = np.zeros(len(frame), dtype=np.bool_)
    if "a" in frame:
        bad |= frame["a"].astype(object) == frame["b"].astype(object)
    systems = {name for side in sides for name in frame[side].cat.categories if name}
    kept = systems.union(options.outcomes)
    low = options.scale[0] if options.scale else 0
    for role in frame.columns.intersection([*SYSTEMS, *JUDGES, *RANKED, *SCORED]):
        words = frame[role].cat.categories
        if role in SYSTEMS or role in JUDGES:
            is_fine = len if role in SYSTEMS else is_person
            gone = [not is_fine(word) for word in words]
        else:
            gone = [is_missing(word) and word not in kept for word in words]
        if role == "score" and low == 0:  # a mark of tools that have no blank cells
            gone |= words.isin(["-1", "-1.0"])
        gone = np.array(gone, dtype=np.bool_)[frame[role].cat.codes]
        bad |= gone & ~are_tied(frame) if role == "outcome" else gone
    return bad


def check_cells(table: Table, frame: pd.DataFrame) -> None:
    """Refuse a cell that its role does not allow, too many names, a system twice."""
    for role in frame.columns.drop(["n", "place"]):
        allowed, expected = ALLOWED.get(role, (len, "a name"))
        words = frame[role].cat.categories
        if expected == NAME and len(words) > MOST_SYSTEMS:
            name = shown(table.used.get(role, role))
            fault = f"column {name} holds {len(words)} names"
            steps = [LEAVE_OUT, column(role, None)] if role == "task" else []
            expected = f"; expected at most {MOST_SYSTEMS}"
            raise table.origin.refuse(fault, expected, *steps)
        bad = np.array([not allowed(word) for word in words], dtype=np.bool_)
        if (row := first_row(bad[frame[role].cat.codes])) is not None:
            value, place = frame[[role, "place"]].iloc[row]
            fault = f"{table.called(role)} is {shown(value)}; expected {expected}"
            steps = []
            is_unit = role in OF_COMPARISONS and "a" in frame
            if is_unit or role in (*JUDGES, *FLAGS, "count", "task", "document"):
                steps = [LEAVE_OUT, column(role, None)]
            if role in JUDGES or (role in (*SYSTEMS, *RANKED) and is_missing(value)):
                steps.append(SKIP)
            if role in RANKED and value in ("0", "0.0"):
                steps.append("; if ranks run from 0, add 1 to each")
            raise table.origin.refuse(fault, *steps, row=place)
    if "a" in frame:
        row = first_row(frame["a"].astype(object) == frame["b"].astype(object))
        if row is not None:
            name, place = frame[["a", "place"]].iloc[row]
            fault = f"system {shown(name)} is compared with itself"
            raise table.origin.refuse(fault, "; expected two systems", SKIP, row=place)


def whole_numbers(values: pd.Series) -> np.ndarray:
    """Categories of whole numbers as integers, (rows,)."""
    return values.astype(np.float64).to_numpy(np.int64)


def of_task(
    frame: pd.DataFrame, task: str | None, origin: Origin
) -> tuple[str, pd.DataFrame]:
    """The task that is meant, and its rows.

    Raises
    ------
    SeveralTasks
        None is chosen.
    DataError
        There are no rows, or not the task that is chosen.
    """
    if frame.empty:
        raise origin.refuse("holds a header but no judgements")
    tasks = sorted(frame["task"].unique()) if "task" in frame else [""]
    if task is None and len(tasks) > 1:
        several = origin.refuse(
            f"holds {len(tasks)} tasks: {listed(tasks, 20)}; choose one by ",
            Message("task", "--task, or each by --task all"),
            " (",
            column("task", None),
            " takes them together)",
        )
        raise SeveralTasks(several.args[0], tasks)
    if task not in (None, *tasks):
        held = f"holds {listed(tasks, 20)}" if any(tasks) else "names no task"
        raise origin.refuse(f"no task {shown(task)}; it {held}")
    task = tasks[0] if task is None else task
    return task, frame[frame["task"] == task] if "task" in frame else frame


def joint_names(
    frame: pd.DataFrame, options: Options, origin: Origin
) -> tuple[set[str], list[str]]:
    """Find names (`A+B`) that stand for identical outputs of other systems.

    Their parts stand alone, too, but never beside them: what is compared with A, or
    ranked or scored by one judge on one segment together with A, is another system.

    Returns
    -------
    names : set of str
    warnings : list of str
        What is assumed, where the user does not say it.
    """
    if options.joint_names not in (None, "split", "keep"):
        raise origin.refuse(JOINT_NAMES, ": expected split or keep")
    sides = [role for role in SYSTEMS if role in frame]
    names = {name for side in sides for name in frame[side].cat.categories}
    joint = {
        name for name in names if "+" in name and names.issuperset(name.split("+"))
    }
    if options.joint_names == "keep":
        return set(), []
    if options.joint_names or not joint:
        return joint, []
    screens = frame[sides].drop_duplicates().agg(set, axis=1)
    if sides == ["system"]:
        told_apart = [*frame.columns.intersection(SCREEN)]
        screens = frame.groupby(told_apart, observed=True)["system"].agg(set)
    beside = {
        name
        for screen in screens
        for name in joint & screen
        if not screen.isdisjoint(name.split("+"))
    }
    warnings: list[str] = []
    for some, remark in ((joint - beside, IDENTICAL), (beside, OWN)):
        if some:
            line = f"{len(some)} of {len(names)} names join others, as"
            line = f"{line} {shown(min(some))} does"
            warnings.append(warning("joint_names", line, remark))
    return joint - beside, warnings


def split_joint_names(
    frame: pd.DataFrame, options: Options, origin: Origin
) -> tuple[pd.DataFrame, list[str]]:
    """Give a row to each part of a name that stands for identical outputs."""
    joint, warnings = joint_names(frame, options, origin)
    if not joint:
        return frame, warnings
    sides = [role for role in SYSTEMS if role in frame]
    for side in sides:
        parts = [name.split("+") if name in joint else [name] for name in frame[side]]
        frame = frame.assign(**{side: parts}).explode(side)
        frame[side] = as_text(frame[side])
    if len(sides) == 2:  # a system is not compared with itself
        frame = frame[frame["a"].astype(object) != frame["b"].astype(object)]
    # Several rows of the same place are one row of the file still.
    frame = frame.assign(n=frame["n"] * ~frame.index.duplicated())
    return frame.reset_index(drop=True), warnings
