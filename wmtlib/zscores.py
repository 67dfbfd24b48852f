"""From direct assessments to z-scores, segment means and system means (Knowles 2021, section 3).

`z_scores` is Equation 1 on a frame. Everything else works on a `Campaign`: the same judgements as
arrays, encoded once, because one campaign is ranked thousands of times.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from wmtlib import counts as counting
from wmtlib.corrections import levels
from wmtlib.counts import ITEMS, JOINT, RATED_ITEMS, blocks, is_system_name
from wmtlib.errors import DataError

CAMPAIGN_UNITS = ("hit", "worker", "document", "segment")
QUALITY_CONTROL = tuple(item for item in ITEMS if item not in RATED_ITEMS)
NEEDED = ("worker", "system", "segment", "score")
USUAL = {"hit": "", "document": "", "item": "SYSTEM", "accepted": True, "language_pair": ""}


def z_scores(assessments: pd.DataFrame) -> pd.DataFrame:
    """Direct assessments with their z-scores.

    Equation 1 of Knowles (2021): z = (x - mean of the worker) / standard deviation of the worker,
    over everything that the worker scored, quality control included (footnote 5).

    Parameters
    ----------
    assessments : DataFrame
        One row a judgement, with the columns worker, system, segment and score.

    Returns
    -------
    DataFrame
        The same rows: worker, system, segment, score, z. z is NaN where a worker gave the same
        score always. The standard deviation has ddof 1.

    Raises
    ------
    DataError
        A column is missing.

    Examples
    --------
    >>> scores = {"system": [*"ABAB"], "segment": [*"1122"], "score": [60, 40, 80, 60]}
    >>> z_scores(pd.DataFrame({"worker": "w", **scores}))["z"].round(3).tolist()
    [0.0, -1.225, 1.225, 0.0]
    """
    frame = _frame(assessments)[[*NEEDED]]
    scores = frame.groupby("worker", observed=True)["score"]
    mean, sd = scores.transform("mean"), scores.transform("std")
    varies = scores.transform("nunique") > 1
    return frame.assign(z=((frame["score"] - mean) / sd).where(varies))


def _frame(assessments: pd.DataFrame) -> pd.DataFrame:
    """The frame of direct assessments, or of what `wmtlib.read` returned."""
    frame = getattr(assessments, "assessments", assessments)
    columns = frame.columns if isinstance(frame, pd.DataFrame) else ()
    if missing := [name for name in NEEDED if name not in columns]:
        expected = f"expected a frame of direct assessments: {', '.join(NEEDED)}"
        hint = "wmtlib.read recognises other names"
        raise DataError(f"column {missing[0]!r} is missing; {expected} ({hint})")
    return frame


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
            the cell is the number of draws over the number of judgements. Where nothing was drawn
            the mean is NaN. Sums begin with the least value, so that equal values have equal means
            to the last bit, whatever the order of rows.
        """
        if times is None:
            cell = np.repeat(np.arange(len(self.size)), self.size)
            crowded = np.flatnonzero(self.size[cell] > 2)  # of one or two, any order is the same
            values = values.copy()
            values[crowded] = values[crowded][np.lexsort((values[crowded], cell[crowded]))]
            return np.add.reduceat(values, self.start) / self.size, np.ones(len(self.size))
        drawn = np.add.reduceat(times.astype(float), self.start)
        with np.errstate(invalid="ignore"):
            return np.add.reduceat(times * values, self.start) / drawn, drawn / self.size


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
        Position in `counts.ITEMS`; see `is_item`.
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
        kept = chosen[self.credit]
        judgement, system = self.credit[kept], self.credit_system[kept]
        place = self.place[judgement]
        # A cell begins wherever the system or the place differs from the credit before.
        new = (np.diff(system, prepend=-1) != 0) | (np.diff(place, prepend=-1) != 0)
        start = np.flatnonzero(new)
        size = np.diff(start, append=len(judgement))
        return Cells(judgement, start, size, system=system[start], place=place[start])

    def is_item(self, *items: str) -> np.ndarray:
        """Judgements of these kinds, such as "REF", (judgements,) of bool."""
        return np.isin(self.item, [ITEMS.index(item) for item in items])

    def is_system(self, names: Collection[str]) -> np.ndarray:
        """Whether each system is among the names, (systems,); an unknown name is refused."""
        if unknown := sorted(set(names) - set(self.systems)):
            raise DataError(f"system is {unknown[0]!r}; expected {', '.join(self.systems)}")
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
        names, number = np.unique(number, return_inverse=True)
        return number.ravel(), len(names)

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
        kept = chosen[self.credit]
        number = np.cumsum(chosen) - 1  # of the chosen judgements
        columns = ("worker", "hit", "place", "item", "score", "accepted")
        parts = {name: getattr(self, name)[chosen] for name in columns}
        parts |= {"credit": number[self.credit[kept]], "credit_system": self.credit_system[kept]}
        return replace(self, **parts)

    def without(
        self, systems: Collection[str], *, items: Collection[str], paired: bool
    ) -> "Campaign":
        """The campaign as though some outputs had never been judged.

        A joint row stays for the systems that remain; `items` and `paired` as in `rows_of`.

        Raises
        ------
        DataError
            A name that is not a system, or fewer than two systems left.
        """
        gone = self.is_system(systems)
        if (left := int((~gone).sum())) < 2:
            raise DataError(f"{left} system(s) would be left; expected two or more")
        kept = self.select(~self.rows_of(gone, items=items, paired=paired))
        stays, number = ~gone[kept.credit_system], np.cumsum(~gone) - 1
        systems = tuple(np.array(self.systems, dtype=object)[~gone])
        system = number[kept.credit_system[stays]]
        return replace(kept, systems=systems, credit=kept.credit[stays], credit_system=system)


def encode(assessments: pd.DataFrame, unlisted: pd.DataFrame | None = None) -> Campaign:
    """Number the names in the judgements of one language pair.

    Parameters
    ----------
    assessments : DataFrame, Campaign (which is returned) or what `wmtlib.read` returned
        One row = one judgement by one worker: worker, system, segment, score, and, if they are
        known, hit, document, item, accepted and language_pair (see `counts.ASSESSMENTS`).
    unlisted : DataFrame, optional
        Indexed by worker, columns judgements, total, squares: number, sum and sum of squares of
        scores that are known to exist, but not one by one. They enter the worker's mean and
        standard deviation and nothing else. Workers without a row in the assessments are ignored.

    Raises
    ------
    DataError
        A column missing, no rows, more than one language pair, a score that is no number, a
        missing name, an unknown item, or fewer than two systems.
    """
    if isinstance(assessments, Campaign):
        return assessments
    frame = _frame(assessments)
    frame = frame.assign(**{name: USUAL[name] for name in USUAL if name not in frame})
    if frame.empty:
        raise DataError("no judgements; expected at least two systems with judgements")
    if (pairs := frame["language_pair"].unique()).size != 1:
        raise DataError(f"{len(pairs)} language pairs in one campaign; expected one")
    score = pd.to_numeric(frame["score"], errors="coerce").to_numpy(np.float64)
    if (bad := np.flatnonzero(~np.isfinite(score))).size:
        value = frame["score"].iloc[bad[0]]
        raise DataError(f"row {bad[0]}: score is {value}; expected a number from 0 to 100")
    if frame["accepted"].dtype.kind not in "biu":
        raise DataError(f"accepted is {frame['accepted'].dtype}; expected true or false")
    columns = ("worker", "hit", "item", "document", "segment", "system")
    names, codes = zip(*(_numbered(frame, column) for column in columns), strict=True)
    workers, hits, items, documents, segments, outputs = names
    worker, hit, item, document, segment, output = codes
    if unknown := [name for name in items if name not in ITEMS]:
        row = int(np.flatnonzero(item == items.index(unknown[0]))[0])
        raise DataError(f"row {row}: item is {unknown[0]!r}; expected {', '.join(ITEMS)}")
    item = np.array([ITEMS.index(name) for name in items], dtype=np.int8)[item]
    places, place = np.unique(document * len(segments) + segment, return_inverse=True)
    rated = np.isin(item, [ITEMS.index(name) for name in RATED_ITEMS])
    output = pd.Series(pd.Categorical.from_codes(output, outputs))
    systems, credit, credit_system = _credits(output, rated, place.ravel())
    return Campaign(
        systems=systems,
        workers=workers,
        hits=hits,
        documents=np.array(documents, dtype=object)[places // len(segments)],
        segments=np.array(segments, dtype=object)[places % len(segments)],
        worker=worker,
        hit=hit,
        place=place.ravel(),
        item=item,
        score=score,
        accepted=frame["accepted"].to_numpy(bool),
        credit=credit,
        credit_system=credit_system,
        unlisted=_unlisted(unlisted, workers),
    )


def _numbered(frame: pd.DataFrame, column: str) -> tuple[tuple[str, ...], np.ndarray]:
    """Sorted names of a column, and each row's position among them."""
    values = counting.sorted_categories(frame[column].astype("category").cat).cat
    codes = values.codes.to_numpy().astype(np.intp)
    if (missing := np.flatnonzero(codes < 0)).size:
        raise DataError(f"row {missing[0]}: {column} is missing; expected a name")
    return tuple(values.categories), codes


def _credits(
    output: pd.Series, rated: np.ndarray, place: np.ndarray
) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """Systems that were rated, and (judgement, system) by system, place and judgement."""
    if odd := [name for name in output.cat.categories if not is_system_name(name)]:
        raise DataError(f"system is {odd[0]!r}; expected different names joined by {JOINT!r}")
    systems = counting.system_names(output[rated].unique())
    if len(systems) < 2:
        raise DataError(f"{len(systems)} system(s) with outputs; expected two or more")
    judgement, names = counting.credits(output)
    system = pd.Index(systems, dtype=object).get_indexer(names)
    known = system >= 0  # the others were paired with quality-control items only
    judgement, system = judgement[known], system[known]
    order = np.lexsort((place[judgement], system))  # stable: then by judgement
    return tuple(systems), judgement[order], system[order]


def _unlisted(unlisted: pd.DataFrame | None, workers: tuple[str, ...]) -> np.ndarray:
    """Number, sum and sum of squares for each worker, (3, workers)."""
    if unlisted is None:
        return np.zeros((3, len(workers)))
    table = unlisted.reindex([*workers])[["judgements", "total", "squares"]]
    return np.ascontiguousarray(table.astype(float).fillna(0.0).to_numpy().T)


def worker_scales(
    campaign: Campaign, *, score: np.ndarray | None = None, weight: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean and standard deviation of everything that each worker scored (section 3, footnote 5).

        mean = S / n,    sd^2 = (n Q - S^2) / (n (n - 1)),

    with S and Q the sum and the sum of squares of n scores. All items count, accepted or not, and
    judgements that are not listed one by one. S and Q are taken about one of the worker's scores:
    those of a worker who never varies are then exactly 0, those of whole numbers exact.

    Parameters
    ----------
    campaign : Campaign
    score : ndarray of float64, (judgements,), optional
        Instead of the campaign's own.
    weight : ndarray of bool or int, (judgements,), optional
        Bool: whether a judgement counts here. Int: how often it was drawn by a bootstrap; a worker
        of whom nothing was drawn, or everything equally often, keeps mean and sd.

    Returns
    -------
    number, mean, sd : ndarray of float64, (workers,)
        Different judgements, points and points (ddof 1). sd is 0 for workers who are left out: the
        same score always, or one judgement at most.
    """
    worker, size = campaign.worker, len(campaign.workers)
    score = campaign.score if score is None else score
    average = np.ones(size)  # draws of a judgement of the worker
    if weight is None:
        weight = np.ones(len(score))
    elif weight.dtype != bool:
        average = np.bincount(worker, weight, size) / np.maximum(np.bincount(worker, None, size), 1)
        weight = np.where(average[worker] > 0, weight, 1)
        average[average == 0] = 1
    number = np.bincount(worker, weight > 0, size) + campaign.unlisted[0]
    u_number, u_total, u_squares = campaign.unlisted * average
    # The base is a score of the worker: any of those listed, or else the mean of the others.
    base = np.divide(u_total, u_number, out=np.zeros(size), where=u_number > 0).round()
    counted = weight > 0
    base[worker[counted]] = score[counted]
    centred = score - base[worker]
    draws = np.bincount(worker, weight, size) + u_number
    total = np.bincount(worker, weight * centred, size) + (u_total - u_number * base)
    squares = np.bincount(worker, weight * centred**2, size)
    squares += u_squares - base * (2 * u_total - u_number * base)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (draws * base + total) / draws  # rounded once if scores are whole numbers
        variance = (draws * squares - total**2) / (draws * (draws * (number - 1) / number))
    sd = np.sqrt(np.where(number > 1, np.maximum(variance, 0.0), 0.0))
    return number, mean, sd


def worker_table(campaign: Campaign) -> pd.DataFrame:
    """`worker_scales` as a frame: judgements, mean and sd, indexed by worker, sorted."""
    number, mean, sd = worker_scales(campaign)
    index = pd.Index(campaign.workers, name="worker", dtype=str)
    columns = {"judgements": number.astype(np.int64), "mean": mean, "sd": sd}
    return pd.DataFrame(columns, index=index)[number > 0]


def standardised(
    campaign: Campaign, *, score: np.ndarray | None = None, weight: np.ndarray | None = None
) -> np.ndarray:
    """Equation 1 on arrays: (score - mean of the worker) / standard deviation of the worker.

    Parameters
    ----------
    campaign, score, weight
        As in `worker_scales`.

    Returns
    -------
    ndarray of float64, (judgements,)
        In the order of the frame; NaN where the worker is left out.
    """
    score = campaign.score if score is None else score
    _, mean, sd = worker_scales(campaign, score=score, weight=weight)
    return (score - mean[campaign.worker]) / np.where(sd > 0, sd, np.nan)[campaign.worker]


def usable_cells(
    campaign: Campaign,
    z: np.ndarray,
    unranked: np.ndarray | None = None,
) -> Cells:
    """The cells of judgements with a z-score.

    Parameters
    ----------
    campaign : Campaign
    z : ndarray of float64, (judgements,)
        NaN where the worker is left out.
    unranked : ndarray of bool, (systems,), optional
        Systems whose cells are not needed: they may hold judgements without a z-score.

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
    present = np.bincount(cells.credit_system, None, len(unranked)) > 0
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
    z = standardised(campaign)
    cells = usable_cells(campaign, z)
    system = np.array(campaign.systems, dtype=object)[cells.system]
    document, segment = campaign.documents[cells.place], campaign.segments[cells.place]
    table = pd.DataFrame({"system": system, "document": document, "segment": segment}, dtype=str)
    raw, z = (cells.means(value[cells.judgement])[0] for value in (campaign.score, z))
    return table.assign(raw=raw, z=z, judgements=cells.size)


def order_by_mean(
    system: np.ndarray, z: np.ndarray, size: int, weight: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the systems, best first, and every system's mean z, (size,) each.

    Tied systems stand in order of name; see `corrections.levels`.

    Parameters
    ----------
    system, z : ndarray, (values,)
        Of segment means.
    size : int
        Number of systems.
    weight : ndarray, (values,), optional
        Of segment means; 1 if not given.
    """
    weighted = z if weight is None else z * weight
    with np.errstate(invalid="ignore"):  # NaN: a system without values
        mean = np.bincount(system, weighted, size) / np.bincount(system, weight, size)
    return np.argsort(-levels(mean), kind="stable"), mean


def bootstrap_means(
    campaign: Campaign, *, unit: str, n_resamples: int, rng: np.random.Generator, column: str
) -> np.ndarray:
    """Mean scores of all systems in every resample.

    A unit that is drawn twice counts twice: its judgements weigh twice in the mean of their
    segment, and their segment more in the mean of its system (`Cells.means`).

    Parameters
    ----------
    unit : "hit", "worker", "document" or "segment"
        What is drawn as a whole, as often as there are such units; a HIT done by two workers is
        two.
    n_resamples : int
    rng : Generator
    column : "score" or "raw"
        Mean z-scores or mean raw scores.

    Returns
    -------
    ndarray of float64, (n_resamples, systems)
        In the order of the campaign's systems; NaN where a resample has nothing of a system.

    Raises
    ------
    DataError
        An unknown unit, or fewer than two of them.
    """
    number, units = campaign.units(unit)
    if units < 2:
        raise DataError(f"{units} {unit}(s) to draw from; expected two or more")
    shares, means = np.full(units, 1 / units), []
    for size, own in blocks(n_resamples, rng):
        times = own.multinomial(units, shares, size)
        if unit == "worker":
            means.append(_means_by_worker(campaign, times, column=column))
        else:
            means.append([means_of_draw(campaign, drawn[number], column) for drawn in times])
    return np.concatenate(means)


def occurrences(campaign: Campaign, unit: str) -> np.ndarray:
    """In how many units each system was judged, (systems,)."""
    system, judgement = campaign.cells.credit_system, campaign.cells.judgement
    pairs = np.unique(np.stack([system, campaign.units(unit)[0][judgement]]), axis=1)
    return np.bincount(pairs[0], minlength=len(campaign.systems))


def means_of_draw(campaign: Campaign, times: np.ndarray, column: str) -> np.ndarray:
    """Mean scores of all systems, (systems,), if each judgement counts a number of times."""
    z, size = standardised(campaign, weight=times), len(campaign.systems)
    missing = np.isnan(z)
    cells = campaign.cells_of(campaign.rated & ~missing) if missing.any() else campaign.cells
    value = (z if column == "score" else campaign.score)[cells.judgement]
    mean, weight = cells.means(value, times[cells.judgement])
    drawn = weight > 0
    return order_by_mean(cells.system[drawn], mean[drawn], size, weight[drawn])[1]


def _means_by_worker(campaign: Campaign, times: np.ndarray, *, column: str) -> np.ndarray:
    """Mean scores of all systems, (samples, systems), if each worker counts a number of times.

    A worker who counts as a whole keeps mean and standard deviation, so a system's mean is a ratio
    of sums over workers: of z-scores over the size of their segment, and of one over that size.

    Parameters
    ----------
    times : ndarray, (samples, workers)
        The workers who gave judgements, in order of name.
    """
    z, (number, size) = standardised(campaign), campaign.units("worker")
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
