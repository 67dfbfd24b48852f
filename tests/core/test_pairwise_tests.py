"""Tests of pairs: by hand, against SciPy, and every p-value that WMT20 printed."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from examples import data_error
from wmtlib.core.pairwise_tests import ALPHA, TESTS, p_values

WMT20 = "WMT-Metrics-task/wmt20-metrics/manual-evaluation/DA"

PAIRS20 = (
    "cs-en de-en en-cs en-de en-iu en-ja en-pl en-ru en-ta en-zh "
    "iu-en ja-en km-en pl-en ps-en ru-en ta-en zh-en"
)
NOT_PRINTED = 0.12  # where the row's system is not significantly better


def segment_scores(folder, pair):
    path = folder / f"ad-seg-scores-{pair}.csv"
    table = pd.read_csv(
        path, sep=r"\s+", dtype={"SYS": str, "SID": str}, keep_default_na=False
    )
    return table.rename(columns={"SYS": "system", "Z.SCR": "z"}).astype({"z": float})


def square(path):
    """A printed matrix: systems in the header, and at the head of every row."""
    head, *body = (row.split() for row in path.read_text().splitlines() if row.strip())
    names = [row[0] for row in body]
    assert names == head
    return names, [row[1:] for row in body]


@pytest.mark.realdata
@pytest.mark.parametrize("pair", PAIRS20.split())
def test_every_p_that_wmt20_printed_is_the_one_sided_one(pair, mirror):
    source, target = pair.split("-")
    names, rows = square(mirror / WMT20 / f"adwilcox-{source}{target}.csv")
    printed = pd.DataFrame(rows, index=names, columns=names).astype(float)
    scores = segment_scores(mirror / WMT20, pair)
    short = [
        n.removeprefix(f"newstest2020.{pair}.").removesuffix(".sgm") for n in names
    ]
    # WMT's script tied equal floats only, not what differs by rounding: numbers stand
    # for them.
    scores["z"] = np.unique(scores["z"], return_inverse=True)[1]
    p = p_values(scores, test="one-sided").loc[short, short].to_numpy()
    shown = printed.to_numpy() != NOT_PRINTED
    assert shown.any() and not np.tril(shown).any()
    assert p[shown] == pytest.approx(printed.to_numpy()[shown], rel=2e-13, abs=1e-300)
    assert (np.triu(p < ALPHA, 1) == shown).all()


# Values of a few systems: whole numbers (tied often) or any.
NUMBER = st.one_of(
    st.integers(-3, 3).map(float), st.floats(-5, 5).map(lambda x: round(x, 6) + 0.0)
)

SAMPLES = st.lists(st.lists(NUMBER, min_size=1, max_size=12), min_size=2, max_size=5)


def means(samples):
    names = [f"system-{k}" for k in range(len(samples))]
    rows = [
        (name, z) for name, values in zip(names, samples, strict=True) for z in values
    ]
    return pd.DataFrame(rows, columns=["system", "z"])


SIDES = {"one-sided": "greater", "two-sided": "two-sided"}


def scipys(a, b, alternative):
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
        test = stats.mannwhitneyu(a, b, method="asymptotic", alternative=alternative)
    return test.pvalue


def before_1_7(a, b):
    """What SciPy's default was: the formulas of its mannwhitneyu before 1.7."""
    n = len(a)
    m = len(b)
    first = n * m + n * (n + 1) / 2.0 - stats.rankdata([*a, *b])[:n].sum()
    _, times = np.unique([*a, *b], return_counts=True)
    times = times.astype(float)
    size = float(n + m)
    correction = 1.0 - (times**3 - times).sum() / (size**3 - size)
    sd = np.sqrt(correction * n * m * (n + m + 1) / 12.0)
    return stats.norm.sf(abs((max(first, n * m - first) - (n * m / 2.0 + 0.5)) / sd))


@given(SAMPLES, st.sampled_from(TESTS))
@example([[1.0, 3.0], [2.0]], "legacy")  # U in the middle: the statistic is below zero
def test_p_values_are_scipys_to_the_last_bit(samples, test):
    p = p_values(means(samples), test=test).to_numpy()
    for i, a in enumerate(samples):
        for j, b in enumerate(samples):
            if i == j or len({*a, *b}) == 1:
                assert p[i, j] == 1
            elif test == "legacy":
                assert p[i, j] == pytest.approx(before_1_7(a, b))
            else:
                assert p[i, j] == scipys(a, b, SIDES[test])


def test_what_cannot_be_tested_is_refused():
    table = means([[1.0, 2.0], [2.0, 3.0]])
    with data_error("test is 'exact'; expected legacy, two-sided, one-sided"):
        p_values(table, test="exact")
    with data_error("row 2: z is nan; expected a number"):
        p_values(table.assign(z=[1.0, 2.0, np.nan, 3.0]), test="legacy")
