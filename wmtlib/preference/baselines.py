"""The baselines of Hopkins & May (2013): uniform, independent pairs and independent students."""

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
import pandas as pd

from wmtlib.judgements.counting import SWAPPED, Counts
from wmtlib.judgements.errors import DataError
from wmtlib.preference.preference_model import PreferenceModel, both_ways, tally, track


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
      the sum; that is not a distribution, as it sums to less than one unless the two agree
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
    q = RECONSTRUCTIONS[reconstruction](ability[:, None], ability[None, :, SWAPPED])
    return PreferenceModel(names, q / q.sum(axis=2, keepdims=True) if normalised else q)


BASELINES: dict[str, Callable[..., PreferenceModel]] = {
    "uniform": uniform,
    "adjusted-uniform": adjusted_uniform,
    "independent-pairs": independent_pairs,
    **{
        f"independent-students-{name}": partial(independent_students, reconstruction=name)
        for name in RECONSTRUCTIONS
    },
    "independent-students-geometric-as-printed": partial(
        independent_students, reconstruction="geometric", normalised=False
    ),
}
