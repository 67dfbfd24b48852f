"""What the outcomes of comparisons mean: words for positions, or the name of the system that won.

Nothing is guessed: an outcome that could mean two things is refused until the user says which.
"""

import re
from collections.abc import Mapping, Sequence

from wmtlib.counts import FIRST, SECOND, TIE
from wmtlib.errors import DataError, Origin, shown
from wmtlib.files.opening import listed

VOCABULARIES = (  # how files write outcomes, besides `TIES`; a file keeps to one of these
    {"a": FIRST, "b": SECOND},
    {"1": FIRST, "2": SECOND, "0": TIE},
    {"1": FIRST, "0": SECOND, "0.5": TIE},
    {"1": FIRST, "-1": SECOND, "0": TIE},
    {">": FIRST, "<": SECOND, "=": TIE},
    {"left": FIRST, "right": SECOND},
    {"model_a": FIRST, "model_b": SECOND},
    {"system_a": FIRST, "system_b": SECOND},
    {"win": FIRST, "loss": SECOND, "lose": SECOND},
    {"won": FIRST, "lost": SECOND},
)
TIES = {"tie": TIE, "draw": TIE, "equal": TIE}
SKIPPED = -1  # the user says that the row holds no comparison
MEANINGS = {"a": FIRST, "b": SECOND, "tie": TIE, "skip": SKIPPED}
WORDS = {FIRST: "a", SECOND: "b", TIE: "tie", SKIPPED: "skip"}
EXPECTED = "expected a, b, tie; 1, 2, 0; >, <, =; left, right; win, loss; or the system that won"


def plain(outcome: str) -> str:
    """An outcome in lower case, without blanks around it, a whole number without decimals.

    >>> plain(" Tie"), plain("1.0"), plain("0.50")
    ('tie', '1', '0.5')
    """
    word = outcome.strip().casefold()
    return f"{float(word):g}" if re.fullmatch(r"-?[0-9]{1,3}\.[0-9]{1,3}", word) else word


def require_meanings(outcomes: Mapping[str, str], origin: Origin) -> dict[str, int]:
    """The user's own words for outcomes as preferences.

    Raises
    ------
    DataError
        A word is to mean something that no outcome can.
    """
    for word, meaning in outcomes.items():
        if meaning not in MEANINGS:
            message = f"outcome {shown(word)} is to mean {shown(meaning)}"
            raise origin.refuse(None, f"{message}; expected {', '.join(MEANINGS)}")
    return {word: MEANINGS[meaning] for word, meaning in outcomes.items()}


def meanings(seen: Sequence[str], chosen: Mapping[str, int]) -> dict[str, set[int]]:
    """The preferences that each outcome can stand for, read as a word.

    Parameters
    ----------
    seen : sequence of str
        All different outcomes of a file, as they stand there, in order of appearance.
    chosen : mapping from outcome to preference
        The user's own.

    Returns
    -------
    dict
        Up to the first outcome that is unknown, or that does not belong to those before it.

    Examples
    --------
    >>> meanings(["left", "Tie", "right"], {}), meanings(["1", "0"], {}), meanings(["a", "1"], {})
    ({'left': {1}, 'Tie': {0}, 'right': {2}}, {'1': {1}, '0': {0, 2}}, {'a': {1}})
    """
    possible, found = list(VOCABULARIES), {}
    for outcome in seen:
        word = plain(outcome)
        if outcome in chosen or word in TIES:
            found[outcome] = {chosen.get(outcome, TIE)}
            continue
        if not (fitting := [words for words in possible if word in words]):
            break
        possible, found[outcome] = fitting, set()
    for outcome, preferences in found.items():
        preferences |= preferences or {words[plain(outcome)] for words in possible}
    return found


def legend(preferences: Mapping[str, int]) -> str:
    """What the outcomes of a file mean, where the word does not say it.

    >>> legend({"left": FIRST, "tie": TIE})
    "; outcome 'left' means a"
    """
    words = [(word, WORDS[p]) for word, p in preferences.items() if plain(word) != WORDS[p]]
    return "".join(f"; outcome {shown(word)} means {meaning}" for word, meaning in words)


def taken_for_names(odd: int, single: Mapping[str, int], fixed: Mapping[str, int]) -> list[str]:
    """A warning about outcomes that are names of systems but could be positions.

    Parameters
    ----------
    odd : int
        Rows that the two readings tell apart.
    single, fixed : mapping from outcome to preference
        Of all outcomes, if they are positions; of those that are words in either reading.
    """
    if not odd:
        return []
    options = " ".join(f"--outcome {w}={WORDS[p]}" for w, p in single.items() if w not in fixed)
    return [
        "outcomes are taken for names of systems; if they are positions, which changes"
        f" {odd} of the rows, add {options}"
    ]


def ambiguous(seen: Sequence[str], found: Mapping[str, set[int]], origin: Origin) -> DataError:
    """The error about outcomes of which one could mean several things."""
    word, possible = next((w, p) for w, p in found.items() if len(p) > 1)
    options = " or ".join(f"--outcome {word}={WORDS[p]}" for p in sorted(possible))
    message = f"outcomes are {listed(seen, 6)}, and {shown(word)} could be"
    message += f" {' or '.join(WORDS[p] for p in sorted(possible))}; to say which, add {options}"
    return origin.refuse(None, message)


def refusal(outcome: str, before: Sequence[str], where: str, is_name: bool) -> str:
    """One line on an outcome that is not understood, with the next step.

    Parameters
    ----------
    before : sequence of str
        The outcomes that were understood.
    where : str
        What the column is called.
    is_name : bool
        Whether the outcome is the name of a system.
    """
    if is_name:
        return f"{where} is {shown(outcome)}, which is neither of the two systems of its row"
    known = {*TIES}.union(*VOCABULARIES)
    after = f" after {listed(before, 6)}" if before and plain(outcome) in known else ""
    step = f"to say what it means, add --outcome {shown(outcome)}=a, or b, tie, skip"
    return f"{where} is {shown(outcome)}{after}; {EXPECTED}; {step}"
