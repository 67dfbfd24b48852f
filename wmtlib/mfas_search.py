"""How `wmtlib.mfas` finds an order of least cost and proves it: numerical work on margins.

Everything here speaks of systems as indices ``0..n-1`` and of ``margin``, the
antisymmetric integer matrix ``wins - wins.T``. An order is a sequence of indices, best
first; its cost is the summed ``margin[a, b] > 0`` over the pairs in which it puts ``b``
above ``a``.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np
import scipy

Order = tuple[int, ...]

# Local search: cheap orders, the upper bound.


def cost(margin: np.ndarray, order: Sequence[int]) -> int:
    """Summed margin of the pairs that `order` contradicts (Lopez 2012, Section 4)."""
    return contradicted(margin[np.ix_(order, order)])


def contradicted(in_order: np.ndarray) -> int:
    """Cost of the order in which rows and columns of the margins stand."""
    return int(np.tril(in_order).clip(min=0).sum())


def reachable(margin: np.ndarray) -> np.ndarray:
    """Boolean (n, n): is there a chain of wins from a to b? Every system reaches itself."""
    reach = ((margin > 0) | np.eye(len(margin), dtype=bool)).astype(np.float32)
    # Squaring doubles the length of the chains covered, which is n - 1 at most.
    for _ in range((len(margin) - 1).bit_length()):
        reach = np.minimum(reach @ reach, 1)
    return reach > 0


def first_guess(margin: np.ndarray) -> np.ndarray:
    """Order the strongly connected components topologically, each by net wins inside."""
    return np.lexsort((-margin.sum(axis=1), -reachable(margin).sum(axis=1)))


def insert(in_order: np.ndarray, order: np.ndarray, mover: int, place: int) -> None:
    """Let the system at position `mover` stand above the one at `place`; in both arrays."""
    place -= place > mover
    low, high = min(mover, place), max(mover, place) + 1
    step = 1 if place > mover else -1
    shifted = np.arange(low + step, high + step)
    shifted[place - low] = mover
    in_order[:, low:high] = in_order[:, shifted]
    in_order[low:high] = in_order[shifted]
    order[low:high] = order[shifted]


def settle(in_order: np.ndarray, order: np.ndarray) -> None:
    """Make the insertion that saves most, in both arrays, until no insertion saves anything."""
    positions = np.arange(len(order))
    saved = np.zeros((len(order) + 1, len(order)), dtype=in_order.dtype)
    while True:
        # saved[p, i]: net wins over the system at i of those above p, as if it stood at
        # p.
        np.cumsum(in_order, axis=0, out=saved[1:])
        target = saved.argmax(axis=0)
        gain = saved[target, positions] - saved[positions, positions]
        mover = int(gain.argmax())
        if gain[mover] <= 0:
            return
        insert(in_order, order, mover, int(target[mover]))


def descend(margin: np.ndarray, order: Sequence[int]) -> np.ndarray:
    """Move one system at a time to where it saves most, until no move saves anything."""
    order = np.array(order)
    settle(margin[np.ix_(order, order)], order)
    return order


def iterated(
    margin: np.ndarray,
    order: Sequence[int],
    *,
    kicks: int,
    lower: int,
    deadline: float = np.inf,
) -> np.ndarray:
    """Iterated local search: displace a few systems at random, descend, keep what costs no more.

    Up to an eighth of the systems, but at least two, move by at most ten places. The
    generator is seeded by a constant, so that the outcome depends on the arguments
    alone unless the deadline bites. It ends early at an order that costs `lower`.
    """
    rng = np.random.default_rng(0)
    order = np.array(order)
    in_order = margin[np.ix_(order, order)]
    best = contradicted(in_order)
    for _ in range(kicks):
        if best <= lower or time.monotonic() > deadline:
            break
        trial, moved = in_order.copy(), order.copy()
        movers = rng.integers(len(order), size=rng.integers(2, 3 + len(order) // 8))
        for mover, shift in zip(
            movers, rng.integers(-10, 11, len(movers)), strict=True
        ):
            insert(trial, moved, int(mover), int(np.clip(mover + shift, 0, len(order))))
        settle(trial, moved)
        if (reached := contradicted(trial)) <= best:
            in_order, order, best = trial, moved, reached
    return order


# Packings of cycles: the lower bound of an exact linear ordering.
#
# Let ``M+ = max(margin, 0)``, and let ``x(a, b)`` be 1 if an order contradicts "a above
# b", else 0: ``x(a, b) + x(b, a) = 1``, and the order costs ``sum of M+(a, b) x(a,
# b)``. A cycle names systems each of which shall stand above the next, and the last
# above the first. Every order contradicts it at least once. So for multiplicities ``y
# >= 0`` of cycles, with ``use(a, b)`` the summed ``y`` of those in which a stands
# before b,
#
# cost >= sum of M+(a, b) x(a, b) + sum over cycles of y (1 - contradictions of the
# cycle)
#           = sum of y + sum of (M+(a, b) - use(a, b)) x(a, b)
# >= sum of y + sum over pairs of min(M+(a, b) - use(a, b), M+(b, a) - use(b, a)).
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

    def left(self, margin: np.ndarray) -> np.ndarray:
        """``scale * M+(a, b) - use(a, b)`` of each pair (n, n); negative where used beyond it."""
        left = self.scale * margin.clip(min=0)
        above = [system for cycle in self.cycles for system in cycle]
        below = [system for cycle in self.cycles for system in (*cycle[1:], cycle[0])]
        times = [times for cycle, times in self.cycles.items() for _ in cycle]
        np.subtract.at(
            left, (np.array(above, int), np.array(below, int)), np.array(times, int)
        )
        return left

    def total(self, margin: np.ndarray) -> int:
        """Bound of the cost of every order, in units of ``1 / scale``."""
        left = self.left(margin)
        # Python's whole numbers: a sum of 64 bits may overflow. Each pair stands there
        # twice.
        least = sum(np.minimum(left, left.T).ravel().tolist()) // 2
        return sum(self.cycles.values()) + least

    def bound(self, margin: np.ndarray) -> int:
        """Costs are whole numbers, so the lower bound rounds up."""
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
    np.fill_diagonal(
        free, np.iinfo(free.dtype).max
    )  # a path may "stop twice" at the same system
    cycles: dict[Cycle, int] = {}
    pairs = np.argwhere(np.triu(in_order) < 0)
    for top, low in pairs[
        np.argsort(pairs[:, 1] - pairs[:, 0], kind="stable")
    ].tolist():
        debt = -int(in_order[top, low])
        inside = slice(top + 1, low)
        while debt and low - top > 1:
            width = np.minimum(free[top, inside, None], free[inside, inside])
            width = np.minimum(width, free[inside, low]).clip(max=debt)
            stops = int(
                (2 * width + np.eye(len(width), dtype=int)).argmax()
            )  # prefer one stop
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


def whole_packing(cycles: Iterable[Cycle], share: np.ndarray) -> Packing:
    """Round multiplicities to whole ones over the smallest denominator that fits, or a fine one."""
    multiples = share[:, None] * np.arange(1, 61)
    fits = np.abs(multiples - np.rint(multiples)).max(axis=0, initial=0) <= 1e-4
    scale = int(fits.argmax()) + 1 if fits.any() else FINE_SCALE
    whole = np.rint(share * scale).astype(int).tolist()
    kept = {
        cycle: times for cycle, times in zip(cycles, whole, strict=True) if times > 0
    }
    return Packing(kept, scale)


# The linear program over all cycles of three.
#
# Let ``U(a, b)`` be 1 if an order puts a above b, else 0: ``U(a, b) + U(b, a) = 1``,
# and every cycle a, b, c keeps ``U(a, b) + U(b, c) + U(c, a) <= 2``. The least cost
# over all ``U`` in [0, 1] that keep this is a lower bound; the dual values of the
# inequalities are multiplicities for a packing of these cycles. The variables are ``u =
# U(a, b)`` for a < b. Few inequalities matter: those that a solution breaks are added,
# those without effect are dropped.

CUTS = 4000  # inequalities added at a time, those broken most first
BROKEN = 1e-6

Pair = tuple[int, int]


class CycleProgram:
    """``minimise constant + gain @ u`` over u in [0, 1], with the inequalities of `cycles`.

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
        self.margin, self.pair = margin, np.zeros(margin.shape, dtype=np.int32)
        self.first, self.second = ends = np.triu_indices(len(margin), 1)
        self.pair[ends] = self.pair.T[ends] = np.arange(len(self.first))
        self.cycles = np.zeros((0, 3), dtype=int)
        self.cycles = self.broken(self.matrix(margin[ends] > 0))

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
        from scipy.optimize import (
            linprog,  # here: it takes a while to load, and few tasks need it
        )

        margin = self.margin[self.first, self.second]
        best, cycles, times = -np.inf, self.cycles[:0], np.zeros(0)
        while (left := deadline - time.monotonic()) > 0:
            options = {
                "bounds": (0, 1),
                "method": "highs-ds",
                "options": {"time_limit": left},
            }
            solution = linprog(-margin, *self.inequalities(), **options)
            if solution.status != 0:
                break
            cycles, times = self.cycles, -solution.ineqlin.marginals
            total = margin.clip(min=0).sum() + solution.fun
            matrix = self.matrix(solution.x)
            other = descend(self.margin, np.argsort(-matrix.sum(axis=1), kind="stable"))
            order = min(order, other, key=lambda o: cost(self.margin, o))
            broken = self.broken(matrix)
            if not len(broken) or total > cost(self.margin, order) - 1 + 1e-3:
                break
            if total > best + BROKEN * abs(
                total
            ):  # else the same rows could come and go
                tight = (
                    matrix[cycles, np.roll(cycles, -1, axis=1)].sum(axis=1)
                    >= 2 - BROKEN
                )
                self.cycles = cycles[(times != 0) | tight]
            best = max(best, total)
            self.cycles = np.concatenate([self.cycles, broken])
        return whole_packing(map(tuple, cycles.tolist()), times), order

    def matrix(self, u: np.ndarray) -> np.ndarray:
        """``U``, (n, n)."""
        matrix = np.zeros(self.margin.shape)
        matrix[self.first, self.second], matrix[self.second, self.first] = u, 1 - u
        return matrix

    def inequalities(self) -> tuple[scipy.sparse.csr_array, np.ndarray]:
        """Coefficients of u in the inequalities of `cycles`, and their right sides."""
        below = np.roll(self.cycles, -1, axis=1)
        forward = self.cycles < below  # else the variable is 1 - U
        entries = (
            np.where(forward, 1.0, -1.0).ravel(),
            self.pair[self.cycles, below].ravel(),
        )
        ends = np.arange(0, 3 * len(below) + 1, 3)
        shape = len(below), len(self.first)
        return scipy.sparse.csr_array((*entries, ends), shape=shape), forward.sum(
            axis=1
        ) - 1.0

    def broken(self, matrix: np.ndarray) -> np.ndarray:
        """Cycles whose inequality ``U`` breaks most and that are not asked for yet."""
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
    """What an order costs beyond the bound of a packing, added up from the top.

    Subsets of systems are bit masks. Placing a system below the set `placed` and above
    the rest contradicts everyone in the rest who should stand above it. Each of them
    costs what is left of the pair, and every cycle through the two once more if another
    of its members is placed already: the first contradiction of a cycle is its member
    placed first, and that one the bound has counted. Nothing is ever given back, so an
    order that would cost more than `target` is cut off early.
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
        self.must = [
            0
        ] * n  # who has to stand above each system: the allowance is less than that
        self.beaters = [0] * n
        self.price: list[dict[int, tuple[int, list[tuple[int, int]]]]] = [
            {} for _ in range(n)
        ]
        left = packing.left(margin)
        spare = (left - left.T).clip(min=0)
        dear = {
            *zip(*(place.tolist() for place in spare.nonzero()), strict=True),
            *through,
        }
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
        affordable = []
        for system, must in enumerate(self.must):
            if not must & rest and rest >> system & 1:
                total = self.after(placed, spent, system)
                if total <= self.allowance:
                    affordable.append((system, placed | 1 << system, total))
        return affordable


class LeastCosts:
    """What each set of systems costs in its best order (dynamic programming over subsets).

    In the best order of a set some system stands on top of the best order of the
    others, so all sets are looked at, the small ones first: an exhaustive search,
    without a packing of cycles. It stands in for an `Excess` whose target is the
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
        self.n, self.full = len(margin), (1 << len(margin)) - 1
        self.weight = margin.clip(min=0).astype(float)
        self.least = np.zeros(1 << self.n)
        sizes = np.bitwise_count(np.arange(1 << self.n, dtype=np.int32))
        for size in range(1, self.n + 1):
            sets = np.flatnonzero(sizes == size)
            for some in np.array_split(sets, -(-len(sets) // self.AT_ONCE)):
                self.least[some] = self.topped(some).min(axis=1)

    def topped(self, sets: np.ndarray) -> np.ndarray:
        """Least cost of each set (row) with each of its systems (column) on top; inf elsewhere."""
        without = sets[:, None] ^ (1 << np.arange(self.n))
        member = without < sets[:, None]
        return np.where(member, self.least[without] + member @ self.weight, np.inf)

    def steps(self, placed: int, spent: int) -> list[tuple[int, int, int]]:
        """(system, set with it, `spent`) for each that may follow `placed`, by index."""
        rest = self.full ^ placed
        best = np.flatnonzero(
            self.topped(np.array([rest]))[0] == self.least[rest]
        ).tolist()
        return [(system, placed | 1 << system, spent) for system in best]


class OutOfBudgetError(Exception):
    """The subset search was stopped before it was done."""


def first_order(
    excess: Excess | LeastCosts, *, states: float = np.inf, deadline: float = np.inf
) -> Order | None:
    """Lexicographically smallest order within the target; None if there is none.

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


def optimal_prefixes(
    excess: Excess | LeastCosts, *, states: int
) -> tuple[np.ndarray, int] | None:
    """All sets of systems that may stand on top in an optimal order, and how many orders there are.

    The target must be the optimal cost. Level by level downwards as in Algorithm 1,
    counting the cheapest ways to every subset; then upwards along those that end in an
    optimal order.

    Returns
    -------
    (prefixes, count) or None
        Boolean (number of prefixes, n), by size, and the number of optimal orders; None
        if there are more than `states` subsets to look at.
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
    member = [
        [placed >> k & 1 for k in range(excess.n)] for placed in reversed(prefixes)
    ]
    return np.array(member, dtype=bool), levels[-1][excess.full][1]


# All together.
#
# Local search finds a good order, a packing of cycles a lower bound of its cost, and a
# search over subsets closes what is left open if that is little. If not, the linear
# program finds a larger packing, and the search has less to close. Where a short search
# does not close it, the least costs of all subsets do, if the systems are few.

LOOK = 10  # subsets, times the number of systems, of the search that may spare the linear program
QUICK = 50  # the same of the search for the optimum that is the first by name
KICKS = 20  # of the local search where the optimum is not proven, times the number of systems
SEARCHED = 1_000_000  # subsets that a search for the proof may enter; they need memory


class Solution(NamedTuple):
    """Best order that was found, the lower bound that was proven, and the packing at the root."""

    order: Order
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
    order = descend(margin, first_guess(margin))
    packing = greedy_packing(margin, order)
    lower = packing.bound(margin)
    # Equal bounds leave only the choice among optima. Otherwise a short look whether
    # the packing is already the largest and only the order is not the best: that spares
    # the linear program.
    closed = cost(margin, order) == lower
    with suppress(OutOfBudgetError):
        look = np.inf if closed else LOOK * len(margin)
        excess = Excess(margin, packing, target=lower)
        if chosen := first_order(excess, states=look, deadline=deadline):
            return Solution(chosen, lower, packing)
    if not closed:
        larger, order = CycleProgram(margin).solve(order, deadline=deadline)
        packing = max(packing, larger, key=lambda p: p.bound(margin))
        few = len(margin) <= LeastCosts.MOST
        most = QUICK * len(margin) if few else states
        order, lower = searched(margin, packing, order, states=most, deadline=deadline)
        if few and lower < cost(margin, order) and time.monotonic() < deadline:
            chosen = first_order(LeastCosts(margin))
            return Solution(chosen, cost(margin, chosen), packing)
        order = iterated(
            margin, order, kicks=KICKS * len(margin), lower=lower, deadline=deadline
        )
        if cost(margin, order) == lower:
            with suppress(OutOfBudgetError):
                excess = Excess(margin, packing, target=lower)
                order = first_order(
                    excess, states=QUICK * len(margin), deadline=deadline
                )
    return Solution(tuple(int(system) for system in order), lower, packing)


def searched(
    margin: np.ndarray,
    packing: Packing,
    order: np.ndarray,
    *,
    states: float,
    deadline: float,
) -> tuple[np.ndarray, int]:
    """Look for cheaper orders; the best one, and the bound of the packing, raised.

    A search that finds no order of at most some cost raises the bound above it. The
    first one asks for a sixteenth of the gap, each later one for twice as much: weights
    may be millions. It ends where the two meet or a search takes too long.
    """
    bound = packing.bound(margin)
    step = max(1, (cost(margin, order) - bound) // 16)
    with suppress(OutOfBudgetError):
        while bound < (least := cost(margin, order)):
            target = min(least, bound + step) - 1
            excess = Excess(margin, packing, target=target)
            cheaper = first_order(excess, states=states, deadline=deadline)
            if cheaper is None:
                bound, step = target + 1, 2 * step
            else:
                order = np.array(cheaper)
    return order, bound


def forced(margin: np.ndarray, above: Pair, enough: int) -> np.ndarray:
    """Margins in which an order with the second of two systems above the first costs more."""
    margins, (a, b) = margin.copy(), above
    margins[a, b] += enough
    margins[b, a] -= enough
    return margins
