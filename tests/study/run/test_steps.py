"""What make calls before and after the notebooks: variables, scores, the verdict."""

import shutil

import nbformat
import pandas as pd
import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

from examples import data_error
from study.data.sources import ROOT, Source
from study.run import steps
from study.scoreboard import published

SOURCE = Source("embedded", "00000000")
ROW = {"paper": "lopez2012", "item": "table-1", "quantity": "tasks", "criterion": ""}
ROW |= {"published": "25", "reproduced": "24", "reason": "", "status": "unexplained"}


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A folder with a notebook, in place of the repository."""
    (tmp_path / "notebooks").mkdir()
    title = new_notebook(cells=[new_markdown_cell("# Title", id="a")])
    nbformat.write(title, tmp_path / "notebooks" / "10-work.ipynb")
    monkeypatch.setattr(steps, "ROOT", tmp_path)
    monkeypatch.setattr(steps, "NOTEBOOKS", tmp_path / "notebooks")
    monkeypatch.setattr(steps, "CHECKED", tmp_path / "build" / "check")
    monkeypatch.setattr(steps, "VARIABLES", tmp_path / "build" / "source.mk")
    return tmp_path


def test_verdict_fails_on_an_unexplained_row_and_names_it(capsys):
    assert steps.verdict(pd.DataFrame([ROW]), SOURCE) == 1
    assert (
        "UNEXPLAINED lopez2012 table-1, tasks: published 25" in capsys.readouterr().err
    )
    assert steps.verdict(pd.DataFrame([ROW | {"status": "exact"}] * 3), SOURCE) == 0
    assert "Numbers: 3 exact" in capsys.readouterr().out


def test_make_is_told_where_the_data_are_and_what_has_lost_a_file_runs_again(
    checkout, monkeypatch, capsys
):
    output = checkout / "output"
    (output / "written").mkdir(parents=True)
    for name in ("written/10-work.txt", "written/11-other.txt", "scored"):
        (output / name).write_text("")
    (output / "results").mkdir()
    (output / "results" / "scoreboard.csv").write_text("")
    rows = [
        ("results/lost.csv", "10-work", "x"),
        ("results/scoreboard.csv", "", "other"),
    ]
    manifest = pd.DataFrame(rows, columns=["file", "notebook", "sha256"])
    manifest.to_csv(output / "results" / "manifest.csv", index=False)
    steps.prepare("reproduce", "embedded", 3)
    assert {path.stem for path in (output / "written").iterdir()} == {"11-other"}
    assert not (output / "scored").exists()
    assert capsys.readouterr().out.startswith("Data: embedded (embedded data, hash ")
    lines = steps.VARIABLES.read_text().splitlines()
    assert lines[0] == "OUT := output" and lines[1].startswith("DATA := ")
    assert lines[2] == "export WMTLIB_SOURCE := embedded"
    assert lines[3] == "MAKEFLAGS += --keep-going --jobs=3"
    monkeypatch.setenv("FORCE", "1")
    steps.prepare("reproduce", "embedded", 3)
    assert not [*(output / "written").iterdir()]
    steps.prepare("check", "embedded", 0)
    names, folder, out, *_ = steps.VARIABLES.read_text().splitlines()
    assert names == f"NOTEBOOKS := {' '.join(published.notebooks())}"
    assert folder == f"export WMTLIB_OUTPUT := {checkout / 'build' / 'check'}"
    assert out == "OUT := build/check"
    assert steps.main("prepare", "reproduce", "moon", "1") == 2
    assert "wmtlib: source is 'moon'; expected" in capsys.readouterr().err


def test_a_file_of_parameters_sends_the_run_to_a_folder_of_its_own(
    checkout, monkeypatch
):
    shutil.copy(ROOT / "notebooks" / "11-one-task.ipynb", checkout / "notebooks")
    monkeypatch.setattr(steps, "MINE", checkout / "build" / "mine")
    path = checkout / "mine.yml"
    monkeypatch.setenv("PARAMS", str(path))
    with data_error("there is no such file; PARAMS names one in YAML"):
        steps.prepare("reproduce", "embedded", 1)
    path.write_text("11-one-task:\n  task: cs-en\nsede: 7\n")
    with data_error("no notebook and no parameter is 'sede'"):
        steps.prepare("reproduce", "embedded", 1)
    path.write_text("11-one-task:\n  task: cs-en\ncampaign: wmt12\n")
    steps.prepare("reproduce", "embedded", 1)
    lines = steps.VARIABLES.read_text().splitlines()
    assert f"export WMTLIB_PARAMETERS := {path}" in lines
    assert f"export WMTLIB_OUTPUT := {steps.MINE}" in lines
    assert "OUT := build/mine" in lines and "COMMIT := yes" not in lines


def test_a_run_ends_with_where_everything_is_and_the_verdict(checkout, capsys):
    results = checkout / "output" / "results"
    results.mkdir(parents=True)
    pd.DataFrame([ROW]).to_csv(results / "scoreboard.csv", index=False)
    steps.VARIABLES.parent.mkdir()
    steps.VARIABLES.touch()
    assert steps.close(SOURCE) == 1
    said = capsys.readouterr()
    assert f"\nTables:    {results}\n" in said.out and "\nTook:      0 s\n" in said.out
    assert "UNEXPLAINED lopez2012" in said.err


def test_check_fails_where_a_row_has_no_value_or_a_file_has_changed(
    checkout, monkeypatch, capsys
):
    assert steps.check_scoreboard(SOURCE) == 1
    assert "no notebook computed a value" in capsys.readouterr().err
    monkeypatch.setattr(steps, "verdict", lambda board, source: 0)
    assert steps.check_scoreboard(SOURCE) == 1
    assert "results/manifest.csv is missing" in capsys.readouterr().err
    monkeypatch.setattr(steps.manifest, "faults", lambda folder: [])
    assert steps.check_scoreboard(SOURCE) == 0


def test_scores_are_made_of_what_notebooks_have_left(checkout):
    output = checkout / "output"
    for name in ("written/10-work.txt", "results/own.csv"):
        (output / name).parent.mkdir(parents=True, exist_ok=True)
        (output / name).write_text(
            f"{output}/results/own.csv\n" if "work" in name else ""
        )
    steps.save_scores(SOURCE)
    listed = pd.read_csv(output / "results" / "manifest.csv", keep_default_na=False)
    rows = listed[["file", "notebook"]].to_numpy().tolist()
    assert rows == [["results/own.csv", "10-work"], ["results/scoreboard.csv", ""]]
