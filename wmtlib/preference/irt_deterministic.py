"""IRT-Gaussian by expectation propagation: the same posterior without randomness."""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.special import log_ndtr

from wmtlib.preference.irt import ability_table, item_data
from wmtlib.preference.irt_gaussian import (
    GaussianIRT,
    SegmentBlocks,
    gaussian_settings,
    net_by_item,
    posterior_given_differences,
    preference_probabilities,
)


def fit(
    comparisons: pd.DataFrame,
    *,
    systems: Sequence[str],
    sigma_0: float = 1.0,
    sigma_a: float = 0.5,
    sigma_obs: float = 1.0,
    radius: float = 0.4,
    tolerance: float = 1e-9,
) -> GaussianIRT:
    """Approximate the posterior of IRT-Gaussian by expectation propagation, without randomness.

    With d integrated out, a comparison is a factor P(pi | f) of f = q1 - q2, log-concave in f. Each
    is replaced by a Gaussian site exp(nu f - tau f² / 2), which keeps mean and variance of f right
    under (all other sites) x (the exact factor). The approximation is that all else stays Gaussian;
    with a single comparison the moments are exact.

    Raises
    ------
    RuntimeError
        If the sites still move after 200 sweeps, as when sigma_obs is a small part of the radius.
    """
    data = item_data(comparisons, systems)
    sigmas = gaussian_settings(
        data, sigma_0=sigma_0, sigma_a=sigma_a, sigma_obs=sigma_obs, radius=radius
    )
    blocks = SegmentBlocks(data)
    tau, nu = np.zeros((2, len(data.first)))
    for _ in range(200):
        q_cov, q_gain, mu_cov = posterior_given_differences(data, blocks, tau, sigma_0, sigma_a)
        q = q_cov @ net_by_item(data, nu)
        mu = mu_cov @ np.bincount(data.author, q, minlength=len(mu_cov)) / sigma_a**2
        q += q_gain @ mu
        root = q_gain @ np.linalg.cholesky(mu_cov)
        var = blocks.signs @ q_cov.data[blocks.cells]
        var += ((root[data.first] - root[data.second]) ** 2).sum(axis=1)
        cavity = var / (1 - var * tau)
        mean = cavity * ((q[data.first] - q[data.second]) / var - nu)
        slope, bend = _log_slopes(mean, np.sqrt(cavity + 2 * sigma_obs**2), radius, data.decided)
        new = np.array([bend, slope + mean * bend]) / (1 - cavity * bend)
        step = new - (tau, nu)
        if (np.abs(step) * (var, np.sqrt(var)) < tolerance).all():  # in the unit of sd(f)
            break
        tau, nu = (tau, nu) + 0.8 * step
    else:
        raise RuntimeError(
            "expectation propagation has not settled within 200 sweeps; is sigma_obs "
            f"({sigma_obs}) too small beside the radius ({radius})?"
        )
    variance = mu_cov.diagonal()
    spread = variance + variance[:, None] - (mu_cov + mu_cov.T)
    return GaussianIRT(
        systems=data.systems,
        probabilities=preference_probabilities((mu[:, None] - mu)[None], **sigmas, variance=spread),
        abilities=ability_table(data, mu, np.sqrt(variance)),
        settings=sigmas | {"sampler": "expectation propagation", "tolerance": tolerance},
    )


def _log_slopes(mean, sd, radius, decided):
    """First and minus second derivative by mean of log P(N(mean, sd²) agrees with the judge).

    With x = (mean - radius) / sd and r = phi(x) / Phi(x): r / sd and r (r + x) / sd². For a tie
    P = Phi(high) - Phi(low); by symmetry |mean| is taken, where both are small or moderate.
    """
    slope, bend = np.empty((2, len(mean)))
    x = (mean[:decided] - radius) / sd[:decided]
    ratio = np.exp(_log_phi(x) - log_ndtr(x))
    slope[:decided], bend[:decided] = ratio, ratio * (ratio + x)
    centre, half = np.abs(mean[decided:]) / sd[decided:], radius / sd[decided:]
    high, low = half - centre, -half - centre
    log_p = log_ndtr(high) + np.log1p(-np.exp(log_ndtr(low) - log_ndtr(high)))
    at_high, at_low = np.exp(_log_phi(high) - log_p), np.exp(_log_phi(low) - log_p)
    slope[decided:] = np.copysign(at_low - at_high, -mean[decided:])
    bend[decided:] = slope[decided:] ** 2 + high * at_high - low * at_low
    return slope / sd, bend / sd**2


def _log_phi(x: np.ndarray) -> np.ndarray:
    return -0.5 * x**2 - 0.5 * math.log(2 * math.pi)
