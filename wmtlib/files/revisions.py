"""Several answers of one judge to one item, and rows from both sides."""

import numpy as np
import pandas as pd

from wmtlib.core.counts import FIRST, SECOND
from wmtlib.core.errors import short_repr
from wmtlib.files.contract import OF_COMPARISONS
from wmtlib.files.judgements import combined
from wmtlib.files.mapping import Mapped
from wmtlib.files.outcomes import TURNED, UNKNOWN
from wmtlib.files.values import ANSWERS, Doubts


def revised(
    found: Mapped, preference: np.ndarray, keep: np.ndarray, doubts: Doubts
) -> tuple[np.ndarray, int]:
    """Choose among several answers of one judge to one item, and count repeats.

    Returns
    -------
    kept : ndarray of bool, (rows,)
    repeats : int
        Rows that repeat others word for word.
    """
    rows = np.flatnonzero(keep)
    part = found.take(rows)
    choice = found.options.revisions or found.export.get("revisions")
    kept = keep.copy()
    mirrored = _mirrored(part, preference[rows])
    if mirrored is not None:
        if choice is None:
            line = "WHICH: all, or last (of both sides of a row, one)"
            fault = "every row is there from both sides"
            doubts.add(fault, [line], ("revisions", "WHICH"))
        kept[rows[~mirrored]] = choice != "last"
        return kept, 0
    units, answer = _item_of(part, preference[rows])
    if not units:
        return kept, 0
    item, _ = combined(units)
    both, _ = combined([*units, pd.factorize(answer)[0]])
    different = len(pd.unique(both))
    same = len(item) - different  # repeat an earlier answer to the item
    other = different - len(pd.unique(item))
    if found.kind == "rankings" and same + other:
        other += same  # a system is in a ranking once
        if choice == "all":
            row = int(pd.Series(item).duplicated().argmax())
            fault = "a system is twice in one ranking; revisions: expected last"
            raise part.table.refuse(fault, row=row)
    if other and choice is None:
        what = "judge" if "judge" in found.roles else "ranking"
        line = f"WHICH: all, or last (of one {what} to one item, the last in the file)"
        fault = f"{other} of {len(rows)} rows are second answers of one {what}"
        doubts.add(fault, [line], ("revisions", "WHICH"))
    elif choice == "last":
        kept[rows] = ~pd.Series(item).duplicated(keep="last")
        same = 0
    return kept, same


def _item_of(
    part: Mapped, preference: np.ndarray
) -> tuple[list[np.ndarray], np.ndarray]:
    """Return what tells the answers of one judge to one item, and the answers."""
    roles = {*part.roles}
    task = part.tasks().codes
    if part.kind == "rankings":
        ranking, _ = number_rankings(part)
        return [ranking, part.text("system").codes, task], part.text("rank").codes
    if not {"judge", "segment"} <= roles or {"count", "wins_a"} & roles:
        return [], preference
    sides = ("a", "b") if "a" in roles else ("winner", "loser", "system")
    keys = ("judge", "segment", "document", "ranking", "hit", "item", *sides)
    units = [text.codes for text in part.texts(*keys).values()]
    if part.kind == "assessments":
        return [*units, task], part.numbers("score")
    words = part.text(next(role for role in (*ANSWERS, "a") if role in roles))
    other = UNKNOWN - words.codes.astype(np.int64)
    return [*units, task], np.where(preference == UNKNOWN, other, preference)


def _mirrored(part: Mapped, preference: np.ndarray) -> np.ndarray | None:
    """Return the rows of one side, if every row is there from both; else None."""
    if part.kind != "comparisons" or "wins_a" in part.roles or "a" not in part.roles:
        return None
    is_even = (preference == FIRST).sum() == (preference == SECOND).sum()
    if not is_even or len(preference) < 2 or UNKNOWN in preference:
        return None
    _, (first, second) = part.sides()
    texts = part.texts(*OF_COMPARISONS, "count").values()
    units = [text.codes for text in texts]
    rows = [first, second, preference, *units]
    back = [second, first, TURNED[preference], *units]
    both, _ = combined([np.concatenate(pair) for pair in zip(rows, back, strict=True)])
    there, turned = np.split(both, 2)
    is_mirrored = np.array_equal(np.sort(there), np.sort(turned))
    return first < second if is_mirrored else None


def number_rankings(part: Mapped) -> tuple[np.ndarray, dict[str, pd.Categorical]]:
    """Return the number of each row's ranking, (rows,), and its judge and segment."""
    units = part.texts("judge", "segment")
    keys = part.texts("ranking") or part.texts("segment", "judge", "document")
    codes, _ = combined([text.codes for text in keys.values()])
    ranking = pd.factorize(codes)[0]
    for unit, text in units.items():
        first = pd.Series(text.codes).groupby(ranking).transform("first")
        other = (text.codes != first).to_numpy()
        if other.any():
            row = int(other.argmax())
            word = short_repr(text[row])
            fault = f"the ranking of this row has a second {unit}: {word}"
            step = "expected one; if their numbers begin anew, leave that column out"
            raise part.table.refuse(f"{fault}; {step}", row=row)
    return ranking, units
