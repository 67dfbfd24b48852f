"""Item-response models of translation competitions (Hopkins & May 2013, section 7).

A system s has an ability; an item i, the translation of one segment by one system, has a quality
drawn from it; a judge observes the quality of both items of a comparison with noise of his own:

    mu_s ~ N(0, sigma_0²),   q_i ~ N(mu_author(i), sigma_a²),   o ~ N(q, sigma_obs²) per option,

and prefers neither iff |o1 - o2| < radius, else the option that he observed to be better. The
categorical model has discrete qualities 1..Lambda and observations, q_i ~ theta_author(i),
theta_s ~ Dirichlet(alpha), and needs |o1 - o2| <= radius, since its radius is 0.

Comparisons enter by d = o1 - o2 alone, so nothing tells where zero is: the mean ability keeps its
prior, N(0, sigma_0² / n), independent of all differences, whatever the data.

This module holds what the models share: hyperparameters, data and result. They are fitted in
`irt_gaussian`, `irt_deterministic` and `irt_categorical`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from wmtlib.judgements import counting
from wmtlib.judgements.counting import SECOND, TIE
from wmtlib.judgements.errors import DataError
from wmtlib.preference.preference_model import PreferenceModel, track


@dataclass(frozen=True)
class Settings:
    """Hyperparameters; each is finite and positive, the radius may be zero (else ValueError)."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not (0 < value < np.inf or (name == "radius" and value == 0)):
                rule = "not be negative" if name == "radius" else "be positive"
                raise ValueError(f"{name} is {value}: it must be finite and {rule}")


@dataclass(frozen=True)
class GaussianSettings(Settings):
    """Hyperparameters of IRT-Gaussian; the defaults are the paper's (footnote 13)."""

    sigma_0: float = 1.0
    sigma_a: float = 0.5
    sigma_obs: float = 1.0
    radius: float = 0.4


@dataclass(frozen=True)
class CategoricalSettings(Settings):
    """Hyperparameters of IRT-Categorical; the defaults are the paper's (footnote 13)."""

    levels: int = 8
    alpha: float = 0.5
    sigma_obs: float = 1.0
    radius: float = 0


@dataclass(frozen=True, eq=False)
class ItemResponseModel(PreferenceModel):
    """A fitted item-response model.

    Attributes
    ----------
    systems, probabilities
        See `PreferenceModel`; the diagonal is for two items of the same system.
    abilities : DataFrame, index system
        Columns mean and sd of the posterior: of the ability, or of a system's mean quality
        (1 .. levels) in the categorical model.
    settings : dict
        Hyperparameters, and how they were fitted.
    draws : ndarray (kept iterations, systems), or None from the deterministic fit
        Abilities. Categorical: (kept iterations, systems, levels), the chance of each quality.
    """

    abilities: pd.DataFrame
    settings: dict[str, Any]
    draws: np.ndarray | None = field(default=None, repr=False)


class ItemData(NamedTuple):
    """Comparisons as positions of items; the order of rows and options leaves no trace in it."""

    systems: tuple[str, ...]
    author: np.ndarray  # of each item
    block: np.ndarray  # of each item, sorted: its segment; items of different blocks never meet
    first: np.ndarray  # item of each comparison: the preferred one, if any
    second: np.ndarray
    decided: int  # number of comparisons without a tie; they come first, the ties after them


def item_data(comparisons: pd.DataFrame, systems: Sequence[str]) -> ItemData:
    """Comparisons as positions of items and authors.

    A comparison of unknown segment has two items of its own.

    Raises
    ------
    DataError
        Fewer than two systems, or comparisons that cannot be used.
    """
    if "count" in comparisons:
        comparisons = counting.expand(comparisons)
    names, a, b, preference, _ = counting.coded(comparisons, track(systems))
    tie = preference == TIE
    # The preferred option goes first; of two tied ones, the first by name.
    swap = (preference == SECOND) | (tie & (a > b))
    a, b = np.where(swap, b, a), np.where(swap, a, b)
    segment = np.zeros(len(a), dtype=np.intp)
    if "segment" in comparisons:
        segment, _ = pd.factorize(comparisons["segment"], sort=True)
        if (segment < 0).any():
            raise DataError("a comparison lacks its segment")
    order = np.lexsort((b, a, segment, tie))
    if "segment" not in comparisons:
        segment[order] = np.arange(len(a))
    # An item is a segment and a system; the number of one is segment * systems + system.
    key = np.concatenate([segment[order] * len(names) + x[order] for x in (a, b)])
    item, option = np.unique(key, return_inverse=True)
    block, author = np.divmod(item, len(names))
    first, second = np.split(option, 2)
    return ItemData(tuple(names), author, block, first, second, int((~tie).sum()))


def require_iterations(iterations: int, burn_in: int) -> None:
    """Refuse a chain of which nothing would be kept."""
    if not 0 <= burn_in < iterations:
        raise ValueError(f"burn_in is {burn_in}: it must be at least 0 and less than {iterations}")


def kept_draws(chain: Iterator[np.ndarray], iterations: int, burn_in: int) -> np.ndarray:
    """Draws of a chain after the burn-in, (iterations - burn_in, ...)."""
    return np.array([*islice(chain, burn_in, iterations)])


def ability_table(data: ItemData, mean: np.ndarray, sd: np.ndarray) -> pd.DataFrame:
    """`ItemResponseModel.abilities`."""
    index = pd.Index(data.systems, name="system")
    return pd.DataFrame({"mean": mean, "sd": sd}, index=index)
