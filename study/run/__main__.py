"""What make calls before and after the notebooks: data, scores, verdict.

What has to run is for the Makefile to find out. It calls `prepare` first, and reads
what that writes: where the data are, and the folder of what is executed.
"""

import os
import sys
import time
from pathlib import Path

import pandas as pd

from study.data import assessment_catalogue, sources
from study.data.sources import ROOT, Source
from study.data.storage import atomic_write
from study.run import manifest
from study.run.manifest import output_folder
from study.run.runner import NOTEBOOKS, end_with_make
from study.scoreboard import published, scoreboard
from wmtlib.errors import DataError

CHECKED = ROOT / "build" / "check"  # what `make check` computes
MINE = ROOT / "build" / "mine"  # what `make reproduce PARAMS=file` computes
VARIABLES = ROOT / "build" / "source.mk"  # what `prepare` tells make


def main(step: str, *words: str) -> int:
    """A step: "prepare" GOAL ROUTE JOBS, "scores", "verdict" or "check".

    Gives the exit code: 0; 1 where a verdict fails; 2 for data that cannot be had.
    """
    end_with_make()
    try:
        if step == "prepare":
            prepare(*words)
            return 0
        # Make has named the route.
        source = sources.resolve("auto", assessment_catalogue.all_campaigns())
        steps = {"scores": save_scores, "verdict": close, "check": check_scoreboard}
        return steps[step](source)
    except DataError as error:
        print(f"wmtlib: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("wmtlib: interrupted", file=sys.stderr)
        return 130


def prepare(goal: str, route: str, jobs: str) -> None:
    """Say where the data come from, and write it down for make; see `VARIABLES`.

    Unless `goal` is "check", what wrote a file that is lost or has changed runs again;
    with `FORCE` in the environment, every notebook does. With `PARAMS`, a file of
    parameters, notebooks run with those, and the repository keeps what it has.
    """
    source = sources.resolve(route, assessment_catalogue.all_campaigns())
    announce(source)
    if goal == "check":
        folder = CHECKED
        lines = [
            f"NOTEBOOKS := {' '.join(published.notebooks())}",
            f"export WMTLIB_OUTPUT := {folder}",
        ]
    elif parameters := os.environ.get("PARAMS"):
        check_parameters(Path(parameters))
        folder = MINE
        lines = [
            f"export WMTLIB_PARAMETERS := {Path(parameters).resolve()}",
            f"export WMTLIB_OUTPUT := {folder}",
        ]
    else:
        folder = output_folder(source, committed=False)
        output = output_folder(source, committed=True)
        lines = ["COMMIT := yes"] if output == ROOT else []
        for notebook, _ in manifest.faults(output):
            if notebook is not None:
                stamp = f"written/{notebook}.txt" if notebook else "scored"
                (folder / stamp).unlink(missing_ok=True)
    if os.environ.get("FORCE"):
        for path in folder.glob("written/*.txt"):
            path.unlink()
    lines += [
        f"OUT := {os.path.relpath(folder, ROOT)}",
        f"DATA := {source.sha256}",
        f"export WMTLIB_SOURCE := {source.route}",
        f"MAKEFLAGS += --keep-going --jobs={int(jobs) or os.cpu_count()}",
    ]
    with atomic_write(VARIABLES) as unfinished:
        unfinished.write_text("\n".join([*lines, ""]), "utf-8")


def check_parameters(path: Path) -> None:
    """Refuse a file of parameters with a name that is neither notebook nor parameter.

    Raises
    ------
    DataError
    """
    import yaml
    from papermill import inspect_notebook

    if not path.is_file():
        raise DataError(f"{path}: there is no such file; PARAMS names one in YAML")
    names = set()
    for notebook in NOTEBOOKS.glob("[0-9]*.ipynb"):
        names |= {notebook.stem, *inspect_notebook(notebook)}
    settings = yaml.safe_load(path.read_text("utf-8"))
    if not isinstance(settings, dict):
        raise DataError(f"{path}: expected lines such as 'seed: 7'")
    if unknown := [name for name in settings if name not in names]:
        raise DataError(f"{path}: no notebook and no parameter is {unknown[0]!r}")


def save_scores(source: Source) -> int:
    """Write results/scoreboard.csv and manifest.csv from what the notebooks left; 0."""
    folder = output_folder(source, committed=False)
    board = scoreboard.join_scoreboards(folder / "scoreboard")
    scoreboard.save_table(board, "scoreboard", source)
    names = sorted(path.stem for path in NOTEBOOKS.glob("[0-9]*.ipynb"))
    lists = [folder / "written" / f"{name}.txt" for name in names]
    output = output_folder(source, committed=True)
    manifest.write_manifest(output, lists, source)
    if output == ROOT:
        manifest.write_metadata(ROOT)
    return 0


def close(source: Source) -> int:
    """Say where everything is, how long it took, and the verdict; 0 if it is good."""
    output = output_folder(source, committed=True)
    print(f"\nReport:    {ROOT / 'build' / 'report' / 'index.html'}")
    print(f"Tables:    {output / 'results'}\nFigures:   {output / 'figures'}")
    print(f"Took:      {time.time() - VARIABLES.stat().st_mtime:.0f} s")
    board = pd.read_csv(output / "results" / "scoreboard.csv", na_filter=False)
    return verdict(board, source)


def check_scoreboard(source: Source) -> int:
    """The verdict on a new scoreboard; 0 if results/ and figures/ are intact, too."""
    board = scoreboard.join_scoreboards(CHECKED / "scoreboard")
    unexplained = verdict(board, source)
    faults = manifest.faults(ROOT)
    sys.stderr.writelines(f"{fault}\n" for _, fault in faults)
    return unexplained or int(bool(faults))


def announce(source: Source) -> None:
    """Say where the data come from, and why not from a better place."""
    print(f"Data: {source.route} ({source.kind} data, hash {source.sha256})")
    if source.notice:
        print(f"      because {source.notice}")
    if source.kind != "raw":
        folder = output_folder(source, committed=True)
        print(f"      committed results stay; this run writes to {folder}")


def verdict(board: pd.DataFrame, source: Source) -> int:
    """Print the summary and every unexplained row; 0 if there is none."""
    print(f"\nPublished values, from {source.kind} data")
    for words in scoreboard.summary_line(board).split("; "):
        print(words.capitalize())
    unexplained = board[board["status"] == "unexplained"]
    for row in unexplained.itertuples():
        print(
            f"UNEXPLAINED {row.paper} {row.item}, {row.quantity}:"
            f" published {row.published}, reproduced {row.reproduced} {row.reason}",
            file=sys.stderr,
        )
    return int(len(unexplained) > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
