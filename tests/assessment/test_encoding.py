"""Which frames of judgements make a campaign."""

import numpy as np
import pandas as pd
import pytest
from assessed import JUDGEMENTS, encoded, frame_of, one_worker
from hypothesis import given

from wmtlib.counts import ASSESSMENTS
from wmtlib.errors import DataError
from wmtlib.ranking import rank_systems
from wmtlib.zscores import encode


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"score": np.nan}, "row 1: score is nan; expected a number from 0 to 100"),
        ({"score": np.inf}, "row 1: score is inf; expected a number from 0 to 100"),
        ({"language_pair": "yy-xx"}, "2 language pairs in one campaign; expected one"),
        ({"worker": None}, "row 1: worker is missing; expected a name"),
        ({"system": None}, "row 1: system is missing; expected a name"),
        ({"system": "A"}, "1 system(s) with outputs; expected two or more"),
        ({"item": "REF"}, "1 system(s) with outputs; expected two or more"),
        ({"item": "GOOD"}, "row 1: item is 'GOOD'; expected SYSTEM, REPEAT, REF, BAD_REF"),
        ({"system": "A+"}, "system is 'A+'; expected different names joined by '+'"),
        ({"system": "B+B"}, "system is 'B+B'; expected different names joined by '+'"),
    ],
    ids=str,
)
def test_frames_that_are_not_a_campaign_are_refused(change, message):
    table = frame_of(one_worker(10, 20, 30)).astype(object)
    table.loc[[1], [*change]] = [*change.values()]
    table = table.iloc[:2].astype({"score": float, "accepted": bool})
    with pytest.raises(DataError) as refused:
        encode(table)
    assert str(refused.value) == message


def test_a_frame_without_judgements_is_refused():
    with pytest.raises(DataError, match="no judgements"):
        encode(frame_of([]))


@pytest.mark.parametrize(
    ("unlisted", "message"),
    [
        ({"judgements": [1, 1], "total": [1, 1], "squares": [1, 1]}, "worker 'w' is twice"),
        ({"judgements": [2], "total": [100], "squares": [100]}, "totals that no scores have"),
    ],
)
def test_unlisted_judgements_that_cannot_be_are_refused(unlisted, message):
    table = pd.DataFrame(unlisted, index=["w"] * len(unlisted["total"]))
    with pytest.raises(DataError, match=message):
        encoded(one_worker(10, 20, 30), unlisted=table)


@given(JUDGEMENTS)
def test_the_frame_is_left_as_it_was_and_may_hold_categories(judgements):
    table = frame_of(judgements)
    before = table.copy()
    text = rank_systems(encode(table))
    pd.testing.assert_frame_equal(table, before)
    names = [c for c in ASSESSMENTS if c not in ("score", "accepted")]
    categories = table.astype(dict.fromkeys(names, "category"))
    pd.testing.assert_frame_equal(rank_systems(encode(categories)).table, text.table)
