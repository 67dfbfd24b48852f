"""Item-response models of translation competitions (Hopkins & May 2013, section 7).

A system s has an ability; an item i, the translation of one segment by one system, has a quality
drawn from it; a judge observes the quality of both items of a comparison with noise of his own:

    mu_s ~ N(0, sigma_0²),   q_i ~ N(mu_author(i), sigma_a²),   o ~ N(q, sigma_obs²) per option,

and prefers neither iff |o1 - o2| < radius, else the option that he observed to be better. The
categorical model has discrete qualities 1..Lambda and observations, q_i ~ theta_author(i),
theta_s ~ Dirichlet(alpha), and needs |o1 - o2| <= radius, since its radius is 0.

Comparisons enter by d = o1 - o2 alone, so nothing tells where zero is: the mean ability keeps its
prior, N(0, sigma_0² / n), independent of all differences, whatever the data.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from wmtlib.judgements.errors import DataError
from wmtlib.preference.preference_model import track

PAPER: dict[str, dict[str, Any]] = {  # footnote 13
    "gaussian": {"sigma_0": 1.0, "sigma_a": 0.5, "sigma_obs": 1.0, "radius": 0.4},
    "categorical": {"levels": 8, "alpha": 0.5, "sigma_obs": 1.0, "radius": 0},
}


class ItemData(NamedTuple):
    """Comparisons as positions; a swap of options or rows in the frame leaves this the same."""

    systems: tuple[str, ...]
    author: np.ndarray  # of each item
    block: np.ndarray  # of each item, sorted: its segment; items of different blocks never meet
    first: np.ndarray  # item of each comparison: the preferred one, if any
    second: np.ndarray
    decided: int  # so many comparisons are decided; the ties come after them


def item_data(comparisons: pd.DataFrame, systems: Sequence[str]) -> ItemData:
    """Comparisons as positions of items and authors, in an order that rows do not matter to."""
    names = track(systems)
    a, b = (_positions(comparisons[c], names) for c in ("system_1", "system_2"))
    if (a == b).any():
        raise DataError(f"system {names[a[a == b][0]]!r} is compared with itself")
    preference = comparisons["preference"].to_numpy()
    if not np.isin(preference, (0, 1, 2)).all():
        raise DataError("a preference is neither 0 (tie), 1 nor 2")
    tie = preference == 0
    swap = (preference == 2) | (tie & (a > b))
    a, b = np.where(swap, b, a), np.where(swap, a, b)
    segment = np.zeros(len(a), dtype=np.intp)
    if "segment" in comparisons:
        segment, _ = pd.factorize(comparisons["segment"], sort=True)
        if (segment < 0).any():
            raise DataError("a comparison lacks its segment")
    order = np.lexsort((b, a, segment, tie))
    if "segment" not in comparisons:
        segment[order] = np.arange(len(a))
    key = np.concatenate([segment[order] * len(names) + x[order] for x in (a, b)])
    item, option = np.unique(key, return_inverse=True)
    block, author = np.divmod(item, len(names))
    first, second = np.split(option, 2)
    return ItemData(names, author, block, first, second, int((~tie).sum()))


def _positions(column: pd.Series, names: tuple[str, ...]) -> np.ndarray:
    cat = column.astype("category").cat
    place = np.append(pd.Index(names).get_indexer(cat.categories), -1)[cat.codes]
    if (place < 0).any():
        name = column[place < 0].iloc[0]
        raise DataError(f"system {name!r} is compared, but is no system of the track")
    return place


def require_settings(**settings: float) -> None:
    for name, value in settings.items():
        if not (0 < value < np.inf or (name == "radius" and value == 0)):
            what = "not be negative" if name == "radius" else "be positive"
            raise ValueError(f"{name} is {value}: it must be finite and {what}")


def require_iterations(iterations: int, burn_in: int) -> None:
    if not 0 <= burn_in < iterations:
        raise ValueError(f"burn_in is {burn_in}: it must be at least 0 and less than {iterations}")


def ability_table(data: ItemData, mean: np.ndarray, sd: np.ndarray) -> pd.DataFrame:
    index = pd.Index(data.systems, name="system")
    return pd.DataFrame({"mean": mean, "sd": sd}, index=index)
