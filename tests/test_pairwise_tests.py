"""Tests of pairs: by hand, against SciPy, and every p-value that WMT20 printed."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from examples import data_error, judged_in_blocks, rng
from wmtlib import pairwise_tests
from wmtlib.pairwise_tests import (
    ALPHA,
    LEAST_GROUPS,
    TESTS,
    block_scores,
    design_effect,
    judged_values,
    margins_by_unit,
    p_by_units,
    p_values,
    pairs_of,
    sign_flip_p,
    signed_rank_p,
    t_test_p,
    unit_p,
    units_of_collection,
)

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


def test_by_hand():
    # One segment in common, where the second is better: rank 1 of 1, mean 1/2, variance
    # 1/4.
    found = signed_rank_p(np.array([[3.0, 5, np.nan], [4.0, np.nan, 2]]))
    assert found[1, 0] == pytest.approx(stats.norm.sf(1))
    assert found[0, 1] == pytest.approx(stats.norm.cdf(1))
    assert np.isnan(found.diagonal()).all()
    # Nothing in common.
    assert signed_rank_p(np.array([[1.0, np.nan], [np.nan, 2]]))[0, 1] == 0.5
    assert np.isnan(signed_rank_p(np.array([[1.0, 2]]))).all()  # one system, no pair


scores = st.lists(st.tuples(*[st.integers(0, 12)] * 2), min_size=2, max_size=80)


@pytest.mark.filterwarnings("ignore:Sample size too small")  # scipy 1.14
@given(scores)
def test_it_is_that_of_scipy(rows):
    means = np.array(rows, dtype=float).T
    if (means[0] == means[1]).all():
        return
    found = signed_rank_p(means)
    for a, b in ((0, 1), (1, 0)):
        theirs = stats.wilcoxon(
            means[a], means[b], alternative="greater", method="approx"
        )
        assert found[a, b] == pytest.approx(theirs.pvalue)


def test_the_unit_test_by_hand():
    # Of the 64 choices of signs of 1, 1, 1, 1, 1, -3 those with |T*| >= 2: T* is the
    # sum of five ones (-5, -3, -1, 1, 3, 5 in 1, 5, 10, 10, 5, 1 ways) and of 3 or -3.
    ones = {-5: 1, -3: 5, -1: 10, 1: 10, 3: 5, 5: 1}
    hits = sum(ways for total, ways in ones.items() if abs(total + 3) >= 2)
    p = sign_flip_p(np.array([[1.0], [1], [1], [1], [1], [-3]]))
    # As many with -3 as with 3.
    assert p.tolist() == [2 * hits / 64] and hits == 27


def test_every_choice_is_tried_where_units_are_few_and_drawn_where_they_are_many():
    differences = rng(3).normal(0.4, 1, (10, 2))
    signs = np.array(list(itertools.product([1, -1], repeat=10)))
    least = np.abs(differences.sum(axis=0)) - 1e-9
    exact = (np.abs(signs @ differences) >= least).mean(axis=0)
    assert sign_flip_p(differences).tolist() == exact.tolist()
    # Units without the two change nothing.
    more = np.vstack([differences, np.zeros((10, 2))])
    assert np.abs(sign_flip_p(more) - exact).max() < 0.02
    drawn = sign_flip_p(more, seed=1).tolist()
    for same in (more, 100 * more, -more):
        assert sign_flip_p(same, seed=1).tolist() == drawn


def test_five_units_cannot_reach_five_percent():
    assert np.isnan(sign_flip_p(np.array([[9.0]] * 5))).tolist() == [True]
    assert np.isnan(sign_flip_p(np.array([[9.0]] * 5 + [[0.0]] * 5))).tolist() == [True]
    assert sign_flip_p(np.array([[9.0]] * 6)).tolist() == [2 / 64]


def test_margins_by_judge():
    frame = pd.DataFrame(
        {
            "judge": [*"jjjk"],
            "system_1": [*"xyyz"],
            "system_2": [*"yxxx"],
            "preference": [1, 1, 2, 0],
        }
    )
    margins, decided = margins_by_unit(frame, "judge", [*"xyz"])
    assert margins.tolist() == [[1, 0, 0], [0, 0, 0]]
    assert decided.tolist() == [[3, 0, 0], [0, 0, 0]]
    by_pair = margins_by_unit(frame.assign(count=[5, 1, 1, 1]), "judge", ["x", "y"])[0]
    assert by_pair.tolist() == [[5]]


def test_very_many_judges_are_taken_together(monkeypatch):
    frame = pd.DataFrame({"judge": range(250), "system_1": "x", "system_2": "y"})
    monkeypatch.setattr(pairwise_tests, "MOST_CELLS", 50)
    frame["preference"] = 1
    margins = margins_by_unit(frame, "judge", ["x", "y"])[0]
    assert len(margins) == LEAST_GROUPS and margins.sum() == 250
    assert {*margins[:, 0]} == {2, 3}


def test_units_are_those_that_systems_share():
    for units, judged in [
        (("document",), judged_in_blocks(True)),
        ((), judged_in_blocks(True, documents=5)),
        (("document", "worker"), judged_in_blocks(True, documents=60, workers=10)),
        (("document",), judged_in_blocks(True, documents=60, workers=2)),
    ]:
        assert units_of_collection(judged_values(judged)) == units


def two_way_by_hand(scores, units):
    """Moments of OLS clustered two ways, as loops: T, V of each kind and of blocks."""
    kinds = [*units, range(len(scores))]
    variances = []
    for codes in kinds:
        sums = {}
        for code, score in zip(codes, scores, strict=True):
            sums[code] = sums.get(code, 0) + score
        variances.append(sum(total**2 for total in sums.values()))
    return sum(scores), variances


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_the_test_by_two_kinds_of_units_knows_no_names(seed):
    draw = rng(seed)
    units = [draw.integers(0, 12, 90), draw.integers(0, 9, 90)]
    scores = draw.normal(size=(90, 1)) + draw.normal(size=9)[units[1]][:, None]
    total, (first, second, block) = two_way_by_hand(scores[:, 0], units)
    least = min(len({*codes}) for codes in units)
    variance = max(first, second, first + second - block)
    expected = 2 * stats.t.sf(abs(total) / np.sqrt(variance), least - 1)
    p = unit_p(scores, units)
    assert p == pytest.approx(expected)
    names = [draw.permutation(12)[units[0]], draw.permutation(9)[units[1]]]
    assert unit_p(scores, names) == pytest.approx(p)
    assert unit_p(-scores, units[::-1]) == pytest.approx(p)
    # The same kind twice is one kind, of which sign flips are tried, too.
    alone = unit_p(scores, units[:1])
    sums = np.bincount(units[0], scores[:, 0])[:, None]
    twice = unit_p(sums, [np.arange(len(sums))] * 2)
    assert alone == pytest.approx(np.maximum(twice, sign_flip_p(sums)))


def test_six_units_cannot_reach_five_percent_and_are_not_tested():
    scores = np.full((7, 2), 9.0)
    scores[6, 1] = 0
    p = unit_p(scores, [np.arange(7)])
    assert p[0] < ALPHA and np.isnan(p[1])
    assert 2 * stats.t.sf(np.sqrt(6), 5) > ALPHA


def test_what_a_unit_adds_by_hand():
    # Unit 0: a has 5 and 7, b has 3, c nothing; unit 1: one value of each.
    columns = {"z": [5.0, 7, 3, 1, 2, 4], "system": [0, 0, 1, 0, 1, 2]}
    values = pd.DataFrame(columns).assign(unit=[0, 0, 0, 1, 1, 1])
    added, _ = block_scores(values, "z", ["unit"], pairs_of(3))
    assert added.tolist() == [[2.0, 0.0, 0.0], [-0.5, -1.5, -1.0]]


def test_scores_of_blocks_are_those_of_a_linear_model():
    draw = rng(8)
    columns = {"system": 3, "document": 9, "worker": 8}
    values = pd.DataFrame({c: draw.integers(0, n, 150) for c, n in columns.items()})
    values["z"] = draw.normal(size=150)
    kinds = ["document", "worker"]
    scores, units = block_scores(values, "z", kinds, pairs_of(3))
    two = values[values["system"] != 1]
    x = (two["system"] == 0).astype(float)
    x -= x.groupby(two["document"]).transform("mean")
    rest = two["z"] - two.groupby("document")["z"].transform("mean")
    expected = (x * rest).groupby([two["document"], two["worker"]]).sum()
    added = pd.Series(scores[:, 1], pd.MultiIndex.from_arrays(units))  # of 0 and 2
    assert added[expected.index].tolist() == pytest.approx(expected.tolist())
    assert added.drop(expected.index).abs().max() == 0
    by_document = np.bincount(units[0], scores[:, 1])
    cells = two.pivot_table("z", "document", "system", ["size", "mean"], fill_value=0)
    weight = cells["size"].prod(axis=1) / cells["size"].sum(axis=1)
    difference = weight * (cells["mean"][0] - cells["mean"][2])
    assert by_document == pytest.approx(difference.tolist())
    p = p_by_units(values, "z", kinds)
    assert p[0, 2] + p[2, 0] == 1 and np.isnan(p.diagonal()).all()
    ahead = p[0, 2] < 0.5
    assert ahead == (added.sum() > 0)
    assert 2 * min(p[0, 2], p[2, 0]) == pytest.approx(unit_p(scores, units)[1])


def test_flips_are_as_many_as_the_docs_say():
    flips = pairwise_tests.FEW_FLIPS, pairwise_tests.MANY_FLIPS
    assert flips == (499, 9999) and pairwise_tests.UNLIKELY == 0.1
    # A pair that 30 units favour: the least p, which Benjamini-Hochberg may need.
    assert sign_flip_p(np.ones((30, 1)))[0] == pytest.approx(1 / 10_000)
    # A pair that they leave level: every choice of signs is as large.
    assert sign_flip_p(np.tile([1.0, -1], 15)[:, None])[0] == 1
    draws = sign_flip_p(rng(4).normal(size=(30, 200)))
    near = draws[(draws > 0.02) & (draws < 0.09)]
    assert len(near) and set((near * 10_000).round(6) % 20) != {0}


def test_units_need_half_of_the_pairs():
    # 0 and 1 share forty documents; the two pairs with 2 share none.
    values = pd.DataFrame({"system": [0, 1] * 40 + [2] * 8, "z": 0.0})
    values["document"] = [*np.repeat(np.arange(40), 2), *range(40, 48)]
    assert units_of_collection(values) == ()


def test_the_design_effect_is_not_that_of_a_difference_of_the_systems():
    values = pd.DataFrame({"system": [0, 1] * 40, "segment": np.repeat(range(40), 2)})
    values["unit"] = values["segment"] // 4
    values["z"] = rng(6).normal(size=80)
    apart = values.assign(z=values["z"] + 9 * values["system"])
    assert design_effect(apart, "unit") == pytest.approx(design_effect(values, "unit"))


def test_judgements_of_one_block_that_are_all_alike_are_worth_one():
    values = pd.DataFrame(
        {
            "system": [0, 0, 1, 1, 0, 0, 1, 1],
            "unit": [0, 0, 0, 0, 1, 1, 1, 1],
            "segment": [0, 1, 0, 1, 2, 3, 2, 3],
            "z": [1, 1, -1, -1, -1, -1, 1, 1],
        }
    )
    assert design_effect(values, "unit") == 2


def test_the_t_test_is_that_of_scipy():
    means = rng(5).normal(size=(3, 12)) + np.array([[0.0], [0.3], [1]])
    means[0, :3] = np.nan
    p = t_test_p(means)
    for a, b in [(0, 1), (1, 2), (2, 0)]:
        both = ~np.isnan(means[[a, b]]).any(axis=0)
        exact = stats.ttest_rel(means[a, both], means[b, both], alternative="greater")
        assert p[a, b] == pytest.approx(exact.pvalue, abs=1e-12)
    assert np.isnan(p.diagonal()).all()
