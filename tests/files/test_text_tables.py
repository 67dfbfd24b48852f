"""The strict reader of tables of words: what it reads, and how it refuses the rest."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wmtlib.errors import DataError, Origin
from wmtlib.files import text_tables

HERE = Origin("here.csv")
TABLE = b'one two three\na 1 x\nb\t2 \t "y z" \n'


def read(data, columns=("one", "two", "three"), **options):
    return text_tables.read_table(data, list(columns), HERE, **options)


def refusal(function, *arguments, **options):
    with pytest.raises(DataError) as refused:
        function(*arguments, **options)
    assert str(refused.value).isprintable()
    return str(refused.value)


@pytest.mark.parametrize(
    "data",
    [
        TABLE,
        TABLE.replace(b"\n", b"\r\n"),
        TABLE.replace(b"\n", b"\r"),
        b"\xef\xbb\xbf" + TABLE,
        TABLE + b"\n\n",
        TABLE[:-1],
        TABLE.replace(b"one two", b'"one" "two"'),
    ],
)
def test_blanks_tabs_and_quotes_mix(data):
    table = read(data)
    assert table.astype(str).to_numpy().tolist() == [["a", "1", "x"], ["b", "2", "y z"]]
    assert all(isinstance(table[c].dtype, pd.CategoricalDtype) for c in table)


def test_names_are_text_whatever_they_look_like():
    table = read(b"one two\n007 NA\n1e5 nan\n", ["one", "two"])
    assert table.astype(str).to_numpy().tolist() == [["007", "NA"], ["1e5", "nan"]]


@given(st.lists(st.lists(st.text("ab1.+-_é", min_size=1), min_size=3, max_size=3), min_size=1))
def test_words_come_back(rows):
    data = "\n".join([" one\ttwo three", *("\t ".join(row) for row in rows)]).encode()
    assert read(data).astype(str).to_numpy().tolist() == rows


LATE = b"a 1 x\n" * 5000


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "here.csv: is empty; expected one, two, three"),
        (b"\n \n", "here.csv: is empty; expected one, two, three"),
        (b"one two three\n", "here.csv: holds a header but no rows"),
        (b"one two\na 1\n", "here.csv, line 1: column 'three' is missing; expected"),
        (b"one two three one\na 1 x a\n", "here.csv, line 1: column 'one' stands twice; expected"),
        (TABLE.replace(b"a 1 x", b"a 1"), "here.csv, line 2: 2 fields; expected 3"),
        (TABLE.replace(b"a 1 x", b"a 1 x y"), "here.csv, line 2: 4 fields; expected 3"),
        (TABLE.replace(b"a 1 x", b"a 1 x y z"), "here.csv, line 2: 5 fields; expected 3"),
        (TABLE + LATE + b"a 1\n", "here.csv, line 5004: 2 fields; expected 3"),
        (TABLE + b"\n" + LATE, "here.csv, line 4: is blank; expected a row"),
        (TABLE + b" \t\n" + LATE, "here.csv, line 4: is blank; expected a row"),
        (TABLE + b'a "1 x\n', "here.csv, line 4: a quotation mark is not closed"),
        (TABLE + b'a "1\nb" 1 x\n', "here.csv, line 4: a quotation mark is not closed"),
        (TABLE + LATE + b"a\xe9 1 x\n", "here.csv, line 5004: byte 0xe9 is not UTF-8"),
        (TABLE.decode().encode("utf-16"), "here.csv, line 1: holds a NUL byte"),
        (TABLE + b'a 1 ""\n', "here.csv, line 4: 2 fields; expected 3"),
    ],
)
def test_malformed_tables_are_refused_in_one_line(data, message):
    assert refusal(read, data).startswith(message)


@given(st.binary(max_size=80))
def test_any_bytes_are_read_or_refused_in_one_line(data):
    try:
        read(b"one two three\n" + data)
    except DataError as refused:
        assert str(refused).startswith("here.csv") and str(refused).isprintable()


def test_numbers_are_read_exactly_or_the_line_is_named():
    column = pd.Series(["0.1", "-1e-05", "7", "0.1"], dtype="category")
    assert text_tables.numbers(column, "score", HERE).tolist() == [0.1, -1e-5, 7.0, 0.1]
    for word in ("x", "NA", "nan", "inf", "1_0"):
        bad = pd.Series(["1", word], dtype="category")
        message = refusal(text_tables.numbers, bad, "score", HERE)
        assert message == f"here.csv, line 3: score is '{word}'; expected a number"
