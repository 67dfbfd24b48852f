"""Cheap orders by local search: the upper bound of an exact linear ordering."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Order = tuple[int, ...]
KICKS = 500  # under a second for a hundred systems


def cost(margin: np.ndarray, order: Sequence[int]) -> int:
    """Summed margin of the pairs that `order` contradicts (Lopez 2012, Section 4)."""
    in_order = margin[np.ix_(order, order)]
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
