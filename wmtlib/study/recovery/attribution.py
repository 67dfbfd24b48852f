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
    rows = np.flatnonzero(state.n == 1)
    while len(rows):
        scale, explained = find_scale(state.total, state.z, rows)
        if scale is None:
            rows = rows[1:]
            continue
        mean, sd = scale
        state.mean.append(mean)
        state.sd.append(sd)
        for row in rows[explained]:
            state.record(row, [len(state.sd) - 1], (1,), [state.total[row]])
        rows = rows[~explained]


def split_by_known_workers(state: State) -> None:
    """Split open segments of one or two workers of known scale, each once or twice."""
    rows = state.open_rows()
    workers = state.known_workers()
    mean = np.array(state.mean)[workers]
    sd = np.array(state.sd)[workers]
    splits: dict[int, list[Split]] = {int(row): [] for row in rows}
    raw = state.total[rows] / state.n[rows]
    for w, m, s in zip(workers.tolist(), mean, sd, strict=True):
        for row in rows[fits_scale(raw, state.z[rows], m, s)].tolist():
            splits[row].append(((w,), (int(state.n[row]),), (state.total[row],)))
    for n, times in PAIR_TIMES.items():
        judged = rows[state.n[rows] == n]
        segment, pairs, totals = integer_splits.split_among_pairs(
            state.total[judged], state.y[judged], mean=mean, sd=sd, times=times
        )
        for i, pair, pair_totals in zip(segment, workers[pairs], totals, strict=True):
            splits[int(judged[i])].append((pair, times, pair_totals))
    state.record_unambiguous(splits)


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
    level = float(np.mean((scores / sd[:, None]).sum(axis=0) - state.y[rows]))
    group = WorkerGroup([state.worker_of_sd(float(s)) for s in sd], sd, level)
    for i, row in enumerate(rows):
        state.add_to_group(group, row, 1, scores[:, i])
    return group


def _extend(state: State, group: WorkerGroup) -> None:
    """Add to a group every open row that its workers can have judged equally often."""
    k = len(group.sd)
    for times in (1, 2):
        rows = state.open_rows()
        rows = rows[state.n[rows] == times * k]
        scores = group.scores()
        low = times * (scores.max(axis=0) - HIGHEST_SCORE)
        high = times * (scores.min(axis=0) + HIGHEST_SCORE)
        workers = integer_splits.Workers(group.sd, low, high)
        y = state.y[rows] + times * group.level
        place, ways = integer_splits.split_scores(
            state.total[rows], y, workers, times * k
        )
        only = np.bincount(place, minlength=len(rows)) == 1
        for i in np.flatnonzero(only[place]):
            state.add_to_group(group, rows[place[i]], times, ways[i])


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
        teams.setdefault(int(state.run[row]), set()).add(tuple(sorted(workers)))
    triples = _triples(state)
    splits: dict[int, list[Split]] = {}
    scales = np.array([state.mean, state.sd, *state.score_bounds()])
    for number in np.unique(run).tolist():
        rows_of_run = rows[run == number]
        for team in teams.get(number) or _only_triple(state, rows_of_run, triples):
            for row, split in _splits_by_team(state, rows_of_run, team, scales):
                splits.setdefault(row, []).append(split)
    state.record_unambiguous(splits)


def _splits_by_team(
    state: State, rows: Array, team: tuple[int, ...], scales: Array
) -> Iterator[tuple[int, Split]]:
    """All ways in which each worker of a team can have judged rows once or twice.

    Gives rows and splits. `scales` has the means, sds, lowest and highest scores of all
    workers, (4, workers).
    """
    if len(team) == 1:
        return
    team = tuple(sorted(team, key=lambda w: scales[1, w]))
    mean, sd, low, high = scales[:, team]
    for times in product((1, 2), repeat=len(team)):
        judged = rows[state.n[rows] == sum(times)]
        if not len(judged):
            continue
        t = np.array(times)
        y = state.y[judged] + float((t * mean / sd).sum())
        workers = integer_splits.Workers(sd, t * low, t * high)
        place, totals = integer_splits.split_scores(
            state.total[judged], y, workers, sum(times)
        )
        for row, row_totals in zip(judged[place].tolist(), totals, strict=True):
            yield row, (team, times, row_totals)


def _triples(state: State) -> list[Triples]:
    """Sets with two workers who are known to have judged together; then all others."""
    known_workers = state.known_workers()
    sds = np.array(state.sd)
    by_sd = known_workers[np.argsort(sds[known_workers], kind="stable")]
    together = np.zeros((len(state.sd), len(state.sd)), dtype=bool)
    for team in {workers for workers, _, _ in state.split_of.values()}:
        together[np.ix_(team, team)] = True
    together = together[np.ix_(by_sd, by_sd)]
    # Entry (a, b, c) is about the workers a, b and c: whether two of them judged
    # together, and whether a < b < c, so that each set counts once.
    likely = together[:, :, None] | together[:, None, :] | together
    place = np.arange(len(by_sd))
    ascending = (place[:, None] < place)[:, :, None] & (place[:, None] < place)
    low, high = state.score_bounds()
    triples = []
    for chosen in (ascending & likely, ascending & ~likely):
        if 0 < np.count_nonzero(chosen) <= MOST_TRIPLES:
            sets = by_sd[np.argwhere(chosen)].T
            sd = sds[sets]
            workers = integer_splits.Workers(sd, low[sets], high[sets])
            triples.append(
                (sets, workers, (np.array(state.mean)[sets] / sd).sum(axis=0))
            )
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
            return [tuple(sets[:, fitting[0]].tolist())]
    return []
