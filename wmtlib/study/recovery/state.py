"""The knowledge about a campaign while its segments are split into judgements.

`State` holds the segments as arrays, the workers found so far, and who judged which
segment. `WorkerGroup` holds workers who judged segments together before anything else
is known of them.
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from wmtlib.assessments import HIGHEST_SCORE
from wmtlib.study.recovery.worker_scale import Array, Arrays, possible_item_counts

# One way to split a segment: workers, how often each judged it, sum of each worker's
# scores.
Split = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


@dataclass
class WorkerGroup:
    """k workers who judged the same segments, whose scores are known up to an offset for each.

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
    tried : int
        Number of items that were known when means were last looked for by the number of
        items.
    aligned : list of (WorkerGroup, places)
        Groups with the same offsets; the places of this group's workers in theirs.
    limits : array (2, k), optional
        Lowest and highest offsets, by what the workers scored elsewhere.
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
    tried: int = 0
    aligned: list[tuple["WorkerGroup", Array]] = field(default_factory=list)
    limits: Array | None = None
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
        """Lowest and highest offsets, each (k,), that keep every score within 0..100."""
        scores = self.all_scores()
        low, high = (
            np.ceil(-scores.min(axis=0)),
            np.floor(HIGHEST_SCORE - scores.max(axis=0)),
        )
        if self.limits is not None:
            low, high = (
                np.maximum(low, self.limits[0]),
                np.minimum(high, self.limits[1]),
            )
        return low, high

    def shift(self, q: Array) -> None:
        """Fix the offsets."""
        self.rows = {
            row: (times, scores + times * q)
            for row, (times, scores) in self.rows.items()
        }
        self.level += float((q / self.sd).sum())
        self.fixed = True
        self.means = None if self.means is None else self.means + q
        for group, places in self.aligned:
            theirs = np.zeros(len(group.sd))
            theirs[places] = q
            group.shift(theirs)


class State:
    """The segments of one campaign as arrays, and what has been found. Internal to `recover`.

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
    found : dict from row to Split
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
        self.run = (
            segments.groupby(["system", "document"], sort=False).ngroup().to_numpy()
        )
        # The place is the number that ends the segment's name, or the row where it has
        # none.
        number = (
            segments["segment"]
            .str.extract(r"([0-9]+)$")[0]
            .fillna("-1")
            .astype(np.int64)
        )
        self.place = number.where(number >= 0, np.arange(len(number))).to_numpy()
        self.named = (segments["document"] != "").to_numpy()
        self.mean: list[float] = []
        self.sd: list[float] = []
        self.item_counts: dict[int, list[int]] = {}
        self.groups: list[WorkerGroup] = []
        self.found: dict[int, Split] = {}
        self.taken = np.zeros(len(self.n), dtype=bool)
        self.ambiguous = np.zeros(len(self.n), dtype=bool)

    def open_rows(self) -> Array:
        """Rows that nothing has been found about."""
        return np.flatnonzero(~self.taken)

    def record(
        self, row: int, workers: tuple, times: tuple, totals: Array | tuple
    ) -> None:
        """Enter the only way to split a row."""
        self.found[int(row)] = (
            tuple(map(int, workers)),
            times,
            tuple(map(int, totals)),
        )
        self.taken[row] = True

    def record_unambiguous(self, splits: dict[int, list[Split]]) -> None:
        """Enter the rows with one way to split them; rows with several are ambiguous."""
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
            for row, (times, scores) in group.rows.items() if group.fixed else ():
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
        low, high = np.zeros(len(self.sd)), np.full(len(self.sd), float(HIGHEST_SCORE))
        for group in self.groups:
            if group.choices is not None:
                low[group.workers] = -group.choices.max(axis=0)
                high[group.workers] = HIGHEST_SCORE - group.choices.min(axis=0)
        return low, high

    def splits(self) -> pd.DataFrame:
        """All that was found: row, worker, times (how often), total (sum of the scores)."""
        rows = [
            (row, *part)
            for row, split in self.found.items()
            for part in zip(*split, strict=True)
        ]
        columns = ["row", "worker", "times", "total"]
        return pd.DataFrame(
            np.array(rows, dtype=np.int64).reshape(-1, 4), columns=columns
        )

    def items_of_workers(
        self, worker: Array, times: Array, total: Array
    ) -> tuple[Array, dict]:
        """Numbers of items that the workers of known scale can have scored, given judgements.

        Parameters
        ----------
        worker, times, total : arrays
            Who judged a segment, how often, and the sum of those scores.

        Returns
        -------
        array (3, workers), dict from worker to list
            Count, sum and sum of squares of each worker's judgements (two scores known
            by their sum count as two halves); and `worker_scale.possible_item_counts`
            of each known worker.
        """
        weights = (times, total, total * total / times)
        known = np.array([np.bincount(worker, x, len(self.sd)) for x in weights])
        return known, {
            w: possible_item_counts(self.mean[w], self.sd[w], *known[:, w])
            for w in self.known_workers().tolist()
        }
