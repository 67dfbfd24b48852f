"""Tasks beside their worlds."""

import numpy as np
import pandas as pd
import pytest

from study.beyond import cycles
from study.data import ranking_releases, sources
from wmtlib import mfas

SOURCE = sources.resolve("embedded")
RESULTS = sources.ROOT / "results"


def test_random_cycles_have_no_part_that_strengths_explain():
    weight = np.triu(np.random.default_rng(1).integers(1, 9, (6, 6)), 1)
    weight = weight + weight.T
    drawn = cycles.random_cycles(weight, np.random.default_rng(2))
    assert np.allclose(drawn, -drawn.T)
    assert np.allclose((weight * drawn).sum(axis=1), 0)
    assert (weight * drawn**2).sum() / weight.sum() == pytest.approx(1)
    assert not cycles.random_cycles(np.ones((2, 2)), np.random.default_rng(2)).any()


def test_beside_chance_of_one_task():
    violated = {
        "observed": pd.DataFrame({"x": [4], "y": [0]}),
        "transitive": pd.DataFrame({"x": [0, 2, 4], "y": [0, 0, 0]}),
        "more": pd.DataFrame({"x": [*range(9)]}),
        "judge": pd.DataFrame({"x": [1, 5], "y": [0, 0]}),
        "0.3": pd.DataFrame({"x": [5, 9], "y": [0, 0]}),
    }
    table = cycles.beside_chance(violated)
    assert table["expected"].tolist() == [2, 0] and table["p"].tolist() == [0.6, 1]
    assert table["p_judge"]["x"] == pytest.approx(2 / 3) and "p_segment" not in table
    assert table["holm"]["x"] == 0.6 and np.isnan(table["holm"]["y"])


LABELS = ["2010 Czech-English", "2010 Czech-English (crowd)", "2012 Czech-English"]


def violated_in(*weights):
    """Worlds (rows) of three tasks: of the paper, of the crowd, of neither."""
    return pd.DataFrame([*weights], columns=LABELS)


def test_groups_of_tasks():
    groups = cycles.task_groups(pd.Index([*LABELS, "2011 Haitian Creole-English"]))
    chosen = {name: int(marked.sum()) for name, marked in groups.items()}
    assert chosen == {
        "all tasks": 4,
        "Lopez's 25": 1,
        "the crowd of 2010": 1,
        "all but the crowd": 3,
    }


def test_totals_are_compared_world_by_world():
    violated = {
        "observed": violated_in([2, 5, 1]),
        "transitive": violated_in([0, 9, 0], [1, 1, 1]),
        "judge": violated_in([9, 9, 9]),
    }
    totals = cycles.compare_totals(violated, "comparison").set_index(["tasks", "unit"])
    row = totals.loc[("all tasks", "comparison")]
    assert row["observed"] == 8 and row["expected"] == 6
    assert row["p"] == pytest.approx(2 / 3)
    assert totals.loc[("all tasks", "judge"), "p"] == 1
    with_a_cycle = totals.loc[("Lopez's 25, tasks with a cycle", "comparison")]
    assert with_a_cycle["observed"] == 1 and with_a_cycle["expected"] == 0.5
    shown = cycles.side_by_side(totals.reset_index())
    assert shown.loc["all tasks", "by comparison"] == "6 (3 to 9)"
    assert len(shown) == 5 and "p, judge" in shown


def test_power_is_the_share_of_worlds_above_what_chance_gives():
    violated = {
        "transitive": violated_in(*[[1, 1, 1]] * 20),
        "0.1": violated_in([1, 1, 1], [2, 0, 1]),
        "0.2": violated_in([2, 2, 2], [2, 1, 1]),
        "0.3": violated_in([2, 2, 2], [2, 2, 2]),
    }
    power = cycles.power(violated, pd.Series([5, 12, 2], LABELS))
    assert power.loc["3-9"].tolist() == [0.5, 1, 1]
    assert power.loc["10-14"].tolist() == [0, 0.5, 1]
    assert power.loc["total, all tasks"].tolist() == [0, 1, 1]
    assert power.loc["total, Lopez's 25"].tolist() == [0.5, 1, 1]


def test_equal_systems_violate_more_than_ordered_ones():
    equal = cycles.equal_worlds("wmt10", "cs-en", SOURCE, 20, seed=1)
    assert len(equal) == 20 and equal.mean() > 10


def test_decided_wins_of_a_task():
    frame = ranking_releases.load_comparisons("wmt10", "cs-en", source=SOURCE)
    assert cycles.unit_of(frame) == "comparison"
    wins = cycles.decided_wins(cycles.judgements_of(frame))
    assert mfas.exact_order(wins).cost == 2


def test_every_world_of_a_task_from_counts():
    tasks = [("wmt10", "cs-en")]
    violated = cycles.every_world(tasks, SOURCE, 20, seed=1)
    assert {*violated} == {"observed", "transitive", "0.1", "0.2", "0.3"}
    assert violated["observed"]["2010 Czech-English"].item() == 2
    assert violated["0.3"].mean().item() > violated["transitive"].mean().item()


def test_tasks_with_a_cycle_are_as_many_as_chance_gives():
    tasks = pd.read_csv(RESULTS / "cycles.csv", index_col="task")
    of_paper = tasks.index.str.match("201[01]") & ~tasks.index.str.contains("crowd")
    of_paper &= ~tasks.index.str.contains("Haitian")
    assert of_paper.sum() == 25
    totals = pd.read_csv(RESULTS / "cycles-totals.csv", index_col=["tasks", "unit"])
    row = totals.loc[("Lopez's 25, tasks with a cycle", "ranking")]
    assert row["observed"] == (tasks["observed"][of_paper] > 0).sum()
    assert row["low"] <= row["observed"] <= row["high"] < 25 and row["p"] > 0.05
    # A task with cycles in no world adds nothing, one with cycles in all of them 1.
    never, always = tasks["high"] == 0, tasks["low"] > 0
    assert always[of_paper].sum() < row["expected"] < 25 - never[of_paper].sum()
