"""Running notebooks: what make runs, and what is left behind when one fails."""

import filecmp
import os
import shutil
import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from examples import data_error
from study.data.sources import ROOT
from study.run import runner


def write_notebook(path, *cells):
    cells = [new_code_cell(source, id=f"c{k}") for k, source in enumerate(cells)]
    notebook = new_notebook(cells=[new_markdown_cell("# Title", id="a"), *cells])
    path.parent.mkdir(exist_ok=True)
    nbformat.write(notebook, path)


def printed(path):
    """What the last cell of an executed notebook says."""
    return nbformat.read(path, as_version=4).cells[-1].outputs[0].text


SOURCES = ("wmtlib/module.py", "study/module.py")


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A folder with the Makefile and a notebook, in place of the repository."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in (*SOURCES, "data/table.csv", "requirements.lock"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    write_notebook(tmp_path / "notebooks" / "10-work.ipynb", "1", "print(1 / 1)")
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
    return tmp_path


@pytest.fixture
def make(checkout):
    """Call make there: whether all went well, and what it said of each notebook."""

    def make(*words, python=sys.executable):
        settings = ["OUT=out", "WMTLIB_SOURCE=embedded", f"PY={python}"]
        line = ["make", "--keep-going", "--jobs=2", *settings, "executed", *words]
        done = subprocess.run(line, cwd=checkout, stdout=subprocess.PIPE, text=True)
        lines = [line.split("  ")[-1] for line in done.stdout.splitlines()]
        return done.returncode == 0, sorted(line for line in lines if line[:1] != "m")

    return make


# --- the Makefile ---------------------------------------------------------------------


def test_a_notebook_runs_again_when_something_that_it_rests_on_has_changed(
    make, checkout
):
    # In place of Python: -m study.run.runner notebook SOURCE TARGET
    copier = checkout / "copier"
    copier.write_text("#!/bin/sh\ncp $4 $5; echo `basename $4 .ipynb`\n")
    copier.chmod(0o755)
    ran = (True, ["10-work"])
    current = (True, [])
    (checkout / "out" / "notebooks").mkdir(parents=True)
    for expected in (ran, current):
        assert make(python=copier) == expected
    (checkout / "wmtlib" / "module.py").touch()  # a date alone is no change
    assert make(python=copier) == current
    for name in (*SOURCES, "data/table.csv", "requirements.lock"):
        (checkout / name).write_text("other")
        assert make(python=copier) == ran
    (checkout / "out" / "written" / "10-work.txt").unlink()
    assert make("out/written/10-work.txt", python=copier) == ran
    assert make(python=copier) == current
    assert make("DATA=other", python=copier) == ran
    write_notebook(checkout / "notebooks" / "10-work.ipynb", "print(2)")
    assert make("DATA=other", python=copier) == ran


def test_a_failure_is_told_in_a_line_and_leaves_nothing_and_the_others_go_on(
    make, checkout
):
    notebooks = checkout / "notebooks"
    measured = str(checkout / "measured")
    write_notebook(notebooks / "11-fails.ipynb", "value = 0", "1 / value")
    slow = f"import time\ntime.sleep(2)\nprint('yes', file=open({measured!r}, 'w'))"
    write_notebook(notebooks / "20-perplexity.ipynb", slow)
    write_notebook(
        notebooks / "23-which-model.ipynb", f"print(open({measured!r}).read())"
    )
    names = ["10-work", "20-perplexity", "23-which-model"]  # 23 has waited for 20
    failed = "11-fails: cell 2: ZeroDivisionError: division by zero"
    assert make("COMMIT=yes") == (False, sorted([failed, *names]))
    left = {path.name for path in checkout.glob("out/*/*")}
    assert left == {f"{name}{kind}" for name in names for kind in (".ipynb", ".txt")}
    for name in names:  # they went back to their folder
        executed = checkout / "out" / "notebooks" / f"{name}.ipynb"
        assert (notebooks / executed.name).read_bytes() == executed.read_bytes()
    assert make("COMMIT=yes") == (False, [failed])


def test_a_kernel_has_its_source_and_its_list_and_draws_whatever_the_shell_says(
    make, checkout, monkeypatch
):
    monkeypatch.setenv("MPLBACKEND", "agg")
    cells = [
        "import os",
        "open(os.environ['WMTLIB_WRITTEN'], 'w').write('x.csv')",
        "print(os.environ['MPLBACKEND'], os.environ['WMTLIB_SOURCE'])",
    ]
    write_notebook(checkout / "notebooks" / "10-work.ipynb", *cells)
    assert make()[0]
    shown = printed(checkout / "out" / "notebooks" / "10-work.ipynb")
    assert "agg" not in shown and "inline" in shown and shown.endswith(" embedded\n")
    assert (checkout / "out" / "written" / "10-work.txt").read_text() == "x.csv"


def test_parameters_come_from_words_and_from_a_file_and_unknown_ones_are_refused(
    tmp_path, monkeypatch
):
    notebook = ROOT / "notebooks" / "11-one-task.ipynb"
    assert runner.chosen_parameters(notebook, []) == {}
    words = ["campaign=wmt12", "systems=[cmu, jhu]"]
    chosen = {"campaign": "wmt12", "systems": ["cmu", "jhu"]}
    assert runner.chosen_parameters(notebook, words) == chosen
    with data_error("no parameter 'tsak'; 11-one-task has source, campaign, task"):
        runner.chosen_parameters(notebook, ["tsak=cs-en"])
    file = tmp_path / "mine.yml"
    file.write_text("seed: 7\ncampaign: wmt11\n11-one-task:\n  task: cs-en\n")
    monkeypatch.setenv("WMTLIB_PARAMETERS", str(file))
    expected = {"campaign": "wmt11", "task": "cs-en"}
    assert runner.chosen_parameters(notebook, []) == expected
    perplexity = runner.NOTEBOOKS / "20-perplexity.ipynb"
    assert runner.chosen_parameters(perplexity, []) == {"seed": 7}


def test_what_the_last_run_chose_is_not_what_the_next_one_does(checkout, monkeypatch):
    monkeypatch.delenv("WMTLIB_SOURCE", raising=False)
    (checkout / "build").mkdir()
    (checkout / "build" / "source.mk").write_text("export WMTLIB_SOURCE := embedded\n")
    python = checkout / "python"
    python.write_text("#!/bin/sh\necho from ${WMTLIB_SOURCE:-any place}\nexit 3\n")
    python.chmod(0o755)
    line = ["make", "reproduce", f"PY={python}"]
    done = subprocess.run(line, cwd=checkout, capture_output=True, text=True)
    assert done.returncode and "from any place\n" in done.stdout


def test_a_folder_that_make_has_not_made_is_not_emptied(checkout):
    folder = checkout / "mine"
    folder.mkdir()
    (folder / "thesis.txt").write_text("three years")
    for name in ("pyproject.toml", "requirements-dev.lock"):
        (checkout / name).write_text("")
    line = ["make", "env", "VENV=mine", f"PYTHON={sys.executable}"]
    done = subprocess.run(line, cwd=checkout, stderr=subprocess.PIPE, text=True)
    assert done.returncode and "mine is not an environment that make has made" in (
        done.stderr
    )
    assert (folder / "thesis.txt").read_text() == "three years"


# --- a user's file --------------------------------------------------------------------


def test_a_users_file_is_ranked_by_a_notebook_or_refused_in_one_line(tmp_path):
    page = runner.rank_file(
        ROOT / "examples" / "rankings.csv", "", "", tmp_path / "own"
    )
    assert page.is_file() and "simulated-A" in page.read_text()
    assert (tmp_path / "own" / "your-data.ipynb").is_file()
    path = tmp_path / "notes.csv"
    path.write_text("a,list\nof,notes\n")
    with data_error("the header is 'a', 'list'; expected a, b, outcome"):
        runner.rank_file(path, "", "", tmp_path / "own")
    assert not list((tmp_path / "own").iterdir())


# --- what is kept of a notebook, whoever saved it -------------------------------------


def test_times_and_versions_go_and_outputs_stay():
    output = new_output("stream", text="1\n")
    pieces = [new_output("stream", text=piece) for piece in ("1", "\n")]
    cell = new_code_cell("print(1)", outputs=pieces, execution_count=3)
    cell.metadata.update(
        {"execution": {"started": "now"}, "tags": ["a"], "trusted": True}
    )
    lab = {
        "language_info": {"name": "python", "version": "3.11.7"},
        "kernelspec": {"name": "other", "display_name": "Other"},
    }
    clean = runner.clean_notebook(new_notebook(cells=[cell], metadata=lab))
    assert clean.metadata == {"kernelspec": runner.KERNEL}
    assert clean.cells[0].metadata == {"tags": ["a"]}
    assert clean.cells[0].outputs == [output] and clean.cells[0].execution_count == 3


def test_saving_an_open_notebook_in_jupyterlab_changes_nothing(tmp_path):
    path = runner.NOTEBOOKS / "10-tournaments.ipynb"
    content = nbformat.read(path, as_version=4)
    content.metadata["language_info"] = {"name": "python", "version": "3.12.1"}
    content.metadata["kernelspec"]["display_name"] = "Python 3"
    content.cells[1].metadata["trusted"] = True
    model = {"type": "notebook", "content": content}
    runner.clean_on_save(model, path="notebooks/10-tournaments.ipynb")
    nbformat.write(model["content"], tmp_path / "saved.ipynb")
    assert filecmp.cmp(tmp_path / "saved.ipynb", path, shallow=False)
