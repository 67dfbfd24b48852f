"""A user's own judgements: rankings, pairwise comparisons or direct assessments, in any usual file.

`read` recognises the kind of judgement by the header and the format by the content: CSV, TSV, JSON
lines or Parquet, plain or gzipped, or a folder of Parquet files. Comparisons are counted straight
from the file by DuckDB, so a file may be larger than memory. Text is parsed here and not by DuckDB
or pandas, which rename, pad, trim or cut where a file is not what it should be.

Nothing is guessed: what is not understood is refused with one line that says where it stands.

What columns may be called, whatever the case of the letters (`ALIASES`, `PAIRS`); a file in which
two columns fit one role is refused unless `columns` says which is meant:

==============  ==================================================================================
role            names
==============  ==================================================================================
a, b            a, b; system_a, system_b; systema, systemb; model_a, model_b; sys_a, sys_b;
                system_1, system_2; system1, system2; sys_1, sys_2; sys1, sys2; model_1, model_2;
                model1, model2; left, right; left_system, right_system
outcome         outcome, winner, verdict, preference, result
judge           judge, judge_id, annotator, annotator_id, rater, rater_id, worker, worker_id
worker          the same
segment         segment, segment_id, sid, question_id, prompt_id
task            task, language_pair, lp
ranking         ranking, ranking_id
system          system, system_id, sys, sys_id, model
rank            rank
score           score, raw_score, rating
hit             hit, hit_id
document        document, document_id, doc, doc_id
item            item, item_type
accepted        accepted
==============  ==================================================================================

Outcomes are written in one of four ways throughout a file (`VOCABULARIES`): `a`, `b`, `tie`; `1`,
`2`, `0`; `>`, `<`, `=`; or `model_a`, `model_b`, `tie`, `tie (bothbad)`, `both_bad`.
"""

import csv
import glob
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import stat
import tempfile
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import duckdb
import numpy as np
import pandas as pd

from wmtlib import pairwise, schemas
from wmtlib.pairwise import Counts
from wmtlib.schemas import (
    HIGHEST_SCORE,
    JOINT,
    LOWEST_SCORE,
    RANKINGS,
    UNRANKED,
    WMT_COLUMNS,
    DataError,
    Origin,
)

PAIRS = (
    ("a", "b"),
    ("system_a", "system_b"),
    ("systema", "systemb"),
    ("model_a", "model_b"),
    ("sys_a", "sys_b"),
    ("system_1", "system_2"),
    ("system1", "system2"),
    ("sys_1", "sys_2"),
    ("sys1", "sys2"),
    ("model_1", "model_2"),
    ("model1", "model2"),
    ("left", "right"),
    ("left_system", "right_system"),
)
PEOPLE = ("annotator", "annotator_id", "rater", "rater_id")
ALIASES = {
    "outcome": ("outcome", "winner", "verdict", "preference", "result"),
    "judge": ("judge", "judge_id", *PEOPLE, "worker", "worker_id"),
    "worker": ("worker", "worker_id", *PEOPLE, "judge", "judge_id"),
    "segment": ("segment", "segment_id", "sid", "question_id", "prompt_id"),
    "task": ("task", "language_pair", "lp"),
    "ranking": ("ranking", "ranking_id"),
    "system": ("system", "system_id", "sys", "sys_id", "model"),
    "rank": ("rank",),
    "score": ("score", "raw_score", "rating"),
    "hit": ("hit", "hit_id"),
    "document": ("document", "document_id", "doc", "doc_id"),
    "item": ("item", "item_type"),
    "accepted": ("accepted",),
}
KINDS = {  # roles that a file of the kind must have, and that it may have
    "rankings": (("ranking", "system", "rank"), ("judge", "segment", "task")),
    "pairwise": (("a", "b", "outcome"), ("judge", "segment", "ranking", "task")),
    "assessments": (
        ("worker", "system", "segment", "score"),
        ("hit", "document", "item", "accepted", "task"),
    ),
}
UNITS = {
    "rankings": ("judge", "segment", "ranking"),
    "pairwise": ("judge", "segment", "ranking"),
    "assessments": ("worker", "segment", "document", "hit"),
}
OUTCOMES = ("a", "b", "tie")  # a was preferred, b was preferred, neither was
VOCABULARIES = (
    {"a": "a", "b": "b", "tie": "tie"},
    {"1": "a", "2": "b", "0": "tie"},
    {">": "a", "<": "b", "=": "tie"},
    {"model_a": "a", "model_b": "b", "tie": "tie", "tie (bothbad)": "tie", "both_bad": "tie"},
)
EXPECTED = "expected " + "; or ".join(", ".join(words) for words in VOCABULARIES)

BLOCK = 1 << 20  # bytes that are read at a time
LONGEST_LINE = 1 << 20  # bytes
LONGEST_NAME = 500  # characters of the name of a system or a task
MOST_SYSTEMS = 5000
EXPANDED, EXPANSION = 1 << 26, 200  # bytes out of a gzip file, and per byte in, that are too many
MOST_LOOSE = 1_000_000  # groups of pieces of a text that are not yet put together
MEMORY = "2GB"  # what DuckDB takes before it goes to the temporary folder
FILE_BITS = 40  # a place in Parquet files: number of the file, then 40 bits for the row in it
SUFFIXES = (".parquet", ".pq")
TEXT_TYPES = re.compile(r"VARCHAR|U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|UUID|ENUM\b.*")
NUMBER_TYPES = re.compile(r"FLOAT|DOUBLE|DECIMAL\b.*")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
RELEASED = (  # WMT's own columns
    "HITId",
    "WorkerId",
    "Input.src",
    "Input.trg",
    "Input.item",
    "hit",
    "sys_id",
    "rid",
    "type",
    "sid",
    "score",
    "time",
)
FORMULA = tuple("=+-@\t\r\n＝＋－＠")


@dataclass(frozen=True)
class Judgements:
    """Judgements of one task, read and checked.

    Attributes
    ----------
    path : str
        As given.
    kind : "rankings", "pairwise" or "assessments"
    rows : int
        Rows of the file that are of this task; all of them if the file holds one task.
    systems : tuple of names, sorted
    units : tuple of str
        What can be resampled: of judge, segment and ranking those that the file tells apart; for
        assessments of worker, segment, document and hit.
    task : str
        "" if the file does not name its task.
    sha256 : str
        Of the bytes of the file; of several files, of their sorted and joined hashes.
    assessments : DataFrame or None
        `schemas.ASSESSMENTS`.
    rankings : DataFrame or None
        `schemas.RANKINGS`.
    """

    path: str
    kind: str
    rows: int
    systems: tuple[str, ...]
    units: tuple[str, ...]
    task: str
    sha256: str
    assessments: pd.DataFrame | None = field(default=None, repr=False, compare=False)
    rankings: pd.DataFrame | None = field(default=None, repr=False, compare=False)
    _tally: pd.DataFrame | None = field(default=None, repr=False, compare=False)
    _columns: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    _meaning: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    _stamps: tuple[Any, ...] = field(default=(), repr=False, compare=False)

    def tallies(self, units: Sequence[str] = ()) -> pd.DataFrame:
        """How often each outcome occurred for each pair of systems, as the file shows them.

        Parameters
        ----------
        units : sequence of str
            Of `self.units`; what to count apart.

        Returns
        -------
        DataFrame
            Columns a, b, outcome ("a", "b" or "tie"), the units asked for (all categories; judges
            are pseudonyms numbered by first appearance), and count. Sorted by a, b, outcome, then
            units in order of their first appearance. Without units, the comparisons of a with b
            and of b with a are still counted apart: which one was shown first may matter.

        Raises
        ------
        DataError
            The file is of assessments, does not have a unit, or was changed since it was read.
        """
        origin = Origin(_shown_path(self.path))
        if self.kind == "assessments":
            raise origin.refuse(None, "holds assessments; expected comparisons or rankings")
        units = (units,) if isinstance(units, str) else tuple(dict.fromkeys(units))
        if unknown := [u for u in units if u not in self.units]:
            has = f"expected some of {', '.join(self.units)}" if self.units else "it has no units"
            raise origin.refuse(None, f"no unit {_shown(unknown[0])}; {has}")
        if self.rankings is not None:
            return _tallies_of_rankings(self.rankings, units)
        if not units:
            return self._tally.copy()
        with _opened(self.path, origin) as source:
            if source.stamps != self._stamps:
                raise origin.refuse(None, "was changed since it was read")
            return _tallies_by_unit(self, source, units)

    def counts(self) -> Counts:
        """Wins and ties of every pair of systems.

        Raises
        ------
        DataError
            The file is of assessments.
        """
        tally = self.tallies()
        size = len(self.systems)
        cells = np.zeros((len(OUTCOMES), size, size), dtype=np.int64)
        place = {name: k for k, name in enumerate(self.systems)}
        a, b = (
            np.array([place[name] for name in tally[c].cat.categories])[tally[c].cat.codes]
            for c in ("a", "b")
        )
        np.add.at(cells, (tally["outcome"].cat.codes.to_numpy(), a, b), tally["count"].to_numpy())
        first, second, tie = cells
        names = list(self.systems)
        return Counts(
            pd.DataFrame(first + second.T, index=names, columns=names),
            pd.DataFrame(tie + tie.T, index=names, columns=names),
        )


def read(
    path: str | Path,
    *,
    kind: str | None = None,
    columns: Mapping[str, str | None] | None = None,
    task: str | None = None,
) -> Judgements:
    """Read, check and, if they are comparisons, count the judgements of one task.

    Parameters
    ----------
    path : str or Path
        A file in CSV, TSV, JSON lines or Parquet, plain or gzipped; a folder of Parquet files, or
        a pattern (`part-*.parquet`) of their names.
    kind : "rankings", "pairwise" or "assessments", optional
        Recognised by the header if not given.
    columns : mapping from role to column, optional
        What the columns are called, where the names are not those that the module knows;
        None for a role that is to be ignored.
    task : str, optional
        Which of the file's tasks; needed if there are several.

    Returns
    -------
    Judgements

    Raises
    ------
    DataError
        One line that names the file, the line or row, and what was expected.
    """
    origin = Origin(_shown_path(path))
    with _opened(path, origin) as source:
        if _is_released(source, kind, columns):
            kind, parts = "assessments", _released(source, task, origin)
            return _result(path, kind, parts, source)
        kind, used = _layout(source.header, kind, columns or {}, origin)
        if kind == "pairwise":
            parts = _pairwise(source, used, task, origin)
        else:
            parts = _table(source, kind, used, task, origin)
        return _result(path, kind, parts, source)


def _result(path: str | Path, kind: str, parts: Mapping[str, Any], source) -> Judgements:
    """What was read, if the file is still the same."""
    sha256 = _sha256(source.files)
    if source.stamps != _stamps(source.files):
        raise source.origin.refuse(None, "was changed while it was read")
    return Judgements(path=os.fspath(path), kind=kind, sha256=sha256, **parts)


def safe_cell(value: Any) -> Any:
    """A value fit for a cell of a CSV file: text that a spreadsheet would compute is made text.

    >>> safe_cell("=cmd()"), safe_cell("online-A"), safe_cell(-1)
    ("'=cmd()", 'online-A', -1)
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


# --- what is there -----------------------------------------------------------------------------


def _shown(value: object) -> str:
    """A value found in a file, short enough for a terminal."""
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= 40 else f"{text[:36]}..."


def _shown_path(path: str | Path) -> str:
    """A path as it goes into a message: on one line."""
    text = os.fsdecode(path)
    return text if text.isprintable() else ascii(text)


def _files(path: str | Path, origin: Origin) -> list[str]:
    """The files that a path, a folder or a pattern stands for, as absolute paths."""
    text = os.fspath(path)
    try:
        status = os.stat(text)
    except (FileNotFoundError, NotADirectoryError):
        found = sorted(glob.glob(text)) if glob.has_magic(text) else []
        if not found:
            raise origin.refuse(None, "no such file") from None
    except ValueError:
        raise origin.refuse(None, "no such file (a NUL byte in its name)") from None
    else:
        if not stat.S_ISDIR(status.st_mode):
            found = [text]
        else:
            found = sorted(e.path for e in os.scandir(text) if e.name[0] not in "._")
            if odd := [f for f in found if not f.lower().endswith(SUFFIXES)]:
                what = f"holds {_shown(os.path.basename(odd[0]))}; expected Parquet files only"
                raise origin.refuse(None, what)
            if not found:
                raise origin.refuse(None, "is an empty folder; expected Parquet files")
    for name in found:
        if not stat.S_ISREG(os.stat(name).st_mode):
            raise origin.refuse(None, f"{_part(name, found)}is no regular file")
    return [os.path.abspath(name) for name in found]


def _part(name: str, files: Sequence[str]) -> str:
    """Which of several files is meant, for a message; nothing if there is one."""
    return f"file {_shown(os.path.basename(name))}, " if len(files) > 1 else ""


def _stamps(files: Iterable[str]) -> tuple[Any, ...]:
    """By what a change of a file is noticed."""
    found = [(name, os.stat(name)) for name in files]
    return tuple((n, s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns) for n, s in found)


def _sha256(files: Sequence[str]) -> str:
    """SHA-256 of a file; of several, of their sorted and joined hashes."""
    hashes = []
    for name in files:
        with open(name, "rb") as file:
            hashes.append(hashlib.file_digest(file, "sha256").hexdigest())
    return (
        hashes[0]
        if len(hashes) == 1
        else hashlib.sha256("".join(sorted(hashes)).encode()).hexdigest()
    )


@contextmanager
def _opened(path: str | Path, origin: Origin) -> Iterator["_Text | _Json | _Parquet"]:
    """A file opened for one pass; whatever goes wrong with it is a `DataError`."""
    try:
        files = _files(path, origin)
        stamps = _stamps(files)
        with ExitStack() as stack:
            scratch = _Scratch(stack)
            kinds = {_magic(name) for name in files}
            if kinds == {"parquet"}:
                yield _Parquet(scratch, files, stamps, origin)
                return
            if len(files) > 1:
                odd = next(name for name in files if _magic(name) != "parquet")
                raise origin.refuse(None, f"{_part(odd, files)}is no Parquet; expected such files")
            stream = stack.enter_context(_stream(files[0], kinds.pop(), origin))
            if stream.peek(4)[:4] == b"PAR1":
                inner = os.path.join(scratch.folder, "gunzipped.parquet")
                with open(inner, "wb") as copy:
                    shutil.copyfileobj(stream, copy, BLOCK)
                yield _Parquet(scratch, files, stamps, origin, [inner])
            else:
                text = _Json if _is_json(stream) else _Text
                yield text(scratch, files, stamps, origin, stream)
    except DataError:
        raise
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise origin.refuse(None, f"is a damaged gzip file ({_reason(error)})") from None
    except OSError as error:
        raise origin.refuse(None, f"cannot be read ({_reason(error)})") from None
    except duckdb.Error as error:
        raise origin.refuse(None, f"cannot be read ({_reason(error)})") from None
    except UnicodeError:
        raise origin.refuse(None, "holds text that is no Unicode") from None


def _reason(error: Exception) -> str:
    """Why something failed, in one line."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    text = "".join(c if c.isprintable() else " " for c in text)
    text = re.sub(r"\s+", " ", text).strip()
    return text if len(text) <= 120 else f"{text[:117]}..."


def _magic(name: str) -> str:
    """ "parquet", "gzip" or "text", by the first bytes."""
    with open(name, "rb") as file:
        start = file.read(4)
    return {b"PAR1": "parquet", b"PARE": "parquet"}.get(
        start, "gzip" if start[:2] == b"\x1f\x8b" else "text"
    )


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


@contextmanager
def _stream(name: str, kind: str, origin: Origin) -> Iterator[io.BufferedReader]:
    """The bytes of a file, unzipped if need be."""
    with open(name, "rb") as file:
        if kind != "gzip":
            yield file
            return
        with gzip.GzipFile(fileobj=file) as unzipped:
            size = os.fstat(file.fileno()).st_size
            yield io.BufferedReader(_Limited(unzipped, size, origin), BLOCK)


def _is_json(stream: io.BufferedReader) -> bool:
    """Whether the first character that is no white space opens a JSON object or array."""
    start = stream.peek(1024).removeprefix(b"\xef\xbb\xbf").lstrip()
    return start[:1] in (b"{", b"[")


class _Scratch:
    """A folder and a database for one pass, made when they are first asked for.

    The database lives in memory and, when it grows, in the folder; both go with the stack.
    """

    def __init__(self, stack: ExitStack):
        self.stack = stack

    @cached_property
    def folder(self) -> str:
        made = tempfile.TemporaryDirectory(prefix="wmtlib-", ignore_cleanup_errors=True)
        return self.stack.enter_context(made)

    @cached_property
    def database(self) -> duckdb.DuckDBPyConnection:
        settings = {
            "memory_limit": MEMORY,
            "temp_directory": os.path.join(self.folder, "spill"),
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "python_enable_replacements": "false",
            "preserve_insertion_order": "false",
        }
        return self.stack.enter_context(closing(duckdb.connect(":memory:", config=settings)))


def _quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


# --- text --------------------------------------------------------------------------------------


class _Text:
    """A comma- or tab-separated file, open for one pass.

    Places are lines of the file, 1 = header.
    """

    def __init__(self, scratch, files, stamps, origin, stream):
        self.scratch, self.files, self.stamps = scratch, files, stamps
        self.origin, self.stream = origin, stream
        self.read = 0  # rows
        self._start()

    def _start(self) -> None:
        self.blocks = _blocks(self.stream, self.origin)
        line, text = next(self.blocks, (1, ""))
        if not text.strip():
            raise self.origin.refuse(None, "is empty; expected a header")
        head = text.partition("\n")[0]
        if "\t" not in head and "," not in head and ";" in head:
            what = "fields stand between semicolons; expected commas or tabs (and decimal points)"
            raise self.origin.refuse_line(1, what)
        self.delimiter = "\t" if "\t" in head else ","
        if not head.strip(f"{self.delimiter} \r"):
            raise self.origin.refuse_line(1, "is blank; expected a header")
        lines = io.StringIO(text, newline="\n")
        reader = csv.reader(lines, delimiter=self.delimiter, strict=True)
        with self._csv_errors(lambda: 1):
            self.header = next(reader)
        _require_distinct(self.header, partial(self.origin.refuse_line, 1))
        self.blocks = chain([(line + reader.line_num, lines.read())], self.blocks)

    @property
    def database(self) -> duckdb.DuckDBPyConnection:
        """Where groups are counted."""
        return self.scratch.database

    def refuse(self, place: int, what: str) -> DataError:
        """What to raise about a line."""
        return self.origin.refuse_line(place, what)

    @contextmanager
    def _csv_errors(self, line: Callable[[], int]) -> Iterator[None]:
        try:
            yield
        except csv.Error as error:
            what = f"is no row of fields between commas or tabs ({error})"
            raise self.origin.refuse_line(line(), what) from None

    def chunks(self, names: Sequence[str]) -> Iterator[tuple[list[Sequence[str]], np.ndarray]]:
        """Columns and lines of the rows, some thousands at a time."""
        take = [self.header.index(name) for name in names]
        width = len(self.header)
        for line, text in self.blocks:
            if not text:
                continue
            if not self._is_plain(text, width):
                yield from self._careful(line, text, take)
                return
            rows = text.count("\n")
            fields = text.replace("\n", self.delimiter).split(self.delimiter)
            self.read += rows
            yield [fields[k:-1:width] for k in take], np.arange(line, line + rows)

    def _is_plain(self, text: str, width: int) -> bool:
        """Whether every line has as many fields as the header, with no quotes and none blank."""
        if '"' in text or "\r" in text:
            return False
        data = np.frombuffer(text.encode(), np.uint8)
        place = np.flatnonzero((data == ord("\n")) | (data == ord(self.delimiter)))
        if len(place) % width:
            return False
        ends = (data[place] == ord("\n")).reshape(-1, width)
        if ends[:, :-1].any() or not ends[:, -1].all():
            return False
        return bool((np.diff(place.reshape(-1, width)[:, -1], prepend=-1) > width).all())

    def _careful(self, line: int, text: str, take: list[int]) -> Iterator[Any]:
        """The rest of the file by the strict CSV parser."""
        rest = chain([(line, text)], self.blocks)
        lines = chain.from_iterable(io.StringIO(t, newline="\n") for _, t in rest)
        reader = csv.reader(lines, delimiter=self.delimiter, strict=True)
        before, width = line - 1, len(self.header)
        rows, starts, blank, start = [], [], 0, line
        with self._csv_errors(lambda: start):
            for fields in reader:
                if not any(fields):
                    blank = blank or start
                elif blank:
                    what = f"is blank; expected a row, as on line {start}"
                    raise self.origin.refuse_line(blank, what)
                elif len(fields) != width:
                    raise self.origin.refuse_line(start, f"{len(fields)} fields; expected {width}")
                else:
                    rows.append([fields[k] for k in take])
                    starts.append(start)
                start = before + reader.line_num + 1
                if len(rows) >= 20_000:
                    self.read += len(rows)
                    yield list(zip(*rows, strict=True)), np.array(starts)
                    rows, starts = [], []
        if rows:
            self.read += len(rows)
            yield list(zip(*rows, strict=True)), np.array(starts)

    def relation(self, used: Mapping[str, str], run: Callable[[str, list], None]) -> None:
        """Give every chunk to `run` as a table with one text column a role, and place."""
        for values, places in self.chunks(list(used.values())):
            frame = pd.DataFrame(
                {r: np.array(v, dtype=object) for r, v in zip(used, values, strict=True)}
                | {"place": places},
                copy=False,
            )
            self.database.register("chunk", frame)
            run("chunk", [])
            self.database.unregister("chunk")

    def frame(self, used: Mapping[str, str]) -> tuple[pd.DataFrame, Origin]:
        """One text column a role, and where the rows stand."""
        parts, lines = [], []
        for values, places in self.chunks(list(used.values())):
            parts.append([np.array(v, dtype=object) for v in values])
            lines.append(places)
        if not parts:
            parts, lines = [[np.array([], dtype=object)] * len(used)], [np.array([], int)]
        joined = map(np.concatenate, zip(*parts, strict=True))
        data = pd.DataFrame(dict(zip(used, joined, strict=True)), dtype=object)
        return data, Origin(self.origin.name, np.concatenate(lines).tolist())

    def total(self) -> int:
        """Rows of the file, once all were read."""
        return self.read


def _blocks(stream: BinaryIO, origin: Origin) -> Iterator[tuple[int, str]]:
    """Text of whole lines, some thousands at a time, with the number of the first.

    Line ends become "\\n", and the last line gets one.
    """
    line, rest, first = 1, b"", True
    while block := stream.read(BLOCK):
        if first:
            _require_text(block, origin)
            block, first = block.removeprefix(b"\xef\xbb\xbf"), False
        if b"\0" in block:
            number = line + (rest + block).count(b"\n", 0, len(rest) + block.index(b"\0"))
            what = "holds a NUL byte (binary, or UTF-16?); expected UTF-8 text"
            raise origin.refuse_line(number, what)
        head, newline, tail = block.rpartition(b"\n")
        if newline:
            whole, rest = rest + head + newline, tail
            yield line, _decoded(whole, line, origin)
            line += whole.count(b"\n")
        else:
            rest += block
        if len(rest) > LONGEST_LINE:
            raise origin.refuse_line(line, f"is longer than {LONGEST_LINE} bytes; expected a row")
    if rest:
        yield line, _decoded(rest + b"\n", line, origin)


def _require_text(start: bytes, origin: Origin) -> None:
    """Refuse by their first bytes what is often taken for text."""
    for magic, what in [
        (b"\xff\xfe", "is UTF-16; expected UTF-8 text"),
        (b"\xfe\xff", "is UTF-16; expected UTF-8 text"),
        (b"PK\x03\x04", "is a ZIP archive or a spreadsheet; expected CSV, TSV, JSON or Parquet"),
    ]:
        if start.startswith(magic):
            raise origin.refuse(None, what)


def _decoded(data: bytes, line: int, origin: Origin) -> str:
    """Lines of UTF-8 as text."""
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        number = line + data.count(b"\n", 0, error.start)
        what = f"byte 0x{data[error.start]:02x} is no UTF-8; expected UTF-8 text"
        raise origin.refuse_line(number, what) from None


def _require_distinct(header: Sequence[str], refuse: Callable[[str], DataError]) -> None:
    """Refuse a header that names two columns alike but for the case of letters."""
    seen = set()
    for name in header:
        if (key := name.casefold()) in seen:
            raise refuse(f"column {_shown(name)} stands twice; expected it once")
        seen.add(key)


class _Json(_Text):
    """JSON lines: one object a line, all with the same columns."""

    def _start(self) -> None:
        self.blocks = _blocks(self.stream, self.origin)
        line, text = next(self.blocks)
        first, _, _ = text.partition("\n")
        self.header = list(self._object(first, line))
        _require_distinct(self.header, partial(self.origin.refuse_line, 1))
        self.blocks = chain([(line, text)], self.blocks)

    def _object(self, text: str, line: int) -> dict[str, Any]:
        """One line as an object; numbers stay as they are written."""
        try:
            found = _JSON.decode(text)
        except (ValueError, RecursionError) as error:
            what = f"is no JSON object ({_reason(error)})"
            raise self.origin.refuse_line(line, what) from None
        if not isinstance(found, dict):
            what = f"is a JSON {type(found).__name__}; expected one object a line"
            raise self.origin.refuse_line(line, what)
        return found

    def chunks(self, names: Sequence[str]) -> Iterator[tuple[list[Sequence[str]], np.ndarray]]:
        keys, blank = set(self.header), 0
        for first, text in self.blocks:
            rows, lines = [], []
            for line, row in enumerate(text.split("\n")[:-1], first):
                if not row.strip():
                    blank = blank or line
                    continue
                if blank:
                    what = f"is blank; expected an object, as on line {line}"
                    raise self.origin.refuse_line(blank, what)
                found = self._object(row, line)
                if found.keys() != keys:
                    odd = _shown(sorted(found.keys() ^ keys)[0])
                    what = f"column {odd} stands on some lines only; expected the same on all"
                    raise self.origin.refuse_line(line, what)
                rows.append([self._scalar(found[name], name, line) for name in names])
                lines.append(line)
            if rows:
                self.read += len(rows)
                yield list(zip(*rows, strict=True)), np.array(lines)

    def _scalar(self, value: Any, name: str, line: int) -> str | None:
        if value is None or isinstance(value, str):
            if value and not value.isascii():
                try:
                    value.encode()
                except UnicodeEncodeError:
                    what = f"{_shown(name)} is {_shown(value)}; expected Unicode text"
                    raise self.origin.refuse_line(line, what) from None
            return value
        if isinstance(value, bool):
            return str(value).lower()
        what = f"{_shown(name)} is a JSON {type(value).__name__}; expected text or a number"
        raise self.origin.refuse_line(line, what)


def _distinct_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


_JSON = json.JSONDecoder(
    parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=_distinct_pairs
)


# --- Parquet -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _RowOrigin(Origin):
    """Where rows come from that have no lines: rows of Parquet files, counted from 1."""

    starts: Sequence[int] = (0,)
    names: Sequence[str] = ("",)

    def refuse(self, row: int | None, what: str) -> DataError:
        if row is None:
            return super().refuse(None, what)
        k = bisect_right(self.starts, row) - 1
        where = f"{_part(self.names[k], self.names)}row {row - self.starts[k] + 1}"
        return DataError(f"{self.name}, {where}: {what}")


class _Parquet:
    """Parquet files of one schema. Places are the number of the file, then the row in it."""

    def __init__(self, scratch, files, stamps, origin, inner=None):
        self.files, self.stamps, self.origin = files, stamps, origin
        self.database = database = scratch.database
        self.paths = [_plain_path(f, k, scratch) for k, f in enumerate(inner or files)]
        self._shut_in()
        self.sizes = []
        for k, path in enumerate(self.paths):
            try:
                header, types = self._schema(path)
                sizes = "SELECT num_rows FROM parquet_file_metadata(?)"
                self.sizes.append(int(database.execute(sizes, [path]).fetchall()[0][0]))
            except duckdb.Error as error:
                what = f"cannot be read as Parquet ({_reason(error).replace(path, 'it')})"
                raise origin.refuse(None, _part(files[k], files) + what) from None
            if k == 0:
                self.header, self.types = header, dict(zip(header, types, strict=True))
                first = (header, types)
            elif (header, types) != first:
                what = f"{_part(files[k], files)}has other columns than {_shown(_name(files[0]))}"
                raise origin.refuse(None, f"{what}; expected the same names and types")
        self.starts = np.cumsum([0, *self.sizes[:-1]]).tolist()

    def _shut_in(self) -> None:
        """From here on the database opens these files and nothing else."""
        listed = ", ".join("'" + p.replace("'", "''") + "'" for p in self.paths)
        self.database.execute(f"SET allowed_paths = [{listed}]")
        self.database.execute("SET enable_external_access = false")
        self.database.execute("SET lock_configuration = true")

    def _schema(self, path: str) -> tuple[list[str], list[str]]:
        """Names of the columns as they stand in the file, and their types."""
        rows = self.database.execute(
            "SELECT name, num_children FROM parquet_schema(?)", [path]
        ).fetchall()
        names, skip = [], 0
        for name, children in rows[1:]:
            if skip == 0:
                names.append(name)
            else:
                skip -= 1
            skip += children or 0
        _require_distinct(names, partial(self.origin.refuse, None))
        if odd := {"file_row_number", "file_index", "filename"} & {n.casefold() for n in names}:
            what = f"column {_shown(min(odd))} has a name that DuckDB keeps for itself"
            raise self.origin.refuse(None, f"{what}; expected another")
        probe = self.database.execute(f"SELECT * FROM {READ} LIMIT 0", [[path]])
        found = probe.description
        probe.fetchall()
        for name, (taken, *_) in zip(names, found, strict=True):
            if name != taken:
                what = f"column {_shown(name)} is {_shown(taken)} to DuckDB; expected another name"
                raise self.origin.refuse(None, what)
        return names, [str(f[1]) for f in found]

    def refuse(self, place: int, what: str) -> DataError:
        """What to raise about a row."""
        row = place & ((1 << FILE_BITS) - 1)
        return self._rows().refuse(self.starts[place >> FILE_BITS] + row, what)

    def _rows(self) -> _RowOrigin:
        # Empty files start where the next one does; only files with rows can be meant.
        filled = [k for k, size in enumerate(self.sizes) if size] or [0]
        names = [self.files[k] for k in filled] if len(self.files) > 1 else self.files
        return _RowOrigin(self.origin.name, None, [self.starts[k] for k in filled], names)

    def _select(self, used: Mapping[str, str]) -> str:
        """SQL for one text column a role, and the place; its one parameter is the files."""
        parts = []
        for role, name in used.items():
            fine = TEXT_TYPES.fullmatch(self.types[name])
            fine = fine or (role == "score" and NUMBER_TYPES.fullmatch(self.types[name]))
            if not (fine or (role == "accepted" and self.types[name] == "BOOLEAN")):
                kind = "numbers" if role == "score" else "text"
                what = f"column {_shown(name)} holds {self.types[name][:40]}; expected {kind}"
                raise self.origin.refuse(None, what)
            parts.append(f"CAST({_quoted(name)} AS VARCHAR) AS {_quoted(role)}")
        place = f"(CAST(file_index AS BIGINT) << {FILE_BITS}) + file_row_number AS place"
        return f"SELECT {', '.join(parts)}, {place} FROM {READ}"

    def relation(self, used: Mapping[str, str], run: Callable[[str, list], None]) -> None:
        """Give the files to `run` as a table with one text column a role, and place."""
        run(f"({self._select(used)})", [self.paths])

    def frame(self, used: Mapping[str, str]) -> tuple[pd.DataFrame, Origin]:
        """One text column a role, and where the rows stand."""
        query = f"{self._select(used)} ORDER BY place"
        found = self.database.execute(query, [self.paths]).fetchnumpy()
        columns = {r: np.ma.filled(np.ma.asarray(found[r], object), None) for r in used}
        return pd.DataFrame(columns, dtype=object), self._rows()

    def total(self) -> int:
        """Rows of all files."""
        return sum(self.sizes)


READ = "read_parquet(?, hive_partitioning = false, union_by_name = false)"


def _name(path: str) -> str:
    return os.path.basename(path)


def _plain_path(path: str, number: int, scratch: _Scratch) -> str:
    """A path that DuckDB takes as it is: one with signs of a pattern gets a link without."""
    if not re.search(r"[*?\[\]{}\\]|[^\x20-\x7e]|://", path):
        return path
    link = os.path.join(scratch.folder, f"{number:09d}.parquet")
    os.symlink(path, link)
    return link


# --- what the columns are ----------------------------------------------------------------------


def _layout(
    header: Sequence[str],
    kind: str | None,
    columns: Mapping[str, str | None],
    origin: Origin,
) -> tuple[str, dict[str, str]]:
    """Kind of judgement, and the column of every role that the file has.

    The layouts of WMT's own files have no roles: their columns stand for themselves.
    """
    if kind is not None and kind not in KINDS:
        raise origin.refuse(None, f"kind is {_shown(kind)}; expected one of {', '.join(KINDS)}")
    if set(WMT_COLUMNS) <= set(header) and kind in (None, "rankings") and not columns:
        return "rankings", {name: name for name in WMT_COLUMNS}
    _check_columns(header, columns, kind, origin)
    found, doubts = {}, {}
    for name, roles in KINDS.items():
        if kind in (None, name):
            used, doubt = _roles(header, chain(*roles), columns)
            lacking = [r for r in roles[0] if r not in used and r not in doubt]
            if not lacking and set(columns) <= set(chain(*roles)):
                found[name], doubts[name] = used, doubt
    if len(found) != 1:
        what = "could be of several kinds" if found else "does not name the columns of any kind"
        if kind:
            what = f"does not name the columns of {kind}"
        shown = ", ".join(map(_shown, header[:12])) + (", ..." if len(header) > 12 else "")
        wanted = found or ([kind] if kind else KINDS)
        needed = "; ".join(f"{k}: {', '.join(KINDS[k][0])}" for k in wanted)
        raise origin.refuse_line(1, f"the header {what} ({needed}); it is {shown}")
    ((kind, used),) = found.items()
    for role, names in doubts[kind].items():
        what = f"columns {', '.join(map(_shown, names))} could each be the {role}"
        raise origin.refuse_line(1, f"{what}; expected one, or a choice by columns")
    taken = list(used.values())
    if twice := [name for name in taken if taken.count(name) > 1]:
        roles = [role for role in used if used[role] == twice[0]]
        what = f"column {_shown(twice[0])} is taken for {' and '.join(roles)}"
        raise origin.refuse_line(1, f"{what}; expected a column each")
    return kind, used


def _check_columns(header, columns, kind, origin) -> None:
    """Refuse a choice of columns that are not there, or of roles that do not exist."""
    roles = set(chain.from_iterable(chain(*KINDS[k]) for k in ([kind] if kind else KINDS)))
    for role, name in columns.items():
        if role not in roles:
            what = f"no role {_shown(role)} for a column; expected {', '.join(sorted(roles))}"
            raise origin.refuse(None, what)
        if name is not None and name not in header:
            shown = ", ".join(map(_shown, header[:12]))
            what = f"column {_shown(name)} is missing; the header is {shown}"
            raise origin.refuse_line(1, what)


def _roles(header, roles, columns) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Column of every role that is plain, and the columns of those that are not."""
    by_name = {name.casefold(): name for name in header}
    used = {role: name for role, name in columns.items() if name is not None}
    doubt: dict[str, list[str]] = {}
    chosen = set(used.values())
    for role in roles:
        if role in columns:
            continue
        if role in ("a", "b"):
            pairs = [p for p in PAIRS if set(p) <= set(by_name)]
            names = [by_name[p[role == "b"]] for p in pairs]
        else:
            names = [by_name[n] for n in ALIASES[role] if n in by_name]
        names = [n for n in names if n not in chosen]
        if len(names) == 1:
            used[role] = names[0]
        elif names:
            doubt[role] = names
    return used, doubt


def _choose(tasks: Sequence[str], task: str | None, origin: Origin) -> str:
    """The task that is meant."""
    listed = ", ".join(map(_shown, tasks[:20])) + (", ..." if len(tasks) > 20 else "")
    if task is None and len(tasks) > 1:
        raise origin.refuse(None, f"holds {len(tasks)} tasks: {listed}; choose one by task")
    if task is not None and task not in tasks:
        known = f"it holds {listed}" if any(tasks) else "it names no task"
        raise origin.refuse(None, f"no task {_shown(task)}; {known}")
    return tasks[0] if task is None else task


def _fault_of_name(name: str | None) -> str:
    """Why a name cannot be that of a system or a task; empty if it can."""
    if name is None or not name.strip():
        return "expected a name"
    if name != name.strip():
        return "expected a name without blanks around it"
    if len(name) > LONGEST_NAME:
        return f"expected a name of at most {LONGEST_NAME} characters"
    return "" if name.isprintable() else "expected a name without invisible characters"


# --- pairwise comparisons ----------------------------------------------------------------------


def _pairwise(source, used: Mapping[str, str], task: str | None, origin: Origin) -> dict[str, Any]:
    """Count and check comparisons: one pass, one GROUP BY; the checks look at its groups."""
    units = tuple(u for u in UNITS["pairwise"] if u in used)
    keys = ["a", "b", "outcome", *(["task"] if "task" in used else [])]
    _grouped(source, used, keys, units, "", [])
    _check_cells(source, used, units)
    meaning = _meaning(source, used)
    database = source.database
    rows = int(database.execute("SELECT coalesce(sum(n), 0) FROM cells").fetchall()[0][0])
    if rows != source.total():
        raise origin.refuse(None, f"{rows} rows counted of {source.total()}; the file is damaged")
    chosen = ""
    if "task" in used:
        query = "SELECT task FROM cells GROUP BY task ORDER BY task"
        chosen = _choose([r[0] for r in database.execute(query).fetchall()], task, origin)
    elif task is not None:
        _choose([""], task, origin)
    where, values = ("WHERE task = ?", [chosen]) if "task" in used else ("", [])
    cells = database.execute(f"SELECT a, b, outcome, n FROM cells {where}", values).fetchall()
    frame = pd.DataFrame(cells, columns=["a", "b", "outcome", "count"])
    systems = tuple(sorted({*frame["a"], *frame["b"]}))
    tally = frame.assign(
        a=pd.Categorical(frame["a"], categories=systems),
        b=pd.Categorical(frame["b"], categories=systems),
        outcome=pd.Categorical(frame["outcome"].map(meaning), categories=OUTCOMES),
    )
    tally = tally.groupby(["a", "b", "outcome"], observed=True, as_index=False)["count"].sum()
    return {
        "rows": int(tally["count"].sum()),
        "systems": systems,
        "units": units,
        "task": chosen,
        "_tally": tally.astype({"count": np.int64}),
        "_columns": dict(used),
        "_meaning": meaning,
        "_stamps": source.stamps,
    }


def _grouped(source, used, keys, gaps: Sequence[str], where: str, values: list) -> None:
    """Make the table `cells`: for every combination of keys, n and the first place.

    `gaps` are units: of each, the first place where it is missing. Text comes in pieces; their
    groups are put together when they have become many.
    """
    names, database = ", ".join(keys), source.database
    missing = "".join(
        f", min(place) FILTER (WHERE {u} IS NULL OR NOT regexp_matches({u}, '\\S')) AS {u}_gap"
        for u in gaps
    )
    joined = "".join(f", min({u}_gap) AS {u}_gap" for u in gaps)
    made, limit = False, MOST_LOOSE

    def join() -> int:
        what = f"{names}, CAST(sum(n) AS BIGINT) AS n, min(place) AS place{joined}"
        database.execute(f"CREATE TEMP TABLE fewer AS SELECT {what} FROM cells GROUP BY {names}")
        database.execute("DROP TABLE cells")
        database.execute("ALTER TABLE fewer RENAME TO cells")
        return _number(database)

    def run(relation: str, parameters: list) -> None:
        nonlocal made, limit
        what = f"SELECT {names}, count(*) AS n, min(place) AS place{missing} FROM {relation}"
        how = "INSERT INTO cells" if made else "CREATE TEMP TABLE cells AS"
        database.execute(f"{how} {what} {where} GROUP BY {names}", [*parameters, *values])
        if made and _number(database) > limit:
            limit = max(MOST_LOOSE, 2 * join())
        made = True

    source.relation(used, run)
    if not made or not _number(database):
        raise source.origin.refuse(None, "holds a header but no judgements")
    if not isinstance(source, _Parquet):
        join()


def _number(database: duckdb.DuckDBPyConnection) -> int:
    """Rows of `cells`."""
    return int(database.execute("SELECT count(*) FROM cells").fetchall()[0][0])


def _check_cells(source, used: Mapping[str, str], units: Sequence[str]) -> None:
    """Refuse the first row that is no comparison of two systems."""

    def first(query: str) -> tuple | None:
        found = source.database.execute(f"{query} ORDER BY place LIMIT 1").fetchall()
        return found[0] if found else None

    for role in ("a", "b", *(["task"] if "task" in used else [])):
        query = f"SELECT count(DISTINCT {role}) FROM cells"
        if (n := source.database.execute(query).fetchall()[0][0]) > MOST_SYSTEMS:
            what = f"column {_shown(used[role])} holds {n} names; expected at most {MOST_SYSTEMS}"
            raise source.origin.refuse(None, what)
        query = f"SELECT {role}, min(place) AS place FROM cells GROUP BY {role} ORDER BY place"
        for name, place in source.database.execute(query).fetchall():
            if fault := _fault_of_name(name):
                what = f"{_role(role, used)} is {_shown('' if name is None else name)}; {fault}"
                raise source.refuse(place, what)
    if found := first("SELECT place, a FROM cells WHERE a = b"):
        what = f"system {_shown(found[1])} is compared with itself; expected two systems"
        raise source.refuse(found[0], what)
    for unit in units:
        gap = f"{unit}_gap"
        if found := first(f"SELECT {gap} AS place FROM cells WHERE {gap} IS NOT NULL"):
            raise source.refuse(found[0], f"{_role(unit, used)} is missing; expected a name")


def _role(role: str, used: Mapping[str, str]) -> str:
    """A role and, if it is another, the name of its column."""
    return role if used[role] == role else f"{role} (column {_shown(used[role])})"


def _meaning(source, used: Mapping[str, str]) -> dict[str, str]:
    """What every outcome of the file means, or a refusal of the first that means nothing."""
    known = sorted(set(chain.from_iterable(VOCABULARIES)))
    slots = ", ".join("?" * len(known))
    query = f"SELECT outcome, place FROM cells WHERE outcome IS NULL OR outcome NOT IN ({slots})"
    odd = source.database.execute(f"{query} ORDER BY place LIMIT 1", known).fetchall()
    for outcome, place in odd:
        found = _shown("" if outcome is None else outcome)
        raise source.refuse(place, f"{_role('outcome', used)} is {found}; {EXPECTED}")
    query = "SELECT outcome, min(place) AS place FROM cells GROUP BY outcome ORDER BY place"
    found = source.database.execute(query).fetchall()
    possible = list(VOCABULARIES)
    for outcome, place in found:
        fitting = [words for words in possible if outcome in words]
        if not fitting:
            said = ", ".join(_shown(o) for o, p in found if p < place)
            what = f"{_role('outcome', used)} is {_shown(outcome)} after {said}; {EXPECTED}"
            raise source.refuse(place, what)
        possible = fitting
    if {o for o, _ in found} == {"0", "1"}:
        what = "outcomes are 1 and 0 but never 2; 0 is a tie: if it means that b won, expected 2"
        raise source.origin.refuse(None, what)
    return possible[0]


def _tallies_by_unit(judgements: Judgements, source, units: Sequence[str]) -> pd.DataFrame:
    """The GROUP BY over pairs, outcomes and units, as codes and categories."""
    used, database = judgements._columns, source.database
    where, values = ("WHERE task = ?", [judgements.task]) if "task" in used else ("", [])
    kept = {r: c for r, c in used.items() if r in ("a", "b", "outcome", "task", *units)}
    _grouped(source, kept, ["a", "b", "outcome", *units], (), where, values)
    labels = {"a": list(judgements.systems), "b": list(judgements.systems), "outcome": [*OUTCOMES]}
    words = judgements._meaning
    codes = {
        "a": {name: k for k, name in enumerate(judgements.systems)},
        "b": {name: k for k, name in enumerate(judgements.systems)},
        "outcome": {word: OUTCOMES.index(meant) for word, meant in words.items()},
    }
    for role, numbers in codes.items():
        table = pd.DataFrame({"label": np.array([*numbers], object), "code": [*numbers.values()]})
        database.register("numbers", table)
        database.execute(f"CREATE TEMP TABLE {role}_codes AS SELECT * FROM numbers")
        database.unregister("numbers")
    for unit in units:
        database.execute(
            f"CREATE TEMP TABLE {unit}_codes AS SELECT {unit} AS label,"
            f" row_number() OVER (ORDER BY min(place)) - 1 AS code FROM cells GROUP BY {unit}"
        )
        query = f"SELECT label FROM {unit}_codes ORDER BY code"
        labels[unit] = [r[0] for r in database.execute(query).fetchall()]
    keys = ["a", "b", "outcome", *units]
    chosen = ", ".join(f"CAST({k}_codes.code AS INTEGER) AS {k}" for k in keys)
    joins = " ".join(f"JOIN {k}_codes ON cells.{k} = {k}_codes.label" for k in keys)
    found = database.execute(
        f"SELECT {chosen}, CAST(sum(n) AS BIGINT) AS count FROM cells {joins}"
        " GROUP BY ALL ORDER BY ALL"
    ).fetchnumpy()
    if int(found["count"].sum()) != judgements.rows:
        raise source.origin.refuse(None, "was changed since it was read")
    if "judge" in labels:
        labels["judge"] = [f"judge_{k:03d}" for k in range(1, len(labels["judge"]) + 1)]
    table = {k: pd.Categorical.from_codes(found[k], categories=labels[k]) for k in keys}
    return pd.DataFrame(table | {"count": np.asarray(found["count"], np.int64)})


# --- rankings and assessments ------------------------------------------------------------------


def _tallies_of_rankings(rankings: pd.DataFrame, units: Sequence[str]) -> pd.DataFrame:
    """The same table from the comparisons that rankings imply."""
    compared = pairwise.comparisons(rankings)
    systems = sorted(set(rankings["system"]))
    outcome = np.array(["tie", "a", "b"])[compared["preference"].to_numpy()]
    table = pd.DataFrame(
        {
            "a": pd.Categorical(compared["system_1"], categories=systems),
            "b": pd.Categorical(compared["system_2"], categories=systems),
            "outcome": pd.Categorical(outcome, categories=OUTCOMES),
        }
    )
    for unit in units:
        codes, labels = pd.factorize(compared[unit].astype(object))
        table[unit] = pd.Categorical.from_codes(codes, categories=labels)
    keys = ["a", "b", "outcome", *units]
    return table.groupby(keys, observed=True).size().rename("count").reset_index()


def _table(
    source, kind: str, used: Mapping[str, str], task: str | None, origin: Origin
) -> dict[str, Any]:
    """Rankings or assessments as the package's own frame."""
    frame, where = source.frame(used)
    if len(frame) != source.total():
        raise origin.refuse(
            None, f"{len(frame)} rows read of {source.total()}; the file is damaged"
        )
    if frame.empty:
        raise origin.refuse(None, "holds a header but no judgements")
    if kind == "assessments":
        return _assessments(frame, where, used, task)
    wmt = "srclang" in used
    rankings = schemas.tidy_rankings(frame, where) if wmt else _long_rankings(frame, where, used)
    of_task = _tasks_of(frame, rankings, wmt)
    chosen = _choose(sorted(set(of_task)), task, origin)
    rankings = rankings[(rankings["task"] == chosen).to_numpy()].reset_index(drop=True)
    rankings["system"] = rankings["system"].cat.remove_unused_categories()
    systems = tuple(sorted(set(rankings["system"])))
    _require_two(systems, origin)
    if not rankings.loc[rankings["rank"] != UNRANKED, "ranking"].duplicated().any():
        raise origin.refuse(None, "holds no ranking of two systems; expected some")
    return {
        "rows": int((of_task == chosen).sum()),
        "systems": systems,
        "units": tuple(u for u in UNITS["rankings"] if wmt or u in used),
        "task": chosen,
        "rankings": rankings,
    }


def _tasks_of(frame: pd.DataFrame, rankings: pd.DataFrame, wmt: bool) -> np.ndarray:
    """Task of every row of the file."""
    if wmt:
        return (frame["srclang"] + "," + frame["trglang"]).to_numpy(object)
    return (
        frame["task"].to_numpy(object) if "task" in frame else np.array([""] * len(frame), object)
    )


def _require_two(systems: Sequence[str], origin: Origin) -> None:
    if len(systems) < 2:
        what = f"holds one system, {_shown(systems[0])}" if systems else "holds no system"
        raise origin.refuse(None, f"{what}; expected two or more")


def _require(
    column: pd.Series, what: str, fault: Callable[[str | None], str], where: Origin
) -> None:
    """Refuse the first value with a fault."""
    codes, values = pd.factorize(column, use_na_sentinel=False)
    for k, value in enumerate(values):
        found = None if not isinstance(value, str) else value
        if why := fault(found):
            row = int(np.argmax(codes == k))
            raise where.refuse(row, f"{what} is {_shown('' if found is None else found)}; {why}")


def _blank(value: str | None) -> str:
    return "" if value is not None and value.strip() else "expected a name"


def _long_rankings(frame: pd.DataFrame, where: Origin, used: Mapping[str, str]) -> pd.DataFrame:
    """From one row per ranked output, in any order, to `schemas.RANKINGS`."""

    def rank(value: str | None) -> str:
        fine = value is not None and re.fullmatch("0*[1-9][0-9]{0,8}|-1", value)
        return "" if fine else f"expected a whole number from 1, or {UNRANKED} for no rank"

    for name in used:
        fault = {"rank": rank, "system": _fault_of_name, "task": _fault_of_name}.get(name, _blank)
        _require(frame[name], _role(name, used), fault, where)
    number = pd.factorize(frame["ranking"])[0]
    for name in ("judge", "segment", "task"):
        if name in frame:
            code = pd.factorize(frame[name])[0]
            start = np.unique(number, return_index=True)[1]
            if (bad := code != code[start][number]).any():
                row = int(np.argmax(bad))
                what = f"ranking {_shown(frame['ranking'].iloc[row])} has a second {name}"
                raise where.refuse(row, f"{what}; expected one, or other names for the rankings")
    if (twice := frame[["ranking", "system"]].duplicated().to_numpy()).any():
        row = int(np.argmax(twice))
        what = f"system {_shown(frame['system'].iloc[row])} stands twice in one ranking"
        raise where.refuse(row, f"{what}; expected different systems")
    order = np.argsort(number, kind="stable")
    frame = frame.iloc[order]
    tidy = pd.DataFrame(
        {
            "task": pd.Categorical(frame["task"] if "task" in frame else [""] * len(frame)),
            "ranking": number[order].astype(np.int32),
            "segment": pd.Categorical(
                frame["segment"] if "segment" in frame else [""] * len(frame)
            ),
            "judge": schemas.pseudonyms(frame["judge"])
            if "judge" in frame
            else pd.Categorical([""] * len(frame)),
            "system": pd.Categorical(frame["system"], categories=sorted(set(frame["system"]))),
            "rank": frame["rank"].astype(np.int32).to_numpy(),
        }
    )
    return tidy[RANKINGS]


def _assessments(
    frame: pd.DataFrame, where: Origin, used: Mapping[str, str], task: str | None
) -> dict[str, Any]:
    """From a tidy file to `schemas.ASSESSMENTS`."""

    def score(value: str | None) -> str:
        fine = value is not None and len(value) <= 50 and NUMBER.fullmatch(value)
        if fine and LOWEST_SCORE <= float(value) <= HIGHEST_SCORE:
            return ""
        return f"expected a number from {LOWEST_SCORE} to {HIGHEST_SCORE}, with a decimal point"

    truth = {"true": True, "false": False, "1": True, "0": False}

    def accepted(value: str | None) -> str:
        fine = value is not None and value.casefold() in truth
        return "" if fine else "expected true, false, 1 or 0"

    named = {"score": score, "accepted": accepted, "system": _fault_of_name, "task": _fault_of_name}
    for name in used:
        _require(frame[name], _role(name, used), named.get(name, _blank), where)
    tasks = sorted(set(frame["task"])) if "task" in frame else [""]
    chosen = _choose(tasks, task, where)
    rows = np.flatnonzero(frame["task"] == chosen) if "task" in frame else np.arange(len(frame))
    frame = frame.iloc[rows].reset_index(drop=True)
    # Where the file names no language pair the frame needs one: a name to be taken out again.
    full = pd.DataFrame(
        {
            "hit": frame.get("hit", ""),
            "worker": frame["worker"],
            "language_pair": chosen or "-",
            "system": frame["system"],
            "item": frame.get("item", "SYSTEM"),
            "document": frame.get("document", ""),
            "segment": frame["segment"],
            "score": frame["score"].astype(np.float64),
            "accepted": frame["accepted"].str.casefold().map(truth).astype(bool).to_numpy()
            if "accepted" in frame
            else np.ones(len(frame), bool),
        }
    )
    _require_parts(full, _Subset(where.name, None, where, rows.tolist()))
    tidy = schemas.tidy_assessments(full, _Subset(where.name, None, where, rows.tolist()))
    tidy["language_pair"] = tidy["language_pair"].cat.rename_categories([chosen])
    return {
        "rows": len(tidy),
        "systems": _single(tidy["system"]),
        "units": tuple(u for u in UNITS["assessments"] if u in used),
        "task": chosen,
        "assessments": tidy,
    }


def _is_released(source, kind: str | None, columns: Mapping[str, str | None] | None) -> bool:
    """Whether a file is in the layout of WMT's own releases: 12 columns between blanks."""
    if type(source) is not _Text or kind not in (None, "assessments") or columns:
        return False
    return set(RELEASED) <= {word.strip('"') for name in source.header for word in name.split()}


def _released(source, task: str | None, origin: Origin) -> dict[str, Any]:
    """WMT's own layout, by the package's reader of it; all judgements count as accepted."""
    from wmtlib import assessments

    with _stream(source.files[0], _magic(source.files[0]), origin) as stream:
        released = assessments.read_released(stream.read(), origin)
    pairs = released[["Input.src", "Input.trg"]].astype(str).agg("-".join, axis=1)
    chosen = _choose(sorted(set(pairs)), task, origin)
    rows = assessments.of_pair(released, chosen, origin)
    lines = (rows.index.to_numpy() + 2).tolist()
    tidy = assessments.tidy(rows, chosen, Origin(origin.name, lines), document=[""] * len(rows))
    return {
        "rows": len(tidy),
        "systems": _single(tidy["system"]),
        "units": tuple(u for u in ("worker", "segment", "hit") if set(tidy[u]) != {""}),
        "task": chosen,
        "assessments": tidy,
    }


@dataclass(frozen=True)
class _Subset(Origin):
    """Where rows come from that were chosen from among others."""

    whole: Origin | None = None
    rows: Sequence[int] = ()

    def refuse(self, row: int | None, what: str) -> DataError:
        return self.whole.refuse(None if row is None else self.rows[row], what)


def _single(systems: pd.Series) -> tuple[str, ...]:
    """Names of systems, those in joint names too."""
    return tuple(sorted({part for name in set(systems) for part in name.split(JOINT)}))


def _require_parts(frame: pd.DataFrame, where: Origin) -> None:
    """Refuse a joint name of something that is no system of the file.

    `A+B` stands for identical outputs of A and B; a system called `base+tuned` would be taken for
    two.
    """
    names = set(frame["system"])
    for name in sorted(names):
        if odd := [part for part in name.split(JOINT) if JOINT in name and part not in names]:
            row = int(np.argmax((frame["system"] == name).to_numpy()))
            what = f"system {_shown(name)} joins {_shown(odd[0])}, which is no system of the file"
            raise where.refuse(row, f"{what}; expected no {JOINT!r} in the name of one system")
