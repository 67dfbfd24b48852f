"""Execute the notebooks, keep what they found, and say how it went."""

import os
import shutil
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
import pandas as pd
import papermill
from traitlets.config import Config

from wmtlib.judgements.errors import DataError
from wmtlib.releases import sources
from wmtlib.releases.sources import ROOT, Source
from wmtlib.releases.storage import atomic_write, file_sha256
from wmtlib.study import manifest, published, report, scoreboard, stamps, task_figures
from wmtlib.study.clean_notebooks import write_clean
from wmtlib.study.folders import list_written, output_folder

NOTEBOOKS = ROOT / "notebooks"
SLOWEST = ("20", "31", "33", "30", "32", "22")  # they start first
LAST = "23"  # it uses what 20 has measured
GROUPS = {  # of the report, by the first digit of a notebook's name
    "0": "The data",
    "1": "Lopez (2012)",
    "2": "Hopkins & May (2013)",
    "3": "Knowles (2021)",
    "4": "Your own judgements",
    "5": "Your own judgements",
    "6": "Past the papers",
}


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


def reproduce(source: Source, processes: int) -> int:
    """Run everything, write results/, figures/ and the report; 0 if nothing is unexplained."""
    start = time.perf_counter()
    announce(source)
    folder, output = (output_folder(source, committed=kind) for kind in (False, True))
    jobs, keys = notebook_jobs(folder, source, runs())
    jobs["lopez2012-task-figures"] = partial(task_figures.save_all, sources.resolve(source.route))
    keys["lopez2012-task-figures"] = stamps.key([], source)
    environment = {"WMTLIB_SOURCE": source.route}
    if failed := execute_all(jobs, keys, folder, environment=environment, processes=processes):
        print(f"{len(failed)} notebooks failed; results are not complete", file=sys.stderr)
        return 1
    board = scoreboard.join_scoreboards(folder / "scoreboard")
    scoreboard.save_table(board, "scoreboard", source)
    stamp_files = [folder / "stamps" / f"{name}.json" for name in jobs]
    manifest.write_manifest(output, stamp_files, source)
    if output == ROOT:
        commit_outputs(source)
    index = ROOT / "build" / "report" / "index.html"
    stamp = folder / "stamps" / "report.json"
    key = stamps.key(map(file_sha256, stamp_files), source)
    if os.environ.get("FORCE") or not stamps.is_current(stamp, key):
        build_report(source)
        stamps.save_stamp(stamp, key, index.parent.glob("*.html"))
    print(f"\nReport:    {index}\nTables:    {output / 'results'}\nFigures:   {output / 'figures'}")
    print(f"Took:      {time.perf_counter() - start:.0f} s")
    return verdict(board, source)


def rank_file(path: Path, kind: str, task: str, folder: Path) -> Path:
    """Run 40-your-data on a user's file (`make rank`); the page that it writes into `folder`.

    Raises
    ------
    DataError
        What the notebook refuses, in its own words.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    wanted = {"path": str(path.absolute()), "kind": kind, "task": task, "out": str(folder)}
    try:
        execute(Run("40-your-data", wanted), folder, name="your-data")
    except papermill.PapermillExecutionError as error:
        if error.ename == "DataError":
            raise DataError(error.evalue) from None
        raise
    return folder / "index.html"


def check_scoreboard(source: Source, processes: int) -> int:
    """Recompute the scoreboard alone; 0 if it is explained and results/ and figures/ are intact."""
    announce(source)
    folder = ROOT / "build" / "check"
    jobs, keys = notebook_jobs(folder, source, [*map(Run, published.notebooks())])
    environment = {"WMTLIB_SOURCE": source.route, "WMTLIB_OUTPUT": str(folder)}
    if execute_all(jobs, keys, folder, environment=environment, processes=processes):
        return 1
    board = scoreboard.join_scoreboards(folder / "scoreboard")
    failed, faults = verdict(board, source), manifest.faults(ROOT)
    sys.stderr.writelines(f"{fault}\n" for fault in faults)
    return failed or int(bool(faults))


def announce(source: Source) -> None:
    """Say where the data come from, and why not from a better place."""
    print(f"Data: {source.route} ({source.kind} data, hash {source.sha256})", flush=True)
    if source.notice:
        print(f"      because {source.notice}", flush=True)
    if source.kind != "raw":
        folder = output_folder(source, committed=True)
        print(f"      committed results stay; this run writes to {folder}", flush=True)


def commit_outputs(source: Source) -> None:
    """Put the executed notebooks into notebooks/, where they are committed."""
    for run in runs():
        executed = output_folder(source, committed=False) / "notebooks" / f"{run.name}.ipynb"
        (NOTEBOOKS / executed.name).write_bytes(executed.read_bytes())


def build_report(source: Source) -> Path:
    """Build build/report/index.html from the notebooks that were executed."""
    folder, output = (output_folder(source, committed=kind) for kind in (False, True))
    board = pd.read_csv(output / "results" / "scoreboard.csv", dtype=str, keep_default_na=False)
    notebooks = folder / "notebooks"
    pages = [
        report.Page(notebooks / f"{run.name}.ipynb", run.name, run.title, GROUPS[run.name[0]])
        for run in runs()
    ]
    about = {"Data": f"{source.kind} (hash {source.sha256})"}
    if source.kind != "raw":
        raw = pd.read_csv(ROOT / "results" / "scoreboard.csv", dtype=str, keep_default_na=False)
        found = f"{scoreboard.summary_line(raw)} (the committed results/scoreboard.csv)"
        about["From the raw files"] = found
    return report.build(
        pages,
        board,
        about=about,
        folder=ROOT / "build" / "report",
        figures=output / "figures",
        results=output / "results",
    )


def verdict(board: pd.DataFrame, source: Source) -> int:
    """Print the summary and every unexplained row; 0 if there is none."""
    print(f"\nPublished values, from {source.kind} data")
    print("\n".join(map(str.capitalize, scoreboard.summary_line(board).split("; "))))
    for row in board[board["status"] == "unexplained"].itertuples():
        print(
            f"UNEXPLAINED {row.paper} {row.item}, {row.quantity}:"
            f" published {row.published}, reproduced {row.reproduced} {row.reason}",
            file=sys.stderr,
        )
    return int((board["status"] == "unexplained").any())
