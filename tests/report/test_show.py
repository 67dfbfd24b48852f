"""Answers on the terminal, as data, in a notebook, as a page, whatever the names."""

import base64
import csv
import json
import os
import re
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from IPython.core import display_functions
from matplotlib.backends.backend_agg import RendererAgg

import wmtlib
from examples import data_error
from wmtlib.core.errors import warning
from wmtlib.files.read import read
from wmtlib.report import columns, show
from wmtlib.report.answers import Answer, answer_ranking

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
    return answer_ranking(read(votes.assign(outcome="a")), minimum=1)


def small(**tables):
    sections = [
        show.Section(name, name, pd.DataFrame(columns))
        for name, columns in tables.items()
    ]
    about = {"Signature": "wmtlib rank|seed=0"}
    facts = {"file": "f.csv", "data": "0" * 64, "versions": {"wmtlib": "0"}}
    return Answer("Title", about, sections, facts=facts)


def test_as_text_names_every_system(odd):
    text = show.as_text(odd, full=True)
    assert all(name in text for name in NAMES[:-1]) and odd.about["Signature"] in text
    assert all(line == line.rstrip() for line in text.splitlines())
    *head, last = repr(odd).splitlines()
    assert head == show.as_text(odd).splitlines()[:-1]
    assert last.endswith(" More: .tables, .notes, .save(FILE)")


def test_printed_aligns_columns_of_wide_letters():
    table = pd.DataFrame({"system": ["系统", "abcdef"], "score": [-1e-9, 2.5]})
    assert show.printed(table).splitlines() == [
        "system  score",
        "系统   0.0000",  # each letter of two columns
        "abcdef 2.5000",
    ]
    numbers = pd.DataFrame({"p": [0.5, 1e-05], "name": ["1e", "e1"]})
    assert show.printed(numbers).splitlines() == [
        "    p name",
        "  0.5 1e",
        "1e-05 e1",
    ]
    ranking = table.assign(rank=["1", "~2"], cluster=[1, 2])[
        ["rank", *table, "cluster"]
    ]
    assert show.printed(ranking).splitlines() == [
        "rank system  score",
        "   1 系统   0.0000",
        "------------------",
        "  ~2 abcdef 2.5000",
    ]


def test_as_json_has_no_nan_and_keeps_every_digit():
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


def test_readable_writes_intervals_with_the_digits_of_their_width():
    table = pd.DataFrame(
        {
            "score": [1084.4, 1000.0, 930.6, 900.0],
            "score_low": [1009.1, 1000.0, np.nan, np.nan],
            "score_high": [1191.2, 1000.0, 990.2, np.nan],
        }
    )
    cells = columns.readable(table)  # an anchor, an open end, and no interval
    assert cells["score"].tolist() == ["1084", "1000", "931", "900"]
    assert cells["95 %"].tolist() == ["+107/-75", "", "+60/?", ""]
    shares = columns.readable(table / 1e4)
    assert shares["score"][0] == "0.1084" and shares["95 %"][0] == "+0.0107/-0.0075"


def test_as_text_has_five_warnings_and_counts_the_others():
    codes = ["other", "few_units", "dependent", *["repeated_rows"] * 4]
    lines = [warning(code, f"{code} {k}") for k, code in enumerate(codes)]
    answer = replace(small(T={"x": [1]}, methods={"x": [2]}), warnings=lines)
    for full, number in ((False, 5), (True, 7)):
        out = show.as_text(answer, full=full)
        assert out.count("Warning: ") == number
        assert ("2 more warnings\n" in out) == (not full)
        assert out.index("dependent 2") < out.index("few_units 1")
        assert ("\nmethods\n" in out) == full


# --- in a notebook, and as a page -----------------------------------------------------

OUR_PAGE = '<meta name="generator" content="wmtlib 0">'


@pytest.fixture
def page(odd, tmp_path, monkeypatch):
    monkeypatch.setattr(show.Picture, "draw", lambda picture, kind: b"<svg></svg>")
    odd.save(tmp_path / "page.html")
    return (tmp_path / "page.html").read_text("utf-8")


def test_page_is_whole_and_inert(page, odd):
    assert page.count("<script") == 1 and "http" not in page
    assert "<b>&</b>" not in page and "&lt;b&gt;&amp;" in page
    assert page.count("<img alt=") == 2
    assert odd.about["Signature"].replace("&", "&amp;") in page
    assert page.startswith("<!doctype html>") and page.endswith("</html>\n")


def test_page_has_the_ranking_as_csv_without_formulas_and_with_every_digit(page, odd):
    (data,) = re.findall(
        "download='ranking.csv' href='data:text/csv;base64,(.*?)'", page
    )
    rows = [*csv.DictReader(base64.b64decode(data).decode().splitlines())]
    for row in rows:
        assert not any(cell.startswith(("=", "+", "@", "\t")) for cell in row.values())
    assert "'=cmd()|' /C calc'!A0" in [row["system"] for row in rows]
    scores = odd.tables["ranking"]["score"].tolist()
    assert [float(row["score"]) for row in rows] == scores


def test_page_of_tasks_has_ranks_in_every_task_and_all_answers(tmp_path):
    tasks = {"<de>": ["x", "y"], "fr": ["z", "x"]}
    answers = [
        replace(ranking_of(*names), facts={**small(T={}).facts, "task": task})
        for task, names in tasks.items()
    ]
    path = tmp_path / "page.html"
    show.write_page(answers, path)
    page = path.read_text("utf-8")
    (ranks,) = re.findall("(?s)Ranks in every task.*?</table>", page)
    cells = re.findall("<t[hd] [^>]*>(.*?)</t[hd]>", ranks)
    assert cells[:3] == ["system", "&lt;de&gt;", "fr"]
    assert "".join(cells[3:]) == "x12y2z1"
    assert page.index("Ranks in every task") < page.index("<h2 id='task-1'>&lt;de&gt;<")
    assert page.count("download='ranking.csv'") == page.count("#task-") == 2


def test_page_shows_a_name_of_a_file_that_is_no_unicode(tmp_path):
    answer = small(T={"a": [1]})
    named = replace(answer, facts={**answer.facts, "file": "bad\udcff.csv"})
    named.save(tmp_path / "page.html")
    assert r"bad\udcff.csv" in (tmp_path / "page.html").read_text("utf-8")


def test_write_page_replaces_a_page_of_ours_alone(tmp_path):
    answer = small(T={"x": [1]})
    path = tmp_path / "page.html"
    for text in ("", "mine", f"{'x' * 2000}{OUR_PAGE}", "caf\xe9"):
        path.write_text(text, "latin-1")
        with data_error("page.html: is no page of wmtlib; choose another name"):
            answer.save(path)
        assert path.read_text("latin-1") == text
    path.write_text(OUR_PAGE)
    answer.save(path)
    written = path.read_text("utf-8")
    answer.save(path)
    assert path.read_text("utf-8") == written != OUR_PAGE
    link = tmp_path / "latest.html"
    link.symlink_to(path)
    small(T={"x": [2]}).save(link)
    assert link.is_symlink() and path.read_text("utf-8") != written
    assert {file.name for file in tmp_path.iterdir()} == {"page.html", "latest.html"}


def test_require_page_refuses_what_cannot_be_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "nowhere").symlink_to(tmp_path / "missing")
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "zero", "nowhere", "pipe"):
        with data_error(f"{name}: is no page of wmtlib; choose another name"):
            show.require_page(tmp_path / name)
    (tmp_path / "file").write_text("")
    for folder in ("file", "missing"):
        with data_error(f"{tmp_path / folder} is not a folder, or is protected"):
            show.require_page(tmp_path / folder / "page.html")
    for name in ("a.json", "a", "html"):
        with data_error(f"{name}: is to be a page; choose a name that ends with .html"):
            small(T={"x": [1]}).save(tmp_path / name)
        assert not (tmp_path / name).exists()
    for name in ("new.html", "NEW.HTM"):
        show.require_page(tmp_path / name)


@pytest.mark.parametrize("fault", [KeyboardInterrupt, OSError(28, "No space left")])
@pytest.mark.parametrize("step", ["write_bytes", "replace"])
def test_write_page_is_whole_or_not_at_all(tmp_path, monkeypatch, step, fault):
    path = tmp_path / "page.html"
    small(T={"x": [1]}).save(path)
    before = path.read_bytes()

    def interrupted(path, _):
        path.touch()
        raise fault

    monkeypatch.setattr(Path, step, interrupted)
    with pytest.raises((KeyboardInterrupt, wmtlib.DataError)):
        small(T={"x": [2]}).save(path)
    assert [*tmp_path.iterdir()] == [path] and path.read_bytes() == before


def test_notebook_shows_the_sentence_first_and_each_warning_once_and_last(
    monkeypatch, odd
):
    shown = []
    monkeypatch.setattr(display_functions, "display", shown.append)
    monkeypatch.setattr("IPython.display.display", shown.append)
    monkeypatch.setattr(show.Picture, "draw", lambda picture, kind: b"\x89PNG\r\n")
    lines = [warning("few_units", "three <units>"), warning("dependent", "alike")]
    replace(odd, warnings=lines)._ipython_display_()
    first, *_, last = [part.data for part in shown]
    sentence = odd.sentence.replace("&", "&amp;").replace("<", "&lt;")
    assert first.startswith(f"<p><b>{sentence[:20]}")
    assert "Warning" not in first and "Pairs: " not in first
    assert last.count("Warning:") == 2 and "three &lt;units&gt;" in last
    assert replace(odd, warnings=lines)._repr_html_().endswith(last)


def test_table_as_html_has_lines_between_clusters_and_sides():
    table = pd.DataFrame(
        {"rank": [1, 2, 3], "system": ["<x>", "y", "z"], "cluster": [1, 2, 2]}
    )
    html = show.table_as_html(table, "a < b")
    first, *others = html.split("<tbody>\n")[1].split("\n")[:3]
    assert first.startswith("<tr style='border-bottom: 2px solid'>")
    assert all(row.startswith("<tr><td") for row in others)
    assert "<td style='text-align: right'>1</td>" in first
    assert "<td style='text-align: left'>&lt;x&gt;</td>" in first
    assert "a &lt; b</caption>" in html and "cluster" not in html


# --- pictures -------------------------------------------------------------------------


def test_draw_makes_few_renderers_and_the_same_bytes(monkeypatch):
    made = []
    plain = RendererAgg.__init__

    def counting(renderer, *arguments):
        made.append(arguments)
        plain(renderer, *arguments)

    monkeypatch.setattr(RendererAgg, "__init__", counting)
    names = [f"system-{k}" for k in range(7)]
    votes = pd.DataFrame([*pairwise(names)], columns=["a", "b"])
    counts = wmtlib.count(votes.assign(outcome="a"))
    picture = show.Picture("heatmap", "", (counts, names), (5, 5))
    for kind in ("png", "svg"):
        made.clear()
        drawn = picture.draw(kind)
        assert len(made) < 6
        assert drawn == picture.draw(kind)


@pytest.mark.parametrize("number", [40, 41])
def test_answer_ranking_draws_pairs_of_at_most_forty_systems(number):
    names = [f"system-{k:02d}" for k in range(number)]
    votes = pd.DataFrame([*pairwise(names)] * 3, columns=["a", "b"])
    judgements = read(votes.assign(outcome="a"))
    answer = answer_ranking(judgements, ["net-wins"])
    drawn = [picture.name for picture in answer.pictures]
    assert ("heatmap" in drawn) == (number <= 40)


# --- the ranking alone ----------------------------------------------------------------


def ranking_of(*names):
    return small(ranking={"system": names, "rank": [*range(1, len(names) + 1)]})


@pytest.mark.parametrize(
    "name, escaped",
    [
        ("a|b", r"a\|b"),
        ("*x* _y_ `z`", r"\*x\* \_y\_ \`z\`"),
        ("[x](javascript:alert(1))", r"\[x\](javascript:alert(1))"),
        ("![p](http://e.example/p.png)", r"\!\[p\](http\://e.example/p.png)"),
        ("https://e.example", r"https\://e.example"),
        ("HTTP://e.example", r"HTTP\://e.example"),
        ("www.e.example", r"www\.e.example"),
        ("<img src=x>", r"\<img src=x\>"),
        ("a & b &lt;", r"a \& b \&lt;"),
        ("a\\|b", r"a\\\|b"),
        ("~~x~~ $y$", r"\~\~x\~\~ \$y\$"),
        ("GPT-4.1 (mini)", "GPT-4.1 (mini)"),
    ],
)
def test_ranking_as_markdown_escapes_links_and_emphasis(name, escaped):
    head, rule, row = show.ranking_as([ranking_of(name)], "markdown").splitlines()
    assert head.split() == ["|", "system", "|", "rank", "|"]
    assert re.fullmatch(r"\|:-+\|-+:\|", rule)
    assert re.fullmatch(rf"\| {re.escape(escaped)} +\| +1 \|", row)


@pytest.mark.parametrize(
    "name, escaped",
    [
        ("50 % & #1_a", r"50 \% \& \#1\_a"),
        ("$x^2$ {y}", r"\$x\^{}2\$ \{y\}"),
        (r"\input{f}", r"\textbackslash{}input\{f\}"),
        ("a~ b<", r"a\textasciitilde{} b\ensuremath{<}"),
        ("a--b", "a-{}-b"),
        ("[2ex] x", "{}[2ex] x"),
        ("*x", "{}*x"),
        ("a[b]*", "a[b]*"),
        ("系统 é", "系统 é"),
    ],
)
def test_ranking_as_latex_escapes_and_has_rules_of_booktabs(name, escaped):
    answer = ranking_of(name)
    begin, top, head, middle, row, *end = show.ranking_as([answer], "latex").split("\n")
    assert [begin, top, middle] == [r"\begin{tabular}{lr}", r"\toprule", r"\midrule"]
    assert head.split() == ["system", "&", "rank", r"\\"]
    assert [*map(str.strip, row.split(" & "))] == [escaped, r"1 \\"]
    assert end == [r"\bottomrule", r"\end{tabular}"]


def test_ranking_as_with_the_task_has_the_rows_of_all_tasks():
    answers = [
        replace(ranking_of(*names), facts={"task": task})
        for task, names in (("de", "xy"), ("fr", "z"))
    ]
    text = show.ranking_as(answers, "csv", with_task=True)
    rows = [row[:3] for row in csv.reader(text.splitlines())]
    assert rows[0] == ["task", "system", "rank"]
    assert rows[1:] == [["de", "x", "1"], ["de", "y", "2"], ["fr", "z", "1"]]
    text = show.ranking_as(answers, "markdown", with_task=True)
    assert text.split()[:6] == ["|", "task", "|", "system", "|", "rank"]
    assert len(text.splitlines()) == 5


@pytest.mark.parametrize("sign", [*"=+-@＝＋－＠﹢﹣﹦﹫"])
def test_ranking_as_csv_begins_no_formula_for_any_delimiter(sign):
    names = [f"{sign}cmd()", f"x;{sign}cmd()", f"x; {sign}c", f" {sign}c", f"x{sign}c"]
    text = show.ranking_as([ranking_of(*names)], "csv")
    for delimiter in ",;\t":
        for row in csv.reader(text.splitlines(), delimiter=delimiter):
            assert not [cell for cell in row if cell.strip().startswith(sign)]
    assert f"x{sign}c" in text


def test_safe_cell_keeps_different_names_different():
    signs = ["", "'", "=", ";", " "]
    names = ["".join(some) + "x" for some in product(signs, repeat=4)]
    names = [*dict.fromkeys(names)]
    written = [show.safe_cell(name) for name in names]
    assert len({*written}) == len(names)
    assert (show.safe_cell("=x"), show.safe_cell("'=x")) == ("'=x", "''=x")
