"""What is kept of a notebook, whoever saved it."""

import filecmp

import nbformat
from nbformat.v4 import new_code_cell, new_notebook, new_output

from wmtlib.study.running import clean_notebooks, runner


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
    clean = clean_notebooks.clean_notebook(new_notebook(cells=[cell], metadata=lab))
    assert clean.metadata == {"kernelspec": clean_notebooks.KERNEL}
    assert clean.cells[0].metadata == {"tags": ["a"]}
    assert clean.cells[0].outputs == [output] and clean.cells[0].execution_count == 3


def test_saving_an_open_notebook_in_jupyterlab_changes_nothing(tmp_path):
    path = runner.NOTEBOOKS / "10-tournaments.ipynb"
    content = nbformat.read(path, as_version=4)
    content.metadata["language_info"] = {"name": "python", "version": "3.12.1"}
    content.metadata["kernelspec"]["display_name"] = "Python 3"
    content.cells[1].metadata["trusted"] = True
    model = {"type": "notebook", "content": content}
    clean_notebooks.clean_on_save(model, path="notebooks/10-tournaments.ipynb")
    nbformat.write(model["content"], tmp_path / "saved.ipynb")
    assert filecmp.cmp(tmp_path / "saved.ipynb", path, shallow=False)
