"""Pairwise comparisons of a user's file, counted by DuckDB: a file may be larger than memory.

One pass, one GROUP BY; the checks look at its groups.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import pandas as pd

from wmtlib.counts import FIRST, SECOND, TIE
from wmtlib.errors import shown
from wmtlib.files import column_roles, outcomes, remarks
from wmtlib.files.column_names import UNITS
from wmtlib.files.column_roles import called
from wmtlib.files.comparison_layouts import ABOUT, comparison_query
from wmtlib.files.opening import listed
from wmtlib.files.tables import Table
from wmtlib.files.user_judgements import Judgements

MOST_SYSTEMS = 5000
OUTCOMES = "SELECT outcome, min(place) AS place FROM cells {} GROUP BY outcome ORDER BY place"
FEW = 12  # groups; of fewer nothing is said if all stand equally often
BY_NAME = f"CASE WHEN outcome = a THEN {FIRST} WHEN outcome = b THEN {SECOND} END"


def read_comparisons(
    table: Table,
    layout: str,
    used: Mapping[str, str],
    chosen_outcomes: Mapping[str, int],
    task: str | None,
    *,
    by_unit: bool,
) -> Judgements:
    """Check and count the comparisons of one task.

    Parameters
    ----------
    layout : str
        Key of `column_names.LAYOUTS`, or `comparison_layouts.MATRIX`.
    used : mapping from role to column
    chosen_outcomes : mapping from outcome to preference
        What the user says about outcomes.
    task : str or None
        Needed if the file has several.
    by_unit : bool
        Whether judges, segments and rankings are counted apart. Without them the counts of a large
        file are small.
    """
    units = [unit for unit in UNITS["pairwise"] if unit in used]
    names = ["a", "b", *(["task"] if "task" in used else [])]
    kept = units if by_unit else []
    query, copies = comparison_query(table, layout, used)
    weight = 'sum(CAST("count" AS BIGINT))' if "count" in used or copies > 1 else "count(*)"
    _group(table, query, weight, [*names, "outcome", *kept], units)
    ((rows,),) = _ask(table, "SELECT CAST(coalesce(sum(n), 0) AS BIGINT) FROM cells")
    table.require_all(rows // copies)
    sides = {"a": used["winner"], "b": used["loser"]} if layout == "winners" else {}
    _check_names(table, {**used, **sides}, names, units)
    preferences, warnings, reading = _preferences(table, layout, used, chosen_outcomes)
    tasks = [""]
    if "task" in used:
        tasks = [t for (t,) in _ask(table, "SELECT DISTINCT task FROM cells ORDER BY task")]
    chosen = column_roles.choose(tasks, task, table.origin)
    if "task" in used:
        _ask(table, "DELETE FROM cells WHERE task <> ?", [chosen])
    ((rows,),) = _ask(table, "SELECT CAST(sum(n) AS BIGINT) FROM cells")
    if copies == 1:
        warnings += _repeats(table, units if by_unit else [])
    comparisons, people = _comparisons(table, preferences, kept)
    systems = tuple(comparisons["system_1"].cat.categories)
    return Judgements(
        path=table.files.path,
        kind="pairwise",
        rows=rows // copies,
        systems=systems,
        units=tuple(kept),
        task=chosen,
        sha256=table.files.sha256(),
        comparisons=comparisons,
        reading=reading,
        warnings=tuple(warnings),
        people={} if layout == "ranked pairs" else people,  # WMT's own files
    )


def _ask(table: Table, query: str, values: Sequence[Any] = ()) -> list[tuple]:
    return table.execute(query, values).fetchall()


def _group(
    table: Table, query: str, weight: str, keys: Sequence[str], units: Sequence[str]
) -> None:
    """Make the table `cells`: for every combination of keys, rows, comparisons, the first place.

    For each unit, `<unit>_gap` is the first place where it is missing.
    """
    gaps = "".join(
        f", min(place) FILTER (WHERE {u} IS NULL OR trim({u}, ' \t\n') = '') AS {u}_gap"
        for u in units
    )
    names = ", ".join(keys)
    _ask(
        table,
        f"CREATE OR REPLACE TEMP TABLE cells AS SELECT {names}, count(*) AS n,"
        f" CAST({weight} AS BIGINT) AS weight, min(place) AS place{gaps}"
        f" FROM (SELECT * REPLACE (coalesce(outcome, '') AS outcome) FROM ({query}))"
        f" GROUP BY {names}",
    )


def _check_names(
    table: Table, used: Mapping[str, str], names: Sequence[str], units: Sequence[str]
) -> None:
    """Refuse the first row without two systems, a task or a unit."""
    for role in names:
        ((n,),) = _ask(table, f"SELECT count(DISTINCT {role}) FROM cells")
        if n > MOST_SYSTEMS:
            column = shown(used.get(role, role))
            message = f"column {column} holds {n} names; expected at most {MOST_SYSTEMS}"
            step = "; to leave the column out, add --column task=" if role == "task" else ""
            raise table.origin.refuse(None, message + step)
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
            message = f"{called(unit, used)} is missing; expected a name"
            raise table.refuse(place, f"{message}, or --column {unit}= to leave the column out")


def _preferences(
    table: Table, layout: str, used: Mapping[str, str], chosen: Mapping[str, int]
) -> tuple[dict[str, int], list[str], str]:
    """The preference for which each outcome stands, warnings, and what to say about outcomes.

    An outcome that is not among them is the name of one of the two systems of its row.

    Raises
    ------
    DataError
        About the first outcome that is unknown, or that does not belong to those before it.
    """
    places = dict(_ask(table, OUTCOMES.format("")))
    seen = [*places]
    if layout != "outcomes":  # the words are ours
        return {word: outcomes.MEANINGS[word] for word in seen}, [], ABOUT.get(layout, "")
    if unknown := [word for word in chosen if word not in places]:
        message = f"no outcome {shown(unknown[0])}; there are {listed(seen, 12)}"
        raise table.origin.refuse(None, message)
    found = outcomes.meanings(seen, chosen)
    single = {word: next(iter(possible)) for word, possible in found.items() if len(possible) == 1}
    fixed = {w: TIE for w in seen if outcomes.plain(w) in outcomes.TIES} | dict(chosen)
    others = _ask(table, OUTCOMES.format(f"WHERE {BY_NAME} IS NULL"))
    others = {word: place for word, place in others if word not in fixed}
    if len(fixed) < len(seen) and not others:
        word, values = _case(single)
        query = f"SELECT CAST(coalesce(sum(n), 0) AS BIGINT) FROM cells WHERE {word} <> {BY_NAME}"
        ((odd,),) = _ask(table, query, values)
        if odd or len(single) < len(seen):
            reading = f"; outcome names the system that won{outcomes.legend(fixed)}"
            return fixed, outcomes.taken_for_names(odd, single, fixed), reading
    if len(single) == len(seen):
        return single, [], outcomes.legend(single)
    if len(found) == len(seen):
        raise outcomes.ambiguous(seen, found, table.origin)
    odd = seen[len(found)]
    if odd not in others and others:  # outcomes are names, but for this one
        odd = next(iter(others))
    is_name = bool(_ask(table, "SELECT 1 FROM cells WHERE ? IN (a, b) LIMIT 1", [odd]))
    message = outcomes.refusal(odd, [*found], called("outcome", used), is_name)
    raise table.refuse(others.get(odd, places[odd]), message)


def _case(preferences: Mapping[str, int]) -> tuple[str, list[Any]]:
    """SQL for the preference of an outcome that is a word, and its values."""
    if not preferences:
        return "NULL", []
    return f"CASE outcome {'WHEN ? THEN ? ' * len(preferences)} END", [*chain(*preferences.items())]


def _repeats(table: Table, units: Sequence[str]) -> list[str]:
    """Warn of a file that holds everything several times, or judgements several times."""
    repeats = "SELECT DISTINCT n, count(*) OVER () FROM cells"
    found = _ask(table, repeats)
    times = math.gcd(*(n for n, _ in found))
    if times > 1 and found[0][1] >= FEW:
        return [remarks.pasted(times)]
    if {"judge", "segment"} <= {*units}:
        ((more, rows),) = _ask(table, "SELECT sum(n - 1)::BIGINT, sum(n)::BIGINT FROM cells")
        return remarks.of_repeats(more, rows, "comparisons", "judge, segment, systems and outcome")
    return []


def _comparisons(
    table: Table, preferences: Mapping[str, int], units: Sequence[str]
) -> tuple[pd.DataFrame, dict[str, str]]:
    """The groups in `cells` as a comparisons frame, and who the judges in it are.

    ENUM types become categories.
    """
    word, values = _case(preferences)
    _ask(table, "DELETE FROM cells WHERE weight = 0")
    skipped = [word for word, preference in preferences.items() if preference == outcomes.SKIPPED]
    _ask(table, "DELETE FROM cells WHERE list_contains(?::VARCHAR[], outcome)", [skipped])
    if not _ask(table, "SELECT 1 FROM cells LIMIT 1"):
        raise table.origin.refuse(None, "holds no comparisons: all are skipped or count 0 times")
    enums = {"systems": "SELECT a FROM cells UNION SELECT b FROM cells ORDER BY 1"}
    for unit in units:
        enums[f"{unit}s"] = f"SELECT {unit} FROM cells GROUP BY {unit} ORDER BY min(place)"
    for name, values_of in enums.items():
        table.execute(f"DROP TYPE IF EXISTS {name}")
        table.execute(f"CREATE TYPE {name} AS ENUM ({values_of})")
    coded = "".join(f"CAST({unit} AS {unit}s) AS {unit}, " for unit in units)
    order = ", ".join(["system_1", "system_2", "(preference + 2) % 3", *units])  # ties last
    groups = f"""SELECT CAST(a AS systems) AS system_1, CAST(b AS systems) AS system_2,
        CAST(coalesce({word}, {BY_NAME}) AS TINYINT) AS preference, {coded}
        CAST(sum(weight) AS BIGINT) AS count FROM cells GROUP BY ALL"""
    found = table.execute(f"SELECT * FROM ({groups}) ORDER BY {order}", values).df()
    if "judge" not in units:
        return found, {}
    known = found["judge"].cat.categories
    names = [f"judge_{k:03d}" for k in range(1, len(known) + 1)]
    found["judge"] = found["judge"].cat.rename_categories(names)
    return found, dict(zip(names, known, strict=True))
