"""Edges of the tournament that a total order of the systems violates (Lopez 2012)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd


def violated(order: Sequence[str], wins: pd.DataFrame) -> pd.DataFrame:
    """Edges of the tournament that an order reverses (Lopez 2012, Tables 3 and 4).

    Parameters
    ----------
    order : sequence of names, best first
    wins : DataFrame, systems x systems, over the same names

    Returns
    -------
    DataFrame
        Columns winner, loser, weight: the winner beat the loser by `weight` judgements but stands
        below it. Ordered by the winner's, then the loser's place.

    Raises
    ------
    ValueError
        If order is not a permutation of the systems.

    Examples
    --------
    >>> wins = pd.DataFrame([[0, 3], [1, 0]], index=[*"ab"], columns=[*"ab"])
    >>> violated(["b", "a"], wins).to_numpy().tolist()
    [['a', 'b', 2]]
    """
    if sorted(order) != sorted(wins.index):
        odd = sorted(set(order) ^ set(wins.index)) or ["a system named twice"]
        raise ValueError(f"the order is not a permutation of the systems: {', '.join(odd)}")
    margin = wins.loc[[*order], [*order]].to_numpy()
    margin = margin - margin.T
    lower, upper = np.nonzero(np.tril(margin > 0))
    names = np.array([*order], dtype=object)
    return pd.DataFrame(
        {"winner": names[lower], "loser": names[upper], "weight": margin[lower, upper]}
    )


def violated_weight(order: Sequence[str], wins: pd.DataFrame) -> int:
    """Summed weight of the reversed edges: what a minimum feedback arc set minimises."""
    return int(violated(order, wins)["weight"].sum())


def spearman(order: Sequence[str], other: Sequence[str]) -> float:
    """Spearman's rank correlation of two total orders of the same systems (no ties)."""
    place = {name: k for k, name in enumerate(other)}
    return float(np.corrcoef(range(len(order)), [place[name] for name in order])[0, 1])
