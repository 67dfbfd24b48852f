"""Packings of cycles: the lower bound of an exact linear ordering.

Let ``M+ = max(margin, 0)``, and let ``x(a, b)`` be 1 if an order contradicts "a above b", else 0:
``x(a, b) + x(b, a) = 1``, and the order costs ``sum of M+(a, b) x(a, b)``. A cycle names systems
each of which shall stand above the next, and the last above the first. Every order contradicts it
at least once. So for multiplicities ``y >= 0`` of cycles, with ``use(a, b)`` the summed ``y`` of
those in which a stands before b,

    cost >= sum of M+(a, b) x(a, b) + sum over cycles of y (1 - contradictions of the cycle)
          = sum of y + sum of (M+(a, b) - use(a, b)) x(a, b)
         >= sum of y + sum over unordered pairs of min(M+(a, b) - use(a, b), M+(b, a) - use(b, a)).

Whole multiplicities in units of 1 / scale make it exact, and whole costs round it up. Where no
margin is used beyond its size every minimum is 0, and the bound is the number of cycles.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

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
