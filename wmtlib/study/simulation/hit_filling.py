"""Draw without replacement and fill HITs (batches of items for one worker) with outputs."""

import numpy as np

from wmtlib import counts as grouping


def rank_in_group(group: np.ndarray, key: np.ndarray | None = None) -> np.ndarray:
    """Place, from 0, of each entry within its group, by key or by position."""
    rank = np.empty(len(group), dtype=np.intp)
    rank[order_in_groups(group, key)] = grouping.positions(np.bincount(group))
    return rank


def order_in_groups(group: np.ndarray, key: np.ndarray | None = None) -> np.ndarray:
    """Entries sorted by group, then by key (all different) or by position."""
    place = np.arange(len(group))
    if key is not None:
        place[np.argsort(key)] = np.arange(len(group))
    return np.argsort(group * len(group) + place)  # quicker than a sort by two columns


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
    # The block after a HIT that begins with each block.
    after = np.searchsorted(end, end - sizes + capacity, side="right").tolist()
    first = [0]
    while after[first[-1]] < len(sizes):
        first.append(after[first[-1]])
    return np.repeat(np.arange(len(first)), np.diff([*first, len(sizes)]))
