"""Offset and mean of each worker of a group whose scores could not be separated so far.

The splits of a group (`knowledge.WorkerGroup`) give its workers' scores up to an
offset for each, and the offsets add up to zero. The steps that find the offsets, in the
order in which they are tried:

- Scores are 0..100; if that leaves one choice, it is taken.
- If the means of all workers but one are known, the mean of the last one must have
  seven digits.
- The same workers judged other segments together with workers of known scale.
- The workers scored nearly as many items as each other (`find_means`). This is the only
  step that rests on an assumption, namely on those numbers of items.

Workers who judged the same segments did the same HITs: they scored equally many items,
up to `LARGEST_DIFFERENCE`, or one of them twice as many. The means of two or three such
workers then follow up to their offsets. Their z-scores do not depend on the offsets, so
any possible choice of offsets gives the same ones (`choose_offsets`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from study.data.printed_digits import Array, Arrays, seven_digits
from study.data.simulation import positions
from study.recovery import worker_scale as scale
from study.recovery.integer_splits import Workers, combinations_of, split_scores
from study.recovery.knowledge import Knowledge, WorkerGroup
from study.recovery.worker_scale import Z_ERROR
from wmtlib.core.assessments import HIGHEST_SCORE

MOST_CHOICES = 1e7  # offsets of a group that are tried to align it with another group
# Between the numbers of items of workers who judged the same segments.
LARGEST_DIFFERENCE = 3
MOST_ITEMS = 250  # that one of two workers scored


def find_offsets(known: Knowledge) -> Knowledge:
    """Fix offsets of groups and find means of workers until nothing follows."""
    while True:
        before = known
        known = _align(known)
        for number in range(len(known.groups)):
            known = _find_by_bounds(known, number)
        if known is before:
            return known


def offsets_within(low: Array, high: Array) -> Array:
    """List all integer vectors, (n, k), within bounds, (k,), that add up to zero."""
    axes = [np.arange(a, b + 1) for a, b in zip(low[:-1], high[:-1], strict=True)]
    others = combinations_of(axes)
    last = 0 - others.sum(axis=1)
    return np.column_stack([others, last])[(last >= low[-1]) & (last <= high[-1])]


def only_offset(low: Array, high: Array) -> Array | None:
    """Return the one vector of `offsets_within` without a list of all, or None."""
    # What the others leave to each worker, if all must add up to zero.
    lowest = np.maximum(low, high - high.sum())
    highest = np.minimum(high, low - low.sum())
    if (lowest != highest).any() or lowest.sum() != 0:
        return None
    return lowest


def _find_by_bounds(known: Knowledge, number: int) -> Knowledge:
    """Fix a group's offsets by bounds, or by a mean of seven digits, if one is left."""
    group = known.groups[number]
    if not group.fixed:
        only = only_offset(*known.bounds(group))
        if only is not None:
            known = known.with_offsets(number, only)
            group = known.groups[number]
    mean = known.mean[group.workers]
    unknown = np.flatnonzero(np.isnan(mean))
    if len(unknown) > 1 or (len(unknown) == 0 and group.fixed):
        return known
    q = np.zeros((1, len(mean)))
    if not group.fixed:
        q = offsets_within(*known.bounds(group))
    # What is left of the level for the worker of unknown mean, by each choice of
    # offsets.
    rest = group.level + q @ (1 / group.sd) - np.nansum(mean / group.sd)
    slack = Z_ERROR * len(mean)
    if len(unknown):
        sd = group.sd[unknown[0]]
        last_mean, fits = seven_digits(sd * rest, sd * slack + 1e-13)
        fits &= (last_mean > 0) & (last_mean < HIGHEST_SCORE)
    else:
        fits = np.abs(rest) < slack
    if fits.sum() != 1:
        return known
    if not group.fixed:
        known = known.with_offsets(number, q[fits][0])
    if len(unknown):
        known = known.with_means(group.workers[unknown], last_mean[fits])
    return known


def _align(known: Knowledge) -> Knowledge:
    """Give the same offsets to groups that differ only by workers of known scale.

    Let U be the workers of unknown mean in a group. Its level minus the sum of mean /
    sd of its known workers depends on U alone. A group of U and nobody else is the base
    of the others.
    """
    unknown = np.isnan(known.mean)
    aligned = {number for base in known.groups for number, _ in base.aligned}
    bases = {
        frozenset(group.workers): number
        for number, group in enumerate(known.groups)
        if unknown[group.workers].all()
    }
    for number in range(len(known.groups)):
        group = known.groups[number]
        of_base = bases.get(frozenset(group.workers[unknown[group.workers]]))
        if of_base is None or of_base == number or group.fixed or number in aligned:
            continue
        base = known.groups[of_base]
        places = np.array([np.flatnonzero(group.workers == w)[0] for w in base.workers])
        q = _alignment(known, group, base, places)
        if q is None:
            continue
        known = known.with_offsets(number, q).with_group(number, fixed=base.fixed)
        if not base.fixed:
            shared = (*base.aligned, (number, places))
            known = known.with_group(of_base, aligned=shared)
    return known


def _alignment(
    known: Knowledge, group: WorkerGroup, base: WorkerGroup, places: Array
) -> Array | None:
    """Find the only offsets that give a group's level by its base and known workers."""
    ours = group.scores()
    theirs, _ = known.scores_of(base)
    low = -ours.min(axis=0)
    high = HIGHEST_SCORE - ours.max(axis=0)
    # Scores of the base's workers may be off, but by the same constant in both groups.
    low[places] = theirs.max(axis=0) - HIGHEST_SCORE - ours[:, places].min(axis=0)
    high[places] = theirs.min(axis=0) + HIGHEST_SCORE - ours[:, places].max(axis=0)
    low = np.ceil(low)
    high = np.floor(high)
    if (low > high).any() or np.prod((high - low + 1)[:-1]) > MOST_CHOICES:
        return None
    known_levels = np.delete(known.mean[group.workers] / group.sd, places)
    goal = base.level + known_levels.sum() - group.level
    workers = Workers(group.sd, low, high)
    _, ways = split_scores(np.zeros(1), np.array([goal]), workers, 2 * len(group.sd))
    return ways[0] if len(ways) == 1 else None


# --- means, from the numbers of items -------------------------------------------------


def find_means(known: Knowledge) -> Knowledge:
    """Find offsets, and means of groups with two or three workers of unknown mean.

    They are means of the scores with the present offsets: adding an offset to all that
    a worker scored, the items that are not known too, adds it to the mean. Those items
    must lie between 0 and 100 as well; `narrow_offsets` limits the offsets by them.
    """
    known = find_offsets(known)
    usual = _usual_item_counts(known)
    for number, group in enumerate(known.groups):
        mean = known.mean[group.workers]
        unknown = np.flatnonzero(np.isnan(mean))
        if len(unknown) not in (2, 3) or len(mean) > 3:
            continue
        known = known.with_group(number, means=None)
        items = int(known.scores_of(group)[1].sum())
        for numbers in _numbers_to_try(usual, items, len(unknown)):
            options = _mean_options(known, group, mean, numbers)
            means = _means_on_level(options, group)
            if means is None:
                continue
            offset = np.rint(mean - means)
            known = known.with_group(number, means=means, known_offset=offset)
            chosen = {}
            for i in unknown:
                possible, counts = options[i]
                chosen[group.workers[i]] = counts[possible == means[i]]
            known = replace(known, item_counts=known.item_counts | chosen)
            break
    return known


def _mean_options(
    known: Knowledge, group: WorkerGroup, mean: Array, numbers: list[Sequence[int]]
) -> list[Arrays]:
    """List the means that each worker can have, and their numbers of items.

    `mean` has the means that are known; `numbers` are the numbers of items of the
    other workers, in their order. Means are of the scores with the present offsets.
    """
    numbers_of_unknown = iter(numbers)
    low, high = known.bounds(group)
    scores, times = known.scores_of(group)
    options = []
    for i, known_mean in enumerate(mean):
        if np.isnan(known_mean):
            options.append(
                scale.possible_means(
                    next(numbers_of_unknown), group.sd[i], scores[:, i], times
                )
            )
        else:  # the mean is that of the scores with the right offset
            means = known_mean - np.arange(high[i], low[i] - 1, -1)
            options.append((means, np.full(len(means), np.nan)))
    return options


def _numbers_to_try(
    usual: list[int], items: int, unknown: int
) -> Iterator[list[Sequence[int]]]:
    """Yield numbers of items to try for workers of unknown mean, likeliest first."""
    yield [usual] * unknown
    differences = range(-LARGEST_DIFFERENCE, LARGEST_DIFFERENCE + 1)
    near = sorted({n + difference for n in usual for difference in differences})
    if unknown == 2:
        yield [near, near]
        every = range(items, MOST_ITEMS)
        yield [every, every]
    else:
        yield [near, usual, usual]
        yield [usual, near, usual]
        yield [usual, usual, near]


def _usual_item_counts(known: Knowledge) -> list[int]:
    """Find numbers of items that many workers of known scale certainly share."""
    splits = known.splits
    possible = known.possible_items(splits["worker"], splits["times"], splits["total"])
    numbers = possible.groupby("worker")["items"]
    certain = numbers.first()[numbers.nunique() == 1]
    common = certain.value_counts()
    return sorted(common.index[common >= max(3, len(certain) // 2)])


def _means_on_level(options: list[Arrays], group: WorkerGroup) -> Array | None:
    """Find the only means, one of each worker's options, that add up to the level."""
    order = np.argsort([len(means) for means, _ in options], kind="stable")
    *others, (means, counts) = (options[i] for i in order)
    *other_sds, sd = group.sd[order]
    sizes = [len(values) for values, _ in others]
    if np.prod(sizes, dtype=float) > MOST_CHOICES:
        return None
    # All combinations of the other workers' means say what the last worker's mean must
    # be.
    rest = np.float64(group.level)
    for (values, _), other_sd in zip(others, other_sds, strict=True):
        rest = np.subtract.outer(rest, values / other_sd)
    goal = rest.ravel() * sd
    slack = Z_ERROR * sd * len(options) + 2e-13
    first = np.searchsorted(means, goal - slack)
    # A place is a combination of the others that one of the last worker's means
    # completes.
    place = np.flatnonzero(means.take(first, mode="clip") <= goal + slack)
    first = first[place]
    fitting = np.searchsorted(means, goal[place] + slack) - first
    place = np.repeat(place, fitting)
    last = np.repeat(first, fitting) + positions(fitting)
    chosen = [*np.unravel_index(place, sizes), last]
    every = zip([*others, (means, counts)], chosen, strict=True)
    solutions = np.array([(values[i], numbers[i]) for (values, numbers), i in every])
    alike = [_alike(numbers) for numbers in solutions[:, 1].T]
    solutions = np.unique(solutions[:, 0, alike], axis=1)
    return solutions[np.argsort(order), 0] if solutions.shape[1] == 1 else None


def _alike(numbers: Array) -> bool:
    """Test if numbers of items are alike, or some twice the others; NaN fits all."""
    least = np.nanmin(numbers)
    times = np.clip(np.rint(numbers / least), 1, 2)
    return not (np.abs(numbers - times * least) > times * LARGEST_DIFFERENCE).any()


def choose_offsets(known: Knowledge) -> Knowledge:
    """Take one of the possible offsets where the means are known up to the offsets.

    z-scores do not depend on it, whatever is removed: it is added to all that the
    worker scored.
    """
    for number in range(len(known.groups)):
        group = known.groups[number]
        means = group.means
        if means is None or not np.isnan(known.mean[group.workers]).any():
            continue
        if not group.fixed:
            choices = offsets_within(*known.bounds(group))
            if not len(choices):
                continue
            chosen = _middle(choices)
            known = known.with_group(number, choices=choices - chosen)
            known = known.with_offsets(number, chosen)
            means = means + chosen
        mean = known.mean[group.workers]
        likely = seven_digits(means)[0]
        known = known.with_means(group.workers, np.where(np.isnan(mean), likely, mean))
    return known


def narrow_offsets(known: Knowledge) -> Knowledge:
    """Narrow the possible offsets by all that was found since, and choose anew.

    Splits get the new offsets; those of groups that no offset fits are left out.
    """
    for number, group in enumerate(known.groups):
        if group.choices is None:
            continue
        splits = known.splits
        choices = group.choices
        for i, w in enumerate(group.workers):
            if w not in known.item_counts:
                continue
            judged = splits[splits["worker"] == w]
            times = judged["times"].to_numpy()
            scores = judged["total"].to_numpy() / times
            low, high = scale.possible_offsets(
                known.item_counts[w], known.mean[w], known.sd[w], scores, times
            )
            low = max(low, -scores.min())
            high = min(high, HIGHEST_SCORE - scores.max())
            choices = choices[(choices[:, i] >= low) & (choices[:, i] <= high)]
        if not len(choices):
            rows = splits["row"][splits["worker"].isin(group.workers)]
            known = known.with_group(number, choices=None)
            known = replace(known, splits=splits[~splits["row"].isin(rows)])
            continue
        chosen = _middle(choices)
        offset = np.zeros(len(known.sd), dtype=np.int64)
        offset[group.workers] = chosen
        total = splits["total"] + splits["times"] * offset[splits["worker"]]
        mean = seven_digits(known.mean[group.workers] + chosen)[0]
        known = known.with_means(group.workers, mean)
        known = known.with_group(number, choices=choices - chosen)
        known = replace(known, splits=splits.assign(total=total))
    return known


def _middle(choices: Array) -> Array:
    """Return the choice nearest to the mean of all."""
    distance = ((choices - choices.mean(axis=0)) ** 2).sum(axis=1)
    return choices[distance.argmin()]
