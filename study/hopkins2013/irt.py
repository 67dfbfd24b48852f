"""Item-response models of translation competitions (Hopkins & May 2013, section 7).

A system s has an ability; an item i, the translation of one segment by one system, has
a quality drawn from it; a judge observes the quality of both items of a comparison with
noise of his own:

    mu_s ~ N(0, sigma_0²)
    q_i ~ N(mu_author(i), sigma_a²)
    o ~ N(q, sigma_obs²)   for each of the two options of a comparison

and prefers neither iff |o1 - o2| < radius, else the option that he observed to be
better. The categorical model has discrete qualities 1..Lambda and observations, q_i ~
theta_author(i), theta_s ~ Dirichlet(alpha), and needs |o1 - o2| <= radius, since its
radius is 0.

Comparisons enter by d = o1 - o2 alone, so nothing tells where zero is: the mean ability
keeps its prior, N(0, sigma_0² / n), independent of all differences, whatever the data.

Both are fitted by Gibbs sampling, `fit_gaussian` and `fit_categorical`: a chain is one
loop that draws every variable given the others. Several training sets of the same
systems, such as the trials of an experiment, are fitted side by side by
`fit_gaussian_each` and `fit_categorical_each`: their systems, items and comparisons
follow one another in the arrays of one chain.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.random import Generator
from scipy.special import log_ndtr, logsumexp, ndtr, ndtri, ndtri_exp

from wmtlib.core.counts import SECOND, TIE, expand, rows_of
from wmtlib.core.errors import DataError
from wmtlib.models import PreferenceModel, track

FAR_OUT = 35  # standard deviations past which a normal tail is taken in logs

Chain = Iterator[np.ndarray]  # abilities (sets, systems, ...) of every iteration


@dataclass(frozen=True)
class Settings:
    """Hyperparameters: finite and positive, but the radius may be zero (ValueError)."""

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
    """Hyperparameters of IRT-Categorical; defaults are the paper's (footnote 13)."""

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
    draws : ndarray (kept iterations, systems)
        Abilities. Categorical: (kept iterations, systems, levels), the chance of each
        quality. A fit without draws has no iterations.
    """

    abilities: pd.DataFrame
    settings: dict[str, Any]
    draws: np.ndarray = field(repr=False)


class ItemData(NamedTuple):
    """Comparisons of training sets as positions of items.

    Items are numbered set by set; sets have none in common. All comparisons without a
    tie come first, set by set, then those with one. The order of rows and of options
    leaves no trace.

    Attributes
    ----------
    systems : tuple of str
        The same of every set, sorted.
    author : ndarray (items,)
        Position of its system; those of the second set go on from those of the first.
    block : ndarray (items,), sorted
        Set and segment: items of different blocks never meet.
    first, second : ndarray (comparisons,)
        Items; the first is the preferred one, if any.
    items, decided, ties : list of int
        Of each set, the number of items, of comparisons without and with a tie.
    """

    systems: tuple[str, ...]
    author: np.ndarray
    block: np.ndarray
    first: np.ndarray
    second: np.ndarray
    items: list[int]
    decided: list[int]
    ties: list[int]


def item_data(trains: Sequence[pd.DataFrame], systems: Iterable[str]) -> ItemData:
    """Turn comparisons into positions of items and authors.

    Parameters
    ----------
    trains : sequence of DataFrame
        Training sets: columns system_1, system_2, preference and, if known, segment and
        count. A comparison of unknown segment has two items of its own.
    systems : names
        All of the competition.

    Raises
    ------
    DataError
        Fewer than two systems, or comparisons that cannot be used.
    """
    names = track(systems)
    n = len(names)
    tables = [*map(expand, trains)]
    # Of an empty table pandas 2 would not know the types.
    parts = [table for table in tables if len(table)] or tables[:1]
    comparisons = pd.concat(parts, ignore_index=True)
    train_set = np.repeat(range(len(tables)), [len(table) for table in tables])
    rows = rows_of(comparisons, names)
    tie = rows.preference == TIE
    # The preferred option goes first; of two tied ones, the first by name.
    swap = (rows.preference == SECOND) | (tie & (rows.first > rows.second))
    a = np.where(swap, rows.second, rows.first)
    b = np.where(swap, rows.first, rows.second)
    segment = np.zeros(len(a), dtype=np.intp)
    if "segment" in comparisons:
        segment, _ = pd.factorize(comparisons["segment"], sort=True)
        if (segment < 0).any():
            raise DataError("a comparison lacks its segment")
    columns = np.array([tie, train_set, segment, a, b])
    tie, train_set, segment, a, b = columns[:, np.lexsort(columns[::-1])]
    if "segment" not in comparisons:
        segment = np.arange(len(a))
    # An item is a set, a segment and a system, numbered in this order.
    segments = segment.max(initial=0) + 1
    block = train_set * segments + segment
    options = np.concatenate([block * n + a, block * n + b])
    item, position = np.unique(options, return_inverse=True)
    first, second = np.split(position, 2)
    item_set = item // (n * segments)

    def sizes(sets: np.ndarray) -> list[int]:
        return np.bincount(sets, minlength=len(trains)).tolist()

    return ItemData(
        systems=names,
        author=item_set * n + item % n,
        block=item // n,
        first=first,
        second=second,
        items=sizes(item_set),
        decided=sizes(train_set[tie == 0]),
        ties=sizes(train_set[tie == 1]),
    )


def drawn(
    draw: Callable[[Generator, int], np.ndarray],
    rngs: Sequence[Generator],
    sizes: Sequence[int],
) -> np.ndarray:
    """Draw random numbers for all training sets, those of each from its generator.

    So the draws of a fit are the same whichever fits are beside it.
    """
    return np.concatenate([*map(draw, rngs, sizes)])


def model_of_draws(
    data: ItemData,
    settings: GaussianSettings | CategoricalSettings,
    draws: np.ndarray,
    **how: Any,
) -> ItemResponseModel:
    """Make the model of draws of a training set; see `ItemResponseModel.draws`.

    `how` says how they were made, for its settings.
    """
    if isinstance(settings, CategoricalSettings):
        probabilities = categorical_probabilities(draws, settings)
        ability = mean_quality(draws)
    else:
        probabilities = gaussian_probabilities(draws, settings)
        ability = draws
    columns = {"mean": ability.mean(axis=0), "sd": ability.std(axis=0)}
    return ItemResponseModel(
        systems=data.systems,
        probabilities=probabilities,
        abilities=pd.DataFrame(columns, data.systems).rename_axis("system"),
        settings=asdict(settings) | how,
        draws=draws,
    )


def fit_each(
    chain: Chain,
    data: ItemData,
    settings: GaussianSettings | CategoricalSettings,
    iterations: int,
    burn_in: int,
    **how: Any,
) -> list[ItemResponseModel]:
    """Make the model of each training set from the draws of a chain."""
    if not 0 <= burn_in < iterations:
        raise ValueError(
            f"burn_in is {burn_in}: it must be at least 0 and less than {iterations}"
        )
    draws = np.array([*islice(chain, burn_in, iterations)])
    how |= {"iterations": iterations, "burn_in": burn_in}
    return [
        model_of_draws(data, settings, of_set.copy(), **how)
        for of_set in draws.swapaxes(0, 1)
    ]


# --- IRT-Gaussian by Gibbs sampling ---------------------------------------------------


def fit_gaussian(
    train: pd.DataFrame,
    *,
    systems: Iterable[str],
    rng: Generator,
    **options: Any,
) -> ItemResponseModel:
    """Fit IRT-Gaussian by Gibbs sampling with the paper's defaults.

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
    **options
        iterations and burn_in, 200 and 50 as in the paper (footnote 10), and
        hyperparameters that differ from `GaussianSettings()` (footnote 13).

    Raises
    ------
    ValueError
        A standard deviation that is not positive, a negative radius, burn_in >=
        iterations.
    DataError
        Fewer than two systems, comparisons that cannot be used, or ties although the
        radius is 0.
    """
    [model] = fit_gaussian_each(item_data([train], systems), rngs=[rng], **options)
    return model


def fit_gaussian_each(
    data: ItemData,
    *,
    rngs: Sequence[Generator],
    iterations: int = 200,
    burn_in: int = 50,
    **settings: Any,
) -> list[ItemResponseModel]:
    """Fit IRT-Gaussian to each of several training sets, each with a generator."""
    chosen = GaussianSettings(**settings)
    require_radius(data, chosen)
    chain = plain_chain(data, chosen, rngs)
    return fit_each(chain, data, chosen, iterations, burn_in)


def require_radius(data: ItemData, settings: GaussianSettings) -> None:
    """Refuse ties under a radius of 0."""
    if settings.radius == 0 and any(data.ties):
        raise DataError(
            "the comparisons have ties, which a radius of 0 makes impossible"
        )


def plain_chain(
    data: ItemData, settings: GaussianSettings, rngs: Sequence[Generator]
) -> Chain:
    """Draw abilities (sets, systems) by the Gibbs sampler of the plate diagram.

    Observations: o1 - o2 is truncated by the preference, o1 + o2 ~ N(q1 + q2, 2
    sigma_obs²) is independent of it. Quality: precision 1/sigma_a² +
    (options)/sigma_obs², mean weighed alike. Ability: precision 1/sigma_0² +
    (items)/sigma_a².

    All is in units of sqrt(2) sigma_obs, the sd of o1 - o2 and of o1 + o2 given the
    qualities; an observation then has variance 1/2.
    """
    shape = (len(rngs), len(data.systems))
    items = len(data.author)
    unit = math.sqrt(2) * settings.sigma_obs
    radius = settings.radius / unit
    tau_0 = (unit / settings.sigma_0) ** 2
    tau_a = (unit / settings.sigma_a) ** 2
    # Precisions of what is observed of each item: 2 for each option.
    tau_o = 2.0 * np.bincount(np.append(data.first, data.second), minlength=items)
    var_q = 1 / (tau_a + tau_o)
    n_items = np.bincount(data.author, minlength=math.prod(shape)).reshape(shape)
    var_mu = 1 / (tau_0 + n_items * tau_a)
    sd_q = np.sqrt(var_q)
    sd_mu = np.sqrt(var_mu)
    mu = np.zeros(shape)
    q = np.zeros(items)
    normal = Generator.standard_normal
    while True:
        # o1 - o2 = q1 - q2 + d and o1 + o2 = q1 + q2 + s, so 2 o1 = 2 q1 + s + d.
        d = truncated_deviations(
            q.take(data.first) - q.take(data.second),
            radius,
            drawn(Generator.standard_exponential, rngs, data.decided),
            drawn(Generator.random, rngs, data.ties),
        )
        s = drawn(normal, [*rngs, *rngs], data.decided + data.ties)
        observed = np.bincount(data.first, s + d, items)
        observed += np.bincount(data.second, s - d, items)
        mean = var_q * ((tau_a * mu).take(data.author) + tau_o * q + observed)
        q = mean + sd_q * drawn(normal, rngs, data.items)
        total = np.bincount(data.author, q, mu.size).reshape(shape)
        noise = np.array([rng.standard_normal(shape[1]) for rng in rngs])
        mu = var_mu * tau_a * total + sd_mu * noise
        yield unit * mu


def truncated_deviations(
    mean: np.ndarray, radius: float, exponential: np.ndarray, uniform: np.ndarray
) -> np.ndarray:
    """Draw d - mean for d ~ N(mean, 1): above the radius, then within it (ties).

    By inverting the upper tail S(z): S(z) = S(low) exp(-e), e ~ Exp(1), above low;
    S(z) = S(low) - u (S(low) - S(high)) between. Ties are mirrored to where S is small.
    Far out, where S would be 0 in floating point, the same in logs.

    Parameters
    ----------
    mean : ndarray (comparisons,)
    exponential : ndarray
        e of each comparison without a tie; they come first.
    uniform : ndarray
        u of each comparison with a tie.
    """
    decided = len(exponential)
    low = radius - mean[:decided]
    centre = np.abs(mean[decided:])
    if max(low.max(initial=0), centre.max(initial=0) + radius) < FAR_OUT:
        above = ndtri(ndtr(-low) * np.exp(-exponential))
        top = ndtr(radius - centre)
        bottom = ndtr(-radius - centre)
        between = ndtri(top - uniform * (top - bottom))
    else:
        above = ndtri_exp(log_ndtr(-low) - exponential)
        top = log_ndtr(radius - centre)
        bottom = log_ndtr(-radius - centre)
        between = ndtri_exp(top + np.log1p(uniform * np.expm1(bottom - top)))
    between = np.clip(-between, centre - radius, centre + radius)
    tied = np.copysign(1, -mean[decided:]) * between
    return np.concatenate([np.maximum(-above, low), tied])


def gaussian_probabilities(
    abilities: np.ndarray,
    settings: GaussianSettings,
    variance: np.ndarray | float = 0.0,
) -> np.ndarray:
    """Compute P(pi | a, b) for new items, (n, n, 3), the mean over draws of abilities.

    With o1 - o2 ~ N(mu_a - mu_b, sd²), sd² = 2 sigma_a² + 2 sigma_obs² + variance,

        P(1) = Phi((mu_a - mu_b - radius) / sd)
        P(2) = Phi((mu_b - mu_a - radius) / sd)

    and the rest is a tie.

    Parameters
    ----------
    abilities : ndarray (draws, n)
    settings : GaussianSettings
    variance : ndarray (n, n), symmetric, or float
    """
    difference = abilities[:, :, None] - abilities[:, None]
    sd = np.sqrt(2 * settings.sigma_a**2 + 2 * settings.sigma_obs**2 + variance)
    win = ndtr((difference - settings.radius) / sd)
    loss = ndtr((-difference - settings.radius) / sd)
    # Phi(high) - Phi(low) of a tie, from the side on which both are small.
    tie = ndtr((settings.radius - np.abs(difference)) / sd) - np.minimum(win, loss)
    return np.stack([tie, win, loss], axis=-1).mean(axis=0)


# --- IRT-Categorical by Gibbs sampling ------------------------------------------------


def fit_categorical(
    train: pd.DataFrame,
    *,
    systems: Iterable[str],
    rng: Generator,
    **options: Any,
) -> ItemResponseModel:
    """Fit IRT-Categorical by Gibbs sampling with the paper's defaults.

    Parameters and errors are as in `fit_gaussian`, hyperparameters as in
    `CategoricalSettings`: `levels` Lambda >= 2, Dirichlet strength `alpha`; a
    comparison is a tie iff |o1 - o2| <= radius (for one that is not whole, see
    `_agrees`). The data show the order of the levels only, so abilities drift along
    them together, slowly.
    """
    [model] = fit_categorical_each(item_data([train], systems), rngs=[rng], **options)
    return model


def fit_categorical_each(
    data: ItemData,
    *,
    rngs: Sequence[Generator],
    iterations: int = 200,
    burn_in: int = 50,
    **settings: Any,
) -> list[ItemResponseModel]:
    """Fit IRT-Categorical to each of several training sets, each with a generator."""
    chosen = CategoricalSettings(**settings)
    if chosen.levels < 2:
        raise ValueError(f"levels is {chosen.levels}: qualities need at least 2")
    if any(data.decided) and chosen.radius >= chosen.levels - 1:
        scale = f"radius {chosen.radius} and {chosen.levels} levels"
        raise DataError(f"with {scale} every comparison is a tie")
    chain = categorical_chain(data, chosen, rngs)
    return fit_each(chain, data, chosen, iterations, burn_in)


def mean_quality(theta: np.ndarray) -> np.ndarray:
    """Compute means of distributions over qualities 1 .. levels, the last axis."""
    return theta @ np.arange(1, theta.shape[-1] + 1)


def log_noise(levels: int, sigma_obs: float) -> np.ndarray:
    """Compute log P(o | q), rows q: a Gaussian density at o - q, normalised over o."""
    level = np.arange(levels)
    log = -0.5 * ((level[:, None] - level) / sigma_obs) ** 2
    return log - logsumexp(log, axis=1, keepdims=True)


def _agrees(settings: CategoricalSettings) -> np.ndarray:
    """Compute the chance that (o1, o2) give a preference for the first (row 0) or none.

    0 or 1 with a whole radius. With a fraction more, say 2.3, qualities observed 3
    apart are a tie with that chance, 0.3.
    """
    level = np.arange(settings.levels)
    difference = level[:, None] - level
    tie = np.clip(settings.radius + 1 - np.abs(difference), 0, 1)
    return np.stack([(difference > 0) * (1 - tie), tie])


@cache
def _observed_below(settings: CategoricalSettings) -> tuple[np.ndarray, np.ndarray]:
    """Tabulate chances by which a uniform number draws (o1, o2), given (tie, q1, q2).

    P(o1, o2 | tie, q1, q2) is cumulated over all pairs, in the order of o1, then o2. o1
    is the number of levels k with P(o1 <= k) <= u. Of the pairs with this o1, o2 is the
    number of those up to which the cumulated chance is at most u.

    Returns
    -------
    ndarray (levels - 1, 2 levels²)
        P(o1 <= k), a row for each k but the last; columns (tie, q1, q2).
    ndarray (levels - 1, 2 levels³)
        P(o1 < k) + P(o1 = k, o2 <= l), a row for each l but the last; columns (tie, q1,
        q2, k).
    """
    levels = settings.levels
    noise = log_noise(levels, settings.sigma_obs)
    log = noise[:, None, :, None] + noise[None, :, None, :]  # q1, q2, o1, o2
    with np.errstate(divide="ignore"):
        log = log + np.log(_agrees(settings))[:, None, None]
    log = log.reshape(2 * levels**2, levels**2)
    highest = log.max(axis=1, keepdims=True)
    cumulated = np.exp(log - np.maximum(highest, -1e300)).cumsum(axis=1)
    cumulated /= np.maximum(cumulated[:, -1:], 1e-300)  # 0 for what cannot be
    by_pair = cumulated.reshape(-1, levels)
    by_first = by_pair[:, -1].reshape(-1, levels)
    return by_first.T[:-1].copy(), by_pair.T[:-1].copy()


def categorical_chain(
    data: ItemData, settings: CategoricalSettings, rngs: Sequence[Generator]
) -> Chain:
    """Draw ability distributions (sets, systems, levels), iteration by iteration.

    Observations, qualities and ability distributions in turn:
    P(o1, o2 | q, pi) ∝ noise[q1, o1] noise[q2, o2] [pi agrees with o1, o2];
    P(q_i | o, theta) ∝ theta[author, q_i] Π noise[q_i, o];
    theta_s | q ~ Dirichlet(alpha + how often each quality occurs among the items of s).
    """
    levels = settings.levels
    shape = (len(rngs), len(data.systems), levels)
    items = len(data.author)
    options = np.stack([data.first, data.second])
    tie = np.repeat([0, levels], [sum(data.decided), sum(data.ties)])
    noise = log_noise(levels, settings.sigma_obs)
    below_first, below_second = _observed_below(settings)
    lower = np.tri(levels)
    theta = np.full(shape, 1 / levels)
    # The qualities; the axis of levels is the first one in what follows.
    q = drawn(lambda rng, size: rng.integers(levels, size=size), rngs, data.items)
    while True:
        # Observations of all comparisons.
        q_1, q_2 = q.take(options)
        row = (tie + q_1) * levels + q_2
        u = drawn(Generator.random, [*rngs, *rngs], data.decided + data.ties)
        o_1 = (below_first.take(row, axis=1) <= u).sum(axis=0)
        o_2 = (below_second.take(row * levels + o_1, axis=1) <= u).sum(axis=0)
        # Qualities: how often each level was observed of each item gives its weights.
        cell = np.stack([o_1, o_2]) * items + options
        times = np.bincount(cell.ravel(), minlength=levels * items)
        weight = noise @ times.reshape(levels, items)  # qualities x items
        weight = np.exp(weight - weight.max(axis=0))
        weight *= theta.reshape(-1, levels).T.take(data.author, axis=1)
        chance = lower @ weight  # cumulated
        below = chance[:-1] <= chance[-1] * drawn(Generator.random, rngs, data.items)
        q = below.sum(axis=0, dtype=np.int16)
        # Abilities: a Dirichlet draw is gamma draws over their sum.
        counts = np.bincount(data.author * levels + q, minlength=theta.size)
        strengths = settings.alpha + counts.reshape(shape)
        theta = np.array([*map(Generator.standard_gamma, rngs, strengths)])
        theta /= theta.sum(axis=-1, keepdims=True)
        yield theta


def win_and_tie_matrices(settings: CategoricalSettings) -> np.ndarray:
    """Compute W (2, levels, levels): chance that the first is preferred (0), of a tie.

    By the qualities of the two items: W_pi = noise P(pi | o1, o2) noise'.
    """
    noise = np.exp(log_noise(settings.levels, settings.sigma_obs))
    return noise @ _agrees(settings) @ noise.T


def categorical_probabilities(
    theta: np.ndarray, settings: CategoricalSettings
) -> np.ndarray:
    """Compute P(pi | a, b) for new items, (n, n, 3), the mean over draws of abilities.

    Of a draw it is theta_a' W_pi theta_b.

    Parameters
    ----------
    theta : ndarray (draws, n, levels)
    settings : CategoricalSettings
    """
    win, tie = (
        np.tensordot(theta @ matrix, theta, axes=([0, 2], [0, 2])) / len(theta)
        for matrix in win_and_tie_matrices(settings)
    )
    return np.stack([(tie + tie.T) / 2, win, win.T], axis=-1)
