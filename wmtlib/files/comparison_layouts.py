"""Ways to lay out comparisons, each turned into one: a, b, outcome, count, and units (as SQL).

Besides the column of outcomes: two ranks (the official files of WMT13-16), a winner and a loser,
two numbers of wins, and a square matrix of wins.
"""

from collections.abc import Mapping, Sequence

from wmtlib.counts import UNRANKED
from wmtlib.errors import shown
from wmtlib.files.column_roles import called
from wmtlib.files.tables import Table, quoted

MATRIX = "matrix"  # the layout that has no names of columns but those of systems
ABOUT = {MATRIX: "a square matrix: wins of the row's system over the column's"}
WHOLE = r"\s*[0-9]{1,12}(\.0*)?\s*"  # how a number of comparisons may be written
RANK = rf"0*[1-9][0-9]{{0,8}}|{UNRANKED}"
EXPECTED_RANK = f"a whole number from 1, or {UNRANKED} for no rank"
NUMBERS = {  # roles that hold numbers, how those may be written, and what is expected
    **dict.fromkeys(("count", "wins_a", "wins_b", "ties"), (WHOLE, "a whole number from 0")),
    **dict.fromkeys(("rank_a", "rank_b"), (RANK, EXPECTED_RANK)),
}
COLUMNS = {  # the columns of a layout that are others in the common one, and those, as SQL
    "winners": ("winner, loser", "winner AS a, loser AS b, 'a' AS outcome"),
    "ranked pairs": (
        "rank_a, rank_b",
        f"""CASE WHEN {UNRANKED} IN (rank_a::INT, rank_b::INT) THEN 'skip'
        WHEN rank_a::INT < rank_b::INT THEN 'a' WHEN rank_a::INT > rank_b::INT THEN 'b'
        ELSE 'tie' END AS outcome""",
    ),
}


def is_matrix(table: Table) -> bool:
    """Whether the first column holds the names of the other columns, in any order."""
    first, *others = table.header
    if len(others) < 2 or table.rows != len(others):
        return False
    frame, _ = table.frame({"system": first})
    return sorted(frame["system"]) == sorted(others)


def comparison_query(table: Table, layout: str, used: Mapping[str, str]) -> tuple[str, int]:
    """SQL of one row a comparison, or of as many as `count` says, and how many a row gives.

    Raises
    ------
    DataError
        A number of the file is none.
    """
    if layout == MATRIX:
        return _matrix_query(table), len(table.header) - 2
    query = table.select(used)
    numbers = [role for role in NUMBERS if role in used]
    if numbers:
        table.execute(f"CREATE OR REPLACE TEMP TABLE given AS {query}")
        query = "SELECT * FROM given"
        _check_numbers(table, numbers, used)
    if layout in COLUMNS:
        theirs, ours = COLUMNS[layout]
        return f"SELECT * EXCLUDE ({theirs}), {ours} FROM ({query})", 1
    if layout == "wins":
        columns = {"wins_a": "a", "wins_b": "b"} | ({"ties": "tie"} if "ties" in used else {})
        parts = [
            f"SELECT * EXCLUDE ({', '.join(columns)}), '{outcome}' AS outcome, {role} AS \"count\""
            f" FROM ({query})"
            for role, outcome in columns.items()
        ]
        return " UNION ALL ".join(parts), len(parts)
    return query, 1


def _check_numbers(table: Table, numbers: Sequence[str], used: Mapping[str, str]) -> None:
    """Refuse the first cell of the table `given` that is no number."""
    for role in numbers:
        pattern, expected = NUMBERS[role]
        cell = f"coalesce({quoted(role)}, '')"
        query = (
            f"SELECT {cell}, place FROM given WHERE NOT regexp_full_match({cell}, '{pattern}')"
            " ORDER BY place LIMIT 1"
        )
        for value, place in table.execute(query).fetchall():
            step = "; to leave the column out, add --column count=" if role == "count" else ""
            message = f"{called(role, used)} is {shown(value)}; expected {expected}{step}"
            raise table.refuse(place, message)


def _matrix_query(table: Table) -> str:
    """SQL of one row for each cell beside the diagonal; an empty cell is a nought."""
    first, *others = table.header
    used = {"a": first} | {f"c{k}": name for k, name in enumerate(others)}
    table.execute(f"CREATE OR REPLACE TEMP TABLE matrix AS {table.select(used)}")
    names = [quoted(name, "'") for name in others]
    cells = " UNION ALL ".join(
        f"SELECT a, {name} AS b, 'a' AS outcome,"
        f" coalesce(nullif(trim(c{k}), ''), '0') AS \"count\", place FROM matrix"
        for k, name in enumerate(names)
    )
    query = f"SELECT * FROM ({cells}) WHERE a <> b"
    table.execute(f"CREATE OR REPLACE TEMP TABLE given AS {query}")
    pattern, expected = NUMBERS["count"]
    odd = f"SELECT * FROM given WHERE NOT regexp_full_match(\"count\", '{pattern}') ORDER BY place"
    for a, b, _, value, place in table.execute(f"{odd} LIMIT 1").fetchall():
        message = f"wins of {shown(a)} over {shown(b)} are {shown(value)}; expected {expected}"
        raise table.refuse(place, message)
    return "SELECT * FROM given"
