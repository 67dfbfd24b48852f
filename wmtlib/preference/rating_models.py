"""Preference models made of one strength per system and one tie parameter.

Hopkins & May (2013) ask "is my analysis better than yours?" of eight preference models. Here the
others take the same test: Bradley-Terry with ties (`bradley_terry`), TrueSkill (`true_skill`), and
the scores and orders of the WMT campaigns (`score_models`).

**Links.** With d the difference of two strengths and t the tie parameter,

- "davidson" (1970): P(1), P(2), P(0) proportional to exp(d/2), exp(-d/2), exp(t);
- "rao-kupper" (1967): P(1) = s(d - t), P(2) = s(-d - t), s the logistic function, t > 0: neither is
  preferred while the difference, as the judge sees it, is within the radius t;
- "glenn-david" (1960): the same with the normal distribution function for s, which is the model
  that TrueSkill's pass approximates.

**Prior.** Maximum likelihood puts a system that never lost at infinity. So each system is given
`prior` virtual comparisons with an opponent of strength zero, of which it won, tied and lost a
third each. The penalised likelihood is strictly concave: it has one maximum for any training set,
the empty one included.

What the methods' authors leave open is set as Hopkins & May set theirs (footnote 13): by the
German tracks of WMT10, which stay out of the comparison. There the Bradley-Terry `prior` of 4 is
the best power of two from 1/8 to 16; for scores, priors from 1/8 to 1/2 do equally well
(perplexities within 0.001); and TrueSkill does worse with the ratio of sigma and beta halved or
doubled.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy

from wmtlib.preference.preference_model import PreferenceModel


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
    """Of a log-likelihood, pair by pair: slopes, and minus the second derivatives."""

    d: np.ndarray
    t: np.ndarray
    dd: np.ndarray
    tt: np.ndarray
    dt: np.ndarray


class Link(NamedTuple):
    """A link.

    `probabilities(d, t)` gives (..., 3): tie, win and loss. `derivatives(d, t, seen)` gives those
    of the log-likelihood, where seen = (ties, wins, losses) counts the comparisons of each pair.
    """

    probabilities: Callable[[np.ndarray, float], np.ndarray]
    derivatives: Callable[[np.ndarray, np.ndarray | float, np.ndarray], Derivatives]
    positive_tie: bool


def _davidson(d: np.ndarray, t: float) -> np.ndarray:
    weight = np.exp(np.stack([np.full_like(d, t), d / 2, -d / 2], axis=-1))
    return weight / weight.sum(axis=-1, keepdims=True)


def _davidson_derivatives(d: np.ndarray, t: np.ndarray | float, seen: np.ndarray) -> Derivatives:
    """An exponential family: its curvature is the covariance of (wins - losses) / 2 and ties."""
    ties, wins, losses = seen
    total, win, loss, tie = ties + wins + losses, np.exp(d / 2), np.exp(-d / 2), np.exp(t)
    norm = win + loss + tie
    mean, tied = (win - loss) / (2 * norm), tie / norm
    return Derivatives(
        d=(wins - losses) / 2 - total * mean,
        t=ties - total * tied,
        dd=total * ((win + loss) / (4 * norm) - mean**2),
        tt=total * tied * (1 - tied),
        dt=-total * mean * tied,
    )


def _rao_kupper(d: np.ndarray, t: float) -> np.ndarray:
    win, loss = scipy.special.expit(d - t), scipy.special.expit(-d - t)
    return np.stack([np.expm1(2 * t) * win * loss, win, loss], axis=-1)


def _rao_kupper_derivatives(d: np.ndarray, t: np.ndarray | float, seen: np.ndarray) -> Derivatives:
    """With P(0) = (exp(2t) - 1) P(1) P(2), a tie is a win, a loss and the factor in t."""
    ties, wins, losses = seen
    win, loss = scipy.special.expit(d - t), scipy.special.expit(-d - t)
    up, down = (wins + ties) * (1 - win), (losses + ties) * (1 - loss)
    free = -np.expm1(-2 * t)
    return Derivatives(
        d=up - down,
        t=2 * ties / free - up - down,
        dd=up * win + down * loss,
        tt=up * win + down * loss + 4 * ties * np.exp(-2 * t) / free**2,
        dt=down * loss - up * win,
    )


def _glenn_david(d: np.ndarray, t: float) -> np.ndarray:
    win, loss = scipy.special.ndtr(d - t), scipy.special.ndtr(-d - t)
    size = np.abs(d)  # in the lower tail, where differences of ndtr do not cancel
    tie = scipy.special.ndtr(t - size) - scipy.special.ndtr(-t - size)
    return np.stack([tie, win, loss], axis=-1)


def _glenn_david_derivatives(d: np.ndarray, t: np.ndarray | float, seen: np.ndarray) -> Derivatives:
    """Of a win or loss: log cdf has slope h = pdf / cdf, and curvature -h(x) (x + h(x))."""
    ties, wins, losses = seen
    win, loss = _hazard(d - t), _hazard(-d - t)
    slope_win, slope_loss = wins * win, losses * loss
    curved_win, curved_loss = slope_win * (d - t + win), slope_loss * (-d - t + loss)
    # Of a tie, the mass between the ends `low` and `high`; ratios of the densities there to it.
    sign, low, high = np.sign(d), -t - np.abs(d), t - np.abs(d)
    below_low, below_high = scipy.special.log_ndtr(low), scipy.special.log_ndtr(high)
    mass = below_high + np.log1p(-np.exp(below_low - below_high))
    at_low, at_high = (np.exp(-x * x / 2 - mass) / np.sqrt(2 * np.pi) for x in (low, high))
    by_d, by_t, width = at_low - at_high, at_low + at_high, high * at_high - low * at_low
    across = by_d * by_t - high * at_high - low * at_low
    return Derivatives(
        d=slope_win - slope_loss + ties * sign * by_d,
        t=ties * by_t - slope_win - slope_loss,
        dd=curved_win + curved_loss + ties * (by_d**2 + width),
        tt=curved_win + curved_loss + ties * (by_t**2 + width),
        dt=curved_loss - curved_win + ties * sign * across,
    )


def _hazard(x: np.ndarray) -> np.ndarray:
    return np.exp(-x * x / 2 - scipy.special.log_ndtr(x)) / np.sqrt(2 * np.pi)


LINKS = {
    "davidson": Link(_davidson, _davidson_derivatives, positive_tie=False),
    "rao-kupper": Link(_rao_kupper, _rao_kupper_derivatives, positive_tie=True),
    "glenn-david": Link(_glenn_david, _glenn_david_derivatives, positive_tie=True),
}


def rated(names: tuple[str, ...], strengths: np.ndarray, tie: float, link: Link) -> RatedModel:
    """The preference model of strengths (n,) and a tie parameter."""
    q = link.probabilities(np.subtract.outer(strengths, strengths), tie)
    return RatedModel(names, q, pd.Series(strengths, index=names), tie)
