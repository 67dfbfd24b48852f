"""Rows that may not be meant to count: chosen by the user, or asked about.

An unused column may say which rows count, or tell apart several answers of one judge to
one item. It is asked about, unless the user or the layout of a known tool settles it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from wmtlib.errors import did_you_mean, joined, listed, shown
from wmtlib.intake import DIVIDING, DOCUMENT_NAMES, EXCHANGED, ROWS_COUNT, doubt
from wmtlib.intake import is_called, key
from wmtlib.yours.options import column, revisions, rows_with, task_columns
from wmtlib.yours.reading.columns import LAYOUTS, TASK, WMT, Options
from wmtlib.yours.reading.tables import APPRAISE, KNOWN, RELEASE, XML, Table, as_text

ITEM = ("document", "segment", "hit", "item", "ranking")  # roles
JUDGED = ("judge", "worker", "system", "a", "b", *ITEM)
ANSWER = ("outcome", "tied", "score", "score_a", "score_b", "rank_a", "rank_b")
MOST = 500  # values of a column that tells answers apart
SHARE = 0.1  # of rows that judge what others do, if a column is to tell them apart
CHANCE = 0.1  # of the agreement that chance gives
ASKED_FROM = 0.05  # of rows that contradict each other; of fewer it is a warning
SAID = {"rankings": "ranks", "pairwise": "votes", "assessments": "scores"}


def word_of(value: object) -> str:
    """Return a value as it is compared: without case, and 1.0 as 1."""
    (text,) = as_text(pd.Series([value], dtype=object))
    return text.strip().casefold().removesuffix(".0")


def chosen_rows(table: Table, options: Options) -> tuple[Table, str]:
    """Return the rows that `options.rows` asks for, and a remark on them.

    Raises
    ------
    DataError
        A column is missing, or has none of the values.
    """
    remark = ""
    for name, values in options.rows.items():
        header = table.header
        if name not in header:
            fault = f"column {shown(name)} is missing; the header is"
            hint = did_you_mean(name, header)
            raise table.refuse_header(f"{fault} {listed(header, 12)}{hint}")
        is_list = isinstance(values, Sequence | set) and not isinstance(values, str)
        wanted = {*map(word_of, values if is_list else [values])}
        frame = table.select({"other": name})
        cells = frame["other"].cat
        known = [*map(word_of, cells.categories)]
        if missing := sorted(wanted.difference(known)):
            fault = f"no row has {missing[0]!r} in column {shown(name)}"
            raise table.origin.refuse(f"{fault}; it holds {listed(cells.categories)}")
        is_kept = np.isin(known, [*wanted])[cells.codes]
        table = table.take(frame["place"][is_kept])
        kept = listed(cells.categories[np.isin(known, [*wanted])])
        remark += f"; kept {is_kept.sum()} of {len(is_kept)} rows: {name} = {kept}"
    return table, remark


# --- what is asked about --------------------------------------------------------------


def ask_about_columns(table: Table, options: Options) -> None:
    """Refuse unused columns that may say which rows count, or what they answer.

    Raises
    ------
    DataError
        The column, and the ways to settle it.
    """
    used = table.used
    if not used or table.form in (APPRAISE, RELEASE, XML):
        return
    free = {*table.header}.difference(used.values(), _settled(table, options))
    unused = [name for name in table.header if name in free]
    values = {name: table.values_of(name, MOST) for name in unused}
    roles = {role: used[role] for role in (*JUDGED, *TASK) if role in used}
    is_whole = {"judge", "worker"} & {*roles} and "segment" in roles
    for name in unused:
        said = doubt(name, values[name])
        if said == EXCHANGED and (table.kind != "pairwise" or _is_exchanged(table, name)):
            continue
        is_part = is_called(name, "parts") and not is_whole
        if is_part and 1 < len(values[name]) <= 20:
            said = said or "may say what was judged"
        if said:
            raise _question(table, name, said, values[name])
    if not {"judge", "worker", "segment"} & {*roles}:
        return
    keys = table.select(roles).drop(columns=["n", "place"])
    for name in unused:
        is_taken = options.columns.get("task", "") is None and key(name) in DIVIDING
        if len(values[name]) < 2 or is_taken or is_called(name, "times"):
            continue
        if table.kind != "assessments" and _is_document(name):
            continue
        other = table.select({"other": name})["other"]
        number = _told_apart(keys.assign(other=other))
        if not number and "worker" in keys and _is_document(name):
            number = _told_apart(keys.drop(columns="worker").assign(other=other))
        if number:
            what = f"tells apart {number} {SAID[table.kind]} of one item"
            raise _question(table, name, what, values[name])


def _settled(table: Table, options: Options) -> set[str]:
    """Return the columns that the user, or a known layout, says to pass over."""
    settled = {name for name, other in options.columns.items() if other is None}
    names = {*map(key, table.header)}
    for layout in KNOWN["settled"]:
        if names.issuperset(layout["columns"]):
            settled |= {n for n in table.header if key(n) in layout["settled"]}
    return settled.union(options.rows)


def _is_document(name: str) -> bool:
    """Return whether a column is called as columns of documents are."""
    return key(name) in (*DOCUMENT_NAMES, *KNOWN["asked"]["documents"])


def _told_apart(rows: pd.DataFrame) -> int:
    """Return how many rows repeat all but the last column; 0 unless it tells them apart.

    It does where repeats hardly ever agree in it, though by chance some would.
    """
    keys = rows.columns[:-1].tolist()
    copies = rows[rows.duplicated(keys, keep=False)]
    repeats = int(copies.duplicated(keys).sum())
    agree = int(copies.duplicated().sum())
    shares = copies["other"].value_counts(normalize=True)
    by_chance = repeats * (shares**2).sum()
    is_told = 3 <= by_chance < repeats and agree <= CHANCE * by_chance
    return len(copies) if is_told and len(copies) >= SHARE * len(rows) else 0


def _is_exchanged(table: Table, name: str) -> bool:
    """Return whether the systems of a row stand in the order in which they were shown.

    They do where outcomes name systems, or where every row has its like with the two
    systems in the other order and the other value.
    """
    roles = [role for role in (*TASK, "judge", "segment", "a", "b") if role in table.used]
    used = {role: table.used[role] for role in (*roles, "outcome") if role in table.used}
    if not {"a", "b"} <= {*used}:
        return True
    rows = table.select({**used, "other": name}).astype(str)
    if "outcome" in used and rows["outcome"].isin([*rows["a"], *rows["b"]]).any():
        return True
    rows = rows[[role for role in rows if role not in ("n", "place", "outcome")]]
    rows = rows.drop_duplicates()
    keys = [role for role in rows if role != "other"]
    turned = rows.rename(columns={"a": "b", "b": "a"})
    pairs = rows.merge(turned, on=keys)
    is_turned = (pairs["other_x"] != pairs["other_y"]).sum() >= 0.9 * len(rows)
    return bool(is_turned and not rows.duplicated(keys).any())


def _question(table: Table, name: str, said: str, values: Sequence[str]) -> Exception:
    """Return the error about a column, with the ways to settle it."""
    texts = as_text(table.select({"other": name})["other"])
    commonest = pd.Series(texts).value_counts().index[0]
    fault = f"column {shown(name)} {said} ({listed(values, 5)})"
    keep = joined("to keep some rows, add ", rows_with(name, commonest))
    all_count = joined("to count all rows as they are, ", column(name, None))
    roles = {role for one in LAYOUTS if one.name == table.layout for role in one.roles}
    ways = [keep]
    if said == EXCHANGED and "swapped" in roles:
        ways.append(joined("to exchange them, ", column("swapped", name)))
    elif said not in (ROWS_COUNT, EXCHANGED):
        apart = column("task", name)
        if tasks := [table.used[role] for role in TASK if role in table.used]:
            apart = task_columns([*tasks, name])
        ways = [joined("to rank its values apart, add ", apart)]
        free = ("document", "segment", "judge", "worker")
        names = [r for r in free if r in roles - {*table.used}]
        ways += [joined(f"if it is the {r}, ", column(r, name)) for r in names]
    return table.refuse_header(f"{fault}; ", joined(*ways, all_count, between="; "))


# --- several answers of one judge to one item -----------------------------------------


def revised(table: Table, options: Options) -> Table:
    """Return the rows without earlier answers of a judge to an item, if wanted.

    Raises
    ------
    DataError
        There are many, and the user does not say which count.
    """
    wanted = options.revisions
    used = table.used
    answer = {role: used[role] for role in ANSWER if role in used}
    roles = [role for role in (*JUDGED, *TASK) if role in used]
    keys = {role: used[role] for role in roles}
    if table.layout == "winners":
        keys |= {"a": used["winner"], "b": used["loser"]}
        answer = {"outcome": used["winner"]}
    is_known = {"judge", "worker"} & {*keys} and "segment" in keys and answer
    if not is_known or table.form in (APPRAISE, RELEASE, XML) or used.get("a") == "system1Id":
        if wanted in (None, "all"):
            return table
        raise table.origin.refuse(
            "revisions: expected columns of judges, segments and their answers"
        )
    if wanted == "all":
        return table
    others = _settled(table, options)
    for name in table.header:
        if name not in used.values():
            if name in others or key(name) in DIVIDING or _is_document(name):
                keys[f"other {name}"] = name
    time = wanted if wanted not in (None, "last") else None
    times = [n for n in table.header if is_called(n, "times")]
    frame = table.select({**keys, **answer})
    rows = frame.drop(columns=["n", "place"]).astype(str)
    if table.layout == "winners":
        rows[["a", "b"]] = np.sort(rows[["a", "b"]].to_numpy(str), axis=1)
    by = [role for role in rows if role not in answer]
    if wanted:
        order = _order(table, time, len(rows))
        latest = rows.iloc[order].drop_duplicates(by, keep="last").index
        return table.take(frame["place"].loc[np.sort(latest)])
    different = rows.drop_duplicates()
    changed = different[different.duplicated(by, keep=False)]
    number = int(rows.merge(changed[by].drop_duplicates(), on=by).shape[0])
    if not number:
        return table
    fault = (
        f"{number} of {len(rows)} rows are different answers of one judge to one item"
    )
    way = revisions(times[-1] if times else "last")
    step = joined("; to count the last one alone, add ", way)
    if number <= ASKED_FROM * len(rows):
        line = joined(f"{fault}, and all count", step)
        return replace(table, warnings=[*table.warnings, line])
    raise table.origin.refuse(fault, step, "; to count all, ", revisions("all"))


def _order(table: Table, name: str | None, size: int) -> np.ndarray:
    """Return the rows in the order of a column of times; of the file if none is named.

    Raises
    ------
    DataError
        The column is missing, or holds something else.
    """
    if name is None:
        return np.arange(size)
    if name not in table.header:
        raise table.refuse_header(f"column {shown(name)} is missing{did_you_mean(name, table.header)}")
    texts = table.select({"other": name})["other"].astype(object)
    times = pd.to_numeric(texts, errors="coerce")
    if times.isna().any():
        times = pd.to_datetime(texts, format="ISO8601", utc=True, errors="coerce")
    if times.isna().any():
        row = int(times.isna().argmax())
        raise table.origin.refuse(
            f"{shown(name)} is {shown(texts[row])}; expected a number, or a time such as"
            " 2026-05-31 12:00",
            row=row,
        )
    return times.argsort(kind="stable").to_numpy()
