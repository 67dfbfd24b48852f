"""From a table to judgements of one task: comparisons, rankings and assessments, however laid out.

Every reader gives the attributes of `read.Judgements` that depend on the layout.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from wmtlib import assessments, remarks
from wmtlib import counts as counting
from wmtlib.counts import FIRST, RANKINGS, SECOND, TIE, UNRANKED
from wmtlib.errors import DataError, Message, Origin, first_row, joined, listed, shown
from wmtlib.yours.options import SCALE, SKIP_BAD, column
from wmtlib.yours.reading import exports, layouts, outcomes, wmt_format
from wmtlib.yours.reading.columns import (
    OF_COMPARISONS,
    TASK,
    UNITS,
    Options,
    SeveralTasks,
    called,
    key,
)
from wmtlib.yours.reading.outcomes import SKIPPED
from wmtlib.yours.reading.tables import Table, as_text
from wmtlib.yours.reading.wmt_format import is_rank

MATRIX = "matrix"  # the layout that has no names of columns but those of systems
BOTH_WAYS = (
    "every pair of systems stands in both directions with the same numbers, which count twice; if"
    " they are the same comparisons, keep one row for each pair"
)
NO_WORKERS = joined(
    "no column names the workers: raw scores are ranked, as if one worker gave them all; if there"
    " is one, add ",
    column("worker", "NAME"),
)
ABOUT_MATRIX = "a square matrix: wins of the row's system over the column's"
LONGEST_NAME = 500  # characters of the name of a system or a task
MOST_SYSTEMS = 5000
FEW = 12  # different comparisons; of fewer nothing is said if all stand equally often
TIES_LAST = (FIRST, SECOND, TIE)  # the order of rows of equal pairs
WINS = {"wins_a": FIRST, "wins_b": SECOND, "ties": TIE}
WEAK_COUNTS = ("n", "votes")  # these may also be running numbers, or ids
TOTALS = ("total", "totals", "sum", "all", "overall")
RANKS = ("rank", "rank_a", "rank_b")
TRUTH = {"true": True, "false": False, "1": True, "0": False}
# Whether a row of winner and loser is a tie.
TIED = {**TRUTH, "": False, "yes": True, "no": False, "win": False}
# What an assessment holds that does not say it.
USUAL = dict(
    worker="-", hit="", document="", item="SYSTEM", accepted="1", language_pair="-"
)
WHOLE = re.compile(
    r"\s*[0-9]{1,12}(\.0*)?\s*"
)  # how a number of comparisons may be written


# --- cells ----------------------------------------------------------------------------


def _is_name(word: str) -> bool:
    return word == word.strip() and 0 < len(word) <= LONGEST_NAME and word.isprintable()


SKIP = joined("to leave such rows out, add ", SKIP_BAD)
LEAVE_OUT = "; to leave the column out, add "
NAME = f"a name (at most {LONGEST_NAME} visible characters, no blanks around it)"
ALLOWED = {  # what a cell may hold, by role; the others hold anything but blanks
    **dict.fromkeys(("a", "b", "system", "task"), (_is_name, NAME)),
    **dict.fromkeys(
        RANKS, (is_rank, f"a whole number from 1, or {UNRANKED} for no rank")
    ),
    **dict.fromkeys(
        ("count", "wins", *WINS), (WHOLE.fullmatch, "a whole number from 0")
    ),
    # These are looked at elsewhere.
    **dict.fromkeys(("outcome", "score", "judge_group"), (lambda word: True, "")),
    "is_tie": (
        lambda word: word.casefold() in TIED or outcomes.is_tie(word),
        "true, false, tie",
    ),
    "accepted": (lambda word: word.casefold() in TRUTH, "true, false, 1 or 0"),
}


def _selected(
    table: Table, used: Mapping[str, str], options: Options, **how: Any
) -> tuple[pd.DataFrame, list[str]]:
    """The columns by role, without bad rows if the user says so, and a line on how many."""
    frame = table.select(used, **how)
    if not options.skip_bad:
        return frame, []
    sides = [role for role in ("a", "b", "system") if role in frame]
    names = frame[sides].astype(object)
    bad = ~names.map(_is_name).all(axis=1)
    bad |= names.nunique(axis=1) < len(sides)
    for role in {"outcome", "score"}.intersection(frame):
        bad |= (frame[role].str.strip() == "") & ("" not in options.outcomes)
    left_out, rows = int(frame.loc[bad, "n"].sum()), int(frame["n"].sum())
    frame = frame[~bad].reset_index(drop=True)
    for role in used.keys() & {*frame}:
        frame[role] = frame[role].cat.remove_unused_categories()
    line = joined(f"{left_out} of {rows} rows are bad and left out (", SKIP_BAD, ")")
    return frame, [line] if left_out else []


def _check_cells(
    frame: pd.DataFrame, roles: Sequence[str], used: Mapping[str, str], origin: Origin
) -> None:
    """Refuse the first cell that its role does not allow, too many names, and a system twice."""
    for role in roles:
        allowed, expected = ALLOWED.get(role, (str.strip, "a name"))
        names = frame[role].cat.categories
        if expected == NAME and len(names) > MOST_SYSTEMS:
            message = f"column {shown(used.get(role, role))} holds {len(names)} names"
            message += f"; expected at most {MOST_SYSTEMS}"
            if role == "task":
                message = joined(message, LEAVE_OUT, column(role, None))
            raise origin.refuse(None, message)
        odd = np.array([not allowed(word) for word in names], dtype=bool)
        if (row := first_row(odd[frame[role].cat.codes])) is not None:
            value, place = frame[[role, "place"]].iloc[row]
            message = f"{called(role, used)} is {shown(value)}; expected {expected}"
            if role in ("count", "is_tie") or (role in OF_COMPARISONS and "a" in frame):
                message = joined(message, LEAVE_OUT, column(role, None))
            if expected == NAME and role != "task":
                message = joined(message, "; ", SKIP)
            raise origin.refuse(place, message)
    if {"a", "b"} <= {*roles}:
        names = frame["b"].cat
        same = frame["a"].cat.set_categories(names.categories).cat.codes == names.codes
        if (row := first_row(same)) is not None:
            name, place = frame[["a", "place"]].iloc[row]
            message = (
                f"system {shown(name)} is compared with itself; expected two systems; "
            )
            raise origin.refuse(place, joined(message, SKIP))


def _numbers(values: pd.Series) -> np.ndarray:
    """Categories of whole numbers as integers."""
    numbers = [int(float(word)) for word in values.cat.categories]
    return np.array(numbers, dtype=np.int64)[values.cat.codes]


def _of_task(
    frame: pd.DataFrame, task: str | None, origin: Origin
) -> tuple[str, pd.DataFrame]:
    """The task that is meant, and its rows.

    Raises
    ------
    SeveralTasks
        None is chosen.
    DataError
        There are no rows, or not the task that is chosen.
    """
    if frame.empty:
        raise origin.refuse(None, "holds a header but no judgements")
    tasks = sorted(frame["task"].unique()) if "task" in frame else [""]
    if task is None and len(tasks) > 1:
        message = joined(
            f"holds {len(tasks)} tasks: {listed(tasks, 20)}; choose one by ",
            Message("task", "--task, or each by --task all"),
            " (",
            column("task", None),
            " takes them together)",
        )
        several = SeveralTasks(*origin.refuse(None, message).args)
        several.tasks = tasks
        raise several
    if task is not None and task not in tasks:
        known = f"it holds {listed(tasks, 20)}" if any(tasks) else "it names no task"
        raise origin.refuse(None, f"no task {shown(task)}; {known}")
    task = tasks[0] if task is None else task
    return task, frame[frame["task"] == task] if "task" in frame else frame


def of_comparisons(
    comparisons: pd.DataFrame, people: Mapping[str, str]
) -> dict[str, Any]:
    """What comparisons that were counted say by themselves."""
    return {
        "systems": tuple(comparisons["system_1"].cat.categories),
        "units": tuple(unit for unit in OF_COMPARISONS if unit in comparisons),
        "comparisons": comparisons,
        "people": people,
    }


# --- comparisons ----------------------------------------------------------------------


def is_matrix(table: Table) -> bool:
    """Whether the first column holds the names of the other columns, in any order."""
    if len(others := table.header[1:]) < 2:
        return False
    try:
        names = table.select({"a": table.header[0]}, limit=len(others) + 1)["a"]
    except DataError:
        return False
    return sorted(names) == sorted(others)


def read_comparisons(
    table: Table,
    layout: str,
    used: Mapping[str, str],
    options: Options,
    task: str | None,
) -> dict[str, Any]:
    """Check and count the comparisons of one task.

    `layout` is a key of `columns.LAYOUTS`, or `MATRIX`.
    """
    units = [unit for unit in OF_COMPARISONS if unit in used]
    if layout == "winners":
        used = {
            {"winner": "a", "loser": "b"}.get(role, role): name
            for role, name in used.items()
        }
    frame, warnings = _laid_out(table, layout, used, options)
    _check_cells(
        frame, ["a", "b", *{"task"}.intersection(frame), *units], used, table.origin
    )
    reading = ABOUT_MATRIX if layout == MATRIX else ""
    if layout == "outcomes":
        chosen = options.outcomes
        is_own = (used["a"], used["outcome"]) == (
            "system_1",
            "preference",
        )  # a comparisons frame
        if is_own and "0" in frame["outcome"].cat.categories:
            chosen = {"0": "tie", **chosen}
        understood = outcomes.preferences_of(frame, chosen, used, table.origin)
        frame["preference"], doubts, reading = understood
        warnings += doubts
    frame, joined = _split(frame)
    task, frame = _of_task(frame, task, table.origin)
    keys = [
        "a",
        "b",
        "preference",
        *(["outcome"] if layout == "outcomes" else []),
        *units,
    ]
    # A row has become several.
    once = frame.drop_duplicates("place") if layout in ("wins", MATRIX) else frame
    rows = int(once["n"].sum())
    frame = once = frame[[*keys, "n", "weight"]]  # of ten million rows, maybe
    cells = layouts.summed(frame, keys, ["n", "weight"])
    del frame, once
    warnings += joined + (
        _repeats(cells["n"], units) if layout not in ("wins", MATRIX) else []
    )
    kept = (cells["weight"] > 0) & (cells["preference"] != SKIPPED)
    cells = cells if kept.all() else cells[kept]
    if cells.empty:
        raise table.origin.refuse(
            None, "holds no comparisons: all are skipped or count 0 times"
        )
    cells = cells.drop(columns="n")
    cells = cells.rename(columns={"a": "system_1", "b": "system_2", "weight": "count"})
    if "judge_group" in units and (cells["judge_group"] == "").any():
        cells, line = _deal_unknown(cells, units)
        units, warnings = [unit for unit in units if unit in cells], [*warnings, line]
    comparisons, people = _with_pseudonyms(count_comparisons(cells, units))
    people = {} if layout == "ranked pairs" else people  # those are WMT's own files
    about = {"kind": "pairwise", "rows": rows, "task": task, "reading": reading}
    return about | {"warnings": warnings} | of_comparisons(comparisons, people)


def _with_pseudonyms(comparisons: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """Judges by numbers, in the order of their names; and who they are."""
    if "judge" not in comparisons:
        return comparisons, {}
    known = comparisons["judge"].cat.categories
    judges = [f"judge_{k:03d}" for k in range(1, len(known) + 1)]
    numbered = comparisons["judge"].cat.rename_categories(judges)
    return comparisons.assign(judge=numbered), dict(zip(judges, known, strict=True))


def _deal_unknown(
    cells: pd.DataFrame, units: Sequence[str]
) -> tuple[pd.DataFrame, str]:
    """Deal comparisons without a judge to the groups of judges at random; says how many there are.

    Each counts as that of one more judge, who could be in any group: where people came
    once, the standard errors are those by comparison. Left together, as a group of
    their own, they would count as one judge: a sample would hold all of them, several
    times over, or none.
    """
    group = cells["judge_group"].astype(object)
    groups, unknown = (
        np.array(sorted({*group} - {""}), dtype=object),
        cells[group == ""],
    )
    line = (
        f"{unknown['count'].sum()} of {cells['count'].sum()} comparisons have no judge"
    )
    if not len(groups):
        return cells.drop(
            columns="judge_group"
        ), f"{line}: there are no groups of judges"
    keys = ["system_1", "system_2", "preference", *units]
    # In the order of names, so that no order of rows decides.
    unknown = (
        unknown.astype(dict.fromkeys(keys, object))
        .groupby(keys)["count"]
        .sum()
        .reset_index()
    )
    times = np.random.default_rng(0).multinomial(
        unknown["count"], [1 / len(groups)] * len(groups)
    )
    row, number = np.nonzero(times)
    dealt = unknown.iloc[row].assign(
        judge_group=groups[number], count=times[row, number]
    )
    line += " and are dealt to groups at random; if few people gave them, intervals are too narrow"
    return pd.concat([cells[group != ""], dealt]), line


def _laid_out(
    table: Table, layout: str, used: Mapping[str, str], options: Options
) -> tuple[pd.DataFrame, list[str]]:
    """Systems a and b, units, and weight: how many comparisons a row stands for; warnings.

    The preference, too, unless a column of outcomes says it.
    """
    if layout == MATRIX:
        return _matrix(table), []
    frame, warnings = _selected(table, used, options, grouped=True)
    numbers = [role for role in ("count", "is_tie", *WINS, *RANKS) if role in frame]
    _check_cells(frame, numbers, used, table.origin)
    values = {role: _numbers(frame[role]) for role in numbers if role != "is_tie"}
    frame["weight"] = frame["n"] * values.get("count", 1)
    if key(used.get("count", "")) in WEAK_COUNTS and "count" not in options.columns:
        same = frame[
            [role for role in used if role in frame and role != "count"]
        ].duplicated()
        if len(frame) > 2 and ({*np.diff(values["count"])} == {1} or same.mean() > 0.5):
            message = (
                f"column {shown(used['count'])} looks like a running number, or an id"
            )
            step = joined(
                "; to count by it, add ",
                column("count", used["count"]),
                "; if not, ",
                column("count", None),
            )
            raise table.origin.refuse(None, joined(message, step))
    if layout == "wins":
        weights = {WINS[role]: frame["n"] * values[role] for role in numbers}
        rows = {
            *zip(
                frame["a"], frame["b"], values["wins_a"], values["wins_b"], strict=True
            )
        }
        if rows == {(b, a, wins_b, wins_a) for a, b, wins_a, wins_b in rows}:
            warnings.append(BOTH_WAYS)
        parts = [
            frame.assign(preference=k, weight=weight) for k, weight in weights.items()
        ]
        return pd.concat(parts, ignore_index=True), warnings
    if layout == "winners":
        frame["preference"] = FIRST
        if "is_tie" in frame:
            words = frame["is_tie"].astype(object)
            tied = words.map(
                lambda word: outcomes.is_tie(word) or TIED[word.casefold()]
            )
            frame["preference"] = np.where(tied, TIE, FIRST)
    elif layout == "ranked pairs":
        first, second = values["rank_a"], values["rank_b"]
        better = [
            (first == UNRANKED) | (second == UNRANKED),
            first < second,
            first > second,
        ]
        frame["preference"] = np.select(better, [SKIPPED, FIRST, SECOND], TIE)
    return frame, warnings


def _split(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """A row for each part of a joint name (`A+B`, the same output) whose parts stand alone too."""
    sides = [role for role in ("a", "b", "system") if role in frame]
    names = {name for side in sides for name in frame[side].cat.categories}
    joint = {n for n in names if "+" in n and names.issuperset(n.split("+"))}
    if not joint:
        return frame, []
    for side in sides:
        parts = (
            frame[side]
            .astype(object)
            .map(lambda n: n.split("+") if n in joint else [n])
        )
        frame = frame.assign(**{side: parts}).explode(side)
        frame[side] = as_text(frame[side])
    if len(sides) == 2:  # a system is not compared with itself
        frame = frame[frame["a"].astype(object) != frame["b"].astype(object)]
    frame = frame.assign(
        n=frame["n"] * ~frame.index.duplicated()
    )  # a row of the file is one still
    line = f"{len(joint)} of {len(names)} names join others, as {shown(min(joint))} does; they are"
    line += " taken for identical outputs: a judgement counts for each of them"
    return frame.reset_index(drop=True), [line]


def _matrix(table: Table) -> pd.DataFrame:
    """The cells beside the diagonal; an empty one is a nought."""
    first, *others = table.header
    wins = table.select({f"wins over {name}": name for name in others} | {"a": first})
    frame = wins.melt(["a", "n", "place"], var_name="b", value_name="wins")
    frame["b"] = frame["b"].str.removeprefix("wins over ")
    frame = frame[frame["a"].astype(object) != frame["b"]].sort_values(
        "place", kind="stable"
    )
    wins = as_text(frame["wins"].where(frame["wins"].str.strip() != "", "0"))
    frame = frame.assign(a=as_text(frame["a"]), b=as_text(frame["b"]), wins=wins)
    _check_cells(frame, ["wins"], {}, table.origin)
    frame["weight"] = _numbers(frame["wins"])
    cells = frame.pivot(index="a", columns="b", values="weight").fillna(0)
    for name in {name for name in others if name.casefold() in TOTALS}:
        if cells.drop(index=name).sum().drop(name).equals(cells.loc[name].drop(name)):
            message = f"row and column {shown(name)} are the sums of the others"
            raise table.origin.refuse(
                None, f"{message}; expected systems: leave it out"
            )
    return frame.assign(preference=FIRST)


def _repeats(numbers: pd.Series, units: Sequence[str]) -> list[str]:
    """Warn of a file that holds everything several times, or judgements several times.

    `numbers` says how often each different row of the file stands there.
    """
    times = int(np.gcd.reduce(numbers))
    if times > 1 and len(numbers) >= FEW:
        fault = f"every row stands {times} times, or a multiple of {times}; each counts"
        return [f"{fault}; if the file was put together from copies, remove them"]
    rows, same = int(numbers.sum()), "judge, segment, systems and outcome"
    more = rows - len(numbers) if {"judge", "segment"} <= {*units} else 0
    return remarks.of_repeats(more, rows, "comparisons", same)


def count_comparisons(
    frame: pd.DataFrame, units: Sequence[str], systems: Sequence[str] = ()
) -> pd.DataFrame:
    """A comparisons frame of categories, counted by pair and units.

    Names are sorted, so that no order of rows matters: the systems that are given, or
    that occur.
    """
    sides = ("system_1", "system_2")
    systems = systems or sorted(
        {name for side in sides for name in frame[side].unique()}
    )
    columns = {
        side: frame[side].astype("category").cat.set_categories(systems)
        for side in sides
    }
    columns |= {
        u: assessments.sorted_categories(frame[u].astype("category").cat) for u in units
    }
    return counted_by(frame.assign(**columns), units)


def counted_by(comparisons: pd.DataFrame, units: Sequence[str]) -> pd.DataFrame:
    """A comparisons frame counted by pair, preference and units; sorted as `Judgements` say."""
    keys = ["system_1", "system_2", "preference", *units]
    preference = pd.Categorical(comparisons["preference"], categories=TIES_LAST)
    counted = {"count": np.int8(1), **comparisons[keys], "preference": preference}
    counted |= {name: comparisons[name] for name in {"count"}.intersection(comparisons)}
    sums = layouts.summed(pd.DataFrame(counted, copy=False), keys, ["count"])
    return sums[[*keys, "count"]].astype({"preference": np.int8, "count": np.int64})


# --- rankings -------------------------------------------------------------------------


def read_rankings(
    table: Table,
    layout: str,
    used: Mapping[str, str],
    options: Options,
    task: str | None,
) -> dict[str, Any]:
    """The comparisons that the rankings of one task imply."""
    frame, warnings = _selected(table, used, options)
    frame, joined = _split(frame)
    origin = table.origin.take(frame["place"])
    if is_wmt := "srclang" in used:  # a row is a ranking
        rankings, people = wmt_format.tidy_rankings(frame, origin), {}
        frame["task"] = (
            frame["srclang"].astype(object) + "," + frame["trglang"].astype(object)
        )
    else:
        rankings, people = _from_long(frame, used, origin)
    task, frame = _of_task(frame, task, origin)
    if is_wmt:
        same = "judge, segment, systems and ranks"
        repeats = int(frame[[*used]].duplicated().sum())
        warnings += remarks.of_repeats(repeats, len(frame), "rankings", same)
    rankings = rankings[(rankings["task"] == task).to_numpy()]
    if not rankings.loc[rankings["rank"] != UNRANKED, "ranking"].duplicated().any():
        raise origin.refuse(None, "holds no ranking of two systems; expected some")
    units = [unit for unit in UNITS["rankings"] if is_wmt or unit in used]
    systems = sorted(rankings["system"].unique())
    comparisons = count_comparisons(counting.comparisons(rankings), units, systems)
    people = {} if table.form == exports.XML else people  # WMT's own files
    about = {"kind": "rankings", "rows": int(frame["n"].sum()), "task": task}
    return about | {"warnings": warnings + joined} | of_comparisons(comparisons, people)


def _from_long(
    frame: pd.DataFrame, used: Mapping[str, str], origin: Origin
) -> tuple[pd.DataFrame, dict[str, str]]:
    """From one row for each ranked output, in any order, to `RANKINGS`; who the judges are."""
    roles = [role for role in used if role in frame]
    _check_cells(frame.assign(place=range(len(frame))), roles, used, origin)
    number = frame["ranking"].cat.codes.to_numpy()  # in order of appearance
    first = np.unique(number, return_index=True)[1]  # the first row of each ranking
    for name in {"judge", "segment", "task"}.intersection(roles):
        code = frame[name].cat.codes.to_numpy()
        if (row := first_row(code != code[first][number])) is not None:
            message = f"ranking {shown(frame['ranking'].iloc[row])} has a second {name}"
            raise origin.refuse(
                row, f"{message}; expected one, or other names for the rankings"
            )
    if (row := first_row(frame[["ranking", "system"]].duplicated())) is not None:
        message = (
            f"system {shown(frame['system'].iloc[row])} stands twice in one ranking"
        )
        raise origin.refuse(row, f"{message}; expected different systems")
    frame = frame.assign(ranking=number, rank=_numbers(frame["rank"]))
    frame = frame.reindex(columns=RANKINGS, fill_value="").sort_values(
        "ranking", kind="stable"
    )
    judge = wmt_format.pseudonyms(frame["judge"])
    people = dict(zip(judge, frame["judge"], strict=True)) if "judge" in used else {}
    return frame.assign(judge=judge), people


# --- assessments ----------------------------------------------------------------------


def read_assessments(
    table: Table,
    layout: str,
    used: Mapping[str, str],
    options: Options,
    task: str | None,
) -> dict[str, Any]:
    """The assessments of one task."""
    whole = {exports.WHOLE: exports.WHOLE} if table.form == exports.APPRAISE else {}
    frame, skipped = _selected(table, {**used, **whole}, options)
    reading = ""
    if table.form == exports.APPRAISE:
        frame, reading = exports.of_systems(frame, table.origin)
    roles = [role for role in used if role in frame]
    _check_cells(frame, roles, used, table.origin)
    task, frame = _of_task(frame, task, table.origin)
    frame = frame.reset_index(drop=True)
    origin = table.origin.take(frame["place"])
    is_release = table.form == exports.RELEASE
    if not is_release:
        _check_parts(frame["system"], origin)
    if options.scale is None:
        _check_usual_scale(frame["score"].astype(object), origin, is_release=is_release)
    low, high = scale = options.scale or assessments.USUAL_SCALE
    complete = frame.assign(
        **{role: x for role, x in USUAL.items() if role not in frame}
    )
    complete["accepted"] = complete["accepted"].str.casefold().map(TRUTH).astype(bool)
    complete["score"] = complete["score"].astype(object)
    unrated = "keep" if is_release else "refuse"
    tidy = assessments.tidy_assessments(
        complete, origin, scale=scale, only_quality_control=unrated
    )
    tidy["hit"] = tidy["hit"].cat.rename_categories(
        {exports.UNKNOWN: ""} if is_release else {}
    )
    tidy["language_pair"] = tidy["language_pair"].cat.rename_categories([task])
    same = ", ".join(role for role in used if role not in (*TASK, "accepted"))
    repeats = int(frame[roles].duplicated().sum())
    warnings = skipped + remarks.of_repeats(repeats, len(frame), "assessments", same)
    lowest, highest = tidy["score"].min(), tidy["score"].max()
    reading += (
        f"; scores run from {lowest:g} to {highest:g} on a scale of {low:g} to {high:g}"
    )
    is_public = table.form in (exports.APPRAISE, exports.RELEASE)
    if "worker" not in used:
        tidy["worker"] = tidy["worker"].cat.rename_categories([""])
        warnings.append(NO_WORKERS)
        is_public = True
    people = (
        {} if is_public else dict(zip(tidy["worker"], frame["worker"], strict=True))
    )
    about = {"scale": scale, "reading": reading, "warnings": warnings, "people": people}
    return about | of_assessments(tidy, task)


def of_assessments(frame: pd.DataFrame, task: str) -> dict[str, Any]:
    """What tidy assessments say by themselves."""
    return {
        "kind": "assessments",
        "rows": len(frame),
        "systems": tuple(assessments.system_names(frame["system"].cat.categories)),
        "units": tuple(
            unit for unit in UNITS["assessments"] if (frame[unit] != "").all()
        ),
        "task": task,
        "assessments": frame,
    }


def _check_usual_scale(scores: pd.Series, origin: Origin, *, is_release: bool) -> None:
    """Refuse the first score that is not on the usual scale, if all scores are numbers."""
    numbers = pd.to_numeric(scores, errors="coerce").to_numpy(np.float64)
    low, high = assessments.USUAL_SCALE
    if is_release and (numbers < low).any():
        message = (
            f"holds z-scores; expected scores from {low} to {high}, or the name of the"
        )
        raise origin.refuse(
            None, f"{message} campaign instead of the file, as in wmt22:de-en"
        )
    row = first_row((numbers < low) | (numbers > high))
    if row is not None and np.isfinite(numbers).all():
        message = joined(
            f"score is {shown(scores.iloc[row])}; expected a number from {low} to {high}, or ",
            SCALE,
            f" (scores run from {numbers.min():g} to {numbers.max():g})",
        )
        raise origin.refuse(row, message)


def _check_parts(system: pd.Series, origin: Origin) -> None:
    """Refuse a joint name of which a part is not a system of the file.

    `A+B` stands for identical outputs of A and B; a system called `base+tuned` would be
    taken for two.
    """
    names = set(system)
    for row, name in enumerate(system):
        if odd := [
            part for part in assessments.single_systems(name) if part not in names
        ]:
            message = f"system {shown(name)} joins {shown(odd[0])}, which is not a system of the"
            raise origin.refuse(
                row, f"{message} file; expected no '+' in the name of one system"
            )


def summed(
    frame: pd.DataFrame, keys: Sequence[str], sums: Sequence[str]
) -> pd.DataFrame:
    """One row for all that agree in some columns, with the sums of others; sorted.

    What grouping by categories, or by small whole numbers, gives in a fifth of its
    memory.
    """
    code: Any = np.zeros(len(frame), dtype=np.uint32)
    most = 1
    for name in keys:
        codes = frame[name].cat.codes if hasattr(frame[name], "cat") else frame[name]
        codes = codes.to_numpy() - codes.min()
        number = int(codes.max(initial=0)) + 1
        if most * number > 2**63:  # only what occurs gets a number
            code, most = np.unique(code, return_inverse=True)[1], len(frame)
        most *= number
        code = code.astype(np.uint32 if most < 2**32 else np.uint64, copy=False)
        code *= code.dtype.type(number)
        code += codes.astype(code.dtype)
    order = np.argsort(code, kind="stable")
    code = code[order]
    values = {name: frame[name].to_numpy()[order] for name in sums}
    begins = np.append(True, code[1:] != code[:-1])[: len(code)]
    del code  # as long as the file
    order = order[begins]
    begins, totals = np.flatnonzero(begins), {}
    for name in sums:
        kind = np.int32 if values[name].sum() < 2**31 else np.int64
        totals[name] = np.add.reduceat(values.pop(name), begins, dtype=kind)
    del begins
    columns = {name: frame[name].array[order] for name in keys}
    return pd.DataFrame(columns | totals, copy=False)
