"""One row per ranking in, one row per ranked output out; every refusal names file and line."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmtlib import counts as direct_assessments
from wmtlib import counts as relative_rankings
from wmtlib.counts import ASSESSMENTS, RANKINGS, UNRANKED, WMT_COLUMNS
from wmtlib.errors import DataError, Origin

HERE = Origin("here.csv")


def raw(*rankings):
    """Rankings, each (source, target, segment, judge, {system: rank}), in the WMT format."""
    rows = []
    for source, target, segment, judge, ranks in rankings:
        empty = 5 - len(ranks)
        slots = [*ranks, *["blank"] * empty], [*map(str, ranks.values()), *["-1"] * empty]
        rows.append([source, target, segment, judge, *slots[0], *slots[1]])
    return pd.DataFrame(rows, columns=WMT_COLUMNS, dtype=str)


TWO = raw(
    ("French", "English", "7", "X2", {"rali": 2, "_ref": 1, "lium": -1}),
    ("English", "Czech", "12", "X1", {"cu-bojar": 5, "uedin": 5}),
)


def refusal(frame, origin=HERE):
    with pytest.raises(DataError) as refused:
        relative_rankings.tidy_rankings(frame, origin)
    return str(refused.value)


def test_one_row_per_ranked_output():
    tidy = relative_rankings.tidy_rankings(TWO, HERE)
    assert list(tidy.columns) == RANKINGS
    assert list(tidy.itertuples(index=False, name=None)) == [
        ("French,English", 0, 7, "judge_001", "rali", 2),
        ("French,English", 0, 7, "judge_001", "_ref", 1),
        ("French,English", 0, 7, "judge_001", "lium", UNRANKED),
        ("English,Czech", 1, 12, "judge_002", "cu-bojar", 5),
        ("English,Czech", 1, 12, "judge_002", "uedin", 5),
    ]


def test_systems_are_sorted_and_empty_slots_are_none_of_them():
    systems = relative_rankings.tidy_rankings(TWO, HERE)["system"].cat.categories
    assert list(systems) == ["_ref", "cu-bojar", "lium", "rali", "uedin"]


def test_other_columns_and_their_order_do_not_matter():
    frame = TWO.assign(documentId="x")[["documentId", *WMT_COLUMNS[::-1]]]
    pd.testing.assert_frame_equal(
        relative_rankings.tidy_rankings(frame, HERE), relative_rankings.tidy_rankings(TWO, HERE)
    )


def test_text_and_categories_of_text_are_the_same():
    pd.testing.assert_frame_equal(
        relative_rankings.tidy_rankings(TWO.astype("category"), HERE),
        relative_rankings.tidy_rankings(TWO, HERE),
    )


def test_rankings_of_empty_slots_only_give_no_row():
    tidy = relative_rankings.tidy_rankings(raw(("French", "English", "7", "X2", {})), HERE)
    assert tidy.empty and list(tidy.columns) == RANKINGS


def test_what_was_given_is_left_as_it_was():
    frame = TWO.copy()
    relative_rankings.tidy_rankings(frame, HERE)
    pd.testing.assert_frame_equal(frame, TWO)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("srclang", "", "srclang is ''; expected a name"),
        ("trglang", " ", "trglang is ' '; expected a name"),
        ("judgeId", "", "judgeId is ''; expected a name"),
        ("system2Id", "", "system2Id is ''; expected a name"),
        ("system2Id", None, "system2Id is nan; expected a name"),
        (
            "system2Id",
            "cu-bojar",
            "system 'cu-bojar' stands twice in one ranking; expected different systems",
        ),
        ("system3rank", "1", "an empty slot ('blank') has a rank; expected -1"),
        ("system1rank", "6", "system1rank is '6'; expected 1-5, or -1 for blank"),
        ("srcIndex", "1.0", "srcIndex is '1.0'; expected a whole number"),
        ("srcIndex", "9" * 500, f"srcIndex is '{'9' * 35}...; expected a whole number"),
    ],
)
def test_refusals_name_the_line(column, value, message):
    frame = TWO.copy()
    frame.loc[1, column] = value
    assert refusal(frame) == f"here.csv, line 3: {message}"
    assert refusal(frame, Origin("here.csv", [4, 9])) == f"here.csv, line 9: {message}"


@pytest.mark.parametrize("column", WMT_COLUMNS)
def test_every_column_is_needed_once(column):
    missing, twice = TWO.drop(columns=column), pd.concat([TWO, TWO[[column]]], axis=1)
    assert refusal(missing).startswith(f"here.csv, line 1: column {column!r} is missing; expected")
    assert refusal(twice).startswith(f"here.csv, line 1: column {column!r} stands twice; expected")


def test_a_table_without_rows_is_refused():
    assert refusal(TWO[:0]) == "here.csv: holds a header but no rankings"


@given(st.lists(st.text(max_size=3)))
def test_pseudonyms_tell_the_same_people_apart_and_nothing_else(people):
    hidden = relative_rankings.pseudonyms(pd.Series(people, dtype=str), prefix="worker")
    order = list(dict.fromkeys(people))
    assert list(hidden) == [f"worker_{order.index(p) + 1:03d}" for p in people]


# --- assessments -------------------------------------------------------------------------------

JUDGED = pd.DataFrame(
    [
        ("h1", "zoe@mail.org", "en-de", "B.2", "SYSTEM", "", "1", "7", True),
        ("", "amy@mail.org", "en-de", "A.1+B.2", "REPEAT", "doc", "007", 100, True),
        ("h1", "zoe@mail.org", "en-de", "A.1", "BAD_REF", "", "1", 0.5, False),
    ],
    columns=ASSESSMENTS,
)


def assessed(frame, **options):
    return direct_assessments.tidy_assessments(frame, HERE, **options)


def refused_assessments(frame):
    with pytest.raises(DataError) as refused:
        assessed(frame)
    return str(refused.value)


def test_assessments_hide_the_workers_and_keep_the_rest():
    tidy = assessed(JUDGED)
    assert list(tidy.columns) == ASSESSMENTS
    assert tidy["worker"].tolist() == ["worker_0002", "worker_0001", "worker_0002"]
    assert tidy["score"].tolist() == [7.0, 100.0, 0.5] and tidy["score"].dtype == np.float64
    assert tidy["accepted"].tolist() == [True, True, False] and tidy["accepted"].dtype == bool
    same = ["hit", "language_pair", "system", "item", "document", "segment"]
    assert tidy[same].astype(str).equals(JUDGED[same].astype(str))
    assert tidy["system"].cat.categories.tolist() == ["A.1", "A.1+B.2", "B.2"]
    assert direct_assessments.tidy_assessments(JUDGED, "here.csv").equals(tidy)


@given(st.permutations(range(3)))
def test_pseudonyms_of_workers_do_not_depend_on_the_order_of_rows(order):
    tidy = assessed(JUDGED.iloc[order])
    pd.testing.assert_frame_equal(tidy, assessed(JUDGED).iloc[order].reset_index(drop=True))


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("score", "101", "score is '101'; expected a number from 0 to 100"),
        ("score", -0.1, "score is -0.1; expected a number from 0 to 100"),
        ("score", float("nan"), "score is nan; expected a number from 0 to 100"),
        ("score", "", "score is ''; expected a number from 0 to 100"),
        ("score", "inf", "score is 'inf'; expected a number from 0 to 100"),
        ("item", "REFF", "item is 'REFF'; expected one of SYSTEM, REPEAT, REF, BAD_REF"),
        ("item", None, "item is nan; expected one of SYSTEM, REPEAT, REF, BAD_REF"),
        ("worker", " ", "worker is ' '; expected a name"),
        ("segment", "", "segment is ''; expected a name"),
        ("system", "A+", "system is 'A+'; expected a name, or several joined by '+'"),
        ("system", "A+B+A", "system is 'A+B+A'; expected a name, or several joined by '+'"),
    ],
)
def test_refused_assessments_name_the_line(column, value, message):
    frame = JUDGED.astype(object)
    frame.loc[1, column] = value
    assert refused_assessments(frame) == f"here.csv, line 3: {message}"


def test_assessments_that_cannot_be_ranked():
    assert refused_assessments(JUDGED[:0]) == "here.csv: holds a header but no judgements"
    assert refused_assessments(JUDGED[:1]) == (
        "here.csv: rates 1 system; expected two or more to rank"
    )
    only = JUDGED.assign(system=["B.2", "C", "A.1"])
    assert refused_assessments(only) == (
        "here.csv: system 'A.1' has quality-control items only; expected SYSTEM or REPEAT items too"
    )
    kept = assessed(only, only_quality_control="keep")
    assert "A.1" in kept["system"].cat.categories
    two = JUDGED.assign(language_pair=["en-de", "en-de", "de-en"])
    assert refused_assessments(two) == "here.csv: language pairs de-en, en-de; expected one"
    words = JUDGED.assign(accepted=["yes", "yes", "no"])
    assert "expected true or false" in refused_assessments(words)


@pytest.mark.parametrize("column", ASSESSMENTS)
def test_every_column_of_assessments_is_needed_once(column):
    missing = JUDGED.drop(columns=column)
    twice = pd.concat([JUDGED, JUDGED[[column]]], axis=1)
    expected = f"here.csv, line 1: column {column!r}"
    assert refused_assessments(missing).startswith(f"{expected} is missing; expected")
    assert refused_assessments(twice).startswith(f"{expected} stands twice; expected")


def test_credits_split_joint_names():
    system = pd.Series(["B", "A+B", "A", "B"], dtype="category")
    row, single = direct_assessments.credits(system)
    assert list(zip(row.tolist(), single, strict=True)) == [
        *[(0, "B"), (1, "A"), (1, "B"), (2, "A"), (3, "B")]
    ]
