"""Annotators whose HITs differ: products by hand, and shares of known effects."""

import itertools

import numpy as np
import pandas as pd
import pytest

from study.beyond import hit_makers, honest_line
from wmtlib.core.assessments import encode


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


def campaign(label, seed=1, *, of_hit=1.0):
    """Draw scores of six workers with three HITs, whose levels differ."""
    rng = np.random.default_rng(seed)
    rows = []
    for worker in range(6):
        for hit in range(3):
            level = 50 + 10 * of_hit * rng.normal()
            for document in rng.permutation(8)[:4]:
                system = "abc"[rng.integers(3)]
                for segment in range(4):
                    score = level + 4 * rng.normal()
                    names = f"w{worker}", f"h{worker}-{hit}", f"d{document}"
                    rows.append((system, *names, f"{document}-{segment}", score))
    columns = ["system", "worker", "hit", "document", "segment", "score"]
    coded = encode(pd.DataFrame(rows, columns=columns))
    return honest_line.tested_campaign("DA", label, coded)


def test_the_annotator_with_the_hits_most_apart_is_found(ax):
    values = pd.DataFrame({"worker": [0] * 4 + [1] * 4, "system": [0, 1] * 4})
    values["hit"] = np.repeat([0, 1, 2, 3], 2)
    values["document"] = range(8)
    values["z"] = [0.0, 0.1, 0.2, 0.1, -1.0, -1.2, 1.1, 0.9]
    rows = hit_makers.most_apart(values)
    assert rows["worker"].unique().tolist() == [1]
    assert rows["hit"].tolist() == [2, 2, 3, 3]
    hit_makers.draw_two_hits(rows, ["a", "b"], ax)
    assert ax.get_yticklabels()[0].get_text() == "document 4, a"
    assert [line.get_label() for line in ax.lines[:2]] == ["one HIT", "the other HIT"]


def test_halves_of_a_sitting_agree_where_levels_of_hits_differ():
    campaigns = [campaign("x", seed) for seed in range(8)]
    found = hit_makers.correlate_halves(campaigns).loc["DA"]
    own, another = found
    assert own > 0.6 and own > another + 0.3


def test_annotators_of_campaigns_are_counted_apart():
    rows, people = hit_makers.annotators([campaign("x"), campaign("y", 2)])
    assert len(people) == 12 and people["hits"].tolist() == [3] * 12
    assert rows["task"].nunique() == 36
    ones = hit_makers.products(rows, np.ones((len(rows), 1)))[:, 0]
    assert people["pairs"].tolist() == ones.tolist()
    largest = hit_makers.largest_by_campaign(people, 3)
    assert largest["of the largest"].sum() == 3
    assert largest["annotators"].tolist() == [6, 6]


def test_covariances_are_those_of_the_groups(ax):
    _, people = hit_makers.annotators([campaign(f"x {k}", k) for k in range(10)])
    table, draws = hit_makers.covariances(people, 50, np.random.default_rng(1))
    rows = table.set_index("sittings in")
    seen = people["products"].sum() / people["pairs"].sum()
    assert rows.loc["the same HIT", "covariance"] == pytest.approx(seen)
    several = rows.loc["the same, of 2 or 3 HITs"]
    assert several["covariance"] == pytest.approx(seen)
    without = people.sort_values("products")[:-5]
    least = without["products"].sum() / without["pairs"].sum()
    smaller = rows.loc["the same, without the 5 largest", "covariance"]
    assert smaller == pytest.approx(least)
    assert rows.loc["another HIT", "covariance"] < 0 < seen
    assert draws.iloc[0].tolist() == pytest.approx(table["covariance"].tolist())
    hit_makers.draw_covariances(table, ax)
    assert ax.get_yticklabels()[0].get_text() == "all annotators"


def test_worlds_have_the_covariance_and_a_smaller_share_of_few(ax):
    campaigns = [campaign(f"x {k}", k, of_hit=4.0 * (k == 0)) for k in range(10)]
    rows, people = hit_makers.annotators(campaigns)
    effects = ["document", "document x system", "sitting", "segment"]
    fit = pd.Series(0.05, [*effects, "segment x system", "residual"])
    random = np.random.default_rng(1)
    table = hit_makers.in_equal_worlds(rows, people, fit, 60, random)
    real, equal = table.loc["covariance", ["real", "equal"]]
    assert equal == pytest.approx(real, rel=0.2)
    few = table.loc["share of the 5 largest"]
    assert few["real"] > few["equal"] < few["equal, 97.5 %"]
    hit_makers.draw_largest(table, ax)
    assert ax.get_yticklabels()[1].get_text() == "20 annotators"


def test_units_are_drawn_as_often_as_there_are():
    drawn = hit_makers.drawn_anew(7, 5, np.random.default_rng(1))
    assert drawn[0].tolist() == [1] * 7 and (drawn.sum(axis=1) == 7).all()
