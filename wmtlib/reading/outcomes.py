"""Meanings of outcomes of comparisons: words for positions, or the system that won.

Nothing is guessed: an outcome that could mean two things is refused until the user says
which.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from wmtlib.counts import FIRST, SECOND, TIE
from wmtlib.errors import (
    DataError,
    first_row,
    join_names,
    joined,
    outcome,
    short_repr,
    warning,
)
from wmtlib.forms import is_tie
from wmtlib.reading.tables import KNOWN, Table

SKIPPED = -1  # the user says that the row holds no comparison
NEITHER = -2  # an outcome that is not the name of a system of its row
MEANINGS = {"a": FIRST, "b": SECOND, "tie": TIE, "skip": SKIPPED}
WORDS = {meaning: word for word, meaning in MEANINGS.items()}
VOCABULARIES = [
    {word: MEANINGS[meaning] for word, meaning in vocabulary.items()}
    for vocabulary in KNOWN["vocabularies"]
]
FILLERS = {*KNOWN["fillers"]}
EXPECTED = (
    "expected a, b, tie; 1, 2; >, <, =; left, right; win, loss; or the system that won"
)
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
LONGEST = 500  # characters; a longer outcome is a text, and no word of a vocabulary
MOST = 12  # outcomes that one refusal asks about
GRADES = 4  # numbers from which on they look like a scale
UNKNOWN = "MEANING"  # what an option has in place of a meaning that is not proposed


def plain(outcome: str) -> str:
    """Return an outcome without case, signs, and words that do not change it.

    >>> plain(" Tie"), plain("1.0"), plain("Option A"), plain("3 - B is better")
    ('tie', '1', 'a', 'b')
    """
    if len(outcome) > LONGEST:
        return outcome
    word = re.sub(rf"^\s*{NUMBER.pattern}\W+(?=[^\W\d])", "", outcome.casefold())
    parts = re.findall(rf"[^\W\d_]+|{NUMBER.pattern}|[<>=]+", word)
    kept = [part for part in parts if part not in FILLERS] or parts
    kept = [f"{float(part):g}" if NUMBER.fullmatch(part) else part for part in kept]
    return " ".join(kept)


def says_tie(outcome: str) -> bool:
    """Return whether an outcome is a tie, as it is written or without fillers.

    >>> says_tie("Both translations are about the same"), says_tie("a tie-breaker")
    (True, False)
    """
    return is_tie(outcome) or is_tie(plain(outcome))


def meanings(words: Sequence[str], chosen: Mapping[str, int]) -> dict[str, set[int]]:
    """Return the preferences that each outcome may mean, read as a word.

    Parameters
    ----------
    words : sequence of str
        All different outcomes of a file, as they are written, in order of appearance.
    chosen : mapping from outcome to preference
        The user's own.

    Returns
    -------
    dict
        Without the outcomes that are unknown to the vocabularies that know most of
        them. What the user says of one outcome, and which outcomes there are, leaves
        fewer vocabularies.

    Examples
    --------
    >>> meanings(["left", "Tie", "right"], {}), meanings(["a", "1"], {})
    ({'left': {1}, 'Tie': {0}, 'right': {2}}, {'a': {1}})
    >>> meanings(["1", "0", "2"], {}), meanings(["1", "0", "2"], {"0": FIRST})
    ({'1': {1, 2}, '0': {0, 1}, '2': {0, 2}}, {'1': {2}, '0': {1}, '2': {0}})
    """
    short = {word: plain(word) for word in words}
    # A nought, or -1, is a win of the first system only where it is in the file.
    absent = {"0", "-1"}.difference(short.values())
    possible = [
        vocabulary
        for vocabulary in [*VOCABULARIES, {}]
        if FIRST not in map(vocabulary.get, absent)
        and all(_agrees(vocabulary, short[word], chosen.get(word)) for word in words)
    ]
    certain = {word: {TIE} for word in words if says_tie(word)}
    certain |= {word: {meaning} for word, meaning in chosen.items()}
    others = {word: short[word] for word in words if word not in certain}

    def unknown(vocabulary: Mapping[str, int]) -> list[str]:
        return [word for word in others if others[word] not in vocabulary]

    fewest = min(map(unknown, possible), key=len)
    fitting = [vocabulary for vocabulary in possible if unknown(vocabulary) == fewest]
    return {
        word: certain.get(word) or {each[others[word]] for each in fitting}
        for word in words
        if word not in fewest
    }


def _agrees(vocabulary: Mapping[str, int], word: str, said: int | None) -> bool:
    """Return whether a vocabulary allows a plain outcome, meant as the user says.

    One of numbers has to hold all numbers of the file, but those that are a tie or
    skipped: the others may be grades.
    """
    usual = vocabulary.get(word)
    if usual is None:
        is_other = "1" not in vocabulary or not NUMBER.fullmatch(word)
        return is_other or said in (TIE, SKIPPED)
    return said in (None, usual) or (said, usual) == (SKIPPED, TIE)


def preferences_of(
    frame: pd.DataFrame, chosen: Mapping[str, str], table: Table
) -> tuple[np.ndarray, list[str], str]:
    """Return the preference of every row, warnings, and a remark on outcomes.

    Parameters
    ----------
    frame : DataFrame
        Columns a, b and outcome (categories in order of appearance), n and place.
    chosen : mapping from outcome to word of `MEANINGS`
        The user's own.
    table : Table
        Named in every refusal.

    Raises
    ------
    DataError
        About all outcomes that are unknown, or that do not belong to the others; or one
        that could mean two things.
    """
    outcomes = frame["outcome"]
    words = [*outcomes.cat.categories]
    for word in chosen:
        if word not in words:
            fault = f"no outcome {short_repr(word)}; there are {join_names(words, 12)}"
            raise table.origin.refuse(fault)
    own = {word: MEANINGS[meaning] for word, meaning in chosen.items()}
    possible = meanings(words, own)
    single = {word: min(each) for word, each in possible.items() if len(each) == 1}
    certain = {word: single[word] for word in single if word in own or says_tie(word)}
    # The preference of every row, (rows,), by words and by names of systems.
    by_word = outcomes.map(lambda word: single.get(word, NEITHER)).to_numpy(int)
    is_side = [frame[side].astype(object) == outcomes.astype(object) for side in "ab"]
    by_name = np.select(is_side, [FIRST, SECOND], NEITHER)
    is_certain = outcomes.isin(certain)
    is_name = by_name != NEITHER

    if (row := first_row(is_name & is_certain & ~outcomes.isin(own))) is not None:
        fault = f"{table.called('outcome')} is {short_repr(outcomes[row])}, which is a"
        tie = outcome({outcomes[row]: "tie"})
        steps = [
            " system, too; if it is a tie, add ",
            tie,
            "; if it won, rename the system",
        ]
        raise table.origin.refuse(fault, *steps, row=frame["place"][row])
    is_unknown = ~is_name & ~is_certain
    if len(certain) < len(words) and not is_unknown.any():
        preference = np.where(is_certain, by_word, by_name)
        is_changed = (by_word != NEITHER) & (by_word != preference)
        number = frame["n"][is_changed].sum()
        warnings: list[str] = []
        if number and len(possible) == len(words):
            fault = "outcomes are taken for names of systems; if they are positions,"
            fault = f"{fault} which changes {number} of the rows, add "
            step = {word: WORDS[single[word]] for word in single if word not in certain}
            warnings = [warning("outcomes_are_names", fault, outcome(step))]
        reading = f"; outcome names the system that won{_legend(certain)}"
        return preference, warnings, reading
    if len(single) < len(words):
        raise _not_understood(frame, possible, is_unknown, chosen, table)
    return by_word, [], _legend(single)


def _not_understood(
    frame: pd.DataFrame,
    possible: Mapping[str, set[int]],
    is_unknown: pd.Series,
    chosen: Mapping[str, str],
    table: Table,
) -> DataError:
    """Return the error about an ambiguous outcome, or unknown ones."""
    words = [*frame["outcome"].cat.categories]
    if len(possible) == len(words):
        word = max(words, key=lambda word: (len(possible[word]), plain(word) == "0"))
        several = [WORDS[meaning] for meaning in sorted(possible[word])]
        fault = f"outcomes are {join_names(words, 6)}, and {short_repr(word)} could be"
        fault = f"{fault} {' or '.join(several)}; to say which, add "
        choices = joined(*(outcome({word: side}) for side in several), between=" or ")
        return table.origin.refuse(fault, choices)
    unnamed = [*frame["outcome"][is_unknown].unique()]
    # If the vocabularies know all that are no names, the others are names.
    asked = [word for word in unnamed if word not in possible] or unnamed
    names = {*frame["a"].cat.categories, *frame["b"].cat.categories}
    others = [word for word in asked if word in names] or asked
    row = frame["place"][first_row(is_unknown & (frame["outcome"] == others[0]))]
    fault = f"{table.called('outcome')} is {join_names(others, MOST)}"
    if others[0] in names:
        fault = f"{fault}, which is neither of the two systems of its row"
        return table.origin.refuse(fault, row=row)
    if any(plain(asked[0]) in vocabulary for vocabulary in VOCABULARIES):
        fault = f"{fault} after {join_names([*possible], 6)}" if possible else fault
    clear = {word: WORDS[min(each)] for word, each in possible.items()}
    proposals = _proposals(words, {**clear, **chosen})
    wanted = {*chosen, *asked[:MOST]}
    step = outcome({word: proposals[word] for word in proposals if word in wanted})
    fault = f"{fault}; {EXPECTED}; to say what each means (a, b, tie, skip), add "
    scale = ""
    if {"a", "b"} & {*map(proposals.get, asked)}:
        scale = " if they run from a to b; if from b to a, exchange a and b"
    return table.origin.refuse(fault, step, scale, row=row)


def _proposals(words: Sequence[str], chosen: Mapping[str, str]) -> dict[str, str]:
    """Propose meanings of outcomes: a side for grades, skip for blanks.

    Grades run from b to a if the user, or a word beside one, says so.

    >>> [*_proposals("12345", {"5": "a"}).values()], _proposals(["so-so", ""], {})
    (['b', 'b', 'tie', 'a', 'a'], {'so-so': 'MEANING', '': 'skip'})
    """
    numbers = {word: NUMBER.match(word.strip()) for word in words}
    grades = {word: float(number[0]) for word, number in numbers.items() if number}
    ordered = sorted(words, key=lambda word: grades.get(word, 0))
    meanings = dict.fromkeys(ordered, UNKNOWN)
    if len(grades) >= GRADES:
        low, *_, high = sorted(grades.values())
        middle = 0 if low < 0 < high else (low + high) / 2
        sides = {word: int(np.sign(grade - middle)) for word, grade in grades.items()}
        ways = ["tie", "b", "a"]  # of 0, 1 and -1
        if any({chosen.get(w), ways[sides[w]]} == {"a", "b"} for w in sides):
            ways = ["tie", "a", "b"]
        meanings |= {word: ways[side] for word, side in sides.items()}
    blanks = [word for word in words if word.strip().casefold() in KNOWN["missing"]]
    return meanings | dict.fromkeys(blanks, "skip") | {**chosen}


def _legend(preferences: Mapping[str, int]) -> str:
    """Return a remark on the outcomes whose word does not say what they mean.

    >>> _legend({"left": FIRST, "tie": TIE})
    "; outcome 'left' means a"
    """
    return "".join(
        f"; outcome {short_repr(word)} means {WORDS[meaning]}"
        for word, meaning in preferences.items()
        if word.strip().casefold() != WORDS[meaning]
    )
