"""WMT16's official rankings: its own procedure again, and other methods beside it.

The release says how its rankings were made (README and scripts of cfedermann/wmt16):
1000 runs of TrueSkill for a task, see `official_runs`; systems are ordered by their
mean skill; a system's rank range is what is left of its 1000 ranks when 2.5 % are cut
off at each end; a line is drawn where no range crosses.

The order of a method is that of its scores on all official comparisons of a task; the
order of TrueSkill is that of its mean over runs. The distance of two orders is the
share of pairs of systems that they order differently. The unit of resampling is the
ranking, what one judge said of one segment. The tasks are the 12 language pairs of
news; the IT task has two or four systems.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import special, stats

from study.data import ranking_releases
from study.data.sources import LATER_RELATIVE, Source
from study.hopkins2013 import Track, irt
from study.run import keep
from study.statistics import distance
from wmtlib import agreement, methods, mfas
from wmtlib.core.counts import COMPARISON, Counts, comparisons
from wmtlib.core.ranking import clusters_of_ranges, levels
from wmtlib.core.sampling import BLOCK, ResampledCounts, resampler
from wmtlib.methods import FIT_DIGITS, mfas_scores
from wmtlib.trueskill import LEAST

NEWS = LATER_RELATIVE[0]
LARGE = 60_000  # official comparisons: Czech-English and English-Czech have more
SIGMA, DRAW_RATE, MATCHES = 0.5, 0.25, 40  # of the official TrueSkill
EQUAL = 1e-12  # variances of systems that have played alike differ by less
MAXIMUM = "rao-kupper"  # TrueSkill's likelihood, with logistic noise, without matches
SCORED = ("expected-wins", "bradley-terry", "rao-kupper")
MFAS_BLOCKS = 100 // BLOCK  # of samples: each sample is solved by itself

ENDS = ["first_rank", "last_rank"]
CUT = [*ENDS, "cluster"]

Frames = Sequence[pd.DataFrame]  # one for each task
Samples = dict[str, pd.DataFrame]  # by method: samples x systems


@dataclass(frozen=True, eq=False, repr=False)
class Task:
    """A task of WMT16.

    Attributes
    ----------
    campaign, name, label : str
    counts : Counts
        Of the official comparisons.
    comparisons : DataFrame
        The official comparisons; without the raw files not by ranking.
    outcome : DataFrame
        The official outcome, indexed by system; see `ranking_releases.load_outcome`.
        Empty without the raw files.
    """

    campaign: str
    name: str
    label: str
    counts: Counts
    comparisons: pd.DataFrame
    outcome: pd.DataFrame


def load_tasks(source: Source) -> list[Task]:
    """Load all 17 tasks whose comparisons are public."""
    tasks = []
    for row in ranking_releases.tasks(source, LATER_RELATIVE).itertuples():
        place = row.campaign, row.task
        outcome = pd.DataFrame()
        if source.kind == "raw":
            printed = ranking_releases.load_outcome(*place, source=source)
            outcome = printed.set_index("system")
        task = Task(
            campaign=row.campaign,
            name=row.task,
            label=ranking_releases.label(*place).removeprefix("2016 "),
            counts=ranking_releases.load_counts(*place, source=source),
            comparisons=ranking_releases.load_comparisons(*place, source=source),
            outcome=outcome,
        )
        tasks.append(task)
    return tasks


def agreement_table(source: Source, *, n_resamples: int, seed: int) -> pd.DataFrame:
    """Measure agreement, of judgements as made and of official comparisons.

    Returns
    -------
    DataFrame
        Index form ("judged once", "official"), task ("all" is all 12 together); the
        columns of `agreement.measures`, and each with _low and _high: 95 % of samples
        of whole segments.
    """

    def compute() -> pd.DataFrame:
        rankings = ranking_releases.load_rankings(NEWS, source=source)
        forms = {
            "judged once": comparisons(rankings),
            "official": ranking_releases.official_comparisons(rankings),
        }
        rows = {}
        for form, compared in forms.items():
            sums = agreement.tallies(compared, ["task", "segment"])
            for task, of_segments in [*sums.groupby("task"), ("all", sums)]:
                size = len(of_segments)
                rng = np.random.default_rng([seed, size])
                drawn = agreement.segments_drawn(size, n_resamples, rng)
                found = agreement.with_intervals(
                    of_segments, agreement.measures, [drawn]
                )
                low = found["low"].add_suffix("_low")
                high = found["high"].add_suffix("_high")
                rows[form, task] = pd.concat([found["value"], low, high])
        return pd.DataFrame(rows).T.rename_axis(["form", "task"])

    settings = [source.sha256, source.route, n_resamples, seed]
    return keep.result("wmt16-agreement", settings, compute)


def pairs_in_same_order(judged: pd.DataFrame) -> pd.DataFrame:
    """Count pairs of judgements of two texts as the README of the release does.

    Two judgements are comparable if both judges saw the two texts in the same order on
    the screen; with "inter" the two may be of one judge, with "intra" they are.

    Parameters
    ----------
    judged : DataFrame
        Of `wmtlib.comparisons`: judgements as they were made, system_1 first on the
        screen.

    Returns
    -------
    DataFrame
        Index kind ("inter", "intra"), task; columns agreeing, comparable.
    """
    shown = ["task", "segment", "system_1", "system_2"]
    rows = {}
    for kind, columns in {"inter": shown, "intra": [*shown, "judge"]}.items():
        counts = {
            "agreeing": _pairs_within(judged, [*columns, "preference"]),
            "comparable": _pairs_within(judged, columns),
        }
        rows[kind] = pd.DataFrame(counts)
    return pd.concat(rows, names=["kind"])


def _pairs_within(judged: pd.DataFrame, columns: list[str]) -> pd.Series:
    """Count pairs of rows that have the same values in columns, by task."""
    size = judged.groupby(columns, observed=True).size()
    return (size * (size - 1) // 2).groupby("task", observed=True).sum()


# --- Rank ranges and clusters by the published procedure, beside the printed ones -----


def official_runs(
    counts: Counts, number: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Compute mean skills of runs (rows) of TrueSkill, as WMT16 made its runs.

    A run draws N comparisons from the task's N with replacement. Then it plays N
    matches: the system of the highest variance against an opponent drawn with weight
    exp(-|m_a - m_b|), m the means; the match ends as one of the drawn comparisons of
    the two ends, drawn with replacement. Each match moves the means and variances of
    both as in `trueskill.skills`. A skill begins at mean 0 with standard deviation
    `SIGMA`; a performance has `SIGMA` N / `MATCHES`, and two equal systems tie with
    probability `DRAW_RATE`.

    All runs, an array's last axis, play their k-th match at once. Among equal variances
    a random one is highest.
    """
    n = len(counts.systems)
    total = counts.comparisons
    runs = np.arange(number)
    outcomes = _resampled_shares(counts, number, rng)
    has_met = outcomes[1] + outcomes[1].swapaxes(0, 1) > 0
    all_met = has_met.sum() == n * (n - 1) * number
    outcomes = outcomes.reshape(2, -1)

    means = np.zeros((n, number))
    variances = SIGMA**2 + np.ascontiguousarray(EQUAL * rng.random((number, n)).T)
    variances[~has_met.any(axis=1)] = 0.0  # not drawn at all: it never plays
    mean = means.ravel()  # views: they change with every match
    variance = variances.ravel()
    beta = SIGMA * total / MATCHES
    margin = math.sqrt(2) * beta * special.ndtri((1 + DRAW_RATE) / 2)
    for _ in range(total):
        of_opponent, of_outcome = rng.random((2, number))
        a = variances.argmax(axis=0)
        at_a = a * number + runs
        share = np.exp(-np.abs(means - mean[at_a]))
        share[a, runs] = 0
        if not all_met:
            share *= has_met[a, :, runs].T
        passed = share.cumsum(axis=0)
        b = (passed < of_opponent * passed[-1]).sum(axis=0, dtype=np.int8).astype(int)
        both = np.array([at_a, b * number + runs])
        pair = a * (n * number) + both[1]
        tied, not_lost = of_outcome < outcomes.take(pair, axis=1)
        sign = np.where(not_lost, 1.0, -1.0)  # not used for ties
        mean_a, mean_b = mean[both]
        doubt = variance[both]
        spread = np.sqrt(2 * beta**2 + doubt[0] + doubt[1])
        lead = sign * (mean_a - mean_b) / spread
        v, w = _all_moved(lead, margin / spread, np.flatnonzero(tied))
        v *= sign
        step = doubt / spread
        mean[both] = mean_a + step[0] * v, mean_b - step[1] * v
        variance[both] = doubt - step * step * w
    return pd.DataFrame(means.T, columns=counts.systems)


def _all_moved(
    t: np.ndarray, e: np.ndarray, tied: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Compute `trueskill.moved` of many games at once.

    Of a Gaussian at t above e, or between -e and e at the places `tied`.
    """
    low = e - t
    size = np.abs(t[tied])
    low[tied] = size - e[tied]
    high = size + e[tied]
    mass = special.ndtr(-low)
    mass[tied] -= special.ndtr(-high)
    gone = mass < LEAST
    mass = np.where(gone, 1.0, math.sqrt(2 * math.pi) * mass)
    at_low = np.exp(-low * low / 2)
    at_high = np.exp(-high * high / 2)
    shift = at_low.copy()
    shift[tied] -= at_high
    shrinkage = -low * at_low
    shrinkage[tied] += high * at_high
    v = shift / mass
    w = v * v + shrinkage / mass
    v[gone] = low[gone]
    w[gone] = 1.0
    v[tied] = np.copysign(v[tied], -t[tied])
    return v, w


def _resampled_shares(
    counts: Counts, number: int, rng: np.random.Generator
) -> np.ndarray:
    """Draw shares of ties, and of ties and wins, of pairs: (2, n, n, number)."""
    drawn = resampler(counts, None, COMPARISON).draw(number, rng)
    wins, ties = drawn.matrices()
    played = wins + wins.swapaxes(1, 2) + ties
    shares = np.array([ties, ties + wins]) / np.maximum(played, 1)
    return np.ascontiguousarray(np.moveaxis(shares, 1, -1))


def pools(tasks: Sequence[Task], *, number: int, seed: int) -> list[pd.DataFrame]:
    """Make `official_runs` of every task, of one above `LARGE` comparisons a fifth.

    A run over that many matches takes its time, however many runs are made at once.
    """

    def runs(task: Task, place: int) -> pd.DataFrame:
        fewer = number // 5 if task.counts.comparisons > LARGE else number
        return official_runs(task.counts, fewer, np.random.default_rng([seed, place]))

    return _of_every_task("wmt16-runs", runs, tasks, number, seed)


def _of_every_task(
    name: str, compute: Callable[[Task, int], Any], tasks: Sequence[Task], *drawn: int
) -> list[Any]:
    """Return `compute(task, place)` of every task, or what was kept."""
    results = []
    for place, task in enumerate(tasks):
        data = task.campaign, task.name, keep.frame_sha256(task.comparisons)
        settings = [*data, *drawn, place]
        results.append(keep.result(name, settings, compute, task, place))
    return results


def one_resampling(
    task: Task, *, number: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Score samples (rows) of single comparisons, of equal size, by `MAXIMUM`."""
    samples = resampler(task.counts, None, COMPARISON).samples(number, rng)
    return sample_scores([*samples], MAXIMUM)


def sample_scores(samples: Sequence[ResampledCounts], method: str) -> pd.DataFrame:
    """Score all samples (rows) by a method."""
    scores = [methods.METHODS[method].sample_scores(block) for block in samples]
    return pd.DataFrame(np.concatenate(scores), columns=samples[0].systems)


def run_ranks(scores: np.ndarray) -> np.ndarray:
    """Rank every system in every run (rows); 1 = best."""
    return stats.rankdata(-levels(scores), method="min", axis=1)


def run_ranges(ranks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return first and last rank of systems (columns), without 2.5 % at each end."""
    kept = stats.trimboth(ranks, 0.025)
    return kept.min(axis=0), kept.max(axis=0)


def outcome(scores: pd.DataFrame) -> pd.DataFrame:
    """Rank systems, best first, by runs: score, first_rank, last_rank, cluster."""
    values = scores.to_numpy()
    order, *columns = _in_order(values, run_ranks(values))
    table = pd.DataFrame({"score": scores.mean()}).iloc[order]
    table[CUT] = np.transpose(columns)
    return table


def _in_order(values: np.ndarray, ranks: np.ndarray) -> tuple[np.ndarray, ...]:
    """Order by mean score; in this order return first rank, last rank and cluster."""
    order = np.argsort(-levels(values.mean(axis=0)), kind="stable")
    first, last = run_ranges(ranks[:, order])
    return order, first, last, clusters_of_ranges(first, last)


def against_printed(ours: pd.DataFrame, printed: pd.DataFrame) -> dict[str, float]:
    """Compare an outcome with the printed one.

    Returns
    -------
    dict
        order (whether it is equal; systems with equal printed scores may change
        places); skills (greatest distance of a mean skill); ranges (equal ones);
        ends_off (greatest distance of an end of a range); clusters (whether all are
        equal); lines and width, of `extent`.
    """
    printed = printed.loc[ours.index]
    apart = (ours - printed).abs()
    off = apart[ENDS].max(axis=1)
    return {
        "order": printed["score"].is_monotonic_decreasing,
        "skills": apart["score"].max(),
        "ranges": (off == 0).sum(),
        "ends_off": off.max(),
        "clusters": (apart["cluster"] == 0).all(),
    } | extent(ours)


def repeated(
    scores: pd.DataFrame,
    printed: pd.DataFrame,
    *,
    repeats: int,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Count how often sets of runs, drawn with replacement, agree with the print.

    Returns
    -------
    dict
        order, clusters (shares of sets that give the printed ones); ranges (mean share
        of ranges equal); always, never (ranges that are equal in more than 95 %, and in
        less than 5 %, of the sets).
    """
    values = scores[printed.index].to_numpy()
    ranks = run_ranks(values)
    agree = []
    equal = np.empty((repeats, len(printed)), dtype=bool)
    for k, chosen in enumerate(rng.integers(len(values), size=(repeats, len(values)))):
        order, *columns = _in_order(values[chosen], ranks[chosen])
        in_order = printed.iloc[order]
        first, last, clusters = columns == in_order[CUT].to_numpy().T
        agree.append((in_order["score"].is_monotonic_decreasing, clusters.all()))
        equal[k, order] = first & last
    falls, clusters = np.mean(agree, axis=0)
    share = equal.mean(axis=0)
    return {
        "order": falls,
        "ranges": share.mean(),
        "clusters": clusters,
        "always": (share > 0.95).sum(),
        "never": (share < 0.05).sum(),
    }


def extent(outcome: pd.DataFrame) -> dict[str, float]:
    """Return the number of lines of an outcome and the mean width of its ranges."""
    width = (outcome["last_rank"] - outcome["first_rank"]).mean()
    return {"lines": outcome["cluster"].max() - 1, "width": width}


# --- Other methods: their orders, and which predicts best -----------------------------


def method_scores(tasks: Sequence[Task], *, seed: int) -> list[pd.DataFrame]:
    """Score all official comparisons by every method but TrueSkill.

    Returns
    -------
    list of DataFrame, systems x methods
        Higher = better. "irt-gaussian" is fitted to single comparisons: it is missing
        without the raw files.
    """

    def scores(task: Task, place: int) -> pd.DataFrame:
        table = {name: methods.rank(task.counts, name).scores for name in SCORED}
        table["mfas"] = mfas_scores(mfas.exact_order(task.counts.wins))
        if "ranking" in task.comparisons:
            rng = np.random.default_rng([seed])
            fitted = irt.fit_gaussian(
                task.comparisons, systems=task.counts.systems, rng=rng
            )
            table["irt-gaussian"] = fitted.abilities["mean"].round(FIT_DIGITS)
        return pd.DataFrame(table)

    return _of_every_task("wmt16-orders", scores, tasks, seed)


def resampled_scores(tasks: Sequence[Task], *, number: int, seed: int) -> list[Samples]:
    """Score samples of whole rankings, the same samples by all methods.

    Of "mfas" the first `MFAS_BLOCKS` only. Without the raw files single comparisons
    are drawn.
    """

    def scores(task: Task, place: int) -> Samples:
        rng = np.random.default_rng([seed, place])
        unit = "ranking" if "ranking" in task.comparisons else COMPARISON
        samples = [*resampler(task.comparisons, None, unit).samples(number, rng)]
        tables = {name: sample_scores(samples, name) for name in SCORED}
        return tables | {"mfas": sample_scores(samples[:MFAS_BLOCKS], "mfas")}

    return _of_every_task("wmt16-resampled", scores, tasks, number, seed)


def distances(
    tasks: Sequence[Task], trueskill: Frames, scores: Frames, samples: Sequence[Samples]
) -> pd.DataFrame:
    """Compute the distance of each method's order from TrueSkill's and its samples'.

    Returns
    -------
    DataFrame
        Index label, method; columns distance (from the order by mean skill) and
        sampling (mean distance of its samples' orders from its order; NaN where a
        method is not resampled).
    """
    rows = {}
    for task, pool, table, drawn in zip(tasks, trueskill, scores, samples, strict=True):
        official = pool.mean()[table.index].to_numpy()
        for name in table:
            row = {"distance": distance(table[name], official)}
            if name in drawn:
                again = distance(drawn[name].to_numpy(), table[name].to_numpy())
                row["sampling"] = again.mean()
            rows[task.label, name] = row
    return pd.DataFrame(rows).T.rename_axis(["task", "method"])


def news_tracks(tasks: Sequence[Task], *, source: Source) -> list[Track]:
    """Split the tracks of news as Hopkins & May (2013) did.

    Comparisons are those that were judged: no ties of identical outputs.
    """
    tracks = []
    for task in tasks:
        if task.campaign == NEWS:
            rows = ranking_releases.load_comparisons(
                NEWS, task.name, source=source, split="judged"
            )
            test = ranking_releases.hopkins_test_split(rows)
            systems = (*task.counts.systems,)
            tracks.append(Track(NEWS, task.name, rows[~test], rows[test], systems))
    return tracks
