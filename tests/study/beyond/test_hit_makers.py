"""Annotators whose HITs differ: products by hand, and shares of known effects."""

import itertools

import numpy as np
import pandas as pd
import pytest

from study.beyond import hit_makers


def made(seed, annotators=12, hits=3, sittings=6):
    """Draw sittings in HITs, with documents and systems that come again."""
    rng = np.random.default_rng(seed)
    annotator, task, _ = np.indices((annotators, hits, sittings)).reshape(3, -1)
    rows = pd.DataFrame({"annotator": annotator, "task": annotator * hits + task})
    rows["document"] = rng.integers(4, size=len(rows))
    rows["system"] = rng.integers(3, size=len(rows))
    rows["y"] = rng.normal(size=len(rows))
    return rows


@pytest.mark.parametrize("within", ["task", "annotator"])
def test_products_are_those_of_every_pair(within):
    rows = made(1)
    sums = np.zeros((12, 2))
    for one, other in itertools.combinations(rows.itertuples(), 2):
        together = getattr(one, within) == getattr(other, within)
        if together and one.document != other.document and one.system != other.system:
            sums[one.annotator] += one.y * other.y, 1
    y = np.column_stack([rows["y"], np.ones(len(rows))])
    assert hit_makers.products(rows, y, within) == pytest.approx(sums)


def test_spread_by_hand():
    # 60 annotators: three large ones, three without pairs or with one HIT, 54 small.
    total = np.array([30.0, 20, 10, -4, 7, 0, *[1.0] * 54])[::-1, None]
    pairs = np.array([10.0, 10, 10, 8, 10, 0, *[10.0] * 54])[::-1]
    hits = np.array([9, 2, 2, 2, 1, 2, *[2] * 54])[::-1]
    found = hit_makers.spread(total, pairs, hits).loc[0]
    assert found["covariance"] == pytest.approx(117 / 588)
    shares = found[[f"share of the {few} largest" for few in (5, 20, 50)]]
    assert [*shares] == pytest.approx([68 / 117, 83 / 117, 113 / 117])
    assert found["covariance without 5"] == pytest.approx(49 / 538)
    assert found["median annotator of several HITs"] == pytest.approx(0.1)
    assert found["share of these below 0"] == pytest.approx(1 / 58)


def test_spread_of_few_annotators_is_larger_than_that_of_all():
    rows = made(2, annotators=80)
    pairs = hit_makers.products(rows, np.ones((len(rows), 1)))[:, 0]
    effect = np.random.default_rng(3).normal(size=(240, 40))[rows["task"]]
    few = np.where(rows["annotator"] < 4, np.sqrt(20), 0)[:, None]
    shares = [
        hit_makers.spread(hit_makers.products(rows, y), pairs, np.full(80, 3))
        for y in (effect, few * effect + 0.1 * effect)
    ]
    of_all, of_few = (of["share of the 5 largest"].mean() for of in shares)
    assert of_all < 0.4 and of_few > 0.9


def test_sittings_are_means_less_the_systems_mean():
    values = pd.DataFrame({"z": [1.0, 3, 5, 2, 4], "system": [0, 0, 0, 1, 1]})
    values = values.assign(document=[0, 0, 1, 0, 0], worker=0, hit=[0, 0, 1, 0, 0])
    found = hit_makers.sittings(values)
    assert found["segments"].tolist() == [2, 2, 1]
    assert found["y"].tolist() == [-1, 0, 2]
