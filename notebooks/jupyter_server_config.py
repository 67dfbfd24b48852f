"""Settings of `make lab`: git shows no notebook that was opened and saved."""

import nbformat

from study.run.papermill import clean_notebook


def clean_on_save(model, **_):
    """Clean a notebook before JupyterLab saves it.

    `model` is a file of Jupyter's contents manager; its content is replaced.
    """
    if model["type"] == "notebook":
        model["content"] = clean_notebook(nbformat.from_dict(model["content"]))


get_config().ContentsManager.pre_save_hook = clean_on_save  # noqa: F821 (of Jupyter)
