"""Small statistics: intervals of means, distances of orders, random halves."""

import numpy as np
import pandas as pd
from scipy import special

from wmtlib.core.ranking import pair_orders


def t_half_width(values: pd.Series | pd.DataFrame) -> float | pd.Series:
    """Compute half of the t interval (95 %) of a mean; of every column of a frame.

    >>> round(float(t_half_width(pd.Series([1.0, 2.0, 3.0]))), 3)
    2.484
    """
    return values.sem() * special.stdtrit(len(values) - 1, 0.975)


def less_system_means(values: pd.DataFrame, score: str) -> pd.Series:
    """Take the mean of each system out of scores, (values,)."""
    return values[score] - values.groupby("system")[score].transform("mean")


def random_halves(
    values: pd.DataFrame, unit: pd.Series, rng: np.random.Generator
) -> list[pd.DataFrame]:
    """Divide values at random into two; all of a unit, (values,), go to one half."""
    code, units = pd.factorize(unit)
    half = rng.permutation(len(units))[code] % 2
    return [values[half == k] for k in (0, 1)]


def tau(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Compute Kendall's tau-a of rankings by scores, row by row.

    Pairs in the same order less pairs in the opposite order, over the pairs that both
    sides rank; a pair that is tied on either side counts for neither. NaN where there
    is no such pair.

    Parameters
    ----------
    first, second : ndarray, (..., systems)
        NaN: not ranked.

    Examples
    --------
    >>> tau(np.array([3.0, 2.0, 1.0]), np.array([2.0, 3.0, 1.0])).round(3).item()
    0.333
    """
    product = pair_orders(first) * pair_orders(second)
    number = np.isfinite(product).sum(axis=-1)
    total = np.nansum(product, axis=-1)
    return np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0)


def distance(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Compute the share of pairs of systems (last axis) in different order.

    A tie on one side is half a pair. Kendall's tau, if nothing is tied, is 1 less twice
    the distance.
    """
    return np.abs(pair_orders(first) - pair_orders(second)).mean(axis=-1) / 2
