"""Item-response models against closed forms, calibration, a deterministic fit and invariances.

Chains are seeded. A Monte Carlo mean must lie within 4.5 of its standard errors of the exact value,
the error computed from the chain's effective sample size: one failure in 150 000 seeds each.
"""

import itertools
from dataclasses import asdict, replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import gammaln

from wmtlib import counts as relative_rankings
from wmtlib import irt
from wmtlib import irt as irt_categorical
from wmtlib import irt as irt_deterministic
from wmtlib import irt as irt_gaussian
from wmtlib.errors import DataError
from wmtlib.study.papers import sampler_checks
from wmtlib.study.releases import ranking_releases

FITS = {
    "plain": lambda frame, **kw: irt_gaussian.fit_gaussian(frame, **kw),
    "collapsed": lambda frame, **kw: irt_gaussian.fit_gaussian(frame, sampler="collapsed", **kw),
    "categorical": irt_categorical.fit_categorical,
}
FITS_EACH = {
    "plain": irt_gaussian.fit_each_gaussian,
    "collapsed": lambda frames, **kw: irt_gaussian.fit_each_gaussian(
        frames, sampler="collapsed", **kw
    ),
    "categorical": irt_categorical.fit_each_categorical,
}
GAUSSIAN = ["plain", "collapsed"]


def rng(seed=1):
    return np.random.default_rng(seed)


def frame(*rows, segments=True):
    """Rows (system_1, system_2, preference, segment)."""
    table = pd.DataFrame(rows, columns=["system_1", "system_2", "preference", "segment"])
    return table if segments else table.drop(columns="segment")


def assert_mean(chain, expected):
    error = chain.std() / np.sqrt(sampler_checks.effective_sample_size(chain))
    assert abs(chain.mean() - expected) < 4.5 * error


# --- closed forms ---------------------------------------------------------------------------------


def exact_differences(limits, correlated, sigma_0=1.0, sigma_a=0.5, sigma_obs=1.0):
    """Mean and sd of (mu_a - mu_b, mu_a - mu_c) when d_ab and d_ac lie within limits.

    Differences of abilities and d are jointly Gaussian, so the moments are linear in those of d
    truncated to a rectangle, which Gauss-Legendre quadrature gives. `correlated`: the item of a is
    the same in both comparisons, so its deviation sigma_a enters both.
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
    spread = gain @ ((d - centre).T * mass @ (d - centre)) @ gain.T + ability - gain @ ability
    return gain @ centre, np.sqrt(spread.diagonal())


RANGE = {1: (0.4, 20), 2: (-20, -0.4), 0: (-0.4, 0.4)}  # of d, at the paper's radius


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("preferences", [(1, 1), (1, 2), (0, 2), (0, 0)])
def test_two_comparisons_with_and_without_a_common_item(preferences, shared):
    mean, sd = exact_differences([RANGE[p] for p in preferences], correlated=shared)
    ab, ac = preferences
    data = frame(("a", "b", ab, 1), ("a", "c", ac, 1 if shared else 2))
    for sampler in GAUSSIAN:
        model = FITS[sampler](data, systems="abc", rng=rng(), iterations=3000, burn_in=200)
        for k in (1, 2):
            chain = model.draws[:, 0] - model.draws[:, k]
            assert_mean(chain, mean[k - 1])
            assert_mean((chain - mean[k - 1]) ** 2, sd[k - 1] ** 2)
    fit = irt_deterministic.fit_deterministic(data, systems="abc").abilities["mean"]
    # Expectation propagation is exact for each factor alone; two leave errors of the third order.
    np.testing.assert_allclose([fit["a"] - fit["b"], fit["a"] - fit["c"]], mean, atol=2e-3)


@pytest.mark.parametrize("preference", [0, 1, 2])
def test_one_comparison_is_exact_in_the_deterministic_fit(preference):
    """By 1-d quadrature: mu_a - mu_b ~ N(0, 2), times the probability of what the judge said."""
    x = np.linspace(-14, 14, 200_001)
    low, high = {1: (0.4, np.inf), 2: (-np.inf, -0.4), 0: (-0.4, 0.4)}[preference]
    judged = stats.norm(x, np.sqrt(2 * 0.25 + 2))
    mass = stats.norm.pdf(x, scale=np.sqrt(2)) * (judged.cdf(high) - judged.cdf(low))
    mass /= mass.sum()
    fit = irt_deterministic.fit_deterministic(
        frame(("a", "b", preference, 1)), systems="ab"
    ).abilities
    mean = mass @ x
    assert fit["mean"]["a"] - fit["mean"]["b"] == pytest.approx(mean, abs=1e-7)
    # mu_a = ((mu_a + mu_b) + (mu_a - mu_b)) / 2; the sum keeps its prior variance 2.
    variance = mass @ (x - mean) ** 2
    np.testing.assert_allclose(fit["sd"] ** 2, (2 + variance) / 4, rtol=1e-7)


def enumerated(data, systems, levels, alpha, sigma_obs):
    """Exact posterior mean quality of each system: a sum over all qualities of all items."""
    noise = np.exp(irt_categorical.log_noise(levels, sigma_obs))
    o = np.arange(levels)
    says = np.stack([o[:, None] == o, o[:, None] > o, o[:, None] < o])
    likelihood = np.einsum("io,pok,jk->pij", noise, says, noise)
    items = sorted({(r.segment, s) for r in data.itertuples() for s in (r.system_1, r.system_2)})
    place = {item: k for k, item in enumerate(items)}
    total, quality = 0.0, np.zeros(len(systems))
    for q in itertools.product(range(levels), repeat=len(items)):
        count = np.array(
            [
                [sum(x == k and s == name for x, (_, s) in zip(q, items, strict=True)) for k in o]
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
    model = irt_categorical.fit_categorical(data, systems="abc", rng=rng(), **kw)
    quality = model.draws @ np.arange(1, levels + 1)
    for k in range(3):
        assert_mean(quality[:, k], exact[k])


def test_unseen_systems_and_empty_data_have_the_prior():
    data = frame(("a", "b", 1, 1), ("a", "b", 0, 2))
    for rows in (data, data.iloc[:0]):
        for sampler in GAUSSIAN:
            model = FITS[sampler](rows, systems="abc", rng=rng(), iterations=2000)
            assert stats.kstest(model.draws[:, 2], "norm").pvalue > 1e-4  # independent draws
        fit = irt_deterministic.fit_deterministic(rows, systems="abc").abilities.loc["c"]
        np.testing.assert_allclose(fit, [0, 1], atol=1e-12)
        theta = irt_categorical.fit_categorical(
            rows, systems="abc", rng=rng(), iterations=2000
        ).draws[:, 2]
        # One coordinate of a symmetric Dirichlet over 8 levels is Beta(alpha, 7 alpha).
        assert stats.kstest(theta[:, 0], stats.beta(0.5, 3.5).cdf).pvalue > 1e-4


@pytest.mark.parametrize("mean", [-60.0, -45.0, -8.0, 0.0, 3.0, 45.0, 60.0])
def test_truncated_normals_are_right_far_into_the_tails(mean):
    size, radius, sd = 4000, 0.4, 1.4
    exponential, uniform = rng().standard_exponential(size), rng(2).random(size)
    unit = np.full(2 * size, mean / sd)  # the function works in units of the standard deviation
    d = irt_gaussian.truncated_deviations(unit, radius / sd, exponential, uniform)
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


# --- calibration ----------------------------------------------------------------------------------

DESIGN = {"systems": 3, "segments": 5, "comparisons": 15}
# Thinned past the longest autocorrelation time found at these settings (53, 6 and 13 iterations).
CALIBRATION = {
    "plain": {"competitions": 600, "thin": 60, "burn_in": 300, "sigma_a": 1.0},
    "collapsed": {"competitions": 200, "thin": 10},
    "categorical": {"competitions": 600, "thin": 20, "levels": 4, "alpha": 1.0},
}


def uniformity(ranks, bins=10):
    """Smallest chi-square p-value over the columns of ranks 0 .. 19."""
    counts = [np.bincount(column * bins // 20, minlength=bins) for column in ranks.T]
    return min(stats.chisquare(c).pvalue for c in counts)


@pytest.mark.parametrize("sampler", CALIBRATION)
def test_simulation_based_calibration(sampler):
    """Of right samplers one seed in 300 fails here: three columns, each below 0.001."""
    ranks = sampler_checks.calibration_ranks(
        sampler, kept=19, rng=rng(7), design=DESIGN, **CALIBRATION[sampler]
    )
    assert ranks.shape == (CALIBRATION[sampler]["competitions"], 3)
    assert uniformity(ranks) > 1e-3


def test_calibration_notices_a_wrong_sampler(monkeypatch):
    """One that believes abilities to be less spread than they are."""

    def wrong(data, settings, rng):
        narrow = replace(settings, sigma_0=0.6 * settings.sigma_0)
        return irt_gaussian.collapsed_chain(data, narrow, rng)

    monkeypatch.setitem(sampler_checks.SAMPLERS, "collapsed", (wrong, "gaussian"))
    ranks = sampler_checks.calibration_ranks(
        "collapsed", competitions=200, kept=19, rng=rng(7), design=DESIGN, thin=10
    )
    assert uniformity(ranks) < 1e-6


# --- three fits of one posterior ------------------------------------------------------------------


@pytest.mark.realdata
def test_three_fits_agree_on_a_real_track(mirror):
    rankings = ranking_releases.load_rankings("wmt11", source="mirror")
    rankings = rankings[rankings["task"] == "en-cs-individual"]
    data = relative_rankings.comparisons(rankings).sample(1600, random_state=2013)
    systems = sorted({*data["system_1"], *data["system_2"]})
    exact = irt_deterministic.fit_deterministic(data, systems=systems)
    expected = exact.abilities["mean"] - exact.abilities["mean"].mean()
    for sampler, iterations in (("collapsed", 2000), ("plain", 6000)):
        model = FITS[sampler](data, systems=systems, rng=rng(), iterations=iterations, burn_in=300)
        centred = model.draws - model.draws.mean(axis=1, keepdims=True)
        error = [x.std() / np.sqrt(sampler_checks.effective_sample_size(x)) for x in centred.T]
        # 0.004 for what the approximation leaves; posterior sds are about 0.1.
        assert (np.abs(centred.mean(axis=0) - expected) < 0.004 + 4.5 * np.array(error)).all()
        np.testing.assert_allclose(model.probabilities, exact.probabilities, atol=0.012)
    # At the paper's 200 iterations the difference is still below a percent or two.
    model = irt_gaussian.fit_gaussian(data, systems=systems, rng=rng())
    np.testing.assert_allclose(model.probabilities, exact.probabilities, atol=0.04)


# --- invariances ----------------------------------------------------------------------------------


def competition(seed=3, model="gaussian", **kw):
    data, truth = sampler_checks.simulate(
        model, rng=rng(seed), systems=5, segments=12, comparisons=80, **kw
    )
    return data, [f"c0000-s{k:02d}" for k in range(5)], truth[0]


@pytest.mark.parametrize("sampler", FITS)
@pytest.mark.parametrize("segments", [True, False])
def test_same_seed_same_bytes_whatever_the_order_of_rows_and_options(sampler, segments):
    data, systems, _ = competition()
    data = data if segments else data.drop(columns="segment")
    mixed = data.sample(frac=1, random_state=1)
    swap = rng().random(len(mixed)) < 0.5
    mixed.loc[swap, ["system_1", "system_2"]] = mixed.loc[swap, ["system_2", "system_1"]].to_numpy()
    mixed.loc[swap, "preference"] = np.array([0, 2, 1], dtype=np.int8)[
        mixed.loc[swap, "preference"]
    ]
    one, two = (
        FITS[sampler](rows, systems=names, rng=rng())
        for rows, names in ((data, systems), (mixed, systems[::-1]))
    )
    assert one.draws.tobytes() == two.draws.tobytes()
    assert one.probabilities.tobytes() == two.probabilities.tobytes()


@pytest.mark.parametrize("sampler", FITS)
def test_a_fit_does_not_depend_on_those_beside_it(sampler):
    """Of several sizes, one of them without comparisons, with and without segments."""
    data, systems, _ = competition()
    trains = [data, data[:9], data[:0], data[20:].drop(columns="segment"), data[::2]]
    together = FITS_EACH[sampler](trains, systems=systems, rngs=[rng(k) for k in range(5)])
    for k, (train, fit) in enumerate(zip(trains, together, strict=True)):
        alone = FITS[sampler](train, systems=systems, rng=rng(k))
        assert fit.draws.tobytes() == alone.draws.tobytes()
        assert fit.probabilities.tobytes() == alone.probabilities.tobytes()


def test_small_fits_run_side_by_side_and_large_ones_alone():
    sizes = [irt.SIDE_BY_SIDE // 2 - 1, 1, 1, irt.SIDE_BY_SIDE, 1]
    beside = []

    def chain(data, settings, streams):
        beside.append(len(data.sizes))
        yield np.zeros(len(data.systems))

    row = frame(("a", "b", 1, 1))
    fits = [irt.item_data(row.loc[[0] * n], ["a", "b"]) for n in sizes]
    settings, rngs = irt.GaussianSettings(), [rng()] * 5
    draws = [*irt.kept_draws(chain, fits, settings, rngs, 1, 0, together=True)]
    assert [d.shape for d in draws] == [(1, 2)] * 5
    assert beside == [3, 2]
    beside.clear()
    assert len([*irt.kept_draws(chain, fits, settings, rngs, 1, 0, together=False)]) == 5
    assert beside == [1] * 5


def test_tails_in_logs_and_not_in_logs_are_the_same(monkeypatch):
    size = 500
    mean = rng().normal(0, 8, 2 * size)
    numbers = rng(2).standard_exponential(size), rng(3).random(size)
    direct = irt_gaussian.truncated_deviations(mean, 0.3, *numbers)
    monkeypatch.setattr(irt_gaussian, "FAR_OUT", 0)
    in_logs = irt_gaussian.truncated_deviations(mean, 0.3, *numbers)
    # Far below the mean, where nothing is drawn, 1 - S has few digits.
    np.testing.assert_allclose(direct, in_logs, atol=1e-6)
    assert np.median(np.abs(direct - in_logs)) < 1e-14


@pytest.mark.parametrize("sampler", GAUSSIAN)
def test_unit_of_quality_does_not_matter(sampler):
    """Doubling is exact in binary; other factors leave rounding, which the chain does not grow."""
    data, systems, _ = competition()
    paper = asdict(irt.GaussianSettings())
    one = FITS[sampler](data, systems=systems, rng=rng(), **paper)
    two, three = (
        FITS[sampler](data, systems=systems, rng=rng(), **{k: f * v for k, v in paper.items()})
        for f in (2, 3)
    )
    assert one.probabilities.tobytes() == two.probabilities.tobytes()
    assert (2 * one.draws).tobytes() == two.draws.tobytes()
    np.testing.assert_allclose(three.probabilities, one.probabilities, atol=1e-9)


def test_the_mean_ability_keeps_its_prior():
    """Data tell differences only: the mean is N(0, sigma_0² / n), independent of differences.

    The collapsed sampler draws it afresh each time, so the tests for independent draws apply.
    """
    data, systems, _ = competition()
    model = FITS["collapsed"](data, systems=systems, rng=rng(), iterations=4050)
    mean = model.draws.mean(axis=1)
    assert stats.kstest(mean * np.sqrt(5), "norm").pvalue > 1e-3
    difference = model.draws[:, 0] - model.draws[:, 1]
    assert stats.pearsonr(mean[1:], mean[:-1]).pvalue > 1e-3
    assert stats.pearsonr(mean, difference).pvalue > 1e-3
    exact = irt_deterministic.fit_deterministic(data, systems=systems).abilities
    assert abs(exact["mean"].sum()) < 1e-9


def test_abilities_are_recovered():
    data, systems, truth = competition()
    fit = irt_deterministic.fit_deterministic(data, systems=systems).abilities
    assert (np.abs(fit["mean"] - truth) < 4 * fit["sd"]).all()
    assert np.corrcoef(fit["mean"], truth)[0, 1] > 0.9


def test_deterministic_fit_is_symmetric_and_ignores_order():
    data, systems, _ = competition()
    one = irt_deterministic.fit_deterministic(data, systems=systems)
    two = irt_deterministic.fit_deterministic(data.iloc[::-1], systems=systems)
    assert one.probabilities.tobytes() == two.probabilities.tobytes()
    assert one.draws is None


judgements = st.lists(
    st.tuples(
        st.sampled_from([("a", "b"), ("b", "a"), ("c", "a"), ("b", "c")]),
        st.integers(0, 2),
        st.integers(1, 3),
    ),
    max_size=12,
)


@settings(max_examples=25)
@given(judgements, st.booleans(), st.integers(0, 2**32 - 1))
def test_probabilities_are_distributions_and_symmetric(rows, segments, seed):
    """d never occurs; ties may be absent, pairs never met, an item met many times."""
    data = frame(*[(*pair, p, s) for pair, p, s in rows], segments=segments)
    fits = [
        fit(data, systems="abcd", rng=rng(seed), iterations=6, burn_in=2) for fit in FITS.values()
    ]
    fits.append(irt_deterministic.fit_deterministic(data, systems="abcd"))
    for model in fits:
        q = model.probabilities
        assert (q > 0).all()
        np.testing.assert_allclose(q.sum(axis=2), 1, atol=1e-12)
        assert np.array_equal(q, q.swapaxes(0, 1)[..., [0, 2, 1]])
        assert np.isfinite(model.abilities.to_numpy()).all()


def test_extreme_settings_stay_finite():
    data, systems, _ = competition()
    for change in ({"radius": 60.0}, {"sigma_obs": 1e-3}, {"sigma_0": 1e4}, {"sigma_a": 1e-4}):
        for sampler in GAUSSIAN:
            assert np.isfinite(
                FITS[sampler](data, systems=systems, rng=rng(), **change).draws
            ).all()
    for change in ({"sigma_obs": 0.01}, {"alpha": 50.0}, {"levels": 2}, {"radius": 6}):
        draws = irt_categorical.fit_categorical(data, systems=systems, rng=rng(), **change).draws
        np.testing.assert_allclose(draws.sum(axis=2), 1)


def test_no_ties_at_all():
    data = frame(("a", "b", 1, 1), ("b", "c", 1, 1), ("a", "c", 2, 2))
    for fit in FITS.values():
        assert fit(data, systems="abc", rng=rng(), radius=0).probabilities[0, 1, 1] > 0
    assert (
        irt_gaussian.fit_gaussian(data, systems="abc", rng=rng(), radius=0).probabilities[..., 0]
        == 0
    ).all()


# --- the rest -------------------------------------------------------------------------------------


def test_defaults_are_the_paper_s():
    """Footnotes 10 and 13."""
    gaussian = {"sigma_0": 1.0, "sigma_a": 0.5, "sigma_obs": 1.0, "radius": 0.4}
    categorical = {"levels": 8, "alpha": 0.5, "sigma_obs": 1.0, "radius": 0}
    steps = {"iterations": 200, "burn_in": 50}
    found = irt_gaussian.fit_gaussian(GOOD, systems="ab", rng=rng()).settings
    assert found == gaussian | steps | {"sampler": "plain"}
    assert (
        irt_categorical.fit_categorical(GOOD, systems="ab", rng=rng()).settings
        == categorical | steps
    )


GOOD = frame(("a", "b", 1, 1), ("a", "b", 0, 1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sigma_0": 0}, "sigma_0 is 0"),
        ({"sigma_a": -1.0}, "sigma_a is -1.0"),
        ({"sigma_obs": np.nan}, "sigma_obs is nan"),
        ({"radius": -0.1}, "radius is -0.1"),
        ({"radius": 0}, "ties"),
        ({"burn_in": 200}, "burn_in is 200"),
        ({"burn_in": -1}, "burn_in is -1"),
        ({"sampler": "fast"}, "'fast'"),
        ({"systems": ["a"]}, "two systems"),
        ({"systems": ["a", "b", "b"]}, "twice"),
        ({"systems": ["a", "c"]}, "'b'"),
        ({"comparisons": frame(("a", "a", 1, 1))}, "itself"),
        ({"comparisons": frame(("a", "b", 3, 1))}, "preference"),
        ({"comparisons": frame(("a", None, 1, 1))}, "lacks the name"),
        ({"comparisons": frame(("a", "b", 1, None))}, "segment"),
    ],
)
def test_bad_input_to_gaussian(change, message):
    call = {"comparisons": GOOD, "systems": ["a", "b"], "rng": rng()} | change
    with pytest.raises(ValueError, match=message) as error:
        irt_gaussian.fit_gaussian(call.pop("comparisons"), **call)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"levels": 1}, "levels is 1"),
        ({"alpha": 0.0}, "alpha is 0.0"),
        ({"sigma_obs": -1}, "sigma_obs is -1"),
        ({"radius": -1}, "radius is -1"),
        ({"radius": 7}, "tie"),
        ({"burn_in": 300}, "burn_in is 300"),
    ],
)
def test_bad_input_to_categorical(change, message):
    with pytest.raises(ValueError, match=message):
        irt_categorical.fit_categorical(GOOD, systems=["a", "b"], rng=rng(), **change)


def test_bad_data_is_a_data_error():
    with pytest.raises(DataError):
        irt_deterministic.fit_deterministic(GOOD, systems=["a", "c"])


def test_deterministic_fit_says_so_when_it_fails():
    data, systems, _ = competition()
    with pytest.raises(RuntimeError, match="sigma_obs"):
        irt_deterministic.fit_deterministic(data, systems=systems, sigma_obs=0.01, radius=5.0)


def test_autocorrelation_time_of_an_autoregressive_chain():
    """(1 + rho) / (1 - rho) = 19 for rho = 0.9; its estimate from 200 000 steps is within 5 %."""
    noise = rng().standard_normal(200_000)
    chain = np.empty_like(noise)
    x = 0.0
    for k, e in enumerate(noise):
        chain[k] = x = 0.9 * x + e
    assert sampler_checks.autocorrelation_time(chain) == pytest.approx(19, rel=0.1)
    assert sampler_checks.effective_sample_size(noise) == pytest.approx(200_000, rel=0.02)
    assert sampler_checks.autocorrelation_time(np.resize([1.0, -1.0], 100)) == 1.0
    assert sampler_checks.effective_sample_size(np.ones(50)) == 1.0
    with pytest.raises(ValueError, match="4 iterations"):
        sampler_checks.autocorrelation_time(np.ones((10, 2)))
