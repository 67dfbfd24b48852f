"""`wmtlib compare`: the answer says what the engine finds."""

import numpy as np
import pandas as pd
import pytest
from examples_read import example

from wmtlib.analysis import cross_validation
from wmtlib.analysis.model_answer import answer_models
from wmtlib.judgements.errors import DataError
from wmtlib.yours import read as reader


def test_what_compare_says_is_what_the_engine_says():
    judged, models = example("pairwise"), ["wmt-official", "uniform", "adjusted-uniform"]
    (section,) = answer_models(judged, models, unit="judge", folds=3, seed=2).sections
    direct = cross_validation.cross_validate(
        judged.counted_by(["segment", "judge"]),
        models,
        unit="judge",
        folds=3,
        rng=np.random.default_rng(2),
    )
    pd.testing.assert_frame_equal(section.tables["Models"], direct.table)
    assert section.text.startswith("wmt-official predicts held-out judgements best: perplexity ")


def test_compare_leaves_out_a_named_reference_altogether():
    judged, name = example("pairwise"), "simulated-A"
    kept = judged.counted_by(["segment", "judge"]).query("system_1 != @name and system_2 != @name")
    direct = cross_validation.cross_validate(
        kept, ["wmt-official"], unit="judge", folds=2, rng=np.random.default_rng(0)
    )
    (section,) = answer_models(judged, ["wmt-official"], reference=name, folds=2).sections
    pd.testing.assert_frame_equal(section.tables["Models"], direct.table)


def test_compare_without_anything_left_is_refused(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("a,b,outcome\nx,y,a\ny,x,a\n")
    with pytest.raises(DataError, match="no comparisons without 'x'"):
        answer_models(reader.read(path), reference="x")


def file_of(tmp_path, columns, size=12):
    """Comparisons with some of the columns judge (3 of them), ranking (6) and segment (12)."""
    numbers = {"judge": 3, "ranking": 6, "segment": 12}
    rows = [
        ["x", "y", "ab"[k % 2], *[str(k % numbers[name]) for name in columns]] for k in range(size)
    ]
    path = tmp_path / "file.csv"
    path.write_text("\n".join(",".join(r) for r in [["a", "b", "outcome", *columns], *rows]))
    return reader.read(path)


@pytest.mark.parametrize(
    ("columns", "folds", "unit", "warning"),
    [
        ([], 3, "comparison", "the file tells no judges, rankings or segments apart"),
        (["segment"], 3, "segment", ""),
        (["ranking", "segment"], 3, "ranking", ""),
        (["judge", "ranking", "segment"], 3, "judge", ""),
        # Three judges cannot be dealt to five folds.
        (["judge", "ranking"], 5, "ranking", "others of the same judge were trained on"),
    ],
)
def test_the_largest_unit_is_held_out_by_default(tmp_path, columns, folds, unit, warning):
    answer = answer_models(file_of(tmp_path, columns), ["uniform"], folds=folds)
    (section,) = answer.sections
    assert f"|unit={unit}|" in answer.about["Signature"]
    assert len(section.warnings) == bool(warning)
    assert warning in "".join(section.warnings)


def test_a_smaller_unit_comes_with_a_warning(tmp_path):
    judged = file_of(tmp_path, ["judge", "ranking"])
    (section,) = answer_models(judged, ["uniform"], unit="comparison", folds=2).sections
    assert section.warnings == [
        "comparisons were held out, and others of the same judge or ranking were trained on; "
        "hold out whole judges (--unit judge)"
    ]
