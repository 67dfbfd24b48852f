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

Criteria, written before any votes were drawn, beside those of the notebook:

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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from study.beyond.pair_arrays import pairs_of
from wmtlib.certainty import covariance, p_of_pairs
from wmtlib.core.counts import FIRST, TIE, ComparisonRows, rows_of
from wmtlib.core.moves import Held, Moves, Spread, spread_of_ratios
from wmtlib.core.units import Units
from wmtlib.methods import METHODS

BOTH = "both"
NULLS = {"judge": "by judge", "segment": "by sentence", BOTH: "by both"}
KINDS = ("judge", "segment")
BY_BOTH = Units(KINDS)


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
        The number of its judge, segment and ranking, of those that the rows name.
    """

    rows: ComparisonRows
    pair: np.ndarray
    margin: np.ndarray
    units: dict[str, np.ndarray]

    @property
    def sides(self) -> tuple[np.ndarray, np.ndarray]:
        """First and second system of every pair."""
        return pairs_of(len(self.rows.systems))

    def by_pair(self, values: np.ndarray | None = None) -> np.ndarray:
        """Add up values of votes, or count votes, (pairs,)."""
        return np.bincount(self.pair, values, len(self.sides[0]))

    def table(self, row: np.ndarray, values: np.ndarray) -> "scipy.sparse.csr_array":
        """Add up values of votes by row and pair, (rows, pairs)."""
        shape = row.max() + 1, len(self.sides[0])
        return scipy.sparse.csr_array((values, (row, self.pair)), shape)

    def blocks(self) -> tuple[np.ndarray, list[np.ndarray]]:
        """Find the block of each vote, all that a judge said of a segment.

        Returns
        -------
        block : ndarray of int, (votes,)
        units : two ndarrays of int, (blocks,)
            The judge and the segment of each block.
        """
        judge, segment = (self.units[kind] for kind in KINDS)
        size = segment.max() + 1
        codes, block = np.unique(judge * size + segment, return_inverse=True)
        return block, [*divmod(codes, size)]


def votes_of(frame: pd.DataFrame, systems: Sequence[str]) -> Votes:
    """List the votes of a comparisons frame; without a ranking, each is one."""
    rows = rows_of(frame).among(systems)
    rows = rows.select(rows.preference != TIE)
    low = np.minimum(rows.first, rows.second)
    high = np.maximum(rows.first, rows.second)
    size = len(systems)
    pair = low * size - low * (low + 1) // 2 + high - low - 1
    ahead = (rows.preference == FIRST) == (rows.first < rows.second)
    units = {"ranking": np.arange(len(pair))}
    for kind in {*KINDS, *units}.intersection(rows.frame):
        units[kind] = pd.factorize(rows.frame[kind])[0]
    return Votes(rows, pair, np.where(ahead, 1.0, -1.0), units)


# --- no system is better --------------------------------------------------------------


def equal_votes(votes: Votes, null: str, rng: np.random.Generator) -> Iterator:
    """Draw votes of equal systems, (votes,) as `Votes.margin`, without end.

    Parameters
    ----------
    votes : Votes
    null : "judge", "segment" or "both"
    rng : Generator
    """
    if null == BOTH:
        # Of normal effects: two signs correlate by 2 / pi arcsin(R) (Sheppard 1899).
        shares = {
            kind: np.sin(np.pi / 2 * max(alike, 0))
            for kind, alike in likeness(votes).items()
        }
        while True:
            yield drawn_votes(votes, shares, rng)
    mean = votes.by_pair(votes.margin) / votes.by_pair().clip(1)
    centred = votes.margin - mean[votes.pair]
    unit = votes.units[null]
    while True:
        yield centred * rng.choice([-1, 1], unit.max() + 1)[unit]


def drawn_votes(
    votes: Votes, shares: dict[str, float], rng: np.random.Generator
) -> np.ndarray:
    """Draw votes of equal systems that judges and segments have effects on, (votes,).

    In a ranking r, of a judge j and a segment i, a system a has

        x(a) = sqrt(R_j) judge(j, a) + sqrt(R_i) segment(i, a)
               + sqrt(1 - R_j - R_i) ranking(r, a)

    and of two systems that with the larger x gets the vote. All effects are standard
    normal. Two votes on a pair have latent differences that correlate by R_j if they
    are of one judge, and by R_i if they are on one segment.

    Parameters
    ----------
    shares : R of "judge" and "segment"
    """
    a, b = (side[votes.pair] for side in votes.sides)
    shares = shares | {"ranking": 1 - sum(shares.values())}
    difference = np.zeros(len(votes.pair))
    for kind, share in shares.items():
        unit = votes.units[kind]
        effect = rng.standard_normal((unit.max() + 1, len(votes.rows.systems)))
        difference += np.sqrt(share) * (effect[unit, a] - effect[unit, b])
    return np.sign(difference)


def likeness(votes: Votes) -> dict[str, float]:
    """Estimate how two votes on a pair correlate, of one judge or on one segment.

    The mean product of two votes, with the pair's mean taken out, that share the judge
    and not the segment (or the segment and not the judge), less that of two votes that
    share neither, over the variance less the same. Of pairs that have such votes.

    Returns
    -------
    dict of float
        Of "judge" and "segment"; 0: no more alike than any two votes.
    """
    block, units = votes.blocks()
    number = votes.by_pair()
    mean = votes.by_pair(votes.margin) / number.clip(1)
    centred = votes.margin - mean[votes.pair]
    rows = {kind: unit[block] for kind, unit in zip(KINDS, units, strict=True)}
    products = {}
    counted = {}
    for kind, row in {**rows, BOTH: block}.items():
        products[kind] = (votes.table(row, centred) ** 2).sum(axis=0)
        counted[kind] = (votes.table(row, np.ones(len(row))) ** 2).sum(axis=0)
    judge, segment = KINDS
    # All products of a pair add up to 0.
    neither = products[BOTH] - products[judge] - products[segment]
    of_neither = number**2 - counted[judge] - counted[segment] + counted[BOTH]
    known = of_neither > 0
    base = neither[known] / of_neither[known]
    variance = votes.by_pair(centred**2)[known] - number[known] * base
    alike = {}
    for kind in KINDS:
        pairs_of_votes = (counted[kind] - counted[BOTH])[known]
        excess = (products[kind] - products[BOTH])[known] - pairs_of_votes * base
        covariance_of_votes = excess.sum() / max(pairs_of_votes.sum(), 1)
        alike[kind] = covariance_of_votes * number[known].sum() / variance.sum()
    return alike


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

    def of(codes: np.ndarray) -> Spread:
        """Find how expected wins move without each unit."""
        key, cell = np.unique(codes * len(a) + votes.pair, return_inverse=True)
        codes, pair = np.divmod(key, len(a))
        unit = np.unique(codes, return_inverse=True)[1]
        number = np.bincount(cell)
        first = (number + np.bincount(cell, margin)) / 2
        seen = np.array([0 * number, first, number - first])
        times = np.ones(unit.max() + 1)
        units = Held(len(scores), unit, a[pair], b[pair], seen, times)
        return spread_of_ratios(units, METHODS["expected-wins"].ratio)

    return p_of_pairs(scores, covariance(votes.rows, Moves(of, np.zeros_like), BY_BOTH))
