"""Whole-number scores of workers from two sums: of the scores, and of score / sd.

`split_scores`, `split_among_pairs` and `fitting_triples` know the workers' sds. Two
equations hold for k whole numbers: the scores of the two workers whose sds differ most
follow from the other scores, and one of them must come out whole to about eleven
digits. What must be whole is the same for all segments, up to one addition. So its
fractional parts are sorted once and looked up for each segment (`split_scores`), which
finds candidates that are then tested. Pairs and triples of workers are tested one by
one. No solution is left out.

`split_run` needs no mean, no sd and no name of any worker, but the same workers over a
run of segments. The proof is that k sds come out as decimals of seven digits. It rests
on the lattice reduction of Lenstra, Lenstra and Lovász (1982) and integer vectors
orthogonal to given ones.
"""

from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from study.data.printed_digits import Array, Arrays, seven_digits
from study.data.simulation import positions
from study.recovery.worker_scale import LARGEST_SD, Z_ERROR
from wmtlib.core.assessments import HIGHEST_SCORE

# Candidates are screened with this slack in the sum of score / sd, well above the
# rounding of z-scores and of doubles; `_outer_scores` then tests them.
SCREEN = 1e-10
# By number of workers: the largest coefficient that is tried.
COEFFICIENTS = {2: 60, 3: 20, 4: 8, 5: 4}
MOST_ROWS = 20  # that can belong to workers; a lattice with more is not the workers'
LOVASZ = 0.99  # of the Lovász condition, between 1/4 and 1


class Workers(NamedTuple):
    """Workers (k) by ascending sd, and bounds of their scores: (k,) or (k, n)."""

    sd: Array
    low: Array
    high: Array


def _outer_scores(y: Array, rest: Array, workers: Workers, judgements: int) -> Arrays:
    """Compute the score of the first of two workers, and test if both scores fit.

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
    last = 1 / workers.sd[-1]
    slope = 1 / workers.sd[0] - last
    exact = (y - rest * last) / slope
    score = np.rint(exact)
    fits = np.abs((exact - score) * slope) < Z_ERROR * judgements
    fits &= (score >= workers.low[0]) & (score <= workers.high[0])
    fits &= (rest - score >= workers.low[-1]) & (rest - score <= workers.high[-1])
    return score, fits


def split_scores(total: Array, y: Array, workers: Workers, judgements: int) -> Arrays:
    """Find all whole scores that k workers can have given to segments.

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
    axes = []
    for low, high in zip(workers.low[1:-1], workers.high[1:-1], strict=True):
        axes.append(np.arange(np.ceil(low), np.floor(high) + 1))
    if not len(total) or not all(map(len, axes)):
        return np.empty(0, dtype=np.int64), np.empty((0, len(workers.sd)))
    inverse = 1 / workers.sd
    slope = inverse[0] - inverse[-1]
    # By y and total alone the first worker's score is `goal`; each point of a middle
    # worker takes `step` from it. What is left must be whole: the fractional parts must
    # agree. Scores of two middle workers are looked up by their fractional part, others
    # are tried.
    step = (inverse[1:-1] - inverse[-1]) / slope
    looked_up = combinations_of(axes[:2])
    tried = combinations_of(axes[2:])
    fraction = (looked_up @ step[:2]) % 1
    order = np.argsort(fraction, kind="stable")
    fraction = fraction[order]
    circle = np.concatenate([fraction - 1, fraction, fraction + 1])
    near = min(0.5, SCREEN / abs(slope))
    goal = y - total * inverse[-1]
    goal = ((goal[:, None] / slope - tried @ step[2:]) % 1).ravel()
    # Candidates: sorted fractions near the goal, one turn of the circle at most.
    first = np.searchsorted(circle, goal - near)
    count = np.searchsorted(circle, goal + near, side="right") - first
    count = np.minimum(count, len(order))
    place = order[(np.repeat(first, count) + positions(count)) % len(order)]
    candidate = np.repeat(np.arange(len(goal)), count)
    segment = candidate // len(tried)
    middle = np.hstack([looked_up[place], tried[candidate % len(tried)]])
    rest = total[segment] - middle.sum(axis=1)
    y_rest = y[segment] - middle @ inverse[1:-1]
    score, fits = _outer_scores(y_rest, rest, workers, judgements)
    return segment[fits], np.column_stack([score, middle, rest - score])[fits]


def combinations_of(axes: list[Array]) -> Array:
    """List combinations of one value of each axis, (n, axes); n is 1 without axes."""
    if not axes:
        return np.empty((1, 0))
    return np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, len(axes))


def split_among_pairs(
    total: Array, y: Array, *, mean: Array, sd: Array, times: tuple[int, int]
) -> tuple[Array, Array, Array]:
    """Find pairs of workers of known scale who can have judged segments, and how.

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
    pairs = np.array(np.nonzero(np.abs(1 / sd[:, None] - 1 / sd) > 1e-9))
    if times[0] == times[1]:
        pairs = pairs[:, pairs[0] < pairs[1]]
    a, b = pairs
    # y plus the workers' means is the sum of score / sd.
    level = times[0] * (mean / sd)[a] + times[1] * (mean / sd)[b]
    slope = 1 / sd[a] - 1 / sd[b]
    near = 2 * Z_ERROR * sum(times) / np.abs(slope) + 1e-11
    # Score of the first worker, which must be whole: linear in y and the total.
    coefficients = np.array([1 / slope, -1 / (sd[b] * slope), level / slope])
    near_whole = []
    for segment_sums in np.column_stack([y, total, np.ones(len(y))]):
        score = segment_sums @ coefficients
        near_whole.append(np.flatnonzero(np.abs(score - np.rint(score)) < near))
    pair = np.concatenate([*near_whole, np.empty(0, np.int64)])
    segment = np.repeat(np.arange(len(total)), [*map(len, near_whole)])
    pairs = pairs[:, pair]
    total = total[segment]
    workers = Workers(sd[pairs], np.zeros(2), HIGHEST_SCORE * np.array(times))
    score, fits = _outer_scores(y[segment] + level[pair], total, workers, sum(times))
    totals = np.column_stack([score, total - score]).astype(np.int64)
    return segment[fits], pairs.T[fits], totals[fits]


def fitting_triples(total: int, y: Array, workers: Workers) -> Array:
    """Find sets of three workers who can have given a segment's scores.

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
        Places of the sets.
    """
    inverse = 1 / workers.sd
    slope = inverse[0] - inverse[2]
    start = (y - total * inverse[2]) / slope
    step = (inverse[1] - inverse[2]) / slope
    # With each point of the middle worker the first one has `step` less, the last one
    # `1 - step`. So the bounds of both leave few scores of the middle worker.
    low, middle_low, last_low = workers.low
    high, middle_high, last_high = workers.high
    fall = np.clip(step, 1e-9, 1 - 1e-9)
    least = np.fmax((start - high) / fall, (total - start - last_high) / (1 - fall))
    most = np.fmin((start - low) / fall, (total - start - last_low) / (1 - fall))
    least = np.ceil(np.fmax(least - 1e-6, middle_low))
    most = np.fmin(most + 1e-6, middle_high)
    spread = least - most
    order = np.argsort(spread)
    spread = spread[order]
    # Sets of most such scores first: those that have another score are the first ones.
    line = np.array([start - least * step, step, SCREEN / slope])[:, order]
    candidates = []
    for tried in range(1 - int(spread[0])):
        score, points, near = line[:, : np.searchsorted(spread, -tried, side="right")]
        score = score - tried * points
        for place in order[: len(score)][np.abs(score - np.rint(score)) < near]:
            candidates.append((place, least[place] + tried))
    place, middle = np.array(candidates, dtype=np.int64).reshape(-1, 2).T
    sets = Workers(*(bounds[:, place] for bounds in workers))
    y_rest = y[place] - middle * inverse[1, place]
    _, fits = _outer_scores(y_rest, total - middle, sets, 3)
    return np.unique(place[fits])


# --- workers of whom nothing is known: lattice reduction ------------------------------


def split_run(total: Array, y: Array, workers: int) -> Arrays | None:
    """Find scores that k workers of unknown mean and sd gave to the same segments.

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
    d_total = (total[1:] - total[0]).astype(float)
    d_y = y[1:] - y[0]
    if len(d_y) <= workers:
        return None
    relations = _orthogonal(np.stack([d_total, d_y]))
    by_length = np.argsort((relations**2).sum(axis=1), kind="stable")
    basis = _orthogonal(relations[by_length[: len(d_y) - workers]])
    if len(basis) != workers:
        return None
    on_y = np.linalg.lstsq(basis.T, d_y, rcond=None)[0]
    on_total = np.rint(np.linalg.lstsq(basis.T, d_total, rcond=None)[0])
    rows, sd = _worker_rows(on_y, on_total)
    if np.abs(on_total @ basis - d_total).max() > 1e-6 or len(rows) > MOST_ROWS:
        return None
    solutions = []
    for chosen in map(list, combinations(range(len(rows)), workers)):
        # The rows of k workers span all integer vectors; their inverse gives the
        # scores.
        if abs(round(np.linalg.det(rows[chosen]))) != 1:
            continue
        scores = np.rint(np.linalg.inv(rows[chosen])).T @ basis
        error = (scores / sd[chosen][:, None]).sum(axis=0) - d_y
        scores = np.column_stack([np.zeros(workers), scores])
        possible = np.ptp(scores, axis=1).max() <= HIGHEST_SCORE
        if possible and np.abs(error).max() < 8 * Z_ERROR:
            solutions.append((sd[chosen], scores))
    return solutions[0] if len(solutions) == 1 else None


def _worker_rows(on_y: Array, on_total: Array) -> Arrays:
    """Find coefficients that can be a worker's, (n, k), and their sds, ascending.

    The function is 1 on the totals and, on y, 1 / sd of seven digits.
    """
    rows = _integer_rows(len(on_y))
    rows = rows[rows @ on_total == 1]
    slope = rows @ on_y
    possible = slope > 1 / LARGEST_SD
    rows = rows[possible]
    slope = slope[possible]
    # The error grows with the coefficients.
    error = np.clip(np.sqrt((rows**2).sum(axis=1)), 1, 20) * Z_ERROR
    sd, fits = seven_digits(1 / slope, 4 * error / slope**2)
    order = np.flatnonzero(fits)[np.argsort(sd[fits])]
    return rows[order], sd[order]


@cache
def _integer_rows(workers: int) -> Array:
    """List all rows of integers, (n, workers), within `COEFFICIENTS`; read only."""
    axis = np.arange(-COEFFICIENTS[workers], COEFFICIENTS[workers] + 1.0)
    return combinations_of([axis] * workers)


def _orthogonal(rows: Array) -> Array:
    """Find short independent integer vectors orthogonal to these rows, (n, segments).

    They are so up to the error of z-scores, where the rows are no whole numbers.
    """
    width = rows.shape[1]
    basis = np.eye(width)
    # The larger the weight, the more nearly a short row must be orthogonal.
    for weight in (1e2, 1e5, 1e8, 1e11, 1e13):
        weighted = np.column_stack([basis, weight * (basis @ rows.T)])
        basis = np.rint(reduced(weighted)[:, :width])
    length = np.linalg.norm(basis, axis=1)
    near = np.abs(basis @ rows.T) < (length * Z_ERROR + 1e-14)[:, None]
    return basis[near.all(axis=1) & (length < 1e3)]


def reduced(basis: Array) -> Array:
    """Reduce a lattice (Lenstra, Lenstra and Lovász 1982), in floating point.

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
    n, width = basis.shape
    # Each row, followed by its coordinates along the earlier rows, made orthogonal.
    rows = np.hstack([basis, np.linalg.qr(basis.T).R.T])
    triangle = rows[:, width:]
    k = 1
    while k < n:
        # Subtract from row k the nearest multiple of each earlier row.
        for j in range(k - 1, -1, -1):
            times = triangle[k, j] / triangle[j, j]
            if abs(times) > 0.5:
                rows[k] -= np.rint(times) * rows[j]
        length = triangle[k, k - 1] ** 2 + triangle[k, k] ** 2
        if length >= LOVASZ * triangle[k - 1, k - 1] ** 2:  # Lovász' condition
            k += 1
            continue
        rows[[k - 1, k]] = rows[[k, k - 1]]
        # A rotation of two columns makes it a triangle again.
        cosine, sine = triangle[k - 1, k - 1 : k + 1] / np.sqrt(length)
        rotation = np.array([[cosine, -sine], [sine, cosine]])
        triangle[:, k - 1 : k + 1] = triangle[:, k - 1 : k + 1] @ rotation
        k = max(k - 1, 1)
    return rows[:, :width]
