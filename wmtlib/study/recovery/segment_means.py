"""Published segment means: which are refused, and which of them are one judgement."""

import numpy as np
import pandas as pd

from wmtlib.counts import HIGHEST_SCORE, JOINT
from wmtlib.errors import DataError

SEGMENT_MEANS = ["system", "document", "segment", "raw", "z", "judgements"]


def checked(segments: pd.DataFrame) -> pd.DataFrame:
    """The columns `SEGMENT_MEANS`, rows numbered from 0.

    Raises
    ------
    DataError
        A missing column or value, no row, a system and segment twice, a count below one, or a mean
        that no whole numbers from 0 to 100 have.
    """
    for column in SEGMENT_MEANS:
        if column not in segments:
            raise DataError(f"segment means: column {column!r} is missing")
    segments = segments[SEGMENT_MEANS].reset_index(drop=True)
    if segments.empty:
        raise DataError("segment means: no rows")
    n, raw, z = (segments[c].to_numpy(float) for c in ("judgements", "raw", "z"))
    total, largest = raw * n, HIGHEST_SCORE * n
    with np.errstate(invalid="ignore"):  # of means that are not finite
        whole = (abs(total - np.rint(total)) < 1e-9 * n) & (total > -0.5) & (total < largest + 0.5)
    refusals = {
        "a value is missing": segments.isna().any(axis=1),
        "this system and segment stand there twice": segments.duplicated(["system", "segment"]),
        "judgements must be a whole number from 1": (n < 1) | (n != np.rint(n)),
        "raw and z must be finite": ~np.isfinite(raw) | ~np.isfinite(z),
        "raw is not the mean of that many whole numbers from 0 to 100": ~whole,
    }
    for reason, bad in refusals.items():
        if len(rows := np.flatnonzero(bad)):
            raise DataError(f"segment means, row {rows[0] + 1}: {reason}")
    return segments


def joined(
    segments: pd.DataFrame, references: frozenset[str], joint: bool
) -> tuple[np.ndarray, pd.DataFrame]:
    """Identical outputs of several systems as one row.

    Parameters
    ----------
    segments : DataFrame
        Columns `SEGMENT_MEANS`.
    references : set of str
        Systems that are references. They are scored like the output they are paired with, in the
        same HIT, so they are never joined.
    joint : bool
        Whether rows of one segment with the same means and count are one output at all.

    Returns
    -------
    array of int, DataFrame
        For each row its place in the table; the table, with joint names `A+B`.
    """
    alone = segments["system"].isin(references) | (not joint)
    name = segments["system"].where(alone, "")
    same = [name, segments["segment"], segments["raw"], segments["z"], segments["judgements"]]
    place = segments.groupby(same, sort=False).ngroup()
    table = segments[~place.duplicated()].reset_index(drop=True)
    several = place.duplicated(keep=False)
    names = segments["system"][several].groupby(place[several])
    names = names.agg(lambda systems: JOINT.join(sorted(systems)))
    table.loc[names.index, "system"] = names
    return place.to_numpy(), table
