"""Offset and mean of each worker of a group whose scores could not be separated so far.

The splits of a group (`state.WorkerGroup`) give its workers' scores up to an offset for
each, and the offsets add up to zero. The steps that find the offsets, in the order in
which they are tried:

- Scores are 0..100; if that leaves one choice, it is taken.
- If the means of all workers but one are known, the mean of the last one must have
  seven digits.
- The same workers judged other segments together with workers of known scale.
- The workers scored nearly as many items as each other (`find_means`). This is the only
  step that rests on an assumption, namely on those numbers of items.

Workers who judged the same segments did the same HITs: they scored equally many items,
up to `LARGEST_DIFFERENCE`, or one of them twice as many. The means of two or three such
workers then follow up to their offsets. Their z-scores do not depend on the offsets, so
any possible choice of offsets stands for all (`choose_offsets`).
"""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from wmtlib.assessments import HIGHEST_SCORE
from wmtlib.study.recovery import worker_scale as scale
from wmtlib.study.recovery.integer_splits import Workers, combinations_of, split_scores
from wmtlib.study.recovery.state import State, WorkerGroup
from wmtlib.study.recovery.worker_scale import Z_ERROR, Array, Arrays, seven_digits

MOST_CHOICES = 1e7  # offsets of a group that are tried to align it with another group
LARGEST_DIFFERENCE = (
    3  # between the numbers of items of workers who judged the same segments
)
MOST_ITEMS = 250  # that one of two workers scored


def find_offsets(state: State) -> None:
    """Fix the offsets of groups, and find their workers' means, as far as they follow."""
    changed = True
    while changed:
        changed = _align(state)
        for group in state.groups:
            changed |= _find_by_bounds(state, group)


def offsets_within(low: Array, high: Array) -> Array:
    """All integer vectors, (n, k), within these bounds, each (k,), that add up to zero."""
    axes = [np.arange(a, b + 1) for a, b in zip(low[:-1], high[:-1], strict=True)]
    others = combinations_of(axes)
    last = 0 - others.sum(axis=1)
    return np.column_stack([others, last])[(last >= low[-1]) & (last <= high[-1])]


def only_offset(low: Array, high: Array) -> Array | None:
    """The one vector of `offsets_within` if there is exactly one, without a list of all."""
    # What the others leave to each worker, if all must add up to zero.
    low, high = np.maximum(low, high - high.sum()), np.minimum(high, low - low.sum())
    return low if (low == high).all() and low.sum() == 0 else None


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
    # What is left of the level for the worker of unknown mean, by each choice of
    # offsets.
    rest = group.level + q @ (1 / group.sd) - np.nansum(mean / group.sd)
    slack = Z_ERROR * len(mean)
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

    Let U be the workers of unknown mean in a group. Its level minus the sum of mean /
    sd of its known workers depends on U alone. A group of U and nobody else is the base
    of the others. Returns whether something new was found.
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
    state: State, group: WorkerGroup, base: WorkerGroup, places: Array
) -> Array | None:
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


# --- means, from the numbers of items -------------------------------------------------


def find_means(state: State) -> None:
    """Find offsets, and look for the means of groups with two or three workers of unknown mean.

    They are means of the scores as they stand: adding an offset to all that a worker
    scored, the items that are not known too, adds it to the mean. Those items must lie
    between 0 and 100 as well, which limits the offset.
    """
    find_offsets(state)
    usual = None
    for group in state.groups:
        times, scores = group.times(), group.all_scores().T
        known, unknown = int(times.sum()), np.isnan(state.means_of(group))
        if group.tried == known or not 2 <= unknown.sum() <= 3 or len(unknown) > 3:
            continue
        group.tried = known
        usual = _usual_item_counts(state) if usual is None else usual
        low, high = group.bounds()
        for numbers in _numbers_to_try(usual, known, int(unknown.sum())):
            left, options = iter(numbers), []
            for i, w in enumerate(group.workers):
                if unknown[i]:
                    options.append(
                        scale.possible_means(next(left), group.sd[i], scores[i], times)
                    )
                else:  # the mean is known, for scores that are right
                    means = state.mean[w] - np.arange(high[i], low[i] - 1, -1)
                    options.append((means, np.full(len(means), np.nan)))
            group.means = _means_on_level(options, group)
            if group.means is not None:
                _limit_offsets(state, group, options)
                break


def _numbers_to_try(
    usual: list[int], known: int, unknown: int
) -> Iterator[list[Sequence]]:
    """Numbers of items to consider for each worker of unknown mean, the likeliest first."""
    yield [usual] * unknown
    near = range(-LARGEST_DIFFERENCE, LARGEST_DIFFERENCE + 1)
    others = sorted({n + i for n in usual for i in near})
    if unknown == 2:
        yield [others] * 2
        yield [range(known, MOST_ITEMS)] * 2
    else:
        for worker in range(unknown):
            yield [others if i == worker else usual for i in range(unknown)]


def _limit_offsets(state: State, group: WorkerGroup, options: list[Arrays]) -> None:
    """Limit the offsets of a group whose means were found by the scores that are not known."""
    times, limits = group.times(), []
    found = zip(group.workers, group.means, group.all_scores().T, options, strict=True)
    for w, mean, scores, (means, counts) in found:
        if np.isnan(state.mean[w]):
            state.item_counts[w] = numbers = counts[means == mean].astype(int).tolist()
            limits.append(
                scale.possible_offsets(numbers, mean, state.sd[w], scores, times)
            )
        else:
            limits.append((np.rint(state.mean[w] - mean),) * 2)
    group.limits = np.array(limits).T


def _usual_item_counts(state: State) -> list[int]:
    """Numbers of items that workers of known scale certainly have, if many have the same."""
    splits = state.splits()
    _, counts = state.items_of_workers(
        splits["worker"], splits["times"], splits["total"]
    )
    numbers = [{n for n, _, _ in possible} for possible in counts.values()]
    certain = [n for possible in numbers if len(possible) == 1 for n in possible]
    return sorted(
        n for n in set(certain) if certain.count(n) >= max(3, len(certain) // 2)
    )


def _means_on_level(options: list[Arrays], group: WorkerGroup) -> Array | None:
    """The only means, one of each worker's options, that add up to the level; None if not one."""
    order = np.argsort([len(means) for means, _ in options], kind="stable")
    *others, (means, counts) = (options[i] for i in order)
    *other_sds, sd = group.sd[order]
    sizes = [len(values) for values, _ in others]
    if np.prod(sizes, dtype=float) > MOST_CHOICES:
        return None
    # All combinations of the other workers' means say what the last worker's mean must
    # be.
    rest = np.float64(group.level)
    for (values, _), other in zip(others, other_sds, strict=True):
        rest = np.subtract.outer(rest, values / other)
    goal = rest.ravel() * sd
    slack = Z_ERROR * sd * len(options) + 2e-13
    first = np.searchsorted(means, goal - slack)
    found = set()
    # `place` is a combination of the others that one of the last worker's means
    # completes.
    for place in np.flatnonzero(np.append(means, np.inf)[first] < goal + slack):
        chosen = list(zip(others, np.unravel_index(place, sizes), strict=True))
        for at in range(first[place], np.searchsorted(means, goal[place] + slack)):
            if _alike(np.array([*(n[i] for (_, n), i in chosen), counts[at]])):
                found.add((*(values[i] for (values, _), i in chosen), means[at]))
    return np.array(found.pop())[np.argsort(order)] if len(found) == 1 else None


def _alike(numbers: Array) -> bool:
    """Whether numbers of items are equal or some twice the others, up to the difference; or NaN."""
    least = np.nanmin(numbers)
    times = np.clip(np.rint(numbers / least), 1, 2)
    return not (np.abs(numbers - times * least) > times * LARGEST_DIFFERENCE).any()


def choose_offsets(state: State) -> None:
    """Take one of the possible offsets where the workers' means are known up to the same offsets.

    z-scores do not depend on it, whatever is removed: it is added to all that the
    worker scored.
    """
    for group in state.groups:
        if group.means is None or not np.isnan(state.means_of(group)).any():
            continue
        if not group.fixed and len(choices := offsets_within(*group.bounds())):
            chosen = _middle(choices)
            group.choices = choices - chosen
            group.shift(chosen)
        if group.fixed:
            for w, mean in zip(group.workers, group.means, strict=True):
                if np.isnan(state.mean[w]):
                    state.mean[w] = float(seven_digits(mean)[0])


def choose_again(state: State, splits: pd.DataFrame) -> pd.DataFrame:
    """Narrow the possible offsets by all that was found since, and choose anew.

    Parameters
    ----------
    splits : DataFrame
        As `State.splits` gives.

    Returns
    -------
    DataFrame
        The same with the new offsets; rows of groups that no offset fits are left out.
    """
    for group in state.groups:
        if group.choices is None:
            continue
        choices = group.choices
        for i, w in enumerate(group.workers):
            numbers = state.item_counts.get(w)
            if numbers is None:
                continue
            own = splits[splits["worker"] == w]
            times = own["times"].to_numpy()
            scores = own["total"].to_numpy() / times
            low, high = scale.possible_offsets(
                numbers, state.mean[w], state.sd[w], scores, times
            )
            low, high = max(low, -scores.min()), min(high, HIGHEST_SCORE - scores.max())
            choices = choices[(choices[:, i] >= low) & (choices[:, i] <= high)]
        if not len(choices):
            rows = splits["row"][splits["worker"].isin(group.workers)]
            splits = splits[~splits["row"].isin(rows)]
            group.choices = None
            continue
        chosen = _middle(choices)
        offset = np.zeros(len(state.sd), dtype=np.int64)
        offset[group.workers] = chosen
        for w in group.workers:
            state.mean[w] = float(seven_digits(state.mean[w] + offset[w])[0])
        group.choices = choices - chosen if len(choices) > 1 else None
        splits = splits.assign(
            total=splits["total"] + splits["times"] * offset[splits["worker"]]
        )
    return splits


def _middle(choices: Array) -> Array:
    """The choice nearest to the mean of all."""
    return choices[((choices - choices.mean(axis=0)) ** 2).sum(axis=1).argmin()]
