"""Ratings and rankings as preference models: what must hold for all, and their links."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged import REAL, counts_of
from scipy import optimize

from wmtlib import counts as counting
from wmtlib.errors import DataError
from wmtlib.models import LINKS, SWAPPED, perplexity
from wmtlib.ranking import RATING_MODELS

NAMES = ("a", "b", "c", "d")
COLUMNS = ["system_1", "system_2", "preference"]

every = pytest.mark.parametrize("fit", RATING_MODELS.values(), ids=RATING_MODELS.keys())
link = pytest.mark.parametrize("ties", LINKS)
few = settings(max_examples=settings().max_examples * 2 // 5)  # fits take milliseconds


def shown(*rows):
    """Comparisons from words like "ab1": a and b are shown, a is preferred."""
    return pd.DataFrame([(a, b, int(pi)) for a, b, pi in rows], columns=COLUMNS)


def rng():
    return np.random.default_rng(1)


PAIR = st.lists(st.sampled_from(NAMES), min_size=2, max_size=2, unique=True)
ROW = st.tuples(PAIR, st.integers(0, 2)).map(lambda row: (*row[0], row[1]))
FRAME = st.lists(ROW, max_size=30).map(lambda rows: pd.DataFrame(rows, columns=COLUMNS))


# --- what must hold for all of them ------------------------------------------------------------


@every
@few
@given(train=FRAME)
def test_probabilities_are_a_distribution_that_turns_with_the_pair(fit, train):
    model = fit(train, systems=NAMES, rng=rng())
    p = model.probabilities
    assert p.sum(axis=2) == pytest.approx(np.ones((4, 4)))
    assert (p > 0).all()  # nothing is impossible: the perplexity is finite on any test set
    np.testing.assert_allclose(p, p.swapaxes(0, 1)[..., SWAPPED], rtol=1e-9)


@every
@few
@given(train=FRAME, random=st.randoms(use_true_random=False))
def test_order_of_rows_of_systems_and_on_the_screen_does_not_matter(fit, train, random):
    rows = [
        (a, b, pi) if random.random() < 0.5 else (b, a, SWAPPED[pi])
        for a, b, pi in train.itertuples(index=False)
    ]
    random.shuffle(rows)
    p = fit(train, systems=NAMES, rng=rng()).probabilities
    again = fit(pd.DataFrame(rows, columns=COLUMNS), systems=NAMES[::-1], rng=rng())
    assert np.array_equal(again.probabilities, p)
    counted = fit(counting.count(train), systems=NAMES, rng=rng())
    assert np.array_equal(counted.probabilities, p)


@every
@few
@given(train=FRAME)
def test_a_stronger_system_wins_more_and_loses_less(fit, train):
    model = fit(train, systems=NAMES, rng=rng())
    order = np.argsort(model.strengths.to_numpy())
    win, lose = (model.probabilities[np.ix_(order, order)][..., k] for k in (1, 2))
    if (
        fit is RATING_MODELS["trueskill"]
    ):  # doubt about a skill blurs: only who is the favourite is certain
        assert (np.tril(win - lose, k=-1) >= -1e-12).all()
    else:
        assert (np.diff(win, axis=0) >= -1e-12).all()
        assert (np.diff(lose, axis=0) <= 1e-12).all()


@every
def test_a_system_never_compared_stands_at_the_mean(fit):
    model = fit(shown("ab1", "bc1", "ac1", "ab1", "ab0"), systems=NAMES, rng=rng())
    assert model.strengths["d"] == 0
    assert np.isfinite(model.probabilities).all()


@every
def test_a_system_that_never_lost_stays_finite(fit):
    train = counts_of(*(("a", b, 200, 0, 0) for b in "bcd"))
    model = fit(train, systems=NAMES, rng=rng())
    assert model.strengths.idxmax() == "a"
    assert 0.8 < model.probabilities[0, 1, 1] < 1


@every
@pytest.mark.parametrize("preference", [0, 1])
def test_ties_only_and_no_ties_leave_both_possible(fit, preference):
    train = shown(*[f"{pair}{preference}" for pair in ("ab", "bc", "cd", "da")] * 20)
    p = fit(train, systems=NAMES, rng=rng()).probabilities[0, 1]
    assert 0 < p[0] < 1
    assert (p[0] > 0.8) == (preference == 0)


@every
def test_nothing_to_train_on_makes_all_systems_equal(fit):
    model = fit(shown(), systems=NAMES, rng=rng())
    assert (model.strengths == 0).all()
    p = model.probabilities[0, 1]
    assert p[1] == p[2]
    if (
        fit is not RATING_MODELS["trueskill"]
    ):  # there the doubt about skills widens the spread, not the margin
        assert p == pytest.approx([1 / 3] * 3, abs=1e-6)


@every
@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ("a", "a preference model needs at least two systems; got 1"),
        ("aab", "system 'a' is named twice"),
        ("ab", "system 'c' is unknown; expected one of 2 systems"),
    ],
)
def test_bad_tracks_are_refused(fit, systems, message):
    with pytest.raises(DataError) as refused:
        fit(shown("ac1"), systems=systems, rng=rng())
    assert str(refused.value) == message


@every
def test_every_method_predicts_a_real_track_better_than_the_share_of_ties(fit):
    model = fit(REAL, systems=REAL.systems, rng=rng())
    tie = REAL.ties.to_numpy().sum() / 2 / REAL.comparisons
    entropy = -(tie * math.log2(tie) + (1 - tie) * math.log2((1 - tie) / 2))
    assert perplexity(model, REAL) < 2**entropy - 0.1


# --- links -------------------------------------------------------------------------------------


@link
@few
@given(d=st.floats(-4, 4), t=st.floats(0.1, 2), seen=st.tuples(*[st.integers(0, 5)] * 3))
def test_derivatives_are_those_of_finite_differences(ties, d, t, seen):
    def likelihood(at):
        return float(np.log(LINKS[ties].probabilities(np.array(at[0]), at[1])) @ seen)

    def slopes(at):
        found = LINKS[ties].derivatives(np.array([at[0]]), at[1], np.array(seen)[:, None])
        return np.array([found.d[0], found.t[0]])

    found = LINKS[ties].derivatives(np.array([d]), t, np.array(seen)[:, None])
    first = optimize.approx_fprime([d, t], likelihood, 1e-7)
    assert slopes([d, t]) == pytest.approx(first, rel=1e-4, abs=1e-4)
    second = np.array([[found.dd[0], found.dt[0]], [found.dt[0], found.tt[0]]])
    assert -second == pytest.approx(
        optimize.approx_fprime([d, t], slopes, 1e-7), rel=1e-4, abs=1e-4
    )


@link
@few
@given(d=st.floats(-700, 700, allow_nan=False), t=st.floats(1e-9, 50))
def test_links_are_distributions_however_far_apart_the_systems(ties, d, t):
    assert LINKS[ties].probabilities(np.array(d), t).sum() == pytest.approx(1)
    found = LINKS[ties].derivatives(np.array([d]), t, np.ones((3, 1)))
    assert all(np.isfinite(part).all() for part in found)


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        ("davidson", [math.exp(0.4), math.exp(0.5), math.exp(-0.5)]),
        ("rao-kupper", [None, 1 / (1 + math.exp(-0.6)), 1 / (1 + math.exp(1.4))]),
        ("glenn-david", [None, math.erfc(-0.6 / 2**0.5) / 2, math.erfc(1.4 / 2**0.5) / 2]),
    ],
)
def test_links_by_hand(ties, expected):
    """Strengths that differ by 1, tie parameter 0.4."""
    if ties == "davidson":
        expected = np.divide(expected, sum(expected))
    else:
        expected[0] = 1 - expected[1] - expected[2]
    assert LINKS[ties].probabilities(np.array(1.0), 0.4) == pytest.approx(expected)
