"""Scores by annotator, by HIT, and from a model with effects of HITs. Notebook 65.

    z(j) = system(j) + segment(j) + HIT(j) + e(j)

z(j) is the z-score of judgement j by its worker (Knowles 2021, Equation 1); a HIT of
two workers is two. Least squares give the effects, and those of systems are their
scores, with the mean 0. What the errors e of a cluster, such as a HIT, add to a score
is summed before it is squared: standard errors are clustered (Liang and Zeger 1986;
two ways: Cameron, Gelbach and Miller 2011).

The criteria are in the notebook. They were written before any campaign was divided or
shuffled here. Known were a trial from outside on WMT21 and WMT22 (SR+DC), and how many
pairs of systems the model calls apart in these campaigns. After a first run three
things were added: the factor n / (n - k) of the variance, for n judgements and k
effects; a clustering by worker and document beside the one by HIT; the model without
HIT effects.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import scipy

from study.beyond.honest_line import ALPHA, exchange_names
from study.beyond.pair_arrays import pairs_of, table_of_segments
from study.beyond.unit_tests import membership
from study.knowles2021.section_5_1 import has_hit_id
from wmtlib.core.assessments import Campaign
from wmtlib.zscores import judged_values

MEANS = {"raw": "raw", "z by worker": "z", "z by HIT": "z_by_hit"}  # columns of values
SCORES = (*MEANS, "no HIT effects", "model")
MOST_NAMED = 0.5  # share of judgements whose HIT is named, of a campaign that has HITs
FEWEST_WORKERS = 20  # of a campaign that is divided: a half should have ten
RIDGE = 1e-10  # holds the constant of linked effects at 0
ZERO = 1e-8  # share of the largest eigenvalue; that of the systems' mean is rounding


# --- the model ------------------------------------------------------------------------


class Effects:
    """Effects of segments and of units, such as HITs, to be taken out of columns.

    Parameters
    ----------
    segment, unit : ndarray, (values,)

    Attributes
    ----------
    number : int
        Of effects that the values separate, where segments link all units.
    """

    def __init__(self, segment: np.ndarray, unit: np.ndarray) -> None:
        levels = [membership(pd.factorize(of)[0]) for of in (segment, unit)]
        self._levels = scipy.sparse.vstack(levels)
        self.number = self._levels.shape[0] - 1
        constant = RIDGE * scipy.sparse.eye_array(self.number + 1)
        normal = (self._levels @ self._levels.T + constant).tocsc()
        # Segments come first: without them the equations of units alone are left.
        self._factor = scipy.sparse.linalg.splu(
            normal, permc_spec="NATURAL", diag_pivot_thresh=0
        )

    def removed(self, columns: np.ndarray) -> np.ndarray:
        """Return what least squares on indicators of both leave of (values, any)."""
        effects = self._factor.solve(self._levels @ columns)
        return columns - self._levels.T @ effects


@dataclass(frozen=True, eq=False)
class Fitted:
    """Scores of systems by the model of the head of this module.

    Attributes
    ----------
    score : ndarray of float64, (systems,)
    added : ndarray of float64, (values, systems)
        What the error of each value adds to the scores, times sqrt(n / (n - k)).
    """

    score: np.ndarray
    added: np.ndarray


def fit(system: np.ndarray, z: np.ndarray, effects: Effects) -> Fitted:
    """Fit the model by least squares to values of systems 0, 1, ..., (values,)."""
    size = system.max() + 1
    columns = effects.removed(np.column_stack([np.eye(size)[system], z]))
    indicators = columns[:, :size]
    rest = columns[:, size]
    normal = indicators.T @ indicators
    weight = indicators @ np.linalg.pinv(normal, rcond=ZERO, hermitian=True)
    score = weight.T @ rest
    error = rest - indicators @ score
    freedom = len(z) - effects.number - (size - 1)
    return Fitted(score, weight * error[:, None] * np.sqrt(len(z) / freedom))


def clustered_p(
    fitted: Fitted, clusters: Sequence[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Test every pair of systems by standard errors clustered one or two ways.

        V(k) = U / (U - 1) x sum over U clusters of kind k of (sum of what is added)^2

    Two ways: V = V(first) + V(second) - V(both), at least the larger of the first two.

    Parameters
    ----------
    fitted : Fitted
    clusters : one or two ndarrays, (values,)

    Returns
    -------
    p, variance : ndarray of float64, (pairs,)
        Two-sided p of Student's t, with as many degrees of freedom as there are
        clusters of the kind with fewer, less 1; variance of the differences.
    """
    first, second = pairs_of(len(fitted.score))
    codes = [pd.factorize(of)[0] for of in clusters]
    if len(codes) == 2:
        codes.append(pd.factorize(codes[0] * len(codes[1]) + codes[1])[0])
    numbers = []
    variances = []
    for code in codes:
        sums = membership(code) @ fitted.added
        moved = sums[:, first] - sums[:, second]
        numbers.append(len(sums))
        variances.append((moved**2).sum(axis=0) * len(sums) / (len(sums) - 1))
    variance = np.max(variances[:2], axis=0)
    if len(codes) == 3:
        variance = np.maximum(variance, variances[0] + variances[1] - variances[2])
    t = (fitted.score[first] - fitted.score[second]) / np.sqrt(variance)
    return 2 * scipy.special.stdtr(min(numbers) - 1, -np.abs(t)), variance


# --- campaigns whose HITs are named ---------------------------------------------------


def values_by_hit(campaign: Campaign) -> pd.DataFrame | None:
    """List the judgements whose HIT is named, with z-scores by worker and by HIT.

    Scales are computed from these judgements, quality control included. None: fewer
    than `MOST_NAMED` are named.

    Returns
    -------
    DataFrame
        Of `zscores.judged_values`, and z_by_hit.
    """
    named = has_hit_id(campaign)
    if named.mean() < MOST_NAMED:
        return None
    chosen = campaign.select(named)
    hit, number = chosen.units("hit")
    hits = tuple(map(str, range(number)))
    by_hit = replace(chosen, worker=hit, workers=hits, unlisted=np.zeros((3, number)))
    values = judged_values(chosen, "raw")
    values["z_by_hit"] = judged_values(by_hit, "raw")["z"]
    return values.dropna(ignore_index=True)


def columns_of(values: pd.DataFrame, unit: str) -> tuple[np.ndarray, ...]:
    """Return system, z-score, segment and unit of all values, as arrays."""
    return tuple(values[name].to_numpy() for name in ("system", "z", "segment", unit))


def system_scores(values: pd.DataFrame) -> np.ndarray:
    """Score the systems in every way of `SCORES`, (ways, systems)."""
    tables = [table_of_segments(values, column) for column in MEANS.values()]
    system, z, segment, hit = columns_of(values, "hit")
    fits = [fit(system, z, Effects(segment, units)).score for units in (0 * hit, hit)]
    return np.array([*np.nanmean(tables, axis=2), *fits])


def divided(values: pd.DataFrame, divisions: int, seed: int) -> pd.DataFrame:
    """Divide the workers into two halves at random, and compare the systems' scores.

    Parameters
    ----------
    values : DataFrame
        Of `values_by_hit`.
    divisions, seed : int

    Returns
    -------
    DataFrame, (ways, 2)
        By way of `SCORES`: tau (Kendall's, of the orders in the two halves) and r (of
        the scores), means over divisions.
    """
    rng = np.random.default_rng(seed)
    worker, workers = pd.factorize(values["worker"])
    first, second = pairs_of(values["system"].max() + 1)
    total: Any = 0.0
    for _ in range(divisions):
        half = rng.permutation(len(workers))[worker] % 2
        scores = np.array([system_scores(values[half == k]) for k in (0, 1)])
        signs = np.sign(scores[..., first] - scores[..., second])
        centred = scores - scores.mean(axis=-1, keepdims=True)
        tau = signs.prod(axis=0).mean(axis=-1)
        lengths = np.sqrt((centred**2).sum(axis=-1))
        r = centred.prod(axis=0).sum(axis=-1) / lengths.prod(axis=0)
        total = total + np.column_stack([tau, r])
    return pd.DataFrame(total / divisions, [*SCORES], ["tau", "r"])


def false_pairs(
    values: pd.DataFrame,
    unit: str,
    block: str,
    clusters: dict[str, list[str]],
    shuffles: int,
    seed: int,
) -> pd.DataFrame:
    """Compute the share of equal pairs that the model calls apart at 5 %.

    The systems' means are taken out, and names are exchanged within each block; see
    `honest_line`.

    Parameters
    ----------
    values : DataFrame
        Of `judged_values`.
    unit, block : str
        Columns: whose effects are in the model, and within which names are exchanged.
    clusters : dict of name to one or two columns
    shuffles, seed : int

    Returns
    -------
    DataFrame, (shuffles, clusters)
    """
    rng = np.random.default_rng(seed)
    system, z, segment, units = columns_of(values, unit)
    z = z - values.groupby("system")["z"].transform("mean").to_numpy()
    effects = Effects(segment, units)
    names = exchange_names(system, values[block].to_numpy(), rng)
    kinds = {name: values[of].to_numpy().T for name, of in clusters.items()}
    rows = []
    for _ in range(shuffles):
        fitted = fit(next(names), z, effects)
        tests = [clustered_p(fitted, of)[0] for of in kinds.values()]
        rows.append(np.mean(np.array(tests) < ALPHA, axis=1))
    return pd.DataFrame(rows, columns=[*kinds])
