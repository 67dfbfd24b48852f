"""Several answers of one judge to one item, and rows from both sides."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.core.counts import FIRST, SECOND, TIE
from wmtlib.core.errors import short_repr
from wmtlib.files.contract import OF_COMPARISONS
from wmtlib.files.judgements import combined
from wmtlib.files.mapping import Mapped, tasks_of
from wmtlib.files.options import Options
from wmtlib.files.values import UNKNOWN, Doubts, present

ANSWERS = ("outcome", "winner", "loser", "a")  # columns of answers; of numbers, any


def revised(
    found: Mapped,
    preference: np.ndarray,
    keep: np.ndarray,
    options: Options,
    export: Mapping[str, Any],
    doubts: Doubts,
) -> tuple[np.ndarray, int]:
    """Choose among several answers of one judge to one item, and count repeats.

    Returns
    -------
    kept : ndarray of bool, (rows,)
    repeats : int
        Rows that repeat others word for word.
    """
    rows = np.flatnonzero(keep)
    part = (
        replace(found, table=found.table.take(rows)) if len(rows) < len(keep) else found
    )
    if found.kind == "rankings" and len(rows):
        number_rankings(part)
    units, answer = _item_of(part, preference[rows])
    mirrored = _mirrored(part, preference[rows])
    choice = options.revisions or export.get("revisions")
    kept = keep.copy()
    if mirrored is not None:
        if choice is None:
            line = "WHICH: all, or last (of both sides of a row, one)"
            fault = "every row is there from both sides"
            doubts.add(fault, [line], ("revisions", "WHICH"))
        elif choice == "last":
            kept[rows[~mirrored]] = False
        return kept, 0
    if not units or not len(rows):
        return kept, 0
    item, same, other = repeats_of(units, answer)
    if found.kind == "rankings" and same + other:
        other = same + other  # a system is in a ranking once
        if choice == "all":
            row = int(np.flatnonzero(pd.Series(item).duplicated())[0])
            fault = "a system is twice in one ranking; revisions: expected last"
            raise part.table.refuse(fault, row=row)
    if other and choice is None:
        what = "judge" if "judge" in found.roles else "ranking"
        line = f"WHICH: all, or last (of one {what} to one item, the last in the file)"
        fault = f"{other} of {len(rows)} rows are second answers of one {what}"
        doubts.add(fault, [line], ("revisions", "WHICH"))
    elif choice == "last":
        kept[:] = False
        kept[rows[last_of(item)]] = True
        same = 0
    return kept, same


def _item_of(
    part: Mapped, preference: np.ndarray
) -> tuple[list[np.ndarray], np.ndarray]:
    """Return what tells the answers of one judge to one item, and the answers."""
    roles = part.roles
    if part.kind == "rankings":
        keys = ["ranking"] if "ranking" in roles else ["judge", "segment", "document"]
        units = [_codes(part.text(role)) for role in [*keys, "system"] if role in roles]
        return [*units, _codes(tasks_of(part))], part.text("rank").codes
    if not {"judge", "segment"} <= {*roles} or {"count", "wins_a"} & {*roles}:
        return [], preference
    sides = ["a", "b"] if "a" in roles else ["winner", "loser", "system"]
    keys = ["judge", "segment", "document", "ranking", "hit", "item", *sides]
    units = [_codes(part.text(role)) for role in keys if role in roles]
    if part.kind == "comparisons":
        words = part.text(next(role for role in ANSWERS if role in roles))
        answer = np.where(preference == UNKNOWN, UNKNOWN - words.codes, preference)
        return [*units, _codes(tasks_of(part))], answer
    return [*units, _codes(tasks_of(part))], part.table.numbers(roles["score"][0])


def _mirrored(part: Mapped, preference: np.ndarray) -> np.ndarray | None:
    """Return the rows of one side, if every row is there from both; else None."""
    roles = part.roles
    if part.kind != "comparisons" or "wins_a" in roles or "a" not in roles:
        return None
    if (preference == FIRST).sum() != (preference == SECOND).sum():
        return None
    _, (first, second) = sides_of(part)
    known = (*OF_COMPARISONS, "count")
    units = [_codes(part.text(role)) for role in known if role in roles]
    turned = np.array([TIE, SECOND, FIRST])[preference]
    rows = [first, second, preference, *units]
    back = [second, first, turned, *units]
    both, _ = combined([np.concatenate(pair) for pair in zip(rows, back, strict=True)])
    half = len(first)
    is_mirrored = np.array_equal(np.sort(both[:half]), np.sort(both[half:]))
    return first < second if half > 1 and is_mirrored else None


def number_rankings(part: Mapped) -> tuple[np.ndarray, dict[str, pd.Categorical]]:
    """Return the number of each row's ranking, (rows,), and its judge and segment."""
    units = {
        unit: part.text(unit) for unit in ("judge", "segment") if unit in part.roles
    }
    keys = ["ranking"] if "ranking" in part.roles else ["segment", "judge", "document"]
    codes = [_codes(part.text(key)) for key in keys if key in part.roles]
    ranking = pd.factorize(combined(codes)[0])[0]
    first_rows = np.unique(ranking, return_index=True)[1]
    for unit, text in units.items():
        other = text.codes != text.codes[first_rows][ranking]
        if other.any():
            row = int(other.argmax())
            fault = (
                f"the ranking of this row has a second {unit}: {short_repr(text[row])}"
            )
            step = "expected one; if their numbers begin anew, leave that column out"
            raise part.table.refuse(f"{fault}; {step}", row=row)
    return ranking, units


def sides_of(part: Mapped) -> tuple[list[str], list[np.ndarray]]:
    """Return the sorted names of systems, and the two of every row as numbers."""
    pair = ("a", "b") if "a" in part.roles else ("winner", "loser")
    texts = [part.text(role) for role in pair]
    names = sorted({n for text in texts for n in text.categories[present(text)]})
    index = pd.Index(names, dtype=object)
    return names, [index.get_indexer(text.categories)[text.codes] for text in texts]


def _codes(text: pd.Categorical) -> np.ndarray:
    """Return the codes of categories as whole numbers that sums cannot exceed."""
    return text.codes.astype(np.int64)


def repeats_of(
    codes: Sequence[np.ndarray], answer: np.ndarray
) -> tuple[np.ndarray, int, int]:
    """Find rows that are later answers to an item.

    Parameters
    ----------
    codes : arrays of int, (rows,)
        What tells items apart.
    answer : ndarray, (rows,)

    Returns
    -------
    item : ndarray of int, (rows,)
        A number of its own for each item.
    same, other : int
        Rows that repeat an earlier answer to the item, or give another one.
    """
    item, _ = combined(codes)
    both, _ = combined([*codes, pd.factorize(answer)[0]])
    items, different = (
        int((np.diff(np.sort(each), prepend=-1) != 0).sum()) for each in (item, both)
    )
    return item, len(item) - different, different - items


def last_of(item: np.ndarray) -> np.ndarray:
    """Return the last row of each item, in order, (items,)."""
    reverse = item[::-1]
    first = np.unique(reverse, return_index=True)[1]
    return np.sort(len(item) - 1 - first)
