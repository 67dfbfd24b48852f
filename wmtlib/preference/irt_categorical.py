"""IRT-Categorical by Gibbs sampling (Hopkins & May 2013, section 7); see `irt` for the model."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logsumexp

from wmtlib.judgements.errors import DataError
from wmtlib.preference.irt import (
    CategoricalSettings,
    ItemData,
    ItemResponseModel,
    Streams,
    ability_table,
    item_data,
    kept_draws,
    require_iterations,
)

GUIDE = 10  # bits of a random number that say, most often, what was observed


def fit(
    comparisons: pd.DataFrame, *, systems: Sequence[str], rng: np.random.Generator, **options: Any
) -> ItemResponseModel:
    """Fit IRT-Categorical by Gibbs sampling; the options are those of `fit_each`."""
    return fit_each([comparisons], systems=systems, rngs=[rng], **options)[0]


def fit_each(
    comparisons: Sequence[pd.DataFrame | ItemData],
    *,
    systems: Sequence[str],
    rngs: Sequence[np.random.Generator],
    iterations: int = 200,
    burn_in: int = 50,
    **settings: float,
) -> list[ItemResponseModel]:
    """Fit IRT-Categorical by Gibbs sampling to each of some training sets.

    The defaults are the paper's (footnotes 10 and 13). Observations, qualities and ability
    distributions in turn:
    P(o1, o2 | q, pi) ∝ noise[q1, o1] noise[q2, o2] [pi agrees with o1, o2];
    P(q_i | o, theta) ∝ theta[author, q_i] Π noise[q_i, o];
    theta_s | q ~ Dirichlet(alpha + how often each quality occurs among the items of s).

    Parameters and errors are as in `irt_gaussian.fit_each`, hyperparameters as in
    `irt.CategoricalSettings`: `levels` Lambda >= 2, Dirichlet strength `alpha`; a comparison is a
    tie iff |o1 - o2| <= radius (for one that is not whole, see `_agrees`). The data show the order
    of the levels only, so abilities drift along them together, slowly; see
    `sampler_checks.autocorrelation_time`.
    """
    require_iterations(iterations, burn_in)
    chosen, fits = CategoricalSettings(**settings), [item_data(c, systems) for c in comparisons]
    if chosen.levels < 2:
        raise ValueError(f"levels is {chosen.levels}: qualities need at least 2")
    if any(data.decided for data in fits) and chosen.radius >= chosen.levels - 1:
        raise DataError(
            f"with radius {chosen.radius} and {chosen.levels} levels every comparison is a tie"
        )
    kept = kept_draws(categorical_chain, fits, chosen, rngs, iterations, burn_in, together=True)
    return [
        _fitted(data, draws, chosen, iterations, burn_in)
        for data, draws in zip(fits, kept, strict=True)
    ]


def _fitted(
    data: ItemData, draws: np.ndarray, settings: CategoricalSettings, iterations: int, burn_in: int
) -> ItemResponseModel:
    """The model that the draws of a chain give."""
    quality = mean_quality(draws)
    return ItemResponseModel(
        systems=data.systems,
        probabilities=preference_probabilities(draws, settings),
        abilities=ability_table(data, quality.mean(axis=0), quality.std(axis=0)),
        settings=asdict(settings) | {"iterations": iterations, "burn_in": burn_in},
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
    """The chance that (o1, o2) make a judge prefer the first (row 0) or neither (row 1).

    0 or 1 with a whole radius. With a fraction more, say 2.3, qualities observed 3 apart are a tie
    with that chance, 0.3.
    """
    difference = np.subtract.outer(np.arange(settings.levels), np.arange(settings.levels))
    tie = np.clip(settings.radius + 1 - np.abs(difference), 0, 1)
    return np.stack([(difference > 0) * (1 - tie), tie])


@cache
def _observation_table(settings: CategoricalSettings) -> tuple[np.ndarray, np.ndarray]:
    """Cumulated P(o1, o2 | q1, q2, tie or not), 40-bit integers; row (tie, q1, q2) adds row << 40.

    A draw of (o1, o2) is then one exact search of the raveled table for (row << 40) + 40 bits.
    Most of them need no search: the second array holds, for each row and the first GUIDE of the
    bits, the cell of the table that is found whatever the other bits are, or else -1.
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
    table = ((cumulated * (1 << 40)).round().astype(np.int64) + (row << 40)).ravel()
    start = np.arange(len(log) << GUIDE) << (40 - GUIDE)
    low, high = (
        table.searchsorted(x, side="right") for x in (start, start + (1 << (40 - GUIDE)) - 1)
    )
    return table, np.where(low == high, low, -1)


def categorical_chain(
    data: ItemData, settings: CategoricalSettings, streams: Streams
) -> Iterator[np.ndarray]:
    """Ability distributions, iteration by iteration; the conditionals are in `fit_each`."""
    n, items, levels = len(data.systems), len(data.author), settings.levels
    noise, (table, guide) = log_noise(levels, settings.sigma_obs), _observation_table(settings)
    options = np.stack([data.first, data.second])
    tie = (np.arange(len(data.first)) >= data.decided) * levels
    once, lower = np.ones(options.size), np.tri(levels)
    # o1 and o2 of a cell in its row, times the items: a number for each level of each item.
    observed = items * np.stack(np.divmod(np.arange(levels**2), levels))
    theta, q = np.full((n, levels), 1 / levels), streams.integers(levels, "items")
    while True:
        # Observations of all comparisons, from the table.
        q_1, q_2 = q.take(options)
        row, u = (tie + q_1) * levels + q_2, streams.draw("random", "comparisons")
        found = guide.take((row << GUIDE) + (u * (1 << GUIDE)).astype(np.int64))
        open_ = np.flatnonzero(found < 0)
        bits = (row[open_] << 40) + (u[open_] * (1 << 40)).astype(np.int64)
        found[open_] = table.searchsorted(bits, side="right")
        found -= row * levels**2
        # Qualities: how often each level was observed of each item gives its weights.
        cell = observed.take(found, axis=1) + options
        times = np.bincount(cell.ravel(), once, minlength=levels * items)
        weight = noise @ times.reshape(levels, items)  # qualities x items
        weight -= weight.max(axis=0)
        np.exp(weight, out=weight)
        weight *= theta.T.take(data.author, axis=1)
        weight = lower @ weight  # cumulated
        below = weight[:-1] <= weight[-1] * streams.draw("random", "items")
        q = below.sum(axis=0, dtype=np.int16)
        # Abilities: a Dirichlet draw is gamma draws over their sum.
        counts = np.bincount(data.author * levels + q, minlength=n * levels).reshape(n, levels)
        theta = streams.gamma(settings.alpha + counts)
        theta /= theta.sum(axis=1, keepdims=True)
        yield theta


def win_and_tie_matrices(settings: CategoricalSettings) -> np.ndarray:
    """W (2, levels, levels): chance of a preference for the first (row 0), or a tie, by qualities.

    W_pi = noise P(pi | o1, o2) noise'.
    """
    noise = np.exp(log_noise(settings.levels, settings.sigma_obs))
    return noise @ _agrees(settings) @ noise.T


def preference_probabilities(theta: np.ndarray, settings: CategoricalSettings) -> np.ndarray:
    """P(pi | a, b) for new items, (n, n, 3): theta_a' W_pi theta_b, the mean over draws."""
    win, tie = (
        np.tensordot(theta @ matrix, theta, axes=([0, 2], [0, 2])) / len(theta)
        for matrix in win_and_tie_matrices(settings)
    )
    return np.stack([(tie + tie.T) / 2, win, win.T], axis=-1)
