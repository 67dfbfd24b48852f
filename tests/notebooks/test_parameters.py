"""What is proposed under "Try it" can be typed after `make notebook`."""

import subprocess
import sys

import nbformat
import pytest
import yaml
from try_it import NOTEBOOKS, PROPOSED

from study.run import __main__ as run


def test_every_notebook_proposes_something():
    names = {path.stem for path in NOTEBOOKS.glob("*.ipynb")}
    assert {name for name, *_ in PROPOSED} == names


@pytest.mark.parametrize("name", sorted({name for name, *_ in PROPOSED[2:]}))
def test_what_is_proposed_can_be_typed_after_make_notebook(name, tmp_path):
    for other, changes, *_ in PROPOSED:
        if other == name:
            words = [f"{parameter}={value!r}" for parameter, value in changes.items()]
            assert typed(tmp_path, name, words) == changes


def typed(folder, name, words):
    """Return what papermill gets of words NAME=VALUE, as the Makefile writes them."""
    lines = [word.replace("=", ": ", 1) for word in words]
    (folder / "typed.yml").write_text("\n".join(lines))
    run.check_parameters(folder / "typed.yml", name)
    return yaml.safe_load((folder / "typed.yml").read_text())


@pytest.mark.slow
def test_papermill_injects_what_is_typed(tmp_path, monkeypatch):
    monkeypatch.setenv("WMTLIB_SOURCE", "embedded")
    notebook = NOTEBOOKS / "11-one-task.ipynb"
    target = tmp_path / "11-one-task.ipynb"
    typed(tmp_path, notebook.stem, ["campaign=wmt12", "task=cs-en"])
    parameters = tmp_path / "typed.yml"
    line = [sys.executable, "-m", "study.run.papermill", notebook, target]
    line += ["--cwd", NOTEBOOKS, "--parameters_file", parameters]
    subprocess.run(line, check=True)
    executed = nbformat.read(target, as_version=4)
    outputs = str([cell.get("outputs") for cell in executed.cells])
    assert "2012 Czech-English" in outputs and "2010" not in outputs
