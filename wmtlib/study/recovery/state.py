"""The knowledge about a campaign while its segments are split into judgements.

`State` holds the segments as arrays, the workers found so far, and who judged which
segment. `WorkerGroup` holds workers who judged segments together before anything else
is known of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from wmtlib.assessments import HIGHEST_SCORE
from wmtlib.study.recovery.worker_scale import (
    Array,
    Arrays,
    possible_item_counts,
)

# One way to split a segment: workers, how often each judged it, sum of each worker's
# scores.
Split = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


@dataclass
class WorkerGroup:
    """k workers who judged the same segments; their scores are known up to offsets.

    Adding an offset q_w to all scores of worker w, with sum_w q_w = 0, changes `level`
    and nothing else that was published.

    Attributes
    ----------
    workers : list of int
    sd : array (k,)
    level : float
        Sum of mean / sd over the workers, for the scores as they stand.
    rows : dict from row to (times, scores)
        How often each worker judged the segment, and the sum of each worker's scores,
        (k,).
    fixed : bool
        Whether the offsets are known.
    aligned : list of (WorkerGroup, places)
        Groups with the same offsets; the places of this group's workers in theirs.
    known_offset : array (k,), optional
        Offsets of workers whose means are known, NaN for the others.
    means : array (k,), optional
        Means of the workers, for the scores as they stand.
    choices : array (n, k), optional
        Offsets that remain possible after one of them was chosen.
    """

    workers: list[int]
    sd: Array
    level: float
    rows: dict[int, tuple[int, Array]] = field(default_factory=dict)
    fixed: bool = False
    aligned: list[tuple["WorkerGroup", Array]] = field(default_factory=list)
    known_offset: Array | None = None
    means: Array | None = None
    choices: Array | None = None

    def times(self) -> Array:
        """How often each worker judged each row of `all_scores`."""
        groups = [self, *(group for group, _ in self.aligned)]
        return np.array([times for group in groups for times, _ in group.rows.values()])

    def scores(self) -> Array:
        """Scores, (rows, k); of a segment judged twice the mean."""
        return np.array([scores / times for times, scores in self.rows.values()])

    def all_scores(self) -> Array:
        """Scores in all groups that share these workers' offsets, (rows, k)."""
        return np.vstack(
            [self.scores(), *(g.scores()[:, places] for g, places in self.aligned)]
        )

    def bounds(self) -> Arrays:
        """Lowest and highest offsets, each (k,), that keep all scores within 0..100."""
        scores = self.all_scores()
        low = np.ceil(-scores.min(axis=0))
        high = np.floor(HIGHEST_SCORE - scores.max(axis=0))
        if self.known_offset is None:
            return low, high
        return np.fmax(low, self.known_offset), np.fmin(high, self.known_offset)

    def shift(self, q: Array) -> None:
        """Fix the offsets."""
        for row, (times, scores) in self.rows.items():
            self.rows[row] = (times, scores + times * q)
        self.level += float((q / self.sd).sum())
        self.fixed = True
        if self.means is not None:
            self.means = self.means + q
        for group, places in self.aligned:
            theirs = np.zeros(len(group.sd))
            theirs[places] = q
            group.shift(theirs)


class State:
    """The segments of one campaign as arrays, and what has been found.

    It is internal to `recover`, whose steps enter what they find.

    Parameters
    ----------
    segments : DataFrame
        Columns `recover.SEGMENT_MEANS`; a row is one judgement or several.

    Attributes
    ----------
    n, total, z, y : arrays (rows,)
        Number of judgements, sum of their scores, mean and sum of their z-scores.
    run, place : arrays of int (rows,)
        The run of each row (its system and document), and its place in the run.
    named : array of bool (rows,)
        Whether the document is known.
    mean, sd : lists of float
        Of the workers; a mean that is not known is NaN.
    item_counts : dict from worker to list of int
        Numbers of items that a worker can have scored, if the worker's mean rests on
        them.
    groups : list of WorkerGroup
    split_of : dict from row to Split
        The one way in which a row was split.
    taken : array of bool (rows,)
        Rows that something was found about.
    ambiguous : array of bool (rows,)
        Rows that several splits explain.
    """

    def __init__(self, segments: pd.DataFrame) -> None:
        self.n = segments["judgements"].to_numpy(np.int64)
        self.total = np.rint(segments["raw"].to_numpy() * self.n).astype(np.int64)
        self.z = segments["z"].to_numpy()
        self.y = self.z * self.n
        runs = segments.groupby(["system", "document"], sort=False)
        self.run = runs.ngroup().to_numpy()
        # The place is the number that ends the segment's name, or the row where it has
        # none.
        number = pd.to_numeric(segments["segment"].str.extract(r"([0-9]+)$")[0])
        rows = number.index.to_series()
        self.place = number.fillna(rows).to_numpy(np.int64)
        self.named = (segments["document"] != "").to_numpy()
        self.mean: list[float] = []
        self.sd: list[float] = []
        self.item_counts: dict[int, list[int]] = {}
        self.groups: list[WorkerGroup] = []
        self.split_of: dict[int, Split] = {}
        self.taken = np.zeros(len(self.n), dtype=bool)
        self.ambiguous = np.zeros(len(self.n), dtype=bool)

    def open_rows(self) -> Array:
        """Rows that nothing has been found about."""
        return np.flatnonzero(~self.taken)

    def record(
        self,
        row: int,
        workers: Sequence[int],
        times: tuple[int, ...],
        totals: Sequence[int] | Array,
    ) -> None:
        """Enter the only way to split a row."""
        split = (tuple(map(int, workers)), times, tuple(map(int, totals)))
        self.split_of[int(row)] = split
        self.taken[row] = True

    def record_unambiguous(self, splits: dict[int, list[Split]]) -> None:
        """Enter the rows with one way to split them; several ways are ambiguous."""
        for row, ways in splits.items():
            if len(ways) == 1:
                self.record(row, *ways[0])
            elif ways:
                self.ambiguous[row] = True

    def add_to_group(
        self, group: WorkerGroup, row: int, times: int, scores: Array
    ) -> None:
        """Enter a row of a group."""
        group.rows[int(row)] = (times, scores)
        self.taken[row] = True

    def record_groups(self) -> None:
        """Enter the rows of groups whose offsets are known."""
        for group in self.groups:
            if group.fixed:
                for row, (times, scores) in group.rows.items():
                    self.record(row, group.workers, (times,) * len(scores), scores)

    def worker_of_sd(self, sd: float) -> int:
        """The worker of this sd; a new one, of unknown mean, if none has it."""
        if sd not in self.sd:
            self.sd.append(sd)
            self.mean.append(np.nan)
        return self.sd.index(sd)

    def known_workers(self) -> Array:
        """Workers whose mean and sd are both known."""
        return np.flatnonzero(~np.isnan(self.mean))

    def means_of(self, group: WorkerGroup) -> Array:
        """Means of a group's workers, NaN where they are not known."""
        return np.array([self.mean[w] for w in group.workers])

    def score_bounds(self) -> Arrays:
        """Lowest and highest score of each worker, as the scores stand."""
        low = np.zeros(len(self.sd))
        high = np.full(len(self.sd), float(HIGHEST_SCORE))
        for group in self.groups:
            if group.choices is not None:
                low[group.workers] = -group.choices.max(axis=0)
                high[group.workers] = HIGHEST_SCORE - group.choices.min(axis=0)
        return low, high

    def splits(self) -> pd.DataFrame:
        """All splits: row, worker, times (how often), total (sum of the scores)."""
        rows = [
            (row, *judged)
            for row, split in self.split_of.items()
            for judged in zip(*split, strict=True)
        ]
        columns = ["row", "worker", "times", "total"]
        return pd.DataFrame(rows, columns=columns, dtype=np.int64)

    def possible_items(self, worker: Array, times: Array, total: Array) -> pd.DataFrame:
        """Numbers of items that the workers of known scale can have scored.

        Parameters
        ----------
        worker, times, total : arrays
            Who judged a segment, how often, and the sum of those scores. Two scores
            known by their sum count as two halves.

        Returns
        -------
        DataFrame
            worker, items (of `worker_scale.possible_item_counts`); judgements, total,
            squares: count, sum and sum of squares of those that are not known.
        """
        weights = (times, total, total * total / times)
        sums = np.array([np.bincount(worker, x, len(self.sd)) for x in weights])
        rows = []
        for w in self.known_workers().tolist():
            for count in possible_item_counts(self.mean[w], self.sd[w], *sums[:, w]):
                rows.append((w, count[0], *(count - sums[:, w])))
        columns = ["worker", "items", "judgements", "total", "squares"]
        return pd.DataFrame(rows, columns=columns).astype({"judgements": np.int64})
