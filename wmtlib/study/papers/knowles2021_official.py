"""Our means, orders and clusters beside the official ones (Knowles 2021, section 3)."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pandas as pd

from wmtlib import zscores
from wmtlib.cluster_lines import cluster_table, p_values
from wmtlib.errors import DataUnavailable
from wmtlib.ranking import rank_segment_means
from wmtlib.study.releases.assessment_catalogue import entry
from wmtlib.study.releases.assessment_releases import (
    load_assessments,
    load_official,
    load_segment_means,
)
from wmtlib.study.releases.sources import Source
from wmtlib.zscores import encode

RANKING_DIGITS = {"raw": 1, "z": 3}  # decimals printed in ad-sys-ranking-*
SYSTEM_DIGITS = {"raw": 10, "z": 10}  # ad-sys-scores-* print 15
SEGMENT_DIGITS = {"raw": 10, "z": 6}  # so do ad-seg-scores-*, but from scales rounded to 7 digits
PAPER = {"test": "legacy", "rule": "footnote-4"}  # SciPy's default in 2021; footnotes 4 and 8


def replicate(campaign: str, language_pair: str, *, source: Source) -> dict[str, object]:
    """One language pair beside everything official that is public of it.

    Returns
    -------
    dict
        campaign, language_pair, from ("judgements" or "segment means"), official (what ours are
        held against) and systems; raw, z, judgements: how many systems have the official value at
        its printed digits; raw_flat: the same for raw means that also count workers who always
        gave the same score, as the official segment means do; order: whether it is the official
        one; clusters: whether ours, by the official test (one-sided) and rule, are the official
        ones; lines_apart: significance lines that are either official or drawn by the paper's test
        and rule, not both; p: the largest relative difference from the official p-values. Keys of
        what is not public are missing.
    """
    pair = (campaign, language_pair)
    means, computed = _segment_means(*pair, source)
    ours = _system_means(means)
    row: dict[str, object] = {"campaign": campaign, "language_pair": language_pair}
    row["from"] = "judgements" if computed else "segment means"
    published = if_public(load_segment_means, *pair, source=source)
    row |= _beside(ours, *_official(pair, published, source), published)
    p = p_values(means, test="one-sided")
    if (cut := _official_cut(pair, ours["system"], source)) is not None:
        order, official = cut["system"].tolist(), lines_above(cut)
        row["clusters"] = official == lines_above(cluster_table(order, p, rule="official"))
        p_paper = p_values(means, test=PAPER["test"])
        drawn = lines_above(cluster_table(order, p_paper, rule=PAPER["rule"]))
        row["lines_apart"] = len(official ^ drawn)
    listed = if_public(load_official, *pair, source=source, outcome="p-values")
    if listed is not None:
        row["p"] = largest_difference(p, listed)
    return row


def best_means(
    campaign: str, language_pair: str, *, source: Source
) -> tuple[pd.DataFrame, list[str]]:
    """Segment means of the ranked systems of a pair, and the order that they give.

    Ours where judgements are public, else the published ones. REF items that are published as a
    system HUMAN, in SR-DC, are not ranked.
    """
    means, _ = _segment_means(campaign, language_pair, source)
    return means, rank_segment_means(means).order


def if_public(
    load: Callable[..., pd.DataFrame], campaign: str, language_pair: str, **options: object
) -> pd.DataFrame | None:
    """The table that a loader gives, or None if it is not public."""
    try:
        return load(campaign, language_pair, **options)
    except DataUnavailable:
        return None


@lru_cache
def _segment_means(campaign: str, language_pair: str, source: Source) -> tuple[pd.DataFrame, bool]:
    """Segment means of ranked systems, and whether they are ours, from single judgements."""
    judgements = if_public(load_assessments, campaign, language_pair, source=source)
    if judgements is not None:
        return zscores.segment_means(encode(judgements)), True
    means = load_segment_means(campaign, language_pair, source=source)
    if entry(campaign, language_pair).style == "SR-DC":
        means = means[~means["system"].str.upper().str.startswith("HUMAN")]
    return means, False


def _official_cut(pair: tuple[str, str], ours: pd.Series, source: Source) -> pd.DataFrame | None:
    """Systems in our order, and whether an official line stands below each; None if not public."""
    clusters = if_public(load_official, *pair, source=source, outcome="clusters")
    if clusters is not None:
        start = clusters.set_index("system")["cluster_start"]
        start = start.loc[[name for name in ours if name in start.index]]
        line = (start != start.shift(-1)) & (start.index != start.index[-1])
        return pd.DataFrame({"system": start.index, "line": line.to_numpy()})
    p = if_public(load_official, *pair, source=source, outcome="p-values")
    if p is None:
        return None
    return cluster_table([name for name in ours if name in p.index], p, rule="official")


def lines_above(cut: pd.DataFrame) -> set[frozenset[str]]:
    """Every significance line of a ranking, as the set of the systems above it.

    Parameters
    ----------
    cut : DataFrame, best first
        Columns system and line, as `clusters.cluster_table` gives.
    """
    return {frozenset(cut["system"].iloc[: k + 1]) for k in np.flatnonzero(cut["line"])}


def _system_means(means: pd.DataFrame) -> pd.DataFrame:
    """Columns system, raw, z, judgements, best first, from segment means."""
    return rank_segment_means(means).table.rename(columns={"score": "z"})


def _official(
    pair: tuple[str, str], published: pd.DataFrame | None, source: Source
) -> tuple[pd.DataFrame | None, str, dict[str, int]]:
    """The official system means that are public, what they are, and their printed decimals."""
    for what, digits in (("z", RANKING_DIGITS), ("systems", SYSTEM_DIGITS)):
        table = if_public(load_official, *pair, source=source, outcome=what)
        if table is not None:
            return table, "system means", digits
    if published is not None:
        return _system_means(published), "means of segment means", SEGMENT_DIGITS
    return None, "", SEGMENT_DIGITS


def _beside(
    ours: pd.DataFrame,
    official: pd.DataFrame | None,
    kind: str,
    digits: dict[str, int],
    published: pd.DataFrame | None,
) -> dict[str, object]:
    """How many systems have the official values, and whether the order is the official one."""
    if official is None:
        return {"official": "", "systems": len(ours)}
    official = official[official["system"].isin(ours["system"])]  # references are no systems
    mine = ours.set_index("system").loc[official["system"]]
    row: dict[str, object] = {"official": kind, "systems": len(official)}
    for column, decimals in digits.items():
        row[column] = number_equal(mine[column], official[column], decimals)
    row["judgements"] = int((mine["judgements"] == official["judgements"].to_numpy()).sum())
    if published is not None:
        flat = published.groupby("system")["raw"].mean()[official["system"]]
        row["raw_flat"] = number_equal(flat, official["raw"], digits["raw"])
    order = official.sort_values("z", ascending=False, kind="stable")["system"].tolist()
    row["order"] = [name for name in ours["system"] if name in set(order)] == order
    return row


def number_equal(mine: pd.Series, official: pd.Series, decimals: int) -> int:
    """How many values round to the printed ones; a half may have been rounded either way."""
    apart = np.abs(mine.to_numpy() - official.to_numpy())
    return int((apart <= 0.5 * 10.0**-decimals + 1e-9).sum())


def largest_difference(p: pd.DataFrame, listed: pd.DataFrame) -> float:
    """Largest relative difference from the official p-values, of those that are printed."""
    names = listed.index
    ours, official = p.loc[names, names].to_numpy(), listed.to_numpy()
    printed = (official < 0.1) & (official > 0)  # 0.12: not significant, 0: less than 1e-308
    return float(np.max(np.abs(ours[printed] / official[printed] - 1.0), initial=0.0))
