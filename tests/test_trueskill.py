"""TrueSkill: by hand, against the `trueskill` package, and what must hold."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from examples import PAIRS, full, rng, shown, stacked, tournament
from wmtlib import trueskill as true_skill
from wmtlib.core.sampling import blocks, resampler
from wmtlib.trueskill import resampled_skills, trueskill

few = settings(max_examples=settings().max_examples // 2)


@pytest.mark.parametrize(
    "sigma, share, games, means, deviations",
    [
        (
            1.0,
            0.3,
            "120 202 312 102 012 022 231 010 030 321 320 132",
            [-0.05400588, 0.08733486, -0.09501254, 0.10901088],
            [0.60131252, 0.60545689, 0.60699013, 0.59301161],
        ),
        (
            0.3,
            0.05,
            "030 201 231 021 322 232 200 211 311 101 031 101",
            [-0.04220482, 0.00011998, 0.08221598, -0.04212465],
            [0.27085811, 0.28454377, 0.27274099, 0.27595675],
        ),
    ],
)
def test_skills_are_those_of_the_trueskill_package(
    sigma, share, games, means, deviations
):
    """Computed with trueskill 0.4.5: TrueSkill(mu=0, sigma, beta=1, tau=0,
    draw_probability=share, backend="scipy"), then one rate_1vs1(..., min_delta=1e-12) a
    game, in this order; a game is written as two players and the preference, 0 for a
    draw.
    """
    margin = math.sqrt(2) * special.ndtri((1 + share) / 2)
    rows = np.array([[int(digit) for digit in game] for game in games.split()])
    mean, variance = true_skill.skills(rows, 4, sigma=sigma, beta=1, margin=margin)
    assert mean == pytest.approx(means, abs=2e-8)
    assert np.sqrt(variance) == pytest.approx(deviations, abs=2e-8)


def test_one_game_of_trueskill_by_hand():
    """The winner's mean moves by sigma^2 / c * pdf(e) / cdf(-e), e = margin / c."""
    model = trueskill(shown("ab1"), systems="ab", rng=rng())
    beta, c = true_skill.BETA, math.sqrt(2 * 1.25 + 2)  # c^2 = 2 beta^2 + 2 sigma^2
    # The share of ties is (1 + 0) / (3 + 1).
    margin = beta * math.sqrt(2) * special.ndtri((1 + 1 / 4) / 2)
    e = margin / c
    shift = math.exp(-(e**2) / 2) / math.sqrt(2 * math.pi) / special.ndtr(-e) / c
    assert model.tie == pytest.approx(margin)
    assert model.strengths.tolist() == pytest.approx([shift, -shift])


def test_predictions_include_the_variance_of_skills():
    """After one win: skills m and -m of variance v, so a wins with N(2m; 2 beta² + 2v)
    above the margin.
    """
    model = trueskill(shown("ab1"), systems="ab", rng=rng())
    beta = true_skill.BETA
    options = {"sigma": 1, "beta": beta, "margin": model.tie}
    mean, variance = true_skill.skills(np.array([[0, 1, 1]]), 2, **options)
    assert variance[0] == variance[1] < 1
    spread = math.sqrt(2 * beta**2 + 2 * variance[0])
    win, loss = special.ndtr((np.array([2, -2]) * mean[0] - model.tie) / spread)
    assert model.probabilities[0, 1] == pytest.approx([1 - win - loss, win, loss])


@pytest.mark.parametrize("low", [38.0, 60.0])
@pytest.mark.parametrize("width", [1.0, true_skill.INFINITY])
def test_moved_by_an_unlikely_outcome_has_no_variance(low, width):
    shift, shrinkage = true_skill.moved(low, low + width)
    assert low <= shift < low + 1
    assert shrinkage == pytest.approx(1, abs=0.01)


# --- many samples at once -------------------------------------------------------------


def one_by_one(samples, rng, *, sigma, beta):
    """Means of every sample by `skills`, of the same comparisons in the same order."""
    first = samples.first
    second = samples.second
    kinds = [(a, b, pi) for pi in range(3) for a, b in zip(first, second, strict=True)]
    streams = [
        own for size, own in blocks(samples.seen.shape[1], rng) for _ in range(size)
    ]
    for own, seen in zip(streams, samples.seen.swapaxes(0, 1).astype(int), strict=True):
        order = np.repeat(np.arange(len(kinds), dtype=np.uint8), seen.ravel())
        own.shuffle(order)
        share = (1 + seen[0].sum()) / (3 + seen.sum())
        margin = math.sqrt(2) * beta * special.ndtri((1 + share) / 2)
        games = np.array(kinds)[order]
        size = len(samples.systems)
        mean, _ = true_skill.skills(games, size, sigma=sigma, beta=beta, margin=margin)
        yield np.where(np.isin(np.arange(size), games[:, :2]), mean, np.nan)


@few
@given(several=st.lists(PAIRS, min_size=1, max_size=5), seed=st.integers(0, 99))
def test_each_sample_is_one_pass(several, seed):
    """Samples of any size, those without a comparison included."""
    samples = stacked([full(pairs) for pairs in several])
    found = resampled_skills(samples, streams=rng(seed).spawn(1))
    expected = [*one_by_one(samples, rng(seed), sigma=1.0, beta=true_skill.BETA)]
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("unit", ["comparison", "judge"])
def test_samples_of_units_do_not_depend_on_blocks(unit, monkeypatch):
    (samples,) = resampler(tournament(3), None, unit).samples(30, rng())
    found = resampled_skills(samples, streams=rng(5).spawn(1))
    expected = [*one_by_one(samples, rng(5), sigma=1.0, beta=true_skill.BETA)]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    monkeypatch.setattr(true_skill, "HELD", 1000)  # a few samples at a time
    np.testing.assert_array_equal(
        resampled_skills(samples, streams=rng(5).spawn(1)), found
    )
