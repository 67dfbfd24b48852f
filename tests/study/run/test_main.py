"""The steps that make calls: data, parameters, scores, the verdict."""

import nbformat
import pandas as pd
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from examples import data_error
from study.run import __main__ as run
from study.scoreboard import published

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
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setenv("WMTLIB_SOURCE", "embedded")
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


def test_prepare_writes_where_the_data_are_and_removes_stamps_of_lost_files(
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
    run.prepare("embedded")
    said = capsys.readouterr()
    words = dict(word.split("=") for word in said.out.split())
    assert {path.stem for path in (output / "written").iterdir()} == {"11-other"}
    assert not (output / "scored").exists()
    assert said.err.startswith("Data: embedded (embedded data, hash ")
    assert words["OUT"] == "output" and words["WMTLIB_SOURCE"] == "embedded"
    assert words["CHECKED"].split(":") == published.notebooks()
    assert "DATA" in words and "COMMIT" not in words


def test_main_refuses_an_unknown_route_in_one_line(checkout, capsys, monkeypatch):
    monkeypatch.delenv("WMTLIB_SOURCE")
    assert run.main("prepare", "moon") == 2
    assert "wmtlib: source is 'moon'; expected" in capsys.readouterr().err


def test_check_parameters_refuses_an_unknown_name(checkout, capsys):
    file = checkout / "mine.yml"
    assert run.main("parameters", str(file)) == 2
    assert "mine.yml" in capsys.readouterr().err
    file.write_text("seed: 7\n")
    run.check_parameters(file)
    run.check_parameters(file, "10-work")
    with data_error("no parameter 'seed'; there are task"):
        run.check_parameters(file, "11-other")
    file.write_text("sede: 7\n")
    with data_error("no parameter 'sede'; there are seed, task"):
        run.check_parameters(file)


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
