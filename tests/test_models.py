"""Preference models: the formulas worked by hand, then what must hold for any comparisons."""

import math
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged import REAL, counts_of, rng
from scipy import optimize

from wmtlib import bradley_terry, mfas, models, ranking, scorers
from wmtlib import counts as counting
from wmtlib.counts import SWAPPED, Counts
from wmtlib.errors import DataError
from wmtlib.models import (
    LINKS,
    RECONSTRUCTIONS,
    PreferenceModel,
    from_scores,
    independent_students,
    mfas_places,
    perplexity,
)
from wmtlib.study.later.wmt16_ranges import GLENN_DAVID
from wmtlib.trueskill import trueskill

NAMES = ("a", "b", "c", "d")
COLUMNS = ["system_1", "system_2", "preference"]
STUDENTS = {name: partial(independent_students, reconstruction=name) for name in RECONSTRUCTIONS}
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
ALL_LINKS = {**LINKS, "glenn-david": GLENN_DAVID["ties"]}

every = pytest.mark.parametrize("fit", FITS.values(), ids=FITS.keys())
baseline = pytest.mark.parametrize("fit", BASELINES.values(), ids=BASELINES.keys())
every_rated = pytest.mark.parametrize("fit", RATED.values(), ids=RATED.keys())
every_link = pytest.mark.parametrize("link", ALL_LINKS.values(), ids=ALL_LINKS.keys())
few = settings(max_examples=settings().max_examples * 2 // 5)  # some fits take milliseconds


def shown(*rows):
    """Comparisons from words like "ab1": a and b are shown, a is preferred."""
    return pd.DataFrame([(a, b, int(pi)) for a, b, pi in rows], columns=COLUMNS)


# Comparisons of four systems in the order shown, at least one of them.
PAIR = st.lists(st.sampled_from(NAMES), min_size=2, max_size=2, unique=True)
ROW = st.tuples(PAIR, st.integers(0, 2)).map(lambda row: (*row[0], row[1]))
FRAME = st.lists(ROW, min_size=1, max_size=30).map(lambda rows: pd.DataFrame(rows, columns=COLUMNS))

#      ties wins losses
# a       1    2      1
# b       1    2      2
# c       0    0      1      d met no one
TRAIN = shown("ab1", "ab1", "ba1", "ab0", "bc1")


def of(model, a, b):
    return model.probabilities[model.systems.index(a), model.systems.index(b)].tolist()


# --- by hand -----------------------------------------------------------------------------------


def test_tally_keeps_the_order_on_the_screen_and_both_ways_forgets_it():
    seen = models.tally(TRAIN, NAMES)
    assert (seen.shape, seen.sum()) == ((4, 4, 3), 5)
    assert seen[0, 1].tolist() == [1, 2, 0]
    assert seen[1, 0].tolist() == [0, 1, 0]
    both = models.both_ways(seen)
    assert both[0, 1].tolist() == [1, 2, 1]
    assert both[1, 0].tolist() == [1, 1, 2]


def test_tally_of_counts_takes_pairs_in_order_of_name():
    seen = models.tally(counting.counts(TRAIN), NAMES)
    assert seen[0, 1].tolist() == [1, 2, 1]
    assert seen[1, 0].tolist() == [0, 0, 0]


def test_adjusted_uniform_by_hand():
    model = BASELINES["adjusted-uniform"](TRAIN, systems=NAMES)
    assert of(model, "d", "b") == pytest.approx([1 / 5, 2 / 5, 2 / 5])


@pytest.mark.parametrize("alpha", [0.5, 1, 2])
def test_independent_pairs_by_hand(alpha):
    model = BASELINES["independent-pairs"](TRAIN, systems=NAMES, alpha=alpha)
    tie, won, lost = ((n + alpha) / (4 + 3 * alpha) for n in (1, 2, 1))
    assert of(model, "a", "b") == pytest.approx([tie, won, lost])
    assert of(model, "b", "a") == pytest.approx([tie, lost, won])
    assert of(model, "a", "d") == pytest.approx([1 / 3] * 3)


GEOMETRIC = [(2 / 7 * 2 / 8) ** 0.5, (3 / 7 * 3 / 8) ** 0.5, (2 / 7 * 3 / 8) ** 0.5]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"reconstruction": "asymmetric"}, [2 / 7, 3 / 7, 2 / 7]),
        (
            {"reconstruction": "arithmetic"},
            [(2 / 7 + 2 / 8) / 2, (3 / 7 + 3 / 8) / 2, (2 / 7 + 3 / 8) / 2],
        ),
        ({"reconstruction": "geometric-as-printed"}, GEOMETRIC),
        ({"reconstruction": "geometric"}, [g / sum(GEOMETRIC) for g in GEOMETRIC]),
        ({"reconstruction": "asymmetric", "alpha": 2}, [3 / 10, 4 / 10, 3 / 10]),
    ],
    ids=str,
)
def test_independent_students_by_hand(settings, expected):
    """Q(.|a) = 2/7, 3/7, 2/7 and Q(.|b) = 2/8, 3/8, 3/8."""
    model = independent_students(TRAIN, systems=NAMES, **settings)
    assert of(model, "a", "b") == pytest.approx(expected)


def test_perplexity_by_hand():
    model = BASELINES["adjusted-uniform"](TRAIN, systems=NAMES)
    test = shown("ab1", "ba1", "cb0", "da2")  # three preferences at 2/5, one tie at 1/5
    assert perplexity(model, test) == pytest.approx(((2 / 5) ** 3 / 5) ** (-1 / 4))


def test_only_the_asymmetric_model_minds_which_system_was_shown_first():
    won, same = shown("ab1"), shown("ba2")
    for name, fit in BASELINES.items():
        model = fit(TRAIN, systems=NAMES)
        if name == "asymmetric":
            assert perplexity(model, won) == pytest.approx(7 / 3)  # a won, of a's 7
            assert perplexity(model, same) == pytest.approx(8 / 3)  # b lost, of b's 8
        else:
            assert perplexity(model, won) == pytest.approx(perplexity(model, same))


# --- what must hold for any comparisons --------------------------------------------------------


@every
@few
@given(train=FRAME)
def test_probabilities_sum_to_one_unless_the_printed_formula_does_not(fit, train):
    p = fit(train, systems=NAMES, rng=rng()).probabilities
    if fit is PRINTED:
        assert (p.sum(axis=2) <= 1 + 1e-12).all()
    else:
        assert p.sum(axis=2) == pytest.approx(np.ones((4, 4)))
    if fit is not BASELINES["adjusted-uniform"]:
        assert (p > 0).all()  # nothing is impossible: the perplexity is finite on any test set
    if fit is not STUDENTS["asymmetric"]:  # turning the pair around negates the preference
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
    as_category = again.astype({"system_1": "category", "system_2": "category"})
    for same, systems in (
        (again, NAMES[::-1]),
        (counting.counts(train), [*NAMES]),
        (as_category, NAMES),
    ):
        assert np.array_equal(p, fit(same, systems=systems, rng=rng()).probabilities)


@baseline
@few
@given(train=FRAME, renamed=st.permutations(NAMES))
def test_relabelling_systems_relabels_the_model(fit, train, renamed):
    to = dict(zip(NAMES, renamed, strict=True))
    again = fit(train.assign(**{c: train[c].map(to) for c in COLUMNS[:2]}), systems=NAMES)
    place = [NAMES.index(name) for name in renamed]
    expected = fit(train, systems=NAMES).probabilities
    np.testing.assert_allclose(again.probabilities[np.ix_(place, place)], expected, rtol=1e-12)


@given(train=FRAME, test=FRAME)
def test_the_uniform_model_has_perplexity_three(train, test):
    assert perplexity(BASELINES["uniform"](train, systems=NAMES), test) == pytest.approx(
        3, rel=1e-14
    )


@baseline
@few
@given(train=FRAME, test=FRAME)
def test_perplexity_is_that_of_a_plain_loop(fit, train, test):
    model = fit(train, systems=NAMES)
    product = math.prod(of(model, a, b)[pi] for a, b, pi in test.itertuples(index=False))
    expected = product ** (-1 / len(test)) if product else math.inf
    assert perplexity(model, test) == pytest.approx(expected)


@baseline
@few
@given(train=FRAME, test=FRAME)
def test_nothing_predicts_better_than_the_frequencies_of_the_test_set(fit, train, test):
    """Gibbs' inequality, for the frequencies of each pair in the order shown."""
    seen = models.tally(test, NAMES)
    met = seen.sum(axis=2, keepdims=True)
    best = PreferenceModel(NAMES, np.where(met > 0, seen / np.maximum(met, 1), 1 / 3))
    assert perplexity(best, test) <= perplexity(fit(train, systems=NAMES), test) + 1e-12


@given(train=FRAME, test=FRAME)
def test_the_printed_geometric_formula_predicts_worse_by_the_sum_that_it_lacks(train, test):
    normalised = STUDENTS["geometric"](train, systems=NAMES)
    printed = PRINTED(train, systems=NAMES)
    place = [[NAMES.index(name) for name in test[c]] for c in COLUMNS[:2]]
    total = printed.probabilities.sum(axis=2)[tuple(place)]
    factor = 2 ** np.mean(np.log2(total))
    assert factor <= 1 + 1e-12
    assert perplexity(normalised, test) == pytest.approx(perplexity(printed, test) * factor)


@pytest.mark.parametrize("name", [n for n in BASELINES if "uniform" not in n])
@given(train=FRAME)
def test_a_great_deal_of_smoothing_leaves_the_uniform_model(name, train):
    p = BASELINES[name](train, systems=NAMES, alpha=1e9).probabilities
    assert p == pytest.approx(np.full((4, 4, 3), 1 / 3))


@baseline
@few
@given(train=FRAME)
def test_what_was_given_is_left_as_it_was_and_the_result_cannot_be_changed(fit, train):
    before = train.copy()
    model = fit(train, systems=NAMES)
    perplexity(model, train)
    pd.testing.assert_frame_equal(train, before)
    with pytest.raises(ValueError, match="read-only"):
        model.probabilities[0, 1, 0] = 1


def test_a_model_is_safe_from_changes_of_the_array_it_was_made_of():
    p = np.full((2, 2, 3), 1 / 3)
    model = PreferenceModel(("a", "b"), p)
    p[:] = 0
    assert of(model, "a", "b") == [1 / 3] * 3


# --- the empty, the one-sided, the impossible --------------------------------------------------


@pytest.mark.parametrize("empty", [shown(), counting.counts(shown())], ids=["frame", "counts"])
def test_without_training_only_the_adjusted_uniform_has_nothing_to_say(empty):
    for name, fit in BASELINES.items():
        if name == "adjusted-uniform":
            with pytest.raises(DataError, match=r"^no comparison to train on: .* is 0/0$"):
                fit(empty, systems=NAMES)
        else:
            assert fit(empty, systems=NAMES).probabilities == pytest.approx(1 / 3)


def test_what_the_adjusted_uniform_never_saw_is_impossible_and_said_to_be():
    no_ties = BASELINES["adjusted-uniform"](shown("ab1"), systems=NAMES)
    assert perplexity(no_ties, shown("ab1")) == 2
    assert perplexity(no_ties, shown("ab1", "ab0")) == np.inf
    ties = BASELINES["adjusted-uniform"](shown("ab0"), systems=NAMES)
    assert perplexity(ties, shown("cd0")) == 1
    assert perplexity(ties, shown("cd2")) == np.inf


@pytest.mark.parametrize("empty", [shown(), counting.counts(shown())], ids=["frame", "counts"])
def test_perplexity_of_nothing_is_refused(empty):
    model = BASELINES["uniform"](TRAIN, systems=NAMES)
    with pytest.raises(DataError, match=r"^no comparison to test on"):
        perplexity(model, empty)


BAD_ROWS = {
    "xb1": "system 'x' is unknown; expected one of 4 systems",
    "aa1": "system 'a' is compared with itself",
    "ab3": "a preference is neither 0 (tie), 1 nor 2",
}


@pytest.mark.parametrize(("row", "message"), BAD_ROWS.items(), ids=str)
def test_bad_comparisons_are_refused_in_training_and_in_testing(row, message):
    bad = shown("ab1", row)
    for use in (
        lambda: BASELINES["independent-pairs"](bad, systems=NAMES),
        lambda: perplexity(BASELINES["uniform"](TRAIN, systems=NAMES), bad),
    ):
        with pytest.raises(DataError) as refused:
            use()
        assert str(refused.value) == message


def test_names_and_preferences_that_are_missing_are_refused():
    lacking = shown("ab1", "ab1").astype({"preference": float})
    with pytest.raises(DataError, match=r"^a preference is neither"):
        models.tally(lacking.assign(preference=[1, np.nan]), NAMES)
    with pytest.raises(DataError, match=r"^a comparison lacks the name of a system"):
        models.tally(lacking.assign(system_1=["a", None]), NAMES)


def test_counts_of_an_unknown_system_are_refused():
    model = BASELINES["uniform"](TRAIN, systems="ab")
    with pytest.raises(DataError, match=r"^system 'c' is unknown; expected one of 2 systems$"):
        perplexity(model, counting.counts(TRAIN))


def test_counts_in_any_order_of_systems_are_the_same_counts():
    counts = counting.counts(TRAIN)
    other = Counts(*(t.loc[[*"cab"], [*"bca"]] for t in (counts.wins, counts.ties)))
    assert np.array_equal(models.tally(other, NAMES), models.tally(counts, NAMES))


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ([], "a preference model needs at least two systems; got 0"),
        (["a"], "a preference model needs at least two systems; got 1"),
        (["a", "b", "a"], "system 'a' is named twice"),
        ("ab", "system 'c' is unknown; expected one of 2 systems"),
    ],
    ids=str,
)
@every
def test_bad_tracks_are_refused(fit, systems, message):
    if systems == "ab" and fit is models.uniform:
        return  # it looks at no comparison
    with pytest.raises(DataError) as refused:
        fit(shown("ac1"), systems=systems, rng=rng())
    assert str(refused.value) == message


@pytest.mark.parametrize("alpha", [0, -1, np.inf, np.nan])
def test_bad_smoothing_is_refused(alpha):
    for fit in (BASELINES["independent-pairs"], STUDENTS["geometric"]):
        with pytest.raises(DataError, match=r"^alpha, the strength .*, is .*; expected > 0"):
            fit(TRAIN, systems=NAMES, alpha=alpha)


def test_an_unknown_reconstruction_is_refused():
    with pytest.raises(DataError) as refused:
        independent_students(TRAIN, systems=NAMES, reconstruction="harmonic")
    expected = "asymmetric, arithmetic, geometric, geometric-as-printed"
    assert str(refused.value) == f"reconstruction is 'harmonic'; expected {expected}"


THIRD = np.full((2, 2, 3), 1 / 3)


@pytest.mark.parametrize(
    ("systems", "probabilities", "message"),
    [
        ("ba", THIRD, "the systems of a preference model are not in sorted order"),
        ("abc", THIRD, r"probabilities: expected an array \(3, 3, 3\) of finite numbers from 0"),
        ("ab", THIRD - 1, r"probabilities: expected an array \(2, 2, 3\) of finite numbers from 0"),
        ("ab", THIRD * np.nan, r"probabilities: .* of finite numbers from 0"),
        ("ab", THIRD * 1.001, "the probabilities of a pair sum to more than one"),
    ],
    ids=range(5),
)
def test_what_is_no_preference_model_is_refused(systems, probabilities, message):
    with pytest.raises(DataError, match=f"^{message}$"):
        PreferenceModel(tuple(systems), probabilities)


# --- models made of one strength per system ----------------------------------------------------


@every_rated
@few
@given(train=FRAME)
def test_a_stronger_system_wins_more_and_loses_less(fit, train):
    model = fit(train, systems=NAMES, rng=rng())
    order = np.argsort(model.strengths.to_numpy())
    win, lose = (model.probabilities[np.ix_(order, order)][..., k] for k in (1, 2))
    if fit is trueskill:  # doubt about a skill blurs: only who is the favourite is certain
        assert (np.tril(win - lose, k=-1) >= -1e-12).all()
    else:
        assert (np.diff(win, axis=0) >= -1e-12).all()
        assert (np.diff(lose, axis=0) <= 1e-12).all()


@every_rated
def test_a_system_never_compared_stands_at_the_mean(fit):
    model = fit(shown("ab1", "bc1", "ac1", "ab1", "ab0"), systems=NAMES, rng=rng())
    assert model.strengths["d"] == 0
    assert np.isfinite(model.probabilities).all()


@every_rated
def test_a_system_that_never_lost_stays_finite(fit):
    train = counts_of(*(("a", b, 200, 0, 0) for b in "bcd"))
    model = fit(train, systems=NAMES, rng=rng())
    assert model.strengths.idxmax() == "a"
    assert 0.8 < model.probabilities[0, 1, 1] < 1


@every_rated
@pytest.mark.parametrize("preference", [0, 1])
def test_ties_only_and_no_ties_leave_both_possible(fit, preference):
    train = shown(*[f"{pair}{preference}" for pair in ("ab", "bc", "cd", "da")] * 20)
    p = fit(train, systems=NAMES, rng=rng()).probabilities[0, 1]
    assert 0 < p[0] < 1
    assert (p[0] > 0.8) == (preference == 0)


@every_rated
def test_nothing_to_train_on_makes_all_systems_equal(fit):
    model = fit(shown(), systems=NAMES, rng=rng())
    assert (model.strengths == 0).all()
    p = model.probabilities[0, 1]
    assert p[1] == p[2]
    if fit is not trueskill:  # there the doubt about skills widens the spread, not the margin
        assert p == pytest.approx([1 / 3] * 3, abs=1e-6)


@every_rated
def test_every_method_predicts_a_real_track_better_than_the_share_of_ties(fit):
    model = fit(REAL, systems=REAL.systems, rng=rng())
    tie = REAL.ties.to_numpy().sum() / 2 / REAL.comparisons
    entropy = -(tie * math.log2(tie) + (1 - tie) * math.log2((1 - tie) / 2))
    assert perplexity(model, REAL) < 2**entropy - 0.1


# --- links and Newton's method -----------------------------------------------------------------


@every_link
@few
@given(d=st.floats(-4, 4), t=st.floats(0.1, 2), seen=st.tuples(*[st.integers(0, 5)] * 3))
def test_derivatives_are_those_of_finite_differences(link, d, t, seen):
    def likelihood(at):
        return float(np.log(link.probabilities(np.array(at[0]), at[1])) @ seen)

    def slopes(at):
        return np.ravel(link.derivatives(np.array([at[0]]), at[1], np.array(seen)[:, None])[0])

    _, (dd, dt, tt) = link.derivatives(np.array([d]), t, np.array(seen)[:, None])
    first = optimize.approx_fprime([d, t], likelihood, 1e-7)
    assert slopes([d, t]) == pytest.approx(first, rel=1e-4, abs=1e-4)
    second = np.array([[dd[0], dt[0]], [dt[0], tt[0]]])
    assert -second == pytest.approx(
        optimize.approx_fprime([d, t], slopes, 1e-7), rel=1e-4, abs=1e-4
    )


@every_link
@few
@given(d=st.floats(-700, 700, allow_nan=False), t=st.floats(1e-9, 50))
def test_links_are_distributions_however_far_apart_the_systems(link, d, t):
    assert link.probabilities(np.array(d), t).sum() == pytest.approx(1)
    slopes, bends = link.derivatives(np.array([d]), t, np.ones((3, 1)))
    assert np.isfinite([*slopes, *bends]).all()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("davidson", [math.exp(0.4), math.exp(0.5), math.exp(-0.5)]),
        ("rao-kupper", [None, 1 / (1 + math.exp(-0.6)), 1 / (1 + math.exp(1.4))]),
        ("glenn-david", [None, math.erfc(-0.6 / 2**0.5) / 2, math.erfc(1.4 / 2**0.5) / 2]),
    ],
)
def test_links_by_hand(name, expected):
    """Strengths that differ by 1, tie parameter 0.4."""
    if name == "davidson":
        expected = np.divide(expected, sum(expected))
    else:
        expected[0] = 1 - expected[1] - expected[2]
    assert ALL_LINKS[name].probabilities(np.array(1.0), 0.4) == pytest.approx(expected)


def maximum(slope, start):
    """The maximum of log s(x) + log s(slope - x) for several starting points; s is logistic.

    The tie parameter has a maximum of its own at 2, whatever x is.
    """

    def derivatives(theta, todo):
        x, t = theta.T
        up, down = 1 / (1 + np.exp(x)), 1 / (1 + np.exp(slope - x))
        curvature = np.zeros((len(x), 2, 2))
        curvature[:, 0, 0], curvature[:, 1, 1] = up * (1 - up) + down * (1 - down), 1.0
        return np.stack([up - down, 2 - t], axis=1), curvature

    begin = np.stack([start, np.full(len(start), 0.5)], axis=1)
    return models.maximise(derivatives, begin, total=np.zeros(len(start)), positive_tie=True)


def test_the_maximum_is_found_from_far_away():
    assert maximum(3.0, [0.0, 30.0, -500.0]) == pytest.approx(np.array([[1.5, 2.0]] * 3))


def test_a_function_without_a_maximum_is_refused():
    with np.errstate(over="ignore"), pytest.raises(DataError, match="has not settled"):
        maximum(np.inf, [0.0])


# --- scores and orders as preference models ----------------------------------------------------


def test_a_score_is_as_good_as_any_increasing_line_through_it():
    def fit(score):
        return from_scores(score, REAL, systems=REAL.systems, rng=rng()).probabilities

    eq1 = scorers.wmt_official
    np.testing.assert_allclose(fit(lambda *c: 7 * eq1(*c) - 3), fit(eq1), rtol=1e-4)


def test_a_score_that_is_the_wrong_way_round_is_given_no_weight():
    model = from_scores(
        lambda *counts: -scorers.wmt_official(*counts),
        REAL,
        systems=REAL.systems,
        rng=rng(),
    )
    assert (model.strengths == 0).all()
    p = model.probabilities.reshape(-1, 3)
    assert p == pytest.approx(np.broadcast_to(p[0], p.shape))


def test_strengths_stand_in_the_order_of_the_score():
    model = RATED["mfas"](REAL, systems=REAL.systems, rng=rng())
    (places,) = models.mfas_places(*(t.to_numpy()[None] for t in (REAL.wins, REAL.ties)))
    order = np.array(REAL.systems)[np.argsort(places)]
    gaps = model.strengths[order].diff().dropna()
    assert gaps.to_numpy() == pytest.approx(np.full(len(gaps), gaps.iloc[0]))
    assert gaps.iloc[0] > 0


def test_places_are_those_of_the_proven_order_or_of_the_best_one_found():
    order = mfas.solve(REAL.wins).order
    (places,) = models.mfas_places(REAL.wins.to_numpy()[None], REAL.ties.to_numpy()[None])
    assert [sorted(order)[k] for k in np.argsort(-places)] == [*order]
    n = models.PROVABLE + 5
    chain = np.triu(np.full((1, n, n), 2), k=1) + np.tri(n, k=-1, dtype=int)
    (places,) = models.mfas_places(chain, 0 * chain)
    assert places.tolist() == [*range(n, 0, -1)]


def test_a_score_is_not_trusted_on_the_comparisons_it_was_made_of():
    """Of systems that are all alike, a fit to its own training data would tell some apart."""
    random = np.random.default_rng(5)
    slopes = []
    for _ in range(20):
        a, b = np.triu_indices(12, k=1)
        wins = np.zeros((12, 12), dtype=int)
        wins[a, b] = random.binomial(2, 0.5, len(a))
        wins[b, a] = 2 - wins[a, b]
        names = [f"s{k:02}" for k in range(12)]
        train = Counts(pd.DataFrame(wins, names, names), pd.DataFrame(0 * wins, names, names))
        model = RATED["bojar"](train, systems=names, rng=random)
        slopes.append(model.strengths.std())
    assert np.median(slopes) < 0.1  # fitted to its own comparisons: about 0.5


def test_scores_that_are_all_alike_leave_the_share_of_ties():
    """Six ties of two systems, and for each of the two a sixth of a tie, a win and a loss more."""
    model = RATED["bojar"](shown(*["ab0"] * 6), systems="ab", rng=rng())
    assert (model.strengths == 0).all()
    assert model.probabilities[0, 1, 0] == pytest.approx((6 + 1 / 3) / 7)


def test_slope_and_radius_by_a_search_over_both():
    """The likelihood of the held-out fifths, with the same deal, has no higher point."""
    train = shown(*["ab1", "ab2", "bc1", "ac1", "ac0", "cb2", "ab1", "ac1"] * 5)
    model = RATED["expected-wins"](train, systems="abc", rng=rng())
    seen = models.once(models.both_ways(models.tally(train, tuple("abc"))))
    cell = np.repeat(np.arange(27), seen.ravel())
    part = rng().permutation(len(cell)) % models.FOLDS

    def standard(kept):
        both = models.both_ways(np.bincount(kept, minlength=27).reshape(3, 3, 3))
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

    best = optimize.minimize(loss, [0.5, 0.5], method="Nelder-Mead", options={"xatol": 1e-7})
    assert model.strengths.to_numpy() == pytest.approx(best.x[0] * whole, abs=1e-4)
    assert model.tie == pytest.approx(best.x[1], abs=1e-4)


def test_an_infinite_score_is_none():
    model = from_scores(
        lambda wins, _: np.where(wins.sum(axis=-1) > 9, np.inf, wins.sum(axis=-1)),
        shown(*["ab1"] * 20, "bc1"),
        systems="abc",
        rng=rng(),
    )
    assert model.strengths["a"] == 0


def test_no_two_models_draw_the_same_numbers():
    names = ["irt-gaussian", "irt-categorical", "trueskill", "bojar", "expected-wins", "mfas"]
    first = {ranking.generator(name, 1).random() for name in names}
    assert len(first) == len(names)
    assert ranking.generator("mfas", 1).random() in first
