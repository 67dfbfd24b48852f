"""Rankings: systems in order, which of them are tied, and how far two orders differ.

`levels` is the one place where scores become an order. `methods.rank` ranks judgements.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.core.errors import DataError
from wmtlib.core.html_tables import TabledSystems


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(TabledSystems):
    """Systems in order, best first.

    Attributes
    ----------
    method : str
        Name of the method.
    table : DataFrame
        Columns system, rank (1 = best; tied systems share the best rank of their group
        and are listed by name) and score (NaN if the method has none); best first. Some
        methods add more: mfas best_rank and worst_rank over all optimal orders, NaN if
        they are not known.
    note : str
        What must be said about this ranking on one line; "" if nothing.
    facts : mapping
        The same as data; of mfas violated_weight, lower_bound, optimal, optimal_orders.

    Examples
    --------
    >>> rank_by_score("share won", pd.Series({"x": 0.2, "y": 0.7})).order
    ['y', 'x']
    """

    method: str
    table: pd.DataFrame
    note: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def caption(self) -> str:
        """Return what the table shows, in a line."""
        return f"{self.method}: {self.note}" if self.note else self.method

    @property
    def order(self) -> list[str]:
        """Names, best first."""
        return self.table["system"].tolist()

    @property
    def scores(self) -> pd.Series:
        """Scores by system, best first; intervals of them are in a `bootstrap`."""
        return self.column("score")

    @property
    def ranks(self) -> pd.Series:
        """Ranks by system, best first; tied systems share the best of their group."""
        return self.column("rank")

    def column(self, name: str) -> pd.Series:
        """Return one column of the table, indexed by system."""
        return self.table.set_index("system")[name]

    def without(self, systems: Collection[str]) -> "Ranking":
        """Leave out systems; each other moves up by as many as were above it."""
        stays = self.table[~self.table["system"].isin([*systems])]
        rank = stays["rank"].rank(method="min").astype(int)
        table = stays.assign(rank=rank)
        if "best_rank" in stays:
            moved = rank - stays["rank"]
            table["best_rank"] = (stays["best_rank"] + moved).clip(lower=1)
            table["worst_rank"] = (stays["worst_rank"] + moved).clip(upper=len(stays))
        return replace(self, table=table.reset_index(drop=True))

    @property
    def rank_ranges(self) -> pd.DataFrame:
        """Ranks that the method leaves open, by system: columns best and worst.

        Tied systems share all ranks of their group. NaN where the ranks are not known.
        """
        if "best_rank" in self.table:
            ranges = self.table.set_index("system")[["best_rank", "worst_rank"]]
            return ranges.set_axis(["best", "worst"], axis=1).astype(float)
        best = self.ranks
        worst = best + best.map(best.value_counts()) - 1
        return pd.DataFrame({"best": best, "worst": worst})


def rank_by_score(method: str, scores: pd.Series, *, note: str = "") -> Ranking:
    """Rank systems by their scores, higher = better.

    Parameters
    ----------
    method, note : str
        As in `Ranking`.
    scores : Series
        Indexed by system; those that agree within `TOLERANCE` are tied.

    Raises
    ------
    DataError
        A system without a score: NaN.
    """
    scores = scores.sort_index()
    if scores.isna().any():
        name = scores.index[scores.isna()][0]
        raise DataError(f"system {name!r} has no comparison that this score counts")
    rank = pd.Series(levels(scores)).rank(method="min", ascending=False).astype(int)
    table = pd.DataFrame({"system": scores.index, "rank": rank, "score": scores.array})
    table = table.sort_values(["rank", "system"], ignore_index=True)
    return Ranking(method, table, note)


def side_by_side(rankings: Sequence[Ranking]) -> pd.DataFrame:
    """Compare the ranks of the same systems by several methods.

    Returns
    -------
    DataFrame, systems x methods
        In the order of the first ranking; cells as in `rank_words`. The last column,
        `range`, is the number of ranks by which the methods disagree: the greatest best
        rank less the least worst rank, 0 if some rank suits them all; what is not known
        is no disagreement.
    """
    order = rankings[0].order
    words = {ranking.method: rank_words(ranking)[order] for ranking in rankings}
    ends = pd.concat([ranking.rank_ranges.loc[order] for ranking in rankings], axis=1)
    apart = ends[["best"]].max(axis=1) - ends[["worst"]].min(axis=1)
    return pd.DataFrame(words).assign(range=apart.clip(lower=0).fillna(0).astype(int))


def rank_words(ranking: Ranking) -> pd.Series:
    """Write ranks as text: "3"; "3–5" is left open, "~3" if that is not known."""
    words = ranking.ranks.astype(str)
    for name, best, worst in ranking.rank_ranges.itertuples():
        if worst > best:
            words[name] = f"{best:.0f}–{worst:.0f}"
        elif pd.isna(worst):
            words[name] = "~" + words[name]
    return words


TOLERANCE = 1e-9  # scores this close, absolutely or for their size, are tied


def levels(scores: np.ndarray) -> np.ndarray:
    """Give scores (last axis) numbers from 0, tied ones the same; NaN stays.

    Systems are put in order by this function alone, in rankings and in every resample.
    The last bits of a score depend on the processor and on the order of a sum, so they
    decide no order.

    Examples
    --------
    >>> levels(np.array([0.3, 0.5, 0.1 + 0.2, np.nan])).tolist()
    [0.0, 1.0, 0.0, nan]
    """
    scores = np.asarray(scores)
    order = np.argsort(scores, axis=-1)
    numbers = np.zeros(scores.shape)
    ascending = np.take_along_axis(scores, order, axis=-1)
    above = np.diff(ascending) > TOLERANCE * np.maximum(1, np.abs(ascending[..., 1:]))
    level = np.insert(np.cumsum(above, axis=-1), 0, 0, axis=-1)
    np.put_along_axis(numbers, order, level, axis=-1)
    return np.where(np.isnan(scores), np.nan, numbers)


def clusters_of_ranges(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Give ordered systems their clusters: a line where no range of ranks crosses.

    Parameters
    ----------
    low, high : ndarray, (systems,)
        Ends of the range, or set, of ranks of each system, best first.

    Returns
    -------
    ndarray of int, (systems,)
        1 = best.

    Examples
    --------
    >>> clusters_of_ranges(np.array([1, 2, 2]), np.array([1, 3, 3])).tolist()
    [1, 2, 2]
    """
    highest_above = np.maximum.accumulate(high)[:-1]
    lowest_below = np.minimum.accumulate(low[::-1])[::-1][1:]
    is_new = np.zeros(len(low), dtype=int)
    is_new[1:] = highest_above < lowest_below
    return 1 + np.cumsum(is_new)


def pair_orders(scores: np.ndarray) -> np.ndarray:
    """Compare every pair of systems (last axis): 1, 0 (tied), -1; NaN: unranked."""
    scores = levels(scores)
    first, second = np.triu_indices(scores.shape[-1], 1)
    return np.sign(scores[..., first] - scores[..., second])


def reversed_pairs(before: np.ndarray, after: np.ndarray) -> int:
    """Count the pairs that another order has the other way round (Kendall distance).

    >>> reversed_pairs(np.array([2, 0, 1]), np.array([0, 1, 2]))
    2
    """
    moved = pd.Index(after).get_indexer(before)
    return int(np.triu(moved[:, None] > moved, 1).sum())
