"""Comparisons counted by pair, preference and unit."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from wmtlib.assessments import sorted_categories
from wmtlib.counts import FIRST, SECOND, TIE

SIDES = ("system_1", "system_2")


def count_comparisons(
    frame: pd.DataFrame, units: Sequence[str], systems: Sequence[str] = ()
) -> pd.DataFrame:
    """A comparisons frame of categories, counted by pair and units.

    Names are sorted, so that no order of rows matters: the systems that are given, or
    that occur.
    """
    if not systems:
        systems = sorted({name for side in SIDES for name in frame[side].unique()})
    frame = frame.copy(deep=False)
    for side in SIDES:
        frame[side] = frame[side].astype("category").cat.set_categories(systems)
    for unit in units:
        frame[unit] = sorted_categories(frame[unit])
    return counted_by(frame, units)


def counted_by(comparisons: pd.DataFrame, units: Sequence[str]) -> pd.DataFrame:
    """A comparisons frame counted by pair, preference and units, and sorted by them."""
    keys = [*SIDES, "preference", *units]
    ties_last = pd.Categorical(comparisons["preference"], [FIRST, SECOND, TIE])
    frame = comparisons[keys].assign(
        preference=ties_last, count=comparisons.get("count", 1)
    )
    counted = frame.groupby(keys, observed=True)["count"].sum().reset_index()
    return counted.astype({"preference": np.int8, "count": np.int64})
