"""Ten million comparisons in Parquet to counts: `reader.read`, pandas and evalica.

    python benchmarks/reading.py [number of comparisons, default ten million]

Each way runs in a process of its own, one after the other in one run, so that its peak
memory is its own; all must find the same counts. CPU seconds are from the file to the
counts, imports left out; the peak is of the whole process, beside which the imports
alone are shown. pandas and evalica get the columns of names and outcomes only, while
ours reads judges and segments, too.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from wmtlib.files import read as reader

SYSTEMS = 100
SEED = 2012
COLUMNS = ["model_a", "model_b", "winner"]


def write(path: Path, size: int) -> None:
    """Comparisons of 100 systems by 500 judges on 3000 segments, as in an arena."""
    rng = np.random.default_rng(SEED)
    first = rng.integers(0, SYSTEMS, size, dtype=np.int16)
    second = (first + rng.integers(1, SYSTEMS, size, dtype=np.int16)) % SYSTEMS
    names = [f"system-{k:03d}" for k in range(SYSTEMS)]
    words = ["model_a", "model_b", "tie", "tie (bothbad)"]
    coded = {
        "model_a": (first, names),
        "model_b": (second, names),
        "winner": (rng.choice(4, size, p=[0.4, 0.35, 0.15, 0.1]), words),
        "judge": (rng.integers(0, 500, size), [f"A{k:013d}" for k in range(500)]),
        "segment": (
            rng.integers(0, 3000, size),
            [f"newstest.{k}" for k in range(3000)],
        ),
    }
    frame = pd.DataFrame(
        {c: pd.Categorical.from_codes(*pair) for c, pair in coded.items()}
    )
    frame.astype(str).to_parquet(path)


def ours(path: str) -> tuple[np.ndarray, np.ndarray]:
    counts = reader.read(path, revisions="all").counts
    return counts.wins.to_numpy(), counts.ties.to_numpy()


def table(path: str) -> pd.DataFrame:
    """The three columns as a frame."""
    return pd.read_parquet(path, columns=COLUMNS)


def value_counts(path: str) -> tuple[np.ndarray, np.ndarray]:
    wins, ties = np.zeros((2, SYSTEMS, SYSTEMS), dtype=np.int64)
    counted = table(path).value_counts()
    names = (
        counted.index.get_level_values(0)
        .union(counted.index.get_level_values(1))
        .unique()
    )
    place = {name: k for k, name in enumerate(sorted(names))}
    for (a, b, word), number in counted.items():
        first = place[a]
        second = place[b]
        if word.startswith("tie"):
            ties[first, second] += number
            ties[second, first] += number
        elif word == "model_a":
            wins[first, second] += number
        else:
            wins[second, first] += number
    return wins, ties


def evalica_matrices(path: str) -> tuple[np.ndarray, np.ndarray]:
    import evalica

    frame = table(path)
    outcome = {
        "model_a": evalica.Winner.X,
        "model_b": evalica.Winner.Y,
        "tie": evalica.Winner.Draw,
        "tie (bothbad)": evalica.Winner.Draw,
    }
    winners = frame["winner"].map(outcome)
    xs, ys, index = evalica.indexing(frame["model_a"], frame["model_b"])
    found = evalica.matrices(xs, ys, winners, index)
    order = np.argsort(index)
    place = np.ix_(order, order)
    ties = found.tie_matrix[place].astype(np.int64)
    return found.win_matrix[place].astype(np.int64), ties


WAYS: dict[str, Callable] = {
    "reader.read().counts": ours,
    "pandas value_counts": value_counts,
    "evalica indexing, matrices": evalica_matrices,
}


def megabytes() -> float:
    """Peak memory of this process (Linux; getrusage would count its parent's, too)."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024 / 1e6


def alone(way: str, path: str) -> None:
    """One way in this process: time, memory of the imports, peak, digest of counts."""
    if way.startswith("evalica"):
        import evalica  # noqa: F401
    imports = megabytes()
    start = time.process_time()
    wins, ties = WAYS[way](path)
    seconds = time.process_time() - start
    weights = np.arange(1, wins.size + 1, dtype=np.int64).reshape(wins.shape)
    digest = [int((m * weights).sum()) for m in (wins, ties)]
    print(json.dumps([seconds, imports, megabytes(), int(wins.sum()), *digest]))


def main(size: int = 10_000_000) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "judgements.parquet")
        write(path, size)
        file_size = path.stat().st_size / 1e6
        print(f"{size:,} comparisons, {SYSTEMS} systems, {file_size:.0f} MB")
        print(f"{'':<30}{'time':>9}{'ratio':>10}{'imports':>11}{'peak':>9}")
        base = None
        expected = None
        for way in WAYS:
            command = [sys.executable, __file__, "--alone", way, str(path)]
            out = subprocess.run(
                command, check=True, capture_output=True, text=True
            ).stdout
            seconds, imports, peak, *digest = json.loads(out)
            base = base or seconds
            expected = expected or digest
            ratio = f"{seconds / base:.1f} x"
            print(
                f"{way:<30}{seconds:7.2f} s{ratio:>10}{imports:8.0f} MB{peak:6.0f} MB",
                flush=True,
            )
            assert digest == expected, f"{way} finds other counts"


if __name__ == "__main__":
    if sys.argv[1:2] == ["--alone"]:
        alone(*sys.argv[2:])
    else:
        main(*map(int, sys.argv[1:]))
