"""Who judged which segments: the steps that split segment means into judgements.

- `split_single` finds the scales of workers from segments that were judged once.
- `split_by_known_workers` splits segments of one or two workers of known scale.
- `split_unknown_groups` splits runs of segments by two to five workers of whom nothing
  is known, by lattice reduction. Each worker's scores are then known up to an offset,
  which `offsets` finds.
- `split_by_teams` looks for known workers in other combinations: those of a run, or any
  three.

A segment stays open if more than one of the splits that are tried explains it.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd

from wmtlib.assessments import HIGHEST_SCORE
from wmtlib.study.recovery import integer_splits
from wmtlib.study.recovery.state import Split, State, WorkerGroup
from wmtlib.study.recovery.worker_scale import Array, find_scale, fits_scale

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


def split_single(state: State) -> None:
    """Find the scales of workers from the segments that were judged once."""
    left = np.flatnonzero(state.n == 1)
    while len(left):
        scale, points = find_scale(state.total, state.z, left)
        if scale is None:
            left = left[1:]
            continue
        state.mean.append(scale[0])
        state.sd.append(scale[1])
        for row in left[points]:
            state.record(row, (len(state.sd) - 1,), (1,), (state.total[row],))
        left = left[~points]


def split_by_known_workers(state: State) -> None:
    """Split open segments judged by one worker of known scale, or by two, each once or twice."""
    rows, known = state.open_rows(), state.known_workers()
    mean, sd = np.array(state.mean)[known], np.array(state.sd)[known]
    splits: dict[int, list[Split]] = {int(row): [] for row in rows}
    raw = state.total[rows] / state.n[rows]
    for w, m, s in zip(known.tolist(), mean, sd, strict=True):
        for row in rows[fits_scale(raw, state.z[rows], m, s)].tolist():
            splits[row].append(((w,), (int(state.n[row]),), (state.total[row],)))
    for n, times in PAIR_TIMES.items():
        some = rows[state.n[rows] == n]
        segment, workers, totals = integer_splits.split_among_pairs(
            state.total[some], state.y[some], mean=mean, sd=sd, times=times
        )
        for row, pair, parts in zip(
            some[segment].tolist(), known[workers], totals, strict=True
        ):
            splits[row].append((pair, times, parts))
    state.record_unambiguous(splits)


# --- workers of whom nothing is known -------------------------------------------------


def split_unknown_groups(state: State, workers: int) -> None:
    """Split runs of segments that this number of workers judged; none of them need be known."""
    for rows in _runs(state, workers):
        rows = rows[~state.taken[rows]]
        for part in _parts(rows, workers):
            group = _new_group(state, part, workers)
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
    runs = [
        run[state.n[run] == workers]
        for run in np.split(rows, np.flatnonzero(breaks) + 1)
    ]
    runs = sorted(runs, key=len, reverse=True)
    return runs + np.split(listed, np.flatnonzero(np.diff(state.run[listed])) + 1)


def _parts(rows: Array, workers: int) -> list[Array]:
    """The run, then parts of it, in case it was judged by one set of workers after another."""
    if len(rows) < RUN_LENGTHS[workers]:
        return []
    size = RUN_LENGTHS[workers] + 2
    starts = range(0, len(rows) - size + 1, size // 2) if len(rows) > size else ()
    return [rows[: 3 * size], *(rows[start : start + size] for start in starts)]


def _new_group(state: State, rows: Array, workers: int) -> WorkerGroup | None:
    """A group of unknown workers who explain these rows, or None."""
    solution = integer_splits.split_run(state.total[rows], state.y[rows], workers)
    if solution is None or len(set(solution[0])) < workers:  # or the same worker twice
        return None
    sd, scores = solution
    # Any offsets will do if the scores add up to the totals.
    offset = -scores.min(axis=1)
    offset[0] += state.total[rows[0]] - scores[:, 0].sum() - offset.sum()
    scores = scores + offset[:, None]
    level = float(np.mean((scores / sd[:, None]).sum(axis=0) - state.y[rows]))
    group = WorkerGroup([state.worker_of_sd(float(s)) for s in sd], sd, level)
    for i, row in enumerate(rows):
        state.add_to_group(group, row, 1, scores[:, i])
    return group


def _extend(state: State, group: WorkerGroup) -> None:
    """Add to a group every open row that its workers can have judged, each equally often.

    In groups of more than three workers, a row that does not split in exactly one way
    ends its run: most runs belong to another group. The row with the fewest candidates
    comes first.
    """
    k = len(group.sd)
    for times in (1, 2):
        rows, scores = state.open_rows(), group.scores()
        rows = rows[state.n[rows] == times * k]
        # The nearer a total is to the lowest or the highest possible one, the fewer
        # candidates.
        spare = np.minimum(
            state.total[rows], HIGHEST_SCORE * state.n[rows] - state.total[rows]
        )
        if k > 3:
            rows = rows[np.lexsort([spare, state.run[rows]])]
        low = times * (scores.max(axis=0) - HIGHEST_SCORE)
        high = times * (scores.min(axis=0) + HIGHEST_SCORE)
        workers = integer_splits.Workers(group.sd, low, high)
        y = state.y[rows] + times * group.level
        row, parts = integer_splits.split_scores(
            state.total[rows], y, workers, times * k
        )
        only = np.bincount(row, minlength=len(rows)) == 1  # rows that split in one way
        if k > 3:
            # From the first row on that does not split in one way, nothing of its run
            # is added.
            missed = pd.Series(~only & state.named[rows])
            only &= ~missed.groupby(state.run[rows]).cummax().to_numpy(bool)
        for i in np.flatnonzero(only[row]):
            state.add_to_group(group, rows[row[i]], times, parts[i])


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
    for row, (workers, _, _) in state.found.items():
        teams.setdefault(int(state.run[row]), set()).add(tuple(sorted(workers)))
    triples = _triples(state)
    splits: dict[int, list[Split]] = {}
    scales = np.array([state.mean, state.sd, *state.score_bounds()])
    for one in np.unique(run).tolist():
        some = rows[run == one]
        for team in teams.get(one) or _judging(state, some, triples):
            for row, way in _splits_by_team(state, some, team, scales):
                splits.setdefault(row, []).append(way)
    state.record_unambiguous(splits)


def _splits_by_team(
    state: State, rows: Array, team: tuple, scales: Array
) -> Iterator[tuple]:
    """All ways in which each of several workers can have judged rows once or twice: row, split.

    `scales` has the means, sds, lowest and highest scores of all workers, (4, workers).
    """
    w = np.array(team)[np.argsort(scales[1, list(team)])]
    mean, sd, low, high = scales[:, w]
    for times in product((1, 2), repeat=len(w)):
        some, t = rows[state.n[rows] == sum(times)], np.array(times)
        if len(w) == 1 or not len(some):
            continue
        y = state.y[some] + float((t * mean / sd).sum())
        workers = integer_splits.Workers(sd, t * low, t * high)
        way, totals = integer_splits.split_scores(
            state.total[some], y, workers, sum(times)
        )
        for row, parts in zip(some[way].tolist(), totals, strict=True):
            yield row, (tuple(w.tolist()), times, parts)


def _triples(state: State) -> list[Triples]:
    """Sets of which two workers are known to have judged the same segment; then all others."""
    known = state.known_workers()
    known = known[np.argsort(np.array(state.sd)[known], kind="stable")]
    together = np.zeros((len(state.sd),) * 2, dtype=bool)
    for workers in {workers for workers, _, _ in state.found.values()}:
        together[np.ix_(workers, workers)] = True
    together = together[np.ix_(known, known)]
    # Entry (a, b, c) is about the workers a, b and c: whether two of them judged
    # together, and whether a < b < c, so that each set counts once.
    likely = together[:, :, None] | together[:, None, :] | together
    place = np.arange(len(known))
    ascending = (place[:, None] < place)[:, :, None] & (place[:, None] < place)
    low, high = state.score_bounds()
    found = []
    for chosen in (ascending & likely, ascending & ~likely):
        if not 0 < np.count_nonzero(chosen) <= MOST_TRIPLES:
            continue
        sets = known[np.argwhere(chosen)].T
        workers = integer_splits.Workers(
            np.array(state.sd)[sets], low[sets], high[sets]
        )
        level = (np.array(state.mean)[sets] / workers.sd).sum(axis=0)
        found.append((sets, workers, level))
    return found


def _judging(
    state: State, rows: Array, triples: list[Triples]
) -> list[tuple[int, ...]]:
    """The only three workers who can have judged the row of fewest candidates; else none."""
    rows = rows[state.n[rows] == 3]
    if not len(rows):
        return []
    total = state.total[rows]
    probe = np.minimum(total, 3 * HIGHEST_SCORE - total).argmin()
    for sets, workers, level in triples:
        y = state.y[rows[probe]] + level
        fitting = integer_splits.fitting_triples(total[probe], y, workers)
        if len(fitting) == 1:
            return [tuple(sets[:, fitting[0]].tolist())]
    return []
