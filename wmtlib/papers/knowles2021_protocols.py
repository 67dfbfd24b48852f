"""Which protocol finds the true ranking, and how easily its ranking is upset (Knowles 2021, 5, 8).

Protocols are compared on simulated campaigns of equal cost with the same systems, documents and
workers, so differences between protocols are differences between pairs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import joblib
import numpy as np
import pandas as pd

from wmtlib.assessment import clusters, stability, zscores
from wmtlib.assessment.stability import Outlook, Perturbation
from wmtlib.assessment.zscores import Campaign
from wmtlib.judgements.errors import DataError
from wmtlib.simulation import simulate
from wmtlib.simulation.designs import HUMAN, Design
from wmtlib.simulation.simulate import CALIBRATION_HIT, SimulatedCampaign

DIVISORS = (2, 10)
BATTERY = (
    "remove humans",
    "remove best",
    "remove worst",
    *(f"divide humans by {divisor}" for divisor in DIVISORS),
)
METRICS = ("distance", "distance, raw", "wrong", "missed", "order changed", "clusters changed")
COLUMNS = ["protocol", "seed", "metric", "value"]


@dataclass(frozen=True)
class Ranker:
    """How a campaign is made a ranking: what the paper chose.

    Attributes
    ----------
    test, rule : str
        As in `clusters.clusters`; the paper's are "legacy" and "footnote-4".
    """

    test: str
    rule: str

    def outlook(
        self,
        campaign: Campaign,
        *,
        score: np.ndarray | None = None,
        keep: np.ndarray | None = None,
        gone: np.ndarray | None = None,
    ) -> Outlook:
        """Rank a campaign on the workers' own scales or, if there is one, on the calibration HIT's.

        Section 8: the mean and standard deviation of a worker's scores in the HIT that all workers
        did, "applied to the remainder of the annotator's judgments". The calibration judgements
        are averaged like others.

        Parameters
        ----------
        campaign : Campaign
        score : ndarray, (judgements,), optional
            Instead of the campaign's.
        keep : ndarray of bool, (judgements,), optional
            Judgements that workers' scales are taken from.
        gone : ndarray of bool, (systems,), optional
            Systems that are not ranked.
        """
        size = len(campaign.systems)
        score = campaign.score if score is None else score
        gone = np.zeros(size, dtype=bool) if gone is None else gone
        keep = np.ones(len(score), dtype=bool) if keep is None else keep
        if CALIBRATION_HIT in campaign.hits:
            keep = keep & (campaign.hit == campaign.hits.index(CALIBRATION_HIT))
        _, mean, sd = zscores.scales(campaign, score, keep)
        cells = zscores.used_layout(campaign, sd, gone)
        with np.errstate(divide="ignore", invalid="ignore"):  # workers seen with who is gone only
            z = (score[cells.judgement] - mean[cells.worker]) / sd[cells.worker]
        left = ~gone[cells.system]
        system, z = cells.system[left], cells.means(z)[left]
        present = np.flatnonzero(np.bincount(system, minlength=size))
        if len(present) < size - gone.sum():
            raise DataError("a system is left without segments; expected a larger campaign")
        number = np.cumsum(~gone) - 1
        order, _ = zscores.order_by_mean(number[system], z, len(present))
        p = clusters.all_pairs(z, number[system], len(present), self.test)
        better = np.zeros((size, size), dtype=bool)
        better[np.ix_(present, present)] = p < clusters.ALPHA
        return Outlook(campaign.systems, present[order], np.full(size, np.nan), better, self.rule)


def battery(campaign: Campaign, ranker: Ranker) -> pd.DataFrame:
    """What five changes to the judgements do to the ranking (section 5, Tables 2, 3 and Figure 1).

    Human systems are ranked on neither side, and the best and the worst system are those of the
    others.

    Returns
    -------
    DataFrame
        Indexed by `BATTERY`; columns order, clusters: 1.0 if changed, 0.0 if not, NaN where there
        is neither a human nor a REF item to change.
    """
    return _battery(campaign, ranker, ranker.outlook(campaign, gone=_humans(campaign)))


def _battery(campaign: Campaign, ranker: Ranker, before: Outlook) -> pd.DataFrame:
    human = _humans(campaign)
    found = {}
    for name, change in _changes(campaign, before):
        if not change.rows.any():
            found[name] = (np.nan, np.nan)
            continue
        gone = change.gone | human
        if change.divisor:
            score = np.where(change.rows, campaign.score / change.divisor, campaign.score)
            after = ranker.outlook(campaign, score=score, gone=gone)
        else:
            after = ranker.outlook(campaign, keep=~change.rows, gone=gone)
        changed = stability.compare(before.of(~gone), after)
        found[name] = (float(changed["rank"]), float(changed["cluster"]))
    return pd.DataFrame(found, index=["order", "clusters"]).T.loc[[*BATTERY]]


def _changes(campaign: Campaign, before: Outlook) -> Iterator[tuple[str, Perturbation]]:
    """The perturbations of the battery, by name."""
    humans = [name for name in campaign.systems if name == HUMAN]
    for change in stability.perturbations(campaign, before, humans, False, DIVISORS):
        if change.kind != "remove":
            yield change.kind + (f" by {change.what}" if change.divisor else ""), change


def _humans(campaign: Campaign) -> np.ndarray:
    """Which systems are human, (systems,) of bool."""
    return np.array([name == HUMAN for name in campaign.systems])


def accuracy(campaign: Campaign, truth: pd.Series, ranker: Ranker) -> dict[str, float]:
    """How far from the truth a ranking is, without the human: shares of all pairs of systems.

    Parameters
    ----------
    truth : Series
        True quality, indexed by system.

    Returns
    -------
    dict
        distance : pairs in the wrong order (Kendall), by mean z; "distance, raw" : by mean raw
        score; wrong : pairs in the wrong order that the test tells apart; missed : pairs that are
        not told apart in the right order.
    """
    return _accuracy(campaign, truth, ranker.outlook(campaign, gone=_humans(campaign)))


def _accuracy(campaign: Campaign, truth: pd.Series, found: Outlook) -> dict[str, float]:
    quality = truth[[campaign.systems[k] for k in found.order]].to_numpy()
    first, second = np.triu_indices(len(quality), 1)
    reversed_ = quality[first] < quality[second]
    apart = found.better[found.order[first], found.order[second]]
    raw = _raw_means(campaign)[found.order]
    by_raw = (raw[first] - raw[second]) * (quality[first] - quality[second])
    return {
        "distance": float(reversed_.mean()),
        "distance, raw": float((by_raw < 0).mean()),
        "wrong": float((reversed_ & apart).mean()),
        "missed": float((~apart | reversed_).mean()),
    }


def _raw_means(campaign: Campaign) -> np.ndarray:
    """Mean of every system's segments' mean raw scores, (systems,)."""
    cells = campaign.layout
    size = len(campaign.systems)
    total = np.bincount(cells.system, cells.means(campaign.score[cells.judgement]), size)
    return total / np.bincount(cells.system, minlength=size)


def measure(simulated: SimulatedCampaign, ranker: Ranker) -> dict[str, float]:
    """Every metric of one campaign: `METRICS`, and what each change of the battery did.

    "order changed" and "clusters changed" are shares of the changes of the battery that apply;
    "order changed: remove best" and the like are 0 or 1.
    """
    coded = zscores.code(simulated.assessments)
    found = ranker.outlook(coded, gone=_humans(coded))
    changed = _battery(coded, ranker, found)
    shares = {f"{what} changed": float(changed[what].mean()) for what in changed}
    each = {
        f"{what} changed: {name}": float(changed.loc[name, what])
        for what in changed
        for name in BATTERY
    }
    return _accuracy(coded, simulated.truth, found) | shares | each


def compare(
    designs: Mapping[str, Design], seeds: Sequence[int], *, ranker: Ranker, jobs: int = 1
) -> pd.DataFrame:
    """Simulate every design with every seed and measure it; equal designs only once.

    Parameters
    ----------
    designs : mapping from label to Design
        Designs that differ only in the protocol, or in how workers are standardised, meet the
        same systems, documents and workers with the same seed.
    seeds : sequence of int
    ranker : Ranker
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
    tasks = [(design, seed) for seed in seeds for design in dict.fromkeys(designs.values())]
    run = joblib.delayed(_measured)
    found = joblib.Parallel(n_jobs=jobs, batch_size=8)(run(*task, ranker) for task in tasks)
    values = dict(zip(tasks, found, strict=True))
    rows = [
        (label, seed, metric, value)
        for seed in seeds
        for label, design in designs.items()
        for metric, value in values[design, seed].items()
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _measured(design: Design, seed: int, ranker: Ranker) -> dict[str, float]:
    return measure(simulate.campaign(design, np.random.default_rng(seed)), ranker)


def summary(table: pd.DataFrame, *, against: str | None = None) -> pd.DataFrame:
    """Means over seeds, with standard errors.

    Parameters
    ----------
    table : DataFrame
        As `compare` gives.
    against : str, optional
        Label of the design that others are compared with, seed by seed.

    Returns
    -------
    DataFrame
        Columns protocol, metric, mean, error and, if asked, difference, difference_error (of the
        mean difference of pairs); protocols and metrics in order of first appearance.

    Raises
    ------
    DataError
        No such design.
    """
    keys = ["protocol", "metric"]
    wide = table.pivot_table("value", "seed", keys, dropna=False)
    labels, metrics = table["protocol"].unique(), table["metric"].unique()
    if against is not None and against not in labels:
        raise DataError(f"no design {against!r}; expected one of {', '.join(labels)}")
    rows = []
    for label in labels:
        for metric in metrics:
            value = wide[label, metric]
            row = {"protocol": label, "metric": metric, "mean": value.mean(), "error": value.sem()}
            if against is not None:
                apart = value - wide[against, metric]
                row |= {"difference": apart.mean(), "difference_error": apart.sem()}
            rows.append(row)
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

    def with_(protocol: str, **settings) -> Design:
        return replace(base, protocol=protocol, **settings)

    return {
        "SR-DC": with_("SR-DC"),
        "SR-DC, alternate": with_("alternate"),
        "SR+DC": with_("SR+DC"),
        "SR+DC, by HIT": with_("SR+DC", normalise="hit"),
        "SR+DC, same documents": with_("SR+DC same documents"),
        "SR+DC, all systems per HIT": with_("SR+DC all systems per HIT"),
        "SR+DC, all systems, by HIT": with_("SR+DC all systems per HIT", normalise="hit"),
        "SR+DC, calibration HIT": with_("SR+DC", calibration_hit=calibration),
    }


def composition(base: Design) -> dict[str, Design]:
    """Systems per HIT and document context, told apart: two by two, with and without documents.

    "SR-DC few systems per HIT" has the systems of SR+DC's HITs but single sentences; "SR+DC
    balanced" has documents, but every system in every HIT. "flat": documents are equally hard.
    """
    cells = {
        "sentences, all systems": "SR-DC",
        "sentences, few systems": "SR-DC few systems per HIT",
        "documents, all systems": "SR+DC balanced",
        "documents, few systems": "SR+DC",
    }
    flat = {"document": 0.0, "system_document": 0.0}
    designs = {label: replace(base, protocol=name) for label, name in cells.items()}
    return designs | {f"{label}, flat": replace(d, **flat) for label, d in designs.items()}
