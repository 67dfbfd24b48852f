"""The composition of HITs: systems, quality control, documents (Knowles 2021, sections 5, 6)."""

from collections.abc import Collection

import numpy as np
import pandas as pd

from wmtlib.counts import ITEMS, RATED_ITEMS
from wmtlib.errors import DataError
from wmtlib.study.papers.random_removal import document_runs
from wmtlib.zscores import QUALITY_CONTROL, Campaign, standardised


def co_occurrence(campaign: Campaign, *, unit: str) -> pd.DataFrame:
    """How often two systems met in one HIT, or with one worker (Figure 4).

    Parameters
    ----------
    unit : "hit" or "worker"

    Returns
    -------
    DataFrame, systems x systems
        Share of the units with outputs of the row's system that also hold outputs of the
        column's; accepted judgements, 1 on the diagonal.
    """
    has_system = _has_system(campaign, unit).astype(float)
    together = has_system.T @ has_system
    names = [*campaign.systems]
    return pd.DataFrame(together / np.diag(together)[:, None], index=names, columns=names)


def share_with_every_system(campaign: Campaign, *, unit: str) -> float:
    """Share of the HITs, or workers, that hold outputs of every system (section 6)."""
    has_system = _has_system(campaign, unit)
    return float(has_system[has_system.any(axis=1)].all(axis=1).mean())


def shares_of_workers(campaign: Campaign, *, humans: Collection[str]) -> pd.Series:
    """Share of the accepted workers who judged REF, BAD_REF and human items (section 5).

    Returns
    -------
    Series
        REF, BAD_REF, HUMAN (outputs of human systems) and workers (their number); 0..1.
    """
    human = np.zeros(len(campaign.score), dtype=bool)
    human[campaign.credit[campaign.is_system(humans)[campaign.credit_system]]] = True
    rows = {item: campaign.is_item(item) for item in QUALITY_CONTROL}
    rows["HUMAN"] = human & campaign.is_item(*RATED_ITEMS)
    workers = len(np.unique(campaign.worker[campaign.accepted]))
    share = {
        name: len(np.unique(campaign.worker[chosen & campaign.accepted])) / workers
        for name, chosen in rows.items()
    }
    return pd.Series({**share, "workers": workers})


def document_means(means: pd.DataFrame) -> pd.DataFrame:
    """Mean raw score of every system on every document (Figure 5).

    Parameters
    ----------
    means : DataFrame
        Segment means with columns system, document, raw, such as `zscores.segment_means` gives.

    Returns
    -------
    DataFrame, documents x systems
        Mean over segments; NaN where nothing was judged. Documents and systems with the higher
        mean over all their segments come first, equal ones in order of name.

    Raises
    ------
    DataError
        Documents are not known.
    """
    if (means["document"] == "").any():
        raise DataError("a segment's document is not known; expected the name of one")
    table = means.pivot_table(index="document", columns="system", values="raw", aggfunc="mean")
    raw = means.groupby("document")["raw"].mean()
    documents = raw.sort_values(ascending=False, kind="stable").index
    raw = means.groupby("system")["raw"].mean()
    systems = raw.sort_values(ascending=False, kind="stable").index
    return table.loc[documents, systems]


def item_counts(campaign: Campaign) -> pd.Series:
    """Accepted judgements of each kind; a joint row counts once for each system (Table 1)."""
    times = np.maximum(np.bincount(campaign.credit, minlength=len(campaign.score)), 1)
    times[~campaign.accepted] = 0
    counts = np.bincount(campaign.item, times, len(ITEMS)).astype(np.int64)
    return pd.Series(counts, index=[*ITEMS])


def document_variance(
    campaign: Campaign, *, n_resamples: int, rng: np.random.Generator
) -> pd.Series:
    """Are documents equally hard? How much of the variance of z-scores is between documents.

    The paper (section 6.3) looks at means of raw scores, in which a document has the worker's
    leniency too. Here every document run (`random_removal.document_runs`) has one value, the mean
    z-score less that of the system. Under the null hypothesis a worker's runs are dealt to the
    worker's documents at random.

    Parameters
    ----------
    campaign : Campaign
        With known documents.
    n_resamples : int
        Of the null hypothesis, and bootstrap samples of documents.
    rng : Generator

    Returns
    -------
    Series
        documents, runs : their numbers; between_documents : variance of the documents' means by
        that of the runs (0..1); by_chance : its mean under the null hypothesis; low, high : of
        their difference (95 %, documents drawn with replacement); p : how often it is as large
        under the null hypothesis, counting the observation.

    Raises
    ------
    DataError
        Documents are not known, or fewer than two of them were judged by two systems.
    """
    if (campaign.documents == "").any():
        raise DataError("a segment's document is not known; expected the name of one")
    value, worker, document = _run_values(campaign)
    if document.max(initial=0) == 0:
        raise DataError("no two documents with outputs of two systems; expected two or more")
    value = value - value.mean()
    size = np.bincount(document)

    def between(values: np.ndarray) -> np.ndarray:  # sum of squares of every document's mean
        return np.bincount(document, values) ** 2 / size

    squares = np.bincount(document, value**2)
    observed, by_worker = between(value), np.argsort(worker, kind="stable")
    null, dealt = np.empty(n_resamples), np.empty_like(value)
    for k in range(n_resamples):
        dealt[by_worker] = value[np.lexsort((rng.random(len(value)), worker))]
        null[k] = between(dealt).sum() / squares.sum()
    drawn = rng.multinomial(len(size), np.full(len(size), 1 / len(size)), n_resamples)
    share = observed.sum() / squares.sum()
    low, high = np.quantile(drawn @ observed / (drawn @ squares), [0.025, 0.975]) - null.mean()
    return pd.Series(
        {
            "documents": len(size),
            "runs": len(value),
            "between_documents": share,
            "by_chance": null.mean(),
            "low": low,
            "high": high,
            "p": (1 + (null >= share).sum()) / (1 + n_resamples),
        }
    )


def _run_values(campaign: Campaign) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Value, worker and document of every document run; see `document_variance`."""
    z, cells = standardised(campaign), campaign.cells
    rows, system = cells.judgement, cells.credit_system
    kept = ~np.isnan(z[rows])
    rows, system = rows[kept], system[kept]
    mean = np.bincount(system, z[rows]) / np.maximum(np.bincount(system), 1)
    run = np.unique(document_runs(campaign)[rows], return_inverse=True)[1].ravel()
    length = np.bincount(run)
    value = np.bincount(run, z[rows] - mean[system]) / length
    first = np.unique(run, return_index=True)[1]
    document = np.unique(campaign.documents, return_inverse=True)[1][campaign.place[rows[first]]]
    # Documents with outputs of two systems or more.
    pairs = np.unique(np.column_stack([document, system[first]]), axis=0)
    shared = (np.bincount(pairs[:, 0], minlength=document.max() + 1) > 1)[document]
    document = np.unique(document[shared], return_inverse=True)[1].ravel()
    return value[shared], campaign.worker[rows[first]][shared], document


def _has_system(campaign: Campaign, unit: str) -> np.ndarray:
    """Whether a unit holds accepted outputs of a system, (units, systems) of bool."""
    number, size = campaign.units(unit)
    cells = campaign.cells
    has_system = np.zeros((size, len(campaign.systems)), dtype=bool)
    has_system[number[cells.judgement], cells.credit_system] = True
    return has_system
