"""The fewest judgements whose removal changes a ranking: its winner, its first three, neighbours.

A removal is chosen to do the most harm. That is not what chance does: see `analysis.bootstrap` for
how the ranking varies from sample to sample.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from wmtlib import _mfas_search as local_search
from wmtlib import counts as counting
from wmtlib import fewest as fewest_assessments
from wmtlib import fewest as fewest_comparisons
from wmtlib import ranking as methods
from wmtlib.counts import Counts, captioned
from wmtlib.errors import DataError
from wmtlib.fewest import Credits, fewest_singles, fewest_units, greedy
from wmtlib.ranking import Ranking
from wmtlib.zscores import Campaign

METHODS = (*fewest_comparisons.VALUES, "mfas", "z-score")
FIRST = 3  # systems of "the first three"
NUMBERS = ("units_low", "units_high", "low", "high", "reversals")
CHANGES = {"winner": 1.0, "first three": 1.0, "neighbours": 1.0}


@dataclass(frozen=True, eq=False)
class Robustness:
    """How few judgements decide a ranking.

    Attributes
    ----------
    ranking : Ranking
    unit : str
        What is removed as a whole.
    n_units, n_judgements : int
        At hand: units, and judgements that the method counts.
    table : DataFrame
        A row for the winner, one for the first three (of four systems or more) and one for each
        pair of neighbours. Columns: change ("winner", "first three", "neighbours"); above, below:
        the pair whose order changes by the fewest units (of single judgements and reversals it may
        be another of the pairs that count); units_low, units_high: fewer units than the one are not
        enough, the other are; low, high: the same of single judgements; reversals: comparisons to
        be reversed, missing for scores; rescaled: whether the units that were found are enough too
        when the workers' scales are computed from what is left, missing for comparisons.
    """

    ranking: Ranking
    unit: str
    n_units: int
    n_judgements: int
    table: pd.DataFrame = field(repr=False)

    def _repr_html_(self) -> str:
        caption = f"{self.ranking.method}: {self.n_judgements} judgements, {self.n_units}"
        return captioned(f"{caption} {self.unit}s", self.table)

    @property
    def winner(self) -> pd.Series:
        """The row of the winner."""
        return self.table.iloc[0]


def fewest_removals(
    data: Counts | pd.DataFrame | Campaign,
    method: str,
    *,
    unit: str,
    reference: str | None = None,
    changes: Mapping[str, float] = CHANGES,
) -> Robustness:
    """The fewest judgements, and the fewest units, whose removal changes a ranking.

    The winner changes when it is no longer ahead of every other system: another is ahead of it or
    level with it. The first three change when one of them is no longer ahead of all others, and
    neighbours when the upper is no longer ahead of the lower. A system without judgements is ahead
    of nobody. By mfas, a system is ahead of those that it is above in every optimal order.

    Parameters
    ----------
    data, method, reference
        As in `methods.rank`; method is one of `METHODS`.
    unit : str
        As in `bootstrap.bootstrap`.
    changes : mapping
        Those of `CHANGES` that are wanted, each with the share of the units, and of the judgements,
        up to which is looked: more are missing in the table.

    Raises
    ------
    DataError
        What `methods.rank` refuses, another method, or an unknown unit.
    """
    if method not in METHODS:
        raise DataError(f"no fewest removals for {method}; expected {', '.join(METHODS)}")
    ranking = methods.rank(data, method, reference=reference)
    if isinstance(data, Campaign):
        solver: _Means | _Orders = _Scores(data, unit)
    else:
        counting.require_unit(data, unit)
        if not methods.METHODS[method].reference_counts:
            data = counting.without(data, reference)
        frame = counting.expand(data)
        solver = _Orders(frame, unit) if method == "mfas" else _Comparisons(frame, method, unit)
    rows = []
    for change, pairs in _changes(ranking.order):
        if change in changes:
            rows.append({"change": change, **_row(solver, pairs, changes[change])})
    table = pd.DataFrame(rows, columns=["change", "above", "below", *NUMBERS, "rescaled"])
    table = table.astype(dict.fromkeys(NUMBERS, "Int64") | {"rescaled": "boolean"})
    return Robustness(ranking, unit, solver.n_units, solver.n_judgements, table)


def _changes(order: list[str]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Each change, and the pairs of systems of which one has to change its order."""
    found = [("winner", [(order[0], other) for other in order[1:]])]
    if len(order) > FIRST:
        pairs = [(one, other) for other in order[FIRST:] for one in order[:FIRST][::-1]]
        found.append(("first three", pairs))
    return found + [("neighbours", [pair]) for pair in pairwise(order)]


def _row(solver: "_Means | _Orders", pairs: list[tuple[str, str]], share: float) -> dict[str, Any]:
    """Least numbers over some pairs, and the pair that takes the fewest units."""
    places = [(solver.systems.index(a), solver.systems.index(b)) for a, b in pairs]
    low, high, _ = _least(places, solver.singles, int(share * solver.n_judgements))
    units_low, units_high, at = _least(places, solver.units, int(share * solver.n_units))
    return {
        "above": pairs[at][0],
        "below": pairs[at][1],
        "units_low": units_low,
        "units_high": units_high,
        "low": low,
        "high": high,
        **(solver.more(places, at) if units_high is not None else {}),
    }


def _least(
    places: list[tuple[int, int]], solve: Callable[..., tuple[int, int]], most: int
) -> tuple[int, int | None, int]:
    """Least lower and upper ends over pairs, None above `most`; the first pair with the latter."""
    low, high, at = most + 1, most + 1, 0
    for k, pair in enumerate(places):
        lower, upper = solve(*pair, below=high)
        low = min(low, lower)
        if upper < high:
            high, at = upper, k
    return low, high if high <= most else None, at


class _Means:
    """Removals from scores that are means of means."""

    def __init__(self, credits: Credits) -> None:
        self.credits, self.systems = credits, [*credits.systems]
        counted = np.unique(credits.judgement)
        self.n_judgements = len(counted)
        self.n_units = len(np.unique(credits.unit[counted]))

    def singles(self, a: int, b: int, *, below: float) -> tuple[int, int]:
        return fewest_singles(self.credits, a, b, below=below)

    def units(self, a: int, b: int, *, below: float) -> tuple[int, int]:
        return fewest_units(self.credits, a, b, below=below)[:2]


class _Comparisons(_Means):
    """Removals of comparisons, and reversals."""

    def __init__(self, frame: pd.DataFrame, method: str, unit: str) -> None:
        super().__init__(fewest_comparisons.tournament_credits(frame, method, unit=unit))

    def more(self, places: list[tuple[int, int]], at: int) -> dict[str, Any]:
        flips = (fewest_comparisons.fewest_flips(self.credits, *pair) for pair in places)
        return {"reversals": min(flips)}


class _Scores(_Means):
    """Removals of assessments."""

    def __init__(self, campaign: Campaign, unit: str) -> None:
        super().__init__(fewest_assessments.assessment_credits(campaign, unit=unit))
        self.campaign = campaign
        self.alone = replace(self.credits, unit=np.arange(len(campaign.score)))

    def singles(self, a: int, b: int, *, below: float) -> tuple[int, int]:
        # A removal of joint judgements that was found may be smaller than one without any.
        lower, upper = super().singles(a, b, below=below)
        if lower < upper:
            upper = min(upper, len(greedy(self.alone, a, b, below)))
        return lower, upper

    def more(self, places: list[tuple[int, int]], at: int) -> dict[str, Any]:
        removed = fewest_units(self.credits, *places[at])[2]
        gone = np.isin(self.credits.unit, removed)
        ended = fewest_assessments.still_ended(self.campaign, *places[at], gone)
        return {"reversals": None, "rescaled": ended}


class _Orders:
    """Removals that change what is common to the optimal orders."""

    def __init__(self, frame: pd.DataFrame, unit: str) -> None:
        self.found = fewest_comparisons.tournament(frame, unit=unit)
        self.systems, wins = self.found.systems, self.found.wins
        self.n_judgements, self.n_units = len(self.found.unit), len(np.unique(self.found.unit))
        least = local_search.cost(wins - wins.T, self.found.best)
        self.gap = cache(partial(fewest_comparisons.gap, wins, least=least))

    def singles(self, a: int, b: int, *, below: float) -> tuple[int, int]:
        return self._comparisons(a, b, below=below, weight=1)

    def _comparisons(self, a: int, b: int, *, below: float, weight: int) -> tuple[int, int]:
        settings = {"below": below, "weight": weight, "lead": self.gap(a, b)}
        return fewest_comparisons.fewest_comparisons(self.found.wins, a, b, **settings)

    def units(self, a: int, b: int, *, below: float) -> tuple[int, int]:
        return fewest_comparisons.fewest_units_of_tournament(
            self.found, a, b, lead=self.gap(a, b), below=below
        )

    def more(self, places: list[tuple[int, int]], at: int) -> dict[str, Any]:
        reversals = _least(places, partial(self._comparisons, weight=2), self.n_judgements)[1]
        return {"reversals": reversals}
