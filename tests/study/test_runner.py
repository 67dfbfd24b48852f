"""Executing notebooks: what is kept, and what is left behind when one fails."""

import nbformat
import pandas as pd
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from wmtlib.judgements.errors import DataError
from wmtlib.releases import sources
from wmtlib.study import runner, scoreboard
from wmtlib.study.runner import Run

SOURCE = sources.Source("embedded", "00000000")


@pytest.fixture
def notebooks(tmp_path, monkeypatch):
    """A folder with one notebook that works unless its parameter says otherwise."""
    folder = tmp_path / "notebooks"
    folder.mkdir()
    cells = [
        new_markdown_cell("# Title", id="a"),
        new_code_cell("value = 1", id="b", metadata={"tags": ["parameters"]}),
        new_code_cell("print(1 / value)", id="c"),
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(notebook, folder / "work.ipynb")
    monkeypatch.setattr(runner, "NOTEBOOKS", folder)
    return folder


def test_execution_keeps_outputs_and_nothing_that_changes(notebooks, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        runner.execute(Run("work", "Title", "Group"), folder)
    assert (first / "work.ipynb").read_bytes() == (second / "work.ipynb").read_bytes()
    notebook = nbformat.read(first / "work.ipynb", as_version=4)
    assert notebook.cells[2].outputs[0].text == "1.0\n"
    assert [c.execution_count for c in notebook.cells[1:]] == [1, 2]
    assert set(notebook.metadata) <= {"kernelspec"}


def test_a_failing_notebook_leaves_nothing_and_says_why(notebooks, tmp_path):
    run = Run("work", "Title", "Group", {"value": 0})
    with pytest.raises(Exception) as caught:
        runner.execute(run, tmp_path)
    assert runner.reason(caught.value) == "cell 3: ZeroDivisionError: division by zero"
    assert not list(tmp_path.glob("*work*"))


def test_the_others_go_on_and_the_failure_is_reported(notebooks, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("WMTLIB_OUTPUT", str(tmp_path / "out"))
    monkeypatch.setenv("WMTLIB_SOURCE", "embedded")  # execute_all sets it: undo that afterwards
    bad, good = Run("work", "t", "g", {"value": "x"}), Run("work", "t", "g")
    assert runner.execute_all([bad, good], SOURCE, jobs=2) == [bad]
    captured = capfd.readouterr()
    assert "FAILED  work-x" in captured.out and "TypeError" in captured.err
    left = {path.name for path in (tmp_path / "out" / "notebooks").iterdir()}
    assert left == {"work.ipynb", "kernels.log"}


def test_every_expert_task_has_a_run():
    expected = {("wmt10", 8), ("wmt11", 21), ("wmt12", 8)}
    campaigns = pd.Series([r.parameters["campaign"] for r in runner.runs() if r.parameters])
    assert set(campaigns.value_counts().items()) == expected
    assert len({run.name for run in runner.runs()}) == len(runner.runs())


def test_verdict_fails_on_an_unexplained_row_and_names_it(capsys):
    board = scoreboard.compare("lopez2012", "10-lopez2012", {}, source=SOURCE)
    assert runner.verdict(board, SOURCE) == 1
    captured = capsys.readouterr()
    assert "UNEXPLAINED lopez2012 section-5.2, violated weight over 25 tasks, MFAS" in captured.err
    assert runner.verdict(board.assign(status="exact"), SOURCE) == 0
    assert f"{len(board)} exact" in capsys.readouterr().out


def test_check_fails_where_a_published_row_has_no_value(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(runner, "ROOT", tmp_path)
    monkeypatch.setenv("WMTLIB_SOURCE", "embedded")
    monkeypatch.setattr(runner, "runs", lambda: [Run("00-data", "The data", "Data", paper="none")])
    assert runner.check(SOURCE, jobs=1) == 1
    assert "no notebook computed a value" in capsys.readouterr().err
    assert (tmp_path / "build" / "check" / "results" / "scoreboard.csv").is_file()


def test_a_users_file_is_ranked_by_a_notebook(tmp_path):
    page = runner.rank_file(sources.ROOT / "examples" / "rankings.csv", "", "", tmp_path / "own")
    assert page.is_file() and "simulated-A" in page.read_text()
    assert (tmp_path / "own" / "your-data.ipynb").is_file()


def test_a_file_that_is_not_understood_is_refused_in_one_line(tmp_path):
    path = tmp_path / "notes.csv"
    path.write_text("a,list\nof,notes\n")
    with pytest.raises(DataError, match="the header does not name the columns of any kind"):
        runner.rank_file(path, "", "", tmp_path / "own")
    assert not list((tmp_path / "own").iterdir())
