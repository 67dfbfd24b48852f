"""Which protocol finds the true ranking, and how easily is it upset? (Knowles 2021, section 8)

Protocols are compared on simulated campaigns of equal cost with the same systems, documents and
workers, so differences between protocols are differences between pairs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import joblib
import numpy as np
import pandas as pd

from wmtlib.assessment.campaign import Campaign
from wmtlib.assessment.clusters import RankedClusters, rank_campaign
from wmtlib.assessment.encoding import encode
from wmtlib.assessment.stability import differences, perturbations
from wmtlib.judgements.errors import DataError
from wmtlib.simulation import simulate
from wmtlib.simulation.designs import HUMAN, Design
from wmtlib.simulation.simulate import CALIBRATION_HIT, SimulatedCampaign

SIMULATED_DIVISORS = (2, 10)
METRICS = ("distance", "wrong", "missed", "order changed", "clusters changed")


def rank_protocol(
    campaign: Campaign,
    *,
    scales_from: np.ndarray | None = None,
    unranked: np.ndarray | None = None,
    **choices: Any,
) -> RankedClusters:
    """Rank a simulated campaign without its human system.

    On the workers' own scales or, if there is one, on those of the calibration HIT (section 8):
    the mean and standard deviation of a worker's scores in the HIT that all workers did, "applied
    to the remainder of the annotator's judgments". The calibration judgements are averaged like
    others.

    Parameters
    ----------
    campaign, scales_from, unranked
        As in `clusters.rank_campaign`.
    **choices
        Other arguments of it; the paper's test is "legacy", its rule "footnote-4".
    """
    human = np.array([name == HUMAN for name in campaign.systems])
    if CALIBRATION_HIT in campaign.hits:
        calibration = campaign.hit == campaign.hits.index(CALIBRATION_HIT)
        scales_from = calibration if scales_from is None else scales_from & calibration
    unranked = human if unranked is None else human | unranked
    return rank_campaign(campaign, scales_from=scales_from, unranked=unranked, **choices)


def changes(campaign: Campaign, found: RankedClusters, *, test: str, rule: str) -> pd.DataFrame:
    """Effects of five changes to the judgements on a ranking (section 5, Tables 2, 3, Figure 1).

    Humans and REF items are removed, and divided by 2 and by 10; the best and the worst system,
    of those that are not human, are removed.

    Parameters
    ----------
    campaign : Campaign
    found : RankedClusters
        Its ranking, by `rank_protocol`.
    test, rule
        As in `rank_protocol`.

    Returns
    -------
    DataFrame
        One row for each change that concerns a judgement: kind, what, and the columns of
        `stability.differences`.
    """
    humans = {HUMAN} & {*campaign.systems}
    rows = []
    for change in perturbations(
        campaign, found.order, humans=humans, paired=False, divisors=SIMULATED_DIVISORS
    ):
        if change.kind == "remove" or not change.rows.any():
            continue
        after = rank_protocol(
            campaign, test=test, rule=rule, unranked=change.unranked, **change.changes(campaign)
        )
        before = found.restricted(~change.unranked)
        rows.append({"kind": change.kind, "what": change.what} | differences(before, after))
    return pd.DataFrame(rows)


def accuracy(found: RankedClusters, truth: pd.Series) -> dict[str, float]:
    """How far from the truth a ranking is: shares of all pairs of ranked systems.

    Parameters
    ----------
    found : RankedClusters
    truth : Series
        True quality, indexed by system.

    Returns
    -------
    dict
        distance : pairs in the wrong order (Kendall); wrong : pairs in the wrong order that are
        significantly apart; missed : pairs that are not significantly apart in the right order.
    """
    quality = truth[found.names].to_numpy()
    first, second = np.triu_indices(len(quality), 1)
    reversed_ = quality[first] < quality[second]
    apart = found.p[found.order[first], found.order[second]] < found.alpha
    return {
        "distance": float(reversed_.mean()),
        "wrong": float((reversed_ & apart).mean()),
        "missed": float((~apart | reversed_).mean()),
    }


def measure(simulated: SimulatedCampaign, *, test: str, rule: str) -> dict[str, float]:
    """The `METRICS` of one campaign; "order changed" and "clusters changed": share of `changes`."""
    campaign = encode(simulated.assessments)
    found = rank_protocol(campaign, test=test, rule=rule)
    changed = changes(campaign, found, test=test, rule=rule)
    return accuracy(found, simulated.truth) | {
        "order changed": float(changed["rank"].mean()),
        "clusters changed": float(changed["cluster"].mean()),
    }


def measure_designs(
    designs: Mapping[str, Design], seeds: Sequence[int], *, test: str, rule: str, jobs: int = 1
) -> pd.DataFrame:
    """Simulate every design with every seed and measure it; equal designs only once.

    Parameters
    ----------
    designs : mapping from label to Design
        Designs that differ only in the protocol, or in how workers are standardised, meet the
        same systems, documents and workers with the same seed.
    seeds : sequence of int
    test, rule
        As in `rank_protocol`.
    jobs : int
        Processes.

    Returns
    -------
    DataFrame
        Columns protocol (the label), seed, metric, value.

    Raises
    ------
    DataError
        Designs of different cost.
    """
    if len(costs := {design.judgements for design in designs.values()}) > 1:
        raise DataError(f"designs cost {sorted(costs)} judgements; expected the same")
    runs = [(design, seed) for seed in seeds for design in dict.fromkeys(designs.values())]
    run = joblib.delayed(_measured)
    found = joblib.Parallel(n_jobs=jobs, batch_size=8)(run(*r, test, rule) for r in runs)
    values = dict(zip(runs, found, strict=True))
    rows = [
        {"protocol": label, "seed": seed, "metric": metric, "value": value}
        for seed in seeds
        for label, design in designs.items()
        for metric, value in values[design, seed].items()
    ]
    return pd.DataFrame(rows)


def _measured(design: Design, seed: int, test: str, rule: str) -> dict[str, float]:
    simulated = simulate.campaign(design, np.random.default_rng(seed))
    return measure(simulated, test=test, rule=rule)


def mean_metrics(table: pd.DataFrame, *, against: str) -> pd.DataFrame:
    """Means over seeds, with standard errors.

    Parameters
    ----------
    table : DataFrame
        As `measure_designs` gives.
    against : str
        Label of the design that the others are compared with, seed by seed.

    Returns
    -------
    DataFrame
        Columns protocol, metric, mean, error, difference and difference_error (of the mean
        difference of pairs); protocols and metrics in order of first appearance.

    Raises
    ------
    DataError
        An unknown label.
    """
    wide = table.pivot_table("value", "seed", ["protocol", "metric"], dropna=False)
    labels, metrics = table["protocol"].unique(), table["metric"].unique()
    if against not in labels:
        raise DataError(f"design is {against!r}; expected one of {', '.join(labels)}")
    rows = []
    for label in labels:
        for metric in metrics:
            value = wide[label, metric]
            difference = value - wide[against, metric]
            rows.append(
                {
                    "protocol": label,
                    "metric": metric,
                    "mean": value.mean(),
                    "error": value.sem(),
                    "difference": difference.mean(),
                    "difference_error": difference.sem(),
                }
            )
    return pd.DataFrame(rows)


def proposals(base: Design, *, calibration: int = 100) -> dict[str, Design]:
    """Section 8's proposals, and the protocols used until then, at the cost of one design.

    Parameters
    ----------
    base : Design
        Systems, documents, workers, cost and spreads.
    calibration : int
        Items of the calibration HIT.

    Returns
    -------
    dict from label to Design
    """
    settings = {
        "SR-DC": {"protocol": "SR-DC"},
        "SR-DC, alternate": {"protocol": "alternate"},
        "SR+DC": {"protocol": "SR+DC"},
        "SR+DC, by HIT": {"protocol": "SR+DC", "normalise": "hit"},
        "SR+DC, same documents": {"protocol": "SR+DC same documents"},
        "SR+DC, all systems per HIT": {"protocol": "SR+DC all systems per HIT"},
        "SR+DC, all systems, by HIT": {
            "protocol": "SR+DC all systems per HIT",
            "normalise": "hit",
        },
        "SR+DC, calibration HIT": {"protocol": "SR+DC", "calibration_hit": calibration},
    }
    return {label: replace(base, **changed) for label, changed in settings.items()}


def composition(base: Design) -> dict[str, Design]:
    """Effects of the systems per HIT and of document context: two by two, with documents or not.

    "SR-DC few systems per HIT" has the systems of SR+DC's HITs but single sentences; "SR+DC
    balanced" has documents, but every system in every HIT. "flat": documents are equally hard.
    """
    protocols = {
        "sentences, all systems": "SR-DC",
        "sentences, few systems": "SR-DC few systems per HIT",
        "documents, all systems": "SR+DC balanced",
        "documents, few systems": "SR+DC",
    }
    flat = {"document": 0.0, "system_document": 0.0}
    designs = {label: replace(base, protocol=name) for label, name in protocols.items()}
    return designs | {f"{label}, flat": replace(d, **flat) for label, d in designs.items()}
