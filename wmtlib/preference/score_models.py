"""Scores and orders as preference models."""

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
import pandas as pd

from wmtlib.judgements.counting import Counts
from wmtlib.judgements.errors import DataError
from wmtlib.preference.preference_model import both_ways, once, tally, track
from wmtlib.preference.rating_models import RatedModel, fit
from wmtlib.tournament import mfas, scorers

FOLDS = 5


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
        See the head of `wmtlib.preference.preference_model`.
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
    return fit(names, blocks, column(seen), ties="rao-kupper", prior=prior, least=0)


def scored(name: str, *, ties_count: bool) -> Callable[..., RatedModel]:
    score = partial(scorers.SCORERS[name], reference=None)  # the reference is a system here
    return partial(from_scores, score, ties_count=ties_count)


def mfas_places(counts: Counts) -> pd.Series:
    """Places, counted from the bottom, of the minimum feedback arc set ranking (Lopez 2012)."""
    order = mfas.solve(counts.wins).order
    return pd.Series(range(len(order), 0, -1), index=order, dtype=float)
