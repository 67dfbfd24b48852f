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

Units of several judgements: `wmtlib.fewest`.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from wmtlib import _mfas_search as linear_ordering
from wmtlib import _mfas_search as local_search
from wmtlib import counts as counting
from wmtlib import zscores
from wmtlib.cluster_lines import averaged_z_scores
from wmtlib.counts import COMPARISON, FIRST, SECOND, TIE
from wmtlib.errors import DataError
from wmtlib.zscores import Campaign

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


# The fewest rankings, HITs or workers whose removal ends the lead of one system over another.
#
# Scores are means of means, and a lead ends, as in `wmtlib.fewest`. A unit holds
# several judgements, so that its removal can help against one system and hurt against another. Both
# ends of an interval are proven. The upper end is a set of units that was found and checked. The
# lower end adds up the largest effects: what a judgement of value v takes from the mean of its cell
# of c judgements is (v - r) / c, where r is the mean of what stays of the cell, or the level t of
# that module if nothing stays; and r has a least value when k units are removed.


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


# The fewest comparisons, or rankings, whose removal changes an order of systems.
#
# Scores are means of means: see `wmtlib.fewest`, to which `credits` hands them.
#
# **Minimum feedback arc set.** System a leads b if every optimal order puts a above b. Let g, the
# *gap*, be what the best order with b above a costs more than the best one. Removing one comparison
# changes the difference in cost of two orders by one at most, so at least g removals are needed.
# And
# every removal of an "a beat b" makes every order with b above a cheaper by one against every order
# with a above b: if a beat b g times or more, g removals are enough. Reversing counts double.


VALUES = {  # of preference tie, first, second for the first system; NaN: does not count
    "expected-wins": (np.nan, 1.0, 0.0),
    "wmt-official": (1.0, 1.0, 0.0),
    "bojar": (np.nan, 1.0, 0.0),
}


def tournament_credits(comparisons: pd.DataFrame, method: str, *, unit: str) -> Credits:
    """The comparisons as a score of `VALUES` counts them.

    Parameters
    ----------
    comparisons : DataFrame
        A comparisons frame without count.
    method : str
    unit : str
        A column, or "comparison".
    """
    systems, first, second, preference, _ = counting.coded(comparisons)
    values = np.array(VALUES[method])
    counted = np.flatnonzero(~np.isnan(values[preference]))
    first, second, preference = first[counted], second[counted], preference[counted]
    system, other = np.r_[first, second], np.r_[second, first]
    value = np.r_[values[preference], values[counting.SWAPPED[preference]]]
    cell = np.arange(len(system))  # each comparison for itself
    if method == "expected-wins":
        cell = np.unique(system * len(systems) + other, return_inverse=True)[1]
    judgement = np.tile(np.arange(len(counted)), 2)
    return Credits(
        tuple(systems), system, cell, judgement, value, _units(comparisons, unit)[counted]
    )


def _units(comparisons: pd.DataFrame, unit: str) -> np.ndarray:
    """Number of each comparison's unit."""
    if unit == COMPARISON:
        return np.arange(len(comparisons))
    return pd.factorize(comparisons[unit])[0]


def fewest_flips(credits: Credits, a: int, b: int) -> int:
    """The fewest decided comparisons to be reversed until a is no longer ahead of b.

    No cell changes its size, so that every reversal has one effect, and the largest are taken.
    """
    decided = np.bincount(credits.judgement, credits.value, len(credits.unit)) == 1
    sides = credits.of(a), credits.of(b).negated()
    lead = sides[0].score + sides[1].score
    effect = np.zeros(len(credits.unit))
    for side, best in zip(sides, (1.0, 0.0), strict=True):
        rows = (side.value == best) & decided[side.judgement]
        share = 1 / (side.size[side.cell[rows]] * len(side.size))
        np.add.at(effect, side.judgement[rows], share)
    total = np.sort(effect)[::-1].cumsum()
    return 0 if lead <= TIED else int(np.searchsorted(total, lead - TIED)) + 1


@dataclass(frozen=True, eq=False)
class Tournament:
    """Decided comparisons, for the question how few of them decide an optimal order.

    Attributes
    ----------
    systems : list of names, sorted
    wins : ndarray of int, (systems, systems)
    winner, loser, unit : ndarray of int, (comparisons,)
    """

    systems: list[str]
    wins: np.ndarray
    winner: np.ndarray
    loser: np.ndarray
    unit: np.ndarray

    @cached_property
    def best(self) -> np.ndarray:
        return best_order(self.wins)


def tournament(comparisons: pd.DataFrame, *, unit: str) -> Tournament:
    """The decided comparisons of a frame; `unit` as in `credits`."""
    systems, first, second, preference, _ = counting.coded(comparisons)
    decided = preference != TIE
    winner = np.where(preference == FIRST, first, second)[decided]
    loser = np.where(preference == SECOND, first, second)[decided]
    wins = np.zeros((len(systems), len(systems)), dtype=np.int64)
    np.add.at(wins, (winner, loser), 1)
    return Tournament(systems, wins, winner, loser, _units(comparisons, unit)[decided])


def best_order(wins: np.ndarray) -> np.ndarray:
    """An order of least cost."""
    return np.array(linear_ordering.minimise(wins - wins.T).order)


def best_with(
    wins: np.ndarray, above: int, below: int, *, states: float = np.inf
) -> linear_ordering.Solution:
    """The best order with one system above another; `states` as in `linear_ordering.minimise`."""
    forced = wins - wins.T
    forced[above, below] += (enough := int(wins.sum()) + 1)
    forced[below, above] -= enough
    return linear_ordering.minimise(forced, states=states)


def gap(wins: np.ndarray, a: int, b: int, *, least: int | None = None) -> int:
    """What the best order with b above a costs more than the best one.

    Parameters
    ----------
    least : int, optional
        Cost of the best one, if it is known.
    """
    margin = wins - wins.T
    if least is None:
        least = local_search.cost(margin, best_order(wins))
    return local_search.cost(margin, np.array(best_with(wins, b, a).order)) - least


def fewest_comparisons(
    wins: np.ndarray,
    a: int,
    b: int,
    *,
    weight: int = 1,
    lead: int | None = None,
    below: float = np.inf,
) -> tuple[int, int]:
    """The fewest comparisons to remove until some optimal order has b above a; an interval.

    Parameters
    ----------
    weight : 1 for removals, 2 for reversals
    lead : int, optional
        The `gap`, if it is known.
    below : number, optional
        Numbers from here on are of no interest: both ends may be `below` or more.
    """
    lower = -(-(gap(wins, a, b) if lead is None else lead) // weight)
    if wins[a, b] >= lower or lower >= below:
        return lower, lower
    wins, upper = wins.copy(), 0
    while (lead := gap(wins, a, b)) > 0:
        tau, sigma = (places(best_with(wins, *pair).order) for pair in ((a, b), (b, a)))
        wrong = (tau[:, None] < tau) & (sigma[:, None] > sigma)  # only sigma contradicts a win
        x, y = np.unravel_index(np.where(wrong, wins, 0).argmax(), wins.shape)
        if wrong[a, b] and wins[a, b]:
            x, y = a, b
        wins[x, y] -= (removed := min(lead, int(wins[x, y])))
        upper += removed
    return lower, upper


def fewest_units_of_tournament(
    found: Tournament, a: int, b: int, *, lead: int | None = None, below: float = np.inf
) -> tuple[int, int]:
    """The fewest units to remove until some optimal order has b above a; an interval.

    The lower end: k units lower the margin of a pair by no more than k times what one unit holds of
    it, and all margins together by no more than the k largest units hold of what the best order
    agrees with. The upper end: units were found, and removed.

    Parameters
    ----------
    lead : int, optional
        The `gap`, if it is known.
    below : number, optional
        Numbers from here on are of no interest: both ends may be `below` or more.
    """
    best, tau = found.best, places(found.best)
    lead = gap(found.wins, a, b) if lead is None else lead
    if lead <= 0:
        return 0, 0
    number, agrees = int(found.unit.max()) + 1, tau[found.winner] < tau[found.loser]
    pair = found.winner[agrees] * len(tau) + found.loser[agrees]
    held, times = np.unique(found.unit[agrees] * tau.size**2 + pair, return_counts=True)
    most = np.zeros(tau.size**2, dtype=np.int64)
    np.maximum.at(most, held % tau.size**2, times)
    most = most.reshape(found.wins.shape)
    total = np.sort(np.bincount(found.unit[agrees], minlength=number))[::-1].cumsum()

    def slack(k: int) -> tuple[int, np.ndarray]:
        """The least that b above a costs more if k units take the most of every pair; an order."""
        fallen = found.wins - np.minimum(k * most, found.wins)
        margin = fallen - fallen.T
        other = best_with(fallen, b, a, states=0)  # its bound is enough: no search
        least = other.lower + max(0, margin[a, b]) - local_search.cost(margin, best)
        return int(least), places(other.order)

    lower, high = int(np.searchsorted(total, lead)) + 1, int(min(below - 1, number))
    if lower > high or slack(high)[0] > 0:
        return max(lower, high + 1), max(lower, high + 1)
    while lower < high:  # the slack falls as k grows
        middle = (lower + high) // 2
        lower, high = (lower, middle) if slack(middle)[0] <= 0 else (middle + 1, high)
    sigma = slack(lower)[1]
    return lower, min(_removed(found, a, b, first) for first in (None, sigma))


def _removed(found: Tournament, a: int, b: int, sigma: np.ndarray | None) -> int:
    """Units that are removed until an order with b above a is optimal: first towards `sigma`."""
    wins, kept = found.wins.copy(), np.ones(len(found.unit), dtype=bool)
    number, removals = int(found.unit.max()) + 1, 0
    while (lead := gap(wins, a, b)) > 0:
        tau = places(best_with(wins, a, b).order)
        if sigma is None:
            sigma = places(best_with(wins, b, a).order)
        right = [place[found.winner] < place[found.loser] for place in (tau, sigma)]
        net = np.bincount(found.unit, kept * np.subtract(*right, dtype=int), number)
        order = np.argsort(-net, kind="stable")
        lead = max(lead, int(net.sum()))  # by which sigma costs more
        removed = order[: int(np.searchsorted(net[order].cumsum(), lead)) + 1]
        removals += len(removed)
        kept &= ~np.isin(found.unit, removed)
        wins = np.zeros_like(wins)
        np.add.at(wins, (found.winner[kept], found.loser[kept]), 1)
        sigma = None
    return removals


def places(order: Sequence[int] | np.ndarray) -> np.ndarray:
    """Place of each system in an order."""
    place = np.empty(len(order), dtype=np.intp)
    place[np.asarray(order)] = np.arange(len(order))
    return place


# The fewest direct assessments whose removal ends the lead of one system over another.
#
# A system's score is the mean over segments of the mean z-score on each (Knowles 2021, section 3):
# a
# mean of means, as in `wmtlib.fewest`. There the z-scores stay as they are. In
# truth every removal changes the mean and standard deviation of its worker; `still_ended` computes
# them again.


def assessment_credits(campaign: Campaign, *, unit: str) -> Credits:
    """Judgements with a z-score, for every system that they count for.

    Parameters
    ----------
    campaign : Campaign
    unit : str
        One of `campaign.CAMPAIGN_UNITS`.
    """
    z = zscores.standardised(campaign)
    cells = zscores.usable_cells(campaign, z)
    number = np.repeat(np.arange(len(cells.size)), cells.size)
    value, system = z[cells.judgement], cells.credit_system
    unit_of = campaign.units(unit)[0]
    return Credits(campaign.systems, system, number, cells.judgement, value, unit_of)


def still_ended(campaign: Campaign, a: int, b: int, removed: np.ndarray) -> bool:
    """Whether the lead of a over b has ended once the workers' scales are computed again.

    Parameters
    ----------
    removed : ndarray of bool, (judgements,)
    """
    if removed.all():
        return True
    left = replace(campaign, accepted=campaign.accepted & ~removed)
    try:
        value, system, place = averaged_z_scores(left, scales_from=~removed)
    except DataError:  # a system is left without segments
        return True
    scores = np.full(len(campaign.systems), np.nan)
    scores[place] = zscores.order_by_mean(system, value, len(place))[1]
    return not leads(scores, a, b)
