"""Text of fields between commas, semicolons, tabs or blanks, as a frame."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from warnings import catch_warnings

import pandas as pd

from wmtlib.core.errors import DataError, Origin, reason
from wmtlib.files.checks import clean
from wmtlib.files.contract import CONTRACT, EXPORTS

LONGEST_HEADER = 1 << 18  # bytes
MOST_COLUMNS = 5000
NO_ROWS = "holds a header but no judgements"
TITLE = "if titles precede the header, say its line: --header N"
csv.field_size_limit(1 << 30)  # a cell may hold a long text
RELEASE = {*EXPORTS["WMT direct assessment"]["header"]}


def decoded(data: bytes, origin: Origin) -> str:
    """Return bytes as text.

    Raises
    ------
    DataError
        The first line that is not UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = 1 + data[: error.start].count(b"\n")
        fault = f"byte 0x{data[error.start]:02x} is not UTF-8; expected UTF-8 text"
        raise origin.refuse_line(line, fault) from None


@dataclass(frozen=True, eq=False)
class Fields:
    """Fields of a text.

    Attributes
    ----------
    data : bytes
        UTF-8.
    sign : str
        Between fields; " " stands for blanks and tabs.
    quoting : int
        Of `csv`: QUOTE_MINIMAL or QUOTE_NONE.
    first : int
        Number of lines before the first row.
    header : sequence of str
    export : str
        The name of the export, of files without a header; else "".
    """

    data: bytes
    origin: Origin
    sign: str
    quoting: Any
    first: int
    header: Sequence[str]
    export: str

    def frame(self) -> pd.DataFrame:
        """Read all cells as texts, as they are written.

        Where pandas may infer types, it reads texts six times as fast; the other
        columns are read again.

        Raises
        ------
        DataError
            Rows of different lengths, or what is not UTF-8.
        """
        try:
            with catch_warnings(action="ignore", category=pd.errors.DtypeWarning):
                frame = self._read()
            width = frame.shape[1]
            numbers = [*frame.select_dtypes(exclude="string")]
            if numbers and width <= len(self.header):
                frame[numbers] = self._read(usecols=numbers, dtype=object)
        except pd.errors.EmptyDataError:
            raise self.origin.refuse(NO_ROWS) from None
        except UnicodeDecodeError:
            decoded(self.data, self.origin)
            raise
        except (pd.errors.ParserError, ValueError) as error:
            raise self._ragged(error) from None
        if len(self.header) < width:
            fault = f"has {width} fields; the header has {len(self.header)}"
            raise self.origin.refuse_line(self.first + 1, f"{fault}; {TITLE}")
        is_plain = self.sign == " " or self.quoting == csv.QUOTE_NONE
        if width > 1 and not is_plain and (frame[width - 1] == "").any():
            self._require_all_cells(width)
        return frame

    def _read(self, **options: Any) -> pd.DataFrame:
        return pd.read_csv(
            io.BytesIO(self.data),
            sep=r"\s+" if self.sign == " " else self.sign,
            header=None,
            skiprows=self.first,
            na_filter=False,
            skip_blank_lines=False,
            quoting=self.quoting,
            **options,
        )

    def place(self, row: int) -> str:
        """Return the line of a row; texts of several lines move those that follow."""
        if self.quoting == csv.QUOTE_NONE or b'"' not in self.data:
            return f"line {self.first + row + 1}"
        return f"line {self._starts[row]}"

    @cached_property
    def _starts(self) -> list[int]:
        return [line for line, _ in self._records()]

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        """Give the line on which each row starts, and its fields."""
        lines = io.StringIO(self.data.decode(), newline="")
        start = 1
        reader = csv.reader(lines, delimiter=self.sign)
        try:
            for fields in reader:
                if start > self.first:
                    yield start, fields
                start = reader.line_num + 1
        except csv.Error as error:
            raise self.origin.refuse_line(start, reason(error)) from None

    def _require_all_cells(self, width: int) -> None:
        """Refuse a row that ends early; blank rows do not count."""
        for line, fields in self._records():
            if len(fields) < width and any(fields):
                fault = f"has {len(fields)} fields; expected {width}; {TITLE}"
                raise self.origin.refuse_line(line, fault)

    def _ragged(self, error: Exception) -> DataError:
        """Return the error about a row of another length than the first one."""
        pattern = r"Expected (\d+) fields in line (\d+), saw (\d+)"
        if found := re.search(pattern, str(error)):
            expected, line, saw = map(int, found.groups())
            fault = f"has {saw} fields; expected {expected}; {TITLE}"
            return self.origin.refuse_line(line, fault)
        return self.origin.refuse(f"is no table ({reason(error)})")


def fields_of(data: bytes, origin: Origin, line: int) -> Fields:
    """Find the sign between the fields of a text, and the header on a line.

    Raises
    ------
    DataError
        The header is blank, a remark, or too long.
    """
    start = data[: LONGEST_HEADER * line].decode(errors="replace")
    lines = io.StringIO(start, newline="").readlines()
    head = "".join(lines[line - 1 : line]).rstrip("\r\n")
    _require_header(head, origin, line)
    sign = "\t" if "\t" in head else ";" if head.count(";") > head.count(",") else ","
    header = [word.strip('"') for word in head.split()]
    if (sign not in head and len(header) > 1) or {*header} >= RELEASE:
        sign = " "
    # Tables of errors hold texts with quotation marks.
    is_quoted = not ("\t" in head and "severity" in head)
    quoting: Any = csv.QUOTE_MINIMAL if is_quoted else csv.QUOTE_NONE
    first = line
    if sign != " ":
        reader = csv.reader(lines[line - 1 :], delimiter=sign, quoting=quoting)
        try:
            header = [*map(clean, next(reader))]
        except csv.Error as error:
            raise origin.refuse_line(line, reason(error)) from None
        first = line - 1 + reader.line_num
    if len(header) > MOST_COLUMNS:
        fault = f"has {len(header)} names; expected at most {MOST_COLUMNS}"
        raise origin.refuse_line(line, fault)
    export = headless(header)
    if export:
        first = line - 1
        header = export["columns"]
    for following in lines[first:]:
        if following.strip():
            break
        first += 1
    return Fields(data, origin, sign, quoting, first, header, export.get("name", ""))


def _require_header(head: str, origin: Origin, line: int) -> None:
    """Refuse a line that cannot be a header."""
    if len(head) >= LONGEST_HEADER:
        fault = f"has more than {LONGEST_HEADER} characters; expected a header"
        raise origin.refuse_line(line, fault)
    if head.startswith("# FILE NAME:"):
        fault = "is a file of PrefLib; expected a row for each ranking, system and rank"
        raise origin.refuse(fault)
    if re.fullmatch('(?i)"?sep=.*|#[^,;\t]*', head):
        fault = f"is a remark or a setting; the header follows: --header {line + 1}"
        raise origin.refuse_line(line, fault)
    if not head.strip(" ,;\t"):
        raise origin.refuse_line(line, f"is blank; expected a header; {TITLE}")


def headless(fields: Sequence[str]) -> dict[str, Any]:
    """Return the export that has no header, of which these are the first fields."""
    for export in CONTRACT["headless"]:
        cells = dict(zip(export["columns"], fields, strict=False))
        score = re.fullmatch(r"-?[0-9.]+|None", cells.get("score", ""))
        item = re.fullmatch("TGT|BAD|REF|CHK", cells.get("item", "TGT"))
        if len(fields) == len(export["columns"]) and score and item:
            return dict(export)
    return {}
