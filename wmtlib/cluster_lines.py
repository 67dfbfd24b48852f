"""Which systems are really apart: a ranking, cut by significance lines into clusters.

`rank_campaign` is the whole of Equation 1's pipeline on arrays: scale the workers, standardise,
average over segments, order, test, draw lines (Knowles 2021, section 3 and footnote 4). Removing,
dividing and leaving out are arguments of it. `significance` tests every pair of a ranking of any
judgements, corrected for the number of tests.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import scipy

from wmtlib import corrections
from wmtlib.corrections import CORRECTIONS, TOLERANCE, best_ranks, corrected, levels
from wmtlib.counts import Counts
from wmtlib.errors import DataError
from wmtlib.ranking import MINIMUM, Ranking, method_data, without_thin
from wmtlib.zscores import Campaign, order_by_mean, segment_means, standardised, usable_cells

RULES = ("footnote-4", "official")
TESTS = ("legacy", "two-sided", "one-sided")
ALPHA = 0.05
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


def signed_rank_p(means: pd.DataFrame) -> pd.DataFrame:
    """One-sided Wilcoxon signed-rank test of every pair of systems on their common segments.

    WMT's test since 2024 for error span annotation (ESA), where all systems are judged on the same
    segments. Normal approximation, corrected for ties; segments without a difference are dropped,
    as by `scipy.stats.wilcoxon(method="asymptotic")`.

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
    p = pd.DataFrame(0.5, means.columns, means.columns)
    for a, b in combinations(means, 2):
        difference = (means[a] - means[b]).to_numpy()
        difference = difference[np.abs(difference) > TOLERANCE]
        if (n := len(difference)) == 0:
            continue
        ranks = pd.Series(levels(np.abs(difference))).rank().to_numpy()
        tied = np.unique(ranks, return_counts=True)[1]
        spread = np.sqrt(n * (n + 1) * (2 * n + 1) / 24 - (tied**3 - tied).sum() / 48)
        score = (ranks[difference > 0].sum() - n * (n + 1) / 4) / spread
        p.loc[a, b], p.loc[b, a] = scipy.special.ndtr([-score, score])
    return p


def significance(
    data: Any,
    order: Sequence[str],
    *,
    correction: str = CORRECTIONS[0],
    score: str = "z",
    test: str = "rank-sum",
    minimum: int = MINIMUM,
) -> pd.DataFrame:
    """Test every pair of ranked systems, corrected for the number of tests.

    Thin systems are left out, with all their judgements, as by `clusters`.

    Lopez (2012, section 6) asks for the correction. The test, always two-sided, is

    - for counts the sign test: an exact binomial test of the decided comparisons of the two with
      each other, ties dropped;
    - for a campaign the rank-sum test of their segments' mean scores (`p_values`), or the
      signed-rank test of the segments that both were judged on (`signed_rank_p`).

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
    test : "rank-sum" or "signed-rank"
        Of a campaign.
    minimum : int
        Comparisons, or scored segments, below which a system is thin.

    Returns
    -------
    DataFrame
        One row for each pair that stands above and below in the order: above, below, neighbours
        (bool), ahead (which one the test is in favour of, "" if neither), p and corrected. For
        counts also wins, losses and ties of the upper one. A pair without a decided comparison is
        not tested: NaN, and it does not count among the tests.

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
    order = [*order]
    if len(order) < 2 or len(set(order)) < len(order):
        raise DataError("the order needs two systems or more, each once")
    data = method_data(data, rows=False)
    if odd := [name for name in order if name not in data.systems]:
        raise DataError(f"no system {odd[0]!r}; expected names of the data")
    data, enough, warnings = _without_thin(data, minimum)
    names = np.array([name for name in order if name in enough], dtype=object)
    if len(names) < 2:
        raise DataError(warnings[0])
    upper, lower = np.triu_indices(len(names), k=1)
    table = pd.DataFrame({"above": names[upper], "below": names[lower]})
    table["neighbours"] = lower == upper + 1
    i, j = (pd.Index(data.systems).get_indexer(table[side]) for side in ("above", "below"))
    if isinstance(data, Counts):
        wins, ties = data.wins.to_numpy(), data.ties.to_numpy()
        table = table.assign(wins=wins[i, j], losses=wins[j, i], ties=ties[i, j])
        lead, p = np.sign(wins[i, j] - wins[j, i]), corrections.sign_test(wins[i, j], wins[j, i])
    else:
        better = _better(data, score, test)
        lead = np.sign(better[j, i] - better[i, j])
        p = np.minimum(1, 2 * np.minimum(better[i, j], better[j, i]))
    table["ahead"] = np.select([lead > 0, lead < 0], [table["above"], table["below"]], "")
    table["p"], table["corrected"] = p, corrected(p, correction)
    return table


def _better(campaign: Campaign, score: str, test: str) -> np.ndarray:
    """One-sided p-values, (systems, systems): small where the row's system is better."""
    if score not in ("z", "raw"):
        raise DataError(f"score is {score!r}; expected z, raw")
    means = segment_means(campaign).round({score: DIGITS})
    if test == "rank-sum":
        return p_values(means.assign(z=means[score]), test="one-sided").to_numpy()
    if test == "signed-rank":
        means = means.pivot_table(index=["document", "segment"], columns="system", values=score)
        return signed_rank_p(means).to_numpy()
    raise DataError(f"test is {test!r}; expected rank-sum, signed-rank")


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
