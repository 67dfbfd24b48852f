"""The fewest judgements whose removal changes a ranking: its winner, its first three, neighbours.

A removal is chosen to do the most harm. That is not what chance does: see
`resampling.bootstrap` for how the ranking varies from sample to sample.

A lead of a over b ends when a's score is no longer above b's: it is lower, tied, or one
of the two has no judgement left. So a system loses the first place when its lead over
any other ends, and the first three change when the lead of one of them over one of the
others ends.

**Single comparisons**: the fewest are exact (`_Compared.singles`). **Units** of several
judgements, such as rankings, and single assessments: a set is found greedily, the
largest effect first, and checked. A smaller one may exist.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import pairwise

import numpy as np
import pandas as pd

from wmtlib import assessments, html_tables, methods, zscores
from wmtlib import counts as counting
from wmtlib.counts import COMPARISON, FIRST, SECOND, TIE
from wmtlib.errors import DataError
from wmtlib.mfas_search import forced, minimise
from wmtlib.ranking import TOLERANCE as TIED

REMOVABLE = tuple(name for name, method in methods.METHODS.items() if method.removal)
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
        return html_tables.captioned(
            f"Fewest removals by {self.ranking.method}", self.shown
        )

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
    changes=(),
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
        Those of `SHARES` that are wanted (all, if none is named), each with the share
        of the units, and of the judgements, up to which is looked: more are missing in
        the table.

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
    data = methods.method_data(data)
    chosen = methods.require(method, methods.kind_of(data))
    if not chosen.removal:
        raise DataError(
            f"no fewest removals for {chosen.name}; expected {', '.join(REMOVABLE)}"
        )
    data, unscored = methods.scorable(data, chosen, reference)
    counted = data if isinstance(data, assessments.Campaign) else counting.count(data)
    ranking = methods.rank(counted, chosen.name, reference=reference)
    if isinstance(data, assessments.Campaign):
        judged = _Assessed(data, unit)
    else:
        counting.require_unit(data, unit)
        kept = counting.without(data, None if chosen.reference_counts else reference)
        frame = counting.expand(kept).assign(
            **{COMPARISON: lambda rows: np.arange(len(rows))}
        )
        judged = (_Ordered if chosen.removal == "orders" else _Compared)(
            frame, unit, chosen.removal
        )
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
    return Robustness(
        ranking=ranking, unit=unit, table=table, removed=removed, left_out=unscored
    )


class _Judged:
    """Judgements in units, and the removals that end a lead of one system over another.

    Scores are means over cells of the mean value in each; a cell without judgements
    drops out.

    Attributes
    ----------
    systems : list of names, sorted
        Methods take positions in it.
    unit : ndarray of int, (judgements,)
        The unit of each judgement that counts, a position in `labels`.
    labels : ndarray, (units,)
    judgement, system, cell : ndarray of int, (credits,)
        What each judgement says of the systems that it is about; a cell belongs to one
        system.
    value : ndarray of float64, (credits,)
    """

    def enter(self, systems: list[str], labels: np.ndarray) -> None:
        self.systems, (self.unit, self.labels) = systems, pd.factorize(labels)
        self.alone = np.arange(len(labels))

    def enter_comparisons(
        self, frame: pd.DataFrame, unit: str, ties: bool
    ) -> list[np.ndarray]:
        """Systems and units, and first, second and preference of the comparisons that count."""
        systems, *columns, _ = counting.coded(frame)
        counted = (columns[2] != TIE) | ties
        self.enter(systems, frame[unit].to_numpy()[counted])
        return [column[counted] for column in columns]

    def fewest(
        self, pairs: list[tuple[str, str]], share: float
    ) -> tuple[dict, np.ndarray]:
        """A row of the table: the least over leads, up to a share; and the units removed."""
        low = high = reversals = most = int(share * len(self.unit)) + 1
        removed, best = np.arange(int(share * len(self.labels)) + 1), pairs[0]
        too_many = len(removed)
        for pair in pairs:
            place = [self.systems.index(name) for name in pair]
            least, enough = self.singles(*place, high)
            low, high = min(least, low), min(enough, high)
            reversals = min(self.reversals(*place), enough, reversals)
            units = self.greedy(*place, self.unit, len(removed))
            if len(units) < len(removed):
                removed, best = units, pair
        row = {"above": best[0], "below": best[1], "units": len(self.labels)}
        row |= {"judgements": len(self.unit), "low": low}
        for name, number in (("high", high), ("reversals", reversals)):
            row[name] = number if number < most else np.nan
        if len(removed) == too_many:
            return row, removed[:0]
        row |= {"units_high": len(removed), "rescaled": self.rescaled(*best, removed)}
        return row, removed

    def greedy(self, a: int, b: int, unit: np.ndarray, below: int) -> np.ndarray:
        """Units whose removal ends the lead: the largest effect first, then none too many.

        Stops at `below` units, which are then not enough.
        """
        look, chosen = self.looking(a, b, unit), []
        left = np.ones(unit.max(initial=-1) + 1, dtype=bool)
        while not (state := look(left))[0] and len(chosen) < below:
            effects = np.where(
                left, state[1].round(12), -np.inf
            )  # the last bits decide nothing
            chosen.append(int(effects.argmax()))
            left[chosen[-1]] = False
        for one in chosen[:-1] if state[0] else []:
            left[one] = True
            left[one] = look(left)[0]
        return np.array([one for one in chosen if not left[one]], dtype=int)

    def looking(self, a: int, b: int, unit: np.ndarray) -> Callable:
        """A function of which units are left: has the lead ended, and what does each take from it?

        `unit` is that of each judgement.
        """
        rows = np.isin(self.system, (a, b))
        unit, cell, ours = (
            unit[self.judgement[rows]],
            self.cell[rows],
            self.system[rows] == a,
        )
        value = np.where(ours, 1, -1) * self.value[rows]  # both sides are to be lowered
        side = (np.bincount(cell, ours) > 0).astype(int)

        def look(left: np.ndarray) -> tuple[bool, np.ndarray]:
            kept = left[unit]
            size = np.bincount(cell, kept)
            mean = np.bincount(cell, value * kept) / np.maximum(size, 1)
            number = np.bincount(side, size > 0, 2)
            if (
                not number.all()
                or (score := np.bincount(side, mean) / number).sum() <= TIED
            ):
                return True, left
            rest = np.where(
                size > 1, mean, score[side]
            )  # what a removal is compared with
            effect = (value - rest[cell]) / (np.maximum(size - 1, 1) * number[side])[
                cell
            ]
            return False, np.bincount(unit, effect * kept, len(left))

        return look

    def singles(self, a: int, b: int, below: int) -> tuple[float, int]:
        """The fewest single judgements that end the lead: no fewer, and enough; up to `below`."""
        return np.nan, len(self.greedy(a, b, self.alone, below))

    def reversals(self, a: int, b: int) -> float:
        """The fewest comparisons whose reversal ends the lead, if they are known."""
        return np.nan

    def rescaled(self, above: str, below: str, removed: np.ndarray) -> object:
        """Do the removed units end the lead by workers' scales computed again, too?"""
        return pd.NA


class _Compared(_Judged):
    """Comparisons: a cell is an opponent by expected wins, else the system; values are 0 or 1.

    Attributes
    ----------
    good, bad : ndarray of int, (systems, systems)
        How many values 1 and 0 the row's system has against the column's.
    weight : ndarray of float64, (systems, systems)
        What one of these values adds to the score of the row's system.
    """

    def __init__(self, frame: pd.DataFrame, unit: str, removal: str) -> None:
        first, second, preference = self.enter_comparisons(
            frame, unit, removal == "comparisons"
        )
        n, self.by_opponent = len(self.systems), removal == "opponents"
        pair = np.r_[first * n + second, second * n + first]
        self.judgement, self.system = np.tile(self.alone, 2), pair // n
        self.cell = pair if self.by_opponent else self.system
        self.value = np.r_[preference != SECOND, preference != FIRST].astype(float)
        self.good = np.bincount(pair, self.value, n * n).astype(int).reshape(n, n)
        self.bad = np.bincount(pair, 1 - self.value, n * n).astype(int).reshape(n, n)
        met = self.good + self.bad
        cells = (met > 0 if self.by_opponent else met).sum(axis=1, keepdims=True)
        size = np.maximum(met, 1) if self.by_opponent else np.ones_like(met)
        self.weight = 1 / (cells * size)

    def reversals(self, a: int, b: int) -> int:
        """No cell changes its size, so every reversal has one effect: the largest are taken."""
        ours, theirs = self.weight[a].copy(), self.weight[b]
        ours[b] += theirs[a]  # what a won against b counts for both
        losses = np.where(np.arange(len(theirs)) == a, 0, self.bad[b])
        effects = np.sort(
            np.r_[np.repeat(ours, self.bad[:, a]), np.repeat(theirs, losses)]
        )
        score = (self.weight * self.good).sum(axis=1)
        return int(
            np.searchsorted(
                np.r_[0, effects[::-1]].cumsum(), score[a] - score[b] - TIED
            )
        )

    def singles(self, a: int, b: int, below: int) -> tuple[int, int]:
        """The fewest single comparisons whose removal ends the lead, or `below`; exact.

        What helps is to remove values 1 of a and values 0 of b. Of the comparisons
        between the two a's wins come first, then ties: no other removal does more. For
        each number of these, the least number follows from the lowest means of a, and
        of b's losses, by k other removals.
        """
        good, bad = np.delete((self.good, self.bad), (a, b), axis=2)
        gone = np.arange(self.good[a, b] + 1)
        rest = self.good[a, b] - gone, (self.bad[b, a] - gone).clip(0)
        sizes = rest[0] + self.bad[a, b]
        if self.by_opponent:
            rest, sizes = rest / np.maximum(sizes, 1), np.minimum(sizes, 1)
        least, most = below, min(self.reversals(a, b), below - 1)
        while least > most:  # so many are not enough
            most, least = min(2 * most + 2, below), below
            ours, theirs = (
                self.lowest(good[a], bad[a], most),
                self.lowest(bad[b], good[b], most),
            )
            for k, size, wins, losses in zip(gone, sizes, *rest, strict=True):
                needed = ours(wins, size) - 1 - TIED
                more = np.searchsorted(-theirs(losses, size), needed) + np.arange(
                    most + 1
                )
                least = min(least, int(k + more.min()))
        return least, least

    def lowest(self, good: np.ndarray, bad: np.ndarray, most: int) -> Callable:
        """The lowest means that k removals of values 1 reach, k = 0 .. most, of a system's cells.

        A function of the sum and number of other cells of the system, which stay as
        they are.
        """
        total, number = good.sum(), (good + bad).sum()
        fall = emptied = np.minimum(np.arange(most + 1), total)[:, None]
        if self.by_opponent:  # dynamic programming; columns: how many cells are emptied
            good, met = good[good + bad > 0], (good + bad)[good + bad > 0]
            total, number, emptied = (
                (good / met).sum(),
                len(good),
                np.arange(len(good) + 1),
            )
            fall = np.where(emptied + np.zeros((most + 1, 1)) == 0, 0.0, -np.inf)
            for w, n in zip(good, met, strict=True):
                before = fall.copy()
                for k in range(1, min(w, most) + 1):
                    end = len(good) + (
                        k < n
                    )  # the last k empties the cell if all are values 1
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

    Let the *gap* be what the best order with b above a costs more than the best one
    with a above b. Removing one comparison changes the difference in cost of two orders
    by one at most, so as many removals as the gap are needed. And every removal of an
    "a beat b" makes every order with b above a cheaper by one against every order with
    a above b: if there are so many, they are enough. Reversing counts double.
    """

    def __init__(self, frame: pd.DataFrame, unit: str, removal: str) -> None:
        first, second, preference = self.enter_comparisons(frame, unit, False)
        self.winner, self.loser = np.where(
            preference == FIRST, (first, second), (second, first)
        )
        self.start = cache(partial(self.agreement, self.alone))

    def agreement(self, left: np.ndarray, a: int, b: int) -> np.ndarray:
        """How much more the best order with a above b agrees with each comparison: -1, 0 or 1."""
        wins = np.zeros((len(self.systems),) * 2, dtype=np.int64)
        np.add.at(wins, (self.winner[left], self.loser[left]), 1)
        margin, enough = wins - wins.T, int(wins.sum()) + 1
        orders = [minimise(forced(margin, p, enough)).order for p in ((a, b), (b, a))]
        agrees = (
            place[self.winner] < place[self.loser] for place in map(np.argsort, orders)
        )
        return np.subtract(*agrees, dtype=int)

    def direct(self, a: int, b: int) -> np.ndarray:
        return (self.winner == a) & (self.loser == b)

    def looking(self, a: int, b: int, unit: np.ndarray) -> Callable:
        net, direct = self.start(a, b), self.direct(a, b) / (len(self.unit) + 1)

        def look(left: np.ndarray) -> tuple[bool, np.ndarray]:
            nonlocal net
            kept = left[unit]
            if (
                net[kept].sum() <= 0
            ):  # these two orders are level; the best ones may not be
                net = self.agreement(kept, a, b)
            return net[kept].sum() <= 0, np.bincount(unit, net + direct, len(left))

        return look

    def singles(self, a: int, b: int, below: int) -> tuple[int, int]:
        gap = max(0, int(self.start(a, b).sum()))
        if gap >= below or self.direct(a, b).sum() >= gap:
            return gap, gap
        return gap, len(self.greedy(a, b, self.alone, below))

    def reversals(self, a: int, b: int) -> float:
        half = max(0, -(-int(self.start(a, b).sum()) // 2))
        return half if self.direct(a, b).sum() >= half else np.inf


class _Assessed(_Judged):
    """Direct assessments: a cell is a segment, a value a z-score (Knowles 2021, section 3).

    The z-scores stay as they are. In truth every removal changes the mean and standard
    deviation of its worker: `rescaled` computes them again.
    """

    def __init__(self, campaign: assessments.Campaign, unit: str) -> None:
        self.campaign, self.number = campaign, campaign.units(unit)[0]
        z = zscores.standardised(campaign)
        cells = zscores.usable_cells(campaign, z)
        counted, self.judgement = np.unique(cells.judgement, return_inverse=True)
        self.enter([*campaign.systems], self.number[counted])
        self.cell = np.repeat(np.arange(len(cells.size)), cells.size)
        self.value, self.system = z[cells.judgement], cells.credit_system

    def rescaled(self, above: str, below: str, removed: np.ndarray) -> bool:
        kept = ~np.isin(self.number, self.labels[removed])
        z = zscores.standardised(self.campaign, weight=kept)
        cells = self.campaign.cells_of(self.campaign.rated & kept & ~np.isnan(z))
        means = pd.Series(cells.means(z[cells.judgement])).groupby(cells.system).mean()
        score = means.reindex(range(len(self.systems))).set_axis(self.systems)
        return not score[above] - score[below] > TIED
