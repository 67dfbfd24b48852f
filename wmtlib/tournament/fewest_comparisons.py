"""The fewest comparisons, or rankings, whose removal changes an order of systems.

Scores are means of means: see `wmtlib.judgements.fewest_removals`, to which `credits` hands them.

**Minimum feedback arc set.** System a leads b if every optimal order puts a above b. Let g, the
*gap*, be what the best order with b above a costs more than the best one. Removing one comparison
changes the difference in cost of two orders by one at most, so at least g removals are needed. And
every removal of an "a beat b" makes every order with b above a cheaper by one against every order
with a above b: if a beat b g times or more, g removals are enough. Reversing counts double.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from wmtlib.judgements import counting
from wmtlib.judgements.counting import COMPARISON, FIRST, SECOND, TIE
from wmtlib.judgements.fewest_removals import TIED, Credits
from wmtlib.tournament import linear_ordering, local_search

VALUES = {  # of preference tie, first, second for the first system; NaN: does not count
    "expected-wins": (np.nan, 1.0, 0.0),
    "wmt-official": (1.0, 1.0, 0.0),
    "bojar": (np.nan, 1.0, 0.0),
}


def credits(comparisons: pd.DataFrame, method: str, *, unit: str) -> Credits:
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


def fewest_units(
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
