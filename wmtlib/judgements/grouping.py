"""Number the members of each group 0, 1, 2, ..., for all groups at once."""

import numpy as np


def positions(sizes: np.ndarray) -> np.ndarray:
    """Position of each member within its group, for groups that stand one after the other.

    Parameters
    ----------
    sizes : array of int, shape (groups,)

    Returns
    -------
    array of int, shape (sum of sizes,)

    Examples
    --------
    >>> positions(np.array([2, 0, 3]))
    array([0, 1, 0, 1, 2])
    """
    starts = np.cumsum(sizes) - sizes
    return np.arange(sizes.sum()) - np.repeat(starts, sizes)
