"""The bootstrap of direct assessments: workers, HITs, documents or segments are drawn.

A unit that is drawn twice counts twice: its judgements weigh twice in the mean of their segment,
and their segment more in the mean of its system (`cells.Cells.means`). If every unit is drawn once,
the result is Equation 1.
"""

from collections.abc import Iterator

import numpy as np

from wmtlib.assessment import zscores
from wmtlib.assessment.campaign import Campaign
from wmtlib.judgements.errors import DataError


def _draws(
    size: int, unit: str, n_resamples: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """How often each of a number of units was drawn, (units,), again and again."""
    if size < 2:
        raise DataError(f"{size} {unit}(s) to draw from; expected two or more")
    for _ in range(n_resamples):
        yield rng.multinomial(size, np.full(size, 1 / size))


def bootstrap_means(
    campaign: Campaign, *, unit: str, n_resamples: int, rng: np.random.Generator, column: str
) -> np.ndarray:
    """Mean scores of all systems in every resample.

    Parameters
    ----------
    unit : "hit", "worker", "document" or "segment"
        What is drawn as a whole, as often as there are such units; a HIT done by two workers is
        two.
    n_resamples : int
    rng : Generator
    column : "score" or "raw"
        Mean z-scores or mean raw scores; see `zscores.rank_segment_means`.

    Returns
    -------
    ndarray of float64, (n_resamples, systems)
        In the order of the campaign's systems.

    Raises
    ------
    DataError
        An unknown unit, fewer than two of them, or a resample that leaves a system without
        judgements.
    """
    size, means = len(campaign.systems), []
    number, units = campaign.units(unit)
    draws = _draws(units, unit, n_resamples, rng)
    if unit == "worker":
        means = _means_by_worker(campaign, np.array([*draws]), column=column)
        if (lost := np.flatnonzero(np.isnan(means).any(axis=0))).size:
            name = campaign.systems[lost[0]]
            expected = "left without segments; expected accepted judgements"
            raise DataError(f"system {name!r} is {expected}")
        return means
    for drawn in draws:
        times = drawn[number]
        z = zscores.z_scores(campaign, times=times)
        cells = zscores.usable_cells(campaign, z, times=times)
        value = (z if column == "score" else campaign.score)[cells.judgement]
        mean, weight = cells.means(value, times[cells.judgement])
        kept = weight > 0
        found = zscores.order_by_mean(cells.system[kept], mean[kept], size, weight[kept])
        means.append(found[1])
    return np.array(means)


def _means_by_worker(campaign: Campaign, times: np.ndarray, *, column: str) -> np.ndarray:
    """Mean scores of all systems if each worker counts a number of times.

    A worker who counts as a whole keeps mean and standard deviation, so a system's mean is a ratio
    of sums over workers: of z-scores over the size of their segment, and of one over that size.

    Parameters
    ----------
    times : ndarray, (samples, workers)
        The workers who gave judgements, in order of name.
    column : "score" or "raw"
        As in `bootstrap_means`.

    Returns
    -------
    ndarray of float64, (samples, systems)
        NaN for a system that a sample leaves without judgements.
    """
    z, (number, size) = zscores.z_scores(campaign), campaign.units("worker")
    cells = zscores.usable_cells(campaign, z)
    value = (z if column == "score" else campaign.score)[cells.judgement]
    shape = (size, len(campaign.systems))
    place = number[cells.judgement] * shape[1] + cells.credit_system
    share = 1 / np.repeat(cells.size, cells.size)
    sums, sizes = (
        times @ np.bincount(place, weight, size * shape[1]).reshape(shape)
        for weight in (share * value, share)
    )
    return np.divide(sums, sizes, out=np.full(sums.shape, np.nan), where=sizes > 0)
