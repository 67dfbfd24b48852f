"""WMT16's official rankings: the published procedure again, and what other methods make of it.

The tests were fixed, in words and numbers, before anything was computed for them. Known was that
TrueSkill and Bradley-Terry predict the judgements of WMT10-12 equally well (notebook 23).

The order of a method is that of its scores on all official comparisons of a task; the order of
TrueSkill is that of its mean over runs. The distance of two orders is the share of pairs of
systems that they order differently. The unit of resampling is the ranking, what one judge said of
one segment. The tasks are the 12 language pairs of news; the IT task has two or four systems.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from wmtlib import agreement
from wmtlib import counts as relative_rankings
from wmtlib.counts import Counts
from wmtlib.study.releases import kept, ranking_releases
from wmtlib.study.releases.sources import LATER_RELATIVE, Source

CRITERIA = {
    "main": (
        "Expected wins, the official method of WMT12, in place of TrueSkill changes the orders less"
        " than other rankings of the same campaign would. For each task: the distance between the"
        " two methods' orders, minus the mean distance between expected wins of 1000 bootstrap"
        " samples of rankings and of all of them. Holds if the 95 % t interval of the mean over the"
        " 12 tasks lies below 0, does not hold if it lies above; otherwise open."
    ),
    "second": (
        "TrueSkill and Bradley-Terry (Davidson) predict equally well. For each task: the difference"
        " of their perplexities on a test set of whole segments, after training on 2000 other"
        " comparisons. Holds if the 95 % t interval of the mean over the 12 tasks lies within 0.01"
        " of 0, does not hold if it lies outside; otherwise open."
    ),
    "third": (
        "No other method moves a system across a line between printed clusters. Holds if MFAS,"
        " expected wins, Bradley-Terry (Davidson and Rao-Kupper) and IRT-Gaussian order all pairs"
        " of systems of different printed clusters as printed, in all 17 tasks; otherwise the pairs"
        " that are not are counted, with the share of bootstrap samples that turn them too."
    ),
}
ENDS = ((0.025, "_low"), (0.975, "_high"))
NEWS = LATER_RELATIVE[0]


@dataclass(frozen=True, eq=False)
class Task:
    """A task of WMT16.

    Attributes
    ----------
    campaign, name, label : str
    counts : Counts
        Of the official comparisons.
    comparisons : DataFrame or None
        The official comparisons; None without the raw files.
    outcome : DataFrame or None
        The official outcome, indexed by system; see `ranking_releases.load_outcome`.
    """

    campaign: str
    name: str
    label: str
    counts: Counts = field(repr=False)
    comparisons: pd.DataFrame | None = field(repr=False)
    outcome: pd.DataFrame | None = field(repr=False)

    def described(self) -> list[str]:
        """All that a result can depend on; see `kept`."""
        rows = self.comparisons
        if rows is None:
            rows = pd.concat([self.counts.wins, self.counts.ties])
        return [self.campaign, self.name, kept.frame_sha256(rows)]


def load_tasks(source: Source) -> list[Task]:
    """All 17 tasks whose comparisons are public."""
    table = ranking_releases.tasks(source, LATER_RELATIVE)
    tasks = []
    for campaign, name in table[["campaign", "task"]].to_numpy():
        rows = outcome = None
        if source.kind == "raw":
            rows = ranking_releases.load_comparisons(campaign, name, source=source)
            outcome = ranking_releases.load_outcome(campaign, name, source=source)
            outcome = outcome.set_index("system")
        counts = ranking_releases.load_counts(campaign, name, source=source)
        label = ranking_releases.label(campaign, name).removeprefix("2016 ")
        tasks.append(Task(campaign, name, label, counts, rows, outcome))
    return tasks


def expansion(tasks: Sequence[Task], source: Source) -> pd.DataFrame:
    """What the expansion to all pairs of systems adds, by task of news.

    Returns
    -------
    DataFrame
        Index label; judgements (comparisons of different outputs; raw files only), pairs (of
        systems in them), identical (ties of systems with the same output), official (comparisons
        in all), ties_judged and ties_official (shares of ties among pairs and official).
    """
    rows, made = {}, None
    if source.kind == "raw":  # systems with identical outputs are one
        rankings = ranking_releases.load_rankings(NEWS, source=source)
        made = relative_rankings.comparisons(rankings)["task"].value_counts()
    for task in tasks:
        if task.campaign != NEWS:
            continue
        parts = {
            split: ranking_releases.load_counts(NEWS, task.name, source=source, split=split)
            for split in ("judged", "identical")
        }
        judged, ties = parts["judged"].comparisons, [_ties(parts["judged"]), _ties(task.counts)]
        rows[task.label] = ({} if made is None else {"judgements": int(made[task.name])}) | {
            "pairs": judged,
            "identical": parts["identical"].comparisons,
            "official": task.counts.comparisons,
            "ties_judged": ties[0] / judged,
            "ties_official": ties[1] / task.counts.comparisons,
        }
    return pd.DataFrame(rows).T


def _ties(counts: Counts) -> int:
    return int(counts.ties.to_numpy().sum() // 2)


def agreement_table(source: Source, *, n_resamples: int, seed: int) -> pd.DataFrame:
    """Agreement of annotators, of the judgements as made and of the official comparisons.

    Returns
    -------
    DataFrame
        Index form ("judged once", "official"), task ("all" is all 12 together); the columns of
        `agreement.measures`, and each with _low and _high: 95 % of samples of whole segments.
    """
    depends = [source.sha256, source.route, n_resamples, seed]
    return kept.result(
        "wmt16-agreement", depends, lambda: _agreement_table(source, n_resamples, seed)
    )


def _agreement_table(source: Source, n_resamples: int, seed: int) -> pd.DataFrame:
    rankings = ranking_releases.load_rankings(NEWS, source=source)
    forms = {
        "judged once": relative_rankings.comparisons(rankings),
        "official": ranking_releases.official_comparisons(rankings),
    }
    rows = {}
    for form, comparisons in forms.items():
        sums = agreement.tallies(comparisons, ["task", "segment"])
        for task in [*sums.index.unique("task"), "all"]:
            part = sums if task == "all" else sums.loc[task]
            rng = np.random.default_rng([seed, len(part)])
            drawn = rng.multinomial(len(part), np.full(len(part), 1 / len(part)), size=n_resamples)
            samples = agreement.measures(pd.DataFrame(drawn @ part, columns=part.columns))
            found = agreement.measures(part.sum().to_frame().T).iloc[0]
            low, high = (samples.quantile(q).add_suffix(e) for q, e in ENDS)
            rows[form, task] = pd.concat([found, low, high])
    return pd.DataFrame(rows).T.rename_axis(["form", "task"])
