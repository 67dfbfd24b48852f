"""Scores and orders of systems as preference models.

Scores have no noise of their own. A score becomes a preference model by the Rao-Kupper link with
strength = slope * standardised score: two parameters fitted to the training data, slope >= 0 and
tie radius. A system to which the training data give no score stands at the mean.
"""

import math
from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from wmtlib.judgements.counting import Counts
from wmtlib.judgements.errors import DataError
from wmtlib.preference import newton
from wmtlib.preference.preference_model import both_ways, once, tally, track
from wmtlib.preference.rating_models import LINKS, RatedModel, rated
from wmtlib.tournament import linear_ordering, local_search

FOLDS = 5
LINK = LINKS["rao-kupper"]
PROVABLE = 60  # systems; more are ordered by local search alone
SUBSETS = 100_000  # at which the search for a proof is given up
KICKS = 5  # of that local search, times the number of systems


def from_scores(
    score: Callable[[np.ndarray, np.ndarray], np.ndarray],
    train: pd.DataFrame | Counts,
    *,
    systems: Iterable[str],
    rng: np.random.Generator,
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
        From wins and ties (samples, n, n) to scores (samples, n), higher = better, NaN for a system
        that it cannot score: such as the formulas of `wmtlib.tournament.scorers`. A system that
        cannot be scored is given the mean score.
    train, systems
        See the head of `wmtlib.preference.preference_model`.
    rng : Generator
        Draws the five parts.
    prior : float
        Virtual comparisons of each system; see `wmtlib.preference.rating_models`.
    """
    names = track(systems)
    seen = once(both_ways(tally(train, names)))
    # One number per comparison, dealt to five parts at random and counted again.
    cell = np.repeat(np.arange(seen.size), seen.ravel())
    cell += rng.permutation(len(cell)) % FOLDS * seen.size
    parts = np.bincount(cell, minlength=FOLDS * seen.size).reshape(FOLDS, *seen.shape)

    # Scores from all comparisons, and from all but those of each part.
    ties, wins, _ = np.moveaxis(both_ways(np.concatenate([seen[None], seen - parts])), -1, 0)
    kept, *others = _in_deviations(score(wins, ties))
    difference, counts = [kept], [np.full((len(names), 3), prior / 3)]  # with the virtual opponent
    for part, scores in zip(parts, others, strict=True):
        a, b = np.nonzero(part.any(axis=2))
        difference.append(scores[a] - scores[b])
        counts.append(part[a, b])
    slope, tie = _slope_and_tie(np.concatenate(difference), np.concatenate(counts).T)
    return rated(names, slope * kept, tie, LINK)


def _in_deviations(scores: np.ndarray) -> np.ndarray:
    """Scores (samples, n) with mean 0 and deviation 1; 0 where a system has none."""
    if np.isinf(scores).any():
        raise DataError("a score is infinite")
    known = ~np.isnan(scores)
    number = np.maximum(known.sum(axis=1, keepdims=True), 1)
    centred = np.where(known, scores, 0.0)
    centred = np.where(known, centred - centred.sum(axis=1, keepdims=True) / number, 0.0)
    deviation = np.sqrt((centred**2).sum(axis=1, keepdims=True) / number)
    largest = np.abs(np.where(known, scores, 0.0)).max(axis=1, keepdims=True)
    apart = deviation > 1e-12 * largest
    return np.divide(centred, deviation, out=np.zeros_like(centred), where=apart)


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


def mfas_places(wins: np.ndarray, ties: np.ndarray) -> np.ndarray:
    """Places, counted from the bottom, of the minimum feedback arc set rankings (Lopez 2012).

    Where a proof would take long, the best order that was found stands for it. How long it may take
    is counted in steps, not seconds, so that the order depends on the wins alone.

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
        if len(met):
            order = _best_order((won - won.T)[np.ix_(met, met)].astype(np.int64))
            places[sample, met[order]] = range(len(met), 0, -1)
    return places


def _best_order(margin: np.ndarray) -> np.ndarray:
    """Order of the least cost that is found; up to `PROVABLE` systems nearly always proven."""
    n = len(margin)
    if n <= PROVABLE:
        return np.array(linear_ordering.minimise(margin, states=SUBSETS).order)
    order = local_search.descend(margin, local_search.first_guess(margin))
    return local_search.iterated(margin, order, kicks=KICKS * n, lower=0)
