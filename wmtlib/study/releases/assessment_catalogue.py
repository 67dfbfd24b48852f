"""Every campaign and language pair of direct assessment, and what is public of it."""

from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from wmtlib.errors import DataError
from wmtlib.study.releases import archives
from wmtlib.study.releases.sources import (
    DATA,
    RELATIVE_CAMPAIGNS,
    Source,
    mirror_folder,
    public_files,
    requested_route,
)

NEEDED = r"good-stnd|trk-mean-sd|seg-scores|ad-latest|ad-good-raw|\.sgm$"  # to load assessments
ONLY_SIMULATED = "the embedded data hold simulated campaigns only"


@cache
def catalogue() -> pd.DataFrame:
    """Every language pair, one a row. Read once: what is to be changed is copied first.

    Returns
    -------
    DataFrame
        campaign, language_pair, style, interface, paper; level, which is what public repositories
        hold: "item" (single judgements), "segment" (means) or "none"; recovered, the share of
        judgements that `recovery` proves from segment means, of the system of which it proves
        least, as text, "" where it was not tried;
        hit_ids, the share of single judgements with a HIT id, as text; reason, why not more is
        public.
    """
    table = pd.read_csv(DATA / "assessed.csv", keep_default_na=False, dtype=str)
    return table.assign(paper=table["paper"] == "yes")


def all_campaigns() -> list[str]:
    """Names of all campaigns of the study, for `sources.resolve`."""
    return [*RELATIVE_CAMPAIGNS, *assessment_campaigns()]


def assessment_campaigns() -> list[str]:
    """Names of the campaigns of direct assessment."""
    return list(catalogue()["campaign"].unique())


@cache
def entry(campaign: str, language_pair: str) -> Any:
    """The row of the catalogue that describes a language pair, as a named tuple.

    Raises
    ------
    DataError
        The campaign or the language pair is unknown.
    """
    table = catalogue()
    if (rows := table[table["campaign"] == campaign]).empty:
        known = ", ".join(table["campaign"].unique())
        message = f"no campaign {campaign!r} of direct assessment; known are {known}"
        raise DataError(f"{message}; those of comparisons, too, are listed by wmtlib campaigns")
    if (row := rows[rows["language_pair"] == language_pair]).empty:
        known = ", ".join(rows["language_pair"])
        raise DataError(f"no language pair {language_pair!r} in {campaign}; there are {known}")
    return next(row.itertuples())


def availability(source: str | Source = "auto") -> pd.DataFrame:
    """Every campaign and language pair of direct assessment, and what the source has of it.

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
    table = catalogue()
    statuses = [status(row, source) for row in table.itertuples()]
    statuses = pd.DataFrame(statuses, columns=["status", "reason"])
    return table.drop(columns=["level", "recovered", "hit_ids", "reason"]).join(statuses)


def status(row: Any, source: str | Source) -> tuple[str, str]:
    """Status and reason of one language pair, a row of the catalogue; see `availability`."""
    route = requested_route(source)
    if route == "auto":
        route = "mirror" if mirror_folder() else "download"
    if route == "embedded":
        return "absent", ONLY_SIMULATED
    if archives.find(row.campaign):
        return "present", ""
    if row.level == "none":
        return "absent", f"{row.reason}; {archives.advice(row.campaign)}"
    if route == "mirror":
        mirror = mirror_folder() or Path()
        for file in public_files(row.campaign, row.language_pair, NEEDED):
            if not (path := mirror / file.repository / file.path).is_file():
                return "absent", f"no such file in the mirror: {path}"
    return ("present", "") if row.level == "item" else ("partial", row.reason)
