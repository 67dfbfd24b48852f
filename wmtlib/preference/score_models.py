"""Scores and orders of systems as preference models.

Scores have no noise of their own. A score becomes a preference model by the Rao-Kupper link with
strength = slope * standardised score: two parameters fitted to the training data, slope >= 0 and
tie radius. A system to which the training data give no score stands at the mean.
"""

import math
from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
import pandas as pd

from wmtlib.judgements.counting import Counts
from wmtlib.judgements.errors import DataError
from wmtlib.preference import newton
from wmtlib.preference.preference_model import both_ways, once, tally, track
from wmtlib.preference.rating_models import LINKS, RatedModel, rated
from wmtlib.tournament import mfas, scorers

FOLDS = 5
LINK = LINKS["rao-kupper"]


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
    have not seen: five random parts, each predicted from the other four. The model keeps the
    scores of all training comparisons.

    Parameters
    ----------
    score : callable
        From counts, of the systems that it can score, to a Series of scores, higher = better.
    train, systems
        See the head of `wmtlib.preference.preference_model`.
    rng : Generator
        Draws the five parts.
    ties_count : bool
        Whether a system that only tied can be scored. One that cannot is given the mean score.
    prior : float
        Virtual comparisons of each system; see `wmtlib.preference.rating_models`.
    """
    names = track(systems)
    seen = once(both_ways(tally(train, names)))
    # One number per comparison, dealt to five parts at random and counted again.
    cell = np.repeat(np.arange(seen.size), seen.ravel())
    cell += rng.permutation(len(cell)) % FOLDS * seen.size
    parts = np.bincount(cell, minlength=FOLDS * seen.size).reshape(FOLDS, *seen.shape)

    def scores_from(pairs: np.ndarray) -> np.ndarray:
        ties, wins = (pd.DataFrame(both_ways(pairs)[..., k], names, names) for k in (0, 1))
        met = (wins + wins.T + ties_count * ties).sum(axis=1)
        counts = Counts(wins, ties).without(*met.index[met == 0])
        return _in_deviations(score(counts) if counts.systems else pd.Series(dtype=float), names)

    kept = scores_from(seen)
    difference, counts = [kept], [np.full((len(names), 3), prior / 3)]  # with the virtual opponent
    for part in parts:
        a, b = np.nonzero(part.any(axis=2))
        others = scores_from(seen - part)
        difference.append(others[a] - others[b])
        counts.append(part[a, b])
    slope, tie = _slope_and_tie(np.concatenate(difference), np.concatenate(counts).T)
    return rated(names, slope * kept, tie, LINK)


def _in_deviations(scores: pd.Series, names: tuple[str, ...]) -> np.ndarray:
    """Scores (n,) with mean 0 and deviation 1; 0 where a system has none."""
    x = scores.reindex(names).to_numpy(dtype=float)
    if np.isinf(x).any():
        raise DataError("a score is infinite")
    known = x[~np.isnan(x)]
    if not len(known) or known.std() <= 1e-12 * np.abs(known).max():
        return np.zeros(len(x))
    return np.nan_to_num((x - known.mean()) / known.std())


def _slope_and_tie(x: np.ndarray, seen: np.ndarray) -> tuple[float, float]:
    """Slope >= 0 and tie radius of greatest likelihood: differences x (m,), counts (3, m)."""

    def derivatives(theta: np.ndarray, _: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        slope, tie = theta[0]
        by_pair = LINK.derivatives(slope * x, tie, seen)
        across = by_pair.dt @ x
        curvature = [[by_pair.dd @ x**2, across], [across, by_pair.tt.sum()]]
        return np.array([[by_pair.d @ x, by_pair.t.sum()]]), np.array([curvature])

    if x.any():
        farthest, total = np.abs(x).max(), seen.sum()
        ((slope, tie),) = newton.maximise(
            derivatives,
            np.array([[0.0, 0.5]]),
            reach=lambda step: np.abs(step) @ [2 * farthest, 1],
            rounding=np.array([1e-12 * total]),
            last_is_positive=True,
        )
        if slope > 0:
            return float(slope), float(tie)
    # Slope 0: all pairs are alike, and the share of ties has a closed form.
    ties, *decided = seen.sum(axis=1)
    return 0.0, math.log(1 + 2 * ties / sum(decided))


def scored(name: str, *, ties_count: bool) -> Callable[..., RatedModel]:
    """The preference model of one of `scorers.SCORERS`; the reference is a system like others."""
    score = partial(scorers.score, name, reference=None)
    return partial(from_scores, score, ties_count=ties_count)


def mfas_places(counts: Counts) -> pd.Series:
    """Places, counted from the bottom, of the minimum feedback arc set ranking (Lopez 2012)."""
    order = mfas.solve(counts.wins).order
    return pd.Series(range(len(order), 0, -1), index=order, dtype=float)
