"""Judgements averaged first: a cell is one system on one segment (Knowles 2021, section 3)."""

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from wmtlib.counts import (
    ITEMS,
    JOINT,
    RATED_ITEMS,
    is_system_name,
    single_systems,
    sorted_categories,
    system_names,
)
from wmtlib.errors import DataError


@dataclass(frozen=True, eq=False)
class Cells:
    """Judgements grouped by system and segment.

    A joint judgement, of identical outputs of two systems, is credited to both. So judgements are
    listed by credit: one entry for each judgement and each system that it counts for.

    Attributes
    ----------
    judgement : ndarray of int, (credits,)
        Sorted by system, place and judgement.
    start, size, system, place : ndarray of int, (cells,)
        A cell's first credit, its number of credits, its system and its place.
    larger : list of (cells, credits)
        For every size above two: the cells of that size, (k,), and their credits, (k, size).
    """

    judgement: np.ndarray
    start: np.ndarray
    size: np.ndarray
    system: np.ndarray
    place: np.ndarray
    larger: list[tuple[np.ndarray, np.ndarray]]

    @cached_property
    def credit_system(self) -> np.ndarray:
        """System of every credit, (credits,)."""
        return np.repeat(self.system, self.size)

    def totals(self, values: np.ndarray) -> np.ndarray:
        """Sum of every cell, (cells,), of values of the credits, (credits,).

        Summed from the least to the greatest, so that cells with the same values have the same
        sum to the last bit; one or two values have the same sum in any order.
        """
        if len(self.start) == len(values):
            return values
        total = np.add.reduceat(values, self.start)
        for cells, credits in self.larger:
            total[cells] = np.sort(values[credits], axis=1).sum(axis=1)
        return total

    def means(
        self, values: np.ndarray, times: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Mean and weight of every cell, (cells,) each.

        Parameters
        ----------
        values : ndarray, (credits,)
        times : ndarray of int, (credits,), optional
            How often each judgement was drawn by a bootstrap; once if not given.

        Returns
        -------
        mean, weight : ndarray of float64, (cells,)
            A judgement that was drawn twice counts twice in the mean of its cell; the weight of
            the cell is the number of draws over the number of judgements: 1 if each was drawn
            once. Where nothing was drawn the mean is NaN.
        """
        if times is None:
            return self.totals(values) / self.size, np.ones(len(self.size))
        drawn = self.totals(times.astype(float))
        with np.errstate(invalid="ignore"):
            return self.totals(times * values) / drawn, drawn / self.size


def group_cells(judgement: np.ndarray, system: np.ndarray, place: np.ndarray) -> Cells:
    """Group credits into cells; all three (credits,), sorted by system, place and judgement."""
    # A cell begins wherever the system or the place differs from the credit before.
    new = (np.diff(system, prepend=-1) != 0) | (np.diff(place, prepend=-1) != 0)
    start = np.flatnonzero(new)
    size = np.diff(start, append=len(judgement))
    larger = []
    for k in np.unique(size[size > 2]):
        cells = np.flatnonzero(size == k)
        larger.append((cells, start[cells, None] + np.arange(k)))
    return Cells(judgement, start, size, system[start], place[start], larger)


# The judgements of one language pair as arrays; `encoding.encode` makes them of a frame.


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


# From a frame of direct assessments to the arrays of a `Campaign`.


TOTALS = ["judgements", "total", "squares"]  # of unlisted judgements
RATED = [ITEMS.index(item) for item in RATED_ITEMS]


def encode(assessments: pd.DataFrame, unlisted: pd.DataFrame | None = None) -> Campaign:
    """Number the names in the judgements of one language pair.

    Parameters
    ----------
    assessments : DataFrame
        Columns `direct_assessments.ASSESSMENTS`; one row = one judgement by one worker.
    unlisted : DataFrame, optional
        Indexed by worker, columns judgements, total, squares: number, sum and sum of squares of
        scores that are known to exist, but not one by one. They enter the worker's mean and
        standard deviation and nothing else. Workers without a row in the assessments are ignored.

    Raises
    ------
    DataError
        No rows, more than one language pair, a score that is no number, a missing name, an
        unknown item, fewer than two systems, or a worker twice in `unlisted`.
    """
    if assessments.empty:
        raise DataError("no judgements; expected at least two systems with judgements")
    if (pairs := assessments["language_pair"].unique()).size != 1:
        raise DataError(f"{len(pairs)} language pairs in one campaign; expected one")
    score = assessments["score"].to_numpy(np.float64)
    if (bad := np.flatnonzero(~np.isfinite(score))).size:
        raise DataError(f"row {bad[0]}: score is {score[bad[0]]}; expected a number from 0 to 100")
    workers, worker = _numbered(assessments, "worker")
    hits, hit = _numbered(assessments, "hit")
    item = _items(assessments)
    documents, segments, place = _places(assessments)
    systems, credit, credit_system = _credits(assessments, np.isin(item, RATED), place)
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
        unlisted=_unlisted(unlisted, workers),
    )


def _numbered(frame: pd.DataFrame, column: str) -> tuple[tuple[str, ...], np.ndarray]:
    """Sorted names of a column, and each row's position among them."""
    values = sorted_categories(frame[column].astype("category").cat).cat
    codes = values.codes.to_numpy().astype(np.intp)
    if (missing := np.flatnonzero(codes < 0)).size:
        raise DataError(f"row {missing[0]}: {column} is missing; expected a name")
    return tuple(values.categories), codes


def _items(frame: pd.DataFrame) -> np.ndarray:
    """Position of each row's item in `ITEMS`."""
    names, codes = _numbered(frame, "item")
    if unknown := [name for name in names if name not in ITEMS]:
        row = int(np.flatnonzero(codes == names.index(unknown[0]))[0])
        raise DataError(f"row {row}: item is {unknown[0]!r}; expected {', '.join(ITEMS)}")
    return np.array([ITEMS.index(name) for name in names], dtype=np.int8)[codes]


def _places(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Document and segment of every place, sorted, and each row's place."""
    documents, document = _numbered(frame, "document")
    segments, segment = _numbered(frame, "segment")
    places, place = np.unique(document * len(segments) + segment, return_inverse=True)
    return (
        np.array(documents, dtype=object)[places // len(segments)],
        np.array(segments, dtype=object)[places % len(segments)],
        place.ravel(),
    )


def _credits(
    frame: pd.DataFrame, rated: np.ndarray, place: np.ndarray
) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """Systems that were rated, and (judgement, system) by system, place and judgement."""
    outputs, output = _numbered(frame, "system")
    if odd := [name for name in outputs if not is_system_name(name)]:
        raise DataError(f"system is {odd[0]!r}; expected different names joined by {JOINT!r}")
    parts = [single_systems(name) for name in outputs]
    systems = system_names(outputs[k] for k in np.unique(output[rated]))
    if len(systems) < 2:
        raise DataError(f"{len(systems)} system(s) with outputs; expected two or more")
    # Systems of every output in one table, -1 where it has fewer than the one with the most.
    table = np.full((len(parts), max(map(len, parts))), -1)
    for k, names in enumerate(parts):
        known = [systems.index(name) for name in names if name in systems]
        table[k, : len(known)] = known
    credit, column = np.nonzero(table[output] >= 0)
    system = table[output[credit], column]
    order = np.lexsort((place[credit], system))  # stable: then by judgement
    return tuple(systems), credit[order], system[order]


def _unlisted(unlisted: pd.DataFrame | None, workers: tuple[str, ...]) -> np.ndarray:
    """Number, sum and sum of squares for each worker, (3, workers)."""
    if unlisted is None:
        return np.zeros((3, len(workers)))
    if unlisted.index.has_duplicates:
        twice = unlisted.index[unlisted.index.duplicated()][0]
        raise DataError(f"worker {twice!r} is twice among unlisted judgements; expected one row")
    table = unlisted.reindex([*workers])[TOTALS].astype(float).fillna(0.0).to_numpy().T
    number, total, squares = table
    if (number < 0).any() or (squares * number < total**2 * (1 - 1e-12)).any():
        raise DataError("unlisted judgements with totals that no scores have")
    return np.ascontiguousarray(table)


# From direct assessments to z-scores, segment means and a ranking (Knowles 2021, section 3).


NEAR = 1e-9  # system means as close as this are compared by their exactly rounded sums


def worker_scales(
    campaign: Campaign,
    *,
    score: np.ndarray | None = None,
    scales_from: np.ndarray | None = None,
    times: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean and standard deviation of everything that each worker scored (section 3, footnote 5).

    All items count, accepted or not, and judgements that are not listed one by one. The sums are
    about one of the worker's own scores: those of a worker who never varies are then exactly 0,
    and those of whole numbers are exact in any order, as n Q - S^2 is an integer.

    Parameters
    ----------
    campaign : Campaign
    score : ndarray of float64, (judgements,), optional
        Instead of the campaign's own.
    scales_from : ndarray of bool, (judgements,), optional
        Judgements that the scales are computed from; all if not given.
    times : ndarray of int, (judgements,), optional
        How often each judgement was drawn by a bootstrap; once if not given. A worker whose
        judgements were all drawn equally often, or not at all, keeps mean and sd.

    Returns
    -------
    number, mean, sd : ndarray of float64, (workers,)
        Different judgements, points and points (ddof 1). sd is 0 for workers who are left out: the
        same score always, or one judgement at most.
    """
    size, worker = len(campaign.workers), campaign.worker
    score = campaign.score if score is None else score
    chosen, unlisted = scales_from, campaign.unlisted
    if times is not None:
        judgements = np.maximum(np.bincount(worker, minlength=size), 1)
        average = np.bincount(worker, times, size) / judgements  # draws of a judgement
        times = np.where(average[worker] > 0, times, 1)
        unlisted = unlisted * np.where(average > 0, average, 1)
        chosen = (times > 0) if chosen is None else chosen & (times > 0)
    if chosen is not None:
        worker, score = worker[chosen], score[chosen]
        times = None if times is None else times[chosen]
    number = np.bincount(worker, minlength=size) + campaign.unlisted[0]
    draws = number if times is None else np.bincount(worker, times, size) + unlisted[0]
    # The base is a score of the worker: any of those listed, or else the mean of the others.
    base = np.zeros(size)
    np.divide(unlisted[1], unlisted[0], out=base, where=unlisted[0] > 0)
    base = base.round()
    base[worker] = score
    # Sums of (score - base) and (score - base)^2 over draws, listed and unlisted.
    centred = score - base[worker]
    first = centred if times is None else times * centred
    total = np.bincount(worker, first, size) + (unlisted[1] - unlisted[0] * base)
    squares = np.bincount(worker, first * centred, size)
    squares += unlisted[2] - base * (2 * unlisted[1] - unlisted[0] * base)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (draws * base + total) / draws  # rounded once if scores are whole numbers
        variance = (draws * squares - total**2) / (draws * (draws * (number - 1) / number))
    sd = np.sqrt(np.where(number > 1, np.maximum(variance, 0.0), 0.0))
    return number, mean, sd


def worker_table(campaign: Campaign) -> pd.DataFrame:
    """`worker_scales` as a frame.

    Returns
    -------
    DataFrame
        Indexed by worker, sorted; columns judgements, mean and sd.
    """
    number, mean, sd = worker_scales(campaign)
    index = pd.Index(campaign.workers, name="worker", dtype=str)
    columns = {"judgements": number.astype(np.int64), "mean": mean, "sd": sd}
    return pd.DataFrame(columns, index=index)[number > 0]


def z_scores(
    campaign: Campaign,
    *,
    score: np.ndarray | None = None,
    scales_from: np.ndarray | None = None,
    times: np.ndarray | None = None,
) -> np.ndarray:
    """Equation 1: (score - mean of the worker) / standard deviation of the worker.

    Parameters
    ----------
    campaign, score, scales_from, times
        As in `worker_scales`.

    Returns
    -------
    ndarray of float64, (judgements,)
        In the order of the frame; NaN where the worker is left out.
    """
    _, mean, sd = worker_scales(campaign, score=score, scales_from=scales_from, times=times)
    divisor = np.where(sd > 0, sd, np.nan)
    z = (campaign.score if score is None else score) - mean[campaign.worker]
    z /= divisor[campaign.worker]
    return z


def usable_cells(
    campaign: Campaign,
    z: np.ndarray,
    unranked: np.ndarray | None = None,
    times: np.ndarray | None = None,
) -> Cells:
    """The cells of judgements with a z-score.

    Parameters
    ----------
    campaign : Campaign
    z : ndarray of float64, (judgements,)
        NaN where the worker is left out.
    unranked : ndarray of bool, (systems,), optional
        Systems whose cells are not needed: they may hold judgements without a z-score.
    times : ndarray of int, (judgements,), optional
        How often each judgement was drawn by a bootstrap; once if not given.

    Raises
    ------
    DataError
        A system that is needed has no judgement left.
    """
    if unranked is None:
        unranked = np.zeros(len(campaign.systems), dtype=bool)
    cells, missing = campaign.cells, np.isnan(z)
    if missing.any() and (missing[cells.judgement] & ~unranked[cells.credit_system]).any():
        cells = campaign.cells_of(campaign.rated & ~missing)
    if times is None:
        present = np.bincount(cells.system, minlength=len(unranked)) > 0
    else:
        present = np.bincount(cells.credit_system, times[cells.judgement], len(unranked)) > 0
    if (lost := np.flatnonzero(~(present | unranked))).size:
        name = campaign.systems[lost[0]]
        raise DataError(f"system {name!r} is left without segments; expected accepted judgements")
    return cells


def segment_means(campaign: Campaign) -> pd.DataFrame:
    """Mean raw and z-score of every system on every segment that it was judged on (section 3).

    Of accepted SYSTEM and REPEAT rows by workers whose scores vary; a joint row counts for each of
    its systems.

    Returns
    -------
    DataFrame
        Columns system, document, segment, raw, z, judgements; sorted by the first three.

    Raises
    ------
    DataError
        A system is left without segments.
    """
    z = z_scores(campaign)
    cells = usable_cells(campaign, z)
    return pd.DataFrame(
        {
            "system": np.array(campaign.systems, dtype=object)[cells.system],
            "document": campaign.documents[cells.place],
            "segment": campaign.segments[cells.place],
            "raw": cells.means(campaign.score[cells.judgement])[0],
            "z": cells.means(z[cells.judgement])[0],
            "judgements": cells.size,
        }
    ).astype({"system": str, "document": str, "segment": str})


def order_by_mean(
    system: np.ndarray, z: np.ndarray, size: int, weight: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the systems, best first, and every system's mean z, (size,) each.

    Systems whose means are equal, however the sums were rounded, stand in order of name.

    Parameters
    ----------
    system, z : ndarray, (values,)
        Of segment means.
    size : int
        Number of systems.
    weight : ndarray, (values,), optional
        Of segment means; 1 if not given.
    """
    number = np.bincount(system, weight, size)
    z = z if weight is None else z * weight
    mean = np.bincount(system, z, size) / number
    order = np.argsort(-mean, kind="stable")
    # Where two means in order nearly agree, both are computed again from exactly rounded sums.
    near = np.flatnonzero(np.diff(-mean[order]) < NEAR)
    if len(near):
        for k in {*order[near].tolist(), *order[near + 1].tolist()}:
            mean[k] = math.fsum(z[system == k]) / number[k]
        order = np.argsort(-mean, kind="stable")
    return order, mean


# The bootstrap of direct assessments: workers, HITs, documents or segments are drawn.
#
# A unit that is drawn twice counts twice: its judgements weigh twice in the mean of their segment,
# and their segment more in the mean of its system (`cells.Cells.means`). If every unit is drawn
# once,
# the result is Equation 1.


def _draws(
    size: int, unit: str, n_resamples: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """How often each of a number of units was drawn, (units,), again and again."""
    if size < 2:
        raise DataError(f"{size} {unit}(s) to draw from; expected two or more")
    for _ in range(n_resamples):
        yield rng.multinomial(size, np.full(size, 1 / size))


def bootstrap_means(
    campaign: Campaign, *, unit: str, n_resamples: int, rng: np.random.Generator, column: str
) -> np.ndarray:
    """Mean scores of all systems in every resample.

    Parameters
    ----------
    unit : "hit", "worker", "document" or "segment"
        What is drawn as a whole, as often as there are such units; a HIT done by two workers is
        two.
    n_resamples : int
    rng : Generator
    column : "score" or "raw"
        Mean z-scores or mean raw scores; see `zscores.rank_segment_means`.

    Returns
    -------
    ndarray of float64, (n_resamples, systems)
        In the order of the campaign's systems.

    Raises
    ------
    DataError
        An unknown unit, fewer than two of them, or a resample that leaves a system without
        judgements.
    """
    size, means = len(campaign.systems), []
    number, units = campaign.units(unit)
    draws = _draws(units, unit, n_resamples, rng)
    if unit == "worker":
        means = _means_by_worker(campaign, np.array([*draws]), column=column)
        if (lost := np.flatnonzero(np.isnan(means).any(axis=0))).size:
            name = campaign.systems[lost[0]]
            expected = "left without segments; expected accepted judgements"
            raise DataError(f"system {name!r} is {expected}")
        return means
    for drawn in draws:
        times = drawn[number]
        z = z_scores(campaign, times=times)
        cells = usable_cells(campaign, z, times=times)
        value = (z if column == "score" else campaign.score)[cells.judgement]
        mean, weight = cells.means(value, times[cells.judgement])
        kept = weight > 0
        found = order_by_mean(cells.system[kept], mean[kept], size, weight[kept])
        means.append(found[1])
    return np.array(means)


def _means_by_worker(campaign: Campaign, times: np.ndarray, *, column: str) -> np.ndarray:
    """Mean scores of all systems if each worker counts a number of times.

    A worker who counts as a whole keeps mean and standard deviation, so a system's mean is a ratio
    of sums over workers: of z-scores over the size of their segment, and of one over that size.

    Parameters
    ----------
    times : ndarray, (samples, workers)
        The workers who gave judgements, in order of name.
    column : "score" or "raw"
        As in `bootstrap_means`.

    Returns
    -------
    ndarray of float64, (samples, systems)
        NaN for a system that a sample leaves without judgements.
    """
    z, (number, size) = z_scores(campaign), campaign.units("worker")
    cells = usable_cells(campaign, z)
    value = (z if column == "score" else campaign.score)[cells.judgement]
    shape = (size, len(campaign.systems))
    place = number[cells.judgement] * shape[1] + cells.credit_system
    share = 1 / np.repeat(cells.size, cells.size)
    sums, sizes = (
        times @ np.bincount(place, weight, size * shape[1]).reshape(shape)
        for weight in (share * value, share)
    )
    return np.divide(sums, sizes, out=np.full(sums.shape, np.nan), where=sizes > 0)
