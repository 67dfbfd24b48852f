"""The fewest rankings, HITs or workers whose removal ends the lead of one system over another.

Scores are means of means, and a lead ends, as in `wmtlib.judgements.fewest_removals`. A unit holds
several judgements, so that its removal can help against one system and hurt against another. Both
ends of an interval are proven. The upper end is a set of units that was found and checked. The
lower end adds up the largest effects: what a judgement of value v takes from the mean of its cell
of c judgements is (v - r) / c, where r is the mean of what stays of the cell, or the level t of
that module if nothing stays; and r has a least value when k units are removed.
"""

import numpy as np

from wmtlib.judgements.fewest_removals import TIED, Credits, Side, leads


def fewest_units(
    credits: Credits, a: int, b: int, *, below: float = np.inf
) -> tuple[int, int, np.ndarray]:
    """The fewest units whose removal ends the lead of a over b: both ends of an interval.

    Parameters
    ----------
    below : number, optional
        Numbers from here on are of no interest: both ends may be `below`, and `removed` is then not
        enough.

    Returns
    -------
    lower, upper : int
    removed : ndarray of int, (upper,)
        Positions of units whose removal ends the lead.
    """
    removed = greedy(credits, a, b, below)
    least = limit = int(min(len(removed), below))
    sides = credits.of(a), credits.of(b).negated()
    bounds = [_Effects(side, credits.unit) for side in sides]
    high, low = sides[0].score, -sides[1].score
    if not any(bound.may_empty(limit) for bound in bounds):
        return _least(bounds, (0.0, 0.0), high - low, limit), len(removed), removed
    # A level t lies somewhere: from between the scores outwards, until one side alone needs more.
    width = max(high - low, TIED) / 2
    for step, far in ((width, 1), (-width, 0)):
        t = low
        while least:
            start, end = sorted((t, t + step))
            least = min(least, _least(bounds, (start, -end), high - low, limit))
            t += step
            level, needed = ((t, high - t), (-t, t - low))[far]
            if _least([bounds[far]], (level,), needed, least) >= least:
                break
    return least, len(removed), removed


class _Effects:
    """What the removal of each unit takes from the score of a side at most, in sums."""

    def __init__(self, side: Side, unit: np.ndarray) -> None:
        self.side, self.unit, self.units = side, unit[side.judgement], int(unit.max()) + 1
        order = np.lexsort((-side.value, side.cell))
        self.total = np.concatenate([[0.0], side.value[order].cumsum()])
        self.first = np.cumsum(side.size) - side.size
        # How many judgements of a cell a unit holds at most.
        pair, held = np.unique(side.cell * self.units + self.unit, return_counts=True)
        self.most = np.zeros(len(side.size), dtype=np.intp)
        np.maximum.at(self.most, pair // self.units, held)

    def may_empty(self, k: int) -> bool:
        """Whether k units may leave nothing of some cell."""
        return bool((self.side.size <= k * self.most).any())

    def largest(self, k: int, t: float) -> np.ndarray:
        """Effect of each unit, (units,), if k units are removed and the level is t or higher."""
        size = self.side.size
        gone = np.minimum(k * self.most, size - 1)
        ends = self.total[self.first + size] - self.total[self.first + gone]
        rest = ends / (size - gone)  # the least mean of what stays of a cell
        rest = np.where(size <= k * self.most, np.minimum(rest, t), rest)
        cell = self.side.cell
        effect = (self.side.value - rest[cell]) / (size[cell] * len(size))
        return np.bincount(self.unit, effect, self.units)


def _least(bounds: list[_Effects], levels: tuple[float, ...], needed: float, limit: int) -> int:
    """Least k, at most `limit`, whose k largest effects add up to what is needed."""

    def enough(k: int) -> bool:
        effect = sum(bound.largest(k, t) for bound, t in zip(bounds, levels, strict=True))
        effect = np.sort(effect[effect > 0])[::-1][:k]
        return bool(effect.sum() >= needed - TIED)

    low, high = 0, limit  # `high` is enough, or of no interest
    if needed <= TIED:
        return 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def greedy(credits: Credits, a: int, b: int, below: float) -> np.ndarray:
    """Units whose removal ends the lead: the largest effect first, then none too many.

    Stops at `below` units.
    """
    rows = np.flatnonzero((credits.system == a) | (credits.system == b))
    names, system = np.unique(credits.system[rows], return_inverse=True)
    sign = np.where(credits.system[rows] == a, 1.0, -1.0)
    cell = np.unique(credits.cell[rows], return_inverse=True)[1]
    value = credits.value[rows]
    units, unit = np.unique(credits.unit[credits.judgement[rows]], return_inverse=True)
    owner = np.zeros(cell.max() + 1, dtype=np.intp)
    owner[cell] = system
    left = np.ones(len(rows), dtype=bool)

    def state() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        size = np.bincount(cell, left, len(owner))
        mean = np.bincount(cell, value * left, len(owner)) / np.maximum(size, 1)
        number = np.bincount(owner, size > 0, len(names))
        with np.errstate(invalid="ignore"):
            return size, mean, number, np.bincount(owner, mean * (size > 0)) / number

    above = int(np.searchsorted(names, a))
    chosen: list[int] = []
    while True:
        size, mean, number, score = state()
        if not leads(score, above, 1 - above):
            break
        if len(chosen) >= below:
            return units[chosen]
        last = np.where(size > 1, mean, score[owner])[cell]  # what a removal is compared with
        effect = sign * (value - last) / np.maximum(size[cell] - 1, 1) / number[system]
        there = np.bincount(unit, left) > 0
        best = int(np.where(there, np.bincount(unit, effect * left), -np.inf).argmax())
        chosen.append(best)
        left &= unit != best
    for one in chosen[:-1]:
        left |= unit == one
        *_, score = state()
        if leads(score, above, 1 - above):
            left &= unit != one
        else:
            chosen.remove(one)
    return units[chosen]
