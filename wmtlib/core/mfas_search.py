"""The search for an order of least cost, and its proof: numerical work on margins.

Everything here speaks of systems as indices ``0..n-1`` and of ``margin``, the
antisymmetric integer matrix ``wins - wins.T``. An order is an array of indices, best
first; its cost is the summed ``margin[a, b] > 0`` over the pairs in which it puts ``b``
above ``a``.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy

# Local search: cheap orders, the upper bound.


def cost(margin: np.ndarray, order: np.ndarray) -> int:
    """Sum the margins of the pairs that `order` contradicts (Lopez 2012, Section 4)."""
    in_order = margin[np.ix_(order, order)]
    return int(np.tril(in_order).clip(min=0).sum())


def first_guess(margin: np.ndarray) -> np.ndarray:
    """Order by net wins."""
    return np.argsort(-margin.sum(axis=1), kind="stable")


def descend(margin: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Move one system at a time to where it saves most, until no move saves."""
    saved = np.zeros((len(order) + 1, len(order)), dtype=margin.dtype)
    while True:
        # saved[p, k]: net wins over the system at k of those above p, were it at p.
        np.cumsum(margin[np.ix_(order, order)], axis=0, out=saved[1:])
        gain = saved.max(axis=0) - saved.diagonal()
        mover = int(gain.argmax())
        if gain[mover] <= 0:
            return order
        target = int(saved[:, mover].argmax())
        place = target - (target > mover)
        order = np.insert(np.delete(order, mover), place, order[mover])


# Packings of cycles: the lower bound of an exact linear ordering.
#
# Let ``M+ = max(margin, 0)``, and let ``x(a, b)`` be 1 if an order contradicts "a above
# b", else 0: ``x(a, b) + x(b, a) = 1``, and the order costs ``sum of M+(a, b) x(a,
# b)``. A cycle names systems each of which shall be above the next, and the last
# above the first. Every order contradicts it at least once. So for multiplicities ``y
# >= 0`` of cycles, with ``use(a, b)`` the summed ``y`` of those in which a is
# before b,
#
# cost >= sum of M+(a, b) x(a, b) + sum over cycles of y (1 - its contradictions)
#       = sum of y + sum of (M+(a, b) - use(a, b)) x(a, b)
#      >= sum of y + sum over pairs of min(M+(a, b) - use(a, b), M+(b, a) - use(b, a)).
#
# Whole multiplicities in units of 1 / scale make it exact, and whole costs round it up.
# Where no margin is used beyond its size every minimum is 0, and the bound is the
# number of cycles.


Cycle = tuple[int, ...]

FINE_SCALE = 10**6  # denominator for multiplicities that are not small fractions


class Packing(NamedTuple):
    """Multiplicity of each cycle, in units of ``1 / scale`` judgements."""

    cycles: dict[Cycle, int]
    scale: int

    def unused(self, margin: np.ndarray) -> np.ndarray:
        """Compute ``scale * M+(a, b) - use(a, b)``, (n, n); negative beyond it."""
        unused = self.scale * margin.clip(min=0)
        for cycle, times in self.cycles.items():
            unused[cycle, (*cycle[1:], cycle[0])] -= times
        return unused

    def total(self, margin: np.ndarray) -> int:
        """Compute the bound of the cost of every order, in units of ``1 / scale``."""
        unused = self.unused(margin)
        # Python's whole numbers: a sum of 64 bits may overflow. Each pair is there
        # twice.
        least = np.minimum(unused, unused.T).sum(dtype=object) // 2
        return sum(self.cycles.values()) + least

    def bound(self, margin: np.ndarray) -> int:
        """Round the lower bound up, since costs are whole numbers."""
        return -(-self.total(margin) // self.scale)


def greedy_packing(margin: np.ndarray, order: np.ndarray) -> Packing:
    """Pay for each contradicted pair with cycles of three or four, nearest pairs first.

    A pair that `order` contradicts closes a cycle with every descending path between
    the two; the widest path with one or two stops is taken while there is one. Scale 1.
    The packing covers the whole cost of `order` in most real tasks, and then proves it
    optimal.
    """
    in_order = margin[np.ix_(order, order)]
    free = np.triu(in_order).clip(min=0)
    # A path may "stop twice" at the same system.
    np.fill_diagonal(free, np.iinfo(free.dtype).max)
    cycles: dict[Cycle, int] = {}
    pairs = np.argwhere(np.triu(in_order) < 0)
    nearest_first = np.argsort(pairs[:, 1] - pairs[:, 0], kind="stable")
    for top, low in pairs[nearest_first].tolist():
        debt = -int(in_order[top, low])
        inside = slice(top + 1, low)
        while debt and low - top > 1:
            width = np.minimum(free[top, inside, None], free[inside, inside])
            width = np.minimum(width, free[inside, low]).clip(max=debt)
            # Of paths of the same width, one with one stop.
            widest = int((2 * width + np.eye(len(width), dtype=int)).argmax())
            first_stop, second_stop = divmod(widest, len(width))
            paid = int(width[first_stop, second_stop])
            if not paid:
                break
            stops = (top + 1 + first_stop, top + 1 + second_stop)
            path = list(dict.fromkeys((top, *stops, low)))
            free[path[:-1], path[1:]] -= paid
            debt -= paid
            cycle = tuple(order[path].tolist())
            cycles[cycle] = cycles.get(cycle, 0) + paid
    return Packing(cycles, 1)


def whole_packing(cycles: Iterable[Cycle], share: np.ndarray) -> Packing:
    """Round multiplicities to whole ones over the smallest denominator that fits.

    Over `FINE_SCALE` if none up to 60 fits.
    """
    multiples = share[:, None] * np.arange(1, 61)
    fits = np.abs(multiples - np.rint(multiples)).max(axis=0, initial=0) <= 1e-4
    scale = int(fits.argmax()) + 1 if fits.any() else FINE_SCALE
    whole = np.rint(share * scale).astype(int).tolist()
    return Packing({c: n for c, n in zip(cycles, whole, strict=True) if n > 0}, scale)


# The linear program over all cycles of three.
#
# Let ``U(a, b)`` be 1 if an order puts a above b, else 0: ``U(a, b) + U(b, a) = 1``,
# and every cycle a, b, c keeps ``U(a, b) + U(b, c) + U(c, a) <= 2``. The least cost
# over all ``U`` in [0, 1] that keep this is a lower bound; the dual values of the
# inequalities are multiplicities for a packing of these cycles. The variables are ``u =
# U(a, b)`` for a < b. Few inequalities matter: those that a solution breaks are added.

CUTS = 4000  # inequalities added at a time, those broken most first
BROKEN = 1e-6


class CycleProgram:
    """``minimise constant + gain @ u``, u in [0, 1], with the inequalities of `cycles`.

    Attributes
    ----------
    margin : ndarray (n, n)
    first, second : ndarray (pairs,)
        a and b of each u.
    pair : ndarray (n, n)
        Position of every two systems in u, in either sequence.
    cycles : ndarray (cycles, 3)
        Those whose inequality is asked for.
    """

    def __init__(self, margin: np.ndarray) -> None:
        self.margin = margin
        self.first, self.second = np.triu_indices(len(margin), 1)
        self.pair = np.zeros(margin.shape, dtype=np.int32)
        self.pair[self.first, self.second] = np.arange(len(self.first))
        self.pair += self.pair.T
        self.cycles = np.zeros((0, 3), dtype=int)
        self.cycles = self.broken(self.matrix(margin[self.first, self.second] > 0))

    def solve(
        self, order: np.ndarray, *, deadline: float = np.inf
    ) -> tuple[Packing, np.ndarray]:
        """Solve until no inequality is broken, or `order` is proven optimal.

        Parameters
        ----------
        order : ndarray (systems,)
            A good order.

        Returns
        -------
        packing : Packing
            The dual of the last solution.
        order : ndarray (systems,)
            That order, or one that a solution suggests and that costs less.
        """
        from scipy.optimize import linprog  # it takes a while to load

        margin = self.margin[self.first, self.second]
        cycles = self.cycles[:0]
        times = np.zeros(0)
        while (seconds := deadline - time.monotonic()) > 0:
            solution = linprog(
                -margin,
                *self.inequalities(),
                bounds=(0, 1),
                method="highs-ds",
                options={"time_limit": seconds},
            )
            if solution.status != 0:
                break
            cycles = self.cycles
            times = -solution.ineqlin.marginals
            total = margin.clip(min=0).sum() + solution.fun
            matrix = self.matrix(solution.x)
            other = descend(self.margin, np.argsort(-matrix.sum(axis=1), kind="stable"))
            order = min(order, other, key=lambda o: cost(self.margin, o))
            broken = self.broken(matrix)
            if not len(broken) or total > cost(self.margin, order) - 1 + 1e-3:
                break
            self.cycles = np.concatenate([cycles, broken])
        return whole_packing(map(tuple, cycles.tolist()), times), order

    def matrix(self, u: np.ndarray) -> np.ndarray:
        """Return ``U``, (n, n)."""
        matrix = np.zeros(self.margin.shape)
        matrix[self.first, self.second] = u
        matrix[self.second, self.first] = 1 - u
        return matrix

    def inequalities(self) -> tuple[scipy.sparse.csr_array, np.ndarray]:
        """Return coefficients of u in the inequalities of `cycles`, and right sides."""
        below = np.roll(self.cycles, -1, axis=1)
        forward = self.cycles < below  # else the variable is 1 - U
        coefficients = np.where(forward, 1.0, -1.0).ravel()
        variables = self.pair[self.cycles, below].ravel()
        rows = np.arange(0, len(variables) + 1, 3)
        matrix = scipy.sparse.csr_array(
            (coefficients, variables, rows), shape=(len(below), len(self.first))
        )
        return matrix, forward.sum(axis=1) - 1.0

    def broken(self, matrix: np.ndarray) -> np.ndarray:
        """Find cycles whose inequality ``U`` breaks most, of those not in use yet."""
        total = matrix[:, :, None] + matrix
        total += matrix.T[:, None]
        cycles = np.argwhere(total > 2 + BROKEN)
        code = np.array([len(matrix) ** 2, len(matrix), 1])
        # The solver's tolerance is not ours: never add one twice. A cycle starts at its
        # first.
        starts = cycles[:, 0] < cycles[:, 1:].min(axis=1)
        cycles = cycles[starts & ~np.isin(cycles @ code, self.cycles @ code)]
        return cycles[np.argsort(-total[tuple(cycles.T)], kind="stable")[:CUTS]]


# A search over subsets of systems: what a packing of cycles leaves open.
#
# What the inequalities of a packing give away is what an order costs *beyond* the
# bound: for each pair that it contradicts, how much more is left of it than of its
# reverse, and the multiplicity of a cycle again for each contradiction of it after the
# first. Both can be added up system by system from the top, so the subset search of
# Lopez (2012, Algorithm 1) applies to this small excess instead of the cost, and visits
# few subsets.


class Excess:
    """Costs of an order beyond the bound of a packing, added up from the top.

    Subsets of systems are bit masks. Placing a system below the set `placed` and above
    the rest contradicts everyone in the rest who should be above it. Each of them
    costs what is left of the pair, and every cycle through the two once more if another
    of its members is placed already: the first contradiction of a cycle is its member
    placed first, and that one the bound has counted. Nothing is ever given back, so an
    order that would cost more than `target` is cut off early.
    """

    def __init__(self, margin: np.ndarray, packing: Packing, *, target: int) -> None:
        self.n = len(margin)
        self.full = (1 << self.n) - 1
        self.allowance = packing.scale * target - packing.total(margin)
        unused = packing.unused(margin)
        spare = (unused - unused.T).clip(min=0)
        # Pairs that cost something, with the cycles through them.
        pairs = map(tuple, np.argwhere(spare).tolist())
        through: dict[Cycle, list[Any]] = {pair: [] for pair in pairs}
        for cycle, times in packing.cycles.items():
            members = sum(1 << system for system in cycle)
            for pair in zip(cycle, cycle[1:] + cycle[:1], strict=True):
                through.setdefault(pair, []).append((members, times))
        self.beaters: list[list[Any]] = [[] for _ in margin]
        for (a, b), cycles in through.items():
            self.beaters[b].append((1 << a, int(spare[a, b]), cycles))

    def after(self, placed: int, spent: int, system: int) -> int:
        """Compute the excess if `system` follows the set `placed`, after `spent`."""
        for beater, extra, cycles in self.beaters[system]:
            if not placed & beater:
                spent += extra
                for members, times in cycles:
                    if placed & members:
                        spent += times
                if spent > self.allowance:
                    break
        return spent

    def steps(self, placed: int, spent: int) -> Iterator[tuple[int, int, int]]:
        """Yield (system, set with it, excess with it) of those affordable, by index."""
        for system in range(self.n):
            if not placed >> system & 1:
                total = self.after(placed, spent, system)
                if total <= self.allowance:
                    yield system, placed | 1 << system, total


class LeastCosts:
    """Costs of the best order of each set of systems, by dynamic programming.

    In the best order of a set some system is on top of the best order of the
    others, so all sets are looked at, the small ones first: an exhaustive search,
    without a packing of cycles. It replaces an `Excess` whose target is the
    optimal cost: its steps are those of the optimal orders, and none of them exceeds
    anything.

    Attributes
    ----------
    weight : ndarray (n, n)
        Margins where positive, as floats, which hold whole numbers to 2**53 exactly.
    least : ndarray (2**n,)
        Least cost of each set, which is a bit mask, by itself.
    """

    MOST = 20  # systems: a fifth of a second, 16 MB; one more doubles both
    AT_ONCE = 2**13  # sets; more take more memory and no less time

    def __init__(self, margin: np.ndarray) -> None:
        self.n = len(margin)
        self.full = (1 << self.n) - 1
        self.weight = margin.clip(min=0).astype(float)
        self.least = np.zeros(1 << self.n)
        sizes = np.bitwise_count(np.arange(1 << self.n, dtype=np.int32))
        for size in range(1, self.n + 1):
            sets = np.flatnonzero(sizes == size)
            for block in np.array_split(sets, -(-len(sets) // self.AT_ONCE)):
                self.least[block] = self.topped(block).min(axis=1)

    def topped(self, sets: np.ndarray) -> np.ndarray:
        """Compute the least cost of each set (row) with each system (column) on top."""
        without = sets[:, None] ^ (1 << np.arange(self.n))
        member = without < sets[:, None]
        return np.where(member, self.least[without] + member @ self.weight, np.inf)

    def steps(self, placed: int, spent: int) -> Iterator[tuple[int, int, int]]:
        """Yield (system, set with it, `spent`) of those that may follow, by index."""
        rest = self.full ^ placed
        [costs] = self.topped(np.array([rest]))
        for system in np.flatnonzero(costs == self.least[rest]).tolist():
            yield system, placed | 1 << system, spent


class OutOfBudgetError(Exception):
    """The subset search was stopped before it was done."""


def first_order(
    excess: Excess | LeastCosts, *, states: float = np.inf, deadline: float = np.inf
) -> np.ndarray:
    """Find the lexicographically smallest order within the target; empty if none.

    Depth-first over the subsets of Algorithm 1, smallest index first. A subset is
    entered again only with less spent than before, because what could follow it has
    been tried.

    Raises
    ------
    OutOfBudgetError
        After entering more than `states` subsets, or at the `deadline`
        (`time.monotonic`).
    """
    least = {0: 0}
    stack = [excess.steps(0, 0)]
    order: list[int] = []
    entered = 0
    while len(order) < excess.n:
        for system, placed, spent in stack[-1]:
            if spent < least.get(placed, spent + 1):
                least[placed] = spent
                entered += 1
                order.append(system)
                stack.append(excess.steps(placed, spent))
                break
        else:
            stack.pop()
            if not order:
                break
            order.pop()
        if entered > states or (entered % 64 == 0 and time.monotonic() > deadline):
            raise OutOfBudgetError
    return np.array(order, dtype=int)


# For each set of a size: its least excess, the ways to it, the sets a step before.
Level: TypeAlias = dict[int, tuple[int, int, list[int]]]


def optimal_prefixes(
    excess: Excess | LeastCosts, *, states: int
) -> tuple[np.ndarray, int] | None:
    """Find all sets on top in some optimal order, and count the optimal orders.

    The target must be the optimal cost. Level by level downwards as in Algorithm 1,
    counting the cheapest ways to every subset; then upwards along those that end in an
    optimal order.

    Returns
    -------
    (prefixes, count) or None
        Boolean (number of prefixes, n), by size, and the number of optimal orders; None
        if there are more than `states` subsets to look at.
    """
    levels: list[Level] = [{0: (0, 1, [])}]
    total = 1
    for _ in range(excess.n):
        level: Level = {}
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
    tops = {excess.full}
    prefixes = [excess.full]
    for level in reversed(levels[1:]):
        tops = {parent for placed in tops for parent in level[placed][2]}
        prefixes += tops
    masks = np.array(prefixes[::-1], dtype=object)  # Python's numbers can be as large
    member = masks[:, None] >> np.arange(excess.n) & 1
    _, number, _ = levels[-1][excess.full]
    return member.astype(bool), number


# All together.
#
# Local search finds a good order, and a packing of cycles a lower bound of its cost.
# Where these differ the linear program finds a larger packing. What that leaves open
# the least costs of all subsets close, if the systems are few, else a search.

PROVABLE = 60  # systems; the proof of more takes long, and comes seldom

# Limits of the searches
QUICK = 50  # for each system: subsets of that for the optimum that is first by name
SEARCHED = 1_000_000  # subsets that a search for the proof may enter; they need memory


class Solution(NamedTuple):
    """The best order found, the lower bound that is proven, the packing at the root."""

    order: np.ndarray
    lower: int
    packing: Packing


def minimise(
    margin: np.ndarray, *, deadline: float = np.inf, states: float = SEARCHED
) -> Solution:
    """Find an order of least cost, with proof; see `mfas.exact_order`.

    Parameters
    ----------
    margin : ndarray (n, n)
    deadline : float
        `time.monotonic` at which to stop.
    states : float
        Subsets of systems that a search may enter before the proof is given up. The
        proof of up to `LeastCosts.MOST` systems is never given up, but for the
        deadline.
    """
    n = len(margin)
    order = descend(margin, first_guess(margin))
    packing = greedy_packing(margin, order)
    lower = packing.bound(margin)
    quick: float = np.inf
    if lower < cost(margin, order):
        quick = QUICK * n
        larger, order = CycleProgram(margin).solve(order, deadline=deadline)
        packing = max(packing, larger, key=lambda p: p.bound(margin))
        lower = packing.bound(margin)
    if lower < cost(margin, order):
        if n <= LeastCosts.MOST and time.monotonic() < deadline:
            optimum = first_order(LeastCosts(margin))
            return Solution(optimum, cost(margin, optimum), packing)
        order, lower = searched(margin, packing, order, states, deadline)
    if cost(margin, order) == lower:
        with suppress(OutOfBudgetError):
            excess = Excess(margin, packing, target=lower)
            optimum = first_order(excess, states=quick, deadline=deadline)
            return Solution(optimum, lower, packing)
    return Solution(order, lower, packing)


def searched(
    margin: np.ndarray,
    packing: Packing,
    order: np.ndarray,
    states: float,
    deadline: float,
) -> tuple[np.ndarray, int]:
    """Look for cheaper orders until there is none or a search takes too long.

    The best order, and the bound that is proven: its cost, or that of the packing.
    """
    lower = packing.bound(margin)
    with suppress(OutOfBudgetError):
        while lower < cost(margin, order):
            excess = Excess(margin, packing, target=cost(margin, order) - 1)
            cheaper = first_order(excess, states=states, deadline=deadline)
            if not cheaper.size:
                return order, cost(margin, order)
            order = cheaper
    return order, lower
