"""Who was shown first: does the first of two systems win more than its share?

Davidson and Beaver (1977) add an advantage s of the system that is shown first to
Davidson's model of ties. With d the difference of strengths and t the tie parameter,

    P(first), P(second), P(neither) ~ exp((d + s) / 2), exp(-(d + s) / 2), exp(t).

A system that is shown first more often than others gains what is not its own.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import special

from wmtlib.bradley_terry import PRIOR, maximum
from wmtlib.counts import coded, unit_codes
from wmtlib.errors import Message, joined, listed
from wmtlib.models import LINKS
from wmtlib.sampling import sample_of_counts, side_unknown

LEAST = 0.05  # log-odds; a smaller advantage is not worth a word
ALPHA = 0.01  # every file is tested: one in a hundred without an effect is warned of
STEP = Message("take the method 'bradley-terry-side'", "add --side")


class Advantage(NamedTuple):
    """The advantage of being shown first.

    Attributes
    ----------
    log_odds, low, high : float
        The side term, and its 95 % interval by the units of collection.
    p : float
        Of the test that there is none, two-sided.
    turned : list of str
        Pairs, "upper > lower" without a side term, that stand the other way with it.
    """

    log_odds: float
    low: float
    high: float
    p: float
    turned: list[str]


def advantage(comparisons: pd.DataFrame, unit: str | None = None) -> Advantage | None:
    """The advantage of being shown first; None if nothing can be said of it.

    The standard error is that of the sums over units of what each comparison moves the
    side term by (its influence), as judgements of one unit are alike.

    Parameters
    ----------
    comparisons : DataFrame
        A comparisons frame.
    unit : str, optional
        The column of the units of collection; single comparisons if there is none.
    """
    rows = coded(comparisons)
    names = tuple(rows.systems)
    times = rows.times
    seen = rows.tally()
    free = times.sum() - len(names) - 2  # comparisons less parameters
    if side_unknown(seen) or free < 1:
        return None
    with_side = sample_of_counts(seen, names, sided=True)
    (theta,), derivatives = maximum(with_side, ties="davidson", prior=PRIOR)
    *strength, side, tie = theta
    _, (curvature,) = derivatives(theta[None], np.arange(1))
    *of_strength, of_side, of_tie = np.linalg.inv(curvature)[-2]

    # What one comparison of each kind moves the side term by, (3, n, n).
    difference = np.subtract.outer(strength, strength) + side
    kinds = np.eye(3)[:, :, None, None]  # a tie, a win of the first, of the second
    slope = LINKS["davidson"].derivatives(difference, tie, kinds)
    of_pair = np.subtract.outer(of_strength, of_strength) + of_side
    influence = of_pair * slope.d + of_tie * slope.t
    moved = influence[rows.preference, rows.first, rows.second]
    number = int(times.sum())
    variance = times @ moved**2 * number / free
    if unit is not None:
        codes, number = unit_codes(comparisons[unit], unit)
        if number < 2:
            return None
        total = np.bincount(codes, times * moved)
        variance = total @ total * times.sum() / free
    error = np.sqrt(variance * number / (number - 1))
    half = error * special.stdtrit(number - 1, 0.975)
    p = 2 * special.stdtr(number - 1, -abs(side) / error)

    without_side = sample_of_counts(seen, names)
    (theta,), _ = maximum(without_side, ties="davidson", prior=PRIOR)
    order = np.argsort(-theta[:-1], kind="stable")
    gained = np.array(strength)[order]
    above, below = np.nonzero(np.triu(gained[:, None] < gained))
    pairs = np.array(names, dtype=object)[order[[above, below]]].T
    turned = [" > ".join(pair) for pair in pairs]
    return Advantage(side, side - half, side + half, p, turned)


def first_shown(comparisons: pd.DataFrame, unit: str | None = None) -> list[str]:
    """Warn of an advantage of the systems that were shown first, or second."""
    side = advantage(comparisons, unit)
    if side is None or abs(side.log_odds) <= LEAST or side.p >= ALPHA:
        return []
    share = special.expit(side.log_odds)
    way = "more" if side.log_odds > 0 else "less"
    fault = (
        f"systems that were shown first win {way} than their share: by"
        f" {side.log_odds:.2f} log-odds (95 % interval {side.low:.2f} to"
        f" {side.high:.2f}), {share:.0%} of the decided comparisons of equal systems;"
    )
    turned = listed(side.turned)
    effect = f" with a term for it {len(side.turned)} pairs turn ({turned})"
    if not side.turned:
        effect = " a term for it turns no pair"
    return [joined(fault, effect, "; to rank with it, ", STEP)]
