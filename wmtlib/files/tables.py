"""Tables of categories of text, from files in any format and from frames in memory.

Texts are made categories first: everything that follows looks at the few different
values of a column, and never at its rows one by one.
"""

import bz2
import gzip
import io
import json
import lzma
import os
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import pandas as pd

from wmtlib.core.errors import (
    FRAME,
    DataError,
    Origin,
    did_you_mean,
    join_names,
    reason,
    short_repr,
)
from wmtlib.files.checks import clean
from wmtlib.files.contract import export_of
from wmtlib.files.fields import MOST_COLUMNS, decoded, fields_of
from wmtlib.files.options import Options, names_of, text_of

STDIN = "standard input"
LARGEST = 1 << 29  # bytes of text, once it is unpacked; Parquet may be larger
PACKED: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zX": lzma.open,
}
DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError)
NUMBER = r"[+-]?([0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})([eE][+-]?[0-9]{1,4})?"
OBJECTS = "expected a list of objects, one for each row (pandas: orient='records')"
INDEX = "the index of the frame is not 0, 1, 2, ...: frame.reset_index()"


@dataclass(frozen=True, eq=False)
class Table:
    """A table of a user's file.

    Attributes
    ----------
    origin : Origin
        Names the file and the places of rows in every refusal.
    header : list of str
        Names of columns, of which several may be the same.
    cells : DataFrame
        As they were read: texts, numbers, or objects (nested cells); columns are
        numbers.
    places : ndarray of int
        The row of the file that each row is from.
    path, sha256 : str
        As the user gave it, without passwords; of the bytes of the file.
    export : str
        The name of the export, if it is known without a header.
    decimal : str
        The decimal sign of numbers.
    texts : dict
        Columns as texts, which are made once.
    """

    origin: Origin
    header: list[str]
    cells: pd.DataFrame
    places: np.ndarray
    path: str = ""
    sha256: str = ""
    export: str = ""
    decimal: str = "."
    texts: dict[int, pd.Categorical] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.places)

    def text(self, column: int) -> pd.Categorical:
        """Return a column as categories of clean text, "" for an empty cell.

        Raises
        ------
        TypeError
            The cells are lists or objects.
        """
        if column not in self.texts:
            try:
                self.texts[column] = as_text(self.cells[column])
            except UnicodeError:
                name = short_repr(self.header[column])
                fault = f"column {name} holds text that is not Unicode"
                raise self.refuse(fault) from None
        return self.texts[column]

    def is_nested(self, column: int) -> bool:
        """Return whether a column has cells that are lists or objects."""
        try:
            self.text(column)
        except TypeError:
            return True
        return False

    def numbers(self, column: int) -> np.ndarray:
        """Return a column of numbers, NaN for other cells, (rows,).

        Decimal commas and percent signs at the end of all cells are understood.
        """
        values = self.cells[column]
        if values.dtype.kind in "iuf":
            return values.to_numpy(np.float64)
        text = self.text(column)
        words = pd.Series(text.categories, dtype=object)
        return as_numbers(words, self.decimal)[text.codes]

    def named(self, columns: Sequence[int]) -> str:
        """Return the names of some columns."""
        return " and ".join(self.header[column] for column in columns)

    def reference(self, column: int) -> str:
        """Write a column as options take it: its name, or `#3`."""
        name = self.header[column]
        is_plain = name.isprintable() and not re.search(r"^#|[=]|^$|^-", name)
        is_one = self.header.count(name) == 1
        return name if is_plain and is_one else f"#{column + 1}"

    def resolve(self, name: str) -> int:
        """Find a column by its name, or `#3`.

        Raises
        ------
        DataError
            There is none, or there are several.
        """
        numbers = [k for k, other in enumerate(self.header) if other == name]
        if not numbers and re.fullmatch("#[1-9][0-9]{0,4}", name):
            numbers = [k for k in range(len(self.header)) if name == f"#{k + 1}"]
        if len(numbers) == 1:
            return numbers[0]
        if numbers:
            places = ", ".join(f"#{k + 1}" for k in numbers)
            raise self.refuse(f"several columns are {short_repr(name)}: say {places}")
        hint = did_you_mean(name, self.header)
        header = join_names(self.header, 12)
        raise self.refuse(f"no column {short_repr(name)}; the header is {header}{hint}")

    def resolve_all(self, names: Sequence[str]) -> list[int]:
        """Find several columns; a name may be a list of names, in CSV."""
        numbers = []
        for name in names:
            parts = [name] if name in self.header else names_of(name) or [name]
            numbers += [self.resolve(part) for part in parts]
        return numbers

    def take(self, rows: np.ndarray) -> "Table":
        """Choose rows, by their positions in order."""
        if len(rows) == len(self):
            return self
        return self.of(self.cells.iloc[rows], self.header)

    def of(self, cells: pd.DataFrame, header: Sequence[str]) -> "Table":
        """Return a table of other cells; the index numbers rows of this table."""
        places = self.places[cells.index]
        cells = _numbered(cells.reset_index(drop=True))
        return replace(self, header=[*header], cells=cells, places=places, texts={})

    def stacked(
        self, parts: Sequence[Mapping[str, Any]], used: Sequence[int]
    ) -> "Table":
        """Give several rows to each row: each with its own columns beside the others.

        Parameters
        ----------
        parts : sequence of mappings
            Columns by role: a column's number, or what they hold in all rows.
        used : columns that are in parts
        """
        others = self.cells.drop(columns=[*used])
        several = []
        for part in parts:
            made = {
                role: self.cells[what] if isinstance(what, int) else what
                for role, what in part.items()
            }
            several.append(others.assign(**made))
        long = pd.concat(several).sort_index(kind="stable")
        return self.of(long, [*(self.header[k] for k in others), *parts[0]])

    @property
    def frame(self) -> pd.DataFrame:
        """Return the columns by name, as texts or nested cells."""
        columns: dict[str, Any] = {}
        for k, name in enumerate(self.header):
            cells = self.cells[k] if self.is_nested(k) else self.text(k).astype(object)
            columns.setdefault(name, cells)
        return pd.DataFrame(columns)

    def place(self, row: int) -> str:
        """Return the position of a row in the file, in words."""
        return self.origin.where(int(self.places[row]))

    def refuse(self, *fault: str, row: int | None = None) -> DataError:
        """Return an error about a row, or about the whole file."""
        place = None if row is None else int(self.places[row])
        return self.origin.refuse(*fault, row=place)


def _numbered(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose columns are numbers."""
    return frame.set_axis(range(frame.shape[1]), axis=1)


def as_text(values: pd.Series) -> pd.Categorical:
    """Make categories of clean text: 3.0 is 3, True is true, None is "".

    >>> as_text(pd.Series([3.0, None, 0.5])).tolist()
    ['3', '', '0.5']
    """
    codes, distinct = pd.factorize(values)
    texts = [clean(text_of(value)) for value in distinct]
    if (codes < 0).any():  # missing cells
        texts.append("")
    "".join(texts).encode()  # a UnicodeError if it is none
    places: dict[str, int] = {}
    again = [places.setdefault(text, len(places)) for text in texts]
    smallest = np.min_scalar_type(-max(len(places), 1))
    names = pd.Index([*places], dtype=object)
    codes = np.array(again, dtype=smallest)[codes]
    return pd.Categorical.from_codes(codes, names, validate=False)


def occurring(text: pd.Categorical) -> list[str]:
    """Return the categories that occur, in order."""
    times = np.bincount(text.codes, minlength=len(text.categories))
    return [*text.categories[times > 0]]


def as_numbers(words: pd.Series, decimal: str = ".") -> np.ndarray:
    """Return texts as numbers, NaN for others, (words,).

    >>> as_numbers(pd.Series(["70%", "8.5%"])), as_numbers(pd.Series(["1", "x"]))
    (array([70. ,  8.5]), array([ 1., nan]))
    """
    if decimal == ",":
        words = words.where(~words.str.contains(".", regex=False), "x")
        words = words.str.replace(",", ".", regex=False)
    if len(words) and words[words != ""].str.endswith("%").all():
        words = words.str.removesuffix("%")
    # What Label Studio writes of a rating, such as [{"rating": 4}].
    words = words.str.replace(r'^\[\{"rating": ?(\d+)\}\]$', r"\1", regex=True)
    numbers = pd.to_numeric(words.where(words.str.fullmatch(NUMBER), None))
    return 0 + numbers.to_numpy(np.float64)  # a sum with 0 has no -0


# --- sources --------------------------------------------------------------------------


def open_table(source: Any, options: Options) -> Table:
    """Read a frame, a file, a folder of Parquet files, or an address.

    Raises
    ------
    DataError
        What cannot be read, and why.
    """
    if hasattr(source, "to_pandas"):  # of Polars, Arrow
        source = source.to_pandas()
    if isinstance(source, pd.DataFrame):
        return _of_user(source)
    if not isinstance(source, str | os.PathLike):
        kind = type(source).__name__
        raise DataError(f"got a {kind}; expected a DataFrame, or the path of a file")
    path = os.fspath(source)
    name = STDIN if path in ("-", "/dev/stdin") else without_secrets(path)
    origin = Origin(name if name.isprintable() else repr(name))
    try:
        if os.path.isdir(path):
            table = _of_binary(_parquet, path, origin, options)
            digest = sha256()
            for part in sorted(Path(path).rglob("*.parquet")):
                digest.update(part.read_bytes())
        else:
            data = _bytes_of(path, origin)
            table = _of_bytes(data, origin, options)
            digest = sha256(data)
    except DAMAGED as error:
        raise origin.refuse(f"is a damaged packed file ({reason(error)})") from None
    except FileNotFoundError:
        raise origin.refuse("no such file") from None
    except OSError as error:
        raise origin.refuse(f"cannot be read ({reason(error)})") from None
    table = replace(table, path=name, sha256=digest.hexdigest())
    return _without_blank_rows(table)


def _of_user(frame: pd.DataFrame) -> Table:
    """Make a table of a user's frame, whose index numbers its rows."""
    index = frame.index
    if [*index.names] != [None] or index.dtype.kind not in "iu":
        raise DataError(INDEX)
    origin = Origin(FRAME, where=lambda row: f"row {index[row]}")
    return replace(_of_frame(frame.reset_index(drop=True), origin), path=FRAME)


def _of_frame(frame: pd.DataFrame, origin: Origin) -> Table:
    """Make a table of a frame; its texts are read when they are needed."""
    header = [clean(str(name)) for name in frame.columns]
    return Table(origin, header, _numbered(frame), np.arange(len(frame)))


def without_secrets(path: str) -> str:
    """Return an address without user, password and query; other paths as they are.

    >>> without_secrets("https://ann:secret@host/votes.csv?signature=x")
    'https://host/votes.csv'
    """
    if "://" not in path:
        return path
    return re.sub(r"(?<=://)[^/]*@|[?#].*", "", path)


def _bytes_of(path: str, origin: Origin) -> bytes:
    """Return the bytes of a file, of the standard input or of an address."""
    if path in ("-", "/dev/stdin"):
        with open(0, "rb", closefd=False) as file:
            if file.isatty():
                raise origin.refuse("is a terminal; expected: wmtlib rank - < FILE")
            return file.read()
    if "://" not in path:
        return Path(path).read_bytes()
    try:
        import fsspec

        with fsspec.open(path, "rb") as file:
            return bytes(file.read())
    except ImportError:
        fault = "is elsewhere; to read it: pip install fsspec aiohttp s3fs gcsfs"
        raise origin.refuse(fault) from None
    except FileNotFoundError:
        raise
    except Exception as error:  # every store has its own, which may quote secrets
        fault = f"cannot be copied ({type(error).__name__}); check the address, the"
        raise origin.refuse(f"{fault} network, and who may read it") from None


def _of_bytes(data: bytes, origin: Origin, options: Options) -> Table:
    """Read the content of a file by its first bytes."""
    for first_bytes, read in BINARY.items():
        if data.startswith(first_bytes):
            return _of_binary(read, io.BytesIO(data), origin, options)
    for first_bytes, unpack in PACKED.items():
        if data.startswith(first_bytes):
            data = unpack(io.BytesIO(data)).read(LARGEST + 1)
            break
    if len(data) > LARGEST:
        fault = f"is more than {LARGEST >> 20} MiB of text; expected Parquet, or counts"
        raise origin.refuse(f"{fault} (docs/scale.md)")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        data = data.decode("utf-16", "replace").encode()
    data = data.removeprefix(b"\xef\xbb\xbf")
    start = data[:1024].lstrip()[:1]
    if not start:
        raise origin.refuse("is empty; expected a header")
    if (place := data.find(b"\0")) >= 0:
        line = 1 + data[:place].count(b"\n")
        raise origin.refuse_line(line, "holds a NUL byte; expected UTF-8 text")
    if start == b"<":
        content = pd.DataFrame({"XML": [decoded(data, origin)]})
        places = replace(origin, where=lambda row: f"ranked output {row + 1}")
        return replace(_of_frame(content, places), export="XML of WMT")
    if start in b"{[":
        return _of_objects(decoded(data, origin).strip(), origin)
    fields = fields_of(data, origin, options.header or 1)
    frame = fields.frame()
    table = _of_frame(frame, replace(origin, where=fields.place))
    return replace(
        table,
        header=[*fields.header[: frame.shape[1]]],
        export=fields.export,
        decimal="," if fields.sign == ";" else ".",
    )


def _of_objects(text: str, origin: Origin) -> Table:
    """Read objects of JSON, a line each or in a list; a missing key is a blank cell.

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
                if row.strip():
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
    names = [*dict.fromkeys(name for row in rows for name in row)]
    if len(names) > MOST_COLUMNS:
        raise origin.refuse(f"has {len(names)} names; expected at most {MOST_COLUMNS}")
    return _of_frame(pd.DataFrame(rows, columns=names, dtype=object), places)


def _distinct_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; refuse a name that it has twice."""
    row = dict(pairs)
    if len(row) != len(pairs):
        raise ValueError("a name occurs twice")
    return row


def _without_blank_rows(table: Table) -> Table:
    """Leave out rows of texts that are all blank."""
    if not table.header:
        return table
    some = np.flatnonzero(table.cells[0] == "")
    blank = (table.cells.iloc[some] == "").all(axis=1)
    return table.take(np.delete(np.arange(len(table)), some[blank]))


# --- binary files ---------------------------------------------------------------------


def _of_binary(
    read: Callable[..., pd.DataFrame], file: Any, origin: Origin, options: Options
) -> Table:
    """Make a table of a file that pandas or pyarrow reads."""
    try:
        frame = read(file, origin, options)
    except DataError:
        raise
    except ImportError as error:
        step = "install what is missing, or save it as CSV"
        raise origin.refuse(f"cannot be read ({reason(error)}): {step}") from None
    except (BadZipFile, KeyError, NotImplementedError, ValueError) as error:
        kinds = "Parquet, Feather or a spreadsheet"
        raise origin.refuse(f"cannot be read as {kinds}: {reason(error)}") from None
    return _of_frame(frame, replace(origin, where=lambda row: f"row {row + 1}"))


def _parquet(file: Any, origin: Origin, options: Options) -> pd.DataFrame:
    """Read Parquet; columns that do not matter are not read, and are blank."""
    from pyarrow import parquet, types

    schema = parquet.ParquetDataset(file).schema
    export = export_of(schema.names)
    needless = {*options.ignore, *export.get("ignored", ())}
    needless -= {*export.get("header", ())}
    names = [  # but for the numbers of rows, which pandas writes
        field.name
        for field in schema
        if not (field.name.startswith("__index_") and types.is_integer(field.type))
    ]
    read = [name for name in names if name not in needless]
    if len({*read}) < len(read):
        raise origin.refuse("has several columns of one name; expected different")
    # Texts are read as categories.
    table = parquet.read_table(file, columns=read, read_dictionary=read)
    frame = table.to_pandas(ignore_metadata=True)
    return frame.reindex(columns=[*dict.fromkeys(names)], fill_value="")


def _feather(file: Any, origin: Origin, options: Options) -> pd.DataFrame:
    return pd.read_feather(file)


def _sheets(file: Any, origin: Origin, options: Options) -> pd.DataFrame:
    """Read the sheets that are meant; of several with a column `sheet`."""
    sheets = pd.read_excel(
        file,
        sheet_name=None,
        header=(options.header or 1) - 1,
        dtype=str,
        keep_default_na=False,
    )
    sheets = {clean(name): frame for name, frame in sheets.items()}
    filled = {name: frame for name, frame in sheets.items() if len(frame)}
    for name in options.sheet:
        if name not in sheets:
            held = join_names([*sheets], 12)
            raise origin.refuse(f"no sheet {short_repr(name)}; there are {held}")
    if not options.sheet and len(filled) > 1:
        rows = [f"{name!r}: {len(frame)} rows" for name, frame in filled.items()]
        fault = "several sheets hold rows; which count?"
        raise origin.ask(fault, rows, [("sheet", "SHEET")])
    several = {name: sheets[name] for name in options.sheet} or filled or sheets
    if len(several) > 1:
        several = {name: sheets[name].assign(sheet=name) for name in several}
    frame = pd.concat([*several.values()], ignore_index=True)
    return frame.rename(columns=lambda name: re.sub(r"^Unnamed: \d+$", "", str(name)))


BINARY: dict[bytes, Callable[..., pd.DataFrame]] = {
    b"PAR1": _parquet,
    b"ARROW1": _feather,
    b"PK\x03\x04": _sheets,
}
