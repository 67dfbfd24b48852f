"""Whole scores of several workers with a given sum and a given sum of score / sd.

Two equations hold for k whole numbers: the scores of the two workers whose sds differ most follow
from the other scores, and one of them must come out whole to about eleven digits. What must be
whole is the same for all segments, up to one addition. So its fractional parts are sorted once and
looked up for each segment (`split_scores`), or screened in single precision (`split_among_pairs`).
Both only find candidates; every candidate is then tested in double precision. No solution is left
out, except by the limit `MOST_TRIALS` of `fitting_triples`.
"""

import numpy as np

from wmtlib.judgements import grouping
from wmtlib.judgements.direct_assessments import HIGHEST_SCORE
from wmtlib.recovery.worker_scale import ROUNDING

MOST_TRIALS = 600_000  # scores tried for one segment, to find who judged it
CHUNK = 1 << 18  # numbers in memory at once while candidates are screened


def _outer_scores(y, rest, inverse, low, high, slack) -> tuple[np.ndarray, np.ndarray]:
    """Scores of two workers from their sum and their sum of score / sd.

    Parameters
    ----------
    y, rest : arrays
        Sum of score / sd, and sum of the scores.
    inverse, low, high : pairs of arrays or numbers
        1 / sd and bounds of the score, of the first and of the second worker.
    slack : float
        How far y may be off.

    Returns
    -------
    (score, fits)
        The first worker's score, and whether both scores are whole and within their bounds.
    """
    slope = inverse[0] - inverse[1]
    exact = (y - rest * inverse[1]) / slope
    score = np.rint(exact)
    fits = np.abs((exact - score) * slope) < slack
    fits &= (score >= low[0]) & (score <= high[0])
    fits &= (rest - score >= low[1]) & (rest - score <= high[1])
    return score, fits


def split_scores(
    total: np.ndarray,
    y: np.ndarray,
    *,
    sd: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    slack: float,
) -> tuple[np.ndarray, np.ndarray]:
    """All whole scores that k workers can have given to segments.

    Parameters
    ----------
    total, y : arrays (segments,)
        Sum of the scores, and of score / sd.
    sd : array (k,)
        Of the workers, ascending, k at least 2.
    low, high : arrays (k,)
        Bounds of the scores.
    slack : float
        How far the sum of score / sd may be off.

    Returns
    -------
    (segment, scores)
        segment: array (ways,) of places in `total`, ascending. scores: array (ways, k).
    """
    if not len(total):
        return np.empty(0, dtype=np.int64), np.empty((0, len(sd)))
    inverse = 1 / sd
    slope = inverse[0] - inverse[-1]
    middle = [
        np.arange(np.ceil(a), np.floor(b) + 1) for a, b in zip(low[1:-1], high[1:-1], strict=True)
    ]
    step = (inverse[1:-1] - inverse[-1]) / slope  # by a point of each middle worker
    # Scores of two middle workers are looked up by their fractional part, those of others tried.
    looked_up, tried = _combinations(middle[:2]), _combinations(middle[2:])
    part = (looked_up @ step[:2]) % 1
    order = np.argsort(part, kind="stable")
    part = np.concatenate([part[order] + turn for turn in (-1, 0, 1)])  # fractions form a circle
    found = [np.empty((0, len(sd) + 1))]
    near = _tolerance(total, y, inverse, low, high, slack)
    size = max(1, int(CHUNK / max(1, len(tried) * (1 + 2 * near * len(order)))))
    for start in range(0, len(total) if len(order) else 0, size):
        goal = y[start : start + size] - total[start : start + size] * inverse[-1]
        goal = (goal[:, None] / slope - tried @ step[2:]) % 1
        # From the first to the last entry of the sorted fractions near the goal; one turn at most.
        first = np.searchsorted(part, goal - near).ravel()
        count = np.searchsorted(part, goal.ravel() + near, side="right") - first
        count = np.minimum(count, len(order))
        place = order[(np.repeat(first, count) + grouping.positions(count)) % len(order)]
        segment, other = np.divmod(np.repeat(np.arange(len(count)), count), max(1, len(tried)))
        segment += start
        scores = np.hstack([looked_up[place], tried[other]])
        rest = total[segment] - scores.sum(axis=1)
        outer = (inverse[[0, -1]], low[[0, -1]], high[[0, -1]])
        score, fits = _outer_scores(y[segment] - scores @ inverse[1:-1], rest, *outer, slack)
        found.append(np.column_stack([segment, score, scores, rest - score])[fits])
    solutions = np.concatenate(found)
    return solutions[:, 0].astype(np.int64), solutions[:, 1:]


def _tolerance(total, y, inverse, low, high, slack) -> float:
    """How far from a whole number a candidate may be: `slack` and the rounding of doubles."""
    largest = np.abs(y).max(initial=0) + np.abs(total).max(initial=0) * inverse[0]
    largest += max(np.abs(low).max(), np.abs(high).max()) * inverse.sum()
    return min(0.5, (1.01 * slack + 4e-15 * largest) / abs(inverse[0] - inverse[-1]) + 1e-15)


def _combinations(axes: list[np.ndarray]) -> np.ndarray:
    """All combinations, (n, axes); one empty combination of no axes."""
    if not axes:
        return np.empty((1, 0))
    return np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, len(axes))


def split_among_pairs(
    total: np.ndarray, y: np.ndarray, *, mean: np.ndarray, sd: np.ndarray, times: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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
    (segment, workers, totals)
        segment: array (ways,), ascending. workers, totals: int arrays (ways, 2); the sum of each
        worker's scores.
    """
    inverse, centre = 1 / sd, mean / sd
    a, b = np.nonzero(np.abs(inverse[:, None] - inverse) > 1e-9)
    if times[0] == times[1]:
        a, b = a[a < b], b[a < b]
    # y plus the workers' means is the sum of score / sd.
    level = times[0] * centre[a] + times[1] * centre[b]
    segment, pair = _screened(total, y, level, inverse[a], inverse[b], times)
    a, b, total = a[pair], b[pair], total[segment]
    high = [HIGHEST_SCORE * n for n in times]
    score, fits = _outer_scores(
        y[segment] + level[pair],
        total,
        (inverse[a], inverse[b]),
        (0, 0),
        high,
        ROUNDING * sum(times),
    )
    workers, totals = np.column_stack([a, b]), np.column_stack([score, total - score])
    return segment[fits], workers[fits], totals[fits].astype(np.int64)


def _screened(total, y, level, first, second, times) -> tuple[np.ndarray, np.ndarray]:
    """Segments and pairs for which (y + level - total * second) / (first - second) may be whole.

    Single precision with room for its errors. Totals and scores are counted from the middle of
    what is possible, which keeps the numbers small.
    """
    slope = first - second
    middle = sum(times) * HIGHEST_SCORE // 2
    constant = (level - middle * second) / slope - times[0] * HIGHEST_SCORE // 2
    terms = np.stack([constant, 1 / slope, second / slope])
    largest = np.array([1, np.abs(y).max(initial=0), middle])
    near = 1.01 * ROUNDING * sum(times) / np.abs(slope) + 2.0**-21 * (largest @ np.abs(terms))
    terms, near = terms.astype(np.float32), near.astype(np.float32)
    known = np.stack([y, middle - total]).astype(np.float32)
    found = [np.empty((2, 0), dtype=np.int64)]
    size = max(1, CHUNK // max(1, len(level)))
    for start in range(0, len(y) if len(level) else 0, size):
        z, rest = known[:, start : start + size, None]
        score = z * terms[1]  # no matrix product: its threads cost more than they save
        score += rest * terms[2]
        score += terms[0]
        score -= np.rint(score)
        hits = np.flatnonzero(np.abs(score, out=score) <= near)
        segment, pair = np.divmod(hits, len(level))
        found.append(np.stack([segment + start, pair]))
    segment, pair = np.concatenate(found, axis=1)
    return segment, pair


def fitting_triples(
    total: int, y: np.ndarray, *, sd: np.ndarray, low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """Which sets of three workers can have given a segment's scores.

    Parameters
    ----------
    total : int
        Sum of the scores.
    y : array (sets,)
        Sum of score / sd.
    sd, low, high : arrays (sets, 3)
        Of the workers, sd ascending, and bounds of the scores.

    Returns
    -------
    array of int
        Places of the sets; empty if more than `MOST_TRIALS` scores would have to be tried.
    """
    # Scores of the middle worker that leave possible scores for the two others.
    lowest, highest = low.min(), high.max()
    tried = np.arange(
        max(0, total - HIGHEST_SCORE * 2) + lowest,
        min(HIGHEST_SCORE, total) + highest - HIGHEST_SCORE + 1,
    )
    tried = tried[(tried <= total - lowest * 2) & (tried >= total - 2 * highest)]
    if len(tried) * len(sd) > MOST_TRIALS:
        return np.empty(0, dtype=np.int64)
    inverse, low, high = ((x[:, :1], x[:, 1:2], x[:, 2:]) for x in (1 / sd, low, high))
    _, fits = _outer_scores(
        y[:, None] - tried * inverse[1],
        total - tried,
        inverse[::2],
        low[::2],
        high[::2],
        ROUNDING * 3,
    )
    return np.flatnonzero(fits.any(axis=1))
