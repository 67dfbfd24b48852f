"""Stability of rankings: leave systems out, divide scores, compare with before.

The experiment of Knowles (2021), section 5. `assessments.leave_out` and `divide`
change the judgements, `differences` compares the rankings before and after, and
`stability` leaves out each system in turn, by any method.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from wmtlib import methods
from wmtlib.cluster_lines import RankedClusters
from wmtlib.core.assessments import Campaign, Data, leave_out
from wmtlib.core.errors import DataError, join_names, warning
from wmtlib.core.html_tables import Tabled
from wmtlib.core.ranking import Ranking, reversed_pairs
from wmtlib.core.sampling import Seed, Task, by_workers, generator
from wmtlib.methods import Method, Settings

DIVISORS = (1.25, 1.5, 2, 4, 10)  # Figure 1
CHANGES = ["rank", "cluster", "both"]


# --- change the judgements ------------------------------------------------------------


def divide(
    campaign: Campaign,
    systems: Collection[str],
    divisor: float,
    *,
    items: Collection[str] = (),
    paired: bool = False,
) -> Campaign:
    """Divide the raw scores of systems, as though their outputs had been worse.

    Parameters
    ----------
    campaign : Campaign
    systems, items, paired
        As in `leave_out`.
    divisor : float
    """
    chosen = campaign.is_system(systems)
    rows = campaign.rows_of(chosen, items=items, paired=paired)
    return campaign.divided(rows, divisor)


# --- compare two rankings -------------------------------------------------------------


def differences(before: RankedClusters, after: RankedClusters) -> dict[str, object]:
    """Compare a ranking with that of changed judgements.

    The first is restricted to the systems of the second; its lines are drawn anew, from
    unchanged z-scores.

    Returns
    -------
    dict
        rank : the order changed; cluster : the number or the composition of clusters
        changed; both; kendall : pairs of systems in another order; largest_move :
        places; lines_new and lines_gone : "below X", lines that divide the systems as
        no line of the other side does; swaps : "X > Y", neighbours before, reversed
        after.
    """
    before = before.restricted(np.isin(before.systems, after.names))
    names = before.names
    # The place after, by the place before.
    place = pd.Index(after.names).get_indexer(names)
    moves = np.abs(place - np.arange(len(place)))
    old_lines = _lines_by_systems_above(before)
    new_lines = _lines_by_systems_above(after)
    swapped = np.flatnonzero(np.diff(place) < 0)
    order = len(swapped) > 0
    cluster = old_lines.keys() != new_lines.keys()
    new = [line for above, line in new_lines.items() if above not in old_lines]
    gone = [line for above, line in old_lines.items() if above not in new_lines]
    return {
        "rank": order,
        "cluster": cluster,
        "both": order and cluster,
        "kendall": reversed_pairs(np.sort(place), place),
        "largest_move": int(moves.max()),
        "lines_new": "; ".join(new),
        "lines_gone": "; ".join(gone),
        "swaps": "; ".join(f"{names[k]} > {names[k + 1]}" for k in swapped),
    }


def _lines_by_systems_above(ranked: RankedClusters) -> dict[frozenset[str], str]:
    """Name each line by the system above it, under the set of all systems above it."""
    names = ranked.names
    return {
        frozenset(names[: k + 1]): f"below {names[k]}"
        for k in np.flatnonzero(ranked.lines).tolist()
    }


# --- leave out each system in turn ----------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class LeaveOneOut(Tabled):
    """The order of the others after each system was left out.

    Attributes
    ----------
    ranking : Ranking
        The full one.
    table : DataFrame
        One row a system, in the order of the ranking: removed, changed (the order of
        some pair of the others), reversed (pairs in the opposite order: Kendall's
        distance), ties (pairs tied, or unranked, on one side only) and swaps ("X > Y":
        neighbours once it is gone from the full ranking, reversed when judged without
        it), joined by "; ".
    systems : DataFrame
        Most fragile first: system, moved (removals of others that reverse it with
        another system), reversed (pairs with it that they reverse).
    neighbours : DataFrame
        Neighbours of the full ranking: above, below, swapped (removals that reverse
        them), by (whose), joined by "; ".
    note : str
        "" or one line on how to read this.
    """

    ranking: Ranking
    table: pd.DataFrame
    systems: pd.DataFrame
    neighbours: pd.DataFrame
    note: str = ""

    @property
    def caption(self) -> str:
        """Return what the table shows, in a line."""
        return f"{self.ranking.method}, without each system in turn"

    def _draw(self, ax: Any) -> Any:
        from wmtlib import plots

        return plots.reversals(self.table, ax)


def stability(
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
    leaves open is not an order: two systems count as tied unless their order is the
    same in every optimal order, where those could be counted. A system that the method
    cannot score is left out, and named in the note.

    Parameters
    ----------
    data, method, reference, seed, time_limit
        As in `wmtlib.rank`. Methods that draw random numbers begin every fit from the
        same seed.
    progress : callable
        Called with the completed share (0 to 1).

    Raises
    ------
    DataError
        What `rank` refuses, or fewer than three systems.

    Examples
    --------
    >>> votes = pd.DataFrame({"a": [*"xxyyz"], "b": [*"yzzzx"], "outcome": "a"})
    >>> stability(votes).ranking.order
    ['x', 'y', 'z']
    """
    _, chosen, needed = methods.taken(data, method, reference)
    rng = generator(seed)
    judgements, unscored = methods.scorable(needed, chosen, reference)
    ranking = methods.ranked(chosen, judgements, Settings(reference, rng, time_limit))
    order = ranking.order
    if len(order) < 3:
        raise DataError(f"{len(order)} systems; leaving one out needs three or more")
    settings = Settings(reference, int(rng.integers(2**63)), time_limit)
    full = chosen.signs(judgements, order, settings)
    tasks: Iterator[Task] = (
        (_signs_without, (name, judgements, order, chosen, settings), {})
        for name in order
    )
    rows = []
    pairs = []
    for name, after in zip(order, by_workers(tasks), strict=True):
        others = after.index
        before = full.loc[others, others]
        is_reversed = before * after < 0
        stacked = is_reversed.stack()
        pairs += [(name, *pair) for pair in stacked.index[stacked]]
        swaps = [f"{a} > {b}" for a, b in pairwise(others) if is_reversed.loc[a, b]]
        # The matrices hold each pair twice.
        number = stacked.sum() // 2
        ties = (before != after).to_numpy().sum() // 2 - number
        rows.append((name, number + ties > 0, number, ties, "; ".join(swaps)))
        progress(len(rows) / len(order))
    note = ""
    if unscored:
        names = join_names(unscored, len(unscored))
        fault = f"{names}: left out, {chosen.name} cannot score them"
        note = warning("not_scored", fault)
    elif chosen.random:
        note = "the method draws random numbers, which move near ties too"
    columns = ["removed", "changed", "reversed", "ties", "swaps"]
    reversals = pd.DataFrame(pairs, columns=["removed", "above", "below"])
    systems, neighbours = _most_reversed(order, reversals)
    table = pd.DataFrame(rows, columns=columns)
    return LeaveOneOut(ranking, table, systems, neighbours, note)


def _signs_without(
    name: str, data: Data, order: list[str], method: Method, settings: Settings
) -> pd.DataFrame:
    """Return `Method.signs` of the others, judged without one system."""
    others = [other for other in order if other != name]
    try:
        return method.signs(leave_out(data, [name]), others, settings)
    except DataError as error:
        raise DataError(f"without {name!r}: {error}") from None


def _most_reversed(
    order: list[str], reversals: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Count the removals that reverse each system, and each pair of neighbours.

    Parameters
    ----------
    order : names, best first
    reversals : DataFrame
        Columns removed, above, below; a row for each reversed pair, both ways.

    Returns
    -------
    systems, neighbours : DataFrame
        See `LeaveOneOut`.
    """
    removals = reversals.groupby("above")["removed"]
    systems = removals.agg(moved="nunique", reversed="size")
    systems = systems.reindex(pd.Index(order, name="system"), fill_value=0)
    systems = systems.sort_values(["moved", "reversed"], ascending=False, kind="stable")
    pair = ["above", "below"]
    by_pair = reversals.groupby(pair)["removed"].agg(swapped="size", by="; ".join)
    neighbours = pd.DataFrame(pairwise(order), columns=pair).join(by_pair, on=pair)
    neighbours = neighbours.fillna({"swapped": 0, "by": ""})
    return systems.reset_index(), neighbours.astype({"swapped": int, "by": str})
