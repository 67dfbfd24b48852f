"""Answers in the terminal, as JSON and in a folder, whatever the names in them."""

import io
import json
import random
import re

import matplotlib
import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from matplotlib import pyplot as plt
from PIL import Image

from wmtlib.analysis import answers
from wmtlib.analysis.answers import Answer, Drawing, Section
from wmtlib.cli import present
from wmtlib.files import reader
from wmtlib.judgements.errors import DataError
from wmtlib.study import figures

LONG = "L" * 400
NAMES = [
    "<script>alert(1)</script>",
    "=cmd()|' /C calc'!A0",
    "[red]x[/red]",
    "$\\frac{1}{x$",
    "系统-ü-é",
    LONG,
    LONG + "M",
    ":smile:",
    'a,b"c',
]


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """An answer about systems with names that are something else elsewhere."""
    draw = random.Random(1)
    rows = []
    for _ in range(400):
        a, b = draw.sample(NAMES, 2)
        rows.append((a, b, draw.choice(["a", "b", "tie"]), f"j{draw.randrange(7)}"))
    path = tmp_path_factory.mktemp("odd") / "[red]odd.csv"
    pd.DataFrame(rows, columns=["a", "b", "outcome", "judge"]).to_csv(path, index=False)
    return answers.rank(reader.read(path), bootstrap=20)


def small(**tables):
    frames = {name: pd.DataFrame(table) for name, table in tables.items()}
    return Answer("Title", {"Signature": "sig"}, [Section("Part", "Words.", ["Mind!"], frames)])


# --- the terminal -------------------------------------------------------------------------------


def printed(capsys, answer):
    present.show(answer)
    return capsys.readouterr().out


def test_a_pipe_gets_whole_plain_text(capsys, monkeypatch, odd):
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "40")
    text = printed(capsys, odd)
    assert "\x1b" not in text and "…" not in text
    lines = text.splitlines()
    for name in NAMES:
        assert any(line.startswith(f"{name} ") for line in lines)
    assert "Judgements: [red]odd.csv: 400 pairwise comparisons, 9 systems" in lines
    assert lines[-1] == odd.about["Signature"]


def test_a_terminal_gets_colours_and_folded_names_and_whole_numbers(capsys, monkeypatch, odd):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    text = printed(capsys, odd)
    assert "\x1b[1m" in text and "\x1b[33m" in text  # bold; where methods disagree
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert all(len(line) <= 80 for line in plain.splitlines())
    assert "…" not in plain and "[red]x[/red]" in plain and ":smile:" in plain
    score = odd.sections[1].tables["Clusters"]["score"].iloc[0]
    assert f" {score:.4f} " in plain


def test_numbers_are_tidy_and_bools_are_words(capsys):
    table = {
        "model": ["m", "n"],
        "perplexity": [2.34567, np.inf],
        "p": [0.000123456, np.nan],
        "changed": [True, False],
        "score": [1 / 3, np.nan],
        "best_rank": pd.array([1, None], dtype="Int64"),
    }
    text = printed(capsys, small(Models=table))
    assert text.splitlines()[3:6] == [
        "model  perplexity        p  changed   score  best_rank",
        "m           2.346  0.00012  yes      0.3333          1",
        "n             inf           no",
    ]
    assert "Warning: Mind!" in text


def test_lines_below_clusters_and_disagreements_are_marked(capsys):
    clusters = {"system": ["x", "y"], "line": [True, False], "wins": [1, 0]}
    ranks = {"system": ["x", "y"], "one": [1, 2], "two": [1, 1], "range": [0, 1]}
    text = printed(capsys, small(Ranks=ranks, Clusters=clusters))
    assert "[Clusters]\nsystem  wins\nx          1\n------  ----\ny          0\n" in text
    assert "[Ranks]\nsystem  one  two  range\nx         1    1      0\n" in text
    assert "\ny         2    1    1 <\n" in text


def test_tables_of_pairs_and_scores_are_not_printed(capsys):
    assert "hidden" not in printed(capsys, small(Pairs={"hidden": [1]}, Scores={"hidden": [1]}))


def test_progress_is_for_terminals(capsys, monkeypatch):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    with present.working() as say:
        say("[red]reading")
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("FORCE_COLOR", "1")
    with present.working() as say:
        say("[red]reading")
    captured = capsys.readouterr()
    assert captured.out == "" and "[red]reading (0 s)" in captured.err


# --- JSON ---------------------------------------------------------------------------------------


def test_json_knows_no_nan_and_keeps_every_digit(odd):
    table = {
        "a": [1 / 3, np.nan, np.inf],
        "b": pd.array([1, None, 3], dtype="Int64"),
        "c": [True, False, True],
        "d": ["x", None, "NaN"],
        "e": [1, 2, 3],
    }
    text = present.as_json(small(T=table))
    found = json.loads(text, parse_constant=pytest.fail)["sections"][0]["tables"]["T"]
    assert found == [
        {"a": 1 / 3, "b": 1, "c": True, "d": "x", "e": 1},
        {"a": None, "b": None, "c": False, "d": None, "e": 2},
        {"a": None, "b": 3, "c": True, "d": "NaN", "e": 3},
    ]
    document = json.loads(present.as_json(odd), parse_constant=pytest.fail)
    assert {r["system"] for r in document["sections"][0]["tables"]["Ranks"]} == set(NAMES)
    assert document["about"] == dict(odd.about)


# --- a folder -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory, odd):
    path = tmp_path_factory.mktemp("out") / "new" / "folder"
    assert present.write(odd, path) == path / "index.html"
    return path


def test_a_folder_holds_every_table_and_figure(folder, odd):
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "index.html",
        "ranking-ranks.csv",
        "ranking-methods.csv",
        "ranking-scores.csv",
        "ranking-1.png",
        "ranking-2.png",
        "clusters-expected-wins-clusters.csv",
        "clusters-expected-wins-pairs.csv",
        "doubt-expected-wins-by-judge-intervals.csv",
        "doubt-expected-wins-by-judge-1.png",
    }
    for path in folder.glob("*.png"):
        with Image.open(path) as picture:
            assert min(picture.size) > 100


def test_csv_holds_no_formulas_and_every_digit(folder, odd):
    for path in folder.glob("*.csv"):
        cells = pd.read_csv(path, dtype=str, keep_default_na=False)
        for cell in [*cells.columns, *cells.to_numpy().ravel()]:
            assert not cell.startswith(("=", "+", "@", "\t")) or cell == "", path
    table = pd.read_csv(folder / "clusters-expected-wins-clusters.csv")
    assert "'=cmd()|' /C calc'!A0" in set(table["system"]) and LONG in set(table["system"])
    assert table["score"].tolist() == odd.sections[1].tables["Clusters"]["score"].tolist()


def test_the_page_is_whole_and_inert(folder, odd):
    source = (folder / "index.html").read_text()
    page = BeautifulSoup(source, "html.parser")
    assert not page.select("script, iframe, object, link[href], a[href]")
    assert {image["src"].split(",")[0] for image in page("img")} == {"data:image/png;base64"}
    assert len(page("img")) == 3
    cells = {cell.get_text() for cell in page("td")}
    assert set(NAMES) <= cells
    assert odd.about["Signature"] in page.get_text()
    assert {"yes", "no"} & cells and not {"True", "False", "NaN", "nan"} & cells


def test_a_long_table_is_only_named_on_the_page(tmp_path):
    rows = present.MOST + 1
    present.write(small(Pairs={"p": [0.5] * rows}), tmp_path)
    page = (tmp_path / "index.html").read_text()
    assert f"Pairs: {rows} rows, in part-pairs.csv." in page and "<td" not in page
    assert len((tmp_path / "part-pairs.csv").read_text().splitlines()) == rows + 1


def test_other_files_stay_and_older_ones_are_replaced(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    for value in (1, 2):
        present.write(small(T={"x": [value]}), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"mine.txt", "index.html", "part-t.csv"}
    assert (tmp_path / "part-t.csv").read_text() == "x\n2\n"


def test_nothing_is_half_written(tmp_path, monkeypatch):
    present.write(small(T={"x": [1]}), tmp_path / "old")
    before = {path.name: path.read_bytes() for path in (tmp_path / "old").iterdir()}

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("wmtlib.study.report.single", full)
    for name in ("old", "new"):
        with pytest.raises(DataError, match=rf"{name}: cannot be written \(No space left") as error:
            present.write(small(T={"x": [2]}), tmp_path / name)
        assert len(str(error.value).splitlines()) == 1
    assert {path.name: path.read_bytes() for path in (tmp_path / "old").iterdir()} == before
    assert not (tmp_path / "new").exists()


def test_a_page_too_large_to_mail_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("wmtlib.study.report.LIMIT", 1000)
    with pytest.raises(DataError, match="fewer or smaller figures"):
        present.write(small(T={"x": [1]}), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_file_in_the_way_is_one_line(tmp_path):
    (tmp_path / "part-t.csv").mkdir()
    with pytest.raises(DataError, match=r"cannot be written \(part-t.csv is a folder\)"):
        present.write(small(T={"x": [1]}), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["part-t.csv"]
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="is no folder"):
        present.require_writable(tmp_path / "file" / "x")
    present.require_writable(tmp_path / "not" / "yet")
    assert not (tmp_path / "not").exists()


# --- figures ------------------------------------------------------------------------------------


def drawn(monkeypatch, drawing):
    """Draw and look at the figure before it becomes a picture."""
    seen = []

    def look(figure):
        figure.draw_without_rendering()
        seen.append([text for axes in figure.axes for text in _texts(axes)])
        return b"png"

    monkeypatch.setattr(figures, "png", look)
    assert present.draw(drawing) == b"png"
    return seen[0]


def _texts(axes):
    for part in (axes, *axes.child_axes):
        yield part.xaxis.label
        for axis in (part.xaxis, part.yaxis):
            yield from axis.get_ticklabels()


def test_names_are_no_mathematics_and_are_cut(monkeypatch, odd):
    drawings = [drawing for section in odd.sections for drawing in section.drawings]
    assert [drawing.plot for drawing in drawings] == ["bump", "heatmap", "rank_intervals"]
    for drawing in drawings:
        texts = drawn(monkeypatch, drawing)
        words = {text.get_text() for text in texts}
        assert "$\\frac{1}{x$" in words and not any(text.get_parse_math() for text in texts)
        assert f"{LONG[: present.LONGEST - 1]}…" in words and LONG not in words


def test_drawing_leaves_the_users_matplotlib_alone(odd):
    before = {**matplotlib.rcParams}
    image = present.draw(odd.sections[0].drawings[0])
    assert {**matplotlib.rcParams} == before and plt.get_fignums() == []
    assert Image.open(io.BytesIO(image)).format == "PNG"
    assert image == present.draw(odd.sections[0].drawings[0])


def test_an_infinite_perplexity_and_an_own_label_can_be_drawn(monkeypatch):
    table = pd.DataFrame({"model": ["m", "n"], "perplexity": [2.5, np.inf], "error": [0.1, np.nan]})
    texts = drawn(monkeypatch, Drawing("perplexities", (table,), (5, 2), "", "other"))
    assert {"m", "n", "other"} <= {text.get_text() for text in texts}
