"""The tables of what the papers print."""

import re

import pandas as pd
import pytest

from study.data.sources import ROOT, Source
from study.scoreboard import published
from study.scoreboard.published import PAPERS, AtHand, at_hand, load_published


def test_notebooks_of_published_rows_exist():
    assert set(published.notebooks()) < {
        path.stem for path in ROOT.glob("notebooks/[0-9]*")
    }


@pytest.mark.parametrize("paper", PAPERS)
def test_load_published_has_a_test_for_each_part_of_a_criterion(paper):
    rows = load_published(paper)
    assert rows["id"].is_unique and not rows.duplicated(["item", "quantity"]).any()
    assert rows["provenance"].isin(["text", "table", "figure", "authors-file"]).all()
    assert (rows["basis"] != "").all()
    assert rows.loc[rows["criterion"] != "", "known"].isin(["yes", "no"]).all()
    assert rows["id"].str.fullmatch(r"[LHK]-([\d.]+|[TFN]\d+|A)-\d\d").all()
    assert (rows[rows["criterion"] == ""][["test", "shows"]] == "").all(axis=None)
    claims = rows[
        (rows["criterion"] != "") & ~rows["basis"].str.startswith("unavailable")
    ]
    for row in claims.itertuples():
        parts = len(row.test.split(";"))
        numbered = len(re.findall(r"\(\d\) ", row.criterion))
        assert row.test and row.shows, row.id
        assert numbered in (0, parts), row.id


def test_beside_marks_values_that_differ_from_the_print():
    ours = pd.DataFrame({"#sys": [12, 2], "#pairs": [5376, 880]})
    ours.index = ["2010 Czech-English", "2011 English-French syscomb"]
    table = published.beside("lopez2012", "table-1", ours)
    assert table.iloc[0].tolist() == [12, "12", 5376, "5375", "≠"]
    assert table.iloc[1].tolist() == [2, "2", 880, "880", ""]
    values = published.by_id("lopez2012", "table-1", ours)
    assert [*values.values()] == [12, 5376, 2, 880]


SPELLED = {"half": "0.5", "five": "5", "ten": "10", "twenty": "20"}
COUNTED = {"L-3-07", "K-5.3-09", "K-5.3-10"}  # three equations, four cases, two systems


@pytest.mark.parametrize("paper", PAPERS)
def test_thresholds_of_claims_are_printed_or_words(paper):
    rows = load_published(paper)
    rows = rows[(rows["test"] != "") & ~rows["basis"].str.startswith("unavailable")]
    for row in rows[~rows["id"].isin(COUNTED)].itertuples():
        text = row.published + row.place
        printed = {"0", "1", "100", *re.findall(r"[\d.]*\d", text)}
        printed |= {number for word, number in SPELLED.items() if word in text}
        printed |= {str(int(n) / 100) for n in re.findall(r"(\d+)%", row.published)}
        expression = re.sub(r"\[[^]]*\]", "", row.test)
        numbers = re.findall(r"(?<![\w.])[\d.]*\d", expression)
        assert set(numbers) <= printed, row.id


def test_words_are_all_used():
    tests = published.load_all()["test"]
    assert set(published.words()) <= set(re.findall(r"\w+", " ".join(tests)))


# --- what is at hand ------------------------------------------------------------------

RAW = Source("download", "00000000")
EMBEDDED = Source("embedded", "00000000")


def test_at_hand_asks_for_raw_files_for_single_rankings_alone():
    for basis in ("none", "counts", "simulated"):
        assert at_hand(basis, RAW) == at_hand(basis, EMBEDDED) == AtHand(("",))
    assert at_hand("rankings", RAW).pairs == ("",)
    assert at_hand("rankings", EMBEDDED).lacks.startswith("needs single rankings")


def test_at_hand_counts_language_pairs_by_unit_or_as_a_whole():
    found = at_hand("units: SR-DC 2018, assessments", RAW)
    assert len(found.pairs) == 12 and list(found.absent) == ["wmt18 de-en"]
    assert not at_hand("all: SR-DC 2018, assessments", RAW).pairs
    assert at_hand("all: wmt18/en-de, assessments", RAW) == AtHand(("",))
    assert not at_hand("units: SR-DC 2018, assessments", EMBEDDED).pairs


def test_at_hand_says_what_is_recovered():
    assert "ps-en" in at_hand("units: SR-DC 2020, human removable", RAW).quality
    assert at_hand("all: wmt20/en-ta, outputs", RAW).quality.endswith(
        "by sums): wmt20 en-ta"
    )


def test_at_hand_refuses_an_unknown_basis():
    with pytest.raises(ValueError, match="unknown basis 'luck'"):
        at_hand("luck", RAW)


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("source", [RAW, EMBEDDED], ids=lambda source: source.kind)
def test_at_hand_decides_the_basis_of_every_published_row(paper, source):
    for basis in load_published(paper)["basis"].unique():
        found = at_hand(basis, source)
        assert found.pairs or found.absent


def test_printed_items_are_the_first_table_of_the_map():
    head, _, *rows = published.printed_items().splitlines()
    assert head == "| paper | in the print | what came out | notebook |"
    assert len(rows) == 12 and all(row.endswith(".ipynb) |") for row in rows)


def test_the_first_table_of_the_map_says_what_the_scoreboard_does():
    board = pd.read_csv(ROOT / "results" / "scoreboard.csv").set_index("id")["status"]

    def counted(rows):
        return board[board.index.str.match(rows)].value_counts()

    assert counted("L-T1-")["exact"] == 50 and counted("H-T3-")["exact"] == 48
    table_1, table_2_and_3 = counted("K-T1-"), counted("K-T[23]-")
    public = table_1.sum() - table_1["not-checkable"]
    claims = counted("H-8-0[3-7]|H-F5-")
    said = published.printed_items()
    for words in (
        f"all that is public, {public} of {table_1.sum()} numbers",
        f"{table_2_and_3['not-checkable']} of {table_2_and_3.sum()} numbers need",
        f"all {counted('K-F1-')['consistent']} numbers are consistent",
    ):
        assert words in said
    assert claims.to_dict() == {"holds": 6, "holds-partly": 2}
    assert "of eight claims about them six hold, two in part" in said
