"""Intervals of shares."""

import numpy as np


def wilson(share: np.ndarray, number: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """Wilson's interval (95 %) of shares of a number of cases.

    >>> [round(float(end), 3) for end in wilson(np.array(0.5), 10)]
    [0.237, 0.763]
    """
    z = 1.959964
    centre = (share + z * z / (2 * number)) / (1 + z * z / number)
    half = np.sqrt(share * (1 - share) / number + (z / (2 * number)) ** 2)
    half = z * half / (1 + z * z / number)
    return centre - half, centre + half
