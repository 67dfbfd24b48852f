"""Sums of equal rows."""

import pandas as pd

from examples import rng
from wmtlib.yours.reading.judgements import summed


def test_sums_are_those_of_groupby():
    draw = rng(1)
    for size, rows in (
        (3, 500),
        (3, 0),
        (10**6, 40),
    ):  # of a million there are 10^18 combinations
        frame = pd.DataFrame(
            {"a": draw.integers(size, size=rows), "b": draw.integers(size, size=rows)}
        )
        for name in ("c", "d"):
            frame[name] = (
                frame["a"] if size > 3 else pd.Categorical(draw.choice([*"xyz"], rows))
            )
        frame["n"] = draw.integers(10**10, size=rows)
        keys = ["a", "b", "c", "d"]
        expected = frame.groupby(keys, observed=True)["n"].sum().reset_index()
        found = summed(frame, keys, ["n"])
        pd.testing.assert_frame_equal(found, expected, check_dtype=False)
