"""A user's table, whatever its format: columns of text, and rows that a refusal can name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import duckdb
import numpy as np
import pandas as pd

from wmtlib.errors import DataError, Origin, shown
from wmtlib.files.opening import UserFiles


class Table:
    """A table of a user's files.

    Attributes
    ----------
    files : UserFiles
    origin : Origin
        Of the files, as the user named them.
    header : list of str
        Names of the columns; no two alike but for the case of letters.
    headerless : bool
        Whether the names are not from the file, but from `appraise_files`.
    rows : int
        Their number, found otherwise than by the query; of JSON lines only after it.
    """

    header: list[str]
    headerless = False
    rows: int = 0

    def __init__(self, files: UserFiles):
        self.files, self.origin = files, files.origin

    def query(self, used: Mapping[str, str]) -> str:
        """SQL that selects, for every role of `used`, its column as text, and `place`.

        `place` is an integer that grows from row to row.
        """
        raise NotImplementedError

    def select(self, used: Mapping[str, str]) -> str:
        """The query; the two columns of a language pair, task and target, become one task."""
        if "target" not in used:
            return self.query(used)
        pair = "trim(task) || '-' || trim(target) AS task"
        return f"SELECT * EXCLUDE (task, target), {pair} FROM ({self.query(used)})"

    def refuse(self, place: int, message: str) -> DataError:
        """The error about the row at a place."""
        raise NotImplementedError

    def damage(self, error: Exception) -> DataError:
        """The error about rows that DuckDB cannot read."""
        raise NotImplementedError

    def execute(self, query: str, values: Sequence[object] = ()) -> duckdb.DuckDBPyConnection:
        """Run SQL that may read the files."""
        try:
            return self.files.database.execute(query, [*values])
        except duckdb.Error as error:
            raise self.damage(error) from None

    def frame(self, used: Mapping[str, str]) -> tuple[pd.DataFrame, "Rows"]:
        """All rows, a column for each role of `used`, and the places of the rows.

        Raises
        ------
        DataError
            A row that cannot be read, or a table without rows.
        """
        self.execute(f"CREATE OR REPLACE TEMP TABLE texts AS {self.select(used)}")

        def column(name: str) -> np.ndarray:
            query = f"SELECT {quoted(name)} FROM texts ORDER BY place"
            return self.files.database.execute(query).fetchnumpy()[name]

        places, columns = np.asarray(column("place")), {}
        self.require_all(len(places))
        for role in (role for role in used if role != "target"):
            texts = np.ma.filled(np.ma.asarray(column(role), object), None)
            codes, known = pd.factorize(texts)  # equal texts are one: a tenth of the memory
            columns[role] = np.append(known, None)[codes]
        self.execute("DROP TABLE texts")
        rows = Rows(self.origin.name, table=self, places=places)
        return pd.DataFrame(columns, dtype=object), rows

    def require_all(self, number: int) -> None:
        """Refuse a table without rows, or of which not all rows were read."""
        if number != self.rows:
            raise self.damage(ValueError(f"{number} rows read of {self.rows}"))
        if not number:
            raise self.origin.refuse(None, "holds a header but no judgements")

    def require_distinct(self, refuse: Callable[[str], DataError]) -> None:
        """Refuse a header that names a column twice."""
        seen = set()
        for name in self.header:
            if (key := name.casefold()) in seen:
                raise refuse(f"column {shown(name)} stands twice; expected it once")
            seen.add(key)


@dataclass(frozen=True)
class Rows(Origin):
    """Where the rows of a frame stand in the table that they were taken from."""

    table: Table | None = None
    places: np.ndarray = field(default_factory=partial(np.zeros, 0, int), repr=False, compare=False)

    def refuse(self, row: int | None, message: str) -> DataError:
        if row is None:
            return super().refuse(None, message)
        return self.table.refuse(int(self.places[row]), message)

    def take(self, rows: np.ndarray) -> "Rows":
        """The places of some of the rows."""
        return Rows(self.name, None, self.table, self.places[rows])


def quoted(text: str, sign: str = '"') -> str:
    """Text as an SQL identifier, or with the sign "'" as an SQL string."""
    return sign + text.replace(sign, 2 * sign) + sign
