"""Which systems are really apart: a ranking, cut by significance lines into clusters.

`rank_campaign` is the whole of Equation 1's pipeline on arrays: scale the workers, standardise,
average over segments, order, test, draw lines (Knowles 2021, section 3 and footnote 4). Removing,
dividing and leaving out are arguments of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from wmtlib.assessment import zscores
from wmtlib.assessment.campaign import Campaign
from wmtlib.assessment.rank_sum import pairwise_p
from wmtlib.assessment.system_order import averaged_z_scores
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.ranking import Ranking

RULES = ("footnote-4", "official")
ALPHA = 0.05


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
        As `rank_sum.p_values` gives; systems that are not in the order are ignored.
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
        table.insert(1, "rank", pd.Series(score).rank(method="min", ascending=False).astype(int))
        table.insert(2, "score", score)
        return Ranking("z-score", table)


def ranked_among(
    systems: tuple[str, ...],
    place: np.ndarray,
    order: np.ndarray,
    score: np.ndarray,
    p: np.ndarray,
    rule: str,
    alpha: float = ALPHA,
) -> RankedClusters:
    """A ranking of some systems as one among all systems.

    Parameters
    ----------
    systems : tuple of names, sorted
        All systems.
    place : ndarray of int, (ranked,)
        Positions in `systems` of those that are ranked, ascending.
    order, score, p
        As in `RankedClusters`, of the systems that are ranked: positions in `place`, (ranked,) and
        (ranked, ranked).
    """
    size = len(systems)
    all_p, all_scores = np.ones((size, size)), np.full(size, np.nan)
    all_p[np.ix_(place, place)], all_scores[place] = p, score
    return RankedClusters(systems, place[order], all_scores, all_p, rule, alpha)


def rank_campaign(
    campaign: Campaign,
    *,
    test: str,
    rule: str,
    alpha: float = ALPHA,
    score: np.ndarray | None = None,
    scales_from: np.ndarray | None = None,
    unranked: np.ndarray | None = None,
    average_segments: bool = True,
) -> RankedClusters:
    """Rank a campaign's systems by mean z-score and test every pair.

    Parameters
    ----------
    campaign : Campaign
    test : str
        See `rank_sum.p_values`.
    rule, alpha
        See `cluster_table`.
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

    Raises
    ------
    DataError
        An unknown test or rule, fewer than two systems to rank, or one without judgements.
    """
    value, system, place = averaged_z_scores(
        campaign,
        score=score,
        scales_from=scales_from,
        unranked=unranked,
        average_segments=average_segments,
    )
    order, mean = zscores.order_by_mean(system, value, len(place))
    p = pairwise_p(value, system, len(place), test)
    return ranked_among(campaign.systems, place, order, mean, p, rule, alpha)
