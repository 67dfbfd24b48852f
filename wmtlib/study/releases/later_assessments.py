"""Assessments of the protocols after direct assessment: ESA of WMT24 and MQM of WMT21."""

import csv
from collections import Counter

import numpy as np
import pandas as pd

from wmtlib.counts import pseudonyms, tidy_assessments
from wmtlib.errors import DataError, DataUnavailable, Origin
from wmtlib.study.releases.appraise_rows import HEADER, MARK, assessed
from wmtlib.study.releases.sources import Source, fetch, public_files, source_of

LANGUAGES = {"en": "eng", "cs": "ces", "hi": "hin", "ja": "jpn", "zh": "zho"}
DOMAIN = r"^test-en-([a-z]+)_"  # in the name of a document of WMT24
MQM = ["system", "document", "segment", "rater", "source", "target", "start", "end", "severities"]
SEVERITIES = ("major", "minor")
NO_ERROR = "no-error"


def load_esa(language_pair: str, *, source: str | Source = "auto") -> pd.DataFrame:
    """WMT24's error span annotations of a language pair: one row per score of a segment.

    Tutorials, damaged outputs (BAD) and scores of whole documents are left out.

    Parameters
    ----------
    language_pair : "en-cs", "en-hi", "en-ja" or "en-zh"

    Returns
    -------
    DataFrame
        `direct_assessments.ASSESSMENTS` (all rows accepted, every item SYSTEM, no HITs; `refA` is
        the human reference); domain ("news", "social", "literary", "speech"); start and end of
        the annotation, in seconds since 1970; major, minor: numbers of error spans.

    Raises
    ------
    DataError
        The language pair is unknown, or a row is not such an assessment.
    DataUnavailable
        The source does not have the files.
    """
    parts = []
    for path in _paths("wmt24", source):
        rows = pd.read_csv(path, header=None, names=HEADER, dtype=str, keep_default_na=False)
        kept, _ = assessed(rows, Origin(path, range(1, len(rows) + 1)))
        parts.append(rows[kept])
    rows = pd.concat(parts)
    tasks = rows["source_lang"] + "-" + rows["target_lang"]
    rows = rows[tasks == "-".join(LANGUAGES.get(k, k) for k in language_pair.split("-"))]
    if rows.empty:
        expected = "en-cs, en-hi, en-ja or en-zh"
        raise DataError(f"no language pair {language_pair!r} in wmt24; expected {expected}")
    rows = rows.reset_index(drop=True)
    rows["document"] = rows["document"].str.partition(MARK)[0]
    judged = rows.rename(columns={"annotator": "worker"}).assign(
        hit="", language_pair=language_pair, item="SYSTEM", accepted=True
    )
    spans = {k: rows["error_spans"].str.count(f'"severity":"{k}"') for k in SEVERITIES}
    times = {name: rows[name].astype(np.float64) for name in ("start", "end")}
    domain = rows["document"].str.extract(DOMAIN, expand=False).astype("category")
    return tidy_assessments(judged, "wmt24").assign(domain=domain, **times, **spans)


def load_mqm(language_pair: str, *, source: str | Source = "auto") -> pd.DataFrame:
    """WMT21's MQM annotations of news: one row per segment, system and rater.

    In 304 rows of en-de and 1082 of zh-en the name of the document was split at its underscores
    over the next fields, so that the rater is missing, and in 281 of zh-en the number of the
    segment too: these segments are numbered in the order of their source texts in the file.

    Parameters
    ----------
    language_pair : "en-de" or "zh-en"

    Returns
    -------
    DataFrame
        system (human references are "ref.A" and so on); document; segment (number in the
        document); rater (`rater_001`, ...; missing where the file lacks it); major, minor:
        numbers of errors.

    Raises
    ------
    DataError
        The language pair is unknown, or a row has another layout.
    DataUnavailable
        The source does not have the file.
    """
    if not (paths := _paths("wmt21-mqm", source, language_pair)):
        raise DataError(f"no language pair {language_pair!r} in wmt21-mqm; expected en-de or zh-en")
    origin = Origin(paths[0])
    with open(paths[0], encoding="utf-8", newline="") as file:
        lines = [*csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    numbers: dict[str, dict[str, int]] = {}  # of the segments of documents that lack them
    rows = []
    for line, fields in enumerate(lines, 1):
        if len(fields) != len(MQM):
            raise origin.refuse_line(line, f"{len(fields)} fields; expected {len(MQM)}")
        system, document, segment, rater, text, *_, severities = fields
        if not segment.isdecimal():  # the document's name goes on
            document, segment, rater = f"{document}_{segment}", rater, ""
        if not segment.isdecimal():
            document = f"{document}_{segment}"
            seen = numbers.setdefault(document, {})
            segment = str(seen.setdefault(text, len(seen) + 1))
        found = Counter(severities.split())
        if set(found) - {*SEVERITIES, NO_ERROR}:
            raise origin.refuse_line(line, "a severity is unknown; expected major, minor, no-error")
        rows.append((system, document, int(segment), rater, *(found[k] for k in SEVERITIES)))
    table = pd.DataFrame(rows, columns=[*MQM[:4], *SEVERITIES])
    return table.assign(rater=pseudonyms(table["rater"].replace("", np.nan), "rater"))


def _paths(campaign: str, source: str | Source, language_pair: str | None = None) -> list[str]:
    """Local paths of the public files of a campaign."""
    files = public_files(campaign, language_pair)
    source = source_of(files, source)
    if source.kind == "embedded":
        raise DataUnavailable(f"{campaign}: the embedded data do not hold it; {source.notice}")
    return [str(fetch(file, source.route, source.folder)) for file in files]
