"""What is said about a user's file: where a row stands, why it is refused, what may be misread."""

import os
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from wmtlib.errors import DataError, Origin, shown

LOOK_ALIKE = str.maketrans("авекмнорстухіјѕοανρτυχκι", "abekmhopctyxijsoavptuxki")
MOST_SHOWN = 3  # names of each group of systems in a warning


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


def listed(names: Sequence[str], most: int) -> str:
    """Names with commas between them; the first `most` if there are more."""
    return ", ".join(map(shown, names[:most])) + (", ..." if len(names) > most else "")


def reason(error: Exception) -> str:
    """Why something failed, in one line."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return text if len(text) <= 120 else f"{text[:117]}..."


def of_systems(names: Sequence[str]) -> list[str]:
    """Warn of names that differ in case, blanks or Unicode form only.

    >>> of_systems(["GPT-4", "gpt-4", "x"])
    ["'GPT-4' and 'gpt-4' are counted as 2 systems; if they are one, write the name in one way"]
    """
    spellings = defaultdict(list)
    for name in names:
        spellings[_plain(name)].append(name)
    return [
        f"{' and '.join(map(shown, same))} are counted as {len(same)} systems;"
        " if they are one, write the name in one way"
        for same in spellings.values()
        if len(same) > 1
    ]


def of_judges(names: Collection[str]) -> list[str]:
    """The same of judges, whose names stay unsaid.

    >>> of_judges(["ann", "Ann ", "bob"])[0].partition(";")[0]
    '3 names of judges are 2, but for case and blanks'
    """
    people = len({*map(_plain, names)})
    warning = (
        f"{len(names)} names of judges are {people}, but for case and blanks; if they are so many"
        " people, write each name in one way"
    )
    return [warning] * (people < len(names))


def of_segments(names: Collection[str]) -> list[str]:
    """Warn of numbers of segments that are written in two ways, as in 1 and 1.0."""
    twice = sorted(n for n in {*names} if f"{n}.0" in names)
    warning = (
        f"segments {', '.join(twice[:MOST_SHOWN])} are written with .0, too: counted as others"
    )
    return [warning] * (len(twice) > 0)


def _plain(name: str) -> str:
    """A name without what is hard to see: case, quotes, kinds of hyphens and of letters, .0."""
    text = unicodedata.normalize("NFKC", name).casefold().translate(LOOK_ALIKE).strip(" \"'‘’“”")
    return re.sub(r"[\s_-]+", "-", text).removesuffix(".0")


def of_groups(comparisons: pd.DataFrame) -> list[str]:
    """Warn of systems in several groups that were never compared with one another."""
    systems = comparisons["system_1"].cat.categories
    first, second = (comparisons[c].cat.codes.to_numpy(np.int64) for c in ("system_1", "system_2"))
    group = np.arange(number := len(systems))
    for pair in np.unique(first * number + second):
        a, b = divmod(int(pair), number)
        group[group == group[b]] = group[a]
    _, group = np.unique(group, return_inverse=True)
    if (number := group.max() + 1) == 1:
        return []
    groups = [listed([*systems[group == k]], MOST_SHOWN) for k in range(min(number, MOST_SHOWN))]
    more = "; ..." if number > MOST_SHOWN else ""
    return [
        f"systems fall into {number} groups without a comparison between them"
        f" ({'; '.join(groups)}{more}): the order of systems of different groups means nothing"
    ]


def of_repeats(more: int, rows: int, what: str, same: str) -> list[str]:
    """Warn of rows that repeat others."""
    warning = (
        f"{more} of {rows} {what} repeat another one word for word (same {same}); each counts;"
        " if they are there by mistake, remove them"
    )
    return [warning] * (more > 0)


def pasted(times: int) -> str:
    """Warn of a file in which everything stands several times."""
    return (
        f"every row stands {times} times, or a multiple of {times}; each counts; if the file was"
        " put together from copies, remove them"
    )
