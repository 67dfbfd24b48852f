"""Direct assessments of WMT, and the results that their organisers computed.

Each language pair needs its own files only. WMT18-20 were released as raw scores
(`ad-latest.csv`: all judgements; `ad-good-raw-redup.csv`: the accepted ones), and so
was Facebook's campaign of 2021. The public files of WMT17, 18, 21 and 22 hold z-scores,
from which `raw_scores` recovers the scores. Simulated campaigns
replace public files that are not available; see `sources`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from study.data import assessment_catalogue, raw_scores, sources
from study.data import simulation as embedded
from study.data.assessment_catalogue import GOOD, LATEST, TO_LOAD, entry
from study.data.raw_scores import Official, RecoveredScores
from study.data.sources import Source
from study.run import keep
from wmtlib.core.assessments import (
    ITEMS,
    JOINT,
    RATED_ITEMS,
    credits,
    encode,
    tidy_assessments,
)
from wmtlib.core.errors import DataError, DataUnavailable, Origin
from wmtlib.files.contract import EXPORTS
from wmtlib.zscores import segment_means

Files = Mapping[str, Path]  # the files of a language pair, verified, by their names
EXPORT = EXPORTS["WMT direct assessment"]
RELEASED = {  # names that columns have here
    name: "worker" if role == "judge" else role
    for role, name in EXPORT["roles"].items()
    if role != "task"
}
RELEASE = [*EXPORT["header"], "rid"]  # the columns that are read; rid is a run
NOT_GIVEN = "NA"
# At most, of the accepted judgements: those that are absent from all judgements.
MISSING_SHARE = 0.01


def load_assessments(
    campaign: str, language_pair: str, *, source: str | Source = "auto"
) -> pd.DataFrame:
    """Load direct assessments of one language pair, one row per judgement.

    Parameters
    ----------
    campaign : str
        One of `assessment_catalogue.assessment_campaigns()`, or one of
        `embedded.CAMPAIGNS`, which are simulated.
    language_pair : such as "en-de"
    source : "auto", "mirror", "download", "embedded" or a `Source`

    Returns
    -------
    DataFrame
        `assessments.ASSESSMENTS`; see `assessments.tidy_assessments`. They come from
        the archive of the campaign if it is in the cache; see
        `assessment_catalogue.unpack_archive`. Otherwise all rows are accepted, and all
        scores but Facebook's are recovered; see `load_proof`.

    Raises
    ------
    DataError
        The campaign or the language pair is unknown, or a file is not what it should
        be.
    DataUnavailable
        The source does not have the single judgements.

    Examples
    --------
    >>> load_assessments("simulated-sr-dc", "qa-qb")["system"].nunique()
    6
    """
    if campaign in embedded.CAMPAIGNS:
        return embedded.embedded_campaign(campaign, language_pair)
    row = entry(campaign, language_pair)
    archive = sources.find_archive(campaign)
    depends_on = sources.pinned(campaign, language_pair)
    if archive and sources.requested_route(source) != "embedded":
        depends_on.append(archive)
        files = assessment_catalogue.archived_files(row)
        # Without the test set, the documents of WMT18 have no names.
        with suppress(DataUnavailable):
            files |= _files(campaign, language_pair, source, r"\.sgm$")
    elif row.level == "item":
        files = _files(campaign, language_pair, source)
    else:
        reason = f"{campaign} {language_pair}: {row.reason}"
        if campaign in assessment_catalogue.ARCHIVES:
            reason += f"; {assessment_catalogue.archive_advice(campaign)}"
        raise DataUnavailable(reason)
    return keep.result(
        "assessments", depends_on, _read_assessments, campaign, language_pair, files
    )


def load_proof(
    campaign: str, language_pair: str, *, source: str | Source = "auto"
) -> dict[str, float]:
    """Compare scores that were recovered from z-scores with all official numbers.

    z-scores alone are public of most of WMT17, 18, 21 and 22; see `raw_scores.prove`.
    """
    files = _files(campaign, language_pair, source)
    return raw_scores.prove(*read_z_scores(language_pair, files))


def load_segment_means(
    campaign: str, language_pair: str, *, source: str | Source = "auto"
) -> pd.DataFrame:
    """Load official means of outputs of segments (WMT17, 18, 20, 21).

    Where none are public, such as in WMT19, they come from the judgements in the
    archive.

    Returns
    -------
    DataFrame
        system, document, segment, raw (0-100), z, judgements. The SR-DC pairs of WMT18
        and 20 have the system `HUMAN`: what workers gave the references among the
        quality control.

    Raises
    ------
    DataError, DataUnavailable
        As `load_assessments`.
    """
    files = _files(campaign, language_pair, source)
    path = _file(files, "seg-scores")
    if path:
        depends_on = sources.pinned(campaign, language_pair)
        return keep.result(
            "segment-means", depends_on, _read_segment_means, path, files
        )
    if sources.find_archive(campaign):
        judgements = load_assessments(campaign, language_pair, source=source)
        return segment_means(encode(judgements))
    raise DataUnavailable(f"{campaign} {language_pair}: no segment means are public")


def load_official(
    campaign: str, language_pair: str, *, outcome: str, source: str | Source = "auto"
) -> pd.DataFrame:
    """Load an official outcome, as the organisers computed it.

    Parameters
    ----------
    outcome : str
        - "z": systems ordered by mean z-score, rounded (WMT18, 21, Facebook);
        - "systems": the same, unrounded (WMT20);
        - "clusters": the cluster of each system (WMT18, 21, Facebook);
        - "p-values": significance (WMT20).

    Returns
    -------
    DataFrame
        See `read_ranking`, `read_means`, `read_clusters` and `read_p_values`.

    Raises
    ------
    DataError, DataUnavailable
        As `load_assessments`; or the outcome is not public.
    """
    part, read = OUTCOMES[outcome]
    path = _file(_files(campaign, language_pair, source, part), part)
    if path is None:
        raise DataUnavailable(f"{language_pair}: no {outcome!r} is public")
    table = read(path)
    if outcome == "clusters":  # of all language pairs
        return table.loc[language_pair].reset_index(drop=True)
    return table


def _files(
    campaign: str, language_pair: str, source: str | Source, pattern: str = TO_LOAD
) -> dict[str, Path]:
    """Fetch the files of a language pair whose paths fit a regular expression."""
    entry(campaign, language_pair)  # refuses unknown names
    files = sources.public_files(campaign, language_pair, pattern)
    if not files:
        return {}
    instead = f"{campaign} {language_pair}: {assessment_catalogue.ONLY_SIMULATED}"
    paths = sources.local_files(files, source, instead).values()
    return {path.name: path for path in paths}


def _file(files: Files, part: str) -> Path | None:
    """Return the one file whose name contains this part, if there is one."""
    return next((path for name, path in files.items() if part in name), None)


def count_items(name: str) -> dict[str, int]:
    """Count the judgements of a row of Table 1 of Knowles (2021) by kind of item.

    Without the archive there are none: {}. For names see
    `assessment_catalogue.archived_table`.
    """
    path = assessment_catalogue.archived_table(name)
    if path is None:
        return {}
    items = pd.read_csv(path, usecols=["type"], **AS_TEXT)["type"]
    return items.value_counts().reindex(ITEMS, fill_value=0).to_dict()


# --- the organisers' own tables: pinned by the registry, so not checked ---------------

SEGMENTS = {
    "SYS": "system",
    "SID": "segment",
    "RAW.SCR": "raw",
    "Z.SCR": "z",
    "N": "judgements",
}
SYSTEMS = {
    "SYS": "system",
    "RAW.SCR": "raw",
    "Z.SCR": "z",
    "N": "segments",
    "N.ALL": "judgements",
}
AS_TEXT = {"sep": r"\s+", "keep_default_na": False}  # fields between blanks or tabs


def read_scales(path: Path) -> pd.DataFrame:
    """Read `ad-XXYY-trk-mean-sd.txt`: R's print of worker, mean and sd (or NA).

    Returns
    -------
    DataFrame
        Indexed by the released worker: `mean`, `sd` (NaN for NA), with 7 significant
        digits.
    """
    words = pd.read_csv(path, header=None, dtype=str, **AS_TEXT)
    # The first column numbers the lines, as R does: [1].
    worker, mean, sd = words[1].to_numpy().reshape(-1, 3).T
    index = pd.Index(worker, name="worker")
    table = pd.DataFrame({"mean": mean, "sd": sd}, index)
    return table.replace(NOT_GIVEN, np.nan).astype(np.float64)


def read_means(path: Path, columns: Mapping[str, str]) -> pd.DataFrame:
    """Read official means of segments (columns `SEGMENTS`) or systems (`SYSTEMS`)."""
    # All digits of a mean count, which the reader's own parser of numbers may round.
    converters = {"SYS": str, "SID": str, "RAW.SCR": float, "Z.SCR": float}
    table = pd.read_csv(path, converters=converters, **AS_TEXT)
    return table[[*columns]].rename(columns=columns)


def read_ranking(path: Path) -> pd.DataFrame:
    """Read `ad-sys-ranking-XX-YY-z.csv`: means of systems, rounded.

    Returns
    -------
    DataFrame
        system, raw, z, segments, judgements.
    """
    columns = ["raw", "z", "segments", "judgements", "system"]
    return pd.read_csv(path, names=columns, **AS_TEXT)[["system", *columns[:-1]]]


def read_clusters(path: Path) -> pd.DataFrame:
    """Read `clusters.csv`, indexed by language pair.

    Returns
    -------
    DataFrame
        system, cluster_start: the first rank of its cluster, so the same for all
        systems of one.
    """
    table = pd.read_csv(path, **AS_TEXT)
    table = table.set_index(table["SRC"] + "-" + table["TRG"])
    return table[["SYSTEM", "CLUSTER_START"]].rename(columns=str.lower)


def read_p_values(path: Path) -> pd.DataFrame:
    """Read `adwilcox-XXYY.csv`: p that the row's system is better than the column's.

    Returns
    -------
    DataFrame, shape (systems, systems)
        0.12 is in all cells that are not significant, the diagonal included.
        Systems that are named by their file (`newstest2020.en-de.OPPO.1535.sgm`) have
        it taken off.
    """
    # The header is one shorter than the rows: these have names.
    table = pd.read_csv(path, **AS_TEXT)
    short_name = partial(re.sub, r"^newstest\d+\.\w\w-\w\w\.(.+)\.sgm$", r"\1")
    return table.rename(index=short_name, columns=short_name)


# By outcome: a part of the file's name, and its reader.
OUTCOMES: dict[str, tuple[str, Callable[[Path], pd.DataFrame]]] = {
    "z": ("-z.csv", read_ranking),
    "systems": ("ad-sys-scores", partial(read_means, columns=SYSTEMS)),
    "clusters": ("clusters.csv", read_clusters),
    "p-values": ("adwilcox", read_p_values),
}


def _read_segment_means(path: Path, files: Files) -> pd.DataFrame:
    """Read official segment means of a language pair; see `load_segment_means`."""
    means = read_means(path, SEGMENTS)
    segments = pd.DataFrame({"sid": means["segment"].astype("category")})
    columns = ["system", "document", "segment", "raw", "z", "judgements"]
    return means.assign(document=documents_of(segments, files))[columns]


# --- single judgements ----------------------------------------------------------------


def _read_assessments(campaign: str, language_pair: str, files: Files) -> pd.DataFrame:
    """Read the judgements of a language pair from its raw scores or z-scores."""
    origin = Origin(f"{campaign} {language_pair}")
    if LATEST in files:
        latest = read_released(files[LATEST], language_pair)
        good = read_released(files[GOOD], language_pair)
        released, accepted = mark_accepted(latest, good, origin.name)
        # Lines of the file of all judgements; rows of the other file alone have none.
        lines = [*latest.index + 2, *[0] * (len(released) - len(latest))]
        origin = Origin(f"{origin.name}: {LATEST}", lambda row: f"line {lines[row]}")
        score = released["score"].astype(object)
    else:
        released, recovered, _, _ = read_z_scores(language_pair, files)
        accepted = np.ones(len(released), bool)
        score = recovered.scores
    frame = released.rename(columns=RELEASED).assign(
        hit=released["HITId"].astype(object).replace(NOT_GIVEN, ""),
        language_pair=language_pair,
        document=documents_of(released, files),
        score=score,
        accepted=accepted,
    )
    # A system with quality-control items only, such as `REFERENCE` in WMT17, is kept.
    return tidy_assessments(frame, origin, only_quality_control="keep")


def read_released(path: Path, language_pair: str) -> pd.DataFrame:
    """Read the judgements of a language pair in the released layout.

    Returns
    -------
    DataFrame
        Columns `RELEASE`, categories of text that occurs; the index numbers the rows of
        the file.

    Raises
    ------
    DataError
        A column is missing, a line has more or fewer fields than the first, or none is
        of the pair.
    """
    source, _, target = language_pair.partition("-")
    try:
        table = pd.read_csv(path, dtype=str, **AS_TEXT)
        if (table.iloc[:, -1] == "").any():
            raise ValueError("a line has fewer fields than the first")
        rows = table[(table["Input.src"] == source) & (table["Input.trg"] == target)]
        if rows.empty:
            raise ValueError(f"no judgements of {language_pair}")
        return rows[RELEASE].astype("category")
    # A line with more fields, not UTF-8, or no such column.
    except (KeyError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise DataError(
            f"{path}: is no release of direct assessment ({reason})"
        ) from None


def read_z_scores(
    language_pair: str, files: Files
) -> tuple[pd.DataFrame, RecoveredScores, Official, Official]:
    """Read the z-scores of a language pair and recover the scores.

    Returns
    -------
    released, recovered, scales, segments
        The judgements with their `z`; their scores; official worker scales and segment
        means, None where they are not public.
    """
    path = _file(files, "good-stnd")
    if path is None:
        raise DataUnavailable(f"{language_pair}: no z-scores are public")
    released = read_released(path, language_pair)
    released = released.assign(z=released["score"].astype(np.float64))
    segments_file = _file(files, "seg-scores")
    segments = read_means(segments_file, SEGMENTS) if segments_file else None
    scales_file = _file(files, "trk-mean-sd")
    if scales_file:
        scales = read_scales(scales_file)
        recovered = raw_scores.recover_from_scales(released, scales)
    else:
        scales = None
        recovered = raw_scores.recover_from_means(released, segments)
    return released, recovered, scales, segments


def mark_accepted(
    latest: pd.DataFrame, good: pd.DataFrame, where: str
) -> tuple[pd.DataFrame, np.ndarray]:
    """Mark which judgements of a release are accepted.

    The two files are compared as multisets of (HIT, worker, system, run, item type,
    segment, score); a joint row `A+B` of `latest` is a row for A and one for B in
    `good`. It keeps the systems that are found there (a system that was withdrawn is
    not) and is accepted if any is found. What differs only in HIT or run is matched
    without them. A quality-control item of `good` that is not in `latest` is dropped:
    acceptance means nothing for it. A SYSTEM or REPEAT row that is not is one more
    judgement of its worker.

    Parameters
    ----------
    latest, good : DataFrame
        Columns `RELEASE`, the same language pair; `good` with one row per single
        system.
    where : str
        Named in the refusal.

    Returns
    -------
    released : DataFrame
        Columns `RELEASE`: the rows of `latest`, then the rows of `good` that are absent
        there.
    accepted : array of bool, shape (rows,)

    Raises
    ------
    DataError
        More than `MISSING_SHARE` of the accepted SYSTEM and REPEAT rows are not in
        `latest`.
    """
    latest_credits = _credits(latest)
    good_credits = _credits(good)
    exact = latest_credits.columns.drop(["row", "missing"])
    for columns in (exact, exact.drop(["HITId", "rid"])):
        pairs = _missing(latest_credits, columns).merge(
            _missing(good_credits, columns), on=[*columns, "occurrence"]
        )
        latest_credits.loc[pairs["index_x"], "missing"] = False
        good_credits.loc[pairs["index_y"], "missing"] = False
    rated = good_credits[good_credits["type"].isin(RATED_ITEMS)]
    absent = np.unique(rated.loc[rated["missing"], "row"])
    if len(absent) > MISSING_SHARE * len(rated):
        raise DataError(
            f"{where}: {len(absent)} of {len(rated)} accepted judgements are not among "
            "all judgements; expected files of one release"
        )
    # A joint row of which only some systems were found keeps those.
    matched = latest_credits[~latest_credits["missing"]]
    matched_names = matched.groupby("row")["system"].agg(JOINT.join)
    names = latest["sys_id"].astype(object).to_numpy().copy()
    names[matched_names.index] = matched_names
    released = latest.assign(sys_id=pd.Categorical(names))
    if len(absent):
        tables = [released.astype(object), good.iloc[absent].astype(object)]
        released = pd.concat(tables, ignore_index=True).astype("category")
    accepted = np.isin(np.arange(len(latest)), matched_names.index)
    return released, np.append(accepted, np.ones(len(absent), bool))


def _credits(released: pd.DataFrame) -> pd.DataFrame:
    """Return keys of the judgements of each system, all marked as `missing`."""
    row, system = credits(released["sys_id"])
    keys = released[["HITId", "WorkerId", "rid", "type", "sid"]].astype(str)
    keys["score"] = pd.to_numeric(released["score"].astype(str), errors="coerce")
    keys = keys.iloc[row].reset_index(drop=True)
    return keys.assign(system=system, row=row, missing=True)


def _missing(credited: pd.DataFrame, columns: pd.Index) -> pd.DataFrame:
    """Return credits that are still missing; `occurrence` numbers equal ones."""
    missing = credited[credited["missing"]]
    occurrence = missing.groupby([*columns]).cumcount()
    return missing.assign(occurrence=occurrence).reset_index()


# --- documents ------------------------------------------------------------------------


def documents_of(released: pd.DataFrame, files: Files) -> np.ndarray:
    """Find the document of each row by segment, test set or run; else ""."""
    segments = released["sid"].cat
    named = documents_from_names(segments.categories)[segments.codes]
    if (named != "").all():
        return named
    test_set = _file(files, ".sgm")
    if test_set:
        documents = documents_from_source(test_set.read_bytes())
        names = [documents.get(segment, "") for segment in segments.categories]
        return np.array(names, dtype=object)[segments.codes]
    return documents_from_runs(released) if "rid" in released else named


def documents_from_names(segments: Sequence[str]) -> np.ndarray:
    """Find documents by names of segments: `en.ndtv.com.12997_0`, `bn-hi-8-4-17.3_3`.

    Facebook's, the latter, differ for each showing of a document by a system: no two
    systems have a segment in common. A name that is only a number has no document: "".
    """
    pattern = r"(\w+-\w+-\d+-\d+-\d+)\.(\d+)_\2|(.+)_\d+"
    matches = [re.fullmatch(pattern, name) for name in segments]
    return np.array([(m[1] or m[3]) if m else "" for m in matches], dtype=object)


def documents_from_source(data: bytes) -> dict[str, str]:
    """Find the document of each segment of a test set; segments are "1", "2", ...

    Parameters
    ----------
    data : bytes
        The source side (`newstest2018-csen-src.cs.sgm`): `<doc docid=...>` around
        `<seg>`.
    """
    pattern = r'<doc\b[^>]*docid="([^"]+)"|<seg\b'
    tags = re.findall(pattern, data.decode("utf-8-sig"), re.IGNORECASE)
    # A segment has no name of its own, but that of the last document before it.
    names = pd.Series(tags).replace("", None).ffill().fillna("")
    names = names[[tag == "" for tag in tags]]
    return {str(number): name for number, name in enumerate(names, start=1)}


def documents_from_runs(released: pd.DataFrame) -> np.ndarray:
    """Find documents by runs, in a campaign in document order without their names.

    A run (`rid`) is what a worker was shown of one document by one system: segments
    first, first + 1, ..., last. Overlapping ranges belong to one document, and ranges
    without an overlap to different ones, so the merged ranges are the documents (in
    WMT21 and 22 every two runs cover either the same segments or none in common). A
    document is named by its first segment, `doc_000123`.

    Returns
    -------
    array of str, shape (rows,)
        "" where documents are not known: segments without numbers, rows without a run,
        runs with gaps or of several systems, or all runs of one segment (shown in
        random order).
    """
    unknown = np.full(len(released), "", dtype=object)
    names = released["sid"].cat.categories
    without_run = NOT_GIVEN in released["rid"].cat.categories
    if without_run or not all(map(str.isdecimal, names)):
        return unknown
    segment = names.astype(int).to_numpy()[released["sid"].cat.codes]
    system = released["sys_id"].cat.codes.to_numpy()
    frame = pd.DataFrame({"system": system, "segment": segment})
    runs = frame.groupby(released["rid"].cat.codes.to_numpy())
    ranges = runs["segment"].agg(["min", "max", "nunique"])
    gaps = ranges["max"] - ranges["min"] + 1 != ranges["nunique"]
    mixed = runs["system"].nunique() > 1
    if (gaps | mixed).any() or (ranges["nunique"] == 1).all():
        return unknown
    ordered = ranges.sort_values(["min", "max"])
    reach = ordered["max"].cummax().shift(fill_value=-1)
    starts = ordered["min"][(ordered["min"] > reach).to_numpy()].to_numpy()
    labels = np.array([f"doc_{s:06d}" for s in starts], dtype=object)
    return labels[np.searchsorted(starts, segment, side="right") - 1]
