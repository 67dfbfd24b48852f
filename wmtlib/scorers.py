"""Heuristic scores of systems: Equations 1-3 of Lopez (2012), and later ones.

A formula takes two arrays (..., n, n): `wins[..., a, b]` is how often a was judged
better than b, and `ties` is symmetric. They hold one task, or many samples of its
comparisons at once. It returns one score per system, (..., n), higher = better; NaN for
a system that is in no comparison that the score counts. `methods.METHODS` gives each
its name; `methods.score` applies one to a task.
"""

import numpy as np

undefined_is_nan = np.errstate(invalid="ignore")  # 0 / 0: nothing counts


@undefined_is_nan
def wmt_official(wins: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """Compute the share not lost, the reference's included: Lopez (2012), Eq. 1."""
    win, tie, loss = _outcomes(wins, ties)
    return (win + tie) / (win + tie + loss)


@undefined_is_nan
def heuristic2(wins: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """Compute the share of comparisons won: Lopez (2012), Eq. 2."""
    win, tie, loss = _outcomes(wins, ties)
    return win / (win + tie + loss)


@undefined_is_nan
def bojar(wins: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """Divide wins by wins and losses: Bojar et al. (2011), Lopez (2012), Eq. 3."""
    win, _, loss = _outcomes(wins, ties)
    return win / (win + loss)


@undefined_is_nan
def soccer(wins: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """Compute the share of points where a win is one and a tie half a point."""
    win, tie, loss = _outcomes(wins, ties)
    return (win + tie / 2) / (win + tie + loss)


@undefined_is_nan
def expected_wins(wins: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """Compute the probability of beating an opponent drawn at random, without ties.

    The mean over opponents b of wins(a, b) / (wins(a, b) + wins(b, a)), official at
    WMT12 and WMT13. Every opponent weighs the same, however often it was met; one
    without a decided comparison is left out of the mean.
    """
    losses = wins.swapaxes(-1, -2)
    rates = wins / (wins + losses)
    return np.nansum(rates, axis=-1) / np.isfinite(rates).sum(axis=-1)


@undefined_is_nan
def net_wins(wins: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """Compute the chance of beating minus that of losing to a random opponent.

    The mean over opponents b of (wins(a, b) - wins(b, a)) / comparisons(a, b), ties
    counting in the denominator.
    """
    losses = wins.swapaxes(-1, -2)
    rates = (wins - losses) / (wins + losses + ties)
    return np.nansum(rates, axis=-1) / np.isfinite(rates).sum(axis=-1)


def _outcomes(
    wins: np.ndarray, ties: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sum each system's wins, ties and losses."""
    return wins.sum(axis=-1), ties.sum(axis=-1), wins.sum(axis=-2)
