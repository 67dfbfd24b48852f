"""A DataFrame as a user's table: the same columns, checks and refusals as for a file."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass

import duckdb
import numpy as np
import pandas as pd

from wmtlib.errors import DataError, Origin
from wmtlib.files.opening import UserFiles, reason
from wmtlib.files.tables import Table, quoted

NAME = "DataFrame"  # what a refusal calls it


@dataclass(frozen=True)
class FrameFiles(UserFiles):
    """What stands in for the files of a table that is in memory."""

    digest: str = ""

    def sha256(self) -> str:
        """SHA-256 of the values, row by row."""
        return self.digest


class FrameTable(Table):
    """A DataFrame. Places are rows, 0 = the first."""

    def __init__(self, files: UserFiles, frame: pd.DataFrame):
        super().__init__(files)
        self.taken, self.rows = frame, len(frame)
        self.texts: dict[str, np.ndarray] = {}  # the columns that were asked for
        self.header = [str(name) for name in frame.columns]
        self.require_distinct(lambda message: self.origin.refuse(None, message))

    def query(self, used: Mapping[str, str]) -> str:
        for name in used.values():
            if name not in self.texts:
                values = self.taken.iloc[:, self.header.index(name)]
                text = values.astype(object).map(_text, na_action="ignore")
                self.texts[name] = text.where(values.notna(), None).to_numpy(object)
        columns = {role: self.texts[name] for role, name in used.items()}
        table = pd.DataFrame({**columns, "place": np.arange(self.rows)})
        self.files.database.register("frame", table)
        names = ", ".join(f"CAST({quoted(role)} AS VARCHAR) AS {quoted(role)}" for role in used)
        return f"SELECT {names}, place FROM frame"

    def refuse(self, place: int, message: str) -> DataError:
        return DataError(f"{self.origin.name}, row {self.taken.index[place]}: {message}")

    def damage(self, error: Exception) -> DataError:
        return self.origin.refuse(None, f"cannot be read ({reason(error)})")


def _text(value: object) -> str:
    """A cell as it would stand in a file: 3.0 as 3, True as true."""
    if isinstance(value, (bool, np.bool_)):
        return str(value).lower()
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


@contextmanager
def opened_frame(frame: pd.DataFrame) -> Iterator[FrameTable]:
    """The table of a DataFrame."""
    hashes = pd.util.hash_pandas_object(frame.astype(str), index=False).to_numpy()
    digest = hashlib.sha256(hashes.tobytes()).hexdigest()
    with closing(duckdb.connect(":memory:")) as database:
        yield FrameTable(FrameFiles(NAME, Origin(NAME), [], [], "", database, digest), frame)
