"""Public forms of files without usual columns: Appraise's exports, releases, XML.

Appraise exports one row for each score of a segment, without a header (DA+SQM of WMT22
and 23, ESA of WMT24), with a type: TGT for a system's output, BAD for one that was
damaged to control the annotator, REF and CHK for other controls. The releases of direct
assessment (WMT17-22) have twelve columns between blanks. The XML of WMT15 and 16 holds
relative rankings: a HIT of a language pair holds ranking tasks (one segment each),
those hold results (one judge each), those hold up to five translations; a translation
names several systems where their outputs were identical.

`RECIPES` is the table of docs/recipes.md: kinds of files, what tells them, commands.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple
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
HEADERS = {  # by the number of fields
    11: [name for name in HEADER if name != "error_spans"],
    12: HEADER,
    15: ["annotator", "segment", "system", "number", *HEADER[3:], "note", "remark"],
}
TYPES = ("TGT", "BAD", "REF", "CHK")
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


# --- every kind of file ---------------------------------------------------------------

INVENTED = "invented"  # files of the tests
SOURCE = "invented; the format is known from its source only"
RANK = "rank FILE"
RAW = "rank FILE --method raw-score"


class Recipe(NamedTuple):
    """A kind of file; names of columns stand between backticks."""

    file: str
    told_by: str
    command: str = RANK
    tried_on: str = INVENTED


RECIPES = (
    Recipe(
        "comparisons",
        "two systems (`a`, `b`; `model_a`, `model_b`; `system1`, `system2`; `left`,"
        " `right`; ...) and `outcome` (or `winner`, `verdict`, `preference`, `result`)",
        RANK,
        "`dustalov/llmfao/crowd-comparisons.csv`",
    ),
    Recipe("the same, counted", "one more column, `count`; perhaps `judge_group`"),
    Recipe(
        "winners", "`winner`, `loser`; perhaps `is_tie` (or `draw`, `tied`, `result`)"
    ),
    Recipe("numbers of wins", "two systems, `wins_a`, `wins_b`; perhaps `ties`"),
    Recipe("scores side by side", "two systems, `score_a`, `score_b`: the higher wins"),
    Recipe(
        "a matrix of wins", "the first column names the systems of the other columns"
    ),
    Recipe(
        "official pairs of WMT13-16",
        "`srclang`, `trglang`, `srcIndex`, `judgeID`, `system1Id`, `system1rank`,"
        " `system2Id`, `system2rank`, `rankingID`",
        RANK,
        "`cfedermann/wmt16/data/wmt16.deu-eng.csv`",
    ),
    Recipe("rankings", "`ranking`, `system`, `rank`; or `segment`, `system`, `rank`"),
    Recipe(
        "WMT10-12",
        "`system1Id` ... `system5rank`",
        RANK,
        "`alopez/wmt-ranking/raw_data/wmt12/wmt12.RNK_results.csv`",
    ),
    Recipe("XML of WMT15-16", "`<HIT>`", RANK, "`cfedermann/wmt16/data/wmt16.xml.gz`"),
    Recipe(
        "assessments",
        "`worker`, `system`, `segment`, `score` (without `worker`: raw scores); perhaps"
        " `hit`, `document`, `item`, `accepted`",
        RANK,
        "`examples/assessments.csv` (simulated)",
    ),
    Recipe("penalties", "the same, low scores are good", "rank FILE --lower-is-better"),
    Recipe(
        "segments by systems",
        "`segment`; every other column of numbers is a system",
    ),
    Recipe(
        "releases of direct assessment",
        "the 12 columns of WMT17-22 (`HITId`, `WorkerId`, ...)",
        RANK,
        "`wmt-conference/wmt21-news-systems/humaneval/facebook-wikipedia-2021/"
        "ad-good-raw-redup.csv`",
    ),
    Recipe(
        "Appraise",
        "11, 12 or 15 fields without a header; or types TGT, BAD, ... in `item_type`",
        RANK,
        "`wmt-conference/wmt24-news-systems/humeval/esa_generalMT2024_wave2.csv` (12"
        " fields); others: invented",
    ),
    Recipe(
        "pearmut",
        "`user_id`, `item_i`, `annotation` (objects, or lists of them)",
        RANK,
        SOURCE,
    ),
    Recipe("WMT25", "`doc_id`, `scores` (by system)", RANK, SOURCE),
    Recipe(
        "MQM of Google",
        "`system`, `doc`, `seg_id`, `rater`, `category`, `severity`",
        RAW,
        SOURCE,
    ),
    Recipe(
        "error spans alone",
        "`system`, `segment`, `error_spans` (or `errors`, `spans`)",
        "rank FILE --preset mqm --method raw-score",
    ),
    Recipe(
        "mt-metrics-eval",
        "`.seg.score`: a system and a score, or None, without a header",
        RANK,
        SOURCE,
    ),
    Recipe("Kaggle's LMSYS", "`winner_model_a`, `winner_model_b`, `winner_tie`"),
    Recipe(
        "LMArena",
        "`model_a`, `model_b`, `winner`, `evaluation_session_id`",
        RANK,
        SOURCE,
    ),
    Recipe(
        "ComparIA",
        "`model_a_name`, `model_b_name`, `chosen_model_name`, `both_equal`",
        RANK,
        SOURCE,
    ),
    Recipe("Label Studio", "`rating` (a number, or a list in JSON), or `preference`"),
)


def as_markdown() -> str:
    """The table of docs/recipes.md."""
    lines = ["| file | told by | command | tried on |", "| --- | --- | --- | --- |"]
    for recipe in RECIPES:
        command = f"`wmtlib {recipe.command}`"
        cells = (recipe.file, recipe.told_by, command, recipe.tried_on)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def nearest(columns: Iterable[str]) -> str:
    """The file that has most of its columns among these; "" if none has more than half.

    Of names only letters and figures count.

    >>> nearest(["userid", "annotation", "time"])
    'pearmut'
    """
    header = {*columns}

    def share(recipe: Recipe) -> float:
        names = {*re.findall(r"`(\w+)`", recipe.told_by.replace("_", "").lower())}
        return len(names & header) / max(len(names), 2)

    best = max(RECIPES, key=share)
    return best.file if share(best) > 0.5 else ""
