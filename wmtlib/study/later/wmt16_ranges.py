"""Rank ranges and clusters of WMT16 by the published procedure, beside the printed ones.

The findings of WMT14-16 and Sakaguchi et al. (2014): TrueSkill runs 1000 times, each on comparisons
drawn anew with replacement; systems are ordered by their mean skill; a system's rank range is what
is left of its 1000 ranks when 2.5 % are cut off at each end; a line is drawn where no range
crosses. How many comparisons a run draws is not said in what is at hand.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy import special

from wmtlib import bradley_terry
from wmtlib.bradley_terry import resampler
from wmtlib.corrections import clusters_of_ranges
from wmtlib.counts import COMPARISON
from wmtlib.irt import INFINITE, densities
from wmtlib.models import Derivatives, Link
from wmtlib.study.later.wmt16 import Task
from wmtlib.study.releases import kept
from wmtlib.trueskill import resampled_skills

TAIL = 0.025
LARGE = 60_000  # official comparisons: Czech-English and English-Czech have more
TRUESKILL, MAXIMUM = "trueskill", "glenn-david"  # MAXIMUM: of TrueSkill's likelihood, no noise


def _glenn_david(d: np.ndarray, t: np.ndarray | float) -> np.ndarray:
    """Thurstone's model with ties (Glenn and David 1960): Rao-Kupper's with normal noise."""
    size = np.abs(d)  # in the lower tail, where differences of ndtr do not cancel
    tie = special.ndtr(t - size) - special.ndtr(-t - size)
    return np.stack([tie, special.ndtr(d - t), special.ndtr(-d - t)])


def _glenn_david_derivatives(d: np.ndarray, t: np.ndarray | float, seen: np.ndarray) -> Derivatives:
    """Of a win or loss: log cdf has slope h = pdf / cdf, and curvature -h(x) (x + h(x))."""
    ties, wins, losses = seen
    high = np.stack([d - t, -d - t])
    _, hazard = densities(np.full_like(high, -INFINITE), high)
    up, down = np.stack([wins, losses]) * hazard
    curved_up, curved_down = np.stack([up, down]) * (high + hazard)
    # Of a tie, the mass between the ends `low` and `high`; ratios of the densities there to it.
    low, high = -t - np.abs(d), t - np.abs(d)
    at_low, at_high = densities(low, high)
    by_d, by_t, width = at_low - at_high, at_low + at_high, high * at_high - low * at_low
    across = ties * np.sign(d) * (by_d * by_t - high * at_high - low * at_low)
    slopes = up - down + ties * np.sign(d) * by_d, ties * by_t - up - down
    dd, tt = (curved_up + curved_down + ties * (by**2 + width) for by in (by_d, by_t))
    return slopes, (dd, curved_down - curved_up + across, tt)


GLENN_DAVID = {
    "ties": Link(_glenn_david, _glenn_david_derivatives, positive_tie=True),
    "prior": bradley_terry.PRIOR,
}


def runs(
    task: Task, estimate: str, *, share: float, number: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Scores by `TRUESKILL` or `MAXIMUM` of every run (row) for every system (column).

    A run draws official comparisons one by one, `share` times as many as there are.
    """
    drawing = resampler(task.counts, None, COMPARISON)
    drawing = replace(drawing, units=round(share * drawing.units))
    start = bradley_terry.strengths(task.counts, **GLENN_DAVID).to_numpy()
    parts = [
        resampled_skills(part, rng=rng)
        if estimate == TRUESKILL
        else bradley_terry.resampled_strengths(part, start, **GLENN_DAVID)
        for part in drawing.samples(number, rng)
    ]
    return pd.DataFrame(np.concatenate(parts), columns=task.counts.systems)


def pools(
    tasks: Sequence[Task], estimate: str, *, share: float, number: int, seed: int
) -> list[pd.DataFrame]:
    """`runs` of every task; of TrueSkill a fifth of them where there are more than `LARGE`.

    A pass over that many comparisons takes its time, however many runs make it at once.
    """
    parts = {k: [estimate, *task.described(), share, number, seed] for k, task in enumerate(tasks)}

    def of(k: int) -> pd.DataFrame:
        large = estimate == TRUESKILL and tasks[k].counts.comparisons > LARGE
        options = {"share": share, "number": number // 5 if large else number}
        return runs(tasks[k], estimate, rng=np.random.default_rng([seed, k]), **options)

    return kept.one_by_one("wmt16-runs", parts, of)


def by_share(
    tasks: Sequence[Task], shares: Sequence[float], *, number: int, seed: int
) -> pd.DataFrame:
    """How many printed rank ranges (of all, the last column) come out of runs by `MAXIMUM`.

    Returns
    -------
    DataFrame, tasks x shares of the comparisons that a run draws
    """
    found = {}
    for share in shares:
        drawn = pools(tasks, MAXIMUM, share=share, number=number, seed=seed)
        found[share] = [
            against_printed(outcome(pool), task.outcome)["ranges"]
            for task, pool in zip(tasks, drawn, strict=True)
        ]
    labels = [task.label for task in tasks]
    return pd.DataFrame(found, labels).assign(systems=[len(task.outcome) for task in tasks])


def ranks(scores: np.ndarray) -> np.ndarray:
    """Rank of every system in every run (rows); 1 = best."""
    return (scores[:, :, None] < scores[:, None, :]).sum(axis=2) + 1


def ranges(ranks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First and last rank of every system (last axis), `TAIL` of the runs cut at each end."""
    runs = ranks.shape[-2]
    cut, ordered = int(TAIL * runs), np.sort(ranks, axis=-2)
    return ordered[..., cut, :], ordered[..., runs - 1 - cut, :]


def outcome(scores: pd.DataFrame) -> pd.DataFrame:
    """The outcome of runs: index system, best first; score, first_rank, last_rank, cluster."""
    mean = scores.mean().sort_values(ascending=False, kind="stable")
    first, last = ranges(ranks(scores[mean.index].to_numpy()))
    columns = {"score": mean, "first_rank": first, "last_rank": last}
    return pd.DataFrame(columns).assign(cluster=clusters_of_ranges(first, last))


def against_printed(found: pd.DataFrame, printed: pd.DataFrame) -> dict[str, float]:
    """How an outcome agrees with the printed one.

    Returns
    -------
    dict
        order (whether it is equal; systems with equal printed scores may change places); ranges
        (equal ones); ends_off (greatest distance of an end of a range); clusters (whether
        all are equal).
    """
    ours = found.loc[printed.index]
    ends = ["first_rank", "last_rank"]
    off = (ours[ends] - printed[ends]).abs().max(axis=1)
    order = printed.loc[found.index, "score"].is_monotonic_decreasing
    return {
        "order": bool(order),
        "ranges": int((off == 0).sum()),
        "ends_off": int(off.max()),
        "clusters": bool((ours["cluster"] == printed["cluster"]).all()),
    }


def repeated(
    scores: pd.DataFrame, printed: pd.DataFrame, *, repeats: int, rng: np.random.Generator
) -> dict[str, float]:
    """How often sets of runs, drawn with replacement from a pool of them, agree with the print.

    Returns
    -------
    dict
        repeat_order, repeat_clusters (shares of sets that give the printed ones); repeat_ranges
        (mean share of ranges equal); repeat_always, repeat_never (ranges that are equal in more
        than 95 %, and in less than 5 %, of the sets).
    """
    values, size = scores[printed.index].to_numpy(), len(scores)
    drawn = rng.integers(size, size=(repeats, size))
    order = np.argsort(-values[drawn].mean(axis=1), axis=1, kind="stable")
    first, last = ranges(ranks(values)[drawn])
    ends = (np.take_along_axis(end, order, axis=1) for end in (first, last))
    cluster = np.array([*map(clusters_of_ranges, *ends)])
    lines = (cluster == printed["cluster"].to_numpy()[order]).all(axis=1)
    falls = np.diff(printed["score"].to_numpy()[order]) <= 0
    equal = (first == printed["first_rank"].to_numpy()) & (last == printed["last_rank"].to_numpy())
    share = np.mean(equal, axis=0)
    return {
        "repeat_order": falls.all(axis=1).mean(),
        "repeat_ranges": share.mean(),
        "repeat_clusters": lines.mean(),
        "repeat_always": int((share > 0.95).sum()),
        "repeat_never": int((share < 0.05).sum()),
    }


def compared(
    tasks: Sequence[Task],
    outcomes: Mapping[str, Sequence[pd.DataFrame]],
    pools: Sequence[pd.DataFrame],
    *,
    repeats: int,
    seed: int,
) -> pd.DataFrame:
    """Every task's outcomes beside the printed one.

    Parameters
    ----------
    outcomes : mapping
        From the name of a procedure to the `outcome` of every task.
    pools : sequence of DataFrame
        The runs of TrueSkill, from which `repeats` sets of runs are drawn.

    Returns
    -------
    DataFrame
        Index task; comparisons, systems, runs; for each procedure its columns of `against_printed`
        with the name before them, lines (between clusters) and width (mean of last less first
        rank); printed_lines, printed_width; the columns of `repeated`.
    """
    rows = {}
    for k, (task, pool) in enumerate(zip(tasks, pools, strict=True)):
        printed = task.outcome
        row = {"comparisons": task.counts.comparisons, "systems": len(printed), "runs": len(pool)}
        row |= {f"printed_{name}": value for name, value in _size(printed).items()}
        for name, found in outcomes.items():
            agrees = against_printed(found[k], printed) | _size(found[k])
            row |= {f"{name}_{part}": value for part, value in agrees.items()}
        rng = np.random.default_rng([seed, k])
        rows[task.label] = row | repeated(pool, printed, repeats=repeats, rng=rng)
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("task")


def _size(found: pd.DataFrame) -> dict[str, float]:
    width = (found["last_rank"] - found["first_rank"]).mean()
    return {"lines": int(found["cluster"].max()) - 1, "width": float(width)}


def totals(table: pd.DataFrame, procedures: Sequence[str]) -> pd.DataFrame:
    """`compared` added up over the tasks: what is equal, lines, the mean width of a range."""
    size, tasks = table["systems"], len(table)
    rows = {"printed": [tasks, int(size.sum()), tasks]}
    for name in procedures:
        equal = (table[f"{name}_{part}"].sum() for part in ("order", "ranges", "clusters"))
        rows[name] = [*map(int, equal)]
    for name, row in rows.items():
        width = (table[f"{name}_width"] * size).sum() / size.sum()
        row += [int(table[f"{name}_lines"].sum()), round(float(width), 2)]
    columns = ["orders equal", "ranges equal", "clusters equal", "lines", "mean width of a range"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns)
