"""The steps that make calls beside the notebooks: `python -m study.run STEP ...`.

- `prepare ROUTE` finds the data, and writes for make where they are;
- `parameters FILE [NOTEBOOK]` refuses a file with settings that no notebook has;
- `scores LIST ...` joins what the notebooks left;
- `verdict` says whether all of it is explained, and `check` whether results/ and
  figures/ are as the manifest lists them, too.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import yaml

from study.data import assessment_catalogue, sources
from study.data.sources import ROOT, Source
from study.run import manifest
from study.run.manifest import output_folder
from study.scoreboard import published, scoreboard
from wmtlib.errors import DataError

WORDS = ROOT / "build" / "source"  # what make is called again with


def main(step: str, *words: str) -> int:
    """Take a step; return 0, 1 where a verdict fails, 2 for what cannot be had."""
    steps: dict[str, Callable[..., int | None]] = {
        "prepare": prepare,
        "parameters": check_parameters,
        "scores": save_scores,
        "verdict": verdict,
        "check": check,
    }
    try:
        return steps[step](*words) or 0
    except (DataError, FileNotFoundError) as error:
        print(f"wmtlib: {error}", file=sys.stderr)
        return 2


def resolve(route: str = "auto") -> Source:
    """Find the data; after `prepare` make names the route in `$WMTLIB_SOURCE`."""
    return sources.resolve(route, assessment_catalogue.all_campaigns())


def prepare(route: str) -> None:
    """Say where the data come from, and write it down for make; see `WORDS`.

    What wrote a file that is lost or has changed runs again.
    """
    source = resolve(route)
    output = output_folder(source, committed=True)
    folder = output_folder(source, committed=False)
    line = f"DATA={source.sha256} WMTLIB_SOURCE={source.route}"
    line += (
        f" OUT={folder.relative_to(ROOT)} NOTEBOOKS={':'.join(published.notebooks())}"
    )
    print(f"Data: {source.route} ({source.kind} data, hash {source.sha256})")
    if source.notice:
        print(f"      because {source.notice}")
    if output == ROOT:
        line += " COMMIT=yes"
    else:
        print(f"      committed results stay; this run writes to {output}")
    for name, _ in manifest.faults(output):
        if name is not None:
            stamp = f"written/{name}.txt" if name else "scored"
            (folder / stamp).unlink(missing_ok=True)
    WORDS.parent.mkdir(exist_ok=True)
    WORDS.write_text(line, "utf-8")


def check_parameters(file: str | Path, notebook: str = "[0-9]*") -> None:
    """Refuse settings that none of these notebooks has: papermill would only warn.

    Raises
    ------
    DataError
        No notebook has a parameter of that name.
    """
    from papermill import inspect_notebook

    paths = ROOT.glob(f"notebooks/{notebook}.ipynb")
    expected = sorted(set().union(*map(inspect_notebook, paths)))
    for name in yaml.safe_load(Path(file).read_text("utf-8")) or {}:
        if name not in expected:
            raise DataError(f"no parameter {name!r}; there are {', '.join(expected)}")


def save_scores(*lists: str) -> None:
    """Write results/scoreboard.csv and manifest.csv from what the notebooks left.

    `lists` are files, named after notebooks, that list what these wrote.
    """
    source = resolve()
    folder = output_folder(source, committed=False)
    board = scoreboard.join_scoreboards(folder / "scoreboard")
    scoreboard.save_table(board, "scoreboard", source)
    output = output_folder(source, committed=True)
    manifest.write_manifest(output, map(Path, lists), source)


def verdict() -> int:
    """Print the summary and every unexplained row; return 0 if there is none."""
    source = resolve()
    folder = output_folder(source, committed=False)
    board = scoreboard.join_scoreboards(folder / "scoreboard")
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


def check() -> int:
    """Print the verdict, and what is not as the manifest says; return 0 if all is."""
    unexplained = verdict()
    faults = manifest.faults(ROOT)
    for _, fault in faults:
        print(fault, file=sys.stderr)
    return unexplained or int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
