"""From rankings to pairwise comparisons and counts, and what a total order does to them.

Throughout, `wins.loc[a, b]` is how often a was judged better than b, and `ties` is symmetric.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from wmtlib.judgements.errors import DataError
from wmtlib.judgements.relative_rankings import UNRANKED


@dataclass(frozen=True)
class Counts:
    """Win and tie counts of one task.

    Attributes
    ----------
    wins : DataFrame, systems x systems
        `wins.loc[a, b]`: number of comparisons in which a was judged better than b.
    ties : DataFrame, systems x systems
        Symmetric: number of comparisons in which neither was preferred.

    Both are labelled by system name, in sorted order.
    """

    wins: pd.DataFrame
    ties: pd.DataFrame

    @property
    def systems(self) -> list[str]:
        """Names, sorted."""
        return list(self.wins.index)

    @property
    def comparisons(self) -> int:
        """Number of pairwise comparisons, ties included."""
        return int(self.wins.to_numpy().sum() + self.ties.to_numpy().sum() // 2)

    @property
    def margins(self) -> pd.DataFrame:
        """`wins - wins.T`: the edge weights of Lopez (2012), section 5, with their sign."""
        return self.wins - self.wins.T

    def without(self, *systems: str) -> "Counts":
        """The same counts with some systems left out; a name that is not there is no error."""
        kept = [s for s in self.systems if s not in systems]
        return Counts(self.wins.loc[kept, kept], self.ties.loc[kept, kept])


def comparisons(rankings: pd.DataFrame) -> pd.DataFrame:
    """All pairwise comparisons that rankings imply (Lopez 2012, section 2 and Figure 1).

    A ranking of k ranked outputs gives k(k-1)/2 comparisons; outputs whose rank was left blank
    give none. Every ranking counts, the repeated ones too.

    Parameters
    ----------
    rankings : DataFrame
        Columns `relative_rankings.RANKINGS`; rows of one ranking stand together.

    Returns
    -------
    DataFrame
        Columns `relative_rankings.COMPARISONS`; preference is 1 or 2 for the preferred system, 0
        for neither. system_1 stands before system_2 on the judge's screen.

    Raises
    ------
    DataError
        The rows of a ranking are scattered, or two rankings share a number.
    """
    ranked = rankings[rankings["rank"] != UNRANKED]
    ranking = ranked["ranking"].to_numpy()
    start = np.flatnonzero(np.diff(ranking, prepend=ranking[:1] - 1))
    if not (number := pd.Series(ranking[start])).is_unique:
        what = f"ranking {number[number.duplicated()].iloc[0]}"
        raise DataError(f"{what}: its rows are scattered, or two rankings share that number")
    size = np.diff(start, append=len(ranked))
    row = np.arange(len(ranked), dtype=np.int32)
    later = np.repeat(start + size, size).astype(np.int32) - row - 1  # partners yet to come
    # Row k is first in `later[k]` pairs; the seconds are the rows k + 1, k + 2, ...
    first = np.repeat(row, later)
    second = np.arange(len(first), dtype=np.int32)
    second -= np.repeat(np.cumsum(later, dtype=np.int32) - later - row - 1, later)
    rank, system = ranked["rank"].to_numpy(), ranked["system"].array
    sign = np.sign(rank[second] - rank[first])  # +1: the first has the lower, better rank
    return pd.DataFrame(
        {
            **{c: ranked[c].array[first] for c in ("task", "ranking", "segment", "judge")},
            "system_1": system[first],
            "system_2": system[second],
            "preference": np.array([0, 1, 2], dtype=np.int8)[sign],  # index -1 is the last
        },
        copy=False,
    )


def counts(comparisons: pd.DataFrame) -> Counts:
    """Win and tie counts of comparisons (columns system_1, system_2, preference).

    Raises
    ------
    DataError
        A preference outside 0, 1, 2, a missing name, or a system compared with itself.
    """
    names, (a, b) = shared_codes(comparisons["system_1"], comparisons["system_2"])
    preference = comparisons["preference"].to_numpy()
    if not ((preference == 0) | (preference == 1) | (preference == 2)).all():
        raise DataError("a preference is neither 0 (tie), 1 nor 2")
    if (a == b).any():
        raise DataError(f"system {names[a[a == b][0]]!r} is compared with itself")
    n = len(names)
    cells = np.bincount((preference.astype(np.intp) * n + a) * n + b, minlength=3 * n * n)
    tie, first, second = cells.reshape(3, n, n)
    return Counts(
        wins=pd.DataFrame(first + second.T, index=names, columns=names),
        ties=pd.DataFrame(tie + tie.T, index=names, columns=names),
    )


def shared_codes(*columns: pd.Series) -> tuple[list[str], list[np.ndarray]]:
    """Names that occur in any column, sorted, and each column as positions among them."""
    categories = [c.astype("category").cat for c in columns]
    names = set()
    for c in categories:
        if (c.codes < 0).any():
            raise DataError("a comparison lacks the name of a system")
        seen = np.bincount(c.codes, minlength=len(c.categories)) > 0
        names.update(c.categories[seen])
    place = {name: k for k, name in enumerate(sorted(names))}
    return [*place], [
        np.array([place.get(x, -1) for x in c.categories], dtype=np.int32)[c.codes]
        for c in categories
    ]


def agreement(comparisons: pd.DataFrame) -> tuple[float, int]:
    """How often two judges who compared the same two outputs agree.

    Parameters
    ----------
    comparisons : DataFrame
        Columns task, segment, judge, system_1, system_2, preference.

    Returns
    -------
    share : float
        Of all pairs of comparisons of the same two outputs by different judges, the share with the
        same preference.
    pairs : int
        How many pairs there are.
    """
    first, second = (comparisons[c].astype(str) for c in ("system_1", "system_2"))
    swapped = first > second
    outcome = np.where(
        swapped, np.array([0, 2, 1])[comparisons["preference"]], comparisons["preference"]
    )
    same = [comparisons["task"].astype(str), comparisons["segment"]]
    same += [first.where(~swapped, second), second.where(~swapped, first)]
    table = pd.DataFrame({"outputs": pd.MultiIndex.from_arrays(same).factorize()[0]})
    table["judge"], table["outcome"] = comparisons["judge"].astype(str).to_numpy(), outcome

    def pairs(*columns: str) -> int:
        size = table.groupby(["outputs", *columns]).size()
        return int((size * (size - 1) // 2).sum())

    # Pairs by different judges are all pairs less those by one judge; likewise those that agree.
    total = pairs() - pairs("judge")
    agreeing = pairs("outcome") - pairs("judge", "outcome")
    return (agreeing / total if total else float("nan")), total


def to_table(counts: Counts) -> pd.DataFrame:
    """One row per compared pair: system_1 < system_2, wins_1, wins_2, ties."""
    wins, ties = counts.wins.to_numpy(), counts.ties.to_numpy()
    a, b = np.nonzero(np.triu(wins + wins.T + ties, k=1))
    names = np.array(counts.systems, dtype=object)
    return pd.DataFrame(
        {
            "system_1": names[a],
            "system_2": names[b],
            "wins_1": wins[a, b],
            "wins_2": wins[b, a],
            "ties": ties[a, b],
        }
    )


def from_table(table: pd.DataFrame) -> Counts:
    """The inverse of `to_table`."""
    names, (a, b) = shared_codes(table["system_1"], table["system_2"])
    wins, ties = np.zeros((2, len(names), len(names)), dtype=np.int64)
    wins[a, b], wins[b, a] = table["wins_1"], table["wins_2"]
    ties[a, b] = ties[b, a] = table["ties"]
    return Counts(
        pd.DataFrame(wins, index=names, columns=names),
        pd.DataFrame(ties, index=names, columns=names),
    )


def expand(counts: Counts) -> pd.DataFrame:
    """Comparisons, one row each, that counts stand for: system_1, system_2, preference.

    system_1 < system_2 by name; which was shown first is not known.
    """
    table = to_table(counts).melt(["system_1", "system_2"], var_name="preference")
    table["preference"] = table["preference"].map({"ties": 0, "wins_1": 1, "wins_2": 2})
    rows = table.loc[table.index.repeat(table["value"]), ["system_1", "system_2", "preference"]]
    return rows.reset_index(drop=True)
