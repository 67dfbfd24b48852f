"""Significance lines, which cut a ranking into clusters.

`lines_below` is the one place where lines are drawn, from which systems are
significantly better than which: by the rules of Knowles (2021, footnote 4), of WMT's
tables, or across (ranges of ranks too). `rank_campaign` is the whole of Equation 1's
pipeline on arrays: scale the workers, standardise, average over segments, order, test
(Knowles 2021, section 3). Removing, dividing and leaving out are arguments of it.
`significance` tests every pair of a ranking of any judgements, corrected for the number
of tests.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.assessments import Campaign, leave_out
from wmtlib.checks import MINIMUM, thin_systems
from wmtlib.corrections import CORRECTIONS, corrected, sign_test
from wmtlib.errors import DataError, unknown
from wmtlib.forms import judged
from wmtlib.methods import rank
from wmtlib.pairwise_tests import (
    ALPHA,
    DIGITS,
    campaign_p,
    margins_by_unit,
    one_sided_p,
    pairs_of,
    pairwise_p,
    sign_flip_p,
    usual_units,
)
from wmtlib.ranking import Ranking, rank_by_score
from wmtlib.zscores import order_by_mean, standardised, usable_cells

RULES = ("footnote-4", "official")


# --- lines ----------------------------------------------------------------------------


def lines_below(better: np.ndarray, rule: str) -> np.ndarray:
    """Find below which systems of a ranking a significance line is drawn.

    Parameters
    ----------
    better : ndarray of bool, (ranked, ranked)
        Whether the row's system is significantly better than the column's; best first.
    rule : "footnote-4", "official" or "across"
        "footnote-4": below a system iff it is significantly better than every system
        with a lower z-score (Knowles 2021, footnote 4). "official": as in WMT's own
        tables: below a system iff it is significantly better than as many systems as
        are below it. The two differ where a system is significantly better than one
        with a higher z-score, which a one-sided test allows. "across": where every
        system above is significantly better than every system below.

    Returns
    -------
    ndarray of bool, (ranked,)
        False for the last.
    """
    places = np.arange(len(better))
    if rule == "footnote-4":
        lines = np.triu(better, 1).sum(axis=1) == places[::-1]
    elif rule == "official":
        lines = _wins(better) == places[::-1]
    elif rule == "across":
        # The last place that is level with one of the systems above.
        level = np.where(np.triu(~better, 1), places, 0).max(axis=1, initial=0)
        lines = np.maximum.accumulate(level) <= places
    else:
        raise DataError(f"rule is {rule!r}; expected {', '.join(RULES)}")
    lines[-1:] = False
    return lines


def _wins(better: np.ndarray) -> np.ndarray:
    """Count the systems that each is significantly better than, (ranked,) of int.

    Where the test is significant both ways it has no direction, and the better one is
    the first in the ranking.
    """
    return (np.triu(better, 1) | np.tril(better & ~better.T, -1)).sum(axis=1)


def clusters_of_ranges(first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Give ordered systems their clusters: a line where no range of ranks crosses.

    Parameters
    ----------
    first, last : ndarray, (systems,)
        Ends of the range of ranks of each system.

    Examples
    --------
    >>> clusters_of_ranges(np.array([1, 2, 2]), np.array([1, 3, 3])).tolist()
    [1, 2, 2]
    """
    return clusters_of(lines_below(last[:, None] < first, "across"))


def clusters_of(lines: np.ndarray) -> np.ndarray:
    """Give systems their clusters, from 1, by where lines are drawn below them."""
    return 1 + np.cumsum(lines) - lines


def cluster_table(better: pd.DataFrame, rule: str) -> pd.DataFrame:
    """Cut a ranking into clusters.

    Parameters
    ----------
    better : DataFrame of bool, ranked x ranked
        Whether the row's system is significantly better than the column's; best first.
    rule : "footnote-4", "official" or "across"
        See `lines_below`.

    Returns
    -------
    DataFrame
        Columns system, line (whether a line is drawn below it; False for the last),
        cluster (1 = best), wins (how many systems it is significantly better than);
        best first.
    """
    matrix = better.to_numpy()
    lines = lines_below(matrix, rule)
    return pd.DataFrame(
        {
            "system": [*better.index],
            "line": lines,
            "cluster": clusters_of(lines),
            "wins": _wins(matrix),
        }
    )


def better_of(table: pd.DataFrame, order: Sequence[str]) -> pd.DataFrame:
    """Find which systems are significantly better than which: corrected p < `ALPHA`.

    Systems that the table does not name, as thin ones, are left out. Two systems
    without a decided comparison are not known to be apart.

    Parameters
    ----------
    table : DataFrame
        What `significance` gives for this order.
    order : names, best first

    Returns
    -------
    DataFrame of bool, ranked x ranked
        Whether the row's system is better than the column's, best first.
    """
    tested = {*table["above"], *table["below"]}
    names = [name for name in order if name in tested]
    better = pd.DataFrame(False, index=names, columns=names)
    apart = table[(table["corrected"] < ALPHA) & (table["ahead"] != "")]
    for row in apart.itertuples():
        behind = row.below if row.ahead == row.above else row.above
        better.loc[row.ahead, behind] = True
    return better


def better_in_resamples(beats: pd.DataFrame, n_resamples: int) -> pd.DataFrame:
    """Find the same from how often paired resamples reverse two systems: two-sided.

    Parameters
    ----------
    beats : DataFrame, ranked x ranked
        Share of the resamples in which the row's system is better, best first; NaN: not
        known.
    n_resamples : int
    """
    return 2 * ((1 - beats) * n_resamples + 1) / (n_resamples + 1) < ALPHA


def tiers(better: pd.DataFrame) -> pd.DataFrame:
    """Group systems into tiers, 1 for the best: not surely below the tier's first one.

    Clusters chain: of a hundred systems each is level with its neighbours, and all are
    one cluster. A tier has a fixed leader, and the next tier starts with the first
    system that is significantly below it.

    Parameters
    ----------
    better : DataFrame of bool, ranked x ranked
        As `better_of` or `better_in_resamples` gives it.

    Returns
    -------
    DataFrame
        Columns tier and systems, lists of names.

    Examples
    --------
    >>> shares = [[0, 0.9, 1], [0.1, 0, 0.8], [0, 0.2, 0]]
    >>> beats = pd.DataFrame(shares, [*"abc"], [*"abc"])
    >>> tiers(better_in_resamples(beats, 999))["systems"].tolist()
    [['a', 'b'], ['c']]
    """
    is_better = better.to_numpy()
    leaders = [0]
    for k in range(len(better)):
        if is_better[leaders[-1], k]:
            leaders.append(k)
    names = [[*tier] for tier in np.split(better.index.to_numpy(), leaders[1:])]
    return pd.DataFrame({"tier": range(1, len(names) + 1), "systems": names})


# --- direct assessments ---------------------------------------------------------------


def clusters(
    assessments: Any,
    *,
    test: str = "two-sided",
    rule: str = RULES[0],
    alpha: float = ALPHA,
    minimum: int = MINIMUM,
) -> Ranking:
    """Rank direct assessments and draw significance lines (Knowles 2021, section 3).

    Thin systems are named in the note and left out: they would be between the
    clusters of the others. If fewer than two others are left, all are ranked, without a
    line.

    Parameters
    ----------
    assessments : path, campaign:task, DataFrame, Judgements or Campaign
        As in `methods.rank`.
    test : "two-sided", "one-sided" or "legacy"
        Rank-sum test of segments' mean z-scores; "legacy" is the paper's (footnote 8).
    rule : "footnote-4" or "official"
        See `lines_below`.
    alpha : float
        Significant: p < alpha; not corrected for the number of tests.
    minimum : int
        Scores below which a system is thin.

    Returns
    -------
    Ranking
        Its table has the columns line, cluster and wins.

    Examples
    --------
    >>> rows = [(*ws, k, k + 9 * (ws[1] == "x")) for ws in ["ax", "ay", "bx", "by"]
    ...         for k in range(20)]
    >>> scores = pd.DataFrame(rows, columns=["worker", "system", "segment", "score"])
    >>> from wmtlib.files.read import read
    >>> judgements = read(scores, scale=(0, 100))
    >>> clusters(judgements, rule="footnote-4").table["cluster"].tolist()
    [1, 2]
    """
    campaign = judged(assessments)
    if not isinstance(campaign, Campaign):
        raise DataError("got comparisons; expected a frame of direct assessments")
    names, warnings, is_enough = thin_systems(campaign, minimum=minimum)
    campaign = leave_out(campaign, names, paired=True)
    if not is_enough:
        alpha = 0.0
    ranked = rank_campaign(campaign, test=test, rule=rule, alpha=alpha)
    return replace(ranked.ranking, note="; ".join(warnings))


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

    def restricted(self, stay: np.ndarray) -> "RankedClusters":
        """Keep some systems, (systems,) of bool; scores and p-values stay."""
        return replace(self, order=self.order[stay[self.order]])

    @property
    def names(self) -> list[str]:
        """Names, best first."""
        return [self.systems[k] for k in self.order]

    @property
    def better(self) -> np.ndarray:
        """`better` of `lines_below`, (ranked, ranked)."""
        return self.p[np.ix_(self.order, self.order)] < self.alpha

    @property
    def lines(self) -> np.ndarray:
        """Systems of the order below which a line is drawn, (ranked,) of bool."""
        return lines_below(self.better, self.rule)

    @property
    def ranking(self) -> Ranking:
        """The same with names and the columns line, cluster and wins."""
        scores = pd.Series(self.score[self.order], self.names)
        ranking = rank_by_score("z-score", scores)
        better = pd.DataFrame(self.better, self.names, self.names)
        clusters = cluster_table(better, self.rule)
        return replace(ranking, table=ranking.table.merge(clusters, on="system"))


def rank_campaign(
    campaign: Campaign, *, test: str, rule: str, alpha: float = ALPHA, **choices: Any
) -> RankedClusters:
    """Rank a campaign's systems by mean z-score and test every pair.

    Parameters
    ----------
    campaign : Campaign
    test : str
        See `p_values`.
    rule : str
        See `lines_below`.
    alpha : float
        Significant: p < alpha.
    **choices
        Arguments of `averaged_z_scores`: what the scales are computed from, systems
        that are not ranked, judgements that are not averaged first.

    Raises
    ------
    DataError
        An unknown test or rule, fewer than two systems to rank, or one without
        judgements.
    """
    value, system = averaged_z_scores(campaign, **choices)
    order, score = order_by_mean(system, value, len(campaign.systems))
    p = pairwise_p(value.round(DIGITS), system, len(score), test)
    return RankedClusters(campaign.systems, order, score, p, rule, alpha)


def averaged_z_scores(
    campaign: Campaign,
    *,
    scales_from: np.ndarray | None = None,
    unranked: np.ndarray | None = None,
    average_segments: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """Compute what systems are ranked by and tested on: segments' mean z-scores.

    Parameters
    ----------
    campaign : Campaign
    scales_from : ndarray of bool, (judgements,), optional
        Judgements that the workers' means and standard deviations are computed from;
        all if not given.
    unranked : ndarray of bool, (systems,), optional
        Systems that are left out of the ranking: human systems, in the paper's
        comparisons (section 5, footnote 14 and Figure 2), or systems that are removed.
        Their judgements enter the scales only, unless `scales_from` excludes them.
    average_segments : bool
        Whether the judgements of a segment are averaged first (the paper, section 3).
        Otherwise every judgement counts alike.

    Returns
    -------
    value, system : ndarray, (values,)
        `system` is a position in `campaign.systems`.

    Raises
    ------
    DataError
        Fewer than two systems to rank, or one without judgements.
    """
    if unranked is None:
        unranked = np.zeros(len(campaign.systems), dtype=bool)
    ranked = ~unranked
    if ranked.sum() < 2:
        raise DataError(f"{ranked.sum()} system(s) to rank; expected two or more")
    z = standardised(campaign, counted=scales_from)
    cells = usable_cells(campaign, z, unranked)
    value = z[cells.judgement]
    system = cells.credit_system
    if average_segments:
        value = cells.means(value)
        system = cells.system
    counts = ranked[system]
    return value[counts], system[counts]


# --- tests of every pair, corrected ---------------------------------------------------


def significance(
    data: Any,
    order: Sequence[str] | None = None,
    *,
    correction: str = CORRECTIONS[0],
    score: str = "z",
    test: str | None = None,
    units: Sequence[str] | None = None,
    minimum: int = MINIMUM,
) -> pd.DataFrame:
    """Test every pair of ranked systems, corrected for the number of tests.

    Thin systems are left out, with all their judgements, as by `clusters`.

    Lopez (2012, section 6) asks for the correction. The test, always two-sided, is

    - for counts the sign test: an exact binomial test of the decided comparisons of the
      two with each other, ties dropped;
    - for a campaign the rank-sum test of their segments' mean scores (`p_values`), or
      the signed-rank test of the segments that both were judged on (`signed_rank_p`),
      if these are `FEWEST_COMMON` or more.

    They take judgements, or segments, for independent.

    Parameters
    ----------
    data : path, campaign:task, DataFrame, Judgements, Counts or Campaign
        As in `methods.rank`.
    order : names, best first
        The systems to test; comparisons with others play no part. By default that of
        `methods.rank`.
    correction : "benjamini-hochberg", "holm" or "none"
        Keeps at alpha the share of false differences among those found (Benjamini &
        Hochberg 1995), or the chance of a single false one (Holm 1979), or neither.
    score : "z" or "raw"
        Of a campaign: which scores are tested.
    test : "rank-sum", "signed-rank", "t" or "unit"
        Of a campaign; by default "unit", or "rank-sum" if there are no units.
    units : names
        By default `pairwise_tests.usual_units`, if no test is named.
        Of the unit test: one or two kinds of units between which a difference varies,
        such as those of `units_of_collection`. Of comparisons (a frame of them): the
        sign test is made by the first, such as judge, not by single comparisons.
    minimum : int
        Comparisons, or scores, below which a system is thin.

    Returns
    -------
    DataFrame
        One row for each pair of the order: above, below,
        neighbours (bool), ahead (which one the test is in favour of, "" if neither), p
        and corrected. For counts also wins, losses and ties of the upper one, for the
        signed-rank test common, the number of common segments. A pair without a decided
        comparison, or with too few units or segments in common, is not tested: NaN, and
        it does not count among the tests.

    Raises
    ------
    DataError
        An unknown correction, a name that is not in the data or that comes twice, or
        fewer than two systems, thin ones not counted.

    Examples
    --------
    >>> votes = pd.DataFrame({"a": "x", "b": "y", "outcome": ["a"] * 9 + ["b"]})
    >>> significance(votes, ["x", "y"])["p"].round(4).tolist()
    [0.0215]
    """
    if correction not in CORRECTIONS:
        raise DataError(
            f"correction is {correction!r}; expected {', '.join(CORRECTIONS)}"
        )
    rows = judged(data)
    judgements = rows.counted
    order = rank(judgements).order if order is None else order
    if len(order) < 2 or len({*order}) < len(order):
        raise DataError("the order needs two systems or more, each once")
    if units is None:
        units = () if test else usual_units(rows, score)
    test = test or ("unit" if units else "rank-sum")
    for name in sorted({*order}.difference(judgements.systems)):
        raise unknown("system", name, judgements.systems)
    thin, warnings, is_enough = thin_systems(judgements, minimum=minimum, score=score)
    judgements = leave_out(judgements, thin, paired=True)
    names = np.array([name for name in order if name in judgements.systems], object)
    if len(names) < 2 or not is_enough:
        raise DataError(warnings[0])
    upper, lower = pairs_of(len(names))
    table = pd.DataFrame({"above": names[upper], "below": names[lower]})
    table["neighbours"] = lower == upper + 1
    systems = pd.Index(judgements.systems)
    i = systems.get_indexer(table["above"])
    j = systems.get_indexer(table["below"])
    one_sided = None
    if isinstance(judgements, Campaign):
        one_sided, common = campaign_p(judgements, score, test, units)
        if test == "signed-rank":
            table["common"] = common[i, j]
    else:
        matrix = judgements.wins.to_numpy()
        wins = matrix[i, j]
        losses = matrix[j, i]
        ties = judgements.ties.to_numpy()[i, j]
        table = table.assign(wins=wins, losses=losses, ties=ties)
        if units:
            margins, _ = margins_by_unit(rows, units[0], systems)
            p = sign_flip_p(margins)
            one_sided = one_sided_p(p, margins.sum(axis=0), len(systems))
    if one_sided is None:
        lead = wins - losses
        p = sign_test(wins, losses)
    else:
        lead = one_sided[j, i] - one_sided[i, j]
        p = np.minimum(1, 2 * np.minimum(one_sided[i, j], one_sided[j, i]))
    ahead = [table["above"], table["below"]]
    table["ahead"] = np.select([lead > 0, lead < 0], ahead, "")
    return table.assign(p=p, corrected=corrected(p, correction))
