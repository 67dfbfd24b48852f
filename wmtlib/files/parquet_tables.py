"""Tables in Parquet, one file or several, which DuckDB reads where they stand."""

import re
from collections.abc import Mapping

from wmtlib.errors import DataError, shown
from wmtlib.files.opening import UserFiles, part, reason
from wmtlib.files.tables import Table, quoted

FILE_BITS = 40  # a place: number of the file, then 40 bits for the row in it
TEXT_TYPES = re.compile(r"VARCHAR|U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|UUID|ENUM\b.*")
NUMBER_TYPES = re.compile(r"FLOAT|DOUBLE|DECIMAL\b.*")


class ParquetTable(Table):
    """Parquet files. Places are the number of the file, then the row in it."""

    def __init__(self, files: UserFiles):
        super().__init__(files)
        names = ", ".join(quoted(path, "'") for path in files.unpacked)
        self.source = f"read_parquet([{names}], hive_partitioning = false, union_by_name = false)"
        found = self.execute(f"SELECT * FROM {self.source} LIMIT 0").description
        self.types = {name: str(kind) for name, kind, *_ in found}
        self.header = list(self.types)
        query = "SELECT CAST(sum(num_rows) AS BIGINT) FROM parquet_file_metadata(?)"
        ((self.rows,),) = self.execute(query, [files.unpacked]).fetchall()

    def query(self, used: Mapping[str, str]) -> str:
        taken = []
        for role, name in used.items():
            kind = self.types[name]
            fine = TEXT_TYPES.fullmatch(kind)
            fine = fine or (role == "score" and NUMBER_TYPES.fullmatch(kind))
            if not (fine or (role == "accepted" and kind == "BOOLEAN")):
                expected = "numbers" if role == "score" else "text"
                message = f"column {shown(name)} holds {kind[:40]}; expected {expected}"
                raise self.origin.refuse(None, message)
            taken.append(f"CAST({quoted(name)} AS VARCHAR) AS {quoted(role)}")
        place = f"(CAST(file_index AS BIGINT) << {FILE_BITS}) + file_row_number AS place"
        return f"SELECT {', '.join(taken)}, {place} FROM {self.source}"

    def refuse(self, place: int, message: str) -> DataError:
        name = self.files.paths[place >> FILE_BITS]
        row = (place & ((1 << FILE_BITS) - 1)) + 1
        where = f"{part(name, self.files.paths)}row {row}"
        return DataError(f"{self.origin.name}, {where}: {message}")

    def damage(self, error: Exception) -> DataError:
        return self.origin.refuse(None, f"cannot be read as Parquet ({reason(error)})")
