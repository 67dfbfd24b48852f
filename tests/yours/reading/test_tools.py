"""Files of annotation tools and campaigns are read without an option."""

import bz2
import json
import lzma
import time

import pandas as pd
import pytest
from user_files import VOTES, refusal, text, writer

from wmtlib.study.releases.sources import ROOT
from wmtlib.yours.reading import columns
from wmtlib.yours.reading.read import read, read_tasks

given_file = pytest.fixture(writer)


def lines(*rows):
    return "\n".join(map(json.dumps, rows))


def scores(judgements):
    """The score of every output: by segment and system."""
    frame = judgements.frame
    keys = zip(frame["segment"], frame["system"], strict=True)
    return dict(zip(keys, frame["score"].tolist(), strict=True))


def given(**scores):
    spans = [{"start_i": 0, "end_i": 1, "severity": "minor"}]
    return {name: {"score": s, "error_spans": spans} for name, s in scores.items()}


def screen(user, number, *outputs, **item):
    items = [{"item_id": f"{number}.{k}", **item} for k in range(len(outputs))]
    return {"user_id": user, "item_i": number, "item": items, "annotation": outputs}


SCREENS = [
    screen("u", "welcome_0", given(x=1, y=2)),
    screen("u", 1, given(x=5, y=6)),
    screen("u", 1, given(x=70, y=60), given(x=71, y=None)),
    screen("u", 2, given(x=3, y=4), validation={"x": {"score": [0, 5]}}),
]
PEARMUT = {("1.0", "x"): 70, ("1.0", "y"): 60, ("1.1", "x"): 71}


def test_screens_of_pearmut(given_file):
    for data in (lines(*SCREENS), json.dumps(SCREENS, indent=1)):
        judgements = read(given_file(data))
        assert scores(judgements) == PEARMUT and judgements.units[0] == "worker"
        assert judgements.warnings[:4] == (
            "left out: 1 screens that were done again",
            "left out: 2 outputs of tutorials",
            "left out: 2 attention checks",
            "left out: 1 outputs without a score",
        )
    older = {"user_id": "u", "item_i": 7, "annotation": given(x=7, y=8), "time": 1}
    assert scores(read(given_file(lines(older)))) == {("7", "x"): 7, ("7", "y"): 8}
    damaged = lines(*SCREENS, {**SCREENS[1], "annotation": [3]})
    assert refusal(given_file(damaged)).startswith(", line 5: is no row of pearmut")


def test_segments_of_wmt25(given_file):
    ids = "en-cs_CZ_#_news_#_n1_#_0", "en-cs_CZ_#_edu_#_e1"
    by_two = {n: [{"annotator": n, "score": k}] for n, k in (("x", 7), ("y", 8))}
    judgements = read(given_file(lines({"doc_id": ids[0], "scores": by_two})))
    assert scores(judgements) == {(ids[0], "x"): 7, (ids[0], "y"): 8}
    assert judgements.task == "en-cs_CZ"
    assert judgements.units == ("worker", "document", "segment")
    human = {"x": {"human": 60.0}, "y": {"human": 70.5}}
    judgements = read(given_file(lines({"doc_id": ids[1], "scores": human})))
    assert sorted(scores(judgements).values()) == [60, 70.5]


MQM = """\
system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity
x\tn\t1\t1\tr1\t"Hi.\tHo.\tNo-error\tNo-error
y\tn\t1\t1\tr1\t"Hi.\tHe.\tStyle/Awkward\tMinor
y\tn\t1\t1\tr1\t"Hi.\tHe.\tFluency/Punctuation\tMinor
y\tn\t1\t2\tr1\tIt.\tEs.\tAccuracy/Omission\tMajor
x\tn\t1\t2\tr1\tIt.\tEr.\tNon-translation!\tMajor
x\tn\t1\t2\tr1\tIt.\tEr.\tFound\tHOTW-test
"""


def test_errors_of_googles_mqm(given_file):
    judgements = read(given_file(MQM, "mqm.tsv"))
    assert [*scores(judgements)] == [(f"n:{k}", s) for k, s in ("1x", "1y", "2y", "2x")]
    assert [*scores(judgements).values()] == [0, -1.1, -5, -25]
    assert judgements.scale == (-25, 0)
    assert "left out: 1 attention checks" in judgements.warnings
    odd = MQM.replace("Major\n", "Grave\n", 1)
    assert refusal(given_file(odd)).startswith(", line 5: is no row of MQM")


def test_error_spans_alone_need_weights(given_file):
    spans = ['[{"severity": "critical"}]', '[{"severity":"minor"}]', "[]", "[]"]
    rows = zip(("w0", "w1", "w2", "w3"), "xyxy", "0011", spans, strict=True)
    path = given_file(text([["annotator", "system", "segment", "error_spans"], *rows]))
    ways = ", add --preset mqm or --preset esa-spans"
    assert refusal(path).endswith(
        f"holds errors and no scores; to rank by minus their weights{ways}"
    )
    assert [*scores(read(path, preset="mqm")).values()] == [-25, -1, 0, 0]
    named = read(path, preset="mqm", columns={"worker": "annotator"})
    assert named.frame["score"].tolist() == [-25, -1, 0, 0]
    assert "is no row of errors" in refusal(path, preset="esa-spans")
    blank = given_file(path.read_text().replace("[]", "", 1))
    assert refusal(blank, preset="mqm").startswith(", line 4: is no row of errors")
    assert ": expected mqm, esa-spans" in refusal(path, preset="mqn")
    assert "--preset mqm: expected" in refusal(given_file(VOTES), preset="mqm")


def test_error_spans_of_appraise(given_file):
    row = 'e1,{},TGT,eng,ces,0,d,{},"[{{""severity"": ""{}""}}]",1.5,2.5\n'.format
    rows = [
        row("x,0", False, "minor"),
        row("y,0", False, "major"),
        row("x,1", False, "major"),
        row("y,1", False, "minor"),
        row("y,1", True, "minor"),
    ]
    path = given_file("".join(rows))
    assert "; if the judgements are error spans alone, add --preset" in refusal(path)
    judgements = read(path, preset="esa-spans")
    assert [*scores(judgements).values()] == [-1, -5, -5, -1]
    assert "1 rows of whole documents" in judgements.reading
    odd = row("x,2", False, "undecided")  # as some errors of WMT24 are
    judgements = read(given_file(path.read_text() + odd), preset="mqm")
    assert len(scores(judgements)) == 4
    line = "left out: 1 outputs with an error of undecided severity"
    assert line in judgements.warnings


@pytest.mark.realdata
def test_the_errors_of_wmt24_are_weighed(mirror):
    folder = mirror / "wmt-conference/wmt24-news-systems/humeval"
    path = folder / "esa_generalMT2024_wave2.csv"
    judgements = read(path, preset="esa-spans", task="eng-hin")
    assert (judgements.rows, judgements.scale) == (3471, (-70, 0))
    line = "left out: 4 outputs with an error of undecided severity"
    assert judgements.warnings[0] == line


def test_scores_of_segments_without_a_header(given_file):
    path = given_file("x\tNone\nx\t70\nx\t71\ny\t60\ny\tNone\ny\t62\n", "en.seg.score")
    judgements = read(path)
    expected = {("2", "x"): 70, ("3", "x"): 71, ("1", "y"): 60, ("3", "y"): 62}
    assert scores(judgements) == expected
    assert judgements.warnings[0] == "left out: 2 outputs without a score"


def test_tables_of_segments_by_systems(given_file):
    rows = "a,1,70,good,60,9\na,2,71,,NA,8\nb,2,5,,6,7\n"
    path = given_file(f"annotator,segment,x,comment,y,time\n{rows}")
    missing = refusal(path, columns={"document": "doc"})
    assert missing.startswith(", line 1: column 'doc' is missing")
    judgements = read(path)
    assert len(scores(judgements)) == 4 and judgements.rows == 5
    assert judgements.systems == ("x", "y")
    assert "columns of numbers are taken for systems: 'x', 'y'" in judgements.warnings
    assert judgements.unused == ("comment", "time")
    assert read(given_file("segment,a,c\n1,7,8\n2,9,8\n")).systems == ("a", "c")
    numbered = given_file("segment,system1,system2,system3\n1,7,8,9\n2,9,8,5\n")
    assert "expected a, b, outcome" in refusal(numbered)
    judgements = read(numbered, kind="assessments")
    assert judgements.systems == ("system1", "system2", "system3")
    typo = given_file("segment,x,y\n1,70,60\n2,7O,80\n3,90,50\n")
    assert refusal(typo).startswith(", line 3: score is '7O'; expected a number")
    percent = given_file("segment,x,y\n1,70%,60%\n2,7.5%,80%\n")
    assert [*scores(read(percent)).values()] == [70, 7.5, 60, 80]
    blanks = read(
        given_file("system mqm_avg_score seg_id\nx 3.5 1\ny 0 1\n"),
        lower_is_better=True,
    )
    assert scores(blanks) == {("1", "x"): -3.5, ("1", "y"): 0}


def test_the_export_of_wmt25_has_15_fields(given_file):
    row = "e1,en-cs_#_d_#_{0},{1},0,{2},eng,ces,{3},d,False,[],1.5,2.5,,\n"
    data = row.format(0, "x", "TGT", 70) + row.format(0, "y", "TGT", 60)
    judgements = read(given_file(data + row.format(0, "y", "BAD", 6)))
    segment = "en-cs_#_d_#_0"
    assert scores(judgements) == {(segment, "x"): 70, (segment, "y"): 60}
    assert judgements.task == "eng-ces"


def test_errors_of_wmt25_are_of_the_same_task_as_its_scores(given_file):
    row = 'e1,en-cs_CZ_#_news_#_d_#_{},{},0,TGT,eng,ces,70,d,False,"{}",1.5,2.5,,\n'
    minor = '[{""severity"": ""minor""}]'
    path = given_file(row.format(0, "x", "[]") + row.format(0, "y", minor))
    judgements = read(path, preset="mqm")
    assert [*scores(judgements).values()] == [0, -1]
    by_scores = read(given_file(path.read_text().replace("70", "7", 1)))
    for found in (judgements, by_scores):
        assert (found.task, found.systems) == ("eng-ces", ("x", "y"))
        assert set(found.frame["document"]) == {"d"}
    ids = "annotator,system,segment,error_spans\n"
    ids += f'e,x,en-cs_#_n_#_d_#_1,[]\ne,y,en-cs_#_n_#_d_#_1,"{minor}"\n'
    alone = read(given_file(ids), preset="mqm")
    assert (alone.task, *alone.frame["document"]) == ("en-cs", "d", "d")


def test_weights_count_whatever_other_scores_a_file_has(given_file):
    rows = 'e,x,1,70,[]\ne,y,1,80,"[{""severity"": ""minor""}]"\n'
    path = given_file(f"annotator,system,segment,esa_score,error_spans\n{rows}")
    assert [*scores(read(path, preset="mqm")).values()] == [0, -1]
    assert [*scores(read(path)).values()] == [70, 80]


def test_columns_that_together_are_the_task(given_file):
    rows = "x,y,a,en-cs,news,1\nx,y,b,en-cs,chat,1\ny,x,a,en-de,news,2\n"
    path = given_file("a,b,outcome,lp,domain,year\n" + rows)
    tasks = [one.task for one in read_tasks(path, task_columns=["lp", "domain"])]
    assert tasks == ["en-cs-chat", "en-cs-news", "en-de-news"]
    three = read_tasks(path, task_columns=["lp", "domain", "year"])
    assert three[0].task == "en-cs-chat-1"
    assert "at most 3" in refusal(path, task_columns=["a"] * 4)


def test_packed_files_and_those_of_other_packages(given_file, tmp_path):
    expected = read(given_file(VOTES)).comparisons
    for name, pack in (("x.bz2", bz2.compress), ("x.xz", lzma.compress)):
        found = read(given_file(pack(VOTES), name)).comparisons
        pd.testing.assert_frame_equal(found, expected)
        assert "is a damaged" in refusal(given_file(pack(VOTES)[:-9], name))
    frame = pd.read_csv(given_file(VOTES))
    frame.to_feather(tmp_path / "x.feather")
    pd.testing.assert_frame_equal(read(tmp_path / "x.feather").comparisons, expected)
    pytest.importorskip("openpyxl")
    frame.to_excel(tmp_path / "x.xlsx", index=False)
    pd.testing.assert_frame_equal(read(tmp_path / "x.xlsx").comparisons, expected)
    with pd.ExcelWriter(tmp_path / "two.xlsx") as workbook:
        for name in ("one", "two"):
            frame.to_excel(workbook, sheet_name=name, index=False)
    expected = ": has 2 sheets that are not empty, 'one', 'two'; expected one: save it"
    assert refusal(tmp_path / "two.xlsx").startswith(expected)


def test_a_spreadsheet_says_what_it_needs(given_file):
    message = refusal(given_file(b"PK\x03\x04 none", "x.xlsx"))
    assert "pip install openpyxl" in message or "cannot be read (" in message


def test_many_blank_lines_end_soon(given_file):
    begin = time.process_time()
    blank = b"\n" * 50_000_000
    path = given_file(bz2.compress(b"a,b,outcome\nX,Y,a" + blank + b"X,Y,a\n"))
    assert refusal(path).startswith(", line 3: and many others are blank")
    assert read(given_file(VOTES + blank)).rows == 5
    assert time.process_time() - begin < 20


FILES = {
    "pearmut.jsonl": lines(*SCREENS).encode(),
    "list.json": json.dumps(SCREENS).encode(),
    "mqm.tsv": MQM.encode(),
    "wide.csv": b"annotator,segment,x,y\na,1,70,60\na,2,71,NA\n",
    "seg.score": b"x\t70\nx\tNone\ny\t60\ny\t61\n",
    "spans.csv": b'system,segment,errors\nx,1,[]\ny,1,"[{""severity"": ""minor""}]"\n',
}


# --- what is said ---------------------------------------------------------------------

JUDGED = ["worker", "system", "segment", "score"]


def test_a_column_that_tells_copies_apart_is_named(given_file):
    rows = [["w", "xy"[k % 2], k // 4, 50 + k, f"m{k // 2 % 2}", k] for k in range(16)]
    path = given_file(text([[*JUDGED, "Phase 2", "time"], *rows]))
    (warning,) = [line for line in read(path).warnings if "tells apart" in line]
    assert warning.startswith("column 'Phase 2' tells apart 16 scores")
    apart = text([[*JUDGED, "Phase 2", "time"], *(row for row in rows if "m0" in row)])
    assert not [w for w in read(given_file(apart)).warnings if "apart" in w]
    frame = pd.DataFrame(rows, columns=[*JUDGED, "Story", "time"])
    assert read(frame).columns["document"] == "Story"


@pytest.mark.parametrize("name", ["docID", "document_name", "Doc Name"])
def test_names_of_columns_are_compared_by_their_letters(given_file, name):
    header = ",".join([*JUDGED, name])
    judgements = read(given_file(f"{header}\nw,x,1,5,d\nw,y,1,6,d\n"))
    assert judgements.columns["document"] == name


def test_a_near_miss_is_told(given_file):
    path = given_file("user_id,annotation,time\n1,2,3\n")
    assert "; it may be pearmut (docs/recipes.md)" in refusal(path)
    missing = refusal(given_file(VOTES), columns={"a": "outcom"})
    assert missing.endswith("; did you mean 'outcome'?")
    assert refusal(path, columns={"segmnt": "a"}).endswith("; did you mean 'segment'?")


def test_pairs_in_both_directions_with_other_numbers_are_not_told(given_file):
    different = read(given_file("a,b,wins_a,wins_b\nx,y,10,5\ny,x,5,9\n"))
    assert not different.warnings


def test_the_page_shows_the_table():
    page = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
    rows = pd.read_csv(columns.RECIPES)
    rows["command"] = "`wmtlib " + rows["command"] + "`"
    lines = "".join(f"| {' | '.join(row)} |\n" for row in rows.to_numpy())
    assert f"| --- |\n{lines}\n" in page


@pytest.mark.parametrize(
    "data, name",
    [
        ('[{"id": 1, "annotations": [], "data": {}, "meta": {}}]', "raw JSON of Label"),
        (
            '{"text": "", "options": [], "accept": [], "answer": ""}',
            "lines of JSON of P",
        ),
        (
            "HITId,AssignmentId,WorkerId,Input.x,Answer.y\n1,2,3,4,5\n",
            "a batch of MTurk",
        ),
    ],
)
def test_raw_exports_of_tools_name_their_recipe(given_file, data, name):
    assert f"; it may be {name}" in refusal(given_file(data))
