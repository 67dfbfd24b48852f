"""Knowles (2021), sections 5.3 and 6: two language pairs from close up, HITs and documents."""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from wmtlib import cluster_lines as clusters
from wmtlib import cluster_lines as rank_sum
from wmtlib.stability import DIVISORS
from wmtlib.study.papers import hit_composition
from wmtlib.study.papers.knowles2021_official import PAPER, best_means
from wmtlib.study.releases.assessment_catalogue import pairs_at_hand
from wmtlib.study.releases.coded_campaigns import Release, load_release, simulated
from wmtlib.study.releases.sources import Source
from wmtlib.zscores import Campaign

ORIGINAL, OFFICIAL = "original", "official"
Cuts = Mapping[str, pd.DataFrame]  # rankings by name: columns system and line, best first


# --- Figures 2 and 3: human scores divided -------------------------------------------------------


def divided(release: Release, divisor: float) -> pd.DataFrame:
    """The ranking of the systems that are not human, human scores divided (Figure 2).

    Human systems count for the workers' scales and are not ranked; REF items, and quality control
    of the human systems where it is at hand, are divided too.

    Returns
    -------
    DataFrame
        Columns of `clusters.cluster_table`.
    """
    coded, human = release.coded, release.coded.is_system(release.humans)
    score = coded.divided(coded.rows_of(human, items=("REF",), paired=True), divisor)
    return clusters.rank_campaign(coded, score=score, unranked=human, **PAPER).ranking.table


def official_cut(release: Release, *, source: Source, human: bool) -> pd.DataFrame:
    """The same from published segment means, where nothing is lacking; columns as `divided`.

    Parameters
    ----------
    human : bool
        Whether human systems are ranked too.
    """
    means, order = best_means(release.campaign, release.language_pair, source=source)
    if not human:
        order = [name for name in order if name not in release.humans]
    p = rank_sum.p_values(means, test=PAPER["test"])
    return clusters.cluster_table(order, p, rule=PAPER["rule"])


def all_cuts(release: Release, *, source: Source) -> Cuts:
    """Rankings from the published segment means, the judgements, and at each divisor."""
    cuts = {ORIGINAL: divided(release, 1)} | {f"{d:g}": divided(release, d) for d in DIVISORS}
    if release.level == "simulated":
        return cuts
    return {OFFICIAL: official_cut(release, source=source, human=False)} | cuts


def places(cuts: Cuts) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Place of each system, and whether a line stands below it; systems x rankings."""
    place = {name: pd.Series(range(1, len(c) + 1), [*c["system"]]) for name, c in cuts.items()}
    table = pd.DataFrame(place).loc[[*next(iter(cuts.values()))["system"]]]
    below = {name: c.set_index("system")["line"] for name, c in cuts.items()}
    return table, pd.DataFrame(below).loc[table.index]


def relation(cut: pd.DataFrame, one: str, two: str) -> str:
    """Which of two systems is higher, and whether a line stands between them, in words.

    Parameters
    ----------
    cut : DataFrame
        Columns system and line, best first.
    one, two : str
        Names without the number at the end.
    """
    name = cut["system"].str.rpartition(".")[0]
    first, last = np.flatnonzero(name.isin([one, two]))
    apart = cut["line"].iloc[first:last].any()
    return f"{name[first]} in a higher cluster" if apart else f"same cluster, {name[first]} higher"


def relations(cuts: Cuts, one: str, two: str) -> pd.Series:
    """`relation` in every ranking."""
    return pd.Series(
        {name: relation(cut, one, two) for name, cut in cuts.items()}, name="who leads"
    )


# --- Figure 4: systems in HITs -------------------------------------------------------------------


def releases(*questions: str, source: Source) -> list[Release]:
    """Releases of the language pairs at hand, see `pairs_at_hand`; else the simulated ones."""
    pairs = [pair for q in questions for pair in pairs_at_hand(q, source).pairs]
    names = [tuple(pair.split()) for pair in dict.fromkeys(pairs)] or simulated()
    return [load_release(*name, source=source) for name in names]


def by_hit(release: Release) -> tuple[Campaign, str]:
    """The judgements whose HIT is known, and what stands for a HIT.

    Recovered judgements have no HIT ids, so that workers take the place of HITs.
    """
    if release.level == "recovered":
        return release.coded, "worker"
    known = np.array([name != "" for name in release.coded.hits])[release.coded.hit]
    return release.coded.select(known), "hit"


def meetings(release: Release) -> pd.DataFrame:
    """Share of the row system's HITs that also hold the column's (Figure 4)."""
    coded, unit = by_hit(release)
    return hit_composition.co_occurrence(coded, unit=unit)


def hit_table(releases: Iterable[Release]) -> pd.DataFrame:
    """How many of the systems a HIT holds, one row a language pair.

    Returns
    -------
    DataFrame
        Indexed by "campaign pair": style, unit ("hit" or "worker"), hits, whole (share that holds
        every system), least and median (over pairs of systems: share of the one's HITs that hold
        the other) and seldom (of the system that the others meet least: its largest share).
    """
    rows = {}
    for r in releases:
        coded, unit = by_hit(r)
        met = meetings(r).to_numpy()
        others = met[~np.eye(len(met), dtype=bool)].reshape(len(met), -1)
        rows[f"{r.campaign} {r.language_pair}"] = {
            "style": r.style,
            "unit": unit,
            "hits": coded.units(unit)[1],
            "whole": hit_composition.share_with_every_system(coded, unit=unit),
            "least": others.min(),
            "median": float(np.median(others)),
            "seldom": others.max(axis=1).min(),
        }
    return pd.DataFrame(rows).T.infer_objects()


# --- section 6: segments and documents -----------------------------------------------------------


def judged(means: pd.DataFrame) -> dict[str, float]:
    """What of a language pair was judged, from its segment means.

    Returns
    -------
    dict
        systems, documents; judgements per system; missing_segments and missing_documents: systems'
        segments and documents without a judgement, of those judged for some system; long: documents
        with more than 10 segments; raw_z_documents and raw_z_systems: Spearman's correlation of
        their mean raw and mean z-scores. Without what is about documents if they are not known.
    """
    systems, known = means["system"].nunique(), bool((means["document"] != "").all())
    by_place = means.groupby(["document", "segment"]).size()
    row = {"systems": systems, "judgements": means["judgements"].sum() / systems}
    row |= {"missing_segments": int((systems - by_place).sum())}
    for name in ["system"] + ["document"] * known:
        mean = means.groupby(name)[["raw", "z"]].mean()
        row[f"raw_z_{name}s"] = mean["raw"].corr(mean["z"], method="spearman")
    if known:
        segments = by_place.groupby("document").size()
        row |= {"documents": len(segments), "long": int((segments > 10).sum())}
        judged_for = means.groupby("document")["system"].nunique()
        row |= {"missing_documents": int((systems - judged_for).sum())}
    return row
