"""Lopez (2012), Algorithm 1: the paper's own exact search, plain and slow."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from wmtlib.tournament.margins import margins


class Step(NamedTuple):
    """A set of systems that the search takes from its agenda, and the cheapest way to it.

    Attributes
    ----------
    order : tuple of str
        The systems that are ranked so far, best first.
    cost : int
        Weight of the edges that lead into them from systems still to be placed.
    """

    order: tuple[str, ...]
    cost: int


def algorithm1(wins: pd.DataFrame) -> Step:
    """An optimal order, not always the one that `mfas.solve` chooses, and its cost.

    The reference that `mfas.solve` is tested against.
    """
    return deque(steps(wins), maxlen=1).pop()


def steps(wins: pd.DataFrame) -> Iterator[Step]:
    """Lopez (2012), Algorithm 1: Dijkstra's algorithm over sets of systems ranked so far.

    Like the paper, it looks at the whole agenda for the least cost. Unlike what is printed, a set
    that was removed never returns to the agenda; it had its least cost already, and expanding it
    again would take time and change nothing. A set is a bit mask.

    Yields
    ------
    Step
        Every set that is taken from the agenda, in the order of cost; the last one is full.

    Examples
    --------
    >>> wins = pd.DataFrame([[0, 3], [1, 0]], index=[*"ab"], columns=[*"ab"])
    >>> [tuple(step) for step in steps(wins)]
    [((), 0), (('a',), 0), (('a', 'b'), 0)]
    """
    names, margin = margins(wins)
    weight = margin.clip(min=0).tolist()  # weight[u][v] of the edge u -> v
    everyone = (1 << len(names)) - 1
    cost, last, done = {0: 0}, {}, set()
    agenda = {0: None}  # a dict, because sets of one cost leave it in the order they came

    def order(ranked: int) -> tuple[str, ...]:
        """The system that was placed last, then the one before it, and so on, turned round."""
        placed = []
        while ranked:
            placed.append(names[last[ranked]])
            ranked ^= 1 << last[ranked]
        return tuple(placed[::-1])

    # `ranked` is the set that was placed so far with the least cost.
    while (ranked := min(agenda, key=cost.__getitem__)) != everyone:
        yield Step(order(ranked), cost[ranked])
        del agenda[ranked]
        done.add(ranked)
        unranked = [v for v in range(len(names)) if not ranked >> v & 1]
        for v in unranked:
            grown = ranked | 1 << v
            if grown in done:
                continue
            agenda[grown] = None
            d = cost[ranked] + sum(weight[u][v] for u in unranked)
            if d < cost.get(grown, math.inf):
                cost[grown], last[grown] = d, v
    yield Step(order(everyone), cost[everyone])
