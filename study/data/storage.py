"""Files written whole or not at all, and their SHA-256."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a step of the Makefile that uses no table loads no pandas
    import pandas as pd


def file_sha256(path: str | Path) -> str:
    """Compute SHA-256 of a file, in hex."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def cache_folder() -> Path:
    """Return the user's cache: `$WMTLIB_CACHE`, or that of the operating system."""
    if folder := os.environ.get("WMTLIB_CACHE"):
        return Path(folder)
    import pooch  # only to fetch something

    return Path(pooch.os_cache("wmtlib"))


@contextmanager
def atomic_files(folder: Path) -> Iterator[Path]:
    """Write several files of a folder, all or none.

    Gives an empty folder to write into. When the block ends without an error, its files
    move into `folder`, where they replace files of the same names. After an error
    nothing has changed.

    Raises
    ------
    OSError
        The folder cannot be written to, or a folder has the name of one of the files.
    """
    existed = folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with TemporaryDirectory(prefix=".wmtlib-", dir=folder) as name:
            yield Path(name)
            files = sorted(Path(name).iterdir())
            for file in files:
                if (folder / file.name).is_dir():
                    raise IsADirectoryError(0, f"{file.name} is a folder")
            for file in files:
                file.replace(folder / file.name)
    finally:
        if not existed:
            with suppress(OSError):  # it holds something
                folder.rmdir()


@contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Write one file, whole or not at all; give the path to write to."""
    with atomic_files(path.parent) as folder:
        yield folder / path.name


def write_csv(table: "pd.DataFrame", path: Path) -> None:
    """Write a table without its index, whole or not at all."""
    with atomic_write(path) as partial:
        table.to_csv(partial, index=False, lineterminator="\n")
