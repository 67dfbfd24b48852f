"""What judgements were collected by: judges, and items that were judged.

A *kind of unit* is what recurs and may be alike. A judge has a taste; an item (a
sentence, a prompt, a document) suits one system more than another. What one judge said
is in one unit of the kind judge, and what was said of one item in one of the kind item.
Larger kinds hold smaller ones: a HIT, and a ranking, are of one judge, a segment is of
one document. So the largest that the data name is enough.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd

from wmtlib.core.assessments import Campaign, Data
from wmtlib.core.counts import COMPARISON, ComparisonRows, Counts
from wmtlib.core.errors import DataError, unknown

JUDGES = ("worker", "judge", "judge_group", "hit", "ranking")  # the largest first
ITEMS = ("document", "segment")
FEWEST = 7  # units of a kind; with fewer, it is about these units alone
ENOUGH = 12  # units of a kind; with fewer, a test finds hardly anything


@dataclass(frozen=True)
class Units:
    """The kinds of units by which scores are tested.

    Attributes
    ----------
    kinds : tuple of str
        Of judges, and of items; one or none where no more recur.
    numbers : tuple of int
        How many units of each kind there are.
    these : tuple of (str, int)
        Kinds with fewer than `FEWEST` units, and their numbers: what is said is about
        these units, and not about others.
    """

    kinds: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    these: tuple[tuple[str, int], ...] = ()

    @property
    def few(self) -> tuple[tuple[str, int], ...]:
        """Kinds with so few units that hardly any difference is found."""
        both = zip(self.kinds, self.numbers, strict=True)
        return tuple((kind, number) for kind, number in both if number < ENOUGH)


def named(data: Data) -> dict[str, int]:
    """Count the units of every kind that the data name.

    >>> votes = {"system_1": "x", "system_2": "y", "preference": [1, 2], "judge": "j"}
    >>> from wmtlib.core.counts import rows_of
    >>> named(rows_of(pd.DataFrame(votes)))
    {'judge': 1}
    """
    if isinstance(data, Counts):
        return {}
    if isinstance(data, ComparisonRows):
        kinds = [kind for kind in (*JUDGES, *ITEMS) if kind in data.frame]
        return {kind: int(data.frame[kind].nunique()) for kind in kinds}
    judgement = data.cells.judgement  # those that count for a system
    labels = {"worker": data.workers, "hit": data.hits, "document": data.documents}
    kinds = [kind for kind, names in labels.items() if "" not in {*names}]
    return {
        kind: len(np.unique(data.units(kind)[0][judgement]))
        for kind in [*kinds, "segment"]
    }


def usual_units(data: Data) -> Units:
    """Choose the largest kinds of judges and of items that have `FEWEST` units.

    Examples
    --------
    >>> votes = {"system_1": "x", "system_2": "y", "preference": 1, "segment": range(9)}
    >>> from wmtlib.core.counts import rows_of
    >>> usual_units(rows_of(pd.DataFrame(votes | {"judge": [*"aaabbbccc"]})))
    Units(kinds=('segment',), numbers=(9,), these=(('judge', 3),))
    """
    numbers = named(data)
    kinds: list[str] = []
    these: list[tuple[str, int]] = []
    for side in (JUDGES, ITEMS):
        for kind in filter(numbers.__contains__, side):
            if numbers[kind] >= FEWEST:
                kinds.append(kind)
                break
            these.append((kind, numbers[kind]))
    return Units(tuple(kinds), tuple(numbers[k] for k in kinds), tuple(these))


def one_kind(data: Data, kind: str) -> Units:
    """Take one kind of units, that was asked for.

    Raises
    ------
    DataError
        The data do not name it, or fewer than `FEWEST` of it.
    """
    numbers = named(data)
    if kind == COMPARISON and not isinstance(data, Campaign):
        return Units()
    if kind not in numbers:
        single = [] if isinstance(data, Campaign) else [COMPARISON]
        raise unknown("unit", kind, [*numbers, *single])
    if numbers[kind] < FEWEST:
        raise DataError(
            f"there are {numbers[kind]} {kind}s; expected {FEWEST} or more, as the unit"
        )
    return Units((kind,), (numbers[kind],))


def codes_of(data: ComparisonRows | Campaign, kinds: Collection[str]) -> np.ndarray:
    """Give each judgement the number of its units, (kinds, judgements)."""
    if isinstance(data, Campaign):
        codes = [data.units(kind)[0] for kind in kinds]
    else:
        codes = [_codes(data.frame[kind], kind) for kind in kinds]
    return np.array(codes, dtype=np.int64)


def _codes(labels: pd.Series, kind: str) -> np.ndarray:
    """Give labels numbers; which has which does not matter."""
    if isinstance(labels.dtype, pd.CategoricalDtype):
        codes = labels.cat.codes.to_numpy()
    else:
        codes, _ = pd.factorize(labels)
    if (codes < 0).any():
        raise DataError(f"a {kind} is missing; expected a name")
    return codes
