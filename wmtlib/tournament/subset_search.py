"""A search over subsets of systems: what a packing of cycles leaves open.

What the inequalities of `cycle_packing` give away is what an order costs *beyond* the bound: for
each pair that it contradicts, how much more is left of it than of its reverse, and the multiplicity
of a cycle again for each contradiction of it after the first. Both can be added up system by system
from the top, so the subset search of Lopez (2012, Algorithm 1) applies to this small excess instead
of the cost, and visits few subsets.
"""

from __future__ import annotations

import time

import numpy as np

from wmtlib.tournament.cycle_packing import Packing
from wmtlib.tournament.local_search import Order


class Excess:
    """What an order costs beyond the bound of a packing, added up from the top.

    Subsets of systems are bit masks. Placing a system below the set `placed` and above the rest
    contradicts everyone in the rest who should stand above it. Each of them costs what is left of
    the pair, and every cycle through the two once more if another of its members is placed already:
    the first contradiction of a cycle is its member placed first, and that one the bound has
    counted. Nothing is ever given back, so an order that would cost more than `target` is cut off
    early.
    """

    def __init__(self, margin: np.ndarray, packing: Packing, *, target: int) -> None:
        n = len(margin)
        allowance = packing.scale * target - packing.total(margin)
        through: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for cycle, times in packing.cycles.items():
            members = sum(1 << system for system in cycle)
            for pair in zip(cycle, cycle[1:] + cycle[:1], strict=True):
                through.setdefault(pair, []).append((members, times))
        self.n, self.full, self.allowance = n, (1 << n) - 1, allowance
        self.must = [0] * n  # who has to stand above each system: the allowance is less than that
        self.beaters = [0] * n
        self.price: list[dict[int, tuple[int, list[tuple[int, int]]]]] = [{} for _ in range(n)]
        left = packing.left(margin)
        spare = (left - left.T).clip(min=0)
        dear = {*zip(*(place.tolist() for place in spare.nonzero()), strict=True), *through}
        spare = spare.tolist()
        for a, b in dear:
            self.must[b] |= (spare[a][b] > allowance) << a
            self.beaters[b] |= 1 << a
            self.price[b][1 << a] = spare[a][b], through.get((a, b), [])

    def after(self, placed: int, spent: int, system: int) -> int:
        """Excess once `system` follows the set `placed`, on which `spent` has gone."""
        missing = self.beaters[system] & ~placed
        while missing and spent <= self.allowance:
            beater = missing & -missing
            missing -= beater
            left, cycles = self.price[system][beater]
            spent += left
            for members, times in cycles:
                if placed & members:
                    spent += times
        return spent

    def steps(self, placed: int, spent: int) -> list[tuple[int, int, int]]:
        """(system, set with it, excess with it) for each system affordable next, by index."""
        rest = ~placed
        found = []
        for system, must in enumerate(self.must):
            if not must & rest and rest >> system & 1:
                total = self.after(placed, spent, system)
                if total <= self.allowance:
                    found.append((system, placed | 1 << system, total))
        return found


class OutOfBudgetError(Exception):
    """The subset search was stopped before it was done."""


def first_order(
    excess: Excess, *, states: float = np.inf, deadline: float = np.inf
) -> Order | None:
    """Lexicographically smallest order within the target; None if there is none.

    Depth-first over the subsets of Algorithm 1, smallest index first. A subset is entered again
    only with less spent than before, because what could follow it has been tried.

    Raises
    ------
    OutOfBudgetError
        After entering more than `states` subsets, or at the `deadline` (`time.monotonic`).
    """
    least = {0: 0}
    stack = [iter(excess.steps(0, 0))]
    order: list[int] = []
    entered = 0
    while len(order) < excess.n:
        for system, placed, spent in stack[-1]:
            if spent < least.get(placed, spent + 1):
                least[placed] = spent
                entered += 1
                order.append(system)
                stack.append(iter(excess.steps(placed, spent)))
                break
        else:
            stack.pop()
            if not order:
                return None
            order.pop()
        if entered > states or (entered % 64 == 0 and time.monotonic() > deadline):
            raise OutOfBudgetError
    return tuple(order)


def optimal_prefixes(excess: Excess, *, states: int) -> tuple[np.ndarray, int] | None:
    """All sets of systems that may stand on top in an optimal order, and how many orders there are.

    The target must be the optimal cost. Level by level downwards as in Algorithm 1, counting
    the cheapest ways to every subset; then upwards along those that end in an optimal order.

    Returns
    -------
    (prefixes, count) or None
        Boolean (number of prefixes, n), by size, and the number of optimal orders; None if there
        are more than `states` subsets to look at.
    """
    levels: list[dict[int, tuple[int, int, list[int]]]] = [{0: (0, 1, [])}]
    total = 1
    for _ in range(excess.n):
        level: dict[int, tuple[int, int, list[int]]] = {}
        for placed, (spent, ways, _) in levels[-1].items():
            for _, grown, cost_so_far in excess.steps(placed, spent):
                least, count, parents = level.get(grown, (cost_so_far + 1, 0, []))
                if cost_so_far < least:
                    level[grown] = (cost_so_far, ways, [placed])
                elif cost_so_far == least:
                    level[grown] = (least, count + ways, [*parents, placed])
            if total + len(level) > states:
                return None
        total += len(level)
        levels.append(level)
    kept = {excess.full}
    prefixes = [excess.full]
    for level in reversed(levels[1:]):
        kept = {parent for placed in kept for parent in level[placed][2]}
        prefixes += kept
    width = (excess.n + 7) // 8
    raw = b"".join(placed.to_bytes(width, "little") for placed in reversed(prefixes))
    bits = np.frombuffer(raw, dtype=np.uint8).reshape(-1, width)
    member = np.unpackbits(bits, axis=1, bitorder="little")[:, : excess.n].astype(bool)
    return member, levels[-1][excess.full][1]
