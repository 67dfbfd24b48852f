"""From a frame of direct assessments to the arrays of a `Campaign`."""

import numpy as np
import pandas as pd

from wmtlib.assessment.campaign import Campaign
from wmtlib.judgements.direct_assessments import (
    ITEMS,
    JOINT,
    RATED_ITEMS,
    is_system_name,
    single_systems,
    sorted_categories,
    system_names,
)
from wmtlib.judgements.errors import DataError

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
