"""IRT models: time of a fit beside a plain loop, and what an iteration is worth.

    python benchmarks/irt.py [number of comparisons, default 1600]

WMT11 English-Czech (the track of Figure 6) if the raw files are there, else a synthetic
competition of the same shape. The loop is the same Gibbs sampler as `irt.fit_gaussian`,
one variable at a time; it runs fewer iterations and is scaled to 200. It is no straw
man: it draws both observations of a comparison at once, and the normal quantile of the
standard library is compiled. Timings are the best of a few, all in one run.
Autocorrelation times are from long chains; ESS/s is what a second of sampling is worth,
`/ loop` how much more than a second of the loop, which mixes as plain does.
"""

import math
import random
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy import signal
from scipy.special import ndtr

from study.data import ranking_releases
from study.data.sources import ROOT
from study.hopkins2013 import irt
from study.hopkins2013.variants import fit_collapsed, fit_deterministic
from wmtlib.core import counts as relative_rankings
from wmtlib.core import errors

sys.path.insert(0, str(ROOT / "examples"))
import competitions

PASSES = 9
LOOP_ITERATIONS = 10
LONG = 20_000
SEED = 2013


def autocorrelation_time(chain: np.ndarray) -> float:
    """Estimate the integrated autocorrelation time of a chain of one quantity.

    In iterations: 1 + 2 Σ rho_k, summed over pairs rho_2m + rho_2m+1 until one is not
    positive (Geyer 1992, initial positive sequence). Not below 1, so an alternating
    chain gets no credit. A chain much shorter than the time itself cannot show it: the
    result is then too small.
    """
    if np.ptp(chain) == 0:
        return float(len(chain))  # it never moved: worth one draw
    centred = chain - chain.mean()
    covariance = signal.correlate(centred, centred)[len(chain) - 1 :]
    correlation = covariance / covariance[0]
    pairs = correlation[: len(chain) // 2 * 2].reshape(-1, 2).sum(axis=1)
    stop = np.append(pairs <= 0, True).argmax()
    return float(max(2 * pairs[:stop].sum() - 1, 1.0))


def track(size: int) -> tuple[str, pd.DataFrame]:
    try:
        rankings = ranking_releases.load_rankings("wmt11", source="mirror")
    except errors.DataUnavailable:
        settings, rng = irt.GaussianSettings(), np.random.default_rng(SEED)
        design = {"systems": 11, "segments": 480, "comparisons": size}
        data, _ = competitions.simulate(settings, rng, **design)
        return "synthetic", data
    data = relative_rankings.comparisons(
        rankings[rankings["task"] == "en-cs-individual"]
    )
    return "wmt11 en-cs", data.sample(min(size, len(data)), random_state=SEED)


def loop(
    data: pd.DataFrame, systems: list[str], iterations: int
) -> list[dict[str, float]]:
    """IRT-Gaussian at the paper's settings, as one would first write it in Python."""
    draw, normal = random.Random(SEED), statistics.NormalDist()
    rows = list(
        data[["segment", "system_1", "system_2", "preference"]].itertuples(index=False)
    )
    quality = {(r.segment, s): 0.0 for r in rows for s in (r.system_1, r.system_2)}
    ability = dict.fromkeys(systems, 0.0)
    kept = []
    for _ in range(iterations):
        seen = {item: [] for item in quality}
        for r in rows:
            one, two = (r.segment, r.system_1), (r.segment, r.system_2)
            apart = quality[one] - quality[two]
            scale = math.sqrt(2)
            low, high = {0: (-0.4, 0.4), 1: (0.4, math.inf), 2: (-math.inf, -0.4)}[
                r.preference
            ]
            below, above = (normal.cdf((x - apart) / scale) for x in (low, high))
            u = min(max(draw.uniform(below, above), 1e-15), 1 - 1e-15)
            difference = apart + scale * normal.inv_cdf(u)
            total = draw.gauss(quality[one] + quality[two], scale)
            seen[one].append((total + difference) / 2)
            seen[two].append((total - difference) / 2)
        for item, observed in seen.items():
            precision = 4 + len(observed)
            mean = (4 * ability[item[1]] + sum(observed)) / precision
            quality[item] = draw.gauss(mean, precision**-0.5)
        by_system = {s: [] for s in systems}
        for item, q in quality.items():
            by_system[item[1]].append(q)
        for s, values in by_system.items():
            precision = 1 + 4 * len(values)
            ability[s] = draw.gauss(4 * sum(values) / precision, precision**-0.5)
        kept.append(dict(ability))
    return kept


def best(run: Callable[[], Any], passes: int = PASSES) -> float:
    """Shortest time, in milliseconds."""
    times = []
    for _ in range(passes):
        start = time.perf_counter()
        run()
        times.append(1e3 * (time.perf_counter() - start))
    return min(times)


def peak(run: Callable[[], Any]) -> float:
    """Memory that one call adds at its peak, in MB."""
    tracemalloc.start()
    run()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6


def quantities(model: str, draws: np.ndarray) -> dict[str, list[np.ndarray]]:
    """Chains of the common offset, of all differences and of all Q(1 | a, b)."""
    pairs = list(combinations(range(draws.shape[1]), 2))
    if model == "gaussian":
        ability = draws
        p = irt.GaussianSettings()
        sd = math.sqrt(2 * p.sigma_a**2 + 2 * p.sigma_obs**2)
        chance = [ndtr((draws[:, a] - draws[:, b] - p.radius) / sd) for a, b in pairs]
    else:
        ability = irt.mean_quality(draws)
        win, _ = irt.win_and_tie_matrices(irt.CategoricalSettings())
        chance = [((draws[:, a] @ win) * draws[:, b]).sum(axis=1) for a, b in pairs]
    return {
        "offset": [ability.mean(axis=1)],
        "differences": [ability[:, a] - ability[:, b] for a, b in pairs],
        "Q(1|a,b)": chance,
    }


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1600
    name, data = track(size)
    systems = sorted({*data["system_1"], *data["system_2"]})
    print(
        f"{name}: {len(data)} comparisons of {len(systems)} systems, 200 iterations\n"
    )

    fits = {
        "plain": lambda **kw: irt.fit_gaussian(data, systems=systems, **kw),
        "collapsed": lambda **kw: fit_collapsed(data, systems=systems, **kw),
        "categorical": lambda **kw: irt.fit_categorical(data, systems=systems, **kw),
    }
    runs = {
        label: partial(lambda fit: fit(rng=np.random.default_rng(SEED)), fit)
        for label, fit in fits.items()
    }
    runs["deterministic"] = lambda: fit_deterministic(data, systems=systems)
    plain_loop = (
        best(lambda: loop(data, systems, LOOP_ITERATIONS), 3) * 200 / LOOP_ITERATIONS
    )
    print(f"{'fit':14}{'ms':>9}{'loop / fit':>12}{'peak MB':>9}")
    scaled = f"(from {LOOP_ITERATIONS} iterations)"
    print(f"{'Python loop':14}{plain_loop:9.0f}{1:12.0f}   {scaled}")
    time_of = {}
    for label, run in runs.items():
        time_of[label] = best(run)
        ratio = "" if label == "categorical" else f"{plain_loop / time_of[label]:.0f}"
        print(f"{label:14}{time_of[label]:9.1f}{ratio:>12}{peak(run):9.1f}")

    exact = fit_deterministic(data, systems=systems).probabilities
    print(f"\nautocorrelation time in iterations, from {LONG};", end=" ")
    print("ESS per second at the median pair")
    columns = ["median", "worst", "ESS/s", "/ loop"]
    print(f"{'sampler':14}{'quantity':14}{''.join(f'{c:>9}' for c in columns)}")
    of_loop = {}  # its ESS per second
    for label, fit in fits.items():
        model = fit(
            rng=np.random.default_rng(SEED), iterations=LONG, burn_in=LONG // 20
        )
        kind = "categorical" if label == "categorical" else "gaussian"
        for what, chains in quantities(kind, model.draws).items():
            times = [autocorrelation_time(c) for c in chains]
            median = statistics.median(times)
            rate = 200 / (time_of[label] / 1e3) / median
            if label == "plain":
                of_loop[what] = 200 / (plain_loop / 1e3) / median
            ratio = f"{rate / of_loop[what]:9.0f}" if kind == "gaussian" else ""
            print(
                f"{label:14}{what:14}{median:9.1f}{max(times):9.1f}{rate:9.0f}{ratio}"
            )
        truth = (
            exact if kind == "gaussian" else model.probabilities
        )  # of its own long chain
        short = [fit(rng=np.random.default_rng(k)).probabilities for k in range(20)]
        error = np.sqrt(np.mean((np.array(short) - truth) ** 2))
        print(f"{'':14}rms error of Q after 200 iterations, 20 seeds: {error:.4f}")


if __name__ == "__main__":
    main()
