"""Which column of a user's file holds what: kinds of judgement, roles, and the names they may have.

Names count whatever the case of their letters. A file in which two columns fit one role is refused
unless the user says which is meant.
"""

from collections.abc import Mapping, Sequence
from itertools import chain

from wmtlib.files.opening import listed
from wmtlib.judgements.errors import Origin, shown
from wmtlib.judgements.relative_rankings import WMT_COLUMNS

PAIR_NAMES = tuple(  # names of the columns of the two systems that are compared
    tuple(pair.split())
    for pair in (
        *("a b", "system_a system_b", "systema systemb", "model_a model_b", "sys_a sys_b"),
        *("system_1 system_2", "system1 system2", "sys_1 sys_2", "sys1 sys2"),
        *("model_1 model_2", "model1 model2", "left right", "left_system right_system"),
    )
)
PEOPLE = ("annotator", "annotator_id", "rater", "rater_id")
ALIASES = {
    "outcome": ("outcome", "winner", "verdict", "preference", "result"),
    "judge": ("judge", "judge_id", *PEOPLE, "worker", "worker_id"),
    "worker": ("worker", "worker_id", *PEOPLE, "judge", "judge_id"),
    "segment": ("segment", "segment_id", "sid", "question_id", "prompt_id"),
    "task": ("task", "language_pair", "lp"),
    "ranking": ("ranking", "ranking_id"),
    "system": ("system", "system_id", "sys", "sys_id", "model"),
    "rank": ("rank",),
    "score": ("score", "raw_score", "rating"),
    "hit": ("hit", "hit_id"),
    "document": ("document", "document_id", "doc", "doc_id"),
    "item": ("item", "item_type"),
    "accepted": ("accepted",),
}
KINDS = {  # roles that a file of the kind must have, and that it may have
    "rankings": (("ranking", "system", "rank"), ("judge", "segment", "task")),
    "pairwise": (("a", "b", "outcome"), ("judge", "segment", "ranking", "task")),
    "assessments": (
        ("worker", "system", "segment", "score"),
        ("hit", "document", "item", "accepted", "task"),
    ),
}
UNITS = {  # roles that can be resampled
    "rankings": ("judge", "segment", "ranking"),
    "pairwise": ("judge", "segment", "ranking"),
    "assessments": ("worker", "hit"),
}
LONGEST_NAME = 500  # characters of the name of a system or a task


def recognise(
    header: Sequence[str],
    kind: str | None,
    columns: Mapping[str, str | None],
    origin: Origin,
) -> tuple[str, dict[str, str]]:
    """Kind of judgement, and the column of every role that the file has.

    The layout of WMT's rankings has no roles: its columns stand for themselves.

    Raises
    ------
    DataError
        No kind, several kinds, or several columns for a role fit; a choice that cannot be.
    """
    if kind is not None and kind not in KINDS:
        raise origin.refuse(None, f"kind is {shown(kind)}; expected one of {', '.join(KINDS)}")
    if set(WMT_COLUMNS) <= set(header) and kind in (None, "rankings") and not columns:
        return "rankings", {name: name for name in WMT_COLUMNS}
    possible = {name: roles for name, roles in KINDS.items() if kind in (None, name)}
    _check_choice(
        header, columns, {r for roles in possible.values() for r in chain(*roles)}, origin
    )
    found = {}
    for name, (needed, more) in possible.items():
        fitting = _fitting(header, (*needed, *more), columns)
        if set(needed) <= set(fitting) and set(columns) <= {*needed, *more}:
            found[name] = fitting
    if len(found) != 1:
        message = "could be of several kinds" if found else "does not name the columns of any kind"
        message = f"does not name the columns of {kind}" if kind else message
        needed = "; ".join(f"{k}: {', '.join(KINDS[k][0])}" for k in found or possible)
        raise origin.refuse_line(1, f"the header {message} ({needed}); it is {listed(header, 12)}")
    ((kind, fitting),) = found.items()
    by_column: dict[str, list[str]] = {}
    for role, names in fitting.items():
        if len(names) > 1:
            message = f"columns {listed(names, 12)} could each be the {role}"
            raise origin.refuse_line(1, f"{message}; expected one, or a choice by columns")
        by_column.setdefault(names[0], []).append(role)
    for name, roles in by_column.items():
        if len(roles) > 1:
            message = f"column {shown(name)} is taken for {' and '.join(roles)}"
            raise origin.refuse_line(1, f"{message}; expected a column each")
    return kind, {role: names[0] for role, names in fitting.items()}


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
    header: Sequence[str], roles: Sequence[str], columns: Mapping[str, str | None]
) -> dict[str, list[str]]:
    """The columns that each role could be, those that the user chose first."""
    by_name = {name.casefold(): name for name in header}
    found = {role: [name] for role, name in columns.items() if name is not None}
    chosen = set(chain(*found.values()))
    pairs = [pair for pair in PAIR_NAMES if set(pair) <= set(by_name)]
    for role in roles:
        if role not in columns:
            aliases = [p["ab".index(role)] for p in pairs] if role in ("a", "b") else ALIASES[role]
            names = [by_name[n] for n in aliases if n in by_name and by_name[n] not in chosen]
            found |= {role: names} if names else {}
    return found


def called(role: str, used: Mapping[str, str]) -> str:
    """A role and, if it is another, the name of its column."""
    return role if used[role] == role else f"{role} (column {shown(used[role])})"


def described(used: Mapping[str, str], unused: Sequence[str]) -> str:
    """One line on the columns: what each was used for, and which were not.

    >>> described({"a": "model_a", "b": "b", "outcome": "winner"}, ["prompt"])
    "a = 'model_a', b, outcome = 'winner'; not used: 'prompt'"
    """
    roles = [role if role == name else f"{role} = {shown(name)}" for role, name in used.items()]
    words = ", ".join(roles)
    return f"{words}; not used: {listed(unused, 12)}" if unused else words


def choose(tasks: Sequence[str], task: str | None, origin: Origin) -> str:
    """The task that is meant."""
    if task is None and len(tasks) > 1:
        message = f"holds {len(tasks)} tasks: {listed(tasks, 20)}; choose one by task"
        raise origin.refuse(None, message)
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
