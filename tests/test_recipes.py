"""Every recipe of docs/recipes.md and docs/scale.md runs on the files that it shows."""

import json
import re
import shlex
from itertools import chain, pairwise
from pathlib import Path

import pandas as pd
import pytest

from examples import ROOT
from wmtlib.cli import main
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
EXPECTED = {  # what each command prints: who comes first, and what was read
    "Four files that most people have": [
        "x comes first: 3 rows (comparisons), 3 systems, 3 comparisons",
        "x comes first: 4 rows (assessments), 2 systems",
        "x comes first: 8 rows (assessments), 2 systems",
        "x comes first: 6 rows (comparisons), 3 systems, 6 comparisons",
    ],
    "Options are enough": [
        "z comes first: 1 rows (comparisons), 2 systems, 1 comparisons"
        "; x comes first: 2 rows (comparisons), 3 systems, 2 comparisons",
        "x comes first: 3 rows (comparisons), 3 systems, 26 comparisons",
        "x comes first: 2 rows (comparisons), 2 systems, 2 comparisons",
        "y comes first: 2 rows (assessments), 2 systems"
        "; x comes first: 2 rows (assessments), 2 systems",
        "x comes first: 7 rows (assessments), 2 systems",
    ],
    "Several systems in a row": [
        "x comes first: 6 rows (rankings), 3 systems, 6 comparisons",
        "y comes first: 6 rows (rankings), 3 systems, 6 comparisons",
        "x and y share: 10 rows (comparisons), 4 systems, 10 comparisons",
    ],
    "Names in one cell, or in the names of columns": [
        "z comes first: 3 rows (comparisons), 3 systems, 3 comparisons",
        "alpha comes first: 7 rows (assessments), 2 systems",
    ],
    "Judgements of a model": [
        "x comes first: 4 rows (comparisons), 2 systems, 4 comparisons",
        "x comes first: 4 rows (comparisons), 2 systems, 4 comparisons",
        "x comes first: 2 rows (comparisons), 2 systems, 2 comparisons",
    ],
    "Raw exports of annotation tools": [
        "x comes first: 2 rows (comparisons), 2 systems, 2 comparisons",
        "x comes first: 2 rows (comparisons), 2 systems, 2 comparisons",
    ],
    "Errors with severities": [
        "x comes first: 4 rows (assessments), 2 systems",
        "hyp.x comes first: 4 rows (assessments), 2 systems",
    ],
    "A worked example": [
        "x comes first: 11 rows (comparisons), 3 systems, 11 comparisons, 5 groups",
    ],
    "Polars": [
        "x comes first: 3 rows (comparisons), 3 systems, 3 comparisons, 2 groups",
    ],
}


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
    answers = []
    for language, name, content in RECIPES[title]:
        if language == "text":
            Path(name).write_text(content, encoding="utf-8")
        elif language == "python":
            exec(compile(content, title, "exec"), {**IMPORTS})
        elif language == "sql":
            import duckdb

            duckdb.execute(content)
        else:
            for words in commands(content):
                assert main(words) == 0
                printed, problems = capsys.readouterr()
                assert problems == ""
                answers.append(" ".join(printed.split()))  # lines may break anywhere
    for printed, expected in zip(answers, EXPECTED[title], strict=True):
        for words in re.split("; |: ", expected):
            before, found, printed = printed.partition(words)
            assert found == words, before


def test_the_page_lists_the_roles_and_their_names():
    _, table = section("Kinds and roles").split("| role |")
    rows = cells_of(f"| {table}")
    listed = {role for roles, *_ in rows for role in roles}
    names = {key(name) for row in rows for name in chain(*row)}
    assert listed == {*NAMES} - {"accepted"}  # of an export alone
    known = {name for role, several in NAMES.items() for name in (role, *several)}
    known = {key(name) for name in known - {"accepted"}}
    assert names <= known
    assert known - names <= {f"{name}id" for name in names}
    needed = {role for kind in KINDS.values() for row in kind["needed"] for role in row}
    assert needed <= listed


def test_the_page_lists_the_exports():
    rows = [{*chain(*row)} for row in cells_of(section("Known exports"))]
    several = [*rows, *(one | two for one, two in pairwise(rows))]
    for export in CONTRACT["exports"]:
        assert any({*export["header"]} <= row for row in several), export["name"]
