"""Columns that look as if they named the task: which hold languages, and which were not used."""

import re
from collections.abc import Mapping, Sequence
from itertools import chain

from wmtlib.errors import DataError, shown
from wmtlib.files.column_names import ALIASES, NEVER_TASKS, ONLY_LANGUAGES, TASK, TASK_NAMES
from wmtlib.files.column_roles import key
from wmtlib.files.tables import Table

LOOKED_AT = 1000  # values of a column
LANGUAGES = re.compile(r"(?=.{2,40}$)[^\W\d]{2,}([\s,/_>→()-]+[^\W\d]{2,}){0,5}[\s()]*")


def holds_languages(table: Table, column: str) -> bool:
    """Whether the first values of a column look like languages or pairs of languages."""
    try:
        query = f"SELECT task FROM ({table.query({'task': column})}) LIMIT {LOOKED_AT}"
        found = {value or "" for (value,) in table.execute(query).fetchall()}
    except DataError:  # it holds no text, or the table is refused when it is read
        return False
    return all(map(LANGUAGES.fullmatch, found))


def unused_columns(
    table: Table, used: Mapping[str, str], unused: Sequence[str], task: str
) -> list[str]:
    """Warn of columns that change what is ranked, or how often a row counts, and were not used."""
    names = [n for n in unused if key(n) in {*chain(*TASK_NAMES), *NEVER_TASKS}]
    names = [n for n in names if key(n) not in ONLY_LANGUAGES or holds_languages(table, n)]
    known = {role: used[role] for role in TASK if role in used}
    warnings = []
    for name in names:
        query = f"SELECT count(DISTINCT other) FROM ({table.select(known | {'other': name})})"
        where = "WHERE task = ?" if known else ""
        ((number,),) = table.execute(f"{query} {where}", [task] if known else []).fetchall()
        if number > 1:
            warnings.append(
                f"column {shown(name)} holds {number} values and is not used, they are ranked"
                f" together; to rank them apart, add --column task={name}"
            )
    return warnings + [
        f"column {shown(name)} is not used, every row counts once"
        for name in unused
        if key(name) in ALIASES["count"]
    ]
