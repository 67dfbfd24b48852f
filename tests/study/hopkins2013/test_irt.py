"""Item-response models against closed forms, a plain loop, and invariances.

Chains are seeded. A Monte Carlo mean must lie within 4.5 of its standard errors of the
exact value, the error computed from means of 50 batches: one failure in 24 000 seeds
each.
"""

import itertools
from dataclasses import asdict

import numpy as np
import pytest
from item_response import (
    SYSTEMS,
    assert_distributions,
    assert_mean,
    assert_order_leaves_no_trace,
    assert_two_comparisons,
    competition,
    frame,
)
from scipy import stats
from scipy.special import gammaln

from examples import rng
from study.hopkins2013 import irt

FITS = [irt.fit_gaussian, irt.fit_categorical]


# --- closed forms ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "preferences, shared",
    [((1, 1), True), ((1, 2), False), ((0, 2), True), ((0, 0), False)],
)
def test_fit_gaussian_of_two_comparisons(preferences, shared):
    assert_two_comparisons(irt.fit_gaussian, preferences, shared=shared)


def enumerated(data, systems, levels, alpha, sigma_obs):
    """Exact posterior mean quality of each system: a sum over all qualities."""
    noise = np.exp(irt.log_noise(levels, sigma_obs))
    o = np.arange(levels)
    says = np.stack([o[:, None] == o, o[:, None] > o, o[:, None] < o])
    likelihood = np.einsum("io,pok,jk->pij", noise, says, noise)
    items = sorted(
        {(r.segment, s) for r in data.itertuples() for s in (r.system_1, r.system_2)}
    )
    place = {item: k for k, item in enumerate(items)}
    total = 0.0
    quality = np.zeros(len(systems))
    for q in itertools.product(range(levels), repeat=len(items)):
        count = np.array(
            [
                [
                    sum(
                        x == k and s == name for x, (_, s) in zip(q, items, strict=True)
                    )
                    for k in o
                ]
                for name in systems
            ]
        )
        strength = alpha + count  # of each system's Dirichlet posterior
        log = (gammaln(strength).sum(axis=1) - gammaln(strength.sum(axis=1))).sum()
        p = np.exp(log)
        for r in data.itertuples():
            first = place[r.segment, r.system_1]
            second = place[r.segment, r.system_2]
            p *= likelihood[r.preference, q[first], q[second]]
        total += p
        quality += p * (strength @ (o + 1)) / strength.sum(axis=1)
    return quality / total


def test_fit_categorical_by_enumeration():
    levels = 3
    data = frame(("a", "b", 1, 1), ("c", "a", 0, 1), ("a", "b", 1, 2), ("a", "b", 2, 1))
    exact = enumerated(data, "abc", levels, alpha=0.5, sigma_obs=0.8)
    kw = {"levels": levels, "sigma_obs": 0.8, "iterations": 6000, "burn_in": 200}
    model = irt.fit_categorical(data, systems="abc", rng=rng(), **kw)
    quality = model.draws @ np.arange(1, levels + 1)
    for k in range(3):
        assert_mean(quality[:, k], exact[k])


def test_fits_of_unseen_systems_draw_from_the_prior():
    data = frame(("a", "b", 1, 1), ("a", "b", 0, 2))
    for rows in (data, data.iloc[:0]):
        model, other = (
            fit(rows, systems="abc", rng=rng(), iterations=2000) for fit in FITS
        )
        # Draws are independent.
        assert stats.kstest(model.draws[:, 2], "norm").pvalue > 1e-4
        # One coordinate of a symmetric Dirichlet over 8 levels is Beta(alpha, 7 alpha).
        theta = other.draws[:, 2, 0]
        assert stats.kstest(theta, stats.beta(0.5, 3.5).cdf).pvalue > 1e-4


@pytest.mark.parametrize("mean", [-60.0, -45.0, -8.0, 0.0, 3.0, 45.0, 60.0])
def test_truncated_deviations_far_into_the_tails(mean):
    size = 4000
    radius = 0.4
    sd = 1.4
    # The function works in units of the standard deviation.
    unit = np.full(2 * size, mean / sd)
    numbers = rng()
    d = irt.truncated_deviations(
        unit, radius / sd, numbers.standard_exponential(size), numbers.random(size)
    )
    d = sd * (unit + d)
    assert np.isfinite(d).all()
    assert (d[:size] >= radius - 1e-9).all()
    assert (np.abs(d[size:]) <= radius + 1e-9).all()
    # mean + sd * z cancels: in the far tail 1e-14 of |mean| is all that is lost.
    low = (radius - mean) / sd
    high = np.inf
    above = stats.truncnorm(low, high, mean, sd)
    within = stats.truncnorm((-radius - mean) / sd, low, mean, sd)
    assert stats.kstest(d[:size], above.cdf).pvalue > 1e-4
    assert stats.kstest(d[size:], within.cdf).pvalue > 1e-4


# --- the draws ------------------------------------------------------------------------


SEEDED = frame(("a", "b", 1, 1), ("b", "c", 1, 1), ("c", "a", 1, 2), ("a", "b", 0, 2))


def test_plain_chain_against_a_plain_loop():
    """One variable at a time, by the plate diagram, from the same numbers.

    Items are numbered by segment and system; comparisons stand in order of tie, segment
    and names.
    """
    p = irt.GaussianSettings(sigma_0=1.2, sigma_a=0.6, sigma_obs=0.9)
    numbers = rng(5)
    items = [(1, "a"), (1, "b"), (1, "c"), (2, "a"), (2, "b"), (2, "c")]
    pairs = [
        ((1, "a"), (1, "b")),
        ((1, "b"), (1, "c")),
        ((2, "c"), (2, "a")),
        ((2, "a"), (2, "b")),
    ]
    noise = np.sqrt(2) * p.sigma_obs
    mu = dict.fromkeys("abc", 0.0)
    q = dict.fromkeys(items, 0.0)
    expected = []
    for _ in range(4):
        exponential = numbers.standard_exponential(3)
        uniform = numbers.random(1)[0]
        white = numbers.standard_normal(4)
        seen = {item: [] for item in items}
        for k, (one, two) in enumerate(pairs):
            centre = q[one] - q[two]
            if k < 3:  # decided: o1 - o2 is above the radius
                tail = stats.norm.sf(p.radius, centre, noise) * np.exp(-exponential[k])
                difference = stats.norm.isf(tail, centre, noise)
            else:  # a tie, drawn from the side on which the tails are small
                ends = stats.norm.sf([-p.radius, p.radius], -abs(centre), noise)
                tail = ends[0] - uniform * (ends[0] - ends[1])
                difference = -np.copysign(1, centre) * stats.norm.isf(
                    tail, -abs(centre), noise
                )
            total = q[one] + q[two] + noise * white[k]
            seen[one].append((total + difference) / 2)
            seen[two].append((total - difference) / 2)
        for item, z in zip(items, numbers.standard_normal(6), strict=True):
            precision = p.sigma_a**-2 + len(seen[item]) / p.sigma_obs**2
            mean = mu[item[1]] / p.sigma_a**2 + sum(seen[item]) / p.sigma_obs**2
            q[item] = mean / precision + z / np.sqrt(precision)
        for name, z in zip("abc", numbers.standard_normal(3), strict=True):
            precision = p.sigma_0**-2 + 2 / p.sigma_a**2
            mean = sum(q[item] for item in items if item[1] == name) / p.sigma_a**2
            mu[name] = mean / precision + z / np.sqrt(precision)
        expected.append([*mu.values()])
    chosen = {"iterations": 4, "burn_in": 0, **asdict(p)}
    found = irt.fit_gaussian(SEEDED, systems="abc", rng=rng(5), **chosen)
    np.testing.assert_allclose(found.draws, expected, rtol=1e-9)


@pytest.mark.parametrize(
    "fit, data, expected",
    [
        (
            irt.fit_gaussian,
            SEEDED.drop(columns="segment"),
            [-1.25038957, -0.67965845, 0.36089972],
        ),
        (irt.fit_categorical, SEEDED, [5.4060443, 5.88573562, 5.4530375]),
    ],
)
def test_fits_of_a_seed_are_frozen(fit, data, expected):
    """Results rest on them: the 20th iteration, as when the samplers were written."""
    model = fit(data, systems="abc", rng=rng(5), iterations=20, burn_in=19)
    drawn = irt.mean_quality(model.draws) if model.draws.ndim == 3 else model.draws
    np.testing.assert_allclose(drawn[0], expected, atol=1e-7)


# --- invariances ----------------------------------------------------------------------


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize("segments", [True, False])
def test_fits_ignore_the_order_of_rows_and_options(fit, segments):
    assert_order_leaves_no_trace(fit, segments=segments)


@pytest.mark.parametrize("number", [0, 1, 12])
@pytest.mark.parametrize("segments", [True, False])
@pytest.mark.parametrize("fit", FITS)
def test_fits_give_symmetric_distributions(fit, number, segments):
    assert_distributions(fit, number, segments=segments)


@pytest.mark.parametrize("fit_each", [irt.fit_gaussian_each, irt.fit_categorical_each])
@pytest.mark.parametrize("segments", [True, False])
def test_fit_each_does_not_depend_on_other_sets(fit_each, segments):
    data = competition() if segments else competition().drop(columns="segment")
    trains = [data, data.iloc[:0], data.iloc[20:], data.query("preference == 0")]
    beside = fit_each(irt.item_data(trains, SYSTEMS), rngs=[*map(rng, range(4))])
    for seed, train in enumerate(trains):
        [alone] = fit_each(irt.item_data([train], SYSTEMS), rngs=[rng(seed)])
        assert beside[seed].draws.tobytes() == alone.draws.tobytes()
        assert beside[seed].probabilities.tobytes() == alone.probabilities.tobytes()


def test_categorical_probabilities_of_a_fraction_of_a_radius():
    theta = rng(1).dirichlet(np.ones(8), (5, 3))
    zero, one, between = (
        irt.categorical_probabilities(theta, irt.CategoricalSettings(radius=radius))
        for radius in (0, 1, 0.25)
    )
    assert between == pytest.approx(0.75 * zero + 0.25 * one)
    assert between.sum(axis=2) == pytest.approx(1)


# --- the rest -------------------------------------------------------------------------


def test_fits_have_the_defaults_of_the_paper():
    """Footnotes 10 and 13."""
    steps = {"iterations": 200, "burn_in": 50}
    gaussian = {"sigma_0": 1.0, "sigma_a": 0.5, "sigma_obs": 1.0, "radius": 0.4}
    categorical = {"levels": 8, "alpha": 0.5, "sigma_obs": 1.0, "radius": 0}
    assert irt.fit_gaussian(GOOD, systems="ab", rng=rng()).settings == gaussian | steps
    assert (
        irt.fit_categorical(GOOD, systems="ab", rng=rng()).settings
        == categorical | steps
    )


GOOD = frame(("a", "b", 1, 1), ("a", "b", 0, 1))


@pytest.mark.parametrize(
    "fit, change, message",
    [
        (irt.fit_gaussian, {"sigma_0": 0}, "sigma_0 is 0"),
        (irt.fit_gaussian, {"sigma_obs": np.nan}, "sigma_obs is nan"),
        (irt.fit_gaussian, {"radius": -0.1}, "radius is -0.1"),
        (irt.fit_gaussian, {"radius": 0}, "ties"),
        (irt.fit_gaussian, {"burn_in": 200}, "burn_in is 200"),
        (irt.fit_gaussian, {"systems": ["a"]}, "two systems"),
        (irt.fit_gaussian, {"systems": ["a", "c"]}, "'b'"),
        (irt.fit_gaussian, {"train": frame(("a", "b", 1, None))}, "segment"),
        (irt.fit_categorical, {"levels": 1}, "levels is 1"),
        (irt.fit_categorical, {"alpha": 0.0}, "alpha is 0.0"),
        (irt.fit_categorical, {"radius": 7}, "every comparison is a tie"),
        (irt.fit_categorical, {"burn_in": -1}, "burn_in is -1"),
    ],
)
def test_fits_refuse_bad_input(fit, change, message):
    with pytest.raises(ValueError, match=message):
        fit(**{"train": GOOD, "systems": ["a", "b"], "rng": rng()} | change)
