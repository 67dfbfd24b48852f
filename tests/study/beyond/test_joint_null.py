"""Documents and judges who both vary: what each candidate says of equal systems."""

import numpy as np
import pytest

from examples import rng
from study.beyond import joint_null


@pytest.fixture(scope="module")
def sizes():
    return joint_null.all_sizes(judges=(12,), documents=(60,), tables=150, seed=4)


def test_the_larger_of_two_p_values_is_too_sure_and_the_two_way_variance_is_not(sizes):
    both = sizes[(sizes["varies"] == "both") & (sizes["design"] == "crossed")]
    mean = both[both["effects"] != "lognormal"].groupby("test")["size"].mean()
    assert mean["larger"] > 0.07 > 0.05 > mean["null"]


def test_the_summary_has_every_setting(sizes):
    table = joint_null.summary(sizes).set_index(["effects", "test"])
    assert (table["settings"] == 3 * 2 * 2).all() and len(table) == 3 * 2
    of_test = sizes[(sizes["effects"] == "normal") & (sizes["test"] == "null")]
    row = table.loc[("normal", "null")]
    assert row["size"] == pytest.approx(of_test["size"].mean())
    assert row["power"] == pytest.approx(of_test["power"].mean())
    by_design = of_test.groupby(["design", "varies"])["size"].mean()
    assert row["worst"] == by_design.max()
    assert table.loc["exponential", "power"].isna().all()


@pytest.mark.parametrize("design, each", [("nested", 1), ("partly", 3), ("crossed", 9)])
def test_a_sum_has_a_variance_of_one_and_documents_their_judges(design, each):
    setting = (9, 30, design, "unequal", "normal", "both")
    scores, weights, (document, judge) = joint_null.differences(
        *setting, tables=4000, rng=rng(1)
    )
    assert scores.sum(axis=0).std() == pytest.approx(1, abs=0.05)
    assert (np.bincount(document) == each).all() and weights.shape == (len(scores), 1)
    assert len({*zip(document, judge, strict=True)}) == len(scores)


@pytest.mark.parametrize("effects", joint_null.EFFECTS)
def test_effects_have_mean_0_and_variance_1(effects):
    draw = joint_null.drawn(effects, (1000, 1000), rng(2))
    assert draw.mean() == pytest.approx(0, abs=0.01)
    assert draw.var() == pytest.approx(1, abs=0.05)
