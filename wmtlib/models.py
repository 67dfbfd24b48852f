"""Preference models: distributions over who wins, judged by what they predict.

A preference model (Hopkins & May 2013, section 4) is an estimate of P(pi | a, b), the
chance that a judge prefers a (pi = 1), b (pi = 2) or neither (pi = 0). Two models
trained on the same comparisons are compared by their perplexity on held-out ones.

Every model is fitted by a function `fit(train, *, systems, rng)`. `train` is a frame of
comparisons (columns system_1, system_2, preference), `Counts` or a `tally`. `systems`
names all systems of the track, for a small training set need not meet every one; the
reference, if judged, is one of them. `rng`, a Generator, may be left out where no
random number is drawn.

In the order of the paper: perplexity (section 4), the models of sections 5 and 6; then
models made of one strength per system, to which section 1's question "is my analysis
better than yours?" is put too: Bradley-Terry (`wmtlib.bradley_terry`), TrueSkill
(`wmtlib.trueskill`), scores and orders.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd
import scipy

from wmtlib.core.counts import SWAPPED, Train, both_ways, tally, upper_pairs
from wmtlib.core.errors import DataError
from wmtlib.core.mfas_search import PROVABLE, descend, first_guess, minimise
from wmtlib.core.sampling import dealt

STEP = 1e-7  # the last step of a fit may be this long: the error is about its square
PATIENCE = 50  # steps after which a gradient within its rounding error ends the climb
MOST_STEPS = 200
LARGE = 300  # parameters from which on its threads are worth it again
LEAF = 60  # parameters up to which the library solves a system with one thread
ROUNDING = 1e-12  # error of a gradient, per comparison
FOLDS = 5
SCORE_PRIOR = 0.5  # virtual comparisons of a system in a model made of scores
SUBSETS = 100_000  # at which the search for the proof of an order is given up

Names: TypeAlias = Iterable[str]
# From wins and ties, (samples, n, n), to scores, (samples, n).
Score: TypeAlias = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class PreferenceModel:
    """An estimate of P(pi | a, b) for every ordered pair of systems.

    Attributes
    ----------
    systems : tuple of str
        Names, sorted.
    probabilities : ndarray (n, n, 3), read-only
        `probabilities[a, b, pi]`: neither (0), a (1) or b (2) is preferred. The three
        sum to one, or to less under one formula as the paper prints it (see
        `independent_students`). The diagonal holds no meaning.

    Raises
    ------
    DataError
        A number that is negative or not finite.
    """

    systems: tuple[str, ...]
    probabilities: np.ndarray = field(repr=False)

    def __post_init__(self) -> None:
        p = np.array(self.probabilities, dtype=float)
        if not (np.isfinite(p) & (p >= 0)).all():
            raise DataError("probabilities: expected finite numbers from 0")
        p.flags.writeable = False
        object.__setattr__(self, "probabilities", p)


def track(systems: Names) -> tuple[str, ...]:
    """Sort and check the names of the systems of a track.

    Raises
    ------
    DataError
        Fewer than two names, or one of them twice.
    """
    names = tuple(sorted(systems))
    if len(names) < 2:
        raise DataError(
            f"a preference model needs at least two systems; got {len(names)}"
        )
    doubled = [name for name in names if names.count(name) > 1]
    if doubled:
        raise DataError(f"system {doubled[0]!r} is named twice")
    return names


def perplexity(model: PreferenceModel, test: Train) -> float:
    """Compute the perplexity of a model on held-out comparisons (section 4).

    Two to the mean of -log2 Q(pi | a, b) over the comparisons <a, b, pi>: 3 for the
    uniform model, infinite if something happened to which the model gives probability
    zero.

    Parameters
    ----------
    model : PreferenceModel
    test : DataFrame, Counts or ndarray
        Comparisons (columns system_1, system_2, preference) in the order they were
        shown, which matters to a model that is not symmetric; or counts, which forget
        that order and take system_1 < system_2 by name; or a `tally` of either.

    Raises
    ------
    DataError
        No comparison, or one that `tally` refuses, such as one of a system unknown to
        the model.
    """
    seen = tally(test, model.systems)
    if not seen.any():
        raise DataError(
            "no comparison to test on: perplexity is a mean over at least one"
        )
    met = seen > 0
    with np.errstate(divide="ignore", over="ignore"):  # log2(0): infinite perplexity
        bits = -np.log2(model.probabilities[met])
        return float(np.exp2(np.average(bits, weights=seen[met])))


# --- the paper's baselines: uniform, independent pairs and independent students -------


def uniform(train: Train, *, systems: Names, rng: object = None) -> PreferenceModel:
    """Return Q = 1/3 for each preference: Hopkins & May (2013), section 5.1."""
    names = track(systems)
    return PreferenceModel(names, np.full((len(names), len(names), 3), 1 / 3))


def adjusted_uniform(
    train: Train, *, systems: Names, rng: object = None
) -> PreferenceModel:
    """Fit the share of ties, and halve the rest: Hopkins & May (2013), section 5.2.

    The paper smooths nothing here and neither does this: trained on no tie (or on ties
    only), the model holds a tie (or a preference) for impossible, and its perplexity on
    one is infinite.

    Raises
    ------
    DataError
        No comparison to train on: the share is 0/0.
    """
    names = track(systems)
    seen = tally(train, names).sum(axis=(0, 1))
    if not seen.any():
        raise DataError("no comparison to train on: the share of ties is 0/0")
    tie = seen[0] / seen.sum()
    q = [tie, (1 - tie) / 2, (1 - tie) / 2]
    return PreferenceModel(names, np.broadcast_to(q, (len(names), len(names), 3)))


def _posterior_mean(seen: np.ndarray) -> np.ndarray:
    """Compute the mean of three outcomes (last axis) under a Dirichlet prior.

    Its strength is the paper's (footnote 13): each one of the three counts is raised by
    1.
    """
    return (1 + seen) / (3 + seen.sum(axis=-1, keepdims=True))


def independent_pairs(
    train: Train, *, systems: Names, rng: object = None
) -> PreferenceModel:
    """Fit a distribution to every pair: Hopkins & May (2013), section 6.1.

    A pair that never met gets 1/3 each.
    """
    names = track(systems)
    return PreferenceModel(names, _posterior_mean(both_ways(tally(train, names))))


def independent_students(
    train: Train, *, systems: Names, reconstruction: str, rng: object = None
) -> PreferenceModel:
    """Fit a distribution Q(pi | a) to every system, and combine two: section 6.2.

    Q(pi | a) is the share of ties, wins and losses of a, whoever it met and on
    whichever side of the screen. Q(pi | a, b) is made of Q(pi | a) and Q(pi-hat | b) by
    one of

    - "asymmetric": Q(pi | a) alone. What b can do is ignored, so Q(pi | a, b) is not
      Q(pi-hat | b, a), and perplexity depends on which of the two was shown first;
    - "arithmetic": their mean;
    - "geometric": the root of their product, over its sum over pi. The paper prints it
      without the sum; that is not a distribution, as it sums to less than one unless
      the two agree (Cauchy-Schwarz). Section 4 defines a preference model as a
      distribution, and only so is the geometric model nearly indistinguishable from the
      arithmetic one on WMT12, as the paper says;
    - "geometric-as-printed": without the sum. Dividing raises every probability, so it
      lowers the perplexity, by the factor 2 ** mean(log2(sum)).

    Parameters
    ----------
    train, systems
        See the head of this module. A system that met no one gets 1/3 each.
    reconstruction : str
        "asymmetric", "arithmetic", "geometric" or "geometric-as-printed".
    """
    names = track(systems)
    ability = _posterior_mean(both_ways(tally(train, names)).sum(axis=1))  # (n, 3)
    of_a = ability[:, None]
    of_b = ability[:, SWAPPED]
    if reconstruction == "asymmetric":
        q = of_a + 0 * of_b
    elif reconstruction == "arithmetic":
        q = (of_a + of_b) / 2
    else:
        q = np.sqrt(of_a * of_b)
    if reconstruction != "geometric-as-printed":
        q /= q.sum(axis=2, keepdims=True)
    return PreferenceModel(names, q)


# --- models made of one strength per system and one tie parameter ---------------------
#
# **Links.** With d the difference of two strengths and t the tie parameter,
#
# - "davidson" (1970): P(1), P(2), P(0) proportional to exp(d/2), exp(-d/2), exp(t);
# - "rao-kupper" (1967): P(1) = s(d - t), P(2) = s(-d - t), s the logistic function, t >
# 0: neither
#   is preferred while the difference, as the judge sees it, is within the radius t.
#
# **Prior.** Maximum likelihood puts a system that never lost at infinity. So each
# system is given `prior` virtual comparisons with an opponent of strength zero, of
# which it won, tied and lost a third each. The penalised likelihood is strictly
# concave: it has one maximum for any training set, the empty one included.
#
# What the methods' authors leave open is set as Hopkins & May set theirs (footnote 13):
# by the German tracks of WMT10, which stay out of the comparison. There the
# Bradley-Terry `prior` of 4 is the best power of two from 1/8 to 16; for scores, priors
# from 1/8 to 1/2 do equally well (perplexities within 0.001); and TrueSkill does worse
# with the ratio of sigma and beta halved or doubled.


@dataclass(frozen=True, eq=False)
class RatedModel(PreferenceModel):
    """A preference model made of one strength per system.

    Attributes
    ----------
    strengths : Series of float, by system
        Higher = better; zero is the mean of the prior.
    tie : float
        The tie parameter of the link; TrueSkill's draw margin.
    """

    strengths: pd.Series = field(repr=False)
    tie: float


class Derivatives(NamedTuple):
    """First and minus second derivatives of a log-likelihood, pair by pair."""

    d: np.ndarray
    t: np.ndarray
    dd: np.ndarray
    dt: np.ndarray
    tt: np.ndarray


class Link(NamedTuple):
    """The probabilities of the outcomes, given a difference of strengths.

    `probabilities(d, t)` gives (3, ...): tie, win and loss. `derivatives(d, t, seen)`
    gives those of the log-likelihood pair by pair, where seen = (ties, wins, losses),
    (3, ...), counts the comparisons of each pair.
    """

    probabilities: Callable[[np.ndarray, np.ndarray | float], np.ndarray]
    derivatives: Callable[[np.ndarray, np.ndarray | float, np.ndarray], Derivatives]
    positive_tie: bool  # whether t has to stay above zero


def _davidson(d: np.ndarray, t: np.ndarray | float) -> np.ndarray:
    """Compute P(tie), P(win), P(loss) ~ e^t, e^(d/2), e^(-d/2), over their sum."""
    weight = np.stack(np.broadcast_arrays(np.exp(t), np.exp(d / 2), np.exp(-d / 2)))
    return weight / weight.sum(axis=0)


def _davidson_derivatives(
    d: np.ndarray, t: np.ndarray | float, seen: np.ndarray
) -> Derivatives:
    """Compute derivatives; bent by the covariance of (wins - losses) / 2 and ties."""
    ties, wins, losses = seen
    total = ties + wins + losses
    tie, win, loss = _davidson(d, t)
    mean = (win - loss) / 2
    variance = (win + loss) / 4 - mean**2
    return Derivatives(
        d=(wins - losses) / 2 - total * mean,
        t=ties - total * tie,
        dd=total * variance,
        dt=-total * mean * tie,
        tt=total * tie * (1 - tie),
    )


def _rao_kupper(d: np.ndarray, t: np.ndarray | float) -> np.ndarray:
    """Compute P(win) = 1 / (1 + e^(t-d)), P(loss) = 1 / (1 + e^(t+d)), P(tie)."""
    win = scipy.special.expit(d - t)
    loss = scipy.special.expit(-d - t)
    return np.stack([np.expm1(2 * t) * win * loss, win, loss])


def _rao_kupper_derivatives(
    d: np.ndarray, t: np.ndarray | float, seen: np.ndarray
) -> Derivatives:
    """Compute derivatives: P(0) = (exp(2t) - 1) P(1) P(2), so a tie is win and loss."""
    ties, wins, losses = seen
    win = scipy.special.expit(d - t)
    loss = scipy.special.expit(-d - t)
    up = (wins + ties) * (1 - win)
    down = (losses + ties) * (1 - loss)
    free = -np.expm1(-2 * t)
    bend = up * win + down * loss
    return Derivatives(
        d=up - down,
        t=2 * ties / free - up - down,
        dd=bend,
        dt=down * loss - up * win,
        tt=bend + 4 * ties * np.exp(-2 * t) / free**2,
    )


LINKS = {
    "davidson": Link(_davidson, _davidson_derivatives, positive_tie=False),
    "rao-kupper": Link(_rao_kupper, _rao_kupper_derivatives, positive_tie=True),
}


def rated(
    names: tuple[str, ...], strengths: np.ndarray, tie: float, link: Link
) -> RatedModel:
    """Make the preference model of strengths (n,) and a tie parameter."""
    q = link.probabilities(np.subtract.outer(strengths, strengths), tie)
    return RatedModel(names, np.moveaxis(q, 0, -1), pd.Series(strengths, names), tie)


def maximise(
    derivatives: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]],
    theta: np.ndarray,
    *,
    total: np.ndarray,
    positive_tie: bool,
    farthest: float = 1.0,
) -> np.ndarray:
    """Find the maximum of each of several concave functions by Newton's method.

    A step that changes a difference of strengths by r is cut by ln(1 + r) / r, which
    makes the method climb from anywhere on sums of log-logistic terms, as their
    curvature changes by no more than a factor of exp(r).

    Parameters
    ----------
    derivatives : callable
        From parameters (k, p) and the numbers (k,) of their functions to gradients (k,
        p) and minus the second derivatives (k, p, p). The last parameter is the tie
        parameter.
    theta : ndarray (functions, p)
        Where to begin.
    total : ndarray (functions,)
        Number of comparisons.
    positive_tie : bool
        Whether the tie parameter has to stay above zero.
    farthest : float
        What the other parameters are multiplied by, at most, to give a strength.

    Raises
    ------
    DataError
        No maximum found.
    """
    theta = theta.copy()
    todo = np.arange(len(theta))
    for iteration in range(MOST_STEPS):
        gradient, curvature = derivatives(theta[todo], todo)
        step = solve_by_halves(curvature, gradient[..., None])[..., 0]
        tie_step = np.abs(step[:, -1])
        length = 2 * farthest * np.abs(step[:, :-1]).max(axis=1) + tie_step
        cut = np.log1p(length) / np.maximum(length, 1e-300)
        if positive_tie:
            cut = np.minimum(cut, 1 / (1 + tie_step / theta[todo, -1]))
        cut[length < 1e-3] = 1.0
        theta[todo] += cut[:, None] * step
        moves = length >= STEP
        if iteration >= PATIENCE:  # nearly flat: the steps are what rounding makes them
            moves &= np.abs(gradient).max(axis=1) > ROUNDING * total[todo]
        todo = todo[moves]
        if not len(todo):
            return theta
    raise DataError("the fit has not settled; expected a prior, or a larger one")


def solve_by_halves(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Solve symmetric, definite systems as `np.linalg.solve` does, by blocks.

    Large systems are shared among threads, which wait for each other by spinning: of
    100 parameters that takes ten times as much CPU time. The upper half is solved by
    itself, for the right side and for what couples it to the lower half.

    Parameters
    ----------
    matrix : ndarray of float64, (samples, n, n)
    right : ndarray of float64, (samples, n, columns)
    """
    size = matrix.shape[1]
    if size <= LEAF or size > LARGE:
        return np.linalg.solve(matrix, right)
    half = size // 2
    lower = size - half
    across = matrix[:, :half, half:]
    solved = solve_by_halves(
        matrix[:, :half, :half], np.concatenate([across, right[:, :half]], axis=2)
    )
    gain, rest = np.split(solved, [lower], axis=2)
    back = across.swapaxes(1, 2)
    low = solve_by_halves(
        matrix[:, half:, half:] - back @ gain, right[:, half:] - back @ rest
    )
    return np.concatenate([rest - gain @ low, low], axis=1)


# --- scores and orders of systems as preference models --------------------------------
#
# Scores have no noise of their own. A score becomes a preference model by the
# Rao-Kupper link with strength = slope * standardised score: two parameters fitted to
# the training data, slope >= 0 and tie radius. A system to which the training data give
# no score is at the mean.


def from_scores(
    score: Score,
    train: Train,
    *,
    systems: Names,
    rng: np.random.Generator,
) -> RatedModel:
    """Fit a preference model of two parameters, slope and tie radius, to any score.

    A score lies nearer to the comparisons that it was computed from than to others,
    which would make it look too sure. So both parameters are fitted to comparisons that
    the scores beside them have not seen: five random parts, each predicted from the
    other four. The model keeps the scores of all training comparisons.

    Parameters
    ----------
    score : callable
        From wins and ties (samples, n, n) to scores (samples, n), higher = better, NaN
        for a system that it cannot score: such as the formulas of `wmtlib.scorers`. A
        system that cannot be scored is given the mean score.
    train, systems
        See the head of `wmtlib.models`.
    rng : Generator
        Draws the five parts.
    """
    names = track(systems)
    seen = upper_pairs(both_ways(tally(train, names)))
    parts = dealt(seen.ravel(), FOLDS, rng).T.reshape(FOLDS, *seen.shape)

    # Scores from all comparisons, and from all but those of each part.
    training = np.concatenate([seen[None], seen - parts])
    ties, wins, _ = np.moveaxis(both_ways(training), -1, 0)
    standardised, *without_parts = _in_deviations(score(wins, ties))
    # Every system has a virtual opponent; each part is predicted from the others.
    differences = [standardised]
    counts = [np.full((len(names), 3), SCORE_PRIOR / 3)]
    for part, scores in zip(parts, without_parts, strict=True):
        a, b = np.nonzero(part.any(axis=2))
        differences.append(scores[a] - scores[b])
        counts.append(part[a, b])
    slope, tie = _slope_and_tie(np.concatenate(differences), np.concatenate(counts).T)
    return rated(names, slope * standardised, tie, LINKS["rao-kupper"])


def _in_deviations(scores: np.ndarray) -> np.ndarray:
    """Scale scores (samples, n) to mean 0 and deviation 1; 0 for a missing one."""
    known = np.ma.masked_invalid(scores)
    deviation = known.std(axis=1, keepdims=True)
    alike = deviation <= 1e-12 * abs(known).max(axis=1, keepdims=True)
    centred = known - known.mean(axis=1, keepdims=True)
    return (centred / np.ma.masked_where(alike, deviation)).filled(0.0)


def _slope_and_tie(x: np.ndarray, seen: np.ndarray) -> tuple[float, float]:
    """Fit slope >= 0 and tie radius to differences (m,) and counts (3, m)."""

    def derivatives(theta: np.ndarray, _: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        slope, tie = theta[0]
        pair = _rao_kupper_derivatives(slope * x, tie, seen)
        gradient = [pair.d @ x, pair.t.sum()]
        mixed = pair.dt @ x
        curvature = [[pair.dd @ x**2, mixed], [mixed, pair.tt.sum()]]
        return np.array([gradient]), np.array([curvature])

    if x.any():
        ((slope, tie),) = maximise(
            derivatives,
            np.array([[0.0, 0.5]]),
            total=np.array([seen.sum()]),
            positive_tie=True,
            farthest=np.abs(x).max(),
        )
        if slope > 0:
            return float(slope), float(tie)
    # Slope 0: all pairs are alike, and the share of ties has a closed form.
    ties, wins, losses = seen.sum(axis=1)
    return 0.0, float(np.log(1 + 2 * ties / (wins + losses)))


def mfas_places(wins: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """Compute places, from the bottom, of minimum feedback arc set rankings.

    Where a proof would take long, the best order that was found is taken. How long
    it may take is counted in steps, not seconds, so that the order depends on the wins
    alone.

    Parameters
    ----------
    wins, ties : ndarray (samples, n, n)
        Ties are not looked at.

    Returns
    -------
    ndarray (samples, n)
        NaN for a system without a decided comparison.
    """
    places = np.full(wins.shape[:2], np.nan)
    for sample, won in enumerate(wins):
        met = np.flatnonzero((won + won.T).any(axis=1))
        if not len(met):
            continue
        margin = (won - won.T)[np.ix_(met, met)].astype(np.int64)
        if len(met) <= PROVABLE:  # more are ordered by local search alone
            order = minimise(margin, states=SUBSETS).order
        else:
            order = descend(margin, first_guess(margin))
        places[sample, met[order]] = range(len(met), 0, -1)
    return places
