"""Splits of segment means: campaigns worked by hand."""

import numpy as np
import pandas as pd
import pytest

from study.recovery import attribution
from study.recovery.knowledge import nothing_found


def segments_of(raw, z, judgements):
    """Return what is known before the first step: one system and document."""
    segments = pd.DataFrame({"raw": raw, "z": z, "judgements": judgements})
    segments["segment"] = [f"d_{k}" for k in range(len(raw))]
    return nothing_found(segments.assign(system="A", document="d"))


def two_workers(sd, z):
    """Return segments of workers 50 + 20 z and 60 + sd z; of both the last one: 75."""
    raw = [30.0, 70.0, 90.0, 60.0, 60 + 2 * sd, 60 - 2 * sd, 75.0]
    return segments_of(raw, [-1.0, 1.0, 2.0, 0.0, 2.0, -2.0, z], [1] * 6 + [2])


def splits_of(known, row):
    """Return worker, times and total of each who judged a row."""
    splits = known.splits
    return splits[splits["row"] == row].drop(columns="row").values.tolist()


def test_split_single_gives_scales_which_split_a_row_of_two_workers():
    known = attribution.split_single(two_workers(12.5, (1.0 + 1.6) / 2))
    assert [*known.mean, *known.sd] == [50.0, 60.0, 20.0, 12.5]
    assert known.open_rows().tolist() == [6]
    assert splits_of(known, 4) == [[1, 1, 85]]
    known = attribution.split_by_known_workers(known)
    assert known.splits.columns.tolist() == ["row", "worker", "times", "total"]
    assert splits_of(known, 6) == [[0, 1, 70], [1, 1, 80]]


def test_split_by_known_workers_marks_a_row_with_two_splits_as_ambiguous():
    known = two_workers(10.0, 1.5)  # 70 and 80, or worker 1 twice, 75 on average
    known = attribution.split_by_known_workers(attribution.split_single(known))
    assert not splits_of(known, 6)
    assert np.flatnonzero(known.ambiguous).tolist() == [6]


def group_of(workers):
    """Draw a run of several workers, who judged two segments twice; scores and sds."""
    rng = np.random.default_rng(2)
    segments = attribution.RUN_LENGTHS[workers] + 5
    scores = rng.integers(20, 91, (segments, workers))
    sd = np.sort(rng.uniform(12, 30, workers)).round(5)
    mean = rng.uniform(40, 70, workers).round(5)
    times = np.ones(len(scores), dtype=int)
    times[-2:] = 2
    z = ((scores - mean) / sd).mean(axis=1)
    return segments_of(scores.mean(axis=1), z, times * workers), scores, sd


@pytest.mark.parametrize("workers", [2, 3])
def test_split_unknown_groups_finds_the_workers_of_a_run(workers):
    known, scores, sd = group_of(workers)
    known = attribution.split_unknown_groups(known, workers=workers)
    (group,) = known.groups
    assert group.sd.tolist() == sd.tolist()
    assert not len(known.open_rows())
    order = np.argsort(group.rows)
    split = group.scores()[order]
    np.testing.assert_array_equal(split - split[0], scores - scores[0])
    assert group.times[order][-2:].tolist() == [2, 2]


def test_split_unknown_groups_takes_two_equal_sds_for_one_worker():
    scores = np.random.default_rng(4).integers(20, 91, (12, 3))
    sd = np.array([14.12345, 14.12345, 25.54321])
    z = ((scores - np.array([60.5, 60.5, 45.25])) / sd).mean(axis=1)
    known = segments_of(scores.mean(axis=1), z, [3] * 12)
    assert not attribution.split_unknown_groups(known, workers=3).groups
