"""Answers as data: the document that `--json` prints, described in docs/json.md.

Keys and their meaning stay as they are under one version; a new one gets a new `SCHEMA`.
"""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.analysis.answers import Answer, AnswerSection
from wmtlib.analysis.bootstrap import BootstrapResult
from wmtlib.analysis.clustering import Clustering
from wmtlib.judgements.counting import Counts
from wmtlib.judgements.ranking import Ranking
from wmtlib.tournament import violations
from wmtlib.yours.read import Judgements
from wmtlib.yours.remarks import shown_path

SCHEMA = "wmtlib/1"
INTERVALS = {  # columns of a bootstrap's table, and their keys
    "rank_low": "low",
    "rank_high": "high",
    "score_low": "score_low",
    "score_high": "score_high",
    "above_next": "above_next",
}


def answer(
    judgements: Judgements,
    title: str,
    about: Mapping[str, str],
    sections: Sequence[AnswerSection],
    content: Mapping[str, Any],
) -> Answer:
    """An answer with its document: what was read, what was found, what to beware of."""
    signature = about["Signature"]
    warnings = [*judgements.warnings, *(w for section in sections for w in section.warnings)]
    document = {
        "schema": SCHEMA,
        "command": signature.partition("|")[0].removeprefix("wmtlib "),
        "task": judgements.task,
        "signature": signature,
        "file": shown_path(PurePath(judgements.path).name),
        "data": judgements.sha256,
        "kind": judgements.kind,
        "rows": judgements.rows,
        "columns": dict(judgements.columns),
        "unused": [*judgements.unused],
        "scale": judgements.scale,
        **content,
        "warnings": warnings,
    }
    people = {  # without numbers that are names of systems, too
        number: shown_path(name)
        for number, name in judgements.people.items()
        if number not in judgements.systems
    }
    return Answer(title, about, sections, judgements.warnings, plain(document), people)


def ranking_content(
    rankings: Sequence[Ranking],
    counts: Counts | None,
    clustered: Clustering,
    resampled: BootstrapResult | None,
) -> dict[str, Any]:
    """The methods and, of the first one, intervals, clusters and tests of pairs."""
    methods = []
    for ranking in rankings:
        table = ranking.table[["system", "rank", "score"]].copy()
        ranges = ranking.rank_ranges.loc[ranking.order]
        table["best_rank"], table["worst_rank"] = ranges["best"].array, ranges["worst"].array
        for column, key in INTERVALS.items():
            known = ranking is rankings[0] and resampled is not None
            table[key] = resampled.table[column].array if known else None
        table["cluster"] = clustered.groups["cluster"] if ranking is rankings[0] else None
        entry = {"method": ranking.method, "note": ranking.note, "systems": table}
        if counts is not None:
            entry["violated_weight"] = violations.violated_weight(ranking.order, counts.wins)
        if "lower_bound" in ranking.facts:
            known = ("lower_bound", "optimal", "optimal_orders")
            entry["certificate"] = {key: ranking.facts[key] for key in known}
        methods.append(entry)
    return {
        "unit": resampled and resampled.unit,
        "n_resamples": resampled and resampled.n_resamples,
        "methods": methods,
        "pairs": clustered.pairs,
    }


def plain(value: Any) -> Any:
    """A value as JSON knows it: a table is a list of rows, NaN and infinity are null.

    >>> plain({"p": float("nan"), "ranks": pd.DataFrame({"best": [1.0]})})
    {'p': None, 'ranks': [{'best': 1.0}]}
    """
    if isinstance(value, pd.DataFrame):
        value = value.to_dict(orient="records")
    if isinstance(value, Mapping):
        return {str(key): plain(content) for key, content in value.items()}
    if isinstance(value, list | tuple):
        return [plain(content) for content in value]
    value = value.item() if isinstance(value, np.generic) else value
    missing = value is pd.NA or (isinstance(value, float) and not np.isfinite(value))
    return None if missing else value
