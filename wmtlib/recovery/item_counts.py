"""Missing means of workers who are known only together, from their numbers of items.

Workers who judged the same segments did the same HITs: they scored equally many items, up to
`LARGEST_DIFFERENCE`. The means of two or three such workers then follow up to their offsets. Their
z-scores do not depend on the offsets, so any possible choice of offsets stands for all
(`choose_offsets`). Every result here rests on those numbers of items.
"""

import numpy as np
import pandas as pd

from wmtlib.judgements.direct_assessments import HIGHEST_SCORE
from wmtlib.recovery.offsets import MOST_CHOICES, offsets_within
from wmtlib.recovery.state import State, WorkerGroup
from wmtlib.recovery.worker_scale import ROUNDING, possible_means, possible_offsets, seven_digits

LARGEST_DIFFERENCE = 3  # between the numbers of items of workers who judged the same segments
MOST_ITEMS = 250  # that one worker scored


def find_means(state: State) -> None:
    """Look for the means of every group of which no worker's mean is known.

    They are means of the scores as they stand: adding an offset to all that a worker scored, the
    items that are not known too, adds it to the mean. Those items must lie between 0 and 100 as
    well, which limits the offset.
    """
    usual, near = None, range(-LARGEST_DIFFERENCE, LARGEST_DIFFERENCE + 1)
    for group in state.groups:
        times, scores = group.times(), group.all_scores().T
        known = int(times.sum())
        if group.tried == known or len(group.sd) > 3 or not np.isnan(state.means_of(group)).all():
            continue
        group.tried = known
        usual = _usual_item_counts(state) if usual is None else usual
        tries = [usual, sorted({n + i for n in usual for i in near})]
        if len(group.sd) == 2:
            tries.append(range(known, MOST_ITEMS))
        for numbers in tries:
            options = [
                possible_means(numbers, sd, own, times)
                for sd, own in zip(group.sd, scores, strict=True)
            ]
            group.means = _means_on_level(options, group)
            if group.means is not None:
                break
        else:
            continue
        limits = []
        for w, mean, own, (means, counts) in zip(
            group.workers, group.means, scores, options, strict=True
        ):
            state.item_counts[w] = counts[means == mean].astype(int).tolist()
            limits.append(possible_offsets(state.item_counts[w], mean, state.sd[w], own, times))
        group.limits = np.array(limits).T


def _usual_item_counts(state: State) -> list[int]:
    """Numbers of items that workers of known scale certainly have, if many have the same."""
    splits = state.splits()
    _, counts = state.items_of_workers(splits["worker"], splits["times"], splits["total"])
    numbers = [{n for n, _, _ in possible} for possible in counts.values()]
    certain = [n for possible in numbers if len(possible) == 1 for n in possible]
    return sorted(n for n in set(certain) if certain.count(n) >= max(3, len(certain) // 2))


def _means_on_level(
    options: list[tuple[np.ndarray, np.ndarray]], group: WorkerGroup
) -> np.ndarray | None:
    """The only means, one of each worker's options, that add up to the level; None if not one."""
    *others, (means, counts) = options
    sizes = [len(values) for values, _ in others]
    if np.prod(sizes, dtype=float) > MOST_CHOICES:
        return None
    # All combinations of the other workers' means say what the last worker's mean must be.
    rest = group.level
    for (values, _), sd in zip(others, group.sd[:-1], strict=True):
        rest = np.subtract.outer(rest, values / sd)
    goal = rest.ravel() * group.sd[-1]
    slack = ROUNDING * group.sd[-1] * len(options) + 2e-13
    first = np.searchsorted(means, goal - slack)
    last = np.searchsorted(means, goal + slack)
    found = set()
    for place in np.flatnonzero(last > first):
        chosen = list(zip(others, np.unravel_index(place, sizes), strict=True))
        numbers = [n[i] for (_, n), i in chosen]
        for at in range(first[place], last[place]):
            if np.ptp([*numbers, counts[at]]) <= LARGEST_DIFFERENCE:
                found.add((*(values[i] for (values, _), i in chosen), means[at]))
    return np.array(found.pop()) if len(found) == 1 else None


def choose_offsets(state: State) -> None:
    """Take one of the possible offsets where the workers' means are known up to the same offsets.

    z-scores do not depend on it, whatever is removed: it is added to all that the worker scored.
    """
    for group in state.groups:
        if group.means is None or not np.isnan(state.means_of(group)).all():
            continue
        if not group.fixed and len(choices := offsets_within(*group.bounds())):
            chosen = _middle(choices)
            group.choices = choices - chosen
            group.shift(chosen)
        if group.fixed:
            for w, mean in zip(group.workers, group.means, strict=True):
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
            own = splits[splits["worker"] == w]
            times = own["times"].to_numpy()
            scores = own["total"].to_numpy() / times
            low, high = possible_offsets(
                state.item_counts[w], state.mean[w], state.sd[w], scores, times
            )
            low, high = max(low, -scores.min()), min(high, HIGHEST_SCORE - scores.max())
            choices = choices[(choices[:, i] >= low) & (choices[:, i] <= high)]
        if not len(choices):
            rows = splits["row"][splits["worker"].isin(group.workers)]
            state.ambiguous.update(rows.tolist())
            group.choices = None
            splits = splits[~splits["row"].isin(rows)]
            continue
        chosen = _middle(choices)
        offset = np.zeros(len(state.sd), dtype=np.int64)
        offset[group.workers] = chosen
        for w in group.workers:
            state.mean[w] = float(seven_digits(state.mean[w] + offset[w])[0])
        group.choices = choices - chosen if len(choices) > 1 else None
        splits = splits.assign(total=splits["total"] + splits["times"] * offset[splits["worker"]])
    return splits


def _middle(choices: np.ndarray) -> np.ndarray:
    """The choice nearest to the mean of all."""
    return choices[((choices - choices.mean(axis=0)) ** 2).sum(axis=1).argmin()]
