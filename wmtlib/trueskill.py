"""TrueSkill (Herbrich et al. 2006): one pass over comparisons in random order."""

import math
from collections.abc import Callable, Sequence

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
from wmtlib.core.sampling import BLOCK, ResampledCounts
from wmtlib.models import Names, RatedModel, track

SIGMA = 1.0  # standard deviation of the prior belief about a skill; its mean is 0
BETA = math.sqrt(0.5**2 + 1.0**2)  # of one performance; only its ratio to SIGMA matters
HELD = 1 << 26  # comparisons of several samples that are held at a time
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
    margin = float(_draw_margin(seen[..., 0].sum(), seen.sum()))
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
        margin = float(_draw_margin(times[is_tie].sum(), times.sum()))
        size = len(rows.systems)
        mean, _ = skills(games[stay[row]], size, sigma=SIGMA, beta=BETA, margin=margin)
        return mean

    return fit


def _draw_margin(ties: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Compute the margin at which equal systems tie as often as the smoothed share."""
    share = (1 + ties) / (3 + total)
    return math.sqrt(2) * BETA * scipy.special.ndtri((1 + share) / 2)


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


# --- many samples at once -------------------------------------------------------------


def resampled_skills(
    samples: ResampledCounts, *, streams: Sequence[Generator]
) -> np.ndarray:
    """Compute mean skills of every sample, by one pass over its comparisons.

    Step t updates every sample by its own t-th comparison, so that Python runs the pass
    once for all of them; for a single sample, `trueskill` is quicker by far. Samples
    may differ in size. Each has a draw margin of its own, from its ties.

    Parameters
    ----------
    samples : ResampledCounts
        Whatever was drawn: comparisons, rankings, judges.
    streams : sequence of Generator
        One for every `sampling.BLOCK` samples, which shuffles their comparisons.

    Returns
    -------
    ndarray of float64, (samples, systems)
        NaN for systems that are not compared in a sample.
    """
    sizes = samples.seen.sum(axis=(0, 2))
    require_few(sizes.max(initial=0))
    parts = 1 + int(sizes.sum()) // HELD
    of_sample = np.array(streams, dtype=object).repeat(BLOCK)
    means = [
        _skills_of(samples.take(part), of_sample[part])
        for part in np.array_split(np.arange(len(sizes)), parts)
    ]
    return np.where(samples.met(), np.concatenate(means), np.nan)


def _skills_of(samples: ResampledCounts, streams: np.ndarray) -> np.ndarray:
    """Compute mean skills, (samples, systems), of samples held in memory together.

    `streams` has the Generator of each sample, (samples,).
    """
    n = len(samples.systems)
    number = samples.seen.shape[1]
    pairs = len(samples.first)
    # What can happen, by its number: a tie, win or loss of a pair; and, where a sample
    # has ended, a win of a player n against a player n + 1, who meet no other
    # system.
    better = [*samples.first, *samples.first, *samples.second, n]
    worse = [*samples.second, *samples.second, *samples.first, n + 1]
    players = np.array([better, worse])
    # Each sample's comparisons, a column, in random order: the numbers of their kinds.
    ended = 3 * pairs
    times = samples.seen.swapaxes(0, 1).reshape(number, -1).astype(np.int64)
    sizes = times.sum(axis=1)
    shape = (sizes.max(initial=0), number)
    games = np.full(shape, ended, dtype=np.min_scalar_type(ended))
    for sample, size in enumerate(sizes):
        kinds = np.repeat(np.arange(ended), times[sample])
        streams[sample].shuffle(kinds)
        games[:size, sample] = kinds
    margin = _draw_margin(samples.seen[0].sum(axis=1), sizes)
    mean = np.zeros(number * (n + 2))
    variance = np.full(number * (n + 2), SIGMA**2)
    first_player = (n + 2) * np.arange(number)  # of each sample
    for kind in games:
        both = first_player + players.take(kind, axis=1)
        tied = np.flatnonzero(kind < pairs)
        mean_a, mean_b = mean[both]
        doubt = variance[both]
        spread = np.sqrt(2 * BETA**2 + doubt[0] + doubt[1])
        v, w = all_moved((mean_a - mean_b) / spread, margin / spread, tied)
        share = doubt / spread
        mean[both] = mean_a + share[0] * v, mean_b - share[1] * v
        variance[both] = doubt - share * share * w
    return mean.reshape(number, n + 2)[:, :n]


def all_moved(
    t: np.ndarray, e: np.ndarray, tied: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Compute `moved` of many games at once, without a loop.

    Of a Gaussian at t above e, or between -e and e at the places `tied`.
    """
    low = e - t
    size = np.abs(t[tied])
    low[tied] = size - e[tied]
    high = size + e[tied]
    mass = scipy.special.ndtr(-low)
    mass[tied] -= scipy.special.ndtr(-high)
    gone = mass < LEAST
    mass = np.where(gone, 1.0, math.sqrt(2 * math.pi) * mass)
    at_low = np.exp(-low * low / 2)
    at_high = np.exp(-high * high / 2)
    shift = at_low.copy()
    shift[tied] -= at_high
    shrinkage = -low * at_low
    shrinkage[tied] += high * at_high
    v = shift / mass
    w = v * v + shrinkage / mass
    v[gone] = low[gone]
    w[gone] = 1.0
    v[tied] = np.copysign(v[tied], -t[tied])
    return v, w
