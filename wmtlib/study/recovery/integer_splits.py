"""Whole-number scores of several workers from two sums: of the scores, and of score / sd.

`split_scores`, `split_among_pairs` and `fitting_triples` know the workers' sds. Two
equations hold for k whole numbers: the scores of the two workers whose sds differ most
follow from the other scores, and one of them must come out whole to about eleven
digits. What must be whole is the same for all segments, up to one addition. So its
fractional parts are sorted once and looked up for each segment (`split_scores`), which
finds candidates that are then tested. Pairs and triples of workers are tested one by
one. No solution is left out, except by the limit `MOST_TRIALS` of `fitting_triples`.

`split_run` needs no mean, no sd and no name of any worker, but the same workers over a
run of segments. The proof is that k sds come out as decimals of seven digits. It rests
on the lattice reduction of Lenstra, Lenstra and Lovász (1982) and integer vectors
orthogonal to given ones.
"""

from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from wmtlib.assessments import HIGHEST_SCORE
from wmtlib.study.recovery.worker_scale import (
    LARGEST_SD,
    Z_ERROR,
    Array,
    Arrays,
    seven_digits,
)
from wmtlib.study.simulation import positions

MOST_TRIALS = 40_000_000  # scores tried for one segment, to find who judged it
# Candidates are screened with this slack in the sum of score / sd, well above the
# rounding of z-scores and of doubles; `_outer_scores` then tests them.
SCREEN = 1e-10
CHUNK = 1 << 16  # numbers in memory at once while candidates are screened
COEFFICIENTS = {
    2: 60,
    3: 20,
    4: 8,
    5: 4,
}  # by workers: largest coefficient that is tried
MOST_ROWS = 20  # that can belong to workers; a lattice with more is not the workers'
LOVASZ = 0.99  # of the Lovász condition, between 1/4 and 1
MOST_PASSES = 20  # of one lattice reduction; it is stable after two or three


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
    fits = np.abs((exact - score) * (first - last)) < Z_ERROR * judgements
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
        step = (
            inverse[1:-1] - inverse[-1]
        ) / slope  # by one point of each middle worker
        # By y and total alone the first worker's score is `goal`; each point of a
        # middle worker takes `step` from it. What is left must be whole: the fractional
        # parts must agree. Scores of two middle workers are looked up by their
        # fractional part, others are tried.
        looked_up, tried = combinations_of(axes[:2]), combinations_of(axes[2:])
        part = (looked_up @ step[:2]) % 1
        order = np.argsort(part, kind="stable")
        part = np.concatenate(
            [part[order] + turn for turn in (-1, 0, 1)]
        )  # they form a circle
        near = min(0.5, SCREEN / abs(slope))
        size = max(1, int(CHUNK / (len(tried) * (1 + 2 * near * len(order)))))
        for start in range(0, len(total), size):
            goal = y[start : start + size] - total[start : start + size] * inverse[-1]
            goal = ((goal[:, None] / slope - tried @ step[2:]) % 1).ravel()
            # Candidates: sorted fractions near the goal, one turn of the circle at
            # most.
            first = np.searchsorted(part, goal - near)
            count = np.searchsorted(part, goal + near, side="right") - first
            count = np.minimum(count, len(order))
            place = order[(np.repeat(first, count) + positions(count)) % len(order)]
            segment, other = np.divmod(
                np.repeat(np.arange(len(goal)), count), len(tried)
            )
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
        segment: array (ways,), ascending. pairs, totals: int arrays (ways, 2); the two
        workers, and the sum of each worker's scores.
    """
    a, b = np.nonzero(np.abs(1 / sd[:, None] - 1 / sd) > 1e-9)
    if times[0] == times[1]:
        a, b = a[a < b], b[a < b]
    # y plus the workers' means is the sum of score / sd.
    level = times[0] * (mean / sd)[a] + times[1] * (mean / sd)[b]
    slope = 1 / sd[a] - 1 / sd[b]
    near = 2 * Z_ERROR * sum(times) / np.abs(slope) + 1e-11
    segments = np.column_stack([y, total, np.ones(len(y))])
    pairs_of_sds = np.stack([np.ones(len(level)), -1 / sd[b], level]) / slope
    found = [np.empty((2, 0), dtype=np.int64)]
    size = max(1, CHUNK // max(1, len(level)))
    for first in range(0, len(total), size):
        # Score of the first worker, which must be whole.
        score = segments[first : first + size] @ pairs_of_sds
        place = np.flatnonzero(np.abs(score - np.rint(score)) < near)
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
        Places of the sets; empty if more than `MOST_TRIALS` scores would have to be
        tried.
    """
    # Scores of the middle worker that leave possible scores for the two others.
    low, high = workers.low.min(), workers.high.max()
    lowest = max(total - 2 * high, low + max(0, total - 2 * HIGHEST_SCORE))
    highest = min(total - 2 * low, high + min(0, total - HIGHEST_SCORE))
    tried = np.arange(np.ceil(lowest), highest + 1)
    if not 0 < len(tried) * len(y) <= MOST_TRIALS:
        return np.empty(0, dtype=np.int64)
    # Score of the first worker, by the score of the middle one; all but whole numbers
    # are screened.
    inverse = 1 / workers.sd
    slope = inverse[0] - inverse[2]
    start, step = (y - total * inverse[2]) / slope, (inverse[2] - inverse[1]) / slope
    near = SCREEN / slope
    scores = (start + middle * step for middle in tried)
    places = [np.flatnonzero(np.abs(score - np.rint(score)) < near) for score in scores]
    some, middle = np.concatenate(places), np.repeat(tried, [*map(len, places)])
    sets = Workers(*(x[:, some] for x in workers))
    _, fits = _outer_scores(
        y[some] - middle * inverse[1, some], total - middle, sets, 3
    )
    fits &= (middle >= sets.low[1]) & (middle <= sets.high[1])
    return np.unique(some[fits])


# --- workers of whom nothing is known: lattice reduction ------------------------------


def split_run(total: Array, y: Array, workers: int) -> Arrays | None:
    """Scores that k workers, all of unknown mean and sd, gave to the same segments.

    Parameters
    ----------
    total : array (segments,) of int
        Sum of the k scores of each segment.
    y : array (segments,)
        Sum of the k z-scores.
    workers : int
        k, a key of `COEFFICIENTS`.

    Returns
    -------
    (sd, scores), or None unless there is exactly one solution
        sd: array (k,), ascending, each of seven significant digits. scores: array (k,
        segments), up to an offset for each worker (the first score is 0).

    Notes
    -----
    Let D_w be worker w's scores minus the worker's score of the first segment. The
    differences of the totals are sum_w D_w, those of y are sum_w D_w / sd_w. Integer
    vectors orthogonal to all D_w are orthogonal to both sums. Lattice reduction finds
    these relations among all integer vectors, because they are shorter than vectors
    that fit y by chance. The D_w lie in the lattice of integer vectors orthogonal to
    the relations, which has k dimensions. A row of k integers, the coefficients of a
    linear function on this lattice, belongs to worker w if the function is 1 on the
    totals and 1 / sd_w on y.

    Only coefficients up to `COEFFICIENTS` are tried: "exactly one" counts solutions
    within it.
    """
    d_total, d_y = (total[1:] - total[0]).astype(float), y[1:] - y[0]
    if len(d_y) <= workers:
        return None
    relations = _relations(d_total, d_y)
    shortest = np.argsort((relations**2).sum(axis=1), kind="stable")[
        : len(d_y) - workers
    ]
    basis = _orthogonal(relations[shortest])
    if len(basis) != workers:
        return None
    on_y = np.linalg.lstsq(basis.T, d_y, rcond=None)[0]
    on_total = np.rint(np.linalg.lstsq(basis.T, d_total, rcond=None)[0])
    rows, sd = _worker_rows(on_y, on_total)
    if np.abs(on_total @ basis - d_total).max() > 1e-6 or len(rows) > MOST_ROWS:
        return None
    solutions = []
    for some in map(list, combinations(range(len(rows)), workers)):
        # The rows of k workers span all integer vectors; their inverse gives the
        # scores.
        if abs(round(np.linalg.det(rows[some]))) != 1:
            continue
        scores = np.rint(np.linalg.inv(rows[some])).T @ basis
        error = (scores / sd[some][:, None]).sum(axis=0) - d_y
        scores = np.column_stack([np.zeros(workers), scores])
        if (
            np.ptp(scores, axis=1).max() <= HIGHEST_SCORE
            and np.abs(error).max() < 8 * Z_ERROR
        ):
            solutions.append((sd[some], scores))
    return solutions[0] if len(solutions) == 1 else None


def _worker_rows(on_y: Array, on_total: Array) -> Arrays:
    """Coefficients (n, k): 1 on the totals and, on y, 1 / sd of seven digits; sds, ascending."""
    rows = _integer_rows(len(on_y))
    rows = rows[rows @ on_total == 1]
    slope = rows @ on_y
    rows, slope = rows[slope > 1 / LARGEST_SD], slope[slope > 1 / LARGEST_SD]
    error = (
        np.clip(np.sqrt((rows**2).sum(axis=1)), 1, 20) * Z_ERROR
    )  # grows with the coefficients
    sd, fits = seven_digits(1 / slope, 4 * error / slope**2)
    order = np.flatnonzero(fits)[np.argsort(sd[fits])]
    return rows[order], sd[order]


@cache
def _integer_rows(workers: int) -> Array:
    """All rows of integer coefficients, (n, workers), each within `COEFFICIENTS`; read only."""
    axis = np.arange(-COEFFICIENTS[workers], COEFFICIENTS[workers] + 1.0)
    return combinations_of([axis] * workers)


def _relations(total: Array, y: Array) -> Array:
    """Short integer vectors orthogonal to both, (n, segments)."""
    vectors = _orthogonal(total[None]) if total.any() else np.eye(len(total))
    # The larger the weight of the last column, the more a short row must be orthogonal
    # to y.
    for weight in (1e2, 1e5, 1e8, 1e11, 1e13):
        vectors = np.rint(
            reduced(np.column_stack([vectors, weight * (vectors @ y)]))[:, :-1]
        )
    length = np.sqrt((vectors**2).sum(axis=1))
    return vectors[(np.abs(vectors @ y) < length * Z_ERROR + 1e-14) & (length < 1e3)]


def _orthogonal(rows: Array) -> Array:
    """A short basis of the integer vectors orthogonal to these, (n, segments)."""
    width = rows.shape[1]
    basis = np.eye(width)
    for weight in (1.0, 1e2, 1e4):
        basis = reduced(np.column_stack([basis, weight * (basis @ rows.T)]))[:, :width]
    return basis[(basis @ rows.T == 0).all(axis=1)]


def reduced(basis: Array) -> Array:
    """Lenstra-Lenstra-Lovász reduction (1982), in floating point, repeated until it is stable.

    Parameters
    ----------
    basis : array (n, width)
        Independent rows.

    Returns
    -------
    array (n, width)
        Rows that span the same lattice, as far as floating point goes: nearly
        orthogonal, short.
    """
    rows = list(np.array(basis, dtype=float))  # lists are faster than small arrays
    for _ in range(MOST_PASSES):
        # Coefficients (unit lower triangle) and squared lengths of the orthogonal rows.
        triangle = np.linalg.qr(np.array(rows).T, mode="r")
        length = triangle.diagonal()
        mu, norm = (triangle.T / length).tolist(), (length**2).tolist()
        k, exchanged = 1, False
        while k < len(rows):
            # Subtract from row k the nearest multiple of each earlier row.
            row = mu[k]
            for j in range(k - 1, -1, -1):
                if not -0.5 <= row[j] <= 0.5:
                    times = round(row[j])
                    rows[k] = rows[k] - times * rows[j]
                    row[: j + 1] = [
                        a - times * b for a, b in zip(row, mu[j][: j + 1], strict=False)
                    ]
            if norm[k] >= (LOVASZ - row[k - 1] ** 2) * norm[k - 1]:  # Lovász' condition
                k += 1
            else:
                _exchange(rows, mu, norm, k)
                exchanged = True
                k = max(k - 1, 1)
        if not exchanged:
            break
    return np.array(rows)


def _exchange(
    rows: list[Array], mu: list[list[float]], norm: list[float], k: int
) -> None:
    """Exchange rows k - 1 and k; coefficients and squared lengths follow."""
    upper, lower = mu[k - 1], mu[k]
    m = lower[k - 1]
    joint = norm[k] + m * m * norm[k - 1]
    new = m * norm[k - 1] / joint
    norm[k], norm[k - 1] = norm[k - 1] * norm[k] / joint, joint
    rows[k - 1], rows[k] = rows[k], rows[k - 1]
    upper[: k - 1], lower[: k - 1] = lower[: k - 1], upper[: k - 1]
    lower[k - 1] = new
    for row in mu[k + 1 :]:
        a, b = row[k - 1 : k + 1]
        row[k - 1 : k + 1] = b + new * (a - m * b), a - m * b
