"""Bootstrap of direct assessments: is its spread the spread of new campaigns?

    python benchmarks/bootstrap_coverage.py [--campaigns N] [--crossed N]

Campaigns whose truth is known are simulated again and again: the spread of a system's
mean z-score over them is the sampling spread. Each campaign is resampled; the spread
over its resamples, divided by the sampling spread, should be 1. "before" is a bootstrap
in which a segment weighs one however often its judgements were drawn, so that a worker
drawn twice counts once.

First, workers are the only random factor. Every campaign has 40 new workers, each with
a leniency, a scale and a taste (an effect of worker and system); systems, segments and
the plan of who judges what stay. Every worker judges the same number of segments of
every system, each segment judged once, twice, or half of them twice. Scores are
qualities plus these effects: nothing else varies, so the worker is the unit of
collection. Second, the project's simulated campaigns, where documents, segments and
HITs vary too and no single unit covers all of it.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from study.data.simulation import Design, calibrated, simulate_campaign
from wmtlib import zscores
from wmtlib.core.assessments import Campaign, encode
from wmtlib.core.sampling import blocks
from wmtlib.methods import rank_segment_means
from wmtlib.zscores import bootstrap_means

SEED = 2021
WORKERS, SYSTEMS, SEGMENTS = 40, 6, 6  # segments: of each system, judged by each worker
RESAMPLES = 200
GROUPS = 20  # of campaigns, for the Monte Carlo error


def plan(judged_twice: int) -> Campaign:
    """Who judges what; scores are 0.

    Of a worker's segments some are judged by another one too.
    """
    rng = np.random.default_rng(SEED)
    rows = []
    for system in range(SYSTEMS):
        order = rng.permutation(WORKERS)
        partner = np.empty(
            WORKERS, dtype=int
        )  # pairs of workers differ from system to system
        partner[order] = np.arange(WORKERS) // 2
        for worker in range(WORKERS):
            for k in range(SEGMENTS):
                twice = k < judged_twice
                segment = (
                    f"pair {partner[worker]} {k}" if twice else f"worker {worker} {k}"
                )
                rows.append((f"w{worker:02d}", f"system {system}", segment))
    table = pd.DataFrame(rows, columns=["worker", "system", "segment"])
    constant = {"hit": "h", "language_pair": "xx-yy", "item": "SYSTEM", "document": ""}
    return encode(table.assign(**constant, score=0.0, accepted=True))


def worker_only(campaign: Campaign, rng: np.random.Generator) -> Iterator[Campaign]:
    """Campaigns by new workers, on one plan."""
    quality = np.linspace(-10, 10, SYSTEMS)
    system = np.empty(len(campaign.score), dtype=int)
    system[campaign.credit] = campaign.credit_system
    while True:
        leniency, log_scale = (
            15 * rng.standard_normal(WORKERS),
            0.3 * rng.standard_normal(WORKERS),
        )
        taste = 8 * rng.standard_normal((WORKERS, SYSTEMS))
        effect = np.exp(log_scale)[:, None] * (quality + taste) + leniency[:, None]
        yield replace(campaign, score=60 + effect[campaign.worker, system])


def resampled_by_worker(
    campaign: Campaign, rng: np.random.Generator
) -> tuple[np.ndarray, ...]:
    """Mean z-scores in all resamples at once, (resamples, systems): now, and before."""
    z, cells = zscores.standardised(campaign), campaign.cells
    shares = np.full(WORKERS, 1 / WORKERS)
    times = [
        own.multinomial(WORKERS, shares, size) for size, own in blocks(RESAMPLES, rng)
    ]
    times = np.concatenate(times)
    draws = times[:, campaign.worker[cells.judgement]]  # (resamples, credits)
    drawn = np.add.reduceat(draws, cells.start, axis=1)  # (resamples, cells)
    total = np.add.reduceat(draws * z[cells.judgement], cells.start, axis=1)
    first = np.flatnonzero(
        np.diff(cells.system, prepend=-1)
    )  # first cell of each system

    def mean(values: np.ndarray, weight: np.ndarray) -> np.ndarray:
        sums = (np.add.reduceat(x, first, axis=1) for x in (values, weight))
        return np.divide(*sums)

    now = mean(total / cells.size, drawn / cells.size)
    return now, mean(total / np.maximum(drawn, 1), (drawn > 0).astype(float))


def spreads(
    campaigns: Iterator[Campaign],
    resample: Callable[[Campaign], tuple[np.ndarray, ...]],
    number: int,
) -> list[tuple[float, float]]:
    """Bootstrap spread over sampling spread, and its Monte Carlo error, for every way
    to resample.

    Of the systems' mean z-scores less the mean of all systems.
    """

    def centred(means: np.ndarray) -> np.ndarray:
        return means - means.mean(axis=-1, keepdims=True)

    means, variance = [], []
    for _ in range(number):
        campaign = next(campaigns)
        means.append(
            rank_segment_means(zscores.segment_means(campaign))
            .column("score")[[*campaign.systems]]
            .to_numpy()
        )
        variance.append(
            [centred(m).var(axis=0, ddof=1).mean() for m in resample(campaign)]
        )
    sampled, variance = centred(np.array(means)), np.array(variance)

    def ratio(chosen: np.ndarray) -> np.ndarray:
        sampling = sampled[chosen].var(axis=0, ddof=1).mean()
        return np.sqrt(variance[chosen].mean(axis=0) / sampling)

    # Jackknife: each group of campaigns is left out once.
    group = np.arange(number) % GROUPS
    left_out = np.array([ratio(group != g) for g in range(GROUPS)])
    error = np.sqrt((GROUPS - 1) * left_out.var(axis=0))
    return list(zip(ratio(group >= 0).tolist(), error.tolist(), strict=True))


def coverage(judged_twice: int, number: int) -> list[tuple[float, float]]:
    """`spreads` now and before, workers the only random factor."""
    rng = np.random.default_rng([SEED, judged_twice])
    campaigns = worker_only(plan(judged_twice), rng)
    # The formula on all resamples at once is that of the package.
    one = next(campaigns)
    options = {"unit": "worker", "n_resamples": RESAMPLES, "column": "score"}
    found = bootstrap_means(one, rng=np.random.default_rng(1), **options)
    assert np.allclose(
        found, resampled_by_worker(one, np.random.default_rng(1))[0], atol=1e-12
    )
    return spreads(
        campaigns, lambda campaign: resampled_by_worker(campaign, rng), number
    )


def crossed(design: Design, unit: str, number: int) -> tuple[float, float]:
    """`spreads` of the project's simulated campaigns: the same systems, everything else
    new.
    """
    rng = np.random.default_rng(SEED)

    def campaigns() -> Iterator[Campaign]:
        while True:
            yield encode(simulate_campaign(design, rng).assessments)

    def resample(campaign: Campaign) -> tuple[np.ndarray]:
        options = {
            "unit": unit,
            "n_resamples": RESAMPLES // 2,
            "rng": rng,
            "column": "score",
        }
        return (bootstrap_means(campaign, **options),)

    return spreads(campaigns(), resample, number)[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--campaigns", type=int, default=2000)
    parser.add_argument(
        "--crossed", type=int, default=300, help="campaigns of each crossed design"
    )
    options = parser.parse_args()
    print("Bootstrap spread over sampling spread, with Monte Carlo errors")
    print(
        f"\nWorkers the only random factor: {options.campaigns} campaigns of"
        f" {WORKERS} workers"
    )
    print(f"{'segments judged by two workers':<34}{'now':>16}{'before':>16}")
    for judged_twice in (0, SEGMENTS // 2, SEGMENTS):
        now, before = coverage(judged_twice, options.campaigns)
        label = f"{judged_twice} of {SEGMENTS} of a worker and system"
        print(
            f"{label:<34}" + "".join(f"{r:9.3f} ± {e:.3f}" for r, e in (now, before)),
            flush=True,
        )
    small = {
        "systems": 6,
        "judgements": 3000,
        "workers": 40,
        "qualities": (-8, -4, -1, 1, 4, 8),
    }
    designs = {
        "SR-DC": calibrated("SR-DC", **small),
        "SR+DC": calibrated("SR+DC", **small),
    }
    print(f"\nCrossed designs, {options.crossed} campaigns each")
    print(f"{'protocol, unit that is drawn':<34}{'now':>16}")
    for protocol, design in designs.items():
        for unit in ("worker", "hit"):
            value, error = crossed(design, unit, options.crossed)
            print(f"{f'{protocol}, {unit}':<34}{value:9.3f} ± {error:.3f}", flush=True)


if __name__ == "__main__":
    main()
