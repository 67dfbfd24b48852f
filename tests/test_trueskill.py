"""TrueSkill: by hand, against the `trueskill` package, and what must hold."""

import math

import numpy as np
import pytest
from scipy import special

from examples import full, rng, shown, stacked
from wmtlib import trueskill as true_skill
from wmtlib.methods import METHODS
from wmtlib.trueskill import trueskill


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


def test_each_sample_is_one_pass_over_its_comparisons():
    counts = [full([(3, 1, 2)] * 6), full([(0, 4, 1)] * 5 + [(9, 0, 3)])]
    found = METHODS["trueskill"].sample_scores(stacked(counts), rng=rng(5))
    draws = rng(5)
    expected = [trueskill(c, systems=c.systems, rng=draws).strengths for c in counts]
    np.testing.assert_array_equal(found, expected)


def test_a_system_that_is_not_in_a_sample_has_no_score():
    none = (0, 0, 0)
    sample = full([(3, 1, 2), (3, 1, 2), none, (3, 1, 2), none, none])
    (found,) = METHODS["trueskill"].sample_scores(stacked([sample]))
    assert np.isnan(found).tolist() == [False, False, False, True]
