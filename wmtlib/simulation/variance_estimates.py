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
    factors, score = _prepared(assessments)
    return _components(factors, score)


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
    factors, score = _prepared(assessments)
    worker = factors["worker"]
    group = rng.permutation(worker.max() + 1)[worker] % groups
    estimates = pd.DataFrame(
        [
            _components({k: codes[group != g] for k, codes in factors.items()}, score[group != g])
            for g in range(groups)
        ]
    )
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


def _prepared(assessments: pd.DataFrame) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Codes of system, document, segment and worker, and raw scores, of the rows that are used."""
    used = assessments["accepted"] & assessments["item"].isin(RATED_ITEMS)
    rows = assessments[used & ~assessments["system"].str.contains(JOINT, regex=False)]
    score = rows["score"].groupby(rows["worker"], observed=True)
    rows = rows[(score.transform("size") >= MIN_JUDGEMENTS) & (score.transform("std") > 0)]
    if rows["worker"].nunique() < 2:
        enough = f"{MIN_JUDGEMENTS} judgements of systems that are not all equal"
        raise DataError(f"fewer than two workers with {enough}")
    factors = {k: pd.factorize(rows[k])[0] for k in ("system", "document", "segment", "worker")}
    place = factors["document"] * (factors["segment"].max() + 1) + factors["segment"]
    return factors | {"segment": pd.factorize(place)[0]}, rows["score"].to_numpy(float)


def _components(factors: dict[str, np.ndarray], score: np.ndarray) -> pd.Series:
    """The estimates from codes and raw scores."""
    worker = pd.factorize(factors["worker"])[0]
    score, log_scale = on_one_scale(score, worker)
    mean = score.mean()
    coded = _crossed(factors, worker)
    variances = henderson.variances([*coded.values()], score - mean)
    spread = pd.Series(np.sqrt(np.maximum(variances, 0)), [*coded, "residual"])
    spread = spread.rename({"worker": "leniency"})
    location = pd.Series({"mean": mean, "log_scale": log_scale})
    return pd.concat([spread, location]).reindex(COMPONENTS)


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


def _crossed(factors: dict[str, np.ndarray], worker: np.ndarray) -> dict[str, np.ndarray]:
    """Codes of every factor that the judgements can separate from the others."""
    system, document, segment = (factors[k] for k in ("system", "document", "segment"))
    coded = {"system": system}
    if 0 < document.max() < segment.max():  # known, and longer than one segment
        coded["document"] = document
        coded["system_document"] = document * (system.max() + 1) + system
    coded["segment"] = segment
    output = segment * (system.max() + 1) + system
    if len(np.unique(output)) < len(output):
        coded["system_segment"] = output
    coded["worker"] = worker
    return {name: pd.factorize(codes)[0] for name, codes in coded.items()}
