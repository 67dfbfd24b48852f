"""Simulated competitions with known truth, drawn from the item-response models.

For tests of the samplers (simulation-based calibration), for examples and benchmarks.
"""

import numpy as np
import pandas as pd

from study.hopkins2013 import irt
from study.hopkins2013.irt import CategoricalSettings, GaussianSettings, mean_quality


def simulate(
    settings: GaussianSettings | CategoricalSettings,
    rng: np.random.Generator,
    *,
    competitions: int = 1,
    systems: int = 4,
    segments: int = 10,
    comparisons: int = 40,
) -> tuple[pd.DataFrame, np.ndarray]:
    """Draw competitions from a model: random pairs of systems on random segments.

    Parameters
    ----------
    settings : GaussianSettings or CategoricalSettings
    rng : Generator
    competitions, systems, segments, comparisons : int
        Number of competitions, and of the rest in each. Systems and segments are not
        shared.

    Returns
    -------
    DataFrame
        Columns system_1, system_2, segment, preference; systems are named "c0000-s00"
        and so on.
    ndarray (competitions, systems)
        True abilities; for the categorical model, mean qualities.
    """
    competition = np.repeat(np.arange(competitions), comparisons)
    a = rng.integers(systems, size=len(competition))
    b = (a + rng.integers(1, systems, size=len(competition))) % systems
    segment = rng.integers(segments, size=len(competition))
    options = [(competition, system, segment) for system in (a, b)]
    shape = (competitions, systems, segments)
    if isinstance(settings, GaussianSettings):
        ability = settings.sigma_0 * rng.standard_normal(shape[:2])
        quality = ability[..., None] + settings.sigma_a * rng.standard_normal(shape)
        o1, o2 = (rng.normal(quality[option], settings.sigma_obs) for option in options)
    else:
        strengths = np.full(settings.levels, settings.alpha)
        theta = rng.dirichlet(strengths, shape[:2])
        ability = mean_quality(theta)
        level = _inverted(theta[:, :, None], rng.random(shape))
        noise = np.exp(irt.log_noise(settings.levels, settings.sigma_obs))
        o1, o2 = (
            _inverted(noise[level[option]], rng.random(len(a))) for option in options
        )
    tie = np.abs(o1 - o2) <= settings.radius
    names = competition_names(*ability.shape)
    columns = {
        "system_1": names[competition * systems + a],
        "system_2": names[competition * systems + b],
        "segment": competition * segments + segment,
        "preference": np.where(tie, 0, np.where(o1 > o2, 1, 2)).astype(np.int8),
    }
    return pd.DataFrame(columns), ability


def competition_names(competitions: int, systems: int) -> np.ndarray:
    """Name the systems of `simulate`, competition by competition."""
    return np.array(
        [f"c{c:04d}-s{s:02d}" for c, s in np.ndindex(competitions, systems)]
    )


def _inverted(chances: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Draw from each distribution in the last axis, by inversion of uniform `u`."""
    return (chances.cumsum(axis=-1)[..., :-1] <= u[..., None]).sum(axis=-1)
