"""Run one notebook: a step of the Makefile, a command of its own, and `make rank`.

Every notebook pays for the start of such a step, so nothing of the study is imported
here, and papermill where it is used.
"""

import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from study.data.storage import atomic_write

if TYPE_CHECKING:
    from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
# What papermill and nbformat import for stores in a cloud and for web addresses: more
# than half of a step's start, and nothing that a notebook in a folder needs.
UNUSED = ("gcsfs", "pyarrow", "rfc3987_syntax")
LAST_SECONDS = 5.0  # for a step that is interrupted to end its kernel
# Of a notebook as it is kept in git.
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


def main(step: str, source: str, target: str, *words: str) -> int:
    """`notebook SOURCE TARGET [NAME=VALUE ...]`: run it, and say in a line how it went.

    Gives the exit code: 0; 1 on an error; 130 if it was interrupted.
    """
    end_with_make()
    for name in UNUSED:
        sys.modules[name] = None  # type: ignore[assignment]
    start = time.perf_counter()
    name = Path(source).stem
    try:
        parameters = chosen_parameters(Path(source), words)
        execute(Path(source), Path(target), **parameters)
    except KeyboardInterrupt:
        print(f"  interrupted  {name}", flush=True)
        return 130
    except Exception as error:
        print(f"  FAILED  {name}: {reason_of(error)}", flush=True)
        return 1
    seconds = time.perf_counter() - start
    print(f"{seconds:6.1f} s  {done(Path(source), Path(target))}  {name}", flush=True)
    return 0


def done(notebook: Path, target: Path) -> str:
    """How many notebooks are up to date, with the one that was executed just now.

    Make gives a notebook its own name after this step.
    """
    inputs = target.parent.parent / "inputs"
    oldest = inputs.stat().st_mtime if inputs.exists() else 0.0
    sources = [*notebook.parent.glob("[0-9]*.ipynb")]
    number = 1
    for source in sources:
        executed = target.with_name(source.name)
        if executed.exists() and executed.stem != target.stem:
            number += executed.stat().st_mtime >= max(oldest, source.stat().st_mtime)
    return f"{number} of {len(sources)} notebooks"


def end_with_make() -> None:
    """End as by Ctrl-C when make ends, however that ends; `$MAKE_PID` is its number.

    A signal to make reaches its steps, but nothing tells them of `kill -9`: they see
    that they have another parent.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    make = os.environ.get("MAKE_PID")

    def watch() -> None:
        while str(os.getppid()) == make:
            time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(LAST_SECONDS)
        os._exit(1)

    if make:
        threading.Thread(target=watch, daemon=True).start()


def reason_of(error: Exception) -> str:
    """What went wrong, in a line: of a notebook, the cell and its error."""
    from papermill import PapermillExecutionError

    if isinstance(error, PapermillExecutionError):
        reason = f"cell {error.exec_count}: {error.ename}: {error.evalue}"
    else:
        reason = f"{type(error).__name__}: {error}"
    return " ".join(reason.split())


def chosen_parameters(notebook: Path, words: Sequence[str]) -> dict[str, Any]:
    """What words NAME=VALUE, and the file `$WMTLIB_PARAMETERS`, set for a notebook.

    Values are YAML, the file too. A name in the file holds for every notebook that has
    such a parameter; below the name of a notebook it holds for that one.

    Raises
    ------
    DataError
        The notebook has no such parameter.
    """
    chosen: dict[str, Any] = {}
    file = os.environ.get("WMTLIB_PARAMETERS")
    if not (words or file):
        return chosen
    import yaml
    from papermill import inspect_notebook

    from wmtlib.errors import DataError

    names = inspect_notebook(notebook)
    if file:
        settings = yaml.safe_load(Path(file).read_text("utf-8"))
        chosen |= {name: settings[name] for name in names if name in settings}
        chosen |= settings.get(notebook.stem, {})
    for word in words:
        name, _, value = word.partition("=")
        chosen[name] = yaml.safe_load(value)
    for name in chosen:
        if name not in names:
            expected = ", ".join(names)
            raise DataError(f"no parameter {name!r}; {notebook.stem} has {expected}")
    return chosen


def execute(notebook: Path, target: Path, **parameters: Any) -> None:
    """Execute a notebook into `target`, which appears only if every cell ran.

    What varies between runs is taken out of it. `parameters` are what papermill
    injects.
    """
    import nbformat
    import papermill
    from traitlets.config import Config

    target.unlink(missing_ok=True)
    with (
        tempfile.TemporaryDirectory(
            prefix="wmtlib-", ignore_cleanup_errors=True
        ) as scratch,
        atomic_write(target) as unfinished,
    ):
        # Sockets of its own: kernels that start together may pick the same TCP port.
        sockets = {"transport": "ipc", "ip": f"{scratch}/kernel"}
        papermill.execute_notebook(
            notebook,
            unfinished,
            parameters,
            kernel_name="python3",
            cwd=notebook.parent,
            progress_bar=False,
            config=Config(KernelManager=sockets),
        )
        executed = nbformat.read(unfinished, as_version=4)
        nbformat.write(clean_notebook(executed), unfinished)


def clean_notebook(notebook: "NotebookNode") -> "NotebookNode":
    """The notebook without times, versions and what else differs between equal runs.

    What a cell prints may reach the kernel's client in one piece or in several: it
    becomes one.
    """
    import nbformat
    from nbconvert.preprocessors import CoalesceStreamsPreprocessor
    from nbstripout import strip_output

    CoalesceStreamsPreprocessor().preprocess(notebook, {})
    notebook.metadata["kernelspec"] = nbformat.from_dict(KERNEL)
    return strip_output(
        notebook, keep_output=True, keep_count=True, keep_id=True, extra_keys=VOLATILE
    )


def clean_on_save(model: dict[str, Any], **_: object) -> None:
    """What JupyterLab does before it saves (`make lab`): clean the notebook.

    `model` is a file of Jupyter's contents manager; its content is replaced.
    """
    import nbformat

    if model["type"] == "notebook":
        model["content"] = clean_notebook(nbformat.from_dict(model["content"]))


def rank_file(path: Path, kind: str, task: str, folder: Path) -> Path:
    """Run 40-your-data on a user's file (`make rank`); `folder` receives its page.

    Raises
    ------
    DataError
        What the notebook refuses, in its own words.
    """
    from papermill import PapermillExecutionError

    from wmtlib.errors import DataError

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        execute(
            NOTEBOOKS / "40-your-data.ipynb",
            folder / "your-data.ipynb",
            path=str(path.absolute()),
            kind=kind,
            task=task,
            out=str(folder),
        )
    except PapermillExecutionError as error:
        if error.ename == "DataError":
            raise DataError(error.evalue) from None
        raise
    return folder / "index.html"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
