"""The direct assessments of WMT and what their organisers computed from them.

Each language pair needs its own files only. Without the public files, simulated campaigns stand in;
see `sources`.
"""

import re
from functools import partial
from pathlib import Path

import pandas as pd

from wmtlib.errors import DataUnavailable, Origin
from wmtlib.study import keep
from wmtlib.study import simulation as embedded
from wmtlib.study.releases import (
    archives,
    assessment_catalogue,
    assessment_files,
    official_tables,
)
from wmtlib.study.releases.assessment_catalogue import NEEDED, ONLY_SIMULATED
from wmtlib.study.releases.raw_scores_proof import Proof, prove
from wmtlib.study.releases.sources import Source, fetch, public_files, requested_route, source_of


def load_assessments(
    campaign: str, language_pair: str, *, source: str | Source = "auto"
) -> pd.DataFrame:
    """Direct assessments of one language pair, one row per judgement.

    Parameters
    ----------
    campaign : str
        One of `assessment_catalogue.assessment_campaigns()`, or one of `embedded.CAMPAIGNS`, which
        are simulated.
    language_pair : such as "en-de"
    source : "auto", "mirror", "download", "embedded" or a `Source`

    Returns
    -------
    DataFrame
        `direct_assessments.ASSESSMENTS`; see `direct_assessments.tidy_assessments`. They come from
        the archive of the campaign if it is in the cache (see `archives.unpack`). Otherwise all
        rows are accepted, and all scores but Facebook's are recovered; see `load_proof`.

    Raises
    ------
    DataError
        The campaign or the language pair is unknown, or a file is not what it should be.
    DataUnavailable
        The source does not have the single judgements.

    Examples
    --------
    >>> load_assessments("simulated-sr-dc", "qa-qb")["system"].nunique()
    6
    """
    if campaign in embedded.CAMPAIGNS:
        return embedded.embedded_campaign(campaign, language_pair)
    row = assessment_catalogue.entry(campaign, language_pair)
    if requested_route(source) != "embedded" and (archive := archives.find(campaign)):
        try:
            open_file, _ = _opener(campaign, language_pair, source, r"\.sgm$")
        except DataUnavailable:  # without the test set, the documents of WMT18 have no names
            open_file = {}.get
        tables = assessment_files.read_archive(archive, row.style, row.interface)
        return assessment_files.from_raw_scores(*tables, language_pair, open_file)
    if row.level != "item":
        advice = f"; {archives.advice(campaign)}" if campaign in archives.NAMES else ""
        raise DataUnavailable(f"{campaign} {language_pair}: {row.reason}{advice}")
    open_file, opened = _opener(campaign, language_pair, source, NEEDED)

    def read() -> pd.DataFrame:
        if campaign != "facebook21":
            return assessment_files.from_z_scores(campaign, language_pair, open_file)
        tables = assessment_files.read_raw_scores(open_file)
        return assessment_files.from_raw_scores(*tables, language_pair, open_file)

    return keep.result("assessments", [campaign, language_pair, *opened], read)


def load_proof(campaign: str, language_pair: str, *, source: str | Source = "auto") -> Proof:
    """How the scores that were recovered from z-scores (WMT17, 18, 21, 22) agree with the rest."""
    open_file, opened = _opener(campaign, language_pair, source, NEEDED)
    proof = keep.result(
        "proof",
        [campaign, language_pair, *opened],
        lambda: vars(prove(assessment_files.read_z_scores(language_pair, open_file))),
    )
    return Proof(**proof)


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
    pair = (campaign, language_pair)
    open_file, opened = _opener(*pair, source, NEEDED)
    read = partial(assessment_files.official_segment_means, *pair, open_file)
    return keep.result("segment-means", [*pair, *opened], read)


def load_official(
    campaign: str, language_pair: str, *, outcome: str, source: str | Source = "auto"
) -> pd.DataFrame:
    """An official outcome, as the organisers computed it.

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
        See `official_tables.read_ranking`, `read_means`, `read_clusters` and `read_p_values`.

    Raises
    ------
    DataError, DataUnavailable
        As `load_assessments`; or the outcome is unknown or not public.
    """
    name = official_tables.file_name(language_pair, outcome)
    open_file, _ = _opener(campaign, language_pair, source, rf"(?:^|/){re.escape(name)}$")
    return official_tables.read_outcome(language_pair, outcome, open_file)


def _opener(
    campaign: str, language_pair: str, source: str | Source, pattern: str
) -> tuple[official_tables.Opener, list[str]]:
    """A function that gives the content of a file, verified, or None if no such file is public.

    Also the route and the folder that it reads from. What the files hold is fixed by the registry.

    Parameters
    ----------
    pattern : str
        A regular expression for the paths of the files that may be opened.

    Raises
    ------
    DataUnavailable
        The source does not have all of these files.
    """
    assessment_catalogue.entry(campaign, language_pair)  # refuses unknown names
    files = {Path(f.path).name: f for f in public_files(campaign, language_pair, pattern)}
    if not files:
        return {}.get, []
    source = source_of(list(files.values()), source)
    if source.kind == "embedded":
        reasons = [f"{campaign} {language_pair}: {ONLY_SIMULATED}", source.notice]
        raise DataUnavailable("; ".join(filter(None, reasons)))

    def open_file(name: str) -> tuple[bytes, Origin] | None:
        if name not in files:
            return None
        path = fetch(files[name], source.route, source.folder)
        return path.read_bytes(), Origin(str(path))

    return open_file, [source.route, str(source.folder)]
