"""Linear ordering on integer matrices: the numerical engine behind :mod:`wmtlib.tournament.mfas`.

Everything here speaks of systems as indices ``0..n-1`` and of ``margin``, the antisymmetric integer
matrix ``wins - wins.T``. An order is a sequence of indices, best first; its cost is the summed
``margin[a, b] > 0`` over the pairs in which it puts ``b`` above ``a``.

`local_search` finds a good order, `cycle_packing` and `triangles` a lower bound of its cost; here a
search over subsets (`subset_search`) proves what the two leave open.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wmtlib.tournament import triangles
from wmtlib.tournament.cycle_packing import Packing, greedy_packing
from wmtlib.tournament.local_search import Order, cost, descend, first_guess, iterated
from wmtlib.tournament.subset_search import Excess, OutOfBudgetError, first_order

QUICK = 50  # subsets, times the number of systems, to look at before the order is improved
KICKS = 20  # of the local search that improves it, times the number of systems


class Solution(NamedTuple):
    """Best order found, the lower bound that was proven, and the packing that helped."""

    order: Order
    lower: int
    packing: Packing


def minimise(margin: np.ndarray, *, deadline: float = np.inf, states: float = np.inf) -> Solution:
    """Find the lexicographically smallest order of least cost, with proof; see `mfas.solve`.

    A search that enters more than `states` subsets is given up, as one that meets the deadline.
    """
    order = descend(margin, first_guess(margin))
    packing = greedy_packing(margin, order)
    lower = packing.bound(margin)
    # Equal bounds leave only the choice among optima. Otherwise a short look whether the packing is
    # already the largest and only the order is not the best: that spares the linear program.
    closed = cost(margin, order) == lower
    try:
        look = np.inf if closed else 10 * len(margin)
        excess = Excess(margin, packing, target=lower)
        if found := first_order(excess, states=look, deadline=deadline):
            return Solution(found, lower, packing)
    except OutOfBudgetError:
        if closed:
            return Solution(tuple(order.tolist()), lower, packing)
    packing, other = best_packing(margin, order, packing, deadline=deadline)
    order = min(order, descend(margin, other), key=lambda o: cost(margin, o))
    return close(margin, order, packing, deadline=deadline, states=states)


def best_packing(
    margin: np.ndarray, order: np.ndarray, packing: Packing, *, deadline: float
) -> tuple[Packing, np.ndarray]:
    """The better of `packing` and one from the linear program, and the order the latter suggests.

    Cutting planes are quicker on tournaments with few contradictions, where few inequalities
    matter; the hybrid gradient method elsewhere (`benchmarks/README.md` has the measurements).
    """
    upper, weight = cost(margin, order), np.abs(margin).sum() / 2
    program = triangles.program(margin)
    if len(margin) >= 60 and upper * len(margin) > 8 * weight:
        larger, other = triangles.primal_dual(program, upper, deadline=deadline)
    else:
        larger, other = triangles.cutting_planes(program, margin, order, deadline=deadline)
    return max(packing, larger, key=lambda p: p.bound(margin)), other


def close(
    margin: np.ndarray, order: np.ndarray, packing: Packing, *, deadline: float, states: float
) -> Solution:
    """Raise the bound by exhaustive searches until it meets the cost, then choose among optima.

    A search that finds no order of at most some cost raises the bound above it. The first one asks
    for a sixteenth of the gap, each later one for twice as much: weights may be millions. Where a
    short search does not decide, the order is improved before a long one.
    """
    n, lower = len(margin), packing.bound(margin)
    step = max(1, (cost(margin, order) - lower) // 16)
    for kicks, patience in ((0, min(states, QUICK * n)), (KICKS * n, states)):
        order = iterated(margin, order, kicks=kicks, lower=lower, deadline=deadline)
        try:
            while True:
                target = max(lower, min(cost(margin, order), lower + step) - 1)
                excess = Excess(margin, packing, target=target)
                found = first_order(excess, states=patience, deadline=deadline)
                if found is None:
                    lower, step = target + 1, 2 * step
                elif cost(margin, found) == lower:
                    return Solution(found, lower, packing)
                else:
                    order = np.array(found)
        except OutOfBudgetError:
            pass
    return Solution(tuple(order.tolist()), lower, packing)
