"""Linear ordering on integer matrices: the numerical engine behind :mod:`wmtlib.tournament.mfas`.

Everything here speaks of systems as indices ``0..n-1`` and of ``margin``, the antisymmetric integer
matrix ``wins - wins.T``. An order is a sequence of indices, best first; its cost is the summed
``margin[a, b] > 0`` over the pairs in which it puts ``b`` above ``a``.

`local_search` finds a good order; `cycle_packing`, and where that is not enough the linear program
of `triangles`, a lower bound of its cost. What the two leave open, `subset_search` closes if little
is open, and `branching` otherwise.
"""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

import numpy as np

from wmtlib.tournament import triangles
from wmtlib.tournament.branching import branch_and_bound
from wmtlib.tournament.cutting_planes import Relaxation
from wmtlib.tournament.cycle_packing import Packing, greedy_packing
from wmtlib.tournament.local_search import Order, cost, descend, first_guess, iterated
from wmtlib.tournament.subset_search import Excess, OutOfBudgetError, first_order

QUICK = 50  # subsets, times the number of systems, that a short search enters
KICKS = 20  # of the local search that improves it, times the number of systems


class Solution(NamedTuple):
    """Best order found, the lower bound that was proven, and the packing that helped."""

    order: Order
    lower: int
    packing: Packing


def minimise(margin: np.ndarray, *, deadline: float = np.inf, states: float = np.inf) -> Solution:
    """Find an order of least cost, with proof; see `mfas.solve`.

    Parameters
    ----------
    margin : ndarray (n, n)
    deadline : float
        `time.monotonic` at which to stop.
    states : float
        Subsets of systems after which a search is given up. The proof is given up after as many in
        the nodes of a tree.
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
    relaxation = Relaxation(triangles.program(margin), margin)
    order, packing = best_packing(relaxation, order, packing, deadline=deadline)
    return close(relaxation, order, packing, deadline=deadline, states=states)


def best_packing(
    relaxation: Relaxation, order: np.ndarray, packing: Packing, *, deadline: float
) -> tuple[np.ndarray, Packing]:
    """The better of `order` and one from the linear program, and of `packing` and its dual.

    Cutting planes are quicker on tournaments with few contradictions, where few inequalities
    matter; the hybrid gradient method elsewhere (`benchmarks/README.md` has the measurements).
    """
    margin = relaxation.margin
    upper, weight = cost(margin, order), np.abs(margin).sum() / 2
    if len(margin) >= 60 and upper * len(margin) > 8 * weight:
        larger, other = triangles.primal_dual(relaxation.program, upper, deadline=deadline)
        order = min(order, descend(margin, other), key=lambda o: cost(margin, o))
    else:
        _, larger, order = relaxation.solve(order, deadline=deadline)
    return order, max(packing, larger, key=lambda p: p.bound(margin))


def close(
    relaxation: Relaxation, order: np.ndarray, packing: Packing, *, deadline: float, states: float
) -> Solution:
    """Raise the bound until it meets the cost, then choose among optima.

    A search that finds no order of at most some cost raises the bound above it. The first one asks
    for a sixteenth of the gap, each later one for twice as much: weights may be millions. Where
    short searches do not decide, the order is improved; where they still do not, the tree of
    `branching` does, and the choice among optima is left open if one more search does not make it.
    """
    margin = relaxation.margin
    n, lower = len(margin), packing.bound(margin)
    patience = min(states, QUICK * n)
    step = max(1, (cost(margin, order) - lower) // 16)
    for kicks in (0, KICKS * n):
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
    nodes = states / (QUICK * n)
    order, lower = branch_and_bound(
        relaxation, order, lower, nodes=nodes, states=patience, deadline=deadline
    )
    chosen = None
    if cost(margin, order) == lower:
        with suppress(OutOfBudgetError):
            excess = Excess(margin, packing, target=lower)
            chosen = first_order(excess, states=patience, deadline=deadline)
    return Solution(chosen or tuple(order.tolist()), lower, packing)
