"""The preference of every row of comparisons: by its outcome, scores or ranks.

A word of an outcome is of one line of the contract, or names one of the two systems of
its row, or a column.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from wmtlib.core.counts import FIRST, SECOND, TIE
from wmtlib.core.errors import short_repr
from wmtlib.core.ranking import TOLERANCE
from wmtlib.files.contract import CONTRACT
from wmtlib.files.mapping import Mapped
from wmtlib.files.values import ANSWERS, Doubts, rows_with, tied_rows

SKIPPED = -1  # the preference of what does not count
UNKNOWN = -2
WORDS = {"a": FIRST, "b": SECOND, "tie": TIE, "skip": SKIPPED}
TURNED = np.array([TIE, SECOND, FIRST, UNKNOWN, SKIPPED], dtype=np.int8)
MOST_OUTCOMES = 30


def preferences(found: Mapped, good: np.ndarray, doubts: Doubts) -> np.ndarray:
    """Return the preference of every row; of numbers of wins, that of the first.

    Words of unknown meaning in good rows are asked about.
    """
    for kind in ("score", "rank"):
        if f"{kind}_a" in found.roles and "outcome" not in found.roles:
            return _of_numbers(found, kind)
    answers = [role for role in ANSWERS if role in found.roles]
    if "a" in found.roles and answers:
        preference = _of_words(found, answers[0], good, doubts)
    else:
        preference = np.full(len(found.table), FIRST, dtype=np.int8)
    return np.where(tied_rows(found), TIE, preference).astype(np.int8)


def _of_numbers(found: Mapped, kind: str) -> np.ndarray:
    """Compare the scores of two systems, or their ranks; nearly equal ones tie."""
    sides = [found.numbers(f"{kind}_{side}") for side in "ab"]
    first, second = np.nan_to_num(sides)
    worst, best = found.scale or (2, 1)  # of ranks, 1 is best
    last_bits = 2 * np.spacing(np.abs([first, second]).max())
    is_level = np.isclose(first, second, rtol=TOLERANCE, atol=last_bits)
    ahead = (first - second) * np.sign(best - worst)
    by_side = [is_level, ahead > 0]
    return np.select(by_side, [TIE, FIRST], SECOND).astype(np.int8)


def _of_words(found: Mapped, role: str, good: np.ndarray, doubts: Doubts) -> np.ndarray:
    """Return the preference of every row by its word, or by the system it names."""
    text = found.text(role)
    chosen = rows_with(text, found.options.outcome.__contains__)
    meaning, places = _meanings(found, text.categories)
    said = [meaning.get(word, UNKNOWN) for word in text.categories]
    preference = np.array(said, dtype=np.int8)[text.codes]
    by_name = np.full(len(preference), UNKNOWN, dtype=np.int8)
    for side, value in (("a", FIRST), ("b", SECOND)):
        by_name[_same_rows(text, found.text(side))] = value
    is_both = (by_name != UNKNOWN) & (preference != UNKNOWN) & (by_name != preference)
    is_unclear = is_both & ~chosen
    if "shown_first" in found.roles:
        turned = _are_swapped(found) & rows_with(text, places.__contains__)
        preference = np.where(turned, TURNED[preference], preference)
    is_named = (preference == UNKNOWN) & ~chosen
    preference = np.where(is_named, by_name, preference)
    is_open = (preference == UNKNOWN) & good & ~tied_rows(found)
    unclear = sorted({*text[is_unclear]})
    if unknown := [*text.categories[np.unique(text.codes[is_open])], *unclear]:
        _ask_about_outcomes(found, role, [*dict.fromkeys(unknown)], unclear, doubts)
    if role == "loser":  # but an option says who won
        preference = np.where(chosen, preference, TURNED[preference])
    return preference


def _same_rows(text: pd.Categorical, other: pd.Categorical) -> np.ndarray:
    """Return the rows in which two texts are the same, (rows,) of bool."""
    place = text.categories.get_indexer(other.categories)
    return np.asarray(place[other.codes] == text.codes)


def _meanings(
    found: Mapped, words: Sequence[str]
) -> tuple[dict[str, int], dict[str, str]]:
    """Return what words mean, and those that are places on the screen."""
    known = CONTRACT["outcomes"]
    low = {word: word.casefold() for word in words}
    ties = dict.fromkeys(known["ties"], "tie")
    said = {str(w): side for w, side in found.export.get("outcomes", {}).items()}
    if not {*low.values()} <= {*said, *ties}:
        said = {}  # 1, 2, 3, 4, 5 are of another scale than 0, 1, 2
    chosen = found.options.outcome
    others = {*low.values()}.difference(ties, said, map(str.casefold, chosen))
    lines = [
        line
        for line in [*known["places"], *known["lines"]]
        if others & {*line} and ("1" not in line or {"1", "2"} == others)
    ]
    own = lines[0] if len(lines) == 1 else {}
    meaning = {found.named(side).casefold(): side for side in "ab"}
    unclear = [word for word in own if meaning.get(word, own[word]) != own[word]]
    meaning = {**ties, **meaning, **own, **said}
    sides = {word: WORDS[meaning[low[word]]] for word in words if low[word] in meaning}
    sides = {word: side for word, side in sides.items() if low[word] not in unclear}
    sides |= {word: WORDS[side] for word, side in chosen.items()}
    is_place = own in known["places"] and not said
    places = {word: low[word] for word in words if is_place and low[word] in own}
    return sides, places


def _are_swapped(found: Mapped) -> np.ndarray:
    """Return the rows in which b was on the first place, (rows,)."""
    text = found.text("shown_first")
    known = CONTRACT["shown_first"]
    low = text.categories.str.casefold()
    is_first = {side: low.isin(known[side])[text.codes] for side in "ab"}
    for side, other in ("ab", "ba"):
        is_named = _same_rows(text, found.text(side))
        is_first[side] |= is_named
        is_first[other] &= ~is_named
    is_odd = ~(is_first["a"] | is_first["b"])
    if is_odd.any():
        row = int(is_odd.argmax())
        fault = f"shown_first is {short_repr(text[row])}; expected a, b, AB, BA, 1, 2,"
        raise found.table.refuse(f"{fault} or one of the two systems", row=row)
    return is_first["b"]


def _ask_about_outcomes(
    found: Mapped,
    role: str,
    words: Sequence[str],
    unclear: Sequence[str],
    doubts: Doubts,
) -> None:
    """Ask what words mean; too many are no outcomes."""
    if len(words) > MOST_OUTCOMES:
        fault = f"{found.named(role)} holds {len(words)} different words"
        step = "expected a few that say which won; docs/recipes.md has more layouts"
        raise found.table.refuse(f"{fault}; {step}")
    names = {*found.text("a").categories, *found.text("b").categories}
    strangers = [word for word in words if word in names and word not in unclear]
    lines = [
        f"{role} is {short_repr(word)}, which is a system, but not of its row"
        for word in strangers[:3]
    ]
    lines += [f"{short_repr(word)} is an outcome and a system" for word in unclear]
    lines.append("MEANING: a (it won), b, tie or skip")
    asked = [("outcome", (word, "MEANING")) for word in words]
    what = "outcome" if len(words) == 1 else "outcomes"
    doubts.add(f"{len(words)} {what} of unknown meaning", lines, *asked)
