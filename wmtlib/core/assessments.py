"""Direct assessments: the form of the frame, and the same judgements as arrays.

A row of the frame is one judgement: a worker gave an output of a system, on a segment,
a score from 0 to 100. `tidy_assessments` checks such a frame; `encode` makes a
`Campaign` of it, in which names are numbers, because one campaign is ranked thousands
of times.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.core.counts import ComparisonRows, Counts, without
from wmtlib.core.errors import (
    DataError,
    Origin,
    check_values,
    first_row,
    short_repr,
    unknown,
)

NAMED = ["hit", "worker", "language_pair", "system", "item", "document", "segment"]
ASSESSMENTS = [*NAMED, "score", "accepted"]
NEEDED = ("worker", "system", "segment", "score")
USUAL = {  # values of the columns that a frame may lack
    "hit": "",
    "document": "",
    "item": "SYSTEM",
    "accepted": True,
    "language_pair": "",
}
RATED_ITEMS = ("SYSTEM", "REPEAT")  # they count for a system
QUALITY_CONTROL = ("REF", "BAD_REF")
ITEMS = (*RATED_ITEMS, *QUALITY_CONTROL)  # `encode` counts on this order
JOINT = "+"  # identical outputs of several systems, judged once: "A.1+B.2"
ESCAPED = r"\+"  # a plus in the name of one system
USUAL_SCALE = 0, 100
HIGHEST_SCORE = USUAL_SCALE[1]


# --- the frame ------------------------------------------------------------------------


def tidy_assessments(
    frame: pd.DataFrame,
    origin: Origin,
    *,
    only_quality_control: str = "refuse",
    scale: tuple[float, float] = USUAL_SCALE,
) -> pd.DataFrame:
    """Check direct assessments of one language pair and hide who made them.

    Parameters
    ----------
    frame : DataFrame
        Columns `ASSESSMENTS`, others ignored; one row = one judgement by one worker.
        `worker` holds any identifiers, `score` numbers or text, the rest text or
        categories of text.
    origin : Origin
        Named in every refusal.
    only_quality_control : "refuse" or "keep"
        What to do with a system that has no SYSTEM or REPEAT row and so no average.
    scale : pair of numbers
        The lowest and the highest score that may be.

    Returns
    -------
    DataFrame
        Columns `ASSESSMENTS`: text columns as categories (sorted; only what occurs),
        `score` float64 on the scale, `accepted` bool. Rows keep their order, numbered
        from 0. Workers are `worker_0001`, ... by their sorted identifiers, whatever the
        order of rows.

    Raises
    ------
    DataError
        A worker, system or segment without a name; an unknown item type; a score that
        is not a number on the scale; fewer than two systems; the same system twice in a
        joint name; a system with quality-control items only.
    """
    raw = frame[NAMED].astype("category")
    name_or_names = f"a name, or several joined by {JOINT!r}"
    one_of_items = f"one of {', '.join(ITEMS)}"
    check_values(raw, ["worker", "segment"], str.strip, "a name", origin)
    check_values(raw, ["system"], is_system_name, name_or_names, origin)
    check_values(raw, ["item"], ITEMS.__contains__, one_of_items, origin)
    score = pd.to_numeric(frame["score"], errors="coerce").to_numpy(np.float64)
    lowest, highest = scale
    row = first_row(~((score >= lowest) & (score <= highest)))  # NaN is neither
    if row is not None:
        fault = f"score is {short_repr(frame['score'].iloc[row])}"
        expected = f"a number from {lowest:g} to {highest:g}"
        raise origin.refuse(f"{fault}; expected {expected}", row=row)
    raw = raw.apply(sorted_categories)
    rated = system_names(raw.loc[raw["item"].isin(RATED_ITEMS), "system"].unique())
    unrated = sorted({*system_names(raw["system"].cat.categories)}.difference(rated))
    if unrated and only_quality_control == "refuse":
        fault = f"system {short_repr(unrated[0])} has quality-control items only"
        expected = f"{' or '.join(RATED_ITEMS)} items too"
        raise origin.refuse(f"{fault}; expected {expected}")
    if len(rated) < 2:
        fault = f"rates {len(rated)} system; expected two or more to rank"
        raise origin.refuse(fault)
    workers = raw["worker"].cat
    hidden = [f"worker_{k:04d}" for k in range(1, len(workers.categories) + 1)]
    tidy = raw.assign(
        worker=workers.rename_categories(hidden),
        score=score,
        accepted=frame["accepted"].to_numpy(),
    )
    return tidy[ASSESSMENTS].reset_index(drop=True)


def assessments_frame(assessments: pd.DataFrame) -> pd.DataFrame:
    """Return the frame of direct assessments, or of what `wmtlib.read` returned."""
    frame = getattr(assessments, "assessments", assessments)
    if hasattr(frame, "to_pandas"):  # of Polars, Arrow
        frame = frame.to_pandas()
    columns = frame.columns if isinstance(frame, pd.DataFrame) else pd.Index([])
    if missing := [name for name in NEEDED if name not in columns]:
        raise DataError(
            f"column {missing[0]!r} is missing; expected a frame of direct assessments:"
            f" {', '.join(NEEDED)} (wmtlib.read recognises other names)"
        )
    if not columns.is_unique:
        twice = columns[columns.duplicated()][0]
        raise DataError(f"several columns are {twice!r}; expected different names")
    return frame


# --- names of systems -----------------------------------------------------------------


def single_systems(name: str) -> list[str]:
    r"""Split a name into the systems that it joins.

    >>> single_systems("A+B"), single_systems(r"base\+tuned")
    (['A', 'B'], ['base+tuned'])
    """
    parts = re.split(r"(?<!\\)\+", name)
    return [part.replace(ESCAPED, JOINT) for part in parts]


def system_names(names: Iterable[str]) -> list[str]:
    """List the single systems of some names, sorted."""
    return sorted({system for name in names for system in single_systems(name)})


def is_system_name(name: str) -> bool:
    """Check that a name is that of one system or of several different ones."""
    systems = single_systems(name)
    return all(map(str.strip, systems)) and len(set(systems)) == len(systems)


def sorted_categories(values: pd.Series) -> pd.Series:
    """Make categories of values: only those that occur, and sorted."""
    column = values.astype("category").cat
    codes = column.codes.to_numpy()
    number = np.bincount(codes[codes >= 0], minlength=len(column.categories))
    order = [k for k in np.argsort(column.categories) if number[k]]
    place = np.full(len(number) + 1, -1, dtype=np.min_scalar_type(-len(number) - 1))
    place[order] = np.arange(len(order))  # the last one is of missing values
    dtype = pd.CategoricalDtype(column.categories[order])
    cells = pd.Categorical.from_codes(place[codes], dtype=dtype, validate=False)
    return pd.Series(cells, values.index, name=values.name)


def credits(system: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """List row and single system of every credit: a row of `A+B` counts for both.

    Parameters
    ----------
    system : Series of categories, length rows
    """
    systems = pd.Series(map(single_systems, system.cat.categories), dtype=object)
    credited = systems.take(system.cat.codes).reset_index(drop=True).explode()
    return credited.index.to_numpy(), credited.to_numpy()


# --- the judgements as arrays ---------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Cells:
    """Judgements grouped by system and segment.

    A joint judgement, of identical outputs of two systems, is credited to both. So
    judgements are listed by credit: one entry for each judgement and each system that
    it counts for.

    Attributes
    ----------
    judgement : ndarray of int, (credits,)
        Sorted by system, place and judgement.
    start, size, system, place : ndarray of int, (cells,)
        A cell's first credit, its number of credits, its system and its place.
    """

    judgement: np.ndarray
    start: np.ndarray
    size: np.ndarray
    system: np.ndarray
    place: np.ndarray

    @cached_property
    def credit_system(self) -> np.ndarray:
        """System of every credit, (credits,)."""
        return np.repeat(self.system, self.size)

    def means(self, values: np.ndarray) -> np.ndarray:
        """Average values, (credits,), in every cell, (cells,).

        Sums begin with the least value, so that equal values have equal means to the
        last bit, whatever the order of rows.
        """
        values = values.copy()
        for size in np.unique(self.size[self.size > 2]):  # of two, any order will do
            cells = self.start[self.size == size, None] + np.arange(size)
            values[cells] = np.sort(values[cells])
        return np.add.reduceat(values, self.start) / self.size


@dataclass(frozen=True, eq=False)
class Campaign:
    """The judgements of one language pair as arrays; names are numbers in sorted lists.

    Attributes
    ----------
    systems, workers, hits : tuple of names, sorted
    documents, segments : ndarray of str, (places,)
        A place is a segment of a document; sorted by document, then segment.
    worker, hit, place : ndarray of int, (judgements,)
        Positions in `workers`, `hits` and of places; one entry per row of the frame, in
        its order.
    item : ndarray of int8, (judgements,)
        Position in `assessments.ITEMS`; see `is_item`.
    score : ndarray of float64, (judgements,)
        0..100, raw.
    accepted : ndarray of bool, (judgements,)
    credit, credit_system : ndarray of int, (credits,)
        Judgement and the system it names, one entry for each system of a joint row,
        sorted by system, place and judgement. Quality-control items are listed under
        the system that they were paired with, if it is one of the systems.
    unlisted : ndarray of float64, (3, workers)
        Number, sum and sum of squares of the scores of judgements that are not listed
        one by one. They count for the worker's mean and standard deviation and for
        nothing else.
    """

    systems: tuple[str, ...]
    workers: tuple[str, ...]
    hits: tuple[str, ...]
    documents: np.ndarray
    segments: np.ndarray
    worker: np.ndarray
    hit: np.ndarray
    place: np.ndarray
    item: np.ndarray
    score: np.ndarray
    accepted: np.ndarray
    credit: np.ndarray
    credit_system: np.ndarray
    unlisted: np.ndarray

    kind = "assessments"  # of the methods that rank them

    @property
    def counted(self) -> "Campaign":
        """Return the campaign as it is: see `counts.ComparisonRows.counted`."""
        return self

    @cached_property
    def rated(self) -> np.ndarray:
        """Accepted outputs and repeats, which count towards a system, (judgements,)."""
        return self.accepted & self.is_item(*RATED_ITEMS)

    @cached_property
    def cells(self) -> Cells:
        """All judgements that count towards a system, by system and place."""
        return self.cells_of(self.rated)

    def cells_of(self, chosen: np.ndarray) -> Cells:
        """Group chosen judgements, (judgements,) of bool, by system and place."""
        credited = chosen[self.credit]
        judgement = self.credit[credited]
        system = self.credit_system[credited]
        place = self.place[judgement]
        # A cell begins wherever the system or the place differs from the credit before.
        new = (np.diff(system, prepend=-1) != 0) | (np.diff(place, prepend=-1) != 0)
        start = np.flatnonzero(new)
        size = np.diff(start, append=len(judgement))
        return Cells(judgement, start, size, system[start], place[start])

    def is_item(self, *items: str) -> np.ndarray:
        """Find judgements of these kinds, such as "REF", (judgements,) of bool."""
        return np.isin(self.item, [ITEMS.index(item) for item in items])

    def is_system(self, names: Collection[str]) -> np.ndarray:
        """Find the systems among the names, (systems,); refuse unknown names."""
        for name in sorted({*names}.difference(self.systems)):
            raise unknown("system", name, self.systems)
        return np.array([name in names for name in self.systems])

    def units(self, unit: str) -> tuple[np.ndarray, int]:
        """Give each judgement the number of its HIT, worker, document or segment.

        A HIT done by two workers is two.

        Returns
        -------
        number : ndarray of int, (judgements,)
        size : int
            How many units there are.

        Raises
        ------
        DataError
            Another unit, or a judgement whose HIT is not known.
        """
        labels = {
            "hit": self.hit * len(self.workers) + self.worker,
            "worker": self.worker,
            "document": self.documents[self.place],
            "segment": self.place,
        }
        if unit not in labels:
            raise unknown("unit", unit, labels)
        if unit == "hit" and (np.array(self.hits)[self.hit] == "").any():
            raise DataError("a judgement's HIT is not known; take workers as units")
        number, names = pd.factorize(labels[unit], sort=True)
        return number, len(names)

    def rows_of(
        self, chosen: np.ndarray, *, items: Collection[str], paired: bool
    ) -> np.ndarray:
        """Find judgements of chosen systems only, and quality-control items.

        Parameters
        ----------
        chosen : ndarray of bool, (systems,)
        items : subset of {"REF", "BAD_REF"}
            Quality-control items that are all included.
        paired : bool
            Whether quality-control items that were paired with a chosen system are
            included too.

        Returns
        -------
        ndarray of bool, (judgements,)
        """
        credited = chosen[self.credit_system]
        rows = np.zeros(len(self.score), dtype=bool)
        rows[self.credit[credited]] = True
        rows[self.credit[~credited]] = False  # shared with another system
        if not paired:
            rows &= self.is_item(*RATED_ITEMS)
        return rows | self.is_item(*items)

    def divided(self, rows: np.ndarray, divisor: float) -> "Campaign":
        """Divide the scores of some rows, (judgements,) of bool."""
        score = np.where(rows, self.score / divisor, self.score)
        return replace(self, score=score)

    def select(self, chosen: np.ndarray) -> "Campaign":
        """Choose judgements, (judgements,) of bool; workers without any stay."""
        credited = chosen[self.credit]
        number = np.cumsum(chosen) - 1  # of the chosen judgements
        return replace(
            self,
            worker=self.worker[chosen],
            hit=self.hit[chosen],
            place=self.place[chosen],
            item=self.item[chosen],
            score=self.score[chosen],
            accepted=self.accepted[chosen],
            credit=number[self.credit[credited]],
            credit_system=self.credit_system[credited],
        )

    def without(
        self, systems: Collection[str], *, items: Collection[str], paired: bool
    ) -> "Campaign":
        """Remove some systems, as though their outputs had never been judged.

        A joint row stays for the systems that remain; `items` and `paired` as in
        `rows_of`.

        Raises
        ------
        DataError
            A name that is not a system, or fewer than two systems left.
        """
        stays = ~self.is_system(systems)
        if stays.sum() < 2:
            raise DataError(
                f"{stays.sum()} system(s) would be left; expected two or more"
            )
        number = np.cumsum(stays) - 1  # of the systems that stay
        removed = self.rows_of(~stays, items=items, paired=paired)
        campaign = self.select(~removed)
        credited = stays[campaign.credit_system]
        return replace(
            campaign,
            systems=tuple(np.array(self.systems, dtype=object)[stays]),
            credit=campaign.credit[credited],
            credit_system=number[campaign.credit_system[credited]],
        )


Data = ComparisonRows | Counts | Campaign  # what methods take


def leave_out(
    data: Any,
    systems: Collection[str],
    *,
    items: Collection[str] = (),
    paired: bool = False,
) -> Any:
    """Leave systems out, as though they had never been judged.

    Parameters
    ----------
    data : ComparisonRows, Counts, comparisons frame or Campaign
    systems : names
    items, paired
        Of a campaign, what goes with them: quality-control items, such as "REF", and
        those that were paired with one of the systems; see `Campaign.rows_of`.

    Raises
    ------
    DataError
        An unknown system of a campaign, or fewer than two systems left in it.
    """
    if isinstance(data, Campaign):
        return data.without(systems, items=items, paired=paired)
    return without(data, *systems)


def as_one(data: Any, systems: Collection[str], name: str) -> Any:
    """Give several systems one name; what compares them with each other does not count.

    Parameters
    ----------
    data : ComparisonRows or Campaign
        A judgement of the same output of two of the systems counts once.
    systems : names
    name : str
    """
    names = [name if system in systems else system for system in data.systems]
    kept = sorted({*names})
    number = pd.Index(kept, dtype=object).get_indexer(names)
    if isinstance(data, Campaign):
        system = number[data.credit_system]
        credits = np.stack([system, data.place[data.credit], data.credit])
        system, _, credit = np.unique(credits, axis=1)
        return replace(data, systems=tuple(kept), credit=credit, credit_system=system)
    first = number[data.first]
    second = number[data.second]
    sides = {"system_1": first, "system_2": second}
    frame = data.frame.assign(
        **{side: pd.Categorical.from_codes(sides[side], kept) for side in sides}
    )
    rows = replace(data, frame=frame, systems=kept, first=first, second=second)
    return rows.select(first != second)


def encode(assessments: pd.DataFrame, unlisted: pd.DataFrame | None = None) -> Campaign:
    """Give numbers to the names in the judgements of one language pair.

    Parameters
    ----------
    assessments : DataFrame, Campaign (which is returned) or what `wmtlib.read` returned
        One row = one judgement by one worker: worker, system, segment, score, and, if
        they are known, hit, document, item, accepted and language_pair (see
        `assessments.ASSESSMENTS`).
    unlisted : DataFrame, optional
        Indexed by worker, columns judgements, total, squares: number, sum and sum of
        squares of scores that are known to exist, but not one by one. They enter the
        worker's mean and standard deviation and nothing else. Workers without a row in
        the assessments are ignored.

    Raises
    ------
    DataError
        A column missing, no rows, more than one language pair, a score that is no
        number, a missing name, an unknown item, or fewer than two systems.
    """
    if isinstance(assessments, Campaign):
        return assessments
    frame = assessments_frame(assessments)
    frame = frame.assign(**{name: USUAL[name] for name in USUAL if name not in frame})
    if frame.empty:
        raise DataError("no judgements; expected at least two systems with judgements")
    pairs = frame["language_pair"].nunique(dropna=False)
    if pairs != 1:
        raise DataError(f"{pairs} language pairs in one campaign; expected one")
    accepted = frame["accepted"]
    if accepted.dtype.kind not in "biu":
        raise DataError(f"accepted is {accepted.dtype}; expected true or false")
    score = pd.to_numeric(frame["score"], errors="coerce").to_numpy(np.float64)
    fault = "score is {}; expected a number from 0 to 100"
    _refuse(~np.isfinite(score), frame["score"], fault)
    item = pd.Index(ITEMS).get_indexer(frame["item"])
    fault = f"item is {{!r}}; expected {', '.join(ITEMS)}"
    _refuse(item < 0, frame["item"], fault)
    named = ["worker", "hit", "document", "segment", "system"]
    for name in named:
        fault = f"{name} is missing; expected a name"
        _refuse(frame[name].isna(), frame[name], fault)
    worker, hit, document, segment, output = (
        sorted_categories(frame[name]).array for name in named
    )
    if odd := [name for name in output.categories if not is_system_name(name)]:
        raise DataError(
            f"system is {odd[0]!r}; expected different names joined by {JOINT!r}"
        )
    systems = system_names(output[item < len(RATED_ITEMS)].unique())
    if len(systems) < 2:
        raise DataError(f"{len(systems)} system(s) with outputs; expected two or more")
    segments = len(segment.categories)
    places, place = np.unique(
        document.codes.astype(np.intp) * segments + segment.codes, return_inverse=True
    )
    judgement, names = credits(pd.Series(output))
    system = pd.Index(systems, dtype=object).get_indexer(names)
    order = np.lexsort((place[judgement], system))  # stable: then by judgement
    # The others (-1) were paired with quality-control items only.
    order = order[system[order] >= 0]
    sums = ["judgements", "total", "squares"]
    others = pd.DataFrame(unlisted, [*worker.categories], sums, dtype=float)
    return Campaign(
        systems=tuple(systems),
        workers=tuple(worker.categories),
        hits=tuple(hit.categories),
        documents=np.array(document.categories, dtype=object)[places // segments],
        segments=np.array(segment.categories, dtype=object)[places % segments],
        worker=worker.codes.astype(np.intp),
        hit=hit.codes.astype(np.intp),
        place=place,
        item=item.astype(np.int8),
        score=score,
        accepted=accepted.to_numpy(bool),
        credit=judgement[order],
        credit_system=system[order],
        unlisted=others.fillna(0.0).to_numpy().T,
    )


def _refuse(bad: np.ndarray | pd.Series, values: pd.Series, fault: str) -> None:
    """Refuse the first bad row; the fault may show its value."""
    row = first_row(bad)
    if row is not None:
        raise DataError(f"row {row}: {fault.format(values.iloc[row])}")
