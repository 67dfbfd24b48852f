"""How far scores move when one judge, or one sentence, is left out.

A *unit* is what was collected as a whole: all that one judge said, or all that was said
of one sentence, prompt or document. `held` and `held_scores` list what every unit
holds. Of it `spread_of_ratios` and `spread_of_strengths` make

    spread = sum over units c of d_c d_c',    d_c = scores without c - scores,

(systems, systems), of which the jackknife makes a covariance: see `wmtlib.certainty`.
A unit moves only the systems that it judged, so that time and memory go with the
judgements, and not with units times systems.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import scipy

from wmtlib.core.counts import (
    FIRST,
    SECOND,
    SWAPPED,
    TIE,
    ComparisonRows,
    Counts,
    one_way,
    rows_of,
)

Fit: TypeAlias = Callable[[np.ndarray], np.ndarray]  # of `moves_of_fits`
Matrix: TypeAlias = "np.ndarray | scipy.sparse.csr_array"
DENSE = 8  # cells of a matrix for each number in it, up to which it is not sparse
LEAST_REST = 1e-9  # judgements of a system that are left
LARGEST_KEY = 1 << 62
MOST_FITS = 200  # units of a kind, of methods without a formula


# --- what units hold ------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Held:
    """What units hold, in cells: a unit and a pair of systems, or one system.

    Attributes
    ----------
    systems : int
    unit : ndarray of int, (cells,)
        From 0, sorted.
    first, second : ndarray of int, (cells,)
        Positions of systems; of scores both are the same.
    seen : ndarray of float64, (3, cells)
        Comparisons: how often neither (`TIE`), the first (`FIRST`) or the second
        (`SECOND`) was preferred. Scores: their sum, their number and 0.
    times : ndarray of float64, (units,)
        How many units hold the same. It is 1, but where each comparison is a unit.
    """

    systems: int
    unit: np.ndarray
    first: np.ndarray
    second: np.ndarray
    seen: np.ndarray
    times: np.ndarray

    @property
    def units(self) -> float:
        """Number of units."""
        return float(self.times.sum())

    def sums(self, *of_cells: tuple[np.ndarray, np.ndarray]) -> Matrix:
        """Add up values of cells by unit and system, (units, systems).

        Each is the values and the systems that they are of. The result is sparse where
        units hold few of the systems.
        """
        values = np.concatenate([value for value, _ in of_cells])
        system = np.concatenate([system for _, system in of_cells])
        unit = np.tile(self.unit, len(of_cells))
        shape = len(self.times), self.systems
        if np.prod(shape) <= DENSE * len(values):
            place = unit * self.systems + system
            return np.bincount(place, values, np.prod(shape)).reshape(shape)
        return scipy.sparse.coo_array((values, (unit, system)), shape).tocsr()


def held(rows: ComparisonRows, codes: np.ndarray | None, *, sided: bool) -> Held:
    """List what units hold of comparisons.

    Parameters
    ----------
    rows : ComparisonRows
    codes : ndarray of int, (rows,), or None
        The unit of each row; None: every comparison is one.
    sided : bool
        Whether the first of a pair is the system that was shown first; else the one
        whose name comes first.
    """
    size = len(rows.systems)
    first, second, preference = rows.first, rows.second, rows.preference
    if not sided:
        turned = first > second
        first, second = np.where(turned, (second, first), (first, second))
        preference = np.where(turned, SWAPPED[preference], preference)
    kind = (first.astype(np.int64) * size + second) * 3 + preference
    if codes is None:
        return _held_singly(size, kind, rows.times)
    if codes.max(initial=0) > LARGEST_KEY // (3 * size**2):
        codes = np.unique(codes, return_inverse=True)[1]
    keys, number = _counted(codes * (3 * size**2) + kind, rows.times)
    unit, kind = np.divmod(keys, 3 * size**2)
    begins = np.diff(unit, prepend=-1) != 0
    ends = np.append(begins[1:], True)
    # Units that hold one comparison, and the same one, are listed once.
    is_single = begins & ends & (number == 1)
    several = ~is_single
    singles = _held_singly(size, kind[is_single], np.ones(is_single.sum()))
    if not several.any():
        return singles
    unit = np.cumsum(begins[several]) - 1
    held_together = _by_pair(size, unit, kind[several], number[several])
    return _joined(singles, held_together)


def _counted(key: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Count different keys, sorted; each row counts so many times."""
    if times.sum() <= 2 * len(key):  # sorting alone is faster than with places
        single = key if times.max(initial=1) == 1 else np.repeat(key, times)
        return np.unique(single, return_counts=True)
    keys, place = np.unique(key, return_inverse=True)
    return keys, np.bincount(place, times)


def _held_singly(size: int, kind: np.ndarray, times: np.ndarray) -> Held:
    """List units of one comparison each; `kind`: its pair, and preference."""
    number = np.bincount(kind, times, 3 * size**2)
    kinds = np.flatnonzero(number)
    pair, preference = np.divmod(kinds, 3)
    first, second = np.divmod(pair, size)
    seen = np.eye(3)[preference].T
    return Held(size, np.arange(len(kinds)), first, second, seen, number[kinds])


def _by_pair(size: int, unit: np.ndarray, kind: np.ndarray, number: np.ndarray) -> Held:
    """List comparisons of units, sorted by unit and kind, a cell for each pair."""
    cells, preference = np.divmod(unit * (3 * size**2) + kind, 3)
    new = np.diff(cells, prepend=-1) != 0
    seen = np.zeros((3, new.sum()))
    seen[preference, np.cumsum(new) - 1] = number
    unit, pair = np.divmod(cells[new], size**2)
    first, second = np.divmod(pair, size)
    return Held(size, unit, first, second, seen, np.ones(unit[-1] + 1))


def _joined(one: Held, other: Held) -> Held:
    """Put the units of two lists together."""
    return Held(
        one.systems,
        np.append(one.unit, len(one.times) + other.unit),
        np.append(one.first, other.first),
        np.append(one.second, other.second),
        np.hstack([one.seen, other.seen]),
        np.append(one.times, other.times),
    )


class Spread(NamedTuple):
    """What leaving out the units of a kind does to scores.

    Attributes
    ----------
    spread : ndarray, (systems, systems)
        Sum of d d' over units.
    effective : ndarray, (systems,)
        See `effective_units`.
    units : float
        Number of units.
    """

    spread: np.ndarray
    effective: np.ndarray
    units: float


class Moves(NamedTuple):
    """How the scores of one method move.

    Attributes
    ----------
    of : callable
        From units of all judgements, (judgements,) or None for single ones, to
        `Spread`.
    doubt : callable
        From the effective number of units of each system, (systems,), to the variance
        of systems that won all, or lost all.
    most_units : int or None
        Units of a kind, from which on it takes too long: each is a fit of its own, and
        what two kinds share is not known. None: it takes no fits.
    """

    of: Callable[[np.ndarray | None], Spread]
    doubt: Callable[[np.ndarray], np.ndarray]
    most_units: int | None = None


def moves_of_ratios(data: ComparisonRows | Counts, ratio: "Ratio") -> Moves:
    """Find how shares of comparisons move."""
    won = data.counted.wins.to_numpy()
    lost, won_all = ratio.bounds
    width = won_all - lost

    def doubt(effective: np.ndarray) -> np.ndarray:
        """Take the variance of a share of as many votes as units, and four more.

        Two are won and two lost (Agresti and Coull 1998).
        """
        share = (effective + 2) / (effective + 4)
        variance = width**2 * share * (1 - share) / (effective + 4)
        return np.where(one_way(won), variance, 0.0)

    def of(codes: np.ndarray | None) -> Spread:
        return spread_of_ratios(held(rows_of(data), codes, sided=False), ratio)

    return Moves(of, doubt)


def moves_of_fits(data: ComparisonRows | Counts, fit: Fit) -> Moves:
    """Find how scores without a formula move: by a fit without each unit.

    Parameters
    ----------
    fit : callable
        From rows that stay, (rows,) of bool, to scores, (systems,).
    """
    rows = rows_of(data)

    def of(codes: np.ndarray | None) -> Spread:
        assert codes is not None, "single comparisons are too many units"
        units = held(rows, codes, sided=False)
        score = fit(np.ones(len(codes), dtype=bool))
        moves = np.array([fit(codes != unit) - score for unit in np.unique(codes)])
        each = units.seen.sum(axis=0)
        number = units.sums((each, units.first), (each, units.second))
        effective = effective_units(number, units.times)
        return Spread(moves.T @ moves, effective, units.units)

    return Moves(of, np.zeros_like, MOST_FITS)


# --- scores that are shares or means --------------------------------------------------


class Ratio(NamedTuple):
    """A score that is a sum over another one, for every pair or every system.

    Attributes
    ----------
    above, below : three numbers
        What a tie, a win and a loss add to the two sums.
    by_pair : bool
        Whether the score is the mean of the ratios of all opponents, of whom each
        weighs the same. Then a system's ratio and its opponent's have a constant sum.
    """

    above: tuple[float, float, float]
    below: tuple[float, float, float]
    by_pair: bool = False

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the score of a system that lost all, and of one that won all."""
        _, won, lost = self.above
        return float(lost), float(won)


MEAN = Ratio((1, 0, 0), (0, 1, 0))  # of `held_scores`


def spread_of_ratios(units: Held, ratio: Ratio) -> Spread:
    """Sum d d' over units, for scores that are ratios; exact.

    With sums A and B of all judgements, and a and b of those of a unit, the ratio moves
    by (A - a) / (B - b) - A / B, which is

        (a' - a) / (B - b),    a' = b A / B, what the unit would add by the ratio.
    """
    if ratio.by_pair:
        return _spread_of_means_of_ratios(units, ratio)
    sides = [(units.seen, units.first)]
    if ratio is not MEAN:
        sides.append((units.seen[[TIE, SECOND, FIRST]], units.second))
    above = units.sums(*((np.dot(ratio.above, s), system) for s, system in sides))
    below = units.sums(*((np.dot(ratio.below, s), system) for s, system in sides))
    above, below = (scipy.sparse.coo_array(m) for m in (above, below))
    unit, system = below.coords
    total_above = units.times @ above
    total_below = units.times @ below
    value = divided(total_above, total_below)
    rest = total_below[system] - below.data
    surplus = below.data * value[system] - above.tocsr()[unit, system]
    moved = divided(surplus, np.where(rest > LEAST_REST, rest, 0))
    moves = scipy.sparse.coo_array((moved, (unit, system)), below.shape)
    return _spread(units, moves.tocsr(), below.tocsr())


def _spread_of_means_of_ratios(units: Held, ratio: Ratio) -> Spread:
    """Sum the same for the mean over opponents; a pair that is gone leaves the mean."""
    size = units.systems
    pair = units.first * size + units.second
    above = np.dot(ratio.above, units.seen)
    below = np.dot(ratio.below, units.seen)
    times = units.times[units.unit]
    total_above = np.bincount(pair, times * above, size**2)
    total_below = np.bincount(pair, times * below, size**2)
    value = divided(total_above, total_below)
    rest = total_below[pair] - below
    is_gone = (rest <= 0) & (below > 0)
    moved = divided(below * value[pair] - above, rest)
    met = (total_below > 0).reshape(size, size)
    opponents = (met.sum(axis=0) + met.sum(axis=1)).clip(1)
    first, second = units.first, units.second
    moves = units.sums(
        (moved / opponents[first], first), (-moved / opponents[second], second)
    )
    if is_gone.any():
        ratios = value.reshape(size, size)
        whole = sum(ratio.above[FIRST : SECOND + 1])  # a ratio and its opponent's
        ratios = np.where(met, ratios, 0) + np.where(met, whole - ratios, 0).T
        moves = _without_opponents(units, moves, ratios, is_gone, opponents)
    return _spread(units, moves, units.sums((below, first), (below, second)))


def _without_opponents(
    units: Held,
    moves: Matrix,
    ratios: np.ndarray,
    is_gone: np.ndarray,
    opponents: np.ndarray,
) -> Matrix:
    """Take the ratios of opponents who are gone without a unit out of the mean.

    The mean s of m ratios of which v, with the sum S, are gone moves by (v s - S) /
    (m - v), beside what the others move it by, times m / (m - v).
    """
    first, second = units.first, units.second
    gone = units.sums((1.0 * is_gone, first), (1.0 * is_gone, second))
    lost = units.sums(
        (is_gone * ratios[first, second], first),
        (is_gone * ratios[second, first], second),
    )
    score = ratios.sum(axis=1) / opponents
    gone = scipy.sparse.coo_array(gone)
    unit, system = gone.coords
    left = opponents[system] - gone.data
    surplus = gone.data * score[system] - lost[unit, system]
    moved = divided(surplus + gone.data * moves[unit, system], left)
    return moves + scipy.sparse.coo_array((moved, (unit, system)), gone.shape).tocsr()


def _spread(units: Held, moves: Matrix, number: Matrix) -> Spread:
    """Sum d d' over units, and count them; `number`: judgements, (units, systems)."""
    moves = scipy.sparse.diags_array(np.sqrt(units.times)) @ moves
    squares = moves.T @ moves
    if scipy.sparse.issparse(squares):
        squares = squares.toarray()
    return Spread(squares, effective_units(number, units.times), units.units)


def divided(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Divide; 0 where there is nothing below."""
    return np.divide(above, below, out=np.zeros(len(above)), where=below > 0)


def effective_units(number: Matrix, times: np.ndarray) -> np.ndarray:
    """Count the units of each system as if they were equally large.

        G = (sum over units of n_c)^2 / (sum over units of n_c^2)

    n_c is the number of judgements of the system in unit c. Equal units count as many
    as they are; one that has half of the judgements, and many small ones, as fewer than
    four.
    """
    total = times @ number
    squares = times @ (number * number)
    return divided(total**2, squares)


# --- strengths ------------------------------------------------------------------------
