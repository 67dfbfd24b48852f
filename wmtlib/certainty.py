"""Sets of ranks that hold at once, and intervals of scores, without resamples.

How sure a ranking is depends on who judged, and on what was judged: other judges, and
other sentences, would have given other scores. So units of both kinds (see
`wmtlib.core.units`) are left out, one at a time. With s the scores, G the number of
units of a kind, and d_c = s without unit c - s,

    V(kind)    = (G - 1) / G x sum over units c of d_c d_c'                       (1)
    V(i, k)    = variance of s_i - s_k, by judges + by items - by both together   (2)
    t(i, k)    = (s_i - s_k) / sqrt(V(i, k))                                      (3)

(1) is the jackknife (Efron and Stein 1981; for clusters Bell and McCaffrey 2002), (2)
the two-way variance of Cameron, Gelbach and Miller (2011), at least that of either kind
alone; a unit of both together is what one judge said of one item. The p-values of
Student's t, with one degree of freedom less than units (`moves.effective_units`, of
the kind and the system that has fewer), are corrected for all pairs by Holm (1979).
Then

    ranks of i = 1 + number of systems significantly better,
                 ..., number of systems - number significantly worse              (4)

hold the true ranks of all systems at once in 95 of 100 rankings (Mogstad, Romano,
Shaikh and Wilhelm 2024, with Holm in place of their bootstrap: with fewer units than
pairs the covariance has not full rank, and the largest t by simulation errs more).
docs/ranking.md has what was measured.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import scipy

from wmtlib import methods
from wmtlib.core.assessments import Campaign, Data
from wmtlib.core.corrections import corrected
from wmtlib.core.counts import Counts, without
from wmtlib.core.html_tables import TabledSystems
from wmtlib.core.moves import Moves
from wmtlib.core.ranking import Ranking, clusters_of_ranges, levels
from wmtlib.core.sampling import Seed
from wmtlib.core.units import Units, codes_of, one_kind, usual_units
from wmtlib.files.checks import MINIMUM, groups_apart
from wmtlib.methods import METHODS, Settings

ALPHA = 0.05
COVERAGE = 0.95  # of the interval of each score
SET_COLUMNS = [  # of the table
    "system",
    "rank",
    "score",
    "rank_low",
    "rank_high",
    "score_low",
    "score_high",
    "cluster",
]
MOST_SYSTEMS = 500  # whose covariance is made one without negative eigenvalues
LEAST_FREEDOM = 1e-9  # degrees; with fewer, nothing is known
LEAST_VARIANCE = 1e-18  # of a difference that no unit moves


# --- covariance of scores -------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Covariance:
    """Covariances of scores, (systems, systems), by kinds of units.

    Attributes
    ----------
    one_way : tuple of ndarray
        By judges, by items, or of the one kind that there is.
    two_way : ndarray or None
        By both, less what both share (or not, where that takes too many fits); None of
        one kind.
    freedom : ndarray, (systems,)
        Degrees of freedom.
    doubt : ndarray, (systems,)
        Variance to add of systems that won all, or lost all: no unit moves them.
    """

    one_way: tuple[np.ndarray, ...]
    two_way: np.ndarray | None
    freedom: np.ndarray
    doubt: np.ndarray

    def among(self, place: np.ndarray) -> "Covariance":
        """Choose systems, in an order."""
        both = np.ix_(place, place)
        return Covariance(
            tuple(v[both] for v in self.one_way),
            None if self.two_way is None else self.two_way[both],
            self.freedom[place],
            self.doubt[place],
        )

    @property
    def all_ways(self) -> Iterator[np.ndarray]:
        """List the covariances, of which the largest variance counts."""
        yield from self.one_way
        if self.two_way is not None:
            yield self.two_way

    @property
    def of_scores(self) -> np.ndarray:
        """Variance of each score, (systems,)."""
        return np.max([np.diag(v) for v in self.all_ways], axis=0) + self.doubt

    @property
    def of_differences(self) -> np.ndarray:
        """Variance of the difference of each two scores: Equation 2."""
        variances = []
        for v in self.all_ways:
            own = np.diag(v)
            variances.append(own[:, None] + own - 2 * v)
        doubt = np.sqrt(self.doubt)  # of two of these it may be of the same votes
        return np.max(variances, axis=0) + (doubt[:, None] + doubt) ** 2


def covariance(data: Data, moves: Moves, units: Units) -> Covariance:
    """Compute Equations 1 and 2 by one kind of units, or two, or single judgements."""
    if isinstance(data, Counts) or not units.kinds:
        by_kind = [moves.of(None)]
    else:
        codes = codes_of(data, units.kinds)
        by_kind = [moves.of(each) for each in codes]
        if len(codes) == 2 and moves.most_units is None:
            judge, item = codes
            by_kind.append(moves.of(judge * (item.max(initial=0) + 1) + item))
    effective = np.min([each.effective for each in by_kind[:2]], axis=0)
    spreads = [(each.units - 1) / each.units * each.spread for each in by_kind]
    two_way = None
    if len(spreads) == 3:
        two_way = _without_negative(spreads[0] + spreads[1] - spreads[2])
    elif len(spreads) == 2:
        two_way = spreads[0] + spreads[1]
    doubt = moves.doubt(effective)
    return Covariance(tuple(spreads[:2]), two_way, effective - 1, doubt)


def _without_negative(matrix: np.ndarray) -> np.ndarray:
    """Put 0 for negative eigenvalues, which no covariance has; not of very many."""
    if len(matrix) > MOST_SYSTEMS:
        return matrix
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * values.clip(0)) @ vectors.T


# --- tests and sets -------------------------------------------------------------------


def p_of_pairs(scores: np.ndarray, spread: Covariance) -> np.ndarray:
    """Test every pair of systems by Equation 3: two-sided p, (systems, systems).

    NaN where one of the two was judged by one unit alone, and on the diagonal.
    """
    variance = spread.of_differences.clip(LEAST_VARIANCE)
    t = np.abs(scores[:, None] - scores) / np.sqrt(variance)
    freedom = np.minimum(spread.freedom[:, None], spread.freedom)
    tested = freedom > LEAST_FREEDOM
    np.fill_diagonal(tested, False)
    p = 2 * scipy.special.stdtr(np.where(tested, freedom, 1.0), -t)
    return np.where(tested, p, np.nan)


def better_at_once(scores: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Find who is significantly better than whom, corrected by Holm.

    Returns
    -------
    ndarray of bool, (systems, systems)
        Whether the row's system is better than the column's.
    """
    pairs = np.triu_indices(len(scores), 1)
    apart = np.zeros(p.shape, dtype=bool)
    apart[pairs] = corrected(p[pairs], "holm") < ALPHA
    level = levels(scores)
    return (apart | apart.T) & (level[:, None] > level)


def score_intervals(
    scores: np.ndarray, spread: Covariance, bounds: tuple[float, float] | None
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the interval of each score by itself, by Student's t.

    Of a share it is Wilson's (1927), which stays within its `bounds`; the share won of
    a system that won all is known from as many votes as there are units.
    """
    variance = spread.of_scores
    t = t_of_interval(spread.freedom)
    if bounds is None:
        half = t * np.sqrt(variance)
        low, high = scores - half, scores + half
    else:
        least, most = bounds
        width = most - least
        share = (scores - least) / width
        # p with |share - p| = t sqrt(p (1 - p) / n), n votes of this variance
        votes = spread.freedom + 1
        at_end = (share <= 1e-9) | (share >= 1 - 1e-9)
        inside = ~at_end & (variance > 0)
        own = share * (1 - share) * width**2
        votes = np.divide(own, variance, out=votes, where=inside)
        weight = t**2 / votes
        centre = (share + weight / 2) / (1 + weight)
        half = np.sqrt(weight * (share * (1 - share) + weight / 4)) / (1 + weight)
        low = least + width * (centre - half)
        high = least + width * (centre + half)
    return np.minimum(low, scores), np.maximum(high, scores)


def t_of_interval(freedom: np.ndarray) -> np.ndarray:
    """Find standard errors to the end of an interval; NaN without any freedom."""
    known = freedom > LEAST_FREEDOM
    t = -scipy.special.stdtrit(np.where(known, freedom, 1.0), (1 - COVERAGE) / 2)
    return np.where(known, t, np.nan)


# --- the result -----------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class RankSets(TabledSystems):
    """A ranking, with sets of ranks that hold at once.

    Attributes
    ----------
    ranking : Ranking
    units : Units
        The kinds of units that were left out.
    table : DataFrame
        Best first: system, rank, score, rank_low, rank_high (the ranks that the system
        may have; the sets of all systems hold at once in 95 of 100 rankings),
        score_low, score_high (95 % interval of this score alone), cluster (1 = best: a
        line is drawn where the sets above and below do not overlap). Ends are missing
        where nothing is known: of mfas, and of a system judged by one unit alone.
    pairs : DataFrame
        Each pair once: above, below, neighbours, difference (of the scores), error (its
        standard error), p (of the pair alone), corrected (by Benjamini and Hochberg
        1995: of the pairs with a value below .05, at most 5 % are wrong on average) and
        apart (whether the sets tell them apart). Empty for mfas.
    covariance : Covariance or None
        Of the scores, in the order of the table; None for mfas.

    Examples
    --------
    >>> votes = {"a": "x", "b": [*"yz"] * 20, "outcome": "a", "judge": range(40)}
    >>> rank_sets(pd.DataFrame(votes), "soccer").may_be_first
    ['x']
    """

    ranking: Ranking
    units: Units
    table: pd.DataFrame
    pairs: pd.DataFrame
    covariance: Covariance | None

    @property
    def caption(self) -> str:
        """Return what the table shows, in a line."""
        by = " and ".join(f"{kind}s" for kind in self.units.kinds) or "judgements"
        return f"{self.ranking.method}, {by} left out in turn: sets of ranks"

    @property
    def is_known(self) -> bool:
        """Say if there are sets at all."""
        return bool(self.table["rank_low"].notna().any())

    def half_widths(self, name: str) -> np.ndarray:
        """Compute half of the interval of each score's difference to a system's."""
        spread = self.covariance
        assert spread is not None, "no sets are known"
        k = self.ranking.order.index(name)
        freedom = np.minimum(spread.freedom, spread.freedom[k])
        half = t_of_interval(freedom) * np.sqrt(spread.of_differences[k].clip(0))
        return np.where(np.arange(len(half)) == k, 0.0, half)

    @property
    def may_be_first(self) -> list[str]:
        """Names of the systems whose set holds the first rank, best first."""
        return self.table.loc[self.table["rank_low"] == 1, "system"].tolist()


def rank_sets(
    data: Any,
    method: str | None = None,
    *,
    unit: str | None = None,
    reference: str | None = None,
    seed: Seed = 0,
    time_limit: float | None = None,
    minimum: int = MINIMUM,
) -> RankSets:
    """Rank systems, and find the ranks that each of them may have, all at once.

    Parameters
    ----------
    data, method, reference, seed, time_limit, minimum
        As in `rank`.
    unit : str, optional
        One kind of units to leave out, such as judge or segment ("comparison": each by
        itself); by default the largest kind of judges and that of items, of which there
        are seven or more.

    Raises
    ------
    DataError
        What `rank` refuses, or a unit that the data do not name, or have fewer than
        seven of.

    Examples
    --------
    >>> votes = {"a": "x", "b": [*"yz"] * 20, "outcome": "a", "judge": range(40)}
    >>> result = rank_sets(pd.DataFrame(votes), "soccer")
    >>> result.table[["system", "rank_low", "rank_high"]].to_numpy().tolist()
    [['x', 1, 1], ['y', 2, 3], ['z', 2, 3]]
    """
    rows, chosen, judgements, lines = methods.without_thin(
        data, method, reference, minimum
    )
    ranking = methods.ranked(chosen, judgements, Settings(reference, seed, time_limit))
    note = "; ".join(filter(None, [ranking.note, *lines]))
    return sets_of(rows, replace(ranking, note=note), unit=unit, reference=reference)


def sets_of(
    data: Data,
    ranking: Ranking,
    *,
    unit: str | None = None,
    reference: str | None = None,
) -> RankSets:
    """Find the sets of a ranking; see `rank_sets`.

    Parameters
    ----------
    data : ComparisonRows, Counts or Campaign
        Without thin systems.
    """
    method = METHODS[ranking.method]
    if reference is not None and not method.reference_counts:
        data = data if isinstance(data, Campaign) else without(data, reference)
    units = usual_units(data) if unit is None else one_kind(data, unit)
    moves = method.moves(data)
    systems = pd.Index(data.systems, dtype=object)
    place = systems.get_indexer(ranking.order)
    table = ranking.table[["system", "rank", "score"]]
    size = len(table)
    names = ["rank_low", "rank_high", "score_low", "score_high"]  # of ends
    if moves is None or _takes_long(moves, units):
        table = table.assign(**dict.fromkeys(names, np.nan), cluster=1)
        pairs = _pairs_table(ranking.order[:0], np.empty(0), *np.empty((3, 0, 0)))
        return RankSets(ranking, units, _typed(table), pairs, None)
    spread = covariance(data, moves, units).among(place)
    scores = table["score"].to_numpy(float)
    p = p_of_pairs(scores, spread)
    if method.needs_workers or not isinstance(data, Campaign):
        group = groups_apart(data.counted)[place]
        p[group[:, None] != group] = np.nan  # nothing compares them
    better = better_at_once(scores, p)
    low = 1 + better.sum(axis=0)
    high = size - better.sum(axis=1)
    ends = score_intervals(scores, spread, method.bounds)
    table = table.assign(**dict(zip(names, (low, high, *ends), strict=True)))
    table["cluster"] = clusters_of_ranges(low, high)
    error = np.sqrt(spread.of_differences)
    pairs = _pairs_table(ranking.order, scores, error, p, better)
    return RankSets(ranking, units, _typed(table), pairs, spread)


def _takes_long(moves: Moves, units: Units) -> bool:
    """Say if leaving out units takes too many fits."""
    most = moves.most_units
    return most is not None and not 0 < max(units.numbers, default=0) < most


def _typed(table: pd.DataFrame) -> pd.DataFrame:
    """Order the columns, and make ranks whole numbers."""
    whole = dict.fromkeys(["rank_low", "rank_high", "cluster"], "Int64")
    return table[SET_COLUMNS].astype(whole)


def _pairs_table(
    order: list[str],
    scores: np.ndarray,
    error: np.ndarray,
    p: np.ndarray,
    better: np.ndarray,
) -> pd.DataFrame:
    """List every pair of an order, best first, with its test."""
    upper, lower = np.triu_indices(len(order), 1)
    names = np.array(order, dtype=object)
    return pd.DataFrame(
        {
            "above": names[upper],
            "below": names[lower],
            "neighbours": lower == upper + 1,
            "difference": scores[upper] - scores[lower],
            "error": error[upper, lower],
            "p": p[upper, lower],
            "corrected": corrected(p[upper, lower], "benjamini-hochberg"),
            "apart": better[upper, lower].astype(bool),
        }
    )
