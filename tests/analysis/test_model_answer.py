"""`wmtlib compare`: the answer says what the engine finds."""

import numpy as np
import pandas as pd
import pytest
from examples_read import example

from wmtlib.analysis import cross_validation
from wmtlib.analysis.model_answer import answer_models
from wmtlib.files import reader
from wmtlib.judgements.errors import DataError


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
    kept = judged.counted_by(["segment"]).query("system_1 != @name and system_2 != @name")
    direct = cross_validation.cross_validate(
        kept, ["wmt-official"], folds=2, rng=np.random.default_rng(0)
    )
    (section,) = answer_models(judged, ["wmt-official"], reference=name, folds=2).sections
    pd.testing.assert_frame_equal(section.tables["Models"], direct.table)


def test_compare_without_anything_left_is_refused(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("a,b,outcome\nx,y,a\ny,x,a\n")
    with pytest.raises(DataError, match="no comparisons without 'x'"):
        answer_models(reader.read(path), reference="x")
