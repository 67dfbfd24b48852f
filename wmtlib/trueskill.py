"""TrueSkill (Herbrich et al. 2006): one pass over comparisons in random order."""

import math
from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
import scipy

from wmtlib.bradley_terry import ResampledCounts
from wmtlib.counts import Counts
from wmtlib.errors import DataError
from wmtlib.models import RatedModel, both_ways, once, tally, track

BETA = math.sqrt(0.5**2 + 1.0**2)
HELD = 1 << 27  # bytes of comparisons of several samples that are held at a time
LEAST = 1e-300  # of a Gaussian's mass; of less, what remains is a point


def trueskill(
    train: pd.DataFrame | Counts,
    *,
    systems: Iterable[str],
    rng: np.random.Generator,
    sigma: float = 1.0,
    beta: float = BETA,
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
        See the head of `wmtlib.models`. The order of rows plays no part.
    rng : Generator
        Shuffles the comparisons.
    sigma : float
        Standard deviation of the prior belief about a skill; its mean is 0.
    beta : float
        Standard deviation of one performance. TrueSkill's own default is sigma / 2; nothing but
        the ratio of the two matters.
    """
    _require_deviations(sigma, beta)
    names = track(systems)
    seen = once(both_ways(tally(train, names)))
    games = rng.permutation(np.repeat(np.argwhere(seen), seen[seen > 0], axis=0))
    margin = float(_draw_margin(seen[..., 0].sum(), seen.sum(), beta))
    mean, variance = skills(games, len(names), sigma=sigma, beta=beta, margin=margin)
    # A prediction compares two performances; it includes the doubt about the skills.
    spread = np.sqrt(2 * beta**2 + np.add.outer(variance, variance))
    d, e = np.subtract.outer(mean, mean) / spread, margin / spread
    win, lose = scipy.special.ndtr(d - e), scipy.special.ndtr(-d - e)
    q = np.stack([np.maximum(1 - win - lose, 0), win, lose], axis=2)
    return RatedModel(names, q, pd.Series(mean, index=names), margin)


def _require_deviations(sigma: float, beta: float) -> None:
    for name, value in (("sigma", sigma), ("beta", beta)):
        if not 0 < value < np.inf:
            raise DataError(f"{name}, a standard deviation, is {value}; expected > 0")


def _draw_margin(ties: np.ndarray, total: np.ndarray, beta: float) -> np.ndarray:
    share = (1 + ties) / (3 + total)
    return math.sqrt(2) * beta * scipy.special.ndtri((1 + share) / 2)


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
    if (mass := _cdf(t - e)) < LEAST:
        return e - t, 1.0
    v = _pdf(t - e) / mass
    return v, v * (v + t - e)


def moved_within(t: float, e: float) -> tuple[float, float]:
    """Shift and shrinkage of a unit Gaussian at t that turns out between -e and e."""
    low, high = abs(t) - e, abs(t) + e  # from the lower of two, where Gaussian tails do not cancel
    if (mass := _cdf(-low) - _cdf(-high)) < LEAST:
        return math.copysign(low, -t), 1.0
    at_low, at_high = _pdf(low), _pdf(high)
    v = (at_low - at_high) / mass
    return math.copysign(v, -t), v**2 + (high * at_high - low * at_low) / mass


# --- many samples at once -----------------------------------------------------------------------


def resampled_skills(
    samples: ResampledCounts,
    *,
    rng: np.random.Generator,
    sigma: float = 1.0,
    beta: float = BETA,
    progress: Callable[[float], None] = lambda share: None,
) -> np.ndarray:
    """Mean skills of every sample, as one pass over its comparisons in random order gives them.

    Step t updates every sample by its own t-th comparison, so that Python runs the pass once for
    all of them; for a single sample, `trueskill` is quicker by far. Samples may differ in size.
    Each has a draw margin of its own, from its ties.

    Parameters
    ----------
    samples : ResampledCounts
        Whatever was drawn: comparisons, rankings, judges.
    rng : Generator
        Shuffles the comparisons, sample after sample; how many samples are held in memory makes no
        difference.
    sigma, beta : float
        As in `trueskill`.
    progress : callable
        Is told the share that is done.

    Returns
    -------
    ndarray of float64, (samples, systems)
        NaN for systems that are not compared in a sample.
    """
    _require_deviations(sigma, beta)
    total = samples.seen.sum(axis=0)
    number, longest = len(total), int(total.sum(axis=1).max(initial=1))
    parts = -(-number * longest * np.min_scalar_type(3 * len(samples.first)).itemsize // HELD)
    found = [
        _skills_of(
            samples.take(part),
            rng,
            sigma=sigma,
            beta=beta,
            progress=lambda share, k=k: progress((k + share) / parts),
        )
        for k, part in enumerate(np.array_split(np.arange(number), parts))
    ]
    return np.where(samples.sum_by_system(total, total) > 0, np.concatenate(found), np.nan)


def _skills_of(
    samples: ResampledCounts,
    rng: np.random.Generator,
    *,
    sigma: float,
    beta: float,
    progress: Callable[[float], None],
) -> np.ndarray:
    """Mean skills, (samples, systems), of samples that are held in memory together."""
    n, number, pairs = len(samples.systems), samples.seen.shape[1], len(samples.first)
    # What can happen, by its number: a tie, win or loss of a pair; and, where a sample has ended,
    # a win of a player n against a player n + 1, who are nobody else's opponents.
    better = [*samples.first, *samples.first, *samples.second, n]
    worse = [*samples.second, *samples.second, *samples.first, n + 1]
    players = np.array([better, worse])
    games = _shuffled(samples.seen.swapaxes(0, 1).reshape(number, -1).astype(np.int64), rng)
    margin = _draw_margin(samples.seen[0].sum(axis=1), samples.seen.sum(axis=(0, 2)), beta)
    mean = np.zeros(number * (n + 2))
    variance = np.full(number * (n + 2), float(sigma**2))
    start = (n + 2) * np.arange(number)
    steps = max(1, (1 << 16) // number)
    for t in range(0, games.shape[1], steps):
        progress(t / games.shape[1])
        for kind in games[:, t : t + steps].T.copy():
            both, tied = start + players.take(kind, axis=1), np.flatnonzero(kind < pairs)
            _play(mean, variance, both, tied, margin=margin, noise=2 * beta**2)
    return mean.reshape(number, n + 2)[:, :n]


def _shuffled(seen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Row by row, numbers k that occur seen[row, k] times, in random order; then the next number.

    The rows are as long as the longest.
    """
    kinds = seen.shape[1]
    number = np.arange(kinds, dtype=np.min_scalar_type(kinds))
    games = np.full((len(seen), seen.sum(axis=1).max(initial=0)), kinds, dtype=number.dtype)
    for row, times in zip(games, seen, strict=True):
        rng.shuffle(drawn := np.repeat(number, times))
        row[: len(drawn)] = drawn
    return games


def _play(
    mean: np.ndarray,
    variance: np.ndarray,
    both: np.ndarray,
    tied: np.ndarray,
    *,
    margin: np.ndarray,
    noise: float,
) -> None:
    """Update each sample's beliefs about `both` players, (2, samples), in place.

    The first of them won, except in the samples `tied`.
    """
    mean_of, variance_of = mean[both], variance[both]
    spread = np.sqrt(noise + variance_of[0] + variance_of[1])
    v, w = all_moved((mean_of[0] - mean_of[1]) / spread, margin / spread, tied)
    share = variance_of / spread
    mean_of[0] += share[0] * v
    mean_of[1] -= share[1] * v
    mean[both] = mean_of
    variance[both] = variance_of - share * share * w


def all_moved(t: np.ndarray, e: np.ndarray, tied: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`moved_above`, one by one; `moved_within` at the places `tied`."""
    low = e - t  # a Gaussian's mass above it is what is left; of a tie, less that above `high`
    far, within = np.abs(t[tied]), e[tied]
    low[tied], high = far - within, far + within
    mass = scipy.special.ndtr(-low)
    mass[tied] -= scipy.special.ndtr(-high)
    gone = np.flatnonzero(mass < LEAST)
    mass[gone] = 1
    mass *= math.sqrt(2 * math.pi)
    at_low, at_high = np.exp(-low * low / 2), np.exp(-high * high / 2)
    change = high * at_high - low[tied] * at_low[tied]
    at_low[tied] -= at_high
    v = at_low / mass
    v[gone] = low[gone]
    w = v * (v - low)
    w[tied] = v[tied] ** 2 + change / mass[tied]
    w[gone] = 1
    v[tied] = np.copysign(v[tied], -t[tied])
    return v, w
