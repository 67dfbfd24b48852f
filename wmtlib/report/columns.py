"""Columns of an answer's tables: their JSON Schema, and their cells as text.

columns.toml names every key and column, with its type and what it holds.
"""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

FORMAT = "wmtlib/4"  # of JSON
TYPES: dict[str, dict[str, Any]] = {  # of columns.toml, in JSON Schema
    "text": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "yes or no": {"type": "boolean"},
    "list of texts": {"type": "array", "items": {"type": "string"}},
    "list of numbers": {"type": "array", "items": {"type": ["number", "null"]}},
    "map of texts": {"type": "object", "additionalProperties": {"type": "string"}},
    "map of integers": {"type": "object", "additionalProperties": {"type": "integer"}},
}
LETTER = re.compile(r"(?<!\d)[^\W\d_]|(?<=\d)[^\W\d_e]")  # but not that of 1e-05


@cache
def entries() -> dict[str, Any]:
    """Read columns.toml."""
    text = Path(__file__).with_suffix(".toml").read_text("utf-8")
    return tomllib.loads(text)


def schema() -> dict[str, Any]:
    """Make the JSON Schema of an answer."""
    words = entries()
    tables = {
        name: {"type": "array", "items": _object(words["columns"][name])}
        for name in words["tables"]
    }
    warning = _object({"code": "text: what it is about", "text": "text: one line"})
    warning["properties"]["code"]["enum"] = [*words["warnings"]]
    document = _object(words["keys"])
    # A question has facts and tables of its own.
    document["required"] = ["format", "sentence", "command", "signature", "versions"]
    document["properties"] |= {
        "format": {"const": FORMAT},
        "tables": {
            "type": "object",
            "properties": tables,
            "additionalProperties": False,
        },
        "notes": {"type": "array", "items": {"type": "string"}},
        "warnings": {"type": "array", "items": warning},
    }
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **document}


def _object(entries: dict[str, str]) -> dict[str, Any]:
    """Describe an object with all of these keys, and no others."""
    return {
        "type": "object",
        "properties": {name: _value(entry) for name, entry in entries.items()},
        "required": [*entries],
        "additionalProperties": False,
    }


def _value(entry: str) -> dict[str, Any]:
    """Describe a value.

    >>> _value("list of texts?: names")
    {'type': ['array', 'null'], 'items': {'type': 'string'}, 'description': 'names'}
    """
    kind, _, description = entry.partition(": ")
    value = {**TYPES[kind.removesuffix("?")], "description": description}
    if kind.endswith("?"):
        value["type"] = [value["type"], "null"]
    return value


# --- where people read ----------------------------------------------------------------


def legend(tables: Iterable[pd.DataFrame], method: str = "") -> str:
    """Explain the columns of tables by a method, where their names do not say it."""
    meanings = {**entries()["legend"]}
    if method in entries()["scores"]:
        meanings["score"] = entries()["scores"][method]
    names = dict.fromkeys(name for table in tables for name in readable(table))
    return "; ".join(f"{name}: {meanings[name]}" for name in names if name in meanings)


def cells_and_lines(table: pd.DataFrame) -> tuple[pd.DataFrame, list[int]]:
    """Turn cells into text; list the last rows of clusters, below which are lines.

    With a rank, a number of the cluster is left out: the lines show it.
    """
    if not {"rank", "cluster"} <= {*table}:
        return readable(table), []
    last_rows = np.flatnonzero(np.diff(table["cluster"]) != 0)
    return readable(table.drop(columns="cluster")), last_rows.tolist()


def sides(cells: pd.DataFrame) -> list[str]:
    """List the side of each column of text: words are at the left, numbers right."""
    is_text = [
        any(map(LETTER.search, {*cells[name]} - {"yes", "no"})) for name in cells
    ]
    return ["left" if text else "right" for text in is_text]


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """Turn cells into text: few digits, ranks in one column; drop empty columns.

    An interval of scores is written as distances, and with a score as many digits as
    two of the median width are.

    >>> print(readable(pd.DataFrame({"rank_low": [1, 2], "rank_high": [1, 3]})))
      ranks
    0     1
    1   2–3
    >>> scores = {"score": [1084.4], "score_low": [1009.1], "score_high": [1191.2]}
    >>> print(readable(pd.DataFrame(scores)))
      score      95 %
    0  1084  +107/-75
    """
    digits = entries()["digits"]
    if "score_low" in table:
        width = (table["score_high"] - table["score_low"]).dropna().median()
        places = max(0, 1 - int(np.floor(np.log10(width)))) if width > 0 else 2
        above = table["score_high"] - table["score"]
        below = table["score_low"] - table["score"]
        margins = [_margins(*ends, places) for ends in zip(above, below, strict=True)]
        table = table.assign(score_low=margins)
        if width > 0:
            digits = {**digits, "score": f".{places}f"}
    table = table.drop(columns=entries()["hidden"], errors="ignore")
    cells = pd.DataFrame(
        {str(c): [_cell(x, digits.get(c, ".4f")) for x in table[c]] for c in table},
        dtype=object,
    )
    if "rank_high" in cells:
        low = cells["rank_low"]
        high = cells.pop("rank_high")
        cells["rank_low"] = low.where(low == high, low + "–" + high)
    if "measure" in cells:
        cells["measure"] = cells["measure"].replace(entries()["measures"])
    cells = cells.rename(columns=entries()["names"])
    return cells.loc[:, (cells != "").any()] if len(cells) else cells


def _margins(above: float, below: float, places: int) -> str:
    """Write the distances of both ends; an open one is a question mark."""
    ends = ["?" if pd.isna(end) else f"{end:+z.{places}f}" for end in (above, below)]
    return "/".join(ends) if above != below and ends != ["?", "?"] else ""


def _cell(value: Any, digits: str) -> str:
    if pd.isna(value):
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    # "z": never -0.0000
    return format(value, f"z{digits}") if isinstance(value, float) else str(value)
