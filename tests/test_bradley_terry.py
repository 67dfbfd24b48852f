"""Bradley-Terry by hand and against evalica; many samples at once."""

import evalica
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special

from examples import PAIRS, REAL, counts_of, data_error, full, rng, stacked, tournament
from wmtlib import bradley_terry
from wmtlib.bradley_terry import FAINT, PRIOR, resampled_strengths
from wmtlib.core import counts as counting
from wmtlib.core import sampling
from wmtlib.core.counts import tally
from wmtlib.core.sampling import resampler, sample_of_counts
from wmtlib.models import LINKS

few = settings(max_examples=settings().max_examples // 2)


@few
@given(several=st.lists(PAIRS, min_size=1, max_size=4), seed=st.integers(0, 99))
@pytest.mark.parametrize("ties", ["half", *LINKS])
def test_strengths_do_not_depend_on_the_start(ties, several, seed):
    several = [full(pairs) for pairs in several]
    start = rng(seed).normal(0, 3, size=4)
    found = resampled_strengths(stacked(several), ties=ties, prior=PRIOR, start=start)
    for row, counts in zip(found, several, strict=True):
        expected = bradley_terry.strengths(counts, ties=ties, prior=PRIOR).to_numpy()
        met = ~np.isnan(row)
        played = (counts.wins + counts.wins.T + counts.ties).sum(axis=1).to_numpy() > 0
        assert (met == played).all()
        if met.any():
            assert row[met] == pytest.approx(
                (expected - expected[met].mean())[met], abs=1e-9
            )


@pytest.mark.parametrize("prior", [0.5, PRIOR])
def test_strengths_with_ties_as_half_wins(prior):
    """At the maximum the wins of a system are those that its strength lets expect."""
    counts = REAL.without("_ref")
    won = (counts.wins + counts.ties / 2).to_numpy()
    strength = bradley_terry.strengths(counts, ties="half", prior=prior).to_numpy()
    expected = (won + won.T) * special.expit(np.subtract.outer(strength, strength))
    # Strengths are given about their mean. The virtual opponent has strength zero where
    # all systems together win half of the virtual comparisons.
    shift = optimize.brentq(lambda x: special.expit(strength + x).mean() - 0.5, -9, 9)
    virtual = prior * special.expit(strength + shift)
    assert won.sum(axis=1) + prior / 2 == pytest.approx(expected.sum(axis=1) + virtual)


FAR_APART = counts_of(
    "a b 100000 0 1",
    "b c 50000 1 0",
    "c d 9 1 3",
    "a d 1 0 0",
)


@pytest.mark.parametrize("counts", [FAR_APART, REAL], ids=["far apart", "wmt10"])
@pytest.mark.parametrize("ties", LINKS)
@pytest.mark.parametrize("prior", [0.01, 4.0])
def test_maximum_is_highest_nearby(ties, prior, counts):
    """No slope of the penalised likelihood, by any strength or the tie parameter."""
    link = LINKS[ties]
    (theta,), _ = bradley_terry.maximum(
        sample_of_counts(counts), ties=ties, prior=prior
    )
    *fitted, tie = theta
    value = np.append(fitted, 0.0)  # with the virtual opponent's
    seen = np.full((len(value), len(value), 3), 0.0)
    seen[:-1, -1] = prior / 3
    seen[:-1, :-1] = tally(counts, tuple(counts.systems))
    d = np.subtract.outer(value, value)
    by_d, by_t, *_ = link.derivatives(d, tie, np.moveaxis(seen, 2, 0))
    scale = 1e-9 * seen.sum()
    assert np.abs(by_d.sum(axis=1) - by_d.sum(axis=0))[:-1].max() < scale
    assert abs(by_t.sum()) < scale


def test_maximum_of_a_flat_likelihood():
    many = 3_000_000
    counts = counts_of(
        "a b 1 0 0",
        ("a", "c", 0, many, 0),
        ("a", "d", many, 0, 0),
        ("b", "c", many, 1, 0),
        ("b", "d", many, 0, 0),
    )
    found = bradley_terry.strengths(counts, ties="half", prior=0.001)
    assert found.sort_values(ascending=False).index.tolist() == ["b", "c", "a", "d"]
    # b lost twice where it could have: to c once, and to a, which c beat always.
    assert found["b"] - found["c"] == pytest.approx(np.log(many / 2), abs=0.01)


def test_resampled_strengths_without_a_maximum_get_a_faint_prior():
    samples = stacked(
        [counts_of(("a", "b", wins, lost, 0)) for wins, lost in ((9, 3), (9, 0))]
    )
    found = resampled_strengths(samples, ties="half", prior=0)
    assert found[0, 0] - found[0, 1] == pytest.approx(np.log(3))
    assert 5 < found[1, 0] - found[1, 1] < 20
    expected = bradley_terry.strengths(counts_of("a b 9 0 0"), ties="half", prior=FAINT)
    assert found[1] == pytest.approx(expected.to_numpy())


def test_strengths_of_a_sample_are_about_the_mean_of_its_systems():
    """The sample lacks d, of which the prior makes a system that is not the middle."""
    met = {"ab": (9, 1, 0), "ac": (9, 1, 0), "bc": (5, 5, 0)}
    pairs = [met.get(pair, (0, 0, 0)) for pair in ("ab", "ac", "ad", "bc", "bd", "cd")]
    (found,) = resampled_strengths(stacked([full(pairs)]), ties="half", prior=PRIOR)
    assert found[:3].sum() == pytest.approx(0, abs=1e-9) and np.isnan(found[3])


def test_strengths_against_evalica():
    table = counting.expand(REAL)
    winner = {0: evalica.Winner.Draw, 1: evalica.Winner.X, 2: evalica.Winner.Y}
    other = evalica.bradley_terry(
        table["system_1"],
        table["system_2"],
        table["preference"].map(winner),
        tolerance=1e-12,
        limit=10_000,
    )
    found = bradley_terry.strengths(REAL, ties="half", prior=0)
    expected = other.scores[found.index].to_numpy()
    assert np.exp(found.to_numpy()) == pytest.approx(expected, abs=1e-6, rel=1e-6)
    assert found.mean() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    "rows, said",
    [
        (
            ["a b 1 1 0", "c d 1 1 0"],
            "'a', 'b' never won from the rest",
        ),
        (["a b 1 0 0", "b c 1 1 0"], "'a' never lost to the rest"),
        (["a b 1 1 0", "a c 2 0 0"], "'c' never won from the rest"),
    ],
)
def test_strengths_without_a_prior_refuse_unconnected_systems(rows, said):
    with data_error(f"^{said}: without a prior there is no maximum$"):
        bradley_terry.strengths(counts_of(*rows), ties="half", prior=0)


@pytest.mark.parametrize("cycle", ["abcd", "acbd", "adcb"])
def test_strengths_of_a_cycle_of_wins_are_level(cycle):
    wins = [(a, b, 1, 0, 0) for a, b in zip(cycle, cycle[1:] + cycle[0], strict=True)]
    found = bradley_terry.strengths(counts_of(*wins), ties="half", prior=0)
    assert found.abs().max() < 1e-9


# --- many samples of the same comparisons ---------------------------------------------


@pytest.mark.parametrize("unit", ["comparison", "judge"])
def test_resampler_draws_have_the_mean_of_the_judgements(unit):
    table = tournament(1, games=400)
    table["count"] = 1 + np.arange(400) % 3
    drawing = resampler(table, None, unit)
    assert drawing.units == (table["count"].sum() if unit == "comparison" else 10)
    blocks = [block.seen for block in drawing.samples(4000, rng())]
    seen = np.concatenate(blocks, axis=1)
    assert seen.shape == (3, 4000, 6)
    (expected,) = sample_of_counts(counting.counts_of(table)).seen.swapaxes(0, 1)
    spread = seen.std(axis=1) / np.sqrt(4000)
    assert (np.abs(seen.mean(axis=1) - expected) < 5 * spread).all()
    if unit == "comparison":
        assert (seen.sum(axis=(0, 2)) == drawing.units).all()


@pytest.mark.parametrize("unit", ["comparison", "judge"])
def test_resampler_draws_each_block_from_its_own_stream(unit):
    drawing = resampler(tournament(2), None, unit)
    _, second, last = drawing.samples(120, rng())
    assert (second.seen.shape[1], last.seen.shape[1]) == (50, 20)
    alone = drawing.draw(*[*sampling.blocks(120, rng())][1])
    np.testing.assert_array_equal(alone.seen, second.seen)
