"""Samples of judgements: drawn at random, by unit, or all but those of one unit.

A result with a seed is the same to the byte, whichever worker computes it: every block
of `BLOCK` resamples has a stream of random numbers of its own.

A bootstrap never writes judgements out. A sample of comparisons is a few numbers for
each pair of systems; `ResampledCounts` hold those of many samples, so that they can be
scored together: by the formulas of `wmtlib.scorers`, and by Bradley-Terry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import scipy

from wmtlib.core.counts import (
    COMPARISON,
    FIRST,
    SECOND,
    SWAPPED,
    Compared,
    Counts,
    Train,
    both_ways,
    require_unit,
    rows_of,
    tally,
    unit_codes,
    upper_pairs,
)
from wmtlib.core.errors import DataError, short_repr

BLOCK = 50  # resamples that are drawn together, from one stream of random numbers
DEALT = 1_000_000  # comparisons up to which folds are dealt one by one, not by counts
Seed: TypeAlias = int | np.random.Generator
Task: TypeAlias = tuple[Callable, tuple, dict]  # what `joblib.delayed` makes of a call
HELD = 1 << 20  # numbers that are held at a time, where units are left out


# --- what is drawn at random ----------------------------------------------------------


def generator(seed: Seed) -> np.random.Generator:
    """Make the generator of a seed; a generator is returned as it is."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise DataError(
            f"seed is {short_repr(seed)}; expected a whole number from 0"
        ) from None


def blocks(
    n_resamples: int, rng: np.random.Generator
) -> Iterator[tuple[int, np.random.Generator]]:
    """Divide resamples into blocks: the size of each, and its own generator.

    So a resample is the same one, whoever draws it.

    >>> [size for size, _ in blocks(120, np.random.default_rng(1))]
    [50, 50, 20]
    """
    starts = range(0, n_resamples, BLOCK)
    for start, stream in zip(starts, rng.spawn(len(starts)), strict=True):
        yield min(BLOCK, n_resamples - start), stream


def dealt(times: np.ndarray, folds: int, rng: np.random.Generator) -> np.ndarray:
    """Deal the comparisons of each row to folds at random, (rows, folds).

    `times` is the number of comparisons of each row. More than `DEALT` are dealt
    by counts.

    >>> dealt(np.array([10**12, 3]), 2, np.random.default_rng(1)).sum(axis=1).tolist()
    [1000000000000, 3]
    """
    total = int(times.sum())
    if total > DEALT:
        # Each comparison is dealt by itself, so that the counts of a row are
        # multinomial, however large. Given the sizes of the folds that is the draw
        # without replacement (multivariate hypergeometric, which NumPy draws up to 10^9
        # only). The sizes themselves are not equal, but differ by chance: of a million
        # comparisons by a few in a thousand.
        return rng.multinomial(times, np.full(folds, 1 / folds))
    row = np.repeat(np.arange(len(times)), times)
    fold = rng.permutation(total) % folds
    return np.bincount(row * folds + fold, minlength=len(times) * folds).reshape(
        -1, folds
    )


def by_workers(tasks: Iterable[Task]) -> Iterator[Any]:
    """Call function(*arguments, **options) for every task, in turn.

    Workers are those of `joblib.parallel_config`; without it, this process does it all.

    >>> [*by_workers((max, (k, 2), {}) for k in range(4))]
    [2, 2, 2, 3]
    """
    from joblib import Parallel  # loading it takes a tenth of a second

    return Parallel(return_as="generator")(tasks)


# --- samples of comparisons -----------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ResampledCounts:
    """Samples of comparisons of the same systems.

    Attributes
    ----------
    systems : tuple of n names, sorted
    first, second : ndarray of int, (pairs,)
        The pairs that were compared, as positions in `systems`.
    seen : ndarray of float64, (3, samples, pairs)
        How often neither (0), the first (1), or the second (2) was preferred.
    sided : bool
        Whether the first of a pair is the system that was shown first, so that two
        systems may be two pairs; else first < second.
    """

    systems: tuple[str, ...]
    first: np.ndarray
    second: np.ndarray
    seen: np.ndarray
    sided: bool = False

    def matrices(self) -> tuple[np.ndarray, np.ndarray]:
        """Return wins and ties, each (samples, n, n)."""
        size = len(self.systems)
        wins, ties = np.zeros((2, self.seen.shape[1], size, size))
        neither, first_won, second_won = self.seen
        ties[:, self.first, self.second] = neither
        wins[:, self.first, self.second] = first_won
        wins[:, self.second, self.first] += second_won
        return wins, ties + ties.swapaxes(1, 2)

    def met(self) -> np.ndarray:
        """Return whether a sample compares a system at all, (samples, systems)."""
        return self.seen.sum(axis=0) @ self.ends > 0

    @property
    def ends(self) -> scipy.sparse.csr_array:
        """1 where the row's pair has the column's system, (pairs, systems)."""
        pairs = np.arange(len(self.first))
        place = np.append(pairs, pairs), np.append(self.first, self.second)
        size = len(pairs), len(self.systems)
        return scipy.sparse.csr_array((np.ones(2 * len(pairs)), place), size)

    def take(self, samples: np.ndarray) -> ResampledCounts:
        """Take some of the samples, by their numbers."""
        return replace(self, seen=self.seen[:, samples])


def sample_of_counts(
    data: Train, systems: tuple[str, ...] | None = None, *, sided: bool = False
) -> ResampledCounts:
    """Make one sample of comparisons, counts or a tally; counts know their systems.

    Raises
    ------
    DataError
        A sample is to be `sided`, and who was shown first is not known.
    """
    if systems is None:
        data = data if isinstance(data, Counts) else rows_of(data)
        systems = tuple(data.systems)
    seen = tally(data, systems)
    if not sided:
        seen = upper_pairs(both_ways(seen))
    elif reason := side_unknown(seen):
        raise DataError(f"who was shown first is not known: {reason}")
    first, second = np.nonzero(seen.any(axis=2))
    cells = seen[first, second].T[:, None].astype(float)
    return ResampledCounts(systems, first, second, cells, sided)


def side_unknown(seen: np.ndarray) -> str:
    """Say why a tally does not tell who was shown first; "" if it may.

    >>> side_unknown(np.array([[[0, 0, 0], [1, 5, 5]], [[0, 0, 0], [0, 0, 0]]]))
    'every pair of systems is in one order, as columns sorted by name do'
    """
    shown = seen.any(axis=2)
    if not (shown & shown.T).any():
        return "every pair of systems is in one order, as columns sorted by name do"
    if not seen[..., FIRST].any() or not seen[..., SECOND].any():
        return "all winners stand on one side, as they do where the winner is first"
    return ""


@dataclass(frozen=True, eq=False)
class Resampler:
    """Comparisons to draw from.

    Attributes
    ----------
    whole : ResampledCounts
        One sample: all comparisons.
    cells : sparse matrix or ndarray, (units, 3 * pairs)
        Counts of every unit; one row, an ndarray, with all of them if comparisons are
        drawn one by one.
    units : int
        How many are drawn: of comparisons another number may be set
        (`dataclasses.replace`).
    by_unit : bool
        Whether whole units are drawn, or single comparisons.
    """

    whole: ResampledCounts
    cells: scipy.sparse.csc_array | np.ndarray
    units: int
    by_unit: bool

    def __sizeof__(self) -> int:
        """Count bytes of the cells: Dask sends what is large to a worker once."""
        return self.whole.seen.nbytes + 8 * self.cells.size

    def samples(
        self, n_resamples: int, rng: np.random.Generator
    ) -> Iterator[ResampledCounts]:
        """Draw samples, block by block; see `blocks`."""
        for size, stream in blocks(n_resamples, rng):
            yield self.draw(size, stream)

    def draw(self, size: int, rng: np.random.Generator) -> ResampledCounts:
        """Draw the samples of a block."""
        draw = self._draw_units if self.by_unit else self._draw_comparisons
        return self.samples_of(draw(size, rng))

    def without_each(self) -> Iterator[ResampledCounts]:
        """Leave out the comparisons of one unit, unit after unit."""
        at_once = max(1, HELD // self.cells.shape[1])
        total = self.cells.sum(axis=0)
        for done in range(0, self.units, at_once):
            removed = scipy.sparse.csc_array(self.cells[done : done + at_once])
            yield self.samples_of(total - removed.toarray())

    def samples_of(self, cells: np.ndarray) -> ResampledCounts:
        """Make samples of their counts, (samples, 3 * pairs)."""
        seen = cells.reshape(len(cells), 3, -1).swapaxes(0, 1)
        return replace(self.whole, seen=np.ascontiguousarray(seen, dtype=float))

    def _draw_comparisons(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draw comparisons one by one: their counts are multinomial."""
        occur = np.flatnonzero(self.cells)
        cells = np.zeros((size, self.cells.shape[1]))
        share = self.cells[0, occur] / self.cells.sum()
        cells[:, occur] = rng.multinomial(self.units, share, size=size)
        return cells

    def _draw_units(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Draw units: how often each was drawn, times its counts."""
        drawn = rng.integers(self.units, size=(size, self.units))
        drawn += self.units * np.arange(size)[:, None]
        times = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)
        return times[:, self.place] @ self.cells

    @cached_property
    def place(self) -> np.ndarray:
        """Place of every unit by what it holds: no name or row decides who is drawn."""
        weight = np.random.default_rng(0).random(self.cells.shape[1])
        return np.argsort(np.argsort(self.cells @ weight, kind="stable"))

    def occurrences(self) -> np.ndarray:
        """Count the units (or comparisons) in which each system occurs, (systems,)."""
        held = self.cells @ scipy.sparse.vstack(3 * [self.whole.ends], "csr")
        return (held > 0 if self.by_unit else held).sum(axis=0)


def resampler(
    data: Compared,
    reference: str | None,
    unit: str,
    *,
    sided: bool = False,
) -> Resampler:
    """Prepare comparisons to draw from, by a unit, without the reference.

    Samples are `sided` if who was shown first matters.

    Raises
    ------
    DataError
        An unknown unit, a label that is missing, or fewer than two of them.
    """
    require_unit(data, unit)
    rows = rows_of(data).without(reference)
    whole = sample_of_counts(rows, sided=sided)
    if unit == COMPARISON:
        cells = whole.seen.reshape(1, -1)
        return Resampler(whole, cells, int(cells.sum()), by_unit=False)
    codes, units = unit_codes(rows.frame[unit], unit)
    if units < 2:
        raise DataError(f"{units} {unit}(s) to draw from; expected two or more")
    pairs = np.arange(len(whole.first))
    number = np.zeros(2 * (len(rows.systems),), dtype=np.int32)
    number[whole.second, whole.first] = pairs
    number[whole.first, whole.second] = pairs
    preference = rows.preference
    if not sided:  # a pair is counted once: the system of lower position comes first
        is_turned = rows.first > rows.second
        preference = np.where(is_turned, SWAPPED[preference], preference)
    cell = preference * len(pairs) + number[rows.first, rows.second]
    shape = units, 3 * len(pairs)
    cells = scipy.sparse.coo_array((rows.times, (codes, cell)), shape).tocsc()
    return Resampler(whole, cells.astype(float, copy=False), units, by_unit=True)
