"""The forms in which judgements come, and the one form that is made of them.

`judged` takes what a user has, checks it once, and returns what everything below takes
as it is: every public function begins with it. `count` alone counts.
"""

import re
import tomllib
from collections.abc import Collection, Iterable
from importlib import import_module
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any
from warnings import warn

import numpy as np
import pandas as pd

from wmtlib import checks
from wmtlib.assessments import ASSESSMENTS, Campaign, encode, require_usual_scale
from wmtlib.counts import (
    FIRST,
    SECOND,
    TIE,
    ComparisonRows,
    Counts,
    comparisons,
    rows_of,
)
from wmtlib.errors import DataError, JudgementWarning, join_names, short_repr

Data = ComparisonRows | Counts | Campaign  # what methods take

# What is known of users' files: layouts, names of columns, words of outcomes, tools.
FILE = Path(__file__).parent / "reading" / "known_files.toml"
KNOWN = tomllib.loads(FILE.read_text("utf-8"))
SIGNS = r"[\W\d_]"
# A text in brackets, or all after a "(" that is never closed: it is searched once.
BRACKETS = re.compile(r"\([^)]*\)|(\([^)]*)")
TIES = {*KNOWN["ties"]}
DOCUMENT_NAMES = KNOWN["names"]["document"]

_COLUMNS = KNOWN["columns"]
WEIGHTS = _COLUMNS["weights"]
SOURCE_TEXTS = _COLUMNS["source_texts"]
SCREENS = {*DOCUMENT_NAMES, *_COLUMNS["screens"]}
PAIRS = _COLUMNS["systems"]
TASK = ("task", "target")  # roles; both make one task, as source-target
_TWO = _COLUMNS["two_languages"]
_OF_PAIRS = _COLUMNS["languages"]
_ONE = _COLUMNS["one_language"]
_DOMAINS = _COLUMNS["domains"]
TASK_NAMES = (  # the first that a file has is the task
    *((name,) for name in _OF_PAIRS),
    *_TWO,
    *((name,) for name in (*_ONE, *_DOMAINS)),
)
ONLY_LANGUAGES = {*chain(*_TWO), *_ONE}  # tasks if they hold languages
TASKS = {*chain(*TASK_NAMES)}
DIVIDING = {*_OF_PAIRS, *_ONE, *_DOMAINS, *_COLUMNS["others"]}

LANGUAGES = re.compile(  # "English", "cs-en", "Czech to English (UK)"
    r"(?=.{2,40}$)[^\W\d]{2,}([\s,/_>→()-]+[^\W\d]{2,}){0,5}[\s()]*"
)

# Columns of frames that are used, or that are tasks.
USED = {*ASSESSMENTS, *TASKS, *chain(*PAIRS), "ranking", "rank", "winner", "outcome"}
USED |= {"preference", "count", "judge", "judge_group"}
NO_COMPARISONS = "no comparisons; expected one or more"


def judged(data: Any, *, score: str = "z", stacklevel: int = 3) -> Data:
    """Make the form of judgements that everything below takes, and check them.

    What may be misread in a frame, or in what `wmtlib.read` returned, is issued as
    `JudgementWarning` to the caller of the public function that calls this one.

    Parameters
    ----------
    data : path, DataFrame, Counts, Campaign, ComparisonRows or Judgements
        A path, or the name of a campaign's task, is loaded first. Rows, counts and
        campaigns are checked already, and returned as they are.
    score : "z" or "raw"
        The scores that are used, of assessments.
    stacklevel : int
        Of the warnings, as in `warnings.warn`.

    Returns
    -------
    ComparisonRows, Counts or Campaign
        Comparisons with their units; what was given as counts stays so. `counted`
        holds them as most methods take them.

    Raises
    ------
    DataError
        A frame of several tasks, with a column that `wmtlib.read` would use or with
        scores outside the usual scale, or what `assessments.encode` and
        `comparisons_of` refuse.

    Examples
    --------
    >>> votes = pd.DataFrame({"a": [*"xxy"] * 9, "b": [*"yzz"] * 9, "outcome": "a"})
    >>> judged(votes).counted.comparisons
    27
    """
    if isinstance(data, Data):
        return data
    data = loaded(data)
    is_frame = isinstance(data, pd.DataFrame)
    scored = getattr(data, "assessments", None) is not None
    if is_frame:
        scored = {"system", "score"} <= {*data}
        require_used(data, scored=scored)
    rows: Any
    if scored:
        rows = encode(data)
    else:
        frame = comparisons_of(data)
        rows = rows_of(frame) if is_frame else data.coded
        if rows.frame.empty:
            raise DataError(NO_COMPARISONS)
    if is_frame:
        if scored:
            require_usual_scale(rows)
        judge = "worker" if scored else "judge"
        people = data[judge].unique() if judge in data else ()
        remarks = checks.remarks(rows.systems, people, rows.counted)
        if {judge, "segment"} <= {*data}:
            repeated = int(data.duplicated().sum())
            remarks += checks.of_repeats(repeated, len(data), "rows", "in every column")
    else:
        remarks = [*data.warnings]  # they were found when it was read
        if scored:
            remarks += checks.remarks(data=rows)
    if scored and score != "raw":
        remarks += checks.of_scales(rows)
    few = checks.thin(rows.counted, score=score)
    if len(few):
        remarks.append(checks.thin_warning(few))
    for line in remarks:
        warn(line, JudgementWarning, stacklevel=stacklevel)
    return rows


def loaded(data: Any) -> Any:
    """Load what a path, or `campaign:task`, names; make a frame of other tables."""
    if isinstance(data, str | PathLike):
        # The readers are built on this module, and are loaded for a path alone.
        return import_module("wmtlib.public").load(data)
    if hasattr(data, "to_pandas"):  # of Polars, Arrow
        return data.to_pandas()
    return data


# --- from every form to a comparisons frame, and to counts ----------------------------


def count(data: Any) -> Counts:
    """Count wins and ties of every pair of systems.

    Parameters
    ----------
    data : Counts, DataFrame, path or Judgements
        `Counts` are returned as they are. For frames see `comparisons_of`.

    Raises
    ------
    DataError
        What `comparisons_of` and `counts.rows_of` refuse.

    Examples
    --------
    >>> outcome = ["a", "tie", "a"]
    >>> votes = pd.DataFrame({"a": [*"xxy"], "b": [*"yyx"], "outcome": outcome})
    >>> count(votes).wins.to_numpy().tolist(), count(votes).ties.loc["x", "y"].item()
    ([[0, 1], [1, 0]], 1)
    """
    return comparison_rows(data).counted


def comparison_rows(data: Any) -> Counts | ComparisonRows:
    """Code comparisons in one of the forms of `comparisons_of`; counts stay counts.

    Raises
    ------
    DataError
        What `comparisons_of` and `counts.rows_of` refuse.
    """
    if isinstance(data, Counts | ComparisonRows):
        return data
    data = loaded(data)
    frame = comparisons_of(data)
    if frame is getattr(data, "comparisons", None):
        return data.coded  # of a file that was read, with systems never compared too
    require_answers(frame, USED)
    return rows_of(frame)


def comparisons_of(data: Any) -> pd.DataFrame:
    """Bring comparisons into one of the forms that this package computes with.

    Parameters
    ----------
    data : DataFrame or Judgements
        Comparisons frames and the comparisons of what `wmtlib.read` returned are handed
        on as they are. A frame may also have two columns of systems
        (`model_a, model_b`, `system_a, system_b`, `a, b` or `system_1, system_2`) and
        winner or outcome: a, b, the name of the winning column or of the winning
        system, or tie; or one row for each output of a ranking: see `comparisons`.

    Raises
    ------
    DataError
        Another form, or an outcome that is not understood.
    """
    if not isinstance(data, pd.DataFrame):
        frame = getattr(data, "comparisons", None)
        if isinstance(frame, pd.DataFrame):
            return frame
        form = f"a {type(data).__name__}"
        if hasattr(data, "assessments"):
            form = "assessments"
        raise DataError(
            f"got {form}; expected comparisons in a frame;"
            " wmtlib.read(path) reads files"
        )
    columns = set(data)
    if columns >= {"system_1", "system_2", "preference"}:
        return data
    if columns >= {"ranking", "system", "rank"}:
        # The rows of a ranking are brought together, in the order of the first ones.
        number, _ = pd.factorize(data["ranking"])
        numbers_of_values = data.groupby(number).nunique().max()
        for name in numbers_of_values.index[numbers_of_values > 1]:
            if key(str(name)) in SCREENS:
                raise DataError(
                    f"a ranking has a second {short_repr(name)}; expected other numbers"
                    f" for the rankings: frame.groupby(['ranking', {name!r}]).ngroup()"
                )
        return comparisons(data.iloc[np.argsort(number, kind="stable")])
    for first, second, third in PAIRS:
        if columns >= {first, second, third}:
            raise DataError(
                f"column {third!r} of the frame may be a third system; expected two"
                " systems in a row; wmtlib.read(frame) reads rankings of several, or"
                f" leave it out: frame.drop(columns={third!r})"
            )
        for outcome in ("winner", "outcome"):
            if columns >= {first, second, outcome}:
                return _with_preference(data, first, second, outcome)
    raise DataError(
        f"the columns of the frame are {short_repr(', '.join(map(str, data)))};"
        " expected model_a, model_b, winner or system_1, system_2, preference or"
        " ranking, system, rank; wmtlib.read(frame) knows more names of columns"
    )


def _with_preference(
    data: pd.DataFrame, first: str, second: str, outcome: str
) -> pd.DataFrame:
    """Make a comparisons frame of words for outcomes, or names of systems that won."""
    words = {"a": FIRST, first: FIRST, "b": SECOND, second: SECOND}
    winner = data[outcome].astype(object)
    plain = winner.astype(str).str.strip().str.casefold()
    said = pd.Series(plain.unique(), dtype=str)
    are_ties = said.str.replace(SIGNS, "", regex=True).isin(TIES)
    words |= dict.fromkeys(said[are_ties], TIE)
    by_word = plain.map(words)
    won = [winner == data[side].astype(object) for side in (first, second)]
    by_name = pd.Series(np.select(won, [FIRST, SECOND], np.nan), data.index)
    preference = by_word.fillna(by_name)
    unclear = preference != by_name.fillna(by_word)  # NaN is no outcome, too
    if unclear.any():
        row = int(np.argmax(unclear))
        fault = "; expected a, b, tie or the system that won"
        step = "; wmtlib.read(frame) knows more words"
        if plain.iloc[row] in words:
            fault = ", a word for an outcome and the name of a system"
            step = "; wmtlib.read(frame) asks which is meant"
        raise DataError(
            f"column {outcome!r} of the frame, row {data.index[row]}, is"
            f" {short_repr(winner.iloc[row])}{fault}{step}"
        )
    named = data.rename(columns={first: "system_1", second: "system_2"})
    return named.assign(preference=preference.astype(np.int8)).drop(columns=outcome)


# --- names of columns, and words ------------------------------------------------------
# Only letters and figures of names count; see `key`.


def key(name: str) -> str:
    """Write the name of a column as the known names are written.

    >>> key("Doc_ID"), key("Score (0-100)"), key("Unnamed: 0")
    ('docid', 'score', '')
    """
    plain = BRACKETS.sub(r"\1", name.casefold())
    if re.fullmatch(r"unnamed: \d+", plain):
        return ""
    return "".join(filter(str.isalnum, plain))


def looks_like_languages(values: Iterable[str]) -> bool:
    """Return whether all values look like languages, or pairs of them."""
    return all(map(LANGUAGES.fullmatch, values))


def is_tie(outcome: str) -> bool:
    """Return whether an outcome is a word for a tie, signs between its letters aside.

    >>> is_tie("Tie (bothbad)"), is_tie("both_bad"), is_tie("a")
    (True, True, False)
    """
    return re.sub(SIGNS, "", outcome.casefold()) in TIES


# --- unused columns -------------------------------------------------------------------

MOST_VALUES = 20  # of a column that divides a file


def is_called(name: str, kind: str) -> bool:
    """Return whether a name of a column holds one of the words of known_files.toml.

    >>> is_called("AssignmentStatus", "count"), is_called("isgold", "count")
    (True, True)
    >>> is_called("latest", "times"), is_called("avgMQM_a", "penalties")
    (False, True)
    """
    asked = {*KNOWN["asked"][kind]}
    parts = re.sub("(?<=[a-z0-9])(?=[A-Z])", "_", name)
    short = key(name)
    words = {short, *re.split(SIGNS, parts.casefold())}
    words.update(map(short.removeprefix, KNOWN["asked"]["prefixes"]))
    long = tuple(word for word in asked if len(word) > 4)
    return bool(words & asked) or short.endswith(long)


def doubt(name: str, values: Iterable[object]) -> str:
    """Return what an unused column may say, by its name and its values; "" if nothing.

    It is a name of `doubts` in known_files.toml.

    >>> doubt("note", ["", "spam"]), doubt("note", ["", "see above"])
    ('count', '')
    """
    words = {str(value).strip().casefold() for value in values}
    if len(words) < 2 or key(name) in DIVIDING or is_tie(name):
        return ""
    for kind, known in KNOWN["doubts"].items():
        is_plain = all(re.fullmatch(known["cells"], word) for word in words)
        by_name = is_plain and is_called(name, kind)
        by_value = known["by_value"] and {*map(key, words)} & {*KNOWN["asked"][kind]}
        if len(words) <= known["most"] and (by_name or by_value):
            return str(kind)
    return ""


def require_answers(frame: pd.DataFrame, used: Iterable[str]) -> None:
    """Refuse a frame with an unused column that `wmtlib.read` would ask about.

    Raises
    ------
    DataError
        The column, and the next steps.
    """
    for name in frame.columns.difference([*used], sort=False):
        texts = frame[name].head(1000).astype(str)
        if texts.nunique() > MOST_VALUES:
            continue
        texts = frame[name].astype(str)
        kind = doubt(str(name), texts.unique())
        if kind == "criteria" and "segment" in frame:
            kind = kind if several_within(frame["segment"], texts) else ""
        if kind:
            value = frame[name][texts == texts.mode()[0]].tolist()[0]
            raise DataError(
                f"column {name!r} {KNOWN['doubts'][kind]['says']}; to rank by some"
                f" rows: frame[frame[{name!r}] == {value!r}]; by all:"
                f" frame.drop(columns={name!r})"
            )


def several_within(segment: pd.Series, other: pd.Series) -> bool:
    """Return whether a column has several values in a segment."""
    return bool((other.groupby(segment, observed=True).nunique() > 1).any())


def joint_of(names: Collection[str]) -> set[str]:
    """Return the names (`A+B`) that join others.

    >>> joint_of(["A", "B", "A+B", "C++"])
    {'A+B'}
    """
    systems = {*names}
    return {name for name in systems if "+" in name and {*name.split("+")} <= systems}


def require_used(frame: pd.DataFrame, *, scored: bool) -> None:
    """Refuse a frame of several tasks, with joint names, or with unused columns.

    These are columns that `wmtlib.read` would use.

    Raises
    ------
    DataError
        The column, and the next step.
    """
    require_answers(frame, USED)
    read = {"counts", *WEIGHTS}
    if scored:
        read.update(SOURCE_TEXTS, KNOWN["names"]["document"], KNOWN["names"]["item"])
    elif "preference" not in frame:
        read.update(TIES)
        sides = [side for side in ("system", *chain(*PAIRS)) if side in frame]
        names = {str(name) for side in sides for name in frame[side].unique()}
        for name in sorted(joint_of(names)):
            raise DataError(
                f"system {name!r} joins others; wmtlib.read(frame) counts a"
                " judgement for each of them, or takes it for a system"
            )
    for name in frame:
        short = key(str(name))
        tasks = [*frame[name].unique()] if short in TASKS else []
        is_task = len(tasks) > 1
        if short in ONLY_LANGUAGES:
            is_task = is_task and looks_like_languages(map(str, tasks[:1000]))
        if is_task:
            raise DataError(
                f"column {name!r} holds several tasks ({join_names(tasks)});"
                f" expected one: frame[frame[{name!r}] == {str(tasks[0])!r}]"
            )
        if short in read:
            raise DataError(
                f"column {short_repr(name)} is not used here; wmtlib.read(frame) uses"
                f" it, or leave it out: frame.drop(columns={name!r})"
            )
