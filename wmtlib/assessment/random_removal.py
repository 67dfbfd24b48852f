"""Rank again without some judgements chosen at random: the baseline for removing a system."""

from collections.abc import Collection

import numpy as np
import pandas as pd

from wmtlib.assessment.campaign import Campaign
from wmtlib.assessment.clusters import ALPHA, rank_campaign
from wmtlib.assessment.stability import differences
from wmtlib.judgements.errors import DataError


def remove_at_random(
    campaign: Campaign,
    *,
    share: float,
    n_resamples: int,
    rng: np.random.Generator,
    test: str,
    rule: str,
    alpha: float = ALPHA,
    without: Collection[str] = (),
    only_scales: bool = False,
) -> pd.DataFrame:
    """Remove a share of all judgements at random: the null hypothesis of a removal.

    The paper (section 5) asks how much instability is due to fewer data; this answers it.

    Parameters
    ----------
    share : float, 0 .. 1
        As in column `judgements` of `stability.perturb`.
    n_resamples : int
    rng : Generator
    test, rule, alpha
        As in `clusters.rank_campaign`.
    without : names
        Systems that are not ranked (human systems).
    only_scales : bool
        Whether the removed judgements are missing from the workers' means and standard deviations
        only, and are still averaged. The removal of human systems and references takes nothing
        from the systems that are compared either, so this is the standard for it.

    Returns
    -------
    DataFrame
        One row a resample, columns `stability.DIFFERENCES`.

    Raises
    ------
    DataError
        A share outside 0..1, or a resample that leaves a system without segments.
    """
    if not 0 <= share < 1:
        raise DataError(f"share is {share!r}; expected 0 or more, and less than 1")
    size = len(campaign.score)
    choices = {"test": test, "rule": rule, "alpha": alpha, "unranked": campaign.is_system(without)}
    before = rank_campaign(campaign, **choices)
    rows = []
    for _ in range(n_resamples):
        kept = np.ones(size, dtype=bool)
        kept[rng.choice(size, round(share * size), replace=False)] = False
        if only_scales:
            after = rank_campaign(campaign, scales_from=kept, **choices)
        else:
            after = rank_campaign(campaign.select(kept), **choices)
        rows.append(differences(before, after))
    return pd.DataFrame(rows)
