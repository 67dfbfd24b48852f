"""Scores from 0 to 100, recovered from released z-scores, and their proof.

The public files of WMT17, 18, 21 and 22 hold z-scores: (score - mean) / sd, with the
mean and the standard deviation of each worker. The organisers' programs printed both
with 7 significant digits and used them as printed. Where the printed values are public,
`recover_from_scales` turns the formula round.

The files of WMT18 hold no mean and no standard deviation of a worker. But every
official mean of the raw scores of a segment is a linear equation: its score is the sum
of mean + sd * z over the judgements. `recover_from_means` solves them all together.

`prove` checks the recovered scores against every official number: z-scores, worker
scales, segment means.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.linalg import null_space

from study.data.printed_digits import Array, half_last_digit
from wmtlib.core.assessments import HIGHEST_SCORE, RATED_ITEMS, credits
from wmtlib.core.errors import DataError

NEAR = 1e-6  # a recovered score differs from a whole number by at most this
HUMAN = "HUMAN"  # in segment means: references, judged as quality control
SAME_Z = 1e-9  # z-scores that differ by less are the same
SINGULAR = 1e-9  # of the largest singular value: what is less counts as 0
Official: TypeAlias = pd.DataFrame | None  # None where it is not public


@dataclass(frozen=True)
class RecoveredScores:
    """Scores from 0 to 100, recovered from z-scores.

    Attributes
    ----------
    scores : array, shape (rows,)
        Whole numbers.
    solutions : array of int, shape (workers,)
        For each worker, by name: how many scales (mean and sd) agree with everything
        official. Of several, `scores` has the one with the lowest scores of the first
        such worker; no z-score depends on the choice.
    """

    scores: Array
    solutions: Array


def recover_from_scales(
    released: pd.DataFrame, scales: pd.DataFrame
) -> RecoveredScores:
    """Compute scores as mean + sd * z (Knowles 2021, Eq. 1, solved for x), rounded.

    Parameters
    ----------
    released : DataFrame
        One row per judgement: WorkerId (categories, sorted), z.
    scales : DataFrame
        By worker: `mean`, `sd`; see `assessment_releases.read_scales`.

    Raises
    ------
    DataError
        A worker has no scale, or a score does not come out as a whole number. The
        printed mean and sd have 7 digits, so a true score comes out within `NEAR` of a
        whole one.
    """
    worker = released["WorkerId"].cat
    mean, sd = scales.reindex(worker.categories).to_numpy()[worker.codes].T
    exact = mean + sd * released["z"].to_numpy()
    scores = np.round(exact)
    # Without a scale of the worker `exact` is NaN, which is not near either.
    if not (np.abs(exact - scores) <= NEAR).all():
        raise DataError("the worker scales give scores that are no whole numbers")
    return RecoveredScores(scores, np.ones(len(worker.categories), np.int64))


def match_means(
    released: pd.DataFrame, segments: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Find the judgements behind each official segment mean.

    A SYSTEM or REPEAT row counts for its system. If there are segment means of `HUMAN`,
    a REF row counts for those. A row with a joint name counts once for each system in
    it.

    Parameters
    ----------
    released : DataFrame
        One row per judgement: WorkerId, sys_id, type, sid (categories), z.
    segments : DataFrame
        system, segment, raw, z, judgements.

    Returns
    -------
    means : DataFrame
        `segments`, and every system's segment that was judged and has no official mean;
        with `rows` (how many judgements there are), `same` (all of the official ones:
        their number and the mean of their z-scores are equal) and `left out` (fewer,
        but the mean of the z-scores is equal).
    credited : DataFrame
        row, and `mean`: the position in `means`.
    """
    row, system = credits(released["sys_id"])
    item = released["type"].astype(str).to_numpy()[row]
    reference = (item == "REF") & (segments["system"] == HUMAN).any()
    credited = pd.DataFrame(
        {
            "row": row,
            "system": np.where(reference, HUMAN, system),
            "segment": released["sid"].astype(str).to_numpy()[row],
            "released z": released["z"].to_numpy()[row],
        }
    )
    credited = credited[np.isin(item, RATED_ITEMS) | reference]
    key = ["system", "segment"]
    judged = credited.groupby(key)["released z"]
    means = segments.merge(judged.agg(rows="size", mean="mean"), how="outer", on=key)
    same_z = (means.pop("mean") - means["z"]).abs() < SAME_Z
    means["same"] = same_z & (means["rows"] == means["judgements"])
    means["left out"] = same_z & (means["rows"] < means["judgements"])
    credited = credited.merge(means[key].assign(mean=means.index), on=key)
    return means, credited[["row", "mean"]]


def recover_from_means(
    released: pd.DataFrame, segments: pd.DataFrame
) -> RecoveredScores:
    """Solve for each worker's mean and sd by all official segment means.

    The means and sds of workers who judged the same segments may be known up to one
    number (in WMT18 for two workers of three language pairs). Every choice of it is
    tried that makes one of their scores a whole number; often only one of them makes
    all scores whole numbers from 0 to 100.

    Parameters
    ----------
    released, segments
        See `match_means`.

    Raises
    ------
    DataError
        No whole scores agree with the official means, or workers are known too little.
    """
    worker = released["WorkerId"].cat.codes.to_numpy(np.int64)
    z = released["z"].to_numpy()
    means, credited = match_means(released, segments)
    usable = credited[means["same"].to_numpy()[credited["mean"]]]
    row = usable["row"].to_numpy()
    place = usable["mean"].to_numpy(), worker[row]
    shape = len(means), worker.max() + 1
    of_means = sparse.coo_array((np.ones(len(row)), place), shape)
    of_sds = sparse.coo_array((z[row], place), shape)
    equations = sparse.hstack([of_means, of_sds], "csr")
    total = (means["raw"] * means["judgements"]).where(means["same"], 0)
    normal = (equations.T @ equations).toarray()
    # A row has all workers' means, then their sds.
    scales = np.linalg.lstsq(normal, equations.T @ total, rcond=SINGULAR)[0][None]
    free = null_space(normal, rcond=SINGULAR).T
    if len(free) > 1:
        raise DataError("some workers' scores are too little known to recover")
    solutions = np.ones(shape[1], np.int64)
    if len(free):
        slope = _scores(free, worker, z)[0]
        open_rows = np.flatnonzero(np.abs(slope) > NEAR)
        first = open_rows[worker[open_rows].argmin()]
        score = _scores(scales, worker, z)[0, first]
        steps = (np.arange(HIGHEST_SCORE + 1) - score) / slope[first]
        scales = scales + steps[:, None] * free
    exact = _scores(scales, worker, z)
    scores = np.round(exact)
    fits = np.abs(exact - scores).max(axis=1) < NEAR
    fits &= (scores.min(axis=1) >= 0) & (scores.max(axis=1) <= HIGHEST_SCORE)
    fits &= (scales[:, shape[1] :] > NEAR).all(axis=1)
    if not fits.any():
        raise DataError("the official segment means agree with no whole scores")
    if len(free):
        solutions[worker[open_rows]] = fits.sum()
    return RecoveredScores(scores[fits][0], solutions)


def _scores(scales: Array, worker: Array, z: Array) -> Array:
    """Compute mean + sd * z, (choices, rows), by choices of all workers' scales."""
    mean, sd = np.split(scales, 2, axis=1)
    return mean[:, worker] + sd[:, worker] * z


# --- the proof ------------------------------------------------------------------------


def prove(
    released: pd.DataFrame,
    recovered: RecoveredScores,
    scales: Official,
    segments: Official,
) -> dict[str, float]:
    """Compare recovered scores with everything official, row by row.

    Parameters
    ----------
    released : DataFrame
        As in `match_means`.
    scales, segments : DataFrame or None
        Official worker scales and segment means, where public.

    Returns
    -------
    dict, NaN where nothing is public
        - rows, workers: how many;
        - not_whole: rows whose score is not a whole number from 0 to 100;
        - z_exact: the greatest difference between a released z-score and the one that
          the recovered scores give (mean and sd, ddof 1, over all rows of a worker);
        - z_printed: the same, with mean and sd rounded to 7 significant digits, which
          is how the released z-scores were computed (R printed the scales and read them
          back);
        - scales_off: workers whose mean or sd differs from the official one at its 7
          digits;
        - unpinned_by, unpinned: workers with several solutions, and their rows;
        - segments: official segment means; of those raw_off, made of the same
          judgements, but with another raw mean; left_out, with more judgements than are
          released, but the same mean z-score: by workers without spread, whose raw
          scores count and whose z-scores do not exist; unexplained, with other
          judgements, or absent.
    """
    worker = released["WorkerId"].cat.codes.to_numpy()
    z = released["z"].to_numpy()
    scores = recovered.scores
    by_worker = pd.Series(scores).groupby(worker)
    exact = np.column_stack([by_worker.mean(), by_worker.std(ddof=1)])
    printed = np.vectorize(lambda x: float(f"{x:.7g}"))(exact)

    def z_error(scale: Array) -> float:
        mean, sd = scale[worker].T
        return float(np.abs((scores - mean) / sd - z).max())

    scales_off = math.nan
    if scales is not None:
        official = scales.reindex(released["WorkerId"].cat.categories).to_numpy()
        differs = np.abs(exact - official) > half_last_digit(exact)
        scales_off = int(differs.any(axis=1).sum())
    unpinned = recovered.solutions > 1
    return {
        "rows": len(scores),
        "workers": len(exact),
        "not_whole": int((~np.isin(scores, np.arange(HIGHEST_SCORE + 1))).sum()),
        "z_exact": z_error(exact),
        "z_printed": z_error(printed),
        "scales_off": scales_off,
        "unpinned_by": int(unpinned.sum()),
        "unpinned": int(unpinned[worker].sum()),
        **_segment_counts(released, scores, segments),
    }


def _segment_counts(
    released: pd.DataFrame, scores: Array, segments: Official
) -> dict[str, float]:
    """Compare recovered scores with official segment means; see `prove`."""
    if segments is None:
        keys = ("segments", "raw_off", "left_out", "unexplained")
        return dict.fromkeys(keys, math.nan)
    means, credited = match_means(released, segments)
    raw = pd.Series(scores[credited["row"]]).groupby(credited["mean"]).mean()
    raw_off = means["same"] & ((raw - means["raw"]).abs() > SAME_Z * HIGHEST_SCORE)
    return {
        "segments": len(segments),
        "raw_off": int(raw_off.sum()),
        "left_out": int(means["left out"].sum()),
        "unexplained": int((~means["same"] & ~means["left out"]).sum()),
    }
