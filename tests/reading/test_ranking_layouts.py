"""Rankings in WMT's format: one row per output; refusals name file and line."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import message_of
from wmtlib.counts import RANKINGS, UNRANKED
from wmtlib.errors import Origin
from wmtlib.reading.columns import WMT_COLUMNS
from wmtlib.reading.ranking_layouts import pseudonyms, tidy_rankings

HERE = Origin("here.csv")


def raw(*rankings):
    """The WMT format of rankings: (source, target, segment, judge, {system: rank})."""
    rows = []
    for source, target, segment, judge, ranks in rankings:
        empty = 5 - len(ranks)
        slots = (
            [*ranks, *["blank"] * empty],
            [*map(str, ranks.values()), *["-1"] * empty],
        )
        rows.append([source, target, segment, judge, *slots[0], *slots[1]])
    return pd.DataFrame(rows, columns=WMT_COLUMNS, dtype=str)


TWO = raw(
    ("French", "English", "7", "X2", {"rali": 2, "_ref": 1, "lium": -1}),
    ("English", "Czech", "12", "X1", {"cu-bojar": 5, "uedin": 5}),
)


def refusal(frame, origin=HERE):
    return message_of(tidy_rankings, frame, origin)


def test_one_row_per_ranked_output():
    tidy = tidy_rankings(TWO, HERE)
    assert list(tidy.columns) == RANKINGS
    systems = tidy["system"].cat.categories
    assert " ".join(systems) == "_ref cu-bojar lium rali uedin"
    assert [" ".join(map(str, row)) for row in tidy.to_numpy()] == [
        "French,English 0 7 judge_002 rali 2",
        "French,English 0 7 judge_002 _ref 1",
        f"French,English 0 7 judge_002 lium {UNRANKED}",
        "English,Czech 1 12 judge_001 cu-bojar 5",
        "English,Czech 1 12 judge_001 uedin 5",
    ]


@pytest.mark.parametrize(
    "column, value, message",
    [
        ("trglang", " ", "trglang is ' '; expected a name"),
        ("system2Id", None, "system2Id is nan; expected a name"),
        (
            "system2Id",
            "cu-bojar",
            "system 'cu-bojar' is twice in one ranking; expected different systems:"
            " keep one row of each",
        ),
        ("system3rank", "1", "an empty slot ('blank') has a rank; expected -1"),
        ("system1rank", "6", "system1rank is '6'; expected 1-5, or -1 for blank"),
        ("srcIndex", "1.0", "srcIndex is '1.0'; expected a whole number"),
    ],
)
def test_refusals_name_the_line(column, value, message):
    frame = TWO.copy()
    frame.loc[1, column] = value
    assert refusal(frame) == f"here.csv, line 3: {message}"
    assert refusal(frame, HERE.take([2, 7])) == f"here.csv, line 9: {message}"


@given(st.lists(st.text("aBé ", max_size=3)))
def test_pseudonyms_tell_the_same_people_apart_and_nothing_else(people):
    hidden = pseudonyms(pd.Series(people, dtype=str), prefix="worker")
    order = sorted({*people})
    assert list(hidden) == [f"worker_{order.index(p) + 1:03d}" for p in people]
