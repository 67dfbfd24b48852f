"""Lopez (2012), Algorithm 1: the paper's own exact search, plain and slow."""

from __future__ import annotations

import math

import pandas as pd

from wmtlib.tournament.margins import margins


def algorithm1(wins: pd.DataFrame) -> tuple[tuple[str, ...], int]:
    """Lopez (2012), Algorithm 1: Dijkstra's algorithm over sets of systems ranked so far.

    The reference that `mfas.solve` is tested against: like the paper, it looks at the whole agenda
    for the least cost. Unlike what is printed, a set that was removed never returns to the agenda;
    it had its least cost already, and expanding it again would take time and change nothing. A set
    is a bit mask.

    Returns
    -------
    (order, cost)
        An optimal order, best first, not always the one that `solve` chooses; and its cost.
    """
    names, margin = margins(wins)
    weight = margin.clip(min=0).tolist()  # weight[u][v] of the edge u -> v
    everyone = (1 << len(names)) - 1
    cost, last, done = {0: 0}, {}, set()
    agenda = {0: None}  # a dict, because sets of one cost leave it in the order they came
    # `ranked` is the set that was placed so far with the least cost.
    while (ranked := min(agenda, key=cost.__getitem__)) != everyone:
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
    # Back from the full set: the system that was placed last, then the one before it.
    order: list[str] = []
    while ranked:
        order.insert(0, names[last[ranked]])
        ranked ^= 1 << last[ranked]
    return tuple(order), cost[everyone]
