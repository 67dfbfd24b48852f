"""WMT16 beyond the papers: ranges, clusters and distances by hand; the real outcomes."""

import numpy as np
import pandas as pd
import pytest
from judged import counts_of

from wmtlib.study import wmt16
from wmtlib.study.releases import sources
from wmtlib.study.wmt16 import Task

COUNTS = counts_of(("a", "b", 30, 10, 5), ("a", "c", 40, 5, 5), ("b", "c", 25, 20, 5))
PRINTED = pd.DataFrame(
    [(0.5, 1, 1, 1), (0.1, 2, 3, 2), (-0.6, 2, 3, 2)],
    index=["a", "b", "c"],
    columns=["score", "first_rank", "last_rank", "cluster"],
)
TASK = Task("wmt16", "x-y", "X-Y", COUNTS, None, PRINTED)


def test_ranks_of_runs_and_what_is_left_of_them():
    scores = np.array([[3.0, 2.0, 1.0]] * 39 + [[1.0, 2.0, 3.0]])
    ranks = wmt16.run_ranks(scores)
    assert ranks[0].tolist() == [1, 2, 3] and ranks[-1].tolist() == [3, 2, 1]
    # Of 40 runs one is cut at each end: the odd run is gone.
    first, last = wmt16.run_ranges(ranks)
    assert (first.tolist(), last.tolist()) == ([1, 2, 3], [1, 2, 3])
    first, last = wmt16.run_ranges(ranks[1:])  # of 39 none
    assert (first.tolist(), last.tolist()) == ([1, 2, 1], [3, 2, 3])


@pytest.mark.parametrize("estimate", [wmt16.TRUESKILL, wmt16.MAXIMUM])
def test_runs_of_a_clear_task(estimate):
    rng = np.random.default_rng(1)
    scores = wmt16.skill_runs(TASK, estimate, share=1.0, number=200, rng=rng)
    found = wmt16.outcome(scores)
    assert found.index.tolist() == ["a", "b", "c"]
    assert found["first_rank"].tolist()[0] == found["last_rank"].tolist()[0] == 1
    agrees = wmt16.against_printed(found, PRINTED)
    assert agrees["order"] and agrees["ranges"] >= 1
    again = wmt16.repeated(scores, PRINTED, repeats=20, rng=rng)
    assert again["repeat_order"] == 1 and 0 <= again["repeat_ranges"] <= 1


def test_fewer_comparisons_spread_the_runs():
    spread = [
        wmt16.skill_runs(
            TASK, wmt16.MAXIMUM, share=share, number=400, rng=np.random.default_rng(2)
        )["a"].std()
        for share in (1.0, 0.25)
    ]
    assert spread[1] == pytest.approx(2 * spread[0], rel=0.25)


def test_what_differs_from_the_print_is_counted():
    found = PRINTED.loc[["b", "a", "c"]].assign(last_rank=[3, 3, 3], cluster=[1, 1, 1])
    assert wmt16.against_printed(found, PRINTED) == {
        "order": False,
        "ranges": 2,
        "ends_off": 2,
        "clusters": False,
    }


def test_outcomes_of_runs_stand_beside_the_print():
    pools = [pd.DataFrame([[3.0, 2, 1], [3, 1, 2]] * 50, columns=[*"abc"])]
    again = {"trueskill": [wmt16.outcome(pool) for pool in pools]}
    row = wmt16.beside_printed([TASK], again, pools, repeats=5, seed=1).loc["X-Y"]
    assert row["trueskill_order"] and row["trueskill_ranges"] == row["systems"] == 3
    assert row["printed_lines"] == row["trueskill_lines"] == 1
    assert row["printed_width"] == pytest.approx(2 / 3) == row["trueskill_width"]


def test_exchanges_across_printed_lines():
    scores = pd.DataFrame({"mfas": [1.0, 2, -3], "expected-wins": [0.9, 0.1, 0.2]}, index=[*"abc"])
    drawn = {"mfas": pd.DataFrame([[1.0, 2, 3], [3, 2, 1]], columns=[*"abc"])}
    found = wmt16.exchanges([TASK], [scores], [drawn])
    # b above a crosses the line; c above b does not.
    assert found.to_numpy().tolist() == [["X-Y", "mfas", "a", "b", 1, 0.5]]


def test_distances_from_the_order_by_mean_skill():
    pool = pd.DataFrame([[3.0, 2.0, 1.0]], columns=[*"abc"])
    scores = pd.DataFrame({"expected-wins": [3.0, 1.0, 2.0]}, index=[*"abc"])
    drawn = {
        "expected-wins": pd.DataFrame([[3.0, 1, 2], [1, 2, 3]]),
        wmt16.MAXIMUM: pd.DataFrame([[3.0, 2, 1], [3, 2, 1]]),
    }
    found = wmt16.distances([TASK], [pool], [scores], [drawn]).iloc[0]
    assert found["distance"] == pytest.approx(1 / 3)
    assert found["sampling"] == pytest.approx((0 + 2 / 3) / 2)
    assert found["high"] <= 1 and found["low"] >= 1 / 3


def test_every_method_ranks_counts():
    (scores,) = wmt16.method_scores([TASK], seed=1)
    assert (scores.rank(ascending=False).loc["a"] == 1).all()
    (drawn,) = wmt16.resampled_scores([TASK], number=10, seed=1)
    assert {name: len(found) for name, found in drawn.items()} == dict.fromkeys(drawn, 10)
    assert {*drawn} == {*wmt16.SCORED, wmt16.MAXIMUM, "mfas"}


def test_the_embedded_tasks():
    tasks = wmt16.load_tasks(sources.resolve("embedded"))
    assert len(tasks) == 17 and all(task.outcome is None for task in tasks)
    found = wmt16.expansion(tasks, sources.resolve("embedded"))
    assert (found["pairs"] + found["identical"] == found["official"]).all()
    assert found["official"].sum() == 569287
