"""Few judgements that decide who is first, for notebook 61.

The two questions that are tested are in the notebook. They were fixed, in words and
numbers, before anything was computed for them. Known was an earlier greedy count by
single comparisons: at most 20 in 21 of 45 tasks.

Tasks are all relative-ranking tasks of WMT10, WMT11, WMT12 and WMT16 with two systems
or more that the source holds; the method is expected wins, the unit of removal the
ranking, the unit of collection. "Fewest" is the size of a set that was removed.
"""

from typing import Any

import numpy as np
import pandas as pd

from study import campaigns
from study.beyond.fewest_removals import Robustness, robustness
from study.data import ranking_releases
from study.data.sources import Source
from wmtlib.core.counts import COMPARISON, REFERENCE, without
from wmtlib.core.errors import DataError
from wmtlib.resampling import bootstrap

SMALL = 0.01  # share of a task's rankings that is called few
UNSURE = 0.05  # share of bootstrap samples with another winner: from here it is unsure
LOOKED = {"winner": 1.0, "first three": 0.05, "neighbours": SMALL}  # up to which share
FEWEST_UNITS = 20  # HITs or workers of a campaign of direct assessment, at least


def relative_task(
    campaign: str, task: str, source: Source, n_resamples: int, seed: int
) -> pd.DataFrame:
    """Count the rankings that decide a task of relative ranking, by expected wins.

    Without single rankings the unit is the comparison.

    Returns
    -------
    DataFrame of one row
        The columns of `_summary`; official_high: units that change the winner by
        Lopez's Equation 1, missing above 1 %; unsure: share of bootstrap samples in
        which the winner is not alone at the top.
    """
    frame = ranking_releases.load_comparisons(campaign, task, source=source)
    alone: Any = without(frame, REFERENCE)
    unit = "ranking" if "ranking" in frame else COMPARISON
    reference = REFERENCE if len(alone) < len(frame) else None
    official = robustness(
        frame,
        "wmt-official",
        unit=unit,
        reference=reference,
        changes={"winner": SMALL},
    )
    samples = bootstrap(
        alone,
        "expected-wins",
        unit=unit,
        n_resamples=n_resamples,
        seed=np.random.default_rng(seed),
    )
    found = robustness(alone, "expected-wins", unit=unit, changes=LOOKED)
    row = _summary(campaign, ranking_releases.label(campaign, task), found)
    return row.assign(
        official_high=official.table["units_high"],
        unsure=unsure_share(samples.sample_scores, row["winner"].item()),
    )


def unsure_share(scores: pd.DataFrame, winner: str) -> float:
    """Return the share of samples in which the winner is not ahead of all others."""
    others = scores.drop(columns=winner).max(axis=1)
    return float((~(scores[winner] > others + 1e-12)).mean())


def _summary(campaign: str, label: str, found: Robustness) -> pd.DataFrame:
    """Put the numbers of a task into a row: judgements at hand, and few that decide.

    campaign, label, systems, unit; winner, rival, units, units_high, rescaled: the
    first row of the table of `Robustness`. three_high: units that change the first
    three, missing where they are more than 5 % or no other system is there. pairs,
    few_pairs: of neighbours, and how many of them at most 1 % of the units turn.
    """
    high = found.table.set_index("change")["units_high"]
    pairs = high[["neighbours"]]
    task = [campaign, label, len(found.ranking.order), found.unit]
    head = pd.DataFrame([task], columns=["campaign", "label", "systems", "unit"])
    row = found.table[:1].rename(columns={"above": "winner", "below": "rival"})
    row = head.join(row.drop(columns="change")).assign(
        three_high=high.get("first three", pd.NA),
        pairs=len(pairs),
        few_pairs=pairs.notna().sum(),
    )
    return row.astype({"three_high": "Int64", "rescaled": "boolean"})


def assessed_task(campaign: str, language_pair: str, source: Source) -> pd.DataFrame:
    """Count the HITs that decide a campaign of direct assessment, or the workers.

    By mean z-score; human translations count as systems. Workers are the units where
    HITs are not named.

    Returns
    -------
    DataFrame of one row
        The columns of `_summary`; no row if there are fewer than
        `FEWEST_UNITS` units.
    """
    release = campaigns.load_release(campaign, language_pair, source=source)
    unit = "hit"
    try:
        _, number = release.coded.units(unit)
    except DataError:  # HITs are not named
        unit = "worker"
        _, number = release.coded.units(unit)
    if number < FEWEST_UNITS:
        return pd.DataFrame()
    found = robustness(release.coded, unit=unit, changes=LOOKED)
    return _summary(campaign, release.label, found)
