"""Section 4: Pairwise Ranking as a Tournament (Lopez 2012), with Figures 2 and 3.

Algorithm 1 is the paper's own exact search, plain and slow.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import pandas as pd

from wmtlib.mfas import Certificate
from wmtlib.mfas import margins as margins_of


def figure_2() -> pd.DataFrame:
    """Make a tournament of which Equation 1 gives B 2/5 and C 2/4 (section 4).

    The weights of Figure 2 are in its image alone; these are *some* that fit the
    text.
    """
    wins = [[0, 3, 1, 1], [0, 0, 1, 1], [0, 0, 0, 2], [0, 0, 0, 0]]
    return pd.DataFrame(wins, index=[*"ABCD"], columns=[*"ABCD"])


def figure_3() -> pd.DataFrame:
    """Make a tournament with a cycle on E, F and G, as Figure 3 has one.

    The weights are ours: those of the image are not known.
    """
    wins = [[0, 3, 0], [0, 0, 2], [1, 0, 0]]
    return pd.DataFrame(wins, index=[*"EFG"], columns=[*"EFG"])


def proof(margins: pd.DataFrame, certificate: Certificate) -> pd.DataFrame:
    """Tabulate how often the cycles of a certificate use each edge.

    Returns
    -------
    DataFrame
        A row for each edge: its weight, how often each cycle uses it, and their sum
        (used). The last row counts the cycles; it has no weight.
    """
    names = [f"cycle {k}" for k, _ in enumerate(certificate.cycles, start=1)]
    times = [number for _, number in certificate.cycles]
    uses: dict[str, dict[str, Any]] = {}
    for name, (cycle, number) in zip(names, certificate.cycles, strict=True):
        for a, b in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
            edge = uses.setdefault(f"{a} → {b}", {"weight": margins.loc[a, b]})
            edge[name] = number
    table = pd.DataFrame.from_dict(uses, "index", columns=["weight", *names])
    table = table.fillna(0).astype(int).rename_axis("edge")
    table = table.assign(used=table[names].sum(axis=1)).astype({"weight": object})
    table.loc["sum"] = ["", *times, sum(times)]
    return table


class Step(NamedTuple):
    """A set of systems taken from the agenda of the search, and the cheapest way to it.

    Attributes
    ----------
    order : tuple of str
        The systems that are ranked so far, best first.
    cost : int
        Weight of the edges that lead into them from systems still to be placed.
    """

    order: tuple[str, ...]
    cost: int


def steps(wins: Any) -> Iterator[Step]:
    """Search by Dijkstra's algorithm over sets of systems ranked so far.

    Like the paper, it looks at the whole agenda for the least cost. Unlike what is
    printed, a set that was removed never returns to the agenda; it had its least cost
    already, and expanding it again would take time and change nothing. A set is a bit
    mask.

    Yields
    ------
    Step
        Every set that is taken from the agenda, in the order of cost; the last one is
        full.

    Examples
    --------
    >>> import pandas as pd
    >>> wins = pd.DataFrame([[0, 3], [1, 0]], index=[*"ab"], columns=[*"ab"])
    >>> [tuple(step) for step in steps(wins)]
    [((), 0), (('a',), 0), (('a', 'b'), 0)]
    """
    names, margin = margins_of(wins)
    weight = margin.clip(min=0).tolist()  # weight[u][v] of the edge u -> v
    everyone = (1 << len(names)) - 1
    cost = {0: 0}
    # The best order of each set. Sets of one cost leave in the order they came.
    agenda: dict[int, tuple[str, ...]] = {0: ()}
    # `ranked` is the set that was placed so far with the least cost.
    while (ranked := min(agenda, key=cost.__getitem__)) != everyone:
        order = agenda.pop(ranked)
        yield Step(order, cost[ranked])
        unranked = [v for v in range(len(names)) if not ranked >> v & 1]
        for v in unranked:
            grown = ranked | 1 << v
            d = cost[ranked] + sum(weight[u][v] for u in unranked)
            if d < cost.get(grown, math.inf):  # so of none that has left the agenda
                cost[grown] = d
                agenda[grown] = (*order, names[v])
    yield Step(agenda[everyone], cost[everyone])
