"""`wmtlib stability`: the answer says what the engine finds."""

import numpy as np
import pandas as pd
import pytest
from examples_read import KINDS, example

from wmtlib import resampling as leave_one_out
from wmtlib.yours.stability_answer import answer_stability
from wmtlib.zscores import encode


@pytest.mark.parametrize("kind", KINDS)
def test_what_stability_says_is_what_the_engine_says(kind):
    judged = example(kind)
    name = "z-score" if kind == "assessments" else "soccer"
    data = encode(judged.assessments) if kind == "assessments" else judged.counts
    direct = leave_one_out.leave_one_out(data, name, rng=np.random.default_rng(0))
    (section,) = answer_stability(judged, [name]).sections
    pd.testing.assert_frame_equal(section.tables["Left out"], direct.table)
    pd.testing.assert_frame_equal(section.tables["Fragile systems"], direct.systems)
    assert f"in {int(direct.table['changed'].sum())} of {len(direct.table)} cases" in section.text
