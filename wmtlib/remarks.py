"""Warnings of what is sound row by row and may still be misread, one line each."""

from collections.abc import Iterable

import pandas as pd

from wmtlib.counts import Counts
from wmtlib.errors import MOST_SHOWN, listed, shown

LOOK_ALIKE = str.maketrans("авекмнорстухіјѕοανρτυχκι", "abekmhopctyxijsoavptuxki")


def remarks(
    systems: Iterable[str], judges: Iterable[str] = (), counts: Counts | None = None
) -> list[str]:
    """Warn of names that hardly differ, and of systems that never met.

    Parameters
    ----------
    systems, judges : names
        Judges are warned of without their names.
    counts : Counts, optional
        Of comparisons of the systems.

    Examples
    --------
    >>> remarks(["GPT-4", "gpt-4", "x"])[0].partition(";")[0]
    "'GPT-4' and 'gpt-4' are counted as 2 systems"
    >>> remarks([], ["ann", "Ann ", "bob"])[0].partition(";")[0]
    '3 names of judges are 2, but for case and blanks'
    """
    systems = [*systems]
    people = {*map(str, judges)}
    names = pd.Series([*systems, *people], dtype=object).astype(str)
    # Without case, blanks, quotes, kinds of hyphens and of letters, and .0 at the end.
    plain = names.str.normalize("NFKC").str.casefold().str.translate(LOOK_ALIKE)
    plain = plain.str.strip(" \"'‘’“”").str.replace(r"\s+", "", regex=True)
    plain = plain.str.replace(r"[_-]+", "-", regex=True).str.removesuffix(".0")
    lines = []
    by_plain_name = names[: len(systems)].groupby(plain, sort=False)
    for _, alike in by_plain_name:
        if len(alike) > 1:
            lines.append(
                f"{' and '.join(map(shown, alike))} are counted as {len(alike)}"
                " systems; if they are one, write the name in one way"
            )
    different = plain[len(systems) :].nunique()
    if different < len(people):
        lines.append(
            f"{len(people)} names of judges are {different}, but for case and blanks;"
            " if they are so many people, write each name in one way"
        )
    if counts is None:
        return lines
    met = (counts.wins + counts.ties).to_numpy() > 0
    if (met.sum(axis=1) >= len(met) - 1).any():
        return lines  # one system met all others: this spares loading SciPy's graphs
    from scipy.sparse.csgraph import connected_components

    number, group = connected_components(met, directed=False)
    if number > 1:
        table = pd.Series(counts.systems, dtype=object).groupby(group).agg(list)
        groups = [*map(listed, table[:MOST_SHOWN])]
        if number > MOST_SHOWN:
            groups.append("...")
        lines.append(
            f"systems fall into {number} groups without a comparison between them"
            f" ({'; '.join(groups)}): the order of systems of different groups means"
            " nothing"
        )
    return lines


def of_repeats(repeated: int, rows: int, what: str, same: str) -> list[str]:
    """Warn of rows that repeat others, if there are any."""
    if not repeated:
        return []
    return [
        f"{repeated} of {rows} {what} repeat another one word for word (same {same});"
        " each counts; if they are there by mistake, remove them"
    ]
