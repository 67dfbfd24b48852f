"""Preference models: the formulas worked by hand, then what must hold for any comparisons."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wmtlib import counts as counting
from wmtlib import models as preference_model
from wmtlib.counts import Counts
from wmtlib.errors import DataError
from wmtlib.models import BASELINES, SWAPPED, PreferenceModel, independent_students, perplexity

NAMES = ("a", "b", "c", "d")
COLUMNS = ["system_1", "system_2", "preference"]
PRINTED = BASELINES["independent-students-geometric-as-printed"]

every = pytest.mark.parametrize("fit", BASELINES.values(), ids=BASELINES.keys())
few = settings(max_examples=settings().max_examples * 2 // 3)


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
    seen = preference_model.tally(TRAIN, NAMES)
    assert (seen.shape, seen.sum()) == ((4, 4, 3), 5)
    assert seen[0, 1].tolist() == [1, 2, 0]
    assert seen[1, 0].tolist() == [0, 1, 0]
    both = preference_model.both_ways(seen)
    assert both[0, 1].tolist() == [1, 2, 1]
    assert both[1, 0].tolist() == [1, 1, 2]


def test_tally_of_counts_takes_pairs_in_order_of_name():
    seen = preference_model.tally(counting.count(TRAIN), NAMES)
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
        ({"reconstruction": "geometric", "normalised": False}, GEOMETRIC),
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
        if name == "independent-students-asymmetric":
            assert perplexity(model, won) == pytest.approx(7 / 3)  # a won, of a's 7
            assert perplexity(model, same) == pytest.approx(8 / 3)  # b lost, of b's 8
        else:
            assert perplexity(model, won) == pytest.approx(perplexity(model, same))


# --- what must hold for any comparisons --------------------------------------------------------


@every
@few
@given(train=FRAME)
def test_probabilities_sum_to_one_unless_the_printed_formula_does_not(fit, train):
    total = fit(train, systems=NAMES).probabilities.sum(axis=2)
    if fit is PRINTED:
        assert (total <= 1 + 1e-12).all()
    else:
        assert total == pytest.approx(np.ones((4, 4)))


@pytest.mark.parametrize("name", [n for n in BASELINES if n != "independent-students-asymmetric"])
@given(train=FRAME)
def test_turning_the_pair_around_negates_the_preference(name, train):
    p = BASELINES[name](train, systems=NAMES).probabilities
    np.testing.assert_allclose(p, p.swapaxes(0, 1)[..., SWAPPED], rtol=1e-12)


@every
@few
@given(train=FRAME, random=st.randoms(use_true_random=False))
def test_order_of_rows_of_systems_and_on_the_screen_does_not_matter(fit, train, random):
    p = fit(train, systems=NAMES).probabilities
    rows = [
        (a, b, pi) if random.random() < 0.5 else (b, a, SWAPPED[pi])
        for a, b, pi in train.itertuples(index=False)
    ]
    random.shuffle(rows)
    again = pd.DataFrame(rows, columns=COLUMNS)
    assert np.array_equal(p, fit(again, systems=NAMES[::-1]).probabilities)
    assert np.array_equal(p, fit(counting.count(train), systems=[*NAMES]).probabilities)
    as_category = again.astype({"system_1": "category", "system_2": "category"})
    assert np.array_equal(p, fit(as_category, systems=NAMES).probabilities)


@every
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


@every
@few
@given(train=FRAME, test=FRAME)
def test_perplexity_is_that_of_a_plain_loop(fit, train, test):
    model = fit(train, systems=NAMES)
    product = math.prod(of(model, a, b)[pi] for a, b, pi in test.itertuples(index=False))
    expected = product ** (-1 / len(test)) if product else math.inf
    assert perplexity(model, test) == pytest.approx(expected)


@every
@few
@given(train=FRAME, test=FRAME)
def test_nothing_predicts_better_than_the_frequencies_of_the_test_set(fit, train, test):
    """Gibbs' inequality, for the frequencies of each pair in the order shown."""
    seen = preference_model.tally(test, NAMES)
    met = seen.sum(axis=2, keepdims=True)
    best = PreferenceModel(NAMES, np.where(met > 0, seen / np.maximum(met, 1), 1 / 3))
    assert perplexity(best, test) <= perplexity(fit(train, systems=NAMES), test) + 1e-12


@given(train=FRAME, test=FRAME)
def test_the_printed_geometric_formula_predicts_worse_by_the_sum_that_it_lacks(train, test):
    normalised = BASELINES["independent-students-geometric"](train, systems=NAMES)
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


@every
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


@pytest.mark.parametrize("empty", [shown(), counting.count(shown())], ids=["frame", "counts"])
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


@pytest.mark.parametrize("empty", [shown(), counting.count(shown())], ids=["frame", "counts"])
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
        preference_model.tally(lacking.assign(preference=[1, np.nan]), NAMES)
    with pytest.raises(DataError, match=r"^a comparison lacks the name of a system"):
        preference_model.tally(lacking.assign(system_1=["a", None]), NAMES)


def test_counts_of_an_unknown_system_are_refused():
    model = BASELINES["uniform"](TRAIN, systems="ab")
    with pytest.raises(DataError, match=r"^system 'c' is unknown; expected one of 2 systems$"):
        perplexity(model, counting.count(TRAIN))


def test_counts_in_any_order_of_systems_are_the_same_counts():
    counts = counting.count(TRAIN)
    other = Counts(*(t.loc[[*"cab"], [*"bca"]] for t in (counts.wins, counts.ties)))
    assert np.array_equal(
        preference_model.tally(other, NAMES), preference_model.tally(counts, NAMES)
    )


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ([], "a preference model needs at least two systems; got 0"),
        (["a"], "a preference model needs at least two systems; got 1"),
        (["a", "b", "a"], "system 'a' is named twice"),
    ],
    ids=str,
)
@every
def test_bad_tracks_are_refused(fit, systems, message):
    with pytest.raises(DataError) as refused:
        fit(shown(), systems=systems)
    assert str(refused.value) == message


@pytest.mark.parametrize("alpha", [0, -1, np.inf, np.nan])
def test_bad_smoothing_is_refused(alpha):
    for fit in (BASELINES["independent-pairs"], BASELINES["independent-students-geometric"]):
        with pytest.raises(DataError, match=r"^alpha, the strength .*, is .*; expected > 0"):
            fit(TRAIN, systems=NAMES, alpha=alpha)


def test_an_unknown_reconstruction_is_refused():
    with pytest.raises(DataError) as refused:
        independent_students(TRAIN, systems=NAMES, reconstruction="harmonic")
    expected = "asymmetric, arithmetic, geometric"
    assert str(refused.value) == f"reconstruction is 'harmonic'; expected {expected}"


THIRD = np.full((2, 2, 3), 1 / 3)


@pytest.mark.parametrize(
    ("systems", "probabilities", "message"),
    [
        ("ba", THIRD, "the systems of a preference model are not in sorted order"),
        ("abc", THIRD, r"probabilities have shape \(2, 2, 3\); expected \(3, 3, 3\)"),
        ("ab", THIRD - 1, "a probability is negative or not finite"),
        ("ab", THIRD * np.nan, "a probability is negative or not finite"),
        ("ab", THIRD * 1.001, "probabilities of 'a', 'a' sum to more than one"),
    ],
    ids=range(5),
)
def test_what_is_no_preference_model_is_refused(systems, probabilities, message):
    with pytest.raises(DataError, match=f"^{message}$"):
        PreferenceModel(tuple(systems), probabilities)
