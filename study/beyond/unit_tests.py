"""Tests of pairs of systems by units of collection: a document, a HIT, a judge.

`sign_flip_p` and `unit_p` are the tests; `block_scores` gives what each unit, what was
judged as a whole, adds to the difference of two systems (of votes: `equal_votes`).
Arrays of pairs are in the order of `pair_arrays.pairs_of`.

A one-sided p-value is small where the system of the row is the better one.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pandas as pd
import scipy

from study.beyond.pair_arrays import pairs_of, square
from wmtlib.core.moves import Matrix
from wmtlib.core.pairwise_tests import cell_sums
from wmtlib.core.ranking import TOLERANCE
from wmtlib.core.sampling import Seed, generator

FEW_FLIPS = 499  # choices of signs, for every pair
MANY_FLIPS = 9999  # for the pairs whose p is below `UNLIKELY`
UNLIKELY = 0.1
EXACT_UNITS = 12  # up to which all flips are tried
FEWEST_FLIPPED = 6  # units; with five, the least two-sided p is 2 / 2^5, above 5 %
FEWEST_UNITS = 7  # of scores; with six, no t of `unit_p` reaches 5 %
BLOCK = 512  # choices of signs that are held at a time
RECURRING = 5  # documents, or HITs, that a worker judged of a system


# --- flips of signs -------------------------------------------------------------------


def sign_flip_p(differences: np.ndarray, *, seed: Seed = 0) -> np.ndarray:
    """Test every pair of systems by flips of signs: two-sided p of equal systems.

        T = sum over units u of C(u),    T* = sum over u of s(u) C(u),    s(u) = 1 or -1

    C(u) is what a unit (a document, a HIT, a judge) adds to the difference of two
    systems. If the systems are equal, a unit would as soon have shown the opposite, so
    that every choice of signs is as likely as the one that was seen: p is the share of
    choices with |T*| >= |T|.

    Of `EXACT_UNITS` units or fewer all choices are tried, and p is exact. Of more,
    choices are drawn, the same for all pairs, and p = (1 + hits) / (1 + choices): few
    choices first, and the larger number anew for those pairs whose p is below
    `UNLIKELY` (which keeps p a p-value: it is below any level at most as often as one
    of the two draws alone).

    Parameters
    ----------
    differences : ndarray, (units, pairs)
        C; 0 where a unit did not judge both.
    seed : int or Generator

    Returns
    -------
    ndarray of float64, (pairs,)
        NaN where fewer than `FEWEST_FLIPPED` units differ from 0: 5 % could not be
        reached.

    Examples
    --------
    >>> differences = np.array([[1.0], [2], [3], [4], [5], [6]])
    >>> sign_flip_p(differences).tolist()  # 2 of 64 choices
    [0.03125]
    """
    units = len(differences)
    tested = (np.abs(differences) > TOLERANCE).sum(axis=0) >= FEWEST_FLIPPED
    pairs = differences[:, tested]
    if units <= EXACT_UNITS:
        # Bit u of the number of a choice is the sign of unit u.
        choices = np.arange(2**units)[:, None] >> np.arange(units) & 1
        p = _hits(pairs, [1 - 2.0 * choices]) / len(choices)
    else:
        rng = generator(seed)
        p = (1 + _hits(pairs, _drawn_signs(FEW_FLIPS, units, rng))) / (1 + FEW_FLIPS)
        unlikely = np.flatnonzero(p < UNLIKELY)
        hits = _hits(pairs[:, unlikely], _drawn_signs(MANY_FLIPS, units, rng))
        p[unlikely] = (1 + hits) / (1 + MANY_FLIPS)
    p_of_all = np.full(len(tested), np.nan)
    p_of_all[tested] = p
    return p_of_all


def _drawn_signs(
    number: int, units: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Draw choices of signs, (choices, units) of 1.0 or -1.0, in blocks."""
    for first in range(0, number, BLOCK):
        size = min(BLOCK, number - first), units
        yield 1 - 2.0 * rng.integers(2, size=size)


def _hits(differences: np.ndarray, choices: Iterable[np.ndarray]) -> np.ndarray:
    """Count choices with |T*| >= |T|, (pairs,), of differences, (units, pairs)."""
    hits = np.zeros(differences.shape[1])
    rounding = TOLERANCE * np.abs(differences).sum(axis=0)
    least = np.abs(differences.sum(axis=0)) - rounding
    for signs in choices:
        hits += (np.abs(signs @ differences) >= least).sum(axis=0)
    return hits


# --- scores of blocks -----------------------------------------------------------------


def unit_p(scores: np.ndarray, units: Sequence[np.ndarray]) -> np.ndarray:
    """Test every pair by one or two kinds of units: two-sided p of equal systems.

        t = T / sqrt(V),    V = V(documents) + V(judges) - V(blocks)

    T is the sum over blocks (a block is all that a judge said of a document), and V(k)
    the sum of squares of the sums over each unit of a kind. Where a difference varies
    both from document to document and from judge to judge, V is the two-way clustered
    variance (Cameron, Gelbach and Miller 2011), at least the larger of the first two;
    by one kind of units it is V of that kind. t has the degrees of freedom of the kind
    with fewer units, less 1. How this test was chosen: docs/ranking.md.

    By one kind of units the p-value of `sign_flip_p` counts too, if it is larger: of
    systems that could be exchanged for each other it is exact.

    Parameters
    ----------
    scores : ndarray, (blocks, pairs)
        What each block adds to T; see `block_scores`.
    units : one or two ndarrays of int, (blocks,)
        The unit of each block, such as its document and its judge.

    Returns
    -------
    ndarray of float64, (pairs,)
        NaN where fewer than `FEWEST_UNITS` units of a kind have a sum that is not 0.
    """
    p = clustered_p(scores, units)
    if len(units) == 1:
        p = np.maximum(p, sign_flip_p(membership(units[0]) @ scores))
    return p


def clustered_p(scores: Matrix, units: Sequence[np.ndarray]) -> np.ndarray:
    """Compute t of `unit_p` alone, also of a sparse array of scores."""
    by_unit = [membership(unit) @ scores for unit in units]
    by_block = scores if len(units) == 2 else by_unit[0]
    sums = by_unit[0], by_unit[-1], by_block
    first, second, block = ((added**2).sum(axis=0) for added in sums)
    variance = np.max([first, second, first + second - block], axis=0)
    numbers = [(np.abs(added) > TOLERANCE).sum(axis=0) for added in by_unit]
    fewest = np.min(numbers, axis=0)
    tested = fewest >= FEWEST_UNITS
    t = np.divide(scores.sum(axis=0), np.sqrt(variance), where=tested, out=1.0 * tested)
    p = 2 * scipy.special.stdtr(np.maximum(fewest - 1, 1), -np.abs(t))
    return np.where(tested, p, np.nan)


def block_scores(
    values: pd.DataFrame,
    score: str,
    units: Sequence[str],
    pairs: tuple[np.ndarray, np.ndarray],
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Compute what blocks add to the difference of two systems, for `unit_p`.

        T = sum over values of (x - mean of x) (value - mean value)

    x is 1 for a and 0 for b, and the means are those of the values of a and b in a
    document (the first kind of units): T is the numerator of a linear model with a
    level for each document. Its sum over a document is C of `sign_flip_p`,

        C(u) = n(a) n(b) / (n(a) + n(b)) x (mean of a - mean of b),    in the document u

    with n(a) and n(b) the numbers of values. If all systems were judged on the same
    segments, the weight is half their number, and the sum is in favour of the system
    with the higher mean.

    Parameters
    ----------
    values : DataFrame
        Of `zscores.judged_values`.
    score : str
        raw or z.
    units : one or two names of columns
        A block has one unit of each.
    pairs : two ndarrays of int, (pairs,)
        a and b; see `pair_arrays.pairs_of`.

    Returns
    -------
    scores : ndarray of float64, (blocks, pairs)
        0 where a document lacks one of the two.
    units : one or two ndarrays of int, (blocks,)

    Examples
    --------
    >>> columns = {"z": [5.0, 7, 3], "system": [0, 0, 1], "document": 0}
    >>> block_scores(pd.DataFrame(columns), "z", ["document"], pairs_of(2))[0].tolist()
    [[2.0]]
    """
    system = values["system"].to_numpy()
    size = system.max() + 1
    first, last = (values[unit].to_numpy() for unit in (units[0], units[-1]))
    code = first * (last.max() + 1) + last
    block, blocks = pd.factorize(code, sort=True)
    of_block = [*divmod(blocks, last.max() + 1)]
    shape = len(blocks), size
    number = cell_sums(np.ones(len(values)), block, system, shape)
    total = cell_sums(values[score].to_numpy(), block, system, shape)
    member = membership(of_block[0])
    a, b = pairs
    numbers = member @ number
    sums = member @ total
    both = (numbers[:, a] > 0) & (numbers[:, b] > 0)
    together = np.where(both, numbers[:, a] + numbers[:, b], np.inf)
    document = of_block[0]
    mean = ((sums[:, a] + sums[:, b]) / together)[document]
    x_of_a = numbers[:, b] / together  # less the mean of x
    x_of_b = numbers[:, a] / together  # with the opposite sign
    of_a = x_of_a[document] * (total[:, a] - number[:, a] * mean)
    of_b = x_of_b[document] * (total[:, b] - number[:, b] * mean)
    return of_a - of_b, of_block[: len(units)]


def membership(unit: np.ndarray) -> "scipy.sparse.csr_array":
    """Mark the blocks of each unit, (units, blocks), from the unit of each block."""
    return scipy.sparse.csr_array((np.ones(len(unit)), (unit, np.arange(len(unit)))))


def p_by_units(values: pd.DataFrame, score: str, units: Sequence[str]) -> np.ndarray:
    """Test every pair of systems by `unit_p`: one-sided p, (systems, systems)."""
    size = values["system"].max() + 1
    scores, of_block = block_scores(values, score, units, pairs_of(size))
    return one_sided_p(unit_p(scores, of_block), scores.sum(axis=0), size)


def one_sided_p(two_sided: np.ndarray, margin: np.ndarray, size: int) -> np.ndarray:
    """Make one-sided p-values of two-sided ones, (..., systems, systems).

    Parameters
    ----------
    two_sided, margin : ndarray, (..., pairs)
        The margin is above zero if the first of the two systems is ahead.
    size : int
        Number of systems.
    """
    upper = np.where(margin > 0, two_sided / 2, 1 - two_sided / 2)
    return square(upper, 1 - upper, size)


# --- the judgements of a campaign -----------------------------------------------------


def units_of_collection(values: pd.DataFrame) -> tuple[str, ...]:
    """Choose the units of a campaign's tests: documents, or else HITs, and workers.

    Documents, or HITs, are units if half of the pairs of systems share `FEWEST_UNITS`
    of them. Workers are units too if, besides, a worker who judged a system did so in
    `RECURRING` of these units, on average. No unit: (): nothing that was collected as a
    whole is shared by systems.

    Parameters
    ----------
    values : DataFrame
        Of `zscores.judged_values`.
    """
    units: list[str] = []
    for unit in ("document", "hit", "worker"):
        if unit not in values or (unit == "hit" and units):
            continue
        judged = np.zeros((values[unit].max() + 1, values["system"].max() + 1))
        judged[values[unit], values["system"]] = 1
        common = (judged.T @ judged)[pairs_of(judged.shape[1])]
        recurring = np.median(common) >= FEWEST_UNITS
        if unit == "worker" and units:
            blocks = values[["worker", "system", units[0]]].drop_duplicates()
            recurring &= len(blocks) >= RECURRING * judged.sum()
        if recurring:
            units.append(unit)
    return tuple(units)
