"""Would the ranking of the others be another if one system had not been there?

Knowles (2021, section 5) asks it of rankings by z-scores; `leave_one_out` of any method.
"""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pandas as pd

from wmtlib.analysis import methods
from wmtlib.assessment.zscores import Campaign
from wmtlib.judgements import counting
from wmtlib.judgements.counting import Counts
from wmtlib.judgements.errors import DataError
from wmtlib.judgements.ranking import Ranking
from wmtlib.preference import resampled_counts
from wmtlib.tournament import mfas


@dataclass(frozen=True, eq=False)
class Fragility:
    """What leaving out each system does to the order of the others.

    Attributes
    ----------
    method : str
    frame : DataFrame
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
    ranking : Ranking
        The full one.
    note : str
        "" or one line on how to read this.
    """

    method: str
    frame: pd.DataFrame
    systems: pd.DataFrame
    neighbours: pd.DataFrame
    ranking: Ranking = field(repr=False)
    note: str = ""


def leave_one_out(
    data: Counts | pd.DataFrame | Campaign,
    method: str,
    *,
    reference: str | None = None,
    rng: np.random.Generator | None = None,
    time_limit: float | None = None,
    paired: bool = False,
) -> Fragility:
    """Rank without each system in turn and compare the order of the others.

    Of comparisons, those with the system go. Of assessments, its rows go, and the workers' means
    and standard deviations are computed from what stays. What mfas leaves open is no order: two
    systems count as tied unless they stand the same way in every optimal order, where those could
    be counted.

    Parameters
    ----------
    data, method, reference, rng, time_limit
        As in `methods.rank`. Methods that draw random numbers begin every fit from the same seed.
    paired : bool
        For a campaign: whether quality-control items that were paired with the system go too.

    Raises
    ------
    DataError
        What `methods.rank` refuses, or fewer than three systems.
    """
    ranking = methods.rank(data, method, reference=reference, rng=rng, time_limit=time_limit)
    order = ranking.order
    if len(order) < 3:
        raise DataError(f"{len(order)} systems; leaving one out needs three or more")
    if isinstance(data, pd.DataFrame) and not methods.METHODS[method].rows:
        data = counting.counts(data)
    seed = None if rng is None else int(rng.integers(2**63))

    def relations(name: str | None) -> np.ndarray:
        """+1 where the row's system stands above the column's, 0 where tied or unranked."""
        left = [other for other in order if other != name]
        fresh = None if seed is None else np.random.default_rng(seed)
        fewer = data if name is None else _less(data, name, paired)
        try:
            sign = _relations(fewer, method, left, reference, fresh, time_limit)
        except DataError as error:
            raise DataError(f"without {name!r}: {error}" if name else str(error)) from None
        full = np.zeros((len(order), len(order)), dtype=int)
        kept = [k for k, other in enumerate(order) if other != name]
        full[np.ix_(kept, kept)] = sign
        return full

    before = relations(None)
    rows, turned = [], np.zeros((len(order), len(order), len(order)), dtype=bool)
    for k, name in enumerate(order):
        after, reduced = relations(name), before.copy()
        reduced[k], reduced[:, k] = 0, 0
        turned[k] = reduced * after < 0
        left = [other for other in range(len(order)) if other != k]
        swaps = [(a, b) for a, b in pairwise(left) if turned[k, a, b]]
        rows.append(
            {
                "removed": name,
                "changed": bool((reduced != after).any()),
                "reversed": int(turned[k].sum()) // 2,
                "ties": int(((reduced != after) & ~turned[k]).sum()) // 2,
                "swaps": "; ".join(f"{order[a]} > {order[b]}" for a, b in swaps),
            }
        )
    random = methods.METHODS[method].random
    return Fragility(
        method=method,
        frame=pd.DataFrame(rows),
        systems=_fragile(order, turned),
        neighbours=_neighbours(order, turned),
        ranking=ranking,
        note="the method draws random numbers, which move near ties too" if random else "",
    )


def _less(
    data: Counts | pd.DataFrame | Campaign, name: str, paired: bool
) -> Counts | pd.DataFrame | Campaign:
    """The data as though a system had not been there."""
    if isinstance(data, Campaign):
        return data.without([name], items=(), paired=paired)
    return counting.without(data, name)


def _relations(
    data: Counts | pd.DataFrame | Campaign,
    method: str,
    names: list[str],
    reference: str | None,
    rng: np.random.Generator | None,
    time_limit: float | None,
) -> np.ndarray:
    """Signs of the order of `names`, (names, names)."""
    chosen = methods.METHODS[method]
    if method == "mfas":
        wins = counting.counts(data).without(reference).wins
        solution = mfas.solve(wins, time_limit=time_limit)
        if solution.agreed is not None:
            sure = solution.agreed.loc[names, names].to_numpy().astype(int)
            return sure - sure.T
        score = methods.standing(solution)
    elif chosen.scores is not None:
        one = resampled_counts.batch(counting.counts(data))
        found = methods.scores(one, method, reference=reference)[0]
        score = pd.Series(found, [x for x in one.systems if x != reference]).round(methods.DIGITS)
    else:
        frame = methods.rank(data, method, reference=reference, rng=rng).table
        score = -frame.set_index("system")["rank"]
    value = score.reindex(names).to_numpy(float)
    return (value[:, None] > value).astype(int) - (value[:, None] < value)


def _fragile(order: list[str], turned: np.ndarray) -> pd.DataFrame:
    """Column of `Fragility.systems`; turned[k, a, b]: removing k reverses a and b."""
    table = pd.DataFrame(
        {
            "system": order,
            "moved": turned.any(axis=2).sum(axis=0),
            "reversed": turned.sum(axis=(0, 2)),
        }
    )
    by = ["moved", "reversed"]
    return table.sort_values(by, ascending=False, kind="stable", ignore_index=True)


def _neighbours(order: list[str], turned: np.ndarray) -> pd.DataFrame:
    rows = []
    for k, (above, below) in enumerate(pairwise(order)):
        by = [order[gone] for gone in np.flatnonzero(turned[:, k, k + 1])]
        rows.append({"above": above, "below": below, "swapped": len(by), "by": "; ".join(by)})
    return pd.DataFrame(rows)
