"""Knowles (2021), sections 8 and 9: which protocol finds the true ranking, how surely?

Protocols are run on the same simulated systems, documents and workers, seed by seed, so
differences between protocols are differences between pairs of campaigns. There are two
worlds, one like real campaigns of single sentences, one like those of documents
(`simulation.calibrated`); `describe_campaign` measures simulated and real campaigns
alike.

A difference is reported if it is at least `CLEAR` standard errors. Two protocols do
alike if the 90 % interval of their difference lies within the bound of `ALIKE_WITHIN`,
which was set in advance.

A few workers make most of what the sittings of a HIT share, so a few simulated workers
are *unsteady*: their HITs have a standard deviation of their own. Before such worlds
were made it was known that, where all workers' HITs vary alike, standardising by HIT
puts 2.93 +- 0.46 of 100 pairs fewer in the wrong order (world of documents) and all
five rows hold; that in SR+DC the 5, 20 and 50 workers of 1,649 who give most give .39,
.62 and .80 of the covariance, in such worlds the five .10 to .16; that the worker in
the middle has .025, there .06. In SR-DC the shares were looked at, too. Written then:

- The settings are corrected until covariance, shares and the worker in the middle are
  less than two standard errors apart in both styles, and of all numbers not more than
  one in twenty is further.
- Main test: in the world of documents, "SR+DC, by HIT" less "SR+DC", distance. The
  advantage of HITs stands if it is clear, falls if it is alike, else it is undecided.
- What unsteady workers do is the same difference less that of worlds whose workers vary
  alike and as much on average (`EQUAL`), by seed, with a 95 % interval.
- There are so many seeds that the standard error of the main test is a third of the
  effect or less.
- The five rows are decided by their criteria, which are not changed.

Changed while the settings were fitted, before any protocol was run in these worlds:
lognormal standard deviations, one setting, had been named first. They gave the five
workers .19 and the twenty .44, because standardising bounds what one worker can give.
Two classes need two settings, the share of unsteady workers and their deviation; their
chance rises with the root of the workload, as workers of ten HITs or more have a
covariance of .33, others of .07. One more setting is the worker's view of the quality
control, which z-scores rest on too: without it `worker` is too low in both styles.
"""

from collections.abc import Collection, Iterable, Sequence
from math import comb
from typing import Any

import numpy as np
import pandas as pd

from study.beyond import variance_components
from study.beyond.hit_makers import products, sittings
from study.campaigns import Release, simulated
from study.data import assessment_catalogue
from study.data.simulation import (
    REF,
    WORLDS_FILE,
    Design,
    SimulatedCampaign,
    calibrated,
    simulate_campaign,
)
from study.data.sources import Source
from study.knowles2021 import PAPER_LINES
from study.knowles2021.section_3 import order_and_means, quick_order
from study.scoreboard.verdicts import Values
from wmtlib.cluster_lines import rank_campaign
from wmtlib.core.assessments import QUALITY_CONTROL, Campaign
from wmtlib.core.ranking import reversed_pairs
from wmtlib.zscores import judged_values

PROTOCOLS_FILE = WORLDS_FILE.with_name("protocols.csv")
WORLDS = {"sentences": "SR-DC", "documents": "SR+DC"}  # WMT17-18, WMT21-22
METRICS = {
    "reversed": "pairs reversed by removing a system, %",
    "distance": "pairs in the wrong order, %",
    "difficulty": "spread of documents' difficulty between systems, points",
}
CLEAR = 3.0  # standard errors
ALIKE_WITHIN = {"reversed": 0.25, "distance": 1.5}  # in the units of `METRICS`
EQUAL: dict[str, Any] = {
    "unsteady": 0.0,
    "worker_hit": 15.0,
}  # all workers' HITs vary alike, with the same HIT covariance; world of documents
MOST = {"0.3 %": 5 / 1649, "1.2 %": 20 / 1649, "3 %": 50 / 1649}  # of WMT21-22
FLAT: dict[str, Any] = {
    "document": 0.0,
    "system_document": 0.0,
}  # documents equally hard


# --- protocols beside each other ------------------------------------------------------


def protocol_designs(base: Design, *, calibration: int) -> dict[str, Design]:
    """Design the protocols up to 2020, section 8's proposals, and their parts.

    They are in study/data/protocols.csv. All cost the same number of judgements, but
    "calibration HIT on top" costs more and "a third" less (too little to judge every
    document). "few systems" has the systems of SR+DC's HITs but single sentences; "runs
    of all systems" has document runs, but one of every system in every HIT. "flat":
    documents are equally hard.

    Parameters
    ----------
    base : Design
        Systems, documents, workers, cost and spreads.
    calibration : int
        Items of the calibration HIT.
    """
    judgements = {
        "equal": base.judgements,
        "on top": base.judgements + calibration * base.workers,
        "a third": base.judgements // 3,
    }
    designs = {}
    table = pd.read_csv(PROTOCOLS_FILE, true_values=["yes"], false_values=["no"])
    for row in table.itertuples():
        design = base._replace(
            protocol=row.protocol,
            normalise=row.normalise,
            calibration_hit=calibration if row.calibration_hit else 0,
            judgements=judgements[row.judgements],
        )
        designs[row.name] = design._replace(**FLAT) if row.flat else design
    return designs


def reversed_by_removals(
    campaign: Campaign, left_out: np.ndarray | bool = False
) -> np.ndarray:
    """Count the pairs of others that each system's removal reverses, (systems,).

    Parameters
    ----------
    campaign : Campaign
    left_out : ndarray of bool, (judgements,), optional
        Judgements that the workers' scales are not computed from in any case.
    """
    order = quick_order(campaign)
    single = np.eye(len(campaign.systems), dtype=bool)
    unused = left_out | np.zeros(len(campaign.score), dtype=bool)
    full = order(unused, single.all(axis=0))
    number = []
    for removed in single:
        gone = campaign.rows_of(removed, items=(), paired=True)
        others = order(unused | gone, removed)
        number.append(reversed_pairs(full[~removed[full]], others))
    return np.array(number)


def hit_contents(design: Design, rng: np.random.Generator) -> dict[str, float]:
    """Describe what the HITs of one simulated campaign hold.

    Returns
    -------
    dict
        systems and documents in the median HIT; HITs with every system: their share.
    """
    made = simulate_campaign(design, rng)
    document = made.world.document[made.items["segment"]]
    by_hit = made.items.assign(document=document).groupby("hit")
    held = by_hit[["system", "document"]].nunique()
    return {
        "systems": held["system"].median(),
        "documents": held["document"].median(),
        "HITs with every system": (held["system"] == design.systems).mean(),
    }


def one_removal(made: SimulatedCampaign) -> pd.DataFrame:
    """Rank a simulated campaign, and again as if its best system had not been there.

    Returns
    -------
    DataFrame
        One row a system, best first: system, all systems and without best (mean
        z-scores), true quality (points), and pairs reversed by its removal.
    """
    coded = made.coded
    full = rank_campaign(coded, **PAPER_LINES)
    best = np.arange(len(coded.systems)) == full.order[0]
    kept = ~coded.rows_of(best, items=(), paired=True)
    without = rank_campaign(coded, scales_from=kept, unranked=best, **PAPER_LINES)
    left = without.score.round(3).astype(str)
    columns = {
        "system": [name.removeprefix("simulated-") for name in coded.systems],
        "all systems": full.score.round(3),
        "without the best": np.where(best, "", left),
        "true quality": made.truth.to_numpy().round(1),
        "pairs reversed by its removal": reversed_by_removals(coded),
    }
    return pd.DataFrame(columns).iloc[full.order].reset_index(drop=True)


def measure(made: SimulatedCampaign) -> dict[str, float]:
    """Compute the `METRICS` of one campaign.

    Workers' scales come from the calibration HIT if there is one (section 8: "applied
    to the remainder of the annotator's judgments"); its judgements are averaged like
    others.

    Returns
    -------
    dict
        reversed : share of the pairs of other systems that are reversed when a system
        is removed, on average over the systems; distance : share of pairs in the wrong
        order; difficulty : standard deviation, over systems, of the mean true
        difficulty of what they were judged on.
    """
    campaign = made.coded
    world = made.world
    systems = len(campaign.systems)
    left_out = (campaign.hit > 0) & (made.design.calibration_hit > 0)
    order, _ = order_and_means(campaign, scales_from=~left_out)
    wrong = reversed_pairs(order, np.argsort(-made.truth.to_numpy()))
    outputs = made.items[made.items["item"] < REF]
    difficulty = world.difficulty[world.document[outputs["segment"]]]
    number = reversed_by_removals(campaign, left_out)
    by_system = pd.Series(difficulty).groupby(outputs["system"].to_numpy()).mean()
    return {
        "reversed": 100 * number.mean() / comb(systems - 1, 2),
        "distance": 100 * wrong / comb(systems, 2),
        "difficulty": by_system.std(),
    }


def true_leniency(made: SimulatedCampaign) -> pd.Series:
    """Compute the mean score that each worker would give to all outputs.

    Of every 23rd output, over what differs between HITs, sittings and judgements
    (Gauss-Hermite quadrature).
    """
    design = made.design
    world = made.world
    nodes, weights = np.polynomial.hermite_e.hermegauss(5)
    parts = design.sitting, design.worker_output, design.residual
    spread = np.hypot(world.worker_hit, np.linalg.norm(parts))
    system = np.broadcast_to(world.system[:, None], world.quality.shape).ravel()[::23]
    quality = world.quality.ravel()[::23] + np.outer(world.slope, system)
    quality = quality[:, :, None] + spread[:, None, None] * nodes
    leniency = world.leniency[:, None, None]
    scores = design.scores(quality, leniency, world.scale[:, None, None])
    return pd.Series((scores @ weights).mean(axis=1) / weights.sum())


def leniency_errors(made: SimulatedCampaign, true: pd.Series) -> dict[str, float]:
    """Compute errors of workers' strictness by the calibration HIT, and by another.

    An estimate is the mean of the outputs that were scored, in the calibration HIT or
    in the first other HIT. It and the truth are taken from their means over workers.

    Parameters
    ----------
    made : SimulatedCampaign
    true : Series
        Of `true_leniency`, in the same world.

    Returns
    -------
    dict
        common, own : root mean square error, points; empty without a calibration HIT.
    """
    if not made.design.calibration_hit:
        return {}
    outputs = made.items.assign(worker=made.worker, score=made.score)
    outputs = outputs[outputs["item"] < REF]
    is_common = outputs["hit"] == 0
    others = outputs[~is_common]
    first = others.groupby("worker")["hit"].transform("min")
    seen = {"common": outputs[is_common], "own": others[others["hit"] == first]}
    return {
        name: (rows.groupby("worker")["score"].mean() - true).std(ddof=0)
        for name, rows in seen.items()
    }


def simulate_worlds(seeds: Iterable[int], *, calibration: int) -> pd.DataFrame:
    """Simulate all protocols in both worlds; two with `EQUAL` HITs, too.

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
        if world == "documents":
            for label in ("SR+DC", "SR+DC, by HIT"):
                designs[f"{label}, equal HITs"] = designs[label]._replace(**EQUAL)
        for seed in seeds:
            campaigns = {
                label: simulate_campaign(design, np.random.default_rng([33, seed]))
                for label, design in designs.items()
            }
            true = true_leniency(campaigns["SR+DC"])
            for label, made in campaigns.items():
                metrics = measure(made) | leniency_errors(made, true)
                rows += [(world, label, seed, *metric) for metric in metrics.items()]
    return pd.DataFrame(rows, columns=["world", "protocol", "seed", "metric", "value"])


def protocol_differences(
    table: pd.DataFrame, pairs: Iterable[tuple[str, str]]
) -> pd.DataFrame:
    """Compute paired differences in `METRICS` between protocols, in every world.

    Parameters
    ----------
    table : DataFrame
        As `simulate_worlds` gives.
    pairs : of labels
        The difference is that of the first less the second.

    Returns
    -------
    DataFrame
        Columns protocol, than, metric, world, difference, error, clear (at least
        `CLEAR` standard errors) and alike (the 90 % interval lies within
        `ALIKE_WITHIN`).
    """
    index = ["metric", "world", "seed"]
    rows = table[table["metric"].isin(METRICS)]
    values = rows.pivot_table("value", index, "protocol", sort=False)
    tables = {}
    for label, than in pairs:
        difference = values[label] - values[than]
        grouped = difference.groupby(["metric", "world"], sort=False)
        tables[label, than] = grouped.agg(difference="mean", error="sem")
    table = pd.concat(tables, names=["protocol", "than"]).reset_index()
    size = table["difference"].abs()
    within = table["metric"].map(ALIKE_WITHIN).fillna(0)
    return table.assign(
        clear=(size >= CLEAR * table["error"]) & (size > 0),
        alike=size + 1.645 * table["error"] < within,
    )


def gain_by_hit(table: pd.DataFrame) -> pd.DataFrame:
    """Compare standardising by HIT with by worker, in the world of documents.

    Where a few workers are unsteady, where all workers' HITs vary alike (`EQUAL`), and
    the first less the second, by seed.

    Parameters
    ----------
    table : DataFrame
        As `simulate_worlds` gives.

    Returns
    -------
    DataFrame
        Columns metric ("distance" and "reversed"), HITs, difference, and its 95 %
        interval low, high.
    """
    rows = table[table["world"] == "documents"]
    values = rows.pivot_table("value", "seed", ["metric", "protocol"])
    tables = {}
    for metric in ("distance", "reversed"):
        of = values[metric]
        few = of["SR+DC, by HIT"] - of["SR+DC"]
        alike = of["SR+DC, by HIT, equal HITs"] - of["SR+DC, equal HITs"]
        gains = {"a few unsteady": few, "all alike": alike, "difference": few - alike}
        tables[metric] = pd.DataFrame(gains).agg(["mean", "sem"]).T
    gain = pd.concat(tables, names=["metric", "HITs"]).reset_index()
    half = 1.96 * gain["sem"]
    gain = gain.assign(low=gain["mean"] - half, high=gain["mean"] + half)
    return gain.rename(columns={"mean": "difference"}).drop(columns="sem")


def leniency_table(table: pd.DataFrame, *, calibration: int) -> pd.DataFrame:
    """Tabulate errors of workers' leniency, and what calibration HITs cost.

    Parameters
    ----------
    table : DataFrame
        As `simulate_worlds` gives.
    calibration : int
        Items of the calibration HIT.

    Returns
    -------
    DataFrame
        Columns world, calibration HIT and own HIT (root mean square errors, points,
        from either), and share of cost (judgements of calibration HITs, of all).
    """
    rows = table[table["protocol"] == "SR+DC, calibration HIT"]
    rows = rows[rows["metric"].isin(["common", "own"])]
    errors = rows.pivot_table("value", "world", "metric", sort=False)
    errors = errors.set_axis(["calibration HIT", "own HIT"], axis=1).reset_index()
    designs = [calibrated(WORLDS[world]) for world in errors["world"]]
    cost = [calibration * d.workers / d.judgements for d in designs]
    return errors.assign(**{"share of cost": cost})


def simulation_values(table: pd.DataFrame) -> Values:
    """Collect facts of the rows that simulated campaigns decide, by world.

    Parameters
    ----------
    table : DataFrame
        As `simulate_worlds` gives.
    """
    values = table.pivot_table("value", ["world", "seed"], ["metric", "protocol"])
    pairs_reversed = values["reversed"]
    difficulty = values["difficulty"]
    hit = "SR+DC, calibration HIT"
    means = values.groupby("world").mean()

    def effect(difference: pd.Series) -> dict[str, pd.Series]:
        by_world = difference.groupby("world")
        return {"effect": by_world.mean(), "error": by_world.sem()}

    runs = pairs_reversed["SR+DC"]
    few_systems = pairs_reversed["SR-DC, few systems, flat"]
    return {
        "K-8-01": {
            **effect(pairs_reversed["SR-DC"] - runs),
            "left": means["reversed", "SR-DC"],
        },
        "K-8-03": effect(
            difficulty["SR+DC, same documents, a third"] - difficulty["SR+DC, a third"]
        ),
        "K-8-04": effect(pairs_reversed["SR+DC, runs of all systems"] - runs),
        "K-8-05": {
            **effect(values["common", hit] - values["own", hit]),
            "common": means["common", hit],
            "own": means["own", hit],
        },
        "K-9-02": effect(pairs_reversed["SR-DC, flat"] - few_systems),
    }


# --- simulated campaigns beside real ones ---------------------------------------------


def crowd_campaigns(source: Source) -> list[tuple[str, str]]:
    """List the campaigns and pairs that simulated ones are compared with.

    All pairs into English that were released judgement by judgement in one style, with
    known documents: crowd workers of Mechanical Turk in both styles.
    """
    table = assessment_catalogue.availability(source).query(
        "status == 'present' and style != 'mixed' and language_pair.str.endswith('-en')"
        " and not (campaign == 'wmt22' and language_pair == 'lv-en')"
    )
    pairs = table[["campaign", "language_pair"]].to_numpy().tolist()
    return pairs or simulated()


def describe_campaign(campaign: Campaign, *, without: Collection[str]) -> pd.Series:
    """Describe a campaign in numbers, real or simulated, by the same estimators.

    Parameters
    ----------
    campaign : Campaign
    without : names
        Systems whose judgements are left out (human systems).

    Returns
    -------
    Series
        mean, sd, hundreds, zeros : of raw scores of outputs, and the shares of scores
        of 100 and 0; between workers : share of their variance; log_scale :
        standard deviation of the logarithm of the workers' standard deviations;
        system : share of the variance of z-scores between such; repeat : of scores of
        one output by one worker, the share of their variance that is not within; ref,
        ref_sd, bad_ref, bad_ref_sd : mean and standard deviation of quality control;
        workload : coefficient of variation of the number of judgements by a worker;
        order changed : share of the systems whose removal changes the order of the
        others; reversed : share of the pairs of other systems that a removal reverses,
        on average.
    """
    table = outputs_judged(campaign, without)

    def between(column: str, *levels: str) -> float:
        """Compute the share of its variance between groups of the same levels."""
        means = table.groupby([*levels])[column].transform("mean")
        return means.var() / table[column].var()

    raw = table["raw"]
    deviation = table.groupby("worker")["raw"].std()
    load = pd.Series(campaign.worker).value_counts()
    removed = reversed_by_removals(campaign)
    ref, bad_ref = (
        pd.Series(campaign.score[campaign.is_item(item) & campaign.accepted])
        for item in QUALITY_CONTROL
    )
    numbers = {
        "mean": raw.mean(),
        "sd": raw.std(ddof=0),
        "workload": load.std(ddof=0) / load.mean(),
        "hundreds": (raw > 99.5).mean(),
        "zeros": (raw < 0.5).mean(),
        "between workers": between("raw", "worker"),
        "log_scale": np.log(deviation[deviation > 0]).std(),
        "system": between("z", "system"),
        "repeat": between("z", "worker", "system", "segment"),
        "ref": ref.mean(),
        "ref_sd": ref.std(),
        "bad_ref": bad_ref.mean(),
        "bad_ref_sd": bad_ref.std(),
        "order changed": (removed > 0).mean(),
        "reversed": removed.mean() / comb(len(campaign.systems) - 1, 2),
    }
    return pd.Series(numbers, dtype=float)


def outputs_judged(campaign: Campaign, without: Collection[str]) -> pd.DataFrame:
    """List judgements as `zscores.judged_values`, without some systems."""
    table = judged_values(campaign)
    return table[~campaign.is_system(without)[table["system"]]]


def hit_covariances(values: pd.DataFrame) -> pd.DataFrame:
    """Sum, for each worker, products of the means of two sittings of one HIT.

    Pairs of sittings have different documents and different systems. A mean is that of
    z-scores less the system's mean.

    Parameters
    ----------
    values : DataFrame
        Of `outputs_judged`, with HITs.

    Returns
    -------
    DataFrame, (workers,)
        products, pairs : sum and number; hits : of the worker.
    """
    rows = sittings(values)
    rows["annotator"] = pd.factorize(rows["worker"])[0]
    rows["task"] = rows.groupby(["annotator", "hit"]).ngroup()
    of_ones = np.column_stack([rows["y"], np.ones(len(rows))])
    table = pd.DataFrame(products(rows, of_ones), columns=["products", "pairs"])
    return table.assign(hits=rows.groupby("annotator")["task"].nunique())


def who_makes_it(workers: pd.DataFrame) -> pd.Series:
    """Compute the covariance of sittings in one HIT, and of whom it is.

    Parameters
    ----------
    workers : DataFrame
        Of `hit_covariances`, campaigns pooled.

    Returns
    -------
    Series
        HIT covariance; the shares of the workers of `MOST` who give most of its sum,
        above 1 if others are below 0, NaN if the sum is; HIT, middle worker : the
        median of those with two HITs or more.
    """
    product = np.sort(workers["products"])[::-1]
    total = product.sum()
    numbers = {"HIT covariance": total / workers["pairs"].sum()}
    if total <= 0:
        total = np.nan  # it has no shares
    for name, share in MOST.items():
        most = product[: round(share * len(product))]
        numbers[f"HIT, {name} of workers"] = most.sum() / total
    own = workers["products"] / workers["pairs"]
    numbers["HIT, middle worker"] = own[workers["hits"] > 1].median()
    return pd.Series(numbers)


def _resampled(size: int) -> np.ndarray:
    """Draw rows with replacement, (200, size)."""
    return np.random.default_rng(2021).integers(size, size=(200, size))


def simulated_beside_real(
    releases: Sequence[Release], *, seeds: Iterable[int]
) -> pd.DataFrame:
    """Compare real and simulated campaigns of both styles by the same estimators.

    They are `describe_campaign`, and of all campaigns that name their HITs
    `who_makes_it` and `variance_components.components`. Of these segment x system and
    the residual are one sum: in simulated campaigns of single sentences hardly any
    output has two judgements.

    Returns
    -------
    DataFrame
        style, number, component (bool); real (median; of components and HITs the pooled
        value) and real_error (bootstrap over campaigns; over documents and workers),
        simulated and simulated_error (the same), apart : the difference in its
        standard errors.
    """
    tables = {}
    seeds = [*seeds]
    for style in WORLDS.values():
        design = calibrated(style)
        rngs = (np.random.default_rng([35, seed]) for seed in seeds)
        kinds: dict[str, list[tuple[Campaign, Collection[str]]]] = {
            "real": [(r.coded, r.humans) for r in releases if r.style == style],
            "simulated": [(simulate_campaign(design, rng).coded, ()) for rng in rngs],
        }
        table = pd.DataFrame()
        for kind, campaigns in kinds.items():
            numbers = pd.DataFrame(
                describe_campaign(c, without=names) for c, names in campaigns
            )
            medians = np.median(numbers.to_numpy()[_resampled(len(numbers))], axis=1)
            medians = pd.DataFrame(medians, columns=numbers.columns)
            judged = [outputs_judged(*campaign) for campaign in campaigns]
            judged = [rows for rows in judged if "hit" in rows]
            workers = pd.concat([hit_covariances(rows) for rows in judged])
            draws = _resampled(len(workers))
            of_hits = pd.DataFrame(who_makes_it(workers.iloc[drawn]) for drawn in draws)
            parts = variance_components.components(judged, resamples=200, seed=35)
            parts = parts.drop(columns="pairs")
            output = parts.pop("segment x system").fillna(0)
            parts["segment x system and residual"] = parts.pop("residual") + output
            seen = numbers.median(), who_makes_it(workers), parts.iloc[0]
            table[kind] = pd.concat(seen)
            errors = medians.std(), of_hits.std(), parts[1:].std()
            table[f"{kind}_error"] = pd.concat(errors).where(table[kind].notna())
        error = np.hypot(table["real_error"], table["simulated_error"])
        table["apart"] = (table["simulated"] - table["real"]) / error
        tables[style] = table.assign(component=table.index.isin(parts))
    return pd.concat(tables, names=["style", "number"]).reset_index()
