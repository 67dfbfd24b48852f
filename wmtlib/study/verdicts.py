"""A published value beside ours: the kinds of values, and how each is judged."""

from collections.abc import Mapping
from dataclasses import dataclass

from wmtlib.study.checkability import AtHand

CLAIMS = {
    "holds": "a claim of the prose that meets its whole criterion",
    "holds-partly": "a claim that meets some parts of its criterion",
    "does-not-hold": "a claim that meets no part of its criterion",
}
NUMBERS = {
    "exact": "the same as printed",
    "rounded": "the same at the printed number of decimals",
    "consistent": "a printed count of which some cases are not at hand; those at hand allow it",
    "known-difference": "not the same as printed; a mechanism that gives what is printed is known",
}
STATUSES = {
    **NUMBERS,
    "arithmetic": "a value that follows without data",
    **CLAIMS,
    "not-checkable": "the data that it rests on are not at hand",
    "unexplained": "not the same as printed, and no mechanism is known",
}

Number = int | float
Value = Number | str
Values = dict[tuple[str, str], object]  # of (item, quantity): a `Value`, or one of the kinds below


@dataclass(frozen=True)
class Noted:
    """A value with a remark that belongs beside it."""

    value: Value
    note: str


@dataclass(frozen=True)
class Different:
    """Our value where another is printed, and every mechanism that was tried as the reason.

    Attributes
    ----------
    value : number or str
        Ours.
    mechanisms : mapping of str to number or str
        What may have been computed instead, in words, and what it gives.
    """

    value: Value
    mechanisms: Mapping[str, Value]


@dataclass(frozen=True)
class Claim:
    """A claim of the prose, held against the parts of its criterion.

    Attributes
    ----------
    parts : mapping of str to bool
        The parts of the criterion, in words, and whether each came out.
    value : str
        The numbers that decide.
    note : str
        A remark, such as how often another random draw decides otherwise.
    """

    parts: Mapping[str, bool]
    value: str
    note: str = ""


@dataclass(frozen=True)
class Counted:
    """A count "k/n" over cases such as language pairs.

    Attributes
    ----------
    outcomes : mapping of str to bool
        Every case at hand, as `checkability.at_hand` lists them, and whether it counts.
    """

    outcomes: Mapping[str, bool]


def relation(printed: str, value: Value) -> str | None:
    """How a value relates to what is printed.

    Numbers are equal ("exact"), or equal at the printed number of decimals ("rounded"). A printed
    bound such as ">0.5" is met or not. Text is compared without regard to case. None: no match.
    """
    if isinstance(value, str):
        return "exact" if value.casefold() == printed.casefold() else None
    if printed.startswith(">"):
        return "exact" if value > float(printed[1:]) else None
    if value == float(printed):
        return "exact"
    decimals = len(printed.partition(".")[2])
    return "rounded" if decimals and f"{value:.{decimals}f}" == printed else None


def judge(
    printed: str, criterion: str, basis: str, computed: object, found: AtHand
) -> tuple[str, str, str]:
    """What was computed, the status and the reason of one row.

    Parameters
    ----------
    printed, criterion, basis : str
        Of the row in `data/published`.
    computed : number, str, `Noted`, `Different`, `Claim`, `Counted` or None
    found : AtHand
        What of the basis is at hand; it alone decides whether the row is checkable.

    Raises
    ------
    ValueError
        A claim without a criterion, or a criterion without a claim; cases that are not the ones
        at hand.
    """
    if computed is not None and isinstance(computed, Claim) != bool(criterion):
        raise ValueError(f"{printed}: a criterion is for a claim, and a claim needs one")
    if not found.units or (found.absent and not isinstance(computed, Claim | Counted)):
        return _value_and_note(computed)[0], "not-checkable", found.lacks
    value, status, reason = _judge_at_hand(printed, computed, found)
    if basis == "none" and status in ("exact", "rounded", "holds"):
        status = "arithmetic"
    return value, status, "; ".join(part for part in (reason, found.quality) if part)


def _judge_at_hand(printed: str, computed: object, found: AtHand) -> tuple[str, str, str]:
    value, note = _value_and_note(computed)
    match computed:
        case None:
            return "", "unexplained", "no value was computed"
        case Claim(parts):
            if found.absent:
                cases = len(found.units) + len(found.absent)
                lacking = f"judged on {len(found.units)} of {cases} cases; {found.lacks}"
                note = "; ".join(part for part in (note, lacking) if part)
            return value, _claim_status(parts), note
        case Counted(outcomes):
            return value, *_judge_count(printed, outcomes, found)
        case Different(ours, mechanisms):
            return value, *_judge_difference(printed, ours, mechanisms)
        case Noted(ours):
            return value, relation(printed, ours) or "unexplained", note
    return value, relation(printed, computed) or "unexplained", note


def _value_and_note(computed: object) -> tuple[str, str]:
    """How a value is shown, and what is remarked on it."""
    match computed:
        case None:
            return "", ""
        case Claim(parts, value, note):
            shown = "; ".join(f"{'yes' if came else 'no'}: {part}" for part, came in parts.items())
            return value, "; ".join(part for part in (shown, note) if part)
        case Counted(outcomes):
            return f"{sum(outcomes.values())}/{len(outcomes)}", ""
        case Different(value):
            return _shown(value), ""
        case Noted(value, note):
            return _shown(value), note
    return _shown(computed), ""


def _shown(value: object) -> str:
    return format(value, ".6g") if isinstance(value, float) else str(value)


def _claim_status(parts: Mapping[str, bool]) -> str:
    came = [bool(part) for part in parts.values()]
    return "holds" if all(came) else "holds-partly" if any(came) else "does-not-hold"


def _judge_count(printed: str, outcomes: Mapping[str, bool], found: AtHand) -> tuple[str, str]:
    """Status and reason of a count; the cases that are absent may make up a difference."""
    if set(outcomes) != set(found.units):
        odd = sorted(set(outcomes) ^ set(found.units))
        raise ValueError(f"{printed}: counted cases are not the ones at hand: {odd[0]}")
    count, of = (int(number) for number in printed.split("/"))
    ours, missing = sum(outcomes.values()), len(found.absent)
    if len(outcomes) + missing != of:
        raise ValueError(f"{printed}: {len(outcomes)} cases at hand and {missing} absent")
    if not missing:
        return ("exact" if count == ours else "unexplained"), ""
    window = f"{ours}/{of} to {ours + missing}/{of}"
    reason = (
        f"{len(outcomes)} of {of} cases at hand; {missing + 1} of {of + 1} possible counts"
        f" ({window}) would have passed; absent are {found.lacks}"
    )
    return ("consistent" if 0 <= count - ours <= missing else "unexplained"), reason


def _judge_difference(
    printed: str, ours: Value, mechanisms: Mapping[str, Value]
) -> tuple[str, str]:
    """Status and reason where ours is not the printed value: which mechanisms give that."""
    if relation(printed, ours):
        return "unexplained", "ours is the printed value: no mechanism is needed"
    fits = [name for name, value in mechanisms.items() if relation(printed, value)]
    others = [f"{name} ({_shown(value)})" for name, value in mechanisms.items() if name not in fits]
    if not fits:
        return "unexplained", f"tried without success: {', '.join(others)}"
    reason = f"gives the printed value: {' or '.join(fits)}"
    if len(fits) > 1:
        reason += " (it cannot be told which)"
    return "known-difference", reason + (f"; does not: {', '.join(others)}" if others else "")
