"""Votes of systems that do not differ: relative rankings, and an arena. Notebook 62.

Who judged what stays as it was, and no system is better than another:

- *by judge*: of each pair the mean is taken out of the votes, and the sign of all that
  a judge said is drawn at random. What judges disagree about stays.
- *by sentence* (or prompt): the same of all that was said of a sentence. What suits one
  system more than another in a sentence stays.
- *by both*: no choice of signs keeps both. Two votes of a judge, and two on a sentence,
  would have the same sign, and then all votes would. So votes are drawn anew, as
  `drawn_votes` has it, with judges and sentences that count for as much as `likeness`
  finds in the task.

Criteria, written before any votes were drawn, beside those of `honest_line`:

- *size* and *tables*, as for assessments, in each of the three: the unit test is here
  the test by judges and sentences at once.
- *sentences matter* in votes if, drawn by sentence, the test by judges alone calls more
  than 6 % of equal pairs apart at 5 %, and the interval lies above 5 %; *judges
  matter*, if the test by sentences alone does so, drawn by judge. Of the crowd of 2010
  and the combinations of 2011 the same is asked by name.
- *calibrated*: in votes that are drawn anew `likeness` gives, averaged over the tasks
  of a campaign, what it gives in the real ones: the two differ by less than a tenth, or
  by less than two standard errors over tasks.

Known before, from outside: drawn by sentence, the test by judges calls 6.2 % apart in
WMT10-12 (standard error .4), 9.2 % (1.1) for the crowd, 9.4 % (1.9) for combinations
and 10.3 % (2.4) in Haitian Creole; in llmfao the variance of a model's score is by
judges 4.0 times, by prompts 8.6 times that of single votes. The test by both called 0
to 2 % apart in simulated votes; sets of ranks, names exchanged within judges or
sentences, .4 and 1.5 % of pairs.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import scipy

from study.beyond.pair_arrays import pairs_of
from wmtlib.certainty import covariance, p_of_pairs
from wmtlib.core.counts import FIRST, TIE, ComparisonRows, rows_of
from wmtlib.core.moves import Held, Moves, Ratio, Spread, spread_of_ratios
from wmtlib.core.units import Units

JUDGE, SEGMENT, BOTH = "judge", "segment", "both"
KINDS = (JUDGE, SEGMENT)
UNITS = (*KINDS, "ranking")
EXPECTED_WINS = Ratio((0, 1, 0), (0, 1, 1), by_pair=True)  # as of `wmtlib.methods`
NULLS = {JUDGE: "by judge", SEGMENT: "by sentence", BOTH: "by both"}


@dataclass(frozen=True, eq=False)
class Votes:
    """Votes for one of two systems; ties are left out.

    Attributes
    ----------
    rows : ComparisonRows
    pair : ndarray of int, (votes,)
        In the order of `pairs_of`.
    margin : ndarray of float64, (votes,)
        1 for the first system of the pair, -1 for the second.
    units : dict of ndarray of int, (votes,)
        Of `numbered_units`.
    """

    rows: ComparisonRows
    pair: np.ndarray
    margin: np.ndarray
    units: dict[str, np.ndarray]

    @property
    def sides(self) -> tuple[np.ndarray, np.ndarray]:
        """First and second system of every pair."""
        return pairs_of(len(self.rows.systems))

    @property
    def centred(self) -> np.ndarray:
        """Margins with the mean of each pair taken out, (votes,)."""
        mean = self.by_pair(self.margin) / self.by_pair().clip(1)
        return self.margin - mean[self.pair]

    def by_pair(self, values: np.ndarray | None = None) -> np.ndarray:
        """Add up values of votes, or count votes, (pairs,)."""
        return np.bincount(self.pair, values, len(self.sides[0]))

    def table(self, unit: np.ndarray, values: np.ndarray) -> "scipy.sparse.csr_array":
        """Add up values of votes by unit and pair, (units, pairs)."""
        shape = unit.max() + 1, len(self.sides[0])
        return scipy.sparse.csr_array((values, (unit, self.pair)), shape)

    @cached_property
    def blocks(self) -> tuple[np.ndarray, list[np.ndarray]]:
        """Find the block of each vote, all that a judge said of a segment.

        Returns
        -------
        block : ndarray of int, (votes,)
        units : two ndarrays of int, (blocks,)
            The judge and the segment of each block.
        """
        size = self.units[SEGMENT].max() + 1
        codes = self.units[JUDGE] * size + self.units[SEGMENT]
        codes, block = np.unique(codes, return_inverse=True)
        return block, [*divmod(codes, size)]


def votes_of(frame: pd.DataFrame, systems: Sequence[str]) -> Votes:
    """List the votes of a comparisons frame."""
    rows = rows_of(frame).among(systems)
    rows = rows.select(rows.preference != TIE)
    low = np.minimum(rows.first, rows.second)
    high = np.maximum(rows.first, rows.second)
    pair = low * len(systems) - low * (low + 1) // 2 + high - low - 1
    ahead = (rows.preference == FIRST) == (rows.first == low)
    return Votes(rows, pair, np.where(ahead, 1.0, -1.0), numbered_units(rows))


def numbered_units(rows: ComparisonRows) -> dict[str, np.ndarray]:
    """Give judge, segment and ranking numbers from 0, each (comparisons,).

    Without rankings, each comparison is one.
    """
    frame = rows.frame
    if "ranking" not in frame:
        frame = frame.assign(ranking=range(len(frame)))
    return {kind: pd.factorize(frame[kind])[0] for kind in UNITS}


# --- no system is better --------------------------------------------------------------


def equal_votes(
    votes: Votes, null: str, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Draw votes of equal systems, (votes,) as `Votes.margin`, without end.

    Parameters
    ----------
    null : "judge", "segment" or "both"
    """
    if null == BOTH:
        alike = likeness(votes)
        while True:
            yield drawn_votes(votes, alike, rng)
    unit = votes.units[null]
    centred = votes.centred
    while True:
        sign = rng.choice([-1, 1], unit.max() + 1)
        yield centred * sign[unit]


def drawn_votes(
    votes: Votes, alike: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Draw votes of equal systems that judges and segments have effects on, (votes,).

    In a ranking r, of a judge j and a segment i, a system a has

        x(a) = sqrt(R_j) judge(j, a) + sqrt(R_i) segment(i, a)
               + sqrt(1 - R_j - R_i) ranking(r, a),    R = sin(pi / 2 x alike)

    with standard normal effects, and of two systems that with the larger x gets the
    vote. Two votes on a pair that share the judge, or the segment, correlate as asked
    for: 2 / pi x arcsin(R) (Sheppard 1899).

    Parameters
    ----------
    alike : ndarray, (2,)
        Correlations as of `likeness`; below 0 they count as 0.
    """
    share = np.sin(np.pi / 2 * np.maximum(alike, 0))
    weights = np.sqrt([*share, 1 - share.sum()])
    sides = np.array([side[votes.pair] for side in votes.sides])
    units = [*votes.units.values()]
    effects = drawn_effects(units, weights, sides.max() + 1, rng)
    drawn = zip(units, effects, strict=True)
    first, second = sum(effect[unit, sides] for unit, effect in drawn)
    return np.sign(first - second)


def drawn_effects(
    units: Iterable[np.ndarray],
    spreads: Iterable[float],
    systems: int,
    rng: np.random.Generator,
) -> list[np.ndarray]:
    """Draw normal effects of units of several kinds on systems.

    Parameters
    ----------
    units : ndarrays of int, (comparisons,)
        One for each kind of units.
    spreads : numbers
        Standard deviation of the effects of each kind.
    systems : int

    Returns
    -------
    list of ndarray of float64, (units, systems)
    """
    return [
        spread * rng.standard_normal((unit.max() + 1, systems))
        for unit, spread in zip(units, spreads, strict=True)
    ]


def likeness(votes: Votes) -> np.ndarray:
    """Estimate how two votes on a pair correlate, of one judge or on one segment.

    The mean product of two centred votes that share the judge and not the segment (or
    the segment and not the judge), less that of two votes that share neither; over the
    variance, less the same. Of pairs of systems that have such votes.

    Returns
    -------
    ndarray, (2,)
        By judge, and by segment; 0: no more alike than any two votes.
    """
    block, units = votes.blocks
    values = votes.centred, np.ones(len(block))
    kinds = [*(unit[block] for unit in units), block]
    # Sums of products, and numbers, of every two votes of a unit: (2, pairs) each.
    judge, segment, both = (
        np.array([(votes.table(kind, each) ** 2).sum(axis=0) for each in values])
        for kind in kinds
    )
    own = np.array([votes.by_pair(votes.centred**2), votes.by_pair()])
    neither = both - judge - segment
    neither[1] += own[1] ** 2
    known = neither[1] > 0
    base = neither[0, known] / neither[1, known]

    def mean(sums: np.ndarray) -> float:
        products, number = sums[:, known]
        return (products - base * number).sum() / number.sum()

    return np.array([mean(judge - both), mean(segment - both)]) / mean(own)


# --- what `wmtlib rank` takes ---------------------------------------------------------


def score_p(votes: Votes, margin: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Test every two systems by judges and segments, as `wmtlib.rank_sets` does.

    Parameters
    ----------
    margin : ndarray, (votes,)
        A vote m counts (1 + m) / 2 for the first system, the rest for the second.
    scores : ndarray, (systems,)
        Expected wins, or what differs from them by a constant.

    Returns
    -------
    ndarray, (systems, systems)
        Two-sided p; see `certainty.p_of_pairs`.
    """
    a, b = votes.sides

    def of(unit: np.ndarray | None) -> Spread:
        """Find how expected wins move without each unit."""
        assert unit is not None
        number = votes.table(unit, np.ones(len(unit)))
        won = (number.data + votes.table(unit, margin).data) / 2
        seen = np.array([0 * won, won, number.data - won])
        place, pair = number.tocoo().coords
        times = np.ones(unit.max() + 1)
        units = Held(len(scores), place, a[pair], b[pair], seen, times)
        return spread_of_ratios(units, EXPECTED_WINS)

    moves = Moves(of, np.zeros_like)
    return p_of_pairs(scores, covariance(votes.rows, moves, Units(KINDS)))
