"""TrueSkill under a thousand resamples: all at once, one by one, and by the `trueskill`
package.

Beside it other methods under as many resamples of the same comparisons.

    python benchmarks/resampling_trueskill.py [--peer PYTHON] [--official]

Twelve systems, CPU seconds. The ways that run one by one run few resamples and are
scaled, which is said. `--peer` names an interpreter that has the package `trueskill`;
it rates 20,000 games once. `--official` adds WMT's own procedure at the size of WMT16
English-Czech: 192,487 comparisons.
"""

import argparse
import subprocess
import time
from collections.abc import Callable

import numpy as np
import pandas as pd

from wmtlib.files.forms import count
from wmtlib.resampling import bootstrap
from wmtlib.trueskill import trueskill

SYSTEMS, RESAMPLES, FEW, SEED = 12, 1000, 5, 2012
PEER = """
import random, time, trueskill
random.seed(1)
games = [(*random.sample(range(12), 2), random.random() < 0.2) for _ in range(20_000)]
environment = trueskill.TrueSkill(
    mu=0, sigma=1, beta=1.118, tau=0, draw_probability=0.2
)
ratings = [environment.create_rating() for _ in range(12)]
begun = time.process_time()
for a, b, drawn in games:
    pair = trueskill.rate_1vs1(ratings[a], ratings[b], drawn, env=environment)
    ratings[a], ratings[b] = pair
print(time.process_time() - begun)
"""


def compared(size: int) -> pd.DataFrame:
    """Comparisons of systems of different strength, a fifth of them ties."""
    rng = np.random.default_rng(SEED)
    a = rng.integers(SYSTEMS, size=size)
    b = (a + rng.integers(1, SYSTEMS, size=size)) % SYSTEMS
    d = (b - a) * 0.1 + rng.logistic(size=size)
    preference = np.select([d > 0.4, d < -0.4], [1, 2])
    names = np.array([f"s{k:02d}" for k in range(SYSTEMS)])
    return pd.DataFrame(
        {
            "system_1": names[a],
            "system_2": names[b],
            "preference": preference,
            "count": 1,
        }
    )


def all_at_once(size: int, method: str = "trueskill") -> None:
    bootstrap(
        compared(size), method, unit="comparison", n_resamples=RESAMPLES, seed=SEED
    )


def one_by_one(size: int) -> None:
    """Each on all comparisons: a pass takes as long on a resample."""
    counts, rng = count(compared(size)), np.random.default_rng(SEED)
    for _ in range(FEW):
        trueskill(counts, systems=counts.systems, rng=rng)


def cpu(work: Callable[[int], None], size: int) -> float:
    begun = time.process_time()
    work(size)
    return time.process_time() - begun


def line(what: str, seconds: float, base: float) -> None:
    print(f"{what:<58}{seconds:9.2f} s{seconds / base:8.1f} x", flush=True)


def main(peer: str | None, official: bool) -> None:
    size = 20_000
    print(
        f"TrueSkill, {RESAMPLES} resamples of {size:,} comparisons of {SYSTEMS}"
        " systems, CPU"
    )
    line("all at once", base := cpu(all_at_once, size), base)
    scale = RESAMPLES / FEW
    line(
        f"one by one, plain Python ({FEW}, scaled)", cpu(one_by_one, size) * scale, base
    )
    if peer:
        done = subprocess.run(
            [peer, "-c", PEER], capture_output=True, text=True, check=True
        )
        line(
            "the trueskill package (one pass, scaled)",
            float(done.stdout) * RESAMPLES,
            base,
        )
    for method in ("expected-wins", "bradley-terry", "rao-kupper", "mfas"):
        line(
            method,
            cpu(lambda size, method=method: all_at_once(size, method), size),
            base,
        )
    if official:
        line("all at once, 192,487 comparisons", cpu(all_at_once, 192_487), base)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer")
    parser.add_argument("--official", action="store_true")
    main(**vars(parser.parse_args()))
