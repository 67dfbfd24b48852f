"""Missing means, if a worker scored the same number of items as most workers did.

If two or three workers who are known only together have the usual number of items, their means
follow up to their offsets. Their z-scores do not depend on the offsets, so any possible choice of
offsets stands for all (`choose_offsets`). Every result here rests on that number of items.
"""

import numpy as np
import pandas as pd

from wmtlib.judgements.direct_assessments import HIGHEST_SCORE
from wmtlib.recovery.offsets import offsets_within
from wmtlib.recovery.state import State, WorkerGroup
from wmtlib.recovery.worker_scale import ROUNDING, possible_means, possible_offsets, seven_digits


def find_means(state: State) -> None:
    """Look once for the means of every group of which no worker's mean is known.

    They are means of the scores as they stand: adding an offset to all that a worker scored, the
    items that are not known too, adds it to the mean. Those items must lie between 0 and 100 as
    well, which limits the offset.
    """
    groups = [g for g in state.groups if not g.tried and np.isnan(state.means_of(g)).all()]
    if groups and not state.usual_counts:
        state.usual_counts = _usual_item_counts(state)
    for group in groups:
        group.tried = True
        if len(group.sd) > 3:
            continue
        times, scores = group.times(), group.all_scores().T
        counts = state.usual_counts
        workers = list(zip(group.sd, scores, strict=True))
        group.means = _means_on_level([possible_means(counts, *w, times) for w in workers], group)
        if group.means is not None:
            limits = [
                possible_offsets(counts, mean, *w, times)
                for mean, w in zip(group.means, workers, strict=True)
            ]
            group.limits = np.array(limits).T


def _usual_item_counts(state: State) -> list[int]:
    """Numbers of items that workers of known scale certainly have, if many have the same."""
    splits = state.splits()
    _, counts = state.items_of_workers(splits["worker"], splits["times"], splits["total"])
    numbers = [{n for n, _, _ in possible} for possible in counts.values()]
    certain = [n for possible in numbers if len(possible) == 1 for n in possible]
    return sorted(n for n in set(certain) if certain.count(n) >= max(3, len(certain) // 2))


def _means_on_level(options: list[np.ndarray], group: WorkerGroup) -> np.ndarray | None:
    """The only means, one of each worker's options, that add up to the level; None if not one."""
    if any(len(means) == 0 for means in options):
        return None
    # All combinations of the other workers' means say what the last worker's mean must be.
    others = options[0] / group.sd[0]
    if len(options) == 3:
        others = np.add.outer(others, options[1] / group.sd[1]).ravel()
    goal = (group.level - others) * group.sd[-1]
    slack = ROUNDING * group.sd[-1] * len(options) + 2e-13
    place = np.searchsorted(options[-1], goal - slack)
    nearest = np.append(options[-1], np.inf)[place]
    found = np.flatnonzero(np.abs(nearest - goal) < slack)
    if len(found) != 1:
        return None
    places = np.unravel_index(found[0], [len(means) for means in options[:-1]])
    means = [means[i] for means, i in zip(options[:-1], places, strict=True)]
    return np.array([*means, nearest[found[0]]])


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
                state.usual_counts, state.mean[w], state.sd[w], scores, times
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
