"""The files of a user: which ones a path stands for, their bytes, and what may go wrong."""

import glob
import gzip
import hashlib
import io
import os
import re
import stat
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

import duckdb

from wmtlib.judgements.errors import Origin
from wmtlib.releases.storage import file_sha256

BLOCK = 1 << 20  # bytes that are read at a time
EXPANDED, EXPANSION = 1 << 26, 200  # bytes out of a gzip file, and per byte in, that are too many
MEMORY = "2GB"  # what DuckDB takes before it goes to the temporary folder
SUFFIXES = (".parquet", ".pq")


def shown(value: object) -> str:
    """A value found in a file, short enough for a terminal."""
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= 40 else f"{text[:36]}..."


def shown_path(path: str | Path) -> str:
    """A path as it goes into a message: on one line."""
    text = os.fsdecode(path)
    return text if text.isprintable() else ascii(text)


def listed(names: Sequence[str], most: int) -> str:
    """Names with commas between them, the first ones if they are many."""
    return ", ".join(map(shown, names[:most])) + (", ..." if len(names) > most else "")


def reason(error: Exception) -> str:
    """Why something failed, in one line."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return text if len(text) <= 120 else f"{text[:117]}..."


def part(name: str, files: Sequence[str]) -> str:
    """Which of several files is meant, for a message; nothing if there is one."""
    return f"file {shown(os.path.basename(name))}, " if len(files) > 1 else ""


def find(path: str | Path, origin: Origin) -> list[str]:
    """The files that a path, a folder or a pattern stands for, as absolute paths."""
    text = os.fspath(path)
    try:
        folder = stat.S_ISDIR(os.stat(text).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        found = sorted(glob.glob(text)) if glob.has_magic(text) else []
        if not found:
            raise origin.refuse(None, "no such file") from None
    except ValueError:
        raise origin.refuse(None, "no such file (a NUL byte in its name)") from None
    else:
        found = _in_folder(text, origin) if folder else [text]
    for name in found:
        if not stat.S_ISREG(os.stat(name).st_mode):
            raise origin.refuse(None, f"{part(name, found)}is no regular file")
    return [os.path.abspath(name) for name in found]


def _in_folder(folder: str, origin: Origin) -> list[str]:
    """The Parquet files of a folder that holds nothing else in sight."""
    found = sorted(e.path for e in os.scandir(folder) if e.name[0] not in "._")
    if odd := [name for name in found if not name.lower().endswith(SUFFIXES)]:
        what = f"holds {shown(os.path.basename(odd[0]))}; expected Parquet files only"
        raise origin.refuse(None, what)
    if not found:
        raise origin.refuse(None, "is an empty folder; expected Parquet files")
    return found


class Opened:
    """Files that are open for one pass, with a folder and a database made when first asked for.

    The database lives in memory and, when it grows, in the folder; both go with the stack.

    Attributes
    ----------
    origin : Origin
        Names the path, as the user gave it, in every refusal.
    paths : list of str
    stamps : tuple
        By what a change of the files is noticed.
    """

    def __init__(self, path: str | Path, stack: ExitStack):
        self.origin, self.stack = Origin(shown_path(path)), stack
        self.paths = find(path, self.origin)
        self.stamps = self.stamps_now()

    def stamps_now(self) -> tuple[Any, ...]:
        """The stamps of the files as they are now."""
        found = [(name, os.stat(name)) for name in self.paths]
        return tuple((n, s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns) for n, s in found)

    def sha256(self) -> str:
        """SHA-256 of a file; of several, of their sorted and joined hashes."""
        hashes = sorted(map(file_sha256, self.paths))
        if len(hashes) == 1:
            return hashes[0]
        return hashlib.sha256("".join(hashes).encode()).hexdigest()

    @cached_property
    def folder(self) -> str:
        """A temporary folder."""
        made = tempfile.TemporaryDirectory(prefix="wmtlib-", ignore_cleanup_errors=True)
        return self.stack.enter_context(made)

    @cached_property
    def database(self) -> duckdb.DuckDBPyConnection:
        """A database of its own."""
        settings = {
            "memory_limit": MEMORY,
            "temp_directory": os.path.join(self.folder, "spill"),
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "python_enable_replacements": "false",
            "preserve_insertion_order": "false",
        }
        return self.stack.enter_context(closing(duckdb.connect(":memory:", config=settings)))

    def plain_path(self, path: str, number: int) -> str:
        """A path that DuckDB takes as it is: one with signs of a pattern gets a link without."""
        if not re.search(r"[*?\[\]{}\\]|[^\x20-\x7e]|://", path):
            return path
        link = os.path.join(self.folder, f"{number:09d}.parquet")
        os.symlink(path, link)
        return link


@contextmanager
def opened(path: str | Path) -> Iterator[Opened]:
    """The files of a path for one pass; whatever goes wrong with them is a `DataError`."""
    origin = Origin(shown_path(path))
    try:
        with ExitStack() as stack:
            yield Opened(path, stack)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise origin.refuse(None, f"is a damaged gzip file ({reason(error)})") from None
    except (OSError, duckdb.Error) as error:
        raise origin.refuse(None, f"cannot be read ({reason(error)})") from None
    except UnicodeError:
        raise origin.refuse(None, "holds text that is no Unicode") from None


def magic(name: str) -> str:
    """ "parquet", "gzip" or "text", by the first bytes."""
    with open(name, "rb") as file:
        start = file.read(4)
    if start in (b"PAR1", b"PARE"):
        return "parquet"
    return "gzip" if start[:2] == b"\x1f\x8b" else "text"


@contextmanager
def stream(name: str, origin: Origin) -> Iterator[io.BufferedReader]:
    """The bytes of a file, unzipped if need be."""
    with open(name, "rb") as file:
        if magic(name) != "gzip":
            yield file
            return
        with gzip.GzipFile(fileobj=file) as unzipped:
            size = os.fstat(file.fileno()).st_size
            yield io.BufferedReader(_Limited(unzipped, size, origin), BLOCK)


class _Limited(io.RawIOBase):
    """What comes out of a gzip file, until it is far too much for what went in."""

    def __init__(self, file: BinaryIO, size: int, origin: Origin):
        self.inner, self.limit, self.origin = file, max(EXPANDED, EXPANSION * size), origin
        self.total = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        got = self.inner.readinto(buffer)
        self.total += got
        if self.total > self.limit:
            what = f"grows more than {EXPANSION}-fold when unzipped; expected a table"
            raise self.origin.refuse(None, what)
        return got
