"""What the outcomes of comparisons mean: words for positions, or the name of the system that won.

Nothing is guessed: an outcome that could mean two things is refused until the user says
which.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from wmtlib.counts import FIRST, SECOND, TIE
from wmtlib.errors import Message, Origin, joined, listed, shown
from wmtlib.yours.options import SKIP_BAD, outcome
from wmtlib.yours.reading.columns import called

VOCABULARIES = (  # how files write outcomes, besides `TIES`; a file keeps to one of these
    {"a": FIRST, "b": SECOND},
    {"1": FIRST, "2": SECOND, "0": TIE},
    {"0": FIRST, "1": SECOND, "2": TIE},
    {"1": FIRST, "0": SECOND, "0.5": TIE},
    {"1": FIRST, "-1": SECOND, "0": TIE},
    {"-1": FIRST, "1": SECOND, "0": TIE},
    {">": FIRST, "<": SECOND, "=": TIE},
    {"left": FIRST, "right": SECOND},
    {"model_a": FIRST, "model_b": SECOND},
    {"system_a": FIRST, "system_b": SECOND},
    {"win": FIRST, "loss": SECOND, "lose": SECOND},
    {"won": FIRST, "lost": SECOND},
)
TIES = (
    "tie",
    "draw",
    "equal",
    "bothbad",
    "bothgood",
    "tiebothbad",
    "tiebothgood",
)  # letters only
SKIPPED = -1  # the user says that the row holds no comparison
MEANINGS = {"a": FIRST, "b": SECOND, "tie": TIE, "skip": SKIPPED}
WORDS = {FIRST: "a", SECOND: "b", TIE: "tie", SKIPPED: "skip"}
TAKEN_FOR_NAMES = (
    "outcomes are taken for names of systems; if they are positions, which changes"
)
NEITHER = -2  # an outcome that is not the name of a system of its row
EXPECTED = (
    "expected a, b, tie; 1, 2; >, <, =; left, right; win, loss; or the system that won"
)


def plain(outcome: str) -> str:
    """An outcome in lower case, without blanks around it, a whole number without decimals.

    >>> plain(" Tie"), plain("1.0"), plain("0.50")
    ('tie', '1', '0.5')
    """
    word = outcome.strip().casefold()
    return (
        f"{float(word):g}" if re.fullmatch(r"-?[0-9]{1,3}\.[0-9]{1,3}", word) else word
    )


def is_tie(outcome: str) -> bool:
    """Whether an outcome is a word for a tie, whatever signs stand between its letters.

    >>> is_tie("Tie (bothbad)"), is_tie("both_bad"), is_tie("a")
    (True, True, False)
    """
    return re.sub(r"[\W_]", "", outcome.casefold()) in TIES


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
    known, said = {*map(plain, words)}, {plain(word): chosen[word] for word in chosen}
    absent = {
        "0",
        "-1",
    } - known  # these are a win of the first system only where they stand
    possible = [v for v in VOCABULARIES if FIRST not in map(v.get, absent)]
    for word, meaning in said.items():
        possible = [v for v in possible if v.get(word) == meaning] or possible
    preferences: dict[str, set[int]] = {}
    for outcome in words:
        word = plain(outcome)
        if outcome in chosen or is_tie(outcome):
            preferences[outcome] = {chosen.get(outcome, TIE)}
            continue
        if not (
            fitting := [vocabulary for vocabulary in possible if word in vocabulary]
        ):
            break
        possible, preferences[outcome] = fitting, set()
    return {
        outcome: known or {vocabulary[plain(outcome)] for vocabulary in possible}
        for outcome, known in preferences.items()
    }


def preferences_of(
    frame: pd.DataFrame,
    chosen: Mapping[str, str],
    used: Mapping[str, str],
    origin: Origin,
) -> tuple[np.ndarray, list[str], str]:
    """The preference of every row, warnings, and what to say about outcomes.

    Parameters
    ----------
    frame : DataFrame
        Columns a, b and outcome (categories in order of appearance), n and place.
    chosen : mapping from outcome to word of `MEANINGS`
        What the user says.
    used : mapping from role to column
        For a refusal.

    Raises
    ------
    DataError
        About the first outcome that is unknown, or that does not belong to those before
        it; or outcomes that could mean two things.
    """
    words, code = (
        [*frame["outcome"].cat.categories],
        frame["outcome"].cat.codes.to_numpy(),
    )
    if unknown := [word for word in chosen if word not in words]:
        raise origin.refuse(
            None, f"no outcome {shown(unknown[0])}; there are {listed(words, 12)}"
        )
    own = {word: MEANINGS[meaning] for word, meaning in chosen.items()}
    sides = [
        frame[side].cat.set_categories(words).cat.codes == code for side in ("a", "b")
    ]
    by_name = np.select(sides, [FIRST, SECOND], NEITHER).astype(np.int8)

    possible = meanings(words, own)
    single = {word: min(known) for word, known in possible.items() if len(known) == 1}
    fixed = {word: TIE for word in words if is_tie(word)} | own
    maps = (single, fixed)
    of_words = (
        np.array([m.get(word, NEITHER) for word in words], dtype=np.int8) for m in maps
    )
    position, certain = (of_word[code] for of_word in of_words)
    no_names = pd.unique(code[(by_name == NEITHER) & (certain == NEITHER)])
    if len(fixed) < len(words) and not len(no_names):
        differ = (position != NEITHER) & (by_name != NEITHER) & (position != by_name)
        odd = int(frame["n"][differ].sum())
        if odd or len(single) < len(words):
            preference = np.where(certain == NEITHER, by_name, certain)
            steps = [outcome(w, WORDS[p]) for w, p in single.items() if w not in fixed]
            step = joined(*steps, between=" ")
            warning = joined(f"{TAKEN_FOR_NAMES} {odd} of the rows, add ", step)
            reading = f"; outcome names the system that won{_legend(fixed)}"
            return preference, [warning] * (odd > 0), reading
    if len(single) == len(words):
        return position, [], _legend(single)
    if len(possible) == len(words):
        raise origin.refuse(None, _ambiguous(words, possible))
    odd = len(possible)
    if odd not in no_names and len(no_names):  # outcomes are names, but for this one
        odd = no_names[0]
    at = (code == odd) & ((by_name == NEITHER) | (odd not in no_names))
    is_name = any((frame[side] == words[odd]).any() for side in ("a", "b"))
    message = _refusal(words[odd], [*possible], called("outcome", used), is_name)
    raise origin.refuse(frame["place"].iloc[int(np.argmax(at))], message)


def _legend(preferences: Mapping[str, int]) -> str:
    """What the outcomes of a file mean, where the word does not say it.

    >>> _legend({"left": FIRST, "tie": TIE})
    "; outcome 'left' means a"
    """
    words = [
        (word, WORDS[p]) for word, p in preferences.items() if plain(word) != WORDS[p]
    ]
    return "".join(
        f"; outcome {shown(word)} means {meaning}" for word, meaning in words
    )


def _ambiguous(words: Sequence[str], possible: Mapping[str, set[int]]) -> Message:
    """One line on outcomes of which one could mean several things."""
    word = max(possible, key=lambda word: (len(possible[word]), plain(word) == "0"))
    several = [WORDS[p] for p in sorted(possible[word])]
    steps = joined(*(outcome(word, meaning) for meaning in several), between=" or ")
    message = f"outcomes are {listed(words, 6)}, and {shown(word)} could be {' or '.join(several)}"
    return joined(f"{message}; to say which, add ", steps)


def _refusal(word: str, before: Sequence[str], column: str, is_name: bool) -> str:
    """One line on an outcome that is not understood, with the next step."""
    if is_name:
        return (
            f"{column} is {shown(word)}, which is neither of the two systems of its row"
        )
    known = any(plain(word) in vocabulary for vocabulary in VOCABULARIES)
    after = f" after {listed(before, 6)}" if before and known else ""
    fault = f"{column} is {shown(word)}{after}; {EXPECTED}; to say what it means, add "
    step = joined(outcome(word, "a", quoted=True), ", or b, tie, skip")
    if not word.strip():
        step = joined(step, "; to leave such rows out, add ", SKIP_BAD)
    return joined(fault, step)
