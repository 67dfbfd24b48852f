"""Tables in CSV, TSV, JSON lines or Parquet, told apart by their content and read strictly.

Text is parsed here and not by DuckDB or pandas, which rename, pad, trim or cut where a file is not
what it should be. Every row has a place, by which a refusal names its line or its file and row.
"""

import csv
import io
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import duckdb
import numpy as np
import pandas as pd

from wmtlib.files import opening
from wmtlib.files.opening import Opened, part, reason, shown
from wmtlib.judgements.errors import DataError, Origin

LONGEST_LINE = 1 << 20  # bytes
ROWS = 20_000  # rows that the strict CSV parser takes at a time
FILE_BITS = 40  # a place in Parquet files: number of the file, then 40 bits for the row in it
TEXT_TYPES = re.compile(r"VARCHAR|U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|UUID|ENUM\b.*")
NUMBER_TYPES = re.compile(r"FLOAT|DOUBLE|DECIMAL\b.*")
READ = "read_parquet(?, hive_partitioning = false, union_by_name = false)"
BOM = b"\xef\xbb\xbf"


@contextmanager
def opened(path: str | Path) -> Iterator["Table"]:
    """The table of a file, a folder or a pattern, for one pass."""
    with opening.opened(path) as found:
        paths, origin = found.paths, found.origin
        kinds = [opening.magic(name) for name in paths]
        if set(kinds) == {"parquet"}:
            yield Parquet(found, paths)
            return
        if len(paths) > 1:
            odd = next(name for name, kind in zip(paths, kinds, strict=True) if kind != "parquet")
            raise origin.refuse(None, f"{part(odd, paths)}is no Parquet; expected such files")
        stream = found.stack.enter_context(opening.stream(paths[0], origin))
        start = stream.peek(1024)
        if start[:4] == b"PAR1":
            inner = os.path.join(found.folder, "gunzipped.parquet")
            with open(inner, "wb") as copy:
                shutil.copyfileobj(stream, copy, opening.BLOCK)
            yield Parquet(found, [inner])
        else:
            json_lines = start.removeprefix(BOM).lstrip()[:1] in (b"{", b"[")
            yield (Json if json_lines else Text)(found, stream)


class Table:
    """A table that is open for one pass.

    Besides what stands here every kind of table has `refuse(place, what)`, what to raise about a
    row; `relation(used, run)`, which gives its rows to `run`, once or in pieces, as SQL and its
    parameters; `frame(used)`, all rows as a DataFrame and where they stand; and `total()`, how many
    there are, once all were read. Of a relation or frame the columns are the roles of `used`, as
    text, and of a relation also place.

    Attributes
    ----------
    files : Opened
    header : list of str
        Names of the columns; no two alike but for the case of letters.
    """

    files: Opened
    header: list[str]

    def _require_distinct(self, refuse: Callable[[str], DataError]) -> None:
        seen = set()
        for name in self.header:
            if (key := name.casefold()) in seen:
                raise refuse(f"column {shown(name)} stands twice; expected it once")
            seen.add(key)


@dataclass(frozen=True)
class Rows(Origin):
    """Where the rows of a frame stand in the table that they were taken from."""

    table: Table | None = None
    places: np.ndarray = field(default_factory=partial(np.zeros, 0, int), repr=False, compare=False)

    def refuse(self, row: int | None, what: str) -> DataError:
        if row is None:
            return super().refuse(None, what)
        return self.table.refuse(int(self.places[row]), what)

    def take(self, rows: np.ndarray) -> "Rows":
        """The same of some of the rows."""
        return Rows(self.name, None, self.table, self.places[rows])


# --- text --------------------------------------------------------------------------------------


class Text(Table):
    """A comma- or tab-separated file. Places are lines of the file, 1 = header."""

    def __init__(self, opened: Opened, stream: BinaryIO):
        self.files, self.origin, self.read = opened, opened.origin, 0
        self.blocks = _blocks(stream, self.origin)
        line, text = next(self.blocks, (1, ""))
        self.blocks = chain([self._start(line, text)], self.blocks)
        self._require_distinct(partial(self.origin.refuse_line, 1))

    def _start(self, line: int, text: str) -> tuple[int, str]:
        """Take the header off the first block."""
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
        return line + reader.line_num, lines.read()

    def refuse(self, place: int, what: str) -> DataError:
        return self.origin.refuse_line(place, what)

    @contextmanager
    def _csv_errors(self, line: Callable[[], int]) -> Iterator[None]:
        try:
            yield
        except csv.Error as error:
            what = f"is no row of fields between commas or tabs ({error})"
            raise self.origin.refuse_line(line(), what) from None

    def _chunks(self, names: Sequence[str]) -> Iterator[tuple[list[Sequence[str]], np.ndarray]]:
        """Columns and lines of the rows, some thousands at a time."""
        take = [self.header.index(name) for name in names]
        width = len(self.header)
        for line, text in self.blocks:
            if text and not self._is_plain(text, width):
                yield from self._careful(line, text, take)
                return
            if text:
                fields = text.replace("\n", self.delimiter).split(self.delimiter)
                yield [fields[k:-1:width] for k in take], np.arange(line, line + text.count("\n"))

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
                if len(rows) >= ROWS:
                    yield list(zip(*rows, strict=True)), np.array(starts)
                    rows, starts = [], []
        if rows:
            yield list(zip(*rows, strict=True)), np.array(starts)

    def _pieces(self, used: Mapping[str, str]) -> Iterator[dict[str, np.ndarray]]:
        """The chunks as arrays by role, and place."""
        for values, places in self._chunks(list(used.values())):
            self.read += len(places)
            columns = zip(used, values, strict=True)
            yield {r: np.array(v, dtype=object) for r, v in columns} | {"place": places}

    def relation(self, used: Mapping[str, str], run: Callable[[str, list], None]) -> None:
        database = self.files.database
        for piece in self._pieces(used):
            database.register("chunk", pd.DataFrame(piece, copy=False))
            run("chunk", [])
            database.unregister("chunk")

    def frame(self, used: Mapping[str, str]) -> tuple[pd.DataFrame, Rows]:
        empty = dict.fromkeys(used, np.array([], object)) | {"place": np.array([], int)}
        pieces = list(self._pieces(used)) or [empty]
        data = {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}
        places = data.pop("place")
        return pd.DataFrame(data, dtype=object), Rows(self.origin.name, None, self, places)

    def total(self) -> int:
        return self.read


def _blocks(stream: BinaryIO, origin: Origin) -> Iterator[tuple[int, str]]:
    """Text of whole lines, some thousands at a time, with the number of the first.

    Line ends become "\\n", and the last line gets one.
    """
    line, rest, first = 1, b"", True
    while block := stream.read(opening.BLOCK):
        if first:
            if block.startswith((b"\xff\xfe", b"\xfe\xff")):
                raise origin.refuse(None, "is UTF-16; expected UTF-8 text")
            if block.startswith(b"PK\x03\x04"):
                what = "is a ZIP archive or a spreadsheet; expected CSV, TSV, JSON or Parquet"
                raise origin.refuse(None, what)
            block, first = block.removeprefix(BOM), False
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


def _decoded(data: bytes, line: int, origin: Origin) -> str:
    """Lines of UTF-8 as text."""
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        number = line + data.count(b"\n", 0, error.start)
        what = f"byte 0x{data[error.start]:02x} is no UTF-8; expected UTF-8 text"
        raise origin.refuse_line(number, what) from None


class Json(Text):
    """JSON lines: one object a line, all with the same columns."""

    def _start(self, line: int, text: str) -> tuple[int, str]:
        self.header = list(self._object(text.partition("\n")[0], line))
        return line, text

    def _object(self, text: str, line: int) -> dict[str, Any]:
        """One line as an object; numbers stay as they are written."""
        try:
            found = _JSON.decode(text)
        except (ValueError, RecursionError) as error:
            what = f"is no JSON object ({reason(error)})"
            raise self.origin.refuse_line(line, what) from None
        if not isinstance(found, dict):
            what = f"is a JSON {type(found).__name__}; expected one object a line"
            raise self.origin.refuse_line(line, what)
        return found

    def _chunks(self, names: Sequence[str]) -> Iterator[tuple[list[Sequence[str]], np.ndarray]]:
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
                    odd = shown(sorted(found.keys() ^ keys)[0])
                    what = f"column {odd} stands on some lines only; expected the same on all"
                    raise self.origin.refuse_line(line, what)
                rows.append([self._scalar(found[name], name, line) for name in names])
                lines.append(line)
            if rows:
                yield list(zip(*rows, strict=True)), np.array(lines)

    def _scalar(self, value: Any, name: str, line: int) -> str | None:
        if isinstance(value, bool):
            return str(value).lower()
        if value is None or (isinstance(value, str) and not re.search("[\ud800-\udfff]", value)):
            return value
        what = f"{shown(name)} is a JSON {type(value).__name__}; expected text or a number"
        if isinstance(value, str):
            what = f"{shown(name)} is {shown(value)}; expected Unicode text"
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


class Parquet(Table):
    """Parquet files of one schema. Places are the number of the file, then the row in it."""

    def __init__(self, opened: Opened, paths: Sequence[str]):
        self.files, self.origin, self.database = opened, opened.origin, opened.database
        self.paths = [opened.plain_path(path, k) for k, path in enumerate(paths)]
        self._shut_in()
        self.rows, schemas = 0, []
        for name, path in zip(opened.paths, self.paths, strict=True):
            try:
                schemas.append(self._schema(path))
                self.rows += self._ask("SELECT num_rows FROM parquet_file_metadata(?)", path)[0][0]
            except duckdb.Error as error:
                what = f"cannot be read as Parquet ({reason(error).replace(path, 'it')})"
                raise self.origin.refuse(None, part(name, opened.paths) + what) from None
            if schemas[-1] != schemas[0]:
                other = shown(os.path.basename(opened.paths[0]))
                what = f"{part(name, opened.paths)}has other columns than {other}"
                raise self.origin.refuse(None, f"{what}; expected the same names and types")
        self.types = dict(schemas[0])

    def _ask(self, query: str, path: str) -> list[tuple]:
        return self.database.execute(query, [path]).fetchall()

    def _shut_in(self) -> None:
        """From here on the database opens these files and nothing else."""
        allowed = ", ".join("'" + p.replace("'", "''") + "'" for p in self.paths)
        self.database.execute(f"SET allowed_paths = [{allowed}]")
        self.database.execute("SET enable_external_access = false")
        self.database.execute("SET lock_configuration = true")

    def _schema(self, path: str) -> list[tuple[str, str]]:
        """Names of the columns as they stand in the file, and their types."""
        self.header, skip = [], 0
        query = "SELECT name, num_children FROM parquet_schema(?)"
        for name, children in self._ask(query, path)[1:]:
            if skip == 0:
                self.header.append(name)
            else:
                skip -= 1
            skip += children or 0
        self._require_distinct(partial(self.origin.refuse, None))
        reserved = {"file_row_number", "file_index", "filename"}
        if odd := reserved & {n.casefold() for n in self.header}:
            what = f"column {shown(min(odd))} has a name that DuckDB keeps for itself"
            raise self.origin.refuse(None, f"{what}; expected another")
        found = self.database.execute(f"SELECT * FROM {READ} LIMIT 0", [[path]]).description
        for name, (taken, *_) in zip(self.header, found, strict=True):
            if name != taken:
                what = f"column {shown(name)} is {shown(taken)} to DuckDB; expected another name"
                raise self.origin.refuse(None, what)
        return [(name, str(kind)) for name, kind, *_ in found]

    def refuse(self, place: int, what: str) -> DataError:
        name = self.files.paths[place >> FILE_BITS]
        row = (place & ((1 << FILE_BITS) - 1)) + 1
        where = f"{part(name, self.files.paths)}row {row}"
        return DataError(f"{self.origin.name}, {where}: {what}")

    def _select(self, used: Mapping[str, str]) -> str:
        """SQL for one text column a role, and the place; its one parameter is the files."""
        parts = []
        for role, name in used.items():
            fine = TEXT_TYPES.fullmatch(self.types[name])
            fine = fine or (role == "score" and NUMBER_TYPES.fullmatch(self.types[name]))
            if not (fine or (role == "accepted" and self.types[name] == "BOOLEAN")):
                kind = "numbers" if role == "score" else "text"
                what = f"column {shown(name)} holds {self.types[name][:40]}; expected {kind}"
                raise self.origin.refuse(None, what)
            parts.append(f"CAST({_quoted(name)} AS VARCHAR) AS {_quoted(role)}")
        place = f"(CAST(file_index AS BIGINT) << {FILE_BITS}) + file_row_number AS place"
        return f"SELECT {', '.join(parts)}, {place} FROM {READ}"

    def relation(self, used: Mapping[str, str], run: Callable[[str, list], None]) -> None:
        run(f"({self._select(used)})", [self.paths])

    def frame(self, used: Mapping[str, str]) -> tuple[pd.DataFrame, Rows]:
        query = f"{self._select(used)} ORDER BY place"
        found = self.database.execute(query, [self.paths]).fetchnumpy()
        columns = {r: np.ma.filled(np.ma.asarray(found[r], object), None) for r in used}
        places = np.asarray(found["place"])
        return pd.DataFrame(columns, dtype=object), Rows(self.origin.name, None, self, places)

    def total(self) -> int:
        return self.rows


def _quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'
