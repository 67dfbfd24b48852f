"""A user's own judgements: rankings, pairwise comparisons or direct assessments, in any usual file.

`read` recognises the kind of judgement by the header (`columns` holds what columns may
be called) and the format by the content. One road: a table of text, its layout,
judgements.

Nothing is guessed: the first thing that is not understood is refused with one line that
says where it stands, and what to do next. What is sound but looks odd is a warning.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pandas as pd

from wmtlib import counts as counting
from wmtlib import errors, remarks
from wmtlib.counts import Counts
from wmtlib.errors import DataError, Message, joined, shown
from wmtlib.yours.options import SCALE
from wmtlib.yours.reading import exports, layouts
from wmtlib.yours.reading.columns import (
    UNITS,
    Options,
    SeveralTasks,
    recognise,
    unused_columns,
)
from wmtlib.yours.reading.outcomes import MEANINGS
from wmtlib.yours.reading.tables import Table, open_table


def visible(text: str) -> str:
    """Text of a file, with signs that would move the cursor or change the line made visible."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


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
            raise DataError(
                f"{self.path}: holds assessments; expected comparisons or rankings"
            )
        return counting.count(self.comparisons, self.systems)

    def renamed(self, names: Collection[str], one: str) -> "Judgements":
        """Several systems under one name, or left out if it is empty.

        Comparisons of a system with itself are left out.
        """
        if self.comparisons is None:
            parts = self.assessments["system"].astype(object).str.split("+")
            joint = parts.map(
                lambda some: dict.fromkeys(one if p in names else p for p in some)
            )
            system = joint.str.join("+").str.strip("+")
            frame = self.assessments.assign(system=system)[system != ""].reset_index(
                drop=True
            )
            kinds = {
                name: "category" for name in frame if name not in ("score", "accepted")
            }
            about = {
                "assessments": frame.astype(dict.fromkeys(kinds, object)).astype(kinds)
            }
        else:
            sides = self.comparisons[["system_1", "system_2"]].astype(object)
            sides = sides.replace(dict.fromkeys(names, one))
            kept = (sides["system_1"] != sides["system_2"]) & (sides != "").all(axis=1)
            frame = self.comparisons.assign(**sides)[kept]
            about = {"comparisons": layouts.count_comparisons(frame, self.units)}
        systems = {one if name in names else name for name in self.systems} - {""}
        return replace(self, systems=tuple(sorted(systems)), **about)

    def refuse(self, fault: str) -> DataError:
        """The error about these judgements."""
        return DataError(joined(f"{visible(self.path)}: ", fault))

    def counted_by(self, units: Sequence[str]) -> pd.DataFrame:
        """The comparisons counted by pair, preference and some of the units."""
        if units == self.units:
            return self.comparisons
        return layouts.counted_by(self.comparisons, units)


def read(
    source: str | Path | pd.DataFrame,
    *,
    kind: str | None = None,
    columns: Mapping[str, str | None] | None = None,
    outcomes: Mapping[str, str] | None = None,
    scale: tuple[float, float] | None = None,
    task: str | None = None,
    skip_bad: bool = False,
) -> Judgements:
    """Read and check the judgements of one task; comparisons are counted.

    Parameters
    ----------
    source : str, Path or DataFrame
        A table in memory, or a file in CSV, TSV, JSON lines or Parquet, plain or
        gzipped; a folder of Parquet files, or a pattern (`part-*.parquet`) of their
        names; or its address (https://, s3://, gs://).
    kind : "rankings", "pairwise" or "assessments", optional
        Recognised by the header if not given.
    columns : mapping from role to column, optional
        What the columns are called, where the names are not those of `yours.columns`;
        None for a role that is to be ignored.
    outcomes : mapping from outcome to "a", "b", "tie" or "skip", optional
        What the outcomes of comparisons mean, where the words are not known or mean
        something else.
    scale : pair of numbers, optional
        The lowest and the highest score that an assessment may have; 0 and 100 if not
        given.
    task : str, optional
        One of the file's tasks; needed if there are several.
    skip_bad : bool
        Whether rows are left out, and counted in a warning, that compare a system with
        itself, have no outcome or score, or blanks around a name; without it they are
        refused.

    Returns
    -------
    Judgements

    Raises
    ------
    DataError
        One line that names the file, the line or row, and what was expected.

    Examples
    --------
    >>> votes = pd.DataFrame({"model_a": ["x"], "model_b": ["y"], "winner": ["model_a"]})
    >>> judgements = read(votes)
    >>> judgements.kind, judgements.systems
    ('pairwise', ('x', 'y'))
    """
    options = {"columns": columns or {}, "outcomes": outcomes or {}, "scale": scale}
    (judgements,) = read_tasks(source, [task], kind=kind, skip_bad=skip_bad, **options)
    return judgements


def read_tasks(
    source: str | Path | pd.DataFrame, tasks: Sequence[str | None] = (), **options: Any
) -> list[Judgements]:
    """Read and check the judgements of some tasks of a file, of every task if none is named.

    The options are those of `read`.
    """
    with open_table(source) as table:
        try:
            return [_read(table, Options(**options), task) for task in tasks or [None]]
        except SeveralTasks as several:
            if tasks:
                raise
            return [_read(table, Options(**options), task) for task in several.tasks]


SCORES = dict.fromkeys(("assessments", "scores"), layouts.read_assessments)  # layouts
READERS = {"rankings": layouts.read_rankings, **SCORES}


def _read(table: Table, options: Options, task: str | None) -> Judgements:
    """The judgements of one task of a table."""
    layout, used = _layout(table, options)
    about = READERS.get(layout, layouts.read_comparisons)(
        table, layout, used, options, task
    )
    if table.form == exports.RELEASE and not options.columns:
        used, about["reading"] = {}, exports.ABOUT_RELEASE
    taken = {*used.values(), exports.WHOLE if table.form == exports.APPRAISE else None}
    unused = [name for name in table.header if name not in taken] if used else []
    warnings = [*table.warnings, *about["warnings"]]
    frame = about.get("comparisons", about.get("assessments"))
    counts = counting.count(frame) if "comparisons" in about else None
    warnings += remarks.remarks(about["systems"], about["people"].values(), counts)
    if "segment" in about["units"]:
        names = {*frame["segment"].cat.categories}
        twice = errors.listed(sorted(name for name in names if f"{name}.0" in names))
        also = f"segments {twice} are written with .0, too, and are counted as others"
        warnings += [also] if twice else []
    if options.columns.get("task", "") is not None:
        warnings += unused_columns(table, used, unused, about["task"])
    about |= {"columns": used, "unused": tuple(unused), "warnings": tuple(warnings)}
    roles = [
        role if role == name else f"{role} = {shown(name)}"
        for role, name in used.items()
    ]
    passed = f"; not used: {errors.listed(unused, 12)}" if unused else ""
    about["reading"] = ", ".join(roles) + passed + about.get("reading", "")
    return Judgements(path=table.path, sha256=table.sha256, **about)


def _layout(table: Table, options: Options) -> tuple[str, dict[str, str]]:
    """The layout of a table, and the column of every role; refuses options that cannot be."""
    kind, columns, outcomes, scale, _ = options
    refuse = partial(table.origin.refuse, None)
    if (twice := pd.Series(table.header).str.casefold().duplicated()).any():
        name = table.header[int(twice.argmax())]
        raise table.refuse_header(
            f"column {shown(name)} stands twice; expected it once"
        )
    if kind not in (None, *UNITS):
        raise refuse(f"kind is {shown(kind)}; expected one of {', '.join(UNITS)}")
    for word, meaning in outcomes.items():
        if meaning not in MEANINGS:
            message = f"outcome {shown(word)} is to mean {shown(meaning)}"
            raise refuse(f"{message}; expected {', '.join(MEANINGS)}")
    if not columns and kind in (None, "assessments") and table.form == exports.RELEASE:
        layout, used = "assessments", exports.RELEASED
    elif not columns and kind in (None, "pairwise") and layouts.is_matrix(table):
        layout, used = layouts.MATRIX, {}
    else:
        layout, used = recognise(table, options)
    if outcomes and layout != "outcomes":
        name = Message("outcomes", "--outcome")
        raise refuse(joined("has no column of outcomes; ", name, " is for those"))
    if scale and (layout not in SCORES or not scale[0] < scale[1]):
        expected = "LOW < HIGH" if layout in SCORES else "a column of scores"
        raise refuse(joined(SCALE, f": expected {expected}"))
    return layout, used
