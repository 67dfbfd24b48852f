"""Is a sampler right, and how fast does it mix? Competitions with known truth, and diagnostics."""

from dataclasses import asdict
from itertools import islice

import numpy as np
import pandas as pd

from wmtlib import irt
from wmtlib.irt import CategoricalSettings, GaussianSettings

SETTINGS = {"gaussian": GaussianSettings, "categorical": CategoricalSettings}
SAMPLERS = {  # a chain and its model
    "plain": (irt.plain_chain, "gaussian"),
    "collapsed": (irt.collapsed_chain, "gaussian"),
    "categorical": (irt.categorical_chain, "categorical"),
}


def autocorrelation_time(chain: np.ndarray) -> float:
    """Integrated autocorrelation time, in iterations, of a stationary chain of one quantity.

    1 + 2 Σ rho_k, summed over pairs rho_2m + rho_2m+1 until one is not positive (Geyer 1992,
    initial positive sequence). Not below 1, so an alternating chain gets no credit. A chain much
    shorter than the time itself cannot show it: the result is then too small.
    """
    chain = np.asarray(chain, dtype=float)
    if chain.ndim != 1 or len(chain) < 4:
        raise ValueError("a chain is one-dimensional and has at least 4 iterations")
    centred = chain - chain.mean()
    spectrum = np.fft.rfft(centred, 2 * len(chain))
    covariance = np.fft.irfft(spectrum * spectrum.conj())[: len(chain)]
    if np.ptp(chain) == 0:
        return float(len(chain))  # it never moved: worth one draw
    pairs = (covariance / covariance[0])[: len(chain) // 2 * 2].reshape(-1, 2).sum(axis=1)
    stop = np.append(pairs <= 0, True).argmax()
    return float(max(2 * pairs[:stop].sum() - 1, 1.0))


def effective_sample_size(chain: np.ndarray) -> float:
    """How many independent draws estimate the mean as well: length / autocorrelation time."""
    return len(chain) / autocorrelation_time(chain)


def simulate(
    model: str,
    *,
    rng: np.random.Generator,
    competitions: int = 1,
    systems: int = 4,
    segments: int = 10,
    comparisons: int = 40,
    **settings: float,
) -> tuple[pd.DataFrame, np.ndarray]:
    """Draw competitions from the prior: random pairs of systems on random segments.

    Parameters
    ----------
    model : {"gaussian", "categorical"}
    competitions, systems, segments, comparisons : int
        Number of competitions, and of the rest in each. Systems and segments are not shared.
    **settings
        Hyperparameters that differ from the paper's, `SETTINGS[model]()`.

    Returns
    -------
    DataFrame
        Columns system_1, system_2, segment, preference; systems are named "c0000-s00" and so on.
    ndarray (competitions, systems)
        True abilities; for the categorical model, mean qualities.
    """
    p = SETTINGS[model](**settings)
    competition = np.repeat(np.arange(competitions), comparisons)
    a = rng.integers(systems, size=len(competition))
    b = (a + rng.integers(1, systems, size=len(competition))) % systems
    segment = rng.integers(segments, size=len(competition))
    items = [(competition, system, segment) for system in (a, b)]
    if model == "gaussian":
        ability = p.sigma_0 * rng.standard_normal((competitions, systems))
        spread = p.sigma_a * rng.standard_normal((competitions, systems, segments))
        quality = ability[..., None] + spread
        o1, o2 = (rng.normal(quality[item], p.sigma_obs) for item in items)
        tie = np.abs(o1 - o2) < p.radius
    else:
        theta = rng.dirichlet(np.full(p.levels, p.alpha), (competitions, systems))
        ability = irt.mean_quality(theta)
        quality = _inverted(theta[:, :, None], rng.random((competitions, systems, segments)))
        noise = np.exp(irt.log_noise(p.levels, p.sigma_obs))
        o1, o2 = (_inverted(noise[quality[item]], rng.random(len(competition))) for item in items)
        tie = np.abs(o1 - o2) <= p.radius
    names = np.array(competition_names(competitions, systems))
    columns = {
        "system_1": names[competition * systems + a],
        "system_2": names[competition * systems + b],
        "segment": competition * segments + segment,
        "preference": np.where(tie, 0, np.where(o1 > o2, 1, 2)).astype(np.int8),
    }
    return pd.DataFrame(columns), ability


def competition_names(competitions: int, systems: int) -> list[str]:
    """Names of the systems of `simulate`, competition by competition."""
    return [f"c{c:04d}-s{s:02d}" for c, s in np.ndindex(competitions, systems)]


def _inverted(chances: np.ndarray, u: np.ndarray) -> np.ndarray:
    """One draw from each distribution in the last axis, by inversion of uniform `u`."""
    return (chances.cumsum(axis=-1)[..., :-1] <= u[..., None]).sum(axis=-1)


def calibration_ranks(
    sampler: str,
    *,
    competitions: int,
    rng: np.random.Generator,
    kept: int = 99,
    thin: int = 10,
    burn_in: int = 100,
    design: dict[str, int] | None = None,
    **settings: float,
) -> np.ndarray:
    """Simulation-based calibration: ranks of the truth among posterior draws, uniform if right.

    Truth and comparisons are drawn from the model, then the posterior is sampled. The simulated
    competitions have no common systems or segments and are fitted together: their posteriors are
    independent, and one vectorised run serves all.

    Parameters
    ----------
    sampler : {"plain", "collapsed", "categorical"}
    competitions : int
        Number of simulated competitions.
    kept, thin : int
        Draws kept for each competition, one in `thin`; `thin` must exceed the autocorrelation time.
    design : dict
        The numbers of systems, segments and comparisons, for `simulate`.

    Returns
    -------
    ndarray (competitions, systems)
        Ranks 0 .. kept: first of the mean ability, then of each other system's ability less the
        first one's.
    """
    chain_of, model = SAMPLERS[sampler]
    p = SETTINGS[model](**settings)
    options = {"competitions": competitions, **(design or {}), **asdict(p)}
    frame, truth = simulate(model, rng=rng, **options)
    chain = chain_of(irt.item_data(frame, competition_names(*truth.shape)), p, rng)
    draws = np.array([*islice(chain, burn_in, burn_in + kept * thin, thin)])
    if model == "categorical":
        draws = irt.mean_quality(draws)
    return (_contrasts(draws.reshape(-1, *truth.shape)) < _contrasts(truth)).sum(axis=0)


def _contrasts(ability: np.ndarray) -> np.ndarray:
    """Mean ability, and each other system's ability less the first one's, along the last axis."""
    return np.concatenate(
        [ability.mean(axis=-1, keepdims=True), ability[..., 1:] - ability[..., :1]], axis=-1
    )
