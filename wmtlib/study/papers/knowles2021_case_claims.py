"""Knowles (2021), sections 5.3 and 6: what notebook 32 holds against the paper."""

import numpy as np
import pandas as pd

from wmtlib import cluster_lines as rank_sum
from wmtlib.stability import DIVISORS
from wmtlib.study.papers.knowles2021_cases import (
    OFFICIAL,
    ORIGINAL,
    Cuts,
    all_cuts,
    judged,
    official_cut,
    places,
    relation,
)
from wmtlib.study.papers.knowles2021_official import best_means
from wmtlib.study.published import load_published
from wmtlib.study.releases.assessment_catalogue import pairs_at_hand, pairs_of
from wmtlib.study.releases.assessment_releases import load_official, load_segment_means
from wmtlib.study.releases.coded_campaigns import Release
from wmtlib.study.releases.sources import Source
from wmtlib.study.verdicts import Claim, Different, Values

FIGURE_5 = {  # columns of Figure 5, and the systems of the official table that they are
    "HUMAN": "HUMAN",
    "tilde-nc-nmt.6696": "tilde-nc-nmt",
    "MSRA.MASS.6954": "MSRA-MASS-uc",
    "tilde-c-nmt.6695": "tilde-c-nmt",
    "MSRA.MASS.6931": "MSRA-MASS-c",
    "GTCOM-Primary.7001": "GTCOM-Primary",
    "eTranslation.6836": "eTranslation",
    "NEU.6760": "NEU",
    "online-B.0": "online-B",
    "TartuNLP-c.6510": "TartuNLP-c",
    "online-A.0": "online-A",
    "online-X.0": "online-X",
    "online-G.0": "online-G",
}
LINE = "footnote-17", "line between Online-A and Online-G where the human system had been"
FOUR_CASES = 4  # either system is the higher one, in the same cluster or not


def segment_table(*, source: Source) -> pd.DataFrame:
    """`judged` of every one of the paper's pairs whose segment means are at hand, one a row."""
    rows, references = {}, _pairs("SR-DC")  # whose HUMAN are REF items
    for pair in pairs_at_hand("paper, segment means", source).pairs:
        campaign, language_pair = pair.split()
        means = load_segment_means(campaign, language_pair, source=source)
        human = means["system"].str.startswith("HUMAN")
        rows[pair] = judged(means[~human] if pair in references else means)
    return pd.DataFrame(rows).T


def values(
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
        `knowles2021_cases.hit_table` of the paper's pairs whose HITs are at hand.
    segments : DataFrame
        As `segment_table` gives.
    documents : DataFrame
        `knowles2021_findings.document_tests` of the paper's SR+DC pairs at hand.
    """
    found: Values = {("section-5.3", "AFRL and PROMT_NMT, all divisors"): _printed_cases()}
    if source.kind != "raw":
        return found
    cuts = all_cuts(en_de, source=source)
    found |= _figure_2(cuts) | _figure_3(zh_en, source) | _sizes(source)
    return found | _hits(hits, source) | _documents(segments, documents) | _figure_5(source)


def _printed_cases() -> Claim:
    """Whether the six printed relations of AFRL and PROMT_NMT are all four that there can be."""
    rows = load_published("knowles2021").query("quantity.str.startswith('AFRL and PROMT_NMT, ')")
    said = set(rows.loc[rows["criterion"] == "", "published"])
    return Claim({"all four": len(said) == FOUR_CASES}, f"{len(said)} of {FOUR_CASES} cases")


def _figure_2(cuts: Cuts) -> Values:
    """PROMT_NMT beside AFRL and Online-A, 2020 English-German."""
    found: Values = {}
    names = {ORIGINAL: OFFICIAL} | {f"divisor {d:g}": f"{d:g}" for d in DIVISORS}
    for name, cut in names.items():
        text = relation(cuts[cut], "AFRL", "PROMT_NMT")
        found["section-5.3", f"AFRL and PROMT_NMT, {name}"] = text
    online = {name: relation(cut, "PROMT_NMT", "Online-A") for name, cut in cuts.items()}
    higher = {text for text in online.values() if text.endswith("higher cluster")}
    first = {text.removeprefix("same cluster, ").split()[0] for text in online.values()}
    found["section-5.3", "PROMT_NMT and Online-A"] = Claim(
        {
            "each is the higher one": len(first) == 2,
            "each is in a higher cluster": len(higher) == 2,
            "they share a cluster": any(text.startswith("same") for text in online.values()),
        },
        "; ".join(f"{name}: {text}" for name, text in online.items()),
    )
    place, _ = places(cuts)
    own = place.loc[place.index.str.startswith("PROMT_NMT"), [ORIGINAL, *list(names.values())[1:]]]
    rank = own.iloc[0].tolist()
    found["section-5.3", "rank of PROMT_NMT"] = Claim(
        {"never worse": rank == sorted(rank, reverse=True), "better at 10": rank[-1] < rank[0]},
        f"places {', '.join(map(str, rank))}",
    )
    return found


def _figure_3(zh_en: Release, source: Source) -> Values:
    """VolcTrans, which the released files call Huoshan_Translate, and the line of footnote 17."""
    means, order = best_means("wmt20", "zh-en", source=source)
    volc = next(name for name in order if name.startswith("Huoshan_Translate"))
    p = rank_sum.p_values(means, test="one-sided").loc[volc].drop(volc)
    cuts = all_cuts(zh_en, source=source)
    place, below = places(cuts)
    divisors = [f"{d:g}" for d in DIVISORS]
    first = place.loc[below[ORIGINAL], ORIGINAL].min()  # systems in the first cluster
    merged = [d for d in divisors if not below.loc[place[d] == first, d].any()]
    without = official_cut(zh_en, source=source, human=False)
    line_with = _line_between(official_cut(zh_en, source=source, human=True))
    return {
        ("section-5.3", "VolcTrans, 2020 zh-en, original"): Claim(
            {"first": order[0] == volc, "p < 0.05 against each": (p < 0.05).all()},
            f"largest p {p.max():.2g} of {len(p)}",
        ),
        ("section-5.3", "VolcTrans, 2020 zh-en, degraded"): Claim(
            {
                "not first at some divisor": (place.loc[volc, divisors] > 1).any(),
                "its line is gone at some divisor": merged,
            },
            f"places {', '.join(map(str, place.loc[volc, divisors]))}; human system alone divided",
        ),
        LINE: Claim(
            {"a line without": _line_between(without), "no line with": not line_with},
            "from the published segment means",
        ),
    }


def _line_between(cut: pd.DataFrame) -> bool:
    """Whether a significance line stands between Online-A and Online-G."""
    first, last = np.flatnonzero(cut["system"].str.match(r"Online-[AG]\b"))
    return bool(cut["line"].iloc[first:last].any())


def _sizes(source: Source) -> Values:
    """Assessments per system, human systems and their number in 2020."""
    per_system, humans = {}, {}
    for pair in pairs_at_hand("any 2020, segment means", source).pairs:
        means = load_segment_means(*pair.split(), source=source)
        human = means.loc[means["system"].str.startswith("HUMAN"), "system"]
        humans[pair] = human.nunique()
        per_system[pair] = means["judgements"].sum() / means["system"].nunique()
    rank = pd.Series(per_system).rank(ascending=False).astype(int)
    others = pd.Series(humans).drop("wmt20 en-de")
    several = others.index[others > 1]
    found: Values = {
        ("section-5.3", f"assessments per system, 2020 {pair}"): float(per_system[f"wmt20 {pair}"])
        for pair in ("en-de", "zh-en")
    }
    return found | {
        ("section-5.3", "place of 2020 zh-en by assessments per system"): Claim(
            {"among the five": rank["wmt20 zh-en"] <= 5},
            f"place {rank['wmt20 zh-en']} of {len(rank)}",
        ),
        ("section-5.3", "human systems, 2020 en-de"): Claim(
            {
                "more than one in en-de": humans["wmt20 en-de"] > 1,
                "in fewer than a quarter of the others": len(several) < len(others) / 4,
            },
            f"{humans['wmt20 en-de']} in en-de; more than one in {len(several)} of {len(others)}",
        ),
    }


def _hits(hits: pd.DataFrame, source: Source) -> Values:
    """Section 6, System Comparisons."""
    single = hits.loc[[*pairs_at_hand("SR-DC, HIT ids", source).pairs]]
    whole = hits.loc[[*pairs_at_hand("SR+DC 2020 Appraise, outputs", source).pairs]]
    met = hits[(hits["style"] == "SR+DC") & (hits["unit"] == "hit")]
    pairs = pairs_at_hand("SR+DC, systems", source).pairs
    numbers = [_number_of_systems(*pair.split(), source=source) for pair in pairs]
    ten = sum(number >= 10 for number in numbers)
    return {
        ("section-6", "SR-DC HITs that hold every system"): Claim(
            {"more than nine in ten": single["whole"].median() > 0.9},
            f"{single['whole'].min():.1%} to {single['whole'].max():.1%}, median"
            f" {single['whole'].median():.1%}",
        ),
        ("section-6", "SR+DC HITs that hold every system"): Claim(
            {"fewer than half in every pair": (whole["whole"] < 0.5).all()},
            f"at most {whole['whole'].max():.1%} of the workers",
        ),
        ("section-6", "systems that meet in HITs, SR+DC"): Claim(
            {"some system in some pair": (met["seldom"] < 0.5).any()},
            f"{(met['seldom'] < 0.5).sum()} of {len(met)} pairs that the paper did not use",
        ),
        ("section-6", "SR+DC pairs with 10 or more systems"): Claim(
            {"more than half": ten > len(pairs) / 2}, f"{ten} of {len(pairs)} pairs"
        ),
    }


def _number_of_systems(campaign: str, language_pair: str, *, source: Source) -> int:
    """Ranked systems, humans included; rows with the same numbers are one output of two."""
    outcome = "z" if campaign == "wmt19" else "systems"
    table = load_official(campaign, language_pair, outcome=outcome, source=source)
    return len(table.drop_duplicates(["raw", "z", "segments", "judgements"]))


def _documents(segments: pd.DataFrame, documents: pd.DataFrame) -> Values:
    """Section 6, Documents."""
    dc = segments[segments.index.isin(_pairs("SR+DC"))].dropna(subset="documents")
    long, number = int(dc["long"].sum()), int(dc["documents"].sum())
    raw_z = dc[["raw_z_documents", "raw_z_systems"]].astype(float).median()
    parts, shown = {}, []
    for style in ("SR-DC", "SR+DC"):
        rows = segments[segments.index.isin(_pairs(style))]
        for what in ("segments", "documents"):
            missing = rows[f"missing_{what}"].dropna()
            lacking = int((missing > 0).sum())
            parts[f"{style}, {what}"] = lacking > 0
            shown.append(f"{style} {what}: {lacking} of {len(missing)} pairs")
    unlike = int((documents["holm"] < 0.05).sum())
    return {
        ("section-6", "SR+DC documents longer than 10 segments"): Claim(
            {"more than half": long > number / 2}, f"{long} of {number} documents"
        ),
        ("section-6", "segments and documents that nobody judged"): Claim(parts, "; ".join(shown)),
        ("section-6", "documents of other language pairs"): Claim(
            {"at least half": unlike >= len(documents) / 2}, f"{unlike} of {len(documents)} pairs"
        ),
        ("footnote-18", "the same matrix from z-scores"): Claim(
            {
                "documents": raw_z["raw_z_documents"] >= 0.9,
                "systems": raw_z["raw_z_systems"] >= 0.9,
            },
            "medians: documents {:.2f}, systems {:.2f}".format(*raw_z),
        ),
    }


def _figure_5(source: Source) -> Values:
    """The order of the columns of Figure 5, from the official table of 2019 English-Lithuanian."""
    table = load_official("wmt19", "en-lt", outcome="z", source=source)
    order = {
        name: ", ".join(FIGURE_5[s] for s in table.sort_values(name, ascending=False)["system"])
        for name in ("raw", "z", "judgements")
    }
    mechanisms = {
        "ordered by the official mean z-score": order["z"],
        "ordered by the number of judgements": order["judgements"],
    }
    key = "figure-5", "systems of 2019 en-lt from left to right"
    return {key: Different(order["raw"], mechanisms)}


def _pairs(question: str) -> set[str]:
    """Names of the language pairs of a set."""
    return {f"{row.campaign} {row.language_pair}" for row in pairs_of(question).itertuples()}
