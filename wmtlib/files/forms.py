"""The forms in which judgements come, and the one form that is made of them.

`judged` takes what a user has, reads it once, and returns what everything below takes
as it is: every public function begins with it. `count` alone counts.
"""

from typing import Any
from warnings import warn

import pandas as pd

from wmtlib.core.assessments import ASSESSMENTS, Campaign, Data, encode
from wmtlib.core.counts import COMPARISONS, ComparisonRows, Counts, rows_of
from wmtlib.core.errors import DataError, JudgementWarning
from wmtlib.files import checks
from wmtlib.files.carried_counts import load
from wmtlib.files.judgements import Judgements
from wmtlib.files.read import read

NO_COMPARISONS = "no comparisons; expected one or more"
OWN_COMPARISONS = {*COMPARISONS, "judge_group", "count"}


def judged(data: Any, *, score: str = "z", stacklevel: int = 3) -> Data:
    """Make the form of judgements that everything below takes, and check them.

    What may be misread is issued as `JudgementWarning` to the caller of the public
    function that calls this one.

    Parameters
    ----------
    data : path, campaign:task, DataFrame, Judgements, Counts, Campaign or rows of these
        A path, and a frame, are read as `wmtlib.read` reads them. Tables of this
        package (`counts.COMPARISONS`, `assessments.ASSESSMENTS`), and what was read or
        counted, are taken as they are.
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
        What `wmtlib.read` refuses or asks about, or no comparisons.

    Examples
    --------
    >>> votes = pd.DataFrame({"a": [*"xxy"] * 9, "b": [*"yzz"] * 9, "outcome": "a"})
    >>> judged(votes).counted.comparisons
    27
    """
    if isinstance(data, Data):
        return data
    data = loaded(data)
    if isinstance(data, Judgements):
        rows: Any = data.coded if data.assessments is None else data.campaign
        lines = [*data.warnings]  # they were found when it was read
        if isinstance(rows, Campaign):
            lines += checks.of_groups(rows)
    else:
        rows = encode(data) if "score" in data else rows_of(data)
        lines = _remarks_on(data, rows)
    if isinstance(rows, ComparisonRows) and rows.frame.empty:
        raise DataError(NO_COMPARISONS)
    if isinstance(rows, Campaign) and score != "raw":
        lines += checks.of_scales(rows)
    for line in lines:
        warn(line, JudgementWarning, stacklevel=stacklevel)
    return rows


def _remarks_on(table: pd.DataFrame, rows: ComparisonRows | Campaign) -> list[str]:
    """Warn of what may be misread in a table of this package."""
    judge = "worker" if isinstance(rows, Campaign) else "judge"
    people = table[judge].unique() if judge in table else ()
    lines = checks.remarks(rows.systems, people, rows.counted)
    if {judge, "segment"} <= {*table}:
        repeated = int(table.duplicated().sum())
        lines += checks.of_repeats(repeated, len(table), "rows", "in every column")
    return lines


def loaded(data: Any) -> Judgements | pd.DataFrame:
    """Load what a path, `campaign:task` or frame holds; tables of this package stay."""
    if hasattr(data, "to_pandas"):  # of Polars, Arrow
        data = data.to_pandas()
    if isinstance(data, Judgements) or is_own(data):
        return data
    return read(data) if isinstance(data, pd.DataFrame) else load(data)


def is_own(data: Any) -> bool:
    """Tell a table of this package, whose columns all have a meaning here.

    >>> own = pd.DataFrame({"system_1": ["x"], "system_2": ["y"], "preference": [1]})
    >>> is_own(own), is_own(own.assign(status="ok")), is_own(own.astype(str))
    (True, False, False)
    """
    if not isinstance(data, pd.DataFrame) or not data.columns.is_unique:
        return False
    names = {*data}
    if {"system_1", "system_2", "preference"} <= names <= OWN_COMPARISONS:
        tasks = data["task"].nunique() if "task" in names else 1
        is_counted = "count" not in names or data["count"].dtype.kind in "iuf"
        return data["preference"].dtype.kind in "iu" and is_counted and tasks <= 1
    return {*ASSESSMENTS} == names and data["score"].dtype.kind in "iuf"


def count(data: Any) -> Counts:
    """Count wins and ties of every pair of systems.

    Parameters
    ----------
    data : path, campaign:task, DataFrame, Judgements or Counts
        Counts are returned as they are; a path and a frame are read as by
        `wmtlib.read`.

    Raises
    ------
    DataError
        What `wmtlib.read` refuses, or assessments.

    Examples
    --------
    >>> outcome = ["a", "tie", "a"]
    >>> votes = pd.DataFrame({"a": [*"xxy"], "b": [*"yyx"], "outcome": outcome})
    >>> count(votes).wins.to_numpy().tolist(), count(votes).ties.loc["x", "y"].item()
    ([[0, 1], [1, 0]], 1)
    """
    return comparison_rows(data).counted


def comparison_rows(data: Any) -> Counts | ComparisonRows:
    """Code comparisons of any form; counts stay counts.

    Raises
    ------
    DataError
        What `wmtlib.read` and `counts.rows_of` refuse, or assessments.
    """
    if not isinstance(data, Data):
        data = loaded(data)
    if isinstance(data, Counts | ComparisonRows):
        return data
    if isinstance(data, Judgements):
        return data.coded
    if isinstance(data, Campaign) or "score" in data:
        raise DataError("got assessments; expected comparisons or rankings")
    return rows_of(data)
