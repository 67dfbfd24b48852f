"""Offset and mean of each worker of a group whose scores could not be separated so far.

The splits of a group (`state.WorkerGroup`) give its workers' scores up to an offset for each, and
the offsets add up to zero. The steps that find the offsets, in the order in which they are tried:

- Scores are 0..100; if that leaves one choice, it is taken.
- If the means of all workers but one are known, the mean of the last one must have seven digits.
- The same workers judged other segments together with workers of known scale.
- The workers scored nearly as many items as each other (`item_counts`). This is the only step that
  rests on an assumption, namely on those numbers of items.
"""

import numpy as np

from wmtlib.counts import HIGHEST_SCORE
from wmtlib.study.recovery.integer_splits import Workers, combinations_of, split_scores
from wmtlib.study.recovery.state import State, WorkerGroup
from wmtlib.study.recovery.worker_scale import ROUNDING, seven_digits

MOST_CHOICES = 1e7  # offsets of a group that are tried to align it with another group


def find_offsets(state: State) -> None:
    """Fix the offsets of groups, and find their workers' means, as far as they follow."""
    changed = True
    while changed:
        changed = _align(state)
        for group in state.groups:
            changed |= _find_by_bounds(state, group)


def offsets_within(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """All integer vectors, (n, k), within these bounds, each (k,), that add up to zero."""
    axes = [np.arange(a, b + 1) for a, b in zip(low[:-1], high[:-1], strict=True)]
    others = combinations_of(axes)
    last = 0 - others.sum(axis=1)
    return np.column_stack([others, last])[(last >= low[-1]) & (last <= high[-1])]


def only_offset(low: np.ndarray, high: np.ndarray) -> np.ndarray | None:
    """The one vector of `offsets_within` if there is exactly one, without a list of all.

    There is one if the lower or the upper bounds add up to zero, or if the bounds of all workers
    but one agree.
    """
    if (low > high).any() or low.sum() > 0 or high.sum() < 0:
        return None
    if low.sum() == 0:
        return low
    if high.sum() == 0:
        return high
    free = low < high
    return np.where(free, -low[~free].sum(), low) if free.sum() == 1 else None


def _find_by_bounds(state: State, group: WorkerGroup) -> bool:
    """Fix the offsets by bounds, or by a mean of seven digits; whether something new was found."""
    changed = False
    if not group.fixed and (only := only_offset(*group.bounds())) is not None:
        group.shift(only)
        changed = True
    mean = state.means_of(group)
    unknown = np.flatnonzero(np.isnan(mean))
    if len(unknown) > 1 or (len(unknown) == 0 and group.fixed):
        return changed
    q = np.zeros((1, len(mean))) if group.fixed else offsets_within(*group.bounds())
    # What is left of the level for the worker of unknown mean, by each choice of offsets.
    rest = group.level + q @ (1 / group.sd) - np.nansum(mean / group.sd)
    slack = ROUNDING * len(mean)
    if len(unknown):
        sd = group.sd[unknown[0]]
        found, fits = seven_digits(sd * rest, sd * slack + 1e-13)
        fits &= (found > 0) & (found < HIGHEST_SCORE)
    else:
        fits = np.abs(rest) < slack
    if fits.sum() != 1:
        return changed
    if not group.fixed:
        group.shift(q[fits][0])
    if len(unknown):
        state.mean[group.workers[unknown[0]]] = float(found[fits][0])
    return True


def _align(state: State) -> bool:
    """Give the same offsets to groups that differ only by workers of known scale.

    Let U be the workers of unknown mean in a group. Its level minus the sum of mean / sd of its
    known workers depends on U alone. A group of U and nobody else is the base of the others.
    Returns whether something new was found.
    """
    changed = False
    unknown = np.isnan(state.mean)
    done = {id(group) for base in state.groups for group, _ in base.aligned}
    bases = {frozenset(g.workers): g for g in state.groups if unknown[g.workers].all()}
    for group in state.groups:
        base = bases.get(frozenset(w for w in group.workers if unknown[w]))
        if base is None or base is group or group.fixed or id(group) in done:
            continue
        places = np.array([group.workers.index(w) for w in base.workers])
        q = _alignment(state, group, base, places)
        if q is None:
            continue
        group.shift(q)
        group.fixed = base.fixed
        if not base.fixed:
            base.aligned.append((group, places))
        changed = True
    return changed


def _alignment(
    state: State, group: WorkerGroup, base: WorkerGroup, places: np.ndarray
) -> np.ndarray | None:
    """The only offsets with which a group's level follows from its base and its known workers."""
    ours, theirs = group.scores(), base.all_scores()
    low, high = -ours.min(axis=0), HIGHEST_SCORE - ours.max(axis=0)
    # Scores of the base's workers may be off, but by the same constant in both groups.
    low[places] = theirs.max(axis=0) - HIGHEST_SCORE - ours[:, places].min(axis=0)
    high[places] = theirs.min(axis=0) + HIGHEST_SCORE - ours[:, places].max(axis=0)
    low, high = np.ceil(low), np.floor(high)
    if (low > high).any() or np.prod((high - low + 1)[:-1]) > MOST_CHOICES:
        return None
    known = np.delete(state.means_of(group) / group.sd, places)
    goal = base.level + float(known.sum()) - group.level
    workers = Workers(group.sd, low, high)
    _, found = split_scores(np.zeros(1), np.array([goal]), workers, 2 * len(group.sd))
    return found[0] if len(found) == 1 else None
