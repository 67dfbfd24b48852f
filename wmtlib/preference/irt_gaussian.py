"""IRT-Gaussian by Gibbs sampling (Hopkins & May 2013, section 7); see `irt` for the model."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.special import log_ndtr, ndtr, ndtri_exp

from wmtlib.judgements.errors import DataError
from wmtlib.preference.irt import (
    GaussianSettings,
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
    sampler: str = "plain",
    **settings: float,
) -> ItemResponseModel:
    """Fit IRT-Gaussian by Gibbs sampling; the defaults are the paper's (footnotes 10 and 13).

    Parameters
    ----------
    comparisons : DataFrame
        Columns system_1, system_2, preference and, if known, segment; a comparison without one
        has two items of its own. The order of rows and of options does not matter.
    systems : sequence of str
        All of the competition; those without comparisons keep the prior.
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
    chosen, data = GaussianSettings(**settings), item_data(comparisons, systems)
    require_radius(data, chosen)
    draws = kept_draws(CHAINS[sampler](data, chosen, rng), iterations, burn_in)
    return ItemResponseModel(
        systems=data.systems,
        probabilities=preference_probabilities(draws[:, :, None] - draws[:, None], chosen),
        abilities=ability_table(data, draws.mean(axis=0), draws.std(axis=0)),
        settings=asdict(chosen)
        | {"iterations": iterations, "burn_in": burn_in, "sampler": sampler},
        draws=draws,
    )


def require_radius(data: ItemData, settings: GaussianSettings) -> None:
    """Refuse ties under a radius of 0."""
    if settings.radius == 0 and data.decided < len(data.first):
        raise DataError("the comparisons have ties, which a radius of 0 makes impossible")


def plain_chain(
    data: ItemData, settings: GaussianSettings, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Abilities, iteration by iteration, of the plate diagram's Gibbs sampler.

    Observations: o1 - o2 is truncated by the preference, o1 + o2 ~ N(q1 + q2, 2 sigma_obs²) is
    independent of it. Quality: precision 1/sigma_a² + (options)/sigma_obs², mean weighed alike.
    Ability: precision 1/sigma_0² + (items)/sigma_a².
    """
    n, items, size = len(data.systems), len(data.author), len(data.first)
    noise, sigma_obs, sigma_a = _noise(settings), settings.sigma_obs, settings.sigma_a
    options = np.bincount(data.first, minlength=items) + np.bincount(data.second, minlength=items)
    var_q = 1 / (1 / sigma_a**2 + options / sigma_obs**2)
    var_mu = 1 / (1 / settings.sigma_0**2 + np.bincount(data.author, minlength=n) / sigma_a**2)
    sd_q, sd_mu = np.sqrt(var_q), np.sqrt(var_mu)
    mu, q = np.zeros(n), np.zeros(items)
    while True:
        q1, q2 = q[data.first], q[data.second]
        d = truncated_normals(q1 - q2, noise, settings.radius, data.decided, rng)
        total = q1 + q2 + noise * rng.standard_normal(size)
        # Sum of the observations of each item: o1 = (total + d) / 2, o2 = (total - d) / 2.
        observed = np.bincount(data.first, (total + d) / 2, minlength=items)
        observed += np.bincount(data.second, (total - d) / 2, minlength=items)
        mean = var_q * (mu[data.author] / sigma_a**2 + observed / sigma_obs**2)
        q = mean + sd_q * rng.standard_normal(items)
        mean = var_mu * np.bincount(data.author, q, minlength=n) / sigma_a**2
        mu = mean + sd_mu * rng.standard_normal(n)
        yield mu


def collapsed_chain(
    data: ItemData, settings: GaussianSettings, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Abilities, iteration by iteration, drawn jointly with the qualities given all d = o1 - o2.

    With A q = q1 - q2 and B mu = mu_author, (mu, q) given d is Gaussian with precision L, blocks
    [1/sigma_0² + B'B/sigma_a², -B'/sigma_a²; ., Q], Q = 1/sigma_a² + A'A / (2 sigma_obs²), and
    L (mu, q) = (0, A'd / (2 sigma_obs²)) at its mean. Noise of covariance L added to that right
    side makes the solution a draw: one white noise for each Gaussian factor of the joint density.
    """
    n, items, size = len(data.systems), len(data.author), len(data.first)
    noise, sigma_a = _noise(settings), settings.sigma_a
    precision = np.full(size, noise**-2)
    q_cov, q_gain, mu_cov = conditional_moments(data, SegmentBlocks(data), precision, settings)
    q = np.zeros(items)
    while True:
        difference = q[data.first] - q[data.second]
        d = truncated_normals(difference, noise, settings.radius, data.decided, rng)
        white = rng.standard_normal(items) / sigma_a
        right = white + net_by_item(data, d / noise**2 + rng.standard_normal(size) / noise)
        q = q_cov @ right
        about_mu = np.bincount(data.author, q / sigma_a**2 - white, minlength=n)
        mu = mu_cov @ (about_mu + rng.standard_normal(n) / settings.sigma_0)
        q += q_gain @ mu
        yield mu


CHAINS = {"plain": plain_chain, "collapsed": collapsed_chain}


def _noise(settings: GaussianSettings) -> float:
    """Standard deviation of o1 - o2, and of o1 + o2, given the qualities."""
    return math.sqrt(2) * settings.sigma_obs


def truncated_normals(
    mean: np.ndarray, sd: float, radius: float, decided: int, rng: np.random.Generator
) -> np.ndarray:
    """Draw d ~ N(mean, sd²), the first `decided` above the radius, the others (ties) within it.

    By inverting the upper tail S(z), in logs: log S(z) = log S(low) - e, e ~ Exp(1), above low;
    log S(z) = log(S(low) - u (S(low) - S(high))) between. Ties are mirrored to where S is small.
    """
    d = np.empty(len(mean))
    low = (radius - mean[:decided]) / sd
    d[:decided] = -ndtri_exp(log_ndtr(-low) - rng.standard_exponential(decided))
    np.maximum(d[:decided], low, out=d[:decided])
    centre, half = np.abs(mean[decided:]) / sd, radius / sd
    top, bottom = log_ndtr(half - centre), log_ndtr(-half - centre)
    inside = top + np.log1p(rng.random(len(centre)) * np.expm1(bottom - top))
    inside = np.clip(-ndtri_exp(inside), centre - half, centre + half)
    d[decided:] = np.copysign(1, -mean[decided:]) * inside
    return mean + sd * d


def preference_probabilities(
    difference: np.ndarray, settings: GaussianSettings, variance: np.ndarray | float = 0.0
) -> np.ndarray:
    """P(pi | a, b) for new items, (n, n, 3): the mean over draws.

    o1 - o2 ~ N(mu_a - mu_b, 2 sigma_a² + 2 sigma_obs² + variance); `difference` holds mu_a - mu_b,
    (draws, n, n), antisymmetric.
    """
    radius = settings.radius
    sd = np.sqrt(2 * settings.sigma_a**2 + 2 * settings.sigma_obs**2 + variance)
    win = ndtr((difference - radius) / sd).mean(axis=0)
    distance = np.abs(difference)
    tie = (ndtr((radius - distance) / sd) - ndtr((-radius - distance) / sd)).mean(axis=0)
    return np.stack([tie, win, win.T], axis=-1)


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
