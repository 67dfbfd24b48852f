"""Section 3: Scoring (Knowles 2021): how a ranking is made; is it the official one?

Our means, orders and significance lines beside the official ones.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pandas as pd

from study.data.assessment_catalogue import entry
from study.data.assessment_releases import (
    load_assessments,
    load_official,
    load_segment_means,
)
from study.data.sources import Source
from study.knowles2021 import PAPER_LINES
from wmtlib import zscores
from wmtlib.cluster_lines import (
    RULES,
    averaged_z_scores,
    cluster_table,
    rank_campaign,
)
from wmtlib.core.assessments import ITEMS, RATED_ITEMS, Campaign, encode
from wmtlib.core.errors import DataUnavailable
from wmtlib.core.pairwise_tests import ALPHA, TESTS, cell_sums, p_values
from wmtlib.methods import rank_segment_means
from wmtlib.zscores import standardised, worker_scales

RANKING_DIGITS = {"raw": 1, "z": 3}  # decimals printed in ad-sys-ranking-*


def _public(
    campaign: str,
    language_pair: str,
    source: Source,
    load: Callable[..., pd.DataFrame],
    **options: str,
) -> pd.DataFrame | None:
    """Load something of a language pair; None if it is not public."""
    try:
        return load(campaign, language_pair, source=source, **options)
    except DataUnavailable:
        return None


@lru_cache
def _judgements(campaign: str, language_pair: str, source: Source) -> Campaign | None:
    """Load the single judgements of a pair; None if they are not public."""
    judgements = _public(campaign, language_pair, source, load_assessments)
    return None if judgements is None else encode(judgements)


@lru_cache
def best_means(
    campaign: str, language_pair: str, *, source: Source
) -> tuple[pd.DataFrame, list[str]]:
    """Return segment means of the ranked systems of a pair, and the order they give.

    Ours where judgements are public, else the published ones.
    """
    judgements = _judgements(campaign, language_pair, source)
    if judgements is None:
        means = published_means(campaign, language_pair, source=source)
    else:
        means = zscores.segment_means(judgements)
    return means, rank_segment_means(means).order


def published_means(
    campaign: str, language_pair: str, *, source: Source
) -> pd.DataFrame:
    """Load the published segment means of the ranked systems of a pair.

    REF items that are published as a system HUMAN, in SR-DC, are not ranked.
    """
    means = load_segment_means(campaign, language_pair, source=source)
    if entry(campaign, language_pair).style == "SR-DC":
        means = means[~means["system"].str.startswith("HUMAN")]
    return means


def order_and_means(
    campaign: Campaign, unranked: np.ndarray | None = None, **choices: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return positions of ranked systems, best first; mean z-scores of all, (systems,).

    `cluster_lines.rank_campaign` without its tests; arguments as there.
    """
    value, system = averaged_z_scores(campaign, unranked=unranked, **choices)
    return zscores.order_by_mean(system, value, len(campaign.systems))


def quick_order(campaign: Campaign) -> Callable[..., np.ndarray]:
    """Make a function that orders as `order_and_means` does, four times as quickly.

        mean z of s = 1 / C(s) x sum over w of (X(s, w) - mean(w) N(s, w)) / sd(w)

    This is Equation 1, averaged over segments and then over the C(s) segments of system
    s, as a sum over workers. N(s, w) is the sum of 1/k over the judgements of s by w, X
    the sum of score/k, where k judgements are averaged on a segment. What is left out
    of the scales changes the workers' means and deviations only.
    """
    cells = campaign.cells
    shape = len(campaign.systems), len(campaign.workers)
    segments = np.bincount(cells.system, minlength=shape[0])
    # Of every judgement 1 / (k C(s)); summed by system and worker, of the scores too
    share = np.repeat(1 / (cells.size * segments[cells.system]), cells.size)
    worker = campaign.worker[cells.judgement]
    shares, scores = (
        cell_sums(share * value, cells.credit_system, worker, shape)
        for value in (1, campaign.score[cells.judgement])
    )

    def powers(rows: Any) -> np.ndarray:
        """Sum each worker's scores to the powers 0, 1 and 2, (3, workers)."""
        worker = campaign.worker[rows]
        score = campaign.score[rows]
        return np.array([np.bincount(worker, score**k, shape[1]) for k in range(3)])

    everything = powers(...) + campaign.unlisted

    def order(left_out: np.ndarray, unranked: np.ndarray) -> np.ndarray:
        """Order the ranked systems, with judgements left out of the scales."""
        number, total, squares = everything - powers(left_out)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = total / number
            variance = (squares - total * mean) / (number - 1)
        varies = variance > 1e-6
        ranked = np.flatnonzero(~unranked)
        if shares[np.ix_(ranked, ~varies)].any():
            # Judgements of a worker who is left out do not count: k is another.
            return order_and_means(campaign, unranked, scales_from=~left_out)[0]
        z = (scores - mean * shares)[:, varies] / np.sqrt(variance[varies])
        means = z.sum(axis=1)[ranked]
        return zscores.order_by_mean(ranked, means, len(unranked))[0]

    return order


def example_worker(campaign: Campaign) -> str:
    """Find a worker with as many kinds of items as there are, and few judgements."""
    judged = pd.crosstab(campaign.worker, campaign.item)
    kinds = (judged > 0).sum(axis=1)
    is_constant = worker_scales(campaign)[2][judged.index] == 0
    best_first = np.lexsort((judged.sum(axis=1), -kinds, is_constant))
    return campaign.workers[judged.index[best_first[0]]]


def steps_to_z(campaign: Campaign, worker: str, mean: float) -> pd.DataFrame:
    """List up to three scores of each kind of item of a worker, step by step to z."""
    columns = {
        "item": np.array(ITEMS)[campaign.item],
        "score": campaign.score.astype(int),
        "score - mean": campaign.score - mean,
        "z": standardised(campaign),
    }
    is_of_worker = campaign.worker == campaign.workers.index(worker)
    table = pd.DataFrame(columns)[is_of_worker]
    place = table["item"].map(ITEMS.index).sort_values(kind="stable").index
    few = table.loc[place].groupby("item", sort=False).head(3)
    return few.reset_index(drop=True)


def lines_by_choice(campaign: Campaign) -> pd.DataFrame:
    """Draw lines by each test and rule; bool, systems x (test, rule), best first."""
    cuts = {
        (test, rule): rank_campaign(campaign, test=test, rule=rule).ranking.table
        for test in TESTS
        for rule in RULES
    }
    return pd.DataFrame(
        {key: cut.set_index("system")["line"] for key, cut in cuts.items()}
    )


def lines_that_move(pairs: Sequence[str], *, source: Source) -> pd.DataFrame:
    """Count pairs in which another test (row) or rule (column) draws other lines."""
    moved = pd.DataFrame(0, pd.Index(TESTS, name="test"), [*RULES])
    for pair in pairs:
        means, order = best_means(*pair.split(), source=source)
        by_paper = lines_above(paper_cut(order, means))
        for test in TESTS:
            p = p_values(means, test=test).loc[[*order], [*order]]
            for rule in RULES:
                lines = lines_above(cluster_table(p < ALPHA, rule))
                moved.loc[test, rule] += lines != by_paper
    return moved


def by_origin(replicated: pd.DataFrame) -> pd.DataFrame:
    """Sum rows of `replicate` by campaign and by what our ranking starts from.

    Returns
    -------
    DataFrame
        Columns campaign, from, language pairs; systems, and for how many raw, z and
        judgements are official; pairs with the official order and lines.
    """
    numbers = ["systems", "raw", "z", "judgements", "order", "lines"]
    table = replicated.assign(lines=replicated["lines_apart"] == 0)
    by_kind = table.groupby(["campaign", "from"])
    sums = by_kind[numbers].sum().astype(int)
    sums.insert(0, "language pairs", by_kind.size())
    return sums.reset_index()


def paper_cut(order: Sequence[str], means: pd.DataFrame) -> pd.DataFrame:
    """Draw lines by the paper's test and rule between systems in an order."""
    p = p_values(means, test=PAPER_LINES["test"])
    return cluster_table(p.loc[[*order], [*order]] < ALPHA, PAPER_LINES["rule"])


def replicate(
    campaign: str, language_pair: str, *, source: Source
) -> dict[str, object]:
    """Compare one language pair with everything official that is public of it.

    Returns
    -------
    dict
        campaign, language_pair, from ("judgements" or "segment means") and systems;
        raw, z, judgements: how many systems have the official value at its printed
        digits; order: whether it is the official one; clusters: whether ours, by the
        official test (one-sided) and rule, are the official ones; lines_apart:
        significance lines that are either official or drawn by the paper's test and
        rule, not both; z_divided_by_n, z_outputs_only: see `scale_variants`;
        judged_again: share of the outputs (system and segment) with more than one
        judgement; p: the largest relative difference from the official p-values. Keys
        of what is not public are missing.
    """
    public = partial(_public, campaign, language_pair, source)
    coded = _judgements(campaign, language_pair, source)
    means, order = best_means(campaign, language_pair, source=source)
    official = public(load_official, outcome="z")
    digits = RANKING_DIGITS
    if official is None:
        # WMT20's other file prints 15 digits.
        digits = {"raw": 10, "z": 10}
        official = public(load_official, outcome="systems")
    row: dict[str, object] = {
        "campaign": campaign,
        "language_pair": language_pair,
        "from": "segment means" if coded is None else "judgements",
        **_system_means_beside(means, official, digits),
    }
    p = p_values(means, test="one-sided")
    listed = public(load_official, outcome="p-values")
    clusters = public(load_official, outcome="clusters")
    cut = _official_cut(order, clusters, listed)
    if cut is not None:
        systems = cut["system"].tolist()
        lines = lines_above(cut)
        one_sided = cluster_table(p.loc[systems, systems] < ALPHA, "official")
        row["clusters"] = lines == lines_above(one_sided)
        row["lines_apart"] = len(lines ^ lines_above(paper_cut(systems, means)))
    if coded is not None and digits is RANKING_DIGITS:
        row |= scale_variants(coded, official)
    published = public(load_segment_means)
    if published is not None:
        row["judged_again"] = (published["judgements"] > 1).mean()
    if listed is not None:
        row["p"] = largest_difference(p, listed)
    return row


def _system_means_beside(
    means: pd.DataFrame, official: pd.DataFrame | None, digits: Mapping[str, int]
) -> dict[str, object]:
    """Count systems with the official values; tell whether the order is official."""
    ours = rank_segment_means(means).table.rename(columns={"score": "z"})
    if official is None:
        return {"systems": len(ours)}
    # References are no systems.
    ours = ours.reset_index(names="place")
    both = official.merge(ours, on="system", suffixes=("_official", ""))
    both = both.sort_values("z_official", ascending=False, kind="stable")
    return {
        "systems": len(both),
        **{k: number_equal(both[k], both[f"{k}_official"], digits[k]) for k in digits},
        "judgements": (both["judgements"] == both["judgements_official"]).sum(),
        "order": both["place"].is_monotonic_increasing,
    }


def number_equal(ours: pd.Series, official: pd.Series, decimals: int) -> int:
    """Count the values that round to the printed ones, a half either way."""
    difference = np.abs(ours.to_numpy() - official.to_numpy())
    return (difference <= 0.5 * 10.0**-decimals + 1e-9).sum()


def largest_difference(p: pd.DataFrame, listed: pd.DataFrame) -> float:
    """Compute the largest relative difference from the printed official p-values."""
    # 0.12 means "not significant", 0 for less than 1e-308.
    printed = listed[(listed < 0.1) & (listed > 0)]
    return (p / printed - 1).abs().max(axis=None)


def _official_cut(
    order: Sequence[str], clusters: pd.DataFrame | None, p: pd.DataFrame | None
) -> pd.DataFrame | None:
    """List systems in our order, and whether an official line is below each.

    The lines are published, or follow from the official p-values; None without either.
    """
    if clusters is not None:
        start = clusters.set_index("system")["cluster_start"].reindex(order).dropna()
        line = start.diff(-1).fillna(0) != 0
        return line.rename("line").rename_axis("system").reset_index()
    if p is None:
        return None
    listed = [name for name in order if name in p]
    return cluster_table(p.loc[listed, listed] < ALPHA, "official")


def lines_above(cut: pd.DataFrame) -> set[frozenset[str]]:
    """Return every line of a ranking, as the set of the systems above it.

    Parameters
    ----------
    cut : DataFrame, best first
        Columns system and line, as `cluster_lines.cluster_table` gives.
    """
    return {frozenset(cut["system"].iloc[: k + 1]) for k in np.flatnonzero(cut["line"])}


def scale_variants(coded: Campaign, official: pd.DataFrame) -> dict[str, int]:
    """Count the systems with the official mean z-score if the scales were others.

    Parameters
    ----------
    official : DataFrame
        Columns system and z, the rounded official means.

    Returns
    -------
    dict
        z_divided_by_n: standard deviations with n instead of n - 1; z_outputs_only:
        scales of the outputs alone; z_for_each_system: scales in which a joint output
        counts for each of its systems; z_at_once: all judgements of a system averaged
        at once.
    """
    z = standardised(coded)
    number, _, _ = worker_scales(coded)
    wider = np.sqrt(number / np.maximum(number - 1, 1))  # sd of n - 1 over sd of n
    systems = np.maximum(np.bincount(coded.credit, minlength=len(coded.score)), 1)
    variants = {
        "z_divided_by_n": z * wider[coded.worker],
        "z_outputs_only": standardised(coded, counted=coded.is_item(*RATED_ITEMS)),
        "z_for_each_system": standardised(coded, times=systems),
    }
    means = {}
    for name, variant in variants.items():
        cells = zscores.usable_cells(coded, variant)
        value = cells.means(variant[cells.judgement])
        _, mean = zscores.order_by_mean(cells.system, value, len(coded.systems))
        means[name] = mean
    _, means["z_at_once"] = order_and_means(coded, average_segments=False)
    table = pd.DataFrame(means, [*coded.systems]).reindex(official["system"])
    decimals = RANKING_DIGITS["z"]
    return {name: number_equal(table[name], official["z"], decimals) for name in table}
