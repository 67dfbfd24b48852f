"""Scores of given sums: against brute force, worked by hand and at random."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from study.recovery import integer_splits, worker_scale
from study.recovery.attribution import RUN_LENGTHS
from study.recovery.integer_splits import Workers

SEED = st.integers(0, 2**32 - 1)


@settings(max_examples=25)
@given(st.integers(2, 5), SEED)
def test_split_scores_equals_brute_force(workers, seed):
    rng = np.random.default_rng(seed)
    # Of two digits, so that several ways happen.
    sd = np.sort(rng.uniform(10, 40, workers)).round(2)
    low = rng.integers(-5, 5, workers).astype(float)
    high = low + rng.integers(1, 7, workers)
    scores = rng.integers(low - 1, high + 2, (6, workers))  # some out of bounds
    total = scores.sum(axis=1)
    y = (scores / sd).sum(axis=1)
    y[-1] += 1e-6  # no way at all
    segment, ways = integer_splits.split_scores(total, y, Workers(sd, low, high), 40)
    axes = [np.arange(a, b + 1) for a, b in zip(low, high, strict=True)]
    every = np.array(list(product(*axes)))
    for i in range(6):
        fits = np.abs(every @ (1 / sd) - y[i]) < 1e-12
        fits &= every.sum(axis=1) == total[i]
        assert sorted(ways[segment == i].tolist()) == sorted(every[fits].tolist())
    assert 5 not in segment
    assert (np.diff(segment) >= 0).all()


@settings(max_examples=25)
@given(st.sampled_from([(1, 1), (2, 1), (2, 2)]), st.integers(0, 9), SEED)
def test_split_among_pairs_equals_splits_pair_by_pair(times, workers, seed):
    rng = np.random.default_rng(seed)
    mean = rng.uniform(30, 80, workers).round(2)
    sd = rng.uniform(10, 30, workers).round(1)
    total = rng.integers(0, 100 * sum(times) + 1, 8)
    y = rng.normal(0, 1, 8)
    for i in range(7 if workers > 1 else 0):
        a, b = rng.choice(workers, 2, replace=False)
        one, other = rng.integers(0, 100 * np.array(times) + 1)
        total[i] = one + other
        y[i] = (one - times[0] * mean[a]) / sd[a] + (other - times[1] * mean[b]) / sd[b]
    expected = set()
    for i, a, b in product(range(8), range(workers), range(workers)):
        slope = 1 / sd[a] - 1 / sd[b]
        if abs(slope) < 1e-9 or (times[0] == times[1] and a > b):
            continue
        for one in range(100 * times[0] + 1):
            other = total[i] - one
            z = (one - times[0] * mean[a]) / sd[a]
            z += (other - times[1] * mean[b]) / sd[b]
            near = abs(z - y[i]) < worker_scale.Z_ERROR * sum(times)
            if near and 0 <= other <= 100 * times[1]:
                expected.add((i, a, b, one, int(other)))
    segment, pairs, totals = integer_splits.split_among_pairs(
        total, y, mean=mean, sd=sd, times=times
    )
    ways = np.column_stack([segment, pairs, totals]).tolist()
    assert set(map(tuple, ways)) == expected


@given(SEED)
def test_fitting_triples_equals_brute_force(seed):
    rng = np.random.default_rng(seed)
    sd = np.sort(rng.uniform(10, 40, (3, 9)).round(1), axis=0)
    sd += np.arange(3)[:, None]  # all are different
    low = rng.integers(-3, 3, (3, 9)).astype(float)
    high = low + rng.integers(0, 9, (3, 9))
    scores = rng.integers(low, high + 1)
    total = scores[:, 0].sum()
    y = (scores / sd).sum(axis=0)
    expected = []
    for k in range(9):
        axes = [np.arange(a, b + 1) for a, b in zip(low[:, k], high[:, k], strict=True)]
        every = np.array(list(product(*axes)))
        fits = np.abs(every @ (1 / sd[:, k]) - y[k]) < 1e-12
        if (fits & (every.sum(axis=1) == total)).any():
            expected.append(k)
    fitting = integer_splits.fitting_triples(total, y, Workers(sd, low, high))
    assert fitting.tolist() == expected and 0 in expected


# --- workers of whom nothing is known -------------------------------------------------


def run_of(workers, segments, seed):
    """Draw scores (workers, segments), sds and means of a run at random."""
    rng = np.random.default_rng(seed)
    centre = rng.uniform(50, 85, (workers, 1))
    width = rng.uniform(10, 30, (workers, 1))
    truth = np.rint(rng.normal(centre, width, (workers, segments))).clip(0, 100)
    sd = np.sort(rng.uniform(12, 32, workers)).round(5)
    mean = rng.uniform(40, 80, workers).round(5)
    return truth, sd, ((truth - mean[:, None]) / sd[:, None]).sum(axis=0)


@pytest.mark.parametrize("workers", RUN_LENGTHS)
@pytest.mark.parametrize("seed", range(4))
def test_split_run_finds_the_true_scores_or_none(workers, seed):
    truth, sd, y = run_of(workers, RUN_LENGTHS[workers] + 2, seed)
    found = integer_splits.split_run(truth.sum(axis=0).astype(int), y, workers)
    assert found is not None or workers > 2  # of more workers not every run is split
    if found is not None:
        np.testing.assert_array_equal(found[0], sd)
        np.testing.assert_array_equal(found[1], truth - truth[:, :1])


@given(st.integers(2, 8), st.integers(0, 2**32 - 1))
def test_reduced_spans_the_same_lattice_with_rows_no_longer(size, seed):
    noise = np.random.default_rng(seed).integers(-9, 10, (size, size))
    basis = noise + 40 * np.eye(size)
    before = basis.copy()
    short = integer_splits.reduced(basis)
    np.testing.assert_array_equal(basis, before)
    change = np.linalg.solve(basis.T, short.T)
    np.testing.assert_allclose(change, np.rint(change), atol=1e-6)
    assert abs(np.linalg.det(change)) == pytest.approx(1)
    length = np.linalg.norm(short, axis=1).min()
    assert length <= np.linalg.norm(basis, axis=1).min() + 1e-9
