"""How few judgements decide who is first? Notebook 61.

The two questions that are tested stand in the notebook. They were fixed, in words and numbers,
before anything was computed for them. Known was an earlier greedy count by single comparisons: at
most 20 in 21 of 45 tasks.

Tasks are all relative-ranking tasks of WMT10, WMT11, WMT12 and WMT16 with two systems or more that
the source holds; the method is expected wins, the unit of removal the ranking, the unit of
collection. "Fewest" is the upper end, the size of a set that was removed, wherever no number is
proven.
"""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from wmtlib import counts as counting
from wmtlib.corrections import wilson
from wmtlib.counts import COMPARISON, FIRST, REFERENCE, TIE
from wmtlib.errors import DataError
from wmtlib.fewest import Robustness, fewest_removals
from wmtlib.resampling import bootstrap
from wmtlib.study import keep
from wmtlib.study.releases import assessment_catalogue, coded_campaigns, ranking_releases
from wmtlib.study.releases.sources import LATER_RELATIVE, RELATIVE_CAMPAIGNS, Source

SMALL = 0.01  # share of a task's rankings that is called few
UNSURE = 0.05  # share of bootstrap samples with another winner from which a winner is unsure
SURE_SHARE = 0.9  # of the second test
LOOKED = {"winner": 1.0, "first three": 0.05, "neighbours": SMALL}  # up to which share
FEWEST_UNITS = 20  # HITs or workers of a campaign of direct assessment, at least


def relative_tasks(source: Source, *, n_resamples: int, seed: int) -> pd.DataFrame:
    """How few rankings decide each task of relative ranking, by expected wins.

    Without single rankings the unit is the comparison, and WMT16 is left out.

    Returns
    -------
    DataFrame
        One row a task: campaign, label, systems, unit, and the columns of `_summary`; units that
        change the winner by the other methods, official_high (Lopez's Equation 1) and mfas_high,
        missing above 1 %; unsure: share of bootstrap samples in which the winner is not alone at
        the top.
    """
    raw = source.kind == "raw"
    campaigns = [*RELATIVE_CAMPAIGNS, *(LATER_RELATIVE if raw else ())]
    tasks = ranking_releases.tasks(source, campaigns)[["campaign", "task"]].to_numpy().tolist()
    draws, rows = (source, n_resamples, seed), []
    for task in tasks:
        settings = [*task, source.route, n_resamples, seed]
        rows.append(keep.result("how-few-relative", settings, relative_task, *task, *draws))
    return pd.DataFrame(rows)


def relative_task(
    campaign: str, task: str, source: Source, n_resamples: int, seed: int
) -> dict[str, Any]:
    """One row of `relative_tasks`."""
    frame = ranking_releases.load_comparisons(campaign, task, source=source)
    unit = "ranking" if "ranking" in frame else COMPARISON
    names = {*frame["system_1"].unique(), *frame["system_2"].unique()}
    reference = REFERENCE if REFERENCE in names else None
    look = partial(fewest_removals, frame, unit=unit, reference=reference)
    row = {"campaign": campaign, "label": ranking_releases.label(campaign, task)}
    row |= {"systems": len(names) - (reference is not None), "unit": unit}
    row |= _summary(look("expected-wins", changes=LOOKED))
    for name, method in (("official", "wmt-official"), ("mfas", "mfas")):
        table = look(method, changes={"winner": SMALL}).table
        row[f"{name}_high"] = table["units_high"].iloc[0]
    drawn = {"unit": unit, "n_resamples": n_resamples, "seed": np.random.default_rng(seed)}
    sample = bootstrap(counting.without(frame, reference), "expected-wins", **drawn)
    return row | {"unsure": unsure_share(sample.scores, sample.ranking.order[0])}


def unsure_share(scores: pd.DataFrame, winner: str) -> float:
    """Share of the samples in which the winner is not ahead of every other system."""
    others = scores.drop(columns=winner).max(axis=1)
    return float((~(scores[winner] > others + 1e-12)).mean())


def _summary(found: Robustness) -> dict[str, Any]:
    """Numbers of a task: how many there are, and how few decide.

    winner, rival, units .. rescaled: the first row of the table of `Robustness`. three_high: units
    that change the first three, missing where they are more than 5 % or no other system is there.
    pairs, few_pairs: of neighbours, and how many of them at most 1 % of the units turn.
    """
    table = found.table
    winner = table.iloc[0].drop("change").rename({"above": "winner", "below": "rival"})
    three, pairs = (table[table["change"] == name] for name in ("first three", "neighbours"))
    few = {"pairs": len(pairs), "few_pairs": int(pairs["units_high"].notna().sum())}
    return {**winner, "three_high": next(iter(three["units_high"]), pd.NA), **few}


def removed_units(source: Source, campaign: str, task: str) -> pd.DataFrame:
    """The rankings that were found to change the winner of a task, by expected wins.

    Returns
    -------
    DataFrame
        A row for each ranking, in the order of removal: the systems that the winner beat in it,
        and those that the rival lost to. Without single rankings, single comparisons.
    """
    frame = ranking_releases.load_comparisons(campaign, task, source=source)
    frame = counting.without(frame, REFERENCE)
    unit = "ranking" if "ranking" in frame else COMPARISON
    found = fewest_removals(frame, "expected-wins", unit=unit, changes={"winner": 1.0})
    winner, rival = found.table.loc[0, ["above", "below"]]
    names = frame[["system_1", "system_2"]].astype(str).to_numpy()
    first = (frame["preference"] == FIRST).to_numpy()
    better, worse = np.where(first[:, None], names, names[:, ::-1]).T
    units = np.arange(len(frame)) if unit == COMPARISON else frame[unit].to_numpy()
    rows = []
    for label in found.removed[0]:
        chosen = (units == label) & (frame["preference"] != TIE).to_numpy()
        beaten, victors = worse[chosen & (better == winner)], better[chosen & (worse == rival)]
        rows.append((", ".join(sorted(beaten)), ", ".join(sorted(victors))))
    return pd.DataFrame(rows, columns=[f"{winner} beat", f"{rival} lost to"])


def assessed_tasks(source: Source) -> pd.DataFrame:
    """How few HITs (workers, where HITs are not named) decide each campaign of direct assessment.

    By mean z-score; human translations count as systems. Campaigns with single judgements and
    `FEWEST_UNITS` units or more; simulated ones without the raw files.

    Returns
    -------
    DataFrame
        campaign, label, systems, unit and the columns of `_summary`.
    """
    pairs = coded_campaigns.simulated()
    if source.kind == "raw":
        known = assessment_catalogue.availability(source).query("status == 'present'")
        pairs = known[["campaign", "language_pair"]].to_numpy().tolist()
    rows = [
        keep.result("how-few-assessed", [*pair, source.route], _assessed_task, *pair, source)
        for pair in pairs
    ]
    return pd.DataFrame([row for row in rows if row])


def _assessed_task(campaign: str, language_pair: str, source: Source) -> dict[str, Any] | None:
    """One row of `assessed_tasks`; None if there are too few units."""
    release = coded_campaigns.load_release(campaign, language_pair, source=source)
    try:
        unit, (_, size) = "hit", release.coded.units("hit")
    except DataError:  # HITs are not named
        unit, (_, size) = "worker", release.coded.units("worker")
    if size < FEWEST_UNITS:
        return None
    row = {"campaign": campaign, "label": release.label, "systems": len(release.coded.systems)}
    found = fewest_removals(release.coded, "z-score", unit=unit, changes=LOOKED)
    return {**row, "unit": unit, **_summary(found)}


def findings(tasks: pd.DataFrame) -> pd.DataFrame:
    """The two tests of notebook 61 on the tasks of relative ranking.

    Returns
    -------
    DataFrame
        test, tasks (how many it is about), count, share, low, high (Wilson), outcome.
    """
    few = tasks["units_high"] <= SMALL * tasks["units"]
    rows = []
    for test, cases in (("main", few), ("second", tasks.loc[few, "unsure"] >= UNSURE)):
        share, size = float(cases.mean()), len(cases)
        low, high = (float(end) for end in wilson(np.array(share), size))
        if test == "main":
            outcome = "holds" if low > 0.5 else "does not hold" if high < 0.5 else "open"
        else:
            outcome = "holds" if share >= SURE_SHARE else "does not hold"
        rows.append((test, size, int(cases.sum()), share, low, high, outcome))
    return pd.DataFrame(rows, columns=["test", "tasks", "count", "share", "low", "high", "outcome"])
