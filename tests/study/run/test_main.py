"""The steps that make calls: data, parameters, scores, the verdict."""

import os
import subprocess
import sys

import nbformat
import pandas as pd
import pytest
import yaml
from nbformat.v4 import new_code_cell, new_notebook

from examples import data_error
from study.data import sources
from study.data.sources import Source
from study.run import __main__ as run
from study.run import plan
from study.scoreboard import published
from wmtlib.core.errors import DataUnavailable

ROW = {"paper": "lopez2012", "item": "table-1", "quantity": "tasks", "criterion": ""}
ROW |= {"published": "25", "reproduced": "24", "reason": "", "status": "unexplained"}
PARAMETERS = {"10-work": "seed = 1\ntask = 'de-en'", "11-other": "task = 'fr-en'"}


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """Make a folder with two notebooks in place of the repository."""
    (tmp_path / "notebooks").mkdir()
    for name, source in PARAMETERS.items():
        cell = new_code_cell(source, id="a", metadata={"tags": ["parameters"]})
        kernel = {"name": "python3", "language": "python", "display_name": "Python 3"}
        notebook = new_notebook(cells=[cell], metadata={"kernelspec": kernel})
        nbformat.write(notebook, tmp_path / "notebooks" / f"{name}.ipynb")
    for module in (run, plan):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    (tmp_path / "requirements.lock").write_text("")
    monkeypatch.setenv("WMTLIB_SOURCE", "embedded")
    for name in ("FORCE", "PARAMS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.parametrize("status, code", [("unexplained", 1), ("exact", 0)])
def test_verdict_fails_on_an_unexplained_row_and_names_it(
    checkout, monkeypatch, capsys, status, code
):
    board = pd.DataFrame([ROW | {"status": status}])
    monkeypatch.setattr(run.scoreboard, "join_scoreboards", lambda folder: board)
    assert run.verdict() == code
    printed = capsys.readouterr()
    assert f"Numbers: 1 {status}" in printed.out
    named = "UNEXPLAINED lopez2012 table-1, tasks: published 25, reproduced 24"
    assert (named in printed.err) == bool(code)


# In place of make: fails if none of its open files is the lock.
HOLDS_THE_LOCK = """
import os
from contextlib import suppress

lock = os.stat("build/lock").st_ino
for number in range(3, 100):
    with suppress(OSError):
        if os.fstat(number).st_ino == lock:
            raise SystemExit(0)
raise SystemExit(1)
"""
EMBEDDED = Source("embedded", "abc", notice="no network")


def test_prepare_removes_notebooks_of_lost_files_and_says_what_will_run(
    checkout, capsys
):
    output = checkout / "output"
    run.prepare(EMBEDDED, 2, "finished")
    for name in PARAMETERS:
        for file in (f"written/{name}.txt", f"notebooks/{name}.ipynb"):
            (output / file).parent.mkdir(exist_ok=True)
            (output / file).write_text("")
    (output / "scored").write_text("")
    (output / "results").mkdir()
    (output / "results" / "scoreboard.csv").write_text("")
    rows = [
        ("results/lost.csv", "10-work", "x"),
        ("results/scoreboard.csv", "", "other"),
    ]
    manifest = pd.DataFrame(rows, columns=["file", "notebook", "sha256"])
    manifest.to_csv(output / "results" / "manifest.csv", index=False)
    capsys.readouterr()
    words = run.prepare(EMBEDDED, 2, "finished")
    said = capsys.readouterr()
    assert {path.stem for path in (output / "notebooks").iterdir()} == {"11-other"}
    assert not (output / "scored").exists()
    assert words == ["OUT=output", "COMMIT=", "NOTEBOOKS=10-work:11-other"]
    assert said.err.startswith("Data: embedded (embedded data, hash abc)\n")
    assert "because no network\n" in said.err and "Notebooks: 1 to run" in said.err


def test_prepare_names_the_notebooks_of_a_check_and_none_for_the_book(
    checkout, monkeypatch, capsys
):
    monkeypatch.setattr(published, "notebooks", lambda: ["11-other"])
    assert run.prepare(EMBEDDED, 2, "checked")[-1] == "NOTEBOOKS=11-other"
    executed = checkout / "output" / "notebooks" / "11-other.ipynb"
    executed.parent.mkdir(parents=True)
    executed.write_text("of an earlier run")
    run.prepare(EMBEDDED, 2, "book")
    assert executed.exists()


@pytest.fixture
def make(checkout):
    """Write a program in place of make, which shows what it is called with."""
    program = checkout / "make"
    program.write_text('#!/bin/sh\necho "$@" $WMTLIB_SOURCE $WMTLIB_OUTPUT > called\n')
    program.chmod(0o755)
    return str(program)


@pytest.mark.parametrize("folder", ["", "build/check"])
def test_start_calls_make_with_the_answer(checkout, make, monkeypatch, folder):
    monkeypatch.chdir(checkout)
    monkeypatch.setattr(published, "notebooks", lambda: ["11-other"])
    assert run.main("start", "auto", folder, "3", make, "checked") == 0
    called = (checkout / "called").read_text().split()
    output = folder or "output"
    flags = ["--no-print-directory", "--keep-going", "--jobs=3", "checked"]
    assert called[:4] == flags and called[4].startswith("STARTED=")
    words = [f"OUT={output}", "COMMIT=", "NOTEBOOKS=11-other", "embedded"]
    assert called[5:] == [*words, str(checkout / output)]


def test_start_refuses_a_parameter_before_it_looks_for_data(
    checkout, make, monkeypatch, capsys
):
    (checkout / "mine.yml").write_text("sede: 7\n")
    monkeypatch.setenv("PARAMS", str(checkout / "mine.yml"))
    assert run.main("start", "moon", "build/mine", "3", make, "finished") == 2
    assert "no parameter 'sede'; there are seed, task" in capsys.readouterr().err


def test_start_ends_with_the_exit_code_of_make(checkout, capsys):
    assert run.main("start", "auto", "", "1", "false", "finished") == 1


def test_second_run_in_a_folder_is_refused_until_the_first_has_ended(
    checkout, make, capsys
):
    with run.lock_clone() as lock:
        child = subprocess.Popen(
            [sys.executable, "-c", "input()"],
            stdin=subprocess.PIPE,
            pass_fds=[lock.fileno()],
        )  # what the first run has started goes on when that is killed
    assert run.main("start", "auto", "", "1", make, "finished") == 2
    said = capsys.readouterr().err
    assert said == (
        "wmtlib: make is running notebooks in this folder already"
        f" (process {os.getpid()}); wait until it has ended\n"
    )
    child.communicate(b"\n")
    run.lock_clone().close()


def test_make_holds_the_lock_whatever_ends_the_step_that_called_it(
    checkout, monkeypatch
):
    monkeypatch.chdir(checkout)
    program = checkout / "make"
    program.write_text(f"#!{sys.executable}\n{HOLDS_THE_LOCK}")
    program.chmod(0o755)
    assert run.main("start", "auto", "", "1", str(program), "finished") == 0


def test_main_refuses_an_unknown_route_in_one_line(checkout, make, capsys, monkeypatch):
    monkeypatch.delenv("WMTLIB_SOURCE")
    assert run.main("start", "moon", "", "1", make, "finished") == 2
    assert "wmtlib: source is 'moon'; expected" in capsys.readouterr().err


@pytest.mark.parametrize(
    "route, there, waits",
    [
        ("auto", ["mirror"], False),
        ("auto", ["download"], True),
        ("auto", ["embedded"], True),
        ("download", ["download"], True),
        ("mirror", ["mirror"], False),
        ("embedded", ["embedded"], False),
    ],
)
def test_find_data_says_so_before_it_looks_on_the_network(
    monkeypatch, capsys, route, there, waits
):
    asked = []

    def resolve(wanted, campaigns):
        """Find the route that is there; look at what was said before."""
        asked.append((wanted, capsys.readouterr().err))
        if wanted in ("auto", *there):
            return Source(there[0], "abc")
        raise DataUnavailable("not there")

    monkeypatch.setattr(sources, "resolve", resolve)
    assert run.find_data(route).route == there[0]
    assert asked[-1][1] == (f"{run.NETWORK}\n" if waits else "")


def test_check_parameters_refuses_an_unknown_name(checkout, capsys):
    file = checkout / "mine.yml"
    file.write_text("seed: 7\n")
    run.check_parameters(file)
    run.check_parameters(file, "10-work")
    with data_error("no parameter 'seed'; there are task"):
        run.check_parameters(file, "11-other")
    file.write_text("sede: 7\n")
    with data_error("no parameter 'sede'; there are seed, task"):
        run.check_parameters(file)


@pytest.mark.parametrize(
    "text, message",
    [("seed", "expected a line NAME: VALUE"), ("a: [1", "mine.yml: while parsing")],
)
def test_check_parameters_refuses_a_file_of_another_form(checkout, text, message):
    (checkout / "mine.yml").write_text(text)
    with data_error(message):
        run.check_parameters(checkout / "mine.yml")


@pytest.mark.parametrize(
    "text, expected",
    [
        ("", None),
        ("campaign=wmt12 task=cs-en", {"campaign": "wmt12", "task": "cs-en"}),
        ("path='my file.csv' scale=5,1", {"path": "my file.csv", "scale": "5,1"}),
        ('out="a=b" seed=7 all=true', {"out": "a=b", "seed": 7, "all": True}),
        ("systems=[x,y] out=", {"systems": ["x", "y"], "out": None}),
        ("path='a`touch x`$(touch y);' n=1", {"path": "a`touch x`$(touch y);", "n": 1}),
    ],
)
def test_typed_parameters_are_words_as_of_a_shell_and_values_of_yaml(text, expected):
    assert yaml.safe_load(run.typed_parameters(text)) == expected


@pytest.mark.parametrize("text", ["seed", "=7", "se-ed=7", "seed='7", "a=1 b"])
def test_typed_parameters_refuses_another_form(text):
    with data_error("^P="):
        run.typed_parameters(text)


@pytest.mark.parametrize("name", ["", "12-none", "../notebooks/10-work", "-x"])
def test_run_one_lists_the_notebooks_if_there_is_none_of_that_name(
    checkout, capsys, name
):
    assert run.main("notebook", name, "") == 2
    assert "there are 10-work, 11-other" in capsys.readouterr().err


def test_check_fails_if_a_row_has_no_value_or_a_file_has_changed(
    checkout, monkeypatch, capsys
):
    assert run.check() == 1
    assert "no notebook computed a value" in capsys.readouterr().err
    monkeypatch.setattr(run, "verdict", lambda: 0)
    assert run.check() == 1
    assert "results/manifest.csv is missing" in capsys.readouterr().err
    monkeypatch.setattr(run.manifest, "faults", lambda folder: [])
    assert run.check() == 0


def test_save_scores_joins_what_notebooks_have_left(checkout):
    output = checkout / "output"
    for name in ("written/10-work.txt", "written/11-other.txt", "results/own.csv"):
        (output / name).parent.mkdir(parents=True, exist_ok=True)
        listed = f"{output}/results/own.csv\n" if "work" in name else ""
        (output / name).write_text(listed)
    run.save_scores(*map(str, sorted((output / "written").iterdir())))
    listed = pd.read_csv(output / "results" / "manifest.csv", keep_default_na=False)
    rows = listed[["file", "notebook"]].to_numpy().tolist()
    assert rows == [["results/own.csv", "10-work"], ["results/scoreboard.csv", ""]]
