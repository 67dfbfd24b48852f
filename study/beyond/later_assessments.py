"""Assessments by the protocols after DA: ESA of WMT24 and MQM of WMT21."""

import csv

import numpy as np
import pandas as pd

from study.data.sources import Source, local_files, public_files
from wmtlib.core.assessments import tidy_assessments
from wmtlib.core.errors import Origin
from wmtlib.files.judgements import pseudonyms
from wmtlib.files.read import rows

TASKS = {"en-cs": "eng-ces", "en-hi": "eng-hin", "en-ja": "eng-jpn", "en-zh": "eng-zho"}
MQM = [
    "system",
    "document",
    "segment",
    "rater",
    "source",
    "target",
    "start",
    "end",
    "severities",
]
ABSENT = "the embedded data do not hold it"


def load_esa(language_pair: str, *, source: str | Source = "auto") -> pd.DataFrame:
    """Load WMT24's error span annotations of a pair: a row per score of a segment.

    Tutorials, damaged outputs (BAD) and scores of whole documents are left out.

    Parameters
    ----------
    language_pair : "en-cs", "en-hi", "en-ja" or "en-zh"

    Returns
    -------
    DataFrame
        `assessments.ASSESSMENTS` (all rows accepted, every item SYSTEM, no HITs; `refA`
        is the human reference).

    Raises
    ------
    DataUnavailable
        The source does not have the files.
    """
    files = local_files(public_files("wmt24"), source, f"wmt24: {ABSENT}")
    tables = [rows(path).astype(str) for path in files.values()]
    table = pd.concat(tables)
    table = table[table["task"] == TASKS[language_pair]].reset_index(drop=True)
    table = table.rename(columns={"judge": "worker"}).assign(
        hit="", language_pair=language_pair, item="SYSTEM", accepted=True
    )
    return tidy_assessments(table, Origin("wmt24"))


def load_mqm(language_pair: str, *, source: str | Source = "auto") -> pd.DataFrame:
    """Load WMT21's MQM annotations of news: one row per segment, system and rater.

    In 304 rows of en-de and 1082 of zh-en the name of the document was split at its
    underscores over the next fields, so that the rater is missing, and in 281 of zh-en
    the number of the segment too: these segments are numbered in the order of their
    source texts in the file.

    Parameters
    ----------
    language_pair : "en-de" or "zh-en"

    Returns
    -------
    DataFrame
        system (human references are "ref.A" and so on); document; segment (number in
        the document); rater (`rater_001`, ...; missing where the file lacks it); major,
        minor: numbers of errors.

    Raises
    ------
    DataUnavailable
        The source does not have the file.
    """
    files = public_files("wmt21-mqm", language_pair)
    (path,) = local_files(files, source, f"wmt21-mqm: {ABSENT}").values()
    table = pd.read_csv(
        path,
        sep="\t",
        names=MQM,
        quoting=csv.QUOTE_NONE,
        dtype=str,
        keep_default_na=False,
    )
    for _ in range(2):  # where a field is no number, the document's name goes on in it
        split = ~table["segment"].str.isdecimal()
        table.loc[split, "document"] += "_" + table["segment"]
        table.loc[split, "segment"] = table["rater"]
        table.loc[split, "rater"] = np.nan
    sources = table[table["segment"].isna()].groupby("document")["source"]
    number = sources.transform(lambda source: pd.factorize(source)[0] + 1)
    table["segment"] = pd.to_numeric(table["segment"]).fillna(number).astype(np.int64)
    return table[["system", "document", "segment"]].assign(
        rater=pseudonyms(table["rater"], "rater"),
        major=table["severities"].str.count(r"\bmajor\b"),
        minor=table["severities"].str.count(r"\bminor\b"),
    )
