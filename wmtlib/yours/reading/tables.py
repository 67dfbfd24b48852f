"""A user's files as tables of text: CSV, TSV, JSON lines, XML, Parquet, or a DataFrame.

Python's `csv` reads text, for pandas passes over short rows, blank lines and odd
quotes: the first line that is no row is refused, and the line on which a row starts is
known.
"""

import bz2
import csv
import glob
import gzip
import io
import json
import lzma
import os
import re
import sys
import zlib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import file_digest, sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.errors import DataError, Origin, reason, shown
from wmtlib.intake import words
from wmtlib.yours.reading import exports
from wmtlib.yours.reading.remote import copies, without_secrets

LARGEST = 1 << 32  # bytes of text, or of what is packed once it is unpacked
PARQUET = (b"PAR1", b"PARE")  # the first bytes of a file
PACKED: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zX": lzma.open,
}
FRAMES: dict[bytes, tuple[str, str, Callable[..., pd.DataFrame]]] = {
    b"PK\x03\x04": (
        "a ZIP archive or a spreadsheet",
        "excel",
        partial(pd.read_excel, sheet_name=None, dtype=str, keep_default_na=False),
    ),
    b"ARROW1": ("Feather", "feather", pd.read_feather),
}
BLANKS = b"\n" * 10_000  # more blank lines than a file has by mistake
SIGNS = {",": "commas", ";": "semicolons", "\t": "tabs", " ": "blanks"}
NUMBERS = words(  # roles
    "count wins_a wins_b ties rank rank_a rank_b score score_a score_b"
)
FRAME = "DataFrame"  # what a refusal calls it


@dataclass(frozen=True)
class Table:
    """A user's table.

    Attributes
    ----------
    origin : Origin
        Names the file and the places of rows in every refusal.
    cells : DataFrame or ParquetFiles
        Columns of any type.
    path : str
        As the user gave it.
    sha256 : str
        Of the bytes of the file; of several files, of their sorted and joined hashes;
        of a DataFrame, of its values row by row.
    form : str
        "table", or one of the forms of `exports`.
    decimal : str
        The decimal sign of numbers.
    warnings : sequence of str
        What may be misread.
    kind, layout : str
        What judgements these are and how they are laid out, and
    used : mapping from role to column
        what holds them; empty until `columns.recognise` has seen them.
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
        """Names of the columns."""
        return [*self.cells.columns]

    def called(self, role: str) -> str:
        """A role and, if it is another, the name of its column."""
        name = self.used.get(role, role)
        return role if name == role else f"{role} (column {shown(name)})"

    def refuse_header(self, *fault: str) -> DataError:
        """The error about the names of the columns."""
        if self.path == FRAME:
            return self.origin.refuse(*fault)
        return self.origin.refuse_line(1, *fault)

    def select(self, used: Mapping[str, str], *, grouped: bool = False) -> pd.DataFrame:
        """Columns by role, row by row.

        Parameters
        ----------
        used : mapping from role to column
            The columns task, target and third become one task.
        grouped : bool, optional
            Whether equal rows may stand together.

        Returns
        -------
        DataFrame
            A column for each role: categories of text in order of appearance, "" where
            nothing stands; `n`, how many rows stand together; `place`, the first of
            them, for `origin`.

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
            decimal = self.decimal if role in NUMBERS else "."
            try:
                frame[role] = as_text(raw[role], decimal)
            except TypeError:  # a list, or an object within an object
                row = [isinstance(cell, Hashable) for cell in raw[role]].index(False)
                fault = f"{shown(name)} is a list or an object"
                raise self.origin.refuse(
                    f"{fault}; expected text or a number", row=row
                ) from None
            except UnicodeError:
                raise self.origin.refuse("holds text that is not Unicode") from None
            if self.decimal == "," and role in NUMBERS:
                bad = frame[role].str.fullmatch(r"[+-]?\d{1,3}(\.\d{3})+")
                if bad.any():
                    word, place = frame.loc[bad, [role, "place"]].iloc[0]
                    fault = f"{role} is {shown(word)}, which could be thousands"
                    raise self.origin.refuse(
                        f"{fault}; expected a comma for decimals", row=place
                    )
        for role in ("target", "third"):
            if role in used:
                task = frame.pop("task").str.strip().astype(object)
                other = frame.pop(role).str.strip().astype(object)
                frame["task"] = as_text(task + "-" + other)
        return frame


def as_text(values: pd.Series, decimal: str = ".") -> pd.Categorical:
    """Cells as they would stand in a file: 3.0 as 3, True as true, "" where nothing is.

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


# --- where a table comes from ---------------------------------------------------------


@contextmanager
def open_table(source: str | Path | pd.DataFrame) -> Iterator[Table]:
    """The table of a DataFrame, a file, or a folder or pattern of Parquet files.

    Files may stand elsewhere, at an address: see `remote`.

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
        path = "standard input"
    is_stream = path == "standard input" or path.startswith("/dev/fd/")
    name = without_secrets(path)
    origin = Origin(name if name.isprintable() else repr(name))
    try:
        with TemporaryDirectory(prefix="wmtlib-", ignore_cleanup_errors=True) as folder:
            paths = [path]
            if not is_stream:
                paths = _find(path, copies(path, folder, origin), origin)
            if is_stream or not _is_parquet(paths[0]):
                place = 0 if path == "standard input" else paths[0]
                digest, data = _content(place, origin)
                if not data.startswith(PARQUET):
                    yield replace(_text_table(data, origin), path=name, sha256=digest)
                    return
                paths = [os.path.join(folder, "copy")]
                Path(paths[0]).write_bytes(data)
            else:
                digest = _sha256(paths)
            files = _parquet_table(paths, folder, origin)
            yield replace(files, path=name, sha256=digest)
    except (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError) as error:
        raise origin.refuse(f"is a damaged packed file ({reason(error)})") from None
    except OSError as error:
        raise origin.refuse(f"cannot be read ({reason(error)})") from None


def _parquet_table(paths: list[str], folder: str, origin: Origin) -> Table:
    """The table of Parquet files; DuckDB may write into the folder."""
    try:  # DuckDB takes a while to load
        from wmtlib.yours.reading.parquet import ParquetFiles
    except ModuleNotFoundError:
        raise origin.refuse(
            "is Parquet, which needs DuckDB; pip install 'wmtlib[parquet]',"
            " or save the file as CSV",
        ) from None
    files = ParquetFiles(paths, folder, origin)
    places = replace(origin, where=files.where)
    return Table(places, files, warnings=files.warnings)


def _find(path: str, copied: list[str], origin: Origin) -> list[str]:
    """Absolute paths of the copies, or of the files of a path, folder or pattern."""
    names = copied
    is_folder = os.path.isdir(path)
    if is_folder:
        entries = [entry for entry in os.scandir(path) if entry.name[0] not in "._"]
        names = sorted(entry.path for entry in entries)
        if entries and all("=" in entry.name for entry in entries):  # lp=de-en, ...
            pattern = f"{glob.escape(path)}/**/*.parquet"
            names = sorted(glob.glob(pattern, recursive=True))
    elif not copied:
        names = [path] if os.path.exists(path) else sorted(glob.glob(path))
    if not names:
        fault = "no such file"
        if is_folder:
            fault = "is an empty folder; expected Parquet files"
        raise origin.refuse(fault)
    for name in names:
        if not os.path.isfile(name):
            raise origin.refuse("expected a regular file")
        if (is_folder or len(names) > 1) and not _is_parquet(name):
            fault = f"holds {shown(os.path.basename(name))}"
            raise origin.refuse(f"{fault}; expected one file, or Parquet files only")
    return [os.path.abspath(name) for name in names]


def _is_parquet(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(4) in PARQUET


def _sha256(paths: list[str]) -> str:
    """SHA-256 of a file; of several, of their sorted and joined hashes."""
    hashes = []
    for path in paths:
        with open(path, "rb") as file:
            hashes.append(file_digest(file, "sha256").hexdigest())
    together = "".join(sorted(hashes))
    return together if len(hashes) == 1 else sha256(together.encode()).hexdigest()


def _content(source: str | int, origin: Origin) -> tuple[str, bytes]:
    """SHA-256 of a file or a stream, and what it holds, unpacked."""
    with open(source, "rb", closefd=source != 0) as file:
        if file.isatty():
            raise origin.refuse("is a terminal; expected: wmtlib rank - < votes.csv")
        packed = file.read(LARGEST + 1)
    opened: Callable[..., Any] = nullcontext
    for first_bytes, opener in PACKED.items():
        if packed.startswith(first_bytes):
            opened = opener
    with opened(io.BytesIO(packed)) as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise origin.refuse(f"is more than {LARGEST} bytes; larger files: as Parquet")
    return sha256(packed).hexdigest(), data


# --- text -----------------------------------------------------------------------------


def _text_table(data: bytes, origin: Origin) -> Table:
    """The table of a file of text, by what it begins with."""
    for first_bytes in FRAMES:
        if data.startswith(first_bytes):
            places = replace(origin, where=lambda row: f"row {row + 1}")
            return Table(places, _frame(data, *FRAMES[first_bytes], origin))
    data = data.rstrip(b"\r\n")
    if BLANKS in data:
        line = 1 + data[: data.index(BLANKS)].count(b"\n")
        raise origin.refuse_line(line + 1, "and many others are blank; expected rows")
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
    start = text[:1024].lstrip()[:1]
    if not start:
        raise origin.refuse("is empty; expected a header")
    if start == "<":
        places = replace(origin, where=lambda row: f"ranked system {row + 1}")
        return Table(places, exports.read_xml(data, origin), form=exports.XML)
    if start in "{[":
        places = replace(origin, where=lambda row: f"line {row + 1}")
        return Table(places, _objects(text, origin))
    return _fields(text, origin)


def _frame(
    data: bytes,
    what: str,
    extra: str,
    read: Callable[..., pd.DataFrame],
    origin: Origin,
) -> pd.DataFrame:
    """The rows, but for blank ones, of a file that pandas reads by another package."""
    try:
        frame = read(io.BytesIO(data))
    except ImportError:
        step = f"pip install 'wmtlib[{extra}]', or save it as CSV"
        raise origin.refuse(f"is {what}, which needs: {step}") from None
    except Exception as error:  # each package has its own
        fault = f"is {what}, and cannot be read ({reason(error)})"
        raise origin.refuse(fault) from None
    if isinstance(frame, dict):
        sheets = [sheet for sheet in frame.values() if len(sheet)]
        if len(sheets) != 1:
            fault = f"has {len(sheets)} sheets that are not empty; expected one"
            raise origin.refuse(fault)
        frame = sheets[0]
    is_blank = frame.isna() | (frame == "")
    frame = frame[~is_blank.all(axis=1)].reset_index(drop=True)
    return frame.set_axis([*map(str, frame.columns)], axis=1)


def _fields(text: str, origin: Origin) -> Table:
    """The table of rows of fields."""
    text = re.sub(r"\r+\n", "\n", text)  # WMT16's official files have two
    head = text.partition("\n")[0]
    form = "table"
    sign = ";" if head.count(";") > head.count(",") else ","
    if "\t" in head:
        sign = "\t"
    elif sign not in head and len(head.split()) > 2:
        sign = " "
    if {word.strip('"') for word in head.split()} >= {*exports.RELEASED}:
        sign = " "
        form = exports.RELEASE
        text = re.sub(" ?\n ?", "\n", re.sub("[ \t]+", " ", text)).lstrip()
    # Tables of errors hold texts with single quotation marks.
    is_quoted = not ("\t" in head and "severity" in head)
    rows, lines = _rows(text, sign, is_quoted, origin)
    header = [name.strip() for name in rows[0]]
    first = 1  # row of judgements
    if names := exports.names_of(header):
        header = names
        form = exports.APPRAISE
        first = 0
    elif len(header) == 2 and re.fullmatch(exports.SCORE, header[1]):
        header = ["system", "score"]
        form = exports.SEGMENT_SCORES
        first = 0
    elif form == exports.RELEASE:
        header = [exports.RELEASED.get(name, f"other {name}") for name in header]
    frame = pd.DataFrame(rows[first:], columns=header, dtype=object)
    if form == exports.APPRAISE:
        frame = exports.without_documents(frame)
    places = replace(origin, where=lambda row: f"line {lines[first + row]}")
    return Table(places, frame, form=form, decimal="," if sign == ";" else ".")


def _rows(
    text: str, sign: str, is_quoted: bool, origin: Origin
) -> tuple[list[list[str]], list[int]]:
    """All rows, and the line on which each starts; refuses what is no row."""
    csv.field_size_limit(LARGEST)
    reader = csv.reader(
        io.StringIO(text, newline="\n"),
        delimiter=sign,
        quoting=csv.QUOTE_MINIMAL if is_quoted else csv.QUOTE_NONE,
        strict=True,
    )
    rows: list[list[str]] = []
    lines = []
    start = 1
    blank = 0  # the line of the first blank row
    try:
        for fields in reader:
            if not any(map(str.strip if not rows else str, fields)):
                blank = blank or start
            elif blank:
                expected = f"a row, as on line {start}" if rows else "a header"
                raise origin.refuse_line(blank, f"is blank; expected {expected}")
            elif rows and len(fields) != len(rows[0]):
                fault = f"{len(fields)} fields; expected {len(rows[0])}"
                raise origin.refuse_line(start, fault)
            else:
                rows.append([*map(sys.intern, fields)])  # most cells stand often
                lines.append(start)
            start = reader.line_num + 1
    except csv.Error as error:
        raise origin.refuse_line(
            start, f"is not a row of fields between {SIGNS[sign]} ({error})"
        ) from None
    return rows, lines


def _objects(text: str, origin: Origin) -> pd.DataFrame:
    """Objects of JSON with the same columns, a line each or in a list.

    Numbers stay as they are written. Of a list, places are numbers of objects.
    """
    rows: list[dict[str, Any]] = []
    if text.lstrip().startswith("["):
        objects = _decoded(text, 1, origin)
    else:
        lines = enumerate(text.rstrip().split("\n"), 1)
        objects = (_decoded(line, number, origin) for number, line in lines)
    for number, row in enumerate(objects, 1):
        if not isinstance(row, dict):
            kind = type(row).__name__
            raise origin.refuse_line(
                number, f"is a JSON {kind}; expected one object a line"
            )
        rows.append(row)
        if not_on_all := row.keys() ^ rows[0].keys():
            fault = f"column {shown(min(not_on_all))} stands on some lines only"
            raise origin.refuse_line(number, f"{fault}; expected it on all")
    return pd.DataFrame(rows, dtype=object)


def _decoded(text: str, line: int, origin: Origin) -> Any:
    """What a line, or a file that is one list, says in JSON."""
    try:
        return _JSON.decode(text.strip())
    except (ValueError, RecursionError) as error:
        fault = f"is not a JSON object ({reason(error)})"
        raise origin.refuse_line(line, fault) from None


def _distinct_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) != len(pairs):
        raise ValueError("a name stands twice")
    return row


_JSON = json.JSONDecoder(
    parse_float=str,
    parse_int=str,
    parse_constant=str,
    object_pairs_hook=_distinct_names,
)
