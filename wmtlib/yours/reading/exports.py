"""Public forms of files without usual columns: Appraise's exports, releases, XML.

Appraise exports one row for each score of a segment, without a header (DA+SQM of WMT22
and 23, ESA of WMT24), with a type: TGT for a system's output, BAD for one that was
damaged to control the annotator, REF and CHK for other controls. The releases of direct
assessment (WMT17-22) have twelve columns between blanks. The XML of WMT15 and 16 holds
relative rankings: a HIT of a language pair holds ranking tasks (one segment each),
those hold results (one judge each), those hold up to five translations; a translation
names several systems where their outputs were identical.

`recipes.csv` is the table of docs/recipes.md: kinds of files, what tells them, and
commands.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

import pandas as pd

from wmtlib.errors import Origin, first_row, shown

# Forms of tables.
APPRAISE = "export of Appraise"
SEGMENT_SCORES = "segment scores"  # of mt-metrics-eval: a system and a score
RELEASE = "release"
XML = "XML"

# --- exports of Appraise --------------------------------------------------------------

WHOLE = "whole_document"  # whether a score is of the document
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
HEADERS = {  # by the number of fields
    11: [name for name in HEADER if name != "error_spans"],
    12: HEADER,
    15: ["annotator", "segment", "system", "number", *HEADER[3:], "note", "remark"],
}
TYPES = {"TGT": "SYSTEM", "BAD": "controls", "REF": "controls", "CHK": "controls"}
LEFT_OUT = ("tutorials", "controls", "whole documents")
DOCUMENT = "DOC"  # in place of TGT where a whole document has the score
SCORE = r"\s*(-?[0-9.]+|None)\s*"  # beside a system, in files without a header


def names_of(fields: Sequence[str]) -> list[str]:
    """Names of the columns if 11, 12 or 15 fields are such a row; else none.

    >>> row = "eng1 A 7 TGT eng jpn 80 doc False 1.5 2.5".split()
    >>> names_of(row)[-3:], names_of(HEADER)
    (['whole_document', 'start', 'end'], [])
    """
    names = [*HEADERS.get(len(fields), ())]
    if not names:
        return []
    row = dict(zip(names, fields, strict=True))
    is_document = row[WHOLE] in ("True", "False")
    is_score = re.fullmatch("[0-9.]+", row["score"])
    return names if row["item"] in TYPES and is_document and is_score else []


def without_documents(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows of an export, of which those of whole documents have a type of their own."""
    is_document = (frame[WHOLE] == "True") & (frame["item"] == "TGT")
    item = frame["item"].mask(is_document, DOCUMENT)
    return frame.assign(item=item).drop(columns=WHOLE)


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
    if (row := first_row(~frame["item"].isin([*TYPES, DOCUMENT]))) is not None:
        kind = shown(frame["item"].iloc[row])
        raise origin.refuse(f"type is {kind}; expected {', '.join(TYPES)}", row=row)
    kind = frame["item"].astype(object).map(TYPES).fillna("whole documents")
    if "document" in frame:
        kind[frame["document"].str.contains("tutorial")] = "tutorials"
        # After the name there may be "#bad" (if damaged), "#incomplete" or "#dup".
        document = frame["document"].str.replace(
            "#(bad|incomplete|dup).*", "", regex=True
        )
        frame = frame.assign(document=document.astype("category"))
    numbers = [f"{n} rows of {k}" for k in LEFT_OUT if (n := (kind == k).sum())]
    remark = f"; left out: {', '.join(numbers)}" if numbers else ""
    return frame[kind == "SYSTEM"].assign(item="SYSTEM"), remark


# --- releases of direct assessment ----------------------------------------------------

RELEASED = {  # columns of a release, and what they are called here
    "HITId": "hit",
    "WorkerId": "worker",
    "Input.src": "source_lang",
    "Input.trg": "target_lang",
    "type": "item",
    "sys_id": "system",
    "sid": "segment",
    "score": "score",
}
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


# --- every kind of file ---------------------------------------------------------------

RECIPES = Path(__file__).with_name("recipes.csv")  # names of columns between backticks


def nearest(columns: Iterable[str]) -> str:
    """The file that has most of its columns among these; "" if none has more than half.

    Of names only letters and figures count.

    >>> nearest(["userid", "annotation", "time"])
    'pearmut'
    """
    recipes = pd.read_csv(RECIPES)
    told_by = recipes["told_by"].str.replace("_", "").str.lower()
    names = told_by.str.findall(r"`(\w+)`").map(set)
    share = names.map({*columns}.intersection).map(len) / names.map(len).clip(2)
    return str(recipes["file"][share.argmax()]) if share.max() > 0.5 else ""
