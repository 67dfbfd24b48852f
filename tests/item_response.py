"""What tests of item-response models share: exact cases and invariances."""

import numpy as np
import pandas as pd
from scipy import stats

from examples import rng
from study.hopkins2013 import sampler_checks
from wmtlib import irt
from wmtlib.counts import SWAPPED

SYSTEMS = [f"c0000-s{k:02d}" for k in range(5)]
RANGE = {1: (0.4, 20), 2: (-20, -0.4), 0: (-0.4, 0.4)}  # of d, at the paper's radius


def frame(*rows, segments=True):
    """Rows (system_1, system_2, preference, segment)."""
    table = pd.DataFrame(
        rows, columns=["system_1", "system_2", "preference", "segment"]
    )
    return table if segments else table.drop(columns="segment")


def assert_mean(chain, expected):
    error = chain.std() / np.sqrt(sampler_checks.effective_sample_size(chain))
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
    options = {"systems": 5, "segments": 12, "comparisons": 80}
    return sampler_checks.simulate(irt.GaussianSettings(), rng(3), **options)[0]


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
