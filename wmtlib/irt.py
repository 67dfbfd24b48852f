"""Item-response models of translation competitions (Hopkins & May 2013, section 7).

A system s has an ability; an item i, the translation of one segment by one system, has
a quality drawn from it; a judge observes the quality of both items of a comparison with
noise of his own:

    mu_s ~ N(0, sigma_0²),   q_i ~ N(mu_author(i), sigma_a²),   o ~ N(q, sigma_obs²) per option,

and prefers neither iff |o1 - o2| < radius, else the option that he observed to be
better. The categorical model has discrete qualities 1..Lambda and observations, q_i ~
theta_author(i), theta_s ~ Dirichlet(alpha), and needs |o1 - o2| <= radius, since its
radius is 0.

Comparisons enter by d = o1 - o2 alone, so nothing tells where zero is: the mean ability
keeps its prior, N(0, sigma_0² / n), independent of all differences, whatever the data.

Both are fitted by Gibbs sampling, `fit_gaussian` and `fit_categorical`: a chain is one
loop that draws every variable given the others.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.random import Generator
from scipy.special import log_ndtr, logsumexp, ndtr, ndtri, ndtri_exp

from wmtlib import counts as counting
from wmtlib.counts import SECOND, SWAPPED, TIE
from wmtlib.errors import DataError
from wmtlib.models import PreferenceModel, track

FAR_OUT = 35  # standard deviations, past which the tail of a normal distribution is taken in logs


Chain = Iterator[np.ndarray]  # the abilities of every iteration, without end


@dataclass(frozen=True)
class Settings:
    """Hyperparameters; each is finite and positive, the radius may be zero (else ValueError)."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not (0 < value < np.inf or (name == "radius" and value == 0)):
                rule = "not be negative" if name == "radius" else "be positive"
                raise ValueError(f"{name} is {value}: it must be finite and {rule}")


@dataclass(frozen=True)
class GaussianSettings(Settings):
    """Hyperparameters of IRT-Gaussian; the defaults are the paper's (footnote 13)."""

    sigma_0: float = 1.0
    sigma_a: float = 0.5
    sigma_obs: float = 1.0
    radius: float = 0.4


@dataclass(frozen=True)
class CategoricalSettings(Settings):
    """Hyperparameters of IRT-Categorical; the defaults are the paper's (footnote 13)."""

    levels: int = 8
    alpha: float = 0.5
    sigma_obs: float = 1.0
    radius: float = 0


@dataclass(frozen=True, eq=False)
class ItemResponseModel(PreferenceModel):
    """A fitted item-response model.

    Attributes
    ----------
    systems, probabilities
        See `PreferenceModel`; the diagonal is for two items of the same system.
    abilities : DataFrame, index system
        Columns mean and sd of the posterior: of the ability, or of a system's mean
        quality (1 .. levels) in the categorical model.
    settings : dict
        Hyperparameters, and how they were fitted.
    draws : ndarray (kept iterations, systems), or None from a fit without draws
        Abilities. Categorical: (kept iterations, systems, levels), the chance of each
        quality.
    """

    abilities: pd.DataFrame
    settings: dict[str, Any]
    draws: np.ndarray | None = field(default=None, repr=False)


class ItemData(NamedTuple):
    """Comparisons as positions of items; the order of rows and options leaves no trace in it."""

    systems: tuple[str, ...]
    author: np.ndarray  # of each item
    block: (
        np.ndarray
    )  # of each item, sorted: its segment; items of different blocks never meet
    first: np.ndarray  # item of each comparison: the preferred one, if any
    second: np.ndarray
    decided: (
        int  # number of comparisons without a tie; they come first, the ties after them
    )


def item_data(comparisons: pd.DataFrame, systems: Iterable[str]) -> ItemData:
    """Comparisons as positions of items and authors.

    Parameters
    ----------
    comparisons : DataFrame
        Columns system_1, system_2, preference and, if known, segment and count. A
        comparison of unknown segment has two items of its own.
    systems : names
        All of the competition.

    Raises
    ------
    DataError
        Fewer than two systems, or comparisons that cannot be used.
    """
    if "count" in comparisons:
        comparisons = counting.expand(comparisons)
    names, a, b, preference, _ = counting.coded(comparisons, track(systems))
    tie = preference == TIE
    # The preferred option goes first; of two tied ones, the first by name.
    swap = (preference == SECOND) | (tie & (a > b))
    a, b = np.where(swap, b, a), np.where(swap, a, b)
    segment = np.zeros(len(a), dtype=np.intp)
    if "segment" in comparisons:
        segment, _ = pd.factorize(comparisons["segment"], sort=True)
        if (segment < 0).any():
            raise DataError("a comparison lacks its segment")
    order = np.lexsort((b, a, segment, tie))
    if "segment" not in comparisons:
        segment[order] = np.arange(len(a))
    # An item is a segment and a system; the number of one is segment * systems +
    # system.
    key = np.concatenate([segment[order] * len(names) + x[order] for x in (a, b)])
    item, option = np.unique(key, return_inverse=True)
    block, author = np.divmod(item, len(names))
    first, second = np.split(option, 2)
    return ItemData(
        tuple(names), author, block, first, second, decided=int((~tie).sum())
    )


def kept_draws(
    chain: Iterator[np.ndarray], iterations: int, burn_in: int
) -> np.ndarray:
    """Draws of a chain after the burn-in, (iterations - burn_in, systems, ...)."""
    if not 0 <= burn_in < iterations:
        raise ValueError(
            f"burn_in is {burn_in}: it must be at least 0 and less than {iterations}"
        )
    return np.array([*islice(chain, burn_in, iterations)])


def ability_table(data: ItemData, mean: np.ndarray, sd: np.ndarray) -> pd.DataFrame:
    """`ItemResponseModel.abilities`."""
    return pd.DataFrame({"mean": mean, "sd": sd}, pd.Index(data.systems, name="system"))


# --- IRT-Gaussian by Gibbs sampling ---------------------------------------------------


def fit_gaussian(
    train: pd.DataFrame,
    *,
    systems: Iterable[str],
    rng: Generator,
    iterations: int = 200,
    burn_in: int = 50,
    **settings: float,
) -> ItemResponseModel:
    """Fit IRT-Gaussian by Gibbs sampling; the defaults are the paper's (footnotes 10 and 13).

    The chain walks the plate diagram variable by variable. It starts at zero and, with
    thousands of comparisons, needs thousands of iterations for the common offset of all
    abilities, hence for their sd; differences, on which the probabilities rest, are
    much faster.

    Parameters
    ----------
    train : DataFrame
        See `item_data`. The order of rows and of options does not matter.
    systems : names
        All of the competition; those without comparisons keep the prior.
    rng : Generator
    **settings
        Hyperparameters that differ from `GaussianSettings()`.

    Raises
    ------
    ValueError
        A standard deviation that is not positive, a negative radius, burn_in >=
        iterations.
    DataError
        Fewer than two systems, comparisons that cannot be used, or ties although the
        radius is 0.
    """
    chosen, data = GaussianSettings(**settings), item_data(train, systems)
    require_radius(data, chosen)
    draws = kept_draws(plain_chain(data, chosen, rng), iterations, burn_in)
    steps = {"iterations": iterations, "burn_in": burn_in, "sampler": "plain"}
    return ItemResponseModel(
        systems=data.systems,
        probabilities=gaussian_probabilities(draws, chosen),
        abilities=ability_table(data, draws.mean(axis=0), draws.std(axis=0)),
        settings=asdict(chosen) | steps,
        draws=draws,
    )


def require_radius(data: ItemData, settings: GaussianSettings) -> None:
    """Refuse ties under a radius of 0."""
    if settings.radius == 0 and data.decided < len(data.first):
        raise DataError(
            "the comparisons have ties, which a radius of 0 makes impossible"
        )


def plain_chain(data: ItemData, settings: GaussianSettings, rng: Generator) -> Chain:
    """Abilities, iteration by iteration, of the plate diagram's Gibbs sampler.

    Observations: o1 - o2 is truncated by the preference, o1 + o2 ~ N(q1 + q2, 2
    sigma_obs²) is independent of it. Quality: precision 1/sigma_a² +
    (options)/sigma_obs², mean weighed alike. Ability: precision 1/sigma_0² +
    (items)/sigma_a².

    All is in units of sqrt(2) sigma_obs, the sd of o1 - o2 and of o1 + o2 given the
    qualities; an observation then has variance 1/2.
    """
    n, items = len(data.systems), len(data.author)
    unit = math.sqrt(2) * settings.sigma_obs
    radius, tau_a = settings.radius / unit, (unit / settings.sigma_a) ** 2
    # Precisions of what is observed of each item: 2 for each option.
    tau_o = 2.0 * np.bincount(np.append(data.first, data.second), minlength=items)
    var_q = 1 / (tau_a + tau_o)
    var_mu = 1 / (
        (unit / settings.sigma_0) ** 2 + np.bincount(data.author, minlength=n) * tau_a
    )
    sd_q, sd_mu = np.sqrt(var_q), np.sqrt(var_mu)
    mu, q = np.zeros(n), np.zeros(items)
    while True:
        # o1 - o2 = q1 - q2 + d and o1 + o2 = q1 + q2 + s, so 2 o1 = 2 q1 + s + d.
        difference = q.take(data.first) - q.take(data.second)
        d = truncated_deviations(difference, radius, data.decided, rng)
        s = rng.standard_normal(len(data.first))
        observed = np.bincount(data.first, s + d, minlength=items)
        observed += np.bincount(data.second, s - d, minlength=items)
        mean = var_q * ((tau_a * mu).take(data.author) + tau_o * q + observed)
        q = mean + sd_q * rng.standard_normal(items)
        mean = var_mu * tau_a * np.bincount(data.author, q, minlength=n)
        mu = mean + sd_mu * rng.standard_normal(n)
        yield unit * mu


def truncated_deviations(
    mean: np.ndarray, radius: float, decided: int, rng: Generator
) -> np.ndarray:
    """Draw d - mean for d ~ N(mean, 1), the decided above the radius, the ties after them within.

    By inverting the upper tail S(z): S(z) = S(low) exp(-e), e ~ Exp(1), above low;
    S(z) = S(low) - u (S(low) - S(high)) between. Ties are mirrored to where S is small.
    Far out, where S would be 0 in floating point, the same in logs.
    """
    deviation = np.empty(len(mean))
    exponential, uniform = (
        rng.standard_exponential(decided),
        rng.random(len(mean) - decided),
    )
    low, centre = radius - mean[:decided], np.abs(mean[decided:])
    if max(low.max(initial=0), centre.max(initial=0) + radius) < FAR_OUT:
        above = ndtri(ndtr(-low) * np.exp(-exponential))
        top, bottom = ndtr(radius - centre), ndtr(-radius - centre)
        between = ndtri(top - uniform * (top - bottom))
    else:
        above = ndtri_exp(log_ndtr(-low) - exponential)
        top, bottom = log_ndtr(radius - centre), log_ndtr(-radius - centre)
        between = ndtri_exp(top + np.log1p(uniform * np.expm1(bottom - top)))
    np.maximum(-above, low, out=deviation[:decided])
    between = np.minimum(np.maximum(-between, centre - radius), centre + radius)
    deviation[decided:] = np.copysign(1, -mean[decided:]) * between
    return deviation


def gaussian_probabilities(
    ability: np.ndarray, settings: GaussianSettings, variance: np.ndarray | float = 0.0
) -> np.ndarray:
    """P(pi | a, b) for new items, (n, n, 3): the mean over draws of the abilities, (draws, n).

    o1 - o2 ~ N(mu_a - mu_b, 2 sigma_a² + 2 sigma_obs² + variance), the last, (n, n),
    symmetric.
    """
    radius, n = settings.radius, ability.shape[1]
    sd = np.sqrt(2 * settings.sigma_a**2 + 2 * settings.sigma_obs**2 + variance)
    a, b = np.triu_indices(n)
    difference = ability.take(a, axis=1) - ability.take(b, axis=1)
    sd = np.broadcast_to(sd, (n, n))[a, b]
    win, loss = ndtr((difference - radius) / sd), ndtr((-difference - radius) / sd)
    tie = ndtr((radius - np.abs(difference)) / sd) - np.minimum(win, loss)
    probabilities = np.empty((n, n, 3))
    probabilities[a, b] = np.stack([x.mean(axis=0) for x in (tie, win, loss)], axis=-1)
    probabilities[b, a] = probabilities[a, b][:, SWAPPED]
    return probabilities


# --- IRT-Categorical by Gibbs sampling ------------------------------------------------


def fit_categorical(
    train: pd.DataFrame,
    *,
    systems: Iterable[str],
    rng: Generator,
    iterations: int = 200,
    burn_in: int = 50,
    **settings: float,
) -> ItemResponseModel:
    """Fit IRT-Categorical by Gibbs sampling; the defaults are the paper's (footnotes 10 and 13).

    Parameters and errors are as in `fit_gaussian`, hyperparameters as in
    `CategoricalSettings`: `levels` Lambda >= 2, Dirichlet strength `alpha`; a
    comparison is a tie iff |o1 - o2| <= radius (for one that is not whole, see
    `_agrees`). The data show the order of the levels only, so abilities drift along
    them together, slowly.
    """
    chosen, data = CategoricalSettings(**settings), item_data(train, systems)
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
        probabilities=categorical_probabilities(draws, chosen),
        abilities=ability_table(data, quality.mean(axis=0), quality.std(axis=0)),
        settings=asdict(chosen) | {"iterations": iterations, "burn_in": burn_in},
        draws=draws,
    )


def mean_quality(theta: np.ndarray) -> np.ndarray:
    """Mean of distributions over the qualities 1 .. levels, which are the last axis."""
    return theta @ np.arange(1, theta.shape[-1] + 1)


def log_noise(levels: int, sigma_obs: float) -> np.ndarray:
    """log P(o | q), rows q: the Gaussian density at o - q, normalised over o in 1..Lambda."""
    log = (
        -0.5
        * (np.subtract.outer(np.arange(levels), np.arange(levels)) / sigma_obs) ** 2
    )
    return log - logsumexp(log, axis=1, keepdims=True)


def _agrees(settings: CategoricalSettings) -> np.ndarray:
    """The chance that (o1, o2) make a judge prefer the first (row 0) or neither (row 1).

    0 or 1 with a whole radius. With a fraction more, say 2.3, qualities observed 3
    apart are a tie with that chance, 0.3.
    """
    difference = np.subtract.outer(
        np.arange(settings.levels), np.arange(settings.levels)
    )
    tie = np.clip(settings.radius + 1 - np.abs(difference), 0, 1)
    return np.stack([(difference > 0) * (1 - tie), tie])


@cache
def _observation_table(settings: CategoricalSettings) -> np.ndarray:
    """Cumulated P(o1, o2 | q1, q2, tie or not), 40-bit integers; row (tie, q1, q2) adds row << 40.

    A draw of (o1, o2) is then one exact search of the raveled table for (row << 40) +
    40 bits.
    """
    noise = log_noise(settings.levels, settings.sigma_obs)
    log = noise[:, None, :, None] + noise[None, :, None, :]  # q1, q2, o1, o2
    with np.errstate(divide="ignore"):
        log = log + np.log(_agrees(settings))[:, None, None]
    log = log.reshape(2 * settings.levels**2, settings.levels**2)
    highest = np.maximum(
        log.max(axis=1, keepdims=True), -1e300
    )  # a preference that cannot be
    cumulated = np.exp(log - highest).cumsum(axis=1)
    cumulated /= np.maximum(cumulated[:, -1:], 1e-300)
    row = np.arange(len(log), dtype=np.int64)[:, None]
    return ((cumulated * (1 << 40)).round().astype(np.int64) + (row << 40)).ravel()


def categorical_chain(
    data: ItemData, settings: CategoricalSettings, rng: Generator
) -> Chain:
    """Ability distributions, (systems, levels), iteration by iteration.

    Observations, qualities and ability distributions in turn:
    P(o1, o2 | q, pi) ∝ noise[q1, o1] noise[q2, o2] [pi agrees with o1, o2];
    P(q_i | o, theta) ∝ theta[author, q_i] Π noise[q_i, o];
    theta_s | q ~ Dirichlet(alpha + how often each quality occurs among the items of s).
    """
    n, items, levels = len(data.systems), len(data.author), settings.levels
    noise, table = log_noise(levels, settings.sigma_obs), _observation_table(settings)
    options = np.stack([data.first, data.second])
    tie = (np.arange(len(data.first)) >= data.decided) * levels
    once, lower = np.ones(options.size), np.tri(levels)
    # o1 and o2 of a cell in its row, times the items: a number for each level of each
    # item.
    observed = items * np.stack(np.divmod(np.arange(levels**2), levels))
    theta, q = np.full((n, levels), 1 / levels), rng.integers(levels, size=items)
    while True:
        # Observations of all comparisons, from the table.
        q_1, q_2 = q.take(options)
        row = (tie + q_1) * levels + q_2
        bits = (row << 40) + (rng.random(len(tie)) * (1 << 40)).astype(np.int64)
        drawn = table.searchsorted(bits, side="right") - row * levels**2
        # Qualities: how often each level was observed of each item gives its weights.
        cell = observed.take(drawn, axis=1) + options
        times = np.bincount(cell.ravel(), once, minlength=levels * items)
        weight = noise @ times.reshape(levels, items)  # qualities x items
        weight -= weight.max(axis=0)
        np.exp(weight, out=weight)
        weight *= theta.T.take(data.author, axis=1)
        weight = lower @ weight  # cumulated
        below = weight[:-1] <= weight[-1] * rng.random(items)
        q = below.sum(axis=0, dtype=np.int16)
        # Abilities: a Dirichlet draw is gamma draws over their sum.
        counts = np.bincount(data.author * levels + q, minlength=n * levels).reshape(
            n, levels
        )
        theta = rng.standard_gamma(settings.alpha + counts)
        theta /= theta.sum(axis=1, keepdims=True)
        yield theta


def win_and_tie_matrices(settings: CategoricalSettings) -> np.ndarray:
    """W (2, levels, levels): chance of a preference for the first (row 0), or a tie, by qualities.

    W_pi = noise P(pi | o1, o2) noise'.
    """
    noise = np.exp(log_noise(settings.levels, settings.sigma_obs))
    return noise @ _agrees(settings) @ noise.T


def categorical_probabilities(
    theta: np.ndarray, settings: CategoricalSettings
) -> np.ndarray:
    """P(pi | a, b) for new items, (n, n, 3): theta_a' W_pi theta_b, the mean over draws."""
    win, tie = (
        np.tensordot(theta @ matrix, theta, axes=([0, 2], [0, 2])) / len(theta)
        for matrix in win_and_tie_matrices(settings)
    )
    return np.stack([(tie + tie.T) / 2, win, win.T], axis=-1)
