"""Direct assessment: z-scores, rank-sum tests and the battery, beside plain loops and
SciPy.

    python benchmarks/assessments.py [--all]

All in one run on one machine, so that the ratios mean something, and every way must
give the same results. Times are CPU seconds. The plain battery runs on one language
pair of each campaign; `--all` runs it on every one. Data are the judgements at hand,
else the simulated campaigns.
"""

import argparse
import time
import tracemalloc
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats

from study.data import assessment_catalogue, assessment_releases
from study.data import simulation as embedded
from study.knowles2021.section_5_2 import perturb
from wmtlib import removals, zscores
from wmtlib.core.assessments import ITEMS, Campaign, encode, single_systems
from wmtlib.core.errors import DataUnavailable
from wmtlib.core.pairwise_tests import pairwise_p
from wmtlib.methods import rank_segment_means

SEED = 2021
SYSTEMS = [f"system-{k:02d}" for k in range(20)]
OUTCOMES = ["rank", "cluster", "both", "kendall", "largest_move"]


def measure(work: Callable[[], object], times: int) -> tuple[object, float]:
    """Result and best seconds of so many calls."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        result = work()
        seconds.append(time.process_time() - start)
    return result, min(seconds)


def line(what: str, seconds: float, ratio: float | None = None) -> None:
    times = "" if ratio is None else f"{ratio:9.1f} x"
    print(f"{what:<46}{1000 * seconds:10.2f} ms{times}")


# --- z-scores of one million judgements -----------------------------------------------


def synthetic(size: int) -> pd.DataFrame:
    """So many judgements by 1000 workers of 20 systems on 2000 segments."""
    rng = np.random.default_rng(SEED)
    items = rng.choice(4, size, p=[0.7, 0.1, 0.1, 0.1])
    columns = {
        "hit": (np.arange(size) // 100, "hit"),
        "worker": (rng.integers(0, 1000, size), "worker"),
        "language_pair": (np.zeros(size, int), "xx-yy"),
        "system": (rng.integers(0, len(SYSTEMS), size), SYSTEMS),
        "item": (items, list(ITEMS)),
        "document": (np.zeros(size, int), ""),
        "segment": (rng.integers(0, 2000, size), "segment"),
    }
    frame = {}
    for name, (codes, labels) in columns.items():
        if isinstance(labels, str):
            labels = [f"{labels}{k}" for k in range(codes.max() + 1)]
        frame[name] = pd.Categorical.from_codes(codes, labels)
    score = np.clip(rng.normal(70, 25, size).round(), 0, 100)
    return pd.DataFrame({**frame, "score": score, "accepted": True})


def looped_z(rows: list[tuple[str, float]]) -> list[float]:
    """Equation 1 with dicts."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0, 0.0, 0.0])
    for worker, score in rows:
        entry = sums[worker]
        entry[0] += 1
        entry[1] += score
        entry[2] += score * score
    scale = {
        worker: (s / n, ((q - s * s / n) / (n - 1)) ** 0.5)
        for worker, (n, s, q) in sums.items()
    }
    z = []
    for worker, score in rows:
        mean, sd = scale[worker]
        z.append((score - mean) / sd)
    return z


def z_benchmark(size: int) -> None:
    frame = synthetic(size)
    campaign, seconds = measure(lambda: encode(frame), times=3)
    print(
        f"\n{size:,} judgements, {len(campaign.workers)} workers, {len(SYSTEMS)}"
        " systems"
    )
    line("encode", seconds)
    z, base = measure(lambda: zscores.standardised(campaign), times=7)
    line("worker scales and z-scores", base, 1)
    rows = list(zip(frame["worker"], frame["score"], strict=True))
    looped, seconds = measure(lambda: looped_z(rows), times=2)
    line("a loop with dicts", seconds, seconds / base)
    assert np.allclose(z, looped, rtol=1e-9, atol=1e-9)
    fresh = [replace(campaign) for _ in range(5)]  # cells are not grouped yet
    _, seconds = measure(
        lambda: rank_segment_means(zscores.segment_means(fresh.pop())), times=5
    )
    line("the same, segment means, ranking", seconds)


# --- rank-sum tests of all pairs ------------------------------------------------------


def pair_by_pair(values: list[np.ndarray]) -> np.ndarray:
    """Two-sided p of all pairs, by SciPy."""
    p = np.ones((len(values), len(values)))
    for a, b in combinations(range(len(values)), 2):
        test = stats.mannwhitneyu(values[a], values[b], method="asymptotic")
        p[a, b] = p[b, a] = test.pvalue
    return p


def test_benchmark(size: int) -> None:
    rng = np.random.default_rng(SEED)
    system = np.repeat(np.arange(len(SYSTEMS)), size)
    print(f"\nrank-sum tests of all pairs, {len(SYSTEMS)} systems x {size} segments")
    for what, digits in [("no ties", 15), ("many ties", 2)]:
        z = (rng.normal(size=len(system)) + 0.02 * system).round(digits)
        ours, base = measure(
            lambda z=z: pairwise_p(z, system, len(SYSTEMS), "two-sided"), times=9
        )
        parts = np.split(z, len(SYSTEMS))
        theirs, seconds = measure(lambda parts=parts: pair_by_pair(parts), times=3)
        assert (ours == theirs).all()
        line(f"all at once, {what}", base, 1)
        line("SciPy, pair by pair", seconds, seconds / base)


# --- the battery ----------------------------------------------------------------------

Row = tuple[
    str, tuple[str, ...], str, str, str, float
]  # worker, systems, item, place, score


def plain_rows(frame: pd.DataFrame) -> list[Row]:
    frame = frame[frame["accepted"]]
    columns = (
        frame[c].astype(str).tolist() for c in ("worker", "item", "document", "segment")
    )
    names = [tuple(single_systems(name)) for name in frame["system"].astype(str)]
    worker, item, document, segment = columns
    score = frame["score"].tolist()
    return list(zip(worker, names, item, document, segment, score, strict=True))


def plain_means(rows: list[Row], known: set[str]) -> dict[str, list[float]]:
    """Segment means of the z-scores of every known system."""
    scores = defaultdict(list)
    for worker, _, _, _, _, score in rows:
        scores[worker].append(score)
    scale = {}
    for worker, given in scores.items():
        if len(set(given)) > 1:
            mean = sum(given) / len(given)
            scale[worker] = (
                mean,
                (sum((x - mean) ** 2 for x in given) / (len(given) - 1)) ** 0.5,
            )
    cells = defaultdict(list)
    for worker, systems, item, document, segment, score in rows:
        if item in ("SYSTEM", "REPEAT") and worker in scale:
            mean, sd = scale[worker]
            for system in systems:
                if system in known:
                    cells[system, document, segment].append((score - mean) / sd)
    means = defaultdict(list)
    for (system, _, _), z in cells.items():
        means[system].append(sum(z) / len(z))
    return means


def plain_ranking(means: dict[str, list[float]]) -> tuple[list[str], list[bool]]:
    """Order, and whether a line is drawn below each system (footnote 4, one SciPy test
    a pair).
    """
    order = sorted(means, key=lambda s: (-sum(means[s]) / len(means[s]), s))
    p = {
        (a, b): stats.mannwhitneyu(means[a], means[b], method="asymptotic").pvalue / 2
        for a, b in combinations(order, 2)
    }
    lines = [all(p[a, b] < 0.05 for b in order[k + 1 :]) for k, a in enumerate(order)]
    return order, [*lines[:-1], False]


def plain_clusters(order: list[str], lines: list[bool]) -> list[set[str]]:
    found = [set()]
    for system, below in zip(order, lines, strict=True):
        found[-1].add(system)
        if below:
            found.append(set())
    return found


def plain_outcomes(
    before: dict[str, list[float]], after: dict[str, list[float]]
) -> tuple:
    (old, old_lines), (new, new_lines) = plain_ranking(before), plain_ranking(after)
    place = {system: k for k, system in enumerate(new)}
    rank = old != new
    cluster = plain_clusters(old, old_lines) != plain_clusters(new, new_lines)
    kendall = sum(place[a] > place[b] for a, b in combinations(old, 2))
    move = max(abs(place[system] - k) for k, system in enumerate(old))
    return rank, cluster, rank and cluster, kendall, move


def plain_battery(rows: list[Row], humans: list[str]) -> list[tuple]:
    """What `perturb` does, with lists and dicts; every comparison runs its
    own tests.
    """
    known = {s for r in rows if r[2] in ("SYSTEM", "REPEAT") for s in r[1]}
    whole = plain_means(rows, known)

    def theirs(row: Row, gone: set[str], items: tuple[str, ...]) -> bool:
        named = [s for s in row[1] if s in known]
        return row[2] in items or (bool(named) and gone.issuperset(named))

    def removed(gone: set[str], items: tuple[str, ...] = ()) -> tuple:
        kept = [r for r in rows if not theirs(r, gone, items)]
        before = {s: z for s, z in whole.items() if s not in gone}
        return plain_outcomes(before, plain_means(kept, known - gone))

    def divided(by: float) -> tuple:
        gone = set(humans)
        changed = [
            (*r[:5], r[5] / by) if theirs(r, gone, ("REF",)) else r for r in rows
        ]
        before = {s: z for s, z in whole.items() if s not in gone}
        return plain_outcomes(before, plain_means(changed, known - gone))

    order = sorted(whole, key=lambda s: (-sum(whole[s]) / len(whole[s]), s))
    found = [removed(set(humans), ("REF",)), removed({order[0]}), removed({order[-1]})]
    found += [removed({system}) for system in sorted(known)]
    return found + [divided(by) for by in removals.DIVISORS]


def campaigns() -> list[tuple[str, str, pd.DataFrame]]:
    """Language pairs whose single judgements are at hand, else the simulated ones."""
    table = assessment_catalogue.availability()
    table = table[table["status"] == "present"]
    names = [(row.campaign, row.language_pair) for row in table.itertuples()]
    if not names:
        names = [(name, "qa-qb") for name in embedded.CAMPAIGNS]
    return [(*name, assessment_releases.load_assessments(*name)) for name in names]


def human_systems(campaign: Campaign) -> list[str]:
    return [s for s in campaign.systems if s.upper().startswith(("HUMAN", "REFERENCE"))]


def battery_benchmark(everything: bool) -> None:
    loaded = campaigns()
    coded, seconds = measure(lambda: [encode(frame) for *_, frame in loaded], times=1)
    humans = [human_systems(c) for c in coded]

    def run(chosen: list[int]) -> list[pd.DataFrame]:
        return [perturb(coded[k], humans=humans[k]) for k in chosen]

    every = list(range(len(loaded)))
    found, whole = measure(lambda: run(every), times=3)
    rows = sum(len(frame) for *_, frame in loaded)
    number = sum(map(len, found))
    print(
        f"\nbattery: {len(loaded)} language pairs, {rows:,} judgements, {number}"
        " perturbations"
    )
    line("encode", seconds)
    line("battery, all", whole)
    line("  a perturbation", whole / number)
    first = {name: k for k, (name, *_) in reversed(list(enumerate(loaded)))}
    chosen = every if everything else sorted(first.values())
    ours, base = measure(lambda: run(chosen), times=3)
    lists = [plain_rows(loaded[k][2]) for k in chosen]
    theirs, seconds = measure(
        lambda: [
            plain_battery(r, humans[k]) for r, k in zip(lists, chosen, strict=True)
        ],
        times=2,
    )
    for k, mine, plain in zip(chosen, ours, theirs, strict=True):
        assert list(mine[OUTCOMES].itertuples(index=False, name=None)) == plain, loaded[
            k
        ][:2]
    print(
        "the same outcomes on",
        ", ".join(f"{a} {b}" for a, b, _ in (loaded[k] for k in chosen)),
    )
    line("battery, these", base, 1)
    line("lists, dicts and SciPy", seconds, seconds / base)
    peaks = []
    for k in chosen:
        tracemalloc.start()
        run([k])
        peaks.append(tracemalloc.get_traced_memory()[1] / 1e6)
        tracemalloc.stop()
    print(f"peak memory that a battery adds: {min(peaks):.0f}-{max(peaks):.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--all", action="store_true", help="the plain battery on every pair"
    )
    everything = parser.parse_args().all
    z_benchmark(1_000_000)
    test_benchmark(2000)
    try:
        battery_benchmark(everything)
    except DataUnavailable as missing:
        print(f"\nbattery: left out; it runs on public campaigns ({missing})")


if __name__ == "__main__":
    main()
