"""Few judgements whose removal changes a ranking.

They change its winner, its first three or the order of two neighbours. A removal is
chosen to do the most harm, which is not what chance does: see `resampling.bootstrap`
for how the ranking varies from sample to sample.

A lead of a over b ends when a's score is no longer above b's: it is lower, tied, or one
of the two has no judgement left. So a system loses the first place when its lead over
any other ends, and the first three change when the lead of one of them over one of the
others ends.

Units, such as rankings, judges or single comparisons, are removed greedily, the largest
effect first, and the lead is checked to have ended: so many are enough, and a smaller
set may exist.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from wmtlib import methods, zscores
from wmtlib.core.assessments import Campaign
from wmtlib.core.counts import (
    COMPARISON,
    FIRST,
    SECOND,
    TIE,
    expand,
    require_unit,
    rows_of,
    without,
)
from wmtlib.core.errors import unknown
from wmtlib.core.html_tables import Tabled
from wmtlib.core.ranking import TOLERANCE as TIED
from wmtlib.files.forms import judged

CELLS = {  # by method: comparisons that count, and what a score is a mean over
    "wmt-official": "comparisons",
    "bojar": "decided",
    "expected-wins": "opponents",
    "z-score": "segments",
}
TOP = 3  # systems of "the first three"
SHARES = {"winner": 1.0, "first three": 1.0, "neighbours": 1.0}


@dataclass(frozen=True, eq=False, repr=False)
class Robustness(Tabled):
    """Numbers of judgements that decide a ranking.

    Attributes
    ----------
    ranking : Ranking
    unit : str
        What is removed as a whole.
    table : DataFrame
        A row for the winner, one for the first three (of four systems or more) and one
        for each pair of neighbours. Columns: change ("winner", "first three",
        "neighbours"); above, below: the pair whose order changes by the fewest units;
        units: at hand, as far as the method counts them; units_high: so many units are
        enough; rescaled: whether they are enough too when the workers' scales are
        computed from what is left, of assessments.
    removed : list of arrays
        For each row the units whose removal was checked, as the frame names them;
        comparisons, and units of a `Campaign`, by number.
    left_out : list of names
        Systems that the method cannot score.
    """

    ranking: methods.Ranking
    unit: str
    table: pd.DataFrame
    removed: list[np.ndarray]
    left_out: list[str]

    @property
    def caption(self) -> str:
        """Return what the table shows, in a line."""
        return f"Fewest removals by {self.ranking.method}"

    @property
    def shown(self) -> pd.DataFrame:
        """Return the table to be printed, with the number of units to be removed."""
        table = self.table.drop(columns="units")
        table = table.rename(columns={"units_high": f"{self.unit}s"})
        return table.dropna(axis="columns", how="all")


def robustness(
    data: object,
    method: str | None = None,
    *,
    unit: str,
    reference: str | None = None,
    changes: Mapping[str, float] = SHARES,
) -> Robustness:
    """Find few units whose removal changes a ranking.

    The winner changes when it is no longer ahead of every other system: another is
    ahead of it or level with it. The first three change when one of them is no longer
    ahead of all others, and neighbours when the upper is no longer ahead of the lower.
    A system without judgements is ahead of no other.

    Parameters
    ----------
    data, method, reference
        As in `methods.rank`; method is one of `CELLS`.
    unit : str
        What is removed as a whole, as in `resampling.bootstrap`.
    changes : mapping of str to float
        The changes that are looked for, each with the share of the units up to which is
        looked: more are missing in the table.

    Raises
    ------
    DataError
        What `methods.rank` refuses, another method, or an unknown unit.

    Examples
    --------
    >>> votes = pd.DataFrame({"a": "x", "b": "y", "outcome": [*"aaaaabb"]})
    >>> winner = robustness(votes, unit="comparison").table.iloc[0]
    >>> winner["above"], int(winner["units_high"])
    ('x', 3)
    """
    judgements = judged(data)
    kind = judgements.counted.kind
    chosen = methods.require(method or methods.USUAL_METHODS[kind][0], kind)
    if chosen.name not in CELLS:
        raise unknown("fewest removals for", chosen.name, CELLS)
    data, unscored = methods.scorable(judgements, chosen, reference)
    ranking = methods.rank(judged(data).counted, chosen.name, reference=reference)
    if isinstance(data, Campaign):
        problem = of_assessments(data, unit)
    else:
        require_unit(data, unit)
        if not chosen.reference_counts:
            data = without(data, reference)
        frame = expand(data)
        frame[COMPARISON] = np.arange(len(frame))
        problem = of_comparisons(frame, unit, CELLS[chosen.name])
    rows = []
    removed = []
    for change, pairs in leads(ranking.order):
        if pairs and change in changes:
            pair, number, units = problem.fewest(pairs, changes[change])
            rescaled: object = pd.NA
            if isinstance(data, Campaign) and not np.isnan(number):
                rescaled = ends_rescaled(data, unit, units, pair)
            rows.append((change, *pair, len(problem.labels), number, rescaled))
            removed.append(units)
    columns = ["change", "above", "below", "units", "units_high", "rescaled"]
    table = pd.DataFrame(rows, columns=columns).convert_dtypes()
    return Robustness(ranking, unit, table, removed, unscored)


def leads(order: Sequence[str]) -> list[tuple[str, list[tuple[str, str]]]]:
    """List the changes of a ranking, each with the leads of which one has to end."""
    winner = [(order[0], other) for other in order[1:]]
    three = [(top, other) for other in order[TOP:] for top in order[:TOP][::-1]]
    neighbours = [("neighbours", [pair]) for pair in pairwise(order)]
    return [("winner", winner), ("first three", three), *neighbours]


# --- one lead, and the greedy search --------------------------------------------------


class ScoreLead:
    """The lead of a over b by scores: means over cells of the mean value in each.

    A cell without judgements drops out. What a judgement says of one of the two systems
    is a credit; the values of b have a minus, so that all are to be lowered.

    Attributes
    ----------
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
        self.judgements, self.judgement = np.unique(
            judgement[of_two].astype(int), return_inverse=True
        )
        self.cell, _ = pd.factorize(cell[of_two])
        self.value = np.where(of_above, 1, -1) * value[of_two]
        self.side = (np.bincount(self.cell, of_above) > 0).astype(int)

    def effects(self, left: np.ndarray) -> np.ndarray | None:
        """Compute what each judgement adds to the lead; None where it has ended.

        `left` says which judgements are left, (judgements,) of bool.
        """
        kept = left[self.judgement]
        size = np.bincount(self.cell, kept)
        number = np.bincount(self.side, size > 0, 2)  # cells that are left of b and a
        if not number.all():
            return None
        mean = np.bincount(self.cell, self.value * kept) / np.maximum(size, 1)
        score = np.bincount(self.side, mean) / number
        if score.sum() <= TIED:
            return None
        # What is removed is compared with the rest of its cell; the last credit of a
        # cell with the score, for its cell drops out.
        rest = np.where(size > 1, mean, score[self.side])
        weight = np.maximum(size - 1, 1) * number[self.side]
        effect = (self.value - rest[self.cell]) / weight[self.cell]
        return np.bincount(self.judgement, effect * kept)

    def fewest(self, unit: np.ndarray) -> int:
        """Compute a number of units of which fewer cannot end the lead.

        At its worst a judgement has the lowest value of both systems for a, the highest
        for b, and stays in its cell. No removal takes more: what is left of a cell is
        not below its worst.
        """
        side = self.side[self.cell]
        value = np.where(side, self.value, -self.value)
        worst = np.where(side, value.min(), -value.max())
        weight = 1 / (np.bincount(self.cell) * np.bincount(self.side)[self.side])
        fall = (self.value - worst) * weight[self.cell]
        falls = np.bincount(unit, np.bincount(self.judgement, fall))
        # The largest falls first, until they close the gap.
        fallen = np.r_[0, np.sort(falls)[::-1]].cumsum()
        gap = self.value @ weight[self.cell]
        return int(np.searchsorted(fallen, gap - TIED))


def greedy(lead: ScoreLead, unit: np.ndarray, below: int) -> np.ndarray:
    """Choose units whose removal ends a lead: the largest effect first.

    Those that turn out to be needless are put back. Stops at `below` units, which are
    then not enough.

    Parameters
    ----------
    lead : ScoreLead
    unit : ndarray of int
        The unit of every judgement.
    below : int
    """
    units, unit = np.unique(unit[lead.judgements], return_inverse=True)
    if lead.fewest(unit) >= below:
        return units[:below]
    left = np.ones(len(units), dtype=bool)
    chosen: list[int] = []
    effects = lead.effects(left[unit])
    while effects is not None and len(chosen) < below:
        by_unit = np.bincount(unit, effects).round(12)  # the last bits decide nothing
        chosen.append(int(np.where(left, by_unit, -np.inf).argmax()))
        left[chosen[-1]] = False
        effects = lead.effects(left[unit])
    if effects is None:
        for needless in chosen[:-1]:
            left[needless] = True
            left[needless] = lead.effects(left[unit]) is None
    return units[[place for place in chosen if not left[place]]]


# --- judgements of both kinds, as credits ---------------------------------------------


class RemovalProblem(NamedTuple):
    """Judgements in units, and what they say of single systems.

    Attributes
    ----------
    systems : list of names, sorted
    labels : ndarray, (units,)
    unit : ndarray of int, (judgements,)
        The unit of each judgement that counts, a position in `labels`.
    credits : ndarray, (4, credits)
        System, judgement and cell, as numbers, and value.
    """

    systems: list[str]
    labels: np.ndarray
    unit: np.ndarray
    credits: np.ndarray

    def fewest(
        self, pairs: Sequence[tuple[str, str]], share: float
    ) -> tuple[tuple[str, str], float, np.ndarray]:
        """Find the pair whose lead ends by the fewest units, their number and labels.

        The first pair, NaN and no labels where more than a share of all units are
        needed.
        """
        most = int(share * len(self.labels)) + 1
        units = np.arange(most)
        closest = pairs[0]
        for pair in pairs:
            lead = ScoreLead(self.credits, *map(self.systems.index, pair))
            chosen = greedy(lead, self.unit, len(units))
            if len(chosen) < len(units):
                units = chosen
                closest = pair
        if len(units) == most:
            return closest, np.nan, self.labels[:0]
        return closest, len(units), self.labels[units]


def of_comparisons(frame: pd.DataFrame, unit: str, cells: str) -> RemovalProblem:
    """Turn comparisons into credits: a value is 1, or 0 for the system that lost.

    By expected wins a cell is a system and an opponent, else a system alone.
    """
    rows = rows_of(frame)
    if cells != "comparisons":
        rows = rows.select(rows.preference != TIE)
    code, labels = pd.factorize(rows.frame[unit].to_numpy())
    # Each comparison twice: from the side of the first system, and of the second.
    system = np.r_[rows.first, rows.second]
    opponent = np.r_[rows.second, rows.first]
    cell = system * len(rows.systems) + opponent * (cells == "opponents")
    value = np.r_[rows.preference != SECOND, rows.preference != FIRST]
    judgement = np.tile(np.arange(len(code)), 2)
    credits = np.array([system, judgement, cell, value])
    return RemovalProblem(rows.systems, labels, code, credits)


def of_assessments(campaign: Campaign, unit: str) -> RemovalProblem:
    """Turn assessments into credits: a cell is a segment, a value a z-score.

    The z-scores stay as they are (Knowles 2021). In truth every removal changes the
    mean and standard deviation of its worker: see `ends_rescaled`.
    """
    z = zscores.standardised(campaign)
    cells = zscores.usable_cells(campaign, z)
    counted, judgement = np.unique(cells.judgement, return_inverse=True)
    number, _ = campaign.units(unit)
    code, labels = pd.factorize(number[counted])
    cell = np.repeat(np.arange(len(cells.size)), cells.size)
    credits = np.array([cells.credit_system, judgement, cell, z[cells.judgement]])
    return RemovalProblem([*campaign.systems], labels, code, credits)


def ends_rescaled(
    campaign: Campaign, unit: str, removed: np.ndarray, pair: tuple[str, str]
) -> bool:
    """Check if a removal ends a lead by workers' scales of what is left, too."""
    number, _ = campaign.units(unit)
    left = campaign.select(~np.isin(number, removed))
    score = zscores.means_of_draw(left, np.ones(len(left.score)), "score")
    a, b = map(campaign.systems.index, pair)
    return not score[a] - score[b] > TIED
