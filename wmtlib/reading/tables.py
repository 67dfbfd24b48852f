"""Tables of text from CSV, TSV, JSON, XML, Parquet, spreadsheets and DataFrames.

Text is read with Python's `csv`, because pandas passes over short rows, blank lines and
odd quotes: the first line that is no row is refused, and errors name the line on which
a row starts.
"""

import csv
import gzip
import io
import json
import lzma
import os
import re
import sys
import zlib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np
import pandas as pd

from wmtlib.counts import RANKINGS
from wmtlib.errors import (
    DataError,
    Origin,
    did_you_mean,
    join_names,
    reason,
    short_repr,
)
from wmtlib.forms import KNOWN
from wmtlib.reading import files

FRAMES: dict[bytes, Any] = {  # by first bytes: format, package, function that reads it
    b"PK\x03\x04": (
        "a ZIP archive or a spreadsheet",
        "openpyxl",
        partial(pd.read_excel, sheet_name=None, dtype=str, keep_default_na=False),
    ),
    b"ARROW1": ("Feather", "pyarrow", pd.read_feather),
}
MOST_BLANK = 10_000  # lines; more than a file has by mistake
LONGEST_CELL = 1 << 24  # characters
LONGEST_HEADER = 1 << 18  # characters; more than 5,000 columns have
OBJECTS = "expected a list of objects, one for each row (pandas: orient='records')"
SIGNS = {",": "commas", ";": "semicolons", "\t": "tabs", " ": "blanks"}
FRAME = "DataFrame"  # its name in refusals
UNNAMED = "Unnamed: "  # and its place, as pandas calls it; options can name it

# Public forms of files. Appraise exports one row for each score of a segment, without a
# header (DA+SQM of WMT22 and 23, ESA of WMT24). The releases of direct assessment
# (WMT17-22) have twelve columns between blanks. Files of mt-metrics-eval hold a system
# and a score, without a header.
APPRAISE = "export of Appraise"
RELEASE = "release"
SEGMENT_SCORES = "segment scores"
XML = "XML"
PUBLIC = (APPRAISE, RELEASE, XML)  # nothing is asked of them, no identifiers are shown
TYPES = KNOWN["appraise_types"]
DOCUMENT = "DOC"  # in place of TGT where a whole document has the score


@dataclass(frozen=True, eq=False)
class Table:
    """A table of a user's file.

    Attributes
    ----------
    origin : Origin
        Names the file and the places of rows in every refusal.
    cells : DataFrame or ParquetFiles
        Columns of any type.
    path : str
        As the user gave it, without passwords and queries.
    sha256 : str
        Of the bytes of the file; of several files, of their sorted and joined hashes;
        of a DataFrame, of its values row by row.
    form : str
        "table", or one of the public forms.
    decimal : str
        The decimal sign of numbers.
    warnings : sequence of str
        About what may be misread.
    kind, layout : str
        The kind of judgements and their layout; empty before `columns.recognise`.
    used : mapping from role to column
        The columns that hold the judgements; empty before `columns.recognise`.
    """

    origin: Origin
    cells: Any
    path: str = ""
    sha256: str = ""
    form: str = "table"
    decimal: str = "."
    warnings: Sequence[str] = ()
    kind: str = ""
    layout: str = ""
    used: Mapping[str, str] = field(default_factory=dict)

    @property
    def header(self) -> list[str]:
        """Return the names of the columns."""
        return [*self.cells.columns]

    def called(self, role: str) -> str:
        """Return a role and, if it has another name, its column."""
        name = self.used.get(role, role)
        return role if name == role else f"{role} (column {short_repr(name)})"

    def refuse_header(self, *fault: str) -> DataError:
        """Return an error about the names of the columns."""
        if self.path == FRAME:
            return self.origin.refuse(*fault)
        return self.origin.refuse_line(1, *fault)

    def require(self, name: str) -> None:
        """Refuse a column that is missing."""
        if name not in self.header:
            raise self.refuse_header(
                f"column {short_repr(name)} is missing; the header is"
                f" {join_names(self.header, 12)}{did_you_mean(name, self.header)}"
            )

    def take(self, places: pd.Series) -> "Table":
        """Return the table of some of its rows."""
        if not isinstance(self.cells, pd.DataFrame):
            return replace(self, cells=self.cells.take(places))
        return self.of(self.cells.iloc[places.tolist()])

    def of(self, cells: pd.DataFrame, **others: Any) -> "Table":
        """Return a table of other cells; their index holds the rows they are from."""
        origin = self.origin.take(cells.index)
        return replace(
            self, cells=cells.reset_index(drop=True), origin=origin, **others
        )

    def values_of(self, name: str, most: int) -> list[str]:
        """Return the values of a column as text; none if they are many, or lists."""
        if not isinstance(self.cells, pd.DataFrame):
            return self.cells.values_of(name, most)
        try:
            values = as_text(self.cells[name]).categories
        except (TypeError, UnicodeError):
            return []
        return [*values] if len(values) <= most else []

    def select(self, used: Mapping[str, str], *, grouped: bool = False) -> pd.DataFrame:
        """Return columns by role, a row for each row of the table.

        Parameters
        ----------
        used : mapping from role to column
            The columns task and target become one task.
        grouped : bool, optional
            Whether equal rows may be counted together.

        Returns
        -------
        DataFrame
            A column for each role: categories of text in order of appearance, "" for
            an empty cell; `n`, the number of equal rows; `place`, the first of them,
            for `origin`.

        Raises
        ------
        DataError
            A cell that is neither text nor a number.
        """
        if isinstance(self.cells, pd.DataFrame):
            raw = self.cells[[*used.values()]].set_axis([*used], axis=1)
            raw = raw.assign(n=np.int8(1), place=np.arange(len(raw)))
        else:
            raw = self.cells.fetch(used, grouped)
        frame = raw[["n", "place"]].copy(deep=False)
        for role, name in used.items():
            decimal = self.decimal if role in KNOWN["numbers"] else "."
            try:
                frame[role] = as_text(raw[role], decimal)
            except TypeError:  # a list, or an object within an object
                row = [isinstance(cell, Hashable) for cell in raw[role]].index(False)
                fault = f"{short_repr(name)} is a list or an object"
                raise self.origin.refuse(
                    f"{fault}; expected text or a number (docs/recipes.md)", row=row
                ) from None
            except UnicodeError:
                raise self.origin.refuse("holds text that is not Unicode") from None
            if decimal == ",":
                bad = frame[role].str.fullmatch(r"[+-]?\d{1,3}(\.\d{3})+")
                if bad.any():
                    word, place = frame.loc[bad, [role, "place"]].iloc[0]
                    fault = f"{role} is {short_repr(word)}, which could be thousands"
                    raise self.origin.refuse(
                        f"{fault}; expected a comma for decimals", row=place
                    )
        if "target" in used:
            source, target = (
                frame.pop(role).str.strip().astype(object)
                for role in ("task", "target")
            )
            frame["task"] = as_text(source + "-" + target)
        return frame


def as_text(values: pd.Series, decimal: str = ".") -> pd.Categorical:
    """Convert cells to text as a file has it: 3.0 to 3, True to true, None to "".

    >>> as_text(pd.Series([3.0, None, 0.5])).tolist()
    ['3', '', '0.5']
    """
    if values.hasnans:
        values = values.astype(object).where(values.notna(), "")
    codes, distinct = pd.factorize(values)
    texts = []
    for value in distinct:
        word = str(value)
        if isinstance(value, (float, np.floating)):
            word = word.removesuffix(".0")
        elif isinstance(value, (bool, np.bool_)):
            word = word.lower()
        texts.append(word.replace(decimal, "."))
    "".join(texts).encode()  # a UnicodeError if it is none
    word_codes, names = pd.factorize(np.array(texts, dtype=object))
    small = np.min_scalar_type(-len(names))  # for ten million rows
    return pd.Categorical.from_codes(word_codes.astype(small)[codes], categories=names)


# --- sources of tables --------------------------------------------------------------


@contextmanager
def open_table(source: str | Path | pd.DataFrame) -> Iterator[Table]:
    """Open a DataFrame, a file, or a folder or pattern of Parquet files.

    Files may be at an address on the web or in a bucket: see `files`.

    Raises
    ------
    DataError
        One line: the file, the line or row where there is one, and what was expected.
    """
    if hasattr(source, "to_pandas"):  # of Polars, Arrow
        source = source.to_pandas()
    if isinstance(source, pd.DataFrame):
        hashes = pd.util.hash_pandas_object(source.astype(str), index=False).to_numpy()
        digest = sha256(hashes.tobytes()).hexdigest()
        origin = Origin(FRAME, where=lambda row: f"row {source.index[row]}")
        cells = source.set_axis([*map(str, source.columns)], axis=1)
        yield Table(origin, cells.reset_index(drop=True), FRAME, digest)
        return
    if not isinstance(source, str | os.PathLike):
        kind = type(source).__name__
        raise DataError(f"got a {kind}; expected a DataFrame, or a path")
    path = os.fspath(source)
    if path in ("-", "/dev/stdin"):
        path = files.STDIN
    name = files.without_secrets(path)
    origin = Origin(name if name.isprintable() else repr(name))
    try:
        with TemporaryDirectory(prefix="wmtlib-", ignore_cleanup_errors=True) as folder:
            paths = files.find(path, folder, origin)
            digest = files.joint_sha256(paths)
            data = b""
            if not files.is_parquet(paths[0]):
                data = files.content(paths[0], origin)
            if data.startswith(files.PARQUET):  # it was packed
                paths = [os.path.join(folder, "unpacked")]
                Path(paths[0]).write_bytes(data)
            if files.is_parquet(paths[0]):
                table = _parquet_table(paths, folder, origin)
            else:
                table = _text_table(data, origin)
            yield replace(table, path=name, sha256=digest)
    except (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError) as error:
        raise origin.refuse(f"is a damaged packed file ({reason(error)})") from None
    except OSError as error:
        raise origin.refuse(f"cannot be read ({reason(error)})") from None


def _parquet_table(paths: list[str], folder: str, origin: Origin) -> Table:
    """Open Parquet files; DuckDB may write into the folder."""
    try:  # DuckDB takes a while to load
        from wmtlib.reading.parquet import ParquetFiles
    except ModuleNotFoundError:
        raise origin.refuse(
            "is Parquet, which needs: pip install duckdb, or save it as CSV",
        ) from None
    cells = ParquetFiles(paths, folder, origin)
    places = replace(origin, where=cells.where)
    return Table(places, cells, warnings=cells.warnings)


# --- text -----------------------------------------------------------------------------


def _text_table(data: bytes, origin: Origin) -> Table:
    """Read the content of a file by its first bytes."""
    for first_bytes, package in FRAMES.items():
        if data.startswith(first_bytes):
            places = replace(origin, where=lambda row: f"row {row + 1}")
            return Table(places, _frame(data, origin, *package))
    data = data.rstrip(b"\r\n")
    before, nul, _ = data.partition(b"\0")
    if nul:
        raise origin.refuse_line(
            1 + before.count(b"\n"),
            "holds a NUL byte (binary, or UTF-16?); expected UTF-8 text",
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        fault = f"byte 0x{data[error.start]:02x} is not UTF-8; expected UTF-8 text"
        raise origin.refuse_line(1 + data[: error.start].count(b"\n"), fault) from None
    if text.startswith("# FILE NAME:"):
        fault = "is a file of PrefLib; docs/recipes.md makes a table of rankings of it"
        raise origin.refuse(fault)
    start = text[:1024].lstrip()[:1]
    if not start:
        raise origin.refuse("is empty; expected a header")
    if start == "<":
        places = replace(origin, where=lambda row: f"ranked system {row + 1}")
        outputs = xml_rankings(text, origin)
        systems = outputs.assign(system=outputs["system"].str.split(","))
        return Table(places, systems.explode("system", ignore_index=True), form=XML)
    if start in "{[":
        return _objects(text.strip(), origin)
    return _fields(text, origin)


def _frame(
    data: bytes, origin: Origin, what: str, package: str, read: Callable[..., Any]
) -> pd.DataFrame:
    """Read a file by pandas and another package, without blank rows."""
    try:
        frame = read(io.BytesIO(data))
    except ImportError:
        step = f"pip install {package}, or save it as CSV"
        raise origin.refuse(f"is {what}, which needs: {step}") from None
    except Exception as error:  # each package has its own
        fault = f"is {what}, and cannot be read ({reason(error)})"
        raise origin.refuse(fault) from None
    if isinstance(frame, dict):
        sheets = {name: sheet for name, sheet in frame.items() if len(sheet)}
        if len(sheets) != 1:
            fault = f"has {len(sheets)} sheets that are not empty"
            names = f"{join_names([*sheets], 12)}; expected one: save it alone, as CSV"
            raise origin.refuse(f"{fault}, {names}")
        (frame,) = sheets.values()
    is_blank = frame.isna() | (frame == "")
    frame = frame[~is_blank.all(axis=1)].reset_index(drop=True)
    return frame.rename(columns=str)


def _fields(text: str, origin: Origin) -> Table:
    """Read rows of fields between commas, semicolons, tabs or blanks."""
    head = text[:LONGEST_HEADER].partition("\n")[0]
    if len(head) == LONGEST_HEADER:
        fault = f"has more than {LONGEST_HEADER} characters; expected a header"
        raise origin.refuse_line(1, fault)
    if re.fullmatch('(?i)"?sep=.*|#[^,;\t]*', head):
        raise origin.refuse_line(1, "is a remark or a setting: delete this line")
    text = re.sub(r"(?<!\r)\r+\n", "\n", text)  # WMT16's official files have two
    sign = ";" if head.count(";") > head.count(",") else ","
    if "\t" in head:
        sign = "\t"
    elif sign not in head and len(head.split()) > 2:
        sign = " "
    released = KNOWN["released"]
    is_release = {word.strip('"') for word in head.split()} >= {*released}
    if is_release:
        sign = " "
        text = re.sub(" ?\n ?", "\n", re.sub("[ \t]+", " ", text)).lstrip()
    # Tables of errors hold texts with single quotation marks.
    is_quoted = not ("\t" in head and "severity" in head)
    rows, lines = _rows(text, sign, is_quoted, origin)
    # Names at the end of the header without a cell in any row, as MTurk writes them.
    width = len(rows[-1])
    empty = rows[0][width:]
    del rows[0][width:]
    header = [name.strip() or f"{UNNAMED}{k}" for k, name in enumerate(rows[0])]
    first = 1  # row of judgements
    form = "table"
    if is_release:
        form = RELEASE
        header = [released.get(name, f"other {name}") for name in header]
    for known in KNOWN["headless"]:
        cells = dict(zip(known["columns"], header, strict=False))
        is_fit = [
            re.fullmatch(pattern, cells.get(name, ""))
            for name, pattern in known["told_by"].items()
        ]
        if len(known["columns"]) == width and all(is_fit):
            first = 0
            form = known["form"]
            header = known["columns"]
    frame = pd.DataFrame(rows[first:], columns=header, dtype=object)
    if form == APPRAISE:
        is_document = (frame.pop("whole_document") == "True") & (frame["item"] == "TGT")
        frame["item"] = frame["item"].mask(is_document, DOCUMENT)
    elif form == SEGMENT_SCORES:
        frame["segment"] = frame.groupby("system", sort=False).cumcount() + 1
    frame = frame.loc[:, frame.any() | ~frame.columns.str.startswith(UNNAMED)]
    places = replace(origin, where=lambda row: f"line {lines[first + row]}")
    warnings = []
    if empty:
        warnings = [f"columns {join_names(empty, 12)} have no cells in any row"]
    decimal = "," if sign == ";" else "."
    return Table(places, frame, form=form, decimal=decimal, warnings=warnings)


def _rows(
    text: str, sign: str, is_quoted: bool, origin: Origin
) -> tuple[list[list[str]], list[int]]:
    """Return all rows, and the line on which each starts; refuse what is no row."""
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.reader(
        (line[0] for line in re.finditer(".*\n?", text)),
        delimiter=sign,
        quoting=csv.QUOTE_MINIMAL if is_quoted else csv.QUOTE_NONE,
        strict=True,
    )
    rows: list[list[str]] = []
    lines: list[int] = []
    start = 1
    blank = 0  # the line of the first blank row
    width = sys.maxsize
    try:
        for fields in reader:
            if not any(map(str if rows else str.strip, fields)):
                blank = blank or start
                if start - blank > MOST_BLANK:
                    fault = "and many others are blank; expected rows"
                    raise origin.refuse_line(blank, fault)
            elif blank:
                expected = f"a row, as on line {start}" if rows else "a header"
                raise origin.refuse_line(blank, f"is blank; expected {expected}")
            else:
                if len(rows) == 1:
                    width = min(len(fields), len(rows[0]))
                if any(fields[width:]) or (rows and len(fields) < width):
                    fault = f"{len(fields)} fields; expected {width}"
                    fault = f"{fault}, as on line {lines[-1]}"
                    if len(rows) == 1:
                        fault = f"{fault}; if that is a title, delete it"
                    raise origin.refuse_line(start, fault)
                # Most cells occur often.
                rows.append([*map(sys.intern, fields[:width])])
                lines.append(start)
            start = reader.line_num + 1
    except csv.Error as error:
        raise origin.refuse_line(
            start, f"is not a row of fields between {SIGNS[sign]} ({error})"
        ) from None
    return rows, lines


def _objects(text: str, origin: Origin) -> Table:
    """Read objects of JSON with the same columns, a line each or in a list.

    One object may hold the list, if it holds no other list of objects. Numbers stay as
    they are written. Of a list, places are numbers of objects.
    """
    decoder = json.JSONDecoder(
        parse_float=str,
        parse_int=str,
        parse_constant=str,
        object_pairs_hook=_distinct_names,
    )
    line = 1
    unit = "object"
    try:
        rows, end = decoder.raw_decode(text)
        if end < len(text):
            unit = "line"
            rows = []
            for row in text.split("\n"):
                rows.append(decoder.decode(row.strip()))
                line += 1
    except (ValueError, RecursionError) as error:
        fault = f"is not a JSON object ({reason(error)})"
        raise origin.refuse_line(line, fault) from None
    if isinstance(rows, dict):
        lists = [cell for cell in rows.values() if isinstance(cell, list)]
        lists = [cell for cell in lists if {*map(type, cell)} == {dict}]
        rows = lists[0] if len(lists) == 1 else [rows]
    places = replace(origin, where=lambda row: f"{unit} {row + 1}")
    for number, row in enumerate(rows):
        if not isinstance(row, dict) or {*map(type, row.values())} <= {dict, list}:
            raise places.refuse(f"is no JSON object of cells; {OBJECTS}", row=number)
        if any(isinstance(c, str) and len(c) > LONGEST_CELL for c in row.values()):
            raise places.refuse(
                f"a cell has more than {LONGEST_CELL} characters; expected less",
                row=number,
            )
        if not_on_all := row.keys() ^ rows[0].keys():
            fault = f"column {short_repr(min(not_on_all))} is on some lines only"
            raise places.refuse(f"{fault}; expected it on all", row=number)
    return Table(places, pd.DataFrame(rows, dtype=object))


def _distinct_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; refuse a name that it has twice."""
    row = dict(pairs)
    if len(row) != len(pairs):
        raise ValueError("a name occurs twice")
    return row


def xml_rankings(text: str, origin: Origin) -> pd.DataFrame:
    """Read the rankings of the XML of WMT15 and 16, one row for each ranked output.

    A HIT of a language pair holds ranking tasks (one segment each), those hold results
    (one judge each), those hold up to five translations, or none; a translation names
    several systems, with commas between them, where their outputs were identical.

    Returns
    -------
    DataFrame
        Columns task ("deu-eng"), ranking, segment, judge (`judge_001`, ... by sorted
        names of users, which are not kept), system, rank; "" where the file has none.

    Raises
    ------
    DataError
        What is not XML, or not such rankings.
    """
    before, doctype, _ = text.partition("<!DOCTYPE")
    if doctype:
        raise origin.refuse_line(
            1 + before.count("\n"),
            "declares a document type; expected none, entities are not expanded",
        )
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        fault = f"is not XML ({expat.ErrorString(error.code)})"
        raise origin.refuse_line(error.position[0], fault) from None
    rows: list[tuple[object, ...]] = []
    for hit in root.iter("HIT"):
        languages = [hit.get(f"{side}-language", "") for side in ("source", "target")]
        task = "-".join(languages) if all(languages) else ""
        for segment in hit.iter("ranking-task"):
            for result in segment.iter("ranking-result"):
                user = result.get("user", "")
                ranking = (task, len(rows), segment.get("id", ""), user)
                for output in result.iter("translation"):
                    names = (output.get("system", ""), output.get("rank", ""))
                    rows.append((*ranking, *names))
    if not rows:
        raise origin.refuse("is XML without rankings; expected those of WMT15 or WMT16")
    if len(rows) != len([*root.iter("translation")]):
        raise origin.refuse("holds a translation outside a ranking-result of a HIT")
    rankings = pd.DataFrame(rows, columns=RANKINGS)
    users = sorted({*rankings["judge"]} - {""})
    judges = {user: f"judge_{k:03d}" for k, user in enumerate(users, 1)}
    return rankings.assign(judge=rankings["judge"].map(judges).fillna(""))
