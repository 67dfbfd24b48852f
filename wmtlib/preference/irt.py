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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby, islice
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from wmtlib.judgements import counting
from wmtlib.judgements.counting import SECOND, TIE
from wmtlib.judgements.errors import DataError
from wmtlib.preference.preference_model import PreferenceModel, track

SIDE_BY_SIDE = 4000  # comparisons: about as many fit into a processor's cache


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
    """Comparisons as positions of items; the order of rows and options leaves no trace in it.

    Of one fit, or of several side by side, which have no system and no item in common.
    """

    systems: tuple[str, ...]
    author: np.ndarray  # of each item
    block: np.ndarray  # of each item, sorted: its segment; items of different blocks never meet
    first: np.ndarray  # item of each comparison: the preferred one, if any
    second: np.ndarray
    decided: int  # number of comparisons without a tie; they come first, the ties after them
    sizes: np.ndarray  # (fits, 4): systems, items, comparisons without a tie, and ties of each


def item_data(comparisons: pd.DataFrame | ItemData, systems: Sequence[str]) -> ItemData:
    """Comparisons as positions of items and authors; `ItemData` are returned as they are.

    A comparison of unknown segment has two items of its own.

    Raises
    ------
    DataError
        Fewer than two systems, or comparisons that cannot be used.
    """
    if isinstance(comparisons, ItemData):
        return comparisons
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
    decided = int((~tie).sum())
    sizes = np.array([[len(names), len(item), decided, len(a) - decided]])
    return ItemData(tuple(names), author, block, first, second, decided, sizes)


def side_by_side(fits: Sequence[ItemData]) -> ItemData:
    """The data of several fits as one: positions of each are moved past those before it."""
    if len(fits) == 1:
        return fits[0]

    def moved(column: str, sizes: Sequence[int]) -> list[np.ndarray]:
        starts = [0, *np.cumsum(sizes)[:-1]]
        return [getattr(data, column) + k for data, k in zip(fits, starts, strict=True)]

    def decided_first(sides: list[np.ndarray]) -> np.ndarray:
        parts = [np.split(x, [data.decided]) for x, data in zip(sides, fits, strict=True)]
        return np.concatenate([*(part[0] for part in parts), *(part[1] for part in parts)])

    items = [len(data.author) for data in fits]
    return ItemData(
        tuple(name for data in fits for name in data.systems),
        np.concatenate(moved("author", [len(data.systems) for data in fits])),
        np.concatenate(moved("block", [data.block.max(initial=0) + 1 for data in fits])),
        decided_first(moved("first", items)),
        decided_first(moved("second", items)),
        sum(data.decided for data in fits),
        np.concatenate([data.sizes for data in fits]),
    )


class Streams:
    """Random numbers for fits side by side, those of each from a generator of its own.

    So the draws of a fit are the same whichever fits are beside it.
    """

    def __init__(self, data: ItemData, rngs: Sequence[np.random.Generator]) -> None:
        systems, items, decided, ties = (
            [*zip(rngs, np.cumsum(size) - size, np.cumsum(size), strict=True)]
            for size in data.sizes.T
        )
        shifted = [(rng, data.decided + start, data.decided + end) for rng, start, end in ties]
        self._places = {"systems": systems, "items": items, "decided": decided, "ties": ties}
        self._places["comparisons"] = decided + shifted

    def draw(self, method: str, of: str) -> np.ndarray:
        """A number for each of systems, items, comparisons, decided or ties.

        `method` of `numpy.random.Generator` draws them, such as "standard_normal".
        """
        places = self._places[of]
        drawn = np.empty(places[-1][-1])
        for rng, start, end in places:
            getattr(rng, method)(out=drawn[start:end])
        return drawn

    def integers(self, below: int, of: str) -> np.ndarray:
        """An integer from 0 to below - 1 for each of systems, items and so on."""
        return np.concatenate(
            [rng.integers(below, size=end - start) for rng, start, end in self._places[of]]
        )

    def gamma(self, shape: np.ndarray) -> np.ndarray:
        """Gamma draws of the shapes (systems, k)."""
        return np.concatenate(
            [rng.standard_gamma(shape[start:end]) for rng, start, end in self._places["systems"]]
        )


def require_iterations(iterations: int, burn_in: int) -> None:
    """Refuse a chain of which nothing would be kept."""
    if not 0 <= burn_in < iterations:
        raise ValueError(f"burn_in is {burn_in}: it must be at least 0 and less than {iterations}")


def kept_draws(
    chain: Callable[..., Iterator[np.ndarray]],
    fits: Sequence[ItemData],
    settings: Settings,
    rngs: Sequence[np.random.Generator],
    iterations: int,
    burn_in: int,
    *,
    together: bool,
) -> Iterator[np.ndarray]:
    """Draws of each fit after the burn-in, (iterations - burn_in, systems, ...).

    `together`: fits of few comparisons run side by side and share the cost of a call to numpy.
    """
    last = np.cumsum([len(data.first) for data in fits])  # number of its last comparison
    groups = last // SIDE_BY_SIDE if together else range(len(fits))
    for _, group in groupby(range(len(fits)), key=groups.__getitem__):
        group = [*group]
        data = side_by_side([fits[k] for k in group])
        streams = Streams(data, [rngs[k] for k in group])
        draws = np.array([*islice(chain(data, settings, streams), burn_in, iterations)])
        for part in np.split(draws, np.cumsum(data.sizes[:-1, 0]), axis=1):
            yield np.ascontiguousarray(part)


def ability_table(data: ItemData, mean: np.ndarray, sd: np.ndarray) -> pd.DataFrame:
    """`ItemResponseModel.abilities`."""
    index = pd.Index(data.systems, name="system")
    return pd.DataFrame({"mean": mean, "sd": sd}, index=index)
