"""Tables of files in every format, of frames and of addresses."""

import bz2
import gzip
import io
import json
import lzma
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from wmtlib.core.errors import DataError, Question
from wmtlib.files.read import read, read_tasks
from wmtlib.files.tables import as_numbers, as_text, without_secrets

READ_TABLE = parquet.read_table
VOTES = pd.DataFrame(
    {
        "a": ["x", "y", "ü, w", "x"],
        "b": ["y", "z", "x", "z"],
        "outcome": ["a", "b", "tie", "a"],
        "judge": ["ann", "bob", "ann", "007"],
    }
)


def csv_of(frame, **options):
    return frame.to_csv(index=False, **options).encode()


def lines_of(frame):
    return frame.to_json(orient="records", lines=True).encode()


def binary(write):
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


FORMATS = {
    "votes.csv": csv_of(VOTES),
    "votes.tsv": csv_of(VOTES, sep="\t"),
    "semicolons.csv": csv_of(VOTES, sep=";"),
    "mark.csv": b"\xef\xbb\xbf" + csv_of(VOTES),
    "utf16.csv": VOTES.to_csv(index=False).encode("utf-16"),
    "carriage.csv": csv_of(VOTES, lineterminator="\r\n"),
    "old-mac.csv": csv_of(VOTES, lineterminator="\r"),
    "votes.csv.gz": gzip.compress(csv_of(VOTES)),
    "votes.csv.bz2": bz2.compress(csv_of(VOTES)),
    "votes.csv.xz": lzma.compress(csv_of(VOTES)),
    "votes.jsonl": lines_of(VOTES),
    "votes.json": VOTES.to_json(orient="records", indent=1).encode(),
    "wrapped.json": json.dumps({"data": VOTES.to_dict("records")}).encode(),
    "votes.parquet": binary(lambda file: VOTES.to_parquet(file)),
    "votes.feather": binary(lambda file: VOTES.to_feather(file)),
    "votes.xlsx": binary(lambda file: VOTES.to_excel(file, index=False)),
}


@pytest.fixture
def file(tmp_path):
    """Write a file, and give its path."""

    def write(data, name="file.csv"):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return write


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_read_alike(name, file):
    expected = read(VOTES)
    found = read(file(FORMATS[name], name))
    pd.testing.assert_frame_equal(found.comparisons, expected.comparisons)
    assert found.people["judge_001"] == "007"


def test_a_folder_of_parquet_is_one_table(tmp_path):
    for k in range(2):
        part = VOTES.iloc[2 * k : 2 * k + 2]
        part.to_parquet(tmp_path / f"part-{k}.parquet")
    pd.testing.assert_frame_equal(read(tmp_path).comparisons, read(VOTES).comparisons)


def test_columns_of_parquet_that_do_not_matter_are_not_read(tmp_path, monkeypatch):
    path = tmp_path / "votes.parquet"
    VOTES.assign(notes=["long", "texts", "are", "here"]).to_parquet(path)
    asked = []

    def read_table(*arguments, columns, **options):
        asked.extend(columns)
        return READ_TABLE(*arguments, columns=columns, **options)

    monkeypatch.setattr(parquet, "read_table", read_table)
    assert read(path, ignore="notes").left_out == {"notes": "not used"}
    assert asked == ["a", "b", "outcome", "judge"]


def test_the_standard_input_is_a_file(monkeypatch, file):
    with open(file(FORMATS["votes.csv"]), "rb") as stream:
        monkeypatch.setattr("builtins.open", lambda *_, **__: stream)
        assert read("-").path == "standard input"


def test_an_address_is_read_by_fsspec(monkeypatch):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    with memory.open("/votes.csv", "wb") as stream:
        stream.write(FORMATS["votes.csv"])
    assert read("memory://votes.csv").rows == 4
    with pytest.raises(DataError, match="no such file"):
        read("memory://absent.csv")
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(DataError, match="pip install fsspec"):
        read("https://ann:secret@host/votes.csv")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://ann:secret@host/v.csv?signature=x", "https://host/v.csv"),
        ("s3://key:secret@bucket/v.csv", "s3://bucket/v.csv"),
        ("v.csv?x", "v.csv?x"),
    ],
)
def test_secrets_of_an_address_are_not_shown(address, shown):
    assert without_secrets(address) == shown


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"a,b,outcome\n", "holds a header but no judgements"),
        (b"a,b,outcome\nx,y,a\nx,y\n", "line 3: has 2 fields; expected 3"),
        (b"a,b,outcome\nx,y,a\nx,y,a,b\n", "line 3: has 4 fields; expected 3"),
        (b"votes\nx,y,a\n", "line 2: has 3 fields; the header has 1"),
        (b'a,b,outcome\nx,"y,a\n', "EOF inside string"),
        (b"a,b,outcome\nx,y,\xff\n", "line 2: byte 0xff is not UTF-8"),
        (b"a,b,outcome\nx,y\0,a\n", "line 2: holds a NUL byte"),
        (b"sep=;\na;b;outcome\nx;y;a\n", "line 1: is a remark .* --header 2"),
        (b",,\na,b,outcome\nx,y,a\n", "line 1: is blank"),
        (b"PK\x03\x04nothing", "cannot be read as .* a spreadsheet"),
        (b"PAR1nothing", "cannot be read as Parquet"),
        (b"\x1f\x8bnothing", "is a damaged packed file"),
        (b'{"a": 1}\n{"a"', "line 2: is not a JSON object"),
        (b'[{"a": 1, "a": 2}]', "a name occurs twice"),
        (b'{"a": {"0": 1}}', "is no JSON object of cells; expected a list"),
        (b"# FILE NAME: x.soc\n", "is a file of PrefLib"),
        (b"<x></y>", "line 1: is not XML"),
        (b"<!DOCTYPE x><x/>", "declares a document type"),
    ],
)
def test_what_is_no_table_is_refused_in_a_line(data, message, file):
    with pytest.raises(DataError, match=message) as refused:
        read(file(data))
    assert "\n" not in str(refused.value)


def test_titles_precede_the_header(file):
    text = b"Our votes,,,\n\n" + FORMATS["votes.csv"]
    with pytest.raises(Question, match="--header N"):
        read(file(text))
    assert read(file(text), header=3).rows == 4
    with pytest.raises(DataError, match="\\(line 8\\)"):
        read(file(text + b"x,y,,ann\n"), header=3)


def test_places_are_lines_of_the_file_also_after_texts_of_several_lines(file):
    text = b'a,b,outcome,note\nx,y,a,"one\ntwo"\n\nx,y,,"three"\n'
    with pytest.raises(DataError, match="line 5"):
        read(file(text), ignore="note")


def test_a_cell_may_hold_a_long_text(file):
    rows = [f'x,y,a,"{"word " * 40_000}{k}",' for k in range(7)]
    path = file("\n".join(["a,b,outcome,prompt,note", *rows]))
    assert read(path).left_out["note"] == "blank"
    with pytest.raises(DataError, match="line 9: has 3 fields; expected 5"):
        read(file("\n".join(["a,b,outcome,prompt,note", *rows, "x,y,a"])))


def test_of_several_sheets_those_count_that_are_named(file):
    def write(target):
        with pd.ExcelWriter(target) as book:
            pd.DataFrame({"read": ["me"]}).to_excel(book, sheet_name="notes")
            for name, votes in VOTES.groupby("judge"):
                votes.drop(columns="judge").to_excel(book, sheet_name=name, index=False)

    path = file(binary(write), "votes.xlsx")
    with pytest.raises(Question, match="several sheets hold rows") as asked:
        read(path)
    assert str(asked.value).endswith("sheet=['SHEET'])")
    with pytest.raises(DataError, match="no sheet 'SHEET'"):
        read(path, sheet="SHEET")
    assert read(path, sheet="ann").rows == 2
    with pytest.raises(Question, match="'sheet': 2 different"):
        read(path, sheet=["ann", "bob"])
    found = read(path, sheet=["ann", "bob"], column={"judge": "sheet"})
    assert sorted(found.people.values()) == ["ann", "bob"]
    with pytest.raises(DataError, match=r"a is '' \(row 3\)"):
        read(path, sheet=["ann", "notes"], column={"none": ["sheet", "read", "#5"]})


def test_an_index_of_a_frame_is_a_column_that_is_not_there():
    numbered = VOTES.set_index(pd.RangeIndex(4, name="language"))
    names = VOTES.set_axis([*"wxyz"])
    for frame in (VOTES.set_index("judge"), names, numbered):
        with pytest.raises(DataError, match=r"frame.reset_index\(\)"):
            read(frame)
    assert read(VOTES.iloc[::-1]).rows == 4
    with pytest.raises(DataError, match="\\(row 2\\)"):
        read(VOTES.assign(outcome=["a", "b", None, "a"])[2:])


def test_what_is_no_table_in_memory_is_refused():
    for data in (None, 3, [{"a": 1}]):
        with pytest.raises(DataError, match="expected a DataFrame, or the path"):
            read(data)


def test_a_key_that_an_object_lacks_is_a_blank_cell(file):
    path = file(lines_of(VOTES) + b'{"a": "x", "b": "y"}\n', "votes.jsonl")
    with pytest.raises(DataError, match="outcome is '' \\(line 5\\)"):
        read(path)
    assert read(path, missing="").rows_left_out == {"rows with a missing cell": 1}


def test_cells_are_texts_as_a_file_has_them():
    values = pd.Series([3.0, 0.5, None, True, " x\u200b", "x"], dtype=object)
    assert as_text(values).tolist() == ["3", "0.5", "", "true", "x", "x"]
    kinds = pd.Series(["b", "a", None]).astype("category")
    assert as_text(kinds).tolist() == ["b", "a", ""]


def test_numbers_have_a_decimal_sign_and_percent_signs():
    def numbers(words, decimal="."):
        return as_numbers(pd.Series(words, dtype=object), decimal).tolist()

    assert numbers(["80,5", "1.000"], ",")[0] == 80.5
    assert np.isnan(numbers(["80,5", "1.000"], ",")[1])
    assert np.isnan(numbers(["80,5"])[0])
    assert numbers(["70%", "8.5%"]) == [70, 8.5]
    assert np.isnan(numbers(["70%", "8.5"])[0])
    assert numbers(['[{"rating": 4}]', "-0"]) == [4, 0]
    assert np.isnan(numbers(["nan", "inf", "1_000", "٣"])).all()


PIECES = [b"", b"\xff", b"\xef\xbb\xbf", b"\r\n", b"\n\n", b'""', b"\xc3", b"-1"]
PIECES += [bytes([sign]) for sign in b'\0",;\n\r\ta\\{<'] + [b"1e400", b"nan", b"null"]
EDITS = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 5), st.sampled_from(PIECES)), max_size=4
)


@given(st.sampled_from(sorted(FORMATS)), EDITS)
def test_any_bytes_are_read_or_refused(tmp_path_factory, name, edits):
    data = FORMATS[name]
    for place, length, piece in edits:
        start = int(place * len(data))
        data = data[:start] + piece + data[start + length :]
    path = tmp_path_factory.getbasetemp() / f"any-{name}"
    path.write_bytes(data)
    try:
        tasks = read_tasks(path)
    except DataError as refused:
        assert len(str(refused)) < 5000
        return
    for judgements in tasks:
        assert judgements.counts.comparisons <= judgements.rows


def test_parquet_keeps_its_index_and_the_order_of_its_columns(tmp_path):
    path = tmp_path / "votes.parquet"
    votes = pd.DataFrame({"x": 1, "n=1": [3, 4], "n=2": [5, 8], "a": ["s", "t"]})
    votes = votes.assign(b=["t", "u"], outcome="a")
    votes.to_parquet(path)
    said = {"count": "#2", "none": "#3"}
    assert read(path, ignore="x", column=said).columns["count"] == "n=1"
    votes[["a", "b", "outcome"]].set_index("a").to_parquet(path)
    assert read(path).systems == ("s", "t", "u")
    votes[["a", "b", "outcome"]][votes["x"].index > 0].to_parquet(path)
    assert read(path).systems == ("t", "u")


def test_categories_that_no_row_has_are_none():
    votes = pd.DataFrame({"a": [*"st"] * 10, "b": [*"tu"] * 10, "outcome": "a"})
    language = pd.Categorical(["de"] * 20, categories=["de", "fr"])
    assert read(votes.assign(language=language)).left_out == {"language": "one value"}


def test_a_square_whose_names_are_in_another_column(tmp_path):
    path = tmp_path / "wins.csv"
    path.write_text("model,x,y,sum\nx,,3,3\ny,2,,2\n")
    said = {"system": "model", "none": "sum"}
    assert read(path, wide="wins", column=said).counts.comparisons == 5
