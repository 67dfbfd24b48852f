"""Peak memory of `wmtlib rank --html`, beside the same command without a page.

    python benchmarks/answer_memory.py [--votes N] [--systems N ...]

An arena is generated: votes on pairs of systems drawn at random, of a true order. Each
command runs in a process of its own; the kernel says its peak memory. Ends with an
error if a page takes more than 600 MB. Nothing here is a real vote.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

MOST = 600  # MB
RANK = [sys.executable, "-m", "wmtlib", "rank"]


def arena(systems: int, votes: int) -> pd.DataFrame:
    """Votes on pairs of systems whose log strengths are evenly spaced from 2 to -2."""
    rng = np.random.default_rng(systems)
    strengths = np.linspace(2, -2, systems)
    names = np.array([f"model-{k:02d}" for k in range(systems)])
    a = rng.integers(systems, size=votes)
    b = (a + 1 + rng.integers(systems - 1, size=votes)) % systems
    first_wins = rng.random(votes) < 1 / (1 + np.exp(strengths[b] - strengths[a]))
    winner = np.where(first_wins, "model_a", "model_b")
    return pd.DataFrame({"model_a": names[a], "model_b": names[b], "winner": winner})


def run(command: list[str]) -> tuple[float, float]:
    """Peak memory (MB) and CPU seconds of a command in a process of its own.

    `os.wait4` gives the usage of this one process; RUSAGE_CHILDREN is the largest of
    all that have ended.
    """
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} ended with status {status}")
    return usage.ru_maxrss * 1024 / 1e6, usage.ru_utime + usage.ru_stime


def main(votes: int, systems: list[int]) -> None:
    """Print a row for each number of systems."""
    print(f"{votes:,} generated votes; peak memory in MB, CPU in seconds")
    print("systems    rank    CPU  --html    CPU  ratio")
    largest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for number in systems:
            path = Path(folder, f"{number}.csv")
            arena(number, votes).to_csv(path, index=False)
            command = [*RANK, str(path)]
            plain, plain_cpu = run(command)
            written, cpu = run(
                [*command, "--html", str(Path(folder, f"{number}.html"))]
            )
            largest = max(largest, written)
            print(
                f"{number:7}{plain:8.0f}{plain_cpu:7.1f}{written:8.0f}{cpu:7.1f}"
                f"{written / plain:7.2f}",
                flush=True,
            )
    if largest > MOST:
        sys.exit(f"--html took {largest:.0f} MB; at most {MOST} are allowed")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--votes", type=int, default=20_000)
    parser.add_argument("--systems", type=int, nargs="+", default=[20, 40, 80])
    main(**vars(parser.parse_args()))
