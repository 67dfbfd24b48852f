"""Tests of every pair of systems, from arrays to p-values.

- By segments: the rank-sum test of Knowles (2021, section 3), the signed-rank test and
  the t-test of WMT since 2024. They take segments for independent.
- By units of collection, what was judged as a whole: a document, a HIT, a judge.
  `sign_flip_p` and `unit_p` are the tests; `block_scores` and `margins_by_unit` give
  what each unit adds to the difference of two systems.

A one-sided p-value is small where the system of the row is the better one.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache

import numpy as np
import pandas as pd
import scipy

from wmtlib.assessments import Campaign
from wmtlib.counts import FIRST, TIE, Compared, ComparisonRows, rows_of, unit_codes
from wmtlib.errors import DataError
from wmtlib.forms import Data
from wmtlib.ranking import TOLERANCE
from wmtlib.sampling import Seed, generator
from wmtlib.zscores import scores_of, standardised, usable_cells

TESTS = ("legacy", "two-sided", "one-sided")
SEGMENT_TESTS = ("rank-sum", "signed-rank", "t")
ALPHA = 0.05
FEWEST_COMMON = 20  # segments of two systems, for a signed-rank test
DIGITS = 9  # decimals of segment means that a test compares: those that agree are tied
FEW_FLIPS = 499  # choices of signs, for every pair
MANY_FLIPS = 9999  # for the pairs whose p is below `UNLIKELY`
UNLIKELY = 0.1
EXACT_UNITS = 12  # up to which all flips are tried
JUDGING = ("judge", "judge_group", "ranking")  # units of tests of comparisons
FEWEST_FLIPPED = 6  # units; with five, the least two-sided p is 2 / 2^5, above 5 %
FEWEST_UNITS = 7  # of scores; with six, no t of `unit_p` reaches 5 %
PAIRS = 256  # that are tested by units at a time
BLOCK = 512  # choices of signs that are held at a time
RECURRING = 5  # documents, or HITs, that a worker judged of a system
MOST_CELLS = 20_000  # units x systems of a test of comparisons
LEAST_GROUPS = 100  # of units, however many systems there are


@cache
def pairs_of(size: int) -> tuple[np.ndarray, np.ndarray]:
    """List first and second system of every pair, as all arrays of pairs do.

    >>> [side.tolist() for side in pairs_of(3)]
    [[0, 0, 1], [1, 2, 2]]
    """
    return np.triu_indices(size, 1)


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


# --- by units of collection -----------------------------------------------------------


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
    differences : ndarray, (units, ...)
        C, of pairs of systems; 0 where a unit did not judge both.
    seed : int or Generator

    Returns
    -------
    ndarray of float64, (...,)
        NaN where fewer than `FEWEST_FLIPPED` units differ from 0: 5 % could not be
        reached.

    Examples
    --------
    >>> differences = np.array([[1.0], [2], [3], [4], [5], [6]])
    >>> sign_flip_p(differences).tolist()  # 2 of 64 choices
    [0.03125]
    """
    units = len(differences)
    pairs = differences.reshape(units, -1)
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
    differing = (np.abs(pairs) > TOLERANCE).sum(axis=0)
    p = np.where(differing >= FEWEST_FLIPPED, p, np.nan)
    return p.reshape(differences.shape[1:])


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


def margins_by_unit(
    comparisons: Compared, unit: str, systems: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Sum wins less losses, and decided comparisons, of every pair in each unit.

    Parameters
    ----------
    comparisons : ComparisonRows or comparisons frame
    unit : str
        A column, such as judge. Of very many (see `MOST_CELLS`) several, whoever they
        are, count as one: a test of fewer units is as true.
    systems : sequence of names, sorted
        Comparisons with others are left out.

    Returns
    -------
    margins, decided : ndarray of float64, (units, pairs)
        Pairs in the order of `pairs_of`; `margins` is C of `sign_flip_p`.
    """
    rows = rows_of(comparisons).among(systems)
    unit_number, n_units = unit_codes(rows.frame[unit], unit)
    size = len(systems)
    units = min(max(n_units, 1), max(MOST_CELLS // size, LEAST_GROUPS))
    won = rows.preference == FIRST
    better = np.where(won, rows.first, rows.second)
    worse = np.where(won, rows.second, rows.first)
    decisive = np.where(rows.preference == TIE, 0.0, rows.times)
    shape = units, size**2
    wins = cell_sums(decisive, unit_number % units, better * size + worse, shape)
    a, b = pairs_of(size)
    won = wins[:, a * size + b]
    lost = wins[:, b * size + a]
    return won - lost, won + lost


def unit_p(scores: np.ndarray, units: Sequence[np.ndarray]) -> np.ndarray:
    """Test every pair by one or two kinds of units: two-sided p of equal systems.

        t = T / sqrt(V),    V = V(documents) + V(judges) - V(blocks)

    T is the sum over blocks (a block is all that a judge said of a document), and V(k)
    the sum of squares of the sums over each unit of a kind. Where a difference varies
    both from document to document and from judge to judge, V is the two-way clustered
    variance (Cameron, Gelbach and Miller 2011), at least the larger of the first two;
    by one kind of units it is V of that kind. t has the degrees of freedom of the kind
    with fewer units, less 1. How this test was chosen: docs/joint-null.md.

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
    if len(units) == 1:
        p = np.maximum(p, sign_flip_p(by_unit[0]))
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
        Of `judged_values`.
    score : str
        raw or z.
    units : one or two names of columns
        A block has one unit of each.
    pairs : two ndarrays of int, (pairs,)
        a and b; see `pairs_of`.

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
    chunks = []
    for first in range(0, math.comb(size, 2), PAIRS):
        a, b = (side[first : first + PAIRS] for side in pairs_of(size))
        scores, of_block = block_scores(values, score, units, (a, b))
        chunks.append((unit_p(scores, of_block), scores.sum(axis=0)))
    two_sided, margin = np.concatenate(chunks, axis=1)
    return one_sided_p(two_sided, margin, size)


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


def square(upper: np.ndarray, lower: np.ndarray, size: int) -> np.ndarray:
    """Make matrices of values of pairs a < b and b > a, (..., pairs); diagonal: NaN."""
    matrix = np.full((*upper.shape[:-1], size, size), np.nan)
    a, b = pairs_of(size)
    matrix[..., a, b] = upper
    matrix[..., b, a] = lower
    return matrix


# --- the judgements of a campaign -----------------------------------------------------


def judged_values(campaign: Campaign, score: str = "z") -> pd.DataFrame:
    """List every judgement that counts for a system, by numbers.

    Columns system, segment, raw, z, and the units that are known: document, hit,
    worker. Those without a z-score are among them if the score is "raw".
    """
    z = standardised(campaign)
    cells = usable_cells(campaign, scores_of(campaign, score))
    columns = {"segment": campaign.place, "raw": campaign.score, "z": z}
    for unit in ("document", "hit", "worker"):
        with suppress(DataError):  # HITs are not named
            columns[unit], _ = campaign.units(unit)
    values = pd.DataFrame(columns).iloc[cells.judgement].reset_index(drop=True)
    values.insert(0, "system", cells.credit_system)
    return values


def table_of_segments(values: pd.DataFrame, score: str) -> np.ndarray:
    """Average scores of each system on each segment, (systems, segments)."""
    system, segment = (values[name].to_numpy() for name in ("system", "segment"))
    shape = system.max() + 1, segment.max() + 1
    number = cell_sums(np.ones(len(values)), system, segment, shape)
    total = cell_sums(values[score].to_numpy(), system, segment, shape)
    return np.divide(total, number, out=np.full(shape, np.nan), where=number > 0)


def campaign_p(
    campaign: Campaign, score: str, test: str, units: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Test every pair of systems of a campaign, by segments or by units.

    Parameters
    ----------
    campaign : Campaign
    score : "z" or "raw"
    test : "rank-sum", "signed-rank", "t" or "unit"
    units : names
        Of the unit test: one or two kinds of units.

    Returns
    -------
    p, common : ndarray, (systems, systems)
        One-sided p-values, and the number of segments that both systems were judged on.
    """
    if score not in ("z", "raw"):
        raise DataError(f"score is {score!r}; expected z, raw")
    if test not in SEGMENT_TESTS and not (test == "unit" and units):
        raise DataError(
            f"test is {test!r}; expected {', '.join(SEGMENT_TESTS)}, unit (with units)"
        )
    values = judged_values(campaign, score)
    means = table_of_segments(values, score)
    judged = (~np.isnan(means)).astype(int)
    common = judged @ judged.T
    if test == "unit":
        return p_by_units(values, score, units), common
    p = by_segments(means, test)
    if test == "signed-rank":
        p = np.where(common < FEWEST_COMMON, np.nan, p)
    return p, common


def design_effect(values: pd.DataFrame, unit: str, score: str = "z") -> float:
    """Estimate how many judgements of a unit are worth one, for a difference.

    The variance of T of `sign_flip_p` by units over that by single segments, over all
    pairs and with the systems' means taken out. It means something where systems share
    their segments.

    Parameters
    ----------
    values : DataFrame
        Of `judged_values`.
    unit, score : str
        Columns of it.
    """
    centred = values[score] - values.groupby("system")[score].transform("mean")
    values = values.assign(**{score: centred})
    pairs = pairs_of(values["system"].max() + 1)
    by_unit, _ = block_scores(values, score, [unit], pairs)
    by_segment, _ = block_scores(values, score, ["segment"], pairs)
    return (by_unit**2).sum() / (by_segment**2).sum()


def units_of_collection(values: pd.DataFrame) -> tuple[str, ...]:
    """Choose the units of a campaign's tests: documents, or else HITs, and workers.

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


def usual_units(data: Data, score: str = "z") -> tuple[str, ...]:
    """Choose the units of a test: of a campaign, or judges, or else rankings.

    Parameters
    ----------
    data : Campaign, Counts or ComparisonRows
        Of comparisons there have to be `FEWEST_FLIPPED` judges, or rankings; counts
        name none.
    score : str
        Of a campaign, as in `judged_values`.

    Examples
    --------
    >>> rows = {"system_1": "x", "system_2": "y", "preference": 1, "ranking": range(6)}
    >>> usual_units(rows_of(pd.DataFrame(rows | {"judge": [*"abcdef"]})))
    ('judge',)
    >>> usual_units(rows_of(pd.DataFrame(rows | {"judge": [*"aabbcc"]})))
    ('ranking',)
    """
    if isinstance(data, Campaign):
        return units_of_collection(judged_values(data, score))
    if isinstance(data, ComparisonRows):
        for unit in JUDGING:
            if unit in data.frame and data.frame[unit].nunique() >= FEWEST_FLIPPED:
                return (unit,)
    return ()
