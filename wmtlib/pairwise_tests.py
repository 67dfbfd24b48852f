"""Tests of pairs of systems, from arrays to p-values: by segments, and by units of collection."""

import contextlib
import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import scipy

from wmtlib import counts as counting
from wmtlib.assessments import Campaign
from wmtlib.counts import FIRST, TIE
from wmtlib.draws import Seed, generator
from wmtlib.errors import DataError
from wmtlib.ranking import TOLERANCE
from wmtlib.zscores import standardised, usable_cells

TESTS = ("legacy", "two-sided", "one-sided")
SEGMENT_TESTS = ("rank-sum", "signed-rank", "t")
ALPHA = 0.05
FEWEST_COMMON = 20  # segments of two systems, for a signed-rank test
DIGITS = 9  # decimals of segment means that a test compares: those that agree are tied


def p_values(means: pd.DataFrame, *, test: str) -> pd.DataFrame:
    """Rank-sum test of every pair of systems on their segments' mean z-scores.

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
        Equal to SciPy's to the last bit; with "legacy" the last bit depends on which of
        the two systems comes first, as it did there. 1 on the diagonal, and where two
        systems hold one and the same value only (SciPy before 1.7 refused those).

    Raises
    ------
    DataError
        An unknown test, or a z-score that is not a number.
    """
    system, names = pd.factorize(means["system"].astype(str), sort=True)
    z = means["z"].to_numpy(np.float64)
    if (bad := np.flatnonzero(~np.isfinite(z))).size:
        raise DataError(f"row {bad[0]}: z is {z[bad[0]]}; expected a number")
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
            score = (
                (np.maximum(u, u.T) if test == "two-sided" else u) - n * m / 2 - 0.5
            ) / spread
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

        U(a, b) = sum over values of a: values of b below it + half of those equal to it

    Values are sorted once; how many of b lie below each of them is a cumulative sum.
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
    cell = group * size + system
    _, cell, times = np.unique(cell, return_inverse=True, return_counts=True)
    times = times[cell].astype(float)  # how often its own system holds each value
    own = np.bincount(system, times**2 - 1, size)  # sums of t^3 - t
    u, cross = np.zeros(
        (2, size, size)
    )  # cross: sums of counts of a, squared, times counts of b
    for b in range(size):
        held = np.bincount(group[system == b], minlength=len(distinct))
        u[:, b] = np.bincount(system, (np.cumsum(held) - held / 2)[group], size)
        cross[:, b] = np.bincount(system, times * held[group], size)
    # (t_a + t_b)^3 - (t_a + t_b), summed over the groups of tied values.
    ties = own[:, None] + own + 3 * (cross + cross.T)
    return u, ties, np.bincount(system, minlength=size).astype(float)


def signed_rank_p(means: np.ndarray) -> np.ndarray:
    """One-sided Wilcoxon signed-rank test of every pair of systems on their common segments.

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
    size = len(means)
    p = np.full((size, size), np.nan)
    for a in range(size - 1):
        difference = np.nan_to_num(means[a] - means[a + 1 :]).round(DIGITS)
        used = difference != 0
        n = used.sum(axis=1)
        ranks = (
            scipy.stats.rankdata(np.where(used, np.abs(difference), np.inf), axis=1)
            * used
        )
        above = (ranks * (difference > 0)).sum(axis=1) - n * (n + 1) / 4
        spread = np.sqrt((ranks**2).sum(axis=1) / 4)
        score = np.divide(above, spread, out=np.zeros(len(n)), where=n > 0)
        p[a, a + 1 :], p[a + 1 :, a] = scipy.special.ndtr([-score, score])
    return p


def t_test_p(means: np.ndarray) -> np.ndarray:
    """One-sided paired t-test of every pair of systems on their common segments.

    Parameters
    ----------
    means : ndarray, (systems, segments)
        NaN where a system was not judged.

    Returns
    -------
    ndarray, (systems, systems)
        Small where the row's system is better; NaN where two systems differ nowhere.
    """
    known = (~np.isnan(means)).astype(float)
    value = np.nan_to_num(means)
    common, total, squares = known @ known.T, value @ known.T, value**2 @ known.T
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (total - total.T) / common
        spread = squares + squares.T - 2 * value @ value.T - common * mean**2
        p = scipy.special.stdtr(
            common - 1, -mean * np.sqrt(common * (common - 1) / spread)
        )
    np.fill_diagonal(p, np.nan)
    return p


def by_segments(means: np.ndarray, test: str) -> np.ndarray:
    """One-sided p-values, (systems, systems), by means of segments, (systems, segments)."""
    if test == "rank-sum":
        system, segment = np.nonzero(~np.isnan(means))
        return pairwise_p(
            means[system, segment].round(DIGITS), system, len(means), "one-sided"
        )
    return signed_rank_p(means) if test == "signed-rank" else t_test_p(means)


FLIPS = (
    499,
    9999,
)  # choices of signs for every pair, and for pairs that are found to be unlikely
UNLIKELY = 0.1
EXACT_UNITS = 12  # up to which all flips are tried
FEWEST_UNITS = 6  # with five, the least two-sided p is 2 / 2^5, above 5 %
AT_ONCE = 20_000_000  # signs, or sums of pairs
RECURRING = 5  # documents, or HITs, that a worker judged of a system
MOST_CELLS = 20_000  # units x systems of a test of comparisons
LEAST_GROUPS = 100  # of units, however many systems there are


def sign_flip_p(differences: np.ndarray, *, seed: Seed = 0) -> np.ndarray:
    """Two-sided permutation test of two equal systems, of every pair at once.

        T = sum over units u of C(u),    T* = sum over u of s(u) C(u),    s(u) = +1 or -1

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
        C; 0 where a unit did not judge both systems.
    seed : int or Generator

    Returns
    -------
    ndarray of float64, (pairs,)
        NaN where fewer than `FEWEST_UNITS` units differ from 0: 5 % could not be
        reached.

    Examples
    --------
    >>> sign_flip_p(np.array([[1.0], [2], [3], [4], [5], [6]])).tolist()  # 2 of 64 choices
    [0.03125]
    """
    (units, pairs), rng = differences.shape, generator(seed)
    p, left = np.ones(pairs), np.arange(pairs)
    exact = units <= EXACT_UNITS
    for number in (2**units,) if exact else FLIPS:
        chosen = differences[:, left]
        least = np.abs(chosen.sum(axis=0)) - TOLERANCE * np.abs(chosen).sum(axis=0)
        hits = np.zeros(len(left))
        step = max(1, AT_ONCE // max(units, len(left), 1))
        for first in range(0, number, step):
            choice = np.arange(first, min(first + step, number))
            if exact:  # bit u of the number of a choice is the sign of unit u
                signs = 1 - 2.0 * (choice[:, None] >> np.arange(units) & 1)
            else:
                signs = 1 - 2.0 * rng.integers(2, size=(len(choice), units))
            hits += (np.abs(signs @ chosen) >= least).sum(axis=0)
        p[left] = hits / number if exact else (1 + hits) / (1 + number)
        left = left[p[left] < UNLIKELY]
    differing = (np.abs(differences) > TOLERANCE).sum(axis=0)
    return np.where(differing >= FEWEST_UNITS, p, np.nan)


def unit_differences(
    value: np.ndarray, system: np.ndarray, unit: np.ndarray, size: int
) -> np.ndarray:
    """What each unit adds to the difference of every two systems: C of `sign_flip_p`.

        C(u) = n(a) n(b) / (n(a) + n(b)) x (mean of a - mean of b),    in the unit u

    with n(a) and n(b) the numbers of values. If all systems were judged on the same
    segments, the weight is half their number, and the sum is in favour of the system
    with the higher mean.

    Parameters
    ----------
    value, system, unit : ndarray, (values,)
        Systems are 0 .. size - 1, units are numbered from 0.
    size : int

    Returns
    -------
    ndarray of float64, (units, pairs)
        Pairs a < b in the order of `np.triu_indices`; 0 where a unit lacks one of the
        two.

    Examples
    --------
    >>> unit_differences(np.array([5.0, 7, 3]), np.array([0, 0, 1]), np.zeros(3, int), 2).tolist()
    [[2.0]]
    """
    cell, shape = unit * size + system, (unit.max(initial=-1) + 1, size)
    number = np.bincount(cell, minlength=math.prod(shape)).reshape(shape)
    total = np.bincount(cell, value, minlength=math.prod(shape)).reshape(shape)
    a, b = np.triu_indices(size, 1)
    both = number[:, a] + number[:, b]
    difference = total[:, a] * number[:, b] - total[:, b] * number[:, a]
    together = (number[:, a] > 0) & (number[:, b] > 0)
    return np.divide(difference, both, out=np.zeros(both.shape), where=together)


def margins_by_unit(
    comparisons: pd.DataFrame, unit: str, systems: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Wins less losses, and decided comparisons, of every pair of systems in every unit.

    Parameters
    ----------
    comparisons : DataFrame
    unit : str
        A column, such as judge. Of very many (see `MOST_CELLS`) several, whoever they
        are, count as one: a test of fewer units is as true.
    systems : sequence of names, sorted
        Comparisons with others are left out.

    Returns
    -------
    margins, decided : ndarray of float64, (units, pairs)
        Pairs in the order of `np.triu_indices`; `margins` is C of `sign_flip_p`.
    """
    kept = comparisons[["system_1", "system_2"]].isin(systems).all(axis=1)
    _, first, second, preference, times = counting.coded(comparisons[kept], systems)
    number, units = counting.unit_codes(comparisons.loc[kept, unit], unit)
    size = len(systems)
    units = min(max(units, 1), max(MOST_CELLS // size, LEAST_GROUPS))
    shape = units, math.comb(size, 2)
    a, b = np.minimum(first, second), np.maximum(first, second)
    pair = a * size - a * (a + 1) // 2 + b - a - 1
    cell = number % units * shape[1] + pair
    won = (
        np.where(preference == FIRST, 1, -1)
        * np.where(first == a, 1, -1)
        * (preference != TIE)
    )
    margins, decided = (
        np.bincount(cell, weight * times, math.prod(shape)).reshape(shape)
        for weight in (won, np.abs(won))
    )
    return margins, decided


def unit_p(
    differences: Sequence[np.ndarray], size: int, *, seed: Seed = 0
) -> np.ndarray:
    """One-sided p-values of `sign_flip_p`, by one or several kinds of units.

    Parameters
    ----------
    differences : sequence of ndarray, (units, ..., pairs)
        By documents, say, and by judges: of the p-values the largest counts, so that a
        difference has to hold for other documents and for other judges. The first says
        who is ahead.
    size : int
        Number of systems.

    Returns
    -------
    ndarray of float64, (..., systems, systems)
        Small where the row's system is better; NaN where a pair is not tested.
    """
    shape = differences[0].shape[1:]
    p = [sign_flip_p(part.reshape(len(part), -1), seed=seed) for part in differences]
    two_sided = np.max(p, axis=0).reshape(shape)
    upper = np.where(differences[0].sum(axis=0) > 0, two_sided / 2, 1 - two_sided / 2)
    return square(upper, 1 - upper, size)


def square(upper: np.ndarray, lower: np.ndarray, size: int) -> np.ndarray:
    """Values of pairs a < b and b > a, (..., pairs), as matrices with NaN on the diagonal."""
    matrix = np.full((*upper.shape[:-1], size, size), np.nan)
    a, b = np.triu_indices(size, 1)
    matrix[..., a, b], matrix[..., b, a] = upper, lower
    return matrix


def judged_values(campaign: Campaign) -> pd.DataFrame:
    """Every judgement that counts for a system, by numbers.

    Columns system, segment, raw, z, and the units that are known: document, hit,
    worker.
    """
    z = standardised(campaign)
    cells = usable_cells(campaign, z)
    judgement = cells.judgement
    columns = {"system": cells.credit_system, "segment": campaign.place[judgement]}
    columns |= {"raw": campaign.score[judgement], "z": z[judgement]}
    for unit in ("document", "hit", "worker"):
        with contextlib.suppress(DataError):  # HITs are not named
            columns[unit] = campaign.units(unit)[0][judgement]
    return pd.DataFrame(columns)


def table_of_segments(values: pd.DataFrame, score: str) -> np.ndarray:
    """Mean score of each system on each segment, (systems, segments); NaN where there is none."""
    system, segment = values["system"].to_numpy(), values["segment"].to_numpy()
    shape = system.max() + 1, segment.max() + 1
    cell, size = system * shape[1] + segment, math.prod(shape)
    total, number = (
        np.bincount(cell, values[score], size),
        np.bincount(cell, minlength=size),
    )
    return np.divide(
        total, number, out=np.full(size, np.nan), where=number > 0
    ).reshape(shape)


def differences_by_unit(
    values: pd.DataFrame, score: str, units: Sequence[str]
) -> list[np.ndarray]:
    """`unit_differences` of a score of `judged_values`, by each kind of unit."""
    value, system = values[score].to_numpy(), values["system"].to_numpy()
    size = system.max() + 1
    return [
        unit_differences(value, system, values[unit].to_numpy(), size) for unit in units
    ]


def design_effect(values: pd.DataFrame, unit: str) -> float:
    """How many judgements of a unit are worth one, for the difference of two systems.

    The variance of T of `sign_flip_p` by units over that by single segments, over all
    pairs and with the systems' means taken out. It means something where systems share
    their segments.

    Parameters
    ----------
    values : DataFrame
        Of `judged_values`.
    unit : str
        One of its columns.
    """
    centred = values.assign(
        z=values["z"] - values.groupby("system")["z"].transform("mean")
    )
    by_unit, by_segment = differences_by_unit(centred, "z", [unit, "segment"])
    return (by_unit**2).sum() / (by_segment**2).sum()


def units_of_collection(values: pd.DataFrame) -> tuple[str, ...]:
    """The units of the tests of a campaign: its documents, or else its HITs, and its workers.

    Documents, or HITs, are units if half of the pairs of systems share `FEWEST_UNITS`
    of them. Workers are units too if, besides, a worker who judged a system did so in
    `RECURRING` of these units, on average. No unit: (): nothing that was collected as a
    whole is shared by systems.

    Parameters
    ----------
    values : DataFrame
        Of `judged_values`.
    """
    units: list[str] = []
    for unit in ("document", "hit", "worker"):
        if unit not in values or (unit == "hit" and units):
            continue
        judged = (pd.crosstab(values[unit], values["system"]) > 0).to_numpy(float)
        common = (judged.T @ judged)[np.triu_indices(judged.shape[1], 1)]
        recurring = np.median(common) >= FEWEST_UNITS
        if unit == "worker" and units:
            blocks = values[["worker", "system", units[0]]].drop_duplicates()
            recurring &= len(blocks) >= RECURRING * judged.sum()
        units += [unit] * bool(recurring)
    return tuple(units)
