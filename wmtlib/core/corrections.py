"""Small statistics: corrections for many tests, intervals of 95 % of shares.

`scipy.stats` has them, too, and takes longer to load than a small file to be ranked.
"""

import numpy as np

NORMAL = 1.959964  # standard errors to the ends of a 95 % interval


def corrected(p: np.ndarray, correction: str) -> np.ndarray:
    """Correct p-values for their number.

    Parameters
    ----------
    p : ndarray, (tests,)
        NaN for a test that was not made.
    correction : "benjamini-hochberg" or "holm"
        Keeps at alpha the share of false findings among all findings (Benjamini &
        Hochberg 1995), or the chance of a single false one (Holm 1979).

    Examples
    --------
    >>> corrected(np.array([0.01, 0.02, 0.9]), "holm").tolist()
    [0.03, 0.04, 0.9]
    """
    p = np.asarray(p, dtype=float)
    tested = np.flatnonzero(~np.isnan(p))
    number = len(tested)
    order = tested[np.argsort(p[tested], kind="stable")]
    ascending = p[order]
    if correction == "holm":
        steps = np.maximum.accumulate(ascending * np.arange(number, 0, -1))
    else:
        steps = ascending * number / np.arange(1, number + 1)
        steps = np.minimum.accumulate(steps[::-1])[::-1]
    result = p.copy()
    result[order] = np.minimum(1.0, steps)
    return result


def wilson(
    share: np.ndarray, number: np.ndarray | float
) -> tuple[np.ndarray, np.ndarray]:
    """Compute Wilson's interval of shares of a number of cases.

    >>> [round(float(end), 3) for end in wilson(np.array(0.5), 10)]
    [0.237, 0.763]
    """
    z = NORMAL
    centre = (share + z * z / (2 * number)) / (1 + z * z / number)
    half = np.sqrt(share * (1 - share) / number + (z / (2 * number)) ** 2)
    half = z * half / (1 + z * z / number)
    return centre - half, centre + half
