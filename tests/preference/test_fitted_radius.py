"""The tie radius of an item-response model, fitted to the training comparisons."""

import numpy as np
import pytest
from scipy import optimize

from wmtlib import irt as irt_categorical
from wmtlib import irt as irt_gaussian
from wmtlib.irt import CategoricalSettings
from wmtlib.models import perplexity
from wmtlib.study.papers.fitted_radius import fitted_radius
from wmtlib.study.papers.sampler_checks import simulate


def fitted(model, radius, **settings):
    rng = np.random.default_rng(2)
    frame, _ = simulate(model, rng=rng, comparisons=3000, segments=300, radius=radius, **settings)
    systems = sorted({*frame["system_1"], *frame["system_2"]})
    fit = {"gaussian": irt_gaussian.fit_gaussian, "categorical": irt_categorical.fit_categorical}[
        model
    ]
    return frame, lambda **kw: fit(frame, systems=systems, rng=np.random.default_rng(1), **kw)


@pytest.mark.parametrize("radius", [0.2, 1.0])
def test_the_radius_that_made_the_ties_is_found(radius):
    frame, fit = fitted("gaussian", radius)
    assert fitted_radius(fit(), frame) == pytest.approx(radius, abs=0.06)


def test_no_other_radius_predicts_the_training_preferences_better():
    frame, fit = fitted("gaussian", 0.8)
    radius = fitted_radius(fit(), frame)
    best = optimize.minimize_scalar(
        lambda r: perplexity(fit(radius=r), frame), bounds=(0.2, 1.6), method="bounded"
    )
    assert radius == pytest.approx(best.x, abs=0.05)


def test_the_categorical_radius_lies_between_whole_numbers():
    frame, fit = fitted("categorical", 1)
    first = fitted_radius(fit(), frame)
    assert 0.5 < first < 1  # the abilities still are those of radius 0
    assert fitted_radius(fit(radius=first), frame) == pytest.approx(1, abs=0.15)
    frame, fit = fitted("categorical", 0)
    assert fitted_radius(fit(), frame) < 0.1


def test_a_fraction_of_a_radius_is_a_mixture_of_the_whole_ones():
    theta = np.random.default_rng(1).dirichlet(np.ones(8), (5, 3))
    zero, one, between = (
        irt_categorical.categorical_probabilities(theta, CategoricalSettings(radius=radius))
        for radius in (0, 1, 0.25)
    )
    assert between == pytest.approx(0.75 * zero + 0.25 * one)
    assert between.sum(axis=2) == pytest.approx(1)
