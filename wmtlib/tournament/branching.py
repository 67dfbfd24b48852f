"""Branch and bound: what the linear program and one search over subsets leave open.

A node of the tree forces some pairs: a stands above b. Its bound is that of a packing for margins
in which to contradict a forced pair costs more than the best order known; so every number is whole,
as at the root. A node is closed if its bound reaches the cost of that order, or if a short search
over subsets finds no cheaper order in it. Else it is split by a pair of which the solution of the
linear program is undecided. The node with the least bound comes next: no order costs less.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Sequence

import numpy as np

from wmtlib.tournament.cutting_planes import Pair, Relaxation
from wmtlib.tournament.local_search import cost
from wmtlib.tournament.subset_search import Excess, OutOfBudgetError, first_order


def forced_margins(
    margin: np.ndarray, above: Sequence[Pair], enough: int
) -> tuple[np.ndarray, int]:
    """Margins in which to contradict a forced pair costs `enough` more, and what orders pay anyway.

    An order that agrees with the forced pairs costs, by `margin`, the second number more than by
    the margins returned.
    """
    forced, paid = margin.copy(), 0
    for a, b in above:
        paid += max(0, int(margin[b, a]))
        forced[a, b] += enough
        forced[b, a] -= enough
    return forced, paid


def branch_and_bound(
    relaxation: Relaxation,
    order: np.ndarray,
    lower: int,
    *,
    nodes: float,
    states: float,
    deadline: float,
) -> tuple[np.ndarray, int]:
    """The best order found and the lower bound proven; they meet unless a limit bites.

    Parameters
    ----------
    relaxation : Relaxation
    order : ndarray (systems,)
        A good order.
    lower : int
        A lower bound of the cost of all orders.
    nodes : float
        How many nodes to look at.
    states : float
        Sets of systems that the search in a node may enter.
    deadline : float
        `time.monotonic` at which to stop.
    """
    margin = relaxation.margin
    made, tree = 1, [(lower, 0, ())]  # bound, number in which nodes were made, forced pairs
    while tree and tree[0][0] < (least := cost(margin, order)):
        if nodes <= 0 or time.monotonic() > deadline:
            return order, tree[0][0]
        nodes -= 1
        bound, _, above = tree[0]
        relaxation.force(above)
        u, packing, order = relaxation.solve(order, deadline=deadline)
        forced, paid = forced_margins(margin, above, least)
        bound = max(bound, packing.bound(forced) + paid)
        try:
            while bound < (least := cost(margin, order)):
                excess = Excess(forced, packing, target=least - 1 - paid)
                found = first_order(excess, states=states, deadline=deadline)
                if found is None:
                    break
                order = np.array(found)
            heapq.heappop(tree)
        except OutOfBudgetError:
            split = relaxation.program.undecided(u)
            heapq.heapreplace(tree, (bound, made, (*above, split)))
            heapq.heappush(tree, (bound, made + 1, (*above, split[::-1])))
            made += 2
    return order, cost(margin, order)
