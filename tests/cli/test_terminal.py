"""Answers on the terminal, whatever the names in them."""

import re

import numpy as np
import pandas as pd
import pytest
from odd_names import NAMES, odd_answer, small_answer

from wmtlib.yours.cli import terminal


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    return odd_answer(tmp_path_factory.mktemp("odd"))


def printed(capsys, answer):
    terminal.show(answer)
    return capsys.readouterr().out


def test_a_pipe_gets_whole_plain_text(capsys, monkeypatch, odd):
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "40")
    text = printed(capsys, odd)
    assert "\x1b" not in text and text.count("…") <= 2  # the order, a cluster
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
    assert all(len(line) <= 80 for line in plain.splitlines()[:-1])  # the signature is whole
    assert "[red]x[/red]" in plain and ":smile:" in plain
    assert re.search("^L+…L+ ", plain, re.M) and re.search("^L+…L+M ", plain, re.M)
    score = odd.sections[0].tables["Ranking"]["score"].iloc[0]
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
    text = printed(capsys, small_answer(Models=table))
    assert text.splitlines()[3:6] == [
        "model  perplexity        p  changed   score  best_rank",
        "m           2.346  0.00012  yes      0.3333          1",
        "n             inf           no",
    ]
    assert "Warning: Mind!" in text


def test_lines_below_clusters_and_disagreements_are_marked(capsys):
    clusters = {"system": ["x", "y"], "line": [True, False], "wins": [1, 0]}
    ranks = {"system": ["x", "y"], "one": [1, 2], "two": [1, 1], "range": [0, 1]}
    text = printed(capsys, small_answer(Ranks=ranks, Clusters=clusters))
    assert "[Clusters]\nsystem  wins\nx          1\n------  ----\ny          0\n" in text
    assert "[Ranks]\nsystem  one  two  range\nx         1    1    0\n" in text
    assert "\ny         2    1    1 <\n" in text


def test_narrow_terminals_get_numbers_for_headings_and_columns_below(capsys, monkeypatch):
    for name, value in {"FORCE_COLOR": "1", "NO_COLOR": "1", "COLUMNS": "40"}.items():
        monkeypatch.setenv(name, value)
    methods = {f"method-{k}": ["10–12", "1"] for k in range(1, 6)}
    table = {"system": ["the name of a large system", "系统" * 7], **methods}
    text = printed(capsys, small_answer(Ranks=table, Other={"name": ["x"], "note": ["ok " * 30]}))
    shown = text.splitlines()[text.splitlines().index("[Ranks]") + 1 :][:13]
    assert shown == [
        "system                  [1]    [2]",
        "the name o…ge system  10–12  10–12",
        "系统系统系…系统系统       1      1",
        "",
        "system                  [3]    [4]",
        "the name o…ge system  10–12  10–12",
        "系统系统系…系统系统       1      1",
        "",
        "system                  [5]",
        "the name o…ge system  10–12",
        "系统系统系…系统系统       1",
        "[1] method-1, [2] method-2, [3]",
        "method-3, [4] method-4, [5] method-5",
    ]
    assert all(len(line) <= 40 for line in text.splitlines())


def test_names_are_cut_to_half_of_a_narrow_terminal_and_never_broken(capsys, monkeypatch):
    for name, value in {"FORCE_COLOR": "1", "NO_COLOR": "1", "COLUMNS": "60"}.items():
        monkeypatch.setenv(name, value)
    names = [f"newstest2016.{k}-nmt.4313.de-en" for k in ("uedin", "kit")]
    methods = {f"method-{k}": ["1", "2"] for k in range(1, 15)}
    clusters = {"cluster": [1], "systems": [f"{names[0]}, {names[1]}, a-very-{'long-' * 12}name"]}
    text = printed(capsys, small_answer(Ranks={"system": names, **methods}, Clusters=clusters))
    assert text.count("newstest2016.ue…nmt.4313.de-en") == 3  # in three blocks
    for name in names:
        assert any(line.endswith(f" {name},") for line in text.splitlines())
    assert "a-very-long-" in text and "…" in text and max(map(len, text.splitlines())) <= 60


def test_details_are_not_printed(capsys):
    text = printed(capsys, small_answer(["Pairs"], Pairs={"hidden": [1]}, Ranks={"seen": [1]}))
    assert "hidden" not in text and "seen" in text


def test_progress_is_for_terminals(capsys, monkeypatch):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    with terminal.ProgressLine() as say:
        say("[red]reading")
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("FORCE_COLOR", "1")
    with terminal.ProgressLine() as say:
        say("[red]reading \x1b]0;")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "\r\x1b[K[red]reading ?]0; (0 s)\r\x1b[K"


def test_progress_estimates_from_the_share_that_is_done(capsys, monkeypatch):
    """3 s for reading, then 6 s for a fifth of the resamples: 24 s are left."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    clock = [0.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: clock[0])
    with terminal.ProgressLine() as say:
        say("reading")
        clock[0] = 3.0
        say("resampling")
        clock[0] = 9.0
        say("resampling", 0.2)
        say._say()
    assert "resampling (9 s, about 24 s left)" in capsys.readouterr().err
