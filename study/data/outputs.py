"""Folders and files that a run writes to."""

import os
from pathlib import Path

from study.data.sources import ROOT, Source


def output_folder(source: Source, *, committed: bool) -> Path:
    """Choose the folder of what a run writes: `$WMTLIB_OUTPUT` if that is set.

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


def output_file(name: str, source: Source) -> Path:
    """Return the path of a file, such as results/x.csv, that a run writes.

    It is added to the list of what the run wrote, `$WMTLIB_WRITTEN`, if there is one.
    """
    path = output_folder(source, committed=True) / name
    if written := os.environ.get("WMTLIB_WRITTEN"):
        with open(written, "a", encoding="utf-8") as file:
            file.write(f"{path}\n")
    return path
