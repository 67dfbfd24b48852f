"""Cells of a table by role: which are allowed, bad rows, joint names, the task."""

import re
from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np
import pandas as pd

from wmtlib.checks import LONGEST_NAME, clean
from wmtlib.errors import (
    DIRECTION,
    SKIP_BAD,
    Message,
    Origin,
    column,
    first_row,
    join_names,
    joined,
    setting,
    short_repr,
    warning,
)
from wmtlib.forms import is_called, is_tie, joint_of
from wmtlib.reading.columns import LAYOUTS, Options, SeveralTasks
from wmtlib.reading.tables import KNOWN, Table, as_text

MOST_SYSTEMS = 5000
MANY = 30  # systems; more, in fewer than twice as many rows, may be texts
FEW = 3  # numbers of a segment, and segments; fewer may look like ranks by chance
SYSTEMS = ("a", "b", "system")  # roles that hold names of systems
JUDGES = ("judge", "worker")
FLAGS = ("tied", "is_tie", "both_bad", "both_good")
RANKED = ("rank", "rank_a", "rank_b")
SCORED = ("outcome", "score", "score_a", "score_b")  # checked elsewhere
# Roles that a layout cannot do without.
NEEDED = {layout.name: {*layout.needed}.difference(JUDGES) for layout in LAYOUTS}


def is_name(word: str) -> bool:
    """Return whether a cell holds what can be the name of a system or a task."""
    seen = re.sub("[\u200c\u200d]", "", word)  # `clean` leaves those that are needed
    return 0 < len(seen) <= LONGEST_NAME and seen.isprintable()


def flag_of(word: str) -> bool | None:
    """Return whether a cell sets a flag; None if it is neither true nor false.

    >>> flag_of("Yes"), flag_of("both_bad"), flag_of("0"), flag_of("perhaps")
    (True, True, False, None)
    """
    return True if is_tie(word) else KNOWN["truth"].get(word.casefold())


def is_flag(word: str) -> bool:
    """Return whether a cell is true or false, or blank for false."""
    return flag_of(word) is not None


def are_set(frame: pd.DataFrame, roles: Sequence[str]) -> np.ndarray:
    """Return the rows that have a flag in one of some columns, (rows,)."""
    is_set = np.zeros(len(frame), dtype=np.bool_)
    for role in frame.columns.intersection(roles):
        is_set |= frame[role].map(flag_of).eq(True).to_numpy(np.bool_)
    return is_set


def is_missing(word: str, what: str = "missing") -> bool:
    """Return whether a cell is empty, or says so; "nobody" if it names no person.

    >>> is_missing("N/A"), is_missing(" "), is_missing("0"), is_missing("?", "nobody")
    (True, True, False, True)
    """
    return word.strip().casefold() in KNOWN[what]


NAME = f"a name (at most {LONGEST_NAME} visible characters)"
# A test of a cell, and the words for a cell that passes it, by role; others hold
# anything but blanks.
ALLOWED: dict[str, tuple[Callable[[str], object], str]] = {
    role: (re.compile(one["pattern"]).fullmatch, one["expected"])
    for one in KNOWN["cells"]
    for role in one["roles"]
}
ALLOWED |= dict.fromkeys((*SYSTEMS, "task"), (is_name, NAME))
ALLOWED |= dict.fromkeys(
    JUDGES, (lambda word: not is_missing(word, "nobody"), "a name of one person")
)
ALLOWED |= dict.fromkeys(FLAGS, (is_flag, "true, false, tie"))
ALLOWED |= dict.fromkeys(
    ("accepted", "swapped"),
    (lambda word: word and is_flag(word), "true, false, 1 or 0"),
)
# Roles that tell apart the outputs that were judged side by side.
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
    """Return the columns by role, checked, and warnings.

    Bad rows are left out, and counted, if the user wants it.
    """
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


def _names(frame: pd.DataFrame) -> tuple[list[str], set[str]]:
    """Return the roles of systems in a frame, and all names of systems."""
    sides = [role for role in SYSTEMS if role in frame]
    return sides, {*chain(*(frame[side].cat.categories for side in sides))}


def _ask_about_texts(table: Table, frame: pd.DataFrame, options: Options) -> None:
    """Refuse systems that are as many as texts would be, until the user says it."""
    sides, names = _names(frame)
    own = [table.used[role] for role in sides]
    rows = frame["n"].sum()
    is_said = {*own} & {*options.columns.values()}
    if len(names) <= max(MANY, rows / 2) or is_said or {"count", "wins_a"} & {*frame}:
        return
    roles = ("winner", "loser") if table.layout == "winners" else sides
    fault = f"holds {len(names)} systems in {rows} rows, as if they were texts; if not,"
    header = f"; else with other names of the header: {join_names(table.header, 12)}"
    steps = joined(*map(column, roles, own), between=" ")
    raise table.refuse_header(f"{fault} add ", steps, header)


def _is_itself(frame: pd.DataFrame) -> np.ndarray:
    """Return the rows that compare a system with itself, (rows,)."""
    if "a" not in frame:
        return np.zeros(len(frame), dtype=np.bool_)
    return (frame["a"].astype(object) == frame["b"].astype(object)).to_numpy()


def _is_bad(frame: pd.DataFrame, options: Options) -> np.ndarray:
    """Return the rows that may be left out if the user says so, (rows,)."""
    bad = _is_itself(frame)
    kept = _names(frame)[1].difference([""]).union(options.outcomes)
    lists = dict.fromkeys(JUDGES, "nobody")
    if not options.scale or options.scale[0] == 0:
        lists["score"] = "no_score"
    for role in frame.columns.intersection([*SYSTEMS, *JUDGES, *RANKED, *SCORED]):
        words = frame[role].cat.categories.difference(kept)
        missing = lists.get(role, "missing")
        is_gone = frame[role].isin([w for w in words if is_missing(w, missing)])
        if role == "outcome":
            is_gone &= ~are_set(frame, FLAGS)
        bad = bad | is_gone.to_numpy()
    return bad


def check_cells(table: Table, frame: pd.DataFrame) -> None:
    """Refuse a cell that its role does not allow, too many names, a system twice."""
    needed = NEEDED.get(table.layout, frame)
    for role in frame.columns.drop(["n", "place"]):
        is_allowed, expected = ALLOWED.get(role, (len, "a name"))
        words = frame[role].cat.categories
        steps = [] if role in needed else [LEAVE_OUT, column(role, None)]
        if expected == NAME and len(words) > MOST_SYSTEMS:
            name = short_repr(table.used.get(role, role))
            fault = f"column {name} holds {len(words)} names; expected at most"
            raise table.origin.refuse(f"{fault} {MOST_SYSTEMS}", *steps)
        bad = [word for word in words if not is_allowed(word)]
        if (row := first_row(frame[role].isin(bad))) is not None:
            value, place = frame[[role, "place"]].iloc[row]
            fault = f"{table.called(role)} is {short_repr(value)}; expected {expected}"
            if role in JUDGES or (role in (*SYSTEMS, *RANKED) and is_missing(value)):
                steps.append(SKIP)
            if role in RANKED and value in ("0", "0.0"):
                steps.append("; if ranks run from 0, add 1 to each")
            raise table.origin.refuse(fault, *steps, row=place)
    if (row := first_row(_is_itself(frame))) is not None:
        name, place = frame[["a", "place"]].iloc[row]
        fault = (
            f"system {short_repr(name)} is compared with itself; expected two systems"
        )
        raise table.origin.refuse(fault, SKIP, row=place)


def whole_numbers(values: pd.Series) -> np.ndarray:
    """Return categories of whole numbers as integers, (rows,)."""
    return values.astype(np.float64).to_numpy(np.int64)


# --- which scores are good ------------------------------------------------------------


def are_ranks(numbers: pd.Series, groups: pd.Series) -> bool:
    """Return whether the numbers of every group are 1, 2, ..., as ranks are."""
    by_group = numbers.groupby(groups, observed=True)
    ranks = [by_group.rank(method) for method in ("min", "dense")]
    return bool(((numbers == ranks[0]) | (numbers == ranks[1])).all())


def ask_about_direction(
    origin: Origin,
    names: Sequence[str],
    scores: pd.Series,
    groups: pd.Series,
    options: Options,
) -> None:
    """Refuse scores of which low ones may be good, until the user says it.

    They are in some columns; each group of them was judged side by side.
    """
    if options.lower_is_better is not None:
        return
    low = scores.min()
    high = scores.max()
    number = groups.nunique()
    is_from_0 = low == 0 < high and len(scores) >= FEW * number
    penalties = [name for name in names if is_called(name, "penalties")]
    fault = ""
    if penalties:
        fault = f"column {short_repr(penalties[0])} may hold penalties, errors or ranks"
    elif options.scale is None and low < 0 >= high:
        fault = f"scores run from {low:g} to {high:g}"
    elif len(scores) - number >= FEW * (FEW - 1) and are_ranks(
        scores + is_from_0, groups
    ):
        fault = f"scores are {low:g}, {low + 1:g}, ... in every {groups.name}, as ranks"
        fault = f"{fault} are"
    if fault:
        raise origin.refuse(fault, DIRECTION)


# --- tasks, and joint names -----------------------------------------------------------


def of_task(
    frame: pd.DataFrame, task: str | None, origin: Origin
) -> tuple[str, pd.DataFrame]:
    """Return the task that is meant, and its rows.

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
            f"holds {len(tasks)} tasks: {join_names(tasks, 20)}; choose one by ",
            Message("task", "--task, or each by --task all"),
            " (",
            column("task", None),
            " takes them together)",
        )
        raise SeveralTasks(several.args[0], tasks)
    if task not in (None, *tasks):
        held = f"holds {join_names(tasks, 20)}" if any(tasks) else "names no task"
        raise origin.refuse(f"no task {short_repr(task)}; it {held}")
    task = tasks[0] if task is None else task
    return task, frame[frame["task"] == task] if "task" in frame else frame


def joint_names(
    frame: pd.DataFrame, options: Options, origin: Origin
) -> tuple[set[str], list[str]]:
    """Find names (`A+B`) of identical outputs of other systems.

    Their parts are judged, too, but never beside them: what is compared with A, or
    ranked or scored by one judge on one segment together with A, is another system.

    Returns
    -------
    names : set of str
    warnings : list of str
        On the assumptions, where the user does not say it.
    """
    choice = options.joint_names
    if choice not in (None, "split", "keep"):
        raise origin.refuse(JOINT_NAMES, ": expected split or keep")
    sides, names = _names(frame)
    joint = joint_of(names) if choice != "keep" else set()
    if choice or not joint:
        return joint, []
    screens = frame[sides].drop_duplicates().agg(set, axis=1)
    if sides == ["system"]:
        roles = [*frame.columns.intersection(SCREEN)]
        screens = frame.groupby(roles, observed=True)["system"].agg(set)
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
            line = f"{line} {short_repr(min(some))} does"
            warnings.append(warning("joint_names", line, remark))
    return joint - beside, warnings


def split_joint_names(
    frame: pd.DataFrame, options: Options, origin: Origin
) -> tuple[pd.DataFrame, list[str]]:
    """Give a row to each part of a name of identical outputs."""
    joint, warnings = joint_names(frame, options, origin)
    if not joint:
        return frame, warnings
    sides, _ = _names(frame)
    for side in sides:
        parts = [name.split("+") if name in joint else [name] for name in frame[side]]
        frame = frame.assign(**{side: parts}).explode(side)
        frame[side] = as_text(frame[side])
    if len(sides) == 2:  # a system is not compared with itself
        frame = frame[~_is_itself(frame)]
    # Several rows of the same place are one row of the file still.
    frame = frame.assign(n=frame["n"] * ~frame.index.duplicated())
    return frame.reset_index(drop=True), warnings
