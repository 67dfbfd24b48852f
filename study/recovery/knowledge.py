"""Knowledge of a campaign: its segment means, and what its judgements are so far.

A `Knowledge` is never changed: each step of `recover.STEPS` takes one and returns
another.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from study.data.printed_digits import Array, Arrays
from study.recovery.worker_scale import possible_item_counts
from wmtlib.core.assessments import HIGHEST_SCORE

SPLITS = ["row", "worker", "times", "total"]


@dataclass(frozen=True, eq=False)
class SegmentMeans:
    """Segment means of one campaign as arrays; a row is one judgement or several.

    Attributes
    ----------
    n, total, z : arrays (rows,)
        Number of judgements, sum of their scores, mean of their z-scores.
    run, place : arrays of int (rows,)
        The run of each row (its system and document), and its place in the run.
    named : array of bool (rows,)
        Whether the document is known.
    """

    n: Array
    total: Array
    z: Array
    run: Array
    place: Array
    named: Array

    @cached_property
    def y(self) -> Array:
        """Compute the sum of the z-scores of each row."""
        return self.z * self.n


def segment_means(segments: pd.DataFrame) -> SegmentMeans:
    """Return a table with columns `recover.SEGMENT_MEANS` as arrays."""
    n = segments["judgements"].to_numpy(np.int64)
    # The place is the number that ends the segment's name, or the row where it has
    # none.
    number = pd.to_numeric(segments["segment"].str.extract(r"([0-9]+)$")[0])
    place = number.fillna(number.index.to_series())
    return SegmentMeans(
        n=n,
        total=np.rint(segments["raw"].to_numpy() * n).astype(np.int64),
        z=segments["z"].to_numpy(),
        run=segments.groupby(["system", "document"], sort=False).ngroup().to_numpy(),
        place=place.to_numpy(np.int64),
        named=(segments["document"] != "").to_numpy(),
    )


@dataclass(frozen=True, eq=False)
class WorkerGroup:
    """Workers (k) who judged the same segments; scores are known up to offsets.

    Adding an offset q_w to all scores of worker w, with sum_w q_w = 0, changes `level`
    and nothing else that was published.

    Attributes
    ----------
    workers : array of int (k,)
    sd : array (k,)
    level : float
        Sum of mean / sd over the workers, for the scores with the present offsets.
    rows, times, totals : arrays (rows,), (rows,), (rows, k)
        The segments, how often each worker judged each, and the sum of each worker's
        scores.
    fixed : bool
        Whether the offsets are known.
    aligned : tuple of (number, places)
        Groups with the same offsets, by number; the places of this group's workers in
        theirs.
    known_offset : array (k,), optional
        Offsets of workers whose means are known, NaN for the others.
    means : array (k,), optional
        Means of the workers, for the scores with the present offsets.
    choices : array (n, k), optional
        Offsets that remain possible after one of them was chosen.
    """

    workers: Array
    sd: Array
    level: float
    rows: Array
    times: Array
    totals: Array
    fixed: bool = False
    aligned: tuple[tuple[int, Array], ...] = ()
    known_offset: Array | None = None
    means: Array | None = None
    choices: Array | None = None

    def scores(self) -> Array:
        """Compute the scores, (rows, k); of a segment judged twice the mean."""
        return self.totals / self.times[:, None]


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Segment means of one campaign, and what the steps have found about them.

    Attributes
    ----------
    segments : SegmentMeans
    taken, ambiguous : arrays of bool (rows,)
        Rows that something was found about, and rows that several splits explain.
    mean, sd : arrays (workers,)
        Of the workers found so far; a mean that is not known is NaN.
    item_counts : dict from worker to array
        Numbers of items that a worker can have scored, if the worker's mean rests on
        them.
    groups : tuple of WorkerGroup
    splits : DataFrame
        row, worker, times (how often the worker judged it), total (sum of those
        scores): of rows that were split in one way.
    """

    segments: SegmentMeans
    taken: Array
    ambiguous: Array
    mean: Array
    sd: Array
    item_counts: dict[int, Array]
    groups: tuple[WorkerGroup, ...]
    splits: pd.DataFrame

    # --- what is known --------------------------------------------------------------

    def open_rows(self) -> Array:
        """Return the rows that nothing has been found about."""
        return np.flatnonzero(~self.taken)

    def known_workers(self) -> Array:
        """Return the workers whose mean and sd are both known."""
        return np.flatnonzero(~np.isnan(self.mean))

    def scores_of(self, group: WorkerGroup) -> Arrays:
        """Return a group's scores, (rows, k), and how often each was given.

        Scores in all groups that share the offsets of these workers are among them.
        """
        others = [(self.groups[number], places) for number, places in group.aligned]
        scores = [other.scores()[:, places] for other, places in others]
        times = [other.times for other, _ in others]
        return np.vstack([group.scores(), *scores]), np.hstack([group.times, *times])

    def bounds(self, group: WorkerGroup) -> Arrays:
        """Return the lowest and highest offsets that keep all scores within 0..100."""
        scores, _ = self.scores_of(group)
        low = np.ceil(-scores.min(axis=0))
        high = np.floor(HIGHEST_SCORE - scores.max(axis=0))
        if group.known_offset is None:
            return low, high
        return np.fmax(low, group.known_offset), np.fmin(high, group.known_offset)

    def score_bounds(self) -> Arrays:
        """Return the lowest and highest score of each worker, by present offsets."""
        low = np.zeros(len(self.sd))
        high = np.full(len(self.sd), float(HIGHEST_SCORE))
        for group in self.groups:
            if group.choices is not None:
                low[group.workers] = -group.choices.max(axis=0)
                high[group.workers] = HIGHEST_SCORE - group.choices.min(axis=0)
        return low, high

    def possible_items(self, worker: Array, times: Array, total: Array) -> pd.DataFrame:
        """List the numbers of items that workers of known scale can have scored.

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

    # --- knowledge with something new -----------------------------------------------

    def with_workers(self, mean: Array, sd: Array) -> "Knowledge":
        """Add workers; their numbers follow those of the others."""
        mean = np.append(self.mean, mean)
        return replace(self, mean=mean, sd=np.append(self.sd, sd))

    def with_means(self, workers: Array, means: Array) -> "Knowledge":
        """Set the means of workers."""
        mean = self.mean.copy()
        mean[workers] = means
        return replace(self, mean=mean)

    def with_splits(self, ways: list[Array]) -> "Knowledge":
        """Add the rows with one way to split them; several ways are ambiguous.

        Parameters
        ----------
        ways : list of arrays (4, judgements)
            Of `split_rows`.
        """
        columns = np.hstack([np.empty((4, 0), np.int64), *ways])
        row, _, times, _ = columns
        # Every way to split a row has all n judgements.
        n = self.segments.n
        judged = np.bincount(row, times, len(n))
        only = pd.DataFrame(columns[:, judged[row] == n[row]].T, columns=SPLITS)
        return replace(
            self,
            splits=pd.concat([self.splits, only], ignore_index=True),
            taken=self.taken | (judged == n),
            ambiguous=self.ambiguous | (judged > n),
        )

    def with_group(self, number: int, **changes: Any) -> "Knowledge":
        """Replace values of one group."""
        groups = [*self.groups]
        groups[number] = replace(groups[number], **changes)
        return replace(self, groups=tuple(groups))

    def with_offsets(self, number: int, q: Array) -> "Knowledge":
        """Fix the offsets of a group, and of the groups aligned to it."""
        group = self.groups[number]
        known = self.with_group(
            number,
            totals=group.totals + group.times[:, None] * q,
            level=group.level + float((q / group.sd).sum()),
            fixed=True,
            means=None if group.means is None else group.means + q,
        )
        for other, places in group.aligned:
            offsets = np.zeros(len(self.groups[other].sd))
            offsets[places] = q
            known = known.with_offsets(other, offsets)
        return known


def split_rows(rows: Array, workers: Any, times: Any, totals: Array) -> Array:
    """Return ways to split rows, (ways,), as columns `SPLITS`: (4, judgements).

    The others are (ways, k), or as much of it as differs: k workers, how often each
    judged, and the sum of each worker's scores.
    """
    columns = np.broadcast_arrays(rows[:, None], workers, times, totals)
    return np.reshape(columns, (4, -1)).astype(np.int64)


def nothing_found(segments: pd.DataFrame) -> Knowledge:
    """Return what is known before the first step: the segment means."""
    return Knowledge(
        segments=segment_means(segments),
        taken=np.zeros(len(segments), dtype=bool),
        ambiguous=np.zeros(len(segments), dtype=bool),
        mean=np.empty(0),
        sd=np.empty(0),
        item_counts={},
        groups=(),
        splits=pd.DataFrame(columns=SPLITS, dtype=np.int64),
    )
