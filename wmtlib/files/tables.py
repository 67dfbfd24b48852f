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
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import pandas as pd

from wmtlib.core.errors import FRAME, DataError, Origin, join_names, reason, short_repr
from wmtlib.files.checks import clean
from wmtlib.files.contract import export_of
from wmtlib.files.fields import MOST_COLUMNS, fields_of

STDIN = "standard input"
LARGEST = 1 << 29  # bytes of text, once it is unpacked; Parquet may be larger
LONGEST_NUMBER = 400  # characters; of a double at most 309 are before the point
PACKED: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zX": lzma.open,
}
NUMBER = r"[+-]?([0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})([eE][+-]?[0-9]{1,4})?"
OBJECTS = "expected a list of objects, one for each row (pandas: orient='records')"


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
        several = [
            others.assign(
                **{
                    role: self.cells[what] if isinstance(what, int) else what
                    for role, what in part.items()
                }
            )
            for part in parts
        ]
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
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.cat.remove_unused_categories()
        codes = values.cat.codes.to_numpy()
        distinct = values.cat.categories
    else:
        codes, distinct = pd.factorize(values)
    texts = [clean(_text_of(value)) for value in distinct]
    missing = codes.size and codes.min() < 0
    if missing:
        texts.append("")
    "".join(texts).encode()  # a UnicodeError if it is none
    again, names = pd.factorize(np.array(texts, dtype=object))
    again = again.astype(np.min_scalar_type(-max(len(names), 1)))
    return pd.Categorical.from_codes(
        again[codes], categories=pd.Index(names, dtype=object)
    )


def _text_of(value: object) -> str:
    """Write a value as a file would have it."""
    if isinstance(value, float | np.floating):
        return str(value).removesuffix(".0")
    if isinstance(value, bool | np.bool_):
        return str(value).lower()
    return str(value)


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
    words = words.where(words.str.len() <= LONGEST_NUMBER, "x")
    # What Label Studio writes of a rating, such as [{"rating": 4}].
    words = words.str.replace(r'^\[\{"rating": ?(\d+)\}\]$', r"\1", regex=True)
    is_number = words.str.fullmatch(NUMBER)
    # A sum with 0 has no -0.
    return 0 + pd.to_numeric(words.where(is_number, None)).to_numpy(np.float64)


# --- sources --------------------------------------------------------------------------


def open_table(
    source: Any,
    *,
    ignore: Collection[str] = (),
    sheet: Sequence[str] = (),
    header: int | None = None,
) -> Table:
    """Read a frame, a file, a folder of Parquet files, or an address.

    Parameters
    ----------
    ignore : names of columns
        Of Parquet they are not read.
    sheet : names of sheets
        Of a spreadsheet; of several a column `sheet` is made.
    header : int, optional
        The line, or row, of the header.

    Raises
    ------
    DataError
        What cannot be read, and why.
    """
    if hasattr(source, "to_pandas"):  # of Polars, Arrow
        source = source.to_pandas()
    if isinstance(source, pd.DataFrame):
        return _of_frame(source)
    if not isinstance(source, str | os.PathLike):
        kind = type(source).__name__
        raise DataError(f"got a {kind}; expected a DataFrame, or the path of a file")
    path = os.fspath(source)
    name = STDIN if path in ("-", "/dev/stdin") else without_secrets(path)
    origin = Origin(name if name.isprintable() else repr(name))
    try:
        if os.path.isdir(path):
            table = _of_parquet(path, origin, ignore)
            digest = sha256()
            for part in sorted(Path(path).rglob("*.parquet")):
                digest.update(part.read_bytes())
            return replace(table, path=name, sha256=digest.hexdigest())
        data = _bytes_of(path, origin)
        table = _of_bytes(data, origin, ignore, sheet, header)
        return replace(table, path=name, sha256=sha256(data).hexdigest())
    except (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError) as error:
        raise origin.refuse(f"is a damaged packed file ({reason(error)})") from None
    except FileNotFoundError:
        raise origin.refuse("no such file") from None
    except OSError as error:
        raise origin.refuse(f"cannot be read ({reason(error)})") from None


def _of_frame(frame: pd.DataFrame) -> Table:
    """Make a table of a frame in memory; its texts are read when they are needed."""
    header = [*map(str, frame.columns)]
    names = [name for name in frame.index.names if name is not None]
    if names or not pd.api.types.is_integer_dtype(frame.index):
        what = join_names([*map(str, names)]) if names else "names"
        fault = f"the index of the frame holds {what}; expected 0, 1, 2, ..."
        raise DataError(f"{fault}: frame.reset_index()")
    index = frame.index
    origin = Origin(FRAME, where=lambda row: f"row {index[row]}")
    cells = _numbered(frame.reset_index(drop=True))
    return Table(origin, header, cells, np.arange(len(frame)), FRAME)


def without_secrets(path: str) -> str:
    """Return an address without user, password and query; other paths as they are.

    >>> without_secrets("https://ann:secret@host/votes.csv?signature=x")
    'https://host/votes.csv'
    """
    if not is_address(path):
        return path
    path = re.sub(r"(?<=://)[^/]*@", "", path)
    # A query may hold a signature.
    return re.sub(r"[?#].*", "", path) if path.startswith("http") else path


def is_address(path: str) -> bool:
    """Tell an address, such as https:// or s3://, from a path."""
    return re.match(r"[a-z][a-z0-9]+://", path) is not None


def _bytes_of(path: str, origin: Origin) -> bytes:
    """Return the bytes of a file, of the standard input or of an address."""
    if path in ("-", "/dev/stdin"):
        with open(0, "rb", closefd=False) as file:
            if file.isatty():
                raise origin.refuse("is a terminal; expected: wmtlib rank - < FILE")
            return file.read()
    if not is_address(path):
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
    except Exception as error:  # every store has its own, which may quote the address
        is_open = path == without_secrets(path)
        why = reason(error) if is_open else type(error).__name__
        step = "check the address, the network, and who may read it"
        raise origin.refuse(f"cannot be copied ({why}); {step}") from None


def _of_bytes(
    data: bytes,
    origin: Origin,
    ignore: Collection[str],
    sheet: Sequence[str],
    header: int | None,
) -> Table:
    """Read the content of a file by its first bytes."""
    if data.startswith(b"PAR1"):
        return _of_parquet(io.BytesIO(data), origin, ignore)
    if data.startswith((b"PK\x03\x04", b"ARROW1")):
        return _of_binary(data, origin, sheet, header)
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
        text = _decoded(data, origin)
        places = replace(origin, where=lambda row: f"ranked output {row + 1}")
        content = pd.DataFrame([[text]])
        return Table(places, ["XML"], content, np.arange(1), export="XML of WMT")
    if start in b"{[":
        return _of_objects(_decoded(data, origin).strip(), origin)
    return _of_fields(data, origin, header or 1)


def _decoded(data: bytes, origin: Origin) -> str:
    """Return bytes as text."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = 1 + data[: error.start].count(b"\n")
        fault = f"byte 0x{data[error.start]:02x} is not UTF-8; expected UTF-8 text"
        raise origin.refuse_line(line, fault) from None


def _of_parquet(file: Any, origin: Origin, ignore: Collection[str]) -> Table:
    """Read Parquet; columns that do not matter are not read."""
    try:
        from pyarrow import ArrowException, types
        from pyarrow.parquet import ParquetDataset

        schema = ParquetDataset(file).schema
        export = export_of(schema.names)
        needless = {*ignore, *export.get("ignored", ())} - {*export.get("header", ())}
        columns = [  # but for the numbers of rows, which pandas writes
            field.name
            for field in schema
            if not (field.name.startswith("__index_") and types.is_integer(field.type))
        ]
        names = [name for name in columns if name not in needless]
        if len({*names}) < len(names):
            raise origin.refuse("has several columns of one name; expected different")
        fields = [schema.field(name) for name in names]
        texts = [
            field.name
            for field in fields
            if types.is_string(field.type) or types.is_large_string(field.type)
        ]
        if hasattr(file, "seek"):
            file.seek(0)
        frame = pd.read_parquet(file, columns=names, read_dictionary=texts)
    except ImportError:
        step = "pip install pyarrow, or save it as CSV"
        raise origin.refuse(f"is Parquet, which needs: {step}") from None
    except (ArrowException, ValueError) as error:
        raise origin.refuse(f"is no Parquet ({reason(error)})") from None
    places = replace(origin, where=lambda row: f"row {row + 1}")
    index = [name for name in names if name not in frame.columns]
    frame = frame.reset_index(drop=not index, names=index or None)
    frame = frame.reindex(columns=[*dict.fromkeys(columns)], fill_value="")
    return replace(_of_frame(frame), origin=places)


def _of_binary(
    data: bytes, origin: Origin, sheet: Sequence[str], header: int | None
) -> Table:
    """Read a spreadsheet, or Feather."""
    places = replace(origin, where=lambda row: f"row {row + 1}")
    is_feather = data.startswith(b"ARROW1")
    package = "pyarrow" if is_feather else "openpyxl"
    try:
        if is_feather:
            frame = pd.read_feather(io.BytesIO(data))
        else:
            sheets = pd.read_excel(
                io.BytesIO(data),
                sheet_name=None,
                header=(header or 1) - 1,
                dtype=str,
                keep_default_na=False,
            )
            frame = _chosen_sheets(sheets, sheet, origin)
    except ImportError:
        step = f"pip install {package}, or save it as CSV"
        raise origin.refuse(f"needs to be read: {step}") from None
    except DataError:
        raise
    except (BadZipFile, KeyError, ValueError) as error:
        what = "Feather" if is_feather else "a spreadsheet (a ZIP archive is none)"
        raise origin.refuse(f"cannot be read as {what}: {reason(error)}") from None
    table = _of_frame(frame)
    return _without_blank_rows(replace(table, origin=places))


def _chosen_sheets(
    sheets: dict[str, pd.DataFrame], chosen: Sequence[str], origin: Origin
) -> pd.DataFrame:
    """Return the sheets that are meant; of several with a column `sheet`."""
    filled = {name: frame for name, frame in sheets.items() if len(frame)}
    for name in chosen:
        if name not in sheets:
            held = join_names([*sheets], 12)
            raise origin.refuse(f"no sheet {short_repr(name)}; there are {held}")
    if not chosen and len(filled) > 1:
        asked = [("sheet", "SHEET")]
        rows = [f"{name!r}: {len(frame)} rows" for name, frame in filled.items()]
        raise origin.ask("several sheets hold rows; which count?", rows, asked)
    several = {name: sheets[name] for name in chosen} or filled or sheets
    frames = [
        frame.assign(sheet=name) if len(several) > 1 else frame
        for name, frame in several.items()
    ]
    for frame in frames[1:]:
        if [*frame.columns] != [*frames[0].columns]:
            raise origin.refuse("sheets have different headers; expected one header")
    frame = pd.concat(frames, ignore_index=True)
    return frame.rename(columns=lambda name: re.sub(r"^Unnamed: \d+$", "", str(name)))


def _without_blank_rows(table: Table) -> Table:
    """Leave out rows of texts that are all blank."""
    some = np.flatnonzero(table.cells[0] == "")
    blank = (table.cells.iloc[some] == "").all(axis=1)
    return table.take(np.delete(np.arange(len(table)), some[blank]))


# --- text -----------------------------------------------------------------------------


def _of_fields(data: bytes, origin: Origin, line: int) -> Table:
    """Read fields between commas, semicolons, tabs or blanks."""
    fields = fields_of(data, origin, line)
    frame = fields.frame()
    table = Table(
        fields.places(),
        [*fields.header[: frame.shape[1]]],
        frame,
        np.arange(len(frame)),
        export=fields.export.get("name", ""),
        decimal=fields.decimal,
    )
    return _without_blank_rows(table)


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
    cells = {name: [row.get(name) for row in rows] for name in names}
    table = _of_frame(pd.DataFrame(cells, dtype=object))
    return replace(table, origin=places)


def _distinct_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; refuse a name that it has twice."""
    row = dict(pairs)
    if len(row) != len(pairs):
        raise ValueError("a name occurs twice")
    return row
