"""Exports of tools and campaigns that have no row for each judgement.

Each function takes the table of a file and returns a frame of columns by role, whose
index numbers the rows that they are from, and what it left out. All other exports are
lines of contract.toml alone.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

import pandas as pd

from wmtlib.core.errors import reason
from wmtlib.files.contract import CONTRACT
from wmtlib.files.tables import Table

Read = tuple[pd.DataFrame, Counter[str]]
SEVERITIES = CONTRACT["severities"]
TASKS = "outputs of tutorials"
CHECKS = "attention checks"
APPRAISE = {"TGT": "SYSTEM", "BAD": "controls", "REF": "controls", "CHK": "controls"}


# --- WMT ------------------------------------------------------------------------------


def xml(table: Table) -> Read:
    """Read the rankings of the XML of WMT15 and 16, one row for each ranked output.

    A HIT of a language pair holds ranking tasks (one segment each), those hold results
    (one judge each), those hold up to five translations, or none; a translation names
    several systems, with commas between them, where their outputs were identical.

    Raises
    ------
    DataError
        What is not XML, or not such rankings.
    """
    text = table.cells.iloc[0, 0]
    before, doctype, _ = text.partition("<!DOCTYPE")
    if doctype:
        raise table.origin.refuse_line(
            1 + before.count("\n"),
            "declares a document type; expected none, entities are not expanded",
        )
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        fault = f"is not XML ({expat.ErrorString(error.code)})"
        raise table.origin.refuse_line(error.position[0], fault) from None
    rows = [*_outputs(root)]
    if not rows:
        raise table.refuse("is XML without rankings; expected those of WMT15 or WMT16")
    if len(rows) != len([*root.iter("translation")]):
        raise table.refuse("holds a translation outside a ranking-result of a HIT")
    return pd.DataFrame(rows, index=[0] * len(rows)), Counter()


def _outputs(root: ElementTree.Element) -> Iterator[dict[str, object]]:
    """Give each ranked output of a tree of XML."""
    number = 0
    for hit in root.iter("HIT"):
        languages = [hit.get(f"{side}-language", "") for side in ("source", "target")]
        task = "-".join(languages) if all(languages) else ""
        for segment in hit.iter("ranking-task"):
            for result in segment.iter("ranking-result"):
                number += 1
                for output in result.iter("translation"):
                    yield {
                        "task": task,
                        "ranking": number,
                        "segment": segment.get("id", ""),
                        "judge": result.get("user", ""),
                        "system": output.get("system", ""),
                        "rank": output.get("rank", ""),
                    }


def appraise(table: Table) -> Read:
    """Leave out documents of the tutorial, and controls, of an export of Appraise.

    DA+SQM of WMT22 and 23, ESA of WMT24 and 25. After the name of a document there may
    be "#bad" (if damaged), "#incomplete" or "#dup".
    """
    frame = table.frame.rename(columns={"document_id": "document", "item_type": "item"})
    kind = frame["item"].map(APPRAISE)
    if kind.isna().any():
        row = int(kind.isna().to_numpy().argmax())
        fault = f"type is {frame['item'].iloc[row]!r}; expected {', '.join(APPRAISE)}"
        raise table.refuse(fault, row=row)
    kind = kind.mask(frame["document"].str.contains("tutorial"), TASKS)
    document = frame["document"].str.replace("#(bad|incomplete|dup).*", "", regex=True)
    frame = frame.drop(columns="item").assign(document=document)
    return frame[kind == "SYSTEM"], Counter(kind[kind != "SYSTEM"])


def segment_scores(table: Table) -> Read:
    """Read a system and a score a row, as mt-metrics-eval has them."""
    frame = table.frame
    number = frame.groupby("system", sort=False).cumcount() + 1
    return frame.assign(segment=number), Counter()


# --- tools ----------------------------------------------------------------------------


def pearmut(table: Table) -> Read:
    """Read the screens of pearmut; of a screen that was done again the last counts."""
    rows = table.frame
    is_old = rows[["user_id", "item_i"]].astype(str).duplicated(keep="last")
    left_out = Counter({"screens that were done again": int(is_old.sum())})
    return _records(table, rows[~is_old], _of_pearmut, left_out)


def _of_pearmut(row: Mapping[str, Any]) -> Iterator[dict[str, Any] | str]:
    """Give the outputs of a screen; its older form is one segment."""
    screen = row["annotation"]
    items = row.get("item") or []
    if isinstance(screen, dict):
        items = [{"item_id": row["item_i"]}]
        screen = [screen]
    is_tutorial = str(row["item_i"]).startswith("welcome")
    for item, outputs in zip(items, screen, strict=True):
        for judged in _by_system(outputs):
            if is_tutorial:
                yield TASKS
            elif item.get("validation"):
                yield CHECKS
            else:
                yield {"judge": row["user_id"], "segment": item["item_id"], **judged}


def wmt25(table: Table) -> Read:
    """Read the judgements of WMT25, all of a segment in an object.

    Names of segments are `<languages>_#_<domain>_#_<document>_#_<segment>`, or those
    of documents, whose segments are the rows.
    """
    return _records(table, table.frame, _of_wmt25, Counter())


def _of_wmt25(row: Mapping[str, Any]) -> Iterator[dict[str, Any] | str]:
    """Give the outputs of a segment."""
    segment = row["doc_id"]
    parts = segment.split("_#_")
    if len(parts) == 3:
        segment = f"{segment}_#_{row['place']}"
    task = {"task": parts[0], "document": parts[2]} if len(parts) > 2 else {}
    for judged in _by_system(row["scores"]):
        yield {"segment": segment, **judged, **task}


def _by_system(outputs: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Give the score of each system's output by one annotator, or by several."""
    for system, several in outputs.items():
        for given in several if isinstance(several, list) else [several]:
            score = given.get("score", given.get("human"))
            judged = {"system": system, "score": score}
            names = {"annotator": "judge", "error_spans": "error_spans"}
            names["errors"] = "error_spans"
            yield judged | {names[name]: given[name] for name in names if name in given}


def mqm(table: Table) -> Read:
    """Add up the weights of the errors of each output (MQM; Freitag et al. 2021)."""
    frame = table.frame
    severity = frame["severity"].str.casefold()
    is_check = severity.str.startswith("hotw")
    left_out = Counter({CHECKS: int(is_check.sum())})
    frame = frame[~is_check]
    severity = severity[~is_check]
    both = severity + " " + frame["category"].str.casefold()
    weight = both.map(SEVERITIES).fillna(severity.map(SEVERITIES))
    if weight.isna().any():
        row = int(weight.index[weight.isna()][0])
        found = table.frame["severity"][row]
        fault = f"severity is {found!r}; expected {', '.join(SEVERITIES)}"
        raise table.refuse(fault, row=row)
    segment = frame["doc"] + ":" + frame["seg_id"]
    errors = frame[["rater", "system", "doc"]].set_axis(
        ["judge", "system", "document"], axis=1
    )
    errors = errors.assign(segment=segment, score=-weight, place=frame.index)
    keys = ["judge", "system", "document", "segment"]
    outputs = errors.groupby(keys, sort=False, as_index=False)
    outputs = outputs.agg({"score": "sum", "place": "first"})
    return outputs.round({"score": 6}).set_index("place"), left_out


def _records(
    table: Table,
    rows: pd.DataFrame,
    read: Callable[[Mapping[str, Any]], Iterator[dict[str, Any] | str]],
    left_out: Counter[str],
) -> Read:
    """Give each row of nested cells to a function; count what is left out."""
    judged: list[dict[str, Any]] = []
    for place, row in zip(rows.index, rows.to_dict("records"), strict=True):
        try:
            for one in read({**row, "place": place}):
                if isinstance(one, str):
                    left_out[one] += 1
                elif one["score"] is None:
                    left_out["outputs without a score"] += 1
                else:
                    judged.append({**one, "place": place})
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            fault = f"is no row of the export that the header shows ({reason(error)})"
            raise table.refuse(fault, row=place) from None
    if not judged:
        raise table.refuse("holds a header but no judgements")
    return pd.DataFrame(judged).set_index("place"), left_out


READERS: dict[str, Callable[[Table], Read]] = {
    function.__name__: function
    for function in (
        xml,
        appraise,
        segment_scores,
        pearmut,
        wmt25,
        mqm,
    )
}


def read_export(table: Table, export: Mapping[str, Any]) -> tuple[Table, Counter[str]]:
    """Return a table with a row for each judgement; other columns go along.

    Columns that the export names, or says that they do not matter, are gone.
    """
    try:
        frame, left_out = READERS[export["read"]](table)
    except (KeyError, AttributeError) as error:
        fault = f"has the header of the export {export['name']!r}, but not its cells"
        raise table.refuse(f"{fault} ({reason(error)})") from None
    used = {*export.get("header", table.header), *export.get("ignored", ()), *frame}
    others = [k for k, name in enumerate(table.header) if name not in used]
    beside = table.cells[others].loc[frame.index]
    cells = pd.concat([frame, beside], axis=1)
    return table.of(cells, [*frame, *(table.header[k] for k in others)]), left_out
