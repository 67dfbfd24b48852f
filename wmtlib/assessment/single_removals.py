"""Remove every single system, all at once: what its judgements did to the others' mean z-scores.

Removing a system changes the workers' scales and nothing else of the systems that stay. A system's
mean z-score is a sum over workers w,

    sum_w (A_tw - m_w B_tw) / s_w,

where B_tw is the weight of w's judgements in the mean of system t, A_tw the weighted sum of their
scores, and m_w and s_w are the worker's mean and standard deviation. Without a system only m and s
are others, so that A and B serve for all removals.
"""

import numpy as np

from wmtlib.assessment.campaign import Campaign
from wmtlib.assessment.system_order import averaged_z_scores
from wmtlib.assessment.zscores import order_by_mean
from wmtlib.judgements.kendall import reversed_pairs


def means_without_each(campaign: Campaign, scales_from: np.ndarray | None = None) -> np.ndarray:
    """Mean z-scores of all systems if one system had never been judged (Equation 1, section 5).

    Its quality control goes with it; a joint row stays for the other systems.

    Parameters
    ----------
    campaign : Campaign
    scales_from : ndarray of bool, (judgements,), optional
        Judgements that the workers' scales are computed from; all if not given.

    Returns
    -------
    ndarray, (systems + 1, systems)
        Row k: without system k, its own place NaN. Last row: nothing is removed.
    """
    systems, workers = len(campaign.systems), len(campaign.workers)
    owner = _owners(campaign)
    rows = np.ones(len(owner), dtype=bool) if scales_from is None else scales_from
    base = np.zeros(workers)
    base[campaign.worker] = campaign.score  # whole numbers: sums about a score are exact
    centred = campaign.score - base[campaign.worker]
    # Number, sum and sum of squares of every worker's scores, by system removed, and in all.
    cell = (owner * workers + campaign.worker)[rows]
    sums = []
    for power, unlisted in enumerate(_unlisted(campaign, base)):
        of_system = np.bincount(cell, centred[rows] ** power, (systems + 1) * workers)
        of_system = of_system.reshape(-1, workers)
        left = of_system.sum(axis=0) + unlisted - of_system
        left[-1] = of_system.sum(axis=0) + unlisted
        sums.append(left)
    number, total, squares = sums
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total / number
        sd = np.sqrt((squares - total * mean) / (number - 1))
        scale = np.where((number > 1) & (sd > 0), 1 / sd, np.nan)
    # A and B of all systems.
    cells = campaign.cells
    weight = np.repeat(1 / (cells.size * np.bincount(cells.system)[cells.system]), cells.size)
    place = cells.credit_system * workers + campaign.worker[cells.judgement]
    b = np.bincount(place, weight, systems * workers).reshape(systems, workers)
    a = np.bincount(place, weight * centred[cells.judgement], systems * workers)
    a, has = a.reshape(systems, workers), b > 0
    # Workers without a scale are left out; if they judged other systems, fewer segments are left.
    others = has.sum(axis=0) - np.vstack([has, np.zeros(workers, dtype=int)])
    lost = np.isnan(scale)
    mean[lost] = scale[lost] = 0
    found = scale @ a.T - (mean * scale) @ b.T
    np.fill_diagonal(found, np.nan)
    for k in np.flatnonzero((lost & (others > 0)).any(axis=1)):
        # Of the last row nothing is removed, the judgements that nobody owns neither.
        stays = (owner != k) | (k == systems)
        found[k] = _means_without(campaign, rows & stays, k)
    return found


def reversals_without_each(means: np.ndarray) -> np.ndarray:
    """Pairs of the other systems that each removal reverses, (systems,) of int.

    Parameters
    ----------
    means : ndarray, (systems + 1, systems)
        As `means_without_each` gives.
    """
    order = np.argsort(-means[-1], kind="stable")
    found = []
    for k, row in enumerate(means[:-1]):
        before = order[order != k]
        found.append(reversed_pairs(before, before[np.argsort(-row[before], kind="stable")]))
    return np.array(found)


def _owners(campaign: Campaign) -> np.ndarray:
    """System whose removal takes each judgement along, (judgements,); -1: none, put last."""
    owner = np.full(len(campaign.score), len(campaign.systems))
    single = np.bincount(campaign.credit, minlength=len(owner))[campaign.credit] == 1
    owner[campaign.credit[single]] = campaign.credit_system[single]
    return owner


def _unlisted(campaign: Campaign, base: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Number, sum and sum of squares about the base of scores that are not listed, by worker."""
    number, total, squares = campaign.unlisted
    return number, total - number * base, squares - base * (2 * total - number * base)


def _means_without(campaign: Campaign, scales_from: np.ndarray, removed: int) -> np.ndarray:
    """One row of `means_without_each`, by the general way."""
    unranked = np.arange(len(campaign.systems)) == removed
    value, system, place = averaged_z_scores(campaign, scales_from=scales_from, unranked=unranked)
    means = np.full(len(unranked), np.nan)
    means[place] = order_by_mean(system, value, len(place))[1]
    return means
