"""Would another method have changed WMT16's orders or clusters, and which predicts best?"""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from wmtlib import bradley_terry, mfas
from wmtlib import ranking as methods
from wmtlib.bradley_terry import ResampledCounts, resampler
from wmtlib.corrections import distance, t_half_width
from wmtlib.ranking import mfas_scores
from wmtlib.study.later.wmt16 import NEWS, Task
from wmtlib.study.later.wmt16_ranges import GLENN_DAVID, MAXIMUM
from wmtlib.study.papers import hopkins2013
from wmtlib.study.papers.hopkins2013 import Track
from wmtlib.study.releases import kept, ranking_releases
from wmtlib.study.releases.sources import Source

SCORED = ("expected-wins", "bradley-terry", "rao-kupper")
OTHERS = (*SCORED, "mfas", "irt-gaussian")
MFAS_SAMPLES = 100  # of the bootstrap: each is solved by itself
TRAINED_ON = 2000  # comparisons
PREDICTING = (
    *("bradley-terry", "rao-kupper", "trueskill", "irt-gaussian", "irt-gaussian-fitted"),
    *("expected-wins", "mfas"),
)
PAIRS = [  # the first is the second test of `wmt16.CRITERIA`
    ("trueskill", "bradley-terry"),
    *((name, "bradley-terry") for name in PREDICTING if name not in ("trueskill", "bradley-terry")),
]

Samples = dict[str, pd.DataFrame]  # by method: samples x systems


def orders(tasks: Sequence[Task], *, seed: int) -> list[pd.DataFrame]:
    """Scores by every method of `OTHERS`, and by `MAXIMUM`, on all official comparisons.

    Returns
    -------
    list of DataFrame, systems x methods
        Higher = better. "irt-gaussian" is fitted to single comparisons: it is missing without the
        raw files.
    """
    parts = {k: [*t.described(), seed] for k, t in enumerate(tasks)}

    def of(task: Task) -> pd.DataFrame:
        found = {MAXIMUM: bradley_terry.strengths(task.counts, **GLENN_DAVID)}
        for name in SCORED:
            found[name] = methods.rank(task.counts, name, reference=None).column("score")
        found["mfas"] = mfas_scores(mfas.exact_order(task.counts.wins))
        if task.comparisons is not None:
            rng = np.random.default_rng([seed])
            ranking = methods.rank(task.comparisons, "irt-gaussian", seed=rng)
            found["irt-gaussian"] = ranking.column("score")
        return pd.DataFrame(found)

    return kept.one_by_one("wmt16-orders", parts, lambda k: of(tasks[k]))


def resampled(tasks: Sequence[Task], *, number: int, seed: int) -> list[Samples]:
    """Scores of samples of whole rankings, by method, samples x systems; the same samples for all.

    Of "mfas" the first `MFAS_SAMPLES` only. Without the raw files single comparisons are drawn.
    """
    parts = {k: [*t.described(), number, seed] for k, t in enumerate(tasks)}

    def of(place: int) -> Samples:
        task, rng = tasks[place], np.random.default_rng([seed, place])
        unit, data = "ranking", task.comparisons
        if data is None:
            unit, data = "comparison", task.counts
        parts = [*resampler(data, None, unit).samples(number, rng)]
        scored = [_scores(part) for part in parts]
        found = {name: np.concatenate([part[name] for part in scored]) for name in scored[0]}
        few = parts[0].take(np.arange(min(MFAS_SAMPLES, parts[0].seen.shape[1])))
        solved = [mfas_scores(mfas.exact_order(counts.wins)) for counts in few.one_by_one()]
        found["mfas"] = pd.DataFrame(solved)[[*few.systems]].to_numpy()
        return {name: pd.DataFrame(rows, columns=few.systems) for name, rows in found.items()}

    return kept.one_by_one("wmt16-resampled", parts, of)


def _scores(samples: ResampledCounts) -> dict[str, np.ndarray]:
    found = {name: methods.scores(samples, name, reference=None) for name in SCORED}
    return found | {MAXIMUM: bradley_terry.resampled_strengths(samples, None, **GLENN_DAVID)}


def mean_with_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Mean and its 95 % t interval."""
    mean, half = np.mean(values), t_half_width(pd.Series(values))
    return mean, mean - half, mean + half


def distances(
    tasks: Sequence[Task],
    trueskill: Sequence[pd.DataFrame],
    scores: Sequence[pd.DataFrame],
    samples: Sequence[Samples],
) -> pd.DataFrame:
    """Distance of each method's order from TrueSkill's, and of its samples' orders from its own.

    Returns
    -------
    DataFrame
        Index label, method; columns method (the distance from the order by mean skill), low, high
        (95 % of samples of rankings, in which `MAXIMUM` stands for TrueSkill; NaN where a method
        is not resampled), sampling (mean distance of its samples' orders from its order).
    """
    rows = {}
    for task, pool, table, drawn in zip(tasks, trueskill, scores, samples, strict=True):
        official = pool.mean()[table.index].to_numpy()
        for name in [n for n in OTHERS if n in table]:
            row = {"distance": float(distance(table[name], official))}
            if name in drawn:
                again = drawn[name].to_numpy()
                between = distance(again, drawn[MAXIMUM].to_numpy()[: len(again)])
                row["low"], row["high"] = np.quantile(between, [0.025, 0.975])
                row["sampling"] = distance(again, table[name].to_numpy()).mean()
            rows[task.label, name] = row
    return pd.DataFrame(rows).T.rename_axis(["task", "method"])


def exchanges(
    tasks: Sequence[Task],
    scores: Sequence[pd.DataFrame],
    samples: Sequence[Samples],
) -> pd.DataFrame:
    """Pairs of systems of different printed clusters that a method orders otherwise.

    Returns
    -------
    DataFrame
        task, method, above and below (as printed), lines (between them), samples (share of samples
        of rankings in which the method turns them too; NaN where it is not resampled).
    """
    rows = []
    for task, table, drawn in zip(tasks, scores, samples, strict=True):
        cluster = task.outcome["cluster"]
        for name in [n for n in OTHERS if n in table]:
            for above, below in pairs_across(task):
                if table.loc[above, name] > table.loc[below, name]:
                    continue
                turned = np.nan
                if name in drawn:
                    turned = (drawn[name][above] <= drawn[name][below]).mean()
                lines = cluster[below] - cluster[above]
                rows.append((task.label, name, above, below, lines, turned))
    return pd.DataFrame(rows, columns=["task", "method", "above", "below", "lines", "samples"])


def pairs_across(task: Task) -> list[tuple[str, str]]:
    """Pairs of systems of different printed clusters, the better one first."""
    cluster = task.outcome["cluster"]
    return [(a, b) for a, b in product(cluster.index, repeat=2) if cluster[a] < cluster[b]]


def tracks(tasks: Sequence[Task], *, source: Source, seed: int) -> list[Track]:
    """The tracks of news, split as Hopkins & May (2013) split theirs, with small training sets.

    Comparisons are those that were judged: no ties of identical outputs.
    """
    found = []
    for task in tasks:
        if task.campaign == NEWS:
            options = {"source": source, "split": "judged"}
            rows = ranking_releases.load_comparisons(NEWS, task.name, **options)
            test = ranking_releases.hopkins_test_split(rows)
            one = Track(NEWS, task.name, rows[~test], rows[test], (*task.counts.systems,))
            found.append(smaller(one, seed=seed))
    return found


def smaller(track: Track, *, seed: int) -> Track:
    """The same track with `TRAINED_ON` of its training comparisons."""
    rng = np.random.default_rng([seed, len(track.train)])
    train = hopkins2013.draw_training_set(track.train, TRAINED_ON, rng)
    train, test = (part.reset_index(drop=True) for part in (train, track.test))
    return Track(track.campaign, track.task, train, test, track.systems)
