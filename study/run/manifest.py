"""The list of the files that runs have written, results/manifest.csv.

`make reproduce` lists every file of results/ and figures/ in the manifest, and `make
check` compares the files with it.
"""

import os
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from study.data.sources import Source
from study.data.storage import file_sha256, write_csv
from study.scoreboard import published

NAME = "results/manifest.csv"
COLUMNS = ["file", "paper", "item", "notebook", "data", "sha256"]
# The name of a file, or of its folder, has paper and item; items.csv of data/published
# has the item where the name has none.
NAMED = (
    r"^(?:results|figures)/"
    r"(?P<stem>(?:(?P<paper>[a-z]+20\d\d)-)?(?P<item>(?:table|figures?)-[\d-]*\d)?[^/.]*)"
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
    written = {"results/scoreboard.csv": ""}
    for path in lists:
        for line in path.read_text("utf-8").splitlines():
            written[os.path.relpath(line, folder)] = path.stem
    table = pd.DataFrame(sorted(written.items()), columns=["file", "notebook"])
    table = table.join(table["file"].str.extract(NAMED))
    items = table["item"].fillna(table["stem"].map(published.lookup("items")))
    sha256 = [file_sha256(folder / name) for name in table["file"]]
    table = table.assign(item=items, data=source.sha256, sha256=sha256)
    write_csv(table[COLUMNS], folder / NAME)


def faults(folder: Path) -> list[tuple[str | None, str]]:
    """List the files that are missing, not in the manifest, or changed since.

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
    expected = listed["sha256"]
    lines = []
    for name in sorted({*listed.index, *hashes} - {NAME}):
        if hashes.get(name) == expected.get(name):
            continue
        fault = f"is not the file that make reproduce wrote (SHA-256 in {NAME})"
        if name not in hashes:
            fault = f"is missing; {NAME} lists it"
        if name not in expected:
            fault = f"is not in {NAME}: no notebook writes it"
        lines.append((listed["notebook"].get(name), f"{name} {fault}"))
    return lines
