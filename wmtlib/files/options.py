"""What a user says about a table: the options of `wmtlib.read`."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wmtlib.core.errors import DataError, did_you_mean, reason, short_repr
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
    options = {name: value for name, value in given.items() if value is not None}
    for name in ("column", "rows", "outcome", "wide"):
        value = options.get(name, {})
        is_word = name == "wide" and isinstance(value, str)
        if not (isinstance(value, Mapping) or is_word):
            fault = f"{name} is {short_repr(value)}; expected a mapping"
            raise DataError(f"{fault} ({{...}})")
    if "cells" in options and "wide" not in options:
        raise DataError("cells: say which columns hold them: wide")
    if options.get("header", 1) < 1:
        raise DataError("header: expected the number of a line, from 1")
    for name, words in WAYS.items():
        if options.get(name) not in (None, *words):
            raise _no_word(name, options[name], words)
    column: dict[str, list[str]] = {}
    for role, names in options.get("column", {}).items():
        role = "judge" if role == WORKER else role
        if role not in (*ROLES, NONE):
            raise _no_word("role", role, [*ROLES, NONE])
        column.setdefault(role, []).extend(_words(names))
    outcome = options.get("outcome", {})
    outcome = {clean(text_of(word)): side for word, side in outcome.items()}
    for word, side in outcome.items():
        if side not in MEANINGS:
            raise _no_word(f"meaning of the outcome {short_repr(word)}", side, MEANINGS)
    missing = [*map(clean, _words(options.get("missing", [])))]
    if "VALUE" in missing:
        raise DataError("missing: replace the word VALUE by what the cells hold")
    rows = options.get("rows", {})
    wide = options.get("wide", {})
    wide = {wide: []} if isinstance(wide, str) else wide
    for role in wide:
        if role not in ("system", "judge", "wins"):
            raise _no_word("wide", role, ["system=...", "judge=...", "wins"])
    return Options(
        **{
            **options,
            "column": column,
            "ignore": _words(options.get("ignore", [])),
            "outcome": outcome,
            "missing": missing,
            "rows": {name: [*map(clean, _words(rows[name]))] for name in rows},
            "wide": {role: _words(wide[role]) for role in wide},
            "sheet": _words(options.get("sheet", [])),
            "scale": _scale(options.get("scale")),
        }
    )


def _words(value: Any) -> list[str]:
    """Return texts of a text, a number, or a sequence of them."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        value = [value]
    return [text_of(word) for word in value]


def text_of(value: object) -> str:
    """Write a value as a table has it: True is true, 3.0 is 3."""
    word = str(value)
    if isinstance(value, bool):
        return word.lower()
    return word.removesuffix(".0") if isinstance(value, float) else word


def _scale(value: Any) -> tuple[float, float] | None:
    """Return the worst and the best score."""
    if value is None:
        return None
    try:
        worst, best = map(float, value)
    except (TypeError, ValueError):
        fault = f"scale is {short_repr(value)}; expected two numbers, WORST and BEST"
        raise DataError(f"{fault}, such as 0,100, or 5,1 where 1 is best") from None
    if not 0 < abs(worst - best) < float("inf"):
        raise DataError(f"scale is {worst:g}, {best:g}; expected two different numbers")
    return worst, best


def _no_word(what: str, word: object, words: Sequence[str]) -> DataError:
    """Return the error about a word that an option cannot have."""
    hint = did_you_mean(str(word), words)
    return DataError(f"no {what} {short_repr(word)}; expected {', '.join(words)}{hint}")


def listed(names: Sequence[str]) -> str:
    """Write names as a line of CSV.

    >>> listed(["alpha", "b, c"])
    'alpha,"b, c"'
    """
    quoted = [
        f'"{n.replace(chr(34), chr(34) * 2)}"' if {*n} & {*',"'} else n for n in names
    ]
    return ",".join(quoted)


def names_of(line: str) -> list[str]:
    """Read names as a line of CSV.

    >>> names_of('alpha,"b, c"')
    ['alpha', 'b, c']
    """
    try:
        return next(csv.reader([line]), [])
    except csv.Error as error:
        raise DataError(f"{short_repr(line)}: {reason(error)}") from None
