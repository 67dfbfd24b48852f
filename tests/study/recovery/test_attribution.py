"""Who judged which segment: campaigns worked by hand."""

import numpy as np
import pandas as pd
import pytest

from wmtlib.study.recovery import attribution
from wmtlib.study.recovery.state import State


def state_of(raw, z, judgements, *, document="d"):
    """The state of one system and document."""
    segments = pd.DataFrame({"raw": raw, "z": z, "judgements": judgements})
    segments["segment"] = [f"{document}_{k}" for k in range(len(raw))]
    return State(segments.assign(system="A", document=document))


def two_workers(sd, z):
    """Worker 0 is 50 + 20 z; worker 1 is 60 + sd z; the last segment, 75 on average, is of both."""
    points = [
        (30, -1.0),
        (70, 1.0),
        (90, 2.0),
        (60, 0.0),
        (60 + 2 * sd, 2.0),
        (60 - 2 * sd, -2.0),
    ]
    raw = [*(float(r) for r, _ in points), 75.0]
    return state_of(raw, [*(z for _, z in points), z], [1] * 6 + [2])


def test_segments_judged_once_give_scales():
    known = two_workers(12.5, 1.3)
    attribution.split_single(known)
    assert (known.mean, known.sd) == ([50.0, 60.0], [20.0, 12.5])
    assert known.open_rows().tolist() == [6]
    assert known.split_of[4] == ((1,), (1,), (85,))


def test_two_known_workers_split_a_segment():
    known = two_workers(12.5, (1.0 + 1.6) / 2)
    attribution.split_single(known)
    attribution.split_by_known_workers(known)
    assert known.split_of[6] == ((0, 1), (1, 1), (70, 80))
    table = known.splits()
    assert table.columns.tolist() == ["row", "worker", "times", "total"]
    assert table[table["row"] == 6].values.tolist() == [[6, 0, 1, 70], [6, 1, 1, 80]]


def test_two_ways_to_judge_a_segment_are_ambiguous():
    known = two_workers(10.0, 1.5)  # 70 and 80, or worker 1 twice, 75 on average
    attribution.split_single(known)
    attribution.split_by_known_workers(known)
    assert 6 not in known.split_of
    assert np.flatnonzero(known.ambiguous).tolist() == [6]


def group_of(workers, *, seed=2, twice=0):
    """A run of several workers, the last segments of which they judged twice; scores and sds."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(
        20, 91, (attribution.RUN_LENGTHS[workers] + 3 + twice, workers)
    )
    sd, mean = (
        np.sort(rng.uniform(12, 30, workers)).round(5),
        rng.uniform(40, 70, workers).round(5),
    )
    times = np.ones(len(scores), dtype=int)
    times[len(scores) - twice :] = 2
    z = ((scores - mean) / sd).mean(axis=1)
    return state_of(scores.mean(axis=1), z, times * workers), scores, sd


@pytest.mark.parametrize("workers", [2, 3])
def test_a_run_of_unknown_workers_becomes_a_group(workers):
    known, scores, sd = group_of(workers, twice=2)
    attribution.split_unknown_groups(known, workers)
    (group,) = known.groups
    assert group.sd.tolist() == sd.tolist()
    assert not len(known.open_rows())
    rows = list(group.rows)
    found = group.scores()[np.argsort(rows)]
    np.testing.assert_array_equal(found - found[0], scores - scores[0])
    assert [group.rows[row][0] for row in sorted(rows)[-2:]] == [2, 2]


# --- workers of known scale in other combinations -------------------------------------


def test_a_worker_is_not_two_workers_of_a_group():
    rng = np.random.default_rng(4)
    scores = rng.integers(20, 91, (12, 3))
    sd, mean = np.array([14.12345, 14.12345, 25.54321]), np.array([60.5, 60.5, 45.25])
    z = ((scores - mean) / sd).mean(axis=1)
    known = state_of(scores.mean(axis=1), z, [3] * 12)
    attribution.split_unknown_groups(known, 3)
    assert not known.groups
