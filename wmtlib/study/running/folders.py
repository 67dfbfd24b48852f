"""The folders that a run writes into, and a list of what it wrote."""

import os
from pathlib import Path

from wmtlib.study.releases.sources import ROOT, Source


def output_folder(source: Source, *, committed: bool) -> Path:
    """Folder of what a run writes: `$WMTLIB_OUTPUT` if that is set.

    Parameters
    ----------
    source : Source
    committed : bool
        True for results/ and figures/: a run on raw data writes them into the
        repository itself. False for executed notebooks and the scoreboard of each,
        which always go below build/.
    """
    if folder := os.environ.get("WMTLIB_OUTPUT"):
        return Path(folder)
    return ROOT if committed and source.kind == "raw" else ROOT / "build" / source.kind


def list_written(path: Path) -> None:
    """Add a file to the list of what this run wrote, `$WMTLIB_WRITTEN`, if any."""
    if written := os.environ.get("WMTLIB_WRITTEN"):
        with open(written, "a", encoding="utf-8") as file:
            file.write(f"{path}\n")
