"""Rows that may not be meant to count: chosen by the user, or asked about.

An unused column may say which rows count, or tell apart several answers of one judge to
one item. It is asked about, unless the user or the layout of a known tool settles it.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from wmtlib.errors import (
    DataError,
    Message,
    column,
    first_row,
    join_names,
    setting,
    short_repr,
    warning,
    ways,
)
from wmtlib.forms import (
    DIVIDING,
    DOCUMENT_NAMES,
    MOST_VALUES,
    SCREENS,
    doubt,
    is_called,
    is_tie,
    key,
    several_within,
)
from wmtlib.reading.cells import JUDGES, RANKED, SCORED
from wmtlib.reading.columns import LAYOUTS, TASK, Options
from wmtlib.reading.tables import KNOWN, PUBLIC, Table

ITEM = ("system", "a", "b", "document", "segment", "hit", "item", "ranking", *TASK)
ANSWER = ("tied", *RANKED, *SCORED)
MOST = 500  # values of a column that tells answers apart
SHARE = 0.1  # of rows that judge what others do, if a column is to tell them apart
CHANCE = 0.1  # of the agreement that chance gives
ASKED_FROM = 0.05  # of rows that are different answers
WARNED_FROM = 0.01  # samples may hold a few
TIMES = ("ISO8601", "%m/%d/%Y %H:%M:%S", "%d/%m/%Y %H:%M:%S")  # of forms, too


def word_of(value: object) -> str:
    """Return a value as it is compared: without case, and 1.0 as 1."""
    return "" if value is None else str(value).strip().casefold().removesuffix(".0")


def chosen_rows(table: Table, options: Options) -> tuple[Table, str]:
    """Return the rows that `options.rows` asks for, and a remark on them.

    Raises
    ------
    DataError
        A column is missing, or has none of the values.
    """
    remark = ""
    for name, values in options.rows.items():
        table.require(name)
        wanted = [*map(word_of, np.array(values, dtype=object).ravel())]
        frame = table.select({"other": name})
        cells = frame["other"].cat
        words = cells.categories.map(word_of)
        for word in wanted:
            if word not in words:
                fault = f"no row has {short_repr(word)} in column {short_repr(name)}"
                raise table.origin.refuse(f"{fault}; it holds {join_names(words)}")
        is_wanted = words.isin(wanted)
        kept = frame["place"][is_wanted[cells.codes]]
        table = table.take(kept)
        values = join_names(cells.categories[is_wanted])
        remark += f"; kept {len(kept)} of {len(frame)} rows: {name} = {values}"
    return table, remark


# --- unused columns that are asked about ----------------------------------------------


def ask_about_columns(table: Table, options: Options) -> None:
    """Refuse unused columns that may say which rows count, or what they answer.

    Raises
    ------
    DataError
        The column, and the ways to settle it.
    """
    used = table.used
    if not used or table.form in PUBLIC:
        return
    passed_over = {*used.values(), *_settled(table, options)}
    values = {
        name: table.values_of(name, MOST)
        for name in table.header
        if name not in passed_over
    }
    unused = [name for name in values if len(values[name]) > 1]
    if not unused:
        return
    roles = {role: name for role, name in used.items() if role in (*JUDGES, *ITEM)}
    rows = table.select(roles).drop(columns=["n", "place"])

    def with_column(name: str) -> pd.DataFrame:
        return rows.assign(other=table.select({"other": name})["other"])

    for name in unused:
        kind = doubt(name, values[name])
        if kind and _is_doubtful(table, kind, with_column(name)):
            raise _question(table, name, kind, KNOWN["doubts"][kind]["says"])
    if "segment" not in rows:  # a column that tells rows apart may name the item
        return
    for name in unused:
        is_document = _is_document(name)
        is_unit = is_document and table.kind != "assessments"
        if is_unit or key(name) in DIVIDING or is_called(name, "times"):
            continue
        judged = with_column(name)
        number = _told_apart(judged)
        if is_document and not number:  # each may have a worker of its own
            number = _told_apart(judged.drop(columns="worker", errors="ignore"))
        if number:
            says = f"tells apart {number} rows that judge the same"
            raise _question(table, name, "", says)


def _settled(table: Table, options: Options) -> set[str]:
    """Return the columns that the user, or a known layout, says to pass over."""
    settled = {*options.ignored}
    names = {key(name): name for name in table.header}
    for layout in KNOWN["settled"]:
        if {*layout["columns"]} <= {*names}:
            settled |= {names[name] for name in layout["settled"]}
    if "task" in settled:  # tasks are taken together
        settled |= {name for short, name in names.items() if short in DIVIDING}
    return settled.union(options.rows)


def _is_document(name: str) -> bool:
    """Return whether a column is called as columns of documents are."""
    return key(name) in (*DOCUMENT_NAMES, *KNOWN["asked"]["documents"])


def _is_doubtful(table: Table, kind: str, rows: pd.DataFrame) -> bool:
    """Return whether the rows allow what the last column of them may say.

    Several criteria are of one segment; outcomes that name systems have no order, and
    those that say tie need no column of ties.
    """
    if kind == "criteria" and "segment" in rows:
        return several_within(rows["segment"], rows["other"])
    outcome = table.used.get("outcome")
    words = table.values_of(outcome, MOST) if outcome else [*rows.get("a", [])]
    if kind == "swapped":
        return {*words}.isdisjoint(rows["a"])
    if kind == "tied":
        is_flagged = not {"tied", "is_tie"}.isdisjoint(table.used)
        is_won = table.layout in ("outcomes", "winners")
        return is_won and not is_flagged and not any(map(is_tie, words))
    return True


def _told_apart(rows: pd.DataFrame) -> int:
    """Return the number of rows that the last column tells apart; or 0.

    They agree in all other columns, and hardly ever in this, though by chance some
    would.
    """
    keys = [*rows.columns[:-1]]
    copies = rows[rows.duplicated(keys, keep=False)]
    shares = copies["other"].value_counts(normalize=True)
    repeats = copies.duplicated(keys).sum()
    by_chance = repeats * (shares**2).sum()
    is_apart = copies.duplicated().sum() <= CHANCE * by_chance
    is_many = 3 <= by_chance < repeats and len(copies) >= SHARE * len(rows)
    return len(copies) if is_apart and is_many else 0


def _question(table: Table, name: str, kind: str, says: str) -> DataError:
    """Return the error about a column, with the ways to settle it."""
    values = table.select({"other": name})["other"].value_counts().index
    choices: dict[str, Message] = {}
    if kind in ("count", "swapped"):
        choices["to keep some rows"] = setting("rows", {name: values[0]})
        if kind == "swapped":
            choices["to exchange them"] = column(kind, name)
    elif kind == "tied":
        role = "is_tie" if table.layout == "winners" else kind
        choices["to count them as ties"] = column(role, name)
    else:
        tasks = [used for role, used in table.used.items() if role in TASK]
        way = column("task", name)
        if tasks:
            together = [*tasks, name]
            way = setting("task_columns", together, ",".join(together))
        if len(values) <= MOST_VALUES:
            choices["to rank its values apart"] = way
        roles = {
            role for one in LAYOUTS if one.name == table.layout for role in one.roles
        }
        for role in ("document", "segment", *JUDGES):
            if role in roles.difference(table.used):
                choices[f"if it is the {role}"] = column(role, name)
    choices["to count all rows together"] = column(name, None)
    fault = f"column {short_repr(name)} {says} ({join_names(values, 5)})"
    return table.refuse_header(fault, ways(choices))


# --- several answers of one judge to one item -----------------------------------------


def revised(table: Table, options: Options) -> Table:
    """Return the rows without earlier answers of a judge to an item, if wanted.

    Raises
    ------
    DataError
        There are many, and the user does not say which count; nothing tells judges and
        items apart.
    """
    wanted = options.revisions
    used = table.used
    is_known = "segment" in used and not {*JUDGES}.isdisjoint(used)
    # Some judges of WMT saw a pair again.
    is_public = table.form in PUBLIC or used.get("a") == "system1Id"
    if wanted == "all" or (not wanted and (is_public or not is_known)):
        return table
    if not is_known:
        fault = ": expected columns of judges and segments"
        raise table.origin.refuse(setting("revisions", wanted or ""), fault)
    settled = _settled(table, options)
    roles = {
        role: name
        for role, name in used.items()
        if role in (*JUDGES, *ITEM, *ANSWER) or key(role) in SCREENS
    }
    for name in {*table.header}.difference(used.values()):
        if name in settled or key(name) in DIVIDING or _is_document(name):
            roles[f"other {name}"] = name
    if table.layout == "winners":
        roles |= {"outcome": used["winner"], "loser": used["loser"]}
    frame = table.select(roles)
    rows = frame.drop(columns=["n", "place"])
    if "loser" in rows:
        pairs = rows[["outcome", "loser"]].astype(str)
        rows["loser"] = pairs.apply(sorted, axis=1).map(str)
    keys = [role for role in rows if role not in ANSWER]
    if wanted:
        order = frame.index if wanted == "last" else _order(table, wanted)
        latest = rows.loc[order].drop_duplicates(keys, keep="last").index
        return table.take(frame["place"].loc[latest.sort_values()])
    different = rows.drop_duplicates()
    again = different[different.duplicated(keys)]
    number = len(rows.merge(again[keys].drop_duplicates()))
    if number < WARNED_FROM * len(rows) or not number:
        return table
    fault = (
        f"{number} of {len(rows)} rows are different answers of one judge to one item"
    )
    times = [name for name in table.header if is_called(name, "times")]
    choices = {
        "to count the last one alone": setting("revisions", ["last", *times][-1])
    }
    if number <= ASKED_FROM * len(rows) or len(again) < 2:
        line = warning("answers_differ", fault, ", and all count", ways(choices))
        return replace(table, warnings=[*table.warnings, line])
    raise table.origin.refuse(
        fault, ways({**choices, "to count all": setting("revisions", "all")})
    )


def _order(table: Table, name: str) -> pd.Index:
    """Return the rows in the order of a column of times.

    Raises
    ------
    DataError
        The column is missing, or holds something else.
    """
    table.require(name)
    texts = table.select({"time": name})["time"].astype(object)
    times = pd.to_numeric(texts, errors="coerce")
    if times.isna().any():
        read = [
            pd.to_datetime(texts, format=of, utc=True, errors="coerce") for of in TIMES
        ]
        times, *others = [parsed for parsed in read if parsed.notna().all()] or read[:1]
        if any((other.rank() != times.rank()).any() for other in others):
            fault = f"{short_repr(name)}: is the month or the day first? Write times as"
            raise table.origin.refuse(fault, " 2026-05-31 12:00")
    if (row := first_row(times.isna())) is not None:
        fault = f"{short_repr(name)} is {short_repr(texts[row])}; expected a number,"
        raise table.origin.refuse(fault, " or a time such as 2026-05-31 12:00", row=row)
    return times.sort_values(kind="stable").index
