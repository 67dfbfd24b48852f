"""Knowles (2021), section 5: mean z-scores of one campaign under many workers' scales.

A removal that takes nothing from the systems that stay changes the workers' means and
standard deviations only. `means_by_scales` ranks all such removals at once.
"""

import math

import numpy as np

from wmtlib.assessments import Campaign
from wmtlib.cluster_lines import averaged_z_scores
from wmtlib.ranking import levels
from wmtlib.zscores import order_by_mean, worker_scales


def mean_z_scores(
    campaign: Campaign, unranked: np.ndarray, *, scales_from: np.ndarray | None = None
) -> np.ndarray:
    """Mean z-score of every system, (systems,); NaN if it is not ranked."""
    value, system = averaged_z_scores(
        campaign, scales_from=scales_from, unranked=unranked
    )
    return order_by_mean(system, value, len(campaign.systems))[1]


def means_by_scales(
    campaign: Campaign, left_out: np.ndarray, unranked: np.ndarray
) -> np.ndarray:
    """Mean z-scores of all systems, for several choices of what the scales lack.

        mean z of s = 1 / C(s) x sum over w of (X(s, w) - mean(w) N(s, w)) / sd(w)

    This is Equation 1, averaged over segments and then over the C(s) segments of system
    s, as a sum over workers. N(s, w) is the sum of 1/k over the judgements of s by w, X
    the sum of score/k, where k judgements are averaged on a segment. Of these only the
    workers' means and deviations depend on what is left out of the scales.

    Parameters
    ----------
    campaign : Campaign
        It takes longer where scores are not whole numbers, whose sums are exact.
    left_out : ndarray of bool, (choices, judgements)
        What the scales are not computed from; it is averaged like the rest.
    unranked : ndarray of bool, (choices or 1, systems)

    Returns
    -------
    ndarray of float64, (choices, systems)
        NaN for systems that are not ranked.
    """
    worker = campaign.worker
    shape = len(campaign.systems), len(campaign.workers)

    def sums(rows: np.ndarray) -> np.ndarray:
        """Number, sum and sum of squares of the scores of each worker, (3, workers)."""
        score = campaign.score[rows]
        powers = (np.ones(len(score)), score, score**2)
        return np.array([np.bincount(worker[rows], p, shape[1]) for p in powers])

    everything = sums(np.ones_like(worker, dtype=bool)) + campaign.unlisted
    lost = np.array([sums(rows) for rows in left_out])
    number, total, squares = np.moveaxis(everything - lost, 1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / number
        sd = np.sqrt((number * squares - total**2) / (number * (number - 1)))
    varies = (number > 1) & (sd > 0)
    inverse_sd = np.where(varies, 1 / np.where(varies, sd, 1), 0)
    offset = np.where(varies, mean, 0) * inverse_sd

    _, _, full_sd = worker_scales(campaign)
    cells = campaign.cells_of(campaign.rated & (full_sd > 0)[worker])
    pair = cells.credit_system * shape[1] + worker[cells.judgement]
    share = 1 / np.repeat(cells.size, cells.size)
    shares = np.bincount(pair, share, math.prod(shape)).reshape(shape)
    share_of_score = share * campaign.score[cells.judgement]
    scores = np.bincount(pair, share_of_score, math.prod(shape)).reshape(shape)
    segments = np.bincount(cells.system, minlength=shape[0])
    means = (inverse_sd @ scores.T - offset @ shares.T) / segments
    unranked = np.broadcast_to(unranked, means.shape)
    means[unranked] = np.nan
    # A worker who comes to give one score only is left out: segments have fewer
    # judgements, and N is another.
    left_out_too = ~varies[:, None] & (shares > 0) & ~unranked[..., None]
    is_whole = not (campaign.score % 1).any()
    for k in range(len(means)):
        if left_out_too[k].any() or not is_whole:
            means[k] = mean_z_scores(campaign, unranked[k], scales_from=~left_out[k])
    return means


def reversals(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Pairs of systems, ranked on both sides, that stand in another order.

    Parameters
    ----------
    before : ndarray, (systems,)
        Mean z-scores; NaN: not ranked.
    after : ndarray, (choices, systems)

    Returns
    -------
    ndarray of int, (choices,)

    Examples
    --------
    >>> reversals(np.array([3.0, 2, 1]), np.array([[1, 2, 3], [np.nan, 2, 3]])).tolist()
    [3, 1]
    """
    a, b = np.triu_indices(len(before), 1)

    def is_above(means: np.ndarray) -> np.ndarray:
        order = np.argsort(-levels(means), axis=-1, kind="stable")
        place = np.argsort(order, axis=-1)
        return place[..., a] < place[..., b]

    both = np.isfinite(before[a] + before[b] + after[:, a] + after[:, b])
    return (both & (is_above(before) != is_above(after))).sum(axis=1)
