"""TrueSkill (Herbrich et al. 2006): one pass over comparisons in random order."""

import math

import numpy as np
import pandas as pd
import scipy
from numpy.random import Generator

from wmtlib.bradley_terry import ResampledCounts
from wmtlib.counts import require_few
from wmtlib.draws import blocks
from wmtlib.models import Names, RatedModel, Train, both_ways, once, tally, track

SIGMA = 1.0  # standard deviation of the prior belief about a skill; its mean is 0
BETA = math.sqrt(
    0.5**2 + 1.0**2
)  # of one performance; nothing but the ratio of the two matters
HELD = 1 << 26  # comparisons of several samples that are held at a time
INFINITY = 1e9  # standard deviations
LEAST = 1e-300  # of a Gaussian's mass; of less, what remains is a point


def trueskill(train: Train, *, systems: Names, rng: Generator) -> RatedModel:
    """TrueSkill (Herbrich et al. 2006) over single comparisons, the method of WMT14-16.

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
    seen = once(both_ways(tally(train, names)))
    require_few(seen.sum())
    games = rng.permutation(np.repeat(np.argwhere(seen), seen[seen > 0], axis=0))
    margin = float(_draw_margin(seen[..., 0].sum(), seen.sum()))
    mean, variance = skills(games, len(names), sigma=SIGMA, beta=BETA, margin=margin)
    # A prediction compares two performances; it includes the doubt about the skills.
    spread = np.sqrt(2 * BETA**2 + np.add.outer(variance, variance))
    d, e = np.subtract.outer(mean, mean) / spread, margin / spread
    win, lose = scipy.special.ndtr(d - e), scipy.special.ndtr(-d - e)
    q = np.stack([np.maximum(1 - win - lose, 0), win, lose], axis=2)
    return RatedModel(names, q, pd.Series(mean, index=names), margin)


def _draw_margin(ties: np.ndarray, total: np.ndarray) -> np.ndarray:
    return math.sqrt(2) * BETA * scipy.special.ndtri((1 + (1 + ties) / (3 + total)) / 2)


def skills(
    games: np.ndarray, n: int, *, sigma: float, beta: float, margin: float
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of the belief about each of n skills after `games`, rows (a, b, pi)."""
    mean, variance = [0.0] * n, [sigma**2] * n
    for first, second, preference in games.tolist():
        a, b = (second, first) if preference == 2 else (first, second)
        spread = math.sqrt(2 * beta**2 + variance[a] + variance[b])
        t, e = (mean[a] - mean[b]) / spread, margin / spread
        if preference:
            v, w = moved(e - t, INFINITY)
        else:  # from the lower of two sides, where Gaussian tails do not cancel
            v, w = moved(abs(t) - e, abs(t) + e)
            v = math.copysign(v, -t)
        for system, sign in ((a, 1), (b, -1)):
            mean[system] += sign * variance[system] / spread * v
            variance[system] *= 1 - variance[system] / spread**2 * w
    return np.array(mean), np.array(variance)


def moved(low: float, high: float) -> tuple[float, float]:
    """Shift and shrinkage of a unit Gaussian that turns out between low and high, -high <= low."""
    mass = (math.erfc(low / math.sqrt(2)) - math.erfc(high / math.sqrt(2))) / 2
    if mass < LEAST:
        return low, 1.0
    mass *= math.sqrt(2 * math.pi)
    at_low, at_high = math.exp(-low * low / 2), math.exp(-high * high / 2)
    v = (at_low - at_high) / mass
    return v, v**2 + (high * at_high - low * at_low) / mass


# --- many samples at once -------------------------------------------------------------


def resampled_skills(samples: ResampledCounts, *, rng: Generator) -> np.ndarray:
    """Mean skills of every sample, as one pass over its comparisons in random order gives them.

    Step t updates every sample by its own t-th comparison, so that Python runs the pass
    once for all of them; for a single sample, `trueskill` is quicker by far. Samples
    may differ in size. Each has a draw margin of its own, from its ties.

    Parameters
    ----------
    samples : ResampledCounts
        Whatever was drawn: comparisons, rankings, judges.
    rng : Generator
        Shuffles the comparisons, those of a block with its own stream; see
        `counts.blocks`.

    Returns
    -------
    ndarray of float64, (samples, systems)
        NaN for systems that are not compared in a sample.
    """
    require_few(samples.seen.sum(axis=(0, 2)).max(initial=0))
    number, parts = samples.seen.shape[1], 1 + int(samples.seen.sum()) // HELD
    streams = [own for size, own in blocks(number, rng) for _ in range(size)]
    rows = np.array_split(np.arange(number), parts)
    means = [_skills_of(samples.take(some), streams[some[0] :]) for some in rows]
    return np.where(samples.met(), np.concatenate(means), np.nan)


def _skills_of(samples: ResampledCounts, streams: list[Generator]) -> np.ndarray:
    """Mean skills, (samples, systems), of samples that are held in memory together."""
    n, number, pairs = len(samples.systems), samples.seen.shape[1], len(samples.first)
    # What can happen, by its number: a tie, win or loss of a pair; and, where a sample
    # has ended, a win of a player n against a player n + 1, who are nobody else's
    # opponents.
    better = [*samples.first, *samples.first, *samples.second, n]
    worse = [*samples.second, *samples.second, *samples.first, n + 1]
    players, kinds = np.array([better, worse]), np.arange(3 * pairs)
    margin = _draw_margin(samples.seen[0].sum(axis=1), samples.seen.sum(axis=(0, 2)))
    # Each sample's comparisons, a column, in random order.
    seen = samples.seen.swapaxes(0, 1).reshape(number, -1).astype(np.int64)
    longest = seen.sum(axis=1).max(initial=0)
    games = np.full((longest, number), 3 * pairs, dtype=np.min_scalar_type(3 * pairs))
    for k, times in enumerate(seen):
        drawn = np.repeat(kinds, times)
        streams[k].shuffle(drawn)
        games[: len(drawn), k] = drawn
    mean, variance = np.zeros(number * (n + 2)), np.full(number * (n + 2), SIGMA**2)
    own = (n + 2) * np.arange(number)  # where the players of each sample begin
    for kind in games:
        both, tied = own + players.take(kind, axis=1), np.flatnonzero(kind < pairs)
        (mean_a, mean_b), doubt = mean[both], variance[both]
        spread = np.sqrt(2 * BETA**2 + doubt[0] + doubt[1])
        v, w = all_moved((mean_a - mean_b) / spread, margin / spread, tied)
        share = doubt / spread
        mean[both] = mean_a + share[0] * v, mean_b - share[1] * v
        variance[both] = doubt - share * share * w
    return mean.reshape(number, n + 2)[:, :n]


def all_moved(
    t: np.ndarray, e: np.ndarray, tied: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """`moved` one by one: of a Gaussian at t above e, or between -e and e at the places `tied`."""
    low, size, margin = e - t, np.abs(t[tied]), e[tied]
    low[tied], high = size - margin, size + margin
    mass = scipy.special.ndtr(-low)
    mass[tied] -= scipy.special.ndtr(-high)
    gone = mass < LEAST
    mass = np.where(gone, 1.0, math.sqrt(2 * math.pi) * mass)
    at_low, at_high = np.exp(-low * low / 2), np.exp(-high * high / 2)
    shift, shrinkage = at_low.copy(), -low * at_low
    shift[tied] -= at_high
    shrinkage[tied] += high * at_high
    v = shift / mass
    w = v * v + shrinkage / mass
    v[gone], w[gone] = low[gone], 1.0
    v[tied] = np.copysign(v[tied], -t[tied])
    return v, w
