"""The order of the systems, and the values that they are ordered by and tested on."""

import numpy as np

from wmtlib.assessment import zscores
from wmtlib.assessment.campaign import Campaign
from wmtlib.judgements.errors import DataError


def averaged_z_scores(
    campaign: Campaign,
    *,
    score: np.ndarray | None = None,
    scales_from: np.ndarray | None = None,
    unranked: np.ndarray | None = None,
    average_segments: bool = True,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The values that systems are ranked by and tested on: segments' mean z-scores.

    Parameters
    ----------
    campaign, score, scales_from, unranked, average_segments
        As in `clusters.rank_campaign`.

    Returns
    -------
    value, system : ndarray, (values,)
        `system` is a position in `place`.
    place : ndarray of int, (ranked,)
        Positions in `campaign.systems` of the systems that are ranked, ascending.

    Raises
    ------
    DataError
        Fewer than two systems to rank, or one without judgements.
    """
    ranked = np.ones(len(campaign.systems), dtype=bool) if unranked is None else ~unranked
    if (left := int(ranked.sum())) < 2:
        raise DataError(f"{left} system(s) to rank; expected two or more")
    z = zscores.z_scores(campaign, score=score, scales_from=scales_from)
    cells = zscores.usable_cells(campaign, z, ~ranked)
    value = z[cells.judgement]
    system = cells.system if average_segments else cells.credit_system
    if average_segments:
        value, _ = cells.means(value)
    kept, number = ranked[system], np.cumsum(ranked) - 1
    return value[kept], number[system[kept]], np.flatnonzero(ranked)


def system_order(campaign: Campaign, **choices: np.ndarray | None) -> np.ndarray:
    """Positions of the ranked systems, best first: `clusters.rank_campaign` without the tests.

    Parameters
    ----------
    campaign : Campaign
    **choices
        Arguments of `averaged_z_scores`.
    """
    value, system, place = averaged_z_scores(campaign, **choices)
    return place[zscores.order_by_mean(system, value, len(place))[0]]
