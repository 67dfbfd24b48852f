"""Pairwise comparisons of a user's file, counted by DuckDB: a file may be larger than memory.

One pass, one GROUP BY; the checks look at its groups.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.files import column_roles
from wmtlib.files.column_roles import called
from wmtlib.files.formats import Table
from wmtlib.files.opening import shown
from wmtlib.judgements import relative_rankings
from wmtlib.judgements.counting import FIRST, SECOND, TIE

VOCABULARIES = (  # how files write outcomes; a file keeps to one of these
    {"a": FIRST, "b": SECOND, "tie": TIE},
    {"1": FIRST, "2": SECOND, "0": TIE},
    {">": FIRST, "<": SECOND, "=": TIE},
    {"model_a": FIRST, "model_b": SECOND, "tie": TIE, "tie (bothbad)": TIE, "both_bad": TIE},
)
EXPECTED = "expected " + "; or ".join(", ".join(words) for words in VOCABULARIES)
TIES_LAST = (FIRST, SECOND, TIE)  # the order of rows
MOST_SYSTEMS = 5000
MOST_LOOSE = 1_000_000  # groups of pieces of a text that are not yet put together


def count(
    table: Table, used: Mapping[str, str], task: str | None
) -> tuple[str, dict[str, int], pd.DataFrame]:
    """Check and count the comparisons of one task, chosen by name if there are several.

    Gives the task ("" if the file names none), the preference that each outcome of the file means,
    and the comparisons frame of `recount` without units. `used` is the column of every role.
    """
    names = ["a", "b", *(["task"] if "task" in used else [])]
    units = [unit for unit in column_roles.UNITS["pairwise"] if unit in used]
    _group(table, used, [*names, "outcome"], units)
    _check_names(table, used, names, units)
    meaning = _meaning(table, used)
    ((rows,),) = _ask(table, "SELECT CAST(sum(n) AS BIGINT) FROM cells")
    if rows != table.total():
        what = f"{rows} rows counted of {table.total()}; the file is damaged"
        raise table.files.origin.refuse(None, what)
    tasks = [""]
    if "task" in used:
        tasks = [t for (t,) in _ask(table, "SELECT DISTINCT task FROM cells ORDER BY task")]
    chosen = column_roles.choose(tasks, task, table.files.origin)
    if "task" in used:
        _ask(table, "DELETE FROM cells WHERE task <> ?", [chosen])
    return chosen, meaning, _counted(table, meaning, ())


def recount(
    table: Table,
    used: Mapping[str, str],
    task: str,
    meaning: Mapping[str, int],
    units: Sequence[str],
) -> pd.DataFrame:
    """A comparisons frame with counts: one row for each pair, preference and value of the units.

    The file is one that `count` found to be right, and gave `task` and `meaning` of. Systems and
    units are categories: systems sorted by name, units by first appearance, judges as pseudonyms.
    The rows are sorted by system_1, system_2, preference (ties last) and units.
    """
    keys = ["a", "b", "outcome", *units]
    kept = {role: column for role, column in used.items() if role in (*keys, "task")}
    _group(table, kept, keys, (), *(("WHERE task = ?", [task]) if "task" in used else ()))
    return _counted(table, meaning, units)


def of_rankings(rankings: pd.DataFrame, units: Sequence[str]) -> pd.DataFrame:
    """The same frame from the comparisons that rankings imply."""
    compared = relative_rankings.comparisons(rankings)
    systems = sorted(set(rankings["system"]))
    table = pd.DataFrame(
        {
            "system_1": pd.Categorical(compared["system_1"], categories=systems),
            "system_2": pd.Categorical(compared["system_2"], categories=systems),
            "preference": pd.Categorical(compared["preference"], categories=TIES_LAST),
        }
    )
    for unit in units:
        codes, labels = pd.factorize(compared[unit].astype(object))
        table[unit] = pd.Categorical.from_codes(codes, categories=labels)
    counted = table.groupby(list(table), observed=True).size().rename("count").reset_index()
    return counted.astype({"preference": np.int8})


def _ask(table: Table, query: str, values: Sequence[Any] = ()) -> list[tuple]:
    return table.files.database.execute(query, list(values)).fetchall()


def _group(
    table: Table,
    used: Mapping[str, str],
    keys: Sequence[str],
    gaps: Sequence[str],
    where: str = "",
    values: Sequence[str] = (),
) -> None:
    """Make the table `cells`: for every combination of keys, n and the first place.

    `gaps` are units: of each, the first place where it is missing. Text comes in pieces; their
    groups are put together when they have become many.
    """
    names, limit, pieces = ", ".join(keys), MOST_LOOSE, 0
    missing = "".join(
        f", min(place) FILTER (WHERE {u} IS NULL OR NOT regexp_matches({u}, '\\S')) AS {u}_gap"
        for u in gaps
    )
    joined = "".join(f", min({u}_gap) AS {u}_gap" for u in gaps)

    def size() -> int:
        return _ask(table, "SELECT count(*) FROM cells")[0][0]

    def join() -> None:
        what = f"{names}, CAST(sum(n) AS BIGINT) AS n, min(place) AS place{joined}"
        _ask(table, f"CREATE TEMP TABLE fewer AS SELECT {what} FROM cells GROUP BY {names}")
        _ask(table, "DROP TABLE cells")
        _ask(table, "ALTER TABLE fewer RENAME TO cells")

    def run(relation: str, parameters: list) -> None:
        nonlocal limit, pieces
        what = f"SELECT {names}, count(*) AS n, min(place) AS place{missing} FROM {relation}"
        how = "INSERT INTO cells" if pieces else "CREATE TEMP TABLE cells AS"
        _ask(table, f"{how} {what} {where} GROUP BY {names}", [*parameters, *values])
        pieces += 1
        if pieces > 1 and size() > limit:
            join()
            limit = max(MOST_LOOSE, 2 * size())

    table.relation(used, run)
    if not pieces or not size():
        raise table.files.origin.refuse(None, "holds a header but no judgements")
    if pieces > 1:
        join()


def _check_names(
    table: Table, used: Mapping[str, str], names: Sequence[str], units: Sequence[str]
) -> None:
    """Refuse the first row that is no comparison of two systems."""
    for role in names:
        ((n,),) = _ask(table, f"SELECT count(DISTINCT {role}) FROM cells")
        if n > MOST_SYSTEMS:
            what = f"column {shown(used[role])} holds {n} names; expected at most {MOST_SYSTEMS}"
            raise table.files.origin.refuse(None, what)
        query = f"SELECT {role}, min(place) AS place FROM cells GROUP BY {role} ORDER BY place"
        for name, place in _ask(table, query):
            if fault := column_roles.fault_of_name(name):
                what = f"{called(role, used)} is {shown(name or '')}; {fault}"
                raise table.refuse(place, what)
    for place, name in _ask(table, "SELECT place, a FROM cells WHERE a = b ORDER BY place LIMIT 1"):
        what = f"system {shown(name)} is compared with itself; expected two systems"
        raise table.refuse(place, what)
    for unit in units:
        ((place,),) = _ask(table, f"SELECT min({unit}_gap) FROM cells")
        if place is not None:
            raise table.refuse(place, f"{called(unit, used)} is missing; expected a name")


def _meaning(table: Table, used: Mapping[str, str]) -> dict[str, int]:
    """The preference that every outcome of the file means; the first unknown one is refused."""
    known = sorted(set(chain(*VOCABULARIES)))
    query = f"""SELECT outcome, place FROM cells
        WHERE outcome IS NULL OR outcome NOT IN ({", ".join("?" * len(known))})
        ORDER BY place LIMIT 1"""
    for outcome, place in _ask(table, query, known):
        what = f"{called('outcome', used)} is {shown(outcome or '')}; {EXPECTED}"
        raise table.refuse(place, what)
    query = "SELECT outcome, min(place) AS place FROM cells GROUP BY outcome ORDER BY place"
    seen: list[str] = []
    possible = list(VOCABULARIES)
    for outcome, place in _ask(table, query):
        possible = [words for words in possible if outcome in words]
        if not possible:
            said = ", ".join(map(shown, seen))
            what = f"{called('outcome', used)} is {shown(outcome)} after {said}; {EXPECTED}"
            raise table.refuse(place, what)
        seen.append(outcome)
    if set(seen) == {"0", "1"}:
        what = "outcomes are 1 and 0 but never 2; 0 is a tie: if it means that b won, expected 2"
        raise table.files.origin.refuse(None, what)
    return possible[0]


def _counted(table: Table, meaning: Mapping[str, int], units: Sequence[str]) -> pd.DataFrame:
    """The groups in `cells` as a comparisons frame."""
    pairs = "SELECT name, name AS rank FROM (SELECT a AS name FROM cells UNION SELECT b FROM cells)"
    systems = _numbered(table, "systems", pairs)
    labels = {"system_1": systems, "system_2": systems}
    for unit in units:
        query = f"SELECT {unit} AS name, min(place) AS rank FROM cells GROUP BY {unit}"
        labels[unit] = _numbered(table, f"{unit}_names", query)
    cases = "WHEN ? THEN ? " * len(meaning)
    chosen = "".join(f", CAST({u}_names.code AS INTEGER) AS {u}" for u in units)
    joins = "".join(f" JOIN {u}_names ON cells.{u} = {u}_names.name" for u in units)
    query = f"""SELECT CAST(first.code AS INTEGER) AS system_1,
        CAST(second.code AS INTEGER) AS system_2,
        CAST(CASE cells.outcome {cases} END AS INTEGER) AS place{chosen},
        CAST(sum(n) AS BIGINT) AS count
        FROM cells JOIN systems first ON cells.a = first.name
        JOIN systems second ON cells.b = second.name {joins} GROUP BY ALL ORDER BY ALL"""
    words = chain.from_iterable((word, TIES_LAST.index(means)) for word, means in meaning.items())
    found = table.files.database.execute(query, list(words)).fetchnumpy()
    if "judge" in labels:
        labels["judge"] = [f"judge_{k:03d}" for k in range(1, len(labels["judge"]) + 1)]
    columns = {key: pd.Categorical.from_codes(found[key], names) for key, names in labels.items()}
    frame = pd.DataFrame(columns | {"count": np.asarray(found["count"], np.int64)})
    frame.insert(2, "preference", np.array(TIES_LAST, dtype=np.int8)[found["place"]])
    return frame


def _numbered(table: Table, name: str, query: str) -> list[str]:
    """Make a table of names and their codes in the order of their rank; give the names."""
    _ask(
        table,
        f"CREATE TEMP TABLE {name} AS"
        f" SELECT name, row_number() OVER (ORDER BY rank) - 1 AS code FROM ({query})",
    )
    return [found for (found,) in _ask(table, f"SELECT name FROM {name} ORDER BY code")]
