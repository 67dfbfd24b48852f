"""A published value beside ours: the kinds of values, and how each is judged.

A claim of the prose is judged by the columns `test` and `shows` of
`data/published/<paper>.csv`. They speak of *facts*, which code computes and names:

>>> facts = {"won": 8, "met": pd.Series([10, 3])}
>>> evaluate("won > sum(met) / 2 and min(met) >= 3", facts)
True
>>> fill("{won} of {sum(met)}, {won / sum(met):.1%}", facts)
'8 of 13, 61.5%'
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import pandas as pd

from wmtlib.study.releases.assessment_catalogue import AtHand

Number: TypeAlias = int | float
Value: TypeAlias = Number | str
# Facts by name, of any type that a test can speak of: numbers, texts, tables
Facts: TypeAlias = Mapping[str, Any]
# By the id of a row: a number, a text or one of the kinds below; for a claim its facts,
# by name. By a plain name: a fact that the tests of all claims of the notebook may use.
Values: TypeAlias = dict[str, object]


class Noted(NamedTuple):
    """A value with a remark that belongs beside it.

    Attributes
    ----------
    value : number or str
    note : str
    others : mapping of str to number
        The value is a sum: of the row's number and of these, which are printed too, by
        name.
    """

    value: Value
    note: str
    others: Mapping[str, Number] = {}


class Different(NamedTuple):
    """Our value where another is printed, and every mechanism tried as the reason.

    Attributes
    ----------
    value : number or str
        Ours.
    mechanisms : mapping of str to number or str
        What may have been computed instead, in words, and what it gives.
    """

    value: Value
    mechanisms: Mapping[str, Value]


class Claim(NamedTuple):
    """A claim of the prose, held against the parts of its criterion.

    Attributes
    ----------
    parts : mapping of str to bool or None
        The parts of the criterion, in words, and whether each came out; None: the data
        cannot tell.
    value : str
        The numbers that decide.
    note : str
        A remark, such as how often another random draw decides otherwise.
    """

    parts: Mapping[str, bool | None]
    value: str
    note: str = ""


class Counted(NamedTuple):
    """A count "k/n" over cases such as language pairs.

    Attributes
    ----------
    outcomes : mapping of str to bool
        Every case at hand, as `published.at_hand` lists them, and whether it counts.
    """

    outcomes: Mapping[str, bool]


Computed: TypeAlias = Value | Noted | Different | Claim | Counted | None


# --- claims: expressions over facts ---------------------------------------------------


def listed(values: Any, form: str = "", end: str = "") -> str:
    """Values in a row, each in a format; those of a dict or Series have their names."""
    if isinstance(values, Mapping | pd.Series):
        return ", ".join(
            f"{name} {value:{form}}{end}" for name, value in values.items()
        )
    return ", ".join(f"{value:{form}}{end}" for value in values)


def or_undecided(seen: object) -> bool | None:
    """True, or None: of a part that the data can show and cannot refute."""
    return True if seen else None


OF_PYTHON = (abs, all, any, len, max, min, round, set, sorted, sum)
FUNCTIONS = {f.__name__: f for f in (*OF_PYTHON, listed, or_undecided)}


def evaluate(expression: str, facts: Facts) -> Any:
    """Value of an expression of Python over named facts and `FUNCTIONS`.

    The expressions stand in data/published, which is changed and reviewed as code is.

    Raises
    ------
    NameError
        A fact has not been computed.
    """
    return eval(expression, {"__builtins__": {}, **facts, **FUNCTIONS})


def fill(template: str, facts: Facts) -> str:
    """A text in which `{expression:format}` is replaced by its value over the facts."""
    return evaluate(f'f"""{template}"""', facts)


def judge_claim(row: Mapping[str, str], facts: Facts) -> Claim | None:
    """Hold facts against the test of a row; None if a fact has not been computed.

    The parts of the test, between semicolons, are named by the words of the criterion,
    which numbers them if there are several: "(1) ...; (2) ...". Without numbers a part
    names itself.

    Parameters
    ----------
    row : mapping
        criterion, test and shows of a row of `data/published`.
    facts : mapping of str to value
        "note", if there is one, is the remark of the claim. "trials" are the facts of
        single random trials: the remark then says which parts some of them decide
        otherwise.
    """
    tests = [test.strip() for test in row["test"].split(";")]
    words = re.split(r"[,;]?(?: and| nor)? *\(\d\) ", row["criterion"].rstrip("."))
    words = words[1:] or words
    names = words if len(words) == len(tests) else tests
    trials = [{**facts, **trial} for trial in facts.get("trials", [])]
    notes = [facts["note"]] if "note" in facts else []
    parts = {}
    try:
        for number, (name, test) in enumerate(zip(names, tests, strict=True), start=1):
            parts[name] = evaluate(test, facts)
            passed = sum(bool(evaluate(test, trial)) for trial in trials)
            if 0 < passed < len(trials):
                notes.append(
                    f"part {number} in {passed} of {len(trials)} single trials"
                )
        return Claim(parts, fill(row["shows"], facts), "; ".join(notes))
    except NameError:
        return None


# --- a value beside the printed one ---------------------------------------------------


def relation(printed: str, value: Value) -> str | None:
    """How a value relates to what is printed.

    Numbers are equal ("exact"), or equal at the printed number of decimals ("rounded").
    A printed bound such as ">0.5" is met or not. Text is compared without regard to
    case. None: no match.
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
    printed: str, basis: str, computed: Computed, available: AtHand
) -> tuple[str, str, str]:
    """What was computed, the status and the reason of one row.

    Parameters
    ----------
    printed, basis : str
        Columns published and basis of the row in `data/published`.
    computed : number, str, `Noted`, `Different`, `Claim`, `Counted` or None
    available : AtHand
        What of the basis is at hand; it alone decides whether the row is checkable.

    Raises
    ------
    ValueError
        A count over other cases than the printed one.
    """
    by_case = isinstance(computed, Claim | Counted)
    value, status, reason = _compare(printed, computed, available)
    if not available.pairs or (available.absent and not by_case):
        return value, "not-checkable", available.lacks
    if basis == "none" and status in ("exact", "rounded", "holds"):
        status = "arithmetic"
    if basis == "simulated" and status == "holds":
        status = "in-simulation"
    if available.recovered and status in ("exact", "rounded"):
        status = "consistent"
    return value, status, joined(reason, available.quality)


def joined(*remarks: str) -> str:
    """Remarks in a row, without the empty ones."""
    return "; ".join(filter(None, remarks))


def shown(value: Value) -> str:
    """A value as the scoreboard writes it."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _compare(
    printed: str, computed: Computed, available: AtHand
) -> tuple[str, str, str]:
    """What was computed, as a text; its status and the reason, were all at hand."""
    match computed:
        case None:
            return "", "unexplained", "no value was computed"
        case Claim():
            return computed.value, *_judge_parts(computed, available)
        case Counted(outcomes):
            text = f"{sum(outcomes.values())}/{len(outcomes)}"
            return text, *_judge_count(printed, outcomes, available)
        case Different(value, mechanisms):
            return shown(value), *_judge_difference(printed, value, mechanisms)
        case Noted(value, note, others) if others:
            text = " with ".join([shown(value), *others])
            if float(printed) + sum(others.values()) == value:
                return text, "consistent", joined(note, "the sum is exact")
            return text, "unexplained", note
        case Noted(value, note):
            return shown(value), relation(printed, value) or "unexplained", note
    return shown(computed), relation(printed, computed) or "unexplained", ""


def _judge_parts(claim: Claim, available: AtHand) -> tuple[str, str]:
    """Status of a claim; the reason says which parts came out, on how many cases."""
    passed = claim.parts.values()
    status = "does-not-hold"
    if all(passed):
        status = "holds"
    elif any(passed):
        status = "holds-partly"
    elif None in passed:
        status = "undecided"
    answers = {True: "yes", False: "no", None: "undecided"}
    remarks = [f"{answers[met]}: {part}" for part, met in claim.parts.items()]
    remarks.append(claim.note)
    if available.absent:
        cases = len(available.pairs)
        of = cases + len(available.absent)
        remarks.append(f"judged on {cases} of {of} cases; {available.lacks}")
    return status, joined(*remarks)


def _judge_count(
    printed: str, outcomes: Mapping[str, bool], available: AtHand
) -> tuple[str, str]:
    """Status and reason of a count; absent cases may make up a difference."""
    count, of = (int(number) for number in printed.split("/"))
    ours = sum(outcomes.values())
    cases = len(outcomes)
    missing = len(available.absent)
    if cases + missing != of:
        raise ValueError(f"{printed}: {cases} cases at hand and {missing} absent")
    possible = ours <= count <= ours + missing
    if not missing:
        return ("exact" if possible else "unexplained"), ""
    reason = (
        f"{cases} of {of} cases at hand; {missing + 1} of {of + 1} possible counts"
        f" ({ours}/{of} to {ours + missing}/{of}) would have passed; absent are"
        f" {available.lacks}"
    )
    return ("consistent" if possible else "unexplained"), reason


def _judge_difference(
    printed: str, ours: Value, mechanisms: Mapping[str, Value]
) -> tuple[str, str]:
    """Status and reason of a difference: which mechanisms give the printed value."""
    if relation(printed, ours):
        return "unexplained", "ours is the printed value: no mechanism is needed"
    fits = [name for name, value in mechanisms.items() if relation(printed, value)]
    others = ", ".join(
        f"{name} ({shown(value)})"
        for name, value in mechanisms.items()
        if name not in fits
    )
    if not fits:
        return "unexplained", f"tried without success: {others}"
    reason = f"gives the printed value: {' or '.join(fits)}"
    if len(fits) > 1:
        reason += " (it cannot be told which)"
    return "known-difference", joined(reason, others and f"does not: {others}")
