"""Small tests and measures: ties of scores, corrections, sign test, intervals, Kendall's tau."""

import numpy as np
import pandas as pd
import scipy

CORRECTIONS = ("benjamini-hochberg", "holm", "none")
TOLERANCE = 1e-9  # scores this close, absolutely or for their size, are tied


def levels(scores: np.ndarray) -> np.ndarray:
    """Scores (last axis) as whole numbers from 0, the same for scores that are tied; NaN stays.

    Systems are put in order by this function alone, in rankings and in every resample. The last
    bits of a score depend on the processor and on the order of a sum, so they decide no order.

    Examples
    --------
    >>> levels(np.array([0.3, 0.5, 0.1 + 0.2, np.nan])).tolist()
    [0.0, 1.0, 0.0, nan]
    """
    scores = np.asarray(scores, dtype=float)
    order, numbers = np.argsort(scores, axis=-1), np.zeros(scores.shape)
    ascending = np.take_along_axis(scores, order, axis=-1)
    above = np.diff(ascending) > TOLERANCE * np.maximum(1, np.abs(ascending[..., 1:]))
    level = np.insert(np.cumsum(above, axis=-1), 0, 0, axis=-1)
    np.put_along_axis(numbers, order, level.astype(float), axis=-1)
    return np.where(np.isnan(scores), np.nan, numbers)


def best_ranks(scores: np.ndarray) -> np.ndarray:
    """Ranks from 1, tied systems with the best rank of their group.

    >>> best_ranks(np.array([0.2, 0.7, 0.2])).tolist()
    [2, 1, 2]
    """
    return pd.Series(levels(scores)).rank(method="min", ascending=False).to_numpy(int)


def corrected(p: np.ndarray, correction: str) -> np.ndarray:
    """P-values corrected for their number.

    Parameters
    ----------
    p : ndarray, (tests,)
        NaN stands for a test that was not made.
    correction : "benjamini-hochberg", "holm" or "none"
        Keeps at alpha the share of false findings among all findings (Benjamini & Hochberg 1995),
        or the chance of a single false one (Holm 1979), or neither.

    Examples
    --------
    >>> corrected(np.array([0.01, 0.02, 0.9]), "holm").tolist()
    [0.03, 0.04, 0.9]
    """
    p = np.asarray(p, dtype=float)
    tested = np.flatnonzero(~np.isnan(p))
    result, number = p.copy(), len(tested)
    order = tested[np.argsort(p[tested], kind="stable")]
    if correction == "holm":
        steps = np.maximum.accumulate(p[order] * np.arange(number, 0, -1))
    elif correction == "benjamini-hochberg":
        steps = p[order] * number / np.arange(1, number + 1)
        steps = np.minimum.accumulate(steps[::-1])[::-1]
    else:
        return result
    result[order] = np.minimum(1.0, steps)
    return result


def sign_test(wins: np.ndarray, losses: np.ndarray) -> np.ndarray:
    """Exact two-sided binomial p of wins and losses, both equally likely under the null.

    NaN where there is neither a win nor a loss.

    >>> sign_test(np.array([5, 3]), np.array([0, 3])).tolist()
    [0.0625, 1.0]
    """
    wins, losses = np.asarray(wins, dtype=float), np.asarray(losses, dtype=float)
    total = wins + losses
    p = np.minimum(1.0, 2 * scipy.special.bdtr(np.minimum(wins, losses), total.astype(int), 0.5))
    return np.where(total > 0, p, np.nan)


# --- intervals (95 %) of shares and means -----------------------------------------------------

TWO_SIDED = 0.975  # of a distribution, up to the upper end of a 95 % interval
NORMAL = 1.959964  # standard errors to that end


def wilson(share: np.ndarray, number: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """Wilson's interval of shares of a number of cases.

    >>> [round(float(end), 3) for end in wilson(np.array(0.5), 10)]
    [0.237, 0.763]
    """
    z = NORMAL
    centre = (share + z * z / (2 * number)) / (1 + z * z / number)
    half = np.sqrt(share * (1 - share) / number + (z / (2 * number)) ** 2)
    half = z * half / (1 + z * z / number)
    return centre - half, centre + half


def t_half_width(values: pd.Series | pd.DataFrame) -> float | pd.Series:
    """Half of the t interval of a mean; of every column of a frame.

    >>> round(float(t_half_width(pd.Series([1.0, 2.0, 3.0]))), 3)
    2.484
    """
    from scipy import special  # loading it takes longer than ranking a small file

    return values.sem() * special.stdtrit(len(values) - 1, TWO_SIDED)


def clusters_of_ranges(first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Cluster, from 1, of systems in order: a line where no range of ranks crosses.

    Parameters
    ----------
    first, last : ndarray, (systems,)
        Ends of the range of ranks of each system.

    Examples
    --------
    >>> clusters_of_ranges(np.array([1, 2, 2]), np.array([1, 3, 3])).tolist()
    [1, 2, 2]
    """
    above = np.maximum.accumulate(last)[:-1]
    below = np.minimum.accumulate(first[::-1])[::-1][1:]
    return np.cumsum(np.append(1, above < below))[: len(first)]


# --- Kendall's measures of two rankings of the same systems, from the order of every pair -------


def pair_orders(scores: np.ndarray) -> np.ndarray:
    """Order of every pair of systems (last axis): 1, 0 (tied) or -1, NaN if one is not ranked."""
    scores = levels(scores)
    first, second = np.triu_indices(scores.shape[-1], 1)
    return np.sign(scores[..., first] - scores[..., second])


def tau(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Kendall's tau-a of rankings by scores, row by row.

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
