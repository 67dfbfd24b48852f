"""Cycles by chance: a test of how many judgements the best order contradicts.

Judges of systems that do have a true order contradict it now and then, most where
systems are close, and their votes then have cycles. A *transitive world* has the same
comparisons, and a true order. With strengths ``s`` fitted to the decided comparisons
(Bradley and Terry), ``t(a, b) = tanh((s_a - s_b) / 2)`` is the expected margin of one
comparison of a and b. The margins of a world are

    sum of t(a, b) + sign (d - t(a, b))

over the comparisons of the pair: d is 1 if a won, -1 if b did, and the sign of a whole
unit (a ranking, a judge, a sentence) is + or - by chance (a "wild" bootstrap by unit,
Cameron, Gelbach and Miller 2008). So its expectation is that of a true order, and its
noise that of the judgements: those of one unit depend on one another as they really do.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wmtlib import mfas
from wmtlib.bradley_terry import PRIOR, resampled_strengths
from wmtlib.core.counts import COMPARISON, TIE, units
from wmtlib.core.mfas_search import least_cost
from wmtlib.core.sampling import (
    ResampledCounts,
    Resampler,
    Seed,
    blocks,
    generator,
    resampler,
)
from wmtlib.files.forms import comparison_rows, count

MOST = 30  # systems of a world that is solved in some hundredths of a second
FEWEST = 10  # comparisons of a pair; of fewer the fit, not chance, would decide


@dataclass(frozen=True, eq=False)
class CycleTest:
    """Observed least violated weight, and its distribution in transitive worlds.

    Attributes
    ----------
    least : int
        Of the judgements: what `mfas.exact_order` costs.
    worlds : ndarray of int, (worlds,)
    unit : str
        What is resampled.
    """

    least: int
    worlds: np.ndarray
    unit: str

    def __repr__(self) -> str:
        chance = f"{self.expected:.3g} by chance, p = {self.p:.2g}"
        return f"<CycleTest: least violated weight {self.least}, {chance}>"

    @property
    def expected(self) -> float:
        """Mean of the worlds."""
        return float(self.worlds.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """The middle 95 % of the worlds."""
        low, high = np.quantile(self.worlds, [0.025, 0.975])
        return float(low), float(high)

    @property
    def p(self) -> float:
        """Share of the worlds that violate as much, the judgements among them."""
        as_much = np.sum(self.worlds >= self.least)
        return float((1 + as_much) / (1 + len(self.worlds)))


def violated_by_chance(
    data: Any,
    *,
    unit: str | None = None,
    reference: str | None = None,
    n_worlds: int = 199,
    seed: Seed = 0,
) -> CycleTest:
    """Test for more cycles than votes of systems with a true order have by chance.

    Parameters
    ----------
    data : path, campaign:task, DataFrame, Judgements or Counts
        As for `wmtlib.count`.
    unit : str, optional
        A column whose units are drawn whole, or "comparison". By default "ranking" if
        there is such a column. Votes of one unit are alike, which makes more cycles.
    reference : str, optional
        A system that is left out, with all comparisons with it.

    Raises
    ------
    DataError
        Fewer than two units, or what `wmtlib.count` refuses.

    Examples
    --------
    >>> import pandas as pd
    >>> votes = {"a": [*"xyz"] * 9, "b": [*"yzx"] * 9, "outcome": "a"}
    >>> chance = violated_by_chance(pd.DataFrame(votes), n_worlds=99)
    >>> chance.least, chance.p
    (9, 0.01)
    """
    rows = comparison_rows(data)
    usual = "ranking" if "ranking" in units(rows) else COMPARISON
    counts = count(rows).without(reference)
    _, margin = mfas.margins(counts)  # refuses an empty frame
    judgements = resampler(rows, reference, unit or usual)
    drawn = worlds(judgements, log_odds(judgements.whole), n_worlds, generator(seed))
    violated = np.array([*map(least_violated, drawn)])
    return CycleTest(least_violated(margin), violated, unit or usual)


def log_odds(whole: ResampledCounts) -> np.ndarray:
    """Fit the log-odds of each system (row) over each other, (n, n).

    They are differences of Bradley-Terry strengths from comparisons without a tie.
    Fitted strengths are further apart than true ones where comparisons are few; the
    prior of `bradley_terry` takes some of that back.
    """
    seen = whole.seen.copy()
    seen[TIE] = 0
    decided = replace(whole, seen=seen)
    [fitted] = resampled_strengths(decided, ties="half", prior=PRIOR)
    fitted = np.nan_to_num(fitted)  # of systems that only tied
    return fitted[:, None] - fitted


def worlds(
    judgements: Resampler,
    log_odds: np.ndarray,
    n_worlds: int,
    rng: np.random.Generator,
) -> Iterator[np.ndarray]:
    """Draw margins (n, n) of worlds whose systems have some log-odds."""
    rate = np.tanh(log_odds / 2)
    [[_, decided]] = margins(judgements.whole)
    for size, stream in blocks(n_worlds, rng):
        signed = signed_units(judgements, size, stream)
        for margin, signed_decided in margins(signed):
            expected = rate * (decided - signed_decided)
            # Whole judgements: up or down by chance, so that none is lost on average.
            upper = np.floor(margin + expected + stream.random(rate.shape))
            upper = np.triu(upper, 1).astype(np.int64)
            yield upper - upper.T


def signed_units(
    judgements: Resampler, size: int, rng: np.random.Generator
) -> ResampledCounts:
    """Draw counts in which every unit counts once, or minus once, by chance."""
    cells = judgements.cells
    if judgements.by_unit:
        signs = rng.choice([-1, 1], (size, judgements.units))
        seen = signs[:, judgements.place] @ cells
    else:
        number = cells.astype(np.int64)
        seen = 2 * rng.binomial(number, 0.5, (size, number.size)) - number
    return judgements.samples_of(seen)


def margins(samples: ResampledCounts) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Compute wins less losses, and decided comparisons, of samples; each (n, n)."""
    for wins in samples.matrices()[0]:
        yield wins - wins.T, wins + wins.T


def least_violated(margin: np.ndarray) -> int:
    """Compute the cost of `mfas.exact_order`."""
    return least_cost(margin.astype(np.int64))
