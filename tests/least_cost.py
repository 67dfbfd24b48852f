"""The least cost of an order, from the definition: an oracle for tests of MFAS."""

import numpy as np


def least_cost(margin):
    """Compute the least cost of an order, set by set: the best one of each goes on.

    A system that is placed after the set `placed` pays what the rest beat it by.
    """
    weight = np.asarray(margin).clip(min=0)
    n = len(weight)
    least = {0: 0}
    for placed in range(2**n):
        rest = [system for system in range(n) if not placed >> system & 1]
        for system in rest:
            cost = least[placed] + int(weight[rest, system].sum())
            grown = placed | 1 << system
            least[grown] = min(cost, least.get(grown, cost))
    return least[2**n - 1]
