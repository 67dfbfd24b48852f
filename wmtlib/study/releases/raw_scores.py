"""Recover the scores from 0 to 100 from released z-scores, and prove them.

The public files of WMT17, 18, 21 and 22 hold z-scores: (score - mean) / sd, with the
mean and the standard deviation of each worker. The organisers' programs printed both
with 7 significant digits and used them as printed. Where the printed values are public,
`recover_from_scales` turns the formula round.

The files of WMT18 hold no mean and no standard deviation of a worker. But the z-scores
of a worker have equal distances, as whole numbers have: score = lowest + width * steps,
where the z-scores tell `steps` = 0, 1, 2, ... and the lowest score and the width of a
step are unknown whole numbers. A pair (lowest, width) is a scale of the worker. Every
official mean of the raw scores of a segment is an equation between the scales of the
workers who judged it; `recover_from_means` solves them.

`prove` checks the recovered scores against every official number: z-scores, worker
scales, segment means.
"""

import itertools
import math
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from wmtlib.assessments import HIGHEST_SCORE, RATED_ITEMS, credits
from wmtlib.errors import DataError
from wmtlib.study.recovery.worker_scale import Array, half_last_digit

NEAR = 1e-6  # a recovered score differs from a whole number by at most this
HUMAN = "HUMAN"  # in segment means: references, judged as quality control
SAME_Z = 1e-9  # z-scores that differ by less are the same
MOST_COMBINATIONS = 5_000
Official: TypeAlias = pd.DataFrame | None  # None where it is not public
NO_SOLUTION = "the official segment means agree with no whole scores"


@dataclass(frozen=True)
class RecoveredScores:
    """Scores from 0 to 100, recovered from z-scores.

    Attributes
    ----------
    scores : array, shape (rows,)
        Whole numbers.
    scales : list of arrays, shape (solutions, 2)
        For each worker, by name: every scale (lowest score, points of a step) that
        agrees with everything official. Of several, `scores` has the first; no z-score
        depends on the choice.
    """

    scores: Array
    scales: list[Array]

    @property
    def solutions(self) -> Array:
        """Number of different scales of each worker."""
        return np.array([len(np.unique(scales, axis=0)) for scales in self.scales])


def recover_from_scales(
    released: pd.DataFrame, scales: pd.DataFrame
) -> RecoveredScores:
    """Scores as mean + sd * z (Knowles 2021, Eq. 1, solved for x), rounded.

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
    lowest = pd.Series(scores).groupby(worker.codes.to_numpy()).min()
    return RecoveredScores(scores, [np.array([[low, 1]]) for low in lowest])


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
        `segments` with `rows` (how many judgements were found), `same` (all of them:
        their number and the mean of their z-scores are the official ones) and `left
        out` (fewer, but the mean of the z-scores is the official one).
    credited : DataFrame
        row, system, segment, and `mean`: the position in `means`, -1 if it has none.
    """
    row, system = credits(released["sys_id"])
    rated = released["type"].isin(RATED_ITEMS).to_numpy()[row]
    is_reference = (released["type"] == "REF").to_numpy()
    reference = is_reference[row] & (segments["system"] == HUMAN).any()
    system = np.where(reference, HUMAN, system)
    credited = pd.DataFrame({"row": row, "system": system})[rated | reference]
    credited["segment"] = released["sid"].astype(str).to_numpy()[credited["row"]]
    means = segments.reset_index(drop=True)
    key = ["system", "segment"]
    credited = credited.merge(means[key].assign(mean=means.index), how="left", on=key)
    credited["mean"] = credited["mean"].fillna(-1).astype(np.int64)
    inside = credited[credited["mean"] >= 0]
    count = np.bincount(inside["mean"], minlength=len(means))
    z = released["z"].to_numpy()[inside["row"]]
    total = np.bincount(inside["mean"], z, minlength=len(means))
    same_z = (np.abs(total / np.maximum(count, 1) - means["z"]) < SAME_Z) & (count > 0)
    means["rows"] = count
    means["same"] = same_z & (count == means["judgements"])
    means["left out"] = same_z & (count < means["judgements"])
    return means, credited


def recover_from_means(
    released: pd.DataFrame, segments: pd.DataFrame
) -> RecoveredScores:
    """Scores of each worker's one scale that agrees with all official segment means.

    An equation excludes scales of a worker once the scales of the other workers in it
    are known. Workers who remain open, because they judged the same segments, are
    solved together by trying all combinations of their scales (in WMT18, two workers of
    English-Estonian).

    Parameters
    ----------
    released, segments
        See `match_means`.

    Raises
    ------
    DataError
        A worker's z-scores come from no whole numbers, no scales agree with the
        official means, or too many do.
    """
    worker = released["WorkerId"].cat.codes.to_numpy()
    steps, most_steps = _steps(released["z"].to_numpy(), worker)
    means, credited = match_means(released, segments)
    same = credited["mean"].isin(means.index[means["same"]])
    rows = credited.loc[same, ["mean", "row"]]
    rows = rows.assign(worker=worker[rows["row"]], steps=steps[rows["row"]])
    terms = rows.groupby(["mean", "worker"])["steps"].agg(["size", "sum"])
    total = (means["raw"] * means["judgements"]).to_numpy()
    equations = Equations(total, *terms.reset_index().to_numpy().T)
    possible = [_possible_scales(most) for most in most_steps]
    scales = _solved(equations, _narrowed(equations, possible))
    lowest, width = np.array([solutions[0] for solutions in scales])[worker].T
    return RecoveredScores((lowest + width * steps).astype(np.float64), scales)


def _steps(z: Array, worker: Array) -> tuple[Array, Array]:
    """Steps of each row above its worker's lowest z-score; each worker's most steps."""
    steps = np.zeros(len(z), np.int64)
    most_steps = np.zeros(worker.max() + 1, np.int64)
    for w in range(len(most_steps)):
        rows = np.flatnonzero(worker == w)
        above = z[rows] - z[rows].min()
        share = above / above.max()
        # The first number of steps that puts all z-scores on whole steps.
        for most in range(1, HIGHEST_SCORE + 1):
            if np.abs(share * most - np.round(share * most)).max() < NEAR:
                steps[rows] = np.round(share * most)
                most_steps[w] = most
                break
        else:
            raise DataError("a worker's z-scores come from no whole numbers")
    return steps, most_steps


def _possible_scales(most_steps: int) -> Array:
    """All (lowest, width) with lowest + width * most_steps <= 100, (scales, 2)."""
    return np.array(
        [
            (lowest, width)
            for width in range(1, HIGHEST_SCORE + 1)
            for lowest in range(HIGHEST_SCORE + 1 - width * most_steps)
        ]
    )


class Equations(NamedTuple):
    """One equation per official mean: the scores of its judgements add up to `total`.

    It has a term for each worker. With a scale (lowest, width) the scores of a term add
    up to judgements * lowest + steps * width.

    Attributes
    ----------
    total : array, shape (means,)
    mean, worker, judgements, steps : arrays of int, shape (terms,)
        Of each term: its equation, its worker, how many judgements there are, and the
        sum of their steps.
    """

    total: Array
    mean: Array
    worker: Array
    judgements: Array
    steps: Array

    def scores(self, scales: Array) -> Array:
        """Scores of each term, (terms,), by one scale of each worker, (workers, 2)."""
        lowest, width = scales[self.worker].T
        return self.judgements * lowest + self.steps * width

    def sums(self, values: Array) -> Array:
        """Sums over the terms of each equation, (means,)."""
        return np.bincount(self.mean, values, minlength=len(self.total))


def _narrowed(equations: Equations, possible: list[Array]) -> list[Array]:
    """The possible scales of each worker without those that an equation excludes.

    Parameters
    ----------
    equations : Equations
    possible : list of arrays, shape (scales, 2)
    """
    total, mean, worker, judgements, steps = equations
    possible = list(possible)
    changed = True
    while changed:
        changed = False
        is_known = np.array([len(scales) == 1 for scales in possible])[worker]
        scores = equations.scores(np.array([scales[0] for scales in possible]))
        rest = total - equations.sums(np.where(is_known, scores, 0))
        # Terms of equations in which one worker alone is not known.
        usable = np.flatnonzero(~is_known & (equations.sums(~is_known) == 1)[mean])
        for w in np.unique(worker[usable]):
            terms = usable[worker[usable] == w]
            lowest, width = possible[w].T[:, :, None]
            scores = judgements[terms] * lowest + steps[terms] * width
            fits = np.abs(scores - rest[mean[terms]]) < NEAR * total.max()
            agrees = fits.all(axis=1)
            if not agrees.any():
                raise DataError(NO_SOLUTION)
            changed |= not agrees.all()
            possible[w] = possible[w][agrees]
    return possible


def _solved(equations: Equations, possible: list[Array]) -> list[Array]:
    """The same; workers who are still open have all their scales that fit together.

    The k-th scales of these workers are one solution.
    """
    unsolved = [w for w, scales in enumerate(possible) if len(scales) > 1]
    choices = [possible[w] for w in unsolved]
    if math.prod(map(len, choices)) > MOST_COMBINATIONS:
        count = len(unsolved)
        raise DataError(f"{count} workers' scores are too little known to recover")
    scales = np.array([scales[0] for scales in possible])
    used = np.unique(equations.mean)
    solutions = []
    for combination in itertools.product(*choices):
        if unsolved:
            scales[unsolved] = combination
        error = equations.sums(equations.scores(scales)) - equations.total
        if np.abs(error)[used].max(initial=0) < NEAR * equations.total.max():
            solutions.append(scales.copy())
    if not solutions:
        raise DataError(NO_SOLUTION)
    return list(np.stack(solutions, axis=1))


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
    """What `prove` says of segment means."""
    if segments is None:
        keys = ("segments", "raw_off", "left_out", "unexplained")
        return dict.fromkeys(keys, math.nan)
    means, credited = match_means(released, segments)
    inside = credited[credited["mean"] >= 0]
    total = np.bincount(inside["mean"], scores[inside["row"]], minlength=len(means))
    raw = total / np.maximum(means["rows"], 1)
    raw_off = means["same"] & (np.abs(raw - means["raw"]) > SAME_Z * HIGHEST_SCORE)
    absent = credited.loc[credited["mean"] < 0, ["system", "segment"]].drop_duplicates()
    unlike = ~means["same"] & ~means["left out"]
    return {
        "segments": len(means),
        "raw_off": int(raw_off.sum()),
        "left_out": int(means["left out"].sum()),
        "unexplained": int(unlike.sum()) + len(absent),
    }
