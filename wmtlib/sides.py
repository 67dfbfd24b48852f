"""Who was shown first: does the first of two systems win more than its share?

Davidson and Beaver (1977) add an advantage s of the system that is shown first to
Davidson's model of ties. With d the difference of strengths and t the tie parameter,

    P(first), P(second), P(neither) ~ exp((d + s) / 2), exp(-(d + s) / 2), exp(t).

A system that is shown first more often than others gains what is not its own.

Judgements of one unit of collection (a judge) are alike. Let T_g be the sum of what the
comparisons of unit g move the side term by (its influence), and h_g its share of the
comparisons. The variance of s, and the degrees of freedom of t = s / sqrt(V), are

    V = sum of T_g^2 / (1 - h_g),    1 / (sum of h_g^2) - 1.

A unit pulls the estimate towards itself, so that T_g^2 is too small by about 1 - h_g;
and V of a few large units varies as one of few units does. With n equal units these are
the usual n / (n - 1) and n - 1.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import special

from wmtlib.bradley_terry import PRIOR, maximum
from wmtlib.counts import coded, unit_codes
from wmtlib.errors import Message, listed, warning
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

    Examples
    --------
    >>> Advantage(0.4, 0.1, 0.7, 0.009, []).words
    '0.40 log-odds (95 % interval 0.10 to 0.70, p = 0.009)'
    """

    log_odds: float
    low: float
    high: float
    p: float
    turned: list[str]

    @property
    def words(self) -> str:
        """The advantage with its interval and p, as text."""
        interval = f"95 % interval {self.low:.2f} to {self.high:.2f}"
        return f"{self.log_odds:.2f} log-odds ({interval}, p = {self.p:.2g})"

    @property
    def share(self) -> str:
        """What the first of two equal systems wins, as text."""
        share = special.expit(self.log_odds)
        return f"{share:.0%} of the decided comparisons of equal systems"


def advantage(comparisons: pd.DataFrame, unit: str | None = None) -> Advantage | None:
    """Estimate the advantage of being shown first; None if nothing can be said of it.

    The variance is that of the head of this module, times what the parameters take.

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
    number = times.sum()
    square = times * moved**2
    share = concentration = 1 / number
    if unit is not None:
        codes, _ = unit_codes(comparisons[unit], unit)
        square = np.bincount(codes, times * moved) ** 2
        share = np.bincount(codes, times) / number
        concentration = share @ share
    if concentration == 1:
        return None
    error = np.sqrt(np.sum(square / (1 - share)) * number / free)
    freedom = 1 / concentration - 1
    half = error * special.stdtrit(freedom, 0.975)
    p = 2 * special.stdtr(freedom, -abs(side) / error)

    without_side = sample_of_counts(seen, names)
    (theta,), _ = maximum(without_side, ties="davidson", prior=PRIOR)
    order = np.argsort(-theta[:-1], kind="stable")
    gained = np.array(strength)[order]
    above, below = np.nonzero(np.triu(gained[:, None] < gained))
    pairs = np.array(names, dtype=object)[order[[above, below]]].T
    turned = [" > ".join(pair) for pair in pairs]
    return Advantage(side, side - half, side + half, p, turned)


def first_shown(side: Advantage | None) -> list[str]:
    """Warn of an advantage of the systems that were shown first, or second."""
    if side is None or abs(side.log_odds) <= LEAST or side.p >= ALPHA:
        return []
    way = "more" if side.log_odds > 0 else "less"
    fault = (
        f"systems that were shown first win {way} than their share: by {side.words},"
        f" {side.share};"
    )
    turned = listed(side.turned)
    effect = f" with a term for it {len(side.turned)} pairs turn ({turned})"
    if not side.turned:
        effect = " a term for it turns no pair"
    return [warning("first_shown", fault, effect, "; to rank with it, ", STEP)]
