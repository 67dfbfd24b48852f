"""`make reproduce`, `make check`, `make report` and `make rank`: run notebooks, say how it went."""

import os
import shutil
import sys
import time
from functools import partial
from pathlib import Path

import pandas as pd
import papermill

from wmtlib.errors import DataError
from wmtlib.study import manifest, pictures, published, report, scoreboard, stamps
from wmtlib.study.execution import NOTEBOOKS, Run, execute, execute_all, notebook_jobs, runs
from wmtlib.study.folders import output_folder
from wmtlib.study.releases import sources
from wmtlib.study.releases.sources import ROOT, Source
from wmtlib.study.releases.storage import file_sha256

GROUPS = {  # of the report, by the first digit of a notebook's name
    "0": "The data",
    "1": "Lopez (2012)",
    "2": "Hopkins & May (2013)",
    "3": "Knowles (2021)",
    "4": "Your own judgements",
    "5": "Your own judgements",
    "6": "Beyond the papers",
}


def reproduce(source: Source, processes: int) -> int:
    """Run everything, write results/, figures/ and the report; 0 if nothing is unexplained."""
    start = time.perf_counter()
    announce(source)
    folder, output = (output_folder(source, committed=kind) for kind in (False, True))
    jobs, keys = notebook_jobs(folder, source, runs())
    jobs["lopez2012-task-figures"] = partial(pictures.save_tasks, sources.resolve(source.route))
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
    """Build build/report/index.html from the notebooks that were executed.

    Raises
    ------
    DataError
        None were.
    """
    folder, output = (output_folder(source, committed=kind) for kind in (False, True))
    notebooks, scores = folder / "notebooks", output / "results" / "scoreboard.csv"
    if not (notebooks.is_dir() and scores.is_file()):
        raise DataError(f"no notebook has run on {source.kind} data yet; make reproduce runs all")
    board = pd.read_csv(scores, dtype=str, keep_default_na=False)
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
