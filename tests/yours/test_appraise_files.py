"""Appraise's exports have no header: DA+SQM of WMT22 and 23, ESA of WMT24."""

import csv

import pytest
from user_files import refusal, writer

from wmtlib.yours import read as reader

given_file = pytest.fixture(writer)
ROWS = [
    "e1,tutorial-A,1,TGT,eng,jpn,0,ende-tutorial1,False,1.5,2",
    "e1,A,7,TGT,eng,jpn,80,doc-1#bad,False,1.5,2",
    "e1,A,7,BAD,eng,jpn,10,doc-1#bad,False,1.5,2",
    "e1,B,7,TGT,eng,jpn,60,doc-1,False,1.5,2",
    "e2,B,7,TGT,eng,jpn,61,doc-1,True,1.5,2",
    "e2,B,7,TGT,eng,ces,62,doc-1,False,1.5,2",
]


@pytest.mark.parametrize("spans", ["", '"[{""start"": 1}]",'])
def test_scores_of_segments_are_read(given_file, spans):
    rows = [row.replace("e,1.5", f"e,{spans}1.5") for row in ROWS]
    path = given_file("\n".join(rows) + "\n")
    assert "2 tasks: 'eng-ces', 'eng-jpn'" in refusal(path)
    found = reader.read(path, task="eng-jpn")
    assert (found.kind, found.systems, found.rows) == ("assessments", ("A", "B"), 2)
    assert found.assessments["score"].tolist() == [80, 60]
    assert set(found.assessments["document"]) == {"doc-1"}
    assert (
        "; left out: 1 rows of tutorials, 1 rows of controls, 1 rows of whole documents;"
    ) in found.reading


def test_refusals_name_the_line(given_file):
    path = given_file("\n".join([*ROWS[1:4], ROWS[3].replace(",60,", ",x,")]) + "\n")
    assert refusal(path).startswith(", line 4: score is 'x'; expected a number from 0 to 100")
    path = given_file("\n".join([*ROWS[1:4], ROWS[3].replace("TGT", "TGX")]) + "\n")
    assert refusal(path) == ", line 4: type is 'TGX'; expected TGT, BAD, REF, CHK"
    path = given_file("\n".join([*ROWS[1:4], "e1,A"]) + "\n")
    assert refusal(path) == ", line 4: 2 fields; expected 11"


def test_a_header_above_an_export_is_refused(given_file):
    """Its columns, if named by options, would let controls and whole documents count."""
    header = "user,sys,item,type,src,tgt,score,doc,whole,from,to"
    path = given_file("\n".join([header, *ROWS]) + "\n")
    assert refusal(path, columns={"segment": "item", "system": "sys"}) == (
        ", line 1: Appraise's exports have no header; drop it, as in:"
        " tail -n +2 FILE | wmtlib rank -"
    )


@pytest.mark.realdata
@pytest.mark.parametrize("wave", [2, 3])
def test_the_esa_files_of_wmt24(mirror, wave):
    path = mirror / f"wmt-conference/wmt24-news-systems/humeval/esa_generalMT2024_wave{wave}.csv"
    with open(path, newline="") as file:
        rows = [r for r in csv.reader(file) if r[3] == "TGT" and "tutorial" not in r[7]]
    found = reader.read(path, task="eng-jpn")
    scores = [float(r[6]) for r in rows if r[5] == "jpn"]
    assert found.assessments["score"].tolist() == scores
    assert set(found.systems) == {r[1] for r in rows if r[5] == "jpn"}
    assert set(found.assessments["segment"]) == {r[2] for r in rows if r[5] == "jpn"}
