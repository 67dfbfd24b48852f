"""The one form of a ranking: systems, best first, with their ranks and scores."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
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
        mfas best_rank and worst_rank over all optimal orders, if they could be counted; z-score
        cluster, or raw, segments and judgements.
    note : str
        What must be said about this ranking on one line; "" if nothing.

    Examples
    --------
    >>> rank_by_score("share won", pd.Series({"x": 0.2, "y": 0.7})).order
    ['y', 'x']
    """

    method: str
    table: pd.DataFrame
    note: str = ""

    def _repr_html_(self) -> str:
        return captioned(f"{self.method}: {self.note}" if self.note else self.method, self.table)

    @property
    def order(self) -> list[str]:
        """Names, best first."""
        return self.table["system"].tolist()

    def column(self, name: str) -> pd.Series:
        """One column of the table, indexed by system."""
        return self.table.set_index("system")[name]


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
        Ranks; in order of the mean rank, then of the name. The last column, `range`, is the
        greatest rank less the least: where methods disagree.

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
    systems = {frozenset(ranking.order) for ranking in rankings}
    if len(systems) > 1:
        raise DataError("the rankings are of different systems; expected the same")
    table = pd.DataFrame({r.method: r.column("rank") for r in rankings}).sort_index()
    order = np.argsort(table.mean(axis=1).round(TIED_DIGITS).to_numpy(), kind="stable")
    table = table.iloc[order]
    return table.assign(range=table.max(axis=1) - table.min(axis=1))
