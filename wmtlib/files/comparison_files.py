"""Pairwise comparisons of a user's file, counted by DuckDB: a file may be larger than memory.

One pass, one GROUP BY; the checks look at its groups.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import pandas as pd

from wmtlib.files import column_roles
from wmtlib.files.column_roles import called
from wmtlib.files.tables import Table
from wmtlib.files.user_judgements import Judgements
from wmtlib.judgements.counting import FIRST, SECOND, TIE
from wmtlib.judgements.errors import shown

VOCABULARIES = (  # how files write outcomes; a file keeps to one of these
    {"a": FIRST, "b": SECOND, "tie": TIE},
    {"1": FIRST, "2": SECOND, "0": TIE},
    {">": FIRST, "<": SECOND, "=": TIE},
    {"model_a": FIRST, "model_b": SECOND, "tie": TIE, "tie (bothbad)": TIE, "both_bad": TIE},
)
EXPECTED = "expected " + "; or ".join(", ".join(words) for words in VOCABULARIES)
MOST_SYSTEMS = 5000


def read_comparisons(
    table: Table, used: Mapping[str, str], task: str | None, by_unit: bool
) -> Judgements:
    """Check and count the comparisons of one task.

    Parameters
    ----------
    used : mapping from role to column
    task : str or None
        Needed if the file has several.
    by_unit : bool
        Whether judges, segments and rankings are counted apart. Without them the counts of a large
        file are small.
    """
    units = [unit for unit in column_roles.UNITS["pairwise"] if unit in used]
    names = ["a", "b", *(["task"] if "task" in used else [])]
    _group(table, used, [*names, "outcome", *(units if by_unit else [])], units)
    _check_names(table, used, names, units)
    preferences = _preferences(table, used)
    tasks = [""]
    if "task" in used:
        tasks = [t for (t,) in _ask(table, "SELECT DISTINCT task FROM cells ORDER BY task")]
    chosen = column_roles.choose(tasks, task, table.origin)
    if "task" in used:
        _ask(table, "DELETE FROM cells WHERE task <> ?", [chosen])
    units = units if by_unit else []
    comparisons = _comparisons(table, preferences, units)
    return Judgements(
        path=table.files.path,
        kind="pairwise",
        rows=int(comparisons["count"].sum()),
        systems=tuple(comparisons["system_1"].cat.categories),
        units=tuple(units),
        task=chosen,
        sha256=table.files.sha256(),
        comparisons=comparisons,
    )


def _ask(table: Table, query: str, values: Sequence[Any] = ()) -> list[tuple]:
    return table.execute(query, values).fetchall()


def _group(
    table: Table, used: Mapping[str, str], keys: Sequence[str], units: Sequence[str]
) -> None:
    """Make the table `cells`: for every combination of keys, n and the first place.

    For each unit, `<unit>_gap` is the first place where it is missing.
    """
    gaps = "".join(
        f", min(place) FILTER (WHERE {u} IS NULL OR trim({u}, ' \t\n') = '') AS {u}_gap"
        for u in units
    )
    names = ", ".join(keys)
    _ask(
        table,
        f"CREATE TEMP TABLE cells AS SELECT {names}, count(*) AS n, min(place) AS place{gaps}"
        f" FROM ({table.query(used)}) GROUP BY {names}",
    )
    ((rows,),) = _ask(table, "SELECT CAST(coalesce(sum(n), 0) AS BIGINT) FROM cells")
    table.require_all(rows)


def _check_names(
    table: Table, used: Mapping[str, str], names: Sequence[str], units: Sequence[str]
) -> None:
    """Refuse the first row without two systems, a task or a unit."""
    for role in names:
        ((n,),) = _ask(table, f"SELECT count(DISTINCT {role}) FROM cells")
        if n > MOST_SYSTEMS:
            message = f"column {shown(used[role])} holds {n} names; expected at most {MOST_SYSTEMS}"
            raise table.origin.refuse(None, message)
        query = f"SELECT {role}, min(place) AS place FROM cells GROUP BY {role} ORDER BY place"
        for name, place in _ask(table, query):
            if fault := column_roles.fault_of_name(name):
                message = f"{called(role, used)} is {shown(name or '')}; {fault}"
                raise table.refuse(place, message)
    for place, name in _ask(table, "SELECT place, a FROM cells WHERE a = b ORDER BY place LIMIT 1"):
        message = f"system {shown(name)} is compared with itself; expected two systems"
        raise table.refuse(place, message)
    for unit in units:
        ((place,),) = _ask(table, f"SELECT min({unit}_gap) FROM cells")
        if place is not None:
            raise table.refuse(place, f"{called(unit, used)} is missing; expected a name")


def _preferences(table: Table, used: Mapping[str, str]) -> dict[str, int]:
    """The preference for which each outcome of the file stands.

    Raises
    ------
    DataError
        About the first outcome that is unknown, or that does not belong to those before it.
    """
    query = "SELECT outcome, min(place) AS place FROM cells GROUP BY outcome ORDER BY place"
    seen: list[str] = []
    possible = list(VOCABULARIES)
    known = set(chain(*VOCABULARIES))
    for outcome, place in _ask(table, query):
        possible = [words for words in possible if outcome in words]
        if not possible:
            after = f" after {', '.join(map(shown, seen))}" if outcome in known else ""
            message = f"{called('outcome', used)} is {shown(outcome or '')}{after}; {EXPECTED}"
            raise table.refuse(place, message)
        seen.append(outcome)
    if set(seen) == {"0", "1"}:
        message = "outcomes are 1 and 0 but never 2; 0 is a tie: if it means that b won, expected 2"
        raise table.origin.refuse(None, message)
    return possible[0]


def _comparisons(
    table: Table, preferences: Mapping[str, int], units: Sequence[str]
) -> pd.DataFrame:
    """The groups in `cells` as a comparisons frame; ENUM types become categories."""
    names = "SELECT a FROM cells UNION SELECT b FROM cells ORDER BY 1"
    table.execute(f"CREATE TYPE systems AS ENUM ({names})")
    for unit in units:
        names = f"SELECT {unit} FROM cells GROUP BY {unit} ORDER BY min(place)"
        table.execute(f"CREATE TYPE {unit}s AS ENUM ({names})")
    coded = "".join(f"CAST({unit} AS {unit}s) AS {unit}, " for unit in units)
    cases = "WHEN ? THEN ? " * len(preferences)
    order = ", ".join(["system_1", "system_2", "(preference + 2) % 3", *units])  # ties last
    groups = f"""SELECT CAST(a AS systems) AS system_1, CAST(b AS systems) AS system_2,
        CAST(CASE outcome {cases} END AS TINYINT) AS preference, {coded}
        CAST(sum(n) AS BIGINT) AS count FROM cells GROUP BY ALL"""
    query = f"SELECT * FROM ({groups}) ORDER BY {order}"
    found = table.execute(query, [*chain.from_iterable(preferences.items())]).df()
    if "judge" in units:
        found["judge"] = found["judge"].cat.rename_categories(
            [f"judge_{k:03d}" for k in range(1, len(found["judge"].cat.categories) + 1)]
        )
    return found
