"""The composition of HITs: systems, quality control, documents (Knowles 2021, sections 5, 6)."""

from collections.abc import Collection

import numpy as np
import pandas as pd

from wmtlib.assessment.campaign import QUALITY_CONTROL, Campaign
from wmtlib.judgements.direct_assessments import ITEMS, RATED_ITEMS
from wmtlib.judgements.errors import DataError


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
    table: pd.DataFrame, *, n_resamples: int, rng: np.random.Generator
) -> pd.Series:
    """How much of the variance of document means is between documents (section 6, Documents).

    Parameters
    ----------
    table : DataFrame, documents x systems
        As `document_means` gives; documents with one system only are left out.
    n_resamples : int
        Of the null hypothesis: the cells of every system are dealt to its documents at random.
    rng : Generator

    Returns
    -------
    Series
        documents (their number); between_documents and between_systems: variance of the means of
        rows, and of columns, by the variance of all cells; by_chance: the mean of the first under
        the null hypothesis; p: how often it is as large under it, counting the observation.
    """
    cells = table[table.notna().sum(axis=1) > 1].to_numpy()
    spread = np.nanvar(cells)
    observed = np.nanvar(np.nanmean(cells, axis=1)) / spread
    null = np.empty(n_resamples)
    for k in range(n_resamples):
        dealt = cells.copy()
        for column in dealt.T:  # views: filled in place
            judged = ~np.isnan(column)
            column[judged] = rng.permutation(column[judged])
        null[k] = np.nanvar(np.nanmean(dealt, axis=1)) / spread
    return pd.Series(
        {
            "documents": len(cells),
            "between_documents": observed,
            "by_chance": null.mean(),
            "p": (1 + (null >= observed).sum()) / (1 + n_resamples),
            "between_systems": np.nanvar(np.nanmean(cells, axis=0)) / spread,
        }
    )


def _has_system(campaign: Campaign, unit: str) -> np.ndarray:
    """Whether a unit holds accepted outputs of a system, (units, systems) of bool."""
    number, size = campaign.units(unit)
    cells = campaign.cells
    has_system = np.zeros((size, len(campaign.systems)), dtype=bool)
    has_system[number[cells.judgement], cells.credit_system] = True
    return has_system
