"""Whatever a user's file holds, it is counted row by row or refused with one line."""

import csv
import gzip
import hashlib
import io
import json
import os
import tempfile
import tracemalloc
from collections import Counter
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from wmtlib import inputs, pairwise, schemas
from wmtlib.schemas import DataError

HEADER = ["a", "b", "outcome", "judge", "segment"]
ROWS = [
    ["uedin", "online-A", "a", "zoe", "s1"],
    ["online-A", "uedin", "a", "adam", "s1"],
    ["uedin", "rali", "tie", "zoe", "s2"],
    ["uedin", "online-A", "a", "adam", "s2"],
    ["rali", "uedin", "b", "zoe", "s3"],
]
SCORED = [
    ["worker", "system", "segment", "score"],
    ["w9", "A", "1", "40"],
    ["w9", "B", "1", "60.5"],
    ["w1", "A", "2", "0"],
]
RANKED = [
    ["ranking", "system", "rank", "judge"],
    ["r1", "A", "2", "zoe"],
    ["r2", "A", "1", "adam"],
    ["r1", "B", "1", "zoe"],
    ["r2", "B", "-1", "adam"],
    ["r1", "C", "2", "zoe"],
]


def text(rows, delimiter=",", newline="\n"):
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator=newline).writerows(rows)
    return out.getvalue().encode()


def objects(header, rows):
    return "".join(json.dumps(dict(zip(header, r, strict=True))) + "\n" for r in rows).encode()


def parquet(path, header, rows, types=None):
    """Write rows as Parquet."""
    names = ", ".join('"' + h.replace('"', '""') + '"' for h in header)
    with duckdb.connect() as database:
        kinds = ", ".join(f"c{k} {t}" for k, t in enumerate(types or ["VARCHAR"] * len(header)))
        database.execute(f"CREATE TABLE t ({kinds})")
        if rows:
            slots = ", ".join("?" * len(header))
            database.executemany(f"INSERT INTO t VALUES ({slots})", rows)
        database.execute("ALTER TABLE t RENAME c0 TO c0_")  # the first name stays free
        database.execute("ALTER TABLE t RENAME c0_ TO c0")
        chosen = ", ".join(f"c{k} AS {n}" for k, n in enumerate(names.split(", ")))
        target = str(path).replace("'", "''")
        database.execute(f"COPY (SELECT {chosen} FROM t) TO '{target}' (FORMAT parquet)")
    return path


@pytest.fixture
def given_file(tmp_path):
    """Write a file and give its path."""

    def write(data, name="file.csv"):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return write


def refusal(path, **options):
    with pytest.raises(DataError) as refused:
        inputs.read(path, **options)
    message = str(refused.value)
    assert "\n" not in message and message.startswith(str(path))
    return message.removeprefix(str(path))


def as_counter(tally):
    return {tuple(row[:-1]): row[-1] for row in tally.itertuples(index=False, name=None)}


# --- pairwise ----------------------------------------------------------------------------------


def test_comparisons_are_counted_as_by_hand(given_file):
    found = inputs.read(given_file(text([HEADER, *ROWS])))
    assert (found.kind, found.rows, found.task) == ("pairwise", 5, "")
    assert found.systems == ("online-A", "rali", "uedin")
    assert found.units == ("judge", "segment")
    counts = found.counts()
    assert counts.systems == list(found.systems)
    assert counts.wins.to_numpy().tolist() == [[0, 0, 1], [0, 0, 0], [2, 1, 0]]
    assert counts.ties.to_numpy().tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0]]
    assert as_counter(found.tallies()) == {
        ("online-A", "uedin", "a"): 1,
        ("rali", "uedin", "b"): 1,
        ("uedin", "online-A", "a"): 2,
        ("uedin", "rali", "tie"): 1,
    }


def test_units_are_counted_apart_and_judges_are_pseudonyms(given_file):
    found = inputs.read(given_file(text([HEADER, *ROWS])))
    by_judge = found.tallies(["judge"])
    assert list(by_judge.columns) == ["a", "b", "outcome", "judge", "count"]
    assert as_counter(by_judge) == {
        ("online-A", "uedin", "a", "judge_002"): 1,
        ("rali", "uedin", "b", "judge_001"): 1,
        ("uedin", "online-A", "a", "judge_001"): 1,
        ("uedin", "online-A", "a", "judge_002"): 1,
        ("uedin", "rali", "tie", "judge_001"): 1,
    }
    both = found.tallies(("segment", "judge"))
    assert list(both.columns[3:5]) == ["segment", "judge"] and both["count"].tolist() == [1] * 5
    assert list(both["segment"].cat.categories) == ["s1", "s2", "s3"]


@pytest.mark.parametrize("units", [(), ("judge",), ("judge", "segment")])
def test_every_format_gives_the_same(tmp_path, units):
    plain = text([HEADER, *ROWS])
    files = {
        "x.csv": plain,
        "bom.csv": b"\xef\xbb\xbf" + plain,
        "crlf.csv": text([HEADER, *ROWS], newline="\r\n"),
        "no-last-line-end.csv": plain.rstrip(),
        "blank-end.csv": plain + b"\n,,,,\n",
        "quoted.csv": plain.replace(b"uedin", b'"uedin"'),
        "x.tsv": text([HEADER, *ROWS], "\t"),
        "x.jsonl": objects(HEADER, ROWS),
        "x.txt": text([HEADER, *ROWS]),
    }
    files |= {f"{name}.gz": gzip.compress(data) for name, data in files.items()}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    zipped = parquet(tmp_path / "x.parquet", HEADER, ROWS).read_bytes()
    (tmp_path / "x.parquet.gz").write_bytes(gzip.compress(zipped))
    (tmp_path / "parts").mkdir()
    parquet(tmp_path / "parts" / "1.parquet", HEADER, ROWS[:2])
    parquet(tmp_path / "parts" / "2.parquet", HEADER, [])
    parquet(tmp_path / "parts" / "3.parquet", HEADER, ROWS[2:])
    (tmp_path / "parts" / "_SUCCESS").touch()
    expected = inputs.read(tmp_path / "x.csv").tallies(units)
    for name in [*files, "x.parquet", "x.parquet.gz", "parts", "parts/*.parquet"]:
        found = inputs.read(tmp_path / name)
        assert found.rows == 5
        pd.testing.assert_frame_equal(found.tallies(units), expected)


def test_the_hash_is_of_the_bytes(tmp_path, given_file):
    path = given_file(gzip.compress(text([HEADER, *ROWS])))
    assert inputs.read(path).sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    parts = [parquet(tmp_path / f"{k}.parquet", HEADER, ROWS[k:]) for k in range(2)]
    each = sorted(hashlib.sha256(p.read_bytes()).hexdigest() for p in parts)
    expected = hashlib.sha256("".join(each).encode()).hexdigest()
    assert inputs.read(tmp_path / "*.parquet").sha256 == expected


@pytest.mark.parametrize("pair", inputs.PAIRS)
@pytest.mark.parametrize("outcome", inputs.ALIASES["outcome"])
def test_known_names_of_columns(given_file, pair, outcome):
    path = given_file(text([[outcome.upper(), *pair], ["a", "X", "Y"]]))
    assert as_counter(inputs.read(path).tallies()) == {("X", "Y", "a"): 1}


def test_the_table_of_aliases_is_documented():
    for name in {n for p in inputs.PAIRS for n in p} | set(sum(inputs.ALIASES.values(), ())):
        assert name in inputs.__doc__


@pytest.mark.parametrize("words", inputs.VOCABULARIES)
def test_each_way_to_write_outcomes(given_file, words):
    path = given_file(text([HEADER[:3], *(["X", "Y", word] for word in words)]))
    expected = Counter(("X", "Y", meant) for meant in words.values())
    assert as_counter(inputs.read(path).tallies()) == expected


def test_columns_by_option(given_file):
    rows = [["left", "right", "winner", "verdict", "who"], ["X", "Y", "?", "<", "me"]]
    path = given_file(text(rows))
    assert "could each be the outcome" in refusal(path)
    found = inputs.read(path, columns={"outcome": "verdict", "judge": "who"})
    assert as_counter(found.tallies("judge")) == {("X", "Y", "b", "judge_001"): 1}
    swapped = {"a": "right", "b": "left", "outcome": "verdict"}
    assert as_counter(inputs.read(path, columns=swapped).tallies()) == {("Y", "X", "b"): 1}


def test_a_role_can_be_ignored(given_file):
    path = given_file("a,b,outcome,judge\nX,Y,a,\n")
    assert refusal(path) == ", line 2: judge is missing; expected a name"
    assert inputs.read(path, columns={"judge": None}).units == ()


def test_one_task_is_chosen(given_file):
    path = given_file("a,b,outcome,lp\nX,Y,a,de-en\nX,Z,b,cs-en\nX,Z,b,cs-en\n")
    assert refusal(path) == ": holds 2 tasks: 'cs-en', 'de-en'; choose one by task"
    assert refusal(path, task="fr-en") == ": no task 'fr-en'; it holds 'cs-en', 'de-en'"
    found = inputs.read(path, task="cs-en")
    assert (found.rows, found.systems, found.task) == (2, ("X", "Z"), "cs-en")
    assert (
        refusal(given_file("a,b,outcome\nX,Y,a\n"), task="t") == ": no task 't'; it names no task"
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("X,Y,c", ", line 2: outcome is 'c'; expected a, b, tie; or 1, 2, 0; or >, <, =; or"),
        ("X,Y,", ", line 2: outcome is ''; expected a, b, tie"),
        ("X,Y,A", ", line 2: outcome is 'A'; expected"),
        ("X,Y,a\nX,Y,1", ", line 3: outcome is '1' after 'a'; expected a, b, tie"),
        ("X,Y,1\nX,Y,0", ": outcomes are 1 and 0 but never 2; 0 is a tie: if it means that b"),
        ("X,Y,-1", ", line 2: outcome is '-1'; expected"),
        ("X,Y,a\nX,X,a", ", line 3: system 'X' is compared with itself; expected two systems"),
        (",Y,a", ", line 2: a is ''; expected a name"),
        ("X, ,a", ", line 2: b is ' '; expected a name"),
        ("X, Y,a", ", line 2: b is ' Y'; expected a name without blanks around it"),
        ("X,Y\x1b[31m,a", ", line 2: b is 'Y\\x1b[31m'; expected a name without invisible char"),
        ("X,Y\u200b,a", ", line 2: b is 'Y\\u200b'; expected a name without invisible char"),
        (f"X,{'Y' * 501},a", f", line 2: b is '{'Y' * 35}...; expected a name of at most 500"),
        ("X,Y", ", line 2: 2 fields; expected 3"),
        ("X,Y,a\nX,Y,a,", ", line 3: 4 fields; expected 3"),
        ("X,Y,a\n\nX,Y,a", ", line 3: is blank; expected a row, as on line 4"),
        ('"X,Y,a', ", line 2: is no row of fields between commas or tabs (unexpected end"),
        ('"X"x,Y,a', ", line 2: is no row of fields between commas or tabs"),
        ('"X\nx",Y,a\nX,Y,c', ", line 2: a is 'X\\nx'; expected a name without invisible"),
        ("X,Y\0,a", ", line 2: holds a NUL byte (binary, or UTF-16?); expected UTF-8 text"),
        ("X,Y,a\rX,Y,a\n", ", line 2: is no row of fields between commas or tabs (new-line"),
        ("", ": holds a header but no judgements"),
    ],
)
def test_what_is_no_comparison_is_refused(given_file, data, message):
    assert refusal(given_file(f"a,b,outcome\n{data}")).startswith(message)


def test_quoted_line_ends_count_as_lines(given_file):
    path = given_file('a,b,outcome,note\nX,Y,a,"1\n2\n3"\nX,Y,c,\n')
    assert refusal(path).startswith(", line 5: outcome is 'c'")


@pytest.mark.parametrize(
    ("row", "kinds", "message"),
    [
        (["X", "Y", "c"], None, ", row 2: outcome is 'c'; expected a, b"),
        (["X", None, "a"], None, ", row 2: b is ''; expected a name"),
        (["X", "Y", None], None, ", row 2: outcome is ''; expected a, b"),
        (["X", "Y\0", "a"], None, ", row 2: b is 'Y\\x00'; expected a name without invisible"),
        (["X", "Y", True], "BOOLEAN", ": column 'outcome' holds BOOLEAN; expected text"),
        (["X", "Y", 1.0], "DOUBLE", ": column 'outcome' holds DOUBLE; expected text"),
        (["X", "Y", [1]], "INTEGER[]", ": column 'outcome' holds INTEGER[]; expected text"),
        (["X", "Y", b"a"], "BLOB", ": column 'outcome' holds BLOB; expected text"),
    ],
)
def test_refusals_of_parquet_name_the_row(tmp_path, row, kinds, message):
    first = ["X", "Y", "a" if kinds is None else row[2]]
    types = ["VARCHAR", "VARCHAR", kinds or "VARCHAR"]
    path = parquet(tmp_path / "x.parquet", HEADER[:3], [first, row], types)
    assert refusal(path).startswith(message)


def test_a_row_of_one_of_several_files_is_named(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    parquet(folder / "1.parquet", HEADER, ROWS)
    parquet(folder / "2.parquet", HEADER, [])
    parquet(folder / "3.parquet", HEADER, [ROWS[0], ["X", "X", "a", "j", "s"]])
    assert refusal(folder).startswith(", file '3.parquet', row 2: system 'X' is compared")


@pytest.mark.parametrize("number", ["BIGINT", "UTINYINT"])
def test_numbers_of_parquet_are_outcomes_and_names(tmp_path, number):
    rows = [[7, 8, 1], [7, 8, 2], [7, 8, 0]]
    path = parquet(tmp_path / "x.parquet", HEADER[:3], rows, [number] * 3)
    assert set(inputs.read(path).tallies()["count"]) == {1}


# --- folders, paths, damage --------------------------------------------------------------------


@pytest.mark.parametrize("other", [["a", "b", "result"], ["b", "a", "outcome"], HEADER])
def test_files_of_one_folder_have_one_schema(tmp_path, other):
    parquet(tmp_path / "1.parquet", HEADER[:3], [r[:3] for r in ROWS])
    parquet(tmp_path / "2.parquet", other, [r[: len(other)] for r in ROWS])
    assert refusal(tmp_path).startswith(": file '2.parquet', has other columns than '1.parquet'")


def test_a_folder_of_other_things_is_refused(tmp_path, given_file):
    (tmp_path / "none").mkdir()
    assert refusal(tmp_path / "none") == ": is an empty folder; expected Parquet files"
    given_file("a,b,outcome\nX,Y,a\n")
    assert refusal(tmp_path) == ": holds 'file.csv'; expected Parquet files only"
    given_file("a,b,outcome\nX,Y,a\n", "1.parquet")
    given_file("a,b,outcome\nX,Y,a\n", "2.parquet")
    assert refusal(tmp_path / "?.parquet").startswith(": file '1.parquet', is no Parquet")


NAMES = ["we[i]rd*?", "quo'te\"", "a=b", "x\\y", "é ü", "semi;--", "{a,b}", "%s", "$1", "~", "s3:"]


@pytest.mark.parametrize("name", NAMES)
def test_a_path_is_nothing_but_a_path(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    parquet(tmp_path / "x.parquet", HEADER, ROWS).rename(folder / f"{name}.parquet")
    (tmp_path / "link.parquet").symlink_to(folder / f"{name}.parquet")
    for path in [
        folder,
        folder / f"{name}.parquet",
        folder / ".." / name,
        tmp_path / "link.parquet",
    ]:
        assert inputs.read(path).tallies(["judge"])["count"].sum() == 5


COLUMNS = ['a"; DROP TABLE cells; --', "'", '"', "x y", "count(*)", "é", "select", "place", "?"]


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_nothing_but_a_column(tmp_path, given_file, name):
    header = ["a", "b", "outcome", name]
    options = {"columns": {"judge": name}}
    expected = inputs.read(given_file(text([header, *(r[:4] for r in ROWS)])), **options)
    found = inputs.read(parquet(tmp_path / "x.parquet", header, [r[:4] for r in ROWS]), **options)
    assert found.units == ("judge",)
    pd.testing.assert_frame_equal(found.tallies("judge"), expected.tallies("judge"))


def test_what_can_not_be_opened_is_refused(tmp_path):
    assert refusal(tmp_path / "none.csv") == ": no such file"
    assert refusal(tmp_path / "*.parquet") == ": no such file"
    os.mkfifo(tmp_path / "fifo")
    assert refusal(tmp_path / "fifo") == ": is no regular file"
    assert refusal("/dev/zero") == ": is no regular file"
    with pytest.raises(DataError, match="no such file"):
        inputs.read("a\0b")
    with pytest.raises(DataError, match=r"^'a\\nb': no such file$"):
        inputs.read("a\nb")


WHOLE = text([HEADER, *ROWS])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", ": is empty; expected a header"),
        (b"\xef\xbb\xbf", ": is empty; expected a header"),
        (b"\n\na,b,outcome\n", ", line 1: is blank; expected a header"),
        (WHOLE.decode().encode("utf-16"), ": is UTF-16; expected UTF-8 text"),
        (WHOLE.decode().encode("utf-16-le"), ", line 1: holds a NUL byte"),
        (WHOLE.replace(b"rali", b"\xe9"), ", line 4: byte 0xe9 is no UTF-8"),
        (WHOLE.replace(b",", b";"), ", line 1: fields stand between semicolons; expected commas"),
        (WHOLE.replace(b"segment", b"Judge"), ", line 1: column 'Judge' stands twice"),
        (b"PK\x03\x04" + WHOLE, ": is a ZIP archive or a spreadsheet; expected CSV"),
        (gzip.compress(WHOLE)[:-9], ": is a damaged gzip file (Compressed file ended"),
        (gzip.compress(WHOLE)[:40], ": is a damaged gzip file (Compressed file ended"),
        (gzip.compress(WHOLE)[:-8] + bytes(8), ": is a damaged gzip file (CRC check failed"),
        (gzip.compress(WHOLE) + b"more", ": is a damaged gzip file (Not a gzipped file"),
        (b"PAR1", ": cannot be read as Parquet ("),
        (b"PAR1" + WHOLE + b"PAR1", ": cannot be read as Parquet ("),
        (b"x,y\n1,2\n", ", line 1: the header does not name the columns of any kind (rankings: "),
        (b"[{}]", ", line 1: is a JSON list; expected one object a line"),
        (b"{", ", line 1: is no JSON object (Expecting property name"),
        (b'{"a": 1, "a": 2}', ", line 1: is no JSON object (a name stands twice)"),
        (b'{"a":' + b"[" * 100_000, ", line 1: is no JSON object ("),
    ],
)
def test_damage_is_named(given_file, data, message):
    assert refusal(given_file(data)).startswith(message)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"a":"X","b":"Y"}', "column 'outcome' stands on some lines only; expected the same"),
        ('{"a":"X","b":"Y","outcome":"a","judge":"j"}', "column 'judge' stands on some lines"),
        ('{"a":"X","b":"Y","outcome":null}', "outcome is ''; expected a, b, tie"),
        ('{"a":"X","b":["Y"],"outcome":"a"}', "'b' is a JSON list; expected text or a number"),
        ('{"a":"X","b":"\\udc00","outcome":"a"}', "'b' is '\\udc00'; expected Unicode text"),
        ('{"a":"X","b":"Y","outcome":true}', "outcome is 'true'; expected a, b, tie"),
        ('{"a":"X","b":"Y","outcome":NaN}', "outcome is 'NaN'; expected a, b, tie"),
        ('{"a":"X","b":"Y","outcome":1.0}', "outcome is '1.0'; expected a, b, tie"),
        ('{"a":"X","b":"Y","outcome":"a"} x', "is no JSON object (Extra data"),
        ('\n{"a":"X","b":"Y","outcome":"a"}', "is blank; expected an object, as on line 3"),
    ],
)
def test_refusals_of_json_name_the_line(given_file, line, message):
    path = given_file(f'{{"a":"X","b":"Y","outcome":"a"}}\n{line}\n')
    assert refusal(path).startswith(f", line 2: {message}")


def test_endless_lines_are_refused_before_they_are_in_memory(given_file):
    path = given_file(b"a,b,outcome\n" + b"x" * 50_000_000)
    zipped = given_file(gzip.compress(path.read_bytes()), "zipped.csv.gz")
    for long in (path, zipped):
        tracemalloc.start()
        assert refusal(long).startswith(", line 2: is longer than 1048576 bytes")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 10_000_000


def test_a_gzip_bomb_is_refused(given_file, monkeypatch):
    monkeypatch.setattr(inputs, "EXPANDED", 1 << 21)
    data = gzip.compress(b"a,b,outcome\n" + b"X,Y,a\n" * 500_000)
    assert refusal(given_file(data)) == ": grows more than 200-fold when unzipped; expected a table"


def test_a_file_that_changes_is_not_counted(given_file):
    path = given_file(text([HEADER, *ROWS]))
    found = inputs.read(path)
    before = found.counts()
    given_file(text([HEADER, *ROWS, ROWS[0]]))
    with pytest.raises(DataError, match="was changed since it was read"):
        found.tallies(["judge"])
    pd.testing.assert_frame_equal(found.counts().wins, before.wins)


def test_nothing_stays_behind(given_file, tmp_path, monkeypatch):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    path = given_file(gzip.compress(parquet(tmp_path / "x", HEADER, ROWS).read_bytes()))
    inputs.read(path).tallies(["judge"])
    refusal(given_file("a,b,outcome\nX,Y,c\n", "bad.csv"))
    assert not list(scratch.iterdir())


def test_too_many_systems_are_refused(given_file, monkeypatch):
    monkeypatch.setattr(inputs, "MOST_SYSTEMS", 3)
    rows = [["a", "b", "outcome"], *([f"X{k}", "Y", "a"] for k in range(4))]
    assert refusal(given_file(text(rows))) == ": column 'a' holds 4 names; expected at most 3"


def test_pieces_are_put_together(given_file, monkeypatch):
    rng = np.random.default_rng(1)
    rows = [[f"X{i}", f"Y{j}", "a", f"j{k}", "s"] for i, j, k in rng.integers(0, 9, (5000, 3))]
    path = given_file(text([HEADER, *rows]))
    expected = inputs.read(path)
    monkeypatch.setattr(inputs, "BLOCK", 1000)
    monkeypatch.setattr(inputs, "MOST_LOOSE", 100)
    found = inputs.read(path)
    for units in [(), ("judge",)]:
        pd.testing.assert_frame_equal(found.tallies(units), expected.tallies(units))


def test_more_than_memory_goes_in_parts(tmp_path, monkeypatch):
    path = tmp_path / "x.parquet"
    with duckdb.connect() as database:
        database.execute(
            "COPY (SELECT 'X' || i % 7 AS a, 'Y' || i % 5 AS b, 'a' AS outcome,"
            " 'a rather long name of a judge ' || i AS judge FROM range(600000) t(i))"
            f" TO '{path}' (FORMAT parquet)"
        )
    monkeypatch.setattr(inputs, "MEMORY", "100MB")
    found = inputs.read(path).tallies(["judge"])
    assert len(found) == found["count"].sum() == 600_000


# --- rankings ----------------------------------------------------------------------------------

WMT_ROWS = """\
French,English,7,X2,rali,_ref,lium,blank,blank,2,1,-1,-1,-1
English,Czech,12,X1,uedin,cu,blank,blank,blank,5,5,-1,-1,-1
French,English,8,X2,blank,blank,blank,blank,blank,-1,-1,-1,-1,-1
"""
WMT = pd.DataFrame([*csv.reader(WMT_ROWS.splitlines())], columns=schemas.WMT_COLUMNS)


@pytest.mark.parametrize("form", ["csv", "tsv", "csv.gz", "jsonl", "parquet"])
def test_the_ranking_format_in_any_file(tmp_path, form):
    path, rows = tmp_path / f"x.{form}", WMT.to_numpy().tolist()
    table = text([WMT.columns, *rows], "\t" if form == "tsv" else ",")
    if form == "parquet":
        parquet(path, list(WMT.columns), rows)
    elif form == "jsonl":
        path.write_bytes(objects(WMT.columns, rows))
    else:
        path.write_bytes(gzip.compress(table) if form == "csv.gz" else table)
    assert "2 tasks: 'English,Czech', 'French,English'" in refusal(path)
    found = inputs.read(path, task="French,English")
    assert (found.kind, found.rows) == ("rankings", 2)
    assert found.systems == ("_ref", "lium", "rali")
    assert found.units == ("judge", "segment", "ranking")
    assert as_counter(found.tallies(["judge"])) == {("rali", "_ref", "b", "judge_001"): 1}
    whole = schemas.tidy_rankings(WMT, schemas.Origin("x"))
    expected = whole[whole["task"] == "French,English"].reset_index(drop=True)
    expected["system"] = expected["system"].cat.remove_unused_categories()
    pd.testing.assert_frame_equal(found.rankings, expected)


def test_long_rankings_in_any_order(given_file):
    found = inputs.read(given_file(text(RANKED)))
    assert (found.kind, found.rows, found.units) == ("rankings", 5, ("judge", "ranking"))
    assert list(found.rankings.columns) == schemas.RANKINGS
    assert found.rankings["ranking"].tolist() == [0, 0, 0, 1, 1]
    assert found.counts().wins.to_numpy().tolist() == [[0, 0, 0], [1, 0, 1], [0, 0, 0]]
    assert found.counts().ties.to_numpy().tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
    expected = pairwise.counts(pairwise.comparisons(found.rankings))
    pd.testing.assert_frame_equal(found.counts().wins, expected.wins)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("r1,A,3,zoe", ", line 7: system 'A' stands twice in one ranking"),
        ("r1,D,3,adam", ", line 7: ranking 'r1' has a second judge; expected one"),
        ("r1,D,1.5,zoe", ", line 7: rank is '1.5'; expected a whole number from 1, or -1"),
        ("r1,D,0,zoe", ", line 7: rank is '0'; expected"),
        ("r1,D,1e400,zoe", ", line 7: rank is '1e400'; expected"),
        ("r1,D,,zoe", ", line 7: rank is ''; expected"),
        ("r1,,1,zoe", ", line 7: system is ''; expected a name"),
        (",D,1,zoe", ", line 7: ranking is ''; expected a name"),
        ("r1,D,1,", ", line 7: judge is ''; expected a name"),
    ],
)
def test_what_is_no_ranking_is_refused(given_file, row, message):
    assert refusal(given_file(text(RANKED) + row.encode())).startswith(message)


def test_rankings_that_compare_nothing_are_refused(given_file):
    path = given_file("ranking,system,rank\n1,A,1\n2,B,1\n")
    assert refusal(path) == ": holds no ranking of two systems; expected some"
    path = given_file("ranking,system,rank\n1,A,1\n2,A,1\n")
    assert refusal(path) == ": holds one system, 'A'; expected two or more"


# --- assessments -------------------------------------------------------------------------------


def test_tidy_assessments(given_file):
    found = inputs.read(given_file(text(SCORED)))
    assert (found.kind, found.rows, found.systems) == ("assessments", 3, ("A", "B"))
    assert found.units == ("worker", "segment")
    frame = found.assessments
    assert list(frame.columns) == schemas.ASSESSMENTS
    assert frame["score"].tolist() == [40, 60.5, 0] and frame["accepted"].all()
    assert frame["worker"].tolist() == ["worker_0002", "worker_0002", "worker_0001"]
    assert set(frame["item"]) == {"SYSTEM"} and set(frame["language_pair"]) == {""}
    with pytest.raises(DataError, match="holds assessments; expected comparisons or rankings"):
        found.counts()


def test_every_column_of_assessments(given_file, tmp_path):
    header = [*SCORED[0], "hit", "document", "item", "accepted", "language_pair"]
    rows = [
        ["w", "A+B", "1", "5e1", "h", "d", "REPEAT", "True", "de-en"],
        ["w", "A", "2", "50", "h", "d", "SYSTEM", "1", "de-en"],
        ["w", "B", "2", "0.5", "h", "d", "SYSTEM", "false", "de-en"],
        ["w", "B", "2", "50", "h", "d", "SYSTEM", "0", "en-de"],
    ]
    expected = None
    for path in [
        given_file(text([header, *rows])),
        given_file(objects(header, rows), "x.jsonl"),
        parquet(tmp_path / "x.parquet", header, rows),
    ]:
        assert "2 tasks: 'de-en', 'en-de'" in refusal(path)
        found = inputs.read(path, task="de-en")
        assert (found.rows, found.systems, found.task) == (3, ("A", "B"), "de-en")
        assert found.units == ("worker", "segment", "document", "hit")
        frame = found.assessments
        assert frame["accepted"].tolist() == [True, True, False]
        assert frame["item"].tolist() == ["REPEAT", "SYSTEM", "SYSTEM"]
        expected = frame if expected is None else expected
        pd.testing.assert_frame_equal(frame, expected)


def test_scores_of_parquet_keep_their_value(tmp_path):
    rows = [["w", "A", 1, 0.1], ["w", "B", 1, 100 / 3]]
    kinds = ["VARCHAR", "VARCHAR", "INTEGER", "DOUBLE"]
    path = parquet(tmp_path / "x.parquet", SCORED[0], rows, kinds)
    assert inputs.read(path).assessments["score"].tolist() == [0.1, 100 / 3]
    path = parquet(tmp_path / "x.parquet", SCORED[0], [*rows, ["w", "B", 1, float("nan")]], kinds)
    assert refusal(path).startswith(", row 3: score is 'nan'; expected a number")


@pytest.mark.parametrize("score", ["nan", "inf", "1e400", "-1", "100.1", "0x10", "1_0", "", "5 "])
def test_what_is_no_score_is_refused(given_file, score):
    path = given_file(text([*SCORED, ["w", "A", "3", score]]))
    assert refusal(path).startswith(
        f", line 5: score is '{score}'; expected a number from 0 to 100"
    )


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            ["w", "A", "3", "50,5"],
            ", line 5: score is '50,5'; expected a number from 0 to 100, with",
        ),
        (["w", "A+C", "3", "5"], ", line 5: system 'A+C' joins 'C', which is no system of the"),
        (["", "A", "3", "5"], ", line 5: worker is ''; expected a name"),
        (["w", "A", " ", "5"], ", line 5: segment is ' '; expected a name"),
        (["w", " ", "3", "5"], ", line 5: system is ' '; expected a name"),
    ],
)
def test_what_is_no_assessment_is_refused(given_file, row, message):
    assert refusal(given_file(text([*SCORED, row]))).startswith(message)


def test_one_system_is_too_few(given_file):
    path = given_file(text([SCORED[0], SCORED[1], SCORED[3]]))
    assert refusal(path) == ": rates 1 system; expected two or more to rank"


def test_the_released_layout(given_file):
    row = "h {w} de en x hit {s} 1 SYSTEM 1 {n} 9"
    rows = [row.format(w=w, s=s, n=n) for w, s, n in [("u", "A", 7), ("u", "B", 80)]]
    data = "\n".join([" ".join(inputs.RELEASED), *rows]) + "\n"
    for path in [given_file(data), given_file(data.replace(" ", "\t"), "x.tsv")]:
        found = inputs.read(path)
        assert (found.kind, found.task, found.rows) == ("assessments", "de-en", 2)
        assert found.assessments["score"].tolist() == [7, 80]
    assert "no task 'en-de'" in refusal(path, task="en-de")
    assert refusal(given_file(data.replace(" 80 ", " x "))).startswith(", line 3: score is 'x'")


# --- kinds -------------------------------------------------------------------------------------


def test_a_file_of_two_kinds_needs_a_choice(given_file):
    header = ["a", "b", "outcome", "ranking", "system", "rank"]
    path = given_file(
        text([header, ["A", "B", "a", "1", "A", "1"], ["A", "B", "b", "1", "B", "1"]])
    )
    assert "could be of several kinds (rankings: ranking, system, rank; pairwise" in refusal(path)
    assert inputs.read(path, kind="pairwise").rows == 2
    assert inputs.read(path, kind="rankings").counts().comparisons == 1
    assert "does not name the columns of assessments" in refusal(path, kind="assessments")
    assert refusal(path, kind="x").startswith(": kind is 'x'; expected one of rankings, pairwise")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"a": "none"}, ", line 1: column 'none' is missing; the header is 'a', 'b'"),
        ({"winner": "a"}, ": no role 'winner' for a column; expected a, accepted, b"),
        ({"judge": "a", "a": "a"}, "column 'a' is taken for judge and a; expected a column each"),
        ({"a": None}, "does not name the columns"),
    ],
)
def test_a_wrong_choice_of_columns_is_refused(given_file, columns, message):
    assert message in refusal(given_file("a,b,outcome\nX,Y,a\n"), columns=columns)


def test_unknown_units_are_refused(given_file):
    found = inputs.read(given_file("a,b,outcome,judge\nX,Y,a,j\n"))
    with pytest.raises(DataError, match=r"no unit 'segment'; expected some of judge$"):
        found.tallies(["segment"])


def test_cells_that_spreadsheets_would_compute(given_file):
    path = given_file("a,b,outcome\n=cmd(),+X,a\n")
    assert inputs.read(path).systems == ("+X", "=cmd()")
    assert [inputs.safe_cell(s) for s in ("=cmd()", "+X", "-1", "@x", "\tx", "A-B", "", 5)] == [
        "'=cmd()",
        "'+X",
        "'-1",
        "'@x",
        "'\tx",
        "A-B",
        "",
        5,
    ]


# --- anything at all ---------------------------------------------------------------------------

NAME = st.text(st.sampled_from('AB ",\n\té'), min_size=1, max_size=3)
TRIPLE = st.tuples(NAME, NAME, st.sampled_from(["a", "b", "tie"]), NAME)


@given(st.lists(TRIPLE, min_size=1, max_size=30), st.sampled_from([20, 60, 1 << 20]))
def test_text_is_read_as_the_csv_module_reads_it(tmp_path_factory, rows, block):
    assume(all(r[0] != r[1] for r in rows))
    path = tmp_path_factory.mktemp("text") / "x.csv"
    path.write_bytes(text([HEADER[:4], *rows]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inputs, "BLOCK", block)
        fine = all(n.isprintable() and n == n.strip() for r in rows for n in r[:2])
        if not (fine and all(r[3].strip() for r in rows)):
            with pytest.raises(DataError):
                inputs.read(path)
            return
        assert as_counter(inputs.read(path).tallies()) == Counter(tuple(r[:3]) for r in rows)


SEEDS = {
    "x.csv": (text([HEADER, *ROWS]), 5),
    "quoted.csv": (text([[f'"{c}"' for c in r] for r in [HEADER, *ROWS]]).replace(b'"""', b'"'), 5),
    "x.tsv": (text([HEADER, *ROWS], "\t"), 5),
    "x.jsonl": (objects(HEADER, ROWS), 5),
    "scored.csv": (text(SCORED), 3),
    "ranked.csv": (text(RANKED), 5),
    "wmt.csv": (text([WMT.columns, *WMT.to_numpy().tolist()]), 3),
    "x.csv.gz": (gzip.compress(text([HEADER, *ROWS])), 5),
}
PIECES = [
    b"",
    b"\0",
    b'"',
    b",",
    b"\n",
    b"\r",
    b"\r\n",
    b"\t",
    b"\xff",
    b"\xef\xbb\xbf",
    b"a",
    b"-1",
]
PIECES += [b"1e400", b"nan", b"\n\n", b'""', b"\\", b"{", b"null", "é".encode(), b"\xc3", b" "]
EDIT = st.tuples(
    st.floats(0, 1), st.integers(0, 6), st.sampled_from(PIECES) | st.binary(max_size=4)
)


def rows_of(data):
    """Rows of a text that was read, by another way: the csv module, or lines of JSON."""
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    whole = data.decode("utf-8-sig")
    if whole.lstrip()[:1] == "{":
        return sum(bool(line.strip()) for line in whole.split("\n"))
    delimiter = "\t" if "\t" in whole.partition("\n")[0] else ","
    return sum(map(any, csv.reader(io.StringIO(whole, newline=""), delimiter=delimiter))) - 1


def check_anything(path, data):
    """Read a file of any bytes: one line of refusal, or as many rows as it holds."""
    try:
        found = inputs.read(path)
    except DataError as refused:
        assert len(str(refused).splitlines()) == 1 and len(str(refused)) < 2000
        return False
    assert found.rows == rows_of(data)
    if found.kind != "assessments":
        assert found.counts().systems == list(found.systems)
        for unit in found.units:
            assert found.tallies(unit)["count"].sum() == found.counts().comparisons
    return True


@given(st.sampled_from(sorted(SEEDS)), st.lists(EDIT, max_size=4))
def test_mutated_files_are_read_or_refused(tmp_path_factory, name, edits):
    data = SEEDS[name][0]
    for place, length, piece in edits:
        start = int(place * len(data))
        data = data[:start] + piece + data[start + length :]
    path = tmp_path_factory.mktemp("mutated") / name
    path.write_bytes(data)
    check_anything(path, data)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("any") / "x"
    path.write_bytes(data)
    check_anything(path, data)


@pytest.mark.parametrize("name", sorted(SEEDS))
def test_the_files_that_are_mutated_are_good(given_file, name):
    data, rows = SEEDS[name]
    task = "French,English" if name == "wmt.csv" else None
    assert inputs.read(given_file(data), task=task).rows == (2 if task else rows)


@given(st.lists(EDIT, min_size=1, max_size=3))
def test_mutated_parquet_is_read_or_refused(tmp_path_factory, edits):
    folder = tmp_path_factory.mktemp("parquet")
    data = parquet(folder / "x.parquet", HEADER, ROWS).read_bytes()
    for place, length, piece in edits:
        start = int(place * len(data))
        data = data[:start] + piece + data[start + length :]
    (folder / "y.parquet").write_bytes(data)
    try:
        assert inputs.read(folder / "y.parquet").rows == 5
    except DataError as refused:
        assert len(str(refused).splitlines()) == 1


# --- the raw files themselves ------------------------------------------------------------------


@pytest.mark.realdata
def test_raw_rankings_are_read_as_the_package_reads_them(mirror):
    from wmtlib import datasets

    entry = datasets.registry().query("campaign == 'wmt10'").iloc[0]
    path = Path(mirror, entry["repository"], entry["path"])
    whole = datasets.read_rankings(path)
    for task in sorted(set(whole["task"]))[:3]:
        found = inputs.read(path, task=task)
        expected = pairwise.counts(pairwise.comparisons(whole[whole["task"] == task]))
        pd.testing.assert_frame_equal(found.counts().wins, expected.wins)
        pd.testing.assert_frame_equal(found.counts().ties, expected.ties)
