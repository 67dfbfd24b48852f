"""Long texts of users take no time that grows with their square."""

import io
import random
import time

import pandas as pd
import pytest

from wmtlib.core.errors import (
    DataError,
    Question,
    did_you_mean,
    on_command_line,
    unknown,
)
from wmtlib.files import tables
from wmtlib.files.checks import remarks
from wmtlib.files.contract import key
from wmtlib.files.options import listed, names_of
from wmtlib.files.read import read_tasks
from wmtlib.report import show

LONG = 100_000  # characters
SIGNS = "".join(random.Random(1).choices([*map(chr, range(0x4E00, 0x5000))], k=LONG))
MARKS = "x" + "\u0323\u0301" * (LONG // 2)  # each is to go before the one before it
TEXTS = {
    "brackets": "(" * LONG,
    "blanks": f"x{' ' * LONG}x",
    "one word": "a_" * (LONG // 2),
    "pieces": "a+" * (LONG // 2),
    "letters": SIGNS,
    "marks": MARKS,
    "unseen letters": "x" + "\u200d\u200b" * (LONG // 2),
    "noughts": "0" * LONG,
    "numbers": "1." * (LONG // 2),
    "thousands": "1,000" * (LONG // 5),
    "date": "2024-01-01T" + "0" * LONG,
    "rating": '[{"rating": ' + " " * LONG,
    "signs of equality": "a=" * (LONG // 2),
    "quotation marks": "\"'" * (LONG // 2),
    "line ends": f"x{chr(13) * LONG}x",
    "percent": "%" * LONG,
    "list": "a;" * (LONG // 2),
}
# A table of each kind, and what it does not declare.
COMPARED = """\
model_a,model_b,winner,judge,segment,count,tied,shown_first,task,note
x,y,model_a,ann,s1,1,0,a,t,p
y,x,model_a,bob,s2,2,0,b,t,p
x,z,model_b,bob,s3,3,0,x,t,p
y,z,tie,ann,s4,4,1,b,t,q
"""
ASSESSED = """\
system,segment,judge,score,document,hit,item
x,1,ann,40,d,h,SYSTEM
y,1,ann,60,d,h,SYSTEM
x,2,bob,0,e,h,SYSTEM
y,2,bob,10,e,h,SYSTEM
"""
SCALE = {"scale": (0, 100)}
WIDE = {"wide": {"system": ["#2", "#3"]}, "cells": "score", **SCALE}
TABLES = {
    kind: (pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False), options)
    for kind, text, options in (
        ("comparisons", COMPARED, {"ignore": "note"}),
        ("wins", "a,b,wins_a,wins_b\nx,y,3,2\ny,z,9,7\n", {}),
        ("scores", "a,b,score_a,score_b\nx,y,3,2\ny,z,9,7\n", SCALE),
        ("rankings", "ranking,system,rank\n1,x,1\n1,y,2\n2,x,2\n2,y,1\n", {}),
        ("assessments", ASSESSED, SCALE),
        ("a column for each system", "segment,x,y\n1,3,2\n2,9,7\n", WIDE),
        ("square of wins", "system,x,y\nx,,2\ny,3,\n", {"wide": "wins"}),
    )
}


def seconds_of(function, *arguments, **options):
    """Return the seconds of the processor until a function returns, or refuses."""
    start = time.process_time()
    try:
        function(*arguments, **options)
    except Question as question:
        words = [str(question), question.on_command_line(["wmtlib", "rank", "x.csv"])]
        words.append(question.by_make("x.csv", ""))
        assert all(words)
    except DataError as error:
        assert "\n" not in str(error) and on_command_line(error)
        assert len(str(error)) < 2000
    return time.process_time() - start


def read_by(source, options):
    for judgements in read_tasks(source, **options):
        assert repr(judgements) and judgements.reading


@pytest.mark.parametrize("long_text", TEXTS.values(), ids=TEXTS)
def test_a_long_cell_is_read_or_refused_in_a_second(long_text):
    for kind, (frame, options) in TABLES.items():
        for place, name in enumerate(frame):
            changed = frame.astype(object)
            changed.iloc[0, place] = long_text
            assert seconds_of(read_by, changed, options) < 1, (kind, name)


@pytest.mark.parametrize("long_text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("kind", ["comparisons", "a column for each system"])
def test_a_long_name_of_a_column_is_read_or_refused_in_a_second(
    tmp_path, kind, long_text
):
    frame, options = TABLES[kind]
    path = tmp_path / "file.csv"
    for name in (frame.columns[0], frame.columns[-1]):
        frame.rename(columns={name: long_text}).to_csv(path, index=False)
        assert seconds_of(read_by, path, options) < 1, name
    frame.assign(**{long_text: [*"pq"] * (len(frame) // 2)}).to_csv(path, index=False)
    assert seconds_of(read_by, path, options) < 1


@pytest.mark.parametrize("long_text", TEXTS.values(), ids=TEXTS)
def test_a_long_option_is_taken_or_refused_in_a_second(tmp_path, long_text):
    frame, usual = TABLES["comparisons"]
    path = tmp_path / "file.csv"
    frame.to_csv(path, index=False)
    for options in (
        {"kind": long_text},
        {"column": {long_text: "note"}},
        {"column": {"none": ["note", long_text]}},
        {"column": {"judge": long_text}},
        {"column": {"task": ["note", long_text]}},
        {"ignore": long_text},
        {"rows": {long_text: "p"}},
        {"rows": {"note": long_text}},
        {"outcome": {long_text: "a"}},
        {"outcome": long_text},
        {"scale": long_text},
        {"outcome": {"tie": long_text}},
        {"missing": long_text},
        {"revisions": long_text},
        {"joint": long_text},
        {"wide": long_text},
        {"wide": {long_text: ["note"]}},
        {"wide": {"system": [long_text]}, "cells": "score"},
        {"wide": {"judge": [long_text, "note"]}, "cells": "outcome"},
        {"wide": {"system": ["note"]}, "cells": long_text},
        {"tasks": [long_text]},
    ):
        assert seconds_of(read_by, path, {**usual, **options}) < 1, options.keys()


def test_a_long_name_of_a_sheet_is_refused_in_a_second(tmp_path):
    path = tmp_path / "book.xlsx"
    TABLES["wins"][0].to_excel(path, index=False)
    for long_text in TEXTS.values():
        assert seconds_of(read_by, path, {"sheet": long_text}) < 1


def test_line_ends_without_a_line_are_refused_in_a_second(tmp_path):
    path = tmp_path / "file.csv"
    path.write_bytes(b"a,b,winner\nx,y,a\n" + b"\r" * LONG + b"x,y,a\n")
    assert seconds_of(read_tasks, path) < 1


@pytest.mark.parametrize("long_text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("start", ["", "a,b,winner\n", '{"a": 1}\n', "[", "<hits>"])
def test_a_file_of_a_long_text_is_refused_in_a_second(tmp_path, start, long_text):
    path = tmp_path / "file"
    path.write_text(start + long_text)
    assert seconds_of(read_tasks, path) < 5  # of a row of 20,000 fields


def test_fields_longer_than_those_of_csv_are_refused_in_a_line(tmp_path):
    path = tmp_path / "file.csv"
    longer = "x" * 200_000
    for rows in (f"a,b,{longer}\nx,y,a\n", f"a,b,winner\n{longer},y,a\nx,y\n"):
        path.write_text(rows)
        assert seconds_of(read_tasks, path) < 1
    assert seconds_of(read_tasks, path, ignore="a," * LONG) < 1
    assert seconds_of(read_tasks, path, wide={"system": longer}, cells="rank") < 1


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (remarks, ([MARKS, "x"], [MARKS, "y"])),
        (did_you_mean, (SIGNS, [SIGNS[1:], "name"])),
        (tables.without_secrets, (f"https://{'a@' * (LONG // 2)}",)),
        (tables.without_secrets, ("https://" * (LONG // 8),)),
        (key, (f"x{' ' * LONG}{'a_' * LONG}{'(' * LONG}",)),
        (names_of, ('"' * LONG,)),
        (listed, (['"' * LONG],)),
        (show.safe_cell, (";''" * (LONG // 3),)),
        (show.in_markdown, ("[" * LONG,)),
        (show.printed, (pd.DataFrame({"system": [MARKS, SIGNS]}),)),
        (show.table_as_html, (pd.DataFrame({"system": ["<&" * LONG]}),)),
        (unknown, ("system", SIGNS, [SIGNS[1:], "name"])),
        (show.LATEX.sub, ("", " " * LONG + "-" * LONG)),
    ],
)
def test_a_long_name_is_compared_or_written_in_a_second(function, arguments):
    assert seconds_of(function, *arguments) < 1
