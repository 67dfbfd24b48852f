"""Why scores of direct assessment differ: systems, documents, segments, workers, and chance.

The components of raw scores are estimated by Henderson's first method (`henderson`), after all
workers were put on one scale.
"""

import numpy as np
import pandas as pd

from wmtlib.judgements.direct_assessments import JOINT, RATED_ITEMS
from wmtlib.judgements.errors import DataError
from wmtlib.simulation import henderson

MIN_JUDGEMENTS = 10  # of a worker whose scale is estimated
EFFECTS = ["system", "document", "system_document", "segment", "system_segment"]
FACTORS = ["system", "document", "segment", "worker"]
COMPONENTS = ["mean", *EFFECTS, "residual", "leniency", "log_scale"]


def variance_components(assessments: pd.DataFrame) -> pd.Series:
    """Standard deviations of the effects that make up raw scores.

    They are estimated from accepted SYSTEM and REPEAT judgements of one system (joint rows are left
    out), by workers with ten or more such judgements that are not all equal. First `on_one_scale`,
    then Henderson's first method.

    Scores that are cut off at 100 spread less than the quality they measure: see `design_fit`.

    Parameters
    ----------
    assessments : DataFrame
        Columns `direct_assessments.ASSESSMENTS`.

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
    return _components(_used_judgements(assessments))


def variance_components_error(
    assessments: pd.DataFrame, rng: np.random.Generator, *, groups: int = 20
) -> pd.Series:
    """Standard errors of `variance_components`, from leaving out groups of workers.

    The delete-a-group jackknife with the workers dealt to groups at random. Resampling workers
    with replacement would show some of them twice, and two copies of one judgement look like
    agreement about an output.

    Returns
    -------
    Series
        As `variance_components`. The few systems are not resampled: the error of `system` is that
        of measuring these systems.
    """
    used = _used_judgements(assessments)
    group = rng.permutation(used["worker"].max() + 1)[used["worker"]] % groups
    estimates = pd.DataFrame([_components(used[group != g]) for g in range(groups)])
    return np.sqrt((groups - 1) * estimates.var(ddof=0))


def describe_scores(assessments: pd.DataFrame) -> pd.Series:
    """Means, spreads and shares that say how the raw scores of a campaign are distributed.

    Returns
    -------
    Series
        mean, sd : of accepted SYSTEM and REPEAT scores, points; hundreds, zeros : shares of scores
        of 100 and of 0; worker_sd : standard deviation of the workers' means, points;
        worker_log_sd : of the logarithm of the workers' standard deviations; ref, ref_sd, bad_ref,
        bad_ref_sd : mean and standard deviation of the quality-control items, NaN without any.
    """
    used = assessments[assessments["accepted"]]
    rated = used[used["item"].isin(RATED_ITEMS)]
    score = rated["score"]
    by_worker = score.groupby(rated["worker"], observed=True).agg(["size", "mean", "std"])
    by_worker = by_worker[(by_worker["size"] >= MIN_JUDGEMENTS) & (by_worker["std"] > 0)]
    control = {
        name: used.loc[used["item"] == item, "score"]
        for name, item in (("ref", "REF"), ("bad_ref", "BAD_REF"))
    }
    return pd.Series(
        {
            "mean": score.mean(),
            "sd": score.std(),
            "hundreds": (score > 99.5).mean(),
            "zeros": (score < 0.5).mean(),
            "worker_sd": by_worker["mean"].std(),
            "worker_log_sd": np.log(by_worker["std"]).std(),
            **{name: values.mean() for name, values in control.items()},
            **{f"{name}_sd": values.std() for name, values in control.items()},
        }
    )


def _used_judgements(assessments: pd.DataFrame) -> pd.DataFrame:
    """Codes of system, document, segment and worker, and score, of each judgement that is used."""
    used = assessments["accepted"] & assessments["item"].isin(RATED_ITEMS)
    rows = assessments[used & ~assessments["system"].str.contains(JOINT, regex=False)]
    score = rows["score"].groupby(rows["worker"], observed=True)
    rows = rows[(score.transform("size") >= MIN_JUDGEMENTS) & (score.transform("std") > 0)]
    if rows["worker"].nunique() < 2:
        enough = f"{MIN_JUDGEMENTS} judgements of systems that are not all equal"
        raise DataError(f"fewer than two workers with {enough}")
    codes = pd.DataFrame({k: pd.factorize(rows[k])[0] for k in FACTORS})
    # Segments of different documents may have the same name.
    place = codes["document"] * (codes["segment"].max() + 1) + codes["segment"]
    return codes.assign(segment=pd.factorize(place)[0], score=rows["score"].to_numpy(float))


def _components(used: pd.DataFrame) -> pd.Series:
    """The estimates from codes and scores."""
    system, document, segment, worker = (used[k].to_numpy() for k in FACTORS)
    worker = pd.factorize(worker)[0]
    score, log_scale = on_one_scale(used["score"].to_numpy(), worker)
    mean, systems = score.mean(), system.max() + 1
    # Every factor that the judgements can separate from the others.
    factors = {"system": system}
    if 0 < document.max() < segment.max():  # known, and longer than one segment
        factors |= {"document": document, "system_document": document * systems + system}
    factors["segment"] = segment
    output = segment * systems + system
    if len(np.unique(output)) < len(output):
        factors["system_segment"] = output
    factors["leniency"] = worker
    codes = [pd.factorize(levels)[0] for levels in factors.values()]
    spread = np.sqrt(np.maximum(henderson.variances(codes, score - mean), 0))
    found = dict(zip([*factors, "residual"], spread, strict=True))
    return pd.Series(found | {"mean": mean, "log_scale": log_scale}).reindex(COMPONENTS)


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
