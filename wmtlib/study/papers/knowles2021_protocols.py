"""Which protocol finds the true ranking, and how easily is it upset? (Knowles 2021, sections 8, 9)

Protocols are run on the same simulated systems, documents and workers, seed by seed, so differences
between protocols are differences between pairs of campaigns. There are two worlds, calibrated on
real campaigns of single sentences and of documents (`designs.calibrated`).

A difference is spoken of if it is at least `CLEAR` standard errors. Two protocols do alike if the
90 % interval of their difference lies within the bound of `ALIKE`, which was set in advance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import comb

import numpy as np
import pandas as pd

from wmtlib.corrections import reversed_pairs
from wmtlib.stability import means_without_each, reversals_without_each
from wmtlib.study.simulation import simulate
from wmtlib.study.simulation.designs import Design, calibrated
from wmtlib.study.simulation.simulate import CALIBRATION_HIT, SimulatedCampaign

WORLDS = {"sentences (WMT17-18)": "SR-DC", "documents (WMT21-22)": "SR+DC"}
METRICS = {
    "reversed": "pairs reversed by removing a system, %",
    "distance": "pairs in the wrong order, %",
    "difficulty": "spread of documents' difficulty between systems, points",
}
CLEAR = 3.0  # standard errors
ALIKE = {"reversed": 0.25, "distance": 1.5}  # in the units of `METRICS`
FLAT = {"document": 0.0, "system_document": 0.0}  # all documents equally hard


def protocols(base: Design, *, calibration: int) -> dict[str, Design]:
    """The protocols up to 2020, section 8's proposals, and what they take apart.

    All cost the same number of judgements, but "calibration HIT on top" costs more and "a third"
    less. "few systems" has the systems of SR+DC's HITs but single sentences; "runs of all systems"
    has document runs, but one of every system in every HIT. "flat": documents are equally hard.

    Parameters
    ----------
    base : Design
        Systems, documents, workers, cost and spreads.
    calibration : int
        Items of the calibration HIT.
    """
    changes = {
        "SR-DC": {"protocol": "SR-DC"},
        "SR-DC, alternate": {"protocol": "alternate"},
        "SR-DC, few systems": {"protocol": "SR-DC few systems per HIT"},
        "SR+DC": {"protocol": "SR+DC"},
        "SR+DC, by HIT": {"protocol": "SR+DC", "normalise": "hit"},
        "SR+DC, same documents": {"protocol": "SR+DC same documents"},
        "SR+DC, all systems per HIT": {"protocol": "SR+DC all systems per HIT"},
        "SR+DC, runs of all systems": {"protocol": "SR+DC balanced"},
        "SR+DC, calibration HIT": {"protocol": "SR+DC", "calibration_hit": calibration},
    }
    changes["SR+DC, calibration HIT on top"] = changes["SR+DC, calibration HIT"] | {
        "judgements": base.judgements + calibration * base.workers
    }
    for label in ("SR+DC", "SR+DC, same documents"):  # too short to judge every document
        changes[f"{label}, a third"] = changes[label] | {"judgements": base.judgements // 3}
    for label in ("SR-DC", "SR-DC, few systems", "SR+DC, runs of all systems", "SR+DC"):
        changes[f"{label}, flat"] = changes[label] | FLAT
    return {label: replace(base, **changed) for label, changed in changes.items()}


def measure(made: SimulatedCampaign) -> dict[str, float]:
    """The `METRICS` of one campaign.

    Workers' scales come from the calibration HIT if there is one (section 8: "applied to the
    remainder of the annotator's judgments"); its judgements are averaged like others.

    Returns
    -------
    dict
        reversed : share of the pairs of other systems that are reversed when a system is removed,
        on average over the systems; distance : share of pairs in the wrong order; difficulty :
        standard deviation, over systems, of the mean true difficulty of what they were judged on.
    """
    campaign, items = made.coded, made.items
    scales_from = None
    if made.design.calibration_hit:
        scales_from = campaign.hit == campaign.hits.index(CALIBRATION_HIT)
    means = means_without_each(campaign, scales_from)
    systems = len(campaign.systems)
    removals = reversals_without_each(means)
    true = made.truth.to_dict()
    truth = np.array([true[name] for name in campaign.systems])
    wrong = reversed_pairs(np.argsort(-means[-1]), np.argsort(-truth))
    rated = items.item < 2
    system = items.system[rated]
    difficulty = made.world.difficulty[made.world.document[items.segment[rated]]]
    by_system = np.bincount(system, difficulty) / np.bincount(system)
    return {
        "reversed": 100 * float(removals.mean()) / comb(systems - 1, 2),
        "distance": 100 * wrong / comb(systems, 2),
        "difficulty": float(by_system.std(ddof=1)),
    }


def leniency_errors(made: SimulatedCampaign) -> dict[str, float]:
    """How well workers' strictness is known: from the calibration HIT, and from a HIT of their own.

    The true leniency of a worker is the mean score that the worker would give to all outputs; an
    estimate is the mean of the outputs that were scored, in the calibration HIT or in the first
    other HIT. Both are taken from their means over workers.

    Returns
    -------
    dict
        "calibration HIT", "own HIT": root mean square error, points.
    """
    design, world, items = made.design, made.world, made.items
    # Expected score: over every 23rd output, and over the residual (Gauss-Hermite quadrature).
    nodes, weights = np.polynomial.hermite_e.hermegauss(5)
    quality = world.quality.ravel()[::23, None] + design.residual * nodes
    true = np.empty(design.workers)
    for k in range(design.workers):
        score = design.mean + world.leniency[k] + world.scale[k] * quality
        score = np.clip(simulate.bent(score, design), 0, 100)
        true[k] = (score @ weights).mean() / weights.sum()
    first = np.full(design.workers, np.iinfo(np.intp).max)
    own = items.hit > 0
    np.minimum.at(first, made.worker[own], items.hit[own])
    found = {}
    for name, hit in (("calibration HIT", 0), ("own HIT", first[made.worker])):
        rows = (items.hit == hit) & (items.item < 2)
        number = np.bincount(made.worker[rows], minlength=design.workers)
        total = np.bincount(made.worker[rows], made.score[rows], design.workers)
        error = (total / np.maximum(number, 1) - true)[number > 0]
        found[name] = float(np.sqrt(np.mean((error - error.mean()) ** 2)))
    return found


def large_documents(made: SimulatedCampaign) -> float:
    """Share of documents that do not fit a HIT of 100 items twice in all systems' outputs."""
    length = np.bincount(made.world.document)
    return float((2 * length * made.design.judged_systems > 100).mean())


def simulate_protocols(designs: Mapping[str, Design], seeds: Sequence[int]) -> pd.DataFrame:
    """Simulate every design with every seed and measure it.

    Parameters
    ----------
    designs : mapping from label to Design
        Designs of the same systems, documents, workers and spreads meet the same world with the
        same seed.
    seeds : sequence of int

    Returns
    -------
    DataFrame
        Columns protocol (the label), seed, metric, value.
    """
    rows = []
    for seed in seeds:
        for label, design in designs.items():
            made = simulate.campaign(design, np.random.default_rng([33, seed]))
            found = measure(made)
            if label == "SR+DC, calibration HIT":
                found |= leniency_errors(made)
            if label == "SR+DC":
                found["large documents"] = large_documents(made)
            for metric, value in found.items():
                rows.append({"protocol": label, "seed": seed, "metric": metric, "value": value})
    return pd.DataFrame(rows)


def simulate_worlds(
    seeds: Sequence[int], *, calibration: int, spreads: Sequence[float]
) -> pd.DataFrame:
    """All protocols in both worlds, and SR-DC and SR+DC with other spreads of systems.

    Parameters
    ----------
    seeds : sequence of int
    calibration : int
        Items of the calibration HIT.
    spreads : sequence of float
        Factors of the systems' standard deviation; the labels end in "spread x 0.5" and so on.

    Returns
    -------
    DataFrame
        Columns world, protocol, seed, metric, value.
    """
    parts = []
    for world, style in WORLDS.items():
        base = calibrated(style)
        designs = protocols(base, calibration=calibration)
        for factor in spreads:
            wider = replace(base, system=base.system * factor)
            for name in ("SR-DC", "SR+DC"):
                designs[f"{name}, spread x {factor:g}"] = replace(wider, protocol=name)
        parts.append(simulate_protocols(designs, seeds).assign(world=world))
    table = pd.concat(parts, ignore_index=True)
    return table[["world", "protocol", "seed", "metric", "value"]]


def means_of(table: pd.DataFrame) -> pd.DataFrame:
    """Mean and standard error over seeds: columns world, protocol, metric, mean, error."""
    values = table.groupby(["world", "protocol", "metric"], sort=False)["value"]
    return values.agg(mean="mean", error="sem").reset_index()


def difference(table: pd.DataFrame, label: str, than: str, metric: str) -> pd.DataFrame:
    """Paired difference between two protocols, seed by seed, in every world.

    Returns
    -------
    DataFrame
        Columns world, protocol, than, metric, difference, error, clear (at least `CLEAR` standard
        errors) and alike (the 90 % interval lies within `ALIKE`).
    """
    rows = table[table["metric"] == metric]
    rows = rows.pivot_table("value", ["world", "seed"], "protocol")
    found = []
    for world in table["world"].unique():
        apart = (rows[label] - rows[than]).loc[world]
        mean, error = apart.mean(), apart.sem()
        about = {"world": world, "protocol": label, "than": than, "metric": metric}
        clear = abs(mean) >= CLEAR * error and abs(mean) > 0
        alike = abs(mean) + 1.645 * error < ALIKE.get(metric, 0)
        found.append(about | {"difference": mean, "error": error, "clear": clear, "alike": alike})
    return pd.DataFrame(found)


def wide(found: pd.DataFrame, value: str, labels: Sequence[str]) -> pd.DataFrame:
    """Numbers with their standard errors, as a reader wants them.

    Parameters
    ----------
    found : DataFrame
        As `means_of` or `differences` gives.
    value : "mean" or "difference"
    labels : sequence of str
        Protocols, from the top.

    Returns
    -------
    DataFrame
        Protocols x (metric, style of the world), of text such as "0.97 ± 0.13".
    """
    rows = found[found["protocol"].isin(labels) & found["metric"].isin(METRICS)]
    sign = "+" if value == "difference" else ""
    text = [f"{v:{sign}.2f} ± {e:.2f}" for v, e in zip(rows[value], rows["error"], strict=True)]
    rows = rows.assign(text=text, world=rows["world"].map(lambda world: world.split(" ")[0]))
    table = rows.pivot_table("text", "protocol", ["metric", "world"], aggfunc="first", sort=False)
    return table.loc[[*labels], [*METRICS]]


def differences(table: pd.DataFrame, pairs: Sequence[tuple[str, str]]) -> pd.DataFrame:
    """`difference` of several pairs of protocols, in all `METRICS`."""
    return pd.concat(
        [difference(table, *pair, metric) for pair in pairs for metric in METRICS],
        ignore_index=True,
    )
