"""Execute the notebooks, keep what they found, and say how it went."""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import papermill
from nbstripout import strip_output
from traitlets.config import Config

from wmtlib.judgements.errors import DataError
from wmtlib.releases import ranking_releases
from wmtlib.releases.sources import ROOT, Source
from wmtlib.releases.storage import atomic_write
from wmtlib.study import report, scoreboard
from wmtlib.study.folders import output_folder

NOTEBOOKS = ROOT / "notebooks"
LOPEZ = "Lopez 2012"
HOPKINS = "Hopkins & May 2013"
KNOWLES = "Knowles 2021"
OWN = "Your own judgements"
# Keys that change from run to run or from machine to machine; all else is kept.
VOLATILE = ["metadata.papermill", "metadata.language_info", "cell.metadata.papermill"]
VOLATILE += ["cell.metadata.execution", "cell.metadata.ExecuteTime"]


@dataclass(frozen=True)
class Run:
    """One execution of a notebook.

    Attributes
    ----------
    notebook : str
        Stem of the file in notebooks/.
    title, group : str
        How the report lists it.
    parameters : mapping
        What papermill injects. A run without parameters is the one whose outputs are committed.
    paper : str
        The paper whose scoreboard the notebook computes, if it does.
    """

    notebook: str
    title: str
    group: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    paper: str = ""

    @property
    def name(self) -> str:
        return "-".join([self.notebook, *map(str, self.parameters.values())])


def runs() -> list[Run]:
    """Everything that `make reproduce` executes, the slowest first."""
    tasks = ranking_releases.tasks("embedded").query("not campaign.str.endswith('crowd')")
    return [
        Run("20-hopkins2013-perplexity", "Preference models, judged", HOPKINS, paper="hopkins2013"),
        Run("23-which-model", "Which analysis should one trust?", HOPKINS),
        Run(
            "22-hopkins2013-sampler",
            "The samplers, derived and checked",
            HOPKINS,
            paper="hopkins2013",
        ),
        Run("21-hopkins2013-abilities", "Abilities", HOPKINS, paper="hopkins2013"),
        Run("10-lopez2012", "Putting Human Assessments in Order", LOPEZ, paper="lopez2012"),
        Run(
            "33-knowles2021-protocols",
            "Which protocol can be trusted? Campaigns with known truth",
            KNOWLES,
            paper="knowles2021",
        ),
        Run(
            "31-knowles2021-stability",
            "Would the ranking be another?",
            KNOWLES,
            paper="knowles2021",
        ),
        Run(
            "30-knowles2021-rankings",
            "From 0-100 to a ranking: direct assessment, replicated",
            KNOWLES,
            paper="knowles2021",
        ),
        Run(
            "32-knowles2021-case",
            "A ranking that moves: 2020 English-German",
            KNOWLES,
            paper="knowles2021",
        ),
        Run("00-data", "The data", "Data"),
        Run("40-your-data", "Your own judgements", OWN),
        Run("50-explore", "Explore", OWN),
        Run("11-lopez2012-task", "One task, by default 2010 French-English", LOPEZ),
        *(
            Run(
                "11-lopez2012-task",
                ranking_releases.label(campaign, task),
                f"{LOPEZ}, task by task",
                {"campaign": campaign, "task": task},
            )
            for campaign, task in tasks[["campaign", "task"]].to_numpy()
        ),
    ]


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
            NOTEBOOKS / f"{run.notebook}.ipynb",
            partial,
            dict(run.parameters),
            kernel_name="python3",
            cwd=NOTEBOOKS,
            progress_bar=False,
            # Sockets of its own: kernels that start side by side may pick the same TCP port.
            config=Config(KernelManager={"transport": "ipc", "ip": f"{sockets}/kernel"}),
        )
        write_clean(nbformat.read(partial, as_version=4), partial)
    return time.perf_counter() - start


def write_clean(notebook: nbformat.NotebookNode, path: Path) -> None:
    """Write a notebook with its outputs but nothing that changes from run to run."""
    clean = strip_output(
        notebook, keep_output=True, keep_count=True, keep_id=True, extra_keys=VOLATILE
    )
    nbformat.write(clean, path)


def execute_all(todo: Sequence[Run], source: Source, jobs: int) -> list[Run]:
    """Execute notebooks side by side, a line each as they finish; return those that failed."""
    folder = output_folder(source, committed=False) / "notebooks"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kernels.log").unlink(missing_ok=True)
    shutil.rmtree(output_folder(source, committed=False) / "scoreboard", ignore_errors=True)
    os.environ["WMTLIB_SOURCE"] = source.route  # the kernels inherit the decision
    os.environ["OMP_NUM_THREADS"] = (
        "1"  # the notebooks share the cores; small matrices gain nothing
    )
    failed = []
    with ProcessPoolExecutor(jobs, initializer=log_stderr, initargs=(folder,)) as pool:
        futures = {pool.submit(execute, run, folder): run for run in todo}
        for done, future in enumerate(as_completed(futures), start=1):
            run, error = futures[future], future.exception()
            outcome = f"{future.result():6.1f} s" if error is None else "  FAILED"
            print(f"[{done:2d}/{len(todo)}] {outcome}  {run.name}", flush=True)
            if error is not None:
                failed.append(run)
                print(f"        {reason(error)}", file=sys.stderr, flush=True)
    return failed


def log_stderr(folder: Path) -> None:
    """Keep what kernels say about themselves out of the terminal, in kernels.log."""
    log = os.open(folder / "kernels.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(log, sys.__stderr__.fileno())


def reason(error: BaseException) -> str:
    """The line of a failed notebook that says why."""
    if isinstance(error, papermill.PapermillExecutionError):
        return f"cell {error.exec_count}: {error.ename}: {error.evalue}"
    return f"{type(error).__name__}: {error}"


def reproduce(source: Source, jobs: int) -> int:
    """Run everything, write results/, figures/ and the report; 0 if nothing is unexplained."""
    start = time.perf_counter()
    announce(source)
    failed = execute_all(runs(), source, jobs or os.cpu_count() or 1)
    if failed:
        print(f"{len(failed)} notebooks failed; results are not complete", file=sys.stderr)
        return 1
    board = scoreboard.join_scoreboards(source)
    if output_folder(source, committed=True) == ROOT:
        commit_outputs(source)
    index = build_report(source)
    print(f"\nReport:    {index}\nTables:    {output_folder(source, committed=True) / 'results'}")
    print(f"Figures:   {output_folder(source, committed=True) / 'figures'}")
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
        execute(Run("40-your-data", "", OWN, wanted), folder, name="your-data")
    except papermill.PapermillExecutionError as error:
        if error.ename == "DataError":
            raise DataError(error.evalue) from None
        raise
    return folder / "index.html"


def check(source: Source, jobs: int) -> int:
    """Recompute the scoreboard alone; 0 if nothing is unexplained."""
    announce(source)
    os.environ["WMTLIB_OUTPUT"] = str(ROOT / "build" / "check")
    if execute_all([run for run in runs() if run.paper], source, jobs or os.cpu_count() or 1):
        return 1
    return verdict(scoreboard.join_scoreboards(source), source)


def announce(source: Source) -> None:
    """Say where the data come from, and why not from a better place."""
    print(f"Data: {source.route} ({source.kind} data, hash {source.sha256})", flush=True)
    if source.notice:
        print(f"      because {source.notice}", flush=True)
    if source.kind != "raw":
        folder = output_folder(source, committed=True)
        print(f"      committed results stay; this run writes to {folder}", flush=True)


def commit_outputs(source: Source) -> None:
    """Put the outputs of the runs without parameters into notebooks/, where they are committed."""
    for run in runs():
        if not run.parameters:
            executed = output_folder(source, committed=False) / "notebooks" / f"{run.name}.ipynb"
            (NOTEBOOKS / executed.name).write_bytes(executed.read_bytes())


def build_report(source: Source) -> Path:
    """Build build/report/index.html from the notebooks that were executed."""
    output = output_folder(source, committed=True)
    board = pd.read_csv(output / "results" / "scoreboard.csv", dtype=str, keep_default_na=False)
    folder = output_folder(source, committed=False) / "notebooks"
    pages = [
        report.Page(folder / f"{run.name}.ipynb", run.name, run.title, run.group)
        for run in sorted(runs(), key=lambda run: (bool(run.parameters), run.notebook))
    ]
    about = {"Data": f"{source.kind} (hash {source.sha256})"}
    return report.build(
        pages,
        board,
        about=about,
        folder=ROOT / "build" / "report",
        figures=output / "figures",
    )


def verdict(board: pd.DataFrame, source: Source) -> int:
    """Print the summary and every unexplained row; 0 if there is none."""
    counted = scoreboard.summary(board)
    print(
        f"\nPublished: {counted['published']} numbers, rankings, lists and claims,"
        f" from {source.kind} data"
        f"\nNumbers:   {counted['exact']} exact, {counted['rounded']} equal as rounded,"
        f" {counted['consistent']} consistent in part,"
        f" {counted['known-difference']} known differences,"
        f" {counted['not-checkable']} not checkable, {counted['unexplained']} unexplained"
        f"\nClaims:    {counted['holds']} hold, {counted['holds-partly']} hold partly,"
        f" {counted['does-not-hold']} do not hold"
    )
    for row in board[board["status"] == "unexplained"].itertuples():
        print(
            f"UNEXPLAINED {row.paper} {row.item}, {row.quantity}:"
            f" published {row.published}, reproduced {row.reproduced} {row.reason}",
            file=sys.stderr,
        )
    return int(counted["unexplained"] > 0)
