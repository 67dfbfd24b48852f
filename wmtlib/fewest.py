"""The fewest judgements whose removal changes a ranking: its winner, its first three, neighbours.

A removal is chosen to do the most harm. That is not what chance does: see `resampling.bootstrap`
for how the ranking varies from sample to sample.

A lead of a over b ends when a's score is no longer above b's: it is lower, tied, or one of the two
has no judgement left. So a system loses the first place when its lead over any other ends, and the
first three change when the lead of one of them over one of the others ends.

**Single comparisons**: the fewest are exact (`_Compared.singles`). **Units** of several judgements,
such as rankings, and single assessments: a set is found greedily, the largest effect first, and
checked. A smaller one may exist.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import pairwise

import numpy as np
import pandas as pd

from wmtlib import counts as counting
from wmtlib import ranking as methods
from wmtlib import zscores
from wmtlib._mfas_search import forced, minimise
from wmtlib.corrections import TOLERANCE as TIED
from wmtlib.counts import COMPARISON, FIRST, SECOND, TIE
from wmtlib.errors import DataError

REMOVABLE = ("expected-wins", "wmt-official", "bojar", "mfas", "z-score")
TOP = 3  # systems of "the first three"
SHARES = {"winner": 1.0, "first three": 1.0, "neighbours": 1.0}
TABLE = "change above below units units_high judgements low high reversals rescaled"


@dataclass(frozen=True, eq=False)
class Robustness:
    """How few judgements decide a ranking.

    Attributes
    ----------
    ranking : Ranking
    unit : str
        What is removed as a whole.
    table : DataFrame
        A row for the winner, one for the first three (of four systems or more) and one for each
        pair of neighbours. Columns: change ("winner", "first three", "neighbours"); above, below:
        the pair whose order changes by the fewest units (of single judgements and reversals it may
        be another of the pairs that count); units, judgements: at hand, as far as the method counts
        them; units_high: so many units are enough; low, high: fewer single judgements than the one
        are not enough, the other are (no lower end of assessments); reversals: comparisons to be
        reversed; rescaled: whether the units are enough too when the workers' scales are computed
        from what is left, of assessments.
    removed : list of arrays
        For each row the units whose removal was checked, as the frame names them; comparisons, and
        units of a `Campaign`, by number.
    left_out : list of names
        Systems that the method cannot score.
    """

    ranking: methods.Ranking
    unit: str
    table: pd.DataFrame = field(repr=False)
    removed: list[np.ndarray] = field(repr=False)
    left_out: list[str]

    def _repr_html_(self) -> str:
        return counting.captioned(f"Fewest removals by {self.ranking.method}", self.shown)

    @property
    def shown(self) -> pd.DataFrame:
        """The table to be printed: of units and judgements those to be removed."""
        exact = ["low"] if self.table["low"].equals(self.table["high"]) else []
        shown = self.table.drop(columns=["units", "judgements", *exact])
        heads = {"units_high": f"{self.unit}s", "low": "at least", "high": "judgements"}
        return shown.rename(columns=heads).dropna(axis="columns", how="all")


def fewest_removals(
    data: object, method: str | None = None, *, unit: str, reference: str | None = None, changes=()
) -> Robustness:
    """The fewest judgements, and the fewest units, whose removal changes a ranking.

    The winner changes when it is no longer ahead of every other system: another is ahead of it or
    level with it. The first three change when one of them is no longer ahead of all others, and
    neighbours when the upper is no longer ahead of the lower. A system without judgements is ahead
    of nobody. By mfas, a system is ahead of those that it is above in every optimal order.

    Parameters
    ----------
    data, method, reference
        As in `ranking.rank`; method is one of `REMOVABLE`.
    unit : str
        What is removed as a whole, as in `resampling.bootstrap`.
    changes : mapping of str to float
        Those of `SHARES` that are wanted (all, if none is named), each with the share of the
        units, and of the judgements, up to which is looked: more are missing in the table.

    Raises
    ------
    DataError
        What `ranking.rank` refuses, another method, or an unknown unit.

    Examples
    --------
    >>> votes = pd.DataFrame({"a": "x", "b": "y", "outcome": [*"aaaaabb"]})
    >>> winner = fewest_removals(votes, unit="comparison").table.iloc[0]
    >>> winner["above"], int(winner["high"]), int(winner["reversals"])
    ('x', 3, 2)
    """
    data = methods.method_data(data)
    chosen = methods.require(method, methods.kind_of(data))
    method = chosen.name
    if method not in REMOVABLE:
        raise DataError(f"no fewest removals for {method}; expected {', '.join(REMOVABLE)}")
    data, unscored = methods.scorable(data, chosen, reference)
    counted = data if isinstance(data, zscores.Campaign) else counting.count(data)
    ranking = methods.rank(counted, method, reference=reference)
    if isinstance(data, zscores.Campaign):
        judged = _Assessed(data, unit)
    else:
        counting.require_unit(data, unit)
        left_out = None if methods.METHODS[method].reference_counts else reference
        frame = counting.expand(counting.without(data, left_out))
        frame = frame.assign(**{COMPARISON: np.arange(len(frame))})
        judged = (_Ordered if method == "mfas" else _Compared)(frame, unit, method)
    order, rows, removed = ranking.order, [], []
    first = [(order[0], other) for other in order[1:]]
    three = [(one, other) for other in order[TOP:] for one in order[:TOP][::-1]]
    neighbours = [("neighbours", [pair]) for pair in pairwise(order)]
    for change, pairs in [("winner", first), ("first three", three), *neighbours]:
        if pairs and (share := dict(changes or SHARES).get(change)) is not None:
            row, units = judged.fewest(pairs, share)
            rows.append({"change": change, **row})
            removed.append(judged.labels[units])
    table = pd.DataFrame(rows, columns=TABLE.split()).convert_dtypes()
    return Robustness(ranking=ranking, unit=unit, table=table, removed=removed, left_out=unscored)


class _Judged:
    """Judgements in units, and the removals that end a lead of one system over another.

    Scores are means over cells of the mean value in each; a cell without judgements drops out.

    Attributes
    ----------
    systems : list of names, sorted
        Methods take positions in it.
    unit : ndarray of int, (judgements,)
        The unit of each judgement that counts, a position in `labels`.
    labels : ndarray, (units,)
    judgement, system, cell : ndarray of int, (credits,)
        What each judgement says of the systems that it is about; a cell belongs to one system.
    value : ndarray of float64, (credits,)
    """

    def enter(self, systems: list[str], labels: np.ndarray) -> None:
        self.systems, (self.unit, self.labels) = systems, pd.factorize(labels)
        self.alone = np.arange(len(labels))

    def enter_comparisons(self, frame: pd.DataFrame, unit: str, ties: bool) -> list[np.ndarray]:
        """Systems and units, and first, second and preference of the comparisons that count."""
        systems, *columns, _ = counting.coded(frame)
        counted = (columns[2] != TIE) | ties
        self.enter(systems, frame[unit].to_numpy()[counted])
        return [column[counted] for column in columns]

    def fewest(self, pairs: list[tuple[str, str]], share: float) -> tuple[dict, np.ndarray]:
        """A row of the table: the least over leads, up to a share; and the units removed."""
        high = most = reversals = int(share * len(self.unit)) + 1
        removed, best, least = np.zeros(int(share * len(self.labels)) + 1, dtype=int), 0, high
        limit, places = len(removed), [tuple(map(self.systems.index, pair)) for pair in pairs]
        for number, place in enumerate(places):
            low, enough = self.singles(*place, high)
            least, high = min(low, least), min(high, enough)
            reversals = min(self.reversals(*place, reversals), reversals)
            units = self.greedy(*place, self.unit, len(removed))
            if len(units) < len(removed):
                removed, best = units, number
        row = {"above": pairs[best][0], "below": pairs[best][1], "units": len(self.labels)}
        row |= {"judgements": len(self.unit), "low": least, "high": high if high < most else None}
        if len(removed) == limit:
            return row, removed[:0]
        row |= {"units_high": len(removed), "reversals": reversals}
        return row | self.more(*places[best], removed), removed

    def greedy(self, a: int, b: int, unit: np.ndarray, below: float) -> np.ndarray:
        """Units whose removal ends the lead: the largest effect first, then none too many.

        Stops at `below` units, which are then not enough.
        """
        concerned, look = self.looking(a, b)
        numbers, unit = np.unique(unit[concerned], return_inverse=True)
        left, chosen = np.ones(len(unit), dtype=bool), []
        while not (state := look(left))[0] and len(chosen) < below:
            effects = np.bincount(unit, state[1])
            effects[chosen] = -np.inf
            chosen.append(int(effects.argmax()))
            left &= unit != chosen[-1]
        for one in chosen[:-1] if state[0] else []:
            if look(left | (unit == one))[0]:
                left |= unit == one
                chosen.remove(one)
        return numbers[np.array(chosen, dtype=int)]

    def looking(self, a: int, b: int) -> tuple[np.ndarray, Callable]:
        """The judgements that a lead rests on, and a function of which of them are left.

        It says whether the lead has ended, and what each removal takes from it.
        """
        rows = np.isin(self.system, (a, b))
        concerned, judgement = np.unique(self.judgement[rows], return_inverse=True)
        ours = self.system[rows] == a
        value = np.where(ours, 1, -1) * self.value[rows]  # both sides are to be lowered
        cell = np.unique(self.cell[rows], return_inverse=True)[1]
        side = (np.bincount(cell, ours) > 0).astype(int)

        def look(left: np.ndarray) -> tuple[bool, np.ndarray]:
            kept = left[judgement]
            size = np.bincount(cell, kept)
            mean = np.bincount(cell, value * kept) / np.maximum(size, 1)
            number = np.bincount(side, size > 0, 2)
            if not number.all() or (score := np.bincount(side, mean) / number).sum() <= TIED:
                return True, left
            rest = np.where(size > 1, mean, score[side])  # what a removal is compared with
            effect = (value - rest[cell]) / (np.maximum(size - 1, 1) * number[side])[cell]
            return False, np.bincount(judgement, effect * kept, len(left))

        return concerned, look

    def more(self, a: int, b: int, removed: np.ndarray) -> dict[str, object]:
        """What else a row holds, of removed units that end the lead of a over b."""
        return {}


class _Compared(_Judged):
    """Comparisons: a cell is an opponent by expected wins, else a comparison; values are 0 or 1.

    Attributes
    ----------
    good, bad : ndarray of int, (systems, systems)
        How many values 1 and 0 the row's system has against the column's.
    """

    def __init__(self, frame: pd.DataFrame, unit: str, method: str) -> None:
        first, second, preference = self.enter_comparisons(frame, unit, method == "wmt-official")
        n, self.by_opponent = len(self.systems), method == "expected-wins"
        pair = np.r_[first * n + second, second * n + first]
        self.judgement, self.system = np.tile(self.alone, 2), pair // n
        self.cell = pair if self.by_opponent else np.arange(len(pair))
        self.value = np.r_[preference != SECOND, preference != FIRST].astype(float)
        self.decided = np.tile(preference != TIE, 2)
        met = np.bincount(pair, minlength=n * n)
        self.good = np.bincount(pair, self.value, n * n).astype(int).reshape(n, n)
        self.bad = met.reshape(n, n) - self.good
        cells = (met > 0 if self.by_opponent else met).reshape(n, n).sum(axis=1)
        self.weight = 1 / (cells[self.system] * (met[pair] if self.by_opponent else 1))

    def reversals(self, a: int, b: int, below: int) -> int:
        """No cell changes its size, so every reversal has one effect: the largest are taken."""
        rows = np.where(self.value > 0, self.system == a, self.system == b) & self.decided
        effects = np.bincount(self.judgement[rows], self.weight[rows])
        score = np.bincount(self.system, self.weight * self.value)
        if (lead := score[a] - score[b]) <= TIED:
            return 0
        return int(np.searchsorted(np.sort(effects)[::-1].cumsum(), lead - TIED)) + 1

    def singles(self, a: int, b: int, below: int) -> tuple[int, int]:
        """The fewest single comparisons whose removal ends the lead, or `below`; exact.

        What helps is to remove values 1 of a and values 0 of b. Of the comparisons between the two
        a's wins come first, then ties: no other removal does more. For each number of these, the
        least number follows from the lowest means of a, and of b's losses, by k other removals.
        """
        good, bad = np.delete((self.good, self.bad), (a, b), axis=2)
        gone = np.arange(self.good[a, b] + 1)
        rest = self.good[a, b] - gone, (self.bad[b, a] - gone).clip(0)
        sizes = rest[0] + self.bad[a, b]
        if self.by_opponent:
            rest, sizes = rest / np.maximum(sizes, 1), np.minimum(sizes, 1)
        least, most = below, min(self.reversals(a, b, below), below - 1)
        while least > most:  # so many are not enough
            most, least = min(2 * most + 2, below), below
            ours, theirs = self.lowest(good[a], bad[a], most), self.lowest(bad[b], good[b], most)
            for k, size, wins, losses in zip(gone, sizes, *rest, strict=True):
                needed = ours(wins, size) - 1 - TIED
                more = np.searchsorted(-theirs(losses, size), needed) + np.arange(most + 1)
                least = min(least, int(k + more.min()))
        return least, least

    def lowest(self, good: np.ndarray, bad: np.ndarray, most: int) -> Callable:
        """The lowest means that k removals of values 1 reach, k = 0 .. most, of a system's cells.

        A function of the sum and number of other cells of the system, which stay as they are.
        """
        total, number = good.sum(), (good + bad).sum()
        fall = emptied = np.minimum(np.arange(most + 1), total)[:, None]
        if self.by_opponent:  # dynamic programming; columns: how many cells are emptied
            good, met = good[good + bad > 0], (good + bad)[good + bad > 0]
            total, number, emptied = (good / met).sum(), len(good), np.arange(len(good) + 1)
            fall = np.where(emptied + np.zeros((most + 1, 1)) == 0, 0.0, -np.inf)
            for w, n in zip(good, met, strict=True):
                before = fall.copy()
                for k in range(1, min(w, most) + 1):
                    end = len(good) + (k < n)  # the last k empties the cell if all are values 1
                    taken = before[:-k, :end] + w / n - (w - k) / max(n - k, 1)
                    fall[k:, -end:] = np.maximum(fall[k:, -end:], taken)

        def means(rest: float, size: int) -> np.ndarray:
            left = number + size - emptied
            mean = (total + rest - fall) / np.maximum(left, 1)
            mean[(left <= 0) & (fall >= 0)] = -np.inf  # no cell is left
            return np.minimum.accumulate(mean.min(axis=1))

        return means


class _Ordered(_Judged):
    """Decided comparisons, and what is common to all orders of least cost.

    Let the *gap* be what the best order with b above a costs more than the best one with a above b.
    Removing one comparison changes the difference in cost of two orders by one at most, so as many
    removals as the gap are needed. And every removal of an "a beat b" makes every order with b
    above a cheaper by one against every order with a above b: if there are so many, they are
    enough. Reversing counts double.
    """

    def __init__(self, frame: pd.DataFrame, unit: str, method: str) -> None:
        first, second, preference = self.enter_comparisons(frame, unit, False)
        self.winner, self.loser = np.where(preference == FIRST, (first, second), (second, first))
        self.start = cache(partial(self.agreement, self.alone))

    def agreement(self, left: np.ndarray, a: int, b: int) -> np.ndarray:
        """How much more the best order with a above b agrees with each comparison: -1, 0 or 1."""
        wins = np.zeros((len(self.systems),) * 2, dtype=np.int64)
        np.add.at(wins, (self.winner[left], self.loser[left]), 1)
        margin, enough = wins - wins.T, int(wins.sum()) + 1
        orders = [minimise(forced(margin, p, enough)).order for p in ((a, b), (b, a))]
        agrees = (place[self.winner] < place[self.loser] for place in map(np.argsort, orders))
        return np.subtract(*agrees, dtype=int)

    def direct(self, a: int, b: int) -> np.ndarray:
        return (self.winner == a) & (self.loser == b)

    def looking(self, a: int, b: int) -> tuple[np.ndarray, Callable]:
        net, direct = self.start(a, b), self.direct(a, b) / (len(self.unit) + 1)

        def look(left: np.ndarray) -> tuple[bool, np.ndarray]:
            nonlocal net
            if net[left].sum() <= 0:  # these two orders are level; the best ones may not be
                net = self.agreement(left, a, b)
            return net[left].sum() <= 0, net + direct

        return self.alone, look

    def singles(self, a: int, b: int, below: int) -> tuple[int, int]:
        gap = max(0, int(self.start(a, b).sum()))
        if gap >= below or self.direct(a, b).sum() >= gap:
            return gap, gap
        return gap, len(self.greedy(a, b, self.alone, below))

    def reversals(self, a: int, b: int, below: int) -> int:
        half = max(0, -(-int(self.start(a, b).sum()) // 2))
        return half if self.direct(a, b).sum() >= half else self.singles(a, b, below)[1]


class _Assessed(_Judged):
    """Direct assessments: a cell is a segment, a value a z-score (Knowles 2021, section 3).

    The z-scores stay as they are. In truth every removal changes the mean and standard deviation of
    its worker: `more` computes them again.
    """

    def __init__(self, campaign: zscores.Campaign, unit: str) -> None:
        self.campaign, self.number = campaign, campaign.units(unit)[0]
        z = zscores.standardised(campaign)
        cells = zscores.usable_cells(campaign, z)
        counted, self.judgement = np.unique(cells.judgement, return_inverse=True)
        self.enter([*campaign.systems], self.number[counted])
        self.cell = np.repeat(np.arange(len(cells.size)), cells.size)
        self.value, self.system = z[cells.judgement], cells.credit_system

    def singles(self, a: int, b: int, below: int) -> tuple[float, int]:
        return np.nan, len(self.greedy(a, b, self.alone, below))

    def reversals(self, a: int, b: int, below: int) -> float:
        return np.nan

    def more(self, a: int, b: int, removed: np.ndarray) -> dict[str, object]:
        """Whether the lead has ended, too, once the workers' scales are computed again."""
        kept, rescaled = ~np.isin(self.number, self.labels[removed]), True
        with suppress(DataError):  # a system is left without segments
            if kept.any():
                means = methods.rank_systems(self.campaign.select(kept)).column("score")
                rescaled = means[self.systems[a]] - means[self.systems[b]] <= TIED
        return {"rescaled": rescaled}
