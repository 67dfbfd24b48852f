"""The one form of a ranking: systems, best first, with their ranks and scores."""

from dataclasses import dataclass

import pandas as pd

DIGITS = 12  # scores that agree to this many decimals are tied


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
    """

    method: str
    table: pd.DataFrame
    note: str = ""

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
        Indexed by system; scores that agree to `DIGITS` decimals are tied.
    """
    scores = scores.sort_index()
    rank = scores.round(DIGITS).rank(method="min", ascending=False).astype(int)
    table = pd.DataFrame({"system": scores.index, "rank": rank.array, "score": scores.array})
    return Ranking(method, table.sort_values(["rank", "system"], ignore_index=True), note)
