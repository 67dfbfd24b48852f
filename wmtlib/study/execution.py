"""Execute notebooks side by side, the slowest first; only those for which something changed."""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
import papermill
from traitlets.config import Config

from wmtlib.study import stamps
from wmtlib.study.clean_notebooks import write_clean
from wmtlib.study.folders import list_written
from wmtlib.study.releases.sources import ROOT, Source
from wmtlib.study.releases.storage import atomic_write

NOTEBOOKS = ROOT / "notebooks"
SLOWEST = ("61", "31", "60", "20", "33", "62", "63", "30", "32", "22")  # they start first
LAST = "23"  # it uses what 20 has measured


@dataclass(frozen=True)
class Run:
    """One execution of a notebook.

    Attributes
    ----------
    notebook : str
        Stem of the file in notebooks/.
    parameters : mapping
        What papermill injects. A run without parameters is the one whose outputs are committed.
    folder : Path
        Of the notebook's file; worker processes are told, whichever way Python starts them.
    """

    notebook: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    folder: Path = field(default_factory=lambda: NOTEBOOKS)

    @property
    def name(self) -> str:
        return "-".join([self.notebook, *map(str, self.parameters.values())])

    @property
    def cells(self) -> list[str]:
        """Source of every cell."""
        return [c.source for c in nbformat.read(self.folder / f"{self.notebook}.ipynb", 4).cells]

    @property
    def title(self) -> str:
        """The notebook's first heading."""
        return self.cells[0].splitlines()[0].lstrip("# ")


def runs() -> list[Run]:
    """Every notebook, in the order of their names."""
    return [Run(path.stem) for path in sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))]


def execute(run: Run, folder: Path, *, name: str = "") -> float:
    """Execute one notebook into `folder`, under its own name if none is given; seconds it took.

    The file appears only if every cell ran; what varies between runs is taken out of it.
    """
    start = time.perf_counter()
    target = folder / f"{name or run.name}.ipynb"
    target.unlink(missing_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="wmtlib-", ignore_cleanup_errors=True) as sockets,
        atomic_write(target) as partial,
    ):
        papermill.execute_notebook(
            run.folder / f"{run.notebook}.ipynb",
            partial,
            dict(run.parameters),
            kernel_name="python3",
            cwd=run.folder,
            progress_bar=False,
            # Sockets of its own: kernels that start side by side may pick the same TCP port.
            config=Config(KernelManager={"transport": "ipc", "ip": f"{sockets}/kernel"}),
        )
        write_clean(nbformat.read(partial, as_version=4), partial)
    list_written(target)
    return time.perf_counter() - start


def execute_all(
    jobs: Mapping[str, Callable[[], Any]],
    keys: Mapping[str, str],
    folder: Path,
    *,
    environment: Mapping[str, str],
    processes: int,
) -> list[str]:
    """Do the jobs whose stamps in `folder` are not current, a line each; the names that failed.

    `environment` is for the kernels. With `FORCE` set in our own, all jobs are done.
    """
    logs = folder / "notebooks"
    logs.mkdir(parents=True, exist_ok=True)
    (logs / "kernels.log").unlink(missing_ok=True)
    stamp_of = {name: folder / "stamps" / f"{name}.json" for name in jobs}
    if not os.environ.get("FORCE"):
        current = {name for name in jobs if stamps.is_current(stamp_of[name], keys[name])}
        jobs = {name: job for name, job in jobs.items() if name not in current}
        if current:
            print(f"Unchanged: {len(current)} of {len(stamp_of)} (FORCE=1 runs all)", flush=True)
    # One thread each: the kernels share the cores, and small matrices gain nothing.
    environment = {**environment, "OMP_NUM_THREADS": "1"}
    failed = []
    with ProcessPoolExecutor(
        processes or os.cpu_count(), initializer=_prepare, initargs=(environment, logs)
    ) as pool:
        futures = {
            pool.submit(_stamped, job, keys[name], stamp_of[name]): name
            for name, job in jobs.items()
        }
        for done, future in enumerate(as_completed(futures), start=1):
            name, error = futures[future], future.exception()
            outcome = f"{future.result():6.1f} s" if error is None else "  FAILED"
            print(f"[{done:2d}/{len(jobs)}] {outcome}  {name}", flush=True)
            if error is not None:
                failed.append(name)
                print(f"        {failure_reason(error)}", file=sys.stderr, flush=True)
    return failed


def _prepare(environment: Mapping[str, str], folder: Path) -> None:
    """In a worker process: what its kernels inherit; what they say of themselves goes to a log."""
    os.environ.update(environment)
    log = os.open(folder / "kernels.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(log, 2)


def _stamped(job: Callable[[], Any], key: str, stamp: Path) -> float:
    """In a worker process: do a job and stamp what it wrote; seconds it took."""
    start = time.perf_counter()
    stamp.unlink(missing_ok=True)
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as written:
        os.environ["WMTLIB_WRITTEN"] = written.name
        job()
        stamps.save_stamp(stamp, key, {Path(line) for line in written.read().splitlines()})
    return time.perf_counter() - start


def failure_reason(error: BaseException) -> str:
    """The line of a failed notebook that says why."""
    if isinstance(error, papermill.PapermillExecutionError):
        return f"cell {error.exec_count}: {error.ename}: {error.evalue}"
    return f"{type(error).__name__}: {error}"


def notebook_jobs(folder: Path, source: Source, chosen: list[Run]) -> tuple[dict, dict]:
    """Jobs that execute notebooks into `folder`/notebooks, the slowest first, and their keys."""
    rank = {number: place for place, number in enumerate([*SLOWEST, "", LAST])}
    chosen = sorted(chosen, key=lambda run: rank.get(run.name[:2], rank[""]))
    jobs = {run.name: partial(execute, run, folder / "notebooks") for run in chosen}
    return jobs, {run.name: stamps.key(run.cells, source) for run in chosen}
