"""What workers were given to judge: tasks, quality control, documents (Knowles 2021, 5 and 6)."""

from collections.abc import Collection

import numpy as np
import pandas as pd

from wmtlib.assessment import zscores
from wmtlib.assessment.stability import units
from wmtlib.assessment.zscores import AVERAGED, Campaign
from wmtlib.judgements.direct_assessments import ITEMS
from wmtlib.judgements.errors import DataError


def co_occurrence(campaign: Campaign, *, unit: str) -> pd.DataFrame:
    """How often two systems met in one task (Figure 4).

    Parameters
    ----------
    unit : "hit" or "worker"

    Returns
    -------
    DataFrame, systems x systems
        Share of the units with outputs of the row's system that also hold outputs of the
        column's; accepted judgements, 1 on the diagonal.
    """
    held = _held(campaign, unit).astype(float)
    together = held.T @ held
    names = [*campaign.systems]
    return pd.DataFrame(together / np.diag(together)[:, None], index=names, columns=names)


def whole_tasks(campaign: Campaign, *, unit: str) -> float:
    """Share of the HITs, or workers, that hold outputs of every system (section 6)."""
    held = _held(campaign, unit)
    return float(held[held.any(axis=1)].all(axis=1).mean())


def shares_of_workers(campaign: Campaign, *, humans: Collection[str]) -> pd.Series:
    """Share of the accepted workers who judged REF, BAD_REF and human items (section 5).

    Returns
    -------
    Series
        REF, BAD_REF, HUMAN (outputs of human systems) and workers (their number); 0..1.
    """
    human = zscores.members(campaign, humans)
    output = campaign.item < AVERAGED
    is_human = np.zeros(len(campaign.score), dtype=bool)
    is_human[campaign.credit[human[campaign.credit_system]]] = True
    seen = {item: campaign.item == ITEMS.index(item) for item in ITEMS[AVERAGED:]}
    seen["HUMAN"] = is_human & output
    workers = len(np.unique(campaign.worker[campaign.accepted]))
    share = {
        name: len(np.unique(campaign.worker[rows & campaign.accepted])) / workers
        for name, rows in seen.items()
    }
    return pd.Series({**share, "workers": workers})


def document_means(values: Campaign | pd.DataFrame) -> pd.DataFrame:
    """Mean raw score of every system on every document (Figure 5).

    Parameters
    ----------
    values : Campaign or DataFrame
        Judgements, or segment means with columns system, document, raw.

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
    means = values if isinstance(values, pd.DataFrame) else zscores.segment_means(values)
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


def document_variance(table: pd.DataFrame, *, draws: int, rng: np.random.Generator) -> pd.Series:
    """How much of the variance of document means is between documents (section 6, Documents).

    Parameters
    ----------
    table : DataFrame, documents x systems
        As `document_means` gives; documents with one system only are left out.
    draws : int
        Of the null: the cells of every system are dealt to its documents at random.
    rng : Generator

    Returns
    -------
    Series
        documents (their number); between_documents and between_systems: variance of the means of
        rows, and of columns, by the variance of all cells; by_chance: the mean of the first under
        the null; p: how often the null is as large, counting the observation.
    """
    cells = table[table.notna().sum(axis=1) > 1].to_numpy()
    spread = np.nanvar(cells)
    observed = np.nanvar(np.nanmean(cells, axis=1)) / spread
    null = np.empty(draws)
    for k in range(draws):
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
            "p": (1 + (null >= observed).sum()) / (1 + draws),
            "between_systems": np.nanvar(np.nanmean(cells, axis=0)) / spread,
        }
    )


def _held(campaign: Campaign, unit: str) -> np.ndarray:
    """Whether a unit holds accepted outputs of a system, (units, systems) of bool."""
    code, size = units(campaign, unit)
    usable = (campaign.accepted & (campaign.item < AVERAGED))[campaign.credit]
    held = np.zeros((size, len(campaign.systems)), dtype=bool)
    held[code[campaign.credit[usable]], campaign.credit_system[usable]] = True
    return held
