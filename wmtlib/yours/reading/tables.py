"""A user's files as tables of text: CSV, TSV, JSON lines, XML, Parquet, or a DataFrame.

pandas reads text. It passes over short rows, blank lines and odd quotes; so a text is
first walked through by Python's `csv`, which refuses the first line that is no row and
knows on which line a row starts.
"""

import csv
import glob
import gzip
import io
import json
import os
import re
import zlib
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from hashlib import file_digest, sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.errors import DataError, Origin, reason, shown
from wmtlib.yours.reading import exports
from wmtlib.yours.reading.remote import copies, without_secrets

STREAMS = ("-", "/dev/stdin")  # names of the standard input
LARGEST = 1 << 32  # bytes of text, or of what is packed once it is unpacked
GZIP, PARQUET = b"\x1f\x8b", (b"PAR1", b"PARE")  # the first bytes of a file
BINARY = {  # first bytes of what is often taken for a table
    b"\xff\xfe": "is UTF-16; expected UTF-8 text",
    b"\xfe\xff": "is UTF-16; expected UTF-8 text",
    b"PK\x03\x04": "is a ZIP archive or a spreadsheet; expected CSV, TSV, JSON or Parquet",
    b"BZh": "is packed by bzip2; unpack it, as in: bzcat FILE | wmtlib rank -",
    b"\xfd7zX": "is packed by xz; unpack it, as in: xzcat FILE | wmtlib rank -",
}
SIGNS = {",": "commas", ";": "semicolons", "\t": "tabs", " ": "blanks"}
NUMBERS = ("count", "wins_a", "wins_b", "ties", "score")  # roles
THOUSANDS = r"[+-]?\d{1,3}(\.\d{3})+"
FRAME = "DataFrame"  # what a refusal calls it


@dataclass(frozen=True)
class Table:
    """A user's table.

    Attributes
    ----------
    path : str
        As the user gave it.
    sha256 : str
        Of the bytes of the file; of several files, of their sorted and joined hashes;
        of a DataFrame, of its values row by row.
    origin : Origin
        Names the file and the places of rows in every refusal.
    cells : DataFrame or ParquetFiles
        Columns of any type.
    header : list of str
        Names of the columns.
    form : str
        "table", or one of the forms of `exports`.
    decimal : str
        The decimal sign of scores.
    warnings : sequence of str
        What may be misread.
    """

    path: str
    sha256: str
    origin: Origin
    cells: Any
    header: list[str]
    form: str = "table"
    decimal: str = "."
    warnings: Sequence[str] = ()

    def refuse_header(self, fault: str) -> DataError:
        """The error about the names of the columns."""
        is_file = self.path != FRAME
        return (
            self.origin.refuse_line(1, fault)
            if is_file
            else self.origin.refuse(None, fault)
        )

    def select(
        self,
        used: Mapping[str, str],
        *,
        grouped: bool = False,
        limit: int | None = None,
    ) -> pd.DataFrame:
        """Columns by role, row by row.

        Parameters
        ----------
        used : mapping from role to column
            The two columns of a language pair, task and target, become one task.
        grouped : bool, optional
            Whether equal rows may stand together.
        limit : int, optional
            The first rows only, about so many.

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
            columns = {
                role: self.cells[name].iloc[:limit] for role, name in used.items()
            }
            places = np.arange(len(self.cells))[:limit]
            raw = pd.DataFrame(
                {**columns, "n": np.int8(1), "place": places}, copy=False
            )
        else:
            raw = self.cells.fetch(used, grouped, limit or 0)
        frame = raw[["n", "place"]]
        for role, name in used.items():
            try:
                frame[role] = as_text(
                    raw[role], self.decimal if role == "score" else "."
                )
            except TypeError:  # a list, or an object within an object
                row = [isinstance(x, Hashable) for x in raw[role]].index(False)
                message = (
                    f"{shown(name)} is a list or an object; expected text or a number"
                )
                raise self.origin.refuse(row, message) from None
            except UnicodeError:
                raise self.origin.refuse(
                    None, "holds text that is not Unicode"
                ) from None
            odd = (
                frame[role].str.fullmatch(THOUSANDS) if self.decimal == "," else [False]
            )
            if role in NUMBERS and any(odd):
                word, place = frame.loc[odd, [role, "place"]].iloc[0]
                message = f"{role} is {shown(word)}, which could be thousands"
                raise self.origin.refuse(
                    place, f"{message}; expected a comma for decimals"
                )
        if "target" in used:
            source, target = (
                frame.pop(role).str.strip() for role in ("task", "target")
            )
            frame["task"] = as_text(source.astype(object) + "-" + target.astype(object))
        return frame


def as_text(values: pd.Series, decimal: str = ".") -> pd.Categorical:
    """Cells as they would stand in a file: 3.0 as 3, True as true, "" where nothing is.

    >>> as_text(pd.Series([3.0, None, 0.5])).tolist()
    ['3', '', '0.5']
    """
    if values.hasnans:
        values = values.astype(object).where(values.notna(), "")
    codes, distinct = pd.factorize(values)
    words = []
    for value in distinct:
        word = str(value)
        if isinstance(value, (float, np.floating)):
            word = word.removesuffix(".0")
        elif isinstance(value, (bool, np.bool_)):
            word = word.lower()
        words.append(word.replace(decimal, "."))
    "".join(words).encode()  # a UnicodeError if it is none
    again, names = pd.factorize(np.array(words, dtype=object))
    again = again.astype(
        np.min_scalar_type(-len(names))
    )  # ten million rows are the smaller
    return pd.Categorical.from_codes(again[codes], categories=names)


# --- where a table comes from ---------------------------------------------------------


@contextmanager
def open_table(source: str | Path | pd.DataFrame) -> Iterator[Table]:
    """The table of a DataFrame, a file, a folder of Parquet files, or a pattern of their names.

    Files may stand elsewhere, at an address: see `remote`.

    Raises
    ------
    DataError
        One line: the file, the line or row where there is one, and what was expected.
    """
    if isinstance(source, pd.DataFrame):
        yield _frame_table(source)
        return
    if not isinstance(source, str | os.PathLike):
        raise DataError(
            f"got a {type(source).__name__}; expected a DataFrame, or a path"
        )
    path = "standard input" if os.fspath(source) in STREAMS else os.fspath(source)
    is_stream = path == "standard input" or path.startswith("/dev/fd/")
    name = without_secrets(path)
    origin = Origin(name if name.isprintable() else repr(name))
    try:
        with TemporaryDirectory(prefix="wmtlib-", ignore_cleanup_errors=True) as folder:
            paths = (
                [path]
                if is_stream
                else _find(path, copies(path, folder, origin), origin)
            )
            if is_stream or not _is_parquet(paths[0]):
                digest, data = _content(
                    0 if path == "standard input" else paths[0], origin
                )
                if not data.startswith(PARQUET):
                    yield _text_table(name, digest, data, origin)
                    return
                paths = [os.path.join(folder, "copy")]
                Path(paths[0]).write_bytes(data)
            else:
                digest = _sha256(paths)
            try:
                from wmtlib.yours.reading.parquet import (
                    ParquetFiles,  # DuckDB takes a while to load
                )
            except ModuleNotFoundError:
                hint = "pip install 'wmtlib[parquet]', or save the file as CSV"
                raise origin.refuse(
                    None, f"is Parquet, which needs DuckDB; {hint}"
                ) from None

            files = ParquetFiles(paths, folder, origin)
            origin = replace(origin, where=files.where)
            yield Table(
                name, digest, origin, files, files.header, warnings=files.warnings
            )
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise origin.refuse(None, f"is a damaged gzip file ({reason(error)})") from None
    except OSError as error:
        raise origin.refuse(None, f"cannot be read ({reason(error)})") from None


def _frame_table(frame: pd.DataFrame) -> Table:
    """A DataFrame as it is."""
    hashes = pd.util.hash_pandas_object(frame.astype(str), index=False).to_numpy()
    columns = frame.set_axis([*map(str, frame.columns)], axis=1).reset_index(drop=True)
    digest = sha256(hashes.tobytes()).hexdigest()
    origin = Origin(FRAME, where=lambda row: f"row {frame.index[row]}")
    return Table(FRAME, digest, origin, columns, [*columns])


def _find(path: str, copied: list[str], origin: Origin) -> list[str]:
    """The copies, or files that a path, a folder or a pattern stands for, as absolute paths."""
    names = copied or ([path] if os.path.exists(path) else sorted(glob.glob(path)))
    if is_folder := os.path.isdir(path):
        names = sorted(
            entry.path for entry in os.scandir(path) if entry.name[0] not in "._"
        )
        if names and all(
            "=" in os.path.basename(name) for name in names
        ):  # folders lp=de-en, ...
            names = sorted(
                glob.glob(f"{glob.escape(path)}/**/*.parquet", recursive=True)
            )
    if not names:
        fault = (
            "is an empty folder; expected Parquet files"
            if is_folder
            else "no such file"
        )
        raise origin.refuse(None, fault)
    for name in names:
        if not os.path.isfile(name):
            raise origin.refuse(None, "expected a regular file")
        if (is_folder or len(names) > 1) and not _is_parquet(name):
            name = shown(os.path.basename(name))
            raise origin.refuse(
                None, f"holds {name}; expected one file, or Parquet files only"
            )
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
    return (
        hashes[0]
        if len(hashes) == 1
        else sha256("".join(sorted(hashes)).encode()).hexdigest()
    )


def _content(source: str | int, origin: Origin) -> tuple[str, bytes]:
    """SHA-256 of a file or a stream, and what it holds, unpacked."""
    with open(source, "rb", closefd=source != 0) as file:
        if file.isatty():
            raise origin.refuse(
                None, "is a terminal; expected: wmtlib rank - < votes.csv"
            )
        packed = file.read(LARGEST + 1)
    opened = gzip.open if packed.startswith(GZIP) else nullcontext
    with opened(io.BytesIO(packed)) as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise origin.refuse(
            None, f"is more than {LARGEST} bytes; larger files: as Parquet"
        )
    return sha256(packed).hexdigest(), data


# --- text -----------------------------------------------------------------------------


def _text_table(path: str, digest: str, data: bytes, origin: Origin) -> Table:
    """The table of a file of text, by what it begins with."""
    for start, message in BINARY.items():
        if data.startswith(start):
            raise origin.refuse(None, message)
    before, nul, _ = data.partition(b"\0")
    if nul:
        fault = "holds a NUL byte (binary, or UTF-16?); expected UTF-8 text"
        raise origin.refuse_line(1 + before.count(b"\n"), fault)
    try:
        text, lines, form, decimal = data.decode("utf-8-sig"), None, "table", "."
    except UnicodeDecodeError as error:
        fault = f"byte 0x{data[error.start]:02x} is not UTF-8; expected UTF-8 text"
        raise origin.refuse_line(1 + data[: error.start].count(b"\n"), fault) from None
    if not (start := text[:1024].lstrip()[:1]):
        raise origin.refuse(None, "is empty; expected a header")
    if start == "<":
        frame, form = exports.read_xml(data, origin), exports.XML
    elif start in "{[":
        frame = _objects(text, origin)
    else:
        frame, lines, form, decimal = _fields(text, origin)
    word = "ranked system" if form == exports.XML else "line"
    rows = replace(
        origin, where=lambda row: f"{word} {lines[row] if lines else row + 1}"
    )
    return Table(path, digest, rows, frame, [*frame], form, decimal)


def _fields(text: str, origin: Origin) -> tuple[pd.DataFrame, list[int], str, str]:
    """Text of fields: the table, the line on which each row starts, its form and decimal sign."""
    text = re.sub(r"\r+\n", "\n", text)  # WMT16's official files have two
    head, form = text.partition("\n")[0], "table"
    sign = "\t" if "\t" in head else ";" if head.count(";") > head.count(",") else ","
    if {word.strip('"') for word in head.split()} >= {*exports.RELEASED.values()}:
        sign, form = " ", exports.RELEASE
        text = re.sub(" ?\n ?", "\n", re.sub("[ \t]+", " ", text)).lstrip()
    header, lines = _walked(text, sign, origin)
    skipped = 1  # lines of the header
    if exports.names_of(header):
        header, form, skipped = exports.names_of(header), exports.APPRAISE, 0
    lines = lines[skipped:]
    options = {"dtype": str, "keep_default_na": False, "skip_blank_lines": False}
    names = range(len(header))
    frame = pd.read_csv(
        io.StringIO(text), sep=sign, header=None, names=names, **options
    )
    frame = frame.iloc[skipped : skipped + len(lines)].reset_index(drop=True)
    if len(frame) != len(lines):
        raise origin.refuse(None, f"cannot be read: {len(frame)} of {len(lines)} rows")
    return frame.set_axis(header, axis=1), lines, form, "," if sign == ";" else "."


def _walked(text: str, sign: str, origin: Origin) -> tuple[list[str], list[int]]:
    """The header, and the line on which it and each row start; refuses what is no row."""
    csv.field_size_limit(LARGEST)
    reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=sign, strict=True)
    header, lines, start, blank = [], [], 1, 0
    try:
        for fields in reader:
            header = header or [name.strip() for name in fields]
            if not any(header):
                raise origin.refuse_line(1, "is blank; expected a header")
            if not any(fields):
                blank = blank or start
            elif blank:
                raise origin.refuse_line(
                    blank, f"is blank; expected a row, as on line {start}"
                )
            elif len(fields) != len(header):
                raise origin.refuse_line(
                    start, f"{len(fields)} fields; expected {len(header)}"
                )
            else:
                lines.append(start)
            start = reader.line_num + 1
    except csv.Error as error:
        message = f"is not a row of fields between {SIGNS[sign]} ({error})"
        raise origin.refuse_line(start, message) from None
    return header, lines


def _objects(text: str, origin: Origin) -> pd.DataFrame:
    """JSON lines, one object a line with the same columns on all; numbers as they are written."""
    rows: list[dict[str, Any]] = []
    if text.lstrip().startswith("["):
        raise origin.refuse_line(
            1,
            "is a JSON list; expected one object a line (for lists see docs/recipes.md)",
        )
    for number, line in enumerate(text.rstrip().split("\n"), 1):
        try:
            row = _JSON.decode(line)
        except (ValueError, RecursionError) as error:
            message = f"is not a JSON object ({reason(error)})"
            raise origin.refuse_line(number, message) from None
        if not isinstance(row, dict):
            message = f"is a JSON {type(row).__name__}; expected one object a line"
            raise origin.refuse_line(number, message)
        rows.append(row)
        if odd := row.keys() ^ rows[0].keys():
            message = f"column {shown(min(odd))} stands on some lines only; expected it on all"
            raise origin.refuse_line(number, message)
    return pd.DataFrame(rows, dtype=object)


def _distinct_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(row := dict(pairs)) != len(pairs):
        raise ValueError("a name stands twice")
    return row


_JSON = json.JSONDecoder(
    parse_float=str,
    parse_int=str,
    parse_constant=str,
    object_pairs_hook=_distinct_names,
)
