"""The state of a recovery: places of segments, by hand."""

import pandas as pd

from wmtlib.study.recovery.state import State


def test_a_place_is_the_number_at_the_end_of_a_segment_or_its_row():
    frame = pd.DataFrame({"segment": ["d_7", "d_10", "last"], "raw": 50.0, "z": 0.0})
    state = State(frame.assign(system="A", document="d", judgements=1))
    assert state.place.tolist() == [7, 10, 2]
