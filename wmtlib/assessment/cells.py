"""Judgements averaged first: a cell is one system on one segment (Knowles 2021, section 3)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class Cells:
    """Judgements grouped by system and segment.

    A joint judgement, of identical outputs of two systems, is credited to both. So judgements are
    listed by credit: one entry for each judgement and each system that it counts for.

    Attributes
    ----------
    judgement : ndarray of int, (credits,)
        Sorted by system, place and judgement.
    start, size, system, place : ndarray of int, (cells,)
        A cell's first credit, its number of credits, its system and its place.
    larger : list of (cells, credits)
        For every size above two: the cells of that size, (k,), and their credits, (k, size).
    """

    judgement: np.ndarray
    start: np.ndarray
    size: np.ndarray
    system: np.ndarray
    place: np.ndarray
    larger: list[tuple[np.ndarray, np.ndarray]]

    @cached_property
    def credit_system(self) -> np.ndarray:
        """System of every credit, (credits,)."""
        return np.repeat(self.system, self.size)

    def totals(self, values: np.ndarray) -> np.ndarray:
        """Sum of every cell, (cells,), of values of the credits, (credits,).

        Summed from the least to the greatest, so that cells with the same values have the same
        sum to the last bit; one or two values have the same sum in any order.
        """
        if len(self.start) == len(values):
            return values
        total = np.add.reduceat(values, self.start)
        for cells, credits in self.larger:
            total[cells] = np.sort(values[credits], axis=1).sum(axis=1)
        return total

    def means(
        self, values: np.ndarray, times: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Mean and weight of every cell, (cells,) each.

        Parameters
        ----------
        values : ndarray, (credits,)
        times : ndarray of int, (credits,), optional
            How often each judgement was drawn by a bootstrap; once if not given.

        Returns
        -------
        mean, weight : ndarray of float64, (cells,)
            A judgement that was drawn twice counts twice in the mean of its cell; the weight of
            the cell is the number of draws over the number of judgements: 1 if each was drawn
            once. Where nothing was drawn the mean is NaN.
        """
        if times is None:
            return self.totals(values) / self.size, np.ones(len(self.size))
        drawn = self.totals(times.astype(float))
        with np.errstate(invalid="ignore"):
            return self.totals(times * values) / drawn, drawn / self.size


def group_cells(judgement: np.ndarray, system: np.ndarray, place: np.ndarray) -> Cells:
    """Group credits into cells; all three (credits,), sorted by system, place and judgement."""
    # A cell begins wherever the system or the place differs from the credit before.
    new = (np.diff(system, prepend=-1) != 0) | (np.diff(place, prepend=-1) != 0)
    start = np.flatnonzero(new)
    size = np.diff(start, append=len(judgement))
    larger = []
    for k in np.unique(size[size > 2]):
        cells = np.flatnonzero(size == k)
        larger.append((cells, start[cells, None] + np.arange(k)))
    return Cells(judgement, start, size, system[start], place[start], larger)
