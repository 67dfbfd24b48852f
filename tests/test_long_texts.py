"""Long texts of users take no time that grows with their square."""

import random
import time
from contextlib import suppress

import pytest
from user_files import SCORED, text, writer
from wmtlib.reading import files

from wmtlib.checks import remarks
from wmtlib.errors import DataError, did_you_mean
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

given_file = pytest.fixture(writer)


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
    read_tasks(given_file(text(VOTES), "warm-up.csv"))
    assert seconds_of(read_tasks, path, []) < 1


def test_line_ends_without_a_line_are_refused_in_a_second(given_file):
    path = given_file(b"a,b,winner\nx,y,a\n" + b"\r" * LONG + b"x,y,a\n")
    assert seconds_of(read_tasks, path, []) < 1


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (remarks, ([MARKS, "x"], [MARKS, "y"])),
        (did_you_mean, (SIGNS, [SIGNS[1:], "name"])),
        (files.KEPT.findall, (f"s3://{'a' * LONG}:",)),
        (files.KEPT.findall, (f"s3://{'a=' * (LONG // 2)}:",)),
        (files.without_secrets, (f"https://{'a@' * (LONG // 2)}",)),
        (show.safe_cell, (";''" * (LONG // 3),)),
        (show._in_markdown, ("[" * LONG,)),
        (show._in_latex, ("\\text" * (LONG // 5),)),
    ],
)
def test_a_long_name_is_compared_or_written_in_a_second(function, arguments):
    assert seconds_of(function, *arguments) < 1
