"""Answers as JSON and in a folder, whatever the names in them."""

import json

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from odd_names import LONG, NAMES, odd_answer, small_answer
from PIL import Image

from wmtlib.errors import DataError
from wmtlib.yours import answer_data
from wmtlib.yours.answers import LONGEST_TABLE, Answer
from wmtlib.yours.cli import answer_folder


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    return odd_answer(tmp_path_factory.mktemp("odd"))


def test_json_knows_no_nan_and_keeps_every_digit(odd):
    table = {
        "a": [1 / 3, np.nan, np.inf],
        "b": pd.array([1, None, 3], dtype="Int64"),
        "c": [True, False, True],
        "d": ["x", None, "NaN"],
        "e": [1, 2, 3],
    }
    answer = Answer("", {}, [], (), answer_data.plain({"T": pd.DataFrame(table)}))
    found = json.loads(answer_folder.as_json(answer), parse_constant=pytest.fail)["T"]
    assert found == [
        {"a": 1 / 3, "b": 1, "c": True, "d": "x", "e": 1},
        {"a": None, "b": None, "c": False, "d": None, "e": 2},
        {"a": None, "b": 3, "c": True, "d": "NaN", "e": 3},
    ]
    document = json.loads(answer_folder.as_json(odd), parse_constant=pytest.fail)
    assert {row["system"] for row in document["methods"][0]["systems"]} == set(NAMES)
    assert document["signature"] == odd.about["Signature"]


# --- a folder -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory, odd):
    path = tmp_path_factory.mktemp("out") / "new" / "folder"
    page, remark = answer_folder.write_answer(odd, path)
    assert page == path / "index.html" and (not remark or "no installed font has" in remark)
    return path


def test_a_folder_holds_every_table_and_figure(folder, odd):
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "index.html",
        "ranking-by-expected-wins-ranking.csv",
        "ranking-by-expected-wins-intervals.csv",
        "ranking-by-expected-wins-clusters.csv",
        *(f"ranking-by-expected-wins-intervals.{kind}" for kind in ("png", "svg")),
        *(f"ranking-by-expected-wins-heatmap.{kind}" for kind in ("png", "svg")),
        "bootstrap-expected-wins-intervals.csv",
        "methods-side-by-side-ranks.csv",
        "methods-side-by-side-methods.csv",
        *(f"methods-side-by-side-bump.{kind}" for kind in ("png", "svg")),
    }
    for path in folder.glob("*.png"):
        with Image.open(path) as picture:
            assert min(picture.size) > 100


def test_csv_holds_no_formulas_and_every_digit(folder, odd):
    for path in folder.glob("*.csv"):
        cells = pd.read_csv(path, dtype=str, keep_default_na=False)
        for cell in [*cells.columns, *cells.to_numpy().ravel()]:
            assert not cell.startswith(("=", "+", "@", "\t")) or cell == "", path
    table = pd.read_csv(folder / "ranking-by-expected-wins-ranking.csv")
    assert "'=cmd()|' /C calc'!A0" in set(table["system"]) and LONG in set(table["system"])
    assert table["score"].tolist() == odd.sections[0].tables["Ranking"]["score"].tolist()


def test_the_page_is_whole_and_inert(folder, odd):
    source = (folder / "index.html").read_text()
    page = BeautifulSoup(source, "html.parser")
    assert not page.select("script, iframe, object, link[href], a[href]")
    assert {image["src"].split(",")[0] for image in page("img")} == {"data:image/svg+xml;base64"}
    assert len(page("img")) == 3
    cells = {cell.get_text() for cell in page("td")}
    assert set(NAMES) <= cells
    assert odd.about["Signature"] in page.get_text()
    assert not {"True", "False", "NaN", "nan"} & cells


def test_lines_of_clusters_are_lines_on_the_page(tmp_path):
    table = {"system": ["x", "y"], "line": [True, False], "wins": [1, 0]}
    answer_folder.write_answer(small_answer(Ranking=table), tmp_path)
    page = BeautifulSoup((tmp_path / "index.html").read_text(), "html.parser")
    assert [row.td.get_text() for row in page.select("tr.line")] == ["x"]
    assert [cell.get_text() for cell in page("th")] == ["system", "wins"]


def test_a_long_table_is_only_named_on_the_page(tmp_path):
    rows = LONGEST_TABLE + 1
    answer_folder.write_answer(small_answer(Pairs={"p": [0.5] * rows}), tmp_path)
    page = (tmp_path / "index.html").read_text()
    assert f"Pairs: {rows} rows, in part-pairs.csv." in page and "<td" not in page
    assert len((tmp_path / "part-pairs.csv").read_text().splitlines()) == rows + 1


def test_other_files_stay_and_older_ones_are_replaced(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    for value in (1, 2):
        answer_folder.write_answer(small_answer(T={"x": [value]}), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"mine.txt", "index.html", "part-t.csv"}
    assert (tmp_path / "part-t.csv").read_text() == "x\n2\n"


def test_nothing_is_half_written(tmp_path, monkeypatch):
    answer_folder.write_answer(small_answer(T={"x": [1]}), tmp_path / "old")
    before = {path.name: path.read_bytes() for path in (tmp_path / "old").iterdir()}

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("wmtlib.study.report.single", full)
    for name in ("old", "new"):
        with pytest.raises(DataError, match=rf"{name}: cannot be written \(No space left") as error:
            answer_folder.write_answer(small_answer(T={"x": [2]}), tmp_path / name)
        assert len(str(error.value).splitlines()) == 1
    assert {path.name: path.read_bytes() for path in (tmp_path / "old").iterdir()} == before
    assert not (tmp_path / "new").exists()


def test_a_page_too_large_to_mail_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("wmtlib.study.report.LIMIT", 1000)
    with pytest.raises(DataError, match="fewer or smaller figures"):
        answer_folder.write_answer(small_answer(T={"x": [1]}), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_file_in_the_way_is_one_line(tmp_path):
    (tmp_path / "part-t.csv").mkdir()
    with pytest.raises(DataError, match=r"cannot be written \(part-t.csv is a folder\)"):
        answer_folder.write_answer(small_answer(T={"x": [1]}), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["part-t.csv"]
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="is not a folder"):
        answer_folder.require_writable(tmp_path / "file" / "x")
    answer_folder.require_writable(tmp_path / "not" / "yet")
    assert not (tmp_path / "not").exists()


def test_cells_that_spreadsheets_would_compute():
    cells = ["=cmd()", "+X", "-1", "@x", "\tx", "A-B", "", 5]
    safe = ["'=cmd()", "'+X", "'-1", "'@x", "'\tx", "A-B", "", 5]
    assert [answer_folder.safe_cell(cell) for cell in cells] == safe
