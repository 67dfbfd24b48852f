"""The bootstrap of direct assessments: workers or HITs are drawn with replacement."""

from collections.abc import Collection, Iterator

import numpy as np
import pandas as pd

from wmtlib.assessment.campaign import Campaign
from wmtlib.assessment.clusters import ALPHA, rank_campaign
from wmtlib.assessment.stability import differences
from wmtlib.assessment.zscores import rank_systems
from wmtlib.judgements.errors import DataError


def resampled(
    campaign: Campaign, *, unit: str, n_resamples: int, rng: np.random.Generator
) -> Iterator[Campaign]:
    """Draw as many HITs, or workers, as there are, with replacement, again and again.

    Parameters
    ----------
    unit : "hit" or "worker"
        What is drawn as a whole; a HIT done by two workers is two.
    n_resamples : int
    rng : Generator

    Raises
    ------
    DataError
        An unknown unit, or fewer than two of them.
    """
    number, size = campaign.units(unit)
    if size < 2:
        raise DataError(f"{size} {unit}(s) to draw from; expected two or more")
    for _ in range(n_resamples):
        times = rng.multinomial(size, np.full(size, 1 / size))
        yield campaign.take(times[number])


def bootstrap_means(
    campaign: Campaign, *, unit: str, n_resamples: int, rng: np.random.Generator, column: str
) -> np.ndarray:
    """Mean scores of all systems in every resample.

    Parameters
    ----------
    unit, n_resamples, rng
        As in `resampled`.
    column : "score" or "raw"
        Mean z-scores or mean raw scores; see `zscores.rank_segment_means`.

    Returns
    -------
    ndarray of float64, (n_resamples, systems)
        In the order of the campaign's systems.

    Raises
    ------
    DataError
        Also a resample that leaves a system without segments.
    """
    samples = resampled(campaign, unit=unit, n_resamples=n_resamples, rng=rng)
    names = [*campaign.systems]
    return np.array([rank_systems(sample).column(column)[names].to_numpy() for sample in samples])


def bootstrap_differences(
    campaign: Campaign,
    *,
    unit: str,
    n_resamples: int,
    rng: np.random.Generator,
    test: str,
    rule: str,
    alpha: float = ALPHA,
    without: Collection[str] = (),
) -> pd.DataFrame:
    """How the rankings of resamples differ from the ranking of all judgements.

    Parameters
    ----------
    unit, n_resamples, rng
        As in `resampled`.
    test, rule, alpha
        As in `clusters.rank_campaign`.
    without : names
        Systems that are not ranked (human systems).

    Returns
    -------
    DataFrame
        One row a resample, columns `stability.DIFFERENCES`.

    Raises
    ------
    DataError
        Also a resample that leaves a system without segments.
    """
    choices = {"test": test, "rule": rule, "alpha": alpha, "unranked": campaign.is_system(without)}
    before = rank_campaign(campaign, **choices)
    samples = resampled(campaign, unit=unit, n_resamples=n_resamples, rng=rng)
    return pd.DataFrame([differences(before, rank_campaign(s, **choices)) for s in samples])
