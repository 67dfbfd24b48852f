"""Long texts of users take no time that grows with their square."""

import csv
import io
import random
import time
from contextlib import suppress

import pytest

from wmtlib.checks import remarks
from wmtlib.errors import DataError, did_you_mean
from wmtlib.files import tables
from wmtlib.files.contract import key
from wmtlib.files.options import listed, names_of
from wmtlib.files.read import read_tasks
from wmtlib.report import show

LONG = 100_000  # characters
BRACKETS = "(" * LONG
BLANKS = f"x{' ' * LONG}x"
WORD = "a_" * (LONG // 2)
PIECES = "a+" * (LONG // 2)
MARKS = "x" + "\u0323\u0301" * (LONG // 2)  # each is to go before the one before it
SIGNS = "".join(random.Random(1).choices([*map(chr, range(0x4E00, 0x5000))], k=LONG))
VOTES = [
    ["model_a", "model_b", "winner", "judge", "segment", "note"],
    ["x", "y", "model_a", "ann", "s1", "n1"],
    ["y", "x", "model_a", "bob", "s2", "n2"],
    ["x", "y", "model_b", "bob", "s3", "n3"],
]
RANKS = [["ranking", "system", "rank"], ["1", "x", "1"], ["1", "y", "2"]]
SEGMENTS = [["segment", "one", "two"], *([f"s{k}", f"{k % 5}", "9"] for k in range(9))]

SCORED = [
    ["worker", "system", "segment", "score"],
    ["w9", "A", "1", "40"],
    ["w9", "B", "1", "60.5"],
    ["w1", "A", "2", "0"],
]
OPTIONS = {  # by the first column
    "model_a": {"ignore": "#6"},
    "segment": {"wide": {"system": ["#2", "#3"]}, "cells": "score", "scale": (0, 9)},
    "worker": {"scale": (0, 100)},
}


def text(rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()


@pytest.fixture
def given_file(tmp_path):
    """Write a file, and give its path."""

    def write(data, name="file.csv"):
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return write


def seconds_of(function, *arguments, **options):
    """Return the seconds of the processor until a function returns, or refuses."""
    start = time.process_time()
    with suppress(DataError):
        function(*arguments, **options)
    return time.process_time() - start


def with_cell(rows, row, column, cell):
    rows = [[*row] for row in rows]
    rows[row][column] = cell
    return rows


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(with_cell(rows, row, column, cell), id=name)
        for name, rows, row, column, cell in [
            ("header of brackets", VOTES, 0, 5, BRACKETS),
            ("header of blanks", VOTES, 0, 5, BLANKS),
            ("header of one word", VOTES, 0, 5, WORD),
            ("column of scores of brackets", SEGMENTS, 0, 1, BRACKETS),
            ("system", VOTES, 1, 0, WORD),
            ("system of pieces", RANKS, 1, 1, PIECES),
            ("outcome of brackets", VOTES, 1, 2, BRACKETS),
            ("outcome of one word", VOTES, 1, 2, WORD),
            ("outcome of numbers", VOTES, 1, 2, "1." * (LONG // 2)),
            ("judge", VOTES, 1, 3, MARKS),
            ("segment of brackets", VOTES, 1, 4, BRACKETS),
            ("segment of scores", SEGMENTS, 1, 0, WORD),
            ("unused cell", VOTES, 1, 5, WORD),
            ("score", SCORED, 1, 3, "0" * LONG),
            ("rank", RANKS, 1, 2, "0" * LONG),
            ("line ends", VOTES, 1, 5, f"x{chr(13) * LONG}x"),
        ]
    ],
)
def test_a_long_text_is_read_or_refused_in_a_second(given_file, rows):
    path = given_file(text(rows))
    read_tasks(given_file(text(VOTES), "warm-up.csv"), ignore="note")
    assert seconds_of(read_tasks, path, [], **OPTIONS.get(rows[0][0], {})) < 1


@pytest.mark.parametrize("name", ["column", "ignore", "rows", "outcome", "missing"])
def test_a_long_option_is_taken_or_refused_in_a_second(given_file, name):
    path = given_file(text(VOTES))
    long = {
        "column": {"a": WORD},
        "rows": {WORD: BRACKETS},
        "outcome": {BRACKETS: "a"},
    }
    assert seconds_of(read_tasks, path, [], **{name: long.get(name, PIECES)}) < 1


def test_line_ends_without_a_line_are_refused_in_a_second(given_file):
    path = given_file(b"a,b,winner\nx,y,a\n" + b"\r" * LONG + b"x,y,a\n")
    assert seconds_of(read_tasks, path, []) < 1


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (remarks, ([MARKS, "x"], [MARKS, "y"])),
        (did_you_mean, (SIGNS, [SIGNS[1:], "name"])),
        (tables.without_secrets, (f"https://{'a@' * (LONG // 2)}",)),
        (key, (f"{BLANKS}{WORD}{BRACKETS}",)),
        (names_of, ('"' * LONG,)),
        (listed, (['"' * LONG],)),
        (show.safe_cell, (";''" * (LONG // 3),)),
        (show._in_markdown, ("[" * LONG,)),
        (show._in_latex, ("\\text" * (LONG // 5),)),
    ],
)
def test_a_long_name_is_compared_or_written_in_a_second(function, arguments):
    assert seconds_of(function, *arguments) < 1
