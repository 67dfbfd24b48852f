"""Rows that Appraise exports without a header: DA+SQM of WMT22 and 23, ESA of WMT24.

One row is the score of a segment by an annotator, with a type: TGT for a system's output, BAD for
one that was damaged to control the annotator, REF and CHK for other controls.
"""

import numpy as np
import pandas as pd

from wmtlib.errors import Origin, shown

WHOLE = "whole_document"  # whether a score is of the whole document; such rows are left out
HEADER = (
    *("annotator", "system", "segment", "item", "source_lang", "target_lang", "score"),
    *("document", WHOLE, "error_spans", "start", "end"),
)
TYPES = ("TGT", "BAD", "REF", "CHK")
TUTORIAL = "tutorial"  # in the name of a document
MARK = "#"  # after the name of a document: "#bad" if damaged, "#incomplete", "#dup"


def assessed(frame: pd.DataFrame, origin: Origin) -> tuple[np.ndarray, dict[str, int]]:
    """Which rows are assessments of segments of systems, and the number of the others by kind.

    Left out are the documents of the tutorial, controls, and scores of whole documents.

    Raises
    ------
    DataError
        A row has a type that is unknown.
    """
    if (odd := ~frame["item"].isin(TYPES).to_numpy()).any():
        found = shown(frame["item"][odd].iloc[0])
        raise origin.refuse(int(np.argmax(odd)), f"type is {found}; expected {', '.join(TYPES)}")
    left_out = {
        "tutorials": frame["document"].str.contains(TUTORIAL),
        "controls": frame["item"] != "TGT",
        "whole documents": frame[WHOLE] == "True",
    }
    kept, numbers = np.ones(len(frame), bool), {}
    for kind, marked in left_out.items():
        numbers[kind] = int((kept & marked).sum())
        kept &= ~marked.to_numpy()
    return kept, numbers
