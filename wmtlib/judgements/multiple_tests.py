"""P-values corrected for the number of tests."""

import numpy as np

CORRECTIONS = ("benjamini-hochberg", "holm", "none")


def corrected(p: np.ndarray, correction: str) -> np.ndarray:
    """P-values corrected for their number.

    Parameters
    ----------
    p : ndarray, (tests,)
        NaN stands for a test that was not made.
    correction : "benjamini-hochberg", "holm" or "none"
        Keeps at alpha the share of false findings among all findings (Benjamini & Hochberg 1995),
        or the chance of a single false one (Holm 1979), or neither.

    Examples
    --------
    >>> corrected(np.array([0.01, 0.02, 0.9]), "holm").tolist()
    [0.03, 0.04, 0.9]
    """
    p = np.asarray(p, dtype=float)
    tested = np.flatnonzero(~np.isnan(p))
    found, number = p.copy(), len(tested)
    order = tested[np.argsort(p[tested], kind="stable")]
    if correction == "holm":
        steps = np.maximum.accumulate(p[order] * np.arange(number, 0, -1))
    elif correction == "benjamini-hochberg":
        steps = p[order] * number / np.arange(1, number + 1)
        steps = np.minimum.accumulate(steps[::-1])[::-1]
    else:
        return found
    found[order] = np.minimum(1.0, steps)
    return found
