"""Section 6, Documents (Knowles 2021), tested: are documents equally hard?"""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from study.campaigns import Release
from study.knowles2021.section_5_2_tests import COLUMNS, document_runs, generator_of
from wmtlib.core.assessments import Campaign
from wmtlib.core.corrections import corrected
from wmtlib.zscores import standardised


def document_variance(
    runs: pd.DataFrame, *, n_resamples: int, rng: np.random.Generator
) -> dict[str, float]:
    """Compute the share of the variance of z-scores that is between documents.

    The paper (section 6.3) looks at means of raw scores, in which a document has the
    worker's leniency too. Here every document run has one value (`run_values`). Under
    the null hypothesis a worker's runs are dealt to the worker's documents at random.

    Parameters
    ----------
    runs : DataFrame
        Of `run_values`, of two documents or more.
    n_resamples : int
        Of the null hypothesis, and bootstrap samples of documents.
    rng : Generator

    Returns
    -------
    dict
        documents, runs : their numbers; between_documents : variance of the documents'
        means by that of the runs (0..1); by_chance : its mean under the null
        hypothesis; low, high : of their difference (95 %, documents drawn with
        replacement); p : how often it is as large under the null hypothesis, counting
        the observation.
    """
    value = (runs["value"] - runs["value"].mean()).to_numpy()
    worker = runs["worker"].to_numpy()
    document, _ = pd.factorize(runs["document"], sort=True)
    size = np.bincount(document)

    def between(values: np.ndarray) -> np.ndarray:
        """Compute each document's sum of squares of its mean."""
        return np.bincount(document, values) ** 2 / size

    squares = np.bincount(document, value**2)
    observed = between(value)
    by_worker = np.argsort(worker, kind="stable")
    null = np.empty(n_resamples)
    dealt = np.empty_like(value)
    for k in range(n_resamples):
        dealt[by_worker] = value[np.lexsort((rng.random(len(value)), worker))]
        null[k] = between(dealt).sum() / squares.sum()
    drawn = rng.multinomial(len(size), np.full(len(size), 1 / len(size)), n_resamples)
    shares = drawn @ observed / (drawn @ squares)
    low, high = np.quantile(shares, [0.025, 0.975]) - null.mean()
    share = observed.sum() / squares.sum()
    return {
        "documents": float(len(size)),
        "runs": float(len(value)),
        "between_documents": share,
        "by_chance": null.mean(),
        "low": low,
        "high": high,
        "p": (1 + (null >= share).sum()) / (1 + n_resamples),
    }


def run_values(campaign: Campaign) -> pd.DataFrame:
    """Average z-scores, less the system's mean, in every document run.

    Returns
    -------
    DataFrame
        value, system, worker and document of each run; of the documents that two
        systems or more were judged on.
    """
    cells = campaign.cells
    columns = {
        "run": document_runs(campaign)[cells.judgement],
        "value": standardised(campaign)[cells.judgement],
        "system": cells.credit_system,
        "worker": campaign.worker[cells.judgement],
        "document": campaign.documents[campaign.place[cells.judgement]],
    }
    table = pd.DataFrame(columns).dropna()
    table["value"] -= table.groupby("system")["value"].transform("mean")
    by_run = table.groupby("run")
    runs = by_run.first().assign(value=by_run["value"].mean())
    return runs[runs.groupby("document")["system"].transform("nunique") > 1]


def document_tests(
    releases: Iterable[Release], *, n_resamples: int, seed: Sequence[int]
) -> pd.DataFrame:
    """Test whether documents are equally hard (section 6.3); a row for each campaign.

    Campaigns whose documents are not known, or were judged by one system each, are left
    out.

    Parameters
    ----------
    releases : iterable of Release
    n_resamples : int
    seed : sequence of int

    Returns
    -------
    DataFrame
        campaign, language_pair, style, then as `document_variance` gives, and
        holm: p corrected for all campaigns.
    """
    rows = []
    for release in releases:
        runs = run_values(release.coded)
        if (release.coded.documents == "").any() or runs["document"].nunique() < 2:
            continue
        rng = generator_of(release, *seed)
        variance = document_variance(runs, n_resamples=n_resamples, rng=rng)
        rows.append(release.about(*COLUMNS) | variance)
    table = pd.DataFrame(rows)
    return table.assign(holm=corrected(table["p"].to_numpy(), "holm"))
