"""Ratings and rankings as preference models: closed forms, other libraries, what must hold."""

import math

import evalica
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special

from wmtlib.judgements import counting
from wmtlib.judgements.counting import Counts
from wmtlib.judgements.errors import DataError
from wmtlib.preference import rating_models, score_models, true_skill
from wmtlib.preference.model_registry import RANKED
from wmtlib.preference.preference_model import SWAPPED, both_ways, perplexity, tally
from wmtlib.preference.rating_models import LINKS, bradley_terry
from wmtlib.preference.score_models import from_scores
from wmtlib.preference.true_skill import trueskill
from wmtlib.releases import ranking_releases
from wmtlib.tournament import scorers

NAMES = ("a", "b", "c", "d")
COLUMNS = ["system_1", "system_2", "preference"]
TABLE = ["system_1", "system_2", "wins_1", "wins_2", "ties"]

every = pytest.mark.parametrize("fit", RANKED.values(), ids=RANKED.keys())
link = pytest.mark.parametrize("ties", LINKS)
few = settings(max_examples=settings().max_examples // 5)  # fits take milliseconds


def shown(*rows):
    """Comparisons from words like "ab1": a and b are shown, a is preferred."""
    return pd.DataFrame([(a, b, int(pi)) for a, b, pi in rows], columns=COLUMNS)


def counts_of(*rows):
    return counting.from_table(pd.DataFrame(rows, columns=TABLE))


def rng():
    return np.random.default_rng(1)


PAIR = st.lists(st.sampled_from(NAMES), min_size=2, max_size=2, unique=True)
ROW = st.tuples(PAIR, st.integers(0, 2)).map(lambda row: (*row[0], row[1]))
FRAME = st.lists(ROW, max_size=30).map(lambda rows: pd.DataFrame(rows, columns=COLUMNS))

REAL = ranking_releases.load_counts("wmt10", "cs-en", source="embedded")


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
    counted = fit(counting.counts(train), systems=NAMES, rng=rng())
    assert np.array_equal(counted.probabilities, p)


@every
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
    if fit is not trueskill:  # there the doubt about skills widens the spread, not the margin
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


# --- Bradley-Terry -----------------------------------------------------------------------------


@link
@few
@given(seed=st.integers(0, 10**6))
def test_the_gradient_is_that_of_finite_differences(ties, seed):
    random = np.random.default_rng(seed)
    design, seen = random.normal(size=(6, 3)), random.integers(0, 5, (6, 3))
    w = np.append(random.normal(size=3), random.uniform(0.1, 2))
    args = (LINKS[ties][0], design, seen)
    found = optimize.approx_fprime(w, lambda w: rating_models._loss(w, *args)[0], 1e-6)
    assert rating_models._loss(w, *args)[1] == pytest.approx(found, rel=1e-4, abs=1e-3)


@link
@few
@given(
    d=st.floats(-700, 700, allow_nan=False),
    t=st.floats(1e-9, 50),
)
def test_links_are_distributions_however_far_apart_the_systems(ties, d, t):
    log_p, *slopes = LINKS[ties][0](np.array([d]), t)
    assert np.exp(log_p).sum() == pytest.approx(1)
    assert all(np.isfinite(s).all() for s in slopes)


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        ("davidson", [math.exp(0.4), math.exp(0.5), math.exp(-0.5)]),  # over their sum
        ("rao-kupper", [None, 1 / (1 + math.exp(-0.6)), 1 / (1 + math.exp(1.4))]),
    ],
)
def test_links_by_hand(ties, expected):
    """Strengths that differ by 1, tie parameter 0.4."""
    log_p, *_ = LINKS[ties][0](np.array([1.0]), 0.4)
    if ties == "davidson":
        expected = np.divide(expected, sum(expected))
    else:
        expected[0] = 1 - expected[1] - expected[2]
    assert np.exp(log_p[0]) == pytest.approx(expected)


@link
@pytest.mark.parametrize(("won", "lost", "tied"), [(30, 10, 20), (10, 30, 5), (1, 0, 1)])
def test_two_systems_have_a_closed_form_without_a_prior(ties, won, lost, tied):
    """Two parameters for two free frequencies: the frequencies themselves."""
    train = counts_of(("a", "b", won, lost, tied))
    model = bradley_terry(train, systems="ab", ties=ties, prior=1e-6)
    share = np.array([tied, won, lost]) / (won + lost + tied)
    assert model.probabilities[0, 1] == pytest.approx(share, abs=1e-3)
    if lost:
        width = {
            "davidson": math.log(tied / math.sqrt(won * lost)),
            "rao-kupper": -(special.logit(share[1]) + special.logit(share[2])) / 2,
        }[ties]
        assert model.tie == pytest.approx(width, abs=1e-3)


@link
def test_the_maximum_is_a_maximum(ties):
    x = np.eye(len(REAL.systems))
    seen = both_ways(tally(REAL, tuple(REAL.systems)))
    args = (LINKS[ties][0], *rating_models._rows([(x, seen)], x, 4.0))
    model = bradley_terry(REAL, systems=REAL.systems, ties=ties)
    _, gradient = rating_models._loss(np.append(model.strengths, model.tie), *args)
    assert np.abs(gradient).max() < 0.01  # of some 3000 comparisons: strengths to 1e-5


def with_virtual_opponent(counts, prior):
    """The prior spelled out as comparisons, for libraries that have none."""
    table = counting.to_table(counts)
    virtual = [("~", name, prior / 3, prior / 3, prior / 3) for name in counts.systems]
    table = pd.concat([table, pd.DataFrame(virtual, columns=TABLE)])
    long = pd.concat(
        table[["system_1", "system_2"]].assign(winner=winner, weight=table[column])
        for winner, column in (
            (evalica.Winner.X, "wins_1"),
            (evalica.Winner.Y, "wins_2"),
            (evalica.Winner.Draw, "ties"),
        )
    )
    return long["system_1"], long["system_2"], long["winner"], long["weight"]


def test_davidson_strengths_are_those_of_evalica():
    xs, ys, winners, weights = with_virtual_opponent(REAL, 4.0)
    other = evalica.newman(xs, ys, winners, weights=[*weights], tolerance=1e-10, limit=10_000)
    log = np.log(other.scores)
    model = bradley_terry(REAL, systems=REAL.systems, ties="davidson")
    expected = (log - log["~"])[REAL.systems]
    assert model.strengths.to_numpy() == pytest.approx(expected.to_numpy(), abs=1e-4)
    assert model.tie == pytest.approx(math.log(2 * other.v), abs=1e-4)


@link
@few
@given(train=FRAME, renamed=st.permutations(NAMES))
def test_relabelling_systems_relabels_strengths(ties, train, renamed):
    to = dict(zip(NAMES, renamed, strict=True))
    strengths = bradley_terry(train, systems=NAMES, ties=ties).strengths
    again = train.assign(**{c: train[c].map(to) for c in COLUMNS[:2]})
    found = bradley_terry(again, systems=NAMES, ties=ties).strengths[[*renamed]]
    assert found.to_numpy() == pytest.approx(strengths.to_numpy(), abs=1e-5)


def test_bad_settings_of_bradley_terry_are_refused():
    for prior in (0, -1, np.inf, np.nan):
        with pytest.raises(DataError, match=r"^prior, the number .*, is .*; expected > 0$"):
            bradley_terry(REAL, systems=REAL.systems, ties="davidson", prior=prior)
    with pytest.raises(DataError, match=r"^ties is 'half'; expected davidson, rao-kupper$"):
        bradley_terry(REAL, systems=REAL.systems, ties="half")


# --- scores ------------------------------------------------------------------------------------


def test_a_score_is_as_good_as_any_increasing_line_through_it():
    def fit(score):
        model = from_scores(score, REAL, systems=REAL.systems, rng=rng(), ties_count=True)
        return model.probabilities

    def eq1(counts):
        return scorers.wmt_official(counts, reference=None)

    np.testing.assert_allclose(fit(lambda c: 7 * eq1(c) - 3), fit(eq1), rtol=1e-4)


def test_a_score_that_is_the_wrong_way_round_is_given_no_weight():
    model = from_scores(
        lambda c: -scorers.wmt_official(c, reference=None),
        REAL,
        systems=REAL.systems,
        rng=rng(),
        ties_count=True,
    )
    assert (model.strengths == 0).all()
    p = model.probabilities.reshape(-1, 3)
    assert p == pytest.approx(np.broadcast_to(p[0], p.shape))


def test_strengths_stand_in_the_order_of_the_score():
    model = RANKED["MFAS Order"](REAL, systems=REAL.systems, rng=rng())
    order = score_models.mfas_places(REAL).sort_values().index
    gaps = model.strengths[order].diff().dropna()
    assert gaps.to_numpy() == pytest.approx(np.full(len(gaps), gaps.iloc[0]))
    assert gaps.iloc[0] > 0


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
        model = RANKED["Lopez Eq. 3"](train, systems=names, rng=random)
        slopes.append(model.strengths.std())
    assert np.median(slopes) < 0.1  # fitted to its own comparisons: about 0.5


def test_an_infinite_score_is_refused():
    def score(counts):
        return pd.Series(np.inf, index=counts.systems)

    with pytest.raises(DataError, match=r"^a score is infinite$"):
        from_scores(score, REAL, systems=REAL.systems, rng=rng(), ties_count=True)


# --- TrueSkill ---------------------------------------------------------------------------------


def test_skills_after_six_games_are_what_the_trueskill_package_gives():
    """Computed once with trueskill 0.4.5: mu=0, sigma=1, beta=1, tau=0, draw_probability=0.3."""
    games = np.array([(0, 1, 1), (1, 2, 0), (0, 2, 2), (0, 1, 0), (2, 1, 1), (2, 0, 1)])
    mean, variance = true_skill._skills(games, 3, sigma=1, beta=1, margin=0.544925429)
    assert mean == pytest.approx([-0.341005, -0.545091, 0.852269], abs=1e-6)
    assert np.sqrt(variance) == pytest.approx([0.69886, 0.688466, 0.70088], abs=1e-6)


@few
@given(
    games=st.lists(st.tuples(PAIR, st.integers(0, 2)), min_size=1, max_size=12),
    sigma=st.floats(0.3, 3),
    share=st.floats(0.05, 0.8),
)
def test_skills_are_those_of_the_trueskill_package(games, sigma, share):
    peer = pytest.importorskip("trueskill", reason="comes as source only, so it is not in the lock")
    env = peer.TrueSkill(mu=0, sigma=sigma, beta=1, tau=0, draw_probability=share, backend="scipy")
    ratings = {name: env.create_rating() for name in NAMES}
    for (a, b), pi in games:
        if pi == 2:
            a, b = b, a
        ratings[a], ratings[b] = peer.rate_1vs1(
            ratings[a], ratings[b], drawn=pi == 0, min_delta=1e-12, env=env
        )
    mean, variance = true_skill._skills(
        np.array([(NAMES.index(a), NAMES.index(b), pi) for (a, b), pi in games]),
        len(NAMES),
        sigma=sigma,
        beta=1,
        margin=peer.calc_draw_margin(share, 2, env),
    )
    assert mean == pytest.approx([ratings[n].mu for n in NAMES], abs=1e-6)
    assert np.sqrt(variance) == pytest.approx([ratings[n].sigma for n in NAMES], rel=1e-6)


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
    for shift, shrinkage in (true_skill._above(-abs(t), 0.5), true_skill._within(t, 0.5)):
        assert math.isfinite(shift)
        assert shrinkage == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("settings", [{"sigma": 0}, {"beta": -1}, {"sigma": np.nan}], ids=str)
def test_bad_settings_of_trueskill_are_refused(settings):
    with pytest.raises(
        DataError, match=r"^(sigma|beta), a standard deviation, is .*; expected > 0"
    ):
        trueskill(REAL, systems=REAL.systems, rng=rng(), **settings)
