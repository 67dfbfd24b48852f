"""Section 6 of Knowles (2021): systems in HITs, documents."""

import pandas as pd
import pytest
from test_knowles2021_section_5_1 import HITS, release

from study.data import sources
from study.knowles2021 import section_6
from wmtlib.core.assessments import encode


def test_hit_table_by_hand():
    unknown = HITS.iloc[[4]].assign(hit="", worker="w3")
    row = section_6.hit_table([release(pd.concat([HITS, unknown]))]).iloc[0]
    assert row["hits"] == 3 and row["whole"] == 0  # without the one that has no id
    assert row["alike"] == 1  # no system has two outputs more than another
    assert row[["least", "median", "seldom"]].tolist() == [0, 0.5, 0.5]


MEANS = pd.DataFrame(
    {
        "system": ["A"] * 12 + ["B"] * 2,
        "document": ["long"] * 11 + ["short", "long", "long"],
        "segment": [*map(str, range(12)), "0", "1"],
        "raw": [*range(12), 20, 30],
        "z": [*range(12), 20, 30],
        "judgements": 1,
    }
)


def test_judged_outputs_by_hand():
    row = section_6.judged_outputs(MEANS)
    assert row["documents"] == 2 and row["long"] == 1 and row["judgements"] == 7
    assert row["ratio"] == 6 and row["humans"] == 0
    assert row["missing_segments"] == 10 and row["missing_documents"] == 1
    assert [row["raw_z_documents"], row["raw_z_systems"]] == pytest.approx([1, 1])


def test_co_occurrence_by_hit_and_worker():
    campaign = encode(HITS)
    by_hit = section_6.co_occurrence(campaign, unit="hit")
    assert by_hit.loc["A"].tolist() == [1, 1 / 2, 1 / 2]  # h1 and h2; B in h1, C in h2
    assert by_hit.loc["B"].tolist() == [1 / 2, 1, 0]  # h1 and h3
    assert by_hit.loc["C"].tolist() == [1, 0, 1]
    assert section_6.co_occurrence(campaign, unit="worker").loc["B", "C"] == 1 / 2


@pytest.mark.realdata
def test_the_columns_of_figure_5_that_raw_scores_do_not_give():
    table = section_6.figure_5_beside_print(source=sources.resolve("mirror"))
    assert table.index.tolist() == [4, 5, 11, 12]
    assert (table["printed"] == table["by mean z"]).all()
