"""What the judgements say about the text of Hopkins & May (2013), and its arithmetic."""

import numpy as np
import pandas as pd
import pytest

from wmtlib.models import PreferenceModel
from wmtlib.study import published, scoreboard
from wmtlib.study.papers import hopkins2013, hopkins2013_arithmetic, hopkins2013_data
from wmtlib.study.papers.hopkins2013_data import YEARS
from wmtlib.study.releases import sources

NOTEBOOK = "20-perplexity"


def all_tracks(source):
    names = [*YEARS, "wmt10-crowd"]
    return {name: hopkins2013.load_tracks(name, source=source) for name in names}


@pytest.fixture(scope="module")
def embedded():
    return all_tracks("embedded")


def test_arithmetic_is_the_papers():
    values = hopkins2013_arithmetic.values()
    board = scoreboard.compare(
        "hopkins2013", NOTEBOOK, values, source=sources.resolve("embedded")
    ).set_index(["item", "quantity"])
    assert (board.loc[[*values], "status"] == "arithmetic").all()
    assert values["section-2", "expected ORIGWMT of B once it is duplicated"] == "5/6"


def test_table_3_from_the_embedded_counts(embedded):
    printed = published.load_published("hopkins2013").query("item == 'table-3'")
    table = hopkins2013_data.table_3(embedded)
    for quantity, size in printed[["quantity", "published"]].to_numpy():
        pair, column = quantity.split(" ", 1)
        assert table.loc[pair, column] == int(size)


def test_counts_decide_claims_and_rankings_are_left_out_where_there_are_none(embedded):
    source = sources.resolve("embedded")
    values = hopkins2013_data.values(embedded, source=source, seed=1, trials=1)
    assert values["section-1", "tracks"].parts["WMT11: these eight and no other"] is False
    assert values["section-1", "comparisons in a track"].value.startswith("22 of 24 tracks")
    assert values["section-7", "references in WMT12"].value.endswith("WMT10 8, WMT11 8, WMT12 0")
    assert all(values["section-7", "unequal opponents"].parts.values())
    assert ("section-4", "the test set") not in values
    board = scoreboard.compare("hopkins2013", NOTEBOOK, values, source=source)
    rows = board.set_index(["item", "quantity"])
    assert rows.loc[("section-4", "the test set"), "status"] == "not-checkable"


def test_design_effect_of_segments_that_are_all_alike_is_their_size():
    q = np.broadcast_to([0.5, 0.25, 0.25], (2, 2, 3))  # a tie costs one bit, a win two
    model = PreferenceModel(("a", "b"), q)
    test = pd.DataFrame({"system_1": "a", "system_2": "b", "segment": [1, 1, 2, 2]})
    alike, mixed = (test.assign(preference=p) for p in ([0, 0, 1, 1], [0, 1, 0, 1]))
    assert hopkins2013_data.design_effect(model, alike) == pytest.approx(2)
    assert hopkins2013_data.design_effect(model, mixed) == pytest.approx(0)


@pytest.mark.realdata
def test_single_rankings_decide_the_rest():
    source = sources.resolve("mirror")
    values = hopkins2013_data.values(all_tracks(source), source=source, seed=1, trials=1)
    assert round(values["section-8", "agreement of expert judges, %"], 1) == 65.8
    assert round(values["section-8", "agreement of crowd judges, %"], 1) == 46.6
    assert values["section-4", "WMT12 inter-annotator agreement, %"].value == "57.6"
    assert values["section-1", "outputs in a ranking"].value == "27873 of 27873 rankings"
    assert values["section-4", "the test set"].value.startswith("median 3.00")
