"""Executing notebooks: what is kept, and what is left behind when one fails."""

import os

import nbformat
import pandas as pd
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from wmtlib.errors import DataError
from wmtlib.study import execution, folders, published, runner
from wmtlib.study.execution import Run
from wmtlib.study.releases import sources

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
    monkeypatch.setattr(execution, "NOTEBOOKS", folder)
    return folder


def test_execution_keeps_outputs_and_nothing_that_changes(notebooks, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        execution.execute(Run("work"), folder)
    assert (first / "work.ipynb").read_bytes() == (second / "work.ipynb").read_bytes()
    notebook = nbformat.read(first / "work.ipynb", as_version=4)
    assert notebook.cells[2].outputs[0].text == "1.0\n"
    assert [c.execution_count for c in notebook.cells[1:]] == [1, 2]
    assert set(notebook.metadata) <= {"kernelspec"}


def test_a_failing_notebook_leaves_nothing_and_says_why(notebooks, tmp_path):
    run = Run("work", {"value": 0})
    with pytest.raises(Exception) as caught:
        execution.execute(run, tmp_path)
    assert execution.failure_reason(caught.value) == "cell 3: ZeroDivisionError: division by zero"
    assert not list(tmp_path.glob("*work*"))


@pytest.fixture
def execute_all(notebooks, tmp_path):
    """Execute runs of the notebook into a folder, side by side."""

    def execute_all(*runs):
        jobs, keys = execution.notebook_jobs(tmp_path / "out", SOURCE, runs)
        environment = {"WMTLIB_SOURCE": "embedded", "WMTLIB_OUTPUT": str(tmp_path / "out")}
        folder = tmp_path / "out"
        return execution.execute_all(jobs, keys, folder, environment=environment, processes=2)

    return execute_all


def test_the_others_go_on_and_the_failure_is_reported(execute_all, tmp_path, capfd):
    before = dict(os.environ)
    assert execute_all(Run("work", {"value": "x"}), Run("work")) == ["work-x"]
    captured = capfd.readouterr()
    assert "FAILED  work-x" in captured.out and "TypeError" in captured.err
    left = {path.name for path in (tmp_path / "out" / "notebooks").iterdir()}
    assert left == {"work.ipynb", "kernels.log"}
    assert dict(os.environ) == before


def test_a_run_is_left_out_until_something_changes_or_it_is_forced(
    execute_all, notebooks, tmp_path, monkeypatch, capfd
):
    def ran():
        assert execute_all(Run("work")) == []
        return " s  work" in capfd.readouterr().out

    assert ran() and not ran()
    (tmp_path / "out" / "notebooks" / "work.ipynb").write_text("spoilt")
    assert ran() and not ran()
    source = notebooks / "work.ipynb"
    source.write_text(source.read_text().replace("1 / value", "2 / value"))
    assert ran() and not ran()
    monkeypatch.setenv("FORCE", "1")
    assert ran()


def test_titles_are_the_headings_of_the_notebooks():
    titles = {run.notebook: run.title for run in execution.runs()}
    assert titles["01-data"] == "The data"
    assert all(titles.values()) and {name[0] for name in titles} <= set(runner.GROUPS)


def test_verdict_fails_on_an_unexplained_row_and_names_it(capsys):
    row = {"paper": "lopez2012", "item": "table-1", "quantity": "tasks", "criterion": ""}
    row |= {"published": "25", "reproduced": "24", "reason": "", "status": "unexplained"}
    assert runner.verdict(pd.DataFrame([row]), SOURCE) == 1
    assert "UNEXPLAINED lopez2012 table-1, tasks: published 25" in capsys.readouterr().err
    assert runner.verdict(pd.DataFrame([row | {"status": "exact"}] * 3), SOURCE) == 0
    assert "Numbers: 3 exact" in capsys.readouterr().out


def test_check_fails_where_a_published_row_has_no_value(notebooks, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(runner, "ROOT", tmp_path)
    monkeypatch.setattr(published, "notebooks", lambda: ["work"])
    assert runner.check_scoreboard(SOURCE, processes=1) == 1
    assert "no notebook computed a value" in capsys.readouterr().err
    assert (tmp_path / "build" / "check" / "stamps" / "work.json").is_file()
    monkeypatch.setattr(runner, "verdict", lambda board, source: 0)
    assert runner.check_scoreboard(SOURCE, processes=1) == 1
    assert "results/manifest.csv is missing" in capsys.readouterr().err
    monkeypatch.setattr(runner.manifest, "faults", lambda folder: [])
    assert runner.check_scoreboard(SOURCE, processes=1) == 0


def test_there_is_no_report_before_the_notebooks_have_run(tmp_path, monkeypatch):
    monkeypatch.setenv("WMTLIB_OUTPUT", str(tmp_path))
    with pytest.raises(DataError, match="no notebook has run on embedded data yet; make reproduce"):
        runner.build_report(SOURCE)


def test_a_users_file_is_ranked_by_a_notebook(tmp_path):
    page = runner.rank_file(sources.ROOT / "examples" / "rankings.csv", "", "", tmp_path / "own")
    assert page.is_file() and "simulated-A" in page.read_text()
    assert (tmp_path / "own" / "your-data.ipynb").is_file()


def test_a_file_that_is_not_understood_is_refused_in_one_line(tmp_path):
    path = tmp_path / "notes.csv"
    path.write_text("a,list\nof,notes\n")
    with pytest.raises(DataError, match="the header is 'a', 'list'; expected a, b, outcome"):
        runner.rank_file(path, "", "", tmp_path / "own")
    assert not list((tmp_path / "own").iterdir())


def test_reproduce_leaves_out_a_report_that_nothing_changed(
    notebooks, tmp_path, monkeypatch, capfd
):
    monkeypatch.setattr(runner, "ROOT", tmp_path)
    (tmp_path / "results").mkdir()  # of the raw files, which the report names beside ours
    (tmp_path / "results" / "scoreboard.csv").write_text("status,criterion\nexact,\n")
    monkeypatch.setattr(runner, "runs", lambda: [Run("work")])
    monkeypatch.setattr(runner, "GROUPS", {"w": "Work"})
    monkeypatch.setattr(runner.task_figures, "save_all", repr)  # does nothing, and can be pickled
    built = []
    build = runner.report.build
    monkeypatch.setattr(runner.report, "build", lambda *a, **k: built.append(1) or build(*a, **k))
    for _ in range(2):
        assert runner.reproduce(SOURCE, processes=1) == 1  # every published row is unexplained
    assert "Unchanged: 2 of 2" in capfd.readouterr().out
    assert built == [1]
    output = folders.output_folder(SOURCE, committed=True)
    listed = pd.read_csv(output / "results" / "manifest.csv")
    assert listed["file"].tolist() == ["results/scoreboard.csv"]
    (tmp_path / "build" / "report" / "index.html").unlink()
    runner.reproduce(SOURCE, processes=1)
    assert built == [1, 1]
