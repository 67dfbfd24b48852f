"""Many samples at once: their scores, and how they are drawn."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged import PAIRS, REAL, full, rng, stacked, tournament

from wmtlib import bradley_terry as resampled_counts
from wmtlib import counts as counting
from wmtlib import ranking as methods
from wmtlib import scorers
from wmtlib.errors import DataError

few = settings(max_examples=settings().max_examples // 2)


@few
@given(several=st.lists(PAIRS, min_size=1, max_size=4))
@pytest.mark.parametrize("reference", [None, "b"])
def test_samples_are_scored_as_counts_are(reference, several):
    several = [full(pairs) for pairs in several]
    samples = stacked(several)
    for method in scorers.SCORERS:
        found = methods.scores(samples, method, reference=reference)
        for row, counts in zip(found, several, strict=True):
            try:
                expected = scorers.score(method, counts, reference=reference)
            except DataError:
                assert np.isnan(row).any()
            else:
                assert row == pytest.approx(expected.to_numpy(), abs=1e-12)


def test_samples_without_a_system():
    samples = resampled_counts.sample_of_counts(REAL)
    fewer = resampled_counts.sample_of_counts(REAL.without("_ref"))
    found = samples.without("_ref")
    assert found.systems == fewer.systems
    for name in ("first", "second", "seen"):
        np.testing.assert_array_equal(getattr(found, name), getattr(fewer, name))


@few
@given(several=st.lists(PAIRS, min_size=1, max_size=4))
def test_counts_to_samples_and_back(several):
    several = [full(pairs) for pairs in several]
    for found, counts in zip(stacked(several).one_by_one(), several, strict=True):
        pd.testing.assert_frame_equal(found.wins, counts.wins)
        pd.testing.assert_frame_equal(found.ties, counts.ties)
        (again,) = resampled_counts.sample_of_counts(counts).one_by_one()
        pd.testing.assert_frame_equal(again.wins, counts.wins)


@pytest.mark.parametrize("unit", ["comparison", "judge"])
def test_samples_have_the_size_and_the_mean_of_the_judgements(unit):
    table = tournament(1, games=400)
    table["count"] = 1 + np.arange(400) % 3
    drawing = resampled_counts.resampler(table, None, unit)
    assert drawing.units == (table["count"].sum() if unit == "comparison" else 10)
    (drawn,) = drawing.samples(4000, rng())
    assert drawn.seen.shape == (3, 4000, 6)
    (expected,) = resampled_counts.sample_of_counts(counting.count(table)).seen.swapaxes(0, 1)
    spread = drawn.seen.std(axis=1) / np.sqrt(4000)
    assert (np.abs(drawn.seen.mean(axis=1) - expected) < 5 * spread).all()
    if unit == "comparison":
        assert (drawn.seen.sum(axis=(0, 2)) == drawing.units).all()


def test_a_reference_is_not_drawn():
    table = tournament(1)
    (drawn,) = resampled_counts.resampler(table, "s1", "judge").samples(3, rng())
    assert drawn.systems == ("s0", "s2", "s3")
    assert [*zip(drawn.first, drawn.second, strict=True)] == [(0, 1), (0, 2), (1, 2)]


def test_methods_that_cannot_score_samples_say_so():
    with pytest.raises(DataError, match=r"^mfas does not score samples all at once$"):
        methods.scores(resampled_counts.sample_of_counts(REAL), "mfas", reference=None)
