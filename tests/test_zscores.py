"""z-scores, segment means and rankings: worked by hand and against a plain loop."""

import runpy
import statistics
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import ASSESSED as NAMES
from examples import (
    FLOOR,
    JUDGEMENTS,
    data_error,
    drawn,
    encoded,
    frame_of,
    one_worker,
    rank_systems,
    rng,
)
from wmtlib import zscores
from wmtlib.core.assessments import encode

# --- by hand --------------------------------------------------------------------------


def test_a_campaign_worked_by_hand():
    campaign = encoded(
        [
            "w1 A SYSTEM 1 60",  # mean 50, sd 10
            "w1 B REPEAT 1 40",
            "w1 A BAD_REF 1 50",
            "w2 A+B SYSTEM 1 90",  # mean 80, sd 10
            "w2 REFERENCE REF 2 80",
            "w2 B SYSTEM 2 70",
            "w3 A SYSTEM 2 77",  # never varies: left out altogether
            "w3 A SYSTEM 3 77",
        ]
    )
    scales = zscores.worker_table(campaign)
    assert scales.loc[["w1", "w2"]].to_numpy().tolist() == [[3, 50, 10], [3, 80, 10]]
    assert scales.loc["w3", "sd"] == 0
    z = zscores.standardised(campaign)
    assert z[:6].tolist() == [1, -1, 0, 1, 0, -1] and np.isnan(z[6:]).all()
    means = zscores.segment_means(campaign)
    assert means.to_numpy().tolist() == [
        ["A", "", "1", 75, 1, 2],
        ["B", "", "1", 65, 0, 2],
        ["B", "", "2", 70, -1, 1],
    ]
    ranking = rank_systems(campaign)
    assert ranking.table.to_numpy().tolist() == [
        ["A", 1, 1, 75, 1, 2],
        ["B", 2, -0.5, 67.5, 2, 3],
    ]
    assert ranking.order == ["A", "B"]


def test_one_segment_of_two_documents_is_two_segments():
    scores = [("A", 10), ("A", 30), ("B", 20)]
    table = frame_of([("w", name, "SYSTEM", "1", x, True) for name, x in scores])
    table["document"] = ["d1", "d2", "d1"]
    assert len(zscores.segment_means(encode(table))) == 3


def test_unlisted_judgements_count_for_the_workers_scale_only():
    every = [*one_worker(40, 60, 50, 30), "w A REF 9 90",
             "w A REF 9 75"]  # fmt: skip
    unlisted = pd.DataFrame(
        [[2, 165.0, 90.0**2 + 75**2], [5, 1.0, 1.0]],
        index=["w", "somebody else"],
        columns=["judgements", "total", "squares"],
    )
    part = encoded(every[:4], unlisted=unlisted)
    whole = encoded(every)
    scales = zscores.worker_table(whole)
    pd.testing.assert_frame_equal(zscores.worker_table(part), scales, rtol=1e-12)
    z = zscores.standardised(part)
    assert z == pytest.approx(zscores.standardised(whole)[:4], rel=1e-12)


@given(JUDGEMENTS, st.lists(st.integers(0, 4), min_size=4, max_size=4))
def test_a_worker_keeps_the_scale_if_all_judgements_are_drawn_equally_often(
    judgements, times
):
    sums = {"judgements": 2.0, "total": 120.0, "squares": 80.0**2 + 40.0**2}
    campaign = encoded(judgements, unlisted=pd.DataFrame(sums, index=["w0"]))
    resampled = zscores.worker_scales(campaign, times=np.array(times)[campaign.worker])
    for found, expected in zip(resampled, zscores.worker_scales(campaign), strict=True):
        assert found == pytest.approx(expected, rel=1e-12)


def test_workers_of_whom_nothing_counts_are_left_out():
    nothing = np.zeros(len(FLOOR), dtype=bool)
    number, _, sd = zscores.worker_scales(encoded(FLOOR), counted=nothing)
    assert not number.any() and not sd.any()


@given(JUDGEMENTS)
def test_equation_1_on_a_frame_is_that_on_arrays(judgements):
    table = frame_of(judgements)
    z = zscores.z_scores(table)
    assert z.columns.tolist() == ["worker", "system", "segment", "score", "z"]
    np.testing.assert_allclose(
        z["z"], zscores.standardised(encode(table)), rtol=1e-9, atol=1e-12
    )


CONSTANT = encoded([*one_worker(10, 20), "v C SYSTEM 1 5"])
REFUSED = encode(
    frame_of([*one_worker(10, 20), "v C SYSTEM 1 5"]).assign(
        accepted=lambda frame: frame["system"] != "C"
    )
)
NO_WORKER = frame_of(one_worker(1, 2)).drop(columns="worker")


@pytest.mark.parametrize(
    "function, data, message",
    [
        (
            rank_systems,
            CONSTANT,
            "system 'C' is left without z-scores; expected scores of workers who gave"
            " two different ones; to rank by raw scores, add method='raw-score'",
        ),
        (
            rank_systems,
            REFUSED,
            "system 'C' is left without segments; expected accepted judgements",
        ),
        (
            zscores.z_scores,
            NO_WORKER,
            "'worker' is missing; expected a frame of direct",
        ),
    ],
    ids=["system", "accepted", "column"],
)
def test_what_is_refused(function, data, message):
    with data_error(message):
        function(data)


# --- against a plain loop, and what must not matter -----------------------------------


def plainly(judgements):
    """Segment means by lists and dicts."""
    scores = defaultdict(list)
    for worker, _, _, _, score, _ in judgements:
        scores[worker].append(score)
    cells = defaultdict(list)
    for worker, system, item, segment, score, accepted in judgements:
        given_scores = scores[worker]
        if accepted and item in ("SYSTEM", "REPEAT") and len(set(given_scores)) > 1:
            z = (score - statistics.mean(given_scores)) / statistics.stdev(given_scores)
            for name in system.split("+"):
                cells[name, segment].append((score, z))
    return {
        cell: (statistics.mean(raw), statistics.mean(z), len(z))
        for cell, values in cells.items()
        for raw, z in [zip(*values, strict=True)]
    }


@given(JUDGEMENTS)
def test_segment_means_are_those_of_a_plain_loop(judgements):
    found = {
        (row.system, row.segment): (row.raw, row.z, row.judgements)
        for row in zscores.segment_means(encoded(judgements)).itertuples()
    }
    expected = plainly(judgements)
    assert found.keys() == expected.keys()
    for cell, values in expected.items():
        assert found[cell] == pytest.approx(values, rel=1e-12, abs=1e-12)


@given(JUDGEMENTS, st.randoms(use_true_random=False))
def test_row_order_does_not_matter_to_the_last_bit(judgements, random):
    shuffled = random.sample(judgements, len(judgements))
    left, right = (rank_systems(encoded(j)) for j in (judgements, shuffled))
    pd.testing.assert_frame_equal(left.table, right.table, check_exact=True)
    assert left.note == right.note


# --- the bootstrap of assessments ---


class Given:
    """A generator that draws every unit a given number of times, or once."""

    def __init__(self, times=None):
        self.times = times

    def spawn(self, number):
        return [self] * number

    def multinomial(self, size, shares, times):
        drawn = np.ones(size, dtype=int) if self.times is None else np.array(self.times)
        return np.tile(drawn, (times, 1))


@pytest.mark.parametrize("column", ["score", "raw"])
def test_a_resample_of_everything_once_is_the_campaign_itself(column):
    campaign = encode(drawn(0))
    options = {"unit": "hit", "n_resamples": 1, "rng": Given()}
    means = zscores.bootstrap_means(campaign, column=column, **options)
    expected = rank_systems(campaign).column(column)[NAMES].tolist()
    assert means[0].tolist() == pytest.approx(expected, rel=1e-13)


def bootstrap(campaign, times, unit="worker"):
    rng = Given(times)
    return zscores.bootstrap_means(
        campaign, unit=unit, n_resamples=1, rng=rng, column="score"
    )[0]


def test_a_worker_drawn_twice_counts_twice_by_hand():
    # z is -1, 0 and 1 for each worker. A: x (w1 -1, w2 1), y (w1 0). B: x (w2 -1), y
    # (w1 1, w2 0).
    campaign = encoded(
        [
            "w1 A SYSTEM x 40",
            "w1 A SYSTEM y 50",
            "w1 B SYSTEM y 60",
            "w2 B SYSTEM x 70",
            "w2 B SYSTEM y 80",
            "w2 A SYSTEM x 90",
        ]
    )
    assert bootstrap(campaign, [1, 1]).tolist() == [0, (-1 + 1 / 2) / 2]
    # w1 twice: A's x is -1 with weight 2/2, y 0 with weight 2; B's y is 1 with weight
    # 2/2.
    assert bootstrap(campaign, [2, 0]).tolist() == [-1 / 3, 1]
    # Three draws of w1, one of w2: A's x (-3 + 1)/4 with weight 4/2, y 0 with weight 3.
    found = bootstrap(campaign, [3, 1])
    assert found == pytest.approx([-1 / 5, (-1 * 1 + 3 / 4 * 2) / 3])


@pytest.mark.parametrize("unit", ["hit", "worker", "document", "segment"])
def test_a_unit_drawn_twice_is_two_units_where_segments_are_judged_once(unit):
    """Copies then judge their own segments: Equation 1 can be computed anew."""
    table = drawn(3, size=300)
    table["segment"] = [f"s{k}" for k in range(len(table))]
    campaign = encode(table)
    number, size = campaign.units(unit)
    times = rng(1).multinomial(size, np.full(size, 1 / size))
    copies = []
    renamed = ["segment", "worker"] if unit == "worker" else ["segment"]
    # A copy of a worker has the scale of the worker, ddof 1.
    for k in range(times.max()):
        copies.append(table[times[number] > k].copy())
        copies[-1][renamed] += f" {k}"
    expected = rank_systems(encode(pd.concat(copies))).column("score")
    found = bootstrap(campaign, times, unit)
    # A worker who judged a unit that is drawn twice has a divisor of n - 1 here, 2n - 1
    # in copies.
    tolerance = 1e-12 if unit == "worker" else 0.03
    assert found == pytest.approx(
        expected[[*campaign.systems]].to_numpy(), abs=tolerance
    )


@pytest.mark.parametrize("unit, times", [("worker", [2, 0]), ("segment", [1, 1, 0, 0])])
def test_a_resample_says_nothing_of_a_system_that_it_lacks(unit, times):
    rows = [f"{w} {s} SYSTEM {s}{k} {10 * k}" for w, s in ("aA", "bB") for k in (1, 2)]
    found = bootstrap(encoded(rows), times, unit)
    assert np.isnan(found).tolist() == [False, True]


@pytest.mark.parametrize("unit", ["worker", "document"])
def test_in_how_many_units_a_system_occurs(unit):
    table = drawn(2)
    rated = table[table["item"].isin(["SYSTEM", "REPEAT"])]
    found = zscores.occurrences(encode(table), unit)
    assert found.tolist() == rated.groupby("system")[unit].nunique()[NAMES].tolist()


@pytest.mark.slow
def test_the_spread_is_that_of_new_campaigns_if_workers_are_all_that_varies():
    script = runpy.run_path(
        Path(__file__).parents[1] / "benchmarks" / "bootstrap_coverage.py"
    )
    (now, error), (before, _) = script["coverage"](3, 160)
    assert abs(now - 1) < 0.05 + 2 * error
    assert before < 0.9
