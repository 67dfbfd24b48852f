"""Preference models: distributions over who wins, judged by what they predict.

A preference model (Hopkins & May 2013, section 4) is an estimate of P(pi | a, b), the chance that a
judge prefers a (pi = 1), b (pi = 2) or neither (pi = 0). Two models trained on the same comparisons
are compared by their perplexity on held-out ones.

Every model is fitted by a function `fit(train, *, systems, ...)`. `train` is a frame of comparisons
(columns system_1, system_2, preference), `Counts` or a `tally`. `systems` names all systems of the
track, for a small training set need not meet every one; the reference, if judged, is one of them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from wmtlib.judgements import counting
from wmtlib.judgements.counting import SWAPPED, Counts
from wmtlib.judgements.errors import DataError


@dataclass(frozen=True, eq=False)
class PreferenceModel:
    """An estimate of P(pi | a, b) for every ordered pair of systems.

    Attributes
    ----------
    systems : tuple of str
        Names, sorted.
    probabilities : ndarray (n, n, 3), read-only
        `probabilities[a, b, pi]`: neither (0), a (1) or b (2) is preferred. The three sum to one,
        or to less under one formula as the paper prints it (see `independent_students`). The
        diagonal holds no meaning.

    Raises
    ------
    DataError
        Fewer than two systems, names out of order or doubled, an array of another shape, a number
        that is negative or not finite, or a pair whose three numbers sum to more than one, which
        would buy a low perplexity with probability that is not there.
    """

    systems: tuple[str, ...]
    probabilities: np.ndarray = field(repr=False)

    def __post_init__(self) -> None:
        names = tuple(self.systems)
        if names != track(names):
            raise DataError("the systems of a preference model are not in sorted order")
        p = np.array(self.probabilities, dtype=float)
        if p.shape != (shape := (len(names), len(names), 3)):
            raise DataError(f"probabilities have shape {p.shape}; expected {shape}")
        if not (np.isfinite(p) & (p >= 0)).all():
            raise DataError("a probability is negative or not finite")
        if (excess := p.sum(axis=2) > 1 + 1e-9).any():
            a, b = np.argwhere(excess)[0]
            raise DataError(f"probabilities of {names[a]!r}, {names[b]!r} sum to more than one")
        p.flags.writeable = False
        object.__setattr__(self, "systems", names)
        object.__setattr__(self, "probabilities", p)


def track(systems: Iterable[str]) -> tuple[str, ...]:
    """Names of the systems of a track, sorted.

    Raises
    ------
    DataError
        Fewer than two names, or one of them twice.
    """
    names = tuple(sorted(systems))
    if len(names) < 2:
        raise DataError(f"a preference model needs at least two systems; got {len(names)}")
    if len(set(names)) < len(names):
        doubled = next(name for name in names if names.count(name) > 1)
        raise DataError(f"system {doubled!r} is named twice")
    return names


def tally(comparisons: pd.DataFrame | Counts | np.ndarray, systems: tuple[str, ...]) -> np.ndarray:
    """Comparisons counted by pair, in the order shown, and preference.

    Parameters
    ----------
    comparisons : DataFrame, Counts or ndarray
        Comparisons in the order they were shown; or counts, which forget that order and take
        system_1 < system_2 by name; or what this function has returned, which it returns again.
    systems : tuple of n names, sorted

    Returns
    -------
    ndarray (n, n, 3)
        `[a, b, pi]`: |C_pi(a, b)| of section 5.2; `[b, a]` holds the pairs shown the other way.

    Raises
    ------
    DataError
        A system that is not among `systems`, or what `counting.coded` refuses.
    """
    if isinstance(comparisons, np.ndarray):
        return comparisons
    if isinstance(comparisons, pd.DataFrame):
        return counting.counts_as_shown(comparisons, systems)[1]
    if unknown := sorted(set(comparisons.systems).difference(systems)):
        raise DataError(f"system {unknown[0]!r} is unknown; expected one of {len(systems)} systems")
    wins, ties = (
        table.reindex(index=systems, columns=systems, fill_value=0).to_numpy()
        for table in (comparisons.wins, comparisons.ties)
    )
    return once(np.stack([ties, wins, wins.T], axis=2))


def both_ways(seen: np.ndarray) -> np.ndarray:
    """|C_pi(a, b)| + |C_pi-hat(b, a)|: a tally with the order on the screen forgotten.

    Takes and returns an array (..., n, n, 3); the result is the same for (a, b, pi) and
    (b, a, pi-hat).
    """
    return seen + seen.swapaxes(-3, -2)[..., SWAPPED]


def once(seen: np.ndarray) -> np.ndarray:
    """Of an array (n, n, 3) that counts comparisons both ways, the half of a < b."""
    return seen * np.tri(len(seen), k=-1, dtype=int).T[..., None]


def perplexity(model: PreferenceModel, test: pd.DataFrame | Counts | np.ndarray) -> float:
    """Perplexity of a model on held-out comparisons (Hopkins & May 2013, section 4).

    Two to the mean of -log2 Q(pi | a, b) over the comparisons <a, b, pi>: 3 for the uniform model,
    infinite if something happened to which the model gives probability zero.

    Parameters
    ----------
    model : PreferenceModel
    test : DataFrame, Counts or ndarray
        Comparisons (columns system_1, system_2, preference) in the order they were shown, which
        matters to a model that is not symmetric; or counts, which forget that order and take
        system_1 < system_2 by name; or a `tally` of either.

    Raises
    ------
    DataError
        No comparison, or one that `tally` refuses, such as one of a system unknown to the model.
    """
    seen = tally(test, model.systems)
    if not seen.any():
        raise DataError("no comparison to test on: perplexity is a mean over at least one")
    met = seen > 0
    with np.errstate(divide="ignore", over="ignore"):  # log2(0): the infinite perplexity above
        bits = -np.log2(model.probabilities[met])
        return float(np.exp2(np.average(bits, weights=seen[met])))


def log_losses(model: PreferenceModel, test: pd.DataFrame) -> np.ndarray:
    """-log2 Q(pi | a, b) of each comparison, in bits; perplexity is two to their mean."""
    _, a, b, preference, _ = counting.coded(test, model.systems)
    with np.errstate(divide="ignore"):  # what cannot be costs infinitely many bits
        return -np.log2(model.probabilities[a, b, preference])
