"""Why the intervals of a bootstrap may be too narrow, by its unit."""

import pytest

from wmtlib.files.read import read
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


def test_compare_names_a_unit_with_folds_that_it_can_fill(tmp_path):
    rows = [f"j{k % 3},s{k},x,y,{'ab'[k % 4 == 0]}" for k in range(60)]
    path = tmp_path / "votes.csv"
    path.write_text("judge,segment,a,b,outcome\n" + "\n".join(rows) + "\n")
    judgements = read(path)
    [line] = sampling_units.still_shared(judgements, "segment", 5)
    assert line.command_line.endswith("(--unit judge --folds 3)")
    [line] = sampling_units.still_shared(judgements, "segment", 3)
    assert line.command_line.endswith("(--unit judge)")
