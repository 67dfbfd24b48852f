"""Section 5.3 of Knowles (2021): rankings at each divisor."""

import pandas as pd
import pytest
from test_knowles2021_section_5_1 import release

from examples import ASSESSED, drawn
from study.data.sources import Source
from study.knowles2021 import section_5_3


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


def test_what_is_printed_of_two_systems_is_beside_every_ranking():
    higher = cut("AFRL.1|", "PROMT_NMT.2")
    names = ["official", "original", "1.25", "2"]
    table = section_5_3.beside_print(dict.fromkeys(names, higher))
    assert table["printed"].tolist() == [
        "same cluster, AFRL higher",
        "same cluster, AFRL higher",
        "AFRL in a higher cluster",
        "PROMT_NMT in a higher cluster",
    ]
    assert set(table["ours"]) == {"AFRL in a higher cluster"}
