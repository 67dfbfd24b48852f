"""Knowledge of a campaign: its segments as arrays, offsets of groups."""

from dataclasses import replace

import numpy as np
import pandas as pd

from study.recovery.knowledge import WorkerGroup, nothing_found


def test_place_is_the_number_at_the_end_of_a_segment_or_its_row():
    frame = pd.DataFrame({"segment": ["d_7", "d_10", "last"], "raw": 50.0, "z": 0.0})
    known = nothing_found(frame.assign(system="A", document="d", judgements=1))
    assert known.segments.place.tolist() == [7, 10, 2]


def test_with_offsets_shifts_scores_and_level_of_a_group_and_of_those_aligned_to_it():
    frame = pd.DataFrame({"segment": ["d_1"], "raw": 35.0, "z": 0.0, "judgements": 2})
    known = nothing_found(frame.assign(system="A", document="d"))
    rows = np.array([0]), np.array([1]), np.array([[30, 40]])
    group = WorkerGroup(np.array([0, 1]), np.array([10.0, 20.0]), 5.0, *rows)
    aligned = (1, np.array([1, 0]))  # the same two workers, in another order
    base = replace(group, aligned=(aligned,))
    other = replace(group, sd=np.array([20.0, 10.0]))
    before = replace(known, groups=(base, other))
    after = before.with_offsets(0, np.array([20, -20]))
    assert [group.scores().tolist() for group in after.groups] == [
        [[50, 20]],
        [[10, 60]],
    ]
    # 20 / 10 - 20 / 20 more
    assert [group.level for group in after.groups] == [6.0, 6.0]
    assert [group.fixed for group in after.groups] == [True, True]
    assert before.groups[0].scores().tolist() == [[30, 40]]
