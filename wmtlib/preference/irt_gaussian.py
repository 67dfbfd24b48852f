"""IRT-Gaussian by Gibbs sampling (Hopkins & May 2013, section 7); see `irt` for the model."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.special import log_ndtr, ndtr, ndtri, ndtri_exp

from wmtlib.judgements.counting import SWAPPED
from wmtlib.judgements.errors import DataError
from wmtlib.preference.irt import (
    GaussianSettings,
    ItemData,
    ItemResponseModel,
    Streams,
    ability_table,
    item_data,
    kept_draws,
    require_iterations,
)

FAR_OUT = 35  # standard deviations, past which the tail of a normal distribution is taken in logs


def fit(
    comparisons: pd.DataFrame, *, systems: Sequence[str], rng: np.random.Generator, **options: Any
) -> ItemResponseModel:
    """Fit IRT-Gaussian by Gibbs sampling; the options are those of `fit_each`."""
    return fit_each([comparisons], systems=systems, rngs=[rng], **options)[0]


def fit_each(
    comparisons: Sequence[pd.DataFrame | ItemData],
    *,
    systems: Sequence[str],
    rngs: Sequence[np.random.Generator],
    iterations: int = 200,
    burn_in: int = 50,
    sampler: str = "plain",
    **settings: float,
) -> list[ItemResponseModel]:
    """Fit IRT-Gaussian by Gibbs sampling to each of some training sets.

    The defaults are the paper's (footnotes 10 and 13). A fit does not depend on the others.

    Parameters
    ----------
    comparisons : sequence of DataFrame
        Columns system_1, system_2, preference and, if known, segment; a comparison without one
        has two items of its own. The order of rows and of options does not matter. A frame that
        is used more than once can be given as `irt.item_data` of it.
    systems : sequence of str
        All of the competition; those without comparisons keep the prior.
    rngs : sequence of Generator
        One for each training set.
    sampler : {"plain", "collapsed"}
        Walk the plate diagram variable by variable; or keep only d = o1 - o2 of the observations,
        and draw abilities with the qualities integrated out: the same posterior, but the chain
        forgets faster. The plain one starts at zero and, with thousands of comparisons, needs
        thousands of iterations for the common offset of all abilities, hence for their sd;
        differences, on which the probabilities rest, are much faster.
    **settings
        Hyperparameters that differ from `irt.GaussianSettings()`.

    Raises
    ------
    ValueError
        A standard deviation that is not positive, a negative radius, burn_in >= iterations.
    DataError
        Fewer than two systems, comparisons that cannot be used, or ties although the radius is 0.
    """
    if sampler not in CHAINS:
        raise ValueError(f"sampler is {sampler!r}; expected {' or '.join(CHAINS)}")
    require_iterations(iterations, burn_in)
    chosen, fits = GaussianSettings(**settings), [item_data(c, systems) for c in comparisons]
    for data in fits:
        require_radius(data, chosen)
    # The inverse of a matrix depends on the whole of it: collapsed fits run one by one.
    together = sampler == "plain"
    kept = kept_draws(CHAINS[sampler], fits, chosen, rngs, iterations, burn_in, together=together)
    steps = {"iterations": iterations, "burn_in": burn_in, "sampler": sampler}
    return [
        ItemResponseModel(
            systems=data.systems,
            probabilities=preference_probabilities(draws, chosen),
            abilities=ability_table(data, draws.mean(axis=0), draws.std(axis=0)),
            settings=asdict(chosen) | steps,
            draws=draws,
        )
        for data, draws in zip(fits, kept, strict=True)
    ]


def require_radius(data: ItemData, settings: GaussianSettings) -> None:
    """Refuse ties under a radius of 0."""
    if settings.radius == 0 and data.decided < len(data.first):
        raise DataError("the comparisons have ties, which a radius of 0 makes impossible")


def plain_chain(
    data: ItemData, settings: GaussianSettings, streams: Streams
) -> Iterator[np.ndarray]:
    """Abilities, iteration by iteration, of the plate diagram's Gibbs sampler.

    Observations: o1 - o2 is truncated by the preference, o1 + o2 ~ N(q1 + q2, 2 sigma_obs²) is
    independent of it. Quality: precision 1/sigma_a² + (options)/sigma_obs², mean weighed alike.
    Ability: precision 1/sigma_0² + (items)/sigma_a².

    All is in units of sqrt(2) sigma_obs, the sd of o1 - o2 and of o1 + o2 given the qualities; an
    observation then has variance 1/2.
    """
    n, items = len(data.systems), len(data.author)
    unit = math.sqrt(2) * settings.sigma_obs
    radius, tau_a = settings.radius / unit, (unit / settings.sigma_a) ** 2
    options = np.bincount(data.first, minlength=items) + np.bincount(data.second, minlength=items)
    var_q = 1 / (tau_a + 2 * options)
    var_mu = 1 / ((unit / settings.sigma_0) ** 2 + np.bincount(data.author, minlength=n) * tau_a)
    sd_q, sd_mu = np.sqrt(var_q), np.sqrt(var_mu)
    mu, q = np.zeros(n), np.zeros(items)
    while True:
        # o1 - o2 = q1 - q2 + d and o1 + o2 = q1 + q2 + s, so 2 o1 = 2 q1 + s + d.
        d = truncated_deviations(
            q.take(data.first) - q.take(data.second),
            radius,
            streams.draw("standard_exponential", "decided"),
            streams.draw("random", "ties"),
        )
        s = streams.draw("standard_normal", "comparisons")
        observed = np.bincount(data.first, s + d, minlength=items)
        observed += np.bincount(data.second, s - d, minlength=items)
        mean = var_q * ((tau_a * mu).take(data.author) + 2 * options * q + observed)
        q = mean + sd_q * streams.draw("standard_normal", "items")
        mean = var_mu * tau_a * np.bincount(data.author, q, minlength=n)
        mu = mean + sd_mu * streams.draw("standard_normal", "systems")
        yield unit * mu


def collapsed_chain(
    data: ItemData, settings: GaussianSettings, streams: Streams
) -> Iterator[np.ndarray]:
    """Abilities, iteration by iteration, drawn jointly with the qualities given all d = o1 - o2.

    With A q = q1 - q2 and B mu = mu_author, (mu, q) given d is Gaussian with precision L, blocks
    [1/sigma_0² + B'B/sigma_a², -B'/sigma_a²; ., Q], Q = 1/sigma_a² + A'A / (2 sigma_obs²), and
    L (mu, q) = (0, A'd / (2 sigma_obs²)) at its mean. Noise of covariance L added to that right
    side makes the solution a draw: one white noise for each Gaussian factor of the joint density.
    """
    n, items, size = len(data.systems), len(data.author), len(data.first)
    noise, sigma_a = math.sqrt(2) * settings.sigma_obs, settings.sigma_a
    precision = np.full(size, noise**-2)
    q_cov, q_gain, mu_cov = conditional_moments(data, SegmentBlocks(data), precision, settings)
    q = np.zeros(items)
    while True:
        difference = q[data.first] - q[data.second]
        d = difference + noise * truncated_deviations(
            difference / noise,
            settings.radius / noise,
            streams.draw("standard_exponential", "decided"),
            streams.draw("random", "ties"),
        )
        white = streams.draw("standard_normal", "items") / sigma_a
        pushed = d / noise**2 + streams.draw("standard_normal", "comparisons") / noise
        right = white + net_by_item(data, pushed)
        q = q_cov @ right
        about_mu = np.bincount(data.author, q / sigma_a**2 - white, minlength=n)
        mu = mu_cov @ (about_mu + streams.draw("standard_normal", "systems") / settings.sigma_0)
        q += q_gain @ mu
        yield mu


CHAINS = {"plain": plain_chain, "collapsed": collapsed_chain}


def truncated_deviations(
    mean: np.ndarray, radius: float, exponential: np.ndarray, uniform: np.ndarray
) -> np.ndarray:
    """Draw d - mean for d ~ N(mean, 1), the first above the radius, the others (ties) within it.

    By inverting the upper tail S(z): S(z) = S(low) exp(-e), e ~ Exp(1), above low;
    S(z) = S(low) - u (S(low) - S(high)) between. Ties are mirrored to where S is small. Far out,
    where S would be 0 in floating point, the same in logs.

    Parameters
    ----------
    mean : ndarray (comparisons,)
    exponential, uniform : ndarray
        A number e for each of the first comparisons, a number u for each of the others.
    """
    deviation, decided = np.empty(len(mean)), len(exponential)
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


def preference_probabilities(
    ability: np.ndarray, settings: GaussianSettings, variance: np.ndarray | float = 0.0
) -> np.ndarray:
    """P(pi | a, b) for new items, (n, n, 3): the mean over draws of the abilities, (draws, n).

    o1 - o2 ~ N(mu_a - mu_b, 2 sigma_a² + 2 sigma_obs² + variance), the last, (n, n), symmetric.
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


class SegmentBlocks:
    """Sparse matrices of items x items, a dense block for each segment, inverted block by block."""

    def __init__(self, data: ItemData) -> None:
        _, start, block, size = np.unique(
            data.block, return_index=True, return_inverse=True, return_counts=True
        )
        self.indptr = np.append(0, np.cumsum(size[block]))
        self.shift = self.indptr[:-1] - start[block]  # cell (i, j) is stored at shift[i] + j
        row = np.repeat(np.arange(len(block)), size[block])
        self.indices = np.arange(len(row)) - self.shift[row]
        # Blocks of one size are inverted together: where their cells are stored, (blocks, size²).
        self.by_size = [
            self.indptr[start[size == k]][:, None] + np.arange(k * k) for k in np.unique(size)
        ]
        i, j = data.first, data.second
        self.cells = np.array([self.shift[x] + y for x, y in ((i, i), (j, j), (i, j), (j, i))])
        self.signs = np.array([1, 1, -1, -1])  # of these cells in A'A, and in var(q1 - q2)

    def inverse(self, tau: np.ndarray, sigma_a: float) -> sparse.csr_array:
        """(1/sigma_a² + A' diag(tau) A)^-1, tau the precision of each comparison's d."""
        pieces = np.outer(self.signs, tau)
        values = np.bincount(self.cells.ravel(), pieces.ravel(), minlength=len(self.indices))
        values = values.astype(float)  # bincount of nothing is integer
        values[self.shift + np.arange(len(self.shift))] += sigma_a**-2
        for group in self.by_size:
            k = math.isqrt(group.shape[1])
            values[group] = np.linalg.inv(values[group].reshape(-1, k, k)).reshape(-1, k * k)
        shape = (len(self.shift), len(self.shift))
        return sparse.csr_array((values, self.indices, self.indptr), shape=shape)


def net_by_item(data: ItemData, value: np.ndarray) -> np.ndarray:
    """A' value: what comparisons add to their first item and take from their second."""
    items = len(data.author)
    added = np.bincount(data.first, value, minlength=items)
    return added - np.bincount(data.second, value, minlength=items)


def conditional_moments(
    data: ItemData, blocks: SegmentBlocks, tau: np.ndarray, settings: GaussianSettings
) -> tuple[sparse.csr_array, sparse.csr_array, np.ndarray]:
    """Of (mu, q) given d with precisions tau: cov(q | mu), the gain of q on mu, and cov(mu).

    In the blocks of `collapsed_chain`: Q^-1, Q^-1 B / sigma_a², and the inverse of Q's Schur
    complement.
    """
    n, items, sigma_a = len(data.systems), len(data.author), settings.sigma_a
    author = sparse.csr_array((np.ones(items), (np.arange(items), data.author)), shape=(items, n))
    q_cov = blocks.inverse(tau, sigma_a)
    q_gain = q_cov @ author / sigma_a**2
    schur = -(author.T @ q_gain).toarray() / sigma_a**2
    items_of = np.bincount(data.author, minlength=n)
    schur[np.diag_indices(n)] += settings.sigma_0**-2 + items_of / sigma_a**2
    return q_cov, q_gain, np.linalg.inv(schur)
