"""Bradley-Terry by Newton's method: by hand, against `wmtlib.preference.rating_models` and
evalica."""

import evalica
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged import NAMES, PAIRS, REAL, counts_of, full, stacked

from wmtlib.analysis import methods
from wmtlib.judgements import counting
from wmtlib.judgements.errors import DataError
from wmtlib.preference import bradley_terry, rating_models, resampled_counts

few = settings(max_examples=settings().max_examples // 4)


@few
@given(several=st.lists(PAIRS, min_size=1, max_size=4), seed=st.integers(0, 99))
@pytest.mark.parametrize("ties", ["davidson", "rao-kupper"])
def test_strengths_are_those_of_the_ranked_module(ties, several, seed):
    several = [full(pairs) for pairs in several]
    name = {"davidson": "bradley-terry", "rao-kupper": "rao-kupper"}[ties]
    start = np.random.default_rng(seed).normal(0, 3, size=4)  # wherever Newton's method begins
    found = methods.scores(stacked(several), name, reference=None, start=start)
    for row, counts in zip(found, several, strict=True):
        expected = rating_models.bradley_terry(
            counts, systems=NAMES, ties=ties
        ).strengths.to_numpy()
        met = ~np.isnan(row)
        played = (counts.wins + counts.wins.T + counts.ties).sum(axis=1).to_numpy() > 0
        assert (met == played).all()
        if met.any():
            assert row[met] == pytest.approx((expected - expected[met].mean())[met], abs=1e-4)


@pytest.mark.parametrize("ties", bradley_terry.TIES)
@pytest.mark.parametrize("prior", [0.01, 4.0])
def test_newton_climbs_from_far_away_and_the_slope_at_its_end_is_zero(ties, prior):
    counts = counts_of(
        ("a", "b", 100_000, 0, 1),
        ("b", "c", 50_000, 1, 0),
        ("c", "d", 9, 1, 3),
        ("a", "d", 1, 0, 0),
    )
    found = bradley_terry.bradley_terry(counts, ties=ties, prior=prior)
    assert found.index[found.argmax()] == "a"
    batch = resampled_counts.batch(counts)
    theta, t = bradley_terry._newton(batch, None, ties=ties, prior=prior)
    local = bradley_terry._rao_kupper if ties == "rao-kupper" else bradley_terry._exponential
    met = bradley_terry._with_opponent(batch, ties, prior)
    place = np.append(theta, 0)[None]
    slope, bend = local(met, place, None if ties == "half" else t)
    assert np.abs(np.linalg.solve(bend, slope[..., None])).max() < 1e-7
    assert np.linalg.eigvalsh(bend[0]).min() > 0


def test_a_likelihood_too_flat_for_newton_to_settle_is_climbed_to_where_it_is_flat():
    many = 3_000_000
    counts = counts_of(
        ("a", "b", 1, 0, 0),
        ("a", "c", 0, many, 0),
        ("a", "d", many, 0, 0),
        ("b", "c", many, 1, 0),
        ("b", "d", many, 0, 0),
    )
    found = bradley_terry.bradley_terry(counts, ties="half", prior=0.001)
    assert found.sort_values(ascending=False).index.tolist() == ["b", "c", "a", "d"]
    # b lost twice where it could have: to c once, and to a, which c beat always.
    assert found["b"] - found["c"] == pytest.approx(np.log(many / 2), abs=0.01)


def test_samples_without_a_maximum_are_given_the_faintest_prior():
    samples = stacked([counts_of(("a", "b", wins, lost, 0)) for wins, lost in ((9, 3), (9, 0))])
    found = methods.scores(samples, "bradley-terry-half", reference=None)
    assert found[0, 0] - found[0, 1] == pytest.approx(np.log(3))
    assert 5 < found[1, 0] - found[1, 1] < 20
    expected = bradley_terry.bradley_terry(
        counts_of(("a", "b", 9, 0, 0)), ties="half", prior=bradley_terry.FAINT
    )
    assert found[1] == pytest.approx(expected.to_numpy())


def test_bradley_terry_is_that_of_evalica():
    table = counting.expand(REAL)
    winner = {0: evalica.Winner.Draw, 1: evalica.Winner.X, 2: evalica.Winner.Y}
    other = evalica.bradley_terry(
        table["system_1"],
        table["system_2"],
        table["preference"].map(winner),
        tolerance=1e-12,
        limit=10_000,
    )
    found = bradley_terry.bradley_terry(REAL, ties="half", prior=0)
    expected = other.scores[found.index].to_numpy()
    assert np.exp(found.to_numpy()) == pytest.approx(expected, abs=1e-6, rel=1e-6)
    assert found.mean() == pytest.approx(0, abs=1e-12)


def test_two_systems_have_a_closed_form():
    counts = counts_of(("a", "b", 6, 2, 4))
    found = bradley_terry.bradley_terry(counts, ties="half", prior=0)
    assert found["a"] - found["b"] == pytest.approx(np.log(8 / 4))


@pytest.mark.parametrize(
    ("ties", "prior", "said"),
    [
        ("elo", 1.0, "ties is 'elo'; expected half, davidson, rao-kupper"),
        ("half", -1.0, "prior, the number of virtual comparisons, is -1.0; expected 0 or more"),
        ("davidson", 0.0, "prior, the number of virtual comparisons, is 0.0; expected > 0"),
        ("half", np.inf, "prior, the number of virtual comparisons, is inf; expected 0 or more"),
    ],
)
def test_bad_settings_of_bradley_terry_are_refused(ties, prior, said):
    with pytest.raises(DataError, match=f"^{said}$"):
        bradley_terry.bradley_terry(REAL, ties=ties, prior=prior)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("a", "b", 1, 1, 0), ("c", "d", 1, 1, 0)], "'a' and 1 more never won from the rest"),
        ([("a", "b", 1, 0, 0), ("b", "c", 1, 1, 0)], "'a' never lost to the rest"),
    ],
)
def test_without_a_prior_there_may_be_no_maximum(rows, said):
    with pytest.raises(DataError, match=f"^{said}: without a prior there is no maximum$"):
        bradley_terry.bradley_terry(counts_of(*rows), ties="half", prior=0)


@pytest.mark.parametrize("size", [1, 52, 53, 120, 230])
def test_solving_by_halves(size):
    draw = np.random.default_rng(size).normal(size=(3, size, 2 * size))
    matrix = draw @ draw.swapaxes(1, 2) / size + np.eye(size)
    right = draw[:, :, :1]
    expected = np.linalg.solve(matrix, right)
    np.testing.assert_allclose(bradley_terry._solved(matrix, right), expected, atol=1e-10)


def test_blocks_do_not_show(monkeypatch):
    batch = stacked([REAL.without("_ref")] * 5)
    one = methods.scores(batch, "bradley-terry", reference=None)
    monkeypatch.setattr(bradley_terry, "LARGEST", 1)
    np.testing.assert_array_equal(methods.scores(batch, "bradley-terry", reference=None), one)
