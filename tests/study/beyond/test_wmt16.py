"""WMT16's official outcomes: ranges, clusters, distances by hand; a printed task."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy import special

from examples import counts_of, rng
from study.beyond import wmt16
from study.beyond.wmt16 import Task
from study.data import sources
from wmtlib import trueskill

COUNTS = counts_of(("a", "b", 30, 10, 5), ("a", "c", 40, 5, 5), ("b", "c", 25, 20, 5))
PRINTED = pd.DataFrame(
    [(0.5, 1, 1, 1), (0.1, 2, 3, 2), (-0.6, 2, 3, 2)],
    index=["a", "b", "c"],
    columns=["score", "first_rank", "last_rank", "cluster"],
)
TASK = Task("wmt16", "x-y", "X-Y", COUNTS, None, PRINTED)


def test_run_ranges_cut_a_fortieth_at_each_end():
    ranks = wmt16.run_ranks(np.array([[3.0, 2.0, 1.0]] * 39 + [[1.0, 2.0, 3.0]]))
    assert ranks[0].tolist() == [1, 2, 3] and ranks[-1].tolist() == [3, 2, 1]
    # Of 40 runs one is cut at each end: the odd run is gone.
    first, last = wmt16.run_ranges(ranks)
    assert (first.tolist(), last.tolist()) == ([1, 2, 3], [1, 2, 3])
    first, last = wmt16.run_ranges(ranks[1:])  # of 39 none
    assert (first.tolist(), last.tolist()) == ([1, 2, 1], [3, 2, 3])


def plain_run(counts, rng):
    """Play one run of WMT16's TrueSkill, match by match."""
    n = len(counts.systems)
    total = counts.comparisons
    wins = counts.wins.to_numpy()
    ties = counts.ties.to_numpy()
    pairs = [*itertools.combinations(range(n), 2)]
    first, second = np.triu_indices(n, 1)
    seen = [*ties[first, second], *wins[first, second], *wins[second, first]]
    drawn = rng.multinomial(total, np.array(seen) / total).reshape(3, len(pairs))
    variance = (0.25 + 1e-12 * rng.random((1, n)))[0].tolist()
    mean = [0.0] * n
    beta = 0.5 * total / 40
    margin = math.sqrt(2) * beta * special.ndtri(0.625)
    for _ in range(total):
        ((of_opponent,), (of_outcome,)) = rng.random((2, 1))
        a = variance.index(max(variance))
        chance = [0 if b == a else math.exp(-abs(mean[a] - mean[b])) for b in range(n)]
        reached = itertools.accumulate(chance)
        b = next(
            b for b, sum_ in enumerate(reached) if sum_ >= of_opponent * sum(chance)
        )
        tie, low_wins, high_wins = drawn[:, pairs.index((min(a, b), max(a, b)))]
        a_wins = low_wins if a < b else high_wins
        size = tie + low_wins + high_wins
        tied = of_outcome < tie / size
        won = of_outcome < (tie + a_wins) / size
        winner, loser = (a, b) if won else (b, a)
        c = math.sqrt(2 * beta**2 + variance[a] + variance[b])
        t = (mean[winner] - mean[loser]) / c
        e = margin / c
        v, w = trueskill.moved(e - t, 1e9)
        if tied:
            v, w = trueskill.moved(abs(t) - e, abs(t) + e)
            v = math.copysign(v, -t)
        mean[winner] += variance[winner] / c * v
        mean[loser] -= variance[loser] / c * v
        for k in (a, b):
            variance[k] -= (variance[k] / c) ** 2 * w
    return mean


def test_official_runs_are_those_of_a_plain_loop():
    found = wmt16.official_runs(COUNTS, 1, rng(3)).loc[0].tolist()
    assert found == pytest.approx(plain_run(COUNTS, rng(3)), abs=1e-12)


def test_official_runs_leave_a_system_that_was_not_drawn_at_0():
    counts = counts_of(("a", "b", 1, 0, 0), ("b", "c", 1, 0, 0))
    runs = wmt16.official_runs(counts, 40, rng(1))
    assert 0 < (runs == 0).any(axis=1).sum() < 40
    assert (runs["a"] >= 0).all() and (runs["c"] <= 0).all()


def test_against_printed_counts_what_differs():
    found = PRINTED.loc[["b", "a", "c"]].assign(last_rank=[3, 3, 3], cluster=[1, 1, 1])
    expected = {"order": False, "skills": 0, "ranges": 2, "ends_off": 2}
    expected |= {"clusters": False, "lines": 0, "width": 4 / 3}
    assert wmt16.against_printed(found, PRINTED) == expected


def test_distances_are_from_the_order_by_mean_skill():
    pool = pd.DataFrame([[3.0, 2.0, 1.0]], columns=[*"abc"])
    scores = pd.DataFrame({"expected-wins": [3.0, 1.0, 2.0]}, index=[*"abc"])
    drawn = {"expected-wins": pd.DataFrame([[3.0, 1, 2], [1, 2, 3]])}
    found = wmt16.distances([TASK], [pool], [scores], [drawn]).iloc[0]
    assert found["distance"] == pytest.approx(1 / 3)
    assert found["sampling"] == pytest.approx((0 + 2 / 3) / 2)


def test_load_tasks_has_all_embedded_tasks():
    tasks = wmt16.load_tasks(sources.resolve("embedded"))
    assert len(tasks) == 17 and all(task.outcome.empty for task in tasks)
    assert sum(task.counts.comparisons for task in tasks) == 596151


@pytest.mark.realdata
def test_official_runs_give_the_printed_skills_of_a_task(mirror):
    source = sources.resolve("mirror", sources.LATER_RELATIVE)
    task = next(t for t in wmt16.load_tasks(source) if t.name == "tr-en")
    found = wmt16.official_runs(task.counts, 200, rng(1))
    assert wmt16.against_printed(wmt16.outcome(found), task.outcome)["skills"] < 0.02


def test_pairs_in_same_order_leave_out_the_other_order_on_the_screen():
    rows = [
        ("de-en", 1, "a", "b", "x", 1),
        ("de-en", 1, "a", "b", "y", 1),
        ("de-en", 1, "a", "b", "y", 0),
        ("de-en", 1, "b", "a", "z", -1),  # agrees, but in the other order
        ("de-en", 2, "a", "b", "x", 1),  # another segment
    ]
    columns = ["task", "segment", "system_1", "system_2", "judge", "preference"]
    found = wmt16.pairs_in_same_order(pd.DataFrame(rows, columns=columns))
    assert found.loc[("inter", "de-en")].tolist() == [1, 3]
    assert found.loc[("intra", "de-en")].tolist() == [0, 1]
