"""Recognise the format of a user's file by its content, and open it as a table."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wmtlib.files import opening
from wmtlib.files.parquet_tables import ParquetTable
from wmtlib.files.tables import Table
from wmtlib.files.text_formats import open_text


@contextmanager
def open_table(path: str | Path) -> Iterator[Table]:
    """The table of a file, of a folder or of a pattern of names: CSV, TSV, JSON lines or Parquet.

    Raises
    ------
    DataError
        One line: the file, the line or row where there is one, and what was expected.
    """
    with opening.open_files(path) as files:
        is_parquet = len(files.paths) > 1 or opening.starts_with(files.unpacked[0], opening.PARQUET)
        yield ParquetTable(files) if is_parquet else open_text(files)
