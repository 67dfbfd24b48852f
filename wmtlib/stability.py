"""Would the ranking be another if some systems had not been there?

The question of Knowles (2021), section 5. `leave_one_out` asks it of any judgements,
system by system. `perturb` removes and degrades systems. Every ranking is compared with
the ranking of the full data, restricted to the systems that both sides rank, its
clusters recomputed for those systems from unchanged z-scores.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from wmtlib import methods
from wmtlib.assessments import Campaign
from wmtlib.checks import dropped
from wmtlib.cluster_lines import RankedClusters, rank_campaign
from wmtlib.errors import DataError, listed
from wmtlib.forms import Data
from wmtlib.html_tables import captioned
from wmtlib.methods import Method, Settings, method_data
from wmtlib.ranking import Ranking, reversed_pairs
from wmtlib.sampling import Seed, Task, by_workers, generator

DIVISORS = (1.25, 1.5, 2, 4, 10)  # Figure 1
CHANGES = ["rank", "cluster", "both"]


def perturb(
    campaign: Campaign,
    *,
    humans: Collection[str],
    paired: bool,
    test: str,
    rule: str,
) -> pd.DataFrame:
    """Remove and degrade systems, one change at a time (Tables 2 and 3, Figure 1).

    Human systems and REF items are removed together, and divided together before the
    workers' means are computed; human systems are then ranked on neither side. The
    best, the worst and every single system are removed without touching REF items.

    Parameters
    ----------
    campaign : Campaign
    humans : names
        Its human systems; none in SR-DC, where references are REF items only.
    paired : bool
        Whether quality-control items that were paired with a system share its fate.
    test, rule : str
        As in `cluster_lines.rank_campaign`; the paper's are "legacy" and "footnote-4".

    Returns
    -------
    DataFrame
        One row a perturbation: kind, what, systems (number compared), judgements (the
        share that is removed or divided), then the columns of `differences`.

    Raises
    ------
    DataError
        An unknown name, test or rule, or fewer than two systems left by a removal.
    """
    ranked = partial(rank_campaign, test=test, rule=rule)
    full = ranked(campaign)

    def change(
        kind: str,
        what: str,
        unranked: np.ndarray,
        rows: np.ndarray,
        divisor: float | None = None,
    ) -> dict[str, object]:
        """A row of the table: some judgements (`rows`) are removed, or divided."""
        before = full.restricted(~unranked)
        if divisor is None:
            after = ranked(campaign, unranked=unranked, scales_from=~rows)
        else:
            after = ranked(campaign.divided(rows, divisor), unranked=unranked)
        row = {
            "kind": kind,
            "what": what,
            "systems": len(before.order),
            "judgements": float(rows.mean()),
        }
        return row | differences(before, after)

    human = campaign.is_system(humans)
    human_rows = campaign.rows_of(human, items=("REF",), paired=paired)
    what = " ".join(sorted(humans))
    table = [change("remove humans", what, human, human_rows)]
    singles = [("remove best", full.order[0]), ("remove worst", full.order[-1])]
    singles += [("remove", k) for k in range(len(campaign.systems))]
    for kind, k in singles:
        removed = np.arange(len(campaign.systems)) == k
        rows = campaign.rows_of(removed, items=(), paired=paired)
        table.append(change(kind, campaign.systems[k], removed, rows))
    for divisor in DIVISORS:
        what = f"{divisor:g}"
        table.append(change("divide humans", what, human, human_rows, divisor))
    return pd.DataFrame(table)


def differences(before: RankedClusters, after: RankedClusters) -> dict[str, object]:
    """How two rankings of the same systems differ.

    Returns
    -------
    dict
        rank : the order changed; cluster : the number or the composition of clusters
        changed; both; kendall : pairs of systems in another order; largest_move :
        places; lines_new and
        lines_gone : "below X", lines that divide the systems as no line of the other
        side does;
        swaps : "X > Y", neighbours before, reversed after.
    """
    # the place after, by the place before
    moved_to = pd.Index(after.order).get_indexer(before.order)
    names = before.names
    old_lines = _lines_by_systems_above(before)
    new_lines = _lines_by_systems_above(after)
    swapped = np.flatnonzero(np.diff(moved_to) < 0)
    order = len(swapped) > 0
    cluster = old_lines.keys() != new_lines.keys()
    return {
        "rank": order,
        "cluster": cluster,
        "both": order and cluster,
        "kendall": reversed_pairs(before.order, after.order),
        "largest_move": int(np.abs(moved_to - np.arange(len(moved_to))).max()),
        "lines_new": "; ".join(
            new for k, new in new_lines.items() if k not in old_lines
        ),
        "lines_gone": "; ".join(
            old for k, old in old_lines.items() if k not in new_lines
        ),
        "swaps": "; ".join(f"{names[k]} > {names[k + 1]}" for k in swapped),
    }


def _lines_by_systems_above(ranked: RankedClusters) -> dict[frozenset[str], str]:
    """Lines by the set of systems above them, and how they are called."""
    names = ranked.names
    return {
        frozenset(names[: k + 1]): f"below {names[k]}"
        for k in np.flatnonzero(ranked.lines).tolist()
    }


# --- would the order of the others change if one system had not been judged? ----------


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """The order of the others after each system was left out.

    Attributes
    ----------
    ranking : Ranking
        The full one.
    table : DataFrame
        One row a system, in the order of the ranking: removed, changed (some pair of
        the others stands otherwise than before), reversed (pairs in the opposite order:
        Kendall's distance), ties (pairs tied, or unranked, on one side only) and swaps
        ("X > Y": neighbours once it is gone from the full ranking, reversed when judged
        without it), joined by "; ".
    systems : DataFrame
        Most fragile first: system, moved (removals of others that reverse it with
        somebody), reversed (pairs with it that they reverse).
    neighbours : DataFrame
        Neighbours of the full ranking: above, below, swapped (removals that reverse
        them), by (whose), joined by "; ".
    note : str
        "" or one line on how to read this.
    """

    ranking: Ranking
    table: pd.DataFrame
    systems: pd.DataFrame = field(repr=False)
    neighbours: pd.DataFrame = field(repr=False)
    note: str = ""

    def _repr_html_(self) -> str:
        caption = f"{self.ranking.method}, without each system in turn"
        return captioned(caption, self.table)


def leave_one_out(
    data: Any,
    method: str | None = None,
    *,
    reference: str | None = None,
    seed: Seed = 0,
    time_limit: float | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> LeaveOneOut:
    """Rank without each system in turn and compare the order of the others.

    Of comparisons, those with the system go. Of assessments, its rows go, and the
    workers' means and standard deviations are computed from what stays. What mfas
    leaves open is not an order: two systems count as tied unless they stand the same
    way in every optimal order, where those could be counted. A system that the method
    cannot score is left out, and named in the note.

    Parameters
    ----------
    data, method, reference, seed, time_limit
        As in `methods.rank`. Methods that draw random numbers begin every fit from the
        same seed.
    progress : callable
        Is told the share that is done.

    Raises
    ------
    DataError
        What `rank` refuses, or fewer than three systems.

    Examples
    --------
    >>> votes = pd.DataFrame({"a": [*"xxyyz"], "b": [*"yzzzx"], "outcome": "a"})
    >>> leave_one_out(votes).ranking.order
    ['x', 'y', 'z']
    """
    judgements, counted = method_data(data)
    name = method or methods.usual(counted, reference)[0]
    chosen = methods.require(name, counted.kind)
    rng = generator(seed)
    judged = judgements if chosen.rows else counted
    judgements, unscored = methods.scorable(judged, chosen, reference)
    ranking = methods.ranked(chosen, judgements, Settings(reference, rng, time_limit))
    order = ranking.order
    if len(order) < 3:
        raise DataError(f"{len(order)} systems; leaving one out needs three or more")
    settings = Settings(reference, int(rng.integers(2**63)), time_limit)
    full = chosen.signs(judgements, order, settings)
    tasks: Iterator[Task] = (
        (_signs_without, (judgements, order, name, chosen, settings), {})
        for name in order
    )
    rows = []
    pairs = []
    for name, after in zip(order, by_workers(tasks), strict=True):
        others = [*after.index]
        before = full.loc[others, others]
        is_reversed = before * after < 0
        stacked = is_reversed.stack()
        pairs += [(name, *pair) for pair in stacked.index[stacked]]
        swaps = [f"{a} > {b}" for a, b in pairwise(others) if is_reversed.loc[a, b]]
        # Each pair stands in the matrices twice.
        number = stacked.sum() // 2
        ties = (before != after).to_numpy().sum() // 2 - number
        rows.append(
            {
                "removed": name,
                "changed": number + ties > 0,
                "reversed": number,
                "ties": ties,
                "swaps": "; ".join(swaps),
            }
        )
        progress(len(rows) / len(order))
    note = ""
    if unscored:
        names = listed(unscored, len(unscored))
        note = f"{names}: left out, {chosen.name} cannot score them"
    elif chosen.random:
        note = "the method draws random numbers, which move near ties too"
    reversals = pd.DataFrame(pairs, columns=["removed", "above", "below"])
    systems, neighbours = _reversed(order, reversals)
    return LeaveOneOut(ranking, pd.DataFrame(rows), systems, neighbours, note)


def _reversed(
    order: list[str], reversals: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Systems and neighbours of `LeaveOneOut`, from the pairs that removals reverse."""
    removals = reversals.groupby("above")["removed"]
    systems = removals.agg(moved="nunique", reversed="size")
    systems = systems.reindex(pd.Index(order, name="system"), fill_value=0)
    systems = systems.sort_values(["moved", "reversed"], ascending=False, kind="stable")
    removals = reversals.groupby(["above", "below"])["removed"]
    neighbours = pd.DataFrame(pairwise(order), columns=["above", "below"]).join(
        removals.agg(swapped="size", by="; ".join), on=["above", "below"]
    )
    neighbours = neighbours.fillna({"swapped": 0, "by": ""})
    return systems.reset_index(), neighbours.astype({"swapped": int, "by": str})


def _signs_without(
    data: Data, order: list[str], name: str, method: Method, settings: Settings
) -> pd.DataFrame:
    """`Method.signs` of the others, judged without one system."""
    others = [other for other in order if other != name]
    try:
        fewer = dropped(data, [name], paired=False)
        return method.signs(fewer, others, settings)
    except DataError as error:
        raise DataError(f"without {name!r}: {error}") from None
