"""Cheap orders by local search: the upper bound of an exact linear ordering."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

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
