"""The role of every column of a table; what has none is asked about.

Columns have roles by their names, by the export of the table, or because the user says
so. `mapped` asks for all at once: the kind, roles, the scale.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.core.errors import (
    Asked,
    DataError,
    did_you_mean,
    join_names,
    short_repr,
    shorten,
)
from wmtlib.files.contract import (
    CONTRACT,
    KINDS,
    NAMES,
    RANKED,
    key,
    roles_of,
    usable,
)
from wmtlib.files.options import NONE, Options, listed, names_of
from wmtlib.files.tables import Table

FEW = 5  # values; a column of so few is always asked about
SHOWN = 30  # letters of a value in a question
MOST_ASKED = 40  # columns
PLACES = {word for line in CONTRACT["outcomes"]["places"] for word in line}
DATE = re.compile(  # a date or a time, or both
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ]?\d{1,2}:\d{2}.*)?|\d{1,2}:\d{2}(:\d{2})?.*"
)
SLOT = re.compile(r"(?:system|model)(\d+)(?:id|name)?")
RANK = re.compile(r"rank(\d+)|(?:system|model)(\d+)rank")
CELLS = {"system": ("score", "rank"), "judge": ("score", "outcome")}
RECIPES = "docs/recipes.md has more layouts"
OTHERS = ("column", ("ROLE", "NAME"))


@dataclass(frozen=True, eq=False)
class Mapped:
    """A table of which every column is accounted for.

    Attributes
    ----------
    kind : "comparisons", "rankings" or "assessments"
    roles : mapping from role to columns
        Numbers of columns; `task` may have several.
    scale : pair of numbers or None
        The worst and the best score.
    left_out : mapping from column to reason
    between : str
        Between two columns of the task.
    """

    table: Table
    kind: str
    roles: Mapping[str, Sequence[int]]
    scale: tuple[float, float] | None
    left_out: Mapping[str, str]
    between: str

    def text(self, role: str) -> pd.Categorical:
        """Return the column of a role as categories of text."""
        return self.table.text(self.roles[role][0])

    def named(self, role: str) -> str:
        """Return the names of the columns of a role."""
        return " and ".join(self.table.header[column] for column in self.roles[role])


# --- names that the user gives --------------------------------------------------------


def reference(table: Table, column: int) -> str:
    """Write a column as options take it: its name, or `#3`."""
    name = table.header[column]
    is_plain = name.isprintable() and not re.search(r"^#|[=]|^$|^-", name)
    is_one = table.header.count(name) == 1
    return name if is_plain and is_one else f"#{column + 1}"


def resolve(table: Table, name: str) -> int:
    """Find a column by its name, or `#3`.

    Raises
    ------
    DataError
        There is none, or there are several.
    """
    numbers = [k for k, other in enumerate(table.header) if other == name.strip()]
    if not numbers and re.fullmatch("#[1-9][0-9]{0,4}", name):
        numbers = [int(name[1:]) - 1] if int(name[1:]) <= len(table.header) else []
    if len(numbers) == 1:
        return numbers[0]
    header = join_names(table.header, 12)
    if numbers:
        places = ", ".join(f"#{k + 1}" for k in numbers)
        raise table.refuse(f"several columns are {short_repr(name)}: say {places}")
    hint = did_you_mean(name, table.header)
    raise table.refuse(f"no column {short_repr(name)}; the header is {header}{hint}")


def resolve_all(table: Table, names: Sequence[str]) -> list[int]:
    """Find several columns; a name may be a list of names, in CSV."""
    numbers = []
    for name in names:
        parts = names_of(name)
        is_list = len(parts) > 1 and name not in table.header
        numbers += [resolve(table, part) for part in (parts if is_list else [name])]
    return numbers


def chosen_rows(
    table: Table, rows: Mapping[str, Sequence[str]]
) -> tuple[Table, Counter[str]]:
    """Keep the rows that have the values which the user, or the export, names.

    Raises
    ------
    DataError
        No such column, or a value that the column does not have.
    """
    left_out: Counter[str] = Counter()
    for name, values in rows.items():
        column = resolve(table, name)
        text = table.text(column)
        plain = [word.casefold() for word in text.categories]
        wanted = {value.casefold() for value in values}
        if absent := wanted.difference(plain):
            held = join_names([*text.categories], 6)
            fault = f"column {short_repr(name)} has no {short_repr(min(absent))}"
            raise table.refuse(f"{fault}; it has {held}")
        is_kept = np.array([word in wanted for word in plain], dtype=np.bool_)
        kept = is_kept[text.codes]
        left_out[f"rows of another {name}"] += int((~kept).sum())
        table = table.take(np.flatnonzero(kept))
    return table, left_out


# --- shapes ---------------------------------------------------------------------------


def shaped(table: Table, export: Mapping[str, Any], options: Options) -> Table:
    """Give a row to each judgement of a wide table, and of rankings in a row.

    Raises
    ------
    DataError
        What the cells hold is not said, or a square that is none.
    """
    slots, ranks = _slots(table)
    if len(slots) > 2 and slots.keys() == ranks.keys() and not options.wide:
        return _of_slots(table, slots, ranks, export.get("empty", ["", ""]))
    for role, names in options.wide.items():
        if role == "wins":
            return _of_matrix(table, options)
        if options.cells not in CELLS[role]:
            expected = " or ".join(CELLS[role])
            fault = f"wide {role}: say what its cells hold: cells {expected}"
            raise table.refuse(fault)
        return _melted(table, role, resolve_all(table, names), options)
    return table


def _slots(table: Table) -> tuple[dict[str, int], dict[str, int]]:
    """Return the columns of systems and of ranks of a row, by their numbers."""
    slots: dict[str, int] = {}
    ranks: dict[str, int] = {}
    for column, name in enumerate(table.header):
        if found := SLOT.fullmatch(key(name)):
            slots[found[1]] = column
        elif found := RANK.fullmatch(key(name)):
            ranks[found[1] or found[2]] = column
    return slots, ranks


def _of_slots(
    table: Table,
    slots: Mapping[str, int],
    ranks: Mapping[str, int],
    empty: Sequence[str],
) -> Table:
    """Give a row to each system of a row and its rank; empty slots are no rows."""
    row = np.arange(len(table))
    parts = [{"ranking": row, "system": slots[k], "rank": ranks[k]} for k in slots]
    long = table.stacked(parts, [*slots.values(), *ranks.values()])
    is_empty = [
        np.asarray(long.text(long.header.index(role)) == word)
        for role, word in zip(("system", "rank"), empty, strict=True)
    ]
    return long.take(np.flatnonzero(~(is_empty[0] & is_empty[1])))


def _melted(table: Table, role: str, columns: Sequence[int], options: Options) -> Table:
    """Give a row to each cell of the columns of systems, or of judges."""
    names = {key(name) for k, name in enumerate(table.header) if k not in columns}
    row: dict[str, Any] = {}
    if options.cells == "rank":
        row = {"ranking": np.arange(len(table))}
    elif role == "system" and not (
        names & NAMES["segment"] or "segment" in options.column
    ):
        row = {"segment": np.arange(len(table)) + 1}
    parts = [{**row, role: table.header[k], str(options.cells): k} for k in columns]
    return table.stacked(parts, columns)


def _of_matrix(table: Table, options: Options) -> Table:
    """Give a row to each cell of a square of wins, but for those on the diagonal."""
    side = resolve(table, options.column.get("system", ["#1"])[0])
    names = table.text(side)
    columns = [k for k, name in enumerate(table.header) if name in names and k != side]
    if len(columns) < 2 or len(columns) != len(names.categories):
        fault = f"wide wins: the first column is {join_names([*names])}, the header"
        fault = f"{fault} {join_names(table.header, 12)}; expected the same systems"
        raise table.refuse(fault)
    cells = table.cells.astype(object)
    filled = replace(table, cells=cells.where(cells.notna() & (cells != ""), "0"))
    parts = [{"winner": side, "loser": table.header[k], "count": k} for k in columns]
    long = filled.stacked(parts, [side, *columns])
    return long.take(np.flatnonzero(long.frame["winner"] != long.frame["loser"]))


# --- roles ----------------------------------------------------------------------------


def mapped(table: Table, export: Mapping[str, Any], options: Options) -> Mapped:
    """Find the role of every column, the kind and the scale.

    Raises
    ------
    Question
        All that the table does not declare.
    DataError
        What the user says does not fit the table.
    """
    given = _given(table, options)
    needless = [*given.pop(NONE, []), *resolve_all(table, options.ignore)]
    known = {*export.get("ignored", ()), *export.get("rows", ())}
    said = {k for columns in given.values() for k in columns}
    needless += [
        k for k, name in enumerate(table.header) if name in known and k not in said
    ]
    roles, doubled = _by_name(table, export, given, needless)
    fits = _fitting(roles, options.kind)
    kinds = [*dict.fromkeys(kind for kind, _ in fits)]
    counts = {*given} & {"count"}
    used = [usable(kind, needed) | counts for kind, needed in fits]
    common = set.intersection(*used) if used else {*NAMES}
    spare = [k for role in roles if role not in common for k in roles[role]]
    roles = {role: columns for role, columns in roles.items() if role in common}
    taken = {k for columns in roles.values() for k in columns}
    counted = [resolve(table, name) for name in options.rows]
    settled = {*taken, *needless, *counted, *doubled, *spare}
    others = {*range(len(table.header))} - settled
    reasons = {k: _needless(table, roles, k) for k in others}
    asked = sorted([*doubled, *spare, *(k for k in others if not reasons[k])])
    reasons |= {k: "not used" for k in needless if k not in taken}
    reasons |= {k: "rows were chosen by it" for k in counted if k not in taken}
    left_out = {table.header[k]: reasons[k] for k in sorted(reasons) if reasons[k]}
    scale = options.scale or (tuple(export["scale"]) if "scale" in export else None)
    if not fits:
        raise _nothing_fits(table, roles, options, scale)
    asks: list[tuple[str, Any]] = []
    faults = []
    if len(kinds) > 1:
        faults.append(f"{' and '.join(kinds)} fit")
        asks.append(("kind", "KIND"))
    if asked:
        faults.append(f"{_number(asked, 'column')} without a role")
        asks += [("column", ("ROLE", reference(table, k))) for k in asked]
    wanted = _without_scale(table, roles, given, kinds, options)
    if wanted and scale is None:
        faults.append(f"the scale of {wanted} is not said")
        asks.append(("scale", ("WORST", "BEST")))
    if asks:
        details = [_described(table, k) for k in asked[:MOST_ASKED]]
        if len(asked) > MOST_ASKED:
            details.append(f"... and {len(asked) - MOST_ASKED} other columns")
        details += _help(asks, kinds, set().union(*used).difference(roles))
        raise table.origin.ask("; ".join(faults), details, asks)
    for k in sorted(taken):
        if table.is_nested(k):
            fault = f"column {short_repr(table.header[k])} holds lists or objects"
            raise table.refuse(f"{fault}; expected texts or numbers ({RECIPES})")
    between = export.get("between", "-")
    return Mapped(table, kinds[0], roles, scale if wanted else None, left_out, between)


def _given(table: Table, options: Options) -> dict[str, list[int]]:
    """Return the columns to which the user gives roles."""
    given: dict[str, list[int]] = {}
    for role, names in options.column.items():
        if role == "system" and "wins" in options.wide:
            continue  # a side of the square
        given[role] = resolve_all(table, names)
        if len(given[role]) > 1 and role not in (NONE, "task"):
            raise table.refuse(
                f"role {role}: expected one column, not {join_names(names)}"
            )
    return given


def _by_name(
    table: Table,
    export: Mapping[str, Any],
    given: Mapping[str, list[int]],
    needless: Sequence[int],
) -> tuple[dict[str, list[int]], list[int]]:
    """Return columns by role, and columns that are two for one role."""
    roles = {role: [*columns] for role, columns in given.items()}
    taken = {*needless, *(k for columns in roles.values() for k in columns)}
    for role, known in export.get("roles", {}).items():
        names = [known] if isinstance(known, str) else known
        columns = [k for k, name in enumerate(table.header) if name in names]
        is_free = not taken & {*columns} and role not in roles
        if is_free and len(columns) == len(names):
            roles[role] = columns
            taken.update(columns)
    found: dict[str, list[int]] = {}
    for k, name in enumerate(table.header):
        if k in taken or table.is_nested(k):
            continue
        for role, names in NAMES.items():
            if key(name) in names and role not in roles:
                found.setdefault(role, []).append(k)
    doubled = [k for columns in found.values() if len(columns) > 1 for k in columns]
    roles |= {role: columns for role, columns in found.items() if len(columns) == 1}
    return roles, doubled


def _fitting(
    roles: Mapping[str, Any], kind: str | None
) -> list[tuple[str, tuple[str, ...]]]:
    """Return the kinds, and the sets of roles they need, that are all there."""
    fits = []
    for name, known in KINDS.items():
        if kind in (None, name):
            sets = [
                tuple(needed) for needed in known["needed"] if {*needed} <= {*roles}
            ]
            fits += [(name, needed) for needed in sets]
    is_ranking = [needed for kind, needed in fits if kind == "rankings"]
    return [fit for fit in fits if fit[1] not in is_ranking[1:]]


def _needless(table: Table, roles: Mapping[str, Sequence[int]], column: int) -> str:
    """Return why a column cannot select, divide or turn rows; "" if it may."""
    if table.is_nested(column):
        return "nested"
    text = table.text(column)
    words = text.categories
    if len(words) == 0 or (len(words) == 1 and words[0] == ""):
        return "blank"
    if len(words) == 1:
        outcome = roles.get("outcome") or roles.get("winner") or roles.get("loser")
        on_screen = outcome and {*map(str.casefold, table.text(outcome[0]).categories)}
        return "" if on_screen and on_screen & PLACES else "one value"
    if len(words) > 1 and words[text.codes[0]] in ("0", "1"):
        steps = table.numbers(column) - table.places
        if steps[0] in (0, 1) and (steps == steps[0]).all():
            return "a running number"
    if len(words) <= FEW:
        return ""
    rows = len(np.unique(table.places))  # of the file
    segments = roles.get("segment")
    if segments and len(words) < rows and _one_to_one(text, table.text(segments[0])):
        return "another name of the segment"
    if len(words) > rows / 2 and not _are_numbers(table, column):
        return "texts"
    return ""


def _one_to_one(text: pd.Categorical, other: pd.Categorical) -> bool:
    """Return whether each value of a column goes with one value of the other."""
    if len(text.categories) != len(other.categories):
        return False
    partner = np.full(len(text.categories), -1)
    partner[text.codes] = other.codes
    same = (partner[text.codes] == other.codes).all()
    return bool(same) and len(np.unique(partner)) == len(partner)


def _are_numbers(table: Table, column: int) -> bool:
    """Return whether half of the values of a column are numbers, shares or dates."""
    words = pd.Series(table.text(column).categories, dtype=object)
    words = words[words != ""].str.slice(0, 40)
    # 12 votes, and 1'200, are numbers, too.
    plain = words.str.replace(r"(?<=\d)\s+[^\W\d]+$|[%€$,'’\s]", "", regex=True)
    are_numbers = pd.to_numeric(plain, errors="coerce").notna()
    are_dates = words.map(lambda word: DATE.fullmatch(word) is not None)
    return bool((are_numbers | are_dates).sum() >= len(words) / 2)


def _without_scale(
    table: Table,
    roles: Mapping[str, Sequence[int]],
    given: Mapping[str, Sequence[int]],
    kinds: Sequence[str],
    options: Options,
) -> str:
    """Return what needs a scale: scores, and ranks in a column that the user names."""
    if "assessments" in kinds or {"score_a", "score_b"} <= {*roles}:
        return "the scores"
    named = [role for role in RANKED if role in given and role in roles]
    if any(key(table.header[roles[role][0]]) not in NAMES[role] for role in named):
        return "the ranks"
    return "the ranks" if options.scale and {*RANKED} & {*roles} else ""


def tasks_of(found: Mapped) -> pd.Categorical:
    """Return the task of every row; of two columns, joined."""
    columns = found.roles.get("task", [])
    if not columns:
        return pd.Categorical.from_codes(np.zeros(len(found.table), np.int8), [""])
    if len(columns) == 1:
        return found.table.text(columns[0])
    parts = [found.table.text(column).astype(object) for column in columns]
    joined = pd.Series(parts[0])
    for part in parts[1:]:
        joined = joined + found.between + pd.Series(part)
    return pd.Categorical(joined)


# --- questions ------------------------------------------------------------------------


def _number(items: Sequence[Any], what: str) -> str:
    """Count things in words."""
    return f"{len(items)} {what}{'s' if len(items) != 1 else ''}"


def _described(table: Table, column: int) -> str:
    """Describe a column: its name, how many values it has, the first two."""
    name = reference(table, column)
    label = short_repr(table.header[column])
    label = f"{label} ({name})" if name.startswith("#") else label
    if table.is_nested(column):
        return (
            f"{label}: lists or objects (pandas.json_normalize makes columns of them)"
        )
    words = [repr(shorten(word, SHOWN)) for word in table.text(column).categories[:2]]
    return (
        f"{label}: {len(table.text(column).categories)} different, {', '.join(words)}"
    )


def _help(asks: Asked, kinds: Sequence[str], roles: Iterable[str]) -> list[str]:
    """Say what the words in capitals stand for."""
    names = {name for name, _ in asks}
    lines = []
    if "column" in names:
        lines.append(
            f"ROLE: {', '.join(sorted(roles))}, or none to leave the column out; if it"
            " says which rows count: --rows NAME=VALUE"
        )
    if "kind" in names:
        lines.append(f"KIND: {', '.join(kinds)}")
    if "scale" in names:
        lines.append("WORST,BEST: such as 0,100, or 5,1 where 1 is best")
    return lines


def _nothing_fits(
    table: Table,
    roles: Mapping[str, Sequence[int]],
    options: Options,
    scale: Any,
) -> DataError:
    """Return the question about a table that no kind fits: the nearest readings."""
    lacking = {
        kind: _lacking(roles, kind)
        for kind in ([options.kind] if options.kind else KINDS)
    }
    fewest = min(map(len, lacking.values()))
    near = [kind for kind in lacking if len(lacking[kind]) == fewest]
    said = [("scale", ("WORST", "BEST"))] if scale is None else []
    details = []
    held = [
        f"{role} = {short_repr(table.header[k])}" for role in roles for k in roles[role]
    ]
    if held:
        details.append(f"known: {', '.join(held)}")
    readings: dict[str, Asked] = {}
    asked: list[int] = []
    for is_scaled in (False, True):
        kinds = [
            k for k in near if bool({"score", "rank"} & {*lacking[k]}) == is_scaled
        ]
        free = _free(table, roles, kinds)
        if kinds and len(free) >= fewest:
            needs = [f"{kind}: {', '.join(lacking[kind])}" for kind in kinds]
            words = f"ROLE for {'; for '.join(needs)}; of others another role, or none"
            columns = [("column", ("ROLE", reference(table, k))) for k in free]
            readings[words] = [*columns, *(said if is_scaled else [])]
            asked += free
    free = _free(table, roles, near)
    if len(free) > 1 and not options.wide:
        readings |= _wide_readings(table, roles, free, said)
        asked += free
    nested = [k for k in range(len(table.header)) if table.is_nested(k)]
    details += [_described(table, k) for k in sorted({*asked, *nested})]
    if re.fullmatch(r".+", table.header[0]) and not any(table.header[1:]):
        details.append("if titles precede the header: --header N, the line of it")
    if not readings:
        kind = min(lacking, key=lambda kind: len(lacking[kind]))
        fault = f"the header is {join_names(table.header, 12)}; {kind} need"
        return table.refuse(f"{fault} {', '.join(lacking[kind])}; {RECIPES}")
    fault = f"no kind of judgements fits its columns ({RECIPES})"
    return table.origin.ask(fault, details, readings)


def _free(
    table: Table, roles: Mapping[str, Sequence[int]], kinds: Sequence[str]
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
    if {"a", "b"} & {*roles} and not {"a", "b"} <= {*roles}:
        return {}
    role = "judge" if {"system", "a"} & {*roles} else "system"
    names = listed([reference(table, k) for k in free])
    cells = " or ".join(CELLS[role])
    words = f"a column for each {role} (LIST: those of {names}; CELLS: {cells};"
    words = f"{words} NAME: each of the others, ROLE: its role, or none)"
    scaled = [] if "a" in roles else said
    readings: dict[str, Asked] = {
        words: [("wide", (role, "LIST")), ("cells", "CELLS"), *scaled, OTHERS]
    }
    first = table.text(0).categories if not table.is_nested(0) else []
    if len({*first} & {*table.header}) > 1:
        words = "a square (WIDE: wins, if it counts those of the row over the column)"
        readings[words] = [("wide", "WIDE")]
    return readings


def _lacking(roles: Mapping[str, Any], kind: str) -> list[str]:
    """Return the fewest roles that a kind still needs.

    Sets of roles that are not the first count only if a role of their own is there.
    """
    first, *others = KINDS[kind]["needed"]
    if "loser" not in roles:  # a winner is the outcome of two systems
        others = [needed for needed in others if "loser" not in needed]
    others = [needed for needed in others if {*needed}.difference(first) & {*roles}]
    lacking = [
        [role for role in each if role not in roles] for each in (first, *others)
    ]
    return min(lacking, key=len)
