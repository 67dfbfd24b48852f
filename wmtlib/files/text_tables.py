"""Tables of text whose fields stand between blanks or tabs, read strictly."""

import csv
import io
import re
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from wmtlib import errors
from wmtlib.errors import Origin


def read_table(
    data: bytes, columns: Sequence[str], origin: Origin, *, header: bool = True
) -> pd.DataFrame:
    """Read a table whose fields stand between blanks or tabs, in any mixture, quoted or not.

    Parameters
    ----------
    data : bytes
        The whole file: UTF-8, with or without a byte order mark; blank lines only at the end.
    columns : sequence of names
        What the first line must name, once each; without a header, what the fields are.
    header : bool
        Whether the first line names the fields.

    Returns
    -------
    DataFrame
        One row per line, the columns asked for, each a category of text.

    Raises
    ------
    DataError
        Not UTF-8, an empty file, a column missing or named twice, a blank line, a quote that is
        not closed, a line with more or fewer fields than there are columns, or an empty field.
    """
    if (table := _read_plain(data, columns, header)) is not None:
        return table.astype("category")
    rows = read_fields(data, origin)
    if not rows:
        raise origin.refuse(None, f"is empty; expected {', '.join(columns)}")
    names = rows.pop(0) if header else list(columns)
    errors.require_columns(names, columns, origin)
    if not rows:
        raise origin.refuse(None, "holds a header but no rows")
    for line, fields in enumerate(rows, 1 + header):
        if len(fields) != len(names) or "" in fields:
            found = sum(field != "" for field in fields)
            raise origin.refuse_line(line, f"{found} fields; expected {len(names)}")
    return pd.DataFrame(rows, columns=names)[list(columns)].astype("category")


def _read_plain(data: bytes, columns: Sequence[str], header: bool) -> pd.DataFrame | None:
    """`read_table` by pandas, in half the time; None if there are quotes or anything is wrong."""
    if b'"' in data or b"\0" in data:
        return None
    text = io.BytesIO(data.rstrip(b" \t\r\n"))
    strict = {"keep_default_na": False, "skip_blank_lines": False, "quoting": csv.QUOTE_NONE}
    try:
        rows = pd.read_csv(text, sep=r"\s+", header=None, dtype=object, **strict)
    except ValueError:  # a line that is longer than the first, or not UTF-8
        return None
    names = rows.iloc[0].tolist() if header else list(columns)
    rows = rows[int(header) :].reset_index(drop=True)
    complete = len(rows) > 0 and len(names) == rows.shape[1] and (rows.iloc[:, -1] != "").all()
    if not (complete and len({*names}) == len(names) and {*columns} <= {*names}):
        return None
    return rows.set_axis(names, axis=1)[list(columns)]


def read_fields(data: bytes, origin: Origin) -> list[list[str]]:
    """The fields of every line, without blank lines at the end.

    Raises
    ------
    DataError
        Not UTF-8, a blank line between others, or a quote that is not closed.
    """
    errors.require_text(data, "UTF-8 text with fields between blanks", origin)
    text = data.decode("utf-8-sig").rstrip(" \t\r\n").replace("\t", " ")

    def lines() -> Iterator[str]:
        for number, line in enumerate(io.StringIO(text, newline=None), 1):
            if '"' in line and line.count('"') % 2:
                what = "a quotation mark is not closed; expected pairs of them"
                raise origin.refuse_line(number, what)
            yield line.rstrip(" \n")

    # With a blank as the delimiter, `skipinitialspace` takes a run of blanks for one.
    reader = csv.reader(lines(), delimiter=" ", skipinitialspace=True, strict=True)
    try:
        rows = list(reader)
    except csv.Error as error:
        raise origin.refuse_line(reader.line_num, f"cannot be read ({error})") from None
    if [] in rows:
        raise origin.refuse_line(rows.index([]) + 1, "is blank; expected a row")
    return rows


def numbers(column: pd.Series, what: str, origin: Origin) -> np.ndarray:
    """A column of text as float64; NA is refused like any other word."""
    number = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
    names = column.cat.categories
    bad = np.array([number.fullmatch(v) is None for v in names], dtype=bool)
    if (row := errors.first_row(bad[column.cat.codes])) is not None:
        found = errors.shown(column.iloc[row])
        raise origin.refuse(row, f"{what} is {found}; expected a number")
    return names.to_numpy().astype(np.float64)[column.cat.codes]
