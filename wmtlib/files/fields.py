"""Text of fields between commas, semicolons, tabs or blanks, as a table."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings

import pandas as pd

from wmtlib.core.errors import DataError, Origin, reason
from wmtlib.files.checks import clean
from wmtlib.files.contract import CONTRACT, EXPORTS

LONGEST_HEADER = 1 << 18  # bytes
MOST_COLUMNS = 5000
TITLE = "if titles precede the header, say its line: --header N"
csv.field_size_limit(1 << 30)  # a cell may hold a long text
RELEASE = {*EXPORTS["WMT direct assessment"]["header"]}


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
    export : dict
        Of files without a header; else empty.
    """

    data: bytes
    origin: Origin
    sign: str
    quoting: Any
    first: int
    header: Sequence[str]
    export: dict[str, Any]

    @property
    def decimal(self) -> str:
        """Return the decimal sign of numbers."""
        return "," if self.sign == ";" else "."

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
            if len(self.header) < width:
                fault = f"has {width} fields; the header has {len(self.header)}"
                raise self.origin.refuse_line(self.first + 1, f"{fault}; {TITLE}")
            numbers = [
                k for k in frame if not isinstance(frame[k].dtype, pd.StringDtype)
            ]
            if numbers:
                frame = frame.astype(dict.fromkeys(numbers, object))
                frame[numbers] = self._read(usecols=numbers, dtype=object)[numbers]
        except pd.errors.EmptyDataError:
            raise self.origin.refuse("holds a header but no judgements") from None
        except UnicodeDecodeError:
            raise self._not_unicode() from None
        except DataError:
            raise
        except (pd.errors.ParserError, ValueError) as error:
            raise self._ragged(error) from None
        if width > 1 and (frame[width - 1] == "").any():
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

    def places(self) -> Origin:
        """Return the positions of rows: lines, which texts of several lines move."""
        if self.quoting == csv.QUOTE_NONE or b'"' not in self.data:
            return Origin(self.origin.name, lambda row: f"line {self.first + row + 1}")
        starts: list[int] = []  # found when a row is refused

        def line_of(row: int) -> str:
            if not starts:
                starts.extend(number for number, _ in self._records())
            return f"line {starts[row]}"

        return Origin(self.origin.name, line_of)

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
        if self.sign == " " or self.quoting == csv.QUOTE_NONE:
            return
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

    def _not_unicode(self) -> DataError:
        """Return the error about the first byte that is not UTF-8."""
        try:
            self.data.decode()
        except UnicodeDecodeError as error:
            line = 1 + self.data[: error.start].count(b"\n")
            byte = self.data[error.start]
            fault = f"byte 0x{byte:02x} is not UTF-8; expected UTF-8 text"
            return self.origin.refuse_line(line, fault)
        return self.origin.refuse("is not UTF-8; expected UTF-8 text")


def fields_of(data: bytes, origin: Origin, line: int) -> Fields:
    """Find the sign between the fields of a text, and the header on a line.

    Raises
    ------
    DataError
        The header is blank, a remark, or too long.
    """
    start = data[: LONGEST_HEADER * line].decode(errors="replace")
    lines = io.StringIO(start, newline="")
    for _ in range(line - 1):
        lines.readline()
    head = re.split(r"[\r\n]", start[lines.tell() :], maxsplit=1)[0]
    if len(head) >= LONGEST_HEADER:
        fault = f"has more than {LONGEST_HEADER} characters; expected a header"
        raise origin.refuse_line(line, fault)
    if head.startswith("# FILE NAME:"):
        fault = "is a file of PrefLib; docs/recipes.md makes a table of rankings of it"
        raise origin.refuse(fault)
    if re.fullmatch('(?i)"?sep=.*|#[^,;\t]*', head):
        fault = f"is a remark or a setting; the header follows: --header {line + 1}"
        raise origin.refuse_line(line, fault)
    if not head.strip(" ,;\t"):
        raise origin.refuse_line(line, f"is blank; expected a header; {TITLE}")
    sign = "\t" if "\t" in head else ";" if head.count(";") > head.count(",") else ","
    words = [word.strip('"') for word in head.split()]
    if (sign not in head and len(words) > 1) or {*words} >= RELEASE:
        sign = " "
    # Tables of errors hold texts with quotation marks.
    is_quoted = not ("\t" in head and "severity" in head)
    quoting: Any = csv.QUOTE_MINIMAL if is_quoted else csv.QUOTE_NONE
    header = words
    length = 1
    if sign != " ":
        reader = csv.reader(lines, delimiter=sign, quoting=quoting)
        try:
            header = [clean(name) for name in next(reader)]
        except csv.Error as error:
            raise origin.refuse_line(line, reason(error)) from None
        length = reader.line_num
    if len(header) > MOST_COLUMNS:
        fault = f"has {len(header)} names; expected at most {MOST_COLUMNS}"
        raise origin.refuse_line(line, fault)
    export = headless(header)
    first = line - 1
    if not export:
        first += length
        blank = re.match(r"(?:[^\S\r\n]*(?:\r\n|\r|\n))*", start[lines.tell() :])
        first += len((blank[0] if blank else "").splitlines())
    names = export.get("columns", header)
    return Fields(data, origin, sign, quoting, first, names, export)


def headless(fields: Sequence[str]) -> dict[str, Any]:
    """Return the export that has no header, of which these are the first fields."""
    for export in CONTRACT["headless"]:
        cells = dict(zip(export["columns"], fields, strict=False))
        score = re.fullmatch(r"-?[0-9.]+|None", cells.get("score", ""))
        item = re.fullmatch("TGT|BAD|REF|CHK", cells.get("item", "TGT"))
        if len(fields) == len(export["columns"]) and score and item:
            return dict(export)
    return {}
