"""What makes direct-assessment scores differ: systems, documents, segments, workers, chance.

Henderson's first method (Henderson 1953, *Estimation of variance and covariance components*,
Biometrics 9; Searle, Casella and McCulloch 1992, section 5.3): for every factor the squared sums of
its levels, divided by the levels' sizes, have an expectation that is linear in the components, with
coefficients that are counts; so many equations are solved for so many components. Nothing is
assumed normal and no factor needs to be balanced, nested or crossed.
"""

from itertools import combinations_with_replacement

import numpy as np
import pandas as pd

from wmtlib.judgements.direct_assessments import JOINT, RATED_ITEMS
from wmtlib.judgements.errors import DataError

FEW = 10  # workers with fewer judgements tell nothing about their scale
EFFECTS = ["system", "document", "system_document", "segment", "system_segment"]
COMPONENTS = ["mean", *EFFECTS, "residual", "leniency", "log_scale"]


def variance_components(assessments: pd.DataFrame) -> pd.Series:
    """Standard deviations of the effects that make up raw scores.

    Of accepted SYSTEM and REPEAT judgements of one system (joint rows are left out), by workers
    with ten or more that vary. First every worker's scores are stretched about their mean to the
    geometric mean of the workers' standard deviations; then the components are estimated by
    Henderson's first method. The spread of the logarithm of the workers' standard deviations is
    freed of its sampling variance, (kurtosis - 1) / 4n for a worker with n judgements.

    Scores that are cut off at 100 spread less than what they measure: see `design_fit.fit_design`.

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
        Fewer than two such workers, or effects that cannot be told apart.
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


def describe(assessments: pd.DataFrame) -> pd.Series:
    """What the raw scores of a campaign look like.

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
    by_worker = by_worker[(by_worker["size"] >= FEW) & (by_worker["std"] > 0)]
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
    rows = rows[(score.transform("size") >= FEW) & (score.transform("std") > 0)]
    if rows["worker"].nunique() < 2:
        raise DataError(f"fewer than two workers with {FEW} judgements of systems that vary")
    factors = {k: pd.factorize(rows[k])[0] for k in ("system", "document", "segment", "worker")}
    place = factors["document"] * (factors["segment"].max() + 1) + factors["segment"]
    return factors | {"segment": pd.factorize(place)[0]}, rows["score"].to_numpy(float)


def _components(factors: dict[str, np.ndarray], score: np.ndarray) -> pd.Series:
    """The estimates from codes and raw scores."""
    worker = pd.factorize(factors["worker"])[0]
    score, log_scale = _rescaled(score, worker)
    mean = score.mean()
    coded = _crossed(factors, worker)
    variances = _henderson([*coded.values()], score - mean)
    spread = pd.Series(np.sqrt(np.maximum(variances, 0)), [*coded, "residual"])
    spread = spread.rename({"worker": "leniency"})
    return pd.concat([spread, pd.Series({"mean": mean, "log_scale": log_scale})]).reindex(
        COMPONENTS
    )


def _rescaled(score: np.ndarray, worker: np.ndarray) -> tuple[np.ndarray, float]:
    """Scores as if all workers used one scale, and the spread of the logarithm of their scales."""
    size = np.bincount(worker)
    mean = np.bincount(worker, score) / size
    apart = score - mean[worker]
    sd = np.sqrt(np.bincount(worker, apart**2) / (size - 1))
    kurtosis = np.mean((apart / sd[worker]) ** 4)
    variance = np.log(sd).var(ddof=1) - np.mean((kurtosis - 1) / (4 * size))
    common = np.exp(np.average(np.log(sd), weights=size))
    return mean[worker] + apart * common / sd[worker], float(np.sqrt(max(variance, 0)))


def _crossed(factors: dict[str, np.ndarray], worker: np.ndarray) -> dict[str, np.ndarray]:
    """Codes of every factor that the data can tell from the others."""
    system, document, segment = (factors[k] for k in ("system", "document", "segment"))
    coded = {"system": system}
    if 0 < document.max() < segment.max():  # known, and not each segment one of its own
        coded["document"] = document
        coded["system_document"] = document * (system.max() + 1) + system
    coded["segment"] = segment
    output = segment * (system.max() + 1) + system
    if len(np.unique(output)) < len(output):
        coded["system_segment"] = output
    coded["worker"] = worker
    return {name: pd.factorize(codes)[0] for name, codes in coded.items()}


def _henderson(factors: list[np.ndarray], y: np.ndarray) -> np.ndarray:
    """Variances of the factors and of the residual, by Henderson's first method.

    With T_A = sum over levels a of (sum of y in a)^2 / n_a, T_0 = (sum of y)^2 / N and T_E = sum of
    y^2: E[T_A - T_0] = sum_B (k_AB - k_0B) var_B + (levels of A - 1) var_E, where k_AB is the sum
    over a and b of n_ab^2 / n_a and k_0B the sum over b of n_b^2 / N.

    Parameters
    ----------
    factors : list of ndarray of int, (judgements,) each
        Codes, every one of which occurs.
    y : ndarray, (judgements,)
    """
    total, count = len(y), len(factors)
    sizes = [np.bincount(codes) for codes in factors]
    squares = np.array(
        [(np.bincount(c, y) ** 2 / n).sum() for c, n in zip(factors, sizes, strict=True)] + [y @ y]
    )
    overall = np.array([n @ n / total for n in sizes])
    expected = np.empty((count + 1, count + 1))
    for a, b in combinations_with_replacement(range(count), 2):
        cells, n = np.unique(factors[a] * len(sizes[b]) + factors[b], return_counts=True)
        in_a, in_b = cells // len(sizes[b]), cells % len(sizes[b])
        expected[a, b] = (n**2 / sizes[a][in_a]).sum() - overall[b]
        expected[b, a] = (n**2 / sizes[b][in_b]).sum() - overall[a]
    expected[count, :count] = total - overall
    expected[:, count] = [*(len(n) - 1 for n in sizes), total - 1]
    try:
        return np.linalg.solve(expected, squares - y.sum() ** 2 / total)
    except np.linalg.LinAlgError:
        what = "two of system, document, segment and worker group the judgements alike"
        raise DataError(f"the components cannot be told apart: {what}") from None
