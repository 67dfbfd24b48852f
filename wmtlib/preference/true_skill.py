"""TrueSkill (Herbrich et al. 2006): one pass over comparisons in random order."""

import math
from collections.abc import Iterable

import numpy as np
import pandas as pd
import scipy

from wmtlib.judgements.counting import Counts
from wmtlib.judgements.errors import DataError
from wmtlib.preference.preference_model import both_ways, once, tally, track
from wmtlib.preference.rating_models import RatedModel


def trueskill(
    train: pd.DataFrame | Counts,
    *,
    systems: Iterable[str],
    rng: np.random.Generator,
    sigma: float = 1.0,
    beta: float = math.sqrt(0.5**2 + 1.0**2),
) -> RatedModel:
    """TrueSkill (Herbrich et al. 2006) over single comparisons, the method of WMT14-16.

    One pass over the comparisons in random order; each moves two Gaussian beliefs about a skill.
    For two players the messages have a closed form, which is computed here and tested
    against values from the `trueskill` package.

    Skill, performance and draw margin are what ability, observed quality and decision radius are
    to IRT-Gaussian, so the defaults are the paper's hyperparameters (footnote 13). Skills do not
    drift (tau = 0). The margin follows, as TrueSkill defines it, from P(tie) of two equal systems:
    (1 + ties) / (3 + comparisons), smoothed like the paper's baselines, so that a training set
    without ties, or of ties only, does no harm.

    Parameters
    ----------
    train, systems
        See the head of `wmtlib.preference.preference_model`. The order of rows plays no part.
    rng : Generator
        Shuffles the comparisons.
    sigma : float
        Standard deviation of the prior belief about a skill; its mean is 0.
    beta : float
        Standard deviation of one performance. TrueSkill's own default is sigma / 2; nothing but
        the ratio of the two matters.
    """
    for name, value in (("sigma", sigma), ("beta", beta)):
        if not 0 < value < np.inf:
            raise DataError(f"{name}, a standard deviation, is {value}; expected > 0")
    names = track(systems)
    seen = once(both_ways(tally(train, names)))
    games = rng.permutation(np.repeat(np.argwhere(seen), seen[seen > 0], axis=0))
    share = (1 + seen[..., 0].sum()) / (3 + seen.sum())
    margin = math.sqrt(2) * beta * float(scipy.special.ndtri((1 + share) / 2))
    mean, variance = skills(games, len(names), sigma=sigma, beta=beta, margin=margin)
    # A prediction compares two performances; it includes the doubt about the skills.
    spread = np.sqrt(2 * beta**2 + np.add.outer(variance, variance))
    d, e = np.subtract.outer(mean, mean) / spread, margin / spread
    win, lose = scipy.special.ndtr(d - e), scipy.special.ndtr(-d - e)
    q = np.stack([np.maximum(1 - win - lose, 0), win, lose], axis=2)
    return RatedModel(names, q, pd.Series(mean, index=names), margin)


def skills(
    games: np.ndarray, n: int, *, sigma: float, beta: float, margin: float
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of the belief about each of n skills after `games`, rows (a, b, pi)."""
    mean, variance = [0.0] * n, [sigma**2] * n
    for first, second, preference in games.tolist():
        a, b = (second, first) if preference == 2 else (first, second)
        spread = math.sqrt(2 * beta**2 + variance[a] + variance[b])
        update = moved_above if preference else moved_within
        v, w = update((mean[a] - mean[b]) / spread, margin / spread)
        for system, sign in ((a, 1), (b, -1)):
            mean[system] += sign * variance[system] / spread * v
            variance[system] *= 1 - variance[system] / spread**2 * w
    return np.array(mean), np.array(variance)


def _pdf(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _cdf(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def moved_above(t: float, e: float) -> tuple[float, float]:
    """Shift and shrinkage of a unit Gaussian at t that turns out above e."""
    if (mass := _cdf(t - e)) < 1e-300:  # so far out that what remains is a point
        return e - t, 1.0
    v = _pdf(t - e) / mass
    return v, v * (v + t - e)


def moved_within(t: float, e: float) -> tuple[float, float]:
    """Shift and shrinkage of a unit Gaussian at t that turns out between -e and e."""
    if (mass := _cdf(e - t) - _cdf(-e - t)) < 1e-300:
        return math.copysign(abs(t) - e, -t), 1.0
    low, high = _pdf(-e - t), _pdf(e - t)
    v = (low - high) / mass
    return v, v**2 + ((e - t) * high + (e + t) * low) / mass
