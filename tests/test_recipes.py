"""Every recipe of docs/recipes.md and docs/scale.md runs on the files that it shows."""

import bz2
import json
import re
import shlex
from pathlib import Path

import pandas as pd
import pytest

from examples import ROOT
from wmtlib.cli import main
from wmtlib.files import read as reader
from wmtlib.files.contract import CONTRACT, KINDS, NAMES, key

PAGE, SCALE = (
    (ROOT / "docs" / name).read_text(encoding="utf-8")
    for name in ("recipes.md", "scale.md")
)
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)
RECIPES = {
    title: BLOCK.findall(text)
    for title, text in re.findall(
        r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE + SCALE, re.M | re.S
    )
    if BLOCK.search(text)
}
IMPORTS = {"json": json, "re": re, "Path": Path, "pd": pd}  # that the page names
EXPECTED = {  # what the commands of each section print, in this order
    "Options are enough": [
        "2 rows (comparisons), 3 systems",
        "1 rows (comparisons), 2 systems",
        "3 rows (comparisons), 3 systems, 26 comparisons",
        "2 rows (comparisons), 2 systems, 2 comparisons",
        "2 rows (assessments), 2 systems",
        "2 rows (assessments), 2 systems",
        "4 rows (assessments), 2 systems",
        "7 rows (assessments), 2 systems",
    ],
    "Several systems in a row": [
        "6 rows (rankings), 3 systems, 6 comparisons",
        "6 rows (rankings), 3 systems, 6 comparisons",
        "6 rows (rankings), 3 systems, 6 comparisons",
        "10 rows (comparisons), 4 systems, 10 comparisons",
    ],
    "Answers of a form": [
        "6 rows (comparisons), 3 systems, 6 comparisons",
        "3 rows (comparisons), 3 systems, 3 comparisons",
        "7 rows (assessments), 2 systems",
    ],
    "Judgements of a model": [
        "4 rows (comparisons), 2 systems, 4 comparisons",
        "4 rows (comparisons), 2 systems, 4 comparisons",
        "2 rows (comparisons), 2 systems, 2 comparisons",
    ],
    "Raw exports of annotation tools": [
        "2 rows (comparisons), 2 systems, 2 comparisons",
        "2 rows (comparisons), 2 systems, 2 comparisons",
        "9 rows (rankings), 3 systems, 9 comparisons",
    ],
    "Errors with severities": [
        "4 rows (assessments), 2 systems",
        "4 rows (assessments), 2 systems",
    ],
    "A worked example": [
        "12 comparisons, 5 groups of judges",
        "1 of 12 comparisons have no judge",
    ],
    "Polars": ["4 rows (comparisons), 3 systems, 4 comparisons, 2 groups of judges"],
}
FIRST = {  # the order of the systems, of every answer of a section
    "Options are enough": ["xzy", "zy", "xyz", "xy", "yx", "xy", "xy", "xy"],
    "Several systems in a row": ["xyz", "yxz", "xyz", "xyzw"],
}
PUBLIC = [  # files of exports, in the mirror of public repositories
    "alopez/wmt-ranking/raw_data/wmt12/wmt12.RNK_results.csv",
    "cfedermann/wmt16/data/wmt16.deu-eng.csv",
    "wmt-conference/wmt21-news-systems/humaneval/facebook-wikipedia-2021/"
    "ad-good-raw-redup.csv",
    "wmt-conference/wmt24-news-systems/humeval/esa_generalMT2024_wave2.csv",
]


def commands(content):
    """The commands of a shell block; a backslash ends a line that goes on."""
    lines = content.replace("\\\n", " ").splitlines()
    return [shlex.split(line)[1:] for line in lines]


def cells_of(table):
    """The backticked words of each row of a table of the page, by column."""
    rows = re.findall(r"^\| (.*) \|$", table, re.M)[2:]
    return [[re.findall("`(.+?)`", cell) for cell in row.split(" | ")] for row in rows]


def section(title):
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


def test_every_recipe_is_tried():
    assert EXPECTED.keys() == RECIPES.keys()


def test_the_page_is_short():
    lines = PAGE.splitlines()
    assert len(lines) < 450
    assert max(map(len, lines)) <= 160


@pytest.mark.slow
@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_runs_on_the_files_that_it_shows(title, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    printed = ""
    for language, name, content in RECIPES[title]:
        if language == "text":
            data = content.encode()
            Path(name).write_bytes(
                bz2.compress(data) if name.endswith(".bz2") else data
            )
        elif language == "python":
            exec(compile(content, title, "exec"), {**IMPORTS})
        elif language == "sql":
            import duckdb

            duckdb.execute(content)
        else:
            for words in commands(content):
                assert main(words) == 0
                output, problems = capsys.readouterr()
                assert problems == ""
                printed += output
    for words in EXPECTED[title]:
        _, found, printed = printed.partition(words)
        assert found == words


def test_the_page_lists_the_roles_and_their_names():
    _, table = section("Kinds and roles").split("| role |")
    listed = {role: set() for row in cells_of(f"| {table}") for role in row[0]}
    names = {key(name) for row in cells_of(f"| {table}") for name in sum(row, [])}
    assert listed.keys() == {*NAMES} - {"accepted"}  # of an export alone
    known = {name for role, several in NAMES.items() for name in (role, *several)}
    known = {key(name) for name in known - {"accepted"}}
    assert names <= known
    assert known - names <= {f"{name}id" for name in names}
    needed = {role for kind in KINDS.values() for row in kind["needed"] for role in row}
    assert needed <= listed.keys()


def test_the_page_lists_the_exports():
    rows = [{*sum(row, [])} for row in cells_of(section("Known exports"))]
    several = [*rows, *(one | two for one, two in zip(rows, rows[1:], strict=False))]
    for export in CONTRACT["exports"]:
        assert any({*export["header"]} <= row for row in several), export["name"]


@pytest.mark.realdata
@pytest.mark.parametrize("path", PUBLIC)
def test_a_public_file_of_an_export_is_read(path, mirror):
    """The XML of WMT16 is read in the tests of the reader."""
    several = reader.read_tasks(mirror / path)
    assert all(len(one.systems) > 2 and one.export for one in several)
    assert all(one.people == {} for one in several)  # nobody's identifier is printed
