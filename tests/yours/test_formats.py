"""Tables in any format are read cell by cell, or refused with the line or row."""

import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from user_files import HEADER, ROWS, objects, parquet, refusal, text, writer
from wmtlib.files import formats, reader

given_file = pytest.fixture(writer)


def test_every_format_gives_the_same(tmp_path):
    plain = text([HEADER, *ROWS])
    written = {
        "x.csv": plain,
        "bom.csv": b"\xef\xbb\xbf" + plain,
        "crlf.csv": text([HEADER, *ROWS], newline="\r\n"),
        "no-last-line-end.csv": plain.rstrip(),
        "blank-end.csv": plain + b"\n,,,,\n",
        "quoted.csv": plain.replace(b"uedin", b'"uedin"'),
        "x.tsv": text([HEADER, *ROWS], "\t"),
        "german-excel.csv": b"\xef\xbb\xbf" + text([HEADER, *ROWS], ";", "\r\n"),
        "line-ends-twice.csv": text([HEADER, *ROWS], newline="\r\r\n"),
        "blanks.csv": plain.replace(b",outcome,", b", outcome ,"),
        "x.jsonl": objects(HEADER, ROWS),
        "x.txt": text([HEADER, *ROWS]),
    }
    written |= {f"{name}.gz": gzip.compress(data) for name, data in written.items()}
    for name, data in written.items():
        (tmp_path / name).write_bytes(data)
    zipped = parquet(tmp_path / "x.parquet", HEADER, ROWS).read_bytes()
    (tmp_path / "x.parquet.gz").write_bytes(gzip.compress(zipped))
    (tmp_path / "parts").mkdir()
    parquet(tmp_path / "parts" / "1.parquet", HEADER, ROWS[:2])
    parquet(tmp_path / "parts" / "2.parquet", HEADER, [])
    parquet(tmp_path / "parts" / "3.parquet", HEADER, ROWS[2:])
    (tmp_path / "parts" / "_SUCCESS").touch()
    expected = pd.DataFrame(ROWS, columns=HEADER, dtype=object)
    for name in [*written, "x.parquet", "x.parquet.gz", "parts", "parts/*.parquet"]:
        with formats.open_table(tmp_path / name) as table:
            found, _ = table.frame(dict(zip(HEADER, HEADER, strict=True)))
            assert table.rows == 5
        pd.testing.assert_frame_equal(found, expected)
    expected = reader.read(tmp_path / "x.csv").counted_by(["judge", "segment"])
    for name in ["bom.csv", "quoted.csv", "x.tsv", "x.jsonl.gz", "x.parquet.gz", "parts"]:
        found = reader.read(tmp_path / name).counted_by(["judge", "segment"])
        pd.testing.assert_frame_equal(found, expected)


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
    assert set(reader.read(path).counted_by([])["count"]) == {1}


def test_files_of_one_folder_are_read_by_the_names_of_columns(tmp_path):
    parquet(tmp_path / "1.parquet", HEADER[:3], [r[:3] for r in ROWS])
    other = [[c, b, a, "x"] for a, b, c, *_ in ROWS]
    parquet(tmp_path / "2.parquet", ["outcome", "b", "a", "more"], other)
    found = reader.read(tmp_path)
    assert found.rows == 10 and set(found.comparisons["count"]) == {2, 4}
    parquet(tmp_path / "3.parquet", ["a", "b", "result"], [r[:3] for r in ROWS])
    assert refusal(tmp_path).startswith(": cannot be read as Parquet (")


COLUMNS = ['a"; DROP TABLE cells; --', "'", '"', "x y", "count(*)", "é", "select", "place", "?"]


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_nothing_but_a_column(tmp_path, given_file, name):
    header, rows = ["a", "b", "outcome", name], [r[:4] for r in ROWS]
    used = {"judge": name, "outcome": "outcome"}
    for path in [given_file(text([header, *rows])), parquet(tmp_path / "x.pq", header, rows)]:
        with formats.open_table(path) as table:
            assert table.header == header
            assert table.frame(used)[0].to_numpy().tolist() == [[r[3], r[2]] for r in rows]
    found = reader.read(path, columns={"judge": name}).counted_by(["judge"])
    assert found["judge"].tolist().count("judge_001") == 3


WHOLE = text([HEADER, *ROWS])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", ": is empty; expected a header"),
        (b"\xef\xbb\xbf", ": is empty; expected a header"),
        (b"\n\na,b,outcome\n", ", line 1: is blank; expected a header"),
        (WHOLE.decode().encode("utf-16"), ": is UTF-16; expected UTF-8 text"),
        (WHOLE.decode().encode("utf-16-le"), ", line 1: holds a NUL byte"),
        (WHOLE.replace(b"rali", b"\xe9"), ", line 4: byte 0xe9 is not UTF-8"),
        (b"a;b;outcome\nX;Y\n", ", line 2: 2 fields; expected 3"),
        (b'a;b;outcome\n"X;Y;a', ", line 2: is not a row of fields between semicolons (unexpected"),
        (WHOLE.replace(b"segment", b"Judge"), ", line 1: column 'Judge' stands twice"),
        (b"PK\x03\x04" + WHOLE, ": is a ZIP archive or a spreadsheet; expected CSV"),
        (b"BZh91AY" + WHOLE, ": is packed by bzip2; unpack it"),
        (b"\xfd7zXZ\0" + WHOLE, ": is packed by xz; unpack it"),
        (gzip.compress(WHOLE)[:-9], ": is a damaged gzip file (Compressed file ended"),
        (gzip.compress(WHOLE)[:40], ": is a damaged gzip file (Compressed file ended"),
        (gzip.compress(WHOLE)[:-8] + bytes(8), ": is a damaged gzip file (CRC check failed"),
        (gzip.compress(WHOLE) + b"more", ": is a damaged gzip file (Not a gzipped file"),
        (b"PAR1", ": cannot be read as Parquet ("),
        (b"PAR1" + WHOLE + b"PAR1", ": cannot be read as Parquet ("),
        (
            b"x,y\n1,2\n",
            ", line 1: the header is 'x', 'y'; expected a, b, outcome (pairwise); for other",
        ),
        (b"[{}]", ", line 1: is a JSON list; expected one object a line"),
        (b"{", ", line 1: is not a JSON object (Expecting property name"),
        (b'{"a": 1, "a": 2}', ", line 1: is not a JSON object (a name stands twice)"),
        (b'{"a":' + b"[" * 100_000, ", line 1: is not a JSON object ("),
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
        ('{"a":"X","b":"Y","outcome":true}', "outcome is 'true'; expected a, b, tie"),
        ('{"a":"X","b":"Y","outcome":NaN}', "outcome is 'NaN'; expected a, b, tie"),
        ('{"a":"X","b":"Y","outcome":1.0}', "outcome is '1.0' after 'a'; expected a, b"),
        ('{"a":"X","b":"Y","outcome":"a"} x', "is not a JSON object (Extra data"),
        ('\n{"a":"X","b":"Y","outcome":"a"}', "is blank; expected an object, as on line 3"),
    ],
)
def test_refusals_of_json_name_the_line(given_file, line, message):
    path = given_file(f'{{"a":"X","b":"Y","outcome":"a"}}\n{line}\n')
    assert refusal(path).startswith(f", line 2: {message}")


def test_an_endless_line_and_text_that_is_not_unicode_are_refused(given_file):
    path = given_file(b"a,b,outcome\n" + b"x" * 5_000_000)
    assert "line 2: is not a row of fields between commas (field larger" in refusal(path)
    path = given_file('{"a":"X","b":"\\udc00","outcome":"a"}\n', "x.jsonl")
    assert refusal(path) == ": holds text that is not Unicode"


def test_lines_that_end_differently_are_refused(given_file):
    path = given_file(b"a,b,outcome\nX,Y,a\r\nX,Y,b\n")
    assert refusal(path).endswith("); expected lines that all end alike")


CELL = st.text(st.sampled_from('AB ",\n\té'), max_size=3)
LINES = st.lists(st.tuples(st.sampled_from("ab"), CELL, CELL), min_size=1, max_size=30)


@given(LINES)
def test_text_is_read_as_it_was_written(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("text") / "x.csv"
    path.write_bytes(text([HEADER[:3], *rows]))
    with formats.open_table(path) as table:
        frame, where = table.frame({"b": "b", "outcome": "outcome", "a": "a"})
        message = str(where.refuse(len(rows) - 1, "is odd"))
    assert frame.to_numpy().tolist() == [[b, c, a] for a, b, c in rows]
    starts = 2 + np.cumsum([0, *(1 + sum(c.count("\n") for c in row) for row in rows)])
    assert message == f"{path}, line {starts[-2]}: is odd"
