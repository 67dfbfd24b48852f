"""Tests of every pair of systems by segments, from segment means to p-values.

The signed-rank test and the t-test of WMT since 2024, and the rank-sum test of the
years before. They take segments for independent. A one-sided p-value is small where the
system of the row is the better one.
"""

import numpy as np
import scipy

from study.beyond.pair_arrays import square
from wmtlib.core.pairwise_tests import DIGITS, pairwise_p


def signed_rank_p(means: np.ndarray) -> np.ndarray:
    """Test every pair on their common segments (Wilcoxon signed-rank, one-sided).

    WMT's test since 2024 for error span annotation (ESA), where all systems are judged
    on the same segments. Normal approximation, corrected for ties; segments without a
    difference are dropped, as by `scipy.stats.wilcoxon(method="asymptotic")`.

    Parameters
    ----------
    means : ndarray, (systems, segments)
        NaN where a system was not judged.

    Returns
    -------
    ndarray, (systems, systems)
        Small where the row's system is better than the column's; 0.5 where the two
        differ on no common segment; NaN on the diagonal.

    Examples
    --------
    >>> means = np.array([[3.0, 5, 4, 9, 2], [1, 2, 8, 9, 1]])
    >>> signed_rank_p(means)[0, 1].round(3).item()
    0.358
    """
    scores = [np.empty(0)]  # one system has no pairs
    for a in range(len(means) - 1):
        difference = np.nan_to_num(means[a] - means[a + 1 :]).round(DIGITS)
        size = np.where(difference == 0, np.inf, np.abs(difference))
        signed = np.sign(difference) * scipy.stats.rankdata(size, axis=1)
        spread = np.sqrt((signed**2).sum(axis=1))
        scores.append(signed.sum(axis=1) / np.where(spread > 0, spread, 1))
    score = np.concatenate(scores)
    ahead, behind = scipy.special.ndtr([-score, score])
    return square(ahead, behind, len(means))


def t_test_p(means: np.ndarray) -> np.ndarray:
    """Test every pair on their common segments (paired t-test, one-sided).

    Parameters
    ----------
    means : ndarray, (systems, segments)
        NaN where a system was not judged.

    Returns
    -------
    ndarray, (systems, systems)
        Small where the row's system is better; NaN where two systems differ nowhere.
    """
    judged = (~np.isnan(means)).astype(float)
    value = np.nan_to_num(means)
    common = judged @ judged.T
    total = value @ judged.T
    squares = value**2 @ judged.T
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (total - total.T) / common
        spread = squares + squares.T - 2 * value @ value.T - common * mean**2
        t = mean * np.sqrt(common * (common - 1) / spread)
        p = scipy.special.stdtr(common - 1, -t)
    np.fill_diagonal(p, np.nan)
    return p


def by_segments(means: np.ndarray, test: str) -> np.ndarray:
    """Test segment means, (systems, segments): one-sided p, (systems, systems)."""
    if test == "signed-rank":
        return signed_rank_p(means)
    if test == "t":
        return t_test_p(means)
    system, segment = np.nonzero(~np.isnan(means))
    values = means[system, segment].round(DIGITS)
    return pairwise_p(values, system, len(means), "one-sided")
