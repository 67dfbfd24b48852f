"""Bradley-Terry strengths by Newton's method, for many samples at once.

Odds of a win against a loss are exp(d), d the difference of strengths. Ties make it one
of three models. With Davidson's, win, loss and tie are as likely as

    exp(d / 2) : exp(-d / 2) : exp(t)

to one another, t a parameter; "rao-kupper" has another one (`wmtlib.models.LINKS`), and
"half" counts a tie as half a win for each side. Of sided samples, the system that was
shown first has an advantage on the scale of strengths (Davidson & Beaver 1977): odds
are exp(difference + side), and a faint prior keeps the side finite. `prior` is the
number of virtual comparisons of every system with an opponent of strength zero: won,
tied and lost alike ("half": won and lost alike).
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd
import scipy

from wmtlib import models
from wmtlib.core.counts import (
    Compared,
    ComparisonRows,
    Counts,
    Train,
    one_way,
    rows_of,
    unit_codes,
)
from wmtlib.core.errors import DataError, Message, join_names, warning
from wmtlib.core.moves import Held, Moves, Spread, effective_units, held
from wmtlib.core.sampling import ResampledCounts, sample_of_counts, side_unknown
from wmtlib.models import LINKS, Names, RatedModel

# From parameters and the numbers of their samples to first and second derivatives.
Slopes: TypeAlias = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
PRIOR = 4.0  # virtual comparisons of a system; see `wmtlib.models`
FITTED = 1 << 16  # pairs of samples that are fitted together: they fit a cache
FAINT = 1e-3  # the prior of samples that would have no maximum without one
SIDE_PRECISION = 1e-3  # of the normal prior that keeps the side finite
LEAST = 0.05  # log-odds; a smaller advantage is not worth a word
ALPHA = 0.01  # every file is tested: one in a hundred without an effect is warned of
AT_ONCE = 1 << 20  # numbers of moves that are held at a time
SETTLED = 1e-10  # of the squared length of a step, at which a solution is exact enough
STEP = Message(
    "take the method 'bradley-terry-side'", "add --method bradley-terry-side"
)


def fit(train: Train, *, systems: Names, ties: str, rng: object = None) -> RatedModel:
    """Fit Bradley-Terry as a preference model, by penalised maximum likelihood.

    Parameters
    ----------
    train, systems, rng
        See the head of `wmtlib.models`.
    ties : {"davidson", "rao-kupper"}
    """
    names = models.track(systems)
    sample = sample_of_counts(train, names)
    (theta,), _ = maximum(sample, ties=ties, prior=PRIOR)
    return models.rated(names, theta[:-1], float(theta[-1]), LINKS[ties])


def strengths(
    counts: Counts | pd.DataFrame, *, ties: str, prior: float, sided: bool = False
) -> pd.Series:
    """Fit Bradley-Terry strengths by (penalised) maximum likelihood.

    Strengths are differences about their mean. With ties="half" and prior=0 their
    exponentials are what `evalica.bradley_terry` converges to with its default win and
    tie weights.

    Parameters
    ----------
    counts : Counts, or a comparisons frame
        Every system counts; leave the reference out if it should not.
    ties : {"half", "davidson", "rao-kupper"}
    prior : float
        See the head of this module; 0 is for "half" only.
    sided : bool
        Whether being shown first is an advantage, which a frame alone can tell.

    Returns
    -------
    Series of float, by system

    Raises
    ------
    DataError
        Without a prior, systems that won (or lost) every comparison with the rest, so
        that there is no maximum. Who was shown first is needed, and not known.
    """
    sample = sample_of_counts(counts, sided=sided)
    if prior == 0:
        _require_connected(sample)
    (strength,) = resampled_strengths(sample, ties=ties, prior=prior)
    return pd.Series(strength, index=sample.systems)


def resampled_strengths(
    samples: ResampledCounts,
    *,
    ties: str,
    prior: float,
    start: np.ndarray | None = None,
) -> np.ndarray:
    """Fit strengths about their mean, (samples, systems); NaN if not compared.

    `start` (systems,) is where the fits begin. Without a prior, samples that have no
    maximum are given the prior `FAINT`.
    """
    priors = np.full(samples.seen.shape[1], float(prior))
    if not prior:
        has_maximum = _reached(samples).all(axis=(1, 2))
        priors[~has_maximum] = FAINT
    parts = min(1 + samples.seen[0].size // FITTED, len(priors))
    fits = [
        maximum(samples.take(part), ties=ties, prior=priors[part], start=start)[0]
        for part in np.array_split(np.arange(len(priors)), parts)
    ]
    strength = np.concatenate(fits)[:, : len(samples.systems)]
    met = samples.met()
    mean = (strength * met).sum(axis=1) / np.maximum(met.sum(axis=1), 1)
    return np.where(met, strength - mean[:, None], np.nan)


# --- without a prior, every system has to reach every other ---------------------------


def _reached(samples: ResampledCounts) -> np.ndarray:
    """Find if wins and ties lead from the row's system to the column's, by sample.

    Warshall's algorithm: paths through one more system are added at each step.
    """
    wins, ties = samples.matrices()
    size = len(samples.systems)
    reached = (wins + ties > 0) | np.eye(size, dtype=bool)
    for k in range(size):
        reached |= reached[:, :, [k]] & reached[:, [k]]
    return reached


def _require_connected(sample: ResampledCounts) -> None:
    """Refuse a sample in which some never lost to, or never won from, the rest."""
    (reached,) = _reached(sample)
    if reached.all():
        return
    fate = "won from"
    group = reached[reached.sum(axis=1).argmin()]
    highest = reached[:, reached.sum(axis=0).argmin()]
    if highest.sum() < group.sum():
        fate = "lost to"
        group = highest
    names = join_names(np.array(sample.systems)[group].tolist())
    raise DataError(
        f"{names} never {fate} the rest: without a prior there is no maximum"
    )


# --- the fit --------------------------------------------------------------------------


def maximum(
    samples: ResampledCounts,
    *,
    ties: str,
    prior: float | np.ndarray,
    start: np.ndarray | None = None,
) -> tuple[np.ndarray, Slopes]:
    """Find the parameters of most likelihood, and the derivatives of the likelihood.

    Parameters
    ----------
    samples : ResampledCounts
    ties : {"half", "davidson", "rao-kupper"}
    prior : float, or ndarray of float64, (samples,)
        See the head of this module.
    start : ndarray of float64, (systems,), optional
        Strengths to begin with; those of equal systems if not given.

    Returns
    -------
    theta : ndarray of float64, (samples, parameters)
        The strengths of the systems; of sided samples the advantage of the system that
        is shown first; the tie parameter.
    derivatives : callable
        As `models.maximise` takes it.
    """
    size = len(samples.systems)
    number = samples.seen.shape[1]
    # "half" is Davidson's model of samples in which no tie is left.
    link = LINKS["davidson" if ties == "half" else ties]
    # After the pairs that were compared, every system meets the virtual opponent.
    prior = np.broadcast_to(prior, number)
    virtual = np.full((3, number, size), prior[:, None] / 3)
    seen = np.concatenate([samples.seen, virtual], axis=2)
    if ties == "half":
        seen[1:] += seen[0] / 2
        seen[0] = 0
    width = size + 1 + samples.sided
    theta = np.full((number, width), -np.inf if ties == "half" else 0.5)
    theta[:, :-1] = 0.0
    if start is not None:
        theta[:, :size] = start - start.mean()
    derivatives = _slopes(samples, seen, link, free=prior == 0)
    total = seen.sum(axis=(0, 2))
    theta = models.maximise(
        derivatives,
        theta,
        total=total,
        positive_tie=link.positive_tie,
        farthest=1.5 if samples.sided else 1.0,  # a side moves a difference, too
    )
    return theta, derivatives


def _slopes(
    samples: ResampledCounts, seen: np.ndarray, link: models.Link, *, free: np.ndarray
) -> Slopes:
    """Return the derivatives of the likelihood of samples; virtual pairs come last.

    `free` says which samples have no prior, (samples,) of bool.
    """
    size = len(samples.systems)
    # Every system meets the virtual opponent, whose position is the last.
    first = np.append(samples.first, np.arange(size))
    second = np.append(samples.second, np.full(size, size))
    width = size + 1 + samples.sided
    # No side is known of virtual comparisons.
    is_shown = np.arange(len(first)) < len(samples.first)

    def by_system(values: np.ndarray, sign: int) -> np.ndarray:
        """Put values by pair into matrices (k, p, p); times `sign` the other way."""
        matrix = np.zeros((len(values), width, width))
        matrix[:, first, second] = values
        matrix[:, second, first] += sign * values
        return matrix

    def derivatives(
        theta: np.ndarray, todo: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        # The opponent's strength is zero; another parameter takes its place.
        strength = np.pad(theta[:, :size], ((0, 0), (0, 1)))
        difference = strength[:, first] - strength[:, second]
        if samples.sided:
            difference += is_shown * theta[:, [size]]
        pair = link.derivatives(difference, theta[:, -1:], seen[:, todo])
        gradient = by_system(pair.d, -1).sum(axis=2)
        gradient[:, -1] = pair.t.sum(axis=1)
        curvature = by_system(-pair.dd, 1)
        curvature[:, range(size), range(size)] = -curvature.sum(axis=2)[:, :size]
        curvature[:, -1] = by_system(pair.dt, -1).sum(axis=2)
        curvature[:, :, -1] = curvature[:, -1]
        if samples.sided:
            side = is_shown * pair.dd
            gradient[:, size] = (is_shown * pair.d).sum(axis=1)
            gradient[:, size] -= SIDE_PRECISION * theta[:, size]
            curvature[:, size] = by_system(side, -1).sum(axis=2)
            curvature[:, size, size] = side.sum(axis=1) + SIDE_PRECISION
            curvature[:, size, -1] = (is_shown * pair.dt).sum(axis=1)
            curvature[:, :, size] = curvature[:, size]
        bend = pair.tt.sum(axis=1)
        curvature[:, -1, -1] = np.where(bend > 0, bend, 1.0)
        # Without a prior, differences alone are determined: the mean stays where it is.
        curvature[free[todo], :size, :size] += 1 / size
        return gradient, curvature

    return derivatives


class Fitted(NamedTuple):
    """Strengths that are fitted to one sample, for `wmtlib.core.moves`.

    Attributes
    ----------
    theta : ndarray of float64, (parameters,)
        As `maximum` gives them.
    curvature : ndarray of float64, (parameters, parameters)
        Minus the second derivatives of the penalised log-likelihood.
    is_met : ndarray of bool, (systems,)
        Systems that were compared, whose mean strength is 0.
    ties : str
    is_sided : bool
    """

    theta: np.ndarray
    curvature: np.ndarray
    is_met: np.ndarray
    ties: str
    is_sided: bool

    def derivatives(
        self, first: np.ndarray, second: np.ndarray, seen: np.ndarray
    ) -> models.Derivatives:
        """Compute what comparisons of pairs, seen (3, pairs), add to derivatives."""
        difference = self.theta[first] - self.theta[second]
        if self.is_sided:
            difference = difference + self.theta[-2]
        if self.ties == "half":
            seen = np.stack([0 * seen[0], seen[1] + seen[0] / 2, seen[2] + seen[0] / 2])
        link = LINKS["davidson" if self.ties == "half" else self.ties]
        return link.derivatives(difference, self.theta[-1], seen)


def fitted(sample: ResampledCounts, *, ties: str, prior: float) -> Fitted:
    """Fit strengths to one sample, and keep the curvature; see `maximum`."""
    theta, derivatives = maximum(sample, ties=ties, prior=prior)
    _, curvature = derivatives(theta, np.arange(1))
    return Fitted(theta[0], curvature[0], sample.met()[0], ties, sample.sided)


# --- who was shown first --------------------------------------------------------------
#
# A system that is shown first more often than others gains what is not its own. With s
# the side, Davidson's model is
#
#     P(first), P(second), P(neither) ~ exp((d + s) / 2), exp(-(d + s) / 2), exp(t).
#
# Judgements of one unit of collection (a judge) are alike. Let T_g be the sum of what
# the comparisons of unit g move s by (its influence), and h_g its share of the
# comparisons. The variance of s, and the degrees of freedom of t = s / sqrt(V), are
#
#     V = sum of T_g^2 / (1 - h_g),    1 / (sum of h_g^2) - 1.
#
# A unit pulls the estimate towards itself, so that T_g^2 is too small by about 1 - h_g;
# and V of a few large units varies as one of few units does. With n equal units these
# are the usual n / (n - 1) and n - 1.


class Advantage(NamedTuple):
    """The advantage of being shown first.

    Attributes
    ----------
    log_odds, low, high : float
        The side term, and its 95 % interval by the units of collection.
    p : float
        Of the test that there is none, two-sided.
    turned : list of str
        Pairs, "upper > lower" without a side term, whose order it turns.

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
        """Write the advantage with its interval and p."""
        interval = f"95 % interval {self.low:.2f} to {self.high:.2f}"
        return f"{self.log_odds:.2f} log-odds ({interval}, p = {self.p:.2g})"

    @property
    def share(self) -> str:
        """Write the share that the first of two equal systems wins."""
        share = scipy.special.expit(self.log_odds)
        return f"{share:.0%} of the decided comparisons of equal systems"


def advantage(comparisons: Compared, unit: str | None = None) -> Advantage | None:
    """Estimate the advantage of being shown first; None if nothing can be said of it.

    The variance is that of the comment above, times what the parameters take.

    Parameters
    ----------
    comparisons : ComparisonRows or comparisons frame
    unit : str, optional
        The column of the units of collection; single comparisons if there is none.
    """
    rows = rows_of(comparisons)
    names = tuple(rows.systems)
    times = rows.times
    seen = rows.tallied
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
        codes, _ = unit_codes(rows.frame[unit], unit)
        square = np.bincount(codes, times * moved) ** 2
        share = np.bincount(codes, times) / number
        concentration = share @ share
    if concentration == 1:
        return None
    error = np.sqrt(np.sum(square / (1 - share)) * number / free)
    freedom = 1 / concentration - 1
    half = error * scipy.special.stdtrit(freedom, 0.975)
    p = 2 * scipy.special.stdtr(freedom, -abs(side) / error)

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
    turned = join_names(side.turned)
    effect = f" with a term for it {len(side.turned)} pairs turn ({turned})"
    if not side.turned:
        effect = " a term for it turns no pair"
    return [warning("first_shown", fault, effect, "; to rank with it, ", STEP)]


# --- how strengths move without one unit --------------------------------------------


def moves_of_strengths(
    data: ComparisonRows | Counts, *, ties: str, prior: float, sided: bool
) -> Moves:
    """Find how Bradley-Terry strengths move."""
    fit = fitted(sample_of_counts(data, sided=sided), ties=ties, prior=prior)
    number = data.counted.met.to_numpy().sum(axis=1)
    won = data.counted.wins.to_numpy()

    def doubt(effective: np.ndarray) -> np.ndarray:
        """Take the variance by the curvature, of as many comparisons as units."""
        inverse = np.linalg.inv(fit.curvature)[: len(won), : len(won)]
        inverse = inverse - inverse.mean(axis=0)
        of_model = np.diag(inverse - inverse.mean(axis=1, keepdims=True))
        variance = of_model * number / effective.clip(1)
        return np.where(one_way(won), variance, 0.0)

    def of(codes: np.ndarray | None) -> Spread:
        return spread_of_strengths(held(rows_of(data), codes, sided=sided), fit)

    return Moves(of, doubt)


def spread_of_strengths(units: Held, fitted: Fitted) -> Spread:
    """Sum d d' over units, for Bradley-Terry strengths about their mean.

    One Newton step from the fit to all judgements: there the gradients of all units,
    and of the prior, add up to 0, so that without unit c

        (H - H_c) d_c = -g_c,

    with g_c and H_c what the unit adds to the gradient and to minus the second
    derivatives H of the penalised log-likelihood. It is solved by conjugate gradients,
    begun with the inverse of H, for all units at once.
    """
    size = units.systems
    inverse = np.linalg.inv(fitted.curvature)
    spread = np.zeros((size, size))
    for part in _parts(units, len(inverse)):
        moves = _newton_step(part, fitted, inverse)[:, :size]
        moves -= moves[:, fitted.is_met].mean(axis=1, keepdims=True)
        spread += (moves.T * part.times) @ moves
    number = units.seen.sum(axis=0)
    each = units.sums((number, units.first), (number, units.second))
    return Spread(spread, effective_units(each, units.times), units.units)


def _parts(units: Held, width: int) -> Iterator[Held]:
    """Divide units into parts whose moves are held at a time."""
    at_once = max(1, AT_ONCE // width)
    for begin in range(0, len(units.times), at_once):
        cells = slice(*np.searchsorted(units.unit, [begin, begin + at_once]))
        yield Held(
            units.systems,
            units.unit[cells] - begin,
            units.first[cells],
            units.second[cells],
            units.seen[:, cells],
            units.times[begin : begin + at_once],
        )


def _newton_step(units: Held, fitted: Fitted, inverse: np.ndarray) -> np.ndarray:
    """Solve (H - H_c) d_c = -g_c of all units, (units, parameters)."""
    first, second = units.first, units.second
    width = len(inverse)
    side = width - 2  # its place, if there is one: the tie parameter is the last
    pair = fitted.derivatives(first, second, units.seen)
    number = len(units.times)
    start = units.unit * width
    of_parameters = [start + first, start + second, start + width - 1]
    if fitted.is_sided:
        of_parameters.append(start + side)
    places = np.concatenate(of_parameters)

    def by_parameter(of_difference: np.ndarray, of_tie: np.ndarray) -> np.ndarray:
        """Add up what cells add to each parameter, (units, parameters)."""
        values = [of_difference, -of_difference, of_tie]
        if fitted.is_sided:
            values.append(of_difference)
        sums = np.bincount(places, np.concatenate(values), number * width)
        return sums.reshape(number, width)

    def curvature(step: np.ndarray) -> np.ndarray:
        """Multiply a step of every unit by H - H_c."""
        difference = step[units.unit, first] - step[units.unit, second]
        if fitted.is_sided:
            difference += step[units.unit, side]
        tie = step[units.unit, -1]
        of_difference = pair.dd * difference + pair.dt * tie
        of_tie = pair.dt * difference + pair.tt * tie
        return step @ fitted.curvature - by_parameter(of_difference, of_tie)

    return conjugate_gradients(curvature, -by_parameter(pair.d, pair.t), inverse)


def conjugate_gradients(product, right: np.ndarray, inverse: np.ndarray) -> np.ndarray:
    """Solve product(x) = right, row by row, near `inverse`; see `_newton_step`."""
    solution = np.zeros_like(right)
    rest = right
    ahead = direction = rest @ inverse
    length = least = np.einsum("ij,ij->i", rest, ahead)
    for _ in range(2 * len(inverse)):
        if (length <= SETTLED * least).all():
            break
        image = product(direction)
        bend = np.einsum("ij,ij->i", direction, image)
        go = (length > SETTLED * least) & (bend > 0)
        step = np.divide(length, bend, out=0 * length, where=go)[:, None]
        solution = solution + step * direction
        rest = rest - step * image
        ahead = rest @ inverse
        before, length = length, np.einsum("ij,ij->i", rest, ahead)
        keep = np.divide(length, before, out=0 * length, where=go)[:, None]
        direction = np.where(go[:, None], ahead + keep * direction, direction)
        length = np.where(go, length, 0)
    return solution
