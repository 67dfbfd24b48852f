"""IRT-Categorical by Gibbs sampling (Hopkins & May 2013, section 7); see `irt` for the model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logsumexp

from wmtlib.judgements.errors import DataError
from wmtlib.preference.irt import ability_table, item_data, require_iterations, require_settings
from wmtlib.preference.preference_model import PreferenceModel


@dataclass(frozen=True, eq=False)
class CategoricalIRT(PreferenceModel):
    """IRT-Categorical: what `fit` returns.

    Attributes
    ----------
    abilities : DataFrame, index system
        Columns mean and sd, over the posterior, of a system's mean quality (1 .. levels).
    settings : dict
        Hyperparameters.
    draws : ndarray (kept iterations, systems, levels)
        Chance of each quality.
    """

    abilities: pd.DataFrame
    settings: dict[str, Any]
    draws: np.ndarray = field(repr=False)


def fit(
    comparisons: pd.DataFrame,
    *,
    systems: Sequence[str],
    rng: np.random.Generator,
    levels: int = 8,
    alpha: float = 0.5,
    sigma_obs: float = 1.0,
    radius: float = 0,
    iterations: int = 200,
    burn_in: int = 50,
) -> CategoricalIRT:
    """Fit IRT-Categorical by Gibbs sampling; the defaults are the paper's (footnotes 10 and 13).

    Observations, qualities and ability distributions in turn:
    P(o1, o2 | q, pi) ∝ noise[q1, o1] noise[q2, o2] [pi agrees with o1, o2];
    P(q_i | o, theta) ∝ theta[author, q_i] Π noise[q_i, o];
    theta_s | q ~ Dirichlet(alpha + how often each quality occurs among the items of s).

    Parameters and errors are those of `irt_gaussian.fit`, with `levels` Lambda >= 2 and Dirichlet
    strength `alpha`; a comparison is a tie iff |o1 - o2| <= radius. The data
    show the order of levels only, so abilities drift along them together, slowly; see
    `sampler_checks.autocorrelation_time`.
    """
    require_iterations(iterations, burn_in)
    data = item_data(comparisons, systems)
    settings = {"levels": levels, "alpha": alpha, "sigma_obs": sigma_obs, "radius": radius}
    if levels < 2:
        raise ValueError(f"levels is {levels}: qualities need at least 2")
    require_settings(alpha=alpha, sigma_obs=sigma_obs, radius=radius)
    if data.decided and radius >= levels - 1:
        raise DataError(f"with radius {radius} and {levels} levels every comparison would be a tie")
    chain = categorical_chain(data, rng, **settings)
    draws = np.array([*islice(chain, burn_in, iterations)])
    quality = draws @ np.arange(1, levels + 1)
    return CategoricalIRT(
        systems=data.systems,
        probabilities=_categorical_query(draws, levels, sigma_obs, radius),
        abilities=ability_table(data, quality.mean(axis=0), quality.std(axis=0)),
        settings=settings | {"iterations": iterations, "burn_in": burn_in},
        draws=draws,
    )


def log_noise(levels: int, sigma_obs: float) -> np.ndarray:
    """log P(o | q), rows q: the Gaussian density at o - q, normalised over o in 1..Lambda."""
    log = -0.5 * (np.subtract.outer(np.arange(levels), np.arange(levels)) / sigma_obs) ** 2
    return log - logsumexp(log, axis=1, keepdims=True)


def _agrees(levels: int, radius: float) -> np.ndarray:
    """Whether (o1, o2) make a judge prefer the first (row 0) or neither (row 1)."""
    difference = np.subtract.outer(np.arange(levels), np.arange(levels))
    return np.stack([difference > radius, np.abs(difference) <= radius])


def _observation_table(levels: int, sigma_obs: float, radius: float) -> np.ndarray:
    """Cumulated P(o1, o2 | q1, q2, tie or not), 40-bit integers; row (tie, q1, q2) adds row << 40.

    A draw of (o1, o2) is then one exact search of the raveled table for (row << 40) + 40 bits.
    """
    noise = log_noise(levels, sigma_obs)
    log = noise[:, None, :, None] + noise[None, :, None, :]  # q1, q2, o1, o2
    with np.errstate(divide="ignore"):
        log = log + np.log(_agrees(levels, radius))[:, None, None]
    log = log.reshape(2 * levels**2, levels**2)
    highest = np.maximum(log.max(axis=1, keepdims=True), -1e300)  # a preference that cannot be
    cumulated = np.exp(log - highest).cumsum(axis=1)
    cumulated /= np.maximum(cumulated[:, -1:], 1e-300)
    row = np.arange(len(log), dtype=np.int64)[:, None]
    return ((cumulated * (1 << 40)).round().astype(np.int64) + (row << 40)).ravel()


def categorical_chain(data, rng, *, levels, alpha, sigma_obs, radius) -> Iterator[np.ndarray]:
    """Ability distributions, iteration by iteration; the conditionals are in `fit`."""
    n, items, size = len(data.systems), len(data.author), len(data.first)
    noise, table = log_noise(levels, sigma_obs), _observation_table(levels, sigma_obs, radius)
    tie = np.arange(size) >= data.decided
    option = np.concatenate([data.first, data.second])
    theta, q = np.full((n, levels), 1 / levels), rng.integers(levels, size=items)
    while True:
        row = (tie * levels + q[data.first]) * levels + q[data.second]
        pick = table.searchsorted((row << 40) + rng.integers(1 << 40, size=size), side="right")
        o1, o2 = np.divmod(pick - row * levels**2, levels)
        seen = np.bincount(np.concatenate([o1, o2]) * items + option, minlength=levels * items)
        log = noise @ seen.reshape(levels, items)  # qualities x items
        weight = np.exp(log - log.max(axis=0)) * theta.T.take(data.author, axis=1)
        weight = np.tri(levels) @ weight  # cumulated
        q = (weight[:-1] <= weight[-1] * rng.random(items)).sum(axis=0)
        counts = np.bincount(data.author * levels + q, minlength=n * levels).reshape(n, levels)
        theta = rng.standard_gamma(alpha + counts)
        theta /= theta.sum(axis=1, keepdims=True)
        yield theta


def _categorical_query(theta, levels, sigma_obs, radius) -> np.ndarray:
    """P(pi | a, b) for new items: theta_a' W_pi theta_b, W_pi = noise [pi agrees] noise'."""
    noise = np.exp(log_noise(levels, sigma_obs))
    win, tie = noise @ _agrees(levels, radius) @ noise.T
    win = np.tensordot(theta @ win, theta, axes=([0, 2], [0, 2])) / len(theta)
    tie = np.tensordot(theta @ tie, theta, axes=([0, 2], [0, 2])) / len(theta)
    return np.stack([(tie + tie.T) / 2, win, win.T], axis=-1)
