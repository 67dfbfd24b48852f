"""Rankings and rating systems as preference models: what the field used before and after 2013.

Hopkins & May (2013) ask "is my analysis better than yours?" of eight preference models. Here the
others take the same test: Bradley-Terry with ties, TrueSkill, and the scores and orders of the WMT
campaigns, each fitted by `fit(train, *, systems, rng)` (see `wmtlib.preference.base`).

**Links.** A strength per system and one tie parameter t give, with d the difference of strengths,

- "davidson" (1970): P(1), P(2), P(0) proportional to exp(d/2), exp(-d/2), exp(t);
- "rao-kupper" (1967): P(1) = s(d - t), P(2) = s(-d - t), s the logistic function, t > 0: neither is
  preferred while the difference, as the judge sees it, is within the radius t.

**Prior.** Maximum likelihood puts a system that never lost at infinity. So each system is also
held to have met, `prior` times, a virtual opponent of strength zero, and to have won, tied and
lost a third of that. The penalised likelihood is strictly concave, with one maximum for any
training set, the empty one included.

**Scores** have no noise of their own. A ranking becomes a preference model by the Rao-Kupper link
with strength = slope * standardised score: two parameters fitted to the training data, slope >= 0
and tie radius. A system to which the training data give no score stands at the mean.

What the methods' authors leave open is set as Hopkins & May set theirs (footnote 13): by the
German tracks of WMT10, which stay out of the comparison. There the Bradley-Terry `prior` of 4 is
the best power of two from 1/8 to 16; that of scores makes no odds from 1/8 to 1/2 (perplexities
within 0.001); and TrueSkill does worse with the ratio of sigma and beta halved or doubled.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd
from scipy import optimize, special

from wmtlib.judgements.counting import Counts
from wmtlib.judgements.relative_rankings import DataError
from wmtlib.preference.base import PreferenceModel, both_ways, once, tally, track
from wmtlib.tournament import mfas, scorers

FOLDS = 5


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


# --- links: log-probabilities (m, 3) of ties, wins and losses, their derivatives by d and t -----


def _davidson(d: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    log_p = special.log_softmax(np.stack([np.full_like(d, t), d / 2, -d / 2], axis=1), axis=1)
    p = np.exp(log_p)
    by_d = np.array([0, 0.5, -0.5]) - (p[:, 1:2] - p[:, 2:]) / 2
    return log_p, by_d, np.array([1, 0, 0]) - p[:, :1]


def _rao_kupper(d: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    win, lose = special.log_expit(d - t), special.log_expit(-d - t)
    tie = win + lose + 2 * t + np.log(-np.expm1(-2 * t))  # P(0) = (exp(2t) - 1) P(1) P(2)
    a, b = -np.expm1(win), -np.expm1(lose)
    by_t = np.stack([-2 / np.expm1(-2 * t) - a - b, -a, -b], axis=1)
    return np.stack([tie, win, lose], axis=1), np.stack([a - b, a, -b], axis=1), by_t


Link = Callable[[np.ndarray, float], tuple[np.ndarray, np.ndarray, np.ndarray]]
LINKS: dict[str, tuple[Link, float]] = {  # with the least value of the tie parameter
    "davidson": (_davidson, -np.inf),
    "rao-kupper": (_rao_kupper, 1e-9),
}


def _loss(
    w: np.ndarray, link: Link, design: np.ndarray, seen: np.ndarray
) -> tuple[float, np.ndarray]:
    """Minus the log-likelihood, and its gradient.

    `w` (p + 1,) holds coefficients and the tie parameter; the difference of strengths in row m is
    `design[m] @ w[:-1]`, and `seen` (m, 3) counts the ties, wins and losses there.
    """
    log_p, by_d, by_t = link(design @ w[:-1], w[-1])
    gradient = np.append(design.T @ (seen * by_d).sum(axis=1), (seen * by_t).sum())
    return -float((seen * log_p).sum()), -gradient


Block = tuple[np.ndarray, np.ndarray]  # x (n, p), and comparisons (n, n, 3) counted both ways


def _rows(blocks: list[Block], x: np.ndarray, prior: float) -> tuple[np.ndarray, np.ndarray]:
    """Rows of `_loss`: each pair that met, then each system against the virtual opponent."""
    if not 0 < prior < np.inf:
        raise DataError(f"prior, the number of virtual comparisons, is {prior}; expected > 0")
    designs, counts = [x], [np.full((len(x), 3), prior / 3)]
    for own, seen in blocks:
        a, b = np.nonzero(np.triu(seen.sum(axis=2), k=1))
        designs.append(own[a] - own[b])
        counts.append(seen[a, b])
    return np.concatenate(designs), np.concatenate(counts)


def _fit(
    names: tuple[str, ...],
    blocks: list[Block],
    x: np.ndarray,
    *,
    ties: str,
    prior: float,
    least: float = -np.inf,
) -> RatedModel:
    """Strengths x @ w, where w >= least has the greatest penalised likelihood in the blocks."""
    if ties not in LINKS:
        raise DataError(f"ties is {ties!r}; expected {', '.join(LINKS)}")
    (link, least_tie), width = LINKS[ties], x.shape[1]
    # To the last digits, where the line search may give up: at the maximum, so no failure.
    found = optimize.minimize(
        _loss,
        x0=np.append(np.zeros(width), 0.5),
        args=(link, *_rows(blocks, x, prior)),
        jac=True,
        method="L-BFGS-B",
        bounds=[(least, None)] * width + [(least_tie, None)],
        options={"maxiter": 10_000, "ftol": 1e-14, "gtol": 1e-7, "maxcor": 20},
    )
    strengths, tie = x @ found.x[:-1], found.x[-1]
    log_p, _, _ = link(np.subtract.outer(strengths, strengths).ravel(), tie)
    q = np.exp(log_p).reshape(len(names), len(names), 3)
    return RatedModel(names, q, pd.Series(strengths, index=names), float(tie))


def bradley_terry(
    train: pd.DataFrame | Counts,
    *,
    systems: Iterable[str],
    rng: np.random.Generator | None = None,
    ties: str,
    prior: float = 4.0,
) -> RatedModel:
    """Bradley-Terry strengths with ties, by penalised maximum likelihood.

    Parameters
    ----------
    train, systems
        See the head of `wmtlib.preference.base`.
    rng
        Not used: the fit is deterministic.
    ties : {"davidson", "rao-kupper"}
        The link; see the head of this module.
    prior : float
        Virtual comparisons of each system; see the head of this module.
    """
    names = track(systems)
    x = np.eye(len(names))
    return _fit(names, [(x, both_ways(tally(train, names)))], x, ties=ties, prior=prior)


# --- scores and orders --------------------------------------------------------------------------


def _standardised(scores: pd.Series, names: tuple[str, ...]) -> np.ndarray:
    """Scores as a column (n, 1) of mean 0 and deviation 1; 0 where a system has none."""
    x = scores.reindex(names).to_numpy(dtype=float)
    if np.isinf(x).any():
        raise DataError("a score is infinite")
    known = x[~np.isnan(x)]
    if not len(known) or known.std() <= 1e-12 * np.abs(known).max():
        return np.zeros((len(x), 1))
    return np.nan_to_num((x - known.mean()) / known.std())[:, None]


def from_scores(
    score: Callable[[Counts], pd.Series],
    train: pd.DataFrame | Counts,
    *,
    systems: Iterable[str],
    rng: np.random.Generator,
    ties_count: bool,
    prior: float = 0.5,
) -> RatedModel:
    """Any score of systems as a preference model of two fitted parameters, slope and tie radius.

    A score lies nearer to the comparisons that it was computed from than to others, which would
    make it look too sure. So both parameters are fitted to comparisons that the scores beside them
    have not seen: five random parts, each predicted from the other four. The scores that are kept
    are those of all training comparisons.

    Parameters
    ----------
    score : callable
        From counts, of the systems that it can score, to a Series of scores, higher = better.
    train, systems
        See the head of `wmtlib.preference.base`.
    rng : Generator
        Draws the five parts.
    ties_count : bool
        Whether a system that only tied can be scored. One that cannot is given the mean score.
    prior : float
        Virtual comparisons of each system; see the head of this module.
    """
    names = track(systems)
    seen = once(both_ways(tally(train, names)))
    cell = np.repeat(np.arange(seen.size), seen.ravel())
    cell += rng.permutation(len(cell)) % FOLDS * seen.size
    parts = np.bincount(cell, minlength=FOLDS * seen.size).reshape(FOLDS, *seen.shape)

    def column(pairs: np.ndarray) -> np.ndarray:
        ties, wins = (pd.DataFrame(both_ways(pairs)[..., k], names, names) for k in (0, 1))
        met = (wins + wins.T + ties_count * ties).sum(axis=1)
        counts = Counts(wins, ties).without(*met.index[met == 0])
        return _standardised(score(counts) if counts.systems else pd.Series(dtype=float), names)

    blocks = [(column(seen - part), part) for part in parts]
    return _fit(names, blocks, column(seen), ties="rao-kupper", prior=prior, least=0)


def _scored(name: str, *, ties_count: bool) -> Callable[..., RatedModel]:
    score = partial(scorers.SCORERS[name], reference=None)  # the reference is a system here
    return partial(from_scores, score, ties_count=ties_count)


def mfas_places(counts: Counts) -> pd.Series:
    """Places, counted from the bottom, of the minimum feedback arc set ranking (Lopez 2012)."""
    order = mfas.solve(counts.wins).order
    return pd.Series(range(len(order), 0, -1), index=order, dtype=float)


# --- TrueSkill ----------------------------------------------------------------------------------


def trueskill(
    train: pd.DataFrame | Counts,
    *,
    systems: Iterable[str],
    rng: np.random.Generator,
    sigma: float = 1.0,
    beta: float = math.sqrt(0.5**2 + 1.0**2),
) -> RatedModel:
    """TrueSkill (Herbrich et al. 2007) over single comparisons, the method of WMT14-16.

    One pass over the comparisons in random order; each moves two Gaussian beliefs about a skill.
    For two players the messages have a closed form, which is computed here; the tests hold it
    against the `trueskill` package.

    Skill, performance and draw margin are what ability, observed quality and decision radius are
    to IRT-Gaussian, so the defaults are the paper's hyperparameters (footnote 13). Skills do not
    drift (tau = 0). The margin follows, as TrueSkill defines it, from P(tie) of two equal systems:
    (1 + ties) / (3 + comparisons), smoothed like the paper's baselines, so that a training set
    without ties, or of ties only, does no harm.

    Parameters
    ----------
    train, systems
        See the head of `wmtlib.preference.base`. The order of rows plays no part.
    rng : Generator
        Shuffles the comparisons.
    sigma : float
        Standard deviation of the prior belief about a skill; its mean is 0.
    beta : float
        Standard deviation of one performance. TrueSkill's own default is sigma / 2; nothing but
        the ratio of the two matters.
    """
    for name, value in (("sigma", sigma), ("beta", beta)):
        if not 0 < value < np.inf:
            raise DataError(f"{name}, a standard deviation, is {value}; expected > 0")
    names = track(systems)
    seen = once(both_ways(tally(train, names)))
    games = rng.permutation(np.repeat(np.argwhere(seen), seen[seen > 0], axis=0))
    share = (1 + seen[..., 0].sum()) / (3 + seen.sum())
    margin = math.sqrt(2) * beta * float(special.ndtri((1 + share) / 2))
    mean, variance = _skills(games, len(names), sigma=sigma, beta=beta, margin=margin)
    # What is predicted is one performance against another, the doubt about the skills included.
    spread = np.sqrt(2 * beta**2 + np.add.outer(variance, variance))
    d, e = np.subtract.outer(mean, mean) / spread, margin / spread
    win, lose = special.ndtr(d - e), special.ndtr(-d - e)
    q = np.stack([np.maximum(1 - win - lose, 0), win, lose], axis=2)
    return RatedModel(names, q, pd.Series(mean, index=names), margin)


def _skills(
    games: np.ndarray, n: int, *, sigma: float, beta: float, margin: float
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of the belief about each of n skills after `games`, rows (a, b, pi)."""
    mean, variance = [0.0] * n, [sigma**2] * n
    for first, second, preference in games.tolist():
        a, b = (second, first) if preference == 2 else (first, second)
        spread = math.sqrt(2 * beta**2 + variance[a] + variance[b])
        known = _above if preference else _within
        v, w = known((mean[a] - mean[b]) / spread, margin / spread)
        for system, sign in ((a, 1), (b, -1)):
            mean[system] += sign * variance[system] / spread * v
            variance[system] *= 1 - variance[system] / spread**2 * w
    return np.array(mean), np.array(variance)


def _pdf(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _cdf(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def _above(t: float, e: float) -> tuple[float, float]:
    """Shift and shrinkage of a unit Gaussian at t that turns out above e."""
    if (mass := _cdf(t - e)) < 1e-300:  # so far out that what remains is a point
        return e - t, 1.0
    v = _pdf(t - e) / mass
    return v, v * (v + t - e)


def _within(t: float, e: float) -> tuple[float, float]:
    """Shift and shrinkage of a unit Gaussian at t that turns out between -e and e."""
    if (mass := _cdf(e - t) - _cdf(-e - t)) < 1e-300:
        return math.copysign(abs(t) - e, -t), 1.0
    low, high = _pdf(-e - t), _pdf(e - t)
    v = (low - high) / mass
    return v, v**2 + ((e - t) * high + (e + t) * low) / mass


RANKED: dict[str, Callable[..., RatedModel]] = {
    "Bradley-Terry (Davidson)": partial(bradley_terry, ties="davidson"),
    "Bradley-Terry (Rao-Kupper)": partial(bradley_terry, ties="rao-kupper"),
    "TrueSkill": trueskill,
    "Lopez Eq. 1": _scored("wmt-official", ties_count=True),
    "Lopez Eq. 2": _scored("heuristic2", ties_count=True),
    "Lopez Eq. 3": _scored("bojar", ties_count=False),
    "Expected Wins": _scored("expected-wins", ties_count=False),
    "MFAS Order": partial(from_scores, mfas_places, ties_count=False),
}
