"""TrueSkill: by hand, against the `trueskill` package, and what must hold."""

import math

import numpy as np
import pandas as pd
import pytest
from judged import REAL, rng
from scipy import special

from wmtlib.judgements.errors import DataError
from wmtlib.preference import true_skill
from wmtlib.preference.true_skill import trueskill


def shown(*rows):
    """Comparisons from words like "ab1": a and b are shown, a is preferred."""
    columns = ["system_1", "system_2", "preference"]
    return pd.DataFrame([(a, b, int(pi)) for a, b, pi in rows], columns=columns)


@pytest.mark.parametrize(
    ("sigma", "share", "games", "means", "deviations"),
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
        (
            3.0,
            0.8,
            "121 232 020 311 122 311 121 320 030 201 322 312",
            [-1.85013314, 0.44246527, 0.771884, -1.30666041],
            [1.24488018, 1.10710407, 0.93453952, 0.96278812],
        ),
    ],
)
def test_skills_are_those_of_the_trueskill_package(sigma, share, games, means, deviations):
    """Computed with trueskill 0.4.5: TrueSkill(mu=0, sigma, beta=1, tau=0, draw_probability=share,
    backend="scipy"), then one rate_1vs1(..., min_delta=1e-12) a game, in this order; a game is
    written as two players and the preference, 0 for a draw.
    """
    margin = math.sqrt(2) * special.ndtri((1 + share) / 2)
    rows = np.array([[int(digit) for digit in game] for game in games.split()])
    mean, variance = true_skill.skills(rows, 4, sigma=sigma, beta=1, margin=margin)
    assert mean == pytest.approx(means, abs=2e-8)
    assert np.sqrt(variance) == pytest.approx(deviations, abs=2e-8)


def test_one_game_of_trueskill_by_hand():
    """The winner's mean moves by sigma^2 / c * pdf(e) / cdf(-e), e = margin / c."""
    model = trueskill(shown("ab1"), systems="ab", rng=rng(), sigma=1, beta=1)
    margin = math.sqrt(2) * special.ndtri((1 + 1 / 4) / 2)  # a quarter: (1 + 0 ties) / (3 + 1)
    e = margin / 2  # c^2 = 2 beta^2 + 2 sigma^2 = 4
    shift = math.exp(-(e**2) / 2) / math.sqrt(2 * math.pi) / special.ndtr(-e) / 2
    assert model.tie == pytest.approx(margin)
    assert model.strengths.tolist() == pytest.approx([shift, -shift])


def test_only_the_ratio_of_sigma_and_beta_matters():
    fits = [trueskill(REAL, systems=REAL.systems, rng=rng(), sigma=s, beta=s / 2) for s in (1, 25)]
    np.testing.assert_allclose(fits[0].probabilities, fits[1].probabilities, rtol=1e-9)


def test_the_generator_decides_the_order_and_nothing_else_does():
    def fit(seed):
        model = trueskill(REAL, systems=REAL.systems, rng=np.random.default_rng(seed))
        return model.strengths.to_numpy()

    assert np.array_equal(fit(1), fit(1))
    assert not np.array_equal(fit(1), fit(2))
    assert fit(1) == pytest.approx(fit(2), abs=0.3)


@pytest.mark.parametrize("t", [-60.0, -38.0, 38.0, 60.0])
def test_what_was_all_but_impossible_leaves_a_point(t):
    for shift, shrinkage in (true_skill.moved_above(-abs(t), 0.5), true_skill.moved_within(t, 0.5)):
        assert math.isfinite(shift)
        assert shrinkage == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("settings", [{"sigma": 0}, {"beta": -1}, {"sigma": np.nan}], ids=str)
def test_bad_settings_of_trueskill_are_refused(settings):
    with pytest.raises(
        DataError, match=r"^(sigma|beta), a standard deviation, is .*; expected > 0"
    ):
        trueskill(REAL, systems=REAL.systems, rng=rng(), **settings)
