"""Files of annotation tools and campaigns are read without an option."""

import bz2
import json
import lzma
import random
import time

import pandas as pd
import pytest
from user_files import VOTES, refusal, text, writer

from examples import ROOT, data_error
from wmtlib.reading import columns
from wmtlib.reading.read import read, read_tasks

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
    several = {"x": [{"annotator": n, "score": k} for n, k in (("p", 7), ("q", 9))]}
    several["y"] = [{"annotator": "p", "score": 3}]
    document = "en-cs_CZ_#_edu_#_e1"  # its segments are not numbered
    two_lines = [{"doc_id": document, "scores": several}] * 2
    frame = read(given_file(lines(*two_lines))).frame
    assert frame["score"].tolist() == [7, 9, 3] * 2
    assert frame["worker"].nunique() == 2
    segments = [f"{document}_#_{place}" for place in (0, 0, 0, 1, 1, 1)]
    assert frame["segment"].tolist() == segments
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


def test_from_export_asks_for_weights_of_error_spans(given_file):
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
    assert "; if they hold scores, add --kind assessments" in refusal(numbered)
    judgements = read(numbered, kind="assessments")
    assert judgements.systems == ("system1", "system2", "system3")
    typo = given_file("segment,x,y\n1,70,60\n2,7O,80\n3,90,50\n")
    assert refusal(typo).startswith(", line 3: score is '7O'; expected a number")
    words = "segment,x,y,note\n1,70,60,fine\n2,71,61,5\n3,72,50,odd\n"
    judgements = read(given_file(words))
    assert judgements.systems == ("x", "y") and judgements.unused == ("note",)
    blanks = read(
        given_file("system mqm_avg_score seg_id\nx 3.5 1\ny 0 1\n"),
        lower_is_better=True,
    )
    assert scores(blanks) == {("1", "x"): -3.5, ("1", "y"): 0}


def table_of(header, rows):
    return text([header.split(","), *rows])


def wide(**others):
    """Return a table of 12 segments by three systems, and other columns."""
    rows = []
    for k in range(12):
        scores = [60 + k * 5 % 7, 40 + k * 3 % 5, 80 - k * 7 % 11]
        more = [values(k, scores) for values in others.values()]
        rows.append([f"s{k}", *scores, *more])
    return table_of(",".join(["segment,x,y,z", *others]), rows)


@pytest.mark.parametrize(
    "name, values",
    [
        ("Best", lambda k, scores: max(scores)),
        ("Jahre", lambda k, scores: 3 + k % 9),
        ("seconds since", lambda k, scores: 1700 + k * k),
        ("mittel", lambda k, scores: int(sum(scores) / 3 + 0.5)),
        ("zusammen", lambda k, scores: sum(scores)),
        ("Annotator age", lambda k, scores: 31),
    ],
)
def test_columns_of_numbers_that_are_no_systems(given_file, name, values):
    judgements = read(given_file(wide(**{name: values})))
    assert judgements.systems == ("x", "y", "z") and judgements.rows == 36
    said = f"columns of numbers are not taken for systems: {name!r}"
    assert said in judgements.warnings


def test_a_column_without_a_name_is_called_as_pandas_calls_it(given_file):
    path = given_file(wide(**{"": lambda k, scores: k}))
    said = "columns of numbers are not taken for systems: 'Unnamed: 4'"
    assert said in read(path).warnings
    fallen = given_file(wide(**{"": lambda k, scores: 90 - k}))
    assert said in read(fallen).warnings
    path = given_file(",x,y\na,61,52\nb,64,57\nc,58,50\n")
    assert "add --column 'segment=Unnamed: 0'" in refusal(path)
    assert read(path, columns={"segment": "Unnamed: 0"}).systems == ("x", "y")


def test_columns_of_numbers_that_may_be_systems(given_file):
    near = read(given_file(wide(w=lambda k, scores: sum(scores) // 3 + k % 2)))
    assert near.systems == ("w", "x", "y", "z")
    rising = read(given_file("segment,x,y\n1,60,0\n2,50,1\n3,55,2\n"))
    assert rising.systems == ("x", "y")


CRITERIA = ["coherence", "consistency", "Fluency (1-5)"]


def of_criteria(system, *, workers=("r1", "r2"), criteria=CRITERIA):
    draw = random.Random(0)
    rows = [
        (f"d{k}", worker, name, *draw.choices(range(1, 6), k=3))
        for k in range(5)
        for worker in workers
        for j, name in enumerate(["alpha", "beta", "gamma"])
    ]
    return table_of(",".join(["item_id,annotator", system, *criteria]), rows)


@pytest.mark.parametrize("system, criteria", [("engine", CRITERIA), ("xyz", [*"pqr"])])
def test_a_column_that_tells_copies_apart_may_name_the_systems(
    given_file, system, criteria
):
    path = given_file(of_criteria(system, criteria=criteria))
    first, *others = criteria
    way = f"--column system={system} --column score={first} (or {', '.join(others)})"
    assert f"line 1: '{system}' tells apart rows of one segment" in refusal(path)
    assert f"to name these, add {way}" in refusal(path)
    judgements = read(path, columns={"system": system, "score": first})
    assert judgements.systems == ("alpha", "beta", "gamma")
    assert not any("may hold the same" in line for line in judgements.warnings)
    document = {"document": system}
    if criteria == CRITERIA:
        assert "may be no systems" in refusal(path, columns=document)
    else:
        way = f"; if it names no systems, add --column document={system}"
        assert refusal(path).endswith(way)
        assert read(path, columns=document).systems == ("p", "q", "r")


def test_criteria_are_no_systems_though_nothing_is_copied(given_file):
    rows = [(f"{k}.{name}", name, 1 + k, 5 - k) for k in range(4) for name in "xy"]
    path = given_file(table_of("segment,generator,fluency,adequacy", rows))
    way = "add --column system=generator --column score=fluency (or adequacy)"
    assert refusal(path).endswith(f"may be no systems; to name these, {way}")
    judgements = read(path, columns={"system": "generator", "score": "fluency"})
    said = "columns 'adequacy' may hold the same, and are not used"
    assert any(line.startswith(said) for line in judgements.warnings)


def test_a_domain_or_a_comment_does_not_name_systems(given_file):
    rows = [(d, k, 50 + k, 60 - k, "ok") for d in ("news", "chat") for k in range(4)]
    path = given_file(table_of("domain,segment,x,y,comment", rows))
    assert [j.task for j in read_tasks(path)] == ["chat", "news"]
    path = given_file(table_of("genre,segment,x,y,comment", rows))
    assert read(path).systems == ("x", "y")
    rows = [(k % 4, 50 + 5 * k % 7, 60 - k, "typo" if k % 3 else "") for k in range(9)]
    assert read(given_file(table_of("segment,x,y,note", rows))).systems == ("x", "y")


def by_annotator(*names):
    draw = random.Random(0)
    outputs = [(k, system) for k in range(4) for system in "xy"]
    rows = [(*output, *draw.choices(range(101), k=3)) for output in outputs]
    return table_of(",".join(["segment,system", *names]), [*rows, (9, "x", 70, "", "")])


@pytest.mark.parametrize(
    "names",
    [("Rater 1", "Rater 2", "Rater 3"), ("annotator_a", "annotator_b", "judge3")],
)
def test_columns_of_annotators_beside_a_column_of_systems(given_file, names):
    judgements = read(given_file(by_annotator(*names)))
    assert judgements.rows == 25 and judgements.systems == ("x", "y")
    assert {*judgements.people.values()} == {*names}
    said = ", ".join(map(repr, names))
    assert f"columns are taken for annotators: {said}" in judgements.warnings
    assert "left out: 2 outputs without a score" in judgements.warnings


def test_columns_that_may_be_annotators_are_asked_about_once(given_file):
    path = given_file(by_annotator("Anna", "Ben B", "score_carla"))
    way = "--column 'worker=Anna,Ben B,score_carla'"
    assert refusal(path).endswith(
        "columns 'Anna', 'Ben B', 'score_carla' could each be the score; add --column"
        f" score=Anna (or Ben B, score_carla) or, if each is an annotator, {way}"
    )
    judgements = read(path, columns={"worker": "Anna,Ben B,score_carla"})
    assert {*judgements.people.values()} == {"Anna", "Ben B", "score_carla"}
    assert judgements.rows == 25 and judgements.units == ("worker", "segment")
    alone = read(path, columns={"score": "Anna"})
    (said,) = [line for line in alone.warnings if "may hold the same" in line]
    assert said.command_line.endswith(f"if each column is an annotator, add {way}")
    with data_error("column 'Anna,Bob' is missing"):
        read(path, columns={"worker": "Anna,Bob"})


def test_criteria_of_annotators_are_asked_about(given_file):
    path = given_file(of_criteria("system"))
    assert refusal(path).endswith(
        "could each be the score; add --column score=coherence (or consistency,"
        " Fluency (1-5))"
    )


def test_votes_in_columns_of_annotators(given_file):
    rows = [("x", "y", "A", "B"), ("y", "z", "tie", "A"), ("x", "z", "B", "")]
    path = given_file(table_of("model A,model B,annotator 1,annotator 2", rows))
    judgements = read(path)
    assert judgements.rows == 5 and judgements.units == ("judge",)
    assert (
        judgements.counts.wins.loc["x", "y"]
        == 1
        == judgements.counts.wins.loc["y", "x"]
    )
    assert "left out: 1 outputs without a outcome" in judgements.warnings
    named = {"judge": "Ann,Bob"}
    path = given_file(table_of("a,b,Ann,Bob", rows[:2]))
    assert read(path, columns=named).rows == 4


def test_criteria_of_each_annotator_are_no_annotators(given_file):
    path = given_file(by_annotator("Rater 1 fluency", "Rater 2 fluency", "judge style"))
    assert "add --column 'score=Rater 1 fluency' (or " in refusal(path)


def test_columns_of_people_are_no_systems(given_file):
    rows = [(k, "x", 50 + k, 60) for k in range(4)]
    path = given_file(table_of("segment,text,Rater 1,Rater 2", rows))
    assert "may be no systems; to name these, add --column system=NAME" in refusal(path)


def test_identifiers_of_segments_win_over_their_texts(given_file):
    rows = [(k, ["Ja.", "Nein."][k % 2], 50 + k, 60 - k) for k in range(6)]
    path = given_file(table_of("Segment ID,Source,x,y", rows))
    assert read(path).frame["segment"].nunique() == 6
    assert read(path).columns["segment"] == "Segment ID"
    # Places in a batch: number 1 has two texts.
    rows = [(k % 3, f"t{k}", s, 50 + k) for k in range(6) for s in "xy"]
    path = given_file(table_of("segment,source,system,score", rows))
    assert read(path).columns["segment"] == "source"
    # Places in a document.
    places = [(f"d{k // 3}", k % 3, f"t{k}") for k in range(6)]
    rows = [(*place, s, 50 + k) for k, place in enumerate(places) for s in "xy"]
    path = given_file(table_of("doc,segment,source,system,score", rows))
    assert read(path).columns["segment"] == "segment"
    # Numbers of rows: no two systems share one.
    rows = [(k, f"t{k // 2}", "xy"[k % 2], 50 + k) for k in range(6)]
    path = given_file(table_of("segment_id,source,system,score", rows))
    assert read(path).columns["segment"] == "source"


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


def test_preset_overrides_other_scores_of_a_file(given_file):
    rows = 'e,x,1,70,[]\ne,y,1,80,"[{""severity"": ""minor""}]"\n'
    path = given_file(f"annotator,system,segment,esa_score,error_spans\n{rows}")
    assert [*scores(read(path, preset="mqm")).values()] == [0, -1]
    assert [*scores(read(path)).values()] == [70, 80]


def test_columns_that_together_are_the_task(given_file):
    rows = "x,y,a,en-cs,news,1\nx,y,b,en-cs,chat,1\ny,x,a,en-de,news,2\n"
    path = given_file("a,b,outcome,lp,domain,year\n" + rows)
    tasks = [one.task for one in read_tasks(path, task_columns=["lp", "domain"])]
    assert tasks == ["en-cs-chat", "en-cs-news", "en-de-news"]
    assert "at most 2" in refusal(path, task_columns=["lp", "domain", "year"])


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
    blank = b"\n" * 5_000_000
    path = given_file(bz2.compress(b"a,b,outcome\nX,Y,a" + blank + b"X,Y,a\n"))
    assert refusal(path).startswith(", line 3: and many others are blank")
    assert read(given_file(VOTES + blank)).rows == 5
    assert time.process_time() - begin < 2


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


def test_names_of_columns_are_compared_by_their_letters(given_file):
    header = ",".join([*JUDGED, "Doc Name"])
    judgements = read(given_file(f"{header}\nw,x,1,5,d\nw,y,1,6,d\n"))
    assert judgements.columns["document"] == "Doc Name"


def test_refusals_name_similar_columns(given_file):
    path = given_file("user_id,annotation,time\n1,2,3\n")
    assert "; it may be pearmut (docs/recipes.md)" in refusal(path)
    missing = refusal(given_file(VOTES), columns={"a": "outcom"})
    assert missing.endswith("; did you mean 'outcome'?")
    assert refusal(path, columns={"segmnt": "a"}).endswith("; did you mean 'segment'?")


def test_both_ways_is_silent_where_numbers_differ(given_file):
    different = read(given_file("a,b,wins_a,wins_b\nx,y,10,5\ny,x,5,9\n"))
    assert not different.warnings


def test_recipes_page_has_the_rows_of_recipes_csv():
    page = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
    rows = pd.read_csv(columns.RECIPES)
    typed = ~rows["command"].str.startswith("see below")
    rows.loc[typed, "command"] = "`wmtlib " + rows["command"] + "`"
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
