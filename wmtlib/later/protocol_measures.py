"""How stable the ranking of a campaign is: the same measures for every protocol.

All take a `protocols.Judged` and give rows of one table: measure, split ("" or what is split in
halves), size (judgements a system in each half; 0: all), value.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import scipy

from wmtlib.assessment.stability import DIVISORS
from wmtlib.judgements.kendall import tau
from wmtlib.later.protocols import Judged, Weights
from wmtlib.later.scored_protocols import Scored

TESTED = 20  # splits whose pairs of systems are tested: tests take most of the time
ALL = 0  # instead of a number of judgements a system: the whole half
ROW = ["measure", "split", "size", "value"]


def halves(
    judged: Judged, *, split: str, sizes: Sequence[int], n_splits: int, rng: np.random.Generator
) -> dict[int, tuple[Weights, Weights]]:
    """Two halves of a campaign, again and again, and samples of both.

    Half of the documents, or of the annotators, is drawn; the others are the second half. From
    each half blocks (rankings, documents) are drawn in random order until there are `size`
    judgements a system on average.

    Parameters
    ----------
    split : "document" or "annotator"
    sizes : numbers of judgements a system; `ALL` is the whole half
    n_splits : int

    Returns
    -------
    dict from size to two sparse arrays, (samples, units)
        The samples in which both halves hold so many judgements.
    """
    group, systems = getattr(judged, split), len(judged.systems)
    number, units_of = int(group.max()) + 1, np.bincount(judged.block)
    start = np.cumsum(units_of) - units_of
    drawn = {size: ([], []) for size in sizes}
    for _ in range(n_splits):
        side = (rng.permutation(number) < (number + 1) // 2)[group]
        blocks = np.argsort(rng.random(len(units_of)))
        length = units_of[blocks]
        # The units of block after block: a step of one within a block.
        order = np.arange(len(side)) + np.repeat(start[blocks] - np.cumsum(length) + length, length)
        halves_of = (order[half[order]] for half in (side, ~side))
        orders = [(units, np.cumsum(judged.size[units])) for units in halves_of]
        least = min(total[-1] if len(total) else 0 for _, total in orders)
        for size in sizes:
            if least < max(size * systems, 1):
                continue
            for (units, total), samples in zip(orders, drawn[size], strict=True):
                end = len(units) if size == ALL else np.searchsorted(total, size * systems) + 1
                samples.append(units[:end])
    return {
        size: tuple(_weights(samples, len(judged.size)) for samples in pair)
        for size, pair in drawn.items()
    }


def _weights(samples: list[np.ndarray], units: int) -> Weights:
    """One row a sample, 1 for the units in it."""
    ends = np.cumsum([0, *map(len, samples)])
    columns = np.concatenate([np.empty(0, dtype=np.intp), *samples])
    shape = len(samples), units
    return scipy.sparse.csr_array((np.ones(len(columns)), columns, ends), shape=shape)


def between_halves(
    judged: Judged,
    *,
    split: str,
    sizes: Sequence[int],
    n_splits: int,
    rng: np.random.Generator,
    tested: Sequence[int] = (),
) -> pd.DataFrame:
    """How far two halves of a campaign agree, the mean over splits.

    A size is left out if fewer than half of the splits hold it.

    Parameters
    ----------
    split, sizes, n_splits, rng
        As in `halves`.
    tested : sequence of int
        Sizes at which all pairs of systems are tested too, in the first `TESTED` splits.

    Returns
    -------
    DataFrame, columns `ROW`
        "tau"; "signal to noise": variance of the systems' true scores over that of one judgement's
        error, (covariance of the halves) / (variance - covariance) / size; of the tests "apart"
        (share of pairs that a half finds significantly different), "agree" and "contradict" (of
        the pairs that either half finds so: both, in the same and in the opposite direction).
    """
    rows = []
    drawn = halves(judged, split=split, sizes=sizes, n_splits=n_splits, rng=rng)
    for size, (first, second) in drawn.items():
        if 2 * first.shape[0] < n_splits:
            continue
        scores = judged.scores(first), judged.scores(second)
        found = {"tau": tau(*scores).mean()}
        if size != ALL:
            found["signal to noise"] = signal_to_noise(*scores) / size
        if size in tested:
            found |= _tests(judged.ahead(first[:TESTED]), judged.ahead(second[:TESTED]))
        rows += [(measure, split, size, value) for measure, value in found.items()]
    return pd.DataFrame(rows, columns=ROW)


def signal_to_noise(first: np.ndarray, second: np.ndarray) -> float:
    """Variance of true scores over variance of error, from scores of two halves.

    Parameters
    ----------
    first, second : ndarray, (samples, systems)
    """
    one, other = (s - np.nanmean(s, axis=1, keepdims=True) for s in (first, second))
    common = float(np.nanmean(one * other))
    variance = float(np.nanmean((one**2 + other**2) / 2))
    return max(common, 0.0) / (variance - common)


def _tests(first: np.ndarray, second: np.ndarray) -> dict[str, float]:
    """Shares of pairs, from `Judged.ahead` of two halves."""
    above, below = np.triu_indices(first.shape[1], 1)
    first, second = first[:, above, below], second[:, above, below]
    either = int(((first != 0) | (second != 0)).sum())
    product = first * second
    return {
        "apart": float(((first != 0).mean() + (second != 0).mean()) / 2),
        "agree": float((product > 0).sum() / either) if either else np.nan,
        "contradict": float((product < 0).sum() / either) if either else np.nan,
    }


def without_each(judged: Judged) -> pd.DataFrame:
    """Leave every system out in turn: does the order of the others change?

    Returns
    -------
    DataFrame, columns `ROW`
        "order changes, one left out" (share of systems), "tau, one left out" (mean).
    """
    scores = judged.without_each()
    agreement = tau(scores[:-1], scores[-1:])
    values = {"order changes": (agreement < 1).mean(), "tau": agreement.mean()}
    rows = [(f"{name}, one left out", "", ALL, float(v)) for name, v in values.items()]
    return pd.DataFrame(rows, columns=ROW)


def without_humans(judged: Judged) -> pd.DataFrame:
    """Take out or divide the scores of human translations: does the order of the others change?

    Returns
    -------
    DataFrame, columns `ROW`
        "order changes, humans removed", "order changes, humans / 1.25" and so on: 0 or 1; no row
        where no human translation was ranked.
    """
    rows = []
    if isinstance(judged, Scored) and judged.humans:
        before = judged.scores(judged.everything)[0]
        for divisor in (0, *DIVISORS):
            agreement = tau(before, judged.human_changed(divisor))
            step = f"humans / {divisor:g}" if divisor else "humans removed"
            rows.append((f"order changes, {step}", "", ALL, float(agreement < 1)))
    return pd.DataFrame(rows, columns=ROW)
