"""IRT-Categorical by Gibbs sampling (Hopkins & May 2013, section 7); see `irt` for the model."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import numpy as np
import pandas as pd
from scipy.special import logsumexp

from wmtlib.judgements.errors import DataError
from wmtlib.preference.irt import (
    CategoricalSettings,
    ItemData,
    ItemResponseModel,
    ability_table,
    item_data,
    kept_draws,
    require_iterations,
)


def fit(
    comparisons: pd.DataFrame,
    *,
    systems: Sequence[str],
    rng: np.random.Generator,
    iterations: int = 200,
    burn_in: int = 50,
    **settings: float,
) -> ItemResponseModel:
    """Fit IRT-Categorical by Gibbs sampling; the defaults are the paper's (footnotes 10 and 13).

    Observations, qualities and ability distributions in turn:
    P(o1, o2 | q, pi) ∝ noise[q1, o1] noise[q2, o2] [pi agrees with o1, o2];
    P(q_i | o, theta) ∝ theta[author, q_i] Π noise[q_i, o];
    theta_s | q ~ Dirichlet(alpha + how often each quality occurs among the items of s).

    Parameters and errors are as in `irt_gaussian.fit`, hyperparameters as in
    `irt.CategoricalSettings`: `levels` Lambda >= 2, Dirichlet strength `alpha`; a comparison is a
    tie iff |o1 - o2| <= radius. The data show the order of the levels only, so abilities drift
    along them together, slowly; see `sampler_checks.autocorrelation_time`.
    """
    require_iterations(iterations, burn_in)
    chosen, data = CategoricalSettings(**settings), item_data(comparisons, systems)
    if chosen.levels < 2:
        raise ValueError(f"levels is {chosen.levels}: qualities need at least 2")
    if data.decided and chosen.radius >= chosen.levels - 1:
        raise DataError(
            f"with radius {chosen.radius} and {chosen.levels} levels every comparison is a tie"
        )
    draws = kept_draws(categorical_chain(data, chosen, rng), iterations, burn_in)
    quality = mean_quality(draws)
    return ItemResponseModel(
        systems=data.systems,
        probabilities=_probabilities(draws, chosen),
        abilities=ability_table(data, quality.mean(axis=0), quality.std(axis=0)),
        settings=asdict(chosen) | {"iterations": iterations, "burn_in": burn_in},
        draws=draws,
    )


def mean_quality(theta: np.ndarray) -> np.ndarray:
    """Mean of distributions over the qualities 1 .. levels, which are the last axis."""
    return theta @ np.arange(1, theta.shape[-1] + 1)


def log_noise(levels: int, sigma_obs: float) -> np.ndarray:
    """log P(o | q), rows q: the Gaussian density at o - q, normalised over o in 1..Lambda."""
    log = -0.5 * (np.subtract.outer(np.arange(levels), np.arange(levels)) / sigma_obs) ** 2
    return log - logsumexp(log, axis=1, keepdims=True)


def _agrees(settings: CategoricalSettings) -> np.ndarray:
    """Whether (o1, o2) make a judge prefer the first (row 0) or neither (row 1)."""
    difference = np.subtract.outer(np.arange(settings.levels), np.arange(settings.levels))
    return np.stack([difference > settings.radius, np.abs(difference) <= settings.radius])


def _observation_table(settings: CategoricalSettings) -> np.ndarray:
    """Cumulated P(o1, o2 | q1, q2, tie or not), 40-bit integers; row (tie, q1, q2) adds row << 40.

    A draw of (o1, o2) is then one exact search of the raveled table for (row << 40) + 40 bits.
    """
    noise = log_noise(settings.levels, settings.sigma_obs)
    log = noise[:, None, :, None] + noise[None, :, None, :]  # q1, q2, o1, o2
    with np.errstate(divide="ignore"):
        log = log + np.log(_agrees(settings))[:, None, None]
    log = log.reshape(2 * settings.levels**2, settings.levels**2)
    highest = np.maximum(log.max(axis=1, keepdims=True), -1e300)  # a preference that cannot be
    cumulated = np.exp(log - highest).cumsum(axis=1)
    cumulated /= np.maximum(cumulated[:, -1:], 1e-300)
    row = np.arange(len(log), dtype=np.int64)[:, None]
    return ((cumulated * (1 << 40)).round().astype(np.int64) + (row << 40)).ravel()


def categorical_chain(
    data: ItemData, settings: CategoricalSettings, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Ability distributions, iteration by iteration; the conditionals are in `fit`."""
    n, items, size, levels = len(data.systems), len(data.author), len(data.first), settings.levels
    noise, table = log_noise(levels, settings.sigma_obs), _observation_table(settings)
    tie = np.arange(size) >= data.decided
    option = np.concatenate([data.first, data.second])
    theta, q = np.full((n, levels), 1 / levels), rng.integers(levels, size=items)
    while True:
        # Observations of all comparisons, by one search of the table.
        row = (tie * levels + q[data.first]) * levels + q[data.second]
        found = table.searchsorted((row << 40) + rng.integers(1 << 40, size=size), side="right")
        o1, o2 = np.divmod(found - row * levels**2, levels)
        # Qualities: how often each level was observed of each item gives its weights.
        cells = np.concatenate([o1, o2]) * items + option
        observed = np.bincount(cells, minlength=levels * items)
        log = noise @ observed.reshape(levels, items)  # qualities x items
        weight = np.exp(log - log.max(axis=0)) * theta.T.take(data.author, axis=1)
        weight = np.tri(levels) @ weight  # cumulated
        q = (weight[:-1] <= weight[-1] * rng.random(items)).sum(axis=0)
        # Abilities: a Dirichlet draw is gamma draws over their sum.
        counts = np.bincount(data.author * levels + q, minlength=n * levels).reshape(n, levels)
        theta = rng.standard_gamma(settings.alpha + counts)
        theta /= theta.sum(axis=1, keepdims=True)
        yield theta


def win_and_tie_matrices(settings: CategoricalSettings) -> np.ndarray:
    """W (2, levels, levels): chance of a preference for the first (row 0), or a tie, by qualities.

    W_pi = noise [pi agrees] noise'.
    """
    noise = np.exp(log_noise(settings.levels, settings.sigma_obs))
    return noise @ _agrees(settings) @ noise.T


def _probabilities(theta: np.ndarray, settings: CategoricalSettings) -> np.ndarray:
    """P(pi | a, b) for new items, (n, n, 3): theta_a' W_pi theta_b, the mean over draws."""
    win, tie = (
        np.tensordot(theta @ matrix, theta, axes=([0, 2], [0, 2])) / len(theta)
        for matrix in win_and_tie_matrices(settings)
    )
    return np.stack([(tie + tie.T) / 2, win, win.T], axis=-1)
