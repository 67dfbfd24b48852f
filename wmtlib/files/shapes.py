"""Rows that count, and a row for each judgement of a table of another shape."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from wmtlib.core.errors import join_names, short_repr
from wmtlib.files.contract import NAMES, key
from wmtlib.files.options import Options
from wmtlib.files.tables import Table

SLOT = re.compile(r"(?:system|model)(\d+)(?:id|name)?")
RANK = re.compile(r"rank(\d+)|(?:system|model)(\d+)rank")
CELLS = {"system": ("score", "rank"), "judge": ("score", "outcome")}
EMPTY = {"system": "", "rank": ""}  # of a slot


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
        text = table.text(table.resolve(name))
        plain = text.categories.str.casefold()
        wanted = {value.casefold() for value in values}
        if absent := wanted.difference(plain):
            held = join_names([*text.categories], 6)
            fault = f"column {short_repr(name)} has no {short_repr(min(absent))}"
            raise table.refuse(f"{fault}; it has {held}")
        kept = plain.isin(wanted)[text.codes]
        left_out[f"rows of another {name}"] += int((~kept).sum())
        table = table.take(np.flatnonzero(kept))
    return table, left_out


def shaped(table: Table, export: Mapping[str, Any], options: Options) -> Table:
    """Give a row to each judgement of a wide table, and of rankings in a row.

    Raises
    ------
    DataError
        What the cells hold is not said, or a square that is none.
    """
    if not options.wide:
        return _of_slots(table, export.get("empty", EMPTY))
    ((role, names),) = [*options.wide.items()][:1]
    if role == "wins":
        return _of_matrix(table, options)
    if options.cells not in CELLS[role]:
        expected = " or ".join(CELLS[role])
        raise table.refuse(f"wide {role}: say what its cells hold: cells {expected}")
    return _melted(table, role, table.resolve_all(names), options)


def _of_slots(table: Table, empty: Mapping[str, str]) -> Table:
    """Give a row to each system of a row and its rank; empty slots are no rows."""
    slots: dict[str, int] = {}
    ranks: dict[str, int] = {}
    for column, name in enumerate(table.header):
        if found := SLOT.fullmatch(key(name)):
            slots[found[1]] = column
        elif found := RANK.fullmatch(key(name)):
            ranks[found[1] or found[2]] = column
    if len(slots) < 3 or slots.keys() != ranks.keys():
        return table
    row = np.arange(len(table))
    parts = [{"ranking": row, "system": slots[k], "rank": ranks[k]} for k in slots]
    long = table.stacked(parts, [*slots.values(), *ranks.values()])
    is_filled = np.zeros(len(long), dtype=np.bool_)
    for role, word in empty.items():
        is_filled |= np.asarray(long.text(long.header.index(role)) != word)
    return long.take(np.flatnonzero(is_filled))


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
    side = table.resolve(options.column.get("system", ["#1"])[0])
    names = table.text(side)
    columns = [k for k, name in enumerate(table.header) if name in names and k != side]
    if len(columns) < 2 or len(columns) != len(names.categories):
        fault = f"wide wins: the first column is {join_names([*names])}, the header"
        fault = f"{fault} {join_names(table.header, 12)}; expected the same systems"
        raise table.refuse(fault)
    cells = table.cells.astype(object).replace("", None).fillna("0")
    parts = [{"winner": side, "loser": table.header[k], "count": k} for k in columns]
    long = replace(table, cells=cells).stacked(parts, [side, *columns])
    return long.take(np.flatnonzero(long.frame["winner"] != long.frame["loser"]))
