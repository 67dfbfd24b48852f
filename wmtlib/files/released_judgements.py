"""Single judgements in the layout of the releases, and which of them passed quality control."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from wmtlib import counts as direct_assessments
from wmtlib.counts import JOINT, RATED_ITEMS, credits
from wmtlib.errors import Origin
from wmtlib.files.text_tables import read_table

ASSIGNMENT_COLUMNS = ["HITId", "WorkerId", "Input.src", "Input.trg", "Input.item", "hit"]
RELEASED = [*ASSIGNMENT_COLUMNS, "sys_id", "rid", "type", "sid", "score", "time"]
UNKNOWN = "NA"
MISSING_SHARE = 0.01  # at most, of the accepted judgements: those absent from all judgements


def read_released(data: bytes, origin: Origin) -> pd.DataFrame:
    """Read judgements in the released layout: columns `RELEASED`, as text; see `read_table`."""
    return read_table(data, RELEASED, origin)


def of_pair(released: pd.DataFrame, language_pair: str, origin: Origin) -> pd.DataFrame:
    """The rows of one language pair; their index is the row of the file.

    Raises
    ------
    DataError
        The file has no row of this pair.
    """
    source, _, target = language_pair.partition("-")
    mask = (released["Input.src"] == source) & (released["Input.trg"] == target)
    if not mask.any():
        pairs = released[["Input.src", "Input.trg"]].drop_duplicates().astype(str).agg("-".join, 1)
        raise origin.refuse(None, f"no {language_pair}; there are {', '.join(sorted(pairs))}")
    return released[mask].apply(lambda column: column.cat.remove_unused_categories())


def tidy(
    released: pd.DataFrame,
    language_pair: str,
    origin: Origin,
    *,
    document: Sequence[str],
    score: np.ndarray | None = None,
    accepted: np.ndarray | None = None,
) -> pd.DataFrame:
    """From the released layout to `direct_assessments.ASSESSMENTS`.

    Parameters
    ----------
    released : DataFrame
        Columns `RELEASED`, one language pair.
    document : sequence of str
        Document of each row, "" where it is not known.
    score : array, shape (rows,), optional
        Scores from 0 to 100; the file's if not given.
    accepted : array of bool, shape (rows,), optional
        Which judgements passed quality control; all if not given.

    Returns
    -------
    DataFrame
        See `direct_assessments.tidy_assessments`. `hit` is "" where the release says NA. A system
        with quality-control items only, such as `REFERENCE` in WMT17, is kept.
    """
    frame = pd.DataFrame(
        {
            "hit": released["HITId"].astype(str).replace(UNKNOWN, "").to_numpy(),
            "worker": released["WorkerId"].array,
            "language_pair": language_pair,
            "system": released["sys_id"].array,
            "item": released["type"].array,
            "document": document,
            "segment": released["sid"].array,
            "score": released["score"].astype(str).to_numpy() if score is None else score,
            "accepted": np.ones(len(released), bool) if accepted is None else accepted,
        }
    )
    return direct_assessments.tidy_assessments(frame, origin, only_quality_control="keep")


def mark_accepted(
    latest: pd.DataFrame, good: pd.DataFrame, origin: Origin
) -> tuple[pd.DataFrame, np.ndarray]:
    """All judgements of a release, and which of them are accepted.

    The two files are compared as multisets of (HIT, worker, system, run, item type, segment,
    score); a joint row `A+B` of `latest` is a row for A and one for B in `good`. It keeps the
    systems that are found there (a system that was withdrawn is not) and is accepted if any is
    found. What differs only in HIT or run is matched without them. A quality-control item of
    `good` that is not in `latest` is dropped: acceptance means nothing for it. A SYSTEM or REPEAT
    row that is not is one more judgement of its worker.

    Parameters
    ----------
    latest, good : DataFrame
        Columns `RELEASED`, the same language pair; `good` with one row per single system.
    origin : Origin
        The file of `good`.

    Returns
    -------
    released : DataFrame
        Columns `RELEASED`: the rows of `latest`, then the rows of `good` that are absent there.
    accepted : array of bool, shape (rows,)

    Raises
    ------
    DataError
        More than `MISSING_SHARE` of the accepted SYSTEM and REPEAT rows are not in `latest`.
    """
    row, system = credits(latest["sys_id"])
    good_row, good_system = credits(good["sys_id"])
    left, right = _keys(latest, row, system), _keys(good, good_row, good_system)
    found, missing = np.zeros(len(left), bool), np.ones(len(right), bool)
    for columns in (list(left.columns), [c for c in left.columns if c not in ("HITId", "rid")]):
        pairs = _numbered(left[~found], columns).merge(
            _numbered(right[missing], columns), on=[*columns, "occurrence"]
        )
        found[pairs["index_x"]] = True
        missing[pairs["index_y"]] = False
    rated = right["type"].isin(RATED_ITEMS).to_numpy()
    absent = np.unique(good_row[missing & rated])
    if len(absent) > MISSING_SHARE * rated.sum():
        what = f"is accepted but not among all judgements, like {len(absent)} of {rated.sum()} rows"
        raise origin.refuse(int(good.index[absent[0]]), f"{what}; expected files of one release")
    # A joint row of which only some systems were found keeps those.
    names = pd.Series(system[found]).groupby(row[found]).agg(JOINT.join)
    all_names = latest["sys_id"].astype(object).to_numpy().copy()
    all_names[names.index] = names
    released = latest.assign(sys_id=pd.Categorical(all_names))
    if len(absent):
        parts = [released.astype(object), good.iloc[absent].astype(object)]
        released = pd.concat(parts, ignore_index=True).astype("category")
    accepted = np.isin(np.arange(len(latest)), row[found])
    return released, np.append(accepted, np.ones(len(absent), bool))


def _keys(released: pd.DataFrame, row: np.ndarray, system: np.ndarray) -> pd.DataFrame:
    """The columns that identify a judgement of one system; index 0..."""
    columns = ["HITId", "WorkerId", "rid", "type", "sid", "score"]
    keys = released[columns].iloc[row].reset_index(drop=True).astype(str)
    score = pd.to_numeric(keys["score"], errors="coerce")
    return keys.assign(system=system, score=score)


def _numbered(keys: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """The keys, with the number of equal ones before each, and their index as a column."""
    return keys[columns].assign(occurrence=keys.groupby(columns).cumcount()).reset_index()
