"""Bradley-Terry strengths by Newton's method, for many samples of the same comparisons at once.

Odds of a win against a loss are exp(difference of strengths). Ties make it one of three models:
"davidson" and "rao-kupper" give them a parameter (see `wmtlib.preference.rating_models`), "half"
counts a tie as half a win for each side. `prior` is the number of virtual comparisons of every
system with an opponent of strength zero, won, tied and lost alike ("half": won and lost alike).
"""

import numpy as np
import pandas as pd
from scipy import sparse, special
from scipy.sparse import csgraph

from wmtlib.judgements.counting import Counts
from wmtlib.judgements.errors import DataError
from wmtlib.preference.resampled_counts import Batch, batch

TIES = ("half", "davidson", "rao-kupper")
FAINT = 1e-3  # the prior of samples of a fit without one, which may have no maximum
STEP = 1e-7  # Newton's method ends after a step as small: the error is about its square
PATIENCE, ROUNDING = 50, 1e-12  # after so many steps a slope as small, a comparison, will do
LARGEST = 1 << 17  # numbers that are worked on at a time, so that they stay in the cache
LEAF = 52  # rows of the matrices that LAPACK is given


def bradley_terry(counts: Counts, *, ties: str, prior: float) -> pd.Series:
    """Bradley-Terry strengths by (penalised) maximum likelihood.

    Strengths are differences about their mean. With ties="half" and prior=0 their exponentials are
    what `evalica.bradley_terry` converges to with its default win and tie weights.

    Parameters
    ----------
    counts : Counts
        Every system counts; leave the reference out if it should not.
    ties : "half", "davidson" or "rao-kupper"
    prior : float
        See the head of this module; 0 is for "half" only.

    Returns
    -------
    Series of float, by system

    Raises
    ------
    DataError
        An unknown model, a prior that is not fit for it, or, without a prior, systems that won (or
        lost) every comparison with the rest, so that there is no maximum.
    """
    if ties not in TIES:
        raise DataError(f"ties is {ties!r}; expected {', '.join(TIES)}")
    if not (0 < prior < np.inf or (prior == 0 and ties == "half")):
        least = "0 or more" if ties == "half" else "> 0"
        raise DataError(f"prior, the number of virtual comparisons, is {prior}; expected {least}")
    sample = batch(counts)
    if prior == 0:
        _require_connected(sample)
    found, _ = _newton(sample, None, ties=ties, prior=prior)
    return pd.Series(found[0] - found[0].mean(), index=counts.systems)


def of_batch(samples: Batch, start: np.ndarray | None, *, ties: str, prior: float) -> np.ndarray:
    """Bradley-Terry strengths about their mean, block by block; NaN for systems not compared.

    Without a prior, samples that have no maximum are given the faintest.
    """
    size, number = len(samples.systems), samples.seen.shape[1]
    at_once = max(1, LARGEST // max(len(samples.first) + size, size**2))
    priors = np.full(number, prior)
    if not prior:
        priors[[not _connected(samples, k) for k in range(number)]] = FAINT
    found = np.empty((number, size))
    for value in np.unique(priors):
        rows = np.flatnonzero(priors == value)
        for part in np.split(rows, range(at_once, len(rows), at_once)):
            found[part] = _newton(samples.take(part), start, ties=ties, prior=value)[0]
    total = samples.seen.sum(axis=0)
    met = samples.summed(total, total) > 0
    mean = (found * met).sum(axis=1) / np.maximum(met.sum(axis=1), 1)
    return np.where(met, found - mean[:, None], np.nan)


def _better(samples: Batch, sample: int) -> sparse.csr_array:
    """Who beat, or tied with, whom in a sample: systems x systems, above 0 where the row's did."""
    tied, won, lost = samples.seen[:, sample]
    forth, back = np.flatnonzero(won + tied), np.flatnonzero(lost + tied)
    first, second = samples.first, samples.second
    better = np.concatenate([first[forth], second[back]])
    worse = np.concatenate([second[forth], first[back]])
    size = len(samples.systems)
    return sparse.csr_array((np.ones(len(better)), (better, worse)), shape=(size, size))


def _connected(samples: Batch, sample: int) -> bool:
    """Whether in a sample every system beat, or tied with, every other through a chain."""
    edges = _better(samples, sample)
    return csgraph.connected_components(edges, connection="strong", return_labels=False) == 1


def _require_connected(samples: Batch) -> None:
    """Refuse a sample in which some systems never lost to, or never won from, the rest."""
    edges = _better(samples, 0)
    groups, label = csgraph.connected_components(edges, connection="strong")
    if groups == 1:
        return
    better, worse = edges.nonzero()
    for inside in sorted((label == group for group in range(groups)), key=np.sum):
        won = (inside[better] & ~inside[worse]).any()
        lost = (inside[worse] & ~inside[better]).any()
        if not (lost and won):
            name = samples.systems[int(np.argmax(inside))]
            fate = "lost to" if won else "won from"
            several = f" and {inside.sum() - 1} more" if inside.sum() > 1 else ""
            raise DataError(
                f"{name!r}{several} never {fate} the rest: without a prior there is no maximum"
            )


# --- Newton's method ----------------------------------------------------------------------------


def _newton(
    samples: Batch, start: np.ndarray | None, *, ties: str, prior: float
) -> tuple[np.ndarray, np.ndarray]:
    """Strengths (samples, systems) and tie parameters (samples,) of greatest likelihood.

    Newton's method; a step that changes a difference by r is cut by ln(1 + r) / r, which makes it
    climb from anywhere on sums of log-logistic terms, as their curvature changes by no more than a
    factor of exp(r).
    """
    size, number = len(samples.systems), samples.seen.shape[1]
    theta = np.zeros((number, size + 1))  # the last is the virtual opponent's
    if start is not None:
        theta[:, :-1] = start - start.mean()
    t = np.full(number, 0.5)
    met = _with_opponent(samples, ties, prior)
    local = {"half": _exponential, "davidson": _exponential, "rao-kupper": _rao_kupper}[ties]
    with_t = ties != "half"
    least = ROUNDING * met.seen.sum(axis=(0, 2))
    todo = np.arange(number)
    for iteration in range(200):
        part = met if len(todo) == number else met.take(todo)
        slope, bend = local(part, theta[todo], t[todo] if with_t else None)
        if not prior:
            bend[:, :size, :size] += 1 / size  # differences alone are determined: keep the mean
        step = _solved(bend, slope[..., None])[..., 0]
        of_t = step[:, -1] if with_t else np.zeros(len(todo))
        spread = np.abs(step[:, :size]).max(axis=1) * 2 + np.abs(of_t)
        cut = np.log1p(spread) / np.maximum(spread, 1e-300)
        if ties == "rao-kupper":  # t stays positive
            cut = np.minimum(cut, 1 / (1 + np.abs(of_t) / t[todo]))
        cut[spread < 1e-3] = 1.0
        theta[todo, :size] += cut[:, None] * step[:, :size]
        t[todo] += cut * of_t
        moves = spread >= STEP
        if iteration >= PATIENCE:  # nearly flat: the steps are what rounding makes them
            moves &= np.abs(slope).max(axis=1) > least[todo]
        todo = todo[moves]
        if not len(todo):
            return theta[:, :size], t
    raise DataError("Bradley-Terry strengths have not settled; expected a prior, or a larger one")


def _solved(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """`np.linalg.solve` of positive definite matrices, (samples, n, n), by halves.

    Blocks are small enough for the library to work on with one thread each: two threads that wait
    for each other on a busy machine take fifty times as long.
    """
    if (size := matrix.shape[1]) <= LEAF:
        return np.linalg.solve(matrix, right)
    half, width = size // 2, size - size // 2
    across = matrix[:, :half, half:]
    both = np.concatenate([across, right[:, :half]], axis=2)
    found = _solved(matrix[:, :half, :half], both)
    gain, rest = found[:, :, :width], found[:, :, width:]
    back = across.swapaxes(1, 2)
    low = _solved(matrix[:, half:, half:] - back @ gain, right[:, half:] - back @ rest)
    return np.concatenate([rest - gain @ low, low], axis=1)


def _with_opponent(samples: Batch, ties: str, prior: float) -> Batch:
    """The same samples with every system's virtual comparisons."""
    ties_seen, first, second = samples.seen
    if ties == "half":
        ties_seen, first, second = (
            np.zeros_like(first),
            first + ties_seen / 2,
            second + ties_seen / 2,
        )
    size, number = len(samples.systems), samples.seen.shape[1]
    share = np.array([0, 1 / 2, 1 / 2] if ties == "half" else [1 / 3] * 3) * prior
    virtual = np.broadcast_to(share[:, None, None], (3, number, size))
    return Batch(
        (*samples.systems, ""),
        np.concatenate([samples.first, np.arange(size)]),
        np.concatenate([samples.second, np.full(size, size)]),
        np.concatenate([np.stack([ties_seen, first, second]), virtual], axis=2),
    )


def _exponential(
    samples: Batch, theta: np.ndarray, t: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Slope of the log-likelihood and minus its curvature; Davidson, or no ties if t is None.

    P(1), P(2), P(0) are proportional to exp(d/2), exp(-d/2), exp(t): an exponential family, whose
    curvature is the covariance of its statistics, (wins - losses) / 2 and ties.
    """
    ties, first, second = samples.seen
    root = np.exp(theta / 2)
    up = root[:, samples.first] / root[:, samples.second]
    down = 1 / up
    total = ties + first + second
    either = up + down
    norm = either if t is None else either + np.exp(t)[:, None]
    mean = (up - down) / (2 * norm)
    variance = total * (either / (4 * norm) - mean**2)
    slope = (first - second) / 2 - total * mean
    if t is None:
        return _assembled(samples, slope, variance)
    tied = np.exp(t)[:, None] / norm
    cross = -total * mean * tied
    own = (total * tied * (1 - tied)).sum(axis=1)
    return _assembled(samples, slope, variance, (ties - total * tied).sum(axis=1), cross, own)


def _rao_kupper(samples: Batch, theta: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same of Rao & Kupper's model: with s the logistic function and ties of both sides,

    (wins + ties) log s(d - t) + (losses + ties) log s(-d - t) + ties log(exp(2t) - 1).
    """
    ties, first, second = samples.seen
    d, radius = theta[:, samples.first] - theta[:, samples.second], t[:, None]
    win, lose = special.expit(d - radius), special.expit(-d - radius)
    first, second = (first + ties) * (1 - win), (second + ties) * (1 - lose)
    bend_first, bend_second = first * win, second * lose
    free = -np.expm1(-2 * t)
    all_ties = ties.sum(axis=1)
    slope_t = 2 * all_ties / free - (first + second).sum(axis=1)
    own = (bend_first + bend_second).sum(axis=1) + 4 * all_ties * np.exp(-2 * t) / free**2
    return _assembled(
        samples,
        first - second,
        bend_first + bend_second,
        slope_t,
        bend_second - bend_first,
        own,
    )


def _assembled(
    samples: Batch,
    slope: np.ndarray,
    variance: np.ndarray,
    slope_t: np.ndarray | None = None,
    cross: np.ndarray | None = None,
    own: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """From pairs, (samples, pairs), to systems and, last, t; without the virtual opponent."""
    number, size = len(slope), len(samples.systems) - 1
    width = size + (slope_t is not None)
    bend = np.zeros((number, size + 1, size + 1))
    bend[:, samples.first, samples.second] = -variance
    bend[:, samples.second, samples.first] = -variance
    bend[:, range(size + 1), range(size + 1)] = samples.summed(variance, variance)
    bend = bend[:, :width, :width]
    gradient = samples.summed(slope, -slope)[:, :width]
    if slope_t is not None:
        bend[:, -1, :size] = bend[:, :size, -1] = samples.summed(cross, -cross)[:, :size]
        bend[:, -1, -1], gradient[:, -1] = own, slope_t
    return gradient, bend
