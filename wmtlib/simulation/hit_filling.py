"""Draw without replacement and fill HITs (batches of items for one worker) with outputs."""

import numpy as np

from wmtlib.judgements import grouping


def rank_in_group(group: np.ndarray, key: np.ndarray | None = None) -> np.ndarray:
    """Place, from 0, of each entry within its group, by key or by position."""
    order = np.lexsort((group,) if key is None else (key, group))
    rank = np.empty(len(group), dtype=np.intp)
    rank[order] = grouping.positions(np.bincount(group))
    return rank


def draw_without_replacement(group: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """For each entry a number below `size`; within a group none comes again before all have come.

    Parameters
    ----------
    group : ndarray of int, (entries,)
    size : int
    rng : Generator
    """
    rank = rank_in_group(group)
    rounds = -(-(int(rank.max(initial=0)) + 1) // size)
    groups = int(group.max(initial=0)) + 1
    # For each group one random order after another.
    shuffled = rng.random((groups, rounds, size)).argsort(axis=2).reshape(groups, -1)
    return shuffled[group, rank]


def random_orders(members: int, orders: int, rng: np.random.Generator) -> np.ndarray:
    """This number of random orders of the numbers below `members`, one after another."""
    return rng.random((orders, members)).argsort(axis=1).ravel()


def pack(sizes: np.ndarray, capacity: int) -> np.ndarray:
    """HIT of each block if blocks come in order and a HIT closes when the next one does not fit."""
    end = np.cumsum(sizes)
    first, filled = [0], 0
    while (after := int(np.searchsorted(end, filled + capacity, side="right"))) < len(sizes):
        first.append(after)
        filled = int(end[after - 1])
    return np.repeat(np.arange(len(first)), np.diff([*first, len(sizes)]))
