"""Votes of many more judges than fit a machine, generated as counts: what ranking them
takes.

    python benchmarks/scale.py [--votes N] [--judges N] [--systems N]

10^9 votes of 10^7 judges on 100 systems, in 256 groups of judges, are drawn as counts:
votes of a group on a pair are Poisson, and what its judges like moves its odds by a
normal amount, as large as the mean of so many judges leaves it. `wmtlib rank` with
intervals by group runs in a process of its own. Nothing here is a real vote.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

GROUPS, TASTE = (
    256,
    1.0,
)  # a judge's own liking of a system: standard deviation, in log odds
RANK = [sys.executable, "-m", "wmtlib", "rank"]
CHOICES = {
    "bradley-terry": [],
    "expected-wins": [],
}


def counts(votes: int, judges: int, systems: int) -> pd.DataFrame:
    """Counts by pair, outcome and group of judges."""
    rng, names = (
        np.random.default_rng(0),
        np.array([f"system-{k:03d}" for k in range(systems)]),
    )
    a, b = np.triu_indices(systems, 1)
    liked = np.linspace(0.3, -0.3, systems) + rng.normal(
        0, TASTE / np.sqrt(judges / GROUPS), (GROUPS, systems)
    )
    odds = liked[:, a] - liked[:, b]
    mean, tied = votes / odds.size, 0.2
    shares = {"tie": tied, "model_a": (1 - tied) / (1 + np.exp(-odds))}
    shares["model_b"] = 1 - tied - shares["model_a"]
    group, pair = np.divmod(np.arange(odds.size), len(a))
    cells = {"model_a": names[a[pair]], "model_b": names[b[pair]]}
    cells["judge_group"] = np.array([f"{k:02x}" for k in range(GROUPS)])[group]
    rows = [
        pd.DataFrame(cells).assign(
            winner=word, count=rng.poisson(mean * share, odds.shape).ravel()
        )
        for word, share in shares.items()
    ]
    return pd.concat(rows).query("count > 0")


def main(votes: int, judges: int, systems: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, frame = Path(folder, "counts.parquet"), counts(votes, judges, systems)
        frame.to_parquet(path, index=False)
        size = f"{len(frame):,} rows, {path.stat().st_size / 1e6:.1f} MB"
        print(
            f"{frame['count'].sum():,} votes of {judges:,} judges, generated as"
            f" counts: {size}"
        )
        for name, options in CHOICES.items():
            command = [*RANK, str(path), "--method", name.partition(",")[0], *options]
            begun = time.monotonic()
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            seconds, cpu = time.monotonic() - begun, usage.ru_utime + usage.ru_stime
            peak = usage.ru_maxrss * 1024 / 1e6
            print(
                f"{name:<36}{seconds:8.1f} s{cpu:8.1f} s CPU{peak:8.0f} MB{status:3}",
                flush=True,
            )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--votes", type=int, default=10**9)
    parser.add_argument("--judges", type=int, default=10**7)
    parser.add_argument("--systems", type=int, default=100)
    main(**vars(parser.parse_args()))
