"""The fewest judgements whose removal ends the lead of one system over another.

It is asked of scores that are means of means: the judgements of a system fall into *cells*, its
score is the mean over its cells of the mean value in each. A cell without judgements drops out.

Of direct assessment a cell is a segment, a value a z-score (Knowles 2021, section 3); of expected
wins a cell is an opponent, a value 1 for a win and 0 for a loss; of a share of wins a cell is a
single comparison.

A lead of a over b ends when a's score is no longer above b's: it is lower, tied, or one of the two
has no judgement left. So a system loses the first place when its lead over any other ends, and the
first three change when the lead of one of them over one of the others ends.

**Single judgements**: `fewest_singles` is exact. Let t be any level. The mean of a is at most t if
and only if the excess over t, the sum over its cells of (mean of the cell - t), is not positive,
and the excess is a sum over cells: how much of it k removals can take away is found cell by
cell (dynamic programming). Whatever ends the lead puts a at or below some t, and b at or above it;
the least number over t, which lies between the two scores, is found by halving intervals of t.

Units of several judgements: `wmtlib.judgements.fewest_units`.
"""

import heapq
from dataclasses import dataclass
from functools import cached_property

import numpy as np

TIED = 1e-12  # scores as close as this are tied
HALVINGS = 400  # of intervals of t


@dataclass(frozen=True, eq=False)
class Credits:
    """What each judgement says of each system that it is about.

    Attributes
    ----------
    systems : tuple of names
    system, cell, judgement : ndarray of int, (credits,)
        Positions; a cell belongs to one system.
    value : ndarray of float64, (credits,)
    unit : ndarray of int, (judgements,)
        The unit of collection of each judgement, from 0.
    """

    systems: tuple[str, ...]
    system: np.ndarray
    cell: np.ndarray
    judgement: np.ndarray
    value: np.ndarray
    unit: np.ndarray

    def scores(self, removed: np.ndarray | None = None) -> np.ndarray:
        """Score of each system, (systems,); NaN without judgements.

        Parameters
        ----------
        removed : ndarray of bool, (judgements,), optional
        """
        kept = slice(None) if removed is None else ~removed[self.judgement]
        cell, value = self.cell[kept], self.value[kept]
        size = np.bincount(cell, minlength=self.cells)
        with np.errstate(invalid="ignore"):
            mean = np.bincount(cell, value, self.cells) / size
            there = size > 0
            n = len(self.systems)
            total = np.bincount(self.owner[there], mean[there], n)
            return total / np.bincount(self.owner[there], minlength=n)

    @cached_property
    def cells(self) -> int:
        return int(self.cell.max()) + 1

    @cached_property
    def owner(self) -> np.ndarray:
        owner = np.zeros(self.cells, dtype=np.intp)
        owner[self.cell] = self.system
        return owner

    def of(self, system: int) -> "Side":
        chosen = np.flatnonzero(self.system == system)
        cell = np.unique(self.cell[chosen], return_inverse=True)[1]
        return Side(cell, self.judgement[chosen], self.value[chosen])


@dataclass(frozen=True, eq=False)
class Side:
    """The credits of one system; of the rival values are negated: both sides are to be lowered."""

    cell: np.ndarray
    judgement: np.ndarray
    value: np.ndarray

    @cached_property
    def size(self) -> np.ndarray:
        return np.bincount(self.cell)

    @cached_property
    def mean(self) -> np.ndarray:
        return np.bincount(self.cell, self.value) / self.size

    @property
    def score(self) -> float:
        return float(self.mean.mean())

    def negated(self) -> "Side":
        return Side(self.cell, self.judgement, -self.value)


def leads(scores: np.ndarray, a: int, b: int) -> bool:
    """Whether a is ahead of b."""
    return bool(scores[a] - scores[b] > TIED)


class Gains:
    """How much of a side's excess over a level t some removals can take away at most.

    Parameters
    ----------
    side : Side
    fixed : ndarray of bool, (credits,)
        Judgements that are not removed.
    """

    def __init__(self, side: Side, fixed: np.ndarray) -> None:
        self.score, self.number = side.score, len(side.size)
        single = (side.size == 1)[side.cell]
        self.single = np.sort(side.value[single & ~fixed])[::-1]
        rows = np.flatnonzero(~single & ~fixed)
        rows = rows[np.lexsort((-side.value[rows], side.cell[rows]))]
        cells, at, removable = np.unique(side.cell[rows], return_inverse=True, return_counts=True)
        # Cells are columns of a matrix, with the removable values, highest first, from row 1 on.
        gone = np.zeros((removable.max(initial=0) + 1, len(cells)))
        place = np.arange(1, len(rows) + 1) - (removable.cumsum() - removable)[at]
        gone[place, at] = side.value[rows]
        number = np.minimum(np.arange(len(gone))[:, None], removable)
        size = side.size[cells]
        self.falls = _falls(side.mean[cells], size, gone.cumsum(axis=0), number)
        self.emptied = number == size
        self.free = not len(self.single) and not self.emptied.any()
        self.known: dict[tuple[float, int], np.ndarray] = {}

    def most(self, t: float, removals: int) -> np.ndarray:
        """Largest gain by at most k removals, k = 0 .. `removals`; computed once."""
        key = (0.0 if self.free else t, removals)  # no level matters if no cell can be emptied
        if key not in self.known:
            self.known[key] = self._most(*key)
        return self.known[key]

    def _most(self, t: float, removals: int) -> np.ndarray:
        gains = (self.falls - t * self.emptied)[: removals + 1]
        gains = np.maximum.accumulate(gains)
        step = np.diff(gains, axis=0)
        bend = np.diff(step, axis=0)
        concave = (bend <= TIED).all(axis=0)  # such steps can be taken one by one
        best = np.concatenate([self.single[:removals] - t, step[:, concave].ravel()])
        best = np.sort(best.clip(min=0))[::-1][:removals]
        least = best[-1] if len(best) == removals else 0.0
        total = np.zeros(removals + 1)
        total[1 : len(best) + 1] = best
        total = total.cumsum()
        rate = gains[1:] / np.arange(1, len(gains))[:, None]
        others = ~concave & (rate.max(axis=0, initial=0) > least)
        # Of cells that last, each step of which takes more than the one before, one is enough.
        last = others & (bend >= 0).all(axis=0) & (len(gains) > removals)
        for gain in [*gains[:, others & ~last].T, gains[:, last].max(axis=1, initial=0)]:
            found, most = total.copy(), 0.0
            for j, value in enumerate(gain.tolist()):
                if value > most:
                    most = value
                    np.maximum(found[j:], total[:-j] + value, out=found[j:])
            total = found
        return total

    def needed(self, t: float) -> float:
        """Excess over t; a little less, so that ties count."""
        return self.number * (self.score - t - TIED / 2)


def _falls(mean: np.ndarray, size: np.ndarray, gone: np.ndarray, number: np.ndarray) -> np.ndarray:
    """Fall of the means of cells when `number` values go, in sum `gone`; the mean if all go."""
    left = size - number
    return mean - np.where(left > 0, (mean * size - gone) / np.maximum(left, 1), 0.0)


class Common:
    """Judgements of both systems whose removal lowers the one and raises the other.

    Parameters
    ----------
    side : Side
    rows : ndarray of bool, (credits,)
        All of one value, and either each alone in its cell or together in one cell.
    """

    def __init__(self, side: Side, rows: np.ndarray) -> None:
        self.size, self.falls = int(rows.sum()), None
        self.value = side.value[rows][0] if self.size else 0.0
        if (side.size[side.cell[rows]] > 1).any():
            cell, number = side.cell[rows][0], np.arange(self.size + 1)
            size = side.size[cell]
            self.falls = _falls(side.mean[cell], size, number * self.value, number)
            self.emptied = self.size == size

    def gains(self, t: float) -> np.ndarray:
        """What the removal of the first x takes from the excess over t, x = 0 .. all."""
        if self.falls is None:
            return np.arange(self.size + 1) * (self.value - t)
        last = np.zeros(self.size + 1)
        last[-1] = t * self.emptied
        return self.falls - last


def fewest_singles(credits: Credits, a: int, b: int, *, below: float = np.inf) -> tuple[int, int]:
    """The fewest judgements whose removal ends the lead of system a over system b.

    Both ends of an interval; they are equal unless some judgement is of both systems and its
    removal may help against the one and not against the other.

    Parameters
    ----------
    below : number, optional
        Numbers from here on are of no interest: both ends may be `below`.
    """
    sides = credits.of(a), credits.of(b).negated()
    scores = credits.scores()
    if not leads(scores, a, b):
        return 0, 0
    cap = min(len(np.unique(side.judgement)) for side in sides)  # nothing is left of one of them
    shared = [np.isin(s.judgement, o.judgement) for s, o in (sides, sides[::-1])]
    least = [side.value.min() for side in sides]  # does no harm if there is nothing else
    helps = [(s.value > x) | (x == s.value.max()) for s, x in zip(sides, least, strict=True)]
    both = np.intersect1d(
        *(s.judgement[x & h] for s, x, h in zip(sides, shared, helps, strict=True))
    )
    common = [np.isin(side.judgement, both) for side in sides]
    uniform = all(map(_uniform, sides, common, shared))
    if not uniform:
        common = [np.zeros_like(rows) for rows in common]
    tables = [Common(side, rows) for side, rows in zip(sides, common, strict=True)]
    limit = int(min(cap, below))
    # The most that can be done, with judgements of both removable without harm ...
    fixed = [(x & ~h) | c for x, h, c in zip(shared, helps, common, strict=True)]
    lower, upper = _fewest([*map(Gains, sides, fixed)], tables, limit)
    if not uniform:  # at a level, a judgement alone in its cells helps against one system only
        crowded = [s.judgement[s.size[s.cell] > 1] for s in sides]
        twice = int(np.isin(both, np.concatenate(crowded)).sum())
        lower = max(-(-lower // 2), lower - twice)
    # ... and the least, with judgements of both that stay, apart from the common ones.
    if any((x != f).any() for x, f in zip(shared, fixed, strict=True)):
        _, upper = _fewest([*map(Gains, sides, shared)], tables, limit)
    return min(lower, limit), min(upper, limit)


def _uniform(side: Side, common: np.ndarray, shared: np.ndarray) -> bool:
    """Whether `Common` can hold these judgements: see there."""
    cells = np.unique(side.cell[common])
    inside = np.isin(side.cell, cells)
    alone = (side.size[cells] == 1).all() or (len(cells) == 1 and shared[inside].all())
    return bool(alone and len(np.unique(side.value[common])) <= 1)


def _fewest(gains: list[Gains], common: list[Common], limit: int) -> tuple[int, int]:
    """Least number of removals over all levels t, at most `limit`: equal ends, or no time left."""
    removals = min(limit, 32)

    def count(highest: float, lowest: float) -> int:
        """Removals that put a at or below `highest`, and b at or above `lowest`."""
        number = np.arange(common[0].size + 1)
        for side, table, t in zip(gains, common, (highest, -lowest), strict=True):
            needed = side.needed(t) - table.gains(t)
            found = np.searchsorted(side.most(t, removals), needed).astype(float)
            number = number + np.where(found > removals, limit, found)
        return int(min(number.min(), limit))

    high, low = gains[0].score, -gains[1].score
    middle = (high + low) / 2
    while (upper := count(middle, middle)) > removals and removals < limit:
        removals = min(4 * removals, limit)
    removals = min(upper, limit)
    # Intervals of t with the least number that they may hold, halved best first.
    open_ = [(count(high, low), low, high)]
    for _ in range(HALVINGS):
        least, start, end = open_[0]
        if least >= upper:
            break
        if end - start < TIED:
            return least, least
        heapq.heappop(open_)
        middle = (start + end) / 2
        upper = min(upper, count(middle, middle))
        for one, other in ((start, middle), (middle, end)):
            heapq.heappush(open_, (count(other, one), one, other))
    return min(open_[0][0], upper), upper
