"""Segment means: what is refused, and which rows are one judgement."""

import numpy as np
import pandas as pd
import pytest

from wmtlib.errors import DataError
from wmtlib.study.recovery import segment_means

ROW = {"system": "A", "document": "d", "segment": "d_0", "raw": 50.0, "z": 0.0, "judgements": 1}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([ROW | {"raw": 33.3}], "row 1: raw is not the mean"),
        ([ROW | {"judgements": 0}], "row 1: judgements must be a whole number from 1"),
        ([ROW | {"z": np.nan}], "row 1: a value is missing"),
        ([ROW | {"z": np.inf}], "row 1: raw and z must be finite"),
        ([ROW | {"raw": -np.inf}], "row 1: raw and z must be finite"),
        ([ROW, ROW], "row 2: this system and segment stand there twice"),
        ([{k: v for k, v in ROW.items() if k != "z"}], "column 'z' is missing"),
    ],
)
def test_impossible_segment_means_are_refused(rows, message):
    with pytest.raises(DataError, match=message):
        segment_means.checked(pd.DataFrame(rows))


def test_no_rows_are_refused():
    with pytest.raises(DataError, match="no rows"):
        segment_means.checked(pd.DataFrame([ROW]).iloc[:0])


def test_identical_outputs_are_one_row_and_references_stay_apart():
    systems = ["B", "A", "HUMAN", "C"]
    frame = pd.DataFrame([ROW | {"system": name, "raw": 50.0 + (name == "C")} for name in systems])
    place, table = segment_means.joined(frame, frozenset(["HUMAN"]), joint=True)
    assert place.tolist() == [0, 0, 1, 2]
    assert table["system"].tolist() == ["A+B", "HUMAN", "C"]
    place, table = segment_means.joined(frame, frozenset(["HUMAN"]), joint=False)
    assert place.tolist() == [0, 1, 2, 3] and table["system"].tolist() == systems
