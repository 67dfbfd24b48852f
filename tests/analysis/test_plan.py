"""Planning more judgements: the chance to be apart, worked by hand and by simulation."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged import campaign, compared, counts_of, rng, tournament
from scipy.special import ndtr

from wmtlib.analysis import plan
from wmtlib.judgements.errors import DataError

FEW = {"n_resamples": 200}


def drawn(data, unit, **settings):
    return plan.plan(data, unit=unit, rng=rng(), **{**FEW, **settings})


def test_the_chance_of_a_pair_worked_by_hand():
    """D = 2, s = 1, m = 1.5, v = 1/4, f = 1: mean 1.75, variance 5/16, limit 1.96 / sqrt(2)."""
    pair = [np.array([x]) for x in (2.0, 1.0, 1.5, 0.5)]
    by_hand = ndtr((1.75 - 1.959964 / 2**0.5) / (5 / 16) ** 0.5)
    assert plan.chance_apart(*pair, 1.0, 1e9)[0] == pytest.approx(by_hand, abs=1e-5)
    assert plan.chance_apart(*pair, 0.0, 1e9) == 1 and plan.chance_apart(*pair, 0.0, 10) == 0


def test_the_chance_is_what_simulated_judgements_give():
    difference, error, expected, deviation, growth = 0.8, 0.7, 0.6, 0.4, 2.5
    draw = rng()
    truth = draw.normal(expected, deviation, 200_000)
    new = draw.normal(truth, error / growth**0.5)
    whole = (difference + growth * new) / (1 + growth)
    share = (np.abs(whole) > 1.959964 * error / (1 + growth) ** 0.5).mean()
    known = [np.array([x]) for x in (difference, error, expected, deviation)]
    assert plan.chance_apart(*known, growth, 1e9)[0] == pytest.approx(share, abs=0.004)


@given(st.floats(0.05, 20), st.floats(0, 30), st.floats(0, 30))
def test_more_judgements_never_lower_the_chance_on_average(spread, one, other):
    """Averaged over what could have been found, N(0, spread^2 + 1), with errors of 1."""
    places = (np.arange(4001) - 2000) / 400
    found = places * (spread**2 + 1) ** 0.5
    weight = np.exp(-(places**2) / 2)
    kept = spread**2 / (spread**2 + 1)
    ones = np.ones_like(found)
    known = (found, ones, kept * found, kept**0.5 * ones)
    less, more = (plan.chance_apart(*known, growth, 1e9) for growth in sorted((one, other)))
    assert np.average(less, weights=weight) <= np.average(more, weights=weight) + 1e-3


def test_a_common_mean_says_nothing_and_equal_scores_stay_equal():
    covariance = np.diag([0.1, 0.2, 0.3])
    score = np.array([1.0, 0.0, -1.0])
    mean, variance = plan.posterior(score, covariance)
    shifted, same = plan.posterior(score + 7, covariance)
    np.testing.assert_allclose(mean, shifted)
    np.testing.assert_allclose(variance, same)
    assert 0 < mean[0] < 1 and abs(mean.sum()) < 1e-12
    luck, nothing = plan.posterior(score / 100, covariance)  # spread less than the errors'
    assert not luck.any() and not nothing.any()


def test_without_anything_in_common_the_design_effect_is_one():
    found = drawn(counts_of(("x", "y", 400, 200, 0), ("y", "z", 300, 300, 0)), "comparison")
    assert found.design_effect == pytest.approx(1, abs=0.25)
    assert found.judgements == 1200 and found.ranking.order[0] == "x"
    assert found.table["apart"].tolist() == [True, False]
    assert found.table["needed"].tolist()[0] == 0


def test_judges_who_repeat_themselves_have_a_design_effect():
    """A judge who says everything nine times counts once."""
    rows = [("x", "y", 1 + k % 3 % 2, 9) for k in range(60)]
    frame = compared(*rows, judge=[f"j{k}" for k in range(60)])
    by_judge, by_comparison = drawn(frame, "judge"), drawn(frame, "comparison")
    assert by_judge.design_effect / by_comparison.design_effect == pytest.approx(9, rel=0.25)
    wide, narrow = by_judge.table.iloc[0], by_comparison.table.iloc[0]
    assert wide["error"] / narrow["error"] == pytest.approx(3, rel=0.15)


def test_judgements_of_one_pair_alone_are_worth_more_to_it():
    found = drawn(tournament(3, games=1500), "judge", more=200)
    near = found.table[~found.table["apart"] & (found.table["needed"] > 400)]
    assert len(near) and (near["alone"] > near["then"]).all()
    scores = drawn(campaign(2), "worker", more=100)
    assert np.isnan(scores.design_effect) and scores.judgements == 400


@pytest.mark.parametrize("make", [tournament, lambda seed: tournament(seed, games=400)])
def test_rows_in_any_order_and_the_same_seed_give_the_same_plan(make):
    frame = make(5)
    shuffled = frame.sample(frac=1, random_state=1)
    first, again, other = (drawn(x, "judge").table for x in (frame, frame, shuffled))
    pd.testing.assert_frame_equal(first, again, check_exact=True)
    pd.testing.assert_frame_equal(first, other)


def test_what_cannot_be_planned_is_refused():
    counts = counts_of(("x", "y", 4, 2, 0))
    with pytest.raises(DataError, match="more is 0"):
        drawn(counts, "comparison", more=0)
    with pytest.raises(DataError, match="chance 1"):
        drawn(counts, "comparison", chance=1)
    with pytest.raises(DataError, match=r"1 judge\(s\) to draw from"):
        drawn(compared(("x", "y", 1, 3), judge="j"), "judge")
