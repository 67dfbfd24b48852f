"""Knowles (2021), sections 5.3 and 6: two language pairs, HITs and documents."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np
import pandas as pd

from study.campaigns import Release, load_all, simulated
from study.data.assessment_catalogue import entry, pairs_at_hand
from study.data.assessment_releases import load_official
from study.data.sources import Source
from study.knowles2021.section_3 import (
    PAPER_LINES,
    best_means,
    columns_at_hand,
    paper_cut,
    published_means,
)
from study.knowles2021.section_5_2 import (
    has_hit_id,
    outputs_held,
    share_with_every_system,
)
from study.scoreboard.published import ids, load_published
from study.scoreboard.verdicts import Different, Values
from wmtlib.cluster_lines import rank_campaign
from wmtlib.core.assessments import Campaign
from wmtlib.core.errors import DataError
from wmtlib.core.pairwise_tests import p_values
from wmtlib.removals import DIVISORS

ORIGINAL, OFFICIAL = "original", "official"
DIVIDED = {f"{divisor:g}": divisor for divisor in DIVISORS}
# Rankings by name: columns system and line, best first.
Cuts: TypeAlias = Mapping[str, pd.DataFrame]
# Columns of Figure 5 whose name is not that of the official table without its number.
MASS = {
    "MSRA.MASS.6954": "MSRA-MASS-uc",
    "MSRA.MASS.6931": "MSRA-MASS-c",
    "HUMAN": "HUMAN",
}


# --- Figures 2 and 3: human scores divided --------------------------------------------


def official_cut(release: Release, *, source: Source, human: bool) -> pd.DataFrame:
    """Rank by published segment means, where nothing is lacking.

    Parameters
    ----------
    human : bool
        Whether human systems are ranked too.
    """
    means, order = best_means(release.campaign, release.language_pair, source=source)
    order = [name for name in order if human or name not in release.humans]
    return paper_cut(order, means)


def all_cuts(release: Release, *, source: Source) -> Cuts:
    """Rank by published segment means, by the judgements, and at each divisor.

    Human scores are divided (Figure 2): REF items, and quality control of the human
    systems where it is at hand, are divided too. Human systems count for the workers'
    scales and are not ranked.
    """
    coded = release.coded
    human = coded.is_system(release.humans)
    rows = coded.rows_of(human, items=("REF",), paired=True)
    cuts = {}
    if release.level != "simulated":
        cuts[OFFICIAL] = official_cut(release, source=source, human=False)
    for name, divisor in {ORIGINAL: 1.0, **DIVIDED}.items():
        changed = coded.divided(rows, divisor)
        ranked = rank_campaign(changed, unranked=human, **PAPER_LINES)
        cuts[name] = ranked.ranking.table
    return cuts


def rank_places(cuts: Cuts) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return places of systems, and whether lines are below; systems x rankings."""
    tables = {
        name: cut.assign(place=cut.index + 1).set_index("system")
        for name, cut in cuts.items()
    }
    table = pd.concat(tables, axis=1).swaplevel(axis=1)
    return table["place"], table["line"]


def pair_relation(cut: pd.DataFrame, first: str, second: str) -> str:
    """Say which of two systems is higher, and whether a line is between them.

    Parameters
    ----------
    cut : DataFrame
        Columns system and line, best first.
    first, second : str
        Names without the number at the end.
    """
    name = cut["system"].str.rpartition(".")[0]
    higher, lower = np.flatnonzero(name.isin([first, second]))
    if cut["line"].iloc[higher:lower].any():
        return f"{name[higher]} in a higher cluster"
    return f"same cluster, {name[higher]} higher"


def relations(cuts: Cuts, first: str, second: str) -> pd.Series:
    """Say `pair_relation` of every ranking."""
    texts = {name: pair_relation(cut, first, second) for name, cut in cuts.items()}
    return pd.Series(texts, name="who leads")


# --- Figure 4: systems in HITs --------------------------------------------------------


def releases_at_hand(*questions: str, source: Source) -> list[Release]:
    """Load the pairs at hand (see `pairs_at_hand`), or else the simulated ones."""
    pairs = [pair for q in questions for pair in pairs_at_hand(q, source).pairs]
    names = [pair.partition(" ")[::2] for pair in dict.fromkeys(pairs)]
    return load_all(source, names or simulated())


def by_hit(release: Release) -> tuple[Campaign, str]:
    """Return the judgements whose HIT is known, and the unit that serves as a HIT.

    Where few HITs have an id, as among recovered judgements, workers take their place:
    a worker of Appraise is a HIT (footnote 12).
    """
    has_id = has_hit_id(release.coded)
    if has_id.mean() < 0.5:
        return release.coded, "worker"
    return release.coded.select(has_id), "hit"


def co_occurrence(campaign: Campaign, *, unit: str) -> pd.DataFrame:
    """Compute how often two systems met in one HIT, or with one worker (Figure 4).

    Parameters
    ----------
    unit : "hit" or "worker"

    Returns
    -------
    DataFrame, systems x systems
        Share of the units with outputs of the row's system that also hold outputs of
        the column's; accepted judgements, 1 on the diagonal.
    """
    is_held = (outputs_held(campaign, unit) > 0).astype(float)
    together = is_held.T @ is_held
    return together.div(np.diag(together), axis=0)


def hit_table(releases: Iterable[Release]) -> pd.DataFrame:
    """Describe how many of the systems a HIT holds, one row a language pair.

    Returns
    -------
    DataFrame
        Indexed by "campaign pair": style, unit ("hit" or "worker"), hits, whole (share
        that holds every system), alike (share in which no two systems' numbers of
        outputs, without repeats, differ by more than one), least and median (over pairs
        of systems: share of the one's HITs that hold the other) and seldom (of the
        system that the others meet least: its largest share).
    """
    rows = {}
    for release in releases:
        coded, unit = by_hit(release)
        shares = co_occurrence(coded, unit=unit).to_numpy()
        others = np.where(np.eye(len(shares), dtype=bool), np.nan, shares)
        outputs = outputs_held(coded, unit, ["SYSTEM"])
        rows[f"{release.campaign} {release.language_pair}"] = {
            "style": release.style,
            "unit": unit,
            "hits": coded.units(unit)[1],
            "whole": share_with_every_system(coded, unit=unit),
            "alike": (np.ptp(outputs, axis=1) <= 1).mean(),
            "least": np.nanmin(others),
            "median": np.nanmedian(others),
            "seldom": np.nanmax(others, axis=1).min(),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


# --- Section 6: segments and documents ------------------------------------------------


def document_means(means: pd.DataFrame) -> pd.DataFrame:
    """Compute the mean raw score of every system on every document (Figure 5).

    Parameters
    ----------
    means : DataFrame
        Segment means with columns system, document, raw, such as
        `zscores.segment_means` gives.

    Returns
    -------
    DataFrame, documents x systems
        Mean over segments; NaN where nothing was judged. Documents and systems with the
        higher mean over all their segments come first, equal ones in order of name.

    Raises
    ------
    DataError
        Documents are not known.
    """
    if (means["document"] == "").any():
        raise DataError("a segment's document is not known; expected the name of one")
    table = means.pivot_table("raw", "document", "system")
    for axis, name in enumerate(("document", "system")):
        mean = means.groupby(name)["raw"].mean()
        best_first = mean.sort_values(ascending=False, kind="stable").index
        table = table.reindex(best_first, axis=axis)
    return table


def judged_outputs(means: pd.DataFrame) -> dict[str, float]:
    """Count the judged outputs of a language pair, from its segment means.

    Returns
    -------
    dict
        systems, humans, documents; judgements per system; ratio: the most of a system
        to the least; missing_segments and missing_documents: systems' segments and
        documents without a judgement, of those judged for some system; long: documents
        with more than 10 segments; large: documents that do not fit a HIT of 100 twice
        in the outputs of all systems; typical and shortest: all systems' outputs of the
        median and of the shortest document; raw_z_documents and raw_z_systems:
        Spearman's correlation of their mean raw and mean z-scores. Without what is
        about documents if they are not known.
    """
    by_place = means.groupby(["document", "segment"]).size()
    judged = means.groupby("system")["judgements"].sum()
    row = {
        "systems": len(judged),
        "humans": judged.index.str.startswith("HUMAN").sum(),
        "judgements": judged.mean(),
        "ratio": judged.max() / judged.min(),
        "missing_segments": (len(judged) - by_place).sum(),
        "raw_z_systems": _raw_z_correlation(means, "system"),
    }
    if (means["document"] == "").any():
        return row
    segments = by_place.groupby("document").size()
    outputs = segments * len(judged)
    judged_for = means.groupby("document")["system"].nunique()
    return row | {
        "raw_z_documents": _raw_z_correlation(means, "document"),
        "documents": len(segments),
        "long": (segments > 10).sum(),
        "large": (2 * outputs > 100).sum(),
        "typical": outputs.median(),
        "shortest": outputs.min(),
        "missing_documents": (len(judged) - judged_for).sum(),
    }


def _raw_z_correlation(means: pd.DataFrame, unit: str) -> float:
    """Correlate (Spearman) mean raw and mean z-scores of systems or documents."""
    mean = means.groupby(unit)[["raw", "z"]].mean()
    return mean["raw"].corr(mean["z"], method="spearman")


def segment_table(*, source: Source) -> pd.DataFrame:
    """List style and `judged_outputs` of the paper's pairs of which there are means."""
    rows = {}
    for pair in pairs_at_hand("paper, segment means", source).pairs:
        means = published_means(*pair.split(), source=source)
        style = entry(*pair.split()).style
        rows[pair] = {"style": style, **judged_outputs(means)}
    return pd.DataFrame.from_dict(rows, orient="index")


# --- Beside the paper -----------------------------------------------------------------


def case_values(
    en_de: Release,
    zh_en: Release,
    hits: pd.DataFrame,
    segments: pd.DataFrame,
    documents: pd.DataFrame,
    *,
    source: Source,
) -> Values:
    """Collect the values that notebook 32 compares with the paper.

    Parameters
    ----------
    en_de, zh_en : Release
        The two language pairs of Figures 2 and 3.
    hits : DataFrame
        `hit_table` of the paper's pairs whose HITs are at hand.
    segments : DataFrame
        As `segment_table` gives.
    documents : DataFrame
        `findings.document_tests` of the paper's SR+DC pairs at hand.
    """
    rows = load_published("knowles2021").query(
        "quantity.str.startswith('AFRL and PROMT_NMT, ') and criterion == ''"
    )
    computed: Values = {"K-5.3-09": {"printed": {*rows["published"]}}}
    if source.kind != "raw":
        return computed
    order = figure_5_columns(source=source).agg(", ".join)
    mechanisms = {
        "ordered by the official mean z-score": order["z"],
        "ordered by the number of judgements": order["judgements"],
    }
    computed["K-F5-01"] = Different(order["raw"], mechanisms)
    en_lt = documents.query("campaign == 'wmt19' and language_pair == 'en-lt'")
    if not en_lt.empty:  # its archive is at hand
        table = document_means(best_means("wmt19", "en-lt", source=source)[0])
        human = table.filter(regex="^HUMAN").iloc[:, 0]
        best = (human == table.max(axis=1)).sum()
        computed["K-6-07"] = {"best": best, "judged": human.count()}
        computed["K-6-08"] = {"p": en_lt["p"].iloc[0]}
    computed |= _figure_2(all_cuts(en_de, source=source))
    computed |= _figure_3(zh_en, source)
    computed |= _hits(hits, source)
    return computed | _segments_and_documents(segments, documents, source)


def _figure_2(cuts: Cuts) -> Values:
    """Compare PROMT_NMT with AFRL and Online-A, 2020 English-German."""
    row = ids("knowles2021", "section-5.3")
    leaders = relations(cuts, "AFRL", "PROMT_NMT")
    computed: Values = {
        row[f"AFRL and PROMT_NMT, divisor {name}"]: leaders[name] for name in DIVIDED
    }
    computed[row[f"AFRL and PROMT_NMT, {ORIGINAL}"]] = leaders[OFFICIAL]
    place, _ = rank_places(cuts)
    promt = place[place.index.str.startswith("PROMT_NMT")].iloc[0]
    online = relations(cuts, "PROMT_NMT", "Online-A")
    leader = online.str.extract(r"(\S+) (?:in a )?higher")[0]
    is_shared = online.str.startswith("same")
    return computed | {
        "K-5.3-08": {"rank": promt[[ORIGINAL, *DIVIDED]].tolist()},
        "K-5.3-10": {
            "first": set(leader),
            "higher": set(leader[~is_shared]),
            "shared": is_shared,
            "text": "; ".join(online.index + ": " + online),
        },
    }


def _figure_3(zh_en: Release, source: Source) -> Values:
    """Find VolcTrans, in the files Huoshan_Translate, and the line of footnote 17."""
    means, order = best_means("wmt20", "zh-en", source=source)
    volc = next(name for name in order if name.startswith("Huoshan_Translate"))
    p = p_values(means, test="one-sided").loc[volc].drop(volc)
    place, below = rank_places(all_cuts(zh_en, source=source))
    first = place.loc[below[ORIGINAL], ORIGINAL].min()  # systems in the first cluster
    line = [below.loc[place[name] == first, name].any() for name in DIVIDED]
    without, with_human = (
        pair_relation(
            official_cut(zh_en, source=source, human=human), "Online-A", "Online-G"
        )
        for human in (False, True)
    )
    return {
        "K-5.3-14": {"first": order[0], "volc": volc, "p": p},
        "K-5.3-15": {"place": place.loc[volc, [*DIVIDED]].tolist(), "line": line},
        "K-N17-01": {"without": without, "with_human": with_human},
    }


def _hits(hits: pd.DataFrame, source: Source) -> Values:
    """Collect facts of section 6, System Comparisons."""

    def at_hand(question: str) -> pd.DataFrame:
        return hits.loc[[*pairs_at_hand(question, source).pairs]]

    with_context = at_hand("SR+DC, HIT ids")
    where = "pairs of the paper"
    if with_context.empty:
        with_context = at_hand("new SR+DC, HIT ids")
        where = "pairs that the paper did not use"
    systems = []
    for pair in pairs_at_hand("SR+DC, systems", source).pairs:
        outcome = "z" if pair.startswith("wmt19") else "systems"
        table = load_official(*pair.split(), outcome=outcome, source=source)
        # Rows with the same numbers are one output of two systems.
        systems.append(len(table.drop(columns="system").drop_duplicates()))
    computed = columns_at_hand(hits, source, "K-6-01", "K-6-02", "K-6-10")
    return computed | {
        "K-2-02": computed.get("K-6-10", {}),
        "K-6-03": {"systems": np.array(systems)},
        "K-6-05": {"largest": with_context["seldom"], "where": where},
    }


def _segments_and_documents(
    segments: pd.DataFrame, documents: pd.DataFrame, source: Source
) -> Values:
    """Collect facts of 2020 (section 5.3), and of section 6, Documents."""
    twenty = segments.filter(like="wmt20", axis=0)
    humans = twenty["humans"]
    judgements = twenty["judgements"]
    place = judgements.rank(ascending=False).astype(int)
    missing = {
        f"{style} {what}": table[f"missing_{what}"].dropna()
        for style, table in segments.groupby("style")
        for what in ("segments", "documents")
    }
    rows = ("K-2-03", "K-6-04", "K-6-11", "K-8-06", "K-N18-01")
    return columns_at_hand(segments, source, *rows) | {
        "K-5.3-01": {
            "en_de": humans["wmt20 en-de"],
            "others": humans.drop("wmt20 en-de"),
        },
        "K-5.3-11": judgements["wmt20 en-de"],
        "K-5.3-12": judgements["wmt20 zh-en"],
        "K-5.3-13": {"place": place["wmt20 zh-en"], "pairs": len(place)},
        "K-6-06": {"missing": missing},
        "K-6-09": {"p": documents["holm"]},
    }


def figure_5_columns(*, source: Source) -> pd.DataFrame:
    """Order systems of 2019 English-Lithuanian by raw, z and judgements."""
    table = load_official("wmt19", "en-lt", outcome="z", source=source)
    names = table["system"].map(lambda name: MASS.get(name, name.rpartition(".")[0]))
    columns = table[["raw", "z", "judgements"]]
    return columns.apply(lambda c: [*names[c.sort_values(ascending=False).index]])
