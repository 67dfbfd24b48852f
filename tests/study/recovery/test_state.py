"""The state of a recovery: places of segments, and offsets of a group, by hand."""

import numpy as np
import pandas as pd

from wmtlib.study.recovery.state import State, WorkerGroup


def test_a_place_is_the_number_at_the_end_of_a_segment_or_its_row():
    frame = pd.DataFrame({"segment": ["d_7", "d_10", "last"], "raw": 50.0, "z": 0.0})
    state = State(frame.assign(system="A", document="d", judgements=1))
    assert state.place.tolist() == [7, 10, 2]


def test_offsets_shift_the_scores_and_the_level_of_a_group():
    scores = {0: (1, np.array([30, 40]))}
    group = WorkerGroup([0, 1], np.array([10.0, 20.0]), level=5.0, rows=scores)
    group.shift(np.array([20, -20]))
    assert group.scores().tolist() == [[50, 20]]
    assert group.level == 6.0  # 20 / 10 - 20 / 20 more
