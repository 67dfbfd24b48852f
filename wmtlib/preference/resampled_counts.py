"""Many samples of the same comparisons at once: their form, and how they are drawn.

A bootstrap never writes judgements out. A sample is a few numbers for each pair of systems, and
`ResampledCounts` hold those of many samples, so that they can be scored together: by the formulas
of `wmtlib.tournament.scorers`, and by Bradley-Terry (`wmtlib.preference.bradley_terry`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
import pandas as pd
import scipy

from wmtlib.judgements import counting
from wmtlib.judgements.counting import COMPARISON, SWAPPED, Counts
from wmtlib.judgements.errors import DataError

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
    one = sample_of_counts(counting.counts(data).without(reference))
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
    cell, value = np.empty(len(rows), dtype=np.int32), np.empty(len(rows))
    for at, (_, a, b, preference, count) in counting.coded_blocks(rows, one.systems):
        preference = np.where(a > b, SWAPPED[preference], preference)
        cell[at], value[at] = preference * pairs + place[a, b], count
    cells = _matrix(value, (codes, cell), (units, 3 * pairs))
    return Resampler(one.systems, one.first, one.second, cells, units, True)
