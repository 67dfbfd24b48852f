"""The Wilcoxon signed-rank test of all pairs of systems on the segments that both were judged on.

WMT uses it since 2024 for error span annotation (ESA), where all systems are judged on the same
segments.
"""

import numpy as np
import pandas as pd
import scipy

DIGITS = 9  # differences that agree to this many decimals are tied


def signed_rank_p(means: pd.DataFrame) -> pd.DataFrame:
    """One-sided signed-rank test of every pair of systems.

    Normal approximation, corrected for ties; segments without a difference are dropped, as by
    `scipy.stats.wilcoxon(method="asymptotic")`.

    Parameters
    ----------
    means : DataFrame, segments x systems
        NaN where a system was not judged.

    Returns
    -------
    DataFrame, systems x systems
        Small where the row's system is better than the column's; 0.5 where the two differ on no
        common segment.

    Examples
    --------
    >>> means = pd.DataFrame({"a": [3.0, 5, 4, 9, 2], "b": [1.0, 2, 8, 9, 1]})
    >>> signed_rank_p(means).loc["a", "b"].round(3).item()
    0.358
    """
    p = pairwise_signed_rank(means.to_numpy(float))
    return pd.DataFrame(p, means.columns, means.columns)


def pairwise_signed_rank(values: np.ndarray) -> np.ndarray:
    """`signed_rank_p` on an array, (segments, systems); gives (systems, systems)."""
    size = values.shape[1]
    one, other = np.tril_indices(size, -1)
    difference = (values[:, one] - values[:, other]).round(DIGITS).T
    difference[np.isnan(difference)] = 0  # what is not used: it comes first
    order = np.argsort(np.abs(difference), axis=1)
    difference = np.take_along_axis(difference, order, axis=1)
    n = np.count_nonzero(difference, axis=1)
    start = np.flatnonzero(np.diff(np.abs(difference), axis=1, prepend=-1))  # of equal ones
    tied, pair = np.diff(start, append=difference.size), start // max(1, len(values))
    ranks = np.repeat(start - (pair + 1) * len(values) + n[pair] + (tied + 1) / 2, tied)
    tied[difference.ravel()[start] == 0] = 0
    ties = np.bincount(pair, tied**3 - tied, len(one))
    spread = n * (n + 1) * (2 * n + 1) / 24 - ties / 48
    above = (ranks.reshape(difference.shape) * (difference > 0)).sum(axis=1) - n * (n + 1) / 4
    score = np.zeros((size, size))
    score[one, other] = np.divide(above, np.sqrt(spread), out=np.zeros(len(n)), where=n > 0)
    return scipy.special.ndtr(score.T - score)
