"""Public forms of files without usual columns: Appraise's exports, releases, XML.

Appraise exports one row for each score of a segment, without a header (DA+SQM of WMT22
and 23, ESA of WMT24), with a type: TGT for a system's output, BAD for one that was
damaged to control the annotator, REF and CHK for other controls. The releases of direct
assessment (WMT17-22) have twelve columns between blanks. The XML of WMT15 and 16 holds
relative rankings: a HIT of a language pair holds ranking tasks (one segment each),
those hold results (one judge each), those hold up to five translations; a translation
names several systems where their outputs were identical.
"""

import re
from collections.abc import Sequence
from xml.etree import ElementTree
from xml.parsers import expat

import pandas as pd

from wmtlib.errors import Origin, first_row, shown

# Forms of tables.
APPRAISE = "export of Appraise"
RELEASE = "release"
XML = "XML"

# --- exports of Appraise --------------------------------------------------------------

WHOLE = "whole_document"  # whether a score is of the document; such rows are left out
HEADER = (
    "annotator",
    "system",
    "segment",
    "item",
    "source_lang",
    "target_lang",
    "score",
    "document",
    WHOLE,
    "error_spans",
    "start",
    "end",
)
TYPES = ("TGT", "BAD", "REF", "CHK")


def names_of(fields: Sequence[str]) -> list[str]:
    """Names of the columns if 12 or 11 fields are a row of such an export; else none.

    >>> row = "eng1 A 7 TGT eng jpn 80 doc False 1.5 2.5".split()
    >>> names_of(row)[-3:], names_of(HEADER)
    (['whole_document', 'start', 'end'], [])
    """
    names = [*HEADER]
    if len(fields) != len(HEADER):
        names.remove("error_spans")
    if len(fields) != len(names):
        return []
    row = dict(zip(names, fields, strict=True))
    is_document = row[WHOLE] in ("True", "False")
    is_score = re.fullmatch("[0-9.]+", row["score"])
    return names if row["item"] in TYPES and is_document and is_score else []


def has_types(frame: pd.DataFrame) -> bool:
    """Whether items are of Appraise's types, whatever the file's columns are."""
    return "item" in frame and "TGT" in frame["item"].cat.categories


def of_systems(frame: pd.DataFrame, origin: Origin) -> tuple[pd.DataFrame, str]:
    """The rows that are assessments of segments of systems, and a remark on the others.

    Left out are the documents of the tutorial, controls, and scores of whole documents.

    Raises
    ------
    DataError
        A row has a type that is unknown.
    """
    if (row := first_row(~frame["item"].isin(TYPES))) is not None:
        kind = shown(frame["item"].iloc[row])
        raise origin.refuse(f"type is {kind}; expected {', '.join(TYPES)}", row=row)
    left_out = {"controls": frame["item"] != "TGT"}
    if "document" in frame:
        is_tutorial = frame["document"].str.contains("tutorial")
        left_out = {"tutorials": is_tutorial} | left_out
    if WHOLE in frame:
        left_out["whole documents"] = frame[WHOLE] == "True"
    words = []
    for kind, marked in left_out.items():
        is_left_out = marked[frame.index]
        if is_left_out.any():
            words.append(f"{int(is_left_out.sum())} rows of {kind}")
        frame = frame[~is_left_out]
    if "document" in frame:
        # After the name there may be "#bad" (if damaged), "#incomplete" or "#dup".
        document = frame["document"].str.replace(
            "#(bad|incomplete|dup).*", "", regex=True
        )
        frame = frame.assign(document=document.astype("category"))
    item = frame["item"].cat.rename_categories({"TGT": "SYSTEM"})
    item = item.cat.set_categories(["SYSTEM"])
    remark = f"; left out: {', '.join(words)}" if words else ""
    return frame.drop(columns=WHOLE, errors="ignore").assign(item=item), remark


# --- releases of direct assessment ----------------------------------------------------

RELEASED = {  # roles of the columns of a release
    "hit": "HITId",
    "worker": "WorkerId",
    "task": "Input.src",
    "target": "Input.trg",
    "item": "type",
    "system": "sys_id",
    "segment": "sid",
    "score": "score",
}
UNKNOWN = "NA"  # a HIT that is not known
ABOUT_RELEASE = "the layout of WMT's releases of direct assessment"


# --- relative rankings in XML ---------------------------------------------------------


def read_xml(data: bytes, origin: Origin) -> pd.DataFrame:
    """All rankings of a file, one row for each ranked system; empty results give none.

    Returns
    -------
    DataFrame
        Columns task ("deu-eng"), ranking (from 1), segment, judge (`judge_001`, ... by
        first appearance: no user's name is kept), system, rank; "" where nothing
        stands. Identical outputs, judged once, get the same rank.

    Raises
    ------
    DataError
        What is not XML, or not such rankings.
    """
    before, doctype, _ = data.partition(b"<!DOCTYPE")
    if doctype:
        raise origin.refuse_line(
            1 + before.count(b"\n"),
            "declares a document type; expected none, entities are not expanded",
        )
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise origin.refuse_line(
            error.position[0], f"is not XML ({expat.ErrorString(error.code)})"
        ) from None
    rows = []
    outputs = 0
    judges = {"": ""}
    for hit in root.iter("HIT"):
        languages = [hit.get(f"{side}-language", "") for side in ("source", "target")]
        task = "-".join(languages) if all(languages) else ""
        for segment in hit.iter("ranking-task"):
            for result in segment.iter("ranking-result"):
                user = result.get("user", "")
                judge = judges.setdefault(user, f"judge_{len(judges):03d}")
                ranking = (task, id(result), segment.get("id", ""), judge)
                for output in result.iter("translation"):
                    rank = output.get("rank", "")
                    for system in output.get("system", "").split(","):
                        rows.append((*ranking, system, rank))
                    outputs += 1
    if not rows:
        raise origin.refuse("is XML without rankings; expected those of WMT15 or WMT16")
    if outputs != len([*root.iter("translation")]):
        raise origin.refuse("holds a translation outside a ranking-result of a HIT")
    columns = ["task", "ranking", "segment", "judge", "system", "rank"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.assign(ranking=pd.factorize(frame["ranking"])[0] + 1)
