"""Who judged which segments, and how: segments of one worker, of two, of groups of workers.

The ledger holds what is known of one campaign. Here its segments are split into judgements:

- `alone`: lines through the segments that were judged once.
- `known_pairs`: segments of one or two workers whose lines are known.
- `blind`: runs of segments by two to five workers of whom nothing is known (`lattice`). Their
  scores are known but for a constant for each worker, which `settling` looks for.
- `teams_together`, `repeated`: what workers of known lines did in other combinations.

A segment that two of the ways that are tried explain stays open.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

import numpy as np
import pandas as pd

from wmtlib.recovery import lattice_reduction, worker_scale
from wmtlib.recovery.integer_splits import Pairs, Sums, fitting_triples
from wmtlib.recovery.worker_scale import ROUNDING, TOP

LENGTHS = {2: 4, 3: 6, 4: 10, 5: 16}  # by workers: segments that a run needs to be split blindly
ONCE_OR_TWICE = {2: (1, 1), 3: (2, 1), 4: (2, 2)}  # how often each of two workers judged


@dataclass
class Group:
    """Workers who judged the same segments, with what is known of them before their means are.

    The scores of a worker are known up to a constant: adding q_w to all scores of worker w, with
    sum_w q_w = 0, changes `level` and nothing else. `rows` maps a row to (times, scores).
    """

    workers: list[int]
    sd: np.ndarray
    level: float  # G: sum of mean / sd, for the scores as they stand
    rows: dict[int, tuple[int, np.ndarray]]
    fixed: bool = False
    tried: bool = False  # whether means were looked for by the usual numbers of items
    aligned: list[tuple["Group", np.ndarray]] = field(default_factory=list)
    limits: np.ndarray | None = None  # lowest and highest constants for other reasons, (2, k)
    means: np.ndarray | None = None  # of the workers, for the scores as they stand
    choices: np.ndarray | None = None  # constants that remain possible after one was chosen

    def times(self) -> np.ndarray:
        """How often each worker judged each row of `seen`."""
        of = [self, *(g for g, _ in self.aligned)]
        return np.array([n for g in of for n, _ in g.rows.values()])

    def each(self) -> np.ndarray:
        """Scores, (rows, k); of a segment judged twice the mean."""
        times = np.array([n for n, _ in self.rows.values()])
        return np.array([s for _, s in self.rows.values()]) / times[:, None]

    def seen(self) -> np.ndarray:
        """Scores in all groups that share these workers' constants, (rows, k)."""
        return np.vstack([self.each(), *(g.each()[:, place] for g, place in self.aligned)])

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest constants, (k,) each, that keep every score within 0..100."""
        each = self.seen()
        low, high = np.ceil(-each.min(axis=0)), np.floor(TOP - each.max(axis=0))
        if self.limits is not None:
            low, high = np.maximum(low, self.limits[0]), np.minimum(high, self.limits[1])
        return low, high

    def shift(self, q: np.ndarray) -> None:
        """Fix the constants."""
        self.rows = {row: (n, s + n * q) for row, (n, s) in self.rows.items()}
        self.level += float((q / self.sd).sum())
        self.fixed = True
        self.means = None if self.means is None else self.means + q
        for group, place in self.aligned:
            there = np.zeros(len(group.sd))
            there[place] = q
            group.shift(there)


# row -> (workers, how often each, sum of each one's scores)
Split = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


class Ledger:
    """The segments as arrays, and what has been found so far. Internal to one call of `recover`.

    Parameters
    ----------
    segments : DataFrame
        As `recover.recover` takes them; a row is one judgement or several.
    """

    def __init__(self, segments: pd.DataFrame) -> None:
        self.n = segments["judgements"].to_numpy(np.int64)
        self.total = np.rint(segments["raw"].to_numpy() * self.n).astype(np.int64)
        self.z = segments["z"].to_numpy()
        self.y = self.z * self.n
        self.run, self.place = _runs(segments)
        self.named = (segments["document"] != "").to_numpy()
        self.mean: list[float] = []
        self.sd: list[float] = []
        self.groups: list[Group] = []
        self.sizes: list[int] = []  # usual numbers of items
        self.found: dict[int, Split] = {}
        self.ambiguous: set[int] = set()
        self.taken = np.zeros(len(self.n), dtype=bool)  # rows that something was found about

    def open(self) -> np.ndarray:
        """Rows that nothing has been found about."""
        return np.flatnonzero(~self.taken)

    def record(self, row: int, workers: tuple, times: tuple, shares: np.ndarray | tuple) -> None:
        """Enter the only way to split a row."""
        self.found[int(row)] = (tuple(map(int, workers)), times, tuple(map(int, shares)))
        self.taken[row] = True

    def gather(self, group: Group, row: int, times: int, scores: np.ndarray) -> None:
        """Enter a row of a group."""
        group.rows[int(row)] = (times, scores)
        self.taken[row] = True

    def judgements(self) -> pd.DataFrame:
        """All that was found: row, worker, times (how often), total (sum of the scores)."""
        found = [
            (row, *one) for row, split in self.found.items() for one in zip(*split, strict=True)
        ]
        columns = ["row", "worker", "times", "total"]
        return pd.DataFrame(np.array(found, dtype=np.int64).reshape(-1, 4), columns=columns)

    def floating(self) -> set[int]:
        """Workers whose scores are known up to a constant."""
        return {w for g in self.groups if g.choices is not None for w in g.workers}

    def known(self) -> np.ndarray:
        """Workers whose mean and sd are both known."""
        return np.flatnonzero(~np.isnan(self.mean))

    def worker(self, sd: float) -> int:
        """The worker of this sd; a new one, of unknown mean, if none has it."""
        if sd in self.sd:
            return self.sd.index(sd)
        self.sd.append(sd)
        self.mean.append(np.nan)
        return len(self.sd) - 1


def _runs(segments: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Number of each row's run (system and document, or system), and its place in the run."""
    run = segments.groupby(["system", "document"], sort=False).ngroup().to_numpy()
    number = segments["segment"].str.extract(r"([0-9]+)$")[0].fillna("-1").to_numpy()
    number = number.astype(np.int64)
    return run, np.where(number >= 0, number, np.arange(len(number)))


# --- workers of known lines --------------------------------------------------------------------


def alone(ledger: Ledger) -> None:
    """Find lines through the segments that were judged once."""
    left = np.flatnonzero(ledger.n == 1)
    while len(left):
        line, points = worker_scale.line_through(ledger.total, ledger.z, left)
        if line is None:
            left = left[1:]
            continue
        ledger.mean.append(line[0])
        ledger.sd.append(line[1])
        for row in left[points]:
            ledger.record(row, (len(ledger.sd) - 1,), (1,), (ledger.total[row],))
        left = left[~points]


def known_pairs(ledger: Ledger) -> None:
    """Split open segments judged by one worker of known line, or by two, each once or twice."""
    rows, known = ledger.open(), ledger.known()
    ways: dict[int, list[Split]] = {int(row): [] for row in rows}
    raw = ledger.total[rows] / ledger.n[rows]
    for w in known.tolist():
        on = worker_scale.on_line(raw, ledger.z[rows], ledger.mean[w], ledger.sd[w])
        for row in rows[on].tolist():
            ways[row].append(((w,), (int(ledger.n[row]),), (ledger.total[row],)))
    pairs = Pairs(np.array(ledger.mean)[known], np.array(ledger.sd)[known])
    for n, times in ONCE_OR_TWICE.items():
        some = rows[ledger.n[rows] == n]
        segment, workers, shares = pairs.ways(ledger.total[some], ledger.y[some], times)
        for row, who, split in zip(some[segment].tolist(), known[workers], shares, strict=True):
            ways[row].append((who, times, split))
    for row, found in ways.items():
        if len(found) == 1:
            ledger.record(row, *found[0])
        elif found:
            ledger.ambiguous.add(row)


# --- workers seen only together ----------------------------------------------------------------


def blind(ledger: Ledger, workers: int) -> None:
    """Split runs that were judged by so many workers, of whom nothing need be known."""
    for rows in _blocks(ledger, workers):
        rows = rows[~ledger.taken[rows]]
        if len(rows) < LENGTHS[workers]:
            continue
        for part in _windows(rows, workers):
            group = _split_run(ledger, part, workers)
            if group is not None:
                ledger.groups.append(group)
                _join(ledger, group)
                break


def _blocks(ledger: Ledger, workers: int) -> list[np.ndarray]:
    """Runs of open rows with so many judgements, longest first.

    Without documents there may be no runs; then the order of the release, which lists the segments
    of a system task by task, takes their place.
    """
    rows = ledger.open()
    listed = rows[(ledger.n[rows] == workers) & ~ledger.named[rows]]
    rows = rows[np.isin(ledger.n[rows], (workers, 2 * workers))]
    rows = rows[np.lexsort([ledger.place[rows], ledger.run[rows]])]
    run, place = ledger.run[rows], ledger.place[rows]
    breaks = np.flatnonzero((np.diff(run) != 0) | (np.diff(place) > 1)) + 1
    blocks = [b[ledger.n[b] == workers] for b in np.split(rows, breaks)]
    blocks = sorted(blocks, key=len, reverse=True)
    blocks += np.split(listed, np.flatnonzero(np.diff(ledger.run[listed])) + 1)
    return [b for b in blocks if len(b) >= LENGTHS[workers]]


def _windows(rows: np.ndarray, workers: int) -> Iterator[np.ndarray]:
    """The run, then parts of it, in case it was judged by one set of workers after another."""
    size = LENGTHS[workers] + 2
    yield rows[: 3 * size]
    if len(rows) > size:
        for start in range(0, len(rows) - size + 1, size // 2):
            yield rows[start : start + size]


def _split_run(ledger: Ledger, rows: np.ndarray, workers: int) -> Group | None:
    """Scores of workers of unknown lines over a run, or None."""
    solution = lattice_reduction.split_run(ledger.total[rows], ledger.y[rows], workers)
    if solution is None:
        return None
    sd, scores = solution
    start = -scores.min(axis=1)  # any constants that add up to the totals
    start[0] += ledger.total[rows[0]] - scores[:, 0].sum() - start.sum()
    scores = scores + start[:, None]
    level = float(np.mean((scores / sd[:, None]).sum(axis=0) - ledger.y[rows]))
    group = Group([ledger.worker(float(s)) for s in sd], sd, level, {})
    for i, row in enumerate(rows):
        ledger.gather(group, row, 1, scores[:, i])
    return group


def _join(ledger: Ledger, group: Group) -> None:
    """Add to a group every open row that its workers can have judged, each equally often.

    Of groups above three workers a row that does not split in just one way ends its run: most runs
    are another group's, and the row of fewest ways, which comes first, stands for them.
    """
    k = len(group.sd)
    for times in (1, 2):
        rows, each = ledger.open(), group.each()
        rows = rows[ledger.n[rows] == times * k]
        if not len(rows):
            continue
        spare = np.minimum(ledger.total[rows], TOP * ledger.n[rows] - ledger.total[rows])
        if k > 3:
            rows = rows[np.lexsort([spare, ledger.run[rows]])]
        low, high = times * (each.max(axis=0) - TOP), times * (each.min(axis=0) + TOP)
        sums = Sums(group.sd, low, high, ROUNDING * times * k)
        place, scores = sums.ways(ledger.total[rows], ledger.y[rows] + times * group.level)
        count = np.bincount(place, minlength=len(rows))
        take = count == 1
        if k > 3:
            missed = pd.Series(~take & ledger.named[rows])
            take &= ~missed.groupby(ledger.run[rows]).cummax().to_numpy()
        for i in np.flatnonzero(take[place]):
            ledger.gather(group, rows[place[i]], times, scores[i])


# --- workers of known lines in other combinations ----------------------------------------------


def teams_together(ledger: Ledger) -> None:
    """Split rows that a pair and one more worker judged who were never found together before."""
    teams = _teams(ledger)
    both = product(teams.get(1, []), teams.get(2, []))
    if sets := [a + b for a, b in both]:
        _try_triples(ledger, np.array(sets, dtype=np.int64))


def _teams(ledger: Ledger) -> dict[int, list[tuple[int, ...]]]:
    """By size, the smallest sets of known workers who judged segments together."""
    sets = {tuple(sorted(g.workers)) for g in ledger.groups if g.fixed}
    sets |= {tuple(sorted(workers)) for workers, _, _ in ledger.found.values()}
    known = set(ledger.known().tolist())
    teams: dict[int, list[tuple[int, ...]]] = {}
    taken: set[int] = set()
    for team in sorted(sets, key=lambda t: (len(t), t)):
        if known.issuperset(team) and taken.isdisjoint(team):
            teams.setdefault(len(team), []).append(team)
            taken.update(team)
    return teams


def _try_triples(ledger: Ledger, sets: np.ndarray) -> None:
    """Split the open rows of each run by the only one of these sets of workers that fits."""
    sd, mean = np.array(ledger.sd)[sets], np.array(ledger.mean)[sets]
    order = np.argsort(sd, axis=1)
    sets, sd, mean = (np.take_along_axis(x, order, axis=1) for x in (sets, sd, mean))
    level = (mean / sd).sum(axis=1)
    low, high = _room(ledger)
    low, high = low[sets], high[sets]
    rows = ledger.open()
    rows = rows[(ledger.n[rows] == 3) & ledger.named[rows]]
    for run in np.unique(ledger.run[rows]):
        some = rows[ledger.run[rows] == run]
        total, y = ledger.total[some], ledger.y[some]
        probe = np.minimum(total, 3 * TOP - total).argmin()  # the row of fewest ways
        hits = fitting_triples(total[probe], y[probe] + level, sd, low, high)
        if len(hits) != 1:
            continue
        h = hits[0]
        sums = Sums(sd[h], low[h], high[h], ROUNDING * 3)
        place, shares = sums.ways(total, y + level[h])
        for i in np.flatnonzero(np.bincount(place, minlength=len(some))[place] == 1):
            ledger.record(some[place[i]], sets[h], (1,) * 3, shares[i])


def _room(ledger: Ledger) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest score of each worker, as the scores stand."""
    low, high = np.zeros(len(ledger.sd)), np.full(len(ledger.sd), float(TOP))
    for group in ledger.groups:
        if group.choices is not None:
            low[group.workers] = -group.choices.max(axis=0)
            high[group.workers] = TOP - group.choices.min(axis=0)
    return low, high


def repeated(ledger: Ledger) -> None:
    """Split rows that the workers of a settled group judged, some of them twice."""
    for group in ledger.groups:
        mean = np.array([ledger.mean[w] for w in group.workers])
        if np.isnan(mean).any() or not group.fixed:
            continue
        k = len(mean)
        runs = np.unique(ledger.run[[*group.rows]])
        rows = ledger.open()
        n = ledger.n[rows]
        rows = rows[np.isin(ledger.run[rows], runs) & (n > k) & (n < 2 * k)]
        ways: dict[int, list[Split]] = {}
        for times in product((1, 2), repeat=k):
            some = rows[ledger.n[rows] == sum(times)]
            if not len(some):
                continue
            t = np.array(times)
            sums = Sums(group.sd, 0 * t, TOP * t, ROUNDING * t.sum())
            y = ledger.y[some] + float((t * mean / group.sd).sum())
            for i, shares in zip(*sums.ways(ledger.total[some], y), strict=True):
                ways.setdefault(int(some[i]), []).append((group.workers, times, shares))
        for row, found in ways.items():
            if len(found) == 1:
                ledger.record(row, *found[0])
            else:
                ledger.ambiguous.add(row)
