"""Would the ranking be another if some systems had not been there?

The question of Knowles (2021), section 5. `perturb` removes and degrades systems. Every
ranking is compared with the ranking of the full data, restricted to the systems that
both sides rank, its clusters recomputed for those systems from unchanged z-scores.
"""

from collections.abc import Collection
from functools import partial

import numpy as np
import pandas as pd

from wmtlib.assessments import Campaign
from wmtlib.cluster_lines import RankedClusters, rank_campaign
from wmtlib.ranking import reversed_pairs

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
