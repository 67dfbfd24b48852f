"""What may be misread in judgements, one line each."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from wmtlib.counts import Counts
from wmtlib.errors import MOST_SHOWN, listed, shown

LOOK_ALIKE = str.maketrans("авекмнорстухіјѕοανρτυχκι", "abekmhopctyxijsoavptuxki")


def remarks(
    systems: Iterable[str], judges: Iterable[str] = (), counts: Counts | None = None
) -> list[str]:
    """What may be misread: names that differ in what is hard to see, systems that never met.

    Parameters
    ----------
    systems, judges : names
        Judges are warned of without their names.
    counts : Counts, optional
        Of comparisons of the systems.

    Examples
    --------
    >>> remarks(["GPT-4", "gpt-4", "x"])
    ["'GPT-4' and 'gpt-4' are counted as 2 systems; if they are one, write the name in
    one way"]
    >>> remarks([], ["ann", "Ann ", "bob"])[0].partition(";")[0]
    '3 names of judges are 2, but for case and blanks'
    """
    names = pd.Series(
        [*systems, *(judges := {*map(str, judges)})], dtype=object
    ).astype(str)
    # Without case, blanks, quotes, kinds of hyphens and of letters, and .0 at the end.
    plain = names.str.normalize("NFKC").str.casefold().str.translate(LOOK_ALIKE)
    plain = plain.str.strip(" \"'‘’“”").str.replace(r"\s+", "", regex=True)
    plain = plain.str.replace(r"[_-]+", "-", regex=True).str.removesuffix(".0")
    is_system, lines = np.arange(len(names)) < len(names) - len(judges), []
    for _, same in names[is_system].groupby(plain[is_system], sort=False):
        if len(same) > 1:
            fault = (
                f"{' and '.join(map(shown, same))} are counted as {len(same)} systems"
            )
            lines.append(f"{fault}; if they are one, write the name in one way")
    if (people := plain[~is_system].nunique()) < len(judges):
        fault = f"{len(judges)} names of judges are {people}, but for case and blanks"
        lines.append(f"{fault}; if they are so many people, write each name in one way")
    if counts is None:
        return lines
    group = np.arange(len(counts.systems))
    for a, b in np.argwhere((counts.wins + counts.ties).to_numpy()):
        group[group == group[b]] = group[a]
    groups = pd.Series(counts.systems, dtype=object).groupby(group).agg(list)
    if (number := len(groups)) > 1:
        apart = "; ".join(map(listed, groups[:MOST_SHOWN])) + "; ..." * (
            number > MOST_SHOWN
        )
        fault = f"systems fall into {number} groups without a comparison between them ({apart})"
        lines.append(f"{fault}: the order of systems of different groups means nothing")
    return lines


def of_repeats(more: int, rows: int, what: str, same: str) -> list[str]:
    """Warn of rows that repeat others."""
    warning = (
        f"{more} of {rows} {what} repeat another one word for word (same {same}); each counts;"
        " if they are there by mistake, remove them"
    )
    return [warning] * (more > 0)
