"""Answers on the terminal, as JSON and in a folder, whatever the names in them."""

import csv
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import RendererAgg
from PIL import Image

import wmtlib
from examples import data_error
from wmtlib.cli import main
from wmtlib.core.errors import warning
from wmtlib.files.read import read
from wmtlib.report import show
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


def test_print_answer_names_every_system(odd, capsys):
    show.print_answer(odd, full=True)
    out = capsys.readouterr().out
    assert all(name in out for name in NAMES[:-1]) and odd.about["Signature"] in out
    assert all(line == line.rstrip() for line in out.splitlines())


def test_printed_aligns_columns_of_wide_letters():
    table = pd.DataFrame({"system": ["系统", "abcdef"], "score": [-1e-9, 2.5]})
    assert show.printed(table).splitlines() == [
        "system  score",
        "系统   0.0000",  # each letter of two columns
        "abcdef 2.5000",
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
    cells = show.readable(table)  # an anchor, an open end, and no interval
    assert cells["score"].tolist() == ["1084", "1000", "931", "900"]
    assert cells["95 %"].tolist() == ["+107/-75", "", "+60/?", ""]
    shares = show.readable(table / 1e4)
    assert shares["score"][0] == "0.1084" and shares["95 %"][0] == "+0.0107/-0.0075"


def test_print_answer_prints_five_warnings_and_counts_the_others(capsys):
    codes = ["other", "few_units", "dependent", *["repeated_rows"] * 4]
    lines = [warning(code, f"{code} {k}") for k, code in enumerate(codes)]
    answer = replace(small(T={"x": [1]}, methods={"x": [2]}), warnings=lines)
    for full, number in ((False, 5), (True, 7)):
        show.print_answer(answer, full=full)
        out = capsys.readouterr().out
        assert out.count("Warning: ") == number
        assert ("2 more warnings with --full" in out) == (not full)
        assert out.index("dependent 2") < out.index("few_units 1")
        assert ("\nmethods\n" in out) == full


# --- a folder -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory, odd):
    path = tmp_path_factory.mktemp("out") / "new" / "folder"
    assert show.write_answer(odd, path) == path / "index.html"
    return path


def test_write_answer_writes_every_table_and_picture(folder, odd):
    names = {path.name for path in folder.iterdir()}
    drawn = {f"{p}.{kind}" for p in ("intervals", "heatmap") for kind in ("png", "svg")}
    tables = {f"{key}.csv" for key in odd.tables}
    texts = {"ranking.md", "ranking.html", "ranking.tex", "index.html"}
    assert names == drawn | tables | texts
    for path in folder.glob("*.png"):
        with Image.open(path) as picture:
            assert min(picture.size) > 300


def test_csv_files_hold_no_formulas_and_every_digit(folder, odd):
    for path in folder.glob("*.csv"):
        cells = pd.read_csv(path, dtype=str, keep_default_na=False)
        for cell in [*cells.columns, *cells.to_numpy().ravel()]:
            assert not cell.startswith(("=", "+", "@", "\t")), path
    table = pd.read_csv(folder / "ranking.csv")
    assert "'=cmd()|' /C calc'!A0" in set(table["system"])
    assert table["score"].tolist() == odd.tables["ranking"]["score"].tolist()


def test_page_is_whole_and_inert(folder, odd):
    page = (folder / "index.html").read_text()
    assert page.count("<script") == 1 and "http" not in page.split("<svg")[0]
    assert "<b>&</b>" not in page and "&lt;b&gt;&amp;" in page
    assert page.count("<svg role='img' aria-label=") == 2 and "$" in page
    assert odd.about["Signature"].replace("&", "&amp;") in page


def test_page_shows_a_name_of_a_file_that_is_no_unicode(tmp_path):
    answer = small(T={"a": [1]})
    named = replace(answer, facts={**answer.facts, "file": "bad\udcff.csv"})
    page = show.write_answer(named, tmp_path).read_text("utf-8")
    assert r"bad\udcff.csv" in page


def test_write_answer_replaces_its_files_and_leaves_others(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    for value in (1, 2):
        show.write_answer(small(t={"x": [value]}), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        "mine.txt",
        "index.html",
        "t.csv",
    }
    assert (tmp_path / "t.csv").read_text() == "x\n2\n"


def test_write_answers_refuses_what_is_no_file_before_writing(tmp_path):
    answer = small(a={"x": [1]}, t={"x": [1]})
    for number, name in enumerate(["t.csv", "index.html"] * 3):
        out = tmp_path / f"{number}"
        out.mkdir()
        (out / "a.csv").write_text("mine")
        if number < 2:
            (out / name).mkdir()
        elif number < 4:
            os.mkfifo(out / name)
        else:
            (out / name).symlink_to("/dev/zero")
        for force in (True, False):
            with data_error("is no file that can be replaced; move it away"):
                show.write_answers([answer], out, several=False, force=force)
        assert {path.name for path in out.iterdir()} == {"a.csv", name}
        assert (out / "a.csv").read_text() == "mine"


def test_write_answers_does_not_read_a_pipe(tmp_path):
    (tmp_path / "sub").mkdir()
    os.mkfifo(tmp_path / "sub" / "index.html")
    with data_error("holds another analysis"):
        show.write_answers([small(t={})], tmp_path, several=False, force=False)


def test_require_writable_refuses_a_folder_below_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    with data_error("is not a folder"):
        show.require_writable(tmp_path / "file" / "x")
    show.require_writable(tmp_path / "not" / "yet")
    with data_error("cannot be written"):
        show.write_answer(small(t={"x": [1]}), tmp_path / "file")


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("fault", [KeyboardInterrupt, OSError(28, "No space left")])
def test_write_answer_restores_the_folder_after_an_interruption(
    tmp_path, monkeypatch, fault
):
    """Three files move away and four come: every move fails once, before or after."""
    show.write_answer(small(a={"x": [1]}, b={"x": [1]}), tmp_path)
    (tmp_path / "mine.txt").write_text("mine")
    before = contents(tmp_path)
    new = small(a={"x": [2]}, b={"x": [2]}, c={"x": [2]})
    move = Path.replace
    for failing in range(7):
        for is_done in (False, True):
            moves = []

            def interrupted(path, target, moves=moves, n=failing, done=is_done):
                moves.append(path)
                if done or len(moves) != n + 1:
                    move(path, target)
                if len(moves) == n + 1:
                    raise fault

            monkeypatch.setattr(Path, "replace", interrupted)
            with pytest.raises((KeyboardInterrupt, ValueError)):
                show.write_answer(new, tmp_path)
            assert len(moves) > failing and contents(tmp_path) == before
    monkeypatch.setattr(Path, "replace", move)
    show.write_answer(new, tmp_path)
    after = contents(tmp_path)
    assert after["a.csv"] == after["b.csv"] == after["c.csv"] == b"x\n2\n"
    assert after["index.html"] != before["index.html"]


def test_write_answer_killed_leaves_no_page_above_other_tables(tmp_path, monkeypatch):
    """As after `kill -9` at each move: nothing is put back."""
    old = small(a={"x": [1]}, b={"x": [1]})
    new = small(a={"x": [2]}, b={"x": [2]})
    move = Path.replace
    shown = set()
    for killed in range(7):
        out = tmp_path / f"{killed}"
        show.write_answer(old, out)
        pages = [(out / "index.html").read_bytes()]
        moves = []

        def killing(path, target, moves=moves, n=killed):
            moves.append(path)
            if len(moves) <= n:
                move(path, target)

        monkeypatch.setattr(Path, "replace", killing)
        monkeypatch.setattr(show.shutil, "rmtree", lambda path: None)
        show.write_answer(new, out)
        monkeypatch.undo()
        numbers = {path.read_text() for path in out.glob("*.csv")}
        if (out / "index.html").exists():
            is_old = (out / "index.html").read_bytes() in pages
            assert numbers == ({"x\n1\n"} if is_old else {"x\n2\n"})
            shown.add(is_old)
    assert shown == {True, False}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_rank_stopped_by_a_signal_leaves_the_old_answer(tmp_path, number):
    votes = tmp_path / "votes.csv"
    votes.write_text("a,b,winner\n" + "x,y,x\ny,z,y\n" * 9)
    line = ["rank", str(votes), "--out", str(tmp_path / "out"), "--method"]
    assert main([*line, "net-wins"]) == 0
    before = contents(tmp_path / "out")
    script = f"""
import os, signal, sys
from pathlib import Path
from wmtlib.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored after a shell's &
move = Path.replace
def stopped(path, target):
    move(path, target)
    if Path(target).name == "methods.csv" and Path(path).name.isdigit():
        os.kill(os.getpid(), {int(number)})
Path.replace = stopped
sys.exit(main({[*line, "soccer", "--force"]!r}))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True)
    assert (done.returncode, done.stderr) == (130, b"wmtlib: interrupted\n")
    assert contents(tmp_path / "out") == before


# --- pictures -------------------------------------------------------------------------


def test_files_of_makes_few_renderers_and_the_same_bytes(monkeypatch):
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
    files = show.files_of(picture, dpi=50)
    assert len(made) < 6
    assert files == show.files_of(picture, dpi=50)


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
    assert show.ranking_as(ranking_of(name), "markdown").splitlines() == [
        "| system | rank |",
        "| --- | --- |",
        f"| {escaped} | 1 |",
    ]


@pytest.mark.parametrize(
    "name, escaped",
    [
        ("50 % & #1_a", r"50 \% \& \#1\_a"),
        ("$x^2$ {y}", r"\$x\textasciicircum 2\$ \{y\}"),
        (r"\input{f}", r"\textbackslash input\{f\}"),
        ("a\\ b~ c^ d", r"a\textbackslash \space b\textasciitilde \space c"
         r"\textasciicircum \space d"),
        ("^^41", r"\textasciicircum \textasciicircum 41"),
        ("a–b", "a--b"),
        ("a--b", "a-{}-b"),
        ("[2ex] x", "{[}2ex] x"),
        ("*x", "{*}x"),
        ("a[b]*", "a[b]*"),
        ("系统 é", "系统 é"),
    ],
)  # fmt: skip
def test_ranking_as_latex_escapes_and_has_rules_of_booktabs(name, escaped):
    assert show.ranking_as(ranking_of(name), "latex").splitlines() == [
        r"\begin{tabular}{ll}",
        r"\toprule",
        r"system & rank \\",
        r"\midrule",
        rf"{escaped} & 1 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_ranking_as_latex_equals_pandas():
    pytest.importorskip("jinja2")
    names = ["a_b & c", "50%~ #{x}", "\\ \\x^ y^2", "$"]
    table = pd.DataFrame({"system": names, "rank": ["1", "2", "3", "4"]})
    style = table.style.hide(axis="index").format(escape="latex")
    expected = style.to_latex(hrules=True).rstrip()
    assert show.ranking_as(ranking_of(*names), "latex") == expected


def test_ranking_as_latex_needs_no_jinja2(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    answer = ranking_of("x")
    assert r"\toprule" in show.ranking_as(answer, "latex")
    assert "ranking.tex" in show.files_of_answer(answer)


@pytest.mark.parametrize("sign", [*"=+-@＝＋－＠﹢﹣﹦﹫"])
def test_ranking_as_csv_begins_no_formula_for_any_delimiter(sign):
    names = [f"{sign}cmd()", f"x;{sign}cmd()", f"x; {sign}c", f" {sign}c", f"x{sign}c"]
    text = show.ranking_as(ranking_of(*names), "csv")
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
