"""Lattice reduction: runs of unknown workers, worked by hand and at random."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmtlib.study.recovery import lattice_reduction
from wmtlib.study.recovery.attribution import RUN_LENGTHS


def test_a_run_of_two_unknown_workers_is_split():
    truth = np.array([[3, 100, 40, 77, 0, 62, 91], [55, 98, 100, 12, 70, 66, 81]])
    sd, mean = np.array([21.34567, 28.76543]), np.array([71.23456, 65.4321])
    y = ((truth - mean[:, None]) / sd[:, None]).sum(axis=0)
    found = lattice_reduction.split_run(truth.sum(axis=0), y, 2)
    assert found is not None
    np.testing.assert_array_equal(found[0], sd)
    np.testing.assert_array_equal(found[1], truth - truth[:, :1])


def test_what_fits_no_workers_is_not_split():
    rng = np.random.default_rng(1)
    assert lattice_reduction.split_run(rng.integers(0, 200, 9), rng.normal(0, 2, 9), 2) is None


def run_of(workers, segments, seed):
    """Scores (workers, segments), sds and means of a run at random."""
    rng = np.random.default_rng(seed)
    centre, width = rng.uniform(50, 85, (workers, 1)), rng.uniform(10, 30, (workers, 1))
    truth = np.rint(rng.normal(centre, width, (workers, segments))).clip(0, 100)
    sd, mean = np.sort(rng.uniform(12, 32, workers)).round(5), rng.uniform(40, 80, workers).round(5)
    return truth, sd, ((truth - mean[:, None]) / sd[:, None]).sum(axis=0)


@pytest.mark.parametrize("workers", RUN_LENGTHS)
@pytest.mark.parametrize("seed", range(4))
def test_a_run_of_unknown_workers_is_split_rightly_or_not_at_all(workers, seed):
    truth, sd, y = run_of(workers, RUN_LENGTHS[workers] + 2, seed)
    found = lattice_reduction.split_run(truth.sum(axis=0).astype(int), y, workers)
    assert found is not None or workers > 2  # of four workers half succeed, of five few
    if found is not None:
        np.testing.assert_array_equal(found[0], sd)
        np.testing.assert_array_equal(found[1], truth - truth[:, :1])


def test_too_few_segments_are_not_split():
    assert (
        lattice_reduction.split_run(np.array([80, 90, 120]), np.array([0.1, 0.3, 0.9]), 2) is None
    )


def test_a_basis_reduced_by_hand():
    # (1, 1) and (3, 4) span all integer vectors
    short = lattice_reduction.reduced(np.array([[1, 1], [3, 4]]))
    assert sorted(np.abs(short).tolist()) == [[0, 1], [1, 0]]


@given(st.integers(2, 8), st.integers(0, 2**32 - 1))
def test_reduced_rows_span_the_same_lattice_and_are_no_longer(size, seed):
    basis = np.random.default_rng(seed).integers(-9, 10, (size, size)) + 40 * np.eye(size)
    before = basis.copy()
    short = lattice_reduction.reduced(basis)
    np.testing.assert_array_equal(basis, before)
    change = np.linalg.solve(basis.T, short.T)
    np.testing.assert_allclose(change, np.rint(change), atol=1e-6)
    assert abs(np.linalg.det(change)) == pytest.approx(1)
    assert np.linalg.norm(short, axis=1).min() <= np.linalg.norm(basis, axis=1).min() + 1e-9
