"""The judgements of one language pair as arrays; `encoding.encode` makes them of a frame."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from wmtlib.assessment.cells import Cells, group_cells
from wmtlib.judgements.direct_assessments import ITEMS, RATED_ITEMS
from wmtlib.judgements.errors import DataError

CAMPAIGN_UNITS = ("hit", "worker", "document", "segment")
QUALITY_CONTROL = tuple(item for item in ITEMS if item not in RATED_ITEMS)


@dataclass(frozen=True, eq=False)
class Campaign:
    """The judgements of one language pair; names are replaced by their positions in sorted lists.

    Attributes
    ----------
    systems, workers, hits : tuple of names, sorted
    documents, segments : ndarray of str, (places,)
        A place is a segment of a document; sorted by document, then segment.
    worker, hit, place : ndarray of int, (judgements,)
        Positions in `workers`, `hits` and of places; one entry per row of the frame, in its order.
    item : ndarray of int8, (judgements,)
        Position in `direct_assessments.ITEMS`; see `is_item`.
    score : ndarray of float64, (judgements,)
        0..100, raw.
    accepted : ndarray of bool, (judgements,)
    credit, credit_system : ndarray of int, (credits,)
        Judgement and the system it names, one entry for each system of a joint row, sorted by
        system, place and judgement. Quality-control items are listed under the system that they
        were paired with, if it is one of the systems.
    unlisted : ndarray of float64, (3, workers)
        Number, sum and sum of squares of the scores of judgements that are not listed one by one.
        They count for the worker's mean and standard deviation and for nothing else.
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

    @cached_property
    def rated(self) -> np.ndarray:
        """Judgements that count towards a system, (judgements,): accepted outputs and repeats."""
        return self.accepted & self.is_item(*RATED_ITEMS)

    @cached_property
    def cells(self) -> Cells:
        """All judgements that count towards a system, by system and place."""
        return self.cells_of(self.rated)

    def cells_of(self, chosen: np.ndarray) -> Cells:
        """The cells of chosen judgements, (judgements,) of bool."""
        credits = chosen[self.credit]
        judgement = self.credit[credits]
        return group_cells(judgement, self.credit_system[credits], self.place[judgement])

    def is_item(self, *items: str) -> np.ndarray:
        """Judgements of these kinds, such as "REF", (judgements,) of bool."""
        return np.isin(self.item, [ITEMS.index(item) for item in items])

    def is_system(self, names: Collection[str]) -> np.ndarray:
        """Whether each system is among the names, (systems,); an unknown name is refused."""
        if unknown := sorted(set(names) - set(self.systems)):
            expected = ", ".join(self.systems)
            raise DataError(f"system is {unknown[0]!r}; expected {expected}")
        return np.array([name in names for name in self.systems])

    def units(self, unit: str) -> tuple[np.ndarray, int]:
        """Number of each judgement's HIT, worker, document or segment, and how many there are.

        A HIT done by two workers is two.

        Returns
        -------
        number : ndarray of int, (judgements,)
        size : int

        Raises
        ------
        DataError
            A unit that is none of `CAMPAIGN_UNITS`, or a judgement whose HIT is not known.
        """
        if unit not in CAMPAIGN_UNITS:
            raise DataError(f"unit is {unit!r}; expected {', '.join(CAMPAIGN_UNITS)}")
        number = {"worker": self.worker, "segment": self.place}.get(unit)
        if unit == "document":
            number = np.unique(self.documents, return_inverse=True)[1].ravel()[self.place]
        if unit == "hit":
            if "" in self.hits and (self.hit == self.hits.index("")).any():
                raise DataError("a judgement's HIT is not known; take workers as units")
            number = self.hit * len(self.workers) + self.worker
        found, number = np.unique(number, return_inverse=True)
        return number.ravel(), len(found)

    def rows_of(self, chosen: np.ndarray, *, items: Collection[str], paired: bool) -> np.ndarray:
        """Judgements that belong to chosen systems only, and quality-control items.

        Parameters
        ----------
        chosen : ndarray of bool, (systems,)
        items : subset of {"REF", "BAD_REF"}
            Quality-control items that are all included.
        paired : bool
            Whether quality-control items that were paired with a chosen system are included too.

        Returns
        -------
        ndarray of bool, (judgements,)
        """
        if unknown := set(items) - set(QUALITY_CONTROL):
            expected = " or ".join(QUALITY_CONTROL)
            raise DataError(f"items holds {sorted(unknown)[0]!r}; expected {expected}")
        rows = np.zeros(len(self.score), dtype=bool)
        rows[self.credit[chosen[self.credit_system]]] = True
        rows[self.credit[~chosen[self.credit_system]]] = False  # shared with another system
        if not paired:
            rows &= self.is_item(*RATED_ITEMS)
        return rows | self.is_item(*items)

    def divided(self, rows: np.ndarray, divisor: float) -> np.ndarray:
        """All scores, (judgements,), those of some rows, (judgements,) of bool, divided."""
        return np.where(rows, self.score / divisor, self.score)

    def select(self, chosen: np.ndarray) -> "Campaign":
        """Chosen judgements, (judgements,) of bool; names stay, even of workers without any."""
        credits = chosen[self.credit]
        number = np.cumsum(chosen) - 1  # of the chosen judgements
        return replace(
            self,
            **{c: getattr(self, c)[chosen] for c in ("worker", "hit", "place", "item")},
            score=self.score[chosen],
            accepted=self.accepted[chosen],
            credit=number[self.credit[credits]],
            credit_system=self.credit_system[credits],
        )

    def without(
        self, systems: Collection[str], *, items: Collection[str], paired: bool
    ) -> "Campaign":
        """The campaign as though some outputs had never been judged.

        A joint row stays for the systems that remain.

        Parameters
        ----------
        systems : names
            Their rows go.
        items, paired
            As in `rows_of`.

        Raises
        ------
        DataError
            A name that is not a system, or fewer than two systems left.
        """
        gone = self.is_system(systems)
        if (left := int((~gone).sum())) < 2:
            raise DataError(f"{left} system(s) would be left; expected two or more")
        kept = self.select(~self.rows_of(gone, items=items, paired=paired))
        credits = ~gone[kept.credit_system]
        number = np.cumsum(~gone) - 1
        return replace(
            kept,
            systems=tuple(np.array(self.systems, dtype=object)[~gone]),
            credit=kept.credit[credits],
            credit_system=number[kept.credit_system[credits]],
        )
