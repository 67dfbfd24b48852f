"""Judgements of one task, from a file or a campaign."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.core.assessments import (
    Campaign,
    encode,
    sorted_categories,
    system_names,
)
from wmtlib.core.counts import FIRST, SECOND, TIE, ComparisonRows, Counts, rows_of
from wmtlib.core.errors import DataError, joined, short_repr
from wmtlib.core.html_tables import captioned
from wmtlib.files.contract import OF_ASSESSMENTS, OF_COMPARISONS

SIDES = ("system_1", "system_2")
MOST_BITS = 62  # of the codes of a row


def visible(text: str) -> str:
    """Escape signs of a text that would move the cursor."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


@dataclass(frozen=True, repr=False)
class Judgements:
    """Judgements of one task.

    Attributes
    ----------
    kind : "comparisons", "rankings" or "assessments"
    rows : int
        Rows of the file that are of this task.
    systems : tuple of str
        Names, sorted; of joint names (`A+B`) the parts.
    units : tuple of str
        What can be resampled and the file tells apart: judge or judge_group, segment
        and ranking; for assessments worker, hit, document and segment.
    task : str
        "" if the file does not name its task.
    path : str
        As given, without passwords and queries.
    sha256 : str
        Of the bytes of the file; of several files, of their sorted and joined hashes.
    comparisons : DataFrame or None
        A comparisons frame with counts: columns system_1 (shown first), system_2,
        preference, a column for every unit (judges are pseudonyms, numbered as their
        names sort), and count. Sorted by system_1, system_2, preference (ties last),
        then units.
    assessments : DataFrame or None
        Columns `assessments.ASSESSMENTS`.
    scale : pair of numbers or None
        Of assessments: the lowest and the highest score that may be; where low scores
        are the best, of minus the scores.
    declared : pair of numbers or None
        The worst and the best score, as it was said.
    export : str
        The name of the export that the table is; "" if it is none.
    columns : mapping from role to column
        Which columns were used, and for what.
    left_out : mapping from column to reason
        The other columns.
    rows_left_out : mapping from reason to number
    warnings : tuple of str
        What may be misread or was assumed, a line each.
    people : mapping from pseudonym to identifier
        The judges or workers of a file of the user's own; empty for public data, whose
        identifiers are never shown.
    """

    kind: str
    rows: int
    systems: tuple[str, ...]
    units: tuple[str, ...]
    task: str
    path: str = ""
    sha256: str = ""
    comparisons: pd.DataFrame | None = field(default=None, compare=False)
    assessments: pd.DataFrame | None = field(default=None, compare=False)
    scale: tuple[float, float] | None = None
    declared: tuple[float, float] | None = None
    export: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    rows_left_out: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    people: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __repr__(self) -> str:
        size = f"{self.rows} rows ({self.kind}), {len(self.systems)} systems"
        units = ", ".join(self.units) or "no units"
        return f"<Judgements: {visible(self.path)}: {size}; {units}>"

    def _repr_html_(self) -> str:
        return captioned(repr(self)[1:-1], self.frame.head())

    @property
    def frame(self) -> pd.DataFrame:
        """Return the comparisons or the assessments."""
        return self.assessments if self.comparisons is None else self.comparisons

    @property
    def declared_words(self) -> dict[str, str]:
        """Return what the table declared, by what it is: columns, scale, rows."""
        columns = [
            role if role == name else f"{role} = {short_repr(name)}"
            for role, name in self.columns.items()
        ]
        export = f"{self.export}: " if self.export and columns else ""
        scale = ""
        if self.declared:
            worst, best = self.declared
            ends = "" if np.isinf(worst) else f"{worst:g} is the worst, "
            scale = f"{ends}{best:g} is the best"
        names = [f"{short_repr(n)} ({why})" for n, why in self.left_out.items()]
        rows = [f"{number} {what}" for what, number in self.rows_left_out.items()]
        words = {
            "columns": f"{export}{', '.join(columns)}",
            "scale": scale,
            "columns left out": ", ".join(names),
            "rows left out": ", ".join(rows),
        }
        return {label: said for label, said in words.items() if said}

    @property
    def reading(self) -> list[str]:
        """Return the same in lines."""
        return [f"{label}: {said}" for label, said in self.declared_words.items()]

    @cached_property
    def coded(self) -> ComparisonRows:
        """Code the comparisons once, as methods take them.

        Raises
        ------
        DataError
            The judgements are assessments.
        """
        if self.comparisons is None:
            raise self.refuse("holds assessments; expected comparisons or rankings")
        return rows_of(self.comparisons, self.systems)

    @cached_property
    def campaign(self) -> Campaign:
        """Code the assessments once, as methods take them."""
        return encode(self.assessments)

    @property
    def counts(self) -> Counts:
        """Wins and ties of every pair of systems, of `coded`."""
        return self.coded.counted

    def refuse(self, fault: str) -> DataError:
        """Return an error about these judgements."""
        return DataError(joined(f"{visible(self.path)}: ", fault))


def of_comparisons(comparisons: pd.DataFrame, **others: Any) -> Judgements:
    """Make judgements of counted comparisons, which hold systems and units.

    The others are fields of `Judgements`.
    """
    return Judgements(
        systems=tuple(comparisons["system_1"].cat.categories),
        units=tuple(unit for unit in OF_COMPARISONS if unit in comparisons),
        comparisons=comparisons,
        **others,
    )


def of_assessments(frame: pd.DataFrame, **others: Any) -> Judgements:
    """Make judgements of tidy assessments, which hold systems and units.

    The others are fields of `Judgements`.
    """
    units = [unit for unit in OF_ASSESSMENTS if (frame[unit] != "").all()]
    return Judgements(
        kind="assessments",
        rows=len(frame),
        systems=tuple(system_names(frame["system"].cat.categories)),
        units=tuple(units),
        assessments=frame,
        **others,
    )


# --- what is counted ------------------------------------------------------------------


def count_comparisons(
    frame: pd.DataFrame, units: Sequence[str], systems: Sequence[str] = ()
) -> pd.DataFrame:
    """Count comparisons by pair, preference and units, and sort by them; ties are last.

    Systems and units are categories of sorted names. The order of rows does not matter;
    the systems are those given, or those that occur.
    """
    if not systems:
        systems = sorted({name for side in SIDES for name in frame[side].unique()})
    frame = frame.copy(deep=False)
    for side in SIDES:
        frame[side] = frame[side].astype("category").cat.set_categories(systems)
    for unit in units:
        frame[unit] = sorted_categories(frame[unit])
    ties_last = np.array([2, 0, 1], dtype=np.int8)  # of TIE, FIRST, SECOND
    keys = [*SIDES, "preference", *units]
    columns = [
        ties_last[frame[key]]
        if key == "preference"
        else frame[key].cat.codes.to_numpy()
        for key in keys
    ]
    cell, bits = combined(columns)
    if "count" in frame:
        order = np.argsort(cell, kind="stable")
        times = frame["count"].to_numpy(np.int64)[order]
        cell = cell[order]
    else:
        times = np.ones(len(cell), dtype=np.int64)
        cell = np.sort(cell)
    start = np.flatnonzero(np.diff(cell, prepend=-1))
    number = np.add.reduceat(times, start) if len(start) else times
    result = {}
    for key, code in zip(keys, parted(cell[start], bits), strict=True):
        if key == "preference":
            result[key] = np.array([FIRST, SECOND, TIE], dtype=np.int8)[code]
        else:
            result[key] = pd.Categorical.from_codes(
                code, dtype=frame[key].dtype, validate=False
            )
    return pd.DataFrame({**result, "count": number})


def combined(codes: Sequence[np.ndarray]) -> tuple[np.ndarray, list[int]]:
    """Combine several codes to one that sorts as they do, (rows,), and their bits.

    >>> combined([np.array([1, 0, 1]), np.array([5, 5, 0])])
    (array([13,  5,  8]), [1, 3])
    """
    bits = [int(each.max(initial=0)).bit_length() for each in codes]
    if sum(bits) > MOST_BITS:
        raise DataError("too many different judges, segments and systems to be counted")
    together = np.zeros(len(codes[0]), dtype=np.int64)
    for each, width in zip(codes, bits, strict=True):
        together <<= width
        together |= each
    return together, bits


def parted(together: np.ndarray, bits: Sequence[int]) -> list[np.ndarray]:
    """Return the codes that were combined.

    >>> parted(np.array([13, 5, 8]), [1, 3])
    [array([1, 0, 1]), array([5, 5, 0])]
    """
    codes = []
    for width in reversed(bits):
        codes.append(together & ((1 << width) - 1))
        together = together >> width
    return codes[::-1]


def pseudonyms(identifiers: pd.Series, prefix: str = "judge") -> pd.Categorical:
    """Replace identifiers of people, sorted, by `judge_001`, `judge_002`, ..."""
    codes, unique = pd.factorize(identifiers, sort=True)
    names = [f"{prefix}_{k:03d}" for k in range(1, len(unique) + 1)]
    return pd.Categorical.from_codes(codes, categories=names)
