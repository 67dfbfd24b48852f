"""Scores of workers of whom nothing is known, from sums over the same segments: lattice reduction.

`split_run` takes the sums of k workers' scores and z-scores over a run of segments. It needs no
mean, no sd and no name of any worker. The proof is that k sds come out as decimals of seven digits.
The rest of the module is its arithmetic: the reduction of Lenstra, Lenstra and Lovász (1982) in
floating point, and the integer vectors orthogonal to given ones.
"""

from functools import cache
from itertools import combinations

import numpy as np

from wmtlib.counts import HIGHEST_SCORE
from wmtlib.study.recovery.integer_splits import combinations_of
from wmtlib.study.recovery.worker_scale import LARGEST_SD, ROUNDING, Array, Arrays, seven_digits

COEFFICIENTS = {2: 60, 3: 20, 4: 8, 5: 4}  # by workers: largest coefficient that is tried
MOST_ROWS = 20  # that can belong to workers; a lattice with more is not the workers'


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
        sd: array (k,), ascending, each of seven significant digits. scores: array (k, segments), up
        to an offset for each worker (the first score is 0).

    Notes
    -----
    Let D_w be worker w's scores minus the worker's score of the first segment. The differences of
    the totals are sum_w D_w, those of y are sum_w D_w / sd_w. Integer vectors orthogonal to all D_w
    are orthogonal to both sums. Lattice reduction finds these relations among all integer vectors,
    because they are shorter than vectors that fit y by chance. The D_w lie in the lattice of
    integer vectors orthogonal to the relations, which has k dimensions. A row of k integers, the
    coefficients of a linear function on this lattice, belongs to worker w if the function is 1 on
    the totals and 1 / sd_w on y.

    Only coefficients up to `COEFFICIENTS` are tried: "exactly one" counts solutions within it.
    """
    d_total, d_y = (total[1:] - total[0]).astype(float), y[1:] - y[0]
    relations = _relations(d_total, d_y)
    shortest = np.argsort((relations**2).sum(axis=1), kind="stable")[: len(d_y) - workers]
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
        # The rows of k workers span all integer vectors; their inverse gives the scores.
        if abs(round(np.linalg.det(rows[some]))) != 1:
            continue
        scores = np.rint(np.linalg.inv(rows[some])).T @ basis
        error = (scores / sd[some][:, None]).sum(axis=0) - d_y
        scores = np.column_stack([np.zeros(workers), scores])
        if np.ptp(scores, axis=1).max() <= HIGHEST_SCORE and np.abs(error).max() < 8 * ROUNDING:
            solutions.append((sd[some], scores))
    if len(solutions) != 1:
        return None
    sd, scores = solutions[0]
    order = np.argsort(sd)
    return sd[order], scores[order]


def _worker_rows(on_y: Array, on_total: Array) -> Arrays:
    """Coefficients (n, k) that give 1 on the totals and, on y, 1 / sd of seven digits; the sds."""
    rows = _integer_rows(len(on_y))
    rows = rows[rows @ on_total == 1]
    slope = rows @ on_y
    rows, slope = rows[slope > 1 / LARGEST_SD], slope[slope > 1 / LARGEST_SD]
    error = np.clip(np.sqrt((rows**2).sum(axis=1)), 1, 20) * ROUNDING  # grows with the coefficients
    sd, fits = seven_digits(1 / slope, 4 * error / slope**2)
    return rows[fits], sd[fits]


@cache
def _integer_rows(workers: int) -> Array:
    """All rows of integer coefficients, (n, workers), each within `COEFFICIENTS`; read only."""
    axis = np.arange(-COEFFICIENTS[workers], COEFFICIENTS[workers] + 1.0)
    return combinations_of([axis] * workers)


def _relations(total: Array, y: Array) -> Array:
    """Short integer vectors orthogonal to both, (n, segments)."""
    vectors = _orthogonal(total[None]) if total.any() else np.eye(len(total))
    # The larger the weight of the last column, the more a short row must be orthogonal to y.
    for weight in (1e2, 1e5, 1e8, 1e11, 1e13):
        vectors = np.rint(reduced(np.column_stack([vectors, weight * (vectors @ y)]))[:, :-1])
    length = np.sqrt((vectors**2).sum(axis=1))
    return vectors[(np.abs(vectors @ y) < length * ROUNDING + 1e-14) & (length < 1e3)]


def _orthogonal(rows: Array) -> Array:
    """A short basis of the integer vectors orthogonal to these, (n, segments)."""
    width = rows.shape[1]
    basis = np.eye(width)
    for weight in (1.0, 1e2, 1e4):
        basis = reduced(np.column_stack([basis, weight * (basis @ rows.T)]))[:, :width]
    return basis[(basis @ rows.T == 0).all(axis=1)]


def reduced(basis: Array, delta: float = 0.99) -> Array:
    """Lenstra-Lenstra-Lovász reduction, in floating point.

    Parameters
    ----------
    basis : array (n, width)
        Independent rows.
    delta : float
        Of the Lovász condition, between 1/4 and 1.

    Returns
    -------
    array (n, width)
        Rows that span the same lattice, as far as floating point goes: nearly orthogonal, short.
    """
    rows = list(np.array(basis, dtype=float))
    mu, norm = _gram_schmidt(rows)
    k = 1
    while k < len(rows):
        # Subtract from row k the nearest multiple of each earlier row.
        row = mu[k]
        for j in range(k - 1, -1, -1):
            if not -0.5 <= row[j] <= 0.5:
                times = round(row[j])
                rows[k] = rows[k] - times * rows[j]
                row[: j + 1] = [a - times * b for a, b in zip(row[: j + 1], mu[j], strict=False)]
        # Move it before the first row that is longer, as seen orthogonally to the rows before that.
        length, place = norm[k], k
        for j in range(k - 1, -1, -1):
            length += row[j] ** 2 * norm[j]
            if length < delta * norm[j]:
                place = j
        if place < k:
            rows.insert(place, rows.pop(k))
            mu, norm = _gram_schmidt(rows)
        k = max(place, 1) if place < k else k + 1
    return np.array(rows)


def _gram_schmidt(rows: list[Array]) -> tuple[list[list[float]], list[float]]:
    """Coefficients (unit lower triangle) and squared lengths of the orthogonal rows."""
    triangle = np.linalg.qr(np.array(rows).T, mode="r")
    length = triangle.diagonal()
    return (triangle.T / length).tolist(), (length**2).tolist()
