"""Preference models: formulas by hand, then what must hold for any comparisons."""

import math
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from examples import NAMES, REAL, counts_of, data_error, rng, shown
from wmtlib import bradley_terry, mfas, models, scorers
from wmtlib.core import counts as counting
from wmtlib.core.counts import SWAPPED, Counts
from wmtlib.models import (
    LINKS,
    from_scores,
    independent_students,
    mfas_places,
    perplexity,
)
from wmtlib.trueskill import trueskill

COLUMNS = ["system_1", "system_2", "preference"]
RECONSTRUCTIONS = ("asymmetric", "arithmetic", "geometric", "geometric-as-printed")
STUDENTS = {
    name: partial(independent_students, reconstruction=name) for name in RECONSTRUCTIONS
}
PRINTED = STUDENTS["geometric-as-printed"]
BASELINES = {
    "uniform": models.uniform,
    "adjusted-uniform": models.adjusted_uniform,
    "independent-pairs": models.independent_pairs,
    **STUDENTS,
}
RATED = {
    "bradley-terry": partial(bradley_terry.fit, ties="davidson"),
    "rao-kupper": partial(bradley_terry.fit, ties="rao-kupper"),
    "trueskill": trueskill,
    "bojar": partial(from_scores, scorers.bojar),
    "expected-wins": partial(from_scores, scorers.expected_wins),
    "mfas": partial(from_scores, mfas_places),
}
FITS = BASELINES | RATED

every = pytest.mark.parametrize("fit", FITS.values(), ids=FITS.keys())
every_rated = pytest.mark.parametrize("fit", RATED.values(), ids=RATED.keys())
every_link = pytest.mark.parametrize("link", LINKS.values(), ids=LINKS.keys())
# Some fits take milliseconds.
few = settings(max_examples=settings().max_examples * 2 // 5)


# Comparisons of four systems in the order shown, at least one of them.
PAIR = st.lists(st.sampled_from(NAMES), min_size=2, max_size=2, unique=True)
ROW = st.tuples(PAIR, st.integers(0, 2)).map(lambda row: (*row[0], row[1]))
FRAME = st.lists(ROW, min_size=1, max_size=30).map(
    lambda rows: pd.DataFrame(rows, columns=COLUMNS)
)

#      ties wins losses
# a       1    2      1
# b       1    2      2
# c       0    0      1      d met no one
TRAIN = shown("ab1", "ab1", "ba1", "ab0", "bc1")


def of(model, a, b):
    return model.probabilities[model.systems.index(a), model.systems.index(b)].tolist()


# --- by hand --------------------------------------------------------------------------


def test_tally_keeps_the_order_shown_and_both_ways_does_not():
    seen = counting.tally(TRAIN, NAMES)
    assert (seen.shape, seen.sum()) == ((4, 4, 3), 5)
    assert (seen[0, 1].tolist(), seen[1, 0].tolist()) == ([1, 2, 0], [0, 1, 0])
    both = counting.both_ways(seen)
    assert (both[0, 1].tolist(), both[1, 0].tolist()) == ([1, 2, 1], [1, 1, 2])
    counts = counting.counts_of(TRAIN)  # counts take pairs in order of name
    assert np.array_equal(counting.tally(counts, NAMES), counting.upper_pairs(both))
    mixed = Counts(*(t.loc[[*"cab"], [*"bca"]] for t in (counts.wins, counts.ties)))
    assert np.array_equal(counting.tally(mixed, NAMES), counting.upper_pairs(both))


def test_adjusted_uniform_by_hand():
    model = BASELINES["adjusted-uniform"](TRAIN, systems=NAMES)
    assert of(model, "d", "b") == pytest.approx([1 / 5, 2 / 5, 2 / 5])


def test_independent_pairs_by_hand():
    model = BASELINES["independent-pairs"](TRAIN, systems=NAMES)
    tie, won, lost = ((n + 1) / (4 + 3) for n in (1, 2, 1))
    assert of(model, "a", "b") == pytest.approx([tie, won, lost])
    assert of(model, "b", "a") == pytest.approx([tie, lost, won])
    assert of(model, "a", "d") == pytest.approx([1 / 3] * 3)


GEOMETRIC = [(2 / 7 * 2 / 8) ** 0.5, (3 / 7 * 3 / 8) ** 0.5, (2 / 7 * 3 / 8) ** 0.5]


@pytest.mark.parametrize(
    "reconstruction, expected",
    [
        ("asymmetric", [2 / 7, 3 / 7, 2 / 7]),
        ("arithmetic", [(2 / 7 + 2 / 8) / 2, (3 / 7 + 3 / 8) / 2, (2 / 7 + 3 / 8) / 2]),
        ("geometric-as-printed", GEOMETRIC),
        ("geometric", [g / sum(GEOMETRIC) for g in GEOMETRIC]),
    ],
)
def test_independent_students_by_hand(reconstruction, expected):
    """Q(.|a) = 2/7, 3/7, 2/7 and Q(.|b) = 2/8, 3/8, 3/8."""
    model = STUDENTS[reconstruction](TRAIN, systems=NAMES)
    assert of(model, "a", "b") == pytest.approx(expected)


# --- what must hold for any comparisons -----------------------------------------------


@every
@few
@given(train=FRAME)
def test_probabilities_are_distributions_and_symmetric(fit, train):
    p = fit(train, systems=NAMES, rng=rng()).probabilities
    total = p.sum(axis=2)
    assert total == pytest.approx(1) or (fit is PRINTED and (total <= 1 + 1e-12).all())
    # Nothing is impossible: the perplexity is finite on any test set.
    assert (p > 0).all() or fit is BASELINES["adjusted-uniform"]
    # Turning the pair around negates the preference.
    if fit is not STUDENTS["asymmetric"]:
        np.testing.assert_allclose(p, p.swapaxes(0, 1)[..., SWAPPED], rtol=1e-9)


@every
@few
@given(train=FRAME, random=st.randoms(use_true_random=False))
def test_order_of_rows_of_systems_and_on_the_screen_does_not_matter(fit, train, random):
    p = fit(train, systems=NAMES, rng=rng()).probabilities
    rows = [
        (a, b, pi) if random.random() < 0.5 else (b, a, SWAPPED[pi])
        for a, b, pi in train.itertuples(index=False)
    ]
    random.shuffle(rows)
    again = pd.DataFrame(rows, columns=COLUMNS)
    as_category = again.astype(dict.fromkeys(COLUMNS[:2], "category"))
    for same, systems in (
        (again, NAMES[::-1]),
        (counting.counts_of(train), [*NAMES]),
        (as_category, NAMES),
    ):
        assert np.array_equal(p, fit(same, systems=systems, rng=rng()).probabilities)


@pytest.mark.parametrize("fit", BASELINES.values(), ids=BASELINES.keys())
@few
@given(train=FRAME, test=FRAME)
def test_perplexity_is_that_of_a_plain_loop(fit, train, test):
    model = fit(train, systems=NAMES)
    product = math.prod(
        of(model, a, b)[pi] for a, b, pi in test.itertuples(index=False)
    )
    expected = product ** (-1 / len(test)) if product else math.inf
    assert perplexity(model, test) == pytest.approx(expected)


# --- the empty, the one-sided, the impossible -----------------------------------------


@pytest.mark.parametrize(
    "empty", [shown(), counting.counts_of(shown())], ids=["frame", "counts"]
)
def test_fit_without_training_is_refused_by_adjusted_uniform_alone(empty):
    for name, fit in FITS.items():
        if name == "adjusted-uniform":
            with data_error(r"^no comparison to train on: .* is 0/0$"):
                fit(empty, systems=NAMES)
            continue
        model = fit(empty, systems=NAMES, rng=rng())
        if name == "trueskill":
            # Its doubt about skills widens the spread, not the margin.
            assert of(model, "a", "b")[1] == of(model, "a", "b")[2]
        else:
            assert model.probabilities == pytest.approx(1 / 3, abs=1e-6)
        with data_error(r"^no comparison to test on"):
            perplexity(model, empty)


def test_adjusted_uniform_of_an_unseen_outcome_is_0():
    no_ties = BASELINES["adjusted-uniform"](shown("ab1"), systems=NAMES)
    assert perplexity(no_ties, shown("ab1")) == 2
    assert perplexity(no_ties, shown("ab1", "ab0")) == np.inf
    ties = BASELINES["adjusted-uniform"](shown("ab0"), systems=NAMES)
    assert perplexity(ties, shown("cd0")) == 1
    assert perplexity(ties, shown("cd2")) == np.inf


@every
def test_bad_tracks_are_refused(fit):
    with data_error(r"^a preference model needs at least two systems; got 1$"):
        fit(shown("ac1"), systems="a", rng=rng())
    with data_error(r"^system 'a' is named twice$"):
        fit(shown("ac1"), systems="aba", rng=rng())
    if fit is not models.uniform:  # it looks at no comparison
        with data_error(r"^no system 'c'; expected a, b$"):
            fit(shown("ac1"), systems="ab", rng=rng())


# --- models made of one strength per system -------------------------------------------


@every_rated
@few
@given(train=FRAME)
def test_a_stronger_system_wins_more_and_loses_less(fit, train):
    model = fit(train, systems=NAMES, rng=rng())
    order = np.argsort(model.strengths.to_numpy())
    win, lose = (model.probabilities[np.ix_(order, order)][..., k] for k in (1, 2))
    # Doubt about a skill blurs: only who is the favourite is certain.
    if fit is trueskill:
        assert (np.tril(win - lose, k=-1) >= -1e-12).all()
    else:
        assert (np.diff(win, axis=0) >= -1e-12).all()
        assert (np.diff(lose, axis=0) <= 1e-12).all()


@every_rated
def test_strength_of_undefeated_is_finite_and_of_uncompared_the_mean(fit):
    model = fit(
        counts_of(*(("a", b, 200, 0, 0) for b in "bc")), systems=NAMES, rng=rng()
    )
    assert model.strengths.idxmax() == "a"
    assert 0.8 < model.probabilities[0, 1, 1] < 1
    assert model.strengths["d"] == 0


@every_rated
@pytest.mark.parametrize("preference", [0, 1])
def test_ties_only_and_no_ties_leave_both_possible(fit, preference):
    train = shown(*[f"{pair}{preference}" for pair in ("ab", "bc", "cd", "da")] * 20)
    p = fit(train, systems=NAMES, rng=rng()).probabilities[0, 1]
    assert 0 < p[0] < 1
    assert (p[0] > 0.8) == (preference == 0)


# --- links and Newton's method --------------------------------------------------------


@every_link
@few
@given(
    d=st.floats(-4, 4), t=st.floats(0.1, 2), seen=st.tuples(*[st.integers(0, 5)] * 3)
)
def test_derivatives_are_those_of_finite_differences(link, d, t, seen):
    def likelihood(at):
        return float(np.log(link.probabilities(np.array(at[0]), at[1])) @ seen)

    def slopes(at):
        return np.ravel(
            link.derivatives(np.array([at[0]]), at[1], np.array(seen)[:, None])[:2]
        )

    *_, dd, dt, tt = link.derivatives(np.array([d]), t, np.array(seen)[:, None])
    first = optimize.approx_fprime([d, t], likelihood, 1e-7)
    assert slopes([d, t]) == pytest.approx(first, rel=1e-4, abs=1e-4)
    second = np.array([[dd[0], dt[0]], [dt[0], tt[0]]])
    assert -second == pytest.approx(
        optimize.approx_fprime([d, t], slopes, 1e-7), rel=1e-4, abs=1e-4
    )


@every_link
@few
@given(d=st.floats(-700, 700, allow_nan=False), t=st.floats(1e-9, 50))
def test_links_are_distributions_for_distant_systems(link, d, t):
    assert link.probabilities(np.array(d), t).sum() == pytest.approx(1)
    assert np.isfinite(link.derivatives(np.array([d]), t, np.ones((3, 1)))).all()


def test_large_systems_are_solved_by_halves():
    size = 3 * models.LEAF
    root = rng().normal(size=(2, size, size))
    matrix = root @ root.swapaxes(1, 2) + np.eye(size)
    right = rng(2).normal(size=(2, size, 1))
    solved = models.solve_by_halves(matrix, right)
    np.testing.assert_allclose(matrix @ solved, right, atol=1e-8)


def test_links_by_hand():
    """Strengths that differ by 1, tie parameter 0.4."""
    davidson = np.array([math.exp(0.4), math.exp(0.5), math.exp(-0.5)])
    rao_kupper = 1 / (1 + math.exp(-0.6)), 1 / (1 + math.exp(1.4))
    found = {
        name: link.probabilities(np.array(1.0), 0.4) for name, link in LINKS.items()
    }
    assert found["davidson"] == pytest.approx(davidson / davidson.sum())
    assert found["rao-kupper"] == pytest.approx([1 - sum(rao_kupper), *rao_kupper])


# --- scores and orders as preference models -------------------------------------------


def test_from_scores_is_invariant_to_rising_lines_only():
    def fit(score):
        return from_scores(score, REAL, systems=REAL.systems, rng=rng())

    eq1 = scorers.wmt_official
    line = fit(lambda *counts: 7 * eq1(*counts) - 3)
    np.testing.assert_allclose(line.probabilities, fit(eq1).probabilities, rtol=1e-4)
    assert (fit(lambda *counts: -eq1(*counts)).strengths == 0).all()


def test_places_are_those_of_the_proven_order_or_of_the_best_one_found():
    order = mfas.exact_order(REAL.wins).order
    (places,) = models.mfas_places(
        REAL.wins.to_numpy()[None], REAL.ties.to_numpy()[None]
    )
    assert [sorted(order)[k] for k in np.argsort(-places)] == [*order]
    n = models.PROVABLE + 5
    chain = np.triu(np.full((1, n, n), 2), k=1) + np.tri(n, k=-1, dtype=int)
    (places,) = models.mfas_places(chain, 0 * chain)
    assert places.tolist() == [*range(n, 0, -1)]


def test_from_scores_of_equal_scores_gives_the_share_of_ties():
    """Six ties of two systems, and for each a sixth of a tie, a win and a loss more."""
    model = RATED["bojar"](shown(*["ab0"] * 6), systems="ab", rng=rng())
    assert (model.strengths == 0).all()
    assert model.probabilities[0, 1, 0] == pytest.approx((6 + 1 / 3) / 7)


def test_slope_and_radius_by_a_search_over_both():
    """The likelihood of the held-out fifths, dealt alike, has no higher point."""
    train = shown(*["ab1", "ab2", "bc1", "ac1", "ac0", "cb2", "ab1", "ac1"] * 5)
    model = RATED["expected-wins"](train, systems="abc", rng=rng())
    seen = counting.upper_pairs(counting.both_ways(counting.tally(train, tuple("abc"))))
    cell = np.repeat(np.arange(27), seen.ravel())
    part = rng().permutation(len(cell)) % models.FOLDS

    def standard(kept):
        both = counting.both_ways(np.bincount(kept, minlength=27).reshape(3, 3, 3))
        score = scorers.expected_wins(both[..., 1], both[..., 0])
        return (score - score.mean()) / score.std()

    whole = standard(cell)
    scores = [standard(cell[part != k]) for k in range(models.FOLDS)]

    def loss(at):
        slope, radius = at
        q = LINKS["rao-kupper"].probabilities
        total = -0.5 / 3 * np.log(q(slope * whole, radius)).sum()
        for k, c in zip(part, cell, strict=True):
            (a, b), pi = divmod(c // 3, 3), c % 3
            total -= np.log(q(slope * (scores[k][a] - scores[k][b]), radius)[pi])
        return total

    best = optimize.minimize(
        loss, [0.5, 0.5], method="Nelder-Mead", options={"xatol": 1e-7}
    )
    assert model.strengths.to_numpy() == pytest.approx(best.x[0] * whole, abs=1e-4)
    assert model.tie == pytest.approx(best.x[1], abs=1e-4)


def test_perplexity_by_hand():
    model = BASELINES["adjusted-uniform"](TRAIN, systems=NAMES)
    test = shown("ab1", "ba1", "cb0", "da2")  # three preferences at 2/5, one tie at 1/5
    assert perplexity(model, test) == pytest.approx(((2 / 5) ** 3 / 5) ** (-1 / 4))
