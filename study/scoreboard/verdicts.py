"""A published value beside ours: the kinds of values, and how each is judged.

A claim of the prose is judged by the columns `test` and `shows` of
`data/published/<paper>.csv`. They speak of *facts*, which code computes and names:

>>> facts = {"won": 8, "met": pd.Series([10, 3])}
>>> evaluate("won > sum(met) / 2 and min(met) >= 3", facts)
True
>>> fill("{won} of {sum(met)}, {won / sum(met):.1%}", facts)
'8 of 13, 61.5%'
"""

import ast
import re
from collections.abc import Mapping
from functools import cache
from types import CodeType
from typing import Any, NamedTuple, TypeAlias

import pandas as pd

from study.data.assessment_catalogue import AtHand

Number: TypeAlias = int | float
Value: TypeAlias = Number | str
# Facts by name, of any type that a test can speak of: numbers, texts, tables
Facts: TypeAlias = Mapping[str, Any]
# By the id of a row: a number, a text or one of the kinds below; for a claim its facts,
# by name. By a plain name: a fact that the tests of all claims of the notebook may use.
Values: TypeAlias = dict[str, object]
Verdict: TypeAlias = tuple[str, str, str]  # what was computed, status and reason
# The best statuses, which recovered judgements do not reach.
FULL = ("exact", "rounded", "holds", "holds-at-hand")


# --- the kinds of values, and how each relates to the printed one ---------------------


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
    note: str = ""
    others: Mapping[str, Number] = {}

    def verdict(self, printed: str, _available: AtHand) -> Verdict:
        """Relate the value to the printed one; a sum is consistent with its parts."""
        status = relation(printed, self.value) or "unexplained"
        note = self.note
        if self.others:
            is_sum = float(printed) + sum(self.others.values()) == self.value
            status = "consistent" if is_sum else "unexplained"
            note = join_remarks(note, "the sum is exact") if is_sum else note
        return " with ".join([format_value(self.value), *self.others]), status, note


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

    def verdict(self, printed: str, _available: AtHand) -> Verdict:
        """Say which mechanisms give the printed value, and which do not."""
        value = format_value(self.value)
        if relation(printed, self.value):
            reason = "ours is the printed value: no mechanism is needed"
            return value, "unexplained", reason
        fits = [k for k, given in self.mechanisms.items() if relation(printed, given)]
        others = ", ".join(
            f"{name} ({format_value(given)})"
            for name, given in self.mechanisms.items()
            if name not in fits
        )
        if not fits:
            return value, "unexplained", f"tried without success: {others}"
        reason = f"gives the printed value: {' or '.join(fits)}"
        if len(fits) > 1:
            reason += " (it cannot be told which)"
        return (
            value,
            "known-difference",
            join_remarks(reason, others and f"does not: {others}"),
        )


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

    def verdict(self, _printed: str, available: AtHand) -> Verdict:
        """Say which parts came out, on how many cases."""
        passed = self.parts.values()
        status = "does-not-hold"
        if all(passed):
            status = "holds"
        elif any(passed):
            status = "holds-partly"
        elif None in passed:
            status = "undecided"
        answers = {True: "yes", False: "no", None: "undecided"}
        remarks = [f"{answers[met]}: {part}" for part, met in self.parts.items()]
        remarks.append(self.note)
        if available.absent:
            cases = len(available.pairs)
            of = cases + len(available.absent)
            remarks.append(f"judged on {cases} of {of} cases; {available.lacks}")
        return self.value, status, join_remarks(*remarks)


class Counted(NamedTuple):
    """A count "k/n" over cases such as language pairs.

    Attributes
    ----------
    outcomes : mapping of str to bool
        Every case at hand, as `published.at_hand` lists them, and whether it counts.
    """

    outcomes: Mapping[str, bool]

    def verdict(self, printed: str, available: AtHand) -> Verdict:
        """Compare counts; absent cases may make up a difference.

        Raises
        ------
        ValueError
            The cases are others than the printed ones.
        """
        count, of = (int(number) for number in printed.split("/"))
        ours = sum(self.outcomes.values())
        cases = len(self.outcomes)
        missing = len(available.absent)
        if cases + missing != of:
            raise ValueError(f"{printed}: {cases} cases at hand and {missing} absent")
        status = "unexplained"
        if ours <= count <= ours + missing:
            status = "consistent" if missing else "exact"
        reason = ""
        if missing:
            reason = (
                f"{cases} of {of} cases at hand; {missing + 1} of {of + 1} possible"
                f" counts ({ours}/{of} to {ours + missing}/{of}) would have passed;"
                f" absent are {available.lacks}"
            )
        return f"{ours}/{cases}", status, reason


Kind: TypeAlias = Noted | Different | Claim | Counted


# --- claims: expressions over facts ---------------------------------------------------


def listed(values: Any, form: str = "", end: str = "") -> str:
    """Join values, each in a format; those of a dict or Series have their names."""
    if isinstance(values, Mapping | pd.Series):
        return ", ".join(
            f"{name} {value:{form}}{end}" for name, value in values.items()
        )
    return ", ".join(f"{value:{form}}{end}" for value in values)


def or_undecided(seen: object) -> bool | None:
    """Return None instead of False: the data can show a part, and cannot refute it."""
    return True if seen else None


OF_PYTHON = (abs, all, any, len, max, min, round, set, sorted, sum)
FUNCTIONS = {f.__name__: f for f in (*OF_PYTHON, listed, or_undecided)}


# What an expression may consist of, by the names of `ast`, and the attributes that it
# may ask for. One that needs more is added here, and reviewed.
ALLOWED = re.compile(
    "Expression|Load|Name|Constant|Call|Subscript|Slice|List|Attribute|JoinedStr"
    "|FormattedValue|Compare|Gt|GtE|Lt|LtE|Eq|NotEq|BoolOp|And|Or|UnaryOp|USub|Not"
    "|Invert|BinOp|Add|Sub|Mult|Div|BitAnd|BitOr"
    "|count|drop|dropna|idxmax|idxmin|median|startswith|str"
)


@cache
def _compiled(expression: str) -> CodeType:
    """Compile an expression that consists of what is allowed."""
    tree = ast.parse(expression, mode="eval")
    for node in ast.walk(tree):
        for part in (type(node).__name__, getattr(node, "attr", "Load")):
            if not ALLOWED.fullmatch(part):
                raise ValueError(f"{expression}: {part} is not allowed (see ALLOWED)")
    return compile(tree, expression, "eval")


def evaluate(expression: str, facts: Facts) -> Any:
    """Evaluate an expression of Python over named facts and `FUNCTIONS`.

    Raises
    ------
    NameError
        A fact has not been computed.
    ValueError
        The expression has a part that is not in `ALLOWED`, such as a name's `__class__`
        or a function of its own; nothing of it has run.
    """
    names = {"__builtins__": {}, **facts, **FUNCTIONS}
    return eval(_compiled(expression), names)


def fill(template: str, facts: Facts) -> str:
    """Replace `{expression:format}` in a text by its value over the facts."""
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
    """Relate a value to what is printed.

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
    printed: str, basis: str, computed: Value | Kind | None, available: AtHand
) -> Verdict:
    """Return what was computed, the status and the reason of one row.

    Parameters
    ----------
    printed, basis : str
        Columns published and basis of the row in `data/published`.
    computed : number, str, `Noted`, `Different`, `Claim`, `Counted` or None
    available : AtHand
        What of the basis is at hand; it alone decides whether the row is checkable.
    """
    value, status, reason = "", "unexplained", "no value was computed"
    if computed is not None:
        kind = computed if isinstance(computed, Kind) else Noted(computed)
        value, status, reason = kind.verdict(printed, available)
    by_case = isinstance(computed, Claim | Counted)
    if not available.pairs or (available.absent and not by_case):
        return value, "not-checkable", available.lacks
    if basis == "none" and status in ("exact", "rounded", "holds"):
        status = "arithmetic"
    if basis == "simulated" and status == "holds":
        status = "in-simulation"
    if available.absent and status == "holds":
        status = "holds-at-hand"
    if available.recovered and status in FULL:
        status = "consistent"
    return value, status, join_remarks(reason, available.quality)


def join_remarks(*remarks: str) -> str:
    """Join remarks, without the empty ones."""
    return "; ".join(filter(None, remarks))


def format_value(value: Value) -> str:
    """Write a value as the scoreboard has it."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
