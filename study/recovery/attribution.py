"""Splits of segment means into judgements: steps that find who judged which segment.

- `split_single` finds the scales of workers from segments that were judged once.
- `split_by_known_workers` splits segments of one or two workers of known scale.
- `split_unknown_groups` splits runs of segments by two to five workers of whom nothing
  is known, by lattice reduction. Each worker's scores are then known up to an offset,
  which `offsets` finds; `split_groups` enters those whose offsets are known.
- `split_by_teams` looks for known workers in other combinations: those of a run, or any
  three.

Each takes a `Knowledge` and returns another one, in the order of `recover.STEPS`. A
segment stays open if more than one of the splits that are tried explains it.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd

from study.data.printed_digits import Array, Arrays
from study.recovery import integer_splits
from study.recovery.knowledge import (
    Knowledge,
    SegmentMeans,
    WorkerGroup,
    split_rows,
)
from study.recovery.worker_scale import find_scale, fits_scale
from wmtlib.core.assessments import HIGHEST_SCORE

# By number of workers: segments that a run must have to be tried without knowing the
# workers. Of random runs of these lengths lattice reduction splits 27, 67, 97 and 100
# %, and none wrongly (60, 60, 30 and 20 runs). With 3 or 5 segments it hardly ever
# splits those of two or three workers; for four and five workers there is a margin: of
# runs of 8 and 12 segments it splits 73 and 60 %.
RUN_LENGTHS = {2: 4, 3: 6, 4: 10, 5: 16}
# By number of judgements of a segment: how often each of two workers judged it.
PAIR_TIMES = {2: (1, 1), 3: (2, 1), 4: (2, 2)}
MOST_TRIPLES = 400_000  # sets of three workers that are tried


# --- workers of known scale -----------------------------------------------------------


def split_single(known: Knowledge) -> Knowledge:
    """Find the scales of workers from the segments that were judged once."""
    segments = known.segments
    scales: list[tuple[float, float]] = []
    ways = []
    rows = np.flatnonzero(segments.n == 1)
    while len(rows):
        scale, explained = find_scale(segments.total, segments.z, rows)
        if scale is None:
            rows = rows[1:]
            continue
        judged = rows[explained]
        worker = len(known.sd) + len(scales)
        ways.append(split_rows(judged, worker, 1, segments.total[judged, None]))
        scales.append(scale)
        rows = rows[~explained]
    return known.with_workers(*np.reshape(scales, (-1, 2)).T).with_splits(ways)


def split_by_known_workers(known: Knowledge) -> Knowledge:
    """Split open segments of one or two workers of known scale, each once or twice."""
    n = known.segments.n
    total = known.segments.total
    rows = known.open_rows()
    workers = known.known_workers()
    mean = known.mean[workers]
    sd = known.sd[workers]
    ways = []
    raw = total[rows] / n[rows]
    for worker, m, s in zip(workers, mean, sd, strict=True):
        judged = rows[fits_scale(raw, known.segments.z[rows], m, s)]
        ways.append(split_rows(judged, worker, n[judged, None], total[judged, None]))
    for judgements, times in PAIR_TIMES.items():
        judged = rows[n[rows] == judgements]
        segment, pairs, totals = integer_splits.split_among_pairs(
            total[judged], known.segments.y[judged], mean=mean, sd=sd, times=times
        )
        ways.append(split_rows(judged[segment], workers[pairs], times, totals))
    return known.with_splits(ways)


# --- workers of whom nothing is known -------------------------------------------------


def split_unknown_groups(known: Knowledge, *, workers: int) -> Knowledge:
    """Split runs of segments that this number of workers judged; none need be known."""
    for run in _runs(known, workers):
        open_rows = run[~known.taken[run]]
        for rows in _run_parts(open_rows, workers):
            solution = integer_splits.split_run(
                known.segments.total[rows], known.segments.y[rows], workers
            )
            # A worker has one sd: two that are equal are one worker twice.
            if solution is not None and len(set(solution[0])) == workers:
                known = _with_new_group(known, rows, *solution)
                break
    return known


def _runs(known: Knowledge, workers: int) -> list[Array]:
    """List runs of consecutive open rows with this number of judgements, longest first.

    Without documents there may be no runs. Then the order of the release, which lists
    the segments of a system HIT by HIT, takes their place.
    """
    n, run, place = known.segments.n, known.segments.run, known.segments.place
    rows = known.open_rows()
    listed = rows[(n[rows] == workers) & ~known.segments.named[rows]]
    rows = rows[np.isin(n[rows], (workers, 2 * workers))]
    rows = rows[np.lexsort([place[rows], run[rows]])]
    # A run ends where the system or the document changes, or a segment is missing.
    breaks = (np.diff(run[rows]) != 0) | (np.diff(place[rows]) > 1)
    runs = np.split(rows, np.flatnonzero(breaks) + 1)
    runs = [rows_of_run[n[rows_of_run] == workers] for rows_of_run in runs]
    runs.sort(key=len, reverse=True)
    return runs + np.split(listed, np.flatnonzero(np.diff(run[listed])) + 1)


def _run_parts(rows: Array, workers: int) -> list[Array]:
    """Return the run, then parts of it, in case other workers judged its rest."""
    if len(rows) < RUN_LENGTHS[workers]:
        return []
    size = RUN_LENGTHS[workers] + 2
    starts = range(0, len(rows) - size + 1, size // 2)
    return [rows[: 3 * size], *(rows[start : start + size] for start in starts)]


def _with_new_group(
    known: Knowledge, rows: Array, sd: Array, scores: Array
) -> Knowledge:
    """Add the workers of a run, and every open row that they can have judged too."""
    segments = known.segments
    # Any offsets will do if the scores add up to the totals.
    offset = -scores.min(axis=1)
    offset[0] += segments.total[rows[0]] - offset.sum()  # first scores are 0
    scores = scores + offset[:, None]
    level = np.mean((scores / sd[:, None]).sum(axis=0) - segments.y[rows])
    # A worker with the same sd is the same worker.
    unknown = sd[~np.isin(sd, known.sd)]
    known = known.with_workers(np.full(len(unknown), np.nan), unknown)
    workers = np.array([np.flatnonzero(known.sd == s)[0] for s in sd])
    group = WorkerGroup(workers, sd, level, rows, np.ones_like(rows), scores.T)
    open_rows = np.setdiff1d(known.open_rows(), rows)
    for times in (1, 2):
        group = _extended(group, segments, open_rows, times)
    taken = known.taken.copy()
    taken[group.rows] = True
    return replace(known, taken=taken, groups=(*known.groups, group))


def _extended(
    group: WorkerGroup, segments: SegmentMeans, rows: Array, times: int
) -> WorkerGroup:
    """Add to a group the rows that each of its workers can have judged so often."""
    scores = group.scores()
    low = times * (scores.max(axis=0) - HIGHEST_SCORE)
    high = times * (scores.min(axis=0) + HIGHEST_SCORE)
    workers = integer_splits.Workers(group.sd, low, high)
    level = times * group.level
    rows, ways = _ways_of_team(segments, rows, workers, level, times * len(group.sd))
    only = ~pd.Series(rows).duplicated(keep=False).to_numpy()
    return replace(
        group,
        rows=np.append(group.rows, rows[only]),
        times=np.append(group.times, np.repeat(times, only.sum())),
        totals=np.vstack([group.totals, ways[only]]),
    )


def split_groups(known: Knowledge) -> Knowledge:
    """Split the rows of groups whose offsets are known."""
    ways = [
        split_rows(group.rows, group.workers, group.times[:, None], group.totals)
        for group in known.groups
        if group.fixed
    ]
    return known.with_splits(ways)


def _ways_of_team(
    segments: SegmentMeans,
    rows: Array,
    workers: integer_splits.Workers,
    level: float,
    judgements: int,
) -> Arrays:
    """Find all ways to split those of the rows that a team judged so often.

    Returns rows and totals. `level` is the sum of mean / sd over these judgements.
    """
    rows = rows[segments.n[rows] == judgements]
    place, totals = integer_splits.split_scores(
        segments.total[rows], segments.y[rows] + level, workers, judgements
    )
    return rows[place], totals


# --- workers of known scale in other combinations -------------------------------------

# Sets of three workers of known scale, (3, n), by their sds; and their sums of mean /
# sd.
Triples = tuple[Array, integer_splits.Workers, Array]


def split_by_teams(known: Knowledge) -> Knowledge:
    """Split the open rows of each run by workers of its other rows, else by any three.

    Each worker can have judged a row once or twice, as in HITs that showed a segment
    again.
    """
    segments = known.segments
    rows = known.open_rows()
    # Rows of no document are runs of their own.
    run = np.where(segments.named[rows], segments.run[rows], -1 - rows)
    teams = _teams(known)
    teams_of_run = teams.groupby(segments.run[teams.index]).agg(set)
    scales = np.array([known.mean, known.sd, *known.score_bounds()])
    triples = _triples(known, scales)
    ways: list[Array] = []
    for number in np.unique(run):
        judged = rows[run == number]
        for team in teams_of_run.get(number) or _only_triple(segments, judged, triples):
            ways += _splits_by_team(segments, judged, team, scales)
    return known.with_splits(ways)


def _teams(known: Knowledge) -> pd.Series:
    """Return the workers of each row that was split, by their sds."""
    sd = known.sd[known.splits["worker"]]
    by_sd = known.splits.assign(sd=sd).sort_values(["row", "sd", "worker"])
    rows, starts = np.unique(by_sd["row"], return_index=True)
    of_rows = np.split(by_sd["worker"].to_numpy(), starts[1:])[: len(rows)]
    teams = [tuple(workers.tolist()) for workers in of_rows]
    return pd.Series(teams, pd.Index(rows, dtype=int), dtype=object)


def _splits_by_team(
    segments: SegmentMeans, rows: Array, team: tuple[int, ...], scales: Array
) -> Iterator[Array]:
    """Yield all ways in which each worker of a team judged rows once or twice.

    `scales` has the means, sds, lowest and highest scores of all workers, (4, workers).
    """
    if len(team) == 1:
        return
    mean, sd, low, high = scales[:, team]
    for times in product((1, 2), repeat=len(team)):
        t = np.array(times)
        workers = integer_splits.Workers(sd, t * low, t * high)
        level = (t * mean / sd).sum()
        judged, totals = _ways_of_team(segments, rows, workers, level, sum(times))
        yield split_rows(judged, team, times, totals)


def _triples(known: Knowledge, scales: Array) -> list[Triples]:
    """List sets with two workers who are known to have judged together; then others."""
    known_workers = known.known_workers()
    by_sd = known_workers[np.argsort(known.sd[known_workers], kind="stable")]
    together = np.zeros((len(known.sd), len(known.sd)), dtype=bool)
    for team in set(_teams(known)):
        together[np.ix_(team, team)] = True
    together = together[np.ix_(by_sd, by_sd)]
    # Entry (a, b, c) is about the workers a, b and c: whether two of them judged
    # together, and whether a < b < c, so that each set counts once.
    a, b, c = np.ogrid[: len(by_sd), : len(by_sd), : len(by_sd)]
    likely = together[a, b] | together[a, c] | together[b, c]
    ascending = (a < b) & (b < c)
    triples = []
    for chosen in (ascending & likely, ascending & ~likely):
        if 0 < np.count_nonzero(chosen) <= MOST_TRIPLES:
            sets = by_sd[np.argwhere(chosen)].T
            mean, *bounds = scales[:, sets]
            workers = integer_splits.Workers(*bounds)
            triples.append((sets, workers, (mean / workers.sd).sum(axis=0)))
    return triples


def _only_triple(
    segments: SegmentMeans, rows: Array, triples: list[Triples]
) -> list[tuple[int, ...]]:
    """Find the only three workers who can have judged the row of fewest candidates."""
    rows = rows[segments.n[rows] == 3]
    if not len(rows):
        return []
    total = segments.total[rows]
    probe = np.minimum(total, 3 * HIGHEST_SCORE - total).argmin()
    for sets, workers, level in triples:
        y = segments.y[rows[probe]] + level
        fitting = integer_splits.fitting_triples(total[probe], y, workers)
        if len(fitting) == 1:
            return [tuple(sets[:, fitting[0]])]
    return []
