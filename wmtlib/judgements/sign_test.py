"""The sign test of two systems that were compared directly."""

import numpy as np
import scipy


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
