"""Who judged which segment: campaigns worked by hand."""

import numpy as np
import pandas as pd
import pytest

from study.recovery import attribution
from study.recovery.attribution import State, WorkerGroup


def state_of(raw, z, judgements):
    """The state of one system and document."""
    segments = pd.DataFrame({"raw": raw, "z": z, "judgements": judgements})
    segments["segment"] = [f"d_{k}" for k in range(len(raw))]
    return State(segments.assign(system="A", document="d"))


def two_workers(sd, z):
    """Worker 0 is 50 + 20 z, worker 1 is 60 + sd z; the last segment is of both: 75."""
    raw = [30.0, 70.0, 90.0, 60.0, 60 + 2 * sd, 60 - 2 * sd, 75.0]
    return state_of(raw, [-1.0, 1.0, 2.0, 0.0, 2.0, -2.0, z], [1] * 6 + [2])


def test_segments_judged_once_give_scales_which_split_another_one():
    state = two_workers(12.5, (1.0 + 1.6) / 2)
    attribution.split_single(state)
    assert [*state.mean, *state.sd] == [50.0, 60.0, 20.0, 12.5]
    assert state.open_rows().tolist() == [6]
    assert state.split_of[4] == ((1,), (1,), (85,))
    attribution.split_by_known_workers(state)
    assert state.split_of[6] == ((0, 1), (1, 1), (70, 80))
    table = state.splits()
    assert table.columns.tolist() == ["row", "worker", "times", "total"]
    assert table[table["row"] == 6].values.tolist() == [[6, 0, 1, 70], [6, 1, 1, 80]]


def test_two_ways_to_judge_a_segment_are_ambiguous():
    state = two_workers(10.0, 1.5)  # 70 and 80, or worker 1 twice, 75 on average
    attribution.split_single(state)
    attribution.split_by_known_workers(state)
    assert 6 not in state.split_of
    assert np.flatnonzero(state.ambiguous).tolist() == [6]


def group_of(workers):
    """A run of several workers, who judged two segments twice; scores and sds."""
    rng = np.random.default_rng(2)
    segments = attribution.RUN_LENGTHS[workers] + 5
    scores = rng.integers(20, 91, (segments, workers))
    sd = np.sort(rng.uniform(12, 30, workers)).round(5)
    mean = rng.uniform(40, 70, workers).round(5)
    times = np.ones(len(scores), dtype=int)
    times[-2:] = 2
    z = ((scores - mean) / sd).mean(axis=1)
    return state_of(scores.mean(axis=1), z, times * workers), scores, sd


@pytest.mark.parametrize("workers", [2, 3])
def test_a_run_of_unknown_workers_becomes_a_group(workers):
    state, scores, sd = group_of(workers)
    attribution.split_unknown_groups(state, workers)
    (group,) = state.groups
    assert group.sd.tolist() == sd.tolist()
    assert not len(state.open_rows())
    order = np.argsort(group.rows)
    split = group.scores()[order]
    np.testing.assert_array_equal(split - split[0], scores - scores[0])
    assert group.times[order][-2:].tolist() == [2, 2]


# --- workers of known scale in other combinations -------------------------------------


def test_a_worker_is_not_two_workers_of_a_group():
    scores = np.random.default_rng(4).integers(20, 91, (12, 3))
    sd = np.array([14.12345, 14.12345, 25.54321])
    z = ((scores - np.array([60.5, 60.5, 45.25])) / sd).mean(axis=1)
    state = state_of(scores.mean(axis=1), z, [3] * 12)
    attribution.split_unknown_groups(state, 3)
    assert not state.groups


# --- what is known so far ---------------------------------------------------------


def test_a_place_is_the_number_at_the_end_of_a_segment_or_its_row():
    frame = pd.DataFrame({"segment": ["d_7", "d_10", "last"], "raw": 50.0, "z": 0.0})
    state = State(frame.assign(system="A", document="d", judgements=1))
    assert state.place.tolist() == [7, 10, 2]


def test_offsets_shift_the_scores_and_the_level_of_a_group():
    rows = np.array([0]), np.array([1]), np.array([[30, 40]])
    group = WorkerGroup([0, 1], np.array([10.0, 20.0]), 5.0, *rows)
    group.shift(np.array([20, -20]))
    assert group.scores().tolist() == [[50, 20]]
    assert group.level == 6.0  # 20 / 10 - 20 / 20 more
