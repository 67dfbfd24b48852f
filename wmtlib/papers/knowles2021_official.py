"""Our means, orders and clusters beside the official ones (Knowles 2021, section 3)."""

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd

from wmtlib.assessment import clusters, zscores
from wmtlib.judgements.errors import DataUnavailable
from wmtlib.releases import assessment_releases
from wmtlib.releases.sources import Source

RANKING_DIGITS = {"raw": 1, "z": 3}  # decimals printed in ad-sys-ranking-*
SYSTEM_DIGITS = {"raw": 10, "z": 10}  # ad-sys-scores-* print 15
SEGMENT_DIGITS = {"raw": 10, "z": 6}  # so do ad-seg-scores-*, but from scales rounded to 7 digits
COLUMNS = ["campaign", "language_pair", "from", "official", "systems", "raw", "raw_flat", "z"]
COLUMNS += ["judgements", "order", "clusters", "p"]


def standings(means: pd.DataFrame) -> pd.DataFrame:
    """System means of segment means, best first: what `zscores.rank` gives, from published means.

    Parameters
    ----------
    means : DataFrame
        Columns system, raw, z, judgements; one row a system and segment.

    Returns
    -------
    DataFrame
        Columns system, raw, z, segments, judgements.
    """
    by_system = means.groupby("system", sort=True)
    table = by_system.agg(
        raw=("raw", "mean"),
        z=("z", "mean"),
        segments=("z", "size"),
        judgements=("judgements", "sum"),
    )
    return table.reset_index().sort_values("z", ascending=False, kind="stable", ignore_index=True)


def replicate(campaign: str, language_pair: str, *, source: Source) -> dict[str, object]:
    """One language pair beside everything official that is public of it.

    Returns
    -------
    dict
        campaign, language_pair, from ("judgements" or "segment means"), official (what ours are
        held against) and systems; raw, z, judgements: how many systems have the official value at
        its printed digits; raw_flat: the same for raw means that also count workers who always
        gave the same score, as the official segment means do; order: whether it is the official
        one; clusters: whether ours, one-sided and by the official rule, are those of
        `clusters.csv`; p: the largest relative difference from the official p-values. Keys of what
        is not public are missing.
    """
    published = _public(assessment_releases.load_segment_means, campaign, language_pair, source)
    means, item = _means(campaign, language_pair, source)
    ours = standings(means)
    row: dict[str, object] = {"campaign": campaign, "language_pair": language_pair}
    row["from"] = "judgements" if item else "segment means"
    row |= _beside(ours, *_official(campaign, language_pair, published, source), published)
    p = clusters.p_values(means, test="one-sided")
    cut = _public(
        assessment_releases.load_official, campaign, language_pair, source, what="clusters"
    )
    if cut is not None:
        order = [name for name in ours["system"] if name in set(cut["system"])]
        below = clusters.lines(order, p, rule="official")
        theirs = cut.groupby("cluster_start")["system"].agg(frozenset)
        row["clusters"] = _sets(order, below) == set(theirs)
    listed = _public(
        assessment_releases.load_official, campaign, language_pair, source, what="p-values"
    )
    if listed is not None:
        row["p"] = _furthest(p, listed)
    return row


def values(campaign: str, language_pair: str, *, source: Source) -> tuple[pd.DataFrame, list[str]]:
    """Segment means of the ranked systems of a pair, ours where judgements are public; the order.

    REF items that are published as a system HUMAN, in SR-DC, are not ranked.
    """
    means, _ = _means(campaign, language_pair, source)
    return means, standings(means)["system"].tolist()


@lru_cache
def _means(campaign: str, language_pair: str, source: Source) -> tuple[pd.DataFrame, bool]:
    """Segment means of ranked systems, and whether they are ours, from single judgements."""
    judgements = _public(assessment_releases.load_assessments, campaign, language_pair, source)
    if judgements is not None:
        return zscores.segment_means(zscores.code(judgements)), True
    means = assessment_releases.load_segment_means(campaign, language_pair, source=source)
    about = assessment_releases.assessed(source).query(
        "campaign == @campaign and language_pair == @language_pair"
    )
    if about["style"].item() == "SR-DC":
        means = means[~means["system"].str.upper().str.startswith("HUMAN")]
    return means, False


def _public(loader, campaign: str, language_pair: str, source: Source, **what: str):
    """What a loader gives, or None if it is not public."""
    try:
        return loader(campaign, language_pair, source=source, **what)
    except DataUnavailable:
        return None


def _official(
    campaign: str, language_pair: str, published: pd.DataFrame | None, source: Source
) -> tuple[pd.DataFrame | None, str, dict[str, int]]:
    """The official system means that are public, what they are, and their printed decimals."""
    for what, digits in (("z", RANKING_DIGITS), ("systems", SYSTEM_DIGITS)):
        table = _public(
            assessment_releases.load_official, campaign, language_pair, source, what=what
        )
        if table is not None:
            return table, "system means", digits
    if published is not None:
        return standings(published), "means of segment means", SEGMENT_DIGITS
    return None, "", SEGMENT_DIGITS


def _beside(
    ours: pd.DataFrame,
    official: pd.DataFrame | None,
    what: str,
    digits: dict[str, int],
    published: pd.DataFrame | None,
) -> dict[str, object]:
    """How many systems have the official values, and whether the order is the official one."""
    if official is None:
        return {"official": "", "systems": len(ours)}
    official = official[official["system"].isin(ours["system"])]  # references are no systems
    mine = ours.set_index("system").loc[official["system"]]
    row: dict[str, object] = {"official": what, "systems": len(official)}
    for column, decimals in digits.items():
        row[column] = _equal(mine[column], official[column], decimals)
    row["judgements"] = int((mine["judgements"] == official["judgements"].to_numpy()).sum())
    if published is not None:
        flat = standings(published).set_index("system").loc[official["system"], "raw"]
        row["raw_flat"] = _equal(flat, official["raw"], digits["raw"])
    ranked = official.sort_values("z", ascending=False, kind="stable")["system"].tolist()
    row["order"] = [name for name in ours["system"] if name in set(ranked)] == ranked
    return row


def _equal(mine: pd.Series, official: pd.Series, decimals: int) -> int:
    """How many values round to the printed ones; a half may have been rounded either way."""
    apart = np.abs(mine.to_numpy() - official.to_numpy())
    return int((apart <= 0.5 * 10.0**-decimals + 1e-9).sum())


def _sets(order: Sequence[str], below: np.ndarray) -> set[frozenset[str]]:
    """The clusters that lines cut an order into."""
    number = pd.Series(np.cumsum(below) - below, index=[*order])
    return {frozenset(group.index) for _, group in number.groupby(number)}


def _furthest(p: pd.DataFrame, listed: pd.DataFrame) -> float:
    """Largest relative difference from the official p-values, of those that are printed."""
    names = [re.sub(r"^newstest\d+\.[a-z-]+\.|\.sgm$", "", name) for name in listed.index]
    ours, theirs = p.loc[names, names].to_numpy(), listed.to_numpy()
    printed = (theirs < 0.1) & (theirs > 0)  # 0.12 means not significant, 0 less than 1e-308
    return float(np.max(np.abs(ours[printed] / theirs[printed] - 1.0), initial=0.0))
