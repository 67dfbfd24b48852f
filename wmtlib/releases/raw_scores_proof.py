"""Hold recovered scores against every official number: z-scores, worker scales, segment means."""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from wmtlib.judgements.direct_assessments import HIGHEST_SCORE
from wmtlib.releases.raw_scores import Recovery
from wmtlib.releases.raw_scores_from_means import SAME_Z, match_means


@dataclass(frozen=True)
class Standardised:
    """A release of z-scores, read.

    Attributes
    ----------
    released : DataFrame
        Columns `RELEASED`, one row per judgement.
    z : array, shape (rows,)
    scales, segments : DataFrame or None
        Official worker scales and segment means, where public.
    recovery : Recovery
    """

    released: pd.DataFrame
    z: np.ndarray
    scales: pd.DataFrame | None
    segments: pd.DataFrame | None
    recovery: Recovery


def proof(read: Standardised) -> dict[str, float]:
    """Hold recovered scores against everything official, row by row.

    Returns
    -------
    dict
        - `rows`, `workers`: how many.
        - `not_whole`: rows whose score is no whole number from 0 to 100.
        - `z_deviation`: the greatest difference between a released z-score and the recovered
          scores standardised again (mean and sd, ddof 1, over all of a worker's rows).
        - `z_deviation_printed`: the same, with mean and sd rounded to 7 significant digits, which
          is how the released z-scores were computed (R printed the scales and read them back).
        - `scales_off`: workers whose mean or sd is not the official one at its 7 printed digits.
        - `unpinned_workers`, `unpinned_rows`: known up to a constant; see `Recovery`.
        - `segments`: official segment means; and of those
        - `segments_raw_off`: made of the same judgements, but with another raw mean;
        - `segments_left_out`: with judgements more than there are, but the same mean z-score:
          by workers without spread, whose raw scores count and whose z-scores do not exist;
        - `segments_unexplained`: neither.

        What is not public is NaN.
    """
    released, z, recovery = read.released, read.z, read.recovery
    scales, segments = read.scales, read.segments
    names = sorted(released["WorkerId"].cat.categories)
    code = released["WorkerId"].cat.set_categories(names).cat.codes.to_numpy()
    by_worker = pd.Series(recovery.scores).groupby(code)
    mean, sd = by_worker.mean().to_numpy(), by_worker.std(ddof=1).to_numpy()
    exact = (recovery.scores - mean[code]) / sd[code]
    printed = (recovery.scores - _printed(mean)[code]) / _printed(sd)[code]
    whole = np.isin(recovery.scores, np.arange(HIGHEST_SCORE + 1))
    found = {
        "rows": len(z),
        "workers": len(names),
        "not_whole": int((~whole).sum()),
        "z_deviation": float(np.abs(exact - z).max()),
        "z_deviation_printed": float(np.abs(printed - z).max()),
        "scales_off": math.nan,
        "unpinned_workers": len(recovery.unpinned),
        "unpinned_rows": int(recovery.unpinned["judgements"].sum()),
        "segments": math.nan,
        "segments_raw_off": math.nan,
        "segments_left_out": math.nan,
        "segments_unexplained": math.nan,
    }
    if scales is not None:
        official = scales.reindex(names)
        same = _same_digits(mean, official["mean"]) & _same_digits(sd, official["sd"])
        found["scales_off"] = int((~same).sum())
    if segments is not None:
        cells, credited = match_means(released, z, segments)
        inside = credited[credited["cell"] >= 0]
        total = np.bincount(
            inside["cell"], recovery.scores[inside["row"]], minlength=len(cells)
        ) / np.maximum(cells["rows"], 1)
        off = cells["same"] & (np.abs(total - cells["raw"]) > SAME_Z * HIGHEST_SCORE)
        found |= {
            "segments": len(cells),
            "segments_raw_off": int(off.sum()),
            "segments_left_out": int(cells["left out"].sum()),
            "segments_unexplained": int((~cells["same"] & ~cells["left out"]).sum()),
        }
        outside = credited["cell"] < 0
        found["segments_unexplained"] += len(
            credited.loc[outside, ["system", "segment"]].drop_duplicates()
        )
    return found


def _printed(values: np.ndarray) -> np.ndarray:
    """Numbers as R prints them: 7 significant digits."""
    return np.array([float(f"{v:.7g}") for v in values])


def _same_digits(values: np.ndarray, printed: pd.Series) -> np.ndarray:
    """Whether numbers, printed with 7 significant digits, are those (half a unit, and rounding)."""
    unit = 10.0 ** (np.floor(np.log10(np.maximum(np.abs(values), 1e-9))) - 6)
    return np.abs(values - printed.to_numpy()) <= 0.5 * unit + 1e-9
