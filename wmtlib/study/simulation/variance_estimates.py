"""Why scores of direct assessment differ: systems, documents, segments, workers, and chance.

The components of raw scores are estimated by Henderson's first method (`henderson`), after all
workers were put on one scale.
"""

from collections.abc import Collection

import numpy as np
import pandas as pd

from wmtlib.errors import DataError
from wmtlib.study.simulation import henderson
from wmtlib.zscores import Campaign

MIN_JUDGEMENTS = 10  # of a worker whose scale is estimated
EFFECTS = ["system", "document", "system_document", "segment", "system_segment"]
COMPONENTS = ["mean", *EFFECTS, "residual", "leniency", "log_scale"]


def variance_components(campaign: Campaign, *, without: Collection[str]) -> pd.Series:
    """Standard deviations of the effects that make up raw scores.

    They are estimated from accepted SYSTEM and REPEAT judgements of one system (joint rows are left
    out), by workers with ten or more such judgements that are not all equal. First `on_one_scale`,
    then Henderson's first method.

    Scores that are cut off at 100 spread less than the quality they measure: see `design_fit`.

    Parameters
    ----------
    campaign : Campaign
    without : names
        Systems whose judgements are left out (human systems).

    Returns
    -------
    Series
        `COMPONENTS`, named as the fields of `designs.Design`: points of the 0-100 scale, but
        log_scale, the natural logarithm of a worker's scale. 0 for a variance estimated to be
        negative. NaN for document and system_document if documents are not known, and for
        system_segment if no output was judged twice: residual then holds both.

    Raises
    ------
    DataError
        Fewer than two such workers, or effects that cannot be separated.
    """
    rows, system = _outputs_of_one_system(campaign, without)
    worker, score = campaign.worker[rows], campaign.score[rows]
    size = np.bincount(worker)
    mean = np.bincount(worker, score) / np.maximum(size, 1)
    varies = np.bincount(worker, np.abs(score - mean[worker]) > 1e-9) > 0
    used = ((size >= MIN_JUDGEMENTS) & varies)[worker]
    rows, system, score = rows[used], system[used], score[used]
    worker = _codes(worker[used])
    if worker.max(initial=0) == 0:
        enough = f"{MIN_JUDGEMENTS} judgements of systems that are not all equal"
        raise DataError(f"fewer than two workers with {enough}")
    score, log_scale = on_one_scale(score, worker)
    place, mean = campaign.place[rows], score.mean()
    document = _codes(campaign.documents)[place]
    # Every factor that the judgements can separate from the others.
    factors, systems = {"system": system}, len(campaign.systems)
    if len(np.unique(document)) not in (1, len(np.unique(place))):  # known, of several segments
        factors |= {"document": document, "system_document": document * systems + system}
    factors["segment"] = place
    output = place * systems + system
    if len(np.unique(output)) < len(output):
        factors["system_segment"] = output
    factors["leniency"] = worker
    codes = [_codes(levels) for levels in factors.values()]
    spread = np.sqrt(np.maximum(henderson.variances(codes, score - mean), 0))
    found = dict(zip([*factors, "residual"], spread, strict=True))
    return pd.Series(found | {"mean": mean, "log_scale": log_scale}).reindex(COMPONENTS)


def describe_scores(campaign: Campaign, *, without: Collection[str]) -> pd.Series:
    """Means, spreads and shares that say how the raw scores of a campaign are distributed.

    Parameters
    ----------
    campaign, without
        As in `variance_components`.

    Returns
    -------
    Series
        sd : standard deviation of accepted SYSTEM and REPEAT scores, points; hundreds, zeros :
        shares of scores of 100 and of 0; workload : coefficient of variation of the number of
        judgements by a worker; ref, ref_sd, bad_ref, bad_ref_sd : mean and standard deviation of
        the quality-control items, NaN without any.
    """
    score = campaign.score[_outputs_of_one_system(campaign, without)[0]]
    items = {name: campaign.is_item(name.upper()) for name in ("ref", "bad_ref")}
    control = {name: campaign.score[rows & campaign.accepted] for name, rows in items.items()}
    size = np.bincount(campaign.worker)
    size = size[size > 0]
    found = {
        "sd": score.std(ddof=1),
        "hundreds": (score > 99.5).mean(),
        "zeros": (score < 0.5).mean(),
        "workload": size.std() / size.mean(),
    }
    for name, values in control.items():
        found[name] = values.mean() if len(values) else np.nan
        found[f"{name}_sd"] = values.std(ddof=1) if len(values) > 1 else np.nan
    return pd.Series(found)


def _outputs_of_one_system(
    campaign: Campaign, without: Collection[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Judgements of the output of one system, and the system of each; joint rows are left out."""
    credits = np.bincount(campaign.credit, minlength=len(campaign.score))[campaign.credit]
    kept = campaign.rated[campaign.credit] & (credits == 1)
    kept &= ~campaign.is_system(without)[campaign.credit_system]
    return campaign.credit[kept], campaign.credit_system[kept]


def _codes(levels: np.ndarray) -> np.ndarray:
    """Numbers 0, 1, ... instead of any values."""
    return np.unique(levels, return_inverse=True)[1].ravel()


def on_one_scale(score: np.ndarray, worker: np.ndarray) -> tuple[np.ndarray, float]:
    """Scores as if all workers used one scale, and how much the workers' scales differ.

    Each worker's scores are stretched about their mean until their standard deviation is the
    geometric mean of all workers' standard deviations.

    Parameters
    ----------
    score : ndarray, (judgements,)
    worker : ndarray of int, (judgements,)
        Every number up to the largest occurs.

    Returns
    -------
    ndarray, (judgements,), and float
        The scores; the standard deviation of the logarithm of the workers' scales. Its sampling
        variance, (kurtosis - 1) / 4n for a worker with n judgements, is subtracted.
    """
    size = np.bincount(worker)
    mean = np.bincount(worker, score) / size
    deviation = score - mean[worker]
    sd = np.sqrt(np.bincount(worker, deviation**2) / (size - 1))
    kurtosis = np.mean((deviation / sd[worker]) ** 4)
    variance = np.log(sd).var(ddof=1) - np.mean((kurtosis - 1) / (4 * size))
    common = np.exp(np.average(np.log(sd), weights=size))
    return mean[worker] + deviation * common / sd[worker], float(np.sqrt(max(variance, 0)))
