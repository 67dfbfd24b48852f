"""The folders that a run writes into."""

import os
from pathlib import Path

from wmtlib.releases.sources import ROOT, Source


def output_folder(source: Source, *, committed: bool) -> Path:
    """Folder of what a run writes: `$WMTLIB_OUTPUT` if that is set.

    Parameters
    ----------
    source : Source
    committed : bool
        True for results/ and figures/: a run on raw data writes them into the repository itself.
        False for executed notebooks and the scoreboard of each, which always go below build/.
    """
    if folder := os.environ.get("WMTLIB_OUTPUT"):
        return Path(folder)
    return ROOT if committed and source.kind == "raw" else ROOT / "build" / source.kind
