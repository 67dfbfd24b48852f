"""Parquet files of a user, grouped by DuckDB on the disk, in little memory."""

import os
import re
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import duckdb
import pandas as pd

from wmtlib.errors import DataError, Origin, reason, short_repr, warning

MEMORY = "2GB"  # what DuckDB takes before it writes to the temporary folder
FILE_BITS = 40  # a place: number of the file, then 40 bits for the row in it
PLACE = f"(CAST(file_index AS BIGINT) << {FILE_BITS}) + file_row_number"
TEXT_TYPES = re.compile(
    r"VARCHAR|BOOLEAN|U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|UUID|ENUM\b.*"
)
NUMBER_TYPES = re.compile(r"FLOAT|DOUBLE|DECIMAL\b.*")


class ParquetFiles:
    """One Parquet file, or several with the same columns.

    Parameters
    ----------
    paths : sequence of str
        The files.
    folder : str
        Into which DuckDB may write.
    """

    def __init__(self, paths: Sequence[str], folder: str, origin: Origin):
        self.paths = paths
        self.origin = origin
        spill = os.path.join(folder, "spill")
        self.database = duckdb.connect(
            ":memory:", config={"memory_limit": MEMORY, "temp_directory": spill}
        )
        self.execute("SET enable_progress_bar = false")
        names = ", ".join(quoted(path, "'") for path in paths)
        # Folders lp=de-en, lp=cs-en are a column if they differ.
        folders = [{*re.findall(r"(?<=/)[^/=]+=[^/]*(?=/)", path)} for path in paths]
        is_column = any(folder != folders[0] for folder in folders)
        options = f"hive_partitioning = {is_column}, hive_types_autocast = 0"
        self.source = f"read_parquet([{names}], {options})"
        columns = self.execute(f"SELECT * FROM {self.source} LIMIT 0").description
        self.types = {name: str(kind) for name, kind, *_ in columns}
        self.columns = [*self.types]
        query = """
            SELECT name FROM parquet_schema(?) WHERE type IS NOT NULL GROUP BY name
            HAVING count(DISTINCT file_name) < ? ORDER BY name"""
        not_in_all = self.execute(query, [[*paths], len(paths)]).fetchall()
        fault = "is in some of the files only and is not used"
        self.warnings = [
            warning("column_unused", f"column {short_repr(name)} {fault}")
            for (name,) in not_in_all
        ]
        query = "SELECT CAST(sum(num_rows) AS BIGINT) FROM parquet_file_metadata(?)"
        ((self.size,),) = self.execute(query, [[*paths]]).fetchall()
        self.places: Any = None  # of the rows that count, if not all do

    def __len__(self) -> int:
        return self.size

    def take(self, places: pd.Series) -> "ParquetFiles":
        """Return the same files, of which some rows are left."""
        taken = copy(self)
        taken.places = places
        return taken

    def values_of(self, name: str, most: int) -> list[str]:
        """Return the values of a column as text; none if they are many, or lists."""
        try:
            text = self._text("other", name)
        except DataError:
            return []
        query = f"SELECT DISTINCT {text} FROM {self.source} LIMIT {most + 1}"
        values = [value for (value,) in self.execute(query).fetchall()]
        if len(values) > most:
            return []
        if self.places is not None:
            values = [*self.fetch({"other": name}, False)["other"].unique()]
        return sorted(values)

    def execute(
        self, query: str, values: Sequence[Any] = (), *, as_frame: bool = False
    ) -> Any:
        """Run SQL; gives the result, or a frame of its rows."""
        try:
            rows = self.database.execute(query, [*values])
            return rows.df() if as_frame else rows
        except duckdb.Error as error:
            raise self.origin.refuse(
                f"cannot be read as Parquet ({reason(error)})"
            ) from None
        except RuntimeError as error:  # Ctrl-C
            if "interrupted" not in str(error):
                raise
            raise KeyboardInterrupt from None

    def fetch(self, used: Mapping[str, str], grouped: bool) -> pd.DataFrame:
        """Return columns by role, as categories of text; see `tables.Table.select`."""
        texts = ", ".join(self._text(role, name) for role, name in used.items())
        rows = f"(SELECT {texts}, {PLACE} AS place FROM {self.source})"
        columns = [quoted(role) for role in used]
        most_groups = 1
        if self.size:
            for number, name in enumerate(columns):  # a type of its different words
                words = f"words_{number}"
                distinct = f"SELECT DISTINCT {name} FROM {rows}"
                self.execute(f"DROP TYPE IF EXISTS {words}")
                self.execute(f"CREATE TYPE {words} AS ENUM ({distinct})")
                size = self.execute(f"SELECT len(enum_range(NULL::{words}))")
                most_groups *= size.fetchone()[0]
                columns[number] = f"CAST({name} AS {words}) AS {name}"
        names = ", ".join(columns)
        query = f"SELECT {names}, CAST(1 AS TINYINT) AS n, place FROM {rows}"
        if grouped and most_groups < self.size / 2 and self.places is None:
            query = f"""
                SELECT {names}, count(*) AS n, min(place) AS place FROM {rows}
                GROUP BY ALL ORDER BY place"""
        frame = self.execute(query, as_frame=True)
        total = int(frame["n"].sum())
        if total != self.size:
            raise self.origin.refuse(
                f"holds {self.size} rows, of which {total} can be read"
            )
        if self.places is None:
            return frame
        return frame[frame["place"].isin(self.places)].reset_index(drop=True)

    def _text(self, role: str, name: str) -> str:
        """Return SQL of a column as text."""
        kind = self.types[name]
        is_number = NUMBER_TYPES.fullmatch(kind) is not None
        if not (is_number or TEXT_TYPES.fullmatch(kind)):
            raise self.origin.refuse(
                f"column {short_repr(name)} holds {kind[:40]}; expected text or numbers"
            )
        text = f"coalesce(CAST({quoted(name)} AS VARCHAR), '')"
        if is_number:  # 3.0 is 3, as in a DataFrame, and what is not a number is empty
            text = f"regexp_replace({text}, '^nan$|\\.0+$', '')"
        return f"{text} AS {quoted(role)}"

    def where(self, place: int) -> str:
        """Describe a row: the file, if there are several, and the row in it."""
        number, row = divmod(place, 1 << FILE_BITS)
        if len(self.paths) == 1:
            return f"row {row + 1}"
        return f"file {short_repr(os.path.basename(self.paths[number]))}, row {row + 1}"


def quoted(text: str, sign: str = '"') -> str:
    """Return text as an SQL identifier, or with the sign "'" as an SQL string."""
    return sign + text.replace(sign, 2 * sign) + sign
