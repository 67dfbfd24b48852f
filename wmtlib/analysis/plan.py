"""How many more judgements until neighbours in a ranking are apart?

Two systems are *apart* if their difference of scores is more than t standard errors from zero
(two-sided, 5 %, t with as many degrees of freedom as there are units less one). The error is
resampled by the unit of collection, so it holds what judges, segments or rankings have in common.

**After more judgements.** With f times as many new judgements as there are, of the same kind, an
estimate D with error s becomes (D + f D') / (1 + f), where the new part D' has the error
s / sqrt(f), and the whole has the error s / sqrt(1 + f). D' scatters around the true difference,
which is not D: neighbours are close by selection, and a difference of two errors or less is often
luck. So the truth is averaged over its posterior (`posterior`), normal with mean m and variance v,
and the later estimate is normal with mean (D + f m) / (1 + f) and variance
(f^2 v + f s^2) / (1 + f)^2. The chance that the pair is then apart is a sum of two normal tails:
the predictive power of an interim analysis (Spiegelhalter, Freedman and Blackburn 1986).

**Judgements of one pair alone.** A comparison of two systems tells I of their difference of
strengths, the Fisher information of Davidson's model, if comparisons are independent. They are not:
the *design effect* is the resampled variance of the strengths over their variance without
overdispersion, the inverse of the sum of all comparisons' information. M comparisons of a pair are
worth f = M I s^2 / design effect. M scores, half of either system, are worth f = M / (n_1 + n_2).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from wmtlib.analysis import bootstrap
from wmtlib.analysis.bootstrap import BootstrapResult
from wmtlib.analysis.plan_defaults import CHANCE, MORE, RESAMPLES
from wmtlib.assessment.campaign import Campaign
from wmtlib.judgements import counting
from wmtlib.judgements.counting import Counts
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.html import captioned
from wmtlib.judgements.ranking import Ranking
from wmtlib.preference import bradley_terry
from wmtlib.preference.rating_models import LINKS

ALPHA = 0.05
MOST = 100  # times the judgements at hand; beyond it no number is given


@dataclass(frozen=True, eq=False)
class Plan:
    """What more judgements would do for each pair of neighbours.

    Attributes
    ----------
    ranking : Ranking
        By Bradley-Terry strengths, or mean z-scores.
    table : DataFrame
        Neighbours in the order of the ranking: above, below, difference and error (of the scores),
        expected and deviation (mean and standard deviation of the posterior of the true
        difference), apart (bool, now), then (chance to be apart after `more` judgements spread as
        those at hand), alone (after as many of this pair alone), needed (judgements, spread as
        those at hand, until the chance is `chance`; 0 if apart now, NA beyond `MOST` times those
        at hand).
    judgements : int
        At hand: comparisons or scores, those of the reference left out.
    unit, n_units
        What was resampled, and how many there are.
    more, chance
        As given.
    design_effect : float
        Of comparisons; NaN for scores.
    warnings : tuple of str
        Of the bootstrap.
    """

    ranking: Ranking
    table: pd.DataFrame
    judgements: int
    unit: str
    n_units: int
    more: int
    chance: float
    design_effect: float
    warnings: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        caption = f"{self.judgements} judgements, {self.n_units} {self.unit}s; {self.more} more"
        return captioned(caption, self.table)


def plan(
    data: Counts | pd.DataFrame | Campaign,
    *,
    unit: str,
    rng: np.random.Generator,
    more: int = MORE,
    chance: float = CHANCE,
    n_resamples: int = RESAMPLES,
    reference: str | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> Plan:
    """What more judgements like those at hand would do for neighbours in the ranking.

    Parameters
    ----------
    data, unit, n_resamples, rng, reference, progress
        As in `bootstrap.bootstrap`.
    more : int
        Judgements that could be had: comparisons or scores.
    chance : float
        The chance of being apart that is aimed at.

    Raises
    ------
    DataError
        What the bootstrap refuses; `more` below 1, or a chance that is not between 0 and 1.
    """
    if more < 1 or not 0 < chance < 1:
        raise DataError(f"more is {more}, chance {chance}; expected 1 or more, and a share below 1")
    method = "z-score" if isinstance(data, Campaign) else "bradley-terry"
    settings = {"n_resamples": n_resamples, "rng": rng, "reference": reference}
    found = bootstrap.bootstrap(data, method, unit=unit, progress=progress, **settings)
    order, units = found.ranking.order, found.n_units
    score = found.ranking.column("score")[order].to_numpy()
    covariance = error_covariance(found)
    mean, uncertainty = posterior(score, covariance)
    difference, expected = -np.diff(score), -np.diff(mean)
    error, deviation = _of_neighbours(covariance), _of_neighbours(uncertainty)
    known = (difference, error, expected, deviation)
    judgements, alone, design_effect = _worth(data, found.ranking, covariance)
    grown = units * (1 + more / judgements)
    apart = chance_apart(*known, 0.0, units) > 0
    table = pd.DataFrame({"above": order[:-1], "below": order[1:]}).assign(
        difference=difference,
        error=error,
        expected=expected,
        deviation=deviation,
        apart=apart,
        then=chance_apart(*known, more / judgements, grown),
        alone=chance_apart(*known, more * alone, grown),
        needed=_needed(known, units, judgements, chance, apart),
    )
    return Plan(
        found.ranking, table, judgements, unit, units, more, chance, design_effect, found.warnings
    )


def error_covariance(found: BootstrapResult) -> np.ndarray:
    """Covariance of the errors of scores, (systems, systems) in the order of the ranking.

    Resampling J units gives (J - 1) / J of the variance.

    Raises
    ------
    DataError
        A system that fewer than two resamples hold.
    """
    covariance = found.scores[found.ranking.order].cov().to_numpy()
    if np.isnan(covariance).any():
        raise DataError(f"a system is in too few resamples by {found.unit}; expected more of them")
    return covariance * found.n_units / (found.n_units - 1)


def posterior(score: np.ndarray, covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What the true scores are, given the estimated ones: mean (n,) and covariance (n, n).

    Empirical Bayes: true scores are normal around their mean with a variance that is estimated from
    the spread of the scores less that of their errors; estimates are normal around the truth.
    Only differences matter, so scores are taken about their mean.

    Parameters
    ----------
    score : ndarray, (systems,)
    covariance : ndarray, (systems, systems)
        Of the errors.

    Examples
    --------
    Two systems 2 apart, each with error 1 / 2: the spread is 2 - 1 / 4, and one eighth of the
    difference is luck.

    >>> mean, variance = posterior(np.array([1.0, -1.0]), np.eye(2) / 4)
    >>> (mean[0] - mean[1]).round(3).item()
    1.75
    """
    size = len(score)
    centre = np.eye(size) - 1 / size
    score, error = centre @ score, centre @ covariance @ centre
    spread = max(0.0, (score @ score - np.trace(error)) / (size - 1))
    if spread == 0:
        return np.zeros(size), np.zeros((size, size))
    prior = spread * centre
    # The common mean, about which nothing is said, gets a variance of its own: it can be inverted.
    gain = prior @ np.linalg.inv(prior + error + spread / size)
    return gain @ score, prior - gain @ prior


def chance_apart(
    difference: np.ndarray,
    error: np.ndarray,
    expected: np.ndarray,
    deviation: np.ndarray,
    growth: np.ndarray | float,
    units: np.ndarray | float,
) -> np.ndarray:
    """Chance that pairs are apart once there are (1 + growth) times the judgements.

    See the head of this module.

    Parameters
    ----------
    difference, error, expected, deviation : ndarray, (pairs,)
        See `Plan.table`.
    growth : ndarray or float
        New judgements over those at hand; 0 gives 1 for what is apart now, otherwise 0.
    units : ndarray or float
        Number of units by then.

    Examples
    --------
    >>> pair = [np.array([x]) for x in (2.0, 1.0, 1.5, 0.5)]
    >>> [chance_apart(*pair, growth, 1000)[0].round(2).item() for growth in (0.0, 0.1, 1.0, 9.0)]
    [1.0, 0.61, 0.74, 0.96]
    """
    middle = (difference + growth * expected) / (1 + growth)
    spread = np.sqrt(growth * (growth * deviation**2 + error**2)) / (1 + growth)
    limit = scipy.special.stdtrit(units - 1, 1 - ALPHA / 2) * error / np.sqrt(1 + growth)
    with np.errstate(divide="ignore", invalid="ignore"):
        tails = [scipy.special.ndtr((side * middle - limit) / spread) for side in (1, -1)]
    return np.where(spread > 0, sum(tails), np.abs(middle) > limit)


def _of_neighbours(covariance: np.ndarray) -> np.ndarray:
    """Standard deviations of the differences of neighbours, (n - 1,)."""
    variance = np.diag(covariance)
    return np.sqrt(np.maximum(variance[1:] + variance[:-1] - 2 * np.diag(covariance, 1), 0))


def _needed(
    known: tuple[np.ndarray, ...], units: int, judgements: int, chance: float, apart: np.ndarray
) -> pd.array:
    """`Plan.table.needed`, to one per cent."""
    growth = np.geomspace(1 / judgements, MOST, 1000)[:, None]
    enough = chance_apart(*known, growth, units * (1 + growth)) >= chance
    number = np.ceil(growth[enough.argmax(axis=0), 0] * judgements)
    number = np.where(enough.any(axis=0), number, np.nan)
    return pd.array(np.where(apart, 0, number), dtype="Int64")


def _worth(
    data: Counts | pd.DataFrame | Campaign, ranking: Ranking, covariance: np.ndarray
) -> tuple[int, np.ndarray, float]:
    """Judgements at hand, the growth by one more of each pair of neighbours, the design effect."""
    order = ranking.order
    if isinstance(data, Campaign):
        number = np.bincount(data.cells.credit_system, minlength=len(data.systems))
        number = pd.Series(number, [*data.systems])[order].to_numpy()
        return int(number.sum()), 1 / (number[1:] + number[:-1]), float("nan")
    counts = counting.counts(data)
    counts = counts.without(*set(counts.systems) - {*order})
    model = bradley_terry.fit(counts, systems=counts.systems, ties="davidson")
    strength = model.strengths[order].to_numpy()
    seen = (counts.wins + counts.wins.T + counts.ties).loc[order, order].to_numpy()
    apart, one = np.subtract.outer(strength, strength), np.ones_like(covariance)
    information = LINKS["davidson"].derivatives(apart, model.tie, (one, 0 * one, 0 * one)).dd
    weight = seen * information
    laplacian = np.diag(weight.sum(axis=1)) - weight
    centre = np.eye(len(order)) - 1 / len(order)
    independent = np.linalg.pinv(laplacian, rtol=1e-9, hermitian=True)
    design_effect = float(np.trace(centre @ covariance) / np.trace(independent))
    worth = np.diag(information, 1) * _of_neighbours(covariance) ** 2 / design_effect
    return counts.comparisons, worth, design_effect
