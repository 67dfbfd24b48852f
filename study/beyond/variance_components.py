"""Variance components: effects that make segments of a document alike. Notebook 62.

A judgement of a system, less the system's mean, is taken for a sum of independent
effects, `EFFECTS`. A *sitting* is one worker, one document and one system: a block of
segments scored in a row. A worker's slope multiplies the distance of the system's mean
from that of all.

The variances are fitted by least squares to the products of judgements that share an
effect (MIVQUE(0): Rao 1971; Searle, Casella and McCulloch 1992, *Variance Components*),
each sitting with the same weight. Judgements of one system and document by two workers
share document and document x system, those of one worker the sitting besides.

Equations of documents are resampled by document, those of workers by worker, inside
each campaign: intervals speak of other documents and workers of these campaigns. The
systems' means are estimated, which takes from worker x system about one part in as many
as there are workers of a system.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

FEWEST_PAIRS = 100  # of sittings of one document and system: with fewer, undecided
EFFECTS = {
    "document": ["document"],
    "document x system": ["document", "system"],
    "segment": ["document", "segment"],
    "segment x system": ["document", "system", "segment"],
    "sitting": ["document", "system", "worker"],
    "residual": ["document", "system", "segment", "worker"],
    "worker": ["worker"],
    "worker's slope": ["worker"],
    "worker x system": ["system", "worker"],
}
NEED_TWO = ["document x system", "segment x system", "sitting", "residual"]


def components(
    campaigns: Iterable[pd.DataFrame], *, resamples: int, seed: int
) -> pd.DataFrame:
    """Estimate the variance components of campaigns of one protocol, pooled.

    Parameters
    ----------
    campaigns : iterable of DataFrame
        Of `pairwise_tests.judged_values`, with documents and workers.
    resamples, seed : int

    Returns
    -------
    DataFrame, (1 + resamples, effects and pairs)
        The first row is as seen. Variances of z-scores, and the number of pairs of
        sittings of one document and system; with fewer than `FEWEST_PAIRS` all are NaN.
        Where no two workers judged the same output, segment x system is NaN, and part
        of the residual.
    """
    rng = np.random.default_rng(seed)
    sums: Any = 0.0  # as seen, and of owners drawn with replacement
    for rows in campaigns:
        for owned in equations(rows).values():
            size = len(owned)
            drawn = rng.multinomial(size, np.full(size, 1 / size), resamples)
            times = np.vstack([np.ones(size), drawn])
            sums = sums + np.tensordot(times, owned, axes=1)
    names = [*EFFECTS]
    block, output, sitting, single = map(names.index, NEED_TWO)
    pairs = (sums[:, block, block] - sums[:, block, sitting]) / 2
    table = pd.DataFrame(np.nan, range(len(sums)), names).assign(pairs=pairs)
    if pairs[0] < FEWEST_PAIRS:
        return table
    fitted = np.arange(len(names))
    if np.isclose(sums[0, output, output], sums[0, output, single]):
        fitted = np.delete(fitted, output)
    shared = sums[:, fitted][:, :, fitted]
    products = sums[:, fitted, -1:]
    table.iloc[:, fitted] = np.linalg.solve(shared, products)[..., 0]
    return table


def equations(values: pd.DataFrame) -> dict[str, np.ndarray]:
    """Compute what each document and each worker adds to the equations.

        sum over pairs of judgements that share effect k: y y'
            = sum over effects l: variance of l x number of these that share l, too

    Pairs count with their weights; those of the slope times the systems' means.

    Returns
    -------
    dict of str to ndarray, (documents or workers, effects, effects + 1)
        By "document" and "worker"; 0 in equations of the other. Last column: products.
    """
    rows = values.groupby(EFFECTS["residual"])["z"].mean().reset_index()
    mean = rows.groupby("system")["z"].transform("mean")
    size = rows.groupby(EFFECTS["sitting"])["z"].transform("size")
    factor = dict.fromkeys([*EFFECTS, "y"], 1.0)
    factor["worker's slope"] = mean - mean.mean()
    factor["y"] = rows["z"] - mean
    every = EFFECTS | {"y": []}
    groups = {}
    sums = {}
    for owner in ("document", "worker"):
        shape = rows[owner].max() + 1, len(EFFECTS), len(every)
        sums[owner] = np.zeros(shape)
    for k, (effect, keys) in enumerate(EFFECTS.items()):
        owner = "document" if "document" in keys else "worker"
        for m, (other, more) in enumerate(every.items()):
            shared = tuple(sorted({*keys, *more}))
            if shared not in groups:
                groups[shared] = rows.groupby([*shared]).ngroup().to_numpy()
            group = groups[shared]
            squares = np.bincount(group, factor[effect] * factor[other] / size) ** 2
            of_group = np.empty(len(squares), dtype=int)
            of_group[group] = rows[owner]
            sums[owner][:, k, m] = np.bincount(of_group, squares, len(sums[owner]))
    return sums
