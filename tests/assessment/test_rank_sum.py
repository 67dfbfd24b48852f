"""Rank-sum tests: SciPy's p-values, and a double loop."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from wmtlib.cluster_lines import TESTS, p_values, rank_sums
from wmtlib.errors import DataError

# Values of a few systems: whole numbers (tied often) or any.
NUMBER = st.one_of(st.integers(-3, 3).map(float), st.floats(-5, 5))
SAMPLES = st.lists(st.lists(NUMBER, min_size=1, max_size=12), min_size=2, max_size=5)


def means(samples):
    names = [f"system-{k}" for k in range(len(samples))]
    rows = [(name, z) for name, values in zip(names, samples, strict=True) for z in values]
    return pd.DataFrame(rows, columns=["system", "z"])


def scipys(a, b, alternative):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return stats.mannwhitneyu(a, b, method="asymptotic", alternative=alternative).pvalue


def before_1_7(a, b):
    """What SciPy's default was: the formulas of its mannwhitneyu before 1.7."""
    n, m = len(a), len(b)
    rank = stats.rankdata([*a, *b])
    first = n * m + n * (n + 1) / 2.0 - rank[:n].sum()
    _, times = np.unique([*a, *b], return_counts=True)
    times, size = times.astype(float), float(n + m)
    correction = 1.0 - (times**3 - times).sum() / (size**3 - size)
    sd = np.sqrt(correction * n * m * (n + m + 1) / 12.0)
    z = (max(first, n * m - first) - (n * m / 2.0 + 0.5)) / sd
    return stats.norm.sf(abs(z))


@given(SAMPLES, st.sampled_from(TESTS))
def test_p_values_are_scipys_to_the_last_bit(samples, test):
    p = p_values(means(samples), test=test).to_numpy()
    for i, a in enumerate(samples):
        for j, b in enumerate(samples):
            if i == j or len({*a, *b}) == 1:
                expected = 1.0
            elif test == "legacy":
                expected = before_1_7(a, b)
            else:
                expected = scipys(a, b, "greater" if test == "one-sided" else "two-sided")
            assert p[i, j] == expected


@pytest.mark.parametrize("digits", [1, 3, 15], ids=["many ties", "some ties", "no ties"])
@pytest.mark.parametrize("test", ["two-sided", "one-sided"])
def test_p_values_of_many_values_are_scipys(digits, test):
    rng = np.random.default_rng(7)
    sizes = [1, 7, 1200, 3000, 5000, 8193]
    samples = [rng.normal(0.02 * k, 1, n).round(digits) for k, n in enumerate(sizes)]
    p = p_values(means(samples), test=test).to_numpy()
    side = "greater" if test == "one-sided" else "two-sided"
    for i, j in zip(*np.triu_indices(len(sizes), 1), strict=True):
        assert p[i, j] == scipys(samples[i], samples[j], side)
        assert p[j, i] == scipys(samples[j], samples[i], side)


@given(SAMPLES)
def test_u_and_ties_are_those_of_a_double_loop(samples):
    table = means(samples)
    system = pd.factorize(table["system"])[0]
    u, ties, number = rank_sums(table["z"].to_numpy(), system, len(samples))
    for i, a in enumerate(samples):
        for j, b in enumerate(samples):
            assert u[i, j] == sum((x > y) + (x == y) / 2 for x in a for y in b)
            if i == j:
                continue
            _, times = np.unique([*a, *b], return_counts=True)
            assert ties[i, j] == (times**3 - times).sum()
    assert number.tolist() == [len(values) for values in samples]


def test_rank_sums_by_hand():
    u, ties, _ = rank_sums(np.array([1, 2, 2, 3.0]), np.array([0, 0, 1, 1]), 2)
    assert u.tolist() == [[2, 0.5], [3.5, 2]]
    assert ties[0, 1] == 2**3 - 2


@given(SAMPLES, st.sampled_from(TESTS), st.randoms(use_true_random=False))
def test_the_order_of_values_does_not_matter(samples, test, random):
    shuffled = [random.sample(values, len(values)) for values in samples]
    left, right = (p_values(means(s), test=test) for s in (samples, shuffled))
    pd.testing.assert_frame_equal(left, right, check_exact=True)


@given(SAMPLES)
def test_how_the_tests_hang_together(samples):
    legacy, two, one = (p_values(means(samples), test=test).to_numpy() for test in TESTS)
    assert (two == two.T).all() and legacy == pytest.approx(legacy.T, rel=1e-13)
    different = ~np.eye(len(samples), dtype=bool) & (two < 1)
    assert legacy[different] == pytest.approx(two[different] / 2)
    assert np.minimum(one, one.T)[different] == pytest.approx(legacy[different])
    assert (one + one.T >= 1 - 1e-12).all()  # both sides of a continuity correction


def test_what_cannot_be_tested_is_refused():
    table = means([[1.0, 2.0], [2.0, 3.0]])
    with pytest.raises(DataError, match="test is 'exact'; expected legacy, two-sided, one-sided"):
        p_values(table, test="exact")
    with pytest.raises(DataError, match=r"1 system\(s\) to compare; expected two or more"):
        p_values(table[:2], test="legacy")
    with pytest.raises(DataError, match="row 2: z is nan; expected a number"):
        p_values(table.assign(z=[1.0, 2.0, np.nan, 3.0]), test="legacy")
    with pytest.raises(DataError, match="lacks the name of its system"):
        p_values(table.assign(system=["a", None, "b", "b"]), test="legacy")
