"""Rankings, a row for each ranked output or for each ranking, as comparisons.

In WMT's ranking format of 2010 to 2016 one row is one ranking of up to five outputs.
Columns system1Id ... system5Id name the outputs in the order of the screen, and
system1rank ... system5rank their ranks.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from wmtlib import counts
from wmtlib.checks import of_repeats
from wmtlib.counts import RANKINGS, UNRANKED
from wmtlib.errors import (
    Origin,
    check_values,
    first_row,
    join_names,
    setting,
    short_repr,
    warning,
    ways,
)
from wmtlib.forms import SCREENS, key
from wmtlib.reading.cells import (
    ALLOWED,
    are_ranks,
    of_task,
    select_rows,
    split_joint_names,
    whole_numbers,
)
from wmtlib.reading.columns import (
    ID_COLUMNS,
    RANK_COLUMNS,
    UNITS,
    WMT,
    WMT_COLUMNS,
    Options,
    columns_by_role,
    plain_columns,
)
from wmtlib.reading.judgements import (
    Judgements,
    count_comparisons,
    of_comparisons,
)
from wmtlib.reading.tables import KNOWN, Table, as_text

EMPTY_SLOT = "blank"  # fills the slots of a ranking of fewer than five outputs
ROWS = "rankings in rows"  # the form of a table that had a ranking in a row
MOST_RANKINGS = 100_000  # rows whose cells are looked at
FEW = 20  # numbers that may look like ranks by chance
SCORES = setting("kind", "assessments")
RANKED = setting("kind", "rankings")


def read_rankings(table: Table, options: Options, task: str | None) -> Judgements:
    """Count the comparisons that the rankings of one task imply."""
    frame, warnings = select_rows(table, options)
    frame, about_names = split_joint_names(frame, options, table.origin)
    origin = table.origin.take(frame["place"])
    reading = ""
    if table.layout == "screens":
        screen = [*frame.columns.drop(["n", "place", "system", "rank"])]
        frame["ranking"] = as_text(frame.groupby(screen, observed=True).ngroup())
        reading = f"; rankings are told apart by {', '.join(screen)}"
    elif table.form == ROWS:
        reading = "; each row of the file is a ranking"
    is_wmt = table.layout == WMT.name  # a row is a ranking
    people = {}
    if is_wmt:
        rankings = tidy_rankings(frame, origin)
        source = frame["srclang"].astype(object)
        frame["task"] = source + "," + frame["trglang"].astype(object)
    else:
        rankings = _tidy_rankings(frame, origin)
        if "judge" in frame:
            judges = frame["judge"][rankings.index]
            people = dict(zip(rankings["judge"], judges, strict=True))
    task, frame = of_task(frame, task, origin)
    same = "judge, segment, systems and ranks"
    repeats = int(frame.drop(columns=["n", "place"]).duplicated().sum())
    warnings += of_repeats(repeats, len(frame), "rankings", same)
    rankings = rankings[(rankings["task"] == task).to_numpy()]
    is_ranked = rankings["rank"] != UNRANKED
    if not rankings.loc[is_ranked, "ranking"].duplicated().any():
        raise origin.refuse("holds no ranking of two systems; expected some")
    comparisons = count_comparisons(
        counts.comparisons(rankings),
        [unit for unit in UNITS["rankings"] if is_wmt or unit in frame],
        sorted(rankings["system"].unique()),
    )
    return of_comparisons(
        comparisons,
        kind="rankings",
        rows=int(frame["n"].sum()),
        task=task,
        people=people,
        reading=reading,
        warnings=(*warnings, *about_names),
    )


def _tidy_rankings(frame: pd.DataFrame, origin: Origin) -> pd.DataFrame:
    """Return `RANKINGS` from a row for each ranked output, in any order."""
    ranking = frame["ranking"].cat.codes.to_numpy()  # in order of appearance
    first_rows = np.unique(ranking, return_index=True)[1]
    for role in frame.columns.drop(["n", "place", "ranking", "system", "rank"]):
        value = frame[role].cat.codes.to_numpy()
        if (row := first_row(value != value[first_rows][ranking])) is not None:
            fault = f"ranking {short_repr(frame['ranking'][row])} has a second {role};"
            step = " expected one, or other names for the rankings"
            raise origin.refuse(fault, step, row=row)
    _refuse_twice(frame, origin)
    frame = frame.assign(ranking=ranking, rank=whole_numbers(frame["rank"]))
    frame = frame.reindex(columns=RANKINGS, fill_value="")
    frame = frame.sort_values("ranking", kind="stable")
    return frame.assign(judge=pseudonyms(frame["judge"]))


# --- a ranking in a row ---------------------------------------------------------------


def row_for_each_output(table: Table, options: Options) -> Table:
    """Return a table of rankings with a row for each output; other tables as they are.

    A row of the file may hold systems and their ranks (system 1, rank 1, ...), systems
    by place (1st, 2nd, ...), or the ranks of the systems that columns are named for.

    Raises
    ------
    DataError
        More than two systems in a row without a rank of each, or numbers that may be
        ranks or scores.
    """
    header = table.header
    is_plain = {*options.columns} <= {*KNOWN["beside_outputs"]}
    is_wmt = not options.columns and {*WMT_COLUMNS} <= {*header}
    is_kept = is_wmt or not is_plain or len({*header}) < len(header)
    if is_kept or options.kind == "assessments":
        return table
    systems = _numbered("system", header)
    slots = systems or _numbered("output", header)
    ranks = _numbered("rank", header)
    least = 2 if options.kind == "rankings" else 3
    has_ranks = slots.keys() == ranks.keys() and len(ranks) >= least
    roles = columns_by_role(table, options.columns)
    is_other = not {*roles}.isdisjoint(KNOWN["other_kinds"])
    outputs: list[tuple[Any, Any]] = []  # columns, or what is the same in all rows
    warnings: list[str] = []
    if has_ranks:
        cells = _cells(table)
        outputs = [(cells[slots[slot]], cells[ranks[slot]]) for slot in ranks]
    elif not is_other and 0 < len(table.cells) <= MOST_RANKINGS:
        cells = _cells(table)
        outputs, warnings = _outputs_by_value(table, options, cells, roles)
    if not outputs:
        if "a" in roles and max(len(systems), len(ranks)) > 2:
            fault = (
                f"columns {join_names([*systems.values()], 12)} are systems of a row;"
            )
            steps = [" expected a rank of each; if they hold scores, add ", SCORES]
            raise table.refuse_header(fault, *steps, "; others: docs/recipes.md")
        return table
    used = [part.name for output in outputs for part in output if hasattr(part, "name")]
    others = cells.drop(columns=used).assign(ranking=range(len(cells)))
    parts = [others.assign(system=system, rank=rank) for system, rank in outputs]
    frame = pd.concat(parts).sort_index(kind="stable")
    is_blank = frame[["system", "rank"]].isin(KNOWN["empty_slots"])
    is_empty = is_blank.all(axis=1) if has_ranks else is_blank.any(axis=1)
    frame = frame[~is_empty]
    return table.of(frame, form=ROWS, warnings=(*table.warnings, *warnings))


def _numbered(kind: str, header: Sequence[str]) -> dict[str, str]:
    """Return columns of the outputs of a row by the number or letter of their names."""
    columns = {}
    for name in header:
        short = key(name)
        for word, number in KNOWN["ordinals"].items():
            short = re.sub(word, number, short)
        if slot := re.fullmatch(KNOWN["slots"][kind], short):
            columns[slot[slot.lastindex or 0]] = name
    return columns


def _cells(table: Table) -> pd.DataFrame:
    """Return all cells that are no lists as text, by the places of rows; 1st is 1."""
    columns = {
        name: column.set_index("place")["other"].astype(object)
        for name, column in plain_columns(table, table.header)
    }
    return pd.DataFrame(columns).replace(
        r"^\s*(\d)(st|nd|rd|th)\s*$", r"\1", regex=True
    )


def _outputs_by_value(
    table: Table, options: Options, cells: pd.DataFrame, roles: Mapping[str, list[str]]
) -> tuple[list[tuple[Any, Any]], list[str]]:
    """Return the systems and ranks of a row that cells show, and a warning.

    Columns of names of systems are called for places; columns of ranks for systems.
    """
    numbers = cells.apply(pd.to_numeric, errors="coerce")
    by_place = _numbered("place", table.header)
    places = [*by_place.values()]
    if not {*table.header} <= {*cells}:
        return [], []  # lists are of tools
    if {"1", "2"} <= {*by_place} and numbers[places].isna().all(axis=None):
        return [(cells[name], place) for place, name in by_place.items()], []
    roles = {**roles, "a": [], "b": []}
    no_systems = {*SCREENS, *KNOWN["no_scores"], *map(key, chain(*roles.values()))}
    has_words = (numbers.isna() & ~cells.isin(KNOWN["empty_slots"])).any()
    names = [n for n in cells if key(n) not in no_systems and not has_words[n]]
    is_high = (numbers[names] > len(names)).mean() > 0.5  # of people, or of rows
    names = [name for name in names if not is_high[name]]
    numbers = numbers[names].mask(numbers == UNRANKED)
    by_row = numbers.melt(ignore_index=False).dropna().reset_index(names="row")
    is_said = options.kind == "rankings"
    if is_said:
        is_ranked = by_row["value"].max() <= len(names)
    else:
        is_ranked = are_ranks(by_row["value"], by_row["row"])
    has_scores = (options.scale or options.lower_is_better) is not None
    if len(names) < 2 or has_scores or not is_ranked:
        return [], []
    few = cells.loc[:, has_words & (cells.nunique() <= FEW)]
    texts = [name for name in few if key(name) not in no_systems]
    is_beside = few[texts].nunique(axis=1).min() == len(texts) == len(names)
    if not is_said and (is_beside or {*places} & {*names}):
        fault = (
            f"columns {join_names(names)} may be ranks of others, places, or systems"
        )
        step = "; expected names such as 'rank 1' and 'system 1'"
        raise table.refuse_header(fault, step, ways({"if systems": RANKED}))
    if not is_said and (len(names) < 3 or numbers.size < FEW):
        fault = "numbers are 1, 2, ... in every row"
        kinds = {"if they are ranks": RANKED, "if they are scores": SCORES}
        raise table.origin.refuse(fault, ways(kinds))
    line = (
        f"columns of ranks (1 is best) are taken for systems: {join_names(names, 12)}"
    )
    outputs = [(name, cells[name]) for name in names]
    step = ways({"if they hold scores": SCORES})
    return outputs, [warning("wide_table", line, step)]


# --- WMT's format ---------------------------------------------------------------------


def tidy_rankings(raw: pd.DataFrame, origin: Origin) -> pd.DataFrame:
    """Turn WMT's format, one row per ranking, into one row per ranked output.

    Parameters
    ----------
    raw : DataFrame
        Columns `WMT_COLUMNS`, text or categories of text, others ignored; one row = one
        ranking of up to five outputs.
    origin : Origin
        Named in every refusal.

    Returns
    -------
    DataFrame
        Columns `RANKINGS`: task ("source,target" language), ranking (row number in the
        file), segment (1-based index in the test set), judge (pseudonym), system, rank
        (1 = best ... 5; `UNRANKED` where the judge left it blank). Empty slots are
        gone; rows keep the order of the file and, within a ranking, of the screen.

    Raises
    ------
    DataError
        A rank outside 1-5 and -1, a segment that is not a whole number, an empty name,
        an empty slot with a rank, or one system twice in a ranking.
    """
    raw = raw[WMT_COLUMNS].astype("category")  # checks look at distinct values only
    for name in WMT_COLUMNS:
        check_values(raw, [name], *ALLOWED[name], origin)
    ranks = raw[RANK_COLUMNS].astype(np.int8).to_numpy()
    outputs = raw[ID_COLUMNS].to_numpy(object)
    empty = outputs == EMPTY_SLOT
    if (row := first_row((empty & (ranks != UNRANKED)).any(axis=1))) is not None:
        fault = f"an empty slot ({EMPTY_SLOT!r}) has a rank; expected -1"
        raise origin.refuse(fault, row=row)
    ranking, slot = np.nonzero(~empty)
    task = raw["srclang"].astype(object) + "," + raw["trglang"].astype(object)
    rankings = pd.DataFrame(
        {
            "task": pd.Categorical(task)[ranking],
            "ranking": ranking.astype(np.int32),
            "segment": raw["srcIndex"].astype(np.int32).array[ranking],
            "judge": pseudonyms(raw["judgeId"])[ranking],
            "system": pd.Categorical(outputs[ranking, slot]),
            "rank": ranks[ranking, slot],
        }
    )
    _refuse_twice(rankings, origin.take(ranking.tolist()))
    return rankings


def _refuse_twice(rankings: pd.DataFrame, origin: Origin) -> None:
    """Refuse one system twice in a ranking."""
    row = first_row(rankings.duplicated(["ranking", "system"]))
    if row is not None:
        fault = f"system {short_repr(rankings['system'][row])} is twice in one ranking;"
        step = " expected different systems: keep one row of each"
        raise origin.refuse(fault, step, row=row)


def pseudonyms(identifiers: pd.Series, prefix: str = "judge") -> pd.Categorical:
    """Replace identifiers of people, sorted, by `judge_001`, `judge_002`, ..."""
    codes, unique = pd.factorize(identifiers, sort=True)
    names = [f"{prefix}_{k:03d}" for k in range(1, len(unique) + 1)]
    return pd.Categorical.from_codes(codes, categories=names)
