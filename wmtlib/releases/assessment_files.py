"""Direct assessments as they were released, read into one table.

WMT18-20 were released as raw scores (`ad-latest.csv`: all judgements; `ad-good-raw-redup.csv`: the
accepted ones), and so was Facebook's campaign of 2021. Of WMT17, 18, 21 and 22 the public files
hold z-scores, from which `standardised` recovers the scores.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.judgements import direct_assessments, errors
from wmtlib.judgements.direct_assessments import JOINT, RATED_ITEMS, credits
from wmtlib.judgements.errors import DataError, DataUnavailable, Origin
from wmtlib.releases import archives, official_tables
from wmtlib.releases.official_tables import Opener, read_table
from wmtlib.releases.raw_scores import (
    Recovery,
    Standardised,
    proof,
    recover_from_scales,
    recover_from_segments,
)

__all__ = ["Recovery", "proof"]

RELEASED = [
    "HITId",
    "WorkerId",
    "Input.src",
    "Input.trg",
    "Input.item",
    "hit",
    "sys_id",
    "rid",
    "type",
    "sid",
    "score",
    "time",
]
UNKNOWN = "NA"
MISSING_SHARE = 0.01  # of accepted judgements that stand nowhere among all judgements


# --- judgements ----------------------------------------------------------------------------------


def read_released(data: bytes, origin: Origin) -> pd.DataFrame:
    """Read judgements in the released layout: columns `RELEASED`, as text; see `read_table`."""
    return read_table(data, RELEASED, origin)


def of_pair(released: pd.DataFrame, language_pair: str, origin: Origin) -> pd.DataFrame:
    """The rows of one language pair; their index is the row of the file.

    Raises
    ------
    DataError
        There is none.
    """
    source, _, target = language_pair.partition("-")
    mask = (released["Input.src"] == source) & (released["Input.trg"] == target)
    if not mask.any():
        pairs = released[["Input.src", "Input.trg"]].drop_duplicates().astype(str).agg("-".join, 1)
        raise origin.refuse(None, f"no {language_pair}; there are {', '.join(sorted(pairs))}")
    rows = released[mask.to_numpy()]
    return rows.apply(lambda column: column.cat.remove_unused_categories())


def tidy(
    released: pd.DataFrame,
    language_pair: str,
    origin: Origin,
    *,
    document: Sequence[str],
    score: np.ndarray | None = None,
    accepted: np.ndarray | None = None,
) -> pd.DataFrame:
    """From the released layout to `direct_assessments.ASSESSMENTS`.

    Parameters
    ----------
    released : DataFrame
        Columns `RELEASED`, one language pair.
    document : sequence of str
        Document of each row, "" where it is not known.
    score : array, shape (rows,), optional
        Scores from 0 to 100; those of the file if not given.
    accepted : array of bool, shape (rows,), optional
        Which judgements passed quality control; all if not given.

    Returns
    -------
    DataFrame
        See `direct_assessments.tidy_assessments`. `hit` is "" where the release says NA. A system
        that stands only in quality control, such as `REFERENCE` in WMT17, is kept.
    """
    frame = pd.DataFrame(
        {
            "hit": released["HITId"].astype(str).replace(UNKNOWN, "").to_numpy(),
            "worker": released["WorkerId"].array,
            "language_pair": language_pair,
            "system": released["sys_id"].array,
            "item": released["type"].array,
            "document": document,
            "segment": released["sid"].array,
            "score": released["score"].astype(str).to_numpy() if score is None else score,
            "accepted": np.ones(len(released), bool) if accepted is None else accepted,
        }
    )
    return direct_assessments.tidy_assessments(frame, origin, only_quality_control="keep")


@dataclass(frozen=True)
class Matching:
    """Accepted judgements found again among all judgements.

    Attributes
    ----------
    released : DataFrame
        Columns `RELEASED`: all judgements, then the accepted ones that are not among them.
    accepted : array of bool, shape (rows,)
        Whether a judgement is among the accepted.
    appended : int
        How many rows at the end are accepted but not among all judgements.
    """

    released: pd.DataFrame
    accepted: np.ndarray
    appended: int


def match(latest: pd.DataFrame, good: pd.DataFrame, origin: Origin) -> Matching:
    """Which of all judgements are accepted.

    The two files are compared as multisets of (HIT, worker, system, run, item type, segment,
    score); a joint row `A+B` of `latest` is a row for A and one for B in `good`. It keeps the
    systems that are found there (a system that was withdrawn is not) and is accepted if there is
    any. What differs in HIT or run only is matched without them. A quality-control item of `good`
    that is not in `latest` is dropped: acceptance means nothing for it. A SYSTEM or REPEAT row
    that is not is kept, at the end, as one more judgement of its worker.

    Parameters
    ----------
    latest, good : DataFrame
        Columns `RELEASED`, the same language pair; `good` with one row per single system.
    origin : Origin
        The file of `good`.

    Raises
    ------
    DataError
        More than `MISSING_SHARE` of the accepted SYSTEM and REPEAT rows are not in `latest`.
    """
    row, single = credits(latest["sys_id"])
    good_row, good_single = credits(good["sys_id"])
    left = _keys(latest, row, single)
    right = _keys(good, good_row, good_single)
    found, missing = np.zeros(len(row), bool), np.ones(len(good_row), bool)
    for columns in (list(left.columns), [c for c in left.columns if c not in ("HITId", "rid")]):
        a, b = np.flatnonzero(~found), np.flatnonzero(missing)
        pairs = (
            _counted(left.iloc[a], columns)
            .reset_index()
            .merge(_counted(right.iloc[b], columns).reset_index(), on=[*columns, "time over"])
        )
        found[pairs["index_x"]] = True
        missing[pairs["index_y"]] = False
    rated = right["type"].isin(RATED_ITEMS).to_numpy()
    lost = np.unique(good_row[missing & rated])
    if len(lost) > MISSING_SHARE * rated.sum():
        what = f"is accepted but not among all judgements, like {len(lost)} of {rated.sum()} rows"
        raise origin.refuse(int(good.index[lost[0]]), f"{what}; expected files of one release")
    accepted = np.bincount(row[found], minlength=len(latest)) > 0
    parts = np.bincount(row, minlength=len(latest))
    partly = accepted & (np.bincount(row[found], minlength=len(latest)) < parts)
    system = latest["sys_id"].astype(object).to_numpy().copy()
    kept = np.flatnonzero(found & partly[row])
    system[partly] = pd.Series(single[kept]).groupby(row[kept]).agg(JOINT.join).to_numpy()
    released = latest.assign(sys_id=pd.Categorical(system))
    if len(lost):
        extra = good.iloc[lost].astype(object)
        released = pd.concat([released.astype(object), extra], ignore_index=True).astype("category")
    accepted = np.append(accepted, np.ones(len(lost), bool))
    return Matching(released, accepted, len(lost))


def _keys(released: pd.DataFrame, row: np.ndarray, single: np.ndarray) -> pd.DataFrame:
    """What tells one judgement of one system from another; index 0..."""
    columns = ["HITId", "WorkerId", "rid", "type", "sid", "score"]
    keys = released[columns].iloc[row].reset_index(drop=True).astype(str)
    score = pd.to_numeric(keys["score"], errors="coerce")
    return keys.assign(system=single, score=score)


def _counted(keys: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """The keys, and how many equal ones stood before each."""
    return keys[columns].assign(**{"time over": keys.groupby(columns).cumcount()})


# --- documents -----------------------------------------------------------------------------------


def documents_from_source(data: bytes, origin: Origin) -> list[str]:
    """Document of each segment of a test set: `[k]` is that of segment k + 1.

    Parameters
    ----------
    data : bytes
        The source side (`newstest2018-csen-src.cs.sgm`): `<doc docid=...>` around `<seg>`.
    """
    errors.require_text(data, "UTF-8 text with <doc> and <seg>", origin)
    documents, current = [], None
    for found in re.finditer(r"<doc\b([^>]*)>|<seg\b", data.decode("utf-8-sig"), re.IGNORECASE):
        if found[1] is None:
            if current is None:
                raise origin.refuse(None, "a <seg> stands outside any <doc>")
            documents.append(current)
        elif (name := re.search(r'docid="([^"]+)"', found[1], re.IGNORECASE)) is None:
            raise origin.refuse(None, "a <doc> has no docid")
        else:
            current = name[1]
    if not documents:
        raise origin.refuse(None, "holds no <seg>")
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
    + 1, ..., last. Overlapping ranges belong to one document, and ranges that nothing joins are
    told apart, so the merged ranges are the documents (in WMT21 and 22 every two runs cover
    either the same segments or none in common). A document is named by its first segment,
    `doc_000123`. Where all runs are of one segment (shown in random order), documents are not
    known and "" is returned.

    Returns
    -------
    array of str, shape (rows,)

    Raises
    ------
    DataError
        A run has gaps or several systems, or a segment's number is none.
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


# --- a language pair -----------------------------------------------------------------------------


NEEDED = r"good-stnd|trk-mean-sd|seg-scores|ad-latest|ad-good-raw|\.sgm$"  # to load assessments


def catalogue(path: Path) -> pd.DataFrame:
    """Every language pair: campaign, language_pair, style, interface, paper, level, reason.

    `level` is what public repositories hold: "item" (single judgements), "segment" (means) or
    "none"; `reason` says why not more.
    """
    table = pd.read_csv(path, keep_default_na=False)
    return table.assign(paper=table["paper"] == "yes")


def described(path: Path, campaign: str, language_pair: str) -> Any:
    """The catalogue's row of a language pair.

    Raises
    ------
    DataError
        There is none.
    """
    table = catalogue(path)
    if (rows := table[table["campaign"] == campaign]).empty:
        known = ", ".join(table["campaign"].unique())
        raise DataError(f"no campaign {campaign!r} of direct assessment; known are {known}")
    if (one := rows[rows["language_pair"] == language_pair]).empty:
        known = ", ".join(rows["language_pair"])
        raise DataError(f"no language pair {language_pair!r} in {campaign}; there are {known}")
    return next(one.itertuples())


def standardised(language_pair: str, open_file: Opener) -> Standardised:
    """Read the z-scores of a language pair and recover the scores."""
    if (opened := next(filter(None, map(open_file, _code(language_pair))), None)) is None:
        raise DataUnavailable(f"{language_pair}: no z-scores are public")
    data, origin = opened
    released = of_pair(read_released(data, origin), language_pair, origin)
    z = official_tables.numbers(released["score"], "score", origin)
    scales = segments = None
    if opened := open_file(f"ad-seg-scores-{language_pair}.csv"):
        segments = official_tables.read_means(opened[0], official_tables.SEGMENTS, opened[1])
    if opened := open_file(_code(language_pair)[0].replace("good-stnd.csv", "trk-mean-sd.txt")):
        scales = official_tables.read_scales(*opened)
        recovery = recover_from_scales(z, released["WorkerId"], scales, origin)
    else:
        recovery = recover_from_segments(released, z, segments, origin)
    return Standardised(released, z, scales, segments, recovery)


def load(campaign: str, language_pair: str, open_file: Opener) -> pd.DataFrame:
    """Assessments of a language pair from what public repositories hold."""
    if campaign == "facebook21":
        return from_raw(*_both(open_file), language_pair, open_file)
    read = standardised(language_pair, open_file)
    origin = Origin(f"{campaign} {language_pair}")
    document = _documents(read.released, language_pair, open_file, origin)
    scores = read.recovery.scores
    return tidy(read.released, language_pair, origin, document=document, score=scores)


def segment_means(campaign: str, language_pair: str, open_file: Opener) -> pd.DataFrame:
    """Official segment means of a language pair; see `assessment_releases.load_segment_means`."""
    if (opened := open_file(f"ad-seg-scores-{language_pair}.csv")) is None:
        raise DataUnavailable(f"{campaign} {language_pair}: no segment means are public")
    means = official_tables.read_means(opened[0], official_tables.SEGMENTS, opened[1])
    sid = means["segment"].astype("category")
    document = _documents(pd.DataFrame({"sid": sid}), language_pair, open_file, opened[1])
    if (document == "").all() and (opened := open_file(_code(language_pair)[1])):
        released = of_pair(read_released(*opened), language_pair, opened[1])
        by_run = documents_from_runs(released, opened[1])
        known = dict(zip(released["sid"], by_run, strict=True))
        document = sid.map(known).astype(object).fillna("").to_numpy()
    return means.assign(document=document)[
        ["system", "document", "segment", "raw", "z", "judgements"]
    ]


def _code(language_pair: str) -> tuple[str, str]:
    """Names of the files of z-scores: one row per judgement, or one row per system."""
    code = language_pair.replace("-", "")
    return f"ad-{code}-good-stnd.csv", f"ad-{code}-good-stnd-redup.csv"


def _both(open_file: Opener) -> tuple[tuple[pd.DataFrame, Origin], ...]:
    opened = [open_file(name) for name in (archives.LATEST, archives.GOOD)]
    return tuple((read_released(data, origin), origin) for data, origin in opened)


def from_raw(
    latest: tuple[pd.DataFrame, Origin],
    good: tuple[pd.DataFrame, Origin],
    language_pair: str,
    open_file: Opener,
) -> pd.DataFrame:
    """Assessments of a language pair from all judgements and the accepted ones; see `match`.

    Parameters
    ----------
    latest, good : pair of DataFrame and Origin
        Columns `RELEASED`, all language pairs.
    """
    all_rows, accepted = (of_pair(f, language_pair, o) for f, o in (latest, good))
    matching = match(all_rows, accepted, good[1])
    lines = [*all_rows.index + 2, *[0] * matching.appended]
    origin = Origin(latest[1].name, lines)
    document = _documents(matching.released, language_pair, open_file, origin)
    return tidy(
        matching.released,
        language_pair,
        origin,
        document=document,
        accepted=matching.accepted,
    )


def from_archive(found: archives.Found, row: Any, open_file: Opener) -> pd.DataFrame:
    """Assessments of a language pair (a row of the `catalogue`) from a release of its campaign."""
    latest, good = _of_archive(found, row.style, row.interface)
    return from_raw(latest, good, row.language_pair, open_file)


@lru_cache(maxsize=2)  # one release holds many language pairs
def _of_archive(
    found: archives.Found, style: str, interface: str
) -> tuple[tuple[pd.DataFrame, Origin], ...]:
    data = archives.read(found, style, interface)
    return _both(lambda name: (data[name], Origin(f"{found.path}: {name}")))


def _documents(
    released: pd.DataFrame, language_pair: str, open_file: Opener, origin: Origin
) -> np.ndarray:
    """Document of each row: from the names of segments, the test set, or the runs; else ""."""
    named = documents_from_names(released["sid"])
    if (named != "").all():
        return named
    source, _, target = language_pair.partition("-")
    for year in ("2017", "2018"):
        if opened := open_file(f"newstest{year}-{source}{target}-src.{source}.sgm"):
            test_set = documents_from_source(*opened)
            return documents_by_number(released["sid"], test_set, origin)
    try:
        return documents_from_runs(released, origin) if "rid" in released else named
    except DataError:
        return named
