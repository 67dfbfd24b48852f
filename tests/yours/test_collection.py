"""Why the intervals of a bootstrap may be too narrow, by its unit."""

import numpy as np
import pandas as pd
import pytest

from wmtlib.resampling import bootstrap
from wmtlib.yours import collection
from wmtlib.yours.reading.read import read


@pytest.mark.parametrize(
    "units, unit, said",
    [
        (("judge", "segment", "ranking"), "comparison", "resample ranking or judge or"),
        (("judge", "segment"), "comparison", "resample judge or segment"),
        (("judge",), "comparison", "comparisons of one judge are treated as indep"),
        ((), "comparison", "the file does not tell who judged what"),
        (("judge", "ranking"), "ranking", "resample judge"),
        (("worker", "hit"), "hit", "resample worker"),
        (("judge", "segment"), "judge", "segments are taken as given"),
        (("judge",), "judge", None),
        (("judge_group",), "judge_group", "neither judges nor segments are told apart"),
        (
            ("judge_group", "segment"),
            "judge_group",
            "what other judge_groups would think",
        ),
        (("judge_group",), "comparison", "resample judge_group"),
        (("judge_group", "segment"), "segment", "resample judge_group"),
        (
            ("worker", "segment", "hit"),
            "worker",
            "what other workers would think of these segm",
        ),
        (
            ("worker", "document", "segment"),
            "segment",
            "segments of one document are treated as",
        ),
        (("worker", "segment"), "segment", "resample worker"),
        (("worker", "document"), "document", "resample worker"),
        (("worker",), "worker", None),
    ],
)
def test_warnings_about_the_unit(units, unit, said):
    found = collection.warnings_for(units, unit)
    assert len(found) == (said is not None)
    assert said is None or said in found[0]


def test_where_the_unit_was_not_asked_for_judges_were_looked_at():
    assert (
        collection.warnings_for(("worker", "document"), "document", is_usual=True) == []
    )
    assert collection.warnings_for(("judge", "segment"), "judge", is_usual=True) != []


def test_votes_of_people_who_came_once_have_the_intervals_of_votes():
    rng = np.random.default_rng(4)
    size = 8000
    first = rng.integers(3, size=size)
    groups = rng.integers(256, size=size).astype(str)
    second = (first + rng.integers(1, 3, size=size)) % 3
    frame = pd.DataFrame({"a": first.astype(str), "b": second.astype(str)})
    frame["outcome"] = np.where(
        rng.logistic(size=size) > (first - second) / 3, "a", "b"
    )
    frame["judge_group"] = np.where(rng.random(size) < 0.9, "", groups)
    judgements = read(frame)
    by_group, by_vote = (
        bootstrap(judgements, "bradley-terry", unit=unit, n_resamples=400)
        .scores.std()
        .mean()
        for unit in ("judge_group", "comparison")
    )
    assert by_group == pytest.approx(by_vote, rel=0.15)
