"""The files of a user: which ones a path stands for, their bytes, and what may go wrong."""

import glob
import gzip
import os
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO

import duckdb

from wmtlib.errors import Origin, shown
from wmtlib.study.releases.storage import file_sha256

STREAMS = ("-", "/dev/stdin")  # names of the standard input
BLOCK = 1 << 20  # bytes that are read at a time
LARGEST = 1 << 34  # bytes of a stream, or of a compressed file once it is unpacked
INTERRUPTED = "Query interrupted"  # what DuckDB makes of Ctrl-C
MEMORY = "2GB"  # what DuckDB takes before it writes to the temporary folder
GZIP, PARQUET = (b"\x1f\x8b",), (b"PAR1", b"PARE")  # the first bytes of a file


def shown_path(path: str | Path) -> str:
    """A path as it goes into a message: on one line."""
    text = os.fsdecode(path)
    return text if text.isprintable() else repr(text)


def listed(names: Sequence[str], most: int) -> str:
    """Names with commas between them; the first `most` if there are more."""
    return ", ".join(map(shown, names[:most])) + (", ..." if len(names) > most else "")


def reason(error: Exception) -> str:
    """Why something failed, in one line."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return text if len(text) <= 120 else f"{text[:117]}..."


def part(name: str, files: Sequence[str]) -> str:
    """Name of one of several files, for a message; empty if there is only one."""
    return f"file {shown(os.path.basename(name))}, " if len(files) > 1 else ""


@dataclass(frozen=True)
class UserFiles:
    """Files that are open for reading.

    Attributes
    ----------
    path : str
        As the user gave it.
    origin : Origin
        Names the path in every refusal.
    paths : list of str
        The files of the user.
    unpacked : list of str
        The same files, or unpacked copies of those that are compressed.
    folder : str
        A temporary folder, which goes when the files are closed.
    database : DuckDBPyConnection
        A database in memory that grows into the folder.
    """

    path: str
    origin: Origin
    paths: list[str]
    unpacked: list[str]
    folder: str
    database: duckdb.DuckDBPyConnection

    def sha256(self) -> str:
        """SHA-256 of a file; of several, of their sorted and joined hashes."""
        hashes = sorted(map(file_sha256, self.paths))
        return hashes[0] if len(hashes) == 1 else sha256("".join(hashes).encode()).hexdigest()


@contextmanager
def open_files(path: str | Path) -> Iterator[UserFiles]:
    """The files of a path; whatever goes wrong with them is a `DataError`.

    A stream, the standard input or one of a shell's `<(...)`, is first copied into a file.
    """
    path = "standard input" if (is_input := os.fspath(path) in STREAMS) else os.fspath(path)
    origin = Origin(shown_path(path))
    try:
        with ExitStack() as stack:
            made = tempfile.TemporaryDirectory(prefix="wmtlib-", ignore_cleanup_errors=True)
            folder = stack.enter_context(made)
            if is_input or path.startswith("/dev/fd/"):
                paths = [_spooled(0 if is_input else path, folder, origin)]
            else:
                paths = _find(path, origin)
            unpacked = [_unpacked(name, k, folder, origin) for k, name in enumerate(paths)]
            settings = {"memory_limit": MEMORY, "temp_directory": os.path.join(folder, "spill")}
            database = stack.enter_context(closing(duckdb.connect(":memory:", config=settings)))
            yield UserFiles(path, origin, paths, unpacked, folder, database)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise origin.refuse(None, f"is a damaged gzip file ({reason(error)})") from None
    except (OSError, duckdb.Error) as error:
        raise origin.refuse(None, f"cannot be read ({reason(error)})") from None
    except UnicodeError:
        raise origin.refuse(None, "holds text that is not Unicode") from None
    except RuntimeError as error:
        if str(error) != INTERRUPTED:
            raise
        raise KeyboardInterrupt from None


def starts_with(path: str, starts: tuple[bytes, ...]) -> bool:
    """Whether a file begins with some bytes."""
    with open(path, "rb") as file:
        return file.read(4).startswith(starts)


def _find(path: str, origin: Origin) -> list[str]:
    """The files that a path, a folder or a pattern stands for, as absolute paths."""
    found = [path] if os.path.exists(path) else sorted(glob.glob(path))
    if not found:
        raise origin.refuse(None, "no such file")
    if is_folder := os.path.isdir(path):
        found = sorted(entry.path for entry in os.scandir(path) if entry.name[0] not in "._")
    for name in found:
        if not os.path.isfile(name):
            raise origin.refuse(None, f"{part(name, found)}expected a regular file")
    if is_folder or len(found) > 1:
        odd = [name for name in found if not starts_with(name, (*PARQUET, *GZIP))]
        if odd or not found:
            message = f"holds {shown(os.path.basename(odd[0]))}" if odd else "is an empty folder"
            raise origin.refuse(None, f"{message}; expected one file, or Parquet files only")
    return [os.path.abspath(name) for name in found]


def _unpacked(path: str, number: int, folder: str, origin: Origin) -> str:
    """The path of a file, or of an unpacked copy if it is compressed."""
    if not starts_with(path, GZIP):
        return path
    with gzip.open(path) as packed:
        return _copied(packed, os.path.join(folder, f"{number}.unpacked"), origin)


def _spooled(stream: str | int, folder: str, origin: Origin) -> str:
    """The path of a copy of what a stream holds."""
    with open(stream, "rb", closefd=stream != 0) as source:
        if source.isatty():
            step = "give it a file or a pipe, as in: wmtlib rank - < votes.csv"
            raise origin.refuse(None, f"is a terminal; {step}")
        return _copied(source, os.path.join(folder, "stream"), origin)


def _copied(source: IO[bytes], copy: str, origin: Origin) -> str:
    """Copy all bytes; gives the path of the copy."""
    with open(copy, "wb") as file:
        while block := source.read(BLOCK):
            if file.tell() + len(block) > LARGEST:
                raise origin.refuse(None, f"is more than {LARGEST} bytes")
            file.write(block)
    return copy
