"""Rankings to counts, and a file to counts: ours beside a plain loop and beside pandas.

    python benchmarks/counting.py [number of rankings, default one million]

All in one run on one machine, so that the ratios mean something. Every way must give
the same counts. CPU seconds, the best of a few; memory is the peak that one more,
traced call adds.
"""

import sys
import tempfile
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from wmtlib.core import counts as counting
from wmtlib.files import read as reader

SYSTEMS = [f"system-{k:02d}" for k in range(20)]
SLOTS = 5
ID_COLUMNS = [f"system{k}Id" for k in range(1, SLOTS + 1)]
RANK_COLUMNS = [f"system{k}rank" for k in range(1, SLOTS + 1)]
SEED = 2012
LOOP_SHARE = 10  # the loop runs on one ranking in ten


def synthetic(size: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions in SYSTEMS and ranks of `size` rankings of five systems, with ties."""
    rng = np.random.default_rng(SEED)
    systems = rng.random((size, len(SYSTEMS))).argpartition(SLOTS, axis=1)[:, :SLOTS]
    return systems, rng.integers(1, 6, (size, SLOTS))


def tidy(systems: np.ndarray, ranks: np.ndarray) -> pd.DataFrame:
    """The frame that `reader.read` gives for them."""
    size = len(systems)
    rng = np.random.default_rng(SEED)
    segment = rng.integers(1, 3001, size, dtype=np.int32)
    judges = [f"judge_{k:03d}" for k in range(1, 201)]
    judge = rng.integers(0, len(judges), size)
    return pd.DataFrame(
        {
            "task": pd.Categorical.from_codes(np.zeros(size * SLOTS, int), ["fr-en"]),
            "ranking": np.repeat(np.arange(size, dtype=np.int32), SLOTS),
            "segment": np.repeat(segment, SLOTS),
            "judge": pd.Categorical.from_codes(np.repeat(judge, SLOTS), judges),
            "system": pd.Categorical.from_codes(systems.ravel(), SYSTEMS),
            "rank": ranks.ravel().astype(np.int8),
        }
    )


def ours(rankings: pd.DataFrame) -> Counter:
    return cells_of(counting.counts_of(counting.comparisons(rankings)))


def cells_of(counts: counting.Counts) -> Counter:
    cells = Counter()
    for a, b, wins_a, wins_b, ties in counting.to_table(counts).itertuples(index=False):
        cells["win", a, b], cells["win", b, a] = wins_a, wins_b
        cells["tie", a, b] = cells["tie", b, a] = ties
    return cells


def plain_loop(rankings: list[list[tuple[str, int]]]) -> Counter:
    cells = Counter()
    for ranking in rankings:
        for (a, i), (b, j) in combinations(ranking, 2):
            if i < j:
                cells["win", a, b] += 1
            elif i > j:
                cells["win", b, a] += 1
            else:
                cells["tie", a, b] += 1
                cells["tie", b, a] += 1
    return cells


def merge_and_group(rankings: pd.DataFrame) -> Counter:
    few = rankings[["ranking", "system", "rank"]]
    pairs = few.merge(few, on="ranking", suffixes=("_1", "_2"))
    pairs = pairs[pairs["system_1"] != pairs["system_2"]]
    cells = Counter()
    for name, kept in {
        "win": pairs["rank_1"] < pairs["rank_2"],
        "tie": pairs["rank_1"] == pairs["rank_2"],
    }.items():
        sizes = pairs[kept].groupby(["system_1", "system_2"], observed=True).size()
        cells.update({(name, *pair): number for pair, number in sizes.items()})
    return cells


def measure(work: Callable[[], object], times: int) -> tuple[object, float, float]:
    """Result, best seconds of so many calls, and peak megabytes of one more."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        result = work()
        seconds.append(time.process_time() - start)
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return result, min(seconds), peak / 1e6


def write_file(path: Path, systems: np.ndarray, ranks: np.ndarray) -> None:
    names = np.array(SYSTEMS, dtype=object)[systems]
    size = len(systems)
    frame = pd.DataFrame({"srclang": "French", "trglang": "English"}, index=range(size))
    frame["srcIndex"] = np.arange(size) % 3000 + 1
    frame["judgeId"] = [f"A{k:013d}" for k in range(200)] * (size // 200) + ["A"] * (
        size % 200
    )
    frame["documentId"] = "newstest/" + (frame["srcIndex"] // 20).astype(str)
    frame["segmentId"] = frame["srcIndex"] % 20 + 1
    frame[[f"system{k}Number" for k in range(1, 6)]] = systems
    frame[ID_COLUMNS] = names
    frame[RANK_COLUMNS] = ranks
    assert frame.shape[1] == 21
    frame.to_csv(path, index=False)


def line(what: str, seconds: float, peak: float, ratio: float, note: str = "") -> None:
    print(f"{what:<34}{seconds:8.2f} s{ratio:8.1f} x{peak:8.0f} MB  {note}".rstrip())


def main(size: int = 1_000_000) -> None:
    systems, ranks = synthetic(size)
    rankings = tidy(systems, ranks)
    pairs = size * SLOTS * (SLOTS - 1) // 2
    print(
        f"{size:,} rankings of {SLOTS}, {len(SYSTEMS)} systems, {pairs:,} comparisons"
    )
    print(f"{'':<34}{'time':>10}{'ratio':>10}{'peak':>11}")

    cells, base, peak = measure(lambda: ours(rankings), times=5)
    line("comparisons + counts", base, peak, 1)

    grouped, seconds, peak = measure(lambda: merge_and_group(rankings), times=2)
    line("pandas: merge, groupby", seconds, peak, seconds / base)
    assert grouped == cells

    few = size // LOOP_SHARE
    as_lists = [
        [(SYSTEMS[s], r) for s, r in zip(*ranking, strict=True)]
        for ranking in zip(systems[:few].tolist(), ranks[:few].tolist(), strict=True)
    ]
    looped, seconds, peak = measure(lambda: plain_loop(as_lists), times=2)
    seconds *= size / few
    note = f"(run on {few:,}, its time multiplied by {size / few:g})"
    line("plain Python loop", seconds, peak, seconds / base, note)
    assert looped == ours(rankings[: few * SLOTS])

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rankings.csv")
        write_file(path, systems, ranks)
        start = time.process_time()
        read = reader.read(path, revisions="all").counts
        seconds = time.process_time() - start
        megabytes = path.stat().st_size / 1e6
        print(f"\nA file of {size:,} rows, {megabytes:.0f} MB")
        print(f"reader.read, counts: {seconds:.2f} s ({megabytes / seconds:.0f} MB/s)")
    assert cells_of(read) == cells


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
