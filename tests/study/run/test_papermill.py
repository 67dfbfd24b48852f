"""Notebooks that make runs by papermill, and what is left when one fails."""

import filecmp
import os
import shutil
import subprocess
import sys
from runpy import run_path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from examples import EXAMPLES, data_error
from study import __main__
from study.data.sources import ROOT
from study.run.papermill import KERNEL, clean_notebook


def write_notebook(path, *cells):
    cells = [new_code_cell(source, id=f"c{k}") for k, source in enumerate(cells)]
    notebook = new_notebook(cells=[new_markdown_cell("# Title", id="a"), *cells])
    path.parent.mkdir(exist_ok=True)
    nbformat.write(notebook, path)


def printed(path):
    """Return what the last cell of an executed notebook prints."""
    return nbformat.read(path, as_version=4).cells[-1].outputs[0].text


SOURCES = ("wmtlib/module.py", "study/module.py")


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """Make a folder with the Makefile and a notebook, in place of the repository."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    for name in (*SOURCES, "data/table.csv", "requirements.lock"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    write_notebook(tmp_path / "notebooks" / "10-work.ipynb", "1", "print(1 / 1)")
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
    return tmp_path


@pytest.fixture
def make(checkout):
    """Call make there; return whether all went well, and a line of each notebook."""

    def make(*words, python=sys.executable):
        settings = ["OUT=out", "WMTLIB_SOURCE=embedded", f"PY={python}"]
        line = ["make", "--keep-going", "--jobs=2", *settings, "executed", *words]
        done = subprocess.run(line, cwd=checkout, stdout=subprocess.PIPE, text=True)
        lines = [line.split("  ")[-1] for line in done.stdout.splitlines()]
        return done.returncode == 0, sorted(line for line in lines if line[:1] != "m")

    return make


# --- the Makefile ---------------------------------------------------------------------


def test_make_runs_a_notebook_again_when_what_it_rests_on_has_changed(make, checkout):
    # In place of Python: -m study.run.papermill SOURCE TARGET OPTION ...
    copier = checkout / "copier"
    copier.write_text("#!/bin/sh\ncp $3 $4\n")
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


def test_make_names_a_failure_in_a_line_and_runs_the_others(make, checkout):
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
    left = {path.name for path in checkout.glob("out/[nw]*/*")}
    assert left == {f"{name}{kind}" for name in names for kind in (".ipynb", ".txt")}
    for name in names:  # they went back to their folder
        executed = checkout / "out" / "notebooks" / f"{name}.ipynb"
        assert (notebooks / executed.name).read_bytes() == executed.read_bytes()
    assert make("COMMIT=yes") == (False, [failed])


def test_make_gives_a_kernel_its_source_its_list_and_its_backend(
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


def test_make_reproduce_fails_if_no_data_are_found(checkout, monkeypatch):
    monkeypatch.delenv("WMTLIB_SOURCE", raising=False)
    python = checkout / "python"
    python.write_text("#!/bin/sh\necho no data $* >&2\nexit 3\n")
    python.chmod(0o755)
    line = ["make", "reproduce", f"PY={python}"]
    done = subprocess.run(line, cwd=checkout, capture_output=True, text=True)
    assert done.returncode and "no data -m study.run prepare auto\n" in done.stderr
    assert "papermill" not in done.stdout


def test_make_env_empties_no_folder_that_it_has_not_made(checkout):
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


# --- what is kept of a notebook, whoever saved it -------------------------------------


def test_clean_notebook_removes_times_and_versions_and_joins_streams():
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
    clean = clean_notebook(new_notebook(cells=[cell], metadata=lab))
    assert clean.metadata == {"kernelspec": KERNEL}
    assert clean.cells[0].metadata == {"tags": ["a"]}
    assert clean.cells[0].outputs == [output] and clean.cells[0].execution_count == 3


def test_clean_on_save_changes_nothing_of_a_clean_notebook(tmp_path):
    path = ROOT / "notebooks" / "10-tournaments.ipynb"
    settings = ROOT / "notebooks" / "jupyter_server_config.py"
    jupyter = SimpleNamespace(ContentsManager=SimpleNamespace())
    run_path(settings, {"get_config": lambda: jupyter})
    content = nbformat.read(path, as_version=4)
    content.metadata["language_info"] = {"name": "python", "version": "3.12.1"}
    content.metadata["kernelspec"]["display_name"] = "Python 3"
    content.cells[1].metadata["trusted"] = True
    model = {"type": "notebook", "content": content}
    jupyter.ContentsManager.pre_save_hook(model, path="notebooks/10-tournaments.ipynb")
    nbformat.write(model["content"], tmp_path / "saved.ipynb")
    assert filecmp.cmp(tmp_path / "saved.ipynb", path, shallow=False)


def test_make_gives_a_notebook_the_parameters_of_the_file(make, checkout):
    notebook = nbformat.read(checkout / "notebooks" / "10-work.ipynb", as_version=4)
    notebook.cells[1].update(source="seed = 1", metadata={"tags": ["parameters"]})
    notebook.cells[2].source = "print(seed)"
    notebook.metadata["kernelspec"] = KERNEL
    nbformat.write(notebook, checkout / "notebooks" / "10-work.ipynb")
    folder = checkout / "build" / "mine"
    for seed in (7, 8):
        (checkout / "mine.yml").write_text(f"seed: {seed}")
        assert make("OUT=build/mine", "PARAMS=mine.yml") == (True, ["10-work"])
        assert printed(folder / "notebooks" / "10-work.ipynb") == f"{seed}\n"


def test_make_joins_streams_that_reach_papermill_in_pieces(make, checkout):
    piece = "print(1, flush=True)\ntime.sleep(0.3)\n"
    cells = ["import time", piece * 3]
    write_notebook(checkout / "notebooks" / "10-work.ipynb", *cells)
    assert make()[0]
    path = checkout / "out" / "notebooks" / "10-work.ipynb"
    [output] = nbformat.read(path, as_version=4).cells[-1].outputs
    assert output.text == "1\n1\n1\n" and path.read_text().endswith("}\n")


def test_make_notebook_says_on_top_of_the_page_what_is_simulated(checkout):
    text = "SIMULATED: made-up campaigns"
    cells = ["1", f"print({text!r})", "print('real: not SIMULATED')"]
    write_notebook(checkout / "notebooks" / "10-work.ipynb", *cells)
    settings = ["N=10-work", f"PY={sys.executable}", f"VENV={sys.prefix}", "READY="]
    done = subprocess.run(
        ["make", "notebook", *settings], cwd=checkout, capture_output=True, text=True
    )
    assert f"\n{text}\nPage: " in done.stdout and done.returncode == 0
    page = (checkout / "build" / "notebook" / "10-work.html").read_text("utf-8")
    assert page.split("<main>")[1].lstrip().startswith(f"<p>{text}</p>\n<div")


def test_run_notebook_ranks_a_users_file_or_refuses_it_in_one_line(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(__main__, "ROOT", tmp_path)
    options = SimpleNamespace(file=EXAMPLES / "rankings.csv", kind="", task="")
    __main__.run_notebook(options)
    folder = tmp_path / "build" / "rank"
    assert "simulated-A" in (folder / "index.html").read_text()
    assert (folder / "your-data.ipynb").is_file()
    options.file = tmp_path / "notes.csv"
    options.file.write_text("a,list\nof,notes\n")
    with data_error("the header is 'a', 'list'; expected a, b, outcome"):
        __main__.run_notebook(options)
    assert not (folder / "index.html").exists()
