"""Would the ranking of the others change if one system had not been judged?

Knowles (2021, section 5) asks this about rankings by z-scores; `leave_one_out` answers it for any
method.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pandas as pd

from wmtlib.analysis import methods
from wmtlib.analysis.ranking_functions import FIT_DIGITS, mfas_scores
from wmtlib.assessment.campaign import Campaign
from wmtlib.judgements import counting
from wmtlib.judgements.counting import Counts
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.html import captioned
from wmtlib.judgements.ranking import Ranking
from wmtlib.preference import resampled_counts
from wmtlib.tournament import mfas


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """The order of the others after each system was left out.

    Attributes
    ----------
    ranking : Ranking
        The full one.
    table : DataFrame
        One row a system, in the order of the ranking: removed, changed (some pair of the others
        stands otherwise than before), reversed (pairs in the opposite order: Kendall's distance),
        ties (pairs tied, or unranked, on one side only) and swaps ("X > Y": neighbours once it is
        gone from the full ranking, reversed when judged without it), joined by "; ".
    systems : DataFrame
        Most fragile first: system, moved (removals of others that reverse it with somebody),
        reversed (pairs with it that they reverse).
    neighbours : DataFrame
        Neighbours of the full ranking: above, below, swapped (removals that reverse them), by
        (whose), joined by "; ".
    note : str
        "" or one line on how to read this.
    """

    ranking: Ranking
    table: pd.DataFrame
    systems: pd.DataFrame = field(repr=False)
    neighbours: pd.DataFrame = field(repr=False)
    note: str = ""

    def _repr_html_(self) -> str:
        return captioned(f"{self.ranking.method}, without each system in turn", self.table)


def leave_one_out(
    data: Counts | pd.DataFrame | Campaign,
    method: str,
    *,
    reference: str | None = None,
    rng: np.random.Generator | None = None,
    time_limit: float | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> LeaveOneOut:
    """Rank without each system in turn and compare the order of the others.

    Of comparisons, those with the system go. Of assessments, its rows go, and the workers' means
    and standard deviations are computed from what stays. What mfas leaves open is not an order: two
    systems count as tied unless they stand the same way in every optimal order, where those could
    be counted.

    Parameters
    ----------
    data, method, reference, rng, time_limit
        As in `methods.rank`. Methods that draw random numbers begin every fit from the same seed.
    progress : callable
        Is told the share that is done.

    Raises
    ------
    DataError
        What `methods.rank` refuses, or fewer than three systems.
    """
    ranking = methods.rank(data, method, reference=reference, rng=rng, time_limit=time_limit)
    order, chosen = ranking.order, methods.METHODS[method]
    if len(order) < 3:
        raise DataError(f"{len(order)} systems; leaving one out needs three or more")
    if isinstance(data, pd.DataFrame) and not chosen.rows:
        data = counting.counts(data)
    seed = None if rng is None else int(rng.integers(2**63))
    options = {"method": method, "reference": reference, "seed": seed, "time_limit": time_limit}
    before = _signs(data, order, **options)
    after = np.empty((len(order), len(order), len(order)), dtype=np.int8)  # removed, above, below
    for k, name in enumerate(order):
        try:
            after[k] = _signs(_without(data, name), order, **options)
        except DataError as error:
            raise DataError(f"without {name!r}: {error}") from None
        progress((k + 1) / len(order))
    # Before, as far as it is about the systems that are left: 0 for pairs with the removed one.
    removed = np.eye(len(order), dtype=bool)
    before = np.where(removed[:, :, None] | removed[:, None, :], 0, before)
    reverses, changes = before * after < 0, before != after
    table = pd.DataFrame(
        {
            "removed": order,
            "changed": changes.any(axis=(1, 2)),
            "reversed": reverses.sum(axis=(1, 2)) // 2,  # each pair stands in the matrix twice
            "ties": (changes & ~reverses).sum(axis=(1, 2)) // 2,
            "swaps": [_swaps(order, k, reverses[k]) for k in range(len(order))],
        }
    )
    systems = pd.DataFrame(
        {
            "system": order,
            "moved": reverses.any(axis=2).sum(axis=0),
            "reversed": reverses.sum(axis=(0, 2)),
        }
    ).sort_values(["moved", "reversed"], ascending=False, kind="stable", ignore_index=True)
    note = "the method draws random numbers, which move near ties too" if chosen.random else ""
    return LeaveOneOut(ranking, table, systems, _neighbours(order, reverses), note)


def _without(data: Counts | pd.DataFrame | Campaign, name: str) -> Counts | pd.DataFrame | Campaign:
    """The data as though a system had not been judged."""
    if isinstance(data, Campaign):
        return data.without([name], items=(), paired=False)
    return counting.without(data, name)


def _signs(
    data: Counts | pd.DataFrame | Campaign,
    order: list[str],
    *,
    method: str,
    reference: str | None,
    seed: int | None,
    time_limit: float | None,
) -> np.ndarray:
    """1 where the row's system ranks above the column's, -1 below, 0 tied or not ranked."""
    if method == "mfas":
        wins = counting.counts(data).without(reference).wins
        solution = mfas.solve(wins, time_limit=time_limit)
        if solution.agreed is not None:
            above = solution.agreed.reindex(index=order, columns=order, fill_value=False)
            above = above.to_numpy().astype(np.int8)
            return above - above.T
        score = mfas_scores(solution)
    elif methods.METHODS[method].scores is not None and seed is None:
        # A system without a comparison that counts has no score; `methods.rank` would refuse it.
        one = resampled_counts.sample_of_counts(counting.counts(data))
        found = methods.scores(one, method, reference=reference)[0]
        score = pd.Series(found, [x for x in one.systems if x != reference]).round(FIT_DIGITS)
    else:
        rng = None if seed is None else np.random.default_rng(seed)
        score = -methods.rank(data, method, reference=reference, rng=rng).column("rank")
    value = score.reindex(order).to_numpy(float)
    return (value[:, None] > value).astype(np.int8) - (value[:, None] < value)


def _swaps(order: list[str], removed: int, reverses: np.ndarray) -> str:
    """Neighbours of the full ranking without a system that are reversed when it is removed."""
    left = [k for k in range(len(order)) if k != removed]
    return "; ".join(f"{order[a]} > {order[b]}" for a, b in pairwise(left) if reverses[a, b])


def _neighbours(order: list[str], reverses: np.ndarray) -> pd.DataFrame:
    """`LeaveOneOut.neighbours`; reverses[k, a, b]: removing k reverses a and b."""
    rows = []
    for k, (above, below) in enumerate(pairwise(order)):
        by = [order[gone] for gone in np.flatnonzero(reverses[:, k, k + 1])]
        rows.append({"above": above, "below": below, "swapped": len(by), "by": "; ".join(by)})
    return pd.DataFrame(rows)
