"""What a user says about a table: the options of `wmtlib.read`."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wmtlib.core.errors import DataError, reason, short_repr, unknown
from wmtlib.files.checks import clean
from wmtlib.files.contract import KINDS, ROLES

NONE = "none"  # the role of a column that is left out
WORKER = "worker"  # another name of the role judge
MEANINGS = ("a", "b", "tie", "skip")
WAYS = {  # words that an option may have
    "kind": [*KINDS],
    "revisions": ["all", "last"],
    "joint": ["split", "keep"],
    "cells": ["score", "rank", "outcome"],
}


@dataclass(frozen=True)
class Options:
    """The options of `wmtlib.read`, which says what they mean, in one form each."""

    kind: str | None = None
    column: Mapping[str, Sequence[str]] = field(default_factory=dict)
    ignore: Sequence[str] = ()
    rows: Mapping[str, Sequence[str]] = field(default_factory=dict)
    outcome: Mapping[str, str] = field(default_factory=dict)
    scale: tuple[float, float] | None = None
    missing: Sequence[str] = ()
    revisions: str | None = None
    joint: str | None = None
    wide: Mapping[str, Sequence[str]] = field(default_factory=dict)
    cells: str | None = None
    sheet: Sequence[str] = ()
    header: int | None = None


def options_of(given: Mapping[str, Any]) -> Options:
    """Check options, and bring each into one form.

    Raises
    ------
    DataError
        A word that an option cannot have; a word in capitals that was left in.

    Examples
    --------
    >>> options_of({"column": {"worker": "rater"}, "missing": 99}).column
    {'judge': ['rater']}
    """
    said = {name: value for name, value in given.items() if value is not None}
    if isinstance(said.get("wide"), str):
        said["wide"] = {said["wide"]: []}
    for name in {*FORMS} & {*said}:
        said[name] = FORMS[name](name, said[name])
    options = Options(**said)
    if options.cells and not options.wide:
        raise DataError("cells: say which columns hold them: wide")
    if options.header is not None and options.header < 1:
        raise DataError("header: expected the number of a line, from 1")
    if "VALUE" in options.missing:
        raise DataError("missing: replace the word VALUE by what the cells hold")
    for name, words in WAYS.items():
        _require_words(name, [said.get(name, words[0])], words)
    _require_words("role", options.column, [*ROLES, NONE])
    _require_words("wide", options.wide, ["system", "judge", "wins"])
    for word, side in options.outcome.items():
        _require_words(f"meaning of the outcome {short_repr(word)}", [side], MEANINGS)
    return options


def _require_words(what: str, words: Iterable[str], known: Sequence[str]) -> None:
    """Refuse a word that an option cannot have."""
    for word in words:
        if word not in known:
            raise unknown(what, str(word), known)


def text_of(value: object) -> str:
    """Write a value as a table has it: True is true, 3.0 is 3."""
    if isinstance(value, bool | np.bool_):
        return str(value).lower()
    if isinstance(value, float | np.floating):
        return str(value).removesuffix(".0")
    return str(value)


def _words(name: str, value: Any) -> list[str]:
    """Return texts of a text, a number, or a sequence of them."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        value = [value]
    return [clean(text_of(word)) for word in value]


def _mapping(name: str, value: Any) -> dict[str, Any]:
    """Return what is said of words; True, as a word of a table, is true."""
    if not isinstance(value, Mapping):
        fault = f"{name} is {short_repr(value)}; expected a mapping"
        raise DataError(f"{fault} ({{...}})")
    return {clean(text_of(word)): said for word, said in value.items()}


def _lists(name: str, value: Any) -> dict[str, list[str]]:
    """Return lists of words by role, or by column."""
    lists: dict[str, list[str]] = {}
    for word, said in _mapping(name, value).items():
        role = "judge" if name == "column" and word == WORKER else word
        lists.setdefault(role, []).extend(_words(name, said))
    return lists


def _scale(name: str, value: Any) -> tuple[float, float]:
    """Return the worst and the best score."""
    try:
        worst, best = map(float, value)
    except (TypeError, ValueError):
        fault = f"scale is {short_repr(value)}; expected two numbers, WORST and BEST"
        raise DataError(f"{fault}, such as 0,100, or 5,1 where 1 is best") from None
    if not 0 < abs(worst - best) < float("inf"):
        raise DataError(f"scale is {worst:g}, {best:g}; expected two different numbers")
    return worst, best


FORMS: dict[str, Callable[[str, Any], Any]] = {
    "column": _lists,
    "ignore": _words,
    "rows": _lists,
    "outcome": _mapping,
    "scale": _scale,
    "missing": _words,
    "wide": _lists,
    "sheet": _words,
}


def listed(names: Sequence[str]) -> str:
    """Write names as a line of CSV.

    >>> listed(["alpha", "b, c"])
    'alpha,"b, c"'
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def names_of(line: str) -> list[str]:
    """Read names as a line of CSV.

    >>> names_of('alpha,"b, c"')
    ['alpha', 'b, c']
    """
    try:
        return next(csv.reader([line]), [])
    except csv.Error as error:
        raise DataError(f"{short_repr(line)}: {reason(error)}") from None
