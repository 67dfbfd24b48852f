"""One annotator for all systems of a document, in one HIT, or several. Notebook 64.

Riley et al. (2024) let one rater judge all systems of a document. What that buys is
read off pairs of sittings of one document, of two systems: by one annotator in one HIT
or in two, or by two annotators. The variance of the difference of two systems on a
document is the mean square of

    d = mean over shared segments of (z - system's mean) - (z' - other system's mean),

so in one HIT 1 - (mean d^2 in one HIT) / (mean d^2 of two annotators) of the documents
are not needed. Both means give each document the same weight: the number of its pairs
in one HIT.

The criterion is in the notebook. It was written before any pair was computed here; two
HITs of one annotator were added after that.
"""

from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd

from study.beyond.hit_makers import drawn_anew
from study.beyond.honest_line import TestedCampaign
from study.statistics import less_system_means
from wmtlib.zscores import scores_of, usable_cells

UNITS = ["document", "worker"]
SITTINGS = ["document", "system", "worker", "hit", "system_2", "worker_2", "hit_2"]
TWO = "two annotators"
FEWEST_PAIRS = 100


def system_differences(campaigns: Iterable[TestedCampaign]) -> pd.DataFrame:
    """Compute d of pairs of sittings of a document, where campaigns name HITs.

    Judgements of an output that two systems have in common are left out.

    Returns
    -------
    DataFrame
        document, worker, other (worker; -1: the same), d, by ("one HIT", "two HITs" of
        one annotator or `TWO`). Those of two campaigns have different numbers.
    """
    parts = []
    following = pd.Series(0, UNITS)
    for campaign in campaigns:
        values = campaign.values
        if "hit" not in values:
            continue
        cells = usable_cells(campaign.coded, scores_of(campaign.coded, "z"))
        common = pd.Series(cells.judgement).duplicated(keep=False)
        y = less_system_means(values, "z")
        rows = values.assign(y=y, **(values[UNITS] + following))[~common]
        following = rows[UNITS].max() + 1
        pairs = rows.merge(rows, on=["document", "segment"], suffixes=("", "_2"))
        pairs = pairs[pairs["system"] < pairs["system_2"]]
        d = pairs.assign(d=pairs["y"] - pairs["y_2"]).groupby(SITTINGS)["d"].mean()
        parts.append(d.reset_index())
    found = pd.concat(parts, ignore_index=True)
    one_hit = found["hit"] == found["hit_2"]
    by = one_hit.map({True: "one HIT", False: "two HITs"})
    apart = found["worker"] != found["worker_2"]
    other = found["worker_2"].where(apart, -1)
    return found[[*UNITS, "d"]].assign(other=other, by=by.mask(apart, TWO))


def savings(
    pairs: pd.DataFrame, resamples: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Compute how many documents fewer one annotator of both systems needs.

    Parameters
    ----------
    pairs : DataFrame
        Of `system_differences`.

    Returns
    -------
    DataFrame
        by, pairs, variance, of two, fewer (1 - variance / of two), low, high: 95 %,
        documents and annotators drawn anew, together. Of fewer than `FEWEST_PAIRS`
        nothing is said.
    """
    rows = []
    for by, number in pairs["by"].value_counts().sort_index().items():
        if by == TWO or number < FEWEST_PAIRS:
            continue
        chosen = pairs[pairs["by"].isin([by, TWO])]
        one, two = np.transpose([*_mean_squares(chosen, resamples, rng)])
        low, high = np.quantile(1 - one[1:] / two[1:], [0.025, 0.975])
        rows.append((by, number, one[0], two[0], 1 - one[0] / two[0], low, high))
    columns = ["by", "pairs", "variance", "of two", "fewer", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def _mean_squares(
    pairs: pd.DataFrame, resamples: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Average d^2 by one and by two annotators, as seen and drawn anew.

    Both give each document the same weight: its number of pairs by one annotator.
    """
    columns = ["document", "worker", "other"]
    document, worker, other = pairs[columns].to_numpy().T
    two = (other >= 0).astype(int)
    one, others = (np.bincount(document, two == k)[document] for k in (0, 1))
    weight = np.where(two, one / others.clip(1), others > 0)
    square = weight * pairs["d"].to_numpy() ** 2
    size = max(worker.max(), other.max()) + 1
    of_workers = drawn_anew(size, resamples, rng)
    of_workers = np.insert(of_workers, size, 1, axis=1)  # the last one is nobody
    of_documents = drawn_anew(document.max() + 1, resamples, rng)
    for of_document, of_worker in zip(of_documents, of_workers, strict=True):
        times = of_document[document] * of_worker[worker] * of_worker[other]
        yield np.bincount(two, times * square) / np.bincount(two, times * weight)
