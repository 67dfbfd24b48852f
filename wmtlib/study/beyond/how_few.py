"""How few judgements decide who is first? Notebook 61.

The two questions that are tested stand in the notebook. They were fixed, in words and
numbers, before anything was computed for them. Known was an earlier greedy count by
single comparisons: at most 20 in 21 of 45 tasks.

Tasks are all relative-ranking tasks of WMT10, WMT11, WMT12 and WMT16 with two systems
or more that the source holds; the method is expected wins, the unit of removal the
ranking, the unit of collection. "Fewest" is the upper end, the size of a set that was
removed, wherever no number is proven.
"""

from typing import Any

import numpy as np
import pandas as pd

from wmtlib import counts as counting
from wmtlib.counts import COMPARISON, REFERENCE
from wmtlib.errors import DataError
from wmtlib.fewest import Robustness, fewest_removals
from wmtlib.resampling import bootstrap
from wmtlib.study.releases import coded_campaigns, ranking_releases
from wmtlib.study.releases.sources import Source

SMALL = 0.01  # share of a task's rankings that is called few
UNSURE = (
    0.05  # share of bootstrap samples with another winner from which a winner is unsure
)
LOOKED = {"winner": 1.0, "first three": 0.05, "neighbours": SMALL}  # up to which share
FEWEST_UNITS = 20  # HITs or workers of a campaign of direct assessment, at least


def relative_task(
    campaign: str, task: str, source: Source, n_resamples: int, seed: int
) -> dict[str, Any]:
    """How few rankings decide a task of relative ranking, by expected wins.

    Without single rankings the unit is the comparison.

    Returns
    -------
    dict
        campaign, label, systems, unit, and the columns of `_summary`; units that change
        the winner by the other methods, official_high (Lopez's Equation 1) and
        mfas_high, missing above 1 %; unsure: share of bootstrap samples in which the
        winner is not alone at the top.
    """
    frame = ranking_releases.load_comparisons(campaign, task, source=source)
    systems = {*frame["system_1"].unique(), *frame["system_2"].unique()} - {REFERENCE}
    alone = counting.without(frame, REFERENCE)
    unit = "ranking" if "ranking" in frame else COMPARISON
    row = {"campaign": campaign, "label": ranking_releases.label(campaign, task)}
    row |= {"systems": len(systems), "unit": unit}
    row |= _summary(fewest_removals(alone, "expected-wins", unit=unit, changes=LOOKED))
    reference = REFERENCE if len(alone) < len(frame) else None
    for name, method in (("official", "wmt-official"), ("mfas", "mfas")):
        options = {"reference": reference, "changes": {"winner": SMALL}}
        table = fewest_removals(frame, method, unit=unit, **options).table
        row[f"{name}_high"] = table["units_high"].iloc[0]
    rng = np.random.default_rng(seed)
    sample = bootstrap(
        alone, "expected-wins", unit=unit, n_resamples=n_resamples, seed=rng
    )
    return row | {"unsure": unsure_share(sample.scores, row["winner"])}


def unsure_share(scores: pd.DataFrame, winner: str) -> float:
    """Share of the samples in which the winner is not ahead of every other system."""
    others = scores.drop(columns=winner).max(axis=1)
    return float((~(scores[winner] > others + 1e-12)).mean())


def _summary(found: Robustness) -> dict[str, Any]:
    """Numbers of a task: how many there are, and how few decide.

    winner, rival, units .. rescaled: the first row of the table of `Robustness`.
    three_high: units that change the first three, missing where they are more than 5 %
    or no other system is there. pairs, few_pairs: of neighbours, and how many of them
    at most 1 % of the units turn.
    """
    row = (
        found.table.iloc[0]
        .drop("change")
        .rename({"above": "winner", "below": "rival"})
        .to_dict()
    )
    high = found.table.set_index("change")["units_high"]
    pairs = high[["neighbours"]]
    row["three_high"] = high.get("first three", pd.NA)
    return row | {"pairs": len(pairs), "few_pairs": int(pairs.notna().sum())}


def assessed_task(
    campaign: str, language_pair: str, source: Source
) -> dict[str, Any] | None:
    """How few HITs (workers, where HITs are not named) decide a campaign of direct assessment.

    By mean z-score; human translations count as systems.

    Returns
    -------
    dict or None
        campaign, label, systems, unit and the columns of `_summary`; None if there are
        fewer than `FEWEST_UNITS` units.
    """
    release = coded_campaigns.load_release(campaign, language_pair, source=source)
    coded, unit = release.coded, "hit"
    try:
        coded.units(unit)
    except DataError:  # HITs are not named
        unit = "worker"
    if coded.units(unit)[1] < FEWEST_UNITS:
        return None
    row = {"campaign": campaign, "label": release.label, "systems": len(coded.systems)}
    return (
        row
        | {"unit": unit}
        | _summary(fewest_removals(coded, unit=unit, changes=LOOKED))
    )
