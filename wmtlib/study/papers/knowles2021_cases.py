"""Knowles (2021), sections 5.3 and 6: two language pairs from close up, HITs and documents."""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from wmtlib.assessments import Campaign
from wmtlib.cluster_lines import rank_campaign
from wmtlib.errors import DataError
from wmtlib.pairwise_tests import p_values
from wmtlib.stability import DIVISORS
from wmtlib.study.papers.knowles2021_rankings import PAPER_LINES, best_means, paper_cut
from wmtlib.study.papers.knowles2021_stability import (
    TWO_STYLES,
    outputs_held,
    share_with_every_system,
)
from wmtlib.study.published import ids, load_published
from wmtlib.study.releases.assessment_catalogue import pairs_at_hand, pairs_of
from wmtlib.study.releases.assessment_releases import load_official, load_segment_means
from wmtlib.study.releases.coded_campaigns import Release, load_release, simulated
from wmtlib.study.releases.sources import Source
from wmtlib.study.verdicts import Different, Values

ORIGINAL, OFFICIAL = "original", "official"
Cuts = Mapping[
    str, pd.DataFrame
]  # rankings by name: columns system and line, best first
# Columns of Figure 5 whose name is not that of the official table without its number.
MASS = {
    "MSRA.MASS.6954": "MSRA-MASS-uc",
    "MSRA.MASS.6931": "MSRA-MASS-c",
    "HUMAN": "HUMAN",
}


# --- Figures 2 and 3: human scores divided --------------------------------------------


def divided(release: Release, divisor: float) -> pd.DataFrame:
    """The ranking of the systems that are not human, human scores divided (Figure 2).

    Human systems count for the workers' scales and are not ranked; REF items, and
    quality control of the human systems where it is at hand, are divided too.

    Returns
    -------
    DataFrame
        Columns of `cluster_lines.cluster_table`.
    """
    coded, human = release.coded, release.coded.is_system(release.humans)
    score = coded.divided(coded.rows_of(human, items=("REF",), paired=True), divisor)
    return rank_campaign(
        coded, score=score, unranked=human, **PAPER_LINES
    ).ranking.table


def official_cut(release: Release, *, source: Source, human: bool) -> pd.DataFrame:
    """The same from published segment means, where nothing is lacking; columns as `divided`.

    Parameters
    ----------
    human : bool
        Whether human systems are ranked too.
    """
    means, order = best_means(release.campaign, release.language_pair, source=source)
    order = [name for name in order if human or name not in release.humans]
    return paper_cut(order, means)


def all_cuts(release: Release, *, source: Source) -> Cuts:
    """Rankings from the published segment means, the judgements, and at each divisor."""
    cuts = {ORIGINAL: divided(release, 1)} | {
        f"{d:g}": divided(release, d) for d in DIVISORS
    }
    if release.level == "simulated":
        return cuts
    return {OFFICIAL: official_cut(release, source=source, human=False)} | cuts


def rank_places(cuts: Cuts) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Place of each system, and whether a line stands below it; systems x rankings."""
    place = {
        name: pd.Series(range(1, len(c) + 1), [*c["system"]])
        for name, c in cuts.items()
    }
    table = pd.DataFrame(place).loc[[*next(iter(cuts.values()))["system"]]]
    below = {name: c.set_index("system")["line"] for name, c in cuts.items()}
    return table, pd.DataFrame(below).loc[table.index]


def pair_relation(cut: pd.DataFrame, one: str, two: str) -> str:
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
    return (
        f"{name[first]} in a higher cluster"
        if apart
        else f"same cluster, {name[first]} higher"
    )


def relations(cuts: Cuts, one: str, two: str) -> pd.Series:
    """`pair_relation` in every ranking."""
    texts = {name: pair_relation(cut, one, two) for name, cut in cuts.items()}
    return pd.Series(texts, name="who leads")


# --- Figure 4: systems in HITs --------------------------------------------------------


def releases_at_hand(*questions: str, source: Source) -> list[Release]:
    """Releases of the language pairs at hand, see `pairs_at_hand`; else the simulated ones."""
    pairs = [pair for q in questions for pair in pairs_at_hand(q, source).pairs]
    names = [tuple(pair.split()) for pair in dict.fromkeys(pairs)] or simulated()
    return [load_release(*name, source=source) for name in names]


def by_hit(release: Release) -> tuple[Campaign, str]:
    """The judgements whose HIT is known, and what stands for a HIT.

    Where few HITs have an id, as among recovered judgements, workers take their place:
    a worker of Appraise is a HIT (footnote 12).
    """
    known = np.array([name != "" for name in release.coded.hits])[release.coded.hit]
    if known.mean() < 0.5:
        return release.coded, "worker"
    return release.coded.select(known), "hit"


def co_occurrence(campaign: Campaign, *, unit: str) -> pd.DataFrame:
    """How often two systems met in one HIT, or with one worker (Figure 4).

    Parameters
    ----------
    unit : "hit" or "worker"

    Returns
    -------
    DataFrame, systems x systems
        Share of the units with outputs of the row's system that also hold outputs of
        the column's; accepted judgements, 1 on the diagonal.
    """
    held = (outputs_held(campaign, unit) > 0).astype(float)
    together = held.T @ held
    names = [*campaign.systems]
    return pd.DataFrame(
        together / np.diag(together)[:, None], index=names, columns=names
    )


def hit_table(releases: Iterable[Release]) -> pd.DataFrame:
    """How many of the systems a HIT holds, one row a language pair.

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
    for r in releases:
        coded, unit = by_hit(r)
        met = co_occurrence(coded, unit=unit).to_numpy()
        others = met[~np.eye(len(met), dtype=bool)].reshape(len(met), -1)
        row = {"style": r.style, "unit": unit, "hits": coded.units(unit)[1]}
        row |= {"whole": share_with_every_system(coded, unit=unit)}
        outputs = outputs_held(coded, unit, ["SYSTEM"])
        row |= {"alike": (np.ptp(outputs, axis=1) <= 1).mean(), "least": others.min()}
        row |= {"median": float(np.median(others)), "seldom": others.max(axis=1).min()}
        rows[f"{r.campaign} {r.language_pair}"] = row
    return pd.DataFrame(rows).T.infer_objects()


# --- Section 6: segments and documents ------------------------------------------------


def document_means(means: pd.DataFrame) -> pd.DataFrame:
    """Mean raw score of every system on every document (Figure 5).

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
    table = means.pivot_table(
        index="document", columns="system", values="raw", aggfunc="mean"
    )
    documents, systems = (
        means.groupby(name)["raw"]
        .mean()
        .sort_values(ascending=False, kind="stable")
        .index
        for name in ("document", "system")
    )
    return table.loc[documents, systems]


def judged_outputs(means: pd.DataFrame) -> dict[str, float]:
    """What of a language pair was judged, from its segment means.

    Returns
    -------
    dict
        systems, humans, documents; judgements per system; ratio: the most of a system
        to the least; missing_segments and missing_documents: systems' segments and
        documents without a judgement, of those judged for some system; long: documents
        with more than 10 segments; raw_z_documents and raw_z_systems: Spearman's
        correlation of their mean raw and mean z-scores. Without what is about documents
        if they are not known.
    """
    known = bool((means["document"] != "").all())
    by_place = means.groupby(["document", "segment"]).size()
    judged = means.groupby("system")["judgements"].sum()
    systems, humans = len(judged), int(judged.index.str.startswith("HUMAN").sum())
    row = {"systems": systems, "humans": humans, "judgements": judged.mean()}
    row |= {"ratio": judged.max() / judged.min()}
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


def segment_table(*, source: Source) -> pd.DataFrame:
    """`judged_outputs` of each of the paper's pairs whose segment means are at hand, one a row."""
    rows, references = {}, _pairs("SR-DC")  # whose HUMAN are REF items
    for pair in pairs_at_hand("paper, segment means", source).pairs:
        means = load_segment_means(*pair.split(), source=source)
        human = means["system"].str.startswith("HUMAN")
        rows[pair] = judged_outputs(means[~human] if pair in references else means)
    return pd.DataFrame(rows).T


def _pairs(question: str) -> set[str]:
    """Names of the language pairs of a set."""
    return {
        f"{row.campaign} {row.language_pair}" for row in pairs_of(question).itertuples()
    }


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
    """What notebook 32 holds against the paper.

    Parameters
    ----------
    en_de, zh_en : Release
        The two language pairs of Figures 2 and 3.
    hits : DataFrame
        `hit_table` of the paper's pairs whose HITs are at hand.
    segments : DataFrame
        As `segment_table` gives.
    documents : DataFrame
        `knowles2021_findings.document_tests` of the paper's SR+DC pairs at hand.
    """
    rows = load_published("knowles2021").query(
        "quantity.str.startswith('AFRL and PROMT_NMT, ')"
    )
    computed: Values = {
        "K-5.3-09": {"printed": set(rows.loc[rows["criterion"] == "", "published"])}
    }
    if source.kind != "raw":
        return computed
    computed |= _figure_2(all_cuts(en_de, source=source)) | _figure_3(zh_en, source)
    computed |= _sizes(segments) | _hits(hits, source) | _documents(segments, documents)
    order = figure_5_columns(source=source).agg(", ".join)
    mechanisms = {"ordered by the official mean z-score": order["z"]}
    mechanisms["ordered by the number of judgements"] = order["judgements"]
    figure_5 = {"K-F5-01": Different(order["raw"], mechanisms)}
    return computed | figure_5 | _en_lt(documents, source)


def _figure_2(cuts: Cuts) -> Values:
    """PROMT_NMT beside AFRL and Online-A, 2020 English-German."""
    names = {ORIGINAL: OFFICIAL} | {f"divisor {d:g}": f"{d:g}" for d in DIVISORS}
    row = ids("knowles2021", "section-5.3")
    computed: Values = {
        row[f"AFRL and PROMT_NMT, {name}"]: pair_relation(
            cuts[cut], "AFRL", "PROMT_NMT"
        )
        for name, cut in names.items()
    }
    online = relations(cuts, "PROMT_NMT", "Online-A")
    place, _ = rank_places(cuts)
    own = place.loc[
        place.index.str.startswith("PROMT_NMT"), [ORIGINAL, *list(names.values())[1:]]
    ]
    leader, same = (
        online.str.extract(r"(\S+) (?:in a )?higher")[0],
        online.str.startswith("same"),
    )
    facts = {"first": set(leader), "higher": set(leader[~same]), "shared": same}
    facts["text"] = "; ".join(f"{name}: {text}" for name, text in online.items())
    return computed | {"K-5.3-08": {"rank": own.iloc[0].tolist()}, "K-5.3-10": facts}


def _figure_3(zh_en: Release, source: Source) -> Values:
    """VolcTrans, which the released files call Huoshan_Translate, and the line of footnote 17."""
    means, order = best_means("wmt20", "zh-en", source=source)
    volc = next(name for name in order if name.startswith("Huoshan_Translate"))
    p = p_values(means, test="one-sided").loc[volc].drop(volc)
    place, below = rank_places(all_cuts(zh_en, source=source))
    divisors = [f"{d:g}" for d in DIVISORS]
    first = place.loc[below[ORIGINAL], ORIGINAL].min()  # systems in the first cluster
    line = [bool(below.loc[place[d] == first, d].any()) for d in divisors]
    cuts = (official_cut(zh_en, source=source, human=human) for human in (False, True))
    of_footnote = [pair_relation(cut, "Online-A", "Online-G") for cut in cuts]
    without, with_human = (not relation.startswith("same") for relation in of_footnote)
    return {
        "K-5.3-14": {"first": order[0], "volc": volc, "p": p},
        "K-5.3-15": {"place": place.loc[volc, divisors].tolist(), "line": line},
        "K-N17-01": {"without": without, "with_human": with_human},
    }


def _sizes(segments: pd.DataFrame) -> Values:
    """Assessments per system, human systems and their number in 2020."""
    twenty = segments.filter(like="wmt20", axis=0)
    humans, judgements = (
        twenty["humans"].astype(int),
        twenty["judgements"].astype(float),
    )
    place = judgements.rank(ascending=False).astype(int)
    return {
        "K-5.3-01": {
            "en_de": humans["wmt20 en-de"],
            "others": humans.drop("wmt20 en-de"),
        },
        "K-5.3-11": judgements["wmt20 en-de"],
        "K-5.3-12": judgements["wmt20 zh-en"],
        "K-5.3-13": {"place": place["wmt20 zh-en"], "pairs": len(place)},
    }


def _hits(hits: pd.DataFrame, source: Source) -> Values:
    """Section 6, System Comparisons."""
    single = hits.loc[[*pairs_at_hand("SR-DC, HIT ids", source).pairs]]
    whole = hits.loc[
        [*pairs_at_hand("SR+DC 2020 Appraise, outputs", source).pairs], "whole"
    ]
    pairs, where = pairs_at_hand("SR+DC, HIT ids", source).pairs, "pairs of the paper"
    if not pairs:
        pairs = pairs_at_hand("new SR+DC, HIT ids", source).pairs
        where = "pairs that the paper did not use"
    systems = []
    for pair in pairs_at_hand("SR+DC, systems", source).pairs:
        outcome = "z" if pair.startswith("wmt19") else "systems"
        table = load_official(*pair.split(), outcome=outcome, source=source)
        # Rows with the same numbers are one output of two systems.
        systems.append(
            len(table.drop_duplicates(["raw", "z", "segments", "judgements"]))
        )
    return {
        "K-2-02": {"alike": single["alike"], "middle": single["alike"].median()},
        "K-6-01": {"whole": single["whole"], "middle": single["whole"].median()},
        "K-6-02": {"whole": whole},
        "K-6-03": {"systems": np.array(systems)},
        "K-6-05": {"largest": hits.loc[[*pairs], "seldom"], "where": where},
    }


def _documents(segments: pd.DataFrame, documents: pd.DataFrame) -> Values:
    """Section 6, Documents."""
    dc = segments[segments.index.isin(_pairs("SR+DC"))].dropna(subset="documents")
    missing = {
        f"{style} {what}": segments.loc[
            segments.index.isin(_pairs(style)), f"missing_{what}"
        ].dropna()
        for style in TWO_STYLES
        for what in ("segments", "documents")
    }
    alike = {
        name: dc[f"raw_z_{name}"].astype(float).median()
        for name in ("documents", "systems")
    }
    return {
        "K-2-03": {
            "ratio": segments.loc[segments.index.isin(_pairs("SR-DC")), "ratio"]
        },
        "K-6-04": {
            "long": int(dc["long"].sum()),
            "documents": int(dc["documents"].sum()),
        },
        "K-6-06": {"missing": missing},
        "K-6-09": {"p": documents["holm"]},
        "K-N18-01": alike,
    }


def _en_lt(documents: pd.DataFrame, source: Source) -> Values:
    """The documents of 2019 English-Lithuanian, if its archive is at hand."""
    tested = documents.query("campaign == 'wmt19' and language_pair == 'en-lt'")
    if tested.empty:
        return {}
    table = document_means(best_means("wmt19", "en-lt", source=source)[0])
    human = table.filter(regex="^HUMAN").iloc[:, 0]
    best = {
        "best": int((human == table.max(axis=1)).sum()),
        "judged": int(human.count()),
    }
    return {"K-6-07": best, "K-6-08": {"p": tested["p"].iloc[0]}}


def figure_5_columns(*, source: Source) -> pd.DataFrame:
    """Systems of 2019 English-Lithuanian by their official raw, z and judgements, most first."""
    table = load_official("wmt19", "en-lt", outcome="z", source=source)
    names = table["system"].map(lambda name: MASS.get(name, name.rpartition(".")[0]))
    columns = table[["raw", "z", "judgements"]]
    return columns.apply(lambda c: [*names[c.sort_values(ascending=False).index]])
