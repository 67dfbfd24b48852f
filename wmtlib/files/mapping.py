"""The role of every column of a table; what has none is asked about.

Columns have roles by their names, by the export of the table, or because the user says
so. `mapped` asks for all at once: the kind, roles, the scale.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.core.errors import join_names, short_repr
from wmtlib.files.contract import (
    CONTRACT,
    KINDS,
    NAMES,
    RANKED,
    ROLE_OF,
    key,
    usable,
)
from wmtlib.files.options import NONE, Options
from wmtlib.files.questions import RECIPES, SCALE, described, meanings, nothing_fits
from wmtlib.files.tables import NUMBER, Table, occurring

FEW = 5  # values; a column of so few is always asked about
LEAST_ROWS = 20  # of fewer, any column may be a count by chance
PLACES = {word for line in CONTRACT["outcomes"]["places"] for word in line}
DATE = re.compile(  # a date or a time, or both
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ]?\d{1,2}:\d{2}.*)?|\d{1,2}:\d{2}(:\d{2})?.*"
)
SIGNS = re.compile(r"(?<=\d)\s+[^\W\d]+$|[%€$,'’\s]")  # of 12 votes, and of 1'200
Roles = dict[str, list[int]]


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
    export, options
        What is said of the table.
    """

    table: Table
    kind: str
    roles: Mapping[str, Sequence[int]]
    scale: tuple[float, float] | None
    left_out: Mapping[str, str]
    export: Mapping[str, Any]
    options: Options

    @property
    def columns(self) -> list[tuple[str, int]]:
        """Return every role with each of its columns."""
        return [(role, k) for role, columns in self.roles.items() for k in columns]

    def text(self, role: str) -> pd.Categorical:
        """Return the column of a role as categories of text."""
        return self.table.text(self.roles[role][0])

    def numbers(self, role: str) -> np.ndarray:
        """Return the column of a role as numbers, (rows,)."""
        return self.table.numbers(self.roles[role][0])

    def texts(self, *roles: str) -> dict[str, pd.Categorical]:
        """Return the columns of those roles that there are."""
        return {role: self.text(role) for role in roles if role in self.roles}

    def named(self, role: str) -> str:
        """Return the names of the columns of a role."""
        return self.table.named(self.roles[role])

    def tasks(self) -> pd.Categorical:
        """Return the task of every row; of two columns, joined."""
        columns = self.roles.get("task", [])
        if not columns:
            return pd.Categorical.from_codes(np.zeros(len(self.table), np.int8), [""])
        if len(columns) == 1:
            return self.table.text(columns[0])
        parts = [pd.Series(self.table.text(k)).astype(object) for k in columns]
        between = self.export.get("between", "-")
        return pd.Categorical(parts[0].str.cat(parts[1:], sep=between))

    def sides(self) -> tuple[list[str], list[np.ndarray]]:
        """Return the sorted names of systems, and the two of every row as numbers."""
        texts = self.texts("a", "b") or self.texts("winner", "loser")
        names = sorted({name for text in texts.values() for name in occurring(text)})
        index = pd.Index(names, dtype=object)
        return names, [
            index.get_indexer(text.categories)[text.codes] for text in texts.values()
        ]

    def take(self, rows: np.ndarray) -> "Mapped":
        """Choose rows, by their positions in order."""
        return replace(self, table=self.table.take(rows))


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
    needless = _not_used(table, export, options, given)
    roles, unclear = _by_name(table, export, given, needless)
    fits = _fitting(roles, options.kind)
    scale = options.scale or (tuple(export["scale"]) if "scale" in export else None)
    if not fits:
        raise nothing_fits(table, roles, options, scale)
    kinds = [*dict.fromkeys(kind for kind, _ in fits)]
    used = [usable(kind, needed) | ({*given} & {"count"}) for kind, needed in fits]
    common = set.intersection(*used)
    unclear |= {k for role in roles if role not in common for k in roles[role]}
    roles = {role: columns for role, columns in roles.items() if role in common}
    taken = {k for columns in roles.values() for k in columns}
    counted = {table.resolve(name) for name in options.rows}
    left_out = {}
    asked = []
    for k in sorted({*range(len(table.header))} - taken):
        if k in unclear:
            asked.append(k)
        elif k in counted:
            left_out[table.header[k]] = "rows were chosen by it"
        elif k in needless:
            left_out[table.header[k]] = "not used"
        elif reason := _needless(table, roles, k):
            left_out[table.header[k]] = reason
        else:
            asked.append(k)
    wanted = _without_scale(table, roles, given, kinds, options)
    asks: list[tuple[str, Any]] = []
    faults = []
    if len(kinds) > 1:
        faults.append(f"{' and '.join(kinds)} fit")
        asks.append(("kind", "KIND"))
    if asked:
        number = f"{len(asked)} column{'s' if len(asked) > 1 else ''}"
        faults.append(f"{number} without a role")
        asks += [("column", ("ROLE", table.reference(k))) for k in asked]
    if wanted and scale is None:
        faults.append(f"the scale of {wanted} is not said")
        asks.append(SCALE)
    if asks:
        others = set().union(*used).difference(roles)
        details = [*described(table, asked), *meanings(asks, kinds, others)]
        raise table.origin.ask("; ".join(faults), details, asks)
    for k in sorted(taken):
        if table.is_nested(k):
            fault = f"column {short_repr(table.header[k])} holds lists or objects"
            raise table.refuse(f"{fault}; expected texts or numbers ({RECIPES})")
    scale = scale if wanted else None
    return Mapped(table, kinds[0], roles, scale, left_out, export, options)


# --- roles ----------------------------------------------------------------------------


def _given(table: Table, options: Options) -> Roles:
    """Return the columns to which the user gives roles."""
    given = {}
    for role, names in options.column.items():
        if role == "system" and "wins" in options.wide:
            continue  # a side of the square
        given[role] = table.resolve_all(names)
        if len(given[role]) > 1 and role not in (NONE, "task"):
            fault = f"role {role}: expected one column, not {join_names(names)}"
            raise table.refuse(fault)
    return given


def _not_used(
    table: Table, export: Mapping[str, Any], options: Options, given: Roles
) -> set[int]:
    """Return the columns that the user, or the export, leaves out."""
    needless = {*given.pop(NONE, []), *table.resolve_all(options.ignore)}
    known = {*export.get("ignored", ()), *export.get("rows", ())}
    said = {k for columns in given.values() for k in columns}
    ignored = {k for k, name in enumerate(table.header) if name in known}
    return needless | (ignored - said)


def _by_name(
    table: Table, export: Mapping[str, Any], given: Roles, needless: set[int]
) -> tuple[Roles, set[int]]:
    """Return columns by role, and columns that are two for one role."""
    roles = {**given}
    taken = needless.union(*roles.values())
    for role, known in export.get("roles", {}).items():
        names = [known] if isinstance(known, str) else known
        columns = [k for k, name in enumerate(table.header) if name in names]
        is_free = not taken & {*columns} and role not in roles
        if is_free and len(columns) == len(names):
            roles[role] = columns
            taken.update(columns)
    found: Roles = {}
    for k, name in enumerate(table.header):
        role = ROLE_OF.get(key(name))
        if role and role not in roles and k not in taken and not table.is_nested(k):
            found.setdefault(role, []).append(k)
    doubled = {k for columns in found.values() if len(columns) > 1 for k in columns}
    single = {role: columns for role, columns in found.items() if len(columns) == 1}
    return roles | single, doubled


def _fitting(
    roles: Mapping[str, Any], kind: str | None
) -> list[tuple[str, tuple[str, ...]]]:
    """Return the kinds, and the sets of roles they need, that are all there.

    Of rankings one set is enough.
    """
    fits = []
    for name, known in KINDS.items():
        sets = [tuple(needed) for needed in known["needed"] if {*needed} <= {*roles}]
        sets = sets[:1] if name == "rankings" else sets
        fits += [(name, needed) for needed in sets if kind in (None, name)]
    return fits


def _without_scale(
    table: Table, roles: Roles, given: Roles, kinds: Sequence[str], options: Options
) -> str:
    """Return what needs a scale: scores, and ranks in a column that the user names."""
    if "assessments" in kinds or {"score_a", "score_b"} <= {*roles}:
        return "the scores"
    ranks = {*RANKED} & {*roles}
    named = [
        role
        for role in ranks & {*given}
        if key(table.header[roles[role][0]]) not in NAMES[role]
    ]
    return "the ranks" if named or (options.scale and ranks) else ""


# --- columns without a role -----------------------------------------------------------


def _needless(table: Table, roles: Roles, column: int) -> str:
    """Return why a column cannot select, divide or turn rows; "" if it may."""
    if table.is_nested(column):
        return "nested"
    text = table.text(column)
    words = text.categories
    if not any(words):
        return "blank"
    rows = len(np.unique(table.places))  # of the file
    if rows < LEAST_ROWS:
        return ""
    if len(words) == 1:
        outcome = roles.get("outcome") or roles.get("winner") or roles.get("loser")
        on_screen = outcome and {*map(str.casefold, table.text(outcome[0]).categories)}
        return "" if on_screen and on_screen & PLACES else "one value"
    if words[text.codes[0]] in ("0", "1"):
        steps = table.numbers(column) - table.places
        if steps[0] in (0, 1) and (steps == steps[0]).all():
            return "a running number"
    if len(words) <= FEW:
        return ""
    segments = roles.get("segment")
    if segments and len(words) < rows and _one_to_one(text, table.text(segments[0])):
        return "another name of the segment"
    if len(words) > rows / 2 and not _are_numbers(words):
        return "texts"
    return ""


def _one_to_one(text: pd.Categorical, other: pd.Categorical) -> bool:
    """Return whether each value of a column goes with one value of the other."""
    pairs = pd.DataFrame({"text": text.codes, "other": other.codes}).drop_duplicates()
    return len(pairs) == pairs["text"].nunique() == pairs["other"].nunique()


def _are_numbers(words: Iterable[str]) -> bool:
    """Return whether half of the values of a column are numbers, shares or dates."""
    held = [word[:40] for word in words if word]
    numbers = [
        word
        for word in held
        if re.fullmatch(NUMBER, SIGNS.sub("", word)) or DATE.fullmatch(word)
    ]
    return len(numbers) >= len(held) / 2
