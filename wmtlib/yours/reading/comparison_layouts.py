"""Comparisons of two systems, however they are laid out: checked and counted."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from wmtlib.counts import FIRST, SECOND, TIE, UNRANKED
from wmtlib.errors import DataError, first_row, listed, shown
from wmtlib.remarks import of_repeats
from wmtlib.yours.reading import outcomes
from wmtlib.yours.reading.cells import (
    check_cells,
    means_tie,
    of_task,
    select_rows,
    split_joint_names,
    whole_numbers,
)
from wmtlib.yours.reading.columns import OF_COMPARISONS, Options
from wmtlib.yours.reading.grouping import count_comparisons, summed
from wmtlib.yours.reading.judgements import Judgements, of_comparisons
from wmtlib.yours.reading.outcomes import SKIPPED
from wmtlib.yours.reading.tables import Table, as_text
from wmtlib.yours.reading.wmt_format import pseudonyms

MATRIX = "matrix"  # the layout that has no names of columns but those of systems
BOTH_WAYS = (
    "pairs of systems stand in both directions with the same numbers, which count"
    " twice; if they are the same comparisons, keep one row for each pair"
)
FEW = 12  # different comparisons; of fewer nothing is said if all stand equally often
WINS = {"wins_a": FIRST, "wins_b": SECOND, "ties": TIE}
SCORES = ("score_a", "score_b")
NUMBERS = ("count", *WINS, "rank_a", "rank_b")
TOTALS = ("total", "totals", "sum", "all", "overall", "average", "mean")


def is_matrix(table: Table) -> bool:
    """Whether the first column holds the names of the other columns, in any order."""
    others = table.header[1:]
    if len(others) < 2:
        return False
    try:
        names = table.select({"a": table.header[0]}, limit=len(others) + 1)["a"]
    except DataError:
        return False
    return sorted(names) == sorted(others)


def read_comparisons(table: Table, options: Options, task: str | None) -> Judgements:
    """Check and count the comparisons of one task."""
    if table.layout == "winners":
        systems = {"winner": "a", "loser": "b"}
        used = {systems.get(role, role): name for role, name in table.used.items()}
        table = replace(table, used=used)
    units = [unit for unit in OF_COMPARISONS if unit in table.used]
    frame, warnings = _laid_out(table, options)
    check_cells(table, frame, ["a", "b", "task", *units])
    keys = ["a", "b", "preference", *units]
    reading = ""
    if table.layout == MATRIX:
        reading = "a square matrix: wins of the row's system over the column's"
    elif table.layout == "outcomes":
        chosen = _meanings(table, frame, options)
        frame["preference"], doubts, reading = outcomes.preferences_of(
            frame, chosen, table
        )
        warnings += doubts
        keys.insert(3, "outcome")
    frame, joint_names = split_joint_names(frame)
    task, frame = of_task(frame, task, table.origin)
    has_numbers = table.layout in ("wins", MATRIX)  # a row of the file is several here
    rows = int((frame.drop_duplicates("place") if has_numbers else frame)["n"].sum())
    frame = frame[[*keys, "n", "weight"]]  # of ten million rows, maybe
    cells = summed(frame, keys, ["n", "weight"])
    del frame
    warnings += joint_names
    if not has_numbers:
        warnings += _repeats(cells["n"], units)
    counted = (cells["weight"] > 0) & (cells["preference"] != SKIPPED)
    if not counted.any():
        raise table.origin.refuse(
            "holds no comparisons: all are skipped or count 0 times"
        )
    cells = cells if counted.all() else cells[counted]
    names = {"a": "system_1", "b": "system_2", "weight": "count"}
    cells = cells.drop(columns="n").rename(columns=names)
    if "judge_group" in units and (cells["judge_group"] == "").any():
        cells, line = _deal_unknown(cells, units)
        units = [unit for unit in units if unit in cells]
        warnings.append(line)
    comparisons = count_comparisons(cells, units)
    people = {}
    if "judge" in units:
        judges = comparisons["judge"].cat
        hidden = [*pseudonyms(judges.categories)]
        comparisons = comparisons.assign(judge=judges.rename_categories(hidden))
        if table.layout != "ranked pairs":  # those are WMT's own files
            people = dict(zip(hidden, judges.categories, strict=True))
    return of_comparisons(
        comparisons,
        path=table.path,
        sha256=table.sha256,
        kind="pairwise",
        rows=rows,
        task=task,
        people=people,
        reading=reading,
        warnings=tuple(warnings),
    )


def _meanings(table: Table, frame: pd.DataFrame, options: Options) -> Mapping[str, str]:
    """What the user says of outcomes; of a comparisons frame, 0 is a tie."""
    names = (table.used["a"], table.used["outcome"])
    is_comparisons = names == ("system_1", "preference")
    if is_comparisons and "0" in frame["outcome"].cat.categories:
        return {"0": "tie", **options.outcomes}
    return options.outcomes


# --- layouts --------------------------------------------------------------------------


def _laid_out(table: Table, options: Options) -> tuple[pd.DataFrame, list[str]]:
    """Systems a and b, units, weight (how many comparisons a row stands for); warnings.

    The preference, too, unless a column of outcomes says it.
    """
    if table.layout == MATRIX:
        return _of_matrix(table), []
    frame, warnings = select_rows(table, table.used, options, grouped=True)
    check_cells(table, frame, [*NUMBERS, "is_tie", "tied"])
    numbers = {role: whole_numbers(frame[role]) for role in NUMBERS if role in frame}
    frame["weight"] = frame["n"] * numbers.get("count", 1)
    if table.layout == "wins":
        rows = [*zip(frame["a"], frame["b"], strict=True)]
        wins = zip(numbers["wins_a"], numbers["wins_b"], strict=True)
        of_pair = dict(zip(rows, wins, strict=True))
        both = [pair for pair in of_pair if pair[::-1] in of_pair]
        mirrored = [of_pair[pair] == of_pair[pair[::-1]][::-1] for pair in both]
        if both and all(mirrored) and len(of_pair) == len(rows):
            warnings.append(f"{len(both) // 2} {BOTH_WAYS}")
        parts = [
            frame.assign(preference=WINS[role], weight=frame["n"] * number)
            for role, number in numbers.items()
        ]
        frame = pd.concat(parts, ignore_index=True)
    elif table.layout == "winners":
        frame["preference"] = FIRST
        if "is_tie" in frame:
            frame["preference"] = np.where(_says_tie(frame["is_tie"]), TIE, FIRST)
    elif table.layout == "outcomes" and "tied" in frame:
        outcome = frame["outcome"].astype(object)
        frame["outcome"] = as_text(outcome.mask(_says_tie(frame["tied"]), "tie"))
    elif table.layout == "scored pairs":
        scores = [
            pd.to_numeric(frame[role].astype(object), "coerce") for role in SCORES
        ]
        row = first_row((scores[0] - scores[1]).isna())
        if row is not None:
            values = listed(frame.iloc[row][[*SCORES]])
            fault = f"scores are {values}; expected two numbers"
            raise table.origin.refuse(fault, row=frame["place"].iloc[row])
        ahead = np.sign(scores[0] - scores[1])
        frame["preference"] = np.select([ahead > 0, ahead < 0], [FIRST, SECOND], TIE)
    elif table.layout == "ranked pairs":
        first = numbers["rank_a"]
        second = numbers["rank_b"]
        is_unranked = (first == UNRANKED) | (second == UNRANKED)
        frame["preference"] = np.select(
            [is_unranked, first < second, first > second], [SKIPPED, FIRST, SECOND], TIE
        )
    return frame, warnings


def _says_tie(values: pd.Series) -> pd.Series:
    """Whether each cell says that two systems tied, (rows,)."""
    return values.astype(object).map(means_tie).astype(bool)


def _of_matrix(table: Table) -> pd.DataFrame:
    """The cells beside the diagonal; an empty one is a nought."""
    first, *others = table.header
    columns = {f"wins over {name}": name for name in others}
    wins = table.select(columns | {"a": first})
    frame = wins.melt(["a", "n", "place"], var_name="b", value_name="wins")
    frame["b"] = frame["b"].str.removeprefix("wins over ")
    frame = frame[frame["a"].astype(object) != frame["b"]]
    frame = frame.sort_values("place", kind="stable")
    number = frame["wins"].where(frame["wins"].str.strip() != "", "0")
    frame = frame.assign(
        a=as_text(frame["a"]), b=as_text(frame["b"]), wins=as_text(number)
    )
    check_cells(table, frame, ["wins"])
    frame["weight"] = whole_numbers(frame["wins"])
    cells = frame.pivot(index="a", columns="b", values="weight")
    _check_systems(cells, table)
    return frame.assign(preference=FIRST)


def _check_systems(cells: pd.DataFrame, table: Table) -> None:
    """Refuse sums and averages among the systems, and shares in place of wins.

    They are told by their values: with two other systems these may be so by chance, and
    the name has to say it too.
    """
    both = (cells + cells.T).stack().dropna()
    if len(cells) > 2 and (both == 100).all():
        fault = "every pair of cells adds up to 100"
        raise table.origin.refuse(f"{fault}, as shares do; expected numbers of wins")
    for name in cells:
        others = cells.drop(index=name, columns=name)
        is_certain = len(others) > 2 and others.stack().nunique() > 1
        if not is_certain and name.casefold() not in TOTALS:
            continue
        row = cells.loc[name].drop(name)
        for what, summary in (("sums", others.sum()), ("means", others.mean().round())):
            if np.array_equal(row, summary):
                fault = f"row and column {shown(name)} are the {what} of the others"
                raise table.origin.refuse(f"{fault}; expected systems: leave it out")


# --- what is counted ------------------------------------------------------------------


def _repeats(numbers: pd.Series, units: Sequence[str]) -> list[str]:
    """Warn of a file that holds everything several times, or judgements several times.

    `numbers` says how often each different row of the file stands there.
    """
    times = int(np.gcd.reduce(numbers))
    if times > 1 and len(numbers) >= FEW:
        fault = f"every row stands {times} times, or a multiple of {times}; each counts"
        return [f"{fault}; if the file was put together from copies, remove them"]
    rows = int(numbers.sum())
    repeats = rows - len(numbers) if {"judge", "segment"} <= {*units} else 0
    same = "judge, segment, systems and outcome"
    return of_repeats(repeats, rows, "comparisons", same)


def _deal_unknown(
    cells: pd.DataFrame, units: Sequence[str]
) -> tuple[pd.DataFrame, str]:
    """Deal comparisons without a judge to the groups of judges at random; how many.

    Each counts as that of one more judge, who could be in any group: where people came
    once, the standard errors are those by comparison. Left together, as a group of
    their own, they would count as one judge: a sample would hold all of them, several
    times over, or none.
    """
    group = cells["judge_group"].astype(object)
    groups = np.array(sorted({*group} - {""}), dtype=object)
    unknown = cells[group == ""]
    n_unknown = unknown["count"].sum()
    line = f"{n_unknown} of {cells['count'].sum()} comparisons have no judge"
    if not len(groups):
        line = f"{line}: there are no groups of judges"
        return cells.drop(columns="judge_group"), line
    # In the order of names, so that no order of rows decides.
    keys = ["system_1", "system_2", "preference", *units]
    unknown = unknown.astype(dict.fromkeys(keys, object))
    unknown = unknown.groupby(keys)["count"].sum().reset_index()
    shares = np.full(len(groups), 1 / len(groups))
    times = np.random.default_rng(0).multinomial(unknown["count"], shares)
    row, number = np.nonzero(times)
    dealt = unknown.iloc[row]
    dealt = dealt.assign(judge_group=groups[number], count=times[row, number])
    line += (
        " and are dealt to groups at random; if few people gave them, intervals are too"
        " narrow"
    )
    return pd.concat([cells[group != ""], dealt]), line
