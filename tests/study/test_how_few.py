"""How few judgements decide, task by task, and the two tests."""

import numpy as np
import pandas as pd
import pytest

from wmtlib.counts import REFERENCE
from wmtlib.fewest import fewest_removals
from wmtlib.study import how_few
from wmtlib.study.releases import ranking_releases, sources


def table(units, highs, unsure):
    return pd.DataFrame({"units": units, "units_high": highs, "unsure": unsure})


@pytest.mark.parametrize(("few", "outcome"), [(90, "holds"), (55, "open"), (10, "does not hold")])
def test_the_main_test_is_about_the_whole_interval(few, outcome):
    highs = [1] * few + [2] * (100 - few)
    found = how_few.findings(table(100, highs, 0.5)).set_index("test")
    assert found.loc["main", ["tasks", "count", "outcome"]].tolist() == [100, few, outcome]
    assert found.loc["main", "low"] < few / 100 < found.loc["main", "high"]


def test_the_second_test_is_about_the_few():
    # Nine of the ten tasks that few decide are unsure, at the edge of 5 %: that is enough.
    unsure = [0.05] * 9 + [0.049] + [0.0] * 10
    found = how_few.findings(table(100, [1] * 10 + [5] * 10, unsure)).set_index("test")
    assert found.loc["second", ["tasks", "count", "outcome"]].tolist() == [10, 9, "holds"]
    found = how_few.findings(table(100, [1] * 10 + [5] * 10, [0.0, *unsure[1:]]))
    assert found["outcome"].tolist()[1] == "does not hold"


def test_a_winner_that_is_level_is_unsure():
    scores = pd.DataFrame({"a": [2.0, 1.0, 1.0, np.nan], "b": [1.0, 1.0, 2.0, 1.0]})
    assert how_few.unsure_share(scores, "a") == 0.75


def test_a_task_from_counts():
    source = sources.resolve("embedded")
    row = how_few.relative_task("wmt12", "cs-en", source=source, n_resamples=50, seed=1)
    counts = ranking_releases.load_counts("wmt12", "cs-en", source=source).without(REFERENCE)
    found = fewest_removals(counts, "expected-wins", unit="comparison")
    assert row["unit"] == "comparison" and row["label"] == "2012 Czech-English"
    assert [row["winner"], row["high"]] == [found.table["above"][0], found.table["high"][0]]
    assert row["units_high"] >= row["low"] == row["high"]
    few = found.table.query("change == 'neighbours'")["units_high"] <= 0.01 * row["units"]
    assert [row["pairs"], row["few_pairs"]] == [len(few), few.sum()]
    removed = how_few.removed_units(source, "wmt12", "cs-en")
    assert len(removed) == row["units_high"]
