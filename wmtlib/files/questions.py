"""Questions about columns: what they hold, and the nearest readings of a table."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wmtlib.core.errors import Asked, DataError, join_names, short_repr, shorten
from wmtlib.files.contract import KINDS, roles_of
from wmtlib.files.options import Options, listed
from wmtlib.files.shapes import CELLS
from wmtlib.files.tables import Table

SHOWN = 30  # letters of a value in a question
MOST_ASKED = 40  # columns
RECIPES = "docs/recipes.md has more layouts"
SCALE = ("scale", ("WORST", "BEST"))


def described(table: Table, columns: Sequence[int]) -> list[str]:
    """Describe columns: names, how many values each has, the first two."""
    lines = []
    for column in columns[:MOST_ASKED]:
        name = table.reference(column)
        label = short_repr(table.header[column])
        label = f"{label} ({name})" if name.startswith("#") else label
        held = "lists or objects (pandas.json_normalize makes columns of them)"
        if not table.is_nested(column):
            words = table.text(column).categories
            first = [repr(shorten(word, SHOWN)) for word in words[:2]]
            held = f"{len(words)} different, {', '.join(first)}"
        lines.append(f"{label}: {held}")
    if len(columns) > MOST_ASKED:
        lines.append(f"... and {len(columns) - MOST_ASKED} other columns")
    return lines


def meanings(asks: Asked, kinds: Sequence[str], roles: Iterable[str]) -> list[str]:
    """Say what the words in capitals stand for."""
    lines = {
        "column": f"ROLE: {', '.join(sorted(roles))}, or none to leave the column out;"
        " if it says which rows count: --rows NAME=VALUE",
        "kind": f"KIND: {', '.join(kinds)}",
        "scale": "WORST,BEST: such as 0,100, or 5,1 where 1 is best",
    }
    names = {name for name, _ in asks}
    return [lines[name] for name in lines if name in names]


def nothing_fits(
    table: Table, roles: Mapping[str, Sequence[int]], options: Options, scale: Any
) -> DataError:
    """Return the question about a table that no kind fits: the nearest readings."""
    kinds = [options.kind] if options.kind else [*KINDS]
    lacking = {kind: _lacking(roles, kind) for kind in kinds}
    fewest = min(map(len, lacking.values()))
    near = {kind: needs for kind, needs in lacking.items() if len(needs) == fewest}
    said = [] if scale else [SCALE]
    readings: dict[str, Asked] = {}
    shown: set[int] = set()
    for kind, needed in near.items():
        free = _free(table, roles, [kind])
        if len(free) >= fewest:
            words = f"ROLE for {kind}: {', '.join(needed)}; of others another role,"
            columns = [("column", ("ROLE", table.reference(k))) for k in free]
            is_scaled = {"score", "rank"} & {*needed}
            readings[f"{words} or none"] = [*columns, *(said if is_scaled else [])]
            shown.update(free)
    free = _free(table, roles, near)
    if len(free) > 1 and not options.wide:
        readings |= _wide_readings(table, roles, free, said)
        shown.update(free)
    if not readings:
        kind = next(iter(near))
        fault = f"the header is {join_names(table.header, 12)}; {kind} need"
        return table.refuse(f"{fault} {', '.join(near[kind])}; {RECIPES}")
    details = []
    if roles:
        held = [f"{role} = {short_repr(table.named(roles[role]))}" for role in roles]
        details.append(f"known: {', '.join(held)}")
    shown.update(k for k in range(len(table.header)) if table.is_nested(k))
    details += described(table, sorted(shown))
    if table.header[0] and not any(table.header[1:]):
        details.append("if titles precede the header: --header N, the line of it")
    fault = f"no kind of judgements fits its columns ({RECIPES})"
    return table.origin.ask(fault, details, readings)


def _lacking(roles: Mapping[str, Any], kind: str) -> list[str]:
    """Return the fewest roles that a kind still needs.

    Sets of roles that are not the first count only if a role of their own is there.
    """
    first, *others = KINDS[kind]["needed"]
    if "loser" not in roles:  # a winner is the outcome of two systems
        others = [needed for needed in others if "loser" not in needed]
    others = [needed for needed in others if {*needed}.difference(first) & {*roles}]
    lacking = [
        [role for role in needed if role not in roles] for needed in (first, *others)
    ]
    return min(lacking, key=len)


def _free(
    table: Table, roles: Mapping[str, Sequence[int]], kinds: Iterable[str]
) -> list[int]:
    """Return the columns without a role of some kinds that could have one."""
    known = {role for kind in kinds for role in roles_of(kind)}
    if "segment" not in roles:
        known.discard("item")  # which may be the segment
    taken = {k for role in roles if role in known for k in roles[role]}
    free = [k for k in range(len(table.header)) if k not in taken]
    free = [k for k in free if not table.is_nested(k) and any(table.text(k).categories)]
    return free[:MOST_ASKED]


def _wide_readings(
    table: Table, roles: Mapping[str, Any], free: Sequence[int], said: Asked
) -> dict[str, Asked]:
    """Return the readings of a table with a column for each system, or judge."""
    if ("a" in roles) != ("b" in roles):
        return {}
    role = "judge" if {"system", "a"} & {*roles} else "system"
    names = listed([table.reference(k) for k in free])
    words = f"a column for each {role} (LIST: those of {names}; CELLS:"
    words = f"{words} {' or '.join(CELLS[role])}; NAME: each of the others, ROLE: its"
    readings: dict[str, Asked] = {
        f"{words} role, or none)": [
            ("wide", (role, "LIST")),
            ("cells", "CELLS"),
            *([] if "a" in roles else said),
            ("column", ("ROLE", "NAME")),
        ]
    }
    first = table.text(0).categories if not table.is_nested(0) else []
    if len({*first} & {*table.header}) > 1:
        words = "a square (WIDE: wins, if it counts those of the row over the column)"
        readings[words] = [("wide", "WIDE")]
    return readings
