"""IRT-Gaussian by expectation propagation: the same posterior without randomness."""

import math
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
import pandas as pd
from scipy.special import log_ndtr

from wmtlib.preference.irt import GaussianSettings, ItemResponseModel, ability_table, item_data
from wmtlib.preference.irt_gaussian import (
    SegmentBlocks,
    conditional_moments,
    net_by_item,
    preference_probabilities,
    require_radius,
)

SWEEPS, DAMPING = 200, 0.8


def fit(
    comparisons: pd.DataFrame,
    *,
    systems: Sequence[str],
    tolerance: float = 1e-9,
    **settings: float,
) -> ItemResponseModel:
    """Approximate the posterior of IRT-Gaussian by expectation propagation.

    With d integrated out, a comparison is a factor P(pi | f) of f = q1 - q2, log-concave in f. Each
    is replaced by a Gaussian site exp(nu f - tau f² / 2), which keeps mean and variance of f right
    under (all other sites) x (the exact factor). The approximation is that all else stays Gaussian;
    with a single comparison the moments are exact.

    Parameters
    ----------
    comparisons, systems, **settings
        As in `irt_gaussian.fit`.
    tolerance : float
        The fit ends when no site moves further, in units of sd(f).

    Raises
    ------
    RuntimeError
        If the sites still move after `SWEEPS`, as when sigma_obs is a small part of the radius.
    """
    chosen, data = GaussianSettings(**settings), item_data(comparisons, systems)
    require_radius(data, chosen)
    blocks, sigma_a = SegmentBlocks(data), chosen.sigma_a
    tau, nu = np.zeros((2, len(data.first)))
    for _ in range(SWEEPS):
        q_cov, q_gain, mu_cov = conditional_moments(data, blocks, tau, chosen)
        q = q_cov @ net_by_item(data, nu)
        mu = mu_cov @ np.bincount(data.author, q, minlength=len(mu_cov)) / sigma_a**2
        q += q_gain @ mu
        # Variance of f: of q given mu, and of the part that follows mu.
        root = q_gain @ np.linalg.cholesky(mu_cov)
        var = blocks.signs @ q_cov.data[blocks.cells]
        var += ((root[data.first] - root[data.second]) ** 2).sum(axis=1)
        # The cavity: f without the comparison's own site.
        cavity = var / (1 - var * tau)
        mean = cavity * ((q[data.first] - q[data.second]) / var - nu)
        sd = np.sqrt(cavity + 2 * chosen.sigma_obs**2)
        slope, bend = _log_slopes(mean, sd, chosen.radius, data.decided)
        new = np.array([bend, slope + mean * bend]) / (1 - cavity * bend)
        step = new - (tau, nu)
        if (np.abs(step) * (var, np.sqrt(var)) < tolerance).all():  # in the unit of sd(f)
            break
        tau, nu = (tau, nu) + DAMPING * step
    else:
        raise RuntimeError(
            f"expectation propagation has not settled within {SWEEPS} sweeps; is sigma_obs "
            f"({chosen.sigma_obs}) too small beside the radius ({chosen.radius})?"
        )
    variance = mu_cov.diagonal()
    spread = variance + variance[:, None] - (mu_cov + mu_cov.T)  # var(mu_a - mu_b)
    return ItemResponseModel(
        systems=data.systems,
        probabilities=preference_probabilities(mu[None], chosen, spread),
        abilities=ability_table(data, mu, np.sqrt(variance)),
        settings=asdict(chosen) | {"sampler": "expectation propagation", "tolerance": tolerance},
    )


def _log_slopes(
    mean: np.ndarray, sd: np.ndarray, radius: float, decided: int
) -> tuple[np.ndarray, np.ndarray]:
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
    """Logarithm of the density of the standard normal distribution."""
    return -0.5 * x**2 - 0.5 * math.log(2 * math.pi)
