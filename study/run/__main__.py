"""The steps that make calls beside the notebooks: `python -m study.run STEP ...`.

- `start ROUTE FOLDER JOBS MAKE TARGET` finds the data, says which notebooks have to be
  run, and calls make again with the answer;
- `notebook NAME WORDS` runs one notebook with parameters that a user has typed;
- `scores LIST ...` joins what the notebooks left;
- `verdict` says whether all of it is explained, and `check` whether results/ and
  figures/ are as the manifest lists them, too;
- `features` prints what `make processors` disables of this processor, and `compare`
  what was written otherwise without it.
"""

import os
import shlex
import sys
import time
from pathlib import Path
from typing import IO, Any

import pandas as pd
import yaml

from study.data import assessment_catalogue, sources
from study.data.outputs import output_folder
from study.data.sources import ROOT, Source
from study.run import execute, manifest, plan
from study.scoreboard import published, scoreboard
from wmtlib.core.errors import DataError, DataUnavailable

MINE, CHECKED, BOOK = "build/mine", "checked", "book"  # a folder, two targets of make
NETWORK = (
    "Data: looking for the raw files on the network (not with SOURCE=embedded) ..."
)


def main(step: str, *words: str) -> int:
    """Take a step; return 0, 1 where a verdict fails, 2 for what cannot be had."""
    steps: dict[str, Any] = {
        "start": start,
        "notebook": run_one,
        "scores": save_scores,
        "verdict": verdict,
        "check": check,
        "features": print_features,
        "compare": compare_processors,
    }
    try:
        return steps[step](*words) or 0
    except (DataError, FileNotFoundError) as error:
        print(f"wmtlib: {error}", file=sys.stderr)
        return 2


# --- the start of a run ---------------------------------------------------------------


def start(route: str, folder: str, jobs: str, make: str, target: str) -> int:
    """Call make again to run notebooks, `jobs` at a time; return its exit code.

    Parameters
    ----------
    route : str
        As of `sources.resolve`.
    folder : str
        What the run writes to, such as `MINE`; "" for the usual folders.
    jobs : str
    make, target : str
        The command, and what it makes: `BOOK` runs no notebook.
    """
    with lock_clone() as lock:
        if folder:
            os.environ["WMTLIB_OUTPUT"] = str(ROOT / folder)
        parameters = os.environ.get("PARAMS", "") if folder == MINE else ""
        if parameters:
            check_parameters(parameters)
        source = find_data(route)
        os.environ["WMTLIB_SOURCE"] = source.route
        command = [make, "--no-print-directory", "--keep-going", f"--jobs={jobs}"]
        command += [target, f"STARTED={time.time():.0f}"]
        command += prepare(source, int(jobs), target, parameters)
        return execute.run_child(command, pass_fds=[lock.fileno()])


def lock_clone() -> IO[str]:
    """Open and lock build/lock.

    The lock ends with the last process that has the file open, whatever ends it.

    Raises
    ------
    DataError
        Another run has it.
    """
    import fcntl  # unknown to Windows

    (ROOT / "build").mkdir(exist_ok=True)
    file = open(ROOT / "build" / "lock", "a+", encoding="ascii")  # noqa: SIM115
    file.seek(0)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        with file:
            other = file.read()
        raise DataError(
            "make is running notebooks in this folder already"
            f" (process {other}); wait until it has ended"
        ) from None
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def find_data(route: str) -> Source:
    """Find the data, and say so before a wait for the network."""
    campaigns = assessment_catalogue.all_campaigns()
    wanted = sources.requested_route(route)
    if wanted == "auto":
        try:
            return sources.resolve("mirror", campaigns)
        except DataUnavailable:
            pass
    if wanted in ("auto", "download"):
        print(NETWORK, file=sys.stderr, flush=True)
    return sources.resolve(wanted, campaigns)


def prepare(source: Source, jobs: int, target: str, parameters: str = "") -> list[str]:
    """Remove what is not up to date, say what will run, and return words for make."""
    output = output_folder(source, committed=True)
    folder = output_folder(source, committed=False)
    commit = output == ROOT
    lines = [f"Data: {source.route} ({source.kind} data, hash {source.sha256})"]
    if source.notice:
        lines.append(f"      because {source.notice}")
    if not commit:
        lines.append(f"      committed results stay; this run writes to {output}")
    names = [path.stem for path in ROOT.glob("notebooks/[0-9]*.ipynb")]
    if target == CHECKED:
        names = published.notebooks()
    names = plan.in_order(names)
    if target != BOOK:
        faults = manifest.faults(output)
        if faults:
            (folder / "scored").unlink(missing_ok=True)
        outdated = plan.remove_outdated(
            folder,
            names,
            plan.rests_on(source, parameters),
            commit=commit,
            lost=[str(notebook) for notebook, _ in faults],
            force=bool(os.environ.get("FORCE")),
        )
        lines.append(plan.write_plan(folder, outdated, jobs))
    print(*lines, sep="\n", file=sys.stderr, flush=True)
    return [
        f"OUT={folder.relative_to(ROOT)}",
        f"COMMIT={'yes' if commit else ''}",
        f"NOTEBOOKS={':'.join(names)}",
    ]


# --- parameters of the user -----------------------------------------------------------


def check_parameters(file: str | Path, notebook: str = "[0-9]*") -> None:
    """Refuse settings that none of these notebooks has: papermill would only warn.

    Raises
    ------
    DataError
        No notebook has a parameter of that name, or the file holds no settings.
    """
    from papermill import inspect_notebook

    paths = ROOT.glob(f"notebooks/{notebook}.ipynb")
    expected = sorted(set().union(*map(inspect_notebook, paths)))
    try:
        settings = yaml.safe_load(Path(file).read_text("utf-8")) or {}
    except yaml.YAMLError as error:
        raise DataError(f"{file}: {' '.join(str(error).split())}") from None
    if not isinstance(settings, dict):
        raise DataError(f"{file}: expected a line NAME: VALUE for each parameter")
    for name in settings:
        if name not in expected:
            raise DataError(f"no parameter {name!r}; there are {', '.join(expected)}")


def typed_parameters(text: str) -> str:
    """Turn words NAME=VALUE into lines of YAML; quotes are those of a shell.

    Raises
    ------
    DataError
        A word has another form, or a quote does not end.

    Examples
    --------
    >>> print(typed_parameters("path='my file.csv' seed=7"))
    path: my file.csv
    seed: 7
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise DataError(f"P={text}: {error}") from None
    lines = []
    for word in words:
        name, sign, value = word.partition("=")
        if not (sign and name.isidentifier()):
            raise DataError(
                f"P={text}: expected NAME=VALUE, not {word!r}; a value with blanks is"
                " quoted: P=\"path='my file.csv'\""
            )
        lines.append(f"{name}: {value}")
    return "\n".join(lines)


def run_one(name: str = "", words: str = "") -> int:
    """Run one notebook with other parameters, and make its page (`make notebook`)."""
    from study.run import page

    there = sorted(path.stem for path in ROOT.glob("notebooks/*.ipynb"))
    if name not in there:
        raise DataError(
            'say which: make notebook N=11-one-task P="campaign=wmt12 task=cs-en";'
            f" there are {', '.join(there)}"
        )
    typed = typed_parameters(words)
    folder = page.new_folder(f"notebook/{name}")
    parameters = folder / "parameters.yml"
    parameters.write_text(typed, "utf-8")
    check_parameters(parameters, name)
    os.environ["WMTLIB_OUTPUT"] = str(folder)
    source = ROOT / "notebooks" / f"{name}.ipynb"
    executed, log = folder / source.name, folder / f"{name}.log"
    start = time.time()
    code = execute.run_papermill(source, executed, log, str(parameters))
    print(execute.ending(code, name, log, time.time() - start))
    if code == 0:
        page.show_page(page.write_page(executed))
    return code


# --- the scoreboard -------------------------------------------------------------------


def resolve(route: str = "auto") -> Source:
    """Find the data; after `start` the route is in `$WMTLIB_SOURCE`."""
    return sources.resolve(route, assessment_catalogue.all_campaigns())


def joined(source: Source) -> pd.DataFrame:
    """Join the scoreboard from what the notebooks left."""
    return scoreboard.join_scoreboards(
        output_folder(source, committed=False) / "scoreboard"
    )


def save_scores(*lists: str) -> None:
    """Write results/scoreboard.csv and manifest.csv from what the notebooks left.

    `lists` are files, named after notebooks, that list what these wrote.
    """
    source = resolve()
    scoreboard.save_table(joined(source), "scoreboard", source)
    manifest.write_manifest(
        output_folder(source, committed=True), map(Path, lists), source
    )


def verdict() -> int:
    """Print the summary and every unexplained row; return 0 if there is none."""
    source = resolve()
    return scoreboard.print_verdict(joined(source), source)


def check() -> int:
    """Print the verdict, and what is not as the manifest says; return 0 if all is."""
    unexplained = verdict()
    faults = manifest.faults(ROOT)
    for _, fault in faults:
        print(fault, file=sys.stderr)
    return unexplained or bool(faults)


# --- another processor ----------------------------------------------------------------


def print_features() -> None:
    """Print what NumPy takes of this processor beyond what it needs."""
    from study.run import processors

    print(*processors.features())


def compare_processors() -> int:
    """Compare what a run has written, in $WMTLIB_OUTPUT, with the usual run's files."""
    from study.run import processors

    source = resolve()
    other = output_folder(source, committed=False)
    usual = ROOT if source.kind == "raw" else ROOT / "build" / source.kind
    return processors.compare_runs(usual, other)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
