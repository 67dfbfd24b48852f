"""Notebooks as they are kept: with outputs, but nothing that differs between runs."""

from pathlib import Path
from typing import Any

import nbformat
from nbconvert.preprocessors import CoalesceStreamsPreprocessor
from nbstripout import strip_output

KERNEL = {
    "display_name": "Python 3 (ipykernel)",
    "language": "python",
    "name": "python3",
}
VOLATILE = [
    "metadata.papermill",
    "metadata.language_info",
    "cell.metadata.papermill",
    "cell.metadata.execution",
    "cell.metadata.ExecuteTime",
    "cell.metadata.trusted",
]


def clean_notebook(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook without times, versions and what else differs between equal runs.

    What a cell prints may reach the kernel's client in one piece or in several: it
    becomes one.
    """
    CoalesceStreamsPreprocessor().preprocess(notebook, {})
    notebook.metadata["kernelspec"] = nbformat.from_dict(KERNEL)
    return strip_output(
        notebook, keep_output=True, keep_count=True, keep_id=True, extra_keys=VOLATILE
    )


def write_clean(notebook: nbformat.NotebookNode, path: Path) -> None:
    """Write a notebook as it is kept in git."""
    nbformat.write(clean_notebook(notebook), path)


def clean_on_save(model: dict[str, Any], **_: object) -> None:
    """What JupyterLab does before it saves (`make lab`): clean the notebook.

    `model` is a file of Jupyter's contents manager; its content is replaced.
    """
    if model["type"] == "notebook":
        model["content"] = clean_notebook(nbformat.from_dict(model["content"]))
