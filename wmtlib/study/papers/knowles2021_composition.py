"""Knowles (2021), Table 1 and section 5.1: which items there are, and which of them workers saw."""

from typing import Any

import numpy as np
import pandas as pd

from wmtlib.counts import ITEMS
from wmtlib.study.papers import hit_composition
from wmtlib.study.releases.assessment_catalogue import pairs_at_hand, pairs_of
from wmtlib.study.releases.assessment_releases import load_official, load_segment_means
from wmtlib.study.releases.coded_campaigns import Release
from wmtlib.study.releases.sources import Source
from wmtlib.study.verdicts import Claim, Noted, Values
from wmtlib.zscores import Campaign

# Rows of Table 1 and the language pairs of each, as `assessment_catalogue.pairs_of` reads them.
FILES = {
    "newstest2018": "any 2018",
    "appraise-doclevel-newstest2019": "2019 Appraise",
    "mturk-sntlevel-newstest2019": "SR-DC 2019 MTurk",
    "appraise-doclevel-newstest2020": "2020 Appraise",
    "mturk-sntlevel-newstest2020": "SR-DC 2020 MTurk",
    "mturk-doclevel-newstest2020": "SR+DC 2020 MTurk",
}
ALTERNATE = "workers_without_REF"


def composition(release: Release) -> dict[str, Any]:
    """What the HITs and the workers of one language pair held.

    Returns
    -------
    dict
        Number of accepted judgements of each item (`hit_composition.item_counts`); share_REF,
        share_BAD_REF, share_HUMAN: shares of the workers who judged some; workers; all_systems:
        share of the workers who judged every system; hit_sizes; then as `alternate_hits`.
    """
    coded = release.coded
    shares = hit_composition.shares_of_workers(coded, humans=release.humans)
    row = {**hit_composition.item_counts(coded)} | {"workers": shares.pop("workers")}
    row |= {f"share_{item}": share for item, share in shares.items()}
    row["all_systems"] = hit_composition.share_with_every_system(coded, unit="worker")
    return row | {"hit_sizes": hit_sizes(coded)} | alternate_hits(coded)


def hit_sizes(campaign: Campaign) -> np.ndarray:
    """Judgements in each HIT with an id, quality control included; a joint output counts once."""
    known = np.array([name != "" for name in campaign.hits])[campaign.hit] & campaign.accepted
    if not known.any():
        return np.array([], dtype=int)
    number, size = campaign.select(known).units("hit")
    return np.bincount(number, minlength=size)


def alternate_hits(campaign: Campaign) -> dict[str, int]:
    """Traces of the alternate HITs of 2018, which hold no REF and no REPEAT item (section 5.1).

    Returns
    -------
    dict
        Workers without a REF item; those of them without a REPEAT item too; segments that the
        latter judged, and those that they judged for every system.
    """
    saw = {
        item: np.bincount(campaign.worker[campaign.is_item(item)], minlength=len(campaign.workers))
        for item in ITEMS
    }
    plain = (saw["SYSTEM"] > 0) & (saw["REF"] == 0)
    alternate = plain & (saw["REPEAT"] == 0)
    chosen = campaign.rated[campaign.credit] & alternate[campaign.worker[campaign.credit]]
    credit, size = campaign.credit[chosen], len(campaign.segments)
    place = campaign.worker[credit] * size + campaign.place[credit]
    seen = np.unique(np.column_stack([place, campaign.credit_system[chosen]]), axis=0)
    _, systems = np.unique(seen[:, 0], return_counts=True)
    whole = int((systems == len(campaign.systems)).sum())
    counts = {ALTERNATE: plain.sum(), "workers_without_REPEAT": alternate.sum()}
    return {k: int(v) for k, v in counts.items()} | {"segments": len(systems), "whole": whole}


def table_1(seen: pd.DataFrame) -> pd.DataFrame:
    """Items of each kind in the releases at hand (Table 1, by campaign).

    Parameters
    ----------
    seen : DataFrame
        Rows of `composition`, with columns campaign and level.
    """
    released = seen[seen["level"] != "recovered"]
    return released.groupby("campaign")[[*ITEMS]].sum().astype(int)


def values(seen: pd.DataFrame, *, source: Source) -> Values:
    """What notebook 31 holds against section 2, Table 1 and section 5.1.

    Parameters
    ----------
    seen : DataFrame
        Rows of `composition`, indexed by "campaign pair".
    """
    if source.kind != "raw":
        return {}
    eighteen = seen.loc[[*pairs_at_hand("2018, assessments", source).pairs]]
    return _table_1(seen, source) | _section_5_1(seen, eighteen, source)


def _table_1(seen: pd.DataFrame, source: Source) -> Values:
    """The counts of Table 1, and what the data say of those that cannot be checked."""
    found: Values = {}
    for name, question in FILES.items():
        pairs = pairs_of(question)
        rated = sum(_rated(row, source) for row in pairs.itertuples())
        found["table-1", f"{name} SYSTEM"] = f"{rated} with REPEAT"
        found["table-1", f"{name} REPEAT"] = f"{rated} with SYSTEM"
        if (
            "SR-DC" in set(pairs["style"])
            and not pairs_at_hand(f"{question}, references", source).absent
        ):
            found["table-1", f"{name} REF"] = sum(
                _references(row, seen, source) for row in pairs.itertuples()
            )
    name = "appraise-doclevel-newstest2019"
    rated = int(str(found["table-1", f"{name} SYSTEM"]).split()[0])
    note = "judgements of the official tables, which count REPEAT too; none is printed"
    found["table-1", f"{name} SYSTEM"] = Noted(rated, note)
    del found["table-1", f"{name} REPEAT"]
    name = "appraise-doclevel-newstest2020"
    late = sum(_rated(row, source) for row in pairs_of("wmt20/en-iu").itertuples())
    found["table-1", f"{name} SYSTEM"] += f"; {late} of en-iu, where collection was late"
    return found


def _rated(row: Any, source: Source) -> int:
    """SYSTEM and REPEAT judgements of one language pair, by the official table of systems.

    Two rows with the same numbers, as in 2019 en-kk, are one output of two systems: both count.
    """
    outcome = "systems" if row.campaign == "wmt20" else "z"
    official = load_official(row.campaign, row.language_pair, outcome=outcome, source=source)
    human = official["system"].str.upper().str.startswith("HUMAN") & (row.style == "SR-DC")
    return int(official.loc[~human, "judgements"].sum())


def _references(row: Any, seen: pd.DataFrame, source: Source) -> int:
    """REF judgements of an SR-DC pair: listed, or the system HUMAN of the segment means."""
    about = seen.loc[f"{row.campaign} {row.language_pair}"]
    if about["level"] == "item":
        return int(about["REF"])
    means = load_segment_means(row.campaign, row.language_pair, source=source)
    return int(means.loc[means["system"].str.startswith("HUMAN"), "judgements"].sum())


def _section_5_1(seen: pd.DataFrame, eighteen: pd.DataFrame, source: Source) -> Values:
    """Shares of workers, and the alternate HITs of 2018."""
    reference, spoiled = eighteen["share_REF"].sort_values(), eighteen["share_BAD_REF"]
    found: Values = {
        ("section-5.1", f"workers who judged REF, 2018 {pair}"): _percent(
            reference[f"wmt18 {pair}"]
        )
        for pair in ("en-et", "zh-en", "en-cs", "en-fi")
    }
    ends = [name.split()[1] for name in (*reference.index[:3], reference.index[-1])]
    found["section-5.1", "workers who judged REF, 2018, lowest and highest"] = Claim(
        {
            "en-et, en-cs, en-fi are the lowest, in this order": ends[:3]
            == ["en-et", "en-cs", "en-fi"],
            "zh-en is the highest": ends[3] == "zh-en",
        },
        f"lowest {', '.join(ends[:3])}; highest {ends[3]}",
    )
    found["section-5.1", "workers who judged BAD_REF, 2018"] = Claim(
        {"every worker": (spoiled == 1).all()}, f"least {_percent(spoiled.min())}"
    )
    total = eighteen[[ALTERNATE, "workers_without_REPEAT", "segments", "whole"]].sum()
    workers, plain, segments, whole = total.astype(int)
    found["section-5.1", "alternate HITs of 2018, quality control"] = Claim(
        {"at least 95 %": plain >= 0.95 * workers},
        f"{plain} of {workers} workers without REF have no REPEAT",
    )
    shown = f"{whole} of {segments} segments ({whole / segments:.1%})"
    found["section-5.1", "alternate HITs of 2018, systems"] = Claim(
        {"more than half": whole > 0.5 * segments}, shown
    )
    found["section-8", "alternate HITs of 2018"] = Claim(
        {"every segment": whole == segments}, shown
    )
    twenty = seen.loc[[*pairs_at_hand("2020 Appraise, segment means", source).pairs]]
    human = twenty["share_HUMAN"].sort_values()
    for name, k in (("lowest", 0), ("highest", -1)):
        text = f"{_percent(human.iloc[k])} ({human.index[k].split()[1]}), recovered in part"
        found["section-5.1", f"workers who judged human data, 2020 out of English, {name}"] = text
    with_hits = seen.loc[[*pairs_at_hand("SR-DC 2018, HIT ids", source).pairs], "hit_sizes"]
    sizes = np.concatenate([*with_hits])
    middle = float(np.median(sizes))
    found["section-2", "translations in a HIT"] = Claim(
        {"the median is 100": middle == 100},
        f"median {middle:g}, {(sizes == 100).mean():.0%} of {len(sizes)} HITs have 100",
    )
    return found


def _percent(share: float) -> str:
    """As the paper prints shares: one decimal, none if whole."""
    return f"{share * 100:.1f}".removesuffix(".0") + "%"
