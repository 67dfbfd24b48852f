"""Why the intervals of a bootstrap may be too narrow, by its unit."""

import pytest

from wmtlib.report import sampling_units


@pytest.mark.parametrize(
    "units, unit, said",
    [
        (("judge", "segment", "ranking"), "comparison", "resample ranking or judge or"),
        (("worker", "hit"), "hit", "resample worker"),
        (
            ("judge", "segment"),
            "judge",
            "for other judges, not for other segments: say",
        ),
        (("judge",), "judge", None),
        (("judge_group",), "judge_group", "neither judges nor segments are told apart"),
        (
            ("judge_group", "segment"),
            "judge_group",
            "for other judge_groups, not for other segments",
        ),
        (("judge_group", "segment"), "segment", "resample judge_group"),
        (
            ("worker", "document", "segment"),
            "segment",
            "segments of one document are alike",
        ),
        (("worker", "document"), "document", "resample worker"),
    ],
)
def test_warnings_for_each_unit(units, unit, said):
    found = sampling_units.warnings_for(units, unit)
    assert len(found) == (said is not None)
    assert said is None or said in found[0]


def test_warnings_for_usual_units_omit_those_about_judges():
    assert (
        sampling_units.warnings_for(("worker", "document"), "document", is_usual=True)
        == []
    )
    assert (
        sampling_units.warnings_for(("judge", "segment"), "judge", is_usual=True) != []
    )
