"""Cycles by chance: the worlds' margins, and what the best order of them violates."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from examples import compared
from study.beyond.cycles import share_as_large
from study.beyond.transitive_worlds import least_violated, log_odds, margins, worlds
from wmtlib.core.counts import COMPARISON, TIE, comparisons
from wmtlib.core.sampling import resampler
from wmtlib.mfas import exact_order

ORDERS = [*permutations("abcd")]


def rankings(weights, number, seed):
    """Strict rankings of four systems: orders, drawn by their weights."""
    rng = np.random.default_rng(seed)
    drawn = rng.choice(len(ORDERS), number, p=weights / weights.sum())
    system = np.array(ORDERS)[drawn].ravel()
    frame = pd.DataFrame({"ranking": np.repeat(np.arange(number), 4), "system": system})
    return comparisons(frame.assign(rank=np.tile([1, 2, 3, 4], number)))


def better_first(slope):
    """Weights of orders in which "a" tends to stand before "b", and so on."""
    places = np.array([[order.index(name) for name in "abcd"] for order in ORDERS])
    return np.exp(-slope * places @ [3, 2, 1, 0])


def test_worlds_have_the_expected_margins_and_the_noise_of_rankings():
    frame = rankings(better_first(0.2), 300, seed=1)
    judgements = resampler(frame, None, "ranking")
    odds = log_odds(judgements.whole)
    rng = np.random.default_rng(2)
    drawn = np.stack([*worlds(judgements, odds, 2000, rng)])
    assert np.array_equal(drawn, -drawn.swapaxes(1, 2)) and drawn.dtype == np.int64
    expected = 300 * np.tanh(odds / 2)
    assert np.abs(drawn.mean(axis=0) - expected).max() < 2
    # Wins of a system over the three others add up within a ranking: they depend on
    # one another, so their sum varies more than that of 900 comparisons one by one.
    single = resampler(frame, None, COMPARISON)
    alone = np.stack([*worlds(single, odds, 2000, rng)])
    assert drawn[:, 0].sum(axis=1).var() > 1.3 * alone[:, 0].sum(axis=1).var()


KINDS = {(3, 0): 80, (1, 1): 20, (0, 2): 10}  # wins and losses: rankings
SINGLE = {(1, 0): 260, (0, 1): 40}  # the same, one by one


@pytest.mark.parametrize(("unit", "kinds"), [("ranking", KINDS), (COMPARISON, SINGLE)])
def test_worlds_margin_has_the_variance_of_theory(unit, kinds):
    # A unit adds sign (wins (1 - t) - losses (1 + t)): the variance of a lopsided pair
    # is the sum of the squares, far less than that of sign (wins - losses).
    frames = []
    for (wins, losses), number in KINDS.items():
        for _ in range(number):
            rows = [("x", "y", 1, wins), ("x", "y", 2, losses)]
            rows = [row for row in rows if row[3]]
            frames.append(compared(*rows, ranking=len(frames)))
    judgements = resampler(pd.concat(frames), None, unit)
    odds = log_odds(judgements.whole)
    rate = np.tanh(odds[0, 1] / 2)
    drawn = [*worlds(judgements, odds, 2000, np.random.default_rng(1))]
    margin = np.array(drawn)[:, 0, 1]
    assert margin.mean() == pytest.approx(300 * rate, abs=1)
    squares = [
        number * (wins * (1 - rate) - losses * (1 + rate)) ** 2
        for (wins, losses), number in kinds.items()
    ]
    assert margin.var() == pytest.approx(sum(squares), rel=0.1)


def test_strengths_have_the_virtual_comparisons_of_the_prior():
    # x won all of three: d is where 3 (1 - s(d)) = 4 s(d / 2) - 2, s the logistic
    # function, for each system won and lost two of four against strength zero.
    judgements = resampler(compared(("x", "y", 1, 3)), None, COMPARISON)
    apart = log_odds(judgements.whole)[0, 1]
    assert 3 * (1 - expit(apart)) == pytest.approx(4 * expit(apart / 2) - 2)


def test_ties_say_nothing_of_strength():
    frame = rankings(better_first(0.2), 30, seed=1)
    tied = frame.assign(preference=TIE)
    both = pd.concat([frame, tied])
    alone, with_ties = (resampler(f, None, COMPARISON).whole for f in (frame, both))
    np.testing.assert_allclose(log_odds(with_ties), log_odds(alone))


def violated(frame, number=199):
    """Least violated weight of rankings, and of worlds with a true order."""
    judgements = resampler(frame, None, "ranking")
    odds = log_odds(judgements.whole)
    [[margin, _]] = margins(judgements.whole)
    drawn = worlds(judgements, odds, number, np.random.default_rng(4))
    least, *of_worlds = map(least_violated, [margin, *drawn])
    return least, np.array(of_worlds)


def test_worlds_of_a_true_order_violate_as_much_and_of_a_cycle_less():
    least, of_worlds = violated(rankings(better_first(0.1), 200, seed=3))
    assert share_as_large(of_worlds, least) > 0.05
    turns = np.array([float("".join(order) in "abcdabc") for order in ORDERS])
    least, of_worlds = violated(rankings(1 + 9 * turns, 200, seed=3))
    assert share_as_large(of_worlds, least) == 1 / 200


def test_worlds_are_the_same_whatever_the_rows_and_the_names():
    frame = rankings(better_first(0.1), 60, seed=5)
    again = frame.sample(frac=1, random_state=1)
    renamed = frame.assign(ranking=-frame["ranking"])
    _, first = violated(frame)
    for other in (again, renamed):
        assert np.array_equal(first, violated(other)[1])


@given(st.integers(0, 10**6), st.integers(2, 9))
def test_least_violated_is_what_the_exact_order_costs(seed, n):
    wins = np.random.default_rng(seed).integers(0, 9, (n, n))
    assert least_violated(wins - wins.T) == exact_order(wins).cost
