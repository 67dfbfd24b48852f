"""Arrays of pairs of systems, and of their scores on segments."""

from functools import cache

import numpy as np
import pandas as pd

from wmtlib.core.pairwise_tests import cell_sums


@cache
def pairs_of(size: int) -> tuple[np.ndarray, np.ndarray]:
    """List first and second system of every pair, as all arrays of pairs do.

    >>> [side.tolist() for side in pairs_of(3)]
    [[0, 0, 1], [1, 2, 2]]
    """
    return np.triu_indices(size, 1)


def square(upper: np.ndarray, lower: np.ndarray, size: int) -> np.ndarray:
    """Make matrices of values of pairs a < b and b > a, (..., pairs); diagonal: NaN."""
    matrix = np.full((*upper.shape[:-1], size, size), np.nan)
    a, b = pairs_of(size)
    matrix[..., a, b] = upper
    matrix[..., b, a] = lower
    return matrix


def table_of_segments(values: pd.DataFrame, score: str) -> np.ndarray:
    """Average scores of each system on each segment, (systems, segments)."""
    system, segment = (values[name].to_numpy() for name in ("system", "segment"))
    shape = system.max() + 1, segment.max() + 1
    number = cell_sums(np.ones(len(values)), system, segment, shape)
    total = cell_sums(values[score].to_numpy(), system, segment, shape)
    return np.divide(total, number, out=np.full(shape, np.nan), where=number > 0)
