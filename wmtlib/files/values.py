"""Checks of cells by role; whatever is open is asked about at once.

Cells are checked and never interpreted: a name, a number or a word that a role cannot
have is asked about with its row.
"""

import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.core.errors import short_repr, shorten
from wmtlib.files.checks import LONGEST_NAME
from wmtlib.files.contract import (
    CONTRACT,
    COUNTED,
    MISSING,
    NOBODY,
    NUMBERS,
    RANKED,
    SUMS,
    SYSTEMS,
)
from wmtlib.files.mapping import Mapped
from wmtlib.files.questions import SHOWN
from wmtlib.files.tables import as_text, occurring

SIGNS = re.compile("[+,/&]")  # that join names of systems
FLAGS = {word: True for word in CONTRACT["flags"]["true"]}
FLAGS |= dict.fromkeys(CONTRACT["flags"]["false"], False)
ANSWERS = ("outcome", "winner", "loser")
MOST_WORDS = 12  # that are asked about, of each role
MOST_SYSTEMS = 5000
LARGEST_COUNT = 2**53
NOT_NAMED = ("document", "hit", "accepted")  # may be blank
OPTIONAL = ("judge", "judge_group", "ranking", "document", "hit", "item", "accepted")
TYPES = {"TGT": "SYSTEM", "BAD": "", "REF": "", "CHK": ""}  # of Appraise
ITEMS = ("SYSTEM", "REPEAT", "REF", "BAD_REF", *TYPES)


@dataclass
class Doubts:
    """What is asked about cells: lines, and options to add."""

    lines: list[str] = field(default_factory=list)
    asked: list[tuple[str, Any]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def add(self, fault: str, lines: Sequence[str], *asked: tuple[str, Any]) -> None:
        """Ask one thing more."""
        if fault not in self.faults:
            self.faults.append(fault)
        self.lines.extend(lines)
        self.asked.extend(asked)


def rows_with(text: pd.Categorical, rule: Callable[[str], bool]) -> np.ndarray:
    """Return the rows whose text keeps a rule, (rows,) of bool."""
    kept = [rule(word) for word in text.categories]
    return np.array(kept, dtype=np.bool_)[text.codes]


# --- rows that are left out -----------------------------------------------------------


def without_missing(found: Mapped, left_out: Counter[str]) -> Mapped:
    """Leave out, and count, the rows with a cell that is called missing."""
    missing = {*found.options.missing, *found.export.get("missing", ())}
    numbers = {word for word in missing if re.fullmatch(r"-?[0-9.,]+", word)}
    if numbers:  # a score of 99 that is missing is no reason to drop segment 99
        texts = found.texts(*NUMBERS).values()
        numbers &= {word for text in texts for word in text.categories}
    is_gone = np.zeros(len(found.table), dtype=np.bool_)
    for role, column in found.columns if missing else []:
        meant = missing if role in NUMBERS else missing - numbers
        if role in ("tied", *NOT_NAMED):
            continue
        gone = rows_with(found.table.text(column), meant.__contains__)
        is_gone |= gone & ~tied_rows(found) if role in ANSWERS else gone
    left_out["rows with a missing cell"] = int(is_gone.sum())
    return found.take(np.flatnonzero(~is_gone))


def flags_of(found: Mapped, role: str) -> np.ndarray:
    """Return the rows that have a flag, (rows,) of bool; odd cells are none."""
    return rows_with(found.text(role), lambda word: FLAGS.get(word.casefold(), False))


def tied_rows(found: Mapped) -> np.ndarray:
    """Return the rows that are ties by a column of flags, (rows,) of bool."""
    if "tied" in found.roles:
        return flags_of(found, "tied")
    return np.zeros(len(found.table), dtype=np.bool_)


# --- cells of one role ----------------------------------------------------------------


def check_cells(found: Mapped, doubts: Doubts) -> np.ndarray:
    """Ask about cells that their role cannot have; return rows without any, (rows,)."""
    is_header = _repeats_header(found)
    is_good = ~is_header
    if is_header.any():
        place = found.table.place(int(is_header.argmax()))
        line = f"{place} holds the names of the columns"
        doubts.add("a row repeats the header", [line], ("missing", "VALUE"))
    for role, column in found.columns:
        bad, expected = _odd(found, role, column)
        if role in ANSWERS:
            said = found.table.text(column).isin([*found.options.outcome])
            bad &= ~said & ~tied_rows(found)
        bad &= ~is_header
        if bad.any():
            is_good &= ~bad
            lines, number = _odd_cells(found, role, column, bad, expected)
            number = 0 if role in ("tied", "accepted", "item") else number
            fault = "cells that their role cannot have"
            doubts.add(fault, lines, *[("missing", "VALUE")] * number)
    return is_good


def _repeats_header(found: Mapped) -> np.ndarray:
    """Return the rows whose cells are the names of their columns, (rows,)."""
    is_header = np.ones(len(found.table), dtype=np.bool_)
    for _, column in found.columns:
        name = found.table.header[column]
        is_header &= rows_with(found.table.text(column), name.__eq__)
        if not is_header.any():
            break
    return is_header


def _is_short(word: str) -> bool:
    return len(word) <= LONGEST_NAME


def _is_flag(word: str) -> bool:
    return word.casefold() in FLAGS


def _is_known(word: str) -> bool:
    return word.casefold() not in MISSING


def _is_person(word: str) -> bool:
    return word.casefold() not in MISSING | NOBODY


def _is_name(word: str) -> bool:
    """Return whether a cell holds what can be the name of a system."""
    seen = re.sub("[\u200c\u200d]", "", word)  # `clean` leaves those that are needed
    is_short = max(map(len, SIGNS.split(seen))) <= LONGEST_NAME
    return _is_known(word) and is_short and seen.isprintable()


NAME_OF_SYSTEM = f"a name (at most {LONGEST_NAME} visible characters)"
RULES: dict[str, tuple[Callable[[str], bool], str]] = {  # and what each expects
    **dict.fromkeys((*NOT_NAMED, "task"), (_is_short, "a name")),
    **dict.fromkeys(("tied", "accepted"), (_is_flag, "true or false")),
    **dict.fromkeys(SYSTEMS, (_is_name, NAME_OF_SYSTEM)),
    **dict.fromkeys(("judge_group", "segment", "ranking"), (_is_known, "a name")),
    "judge": (_is_person, "a name of one person"),
    "item": (ITEMS.__contains__, f"one of {', '.join(ITEMS)}"),
    "shown_first": (bool, "a, b, or the name of a system"),
    "outcome": (_is_known, "an outcome"),
}


def _odd(found: Mapped, role: str, column: int) -> tuple[np.ndarray, str]:
    """Return the rows whose cell is odd, and what is expected."""
    if role in COUNTED:
        return _odd_counts(found, column), f"a whole number from 0 to {LARGEST_COUNT}"
    if role in NUMBERS:
        values = found.numbers(role)
        if found.scale is None:  # ranks, of which 1 is best
            odd = ~((values >= 1) & (np.floor(values) == values) & (values < 1e9))
            return odd, "a whole number from 1 (0 is no rank)"
        low, high = sorted(found.scale)
        odd = ~((values >= low) & (values <= high) & np.isfinite(values))
        return odd, f"a number from {low:g} to {high:g}"
    text = found.table.text(column)
    if role in ANSWERS and "a" in found.roles:
        role = "outcome"
    if role in SYSTEMS and len(text.categories) > MOST_SYSTEMS:
        fault = f"{len(text.categories)} names; expected at most {MOST_SYSTEMS} systems"
        name = short_repr(found.table.header[column])
        raise found.table.refuse(f"column {name} holds {fault}")
    rule, expected = RULES[role]
    return rows_with(text, lambda word: not rule(word)), expected


def _odd_counts(found: Mapped, column: int) -> np.ndarray:
    """Return the rows whose cell is no count; 1.000 may be thousands, 10% is none."""
    values = found.table.numbers(column)
    is_count = (values >= 0) & (values <= LARGEST_COUNT) & (np.floor(values) == values)
    if found.table.cells[column].dtype.kind in "iuf":
        return ~is_count
    ends = (".000", ",000", "%")
    return ~is_count | rows_with(found.table.text(column), lambda w: w.endswith(ends))


def _odd_cells(
    found: Mapped, role: str, column: int, bad: np.ndarray, expected: str
) -> tuple[list[str], int]:
    """Describe odd cells: what they hold, how many, the first row of each."""
    rows = np.flatnonzero(bad)
    text = as_text(found.table.cells[column].iloc[rows])
    words = pd.Series(text).value_counts(sort=False)
    words = words.sort_values(ascending=False, kind="stable")
    most = words.index[:MOST_WORDS]
    lines = []
    for word in most:
        place = found.table.place(rows[(text == word).argmax()])
        times = f"{words[word]} rows, first {place}" if words[word] > 1 else place
        held = short_repr(shorten(word, SHOWN))
        lines.append(f"{role} is {held} ({times}); expected {expected}")
    if len(words) > len(most):
        lines.append(f"... and {len(words) - len(most)} other cells")
    is_blank = most[0] == ""
    if is_blank and role in ANSWERS and (role == "outcome" or "a" in found.roles):
        lines.append("if blank is a tie: --outcome =tie")
    are_many = is_blank and len(rows) > len(bad) / 3 and rows[0] > 0
    if are_many and role in ("judge", "segment", "system"):
        lines.append(f"{role}: if these are merged cells, fill them down first")
    elif role in OPTIONAL:
        name = shlex.quote(found.table.reference(column))
        lines.append(f"{role}: to leave the column out: --ignore {name}")
    if found.scale is None and role in RANKED:
        lines.append("if ranks run from 0, add 1 to each")
    return lines, len(most)


def ask_about_sums(found: Mapped, doubts: Doubts) -> np.ndarray:
    """Ask about rows that sum up others; return the rows without them, (rows,).

    Values that the user says count are none.
    """
    rows = found.options.rows.values()
    said = {word.casefold() for words in rows for word in words}
    is_good = np.ones(len(found.table), dtype=np.bool_)
    for role, text in found.texts(*SYSTEMS, "segment", "judge").items():
        names = occurring(text)
        low = {name: name.casefold() for name in names}
        sums = [name for name in names if low[name].strip("()[]{}.: ") in SUMS]
        sums = [name for name in sums if low[name] not in said]
        if not sums or len(names) - len(sums) < 2:
            continue
        is_good &= ~text.isin(sums)
        column = shlex.quote(found.table.reference(found.roles[role][0]))
        lines = [f"{role} is {short_repr(name)}" for name in sums]
        lines.append(f"{role}: if it sums up nothing, name all: --rows {column}=VALUE")
        fault = "rows that may sum up others"
        doubts.add(fault, lines, *[("missing", "VALUE")] * len(sums))
    return is_good


# --- names that join others -----------------------------------------------------------


def joint_names(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the parts of the names of which all parts are names, too.

    >>> joint_names(["A", "B", "A + B", "A/B,A", "A+C", "C++"])
    {'A + B': ['A', 'B'], 'A/B,A': ['A', 'B']}
    """
    parts = {
        name: [part.strip() for part in SIGNS.split(name)] for name in sorted({*names})
    }
    return {
        name: [*dict.fromkeys(several)]
        for name, several in parts.items()
        if len(several) > 1 and parts.keys() >= {*several}
    }


def ask_about_joint_names(found: Mapped, doubts: Doubts) -> dict[str, list[str]]:
    """Return the names that are to be split, and their parts; ask, if nobody says it.

    In some exports a sign joins names always.
    """
    said = found.options.joint
    if said == "keep":
        return {}
    texts = found.texts(*SYSTEMS).values()
    names = {name for text in texts for name in occurring(text)}
    if "joint" in found.export and said is None:
        sign = found.export["joint"]
        return {name: name.split(sign) for name in names if sign in name}
    joint = joint_names(names)
    if joint and said is None:
        some = ", ".join(map(short_repr, [*joint][:3]))
        line = "HOW: split (identical outputs of several) or keep (one system)"
        doubts.add(f"names that join others: {some}", [line], ("joint", "HOW"))
    return joint
