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
from wmtlib.errors import DataError, first_row

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

    def means(self, values: np.ndarray) -> np.ndarray:
        """Mean of every cell, (cells,), of values, (credits,).

        Sums begin with the least value, so that equal values have equal means to the last bit,
        whatever the order of rows.
        """
        values = values.copy()
        for size in np.unique(self.size[self.size > 2]):  # of one or two, any order is the same
            rows = self.start[self.size == size][:, None] + np.arange(size)
            values[rows] = np.sort(values[rows], axis=1)
        return np.add.reduceat(values, self.start) / self.size


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
        document = self.documents[self.place]
        number = {"worker": self.worker, "document": document, "segment": self.place}.get(unit)
        if unit == "hit":
            if "" in self.hits and (self.hit == self.hits.index("")).any():
                raise DataError("a judgement's HIT is not known; take workers as units")
            number = self.hit * len(self.workers) + self.worker
        number, names = pd.factorize(number, sort=True)
        return number, len(names)

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
    if frame["accepted"].dtype.kind not in "biu":
        raise DataError(f"accepted is {frame['accepted'].dtype}; expected true or false")
    score = pd.to_numeric(frame["score"], errors="coerce").to_numpy(np.float64)
    if (row := first_row(~np.isfinite(score))) is not None:
        value = frame["score"].iloc[row]
        raise DataError(f"row {row}: score is {value}; expected a number from 0 to 100")
    named = {name: _named(frame, name) for name in ("worker", "hit", "document", "segment")}
    names = {name: tuple(values.cat.categories) for name, values in named.items()}
    code = {name: values.cat.codes.to_numpy(np.intp) for name, values in named.items()}
    output, item = _named(frame, "system"), pd.Index(ITEMS).get_indexer(frame["item"])
    if (row := first_row(item < 0)) is not None:
        value = frame["item"].iloc[row]
        raise DataError(f"row {row}: item is {value!r}; expected {', '.join(ITEMS)}")
    size = len(names["segment"])
    places, place = np.unique(code["document"] * size + code["segment"], return_inverse=True)
    systems, credit, credit_system = _credits(output, frame["item"].isin(RATED_ITEMS), place)
    return Campaign(
        systems=systems,
        workers=names["worker"],
        hits=names["hit"],
        documents=np.array(names["document"], dtype=object)[places // size],
        segments=np.array(names["segment"], dtype=object)[places % size],
        worker=code["worker"],
        hit=code["hit"],
        place=place,
        item=item.astype(np.int8),
        score=score,
        accepted=frame["accepted"].to_numpy(bool),
        credit=credit,
        credit_system=credit_system,
        unlisted=_unlisted(unlisted, names["worker"]),
    )


def _named(frame: pd.DataFrame, column: str) -> pd.Series:
    """A column of names as categories, sorted."""
    values = counting.sorted_categories(frame[column].astype("category").cat)
    if (row := first_row(values.isna())) is not None:
        raise DataError(f"row {row}: {column} is missing; expected a name")
    return values


def _credits(
    output: pd.Series, rated: pd.Series, place: np.ndarray
) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """Systems that were rated, and (judgement, system) by system, place and judgement."""
    if odd := [name for name in output.cat.categories if not is_system_name(name)]:
        raise DataError(f"system is {odd[0]!r}; expected different names joined by {JOINT!r}")
    systems = counting.system_names(output[rated].unique())
    if len(systems) < 2:
        raise DataError(f"{len(systems)} system(s) with outputs; expected two or more")
    judgement, names = counting.credits(output)
    system = pd.Index(systems, dtype=object).get_indexer(names)
    order = np.lexsort((place[judgement], system))  # stable: then by judgement
    order = order[system[order] >= 0]  # the others were paired with quality-control items only
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
    if weight is not None and weight.dtype == bool:
        worker, score, weight = worker[weight], score[weight], None
    elif weight is not None:
        average = np.bincount(worker, weight, size) / np.bincount(worker, None, size).clip(1)
        weight = np.where(average[worker] > 0, weight, 1)
        average[average == 0] = 1
        worker, score, weight = (values[weight > 0] for values in (worker, score, weight))
    number = np.bincount(worker, None, size) + campaign.unlisted[0]
    u_number, u_total, u_squares = campaign.unlisted * average
    # The base is a score of the worker: any of those listed, or else the mean of the others.
    base = np.divide(u_total, u_number, out=np.zeros(size), where=u_number > 0).round()
    base[worker] = score
    centred = score - base[worker]
    weighted = centred if weight is None else weight * centred
    draws = np.bincount(worker, weight, size) + u_number
    total = np.bincount(worker, weighted, size) + (u_total - u_number * base)
    u_centred = u_squares - base * (2 * u_total - u_number * base)
    squares = np.bincount(worker, weighted * centred, size) + u_centred
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


def usable_cells(campaign: Campaign, z: np.ndarray, unranked: np.ndarray | None = None) -> Cells:
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
    raw, z = (cells.means(value[cells.judgement]) for value in (campaign.score, z))
    return table.assign(raw=raw, z=z, judgements=cells.size)


def order_by_mean(system: np.ndarray, z: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the systems that have values, best first, and every system's mean z, (size,).

    Tied systems stand in order of name; see `corrections.levels`. NaN: a system without values.

    Parameters
    ----------
    system, z : ndarray, (values,)
        Of segment means.
    size : int
        Number of systems.
    """
    with np.errstate(invalid="ignore"):
        mean = np.bincount(system, z, size) / np.bincount(system, None, size)
    return np.argsort(-levels(mean), kind="stable")[: np.isfinite(mean).sum()], mean


def bootstrap_means(
    campaign: Campaign, *, unit: str, n_resamples: int, rng: np.random.Generator, column: str
) -> np.ndarray:
    """Mean scores of all systems in every resample.

    A unit that is drawn twice counts twice: its judgements weigh twice in the mean of their
    segment, and their segment more in the mean of its system.

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
        means += [means_of_draw(campaign, drawn[number], column) for drawn in times]
    return np.array(means)


def occurrences(campaign: Campaign, unit: str) -> pd.Series:
    """In how many units each system was judged, by system."""
    system, judgement = campaign.cells.credit_system, campaign.cells.judgement
    pairs = np.unique(np.stack([system, campaign.units(unit)[0][judgement]]), axis=1)
    return pd.Series(np.bincount(pairs[0], minlength=len(campaign.systems)), campaign.systems)


def means_of_draw(campaign: Campaign, times: np.ndarray, column: str) -> np.ndarray:
    """Mean scores of all systems, (systems,), if each judgement counts a number of times."""
    z, size = standardised(campaign, weight=times), len(campaign.systems)
    missing = np.isnan(z)
    cells = campaign.cells_of(campaign.rated & ~missing) if missing.any() else campaign.cells
    value = (z if column == "score" else campaign.score)[cells.judgement]
    # The mean of a segment has the weight of its draws over its judgements: of those each draw is
    # one share, whatever else was drawn.
    share = times[cells.judgement] / np.repeat(cells.size, cells.size)
    with np.errstate(invalid="ignore"):
        total = np.bincount(cells.credit_system, share * value, size)
        return total / np.bincount(cells.credit_system, share, size)
