"""Tables 1 to 3 of Knowles (2021), laid out beside the print."""

import pandas as pd
import pytest

from study.data.sources import Source
from study.knowles2021 import tables
from study.scoreboard import scoreboard


@pytest.fixture(scope="module")
def board():
    """Without raw files: nothing of ours, but for one count that is put in."""
    counts = tables.changed_counts
    source = Source("embedded", "")
    no_changes = pd.DataFrame(columns=["kind", "what", "pair"])
    facts = counts(no_changes, source=source)
    table = scoreboard.compare("knowles2021", "31-stability", facts, source=source)
    table.loc[table["id"] == "K-T2-01", "reproduced"] = "1/12"
    table.loc[table["id"] == "K-T1-03", "reproduced"] = "26003"
    return table


def test_counts_stand_beside_the_printed_ones(board):
    counts = tables.counts_beside_print(board)
    assert len(counts) == 27 + 12
    first, second = counts.iloc[0], counts.iloc[1]
    assert first[["row", "change"]].tolist() == ["SR-DC 2018", "rank"]
    assert first[["k", "n", "ours_k", "ours_n"]].tolist() == [1, 13, 1, 12]
    assert second[["k", "n"]].tolist() == [0, 13] and pd.isna(second["ours_k"])
    sums = counts[counts["row"].str.endswith("all") & (counts["item"] == "table-2")]
    assert sums["ours_k"].isna().all() and sums["n"].tolist() == 3 * [21] + 3 * [25]


def test_table_1_adds_outputs_and_their_repeats(board):
    table = tables.table_1(board).set_index("row")
    assert len(table) == 7
    row = table.loc["newstest2018"]
    assert row["SYSTEM + REPEAT, printed"] == 265387 + 26489
    assert row["REF, ours"] == "26003" and row["BAD_REF, ours"] == ""


def test_claims_have_a_verdict_in_words(board):
    table = tables.claims_beside_print(board[board["id"] == "K-9-01"])
    assert table.empty and [*table] == ["row", "of what", "printed", "ours", "verdict"]
    [row] = tables.claims_beside_print(board[:1]).to_dict("records")
    assert row["verdict"] == "not checkable"
    by_id = board[:1].set_index("id")
    assert tables.claims_beside_print(by_id).to_dict("records") == [row]
