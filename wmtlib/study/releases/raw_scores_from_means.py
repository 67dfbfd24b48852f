"""Recover scores from z-scores and the official segment means (WMT18).

The files of WMT18 hold no mean and no standard deviation of a worker. But the z-scores of a worker
have equal distances, as whole numbers have: score = lowest + width * steps, where the z-scores tell
`steps` = 0, 1, 2, ... and the lowest score and the width of a step are unknown whole numbers. A
pair (lowest, width) is a scale of the worker. Every official mean of the raw scores of a segment is
an equation between the scales of the workers who judged it.
"""

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from wmtlib.counts import HIGHEST_SCORE, RATED_ITEMS, credits
from wmtlib.errors import Origin
from wmtlib.study.releases.raw_scores import WHOLE, RecoveredScores, worker_codes, workers_table

HUMAN = "HUMAN"  # in segment means: the references that workers judged as quality control
SAME_Z = 1e-9  # z-scores that differ by less are the same
MOST_COMBINATIONS = 5_000
NO_SOLUTION = "the official segment means agree with no whole scores"


def match_means(
    released: pd.DataFrame, z: np.ndarray, segments: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Find the judgements behind each official segment mean.

    A SYSTEM or REPEAT row counts for its system. If there are segment means of `HUMAN`, a REF row
    counts for those. A row with a joint name counts once for each system in it.

    Parameters
    ----------
    released : DataFrame
        Columns `RELEASED`, one row per judgement.
    z : array, shape (rows,)
    segments : DataFrame
        system, segment, raw, z, judgements.

    Returns
    -------
    means : DataFrame
        `segments` with `rows` (how many judgements were found), `same` (all of them: their number
        and the mean of their z-scores are the official ones) and `left out` (fewer, but the mean
        of the z-scores is the official one).
    credited : DataFrame
        row, system, segment, and `mean`: the position in `means`, -1 if it has none.
    """
    row, system = credits(released["sys_id"])
    rated = released["type"].isin(RATED_ITEMS).to_numpy()[row]
    reference = (released["type"] == "REF").to_numpy()[row] & (segments["system"] == HUMAN).any()
    system = np.where(reference, HUMAN, system)
    credited = pd.DataFrame({"row": row, "system": system})[rated | reference]
    credited["segment"] = released["sid"].astype(str).to_numpy()[credited["row"]]
    means = segments.reset_index(drop=True)
    key = ["system", "segment"]
    position = pd.Series(means.index, index=pd.MultiIndex.from_frame(means[key]))
    credited["mean"] = position.reindex(
        pd.MultiIndex.from_frame(credited[key]), fill_value=-1
    ).array
    inside = credited[credited["mean"] >= 0]
    count = np.bincount(inside["mean"], minlength=len(means))
    total = np.bincount(inside["mean"], z[inside["row"]], minlength=len(means))
    same_z = (np.abs(total / np.maximum(count, 1) - means["z"]) < SAME_Z) & (count > 0)
    means["rows"] = count
    means["same"] = same_z & (count == means["judgements"])
    means["left out"] = same_z & (count < means["judgements"])
    return means, credited


def recover_from_means(
    released: pd.DataFrame, z: np.ndarray, segments: pd.DataFrame, origin: Origin
) -> RecoveredScores:
    """Scores of the one scale of each worker that agrees with all official segment means.

    An equation excludes scales of a worker once the scales of the other workers in it are known.
    Workers who remain open, because they judged the same segments, are solved together by trying
    all combinations of their scales.

    Parameters
    ----------
    released, z, segments
        See `match_means`.

    Raises
    ------
    DataError
        A worker's z-scores come from no whole numbers, no scales agree with the official means, or
        too many do.
    """
    code = worker_codes(released["WorkerId"])
    steps, most_steps = _steps(z, code, origin)
    means, credited = match_means(released, z, segments)
    credited = credited[(credited["mean"] >= 0) & means["same"].reindex(credited["mean"]).array]
    terms = credited.assign(worker=code[credited["row"]], steps=steps[credited["row"]])
    terms = terms.groupby(["mean", "worker"])["steps"].agg(["size", "sum"]).reset_index()
    total = (means["raw"] * means["judgements"]).to_numpy()
    equations = _Equations(*(terms[c].to_numpy() for c in terms), total, origin)
    possible = equations.narrowed([_possible_scales(most) for most in most_steps])
    for group in equations.open_groups(possible):
        solutions = equations.solved(group, possible)
        for k, worker in enumerate(group):
            possible[worker] = solutions[:, k]
    lowest, width = np.array([scales[0] for scales in possible])[code].T
    scores = (lowest + width * steps).astype(np.float64)
    return RecoveredScores(scores, workers_table(code, possible))


def _steps(z: np.ndarray, code: np.ndarray, origin: Origin) -> tuple[np.ndarray, np.ndarray]:
    """Steps of each row above its worker's lowest z-score, and each worker's greatest step."""
    steps, most_steps = np.zeros(len(z), np.int64), np.zeros(code.max() + 1, np.int64)
    for worker, rows in pd.Series(np.arange(len(z))).groupby(code).indices.items():
        above = z[rows] - z[rows].min()
        if not above.max() > SAME_Z:
            raise origin.refuse(int(rows[0]), "a worker's z-scores are all the same")
        share = above / above.max()
        # The first number of steps that puts all z-scores on whole steps.
        for count in range(1, HIGHEST_SCORE + 1):
            if np.abs(share * count - np.round(share * count)).max() < WHOLE:
                break
        else:
            raise origin.refuse(int(rows[0]), "the worker's z-scores come from no whole numbers")
        steps[rows], most_steps[worker] = np.round(share * count), count
    return steps, most_steps


def _possible_scales(most_steps: int) -> np.ndarray:
    """All (lowest, width) with lowest + width * most_steps <= 100, shape (scales, 2)."""
    width, lowest = np.mgrid[1 : HIGHEST_SCORE + 1, 0 : HIGHEST_SCORE + 1].reshape(2, -1)
    return np.column_stack([lowest, width])[lowest + width * most_steps <= HIGHEST_SCORE]


@dataclass(frozen=True)
class _Equations:
    """One equation per official mean: the scores of its judgements add up to `total`.

    Attributes
    ----------
    mean, worker : array of int, shape (terms,)
        One term per worker and mean.
    judgements, steps : array of int, shape (terms,)
        How many judgements, and the sum of their steps: with a scale (lowest, width) the scores
        add up to judgements * lowest + steps * width.
    total : array, shape (means,)
    origin : Origin
    """

    mean: np.ndarray
    worker: np.ndarray
    judgements: np.ndarray
    steps: np.ndarray
    total: np.ndarray
    origin: Origin

    @property
    def tolerance(self) -> float:
        return WHOLE * self.total.max()

    def narrowed(self, possible: list[np.ndarray]) -> list[np.ndarray]:
        """The possible scales of each worker without those that an equation excludes."""
        possible = list(possible)
        while True:
            known = np.array([len(scales) == 1 for scales in possible])[self.worker]
            lowest, width = np.array([scales[0] for scales in possible])[self.worker].T
            scores = np.where(known, self.judgements * lowest + self.steps * width, 0)
            rest = self.total - np.bincount(self.mean, scores, minlength=len(self.total))
            # Terms of equations in which one worker alone is not known.
            alone = np.bincount(self.mean, ~known, minlength=len(self.total)) == 1
            usable = np.flatnonzero(~known & alone[self.mean])
            changed = False
            for worker, at in pd.Series(usable).groupby(self.worker[usable]):
                lowest, width = possible[worker].T[:, :, None]
                scores = self.judgements[at] * lowest + self.steps[at] * width
                fits = (np.abs(scores - rest[self.mean[at]]) < self.tolerance).all(axis=1)
                changed |= not fits.all()
                possible[worker] = possible[worker][fits]
                if not fits.any():
                    raise self.origin.refuse(None, NO_SOLUTION)
            if not changed:
                return possible

    def open_groups(self, possible: list[np.ndarray]) -> list[np.ndarray]:
        """Workers with several possible scales, in groups that share equations."""
        is_open = np.array([len(scales) > 1 for scales in possible])
        terms = is_open[self.worker]
        shape = len(possible), len(self.total)
        judged = coo_array((terms[terms], (self.worker[terms], self.mean[terms])), shape).tocsr()
        group = connected_components(judged @ judged.T)[1]
        return [np.flatnonzero(group == g) for g in np.unique(group[is_open])]

    def solved(self, group: np.ndarray, possible: list[np.ndarray]) -> np.ndarray:
        """All scales of a group that agree with every mean, shape (solutions, workers, 2)."""
        if math.prod(len(possible[worker]) for worker in group) > MOST_COMBINATIONS:
            what = f"{len(group)} workers' scores are too little known to recover"
            raise self.origin.refuse(None, what)
        # The terms of all equations with a worker of the group.
        at = np.isin(self.mean, self.mean[np.isin(self.worker, group)])
        mean, number = np.unique(self.mean[at], return_inverse=True)
        scale = np.array([scales[0] for scales in possible])
        solutions = []
        for combination in itertools.product(*(possible[worker] for worker in group)):
            scale[group] = combination
            lowest, width = scale[self.worker[at]].T
            scores = np.bincount(number, self.judgements[at] * lowest + self.steps[at] * width)
            if np.abs(scores - self.total[mean]).max(initial=0) < self.tolerance:
                solutions.append(combination)
        if not solutions:
            raise self.origin.refuse(None, NO_SOLUTION)
        return np.array(solutions)
