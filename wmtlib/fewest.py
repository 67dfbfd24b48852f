"""The fewest judgements whose removal changes a ranking.

It changes where its winner, its first three or two neighbours do.

A removal is chosen to do the most harm. That is not what chance does: see
`resampling.bootstrap` for how the ranking varies from sample to sample.

A lead of a over b ends when a's score is no longer above b's: it is lower, tied, or one
of the two has no judgement left. So a system loses the first place when its lead over
any other ends, and the first three change when the lead of one of them over one of the
others ends.

What is exact:

- **Units** of several judgements, such as rankings, are always removed greedily, the
  largest effect first, and the lead is checked to have ended: so many are enough, and a
  smaller set may exist. The same holds of single assessments.
- **Single comparisons** by a score are exact, and so are their reversals
  (`_Compared`).
- By **mfas** there is a proven lower end, which nearly always is enough, too
  (`_Ordered`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd

from wmtlib import methods, zscores
from wmtlib.assessments import Campaign
from wmtlib.counts import (
    COMPARISON,
    FIRST,
    SECOND,
    TIE,
    coded,
    count,
    expand,
    require_unit,
    without,
)
from wmtlib.errors import DataError
from wmtlib.html_tables import captioned
from wmtlib.mfas_search import forced, minimise
from wmtlib.ranking import TOLERANCE as TIED

REMOVABLE = tuple(name for name, method in methods.METHODS.items() if method.removal)
TOP = 3  # systems of "the first three"
SHARES = {"winner": 1.0, "first three": 1.0, "neighbours": 1.0}
COLUMNS = (
    "change",
    "above",
    "below",
    "units",
    "units_high",
    "judgements",
    "low",
    "high",
    "reversals",
    "rescaled",
)


@dataclass(frozen=True, eq=False)
class Robustness:
    """How few judgements decide a ranking.

    Attributes
    ----------
    ranking : Ranking
    unit : str
        What is removed as a whole.
    table : DataFrame
        A row for the winner, one for the first three (of four systems or more) and one
        for each pair of neighbours. Columns: change ("winner", "first three",
        "neighbours"); above, below: the pair whose order changes by the fewest units
        (of single judgements and reversals it may be another of the pairs that count);
        units, judgements: at hand, as far as the method counts them; units_high: so
        many units are enough; low, high: fewer single judgements than the one are not
        enough, the other are (no lower end of assessments); reversals: comparisons to
        be reversed; rescaled: whether the units are enough too when the workers' scales
        are computed from what is left, of assessments.
    removed : list of arrays
        For each row the units whose removal was checked, as the frame names them;
        comparisons, and units of a `Campaign`, by number.
    left_out : list of names
        Systems that the method cannot score.
    """

    ranking: methods.Ranking
    unit: str
    table: pd.DataFrame = field(repr=False)
    removed: list[np.ndarray] = field(repr=False)
    left_out: list[str]

    def _repr_html_(self) -> str:
        return captioned(f"Fewest removals by {self.ranking.method}", self.shown)

    @property
    def shown(self) -> pd.DataFrame:
        """The table to be printed: of units and judgements those to be removed."""
        exact = ["low"] if self.table["low"].equals(self.table["high"]) else []
        shown = self.table.drop(columns=["units", "judgements", *exact])
        heads = {"units_high": f"{self.unit}s", "low": "at least", "high": "judgements"}
        return shown.rename(columns=heads).dropna(axis="columns", how="all")


def fewest_removals(
    data: object,
    method: str | None = None,
    *,
    unit: str,
    reference: str | None = None,
    changes: Mapping[str, float] = SHARES,
) -> Robustness:
    """The fewest judgements, and the fewest units, whose removal changes a ranking.

    The winner changes when it is no longer ahead of every other system: another is
    ahead of it or level with it. The first three change when one of them is no longer
    ahead of all others, and neighbours when the upper is no longer ahead of the lower.
    A system without judgements is ahead of nobody. By mfas, a system is ahead of those
    that it is above in every optimal order.

    Parameters
    ----------
    data, method, reference
        As in `methods.rank`; method is one of `REMOVABLE`.
    unit : str
        What is removed as a whole, as in `resampling.bootstrap`.
    changes : mapping of str to float
        The changes that are looked for, each with the share of the units, and of the
        judgements, up to which is looked: more are missing in the table.

    Raises
    ------
    DataError
        What `methods.rank` refuses, another method, or an unknown unit.

    Examples
    --------
    >>> votes = pd.DataFrame({"a": "x", "b": "y", "outcome": [*"aaaaabb"]})
    >>> winner = fewest_removals(votes, unit="comparison").table.iloc[0]
    >>> winner["above"], int(winner["high"]), int(winner["reversals"])
    ('x', 3, 2)
    """
    data, counted = methods.method_data(data)
    chosen = methods.require(method, counted.kind)
    if not chosen.removal:
        raise DataError(
            f"no fewest removals for {chosen.name}; expected {', '.join(REMOVABLE)}"
        )
    data, unscored = methods.scorable(data, chosen, reference)
    if isinstance(data, Campaign):
        ranking = methods.rank(data, chosen.name, reference=reference)
        judged: _Judged = _Assessed(data, unit)
    else:
        ranking = methods.rank(count(data), chosen.name, reference=reference)
        require_unit(data, unit)
        if not chosen.reference_counts:
            data = without(data, reference)
        frame = expand(data)
        frame[COMPARISON] = np.arange(len(frame))
        if chosen.removal == "orders":
            judged = _Ordered(frame, unit)
        else:
            judged = _Compared(frame, unit, chosen.removal)
    order = ranking.order
    winner = [(order[0], other) for other in order[1:]]
    three = [(top, other) for other in order[TOP:] for top in order[:TOP][::-1]]
    leads = [("winner", winner), ("first three", three)]
    leads += [("neighbours", [pair]) for pair in pairwise(order)]
    rows = []
    removed = []
    for change, pairs in leads:
        if pairs and change in changes:
            row, units = judged.fewest(pairs, changes[change])
            rows.append({"change": change, **row})
            removed.append(judged.labels[units])
    table = pd.DataFrame(rows, columns=[*COLUMNS]).convert_dtypes()
    return Robustness(ranking, unit, table, removed, unscored)


# --- the greedy search, for any lead --------------------------------------------------


class Lead(Protocol):
    """The lead of one system over another, by the judgements that are left.

    Attributes
    ----------
    ended : bool
    judgements : ndarray of int, (judgements,)
        Those that count for it, sorted.
    """

    @property
    def ended(self) -> bool: ...

    @property
    def judgements(self) -> np.ndarray: ...

    def given(self, left: np.ndarray) -> "Lead":
        """The lead by some of its judgements, (judgements,) of bool."""

    def effects(self, unit: np.ndarray, number: int) -> np.ndarray:
        """What the removal of each of so many units would take from it, (units,).

        `unit` is that of each of its judgements.
        """


def greedy(lead: Lead, unit: np.ndarray, below: int) -> np.ndarray:
    """Units whose removal ends a lead: the largest effect first, then none too many.

    Stops at `below` units, which are then not enough.

    Parameters
    ----------
    lead : Lead
        By all judgements.
    unit : ndarray of int
        The unit of every judgement.
    below : int
    """
    units, unit = np.unique(unit[lead.judgements], return_inverse=True)
    left = np.ones(len(units), dtype=bool)
    chosen: list[int] = []
    while not lead.ended and len(chosen) < below:
        effects = lead.effects(unit, len(units))
        effects = effects.round(12)  # the last bits decide nothing
        chosen.append(int(np.where(left, effects, -np.inf).argmax()))
        left[chosen[-1]] = False
        lead = lead.given(left[unit])
    if lead.ended:
        for needless in chosen[:-1]:
            left[needless] = True
            lead = lead.given(left[unit])
            left[needless] = lead.ended
    return units[[place for place in chosen if not left[place]]]


class _Judged:
    """Judgements in units, and the leads between systems.

    Attributes
    ----------
    systems : list of names, sorted
    labels : ndarray, (units,)
    unit : ndarray of int, (judgements,)
        The unit of each judgement that counts, a position in `labels`.
    """

    def __init__(self, systems: Sequence[str], labels: np.ndarray) -> None:
        self.systems = [*systems]
        self.unit, self.labels = pd.factorize(labels)
        self.single = np.arange(len(labels))

    def lead(self, above: int, below: int) -> Lead:
        """The lead of one system over another, by their positions in `systems`."""
        raise NotImplementedError

    def singles(self, lead: Any, most: int) -> tuple[float, int]:
        """The fewest judgements that end it: no fewer, and enough; up to `most`."""
        return np.nan, len(greedy(lead, self.single, most))

    def reversals(self, lead: Any) -> float:
        """The fewest comparisons whose reversal ends it, if they are known."""
        return np.nan

    def rescaled(self, above: str, below: str, removed: np.ndarray) -> object:
        """Do the units end the lead by workers' scales computed again, too?"""
        return pd.NA

    def fewest(
        self, pairs: Sequence[tuple[str, str]], share: float
    ) -> tuple[dict[str, Any], np.ndarray]:
        """A row of the table, the least over leads up to a share; units removed."""
        most = int(share * len(self.unit)) + 1
        most_units = int(share * len(self.labels)) + 1
        low: float = most
        high = most
        reversals: float = most
        removed = np.arange(most_units)
        above, below = pairs[0]
        for pair in pairs:
            lead = self.lead(*map(self.systems.index, pair))
            not_enough, enough = self.singles(lead, high)
            low = min(not_enough, low)
            high = min(enough, high)
            reversals = min(self.reversals(lead), enough, reversals)
            units = greedy(lead, self.unit, len(removed))
            if len(units) < len(removed):
                removed = units
                above, below = pair
        row = {
            "above": above,
            "below": below,
            "units": len(self.labels),
            "judgements": len(self.unit),
            "low": low,
            "high": high if high < most else np.nan,
            "reversals": reversals if reversals < most else np.nan,
        }
        if len(removed) == most_units:
            return row, removed[:0]
        row["units_high"] = len(removed)
        row["rescaled"] = self.rescaled(above, below, removed)
        return row, removed


# --- leads of scores ------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _ScoreLead:
    """The lead of a over b by scores: means over cells of the mean value in each.

    A cell without judgements drops out. What a judgement says of one of the two systems
    is a credit; the values of b have a minus, so that all are to be lowered.

    Attributes
    ----------
    above, below : int
    judgements : ndarray of int, (judgements,)
        Those of which a credit is here.
    judgement, cell : ndarray of int, (credits,)
        Positions in `judgements` and among the cells of both systems.
    value : ndarray of float64, (credits,)
    side : ndarray of int, (cells,)
        1 if it is a cell of a.
    kept : ndarray of bool, (credits,)
    """

    above: int
    below: int
    judgements: np.ndarray
    judgement: np.ndarray
    cell: np.ndarray
    value: np.ndarray
    side: np.ndarray
    kept: np.ndarray

    def given(self, left: np.ndarray) -> "_ScoreLead":
        return replace(self, kept=left[self.judgement])

    @cached_property
    def size(self) -> np.ndarray:
        """Credits that are left in each cell, (cells,)."""
        return np.bincount(self.cell, self.kept)

    @cached_property
    def mean(self) -> np.ndarray:
        """Of each cell, (cells,)."""
        total = np.bincount(self.cell, self.value * self.kept)
        return total / np.maximum(self.size, 1)

    @cached_property
    def number(self) -> np.ndarray:
        """Cells that are left of b and of a."""
        return np.bincount(self.side, self.size > 0, 2)

    @cached_property
    def score(self) -> np.ndarray:
        """Minus the score of b, and the score of a."""
        return np.bincount(self.side, self.mean) / self.number

    @property
    def ended(self) -> bool:
        return not self.number.all() or self.score.sum() <= TIED

    def effects(self, unit: np.ndarray, number: int) -> np.ndarray:
        # What is removed is compared with the rest of its cell; the last credit of a
        # cell with the score, for its cell drops out.
        rest = np.where(self.size > 1, self.mean, self.score[self.side])
        weight = np.maximum(self.size - 1, 1) * self.number[self.side]
        effect = (self.value - rest[self.cell]) / weight[self.cell]
        return np.bincount(unit[self.judgement], effect * self.kept, number)


class _Scored(_Judged):
    """Judgements by scores: each is a credit of one system or of several.

    Attributes
    ----------
    judgement, system, cell : ndarray of int, (credits,)
    value : ndarray of float64, (credits,)
    """

    judgement: np.ndarray
    system: np.ndarray
    cell: np.ndarray
    value: np.ndarray

    def lead(self, above: int, below: int) -> _ScoreLead:
        rows = np.isin(self.system, (above, below))
        of_above = self.system[rows] == above
        judgements, judgement = np.unique(self.judgement[rows], return_inverse=True)
        _, cell = np.unique(self.cell[rows], return_inverse=True)
        return _ScoreLead(
            above=above,
            below=below,
            judgements=judgements,
            judgement=judgement,
            cell=cell,
            value=np.where(of_above, 1, -1) * self.value[rows],
            side=(np.bincount(cell, of_above) > 0).astype(int),
            kept=np.ones(len(cell), dtype=bool),
        )


# --- comparisons, by scores -----------------------------------------------------------


class _Falls(NamedTuple):
    """How far removals of values 1 lower a system's score; row k is of k removals.

    Attributes
    ----------
    fall : ndarray of float64, (removals, emptied cells)
        The most that the sum over the system's cells falls by; -inf: cannot be.
    total : float
        The sum before.
    remaining : ndarray of int
        Cells that are left; as wide as `fall`.
    """

    fall: np.ndarray
    total: float
    remaining: np.ndarray

    def lowest_means(self, rest: float, size: int) -> np.ndarray:
        """The lowest mean of these cells and others, which stay, by up to k removals.

        `rest` is the sum and `size` the number of the others.
        """
        left = self.remaining + size
        mean = (self.total + rest - self.fall) / np.maximum(left, 1)
        mean[(left <= 0) & (self.fall >= 0)] = -np.inf  # no cell is left
        return np.minimum.accumulate(mean.min(axis=1))


class _Compared(_Scored):
    """Comparisons: a value is 1, or 0 for the system that lost.

    By expected wins a cell is a system and an opponent, else a system alone.

    Attributes
    ----------
    good, bad : ndarray of int, (systems, systems)
        How many values 1 and 0 the row's system has against the column's.
    weight : ndarray of float64, (systems, systems)
        What one of these values adds to the score of the row's system.
    """

    def __init__(self, frame: pd.DataFrame, unit: str, removal: str) -> None:
        systems, *columns, _ = coded(frame)
        counted = (columns[-1] != TIE) | (removal == "comparisons")
        super().__init__(systems, frame[unit].to_numpy()[counted])
        first, second, preference = np.array(columns)[:, counted]
        n = len(systems)
        pair = np.r_[first * n + second, second * n + first]
        self.by_opponent = removal == "opponents"
        self.judgement = np.tile(self.single, 2)
        self.system = pair // n
        self.cell = pair if self.by_opponent else self.system
        self.value = np.r_[preference != SECOND, preference != FIRST].astype(float)
        self.good = np.bincount(pair, self.value, n * n).astype(int).reshape(n, n)
        self.bad = np.bincount(pair, 1 - self.value, n * n).astype(int).reshape(n, n)
        met = self.good + self.bad
        if self.by_opponent:
            cells = (met > 0).sum(axis=1, keepdims=True)
            self.weight = 1 / (cells * np.maximum(met, 1))
        else:
            values = met.sum(axis=1, keepdims=True)
            self.weight = np.broadcast_to(1 / values, met.shape)

    def reversals(self, lead: _ScoreLead) -> int:
        """No cell changes its size, so every reversal has one effect."""
        a, b = lead.above, lead.below
        ours = self.weight[a].copy()
        theirs = self.weight[b]
        ours[b] += theirs[a]  # what a won against b counts for both
        losses = self.bad[b].copy()
        losses[a] = 0
        effects = np.r_[np.repeat(ours, self.bad[:, a]), np.repeat(theirs, losses)]
        score = (self.weight * self.good).sum(axis=1)
        fall = np.r_[0, np.sort(effects)[::-1]].cumsum()
        return int(np.searchsorted(fall, score[a] - score[b] - TIED))

    def singles(self, lead: _ScoreLead, most: int) -> tuple[int, int]:
        """The fewest comparisons whose removal ends the lead, or `most`; exact."""
        least = most
        searched = min(self.reversals(lead), most - 1)
        while least > searched:  # so many removals are not enough
            searched = min(2 * searched + 2, most)
            least = min(self._least(lead.above, lead.below, searched), most)
        return least, least

    def _least(self, a: int, b: int, most: int) -> int:
        """The fewest removals that end the lead of a over b, if it is up to `most`.

        What helps is to remove values 1 of a and values 0 of b. Of the comparisons
        between the two a's wins go first, then ties: no other removal does more. For
        each number of these, the least number follows from the lowest means of a, and
        of b's losses, by k other removals.
        """
        good, bad = np.delete((self.good, self.bad), (a, b), axis=2)
        ours = self._falls(good[a], bad[a], most)
        theirs = self._falls(bad[b], good[b], most)
        least = []
        for direct in range(min(self.good[a, b], most) + 1):
            wins = self.good[a, b] - direct
            losses = max(self.bad[b, a] - direct, 0)
            size = wins + self.bad[a, b]
            if self.by_opponent:
                wins = wins / max(size, 1)
                losses = losses / max(size, 1)
                size = min(size, 1)
            needed = ours.lowest_means(wins, size) - 1 - TIED
            of_theirs = np.searchsorted(-theirs.lowest_means(losses, size), needed)
            least.append(direct + (of_theirs + np.arange(most + 1)).min())
        return int(min(least))

    def _falls(self, ones: np.ndarray, zeros: np.ndarray, most: int) -> _Falls:
        """Of a system with so many values 1 and 0 against each opponent."""
        met = ones + zeros
        if not self.by_opponent:
            fall = np.minimum(np.arange(most + 1), ones.sum())[:, None]
            return _Falls(fall, ones.sum(), met.sum() - fall)
        # Dynamic programming over the cells. Only a cell without a 0 can be emptied.
        ones = ones[met > 0]
        met = met[met > 0]
        emptied = np.arange((ones == met).sum() + 1)
        fall = np.full((most + 1, len(emptied)), -np.inf)
        fall[:, 0] = 0.0
        for w, n in zip(ones.tolist(), met.tolist(), strict=True):
            before = fall.copy()
            for k in range(1, min(w, most) + 1):
                taken = before[:-k] + w / n - (w - k) / max(n - k, 1)
                if k < n:
                    fall[k:] = np.maximum(fall[k:], taken)
                else:
                    fall[k:, 1:] = np.maximum(fall[k:, 1:], taken[:, :-1])
        return _Falls(fall, (ones / met).sum(), len(met) - emptied)


# --- comparisons, by the orders of least cost -----------------------------------------


@dataclass(frozen=True, eq=False)
class _OrderLead:
    """The lead of a system that stands above another in every order of least cost.

    Attributes
    ----------
    judged : _Ordered
    above, below : int
    net : ndarray of int, (judgements,)
        How much more an order with the one above the other agrees with each comparison
        than an order the other way round: -1, 0 or 1. Both were of least cost for
        their side when they were found.
    left : ndarray of bool, (judgements,)
    """

    judged: "_Ordered"
    above: int
    below: int
    net: np.ndarray
    left: np.ndarray

    @property
    def ended(self) -> bool:
        return self.net[self.left].sum() <= 0

    @property
    def judgements(self) -> np.ndarray:
        return self.judged.single

    def given(self, left: np.ndarray) -> "_OrderLead":
        lead = replace(self, left=left)
        if lead.ended:  # These two orders are level; the best ones may not be.
            net = self.judged.agreement(left, self.above, self.below)
            lead = replace(lead, net=net)
        return lead

    def effects(self, unit: np.ndarray, number: int) -> np.ndarray:
        preferred = self.direct / (len(unit) + 1)  # of equal effects
        return np.bincount(unit, self.net + preferred, number)

    @property
    def direct(self) -> np.ndarray:
        """Comparisons in which the one beat the other."""
        judged = self.judged
        return (judged.winner == self.above) & (judged.loser == self.below)


class _Ordered(_Judged):
    """Decided comparisons, and what is common to all orders of least cost.

    Let the *gap* be what the best order with b above a costs more than the best one
    with a above b. Removing one comparison changes the difference in cost of two orders
    by one at most, so as many removals as the gap are needed. And every removal of an
    "a beat b" makes every order with b above a cheaper by one against every order with
    a above b: if there are so many, they are enough. Reversing counts double.
    """

    def __init__(self, frame: pd.DataFrame, unit: str) -> None:
        systems, first, second, preference, _ = coded(frame)
        decided = preference != TIE
        super().__init__(systems, frame[unit].to_numpy()[decided])
        won = preference == FIRST
        self.winner = np.where(won, first, second)[decided]
        self.loser = np.where(won, second, first)[decided]

    def lead(self, above: int, below: int) -> _OrderLead:
        every = np.ones(len(self.unit), dtype=bool)
        net = self.agreement(every, above, below)
        return _OrderLead(self, above, below, net, every)

    def agreement(self, left: np.ndarray, a: int, b: int) -> np.ndarray:
        """How much more the best order with a above b agrees with each comparison."""
        wins = np.zeros((len(self.systems),) * 2, dtype=np.int64)
        np.add.at(wins, (self.winner[left], self.loser[left]), 1)
        agrees = []
        for pair in ((a, b), (b, a)):
            margin = forced(wins - wins.T, pair, enough=wins.sum() + 1)
            place = np.argsort(minimise(margin).order)
            agrees.append(place[self.winner] < place[self.loser])
        return np.subtract(*agrees, dtype=int)

    def singles(self, lead: _OrderLead, most: int) -> tuple[int, int]:
        gap = max(0, int(lead.net.sum()))
        if gap >= most or lead.direct.sum() >= gap:
            return gap, gap
        return gap, len(greedy(lead, self.single, most))

    def reversals(self, lead: _OrderLead) -> float:
        half = max(0, -(-int(lead.net.sum()) // 2))
        return half if lead.direct.sum() >= half else np.inf


# --- direct assessments ---------------------------------------------------------------


class _Assessed(_Scored):
    """Direct assessments: a cell is a segment, a value a z-score (Knowles 2021).

    The z-scores stay as they are. In truth every removal changes the mean and standard
    deviation of its worker: `rescaled` computes them again.
    """

    def __init__(self, campaign: Campaign, unit: str) -> None:
        z = zscores.standardised(campaign)
        cells = zscores.usable_cells(campaign, z)
        counted, self.judgement = np.unique(cells.judgement, return_inverse=True)
        self.campaign = campaign
        self.unit_number, _ = campaign.units(unit)
        super().__init__(campaign.systems, self.unit_number[counted])
        self.cell = np.repeat(np.arange(len(cells.size)), cells.size)
        self.value = z[cells.judgement]
        self.system = cells.credit_system

    def rescaled(self, above: str, below: str, removed: np.ndarray) -> bool:
        left = ~np.isin(self.unit_number, self.labels[removed])
        z = zscores.standardised(self.campaign, counted=left)
        cells = self.campaign.cells_of(self.campaign.rated & left & ~np.isnan(z))
        means = pd.Series(cells.means(z[cells.judgement])).groupby(cells.system).mean()
        score = means.reindex(range(len(self.systems))).set_axis(self.systems)
        return not score[above] - score[below] > TIED
