"""Exact minimum feedback arc set rankings: ours beside Algorithm 1, igraph and HiGHS.

    python benchmarks/mfas.py [--json FILE] [--seeds N] [--first-seed K] [--limit S]
                              [--kinds KIND ...] [--ways WAY ...] [--plain-crowd]

All in one run on one machine, so that the ratios mean something. First the real tasks
of WMT10-12 from the embedded counts; every way must find the same cost, and timings are
medians of several passes. Then generated instances (`KINDS`), N seeds from K of each,
every way in a process of its own that is stopped after S seconds:

- input-output tables of a made-up economy: sectors have lognormal supply and demand, a
  flow is their product times lognormal noise, and some flows are zero; weights spread
  over five decades;
- the same with little noise and no zeros, n = 75, weights to 10**5;
- large skewed weights: noise as large as the spread of the sectors;
- tournaments: strengths uniform over an interval, 3 to 15 comparisons a pair, each won
  with the probability of the Bradley-Terry model; a smaller spread of strengths is more
  noise;
- the squares modulo 19: i beats j where i - j is a square, by one (seed 0), or by four
  or five.

None of them is a real instance: the collections (Stanford GraphBase, LOLIB) are not at
hand.
"""

import argparse
import heapq
import json
import math
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import mfas_peers
import numpy as np
import pandas as pd

from study.data import ranking_releases
from study.lopez2012.section_4 import steps
from wmtlib import mfas

PASSES = 7


def economy(
    n: int, spread: float, noise: float, empty: float, typical: float, seed: int
) -> pd.DataFrame:
    """Flows between `n` sectors; `empty`: share of zeros; `typical`: median flow."""
    rng = np.random.default_rng(seed)
    supply, demand = rng.normal(0, spread, (2, n))
    flow = typical * np.exp(supply[:, None] + demand + rng.normal(0, noise, (n, n)))
    flow[rng.random((n, n)) < empty] = 0
    np.fill_diagonal(flow, 0)
    names = [f"s{k:03d}" for k in range(n)]
    return pd.DataFrame(np.rint(flow).astype(int), index=names, columns=names)


def real_tasks(*, crowd: bool) -> list[pd.DataFrame]:
    """Wins of every task of WMT10-12 by experts or the crowd, without the reference."""
    tasks = ranking_releases.tasks("embedded")
    tasks = tasks[tasks["campaign"].str.endswith("-crowd") == crowd]
    rows = tasks[["campaign", "task"]].itertuples(index=False)
    return [
        ranking_releases.load_counts(*row, source="embedded").without("_ref").wins
        for row in rows
    ]


def tournament(n: int, spread: float, seed: int) -> pd.DataFrame:
    """Judgements of `n` systems of random strength."""
    rng = np.random.default_rng(seed)
    strength = rng.uniform(0, spread, n)
    times = np.triu(rng.integers(3, 16, (n, n)), 1)
    upper = rng.binomial(times, 1 / (1 + np.exp(strength - strength[:, None])))
    names = [f"s{k:03d}" for k in range(n)]
    return pd.DataFrame(upper + (times - upper).T, index=names, columns=names)


def squares(prime: int, seed: int) -> pd.DataFrame:
    """Each pair is decided, and no system is better than another."""
    beats = [k * k % prime for k in range(1, prime)]
    wins = np.isin(np.subtract.outer(range(prime), range(prime)) % prime, beats).astype(
        int
    )
    if seed:
        wins *= np.random.default_rng(seed).integers(4, 6, wins.shape)
    names = [f"s{k:03d}" for k in range(prime)]
    return pd.DataFrame(wins, index=names, columns=names)


KINDS = {
    "squares, n = 19": lambda seed: squares(19, seed),
    "input-output, n = 44": lambda seed: economy(44, 1.5, 1.5, 0.4, 50, seed),
    "input-output, n = 60": lambda seed: economy(60, 1.5, 1.5, 0.4, 50, seed),
    "input-output, n = 79": lambda seed: economy(79, 1.5, 1.5, 0.4, 50, seed),
    "little noise, n = 75": lambda seed: economy(75, 1.0, 0.5, 0.0, 300, seed),
    "skewed weights, n = 75": lambda seed: economy(75, 1.2, 0.8, 0.0, 300, seed),
    "tournament, n = 40, 7 %": lambda seed: tournament(40, 2, seed),
    "tournament, n = 80, 4 %": lambda seed: tournament(80, 3, seed),
    "tournament, n = 80, 8 %": lambda seed: tournament(80, 2, seed),
    "tournament, n = 100, 3 %": lambda seed: tournament(100, 4, seed),
    "tournament, n = 100, 5 %": lambda seed: tournament(100, 3, seed),
}


def noise(wins: pd.DataFrame, cost: int) -> float:
    """Share of the summed margins that the order contradicts."""
    return cost / ((wins - wins.T).abs().to_numpy().sum() / 2)


def heap_cost(wins: pd.DataFrame) -> int:
    """Algorithm 1 with a binary heap as the agenda, a fairer peer than the plain."""
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
    result = mfas.exact_order(wins)
    _ = (
        result.optimal_orders,
        result.rank_ranges,
        result.agreed,
    )  # computed when asked for
    return result.cost


def timed(
    function: Callable, tasks: list[pd.DataFrame], passes: int
) -> tuple[float, list[int]]:
    """Median CPU seconds for all tasks, and the answers."""
    seconds = []
    for _ in range(passes):
        start = time.process_time()
        answers = [function(wins) for wins in tasks]
        seconds.append(time.process_time() - start)
    return statistics.median(seconds), answers


def compare_real(title: str, tasks: list[pd.DataFrame], *, plain: bool) -> list[dict]:
    """Every way over all tasks; costs must agree, and the certificates close."""
    ways = {
        "wmtlib, order with proof": (lambda wins: mfas.exact_order(wins).cost, PASSES),
        "wmtlib, and all optima": (analysed, PASSES),
        "igraph, exact": (lambda wins: mfas_peers.igraph(wins, math.inf)[0], PASSES),
        "Algorithm 1, with a heap": (heap_cost, 1),
    }
    if plain:
        ways["Algorithm 1, plain"] = (lambda wins: [*steps(wins)][-1].cost, 1)
    rows, expected = [], [mfas.exact_order(wins).cost for wins in tasks]
    for way, (function, passes) in ways.items():
        print(f"running {way} ...", file=sys.stderr)
        seconds, answers = timed(function, tasks, passes)
        if answers != expected:
            raise AssertionError(f"{way} finds other costs")
        rows.append({"tasks": title, "way": way, "seconds": seconds})
    results = [mfas.exact_order(wins) for wins in tasks]
    proven = sum(
        mfas.check_certificate(w, r.certificate) == r.cost
        for w, r in zip(tasks, results, strict=True)
    )
    print(f"\n{title}: {len(tasks)} tasks, total cost {sum(expected)},", end=" ")
    print(
        f"{proven} proven by the certificate alone\n\n"
        f"{'':28}{'seconds':>10}{'ratio':>10}"
    )
    for row in rows:
        row["ratio"] = row["seconds"] / rows[0]["seconds"]
        print(f"{row['way']:28}{row['seconds']:10.4f}{row['ratio']:10.1f}")
    return rows


def compare_generated(
    kinds: list[str], ways: list[str], seeds: range, limit: float
) -> list[dict]:
    """Every way on every instance; proven costs must agree, no bound exceed a cost."""
    print(
        f"\ngenerated instances, at most {limit:.0f} s each; CPU seconds,"
        " - is not done\n"
    )
    print(f"{'':28}{'noise':>7}{'gap':>6}" + "".join(f"{way:>21}" for way in ways))
    rows = []
    for kind in kinds:
        for seed in seeds:
            wins = KINDS[kind](seed)
            found = {way: mfas_peers.with_limit(way, wins, limit) for way in ways}
            proven = {a.cost for a in found.values() if a and a.cost == a.bound}
            mine = found.get("wmtlib")
            if len(proven) > 1 or (
                mine and not all(mine.bound <= c <= mine.cost for c in proven)
            ):
                raise AssertionError(
                    f"the ways disagree on {kind}, seed {seed}: {found}"
                )
            seconds = {way: a and a.seconds for way, a in found.items()}
            row = {
                "kind": kind,
                "seed": seed,
                "gap": mine and mine.cost - mine.bound,
                **seconds,
            }
            row["noise"] = mine and round(noise(wins, mine.cost), 4)
            rows.append(row)
            shown = "".join(
                f"{'-' if s is None else f'{s:.2f}':>21}" for s in seconds.values()
            )
            print(
                f"{kind:28}{row['noise'] or 0:7.1%}{row['gap']!s:>6}{shown}", flush=True
            )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument(
        "--plain-crowd",
        action="store_true",
        help="plain Algorithm 1 on the crowd's: minutes",
    )
    parser.add_argument(
        "--generated-only", action="store_true", help="leave out the real tasks"
    )
    parser.add_argument("--seeds", type=int, default=1, help="instances of each kind")
    parser.add_argument("--first-seed", type=int, default=0, metavar="K")
    parser.add_argument(
        "--limit", type=float, default=60.0, help="seconds for each way"
    )
    parser.add_argument(
        "--kinds", nargs="*", default=[*KINDS], choices=KINDS, metavar="KIND"
    )
    every_way = [*mfas_peers.WAYS]
    parser.add_argument(
        "--ways", nargs="*", default=every_way, choices=every_way, metavar="WAY"
    )
    options = parser.parse_args()
    real = []
    if not options.generated_only:
        real += compare_real("WMT10-12", real_tasks(crowd=False), plain=True)
        real += compare_real(
            "WMT10 crowd", real_tasks(crowd=True), plain=options.plain_crowd
        )
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    report = {
        "real": real,
        "generated": compare_generated(
            options.kinds, options.ways, seeds, options.limit
        ),
    }
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
