"""Which column of a user's file holds what: its layout, and the column of every role.

Case, blanks and hyphens in the names of columns do not count. A file in which two columns fit one
role is refused unless the user says which is meant; of several columns that could name the task
(a language pair, a domain) the first of `TASK_NAMES` is taken, and the others are warned about.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from wmtlib.counts import WMT_COLUMNS
from wmtlib.errors import DataError, Origin, shown
from wmtlib.files.column_names import (
    ALIASES,
    LANGUAGES,
    LAYOUTS,
    ONLY_LANGUAGES,
    PAIRED,
    TASK_NAMES,
    UNITS,
    Layout,
)
from wmtlib.files.opening import listed
from wmtlib.yours.names import cut

LONGEST_NAME = 500  # characters of the name of a system or a task


class SeveralTasks(DataError):
    """A file holds several tasks, and none was chosen."""

    def __init__(self, message: str, tasks: Sequence[str]):
        super().__init__(message)
        self.tasks = tasks


def key(name: str) -> str:
    """The name of a column as `ALIASES` write it."""
    return re.sub(r"[\s-]+", "_", name.strip().casefold())


def require_kind(kind: str | None, origin: Origin) -> None:
    """Refuse a kind of judgement that does not exist."""
    kinds = [*UNITS]
    if kind is not None and kind not in kinds:
        raise origin.refuse(None, f"kind is {shown(kind)}; expected one of {', '.join(kinds)}")


def recognise(
    header: Sequence[str],
    kind: str | None,
    columns: Mapping[str, str | None],
    origin: Origin,
    *,
    holds_languages: Callable[[str], bool] = lambda name: True,
) -> tuple[str, dict[str, str]]:
    """Layout of a file, and the column of every role that the file has.

    WMT's own layout of rankings has no roles: its columns stand for themselves.

    Parameters
    ----------
    kind : str or None
        Key of `UNITS`; any if None.
    columns : mapping from role to column
        What the user chose; None for a role that is to be ignored.
    holds_languages : callable
        Whether the values of a column look like languages.

    Raises
    ------
    DataError
        No layout, layouts of several kinds, or several columns for a role fit; a choice that
        cannot be.
    """
    if set(WMT_COLUMNS) <= set(header) and kind in (None, "rankings") and not columns:
        return "rankings", {name: name for name in WMT_COLUMNS}
    possible = {name: one for name, one in LAYOUTS.items() if kind in (None, one.kind)}
    roles = {*chain(*(layout.needed + layout.more for layout in possible.values()))}
    _check_choice(header, columns, roles, origin)
    found = {}
    for name, layout in possible.items():
        roles = (*layout.needed, *layout.more)
        fitting = _fitting(header, roles, columns, holds_languages)
        if set(layout.needed) <= set(fitting) and set(columns) <= set(roles):
            found[name] = fitting
    if not found:
        raise _unrecognised(header, possible, columns, origin)
    kinds = [*dict.fromkeys(LAYOUTS[name].kind for name in found)]
    if len(kinds) > 1:
        step = " or ".join(f"--kind {kind}" for kind in kinds)
        raise origin.refuse_line(1, f"the header fits {' and '.join(kinds)}; choose by {step}")
    layout, fitting = next(iter(found.items()))
    by_column: dict[str, list[str]] = {}
    for role, names in fitting.items():
        if len(names) > 1:
            message = f"columns {listed(names, 12)} could each be the {role}"
            raise origin.refuse_line(1, f"{message}; choose by --column {role}={names[0]}")
        by_column.setdefault(names[0], []).append(role)
    for name, roles in by_column.items():
        if len(roles) > 1:
            message = f"column {shown(name)} is taken for {' and '.join(roles)}"
            raise origin.refuse_line(1, f"{message}; expected a column each")
    layout_roles = LAYOUTS[layout].needed + LAYOUTS[layout].more
    return layout, {role: fitting[role][0] for role in layout_roles if role in fitting}


def _unrecognised(
    header: Sequence[str],
    layouts: Mapping[str, Layout],
    columns: Mapping[str, str | None],
    origin: Origin,
) -> DataError:
    """The error about a header that fits no layout: the one that lacks least, and the next step."""
    if len(header) == 1:
        message = f"the header is one column, {shown(header[0])}; expected several"
        return origin.refuse_line(1, f"{message}, in text between commas, tabs or semicolons")
    missing = {}
    for layout in layouts.values():
        if set(columns) <= {*layout.needed, *layout.more}:
            fitting = _fitting(header, layout.needed, columns, lambda name: True)
            missing[layout] = [role for role in layout.needed if role not in fitting]
    if not missing:
        return origin.refuse(None, f"no kind of file has columns {', '.join(columns)} together")
    nearest = min(missing, key=lambda layout: len(missing[layout]) / len(layout.needed))
    options = " ".join(f"--column {role}=NAME" for role in missing[nearest])
    return origin.refuse_line(
        1,
        f"the header is {listed([cut(name, 16) for name in header], 3)}; expected"
        f" {', '.join(nearest.needed)} ({nearest.kind}); for other names add {options};"
        " other kinds: wmtlib rank --help",
    )


def _check_choice(
    header: Sequence[str], columns: Mapping[str, str | None], roles: set[str], origin: Origin
) -> None:
    """Refuse a choice of columns that are not there, or of roles that do not exist."""
    for role, name in columns.items():
        if role not in roles:
            message = f"no role {shown(role)} for a column; expected {', '.join(sorted(roles))}"
            raise origin.refuse(None, message)
        if name is not None and name not in header:
            message = f"column {shown(name)} is missing; the header is {listed(header, 12)}"
            raise origin.refuse_line(1, message)


def _fitting(
    header: Sequence[str],
    roles: Sequence[str],
    columns: Mapping[str, str | None],
    holds_languages: Callable[[str], bool],
) -> dict[str, list[str]]:
    """The columns that each role could be, those that the user chose first."""
    found = {role: [name] for role, name in columns.items() if name is not None}
    chosen = set(chain(*found.values()))
    free = {key(name): name for name in header if name not in chosen}
    known = {key(name) for name in header}
    for pair, names in PAIRED.items():
        present = [both for both in names if known.issuperset(both)]
        for k, role in enumerate(pair):
            if role in roles and role not in columns:
                fitting = [free[both[k]] for both in present if both[k] in free]
                found |= {role: fitting} if fitting else {}
    for role in roles:
        if role not in columns and role in ALIASES:
            fitting = [name for name in header if key(name) in ALIASES[role] and name not in chosen]
            found |= {role: fitting} if fitting else {}
    if "task" in roles and not {"task", "target"} & set(columns):
        taken = {*chain(*found.values())}
        free = {k: name for k, name in free.items() if name not in taken}
        found |= _task(free, holds_languages)
    return found


def _task(free: Mapping[str, str], holds_languages: Callable[[str], bool]) -> dict[str, list[str]]:
    """The column of the task, or those of source and target language, among free columns."""

    def fits(name: str) -> bool:
        return name in free and (name not in ONLY_LANGUAGES or holds_languages(free[name]))

    for k, names in enumerate(TASK_NAMES):
        if k == 2:  # two columns say more than one
            for source, target in LANGUAGES:
                if fits(source) and fits(target):
                    return {"task": [free[source]], "target": [free[target]]}
        for name in names:
            if fits(name):
                return {"task": [free[name]]}
    return {}


def called(role: str, used: Mapping[str, str]) -> str:
    """A role and, if it is another, the name of its column."""
    return role if used.get(role, role) == role else f"{role} (column {shown(used[role])})"


def described(used: Mapping[str, str], unused: Sequence[str]) -> str:
    """One line on the columns: what each was used for, and which were not.

    >>> described({"a": "model_a", "b": "b", "outcome": "winner"}, ["prompt"])
    "a = 'model_a', b, outcome = 'winner'; not used: 'prompt'"
    """
    roles = [role if role == name else f"{role} = {shown(name)}" for role, name in used.items()]
    words = ", ".join(roles)
    return f"{words}; not used: {listed(unused, 12)}" if unused else words


def choose(tasks: Sequence[str], task: str | None, origin: Origin) -> str:
    """The task that is meant.

    Raises
    ------
    SeveralTasks
        None is chosen.
    DataError
        The file does not have the one that is.
    """
    if task is None and len(tasks) > 1:
        message = (
            f"holds {len(tasks)} tasks: {listed(tasks, 20)}; choose one by --task, or each by"
            " --task all (--column task= takes them together)"
        )
        raise SeveralTasks(str(origin.refuse(None, message)), tasks)
    if task is not None and task not in tasks:
        known = f"it holds {listed(tasks, 20)}" if any(tasks) else "it names no task"
        raise origin.refuse(None, f"no task {shown(task)}; {known}")
    return tasks[0] if task is None else task


def fault_of_name(name: str | None) -> str:
    """Why a system or a task cannot have a name; empty if it can."""
    if name is None or not name.strip():
        return "expected a name"
    if name != name.strip():
        return "expected a name without blanks around it"
    if len(name) > LONGEST_NAME:
        return f"expected a name of at most {LONGEST_NAME} characters"
    return "" if name.isprintable() else "expected a name without invisible characters"
