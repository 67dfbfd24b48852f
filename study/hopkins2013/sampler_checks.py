"""Hopkins & May (2013), section 7: checks of Gibbs sampling and its convergence.

Long chains of the three samplers, how many independent draws a chain is worth, and
competitions with known truth (simulation-based calibration).
"""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import signal

from study.hopkins2013.variants import collapsed_chain, fit_collapsed
from study.run import keep
from wmtlib import irt
from wmtlib.irt import (
    CategoricalSettings,
    Chain,
    GaussianSettings,
    ItemResponseModel,
    mean_quality,
)


class Sampler(NamedTuple):
    """A Gibbs sampler.

    Attributes
    ----------
    fit : callable
        Fits the model by it.
    chain : callable
        Its chain: `irt.plain_chain` and the like.
    settings : GaussianSettings or CategoricalSettings
        Hyperparameters of its model.
    """

    fit: Callable[..., ItemResponseModel]
    chain: Callable[..., Chain]
    settings: GaussianSettings | CategoricalSettings

    def abilities(self, draws: np.ndarray) -> np.ndarray:
        """Return abilities of draws; in the categorical model, mean qualities."""
        if isinstance(self.settings, CategoricalSettings):
            return mean_quality(draws)
        return draws


SAMPLERS = {
    "plain": Sampler(irt.fit_gaussian, irt.plain_chain, GaussianSettings()),
    "collapsed": Sampler(fit_collapsed, collapsed_chain, GaussianSettings()),
    "categorical": Sampler(
        irt.fit_categorical, irt.categorical_chain, CategoricalSettings()
    ),
}


def long_chains(
    train: pd.DataFrame,
    systems: Sequence[str],
    *,
    iterations: int,
    burn_in: int,
    seed: int,
) -> dict[str, dict[str, np.ndarray]]:
    """Run each of `SAMPLERS` for long.

    Of each, `abilities` (iterations, systems) and `probabilities`, see `irt`.
    """

    def chain(sampler: Sampler, k: int) -> dict[str, np.ndarray]:
        rng = np.random.default_rng([seed, k])
        model = sampler.fit(
            train, systems=systems, rng=rng, iterations=iterations, burn_in=burn_in
        )
        abilities = sampler.abilities(model.draws)
        return {"abilities": abilities, "probabilities": model.probabilities}

    data = [keep.frame_sha256(train), *systems, iterations, burn_in, seed]
    return {
        name: keep.result("long-chains", [name, *data], chain, sampler, k)
        for k, (name, sampler) in enumerate(SAMPLERS.items())
    }


def autocorrelation_time(chain: np.ndarray) -> float:
    """Estimate the integrated autocorrelation time of a chain of one quantity.

    In iterations: 1 + 2 Σ rho_k, summed over pairs rho_2m + rho_2m+1 until one is not
    positive (Geyer 1992, initial positive sequence). Not below 1, so an alternating
    chain gets no credit. A chain much shorter than the time itself cannot show it: the
    result is then too small.
    """
    if np.ptp(chain) == 0:
        return float(len(chain))  # it never moved: worth one draw
    centred = chain - chain.mean()
    covariance = signal.correlate(centred, centred)[len(chain) - 1 :]
    correlation = covariance / covariance[0]
    pairs = correlation[: len(chain) // 2 * 2].reshape(-1, 2).sum(axis=1)
    stop = np.append(pairs <= 0, True).argmax()
    return float(max(2 * pairs[:stop].sum() - 1, 1.0))


def effective_sample_size(chain: np.ndarray) -> float:
    """Compute how many independent draws estimate the mean as well."""
    return len(chain) / autocorrelation_time(chain)


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


def calibrate(competitions: int, seed: int) -> dict[str, np.ndarray]:
    """Rank true differences of two abilities among posterior draws (0 to 99).

    By sampler. One difference from each simulated competition: those of the same one
    are not independent.
    """
    ranks = {}
    for k, sampler in enumerate(SAMPLERS):
        settings = [sampler, competitions, seed]
        rng = np.random.default_rng([seed, k])
        ranks[sampler] = keep.result(
            "calibration", settings, calibration_ranks, sampler, competitions, rng
        )[:, 1]
    return ranks


def calibration_ranks(
    sampler: str,
    competitions: int,
    rng: np.random.Generator,
    draws: int = 99,
    thin: int = 10,
    burn_in: int = 100,
    **design: int,
) -> np.ndarray:
    """Compute ranks of the truth among draws, uniform if all is right.

    Truth and comparisons are drawn from the model, then the posterior is sampled. The
    simulated competitions have no common systems or segments and are fitted together:
    their posteriors are independent, and one vectorised run serves all.

    Parameters
    ----------
    sampler : one of `SAMPLERS`
    competitions : int
        Number of simulated competitions.
    rng : Generator
    draws, thin, burn_in : int
        Draws for each competition, one in `thin` iterations; `thin` must exceed the
        autocorrelation time.
    **design
        The numbers of systems, segments and comparisons, for `simulate`.

    Returns
    -------
    ndarray (competitions, systems)
        Ranks 0 .. draws: first of the mean ability, then of each other system's ability
        less the first one's.
    """
    chosen = SAMPLERS[sampler]
    settings = chosen.settings
    frame, truth = simulate(settings, rng, competitions=competitions, **design)
    data = irt.item_data([frame], competition_names(*truth.shape))
    chain = chosen.chain(data, settings, [rng])
    drawn = [*islice(chain, burn_in, burn_in + draws * thin, thin)]
    abilities = chosen.abilities(np.array(drawn)).reshape(-1, *truth.shape)
    return (_contrasts(abilities) < _contrasts(truth)).sum(axis=0)


def _contrasts(ability: np.ndarray) -> np.ndarray:
    """Compute the mean ability, then each other system's less the first one's."""
    others = ability[..., 1:] - ability[..., :1]
    return np.concatenate([ability.mean(axis=-1, keepdims=True), others], axis=-1)
