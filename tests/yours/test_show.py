"""Answers on the terminal, as JSON and in a folder, whatever the names in them."""

import json

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from examples import data_error
from wmtlib.yours import show
from wmtlib.yours.answers import Answer, answer_ranking
from wmtlib.yours.reading.read import read

NAMES = [
    "=cmd()|' /C calc'!A0",
    "<b>&</b>",
    "$x^{2",
    "系统",
    "نظام",
    "a" * 120,
    'a,b"c',
]


@pytest.fixture(scope="module")
def odd():
    """The answer about systems with names that somebody may think of."""
    pairs = [(a, b) for k, a in enumerate(NAMES) for b in NAMES[k + 1 :]]
    votes = pd.DataFrame([*pairs, *[(b, a) for a, b in pairs[:5]]], columns=["a", "b"])
    return answer_ranking(read(votes.assign(outcome="a")), n_resamples=9, minimum=1)


def small(**tables):
    frames = {name: pd.DataFrame(columns) for name, columns in tables.items()}
    about = {"Signature": "wmtlib rank|seed=0"}
    facts = {"file": "f.csv", "data": "0" * 64, "versions": {"wmtlib": "0"}}
    return Answer("Title", about, frames, views=frames, facts=facts)


def test_what_is_printed_names_every_system(odd, capsys):
    show.print_answer(odd)
    out = capsys.readouterr().out
    assert all(name in out for name in NAMES[:-1]) and odd.about["Signature"] in out
    assert all(line == line.rstrip() for line in out.splitlines())


def test_columns_stand_below_each_other():
    table = pd.DataFrame({"system": ["系统", "abcdef"], "score": [-1e-9, 2.5]})
    assert show.printed(table).splitlines() == [
        "system  score",
        "系统   0.0000",  # each letter of two columns
        "abcdef 2.5000",
    ]


def test_json_knows_no_nan_and_keeps_every_digit():
    table = {
        "a": [1 / 3, np.nan, np.inf],
        "b": pd.array([1, None, 3], dtype="Int64"),
        "c": [True, False, True],
        "d": ["x", None, "NaN"],
    }
    document = json.loads(show.as_json(small(T=table)), parse_constant=pytest.fail)
    assert document["tables"]["T"] == [
        {"a": 1 / 3, "b": 1, "c": True, "d": "x"},
        {"a": None, "b": None, "c": False, "d": None},
        {"a": None, "b": 3, "c": True, "d": "NaN"},
    ]


# --- a folder -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory, odd):
    path = tmp_path_factory.mktemp("out") / "new" / "folder"
    assert show.write_answer(odd, path) == path / "index.html"
    return path


def test_a_folder_holds_every_table_and_picture(folder, odd):
    names = {path.name for path in folder.iterdir()}
    drawn = {
        f"{p}.{kind}"
        for p in ("intervals", "heatmap", "bump")
        for kind in ("png", "svg")
    }
    tables = {f"{key}.csv" for key in odd.tables}
    texts = {"ranking.md", "ranking.html", "ranking.tex", "brief.txt", "index.html"}
    assert names == drawn | tables | texts
    for path in folder.glob("*.png"):
        with Image.open(path) as picture:
            assert min(picture.size) > 300


def test_csv_holds_no_formulas_and_every_digit(folder, odd):
    for path in folder.glob("*.csv"):
        cells = pd.read_csv(path, dtype=str, keep_default_na=False)
        for cell in [*cells.columns, *cells.to_numpy().ravel()]:
            assert not cell.startswith(("=", "+", "@", "\t")), path
    table = pd.read_csv(folder / "ranking.csv")
    assert "'=cmd()|' /C calc'!A0" in set(table["system"])
    assert table["score"].tolist() == odd.tables["ranking"]["score"].tolist()


def test_the_page_is_whole_and_inert(folder, odd):
    page = (folder / "index.html").read_text()
    assert page.count("<script") == 1 and "http" not in page.split("<svg")[0]
    assert "<b>&</b>" not in page and "&lt;b&gt;&amp;" in page
    assert page.count("<svg role='img' aria-label=") == 3 and "$" in page
    assert odd.about["Signature"].replace("&", "&amp;") in page


def test_other_files_stay_and_older_ones_are_replaced(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    for value in (1, 2):
        show.write_answer(small(t={"x": [value]}), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        "mine.txt",
        "index.html",
        "t.csv",
    }
    assert (tmp_path / "t.csv").read_text() == "x\n2\n"


def test_a_file_in_the_way_is_one_line(tmp_path):
    (tmp_path / "t.csv").mkdir()
    with data_error("cannot be written"):
        show.write_answer(small(t={"x": [1]}), tmp_path)
    (tmp_path / "file").write_text("")
    with data_error("is not a folder"):
        show.require_writable(tmp_path / "file" / "x")
    show.require_writable(tmp_path / "not" / "yet")
