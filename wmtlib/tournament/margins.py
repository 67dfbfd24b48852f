"""From a table of wins to the margins of Lopez (2012), section 5."""

from __future__ import annotations

import numpy as np
import pandas as pd

LARGEST_COUNT = 10**9
LARGEST_TOTAL = 4 * 10**12  # beyond this, scaled costs might not fit into 64 bits


def margins(wins: pd.DataFrame) -> tuple[list[str], np.ndarray]:
    """System names, sorted, and their wins minus losses in direct comparisons, or ValueError."""
    rows, columns = wins.index.tolist(), wins.columns.tolist()
    if not rows:
        raise ValueError("wins is empty: there is nothing to rank")
    if len(set(rows)) < len(rows) or len(set(columns)) < len(columns):
        raise ValueError("wins names a system twice")
    if set(rows) != set(columns):
        raise ValueError("wins must have the same systems as rows and as columns")
    if not all(isinstance(name, str) for name in rows):
        raise ValueError("systems must be named by strings")
    try:
        counts = wins.to_numpy(dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError("wins must hold numbers") from error
    if not np.isfinite(counts).all():
        raise ValueError("wins has a missing or infinite count")
    if (counts < 0).any() or (counts > LARGEST_COUNT).any() or (counts % 1).any():
        raise ValueError(f"wins must hold whole numbers from 0 to {LARGEST_COUNT}")
    names = sorted(rows)
    where = [rows.index(name) for name in names], [columns.index(name) for name in names]
    counts = counts[np.ix_(*where)].astype(np.int64)
    margin = counts - counts.T
    if margin.clip(min=0).sum() > LARGEST_TOTAL:
        raise ValueError(f"the margins of wins must not add up to more than {LARGEST_TOTAL}")
    margin.flags.writeable = False  # results share it
    return names, margin
