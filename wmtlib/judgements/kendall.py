"""Kendall's measures of two rankings of the same systems, from the order of every pair."""

import numpy as np


def pair_orders(scores: np.ndarray) -> np.ndarray:
    """Order of every pair of systems (last axis): 1, 0 (tied) or -1, NaN if one is not ranked."""
    scores = np.asarray(scores)
    first, second = np.triu_indices(scores.shape[-1], 1)
    return np.sign(scores[..., first] - scores[..., second])


def tau(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Kendall's tau of rankings by scores, row by row.

    Pairs in the same order less pairs in the opposite order, over the pairs that both sides rank;
    a pair that is tied on either side counts for neither. NaN where there is no such pair.

    Parameters
    ----------
    first, second : ndarray, (..., systems)
        NaN: not ranked.

    Examples
    --------
    >>> tau(np.array([3.0, 2.0, 1.0]), np.array([2.0, 3.0, 1.0])).round(3).item()
    0.333
    """
    product = pair_orders(first) * pair_orders(second)
    both = np.isfinite(product)
    number = both.sum(axis=-1)
    total = np.where(both, product, 0).sum(axis=-1)
    return np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0)


def distance(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Share of pairs of systems (last axis) in different order; a tie on one side is half a pair.

    Kendall's tau, if nothing is tied, is 1 less twice the distance.
    """
    return np.abs(pair_orders(first) - pair_orders(second)).mean(axis=-1) / 2


def reversed_pairs(before: np.ndarray, after: np.ndarray) -> int:
    """Kendall distance: pairs of systems that stand in another order in two orders of the same.

    >>> reversed_pairs(np.array([2, 0, 1]), np.array([0, 1, 2]))
    2
    """
    place = np.empty(before.max() + 1, dtype=np.intp)
    place[after] = np.arange(len(after))
    moved = place[before]
    return int(np.triu(moved[:, None] > moved, 1).sum())
