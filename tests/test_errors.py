"""Every refusal is one line: which file, which line of it, what was expected."""

import numpy as np
import pandas as pd
import pytest

from wmtlib.errors import (
    DataError,
    DataUnavailable,
    Origin,
    check_values,
    first_row,
    shown,
)


def test_a_refusal_names_the_line_of_a_row_or_the_file():
    here, there = Origin("here.csv"), Origin("there.csv", [4, 9])
    assert str(here.refuse(0, "is odd")) == "here.csv, line 2: is odd"
    assert str(there.refuse(1, "is odd")) == "there.csv, line 9: is odd"
    assert str(here.refuse(None, "is empty")) == "here.csv: is empty"
    assert isinstance(here.refuse_line(1, "x"), DataError) and issubclass(DataError, ValueError)
    assert issubclass(DataUnavailable, DataError)


def test_the_first_bad_value_is_shown_short():
    raw = pd.DataFrame({"x": ["1", "2", "z" * 99, None]}, dtype="category")
    check_values(raw[:2], ["x"], str.isdigit, "digits", Origin("f"))
    with pytest.raises(DataError) as refused:
        check_values(raw, ["x"], str.isdigit, "digits", Origin("f"))
    assert str(refused.value) == f"f, line 4: x is '{'z' * 35}...; expected digits"
    with pytest.raises(DataError, match=r"^f, line 5: x is nan"):
        check_values(raw.drop(2), ["x"], str.isdigit, "digits", Origin("f", [2, 3, 5]))
    assert shown(12) == "12"
    assert first_row(np.array([False, True, True])) == 1 and first_row(np.zeros(3, bool)) is None
