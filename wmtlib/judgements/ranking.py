"""The one form of a ranking: systems, best first, with their ranks and scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from wmtlib.judgements.errors import DataError
from wmtlib.judgements.html import captioned

TIED_DIGITS = 12  # scores that agree to this many decimals are tied


@dataclass(frozen=True, eq=False)
class Ranking:
    """Systems in order, best first.

    Attributes
    ----------
    method : str
        Name of the method.
    table : DataFrame
        Columns system, rank (1 = best; tied systems share the best rank of their group and are
        listed by name) and score (NaN if the method has none); best first. Some methods add more:
        mfas best_rank and worst_rank over all optimal orders, NaN if they are not known.
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

    def _repr_html_(self) -> str:
        return captioned(f"{self.method}: {self.note}" if self.note else self.method, self.table)

    @property
    def order(self) -> list[str]:
        """Names, best first."""
        return self.table["system"].tolist()

    def column(self, name: str) -> pd.Series:
        """One column of the table, indexed by system."""
        return self.table.set_index("system")[name]

    @property
    def rank_ranges(self) -> pd.DataFrame:
        """The ranks that the method leaves open, of every system: columns best and worst.

        Tied systems share all ranks of their group. NaN where the ranks are not known.
        """
        if "best_rank" in self.table:
            ranges = self.table.set_index("system")[["best_rank", "worst_rank"]]
            return ranges.set_axis(["best", "worst"], axis=1).astype(float)
        best = self.column("rank")
        return pd.DataFrame({"best": best, "worst": best + best.map(best.value_counts()) - 1})


def rank_by_score(method: str, scores: pd.Series, *, note: str = "") -> Ranking:
    """Rank systems by their scores, higher = better.

    Parameters
    ----------
    method, note : str
        As in `Ranking`.
    scores : Series
        Indexed by system; scores that agree to `TIED_DIGITS` decimals are tied.
    """
    scores = scores.sort_index()
    rank = scores.round(TIED_DIGITS).rank(method="min", ascending=False).astype(int)
    table = pd.DataFrame({"system": scores.index, "rank": rank.array, "score": scores.array})
    return Ranking(method, table.sort_values(["rank", "system"], ignore_index=True), note)


def side_by_side(rankings: Sequence[Ranking]) -> pd.DataFrame:
    """Ranks by several methods.

    Returns
    -------
    DataFrame, systems x methods
        In the order of the first ranking; cells as in `rank_words`. The last column, `range`, says
        by how many ranks the methods disagree: the greatest best rank less the least worst rank, 0
        if some rank suits them all; what is not known is no disagreement.

    Raises
    ------
    DataError
        No ranking, a method twice, or rankings of different systems.
    """
    if not rankings:
        raise DataError("no rankings to set side by side; expected one or more")
    names = [ranking.method for ranking in rankings]
    if twice := [name for name in names if names.count(name) > 1]:
        raise DataError(f"method {twice[0]!r} stands twice; expected each once")
    order = rankings[0].order
    if any(set(ranking.order) != set(order) for ranking in rankings):
        raise DataError("the rankings are of different systems; expected the same")
    ranges = [ranking.rank_ranges.loc[order] for ranking in rankings]
    best, worst = (pd.concat([r[end] for r in ranges], axis=1) for end in ("best", "worst"))
    table = pd.DataFrame({r.method: rank_words(r)[order] for r in rankings})
    apart = (best.max(axis=1) - worst.min(axis=1)).fillna(0).clip(lower=0).astype(int)
    return table.assign(range=apart)


def rank_words(ranking: Ranking) -> pd.Series:
    """Ranks as text, by system: "3", "3–5" for what is left open, "~3" if that is not known."""
    ranges, words = ranking.rank_ranges, {}
    for name, rank in ranking.column("rank").items():
        best, worst = ranges.loc[name]
        words[name] = f"~{rank}" if pd.isna(best) else str(rank)
        if not pd.isna(best) and worst > best:
            words[name] = f"{best:.0f}–{worst:.0f}"
    return pd.Series(words)
