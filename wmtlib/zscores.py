"""From direct assessments to z-scores, segment means and system means.

These are the steps of Knowles (2021), section 3. `z_scores` is Equation 1 on a frame.
Everything else works on a `Campaign`: the same judgements as arrays, encoded once,
because one campaign is ranked thousands of times.
"""

from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd

from wmtlib.core.assessments import NEEDED, Campaign, Cells, assessments_frame
from wmtlib.core.errors import DataError, Message, first_row, joined, short_repr
from wmtlib.core.moves import MEAN, Held, Moves, Spread, spread_of_ratios
from wmtlib.core.ranking import levels
from wmtlib.core.sampling import blocks

RAW_SCORES = Message("method='raw-score'", "--method raw-score")


def z_scores(data: Any) -> pd.DataFrame:
    """Compute the z-score of every direct assessment.

    Equation 1 of Knowles (2021): z = (x - mean of the worker) / standard deviation of
    the worker, over everything that the worker scored, quality control included
    (footnote 5).

    Parameters
    ----------
    data : DataFrame, or what `wmtlib.read` returned
        A frame with one row a judgement, and the columns worker, system, segment and
        score.

    Returns
    -------
    DataFrame
        The same rows: worker, system, segment, score, z. z is NaN where a worker gave
        the same score always. The standard deviation has ddof 1.

    Raises
    ------
    DataError
        A column is missing, or there twice, or a score is no number.

    Examples
    --------
    >>> scores = {"system": [*"ABAB"], "segment": [*"1122"], "score": [60, 40, 80, 60]}
    >>> z_scores(pd.DataFrame({"worker": "w", **scores}))["z"].round(3).tolist()
    [0.0, -1.225, 1.225, 0.0]
    """
    frame = assessments_frame(data)[[*NEEDED]]
    numbers = pd.to_numeric(frame["score"], errors="coerce")
    row = first_row((numbers.isna() & frame["score"].notna()).to_numpy())
    if row is not None:
        score = short_repr(frame["score"].iloc[row])
        raise DataError(f"row {row}: score is {score}; expected a number")
    frame = frame.assign(score=numbers)
    scores = frame.groupby("worker", observed=True)["score"]
    mean = scores.transform("mean")
    sd = scores.transform("std")
    varies = scores.transform("nunique") > 1
    return frame.assign(z=((frame["score"] - mean) / sd).where(varies))


def standardised(
    campaign: Campaign,
    *,
    counted: np.ndarray | None = None,
    times: np.ndarray | None = None,
) -> np.ndarray:
    """Compute Equation 1 on arrays: z = (score - mean) / sd of the worker.

    Parameters
    ----------
    campaign, counted, times
        As in `worker_scales`.

    Returns
    -------
    ndarray of float64, (judgements,)
        In the order of the frame; NaN where the worker is left out.
    """
    _, mean, sd = worker_scales(campaign, counted=counted, times=times)
    divisor = np.where(sd > 0, sd, np.nan)
    return (campaign.score - mean[campaign.worker]) / divisor[campaign.worker]


def worker_scales(
    campaign: Campaign,
    *,
    counted: np.ndarray | None = None,
    times: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute mean and sd of each worker's scores (section 3, footnote 5).

        mean = S / n,    sd^2 = (n Q - S^2) / (n (n - 1)),

    with S and Q the sum and the sum of squares of n scores. All items count, accepted
    or not, and judgements that are not listed one by one. S and Q are taken about one
    of the worker's scores: those of a worker who never varies are then exactly 0, those
    of whole numbers exact.

    Parameters
    ----------
    campaign : Campaign
    counted : ndarray of bool, (judgements,), optional
        Which judgements count; all if not given.
    times : ndarray of int, (judgements,), optional
        How often each judgement counts, as where a bootstrap draws some twice; instead
        of `counted`. A worker with 0 throughout, or the same number throughout, keeps
        mean and sd.

    Returns
    -------
    number, mean, sd : ndarray of float64, (workers,)
        Different judgements, points and points (ddof 1). sd is 0 for workers who are
        left out: the same score always, or one judgement at most.
    """
    worker = campaign.worker
    size = len(campaign.workers)
    score = campaign.score
    unlisted = campaign.unlisted
    if times is None:
        times = np.ones(len(worker)) if counted is None else counted
    else:
        # draws of a judgement of each worker, on average
        listed = np.bincount(worker, minlength=size)
        average = np.bincount(worker, times, size) / listed.clip(1)
        unlisted = unlisted * np.where(average > 0, average, 1)
        times = np.where(average[worker] > 0, times, 1)
    drawn = times > 0
    unlisted_number, unlisted_total, unlisted_squares = unlisted
    # The base is a score of the worker: any of those listed, or else the mean of the
    # others.
    base = np.zeros(size)
    np.divide(unlisted_total, unlisted_number, out=base, where=unlisted_number > 0)
    base = base.round()
    base[worker[drawn]] = score[drawn]
    centred = score - base[worker]
    number = np.bincount(worker, drawn, size) + campaign.unlisted[0]
    draws = np.bincount(worker, times, size) + unlisted_number
    weighted = times * centred
    # S and Q about the base, of the listed judgements and of the others
    others_s = unlisted_total - unlisted_number * base
    others_q = unlisted_squares - base * (2 * unlisted_total - unlisted_number * base)
    total = np.bincount(worker, weighted, size) + others_s
    squares = np.bincount(worker, weighted * centred, size) + others_q
    with np.errstate(invalid="ignore", divide="ignore"):
        # rounded once if scores are whole numbers
        mean = (draws * base + total) / draws
        divisor = draws * (draws * (number - 1) / number)
        variance = (draws * squares - total**2) / divisor
    sd = np.sqrt(np.where(number > 1, np.maximum(variance, 0.0), 0.0))
    return number, mean, sd


def worker_table(campaign: Campaign) -> pd.DataFrame:
    """Tabulate `worker_scales` by worker, sorted: judgements, mean, sd."""
    number, mean, sd = worker_scales(campaign)
    columns = {"judgements": number.astype(np.int64), "mean": mean, "sd": sd}
    workers = pd.Index(campaign.workers, str, name="worker")
    return pd.DataFrame(columns, workers)[number > 0]


def scores_of(campaign: Campaign, score: str) -> np.ndarray:
    """Return raw scores if they are asked for ("raw"), or z-scores; NaN for none."""
    return campaign.score if score == "raw" else standardised(campaign)


def usable_cells(
    campaign: Campaign, scores: np.ndarray, unranked: np.ndarray | bool = False
) -> Cells:
    """Return the cells of judgements that have a score.

    Parameters
    ----------
    campaign : Campaign
    scores : ndarray of float64, (judgements,)
        z-scores, NaN where the worker is left out; or raw scores.
    unranked : ndarray of bool, (systems,), or bool
        Systems whose cells are not needed: they may be left without judgements.

    Raises
    ------
    DataError
        A system that is needed has no judgement left.
    """
    scored = ~np.isnan(scores)
    cells = campaign.cells  # made once: nearly always every judgement has a score
    if not scored.all():
        cells = campaign.cells_of(campaign.rated & scored)
    present = np.bincount(cells.system, minlength=len(campaign.systems)) > 0
    absent = np.flatnonzero(~(present | unranked))
    if absent.size:
        fault = f"system {campaign.systems[absent[0]]!r} is left without"
        if not (campaign.cells.system == absent[0]).any():
            raise DataError(f"{fault} segments; expected accepted judgements")
        fault += " z-scores; expected scores of workers who gave two different ones"
        raise DataError(joined(fault, "; to rank by raw scores, add ", RAW_SCORES))
    return cells


def segment_means(campaign: Campaign) -> pd.DataFrame:
    """Average raw and z-scores of every system on each of its segments (section 3).

    Of accepted SYSTEM and REPEAT rows by workers whose scores vary; a joint row counts
    for each of its systems.

    Returns
    -------
    DataFrame
        Columns system, document, segment, raw, z, judgements; sorted by the first
        three.

    Raises
    ------
    DataError
        A system is left without segments.
    """
    z = standardised(campaign)
    cells = usable_cells(campaign, z)
    names = {
        "system": np.array(campaign.systems, dtype=object)[cells.system],
        "document": campaign.documents[cells.place],
        "segment": campaign.segments[cells.place],
    }
    return pd.DataFrame(names, dtype=str).assign(
        raw=cells.means(campaign.score[cells.judgement]),
        z=cells.means(z[cells.judgement]),
        judgements=cells.size,
    )


def order_by_mean(
    system: np.ndarray, z: np.ndarray, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """Order systems with values, best first; return means of all systems, (size,).

    Tied systems are in order of name; see `ranking.levels`. NaN: a system without
    values.

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
    campaign: Campaign,
    *,
    unit: str,
    n_resamples: int,
    rng: np.random.Generator,
    column: str,
) -> np.ndarray:
    """Compute the mean scores of all systems in every resample.

    A unit that is drawn twice counts twice: its judgements weigh twice in the mean of
    their segment, and their segment more in the mean of its system.

    Parameters
    ----------
    unit : "hit", "worker", "document" or "segment"
        What is drawn as a whole, as often as there are such units; a HIT done by two
        workers is two.
    n_resamples : int
    rng : Generator
    column : "score" or "raw"
        Mean z-scores or mean raw scores.

    Returns
    -------
    ndarray of float64, (n_resamples, systems)
        In the order of the campaign's systems; NaN where a resample has nothing of a
        system.

    Raises
    ------
    DataError
        An unknown unit, or fewer than two of them.
    """
    number, units = campaign.units(unit)
    if units < 2:
        raise DataError(f"{units} {unit}(s) to draw from; expected two or more")
    means = []
    for size, stream in blocks(n_resamples, rng):
        for times in stream.multinomial(units, np.full(units, 1 / units), size):
            means.append(means_of_draw(campaign, times[number], column))
    return np.array(means)


def means_of_draw(campaign: Campaign, times: np.ndarray, column: str) -> np.ndarray:
    """Compute mean scores of all systems, (systems,); `times`: see `worker_scales`."""
    scores = campaign.score
    if column == "score":
        scores = standardised(campaign, times=times)
    cells = usable_cells(campaign, scores, unranked=True)
    value = scores[cells.judgement]
    # The mean of a segment has the weight of its draws over its judgements: of those
    # each draw is one share, whatever else was drawn.
    share = times[cells.judgement] / np.repeat(cells.size, cells.size)
    size = len(campaign.systems)
    with np.errstate(invalid="ignore"):
        total = np.bincount(cells.credit_system, share * value, size)
        return total / np.bincount(cells.credit_system, share, size)


def occurrences(campaign: Campaign, unit: str, score: str = "z") -> pd.Series:
    """Count the units in which each system was judged; `score` as in `scores_of`."""
    number, _ = campaign.units(unit)
    cells = usable_cells(campaign, scores_of(campaign, score), unranked=True)
    judged = pd.Series(number[cells.judgement]).groupby(cells.credit_system).nunique()
    systems = [*campaign.systems]
    return judged.reindex(range(len(systems)), fill_value=0).set_axis(systems)


# --- how means move without one unit ------------------------------------------------


def moves_of_means(campaign: Campaign, column: str) -> Moves:
    """Find how mean scores of assessments move; workers' scales stay."""

    def of(codes: np.ndarray | None) -> Spread:
        return spread_of_ratios(held_scores(campaign, codes, column), MEAN)

    return Moves(of, np.zeros_like)


def held_scores(campaign: Campaign, codes: np.ndarray | None, column: str) -> Held:
    """List what units hold of assessments: sums of scores, and numbers, by system.

    A segment weighs one, however many judged it: so each of its n scores weighs 1 / n,
    also where others of them are left out.

    Parameters
    ----------
    campaign : Campaign
    codes : ndarray of int, (judgements,), or None
        The unit of each judgement; None: every judgement is one.
    column : "z" or "raw"
    """
    if codes is None:
        codes = np.arange(len(campaign.score))
    scores = scores_of(campaign, column)
    cells = usable_cells(campaign, scores, unranked=True)
    share = 1 / np.repeat(cells.size, cells.size)
    size = len(campaign.systems)
    key = codes[cells.judgement] * size + cells.credit_system
    keys, place = np.unique(key, return_inverse=True)
    total = np.bincount(place, share * scores[cells.judgement])
    number = np.bincount(place, share)
    unit, system = np.divmod(keys, size)
    unit = np.cumsum(np.diff(unit, prepend=-1) != 0) - 1
    seen = np.stack([total, number, 0 * number])
    return Held(size, unit, system, system, seen, np.ones(unit[-1] + 1))


def judged_values(campaign: Campaign, score: str = "z") -> pd.DataFrame:
    """List every judgement that counts for a system, by numbers.

    Columns system, segment, raw, z, and the units that are known: document, hit,
    worker. Those without a z-score are among them if the score is "raw".
    """
    z = standardised(campaign)
    cells = usable_cells(campaign, scores_of(campaign, score))
    columns = {"segment": campaign.place, "raw": campaign.score, "z": z}
    for unit in ("document", "hit", "worker"):
        with suppress(DataError):  # HITs are not named
            columns[unit], _ = campaign.units(unit)
    values = pd.DataFrame(columns).iloc[cells.judgement].reset_index(drop=True)
    values.insert(0, "system", cells.credit_system)
    return values
