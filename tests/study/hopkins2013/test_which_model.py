"""Which model predicts best: losses held out, compared in pairs."""

import numpy as np
import pandas as pd
import pytest
from random_comparisons import SYSTEMS, comparisons
from scipy import stats

from examples import rng
from study.hopkins2013 import Track, which_model
from study.hopkins2013.which_model import MAIN
from wmtlib import bradley_terry
from wmtlib.models import perplexity


def made_up(perplexities):
    """Losses on a track for each row of perplexities, alike in both of its segments."""
    bits = np.log2(perplexities)
    losses = pd.concat(
        {2: 2 * bits.assign(comparisons=1), 3: 3 * bits.assign(comparisons=1)}
    )
    losses = losses.rename_axis(["unit", "task"]).assign(campaign="wmt00")
    return losses.set_index("campaign", append=True).sort_index(level="task")


@pytest.mark.parametrize("comparisons, error", [([1, 3], 0), ([1, 1], 1)])
def test_segments_are_drawn_whole(comparisons, error):
    # Two tracks of two segments: if all have two bits a comparison, so has each sample.
    losses = pd.DataFrame(
        {"m": [2.0, 6.0] * 2, "n": 0.0, "comparisons": comparisons * 2}
    )
    losses.index = pd.MultiIndex.from_product([["c"], ["t", "u"], range(2)])
    losses = losses.rename_axis(["campaign", "task", "unit"])
    assert set(which_model.method_perplexities(losses)["m"]) == {4.0 ** (1 + error)}
    table = which_model.compare_methods(losses, [("m", "n")], n_resamples=50, rng=rng())
    assert (table["segments_error"].item() > 0) == error


def test_differences_are_paired_and_all_but_the_main_one_corrected():
    level = pd.Series([2.0, 2.3, 2.6, 2.1, 2.5, 2.8])
    gap = pd.Series([0.01, 0.02, 0.015, 0.03, 0.025, 0.02])
    columns = {MAIN[0]: level, MAIN[1]: level + gap, "rao-kupper": level + 2 * gap}
    pairs = [MAIN, ("rao-kupper", MAIN[1]), ("rao-kupper", MAIN[0])]
    table = which_model.compare_methods(
        made_up(pd.DataFrame(columns)), pairs, n_resamples=10, rng=rng()
    )
    low, high = stats.t.interval(0.95, 5, -gap.mean(), stats.sem(gap))
    main = table.loc[MAIN]
    others = table.iloc[1:]
    expected = pytest.approx([-gap.mean(), low, high])
    assert main[["difference", "low", "high"]].tolist() == expected
    assert main["better"] == main["tracks"] == 6
    assert main["p"] == main["p_holm"] == pytest.approx(2 / 2**6)
    assert (others["better"] == 0).all()
    assert others["p_holm"].to_numpy() == pytest.approx(2 * others["p"].to_numpy())
    assert table["segments_error"].max() < 1e-9  # all segments are alike


def test_the_loss_of_distances_is_shared_out():
    rows = [[13, 11, 12], [12, 11, 11.5], [13, 12, 12.5]]  # mfas, bojar, bojar-places
    tracks = made_up(pd.DataFrame(rows, columns=which_model.DISTANCES))
    table = which_model.loss_of_distances({"all": tracks}, n_resamples=200, rng=rng())
    difference, low, high, *shares = table.loc["all"].drop("tracks")
    assert difference == pytest.approx(4 / 3) and low < difference < high
    assert shares == pytest.approx([0.5] * 3)


def test_held_out_losses_are_those_of_the_models():
    train = comparisons(400, 5)
    test = comparisons(200, 6)
    track = Track("wmt00", "xx-yy", train, test, SYSTEMS)
    methods = [*MAIN, "bojar", "bojar-places"]
    losses, radii = which_model.held_out([track], methods, seed=1)
    davidson = bradley_terry.fit(train, systems=SYSTEMS, ties="davidson")
    assert which_model.method_perplexities(losses)[
        "bradley-terry"
    ].item() == pytest.approx(perplexity(davidson, test))
    assert losses["comparisons"].sum() == 200 and len(losses) <= 10
    assert 0.5 < radii["irt-gaussian"].item() < 1.1


def test_methods_beside_the_best_one_are_told_apart_by_their_intervals():
    level = pd.Series([2.0, 2.3, 2.6, 2.1])
    columns = {"far": level + pd.Series([0.1, 0.11, 0.09, 0.1]), "best": level}
    columns["near"] = level + pd.Series([0.01, -0.01, 0.02, -0.01])
    table = which_model.told_from_best(made_up(pd.DataFrame(columns)))
    assert [*table.index] == ["best", "near", "far"]
    assert table.loc["best", ["difference", "low", "high"]].tolist() == [0, 0, 0]
    assert [*(table["low"] <= 0)] == [True, True, False]


def test_losses_have_their_shares_in_the_names_of_a_picture():
    row = {"difference": 0.06, "low": 0.04, "high": 0.08, "share": 0.928}
    named = which_model.with_shares(pd.DataFrame([row], ["wmt10"]))
    assert [*named.index] == [("WMT10 (93 %)", "MFAS")]
    assert named["value"].tolist() == [0.06]
