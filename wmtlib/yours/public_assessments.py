"""Direct assessments from a frame or a file: z-scores and clusters."""

import pandas as pd

from wmtlib import zscores
from wmtlib.cluster_lines import ALPHA, rank_campaign
from wmtlib.counts import Counts
from wmtlib.errors import DataError
from wmtlib.ranking import Ranking
from wmtlib.yours.public import Data, as_judgements
from wmtlib.zscores import Campaign, encode


def z_scores(assessments: Data) -> pd.DataFrame:
    """Direct assessments with their z-scores (Knowles 2021, Equation 1).

    Returns
    -------
    DataFrame
        One row a judgement, in the order given: worker, system, segment, score, z. z is NaN where
        a worker gave the same score always.

    Examples
    --------
    >>> import wmtlib, pandas as pd
    >>> scores = {"system": [*"ABAB"], "segment": [*"1122"], "score": [60, 40, 80, 60]}
    >>> wmtlib.z_scores(pd.DataFrame({"worker": "w", **scores}))["z"].round(3).tolist()
    [0.0, -1.225, 1.225, 0.0]
    """
    campaign, frame = _campaign(assessments)
    columns = ["worker", "system", "segment", "score"]
    return frame[columns].assign(z=zscores.z_scores(campaign))


def clusters(assessments: Data, *, test: str, rule: str, alpha: float = ALPHA) -> Ranking:
    """Rank direct assessments and draw significance lines (Knowles 2021, section 3).

    Parameters
    ----------
    test : "two-sided", "one-sided" or "legacy"
        Rank-sum test of segments' mean z-scores; "legacy" is the paper's (footnote 8).
    rule : "footnote-4" or "official"
        A line below a system that is significantly better than every system below it; or where it
        wins against as many systems as stand below it (WMT's own tables).
    alpha : float
        Significant: p < alpha; not corrected for the number of tests.

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
    return rank_campaign(_campaign(assessments)[0], test=test, rule=rule, alpha=alpha).ranking


def _campaign(assessments: Data) -> tuple[Campaign, pd.DataFrame]:
    if isinstance(assessments, Counts) or (found := as_judgements(assessments)).assessments is None:
        raise DataError("holds comparisons; expected direct assessments")
    return encode(found.assessments), found.assessments
