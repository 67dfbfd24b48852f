"""Comparisons counted by pair, preference and unit, in little memory."""

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
    preference = comparisons["preference"]
    ties_last = pd.Categorical(preference, categories=[FIRST, SECOND, TIE])
    number = comparisons["count"] if "count" in comparisons else np.int8(1)
    columns = {**comparisons[keys], "preference": ties_last, "count": number}
    sums = summed(pd.DataFrame(columns, copy=False), keys, ["count"])
    return sums.astype({"preference": np.int8, "count": np.int64})


def summed(
    frame: pd.DataFrame, keys: Sequence[str], values: Sequence[str]
) -> pd.DataFrame:
    """One row for all that agree in some columns, with the sums of others; sorted.

    What grouping by categories, or by small whole numbers, gives in a fifth of its
    memory: each row gets a number, rows are sorted by it, and sums run over equal ones.
    """
    code = _row_codes(frame, keys)
    order = np.argsort(code, kind="stable")
    code = code[order]
    is_first = np.append(True, code[1:] != code[:-1])[: len(code)]
    del code  # as long as the file
    starts = np.flatnonzero(is_first)
    totals = {}
    for name in values:
        ordered = frame[name].to_numpy()[order]
        kind = np.int32 if ordered.sum() < 2**31 else np.int64
        totals[name] = np.add.reduceat(ordered, starts, dtype=kind)
    order = order[is_first]
    columns = {name: frame[name].array[order] for name in keys}
    return pd.DataFrame(columns | totals, copy=False)


def _row_codes(frame: pd.DataFrame, keys: Sequence[str]) -> np.ndarray:
    """A whole number for every row, (rows,), that orders rows as they sort."""
    code: np.ndarray = np.zeros(len(frame), dtype=np.uint32)
    n_codes = 1  # codes are below this
    for name in keys:
        column = frame[name]
        digits = column.cat.codes if hasattr(column, "cat") else column
        digits = digits.to_numpy() - digits.min()
        base = int(digits.max(initial=0)) + 1
        if n_codes * base > 2**63:  # only what occurs gets a number
            code = np.unique(code, return_inverse=True)[1]
            n_codes = len(frame)
        n_codes *= base
        code = code.astype(np.uint32 if n_codes < 2**32 else np.uint64, copy=False)
        code *= code.dtype.type(base)
        code += digits.astype(code.dtype)
    return code
