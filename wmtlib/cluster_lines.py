"""Significance lines, which cut a ranking into clusters.

`lines_below` draws lines from which systems are significantly better than which: by the
rule of Knowles (2021, footnote 4), or that of WMT's tables. `rank_campaign` is the
whole of Equation 1's pipeline on arrays: scale the workers, standardise, average over
segments, order, test (Knowles 2021, section 3). Removing, dividing and leaving out are
arguments of it. `clusters` draws lines between sets of ranks, or by a rule.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.certainty import rank_sets
from wmtlib.core.assessments import Campaign, leave_out
from wmtlib.core.errors import DataError
from wmtlib.core.pairwise_tests import ALPHA, DIGITS, pairwise_p
from wmtlib.core.ranking import Ranking, rank_by_score
from wmtlib.files.checks import MINIMUM, thin_systems
from wmtlib.files.forms import judged
from wmtlib.zscores import order_by_mean, standardised, usable_cells

RULES = ("footnote-4", "official")


# --- lines ----------------------------------------------------------------------------


def lines_below(better: np.ndarray, rule: str) -> np.ndarray:
    """Find below which systems of a ranking a significance line is drawn.

    Parameters
    ----------
    better : ndarray of bool, (ranked, ranked)
        Whether the row's system is significantly better than the column's; best first.
    rule : "footnote-4" or "official"
        "footnote-4": below a system iff it is significantly better than every system
        with a lower z-score (Knowles 2021, footnote 4). "official": as in WMT's own
        tables: below a system iff it is significantly better than as many systems as
        are below it. The two differ where a system is significantly better than one
        with a higher z-score, which a one-sided test allows.

    Returns
    -------
    ndarray of bool, (ranked,)
        False for the last.
    """
    number_below = np.arange(len(better))[::-1]
    if rule == "footnote-4":
        lines = np.triu(better, 1).sum(axis=1) == number_below
    elif rule == "official":
        lines = _wins(better) == number_below
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


def clusters_of(lines: np.ndarray) -> np.ndarray:
    """Give systems their clusters, from 1, by where lines are drawn below them."""
    return 1 + np.cumsum(lines) - lines


def cluster_table(better: pd.DataFrame, rule: str) -> pd.DataFrame:
    """Cut a ranking into clusters.

    Parameters
    ----------
    better : DataFrame of bool, ranked x ranked
        Whether the row's system is significantly better than the column's; best first.
    rule : "footnote-4" or "official"
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


# --- direct assessments ---------------------------------------------------------------


def clusters(
    data: Any,
    *,
    rule: str | None = None,
    test: str = "two-sided",
    alpha: float = ALPHA,
    minimum: int = MINIMUM,
) -> Ranking:
    """Rank systems and draw significance lines.

    Thin systems are named in the note and left out: they would be between the
    clusters of the others. If fewer than two others are left, all are ranked, without a
    line.

    Parameters
    ----------
    data : path, campaign:task, DataFrame, Judgements, Counts or Campaign
        As `wmtlib.rank` takes it; of a `rule` direct assessments.
    rule : "footnote-4" or "official", optional
        By default a line is drawn where no set of `rank_sets` crosses, as
        `wmtlib.analyse` does. A rule draws lines by rank-sum tests of segments
        (Knowles 2021, section 3), which take segments for independent: below a system
        that is significantly better than every system with a lower z-score (her
        footnote 4), or than as many systems as are below it (WMT's own tables).
    test : "two-sided", "one-sided" or "legacy"
        Of a rule: rank-sum test of segments' mean z-scores; "legacy" is the paper's
        (footnote 8).
    alpha : float
        Of a rule: significant is p < alpha, not corrected for the number of tests.
    minimum : int
        Comparisons, or scores, below which a system is thin.

    Returns
    -------
    Ranking
        Its table has the columns line and cluster (1 = best), and of a rule wins.

    Examples
    --------
    >>> rows = [(*ws, k, k + 9 * (ws[1] == "x")) for ws in ["ax", "ay", "bx", "by"]
    ...         for k in range(20)]
    >>> scores = pd.DataFrame(rows, columns=["worker", "system", "segment", "score"])
    >>> from wmtlib import read
    >>> judgements = read(scores, scale=(0, 100))
    >>> clusters(judgements, rule="footnote-4").table["cluster"].tolist()
    [1, 2]
    """
    rows = judged(data)
    names, warnings, is_enough = thin_systems(rows.counted, minimum=minimum)
    rows = leave_out(rows, names, paired=True)
    if rule is None:
        sets = rank_sets(rows, minimum=0)
        table = sets.table[["system", "rank", "score", "cluster"]]
        if not is_enough:
            table = table.assign(cluster=1)
        line = table["cluster"].diff(-1).fillna(0) != 0
        ranking = replace(sets.ranking, table=table.assign(line=line))
    elif isinstance(rows, Campaign):
        alpha = alpha if is_enough else 0.0
        ranking = rank_campaign(rows, test=test, rule=rule, alpha=alpha).ranking
    else:
        raise DataError("got comparisons; expected a frame of direct assessments")
    return replace(ranking, note="; ".join(filter(None, [ranking.note, *warnings])))


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
