"""Where a ranking is cut into clusters, by the method that the field uses for the judgements.

- "rank-ranges": a line where the intervals of ranks above and below do not overlap; the intervals
  hold 95 % of the ranks in resamples. WMT's way for comparisons (2013-16).
- "sign-test": a line below a system that is significantly better than every system below it, by
  the comparisons of each pair with each other.
- "rank-sum": the same by segments' mean scores. WMT's way for direct assessment (2017-23).
- "signed-rank": the same by the segments that both were judged on. WMT's way for error span
  annotation (ESA, since 2024).
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from wmtlib.analysis import methods, significance
from wmtlib.analysis.bootstrap import BootstrapResult
from wmtlib.assessment.campaign import Campaign
from wmtlib.assessment.clusters import ALPHA
from wmtlib.judgements.counting import Counts
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.intervals import clusters_of_ranges
from wmtlib.judgements.multiple_tests import CORRECTIONS
from wmtlib.judgements.names import joined
from wmtlib.judgements.ranking import Ranking
from wmtlib.yours.read import Judgements

RANK_RANGES, SIGN_TEST = "rank-ranges", "sign-test"
RANK_SUM, SIGNED_RANK = "rank-sum", "signed-rank"
FITTING = {"counts": (RANK_RANGES, SIGN_TEST), "assessments": (RANK_SUM, SIGNED_RANK, RANK_RANGES)}
RESAMPLES = 1000  # of rank ranges
NAMES_WIDE = 60  # letters of the names of a cluster
ERROR_SPANS = "error_spans"  # a column that files of error span annotation have


@dataclass(frozen=True, eq=False)
class Clustering:
    """A ranking cut into clusters.

    Attributes
    ----------
    method : one of those at the head of this module
    groups : DataFrame
        Best first: system, line (below it), cluster (1 = best) and, of tests, wins: how many
        systems it is significantly better than.
    about : str
        How the lines came about, in a sentence.
    pairs : DataFrame or None
        The tests: see `significance.significance`.
    """

    method: str
    groups: pd.DataFrame
    about: str
    pairs: pd.DataFrame | None = field(default=None, repr=False)


def tiers(groups: pd.DataFrame, resampled: BootstrapResult | None) -> pd.DataFrame:
    """What the data tell apart: the clusters with the ranks that their systems may have.

    Returns
    -------
    DataFrame
        cluster; ranks: from the least to the greatest in the intervals of its systems, or their
        places if nothing was resampled; systems, at most `NAMES_WIDE` letters.
    """
    place = pd.Series(np.arange(1, len(groups) + 1))
    low = high = place
    if resampled is not None:
        low, high = resampled.table["rank_low"], resampled.table["rank_high"]
    rows = []
    for cluster, part in groups.groupby("cluster"):
        best, worst = low[part.index].min(), high[part.index].max()
        ranks = f"{best}–{worst}" if worst > best else str(best)
        listed = joined(part["system"].tolist(), [", "] * (len(part) - 1), NAMES_WIDE)
        rows.append({"cluster": cluster, "ranks": ranks, "systems": listed})
    return pd.DataFrame(rows)


def usual_method(judgements: Judgements, first: str) -> str:
    """The clusters that are usual for the judgements and the first ranking method.

    A file of assessments with a column of error spans is ESA. Rank ranges are left for sign tests
    where resamples cannot be ranked all at once: a thousand of them would take minutes.
    """
    if judgements.assessments is not None:
        return SIGNED_RANK if ERROR_SPANS in judgements.unused else RANK_SUM
    return RANK_RANGES if methods.METHODS[first].scores is not None else SIGN_TEST


def require_method(method: str, kind: str, correction: str) -> None:
    """Refuse clusters that are not known, or not for this kind of data, and other corrections."""
    if correction not in CORRECTIONS:
        raise DataError(f"correction is {correction!r}; expected {', '.join(CORRECTIONS)}")
    if method not in FITTING[kind]:
        known = ", ".join(FITTING[kind])
        raise DataError(f"--clusters {method}: expected {known} for {kind}")


def by_rank_ranges(resampled: BootstrapResult) -> Clustering:
    """Lines where no interval of ranks crosses."""
    table = resampled.table
    cluster = clusters_of_ranges(table["rank_low"].to_numpy(), table["rank_high"].to_numpy())
    line = np.append(np.diff(cluster) > 0, False)
    groups = pd.DataFrame({"system": table["system"], "line": line, "cluster": cluster})
    about = (
        "A line below a system: the ranks of the systems above and below it do not overlap (ranks:"
        f" where {resampled.coverage:.0%} of {resampled.n_resamples} resamples by"
        f" {resampled.unit} put a system)."
    )
    return Clustering(RANK_RANGES, groups, about)


def by_tests(
    data: Counts | pd.DataFrame | Campaign, ranking: Ranking, method: str, correction: str
) -> Clustering:
    """Lines below systems that are significantly better than every system below them."""
    order, score = ranking.order, "raw" if ranking.method == "raw-score" else "z"
    options = {} if method == SIGN_TEST else {"score": score, "test": method}
    pairs = significance.significance(data, order, correction=correction, **options)
    test, independent = {
        SIGN_TEST: ("exact sign test of decided comparisons", "comparisons"),
        RANK_SUM: (f"rank-sum test of segments' mean {score} scores", "segments"),
        SIGNED_RANK: (f"signed-rank test of mean {score} scores on common segments", "segments"),
    }[method]
    about = (
        "A line below a system: it is significantly better than every system below it; wins: than"
        f" how many it is ({test}, two-sided, p < {ALPHA:g}, correction: {correction},"
        f" {int(pairs['p'].notna().sum())} pairs). The test takes {independent} for independent."
    )
    return Clustering(method, significance.groups(pairs, order), about, pairs)
