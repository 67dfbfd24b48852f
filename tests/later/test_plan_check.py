"""The check of plans: verdicts and intervals by hand, and simulated campaigns from end to end."""

import numpy as np
import pandas as pd
import pytest
from judged import rng, tournament

from wmtlib.later import plan_check
from wmtlib.later.plan_check import Judged
from wmtlib.releases import sources


def table_of(chances, after, *, before=False, campaigns=20, split="random 1"):
    """The same pairs in every campaign."""
    rows = {"chance": chances, "naive": chances, "after": after, "before": before}
    one = pd.DataFrame(rows).assign(split=split, protocol="RR")
    return pd.concat([one.assign(campaign=f"c{k}") for k in range(campaigns)], ignore_index=True)


def comparisons(seed):
    frame = tournament(seed, games=3000, judges=30)
    return Judged("made up", "RR", frame, pd.factorize(frame["judge"])[0])


def scores(seed):
    return plan_check.campaigns(sources.resolve("embedded"))[seed]


def test_verdicts_by_hand():
    """Given 0.9 and 0.9 and 0.2: both of the first apart, and not the third."""
    random = table_of([0.9, 0.9, 0.2], [True, True, False])
    ordered = table_of([0.9, 0.9], [True, False], split="file order")
    found = plan_check.findings(pd.concat([random, ordered]), seed=0)
    assert found["value"].round(6).tolist() == [1, 0, 0, 0, 0.5]
    assert found["pairs"].tolist() == [40, 60, 60, 60, 40]
    verdicts = ["holds", "right", "right", "open", "does not hold"]
    assert found["verdict"].tolist() == verdicts
    decided = plan_check.findings(random.assign(before=True), seed=0)
    assert decided.loc["open pairs", ["campaigns", "pairs"]].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("chance", "verdicts"),
    [
        (0.53, ("off by little", "holds")),
        (0.7, ("wrong", "holds")),
        (0.3, ("wrong", "does not hold")),
    ],
)
def test_chances_that_are_off(chance, verdicts):
    found = plan_check.findings(table_of([chance, chance], [True, False]), seed=0)
    assert (found.loc["calibration", "verdict"], found.loc["naive", "verdict"]) == verdicts


def test_the_interval_is_over_campaigns():
    """A campaign of a hundred pairs is one campaign: it is drawn or not, as a whole."""
    few, many = (table_of([0.9] * n, [ok] * n, campaigns=1) for n, ok in [(1, True), (99, False)])
    found = plan_check.findings(pd.concat([few.assign(campaign="x"), many]), seed=0)
    assert found.loc["main", ["value", "low", "high"]].tolist() == pytest.approx([0.01, 0, 1])


def test_halves_of_judges():
    one = comparisons(1)
    found = plan_check.halves(one, rng())
    assert [*found] == ["random 1", "random 2", "random 3", "file order"]
    assert all(chosen.sum() == 15 for name, chosen in found.items() if name != "file order")
    first = found["file order"]
    assert first[: first.sum()].all()  # those who come first
    assert one.data.loc[first[one.judge], "count"].sum() <= 1500


@pytest.mark.parametrize("make", [comparisons, scores])
def test_campaigns_from_end_to_end(make):
    found = plan_check.checked(make(0), seed=1)
    pd.testing.assert_frame_equal(found, plan_check.checked(make(0), seed=1))
    assert found.groupby("split").size().nunique() == 1 and found["split"].nunique() == 4
    assert found[["chance", "naive"]].stack().between(0, 1).all()
    assert found["after"].any()


def test_bins_hold_every_pair_once():
    draw = np.random.default_rng(3)
    chances = draw.random(200)
    table = table_of(chances, draw.random(200) < chances, campaigns=1)
    found = plan_check.calibration(table, column="chance", seed=0)
    assert found["pairs"].sum() == 200
    assert (np.diff(found["chance"]) > 0).all()
    assert (found["apart"] - found["chance"]).abs().max() < 0.2
