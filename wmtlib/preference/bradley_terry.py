"""Bradley-Terry strengths by Newton's method, for many samples of the same comparisons at once.

Odds of a win against a loss are exp(difference of strengths). Ties make it one of three models:
"davidson" and "rao-kupper" give them a parameter (see `wmtlib.preference.rating_models`), "half"
counts a tie as half a win for each side. "glenn-david" is Thurstone's model, with normal in place
of logistic noise, and its tie parameter. `prior` is the number of virtual comparisons of every
system with an opponent of strength zero: won, tied and lost alike ("half": won and lost alike).
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import scipy

from wmtlib.judgements.counting import Counts
from wmtlib.judgements.errors import DataError
from wmtlib.preference import newton
from wmtlib.preference.preference_model import both_ways, tally, track
from wmtlib.preference.rating_models import LINKS, RatedModel, rated
from wmtlib.preference.resampled_counts import ResampledCounts, sample_of_counts, sample_of_pairs

TIES = ("half", "davidson", "rao-kupper", "glenn-david")
PRIOR = 4.0  # virtual comparisons of a system; see `wmtlib.preference.rating_models`
FAINT = 1e-3  # the prior of samples that would have no maximum without one
ROUNDING = 1e-12  # error of a gradient, per comparison
LARGEST = 1 << 17  # numbers that are worked on at a time, so that they stay in the cache


def fit(
    train: pd.DataFrame | Counts, *, systems: Iterable[str], ties: str, prior: float = PRIOR
) -> RatedModel:
    """Bradley-Terry as a preference model, by penalised maximum likelihood.

    Parameters
    ----------
    train, systems
        See the head of `wmtlib.preference.preference_model`.
    ties : {"davidson", "rao-kupper", "glenn-david"}
    prior : float
        See the head of this module; above 0.

    Raises
    ------
    DataError
        An unknown link, or a prior that is not above zero.
    """
    if ties not in LINKS:
        raise DataError(f"ties is {ties!r}; expected {', '.join(LINKS)}")
    _require_prior(ties, prior)
    names = track(systems)
    sample = sample_of_pairs(names, both_ways(tally(train, names)))
    found, tie = _maximum(sample, None, ties=ties, prior=prior)
    return rated(names, found[0], float(tie[0]), LINKS[ties])


def strengths(counts: Counts, *, ties: str, prior: float) -> pd.Series:
    """Bradley-Terry strengths by (penalised) maximum likelihood.

    Strengths are differences about their mean. With ties="half" and prior=0 their exponentials are
    what `evalica.bradley_terry` converges to with its default win and tie weights.

    Parameters
    ----------
    counts : Counts
        Every system counts; leave the reference out if it should not.
    ties : "half", "davidson", "rao-kupper" or "glenn-david"
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
    _require_prior(ties, prior)
    sample = sample_of_counts(counts)
    if prior == 0:
        _require_connected(sample)
    found, _ = _maximum(sample, None, ties=ties, prior=prior)
    return pd.Series(found[0] - found[0].mean(), index=counts.systems)


def resampled_strengths(
    samples: ResampledCounts, start: np.ndarray | None, *, ties: str, prior: float
) -> np.ndarray:
    """Strengths about their mean, (samples, systems); NaN for systems not compared.

    `start` (systems,) is where the fits begin. Without a prior, samples that have no maximum are
    given the prior `FAINT`.
    """
    size, number = len(samples.systems), samples.seen.shape[1]
    at_once = max(1, LARGEST // max(len(samples.first) + size, size**2))
    priors = np.full(number, prior)
    if not prior:
        priors[[_groups(samples, k)[0] > 1 for k in range(number)]] = FAINT
    found = np.empty((number, size))
    for value in np.unique(priors):
        rows = np.flatnonzero(priors == value)
        for part in np.split(rows, range(at_once, len(rows), at_once)):
            found[part] = _maximum(samples.take(part), start, ties=ties, prior=value)[0]
    total = samples.seen.sum(axis=0)
    met = samples.sum_by_system(total, total) > 0
    mean = (found * met).sum(axis=1) / np.maximum(met.sum(axis=1), 1)
    return np.where(met, found - mean[:, None], np.nan)


def _require_prior(ties: str, prior: float) -> None:
    if not (0 < prior < np.inf or (prior == 0 and ties == "half")):
        least = "0 or more" if ties == "half" else "> 0"
        raise DataError(f"prior, the number of virtual comparisons, is {prior}; expected {least}")


# --- without a prior, every system has to reach every other -------------------------------------


def _groups(
    samples: ResampledCounts, sample: int
) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """Groups of systems that beat, or tied with, each other through a chain.

    Returns their number, each system's group, and the systems at both ends of the links.
    """
    tied, won, lost = samples.seen[:, sample]
    forth, back = np.flatnonzero(won + tied), np.flatnonzero(lost + tied)
    better = np.concatenate([samples.first[forth], samples.second[back]])
    worse = np.concatenate([samples.second[forth], samples.first[back]])
    size = len(samples.systems)
    links = scipy.sparse.csr_array((np.ones(len(better)), (better, worse)), shape=(size, size))
    number, label = scipy.sparse.csgraph.connected_components(links, connection="strong")
    return number, label, better, worse


def _require_connected(sample: ResampledCounts) -> None:
    """Refuse a sample in which some systems never lost to, or never won from, the rest."""
    number, label, better, worse = _groups(sample, 0)
    if number == 1:
        return
    for inside in sorted((label == group for group in range(number)), key=np.sum):
        won = (inside[better] & ~inside[worse]).any()
        lost = (inside[worse] & ~inside[better]).any()
        if not (lost and won):
            name = sample.systems[int(np.argmax(inside))]
            fate = "lost to" if won else "won from"
            several = f" and {inside.sum() - 1} more" if inside.sum() > 1 else ""
            raise DataError(
                f"{name!r}{several} never {fate} the rest: without a prior there is no maximum"
            )


# --- the fit ------------------------------------------------------------------------------------


def _maximum(
    samples: ResampledCounts, start: np.ndarray | None, *, ties: str, prior: float
) -> tuple[np.ndarray, np.ndarray]:
    """Strengths (samples, systems) and tie parameters (samples,) of greatest likelihood."""
    size, number = len(samples.systems), samples.seen.shape[1]
    played = _with_opponent(samples, ties, prior)
    has_tie = ties != "half"
    link = LINKS[ties if has_tie else "davidson"]
    theta = np.zeros((number, size + has_tie))
    if start is not None:
        theta[:, :size] = start - start.mean()
    if has_tie:
        theta[:, -1] = 0.5

    def derivatives(theta: np.ndarray, todo: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        part = played if len(todo) == number else played.take(todo)
        value = np.pad(theta[:, :size], ((0, 0), (0, 1)))  # the opponent's strength is zero
        d = value[:, part.first] - value[:, part.second]
        t = theta[:, -1:] if has_tie else -np.inf  # no ties left: Davidson's model without them
        by_pair = link.derivatives(d, t, part.seen)
        curvature = np.zeros((len(todo), size + 1, size + 1))
        curvature[:, part.first, part.second] = -by_pair.dd
        curvature[:, part.second, part.first] = -by_pair.dd
        diagonal = range(size + 1)
        curvature[:, diagonal, diagonal] = part.sum_by_system(by_pair.dd, by_pair.dd)
        gradient = part.sum_by_system(by_pair.d, -by_pair.d)
        if has_tie:  # its parameter takes the place of the opponent's strength, which is known
            curvature[:, -1] = curvature[:, :, -1] = part.sum_by_system(by_pair.dt, -by_pair.dt)
            curvature[:, -1, -1], gradient[:, -1] = by_pair.tt.sum(axis=1), by_pair.t.sum(axis=1)
            return gradient, curvature
        curvature, gradient = curvature[:, :size, :size], gradient[:, :size]
        # Without a prior differences alone are determined: 1 / size keeps the mean where it is.
        return gradient, curvature if prior else curvature + 1 / size

    def reach(step: np.ndarray) -> np.ndarray:
        longest = np.abs(step[:, :size]).max(axis=1) * 2
        return longest + np.abs(step[:, -1]) if has_tie else longest

    theta = newton.maximise(
        derivatives,
        theta,
        reach=reach,
        rounding=ROUNDING * played.seen.sum(axis=(0, 2)),
        last_is_positive=has_tie and link.positive_tie,
    )
    return theta[:, :size], theta[:, -1]


def _with_opponent(samples: ResampledCounts, ties: str, prior: float) -> ResampledCounts:
    """The same samples with every system's virtual comparisons; "half" leaves no ties."""
    seen, shares = samples.seen, np.full(3, 1 / 3)
    if ties == "half":
        tied, first, second = seen
        seen = np.stack([np.zeros_like(tied), first + tied / 2, second + tied / 2])
        shares = np.array([0, 1 / 2, 1 / 2])
    size, number = len(samples.systems), samples.seen.shape[1]
    virtual = np.broadcast_to((shares * prior)[:, None, None], (3, number, size))
    return ResampledCounts(
        (*samples.systems, ""),
        np.append(samples.first, np.arange(size)),
        np.append(samples.second, np.full(size, size)),
        np.concatenate([seen, virtual], axis=2),
    )
