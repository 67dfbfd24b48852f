"""Which systems are really apart: a ranking, cut by significance lines into clusters.

`rank_campaign` is the whole of Equation 1's pipeline on arrays: scale the workers,
standardise, average over segments, order, test, draw lines (Knowles 2021, section 3 and
footnote 4). Removing, dividing and leaving out are arguments of it. `significance`
tests every pair of a ranking of any judgements, corrected for the number of tests.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from wmtlib import corrections
from wmtlib import counts as counting
from wmtlib.assessments import Campaign
from wmtlib.corrections import CORRECTIONS, corrected
from wmtlib.counts import Counts
from wmtlib.errors import DataError
from wmtlib.methods import MINIMUM, method_data, without_thin
from wmtlib.pairwise_tests import (
    ALPHA,
    DIGITS,
    FEWEST_COMMON,
    SEGMENT_TESTS,
    by_segments,
    differences_by_unit,
    judged_values,
    margins_by_unit,
    pairwise_p,
    table_of_segments,
    unit_p,
)
from wmtlib.ranking import Ranking, best_ranks
from wmtlib.zscores import order_by_mean, standardised, usable_cells

RULES = ("footnote-4", "official")


def lines_below(better: np.ndarray, rule: str) -> np.ndarray:
    """Below which systems of a ranking a significance line is drawn.

    Parameters
    ----------
    better : ndarray of bool, (ranked, ranked)
        Whether the row's system is significantly better than the column's; best first.
    rule : "footnote-4" or "official"
        "footnote-4": below a system iff it is significantly better than every system
        with a lower z-score (Knowles 2021, footnote 4). "official": as in WMT's own
        tables: below a system iff it is significantly better than as many systems as
        stand below it. The two differ where a system is significantly better than one
        with a higher z-score, which a one-sided test allows.

    Returns
    -------
    ndarray of bool, (ranked,)
        False for the last.
    """
    if rule not in RULES:
        raise DataError(f"rule is {rule!r}; expected {', '.join(RULES)}")
    beaten = wins(better) if rule == "official" else np.triu(better, 1).sum(axis=1)
    lines = beaten == np.arange(len(better))[::-1]
    lines[-1:] = False
    return lines


def wins(better: np.ndarray) -> np.ndarray:
    """How many systems each system is significantly better than, (ranked,) of int.

    Where the test is significant both ways it has no direction, and the better one is
    that which stands first in the ranking.
    """
    return (np.triu(better, 1) | np.tril(better & ~better.T, -1)).sum(axis=1)


def cluster_table(
    order: Sequence[str], p: pd.DataFrame, *, rule: str, alpha: float = ALPHA
) -> pd.DataFrame:
    """Cut a ranking into clusters.

    Parameters
    ----------
    order : names, best first
    p : DataFrame, systems x systems
        As `p_values` gives; systems that are not in the order are ignored.
    rule : "footnote-4" or "official"
        See `lines_below`.
    alpha : float
        Significant: p < alpha.

    Returns
    -------
    DataFrame
        Columns system, line (whether a line is drawn below it; False for the last),
        cluster (1 = best), wins (how many systems it is significantly better than);
        best first.

    Raises
    ------
    DataError
        An unknown rule, or a system without p-values.
    """
    if missing := [name for name in order if name not in p.index]:
        raise DataError(f"p-values lack {missing[0]!r}; expected every ranked system")
    better = p.loc[[*order], [*order]].to_numpy() < alpha
    line = lines_below(better, rule)
    cluster = 1 + np.cumsum(line) - line
    columns = {
        "system": [*order],
        "line": line,
        "cluster": cluster,
        "wins": wins(better),
    }
    return pd.DataFrame(columns)


def clusters(
    assessments: Any,
    *,
    test: str,
    rule: str,
    alpha: float = ALPHA,
    minimum: int = MINIMUM,
) -> Ranking:
    """Rank direct assessments and draw significance lines (Knowles 2021, section 3).

    Thin systems are named in the note and left out: they would stand between the
    clusters of the others. If fewer than two others are left, all are ranked, without a
    line.

    Parameters
    ----------
    assessments : DataFrame, Campaign, or what `wmtlib.read` returned
        Columns worker, system, segment and score; see `assessments.encode`.
    test : "two-sided", "one-sided" or "legacy"
        Rank-sum test of segments' mean z-scores; "legacy" is the paper's (footnote 8).
    rule : "footnote-4" or "official"
        See `lines_below`.
    alpha : float
        Significant: p < alpha; not corrected for the number of tests.
    minimum : int
        Scored segments below which a system is thin.

    Returns
    -------
    Ranking
        Its table has the columns line, cluster and wins.

    Examples
    --------
    >>> import wmtlib
    >>> campaign = wmtlib.load_assessments("simulated-sr-dc", "qa-qc")
    >>> wmtlib.clusters(campaign, test="two-sided", rule="footnote-4").table["cluster"].max().item()
    3
    """
    campaign = method_data(assessments)
    if not isinstance(campaign, Campaign):
        raise DataError("got comparisons; expected a frame of direct assessments")
    campaign, enough, warnings = _without_thin(campaign, minimum)
    ranked = rank_campaign(
        campaign, test=test, rule=rule, alpha=alpha if enough else 0.0
    )
    return replace(ranked.ranking, note="; ".join(warnings))


def _without_thin(data: Any, minimum: int) -> tuple[Any, list[str], list[str]]:
    """Without thin systems; the names of the others, none if they are fewer than two; warnings."""

    def drop(kept: Any, names: list[str]) -> Any:
        if isinstance(kept, Counts):
            return kept.without(*names)
        return kept.without(names, items=(), paired=True)

    data, warnings, is_enough = without_thin(data, drop, minimum=minimum)
    return data, [*data.systems] if is_enough else [], warnings


@dataclass(frozen=True, eq=False)
class RankedClusters:
    """A ranking and which of its systems are significantly apart, as arrays.

    Attributes
    ----------
    systems : tuple of names, sorted
    order : ndarray of int, (ranked,)
        Positions in `systems`, best first.
    score : ndarray of float64, (systems,)
        Mean z-scores, by which they are ordered; NaN for systems that are not ranked.
    p : ndarray of float64, (systems, systems)
        1 where one of the two is not ranked.
    rule : str
        See `lines_below`.
    alpha : float
    """

    systems: tuple[str, ...]
    order: np.ndarray
    score: np.ndarray
    p: np.ndarray
    rule: str
    alpha: float = ALPHA

    def restricted(self, kept: np.ndarray) -> "RankedClusters":
        """The ranking of some systems, (systems,) of bool; scores and p-values stay."""
        return replace(self, order=self.order[kept[self.order]])

    @property
    def names(self) -> list[str]:
        """Names, best first."""
        return [self.systems[k] for k in self.order]

    @property
    def lines(self) -> np.ndarray:
        """Whether a significance line is drawn below each system of the order, (ranked,)."""
        return lines_below(
            self.p[np.ix_(self.order, self.order)] < self.alpha, self.rule
        )

    @property
    def ranking(self) -> Ranking:
        """With the columns of `cluster_table`."""
        p = pd.DataFrame(self.p, [*self.systems], [*self.systems])
        table = cluster_table(self.names, p, rule=self.rule, alpha=self.alpha)
        score = self.score[self.order]
        table.insert(1, "rank", best_ranks(score))
        table.insert(2, "score", score)
        return Ranking("z-score", table)


def rank_campaign(
    campaign: Campaign, *, test: str, rule: str, alpha: float = ALPHA, **choices: Any
) -> RankedClusters:
    """Rank a campaign's systems by mean z-score and test every pair.

    Parameters
    ----------
    campaign : Campaign
    test : str
        See `p_values`.
    rule, alpha
        See `cluster_table`.
    **choices
        Arguments of `averaged_z_scores`: other scores, what the scales are computed
        from, systems that are not ranked, judgements that are not averaged first.

    Raises
    ------
    DataError
        An unknown test or rule, fewer than two systems to rank, or one without
        judgements.
    """
    value, system = averaged_z_scores(campaign, **choices)
    order, score = order_by_mean(system, value, len(campaign.systems))
    p = pairwise_p(value.round(DIGITS), system, len(score), test)
    return RankedClusters(campaign.systems, order, score, p, rule, alpha)


def system_order(campaign: Campaign, **choices: Any) -> np.ndarray:
    """Positions of the ranked systems, best first: `rank_campaign` without the tests."""
    value, system = averaged_z_scores(campaign, **choices)
    return order_by_mean(system, value, len(campaign.systems))[0]


def averaged_z_scores(
    campaign: Campaign,
    *,
    score: np.ndarray | None = None,
    scales_from: np.ndarray | None = None,
    unranked: np.ndarray | None = None,
    average_segments: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """The values that systems are ranked by and tested on: segments' mean z-scores.

    Parameters
    ----------
    campaign : Campaign
    score : ndarray of float64, (judgements,), optional
        Instead of the campaign's own.
    scales_from : ndarray of bool, (judgements,), optional
        Judgements that the workers' means and standard deviations are computed from;
        all if not given.
    unranked : ndarray of bool, (systems,), optional
        Systems that are left out of the ranking: human systems, in the paper's
        comparisons (section 5, footnote 14 and Figure 2), or systems that are removed.
        Their judgements enter the scales only, unless `scales_from` excludes them.
    average_segments : bool
        Whether the judgements of a segment are averaged first (the paper, section 3).
        Otherwise every judgement counts alike.

    Returns
    -------
    value, system : ndarray, (values,)
        `system` is a position in `campaign.systems`.

    Raises
    ------
    DataError
        Fewer than two systems to rank, or one without judgements.
    """
    ranked = (
        np.ones(len(campaign.systems), dtype=bool) if unranked is None else ~unranked
    )
    if (left := int(ranked.sum())) < 2:
        raise DataError(f"{left} system(s) to rank; expected two or more")
    z = standardised(campaign, score=score, counted=scales_from)
    cells = usable_cells(campaign, z, ~ranked)
    value, system = z[cells.judgement], cells.credit_system
    if average_segments:
        value, system = cells.means(value), cells.system
    return value[ranked[system]], system[ranked[system]]


def significance(
    data: Any,
    order: Sequence[str],
    *,
    correction: str = CORRECTIONS[0],
    score: str = "z",
    test: str = "rank-sum",
    units: Sequence[str] = (),
    minimum: int = MINIMUM,
) -> pd.DataFrame:
    """Test every pair of ranked systems, corrected for the number of tests.

    Thin systems are left out, with all their judgements, as by `clusters`.

    Lopez (2012, section 6) asks for the correction. The test, always two-sided, is

    - for counts the sign test: an exact binomial test of the decided comparisons of the
      two with each other, ties dropped;
    - for a campaign the rank-sum test of their segments' mean scores (`p_values`), or
      the signed-rank test of the segments that both were judged on (`signed_rank_p`),
      if these are `FEWEST_COMMON` or more.

    They take judgements, or segments, for independent.

    Parameters
    ----------
    data : DataFrame, Counts, Campaign or Judgements
        As in `methods.rank`.
    order : names, best first
        The systems to test; comparisons with others play no part.
    correction : "benjamini-hochberg", "holm" or "none"
        Keeps at alpha the share of false differences among those found (Benjamini &
        Hochberg 1995), or the chance of a single false one (Holm 1979), or neither.
    score : "z" or "raw"
        Of a campaign: which scores are tested.
    test : "rank-sum", "signed-rank", "t" or "unit"
        Of a campaign.
    units : names
        Of the unit test: the kinds of units by which a difference has to hold, such as
        those of `units_of_collection`. Of comparisons (a frame of them): the sign test
        is made by these units, such as judge, not by single comparisons.
    minimum : int
        Comparisons, or scored segments, below which a system is thin.

    Returns
    -------
    DataFrame
        One row for each pair that stands above and below in the order: above, below,
        neighbours (bool), ahead (which one the test is in favour of, "" if neither), p
        and corrected. For counts also wins, losses and ties of the upper one, for the
        signed-rank test common, the number of common segments. A pair without a decided
        comparison, or with too few units or segments in common, is not tested: NaN, and
        it does not count among the tests.

    Raises
    ------
    DataError
        An unknown correction, a name that is not in the data or stands twice, or fewer
        than two systems, thin ones not counted.

    Examples
    --------
    >>> votes = pd.DataFrame({"a": "x", "b": "y", "outcome": ["a"] * 9 + ["b"]})
    >>> significance(votes, ["x", "y"])["p"].round(4).tolist()
    [0.0215]
    """
    if correction not in CORRECTIONS:
        raise DataError(
            f"correction is {correction!r}; expected {', '.join(CORRECTIONS)}"
        )
    given, data = data, method_data(data, rows=False)
    data, names = _with_systems(data, [*order], minimum)
    upper, lower = np.triu_indices(len(names), k=1)
    table = pd.DataFrame({"above": names[upper], "below": names[lower]})
    table["neighbours"] = lower == upper + 1
    i, j = (
        pd.Index(data.systems).get_indexer(table[side]) for side in ("above", "below")
    )
    if isinstance(data, Counts):
        wins, ties = data.wins.to_numpy(), data.ties.to_numpy()
        table = table.assign(wins=wins[i, j], losses=wins[j, i], ties=ties[i, j])
    if isinstance(data, Campaign):
        better, common = _campaign_p(data, score, test, units)
        table = table.assign(common=common[i, j]) if test == "signed-rank" else table
    elif units:
        rows, systems = counting.comparisons_of(given), data.systems
        parts = [margins_by_unit(rows, unit, systems)[0] for unit in units]
        better = unit_p(parts, len(systems))
    if units or isinstance(data, Campaign):
        lead = np.nan_to_num(np.sign(better[j, i] - better[i, j]))
        p = np.minimum(1, 2 * np.minimum(better[i, j], better[j, i]))
    else:
        lead, p = (
            np.sign(wins[i, j] - wins[j, i]),
            corrections.sign_test(wins[i, j], wins[j, i]),
        )
    table["ahead"] = np.select(
        [lead > 0, lead < 0], [table["above"], table["below"]], ""
    )
    return table.assign(p=p, corrected=corrected(p, correction))


def _with_systems(data: Any, order: list[str], minimum: int) -> tuple[Any, np.ndarray]:
    """The judgements without thin systems, and the others in their order."""
    if len(order) < 2 or len(set(order)) < len(order):
        raise DataError("the order needs two systems or more, each once")
    if odd := [name for name in order if name not in data.systems]:
        raise DataError(f"no system {odd[0]!r}; expected names of the data")
    data, enough, warnings = _without_thin(data, minimum)
    names = np.array([name for name in order if name in enough], dtype=object)
    if len(names) < 2:
        raise DataError(warnings[0])
    return data, names


def _campaign_p(
    campaign: Campaign, score: str, test: str, units: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """One-sided p-values, small where the row's system is better, and common segments of pairs."""
    if score not in ("z", "raw"):
        raise DataError(f"score is {score!r}; expected z, raw")
    if test not in (*SEGMENT_TESTS, *["unit"] * bool(units)):
        raise DataError(
            f"test is {test!r}; expected {', '.join(SEGMENT_TESTS)}, unit (with units)"
        )
    values = judged_values(campaign)
    means = table_of_segments(values, score)
    known = (~np.isnan(means)).astype(int)
    common = known @ known.T
    if test == "unit":
        return unit_p(differences_by_unit(values, score, units), len(means)), common
    p = by_segments(means, test)
    return np.where(
        (test == "signed-rank") & (common < FEWEST_COMMON), np.nan, p
    ), common


def groups(
    table: pd.DataFrame, order: Sequence[str], *, alpha: float = ALPHA
) -> pd.DataFrame:
    """Cut a ranking where systems are significantly apart.

    A line is drawn below a system if and only if it is significantly better than every
    system below it (Knowles 2021, footnote 4). Systems that the table does not name, as
    thin ones, are left out. Two systems without a decided comparison are not known to
    be apart.

    Parameters
    ----------
    table : DataFrame
        What `significance` gives for this order.
    order : names, best first
    alpha : float
        Significant: corrected p < alpha.

    Returns
    -------
    DataFrame
        Columns system, line (False for the last), cluster (1 = best), wins (how many
        systems it is significantly better than, wherever they stand); best first.
    """
    order = [name for name in order if name in {*table["above"], *table["below"]}]
    p = pd.DataFrame(1.0, index=order, columns=order)
    tested = table[table["ahead"] != ""].dropna(subset="corrected")
    behind = tested["above"].where(tested["ahead"] == tested["below"], tested["below"])
    for better, worse, value in zip(
        tested["ahead"], behind, tested["corrected"], strict=True
    ):
        p.loc[better, worse] = value
    return cluster_table(order, p, rule="footnote-4", alpha=alpha)


# --- tests whose unit is what was collected: a document, a HIT, a judge ---------------


def tiers(
    beats: pd.DataFrame, n_resamples: int, *, alpha: float = ALPHA
) -> pd.DataFrame:
    """Tiers of systems, 1 for the best: those that are not surely below the tier's first one.

    Ranges of ranks chain: of a hundred systems each overlaps with its neighbours, and
    all are one cluster. A tier has a fixed leader, and the next tier starts with the
    first system that is significantly below it: two-sided, from how often paired
    resamples reverse the two.

    Parameters
    ----------
    beats : DataFrame, ranked x ranked
        Share of the resamples in which the row's system is better, best first; NaN: not
        known.
    n_resamples : int

    Returns
    -------
    DataFrame
        Columns tier and systems, their names joined by ", ".

    Examples
    --------
    >>> beats = pd.DataFrame([[0, 0.9, 1], [0.1, 0, 0.8], [0, 0.2, 0]], [*"abc"], [*"abc"])
    >>> tiers(beats, 999)["systems"].tolist()
    ['a, b', 'c']
    """
    p = 2 * ((1 - beats.to_numpy()) * n_resamples + 1) / (n_resamples + 1)
    leaders = [0]
    for k in range(len(beats)):
        if p[leaders[-1], k] < alpha:
            leaders.append(k)
    parts = np.split(beats.index.to_numpy(), leaders[1:])
    columns = {
        "tier": range(1, len(parts) + 1),
        "systems": [", ".join(part) for part in parts],
    }
    return pd.DataFrame(columns)


# --- the rules by which campaigns drew their lines ------------------------------------
