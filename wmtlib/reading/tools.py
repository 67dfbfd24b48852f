"""Exports of annotation tools and campaigns, converted to a row for each judgement.

The tools are in `known_files.toml`, with the columns of their files; a function here
returns the judgements of a row. Tables of segments by systems, or by annotators, are
recognised by their values.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import pandas as pd

from wmtlib.checks import clean
from wmtlib.errors import (
    Message,
    column,
    join_names,
    joined,
    reason,
    setting,
    short_repr,
    warning,
)
from wmtlib.forms import BRACKETS, DIVIDING, MOST_VALUES, doubt
from wmtlib.reading.cells import is_missing
from wmtlib.reading.columns import (
    OUTPUT,
    RESULTS,
    TASK,
    Options,
    columns_by_role,
    key,
)
from wmtlib.reading.tables import KNOWN, SEGMENT_SCORES, Table

Row = Mapping[str, Any]  # columns of a tool by the names that known_files.toml gives
Roles = dict[str, list[str]]  # columns that could have each role
PRESETS = KNOWN["presets"]
SPANS = "error_spans"  # a column
GIVEN = KNOWN["given"]


def score_of(spans: str | list[Row] | None, weights: Mapping[str, float]) -> float:
    """Return minus the weights of errors.

    >>> score_of('[{"severity": "minor"}, {"severity": "Major"}]', PRESETS["mqm"])
    -6.0
    """
    total = 0.0
    for span in json.loads(spans) if isinstance(spans, str) else spans or []:
        severity = span["severity"].casefold()
        category = f"{severity} {span.get('category')}".casefold()
        total += weights.get(category, weights[severity])
    return 0 - round(total, 6)


# --- tools ----------------------------------------------------------------------------


def outputs_of(by_system: Row, **others: object) -> Iterator[Row]:
    """Give what each system's output got, from one annotator or a list of them."""
    for system, several in by_system.items():
        for given in several if isinstance(several, list) else [several]:
            cells = {GIVEN[name]: cell for name, cell in given.items() if name in GIVEN}
            yield {"score": None, SPANS: None, **others, "system": system, **cells}


def of_pearmut(row: Row) -> Iterator[Row | str]:
    """Give the outputs of a screen; its older form is one segment."""
    screen = row["annotation"]
    items = row.get("item") or []
    if isinstance(screen, dict):
        items = [{"item_id": row["itemi"]}]
        screen = [screen]
    is_tutorial = str(row["itemi"]).startswith("welcome")
    for item, outputs in zip(items, screen, strict=True):
        judged = outputs_of(outputs, worker=row["worker"], segment=item["item_id"])
        if is_tutorial:
            yield from ("outputs of tutorials" for _ in judged)
        elif item.get("validation"):
            yield from ("attention checks" for _ in judged)
        else:
            yield from judged


def of_wmt25(row: Row) -> Iterator[Row]:
    """Give the outputs of a segment, or of a document without numbers of segments."""
    segment = row["docid"]
    if segment.count("_#_") != 3:
        segment = f"{segment}_#_{row['place']}"
    return outputs_of(row["scores"], segment=segment)


def of_mqm(row: Row) -> Iterator[Row | str]:
    """Give one error of an output, or its lack of errors."""
    if row["severity"].startswith("HOTW"):
        yield "attention checks"
    else:
        yield {**row, "segment": f"{row['document']}:{row['segid']}", SPANS: [row]}


def of_errors(row: Row) -> Iterator[Row | str]:
    """Give an output of a table with a column of errors."""
    if "undecided" in str(row[SPANS]):  # its weight is not known
        yield "outputs with an error of undecided severity"
    else:
        yield {"score": None, **row}


READERS: dict[str, Any] = {  # they give the names of rows to leave out, too
    "pearmut": of_pearmut,
    "WMT25": of_wmt25,
    "MQM": of_mqm,
    "errors": of_errors,
}
MANY = 8  # rows of which a column of scores hardly rises throughout, or is a mean
IDS = r"^(?P<lp>.+)_#_(?P<domain>.+)_#_(?P<document>.+)_#_.+"  # of segments of WMT25


def from_export(table: Table, options: Options) -> tuple[Table, Options]:
    """Convert a tool's export; return other tables unchanged.

    Raises
    ------
    DataError
        A row that is none of the tool's; errors without scores or weights; an unknown
        set of weights.
    """
    cells = table.cells
    if not isinstance(cells, pd.DataFrame) or not cells.columns.is_unique:
        return table, options
    tool: Row = next(
        (tool for tool in KNOWN["tools"] if _fits(tool, table, options)), {}
    )
    weights = options.preset or tool.get("preset")
    if weights and not (tool and weights in PRESETS):
        fault = f": expected {', '.join(PRESETS)}, and a column error_spans"
        raise table.origin.refuse(setting("preset", weights), fault)
    left_out: Counter[str] = Counter()
    if tool:
        table = replace(table, cells=_judgements(table, tool, weights, left_out))
    elif table.form != SEGMENT_SCORES:
        table, options = _melted(table, options)
        if table.cells is cells:
            return table, options
    frame = table.cells
    if weights:
        columns = {**options.columns, "score": "score"}
        options = options._replace(lower_is_better=False, columns=columns)
    score = "outcome" if "outcome" in frame else "score"
    is_scored = ~frame[score].astype(object).map(str).map(is_missing)
    if SPANS in frame and not is_scored.any():
        ways = joined(*(setting("preset", name) for name in PRESETS), between=" or ")
        fault = "holds errors and no scores; to rank by minus their weights, add "
        raise table.origin.refuse(fault, ways)
    left_out[f"outputs without a {score}"] = int((~is_scored).sum())
    frame = frame[is_scored]
    roles = columns_by_role(replace(table, cells=frame), options.columns)
    if "segment" in frame and not {"document", *TASK} & {*roles}:
        ids = frame["segment"].astype(str).str.extract(IDS)
        if ids.notna().all(axis=None):
            frame = frame.assign(**ids)
    frame = frame.loc[:, frame.notna().any()]
    counted = [
        warning("records_left_out", f"left out: {left_out[kind]} {kind}")
        for kind in +left_out
    ]
    return table.of(frame, warnings=[*counted, *table.warnings]), options


def _fits(tool: Row, table: Table, options: Options) -> bool:
    """Return whether a table is of a tool; of errors, only if it has no scores."""
    names = {key(name): name for name in table.header}
    if not {*tool["columns"]} <= {*names}:
        return False
    if tool["name"] != "errors":
        return {*options.columns} <= {*TASK}
    if options.preset is not None:
        return True
    (name,) = map(names.get, tool["columns"])
    others = columns_by_role(table, options.columns).get("score", [name])
    return others == [name] and table.cells[name].astype(str).str.startswith("[").all()


def _judgements(
    table: Table, tool: Row, weights: str | None, left_out: Counter[str]
) -> pd.DataFrame:
    """Return a row for each judged output, by its place in the file."""
    columns = tool["columns"]
    names = {name: columns[key(name)] for name in table.header if key(name) in columns}
    cells = table.cells.drop(columns={*columns.values()} - {*names}, errors="ignore")
    cells = cells.rename(columns=names)
    if "latest" in tool:
        is_old = cells[tool["latest"]].astype(str).duplicated(keep="last")
        left_out["screens that were done again"] = int(is_old.sum())
        cells = cells[~is_old]
    judgements = []
    for row in cells.assign(place=cells.index).to_dict("records"):
        try:
            for judgement in READERS[tool["name"]](row):
                if isinstance(judgement, str):
                    left_out[judgement] += 1
                    continue
                judged = {**judgement, "place": row["place"]}
                if weights:
                    judged["score"] = score_of(judged[SPANS], PRESETS[weights])
                judgements.append(judged)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            fault = f"is no row of {tool['name']}, whose columns the file has"
            fault = f"{fault} ({reason(error)})"
            raise table.origin.refuse(fault, row=row["place"]) from None
    if not judgements:
        raise table.origin.refuse("holds a header but no judgements")
    frame = pd.DataFrame(judgements)
    if "preset" in tool:
        outputs = frame.groupby([*OUTPUT], sort=False, as_index=False)
        frame = outputs.agg({"score": "sum", "place": "first"})
    return frame.set_index("place")


# --- several columns of scores --------------------------------------------------------


def _melted(table: Table, options: Options) -> tuple[Table, Options]:
    """Give a row to each cell of several columns of scores, and warn of it.

    Such columns are systems; beside a column of systems, or two, annotators. Other
    tables are returned unchanged.

    Raises
    ------
    DataError
        The columns may be others.
    """
    roles = columns_by_role(table, options.columns)
    if options.kind == "assessments":  # system1 and system2 are no sides
        roles.pop("a", None)
        roles.pop("b", None)
    roles["rows"] = [*options.rows]  # columns by which rows were chosen
    score, person = ("outcome", "judge") if "a" in roles else ("score", "worker")
    role = person
    lines: list[str] = []
    chosen = options.columns.get(person) or ""
    names = [] if chosen in table.header else chosen.split(",")
    if len(names) > 1:
        if not {*names} <= {*table.header}:  # this is refused
            return table, options
        columns = {each: name for each, name in options.columns.items() if each != role}
        options = options._replace(columns=columns)
    elif {"a", "system"} & {*roles}:
        names, lines = _annotators(table, roles, options, score, person)
    else:
        role = "system"
        names, lines = _systems(table, roles)
    table = replace(table, warnings=[*table.warnings, *lines])
    if len(names) < 2:
        return table, options
    others = [name for name in table.header if name not in names]
    cells = table.cells.melt(
        others, names, var_name=role, value_name=score, ignore_index=False
    )
    return replace(table, cells=cells), options


def _systems(table: Table, roles: Roles) -> tuple[list[str], list[str]]:
    """Find the systems of a table of segments by systems, and warn of them."""
    if "segment" not in roles or {*roles} & RESULTS:
        return [], []
    names, left_out = _columns_of_scores(table, roles)
    if len(names) < 2:
        return [], []
    cells = table.cells.astype(str)
    used = cells.columns.intersection([*chain(*roles.values())])
    free = [
        name
        for name in cells.columns.difference([*used, *names, *left_out])
        if 1 < cells[name].nunique() <= len(cells) / 2 and key(name) not in DIVIDING
    ]
    telling: list[str] = []
    if cells.duplicated(used).any() and not cells.duplicated([*used, *free]).any():
        alone = [name for name in free if not cells.duplicated([*used, name]).any()]
        telling = alone or free
    is_odd = _are_called(names, "criteria") or _are_people(names)
    if telling or is_odd:
        name = [*telling, *free, "NAME"][0]
        fault = (
            f"columns {join_names(names, 12)} may be no systems; to name these, add "
        )
        steps = [column("system", name), " ", _ways(names, "worker" in roles)]
        if telling:
            fault = f"{short_repr(name)} tells apart rows of one segment, {fault}"
        if not is_odd:
            steps += ["; if it names no systems, add ", column("document", name)]
        raise table.refuse_header(fault, *steps)
    lines = [f"columns of numbers are taken for systems: {join_names(names, 12)}"]
    if left_out:
        unused = f"columns of numbers are not taken for systems: {join_names(left_out)}"
        lines.append(unused)
    return names, lines


def _annotators(
    table: Table, roles: Roles, options: Options, score: str, person: str
) -> tuple[list[str], list[str]]:
    """Find columns of annotators beside those of systems, and warn of them."""
    chosen = options.columns.get(score)
    if not {"a", "segment"} & {*roles} or (not chosen and {*roles} & RESULTS):
        return [], []
    names, _ = _columns_of_scores(table, roles)
    if "a" in roles:
        free = [name for name in table.header if [name] not in roles.values()]
        names = [name for name in free if _are_people([name])]
    has_person = person in roles or person in options.columns
    if chosen and names and not has_person:
        way = column(person, ",".join([chosen, *names]))
        fault = f"columns {join_names(names, 12)} may hold the same, and are not used"
        step = joined("; if each column is an annotator, add ", way)
        return [], [warning("column_unused", fault, step)]
    if chosen or len(names) < 2:
        return [], []
    if _are_people(names) and not has_person:
        return names, [f"columns are taken for annotators: {join_names(names, 12)}"]
    fault = f"columns {join_names(names, 12)} could each be the {score}; add "
    raise table.refuse_header(fault, _ways(names, has_person))


def _ways(names: Sequence[str], has_worker: bool) -> Message:
    """Return the options that tell several columns of scores apart."""
    by_annotator = column("worker", ",".join(names))
    if _are_people(names):
        return by_annotator
    one = joined(column("score", names[0]), f" (or {', '.join(names[1:])})")
    if has_worker or _are_called(names, "criteria"):
        return one
    return joined(one, " or, if each is an annotator, ", by_annotator)


def _columns_of_scores(table: Table, roles: Roles) -> tuple[list[str], list[str]]:
    """Return columns of numbers without a role: possible scores, and the others.

    Numbers that rise from row to row, means and sums are no scores. A cell that is no
    number is refused when scores are read.
    """
    cells = table.cells.drop(columns=chain(*roles.values()), errors="ignore")
    cells = cells.astype(str).replace("%$", "", regex=True)
    numbers = cells.apply(pd.to_numeric, errors="coerce")
    is_word = ~(numbers.notna() | cells.map(is_missing).astype(bool))
    numbers = numbers.loc[:, numbers.notna().sum() > is_word.sum()]
    names = [name for name in numbers if not _are_called([name], "no_scores")]
    names = [n for n in names if not doubt(n, table.values_of(n, MOST_VALUES))]
    if len(numbers) >= MANY:
        steps = numbers[names].diff().iloc[1:]
        names = [name for name in names if not (steps[name] > 0).all()]
        total = numbers[names].sum(axis=1)
        number = numbers[names].notna().sum(axis=1)
        if len(names) > 2:
            names = [n for n in names if not _sums_up(numbers[n], total, number)]
    return names, [name for name in numbers if name not in names]


def _sums_up(scores: pd.Series, total: pd.Series, number: pd.Series) -> bool:
    """Return whether a column is the rounded mean, or the sum, of the others.

    `total` and `number` are the sum and the number of the scores of each row.
    """
    scores = scores.dropna()
    digits = next((d for d in range(6) if scores.equals(scores.round(d))), 6)
    sums = total[scores.index] - scores  # of the others
    means = sums / (number[scores.index] - 1)
    is_near = [
        (summary - scores).abs() <= 0.5001 * 10.0**-digits for summary in (means, sums)
    ]
    return any(near.all() for near in is_near)


def _are_called(names: Iterable[str], words: str) -> bool:
    """Return whether all names of columns, or their last words, are in a list."""
    for name in map(clean, names):
        last = re.split(r"[\W_]+", BRACKETS.sub(r"\1", name.casefold()).strip())[-1]
        if not {key(name), last} & {*KNOWN[words]}:
            return False
    return True


def _are_people(names: Iterable[str]) -> bool:
    """Return whether all columns are called as annotators are, such as Rater 2."""
    person = re.compile(rf"({'|'.join(KNOWN['people'])})s?([\W\d_]|$)")
    return not _are_called(names, "criteria") and all(
        person.match(name.casefold()) for name in names
    )
