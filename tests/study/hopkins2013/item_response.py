"""Exact cases and invariances, for tests of item-response models."""

import numpy as np
import pandas as pd
from scipy import stats

from examples import rng
from wmtlib.core.counts import SWAPPED

SYSTEMS = [f"s{k:02d}" for k in range(5)]
BATCHES = 50  # of a chain; their means are nearly independent
RANGE = {1: (0.4, 20), 2: (-20, -0.4), 0: (-0.4, 0.4)}  # of d, at the paper's radius


def frame(*rows, segments=True):
    """Rows (system_1, system_2, preference, segment)."""
    table = pd.DataFrame(
        rows, columns=["system_1", "system_2", "preference", "segment"]
    )
    return table if segments else table.drop(columns="segment")


def assert_mean(chain, expected):
    """Check a mean against its standard error, which comes from means of batches."""
    means = [batch.mean() for batch in np.array_split(chain, BATCHES)]
    error = np.std(means, ddof=1) / np.sqrt(BATCHES)
    assert abs(chain.mean() - expected) < 4.5 * error


def exact_differences(limits, correlated, sigma_0=1.0, sigma_a=0.5, sigma_obs=1.0):
    """Mean and sd of (mu_a - mu_b, mu_a - mu_c) when d_ab and d_ac lie within limits.

    Differences of abilities and d are jointly Gaussian, so the moments are linear in
    those of d truncated to a rectangle, which Gauss-Legendre quadrature gives.
    `correlated`: the item of a is the same in both comparisons, so its deviation
    sigma_a enters both.
    """
    ability = sigma_0**2 * np.array([[2, 1], [1, 2.0]])
    noise = (2 * sigma_a**2 + 2 * sigma_obs**2) * np.eye(2)
    if correlated:
        noise += sigma_a**2 * np.array([[0, 1], [1, 0]])
    covariance = ability + noise
    node, weight = np.polynomial.legendre.leggauss(200)
    axes = [((high - low) * node + high + low) / 2 for low, high in limits]
    d = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    mass = np.outer(weight, weight).ravel()
    mass *= stats.multivariate_normal(cov=covariance).pdf(d)
    mass /= mass.sum()
    centre = mass @ d
    gain = ability @ np.linalg.inv(covariance)
    spread = (
        gain @ ((d - centre).T * mass @ (d - centre)) @ gain.T
        + ability
        - gain @ ability
    )
    return gain @ centre, np.sqrt(spread.diagonal())


def assert_two_comparisons(fit, preferences, *, shared):
    """Draws of the differences have the exact mean and spread."""
    mean, sd = exact_differences([RANGE[p] for p in preferences], correlated=shared)
    data = two_comparisons(preferences, shared=shared)
    model = fit(data, systems="abc", rng=rng(), iterations=3000, burn_in=200)
    for k in (1, 2):
        chain = model.draws[:, 0] - model.draws[:, k]
        assert_mean(chain, mean[k - 1])
        assert_mean((chain - mean[k - 1]) ** 2, sd[k - 1] ** 2)


def two_comparisons(preferences, *, shared):
    ab, ac = preferences
    return frame(("a", "b", ab, 1), ("a", "c", ac, 1 if shared else 2))


def competition():
    """Draw 80 comparisons of five systems, the first the worst, on 12 segments."""
    numbers = rng(3)
    a = numbers.integers(5, size=80)
    b = (a + numbers.integers(1, 5, size=80)) % 5
    difference = numbers.normal(0.5 * (a - b))
    preference = np.where(difference > 0, 1, 2)
    preference[np.abs(difference) < 0.4] = 0
    names = np.array(SYSTEMS)
    return pd.DataFrame(
        {
            "system_1": names[a],
            "system_2": names[b],
            "segment": numbers.integers(12, size=80),
            "preference": preference.astype(np.int8),
        }
    )


def assert_order_leaves_no_trace(fit, *, segments):
    """Same seed, same bytes, whatever the order of rows and options."""
    data = competition() if segments else competition().drop(columns="segment")
    mixed = data.sample(frac=1, random_state=1)
    swap = rng().random(len(mixed)) < 0.5
    sides = ["system_1", "system_2"]
    mixed.loc[swap, sides] = mixed.loc[swap, sides[::-1]].to_numpy()
    mixed.loc[swap, "preference"] = np.array(SWAPPED, dtype=np.int8)[
        mixed.loc[swap, "preference"]
    ]
    one = fit(data, systems=SYSTEMS, rng=rng())
    two = fit(mixed, systems=SYSTEMS[::-1], rng=rng())
    assert one.probabilities.tobytes() == two.probabilities.tobytes()
    assert one.abilities.equals(two.abilities)


def assert_distributions(fit, number, *, segments):
    """Symmetric ones; d never occurs, ties may be absent, pairs never met."""
    rows = [("a", "b", 1, 1), ("b", "a", 1, 1), ("c", "a", 0, 1), ("b", "a", 2, 3)] * 3
    model = fit(frame(*rows[:number], segments=segments), systems="abcd", rng=rng())
    q = model.probabilities
    assert (q > 0).all()
    np.testing.assert_allclose(q.sum(axis=2), 1, atol=1e-12)
    assert np.array_equal(q, q.swapaxes(0, 1)[..., SWAPPED])
    assert np.isfinite(model.abilities.to_numpy()).all()
