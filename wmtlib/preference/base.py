"""Preference models: distributions over who wins, judged by what they predict.

A preference model (Hopkins & May 2013, section 4) is an estimate of P(pi | a, b), the chance that a
judge prefers a (pi = 1), b (pi = 2) or neither (pi = 0). Two models trained on the same comparisons
are compared by their perplexity on held-out ones.

Every model is fitted by a function `fit(train, *, systems, ...)`. `train` is a frame of comparisons
(columns system_1, system_2, preference) or `Counts`; `systems` names all systems of the track, for
a small training set need not meet every one. The reference, if judged, is a system like the others.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd

from wmtlib.judgements.counting import Counts
from wmtlib.judgements.errors import DataError

NEGATED = [0, 2, 1]  # the paper's pi-hat: the preference when the pair is shown the other way round


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


def tally(comparisons: pd.DataFrame | Counts, systems: tuple[str, ...]) -> np.ndarray:
    """Comparisons counted by pair, in the order shown, and preference.

    Parameters
    ----------
    comparisons : DataFrame or Counts
        Comparisons in the order they were shown; or counts, which forget that order and take
        system_1 < system_2 by name.
    systems : tuple of n names, sorted

    Returns
    -------
    ndarray (n, n, 3)
        `[a, b, pi]`: |C_pi(a, b)| of section 5.2; `[b, a]` holds the pairs shown the other way.

    Raises
    ------
    DataError
        A system that is not among `systems`, a preference outside 0, 1, 2, or a system compared
        with itself.
    """
    known, n = pd.Index(systems), len(systems)
    if isinstance(comparisons, Counts):
        _places(comparisons.wins.index, known)
        wins, ties = (
            t.reindex(index=known, columns=known, fill_value=0).to_numpy()
            for t in (comparisons.wins, comparisons.ties)
        )
        return once(np.stack([ties, wins, wins.T], axis=2))
    a, b = (_places(comparisons[c], known) for c in ("system_1", "system_2"))
    preference = comparisons["preference"].to_numpy()
    if not np.isin(preference, NEGATED).all():
        raise DataError("a preference is neither 0 (tie), 1 nor 2")
    if (a == b).any():
        raise DataError(f"system {systems[a[a == b][0]]!r} is compared with itself")
    cells = (a * n + b) * 3 + preference.astype(np.intp)
    return np.bincount(cells, minlength=3 * n * n).reshape(n, n, 3)


def _places(names: pd.Series | pd.Index, known: pd.Index) -> np.ndarray:
    """Position of each name among the known ones."""
    places = known.get_indexer(pd.Index(names))
    if (places < 0).any():
        raise DataError(
            f"system {np.asarray(names)[places < 0][0]!r} is unknown; expected one of the "
            f"{len(known)} systems of the track"
        )
    return places


def both_ways(seen: np.ndarray) -> np.ndarray:
    """|C_pi(a, b)| + |C_pi-hat(b, a)|: a tally with the order on the screen forgotten.

    Takes and returns an array (n, n, 3); the result is the same for (a, b, pi) and (b, a, pi-hat).
    """
    return seen + seen.swapaxes(0, 1)[..., NEGATED]


def once(seen: np.ndarray) -> np.ndarray:
    """Of an array (n, n, 3) that counts comparisons both ways, the half of a < b."""
    return seen * np.tri(len(seen), k=-1, dtype=int).T[..., None]


def perplexity(model: PreferenceModel, test: pd.DataFrame | Counts) -> float:
    """Perplexity of a model on held-out comparisons (Hopkins & May 2013, section 4).

    Two to the mean of -log2 Q(pi | a, b) over the comparisons <a, b, pi>: 3 for the uniform model,
    infinite if something happened to which the model gives probability zero.

    Parameters
    ----------
    model : PreferenceModel
    test : DataFrame or Counts
        Comparisons (columns system_1, system_2, preference) in the order they were shown, which
        matters to a model that is not symmetric; or counts, which forget that order and take
        system_1 < system_2 by name.

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


def uniform(train: pd.DataFrame | Counts, *, systems: Iterable[str]) -> PreferenceModel:
    """Q = 1/3 for each preference: Hopkins & May (2013), section 5.1. `train` is not looked at."""
    names = track(systems)
    return PreferenceModel(names, np.full((len(names), len(names), 3), 1 / 3))


def adjusted_uniform(train: pd.DataFrame | Counts, *, systems: Iterable[str]) -> PreferenceModel:
    """Share of ties in training, the rest halved: Hopkins & May (2013), section 5.2.

    The paper smooths nothing here and neither does this: trained on no tie (or on ties only), the
    model holds a tie (or a preference) for impossible, and its perplexity on one is infinite.

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
    q = np.array([tie, (1 - tie) / 2, (1 - tie) / 2])
    return PreferenceModel(names, np.broadcast_to(q, (len(names), len(names), 3)))


def _posterior_mean(seen: np.ndarray, alpha: float) -> np.ndarray:
    """Mean of a distribution over three outcomes (last axis) under a symmetric Dirichlet prior.

    The prior's strength alpha is what each *one* of the three counts is raised by, 3 alpha in all.
    """
    if not 0 < alpha < np.inf:
        raise DataError(f"alpha, the strength of the Dirichlet prior, is {alpha}; expected > 0")
    return (alpha + seen) / (3 * alpha + seen.sum(axis=-1, keepdims=True))


def independent_pairs(
    train: pd.DataFrame | Counts, *, systems: Iterable[str], alpha: float = 1.0
) -> PreferenceModel:
    """A distribution of its own for every pair: Hopkins & May (2013), section 6.1.

    Parameters
    ----------
    train, systems
        See the head of this module. A pair that never met gets 1/3 each.
    alpha : float
        Strength of the Dirichlet prior; 1 is the paper's (footnote 13).
    """
    names = track(systems)
    return PreferenceModel(names, _posterior_mean(both_ways(tally(train, names)), alpha))


RECONSTRUCTIONS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "asymmetric": lambda own, other: np.broadcast_arrays(own, other)[0],
    "arithmetic": lambda own, other: (own + other) / 2,
    "geometric": lambda own, other: np.sqrt(own * other),
}


def independent_students(
    train: pd.DataFrame | Counts,
    *,
    systems: Iterable[str],
    reconstruction: str,
    alpha: float = 1.0,
    normalised: bool = True,
) -> PreferenceModel:
    """A distribution Q(pi | a) for every system, put together for a pair: section 6.2.

    Q(pi | a) is the share of ties, wins and losses of a, whoever it met and on whichever side of
    the screen. Q(pi | a, b) is made of Q(pi | a) and Q(pi-hat | b) by one of

    - "asymmetric": Q(pi | a) alone. What b can do is ignored, so Q(pi | a, b) is not
      Q(pi-hat | b, a), and perplexity depends on which of the two was shown first;
    - "arithmetic": their mean;
    - "geometric": the root of their product, over its sum over pi. The paper prints it without
      the sum, and so printed it is no distribution: it sums to less than one unless the two agree
      (Cauchy-Schwarz). Section 4 defines a preference model as a distribution, and only so is the
      geometric model nearly indistinguishable from the arithmetic one on WMT12, as the paper says.

    Parameters
    ----------
    train, systems
        See the head of this module. A system that met no one gets 1/3 each.
    reconstruction : {"asymmetric", "arithmetic", "geometric"}
    alpha : float
        Strength of the Dirichlet prior; 1 is the paper's (footnote 13).
    normalised : bool
        True, the default, divides by the sum over pi, which matters to the geometric model only;
        False is the formula as printed. Dividing raises every probability, so it lowers the
        perplexity, by the factor 2 ** mean(log2(sum)).

    Raises
    ------
    DataError
        An unknown reconstruction, alpha that is not above zero, or what `tally` refuses.
    """
    if reconstruction not in RECONSTRUCTIONS:
        raise DataError(
            f"reconstruction is {reconstruction!r}; expected {', '.join(RECONSTRUCTIONS)}"
        )
    names = track(systems)
    ability = _posterior_mean(both_ways(tally(train, names)).sum(axis=1), alpha)  # (n, 3)
    q = RECONSTRUCTIONS[reconstruction](ability[:, None], ability[None, :, NEGATED])
    return PreferenceModel(names, q / q.sum(axis=2, keepdims=True) if normalised else q)


MODELS: dict[str, Callable[..., PreferenceModel]] = {
    "Uniform": uniform,
    "Adjusted Uniform": adjusted_uniform,
    "Independent Pairs": independent_pairs,
    "Asymmetric Students": partial(independent_students, reconstruction="asymmetric"),
    "Arithmetic Students": partial(independent_students, reconstruction="arithmetic"),
    "Geometric Students": partial(independent_students, reconstruction="geometric"),
}
