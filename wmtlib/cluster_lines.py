"""Which systems are really apart: a ranking, cut by significance lines into clusters.

`rank_campaign` is the whole of Equation 1's pipeline on arrays: scale the workers, standardise,
average over segments, order, test, draw lines (Knowles 2021, section 3 and footnote 4). Removing,
dividing and leaving out are arguments of it. `significance` tests every pair of a ranking of any
judgements, corrected for the number of tests.
"""

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy

from wmtlib import corrections
from wmtlib import counts as counting
from wmtlib.corrections import CORRECTIONS, TOLERANCE, best_ranks, corrected
from wmtlib.counts import FIRST, TIE, Counts, Seed, generator
from wmtlib.errors import DataError
from wmtlib.ranking import MINIMUM, Ranking, method_data, without_thin
from wmtlib.zscores import Campaign, order_by_mean, standardised, usable_cells

RULES = ("footnote-4", "official")
TESTS = ("legacy", "two-sided", "one-sided")
SEGMENT_TESTS = ("rank-sum", "signed-rank", "t")
ALPHA = 0.05
FEWEST_COMMON = 20  # segments of two systems, for a signed-rank test
DIGITS = 9  # decimals of segment means that a test compares: those that agree are tied


def lines_below(better: np.ndarray, rule: str) -> np.ndarray:
    """Below which systems of a ranking a significance line is drawn.

    Parameters
    ----------
    better : ndarray of bool, (ranked, ranked)
        Whether the row's system is significantly better than the column's; best first.
    rule : "footnote-4" or "official"
        "footnote-4": below a system iff it is significantly better than every system with a lower
        z-score (Knowles 2021, footnote 4). "official": as in WMT's own tables: below a system
        iff it is significantly better than as many systems as stand below it. The two differ
        where a system is significantly better than one with a higher z-score, which a one-sided
        test allows.

    Returns
    -------
    ndarray of bool, (ranked,)
        False for the last.
    """
    if rule not in RULES:
        raise DataError(f"rule is {rule!r}; expected {', '.join(RULES)}")
    beaten = wins(better) if rule == "official" else np.triu(better, 1).sum(axis=1)
    lines = beaten == np.arange(len(better))[::-1]
    lines[-1:] = False
    return lines


def wins(better: np.ndarray) -> np.ndarray:
    """How many systems each system is significantly better than, (ranked,) of int.

    Where the test is significant both ways it has no direction, and the better one is that which
    stands first in the ranking.
    """
    return (np.triu(better, 1) | np.tril(better & ~better.T, -1)).sum(axis=1)


def cluster_table(
    order: Sequence[str], p: pd.DataFrame, *, rule: str, alpha: float = ALPHA
) -> pd.DataFrame:
    """Cut a ranking into clusters.

    Parameters
    ----------
    order : names, best first
    p : DataFrame, systems x systems
        As `p_values` gives; systems that are not in the order are ignored.
    rule : "footnote-4" or "official"
        See `lines_below`.
    alpha : float
        Significant: p < alpha.

    Returns
    -------
    DataFrame
        Columns system, line (whether a line is drawn below it; False for the last), cluster
        (1 = best), wins (how many systems it is significantly better than); best first.

    Raises
    ------
    DataError
        An unknown rule, or a system without p-values.
    """
    if missing := [name for name in order if name not in p.index]:
        raise DataError(f"p-values lack {missing[0]!r}; expected every ranked system")
    better = p.loc[[*order], [*order]].to_numpy() < alpha
    line = lines_below(better, rule)
    cluster = 1 + np.cumsum(line) - line
    columns = {"system": [*order], "line": line, "cluster": cluster, "wins": wins(better)}
    return pd.DataFrame(columns)


def clusters(
    assessments: Any, *, test: str, rule: str, alpha: float = ALPHA, minimum: int = MINIMUM
) -> Ranking:
    """Rank direct assessments and draw significance lines (Knowles 2021, section 3).

    Thin systems are named in the note and left out: they would stand between the clusters of the
    others. If fewer than two others are left, all are ranked, without a line.

    Parameters
    ----------
    assessments : DataFrame, Campaign, or what `wmtlib.read` returned
        Columns worker, system, segment and score; see `zscores.encode`.
    test : "two-sided", "one-sided" or "legacy"
        Rank-sum test of segments' mean z-scores; "legacy" is the paper's (footnote 8).
    rule : "footnote-4" or "official"
        See `lines_below`.
    alpha : float
        Significant: p < alpha; not corrected for the number of tests.
    minimum : int
        Scored segments below which a system is thin.

    Returns
    -------
    Ranking
        Its table has the columns line, cluster and wins.

    Examples
    --------
    >>> import wmtlib
    >>> campaign = wmtlib.load_assessments("simulated-sr-dc", "qa-qc")
    >>> wmtlib.clusters(campaign, test="two-sided", rule="footnote-4").table["cluster"].max().item()
    3
    """
    campaign = method_data(assessments)
    if not isinstance(campaign, Campaign):
        raise DataError("got comparisons; expected a frame of direct assessments")
    campaign, enough, warnings = _without_thin(campaign, minimum)
    ranked = rank_campaign(campaign, test=test, rule=rule, alpha=alpha if enough else 0.0)
    return replace(ranked.ranking, note="; ".join(warnings))


def _without_thin(data: Any, minimum: int) -> tuple[Any, list[str], list[str]]:
    """Without thin systems; the names of the others, none if they are fewer than two; warnings."""

    def drop(kept: Any, names: list[str]) -> Any:
        if isinstance(kept, Counts):
            return kept.without(*names)
        return kept.without(names, items=(), paired=True)

    data, warnings, is_enough = without_thin(data, drop, minimum=minimum)
    return data, [*data.systems] if is_enough else [], warnings


@dataclass(frozen=True, eq=False)
class RankedClusters:
    """A ranking and which of its systems are significantly apart, as arrays.

    Attributes
    ----------
    systems : tuple of names, sorted
    order : ndarray of int, (ranked,)
        Positions in `systems`, best first.
    score : ndarray of float64, (systems,)
        Mean z-scores, by which they are ordered; NaN for systems that are not ranked.
    p : ndarray of float64, (systems, systems)
        1 where one of the two is not ranked.
    rule : str
        See `lines_below`.
    alpha : float
    """

    systems: tuple[str, ...]
    order: np.ndarray
    score: np.ndarray
    p: np.ndarray
    rule: str
    alpha: float = ALPHA

    def restricted(self, kept: np.ndarray) -> "RankedClusters":
        """The ranking of some systems, (systems,) of bool; scores and p-values stay."""
        return replace(self, order=self.order[kept[self.order]])

    @property
    def names(self) -> list[str]:
        """Names, best first."""
        return [self.systems[k] for k in self.order]

    @property
    def lines(self) -> np.ndarray:
        """Whether a significance line is drawn below each system of the order, (ranked,)."""
        return lines_below(self.p[np.ix_(self.order, self.order)] < self.alpha, self.rule)

    @property
    def ranking(self) -> Ranking:
        """With the columns of `cluster_table`."""
        p = pd.DataFrame(self.p, [*self.systems], [*self.systems])
        table = cluster_table(self.names, p, rule=self.rule, alpha=self.alpha)
        score = self.score[self.order]
        table.insert(1, "rank", best_ranks(score))
        table.insert(2, "score", score)
        return Ranking("z-score", table)


def rank_campaign(
    campaign: Campaign, *, test: str, rule: str, alpha: float = ALPHA, **choices: Any
) -> RankedClusters:
    """Rank a campaign's systems by mean z-score and test every pair.

    Parameters
    ----------
    campaign : Campaign
    test : str
        See `p_values`.
    rule, alpha
        See `cluster_table`.
    **choices
        Arguments of `averaged_z_scores`: other scores, what the scales are computed from, systems
        that are not ranked, judgements that are not averaged first.

    Raises
    ------
    DataError
        An unknown test or rule, fewer than two systems to rank, or one without judgements.
    """
    value, system = averaged_z_scores(campaign, **choices)
    order, score = order_by_mean(system, value, len(campaign.systems))
    p = pairwise_p(value.round(DIGITS), system, len(score), test)
    return RankedClusters(campaign.systems, order, score, p, rule, alpha)


def system_order(campaign: Campaign, **choices: Any) -> np.ndarray:
    """Positions of the ranked systems, best first: `rank_campaign` without the tests."""
    value, system = averaged_z_scores(campaign, **choices)
    return order_by_mean(system, value, len(campaign.systems))[0]


def averaged_z_scores(
    campaign: Campaign,
    *,
    score: np.ndarray | None = None,
    scales_from: np.ndarray | None = None,
    unranked: np.ndarray | None = None,
    average_segments: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """The values that systems are ranked by and tested on: segments' mean z-scores.

    Parameters
    ----------
    campaign : Campaign
    score : ndarray of float64, (judgements,), optional
        Instead of the campaign's own.
    scales_from : ndarray of bool, (judgements,), optional
        Judgements that the workers' means and standard deviations are computed from; all if not
        given.
    unranked : ndarray of bool, (systems,), optional
        Systems that are left out of the ranking: human systems, in the paper's comparisons
        (section 5, footnote 14 and Figure 2), or systems that are removed. Their judgements enter
        the scales only, unless `scales_from` excludes them.
    average_segments : bool
        Whether the judgements of a segment are averaged first (the paper, section 3). Otherwise
        every judgement counts alike.

    Returns
    -------
    value, system : ndarray, (values,)
        `system` is a position in `campaign.systems`.

    Raises
    ------
    DataError
        Fewer than two systems to rank, or one without judgements.
    """
    ranked = np.ones(len(campaign.systems), dtype=bool) if unranked is None else ~unranked
    if (left := int(ranked.sum())) < 2:
        raise DataError(f"{left} system(s) to rank; expected two or more")
    z = standardised(campaign, score=score, weight=scales_from)
    cells = usable_cells(campaign, z, ~ranked)
    value, system = z[cells.judgement], cells.credit_system
    if average_segments:
        value, system = cells.means(value), cells.system
    return value[ranked[system]], system[ranked[system]]


def p_values(means: pd.DataFrame, *, test: str) -> pd.DataFrame:
    """Rank-sum test of every pair of systems on their segments' mean z-scores.

    Normal approximation, corrected for ties and for continuity.

    Parameters
    ----------
    means : DataFrame
        Columns system and z, such as `segment_means` gives.
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

        U(a, b) = sum over values of a: values of b below it + half of those equal to it

    Values are sorted once; how many of b lie below each of them is a cumulative sum. Ties are equal
    floats: where values were computed, round them first.

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
        Sum of t^3 - t over the values that a and b hold t times together, for a and b that
        differ. Exact.
    number : ndarray of float64, (size,)
        Values of each system.
    """
    distinct, group = np.unique(values, return_inverse=True)
    cell = group * size + system
    _, cell, times = np.unique(cell, return_inverse=True, return_counts=True)
    times = times[cell].astype(float)  # how often its own system holds each value
    own = np.bincount(system, times**2 - 1, size)  # sums of t^3 - t
    u, cross = np.zeros((2, size, size))  # cross: sums of counts of a, squared, times counts of b
    for b in range(size):
        held = np.bincount(group[system == b], minlength=len(distinct))
        u[:, b] = np.bincount(system, (np.cumsum(held) - held / 2)[group], size)
        cross[:, b] = np.bincount(system, times * held[group], size)
    # (t_a + t_b)^3 - (t_a + t_b), summed over the groups of tied values.
    ties = own[:, None] + own + 3 * (cross + cross.T)
    return u, ties, np.bincount(system, minlength=size).astype(float)


def signed_rank_p(means: np.ndarray) -> np.ndarray:
    """One-sided Wilcoxon signed-rank test of every pair of systems on their common segments.

    WMT's test since 2024 for error span annotation (ESA), where all systems are judged on the same
    segments. Normal approximation, corrected for ties; segments without a difference are dropped,
    as by `scipy.stats.wilcoxon(method="asymptotic")`.

    Parameters
    ----------
    means : ndarray, (systems, segments)
        NaN where a system was not judged.

    Returns
    -------
    ndarray, (systems, systems)
        Small where the row's system is better than the column's; 0.5 where the two differ on no
        common segment; NaN on the diagonal.

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
        ranks = scipy.stats.rankdata(np.where(used, np.abs(difference), np.inf), axis=1) * used
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
        p = scipy.special.stdtr(common - 1, -mean * np.sqrt(common * (common - 1) / spread))
    np.fill_diagonal(p, np.nan)
    return p


def by_segments(means: np.ndarray, test: str) -> np.ndarray:
    """One-sided p-values, (systems, systems), by means of segments, (systems, segments)."""
    if test == "rank-sum":
        system, segment = np.nonzero(~np.isnan(means))
        return pairwise_p(means[system, segment].round(DIGITS), system, len(means), "one-sided")
    return signed_rank_p(means) if test == "signed-rank" else t_test_p(means)


def significance(
    data: Any,
    order: Sequence[str],
    *,
    correction: str = CORRECTIONS[0],
    score: str = "z",
    test: str = "rank-sum",
    units: Sequence[str] = (),
    minimum: int = MINIMUM,
) -> pd.DataFrame:
    """Test every pair of ranked systems, corrected for the number of tests.

    Thin systems are left out, with all their judgements, as by `clusters`.

    Lopez (2012, section 6) asks for the correction. The test, always two-sided, is

    - for counts the sign test: an exact binomial test of the decided comparisons of the two with
      each other, ties dropped;
    - for a campaign the rank-sum test of their segments' mean scores (`p_values`), or the
      signed-rank test of the segments that both were judged on (`signed_rank_p`), if these are
      `FEWEST_COMMON` or more.

    They take judgements, or segments, for independent.

    Parameters
    ----------
    data : DataFrame, Counts, Campaign or Judgements
        As in `ranking.rank`.
    order : names, best first
        The systems to test; comparisons with others play no part.
    correction : "benjamini-hochberg", "holm" or "none"
        Keeps at alpha the share of false differences among those found (Benjamini & Hochberg 1995),
        or the chance of a single false one (Holm 1979), or neither.
    score : "z" or "raw"
        Of a campaign: which scores are tested.
    test : "rank-sum", "signed-rank", "t" or "unit"
        Of a campaign.
    units : names
        Of the unit test: the kinds of units by which a difference has to hold, such as those of
        `units_of_collection`. Of comparisons (a frame of them): the sign test is made by these
        units, such as judge, not by single comparisons.
    minimum : int
        Comparisons, or scored segments, below which a system is thin.

    Returns
    -------
    DataFrame
        One row for each pair that stands above and below in the order: above, below, neighbours
        (bool), ahead (which one the test is in favour of, "" if neither), p and corrected. For
        counts also wins, losses and ties of the upper one, for the signed-rank test common, the
        number of common segments. A pair without a decided comparison, or with too few units or
        segments in common, is not tested: NaN, and it does not count among the tests.

    Raises
    ------
    DataError
        An unknown correction, a name that is not in the data or stands twice, or fewer than two
        systems, thin ones not counted.

    Examples
    --------
    >>> votes = pd.DataFrame({"a": "x", "b": "y", "outcome": ["a"] * 9 + ["b"]})
    >>> significance(votes, ["x", "y"])["p"].round(4).tolist()
    [0.0215]
    """
    if correction not in CORRECTIONS:
        raise DataError(f"correction is {correction!r}; expected {', '.join(CORRECTIONS)}")
    given, data = data, method_data(data, rows=False)
    data, names = _with_systems(data, [*order], minimum)
    upper, lower = np.triu_indices(len(names), k=1)
    table = pd.DataFrame({"above": names[upper], "below": names[lower]})
    table["neighbours"] = lower == upper + 1
    i, j = (pd.Index(data.systems).get_indexer(table[side]) for side in ("above", "below"))
    if isinstance(data, Counts):
        wins, ties = data.wins.to_numpy(), data.ties.to_numpy()
        table = table.assign(wins=wins[i, j], losses=wins[j, i], ties=ties[i, j])
    if isinstance(data, Campaign):
        better, common = _campaign_p(data, score, test, units)
        table = table.assign(common=common[i, j]) if test == "signed-rank" else table
    elif units:
        rows, systems = counting.comparisons_of(given), data.systems
        parts = [margins_by_unit(rows, unit, systems)[0] for unit in units]
        better = unit_p(parts, len(systems))
    if units or isinstance(data, Campaign):
        lead = np.nan_to_num(np.sign(better[j, i] - better[i, j]))
        p = np.minimum(1, 2 * np.minimum(better[i, j], better[j, i]))
    else:
        lead, p = np.sign(wins[i, j] - wins[j, i]), corrections.sign_test(wins[i, j], wins[j, i])
    table["ahead"] = np.select([lead > 0, lead < 0], [table["above"], table["below"]], "")
    return table.assign(p=p, corrected=corrected(p, correction))


def _with_systems(data: Any, order: list[str], minimum: int) -> tuple[Any, np.ndarray]:
    """The judgements without thin systems, and the others in their order."""
    if len(order) < 2 or len(set(order)) < len(order):
        raise DataError("the order needs two systems or more, each once")
    if odd := [name for name in order if name not in data.systems]:
        raise DataError(f"no system {odd[0]!r}; expected names of the data")
    data, enough, warnings = _without_thin(data, minimum)
    names = np.array([name for name in order if name in enough], dtype=object)
    if len(names) < 2:
        raise DataError(warnings[0])
    return data, names


def _campaign_p(
    campaign: Campaign, score: str, test: str, units: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """One-sided p-values, small where the row's system is better, and common segments of pairs."""
    if score not in ("z", "raw"):
        raise DataError(f"score is {score!r}; expected z, raw")
    if test not in (*SEGMENT_TESTS, *["unit"] * bool(units)):
        raise DataError(f"test is {test!r}; expected {', '.join(SEGMENT_TESTS)}, unit (with units)")
    values = judged_values(campaign)
    means = table_of_segments(values, score)
    known = (~np.isnan(means)).astype(int)
    common = known @ known.T
    if test == "unit":
        return unit_p(differences_by_unit(values, score, units), len(means)), common
    p = by_segments(means, test)
    return np.where((test == "signed-rank") & (common < FEWEST_COMMON), np.nan, p), common


def groups(table: pd.DataFrame, order: Sequence[str], *, alpha: float = ALPHA) -> pd.DataFrame:
    """Cut a ranking where systems are significantly apart.

    A line is drawn below a system if and only if it is significantly better than every system
    below it (Knowles 2021, footnote 4). Systems that the table does not name, as thin ones, are
    left out. Two systems without a decided comparison are not known to be apart.

    Parameters
    ----------
    table : DataFrame
        What `significance` gives for this order.
    order : names, best first
    alpha : float
        Significant: corrected p < alpha.

    Returns
    -------
    DataFrame
        Columns system, line (False for the last), cluster (1 = best), wins (how many systems it is
        significantly better than, wherever they stand); best first.
    """
    order = [name for name in order if name in {*table["above"], *table["below"]}]
    p = pd.DataFrame(1.0, index=order, columns=order)
    tested = table[table["ahead"] != ""].dropna(subset="corrected")
    behind = tested["above"].where(tested["ahead"] == tested["below"], tested["below"])
    for better, worse, value in zip(tested["ahead"], behind, tested["corrected"], strict=True):
        p.loc[better, worse] = value
    return cluster_table(order, p, rule="footnote-4", alpha=alpha)


# --- tests whose unit is what was collected: a document, a HIT, a judge -------------------------

FLIPS = 499, 9999  # choices of signs for every pair, and for pairs that are found to be unlikely
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

    C(u) is what a unit (a document, a HIT, a judge) adds to the difference of two systems. If the
    systems are equal, a unit would as soon have shown the opposite, so that every choice of signs
    is as likely as the one that was seen: p is the share of choices with |T*| >= |T|.

    Of `EXACT_UNITS` units or fewer all choices are tried, and p is exact. Of more, choices are
    drawn, the same for all pairs, and p = (1 + hits) / (1 + choices): few choices first, and the
    larger number anew for those pairs whose p is below `UNLIKELY` (which keeps p a p-value: it is
    below any level at most as often as one of the two draws alone).

    Parameters
    ----------
    differences : ndarray, (units, pairs)
        C; 0 where a unit did not judge both systems.
    seed : int or Generator

    Returns
    -------
    ndarray of float64, (pairs,)
        NaN where fewer than `FEWEST_UNITS` units differ from 0: 5 % could not be reached.

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

    with n(a) and n(b) the numbers of values. If all systems were judged on the same segments, the
    weight is half their number, and the sum is in favour of the system with the higher mean.

    Parameters
    ----------
    value, system, unit : ndarray, (values,)
        Systems are 0 .. size - 1, units are numbered from 0.
    size : int

    Returns
    -------
    ndarray of float64, (units, pairs)
        Pairs a < b in the order of `np.triu_indices`; 0 where a unit lacks one of the two.

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
        A column, such as judge. Of very many (see `MOST_CELLS`) several, whoever they are, count as
        one: a test of fewer units is as true.
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
    won = np.where(preference == FIRST, 1, -1) * np.where(first == a, 1, -1) * (preference != TIE)
    margins, decided = (
        np.bincount(cell, weight * times, math.prod(shape)).reshape(shape)
        for weight in (won, np.abs(won))
    )
    return margins, decided


def unit_p(differences: Sequence[np.ndarray], size: int, *, seed: Seed = 0) -> np.ndarray:
    """One-sided p-values of `sign_flip_p`, by one or several kinds of units.

    Parameters
    ----------
    differences : sequence of ndarray, (units, ..., pairs)
        By documents, say, and by judges: of the p-values the largest counts, so that a difference
        has to hold for other documents and for other judges. The first says who is ahead.
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

    Columns system, segment, raw, z, and the units that are known: document, hit, worker.
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
    total, number = np.bincount(cell, values[score], size), np.bincount(cell, minlength=size)
    return np.divide(total, number, out=np.full(size, np.nan), where=number > 0).reshape(shape)


def differences_by_unit(values: pd.DataFrame, score: str, units: Sequence[str]) -> list[np.ndarray]:
    """`unit_differences` of a score of `judged_values`, by each kind of unit."""
    value, system = values[score].to_numpy(), values["system"].to_numpy()
    size = system.max() + 1
    return [unit_differences(value, system, values[unit].to_numpy(), size) for unit in units]


def design_effect(values: pd.DataFrame, unit: str) -> float:
    """How many judgements of a unit are worth one, for the difference of two systems.

    The variance of T of `sign_flip_p` by units over that by single segments, over all pairs and
    with the systems' means taken out. It means something where systems share their segments.

    Parameters
    ----------
    values : DataFrame
        Of `judged_values`.
    unit : str
        One of its columns.
    """
    centred = values.assign(z=values["z"] - values.groupby("system")["z"].transform("mean"))
    by_unit, by_segment = differences_by_unit(centred, "z", [unit, "segment"])
    return (by_unit**2).sum() / (by_segment**2).sum()


def units_of_collection(values: pd.DataFrame) -> tuple[str, ...]:
    """The units of the tests of a campaign: its documents, or else its HITs, and its workers.

    Documents, or HITs, are units if half of the pairs of systems share `FEWEST_UNITS` of them.
    Workers are units too if, besides, a worker who judged a system did so in `RECURRING` of these
    units, on average. No unit: (): nothing that was collected as a whole is shared by systems.

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


def tiers(beats: pd.DataFrame, n_resamples: int, *, alpha: float = ALPHA) -> pd.DataFrame:
    """Tiers of systems, 1 for the best: those that are not surely below the tier's first one.

    Ranges of ranks chain: of a hundred systems each overlaps with its neighbours, and all are one
    cluster. A tier has a fixed leader, and the next tier starts with the first system that is
    significantly below it: two-sided, from how often paired resamples reverse the two.

    Parameters
    ----------
    beats : DataFrame, ranked x ranked
        Share of the resamples in which the row's system is better, best first; NaN: not known.
    n_resamples : int

    Returns
    -------
    DataFrame
        Columns tier and systems, their names joined by ", ".

    Examples
    --------
    >>> beats = pd.DataFrame([[0, 0.9, 1], [0.1, 0, 0.8], [0, 0.2, 0]], [*"abc"], [*"abc"])
    >>> tiers(beats, 999)["systems"].tolist()
    ['a, b', 'c']
    """
    p = 2 * ((1 - beats.to_numpy()) * n_resamples + 1) / (n_resamples + 1)
    leaders = [0]
    for k in range(len(beats)):
        if p[leaders[-1], k] < alpha:
            leaders.append(k)
    parts = np.split(beats.index.to_numpy(), leaders[1:])
    columns = {"tier": range(1, len(parts) + 1), "systems": [", ".join(part) for part in parts]}
    return pd.DataFrame(columns)


# --- the rules by which campaigns drew their lines ----------------------------------------------


class LineRule(NamedTuple):
    """How a campaign draws lines: which scores are tested, how, and what becomes of the tests.

    Attributes
    ----------
    score : "z" or "raw"
    test : "rank-sum", "signed-rank", "t" or "unit"
        One-sided p-values of segment means, or of `sign_flip_p` by the unit of collection.
    sides : 1 or 2
        Significant: one-sided p below 5 %, or below half of it.
    correction : str
        See `corrections.corrected`.
    lines : "below all", "across", "losses" or "first loss"
        See `ruled_lines`.
    """

    score: str
    test: str
    sides: int
    correction: str
    lines: str


DOMAIN = r"^test-en-([a-z]+)_"  # in the name of a document of WMT24
CAMPAIGN_RULES = {
    "wmt17": LineRule("z", "rank-sum", 1, "none", "across"),
    "wmt24": LineRule("raw", "signed-rank", 1, "none", "losses"),
    "wmt25": LineRule("raw", "signed-rank", 1, "none", "first loss"),
    "wmt26": LineRule("raw", "t", 2, "none", "across"),
}


def ruled_lines(p: np.ndarray, rule: LineRule) -> tuple[np.ndarray, np.ndarray]:
    """Which systems a rule calls better than which, and where it draws lines.

    Parameters
    ----------
    p : ndarray, (ranked, ranked)
        One-sided p-values, small where the row's system is better; best first. NaN: not tested.
    rule : LineRule
        Its lines: "below all": below a system that is better than every lower one. "across": where
        every system above is better than every one below. "losses": a system's ranks go from its
        losses + 1 to the number of systems less its wins, "first loss": from the last system above
        that is better to the first one below that is worse, tested in the order found alone; a
        line is drawn where no range of ranks crosses.

    Returns
    -------
    better : ndarray of bool, (ranked, ranked)
    lines : ndarray of bool, (ranked,)
        False for the last.
    """
    size = len(p)
    two_sided = corrected(2 * np.fmin(p, p.T)[np.triu_indices(size, 1)], rule.correction)
    better = (square(two_sided, two_sided, size) < ALPHA * 2 / rule.sides) & (p < p.T)
    if rule.lines == "first loss":
        better = np.triu(better)
    places = np.arange(size)
    if rule.lines == "below all":
        return better, lines_below(better, "footnote-4")
    if rule.lines == "across":
        lines = np.array([better[: k + 1, k + 1 :].all() for k in places])
    else:
        first, last = 1 + better.sum(axis=0), size - better.sum(axis=1)
        if rule.lines == "first loss":
            first = 1 + np.where(better, places[:, None] + 1, 0).max(axis=0)
            last = np.where(better, places, size).min(axis=1)
        lines = np.diff(corrections.clusters_of_ranges(first, last), append=0) > 0
    lines[-1:] = False
    return better, lines


def lines_by_rule(campaign: Campaign, name: str) -> pd.DataFrame:
    """The ranking and the lines of a campaign by one of `CAMPAIGN_RULES`.

    WMT24 weighs the domains of documents alike; they stand in the documents' names.

    Returns
    -------
    DataFrame
        Columns system, score, cluster and wins; best first.

    Raises
    ------
    DataError
        An unknown rule, or documents whose names tell no domains.
    """
    if name not in CAMPAIGN_RULES:
        raise DataError(f"no rule {name!r}; there are {', '.join(CAMPAIGN_RULES)}")
    rule = CAMPAIGN_RULES[name]
    table = table_of_segments(judged_values(campaign), rule.score)
    score = np.nanmean(table, axis=1)
    if name == "wmt24":
        domain = pd.Series(campaign.documents, dtype=str).str.extract(DOMAIN, expand=False)
        if domain.isna().any():
            raise DataError("wmt24 weighs domains alike; expected documents such as test-en-news_1")
        score = pd.DataFrame(table.T).groupby(domain).mean().mean().to_numpy()
    order = np.argsort(-corrections.levels(score), kind="stable")
    better, lines = ruled_lines(by_segments(table, rule.test)[np.ix_(order, order)], rule)
    columns = {"system": np.array(campaign.systems, dtype=object)[order], "score": score[order]}
    columns |= {"cluster": 1 + np.cumsum(lines) - lines, "wins": better.sum(axis=1)}
    return pd.DataFrame(columns)
