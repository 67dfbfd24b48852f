"""Notebooks that make runs by papermill, and what is kept of them."""

import filecmp
import os
import shutil
import subprocess
import sys
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from examples import EXAMPLES, data_error
from study import __main__
from study.data.sources import ROOT
from study.run import __main__ as run
from study.run import page
from study.run.papermill import KERNEL, clean_notebook


def write_notebook(path, *sources):
    cells = [new_code_cell(source, id=f"c{k}") for k, source in enumerate(sources)]
    if sources[0].startswith("seed"):
        cells[0].metadata["tags"] = ["parameters"]
    notebook = new_notebook(cells=[new_markdown_cell("# Title", id="a"), *cells])
    notebook.metadata["kernelspec"] = KERNEL
    path.parent.mkdir(exist_ok=True)
    nbformat.write(notebook, path)


# --- a run by make --------------------------------------------------------------------

PIECE = "print(1, flush=True)\ntime.sleep(0.3)\n"
NOTEBOOKS = {
    "10-work": [
        "seed = 1",
        "import os, time",
        PIECE * 3,
        "open(os.environ['WMTLIB_WRITTEN'], 'w').write('x.csv')",
        "print(seed, os.environ['MPLBACKEND'], os.environ['WMTLIB_SOURCE'])",
    ],
    "11-fails": ["value = 0", "1 / value"],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Run a notebook that works and one that fails; return what make printed."""
    folder = tmp_path_factory.mktemp("made")
    shutil.copy(ROOT / "Makefile", folder)
    for name, sources in NOTEBOOKS.items():
        write_notebook(folder / "notebooks" / f"{name}.ipynb", *sources)
    (folder / "mine.yml").write_text("seed: 7")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"}
    words = ["OUT=build/mine", "COMMIT=yes", "PARAMS=mine.yml", f"PY={sys.executable}"]
    done = subprocess.run(
        ["make", "--keep-going", "--jobs=2", "executed", *words],
        cwd=folder,
        env=environment | {"WMTLIB_SOURCE": "embedded"},
        stdout=subprocess.PIPE,
        text=True,
    )
    return folder, done


@pytest.fixture
def printed(made):
    """Return what the cells of the notebook that works have printed."""
    path = made[0] / "build" / "mine" / "notebooks" / "10-work.ipynb"
    cells = nbformat.read(path, as_version=4).cells
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    return [output.text for output in outputs if "text" in output]


@pytest.mark.slow
def test_make_names_a_failure_in_a_line_and_runs_the_others(made):
    folder, done = made
    assert done.returncode
    lines = sorted(line.split("  ")[-1] for line in done.stdout.splitlines())
    # Its first cell holds the parameters of mine.yml.
    failed = "11-fails: cell 3: ZeroDivisionError: division by zero"
    assert [line for line in lines if line[:1] == "1"] == ["10-work", failed]
    left = {path.name for path in folder.glob("build/mine/notebooks/*")}
    assert left == {"10-work.ipynb"}


@pytest.mark.slow
def test_an_executed_notebook_goes_back_to_its_folder(made):
    executed = made[0] / "build" / "mine" / "notebooks" / "10-work.ipynb"
    assert filecmp.cmp(made[0] / "notebooks" / "10-work.ipynb", executed, shallow=False)
    assert executed.read_text().endswith("}\n")


@pytest.mark.slow
def test_a_kernel_has_its_parameters_its_source_its_list_and_its_backend(made, printed):
    seed, backend, source = printed[-1].split()
    assert (seed, source) == ("7", "embedded")
    assert "inline" in backend
    written = made[0] / "build" / "mine" / "written" / "10-work.txt"
    assert written.read_text() == "x.csv"


@pytest.mark.slow
def test_streams_that_reach_papermill_in_pieces_are_joined(printed):
    assert printed[0] == "1\n1\n1\n"


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


# --- one notebook of a user -----------------------------------------------------------


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """Take a folder for the repository."""
    for module in (run, page):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    return tmp_path


def test_each_run_has_a_folder_of_its_own(repository):
    folders = [page.new_folder("notebook/10-work") for _ in range(3)]
    names = [f"build/notebook/10-work-{number}" for number in (1, 2, 3)]
    assert folders == [repository / name for name in names]


def test_page_says_on_top_what_is_simulated(tmp_path, capsys):
    text = "SIMULATED: made-up <campaigns>"
    said = f"{text}\nreal: not SIMULATED\n"
    outputs = [
        new_output("stream", text=said),
        new_output("display_data", {"text/plain": ""}),
    ]
    cell = new_code_cell("print(text)", outputs=outputs)
    nbformat.write(new_notebook(cells=[cell]), tmp_path / "10-work.ipynb")
    html = page.write_page(tmp_path / "10-work.ipynb").read_text("utf-8")
    top = "<p>SIMULATED: made-up &lt;campaigns&gt;</p>\n<div"
    assert html.split("<main>")[1].lstrip().startswith(top)
    assert capsys.readouterr().out == f"{text}\n"


@pytest.mark.slow
def test_make_notebook_takes_what_is_typed(repository, monkeypatch, capsys):
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
    cells = ["seed = 1\npath = ''", "print(seed, path)"]
    write_notebook(repository / "notebooks" / "10-work.ipynb", *cells)
    assert run.main("notebook", "10-work", "seed=7 path='my file.csv'") == 0
    shown = repository / "build" / "notebook" / "10-work-1" / "10-work.html"
    assert f"Page:      {shown}\n" in capsys.readouterr().out
    assert "7 my file.csv\n" in shown.read_text("utf-8")


@pytest.mark.slow
def test_run_notebook_ranks_a_users_file_or_refuses_it_in_one_line(repository):
    options = SimpleNamespace(file=str(EXAMPLES / "rankings.csv"), text="seed=3")
    __main__.run_notebook(options)
    folder = repository / "build" / "rank" / "page-1"
    said = (folder / "index.html").read_text()
    assert "simulated-A" in said and "|seed=3" in said
    notebook = nbformat.read(folder / "your-data.ipynb", as_version=4)
    (injected,) = [cell for cell in notebook.cells if "seed = 3" in cell.source]
    assert str(EXAMPLES / "rankings.csv") in injected.source
    options.text = "method=mfas unit=page"  # the notebook refuses it
    with data_error("no unit 'page'; expected judge, ranking"):
        __main__.run_notebook(options)
    options.file = str(repository / "notes.csv")
    Path(options.file).write_text("a,list\nof,notes\n")
    with data_error("the header is 'a', 'list'; comparisons need b, outcome"):
        __main__.run_notebook(options)
    assert not (repository / "build" / "rank" / "page-3").exists()
