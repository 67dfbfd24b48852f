"""Knowles (2021), sections 8 and 9: which protocol finds the true ranking, how surely?

Protocols are run on the same simulated systems, documents and workers, seed by seed, so
differences between protocols are differences between pairs of campaigns. There are two
worlds, one like real campaigns of single sentences, one like those of documents
(`simulation.calibrated`); `describe_campaign` measures simulated and real campaigns
alike.

A difference is spoken of if it is at least `CLEAR` standard errors. Two protocols do
alike if the 90 % interval of their difference lies within the bound of `ALIKE_WITHIN`,
which was set in advance.
"""

from collections.abc import Collection, Iterable, Sequence
from math import comb
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.assessments import QUALITY_CONTROL, Campaign
from wmtlib.ranking import reversed_pairs
from wmtlib.study import simulation
from wmtlib.study.papers.knowles2021_rankings import order_and_means
from wmtlib.study.releases import assessment_catalogue
from wmtlib.study.releases.coded_campaigns import Release, simulated
from wmtlib.study.releases.sources import Source
from wmtlib.study.simulation import REF, Design, SimulatedCampaign, calibrated
from wmtlib.study.verdicts import Values
from wmtlib.zscores import standardised

WORLDS = {"sentences": "SR-DC", "documents": "SR+DC"}  # WMT17-18, WMT21-22
METRICS = {
    "reversed": "pairs reversed by removing a system, %",
    "distance": "pairs in the wrong order, %",
    "difficulty": "spread of documents' difficulty between systems, points",
}
CLEAR = 3.0  # standard errors
ALIKE_WITHIN = {"reversed": 0.25, "distance": 1.5}  # in the units of `METRICS`
FLAT: dict[str, Any] = {
    "document": 0.0,
    "system_document": 0.0,
}  # documents equally hard


# --- protocols beside each other ------------------------------------------------------


def protocol_designs(base: Design, *, calibration: int) -> dict[str, Design]:
    """The protocols up to 2020, section 8's proposals, and what they take apart.

    All cost the same number of judgements, but "calibration HIT on top" costs more and
    "a third" less. "few systems" has the systems of SR+DC's HITs but single sentences;
    "runs of all systems" has document runs, but one of every system in every HIT.
    "flat": documents are equally hard.

    Parameters
    ----------
    base : Design
        Systems, documents, workers, cost and spreads.
    calibration : int
        Items of the calibration HIT.
    """
    on_top = base.judgements + calibration * base.workers
    a_third = base.judgements // 3  # too short to judge every document
    sentences = base._replace(protocol="SR-DC")
    few_systems = base._replace(protocol="SR-DC few systems per HIT")
    documents = base._replace(protocol="SR+DC")
    same_documents = base._replace(protocol="SR+DC same documents")
    calibrated = documents._replace(calibration_hit=calibration)
    return {
        "SR-DC": sentences,
        "SR-DC, few systems": few_systems,
        "SR+DC": documents,
        "SR+DC, by HIT": documents._replace(normalise="hit"),
        "SR+DC, same documents": same_documents,
        "SR+DC, all systems per HIT": base._replace(
            protocol="SR+DC all systems per HIT"
        ),
        "SR+DC, runs of all systems": base._replace(protocol="SR+DC balanced"),
        "SR+DC, calibration HIT": calibrated,
        "SR+DC, calibration HIT on top": calibrated._replace(judgements=on_top),
        "SR+DC, a third": documents._replace(judgements=a_third),
        "SR+DC, same documents, a third": same_documents._replace(judgements=a_third),
        "SR-DC, flat": sentences._replace(**FLAT),
        "SR-DC, few systems, flat": few_systems._replace(**FLAT),
    }


def hit_contents(designs: Iterable[Design], *, seed: int) -> pd.DataFrame:
    """What the median HIT of a campaign of each design holds.

    Returns
    -------
    DataFrame
        Columns system, document (how many of them) and "HITs with every system" (their
        share); a row for each design.
    """
    rows = []
    for design in designs:
        made = simulation.simulate_campaign(design, np.random.default_rng(seed))
        document = made.world.document[made.items["segment"]]
        hits = made.items.assign(document=document).groupby("hit")
        numbers = hits[["system", "document"]].nunique()
        full = (numbers["system"] == design.systems).mean()
        rows.append({**numbers.median(), "HITs with every system": full})
    return pd.DataFrame(rows)


def reversed_by_removals(
    campaign: Campaign, scales_from: np.ndarray | None = None
) -> np.ndarray:
    """Pairs of the other systems that each system's removal reverses, (systems,).

    Parameters
    ----------
    campaign : Campaign
    scales_from : ndarray of bool, (judgements,), optional
        Judgements that the workers' scales are computed from; all if not given.
    """
    usable = True if scales_from is None else scales_from
    full, _ = order_and_means(campaign, scales_from=scales_from)
    number = []
    for removed in np.eye(len(campaign.systems), dtype=bool):
        gone = campaign.rows_of(removed, items=(), paired=True)
        order, _ = order_and_means(campaign, removed, scales_from=usable & ~gone)
        number.append(reversed_pairs(full[~removed[full]], order))
    return np.array(number)


def measure(made: SimulatedCampaign) -> dict[str, float]:
    """The `METRICS` of one campaign.

    Workers' scales come from the calibration HIT if there is one (section 8: "applied
    to the remainder of the annotator's judgments"); its judgements are averaged like
    others.

    Returns
    -------
    dict
        reversed : share of the pairs of other systems that are reversed when a system
        is removed, on average over the systems; distance : share of pairs in the wrong
        order; difficulty : standard deviation, over systems, of the mean true
        difficulty of what they were judged on;
        large : share of documents that do not fit a HIT of 100 items twice in all
        systems' outputs.
    """
    campaign = made.coded
    world = made.world
    systems = len(made.design.names)
    scales_from = campaign.hit == 0 if made.design.calibration_hit else None
    order, _ = order_and_means(campaign, scales_from=scales_from)
    wrong = reversed_pairs(order, np.argsort(-made.truth.to_numpy()))
    outputs = made.items[made.items["item"] < REF]
    difficulty = world.difficulty[world.document[outputs["segment"]]]
    by_system = pd.Series(difficulty).groupby(outputs["system"].to_numpy()).mean()
    reversed_by = reversed_by_removals(campaign, scales_from)
    return {
        "reversed": 100 * reversed_by.mean() / comb(systems - 1, 2),
        "distance": 100 * wrong / comb(systems, 2),
        "difficulty": by_system.std(),
        "large": (2 * np.bincount(world.document) * systems > 100).mean(),
    }


def leniency_errors(made: SimulatedCampaign) -> dict[str, float]:
    """How well workers' strictness is known from the calibration HIT, and from another.

    The true leniency of a worker is the mean score that the worker would give to all
    outputs; an estimate is the mean of the outputs that were scored, in the calibration
    HIT or in the first other HIT. Both are taken from their means over workers.

    Returns
    -------
    dict
        common, own : root mean square error, points; empty without a calibration HIT.
    """
    if not made.design.calibration_hit:
        return {}
    design = made.design
    world = made.world
    # Expected score: over every 23rd output, and over the residual (Gauss-Hermite
    # quadrature).
    nodes, weights = np.polynomial.hermite_e.hermegauss(5)
    quality = world.quality.ravel()[::23, None] + design.residual * nodes
    leniency = world.leniency[:, None, None]
    scores = design.scores(quality, leniency, world.scale[:, None, None])
    true = pd.Series((scores @ weights).mean(axis=1) / weights.sum())
    outputs = made.items.assign(worker=made.worker, score=made.score)
    outputs = outputs[outputs["item"] < REF]
    common = outputs[outputs["hit"] == 0]
    others = outputs[outputs["hit"] > 0]
    first = others.groupby("worker")["hit"].transform("min")
    errors = {}
    for name, rows in {"common": common, "own": others[others["hit"] == first]}.items():
        estimate = rows.groupby("worker")["score"].mean()
        errors[name] = (estimate - true).std(ddof=0)
    return errors


def simulate_worlds(seeds: Iterable[int], *, calibration: int) -> pd.DataFrame:
    """All protocols in both worlds.

    Parameters
    ----------
    seeds : iterable of int
    calibration
        As in `protocol_designs`.

    Returns
    -------
    DataFrame
        Columns world, protocol, seed, metric, value.
    """
    rows = []
    for world, style in WORLDS.items():
        designs = protocol_designs(calibrated(style), calibration=calibration)
        for label, design in designs.items():
            for seed in seeds:
                rng = np.random.default_rng([33, seed])
                made = simulation.simulate_campaign(design, rng)
                metrics = measure(made) | leniency_errors(made)
                rows += [(world, label, seed, *metric) for metric in metrics.items()]
    return pd.DataFrame(rows, columns=["world", "protocol", "seed", "metric", "value"])


def protocol_differences(
    table: pd.DataFrame,
    pairs: Iterable[tuple[str, str]],
    metrics: Iterable[str] = (*METRICS,),
) -> pd.DataFrame:
    """Paired differences between protocols, seed by seed, in every world.

    Parameters
    ----------
    table : DataFrame
        As `simulate_worlds` gives.
    pairs : of labels
        The difference is that of the first less the second.
    metrics : of str

    Returns
    -------
    DataFrame
        Columns world, difference, error, clear (at least `CLEAR` standard errors),
        alike (the 90 % interval lies within `ALIKE_WITHIN`), protocol, than and metric.
    """
    values = table.pivot_table(
        "value", ["metric", "world", "seed"], "protocol", sort=False
    )
    tables = []
    for label, than in pairs:
        for metric in metrics:
            difference = (values[label] - values[than]).loc[metric]
            by_world = difference.groupby("world", sort=False)
            table = by_world.agg(difference="mean", error="sem").reset_index()
            size = table["difference"].abs()
            within = ALIKE_WITHIN.get(metric, 0)
            table = table.assign(
                clear=(size >= CLEAR * table["error"]) & (size > 0),
                alike=size + 1.645 * table["error"] < within,
                protocol=label,
                than=than,
                metric=metric,
            )
            tables.append(table)
    return pd.concat(tables, ignore_index=True)


def simulation_values(table: pd.DataFrame) -> Values:
    """The facts of the rows that simulated campaigns decide, by world.

    Parameters
    ----------
    table : DataFrame
        As `simulate_worlds` gives.
    """

    def effect(label: str, than: str, metric: str) -> dict[str, pd.Series]:
        rows = protocol_differences(table, [(label, than)], [metric]).set_index("world")
        return {"effect": rows["difference"], "error": rows["error"]}

    means = table.pivot_table("value", "world", ["protocol", "metric"])
    short = effect("SR+DC, same documents, a third", "SR+DC, a third", "difficulty")
    # The errors of two estimates of leniency, each as though it were a protocol's.
    common = table[table["protocol"] == "SR+DC, calibration HIT"]
    table = pd.concat(
        [table, common.assign(protocol=common["metric"], metric="leniency")]
    )
    hit = means["SR+DC, calibration HIT"]
    return {
        "K-8-01": {
            **effect("SR-DC", "SR+DC", "reversed"),
            "left": means["SR-DC", "reversed"],
        },
        "K-8-03": {
            **effect("SR+DC, same documents", "SR+DC", "difficulty"),
            "short": short["effect"],
            "short_error": short["error"],
        },
        "K-8-04": effect("SR+DC, runs of all systems", "SR+DC", "reversed"),
        "K-8-05": {
            **effect("common", "own", "leniency"),
            "common": hit["common"],
            "own": hit["own"],
        },
        "K-9-02": effect("SR-DC, flat", "SR-DC, few systems, flat", "reversed"),
    }


# --- simulated campaigns beside real ones ---------------------------------------------


def crowd_campaigns(source: Source) -> list[tuple[str, str]]:
    """Campaigns and language pairs that simulated ones are held against.

    All pairs into English that were released judgement by judgement in one style, with
    known documents: crowd workers of Mechanical Turk in both styles.
    """
    table = assessment_catalogue.availability(source).query(
        "status == 'present' and style != 'mixed' and language_pair.str.endswith('-en')"
        " and not (campaign == 'wmt22' and language_pair == 'lv-en')"
    )
    pairs = table[["campaign", "language_pair"]].to_numpy().tolist()
    return pairs or simulated()


def between(table: pd.DataFrame, column: str, levels: list[str]) -> float:
    """Share of the variance of a column between groups, whose levels are the same."""
    means = table.groupby(levels)[column].transform("mean")
    return means.var() / table[column].var()


def describe_campaign(campaign: Campaign, *, without: Collection[str]) -> pd.Series:
    """A campaign in numbers, by the same estimators for real and simulated judgements.

    Parameters
    ----------
    campaign : Campaign
    without : names
        Systems whose judgements are left out (human systems).

    Returns
    -------
    Series
        systems, documents, workers and judgements; document_length, document_spread :
        mean and standard deviation of the segments of a document; mean, sd, hundreds,
        zeros : of raw scores of outputs, and the shares of scores of 100 and 0;
        worker : share of their variance between workers; log_scale : standard deviation
        of the logarithm of the workers' standard deviations; system, document,
        system_document, segment : share of the variance of z-scores between such;
        repeat : of scores of one output by one worker, the share of their variance that
        is not within; ref,
        ref_sd, bad_ref, bad_ref_sd : mean and standard deviation of quality control;
        workload : coefficient of variation of the number of judgements by a worker;
        order changed : share of the systems whose removal changes the order of the
        others; reversed : share of the pairs of other systems that a removal reverses,
        on average.
    """
    judgement = campaign.cells.judgement
    place = campaign.place[judgement]
    columns = {
        "system": campaign.cells.credit_system,
        "worker": campaign.worker[judgement],
        "document": campaign.documents[place],
        "place": place,
        "raw": campaign.score[judgement],
        "z": standardised(campaign)[judgement],
    }
    excluded = campaign.is_system(without)
    table = pd.DataFrame(columns)[~excluded[columns["system"]]].dropna()
    raw = table["raw"]
    deviation = table.groupby("worker")["raw"].std()
    lengths = pd.Series(campaign.documents).value_counts()
    load = pd.Series(campaign.worker).value_counts()
    removed = reversed_by_removals(campaign)
    ref, bad_ref = (
        pd.Series(campaign.score[campaign.is_item(item) & campaign.accepted])
        for item in QUALITY_CONTROL
    )
    numbers = {
        "systems": (~excluded).sum(),
        "documents": len(lengths),
        "workers": len(load),
        "judgements": len(campaign.score),
        "document_length": lengths.mean(),
        "document_spread": lengths.std(),
        "mean": raw.mean(),
        "sd": raw.std(ddof=0),
        "workload": load.std(ddof=0) / load.mean(),
        "hundreds": (raw > 99.5).mean(),
        "zeros": (raw < 0.5).mean(),
        "worker": between(table, "raw", ["worker"]),
        "log_scale": np.log(deviation[deviation > 0]).std(),
        "system": between(table, "z", ["system"]),
        "document": between(table, "z", ["document"]),
        "system_document": between(table, "z", ["system", "document"]),
        "segment": between(table, "z", ["place"]),
        "repeat": between(table, "z", ["worker", "system", "place"]),
        "ref": ref.mean(),
        "ref_sd": ref.std(),
        "bad_ref": bad_ref.mean(),
        "bad_ref_sd": bad_ref.std(),
        "order changed": (removed > 0).mean(),
        "reversed": removed.mean() / comb(len(campaign.systems) - 1, 2),
    }
    return pd.Series(numbers, dtype=float)


def simulated_beside_real(
    releases: Sequence[Release], *, seeds: Iterable[int]
) -> pd.DataFrame:
    """Real and simulated campaigns of both styles, by `describe_campaign`.

    Returns
    -------
    DataFrame
        style and number; real (median), real_error (bootstrap over campaigns), low and
        high (quartiles of campaigns), simulated (mean), simulated_error; apart : the
        difference in its standard errors; campaigns : number of real ones.
    """
    tables = {}
    for style in WORLDS.values():
        design = calibrated(style)
        rngs = (np.random.default_rng([35, seed]) for seed in seeds)
        campaigns = (simulation.simulate_campaign(design, rng).coded for rng in rngs)
        made = pd.DataFrame(describe_campaign(c, without=()) for c in campaigns)
        real = pd.DataFrame(
            describe_campaign(release.coded, without=release.humans)
            for release in releases
            if release.style == style
        )
        rng = np.random.default_rng(2021)
        draws = rng.integers(len(real), size=(200, len(real)))
        medians = np.median(real.to_numpy()[draws], axis=1)
        columns = {
            "real": real.median(),
            "real_error": medians.std(axis=0, ddof=1),
            "low": real.quantile(0.25),
            "high": real.quantile(0.75),
            "simulated": made.mean(),
            "simulated_error": made.sem(),
        }
        table = pd.DataFrame(columns)
        error = np.hypot(table["real_error"], table["simulated_error"])
        table["apart"] = (table["simulated"] - table["real"]) / error
        tables[style] = table.assign(campaigns=len(real))
    return pd.concat(tables, names=["style", "number"]).reset_index()
