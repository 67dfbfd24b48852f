"""Calibration finds a wrong sampler; autocorrelation times; the fitted tie radius."""

import runpy
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np
import pytest
from competitions import competition_names, simulate
from scipy import signal, stats

from examples import rng
from study.data.sources import ROOT
from study.hopkins2013 import irt
from study.hopkins2013.irt import CategoricalSettings, GaussianSettings
from study.hopkins2013.variants import collapsed_chain
from study.hopkins2013.which_model import fitted_radius
from wmtlib.core.counts import tally


class Sampler(NamedTuple):
    chain: Callable
    settings: GaussianSettings | CategoricalSettings
    abilities: Callable = np.asarray  # of draws


SAMPLERS = {
    "plain": Sampler(irt.plain_chain, GaussianSettings(sigma_a=1.0)),
    "collapsed": Sampler(collapsed_chain, GaussianSettings()),
    "categorical": Sampler(
        irt.categorical_chain,
        CategoricalSettings(levels=4, alpha=1.0),
        irt.mean_quality,
    ),
}
DESIGN = {"systems": 3, "segments": 5, "comparisons": 15}
# Thinned past the longest autocorrelation time found at these settings (53, 6 and 13
# iterations).
CALIBRATION = {
    "plain": {"competitions": 600, "thin": 60, "burn_in": 300},
    "collapsed": {"competitions": 200},
    "categorical": {"competitions": 600, "thin": 20},
}


def ranks(sampler, competitions, thin=10, burn_in=100):
    """Ranks of the truth among 19 posterior draws, one in `thin` iterations.

    Truth and comparisons are drawn from the model. The competitions have no common
    systems or segments, so one chain fits them all.
    """
    settings = sampler.settings
    frame, truth = simulate(settings, rng(7), competitions=competitions, **DESIGN)
    data = irt.item_data([frame], competition_names(*truth.shape))
    chain = sampler.chain(data, settings, [rng(8)])
    drawn = np.array([*islice(chain, burn_in, burn_in + 19 * thin, thin)])
    abilities = sampler.abilities(drawn).reshape(-1, *truth.shape)
    return (contrasts(abilities) < contrasts(truth)).sum(axis=0)


def contrasts(ability):
    """The mean ability, then each other system's less the first one's."""
    others = ability[..., 1:] - ability[..., :1]
    return np.concatenate([ability.mean(axis=-1, keepdims=True), others], axis=-1)


def uniformity(ranks, bins=10):
    """Smallest chi-square p-value over the columns of ranks 0 .. 19."""
    counts = [np.bincount(column * bins // 20, minlength=bins) for column in ranks.T]
    return min(stats.chisquare(c).pvalue for c in counts)


@pytest.mark.slow
@pytest.mark.parametrize("name", CALIBRATION)
def test_simulation_based_calibration(name):
    """Of right samplers one seed in 300 fails here: three columns, each below 0.001."""
    found = ranks(SAMPLERS[name], **CALIBRATION[name])
    assert found.shape == (CALIBRATION[name]["competitions"], 3)
    assert uniformity(found) > 1e-3


@pytest.mark.slow
def test_calibration_notices_a_wrong_sampler():
    """One that believes abilities to be less spread than they are."""

    def wrong(data, settings, rng):
        narrow = replace(settings, sigma_0=0.6 * settings.sigma_0)
        return collapsed_chain(data, narrow, rng)

    wrong_one = SAMPLERS["collapsed"]._replace(chain=wrong)
    assert uniformity(ranks(wrong_one, competitions=200)) < 1e-6


def test_autocorrelation_time_of_an_autoregressive_chain():
    """(1 + rho) / (1 - rho) = 19 for rho = 0.9; from 200 000 steps within 5 %."""
    benchmark = runpy.run_path(str(ROOT / "benchmarks" / "irt.py"))
    autocorrelation_time = benchmark["autocorrelation_time"]
    noise = rng().standard_normal(200_000)
    chain = signal.lfilter([1], [1, -0.9], noise)
    assert autocorrelation_time(chain) == pytest.approx(19, rel=0.1)
    assert autocorrelation_time(noise) == pytest.approx(1, rel=0.02)
    assert autocorrelation_time(np.resize([1.0, -1.0], 100)) == 1.0
    assert autocorrelation_time(np.ones(50)) == 50


# --- the tie radius of an item-response model, fitted to the training comparisons -----


def fitted(settings, fit):
    frame, _ = simulate(settings, rng(2), comparisons=3000, segments=300)
    systems = sorted({*frame["system_1"], *frame["system_2"]})
    return tally(frame, tuple(systems)), lambda **kw: fit(
        frame, systems=systems, rng=rng(1), **kw
    )


@pytest.mark.parametrize("radius", [0.2, 1.0])
def test_the_radius_that_made_the_ties_is_found(radius):
    seen, fit = fitted(irt.GaussianSettings(radius=radius), irt.fit_gaussian)
    assert fitted_radius(fit(), seen) == pytest.approx(radius, abs=0.06)


def test_the_categorical_radius_lies_between_whole_numbers():
    seen, fit = fitted(irt.CategoricalSettings(radius=1), irt.fit_categorical)
    first = fitted_radius(fit(), seen)
    assert 0.5 < first < 1  # the abilities still are those of radius 0
    assert fitted_radius(fit(radius=first), seen) == pytest.approx(1, abs=0.15)
    seen, fit = fitted(irt.CategoricalSettings(), irt.fit_categorical)
    assert fitted_radius(fit(), seen) < 0.1
