"""Running notebooks: what make runs, what is left behind when one fails, how it went in the end."""

import os
import shutil

import nbformat
import pandas as pd
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from wmtlib.errors import DataError
from wmtlib.study import published
from wmtlib.study.releases.sources import ROOT, Source
from wmtlib.study.running import runner

SOURCE = Source("embedded", "00000000")
ROW = {"paper": "lopez2012", "item": "table-1", "quantity": "tasks", "criterion": ""}
ROW |= {"published": "25", "reproduced": "24", "reason": "", "status": "unexplained"}


def write_notebook(path, *cells):
    cells = [new_code_cell(source, id=f"c{k}") for k, source in enumerate(cells)]
    notebook = new_notebook(cells=[new_markdown_cell("# Title", id="a"), *cells])
    path.parent.mkdir(exist_ok=True)
    nbformat.write(notebook, path)


def printed(path):
    """What the last cell of an executed notebook says."""
    return nbformat.read(path, as_version=4).cells[-1].outputs[0].text


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A folder with the Makefile and a notebook, in place of the repository."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("wmtlib/module.py", "data/table.csv", "requirements.lock"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    write_notebook(tmp_path / "notebooks" / "10-work.ipynb", "1", "print(1 / 1)")
    monkeypatch.setattr(runner, "ROOT", tmp_path)
    monkeypatch.setattr(runner, "NOTEBOOKS", tmp_path / "notebooks")
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
    return tmp_path


@pytest.fixture
def make(checkout, capfd):
    """Call make there: whether all went well, and what was said of each notebook, sorted."""

    def make(target="executed", *variables):
        fine = runner.call_make(target, SOURCE, checkout / "out", 2, *variables)
        lines = capfd.readouterr().out.splitlines()
        return fine, sorted(line.split("  ")[-1] for line in lines)

    return make


# --- the Makefile ---------------------------------------------------------------------


def test_a_notebook_runs_again_when_something_that_it_rests_on_has_changed(
    make, checkout, monkeypatch
):
    copier = (
        checkout / "copier"
    )  # in place of Python: -m wmtlib.study.running.runner notebook SOURCE TARGET
    copier.write_text(
        "#!/bin/sh\nmkdir -p `dirname $5`; cp $4 $5; echo `basename $4 .ipynb`\n"
    )
    copier.chmod(0o755)
    place, ran, current = f"PY={copier}", (True, ["10-work"]), (True, [])
    assert make("executed", place) == ran and make("executed", place) == current
    (checkout / "wmtlib" / "module.py").touch()  # a date alone is no change
    assert make("executed", place) == current
    for name in ("wmtlib/module.py", "data/table.csv", "requirements.lock"):
        (checkout / name).write_text("other")
        assert make("executed", place) == ran
    (checkout / "out" / "written" / "10-work.txt").unlink()
    assert (
        make("out/written/10-work.txt", place) == ran
        and make("executed", place) == current
    )
    assert make("executed", place, "DATA=other") == ran
    write_notebook(checkout / "notebooks" / "10-work.ipynb", "print(2)")
    assert make("executed", place, "DATA=other") == ran
    monkeypatch.setenv("FORCE", "1")
    assert make("executed", place, "DATA=other") == ran


def test_a_failure_is_told_in_a_line_and_leaves_nothing_and_the_others_go_on(
    make, checkout
):
    notebooks, measured = checkout / "notebooks", str(checkout / "measured")
    write_notebook(notebooks / "11-fails.ipynb", "value = 0", "1 / value")
    slow = f"import time\ntime.sleep(2)\nprint('yes', file=open({measured!r}, 'w'))"
    write_notebook(notebooks / "20-perplexity.ipynb", slow)
    write_notebook(
        notebooks / "23-which-model.ipynb", f"print(open({measured!r}).read())"
    )
    names = ["10-work", "20-perplexity", "23-which-model"]  # 23 has waited for 20
    failed = "11-fails: cell 2: ZeroDivisionError: division by zero"
    assert make("executed", "COMMIT=yes") == (False, sorted([failed, *names]))
    left = {path.name for path in checkout.glob("out/*/*")}
    assert left == {f"{name}{kind}" for name in names for kind in (".ipynb", ".txt")}
    for name in names:  # they went back to their folder
        executed = checkout / "out" / "notebooks" / f"{name}.ipynb"
        assert (notebooks / executed.name).read_bytes() == executed.read_bytes()
    assert make("executed", "COMMIT=yes") == (False, [failed])


def test_a_kernel_has_its_source_and_its_list_and_draws_whatever_the_shell_says(
    make, checkout, monkeypatch
):
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setenv("MAKEFLAGS", "-n")  # of a make that called us
    cells = [
        "import os",
        "print(os.environ['MPLBACKEND'], os.environ['WMTLIB_SOURCE'])",
    ]
    cells.insert(1, "open(os.environ['WMTLIB_WRITTEN'], 'w').write('x.csv')")
    write_notebook(checkout / "notebooks" / "10-work.ipynb", *cells)
    assert make()[0]
    shown = printed(checkout / "out" / "notebooks" / "10-work.ipynb")
    assert "agg" not in shown and "inline" in shown and shown.endswith(" embedded\n")
    assert (checkout / "out" / "written" / "10-work.txt").read_text() == "x.csv"


# --- the verdict ----------------------------------------------------------------------


def test_verdict_fails_on_an_unexplained_row_and_names_it(capsys):
    assert runner.verdict(pd.DataFrame([ROW]), SOURCE) == 1
    assert (
        "UNEXPLAINED lopez2012 table-1, tasks: published 25" in capsys.readouterr().err
    )
    assert runner.verdict(pd.DataFrame([ROW | {"status": "exact"}] * 3), SOURCE) == 0
    assert "Numbers: 3 exact" in capsys.readouterr().out


def test_reproduce_repeats_what_has_lost_a_file_and_ends_with_the_verdict(
    checkout, monkeypatch, capsys
):
    asked, output = [], checkout / "output"
    monkeypatch.setattr(
        runner, "call_make", lambda *wanted: asked.append(wanted) or True
    )
    (output / "written").mkdir(parents=True)
    for name in ("written/10-work.txt", "written/11-other.txt", "scored"):
        (output / name).write_text("")
    (output / "results").mkdir()
    pd.DataFrame([ROW]).to_csv(output / "results" / "scoreboard.csv", index=False)
    rows = [
        ("results/lost.csv", "10-work", "x"),
        ("results/scoreboard.csv", "", "other"),
    ]
    manifest = pd.DataFrame(rows, columns=["file", "notebook", "sha256"])
    manifest.to_csv(output / "results" / "manifest.csv", index=False)
    assert runner.reproduce(SOURCE, 3) == 1
    assert {path.stem for path in (output / "written").iterdir()} == {"11-other"}
    assert not (output / "scored").exists()
    assert asked == [("study", SOURCE, output, 3, "COMMIT=")]
    assert "UNEXPLAINED lopez2012" in capsys.readouterr().err
    monkeypatch.setattr(runner, "call_make", lambda *_: False)
    assert runner.reproduce(SOURCE, 1) == 1
    assert "results are not complete" in capsys.readouterr().err


def test_check_fails_where_a_row_has_no_value_or_a_file_has_changed(
    checkout, monkeypatch, capsys
):
    asked, folder = [], checkout / "build" / "check"
    monkeypatch.setattr(
        runner, "call_make", lambda *wanted: asked.append(wanted) or True
    )
    assert runner.check_scoreboard(SOURCE, 1) == 1
    assert "no notebook computed a value" in capsys.readouterr().err
    variables = [
        f"NOTEBOOKS={' '.join(published.notebooks())}",
        f"WMTLIB_OUTPUT={folder}",
    ]
    assert asked == [("executed", SOURCE, folder, 1, *variables)]
    monkeypatch.setattr(runner, "verdict", lambda board, source: 0)
    assert runner.check_scoreboard(SOURCE, 1) == 1
    assert "results/manifest.csv is missing" in capsys.readouterr().err
    monkeypatch.setattr(runner.manifest, "faults", lambda folder: [])
    assert runner.check_scoreboard(SOURCE, 1) == 0


def test_scores_and_report_are_made_of_what_notebooks_have_left(checkout):
    with pytest.raises(
        DataError, match="no notebook has run on embedded data yet; make reproduce"
    ):
        runner.build_report(SOURCE)
    output = checkout / "output"
    for name in ("written/10-work.txt", "results/own.csv"):
        (output / name).parent.mkdir(parents=True, exist_ok=True)
        (output / name).write_text(
            f"{output}/results/own.csv\n" if "work" in name else ""
        )
    runner.save_scores(SOURCE)
    listed = pd.read_csv(output / "results" / "manifest.csv", keep_default_na=False)
    rows = listed[["file", "notebook"]].to_numpy().tolist()
    assert rows == [["results/own.csv", "10-work"], ["results/scoreboard.csv", ""]]
    shutil.copytree(checkout / "notebooks", output / "notebooks")
    shutil.copy(
        checkout / "notebooks" / "10-work.ipynb", output / "notebooks" / "09-gone.ipynb"
    )
    shutil.copytree(output / "results", checkout / "results")
    page = runner.build_report(SOURCE).read_text()
    assert (
        "From the raw files" in page
        and 'href="10-work.html"' in page
        and "09-gone" not in page
    )


# --- a user's file --------------------------------------------------------------------


def test_a_users_file_is_ranked_by_a_notebook_or_refused_in_one_line(tmp_path):
    page = runner.rank_file(
        ROOT / "examples" / "rankings.csv", "", "", tmp_path / "own"
    )
    assert page.is_file() and "simulated-A" in page.read_text()
    assert (tmp_path / "own" / "your-data.ipynb").is_file()
    path = tmp_path / "notes.csv"
    path.write_text("a,list\nof,notes\n")
    with pytest.raises(
        DataError, match="the header is 'a', 'list'; expected a, b, outcome"
    ):
        runner.rank_file(path, "", "", tmp_path / "own")
    assert not list((tmp_path / "own").iterdir())
