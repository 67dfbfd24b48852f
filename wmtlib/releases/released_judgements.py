"""Single judgements in the layout of the releases, and which of them passed quality control."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from wmtlib.judgements import direct_assessments
from wmtlib.judgements.direct_assessments import JOINT, RATED_ITEMS, credits
from wmtlib.judgements.errors import Origin
from wmtlib.releases.text_tables import read_table

RELEASED = [
    "HITId",
    "WorkerId",
    "Input.src",
    "Input.trg",
    "Input.item",
    "hit",
    "sys_id",
    "rid",
    "type",
    "sid",
    "score",
    "time",
]
UNKNOWN = "NA"
MISSING_SHARE = 0.01  # of accepted judgements that stand nowhere among all judgements


# --- judgements ----------------------------------------------------------------------------------


def read_released(data: bytes, origin: Origin) -> pd.DataFrame:
    """Read judgements in the released layout: columns `RELEASED`, as text; see `read_table`."""
    return read_table(data, RELEASED, origin)


def of_pair(released: pd.DataFrame, language_pair: str, origin: Origin) -> pd.DataFrame:
    """The rows of one language pair; their index is the row of the file.

    Raises
    ------
    DataError
        There is none.
    """
    source, _, target = language_pair.partition("-")
    mask = (released["Input.src"] == source) & (released["Input.trg"] == target)
    if not mask.any():
        pairs = released[["Input.src", "Input.trg"]].drop_duplicates().astype(str).agg("-".join, 1)
        raise origin.refuse(None, f"no {language_pair}; there are {', '.join(sorted(pairs))}")
    rows = released[mask.to_numpy()]
    return rows.apply(lambda column: column.cat.remove_unused_categories())


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
        Scores from 0 to 100; those of the file if not given.
    accepted : array of bool, shape (rows,), optional
        Which judgements passed quality control; all if not given.

    Returns
    -------
    DataFrame
        See `direct_assessments.tidy_assessments`. `hit` is "" where the release says NA. A system
        that stands only in quality control, such as `REFERENCE` in WMT17, is kept.
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


@dataclass(frozen=True)
class Matching:
    """Accepted judgements found again among all judgements.

    Attributes
    ----------
    released : DataFrame
        Columns `RELEASED`: all judgements, then the accepted ones that are not among them.
    accepted : array of bool, shape (rows,)
        Whether a judgement is among the accepted.
    appended : int
        How many rows at the end are accepted but not among all judgements.
    """

    released: pd.DataFrame
    accepted: np.ndarray
    appended: int


def match(latest: pd.DataFrame, good: pd.DataFrame, origin: Origin) -> Matching:
    """Which of all judgements are accepted.

    The two files are compared as multisets of (HIT, worker, system, run, item type, segment,
    score); a joint row `A+B` of `latest` is a row for A and one for B in `good`. It keeps the
    systems that are found there (a system that was withdrawn is not) and is accepted if there is
    any. What differs in HIT or run only is matched without them. A quality-control item of `good`
    that is not in `latest` is dropped: acceptance means nothing for it. A SYSTEM or REPEAT row
    that is not is kept, at the end, as one more judgement of its worker.

    Parameters
    ----------
    latest, good : DataFrame
        Columns `RELEASED`, the same language pair; `good` with one row per single system.
    origin : Origin
        The file of `good`.

    Raises
    ------
    DataError
        More than `MISSING_SHARE` of the accepted SYSTEM and REPEAT rows are not in `latest`.
    """
    row, single = credits(latest["sys_id"])
    good_row, good_single = credits(good["sys_id"])
    left = _keys(latest, row, single)
    right = _keys(good, good_row, good_single)
    found, missing = np.zeros(len(row), bool), np.ones(len(good_row), bool)
    for columns in (list(left.columns), [c for c in left.columns if c not in ("HITId", "rid")]):
        a, b = np.flatnonzero(~found), np.flatnonzero(missing)
        pairs = (
            _counted(left.iloc[a], columns)
            .reset_index()
            .merge(_counted(right.iloc[b], columns).reset_index(), on=[*columns, "time over"])
        )
        found[pairs["index_x"]] = True
        missing[pairs["index_y"]] = False
    rated = right["type"].isin(RATED_ITEMS).to_numpy()
    lost = np.unique(good_row[missing & rated])
    if len(lost) > MISSING_SHARE * rated.sum():
        what = f"is accepted but not among all judgements, like {len(lost)} of {rated.sum()} rows"
        raise origin.refuse(int(good.index[lost[0]]), f"{what}; expected files of one release")
    accepted = np.bincount(row[found], minlength=len(latest)) > 0
    parts = np.bincount(row, minlength=len(latest))
    partly = accepted & (np.bincount(row[found], minlength=len(latest)) < parts)
    system = latest["sys_id"].astype(object).to_numpy().copy()
    kept = np.flatnonzero(found & partly[row])
    system[partly] = pd.Series(single[kept]).groupby(row[kept]).agg(JOINT.join).to_numpy()
    released = latest.assign(sys_id=pd.Categorical(system))
    if len(lost):
        extra = good.iloc[lost].astype(object)
        released = pd.concat([released.astype(object), extra], ignore_index=True).astype("category")
    accepted = np.append(accepted, np.ones(len(lost), bool))
    return Matching(released, accepted, len(lost))


def _keys(released: pd.DataFrame, row: np.ndarray, single: np.ndarray) -> pd.DataFrame:
    """What tells one judgement of one system from another; index 0..."""
    columns = ["HITId", "WorkerId", "rid", "type", "sid", "score"]
    keys = released[columns].iloc[row].reset_index(drop=True).astype(str)
    score = pd.to_numeric(keys["score"], errors="coerce")
    return keys.assign(system=single, score=score)


def _counted(keys: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """The keys, and how many equal ones stood before each."""
    return keys[columns].assign(**{"time over": keys.groupby(columns).cumcount()})
