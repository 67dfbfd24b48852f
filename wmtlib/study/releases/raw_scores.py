"""Recover the scores from 0 to 100 from released z-scores.

The public files of WMT17, 18, 21 and 22 hold z-scores: (score - mean) / sd, with the mean and the
standard deviation of each worker. The organisers' programs printed both with 7 significant digits
and used them as printed. Where the printed values are public, `recover_from_scales` turns the
formula round. For WMT18 see `raw_scores_from_means`; `raw_scores_proof` checks the result.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from wmtlib.counts import HIGHEST_SCORE
from wmtlib.errors import Origin, first_row

WHOLE = 1e-6  # a recovered score differs from a whole number by at most this


@dataclass(frozen=True)
class RecoveredScores:
    """Scores from 0 to 100, recovered from z-scores.

    Attributes
    ----------
    scores : array, shape (rows,)
        Whole numbers.
    workers : DataFrame
        By pseudonym (`worker_0001`, as in the tidy table): `judgements`; `solutions`, how many
        sets of the worker's scores agree with everything official; `lowest` and `highest`, the
        least and the greatest value that the worker's lowest score has in them. Of several
        solutions `scores` has the first; no z-score depends on the choice.
    """

    scores: np.ndarray
    workers: pd.DataFrame

    @property
    def unpinned(self) -> pd.DataFrame:
        """The workers with more than one solution."""
        return self.workers[self.workers["solutions"] > 1]


def worker_codes(worker: pd.Series) -> np.ndarray:
    """Position of each row's worker among the sorted names of the workers."""
    names = sorted(worker.cat.categories)
    return worker.cat.set_categories(names).cat.codes.to_numpy()


def workers_table(code: np.ndarray, scales: Sequence[np.ndarray]) -> pd.DataFrame:
    """The table `workers` of `RecoveredScores`.

    Parameters
    ----------
    code : array of int, shape (rows,)
        The worker of each row.
    scales : sequence of arrays, shape (solutions, 2)
        For each worker: the lowest score, and the points between neighbouring scores.
    """
    names = [f"worker_{k:04d}" for k in range(1, len(scales) + 1)]
    columns = {
        "judgements": np.bincount(code),
        "solutions": [len(np.unique(solutions, axis=0)) for solutions in scales],
        "lowest": [float(solutions[:, 0].min()) for solutions in scales],
        "highest": [float(solutions[:, 0].max()) for solutions in scales],
    }
    return pd.DataFrame(columns, index=pd.Index(names, name="worker"))


def recover_from_scales(
    z: np.ndarray, worker: pd.Series, scales: pd.DataFrame, origin: Origin
) -> RecoveredScores:
    """Scores as mean + sd * z (Knowles 2021, Eq. 1, solved for x), rounded.

    Parameters
    ----------
    z : array, shape (rows,)
    worker : Series of categories, length rows
        The released workers.
    scales : DataFrame
        By worker: `mean`, `sd`; see `official_tables.read_scales`.

    Raises
    ------
    DataError
        A worker has no scale, or a score does not come out as a whole number from 0 to 100. The
        printed mean and sd have 7 digits, so a true score comes out within `WHOLE` of a whole one.
    """
    code = worker_codes(worker)
    scale = scales.reindex(sorted(worker.cat.categories)).to_numpy()
    if np.isnan(scale).any():
        raise origin.refuse(None, "a worker has z-scores but no mean and standard deviation")
    mean, sd = scale[code].T
    exact = mean + sd * z
    scores = np.round(exact)
    bad = (np.abs(exact - scores) > WHOLE) | (scores < 0) | (scores > HIGHEST_SCORE)
    if (row := first_row(bad)) is not None:
        raise origin.refuse(row, f"the score comes out as {exact[row]:.6g}; expected 0, 1, ... 100")
    lowest = pd.Series(scores).groupby(code).min()
    return RecoveredScores(scores, workers_table(code, [np.array([[low, 1]]) for low in lowest]))
