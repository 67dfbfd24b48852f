"""The files without a header that Appraise exports: DA+SQM of WMT22 and 23, ESA of WMT24.

One row is the score of a segment by an annotator, with a type: TGT for a system's output, BAD for
one that was damaged to control the annotator, REF and CHK for other controls.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from wmtlib.judgements.errors import shown

if TYPE_CHECKING:
    from wmtlib.files.tables import Rows

WHOLE = "whole_document"  # whether a score is of the whole document; such rows are left out
HEADER = (
    *("annotator", "system", "segment", "item", "source_lang", "target_lang", "score"),
    *("document", WHOLE, "error_spans", "start", "end"),
)
WITHOUT_SPANS = tuple(name for name in HEADER if name != "error_spans")
TYPES = ("TGT", "BAD", "REF", "CHK")
TUTORIAL = "tutorial"  # in the name of a document


def is_row(fields: Sequence[str]) -> bool:
    """Whether the first fields of a file are a row of such an export.

    >>> row = ["eng1", "A", "7", "TGT", "eng", "jpn", "80", "doc", "False", "1.5", "2.5"]
    >>> is_row(row), is_row(WITHOUT_SPANS)
    (True, False)
    """
    if len(fields) not in (len(HEADER), len(WITHOUT_SPANS)):
        return False
    found = dict(zip(header(fields), fields, strict=True))
    return (
        found["item"] in TYPES
        and found[WHOLE] in ("True", "False")
        and re.fullmatch(r"[0-9.]+", found["score"]) is not None
    )


def header(fields: Sequence[str]) -> list[str]:
    """Names of the columns: there are 12, or 11 without error spans."""
    return [*(HEADER if len(fields) == len(HEADER) else WITHOUT_SPANS)]


def select_assessments(frame: pd.DataFrame, rows: "Rows") -> tuple[pd.DataFrame, "Rows", str]:
    """The rows that are assessments of segments of systems, where they stand, and what is not.

    Left out are the documents of the tutorial, controls, and scores of whole documents.

    Raises
    ------
    DataError
        A row has a type that is unknown.
    """
    if (odd := ~frame["item"].isin(TYPES).to_numpy()).any():
        found = shown(frame["item"][odd].iloc[0])
        raise rows.refuse(int(np.argmax(odd)), f"type is {found}; expected {', '.join(TYPES)}")
    left_out = {
        "tutorials": frame["document"].str.contains(TUTORIAL),
        "controls": frame["item"] != "TGT",
        "whole documents": frame[WHOLE] == "True",
    }
    kept, words = np.ones(len(frame), bool), []
    for what, marked in left_out.items():
        words += [f"{number} rows of {what}"] if (number := (kept & marked).sum()) else []
        kept &= ~marked.to_numpy()
    taken = np.flatnonzero(kept)
    frame = frame.iloc[taken].reset_index(drop=True).assign(item="SYSTEM")
    frame["document"] = frame["document"].str.partition("#")[0]  # "#bad" marks a damaged one
    remark = f"; left out: {', '.join(words)}" if words else ""
    return frame, rows.take(taken), remark
