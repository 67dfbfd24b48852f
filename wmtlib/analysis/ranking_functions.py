"""How each method ranks: from counts, comparisons or a campaign to a `Ranking`.

Every function takes the data and the keywords method (its name), reference, rng and time_limit,
and uses those that it needs. See `wmtlib.analysis.methods`, which lists them.
"""

import numpy as np
import pandas as pd

from wmtlib.assessment.campaign import Campaign
from wmtlib.assessment.zscores import rank_systems
from wmtlib.judgements import counting
from wmtlib.judgements.counting import Counts
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.ranking import Ranking, rank_by_score
from wmtlib.preference import bradley_terry
from wmtlib.tournament import mfas, scorers

FIT_DIGITS = 9  # scores of numerical fits that agree to this many decimals are tied


def by_scorer(counts: Counts, *, method: str, reference: str | None, **_: object) -> Ranking:
    """By a heuristic score of `scorers.SCORERS`."""
    return rank_by_score(method, scorers.score(method, counts, reference=reference))


def by_strength(
    counts: Counts, *, method: str, ties: str, prior: float, reference: str | None, **_: object
) -> Ranking:
    """By Bradley-Terry strengths."""
    counts = counts.without(reference)
    compared = (counts.wins + counts.wins.T + counts.ties).sum(axis=1)
    if (compared == 0).any():
        raise DataError(f"system {compared.idxmin()!r} has no comparison that this score counts")
    strengths = bradley_terry.strengths(counts, ties=ties, prior=prior)
    prior_text = f"; {prior:g} virtual comparisons of every system" if prior else ", no prior"
    return rank_by_score(method, strengths.round(FIT_DIGITS), note=f"log strengths{prior_text}")


def by_mfas(
    counts: Counts, *, method: str, reference: str | None, time_limit: float | None, **_: object
) -> Ranking:
    """By the order that contradicts the fewest judgements; no scores."""
    solution = mfas.solve(counts.without(reference).wins, time_limit=time_limit)
    table = pd.DataFrame({"system": [*solution.order]})
    table["rank"], table["score"] = np.arange(1, len(table) + 1), np.nan
    ranges = solution.rank_ranges
    for column, end in (("best_rank", "best"), ("worst_rank", "worst")):
        table[column] = np.nan if ranges is None else ranges.loc[[*solution.order], end].array
    cost, bound, orders = solution.cost, solution.lower_bound, solution.optimal_orders
    if solution.optimal:
        note = f"proven least; optimal orders: {'too many to count' if orders is None else orders}"
    else:
        note = f"not proven least: at least {bound} cannot be avoided, a gap of {cost - bound}"
    return Ranking(
        method,
        table,
        note,
        {
            "violated_weight": cost,
            "lower_bound": bound,
            "optimal": solution.optimal,
            "optimal_orders": orders,
        },
    )


def mfas_scores(solution: mfas.MFAS) -> pd.Series:
    """Number of systems below each system less the number above it, in every optimal order.

    Of two systems, one that is above the other in every optimal order has the higher score. If the
    optimal orders are not known, the one order that was found stands for them.
    """
    if solution.agreed is None:
        size = len(solution.order)
        return pd.Series(range(size - 1, -size, -2), index=[*solution.order], dtype=float)
    return (solution.agreed.sum(axis=1) - solution.agreed.sum(axis=0)).astype(float)


def by_model(
    data: Counts | pd.DataFrame,
    *,
    method: str,
    rows: bool,
    reference: str | None,
    rng: np.random.Generator,
    **_: object,
) -> Ranking:
    """By the strengths, or mean abilities, of a model that is fitted with random numbers."""
    from wmtlib.preference.model_registry import MODELS  # special functions take a while to load

    kept = counting.without(data, reference)
    train = counting.expand(kept) if rows else counting.counts(kept)
    systems = counting.counts(data).without(reference).systems
    model = MODELS[method](train, systems=systems, rng=rng)
    found = model.abilities["mean"] if rows else model.strengths
    note = "drawn at random: another seed gives slightly other scores"
    return rank_by_score(method, found.round(FIT_DIGITS), note=note)


def by_mean(
    campaign: Campaign, *, method: str, column: str, reference: str | None, **_: object
) -> Ranking:
    """By the means of segments' mean scores: column "score" (z-scores) or "raw"."""
    ranking = rank_systems(campaign)
    means = ranking.column(column).drop([] if reference is None else [reference])
    return rank_by_score(method, means.round(FIT_DIGITS), note=ranking.note)
