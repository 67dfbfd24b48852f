"""Which protocol finds the true ranking, and how easily is it upset? (Knowles 2021, sections 8, 9)

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

import numpy as np
import pandas as pd

from wmtlib.assessments import Campaign
from wmtlib.cluster_lines import system_order
from wmtlib.ranking import reversed_pairs
from wmtlib.study import simulation
from wmtlib.study.releases import assessment_catalogue
from wmtlib.study.releases.coded_campaigns import Release, simulated
from wmtlib.study.releases.sources import Source
from wmtlib.study.simulation import FIELDS, REF, Design, SimulatedCampaign, calibrated
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
FLAT = {"document": 0.0, "system_document": 0.0}  # all documents equally hard
CAMPAIGN_SIZES = FIELDS[:6]


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
    plain, few = {"protocol": "SR-DC"}, {"protocol": "SR-DC few systems per HIT"}
    plus, same = {"protocol": "SR+DC"}, {"protocol": "SR+DC same documents"}
    common = {**plus, "calibration_hit": calibration}
    a_third = {"judgements": base.judgements // 3}  # too short to judge every document
    on_top = {"judgements": base.judgements + calibration * base.workers}
    changes = {
        "SR-DC": plain,
        "SR-DC, few systems": few,
        "SR+DC": plus,
        "SR+DC, by HIT": {**plus, "normalise": "hit"},
        "SR+DC, same documents": same,
        "SR+DC, all systems per HIT": {"protocol": "SR+DC all systems per HIT"},
        "SR+DC, runs of all systems": {"protocol": "SR+DC balanced"},
        "SR+DC, calibration HIT": common,
        "SR+DC, calibration HIT on top": common | on_top,
        "SR+DC, a third": plus | a_third,
        "SR+DC, same documents, a third": same | a_third,
        "SR-DC, flat": plain | FLAT,
        "SR-DC, few systems, flat": few | FLAT,
    }
    return {label: base._replace(**changed) for label, changed in changes.items()}


def reversed_by_removals(
    campaign: Campaign, scales_from: np.ndarray | None = None
) -> np.ndarray:
    """Pairs of the other systems that each system's removal reverses (section 5), (systems,).

    Parameters
    ----------
    campaign : Campaign
    scales_from : ndarray of bool, (judgements,), optional
        Judgements that the workers' scales are computed from; all if not given.
    """
    rows = (
        np.ones(len(campaign.score), dtype=bool) if scales_from is None else scales_from
    )
    order, numbers = (
        system_order(campaign, scales_from=rows),
        np.arange(len(campaign.systems)),
    )
    reversed_by = []
    for removed in numbers[:, None] == numbers:
        gone = campaign.rows_of(removed, items=(), paired=True)
        after = system_order(campaign, scales_from=rows & ~gone, unranked=removed)
        reversed_by.append(reversed_pairs(order[~removed[order]], after))
    return np.array(reversed_by)


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
    campaign, world, systems = made.coded, made.world, len(made.design.names)
    scales_from = campaign.hit == 0 if made.design.calibration_hit else None
    order = system_order(campaign, scales_from=scales_from)
    by_quality = np.argsort(-made.truth.to_numpy())
    rated = made.items.item < REF
    difficulty = world.difficulty[world.document[made.items.segment[rated]]]
    by_system = pd.Series(difficulty).groupby(made.items.system[rated]).mean()
    reversed_by = reversed_by_removals(campaign, scales_from).mean()
    return {
        "reversed": 100 * float(reversed_by) / comb(systems - 1, 2),
        "distance": 100 * reversed_pairs(order, by_quality) / comb(systems, 2),
        "difficulty": float(by_system.std()),
        "large": float((2 * np.bincount(world.document) * systems > 100).mean()),
    }


def leniency_errors(made: SimulatedCampaign) -> dict[str, float]:
    """How well workers' strictness is known: from the calibration HIT, and from a HIT of their own.

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
    design, world, items = made.design, made.world, made.items
    # Expected score: over every 23rd output, and over the residual (Gauss-Hermite
    # quadrature).
    nodes, weights = np.polynomial.hermite_e.hermegauss(5)
    quality = world.quality.ravel()[::23, None] + design.residual * nodes
    scores = design.scores(
        quality, world.leniency[:, None, None], world.scale[:, None, None]
    )
    true = pd.Series((scores @ weights).mean(axis=1) / weights.sum())
    outputs = pd.DataFrame(
        {"hit": items.hit, "worker": made.worker, "score": made.score}
    )
    outputs = outputs[items.item < REF]
    own = outputs[outputs["hit"] > 0]
    own = own[own["hit"] == own.groupby("worker")["hit"].transform("min")]
    parts = {"common": outputs[outputs["hit"] == 0], "own": own}
    means = {
        name: part.groupby("worker")["score"].mean() for name, part in parts.items()
    }
    return {name: float((mean - true).std(ddof=0)) for name, mean in means.items()}


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
        for label, design in protocol_designs(
            calibrated(style), calibration=calibration
        ).items():
            for seed in seeds:
                made = simulation.simulate_campaign(
                    design, np.random.default_rng([33, seed])
                )
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
    parts = []
    for label, than in pairs:
        for metric in metrics:
            by_world = (
                (values[label] - values[than]).loc[metric].groupby("world", sort=False)
            )
            part = by_world.agg(difference="mean", error="sem").reset_index()
            size, error = part["difference"].abs(), part["error"]
            part["clear"] = (size >= CLEAR * error) & (size > 0)
            part["alike"] = size + 1.645 * error < ALIKE_WITHIN.get(metric, 0)
            parts.append(part.assign(protocol=label, than=than, metric=metric))
    return pd.concat(parts, ignore_index=True)


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
    two = effect("common", "own", "leniency")
    return {
        "K-8-01": effect("SR-DC", "SR+DC", "reversed")
        | {"left": means["SR-DC", "reversed"]},
        "K-8-03": effect("SR+DC, same documents", "SR+DC", "difficulty")
        | {"short": short["effect"], "short_error": short["error"]},
        "K-8-04": effect("SR+DC, runs of all systems", "SR+DC", "reversed"),
        "K-8-05": two | dict(means["SR+DC, calibration HIT"][["common", "own"]]),
        "K-8-06": {"large": means["SR+DC", "large"]},
        "K-9-02": effect("SR-DC, flat", "SR-DC, few systems, flat", "reversed"),
    }


# --- simulated campaigns beside real ones ---------------------------------------------


def crowd_campaigns(source: Source) -> list[tuple[str, str]]:
    """Campaigns and language pairs that simulated ones are held against.

    All pairs into English that were released judgement by judgement in one style, with
    known documents: crowd workers of Mechanical Turk in both styles.
    """
    table = assessment_catalogue.availability(source).query("status == 'present'")
    table = table[
        table["style"].isin(WORLDS.values())
        & table["language_pair"].str.endswith("-en")
    ]
    pairs = map(tuple, table[["campaign", "language_pair"]].to_numpy())
    return [pair for pair in pairs if pair != ("wmt22", "lv-en")] or simulated()


def between(values: np.ndarray, *levels: np.ndarray) -> float:
    """Share of the variance of values that lies between groups (levels that are the same)."""
    values = pd.Series(values - values.mean())
    means = values.groupby([*levels]).transform("mean")
    return float((means**2).sum() / (values**2).sum())


def describe_campaign(campaign: Campaign, *, without: Collection[str]) -> pd.Series:
    """A campaign in numbers, by estimators that do the same to real and to simulated judgements.

    Parameters
    ----------
    campaign : Campaign
    without : names
        Systems whose judgements are left out (human systems).

    Returns
    -------
    Series
        `CAMPAIGN_SIZES`; mean, sd, hundreds, zeros : of raw scores of outputs, and the
        shares of scores of 100 and 0; worker : share of their variance between workers;
        log_scale : standard deviation of the logarithm of the workers' standard
        deviations; system, document,
        system_document, segment : share of the variance of z-scores between such;
        repeat : of scores of one output by one worker, the share of their variance that
        is not within; ref,
        ref_sd, bad_ref, bad_ref_sd : mean and standard deviation of quality control;
        workload : coefficient of variation of the number of judgements by a worker;
        order changed : share of the systems whose removal changes the order of the
        others; reversed : share of the pairs of other systems that a removal reverses,
        on average.
    """
    z, cells, excluded = (
        standardised(campaign),
        campaign.cells,
        campaign.is_system(without),
    )
    chosen = ~excluded[cells.credit_system] & ~np.isnan(z[cells.judgement])
    judgement, system = cells.judgement[chosen], cells.credit_system[chosen]
    place, worker = campaign.place[judgement], campaign.worker[judgement]
    raw, z, document = (
        campaign.score[judgement],
        z[judgement],
        campaign.documents[place],
    )
    deviation = pd.Series(raw).groupby(worker).std()
    lengths, load = (
        pd.Series(campaign.documents).value_counts(),
        np.bincount(campaign.worker),
    )
    load = load[load > 0]
    sizes = [(~excluded).sum(), len(lengths), len(load), len(campaign.score)]
    sizes += [lengths.mean(), lengths.std()]
    numbers = dict(zip(CAMPAIGN_SIZES, sizes, strict=True))
    numbers |= {
        "mean": raw.mean(),
        "sd": raw.std(),
        "workload": load.std() / load.mean(),
    }
    numbers |= {"hundreds": (raw > 99.5).mean(), "zeros": (raw < 0.5).mean()}
    numbers |= {
        "worker": between(raw, worker),
        "log_scale": np.log(deviation[deviation > 0]).std(),
    }
    numbers |= {"system": between(z, system), "document": between(z, document)}
    numbers |= {
        "system_document": between(z, system, document),
        "segment": between(z, place),
    }
    numbers |= {"repeat": between(z, worker, system, place)}
    for name in ("ref", "bad_ref"):
        control = pd.Series(
            campaign.score[campaign.is_item(name.upper()) & campaign.accepted]
        )
        numbers |= {name: control.mean(), f"{name}_sd": control.std()}
    removed, pairs = reversed_by_removals(campaign), comb(len(campaign.systems) - 1, 2)
    numbers |= {
        "order changed": (removed > 0).mean(),
        "reversed": removed.mean() / pairs,
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
    parts = {}
    for style in WORLDS.values():
        design, rngs = (
            calibrated(style),
            [np.random.default_rng([35, k]) for k in seeds],
        )
        made = [simulation.simulate_campaign(design, rng) for rng in rngs]
        rng, alike = (
            np.random.default_rng(2021),
            [r for r in releases if r.style == style],
        )
        real = pd.DataFrame(
            [describe_campaign(r.coded, without=r.humans) for r in alike]
        )
        ours = pd.DataFrame(
            [describe_campaign(campaign.coded, without=()) for campaign in made]
        )
        drawn = [
            real.iloc[rng.integers(len(real), size=len(real))].median()
            for _ in range(200)
        ]
        columns = {"real": real.median(), "real_error": pd.DataFrame(drawn).std()}
        columns |= {"low": real.quantile(0.25), "high": real.quantile(0.75)}
        part = pd.DataFrame(
            columns | {"simulated": ours.mean(), "simulated_error": ours.sem()}
        )
        error = np.hypot(part["real_error"], part["simulated_error"])
        part["apart"] = (part["simulated"] - part["real"]) / error
        parts[style] = part.assign(campaigns=len(real))
    return pd.concat(parts, names=["style", "number"]).reset_index()
