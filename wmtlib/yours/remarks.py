"""What is said about a user's file: where a row stands, why it is refused, what may be misread.

What may be misread in any judgements, in files and frames, is found by `wmtlib.counts`.
"""

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wmtlib.counts import listed, of_groups, of_judges, of_repeats, of_systems
from wmtlib.errors import DataError, Origin

__all__ = ["listed", "of_groups", "of_judges", "of_repeats", "of_systems"]


@dataclass(frozen=True)
class Rows(Origin):
    """Where rows stand that are not one a line: `where` gives the words, as in "line 5"."""

    where: Callable[[int], str] = "row {}".format

    def refuse(self, row: int | None, fault: str) -> DataError:
        place = "" if row is None else f", {self.where(int(row))}"
        return DataError(f"{self.name}{place}: {fault}")

    def take(self, rows: Sequence[int]) -> "Rows":
        """The places of some of the rows."""
        return replace(self, where=lambda row: self.where(int(rows[row])))


def shown_path(path: str | Path) -> str:
    """A path as it goes into a message: on one line."""
    text = os.fsdecode(path)
    return text if text.isprintable() else repr(text)


def of_segments(names: Collection[str]) -> list[str]:
    """Warn of numbers of segments that are written in two ways, as in 1 and 1.0."""
    twice = sorted(name for name in names if f"{name}.0" in names)
    warning = f"segments {listed(twice)} are written with .0, too, and are counted as others"
    return [warning] * (len(twice) > 0)


def reason(error: Exception) -> str:
    """Why something failed, in one line."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return text if len(text) <= 120 else f"{text[:117]}..."


def pasted(times: int) -> str:
    """Warn of a file in which everything stands several times."""
    return (
        f"every row stands {times} times, or a multiple of {times}; each counts; if the file was"
        " put together from copies, remove them"
    )
