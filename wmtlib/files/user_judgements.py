"""Judgements of one task, read and checked: what is handed from the files to every analysis."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from wmtlib import counts as counting
from wmtlib.counts import FIRST, SECOND, TIE, Counts
from wmtlib.errors import DataError

TIES_LAST = (FIRST, SECOND, TIE)  # the order of rows of equal pairs


@dataclass(frozen=True)
class Judgements:
    """Judgements of one task.

    Attributes
    ----------
    path : str
        As given.
    kind : "rankings", "pairwise" or "assessments"
    rows : int
        Rows of the file that are of this task.
    systems : tuple of str
        Names, sorted; of joint names (`A+B`) the parts.
    units : tuple of str
        What can be resampled and the file tells apart: judge, segment and ranking; for assessments
        worker and hit.
    task : str
        "" if the file does not name its task.
    sha256 : str
        Of the bytes of the file; of several files, of their sorted and joined hashes.
    comparisons : DataFrame or None
        A comparisons frame with counts: columns system_1 (shown first), system_2, preference, a
        column for every unit (judges are pseudonyms numbered by first appearance), and count.
        Sorted by system_1, system_2, preference (ties last), then units by first appearance.
    assessments : DataFrame or None
        Columns `direct_assessments.ASSESSMENTS`.
    scale : pair of numbers or None
        Of assessments: the lowest and the highest score that may be.
    columns : mapping from role to column
        Which columns were used, and for what.
    unused : tuple of str
        The other columns.
    reading : str
        The same in one line, and how the values were understood.
    warnings : tuple of str
        What may be misread, a line each; says what was assumed.
    people : mapping from pseudonym to identifier
        The judges or workers of a file of the user's own; empty for public data, whose
        identifiers are never shown.
    """

    path: str
    kind: str
    rows: int
    systems: tuple[str, ...]
    units: tuple[str, ...]
    task: str
    sha256: str
    comparisons: pd.DataFrame | None = field(default=None, repr=False, compare=False)
    assessments: pd.DataFrame | None = field(default=None, repr=False, compare=False)
    scale: tuple[float, float] | None = None
    columns: Mapping[str, str] = field(default_factory=dict, repr=False)
    unused: tuple[str, ...] = field(default=(), repr=False)
    reading: str = field(default="", repr=False)
    warnings: tuple[str, ...] = field(default=(), repr=False)
    people: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def counts(self) -> Counts:
        """Wins and ties of every pair of systems.

        Raises
        ------
        DataError
            The judgements are assessments.
        """
        if self.comparisons is None:
            raise DataError(f"{self.path}: holds assessments; expected comparisons or rankings")
        return counting.count(self.comparisons, self.systems)

    def counted_by(self, units: Sequence[str]) -> pd.DataFrame:
        """The comparisons counted by pair, preference and some of the units."""
        return self.comparisons if units == self.units else counted_by(self.comparisons, units)


def counted_by(comparisons: pd.DataFrame, units: Sequence[str]) -> pd.DataFrame:
    """A comparisons frame counted by pair, preference and units; sorted as `Judgements` say."""
    keys = ["system_1", "system_2", "preference", *units]
    preference = pd.Categorical(comparisons["preference"], categories=TIES_LAST)
    groups = comparisons.assign(preference=preference).groupby(keys, observed=True)
    count = groups["count"].sum() if "count" in comparisons else groups.size().rename("count")
    return count.reset_index().astype({"preference": np.int8})
