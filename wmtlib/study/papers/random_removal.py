"""Leave out judgements chosen at random: what the removal of a system is held against."""

from collections.abc import Collection, Iterator

import numpy as np

from wmtlib.cluster_lines import system_order
from wmtlib.corrections import reversed_pairs
from wmtlib.errors import DataError
from wmtlib.zscores import Campaign


def random_rows(
    campaign: Campaign, *, in_runs: int, one_by_one: int, n_resamples: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Choose judgements at random, again and again.

    Parameters
    ----------
    in_runs : int
        Judgements that are chosen as whole document runs, as near to this number as runs allow.
    one_by_one : int
        Judgements that are chosen singly, among the others.
    n_resamples : int
    rng : Generator

    Yields
    ------
    ndarray of bool, (judgements,)

    Raises
    ------
    DataError
        As many judgements as there are.
    """
    size = len(campaign.score)
    if not 0 <= in_runs + one_by_one < size:
        raise DataError(f"{in_runs + one_by_one} judgements to leave out; expected 0 to {size - 1}")
    runs = document_runs(campaign)
    length = np.bincount(runs)
    for _ in range(n_resamples):
        order = rng.permutation(len(length)) if in_runs else np.arange(0)
        total = np.cumsum(np.concatenate([[0], length[order]]))
        chosen = np.zeros(len(length), dtype=bool)
        chosen[order[: np.argmin(np.abs(total - in_runs))]] = True
        rows = chosen[runs]
        rows[rng.choice(np.flatnonzero(~rows), one_by_one, replace=False)] = True
        yield rows


def document_runs(campaign: Campaign) -> np.ndarray:
    """Document run of every judgement, (judgements,) of int.

    A run is what one worker judged of one document by one system in one HIT, repeats included:
    what goes when a system goes. A judgement whose document is not known, and one of quality
    control, is a run of its own.
    """
    size = len(campaign.score)
    system = np.full(size, -1)
    system[campaign.credit] = campaign.credit_system  # of a joint row: one of its systems
    document = np.unique(campaign.documents, return_inverse=True)[1][campaign.place]
    known = (campaign.documents != "")[campaign.place]
    alone = ~(known & campaign.is_item("SYSTEM", "REPEAT") & (system >= 0))
    runs = np.where(alone, np.arange(size), -1) + 1
    for column in (campaign.worker, campaign.hit, system + 1, document):
        runs = np.unique(runs * (column.max() + 1) + column, return_inverse=True)[1].ravel()
    return runs


def reversals_after_removal(
    campaign: Campaign,
    removals: Iterator[np.ndarray],
    *,
    without: Collection[str],
    only_scales: bool,
) -> np.ndarray:
    """How far the order moves when judgements are left out: its Kendall distance from the full one.

    Parameters
    ----------
    removals : iterator of ndarray of bool, (judgements,)
        As `random_rows` yields.
    without : names
        Systems that are not ranked (human systems).
    only_scales : bool
        Whether the judgements are missing from the workers' means and standard deviations only,
        and are still averaged: the removal of human systems and references takes nothing from the
        systems that are compared either.

    Returns
    -------
    ndarray of int, (removals,)
        Pairs of systems that stand in another order.
    """
    unranked = campaign.is_system(without)
    before, found = system_order(campaign, unranked=unranked), []
    for rows in removals:
        if only_scales:
            after = system_order(campaign, scales_from=~rows, unranked=unranked)
        else:
            after = system_order(campaign.select(~rows), unranked=unranked)
        found.append(reversed_pairs(before, after))
    return np.array(found, dtype=int)
