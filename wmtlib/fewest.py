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
  (`Compared`).
- By **mfas** there is a proven lower end, which nearly always is enough, too
  (`Ordered`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

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
    expand,
    require_unit,
    without,
)
from wmtlib.errors import DataError
from wmtlib.forms import count
from wmtlib.html_tables import captioned
from wmtlib.methods import method_data
from wmtlib.mfas_search import minimise
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
    data, counted = method_data(data)
    name = method or methods.USUAL_METHODS[counted.kind][0]
    chosen = methods.require(name, counted.kind)
    if not chosen.removal:
        raise DataError(
            f"no fewest removals for {chosen.name}; expected {', '.join(REMOVABLE)}"
        )
    data, unscored = methods.scorable(data, chosen, reference)
    if isinstance(data, Campaign):
        ranking = methods.rank(data, chosen.name, reference=reference)
        judged: Judged = Assessed(data, unit)
    else:
        ranking = methods.rank(count(data), chosen.name, reference=reference)
        require_unit(data, unit)
        if not chosen.reference_counts:
            data = without(data, reference)
        frame = expand(data)
        frame[COMPARISON] = np.arange(len(frame))
        if chosen.removal == "orders":
            judged = Ordered(frame, unit)
        else:
            judged = Compared(frame, unit, chosen.removal)
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
            rows.append((change, *row))
            removed.append(judged.labels[units])
    table = pd.DataFrame(rows, columns=[*COLUMNS]).convert_dtypes()
    return Robustness(ranking, unit, table, removed, unscored)


# --- leads, and the greedy search -----------------------------------------------------


class ScoreLead:
    """The lead of a over b by scores: means over cells of the mean value in each.

    A cell without judgements drops out. What a judgement says of one of the two systems
    is a credit; the values of b have a minus, so that all are to be lowered.

    Attributes
    ----------
    above, below : int
    judgements : ndarray of int, (judgements,)
        Those with a credit of one of the two, sorted.
    judgement, cell : ndarray of int, (credits,)
        Positions in `judgements` and among the cells of both systems.
    value : ndarray of float64, (credits,)
    side : ndarray of int, (cells,)
        1 if it is a cell of a.
    """

    def __init__(self, credits: np.ndarray, above: int, below: int) -> None:
        system, judgement, cell, value = credits
        of_two = (system == above) | (system == below)
        of_above = system[of_two] == above
        self.above = above
        self.below = below
        self.judgements, self.judgement = np.unique(
            judgement[of_two].astype(int), return_inverse=True
        )
        self.cell, _ = pd.factorize(cell[of_two])
        self.value = np.where(of_above, 1, -1) * value[of_two]
        self.side = (np.bincount(self.cell, of_above) > 0).astype(int)

    def after(self, left: np.ndarray) -> "tuple[ScoreLead, np.ndarray | None]":
        """It, and what each judgement adds to it; None where it has ended.

        `left` says which judgements are left, (judgements,) of bool.
        """
        kept = left[self.judgement]
        size = np.bincount(self.cell, kept)
        number = np.bincount(self.side, size > 0, 2)  # cells that are left of b and a
        if not number.all():
            return self, None
        mean = np.bincount(self.cell, self.value * kept) / np.maximum(size, 1)
        score = np.bincount(self.side, mean) / number
        if score.sum() <= TIED:
            return self, None
        # What is removed is compared with the rest of its cell; the last credit of a
        # cell with the score, for its cell drops out.
        rest = np.where(size > 1, mean, score[self.side])
        weight = np.maximum(size - 1, 1) * number[self.side]
        effect = (self.value - rest[self.cell]) / weight[self.cell]
        return self, np.bincount(self.judgement, effect * kept)

    def worst(self) -> tuple[float, np.ndarray]:
        """The lead, and what each judgement takes from it at its worst.

        The worst value is the lowest of both systems for a, the highest for b: of
        comparisons, the one that a reversal gives. No cell changes its size. No removal
        takes more: what is left of a cell is not below its worst.
        """
        side = self.side[self.cell]
        value = np.where(side, self.value, -self.value)
        worst = np.where(side, value.min(), -value.max())
        weight = 1 / (np.bincount(self.cell) * np.bincount(self.side)[self.side])
        fall = (self.value - worst) * weight[self.cell]
        return self.value @ weight[self.cell], np.bincount(self.judgement, fall)


class OrderLead(NamedTuple):
    """The lead of a system that stands above another in every order of least cost.

    Attributes
    ----------
    judged : Ordered
    above, below : int
    judgements : ndarray of int, (judgements,)
        All of them.
    direct : ndarray of bool, (judgements,)
        Whether the one beat the other.
    net : ndarray of int, (judgements,)
        How much more an order with the one above the other agrees with each comparison
        than an order the other way round: -1, 0 or 1. Both were of least cost for
        their side when they were found.
    """

    judged: "Ordered"
    above: int
    below: int
    judgements: np.ndarray
    direct: np.ndarray
    net: np.ndarray

    def after(self, left: np.ndarray) -> "tuple[OrderLead, np.ndarray | None]":
        """As of `ScoreLead`, by orders of least cost for what is left."""
        lead = self
        if self.net[left].sum() <= 0:  # These two are level; the best may not be.
            lead = self.judged.lead(self.above, self.below, left)
            if lead.net[left].sum() <= 0:
                return lead, None
        # Of equal effects the direct ones go first.
        return lead, lead.net + self.direct / (len(left) + 1)

    def worst(self) -> tuple[float, np.ndarray]:
        """As of `ScoreLead`: the gap, of which no removal takes more than 1."""
        return self.net.sum(), np.ones(len(self.net))


def at_least(gap: float, falls: np.ndarray) -> int:
    """How many falls, the largest first, close a gap."""
    fallen = np.r_[0, np.sort(falls)[::-1]].cumsum()
    return int(np.searchsorted(fallen, gap - TIED))


def greedy(lead: Any, unit: np.ndarray, below: int) -> np.ndarray:
    """Units whose removal ends a lead: the largest effect first, then none too many.

    Stops at `below` units, which are then not enough.

    Parameters
    ----------
    lead : ScoreLead or OrderLead
    unit : ndarray of int
        The unit of every judgement.
    below : int
    """
    units, unit = np.unique(unit[lead.judgements], return_inverse=True)
    gap, falls = lead.worst()
    if at_least(gap, np.bincount(unit, falls)) >= below:
        return units[:below]
    left = np.ones(len(units), dtype=bool)
    chosen: list[int] = []
    lead, effects = lead.after(left[unit])
    while effects is not None and len(chosen) < below:
        by_unit = np.bincount(unit, effects).round(12)  # the last bits decide nothing
        chosen.append(int(np.where(left, by_unit, -np.inf).argmax()))
        left[chosen[-1]] = False
        lead, effects = lead.after(left[unit])
    if effects is None:
        for needless in chosen[:-1]:
            left[needless] = True
            lead, effects = lead.after(left[unit])
            left[needless] = effects is None
    return units[[place for place in chosen if not left[place]]]


class Judged:
    """Judgements in units, and the leads between systems.

    Attributes
    ----------
    systems : list of names, sorted
    labels : ndarray, (units,)
    unit : ndarray of int, (judgements,)
        The unit of each judgement that counts, a position in `labels`.
    single : ndarray of int, (judgements,)
        Every judgement as a unit.
    credits : ndarray, (4, credits)
        What judgements say of single systems, for scores: system, judgement and cell,
        as numbers, and value.
    """

    credits: np.ndarray

    def __init__(self, systems: Sequence[str], labels: np.ndarray) -> None:
        self.systems = [*systems]
        self.unit, self.labels = pd.factorize(labels)
        self.single = np.arange(len(labels))

    def lead(self, above: int, below: int) -> Any:
        """The lead of one system over another, by their positions in `systems`."""
        return ScoreLead(self.credits, above, below)

    def singles(self, lead: Any, most: int) -> tuple[float, float, float]:
        """The fewest judgements that end it: no fewer, enough, and enough reversals.

        Up to `most`; NaN: not known.
        """
        return np.nan, len(greedy(lead, self.single, most)), np.nan

    def rescaled(self, above: str, below: str, removed: np.ndarray) -> object:
        """Do the units end the lead by workers' scales computed again, too?"""
        return pd.NA

    def fewest(
        self, pairs: Sequence[tuple[str, str]], share: float
    ) -> tuple[tuple[Any, ...], np.ndarray]:
        """A row of the table, the least over leads up to a share; units removed."""
        most = int(share * len(self.unit)) + 1
        most_units = int(share * len(self.labels)) + 1
        fewest = np.array([most, most, most])
        removed = np.arange(most_units)
        above, below = pairs[0]
        for pair in pairs:
            lead = self.lead(*map(self.systems.index, pair))
            low, high, reversals = self.singles(lead, int(fewest[1]))
            fewest = np.minimum(fewest, [low, high, np.minimum(high, reversals)])
            units = greedy(lead, self.unit, len(removed))
            if len(units) < len(removed):
                removed = units
                above, below = pair
        high, reversals = np.where(fewest < most, fewest, np.nan)[1:]
        number: float = np.nan
        rescaled: object = pd.NA
        if len(removed) == most_units:
            removed = removed[:0]
        else:
            number = len(removed)
            rescaled = self.rescaled(above, below, removed)
        sizes = len(self.labels), number, len(self.unit)
        row = above, below, *sizes, fewest[0], high, reversals, rescaled
        return row, removed


# --- comparisons, by scores -----------------------------------------------------------


class Compared(Judged):
    """Comparisons: a value is 1, or 0 for the system that lost.

    By expected wins a cell is a system and an opponent, else a system alone.

    Attributes
    ----------
    decided : ndarray of bool, (judgements,)
    good, bad : ndarray of int, (systems, systems)
        How many values 1 and 0 the row's system has against the column's.
    """

    def __init__(self, frame: pd.DataFrame, unit: str, removal: str) -> None:
        ties_count = removal == "comparisons"
        counted = frame if ties_count else frame[frame["preference"] != TIE]
        counts = count(frame)
        wins = counts.wins.to_numpy()
        self.good = wins + ties_count * counts.ties.to_numpy()
        self.bad = wins.T
        self.by_opponent = removal == "opponents"
        super().__init__(counts.systems, counted[unit].to_numpy())
        _, first, second, preference, _ = coded(counted, self.systems)
        self.decided = preference != TIE
        system = np.r_[first, second]
        opponent = np.r_[second, first]
        cell = system * len(wins) + opponent * self.by_opponent
        value = np.r_[preference != SECOND, preference != FIRST]
        self.credits = np.array([system, np.tile(self.single, 2), cell, value])

    def singles(self, lead: ScoreLead, most: int) -> tuple[int, int, int]:
        gap, falls = lead.worst()
        reversals = at_least(gap, falls[self.decided[lead.judgements]])
        least = most
        searched = at_least(gap, falls)
        while searched < least:  # so many removals are not enough
            searched = min(2 * searched + 2, most)
            least = min(self.least(lead.above, lead.below, searched), most)
        return least, least, reversals

    def least(self, a: int, b: int, most: int) -> int:
        """The fewest removals that end the lead of a over b, if it is up to `most`.

        What helps is to remove values 1 of a and values 0 of b. Of the comparisons
        between the two a's wins go first, then ties: no other removal does more. For
        each number of these, the least number follows from the lowest means of a, and
        of b's losses, by k other removals.
        """
        good, bad = np.delete((self.good, self.bad), (a, b), axis=2)
        ours = self.lowest_sums(good[a], bad[a], most)
        theirs = self.lowest_sums(bad[b], good[b], most)
        least = []
        for direct in range(min(self.good[a, b], most) + 1):
            wins = self.good[a, b] - direct
            losses = max(self.bad[b, a] - direct, 0)
            size = wins + self.bad[a, b]
            if self.by_opponent:
                wins = wins / max(size, 1)
                losses = losses / max(size, 1)
                size = min(size, 1)
            needed = lowest_means(*ours, wins, size) - 1 - TIED
            of_theirs = np.searchsorted(-lowest_means(*theirs, losses, size), needed)
            least.append(direct + (of_theirs + np.arange(most + 1)).min())
        return int(min(least))

    def lowest_sums(
        self, ones: np.ndarray, zeros: np.ndarray, most: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """How low removals of values 1 bring the sum over the cells of a system.

        Parameters
        ----------
        ones, zeros : ndarray of int, (opponents,)
            How many values 1 and 0 the system has against each.
        most : int

        Returns
        -------
        sums, sizes : ndarray, (most + 1, emptied cells)
            Row k: the lowest sum after k removals (inf: cannot be), and the number of
            what it is a sum of. By expected wins shares won are summed over opponents,
            else values.
        """
        met = ones + zeros
        if not self.by_opponent:
            removed = np.minimum(np.arange(most + 1), ones.sum())[:, None]
            return ones.sum() - removed, met.sum() - removed
        # Dynamic programming over the cells. Only a cell without a 0 can be emptied.
        ones = ones[met > 0]
        met = met[met > 0]
        emptied = np.arange((ones == met).sum() + 1)
        sums = np.full((most + 1, len(emptied)), np.inf)
        sums[:, 0] = (ones / met).sum()
        for w, n in zip(ones.tolist(), met.tolist(), strict=True):
            before = sums.copy()
            for k in range(1, min(w, most) + 1):
                after = before[:-k] - w / n + (w - k) / max(n - k, 1)
                if k < n:
                    sums[k:] = np.minimum(sums[k:], after)
                else:
                    sums[k:, 1:] = np.minimum(sums[k:, 1:], after[:, :-1])
        return sums, len(met) - emptied


def lowest_means(
    sums: np.ndarray, sizes: np.ndarray, rest: float, size: int
) -> np.ndarray:
    """The lowest means of what `Compared.lowest_sums` gives and a rest that stays.

    By up to k removals, (most + 1,); `rest` is the sum and `size` the number of others.
    """
    left = sizes + size
    mean = (sums + rest) / np.maximum(left, 1)
    mean[(left <= 0) & np.isfinite(sums)] = -np.inf  # no cell is left
    return np.minimum.accumulate(mean.min(axis=1))


# --- comparisons, by the orders of least cost -----------------------------------------


class Ordered(Judged):
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
        self.in_best_order = self.agrees(self.single)

    def agrees(self, left: np.ndarray, *above: int) -> np.ndarray:
        """Whether every comparison is as the best order of those left has it.

        Of two systems that are named, the first has to stand above the second.
        """
        wins = np.zeros((len(self.systems),) * 2, dtype=np.int64)
        np.add.at(wins, (self.winner[left], self.loser[left]), 1)
        if above:
            wins[above] += wins.sum() + 1
        place = np.argsort(minimise(wins - wins.T).order)
        return place[self.winner] < place[self.loser]

    def lead(self, above: int, below: int, left: np.ndarray | None = None) -> OrderLead:
        if left is None:
            left = self.single
            best = self.in_best_order
        else:
            best = self.agrees(left)
        # If the best order has b above a, the two are one.
        net = np.subtract(best, self.agrees(left, below, above), dtype=int)
        direct = (self.winner == above) & (self.loser == below)
        return OrderLead(self, above, below, self.single, direct, net)

    def singles(self, lead: OrderLead, most: int) -> tuple[int, int, float]:
        gap = max(0, lead.net.sum())
        half = -(-gap // 2)
        direct = lead.direct.sum()
        enough = gap
        if direct < gap < most:
            enough = len(greedy(lead, self.single, most))
        return gap, enough, half if direct >= half else np.inf


# --- direct assessments ---------------------------------------------------------------


class Assessed(Judged):
    """Direct assessments: a cell is a segment, a value a z-score (Knowles 2021).

    The z-scores stay as they are. In truth every removal changes the mean and standard
    deviation of its worker: `rescaled` computes them again.
    """

    def __init__(self, campaign: Campaign, unit: str) -> None:
        z = zscores.standardised(campaign)
        cells = zscores.usable_cells(campaign, z)
        counted, judgement = np.unique(cells.judgement, return_inverse=True)
        self.campaign = campaign
        self.unit_number, _ = campaign.units(unit)
        super().__init__(campaign.systems, self.unit_number[counted])
        cell = np.repeat(np.arange(len(cells.size)), cells.size)
        columns = cells.credit_system, judgement, cell, z[cells.judgement]
        self.credits = np.array(columns)

    def rescaled(self, above: str, below: str, removed: np.ndarray) -> bool:
        left = self.campaign.select(~np.isin(self.unit_number, self.labels[removed]))
        score = zscores.means_of_draw(left, np.ones(len(left.score)), "score")
        a, b = map(self.systems.index, (above, below))
        return not score[a] - score[b] > TIED
