"""Many samples of the same comparisons at once: their form, how they are drawn, simple scores.

A bootstrap never writes judgements out. A sample is a few numbers for each pair of systems, and a
`Batch` holds those of many samples, so that they can be scored together: here by the heuristic
scores of `wmtlib.tournament.scorers`, in `wmtlib.preference.bradley_terry` by Bradley-Terry.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy import sparse

from wmtlib.judgements import counting
from wmtlib.judgements.counting import COMPARISON, SWAPPED, Counts
from wmtlib.judgements.errors import DataError

DRAWN = 1 << 22  # numbers that are held at a time


@dataclass(frozen=True, eq=False)
class Batch:
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
    def _sides(self) -> tuple[sparse.csr_array, sparse.csr_array]:
        """Matrices, systems x pairs, that tell who is first, and who second, of a pair."""
        size, pairs = len(self.systems), np.arange(len(self.first))
        ones, shape = np.ones(len(pairs)), (size, len(pairs))
        return tuple(
            sparse.csr_array((ones, (side, pairs)), shape=shape)
            for side in (self.first, self.second)
        )

    def summed(self, of_first: np.ndarray, of_second: np.ndarray) -> np.ndarray:
        """What systems get from their pairs, (samples, systems), of (samples, pairs) for each."""
        first, second = self._sides
        return (first @ of_first.T + second @ of_second.T).T

    def without(self, system: str | None) -> "Batch":
        """The comparisons that do not involve a system; None is no error."""
        if system is None:
            return self
        at = self.systems.index(system)
        kept = (self.first != at) & (self.second != at)
        left = self.systems[:at] + self.systems[at + 1 :]
        first, second = (x[kept] - (x[kept] > at) for x in (self.first, self.second))
        return Batch(left, first, second, self.seen[:, :, kept])

    def take(self, samples: np.ndarray) -> "Batch":
        """Some of the samples, by their numbers."""
        return Batch(self.systems, self.first, self.second, self.seen[:, samples])


def batch(counts: Counts) -> Batch:
    """Counts as one sample."""
    wins, ties = counts.wins.to_numpy(), counts.ties.to_numpy()
    return one_sample(tuple(counts.systems), np.stack([ties, wins, wins.T], axis=2))


def one_sample(systems: tuple[str, ...], seen: np.ndarray) -> Batch:
    """One sample of comparisons counted both ways, (n, n, 3); see `both_ways`."""
    first, second = np.nonzero(np.triu(seen.any(axis=2), k=1))
    return Batch(systems, first, second, seen[first, second].T[:, None].astype(float))


def each(samples: Batch) -> Iterator[Counts]:
    """The samples as counts, one by one."""
    names, size = [*samples.systems], len(samples.systems)
    for tied, won, lost in samples.seen.swapaxes(0, 1).astype(np.int64):
        wins, ties = np.zeros((2, size, size), dtype=np.int64)
        wins[samples.first, samples.second], wins[samples.second, samples.first] = won, lost
        ties[samples.first, samples.second] = ties[samples.second, samples.first] = tied
        yield Counts(pd.DataFrame(wins, names, names), pd.DataFrame(ties, names, names))


# --- drawing ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Source:
    """Comparisons to draw from.

    Attributes
    ----------
    systems, first, second
        As in `Batch`.
    cells : csr_array of int, (units, 3 * pairs)
        Counts of every unit; one row with all of them if comparisons are drawn one by one.
    units : int
    whole : bool
        Whether units are drawn, and not comparisons.
    """

    systems: tuple[str, ...]
    first: np.ndarray
    second: np.ndarray
    cells: sparse.csr_array
    units: int
    whole: bool

    def samples(self, number: int, rng: np.random.Generator) -> Iterator[Batch]:
        """So many samples, some at a time; the draws do not depend on how many."""
        per_sample = max(self.units if self.whole else 0, self.cells.shape[1])
        at_once = max(1, DRAWN // per_sample)
        turned = self.cells.T.tocsr().astype(np.float64) if self.whole else None
        for done in range(0, number, at_once):
            size = min(at_once, number - done)
            flat = self._units(size, rng, turned) if self.whole else self._cells(size, rng)
            seen = np.ascontiguousarray(flat.reshape(size, 3, -1).swapaxes(0, 1), dtype=float)
            yield Batch(self.systems, self.first, self.second, seen)

    def _cells(self, size: int, rng: np.random.Generator) -> np.ndarray:
        met = self.cells.indices
        share = self.cells.data / self.cells.data.sum()
        flat = np.zeros((size, self.cells.shape[1]))
        flat[:, met] = rng.multinomial(self.units, share, size=size)
        return flat

    def _units(self, size: int, rng: np.random.Generator, turned: sparse.csr_array) -> np.ndarray:
        times = np.empty((self.units, size))
        for k in range(size):
            draw = rng.integers(self.units, size=self.units)
            times[:, k] = np.bincount(draw, minlength=self.units)
        return (turned @ times).T


def source(data: Counts | pd.DataFrame, reference: str | None, unit: str) -> Source:
    """Comparisons to draw from, by a unit; those with the reference are left out.

    Raises
    ------
    DataError
        An unknown unit, a label that is missing, or fewer than two of them.
    """
    counting.require_unit(data, unit)
    if unit == COMPARISON:
        one = batch(counting.counts(data).without(reference))
        cells = sparse.csr_array(one.seen.reshape(1, -1).astype(np.int64))
        return Source(one.systems, one.first, one.second, cells, int(cells.data.sum()), False)
    names, a, b, preference, number = counting.coded(data)
    kept = number > 0
    if reference is not None:
        kept &= (a != names.index(reference)) & (b != names.index(reference))
    a, b, preference, number = a[kept], b[kept], preference[kept], number[kept]
    systems = tuple(name for name in names if name != reference)
    place = np.array([systems.index(x) if x != reference else -1 for x in names])
    low, high = np.minimum(a, b), np.maximum(a, b)
    preference = np.where(a > b, SWAPPED[preference], preference)
    pairs, pair = np.unique(low * len(names) + high, return_inverse=True)
    codes, units = counting.unit_codes(data[unit][kept], unit)
    if units < 2:
        raise DataError(f"{units} {unit}(s) to draw from; expected two or more")
    shape = (units, 3 * len(pairs))
    cells = sparse.coo_array((number, (codes, preference * len(pairs) + pair)), shape).tocsr()
    first, second = place[pairs // len(names)], place[pairs % len(names)]
    return Source(systems, first, second, cells, units, True)


# --- scores -------------------------------------------------------------------------------------


def shares(samples: Batch, start: None, *, tie: float, counted: bool) -> np.ndarray:
    """(wins + tie * ties) / comparisons, or decided ones if ties are not counted."""
    ties, first, second = samples.seen
    win, lose = samples.summed(first, second), samples.summed(second, first)
    tied = samples.summed(ties, ties)
    return _over(win + tie * tied, win + lose + (tied if counted else 0))


def over_opponents(samples: Batch, start: None, *, net: bool) -> np.ndarray:
    """Mean rate over the opponents met: of wins, or of wins less losses where ties count."""
    ties, first, second = samples.seen
    whole = first + second + (ties if net else 0)
    of_first = _over(first - second if net else first, whole)
    of_second = -of_first if net else _over(second, whole)
    met = (whole > 0).astype(float)
    rates = samples.summed(np.nan_to_num(of_first), np.nan_to_num(of_second))
    return _over(rates, samples.summed(met, met))


def _over(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
