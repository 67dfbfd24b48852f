"""Rankings and rating systems as preference models: what the field used before and after 2013.

Hopkins & May (2013) ask "is my analysis better than yours?" of eight preference models. Here the
others take the same test: Bradley-Terry with ties, TrueSkill, and the scores and orders of the WMT
campaigns, each fitted by `fit(train, *, systems, rng)` (see `wmtlib.preference.preference_model`).

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

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy import optimize, special

from wmtlib.judgements.counting import Counts
from wmtlib.judgements.errors import DataError
from wmtlib.preference.preference_model import PreferenceModel, both_ways, tally, track


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


def fit(
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
        See the head of `wmtlib.preference.preference_model`.
    rng
        Not used: the fit is deterministic.
    ties : {"davidson", "rao-kupper"}
        The link; see the head of this module.
    prior : float
        Virtual comparisons of each system; see the head of this module.
    """
    names = track(systems)
    x = np.eye(len(names))
    return fit(names, [(x, both_ways(tally(train, names)))], x, ties=ties, prior=prior)
