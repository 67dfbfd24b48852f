"""From direct assessments to z-scores, segment means and a ranking (Knowles 2021, section 3)."""

import math

import numpy as np
import pandas as pd

from wmtlib.assessment.campaign import Campaign
from wmtlib.assessment.cells import Cells
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.ranking import Ranking

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


def rank_segment_means(means: pd.DataFrame, *, note: str = "") -> Ranking:
    """Order systems by the mean of their segments' mean z-scores (section 3).

    Parameters
    ----------
    means : DataFrame
        As `segment_means` gives; columns system, raw, z, judgements.
    note : str
        Of the ranking.

    Returns
    -------
    Ranking
        Its score is the mean z-score; its table has the columns raw (mean of the segments' mean
        raw scores), segments and judgements too.
    """
    system, names = pd.factorize(means["system"], sort=True)
    segments = np.bincount(system)
    order, z = order_by_mean(system, means["z"].to_numpy(), len(names))
    table = pd.DataFrame(
        {
            "system": names,
            "rank": pd.Series(z).rank(method="min", ascending=False).astype(int),
            "score": z,
            "raw": np.bincount(system, means["raw"]) / segments,
            "segments": segments,
            "judgements": np.bincount(system, means["judgements"]).astype(np.int64),
        }
    )
    return Ranking("z-score", table.iloc[order].reset_index(drop=True), note)


def rank_systems(campaign: Campaign) -> Ranking:
    """`rank_segment_means` of a campaign; the note counts the workers that are left out."""
    number, _, sd = worker_scales(campaign)
    left_out = int(((number > 0) & (sd == 0)).sum())
    note = f"{left_out} worker(s) left out: no two different scores" if left_out else ""
    return rank_segment_means(segment_means(campaign), note=note)


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
