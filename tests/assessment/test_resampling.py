"""The bootstrap of assessments."""

import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from assessed import NAMES, assessments, drawn

from wmtlib import zscores as resampling
from wmtlib.errors import DataError
from wmtlib.ranking import rank_systems
from wmtlib.zscores import CAMPAIGN_UNITS, encode


class Given:
    """A generator that draws every unit a given number of times, or once."""

    def __init__(self, times=None):
        self.times = times

    def multinomial(self, size, shares):
        return np.ones(size, dtype=int) if self.times is None else np.array(self.times)


@pytest.mark.parametrize("unit", ["hit", "worker"])
def test_bootstrap_errors_shrink_with_more_data(unit):
    errors = []
    for size in (600, 9600):
        table = drawn(4, size=size)
        table["worker"] = table["hit"] + table["worker"]
        rng = np.random.default_rng(2)
        means = resampling.bootstrap_means(
            encode(table), unit=unit, n_resamples=60, rng=rng, column="score"
        )
        assert means.shape == (60, len(NAMES))
        errors.append(means.std(axis=0).mean())
    assert errors[1] < 0.5 * errors[0]


@pytest.mark.parametrize("column", ["score", "raw"])
def test_a_resample_of_everything_once_is_the_campaign_itself(column):
    campaign = encode(drawn(0))
    options = {"unit": "hit", "n_resamples": 1, "rng": Given()}
    means = resampling.bootstrap_means(campaign, column=column, **options)
    assert means[0].tolist() == rank_systems(campaign).column(column)[NAMES].tolist()


def bootstrap(campaign, times, unit="worker"):
    rng = Given(times)
    return resampling.bootstrap_means(campaign, unit=unit, n_resamples=1, rng=rng, column="score")[
        0
    ]


def test_a_worker_drawn_twice_counts_twice_by_hand():
    # z is -1, 0 and 1 for each worker. A: x (w1 -1, w2 1), y (w1 0). B: x (w2 -1), y (w1 1, w2 0).
    scores = [("w1", "A", "x", 40), ("w1", "A", "y", 50), ("w1", "B", "y", 60)]
    scores += [("w2", "B", "x", 70), ("w2", "B", "y", 80), ("w2", "A", "x", 90)]
    rows = [("h", w, s, "SYSTEM", "", segment, score) for w, s, segment, score in scores]
    campaign = encode(assessments(rows))
    assert bootstrap(campaign, [1, 1]).tolist() == [0, (-1 + 1 / 2) / 2]
    # w1 twice: A's x is -1 with weight 2/2, y 0 with weight 2; B's y is 1 with weight 2/2.
    assert bootstrap(campaign, [2, 0]).tolist() == [-1 / 3, 1]
    # Three draws of w1, one of w2: A's x (-3 + 1)/4 with weight 4/2, y 0 with weight 3.
    found = bootstrap(campaign, [3, 1])
    assert found == pytest.approx([-1 / 5, (-1 * 1 + 3 / 4 * 2) / 3])


@pytest.mark.parametrize("unit", CAMPAIGN_UNITS)
def test_a_unit_drawn_twice_is_two_units_where_segments_are_judged_once(unit):
    """Copies then judge segments of their own, so that Equation 1 can be computed anew."""
    table = drawn(3, size=300)
    table["segment"] = [f"s{k}" for k in range(len(table))]
    campaign = encode(table)
    number, size = campaign.units(unit)
    times = np.random.default_rng(1).multinomial(size, np.full(size, 1 / size))
    copies = []
    for k in range(times.max()):
        copy = table[times[number] > k].copy()
        copy["segment"] = copy["segment"] + f" {k}"
        if unit == "worker":  # every copy has the scale of the worker, ddof 1
            copy["worker"] = copy["worker"] + f" {k}"
        copies.append(copy)
    expected = rank_systems(encode(pd.concat(copies))).column("score")
    found = bootstrap(campaign, times, unit)
    # A worker who judged a unit that is drawn twice has a divisor of n - 1 here, 2n - 1 in copies.
    tolerance = 1e-12 if unit == "worker" else 0.03
    assert found == pytest.approx(expected[[*campaign.systems]].to_numpy(), abs=tolerance)


def test_a_segment_drawn_twice_counts_twice_by_hand():
    rows = [("A", "x", 10), ("A", "y", 40), ("B", "x", 20), ("B", "y", 30)]
    campaign = encode(assessments([("h", "w", s, "SYSTEM", k, "1", v) for s, k, v in rows]))
    for unit in ("segment", "document"):  # documents x and y, of one segment each
        (means,) = resampling.bootstrap_means(
            campaign, unit=unit, n_resamples=1, rng=Given([3, 1]), column="raw"
        )
        assert means.tolist() == [(3 * 10 + 40) / 4, (3 * 20 + 30) / 4]


def test_a_resample_without_a_system_is_refused():
    rows = [("h", w, s, "SYSTEM", "", str(k), 10 * k) for w, s in ("aA", "bB") for k in range(3)]
    with pytest.raises(DataError, match="system 'B' is left without segments"):
        bootstrap(encode(assessments(rows)), [2, 0])


def test_one_worker_alone_is_refused():
    campaign = encode(drawn(0).assign(worker="w"))
    with pytest.raises(DataError, match=r"1 worker\(s\) to draw from; expected two or more"):
        resampling.bootstrap_means(
            campaign, unit="worker", n_resamples=1, rng=Given(), column="score"
        )


@pytest.mark.slow
def test_the_spread_is_that_of_new_campaigns_if_workers_are_all_that_varies():
    script = runpy.run_path(Path(__file__).parents[2] / "benchmarks" / "bootstrap_coverage.py")
    (now, error), (before, _) = script["coverage"](3, 160)
    assert abs(now - 1) < 0.05 + 2 * error
    assert before < 0.9
