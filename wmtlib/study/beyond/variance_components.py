"""What makes the segments of a document alike: variance components. Notebook 62.

A judgement of a system, less the system's mean, is taken for a sum of independent
effects:

    z - mean = document + document x system + segment + segment x system
             + worker + slope x (mean - mean of all) + worker x system
             + sitting + residual

A *sitting* is one worker, one document and one system: a block of segments scored in a
row. Every component is a covariance of two judgements, or a difference of such
covariances (method of moments). Two judgements of one document share, for example:

- the document, if system, worker and segment are others;
- the document and document x system, if worker and segment are others;
- these, what the worker does everywhere, and the sitting, if the segment is another.

Judgements are weighted so that every sitting counts once. Judgements of one worker in
different documents give the worker's part: their products are regressed on 1, on the
product of the two systems' means (the slope) and on whether the system is the same
(worker x system).

Sums within documents are resampled by document, sums within workers by worker, each
inside its campaign: the intervals speak of other documents and workers of these
campaigns. The systems' means are estimated, which takes from worker x system about one
part in as many as there are workers of a system.
"""

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd

FEWEST_PAIRS = 100  # of sittings of one document and system: with fewer, undecided
COMPONENTS = {
    "document": "document",
    "document_system": "document x system",
    "segment": "segment",
    "segment_system": "segment x system",
    "sitting": "sitting",
    "worker": "worker",
    "slope": "worker's slope",
    "worker_system": "worker x system",
    "residual": "residual",
}
PLANS = {  # documents, workers of each, share of a document's segments; per plain one
    "second document": (2, 1, 1.0),
    "second worker, same document": (1, 2, 1.0),
    "twice the segments, same worker": (1, 1, 2.0),
    "two documents, half the segments": (2, 1, 0.5),
    "two workers, half the segments each": (1, 2, 0.5),
}
ENDS = [0.025, 0.975]


def pair_sums(
    owner: np.ndarray, keys: Sequence[np.ndarray], values: np.ndarray
) -> dict[tuple[bool, ...], np.ndarray]:
    """Sums of products of values over pairs of rows with the same owner.

    Parameters
    ----------
    owner : ndarray of int, (rows,)
    keys : sequence of ndarray of int, (rows,)
    values : ndarray, (kinds, rows)

    Returns
    -------
    dict
        By which keys are the same in a pair (and all others differ): (owners, kinds),
        over ordered pairs. Where all keys are the same, a row with itself is a pair.

    Examples
    --------
    >>> sums = pair_sums(np.zeros(3, int), [np.array([0, 0, 1])], np.array([[1, 2, 4]]))
    >>> {same: total.tolist() for same, total in sums.items()}
    {(False,): [[24.0]], (True,): [[25.0]]}
    """
    choices = [*itertools.product([False, True], repeat=len(keys))]
    at_least = {}  # these keys are the same, others may be
    for same in choices:
        group = owner
        for key, used in zip(keys, same, strict=True):
            if used:
                group = group * (key.max() + 1) + key
        _, first, cell = np.unique(group, return_index=True, return_inverse=True)
        sums = [np.bincount(cell, kind) ** 2 for kind in values]
        owners = owner.max() + 1
        totals = [np.bincount(owner[first], square, owners) for square in sums]
        at_least[same] = np.stack(totals, axis=1)
    exactly = {}
    for same in reversed(choices):
        larger = [
            total
            for other, total in exactly.items()
            if all(b >= a for a, b in zip(same, other, strict=True))
        ]
        exactly[same] = at_least[same] - sum(larger)
    return exactly


def centred(values: pd.DataFrame) -> pd.DataFrame:
    """Judgements with `y`, z less the system's mean, `mean`, the system's mean less
    that of all, and `weight`, one over the number of judgements of the sitting.
    """
    mean = values.groupby("system")["z"].transform("mean")
    sitting = values.groupby(["document", "system", "worker"])["z"]
    return values.assign(
        y=values["z"] - mean,
        mean=mean - mean.mean(),
        weight=1 / sitting.transform("size"),
    )


def moments(
    values: pd.DataFrame, resamples: int, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Sums of one campaign from which `components` are computed, as seen and resampled.

    Parameters
    ----------
    values : DataFrame
        Of `pairwise_tests.judged_values`, with documents and workers.
    resamples : int
    rng : Generator

    Returns
    -------
    dict of str to ndarray, (1 + resamples, ...)
        The first row is as seen.
    """
    rows = centred(values)
    weight = rows["weight"].to_numpy()
    y = rows["y"].to_numpy()
    mean = rows["mean"].to_numpy()
    system, segment, document, worker = (
        rows[name].to_numpy() for name in ("system", "segment", "document", "worker")
    )
    of_document = pair_sums(
        document, [system, worker, segment], np.stack([weight, weight * y])
    )
    kinds = np.stack([weight, weight * y, weight * mean, weight * mean**2])
    of_worker = pair_sums(
        worker, [document, system], np.vstack([kinds, weight * mean * y])
    )
    variance = [np.bincount(document, weight), np.bincount(document, weight * y**2)]
    variance.append(np.bincount(document, weight * mean**2))
    # Of a key (system, worker, segment), whether it is the same: "010" is the worker.
    tables = {_name(same): total for same, total in of_document.items()}
    tables["variance"] = np.stack(variance, axis=1)
    by_document = _resampled(tables, resamples, rng)
    elsewhere = {  # in other documents
        "others": of_worker[False, False],
        "same": of_worker[False, True],
    }
    return by_document | _resampled(elsewhere, resamples, rng)


def _name(same: tuple[bool, ...]) -> str:
    return "".join(str(int(key)) for key in same)


def _resampled(
    tables: dict[str, np.ndarray], resamples: int, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Sums over owners, as seen and of owners drawn with replacement."""
    size = len(next(iter(tables.values())))
    drawn = rng.multinomial(size, np.full(size, 1 / size), resamples)
    times = np.vstack([np.ones(size), drawn])
    return {name: times @ table for name, table in tables.items()}


def components(
    campaigns: Sequence[pd.DataFrame], *, resamples: int, seed: int
) -> pd.DataFrame:
    """Variance components of campaigns of one protocol, pooled.

    Parameters
    ----------
    campaigns : sequence of DataFrame
        Of `pairwise_tests.judged_values`, with documents and workers.
    resamples, seed : int

    Returns
    -------
    DataFrame, (1 + resamples, ...)
        The first row is as seen. `COMPONENTS`, in squares of a standard score; pairs
        (of sittings of one document and system by two workers).
    """
    rng = np.random.default_rng(seed)
    seen = [moments(values, resamples, rng) for values in campaigns]
    total = {name: sum(table[name] for table in seen) for name in seen[0]}
    with np.errstate(divide="ignore", invalid="ignore"):
        shared = {
            name: sums[:, 1] / sums[:, 0]
            for name, sums in total.items()
            if sums.shape[1] >= 2
        }
    number, squares, spread = total["variance"].T
    everywhere = shared["same"]  # of a worker, on the same system
    worker, slope, worker_system = _of_worker(total["others"], total["same"])
    document = shared["000"]
    document_system = shared["100"] - document
    segment = shared["001"] - document
    segment_system = shared["101"] - shared["100"] - segment
    sitting = shared["110"] - shared["100"] - everywhere
    shares = document + document_system + segment + segment_system
    table = pd.DataFrame(
        {
            "document": document,
            "document_system": document_system,
            "segment": segment,
            "segment_system": segment_system,
            "sitting": sitting,
            "worker": worker,
            "slope": slope * spread / number,
            "worker_system": worker_system,
            "residual": squares / number - shares - sitting - everywhere,
            "pairs": (total["100"] + total["101"])[:, 0] / 2,
        }
    )
    needs_two = ["document_system", "segment_system", "sitting", "residual"]
    if table["pairs"][0] < FEWEST_PAIRS:
        table[needs_two] = np.nan
    return table


def _of_worker(
    others: np.ndarray, same: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Variance of workers, of their slopes, and of worker x system, by least squares.

    Products of two judgements of a worker are regressed on 1, on the product of the
    systems' means and on whether the system is the same. The sums, (samples, 5), are
    of the weights and of the weighted products of y, mean, mean^2 and mean x y.
    """
    both = others + same
    design = np.empty((len(both), 3, 3))
    design[:, 0, 0] = both[:, 0]
    design[:, 0, 1] = design[:, 1, 0] = both[:, 2]
    design[:, 0, 2] = design[:, 2, 0] = design[:, 2, 2] = same[:, 0]
    design[:, 1, 1] = both[:, 3]
    design[:, 1, 2] = design[:, 2, 1] = same[:, 2]
    products = np.stack([both[:, 1], both[:, 4], same[:, 1]], axis=1)
    fitted = np.linalg.solve(design, products[..., None])[..., 0]
    worker, slope, worker_system = fitted.T
    return worker, slope, worker_system


def sitting_share(table: pd.DataFrame) -> pd.Series:
    """Share of the sitting in what is alike beyond document and worker."""
    return table["sitting"] / (table["sitting"] + table["document_system"])


def plan_variance(
    table: pd.DataFrame, documents: float, workers: float, segments: float
) -> pd.Series:
    """Variance of a system's mean that stays in the difference of two equal systems.

        document x system / K + segment x system / (K L)
            + (sitting + worker + worker x system) / (K r) + residual / (K r L)

    K documents, each by r workers, L segments of each; every sitting is another
    worker's, and both systems have the same segments. Components below 0 count as 0.
    """
    part = table.clip(lower=0.0)
    person = part["sitting"] + part["worker"] + part["worker_system"]
    text = part["document_system"] + part["segment_system"] / segments
    return (text + (person + part["residual"] / segments) / workers) / documents


def plans(table: pd.DataFrame, segments: float) -> pd.DataFrame:
    """What ways to spend money on a campaign are worth: `PLANS`.

    Parameters
    ----------
    table : DataFrame
        Of `components`.
    segments : float
        Of a sitting, as campaigns have them.

    Returns
    -------
    DataFrame
        One row a plan: cost (judged segments, plain campaign: 1), worth (the plain
        campaign's variance over the plan's) with worth_low and worth_high: 95 %.
    """
    plain = plan_variance(table, 1, 1, segments)
    rows = []
    for plan, (documents, workers, share) in PLANS.items():
        worth = plain / plan_variance(table, documents, workers, share * segments)
        cost = documents * workers * share
        rows.append((plan, cost, worth[0], *np.quantile(worth[1:], ENDS)))
    return pd.DataFrame(
        rows, columns=["plan", "cost", "worth", "worth_low", "worth_high"]
    )


def halves(values: pd.DataFrame) -> pd.DataFrame:
    """Means of two halves of sittings, of documents that two workers judged.

    The segments of a sitting are halved in turn: first, third ... and second, fourth
    ... Of the workers of one document and system every ordered pair is a row.

    Returns
    -------
    DataFrame
        document; first_half, second_half (of one worker), second_half_other (the same
        segments, by the other worker).
    """
    keys = ["document", "system", "worker"]
    rows = centred(values)
    block = rows.groupby(["document", "system"])["segment"]
    half = (block.rank(method="dense").astype(int) + 1) % 2
    means = rows["y"].groupby([*(rows[key] for key in keys), half]).mean().unstack()
    means = means.dropna().set_axis(["first_half", "second_half"], axis=1).reset_index()
    pairs = means.merge(means, on=keys[:2], suffixes=("", "_other"))
    pairs = pairs[pairs["worker"] != pairs["worker_other"]]
    return pairs[["document", "first_half", "second_half", "second_half_other"]]
