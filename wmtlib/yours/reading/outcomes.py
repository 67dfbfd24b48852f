"""What outcomes of comparisons mean: words for positions, or the system that won.

Nothing is guessed: an outcome that could mean two things is refused until the user says
which.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from wmtlib.counts import FIRST, SECOND, TIE
from wmtlib.errors import DataError, first_row, joined, listed, shown
from wmtlib.intake import is_tie
from wmtlib.yours.options import SKIP_BAD, outcome
from wmtlib.yours.reading.tables import KNOWN, Table

SKIPPED = -1  # the user says that the row holds no comparison
NEITHER = -2  # an outcome that is not the name of a system of its row
MEANINGS = {"a": FIRST, "b": SECOND, "tie": TIE, "skip": SKIPPED}
WORDS = {meaning: word for word, meaning in MEANINGS.items()}
VOCABULARIES = [
    {word: MEANINGS[meaning] for word, meaning in vocabulary.items()}
    for vocabulary in KNOWN["vocabularies"]
]
EXPECTED = (
    "expected a, b, tie; 1, 2; >, <, =; left, right; win, loss; or the system that won"
)


def plain(outcome: str) -> str:
    """An outcome in lower case; of 1.0 the whole number.

    >>> plain("Tie"), plain("1.0"), plain("0.50")
    ('tie', '1', '0.5')
    """
    word = outcome.casefold()
    is_decimal = re.fullmatch(r"-?[0-9]{1,3}\.[0-9]{1,3}", word)
    return f"{float(word):g}" if is_decimal else word


def meanings(words: Sequence[str], chosen: Mapping[str, int]) -> dict[str, set[int]]:
    """The preferences that each outcome can stand for, read as a word.

    Parameters
    ----------
    words : sequence of str
        All different outcomes of a file, as they stand there, in order of appearance.
    chosen : mapping from outcome to preference
        The user's own.

    Returns
    -------
    dict
        Up to the first outcome that is unknown, or that does not belong to those before
        it. What the user says of one outcome, and which outcomes there are, leaves
        fewer vocabularies.

    Examples
    --------
    >>> meanings(["left", "Tie", "right"], {}), meanings(["a", "1"], {})
    ({'left': {1}, 'Tie': {0}, 'right': {2}}, {'a': {1}})
    >>> meanings(["1", "0", "2"], {}), meanings(["1", "0", "2"], {"0": FIRST})
    ({'1': {1, 2}, '0': {0, 1}, '2': {0, 2}}, {'1': {2}, '0': {1}, '2': {0}})
    """
    # A nought, or -1, is a win of the first system only where it stands in the file.
    absent = {"0", "-1"} - {*map(plain, words)}
    possible = [v for v in VOCABULARIES if FIRST not in map(v.get, absent)]
    for word, meaning in chosen.items():
        agreeing = [v for v in possible if v.get(plain(word)) == meaning]
        possible = agreeing or possible
    certain: dict[str, int | None] = {}  # None: as the vocabularies say that are left
    for word in words:
        if word in chosen or is_tie(word):
            certain[word] = chosen.get(word, TIE)
            continue
        fitting = [vocabulary for vocabulary in possible if plain(word) in vocabulary]
        if not fitting:
            break
        possible = fitting
        certain[word] = None
    return {
        word: {v[plain(word)] for v in possible} if meaning is None else {meaning}
        for word, meaning in certain.items()
    }


def preferences_of(
    frame: pd.DataFrame, chosen: Mapping[str, str], table: Table
) -> tuple[np.ndarray, list[str], str]:
    """The preference of every row, warnings, and what to say about outcomes.

    Parameters
    ----------
    frame : DataFrame
        Columns a, b and outcome (categories in order of appearance), n and place.
    chosen : mapping from outcome to word of `MEANINGS`
        What the user says.
    table : Table
        Named in every refusal.

    Raises
    ------
    DataError
        About the first outcome that is unknown, or that does not belong to those before
        it; or outcomes that could mean two things.
    """
    outcomes = frame["outcome"]
    words = [*outcomes.cat.categories]
    for word in chosen:
        if word not in words:
            fault = f"no outcome {shown(word)}; there are {listed(words, 12)}"
            raise table.origin.refuse(fault)
    own = {word: MEANINGS[meaning] for word, meaning in chosen.items()}
    certain = {word: TIE for word in words if is_tie(word)} | own
    possible = meanings(words, own)
    single = {word: min(each) for word, each in possible.items() if len(each) == 1}
    single |= certain
    # The preference of every row, (rows,), by words and by names of systems.
    by_word = outcomes.map(lambda word: single.get(word, NEITHER)).to_numpy(np.int8)
    sides = [frame[side].cat.set_categories(words).cat.codes for side in ("a", "b")]
    is_side = [side == outcomes.cat.codes for side in sides]
    by_name = np.select(is_side, [FIRST, SECOND], NEITHER).astype(np.int8)
    is_certain = outcomes.isin(certain)
    is_name = by_name != NEITHER

    if (row := first_row(is_name & is_certain & ~outcomes.isin(own))) is not None:
        raise table.origin.refuse(
            f"{table.called('outcome')} is {shown(outcomes[row])}, which is a system,"
            " too; if it is a tie, add ",
            outcome(outcomes[row], "tie"),
            "; if it won, rename the system",
            row=frame["place"][row],
        )
    is_unknown = ~is_name & ~is_certain
    if len(certain) < len(words) and not is_unknown.any():
        preference = np.where(is_certain, by_word, by_name)
        is_changed = (by_word != NEITHER) & (by_word != preference)
        warnings: list[str] = []
        if is_changed.any():
            fault = (
                "outcomes are taken for names of systems; if they are positions, which"
                f" changes {frame['n'][is_changed].sum()} of the rows, add"
            )
            positions = [word for word in single if word not in certain]
            steps = [outcome(word, WORDS[single[word]]) for word in positions]
            warnings = [joined(fault, *steps, between=" ")]
        reading = f"; outcome names the system that won{_legend(certain)}"
        return preference, warnings, reading
    if len(single) < len(words):
        raise _not_understood(frame, possible, is_unknown, table)
    return by_word, [], _legend(single)


def _not_understood(
    frame: pd.DataFrame,
    possible: Mapping[str, set[int]],
    is_unknown: pd.Series,
    table: Table,
) -> DataError:
    """The error about outcomes that could mean two things, or one that means none."""
    words = [*frame["outcome"].cat.categories]
    before = listed([*possible], 6)
    if len(possible) == len(words):
        word = max(words, key=lambda word: (len(possible[word]), plain(word) == "0"))
        several = [WORDS[meaning] for meaning in sorted(possible[word])]
        fault = f"outcomes are {before}, and {shown(word)} could be"
        fault = f"{fault} {' or '.join(several)}; to say which, add "
        choices = joined(*(outcome(word, side) for side in several), between=" or ")
        return table.origin.refuse(fault, choices)
    word = words[len(possible)]
    unnamed = [*frame["outcome"][is_unknown].unique()]
    if word not in unnamed:  # outcomes are names, but for this one
        word = unnamed[0]
    row = frame["place"][first_row(is_unknown & (frame["outcome"] == word))]
    fault = f"{table.called('outcome')} is {shown(word)}"
    if any(word in frame[side].cat.categories for side in ("a", "b")):
        fault = f"{fault}, which is neither of the two systems of its row"
        return table.origin.refuse(fault, row=row)
    if possible and any(plain(word) in vocabulary for vocabulary in VOCABULARIES):
        fault = f"{fault} after {before}"
    steps = [outcome(word, "a", quoted=True), ", or b, tie, skip"]
    if not word:
        steps += ["; to leave such rows out, add ", SKIP_BAD]
    fault = f"{fault}; {EXPECTED}; to say what it means, add "
    return table.origin.refuse(fault, *steps, row=row)


def _legend(preferences: Mapping[str, int]) -> str:
    """What the outcomes of a file mean, where the word does not say it.

    >>> _legend({"left": FIRST, "tie": TIE})
    "; outcome 'left' means a"
    """
    return "".join(
        f"; outcome {shown(word)} means {WORDS[meaning]}"
        for word, meaning in preferences.items()
        if plain(word) != WORDS[meaning]
    )
