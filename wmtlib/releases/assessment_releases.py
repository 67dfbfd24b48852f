"""Where the judgements come from: mirror, download or embedded, in that order.

The registry, `data/registry.csv`, pins every public file to a commit, a size and a SHA-256; a file
that does not match is named and refused. Where neither a mirror nor a network is at hand, the
win/tie/loss counts that the repository carries do the work that needs no single judgement, and
simulated campaigns stand in for direct assessments. Each campaign needs its own files only.
"""

import re
from pathlib import Path
from typing import Any

import pandas as pd

from wmtlib.judgements.errors import DataUnavailable, Origin
from wmtlib.releases import (
    archives,
    assessment_files,
    official_tables,
    raw_scores,
    raw_scores_proof,
)
from wmtlib.releases.sources import (
    DATA,
    RELATIVE_CAMPAIGNS,
    Source,
    fetch,
    mirror_folder,
    public_files,
    requested_route,
    source_of,
)
from wmtlib.simulation import embedded

ASSESSED = DATA / "assessed.csv"  # the language pairs of direct assessment


def everything() -> list[str]:
    """Names of all campaigns of the study, for `resolve`."""
    return [*RELATIVE_CAMPAIGNS, *assessment_campaigns()]


def assessment_campaigns() -> list[str]:
    """Names of the campaigns of direct assessment."""
    return list(assessment_files.catalogue(ASSESSED)["campaign"].unique())


def assessed(source: str | Source = "auto") -> pd.DataFrame:
    """Every campaign and language pair of direct assessment, and what there is of it.

    Parameters
    ----------
    source : "auto", "mirror", "download", "embedded" or a `Source`
        "auto" is the mirror if `$WMTLIB_DATA` is set, else the download. Nothing is downloaded to
        find out; files in a mirror are looked for, not verified.

    Returns
    -------
    DataFrame
        campaign; language_pair; style ("SR-DC", "SR+DC" or "mixed"); interface; paper (whether
        it is one of the 46 of Knowles 2021); status: "present" (single judgements), "partial"
        (segment means only) or "absent"; reason, in words, if it is not "present".
    """
    route = requested_route(source)
    if route == "auto":
        route = "mirror" if mirror_folder() else "download"
    table = assessment_files.catalogue(ASSESSED)
    in_place = {c for c in table["campaign"].unique() if route != "embedded" and archives.find(c)}
    statuses = [_status(row, route, row.campaign in in_place) for row in table.itertuples()]
    statuses = pd.DataFrame(statuses, columns=["status", "reason"])
    return table.drop(columns=["level", "reason"]).join(statuses)


def _status(row: Any, route: str, in_place: bool) -> tuple[str, str]:
    """Status and reason of one language pair, a row of the catalogue."""
    if route == "embedded":
        return "absent", "the embedded data hold simulated campaigns only"
    if in_place:
        return "present", ""
    if row.level == "none":
        return "absent", f"{row.reason}; {archives.advice(row.campaign)}"
    if route == "mirror":
        mirror = mirror_folder() or Path()
        for file in public_files(row.campaign, row.language_pair, assessment_files.NEEDED):
            if not (path := mirror / file.repository / file.path).is_file():
                return "absent", f"no such file in the mirror: {path}"
    return ("present", "") if row.level == "item" else ("partial", row.reason)


def load_assessments(
    campaign: str, language_pair: str, *, source: str | Source = "auto"
) -> pd.DataFrame:
    """Direct assessments of one language pair, one row per judgement.

    Parameters
    ----------
    campaign : str
        One of `assessment_campaigns()`, or one of `embedded.CAMPAIGNS`, which need no data.
    language_pair : such as "en-de"
    source : "auto", "mirror", "download", "embedded" or a `Source`

    Returns
    -------
    DataFrame
        `direct_assessments.ASSESSMENTS`; see `direct_assessments.tidy_assessments`. They come from
        the archive of the campaign if it is in the cache (see `archives.unpack`). Otherwise all
        rows are accepted, and all scores but Facebook's are recovered; see `load_recovery`.

    Raises
    ------
    DataError
        There is no such campaign or language pair, or a file is not what it should be.
    DataUnavailable
        The source does not have the single judgements.
    """
    if campaign in embedded.CAMPAIGNS:
        return embedded.embedded_campaign(campaign, language_pair)
    row = assessment_files.described(ASSESSED, campaign, language_pair)
    if requested_route(source) != "embedded" and (archive := archives.find(campaign)):
        try:
            open_file = _opener(campaign, language_pair, source, r"\.sgm$")
        except DataUnavailable:  # without the test set, the documents of WMT18 have no names
            open_file = {}.get
        return assessment_files.from_archive(archive, row, open_file)
    if row.level == "item":
        open_file = _opener(campaign, language_pair, source, assessment_files.NEEDED)
        return assessment_files.load(campaign, language_pair, open_file)
    advice = f"; {archives.advice(campaign)}" if campaign in archives.NAMES else ""
    raise DataUnavailable(f"{campaign} {language_pair}: {row.reason}{advice}")


def load_recovery(
    campaign: str, language_pair: str, *, source: str | Source = "auto"
) -> tuple[raw_scores.Recovery, dict[str, float]]:
    """How the scores of WMT17, 18, 21, 22 were recovered from z-scores, and the proof of it.

    Returns
    -------
    Recovery, dict
        See `assessments.Recovery` and `assessments.proof`.
    """
    open_file = _opener(campaign, language_pair, source, assessment_files.NEEDED)
    read = assessment_files.standardised(language_pair, open_file)
    return read.recovery, raw_scores_proof.proof(read)


def load_segment_means(
    campaign: str, language_pair: str, *, source: str | Source = "auto"
) -> pd.DataFrame:
    """Official means of one system's output for one segment (WMT17, 18, 20, 21).

    Returns
    -------
    DataFrame
        system, document, segment, raw (0-100), z, judgements. The SR-DC pairs of WMT18 and 20
        have the system `HUMAN`: what workers gave the references among the quality control.

    Raises
    ------
    DataError, DataUnavailable
        As `load_assessments`.
    """
    open_file = _opener(campaign, language_pair, source, assessment_files.NEEDED)
    return assessment_files.segment_means(campaign, language_pair, open_file)


def load_official(
    campaign: str, language_pair: str, *, what: str, source: str | Source = "auto"
) -> pd.DataFrame:
    """An official outcome, as the organisers computed it.

    Parameters
    ----------
    what : str
        - "z", "raw": systems ordered by mean z-score or raw score, rounded (WMT18, 21, Facebook);
        - "systems": the same, unrounded (WMT20);
        - "clusters": wins and clusters (WMT18, 21, Facebook);
        - "differences": differences of means with stars for significance (WMT18, 21, Facebook);
        - "p-values": significance (WMT20).

    Returns
    -------
    DataFrame
        See `official_tables.read_ranking`, `read_means`, `read_clusters`, `read_differences` and
        `read_p_values`.

    Raises
    ------
    DataError, DataUnavailable
        As `load_assessments`; or there is no such outcome.
    """
    pattern = official_tables.file_name(language_pair, what)
    open_file = _opener(campaign, language_pair, source, rf"(?:^|/){re.escape(pattern)}$")
    return official_tables.read_outcome(language_pair, what, open_file)


def _opener(
    campaign: str, language_pair: str, source: str | Source, pattern: str
) -> official_tables.Opener:
    """A function that gives the content of a file, verified, or None if no such file is public.

    Parameters
    ----------
    pattern : str
        A regular expression for the paths of the files that may be opened.

    Raises
    ------
    DataUnavailable
        The source does not have all of these files.
    """
    assessment_files.described(ASSESSED, campaign, language_pair)
    files = {Path(f.path).name: f for f in public_files(campaign, language_pair, pattern)}
    if not files:
        return {}.get
    source = source_of(list(files.values()), source)
    if source.kind == "embedded":
        what = f"{campaign} {language_pair}: the embedded data hold simulated campaigns only"
        raise DataUnavailable("; ".join(filter(None, [what, source.notice])))

    def open_file(name: str) -> tuple[bytes, Origin] | None:
        if name not in files:
            return None
        path = fetch(files[name], source.route, source.folder)
        return path.read_bytes(), Origin(str(path))

    return open_file
