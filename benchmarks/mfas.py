"""Exact minimum feedback arc set rankings: ours beside Algorithm 1 and beside igraph.

    python benchmarks/mfas.py [--json FILE] [--seeds N] [--plain-crowd]

All in one run on one machine, so that the ratios mean something. First the real tasks of WMT10-12
from the embedded counts; every way must find the same cost. Then noisy synthetic tournaments:
strengths uniform over an interval, 3 to 15 comparisons a pair, each won with the probability of the
Bradley-Terry model; a smaller spread of strengths is more noise. igraph solves those in a process
of its own that is stopped after a while. Timings of the real tasks are medians of several passes.
"""

import argparse
import heapq
import json
import math
import multiprocessing
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import igraph
import numpy as np
import pandas as pd

from wmtlib.releases import ranking_releases
from wmtlib.tournament import algorithm1, mfas

PASSES = 7
SIZES = (30, 40, 60, 80, 100)
SPREADS = (2, 3, 4, 6, 10)
OUR_LIMIT = 20.0
IGRAPH_LIMIT = 20.0
IGRAPH_SIZES = (30, 40)


def real_tasks(*, crowd: bool) -> list[pd.DataFrame]:
    """Wins of every task of WMT10-12 by experts or by the crowd, the human reference removed."""
    tasks = ranking_releases.tasks("embedded")
    tasks = tasks[tasks["campaign"].str.endswith("-crowd") == crowd]
    rows = tasks[["campaign", "task"]].itertuples(index=False)
    return [
        ranking_releases.load_counts(*row, source="embedded").without("_ref").wins for row in rows
    ]


def tournament(n: int, spread: float, seed: int) -> pd.DataFrame:
    """Judgements of `n` systems of random strength."""
    rng = np.random.default_rng(seed)
    strength = rng.uniform(0, spread, n)
    times = np.triu(rng.integers(3, 16, (n, n)), 1)
    upper = rng.binomial(times, 1 / (1 + np.exp(strength - strength[:, None])))
    names = [f"s{k:03d}" for k in range(n)]
    return pd.DataFrame(upper + (times - upper).T, index=names, columns=names)


def noise(wins: pd.DataFrame, cost: int) -> float:
    """Share of the summed margins that the order contradicts."""
    return cost / ((wins - wins.T).abs().to_numpy().sum() / 2)


def igraph_cost(wins: pd.DataFrame) -> int:
    margin = (wins - wins.T).to_numpy()
    edges = np.argwhere(margin > 0)
    weights = margin[tuple(edges.T)].tolist()
    graph = igraph.Graph(len(wins), edges.tolist(), directed=True)
    return sum(weights[edge] for edge in graph.feedback_arc_set(weights=weights, method="ip"))


def heap_cost(wins: pd.DataFrame) -> int:
    """Algorithm 1 with a binary heap for the agenda, a fairer peer than the plain one."""
    weight = (wins - wins.T).clip(lower=0).to_numpy().tolist()
    everyone = (1 << len(weight)) - 1
    cost, done, agenda = {0: 0}, set(), [(0, 0)]
    while (top := heapq.heappop(agenda))[1] != everyone:
        reached, ranked = top
        if ranked in done:
            continue
        done.add(ranked)
        unranked = [v for v in range(len(weight)) if not ranked >> v & 1]
        for v in unranked:
            d, grown = reached + sum(weight[u][v] for u in unranked), ranked | 1 << v
            if d < cost.get(grown, math.inf):
                cost[grown] = d
                heapq.heappush(agenda, (d, grown))
    return top[0]


def analysed(wins: pd.DataFrame) -> int:
    """Solve, count the optima, and derive rank ranges and agreed pairs."""
    result = mfas.solve(wins)
    _ = result.optimal_orders, result.rank_ranges, result.agreed  # computed when asked for
    return result.cost


def timed(function: Callable, tasks: list[pd.DataFrame], passes: int) -> tuple[float, list[int]]:
    """Median seconds for all tasks, and the answers."""
    seconds = []
    for _ in range(passes):
        start = time.perf_counter()
        answers = [function(wins) for wins in tasks]
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), answers


def igraph_child(wins: pd.DataFrame, answer: multiprocessing.SimpleQueue) -> None:
    start = time.perf_counter()
    cost = igraph_cost(wins)
    answer.put((time.perf_counter() - start, cost))


def with_limit(wins: pd.DataFrame, limit: float) -> tuple[float, int] | None:
    """Seconds and cost of igraph in a process of its own, None if not done within the limit."""
    context = multiprocessing.get_context("spawn")
    answer = context.SimpleQueue()
    process = context.Process(target=igraph_child, args=(wins, answer))
    process.start()
    process.join(limit + 3)  # it has to import first
    if process.is_alive():
        process.kill()
        process.join()
    return None if answer.empty() else answer.get()


def compare_real(title: str, tasks: list[pd.DataFrame], *, plain: bool) -> list[dict]:
    """Every way over all tasks; they must find the same costs, and the certificates must close."""
    ways = {
        "wmtlib, solve with proof": (lambda wins: mfas.solve(wins).cost, PASSES),
        "wmtlib, and all optima": (analysed, PASSES),
        "igraph, exact": (igraph_cost, PASSES),
        "Algorithm 1, with a heap": (heap_cost, 1),
    }
    if plain:
        ways["Algorithm 1, plain"] = (lambda wins: algorithm1.algorithm1(wins)[1], 1)
    rows, expected = [], [mfas.solve(wins).cost for wins in tasks]
    for way, (function, passes) in ways.items():
        print(f"running {way} ...", file=sys.stderr)
        seconds, answers = timed(function, tasks, passes)
        if answers != expected:
            raise AssertionError(f"{way} finds other costs")
        rows.append({"tasks": title, "way": way, "seconds": seconds})
    results = [mfas.solve(wins) for wins in tasks]
    proven = sum(
        mfas.check(w, r.certificate) == r.cost for w, r in zip(tasks, results, strict=True)
    )
    print(f"\n{title}: {len(tasks)} tasks, total cost {sum(expected)},", end=" ")
    print(f"{proven} proven by the certificate alone\n\n{'':28}{'seconds':>10}{'ratio':>10}")
    for row in rows:
        row["ratio"] = row["seconds"] / rows[0]["seconds"]
        print(f"{row['way']:28}{row['seconds']:10.4f}{row['ratio']:10.1f}")
    return rows


def climb(seeds: int) -> list[dict]:
    print(f"\nsynthetic tournaments, {seeds} seeds each, at most {OUR_LIMIT:.0f} s each")
    print(f"igraph: median of those done within {IGRAPH_LIMIT:.0f} s, and how many\n")
    head = ("n", "spread", "noise", "proven", "by cycles", "median s", "worst s", "gap", "igraph s")
    print("".join(f" {title:>11}" for title in head))
    rows = []
    for n in SIZES:
        for spread in SPREADS:
            tasks = [tournament(n, spread, seed) for seed in range(seeds)]
            rows.append(rung(n, spread, tasks))
            print("".join(f" {cell:>11}" for cell in rows[-1].values()), flush=True)
    return rows


def rung(n: int, spread: float, tasks: list[pd.DataFrame]) -> dict:
    seconds, results = [], []
    for wins in tasks:
        start = time.perf_counter()
        results.append(mfas.solve(wins, time_limit=OUR_LIMIT))
        seconds.append(time.perf_counter() - start)
    peer = "-"
    if n in IGRAPH_SIZES:
        peers = [with_limit(wins, IGRAPH_LIMIT) for wins in tasks]
        if any(p and p[1] != r.cost for p, r in zip(peers, results, strict=True) if r.optimal):
            raise AssertionError(f"igraph finds another cost at n = {n}, spread {spread}")
        done = [p[0] for p in peers if p]
        peer = f"{statistics.median(done):.2f} " if done else ""
        peer += f"({len(done)}/{len(tasks)})"
    shares = [noise(w, r.cost) for w, r in zip(tasks, results, strict=True)]
    return {
        "n": n,
        "spread": spread,
        "noise": f"{statistics.median(shares):.1%}",
        "proven": f"{sum(r.optimal for r in results)}/{len(results)}",
        "by_cycles": sum(r.proof == "certificate" for r in results),
        "median": f"{statistics.median(seconds):.3f}",
        "worst": f"{max(seconds):.3f}",
        "gap": max(r.cost - r.lower_bound for r in results),
        "igraph": peer,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument(
        "--plain-crowd", action="store_true", help="plain Algorithm 1 on the crowd's: minutes"
    )
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    report = {
        "real": compare_real("WMT10-12", real_tasks(crowd=False), plain=True)
        + compare_real("WMT10 crowd", real_tasks(crowd=True), plain=options.plain_crowd),
        "synthetic": climb(options.seeds),
    }
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
