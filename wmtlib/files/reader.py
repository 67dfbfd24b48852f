"""A user's own judgements: rankings, pairwise comparisons or direct assessments, in any usual file.

`read` recognises the kind of judgement by the header (`column_roles.ALIASES` and
`column_roles.PAIR_NAMES` are what columns may be called) and the format by the content: CSV, TSV,
JSON lines or Parquet, plain or gzipped, or a folder of Parquet files. Outcomes of comparisons are
written in one of the ways of `comparison_files.VOCABULARIES` throughout a file.

Nothing is guessed: the first thing that is not understood is refused with one line that says where
it stands.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd

from wmtlib.files import (
    column_roles,
    comparison_files,
    direct_assessment_files,
    formats,
    frame_tables,
    ranking_files,
)
from wmtlib.files.user_judgements import Judgements


def read(
    source: str | Path | pd.DataFrame,
    *,
    kind: str | None = None,
    columns: Mapping[str, str | None] | None = None,
    task: str | None = None,
    by_unit: bool = True,
) -> Judgements:
    """Read and check the judgements of one task; comparisons are counted.

    Parameters
    ----------
    source : str, Path or DataFrame
        A table in memory, or a file in CSV, TSV, JSON lines or Parquet, plain or gzipped; a folder
        of Parquet files, or a pattern (`part-*.parquet`) of their names.
    kind : "rankings", "pairwise" or "assessments", optional
        Recognised by the header if not given.
    columns : mapping from role to column, optional
        What the columns are called, where the names are not those that the module knows;
        None for a role that is to be ignored.
    task : str, optional
        One of the file's tasks; needed if there are several.
    by_unit : bool
        Whether pairwise comparisons are counted by judge, segment and ranking too; without them
        ten million comparisons take little memory.

    Returns
    -------
    Judgements

    Raises
    ------
    DataError
        One line that names the file, the line or row, and what was expected.

    Examples
    --------
    >>> votes = pd.DataFrame({"model_a": ["x"], "model_b": ["y"], "winner": ["model_a"]})
    >>> judgements = read(votes)
    >>> judgements.kind, judgements.systems
    ('pairwise', ('x', 'y'))
    """
    is_frame = isinstance(source, pd.DataFrame)
    with frame_tables.opened_frame(source) if is_frame else formats.open_table(source) as table:
        if (
            not columns
            and kind in (None, "assessments")
            and direct_assessment_files.is_released(table)
        ):
            return direct_assessment_files.read_released_file(table, task)
        kind, used = column_roles.recognise(table.header, kind, columns or {}, table.origin)
        if kind == "pairwise":
            found = comparison_files.read_comparisons(table, used, task, by_unit)
        elif kind == "rankings":
            found = ranking_files.read_rankings(table, used, task)
        else:
            found = direct_assessment_files.read_assessments(table, used, task)
    unused = tuple(name for name in table.header if name not in used.values())
    reading = column_roles.described(used, unused)
    return replace(found, columns=used, unused=unused, reading=reading)
