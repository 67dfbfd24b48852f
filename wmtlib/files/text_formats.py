"""Tables in text: CSV, TSV and the like, which DuckDB reads; JSON lines are made CSV first.

DuckDB in strict mode refuses short and long rows and text that is not UTF-8. Python's `csv` walks
through a file that has quotes, blank lines or no line end after the last row, where DuckDB may drop
what is wrong. It also reads a file again when a refusal needs the line number of a row.
"""

import csv
import json
import mmap
import os
import re
from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from itertools import islice
from typing import Any

from wmtlib.errors import DataError, shown
from wmtlib.files import appraise_files
from wmtlib.files.opening import BLOCK, UserFiles, reason
from wmtlib.files.tables import Table, quoted
from wmtlib.files.xml_tables import XmlTable

BOM = b"\xef\xbb\xbf"
BLANK = re.compile(rb"\n[,\t\r]*(\n|[,\t]\r?\Z)")  # lines without a word, such as ",,,,"
BINARY = {  # first bytes of what is often taken for a table
    b"\xff\xfe": "is UTF-16; expected UTF-8 text",
    b"\xfe\xff": "is UTF-16; expected UTF-8 text",
    b"PK\x03\x04": "is a ZIP archive or a spreadsheet; expected CSV, TSV, JSON or Parquet",
    b"BZh": "is packed by bzip2; unpack it, as in: bzcat FILE | wmtlib rank -",
    b"\xfd7zX": "is packed by xz; unpack it, as in: xzcat FILE | wmtlib rank -",
}


def open_text(files: UserFiles) -> Table:
    """The table of a file of text, by what it begins with."""
    refuse = files.origin.refuse
    path = files.unpacked[0]
    if os.path.getsize(path) == 0:
        raise refuse(None, "is empty; expected a header")
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for start, message in BINARY.items():
            if data[:4].startswith(start):
                raise refuse(None, message)
        if (place := data.find(b"\0")) >= 0:
            message = "holds a NUL byte (binary, or UTF-16?); expected UTF-8 text"
            raise files.origin.refuse_line(1 + data[:place].count(b"\n"), message)
        start = data[:1024].removeprefix(BOM).lstrip()
        if not start and len(data) <= 1024:
            raise refuse(None, "is empty; expected a header")
        if start.startswith((b"{", b"[")):
            return JsonTable(files)
        if start.startswith(b"<"):
            return XmlTable(files)
        if data.find(b"\r\r\n") >= 0:  # as in WMT16's official files
            files.unpacked[0] = os.path.join(files.folder, "single-line-ends")
            with open(files.unpacked[0], "wb") as copy:
                copy.writelines(re.sub(rb"\r+\n", b"\n", line) for line in file)
            return open_text(files)
        if b'"' in data or BLANK.search(data) or data[-1:] != b"\n":
            return CsvTable(files, lines=None)
        ends = sum(block.count(b"\n") for block in iter(partial(file.read, BLOCK), b""))
        return CsvTable(files, lines=ends)


def csv_query(
    path: str, delimiter: str, width: int, columns: Mapping[str, int], *, header: bool = True
) -> str:
    """SQL that selects columns of a CSV file by their position, and the number of each row."""
    names = ", ".join(f"'c{k}': 'VARCHAR'" for k in range(width))
    taken = "".join(f"coalesce(c{k}, '') AS {quoted(role)}, " for role, k in columns.items())
    return f"""SELECT {taken}row_number() OVER () AS place FROM read_csv({quoted(path, "'")},
        columns = {{{names}}}, delim = '{delimiter}', quote = '"', escape = '"',
        header = {str(header).lower()}, auto_detect = false, strict_mode = true,
        parallel = false)"""


class CsvTable(Table):
    """A file of fields between commas, tabs or semicolons.

    Places are numbers of rows, 1 = first below the header. `lines` is how many lines the file has
    if every line is a row, else None.
    """

    def __init__(self, files: UserFiles, lines: int | None):
        super().__init__(files)
        with open(files.unpacked[0], "rb") as file:
            head = file.readline().removeprefix(BOM)
        semicolons = head.count(b";") > head.count(b",")
        self.delimiter = "\t" if b"\t" in head else ";" if semicolons else ","
        _, self.header = next(self._records())
        self.header = [name.strip() for name in self.header]
        if appraise_files.is_row(self.header):
            self.header, self.headerless = appraise_files.header(self.header), True
        elif self._is_export_with_header():
            step = "drop it, as in: tail -n +2 FILE | wmtlib rank -"
            raise self.origin.refuse_line(1, f"Appraise's exports have no header; {step}")
        if not any(self.header):
            raise self.origin.refuse_line(1, "is blank; expected a header")
        self.require_distinct(partial(self.origin.refuse_line, 1))
        self.lines = lines

    def _is_export_with_header(self) -> bool:
        """Whether somebody put a header above rows that Appraise exports without one."""
        try:
            *_, (_, row) = islice(self._records(), 2)
        except DataError:  # it is raised where the rows are read
            return False
        return appraise_files.is_row(row)

    @cached_property
    def rows(self) -> int:
        """Number of rows below the header."""
        if self.lines is None:
            return sum(1 for _ in self._lines_of_rows())
        return self.lines - (not self.headerless)

    def query(self, used: Mapping[str, str]) -> str:
        columns = {role: self.header.index(name) for role, name in used.items()}
        path, width = self.files.unpacked[0], len(self.header)
        query = csv_query(path, self.delimiter, width, columns, header=not self.headerless)
        if self.delimiter == ";" and "score" in used:  # then a comma may stand for the point
            query = f"SELECT * REPLACE (replace(score, ',', '.') AS score) FROM ({query})"
        # Spreadsheets leave lines such as ",,,," at the end, which DuckDB takes for rows.
        return f"SELECT * FROM ({query}) WHERE place <= {self.rows}"

    def refuse(self, place: int, message: str) -> DataError:
        line = next(line for k, line in enumerate(self._lines_of_rows(), 1) if k == place)
        return self.origin.refuse_line(line, message)

    def damage(self, error: Exception) -> DataError:
        try:
            for _ in self._lines_of_rows():
                pass
        except DataError as refused:
            return refused
        message = f"cannot be read ({reason(error)}); expected lines that all end alike"
        return self.origin.refuse(None, message)

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        """The line on which each record starts, and its fields; the header is the first."""

        def lines() -> Iterator[str]:
            with open(self.files.unpacked[0], "rb") as file:
                for number, line in enumerate(file, 1):
                    try:
                        yield line.decode("utf-8-sig" if number == 1 else "utf-8")
                    except UnicodeDecodeError as error:
                        message = (
                            f"byte 0x{line[error.start]:02x} is not UTF-8; expected UTF-8 text"
                        )
                        raise self.origin.refuse_line(number, message) from None

        reader = csv.reader(lines(), delimiter=self.delimiter, strict=True)
        start = 1
        try:
            for fields in reader:
                yield start, fields
                start = reader.line_num + 1
        except csv.Error as error:
            sign = {",": "commas", ";": "semicolons", "\t": "tabs"}[self.delimiter]
            message = f"is not a row of fields between {sign} ({error})"
            raise self.origin.refuse_line(start, message) from None

    def _lines_of_rows(self) -> Iterator[int]:
        """The line on which each row starts.

        Raises
        ------
        DataError
            About the first line that is not a row.
        """
        records, blank = self._records(), 0
        if not self.headerless:
            next(records)
        for start, fields in records:
            if not any(fields):
                blank = blank or start
            elif blank:
                raise self.origin.refuse_line(
                    blank, f"is blank; expected a row, as on line {start}"
                )
            elif len(fields) != len(self.header):
                message = f"{len(fields)} fields; expected {len(self.header)}"
                raise self.origin.refuse_line(start, message)
            else:
                yield start


class JsonTable(Table):
    """JSON lines: one object a line, all with the same columns. Places are lines of the file."""

    def __init__(self, files: UserFiles):
        super().__init__(files)
        self.header = list(next(self._objects())[1])
        self.require_distinct(partial(self.origin.refuse_line, 1))

    def query(self, used: Mapping[str, str]) -> str:
        path = os.path.join(self.files.folder, "columns.csv")
        with open(path, "w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
            rows.writerow(used)
            for line, found in self._objects():
                rows.writerow([self._cell(found[name], name, line) for name in used.values()])
                self.rows = line
        return csv_query(path, ",", len(used), {role: k for k, role in enumerate(used)})

    def refuse(self, place: int, message: str) -> DataError:
        return self.origin.refuse_line(place, message)

    def damage(self, error: Exception) -> DataError:
        return self.origin.refuse(None, f"cannot be read ({reason(error)})")

    def _objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The number of each line, and the object on it; numbers stay as they are written."""
        keys, blank = None, 0
        with open(self.files.unpacked[0], "rb") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    blank = blank or number
                    continue
                if blank:
                    message = f"is blank; expected an object, as on line {number}"
                    raise self.origin.refuse_line(blank, message)
                try:
                    found = _JSON.decode(line.decode("utf-8-sig"))
                except (ValueError, RecursionError) as error:
                    message = f"is not a JSON object ({reason(error)})"
                    raise self.origin.refuse_line(number, message) from None
                if not isinstance(found, dict):
                    message = f"is a JSON {type(found).__name__}; expected one object a line"
                    message += " (for lists see docs/recipes.md)" if isinstance(found, list) else ""
                    raise self.origin.refuse_line(number, message)
                keys = found.keys() if keys is None else keys
                if found.keys() != keys:
                    odd = shown(sorted(found.keys() ^ keys)[0])
                    message = f"column {odd} stands on some lines only; expected the same on all"
                    raise self.origin.refuse_line(number, message)
                yield number, found

    def _cell(self, value: Any, name: str, number: int) -> str | None:
        """A value as a cell of a table."""
        if isinstance(value, bool):
            return str(value).lower()
        if value is None or isinstance(value, str):
            return value
        message = f"{shown(name)} is a JSON {type(value).__name__}; expected text or a number"
        raise self.origin.refuse_line(number, message)


def _distinct_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


_JSON = json.JSONDecoder(
    parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=_distinct_names
)
