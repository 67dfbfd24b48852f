"""Judgements of one task, wherever they come from."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import pandas as pd

from wmtlib.assessments import system_names
from wmtlib.counts import Counts
from wmtlib.errors import DataError, captioned, joined
from wmtlib.intake import count
from wmtlib.yours.reading.columns import OF_COMPARISONS, UNITS
from wmtlib.yours.reading.grouping import count_comparisons, counted_by


def visible(text: str) -> str:
    """Text of a file; signs that would move the cursor are made visible."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


@dataclass(frozen=True, repr=False)
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
        What can be resampled and the file tells apart: judge or judge_group, segment
        and ranking; for assessments worker and hit.
    task : str
        "" if the file does not name its task.
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
    comparisons: pd.DataFrame | None = field(default=None, compare=False)
    assessments: pd.DataFrame | None = field(default=None, compare=False)
    scale: tuple[float, float] | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    reading: str = ""
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
        """The comparisons or the assessments."""
        return self.assessments if self.comparisons is None else self.comparisons

    @cached_property
    def counts(self) -> Counts:
        """Wins and ties of every pair of systems.

        Raises
        ------
        DataError
            The judgements are assessments.
        """
        if self.comparisons is None:
            raise DataError(
                f"{self.path}: holds assessments; expected comparisons or rankings"
            )
        return count(self.comparisons, self.systems)

    def renamed(self, names: Collection[str], new_name: str) -> "Judgements":
        """Several systems under one name, or left out if it is empty.

        Comparisons of a system with itself are left out.
        """
        systems = {new_name if name in names else name for name in self.systems}
        renamed = replace(self, systems=tuple(sorted(systems - {""})))
        if self.comparisons is None:

            def renamed_parts(joint_name: str) -> str:
                parts = joint_name.split("+")
                parts = [new_name if part in names else part for part in parts]
                return "+".join(part for part in dict.fromkeys(parts) if part)

            frame = self.frame
            system = frame["system"].astype(object).map(renamed_parts)
            frame = frame.assign(system=system)[system != ""].reset_index(drop=True)
            texts = [name for name in frame if name not in ("score", "accepted")]
            frame = frame.astype(dict.fromkeys(texts, object))
            frame = frame.astype(dict.fromkeys(texts, "category"))
            return replace(renamed, assessments=frame)
        sides = self.comparisons[["system_1", "system_2"]].astype(object)
        sides = sides.replace(dict.fromkeys(names, new_name))
        is_pair = (sides["system_1"] != sides["system_2"]) & (sides != "").all(axis=1)
        frame = self.comparisons.assign(**sides)[is_pair]
        return replace(renamed, comparisons=count_comparisons(frame, self.units))

    def refuse(self, fault: str) -> DataError:
        """The error about these judgements."""
        return DataError(joined(f"{visible(self.path)}: ", fault))

    def counted_by(self, units: Sequence[str]) -> pd.DataFrame:
        """The comparisons counted by pair, preference and some of the units."""
        return counted_by(self.comparisons, units)


def of_comparisons(comparisons: pd.DataFrame, **others: Any) -> Judgements:
    """Judgements of counted comparisons, which hold the systems and the units.

    The others are fields of `Judgements`.
    """
    return Judgements(
        systems=tuple(comparisons["system_1"].cat.categories),
        units=tuple(unit for unit in OF_COMPARISONS if unit in comparisons),
        comparisons=comparisons,
        **others,
    )


def of_assessments(frame: pd.DataFrame, **others: Any) -> Judgements:
    """Judgements of tidy assessments, which hold the systems and the units.

    The others are fields of `Judgements`.
    """
    units = [unit for unit in UNITS["assessments"] if (frame[unit] != "").all()]
    return Judgements(
        kind="assessments",
        rows=len(frame),
        systems=tuple(system_names(frame["system"].cat.categories)),
        units=tuple(units),
        assessments=frame,
        **others,
    )
