"""`make reproduce`, `make check`, `make report` and `make rank`: run notebooks, say how it went.

What has to run is for the Makefile to find out; make calls this module for each
notebook, and for what is made of all of them. `reproduce` and `check_scoreboard` call
make.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import papermill
from traitlets.config import Config

from wmtlib.errors import DataError
from wmtlib.study import published, scoreboard
from wmtlib.study.releases import assessment_catalogue, sources
from wmtlib.study.releases.sources import ROOT, Source
from wmtlib.study.releases.storage import atomic_write
from wmtlib.study.running import manifest, report
from wmtlib.study.running.clean_notebooks import write_clean
from wmtlib.study.running.folders import output_folder

NOTEBOOKS = ROOT / "notebooks"
# Make in a process group of its own, with a watchman: we hold the other end of its
# input, and when that closes, however we end, the watchman kills the group. Kernels end
# when their parent is gone.
WATCHED = 'exec 3<&0 </dev/null; (read _ <&3; kill -9 0) & exec make "$@" 3<&-'
MAKE = ["sh", "-c", WATCHED, "make"]


# --- what make calls ------------------------------------------------------------------


def main(step: str, *paths: str) -> int:
    """A step of the Makefile: "notebook" SOURCE TARGET, "scores" or "report".

    Of a notebook, a line says how long it took, or what the error is. Gives 0, or 1 on
    an error.
    """
    if step != "notebook":  # make has named the route
        source = sources.resolve("auto", assessment_catalogue.all_campaigns())
        save_scores(source) if step == "scores" else build_report(source)
        return 0
    start, name = time.perf_counter(), Path(paths[0]).stem
    try:
        execute(*map(Path, paths))
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        if isinstance(error, papermill.PapermillExecutionError):
            reason = f"cell {error.exec_count}: {error.ename}: {error.evalue}"
        print(f"  FAILED  {name}: {' '.join(reason.split())}", flush=True)
        return 1
    print(f"{time.perf_counter() - start:6.1f} s  {name}", flush=True)
    return 0


def execute(
    notebook: Path, target: Path, parameters: dict[str, Any] | None = None
) -> None:
    """Execute a notebook into `target`, which appears only if every cell ran.

    What varies between runs is taken out of it. `parameters` are what papermill
    injects.
    """
    target.unlink(missing_ok=True)
    with (
        tempfile.TemporaryDirectory(
            prefix="wmtlib-", ignore_cleanup_errors=True
        ) as sockets,
        atomic_write(target) as unfinished,
    ):
        # Sockets of its own: kernels that start side by side may pick the same TCP
        # port.
        config = Config(KernelManager={"transport": "ipc", "ip": f"{sockets}/kernel"})
        options = {
            "kernel_name": "python3",
            "cwd": notebook.parent,
            "progress_bar": False,
        }
        papermill.execute_notebook(
            notebook, unfinished, parameters, config=config, **options
        )
        write_clean(nbformat.read(unfinished, as_version=4), unfinished)


def save_scores(source: Source) -> None:
    """Write results/scoreboard.csv and results/manifest.csv from what the notebooks have left."""
    folder, output = (output_folder(source, committed=kind) for kind in (False, True))
    board = scoreboard.join_scoreboards(folder / "scoreboard")
    scoreboard.save_table(board, "scoreboard", source)
    names = sorted(path.stem for path in NOTEBOOKS.glob("[0-9]*.ipynb"))
    manifest.write_manifest(
        output, [folder / "written" / f"{name}.txt" for name in names], source
    )


# --- what calls make ------------------------------------------------------------------


def reproduce(source: Source, processes: int) -> int:
    """Run everything, write results/, figures/ and the report; 0 if nothing is unexplained."""
    start = time.perf_counter()
    announce(source)
    folder, output = (output_folder(source, committed=kind) for kind in (False, True))
    for notebook, _ in manifest.faults(output):
        if notebook is not None:
            made = f"written/{notebook}.txt" if notebook else "scored"
            (folder / made).unlink(missing_ok=True)
    if not call_make(
        "study", source, folder, processes, f"COMMIT={'yes' * (output == ROOT)}"
    ):
        print("A notebook failed; results are not complete", file=sys.stderr)
        return 1
    index = ROOT / "build" / "report" / "index.html"
    print(
        f"\nReport:    {index}\nTables:    {output / 'results'}\nFigures:   {output / 'figures'}"
    )
    print(f"Took:      {time.perf_counter() - start:.0f} s")
    return verdict(read_scoreboard(output), source)


def check_scoreboard(source: Source, processes: int) -> int:
    """Recompute the scoreboard alone; 0 if it is explained and results/ and figures/ are intact."""
    announce(source)
    folder = ROOT / "build" / "check"
    notebooks = f"NOTEBOOKS={' '.join(published.notebooks())}"
    if not call_make(
        "executed", source, folder, processes, notebooks, f"WMTLIB_OUTPUT={folder}"
    ):
        return 1
    board = scoreboard.join_scoreboards(folder / "scoreboard")
    unexplained, faults = verdict(board, source), manifest.faults(ROOT)
    sys.stderr.writelines(f"{fault}\n" for _, fault in faults)
    return unexplained or int(bool(faults))


def call_make(
    target: str, source: Source, folder: Path, processes: int, *variables: str
) -> bool:
    """Call make for a target whose files go into `folder`; whether all went well.

    With `FORCE` in the environment, everything is made anew. A DataError: there is no
    make. Make and all that it calls end when we do, interrupted, terminated or killed:
    see `MAKE`.
    """
    if not shutil.which("make"):
        raise DataError("notebooks are run by make, which is not installed")
    command = [*MAKE, "--no-print-directory", "--keep-going", target]
    command += [f"--jobs={processes or os.cpu_count()}", f"PY={sys.executable}"]
    command += [f"OUT={os.path.relpath(folder, ROOT)}", f"DATA={source.sha256}"]
    command += [f"WMTLIB_SOURCE={source.route}", *variables]
    command += ["--always-make"] if os.environ.get("FORCE") else []
    above = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")  # of a make that called us
    environment = {
        name: value for name, value in os.environ.items() if name not in above
    }
    for number in (signal.SIGTERM, signal.SIGHUP):  # like Ctrl-C, from now on
        signal.signal(number, signal.default_int_handler)
    with tempfile.TemporaryDirectory(
        prefix="wmtlib-", ignore_cleanup_errors=True
    ) as scratch:
        options = {"env": environment | {"TMPDIR": scratch}, "stdin": subprocess.PIPE}
        with subprocess.Popen(
            command, cwd=ROOT, start_new_session=True, **options
        ) as process:
            return process.wait() == 0


def rank_file(path: Path, kind: str, task: str, folder: Path) -> Path:
    """Run 40-your-data on a user's file (`make rank`); the page that it writes into `folder`.

    Raises
    ------
    DataError
        What the notebook refuses, in its own words.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    wanted = {
        "path": str(path.absolute()),
        "kind": kind,
        "task": task,
        "out": str(folder),
    }
    try:
        execute(NOTEBOOKS / "40-your-data.ipynb", folder / "your-data.ipynb", wanted)
    except papermill.PapermillExecutionError as error:
        if error.ename == "DataError":
            raise DataError(error.evalue) from None
        raise
    return folder / "index.html"


def build_report(source: Source) -> Path:
    """Build build/report/index.html from the notebooks that were executed.

    Raises
    ------
    DataError
        None were.
    """
    folder, output = (output_folder(source, committed=kind) for kind in (False, True))
    names = sorted(path.name for path in NOTEBOOKS.glob("[0-9]*.ipynb"))
    executed = [
        path for name in names if (path := folder / "notebooks" / name).is_file()
    ]
    if not (executed and (output / "results" / "scoreboard.csv").is_file()):
        raise DataError(
            f"no notebook has run on {source.kind} data yet; make reproduce runs all"
        )
    about = {"Data": f"{source.kind} (hash {source.sha256})"}
    if source.kind != "raw":
        committed = scoreboard.summary_line(read_scoreboard(ROOT))
        about["From the raw files"] = (
            f"{committed} (the committed results/scoreboard.csv)"
        )
    board, folder = read_scoreboard(output), ROOT / "build" / "report"
    return report.build(executed, board, about, output / "figures", folder)


def read_scoreboard(folder: Path) -> pd.DataFrame:
    """The scoreboard below a folder, as text."""
    path = folder / "results" / "scoreboard.csv"
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def announce(source: Source) -> None:
    """Say where the data come from, and why not from a better place."""
    print(
        f"Data: {source.route} ({source.kind} data, hash {source.sha256})", flush=True
    )
    if source.notice:
        print(f"      because {source.notice}", flush=True)
    if source.kind != "raw":
        folder = output_folder(source, committed=True)
        print(f"      committed results stay; this run writes to {folder}", flush=True)


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


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
