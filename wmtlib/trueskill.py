"""TrueSkill (Herbrich et al. 2006): one pass over comparisons in random order."""

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import scipy
from numpy.random import Generator

from wmtlib.core.counts import (
    SECOND,
    TIE,
    ComparisonRows,
    Train,
    both_ways,
    require_few,
    tally,
    upper_pairs,
)
from wmtlib.models import Names, RatedModel, track

SIGMA = 1.0  # standard deviation of the prior belief about a skill; its mean is 0
BETA = math.sqrt(0.5**2 + 1.0**2)  # of one performance; only its ratio to SIGMA matters
INFINITY = 1e9  # standard deviations
LEAST = 1e-300  # of a Gaussian's mass; of less, what remains is a point


def trueskill(train: Train, *, systems: Names, rng: Generator) -> RatedModel:
    """Fit TrueSkill (Herbrich et al. 2006) to single comparisons, as WMT14-16 did.

    One pass over the comparisons in random order; each moves two Gaussian beliefs about
    a skill. For two players the messages have a closed form, which is computed here and
    tested against values from the `trueskill` package.

    Skill, performance and draw margin are what ability, observed quality and decision
    radius are to IRT-Gaussian, so the defaults are the paper's hyperparameters
    (footnote 13). Skills do not drift (tau = 0). The margin follows, as TrueSkill
    defines it, from P(tie) of two equal systems: (1 + ties) / (3 + comparisons),
    smoothed like the paper's baselines, so that a training set without ties, or of ties
    only, does no harm.

    Parameters
    ----------
    train, systems
        See the head of `wmtlib.models`. The order of rows plays no part.
    rng : Generator
        Shuffles the comparisons.

    Raises
    ------
    DataError
        More than `counts.MOST_SINGLE` comparisons.
    """
    names = track(systems)
    seen = upper_pairs(both_ways(tally(train, names)))
    require_few(seen.sum())
    games = rng.permutation(np.repeat(np.argwhere(seen), seen[seen > 0], axis=0))
    margin = _draw_margin(seen[..., TIE].sum(), seen.sum())
    mean, variance = skills(games, len(names), sigma=SIGMA, beta=BETA, margin=margin)
    # A prediction compares two performances; it includes the doubt about the skills.
    spread = np.sqrt(2 * BETA**2 + np.add.outer(variance, variance))
    lead = np.subtract.outer(mean, mean) / spread
    draw = margin / spread
    win = scipy.special.ndtr(lead - draw)
    lose = scipy.special.ndtr(-lead - draw)
    q = np.stack([np.maximum(1 - win - lose, 0), win, lose], axis=2)
    return RatedModel(names, q, pd.Series(mean, names), margin)


def in_one_order(
    rows: ComparisonRows, rng: Generator
) -> Callable[[np.ndarray], np.ndarray]:
    """Prepare passes over some of the comparisons, always in the same random order.

    Returns
    -------
    callable
        From rows that stay, (rows,) of bool, to mean skills, (systems,).
    """
    require_few(rows.times.sum())
    row = rng.permutation(np.repeat(np.arange(len(rows.times)), rows.times))
    games = np.column_stack([rows.first, rows.second, rows.preference])[row]
    is_tie = rows.preference == TIE

    def fit(stay: np.ndarray) -> np.ndarray:
        """Compute mean skills from the rows that stay."""
        times = rows.times * stay
        margin = _draw_margin(times[is_tie].sum(), times.sum())
        size = len(rows.systems)
        mean, _ = skills(games[stay[row]], size, sigma=SIGMA, beta=BETA, margin=margin)
        return mean

    return fit


def _draw_margin(ties: int, total: int) -> float:
    """Compute the margin at which equal systems tie as often as the smoothed share."""
    share = (1 + ties) / (3 + total)
    return float(math.sqrt(2) * BETA * scipy.special.ndtri((1 + share) / 2))


def skills(
    games: np.ndarray, n: int, *, sigma: float, beta: float, margin: float
) -> tuple[np.ndarray, np.ndarray]:
    """Compute mean and variance of the belief about each of n skills, after some games.

    The winner a of a game, with t the difference of means and e the draw margin, both
    in units of the spread c of the difference of two performances,

        mean[a] += variance[a] / c * v(t, e),
        variance[a] *= 1 - variance[a] / c^2 * w(t, e),

    and the loser the other way round; v and w are of a Gaussian above e (a win) or
    between -e and e (a tie).

    Parameters
    ----------
    games : ndarray of int, (games, 3)
        Rows (a, b, preference), in the order in which they are played.
    n : int
    sigma, beta, margin : float
        Spread of the prior belief and of a performance; draw margin.

    Returns
    -------
    mean, variance : ndarray of float64, (n,)
    """
    mean = [0.0] * n
    variance = [sigma**2] * n
    for first, second, preference in games.tolist():
        a, b = (second, first) if preference == SECOND else (first, second)
        spread = math.sqrt(2 * beta**2 + variance[a] + variance[b])
        t = (mean[a] - mean[b]) / spread
        e = margin / spread
        if preference != TIE:
            v, w = moved(e - t, INFINITY)
        else:  # from the lower of two sides, where Gaussian tails do not cancel
            v, w = moved(abs(t) - e, abs(t) + e)
            v = math.copysign(v, -t)
        for system, sign in ((a, 1), (b, -1)):
            mean[system] += sign * variance[system] / spread * v
            variance[system] *= 1 - variance[system] / spread**2 * w
    return np.array(mean), np.array(variance)


def moved(low: float, high: float) -> tuple[float, float]:
    """Compute shift and shrinkage of a unit Gaussian cut to low..high, -high <= low."""
    mass = (math.erfc(low / math.sqrt(2)) - math.erfc(high / math.sqrt(2))) / 2
    if mass < LEAST:
        return low, 1.0
    mass *= math.sqrt(2 * math.pi)
    at_low = math.exp(-low * low / 2)
    at_high = math.exp(-high * high / 2)
    v = (at_low - at_high) / mass
    return v, v**2 + (high * at_high - low * at_low) / mass
