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
    score = np.zeros((size, size))
    for i in range(size):
        for j in range(i):
            difference = (values[:, i] - values[:, j]).round(DIGITS)
            difference = difference[np.isfinite(difference) & (difference != 0)]
            if not (n := len(difference)):
                continue
            _, value, tied = np.unique(np.abs(difference), return_inverse=True, return_counts=True)
            ranks = (np.cumsum(tied) - (tied - 1) / 2)[value]
            spread = n * (n + 1) * (2 * n + 1) / 24 - (tied**3 - tied).sum() / 48
            score[i, j] = (ranks[difference > 0].sum() - n * (n + 1) / 4) / np.sqrt(spread)
    return scipy.special.ndtr(score.T - score)
