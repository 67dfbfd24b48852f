"""Files of annotation tools and campaigns whose rows are not yet judgements.

A tool stands in `known_files.toml`, with the columns that tell its files from others; a
function here says what judgements a row of them holds. Tables of segments by systems,
which no tool names, are told by their values.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

import pandas as pd

from wmtlib.errors import joined, listed, reason
from wmtlib.intake import MOST_VALUES, doubt
from wmtlib.yours.options import preset
from wmtlib.yours.reading.cells import is_missing
from wmtlib.yours.reading.columns import (
    OUTPUT,
    TASK,
    Options,
    columns_by_role,
    key,
)
from wmtlib.yours.reading.tables import KNOWN, SEGMENT_SCORES, Table

Row = Mapping[str, Any]  # by the names of columns as `columns.key` writes them
TOOLS = KNOWN["tools"]
PRESETS = KNOWN["presets"]
SPANS = "error_spans"  # a column
SPAN_NAMES = [tool["columns"][0] for tool in TOOLS if tool["name"] == "errors"]


def score_of(spans: str | list[Row] | None, weights: Mapping[str, float]) -> float:
    """Minus the weights of errors.

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


def of_pearmut(row: Row) -> Iterator[Row | str]:
    """The outputs of a screen; its older form is one segment."""
    screen = row["annotation"]
    items = row.get("item")
    if isinstance(screen, dict):
        items = [{"item_id": row["itemi"]}]
        screen = [screen]
    for item, outputs in zip(items or [], screen, strict=True):
        for system, given in outputs.items():
            if str(row["itemi"]).startswith("welcome"):
                yield "outputs of tutorials"
            elif item.get("validation"):
                yield "attention checks"
            else:
                yield {
                    "worker": row["userid"],
                    "system": system,
                    "segment": item["item_id"],
                    "score": given["score"],
                    SPANS: given.get("error_spans"),
                }


def of_wmt25(row: Row) -> Iterator[Row | str]:
    """The outputs of a segment; of a document where the line does not number it."""
    is_segment = row["docid"].count("_#_") == 3
    segment = row["docid"] if is_segment else f"{row['docid']}_#_{row['place']}"
    for system, several in row["scores"].items():
        for given in several if isinstance(several, list) else [several]:
            yield {
                "worker": given.get("annotator"),
                "system": system,
                "segment": segment,
                "score": given.get("score", given.get("human")),
                SPANS: given.get("errors"),
            }


def of_mqm(row: Row) -> Iterator[Row | str]:
    """One error, or that there is none."""
    if row["severity"].startswith("HOTW"):
        yield "attention checks"
        return
    yield {
        "worker": str(row["rater"]),
        "system": str(row["system"]),
        "document": str(row["doc"]),
        "segment": f"{row['doc']}:{row['segid']}",
        SPANS: [row],
    }


def of_errors(row: Row) -> Iterator[Row | str]:
    """An output of a table with a column of errors."""
    errors = [row[name] for name in SPAN_NAMES if name in row]
    if "undecided" in str(errors[0]):  # its weight is not known
        yield "outputs with an error of undecided severity"
        return
    others = {name: cell for name, cell in row.items() if name not in SPAN_NAMES}
    yield {"score": None, **others, SPANS: errors[0]}


READERS = {  # they give the name of what is left out, too
    "pearmut": of_pearmut,
    "WMT25": of_wmt25,
    "MQM": of_mqm,
    "errors": of_errors,
}
OTHER_KINDS = ("system", "score", "a", "winner", "outcome", "rank")  # of tables of rows
IDS = r"(?P<lp>.+)_#_(?P<domain>.+)_#_(?P<document>.+)_#_.+"  # of segments of WMT25


def usual(table: Table, options: Options) -> tuple[Table, Options]:
    """A table of judgements from that of a tool; any other as it is.

    Raises
    ------
    DataError
        A row that is none of the tool's; errors in place of scores, if the user does
        not say what they weigh; an unknown set of weights.
    """
    cells = table.cells
    if not isinstance(cells, pd.DataFrame) or not cells.columns.is_unique:
        return table, options
    tool: Row = next((tool for tool in TOOLS if _fits(tool, table, options)), {})
    weights = options.preset or tool.get("preset")
    if weights and not (tool and weights in PRESETS):
        fault = f": expected {', '.join(PRESETS)}, and a column error_spans"
        raise table.origin.refuse(preset(weights), fault)
    left_out: Counter[str] = Counter()
    lines = []
    frame = cells
    if tool:
        frame = _judgements(table, tool, weights, left_out)
    elif table.form != SEGMENT_SCORES:
        frame = _melted(table, options)
        if frame is cells:
            return table, options
        systems = listed([*frame["system"].unique()], 12)
        lines = [f"columns of numbers are taken for systems: {systems}"]
    if weights:
        columns = {**options.columns, "score": "score"}
        options = options._replace(lower_is_better=False, columns=columns)
    is_scored = ~frame["score"].astype(object).map(str).map(is_missing)
    if SPANS in frame and not is_scored.any():
        ways = joined(*map(preset, PRESETS), between=" or ")
        fault = "holds errors and no scores; to rank by minus their weights, add "
        raise table.origin.refuse(fault, ways)
    left_out["outputs without a score"] = int((~is_scored).sum())
    frame = frame[is_scored]
    roles = columns_by_role(replace(table, cells=frame), options.columns)
    if "segment" in frame and not {"document", *TASK} & {*roles}:
        ids = frame["segment"].astype(str).str.extract(IDS)
        if ids.notna().all(axis=None):
            frame = frame.assign(**ids)
    frame = frame.loc[:, frame.notna().any()]
    counted = [f"left out: {left_out[kind]} {kind}" for kind in +left_out]
    table = replace(
        table,
        cells=frame.reset_index(drop=True),
        origin=table.origin.take(frame.index),
        warnings=(*table.warnings, *counted, *lines),
    )
    return table, options


def _fits(tool: Row, table: Table, options: Options) -> bool:
    """Whether a table is of a tool; errors are looked at if there are no scores."""
    names = {key(name): name for name in table.header}
    if not {*tool["columns"]} <= {*names}:
        return False
    if tool["name"] != "errors":
        return {*options.columns} <= {*TASK}
    name = names[tool["columns"][0]]
    is_list = table.cells[name].astype(str).str.startswith("[").all()
    others = columns_by_role(table, options.columns).get("score", [name])
    return options.preset is not None or (is_list and others == [name])


def _judgements(
    table: Table, tool: Row, weights: str | None, left_out: Counter[str]
) -> pd.DataFrame:
    """A row for each output that a tool's rows judge, by their places in the file."""
    names = {name: key(name) for name in table.header if key(name) in tool["columns"]}
    cells = table.cells.rename(columns=names)
    if "latest" in tool:
        is_old = cells[tool["latest"]].astype(str).duplicated(keep="last")
        left_out["screens that were done again"] = int(is_old.sum())
        cells = cells[~is_old]
    judgements = []
    for place, row in zip(cells.index, cells.to_dict("records"), strict=True):
        try:
            for judgement in READERS[tool["name"]]({**row, "place": place}):
                if isinstance(judgement, str):
                    left_out[judgement] += 1
                    continue
                judged = {**judgement, "place": place}
                if weights:
                    judged["score"] = score_of(judged[SPANS], PRESETS[weights])
                judgements.append(judged)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            fault = f"is no row of {tool['name']}, whose columns the file has"
            raise table.origin.refuse(f"{fault} ({reason(error)})", row=place) from None
    if not judgements:
        raise table.origin.refuse("holds a header but no judgements")
    frame = pd.DataFrame(judgements)
    if "preset" in tool:
        outputs = frame.groupby([*OUTPUT], sort=False, as_index=False)
        frame = outputs.agg({"score": "sum", "place": "first"})
    return frame.set_index("place")


def _melted(table: Table, options: Options) -> pd.DataFrame:
    """A row for each cell of a table of segments by systems; other tables as they are.

    Columns of numbers, but for a few cells, that are nothing else are systems.
    """
    roles = columns_by_role(table, options.columns)
    if options.kind == "assessments":  # system1 and system2 are no sides
        roles.pop("a", None)
        roles.pop("b", None)
    if "segment" not in roles or {*roles} & {*OTHER_KINDS}:
        return table.cells
    no_systems = {*chain(*roles.values()), *options.rows}
    no_systems |= {name for name in table.header if key(name) in KNOWN["no_systems"]}
    no_systems |= {n for n in table.header if doubt(n, table.values_of(n, MOST_VALUES))}
    cells = table.cells.drop(columns=no_systems, errors="ignore").astype(str)
    cells = cells.replace("%$", "", regex=True)
    is_number = cells.apply(pd.to_numeric, errors="coerce").notna()
    is_word = ~(is_number | cells.map(is_missing).astype(bool))
    # A cell that is no number is refused when scores are read.
    systems = [*cells.loc[:, is_number.sum() > is_word.sum()]]
    if len(systems) < 2:
        return table.cells
    others = [name for name in table.header if name not in systems]
    return table.cells.melt(
        others, systems, var_name="system", value_name="score", ignore_index=False
    )
