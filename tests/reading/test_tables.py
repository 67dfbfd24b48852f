"""Every format holds the same table; a path is nothing but a path."""

import gzip
import hashlib
import json
import lzma
import os
import tempfile
import time

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_read import OFFICIAL, XML
from test_tools import FILES
from user_files import (
    HEADER,
    PIECES,
    RANKED,
    ROWS,
    SCORED,
    VOTES,
    WMT,
    check_anything,
    edited,
    objects,
    parquet,
    refusal,
    text,
    writer,
)

from examples import data_error
from wmtlib.errors import DataError
from wmtlib.reading import files, tables
from wmtlib.reading import parquet as parquet_files
from wmtlib.reading.read import read
from wmtlib.reading.tables import open_table

given_file = pytest.fixture(writer)


def test_open_table_reads_every_format_alike(tmp_path):
    plain = VOTES
    written = {
        "x.csv": plain,
        "bom.csv": b"\xef\xbb\xbf" + plain,
        "crlf.csv": text([HEADER, *ROWS], newline="\r\n"),
        "some-crlf.csv": plain.replace(b"\n", b"\r\n", 2),
        "no-last-line-end.csv": plain.rstrip(),
        "blank-end.csv": plain + b"\n,,,,\n",
        "quoted.csv": plain.replace(b"uedin", b'"uedin"'),
        "x.tsv": text([HEADER, *ROWS], "\t"),
        "german-excel.csv": b"\xef\xbb\xbf"
        + text([HEADER, *ROWS], ";", "\r\n")
        + b";;;;\r\n",
        "line-ends-twice.csv": text([HEADER, *ROWS], newline="\r\r\n"),
        "blanks.csv": plain.replace(b",outcome,", b", outcome ,"),
        "x.jsonl": objects(HEADER, ROWS) + b"\n",
        "x.parquet": parquet(tmp_path / "x", HEADER, ROWS).read_bytes(),
    }
    for name in ("x.csv", "x.jsonl", "x.parquet"):
        written[f"{name}.gz"] = gzip.compress(written[name])
    for name, data in written.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "parts").mkdir()
    for k, rows in enumerate([ROWS[:2], [], ROWS[2:]]):
        parquet(tmp_path / "parts" / f"{k}.parquet", HEADER, rows)
    (tmp_path / "parts" / "_SUCCESS").touch()
    frame = pd.DataFrame(ROWS, columns=HEADER)
    expected = read(frame)
    for name in [*written, "parts", "parts/*.parquet"]:
        judgements = read(tmp_path / name)
        pd.testing.assert_frame_equal(judgements.comparisons, expected.comparisons)
        assert judgements.people == expected.people


def test_numbers_of_a_frame_are_as_in_a_file(given_file):
    rows = [[1, 7.0, "s", 0.1], [2, 8.0, "s", 3], [1, 8.0, "s", 5]]
    from_frame = read(pd.DataFrame(rows, columns=SCORED[0]))
    path = given_file("worker,system,segment,score\n1,7,s,0.1\n2,8,s,3\n1,8,s,5\n")
    from_file = read(path)
    pd.testing.assert_frame_equal(from_frame.assessments, from_file.assessments)
    names = read(given_file("a,b,outcome\n1,01,1\n01,1.0,1\n"))
    assert names.systems == ("01", "1", "1.0")


def test_sha256_is_of_the_bytes_of_files(tmp_path, given_file):
    path = given_file(gzip.compress(VOTES))
    assert read(path).sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    parts = [parquet(tmp_path / f"{k}.parquet", HEADER, ROWS[k:]) for k in range(2)]
    hashes = sorted(hashlib.sha256(part.read_bytes()).hexdigest() for part in parts)
    expected = hashlib.sha256("".join(hashes).encode()).hexdigest()
    assert read(tmp_path / "*.parquet").sha256 == expected


# --- paths and streams ----------------------------------------------------------------


def test_open_table_refuses_what_is_no_file(tmp_path, given_file, monkeypatch):
    for name in ("none.csv", "*.parquet"):
        assert refusal(tmp_path / name) == ": no such file"
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "fifo", "/dev/zero"):
        assert refusal(path) == ": expected a regular file"
    (folder := tmp_path / "none").mkdir()
    assert refusal(folder) == ": is an empty folder; expected Parquet files"
    (folder / "x.csv").touch()
    expected = ": holds 'x.csv'; expected one file, or Parquet files only"
    assert refusal(folder) == expected
    with data_error(r"^'a\\nb': no such file$"):
        read("a\nb")
    assert refusal("/dev/fd/999").startswith(
        ": cannot be read (No such file or directory)"
    )
    path = given_file(gzip.compress(b"a,b,outcome\n" + b"X,Y,a\n" * 500_000))
    monkeypatch.setattr(files, "LARGEST", 1 << 21)
    assert refusal(path).startswith(
        ": is more than 2 MiB of text; expected Parquet; in Python: import duckdb; "
        f"duckdb.read_csv({str(path)!r}).write_parquet("
    )


NAMES = ["we[i]rd*?{a,b}s3:", "a=b quo'te\"x\\y"]


@pytest.mark.parametrize("name", NAMES)
def test_open_table_takes_odd_names_as_paths(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    parquet(tmp_path / "x.parquet", HEADER, ROWS).rename(folder / f"{name}.parquet")
    for path in [folder / f"{name}.parquet", folder / ".." / name]:
        assert read(path).rows == 5


def test_open_table_leaves_no_temporary_files(given_file, tmp_path, monkeypatch):
    (scratch := tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    read(given_file(gzip.compress(parquet(tmp_path / "x", HEADER, ROWS).read_bytes())))
    refusal(given_file("a,b,outcome\nX,Y,c\n", "bad.csv"))
    assert not list(scratch.iterdir())


@pytest.mark.parametrize(
    "name, packed", [("-", bytes), ("/dev/stdin", gzip.compress), ("/dev/fd/0", bytes)]
)
def test_open_table_reads_the_standard_input(name, packed):
    data = packed(VOTES)
    before = os.dup(0)
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    try:
        os.dup2(reading, 0)
        judgements = read(name)
    finally:
        os.dup2(before, 0)
        os.close(before)
        os.close(reading)
    assert judgements.path == (name if "fd" in name else "standard input")
    assert judgements.rows == 5
    assert judgements.sha256 == hashlib.sha256(data).hexdigest()


# --- Parquet --------------------------------------------------------------------------


def test_files_of_one_folder_are_read_by_the_names_of_columns(tmp_path):
    parquet(tmp_path / "1.parquet", HEADER[:3], [r[:3] for r in ROWS])
    other = [[c, b, a, "x"] for a, b, c, *_ in ROWS]
    parquet(tmp_path / "2.parquet", ["outcome", "b", "a", "more"], other)
    judgements = read(tmp_path)
    assert judgements.rows == 10 and set(judgements.comparisons["count"]) == {2, 4}
    said = "column 'more' is in some of the files only and is not used"
    assert judgements.warnings[0] == said
    parquet(tmp_path / "3.parquet", ["a", "b", "result"], [r[:3] for r in ROWS])
    assert refusal(tmp_path).startswith(": cannot be read as Parquet (")


def test_folders_with_an_equality_sign_are_tasks(tmp_path):
    for lp, outcome in [("de-en", "a"), ("cs-en", "b")]:
        (folder := tmp_path / "hive" / f"lp={lp}").mkdir(parents=True)
        parquet(folder / "x.parquet", HEADER[:3], [["X", "Y", outcome]])
    for path in (tmp_path / "hive", tmp_path / "hive/*/*.parquet"):
        assert refusal(path).startswith(": holds 2 tasks: 'cs-en', 'de-en'")
        assert read(path, task="cs-en").counts.wins.loc["Y", "X"] == 1


def test_numbers_of_parquet(tmp_path):
    rows = [[7, 8, 1], [7, 8, 2], [7, 8, 0]]
    path = tmp_path / "x.parquet"
    for kind in ("INTEGER", "DECIMAL(10, 2)"):
        parquet(path, HEADER[:3], rows, ["BIGINT", "UTINYINT", kind])
        assert read(path, outcomes={"0": "tie"}).counts.ties.loc["7", "8"] == 1
    rows = [["w", "A", 1, 0.1], ["w", "B", 1, 99]]
    parquet(path, SCORED[0], rows, ["VARCHAR", "VARCHAR", "INTEGER", "DOUBLE"])
    assert read(path).assessments["score"].tolist() == [0.1, 99]


COLUMNS = ['a"; DROP TABLE cells; --', "'count(*)"]


@pytest.mark.parametrize("name", COLUMNS)
def test_parquet_columns_may_have_odd_names(tmp_path, name):
    path = parquet(
        tmp_path / "x.pq", ["a", "b", "outcome", name], [r[:4] for r in ROWS]
    )
    by_judge = read(path, columns={"judge": name}).counted_by(["judge"])
    assert [*by_judge["judge"]].count("judge_002") == 3


@pytest.mark.slow
def test_parquet_larger_than_memory_is_read(tmp_path, monkeypatch):
    path = tmp_path / "x.parquet"
    with duckdb.connect() as database:
        database.execute(
            "COPY (SELECT 'X' || i % 7 AS a, 'Y' || i % 5 AS b, 'a' AS outcome,"
            " 'a rather long name of a judge ' || i AS judge FROM range(600000) t(i))"
            f" TO '{path}' (FORMAT parquet)"
        )
    monkeypatch.setattr(parquet_files, "MEMORY", "100MB")
    by_judge = read(path).comparisons
    assert len(by_judge) == by_judge["count"].sum() == 600_000


# --- any file -------------------------------------------------------------------------

CELL = st.text(st.sampled_from('AB ",\n\té'), max_size=3)
LINES = st.lists(st.tuples(st.sampled_from("ab"), CELL, CELL), min_size=1, max_size=30)


@given(LINES)
def test_text_is_read_as_it_was_written(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("text") / "x.csv"
    path.write_bytes(text([HEADER[:3], *rows]))
    with open_table(path) as table:
        frame = table.select({name: name for name in ("b", "outcome", "a")})
        message = str(table.origin.refuse("is odd", row=len(rows) - 1))
    assert [*zip(*(frame[name] for name in HEADER[:3]), strict=True)] == rows
    starts = 2 + np.cumsum([0, *(1 + sum(c.count("\n") for c in row) for row in rows)])
    assert message == f"{path}, line {starts[-2]}: is odd"


EDIT = st.tuples(
    st.floats(0, 1), st.integers(0, 6), st.sampled_from(PIECES) | st.binary(max_size=4)
)


ESA = "e1,{},{},{},eng,jpn,{},d,False,[],1,2\n".format
SEEDS = {
    "x.csv": VOTES,
    "x.tsv": text([HEADER, *ROWS], "\t"),
    "x.jsonl": objects(HEADER, ROWS),
    "scored.csv": text(SCORED),
    "ranked.csv": text(RANKED),
    "wmt.csv": text([WMT.columns, *WMT[:1].to_numpy().tolist()]),
    "counted.csv": b"a,b,outcome,count,lp\nX,Y,left,3,de-en\nX,Z,right,1,de-en\n",
    "winner.csv": b"model_a,model_b,winner\nX,Y,X\nX,Z,Z\nY,Z,tie\n",
    "wins.csv": b"a,b,wins_a,wins_b,ties\nX,Y,3,1,2\nX,Z,1,0,1\n",
    "matrix.csv": b",X,Y,Z\nX,,3,1\nY,2,,0\nZ,1,1,\n",
    "official.csv": OFFICIAL.encode(),
    "esa.csv": (ESA("A", 7, "TGT", 8) + ESA("B", 7, "TGT", 6)).encode(),
    "ranked.xml": XML.encode(),
    "x.csv.gz": gzip.compress(VOTES),
    **FILES,
}


@given(st.sampled_from(sorted(SEEDS)), st.lists(EDIT, max_size=4), st.booleans())
def test_mutated_files_are_read_or_refused(tmp_path_factory, name, edits, has_preset):
    data = edited(SEEDS[name], edits)
    path = tmp_path_factory.mktemp("mutated") / name
    path.write_bytes(data)
    preset = "mqm" if name == "spans.csv" or (has_preset and name in FILES) else None
    is_good = data == SEEDS[name] and not has_preset
    check_anything(path, data, is_good=is_good, preset=preset)


@given(st.lists(EDIT, min_size=1, max_size=3))
@settings(max_examples=settings().max_examples * 2 // 5)
def test_mutated_parquet_is_read_or_refused(tmp_path_factory, edits):
    folder = tmp_path_factory.mktemp("parquet")
    whole = parquet(folder / "x.parquet", HEADER, ROWS).read_bytes()
    (folder / "y.parquet").write_bytes(edited(whole, edits))
    try:
        assert read(folder / "y.parquet").rows == 5
    except DataError as refused:
        assert len(str(refused).splitlines()) == 1


# --- headers that are not as long as rows, remarks, JSON of other shapes --------------


def test_fields_without_cells_at_the_end_of_the_header_are_warned_of(given_file):
    batch = '"a","b","winner","Approve","Reject"\n"x","y","a"\n"x","y","b"\n'
    judgements = read(given_file(batch))
    assert judgements.rows == 2 and judgements.unused == ()
    assert judgements.warnings == (
        "columns 'Approve', 'Reject' have no cells in any row",
    )
    ragged = batch.replace('"b"\n', '"b",""\n')
    assert read(given_file(ragged)).rows == 2
    message = refusal(given_file(batch.replace('"b"\n', '"b","x"\n')))
    assert message == ", line 3: 4 fields; expected 3, as on line 2"


@pytest.mark.parametrize(
    "data",
    [
        "a,b,winner\nx,y,a,,\nx,y,b,\nx,y,a\n",
        "a,b,winner,,\nx,y,a,,\nx,y,b,,\nx,y,a,,\n",
    ],
)
def test_empty_cells_at_the_end_of_rows_are_no_cells(given_file, data):
    judgements = read(given_file(data))
    assert judgements.rows == 3 and judgements.unused == judgements.warnings == ()


def test_a_column_without_a_name_is_one_if_it_holds_anything(given_file):
    assert read(given_file("a,b,winner,\nx,y,a,\nx,y,b,note\n")).unused == (
        "Unnamed: 3",
    )


@pytest.mark.parametrize("line", ["sep=;", '"sep=,"', "SEP=\t", "# of 2026", "#"])
def test_a_remark_or_a_setting_before_the_header_is_named(given_file, line):
    expected = ", line 1: is a remark or a setting: delete this line"
    for header in ("a;b;winner\nx;y;a\n", "winner,loser\nx,y\n"):
        assert refusal(given_file(f"{line}\n{header}")).startswith(expected)
    assert read(given_file("#,a,b,winner\n1,x,y,a\n")).unused == ("#",)


VOTE_LIST = [{"a": "x", "b": "y", "winner": "a"}, {"a": "x", "b": "y", "winner": "b"}]


def test_lists_of_objects_in_json_are_read_in_any_wrapper(given_file):
    frame = pd.DataFrame(VOTE_LIST)
    expected = read(frame).comparisons
    table = json.loads(frame.to_json(orient="table"))
    wrapped = [{"data": VOTE_LIST}, {"n": 2, "meta": {}, "votes": VOTE_LIST}, table]
    for indent, value in enumerate([VOTE_LIST, *wrapped]):
        judgements = read(given_file(json.dumps(value, indent=indent or None)))
        assert judgements.rows == 2 and judgements.comparisons.equals(expected)
    bad = [*VOTE_LIST, {**VOTE_LIST[0], "winner": "c"}]
    path = given_file(json.dumps({"data": bad}, indent=2))
    assert refusal(path).startswith(
        ", object 3: winner is 'c'"
    ) or "object 3" in refusal(path)
    lines = frame.to_json(orient="records", lines=True)
    assert read(given_file(lines)).rows == 2


@pytest.mark.parametrize("orient", ["columns", "index", "split", "values"])
def test_objects_refuse_other_json_of_pandas_with_the_next_step(given_file, orient):
    path = given_file(pd.DataFrame(VOTE_LIST).to_json(orient=orient))
    assert refusal(path).endswith("(pandas: orient='records')")
    lists = pd.DataFrame(VOTE_LIST).to_dict("list")
    assert refusal(given_file(json.dumps(lists))).endswith("orient='records')")


def test_headers_and_cells_that_are_too_long_are_refused_at_once(
    given_file, monkeypatch
):
    monkeypatch.setattr(tables, "LONGEST_CELL", 1 << 20)
    begin = time.process_time()
    columns = ",".join(f"c{k}" for k in range(1_000_000))
    packed = lzma.compress(columns.encode(), preset=0)
    expected = ", line 1: has more than 262144 characters; expected a header"
    for data in (columns, packed, "x" * 5_000_000, "x " * 2_500_000):
        assert refusal(given_file(data, "long")) == expected
    long = f"a,b,winner\nx,y,{'a' * (1 << 21)}\n"
    assert "field larger than field limit (1048576)" in refusal(given_file(long))
    vote = {"a": "x", "b": "y", "winner": "a"}
    for rows in (
        [{**vote, "winner": "a" * (1 << 21)}],
        [vote, {**vote, "a": "x" * (1 << 21)}],
    ):
        lines = "\n".join(map(json.dumps, rows))
        fault = f"{len(rows)}: a cell has more than 1048576 characters; expected less"
        assert refusal(given_file(lines)).endswith(fault)
    assert time.process_time() - begin < 30


def test_check_cells_refuses_too_many_systems_soon(given_file):
    names = ",".join(f"m{k}" for k in range(5001))
    path = given_file(f"segment,{names}\n" + ("1" + ",5" * 5001 + "\n") * 3)
    assert refusal(path) == ": has 5002 columns; expected at most 5000"


def test_a_title_above_the_header_is_named(given_file):
    for title in ("My study", "# exported, by me"):
        path = given_file(f"{title}\na,b,outcome\nx,y,a\n")
        assert refusal(path).endswith("as on line 1; if that is a title, delete it")


def test_columns_a_b_and_c_are_systems_without_an_outcome(given_file):
    scores = "".join(
        f"{k},{60 + k * 7 % 31},{k * 11 % 89},{k * 5 % 71}\n" for k in range(20)
    )
    judgements = read(given_file("segment,A,B,C\n" + scores))
    assert judgements.kind == "assessments"
    assert judgements.systems == ("A", "B", "C")
    said = refusal(given_file("item,A,B,C\n" + scores))
    assert "add --column segment=item" in said


@pytest.mark.parametrize(
    "results",
    ["winner\nx,y,1,x", "wins_a,wins_b\nx,y,1,3,4", "score_a,score_b\nx,y,1,3,4"],
)
def test_columns_a_and_b_beside_c_are_pairs_with_a_result(given_file, results):
    assert read(given_file(f"a,b,c,{results}\n")).kind == "pairwise"
