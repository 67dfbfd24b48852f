"""Frames of direct assessments: what is checked, and what parts of a campaign are."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import (
    FLOOR,
    JUDGEMENTS,
    PAPER,
    data_error,
    drawn,
    encoded,
    frame_of,
    message_of,
    one_worker,
    rank_systems,
)
from wmtlib.cluster_lines import rank_campaign
from wmtlib.core.assessments import ASSESSMENTS, encode, tidy_assessments
from wmtlib.core.errors import Origin

HERE = Origin("here.csv")
JUDGED = pd.DataFrame(
    [
        ("h1", "zoe@mail.org", "en-de", "B.2", "SYSTEM", "", "1", "7", True),
        ("", "amy@mail.org", "en-de", "A.1+B.2", "REPEAT", "doc", "007", 100, True),
        ("h1", "zoe@mail.org", "en-de", "A.1", "BAD_REF", "", "1", 0.5, False),
    ],
    columns=ASSESSMENTS,
)


def tidied(frame, **options):
    return tidy_assessments(frame, HERE, **options)


def refused_assessments(frame):
    return message_of(tidied, frame)


def test_assessments_hide_the_workers_and_keep_the_rest():
    tidy = tidied(JUDGED)
    assert list(tidy.columns) == ASSESSMENTS
    assert tidy["worker"].tolist() == ["worker_0002", "worker_0001", "worker_0002"]
    assert tidy["score"].tolist() == [7.0, 100.0, 0.5]
    assert tidy["accepted"].tolist() == [True, True, False]
    assert tidy.dtypes[["score", "accepted"]].tolist() == [np.float64, bool]
    same = ["hit", "language_pair", "system", "item", "document", "segment"]
    assert tidy[same].astype(str).equals(JUDGED[same].astype(str))
    assert tidy["system"].cat.categories.tolist() == ["A.1", "A.1+B.2", "B.2"]


@pytest.mark.parametrize(
    "column, value, message",
    [
        ("score", "101", "score is '101'; expected a number from 0 to 100"),
        ("score", -0.1, "score is -0.1; expected a number from 0 to 100"),
        ("score", "inf", "score is 'inf'; expected a number from 0 to 100"),
        (
            "item",
            "REFF",
            "item is 'REFF'; expected one of SYSTEM, REPEAT, REF, BAD_REF",
        ),
        ("worker", " ", "worker is ' '; expected a name"),
        ("segment", "", "segment is ''; expected a name"),
        ("system", "A+", "system is 'A+'; expected a name, or several joined by '+'"),
        (
            "system",
            "A+B+A",
            "system is 'A+B+A'; expected a name, or several joined by '+'",
        ),
    ],
)
def test_refused_assessments_name_the_line(column, value, message):
    frame = JUDGED.astype(object)
    frame.loc[1, column] = value
    assert refused_assessments(frame) == f"here.csv, line 3: {message}"


def test_assessments_that_cannot_be_ranked():
    assert refused_assessments(JUDGED[:1]) == (
        "here.csv: rates 1 system; expected two or more to rank"
    )
    only = JUDGED.assign(system=["B.2", "C", "A.1"])
    assert refused_assessments(only) == (
        "here.csv: system 'A.1' has quality-control items only; expected SYSTEM or"
        " REPEAT items too"
    )
    assert "A.1" in tidied(only, only_quality_control="keep")["system"].cat.categories


# --- parts of a campaign: chosen rows, removed systems, repeated judgements ---


CAMPAIGN = encoded(FLOOR)


@pytest.mark.parametrize(
    "systems, message",
    [
        (["D"], "no system 'D'; expected A, B, C"),
        ([*"AB"], r"1 system\(s\) would be left; expected two or more"),
    ],
)
def test_systems_that_cannot_be_removed(systems, message):
    with data_error(message):
        CAMPAIGN.without(systems, items=(), paired=True)


@pytest.mark.parametrize(
    "unit, message",
    [
        ("row", "no unit 'row'; expected hit, worker, document, segment"),
        ("hit", "a judgement's HIT is not known; take workers as units"),
    ],
)
def test_units_that_are_not_told_apart(unit, message):
    campaign = encode(drawn(0).assign(hit=""))
    with data_error(message):
        campaign.units(unit)


def test_a_hit_done_by_two_workers_is_two():
    campaign = encode(drawn(0))
    number, size = campaign.units("hit")
    pairs = pd.DataFrame(
        {"unit": number, "hit": campaign.hit, "worker": campaign.worker}
    )
    assert (
        len(pairs.drop_duplicates())
        == size
        == pairs["unit"].nunique()
        > len(campaign.hits)
    )


@given(JUDGEMENTS, st.booleans(), st.sampled_from([(), ("REF",), ("REF", "BAD_REF")]))
def test_removing_a_system_is_as_if_its_rows_had_never_been(judgements, paired, items):
    judgements = [j for j in judgements if j[1] != "B+C"]
    kept = [
        (worker, "B" if system == "A+B" else system, item, *rest)
        for worker, system, item, *rest in judgements
        if not (system == "A" and (paired or item in ("SYSTEM", "REPEAT")))
        and item not in items
    ]
    expected = rank_systems(encoded(kept))
    campaign = encoded(judgements)
    removed = campaign.without(["A"], items=items, paired=paired)
    pd.testing.assert_frame_equal(
        rank_systems(removed).table, expected.table, check_exact=True
    )
    # The same without building a campaign: the workers' scales forget the rows.
    a = campaign.is_system(["A"])
    rows = campaign.rows_of(a, items=items, paired=paired)
    ranked = rank_campaign(campaign, scales_from=~rows, unranked=a, **PAPER).ranking
    assert ranked.order == expected.order
    assert ranked.column("score").equals(expected.column("score"))


# --- which frames of judgements make a campaign ---


@pytest.mark.parametrize(
    "change, message",
    [
        ({"score": np.nan}, "row 1: score is nan; expected a number from 0 to 100"),
        ({"language_pair": "yy-xx"}, "2 language pairs in one campaign; expected one"),
        ({"worker": None}, "row 1: worker is missing; expected a name"),
        ({"item": "REF"}, "1 system(s) with outputs; expected two or more"),
        (
            {"item": "GOOD"},
            "row 1: item is 'GOOD'; expected SYSTEM, REPEAT, REF, BAD_REF",
        ),
        ({"system": "A+"}, "system is 'A+'; expected different names joined by '+'"),
    ],
    ids=str,
)
def test_frames_that_are_not_a_campaign_are_refused(change, message):
    table = frame_of(one_worker(10, 20, 30)).astype(object)
    table.loc[[1], [*change]] = [*change.values()]
    table = table.iloc[:2].astype({"score": float, "accepted": bool})
    assert message_of(encode, table) == message
