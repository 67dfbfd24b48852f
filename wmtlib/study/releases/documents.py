"""The document that each judgement belongs to.

It is found in the names of the segments, in the test set, or in the runs of segments that workers
were shown.
"""

import re

import numpy as np
import pandas as pd

from wmtlib.errors import DataError, Origin
from wmtlib.study.releases.official_tables import Opener
from wmtlib.study.releases.released_judgements import UNKNOWN


def documents_from_source(data: bytes) -> list[str]:
    """Document of each segment of a test set: `[k]` is that of segment k + 1.

    Parameters
    ----------
    data : bytes
        The source side (`newstest2018-csen-src.cs.sgm`): `<doc docid=...>` around `<seg>`.
    """
    documents, current = [], ""
    pattern = r'<doc\b[^>]*docid="([^"]+)"|<seg\b'
    for found in re.finditer(pattern, data.decode("utf-8-sig"), re.IGNORECASE):
        if found[1]:
            current = found[1]
        else:
            documents.append(current)
    return documents


def documents_by_number(segment: pd.Series, documents: list[str], origin: Origin) -> np.ndarray:
    """Document of each row, from the number of its segment in the test set."""
    names = segment.cat.categories
    if bad := [s for s in names if not (s.isdecimal() and 1 <= int(s) <= len(documents))]:
        raise origin.refuse(None, f"segment {bad[0]!r}; expected a number up to {len(documents)}")
    return np.array([documents[int(s) - 1] for s in names], dtype=object)[segment.cat.codes]


def documents_from_runs(released: pd.DataFrame, origin: Origin) -> np.ndarray:
    """Documents of a campaign in document order, which does not name them.

    A run (`rid`) is what a worker was shown of one document by one system: segments first, first
    + 1, ..., last. Overlapping ranges belong to one document, and ranges without an overlap to
    different ones, so the merged ranges are the documents (in WMT21 and 22 every two runs cover
    either the same segments or none in common). A document is named by its first segment,
    `doc_000123`. Where all runs are of one segment (shown in random order), documents are not
    known and "" is returned.

    Returns
    -------
    array of str, shape (rows,)

    Raises
    ------
    DataError
        A run has gaps or several systems, or a segment has no number.
    """
    names = released["sid"].cat.categories
    if not all(s.isdecimal() for s in names) or UNKNOWN in released["rid"].cat.categories:
        raise origin.refuse(None, "no numbered segments in numbered runs; documents are not known")
    segment = np.array([int(s) for s in names])[released["sid"].cat.codes]
    runs = pd.DataFrame(
        {"run": released["rid"].cat.codes, "system": released["sys_id"].cat.codes, "at": segment}
    ).groupby("run")
    ranges = runs["at"].agg(["min", "max", "nunique"])
    gaps = ranges["max"] - ranges["min"] + 1 != ranges["nunique"]
    if (bad := gaps | (runs["system"].nunique() > 1)).any():
        name = released["rid"].cat.categories[bad.idxmax()]
        raise origin.refuse(None, f"run {name} is not one stretch of one system's output")
    if (ranges["nunique"] == 1).all():
        return np.repeat("", len(released)).astype(object)
    ordered = ranges.sort_values(["min", "max"])
    reach = ordered["max"].cummax().shift(fill_value=-1)
    starts = ordered["min"][(ordered["min"] > reach).to_numpy()].to_numpy()
    labels = np.array([f"doc_{s:06d}" for s in starts], dtype=object)
    return labels[np.searchsorted(starts, segment, side="right") - 1]


def documents_from_names(segment: pd.Series) -> np.ndarray:
    """Documents that the segments' names begin with: `en.ndtv.com.12997_0`, `bn-hi-8-4-17.3_3`.

    The latter, Facebook's, tell one showing of a document by one system from another: no two
    systems have a segment in common. A name that is only a number tells no document: "".
    """
    facebook, usual = r"(\w+-\w+-\d+-\d+-\d+)\.(\d+)_\2", r"(.+)_\d+"
    names = [re.fullmatch(facebook, s) or re.fullmatch(usual, s) for s in segment.cat.categories]
    return np.array([m[1] if m else "" for m in names], dtype=object)[segment.cat.codes]


def documents_of(
    released: pd.DataFrame, language_pair: str, open_file: Opener, origin: Origin
) -> np.ndarray:
    """Document of each row: from the names of segments, the test set, or the runs; else ""."""
    named = documents_from_names(released["sid"])
    if (named != "").all():
        return named
    source, _, target = language_pair.partition("-")
    for year in ("2017", "2018"):
        if opened := open_file(f"newstest{year}-{source}{target}-src.{source}.sgm"):
            test_set = documents_from_source(opened[0])
            return documents_by_number(released["sid"], test_set, origin)
    try:
        return documents_from_runs(released, origin) if "rid" in released else named
    except DataError:
        return named
