"""Checks of cells by role; whatever is open is asked about at once.

Cells are checked and never interpreted: a name, a number or a word that a role cannot
have is asked about with its row.
"""

import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.core.counts import FIRST, SECOND, TIE
from wmtlib.core.errors import short_repr, shorten
from wmtlib.files.checks import LONGEST_NAME
from wmtlib.files.contract import (
    CONTRACT,
    COUNTED,
    MISSING,
    NOBODY,
    NUMBERS,
    RANKED,
    SCORED,
    SUMS,
    SYSTEMS,
)
from wmtlib.files.mapping import SHOWN, Mapped, reference
from wmtlib.files.options import Options
from wmtlib.files.tables import as_text

SKIPPED = -1  # the preference of what does not count
UNKNOWN = -2
WORDS = {"a": FIRST, "b": SECOND, "tie": TIE, "skip": SKIPPED}
SIGNS = re.compile("[+,/&]")  # that join names of systems
FLAGS = {word: True for word in CONTRACT["flags"]["true"]}
FLAGS |= dict.fromkeys(CONTRACT["flags"]["false"], False)
ANSWERS = ("winner", "loser")  # outcomes, beside two systems
MOST_WORDS = 12  # that are asked about, of each role
MOST_OUTCOMES = 30
MOST_SYSTEMS = 5000
LARGEST_COUNT = 2**53
NOT_NAMED = ("judge_group", "document", "hit", "accepted")  # may be blank
OPTIONAL = ("judge", "judge_group", "ranking", "document", "hit", "item", "accepted")
ITEMS = ("SYSTEM", "REPEAT", "REF", "BAD_REF")
TYPES = {"TGT": "SYSTEM", "BAD": "", "REF": "", "CHK": ""}  # of Appraise


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


def present(text: pd.Categorical) -> np.ndarray:
    """Return the categories that occur, (categories,) of bool."""
    return np.bincount(text.codes, minlength=len(text.categories)) > 0


def plain_name(word: str) -> str:
    """Write a name without case, brackets and dots, as words for sums are known."""
    return word.casefold().strip("()[]{}.: ")


# --- rows that are left out -----------------------------------------------------------


def without_missing(
    mapped: Mapped, words: Iterable[str], left_out: Counter[str]
) -> Mapped:
    """Leave out, and count, the rows with a cell that is called missing."""
    missing = {*words}
    if not missing:
        return mapped
    table = mapped.table
    is_kept = np.ones(len(table), dtype=np.bool_)
    numbers = {word for word in missing if re.fullmatch(r"-?[0-9.,]+", word)}
    numbers &= {  # a score of 99 that is missing is no reason to drop segment 99
        word
        for role in {*NUMBERS} & {*mapped.roles}
        for word in table.text(mapped.roles[role][0]).categories
    }
    for role, columns in mapped.roles.items():
        meant = missing if role in NUMBERS else missing - numbers
        if role in ("tied", *NOT_NAMED):
            continue
        for column in columns:
            text = table.text(column)
            is_gone = np.array([word in meant for word in text.categories], dtype=bool)
            gone = is_gone[text.codes]
            if role in ("outcome", "winner", "loser") and "tied" in mapped.roles:
                gone &= ~flags_of(mapped, "tied")
            is_kept &= ~gone
    left_out["rows with a missing cell"] = int((~is_kept).sum())
    return replace(mapped, table=table.take(np.flatnonzero(is_kept)))


def flags_of(mapped: Mapped, role: str) -> np.ndarray:
    """Return the rows that have a flag, (rows,) of bool; odd cells are none."""
    text = mapped.text(role)
    flags = [FLAGS.get(word.casefold(), False) for word in text.categories]
    return np.array(flags, dtype=np.bool_)[text.codes]


# --- cells of one role ----------------------------------------------------------------


def check_cells(mapped: Mapped, options: Options, doubts: Doubts) -> np.ndarray:
    """Ask about cells that their role cannot have; return rows without any, (rows,)."""
    is_header = _repeats_header(mapped)
    is_good = ~is_header
    if is_header.any():
        row = mapped.table.origin.where(int(mapped.table.places[is_header.argmax()]))
        line = f"{row} holds the names of the columns"
        doubts.add("a row repeats the header", [line], ("missing", "VALUE"))
    is_tied = np.zeros(len(is_good), dtype=np.bool_)
    if "tied" in mapped.roles:
        is_tied = flags_of(mapped, "tied")
    for role, columns in mapped.roles.items():
        for column in columns:
            bad, expected = _odd(mapped, role, column)
            if role in ("outcome", "winner", "loser"):
                said = mapped.table.text(column).isin([*options.outcome])
                bad &= ~is_tied & ~said
            bad &= ~is_header
            if bad.any():
                is_good &= ~bad
                lines, number = _odd_cells(mapped, role, column, bad, expected)
                asked = [("missing", "VALUE")] * number
                fault = "cells that their role cannot have"
                is_flag = role in ("tied", "accepted", "item")
                doubts.add(fault, lines, *([] if is_flag else asked))
    return is_good


def _repeats_header(mapped: Mapped) -> np.ndarray:
    """Return the rows whose cells are the names of their columns, (rows,)."""
    is_header = np.ones(len(mapped.table), dtype=np.bool_)
    for column in (column for columns in mapped.roles.values() for column in columns):
        text = mapped.table.text(column)
        place = text.categories.get_indexer([mapped.table.header[column]])[0]
        if place < 0:
            return np.zeros_like(is_header)
        is_header &= text.codes == place
    return is_header


def _odd(mapped: Mapped, role: str, column: int) -> tuple[np.ndarray, str]:
    """Return the rows whose cell is odd, and what is expected."""
    table = mapped.table
    if role in (*SCORED, *RANKED, *COUNTED):
        return _odd_numbers(mapped, role, column)
    text = table.text(column)
    is_outcome = role in ("winner", "loser") and "a" in mapped.roles
    if role in SYSTEMS and not is_outcome and len(text.categories) > MOST_SYSTEMS:
        fault = f"{len(text.categories)} names; expected at most {MOST_SYSTEMS} systems"
        raise table.refuse(f"column {short_repr(table.header[column])} holds {fault}")
    rule, expected = _rule_of("outcome" if is_outcome else role)
    odd = np.array([not rule(word) for word in text.categories], dtype=np.bool_)
    if not odd.any():
        return np.zeros(len(text), dtype=np.bool_), expected
    return odd[text.codes], expected


def _rule_of(role: str) -> tuple[Callable[[str], bool], str]:
    """Return the rule of a cell of a role, and what it expects in words."""
    if role in ("tied", "accepted"):
        return lambda word: word.casefold() in FLAGS, "true or false"
    if role in (*NOT_NAMED, "task"):
        return lambda word: len(word) <= LONGEST_NAME, "a name"
    if role == "item":
        words = (*ITEMS, *TYPES)
        return lambda word: word in words, f"one of {', '.join(words)}"
    if role == "shown_first":
        return lambda word: word != "", "a, b, or the name of a system"
    if role in SYSTEMS:
        return _is_name, f"a name (at most {LONGEST_NAME} visible characters)"
    if role == "outcome":
        return lambda word: word.casefold() not in MISSING, "an outcome"
    nobody = MISSING | NOBODY if role == "judge" else MISSING
    what = "a name of one person" if role == "judge" else "a name"
    return lambda word: word.casefold() not in nobody, what


def _is_name(word: str) -> bool:
    """Return whether a cell holds what can be the name of a system."""
    seen = re.sub("[\u200c\u200d]", "", word)  # `clean` leaves those that are needed
    is_short = max(map(len, parts_of(seen))) <= LONGEST_NAME
    return word.casefold() not in MISSING and is_short and seen.isprintable()


def _odd_numbers(mapped: Mapped, role: str, column: int) -> tuple[np.ndarray, str]:
    """Return the rows whose cell is no number of a role, and what is expected."""
    values = mapped.table.numbers(column)
    if role in COUNTED:
        odd = ~(
            (values >= 0) & (values <= LARGEST_COUNT) & (np.floor(values) == values)
        )
        text = mapped.table.cells[column]
        if text.dtype.kind not in "iuf":  # 1.000 may be thousands, 10% are no count
            cells = mapped.table.text(column)
            ends = (".000", ",000", "%")
            thousands = [word.endswith(ends) for word in cells.categories]
            odd |= np.array(thousands, dtype=np.bool_)[cells.codes]
        return odd, f"a whole number from 0 to {LARGEST_COUNT}"
    if mapped.scale is None:  # ranks, of which 1 is best
        odd = ~((values >= 1) & (np.floor(values) == values) & (values < 1e9))
        return odd, "a whole number from 1 (0 is no rank)"
    low, high = sorted(mapped.scale)
    odd = ~((values >= low) & (values <= high) & np.isfinite(values))
    return odd, f"a number from {low:g} to {high:g}"


def _odd_cells(
    mapped: Mapped, role: str, column: int, bad: np.ndarray, expected: str
) -> tuple[list[str], int]:
    """Describe odd cells: what they hold, how many, the first row of each."""
    table = mapped.table
    rows = np.flatnonzero(bad)
    text = as_text(table.cells[column].iloc[rows])
    words, first, number = np.unique(text.codes, return_index=True, return_counts=True)
    most = np.argsort(-number, kind="stable")[:MOST_WORDS]
    lines = []
    for k in most:
        word = short_repr(shorten(text.categories[words[k]], SHOWN))
        place = table.origin.where(int(table.places[rows[first[k]]]))
        times = f"{number[k]} rows, first {place}" if number[k] > 1 else place
        lines.append(f"{role} is {word} ({times}); expected {expected}")
    if len(words) > len(most):
        lines.append(f"... and {len(words) - len(most)} other cells")
    is_blank = text.categories[words[most[0]]] == ""
    is_outcome = role == "outcome" or ("a" in mapped.roles and role in ANSWERS)
    if is_blank and is_outcome:
        lines.append("if blank is a tie: --outcome =tie")
    are_many = is_blank and len(rows) > len(table) / 3
    if are_many and role in ("judge", "segment", "system") and rows[0] > 0:
        lines.append(f"{role}: if these are merged cells, fill them down first")
    elif role in OPTIONAL:
        name = reference(table, column)
        lines.append(f"{role}: to leave the column out: --ignore {shlex.quote(name)}")
    if mapped.scale is None and role in RANKED:
        lines.append("if ranks run from 0, add 1 to each")
    return lines, len(most)


def ask_about_sums(mapped: Mapped, options: Options, doubts: Doubts) -> np.ndarray:
    """Ask about rows that sum up others; return the rows without them, (rows,).

    Values that the user says count are none.
    """
    said = {word.casefold() for words in options.rows.values() for word in words}
    is_good = np.ones(len(mapped.table), dtype=np.bool_)
    for role in (*SYSTEMS, "segment", "judge"):
        if role not in mapped.roles:
            continue
        text = mapped.text(role)
        are_sums = np.array(
            [
                plain_name(word) in SUMS and word.casefold() not in said
                for word in text.categories
            ]
        )
        are_sums = are_sums.astype(np.bool_) & present(text)
        if not are_sums.any() or (present(text) & ~are_sums).sum() < 2:
            continue
        names = text.categories[are_sums]
        is_good &= ~are_sums[text.codes]
        lines = [f"{role} is {short_repr(name)}" for name in names]
        column = shlex.quote(reference(mapped.table, mapped.roles[role][0]))
        lines.append(f"{role}: if it sums up nothing, name all: --rows {column}=VALUE")
        fault = "rows that may sum up others"
        doubts.add(fault, lines, *[("missing", "VALUE")] * len(names))
    return is_good


# --- names that join others -----------------------------------------------------------


def parts_of(name: str) -> list[str]:
    """Split a name at the signs that join names.

    >>> parts_of("A + B"), parts_of("A/B,C")
    (['A', 'B'], ['A', 'B', 'C'])
    """
    return [part.strip() for part in SIGNS.split(name)]


def joint_names(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the parts of the names of which all parts are names, too.

    >>> joint_names(["A", "B", "A+B", "A+C", "C++"])
    {'A+B': ['A', 'B']}
    """
    parts = {name: parts_of(name) for name in sorted({*names})}
    return {
        name: [*dict.fromkeys(several)]
        for name, several in parts.items()
        if len(several) > 1 and parts.keys() >= {*several}
    }


def ask_about_joint_names(
    mapped: Mapped, options: Options, export: Mapping[str, Any], doubts: Doubts
) -> dict[str, list[str]]:
    """Return the names that are to be split, and their parts; ask, if nobody says it.

    In some exports a sign joins names always.
    """
    texts = [mapped.text(role) for role in SYSTEMS if role in mapped.roles]
    names = {name for text in texts for name in text.categories[present(text)]}
    if options.joint == "keep":
        return {}
    if "joint" in export and options.joint is None:
        sign = export["joint"]
        return {name: name.split(sign) for name in names if sign in name}
    joint = joint_names(names)
    if joint and options.joint is None:
        some = ", ".join(map(short_repr, [*joint][:3]))
        line = "HOW: split (identical outputs of several) or keep (one system)"
        doubts.add(f"names that join others: {some}", [line], ("joint", "HOW"))
    return joint


# --- outcomes -------------------------------------------------------------------------


def outcomes_of(
    mapped: Mapped,
    options: Options,
    export: Mapping[str, Any],
    good: np.ndarray,
    doubts: Doubts,
) -> np.ndarray:
    """Return the preference of every row, (rows,); ask about unknown words.

    A word is of one line of the contract, or names one of the two systems of its row,
    or a column.
    """
    roles = mapped.roles
    if {"a", "b"}.isdisjoint(roles):  # winner and loser
        preference = np.full(len(mapped.table), FIRST, dtype=np.int8)
        return _with_ties(mapped, preference)
    role = next(r for r in ("outcome", "winner", "loser") if r in roles)
    text = mapped.text(role)
    words = [*text.categories]
    meaning, by_place = _meanings(mapped, words, options, export)
    said = np.array([meaning.get(word, UNKNOWN) for word in words], dtype=np.int8)
    preference = said[text.codes]
    sides = [mapped.text("a"), mapped.text("b")]
    by_name = np.full(len(preference), UNKNOWN, dtype=np.int8)
    for side, value in zip(sides, (FIRST, SECOND), strict=True):
        place = pd.Index(text.categories).get_indexer(side.categories)
        by_name[place[side.codes] == text.codes] = value
    chosen = np.array([word in options.outcome for word in words], dtype=np.bool_)
    is_both = (by_name != UNKNOWN) & (preference != UNKNOWN) & (by_name != preference)
    unclear = {*text.categories[np.unique(text.codes[is_both & ~chosen[text.codes]])]}
    swapped = _are_swapped(mapped, doubts)
    if swapped is not None:
        places = np.array([word in by_place for word in words], dtype=np.bool_)
        turned = swapped & places[text.codes]
        exchanged = np.select(
            [preference == FIRST, preference == SECOND], [SECOND, FIRST], preference
        )
        preference = np.where(turned, exchanged, preference).astype(np.int8)
    is_named = (preference == UNKNOWN) & ~chosen[text.codes]
    preference = np.where(is_named, by_name, preference)
    preference = _with_ties(mapped, preference)
    open_rows = (preference == UNKNOWN) & good
    found = np.unique(text.codes[open_rows])
    unknown = [*dict.fromkeys([*text.categories[found], *sorted(unclear)])]
    if unknown:
        _ask_about_outcomes(mapped, role, unknown, unclear, doubts)
    if role == "loser":
        is_word = ~chosen[text.codes]  # an option says who won
        turned_back = [is_word & (preference == side) for side in (FIRST, SECOND)]
        preference = np.select(turned_back, [SECOND, FIRST], preference)
    return preference.astype(np.int8)


def _meanings(
    mapped: Mapped, words: Sequence[str], options: Options, export: Mapping[str, Any]
) -> tuple[dict[str, int], set[str]]:
    """Return what words mean, and those that are places on the screen."""
    known = CONTRACT["outcomes"]
    header = mapped.table.header
    names = {
        header[mapped.roles["a"][0]].casefold(): "a",
        header[mapped.roles["b"][0]].casefold(): "b",
    }
    said = {str(word): side for word, side in export.get("outcomes", {}).items()}
    ties = dict.fromkeys(known["ties"], "tie")
    low = {word: word.casefold() for word in words}
    if not {*low.values()} <= {*said, *ties}:
        said = {}  # 1, 2, 3, 4, 5 are of another scale than 0, 1, 2
    others = {*low.values()}.difference(ties, said, map(str.casefold, options.outcome))
    lines = [
        line
        for line in [*known["places"], *known["lines"]]
        if others & {*line} and ("1" not in line or {"1", "2"} == others)
    ]
    own = dict(lines[0]) if len(lines) == 1 else {}
    is_place = len(lines) == 1 and lines[0] in known["places"] and not said
    places = {word for word in words if is_place and low[word] in own}
    unclear = [word for word in own if names.get(word, own[word]) != own[word]]
    own = {word: side for word, side in {**names, **own}.items() if word not in unclear}
    meaning = {**ties, **own, **said}
    by_word = {
        word: WORDS[meaning[low[word]]] for word in words if low[word] in meaning
    }
    by_word |= {word: WORDS[side] for word, side in options.outcome.items()}
    return by_word, places


def _are_swapped(mapped: Mapped, doubts: Doubts) -> np.ndarray | None:
    """Return the rows in which b was on the first place, (rows,); None if not said."""
    if "shown_first" not in mapped.roles:
        return None
    text = mapped.text("shown_first")
    known = CONTRACT["shown_first"]
    sides = {word: side for side in "ab" for word in known[side]}
    side = np.array([sides.get(word.casefold(), "") for word in text.categories])[
        text.codes
    ]
    for name in "ab":
        system = mapped.text(name)
        place = pd.Index(text.categories).get_indexer(system.categories)
        side[place[system.codes] == text.codes] = name
    if (side == "").any():
        row = int((side == "").argmax())
        raise mapped.table.refuse(
            f"shown_first is {short_repr(text[row])}; expected a, b, AB, BA, 1, 2, or"
            " one of the two systems",
            row=row,
        )
    return np.asarray(side == "b")


def _with_ties(mapped: Mapped, preference: np.ndarray) -> np.ndarray:
    """Make ties of the rows that have the flag."""
    if "tied" not in mapped.roles:
        return preference
    return np.where(flags_of(mapped, "tied"), TIE, preference).astype(np.int8)


def _ask_about_outcomes(
    mapped: Mapped, role: str, words: Sequence[str], unclear: set[str], doubts: Doubts
) -> None:
    """Ask what words mean; too many are no outcomes."""
    names = {*mapped.text("a").categories, *mapped.text("b").categories}
    strangers = [word for word in words if word in names and word not in unclear]
    if len(words) > MOST_OUTCOMES:
        fault = f"{mapped.named(role)} holds {len(words)} different words"
        step = "expected a few that say which won; docs/recipes.md has more layouts"
        raise mapped.table.refuse(f"{fault}; {step}")
    lines = [
        f"{role} is {short_repr(word)}, which is a system, but not of its row"
        for word in strangers[:3]
    ]
    lines += [f"{short_repr(w)} is an outcome and a system" for w in sorted(unclear)]
    lines.append("MEANING: a (it won), b, tie or skip")
    asked = [("outcome", (word, "MEANING")) for word in words]
    what = "outcome" if len(words) == 1 else "outcomes"
    doubts.add(f"{len(words)} {what} of unknown meaning", lines, *asked)
