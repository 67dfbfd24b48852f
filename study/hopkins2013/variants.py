"""Hopkins & May (2013), section 7: two more ways to the posterior of IRT-Gaussian.

`fit_collapsed` is a Gibbs sampler that draws abilities with the qualities integrated
out; `fit_deterministic` approximates the posterior without random numbers. Notebook 22
holds both against the plain sampler of `irt`.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.random import Generator
from scipy import sparse
from scipy.special import log_ndtr

from study.hopkins2013.irt import (
    Chain,
    GaussianSettings,
    ItemData,
    ItemResponseModel,
    fit_each,
    gaussian_probabilities,
    item_data,
    require_radius,
    truncated_deviations,
)

SWEEPS = 200  # of expectation propagation
DAMPING = 0.8  # share of a step that is taken
TOLERANCE = 1e-9  # of a site, in units of sd(f)


# --- a collapsed Gibbs sampler --------------------------------------------------------


def fit_collapsed(
    train: pd.DataFrame,
    *,
    systems: Iterable[str],
    rng: Generator,
    iterations: int = 200,
    burn_in: int = 50,
    **settings: Any,
) -> ItemResponseModel:
    """Fit IRT-Gaussian by a Gibbs sampler that integrates the qualities out.

    It keeps only d = o1 - o2 of the observations, and draws abilities with the
    qualities integrated out: the same posterior as that of `irt.fit_gaussian`, but the
    chain forgets faster. Parameters and errors are as there.
    """
    chosen = GaussianSettings(**settings)
    data = item_data([train], systems)
    require_radius(data, chosen)
    chain = collapsed_chain(data, chosen, [rng])
    [model] = fit_each(chain, data, chosen, iterations, burn_in, sampler="collapsed")
    return model


def collapsed_chain(
    data: ItemData, settings: GaussianSettings, rngs: Sequence[Generator]
) -> Chain:
    """Draw abilities (1, systems), jointly with the qualities given all d = o1 - o2.

    With A q = q1 - q2 and B mu = mu_author, (mu, q) given d is Gaussian with precision
    L, blocks [1/sigma_0² + B'B/sigma_a², -B'/sigma_a²; ., Q], Q = 1/sigma_a² + A'A / (2
    sigma_obs²), and L (mu, q) = (0, A'd / (2 sigma_obs²)) at its mean. Noise of
    covariance L added to that right side makes the solution a draw: one white noise for
    each Gaussian factor of the joint density.

    Of one training set, for its matrices are inverted as a whole.
    """
    [rng] = rngs
    [n_decided] = data.decided
    [n_ties] = data.ties
    n = len(data.systems)
    noise = math.sqrt(2) * settings.sigma_obs
    radius = settings.radius / noise
    matrices = Matrices.of(data)
    precision = np.full(len(data.first), noise**-2)
    q_cov, q_gain, mu_cov = conditional_moments(matrices, precision, settings)
    q = np.zeros(matrices.a.shape[1])
    white = np.zeros_like(q)
    while True:
        difference = matrices.a @ q
        exponential = rng.standard_exponential(n_decided)
        uniform = rng.random(n_ties)
        d = difference + noise * truncated_deviations(
            difference / noise, radius, exponential, uniform
        )
        normal = rng.standard_normal(len(data.author))
        white[matrices.place] = normal / settings.sigma_a
        pushed = d / noise**2 + rng.standard_normal(len(d)) / noise
        q = q_cov @ (white + matrices.a.T @ pushed)
        right = matrices.b.T @ (q / settings.sigma_a**2 - white)
        mu = mu_cov @ (right + rng.standard_normal(n) / settings.sigma_0)
        q += q_gain @ mu
        yield mu[None]


class Matrices(NamedTuple):
    """Comparisons and authors as matrices, in the letters of `collapsed_chain`.

    Every segment has as many places for items as the largest one has items, so that
    the blocks of all segments are inverted together. Places without an item meet
    nothing.

    Attributes
    ----------
    place : ndarray (items,)
    size : int
        Places of a segment.
    a : csr_array (comparisons, places)
        1 at the first item of a comparison, -1 at the second.
    b : csr_array (places, systems)
        1 at the author of an item.
    """

    place: np.ndarray
    size: int
    a: sparse.csr_array
    b: sparse.csr_array

    @classmethod
    def of(cls, data: ItemData) -> Self:
        """Make the matrices of one training set."""
        _, start, segment, items = np.unique(
            data.block, return_index=True, return_inverse=True, return_counts=True
        )
        size = items.max(initial=1)
        place = np.arange(len(segment)) + segment * size - start[segment]
        places = len(start) * size
        comparison = np.arange(len(data.first))
        ones = np.ones(len(comparison))
        shape = (len(comparison), places)
        a = sparse.csr_array((ones, (comparison, place[data.first])), shape)
        a -= sparse.csr_array((ones, (comparison, place[data.second])), shape)
        author = (np.ones(len(place)), (place, data.author))
        b = sparse.csr_array(author, (places, len(data.systems)))
        return cls(place, size, a, b)


def conditional_moments(
    matrices: Matrices, tau: np.ndarray, settings: GaussianSettings
) -> tuple[sparse.bsr_array, sparse.csr_array, np.ndarray]:
    """Compute moments of (mu, q) given d with precisions tau.

    They are cov(q | mu), the gain of q on mu, and cov(mu).
    In the blocks of `collapsed_chain`: Q^-1, Q^-1 B / sigma_a², and the inverse of Q's
    Schur complement.
    """
    _, size, a, b = matrices
    q_cov = (a.T * tau) @ a + sparse.eye_array(a.shape[1]) / settings.sigma_a**2
    q_cov = q_cov.tobsr((size, size))
    q_cov.data = np.linalg.inv(q_cov.data)
    q_gain = (q_cov @ b).tocsr() / settings.sigma_a**2
    items = b.sum(axis=0)
    schur = np.diag(settings.sigma_0**-2 + items / settings.sigma_a**2)
    schur -= (b.T @ q_gain).toarray() / settings.sigma_a**2
    return q_cov, q_gain, np.linalg.inv(schur)


# --- expectation propagation: the same posterior without random numbers ---------------


def fit_deterministic(
    train: pd.DataFrame,
    *,
    systems: Iterable[str],
    **settings: Any,
) -> ItemResponseModel:
    """Approximate the posterior of IRT-Gaussian by expectation propagation.

    With d integrated out, a comparison is a factor P(pi | f) of f = q1 - q2,
    log-concave in f. Each is replaced by a Gaussian site exp(nu f - tau f² / 2), which
    keeps mean and variance of f right under (all other sites) x (the exact factor). The
    approximation is that all else stays Gaussian; with a single comparison the moments
    are exact.

    Parameters are as in `irt.fit_gaussian`. The fit ends when no site moves further
    than `TOLERANCE`.

    Raises
    ------
    RuntimeError
        If the sites still move after `SWEEPS`, as when sigma_obs is a small part of the
        radius.
    """
    chosen = GaussianSettings(**settings)
    data = item_data([train], systems)
    require_radius(data, chosen)
    matrices = Matrices.of(data)
    a = matrices.a
    tau, nu = np.zeros((2, len(data.first)))
    for _ in range(SWEEPS):
        # From the sites alone: mean and covariance of mu, mean and variance of f.
        q_cov, q_gain, mu_cov = conditional_moments(matrices, tau, chosen)
        q = q_cov @ (a.T @ nu)
        mu = mu_cov @ (matrices.b.T @ q) / chosen.sigma_a**2
        q += q_gain @ mu
        f = a @ q
        # Variance of f: of q given mu, and of the part that follows mu.
        root = a @ q_gain @ np.linalg.cholesky(mu_cov)
        var = (a @ q_cov).multiply(a).sum(axis=1) + (root**2).sum(axis=1)
        # The cavity: f without the comparison's own site.
        cavity = var / (1 - var * tau)
        mean = cavity * (f / var - nu)
        sd = np.sqrt(cavity + 2 * chosen.sigma_obs**2)
        slope, bend = _log_slopes(mean, sd, chosen.radius, data.decided[0])
        shrunk = 1 - cavity * bend
        tau_step = bend / shrunk - tau
        nu_step = (slope + mean * bend) / shrunk - nu
        # In the unit of sd(f).
        moved = np.maximum(np.abs(tau_step) * var, np.abs(nu_step) * np.sqrt(var))
        if (moved < TOLERANCE).all():
            break
        tau = tau + DAMPING * tau_step
        nu = nu + DAMPING * nu_step
    else:
        raise RuntimeError(
            f"not settled within {SWEEPS} sweeps; is sigma_obs too small?"
        )
    variance = mu_cov.diagonal()
    spread = variance + variance[:, None] - (mu_cov + mu_cov.T)  # var(mu_a - mu_b)
    abilities = pd.DataFrame({"mean": mu, "sd": np.sqrt(variance)}, data.systems)
    return ItemResponseModel(
        systems=data.systems,
        probabilities=gaussian_probabilities(mu[None], chosen, spread),
        abilities=abilities.rename_axis("system"),
        settings=asdict(chosen) | {"sampler": "expectation propagation"},
        draws=np.empty((0, len(mu))),
    )


def _log_slopes(
    mean: np.ndarray, sd: np.ndarray, radius: float, decided: int
) -> tuple[np.ndarray, np.ndarray]:
    """Compute first and minus second derivative by mean of log P.

    P = Phi(high) - Phi(low) is the chance that a draw of N(mean, sd²) agrees with the
    judge: of a preference high = (mean - radius) / sd, low far away;
    of a tie, by symmetry, high = (radius - |mean|) / sd, low = (-radius - |mean|) / sd.
    """
    tie = np.arange(len(mean)) >= decided
    high = np.where(tie, radius - np.abs(mean), mean - radius) / sd
    low = np.where(tie, -radius - np.abs(mean), -1e9) / sd
    below_high = log_ndtr(high)
    log_mass = below_high + np.log1p(-np.exp(log_ndtr(low) - below_high))
    log_mass += 0.5 * math.log(2 * math.pi)
    # Densities at the ends, over P.
    at_low = np.exp(-0.5 * low**2 - log_mass)
    at_high = np.exp(-0.5 * high**2 - log_mass)
    slope = at_high - at_low
    bend = slope**2 + high * at_high - low * at_low
    return np.where(tie, np.copysign(slope, -mean), slope) / sd, bend / sd**2
