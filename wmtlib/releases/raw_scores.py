"""From released z-scores back to the scores from 0 to 100, with proof.

Of WMT17, 18, 21 and 22 the public files hold z-scores. Each worker's are whole numbers from 0 to
100, put through a line, whose mean and standard deviation R printed with 7 significant digits and
used as printed. `recover_from_scales` and `recover_from_segments` find that line; `proof` shows on
every row that it is the right one.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from wmtlib.judgements.direct_assessments import HIGHEST_SCORE
from wmtlib.judgements.errors import Origin

WHOLE = 1e-6  # a score recovered is at most so far from an integer


@dataclass(frozen=True)
class Recovery:
    """Scores from 0 to 100, recovered from z-scores.

    Attributes
    ----------
    scores : array, shape (rows,)
        Whole numbers.
    workers : DataFrame
        By pseudonym (`worker_0001`, as in the tidy table): `judgements`, `status` ("pinned" or
        "not pinned"), `reason`, and `lowest`, `highest`: the least and the greatest value that
        the worker's lowest score could have. Of several solutions, the one with the least scores
        for the first of the workers is taken: it agrees with every official mean, and no z-score
        depends on the choice.
    """

    scores: np.ndarray
    workers: pd.DataFrame

    @property
    def unpinned(self) -> pd.DataFrame:
        """The workers whose scores are known up to a constant only."""
        return self.workers[self.workers["status"] == "not pinned"]


def recover_from_scales(
    z: np.ndarray, worker: pd.Series, scales: pd.DataFrame, origin: Origin
) -> Recovery:
    """Scores as mean + sd * z (Knowles 2021, Eq. 1, solved for x), rounded.

    Parameters
    ----------
    z : array, shape (rows,)
    worker : Series of categories, length rows
        The released workers.
    scales : DataFrame
        By worker: `mean`, `sd`; see `read_scales`.

    Raises
    ------
    DataError
        A worker has no scale, or a score comes out that is no whole number from 0 to 100. The
        printed mean and sd have 7 digits, so a true score comes out within `WHOLE` of a whole one.
    """
    names = sorted(worker.cat.categories)
    code = worker.cat.set_categories(names).cat.codes.to_numpy()
    scale = scales.reindex(names)
    if scale["sd"].isna().any():
        raise origin.refuse(None, "a worker has z-scores but no mean and standard deviation")
    exact = scale["mean"].to_numpy()[code] + scale["sd"].to_numpy()[code] * z
    scores = np.round(exact)
    _require_whole(exact, scores, origin)
    low = pd.Series(scores).groupby(code).min().to_numpy()
    return Recovery(scores, workers(code, low, low, {}))


def _require_whole(exact: np.ndarray, scores: np.ndarray, origin: Origin) -> None:
    bad = (np.abs(exact - scores) > WHOLE) | (scores < 0) | (scores > HIGHEST_SCORE)
    if bad.any():
        row = int(np.argmax(bad))
        raise origin.refuse(row, f"the score comes out as {exact[row]:.6g}; expected 0, 1, ... 100")


def workers(
    code: np.ndarray, low: np.ndarray, high: np.ndarray, reason: dict[int, str]
) -> pd.DataFrame:
    """The table of a `Recovery`; `low` and `high` bound each worker's lowest score."""
    return pd.DataFrame(
        {
            "judgements": np.bincount(code),
            "status": ["not pinned" if k in reason else "pinned" for k in range(len(low))],
            "reason": [reason.get(k, "") for k in range(len(low))],
            "lowest": low.astype(np.float64),
            "highest": high.astype(np.float64),
        },
        index=pd.Index([f"worker_{k:04d}" for k in range(1, len(low) + 1)], name="worker"),
    )
