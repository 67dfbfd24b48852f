"""`results/manifest.csv`: where every file of results/ and figures/ comes from.

`make reproduce` writes it; `make check` holds the files against it.
"""

import os
import re
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from wmtlib.study import published
from wmtlib.study.releases.sources import Source
from wmtlib.study.releases.storage import file_sha256, write_csv

NAME = "results/manifest.csv"
COLUMNS = ["file", "paper", "item", "notebook", "data", "sha256"]
# Paper and item are those that the name of the file, or of its folder, says; where it
# says no item, items.csv of data/published does.
LISTED = re.compile(
    r"(?:results|figures)/(?:([a-z]+20\d\d)-)?((?:table|figures?)-\d+(?:-\d+)?)?.*"
)


def write_manifest(folder: Path, lists: Iterable[Path], source: Source) -> None:
    """List what a run has left in results/ and figures/ of a folder.

    Columns: file; paper, and its table or figure if the file is of one; the notebook
    that wrote the file, empty if it is of no single one; hash of the data; SHA-256 of
    the file.

    Parameters
    ----------
    folder : Path
    lists : files
        Each is named after a notebook and lists what that wrote, a path a line.
    source : Source
    """
    written = {folder / "results" / "scoreboard.csv": ""}
    for path in lists:
        for line in path.read_text("utf-8").splitlines():
            written[Path(line)] = path.stem
    rows = []
    of_text = published.lookup("items")
    for path, notebook in written.items():
        name = os.path.relpath(path, folder)
        listed = LISTED.fullmatch(name)
        if listed is None:
            continue
        paper, item = listed.groups("")
        stem = Path(name).parts[1].split(".")[0]
        item = item or of_text.get(stem, "")
        rows.append((name, paper, item, notebook, source.sha256, file_sha256(path)))
    write_csv(pd.DataFrame(sorted(rows), columns=COLUMNS), folder / NAME)


def faults(folder: Path) -> list[tuple[str | None, str]]:
    """Every file that is missing, is not in the manifest, or has changed since.

    Returns
    -------
    list of (notebook, line)
        The notebook that wrote the file, None if it is not known; what is wrong, in a
        line.
    """
    if not (folder / NAME).is_file():
        return [(None, f"{NAME} is missing; make reproduce writes it")]
    listed = pd.read_csv(folder / NAME, dtype=str, index_col="file", na_filter=False)
    paths = [*folder.glob("results/**/[!.]*.*"), *folder.glob("figures/**/[!.]*.*")]
    hashes = {path.relative_to(folder).as_posix(): file_sha256(path) for path in paths}
    lines: list[tuple[str | None, str]] = []
    for name in sorted({*listed.index, *hashes} - {NAME}):
        if name not in listed.index:
            lines.append((None, f"{name} is not in {NAME}: no notebook writes it"))
        elif hashes.get(name) != listed["sha256"][name]:
            fault = f"{name} is missing; {NAME} lists it"
            if name in hashes:
                fault = f"{name} is not the file that make reproduce wrote (SHA-256 in"
                fault += f" {NAME})"
            lines.append((listed["notebook"][name], fault))
    return lines
