"""Tests of pairs by units of collection: by hand, and against a linear model."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from examples import judged_in_blocks, rng
from study.beyond import unit_tests
from study.beyond.pair_arrays import pairs_of
from study.beyond.unit_tests import (
    block_scores,
    p_by_units,
    sign_flip_p,
    unit_p,
    units_of_collection,
)
from wmtlib.core.pairwise_tests import ALPHA
from wmtlib.zscores import judged_values


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
    flips = unit_tests.FEW_FLIPS, unit_tests.MANY_FLIPS
    assert flips == (499, 9999) and unit_tests.UNLIKELY == 0.1
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
