"""Means of workers who are known only together, and the constants that go with them.

A group of workers (`attribution.Group`) fixes its workers' scores but for a constant for each, and
their constants add up to zero. What fixes the constants, in the order in which it is tried:

- Scores are 0..100; only one choice may be left (`settle`).
- The means of all workers but one are known: the last one must have seven digits (`settle`).
- The same workers judged elsewhere together with workers of known lines (`settle`).
- The workers scored as many items as most others did. Then their means follow but for the
  constants, z-scores no longer depend on them, and one choice stands for all (`choose`). This is
  the only step that rests on an assumption, namely on that number of items.

`finish` writes the groups into the ledger and derives every published mean again.
"""

import numpy as np
import pandas as pd

from wmtlib.recovery import worker_scale
from wmtlib.recovery.attribution import Group, Ledger
from wmtlib.recovery.integer_splits import Sums
from wmtlib.recovery.worker_scale import ROUNDING, TOP, printed

MOST_CHOICES = 5e6  # constants of a group looked through to align it with another


def settle(ledger: Ledger) -> None:
    """Fix the constants of groups, and find their workers' means, as far as they follow."""
    changed = True
    while changed:
        changed = _align(ledger)
        for group in ledger.groups:
            changed |= _settle_group(ledger, group)
    new = [group for group in ledger.groups if not group.tried and _meanless(ledger, group)]
    if new and not ledger.sizes:
        ledger.sizes = _usual_sizes(ledger)
    for group in new:
        _sized(ledger.sizes, group)


def _meanless(ledger: Ledger, group: Group) -> bool:
    """Whether no worker's mean is known."""
    return bool(np.isnan([ledger.mean[w] for w in group.workers]).all())


def _settle_group(ledger: Ledger, group: Group) -> bool:
    """Whether something new was found."""
    changed = False
    if not group.fixed and (only := _only_shift(*group.bounds())) is not None:
        group.shift(only)
        changed = True
    mean = np.array([ledger.mean[w] for w in group.workers])
    unknown = np.flatnonzero(np.isnan(mean))
    if len(unknown) > 1 or (len(unknown) == 0 and group.fixed):
        return changed
    q = np.zeros((1, len(mean))) if group.fixed else shifts(*group.bounds())
    level = group.level + q @ (1 / group.sd)
    rest = level - np.nansum(mean / group.sd)
    if len(unknown) == 0:
        fits = np.abs(rest) < ROUNDING * len(mean)
        found = np.full(len(q), np.nan)
    else:
        sd = group.sd[unknown[0]]
        found, fits = printed(sd * rest, sd * ROUNDING * len(mean) + 1e-13)
        fits &= (found > 0) & (found < TOP)
    if fits.sum() != 1:
        return changed
    if not group.fixed:
        group.shift(q[fits][0])
    if len(unknown):
        ledger.mean[group.workers[unknown[0]]] = float(found[fits][0])
    return True


def shifts(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """All integer vectors, (n, k), within the bounds, (k,) each, that add up to zero."""
    if (low > high).any():
        return np.empty((0, len(low)))
    axes = [np.arange(a, b + 1) for a, b in zip(low[:-1], high[:-1], strict=True)]
    last = 0.0
    for axis in axes:
        last = np.subtract.outer(last, axis)
    inside = np.nonzero((last >= low[-1]) & (last <= high[-1]))
    columns = [axis[i] for axis, i in zip(axes, inside, strict=True)]
    return np.column_stack([*columns, last[inside]])


def _only_shift(low: np.ndarray, high: np.ndarray) -> np.ndarray | None:
    """The one of `shifts` if there is just one, without listing them.

    There is one at the ends of the bounds, or where all but one worker's bounds agree.
    """
    if (low > high).any() or low.sum() > 0 or high.sum() < 0:
        return None
    if low.sum() == 0:
        return low
    if high.sum() == 0:
        return high
    free = low < high
    return np.where(free, -low[~free].sum(), low) if free.sum() == 1 else None


def _align(ledger: Ledger) -> bool:
    """Give groups that differ by workers of known lines only the same constants.

    With U the workers of unknown mean and `level` G, the difference G - sum of mean / sd of the
    known ones is a property of U. A group that is U and nothing else is the base.
    """
    changed = False
    unknown = np.isnan(ledger.mean)
    done = {id(g) for base in ledger.groups for g, _ in base.aligned}
    bases = {frozenset(g.workers): g for g in ledger.groups if unknown[g.workers].all()}
    for group in ledger.groups:
        inside = unknown[group.workers]
        base = bases.get(frozenset(w for w, u in zip(group.workers, inside, strict=True) if u))
        if base is None or base is group or group.fixed or id(group) in done:
            continue
        place = np.array([group.workers.index(w) for w in base.workers])
        q = _alignment(ledger, group, base, place, np.flatnonzero(~inside))
        if q is None:
            continue
        group.shift(q)
        group.fixed = base.fixed
        if not base.fixed:
            base.aligned.append((group, place))
        changed = True
    return changed


def _alignment(
    ledger: Ledger, group: Group, base: Group, place: np.ndarray, known: np.ndarray
) -> np.ndarray | None:
    """The shift of a group that makes its level that of its base and of the known workers."""
    ours, theirs = group.each(), base.seen()
    low, high = -ours.min(axis=0), TOP - ours.max(axis=0)
    low[place] = theirs.max(axis=0) - TOP - ours[:, place].min(axis=0)
    high[place] = theirs.min(axis=0) + TOP - ours[:, place].max(axis=0)
    low, high = np.ceil(low), np.floor(high)
    if (low > high).any() or np.prod((high - low + 1)[:-1]) > MOST_CHOICES:
        return None
    mean = np.array([ledger.mean[w] for w in group.workers])
    goal = base.level + float((mean / group.sd)[known].sum()) - group.level
    sums = Sums(group.sd, low, high, 2 * ROUNDING * len(mean))
    _, found = sums.ways(np.zeros(1), np.array([goal]))
    return found[0] if len(found) == 1 else None


# --- means from the usual number of items ------------------------------------------------------


def _usual_sizes(ledger: Ledger) -> list[int]:
    """Numbers of items that workers of known lines certainly have, if many have the same."""
    table = ledger.judgements()
    worker, n, t = (table[c].to_numpy() for c in ("worker", "times", "total"))
    size = len(ledger.sd)
    count = np.bincount(worker, n, size).astype(np.int64)
    total, squares = np.bincount(worker, t, size), np.bincount(worker, t * t / n, size)
    sizes = []
    for w in ledger.known():
        of = {"judgements": count[w], "total": total[w], "squares": squares[w]}
        found = {c[0] for c in worker_scale.item_counts(ledger.mean[w], ledger.sd[w], **of)}
        if len(found) == 1:
            sizes += found
    return sorted(n for n in set(sizes) if sizes.count(n) >= max(3, len(sizes) // 2))


def _sized(sizes: list[int], group: Group) -> None:
    """Means of two or three workers, if they scored as many items as others of the campaign.

    They are means of the scores as they stand: adding a constant to all that a worker scored, the
    unseen items too, adds it to the mean. What is unseen must fit between 0 and 100 as well, which
    limits the constant.
    """
    group.tried = True
    if group.means is not None or len(group.sd) > 3:
        return
    times, seen = group.times(), group.seen().T
    options = [
        worker_scale.possible_means(sizes, s, x, times) for s, x in zip(group.sd, seen, strict=True)
    ]
    group.means = _means_on_level(options, group)
    if group.means is not None:
        limits = [
            worker_scale.possible_constants(sizes, m, s, x, times)
            for m, s, x in zip(group.means, group.sd, seen, strict=True)
        ]
        group.limits = np.array(limits).T


def _means_on_level(options: list[np.ndarray], group: Group) -> np.ndarray | None:
    """The only means, one of each worker's options, that add up to the level; None if not one."""
    if any(len(m) == 0 for m in options):
        return None
    free = options[0] / group.sd[0]
    if len(options) == 3:
        free = np.add.outer(free, options[1] / group.sd[1]).ravel()
    goal = (group.level - free) * group.sd[-1]
    slack = ROUNDING * group.sd[-1] * len(options) + 2e-13
    place = np.searchsorted(options[-1], goal - slack)
    near = np.append(options[-1], np.inf)[place]
    found = np.flatnonzero(np.abs(near - goal) < slack)
    if len(found) != 1:
        return None
    one = np.unravel_index(found[0], [len(m) for m in options[:-1]])
    return np.array([*(m[i] for m, i in zip(options[:-1], one, strict=True)), near[found[0]]])


def choose(ledger: Ledger) -> None:
    """Take one of the constants that remain possible where the workers' means are known with it.

    z-scores do not depend on it, whatever is removed: it belongs to all that the worker scored.
    """
    for group in ledger.groups:
        if group.means is None or not _meanless(ledger, group):
            continue
        if not group.fixed and len(q := shifts(*group.bounds())):
            middle = q.mean(axis=0)
            one = q[((q - middle) ** 2).sum(axis=1).argmin()]
            group.choices = q - one
            group.shift(one)
        if group.fixed:
            for w, mean in zip(group.workers, group.means, strict=True):
                ledger.mean[w] = float(printed(mean, 1.0)[0])


# --- what is kept ------------------------------------------------------------------------------


def finish(ledger: Ledger) -> pd.DataFrame:
    """What was found, and only what gives the published means again.

    Groups whose constants are known are written into the ledger; the others stay ambiguous.

    Returns
    -------
    DataFrame
        row, worker, times (how often the worker judged the row), total (sum of those scores), in
        the order of the rows.
    """
    for group in ledger.groups:
        for row, (times, scores) in group.rows.items():
            if group.fixed:
                ledger.record(row, group.workers, (times,) * len(scores), scores)
            else:
                ledger.ambiguous.add(row)
    table = ledger.judgements()
    for group in ledger.groups:
        if group.choices is not None:
            table = _choose_again(ledger, group, table)
    return _certified(ledger, table)


def _choose_again(ledger: Ledger, group: Group, table: pd.DataFrame) -> pd.DataFrame:
    """Narrow the constants by all that was found since, and choose anew."""
    worker, times, total = (table[c].to_numpy() for c in ("worker", "times", "total"))
    choices = group.choices
    for i, w in enumerate(group.workers):
        n = times[worker == w]
        each = total[worker == w] / n
        of = (ledger.mean[w], ledger.sd[w], each, n)
        low, high = worker_scale.possible_constants(ledger.sizes, *of)
        low, high = max(low, -each.min()), min(high, TOP - each.max())
        choices = choices[(choices[:, i] >= low) & (choices[:, i] <= high)]
    if not len(choices):  # nothing fits all that was found: claim nothing
        rows = table["row"][table["worker"].isin(group.workers)]
        ledger.ambiguous.update(rows.tolist())
        group.choices = None
        return table[~table["row"].isin(rows)]
    one = choices[((choices - choices.mean(axis=0)) ** 2).sum(axis=1).argmin()]
    shift = np.zeros(len(ledger.sd), dtype=np.int64)
    shift[group.workers] = one
    for w in group.workers:
        ledger.mean[w] = float(printed(ledger.mean[w] + shift[w], 1.0)[0])
    group.choices = choices - one if len(choices) > 1 else None
    return table.assign(total=total + times * shift[worker])


def _certified(ledger: Ledger, table: pd.DataFrame) -> pd.DataFrame:
    """Derive every published mean again from what was found; keep nothing that does not fit."""
    row, worker, times, total = (table[c].to_numpy() for c in table)
    z = (total - times * np.array(ledger.mean)[worker]) / np.array(ledger.sd)[worker]
    y, whole = (np.bincount(row, x, len(ledger.n)) for x in (z, total))
    fits = ~(np.abs(y - ledger.y) > 2 * ROUNDING * ledger.n * np.maximum(1, np.abs(ledger.z)))
    fits &= whole == ledger.total
    fits[row[(total < 0) | (total > TOP * times)]] = False
    ledger.ambiguous.update(row[~fits[row]].tolist())
    return table[fits[row]].sort_values("row", kind="stable", ignore_index=True)
