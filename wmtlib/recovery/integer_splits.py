"""Whole scores of several workers that have a given sum and a given sum of score / sd.

Two equations stand against whole numbers: of k scores, those of the two workers whose sds differ
most follow from the others, and one of them must come out whole to about eleven digits. What must
be whole is the same for all segments but for one addition. So its fractional parts are sorted once
and looked up for each segment (`Sums`), or screened in single precision (`Pairs`). Both only find
candidates; every candidate is then tested in double precision. Nothing is left out, but for the
limit `MOST_TRIALS` of `fitting_triples`.
"""

import numpy as np

from wmtlib.judgements import grouping
from wmtlib.recovery.worker_scale import ROUNDING, TOP

MOST_TRIALS = 600_000  # scores tried for one segment, to find who judged it
CHUNK = 1 << 18  # numbers in flight while many are screened


class Sums:
    """All whole scores that k workers can have given to a segment.

    Parameters
    ----------
    sd : array (k,)
        Of the workers, ascending, k at least 2.
    low, high : arrays (k,)
        Bounds of the scores.
    slack : float
        How far the sum of score / sd may be off.
    """

    def __init__(self, sd: np.ndarray, low: np.ndarray, high: np.ndarray, slack: float) -> None:
        self.sd, self.low, self.high, self.slack = sd, low, high, slack
        self.slope = 1 / sd[0] - 1 / sd[-1]
        axes = [
            np.arange(np.ceil(a), np.floor(b) + 1)
            for a, b in zip(low[1:-1], high[1:-1], strict=True)
        ]
        step = (1 / sd[1:-1] - 1 / sd[-1]) / self.slope
        self.sorted, self.looped = _grid(axes[:2]), _grid(axes[2:])
        self.offset = self.looped @ step[2:]
        part = (self.sorted @ step[:2]) % 1
        self.order = np.argsort(part, kind="stable")
        part = part[self.order]
        self.part = np.concatenate([part - 1, part, part + 1])

    def ways(self, total: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All ways to split segments.

        Parameters
        ----------
        total, y : arrays (segments,)
            Sum of the scores, and of score / sd.

        Returns
        -------
        (segment, scores)
            segment: array (ways,) of places in `total`, ascending. scores: array (ways, k).
        """
        found = [np.empty((0, len(self.sd) + 1))]
        if len(self.order) and len(self.offset):
            near = self._tolerance(total, y)
            each = len(self.offset) * (1 + 2 * near * len(self.order))
            size = max(1, int(CHUNK / each))
            for start in range(0, len(total), size):
                segments = np.arange(start, min(start + size, len(total)))
                found.append(self._tested(total, y, *self._candidates(total, y, segments, near)))
        found = np.concatenate(found)
        return found[:, 0].astype(np.int64), found[:, 1:]

    def _tolerance(self, total: np.ndarray, y: np.ndarray) -> float:
        """How near to a whole number: the slack, and more than double precision loses."""
        largest = np.abs(y).max(initial=0) + np.abs(total).max(initial=0) / self.sd[0]
        largest += max(np.abs(self.low).max(), np.abs(self.high).max()) * (1 / self.sd).sum()
        return min(0.5, (1.01 * self.slack + 4e-15 * largest) / abs(self.slope) + 1e-15)

    def _candidates(
        self, total: np.ndarray, y: np.ndarray, segments: np.ndarray, near: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Segments, and the scores of all workers but the outer two, that may fit."""
        goal = (y[segments] - total[segments] / self.sd[-1]) / self.slope
        goal = (goal[:, None] - self.offset) % 1
        first = np.searchsorted(self.part, goal - near)
        count = (np.searchsorted(self.part, goal + near, side="right") - first).ravel()
        count = np.minimum(count, len(self.order))  # a whole turn at most
        which = np.repeat(np.arange(len(count)), count)
        place = grouping.positions(count)
        place = self.order[(np.repeat(first.ravel(), count) + place) % len(self.order)]
        segment, loop = np.divmod(which, len(self.offset))
        return segments[segment], np.hstack([self.sorted[place], self.looped[loop]])

    def _tested(
        self, total: np.ndarray, y: np.ndarray, segment: np.ndarray, free: np.ndarray
    ) -> np.ndarray:
        """Of the candidates those that fit: segment and scores, (ways, 1 + k)."""
        rest = total[segment] - free.sum(axis=1)
        first = y[segment] - free @ (1 / self.sd[1:-1]) - rest / self.sd[-1]
        first = first / self.slope
        score = np.rint(first)
        last = rest - score
        fits = np.abs((first - score) * self.slope) < self.slack
        fits &= (score >= self.low[0]) & (score <= self.high[0])
        fits &= (last >= self.low[-1]) & (last <= self.high[-1])
        return np.column_stack([segment, score, free, last])[fits]


def _grid(axes: list[np.ndarray]) -> np.ndarray:
    """All combinations, (n, axes); one empty combination of no axes."""
    if not axes:
        return np.empty((1, 0))
    return np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, len(axes))


class Pairs:
    """All pairs of workers of known lines, to find which can have judged a segment.

    Parameters
    ----------
    mean, sd : arrays (workers,)
    """

    def __init__(self, mean: np.ndarray, sd: np.ndarray) -> None:
        self.other, self.z0 = 1 / sd, mean / sd

    def ways(
        self, total: np.ndarray, y: np.ndarray, times: tuple[int, int]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Who can have judged segments, and how.

        Parameters
        ----------
        total, y : arrays (segments,)
            Sum of the scores and of the z-scores.
        times : (int, int)
            How often each of the two judged the segment.

        Returns
        -------
        (segment, workers, shares)
            segment: array (ways,), ascending. workers, shares: int arrays (ways, 2).
        """
        a, b = np.nonzero(np.abs(self.other[:, None] - self.other) > 1e-9)
        if times[0] == times[1]:
            a, b = a[a < b], b[a < b]
        slope = self.other[a] - self.other[b]
        goal = times[0] * self.z0[a] + times[1] * self.z0[b]
        segment, pair = _screened(total, y, goal, self.other[b], slope, times)
        a, b, slope, goal = a[pair], b[pair], slope[pair], goal[pair]
        total = total[segment]
        first = (y[segment] + goal - total * self.other[b]) / slope
        score = np.rint(first)
        fits = np.abs((first - score) * slope) < ROUNDING * sum(times)
        fits &= (score >= 0) & (score <= TOP * times[0])
        fits &= (total - score >= 0) & (total - score <= TOP * times[1])
        workers, shares = np.column_stack([a, b]), np.column_stack([score, total - score])
        return segment[fits], workers[fits], shares[fits].astype(np.int64)


def _screened(
    total: np.ndarray,
    y: np.ndarray,
    goal: np.ndarray,
    other: np.ndarray,
    slope: np.ndarray,
    times: tuple[int, int],
) -> tuple[np.ndarray, np.ndarray]:
    """Segments and pairs whose (y + goal - total * other) / slope may be whole.

    Single precision with room for its errors. Totals and scores are counted from the middle of
    what is possible, which keeps the numbers small.
    """
    middle = sum(times) * TOP // 2
    terms = np.stack(
        [(goal - middle * other) / slope - times[0] * TOP // 2, 1 / slope, other / slope]
    )
    most = np.array([1, np.abs(y).max(initial=0), middle])
    near = 1.01 * ROUNDING * sum(times) / np.abs(slope) + 2.0**-21 * (most @ np.abs(terms))
    terms, near = terms.astype(np.float32), near.astype(np.float32)
    known = np.stack([y, middle - total]).astype(np.float32)
    found = [np.empty((2, 0), dtype=np.int64)]
    size = max(1, CHUNK // max(1, len(goal)))
    for start in range(0, len(y) * bool(len(goal)), size):
        z, rest = known[:, start : start + size, None]
        first = z * terms[1]  # no matrix product: its threads cost more than they save
        first += rest * terms[2]
        first += terms[0]
        first -= np.rint(first)
        hits = np.flatnonzero(np.abs(first, out=first) <= near)
        segment, pair = np.divmod(hits, len(goal))
        found.append(np.stack([segment + start, pair]))
    segment, pair = np.concatenate(found, axis=1)
    return segment, pair


def fitting_triples(
    total: int, y: np.ndarray, sd: np.ndarray, low: np.ndarray, high: np.ndarray
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
        Places of the sets; none at all if more than `MOST_TRIALS` scores would have to be tried.
    """
    least = max(0, total - TOP * 2) + low.min()
    free = np.arange(least, min(TOP, total) + high.max() - TOP + 1)
    free = free[(free <= total - low.min() * 2) & (free >= total - 2 * high.max())]
    if len(free) * len(sd) > MOST_TRIALS:
        return np.empty(0, dtype=np.int64)
    slope = 1 / sd[:, :1] - 1 / sd[:, -1:]
    rest = total - free
    first = (y[:, None] - free / sd[:, 1:2] - rest / sd[:, -1:]) / slope
    score = np.rint(first)
    fits = np.abs((first - score) * slope) < ROUNDING * 3
    fits &= (score >= low[:, :1]) & (score <= high[:, :1])
    fits &= (rest - score >= low[:, -1:]) & (rest - score <= high[:, -1:])
    return np.flatnonzero(fits.any(axis=1))
