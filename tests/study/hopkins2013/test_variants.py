"""The collapsed chain and expectation propagation: exact cases and invariances."""

import numpy as np
import pytest
from item_response import (
    RANGE,
    SYSTEMS,
    assert_distributions,
    assert_order_leaves_no_trace,
    assert_two_comparisons,
    competition,
    exact_differences,
    frame,
    two_comparisons,
)
from scipy import stats

from examples import rng
from study.hopkins2013.variants import fit_collapsed, fit_deterministic


def fit_without_rng(train, *, rng, **options):
    return fit_deterministic(train, **options)


FITS = [fit_collapsed, fit_without_rng]


@pytest.mark.parametrize(
    "preferences, shared",
    [((1, 1), True), ((1, 2), False), ((0, 2), True), ((0, 0), False)],
)
def test_two_comparisons_with_and_without_a_common_item(preferences, shared):
    assert_two_comparisons(fit_collapsed, preferences, shared=shared)
    data = two_comparisons(preferences, shared=shared)
    fit = fit_deterministic(data, systems="abc").abilities["mean"]
    mean, _ = exact_differences([RANGE[p] for p in preferences], correlated=shared)
    # Expectation propagation is exact for each factor alone; two leave errors of the
    # third order.
    np.testing.assert_allclose(
        [fit["a"] - fit["b"], fit["a"] - fit["c"]], mean, atol=2e-3
    )


@pytest.mark.parametrize("preference", [0, 1, 2])
def test_one_comparison_is_exact_in_the_deterministic_fit(preference):
    limits = [RANGE[preference], (-20, 20)]  # c is compared with a and nothing is said
    [mean, _], [sd, _] = exact_differences(limits, correlated=False)
    fit = fit_deterministic(frame(("a", "b", preference, 1)), systems="ab").abilities
    assert fit["mean"]["a"] - fit["mean"]["b"] == pytest.approx(mean, abs=1e-7)
    # mu_a = ((mu_a + mu_b) + (mu_a - mu_b)) / 2; the sum keeps its prior variance 2.
    np.testing.assert_allclose(fit["sd"] ** 2, (2 + sd**2) / 4, rtol=1e-7)


def test_unseen_systems_and_empty_data_have_the_prior():
    data = frame(("a", "b", 1, 1), ("a", "b", 0, 2))
    for rows in (data, data.iloc[:0]):
        model = fit_collapsed(rows, systems="abc", rng=rng(), iterations=2000)
        # Draws are independent.
        assert stats.kstest(model.draws[:, 2], "norm").pvalue > 1e-4
        fit = fit_deterministic(rows, systems="abc").abilities.loc["c"]
        np.testing.assert_allclose(fit, [0, 1], atol=1e-12)


def test_the_draws_of_a_seed_stay_what_they_are():
    """Results rest on them: the 20th iteration, as when the sampler was written."""
    rows = [("a", "b", 1, 1), ("b", "c", 1, 1), ("c", "a", 1, 2), ("a", "b", 0, 2)]
    model = fit_collapsed(
        frame(*rows), systems="abc", rng=rng(5), iterations=20, burn_in=19
    )
    expected = [0.04960529, -0.73508169, 0.06093527]
    np.testing.assert_allclose(model.draws[0], expected, atol=1e-7)


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize("segments", [True, False])
def test_the_order_of_rows_and_options_leaves_no_trace(fit, segments):
    assert_order_leaves_no_trace(fit, segments=segments)


@pytest.mark.parametrize("number", [0, 1, 12])
@pytest.mark.parametrize("segments", [True, False])
@pytest.mark.parametrize("fit", FITS)
def test_probabilities_are_distributions_and_symmetric(fit, number, segments):
    assert_distributions(fit, number, segments=segments)


def test_the_deterministic_fit_says_so_when_it_fails():
    with pytest.raises(RuntimeError, match="sigma_obs too small"):
        fit_deterministic(competition(), systems=SYSTEMS, sigma_obs=0.01, radius=5.0)
