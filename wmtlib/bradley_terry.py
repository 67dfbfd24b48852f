"""Bradley-Terry strengths by Newton's method, for many samples of the same comparisons at once.

Odds of a win against a loss are exp(difference of strengths). Ties make it one of three models:
"davidson" and "rao-kupper" give them a parameter (see `wmtlib.models`), "half"
counts a tie as half a win for each side. "glenn-david" is Thurstone's model, with normal in place
of logistic noise, and its tie parameter. `prior` is the number of virtual comparisons of every
system with an opponent of strength zero: won, tied and lost alike ("half": won and lost alike).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
import pandas as pd
import scipy

from wmtlib import counts as counting
from wmtlib import models as newton
from wmtlib.counts import COMPARISON, SWAPPED, Counts
from wmtlib.errors import DataError
from wmtlib.models import LINKS, RatedModel, both_ways, rated, tally, track

TIES = ("half", "davidson", "rao-kupper", "glenn-david")
PRIOR = 4.0  # virtual comparisons of a system; see `wmtlib.models`
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
        See the head of `wmtlib.models`.
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


# Many samples of the same comparisons at once: their form, and how they are drawn.
#
# A bootstrap never writes judgements out. A sample is a few numbers for each pair of systems, and
# `ResampledCounts` hold those of many samples, so that they can be scored together: by the formulas
# of `wmtlib.scorers`, and by Bradley-Terry (`wmtlib.bradley_terry`).


DRAWN = 1 << 22  # numbers that are held at a time
# What is smaller needs no sparse matrices, which take a while to load.
SMALL = 1 << 18  # cells of a matrix
FEW = 1 << 12  # numbers to be added up

Matrix: TypeAlias = "np.ndarray | scipy.sparse.csr_array"


@dataclass(frozen=True, eq=False)
class ResampledCounts:
    """Samples of comparisons of the same systems.

    Attributes
    ----------
    systems : tuple of n names, sorted
    first, second : ndarray of int, (pairs,)
        The pairs that were compared, as positions in `systems`; first < second.
    seen : ndarray of float64, (3, samples, pairs)
        How often neither (0), the first (1), or the second (2) was preferred.
    """

    systems: tuple[str, ...]
    first: np.ndarray
    second: np.ndarray
    seen: np.ndarray

    @cached_property
    def _sides(self) -> tuple[scipy.sparse.csr_array, scipy.sparse.csr_array]:
        """Matrices, systems x pairs: who is first, and who is second, of a pair."""
        size, pairs = len(self.systems), np.arange(len(self.first))
        ones, shape = np.ones(len(pairs)), (size, len(pairs))
        return tuple(
            scipy.sparse.csr_array((ones, (side, pairs)), shape=shape)
            for side in (self.first, self.second)
        )

    def sum_by_system(self, to_first: np.ndarray, to_second: np.ndarray) -> np.ndarray:
        """Sum over pairs, (samples, systems), of values (samples, pairs) for either side."""
        if to_first.size <= FEW:  # the same sums in the same order
            first, second = np.zeros((2, len(self.systems), len(to_first)))
            np.add.at(first, self.first, to_first.T)
            np.add.at(second, self.second, to_second.T)
            return (first + second).T
        first, second = self._sides
        return (first @ to_first.T + second @ to_second.T).T

    def matrices(self) -> tuple[np.ndarray, np.ndarray]:
        """Wins and ties, each (samples, n, n)."""
        ties, won, lost = self.seen
        shape = (self.seen.shape[1], len(self.systems), len(self.systems))
        win_matrix, tie_matrix = np.zeros(shape), np.zeros(shape)
        win_matrix[:, self.first, self.second] = won
        win_matrix[:, self.second, self.first] = lost
        tie_matrix[:, self.first, self.second] = tie_matrix[:, self.second, self.first] = ties
        return win_matrix, tie_matrix

    def one_by_one(self) -> Iterator[Counts]:
        """The samples as counts."""
        names = [*self.systems]
        for wins, ties in zip(*self.matrices(), strict=True):
            tables = (pd.DataFrame(m.astype(np.int64), names, names) for m in (wins, ties))
            yield Counts(*tables)

    def without(self, system: str | None) -> ResampledCounts:
        """The comparisons that do not involve a system; all of them for None."""
        if system is None:
            return self
        at = self.systems.index(system)
        kept = (self.first != at) & (self.second != at)
        names = self.systems[:at] + self.systems[at + 1 :]
        first, second = (side[kept] - (side[kept] > at) for side in (self.first, self.second))
        return ResampledCounts(names, first, second, self.seen[:, :, kept])

    def take(self, samples: np.ndarray) -> ResampledCounts:
        """Some of the samples, by their numbers."""
        return replace(self, seen=self.seen[:, samples])


def sample_of_counts(counts: Counts) -> ResampledCounts:
    """Counts as one sample."""
    wins, ties = counts.wins.to_numpy(), counts.ties.to_numpy()
    return sample_of_pairs(tuple(counts.systems), np.stack([ties, wins, wins.T], axis=2))


def sample_of_pairs(systems: tuple[str, ...], seen: np.ndarray) -> ResampledCounts:
    """One sample of comparisons counted both ways, (n, n, 3); see `both_ways`."""
    first, second = np.nonzero(np.triu(seen.any(axis=2), k=1))
    return ResampledCounts(systems, first, second, seen[first, second].T[:, None].astype(float))


def _matrix(
    values: np.ndarray, cells: tuple[np.ndarray, np.ndarray], shape: tuple[int, int]
) -> Matrix:
    """A matrix of values by their rows and columns; equal cells are added up."""
    if shape[0] * shape[1] > SMALL:
        return scipy.sparse.coo_array((values, cells), shape).tocsc()
    found = np.zeros(shape)
    np.add.at(found, cells, values)
    return found


# --- drawing ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Resampler:
    """Comparisons to draw from.

    Attributes
    ----------
    systems, first, second
        As in `ResampledCounts`.
    cells : Matrix, (units, 3 * pairs)
        Counts of every unit; one row with all of them if comparisons are drawn one by one.
    units : int
        How many are drawn: of comparisons another number may be set (`dataclasses.replace`).
    by_unit : bool
        Whether whole units are drawn, or single comparisons.
    """

    systems: tuple[str, ...]
    first: np.ndarray
    second: np.ndarray
    cells: Matrix
    units: int
    by_unit: bool

    def samples(self, n_resamples: int, rng: np.random.Generator) -> Iterator[ResampledCounts]:
        """Samples, some at a time; the draws do not depend on how many that is."""
        per_sample = max(self.units if self.by_unit else 0, self.cells.shape[1])
        at_once = max(1, DRAWN // per_sample)
        draw = self._draw_units if self.by_unit else self._draw_comparisons
        for done in range(0, n_resamples, at_once):
            yield self._samples_of(draw(min(at_once, n_resamples - done), rng))

    def without_each(self) -> Iterator[ResampledCounts]:
        """Samples of all comparisons but those of one unit, unit after unit, some at a time."""
        at_once, total = max(1, DRAWN // self.cells.shape[1]), self.cells.sum(axis=0)
        for done in range(0, self.units, at_once):
            part = self.cells[done : done + at_once]
            dense = part if isinstance(part, np.ndarray) else part.toarray()
            yield self._samples_of(total - dense)

    def _samples_of(self, cells: np.ndarray) -> ResampledCounts:
        """Samples from their counts, (samples, 3 * pairs)."""
        seen = np.ascontiguousarray(cells.reshape(len(cells), 3, -1).swapaxes(0, 1), dtype=float)
        return ResampledCounts(self.systems, self.first, self.second, seen)

    def _draw_comparisons(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Counts of comparisons drawn one by one are multinomial."""
        occur = np.flatnonzero(self.cells)
        share = self.cells[0, occur] / self.cells.sum()
        found = np.zeros((size, self.cells.shape[1]))
        found[:, occur] = rng.multinomial(self.units, share, size=size)
        return found

    def _draw_units(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """How often each unit was drawn, times its counts."""
        times = np.empty((self.units, size))
        for k in range(size):
            drawn = rng.integers(self.units, size=self.units)
            times[:, k] = np.bincount(drawn, minlength=self.units)
        return (self.cells.T @ times).T


def resampler(data: Counts | pd.DataFrame, reference: str | None, unit: str) -> Resampler:
    """Comparisons to draw from, by a unit; those with the reference are left out.

    Raises
    ------
    DataError
        An unknown unit, a label that is missing, or fewer than two of them.
    """
    counting.require_unit(data, unit)
    one = sample_of_counts(counting.count(data).without(reference))
    if unit == COMPARISON:
        cells = one.seen.reshape(1, -1)
        return Resampler(one.systems, one.first, one.second, cells, int(cells.sum()), False)
    rows = counting.without(data, reference)
    if "count" in rows and not rows["count"].all():
        rows = rows[rows["count"] > 0]
    codes, units = counting.unit_codes(rows[unit], unit)
    codes = codes.astype(np.int32)  # as the matrix keeps them
    if units < 2:
        raise DataError(f"{units} {unit}(s) to draw from; expected two or more")
    # A pair is counted once, whoever was shown first: the system of lower position comes first.
    pairs = len(one.first)
    place = np.zeros(2 * (len(one.systems),), dtype=np.intp)
    place[one.first, one.second] = place[one.second, one.first] = np.arange(pairs)
    _, a, b, preference, count = counting.coded(rows, one.systems)
    preference = np.where(a > b, SWAPPED[preference], preference)
    cell = (preference * pairs + place[a, b]).astype(np.int32)
    cells = _matrix(count.astype(float), (codes, cell), (units, 3 * pairs))
    return Resampler(one.systems, one.first, one.second, cells, units, True)
