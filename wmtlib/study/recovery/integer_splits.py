"""Whole-number scores of several workers from two sums: of the scores, and of score / sd.

Two equations hold for k whole numbers: the scores of the two workers whose sds differ most follow
from the other scores, and one of them must come out whole to about eleven digits. What must be
whole is the same for all segments, up to one addition. So its fractional parts are sorted once and
looked up for each segment (`split_scores`), which finds candidates that are then tested. Pairs and
triples of workers are tested one by one. No solution is left out, except by the limit `MOST_TRIALS`
of `fitting_triples`.
"""

from typing import NamedTuple

import numpy as np

from wmtlib.counts import HIGHEST_SCORE, positions
from wmtlib.study.recovery.worker_scale import ROUNDING, Array, Arrays

MOST_TRIALS = 40_000_000  # scores tried for one segment, to find who judged it
# Candidates are screened with this slack in the sum of score / sd, well above the rounding of
# z-scores and of doubles; `_outer_scores` then tests them.
SCREEN = 1e-10
CHUNK = 1 << 16  # numbers in memory at once while candidates are screened


class Workers(NamedTuple):
    """k workers by their sds, ascending, and the bounds of their scores: arrays (k,) or (k, n)."""

    sd: Array
    low: Array
    high: Array


def _outer_scores(y: Array, rest: Array, workers: Workers, judgements: int) -> Arrays:
    """Score of the first worker, if only the first and the last one judged; and whether it fits.

    Parameters
    ----------
    y, rest : arrays
        Sum of score / sd, and sum of the scores, of these two workers.
    judgements : int
        Number of z-scores whose rounding is in `y`.

    Returns
    -------
    (score, fits)
        Whether both scores are whole and within their bounds.
    """
    first, last = 1 / workers.sd[0], 1 / workers.sd[-1]
    exact = (y - rest * last) / (first - last)
    score = np.rint(exact)
    fits = np.abs((exact - score) * (first - last)) < ROUNDING * judgements
    fits &= (score >= workers.low[0]) & (score <= workers.high[0])
    fits &= (rest - score >= workers.low[-1]) & (rest - score <= workers.high[-1])
    return score, fits


def split_scores(total: Array, y: Array, workers: Workers, judgements: int) -> Arrays:
    """All whole scores that k workers can have given to segments.

    Parameters
    ----------
    total, y : arrays (segments,)
        Sum of the scores, and of score / sd.
    workers : Workers
        At least two.
    judgements : int
        Number of z-scores whose rounding is in `y`.

    Returns
    -------
    (segment, scores)
        segment: array (ways,) of places in `total`, ascending. scores: array (ways, k).
    """
    found = [np.empty((0, len(workers.sd) + 1))]
    middle = zip(workers.low[1:-1], workers.high[1:-1], strict=True)
    axes = [np.arange(np.ceil(low), np.floor(high) + 1) for low, high in middle]
    if len(total) and all(map(len, axes)):
        inverse = 1 / workers.sd
        slope = inverse[0] - inverse[-1]
        step = (inverse[1:-1] - inverse[-1]) / slope  # by one point of each middle worker
        # Scores of two middle workers are looked up by their fractional part, others are tried.
        looked_up, tried = combinations_of(axes[:2]), combinations_of(axes[2:])
        part = (looked_up @ step[:2]) % 1
        order = np.argsort(part, kind="stable")
        part = np.concatenate([part[order] + turn for turn in (-1, 0, 1)])  # they form a circle
        near = min(0.5, SCREEN / abs(slope))
        size = max(1, int(CHUNK / (len(tried) * (1 + 2 * near * len(order)))))
        for start in range(0, len(total), size):
            goal = y[start : start + size] - total[start : start + size] * inverse[-1]
            goal = ((goal[:, None] / slope - tried @ step[2:]) % 1).ravel()
            # Candidates: sorted fractions near the goal, one turn of the circle at most.
            first = np.searchsorted(part, goal - near)
            count = np.searchsorted(part, goal + near, side="right") - first
            count = np.minimum(count, len(order))
            place = order[(np.repeat(first, count) + positions(count)) % len(order)]
            segment, other = np.divmod(np.repeat(np.arange(len(goal)), count), len(tried))
            segment += start
            free = np.hstack([looked_up[place], tried[other]])
            rest = total[segment] - free.sum(axis=1)
            score, fits = _outer_scores(
                y[segment] - free @ inverse[1:-1], rest, workers, judgements
            )
            found.append(np.column_stack([segment, score, free, rest - score])[fits])
    solutions = np.concatenate(found)
    return solutions[:, 0].astype(np.int64), solutions[:, 1:]


def combinations_of(axes: list[Array]) -> Array:
    """All combinations of one value of each axis, (n, axes); one empty combination of no axes."""
    if not axes:
        return np.empty((1, 0))
    return np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, len(axes))


def split_among_pairs(
    total: Array, y: Array, *, mean: Array, sd: Array, times: tuple[int, int]
) -> tuple[Array, Array, Array]:
    """Which pairs of workers of known scale can have judged segments, and with what scores.

    Parameters
    ----------
    total, y : arrays (segments,)
        Sum of the scores and of the z-scores.
    mean, sd : arrays (workers,)
    times : (int, int)
        How often each of the two judged the segment.

    Returns
    -------
    (segment, pairs, totals)
        segment: array (ways,), ascending. pairs, totals: int arrays (ways, 2); the two workers, and
        the sum of each worker's scores.
    """
    a, b = np.nonzero(np.abs(1 / sd[:, None] - 1 / sd) > 1e-9)
    if times[0] == times[1]:
        a, b = a[a < b], b[a < b]
    # y plus the workers' means is the sum of score / sd.
    level = times[0] * (mean / sd)[a] + times[1] * (mean / sd)[b]
    slope = 1 / sd[a] - 1 / sd[b]
    near = 2 * ROUNDING * sum(times) / np.abs(slope) + 1e-11
    segments = np.column_stack([y, total, np.ones(len(y))])
    pairs_of_sds = np.stack([np.ones(len(level)), -1 / sd[b], level]) / slope
    found = [np.empty((2, 0), dtype=np.int64)]
    size = max(1, CHUNK // max(1, len(level)))
    for first in range(0, len(total), size):
        # Score of the first worker, which must be whole.
        score = segments[first : first + size] @ pairs_of_sds
        score -= np.rint(score)
        place = np.flatnonzero(np.abs(score, out=score) < near)
        found.append(np.stack(np.divmod(place + first * len(level), len(level))))
    segment, pair = np.concatenate(found, axis=1)
    pairs, total = np.stack([a[pair], b[pair]]), total[segment]
    workers = Workers(sd[pairs], np.zeros(2), HIGHEST_SCORE * np.array(times))
    score, fits = _outer_scores(y[segment] + level[pair], total, workers, sum(times))
    totals = np.column_stack([score, total - score]).astype(np.int64)
    return segment[fits], pairs.T[fits], totals[fits]


def fitting_triples(total: int, y: Array, workers: Workers) -> Array:
    """Which sets of three workers can have given a segment's scores.

    Parameters
    ----------
    total : int
        Sum of the scores.
    y : array (sets,)
        Sum of score / sd.
    workers : Workers
        Arrays (3, sets).

    Returns
    -------
    array of int
        Places of the sets; empty if more than `MOST_TRIALS` scores would have to be tried.
    """
    # Scores of the middle worker that leave possible scores for the two others.
    low, high = workers.low.min(), workers.high.max()
    lowest = max(total - 2 * high, low + max(0, total - 2 * HIGHEST_SCORE))
    highest = min(total - 2 * low, high + min(0, total - HIGHEST_SCORE))
    tried = np.arange(np.ceil(lowest), highest + 1)
    if not 0 < len(tried) * len(y) <= MOST_TRIALS:
        return np.empty(0, dtype=np.int64)
    # Score of the first worker, by the score of the middle one; all but whole numbers are screened.
    inverse = 1 / workers.sd
    slope = inverse[0] - inverse[2]
    start, step = (y - total * inverse[2]) / slope, (inverse[2] - inverse[1]) / slope
    near = SCREEN / slope
    places = []
    for middle in tried:
        score = start + middle * step
        score -= np.rint(score)
        places.append(np.flatnonzero(np.abs(score, out=score) < near))
    some, middle = np.concatenate(places), np.repeat(tried, [*map(len, places)])
    sets = Workers(*(x[:, some] for x in workers))
    _, fits = _outer_scores(y[some] - middle * inverse[1, some], total - middle, sets, 3)
    fits &= (middle >= sets.low[1]) & (middle <= sets.high[1])
    return np.unique(some[fits])
