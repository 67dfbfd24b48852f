"""Scores from 0 to 100 from z-scores and official segment means.

For WMT18, whose files do not hold the mean and the standard deviation of each worker.
"""

import itertools
import math

import numpy as np
import pandas as pd

from wmtlib.judgements.direct_assessments import HIGHEST_SCORE, RATED_ITEMS, credits
from wmtlib.judgements.errors import Origin
from wmtlib.releases.raw_scores import WHOLE, Recovery, workers

HUMAN = "HUMAN"  # in segment means: what workers gave the references among the quality control
SAME_Z = 1e-9  # z-scores that differ by less are the same
MOST_COMBINATIONS = 5_000


def _credited(released: pd.DataFrame, human: bool) -> pd.DataFrame:
    """Row, system and segment of everything that enters a segment mean.

    SYSTEM and REPEAT rows count for their systems and, if there are segment means of the `HUMAN`,
    REF rows count for that: once for each system in a joint name, as the release counts them.
    """
    row, single = credits(released["sys_id"])
    rated = released["type"].isin(RATED_ITEMS).to_numpy()[row]
    reference = (released["type"] == "REF").to_numpy()[row] & human
    single = np.where(reference, HUMAN, single)[rated | reference]
    row = row[rated | reference]
    segment = released["sid"].astype(str).to_numpy()[row]
    return pd.DataFrame({"row": row, "system": single, "segment": segment})


def match_means(released: pd.DataFrame, z: np.ndarray, segments: pd.DataFrame) -> tuple:
    """Official segment means that consist of the rows there are, and what enters each.

    Returns
    -------
    cells : DataFrame
        `segments` with `rows` (how many judgements there are), `same` (as many as the official
        mean says, with the official mean of z).
    credited : DataFrame
        `_credited` rows with `cell`, the position in `cells`; -1 for none.
    """
    by = ["system", "segment"]
    credited = _credited(released, bool((segments["system"] == HUMAN).any()))
    cells = segments.reset_index(drop=True)
    place = pd.Series(cells.index, index=pd.MultiIndex.from_frame(cells[by]))
    credited["cell"] = place.reindex(pd.MultiIndex.from_frame(credited[by]), fill_value=-1).array
    inside = credited[credited["cell"] >= 0]
    count = np.bincount(inside["cell"], minlength=len(cells))
    total = np.bincount(inside["cell"], z[inside["row"]], minlength=len(cells))
    mean = total / np.maximum(count, 1)
    cells["rows"] = count
    same_z = np.abs(mean - cells["z"]) < SAME_Z
    cells["same"] = same_z & (count == cells["judgements"]) & (count > 0)
    cells["left out"] = same_z & (count < cells["judgements"]) & (count > 0)
    return cells, credited


def recover_from_segments(
    released: pd.DataFrame, z: np.ndarray, segments: pd.DataFrame, origin: Origin
) -> Recovery:
    """Scores from z-scores and the official raw segment means, where no scales are public (WMT18).

    A worker's z-scores are a line through whole numbers, so they stand on a lattice: score =
    a + t * k with known k = 0, 1, ..., K (K the greatest, their greatest common divisor 1) and
    unknown whole numbers a >= 0, t >= 1 with a + t * K <= 100. Every official segment mean is one
    equation; it leaves only those (a, t) of a worker with which it holds, once the other workers
    in it are known. Workers who stand only in each other's means are solved together, by trying
    all that is left.

    Parameters
    ----------
    released : DataFrame
        Columns `RELEASED`, one row per judgement.
    z : array, shape (rows,)
    segments : DataFrame
        system, segment, raw, z, judgements.

    Raises
    ------
    DataError
        A worker's z-scores stand on no lattice, or nothing agrees with the official means.
    """
    worker = released["WorkerId"]
    code = worker.cat.set_categories(sorted(worker.cat.categories)).cat.codes.to_numpy()
    steps, greatest = _lattices(z, code, origin)
    open_to = [_lines(K) for K in greatest]
    cells, credited = match_means(released, z, segments)
    credited = credited[(credited["cell"] >= 0) & cells["same"].reindex(credited["cell"]).array]
    sums = credited.assign(worker=code[credited["row"]], steps=steps[credited["row"]])
    sums = sums.groupby(["cell", "worker"])["steps"].agg(["size", "sum"]).reset_index()
    total = (cells["raw"] * cells["judgements"]).to_numpy()
    _narrow(open_to, sums, total, origin)
    lines = np.array([lines[0] for lines in open_to])
    low, high, reason = lines[:, 0].copy(), lines[:, 0].copy(), {}
    for group in _groups(open_to, sums):
        solutions = np.array(_together(group, open_to, sums, total, origin))
        lines[group] = solutions[0]
        low[group], high[group] = solutions[:, :, 0].min(axis=0), solutions[:, :, 0].max(axis=0)
        for k, worker in enumerate(group):
            if count := len(np.unique(solutions[:, k], axis=0)) - 1:
                reason[worker] = f"{count + 1} lines agree with every official segment mean"
    scores = (lines[code, 0] + lines[code, 1] * steps).astype(np.float64)
    return Recovery(scores, workers(code, low, high, reason))


def _lattices(z: np.ndarray, code: np.ndarray, origin: Origin) -> tuple[np.ndarray, np.ndarray]:
    """Steps of each row above its worker's lowest z-score, and each worker's greatest step."""
    steps, greatest = np.zeros(len(z), np.int64), np.zeros(code.max() + 1, np.int64)
    for k, rows in pd.Series(np.arange(len(z))).groupby(code).indices.items():
        above = z[rows] - z[rows].min()
        if not above.max() > SAME_Z:
            raise origin.refuse(int(rows[0]), "a worker's z-scores are all the same")
        share = np.unique(above / above.max())
        for count in range(1, HIGHEST_SCORE + 1):
            if np.abs(share * count - np.round(share * count)).max() < WHOLE:
                break
        else:
            raise origin.refuse(int(rows[0]), "the worker's z-scores come from no whole numbers")
        steps[rows], greatest[k] = np.round(above / above.max() * count), count
    return steps, greatest


def _lines(greatest: int) -> np.ndarray:
    """All (a, t) with a + t * greatest <= 100, shape (lines, 2)."""
    pairs = [
        (a, t)
        for t in range(1, HIGHEST_SCORE // greatest + 1)
        for a in range(HIGHEST_SCORE - t * greatest + 1)
    ]
    return np.array(pairs)


def _narrow(
    open_to: list[np.ndarray], sums: pd.DataFrame, total: np.ndarray, origin: Origin
) -> None:
    """Strike out, in place, lines at odds with a mean in which all other workers are known."""
    cell, worker = sums["cell"].to_numpy(), sums["worker"].to_numpy()
    size, step = sums["size"].to_numpy(), sums["sum"].to_numpy()
    while True:
        known = np.array([len(lines) == 1 for lines in open_to])
        first = np.array([lines[0] for lines in open_to])
        part = np.where(known[worker], size * first[worker, 0] + step * first[worker, 1], 0)
        rest = total - np.bincount(cell, part, minlength=len(total))
        alone = np.bincount(cell, ~known[worker], minlength=len(total)) == 1
        usable = np.flatnonzero(~known[worker] & alone[cell])
        changed = False
        for k, rows in pd.Series(usable).groupby(worker[usable]).indices.items():
            at = usable[rows]
            lines = open_to[k]
            sum_of = size[at] * lines[:, :1] + step[at] * lines[:, 1:]
            fits = (np.abs(sum_of - rest[cell[at]]) < WHOLE * total.max()).all(axis=1)
            if not fits.any():
                raise origin.refuse(None, "the official segment means agree with no whole scores")
            changed |= not fits.all()
            open_to[k] = lines[fits]
        if not changed:
            return


def _groups(open_to: list[np.ndarray], sums: pd.DataFrame) -> list[list[int]]:
    """Workers still open, grouped by the means that they share."""
    still = {k for k, lines in enumerate(open_to) if len(lines) > 1}
    groups = [{k} for k in sorted(still)]
    shared = sums[sums["worker"].isin(still)].groupby("cell")["worker"].agg(frozenset)
    for link in set(shared):
        touched = [g for g in groups if g & link]
        groups = [g for g in groups if not g & link] + [set().union(*touched)]
    return sorted(sorted(g) for g in groups)


def _together(
    group: list[int], open_to: list[np.ndarray], sums: pd.DataFrame, total: np.ndarray, origin
) -> list[list[np.ndarray]]:
    """All lines of the workers of a group that agree with every mean, least a first."""
    if math.prod(len(open_to[k]) for k in group) > MOST_COMBINATIONS:
        raise origin.refuse(None, f"{len(group)} workers' scores are too little known to recover")
    cells = sums[sums["cell"].isin(sums.loc[sums["worker"].isin(group), "cell"])]
    cell, worker = pd.factorize(cells["cell"])[0], cells["worker"].to_numpy()
    wanted = total[pd.unique(cells["cell"])]
    lines = np.array([lines[0] for lines in open_to])
    solutions = []
    for combination in itertools.product(*(open_to[k] for k in group)):
        lines[group] = combination
        a, t = lines[worker].T
        got = np.bincount(cell, cells["size"] * a + cells["sum"] * t)
        if np.abs(got - wanted).max(initial=0) < WHOLE * total.max():
            solutions.append(list(combination))
    if not solutions:
        raise origin.refuse(None, "the official segment means agree with no whole scores")
    return solutions
