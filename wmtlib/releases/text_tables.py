"""Tables of text whose fields stand between blanks or tabs, read strictly."""

import io
import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from wmtlib.judgements import errors
from wmtlib.judgements.errors import DataError, Origin

FIELD = re.compile(rb'"[^"]*"|[^\s"]\S*')


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
        not closed, or a line with more or fewer fields than there are columns.
    """
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    errors.require_text(data, "UTF-8 text with fields between blanks", origin)
    data = data.rstrip()
    if not data:
        raise origin.refuse(None, f"is empty; expected {', '.join(columns)}")
    if blank := re.search(rb"^[ \t]*$", data, re.MULTILINE):
        line = data.count(b"\n", 0, blank.start()) + 1
        raise origin.refuse_line(line, "is blank; expected a row")
    _require_closed_quotes(data, origin)
    first = data.partition(b"\n")[0].decode().replace('"', "").split()
    names = first if header else list(columns)
    errors.require_columns(names, columns, origin)
    if header and b"\n" not in data:
        raise origin.refuse(None, "holds a header but no rows")
    row = data.split(b"\n", 2)[int(header)]  # the one after which pandas takes the others
    if len(FIELD.findall(row)) != len(names):
        raise _misshapen(data, len(names), origin)
    try:
        frame = pd.read_csv(
            io.BytesIO(data),
            sep=r"\s+",
            header=None,
            skiprows=int(header),
            names=[*names, "one too many"],
            index_col=False,
            dtype=str,  # "category" would make numbers of names such as 007
            keep_default_na=False,
        )
    except pd.errors.ParserError:
        raise _misshapen(data, len(names), origin) from None
    absent = frame.pop("one too many").isin(["", np.nan])
    frame = frame.astype("category")
    last = frame[names[-1]].cat
    if not absent.all() or last.codes.min() < 0 or "" in last.categories:
        raise _misshapen(data, len(names), origin)
    return frame[list(columns)]


def _require_closed_quotes(data: bytes, origin: Origin) -> None:
    """Refuse the first line with an odd number of quotation marks."""
    if b'"' not in data:
        return
    text = np.frombuffer(data, np.uint8)
    ends = np.append(np.flatnonzero(text == ord("\n")), len(text))
    odd = np.diff(np.searchsorted(np.flatnonzero(text == ord('"')), ends), prepend=0) % 2
    if odd.any():
        line = int(np.argmax(odd)) + 1
        raise origin.refuse_line(line, "a quotation mark is not closed; expected pairs of them")


def _misshapen(data: bytes, width: int, origin: Origin) -> DataError:
    """What to raise about a table in which not every line has so many fields."""
    for line, text in enumerate(data.split(b"\n"), 1):
        if (fields := len(FIELD.findall(text))) != width:
            return origin.refuse_line(line, f"{fields} fields; expected {width}")
    return origin.refuse(None, f"expected {width} fields on every line, none of them empty")


def numbers(column: pd.Series, what: str, origin: Origin) -> np.ndarray:
    """A column of text as float64; NA is refused like any other word."""
    number = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
    names = column.cat.categories
    bad = np.array([number.fullmatch(v) is None for v in names], dtype=bool)
    if bad.any():
        row = int(np.argmax(bad[column.cat.codes]))
        raise origin.refuse(row, f"{what} is {str(column.iloc[row])[:40]!r}; expected a number")
    values = np.array([float(v) for v in names])
    return values[column.cat.codes]
