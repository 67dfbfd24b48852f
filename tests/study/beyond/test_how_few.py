"""How few judgements decide, task by task."""

import numpy as np
import pandas as pd

from study.beyond import how_few
from study.beyond.fewest_removals import robustness
from study.data import ranking_releases, sources
from wmtlib.core.counts import REFERENCE

SOURCE = sources.resolve("embedded")


def test_a_winner_that_is_level_is_unsure():
    scores = pd.DataFrame({"a": [2.0, 1.0, 1.0, np.nan], "b": [1.0, 1.0, 2.0, 1.0]})
    assert how_few.unsure_share(scores, "a") == 0.75


def test_a_task_from_counts():
    row = how_few.relative_task("wmt12", "cs-en", SOURCE, 50, seed=1).iloc[0]
    counts = ranking_releases.load_counts("wmt12", "cs-en", source=SOURCE).without(
        REFERENCE
    )
    found = robustness(counts, "expected-wins", unit="comparison").table
    assert row["unit"] == "comparison" and row["label"] == "2012 Czech-English"
    expected = found.loc[0, ["above", "units_high"]].tolist()
    assert row[["winner", "units_high"]].tolist() == expected
    few = found.query("change == 'neighbours'")["units_high"] <= 0.01 * row["units"]
    assert [row["pairs"], row["few_pairs"]] == [len(few), few.sum()]


def test_a_campaign_of_assessments():
    row = how_few.assessed_task("simulated-sr-dc", "qa-qb", SOURCE).iloc[0]
    assert row["unit"] in ("hit", "worker") and row["units_high"] <= row["units"]
    assert row["pairs"] == row["systems"] - 1
