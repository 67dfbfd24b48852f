"""A million votes of 100 systems to a Bradley-Terry ranking, beside evalica and choix.

    python benchmarks/votes.py [number of votes, default one million]

A frame in memory, imports left out; then scores alone beside ranks that hold, by judges
and segments; then the same votes in a CSV file of five columns, beside
`pandas.read_csv`. CPU seconds, the least of five, all in one run. evalica and
choix get the frame's own columns; what they need of them is part of their time. choix
takes no ties: it gets the votes without.
"""

import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # waiting threads count as CPU seconds
import choix
import evalica
import numpy as np
import pandas as pd

import wmtlib

SYSTEMS = 100
SEED = 2012
TIMES = 5
WINNERS = {
    "model_a": evalica.Winner.X,
    "model_b": evalica.Winner.Y,
    "tie": evalica.Winner.Draw,
}


def votes(size: int) -> pd.DataFrame:
    """Votes of 500 judges on 3000 segments, by strengths that are drawn."""
    rng = np.random.default_rng(SEED)
    first = rng.integers(0, SYSTEMS, size)
    second = (first + rng.integers(1, SYSTEMS, size)) % SYSTEMS
    strength = rng.normal(0, 0.7, SYSTEMS)
    wins = rng.random(size) < 1 / (1 + np.exp(strength[second] - strength[first]))
    words = np.where(wins, "model_a", "model_b")
    words = np.where(rng.random(size) < 0.2, "tie", words)
    names = np.array([f"system-{k:03d}" for k in range(SYSTEMS)])
    return pd.DataFrame(
        {
            "model_a": names[first],
            "model_b": names[second],
            "winner": words,
            "judge": rng.choice([f"A{k:013d}" for k in range(500)], size),
            "segment": rng.choice([f"newstest.{k}" for k in range(3000)], size),
        }
    )


def by_evalica(frame: pd.DataFrame) -> pd.Series:
    winners = frame["winner"].map(WINNERS)
    return evalica.bradley_terry(frame["model_a"], frame["model_b"], winners).scores


def by_choix(frame: pd.DataFrame) -> pd.Series:
    names = sorted({*frame["model_a"].unique(), *frame["model_b"].unique()})
    place = {name: k for k, name in enumerate(names)}
    decided = frame[frame["winner"] != "tie"]
    a, b = (decided[side].map(place).to_numpy() for side in ("model_a", "model_b"))
    is_first = (decided["winner"] == "model_a").to_numpy()
    pairs = np.column_stack([np.where(is_first, a, b), np.where(is_first, b, a)])
    return pd.Series(choix.ilsr_pairwise(len(names), pairs.tolist()), names)


def by_wmtlib(frame: pd.DataFrame) -> pd.Series:
    return wmtlib.rank(frame, "bradley-terry").scores


def least(work: Callable[[], object]) -> float:
    """The least CPU seconds of a few calls."""
    seconds = []
    for _ in range(TIMES):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def main(size: int = 1_000_000) -> None:
    warnings.simplefilter("ignore", wmtlib.JudgementWarning)
    frame = votes(size)
    few = frame[["model_a", "model_b", "winner"]]
    ways = {
        f"evalica {version('evalica')}": by_evalica,
        f"choix {version('choix')}": by_choix,
        f"wmtlib {wmtlib.__version__}": by_wmtlib,
    }
    best = {way: by(few).idxmax() for way, by in ways.items()}
    assert len({*best.values()}) == 1, best
    print(f"{size:,} votes of {SYSTEMS} systems, three columns in memory")
    base = None
    for way, by in ways.items():
        seconds = least(lambda by=by: by(few))
        base = min(base or seconds, seconds) if way[0] != "w" else base
        print(f"{way:<40}{seconds:7.2f} s{seconds / base:7.2f}", flush=True)
    seconds = least(lambda: [pd.factorize(few[name]) for name in few])
    print(f"{'three factorize':<40}{seconds:7.2f} s{seconds / base:7.2f}")
    print("\nfive columns in memory, read and ranked")
    base = None
    for way, by in (
        ("scores alone", wmtlib.rank),
        ("ranks that hold", wmtlib.rank_sets),
    ):
        seconds = least(lambda by=by: by(wmtlib.read(frame, revisions="all")))
        base = base or seconds
        print(f"{way:<40}{seconds:7.2f} s{seconds / base:7.2f}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "votes.csv")
        frame.to_csv(path, index=False)
        print(
            f"\nthe same in a CSV of five columns, {path.stat().st_size / 1e6:.0f} MB"
        )
        base = least(lambda: pd.read_csv(path))
        print(f"{'pandas.read_csv':<40}{base:7.2f} s{1:7.2f}")
        seconds = least(lambda: wmtlib.read(path, revisions="all"))
        print(f"{'wmtlib.read':<40}{seconds:7.2f} s{seconds / base:7.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
