"""The files without a header that Appraise exports; see `releases.appraise_rows`."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from wmtlib.files.appraise_rows import HEADER, MARK, TYPES, WHOLE, assessed

if TYPE_CHECKING:
    from wmtlib.files.tables import Rows

WITHOUT_SPANS = tuple(name for name in HEADER if name != "error_spans")


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

    Raises
    ------
    DataError
        A row has a type that is unknown.
    """
    kept, numbers = assessed(frame, rows)
    words = [f"{number} rows of {kind}" for kind, number in numbers.items() if number]
    taken = np.flatnonzero(kept)
    frame = frame.iloc[taken].reset_index(drop=True).assign(item="SYSTEM")
    frame["document"] = frame["document"].str.partition(MARK)[0]
    remark = f"; left out: {', '.join(words)}" if words else ""
    return frame, rows.take(taken), remark
