"""How many judgements the best order contradicts by chance alone.

Judgements of systems that do have a true order contradict it now and then, most where
systems are close, and their tournament then has cycles. A *transitive world* draws the
judgements again: the same rankings of the same outputs, from strengths alone. What the
best order of such worlds violates is what chance gives.

A ranking of k outputs is drawn whole, for its comparisons depend on one another:

    P(order) is proportional to exp(sum over pairs, i above j, of L(i, j) / 2),

over all k! orders, where ``L(i, j) = s_i - s_j`` are the log-odds of two strengths
(Mallows 1957, with the preferences of Bradley and Terry). Of two outputs this is the
model of Bradley and Terry. The judge's ties are kept: the groups of tied places keep
their sizes. The strengths are those at which every system's expected wins less losses
are the real ones.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import permutations, product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from wmtlib.counts import FIRST, SECOND, Counts, coded, comparisons_of, count
from wmtlib.mfas import margins
from wmtlib.mfas_search import cost, descend, first_guess, greedy_packing, minimise

LONGEST = 6  # outputs of a ranking that is drawn whole: it has 720 orders
STEPS = 30  # of the fit
PRECISE = 1e-3  # judgements by which a system's expected wins less losses may be off


class Rankings(NamedTuple):
    """Rankings of k outputs each.

    Attributes
    ----------
    pairs : ndarray of int, (rankings, pairs)
        Positions, in the raveled margins of n outputs, of every two of a ranking.
    ties : ndarray of int, (rankings,)
        Which places are tied, as `outcomes` numbers it.
    """

    pairs: np.ndarray
    ties: np.ndarray


@cache
def outcomes(k: int) -> np.ndarray:
    """What every order of k outputs says of every pair, by what is tied in it.

    Returns
    -------
    ndarray of int, (2**(k-1), k!, pairs)
        1: the first is above, -1: below, 0: tied. Read as a binary number, the first
        index has a 1 wherever a place begins a new group; the last has no ties.
    """
    place = np.array([*permutations(range(k))])
    begins = np.array([*product((0, 1), repeat=k - 1)])
    group = np.pad(begins.cumsum(axis=1), ((0, 0), (1, 0)))[:, place]
    first, second = np.triu_indices(k, 1)
    return np.sign(group[..., second] - group[..., first])


@dataclass(frozen=True, eq=False)
class Design:
    """Who was judged beside whom: what all worlds share with the real judgements.

    Attributes
    ----------
    systems : list of n names, sorted
    margin : ndarray (n, n)
        The real wins less losses.
    decided : ndarray (n, n)
        Symmetric: comparisons without a tie that are drawn one by one.
    rankings : dict from k to Rankings
    """

    systems: list[str]
    margin: np.ndarray
    decided: np.ndarray
    rankings: dict[int, Rankings]

    def chances(self, log_odds: np.ndarray) -> dict[int, np.ndarray]:
        """Probability of every order of every ranking, (rankings, k!), by k."""
        from scipy.special import softmax  # it takes a while to load

        return {
            k: softmax(log_odds.ravel()[same.pairs] @ outcomes(k)[-1].T / 2, axis=1)
            for k, same in self.rankings.items()
        }

    def expected(self, log_odds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Expected margins, and their slopes in the log-odds; each (n, n).

        Slopes of rankings are those of equal chances, times what is left undecided.
        """
        margin = self.decided * np.tanh(log_odds / 2)
        slope = self.decided * (1 - np.tanh(log_odds / 2) ** 2) / 2
        for k, chance in self.chances(log_odds).items():
            pairs, ties = self.rankings[k]
            for code in np.unique(ties):
                same = ties == code
                mean = chance[same] @ outcomes(k)[code]
                left = chance[same] @ outcomes(k)[code] ** 2 - mean**2
                margin += self._summed(pairs[same], mean, -1)
                slope += self._summed(pairs[same], left, 1) * (k + 1) / 6
        return margin, slope

    def drawn(
        self, log_odds: np.ndarray, n_worlds: int, rng: np.random.Generator
    ) -> np.ndarray:
        """Margins of worlds, (n_worlds, n, n)."""
        number = np.triu(self.decided)
        chance = 1 / (1 + np.exp(-log_odds))
        wins = rng.binomial(number, chance, size=(n_worlds, *number.shape))
        upper = 2 * wins - number
        margin = upper - upper.swapaxes(1, 2)
        for k, chance in self.chances(log_odds).items():
            pairs, ties = self.rankings[k]
            row = np.arange(len(ties))
            # All at once: the chances of the ranking in row r stand from r to r + 1.
            edges = (chance.cumsum(axis=1) + row[:, None]).ravel()
            for world in margin:
                drawn = np.searchsorted(edges, rng.random(len(row)) + row)
                order = np.minimum(drawn - row * len(chance.T), len(chance.T) - 1)
                world += self._summed(pairs, outcomes(k)[ties, order], -1)
        return margin

    def _summed(self, pairs: np.ndarray, values: np.ndarray, sign: int) -> np.ndarray:
        """Values of pairs as a matrix (n, n); times `sign` the other way."""
        total = np.bincount(pairs.ravel(), values.ravel(), self.decided.size)
        matrix = total.reshape(self.decided.shape)
        return (matrix + sign * matrix.T).astype(values.dtype)

    @cached_property
    def strengths(self) -> np.ndarray:
        """Strengths (n,) whose worlds win and lose, on average, as the real systems.

        By Newton's method, to `PRECISE` judgements or for `STEPS` steps: of a system
        that never lost the strength has no end.
        """
        strengths = np.zeros(len(self.systems))
        for _ in range(STEPS):
            margin, slope = self.expected(differences(strengths))
            missing = (self.margin - margin).sum(axis=1)
            if np.abs(missing).max() < PRECISE:
                break
            # Differences alone are determined: the small number keeps the mean.
            curvature = np.diag(slope.sum(axis=1) + PRECISE) - slope
            strengths = strengths + np.linalg.solve(curvature, missing)
        return strengths


def differences(strengths: np.ndarray) -> np.ndarray:
    """Log-odds of every system (row) over every other: a transitive world's."""
    return strengths[:, None] - strengths


def design(data: Any) -> Design:
    """Which rankings, and single comparisons, judgements consist of.

    Parameters
    ----------
    data : Counts, DataFrame or Judgements
        As for `counts.count`; the reference left out. Where a frame has a column
        "ranking", the comparisons of a ranking of 3 to `LONGEST` outputs are drawn
        together, if they are all of its pairs and fit one order; the others one by one.
    """
    counts = count(data)
    systems, margin = margins(counts)
    wins = counts.wins.to_numpy()
    decided = wins + wins.T
    rankings: dict[int, Rankings] = {}
    frame = comparisons_of(data)
    if isinstance(frame, Counts) or "ranking" not in frame:
        return Design(systems, margin, decided, rankings)
    _, first, second, preference, times = coded(frame, systems)
    sign = (preference == FIRST) * times - (preference == SECOND) * times
    number = pd.factorize(frame["ranking"])[0]
    n = len(systems)
    outputs = np.concatenate([number * n + first, number * n + second])
    outputs, row = np.unique(outputs, return_inverse=True)
    net = np.bincount(row, np.concatenate([sign, -sign]))
    of, system = np.divmod(outputs, n)
    size = np.bincount(of)
    is_whole = np.bincount(number, times) == size * (size - 1) / 2
    strict = np.bincount(number, np.abs(sign))
    for k in range(3, LONGEST + 1):
        chosen = is_whole & (size == k)
        members = system[chosen[of]].reshape(-1, k)
        above = net[chosen[of]].reshape(-1, k)
        a, b = np.triu_indices(k, 1)
        order = np.sign(above[:, a] - above[:, b])
        fits = np.abs(order).sum(axis=1) == strict[chosen]
        begins = np.diff(np.sort(-above[fits])) > 0
        pairs = members[fits][:, a] * n + members[fits][:, b]
        if len(pairs):
            rankings[k] = Rankings(pairs, begins @ (1 << np.arange(k - 1)[::-1]))
            drawn_whole = np.abs(order[fits]).ravel()
            together = np.bincount(pairs.ravel(), drawn_whole, n * n).reshape(n, n)
            decided = decided - (together + together.T).astype(int)
    return Design(systems, margin, decided, rankings)


def least_violated(margin: np.ndarray) -> int:
    """Cost of the best order; without the choice among optima, faster than `MFAS`."""
    order = descend(margin, first_guess(margin))
    least = cost(margin, order)
    if greedy_packing(margin, order).bound(margin) < least:
        least = cost(margin, minimise(margin).order)
    return least
