"""Intervals (95 %) of shares and means, and what intervals of ranks say of the order."""

import numpy as np
import pandas as pd

TWO_SIDED = 0.975  # of a distribution, up to the upper end of a 95 % interval
NORMAL = 1.959964  # standard errors to that end


def wilson(share: np.ndarray, number: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """Wilson's interval of shares of a number of cases.

    >>> [round(float(end), 3) for end in wilson(np.array(0.5), 10)]
    [0.237, 0.763]
    """
    z = NORMAL
    centre = (share + z * z / (2 * number)) / (1 + z * z / number)
    half = np.sqrt(share * (1 - share) / number + (z / (2 * number)) ** 2)
    half = z * half / (1 + z * z / number)
    return centre - half, centre + half


def t_half_width(values: pd.Series | pd.DataFrame) -> float | pd.Series:
    """Half of the t interval of a mean; of every column of a frame.

    >>> round(float(t_half_width(pd.Series([1.0, 2.0, 3.0]))), 3)
    2.484
    """
    from scipy import special  # loading it takes longer than ranking a small file

    return values.sem() * special.stdtrit(len(values) - 1, TWO_SIDED)


def clusters_of_ranges(first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Cluster, from 1, of systems in order: a line where no range of ranks crosses.

    Parameters
    ----------
    first, last : ndarray, (systems,)
        Ends of the range of ranks of each system.

    Examples
    --------
    >>> clusters_of_ranges(np.array([1, 2, 2]), np.array([1, 3, 3])).tolist()
    [1, 2, 2]
    """
    above = np.maximum.accumulate(last)[:-1]
    below = np.minimum.accumulate(first[::-1])[::-1][1:]
    return np.cumsum(np.append(1, above < below))
