"""Comparisons laid out in other ways: counts, wins, ranks, winners, a matrix."""

from pathlib import Path

import pandas as pd
import pytest
from user_files import as_counter, refusal, writer

from wmtlib.counts import FIRST, SECOND, TIE
from wmtlib.yours import read as reader

given_file = pytest.fixture(writer)
TWO = {("X", "Y", FIRST): 3, ("X", "Y", SECOND): 1, ("X", "Y", TIE): 2}


@pytest.mark.parametrize(
    "data",
    [
        "a,b,outcome,count\nX,Y,a,2\nX,Y,b,1\nX,Y,tie,2\nX,Y,a,1\nX,Y,b,0\n",
        "system_1,system_2,preference,weight\nX,Y,1,3\nX,Y,2,1\nX,Y,0,2.0\n",
        "a,b,wins_a,wins_b,ties\nX,Y,3,1,2\n",
        "system_1,system_2,wins_1,wins_2,ties\nX,Y,2,1,0\nX,Y,1,0,2\n",
    ],
)
def test_counts_are_counts(given_file, data):
    found = reader.read(given_file(data))
    assert as_counter(found.counted_by([])) == TWO
    assert found.rows == len(data.splitlines()) - 1 and found.counts.comparisons == 6


def test_winners_and_losers(given_file):
    path = given_file("Loser,winner,votes,judge\nY,X,2,j\nX,Y,1,k\n")
    found = reader.read(path, columns={"count": "votes"})
    assert as_counter(found.counted_by([])) == {("X", "Y", FIRST): 2, ("Y", "X", FIRST): 1}
    assert found.units == ("judge",)


def test_a_matrix_is_of_wins_of_the_row(given_file):
    found = reader.read(given_file(",X,Y,Z\nZ,0,1,-\nX,,3,0\nY,1,x,\n"))
    assert found.counts.wins.loc["X", "Y"] == 3 and found.counts.wins.loc["Z", "Y"] == 1
    assert (found.rows, found.counts.comparisons) == (3, 5)
    assert found.reading == "a square matrix: wins of the row's system over the column's"
    assert refusal(given_file(",X,Y\nX,,0.5\nY,1,\n")) == (
        ", line 2: wins of 'X' over 'Y' are '0.5'; expected a whole number from 0"
    )


OFFICIAL = """\
srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID
deu,eng,7,7,judge5,X,4,Y,3,1
deu,eng,7,7,judge5,X,1,Z,1,1
deu,eng,8,8,judge6,Z,2,Y,-1,2
tur,eng,8,8,judge6,Z,2,Y,3,3
"""


def test_two_ranks_in_the_official_layout(given_file):
    path = given_file(OFFICIAL)
    assert "2 tasks: 'deu-eng', 'tur-eng'" in refusal(path)
    found = reader.read(path, task="deu-eng")
    assert as_counter(found.counted_by(["judge", "ranking"])) == {
        ("X", "Y", SECOND, "judge_001", "1"): 1,
        ("X", "Z", TIE, "judge_001", "1"): 1,
    }
    assert (found.rows, found.unused) == (3, ("segmentId",))
    assert [one.task for one in reader.read_tasks(path)] == ["deu-eng", "tur-eng"]
    odd = OFFICIAL.replace("X,4", "X,4.5")
    assert refusal(given_file(odd)).startswith(", line 2: rank_a (column 'system1rank') is '4.5'")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("a,b,outcome,weight\nX,Y,a,1\nX,Y,b,0.5\n", ", line 3: count (column 'weight') is '0.5'"),
        ("a,b,outcome,n\nX,Y,a,-1\n", ", line 2: count (column 'n') is '-1'; expected a whole"),
        ("a,b,wins_a,wins_b\nX,Y,a,\n", ", line 2: wins_a is 'a'; expected a whole number from 0"),
        ("a,b,wins_a,wins_b\nX,X,1,2\n", ", line 2: system 'X' is compared with itself"),
        ("a,b,outcome,count\nX,Y,a,0\n", ": holds no comparisons: all are skipped or count 0"),
        ("winner,loser\nX,\n", ", line 2: b (column 'loser') is ''; expected a name"),
    ],
)
def test_numbers_that_are_none_are_refused(given_file, data, message):
    assert refusal(given_file(data)).startswith(message)


@pytest.mark.realdata
def test_the_official_file_of_wmt16(mirror):
    path = mirror / "cfedermann/wmt16/data/wmt16.tur-eng.csv"
    found = reader.read(path)
    raw = pd.read_csv(path)
    assert (found.kind, found.task, found.rows) == ("pairwise", "tur-eng", len(raw))
    won = pd.concat(
        [raw.loc[raw[f"system{k}rank"] < raw[f"system{3 - k}rank"], f"system{k}Id"] for k in (1, 2)]
    )
    assert found.counts.wins.sum(axis=1).to_dict() == won.value_counts().to_dict()
    assert found.units == ("judge", "segment", "ranking") and not found.warnings


@pytest.mark.realdata
def test_an_arena_with_left_right_and_the_winners_side(mirror):
    path = Path(mirror, "dustalov/llmfao/crowd-comparisons.csv")
    found = reader.read(path)
    raw = pd.read_csv(path)
    assert (found.rows, len(found.systems)) == (len(raw), 59)
    assert found.counts.ties.to_numpy().sum() // 2 == (raw["winner"] == "tie").sum()
    assert found.unused == ("id", "prompt", "model_x", "model_y")
    assert "judge = 'worker'" in found.reading
