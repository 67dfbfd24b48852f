"""The Wilcoxon rank-sum (Mann-Whitney) test of all pairs of systems at once, ties shared.

It compares two systems on their segments' mean z-scores (Knowles 2021, section 3). U and the tie
terms of all pairs are products of integer matrices.
"""

from itertools import pairwise

import numpy as np
import pandas as pd
import scipy

from wmtlib.judgements.errors import DataError

TESTS = ("legacy", "two-sided", "one-sided")
BLOCK = 16  # places of the sorted values that are compared one by one
CHUNK = 8192  # places that are worked on at a time
ROWS = 1024  # different values that are worked on at a time


def p_values(means: pd.DataFrame, *, test: str) -> pd.DataFrame:
    """Rank-sum test of every pair of systems on their segments' mean z-scores.

    Normal approximation, corrected for ties and for continuity.

    Parameters
    ----------
    means : DataFrame
        Columns system and z, such as `zscores.segment_means` gives.
    test : "legacy", "two-sided" or "one-sided"
        "legacy" is the default of SciPy before 1.7, which Knowles (2021, footnote 8) used: the
        upper tail of |z|, whichever of the two is better. "two-sided" is today's default.
        "one-sided" is the test of WMT's own script: p.loc[a, b] is small if a is better than b.

    Returns
    -------
    DataFrame, systems x systems
        Equal to SciPy's to the last bit; with "legacy" the last bit depends on which of the two
        systems comes first, as it did there. 1 on the diagonal, and where two systems hold one and
        the same value only (SciPy before 1.7 refused those).

    Raises
    ------
    DataError
        An unknown test, fewer than two systems, or a z-score that is not a number.
    """
    if means["system"].isna().any():
        raise DataError("a segment mean lacks the name of its system")
    system, names = pd.factorize(means["system"].astype(str), sort=True)
    z = means["z"].to_numpy(np.float64)
    if (bad := np.flatnonzero(~np.isfinite(z))).size:
        raise DataError(f"row {bad[0]}: z is {z[bad[0]]}; expected a number")
    if len(names) < 2:
        raise DataError(f"{len(names)} system(s) to compare; expected two or more")
    return pd.DataFrame(pairwise_p(z, system, len(names), test), [*names], [*names])


def pairwise_p(z: np.ndarray, system: np.ndarray, size: int, test: str) -> np.ndarray:
    """`p_values` on arrays: `rank_sums` has the parameters; gives (size, size)."""
    if test not in TESTS:
        raise DataError(f"test is {test!r}; expected {', '.join(TESTS)}")
    u, ties, number = rank_sums(z, system, size)
    n, m = number[:, None], number[None, :]
    total = n + m
    with np.errstate(divide="ignore", invalid="ignore"):
        if test == "legacy":
            correction = 1.0 - ties / (total**3 - total)
            spread = np.sqrt(correction * n * m * (total + 1) / 12.0)
            score = np.abs((np.maximum(u, u.T) - (n * m / 2.0 + 0.5)) / spread)
        else:
            spread = np.sqrt(n * m / 12 * ((total + 1) - ties / (total * (total - 1))))
            score = ((np.maximum(u, u.T) if test == "two-sided" else u) - n * m / 2 - 0.5) / spread
    p = scipy.special.ndtr(-score)
    if test == "two-sided":
        p = np.minimum(2 * p, 1.0)
    p[~(spread > 0)] = 1.0
    np.fill_diagonal(p, 1.0)
    return p


def rank_sums(
    values: np.ndarray, system: np.ndarray, size: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """U statistics and tie terms of all pairs of systems.

    Values are sorted once. Where most are tied, U is a product of the count matrix (values x
    systems) and its cumulative sums. Else pairs of values within a block of `BLOCK` places are
    counted one by one, pairs from different blocks as products of the blocks' counts, and the
    values that are tied are set right by the count matrix.

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
        `u[a, b]`: pairs of values in which a's is greater than b's, ties counted half. Exact.
    ties : ndarray of float64, (size, size)
        Sum of t^3 - t over the values that a and b hold t times together, for a and b that
        differ. Exact.
    number : ndarray of float64, (size,)
        Values of each system.
    """
    order = np.argsort(values)
    by_value, system = values[order], system[order]
    number = np.bincount(system, minlength=size).astype(float)
    new = np.empty(len(values), dtype=bool)
    new[:1] = True
    np.not_equal(by_value[1:], by_value[:-1], out=new[1:])
    tied = ~new
    tied[:-1] |= tied[1:]  # every place of a value that occurs more than once
    if 2 * np.count_nonzero(tied) > len(tied):
        return *_counted(np.cumsum(new) - 1, system, size), number
    u, ties = _above(system, size), np.zeros((size, size))
    if tied.any():  # equal values were counted in the order in which they happen to stand
        among, ties = _counted(np.cumsum(new[tied]) - 1, system[tied], size)
        u += among - _above(system[tied], size)
    np.fill_diagonal(u, number**2 / 2)
    return u, ties, number


def _counted(group: np.ndarray, system: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """U statistics and tie terms from the counts of each system's values in groups of equals.

    Parameters
    ----------
    group : ndarray of int, (values,)
        0, 1, ... in ascending order.
    """
    key = group * size + system
    edges = np.searchsorted(group, np.arange(0, group[-1] + 1 + ROWS, ROWS))
    u, cross = np.zeros((2, size, size))  # cross: sums of counts of a, squared, times counts of b
    own, before = np.zeros((2, size))  # own: sums of t^3 - t; before: values of earlier chunks
    for first, last in pairwise(edges):
        part = slice(first, last)
        cells = (group[last - 1] - group[first] + 1) * size
        counts = np.bincount(key[part] - group[first] * size, minlength=cells)
        counts = counts.reshape(-1, size).astype(float)
        up_to = np.cumsum(counts, axis=0)
        total = up_to[-1].copy()
        up_to -= counts / 2
        u += counts.T @ up_to + total[:, None] * before
        before += total
        squares = counts * counts
        cross += squares.T @ counts
        own += (squares * counts).sum(axis=0) - total
    # (t_a + t_b)^3 - (t_a + t_b), summed over the groups.
    return u, own[:, None] + own + 3 * (cross + cross.T)


def _above(system: np.ndarray, size: int) -> np.ndarray:
    """How many pairs of places hold system a above (after) system b, for all a and b.

    In chunks, so that every array stays small: large ones cost more to allocate than to fill.
    """
    above = np.zeros((size, size))
    before = np.zeros(size)
    for first in range(0, len(system), CHUNK):
        chunk = system[first : first + CHUNK]
        number = np.bincount(chunk, minlength=size)
        above += number[:, None] * before + _above_within(chunk, size)
        before += number
    return above


def _above_within(system: np.ndarray, size: int) -> np.ndarray:
    """`_above` of one chunk: pairs within a block one by one, others by the blocks' counts."""
    runs = -(-len(system) // BLOCK)
    padded = np.full(runs * BLOCK, size, dtype=np.intp)  # a system more, dropped at the end
    padded[: len(system)] = system
    size += 1
    cells = padded + np.repeat(np.arange(0, runs * size, size), BLOCK)
    counts = np.bincount(cells, minlength=runs * size).reshape(runs, size).astype(float)
    before = np.cumsum(counts, axis=0) - counts
    lower = np.ascontiguousarray(padded.reshape(runs, BLOCK).T)
    upper = lower * size
    # Within blocks: every place with the one that stands `lag` places before it.
    near = np.zeros(size * size, dtype=np.intp)
    for lag in range(1, BLOCK):
        near += np.bincount((upper[lag:] + lower[:-lag]).ravel(), minlength=size * size)
    return (counts.T @ before + near.reshape(size, size))[:-1, :-1]
