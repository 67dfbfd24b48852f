"""What workers scored beyond the judgements that are known: references and bad references, mixed.

Of the unseen items of a worker only their count, sum and sum of squares are known. What the
references among them can add up to has bounds; a division within the bounds is one of many that
are possible. The bounds hold if the count, sum and squares do, which rest on the number of items
that was chosen for the worker (`Recovery.unseen` says where it is certain).
"""

import numpy as np
import pandas as pd

from wmtlib.judgements.errors import DataError
from wmtlib.recovery.worker_scale import TOP


def reference_bounds(unseen: pd.DataFrame, *, references: float) -> pd.DataFrame:
    """What the unseen references of each worker can add up to.

    Where references and bad references are both unseen (SR+DC on Mechanical Turk: ten of each per
    100 items), only their common count u, sum t and sum of squares s are known. Of r references,
    with sum R, Cauchy-Schwarz gives R^2 / r + (t - R)^2 / (u - r) <= s; scores are 0..100.

    Parameters
    ----------
    unseen : DataFrame
        `Recovery.unseen`.
    references : float
        Share of references among the unseen, 0..1 (exclusive); their number is rounded.

    Returns
    -------
    DataFrame, index worker
        references (r), lowest, highest: every completion that is possible has R within these;
        whatever is the same at all R, Q within them is proven.

    Raises
    ------
    DataError
        A share outside 0..1.
    """
    if not 0 < references < 1:
        raise DataError(f"references is {references}; expected a share between 0 and 1")
    u, t, s = (unseen[c].to_numpy(float) for c in ("judgements", "total", "squares"))
    r = np.rint(u * references)
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = np.where(u > 0, t * r / u, 0.0)
        spread = np.where(u > 0, np.sqrt(np.maximum(r * (u - r) / u * (s - t * t / u), 0)), 0.0)
    low = np.maximum.reduce([centre - spread, np.zeros_like(u), t - TOP * (u - r)])
    high = np.minimum.reduce([centre + spread, TOP * r, t])
    return pd.DataFrame(
        {"references": r, "lowest": low, "highest": np.maximum(low, high)}, index=unseen.index
    )


def completion(
    unseen: pd.DataFrame, *, references: float, rng: np.random.Generator
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """One possible division of the unseen items into references and the rest.

    Parameters
    ----------
    unseen : DataFrame
        `Recovery.unseen`.
    references : float
        As in `reference_bounds`.
    rng : Generator

    Returns
    -------
    (references, rest) : two DataFrames, index worker
        judgements, total, squares of each; they add up to `unseen`.

    Notes
    -----
    The references' mean is drawn between that of all unseen items and the highest that is possible,
    uniformly (references are better than bad references); their squares uniformly among what their
    sum and that of the rest allow. A result that changes in every one of many completions is
    probable, not proven; counts, sums and squares are all that z-scores depend on.
    """
    bounds = reference_bounds(unseen, references=references)
    u, t, s = (unseen[c].to_numpy(float) for c in ("judgements", "total", "squares"))
    r, high = bounds["references"].to_numpy(), bounds["highest"].to_numpy()
    even = np.divide(t * r, u, out=np.zeros_like(u), where=u > 0)
    total = even + (np.maximum(high, even) - even) * rng.random(len(u))
    rest = t - total

    def least(total: np.ndarray, n: np.ndarray) -> np.ndarray:
        return np.divide(total**2, n, out=np.zeros_like(n), where=n > 0)

    low = np.maximum(least(total, r), s - TOP * rest)
    top = np.maximum(np.minimum(TOP * total, s - least(rest, u - r)), low)
    squares = low + (top - low) * rng.random(len(u))
    columns = ["judgements", "total", "squares"]
    first = pd.DataFrame(np.column_stack([r, total, squares]), unseen.index, columns)
    return first, unseen[columns].astype(float) - first
