"""The steps that make calls beside the notebooks: `python -m study.run STEP ...`.

- `prepare ROUTE` finds the data, and prints the words that make is called again with;
- `parameters FILE [NOTEBOOK]` refuses a file with settings that no notebook has;
- `scores LIST ...` joins what the notebooks left;
- `verdict` says whether all of it is explained, and `check` whether results/ and
  figures/ are as the manifest lists them, too.
"""

import sys
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from study.data import assessment_catalogue, sources
from study.data.outputs import output_folder
from study.data.sources import ROOT, Source
from study.run import manifest
from study.scoreboard import published, scoreboard
from wmtlib.errors import DataError


def main(step: str, *words: str) -> int:
    """Take a step; return 0, 1 where a verdict fails, 2 for what cannot be had."""
    steps: dict[str, Any] = {
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
    """Say where the data come from (stderr), and print it as words for make.

    What wrote a file that is lost or has changed runs again.
    """
    source = resolve(route)
    output = output_folder(source, committed=True)
    folder = output_folder(source, committed=False)
    lines = [f"Data: {source.route} ({source.kind} data, hash {source.sha256})"]
    if source.notice:
        lines.append(f"      because {source.notice}")
    if output == ROOT:
        print("COMMIT=yes")
    else:
        lines.append(f"      committed results stay; this run writes to {output}")
    print(*lines, sep="\n", file=sys.stderr)
    for notebook, _ in manifest.faults(output):
        for stamp in ("scored", f"written/{notebook}.txt"):
            (folder / stamp).unlink(missing_ok=True)
    print(f"DATA={source.sha256} WMTLIB_SOURCE={source.route}")
    print(f"OUT={folder.relative_to(ROOT)} CHECKED={':'.join(published.notebooks())}")


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


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
