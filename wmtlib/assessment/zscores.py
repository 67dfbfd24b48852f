"""From direct assessments to standardised scores, segment means and a ranking (Knowles 2021, 3).

Everything numeric runs on coded arrays: `code` turns a frame of judgements into a `Campaign` once,
and perturbed campaigns (a system removed, scores divided, rows resampled) share its codes.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from wmtlib.judgements import grouping
from wmtlib.judgements.direct_assessments import ITEMS, JOINT, is_system_name, single_systems
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.ranking import Ranking

AVERAGED = 2  # the first two items count for systems, the others are quality control
NEAR = 1e-9  # system means as close as this are compared by their exactly rounded sums
UNSEEN = ["judgements", "total", "squares"]


@dataclass(frozen=True)
class Campaign:
    """The judgements of one language pair as coded arrays.

    Attributes
    ----------
    systems, workers, hits : tuple of names, sorted
    documents, segments : ndarray of str, (places,)
        What a place is; sorted by document, then segment.
    worker, hit, place : ndarray of int, (judgements,)
        Positions in `workers`, `hits` and of places; one entry per row of the frame, in its order.
    item : ndarray of int8, (judgements,)
        Position in `ITEMS`.
    score : ndarray of float64, (judgements,)
        0..100, raw.
    accepted : ndarray of bool, (judgements,)
    credit, credit_system : ndarray of int, (credits,)
        Judgement and the system it names, one entry for each system of a joint row, sorted by
        system, place and judgement. Quality-control items are listed under the system that they
        were paired with, if it is one of the systems.
    unseen : ndarray of float64, (3, workers)
        Number, sum and sum of squares of judgements that are known only as such sums.
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
    unseen: np.ndarray

    @cached_property
    def scales(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Number, mean and standard deviation (0 = left out) of every worker's judgements."""
        return scales(self, self.score)

    @cached_property
    def layout(self) -> "Layout":
        """Where accepted outputs stand, cell by cell; see `Layout`."""
        return _layout(self, self.accepted & (self.item < AVERAGED))

    @cached_property
    def averages(self) -> "Averages":
        """Segment means as arrays; see `segment_means`."""
        return _averages(self)

    def with_scores(self, score: np.ndarray) -> "Campaign":
        """The same judgements with other raw scores, (judgements,)."""
        return replace(self, score=score)

    def take(self, times: np.ndarray) -> "Campaign":
        """Every judgement so many times: 0 and 1 select, more repeats (a bootstrap).

        Parameters
        ----------
        times : ndarray of bool or int, (judgements,)
        """
        times = np.asarray(times)
        if times.dtype == bool:
            rows, credits = times, times[self.credit]
            start = np.cumsum(times) - 1
            credit = start[self.credit[credits]]
        else:
            rows = np.repeat(np.arange(len(times)), times)
            credits = np.repeat(np.arange(len(self.credit)), times[self.credit])
            credit = _repeated(self.credit, times)
        return replace(
            self,
            **{c: getattr(self, c)[rows] for c in ("worker", "hit", "place", "item")},
            score=self.score[rows],
            accepted=self.accepted[rows],
            credit=credit,
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
            Their rows go; a name that is not there is refused.
        items : subset of {"REF", "BAD_REF"}
            Quality-control items that go altogether.
        paired : bool
            Whether quality-control items that were paired with a removed system go too.

        Returns
        -------
        Campaign

        Raises
        ------
        DataError
            A name that is not a system, or fewer than two systems left.
        """
        gone = members(self, systems)
        left = tuple(s for s, g in zip(self.systems, gone, strict=True) if not g)
        if len(left) < 2:
            raise DataError(f"{len(left)} system(s) would be left; expected two or more")
        keep = ~self.rows_of(gone, items=items, paired=paired)
        kept = self.take(keep)
        credits = ~gone[kept.credit_system]
        number = np.cumsum(~gone) - 1
        return replace(
            kept,
            systems=left,
            credit=kept.credit[credits],
            credit_system=number[kept.credit_system[credits]],
        )

    def rows_of(self, chosen: np.ndarray, *, items: Collection[str], paired: bool) -> np.ndarray:
        """Judgements that belong to chosen systems only, and quality-control items.

        Parameters
        ----------
        chosen : ndarray of bool, (systems,)
        items, paired
            As in `without`.

        Returns
        -------
        ndarray of bool, (judgements,)
        """
        if unknown := set(items) - set(ITEMS[AVERAGED:]):
            raise DataError(f"items holds {sorted(unknown)[0]!r}; expected REF or BAD_REF")
        size = len(self.score)
        theirs = np.zeros(size, dtype=bool)
        theirs[self.credit[chosen[self.credit_system]]] = True
        theirs[self.credit[~chosen[self.credit_system]]] = False  # shared with another system
        if not paired:
            theirs &= self.item < AVERAGED
        for item in items:
            theirs |= self.item == ITEMS.index(item)
        return theirs


@dataclass(frozen=True)
class Layout:
    """Judgements that are averaged, grouped into cells: one system on one segment.

    Attributes
    ----------
    judgement : ndarray of int, (credits,)
        Sorted by system, place and judgement.
    worker : ndarray of int, (credits,)
        Of that judgement.
    start, size, system, place : ndarray of int, (cells,)
        A cell's first credit, how many it has, its system and its place.
    many : list of (cells, credits)
        For every size above two: the cells of that size, (k,), and their credits, (k, size).
    """

    judgement: np.ndarray
    worker: np.ndarray
    start: np.ndarray
    size: np.ndarray
    system: np.ndarray
    place: np.ndarray
    many: list[tuple[np.ndarray, np.ndarray]]

    def means(self, values: np.ndarray) -> np.ndarray:
        """Mean of every cell, (cells,), of values of the credits, (credits,).

        Summed from the least to the greatest, so that cells with the same values have the same
        mean to the last bit; one or two values have the same sum in any order.
        """
        if len(self.start) == len(values):
            return values
        sums = np.add.reduceat(values, self.start)
        for cells, credits in self.many:
            sums[cells] = np.sort(values[credits], axis=1).sum(axis=1)
        return sums / self.size


@dataclass(frozen=True)
class Averages:
    """Segment means as arrays, sorted by system, document and segment.

    Attributes
    ----------
    systems : tuple of names
    system, place : ndarray of int, (cells,)
    raw, z : ndarray of float64, (cells,)
    judgements : ndarray of int, (cells,)
    """

    systems: tuple[str, ...]
    system: np.ndarray
    place: np.ndarray
    raw: np.ndarray
    z: np.ndarray
    judgements: np.ndarray


def code(assessments: pd.DataFrame, unseen: pd.DataFrame | None = None) -> Campaign:
    """Factorise the judgements of one language pair.

    Parameters
    ----------
    assessments : DataFrame
        Columns `direct_assessments.ASSESSMENTS`; one row = one judgement by one worker.
    unseen : DataFrame, optional
        Indexed by worker, columns judgements, total, squares: count, sum and sum of squares of
        scores that are known to exist, but not one by one. They enter the worker's mean and
        standard deviation and nothing else. Workers without a row in the assessments are ignored.

    Raises
    ------
    DataError
        No rows, more than one language pair, a score that is no number, a missing name, an
        unknown item, fewer than two systems, or an unseen worker listed twice.
    """
    if assessments.empty:
        raise DataError("no judgements; expected at least two systems with judgements")
    if (pairs := assessments["language_pair"].unique()).size != 1:
        raise DataError(f"{len(pairs)} language pairs in one campaign; expected one")
    score = assessments["score"].to_numpy(np.float64)
    if (bad := np.flatnonzero(~np.isfinite(score))).size:
        raise DataError(f"row {bad[0]}: score is {score[bad[0]]}; expected a number from 0 to 100")
    workers, worker = _codes(assessments, "worker")
    hits, hit = _codes(assessments, "hit")
    item = _items(assessments)
    documents, segments, place = _places(assessments)
    systems, credit, credit_system = _credits(assessments, item, place)
    return Campaign(
        systems=systems,
        workers=workers,
        hits=hits,
        documents=documents,
        segments=segments,
        worker=worker,
        hit=hit,
        place=place,
        item=item,
        score=score,
        accepted=assessments["accepted"].to_numpy(bool),
        credit=credit,
        credit_system=credit_system,
        unseen=_unseen(unseen, workers),
    )


def worker_scales(campaign: Campaign) -> pd.DataFrame:
    """Mean and standard deviation of everything that each worker scored (section 3, footnote 5).

    Returns
    -------
    DataFrame
        Indexed by worker, sorted; columns judgements, mean and sd (ddof 1; points of the 0-100
        scale), of all items, accepted or not, and of what is unseen. sd is 0 for workers who are
        left out: the same score always, or one score only.
    """
    number, mean, sd = campaign.scales
    columns = {"judgements": number.astype(np.int64), "mean": mean, "sd": sd}
    index = pd.Index(campaign.workers, name="worker", dtype=str)
    return pd.DataFrame(columns, index=index)[number > 0]


def z_scores(campaign: Campaign) -> np.ndarray:
    """Equation 1: (score - mean of the worker) / standard deviation of the worker.

    Returns
    -------
    ndarray of float64, (judgements,)
        In the order of the frame; NaN where the judgement is not accepted or the worker left out.
    """
    _, mean, sd = campaign.scales
    spread = np.where(sd > 0, sd, np.nan)
    z = campaign.score - mean[campaign.worker]
    z /= spread[campaign.worker]
    if not campaign.accepted.all():
        z[~campaign.accepted] = np.nan
    return z


def segment_means(campaign: Campaign) -> pd.DataFrame:
    """Mean raw and z-score of every system on every segment that it was judged on (section 3).

    Of accepted SYSTEM and REPEAT rows; a joint row counts for each of its systems.

    Returns
    -------
    DataFrame
        Columns system, document, segment, raw, z, judgements; sorted by the first three.

    Raises
    ------
    DataError
        No worker is left, or a system is left without segments.
    """
    means = campaign.averages
    return pd.DataFrame(
        {
            "system": np.array(means.systems, dtype=object)[means.system],
            "document": campaign.documents[means.place],
            "segment": campaign.segments[means.place],
            "raw": means.raw,
            "z": means.z,
            "judgements": means.judgements,
        }
    ).astype({"system": str, "document": str, "segment": str})


def rank(campaign: Campaign) -> Ranking:
    """Order systems by the mean of their segments' mean z-scores (section 3).

    Returns
    -------
    Ranking
        Its table has the columns raw (mean of the segments' mean raw scores), segments and
        judgements too; its note counts the workers that are left out.

    Raises
    ------
    DataError
        As `segment_means`.
    """
    means = campaign.averages
    size = len(means.systems)
    segments = np.bincount(means.system, minlength=size)
    order, z = order_by_mean(means.system, means.z, size)
    table = pd.DataFrame(
        {
            "system": list(means.systems),
            "rank": pd.Series(z).rank(method="min", ascending=False).astype(int),
            "score": z,
            "raw": np.bincount(means.system, means.raw, size) / segments,
            "segments": segments,
            "judgements": np.bincount(means.system, means.judgements, size).astype(np.int64),
        }
    )
    number, _, sd = campaign.scales
    left_out = int(((number > 0) & (sd == 0)).sum())
    note = f"{left_out} worker(s) left out: no two different scores" if left_out else ""
    return Ranking("z-score", table.iloc[order].reset_index(drop=True), note)


def order_by_mean(system: np.ndarray, z: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the systems, best first, and every system's mean z, (size,) each.

    Systems whose means are equal, however the sums were rounded, stand in order of name.

    Parameters
    ----------
    system, z : ndarray, (cells,)
        Segment means.
    size : int
        Number of systems.
    """
    segments = np.bincount(system, minlength=size)
    mean = np.bincount(system, z, size) / segments
    order = np.argsort(-mean, kind="stable")
    near = np.flatnonzero(np.diff(-mean[order]) < NEAR)
    if len(near):
        for k in {*order[near].tolist(), *order[near + 1].tolist()}:
            mean[k] = math.fsum(z[system == k]) / segments[k]
        order = np.argsort(-mean, kind="stable")
    return order, mean


def members(campaign: Campaign, systems: Collection[str]) -> np.ndarray:
    """Which of the campaign's systems are named, (systems,); an unknown name is refused."""
    if unknown := sorted(set(systems) - set(campaign.systems)):
        raise DataError(
            f"{unknown[0]!r} is no system of this campaign; expected {', '.join(campaign.systems)}"
        )
    return np.array([s in systems for s in campaign.systems], dtype=bool)


def _codes(frame: pd.DataFrame, column: str) -> tuple[tuple[str, ...], np.ndarray]:
    """Sorted names of a column, and each row's position among them."""
    values = frame[column].astype("category").cat.remove_unused_categories().cat
    codes = values.codes.to_numpy().astype(np.intp)
    if (codes < 0).any():
        row = int(np.flatnonzero(codes < 0)[0])
        raise DataError(f"row {row}: {column} is missing; expected a name")
    names = [str(name) for name in values.categories]
    order = sorted(range(len(names)), key=names.__getitem__)
    position = np.empty(len(names), dtype=np.intp)
    position[order] = np.arange(len(names))
    return tuple(names[k] for k in order), position[codes]


def _items(frame: pd.DataFrame) -> np.ndarray:
    names, codes = _codes(frame, "item")
    if unknown := [name for name in names if name not in ITEMS]:
        row = int(np.flatnonzero(codes == names.index(unknown[0]))[0])
        raise DataError(f"row {row}: item is {unknown[0]!r}; expected {', '.join(ITEMS)}")
    return np.array([ITEMS.index(name) for name in names], dtype=np.int8)[codes]


def _places(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Document and segment of every place, sorted, and each row's place."""
    documents, document = _codes(frame, "document")
    segments, segment = _codes(frame, "segment")
    places, place = np.unique(document * len(segments) + segment, return_inverse=True)
    return (
        np.array(documents, dtype=object)[places // len(segments)],
        np.array(segments, dtype=object)[places % len(segments)],
        place.ravel(),
    )


def _credits(
    frame: pd.DataFrame, item: np.ndarray, place: np.ndarray
) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """Systems that have outputs, and (judgement, system) by system, place and judgement."""
    outputs, output = _codes(frame, "system")
    parts = [single_systems(name) for name in outputs]
    for name in outputs:
        if not is_system_name(name):
            raise DataError(f"system is {name!r}; expected different names joined by {JOINT!r}")
    judged = np.unique(output[item < AVERAGED])
    systems = tuple(sorted({name for k in judged for name in parts[k]}))
    if len(systems) < 2:
        raise DataError(f"{len(systems)} system(s) with outputs; expected two or more")
    number = {name: k for k, name in enumerate(systems)}
    known = [[number[name] for name in several if name in number] for several in parts]
    width = np.array([len(k) for k in known], dtype=np.intp)
    flat = np.array([k for several in known for k in several], dtype=np.intp)
    times = width[output]
    credit = np.repeat(np.arange(len(output)), times)
    within = grouping.positions(times)
    credit_system = flat[np.repeat((np.cumsum(width) - width)[output], times) + within]
    order = np.lexsort((place[credit], credit_system))  # stable: then by judgement
    return systems, credit[order], credit_system[order]


def _unseen(unseen: pd.DataFrame | None, workers: tuple[str, ...]) -> np.ndarray:
    """Number, sum and sum of squares for each worker, (3, workers)."""
    if unseen is None:
        return np.zeros((3, len(workers)))
    if unseen.index.has_duplicates:
        twice = unseen.index[unseen.index.duplicated()][0]
        raise DataError(f"worker {twice!r} stands twice among the unseen; expected one row each")
    table = unseen.reindex([*workers])[UNSEEN].astype(float).fillna(0.0).to_numpy().T
    number, total, squares = table
    if (number < 0).any() or (squares * number < total**2 * (1 - 1e-12)).any():
        raise DataError("unseen sums that no scores have; expected judgements, total, squares")
    return np.ascontiguousarray(table)


def _repeated(credit: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Where the copies of each credit's judgement stand once judgements are repeated."""
    start = np.cumsum(times) - times
    copies = times[credit]
    nth = grouping.positions(copies)
    return np.repeat(start[credit], copies) + nth


def scales(
    campaign: Campaign, score: np.ndarray, keep: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Count, mean and sd of every worker, (workers,) each; what `Campaign.scales` holds.

    The sums are about one of the worker's own scores: those of a worker who never varies are then
    exactly 0, and those of whole numbers are exact in any order, as n Q - S^2 is an integer.

    Parameters
    ----------
    campaign : Campaign
    score : ndarray of float64, (judgements,)
        Instead of the campaign's own.
    keep : ndarray of bool, (judgements,), optional
        Judgements that count; all if not given.

    Returns
    -------
    number, mean, sd : ndarray of float64
        sd is 0 for a worker with one judgement or less.
    """
    size, worker = len(campaign.workers), campaign.worker
    if keep is not None:
        worker, score = worker[keep], score[keep]
    n0, s0, q0 = campaign.unseen
    number = np.bincount(worker, minlength=size) + n0
    base = np.divide(s0, n0, out=np.zeros(size), where=n0 > 0).round()
    base[worker] = score
    centred = score - base[worker]
    total = np.bincount(worker, centred, size) + (s0 - n0 * base)
    centred *= centred
    squares = np.bincount(worker, centred, size) + (q0 - base * (2 * s0 - n0 * base))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (number * base + total) / number  # rounded once if scores are whole numbers
        variance = (number * squares - total**2) / (number * (number - 1))
    sd = np.sqrt(np.where(number > 1, np.maximum(variance, 0.0), 0.0))
    return number, mean, sd


def _layout(campaign: Campaign, usable: np.ndarray) -> Layout:
    """Group usable judgements, (judgements,) of bool, into cells."""
    chosen = usable[campaign.credit]
    judgement, system = campaign.credit[chosen], campaign.credit_system[chosen]
    place = campaign.place[judgement]
    new = (np.diff(system, prepend=-1) != 0) | (np.diff(place, prepend=-1) != 0)
    start = np.flatnonzero(new)
    size = np.diff(start, append=len(judgement))
    sizes = np.flatnonzero(np.bincount(size)[3:]) + 3 if len(size) else []
    runs = [(np.flatnonzero(size == k), k) for k in sizes]
    return Layout(
        judgement=judgement,
        worker=campaign.worker[judgement],
        start=start,
        size=size,
        system=system[start],
        place=place[start],
        many=[(cells, start[cells, None] + np.arange(k)) for cells, k in runs],
    )


def used_layout(campaign: Campaign, sd: np.ndarray, gone: np.ndarray | None = None) -> Layout:
    """The layout without workers whose standard deviation, (workers,), is 0.

    Cells of systems that are gone, (systems,) of bool, need not be without them.
    """
    layout = campaign.layout
    still = (sd == 0)[layout.worker]
    if gone is not None and still.any():
        still &= ~gone[np.repeat(layout.system, layout.size)]
    if still.any():
        usable = campaign.accepted & (campaign.item < AVERAGED)
        layout = _layout(campaign, usable & (sd > 0)[campaign.worker])
    return layout


def _averages(campaign: Campaign) -> Averages:
    _, mean, sd = campaign.scales
    layout = used_layout(campaign, sd)
    if not len(layout.start):
        raise DataError("no worker is left: none has accepted judgements of systems that vary")
    require_segments(campaign.systems, layout)
    score = campaign.score[layout.judgement]
    return Averages(
        systems=campaign.systems,
        system=layout.system,
        place=layout.place,
        raw=layout.means(score),
        z=layout.means((score - mean[layout.worker]) / sd[layout.worker]),
        judgements=layout.size,
    )


def require_segments(systems: tuple[str, ...], layout: Layout) -> None:
    """Refuse a system without a cell."""
    present = np.bincount(layout.system, minlength=len(systems)) > 0
    if not present.all():
        name = systems[int(np.flatnonzero(~present)[0])]
        raise DataError(f"system {name!r} is left without segments; expected accepted judgements")
