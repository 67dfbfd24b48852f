"""Cheap orders by local search: the upper bound of an exact linear ordering."""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np
import scipy

Order = tuple[int, ...]


def cost(margin: np.ndarray, order: Sequence[int]) -> int:
    """Summed margin of the pairs that `order` contradicts (Lopez 2012, Section 4)."""
    return contradicted(margin[np.ix_(order, order)])


def contradicted(in_order: np.ndarray) -> int:
    """Cost of the order in which rows and columns of the margins stand."""
    return int(np.tril(in_order).clip(min=0).sum())


def reachable(margin: np.ndarray) -> np.ndarray:
    """Boolean (n, n): is there a chain of wins from a to b? Every system reaches itself."""
    reach = ((margin > 0) | np.eye(len(margin), dtype=bool)).astype(np.float32)
    for _ in range(len(margin).bit_length()):  # squaring doubles the length of the chains covered
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
        # saved[p, i]: net wins over the system at i of those above p, as if it stood at p.
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
    margin: np.ndarray, order: Sequence[int], *, kicks: int, lower: int, deadline: float = np.inf
) -> np.ndarray:
    """Iterated local search: displace a few systems at random, descend, keep what costs no more.

    Up to an eighth of the systems, but at least two, move by at most ten places. The generator is
    seeded by a constant, so that the outcome depends on the arguments alone unless the deadline
    bites. It ends early at an order that costs `lower`.
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
        for mover, shift in zip(movers, rng.integers(-10, 11, len(movers)), strict=True):
            insert(trial, moved, int(mover), int(np.clip(mover + shift, 0, len(order))))
        settle(trial, moved)
        if (reached := contradicted(trial)) <= best:
            in_order, order, best = trial, moved, reached
    return order


# Packings of cycles: the lower bound of an exact linear ordering.
#
# Let ``M+ = max(margin, 0)``, and let ``x(a, b)`` be 1 if an order contradicts "a above b", else 0:
# ``x(a, b) + x(b, a) = 1``, and the order costs ``sum of M+(a, b) x(a, b)``. A cycle names systems
# each of which shall stand above the next, and the last above the first. Every order contradicts it
# at least once. So for multiplicities ``y >= 0`` of cycles, with ``use(a, b)`` the summed ``y`` of
# those in which a stands before b,
#
#     cost >= sum of M+(a, b) x(a, b) + sum over cycles of y (1 - contradictions of the cycle)
#           = sum of y + sum of (M+(a, b) - use(a, b)) x(a, b)
#          >= sum of y + sum over unordered pairs of min(M+(a, b) - use(a, b), M+(b, a) - use(b,
# a)).
#
# Whole multiplicities in units of 1 / scale make it exact, and whole costs round it up. Where no
# margin is used beyond its size every minimum is 0, and the bound is the number of cycles.


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
        np.subtract.at(left, (np.array(above, int), np.array(below, int)), np.array(times, int))
        return left

    def total(self, margin: np.ndarray) -> int:
        """Bound of the cost of every order, in units of ``1 / scale``."""
        left = self.left(margin)
        # Python's whole numbers: a sum of 64 bits may overflow. Each pair stands there twice.
        least = sum(np.minimum(left, left.T).ravel().tolist()) // 2
        return sum(self.cycles.values()) + least

    def bound(self, margin: np.ndarray) -> int:
        """Costs are whole numbers, so the lower bound rounds up."""
        return -(-self.total(margin) // self.scale)


def greedy_packing(margin: np.ndarray, order: np.ndarray) -> Packing:
    """Pay for each contradicted pair with cycles of three or four, nearest pairs first.

    A pair that `order` contradicts closes a cycle with every descending path between the two; the
    widest path with one or two stops is taken while there is one. Scale 1. The packing covers the
    whole cost of `order` in most real tasks, and then proves it optimal.
    """
    in_order = margin[np.ix_(order, order)]
    free = np.triu(in_order).clip(min=0)
    np.fill_diagonal(free, np.iinfo(free.dtype).max)  # a path may "stop twice" at the same system
    cycles: dict[Cycle, int] = {}
    pairs = np.argwhere(np.triu(in_order) < 0)
    for top, low in pairs[np.argsort(pairs[:, 1] - pairs[:, 0], kind="stable")].tolist():
        debt = -int(in_order[top, low])
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


def whole_packing(cycles: Iterable[Cycle], share: np.ndarray) -> Packing:
    """Round multiplicities to whole ones over the smallest denominator that fits, or a fine one."""
    scale = next(
        (s for s in range(1, 61) if np.allclose(share * s, np.rint(share * s), rtol=0, atol=1e-4)),
        FINE_SCALE,
    )
    whole = np.rint(share * scale).astype(int).tolist()
    return Packing(
        {cycle: times for cycle, times in zip(cycles, whole, strict=True) if times > 0}, scale
    )


# The linear program over all cycles of three, and a gradient method that solves it.
#
# In an order, let ``u(i, j)``, for i before j in some fixed sequence of the systems, be 1 if i
# stands
# above j, else 0. The order costs ``constant - sum of margin(i, j) u(i, j)``, and for i, j, k in
# sequence ``0 <= u(i, j) + u(j, k) - u(i, k) <= 1``: the left inequality breaks the cycle i, k, j,
# the right one the cycle i, j, k. The least cost over all ``u`` in [0, 1] that keep both is a lower
# bound; the dual values of the inequalities are multiplicities for a packing of these cycles.


SIGNS = np.array([1.0, 1.0, -1.0])
LOOK = 10  # steps of the gradient method between two measurements of its progress


class Program(NamedTuple):
    """``minimise constant + gain @ u  subject to  0 <= D u <= 1,  0 <= u <= 1``.

    Attributes
    ----------
    pair : ndarray (n, n)
        Position of every two systems in `gain`, in either sequence.
    gain : ndarray (pairs,)
        Cost of u = 1 less that of u = 0 for each pair i < j.
    constant : int
        Cost of u = 0.
    triple : ndarray (triples, 3)
        i < j < k within one strongly connected component: no cycle passes through two.
    pairs : ndarray (triples, 3)
        Positions in `gain` of their pairs (i, j), (j, k), (i, k): the rows of D are `SIGNS` there.
    """

    pair: np.ndarray
    gain: np.ndarray
    constant: int
    triple: np.ndarray
    pairs: np.ndarray

    def rows(self, chosen: np.ndarray) -> scipy.sparse.csr_array:
        """These rows of D."""
        ends = np.arange(0, 3 * len(chosen) + 1, 3)
        entries = np.tile(SIGNS, len(chosen)), self.pairs[chosen].ravel(), ends
        return scipy.sparse.csr_array(entries, shape=(len(chosen), len(self.gain)))

    def packing(self, chosen: np.ndarray, dual: np.ndarray) -> Packing:
        """Cycles from dual values of rows of D: i, j, k if positive and i, k, j if negative."""
        cycles: list[Cycle] = [
            (i, j, k) if value > 0 else (i, k, j)
            for (i, j, k), value in zip(self.triple[chosen].tolist(), dual.tolist(), strict=True)
        ]
        return whole_packing(cycles, np.abs(dual))

    def order(self, u: np.ndarray) -> np.ndarray:
        """Systems by how many of the others they stand above, in fractions."""
        above = np.triu(u[self.pair], 1)
        below = np.tril(1 - above.T, -1)
        return np.argsort(-(above + below).sum(axis=1), kind="stable")

    def undecided(self, u: np.ndarray) -> tuple[int, int]:
        """The pair of which most depends on whether u is 0 or 1, as systems i < j."""
        pair = (np.minimum(u, 1 - u) * (np.abs(self.gain) + 1e-6)).argmax()
        first, second = np.argwhere(np.triu(self.pair == pair, 1))[0].tolist()
        return first, second


def program(margin: np.ndarray) -> Program:
    """The linear program of a matrix of margins."""
    n = len(margin)
    first, second = np.triu_indices(n, 1)
    pair = np.zeros((n, n), dtype=np.int32)
    pair[first, second] = pair[second, first] = np.arange(len(first))
    together = reachable(margin)
    together = np.triu(together & together.T, 1)
    i, j, k = np.nonzero(together[:, :, None] & together)
    return Program(
        pair=pair,
        gain=-margin[first, second].astype(float),
        constant=int(margin[first, second].clip(min=0).sum()),
        triple=np.stack([i, j, k], axis=1),
        pairs=np.stack([pair[i, j], pair[j, k], pair[i, k]], axis=1),
    )


def primal_dual(
    program: Program, upper: int, *, deadline: float = np.inf
) -> tuple[Packing, np.ndarray]:
    """Hybrid gradient method on all inequalities, reflected, anchored and restarted.

    Saddle point of ``gain @ u + w @ D u - sum of max(w, 0)`` over u in [0, 1] and all w. One step
    T(u, w), of size 1 / sqrt(n), which is one over the largest singular value of D, is mixed with
    the anchor z0 (Halpern): ``z <- (k + 1) / (k + 2) (2 T(z) - z) + 1 / (k + 2) z0``. The anchor
    moves to T(z) once the length of a step has fallen enough. The method stops where the
    bound, rounded up, reaches `upper`, the cost of an order, or where primal and dual agree. What
    the cycles of a dual ``w`` prove needs no inequality to hold, so any iterate has a bound.
    """
    rows = program.rows(np.arange(len(program.pairs)))
    columns = rows.T.tocsr()
    unit = np.abs(program.gain).mean()
    gain = program.gain / unit
    n_triples, n_pairs = rows.shape
    rate = 0.998 / np.sqrt((1 + np.sqrt(1 + 8 * n_pairs)) / 2)
    weight = 1.0  # of the primal against the dual variables
    z = anchor = np.full(n_pairs, 0.5), np.zeros(n_triples)
    best, best_w, steps, since = -np.inf, anchor[1], 0, 0
    first = last = np.inf  # length of a step at the anchor, and at the last look
    while time.monotonic() < deadline:
        u, w = z
        to_u = (u - rate / weight * (gain + columns @ w)).clip(0, 1)
        ahead = w / (rate * weight) + rows @ (2 * to_u - u)
        to_w = rate * weight * (ahead - ahead.clip(0, 1))
        steps, look = steps + 1, since % LOOK == 0
        if look:
            du, dw = to_u - u, to_w - w
            length = weight * (du @ du) - 2 * rate * (dw @ (rows @ du)) + (dw @ dw) / weight
            length = np.sqrt(max(length, 0.0))
            if not since:
                first = last = length
            fallen = length <= 0.2 * first or (last < length <= 0.8 * first)
            look, last = since and (fallen or since > 0.36 * steps), length
        if not look:
            share = (since + 1) / (since + 2)
            z = tuple(
                share * (2 * to - at) + (1 - share) * start
                for to, at, start in zip((to_u, to_w), z, anchor, strict=True)
            )
            since += 1
            continue
        moved = [np.linalg.norm(to_u - anchor[0]), np.linalg.norm(to_w - anchor[1])]
        if min(moved) > 1e-12:
            weight = np.sqrt(weight * moved[1] / moved[0])
        z, anchor, since = (to_u, to_w), (to_u, to_w), 0
        dual = np.minimum(gain + columns @ to_w, 0).sum() - to_w.clip(min=0).sum()
        dual = program.constant + unit * dual
        if dual > best:
            best, best_w = dual, to_w
        primal = program.constant + unit * (gain @ to_u)
        value = rows @ to_u
        agreed = abs(primal - dual) < max(0.05, 0.01 * (upper - dual))
        if best > upper - 1 + 1e-3 or (agreed and max(value.max() - 1, -value.min()) < 0.01):
            break
    everything = np.flatnonzero(np.abs(best_w * unit) > 0.5 / FINE_SCALE)
    return program.packing(everything, best_w[everything] * unit), program.order(z[0])


# The linear program of :mod:`wmtlib._mfas_search` by the simplex method, step by step.
#
# Few of its inequalities matter. Those that a solution breaks are added, those without effect are
# dropped, and the solver goes on from its last basis, also where pairs are forced in between.


CUTS = 4000  # inequalities added at a time, those broken most first
TOLERANCE = 1e-6

Pair = tuple[int, int]


class Relaxed(NamedTuple):
    """The last solution `u` of the linear program, its dual as a packing, and the best order."""

    u: np.ndarray
    packing: Packing
    order: np.ndarray


class Relaxation:
    """The linear program with some of its inequalities, in a solver that keeps its basis."""

    def __init__(self, program: Program, margin: np.ndarray) -> None:
        import highspy  # here, because few tournaments need it, and every command would load it

        self.program, self.margin = program, margin
        self.forced: dict[int, float] = {}  # u of the pairs at these positions
        self.rows = np.zeros(0, dtype=int)  # of D, once for each inequality
        self.sign = np.zeros(0)  # 1 for the right inequality, -1 for the left one
        self.solver, self.solved = highspy.Highs(), highspy.HighsModelStatus.kOptimal
        self.solver.silent()
        self.solver.HandleKeyboardInterrupt = True  # otherwise Ctrl-C waits for `run` to end
        self.solver.setOptionValue("threads", 1)
        self.solver.setOptionValue("presolve", "off")
        pairs = np.arange(len(program.gain), dtype=np.int32)
        self.solver.addVars(len(pairs), np.zeros(len(pairs)), np.ones(len(pairs)))
        self.solver.changeColsCost(len(pairs), pairs, program.gain)

    def force(self, above: Sequence[Pair]) -> None:
        """Let a stand above b for these pairs (a, b), and free all others."""
        for pair in self.forced:
            self.solver.changeColBounds(pair, 0.0, 1.0)
        self.forced = {int(self.program.pair[a, b]): float(a < b) for a, b in above}
        for pair, value in self.forced.items():
            self.solver.changeColBounds(pair, value, value)

    def add(self, rows: np.ndarray, sign: np.ndarray) -> None:
        """Add inequalities."""
        right = sign > 0
        lower, upper = np.where(right, -np.inf, 0.0), np.where(right, 1.0, np.inf)
        starts = np.arange(0, 3 * len(rows), 3, dtype=np.int32)
        entries = starts, self.program.pairs[rows].ravel(), np.tile(SIGNS, len(rows))
        self.solver.addRows(len(rows), lower, upper, 3 * len(rows), *entries)
        self.rows, self.sign = np.append(self.rows, rows), np.append(self.sign, sign)

    def drop(self, which: np.ndarray) -> None:
        """Drop the inequalities that stand in these places."""
        self.solver.deleteRows(len(which), which.astype(np.int32))
        self.rows, self.sign = np.delete(self.rows, which), np.delete(self.sign, which)

    def solve(self, order: np.ndarray, *, deadline: float = np.inf) -> Relaxed:
        """Solve the program until no inequality is broken, or `order` is proven optimal.

        Parameters
        ----------
        order : ndarray (systems,)
            A good order. One that a solution suggests takes its place if it costs less.
        """
        u, rows, dual = np.full(len(self.program.gain), 0.5), self.rows[:0], np.zeros(0)
        u[[*self.forced]] = [*self.forced.values()]
        best = -np.inf
        while (left := deadline - time.monotonic()) > 0:
            if left < np.inf:
                self.solver.setOptionValue("time_limit", self.solver.getRunTime() + left)
            self.solver.run()
            if self.solver.getModelStatus() != self.solved:
                break
            solution = self.solver.getSolution()
            u, rows, dual = np.array(solution.col_value), self.rows, -np.array(solution.row_dual)
            total = self.program.constant + self.solver.getInfo().objective_function_value
            other = descend(self.margin, self.program.order(u))
            order = min(order, other, key=lambda o: cost(self.margin, o))
            value = u[self.program.pairs] @ SIGNS
            side = np.where(value > 0.5, 1.0, -1.0)
            broken = np.maximum(value - 1, -value)
            # The solver's tolerance is not ours: never add an inequality twice.
            broken[rows[self.sign == side[rows]]] = 0
            new = np.flatnonzero(broken > TOLERANCE)
            if not len(new) or total > cost(self.margin, order) - 1 + 1e-3:
                break
            if total > best + TOLERANCE * abs(total):  # else the same rows could come and go
                slack = np.where(self.sign > 0, 1 - value[rows], value[rows])
                self.drop(np.flatnonzero((dual == 0) & (slack > TOLERANCE)))
            best = max(best, total)
            new = new[np.argsort(-broken[new], kind="stable")[:CUTS]]
            self.add(new, side[new])
        return Relaxed(u, self.program.packing(rows, dual), order)


# Branch and bound: what the linear program and one search over subsets leave open.
#
# A node of the tree forces some pairs: a stands above b. Its bound is that of a packing for margins
# in which to contradict a forced pair costs more than the best order known; so every number is
# whole,
# as at the root. A node is closed if its bound reaches the cost of that order, or if a short search
# over subsets finds no cheaper order in it. Else it is split by a pair of which the solution of the
# linear program is undecided. The node with the least bound comes next: no order costs less.


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


# A search over subsets of systems: what a packing of cycles leaves open.
#
# What the inequalities of `cycle_packing` give away is what an order costs *beyond* the bound: for
# each pair that it contradicts, how much more is left of it than of its reverse, and the
# multiplicity
# of a cycle again for each contradiction of it after the first. Both can be added up system by
# system
# from the top, so the subset search of Lopez (2012, Algorithm 1) applies to this small excess
# instead
# of the cost, and visits few subsets.


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


# Linear ordering on integer matrices: the numerical engine behind :mod:`wmtlib.mfas`.
#
# Everything here speaks of systems as indices ``0..n-1`` and of ``margin``, the antisymmetric
# integer
# matrix ``wins - wins.T``. An order is a sequence of indices, best first; its cost is the summed
# ``margin[a, b] > 0`` over the pairs in which it puts ``b`` above ``a``.
#
# `local_search` finds a good order; `cycle_packing`, and where that is not enough the linear
# program
# of `triangles`, a lower bound of its cost. What the two leave open, `subset_search` closes if
# little
# is open, and `branching` otherwise.


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
    relaxation = Relaxation(program(margin), margin)
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
        larger, other = primal_dual(relaxation.program, upper, deadline=deadline)
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
