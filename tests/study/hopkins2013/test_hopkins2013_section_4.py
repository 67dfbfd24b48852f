"""Section 4 of Hopkins & May (2013): judges and segments."""

import numpy as np
import pandas as pd
import pytest

from examples import rng
from study.hopkins2013 import TRACK_PAIRS, YEARS, section_4
from wmtlib.models import PreferenceModel


@pytest.mark.parametrize(
    "units, independent",
    [(np.tile(np.arange(4), 20), True), (np.repeat(np.arange(4), 20), False)],
    ids=["alternating", "by judge"],
)
def test_what_goes_with_a_judge_is_not_dealt_at_random(units, independent):
    judges = np.repeat(np.arange(4), 20)
    found = section_4.dealt_at_random(judges, units, np.arange(80), rng())
    assert found == independent


def test_design_effect_of_segments_that_are_all_alike_is_their_size():
    q = np.broadcast_to([0.5, 0.25, 0.25], (2, 2, 3))  # a tie costs one bit, a win two
    model = PreferenceModel(("a", "b"), q)
    test = pd.DataFrame({"system_1": "a", "system_2": "b", "segment": [1, 1, 2, 2]})
    alike, mixed = (test.assign(preference=p) for p in ([0, 0, 1, 1], [0, 1, 0, 1]))
    assert section_4.effect_of_segments(model, alike) == pytest.approx(2)
    assert section_4.effect_of_segments(model, mixed) == pytest.approx(0)


def test_table_3_has_a_block_of_columns_a_year():
    columns = [f"{year} {split}" for year in YEARS for split in ("train", "test")]
    sizes = pd.DataFrame(1, pd.Index([*TRACK_PAIRS], name="lp"), columns)
    sizes.loc["ce", "wmt10 train"] = 3166  # as printed
    table = section_4.table_3_beside_print(sizes)
    assert table.loc["ce", ("WMT10", "train")] == 3166
    assert table.loc["ce", ("WMT10", "train printed")] == "3166"
    assert [*table.columns[-1]] == ["", "differs"]
    assert (table["", "differs"] == "≠").all()
