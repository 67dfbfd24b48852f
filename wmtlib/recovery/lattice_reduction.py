"""Scores of workers of whom nothing is known, from sums over the same segments: lattice reduction.

`split_run` takes the sums of k workers' scores and z-scores over a run of segments. It needs no
mean, no sd and no name of any worker; its certificate is that k sds come out as decimals of seven
digits. All else here serves it: Lenstra-Lenstra-Lovász reduction in floating point, integer kernels
and integer relations.
"""

from functools import cache
from itertools import combinations

import numpy as np

from wmtlib.judgements.direct_assessments import HIGHEST_SCORE
from wmtlib.recovery.worker_scale import LARGEST_SD, ROUNDING, seven_digits

COEFFICIENTS = {2: 60, 3: 20, 4: 8, 5: 4}  # by workers: size of the integer functionals tried
MOST_PASSES = 20  # of one reduction; it is stable after two or three


def split_run(
    total: np.ndarray, y: np.ndarray, workers: int
) -> tuple[np.ndarray, np.ndarray] | None:
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
    (sd, scores), or None if there is no solution or more than one
        sd: array (k,), ascending, each of seven significant digits. scores: array (k, segments), up
        to a constant for each worker (the first is 0).

    Notes
    -----
    Differences to the first segment are sums over workers of integers (differences of scores,
    D_w) and of D_w / sd_w. Integer vectors orthogonal to the k vectors D_w are also orthogonal to
    the totals and to y: lattice reduction finds them among all integer vectors, because they are
    shorter than what fits y by chance. The D_w lie in the lattice orthogonal to those relations,
    of rank k. On it, 1 / sd_w is an integer functional of y that takes the value 1 on the totals.

    Only functionals with coefficients up to `COEFFICIENTS` are tried. "More than one" therefore
    counts what lies within that bound; what lies beyond is not looked at.
    """
    d_total = (total[1:] - total[0]).astype(float)
    d_y = y[1:] - y[0]
    if len(d_y) <= workers:
        return None
    relations = _relations(d_total, d_y)
    if len(relations) != len(d_y) - workers:
        return None
    basis = _kernel(relations)
    if len(basis) != workers:
        return None
    on_y = np.linalg.lstsq(basis.T, d_y, rcond=None)[0]
    on_total = np.rint(np.linalg.lstsq(basis.T, d_total, rcond=None)[0])
    if np.abs(on_total @ basis - d_total).max() > 1e-6:
        return None
    return _scores(basis, on_y, on_total, d_y)


def _scores(
    basis: np.ndarray, on_y: np.ndarray, on_total: np.ndarray, d_y: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """The only vectors of the lattice that are scores of workers with seven-digit sds."""
    workers = len(basis)
    f, sd = _inverse_sds(on_y, on_total)
    solutions = []
    for some in map(list, combinations(range(len(f)), workers)):
        dual = f[some]
        if abs(round(np.linalg.det(dual))) != 1:
            continue
        scores = np.rint(np.linalg.inv(dual)).T @ basis
        scores = np.column_stack([np.zeros(workers), scores])
        error = (scores[:, 1:] / sd[some][:, None]).sum(axis=0) - d_y
        if np.ptp(scores, axis=1).max() <= HIGHEST_SCORE and np.abs(error).max() < 8 * ROUNDING:
            solutions.append((sd[some], scores))
    if len(solutions) != 1:
        return None
    sd, scores = solutions[0]
    order = np.argsort(sd)
    return sd[order], scores[order]


def _inverse_sds(on_y: np.ndarray, on_total: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Functionals (n, k) that are 1 on the totals and 1 / sd on y, of seven-digit sds; the sds."""
    f = _functionals(len(on_y))
    f = f[f @ on_total == 1]
    slope = f @ on_y
    f, slope = f[slope > 1 / LARGEST_SD], slope[slope > 1 / LARGEST_SD]
    wide = np.clip(np.sqrt((f**2).sum(axis=1)), 1, 20)
    sd, fits = seven_digits(1 / slope, 4 * ROUNDING * wide / slope**2)
    return f[fits], sd[fits]


@cache
def _functionals(workers: int) -> np.ndarray:
    """All integer vectors of so many coefficients, each within `COEFFICIENTS`; read only."""
    size = COEFFICIENTS[workers]
    axis = np.arange(-size, size + 1.0)
    f = np.stack(np.meshgrid(*[axis] * workers, indexing="ij"), -1).reshape(-1, workers)
    f.flags.writeable = False
    return f


def _relations(total: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Short integer vectors orthogonal to both, (n, segments)."""
    c = _kernel(total[None]) if total.any() else np.eye(len(total))
    for weight in (1e2, 1e5, 1e8, 1e11, 1e13):
        c = np.rint(reduced(np.column_stack([c, weight * (c @ y)]))[:, :-1])
    length = np.sqrt((c**2).sum(axis=1))
    return c[(np.abs(c @ y) < length * ROUNDING + 1e-14) & (length < 1e3)]


def _kernel(rows: np.ndarray) -> np.ndarray:
    """A short basis of the integer vectors orthogonal to these, (n, segments)."""
    width = rows.shape[1]
    basis = np.eye(width)
    for weight in (1.0, 1e2, 1e4):
        basis = reduced(np.column_stack([basis, weight * (basis @ rows.T)]))[:, :width]
    return basis[(basis @ rows.T == 0).all(axis=1)]


def reduced(basis: np.ndarray, delta: float = 0.99) -> np.ndarray:
    """Lenstra-Lenstra-Lovász reduction, in floating point, repeated until it is stable.

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
    for _ in range(MOST_PASSES):
        if not _pass(rows, delta):
            break
    return np.array(rows)


def _pass(rows: list[np.ndarray], delta: float) -> int:
    """One pass, in place; the number of exchanges. Lists are faster than arrays at these sizes."""
    mu, norm = _gram_schmidt(np.array(rows))
    k, exchanges = 1, 0
    while k < len(rows):
        row = mu[k]
        for j in range(k - 1, -1, -1):
            if -0.5 <= row[j] <= 0.5:
                continue
            times = round(row[j])
            rows[k] = rows[k] - times * rows[j]
            row[: j + 1] = [a - times * b for a, b in zip(row[: j + 1], mu[j], strict=False)]
        m = row[k - 1]
        if norm[k] >= (delta - m * m) * norm[k - 1]:
            k += 1
            continue
        _exchange(rows, mu, norm, k)
        exchanges += 1
        k = max(k - 1, 1)
    return exchanges


def _exchange(rows: list[np.ndarray], mu: list[list[float]], norm: list[float], k: int) -> None:
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
        a, b = row[k - 1], row[k]
        row[k] = a - m * b
        row[k - 1] = b + new * row[k]


def _gram_schmidt(basis: np.ndarray) -> tuple[list[list[float]], list[float]]:
    """Coefficients (unit lower triangle) and squared lengths."""
    n = len(basis)
    star, mu, norm = np.zeros_like(basis), np.eye(n), np.zeros(n)
    for i in range(n):
        mu[i, :i] = (star[:i] @ basis[i]) / norm[:i]
        star[i] = basis[i] - mu[i, :i] @ star[:i]
        norm[i] = star[i] @ star[i]
    return mu.tolist(), norm.tolist()
