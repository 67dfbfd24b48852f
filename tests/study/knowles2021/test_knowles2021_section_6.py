"""Sections 5.3 and 6: relations of two systems, systems in HITs, what was judged."""

import pandas as pd
import pytest
from test_knowles2021_section_5_2 import HITS, release

from examples import ASSESSED, drawn
from study.data.sources import Source
from study.knowles2021 import section_5_3, section_6
from wmtlib.core.assessments import encode


def cut(*systems):
    """A ranking, best first; a system that ends in | has a line below it."""
    names = [name.removesuffix("|") for name in systems]
    return pd.DataFrame(
        {"system": names, "line": [name.endswith("|") for name in systems]}
    )


@pytest.mark.parametrize(
    "systems, said",
    [
        (("A.1|", "C.3", "B.2"), "A in a higher cluster"),
        (("B.2", "C.3|", "A.1"), "B in a higher cluster"),
        (("C.3|", "B.2", "A.1|", "D.4"), "same cluster, B higher"),
    ],
)
def test_the_relation_of_two_systems_in_words(systems, said):
    assert section_5_3.pair_relation(cut(*systems), "A", "B") == said


def test_divided_rankings_leave_the_human_system_out():
    one = release(drawn(7), "simulated")
    cuts = section_5_3.all_cuts(one, source=Source("embedded", ""))
    assert list(cuts) == ["original", "1.25", "1.5", "2", "4", "10"]
    place, below = section_5_3.rank_places(cuts)
    assert sorted(place.index) == [name for name in ASSESSED if name != "HUMAN"]
    assert (place["original"] == [1, 2, 3, 4]).all() and not below.iloc[-1, 0]


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
