"""Hopkins & May (2013), section 7: is Gibbs sampling right, and did it converge "quickly"?

Long chains of the three samplers, how many independent draws a chain is worth, and
competitions with known truth (simulation-based calibration).
"""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
import pandas as pd

from wmtlib import irt
from wmtlib.irt import (
    CategoricalSettings,
    Chain,
    GaussianSettings,
    ItemResponseModel,
    mean_quality,
)
from wmtlib.study.papers.hopkins2013_variants import collapsed_chain, fit_collapsed
from wmtlib.study.running import keep


class Sampler(NamedTuple):
    """A Gibbs sampler: the function that fits by it, its chain and its model's settings."""

    fit: Callable[..., ItemResponseModel]
    chain: Callable[..., Chain]
    settings: GaussianSettings | CategoricalSettings


SAMPLERS = {
    "plain": Sampler(irt.fit_gaussian, irt.plain_chain, GaussianSettings()),
    "collapsed": Sampler(fit_collapsed, collapsed_chain, GaussianSettings()),
    "categorical": Sampler(
        irt.fit_categorical, irt.categorical_chain, CategoricalSettings()
    ),
}
Chains = dict[str, tuple[np.ndarray, np.ndarray]]  # by sampler


def long_chains(
    train: pd.DataFrame,
    systems: Sequence[str],
    *,
    iterations: int,
    burn_in: int,
    seed: int,
) -> Chains:
    """Of a long run of each of `SAMPLERS`: abilities, (iterations, systems), and probabilities."""

    def run() -> Chains:
        chains, steps = (
            {},
            {"systems": systems, "iterations": iterations, "burn_in": burn_in},
        )
        for k, sampler in enumerate(SAMPLERS):
            steps["rng"] = np.random.default_rng([seed, k])
            model = SAMPLERS[sampler].fit(train, **steps)
            categorical = sampler == "categorical"
            abilities = mean_quality(model.draws) if categorical else model.draws
            chains[sampler] = abilities, model.probabilities
        return chains

    settings = [keep.frame_sha256(train), *systems, iterations, burn_in, seed]
    return keep.result("long-chains", settings, run)


def autocorrelation_time(chain: np.ndarray) -> float:
    """Integrated autocorrelation time, in iterations, of a stationary chain of one quantity.

    1 + 2 Σ rho_k, summed over pairs rho_2m + rho_2m+1 until one is not positive (Geyer
    1992, initial positive sequence). Not below 1, so an alternating chain gets no
    credit. A chain much shorter than the time itself cannot show it: the result is then
    too small.
    """
    if np.ptp(chain) == 0:
        return float(len(chain))  # it never moved: worth one draw
    spectrum = np.fft.rfft(chain - chain.mean(), 2 * len(chain))
    covariance = np.fft.irfft(spectrum * spectrum.conj())[: len(chain)]
    pairs = (
        (covariance / covariance[0])[: len(chain) // 2 * 2].reshape(-1, 2).sum(axis=1)
    )
    stop = np.append(pairs <= 0, True).argmax()
    return float(max(2 * pairs[:stop].sum() - 1, 1.0))


def effective_sample_size(chain: np.ndarray) -> float:
    """How many independent draws estimate the mean as well: length / autocorrelation time."""
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
    """Draw competitions from the prior of a model: random pairs of systems on random segments.

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
    if isinstance(settings, GaussianSettings):
        ability = settings.sigma_0 * rng.standard_normal((competitions, systems))
        spread = settings.sigma_a * rng.standard_normal(
            (competitions, systems, segments)
        )
        quality = ability[..., None] + spread
        o1, o2 = (rng.normal(quality[option], settings.sigma_obs) for option in options)
        tie = np.abs(o1 - o2) < settings.radius
    else:
        theta = rng.dirichlet(
            np.full(settings.levels, settings.alpha), (competitions, systems)
        )
        ability = mean_quality(theta)
        quality = _inverted(
            theta[:, :, None], rng.random((competitions, systems, segments))
        )
        noise = np.exp(irt.log_noise(settings.levels, settings.sigma_obs))
        o1, o2 = (
            _inverted(noise[quality[option]], rng.random(len(a))) for option in options
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
    """Names of the systems of `simulate`, competition by competition."""
    return np.array(
        [f"c{c:04d}-s{s:02d}" for c, s in np.ndindex(competitions, systems)]
    )


def _inverted(chances: np.ndarray, u: np.ndarray) -> np.ndarray:
    """One draw from each distribution in the last axis, by inversion of uniform `u`."""
    return (chances.cumsum(axis=-1)[..., :-1] <= u[..., None]).sum(axis=-1)


def calibrate(competitions: int, seed: int) -> dict[str, np.ndarray]:
    """Rank (0 to 99) of a true difference of two abilities among posterior draws, by sampler.

    One difference from each simulated competition: those of the same one are not
    independent.
    """
    ranks = {}
    for k, sampler in enumerate(SAMPLERS):
        rng, settings = np.random.default_rng([seed, k]), [sampler, competitions, seed]
        found = keep.result(
            "calibration", settings, calibration_ranks, sampler, competitions, rng
        )
        ranks[sampler] = found[:, 1]
    return ranks


def calibration_ranks(
    sampler: str,
    competitions: int,
    rng: np.random.Generator,
    kept: int = 99,
    thin: int = 10,
    burn_in: int = 100,
    **design: int,
) -> np.ndarray:
    """Simulation-based calibration: ranks of the truth among posterior draws, uniform if right.

    Truth and comparisons are drawn from the model, then the posterior is sampled. The
    simulated competitions have no common systems or segments and are fitted together:
    their posteriors are independent, and one vectorised run serves all.

    Parameters
    ----------
    sampler : one of `SAMPLERS`
    competitions : int
        Number of simulated competitions.
    rng : Generator
    kept, thin, burn_in : int
        Draws kept for each competition, one in `thin`; `thin` must exceed the
        autocorrelation time.
    **design
        The numbers of systems, segments and comparisons, for `simulate`.

    Returns
    -------
    ndarray (competitions, systems)
        Ranks 0 .. kept: first of the mean ability, then of each other system's ability
        less the first one's.
    """
    _, chain_of, settings = SAMPLERS[sampler]
    frame, truth = simulate(settings, rng, competitions=competitions, **design)
    data = irt.item_data(frame, competition_names(*truth.shape))
    chain = islice(chain_of(data, settings, rng), burn_in, burn_in + kept * thin, thin)
    draws = np.array([*chain])
    draws = mean_quality(draws) if sampler == "categorical" else draws
    return (_contrasts(draws.reshape(-1, *truth.shape)) < _contrasts(truth)).sum(axis=0)


def _contrasts(ability: np.ndarray) -> np.ndarray:
    """Mean ability, and each other system's ability less the first one's, along the last axis."""
    others = ability[..., 1:] - ability[..., :1]
    return np.concatenate([ability.mean(axis=-1, keepdims=True), others], axis=-1)
