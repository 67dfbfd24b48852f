"""Linear ordering on integer matrices: the numerical engine behind :mod:`wmtlib.tournament.mfas`.

Everything here speaks of systems as indices ``0..n-1`` and of ``margin``, the antisymmetric integer
matrix ``wins - wins.T``. An order is a sequence of indices, best first; its cost is the summed
``margin[a, b] > 0`` over the pairs in which it puts ``b`` above ``a``.

The argument that runs through the module:

* A cycle is a sequence of systems each of which beat the next, and the last the first. Every order
  contradicts at least one judgement of every cycle. A *packing* gives cycles non-negative integer
  multiplicities such that no pair is used beyond ``scale`` times its margin; the total multiplicity
  over ``scale`` is then a lower bound on the cost of every order.
* What a packing leaves unused, ``unused = scale * max(margin, 0) - used``, says what an order costs
  *beyond* that bound: all it contradicts of ``unused``, and the multiplicity of a cycle again for
  each contradiction of it after the first. Both can be added up system by system from the top, so
  the subset search of Lopez (2012, Algorithm 1) applies to this small excess instead of the cost,
  and visits few subsets.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csc_array

Cycle = tuple[int, ...]
Order = tuple[int, ...]

FINE_SCALE = 10**6  # denominator for multiplicities that are not small fractions
KICKS = 500  # under a second for a hundred systems


class Packing(NamedTuple):
    """Multiplicity of each cycle, in units of ``1 / scale`` judgements."""

    cycles: dict[Cycle, int]
    scale: int

    @property
    def bound(self) -> int:
        """Costs are whole numbers, so the lower bound rounds up."""
        return -(-sum(self.cycles.values()) // self.scale)


class Solution(NamedTuple):
    """Best order found, the lower bound that was proven, and the packing that helped."""

    order: Order
    lower: int
    packing: Packing


def cost(margin: np.ndarray, order: Sequence[int]) -> int:
    """Summed margin of the pairs that `order` contradicts (Lopez 2012, Section 4)."""
    ranked = margin[np.ix_(order, order)]
    return int(np.tril(ranked).clip(min=0).sum())


def reachable(margin: np.ndarray) -> np.ndarray:
    """Boolean (n, n): is there a chain of wins from a to b? Every system reaches itself."""
    reach = ((margin > 0) | np.eye(len(margin), dtype=bool)).astype(np.float32)
    for _ in range(len(margin).bit_length()):  # squaring doubles the length of the chains covered
        reach = np.minimum(reach @ reach, 1)
    return reach > 0


def first_guess(margin: np.ndarray) -> np.ndarray:
    """Order the strongly connected components topologically, each by net wins inside."""
    return np.lexsort((-margin.sum(axis=1), -reachable(margin).sum(axis=1)))


def descend(margin: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Move one system at a time to where it saves most, until no move saves anything."""
    order = np.array(order)
    systems = np.arange(len(order))
    saved = np.zeros((len(order) + 1, len(order)), dtype=margin.dtype)
    while True:
        # saved[p, i]: net wins over system i of those at positions < p, as if i stood at p.
        np.cumsum(margin[np.ix_(order, order)], axis=0, out=saved[1:])
        target = saved.argmax(axis=0)
        gain = saved[target, systems] - saved[systems, systems]
        mover = int(gain.argmax())
        if gain[mover] <= 0:
            return order
        place = int(target[mover])
        rest = np.delete(order, mover)
        order = np.insert(rest, place - (place > mover), order[mover])


def greedy_packing(margin: np.ndarray, order: np.ndarray) -> Packing:
    """Pay for each contradicted pair with cycles of three or four, nearest pairs first.

    A pair that `order` contradicts closes a cycle with every descending path between the two; the
    widest path with one or two stops is taken while there is one. Scale 1. The packing covers the
    whole cost of `order` in most real tasks, and then proves it optimal.
    """
    ranked = margin[np.ix_(order, order)]
    free = np.triu(ranked).clip(min=0)
    np.fill_diagonal(free, np.iinfo(free.dtype).max)  # a path may "stop twice" at the same system
    cycles: dict[Cycle, int] = {}
    pairs = np.argwhere(np.triu(ranked) < 0)
    for top, low in pairs[np.argsort(pairs[:, 1] - pairs[:, 0], kind="stable")].tolist():
        debt = -int(ranked[top, low])
        inside = slice(top + 1, low)
        while debt and low - top > 1:
            width = np.minimum(free[top, inside, None], free[inside, inside])
            width = np.minimum(width, free[inside, low]).clip(max=debt)
            stops = int((2 * width + np.eye(len(width), dtype=int)).argmax())  # prefer one stop
            one, two = divmod(stops, len(width))
            paid = int(width[one, two])
            if not paid:
                break
            path = list(dict.fromkeys((top, top + 1 + one, top + 1 + two, low)))
            free[path[:-1], path[1:]] -= paid
            debt -= paid
            cycle = tuple(order[path].tolist())
            cycles[cycle] = cycles.get(cycle, 0) + paid
    return Packing(cycles, 1)


def triangles(margin: np.ndarray, order: np.ndarray) -> set[Cycle]:
    """All cycles of three of which `order` contradicts exactly one judgement."""
    ranked = margin[np.ix_(order, order)]
    down = np.triu(ranked) > 0
    places = np.argwhere(down[:, :, None] & down & (ranked < 0)[:, None, :])
    return set(map(from_least, order[places].tolist()))


def from_least(cycle: Sequence[int]) -> Cycle:
    """The same cycle written from its least system on, so that equal cycles compare equal."""
    start = cycle.index(min(cycle))
    return (*cycle[start:], *cycle[:start])


def shortest_paths(length: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Floyd's algorithm: distances (n, n), and the next system on a shortest path from a to b."""
    distance, follow = length.copy(), np.tile(np.arange(len(length)), (len(length), 1))
    for stop in range(len(length)):
        via = distance[:, stop, None] + distance[stop]
        follow = np.where(via < distance, follow[:, stop, None], follow)
        distance = np.minimum(via, distance)
    return distance, follow


def unbroken(price: np.ndarray) -> tuple[set[Cycle], np.ndarray]:
    """Shortest cycles that `price` breaks less than once in sum, and the distances (n, n).

    `price` is how far each pair is contradicted, between 0 and 1; ``inf`` where nobody won.
    """
    distance, follow = shortest_paths(price)
    cycles = set()
    for a, b in np.argwhere(price + distance.T < 1 - 1e-6).tolist():
        path = [b]
        while path[-1] != a:
            path.append(int(follow[path[-1], a]))
        cycles.add(from_least(path))
    return cycles, distance


def best_packing(
    margin: np.ndarray, order: np.ndarray, *, deadline: float = np.inf
) -> tuple[Packing, np.ndarray]:
    """Largest fractional packing by linear programming, and the order its dual suggests.

    Maximise the summed multiplicities within the margins. Cycles are added as they are missed:
    first the triangles that `order` contradicts once, then those which the dual prices, a
    fractional feedback arc set, leave unbroken. At the deadline the packing so far is returned.
    """
    winner, loser = np.nonzero(margin > 0)
    edge = np.zeros(margin.shape, dtype=int)
    edge[winner, loser] = np.arange(len(winner))
    price = np.full(margin.shape, np.inf)
    price[winner, loser] = 0.0
    cycles: list[Cycle] = []
    share, sizes = np.zeros(0), [-np.inf, -np.inf]
    new = triangles(margin, order) or unbroken(price)[0]
    while new and (left := deadline - time.monotonic()) > 0:
        known = cycles + sorted(new)
        ends = np.cumsum([0] + [len(cycle) for cycle in known])
        hops = edge[np.concatenate(known), np.concatenate([(*c[1:], c[0]) for c in known])]
        uses = csc_array((np.ones(len(hops)), hops, ends), shape=(len(winner), len(known)))
        limit = {"presolve": False} | ({"time_limit": left} if left < np.inf else {})
        program = linprog(
            -np.ones(len(known)), uses, margin[winner, loser], method="highs-ds", options=limit
        )
        if program.status != 0:
            break
        cycles, share = known, program.x
        sizes.append(-program.fun)
        if sizes[-1] < sizes[-3] + 0.01:  # the last few cycles take the longest and bring nothing
            break
        # On a grid sums of prices are exact; rounded ones could send a shortest path in circles.
        price[winner, loser] = np.rint(-program.ineqlin.marginals.clip(max=0) * 2**30) / 2**30
        new, distance = unbroken(price)
        new -= set(cycles)  # the solver's tolerance is not ours: never add a cycle twice
        above = distance.clip(max=1)  # how far a must not stand below b
        order = np.argsort((above - above.T).sum(axis=1), kind="stable")
    return whole_packing(margin, cycles, share), descend(margin, order)


def whole_packing(margin: np.ndarray, cycles: Sequence[Cycle], share: np.ndarray) -> Packing:
    """Put fractional multiplicities over a common denominator, never above a margin."""
    scale = next(
        (s for s in range(1, 61) if np.allclose(share * s, np.rint(share * s))), FINE_SCALE
    )
    free = scale * margin.clip(min=0)
    packed: dict[Cycle, int] = {}
    whole = np.floor(share * scale + 1e-5).astype(int).tolist()
    for cycle, times in zip(cycles, whole, strict=True):
        if times > 0:  # the solver keeps the margins up to its tolerance only; here they hold
            hops = list(cycle), [*cycle[1:], cycle[0]]
            packed[cycle] = min(times, int(free[hops].min()))
            free[hops] -= packed[cycle]
    return Packing({cycle: times for cycle, times in packed.items() if times}, scale)


class Excess:
    """What an order costs beyond the bound of a packing, added up from the top.

    Subsets of systems are bit masks. Placing a system below the set `placed` and above the rest
    contradicts everyone in the rest who beat it. Each of them costs the unused margin, and every
    cycle through the two once more if another of its members is placed already: the first
    contradiction of a cycle is its member placed first, and that one the bound has counted. Nothing
    is ever given back, so an order that would cost more than `target` is cut off early.
    """

    def __init__(self, margin: np.ndarray, packing: Packing, *, target: int) -> None:
        n = len(margin)
        allowance = packing.scale * target - sum(packing.cycles.values())
        unused = packing.scale * margin.clip(min=0)
        through: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for cycle, times in packing.cycles.items():
            members = sum(1 << system for system in cycle)
            for pair in zip(cycle, cycle[1:] + cycle[:1], strict=True):
                unused[pair] -= times
                through.setdefault(pair, []).append((members, times))
        self.n, self.full, self.allowance = n, (1 << n) - 1, allowance
        self.must = [0] * n  # who has to stand above each system: the allowance is less than that
        self.beaters = [0] * n
        self.price: list[dict[int, tuple[int, list[tuple[int, int]]]]] = [{} for _ in range(n)]
        spare = unused.tolist()
        for a, b in np.argwhere(margin > 0).tolist():
            self.must[b] |= (spare[a][b] > allowance) << a
            self.beaters[b] |= 1 << a
            self.price[b][1 << a] = spare[a][b], through.get((a, b), [])

    def after(self, placed: int, spent: int, system: int) -> int:
        """Excess once `system` follows the set `placed`, on which `spent` has gone."""
        missing = self.beaters[system] & ~placed
        while missing and spent <= self.allowance:
            beater = missing & -missing
            missing -= beater
            unused, cycles = self.price[system][beater]
            spent += unused
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
        After entering so many `states` or at the `deadline` (`time.monotonic`).
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


def kicked(margin: np.ndarray, order: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Improve an order by moving six systems at random and descending again, `KICKS` times."""
    best = cost(margin, order)
    for _ in range(KICKS):
        trial = order
        for mover in rng.integers(len(order), size=6):
            place = np.clip(mover + rng.integers(-8, 9), 0, len(order) - 1)
            trial = np.insert(np.delete(trial, mover), place, trial[mover])
        trial = descend(margin, trial)
        if (reached := cost(margin, trial)) <= best:
            order, best = trial, reached
    return order


def minimise(margin: np.ndarray, *, deadline: float = np.inf) -> Solution:
    """Find the lexicographically smallest order of least cost, with proof; see `mfas.solve`."""
    order = descend(margin, first_guess(margin))
    packing = greedy_packing(margin, order)
    # Equal bounds leave only the choice among optima. Otherwise a short look whether the packing is
    # already the largest and only the order is not the best: that spares the linear program.
    closed = cost(margin, order) == packing.bound
    try:
        look = np.inf if closed else 10 * len(margin)
        excess = Excess(margin, packing, target=packing.bound)
        if found := first_order(excess, states=look, deadline=deadline):
            return Solution(found, packing.bound, packing)
    except OutOfBudgetError:
        if closed:
            return Solution(tuple(order.tolist()), packing.bound, packing)
    larger, other = best_packing(margin, order, deadline=deadline)
    packing = max(larger, packing, key=lambda p: p.bound)
    order = min(order, other, key=lambda o: cost(margin, o))
    lower = packing.bound
    try:
        while not (found := first_order(Excess(margin, packing, target=lower), deadline=deadline)):
            lower += 1  # no order costs as little as that
        return Solution(found, lower, packing)
    except OutOfBudgetError:
        if cost(margin, order) > lower:
            order = kicked(margin, order, np.random.default_rng(0))
        return Solution(tuple(order.tolist()), lower, packing)
