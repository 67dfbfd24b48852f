"""The fewest direct assessments whose removal ends the lead of one system over another.

A system's score is the mean over segments of the mean z-score on each (Knowles 2021, section 3): a
mean of means, as in `wmtlib.judgements.fewest_removals`. There the z-scores stay as they are. In
truth every removal changes the mean and standard deviation of its worker; `still_ended` computes
them again.
"""

from dataclasses import replace

import numpy as np

from wmtlib.assessment import zscores
from wmtlib.assessment.campaign import Campaign
from wmtlib.assessment.system_order import averaged_z_scores
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.fewest_removals import Credits, leads


def credits(campaign: Campaign, *, unit: str) -> Credits:
    """Judgements with a z-score, for every system that they count for.

    Parameters
    ----------
    campaign : Campaign
    unit : str
        One of `campaign.CAMPAIGN_UNITS`.
    """
    z = zscores.z_scores(campaign)
    cells = zscores.usable_cells(campaign, z)
    number = np.repeat(np.arange(len(cells.size)), cells.size)
    value, system = z[cells.judgement], cells.credit_system
    unit_of = campaign.units(unit)[0]
    return Credits(campaign.systems, system, number, cells.judgement, value, unit_of)


def still_ended(campaign: Campaign, a: int, b: int, removed: np.ndarray) -> bool:
    """Whether the lead of a over b has ended once the workers' scales are computed again.

    Parameters
    ----------
    removed : ndarray of bool, (judgements,)
    """
    if removed.all():
        return True
    left = replace(campaign, accepted=campaign.accepted & ~removed)
    try:
        value, system, place = averaged_z_scores(left, scales_from=~removed)
    except DataError:  # a system is left without segments
        return True
    scores = np.full(len(campaign.systems), np.nan)
    scores[place] = zscores.order_by_mean(system, value, len(place))[1]
    return not leads(scores, a, b)
