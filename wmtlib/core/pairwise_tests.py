"""The rank-sum test of every pair of systems, from arrays to p-values.

By segments, as Knowles (2021, section 3): it takes them for independent. A one-sided
p-value is small where the system of the row is the better one.
"""

import numpy as np
import pandas as pd
import scipy

from wmtlib.core.errors import DataError

TESTS = ("legacy", "two-sided", "one-sided")
ALPHA = 0.05
DIGITS = 9  # decimals of segment means that a test compares: those that agree are tied


def cell_sums(
    values: np.ndarray, row: np.ndarray, column: np.ndarray, shape: tuple[int, int]
) -> np.ndarray:
    """Sum the values of each row and column of a table."""
    rows, columns = shape
    return np.bincount(row * columns + column, values, rows * columns).reshape(shape)


# --- by segments ----------------------------------------------------------------------


def p_values(means: pd.DataFrame, *, test: str) -> pd.DataFrame:
    """Test every pair of systems on their segments' mean z-scores (rank-sum).

    Normal approximation, corrected for ties and for continuity.

    Parameters
    ----------
    means : DataFrame
        Columns system and z, such as `segment_means` gives.
    test : "legacy", "two-sided" or "one-sided"
        "legacy" is the default of SciPy before 1.7, which Knowles (2021, footnote 8)
        used: the upper tail of |z|, whichever of the two is better. "two-sided" is
        today's default. "one-sided" is the test of WMT's own script: p.loc[a, b] is
        small if a is better than b.

    Returns
    -------
    DataFrame, systems x systems
        Equal to SciPy's to the last bit, but for "legacy". 1 on the diagonal, and where
        two systems hold one and the same value only (SciPy before 1.7 refused those).

    Raises
    ------
    DataError
        An unknown test, or a z-score that is not a number.
    """
    system, names = pd.factorize(means["system"].astype(str), sort=True)
    z = means["z"].to_numpy(np.float64)
    if not np.isfinite(z).all():
        row = np.isfinite(z).argmin()
        raise DataError(f"row {row}: z is {z[row]}; expected a number")
    return pd.DataFrame(pairwise_p(z, system, len(names), test), [*names], [*names])


def pairwise_p(z: np.ndarray, system: np.ndarray, size: int, test: str) -> np.ndarray:
    """Compute `p_values` on arrays, as for `rank_sums`; gives (size, size)."""
    if test not in TESTS:
        raise DataError(f"test is {test!r}; expected {', '.join(TESTS)}")
    u, ties, number = rank_sums(z, system, size)
    n = number[:, None]
    m = number[None, :]
    total = n + m
    statistic = u if test == "one-sided" else np.maximum(u, u.T)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(n * m / 12 * ((total + 1) - ties / (total * (total - 1))))
        score = (statistic - n * m / 2 - 0.5) / spread
    if test == "legacy":
        score = np.abs(score)
    p = scipy.special.ndtr(-score)
    if test == "two-sided":
        p = np.minimum(2 * p, 1.0)
    p[~(spread > 0)] = 1.0
    np.fill_diagonal(p, 1.0)
    return p


def rank_sums(
    values: np.ndarray, system: np.ndarray, size: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute U statistics and tie terms of all pairs of systems.

        U(a, b) = sum over values of a: values of b below it + half of those equal to it

    With counts[a, v], how often a holds the distinct value v, both are products of
    matrices.
    Ties are equal floats: where values were computed, round them first.

    Parameters
    ----------
    values : ndarray of float64, (values,)
        No NaN.
    system : ndarray of int, (values,)
        0 .. size - 1.
    size : int
        Number of systems.

    Returns
    -------
    u : ndarray of float64, (size, size)
        `u[a, b]`, exact.
    ties : ndarray of float64, (size, size)
        Sum of t^3 - t over the values that a and b hold t times together, for a and b
        that differ. Exact.
    number : ndarray of float64, (size,)
        Values of each system.
    """
    distinct, group = np.unique(values, return_inverse=True)
    counts = cell_sums(np.ones(len(values)), system, group, (size, len(distinct)))
    number = counts.sum(axis=1)
    u = counts @ (np.cumsum(counts, axis=1) - counts / 2).T
    # (t_a + t_b)^3 - (t_a + t_b), summed over the groups of tied values.
    cross = counts**2 @ counts.T
    cubes = np.diag(cross) - number  # t^3 - t of one system
    ties = cubes[:, None] + cubes + 3 * (cross + cross.T)
    return u, ties, number
