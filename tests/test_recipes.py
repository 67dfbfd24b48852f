"""Every recipe of docs/recipes.md and docs/scale.md runs on the file that it shows."""

import bz2
import re
import shlex
from pathlib import Path

import pytest

from examples import ROOT
from wmtlib.cli import main
from wmtlib.reading import read as reader
from wmtlib.reading.columns import SeveralTasks

NAMES = ("recipes.md", "scale.md")
PAGE = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in NAMES)
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)
RECIPES = {
    title: BLOCK.findall(text)
    for title, text in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
    if BLOCK.search(text)
}
FILES = re.findall(r"`([\w.-]+/[\w.-]+/[\w./-]+\.csv)`", PAGE)
EXPECTED = {  # what each shell block prints
    "Say how to read a file": ["z comes first", "y comes first"],
    "Pairs that a model judged in both orders": ["x comes first"] * 2,
    "Excel": ["x comes first"],
    "Screens of pearmut": ["4 rows (assessments)"],
    "Raw exports of annotation tools": ["x comes first"] * 2,
    "Segments by systems": ["4 rows (assessments)", "x comes first"],
    "A column for each annotator": ["7 rows (assessments)"],
    "Several outputs in a row": ["6 rows (assessments)"],
    "Best and worst": ["10 rows (pairwise), 4 systems, 10 comparisons"],
    "PrefLib": ["9 rows (rankings), 3 systems, 9 comparisons"],
    "Spans of errors alone": ["4 rows (assessments)"],
    "MQM: errors with severities": [
        "scores run from -5.1 to 0",
        "scores run from -6 to 0",
    ],
    "A worked example": [
        "12 comparisons, 5 groups of judges",
        "1 of 12 comparisons have no judge",
    ],
    "Polars and Dask": [
        "4 rows (pairwise), 3 systems, 4 comparisons, 2 groups of judges"
    ]
    * 2,
}


def test_every_recipe_is_tried():
    assert EXPECTED.keys() == RECIPES.keys()
    assert len(FILES) > 2


@pytest.mark.slow
@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_runs_on_the_file_that_it_shows(title, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for language, name, content in RECIPES[title]:
        if language == "text":
            data = content.encode()
            Path(name).write_bytes(
                bz2.compress(data) if name.endswith(".bz2") else data
            )
        elif language == "python":
            exec(compile(content, title, "exec"), {})
        elif language == "sql":
            import duckdb

            duckdb.execute(content)
        else:
            for line in content.splitlines():
                assert main(shlex.split(line)[1:]) == 0
    printed, problems = capsys.readouterr()
    assert problems == ""
    for words in EXPECTED[title]:
        assert words in printed
        printed = printed.replace(words, "", 1)


@pytest.mark.realdata
@pytest.mark.parametrize("path", FILES)
def test_a_public_file_that_the_page_names_is_read(path, mirror):
    """The XML of WMT16, which the page names too, is read in `test_read`."""
    try:
        found = reader.read(mirror / path)
    except SeveralTasks as several:
        found = reader.read(mirror / path, task=several.tasks[-1])
    assert len(found.systems) > 2
    own_layout = "llmfao" in path  # nothing tells it from a file of the user's own
    assert (
        found.people == {}
    ) != own_layout  # else nobody's identifier is ever printed
