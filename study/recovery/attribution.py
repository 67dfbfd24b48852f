"""Who judged which segments: the steps that split segment means into judgements.

- `split_single` finds the scales of workers from segments that were judged once.
- `split_by_known_workers` splits segments of one or two workers of known scale.
- `split_unknown_groups` splits runs of segments by two to five workers of whom nothing
  is known, by lattice reduction. Each worker's scores are then known up to an offset,
  which `offsets` finds.
- `split_by_teams` looks for known workers in other combinations: those of a run, or any
  three.

They enter what they find in a `State`: the segments as arrays, the workers found so
far, and who judged which segment. A segment stays open if more than one of the splits
that are tried explains it.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

import numpy as np
import pandas as pd

from study.data.printed_digits import Array, Arrays
from study.recovery import integer_splits
from study.recovery.worker_scale import (
    find_scale,
    fits_scale,
    possible_item_counts,
)
from wmtlib.assessments import HIGHEST_SCORE

# By number of workers: segments that a run must have to be tried without knowing the
# workers. Of random runs of these lengths lattice reduction splits 27, 67, 97 and 100
# %, and none wrongly (60, 60, 30 and 20 runs). With 3 or 5 segments it hardly ever
# splits those of two or three workers; for four and five workers there is a margin: of
# runs of 8 and 12 segments it splits 73 and 60 %.
RUN_LENGTHS = {2: 4, 3: 6, 4: 10, 5: 16}
# By number of judgements of a segment: how often each of two workers judged it.
PAIR_TIMES = {2: (1, 1), 3: (2, 1), 4: (2, 2)}
MOST_TRIPLES = 400_000  # sets of three workers that are tried
# One way to split a segment: workers, how often each judged it, sum of each worker's
# scores.
Split = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


# --- what is known so far ----------------------------------------------------------


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
    rows, times, totals : arrays (rows,), (rows,), (rows, k)
        The segments, how often each worker judged each, and the sum of each worker's
        scores.
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
    rows: Array
    times: Array
    totals: Array
    fixed: bool = False
    aligned: list[tuple["WorkerGroup", Array]] = field(default_factory=list)
    known_offset: Array | None = None
    means: Array | None = None
    choices: Array | None = None

    def scores(self) -> Array:
        """Scores, (rows, k); of a segment judged twice the mean."""
        return self.totals / self.times[:, None]

    def all_scores(self) -> Array:
        """Scores in all groups that share these workers' offsets, (rows, k)."""
        others = [group.scores()[:, places] for group, places in self.aligned]
        return np.vstack([self.scores(), *others])

    def all_times(self) -> Array:
        """How often each worker judged each row of `all_scores`."""
        return np.concatenate([self.times, *(group.times for group, _ in self.aligned)])

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
        self.totals = self.totals + self.times[:, None] * q
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
    mean, sd : arrays (workers,)
        Of the workers found so far; a mean that is not known is NaN.
    item_counts : dict from worker to array
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
        self.mean = np.empty(0)
        self.sd = np.empty(0)
        self.item_counts: dict[int, Array] = {}
        self.groups: list[WorkerGroup] = []
        self.split_of: dict[int, Split] = {}
        self.taken = np.zeros(len(self.n), dtype=bool)
        self.ambiguous = np.zeros(len(self.n), dtype=bool)

    def open_rows(self) -> Array:
        """Rows that nothing has been found about."""
        return np.flatnonzero(~self.taken)

    def record(self, row: int, split: Split) -> None:
        """Enter the only way to split a row."""
        self.split_of[row] = split
        self.taken[row] = True

    def record_unambiguous(self, ways: list[tuple[int, Split]]) -> None:
        """Enter the rows with one way to split them; several ways are ambiguous."""
        count = Counter(row for row, _ in ways)
        for row, split in ways:
            if count[row] == 1:
                self.record(row, split)
            else:
                self.ambiguous[row] = True

    def record_groups(self) -> None:
        """Enter the rows of groups whose offsets are known."""
        for group in self.groups:
            if group.fixed:
                for row, n, totals in zip(
                    group.rows, group.times, group.totals, strict=True
                ):
                    times = (n,) * len(totals)
                    self.record(row, (tuple(group.workers), times, tuple(totals)))

    def add_worker(self, mean: float, sd: float) -> int:
        """Enter a worker; gives the worker's number."""
        self.mean = np.append(self.mean, mean)
        self.sd = np.append(self.sd, sd)
        return len(self.sd) - 1

    def known_workers(self) -> Array:
        """Workers whose mean and sd are both known."""
        return np.flatnonzero(~np.isnan(self.mean))

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


# --- workers of known scale -----------------------------------------------------------


def split_single(state: State) -> None:
    """Find the scales of workers from the segments that were judged once."""
    rows = np.flatnonzero(state.n == 1)
    while len(rows):
        scale, explained = find_scale(state.total, state.z, rows)
        if scale is None:
            rows = rows[1:]
            continue
        worker = state.add_worker(*scale)
        for row in rows[explained]:
            state.record(row, ((worker,), (1,), (state.total[row],)))
        rows = rows[~explained]


def split_by_known_workers(state: State) -> None:
    """Split open segments of one or two workers of known scale, each once or twice."""
    rows = state.open_rows()
    workers = state.known_workers()
    mean = state.mean[workers]
    sd = state.sd[workers]
    ways: list[tuple[int, Split]] = []
    raw = state.total[rows] / state.n[rows]
    for w, m, s in zip(workers, mean, sd, strict=True):
        for row in rows[fits_scale(raw, state.z[rows], m, s)]:
            ways.append((row, ((w,), (state.n[row],), (state.total[row],))))
    for n, times in PAIR_TIMES.items():
        judged = rows[state.n[rows] == n]
        segment, pairs, totals = integer_splits.split_among_pairs(
            state.total[judged], state.y[judged], mean=mean, sd=sd, times=times
        )
        for row, pair, scores in zip(
            judged[segment], workers[pairs], totals, strict=True
        ):
            ways.append((row, (tuple(pair), times, tuple(scores))))
    state.record_unambiguous(ways)


# --- workers of whom nothing is known -------------------------------------------------


def split_unknown_groups(state: State, workers: int) -> None:
    """Split runs of segments that this number of workers judged; none need be known."""
    for rows in _runs(state, workers):
        rows = rows[~state.taken[rows]]
        for segments in _run_parts(rows, workers):
            group = _new_group(state, segments, workers)
            if group is not None:
                state.groups.append(group)
                _extend(state, group)
                break


def _runs(state: State, workers: int) -> list[Array]:
    """Runs of consecutive open rows with this number of judgements, longest first.

    Without documents there may be no runs. Then the order of the release, which lists
    the segments of a system HIT by HIT, takes their place.
    """
    rows = state.open_rows()
    listed = rows[(state.n[rows] == workers) & ~state.named[rows]]
    rows = rows[np.isin(state.n[rows], (workers, 2 * workers))]
    rows = rows[np.lexsort([state.place[rows], state.run[rows]])]
    # A run ends where the system or the document changes, or a segment is missing.
    breaks = (np.diff(state.run[rows]) != 0) | (np.diff(state.place[rows]) > 1)
    runs = np.split(rows, np.flatnonzero(breaks) + 1)
    runs = [run[state.n[run] == workers] for run in runs]
    runs.sort(key=len, reverse=True)
    return runs + np.split(listed, np.flatnonzero(np.diff(state.run[listed])) + 1)


def _run_parts(rows: Array, workers: int) -> list[Array]:
    """The run, then parts of it, in case one set of workers judged after another."""
    if len(rows) < RUN_LENGTHS[workers]:
        return []
    size = RUN_LENGTHS[workers] + 2
    candidates = [rows[: 3 * size]]
    if len(rows) > size:
        for start in range(0, len(rows) - size + 1, size // 2):
            candidates.append(rows[start : start + size])
    return candidates


def _new_group(state: State, rows: Array, workers: int) -> WorkerGroup | None:
    """A group of unknown workers who explain these rows, or None."""
    solution = integer_splits.split_run(state.total[rows], state.y[rows], workers)
    if solution is None:
        return None
    sd, scores = solution
    if len(set(sd)) < workers:  # the same worker twice
        return None
    # Any offsets will do if the scores add up to the totals.
    offset = -scores.min(axis=1)
    offset[0] += state.total[rows[0]] - scores[:, 0].sum() - offset.sum()
    scores = scores + offset[:, None]
    level = np.mean((scores / sd[:, None]).sum(axis=0) - state.y[rows])
    workers_of_sds = []
    for s in sd:
        same = np.flatnonzero(state.sd == s)
        workers_of_sds.append(same[0] if len(same) else state.add_worker(np.nan, s))
    state.taken[rows] = True
    return WorkerGroup(workers_of_sds, sd, level, rows, np.ones_like(rows), scores.T)


def _extend(state: State, group: WorkerGroup) -> None:
    """Add to a group every open row that its workers can have judged equally often."""
    for times in (1, 2):
        scores = group.scores()
        low = times * (scores.max(axis=0) - HIGHEST_SCORE)
        high = times * (scores.min(axis=0) + HIGHEST_SCORE)
        workers = integer_splits.Workers(group.sd, low, high)
        rows, ways = _ways_of_team(
            state,
            state.open_rows(),
            workers,
            times * group.level,
            times * len(scores.T),
        )
        only = ~pd.Series(rows).duplicated(keep=False)
        state.taken[rows[only]] = True
        group.rows = np.append(group.rows, rows[only])
        group.times = np.append(group.times, np.repeat(times, only.sum()))
        group.totals = np.vstack([group.totals, ways[only]])


def _ways_of_team(
    state: State,
    rows: Array,
    workers: integer_splits.Workers,
    level: float,
    judgements: int,
) -> Arrays:
    """All ways to split those of the rows that a team judged so often: rows, totals.

    `level` is the sum of mean / sd over these judgements.
    """
    rows = rows[state.n[rows] == judgements]
    y = state.y[rows] + level
    place, totals = integer_splits.split_scores(
        state.total[rows], y, workers, judgements
    )
    return rows[place], totals


# --- workers of known scale in other combinations -------------------------------------

# Sets of three workers of known scale, (3, n), by their sds; and their sums of mean /
# sd.
Triples = tuple[Array, integer_splits.Workers, Array]


def split_by_teams(state: State) -> None:
    """Split the open rows of each run by workers of its other rows, else by any three.

    Each worker can have judged a row once or twice, as in HITs that showed a segment
    again.
    """
    rows = state.open_rows()
    # Rows of no document are runs of their own.
    run = np.where(state.named[rows], state.run[rows], -1 - rows)
    teams: dict[int, set[tuple[int, ...]]] = {}
    for row, (workers, _, _) in state.split_of.items():
        by_sd = tuple(sorted(workers, key=lambda w: (state.sd[w], w)))
        teams.setdefault(state.run[row], set()).add(by_sd)
    scales = np.array([state.mean, state.sd, *state.score_bounds()])
    triples = _triples(state, scales)
    ways: list[tuple[int, Split]] = []
    for number in np.unique(run):
        rows_of_run = rows[run == number]
        for team in teams.get(number) or _only_triple(state, rows_of_run, triples):
            ways += _splits_by_team(state, rows_of_run, team, scales)
    state.record_unambiguous(ways)


def _splits_by_team(
    state: State, rows: Array, team: tuple[int, ...], scales: Array
) -> Iterator[tuple[int, Split]]:
    """All ways in which each worker of a team can have judged rows once or twice.

    Gives rows and splits. `scales` has the means, sds, lowest and highest scores of all
    workers, (4, workers).
    """
    if len(team) == 1:
        return
    mean, sd, low, high = scales[:, team]
    for times in product((1, 2), repeat=len(team)):
        t = np.array(times)
        workers = integer_splits.Workers(sd, t * low, t * high)
        level = (t * mean / sd).sum()
        split = _ways_of_team(state, rows, workers, level, sum(times))
        for row, totals in zip(*split, strict=True):
            yield row, (team, times, tuple(totals))


def _triples(state: State, scales: Array) -> list[Triples]:
    """Sets with two workers who are known to have judged together; then all others."""
    known_workers = state.known_workers()
    by_sd = known_workers[np.argsort(state.sd[known_workers], kind="stable")]
    together = np.zeros((len(state.sd), len(state.sd)), dtype=bool)
    for team in {workers for workers, _, _ in state.split_of.values()}:
        together[np.ix_(team, team)] = True
    together = together[np.ix_(by_sd, by_sd)]
    # Entry (a, b, c) is about the workers a, b and c: whether two of them judged
    # together, and whether a < b < c, so that each set counts once.
    likely = together[:, :, None] | together[:, None, :] | together
    place = np.arange(len(by_sd))
    ascending = (place[:, None] < place)[:, :, None] & (place[:, None] < place)
    triples = []
    for chosen in (ascending & likely, ascending & ~likely):
        if 0 < np.count_nonzero(chosen) <= MOST_TRIPLES:
            sets = by_sd[np.argwhere(chosen)].T
            mean, *bounds = scales[:, sets]
            workers = integer_splits.Workers(*bounds)
            triples.append((sets, workers, (mean / workers.sd).sum(axis=0)))
    return triples


def _only_triple(
    state: State, rows: Array, triples: list[Triples]
) -> list[tuple[int, ...]]:
    """The only three workers who can have judged the row of fewest candidates."""
    rows = rows[state.n[rows] == 3]
    if not len(rows):
        return []
    total = state.total[rows]
    probe = np.minimum(total, 3 * HIGHEST_SCORE - total).argmin()
    for sets, workers, level in triples:
        y = state.y[rows[probe]] + level
        fitting = integer_splits.fitting_triples(total[probe], y, workers)
        if len(fitting) == 1:
            return [tuple(sets[:, fitting[0]])]
    return []
