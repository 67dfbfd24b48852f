"""Transitive worlds: votes for systems with a true order, which have cycles by chance.

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
from dataclasses import replace

import numpy as np

from wmtlib.bradley_terry import PRIOR, resampled_strengths
from wmtlib.core.counts import TIE
from wmtlib.core.mfas_search import (
    cost,
    descend,
    first_guess,
    greedy_packing,
    minimise,
    searched,
)
from wmtlib.core.sampling import ResampledCounts, Resampler, blocks

SHORT = 1000  # subsets in place of the linear program, which takes as long


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
    """Compute the cost of `mfas.exact_order`, without its certificate.

    So a short search replaces the linear program.
    """
    margin = margin.astype(np.int64)
    order = descend(margin, first_guess(margin))
    packing = greedy_packing(margin, order)
    order, lower = searched(margin, packing, order, SHORT, np.inf)
    if lower < cost(margin, order):
        order = minimise(margin).order
    return cost(margin, order)
