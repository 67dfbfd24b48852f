"""Section 5.1: HIT Composition (Knowles 2021): what HITs and workers held."""

import re
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
import pandas as pd

from study.campaigns import Release
from study.data.assessment_catalogue import pairs_at_hand
from study.data.sources import Source
from study.knowles2021 import LATE, columns_at_hand
from study.scoreboard.published import ids
from study.scoreboard.verdicts import Values
from wmtlib.core.assessments import ITEMS, QUALITY_CONTROL, RATED_ITEMS, Campaign


def outputs_held(
    campaign: Campaign, unit: str, items: Collection[str] = RATED_ITEMS
) -> pd.DataFrame:
    """Count accepted outputs of each system in each HIT, or of each worker.

    Returns
    -------
    DataFrame of int, units x systems
    """
    number, _ = campaign.units(unit)
    cells = campaign.cells_of(campaign.accepted & campaign.is_item(*items))
    outputs = pd.crosstab(number[cells.judgement], cells.credit_system)
    return outputs.rename(columns=dict(enumerate(campaign.systems)))


def share_with_every_system(campaign: Campaign, *, unit: str) -> float:
    """Compute the share of HITs, or workers, with outputs of every system."""
    return (outputs_held(campaign, unit) > 0).all(axis=1).mean()


def has_hit_id(campaign: Campaign) -> np.ndarray:
    """Return whether the HIT of each judgement is known, (judgements,) of bool."""
    return np.array(campaign.hits)[campaign.hit] != ""


def hit_sizes(campaign: Campaign) -> np.ndarray:
    """Count the judgements in each HIT with an id; a joint output counts once."""
    known = campaign.select(has_hit_id(campaign) & campaign.accepted)
    return np.bincount(known.units("hit")[0])


def composition(release: Release) -> dict[str, Any]:
    """Describe what the HITs and the workers of one language pair held.

    Returns
    -------
    dict
        pair, campaign, style, level, known (share of the judgements), humans (their
        number); number of accepted judgements of each item, a joint row counting once
        for each of its systems (Table 1); workers;
        share_REF, share_BAD_REF, share_HUMAN: shares of the workers who judged some;
        worker_size: judgements of the median worker that are known one by one;
        all_systems: share of the workers who judged every system.
        Traces of the alternate HITs of 2018, without REF and REPEAT items (section
        5.1): workers_without_REF; workers_without_REPEAT, those of them without a
        REPEAT item too; alternate_judgements, all of theirs; segments that they judged,
        and whole, those that they judged for every system.
    """
    coded = release.coded
    cells = coded.cells
    times = np.bincount(coded.credit, minlength=len(coded.score)).clip(1)
    counts = np.bincount(coded.item, times * coded.accepted, len(ITEMS)).astype(int)
    item = np.array(ITEMS)[coded.item]
    items = pd.crosstab(coded.worker[coded.accepted], item[coded.accepted])
    items = items.reindex(columns=[*ITEMS], fill_value=0)
    worker = coded.worker[cells.judgement]
    is_human = coded.is_system(release.humans)[cells.credit_system]
    judged = items[[*QUALITY_CONTROL]] > 0
    judged["HUMAN"] = judged.index.isin(worker[is_human])
    without_ref = items.query("SYSTEM > 0 and REF == 0")
    alternate = without_ref.query("REPEAT == 0")
    place = coded.place[cells.judgement]
    systems = pd.Series(cells.credit_system).groupby([worker, place]).nunique()
    systems = systems.loc[alternate.index]
    return {
        "pair": f"{release.campaign} {release.language_pair}",
        **release.about("campaign", "style", "level"),
        "known": release.share,
        "humans": len(release.humans),
        **dict(zip(ITEMS, counts, strict=True)),
        "workers": float(len(judged)),
        **judged.mean().add_prefix("share_"),
        "worker_size": pd.Series(coded.worker).value_counts().median(),
        "all_systems": share_with_every_system(coded, unit="worker"),
        "workers_without_REF": len(without_ref),
        "workers_without_REPEAT": len(alternate),
        "alternate_judgements": alternate.to_numpy().sum(),
        "segments": len(systems),
        "whole": (systems == len(coded.systems)).sum(),
    }


def partial_segments(seen: pd.DataFrame) -> pd.Series:
    """Count segments not judged for every system, in 100 alternate judgements."""
    partial = seen["segments"] - seen["whole"]
    return (partial / seen["alternate_judgements"] * 100).astype(float)


# --- facts of the claims --------------------------------------------------------------


def hit_values(
    releases: Iterable[Release], seen: pd.DataFrame, source: Source
) -> Values:
    """Collect sizes of HITs, what workers held, and the alternate HITs of 2018."""
    eighteen = seen.loc[[*pairs_at_hand("2018, assessments", source).pairs]]
    order = eighteen["share_REF"].sort_values().index
    partial = partial_segments(eighteen)
    with_ids = pairs_at_hand("SR-DC 2018, HIT ids", source).pairs
    sizes = np.concatenate(
        [
            hit_sizes(release.coded)
            for release in releases
            if f"{release.campaign} {release.language_pair}" in with_ids
        ]
    )
    return {
        **columns_at_hand(seen, source, "K-5.1-01", "K-5.1-07", "K-5.1-08", "K-N12-01"),
        "K-2-01": {"sizes": sizes, "middle": np.median(sizes)},
        "K-5.1-06": {"order": [name.split()[1] for name in order]},
        "K-8-02": {
            **eighteen,
            "note": f"{partial.min():.1f} to {partial.max():.1f} segments in 100 "
            "judgements are partial, as is left over where a HIT of 100 ends",
        },
    }


def worker_shares(seen: pd.DataFrame, source: Source) -> Values:
    """Write the shares of the workers who judged some kind of item (section 5.1)."""
    into = seen.loc[[*pairs_at_hand("SR-DC 2020 MTurk, outputs", source).pairs]]
    least = _percent(into["share_REF"].min())
    computed: Values = {
        "K-5.1-12": f"REF: {least} in {len(into)} of 10 pairs, recovered"
    }
    for quantity, row in ids("knowles2021", "section-5.1").items():
        named = re.fullmatch(
            "workers who judged (.+), (20(..)) (.+ English|..-..)(?:, (.+))?", quantity
        )
        if not named:
            continue
        what, year, short_year, where, end = named.groups()
        need = "segment means" if "human data, 2020" in quantity else "assessments"
        questions = {
            "into English": f"{year} MTurk, {need}",
            "out of English": f"{year} Appraise, {need}",
        }
        question = questions.get(where, f"wmt{short_year}/{where}, {need}")
        judged = seen.loc[[*pairs_at_hand(question, source).pairs]]
        kinds = what.replace("human data", "HUMAN").split(" and ")
        share = judged[[f"share_{kind}" for kind in kinds]].min(axis=1)
        if share.empty:
            continue
        value = share.max() if end == "highest" else share.min()
        text = _percent(value)
        if end:
            pairs = share.index[share == value]
            text += f" ({', '.join(pair.split()[1] for pair in pairs)})"
            if (judged["level"] == "recovered").any():
                text += ", recovered in part"
                if LATE in pairs:
                    text += "; collected later than the paper's"
        computed[row] = text
    return computed


def _percent(share: float) -> str:
    """Write a share as the paper prints it: one decimal, none if whole."""
    return f"{share * 100:.1f}".removesuffix(".0") + "%"
