"""papermill's own command line, with an engine for notebooks that run side by side.

`python -m study.run.papermill SOURCE TARGET [OPTION ...]` leaves TARGET as git keeps
notebooks. If a cell fails, the last line of the errors says which one, and why.
"""

import signal
import sys
from tempfile import TemporaryDirectory
from typing import Any

if __name__ == "__main__":
    # nbformat and papermill would load these, where they are installed, for addresses
    # in a schema and in the cloud: four fifths of the time of a start.
    for name in ("rfc3987_syntax", "gcsfs", "pyarrow.fs"):
        sys.modules[name] = None  # type: ignore[assignment]

from nbconvert.preprocessors import CoalesceStreamsPreprocessor
from nbformat import NotebookNode
from nbstripout import strip_output

from study.run.execute import end_with_parent

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


def clean_notebook(notebook: NotebookNode) -> NotebookNode:
    """Remove times, versions and what else differs between equal runs.

    What a cell prints may reach the kernel's client in one piece or in several: it
    becomes one.
    """
    CoalesceStreamsPreprocessor().preprocess(notebook, {})
    notebook.metadata["kernelspec"] = KERNEL
    return strip_output(
        notebook, keep_output=True, keep_count=True, keep_id=True, extra_keys=VOLATILE
    )


def main() -> None:
    """Call papermill's command line."""
    from papermill import PapermillExecutionError, cli, engines
    from traitlets.config import Config

    class Engine(engines.NBClientEngine):
        """papermill's usual engine; its kernel has sockets of its own."""

        @classmethod
        def execute_notebook(cls, *arguments: Any, **settings: Any) -> NotebookNode:
            # Kernels that start together may choose the same TCP port.
            with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                sockets = {"transport": "ipc", "ip": f"{folder}/kernel"}
                config = Config(KernelManager=sockets)
                run = super().execute_notebook(*arguments, config=config, **settings)
            return clean_notebook(run)

    engines.papermill_engines.register(None, Engine)
    # By `kill`, or without the process that called it, it ends as by Ctrl-C: with its
    # kernel.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    end_with_parent()
    try:
        cli.papermill()
    except PapermillExecutionError as error:
        reason = f"cell {error.exec_count}: {error.ename}: {error.evalue}"
        sys.exit(" ".join(reason.split()))


if __name__ == "__main__":
    main()
