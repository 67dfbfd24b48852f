"""Check recovered scores against every official number: z-scores, worker scales, segment means."""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from wmtlib.counts import HIGHEST_SCORE
from wmtlib.study.releases.raw_scores import RecoveredScores, worker_codes
from wmtlib.study.releases.raw_scores_from_means import SAME_Z, match_means


@dataclass(frozen=True)
class ZScoreRelease:
    """A release of z-scores, and the scores that were recovered from it.

    Attributes
    ----------
    released : DataFrame
        Columns `RELEASED`, one row per judgement.
    z : array, shape (rows,)
    scales, segments : DataFrame or None
        Official worker scales and segment means, where public.
    recovered : RecoveredScores
    """

    released: pd.DataFrame
    z: np.ndarray
    scales: pd.DataFrame | None
    segments: pd.DataFrame | None
    recovered: RecoveredScores


@dataclass(frozen=True)
class Proof:
    """How recovered scores agree with everything official; NaN where nothing is public.

    Attributes
    ----------
    rows, workers : int
        How many.
    not_whole : int
        Rows whose score is not a whole number from 0 to 100.
    z_exact : float
        The greatest difference between a released z-score and the one that the recovered scores
        give (mean and sd, ddof 1, over all rows of a worker).
    z_printed : float
        The same, with mean and sd rounded to 7 significant digits, which is how the released
        z-scores were computed (R printed the scales and read them back).
    scales_off : int
        Workers whose mean or sd differs from the official one at its 7 printed digits.
    unpinned_by, unpinned : int
        Workers with several solutions, and their rows; see `RecoveredScores`.
    segments : int
        Official segment means; and of those
    raw_off : int
        made of the same judgements, but with another raw mean;
    left_out : int
        with more judgements than are released, but the same mean z-score: by workers without
        spread, whose raw scores count and whose z-scores do not exist;
    unexplained : int
        with other judgements, or absent.
    """

    rows: int
    workers: int
    not_whole: int
    z_exact: float
    z_printed: float
    scales_off: float
    unpinned_by: int
    unpinned: int
    segments: float
    raw_off: float
    left_out: float
    unexplained: float


def prove(release: ZScoreRelease) -> Proof:
    """Compare recovered scores with everything official, row by row."""
    scores, worker = release.recovered.scores, release.released["WorkerId"]
    code = worker_codes(worker)
    by_worker = pd.Series(scores).groupby(code)
    mean, sd = by_worker.mean().to_numpy(), by_worker.std(ddof=1).to_numpy()
    exact = (scores - mean[code]) / sd[code]
    printed = (scores - _printed(mean)[code]) / _printed(sd)[code]
    scales_off = math.nan
    if release.scales is not None:
        official = release.scales.reindex(sorted(worker.cat.categories))
        same = _same_digits(mean, official["mean"]) & _same_digits(sd, official["sd"])
        scales_off = int((~same).sum())
    unpinned = release.recovered.unpinned
    return Proof(
        len(scores),
        len(mean),
        int((~np.isin(scores, np.arange(HIGHEST_SCORE + 1))).sum()),
        float(np.abs(exact - release.z).max()),
        float(np.abs(printed - release.z).max()),
        scales_off,
        len(unpinned),
        int(unpinned["judgements"].sum()),
        *_segment_counts(release),
    )


def _segment_counts(release: ZScoreRelease) -> tuple[float, float, float, float]:
    """The last four attributes of a `Proof`."""
    if release.segments is None:
        return (math.nan,) * 4
    means, credited = match_means(release.released, release.z, release.segments)
    inside = credited["mean"] >= 0
    scores = release.recovered.scores[credited["row"]]
    total = np.bincount(credited["mean"][inside], scores[inside], minlength=len(means))
    raw = total / np.maximum(means["rows"], 1)
    raw_off = means["same"] & (np.abs(raw - means["raw"]) > SAME_Z * HIGHEST_SCORE)
    absent = credited.loc[~inside, ["system", "segment"]].drop_duplicates()
    unexplained = int((~means["same"] & ~means["left out"]).sum()) + len(absent)
    return len(means), int(raw_off.sum()), int(means["left out"].sum()), unexplained


def _printed(values: np.ndarray) -> np.ndarray:
    """Numbers as R prints them: 7 significant digits."""
    return np.array([float(f"{v:.7g}") for v in values])


def _same_digits(values: np.ndarray, printed: pd.Series) -> np.ndarray:
    """Whether numbers, printed with 7 significant digits, are those (half a unit, and rounding)."""
    unit = 10.0 ** (np.floor(np.log10(np.maximum(np.abs(values), 1e-9))) - 6)
    return np.abs(values - printed.to_numpy()) <= 0.5 * unit + 1e-9
