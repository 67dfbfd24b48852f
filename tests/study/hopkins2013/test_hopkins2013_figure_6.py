"""Figure 6 of Hopkins & May (2013): abilities, gaps and strata."""

import numpy as np
import pandas as pd
import pytest

from examples import rng
from study.hopkins2013 import figure_6


def trainings(means):
    """Six trainings whose abilities scatter about given means."""
    draws = np.add(means, 0.01 * rng(0).standard_normal((240, 5)))
    return pd.DataFrame(draws, [np.arange(240) // 40], [*"abcde"]).rename_axis(
        ["training"]
    )


def test_gaps_neighbours_and_strata():
    means = np.array([[0.0, 3.0, 0.9, 0.95, -1.0]])
    assert figure_6.widest_gaps(means).tolist() == [[True, False, True, True]]
    table = figure_6.ability_table(trainings([0, 2, 0, 1, -1]))
    assert [*table.index[:2]] == ["b", "d"]
    assert table["gap"].iloc[:2].tolist() == pytest.approx([1, 1], abs=0.02)
    assert table["above_next"].iloc[[0, 1]].tolist() == [1, 1]
    assert 0.2 < table["above_next"].iloc[2] < 0.8  # 0 and 0: a coin
    assert table.iloc[-1][["gap", "above_next"]].isna().all()
    means = trainings([0, -1, -1.1, -5, -9]).groupby("training").mean()
    shares = figure_6.strata_shares(means, 3, rng())
    assert shares[[1, 3, 4]].tolist() == [1, 1, 1]
    assert shares["all three"] == 0  # those of the paper are after students 1, 7 and 10


def test_units_have_their_number_in_the_names_of_a_picture():
    index = pd.MultiIndex.from_tuples(
        [("nothing: posterior of IRT-Gaussian", "a above b"), ("judge", "a above b")],
        names=["resampled", "pair"],
    )
    columns = {"units": [17875, 19], "difference": 0.1, "low": 0.0, "high": 0.2}
    named = figure_6.with_numbers(pd.DataFrame(columns, index))
    assert [*named.index.unique(0)] == [
        "posterior of IRT-Gaussian (17,875)",
        "by judge (19)",
    ]
    assert named["value"].tolist() == [0.1, 0.1]
