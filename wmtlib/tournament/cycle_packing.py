"""Packings of cycles: the lower bound of an exact linear ordering."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy

from wmtlib.tournament.local_search import descend

Cycle = tuple[int, ...]

FINE_SCALE = 10**6  # denominator for multiplicities that are not small fractions


class Packing(NamedTuple):
    """Multiplicity of each cycle, in units of ``1 / scale`` judgements."""

    cycles: dict[Cycle, int]
    scale: int

    @property
    def bound(self) -> int:
        """Costs are whole numbers, so the lower bound rounds up."""
        return -(-sum(self.cycles.values()) // self.scale)


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


def triangles(margin: np.ndarray, order: np.ndarray) -> set[Cycle]:
    """All cycles of three of which `order` contradicts exactly one judgement."""
    in_order = margin[np.ix_(order, order)]
    down = np.triu(in_order) > 0
    places = np.argwhere(down[:, :, None] & down & (in_order < 0)[:, None, :])
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
        shape = (len(winner), len(known))
        uses = scipy.sparse.csc_array((np.ones(len(hops)), hops, ends), shape=shape)
        limit = {"presolve": False} | ({"time_limit": left} if left < np.inf else {})
        program = scipy.optimize.linprog(
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
