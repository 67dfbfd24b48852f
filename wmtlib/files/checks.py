"""Warnings about the data: similar names, separate groups, repeats, few judgements."""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any
from unicodedata import normalize

import numpy as np
import pandas as pd

from wmtlib.core.assessments import Campaign, leave_out
from wmtlib.core.counts import Counts
from wmtlib.core.errors import MOST_SHOWN, join_names, short_repr, warning
from wmtlib.zscores import (
    RAW_SCORES,
    scores_of,
    standardised,
    usable_cells,
    worker_scales,
)

LOOK_ALIKE = str.maketrans(
    "авекмнорстухіјѕοανρτυχκι‐‒–—−", "abekmhopctyxijsoavptuxki-----"
)
LEFT_OUT = "; the ranks of the others leave such systems out"
MINIMUM = 10  # comparisons, or scores, below which a system is thin
LONGEST_NAME = 500  # characters of the name of a system or a task


# Letters that are not seen: the category Cf, but for signs of Arabic that are. Two of
# them join or part the letters beside them, in scripts that need it and in emoji.
UNSEEN = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0001-\U000e007f]"
    r"|(?<![^\0-\u058f\s\u2000-\u206f])[\u200c\u200d]"
    r"|[\u200c\u200d](?![^\0-\u058f\s\u2000-\u206f])"
)
OTHER_BLANKS = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")


def clean(text: str) -> str:
    r"""Leave out letters that are not seen, and blanks around a text; others are " ".

    >>> clean(" Claude\u00a03\u200b"), clean("\u0645\u06cc\u200c\u0634\u0648\u062f")
    ('Claude 3', 'می\u200cشود')
    """
    return OTHER_BLANKS.sub(" ", UNSEEN.sub("", text)).strip()


def remarks(
    systems: Iterable[str] = (),
    judges: Iterable[str] = (),
    data: Counts | Campaign | None = None,
) -> list[str]:
    """Warn of names that hardly differ, and of systems that nothing links.

    Parameters
    ----------
    systems, judges : names
        Judges are warned of without their names.
    data : Counts or Campaign, optional
        Warned of if it falls into groups without a link: see `groups_apart`.

    Examples
    --------
    >>> remarks(["GPT-4", "gpt-4", "x"])[0].partition(";")[0]
    "'GPT-4' and 'gpt-4' are counted as 2 systems"
    >>> remarks([], ["ann", "Ann ", "bob"])[0].partition(";")[0]
    '3 names of judges are 2, but for case, blanks, hyphens and letters that look alike'
    """
    lines = of_names([*systems], {*map(str, judges)})
    return lines if data is None else [*lines, *of_groups(data)]


def of_names(systems: Sequence[str], judges: Collection[str]) -> list[str]:
    """Warn of names that hardly differ."""
    names = pd.Series([*systems, *judges], dtype=object).astype(str)
    # Without case, blanks, quotes, kinds of hyphens and of letters, and .0 at the end.
    plain = names.map(clean)
    # Of a text, marks on a letter would take a time that grows with their square.
    plain = plain.map(lambda s: normalize("NFKC", s) if len(s) <= LONGEST_NAME else s)
    plain = plain.str.casefold().str.translate(LOOK_ALIKE)
    plain = plain.str.strip(" \"'‘’“”").str.replace(r"\s+", "", regex=True)
    plain = plain.str.replace(r"[_-]+", "-", regex=True).str.removesuffix(".0")
    lines: list[str] = []
    by_plain_name = names[: len(systems)].groupby(plain, sort=False)
    for _, alike in by_plain_name:
        if len(alike) > 1:
            fault = (
                f"{' and '.join(map(short_repr, alike))} are counted as {len(alike)}"
                " systems; if they are one, write the name in one way"
            )
            lines.append(warning("names_alike", fault))
    different = plain[len(systems) :].nunique()
    if different < len(judges):
        fault = (
            f"{len(judges)} names of judges are {different}, but for case, blanks,"
            " hyphens and letters that look alike; if these are the same people, write"
            " each name in one way"
        )
        lines.append(warning("judges_alike", fault))
    return lines


def of_groups(data: Counts | Campaign) -> list[str]:
    """Warn of systems that nothing links to others, or hardly anything."""
    group = groups_apart(data)
    if not group.any():
        loose = loose_groups(data) if isinstance(data, Counts) else {}
        if not loose:
            return []
        links = "; ".join(f"{names}: {number}" for names, number in loose.items())
        fault = (
            f"fewer than {MINIMUM} comparisons link some systems to all others"
            f" ({links}): how they stand to the others rests on these alone"
        )
        return [warning("loosely_connected", fault)]
    names = pd.Series(data.systems, dtype=object).groupby(group).agg(list)
    groups = [*map(join_names, names[:MOST_SHOWN])]
    if len(names) > MOST_SHOWN:
        groups.append("...")
    link = "a comparison between them"
    order = "the order"
    if isinstance(data, Campaign):
        link = "a worker in common whose scores vary"
        order = "the order by z-scores"
    fault = f"systems fall into {len(names)} groups without {link}"
    effect = f"{order} of systems of different groups means nothing"
    return [warning("disconnected", f"{fault} ({'; '.join(groups)}): {effect}")]


def groups_apart(data: Counts | Campaign) -> np.ndarray:
    """Give each system the number of its group, from 0, (systems,).

    Groups are linked by comparisons; by workers whose scores vary, of a campaign: the
    z-scores of others compare nothing.
    """
    if isinstance(data, Counts):
        met = data.met.to_numpy() > 0
    else:
        _, _, sd = worker_scales(data)
        worker = data.worker[data.credit]
        counted = data.rated[data.credit] & (sd[worker] > 0)
        scored = np.zeros((len(sd), len(data.systems)), dtype=bool)
        scored[worker[counted], data.credit_system[counted]] = True
        met = scored.T @ scored
    np.fill_diagonal(met, True)
    group = np.arange(len(met))
    for linked in met:  # the groups of all whom a system met become one
        joined = np.isin(group, group[linked])
        group[joined] = group[joined].min()
    return np.unique(group, return_inverse=True)[1]


def loose_groups(data: Counts) -> dict[str, int]:
    """Return groups whose comparisons with all others are fewer than `MINIMUM`.

    Names of two systems or more, and the number of comparisons. Systems are taken in an
    order in which the next one has most comparisons with those before it: fewer cannot
    part it from the one before, nor the last one from all others (Nagamochi and Ibaraki
    1992). So systems that hang together become one, until the others are found.
    """
    links = np.array(data.met, dtype=float)
    member = np.eye(len(links))
    loose = {}
    while len(links) > 1:
        np.fill_diagonal(links, 0)
        label = np.arange(len(links))
        seen = np.zeros(len(links))
        number = np.zeros(len(links))  # of comparisons with those before
        order = [0]
        for _ in label[1:]:
            last = order[-1]
            seen += links[last]
            seen[last] = -np.inf
            new = int(seen.argmax())
            number[new] = seen[new]
            if seen[new] >= MINIMUM:
                label[new] = label[last]
            order.append(new)
        # Nothing joined the last one; if nothing joined any, the order of those before
        # it stays, and the last one of these is the next.
        is_joined = (number >= MINIMUM).any()
        for new in order[-1:] if is_joined else order[:0:-1]:
            if number[new] >= MINIMUM:
                continue
            names = np.array(data.systems, dtype=object)[member[new] > 0]
            if len(names) > 1:
                loose[join_names(names.tolist())] = int(number[new])
            label[new] = -1
        joined = (np.unique(label[label >= 0])[:, None] == label).astype(float)
        links = joined @ links @ joined.T
        member = joined @ member
    return loose


def of_repeats(repeated: int, rows: int, what: str, same: str) -> list[str]:
    """Warn of rows that repeat others, if there are any."""
    if not repeated:
        return []
    fault = (
        f"{repeated} of {rows} {what} repeat another one word for word (same {same});"
        " each counts; if they are there by mistake, remove them"
    )
    return [warning("repeated_rows", fault)]


def of_scales(campaign: Campaign) -> list[str]:
    """Warn of scores without a z-score: their workers never gave two different ones."""
    lost = campaign.rated & np.isnan(standardised(campaign))
    if not lost.any():
        return []
    workers = np.unique(campaign.worker[lost]).size
    fault = (
        f"{lost.sum()} of {campaign.rated.sum()} scores have no z-score and do not"
        f" count: their {workers} of {len(campaign.workers)} workers gave one score"
        " each, or the same always; to count all scores, add "
    )
    return [warning("no_z_scores", fault, RAW_SCORES)]


# --- systems of which too little is known ---------------------------------------------


def thin(
    data: Counts | Campaign,
    *,
    minimum: int = MINIMUM,
    reference: str | None = None,
    score: str = "z",
) -> pd.Series:
    """Count comparisons, or scores, of the systems that have fewer than a minimum.

    Comparisons with the reference do not count, and it is not named. Of z-scores those
    of workers who never gave two different ones do not count; of "raw" scores all do.

    Examples
    --------
    >>> votes = pd.DataFrame({"a": "x", "b": [*"yyyyyyyyyyz"], "outcome": "a"})
    >>> from wmtlib.files.forms import count
    >>> thin(count(votes)).to_dict()
    {'z': 1}
    """
    if isinstance(data, Campaign):
        cells = usable_cells(data, scores_of(data, score), unranked=True)
        number = np.bincount(cells.credit_system, minlength=len(data.systems))
        judged = pd.Series(number, data.systems)
    else:
        judged = data.met.loc[:, data.met.columns != reference].sum(axis=1)
    return judged[(judged < minimum) & (judged.index != reference)]


def thin_warning(few: pd.Series, effect: str = "") -> str:
    """Warn of thin systems, in one line."""
    names = join_names([f"{name} ({number})" for name, number in few.items()])
    fault = "too few comparisons or scores for an interval or a cluster of its own"
    return warning("too_few_judgements", f"{fault}: {names}{effect}")


def thin_systems(
    data: Counts | Campaign, **options: Any
) -> tuple[list[str], list[str], bool]:
    """Find thin systems: names, warnings, and whether two others would be left.

    Under most scores one comparison with such a system would change the order of the
    others, so that they are to be left out. Without them, others may be thin. If fewer
    than two others are left, none is named. The options are those of `thin`.
    """
    names: list[str] = []
    lines: list[str] = []
    is_reference = options.get("reference") is not None
    while len(few := thin(data, **options)):
        lines.append(thin_warning(few))
        if len(data.systems) - len(few) - is_reference < 2:
            return [], lines, False
        names.extend(few.index)
        data = leave_out(data, few.index, paired=True)
    lines = [warning("too_few_judgements", line, LEFT_OUT) for line in lines]
    return names, lines, True
