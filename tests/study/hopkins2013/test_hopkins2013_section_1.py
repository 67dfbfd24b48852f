"""Section 1 of Hopkins & May (2013): rankings and their comparisons."""

import pandas as pd

from study.data import ranking_releases
from study.hopkins2013 import section_1


def test_the_comparisons_of_table_1_are_those_of_table_2(monkeypatch):
    table = section_1.table_2_beside_print()
    assert len(table) == 10
    assert (table["preference"] == table["printed"]).all()
    assert set(table["differs"]) == {""}
    monkeypatch.setitem(section_1.TABLE_1, "uedin", 3)  # no tie with jhu
    differs = section_1.table_2_beside_print().set_index(["system_1", "system_2"])
    assert [*differs.index[differs["differs"] == "≠"]] == [("jhu", "uedin")]


def test_the_first_ranking_with_a_tie_is_found(monkeypatch):
    rows = [
        (1, "a", 1),
        (1, "b", 2),
        (2, "a", 2),
        (2, "b", 2),
        (3, "a", 1),
        (3, "b", 1),
    ]
    ranked = pd.DataFrame(rows, columns=["ranking", "system", "rank"])
    ranked = ranked.assign(task="cs-en")
    monkeypatch.setattr(ranking_releases, "load_rankings", lambda year, source: ranked)
    found = section_1.first_with_a_tie("source")
    assert set(found["ranking"]) == {2}
