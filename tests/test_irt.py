"""Item-response models against closed forms, one another, a plain loop, and invariances.

Chains are seeded. A Monte Carlo mean must lie within 4.5 of its standard errors of the
exact value, the error computed from the chain's effective sample size: one failure in
150 000 seeds each.
"""

import itertools
from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import gammaln

from wmtlib import irt
from wmtlib.counts import SWAPPED
from wmtlib.study.papers import hopkins2013_sampler
from wmtlib.study.papers.hopkins2013_variants import fit_collapsed, fit_deterministic

FITS = {
    "plain": irt.fit_gaussian,
    "collapsed": fit_collapsed,
    "categorical": irt.fit_categorical,
}
GAUSSIAN = ["plain", "collapsed"]


def rng(seed=1):
    return np.random.default_rng(seed)


def frame(*rows, segments=True):
    """Rows (system_1, system_2, preference, segment)."""
    table = pd.DataFrame(
        rows, columns=["system_1", "system_2", "preference", "segment"]
    )
    return table if segments else table.drop(columns="segment")


def assert_mean(chain, expected):
    error = chain.std() / np.sqrt(hopkins2013_sampler.effective_sample_size(chain))
    assert abs(chain.mean() - expected) < 4.5 * error


# --- closed forms ---------------------------------------------------------------------


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


RANGE = {1: (0.4, 20), 2: (-20, -0.4), 0: (-0.4, 0.4)}  # of d, at the paper's radius


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("preferences", [(1, 1), (1, 2), (0, 2), (0, 0)])
def test_two_comparisons_with_and_without_a_common_item(preferences, shared):
    mean, sd = exact_differences([RANGE[p] for p in preferences], correlated=shared)
    ab, ac = preferences
    data = frame(("a", "b", ab, 1), ("a", "c", ac, 1 if shared else 2))
    for sampler in GAUSSIAN:
        model = FITS[sampler](
            data, systems="abc", rng=rng(), iterations=3000, burn_in=200
        )
        for k in (1, 2):
            chain = model.draws[:, 0] - model.draws[:, k]
            assert_mean(chain, mean[k - 1])
            assert_mean((chain - mean[k - 1]) ** 2, sd[k - 1] ** 2)
    fit = fit_deterministic(data, systems="abc").abilities["mean"]
    # Expectation propagation is exact for each factor alone; two leave errors of the
    # third order.
    np.testing.assert_allclose(
        [fit["a"] - fit["b"], fit["a"] - fit["c"]], mean, atol=2e-3
    )


@pytest.mark.parametrize("preference", [0, 1, 2])
def test_one_comparison_is_exact_in_the_deterministic_fit(preference):
    """By 1-d quadrature: mu_a - mu_b ~ N(0, 2), times the probability of what the judge said."""
    x = np.linspace(-14, 14, 200_001)
    low, high = {1: (0.4, np.inf), 2: (-np.inf, -0.4), 0: (-0.4, 0.4)}[preference]
    judged = stats.norm(x, np.sqrt(2 * 0.25 + 2))
    mass = stats.norm.pdf(x, scale=np.sqrt(2)) * (judged.cdf(high) - judged.cdf(low))
    mass /= mass.sum()
    fit = fit_deterministic(frame(("a", "b", preference, 1)), systems="ab").abilities
    mean = mass @ x
    assert fit["mean"]["a"] - fit["mean"]["b"] == pytest.approx(mean, abs=1e-7)
    # mu_a = ((mu_a + mu_b) + (mu_a - mu_b)) / 2; the sum keeps its prior variance 2.
    variance = mass @ (x - mean) ** 2
    np.testing.assert_allclose(fit["sd"] ** 2, (2 + variance) / 4, rtol=1e-7)


def enumerated(data, systems, levels, alpha, sigma_obs):
    """Exact posterior mean quality of each system: a sum over all qualities of all items."""
    noise = np.exp(irt.log_noise(levels, sigma_obs))
    o = np.arange(levels)
    says = np.stack([o[:, None] == o, o[:, None] > o, o[:, None] < o])
    likelihood = np.einsum("io,pok,jk->pij", noise, says, noise)
    items = sorted(
        {(r.segment, s) for r in data.itertuples() for s in (r.system_1, r.system_2)}
    )
    place = {item: k for k, item in enumerate(items)}
    total, quality = 0.0, np.zeros(len(systems))
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
            first, second = place[r.segment, r.system_1], place[r.segment, r.system_2]
            p *= likelihood[r.preference, q[first], q[second]]
        total += p
        quality += p * (strength @ (o + 1)) / strength.sum(axis=1)
    return quality / total


@pytest.mark.parametrize("levels", [2, 3])
def test_categorical_by_enumeration(levels):
    data = frame(("a", "b", 1, 1), ("c", "a", 0, 1), ("a", "b", 1, 2), ("a", "b", 2, 1))
    exact = enumerated(data, "abc", levels, alpha=0.5, sigma_obs=0.8)
    kw = {"levels": levels, "sigma_obs": 0.8, "iterations": 6000, "burn_in": 200}
    model = irt.fit_categorical(data, systems="abc", rng=rng(), **kw)
    quality = model.draws @ np.arange(1, levels + 1)
    for k in range(3):
        assert_mean(quality[:, k], exact[k])


def test_unseen_systems_and_empty_data_have_the_prior():
    data = frame(("a", "b", 1, 1), ("a", "b", 0, 2))
    for rows in (data, data.iloc[:0]):
        for sampler in GAUSSIAN:
            model = FITS[sampler](rows, systems="abc", rng=rng(), iterations=2000)
            assert (
                stats.kstest(model.draws[:, 2], "norm").pvalue > 1e-4
            )  # independent draws
        fit = fit_deterministic(rows, systems="abc").abilities.loc["c"]
        np.testing.assert_allclose(fit, [0, 1], atol=1e-12)
        theta = irt.fit_categorical(
            rows, systems="abc", rng=rng(), iterations=2000
        ).draws[:, 2]
        # One coordinate of a symmetric Dirichlet over 8 levels is Beta(alpha, 7 alpha).
        assert stats.kstest(theta[:, 0], stats.beta(0.5, 3.5).cdf).pvalue > 1e-4


@pytest.mark.parametrize("mean", [-60.0, -45.0, -8.0, 0.0, 3.0, 45.0, 60.0])
def test_truncated_normals_are_right_far_into_the_tails(mean):
    size, radius, sd = 4000, 0.4, 1.4
    unit = np.full(
        2 * size, mean / sd
    )  # the function works in units of the standard deviation
    d = irt.truncated_deviations(unit, radius / sd, size, rng())
    d = sd * (unit + d)
    assert np.isfinite(d).all()
    assert (d[:size] >= radius - 1e-9).all()
    assert (np.abs(d[size:]) <= radius + 1e-9).all()
    # mean + sd * z cancels: in the far tail 1e-14 of |mean| is all that is lost.
    low, high = (radius - mean) / sd, np.inf
    above = stats.truncnorm(low, high, mean, sd)
    within = stats.truncnorm((-radius - mean) / sd, low, mean, sd)
    assert stats.kstest(d[:size], above.cdf).pvalue > 1e-4
    assert stats.kstest(d[size:], within.cdf).pvalue > 1e-4


# --- three fits of one posterior ------------------------------------------------------


SEEDED = frame(("a", "b", 1, 1), ("b", "c", 1, 1), ("c", "a", 1, 2), ("a", "b", 0, 2))


def test_the_draws_of_the_plain_chain_are_those_of_a_plain_loop():
    """One variable at a time, by the conditionals of the plate diagram, from the same numbers.

    Items are numbered by segment and system; comparisons stand in order of tie, segment
    and names.
    """
    p, numbers = irt.GaussianSettings(sigma_0=1.2, sigma_a=0.6, sigma_obs=0.9), rng(5)
    items = [(1, "a"), (1, "b"), (1, "c"), (2, "a"), (2, "b"), (2, "c")]
    pairs = [
        ((1, "a"), (1, "b")),
        ((1, "b"), (1, "c")),
        ((2, "c"), (2, "a")),
        ((2, "a"), (2, "b")),
    ]
    noise, mu, q = (
        np.sqrt(2) * p.sigma_obs,
        dict.fromkeys("abc", 0.0),
        dict.fromkeys(items, 0.0),
    )
    expected = []
    for _ in range(4):
        exponential, uniform = numbers.standard_exponential(3), numbers.random(1)[0]
        white, seen = numbers.standard_normal(4), {item: [] for item in items}
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
    ("sampler", "data", "expected"),
    [
        (
            "plain",
            SEEDED.drop(columns="segment"),
            [-1.25038957, -0.67965845, 0.36089972],
        ),
        ("collapsed", SEEDED, [0.04960529, -0.73508169, 0.06093527]),
        ("categorical", SEEDED, [5.4060443, 5.88573562, 5.4530375]),
    ],
)
def test_the_draws_of_a_seed_stay_what_they_are(sampler, data, expected):
    """Results rest on them: the twentieth iteration, as it was when each sampler was written."""
    model = FITS[sampler](data, systems="abc", rng=rng(5), iterations=20, burn_in=19)
    drawn = irt.mean_quality(model.draws) if sampler == "categorical" else model.draws
    np.testing.assert_allclose(drawn[0], expected, atol=1e-7)


# --- invariances ----------------------------------------------------------------------


SYSTEMS = [f"c0000-s{k:02d}" for k in range(5)]


def competition():
    options = {"systems": 5, "segments": 12, "comparisons": 80}
    return hopkins2013_sampler.simulate(irt.GaussianSettings(), rng(3), **options)[0]


@pytest.mark.parametrize(
    "fit", [*FITS.values(), lambda data, rng, **kw: fit_deterministic(data, **kw)]
)
@pytest.mark.parametrize("segments", [True, False])
def test_same_seed_same_bytes_whatever_the_order_of_rows_and_options(fit, segments):
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


@pytest.mark.parametrize("number", [0, 1, 12])
@pytest.mark.parametrize("segments", [True, False])
def test_probabilities_are_distributions_and_symmetric(number, segments):
    """d never occurs; ties may be absent, pairs never met, an item met many times."""
    rows = [("a", "b", 1, 1), ("b", "a", 1, 1), ("c", "a", 0, 1), ("b", "a", 2, 3)] * 3
    data = frame(*rows[:number], segments=segments)
    fits = [
        fit(data, systems="abcd", rng=rng(), iterations=6, burn_in=2)
        for fit in FITS.values()
    ]
    for model in [*fits, fit_deterministic(data, systems="abcd")]:
        q = model.probabilities
        assert (q > 0).all()
        np.testing.assert_allclose(q.sum(axis=2), 1, atol=1e-12)
        assert np.array_equal(q, q.swapaxes(0, 1)[..., SWAPPED])
        assert np.isfinite(model.abilities.to_numpy()).all()


def test_a_fraction_of_a_radius_is_a_mixture_of_the_whole_ones():
    theta = np.random.default_rng(1).dirichlet(np.ones(8), (5, 3))
    zero, one, between = (
        irt.categorical_probabilities(theta, irt.CategoricalSettings(radius=radius))
        for radius in (0, 1, 0.25)
    )
    assert between == pytest.approx(0.75 * zero + 0.25 * one)
    assert between.sum(axis=2) == pytest.approx(1)


# --- the rest -------------------------------------------------------------------------


def test_defaults_are_the_paper_s():
    """Footnotes 10 and 13."""
    steps = {"iterations": 200, "burn_in": 50}
    gaussian = {
        "sigma_0": 1.0,
        "sigma_a": 0.5,
        "sigma_obs": 1.0,
        "radius": 0.4,
        "sampler": "plain",
    }
    categorical = {"levels": 8, "alpha": 0.5, "sigma_obs": 1.0, "radius": 0}
    assert irt.fit_gaussian(GOOD, systems="ab", rng=rng()).settings == gaussian | steps
    assert (
        irt.fit_categorical(GOOD, systems="ab", rng=rng()).settings
        == categorical | steps
    )


def test_the_deterministic_fit_says_so_when_it_fails():
    with pytest.raises(RuntimeError, match="sigma_obs too small"):
        fit_deterministic(competition(), systems=SYSTEMS, sigma_obs=0.01, radius=5.0)


GOOD = frame(("a", "b", 1, 1), ("a", "b", 0, 1))


@pytest.mark.parametrize(
    ("fit", "change", "message"),
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
def test_bad_input(fit, change, message):
    with pytest.raises(ValueError, match=message):
        fit(**{"train": GOOD, "systems": ["a", "b"], "rng": rng()} | change)
